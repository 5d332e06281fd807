// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Who weighs what in the fluid. Forces are those at rest in the fluid at rest; added mass is that of the lowest medium, as if it were everywhere.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/fluid_forces.hpp>

#include "core/dense.hpp"
#include "fluid/bodies_in_fluid.hpp"
#include "kernels/link_view.hpp"
#include "model/inertia_check.hpp"

namespace trammel {
namespace {

using At = std::size_t;

Mechanism at_rest(const Mechanism& mech, bool everywhere) {
  Mechanism out = mech;
  if (everywhere) out.fluid.media.resize(1), out.fluid.media.front().surface = Medium::everywhere;
  out.fluid.waves.clear();
  for (Medium& medium : out.fluid.media) medium.current = {};
  for (Hydrodynamics& h : out.hydrodynamics) h.custom = everywhere ? h.custom : nullptr;
  return out;
}

struct AtRest {
  std::vector<ArticulatedInertia<double>> inertia;
  std::vector<Force<double>> bias;
};
AtRest forces_at_rest(const Mechanism& mech, Workspace& ws, double t) {
  AtRest out{std::vector<ArticulatedInertia<double>>(mech.bodies.size()),
             std::vector<Force<double>>(mech.bodies.size())};
  FluidForces(mech).clear_and_add(mech, ws, t, out.inertia, out.bias);
  return out;
}

std::array<double, 6> eigenvalues(const ArticulatedInertia<double>& I, double length) {
  Eigen::MatrixXd A(6, 6);
  for (int k = 0; k < 6; ++k) {
    Motion<double> e;
    (k == 0   ? e.w.x
     : k == 1 ? e.w.y
     : k == 2 ? e.w.z
     : k == 3 ? e.v.x
     : k == 4 ? e.v.y
              : e.v.z) = k < 3 ? 1 / length : 1;
    const Force<double> F = I * e;
    A.col(k) << F.n.x / length, F.n.y / length, F.n.z / length, F.f.x, F.f.y, F.f.z;
  }
  const dense::SymmetricEigen found = dense::symmetric_eigen(A);
  std::array<double, 6> out{};
  for (int k = 0; k < 6; ++k) out[static_cast<At>(k)] = found.lambda(k);
  return out;
}

}  // namespace

WetReport report_fluid(const Mechanism& mech, std::span<const double> q, double t) {
  WetReport report;
  const fluid::WetBodies wet = fluid::wet_bodies_of(mech);
  const Mechanism everywhere = at_rest(mech, true), cut = at_rest(mech, false);
  Workspace ws(mech);
  const std::vector<double> rest(static_cast<At>(mech.nv), 0.0);
  compute_velocities(mech, ws, q, rest);
  const Vec3d g = mech.parameters.gravity;
  const double g2 = dot(g, g);
  AtRest whole;
  if (!mech.fluid.empty()) whole = forces_at_rest(everywhere, ws, t);
  const fluid::BodiesInFluid in_fluid(cut);
  Vec3d mass_moment, buoyancy_moment;
  std::vector<char> feels(mech.bodies.size(), 0);
  for (At i = 0; i < wet.bodies.size(); ++i) {
    const fluid::WetBody& body = wet.bodies[i];
    const auto b = static_cast<At>(body.body);
    feels[b] = 1;
    WetBodyReport out;
    out.body = mech.bodies[b].name;
    out.mass = mech.parameters.M_C[b].mass;
    out.volume = body.hull_volume * body.volume_factor;
    out.centre_of_hull_B = out.centre_of_buoyancy_B = inverse(body.X_LB) * (body.centre_L + body.offset_L);
    for (At k = body.first; k < body.last; ++k) {
      out.length =
          std::max(k == body.first ? 0 : out.length, wet.parts[k].reach + norm(wet.parts[k].X_LS.p - body.centre_L));
    }
    const LinkView<double> L = link_view(mech, ws, body.link);  // forces and inertias are at its O
    fluid::Sum wetted;
    double potential = 0;
    in_fluid.add_left(wetted, body, L, t, g, potential);
    out.displaced_mass = wetted.displaced;
    if (out.displaced_mass > 0) {
      out.centre_of_buoyancy_B = inverse(L.X_OL * body.X_LB) * (wetted.displaced_moment * (1 / out.displaced_mass));
    }
    out.net_weight = std::sqrt(g2) * (out.mass - out.displaced_mass);
    const double full = mech.fluid.media.front().density * out.volume;
    out.wet = full > 0 ? out.displaced_mass / full : 0;
    const Vec3d p_OC = L.X_OL * (body.centre_L + body.offset_L);
    out.added_mass = eigenvalues(shift(whole.inertia[b], p_OC), out.length);
    out.sources = wet.sources[i];
    const double largest = std::max(std::abs(out.added_mass.front()), std::abs(out.added_mass.back()));
    if (out.added_mass.front() < -1e-9 * largest) {
      out.warnings.push_back(fmt::format("its added mass is not positive semidefinite: least eigenvalue {:.4g} kg",
                                         out.added_mass.front()));
    }
    const InertiaJudgement judgement = judge_inertia(mech.parameters.M_C[b].I);
    if (judgement.triangle)
      out.warnings.emplace_back("its moments of inertia break the triangle rule: no real body's do");
    report.displaced_mass += out.displaced_mass;
    buoyancy_moment += L.p_WO * out.displaced_mass + wetted.displaced_moment;
    report.bodies.push_back(std::move(out));
  }
  for (At b = 0; b < mech.bodies.size(); ++b) {
    if (mech.bodies[b].link == ground) continue;
    const double mass = mech.parameters.M_C[b].mass;
    report.mass += mass;
    const Transformd X_WB = pose_WB(mech, ws, static_cast<int>(b));
    mass_moment += X_WB * (inverse(mech.parameters.X_LB[b]) * mech.parameters.X_LC[b].p) * mass;
    if (feels[b] == 0) report.dry.push_back(mech.bodies[b].name);
  }
  report.net_weight = std::sqrt(g2) * (report.mass - report.displaced_mass);
  if (report.mass > 0) report.centre_of_mass_W = mass_moment * (1 / report.mass);
  if (report.displaced_mass > 0) report.centre_of_buoyancy_W = buoyancy_moment * (1 / report.displaced_mass);
  return report;
}

}  // namespace trammel
