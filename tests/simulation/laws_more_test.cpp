// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Further laws: same bytes on any number of threads, the same motion whichever joint is cut, drift of closed chains, and corners of events,
// controllers, drives and recorded moments.

#include <cstring>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "simulation/scenes.hpp"
#include "support/closed_chains.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

using At = std::size_t;

const JointInfo& joint_of(const Mechanism& mech, const std::string& name) {
  return mech.joints[static_cast<At>(mech.find_joint(name))];
}

// --- threads -----------------------------------------------------------------------------------------------------------------

struct Ending {
  std::vector<double> q, v;
  double error = 0;
};
Ending ending_of(const Mechanism& mech, const SimulationOptions& options, const State& start) {
  Simulation simulation(mech, options, start);
  const SimulationReport report = simulation.run();
  EXPECT_TRUE(report.ok()) << report.text;
  return {simulation.state().q, simulation.state().v, report.energy.error};
}
bool same_bytes(const Ending& a, const Ending& b) {
  return std::memcmp(a.q.data(), b.q.data(), a.q.size() * sizeof(double)) == 0 &&
         std::memcmp(a.v.data(), b.v.data(), a.v.size() * sizeof(double)) == 0 &&
         std::memcmp(&a.error, &b.error, sizeof(double)) == 0;
}

TEST(SimulationThreads, one_and_two_leave_the_same_bytes) {
  for (const char* name : {"three_arm_grasp", "quadruped", "crank_rocker"}) {
    const Mechanism mech = shipped(name);
    State start = initial_state(mech);
    Random random(3);
    for (double& v : start.v) v += 0.3 * random.normal();
    for (const Integrator integrator :
         {Integrator::erk, Integrator::bdf, Integrator::rk4, Integrator::semi_implicit, Integrator::implicit}) {
      const SimulationOptions options{.until = 0.05, .integrator = integrator};
      std::vector<Ending> endings;
      for (const std::size_t threads : {1, 2}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        endings.push_back(ending_of(mech, options, start));
      }
      endings.resize(4);
      std::thread one([&] { endings[2] = ending_of(mech, options, start); });
      std::thread two([&] { endings[3] = ending_of(mech, options, start); });
      one.join();
      two.join();
      for (At i = 1; i < 4; ++i)
        EXPECT_TRUE(same_bytes(endings[0], endings[i])) << name << ' ' << keyword(integrator) << ' ' << i;
    }
  }
}

// --- whichever joint is cut ------------------------------------------------------------------------------------------------------

// A four-bar with friction, a spring, a servo and a stop at every joint. Which of them closes the loop is our business.
Model fourbar_with_forces(const std::string& cut) {
  ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  Model& model = read.model;
  model.inputs.clear();
  int k = 0;
  for (Joint& joint : model.joints) {
    ++k;
    joint.cut = joint.name == cut;
    joint.properties.viscous = {1e-3 * k};
    joint.properties.armature = {1e-5 * k};
    joint.properties.lower = {-10}, joint.properties.upper = {joint.name == "A"   ? -0.2
                                                              : joint.name == "B" ? 0.5
                                                                                  : 10.0};
    joint.properties.limit_stiffness = {30}, joint.properties.limit_damping = {0.05};
    Spring spring{.name = "spring " + joint.name};
    spring.joint = joint.name, spring.stiffness = 0.03 * k, spring.rest = 0.2 * k, spring.damping = 2e-4 * k;
    model.springs.push_back(spring);
    Actuator a{.name = "servo " + joint.name, .kind = Actuator::Kind::position, .joint = joint.name, .gear = 2};
    a.stiffness = 0.02 * k, a.damping = 1e-3, a.target = {Profile(0.1 * k)};
    if (joint.name == "B") a.kind = Actuator::Kind::velocity, a.target = {Profile(3.0)};
    if (joint.name == "O4") {
      a.kind = Actuator::Kind::dc_motor;
      a.motor = {.resistance = 2,
                 .inductance = 0.02,
                 .torque_constant = 0.02,
                 .back_emf = 0.02,
                 .rotor_inertia = 1e-6,
                 .viscous = 1e-5};
      a.target = {Profile(3.0)};
    }
    model.actuators.push_back(a);
  }
  return model;
}

