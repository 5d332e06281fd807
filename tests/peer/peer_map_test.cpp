// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The comparison's own tools: a tree walk that refuses what is no tree, documents for MuJoCo that leave nothing out
// silently, and coordinate maps that are what they say they are.

#include <stdexcept>

#include <gtest/gtest.h>

#include "peer/comparison.hpp"
#include "peer/kdl_of_model.hpp"
#include "peer/mjcf_of_model.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

Model two_bars() {
  Model model;
  add_body(model, "one", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_body(model, "two", 1, {1.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "a", Revolute{}, "ground", "one", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "b", Revolute{}, "one", "two", frame_at({1, 0, 0}, {0, 0, 1}));
  return model;
}

TEST(PeerTree, walks_parents_first_and_tells_reversed_joints) {
  Model model = two_bars();
  std::swap(model.joints[0], model.joints[1]);
  std::swap(model.joints[0].first, model.joints[0].second);
  std::swap(model.joints[0].X_AF, model.joints[0].X_BM);
  const std::vector<TreeStep> steps = walk_tree(model);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].body, 0);
  EXPECT_FALSE(steps[0].reversed);
  EXPECT_EQ(steps[1].body, 1);
  EXPECT_TRUE(steps[1].reversed);
}

TEST(PeerTree, refuses_loops_and_loose_bodies) {
  Model loop = two_bars();
  add_joint(loop, "c", Revolute{}, "two", "ground", frame_at({2, 0, 0}, {0, 0, 1}));
  EXPECT_THROW(walk_tree(loop), std::invalid_argument);
  Model loose = two_bars();
  loose.joints.pop_back();
  EXPECT_THROW(walk_tree(loose), std::invalid_argument);
}

TEST(MjcfDocument, refuses_dry_friction_unless_it_was_taken_out) {
  Model model = two_bars();
  model.joints[0].properties.dry = {1.0};
  EXPECT_THROW(mjcf_of(model), std::invalid_argument);
  EXPECT_NO_THROW(mjcf_of(fit_for_peers(model)));
}

// A point mass, and moments 1, 1, 3 that no body can have: MuJoCo refuses both in a document.
TEST(MjcfDocument, carries_inertias_that_mujoco_refuses) {
  Model model = two_bars();
  model.bodies[0].inertia = {};
  model.bodies[1].inertia = {1, 1, 3, 0, 0, 0};
  EXPECT_EQ(mjcf_of(model).overrides.size(), 2u);
  const MujocoPeer peer(model);
  const int one = peer.body_id(0), two = peer.body_id(1);
  EXPECT_EQ(peer.model()->body_inertia[3 * one], 0);
  EXPECT_NEAR(peer.model()->body_inertia[3 * two + 2], 3, 1e-15);
  EXPECT_EQ(peer.model()->body_mass[two], 1);
}

// KDL's coordinates are plain numbers with v' = dq'/dt, so that differences tell T and c:
//   T v = d/dt q'(q(t)),   c = d/dt (T v) at constant v
TEST(KdlPeer, has_velocities_and_accelerations_that_fit_its_coordinates) {
  constexpr double h = 1e-6;
  double worst_T = 0, worst_c = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = random_model(seed, {.bodies = 6});
    const Mechanism mech = compiled(model);
    const KdlPeer peer(model);
    const RandomState state = random_state(mech, seed, true);
    const auto after = [&](double dt) {
      std::vector<double> q(state.q.size()), step(state.v);
      for (double& number : step) number *= dt;
      step_coordinates(mech, state.q, step, q);
      return peer.map(mech, q, state.v);
    };
    const auto v = as_vector(state.v);
    const CoordinateMap now = peer.map(mech, state.q, state.v), later = after(h), before = after(-h);
    const Eigen::VectorXd rate = (later.q - before.q) / (2 * h), rate_of_rate = (later.T - before.T) * v / (2 * h);
    worst_T = std::max(worst_T, relative_error(Eigen::VectorXd(now.T * v), rate));
    worst_c = std::max(worst_c, relative_error(now.c, rate_of_rate));
  }
  EXPECT_LE(worst_T, 1e-8);
  EXPECT_LE(worst_c, 1e-8);
}

}  // namespace
}  // namespace trammel::test
