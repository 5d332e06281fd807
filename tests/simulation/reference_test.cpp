// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Motions that are known, from the files in tests/reference/data (each names its source) and from closed forms.

#include <complex>

#include <fmt/format.h>

#include "simulation/fourbars.hpp"
#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

constexpr double pi = std::numbers::pi;

void note(const std::string& what, double error) {
  ::testing::Test::RecordProperty(what, fmt::format("{:.2e}", error));
}

// IFToMM A01.
double error_of_pendulum(Integrator integrator, double tolerance) {
  const Mechanism mech = compiled(point_pendulum());
  double worst = 0;
  SimulationOptions options{.until = 10, .tolerance = tolerance, .integrator = integrator};
  const nlohmann::json known = reference("iftomm_A01_pendulum")["reference"];
  for (const auto& [t, values] : known.items()) options.at.push_back(std::stod(t));
  options.sample = [&](const Moment& moment) {
    for (const auto& [t, values] : known.items()) {
      if (std::stod(t) != moment.t) continue;
      worst = std::max(worst, std::abs(pi / 2 - moment.q[0] - values["theta_from_down_on_start_side"].get<double>()));
    }
  };
  Simulation simulation(mech, options);
  EXPECT_TRUE(simulation.run().ok());
  return worst;
}

TEST(SimulationReference, pendulum_of_IFToMM_A01_to_1e_9_by_an_explicit_rule) {
  const double error = error_of_pendulum(Integrator::erk, 1e-12);
  note("error", error);
  EXPECT_LT(error, 1e-9);
}
TEST(SimulationReference, pendulum_of_IFToMM_A01_by_backward_differences) {
  const double error = error_of_pendulum(Integrator::bdf, 1e-12);
  note("error", error);
  EXPECT_LT(error, 1e-8);
}
TEST(SimulationReference, pendulum_of_IFToMM_A01_by_fixed_steps) {
  EXPECT_LT(error_of_pendulum(Integrator::rk4, 1e-8), 1e-9);
  EXPECT_LT(error_of_pendulum(Integrator::midpoint, 1e-8), 1e-4);
}

TEST(SimulationReference, andrews_squeezer_to_1e_7) {
  const Mechanism mech = shipped("andrews");
  const nlohmann::json file = reference("andrews_squeezer");
  const auto first = file["initial_q"].get<std::vector<double>>();
  const auto last = file["reference_t0_03"]["q"].get<std::vector<double>>();
  const auto rates = file["reference_t0_03"]["qd"].get<std::vector<double>>();
  // β, Θ, γ, Φ, δ, Ω, ε are the turns of these joints since the start.
  const char* joints[] = {"O", "F", "B", "H", "A5", "G", "A7"};
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
    Simulation simulation(
        mech, {.until = 0.03, .tolerance = integrator == Integrator::bdf ? 1e-12 : 1e-11, .integrator = integrator});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    double error = 0, of_rates = 0;
    for (std::size_t k = 0; k < 7; ++k) {
      const JointInfo& joint = mech.joints[static_cast<std::size_t>(mech.find_joint(joints[k]))];
      ASSERT_EQ(joint.role, JointRole::tree);
      error = std::max(error, std::abs(first[k] + simulation.state().q[static_cast<std::size_t>(joint.q)] - last[k]));
      of_rates =
          std::max(of_rates, std::abs(simulation.state().v[static_cast<std::size_t>(joint.v)] - rates[k]) / 1000);
    }
    note(std::string(keyword(integrator)), error);
    EXPECT_LT(error, 1e-7) << keyword(integrator);
    EXPECT_LT(of_rates, 1e-6) << keyword(integrator);
    EXPECT_LT(report.drift.position, 1e-13);
    EXPECT_LT(std::abs(report.energy.error), 1e-7 * report.energy.input);
  }
}

TEST(SimulationReference, four_bars_of_IFToMM_A02_go_straight_through_their_singular_positions) {
  for (const int n : {1, 2}) {
    SimulationReport report;
    const double error = error_of_fourbars(n, 10, report);
    note(fmt::format("N={}", n), error);
    EXPECT_LT(error, 1e-6) << n;
    EXPECT_LT(report.drift.position, 1e-9) << n;
  }
}

