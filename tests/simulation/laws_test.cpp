// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What must hold for any mechanism: orders of the integrators, the energy audit, going on from a checkpoint, time reversal.

#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "simulation/scenes.hpp"
#include "support/generators.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

// --- orders ------------------------------------------------------------------------------------------------------------------

struct OrderCase {
  Integrator integrator;
  int order;
  double step;
};
const OrderCase orders[] = {{Integrator::rk4, 4, 0.04},
                            {Integrator::midpoint, 2, 0.01},
                            {Integrator::semi_implicit, 1, 0.002},
                            {Integrator::implicit, 1, 0.002}};

// By how much halving the step divides the error, as a power of two; the exact motion is found by error control.
double order_of(const Mechanism& mech, const OrderCase& c, const State& start, double until) {
  const std::vector<double> exact = end_of(mech, {.until = until, .tolerance = 1e-12}, start);
  double errors[2];
  for (const int k : {0, 1}) {
    const double step = c.step / (k + 1);
    errors[k] = distance(end_of(mech, {.until = until, .step = step, .integrator = c.integrator}, start), exact);
  }
  return std::log2(errors[0] / errors[1]);
}

TEST(SimulationLaws, order_of_each_integrator_on_a_pendulum) {
  const Mechanism mech = compiled(point_pendulum());
  for (const OrderCase& c : orders) {
    EXPECT_NEAR(order_of(mech, c, design_state(mech), 0.88), c.order, 0.25) << keyword(c.integrator);
  }
}

TEST(SimulationLaws, order_of_each_integrator_on_a_ball_joint) {
  Model model;
  model.gravity = {0, 0, -g};
  add_body(model, "top", 1, {0.1, 0.2, 0.5}, Sym3d{0.1, 0.12, 0.08, 0.01, 0, 0});
  add_joint(model, "tip", Spherical{}, "ground", "top", {});
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  start.v = {1, -2, 3};
  for (const OrderCase& c : orders) {
    EXPECT_NEAR(order_of(mech, c, start, 0.8), c.order, 0.3) << keyword(c.integrator);
  }
}

TEST(SimulationLaws, order_of_each_integrator_on_a_loop) {
  const Mechanism mech = shipped("crank_rocker");
  State start = design_state(mech);
  start.v[0] = 6;
  LoopDynamics loops(mech);
  loops.project_velocity(start.q, start.v);
  for (const OrderCase& c : orders) {
    EXPECT_NEAR(order_of(mech, {c.integrator, c.order, c.step / 8}, start, 0.3), c.order, 0.35)
        << keyword(c.integrator);
  }
}

// --- energy --------------------------------------------------------------------------------------------------------------------