TEST(SimulationLoops, move_the_same_whichever_joint_is_cut) {
  std::vector<double> first;
  for (const std::string cut : {"B", "A", "O2", "O4"}) {
    const Mechanism mech = compiled(fourbar_with_forces(cut));
    ASSERT_EQ(joint_of(mech, cut).role, JointRole::closure);
    int touched = 0;
    SimulationOptions options{.until = 0.5, .tolerance = 1e-12, .integrator = Integrator::bdf};
    options.on_event = [&](const RecordedEvent& event) { touched += event.kind == "limit"; };
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    const AnalysisStep step = describe(simulation);
    std::vector<double> found;
    for (const BodyMotion& body : step.bodies) {
      for (const double x : {body.X_WB.p.x, body.X_WB.p.y, body.X_WB.R.ex.x, body.X_WB.R.ex.y}) found.push_back(x);
    }
    found.push_back(touched);
    // Energies differ by nothing but the zero of what is stored.
    for (const double x : {report.energy.kinetic, report.energy.elastic, report.energy.input, report.energy.dissipated})
      found.push_back(x);
    for (const double f : simulation.actuator_forces()) found.push_back(f);
    EXPECT_LT(std::abs(report.energy.error), 1e-8) << cut;
    EXPECT_GT(touched, 0);
    if (first.empty()) first = found;
    ASSERT_EQ(found.size(), first.size());
    for (At i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], first[i], 1e-8) << cut << ' ' << i;
  }
}

// A servo leads the crank through three turns against a spring; an event and a stop count turns as well. So does what is told of the joint.
TEST(SimulationLoops, count_turns_whichever_joint_is_cut) {
  std::vector<double> first;
  for (const std::string cut : {"B", "O2"}) {
    Model model = fourbar_with_forces(cut);
    model.springs.clear(), model.actuators.clear();
    for (Joint& joint : model.joints) {
      JointProperties& p = joint.properties;
      p.lower.clear(), p.upper.clear();
      if (joint.name == "O2") {
        p.lower = {-infinity}, p.upper = {16};
      } else {
        p.limit_stiffness.clear(), p.limit_damping.clear();
      }
    }
    const auto ramp = Expression::parse("20*t", std::vector<std::string>{"t"});
    Actuator servo{.name = "servo", .kind = Actuator::Kind::position, .joint = "O2"};
    servo.stiffness = 3, servo.damping = 0.05, servo.target = {Profile(TimeFunction(std::get<Expression>(ramp)))};
    model.actuators.push_back(servo);
    model.springs.push_back({.name = "spring", .joint = "O2", .stiffness = 0.01});
    const ReadResult with_event = read_yaml(write_yaml(model) + "events: {nine: {when: \"O2 - 9\"}}\n", "test.yaml");
    ASSERT_TRUE(with_event.ok()) << with_event.diagnostics.to_string();
    const Mechanism mech = compiled(with_event.model);
    ASSERT_EQ(joint_of(mech, cut).role, JointRole::closure);
    for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
      const double fixed = integrator == Integrator::rk4 ? 2e-4 : 0;
      SimulationOptions options{.until = 0.85, .step = fixed, .tolerance = 1e-11, .integrator = integrator};
      std::vector<double> found;
      options.on_event = [&](const RecordedEvent& event) { found.push_back(event.t); };
      Simulation simulation(mech, options);
      const SimulationReport report = simulation.run();
      ASSERT_TRUE(report.ok()) << report.text;
      const AnalysisStep step = describe(simulation);
      found.push_back(step.joints[static_cast<At>(mech.find_joint("O2"))].q[0]);
      for (const double x : {report.energy.elastic, report.energy.input}) found.push_back(x);
      EXPECT_GT(found[2], 15.9);
      EXPECT_LT(std::abs(report.energy.error), 1e-6) << cut;
      if (first.empty()) first = found;
      ASSERT_EQ(found.size(), first.size()) << cut << ' ' << keyword(integrator);
      for (At i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], first[i], 1e-6) << cut << ' ' << i;
    }
  }
}