// Any number of them moves as one pendulum: ((n + 1)/3 + n) θ̈ = −((n + 1)/2 + n) g cos θ. Round-off of the loops' gaps, which stands in the
// accelerations a millionfold beside a singular position, must not shorten steps without end.
TEST(SimulationReference, rows_of_four_bars_move_as_one_pendulum) {
  for (const int n : {3, 6}) {
    const double mass = 2 * n + 1, arm = ((n + 1) / 2.0 + n) / mass, inertia = (n + 1) / 3.0 + n - mass * arm * arm;
    Model pendulum;
    pendulum.gravity = {0, -g, 0};
    add_body(pendulum, "bob", mass, {0, arm, 0}, Sym3d{inertia, inertia, inertia, 0, 0, 0});
    add_joint(pendulum, "A0", Revolute{}, "ground", "bob", frame_at({0, 0, 0}, {0, 0, 1}));
    const Mechanism one = compiled(pendulum), row = compiled(row_of_fourbars(n));
    const double known = end_of(one, {.until = 10, .tolerance = 1e-12}, start_of_fourbars(one))[0];
    Simulation simulation(row, {.until = 10, .tolerance = 1e-10}, start_of_fourbars(row));
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    const JointInfo& first = row.joints[static_cast<std::size_t>(row.find_joint("A0"))];
    const double error = std::abs(simulation.state().q[static_cast<std::size_t>(first.q)] - known);
    note(fmt::format("N={}", n), error);
    EXPECT_LT(error, 1e-6) << n;
    EXPECT_LT(report.drift.position, 1e-9) << n;
    EXPECT_LT(std::abs(report.energy.error), 1e-6) << n;
    EXPECT_LT(report.steps, 1000u) << n;
  }
}

TEST(SimulationReference, bricard_mechanism_of_IFToMM_A04) {
  const Mechanism mech = shipped("bricard");
  const nlohmann::json known = reference("iftomm_A04_bricard")["reference"];
  Simulation* running = nullptr;
  double worst = 0;
  std::size_t seen = 0;
  SimulationOptions options{.until = 10, .tolerance = 1e-11, .at = {0.5, 1, 2, 5, 10}};
  options.sample = [&](const Moment& moment) {
    const AnalysisStep step = describe(*running);
    const nlohmann::json there = known[fmt::format("{}", moment.t)];
    for (std::size_t k = 0; k < mech.outputs.size(); ++k, ++seen) {
      const nlohmann::json p = there[mech.outputs[k].name];
      worst = std::max(worst, norm(step.points[k].p - Vec3d{p[0], p[1], p[2]}));
    }
  };
  Simulation simulation(mech, options);
  running = &simulation;
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(seen, 20u);
  note("position", worst);
  note("energy", report.energy.error);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(std::abs(report.energy.error), 1e-6);
  EXPECT_LT(report.drift.position, 1e-9);
}

TEST(SimulationReference, chains_of_rods) {
  const nlohmann::json known = reference("pendulum_chains")["reference"];
  for (const auto& [n, values] : known.items()) {
    Model model;
    model.gravity = {0, -g, 0};
    const int count = std::stoi(n);
    for (int i = 0; i < count; ++i) {
      add_body(model, fmt::format("rod {}", i), 1, {i + 0.5, 0, 0}, Sym3d{0, 1.0 / 12, 1.0 / 12, 0, 0, 0});
      add_joint(model, fmt::format("joint {}", i), Revolute{}, i == 0 ? "ground" : fmt::format("rod {}", i - 1),
                fmt::format("rod {}", i), frame_at({static_cast<double>(i), 0, 0}, {0, 0, 1}));
    }
    const std::vector<double> q = end_of(compiled(model), {.until = 1, .tolerance = 1e-12});
    double angle = 0, error = 0;
    for (int i = 0; i < count; ++i) {
      angle += q[static_cast<std::size_t>(i)];
      error = std::max(error, std::abs(angle - values["theta"][static_cast<std::size_t>(i)].get<double>()));
    }
    note(n, error);
    EXPECT_LT(error, 1e-9) << n;
  }
}