// A random tree with everything that can act on it.
Model model_with_forces(std::uint64_t seed) {
  Random random(seed);
  Model model = random_model(seed, {.bodies = 5, .friction = true, .armature = true});
  for (Joint& joint : model.joints) joint.properties.dry.clear();  // sticking has tests of its own
  const auto body = [&] { return model.bodies[static_cast<std::size_t>(random.integer(0, 4))].name; };
  for (int i = 0; i < 2; ++i) {
    Spring spring{.name = fmt::format("spring {}", i),
                  .stiffness = random.uniform(5, 50),
                  .rest = 0.3,
                  .damping = random.uniform(0, 2),
                  .preload = random.uniform(-3, 3)};
    spring.first = {"ground", random.vector(2)}, spring.second = {body(), random.vector(0.3)};
    if (i == 1) spring.gas = Spring::Gas{10, 3, 1.2}, spring.table_at = {0, 1, 3}, spring.table_force = {-2, 1, 9};
    model.springs.push_back(spring);
  }
  Bushing bushing{.name = "bushing", .first = "ground", .second = body()};
  const auto b = static_cast<std::size_t>(
      std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& x) { return x.name == bushing.second; }) -
      model.bodies.begin());
  bushing.X_AP = model.bodies[b].X_WB;
  // Its torque jumps where it is turned by π, which bodies here do: only travels are held. Turns have a test of their own.
  for (std::size_t i = 3; i < 6; ++i) bushing.stiffness[7 * i] = 20;
  for (std::size_t i = 0; i < 6; ++i) bushing.damping[7 * i] = 1;
  bushing.stiffness[22] = bushing.stiffness[27] = 3;
  model.bushings.push_back(bushing);
  Load load{.name = "load", .at = {body(), random.vector(0.2)}, .turns_along = true};
  const auto parsed = Expression::parse("3*sin(4*t)", std::vector<std::string>{"t"});
  load.components =
      std::array{StateFunction(TimeFunction(std::get<Expression>(parsed))), StateFunction(1.0), StateFunction(-2.0)};
  model.loads.push_back(load);
  for (const Joint& joint : model.joints) {
    const std::string name = joint.name + " drive";
    if (nq(joint.type) == nv(joint.type) && nv(joint.type) > 0) {
      Actuator a{
          .name = name, .kind = static_cast<Actuator::Kind>(random.integer(0, 3)), .joint = joint.name, .gear = 2};
      a.stiffness = 5, a.damping = 1, a.target = {Profile(random.uniform(-1, 1))};
      a.motor = {.resistance = 2,
                 .inductance = random.chance(0.5) ? 0.1 : 0.0,
                 .torque_constant = 0.3,
                 .back_emf = 0.3,
                 .rotor_inertia = 0.01,
                 .viscous = 0.01};
      model.actuators.push_back(a);
    } else if (nq(joint.type) == 4) {
      Actuator a{.name = name, .kind = Actuator::Kind::position, .joint = joint.name, .dof = Actuator::all_of_ball};
      a.stiffness = 4, a.damping = 0.5, a.target = {Profile(0.1), Profile(-0.4), Profile(0.2)};
      model.actuators.push_back(a);
    }
  }
  Actuator thruster{.name = "thruster", .kind = Actuator::Kind::thruster};
  thruster.thruster = {
      .at = {body(), random.vector(0.2)}, .direction = random.direction(), .gain = 0.5, .dead_band = 0.1, .lag = 0.1};
  thruster.target = {Profile(2)};
  model.actuators.push_back(thruster);
  return model;
}

struct RandomRun {
  std::uint64_t seed = 0;
  Mechanism mech;
  State start;
};
RandomRun random_run() {
  const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000));
  const Model model = model_with_forces(seed);
  const Mechanism mech = compiled(model);
  const JointStates states = random_states(model, seed, 0.3);
  return {seed, mech, {0, pack_q(mech, states.q), pack_v(mech, states.v)}};
}

RC_GTEST_PROP(SimulationLawsRandom, energy_audit_closes_with_every_force, ()) {
  const auto [seed, mech, start] = random_run();
  Simulation simulation(mech, {.until = 0.3, .tolerance = 1e-10}, start);
  const SimulationReport report = simulation.run();
  RC_ASSERT(report.ok());
  const EnergyAudit& e = report.energy;
  const double size = std::abs(e.kinetic) + std::abs(e.potential) + std::abs(e.input) + e.dissipated + 1;
  RC_LOG() << "seed " << seed << " error " << e.error << " of " << size;
  RC_ASSERT(std::abs(e.error) < 1e-7 * size);
}

