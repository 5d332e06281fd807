// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Rollouts are simulations, bit by bit, whatever the number of threads; they differ in parameters, controls and beginnings; one that fails
// disturbs no other; one that forks from a running simulation goes on as that does.

#include <cmath>

#include <gtest/gtest.h>

#include <trammel/readers.hpp>
#include <trammel/rollout.hpp>

#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

Mechanism mechanism_of(const std::string& name) {
  ReadResult read = read_model(test::source_dir() + "/models/" + name);
  EXPECT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.to_string();
  return compile(read.model).mechanism;
}

State moved(const Mechanism& mechanism, std::uint64_t seed, double spread) {
  test::Random random(seed);
  State state = initial_state(mechanism);
  std::vector<double> q(state.q.size());
  step_coordinates(mechanism, state.q, random.normals(mechanism.nv, spread), q);
  state.q = q;
  state.v = random.normals(mechanism.nv, spread);
  return state;
}

// What a simulation by itself comes to.
State alone(const Mechanism& mechanism, const RolloutOptions& options, const std::optional<State>& start,
            std::vector<double> held = {}) {
  SimulationOptions s;
  s.until = (start ? start->t : initial_state(mechanism).t) + options.duration;
  s.step = options.step;
  s.integrator = options.integrator;
  if (!held.empty()) {
    s.controller.period = options.step;
    s.controller.update = [held](const Moment&, std::span<double> u) {
      std::copy(held.begin(), held.end(), u.begin());
    };
  }
  Simulation simulation(mechanism, s, start);
  EXPECT_TRUE(simulation.run().ok());
  return simulation.state();
}

// A tree with contacts and servos, one with loops, one in water.
TEST(Rollouts, are_simulations_bit_by_bit) {
  struct Trial {
    const char* model;
    Integrator integrator;
    double spread;
  };
  for (const auto& [model, integrator, spread] :
       {Trial{"quadruped_trot.yaml", Integrator::implicit, 1e-3}, Trial{"arm7.yaml", Integrator::rk4, 0.5},
        Trial{"four_cranks.yaml", Integrator::rk4, 0}, Trial{"remus100.yaml", Integrator::semi_implicit, 0.01},
        Trial{"double_pendulum.yaml", Integrator::midpoint, 0.5}}) {
    SCOPED_TRACE(model);
    const Mechanism mechanism = mechanism_of(model);
    const RolloutOptions options{.duration = 0.05, .integrator = integrator, .threads = 2};
    std::vector<RolloutCase> cases(5);
    for (std::size_t i = 1; i < cases.size(); ++i) cases[i].start = moved(mechanism, i, spread);
    const std::vector<Rollout> found = Rollouts(mechanism, options).run(cases);
    ASSERT_EQ(found.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_TRUE(found[i].ok()) << found[i].text;
      const State expected = alone(mechanism, options, cases[i].start);
      EXPECT_EQ(found[i].end.t, expected.t);
      EXPECT_EQ(found[i].end.q, expected.q);
      EXPECT_EQ(found[i].end.v, expected.v);
      EXPECT_GE(found[i].steps, 50U);  // more where friction begins to stick
    }
  }
}

TEST(Rollouts, give_the_same_bytes_on_one_two_and_three_threads) {
  const Mechanism mechanism = mechanism_of("quadruped_trot.yaml");
  std::vector<RolloutCase> cases(7);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].start = moved(mechanism, i + 1, 0.01);
  std::vector<std::vector<Rollout>> found;
  for (const int threads : {1, 2, 3}) {
    Rollouts rollouts(mechanism, {.duration = 0.1, .sample_every = 0.01, .threads = threads});
    EXPECT_EQ(rollouts.threads(), threads);
    found.push_back(rollouts.run(cases));
  }
  for (const std::vector<Rollout>& other : found) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(other[i].samples, found[0][i].samples);
      EXPECT_EQ(other[i].end.q, found[0][i].end.q);
      EXPECT_EQ(other[i].samples.size(), 11U * static_cast<std::size_t>(1 + mechanism.nq + mechanism.nv));
    }
  }
}

