// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "check_mobility.hpp"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "session.hpp"

namespace trammel::tool {
namespace {

// True mobility takes a dense rank decision; beyond this size only the counts are given.
constexpr double largest_matrix = 2e5;

const char* word_for(int mobility) {
  return mobility <= 0 ? "locked" : mobility == 1 ? "constrained" : "unconstrained";
}

std::string freedom_name(const Mechanism& mech, int freedom) {
  const JointInfo& joint = mech.joints[mech.links[mech.link_of_dof[freedom]].joint];
  return joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, freedom - joint.v);
}

// "O2, with A × −0.53, O4 × 0.47"
std::string motion_text(const Mechanism& mech, const FreeMotion& motion) {
  std::vector<std::string> others;
  std::string first;
  double scale = 1;
  for (const FreeMotion::Share& s : motion.shares) {
    if (first.empty()) {
      first = freedom_name(mech, s.freedom);
      scale = s.share;
    } else if (others.size() < 8) {
      others.push_back(fmt::format("{} × {}", freedom_name(mech, s.freedom), number(s.share / scale, 3)));
    } else if (others.size() == 8) {
      others.emplace_back("…");
    }
  }
  return others.empty() ? first : fmt::format("{}, with {}", first, fmt::join(others, ", "));
}

// "joint 'O4': 3 of 5 rows"
std::vector<std::string> redundant_text(const LoopSolver& solver, const std::vector<int>& redundant) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<int, int>> counts;
  for (const ConstraintRow& row : solver.rows()) {
    const std::string name = solver.name_of(row);
    if (!counts.contains(name)) order.push_back(name);
    ++counts[name].second;
  }
  for (const int r : redundant) ++counts[solver.name_of(solver.rows()[r])].first;
  std::vector<std::string> texts;
  for (const std::string& name : order) {
    const auto [of_them, rows] = counts[name];
    if (of_them > 0) texts.push_back(fmt::format("{} of the {} conditions of {}", of_them, rows, name));
  }
  return texts;
}

}  // namespace

std::string MobilityFacts::why_not_closed() const {
  return fmt::format("cannot close: the smallest gap found is {} m and {} rad, at {}", number(closed.gap_m, 3),
                     number(closed.gap_rad, 3), worst_gap);
}

Mechanism before_captures(const Mechanism& mechanism) {
  Mechanism out = mechanism;
  std::erase_if(out.loops, [&](const Loop& loop) { return out.joints[loop.closure].starts_open; });
  return out;
}

MobilityFacts find_facts(const Mechanism& mech) {
  MobilityFacts facts;
  for (const JointInfo& joint : mech.joints) facts.freedoms += joint.starts_open ? 0 : joint.nv;
  int rows = static_cast<int>(mech.couplings.size());
  for (const ConstraintInfo& c : mech.constraints) rows += c.rows;
  facts.grubler_spatial = facts.freedoms - 6 * static_cast<int>(mech.loops.size()) - rows;
  const double size = (6.0 * static_cast<double>(mech.loops.size()) + rows) * mech.nv;
  if (mech.is_tree() || size > largest_matrix) return facts;

  LoopSolver solver(mech);
  std::vector<double> q = design_state(mech).q;
  facts.grubler_planar = grubler_planar(solver, q);
  facts.drawn = solver.assemble(q, {}, {.max_iterations = 0});
  q = design_state(mech).q;
  facts.closed = solver.assemble(q, {});
  if (facts.closed.worst_row >= 0) facts.worst_gap = solver.name_of(solver.rows()[facts.closed.worst_row]);
  if (!facts.closes()) return facts;
  facts.mobility = find_mobility(solver, q);
  for (const FreeMotion& motion : facts.mobility->motions) {
    if (motion.idle) {
      facts.idle.push_back(mech.bodies[mech.links[motion.idle_link].body].name);
    } else {
      facts.motions.push_back(motion_text(mech, motion));
    }
  }
  facts.redundant = redundant_text(solver, facts.mobility->redundant_rows);
  return facts;
}

