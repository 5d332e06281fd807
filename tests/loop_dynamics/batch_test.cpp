// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Mechanisms with loops in lanes give what single states give: random ones, with redundant loops, couplings, constraints, afloat, under
// water; models of the gallery; states that lanes leave. At every instruction-set level, as all of this folder.

#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/loop_batch.hpp>
#include <trammel/readers.hpp>

#include "closed_case.hpp"
#include "support/fluid_case.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using test::ClosedCase;
using test::LinkageCase;
using test::Random;

// Closed states of one mechanism near a given one, each with a motion that the loops allow; a few more than lanes.
struct ClosedStates {
  int count;
  std::vector<std::vector<double>> q, v, tau;
  LaneArray Q, V, Tau;

  ClosedStates(const Mechanism& mech, LoopDynamics& dynamics, const std::vector<double>& q0, std::uint64_t seed)
      : count(lane_count() + 3), Q(mech.nq, count), V(mech.nv, count), Tau(mech.nv, count) {
    Random random(seed + 5);
    while (static_cast<int>(q.size()) < count) {
      std::vector<double> moved = q0, step = random.normals(mech.nv, 0.05);
      if (q.empty() || dynamics.project_velocity(q0, step).status != LoopStatus::ok) step.assign(step.size(), 0.0);
      step_coordinates(mech, q0, step, moved);
      if (!dynamics.project_position(moved).closed) moved = q0;
      std::vector<double> speed = random.normals(mech.nv);
      dynamics.project_velocity(moved, speed);
      const int i = static_cast<int>(q.size());
      q.push_back(moved), v.push_back(speed), tau.push_back(random.normals(mech.nv, 3));
      Q.set(i, moved), V.set(i, speed), Tau.set(i, tau.back());
    }
  }
};

std::vector<double> of_state(const LaneArray& array, int state) {
  std::vector<double> numbers(static_cast<std::size_t>(array.rows()));
  array.get(state, numbers);
  return numbers;
}
double largest(const std::vector<double>& x) {
  double size = 0;
  for (const double number : x) size = std::max(size, std::abs(number));
  return size;
}
double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

void expect_same_as_alone(const Mechanism& mech, LoopDynamics& dynamics, const ClosedStates& s, const LaneArray& a,
                          const std::vector<LoopVerdict>& verdicts) {
  for (int i = 0; i < s.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (dynamics.diagnose(s.q[k], s.v[k]).conditioning < 1e-3) continue;
    std::vector<double> alone(static_cast<std::size_t>(mech.nv));
    RC_ASSERT(dynamics.forward(s.q[k], s.v[k], s.tau[k], alone, {}, LoopMethod::dense).ok());
    RC_ASSERT(verdicts[k].ok());
    RC_ASSERT(difference(of_state(a, i), alone) < 1e-9 * (1 + largest(alone)));
  }
}

