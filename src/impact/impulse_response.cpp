// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// An impulse is a force at rest: with v = 0 and no weight, M Δv = Jᵀ P + τ + Φ_qᵀ λ, Φ_q Δv = 0 is forward dynamics, of trees and of
// loops alike. Joints that resist by shares μ_i take up μ_i of the impulse τ that would hold them, which hybrid dynamics finds:
//   Δv = M⁻¹ (Jᵀ P + μ τ_hold),      τ_hold = −J*ᵀ P where nothing else acts                     [Yoshida 1992, eq. 10, in joint space]

#include <algorithm>
#include <array>
#include <cmath>

#include <trammel/floating.hpp>

#include "core/dense.hpp"
#include "impact/contact_impulses.hpp"

namespace trammel {
namespace {
using At = std::size_t;
}  // namespace

class ImpulseResponse::Implementation {
 public:
  Implementation(const Mechanism& mechanism, JointResistance resistance)
      : mech(without_weight(mechanism)), ws(mech), resistance_(std::move(resistance)) {
    if (!mech.is_tree()) loops = std::make_unique<LoopDynamics>(mech);
    const auto n = static_cast<At>(mech.nv);
    q.assign(static_cast<At>(mech.nq), 0.0);
    zero_.assign(n, 0.0), tau_.assign(n, 0.0), a_.assign(n, 0.0), resisting.assign(n, 0.0), by_rotors.assign(n, 0.0),
        damper_.assign(n, 0.0);
    locked_.assign(n, 0), all_joints_.assign(n, 1), share_.assign(n, resistance_.share);
    wrench_.resize(mech.bodies.size());
    if (!resistance_.share_of_each.empty()) share_ = resistance_.share_of_each;
    for (At k = 0; k < n && !resistance_.damper.empty(); ++k) {
      if (std::isinf(resistance_.damper[k])) {
        locked_[k] = 1;
      } else {
        damper_[k] = resistance_.damper[k];
      }
    }
    for (const Link& link : mech.links) {
      const bool floats = link.parent == ground && is_base(mech, link);
      for (At k = static_cast<At>(link.v); floats && k < static_cast<At>(link.v + link.nv); ++k) {
        locked_[k] = all_joints_[k] = 0;
        share_[k] = damper_[k] = 0;
      }
    }
    for (At k = 0; k < resistance_.driven.size(); ++k) {
      if (resistance_.driven[k] == 0) continue;
      locked_[k] = all_joints_[k] = 1;
      share_[k] = damper_[k] = 0;
    }
    has_locked_ = std::any_of(locked_.begin(), locked_.end(), [](char c) { return c != 0; });
    has_shares_ = std::any_of(share_.begin(), share_.end(), [](double s) { return s != 0; });
    has_damper_ = std::any_of(damper_.begin(), damper_.end(), [](double d) { return d != 0; });
  }

  static bool is_base(const Mechanism& mech, const Link& link) {
    const AnyJoint& type = mech.joints[static_cast<At>(link.joint)].type;
    return std::holds_alternative<Free>(type) || std::holds_alternative<Planar>(type);
  }

  bool respond(std::span<const Force<double>> wrench, std::span<const double> on_freedoms, std::span<double> dv) {
    std::copy(wrench.begin(), wrench.end(), wrench_.begin());
    const auto start = [&] { std::copy(on_freedoms.begin(), on_freedoms.end(), tau_.begin()); };
    std::fill(resisting.begin(), resisting.end(), 0.0);
    start();
    if (has_shares_) {
      std::fill(a_.begin(), a_.end(), 0.0);
      if (!hold(all_joints_)) return false;
      for (At k = 0; k < tau_.size(); ++k) resisting[k] = share_[k] * (tau_[k] - on_freedoms[k]);
      for (At k = 0; k < tau_.size(); ++k) tau_[k] = on_freedoms[k] + resisting[k];
    }
    std::fill(a_.begin(), a_.end(), 0.0);
    if (!(has_locked_ ? hold(locked_) : forward())) return false;
    for (At k = 0; k < tau_.size(); ++k) {
      by_rotors[k] = locked_[k] != 0 ? tau_[k] - on_freedoms[k] : -damper_[k] * a_[k];
      resisting[k] = locked_[k] != 0 ? by_rotors[k] : resisting[k] + by_rotors[k];
    }
    std::copy(a_.begin(), a_.end(), dv.begin());
    return true;
  }

