// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The linearly implicit step. A force f(q, v) with stiffness K = −∂f/∂q and damping D = −∂f/∂v is at the end of a step of length h,
// where q has moved by h (v + h v̇) and v by h v̇,
//   f' = f − h K v − (h D + h² K) v̇                                                                                       (1)
// so that (M + h D + h² K) v̇ = f − h K v: stable for any stiffness, of first order.
//
// Its work in a step is that of f' along the way that is taken, f' (v + h/2 v̇) h.
//
// Along one freedom (servos, motors, stops, springs at joints, viscous friction) h D + h² K is a number on the diagonal of M, and enters
// articulated bodies as a rotor does: O(N). A spring between two points couples two bodies. With its tension T along the length l,
//   T' = T + h T_l l̇ + c l̈,    c = h damping + h² T_l,     l̈ = l̈₀ + Σ_t S_t x_t                                         (2)
// x_t the further tension of each spring, l̈₀ without them, S the answer of l̈ to a unit of tension: x_s = c_s l̈_s is a small linear system,
// (1 − C S) x = C l̈₀, for one more solution of the dynamics for each spring. Bushings likewise, six rows each, C = h damping + h² stiffness.
//
// Contacts with what does not move add to the inertia of their body, O(N) too; contacts between two bodies are such ties. Which of them
// touch, stick or slip is found by passes: contact_forces.hpp. Dry friction of joints then joins the passes.

#include <cmath>

#include "core/dense.hpp"
#include "simulation/system.hpp"

namespace trammel {

namespace {
using At = std::size_t;
}

// One direction in which two bodies are tied: the rate is g · (V_second − V_first), a force x acts as −x g on the second at p, x g on the
// first.
struct Tie {
  int first = ground, second = ground;
  Vec3d p_first, p_second;  // the point as one of each body
  Force<double> g_W;        // unit, world axes
  double centripetal = 0;   // what the rate gains by the turning of g
};

class Ties {
 public:
  Ties(const Mechanism& mech, const Workspace& ws) : mech_(mech), ws_(ws) {}

  void add(const SpringInfo& info, double h) {
    const Spring& s = info.settings;
    const Vec3d d = pose(info.second) * s.second.p_B - pose(info.first) * s.first.p_B;
    const double length = norm(d);
    if (length == 0) return;
    const Vec3d e = d * (1 / length), v = velocity(info.second, s.second.p_B).v - velocity(info.first, s.first.p_B).v;
    const double rate = dot(e, v);
    const Tension t = tension_of(s, length, rate);
    const double slope = std::max(t.slope, 0.0);
    list.push_back({info.first, info.second, s.first.p_B, s.second.p_B, {{}, e}, (dot(v, v) - rate * rate) / length});
    at_once.push_back(h * slope * rate);
    grow(1);
    C(size() - 1, size() - 1) = h * (s.damping + h * slope);
  }

  void add(const BushingInfo& info, double h) {
    const Bushing& b = info.settings;
    const Transformd X_WP = pose(info.first) * b.X_AP, X_WQ = pose(info.second) * b.X_BQ;
    const Vec3d on_first = inverse(pose(info.first)) * X_WQ.p;
    const Motion<double> V2 = velocity(info.second, b.X_BQ.p), V1 = velocity(info.first, on_first);
    const Vec3d axes[3] = {X_WP.R.ex, X_WP.R.ey, X_WP.R.ez};
    double V[6];
    for (At i = 0; i < 3; ++i) {
      V[i] = dot(axes[i], V2.w - V1.w), V[i + 3] = dot(axes[i], V2.v - V1.v);
    }
    for (At i = 0; i < 6; ++i) {
      const Force<double> g = i < 3 ? Force<double>{axes[i], {}} : Force<double>{{}, axes[i - 3]};
      list.push_back({info.first, info.second, on_first, b.X_BQ.p, g, 0});
      double moved = 0;
      for (At k = 0; k < 6; ++k) moved += b.stiffness[6 * i + k] * V[k];
      at_once.push_back(h * moved);
    }
    grow(6);
    for (At i = 0; i < 6; ++i) {
      for (At k = 0; k < 6; ++k) {
        C(size() - 6 + static_cast<Eigen::Index>(i), size() - 6 + static_cast<Eigen::Index>(k)) =
            h * (b.damping[6 * i + k] + h * b.stiffness[6 * i + k]);
      }
    }
  }