TEST(SimulationLaws, bushing_that_turns_gives_back_what_it_took) {
  Model model;
  model.gravity = {};
  add_body(model, "block", 1, {0.1, 0, 0}, Sym3d{0.1, 0.2, 0.3, 0, 0, 0});
  add_joint(model, "base", Free{}, "ground", "block", {});
  Bushing bushing{.name = "mount", .first = "ground", .second = "block"};
  for (std::size_t i = 0; i < 6; ++i) bushing.stiffness[7 * i] = 20 + 3 * static_cast<double>(i);
  bushing.stiffness[1] = bushing.stiffness[6] = 4;   // turns about x and y
  bushing.stiffness[4] = bushing.stiffness[24] = 2;  // a turn about x and a travel along y
  model.bushings.push_back(bushing);
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  start.v = {8, -6, 5, 1, 2, -1};
  double largest = 0;
  SimulationOptions options{.until = 2, .tolerance = 1e-11};
  options.record = [&](const Moment& m) {
    largest = std::max(largest, 2 * std::acos(std::min(1.0, std::abs(m.q[0]))));
  };
  Simulation simulation(mech, options, start);
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_GT(largest, 0.8);
  EXPECT_LT(largest, 3);
  EXPECT_NEAR(report.energy.error, 0, 1e-8);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(SimulationLawsRandom, going_on_from_a_checkpoint_is_going_on, ()) {
  const auto [seed, mech, start] = random_run();
  RC_LOG() << "seed " << seed;
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::semi_implicit, Integrator::implicit, Integrator::midpoint}) {
    const SimulationOptions options{.until = 0.1, .step = 0.0013, .integrator = integrator};
    Simulation whole(mech, options, start), first(mech, options, start), second(mech, options, start);
    if (!whole.run().ok()) continue;
    // Broken off on the grid, as the tool does.
    RC_ASSERT(first.run(31 * 0.0013).ok());
    second.restore(first.checkpoint());
    RC_ASSERT(second.run().ok());
    const std::vector<double>&a = whole.state().q, &b = second.state().q;
    RC_ASSERT(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  }
}

// Runge–Kutta rules with error control too, broken off after any step: the length of the next one is kept.
RC_GTEST_PROP(SimulationLawsRandom, going_on_with_error_control_is_going_on, ()) {
  const auto [seed, mech, start] = random_run();
  RC_LOG() << "seed " << seed;
  SimulationOptions options{.until = 0.2, .tolerance = 1e-9};
  Simulation whole(mech, options, start), second(mech, options, start);
  const SimulationReport report = whole.run();
  RC_ASSERT(report.ok());
  options.most_steps = *rc::gen::inRange<std::uint64_t>(1, report.steps);
  Simulation first(mech, options, start);
  RC_ASSERT(first.run().status == SimulationStatus::too_many_steps);
  second.restore(first.checkpoint());
  RC_ASSERT(second.run().ok());
  RC_ASSERT(second.state().q == whole.state().q);
  RC_ASSERT(second.state().v == whole.state().v);
}

// --- time reversal -----------------------------------------------------------------------------------------------------------------

// A body that flies on undisturbed while it spins: its velocity turns in its own axes, in which it is kept, and grows in none.
TEST(SimulationLaws, what_spins_and_flies_keeps_its_velocity_by_first_order_steps) {
  Model model;
  model.gravity = {};
  add_body(model, "ball", 3, {}, Sym3d{0.1, 0.1, 0.1, 0, 0, 0});
  Joint& joint = add_joint(model, "free", Free{}, "ground", "ball", {});
  joint.v_initial = {3, 20, -5, 10, 2, 1};
  const Mechanism mech = compiled(model);
  for (const Integrator integrator : {Integrator::semi_implicit, Integrator::implicit}) {
    Simulation simulation(mech, {.until = 1, .step = 0.01, .integrator = integrator});
    ASSERT_TRUE(simulation.run().ok());
    const std::vector<double>& q = simulation.state().q;
    EXPECT_LT(norm(Vec3d{q[4], q[5], q[6]} - Vec3d{10, 2, 1}), 1e-12) << keyword(integrator);
    EXPECT_LT(std::abs(simulation.energy().error), 1e-10) << keyword(integrator);
  }
}

