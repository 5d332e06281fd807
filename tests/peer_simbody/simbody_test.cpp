// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Closed mechanisms in Simbody (Debian's libsimbody-dev 3.7): the tree of ours as mobilizers, closing joints as its constraints, whose
// multipliers it finds by itself. States are handed over as poses and velocities of bodies, so that no coordinates have to be
// compared; accelerations of all bodies and reactions of tree joints must agree, by each of our methods.

#include <cstdio>

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>
#include <trammel/readers.hpp>

#include "peer_simbody/simbody_of_model.hpp"
#include "support/prepared.hpp"
#include "support/random.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double bound = 1e-8;
constexpr int states_per_model = 20;

double largest(const std::array<double, 6>& x) {
  double most = 0;
  for (const double y : x) most = std::max(most, std::abs(y));
  return most;
}
double difference(std::array<double, 6> x, const std::array<double, 6>& y) {
  for (std::size_t i = 0; i < 6; ++i) x[i] -= y[i];
  return largest(x);
}

// Of a planar linkage, forces out of the plane are shared in many ways, and only those in it are compared.
void compare(Model model, bool planar = false) {
  for (Joint& joint : model.joints) joint.properties = {};  // friction is smoothed here, and not there
  const Mechanism mech = compiled(model);
  LoopDynamics dynamics(mech);
  SimbodyPeer peer(model, mech);
  Workspace ws(mech);
  const auto n = static_cast<std::size_t>(mech.nv);
  double worst_a = 0, worst_f = 0;
  int compared = 0;
  for (int k = 0; k < states_per_model; ++k) {
    Random random(static_cast<std::uint64_t>(k) + 1);
    std::vector<double> q = design_state(mech).q, along = random.normals(mech.nv, 0.1), v = random.normals(mech.nv);
    ASSERT_TRUE(dynamics.project_velocity(q, along).ok());
    std::vector<double> moved(q.size());
    step_coordinates(mech, q, along, moved);
    if (dynamics.project_position(moved).closed) q = moved;
    ASSERT_TRUE(dynamics.project_velocity(q, v).ok());
    compute_velocities(mech, ws, q, v);
    std::vector<Force<double>> wrench(mech.bodies.size()), ours(mech.bodies.size());
    for (int b = 0; b < mech.body_count(); ++b) {
      wrench[static_cast<std::size_t>(b)] = random.force();
      add_wrench(mech, ws, b, Vec3d{}, wrench[static_cast<std::size_t>(b)], std::span(ours));
    }
    peer.take(ws, wrench);
    peer.solve();
    peer.read_answer();
    EXPECT_LT(peer.state_error(), 1e-9);
    for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination, LoopMethod::dense}) {
      if (method == LoopMethod::star && dynamics.star() == nullptr) continue;
      std::vector<double> a(n);
      const std::vector<double> no_drive(n);
      ASSERT_TRUE(dynamics.forward(q, v, no_drive, a, {.wrench = ours.data()}, method).ok());
      const std::vector<LoopReaction> reactions = dynamics.reactions();
      compute_accelerations(mech, ws, q, v, a);
      double size = 1, largest_force = 1, error = 0, force_error = 0;
      for (int b = 0; b < mech.body_count(); ++b) {
        size = std::max(size, largest(peer.acceleration(b)));
        error = std::max(error, difference(plain(acceleration_W(mech, ws, b)), peer.acceleration(b)));
        const JointInfo& joint = mech.joints[static_cast<std::size_t>(mech.bodies[static_cast<std::size_t>(b)].joint)];
        const LoopReaction& R = reactions[static_cast<std::size_t>(mech.find_joint(joint.name))];
        largest_force = std::max(largest_force, largest(plain(R.F_W)));
        EXPECT_EQ(R.determinate, !planar);
        if (joint.reversed) continue;
        std::array<double, 6> ours_on = plain(R.F_W), theirs_on = peer.reaction(b);
        if (planar) ours_on[0] = ours_on[1] = ours_on[5] = theirs_on[0] = theirs_on[1] = theirs_on[5] = 0;
        force_error = std::max(force_error, difference(ours_on, theirs_on));
        ++compared;
      }
      worst_a = std::max(worst_a, error / size);
      worst_f = std::max(worst_f, force_error / largest_force);
    }
  }
  EXPECT_LT(worst_a, bound);
  EXPECT_LT(worst_f, bound);
  EXPECT_GT(compared, 0);
  std::printf("  Simbody: accelerations %.2g, reactions %.2g\n", worst_a, worst_f);
}

Model shipped(const std::string& name) {
  const ReadResult read = read_model(source_dir() + "/models/" + name + ".yaml");
  EXPECT_TRUE(read.ok());
  return read.model;
}

TEST(Simbody, moves_a_four_bar_alike) { compare(shipped("crank_rocker"), true); }
TEST(Simbody, moves_a_five_bar_alike) { compare(shipped("five_bar"), true); }
TEST(Simbody, moves_a_delta_robot_alike) { compare(shipped("delta")); }
TEST(Simbody, moves_a_stewart_platform_alike) { compare(shipped("stewart")); }

// Two arms of six hinges, axes at right angles in turn, hold an object firmly.
TEST(Simbody, moves_a_grasp_by_two_arms_alike) {
  Random random(5);
  Model model;
  add_body(model, "object", 5, {0.02, -0.03, 0.05}, {0.1, 0.18, 0.2, 0.01, 0, 0.02},
           Transformd::translation({0.1, 0.2, 0.9}));
  add_joint(model, "float", Free{}, std::string(ground_name), "object", Transformd::translation({0.1, 0.2, 0.9}));
  for (int k = 0; k < 2; ++k) {
    std::string before(ground_name);
    Transformd X = random.pose();
    for (int i = 0; i < 6; ++i) {
      const std::string name = "arm " + std::to_string(k) + " link " + std::to_string(i);
      X = X * Transformd{
                  rotation_x(i % 2 == 0 ? 1.5707963267948966 : -1.5707963267948966) * rotation_z(random.uniform(-1, 1)),
                  {random.uniform(0.1, 0.4), 0, random.uniform(-0.1, 0.1)}};
      add_body(model, name, 3.0 / (i + 1), {0.1, 0.01, 0.02}, random.inertia_at_com(1), X);
      add_joint(model, name, Revolute{}, before, name, X);
      before = name;
    }
    add_joint(model, "grip " + std::to_string(k), Fixed{}, before, "object", X).cut = true;
  }
  compare(model);
}

}  // namespace
}  // namespace trammel::test