RC_GTEST_PROP(LoopBatch, accelerates_as_single_states, (const LinkageCase& l)) {
  const ClosedCase c(l, {.friction = l.seed % 4 == 0, .couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const ClosedStates s(c.mech, dynamics, c.q, l.seed);
  LoopBatch batch(c.mech);
  LaneArray a(c.mech.nv, s.count);
  std::vector<LoopVerdict> verdicts(static_cast<std::size_t>(s.count));
  batch.forward_dynamics(s.Q, s.V, s.Tau, a, verdicts);
  RC_TAG(!batch.why_no_lanes().empty() ? "no lanes" : batch.one_by_one() == 0 ? "lanes" : "some alone");
  expect_same_as_alone(c.mech, dynamics, s, a, verdicts);
}

RC_GTEST_PROP(LoopBatch, gives_the_same_bytes_again, (const LinkageCase& l)) {
  const ClosedCase c(l, {.friction = false, .couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const ClosedStates s(c.mech, dynamics, c.q, l.seed);
  LoopBatch one(c.mech), other(c.mech);
  LaneArray first(c.mech.nv, s.count), second(c.mech.nv, s.count);
  one.forward_dynamics(s.Q, s.V, s.Tau, first);
  other.forward_dynamics(s.Q, s.V, s.Tau, second);
  other.forward_dynamics(s.Q, s.V, s.Tau, second);
  for (int i = 0; i < s.count; ++i) {
    const std::vector<double> x = of_state(first, i), y = of_state(second, i);
    RC_ASSERT(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  }
}

RC_GTEST_PROP(LoopBatch, accelerates_under_water_as_single_states, (const LinkageCase& l)) {
  const ClosedCase dry(l, {.friction = false});
  Model model = dry.model;
  model.fluid.media = {{.density = 1000}};
  model.fluid.media[0].current.velocity = {0.3, -0.2, 0.1};
  test::wet(model, l.seed, true);
  const ClosedCase c(model, l.seed);
  LoopDynamics dynamics(c.mech);
  const ClosedStates s(c.mech, dynamics, c.q, l.seed);
  LoopBatch batch(c.mech);
  RC_PRE(batch.why_no_lanes().empty());
  FluidLanes water(c.mech);
  LaneArray a(c.mech.nv, s.count);
  std::vector<LoopVerdict> verdicts(static_cast<std::size_t>(s.count));
  batch.forward_dynamics(s.Q, s.V, s.Tau, a, water, verdicts);
  Workspace ws(c.mech);
  FluidForces fluid(c.mech);
  std::vector<ArticulatedInertia<double>> inertia(c.mech.bodies.size());
  std::vector<Force<double>> bias(c.mech.bodies.size());
  for (int i = 0; i < s.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!verdicts[k].ok() || dynamics.diagnose(s.q[k], s.v[k]).conditioning < 1e-3) continue;
    compute_velocities(c.mech, ws, s.q[k], s.v[k]);
    fluid.clear_and_add(c.mech, ws, 0, inertia, bias);
    std::vector<double> alone(c.nv());
    RC_ASSERT(dynamics
                  .forward(s.q[k], s.v[k], s.tau[k], alone, {.inertia = inertia.data(), .bias = bias.data()},
                           LoopMethod::dense)
                  .ok());
    RC_ASSERT(difference(of_state(a, i), alone) < 1e-9 * (1 + largest(alone)));
  }
}

RC_GTEST_PROP(LoopBatch, lets_loops_go_and_takes_them_up_again, (const LinkageCase& l)) {
  const ClosedCase c(l, {.friction = false, .couplings = true});
  LoopDynamics dynamics(c.mech);
  const ClosedStates s(c.mech, dynamics, c.q, l.seed);
  RC_PRE(!dynamics.rows().empty());
  LoopBatch batch(c.mech);
  const ConstraintRow row = dynamics.rows()[l.seed % dynamics.rows().size()];
  LaneArray a(c.mech.nv, s.count);
  std::vector<LoopVerdict> verdicts(static_cast<std::size_t>(s.count));
  for (const bool active : {false, true}) {
    batch.set_active(row.source, row.index, active);
    dynamics.set_active(row.source, row.index, active);
    batch.forward_dynamics(s.Q, s.V, s.Tau, a, verdicts);
    expect_same_as_alone(c.mech, dynamics, s, a, verdicts);
  }
}

Mechanism of_gallery(const std::string& name) {
  return test::compiled(read_model(test::source_dir() + "/models/" + name + ".yaml").model);
}

// All of them in lanes, redundant rows of planar loops in space (jansen_leg, scissor_lift) and legs of parallel robots alike.
TEST(LoopBatch, has_models_of_the_gallery_in_lanes) {
  for (const char* name : {"stewart", "delta", "five_bar", "three_arm_grasp", "hexapod", "hand", "quadruped_fourbar",
                           "jansen_leg", "scissor_lift", "rssr", "sarrus", "bennett", "geared_arm", "cardan"}) {
    SCOPED_TRACE(name);
    const Mechanism mech = of_gallery(name);
    LoopDynamics dynamics(mech);
    ClosedStates s(mech, dynamics, design_state(mech).q, 3);
    LoopBatch batch(mech);
    EXPECT_EQ(batch.why_no_lanes(), "");
    LaneArray a(mech.nv, s.count);
    std::vector<LoopVerdict> verdicts(static_cast<std::size_t>(s.count));
    batch.forward_dynamics(s.Q, s.V, s.Tau, a, verdicts);
    EXPECT_EQ(batch.one_by_one(), 0);
    for (int i = 0; i < s.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      std::vector<double> alone(static_cast<std::size_t>(mech.nv));
      ASSERT_TRUE(dynamics.forward(s.q[k], s.v[k], s.tau[k], alone, {}, LoopMethod::dense).ok());
      EXPECT_TRUE(verdicts[k].ok());
      EXPECT_LT(difference(of_state(a, i), alone), 1e-9 * (1 + largest(alone)));
    }
  }
}

TEST(LoopBatch, finds_rows_of_couplings_state_by_state) {
  EXPECT_EQ(LoopBatch(of_gallery("stewart")).rows_one_by_one(), 0);
  EXPECT_EQ(LoopBatch(of_gallery("geared_arm")).rows_one_by_one(), 4);  // gear, rack, screw, mimic
}

// One state is no number, beside others that do not notice.
TEST(LoopBatch, a_state_without_an_answer_does_not_disturb_the_others) {
  const Mechanism mech = of_gallery("stewart");
  LoopDynamics dynamics(mech);
  ClosedStates s(mech, dynamics, design_state(mech).q, 8);
  LoopBatch batch(mech);
  LaneArray a(mech.nv, s.count), again(mech.nv, s.count);
  std::vector<LoopVerdict> verdicts(static_cast<std::size_t>(s.count));
  batch.forward_dynamics(s.Q, s.V, s.Tau, a, verdicts);
  s.Tau(0, 1) = std::numeric_limits<double>::quiet_NaN();
  batch.forward_dynamics(s.Q, s.V, s.Tau, again, verdicts);
  EXPECT_EQ(batch.one_by_one(), 1);
  EXPECT_EQ(verdicts[1].status, LoopStatus::not_finite);
  for (int i = 0; i < s.count; ++i) {
    if (i == 1) continue;
    EXPECT_TRUE(verdicts[static_cast<std::size_t>(i)].ok()) << i;
    EXPECT_EQ(difference(of_state(a, i), of_state(again, i)), 0) << i;
  }
}

TEST(LoopBatch, says_why_it_cannot) {
  Model model = read_model(test::source_dir() + "/models/five_bar.yaml").model;
  for (Joint& joint : model.joints) joint.properties.viscous.assign(static_cast<std::size_t>(nv(joint.type)), 0.1);
  const Mechanism mech = test::compiled(model);
  LoopBatch batch(mech);
  EXPECT_NE(batch.why_no_lanes().find("closes a loop and has friction or a rotor"), std::string::npos)
      << batch.why_no_lanes();
  LoopDynamics dynamics(mech);
  const ClosedStates s(mech, dynamics, design_state(mech).q, 2);
  LaneArray a(mech.nv, s.count), wrong(mech.nv + 1, s.count);
  batch.forward_dynamics(s.Q, s.V, s.Tau, a);
  EXPECT_EQ(batch.one_by_one(), s.count);
  std::vector<double> alone(static_cast<std::size_t>(mech.nv));
  ASSERT_TRUE(dynamics.forward(s.q[2], s.v[2], s.tau[2], alone).ok());
  EXPECT_EQ(difference(of_state(a, 2), alone), 0);
  EXPECT_THROW(batch.forward_dynamics(s.Q, s.V, s.Tau, wrong), std::invalid_argument);
  std::vector<LoopVerdict> few(1);
  EXPECT_THROW(batch.forward_dynamics(s.Q, s.V, s.Tau, a, few), std::invalid_argument);
  FluidLanes none(mech);
  EXPECT_THROW(batch.forward_dynamics(s.Q, s.V, s.Tau, a, none), std::invalid_argument);
}

}  // namespace
}  // namespace trammel
