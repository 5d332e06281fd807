// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Small mechanisms with known answers, and verdicts on what cannot be answered.

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>
#include <trammel/readers.hpp>

#include "support/random_model.hpp"
#include "support/source_dir.hpp"

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

// Loops inside a chain whose rows all follow from the joints besides: two bodies with a hinge and a plane between them that are parallel.
TEST(LoopDynamics, of_a_chain_with_a_loop_that_holds_nothing_is_that_of_the_chain) {
  Model model;
  model.gravity = {4, -9, 1};
  for (const char* name : {"slide", "arm", "rod", "crank"}) {
    add_body(model, name, 1.2, {0.3, 0.1, 0.2}, {0.1, 0.2, 0.15, 0, 0.01, 0});
  }
  const Vec3d z{0, 0, 1};
  add_joint(model, "rail", Prismatic{}, ground_body, "slide", frame_at({0, 0, 0}, {1, 0.3, 0}));
  add_joint(model, "hinge", Revolute{}, "slide", "arm", frame_at({0.2, 0, 0}, z));
  add_joint(model, "beside", Planar{}, "slide", "arm", frame_at({0.1, 0.4, 0}, z)).cut = true;
  add_joint(model, "boom", Prismatic{}, "arm", "rod", frame_at({0.5, 0, 0}, {0, 1, 0}));
  add_joint(model, "glides", Planar{}, "rod", "crank", frame_at({0.9, 0.2, 0}, z)).cut = true;
  add_joint(model, "pin", Revolute{}, ground_body, "crank", frame_at({1.4, 0, 0}, z));
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  ASSERT_NE(dynamics.star(), nullptr);
  const std::vector<double> q = design_state(mech).q, v{0.3, -0.7, 1.1, 0.4}, tau(4);
  ASSERT_EQ(mech.nv, 4);
  std::vector<double> of_tree(4), a(4);
  Workspace ws(mech);
  forward_dynamics(mech, ws, q, v, tau, of_tree);  // nothing is held in the plane
  for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination, LoopMethod::dense}) {
    ASSERT_TRUE(dynamics.forward(q, v, tau, a, {}, method).ok());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a[k], of_tree[k], 1e-10) << k;
  }
}

TEST(LoopDynamics, has_reactions_of_the_closures_that_held_when_it_moved) {
  const Mechanism mech = compiled_anyhow(parallelogram());
  const int closure = mech.loops.front().closure;
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  const std::vector<double> q = design_state(mech).q, rest(nv);
  std::vector<double> a(nv);
  for (const LoopMethod method : {LoopMethod::automatic, LoopMethod::elimination, LoopMethod::dense}) {
    LoopDynamics dynamics(mech);
    ASSERT_TRUE(dynamics.forward(q, rest, rest, a, {}, method).ok());
    dynamics.set_active(ConstraintRow::Source::joint, closure, false);
    const Vec3d late = dynamics.reactions()[static_cast<std::size_t>(closure)].F_W.f;
    ASSERT_TRUE(dynamics.forward(q, rest, rest, a, {}, LoopMethod::dense).status == LoopStatus::no_inertia);
    dynamics.set_active(ConstraintRow::Source::joint, closure, true);
    ASSERT_TRUE(dynamics.forward(q, rest, rest, a, {}, method).ok());
    const Vec3d at_once = dynamics.reactions()[static_cast<std::size_t>(closure)].F_W.f;
    EXPECT_GT(norm(at_once), 1);
    EXPECT_LT(norm(late - at_once), 1e-10);
  }
}

TEST(LoopDynamics, switches_closures_alone) {
  const Mechanism mech = compiled_anyhow(parallelogram());
  LoopDynamics dynamics(mech);
  const auto is_tree = [](const JointInfo& joint) { return joint.role == JointRole::tree; };
  const int of_tree =
      static_cast<int>(std::find_if(mech.joints.begin(), mech.joints.end(), is_tree) - mech.joints.begin());
  EXPECT_THROW(dynamics.set_active(ConstraintRow::Source::joint, of_tree, false), std::invalid_argument);
  EXPECT_THROW(dynamics.set_active(ConstraintRow::Source::driver, 0, false), std::invalid_argument);
}