// A powered ball joint acts as well where it closes a loop.
TEST(SimulationLoops, ball_joints_are_powered_also_where_they_are_cut) {
  std::vector<double> first;
  for (const std::string cut : {"ball", "hinge"}) {
    Model model;
    model.gravity = {0, 0, -g};
    const Transformd tip = Transformd::translation({1, 0, 0});
    add_body(model, "arm", 1, {0.5, 0, 0}, Sym3d{0.01, 0.1, 0.1, 0, 0, 0});
    add_body(model, "body", 1, {0.1, 0.2, 0}, Sym3d{0.1, 0.12, 0.08, 0.01, 0, 0}, tip);
    add_joint(model, "hinge", Revolute{}, "ground", "arm", frame_at({0, 0, 0}, {0, 1, 0})).cut = cut == "hinge";
    add_joint(model, "ball", Spherical{}, "arm", "body", tip).cut = cut == "ball";
    add_joint(model, "float", Free{}, "ground", "body", tip);
    Actuator a{.name = "servo", .kind = Actuator::Kind::position, .joint = "ball", .dof = Actuator::all_of_ball};
    a.stiffness = 5, a.damping = 0.5, a.target = {Profile(0.3), Profile(-0.2), Profile(0.8)};
    model.actuators.push_back(a);
    const Mechanism mech = compiled(model);
    ASSERT_EQ(joint_of(mech, cut).role, JointRole::closure);
    Simulation simulation(mech, {.until = 0.5, .tolerance = 1e-11});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_LT(std::abs(report.energy.error), 1e-8) << cut;
    const AnalysisStep step = describe(simulation);
    std::vector<double> found{report.energy.input, simulation.actuator_forces()[0]};
    for (const BodyMotion& body : step.bodies) {
      for (const Vec3d& x : {body.X_WB.p, body.X_WB.R.ex, body.X_WB.R.ey}) found.insert(found.end(), {x.x, x.y, x.z});
    }
    if (first.empty()) first = found;
    for (At i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], first[i], 1e-8) << cut << ' ' << i;
  }
}

// --- drift -------------------------------------------------------------------------------------------------------------------

// Figures of closed_chain_drift_study.json: three arms hold an object, RK4 with projection after each step. In the coordinates of the
// study, joints of the arms and the object by itself, the energy is off by what it is there, to three digits: the steps are the same. In a
// tree where the object hangs on the first arm it is off by 4.4e-5 J.
TEST(SimulationDrift, of_three_arms_is_that_of_the_study) {
  closed_chains::Case c("i_3arms_6dof_weld");
  for (Joint& joint : c.model.joints) joint.cut = joint.cut || joint.name == c.tips[0];
  add_joint(c.model, "float", Free{}, "ground", "object", c.model.bodies[0].X_WB);
  const Mechanism mech = compiled(c.model);
  State start = design_state(mech);
  const nlohmann::json& mechanism = c.data["mechanism"];
  for (At k = 0; k < c.chain.size(); ++k) {
    const std::vector<double> rates = closed_chains::flat(mechanism["chains"][k]["qd"]);
    for (At i = 0; i < c.chain[k].size(); ++i) start.v[static_cast<At>(joint_of(mech, c.chain[k][i]).v)] = rates[i];
  }
  for (At i = 0; i < 6; ++i) start.v[static_cast<At>(joint_of(mech, "float").v) + i] = mechanism["ref"]["v"][i];
  nlohmann::json study;
  for (const auto& entry : reference("closed_chain_drift_study")) {
    if (entry["case"] == "i_3arms_6dof_weld" && entry["mode"] == "projection") study = entry;
  }
  const double energy = study["end_energy_err"];
  for (const LoopMethod method : {LoopMethod::star, LoopMethod::dense}) {
    Simulation simulation(
        mech, {.until = study["T"], .step = study["h"], .integrator = Integrator::rk4, .loop_method = method}, start);
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_LE(report.drift.position, study["max_pos_err"].get<double>());
    EXPECT_LE(std::abs(report.energy.error), 1.001 * energy);
    if (method == LoopMethod::star) {
      EXPECT_NEAR(std::abs(report.energy.error), energy, 1e-3 * energy);
    }
  }
}

