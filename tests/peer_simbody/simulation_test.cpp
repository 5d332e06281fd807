// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Damped linkages with loops over one second beside Simbody's integrator (Debian's libsimbody-dev 3.7), both at tight tolerances: poses and
// velocities of all bodies. Friction and springs act at joints of the tree and between points.

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

#include "peer_simbody/simbody_of_model.hpp"
#include "support/prepared.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double bound = 1e-7;

struct Difference {
  double p = 0, R = 0, V = 0, moved = 0;
};

Difference after_1_s(const Model& model, const State& start, double accuracy) {
  const Mechanism mech = compiled(model);
  SimbodyPeer peer(model, mech);
  Workspace ws(mech);
  compute_velocities(mech, ws, start.q, start.v);
  peer.take(ws, std::vector<Force<double>>(mech.bodies.size()));
  const std::vector<simbody_peer::BodyState> theirs = peer.advance(1, accuracy);
  std::vector<Vec3d> at_first;
  for (int b = 0; b < mech.body_count(); ++b) at_first.push_back(pose_WB(mech, ws, b) * Vec3d{0.1, 0.1, 0});

  Simulation simulation(mech, {.until = 1, .tolerance = 1e-12}, start);
  const SimulationReport report = simulation.run();
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_LT(report.drift.position, 1e-12);
  EXPECT_GT(report.energy.dissipated, 1e-3);
  EXPECT_LT(std::abs(report.energy.error), 1e-9);
  compute_velocities(mech, ws, simulation.state().q, simulation.state().v);
  Difference d;
  for (int b = 0; b < mech.body_count(); ++b) {
    const simbody_peer::BodyState& other = theirs[static_cast<std::size_t>(b)];
    const simbody_peer::Pose X = plain(pose_WB(mech, ws, b));
    const std::array<double, 6> V = plain(velocity_W(mech, ws, b));
    for (std::size_t i = 0; i < 3; ++i) d.p = std::max(d.p, std::abs(X.p[i] - other.X.p[i]));
    for (std::size_t i = 0; i < 9; ++i) d.R = std::max(d.R, std::abs(X.R[i] - other.X.R[i]));
    for (std::size_t i = 0; i < 6; ++i) d.V = std::max(d.V, std::abs(V[i] - other.V[i]));
    d.moved =
        std::max(d.moved, norm(pose_WB(mech, ws, b) * Vec3d{0.1, 0.1, 0} - at_first[static_cast<std::size_t>(b)]));
  }
  return d;
}

void compare(const Model& model, const State& start) {
  const Difference d = after_1_s(model, start, 1e-12);
  std::printf("  Simbody after 1 s: places %.2g m, orientations %.2g, velocities %.2g; moved %.2g m\n", d.p, d.R, d.V,
              d.moved);
  EXPECT_LT(d.p, bound);
  EXPECT_LT(d.R, bound);
  EXPECT_LT(d.V, bound);
  EXPECT_GT(d.moved, 0.01);
}

Model shipped(const std::string& name) {
  const ReadResult read = read_model(source_dir() + "/models/" + name + ".yaml");
  EXPECT_TRUE(read.ok());
  return read.model;
}

// The model in motion: this freedom at this rate, the others as the loops will have it.
State moving(const Model& model, const std::string& joint, double rate) {
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  start.v[static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(mech.find_joint(joint))].v)] = rate;
  LoopDynamics loops(mech);
  loops.project_position(start.q);
  loops.project_velocity(start.q, start.v);
  return start;
}

TEST(SimulationBesideSimbody, damped_four_bar_with_springs) {
  Model model = shipped("crank_rocker");
  for (Joint& joint : model.joints) joint.properties.viscous.clear();
  model.joints[0].properties.viscous = {2e-3};
  model.joints[1].properties.viscous = {1e-3};
  for (Joint& joint : model.joints) joint.cut = joint.name == "B";
  Spring at_joint;
  at_joint.name = "torsion", at_joint.joint = "O2", at_joint.stiffness = 0.05, at_joint.rest = 0.4;
  Spring between;
  between.name = "pull", between.first = {"ground", {-0.05, 0.1, 0}}, between.second = {"coupler", {0.06, 0.07, 0}};
  between.stiffness = 20, between.rest = 0.05, between.damping = 0.3;
  model.springs = {at_joint, between};
  compare(model, moving(model, "O2", 8));
}

TEST(SimulationBesideSimbody, damped_slider_crank_with_spring) {
  Model model = shipped("slider_crank");
  for (Joint& joint : model.joints) {
    joint.properties.viscous.clear();
    if (joint.name == "guide") joint.properties.viscous = {0.5};
    if (joint.name == "crank pivot") joint.properties.viscous = {1e-3};
  }
  Spring guide;
  guide.name = "return", guide.joint = "guide", guide.stiffness = 60, guide.rest = -0.01, guide.damping = 0.2;
  model.springs = {guide};
  compare(model, moving(model, "crank pivot", 12));
}

}  // namespace
}  // namespace trammel::test