// Bars on one line but for ε: whatever rank a method sees there, its reactions must carry its own motion.
TEST(LoopDynamics, has_reactions_that_go_with_its_motion_close_to_a_singular_position) {
  for (const double lift : {1e-6, 1e-8, 1e-9, 1e-10}) {
    Model model;
    model.gravity = {0, -9.81, 0};
    const std::vector<Vec3d> hinges{{0, 0, 0}, {1, 0, 0}, {3, lift, 0}, {4, 0, 0}};
    const char* const bars[] = {"a", "b", "c"};
    for (std::size_t i = 0; i < 3; ++i) add_body(model, bars[i], 1, (hinges[i] + hinges[i + 1]) * 0.5, some_inertia);
    for (std::size_t i = 0; i < 4; ++i) {
      add_joint(model, std::string("ABCD").substr(i, 1), Revolute{}, i == 0 || i == 3 ? ground_body : bars[i - 1],
                i == 3 ? bars[2] : bars[i], Transformd::translation(hinges[i]));
    }
    const Mechanism mech = test::compiled(model);
    LoopDynamics dynamics(mech);
    const std::vector<double> q = design_state(mech).q, rest(static_cast<std::size_t>(mech.nv));
    std::vector<double> a(rest.size());
    for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination, LoopMethod::dense}) {
      if (!dynamics.forward(q, rest, rest, a, {}, method).ok()) continue;
      const std::vector<LoopReaction> reactions = dynamics.reactions();
      Workspace ws(mech);
      compute_accelerations(mech, ws, q, rest, a);
      double size = 10;
      for (const LoopReaction& r : reactions) size = std::max(size, norm(r.F_W.f));
      for (int bar = 0; bar < 3; ++bar) {  // m a = weight + reaction at one end − reaction at the other
        const auto i = static_cast<std::size_t>(bar);
        const auto on = [&](std::size_t j) {
          const JointInfo& joint = mech.joints[j];
          return joint.second == bar ? reactions[j].F_W.f : joint.first == bar ? -reactions[j].F_W.f : Vec3d{};
        };
        Vec3d sum = model.gravity;
        for (std::size_t j = 0; j < 4; ++j) sum += on(j);
        EXPECT_LT(norm(sum - acceleration_W(mech, ws, bar, model.bodies[i].com).v), 1e-8 * size)
            << lift << " " << bars[i] << " by method " << static_cast<int>(method);
      }
    }
  }
}

TEST(LoopDynamics, says_that_a_chain_without_mass_is_not_for_lilly_and_orin) {
  const Mechanism mech = compiled_anyhow(parallelogram());
  LoopDynamics dynamics(mech);
  const std::vector<double> rest(static_cast<std::size_t>(mech.nv));
  std::vector<double> a = rest;
  const LoopVerdict verdict = dynamics.forward(design_state(mech).q, rest, rest, a, {}, LoopMethod::star);
  EXPECT_EQ(verdict.status, LoopStatus::weightless_chain);
  EXPECT_GE(verdict.joint, 0);
}

// A rod without mass between two balls spins as it likes.
TEST(LoopDynamics, names_a_joint_where_the_body_that_is_held_has_no_inertia) {
  Model model;
  add_body(model, "a", 1, {0.5, 0, 0}, some_inertia);
  add_body(model, "b", 1, {-0.5, 0, 0}, some_inertia);
  add_body(model, "rod", 0, {}, {});
  add_joint(model, "A", Revolute{}, ground_body, "a", frame_at({1, 0, -1}, {0, 1, 0}));
  add_joint(model, "B", Revolute{}, ground_body, "b", frame_at({-1, 0, -1}, {0, 1, 0}));
  add_joint(model, "S1", Spherical{}, "a", "rod", frame_at({0.4, 0, 0}, {0, 0, 1}));
  add_joint(model, "S2", Spherical{}, "b", "rod", frame_at({-0.4, 0, 0}, {0, 0, 1}));
  const Mechanism mech = compiled_anyhow(model);
  LoopDynamics dynamics(mech);
  const std::vector<double> rest(static_cast<std::size_t>(mech.nv));
  std::vector<double> a = rest;
  for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination, LoopMethod::dense}) {
    const LoopVerdict verdict = dynamics.forward(design_state(mech).q, rest, rest, a, {}, method);
    EXPECT_FALSE(verdict.ok());
    EXPECT_GE(verdict.joint, 0);
  }
}