TEST(SimulationReference, body_without_torque) {
  const nlohmann::json cases = reference("euler_rigid_body")["reference"];
  for (const auto& known : cases) {
    Model model;
    model.gravity = {};
    add_body(model, "body", 1, {}, Sym3d{1, 2, 3, 0, 0, 0});
    add_joint(model, "base", Free{}, "ground", "body", {});
    const Mechanism mech = compiled(model);
    State start = design_state(mech);
    for (std::size_t i = 0; i < 3; ++i) start.v[i] = known["w0"][i];
    for (std::size_t k = 0; k < known["times"].size(); ++k) {
      const double until = known["times"][k];
      Simulation simulation(mech, {.until = until, .tolerance = 1e-13}, start);
      ASSERT_TRUE(simulation.run().ok());
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(simulation.state().v[i], known["omega_body"][k][i].get<double>(), 2e-9) << until;
      }
    }
  }
}

TEST(SimulationReference, heavy_top) {
  const nlohmann::json file = reference("heavy_top");
  const nlohmann::json p = file["parameters"];
  // A top of our own with the file's figures: the axis along z of the body, leaning by θ₀ about x.
  Model model;
  model.gravity = {0, 0, -p["g"].get<double>()};
  const double l = p["l"], m = p["m"], I1 = p["I1_fixed_point"].get<double>() - m * l * l, I3 = p["I3"];
  const double theta0 = p["theta0_deg"].get<double>() * pi / 180;
  add_body(model, "top", m, {0, 0, l}, Sym3d{I1, I1, I3, 0, 0, 0}, {rotation_x(theta0), {}});
  add_joint(model, "tip", Spherical{}, "ground", "top", {rotation_x(theta0), {}});
  const Mechanism top = compiled(model);
  State start = design_state(top);
  start.v[2] = p["omega3"];
  const nlohmann::json known = file["reference"];
  for (std::size_t k = 0; k < known["times"].size(); ++k) {
    Simulation simulation(top, {.until = known["times"][k], .tolerance = 1e-12}, start);
    ASSERT_TRUE(simulation.run().ok());
    Workspace ws(top);
    compute_positions(top, ws, simulation.state().q);
    EXPECT_NEAR(std::acos(pose_WB(top, ws, 0).R.ez.z), known["theta"][k].get<double>(), 1e-9);
  }
}

// Servos on a mass, behind a gear g:   m ẍ = g (k (u − g x) − d g ẋ)  swings in with ω₀² = g² k/m, ζ = g² d/(2 m ω₀);
// m v̇ = g d (u − g v)  comes to u/g with the rate g² d/m.
TEST(SimulationReference, servos_answer_steps_as_the_closed_forms_have_it) {
  const double m = 2, k = 90, d = 3, gear = 1.5, u = 0.7, t = 0.6;
  for (const Actuator::Kind kind : {Actuator::Kind::position, Actuator::Kind::velocity}) {
    Model model;
    model.gravity = {};
    add_body(model, "mass", m, {}, Sym3d{1, 1, 1, 0, 0, 0});
    add_joint(model, "slide", Prismatic{}, "ground", "mass", {});
    Actuator servo{.name = "servo", .kind = kind, .joint = "slide", .gear = gear};
    servo.stiffness = kind == Actuator::Kind::position ? k : 0, servo.damping = d, servo.target = {Profile(u)};
    model.actuators.push_back(servo);
    Simulation simulation(compiled(model), {.until = t, .tolerance = 1e-12, .most_steps = 100000});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    const double rate = gear * gear * d / m;
    if (kind == Actuator::Kind::velocity) {
      EXPECT_NEAR(simulation.state().v[0], u / gear * (1 - std::exp(-rate * t)), 1e-10);
    } else {
      const double w0 = gear * std::sqrt(k / m), half = rate / 2, w = std::sqrt(w0 * w0 - half * half);
      const double swing = std::exp(-half * t) * (std::cos(w * t) + half / w * std::sin(w * t));
      EXPECT_NEAR(simulation.state().q[0], u / gear * (1 - swing), 1e-10);
    }
    EXPECT_NEAR(report.energy.error, 0, 1e-10);
  }
}