// --- checkpoints -----------------------------------------------------------------------------------------------------------------

// A gear whose second wheel is a joint that closes a loop, after some turns; jaws that rest at their stops; a servo that counts turns. A new
// simulation knows none of that but by the checkpoint.
TEST(SimulationCheckpoints, hold_turns_and_what_pushes) {
  const Mechanism geared = from_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], P: [1, 0, 0], A: [1, 0.3, 0], B: [1.4, 0.3, 0], Q: [1.4, 0, 0]}
bodies:
  wheel: {mass: 1, com: O, inertia: [0.1, 0.1, 0.1]}
  crank: {mass: 1, shape: {rod: [P, A], radius: 0.01}}
  rod: {mass: 1, shape: {rod: [A, B], radius: 0.01}}
  follower: {mass: 1, shape: {rod: [Q, B], radius: 0.01}}
joints:
  wheel: {revolute: [ground, wheel], at: O, axis: z}
  A: {revolute: [crank, rod], at: A, axis: z}
  B: {revolute: [rod, follower], at: B, axis: z}
  Q: {revolute: [ground, follower], at: Q, axis: z}
  P: {revolute: [ground, crank], at: P, axis: z, cut: true}
couplings: {gear: {gear: [wheel, P], teeth: [20, 40]}}
actuators: {servo: {position: P, stiffness: 30, damping: 1, target: "-5*t"}}
initial: {wheel: {v: 10}}
)");
  ASSERT_EQ(joint_of(geared, "P").role, JointRole::closure);
  for (const Mechanism& mech : {geared, shipped("geared_arm")}) {
    const SimulationOptions options{.until = 4, .step = 0.004, .integrator = Integrator::rk4};
    Simulation whole(mech, options), first(mech, options), second(mech, options);
    const SimulationReport report = whole.run();
    ASSERT_TRUE(report.ok()) << report.text;
    ASSERT_TRUE(first.run(2).ok());
    second.restore(first.checkpoint());
    ASSERT_TRUE(second.run().ok());
    EXPECT_EQ(second.state().q, whole.state().q) << mech.name;
    EXPECT_EQ(second.state().v, whole.state().v) << mech.name;
    EXPECT_EQ(second.checkpoint(), whole.checkpoint()) << mech.name;
  }
}

TEST(SimulationCheckpoints, of_other_simulations_are_refused) {
  Model model = point_pendulum();
  model.joints[0].properties.dry = {0.1};
  const Mechanism rubbing = compiled(model);
  Simulation with(rubbing, {.until = 0.1}), without(rubbing, {.until = 0.1, .friction = false});
  ASSERT_TRUE(with.run().ok());
  EXPECT_THROW(without.restore(with.checkpoint()), std::invalid_argument);
  Simulation other(shipped("crank_rocker"), {.until = 0.1});
  EXPECT_THROW(other.restore(with.checkpoint()), std::invalid_argument);
  Checkpoint shortened = with.checkpoint();
  shortened.numbers.resize(3);
  Simulation again(rubbing, {.until = 0.1});
  EXPECT_THROW(again.restore(shortened), std::invalid_argument);
}

// --- energy --------------------------------------------------------------------------------------------------------------------

// What an impact takes away, or a closing loop, is booked as lost: the audit closes.
TEST(SimulationAudit, closes_over_jumps_of_velocity) {
  Model model = point_pendulum();
  SimulationOptions options{.until = 2, .tolerance = 1e-11};
  options.events.push_back({.name = "wall",
                            .direction = Event::Direction::rising,
                            .when = [](const Moment& m) { return m.q[0] - 1; },
                            .then =
                                [](double, std::span<const double>, std::span<double> v) {
                                  v[0] *= -0.5;
                                  return true;
                                }});
  Simulation simulation(compiled(model), options);
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  ASSERT_GT(report.event_count, 0u);
  EXPECT_GT(report.energy.dissipated, 1);
  EXPECT_LT(std::abs(report.energy.error), 1e-8);
}

