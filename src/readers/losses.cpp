// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/losses.hpp"

#include <fmt/format.h>

#include "readers/messages.hpp"

namespace trammel::readers {

void Losses::add(const std::string& id, SourceLocation where, const std::string& what, const std::string& fix,
                 const std::string& name) {
  const auto [entry, is_new] = index_.emplace(what, losses_.size());
  if (is_new) losses_.push_back({id, what, fix, where, {}, {}});
  Loss& loss = losses_[entry->second];
  if (!name.empty() && loss.known.insert(name).second) loss.names.push_back(name);
}

void Losses::tell(Diagnostics& diagnostics) const {
  constexpr std::size_t most_names = 5;
  for (const Loss& loss : losses_) {
    const std::string names = loss.names.empty() ? "" : ": " + list_names(loss.names, most_names);
    diagnostics.warning(loss.where, loss.id, loss.what + names, loss.fix);
  }
}

}  // namespace trammel::readers