// All links are fixed to the ground: there is nothing to move, and a ball that holds one of them besides.
TEST(LoopDynamics, without_any_freedom_answers_all_questions) {
  Model model;
  add_body(model, "a", 1, {0.1, 0, 0}, some_inertia);
  add_joint(model, "weld", Fixed{}, ground_body, "a", Transformd{});
  add_joint(model, "ball", Spherical{}, ground_body, "a", Transformd::translation({1, 0, 0}));
  const Mechanism mech = test::compiled(model);
  ASSERT_EQ(mech.nv, 0);
  LoopDynamics dynamics(mech);
  std::vector<double> none;
  EXPECT_TRUE(dynamics.forward(none, none, none, none).ok());
  EXPECT_EQ(dynamics.reactions().size(), 2u);
  EXPECT_TRUE(dynamics.independent_mass(none).freedoms.empty());
  EXPECT_TRUE(dynamics.inverse(none, none, none, {}, none).ok());
  EXPECT_EQ(dynamics.diagnose(none, none).freedoms, 0);
}

// Screws of small advance are screws in every unit of length.
TEST(LoopDynamics, of_a_fine_screw_does_not_depend_on_the_method) {
  for (const double advance : {1e-3, 1e-6, 1e-7, 1e-9}) {
    Model model;
    model.gravity = {3, 5, -9.81};
    add_body(model, "nut", 1, {0.2, 0, 0}, some_inertia);
    add_body(model, "bar", 1, {0.5, 0, 0.5}, some_inertia);
    add_joint(model, "S", Helical{advance}, ground_body, "nut", Transformd{});
    add_joint(model, "B", Spherical{}, "nut", "bar", Transformd::translation({1, 0, 0}));
    add_joint(model, "P", Planar{}, ground_body, "bar", frame_at({0, 3, 1}, {1, 0, 1}));
    const Mechanism mech = test::compiled(model);
    LoopDynamics dynamics(mech);
    const std::vector<double> q = design_state(mech).q, rest(static_cast<std::size_t>(mech.nv));
    std::vector<double> expected = rest, a = rest;
    ASSERT_TRUE(dynamics.forward(q, rest, rest, expected, {}, LoopMethod::dense).ok());
    double size = 1;
    for (const double x : expected) size = std::max(size, std::abs(x));
    ASSERT_TRUE(dynamics.forward(q, rest, rest, a, {}, LoopMethod::star).ok());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], expected[k], 1e-8 * size) << advance;
  }
}

// By every method, for a number of each argument that is none; the next answer is as if it had not been asked.
TEST(LoopDynamics, tells_what_is_not_finite) {
  const double none[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  for (const char* name : {"stewart", "delta", "crank_rocker"}) {
    const Mechanism mech = test::compiled(read_model(test::source_dir() + "/models/" + name + ".yaml").model);
    LoopDynamics dynamics(mech);
    const auto nv = static_cast<std::size_t>(mech.nv);
    const std::vector<double> q = design_state(mech).q, zero(nv);
    for (const LoopMethod method :
         {LoopMethod::automatic, LoopMethod::star, LoopMethod::elimination, LoopMethod::dense}) {
      std::vector<double> expected(nv);
      ASSERT_TRUE(dynamics.forward(q, zero, zero, expected, {}, method).ok()) << name;
      for (const int argument : {0, 1, 2}) {
        for (const double x : none) {
          std::vector<double> bad_q = q, bad_v = zero, bad_tau = zero, a(nv);
          (argument == 0 ? bad_q : argument == 1 ? bad_v : bad_tau).back() = x;
          EXPECT_FALSE(dynamics.forward(bad_q, bad_v, bad_tau, a, {}, method).ok()) << name << ' ' << argument;
        }
      }
      std::vector<double> a(nv);
      ASSERT_TRUE(dynamics.forward(q, zero, zero, a, {}, method).ok()) << name;
      EXPECT_EQ(a, expected) << name;
    }
  }
}

}  // namespace
}  // namespace trammel