TEST(SimulationAudit, asking_for_energy_leaves_accelerations_as_they_are) {
  const Mechanism mech = compiled(fourbar_with_forces("B"));
  Simulation simulation(mech, {.until = 0.05});
  ASSERT_TRUE(simulation.run().ok());
  const auto list = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  const std::vector<double> before = list(simulation.accelerations());
  simulation.energy();
  EXPECT_EQ(list(simulation.accelerations()), before);
}

// --- controllers and moments ---------------------------------------------------------------------------------------------------

TEST(SimulationControl, without_a_period_is_called_at_every_step) {
  Model model = point_pendulum();
  model.actuators.push_back({.name = "push", .kind = Actuator::Kind::torque, .joint = "pivot"});
  for (const Integrator integrator : {Integrator::rk4, Integrator::erk}) {
    int calls = 0;
    SimulationOptions options{.until = 0.1, .step = 0.01, .integrator = integrator, .most_steps = 1000};
    options.controller.update = [&](const Moment&, std::span<double> u) { ++calls, u[0] = -g; };
    Simulation simulation(compiled(model), options);
    const SimulationReport report = simulation.run();
    ASSERT_EQ(report.status, SimulationStatus::done) << report.text;
    EXPECT_EQ(static_cast<std::uint64_t>(calls), report.steps) << keyword(integrator);
    EXPECT_GE(report.steps, 10u);
  }
}

// 0.1 is no number of the machine: after many periods calls still stand at multiples of it, and steps stay on their grid.
TEST(SimulationControl, keeps_its_times_over_many_periods) {
  Model model = point_pendulum();
  model.actuators.push_back({.name = "push", .kind = Actuator::Kind::torque, .joint = "pivot"});
  std::vector<double> times;
  SimulationOptions options{.until = 100, .step = 1e-3, .integrator = Integrator::semi_implicit};
  options.controller.period = 0.1;
  options.controller.update = [&](const Moment& m, std::span<double> u) { times.push_back(m.t), u[0] = 0; };
  Simulation simulation(compiled(model), options);
  const SimulationReport report = simulation.run();
  ASSERT_EQ(times.size(), 1000u);
  for (At i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], 0.1 * static_cast<double>(i), 1e-13) << i;
  EXPECT_EQ(report.steps, 100000u);
}

TEST(SimulationMoments, samples_stand_at_the_start_at_the_end_and_at_events) {
  const Mechanism mech = compiled(point_pendulum());
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4, Integrator::midpoint}) {
    std::vector<double> sampled, recorded;
    SimulationOptions options{.until = 1, .integrator = integrator, .record_every = 0.1};
    options.at = {1, 0, 0.25, 0.25, 0.3};
    options.sample = [&](const Moment& m) { sampled.push_back(m.t); };
    options.record = [&](const Moment& m) { recorded.push_back(m.t); };
    options.events.push_back({.name = "tick", .when = [](const Moment& m) { return m.t - 0.3; }});
    options.events.push_back({.name = "tock", .when = [](const Moment& m) { return m.t - 0.55; }});
    Simulation simulation(mech, options);
    ASSERT_TRUE(simulation.run().ok());
    EXPECT_EQ(sampled, (std::vector<double>{0, 0.25, 0.25, 0.3, 1})) << keyword(integrator);
    ASSERT_EQ(recorded.size(), 11u) << keyword(integrator);
    for (At i = 0; i < 11; ++i) EXPECT_NEAR(recorded[i], 0.1 * static_cast<double>(i), 1e-12);
  }
}

