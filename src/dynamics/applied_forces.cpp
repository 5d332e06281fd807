// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Springs: with e the direction from the first end to the second, l their distance and l̇ its rate,
//   F = stiffness (l − rest) + damping l̇ + preload + table(l) − gas(l)      pulls the ends together: F e on the first, −F e on the second
// At a joint the coordinate takes the place of l, and −F acts on it.
//
// Bushings: U = ½ eᵀ K e with e = [φ; p]. φ̇ = J⁻¹(φ) ω and ṗ = v in P's axes, J the left Jacobian of the rotation vector, so that the
// wrench on the second body, at Q and in P's axes, is
//   n = −J⁻ᵀ (K e)_φ − (C V)_ω,    f = −(K e)_p − (C V)_v                                                         (1)

#include <algorithm>
#include <cmath>

#include <trammel/applied_forces.hpp>
#include <trammel/dynamics.hpp>

#include "core/dense.hpp"
#include "loops/relative_motion.hpp"

namespace trammel {
namespace {

using At = std::size_t;

void add_at(const Mechanism& mech, const Workspace& ws, int body, const Vec3d& p_B, const Force<double>& F,
            std::span<Force<double>> wrench) {
  if (body != ground) add_wrench(mech, ws, body, p_B, F, wrench);
}

Transformd pose(const Mechanism& mech, const Workspace& ws, int body) {
  return body == ground ? Transformd{} : pose_WB(mech, ws, body);
}
Motion<double> velocity_at(const Mechanism& mech, const Workspace& ws, int body, const Vec3d& p_B) {
  return body == ground ? Motion<double>{} : velocity_W(mech, ws, body, p_B);
}

// Straight between points, and beyond the last ones as between the last two.
void add_table(const Spring& s, double length, Tension& t) {
  const auto& x = s.table_at;
  const auto& y = s.table_force;
  if (x.size() < 2) return;
  const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, length);
  const auto i = static_cast<At>(above - x.begin() - 1);
  const double slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i]), d = length - x[i];
  t.force += y[i] + slope * d;
  t.slope += slope;
  for (At k = 0; k < i; ++k) t.energy += (y[k] + y[k + 1]) / 2 * (x[k + 1] - x[k]);  // from the first point on
  t.energy += (y[i] + slope * d / 2) * d;
}

void add_gas(const Spring& s, double length, Tension& t) {
  const auto [force, column, exponent] = *s.gas;
  const double open = std::max(column + length - s.rest, 1e-9 * column);  // it cannot be compressed to nothing
  const double push = force * std::pow(column / open, exponent);
  t.force -= push;
  t.slope += exponent * push / open;
  t.energy -=
      exponent == 1 ? force * column * std::log(open / column) : (push * open - force * column) / (1 - exponent);
}

SpringBalance add_bushing(const Mechanism& mech, const Workspace& ws, const BushingInfo& info,
                          std::span<Force<double>> wrench) {
  const Bushing& b = info.settings;
  const Transformd X_WP = pose(mech, ws, info.first) * b.X_AP, X_WQ = pose(mech, ws, info.second) * b.X_BQ;
  const Transformd X_PQ = inverse(X_WP) * X_WQ;
  const Vec3d phi = log(X_PQ.R);
  const Vec3d on_first = inverse(pose(mech, ws, info.first)) * X_WQ.p;  // Q as a point of the first body
  const Motion<double> V1 = velocity_at(mech, ws, info.first, on_first),
                       V2 = velocity_at(mech, ws, info.second, b.X_BQ.p);
  const Vec3d w = transpose_times(X_WP.R, V2.w - V1.w), v = transpose_times(X_WP.R, V2.v - V1.v);
  const double e[6] = {phi.x, phi.y, phi.z, X_PQ.p.x, X_PQ.p.y, X_PQ.p.z}, V[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
  double elastic[6] = {}, viscous[6] = {};
  SpringBalance balance;
  for (At i = 0; i < 6; ++i) {
    for (At k = 0; k < 6; ++k) {
      elastic[i] += b.stiffness[6 * i + k] * e[k];
      viscous[i] += b.damping[6 * i + k] * V[k];
    }
    balance.energy += e[i] * elastic[i] / 2;
    balance.dissipated += V[i] * viscous[i];
  }
  const Vec3d turned = transpose_times(inverse_left_jacobian(phi), Vec3d{elastic[0], elastic[1], elastic[2]});  // (1)
  const Force<double> F_W{X_WP.R * -(turned + Vec3d{viscous[0], viscous[1], viscous[2]}),
                          X_WP.R * -Vec3d{elastic[3] + viscous[3], elastic[4] + viscous[4], elastic[5] + viscous[5]}};
  add_at(mech, ws, info.second, b.X_BQ.p, F_W, wrench);
  add_at(mech, ws, info.first, on_first, -F_W, wrench);
  return balance;
}

}  // namespace

Tension tension_of(const Spring& s, double length, double rate) {
  const double d = length - s.rest;
  Tension t{s.stiffness * d + s.damping * rate + s.preload, s.stiffness, s.stiffness * d * d / 2 + s.preload * d};
  if (!s.table_at.empty()) add_table(s, length, t);
  if (s.gas) add_gas(s, length, t);
  return t;
}