// A motor that spins up a wheel: J ω̇ = K (V − K ω)/R, with inductance L di/dt = V − R i − K ω.
TEST(SimulationReference, dc_motor_spins_up_as_the_closed_form_has_it) {
  const double J = 0.02, rotor = 1e-5, gear = 10, K = 0.05, R = 2, V = 12, viscous = 1e-3;
  for (const double L : {0.0, 0.05}) {
    Model model;
    model.gravity = {};
    add_body(model, "wheel", 1, {}, Sym3d{J, J, J, 0, 0, 0});
    add_joint(model, "axle", Revolute{}, "ground", "wheel", {}).properties.viscous = {viscous};
    Actuator motor{.name = "motor", .kind = Actuator::Kind::dc_motor, .joint = "axle", .gear = gear};
    motor.motor = {.resistance = R, .inductance = L, .torque_constant = K, .back_emf = K, .rotor_inertia = rotor};
    motor.target = {Profile(V)};
    model.actuators.push_back(motor);
    Simulation simulation(compiled(model), {.until = 0.7, .tolerance = 1e-12});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    const double inertia = J + gear * gear * rotor, t = 0.7;
    double expected = 0;
    if (L == 0) {
      const double b = viscous + gear * gear * K * K / R, end = gear * K * V / R / b;
      expected = end * (1 - std::exp(-b / inertia * t));
    } else {  // two real or complex rates s of (L s + R)(inertia s + viscous) + (gear K)² = 0
      const std::complex<double> A = L * inertia, B = L * viscous + R * inertia, C = R * viscous + gear * gear * K * K;
      const std::complex<double> root = std::sqrt(B * B - 4.0 * A * C), s1 = (-B + root) / (2.0 * A),
                                 s2 = (-B - root) / (2.0 * A);
      const std::complex<double> end = gear * K * V / C;
      expected = (end * (1.0 + (s2 * std::exp(s1 * t) - s1 * std::exp(s2 * t)) / (s1 - s2))).real();
    }
    EXPECT_NEAR(simulation.state().v[0], expected, 1e-9 * expected) << L;
    // K i of the rotor, geared, is what speeds all up and overcomes the friction.
    const double torque = inertia * simulation.accelerations()[0] + viscous * expected;
    EXPECT_EQ(simulation.motors()[0].volts, V);
    EXPECT_NEAR(simulation.motors()[0].amperes, torque / (gear * K), 1e-8) << L;
    EXPECT_NEAR(report.energy.error, 0, 1e-9);
  }
}

TEST(SimulationReference, friction_holds_a_pendulum_still_for_1000_s) {
  Model model = point_pendulum();
  model.joints[0].properties.dry = {10};  // its weight turns it by 9.81 N m
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
    Simulation simulation(compiled(model),
                          {.until = 1000, .step = integrator == Integrator::rk4 ? 0.01 : 0, .integrator = integrator});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(simulation.state().q[0], 0);
    EXPECT_EQ(simulation.state().v[0], 0);
  }
}

// A mass on a spring with dry friction: each half swing loses 2 f/k of amplitude, until it sticks.
TEST(SimulationReference, dry_friction_takes_the_same_from_every_half_swing) {
  const double k = 100, f = 1.3, m = 2, x0 = 0.2;
  Model model;
  model.gravity = {};
  add_body(model, "mass", m, {}, Sym3d{1, 1, 1, 0, 0, 0});
  add_joint(model, "slide", Prismatic{}, "ground", "mass", {}).properties.dry = {f};
  model.springs.push_back({.name = "spring", .joint = "slide", .stiffness = k});
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4, Integrator::bdf}) {
    std::vector<double> turns;
    SimulationOptions options{.until = 10, .tolerance = 1e-11, .integrator = integrator};
    options.on_event = [&](const RecordedEvent& event) {
      if (event.kind == "slip" || event.kind == "stick") turns.push_back(event.q_after[0]);
    };
    const Mechanism mech = compiled(model);
    State start = design_state(mech);
    start.q[0] = x0;
    Simulation simulation(mech, options, start);
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    std::vector<double> expected;
    for (double x = x0, sign = -1; std::abs(x) * k > f; sign = -sign) {
      x = sign * (std::abs(x) - 2 * f / k);
      expected.push_back(x);
    }
    ASSERT_EQ(turns.size(), expected.size()) << keyword(integrator);
    for (std::size_t i = 0; i < turns.size(); ++i) EXPECT_NEAR(turns[i], expected[i], 1e-7) << keyword(integrator);
    EXPECT_EQ(simulation.state().v[0], 0);
    EXPECT_NEAR(report.energy.error, 0, 1e-7);
  }
}