  bool respond_loose(std::span<const Force<double>> wrench, std::span<const double> on_freedoms, std::span<double> dv) {
    std::vector<double> a(zero_.size()), tau(on_freedoms.begin(), on_freedoms.end());
    Loads loads;
    loads.wrench = wrench.data();
    loads.friction = false;
    loads.inertia = added_inertia;
    Workspace& own = loose_workspace();
    if (!forward_dynamics<double>(mech, own, q, zero_, tau, a, loads).ok()) return false;
    std::copy(a.begin(), a.end(), dv.begin());
    return true;
  }

  std::vector<LoopReaction> reactions() {
    if (loops) return loops->reactions();
    std::vector<Force<double>> F(mech.joints.size());
    compute_reactions(mech, ws, F, loads());
    std::vector<LoopReaction> out;
    for (At j = 0; j < F.size(); ++j) {
      const JointInfo& joint = mech.joints[j];
      const Transformd X_WB = joint.second == ground ? Transformd{} : pose_WB(mech, ws, joint.second);
      out.push_back({F[j], X_WB * joint.X_BM.p, true});
    }
    return out;
  }

  bool mobility(int body, const Vec3d& p_B, std::span<double> G) {
    if (loops || !resistance_.is_uniform()) return mobility_by_responses(body, p_B, G);
    Loads with_damper;
    with_damper.inertia = added_inertia;
    if (has_damper_) with_damper.dof_inertia = damper_.data();
    const std::span<const char> mask = has_locked_ ? std::span<const char>(locked_) : std::span<const char>();
    if (!settle(compute_mobility<double>(mech, ws, q, body, p_B, G, with_damper, mask))) return false;
    if (resistance_.share == 0) return true;
    double held[36];
    Loads without_damper;
    without_damper.inertia = added_inertia;
    if (!settle(compute_mobility<double>(mech, ws, q, body, p_B, held, without_damper, all_joints_))) return false;
    for (At i = 0; i < 36; ++i) G[i] += resistance_.share * (held[i] - G[i]);
    return true;
  }

  Mechanism mech;
  Workspace ws;
  std::unique_ptr<LoopDynamics> loops;
  LoopVerdict verdict;
  std::vector<double> q, resisting, by_rotors;
  const ArticulatedInertia<double>* added_inertia = nullptr;