std::string mobility_text(const Mechanism& mech, const MobilityFacts& facts) {
  std::string out;
  const auto say = [&out]<class... T>(fmt::format_string<T...> format, T&&... values) {
    out += fmt::format(format, std::forward<T>(values)...);
  };
  int rows = 0;
  for (const ConstraintInfo& c : mech.constraints) rows += c.rows;
  const std::string others = rows == 0 ? "" : fmt::format(" − {} constraint{}", rows, rows == 1 ? "" : "s");
  say("  Grübler, spatial: {} freedoms in joints − 6 · {} loop{} − {} coupling{}{} = {}, {}\n", facts.freedoms,
      mech.loops.size(), mech.loops.size() == 1 ? "" : "s", mech.couplings.size(),
      mech.couplings.size() == 1 ? "" : "s", others, facts.grubler_spatial, word_for(facts.grubler_spatial));
  const std::optional<Mobility>& m = facts.mobility;
  if (facts.grubler_planar && !mech.is_tree()) {
    const int of_joints = static_cast<int>(3 * mech.loops.size() + mech.couplings.size());
    const int in_plane = facts.freedoms - of_joints - *facts.grubler_planar;  // conditions of the constraints there
    say("  Grübler, planar:  {} − 3 · {} − {}{} = {}, {}\n", facts.freedoms, mech.loops.size(), mech.couplings.size(),
        rows == 0 ? "" : fmt::format(" − {}", in_plane), *facts.grubler_planar, word_for(*facts.grubler_planar));
  }
  if (mech.is_tree()) return out;
  if (!facts.closes()) {
    say("  {}\n", facts.why_not_closed());
    return out;
  }
  if (!m) {
    say("  true mobility is not computed for so many freedoms\n");
    return out;
  }
  if (facts.drawn.status == AssemblyStatus::cannot_close) {
    say("  drawn open by {} m and {} rad; it closes nearby\n", number(facts.drawn.gap_m, 3),
        number(facts.drawn.gap_rad, 3));
  }
  say("  true mobility, by rank: {}{}, {}\n", m->here, m->idle > 0 ? fmt::format(", of which {} idle", m->idle) : "",
      word_for(m->here - m->idle));
  if (m->generic != m->here) {
    say("  this position is special: nearby it is {}\n", m->generic);
  }
  for (const std::string& motion : facts.motions) say("  free: {}\n", motion);
  for (const std::string& body : facts.idle) say("  idle: the spin of {}\n", body);
  const bool only_out_of_plane = facts.grubler_planar && *facts.grubler_planar == m->generic;
  if (only_out_of_plane && !facts.redundant.empty()) {
    const bool one = m->redundant_rows.size() == 1;
    say("  planar: {} condition{} out of the plane follow{} from the others\n", m->redundant_rows.size(),
        one ? "" : "s", one ? "s" : "");
  } else if (!facts.redundant.empty()) {
    say("  redundant: {}\n", fmt::join(facts.redundant, ", "));
    if (m->is_overconstrained_but_mobile()) say("  overconstrained, and mobile all the same\n");
  }
  return out;
}

void print_mobility(const Mechanism& mech, const MobilityFacts& facts) {
  fmt::print("\n{}\n{}", heading("Mobility"), mobility_text(mech, facts));
  for (const JointInfo& joint : mech.joints) {
    if (joint.starts_open) fmt::print("  this is before {} has captured\n", joint.name);
  }
}

void add_mobility(const MobilityFacts& facts, nlohmann::ordered_json& report) {
  report["grubler"] = {{"freedoms", facts.freedoms}, {"spatial", facts.grubler_spatial}};
  if (facts.grubler_planar) report["grubler"]["planar"] = *facts.grubler_planar;
  if (!facts.mobility) {
    if (!facts.closes()) {
      report["assembly"] = {{"status", "cannot-close"},
                            {"gap_m", facts.closed.gap_m},
                            {"gap_rad", facts.closed.gap_rad},
                            {"worst", facts.worst_gap}};
    }
    return;
  }
  const Mobility& m = *facts.mobility;
  report["assembly"] = {{"status", facts.drawn.closed() ? "as-drawn" : "closes-nearby"},
                        {"gap_m", facts.drawn.gap_m},
                        {"gap_rad", facts.drawn.gap_rad}};
  report["mobility"] = {{"here", m.here},
                        {"generic", m.generic},
                        {"free", facts.motions},
                        {"idle", facts.idle},
                        {"redundant", facts.redundant},
                        {"overconstrained_but_mobile", m.is_overconstrained_but_mobile()}};
}

}  // namespace trammel::tool