  // A contact between two moving bodies; what it exerts at once goes to `wrench`.
  void add(const ContactForces::Between& pair, std::span<Force<double>> wrench) {
    const Vec3d on_first = inverse(pose(pair.first)) * pair.p_W, on_second = inverse(pose(pair.second)) * pair.p_W;
    add_wrench(mech_, ws_, pair.second, on_second, Force<double>{{}, pair.f0_W}, wrench);
    add_wrench(mech_, ws_, pair.first, on_first, Force<double>{{}, -pair.f0_W}, wrench);
    for (At i = 0; i < 3; ++i) {
      if (pair.c[i] == 0) continue;
      const Vec3d& g = pair.along_W[i];
      list.push_back({pair.first, pair.second, on_first, on_second, {{}, g}, dot(g, pair.faster_W)});
      at_once.push_back(0);
      grow(1);
      C(size() - 1, size() - 1) = pair.c[i];
    }
  }

  // A force x along tie s, on both bodies.
  void exert(At s, double x, std::span<Force<double>> wrench) const {
    const Tie& tie = list[s];
    const Force<double> F{tie.g_W.n * x, tie.g_W.f * x};
    if (tie.second != ground) add_wrench(mech_, ws_, tie.second, tie.p_second, -F, wrench);
    if (tie.first != ground) add_wrench(mech_, ws_, tie.first, tie.p_first, F, wrench);
  }
  // Second rates at the accelerations in the workspace.
  Eigen::VectorXd second_rates() const {
    Eigen::VectorXd out(size());
    for (At s = 0; s < list.size(); ++s) {
      const Tie& tie = list[s];
      const auto of = [&](int body, const Vec3d& p) {
        if (body == ground) return 0.0;
        const Motion<double> A = acceleration_W(mech_, ws_, body, p);
        return dot(tie.g_W.n, A.w) + dot(tie.g_W.f, A.v);
      };
      out(static_cast<Eigen::Index>(s)) = of(tie.second, tie.p_second) - of(tie.first, tie.p_first) + tie.centripetal;
    }
    return out;
  }

  Eigen::Index size() const { return static_cast<Eigen::Index>(list.size()); }

  std::vector<Tie> list;
  std::vector<double> at_once;  // h K v
  Eigen::MatrixXd C;

 private:
  Transformd pose(int body) const { return body == ground ? Transformd{} : pose_WB(mech_, ws_, body); }
  Motion<double> velocity(int body, const Vec3d& p_B) const {
    return body == ground ? Motion<double>{} : velocity_W(mech_, ws_, body, p_B);
  }
  void grow(Eigen::Index by) {
    C.conservativeResize(size(), size());
    C.rightCols(by).setZero();
    C.bottomRows(by).setZero();
  }