// The last moment is recorded wherever it lies, once; a run that goes on later has not ended there.
TEST(SimulationMoments, the_end_is_recorded_off_the_grid_too) {
  const Mechanism mech = compiled(point_pendulum());
  const auto times = [&](SimulationOptions options, const std::vector<double>& untils) {
    std::vector<double> recorded;
    options.record_every = 0.3;
    options.record = [&](const Moment& m) { recorded.push_back(m.t); };
    Simulation simulation(mech, options);
    for (const double until : untils) simulation.run(until);
    EXPECT_EQ(simulation.checkpoint().rows, 4u);
    return recorded;
  };
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && distance(a, b) < 1e-9;
  };
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4}) {
    const SimulationOptions plain{.until = 1, .integrator = integrator};
    EXPECT_TRUE(near(times(plain, {1}), {0, 0.3, 0.6, 0.9, 1})) << keyword(integrator);
    EXPECT_TRUE(near(times(plain, {0.5, 0.7, 1, 1}), {0, 0.3, 0.6, 0.9, 1})) << keyword(integrator);
    SimulationOptions stopped = plain;
    stopped.until = 2;
    stopped.events.push_back({.name = "stop",
                              .when = [](const Moment& m) { return m.t - 1.1; },
                              .then = [](double, std::span<const double>, std::span<double>) { return false; }});
    EXPECT_TRUE(near(times(stopped, {2}), {0, 0.3, 0.6, 0.9, 1.1})) << keyword(integrator);
  }
}

TEST(SimulationRecordings, in_memory_hold_rows_events_and_a_way_to_go_on) {
  const Mechanism mech = shipped("double_pendulum");
  int seen = 0, rows = 0;
  SimulationOptions options{.until = 1, .tolerance = 1e-10, .record_every = 0.25};
  options.events.push_back({.name = "half", .when = [](const Moment& m) { return m.t - 0.5; }});
  options.on_event = [&](const RecordedEvent&) { ++seen; };
  options.record = [&](const Moment&) { ++rows; };
  const SimulatedRun run = simulate(mech, options);
  ASSERT_TRUE(run.report.ok()) << run.report.text;
  EXPECT_EQ(run.recording.row_count(), 5u);
  EXPECT_EQ(rows, 5);
  EXPECT_EQ(seen, 1);
  ASSERT_EQ(run.recording.events.size(), 1u);
  EXPECT_EQ(run.recording.events[0].name, "half");
  EXPECT_EQ(run.recording.status, "done");
  const std::vector<double> t = run.recording.column(0),
                            total = run.recording.column(run.recording.find_channel("energy.total"));
  EXPECT_EQ(t.back(), 1);
  for (const double e : total) EXPECT_NEAR(e, total[0], 1e-8);
  ASSERT_TRUE(run.recording.checkpoint);
  Simulation on(mech, {.until = 2, .tolerance = 1e-10});
  options.events.clear();
  EXPECT_THROW(on.restore(*run.recording.checkpoint), std::invalid_argument);  // it has no such event
  const SimulatedRun plain = simulate(mech, {.until = 1, .tolerance = 1e-10}, {"coordinates"});
  EXPECT_EQ(plain.recording.header.channels.size(), 3u);
  on.restore(*plain.recording.checkpoint);
  EXPECT_TRUE(on.run().ok());
  EXPECT_EQ(on.state().t, 2);
}

// Whichever joint is cut, all are recorded; the crank goes round three times.
TEST(SimulationRecordings, hold_the_motion_of_joints_that_close_loops) {
  std::map<std::string, std::vector<double>> first;
  for (const std::string cut : {"B", "A", "O4"}) {
    Model model = read_model(source_dir() + "/models/crank_rocker.yaml").model;
    model.drives.push_back({.name = "O2", .kind = Drive::Kind::velocity, .joint = "O2", .motion = Profile(20)});
    for (Joint& joint : model.joints) joint.cut = joint.name == cut;
    const Mechanism mech = compiled(model);
    ASSERT_EQ(joint_of(mech, cut).role, JointRole::closure);
    const SimulatedRun run = simulate(mech, {.until = 1, .tolerance = 1e-11, .record_every = 0.05},
                                      {"coordinates", "velocities", "accelerations"});
    ASSERT_TRUE(run.report.ok()) << run.report.text;
    ASSERT_EQ(run.recording.header.channels.size(), 1u + 3 * 4);
    for (At c = 1; c < 13; ++c) {
      const std::string& name = run.recording.header.channels[c].name;
      const std::vector<double> column = run.recording.column(static_cast<int>(c));
      if (first.count(name) == 0) first[name] = column;
      EXPECT_LT(distance(column, first[name]), name.ends_with(".a") ? 1e-5 : 1e-7) << name << ", cut " << cut;
    }
  }
  ASSERT_EQ(first.size(), 12u);
  EXPECT_GT(std::abs(first["A.q"].back() - first["A.q"].front()), 15);  // it turns with the crank, three times
}

