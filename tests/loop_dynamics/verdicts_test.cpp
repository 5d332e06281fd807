// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Small mechanisms with known answers, and verdicts on what cannot be answered.

#include <cmath>

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>

#include "support/random_model.hpp"

namespace trammel {
namespace {

const std::string ground_body(ground_name);
constexpr Sym3d some_inertia{0.1, 0.1, 0.1, 0, 0, 0};

// A parallelogram: two cranks of length 1 standing up, mass m at the middle of a coupler of length 2, all else without mass. The
// coupler only shifts, on a circle: with the angle from upright φ, φ̈ = (g/1) sin φ.
Model parallelogram(bool third_crank = false) {
  Model model;
  model.gravity = {0, -9.81, 0};
  const double s = 0.6, c = 0.8;  // sine and cosine of the cranks' angle from upright
  add_body(model, "left", 0, {}, {});
  add_body(model, "right", 0, {}, {});
  add_body(model, "coupler", 3, {s + 1, c, 0}, some_inertia);
  add_joint(model, "O", Revolute{}, ground_body, "left", Transformd{});
  add_joint(model, "A", Revolute{}, "left", "coupler", Transformd::translation({s, c, 0}));
  add_joint(model, "P", Revolute{}, ground_body, "right", Transformd::translation({2, 0, 0}));
  add_joint(model, "B", Revolute{}, "right", "coupler", Transformd::translation({2 + s, c, 0}));
  if (third_crank) {
    add_body(model, "middle", 0, {}, {});
    add_joint(model, "Q", Revolute{}, ground_body, "middle", Transformd::translation({0.5, 0, 0}));
    add_joint(model, "C", Revolute{}, "middle", "coupler", Transformd::translation({0.5 + s, c, 0}));
  }
  return model;
}

Mechanism compiled_anyhow(const Model& model) {
  const CompileResult result = compile(model, {.for_dynamics = false});
  EXPECT_TRUE(result.ok());
  return result.mechanism;
}

TEST(LoopDynamics, of_a_parallelogram_of_massless_cranks_is_that_of_a_pendulum) {
  for (const bool third : {false, true}) {
    const Mechanism mech = compiled_anyhow(parallelogram(third));
    LoopDynamics dynamics(mech);
    const std::size_t nv = static_cast<std::size_t>(mech.nv);
    std::vector<double> a(nv), tau(nv), v(nv);
    const std::vector<double> q = design_state(mech).q;
    ASSERT_TRUE(dynamics.forward(q, v, tau, a).ok());
    const JointInfo& crank = mech.joints[static_cast<std::size_t>(mech.find_joint("O"))];
    EXPECT_NEAR(a[static_cast<std::size_t>(crank.v)], -9.81 * 0.6, 1e-11);  // turns clockwise about z
    const LoopDiagnosis diagnosis = dynamics.diagnose(q, v);
    EXPECT_EQ(diagnosis.freedoms, 1);
    EXPECT_EQ(diagnosis.rows - diagnosis.rank, static_cast<int>(diagnosis.redundant.size()));
    EXPECT_EQ(diagnosis.redundant.size(), third ? 7U : 3U);
    // Forces in the plane of two cranks are known; three share them in many ways.
    const std::vector<LoopReaction> reactions = dynamics.reactions();
    double along = 0;  // sum of the cranks' forces on the coupler, along the cranks: m (g cos φ − φ̇²)
    for (const char* name : {"A", "B", "C"}) {
      const int j = mech.find_joint(name);
      if (j >= 0) along += dot(reactions[static_cast<std::size_t>(j)].F_W.f, Vec3d{0.6, 0.8, 0});
    }
    EXPECT_NEAR(along, 3 * 9.81 * 0.8, 1e-10);
  }
}

TEST(LoopDynamics, of_a_crank_takes_the_torque_that_holds_the_weight) {
  const Mechanism mech = compiled_anyhow(parallelogram());
  LoopDynamics dynamics(mech);
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  const std::vector<double> q = design_state(mech).q, rest(nv);
  std::vector<double> u(2);
  const std::vector<JointFreedom> one{{mech.find_joint("O"), 0}},
      two{{mech.find_joint("O"), 0}, {mech.find_joint("P"), 0}};
  const ActuationVerdict alone = dynamics.inverse(q, rest, rest, one, u);
  EXPECT_TRUE(alone.ok() && alone.unique);
  EXPECT_NEAR(u[0], 3 * 9.81 * 0.6, 1e-11);
  const ActuationVerdict shared = dynamics.inverse(q, rest, rest, two, u);
  EXPECT_TRUE(shared.ok());
  EXPECT_FALSE(shared.unique);
  EXPECT_NEAR(u[0], 3 * 9.81 * 0.6 / 2, 1e-11);  // the smallest: half each
  EXPECT_NEAR(u[1], 3 * 9.81 * 0.6 / 2, 1e-11);
}

TEST(LoopDynamics, says_which_force_is_missing) {
  const Mechanism mech = compiled_anyhow(parallelogram());
  LoopDynamics dynamics(mech);
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  const std::vector<double> q = design_state(mech).q, rest(nv);
  const ActuationVerdict verdict = dynamics.inverse(q, rest, rest, {}, {});
  EXPECT_FALSE(verdict.possible);
  EXPECT_TRUE(verdict.consistent);
  EXPECT_NEAR(verdict.missing, 1, 1e-12);
  EXPECT_GE(verdict.unsupported, 0);
  // A motion that the loop does not allow.
  std::vector<double> torn(nv), u(1);
  torn[0] = 1;
  const std::vector<JointFreedom> one{{mech.find_joint("O"), 0}};
  const ActuationVerdict impossible = dynamics.inverse(q, rest, torn, one, u);
  EXPECT_FALSE(impossible.consistent);
  EXPECT_GE(impossible.worst_row, 0);
}

TEST(LoopDynamics, names_the_motion_without_inertia) {
  Model model = parallelogram();
  model.bodies[2].mass = 0;
  model.bodies[2].inertia = {};
  const Mechanism mech = compiled_anyhow(model);
  LoopDynamics dynamics(mech);
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  std::vector<double> a(nv), v(nv);
  const LoopVerdict verdict = dynamics.forward(design_state(mech).q, v, v, a);
  EXPECT_EQ(verdict.status, LoopStatus::no_inertia);
  EXPECT_GE(verdict.joint, 0);
  EXPECT_EQ(dynamics.project_velocity(design_state(mech).q, v).status, LoopStatus::no_inertia);
  EXPECT_EQ(dynamics.operational_inertia(design_state(mech).q, 0).status, LoopStatus::no_inertia);
}

// A triangle of three hinges: no freedom, no acceleration, yet forces.
TEST(LoopDynamics, of_a_structure_is_at_rest_and_carries_its_weight) {
  Model model;
  model.gravity = {0, -10, 0};
  add_body(model, "left", 2, {0.5, 0.5, 0}, some_inertia);
  add_body(model, "right", 2, {1.5, 0.5, 0}, some_inertia);
  add_joint(model, "O", Revolute{}, ground_body, "left", Transformd{});
  add_joint(model, "P", Revolute{}, ground_body, "right", Transformd::translation({2, 0, 0}));
  add_joint(model, "top", Revolute{}, "left", "right", Transformd::translation({1, 1, 0}));
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  std::vector<double> a(nv), v(nv);
  for (const LoopMethod method : {LoopMethod::dense, LoopMethod::elimination}) {
    ASSERT_TRUE(dynamics.forward(design_state(mech).q, v, v, a, {}, method).ok());
    for (const double x : a) EXPECT_NEAR(x, 0, 1e-10);
    const std::vector<LoopReaction> reactions = dynamics.reactions();
    // Each foot carries one bar; each bar leans on the other: moments about the foot, 20 · 0.5 = H · 1.
    EXPECT_NEAR(reactions[0].F_W.f.y, 20, 1e-8);
    EXPECT_NEAR(reactions[0].F_W.f.x, 10, 1e-8);
    EXPECT_NEAR(reactions[2].F_W.f.x, 10, 1e-8);
    EXPECT_NEAR(reactions[2].F_W.f.y, 0, 1e-8);
  }
  EXPECT_EQ(dynamics.diagnose(design_state(mech).q, v).freedoms, 0);
}

// Rods stretched over two pivots: at rest nothing is wrong; any turn would have to lengthen them.
TEST(LoopDynamics, says_which_rows_contradict_each_other) {
  Model model;
  model.gravity = {};
  add_body(model, "first", 1, {}, some_inertia);
  add_body(model, "second", 1, {}, some_inertia);
  add_joint(model, "a", Revolute{}, ground_body, "first", Transformd{});
  add_joint(model, "b", Revolute{}, ground_body, "second", Transformd::translation({1, 0, 0}));
  add_constraint(model, "rod", Distance{2}, "first", "second", Transformd::translation({-0.5, 0, 0}),
                 Transformd::translation({1.5, 0, 0}));
  add_constraint(model, "other rod", Distance{2}, "first", "second", Transformd::translation({-0.5, 0, 0}),
                 Transformd::translation({1.5, 0, 0}));
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  // dΦ = 0, but d²Φ ≠ 0 whatever the accelerations.
  std::vector<double> a(2), v{1, -1}, tau(2);
  const std::vector<double> q = design_state(mech).q;
  const LoopVerdict verdict = dynamics.forward(q, v, tau, a);
  EXPECT_EQ(verdict.status, LoopStatus::inconsistent);
  ASSERT_GE(verdict.row, 0);
  EXPECT_NE(dynamics.name_of(dynamics.rows()[static_cast<std::size_t>(verdict.row)]).find("rod"), std::string::npos);
  EXPECT_EQ(dynamics.forward(q, v, tau, a, {}, LoopMethod::elimination).status, LoopStatus::not_converged);
}

TEST(LoopDynamics, does_not_project_what_cannot_close) {
  Model model;
  add_body(model, "arm", 1, {0.5, 0, 0}, some_inertia);
  add_joint(model, "a", Revolute{}, ground_body, "arm", Transformd{});
  add_constraint(model, "rod", Distance{5}, ground_body, "arm", Transformd::translation({0, 1, 0}),
                 Transformd::translation({1, 0, 0}));
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  std::vector<double> q = design_state(mech).q;
  const ProjectionVerdict verdict = dynamics.project_position(q);
  EXPECT_FALSE(verdict.closed);
  EXPECT_GT(verdict.gap_m, 1);
  EXPECT_EQ(verdict.worst_row, 0);
}

TEST(LoopDynamics, closes_no_body_with_itself) {
  Model model;
  add_body(model, "arm", 1, {0.5, 0, 0}, some_inertia);
  add_joint(model, "a", Revolute{}, ground_body, "arm", Transformd{});
  add_joint(model, "self", Revolute{}, "arm", "arm", Transformd{});
  EXPECT_FALSE(compile(model).ok());
}

}  // namespace
}  // namespace trammel
