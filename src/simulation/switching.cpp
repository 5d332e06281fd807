// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What switches at events: which stops push, which contacts touch, which joints stick, where a closure takes hold.

#include <algorithm>
#include <cmath>
#include <utility>

#include "loop_dynamics/closing_freedoms.hpp"
#include "simulation/system.hpp"

namespace trammel {
namespace {

using At = std::size_t;

}  // namespace

System::StopMotion System::stop_motion(std::size_t stop, double t, std::span<const double> y) {
  const Stop& s = stops_[stop];
  if (s.in_tree) return {.at = y[s.q], .rate = v(y)[s.v]};
  if (!loops_->is_active(ConstraintRow::Source::joint, s.joint)) return {.holds = false};
  place(t, y);
  std::fill(a_.begin(), a_.end(), 0.0);
  compute_accelerations(mech_, ws_, q_, v_, a_);
  const JointInfo& joint = mech_.joints[static_cast<At>(s.joint)];
  double coordinates[Custom::max_nq] = {};
  closing_coordinates(joint, y, coordinates);
  StopMotion out{.at = coordinates[s.dof]};
  closing_freedoms(mech_, ws_, true, false, closing_);
  for (const ClosingFreedom& c : closing_) {
    if (c.joint == s.joint && c.dof == s.dof) out.rate = c.rate;
  }
  return out;
}

double System::stop_push(std::size_t stop, double t, std::span<const double> y) {
  const Stop& s = stops_[stop];
  const StopMotion now = stop_motion(stop, t, y);
  if (!now.holds) return -1;  // an open joint meets nothing
  const double depth = s.depth(now.at);
  if (s.impact >= 0 && !s.pushes) return depth - s.slack;
  return depth > 0 ? depth + s.damping / s.stiffness * (s.is_upper ? now.rate : -now.rate) : depth;
}

void System::settle_stops(double t, std::span<const double> y) {
  for (At k = 0; k < stops_.size(); ++k) {
    Stop& stop = stops_[k];
    const bool pushed = std::exchange(stop.pushes, stop_push(k, t, y) > 0);
    if (stop.impact < 0) continue;
    // One that is left may still be deep, where damping holds back: it is met again only beyond.
    if (stop.pushes || pushed) stop.slack = stop.pushes ? 0 : std::max(0.0, stop.depth(stop_motion(k, t, y).at));
  }
}

double System::coil_margin(std::size_t i, std::span<const double> y) const {
  const ActingActuator& a = actuators_[coils_[i]];
  return a.held != 0 ? a.beyond
                     : mech_.actuators[a.index].settings.motor.current_limit - std::abs(y[static_cast<At>(a.x)]);
}

// A current i with |i| ≤ limit is held where it would go on beyond. One that has come there is, unless it turns back at once.
void System::settle_coils(double t, std::span<double> y) {
  if (coils_.empty()) return;
  find_forces(t, y);
  bool any_met = false;
  for (At i = 0; i < coils_.size(); ++i) {
    ActingActuator& a = actuators_[coils_[i]];
    const double margin = coil_margin(i, y), limit = mech_.actuators[a.index].settings.motor.current_limit;
    double& current = y[static_cast<At>(a.x)];
    if (a.held != 0 ? margin >= 0 : margin > 0) continue;
    a.held = a.held != 0 ? 0 : current > 0 ? 1 : -1;
    if (a.held != 0) current = a.held * limit, any_met = true;
  }
  if (!any_met) return;
  find_forces(t, y);
  for (At i = 0; i < coils_.size(); ++i) {
    ActingActuator& a = actuators_[coils_[i]];
    if (a.held != 0 && a.beyond < 0) a.held = 0;
  }
}

void System::find_contacts(double t, std::span<const double> y) { find_forces(t, y, 0); }

void System::settle_contacts(double t, std::span<double> y) {
  if (contacts_.empty()) return;
  find_contacts(t, y);
  y[at_.work + 1] += contacts_.settle(y.subspan(at_.bristles, at_.work - at_.bristles));
}

// Rows and plans have copies of the frame: all is made anew, and switched as it was.
void System::move_closure(int joint, const Transformd& X_BM) {
  mech_.joints[static_cast<At>(joint)].X_BM = X_BM;
  const std::unique_ptr<LoopDynamics> before = std::exchange(loops_, std::make_unique<LoopDynamics>(mech_));
  for (const ConstraintRow& row : before->rows()) {
    loops_->set_active(row.source, row.index, before->is_active(row.source, row.index));
  }
  // The angle of a screw that takes hold is counted anew. Counts of closing screws come first, in the order of the loops.
  std::vector<double> counted = before->turns();
  At screws = 0;
  for (const Loop& loop : mech_.loops) {
    if (!std::holds_alternative<Helical>(mech_.joints[static_cast<At>(loop.closure)].type)) continue;
    if (loop.closure == joint) counted[screws] = 0;
    ++screws;
  }
  loops_->set_turns(counted);
  loops_->set_stabilisation(stabilisation_);
}

void System::keep_step() {
  if (!within_steps_) return;
  contacts_.keep_modes();
  for (At i = 0; i < dry.size(); ++i) dry[i].slip = slips_after_[i];
}

// For the freedoms at rest, find which stick: with friction f_k and acceleration a_k of each,
//   stick:  a_k = 0, |f_k| ≤ dry_k         slip:  f_k = −dry_k s_k, s_k a_k ≥ 0
// a linear complementarity problem with a unique answer, since a grows with f as M⁻¹ does. Solved by switching the first freedom that
// breaks its condition until none does (Murty's method).                                              [Cottle et al. 2009, ch. 4.2]
//
// Where loops go on moving, as at the dead point of a slider that a crank turns, a_k = 0 contradicts them: such a freedom slips, this way
// or the other.
void System::settle_friction(double t, std::span<double> y, double rest) {
  if (dry.empty()) return;
  const std::span<double> velocity = v(y);
  std::vector<std::size_t> open;
  for (At i = 0; i < dry.size(); ++i) {
    const auto k = static_cast<At>(dry[i].freedom);
    if (std::any_of(drives_.begin(), drives_.end(), [k](const DriveState& d) { return d.v == k; })) {
      dry[i].slip = velocity[k] > 0 ? 1 : velocity[k] < 0 ? -1 : dry[i].slip;  // moved by its drive
      if (dry[i].slip == 0) dry[i].slip = 1;
      continue;
    }
    if (dry[i].slip != 0 && std::abs(velocity[k]) > rest) continue;
    if (dry[i].slip == 0 && std::abs(velocity[k]) > rest) {
      dry[i].slip = velocity[k] > 0 ? 1 : -1;
      continue;
    }
    velocity[k] = 0;
    dry[i].slip = 0;
    open.push_back(i);
  }
  if (open.empty()) return;
  std::vector<double> ydot(size());
  std::vector<char> cannot_stick(dry.size(), 0);
  At stuck_last = dry.size();
  for (At round = 0; round < 20 + 10 * open.size(); ++round) {
    if (!derivative(t, y, ydot)) {
      if (verdict_.status != LoopStatus::inconsistent) return;
      // The one that was just stopped, or at first all of them: others may stick once they are tried by themselves.
      bool any = false;
      for (const At i : open) {
        if (dry[i].slip != 0 || (stuck_last < dry.size() && stuck_last != i)) continue;
        dry[i].slip = 1;
        cannot_stick[i] = stuck_last == i || open.size() == 1;
        any = true;
      }
      stuck_last = dry.size();
      if (!any) return;
      continue;
    }
    stuck_last = dry.size();
    bool changed = false;
    for (const At i : open) {
      DryFreedom& d = dry[i];
      const auto k = static_cast<At>(d.freedom);
      const double margin = 1e-12 * d.dry;
      if (d.slip == 0 && std::abs(held_force_[k]) > d.dry + margin) {
        d.slip = held_force_[k] > 0 ? -1 : 1;
        changed = true;
      } else if (d.slip != 0 && a_[k] * d.slip < 0) {
        d.slip = cannot_stick[i] ? -d.slip : 0;
        if (d.slip == 0) stuck_last = i;
        changed = true;
      }
      if (changed) break;
    }
    if (!changed) return;
  }
}

}  // namespace trammel