 private:
  // Apart from `ws`, in which reactions() finds the last respond().
  Workspace& loose_workspace() {
    if (!loose_) loose_ = std::make_unique<Workspace>(mech);
    return *loose_;
  }
  static Mechanism without_weight(Mechanism mechanism) {
    mechanism.parameters.gravity = {};
    return mechanism;
  }
  Loads loads() const {
    Loads loads;
    loads.wrench = wrench_.data();
    loads.friction = false;
    if (has_damper_) loads.dof_inertia = damper_.data();
    loads.inertia = added_inertia;
    return loads;
  }
  bool settle(const DynamicsVerdict& found) {
    verdict = {.status = found.singular_joint < 0 ? LoopStatus::ok : LoopStatus::no_inertia,
               .joint = found.singular_joint};
    return verdict.ok();
  }
  bool forward() {
    if (!loops) return settle(forward_dynamics<double>(mech, ws, q, zero_, tau_, a_, loads()));
    verdict = loops->forward(q, zero_, tau_, a_, loads());
    return verdict.ok();
  }
  bool hold(const std::vector<char>& which) {
    if (!loops) return settle(hybrid_dynamics<double>(mech, ws, q, zero_, which, a_, tau_, loads()));
    verdict = loops->hybrid(q, zero_, which, a_, tau_, loads());
    return verdict.ok();
  }
  // Column by column. Loops that hold the body fast leave round-off of what it could do if they were open: that is no motion.
  bool mobility_by_responses(int body, const Vec3d& p_B, std::span<double> G) {
    compute_positions<double>(mech, ws, q);
    std::vector<Force<double>> unit(wrench_.size());
    std::vector<double> dv(zero_.size());
    const Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto motion = [&] {
      compute_velocities<double>(mech, ws, q, dv);
      const Motion<double> V = velocity_W<double>(mech, ws, body, p_B);
      return std::array<double, 6>{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    };
    dense::MatrixXd found(6, 6);
    dense::VectorXd loose(6);
    for (Eigen::Index c = 0; c < 6; ++c) {
      std::fill(unit.begin(), unit.end(), Force<double>{});
      const Vec3d& axis = axes[c % 3];
      add_wrench<double>(mech, ws, body, p_B, c < 3 ? Force<double>{axis, {}} : Force<double>{{}, axis}, unit);
      if (!respond(unit, zero_, dv)) return false;
      const std::array<double, 6> column = motion();
      for (Eigen::Index r = 0; r < 6; ++r) found(r, c) = column[static_cast<At>(r)];
      loose(c) = respond_loose(unit, zero_, dv) ? motion()[static_cast<At>(c)] : 0;
    }
    found = impact::without_round_off(found, loose.cwiseMax(found.diagonal().cwiseAbs()));
    if (resistance_.is_uniform()) found = dense::MatrixXd(0.5 * (found + found.transpose()));
    for (Eigen::Index r = 0; r < 6; ++r) {
      for (Eigen::Index c = 0; c < 6; ++c) G[static_cast<At>(6 * r + c)] = found(r, c);
    }
    return true;
  }

  JointResistance resistance_;
  std::unique_ptr<Workspace> loose_;
  std::vector<double> zero_, tau_, a_, damper_, share_;
  std::vector<char> locked_, all_joints_;
  std::vector<Force<double>> wrench_;
  bool has_locked_ = false, has_shares_ = false, has_damper_ = false;
};

ImpulseResponse::ImpulseResponse(const Mechanism& mechanism, JointResistance resistance)
    : implementation_(std::make_unique<Implementation>(mechanism, std::move(resistance))) {}
ImpulseResponse::~ImpulseResponse() = default;
ImpulseResponse::ImpulseResponse(ImpulseResponse&&) noexcept = default;
ImpulseResponse& ImpulseResponse::operator=(ImpulseResponse&&) noexcept = default;

const Mechanism& ImpulseResponse::mechanism() const { return implementation_->mech; }
const Workspace& ImpulseResponse::workspace() const { return implementation_->ws; }
LoopDynamics* ImpulseResponse::loops() { return implementation_->loops.get(); }
void ImpulseResponse::set_position(std::span<const double> q) {
  implementation_->q.assign(q.begin(), q.end());
  compute_positions<double>(implementation_->mech, implementation_->ws, q);
}
void ImpulseResponse::set_added_inertia(const ArticulatedInertia<double>* per_body) {
  implementation_->added_inertia = per_body;
}
bool ImpulseResponse::respond(std::span<const Force<double>> wrench, std::span<const double> on_freedoms,
                              std::span<double> dv) {
  return implementation_->respond(wrench, on_freedoms, dv);
}
bool ImpulseResponse::respond_loose(std::span<const Force<double>> wrench, std::span<const double> on_freedoms,
                                    std::span<double> dv) {
  return implementation_->respond_loose(wrench, on_freedoms, dv);
}
const LoopVerdict& ImpulseResponse::verdict() const { return implementation_->verdict; }
std::span<const double> ImpulseResponse::resisting() const { return implementation_->resisting; }
std::span<const double> ImpulseResponse::by_rotors() const { return implementation_->by_rotors; }
std::vector<LoopReaction> ImpulseResponse::reactions() { return implementation_->reactions(); }
std::vector<LoopReaction> ImpulseResponse::constraint_impulses() {
  return loops() == nullptr ? std::vector<LoopReaction>() : loops()->constraint_forces();
}
bool ImpulseResponse::mobility(int body, const Vec3d& p_B, std::span<double> G) {
  return implementation_->mobility(body, p_B, G);
}

}  // namespace trammel
