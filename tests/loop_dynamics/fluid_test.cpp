// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Closed loops under water: added mass, drag, buoyancy and lift act in every method as in the dense oracle.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/simulation.hpp>

#include "closed_case.hpp"
#include "support/fluid_case.hpp"

namespace trammel {
namespace {

using test::ClosedCase;
using test::LinkageCase;

Model in_water(Model model, std::uint64_t seed, bool drag) {
  model.fluid.media = {{.density = 1000}};
  if (drag) model.fluid.media[0].current.velocity = {0.3, -0.2, 0.1};
  test::wet(model, seed, drag);
  return model;
}

RC_GTEST_PROP(LoopsUnderWater, agree_with_the_dense_oracle, (const LinkageCase& l)) {
  const ClosedCase dry(l, {.oracle = true, .friction = false, .couplings = false});
  const ClosedCase c(in_water(dry.model, l.seed, true), l.seed);
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-3);
  Workspace ws(c.mech);
  FluidForces fluid(c.mech);
  std::vector<ArticulatedInertia<double>> inertia(c.mech.bodies.size());
  std::vector<Force<double>> bias(c.mech.bodies.size());
  compute_velocities(c.mech, ws, c.q, c.v);
  fluid.clear_and_add(c.mech, ws, 0, inertia, bias);
  const Loads loads{.inertia = inertia.data(), .bias = bias.data()};
  const test::OracleAnswer oracle = oracle_dynamics(c.model, c.states(), test::as_oracle(c.mech, ws, loads));
  double size = 1;
  for (const Force<double>& F : oracle.reaction) size = std::max(size, norm(F.f) + norm(F.n));
  RC_PRE(oracle.residual < 1e-9 * size);
  std::vector<double> a(c.nv());
  for (const LoopMethod method : {LoopMethod::dense, LoopMethod::elimination, LoopMethod::automatic}) {
    const LoopVerdict verdict = dynamics.forward(c.q, c.v, c.tau, a, loads, method);
    RC_ASSERT(verdict.ok());
    const test::PerJoint found = accelerations_of_joints(c, a);
    for (std::size_t j = 0; j < found.size(); ++j) {
      for (std::size_t i = 0; i < found[j].size(); ++i) RC_ASSERT(std::abs(found[j][i] - oracle.a[j][i]) < 1e-8 * size);
    }
  }
}

// Without drag and gravity a mechanism with loops keeps its energy and the fluid's.
RC_GTEST_PROP(LoopsUnderWater, keep_energy_in_ideal_fluid, (const LinkageCase& l)) {
  RC_PRE(l.bodies <= 5);
  const ClosedCase dry(l, {.oracle = true, .friction = false, .couplings = false});
  Model model = in_water(dry.model, l.seed, false);
  const ClosedCase c(model, l.seed);
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 0.02);
  State s{0, c.q, c.v};
  for (double& x : s.v) x *= 0.2;
  Simulation simulation(c.mech, {.until = 0.05, .tolerance = 1e-10}, s);
  const EnergyAudit before = simulation.energy();
  RC_PRE(simulation.run().ok());
  const EnergyAudit after = simulation.energy();
  const double scale = 1 + before.kinetic + after.kinetic;
  RC_ASSERT(std::abs(after.kinetic + after.potential - before.kinetic - before.potential) < 1e-6 * scale);
}

}  // namespace
}  // namespace trammel