TEST(Rollouts, with_their_own_parameters_are_simulations_of_other_mechanisms) {
  const Mechanism mechanism = mechanism_of("quadruped_trot.yaml");
  const RolloutOptions options{.duration = 0.05};
  std::vector<RolloutCase> cases(3);
  std::vector<Mechanism> others(3, mechanism);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Parameters<double> p = mechanism.parameters;
    for (LinkInertia<double>& link : p.inertia) link.mass *= 1 + 0.1 * static_cast<double>(i);
    for (Transformd& X : p.X_PF) X.p = X.p * (1 + 0.02 * static_cast<double>(i));
    for (double& viscous : p.viscous) viscous += 0.01 * static_cast<double>(i);
    others[i].parameters = p;
    cases[i].parameters = std::make_shared<const Parameters<double>>(p);
  }
  const std::vector<Rollout> found = Rollouts(mechanism, options).run(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(found[i].end.q, alone(others[i], options, std::nullopt).q);
    if (i > 0) {
      EXPECT_NE(found[i].end.q, found[0].end.q);
    }
  }
}

TEST(Rollouts, hold_one_row_of_controls_and_go_through_several) {
  const Mechanism mechanism = mechanism_of("quadruped_trot.yaml");
  const RolloutOptions options{.duration = 0.04, .control_period = 0.01};
  const Rollouts rollouts(mechanism, options);
  const auto n = static_cast<std::size_t>(rollouts.control_count());
  ASSERT_EQ(n, 12U);
  std::vector<double> up(n, 0.3), down(n, -0.2);
  std::vector<RolloutCase> cases(3);
  cases[0].controls = up;
  for (const std::vector<double>* row : {&up, &down, &up}) {
    cases[1].controls.insert(cases[1].controls.end(), row->begin(), row->end());
  }
  std::vector<double> seen;
  cases[2].controls = cases[1].controls;
  cases[2].controller = [&](const Moment& m, std::span<double> u) {
    seen.push_back(u[0]);
    EXPECT_NEAR(m.t, 0.01 * static_cast<double>(seen.size() - 1), 1e-12);
  };
  const std::vector<Rollout> found = rollouts.run(cases);
  EXPECT_EQ(found[0].end.q, alone(mechanism, options, std::nullopt, up).q);
  EXPECT_EQ(seen, (std::vector<double>{0.3, -0.2, 0.3, 0.3}));
  EXPECT_EQ(found[2].end.q, found[1].end.q);
  EXPECT_NE(found[1].end.q, found[0].end.q);
}

// Forked half-way, with feet on the ground whose bristles are stretched: the same as the run that was left alone.
TEST(Rollouts, forked_from_a_simulation_go_on_as_it_does) {
  const Mechanism mechanism = mechanism_of("quadruped_trot.yaml");
  Simulation simulation(mechanism, {.until = 1, .step = 1e-3, .integrator = Integrator::implicit});
  simulation.run(0.2);
  std::vector<RolloutCase> cases(2);
  for (RolloutCase& one : cases) one.fork = std::make_shared<const Checkpoint>(simulation.checkpoint());
  const Rollouts rollouts(mechanism, {.duration = 0.1});
  cases[1].controls.assign(static_cast<std::size_t>(rollouts.control_count()), 0.1);
  const std::vector<Rollout> ahead = rollouts.run(cases);
  simulation.run(simulation.state().t + 0.1);
  EXPECT_TRUE(ahead[0].ok()) << ahead[0].text;
  EXPECT_EQ(ahead[0].end.q, simulation.state().q);
  EXPECT_EQ(ahead[0].end.v, simulation.state().v);
  EXPECT_EQ(ahead[0].steps, 100U);
  EXPECT_NE(ahead[1].end.q, ahead[0].end.q);
}