  const Mechanism& mech_;
  const Workspace& ws_;
};

void System::add_work_of_linear_forces(double h) {
  for (const LinearForce& f : linear_) {
    const double v = v_[f.v], a = a_[f.v];
    const double at_end = f.now.force + h * f.now.by_q * v + h * (f.now.by_v + h * f.now.by_q) * a;  // (1)
    if (f.xdot != nullptr && f.now.by_x != 0)
      *f.xdot += (at_end - f.now.force) / f.now.by_x / h;  // back-EMF at the end
    const double power = at_end * (v + h / 2 * a);
    if (f.is_input) {
      power_in_ += power;
    } else {
      power_out_ -= power;
    }
  }
}

bool System::implicit_accelerations(double t, std::span<const double> y, double h) {
  std::fill(dof_inertia_.begin(), dof_inertia_.end(), 0.0);
  linear_.clear();
  find_forces(t, y, h);
  implicit_ = true;
  Ties ties(mech_, ws_);
  for (const SpringInfo& info : mech_.springs) {
    const Spring& s = info.settings;
    if (info.joint < 0) {
      ties.add(info, h);
      continue;
    }
    const JointInfo& joint = mech_.joints[static_cast<At>(info.joint)];
    if (joint.role != JointRole::tree) continue;  // explicit there
    const auto k = static_cast<At>(joint.v + s.dof);
    const double slope = std::max(tension_of(s, q_[static_cast<At>(joint.q + s.dof)], v_[k]).slope, 0.0);
    tau_[k] -= h * slope * v_[k];
    dof_inertia_[k] += h * (s.damping + h * slope);
    power_out_ -= s.damping * v_[k] * v_[k];
    linear_.push_back({k, {-s.damping * v_[k], 0, -s.damping}});
  }
  for (const BushingInfo& info : mech_.bushings) ties.add(info, h);
  if (friction_) {
    for (At k = 0; k < dof_inertia_.size(); ++k) {
      const double viscous = mech_.parameters.viscous[k];
      if (viscous == 0) continue;
      dof_inertia_[k] += h * viscous;
      power_out_ -= viscous * v_[k] * v_[k];
      linear_.push_back({k, {-viscous * v_[k], 0, -viscous}});
    }
  }
  for (At s = 0; s < ties.list.size(); ++s) ties.exert(s, ties.at_once[s], wrench_);
  if (!within_steps_) {
    if (!solve_with(ties)) return false;
    add_work_of_linear_forces(h);
    return true;
  }

  // Contacts and dry friction: solved again until nothing switches.
  constexpr int most_passes = 8;
  step_ = h;
  contacts_.begin_step(h, bristles(y));
  tau_before_ = tau_, wrench_before_ = wrench_, inertia_before_ = body_inertia_;  // the fluid's
  for (At i = 0; i < dry.size(); ++i) slips_before_[i] = dry[i].slip;
  const double power_in = power_in_;
  using Outcome = ContactForces::Outcome;
  Outcome outcome = Outcome::switched;
  for (int pass = 0; pass <= most_passes && outcome != Outcome::settled; ++pass) {
    ++contact_passes;
    const bool is_last = pass == most_passes;  // as it is
    if (is_last && outcome == Outcome::switched) ++unresolved_steps;
    tau_ = tau_before_, wrench_ = wrench_before_, power_in_ = power_in;
    body_inertia_ = inertia_before_;
    for (const DryFreedom& d : dry) tau_[static_cast<At>(d.freedom)] -= d.dry * d.slip;
    contacts_.add(wrench_, body_inertia_);
    if (contacts_.has_between()) {
      Ties all = ties;
      contacts_.for_each_between([&](const ContactForces::Between& pair) { all.add(pair, wrench_); });
      if (!solve_with(all)) return false;
    } else if (!solve_with(ties)) {
      return false;
    }
    if (loops_) compute_accelerations(mech_, ws_, q_, v_, a_);
    outcome = contacts_.look(ws_, !is_last);
    if (!is_last && dry_changes(h)) outcome = Outcome::switched;
  }
  for (At i = 0; i < dry.size(); ++i) {
    const auto k = static_cast<At>(dry[i].freedom);
    power_out_ -= (dry[i].slip == 0 ? held_force_[k] : -dry[i].dry * dry[i].slip) * (v_[k] + h / 2 * a_[k]);
    slips_after_[i] = dry[i].slip;
    dry[i].slip = slips_before_[i];
  }
  power_out_ += contacts_.finish_step(bristles(y), bristle_rates());
  add_work_of_linear_forces(h);
  body_inertia_ = inertia_before_;
  return true;
}

// Of the freedoms with dry friction: what sticks and takes more than it can hold slips, what slips and would turn back sticks.
bool System::dry_changes(double h) {
  bool changed = false;
  for (DryFreedom& d : dry) {
    const auto k = static_cast<At>(d.freedom);
    if (std::any_of(drives_.begin(), drives_.end(), [k](const DriveState& drive) { return drive.v == k; })) continue;
    if (d.slip == 0 && std::abs(held_force_[k]) > d.dry * (1 + 1e-12)) {
      d.slip = held_force_[k] > 0 ? -1 : 1;
      changed = true;
    } else if (d.slip != 0 && (v_[k] + h * a_[k]) * d.slip < 0) {
      d.slip = 0;
      changed = true;
    }
  }
  return changed;
}

// (2): the answers of all ties to a unit in each.
bool System::solve_with(const Ties& ties) {
  if (ties.list.empty()) return accelerate(loads());
  const std::vector<double> tau = tau_;
  const double power = power_in_;
  const auto solve = [&] {
    tau_ = tau, power_in_ = power;
    if (!accelerate(loads())) return false;
    compute_accelerations(mech_, ws_, q_, v_, a_);
    return true;
  };
  if (!solve()) return false;
  const Eigen::VectorXd without = ties.second_rates();
  const std::vector<Force<double>> wrench = wrench_;
  Eigen::MatrixXd S(ties.size(), ties.size());
  for (At s = 0; s < ties.list.size(); ++s) {
    wrench_ = wrench;
    ties.exert(s, 1, wrench_);
    if (!solve()) return false;
    S.col(static_cast<Eigen::Index>(s)) = ties.second_rates() - without;
  }
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(S.rows(), S.cols());
  const Eigen::VectorXd x = dense::solve(Eigen::MatrixXd(one - ties.C * S), Eigen::VectorXd(ties.C * without));
  wrench_ = wrench;
  for (At s = 0; s < ties.list.size(); ++s) ties.exert(s, x(static_cast<Eigen::Index>(s)), wrench_);
  return solve();
}

}  // namespace trammel
