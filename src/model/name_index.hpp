// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bodies, joints and the like by name in constant time, for passes that look up every name of a model: Model's own
// find_body and find_joint walk the list, which a model of 60 000 bodies turns into minutes.

#include <string_view>
#include <unordered_map>
#include <vector>

namespace trammel {

// Valid as long as the list is neither changed nor moved. Of things with the same name the first is found.
template <class Named>
class NameIndex {
 public:
  explicit NameIndex(const std::vector<Named>& list) {
    index_.reserve(list.size());
    for (const Named& item : list) index_.emplace(item.name, &item);
  }

  const Named* find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const Named*> index_;
};

}  // namespace trammel