TEST(SimulationLaws, midpoint_rule_goes_back_where_it_came_from) {
  for (const char* name : {"double_pendulum", "gyroscope", "space_robot"}) {
    const Mechanism mech = shipped(name);
    State state = initial_state(mech);
    Random random(7);
    for (double& v : state.v) v += random.normal();
    const SimulationOptions options{.until = 1, .step = 0.005, .integrator = Integrator::midpoint, .friction = false};
    Simulation there(mech, options, state);
    ASSERT_TRUE(there.run().ok());
    State turned = there.state();
    EXPECT_GT(distance(turned.q, state.q), 0.1);
    turned.t = 0;
    for (double& v : turned.v) v = -v;
    Simulation back(mech, options, turned);
    ASSERT_TRUE(back.run().ok());
    EXPECT_LT(distance(back.state().q, state.q), 1e-9) << name;
  }
}

TEST(SimulationLaws, implicit_step_is_stable_however_stiff) {
  Model model = point_pendulum();
  model.joints[0].properties.viscous = {0};
  model.springs.push_back({.name = "stiff", .joint = "pivot", .stiffness = 1e9, .rest = 0.1, .damping = 1e3});
  Simulation simulation(compiled(model), {.until = 1, .step = 0.01, .integrator = Integrator::implicit});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_NEAR(simulation.state().q[0], 0.1, 1e-7);
  Simulation explicit_one(compiled(model), {.until = 1, .step = 0.01, .integrator = Integrator::rk4});
  const SimulationReport failed = explicit_one.run();
  EXPECT_EQ(failed.status, SimulationStatus::diverged);
  EXPECT_NE(failed.text.find("'pivot'"), std::string::npos) << failed.text;
  EXPECT_NE(failed.fix.find("implicit"), std::string::npos) << failed.fix;
}

// The audit counts the work of forces as the step takes them, at its end: off by what the rule damps, a share of the step.
TEST(SimulationLaws, audit_of_the_implicit_step_goes_with_the_step) {
  Model model = point_pendulum();
  JointProperties& p = model.joints[0].properties;
  p.viscous = {0.5}, p.lower = {-infinity}, p.upper = {0.4}, p.limit_stiffness = {1e4}, p.limit_damping = {150};
  model.springs.push_back({.name = "spring", .joint = "pivot", .stiffness = 30, .damping = 20});
  Actuator servo{.name = "servo", .kind = Actuator::Kind::position, .joint = "pivot"};
  servo.stiffness = 400, servo.damping = 40, servo.target = {Profile(0.5)};
  model.actuators.push_back(servo);
  double errors[2];
  for (const int k : {0, 1}) {
    Simulation simulation(compiled(model), {.until = 1, .step = 1e-3 / (1 + k), .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_GT(report.event_count, 0u);
    errors[k] = std::abs(report.energy.error) / report.energy.input;
  }
  EXPECT_LT(errors[0], 0.004);
  EXPECT_LT(errors[1], 0.7 * errors[0]);
}

// A stiff spring between two bodies that fall together must not hold them up.
TEST(SimulationLaws, implicit_step_lets_coupled_bodies_fall) {
  Model model;
  model.gravity = {0, 0, -g};
  for (const double x : {0.0, 1.0}) {
    const std::string name = x == 0 ? "left" : "right";
    add_body(model, name, 1, {}, Sym3d{1, 1, 1, 0, 0, 0}, Transformd::translation({x, 0, 0}));
    add_joint(model, name + " base", Free{}, "ground", name, Transformd::translation({x, 0, 0}));
  }
  Spring spring{.name = "stiff", .stiffness = 1e8, .rest = 1, .damping = 10};
  spring.first = {"left", {}}, spring.second = {"right", {}};
  model.springs.push_back(spring);
  Simulation simulation(compiled(model), {.until = 0.5, .step = 0.01, .integrator = Integrator::implicit});
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_NEAR(simulation.state().q[6], -g / 2 * 0.25, 0.03);
  EXPECT_NEAR(simulation.state().q[6], simulation.state().q[13], 1e-9);
}

}  // namespace
}  // namespace trammel::test