// --- drives and friction ---------------------------------------------------------------------------------------------------------

// A driven joint with dry friction: the drive overcomes it, whichever way it goes.
TEST(SimulationDrives, overcome_the_friction_of_their_joint) {
  Model model;
  model.gravity = {};
  add_body(model, "mass", 2, {}, Sym3d{1, 1, 1, 0, 0, 0});
  add_joint(model, "slide", Prismatic{}, "ground", "mass", {}).properties.dry = {3};
  const auto formula = Expression::parse("0.1*sin(5*t)", std::vector<std::string>{"t"});
  model.drives.push_back(
      {.name = "slide", .joint = "slide", .motion = Profile(TimeFunction(std::get<Expression>(formula)))});
  const Mechanism mech = compiled(model);
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
    SimulationOptions options{.until = 2, .tolerance = 1e-10, .integrator = integrator, .record_every = 0.05};
    Simulation* running = nullptr;
    options.record = [&](const Moment& m) {
      const double v = 0.5 * std::cos(5 * m.t), a = -2.5 * std::sin(5 * m.t);
      if (std::abs(v) > 1e-6) {
        EXPECT_NEAR(running->drive_forces()[0], 2 * a + (v > 0 ? 3 : -3), 1e-10) << m.t;
      }
    };
    Simulation simulation(mech, options);
    running = &simulation;
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    const double travel = 0.1 * (6 + std::abs(std::sin(10.0)));  // six quarters of a period, and a bit
    EXPECT_NEAR(report.energy.dissipated, 3 * travel, 1e-7) << keyword(integrator);
    EXPECT_NEAR(report.energy.error, 0, 1e-7) << keyword(integrator);
  }
}

// Where a linkage cannot follow its drive the run ends with words, not with open loops.
TEST(SimulationDrives, that_a_linkage_cannot_follow_are_told) {
  ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  Model& model = read.model;
  model.inputs.clear();
  // The rocker is turned on and on; it only rocks.
  model.drives.push_back({.name = "O4", .kind = Drive::Kind::velocity, .joint = "O4", .motion = Profile(2)});
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
    Simulation simulation(compiled(model), {.until = 5, .integrator = integrator, .most_steps = 100000});
    const SimulationReport report = simulation.run();
    EXPECT_FALSE(report.ok()) << keyword(integrator) << " t = " << report.t << ", open by " << report.drift.position;
    EXPECT_LT(report.drift.position, 1e-6) << keyword(integrator);
    EXPECT_FALSE(report.text.empty());
  }
}

TEST(SimulationDrives, of_joints_that_are_cut_are_refused) {
  ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  Model& model = read.model;
  model.drives.push_back({.name = "B", .kind = Drive::Kind::velocity, .joint = "B", .motion = Profile(2)});
  for (Joint& joint : model.joints) joint.cut = joint.name == "B";
  const CompileResult result = compile(model);
  EXPECT_TRUE(result.diagnostics.has_errors());
  EXPECT_NE(result.diagnostics.to_string().find("drive 'B' moves a joint that closes a loop"), std::string::npos)
      << result.diagnostics.to_string();
}

// Dry friction at every joint of a four-bar holds it, though one would be enough, and lets it go when a servo pulls harder.
TEST(SimulationFriction, of_all_joints_of_a_loop_holds_it) {
  ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  Model& model = read.model;
  model.inputs.clear();
  for (Joint& joint : model.joints) joint.properties.dry = {2};
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
    const Mechanism mech = compiled(model);
    Simulation simulation(mech, {.until = 1, .integrator = integrator});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_LT(distance(simulation.state().q, initial_state(mech).q), 1e-9) << keyword(integrator);
  }
}

}  // namespace
}  // namespace trammel::test
