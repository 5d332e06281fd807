// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a format cannot say, collected while a writer writes: warnings of one kind are told once, with the names of what
// they are about, each name once.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <trammel/diagnostics.hpp>

namespace trammel::readers {

class Losses {
 public:
  // `name` may be empty: of losses that are about the whole model.
  void add(const std::string& id, SourceLocation where, const std::string& what, const std::string& fix,
           const std::string& name = {});
  // In the order in which each was met first; a few names of each.
  void tell(Diagnostics& diagnostics) const;

 private:
  struct Loss {
    std::string id, what, fix;
    SourceLocation where;
    std::vector<std::string> names;
    std::unordered_set<std::string> known;  // the same names
  };
  std::vector<Loss> losses_;
  std::unordered_map<std::string, std::size_t> index_;  // by what is told
};

}  // namespace trammel::readers