// A double pendulum thrown so hard that steps of rk4 cannot follow, between two that swing.
TEST(Rollouts, one_that_diverges_is_told_and_disturbs_no_other) {
  const Mechanism mechanism = mechanism_of("double_pendulum.yaml");
  const RolloutOptions options{.duration = 1, .step = 0.02, .integrator = Integrator::rk4, .threads = 2};
  std::vector<RolloutCase> cases(3);
  for (std::size_t i = 0; i < 3; ++i) cases[i].start = moved(mechanism, i + 1, 0.3);
  cases[1].start->v = {1e4, -3e4};
  const std::vector<Rollout> found = Rollouts(mechanism, options).run(cases);
  EXPECT_EQ(found[1].status, SimulationStatus::diverged);
  EXPECT_NE(found[1].text.find("grows beyond all bounds at t = "), std::string::npos) << found[1].text;
  EXPECT_NE(found[1].text.find("first at joint '"), std::string::npos) << found[1].text;
  EXPECT_LT(found[1].end.t, 1);
  for (const double x : found[1].end.q) EXPECT_TRUE(std::isfinite(x));
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_TRUE(found[i].ok());
    EXPECT_EQ(found[i].end.q, alone(mechanism, options, cases[i].start).q);
  }
}

template <class F>
std::string thrown_by(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

// One controller throws, one fork is of another mechanism: the others have their results all the same.
TEST(Rollouts, one_that_cannot_run_does_not_take_the_others_along) {
  const Mechanism arm = mechanism_of("arm7.yaml");
  const Mechanism other = mechanism_of("double_pendulum.yaml");
  for (const bool lanes : {false, true}) {
    const RolloutOptions options{.duration = 0.02, .step = 1e-3, .lanes = lanes};
    std::vector<RolloutCase> cases(4);
    cases[1].controller = [](const Moment&, std::span<double>) { throw std::runtime_error("no idea"); };
    cases[2].fork = std::make_shared<Checkpoint>(
        Simulation(other, {.until = 1, .step = 1e-3, .integrator = Integrator::implicit}).checkpoint());
    const std::vector<Rollout> out = Rollouts(arm, options).run(cases);
    EXPECT_TRUE(out[0].ok() && out[3].ok());
    EXPECT_EQ(out[0].end.q, out[3].end.q);
    EXPECT_EQ(out[1].text, "rollout 1: no idea");
    EXPECT_EQ(out[2].text, "rollout 2: the checkpoint is of a simulation with other parts or options");
    EXPECT_FALSE(out[1].ok() || out[2].ok());
  }
  std::vector<RolloutCase> cases(1);
  cases[0].start = initial_state(arm);
  cases[0].start->t = std::nan("");
  EXPECT_THROW(Rollouts(arm, {.lanes = true}).run(cases), std::invalid_argument);
}

TEST(Rollouts, refuse_what_cannot_be) {
  const Mechanism mechanism = mechanism_of("double_pendulum.yaml");
  EXPECT_EQ(thrown_by([&] { Rollouts(mechanism, {.integrator = Integrator::erk}); }),
            "rollouts take fixed steps: rk4, midpoint, semi_implicit or implicit");
  EXPECT_EQ(thrown_by([&] { Rollouts(mechanism, {.duration = std::nan("")}); }),
            "duration and step of rollouts must be positive");
  EXPECT_EQ(thrown_by([&] { Rollouts(mechanism, {.control_period = -1}); }),
            "periods of rollouts must not be negative");
  const Rollouts rollouts(mechanism, {});
  std::vector<RolloutCase> cases(2);
  const auto refused = [&] { return thrown_by([&] { static_cast<void>(rollouts.run(cases)); }); };
  cases[1].start = State{0, {1}, {1, 2}};
  EXPECT_EQ(refused(), "rollout 1: its start needs 2 coordinates and 2 velocities");
  cases[1].start = initial_state(mechanism);
  cases[1].fork = std::make_shared<const Checkpoint>();
  EXPECT_EQ(refused(), "rollout 1: it begins at a state or forks from a simulation, not both");
  cases[1] = {};
  cases[1].controls = {1, 2, 3};
  EXPECT_EQ(refused(), "rollout 1: controls come in rows of 0 numbers; 3 are no such rows");
  cases[1] = {};
  cases[1].parameters = std::make_shared<const Parameters<double>>();
  EXPECT_EQ(refused(), "rollout 1: its parameters are not those of this mechanism: lengths differ");
  cases[1] = {};
  cases[1].fork = std::make_shared<const Checkpoint>();
  EXPECT_EQ(refused(), "nothing");  // seen when it is to begin: its own status says so, and the others run
}

}  // namespace
}  // namespace trammel
