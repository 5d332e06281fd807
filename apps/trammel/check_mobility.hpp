// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `check` says about how a mechanism can move: whether it closes, Grübler's counts, true mobility, free motions, redundant constraints.

#include <nlohmann/json.hpp>

#include <trammel/loops.hpp>

namespace trammel::tool {

struct MobilityFacts {
  AssemblyReport drawn, closed;  // at the design position, and after closing what is open there
  std::string worst_gap;
  std::optional<Mobility> mobility;  // not for very large mechanisms
  std::vector<std::string> motions;  // free ones, in words
  std::vector<std::string> idle;
  std::vector<std::string> redundant;
  int freedoms = 0, grubler_spatial = 0;
  std::optional<int> grubler_planar;

  bool closes() const { return closed.closed(); }
  std::string why_not_closed() const;  // in words
};
// As it begins, for what follows: joints that capture are still open.
Mechanism before_captures(const Mechanism& mechanism);
MobilityFacts find_facts(const Mechanism& mechanism);
std::string mobility_text(const Mechanism& mechanism, const MobilityFacts& facts);  // lines
void print_mobility(const Mechanism& mechanism, const MobilityFacts& facts);
void add_mobility(const MobilityFacts& facts, nlohmann::ordered_json& report);

}  // namespace trammel::tool