// Two masses with a spring between them, nowhere held: x = l₀ + A cos(ω t), ω² = k/μ; their centre goes on as it went.
TEST(SimulationReference, masses_on_one_spring_swing_about_their_centre) {
  const double m[] = {1, 3}, k = 40, rest = 0.8, stretch = 0.2, drift = 0.5;
  Model model;
  model.gravity = {};
  for (const int i : {0, 1}) {
    const Transformd X = Transformd::translation({i == 0 ? 0 : rest, 0, 0});
    add_body(model, fmt::format("mass {}", i), m[i], {}, Sym3d{1, 1, 1, 0, 0, 0}, X);
    add_joint(model, fmt::format("base {}", i), Free{}, "ground", fmt::format("mass {}", i), X);
  }
  Spring spring{.name = "spring", .stiffness = k, .rest = rest};
  spring.first = {"mass 0", {}}, spring.second = {"mass 1", {}};
  model.springs.push_back(spring);
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  start.q[11] += stretch;
  start.v[3] = start.v[9] = drift;
  Simulation simulation(mech, {.until = 2, .tolerance = 1e-11}, start);
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  const double w = std::sqrt(k / (m[0] * m[1] / (m[0] + m[1]))), apart = rest + stretch * std::cos(2 * w);
  const double centre = m[1] / (m[0] + m[1]) * (rest + stretch) + 2 * drift;
  const std::vector<double>& q = simulation.state().q;
  EXPECT_NEAR(rest + q[11] - q[4], apart, 1e-8);  // coordinates count from where masses are drawn
  EXPECT_NEAR((m[0] * q[4] + m[1] * (rest + q[11])) / (m[0] + m[1]), centre, 1e-9);
  EXPECT_NEAR(report.energy.error, 0, 1e-9);
}

// A ball thrown up against a stop: spring and damper in closed form while they touch.
TEST(SimulationReference, stop_with_a_spring_alone_gives_all_energy_back) {
  Model model;
  model.gravity = {};
  add_body(model, "mass", 2, {}, Sym3d{1, 1, 1, 0, 0, 0});
  JointProperties& p = add_joint(model, "slide", Prismatic{}, "ground", "mass", {}).properties;
  p.lower = {-infinity}, p.upper = {0.5}, p.limit_stiffness = {8e4}, p.limit_damping = {0};
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  start.v[0] = 3;
  int touched = 0;
  double when = 0;
  SimulationOptions options{.until = 1, .tolerance = 1e-12};
  options.on_event = [&](const RecordedEvent& event) { ++touched, when = event.t; };
  Simulation simulation(mech, options, start);
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_EQ(touched, 1);
  EXPECT_NEAR(when, 0.5 / 3, 1e-10);
  const double contact = pi / std::sqrt(8e4 / 2);
  EXPECT_NEAR(simulation.state().v[0], -3, 1e-8);
  EXPECT_NEAR(simulation.state().q[0], 0.5 - 3 * (1 - 0.5 / 3 - contact), 1e-8);
}

// One without figures of its own is damped critically at ω = 200 rad/s: the depth is v₀ t e^(−ω t), and the push ends at ω t = 2, where the mass
// has the speed −v₀ e⁻². The force begins with a jump.
TEST(SimulationReference, damped_stop_gives_back_what_the_closed_form_has) {
  Model model;
  model.gravity = {};
  add_body(model, "mass", 2, {}, Sym3d{1, 1, 1, 0, 0, 0});
  JointProperties& p = add_joint(model, "slide", Prismatic{}, "ground", "mass", {}).properties;
  p.lower = {-infinity}, p.upper = {0.5};
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  start.v[0] = 3;
  const double back = 3 * std::exp(-2), w = 200;
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4}) {
    const bool fixed = integrator == Integrator::rk4;
    const double bound = fixed ? 1e-6 : 1e-7;
    Simulation simulation(mech, {.until = 1, .step = fixed ? 2e-4 : 0, .tolerance = 1e-11, .integrator = integrator},
                          start);
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_NEAR(simulation.state().v[0], -back, bound) << keyword(integrator);
    EXPECT_NEAR(simulation.state().q[0], 0.5 + back * 2 / w - back * (1 - 0.5 / 3 - 2 / w), bound)
        << keyword(integrator);
    EXPECT_NEAR(report.energy.error, 0, fixed ? 1e-5 : 1e-7) << keyword(integrator);  // of 9 J
  }
}

}  // namespace
}  // namespace trammel::test