SpringBalance add_spring_forces(const Mechanism& mech, const Workspace& ws, std::span<const double> q,
                                std::span<const double> v, std::span<Force<double>> wrench, std::span<double> tau) {
  SpringBalance balance;
  const auto count = [&balance](const Spring& s, const Tension& t, double rate) {
    balance.energy += t.energy;
    balance.dissipated += s.damping * rate * rate;
  };
  for (const SpringInfo& spring : mech.springs) {
    const Spring& s = spring.settings;
    if (spring.joint >= 0) {
      const JointInfo& joint = mech.joints[static_cast<At>(spring.joint)];
      if (joint.role != JointRole::tree) continue;
      const auto k = static_cast<At>(joint.v + s.dof);
      const Tension t = tension_of(s, q[static_cast<At>(joint.q + s.dof)], v[k]);
      tau[k] -= t.force;
      count(s, t, v[k]);
      continue;
    }
    const Vec3d d = pose(mech, ws, spring.second) * s.second.p_B - pose(mech, ws, spring.first) * s.first.p_B;
    const double length = norm(d);
    if (length == 0) continue;  // its direction is not defined; a spring free of force at length zero pulls nowhere
    const Vec3d e = d * (1 / length);
    const double rate = dot(
        e, velocity_at(mech, ws, spring.second, s.second.p_B).v - velocity_at(mech, ws, spring.first, s.first.p_B).v);
    const Tension t = tension_of(s, length, rate);
    count(s, t, rate);
    add_at(mech, ws, spring.first, s.first.p_B, {{}, e * t.force}, wrench);
    add_at(mech, ws, spring.second, s.second.p_B, {{}, e * -t.force}, wrench);
  }
  for (const BushingInfo& bushing : mech.bushings) {
    const SpringBalance own = add_bushing(mech, ws, bushing, wrench);
    balance.energy += own.energy;
    balance.dissipated += own.dissipated;
  }
  return balance;
}

double joint_spring_force(const Mechanism& mech, int joint, int dof, double q, double v) {
  double force = 0;
  for (const SpringInfo& spring : mech.springs) {
    if (spring.joint == joint && spring.settings.dof == dof) force -= tension_of(spring.settings, q, v).force;
  }
  return force;
}

// --- expressions of the state ---------------------------------------------------------------------------------------------

static double of_closing_joint(const Mechanism& mech, const Workspace& ws, const StateVariableInfo& variable) {
  const JointInfo& joint = mech.joints[static_cast<At>(variable.joint)];
  const auto [X_FM, V, A] = relative_motion(mech, ws, joint);
  double at[Custom::max_nq];
  q_fit(joint.type, X_FM, at);
  const auto dof = static_cast<At>(variable.settings.component);
  if (variable.settings.kind == StateVariable::Kind::coordinate) return at[dof];
  std::vector<Motion<double>> H(static_cast<At>(joint.nv));
  H_FM(joint.type, at, H);
  Eigen::MatrixXd columns(6, joint.nv);
  const auto column = [](const Motion<double>& m) {
    return Eigen::Matrix<double, 6, 1>{m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z};
  };
  for (At k = 0; k < H.size(); ++k) columns.col(static_cast<Eigen::Index>(k)) = column(H[k]);
  return dense::least_squares(columns, column(V))(static_cast<Eigen::Index>(dof));
}

void find_state_values(const Mechanism& mech, const Workspace& ws, std::span<const double> q, std::span<const double> v,
                       std::span<double> values) {
  for (At i = 0; i < mech.state_variables.size(); ++i) {
    const StateVariableInfo& variable = mech.state_variables[i];
    if (variable.settings.kind == StateVariable::Kind::output) {
      const OutputInfo& output = mech.outputs[static_cast<At>(variable.output)];
      const Vec3d p = pose(mech, ws, output.body) * output.p_B;
      values[i] = variable.settings.component == 0 ? p.x : variable.settings.component == 1 ? p.y : p.z;
      continue;
    }
    const JointInfo& joint = mech.joints[static_cast<At>(variable.joint)];
    if (joint.role != JointRole::tree) {
      values[i] = joint.nv == 0 ? 0 : of_closing_joint(mech, ws, variable);
    } else if (variable.settings.kind == StateVariable::Kind::coordinate) {
      values[i] = q[static_cast<At>(joint.q + variable.settings.component)];
    } else {
      values[i] = v[static_cast<At>(joint.v + variable.settings.component)];
    }
  }
}

// --- loads ------------------------------------------------------------------------------------------------------------------

// F along the load's own axes: those of the world, or of the body. Returns the power.
static double add_load(const Mechanism& mech, const Workspace& ws, int load, Vec3d F, std::span<Force<double>> wrench) {
  const LoadInfo& info = mech.loads[static_cast<At>(load)];
  const Load& l = info.settings;
  if (l.turns_along && info.body != ground) F = pose_WB(mech, ws, info.body).R * F;
  add_at(mech, ws, info.body, l.at.p_B, l.is_couple ? Force<double>{F, {}} : Force<double>{{}, F}, wrench);
  const Motion<double> V = velocity_at(mech, ws, info.body, l.at.p_B);
  return dot(F, l.is_couple ? V.w : V.v);
}

void add_unit_load(const Mechanism& mech, const Workspace& ws, int load, double size, std::span<Force<double>> wrench) {
  add_load(mech, ws, load, mech.loads[static_cast<At>(load)].settings.direction * size, wrench);
}

double add_known_loads(const Mechanism& mech, const Workspace& ws, double t, std::span<const double> state,
                       std::span<Force<double>> wrench, std::span<double> sizes) {
  double power = 0;
  for (int k = 0; k < static_cast<int>(mech.loads.size()); ++k) {
    const Load& load = mech.loads[static_cast<At>(k)].settings;
    if (load.components) {
      const auto& c = *load.components;
      const Vec3d F{c[0].at(t, state), c[1].at(t, state), c[2].at(t, state)};
      sizes[static_cast<At>(k)] = norm(F);
      power += add_load(mech, ws, k, F, wrench);
    } else if (load.size) {
      const double size = sizes[static_cast<At>(k)] = load.size->at(t, state);
      power += add_load(mech, ws, k, load.direction * size, wrench);
    }
  }
  return power;
}

}  // namespace trammel
