// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Contacts whose motion is known in closed form, and the figures of tests/reference/data/uw_contact.json.

#include <fmt/format.h>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

void note(const std::string& what, double error) {
  ::testing::Test::RecordProperty(what, fmt::format("{:.2e}", error));
}

// A ball that meets a plane with 1 m/s, without weight.
std::string meeting_ball(const std::string& material, double mass) {
  return fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {{ball: {{pose: [0, 0, 0.11], mass: {}, inertia: [1, 1, 1]}}}}
joints: {{slide: {{prismatic: [ground, ball], in: ball, axis: z}}}}
initial: {{slide: {{v: -1}}}}
environment: {{terrain: {{plane: z, material: floor}}}}
materials: {{floor: {}}}
contacts: {{ball: {{sphere: 0.1, on: ball}}}}
)",
                     mass, material);
}

struct Bounce {
  double speed = 0, duration = 0;
};
Bounce bounce(const std::string& yaml, Integrator integrator, double tolerance, double step = 0) {
  const Mechanism mech = from_yaml(yaml);
  double touch = 0, lift = 0;
  SimulationOptions options{.until = 0.3, .step = step, .tolerance = tolerance, .integrator = integrator};
  options.on_event = [&](const RecordedEvent& e) {
    if (e.kind == "touch") touch = e.t;
    if (e.kind == "lift") lift = e.t;
  };
  Simulation simulation(mech, options);
  const SimulationReport report = simulation.run();
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.event_count, 2u);
  EXPECT_NEAR(report.energy.error, 0, 1e-7);
  return {simulation.state().v[0], lift - touch};
}

TEST(ContactReference, restitution_of_Hunt_and_Crossley_is_the_closed_form_for_any_stiffness_exponent_and_mass) {
  double worst = 0;
  const nlohmann::json rows = reference("uw_contact")["hunt_crossley"]["rows"];
  int k = 0;
  for (const auto& row : rows) {
    const double a = row["a_vin"], e = row["restitution"];
    const double n = k % 3 == 1 ? 1.5 : k % 3 == 2 ? 2 : 1, stiffness = n == 1 ? 1e4 : 1e6;
    const Bounce found =
        bounce(meeting_ball(fmt::format("{{stiffness: {}, exponent: {}, dissipation: {}}}", stiffness, n, a), 0.5 + k),
               Integrator::erk, 1e-12);
    worst = std::max(worst, std::abs(found.speed - e));
    ++k;
  }
  note("error", worst);
  EXPECT_LT(worst, 1e-9);
}

TEST(ContactReference, Kelvin_and_Voigt_clipped) {
  double worst = 0, worst_time = 0;
  const nlohmann::json rows = reference("uw_contact")["kelvin_voigt_clipped"];
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    const std::string yaml =
        meeting_ball(fmt::format("{{stiffness: {}, damping: {}}}", row["k"].get<double>(), row["b"].get<double>()),
                     row["m"].get<double>());
    const Bounce found = bounce(yaml, Integrator::erk, 1e-12);
    worst = std::max(worst, std::abs(found.speed - row["restitution"].get<double>()));
    worst_time = std::max(worst_time, std::abs(found.duration - row["contact_time"].get<double>()));
  }
  note("error", worst);
  note("error_of_time", worst_time);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_time, 1e-9);
}

// Implicit steps of h come as near as h lets them: a damper acts from the ground on, not before what falls has arrived.
TEST(ContactReference, Kelvin_and_Voigt_clipped_by_implicit_steps) {
  for (const auto& row : reference("uw_contact")["kelvin_voigt_clipped"]) {
    const double k = row["k"], b = row["b"], m = row["m"], e = row["restitution"], time = row["contact_time"];
    const std::string yaml = meeting_ball(fmt::format("{{stiffness: {}, damping: {}}}", k, b), m);
    for (const double h : {1e-4, 1e-5}) {
      const Bounce found = bounce(yaml, Integrator::implicit, 1e-8, h);
      const double order = h * std::sqrt(k / m) * (1 + b / std::sqrt(k * m));
      EXPECT_NEAR(found.speed, e, order) << k << ' ' << b << ' ' << h;
      EXPECT_NEAR(found.duration, time, 3 * h) << k << ' ' << b << ' ' << h;
    }
  }
}
// However heavy the damper: nothing hovers.
TEST(ContactReference, a_damper_does_not_hold_what_has_not_arrived) {
  const std::string yaml = R"(
trammel: 1
bodies: {b: {pose: [0, 0, 0.2], mass: 118.6, inertia: [1, 1, 1]}}
joints: {j: {prismatic: [ground, b], in: b, axis: z}}
environment: {terrain: {plane: z, material: r}}
materials: {r: {stiffness: 4e5, damping: 8e5}}
contacts: {c: {points: [[0, 0, -0.1]], in: b, on: b}}
)";
  for (const double h : {0.01, 0.003, 0.001}) {
    const Mechanism mech = from_yaml(yaml);
    SimulationOptions options{.until = 0.5, .step = h, .integrator = Integrator::implicit};
    Simulation simulation(mech, options);
    ASSERT_TRUE(simulation.run().ok());
    EXPECT_LT(simulation.state().q[0], -0.1 + 1e-9) << h;  // it fell 0.1 m in 0.143 s
  }
}

TEST(ContactReference, fixed_steps_locate_the_meeting_too) {
  const Bounce found = bounce(meeting_ball("{stiffness: 10000, dissipation: 0.5}", 1), Integrator::rk4, 1e-8, 1e-4);
  EXPECT_NEAR(found.speed, 0.7484349315974346, 1e-7);
}

// A body of 118.6 kg on a foot of 10.14 kg, a leg between them that holds its length by a servo, dropped.
std::string foot(double k, double b) {
  return fmt::format(R"(
trammel: 1
bodies:
  foot: {{pose: [0, 0, 0.05], mass: 10.14, inertia: [1, 1, 1]}}
  body: {{pose: [0, 0, 1], mass: 118.6, inertia: [1, 1, 1]}}
joints:
  up: {{prismatic: [ground, foot], in: foot, axis: z}}
  leg: {{prismatic: [foot, body], in: body, axis: z}}
actuators:
  leg: {{position: leg, stiffness: 50000, damping: 3000}}
environment: {{terrain: {{plane: z, material: floor}}}}
materials: {{floor: {{stiffness: {}, damping: {}}}}}
contacts: {{sole: {{point: [0, 0, 0], on: foot, in: foot}}}}
)",
                     k, b);
}

// A wheel that rolls down a slope: a = g sin α/(1 + I/(m r²)). Its velocity turns against its own axes, which is none of a step's business.
TEST(ContactReference, a_wheel_rolls_down_with_the_right_acceleration) {
  const double along = 1.7, r = 0.25, m = 3, inertia = 0.09375, a = along / (1 + inertia / (m * r * r));
  const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
gravity: [{}, 0, -9.66]
bodies: {{wheel: {{pose: [0, 0, {}], mass: {}, inertia: [0.05, {}, 0.05]}}}}
joints: {{base: {{free: [ground, wheel]}}}}
environment: {{terrain: {{plane: z, material: floor}}}}
materials: {{floor: {{stiffness: 1e5, dissipation: 1, friction: 0.5}}}}
contacts: {{rim: {{wheel: {}, axis: y, on: wheel, in: wheel}}}}
)",
                                               along, r, m, inertia, r));
  for (const double step : {1e-3, 1e-2}) {
    Simulation simulation(mech, {.until = 2, .step = step, .integrator = Integrator::implicit});
    ASSERT_TRUE(simulation.run().ok());
    const double x = simulation.state().q[4], exact = a * 2 * (2 + step) / 2;  // Euler's rule runs half a step ahead
    note(fmt::format("step {} ms", step * 1e3), x / exact - 1);
    EXPECT_NEAR(x, exact, 0.2 * step * exact);
    EXPECT_LT(std::abs(simulation.energy().error), 2 * step * m * along * x);
  }
}

// Gravity leans towards the riser: tread and riser each hold their part of the weight, by the depth that their stiffness needs.
TEST(ContactReference, what_rests_in_an_inner_corner_is_held_from_both_sides) {
  const double stiffness = 1e5, weight_x = 2 * 3.0, weight_z = 2 * 9.0;
  for (const char* shape : {"{sphere: 0.2, on: body}", "{wheel: 0.2, axis: y, tyre: 0.02, on: body}",
                            "{point: [0, 0, 0], on: body, in: body}"}) {
    const bool is_point = std::string_view(shape).find("point") != std::string_view::npos;
    const double radius = is_point ? 0 : 0.2;
    const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
gravity: [3, 0, -9]
bodies: {{body: {{pose: [{}, 0, {}], mass: 2, inertia: [1, 1, 1]}}}}
joints: {{slide: {{planar: [ground, body], in: body, axis: y}}}}
environment: {{terrain: {{steps: [[1, 0.5], [2, 0]], material: rock}}}}
materials: {{rock: {{stiffness: {}, damping: 400}}}}
contacts: {{foot: {}}}
)",
                                                 0.99 - radius, 0.01 + radius, stiffness, shape));
    ASSERT_EQ(mech.contacts.pairs.size(), 2u);
    EXPECT_EQ(mech.contacts.pairs[1].name, "foot (2)");
    for (const Integrator integrator : {Integrator::erk, Integrator::implicit}) {
      Simulation simulation(mech, {.until = 2,
                                   .step = integrator == Integrator::erk ? 0 : 1e-3,
                                   .tolerance = 1e-11,  // forces are depths times 1e5 N/m
                                   .integrator = integrator});
      const SimulationReport report = simulation.run();
      ASSERT_TRUE(report.ok()) << report.text;
      EXPECT_NEAR(simulation.contacts()[0].normal, weight_z, 1e-6) << shape;
      EXPECT_NEAR(simulation.contacts()[1].normal, weight_x, 1e-6) << shape;
      Workspace ws(mech);
      compute_positions(mech, ws, simulation.state().q);
      const Vec3d p = pose_WB(mech, ws, mech.find_body("body")).p;
      EXPECT_NEAR(p.x, 1 - radius + weight_x / stiffness, 1e-9) << shape;
      EXPECT_NEAR(p.z, radius - weight_z / stiffness, 1e-9) << shape;
    }
  }
}

// Likewise in corners between treads that are far apart in the list: behind a staircase, and at the third tooth of a comb on one floor.
TEST(ContactReference, corners_hold_from_both_sides_wherever_they_are) {
  struct Corner {
    const char* steps;
    double x, lean;  // of the riser; gravity towards it
  };
  for (const Corner& corner : {Corner{"[[0, 0.3], [1, 0.6], [2, 0.9], [3, 0]]", 3, -3},
                               Corner{"[[1, 0.5], [2, 0], [3, 0.5], [4, 0], [5, 0.5], [6, 0]]", 5, 3},
                               Corner{"[[0, 1], [1, 0.2], [1.5, 0.7], [2, 0.1], [3, 0.4]]", 2, -3}}) {
    const double floor = corner.x == 2 ? 0.1 : 0, side = corner.lean > 0 ? -1 : 1;
    const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
gravity: [{}, 0, -9]
bodies: {{body: {{pose: [{}, 0, {}], mass: 2, inertia: [1, 1, 1]}}}}
joints: {{slide: {{planar: [ground, body], in: body, axis: y}}}}
environment: {{terrain: {{steps: {}, material: rock}}}}
materials: {{rock: {{stiffness: 1e5, damping: 400}}}}
contacts: {{foot: {{sphere: 0.2, on: body}}}}
)",
                                                 corner.lean, corner.x + side * 0.21, floor + 0.21, corner.steps));
    Simulation simulation(mech, {.until = 2, .step = 1e-3, .integrator = Integrator::implicit});
    ASSERT_TRUE(simulation.run().ok());
    std::vector<double> forces;
    for (const ContactState& contact : simulation.contacts()) forces.push_back(contact.normal);
    std::sort(forces.rbegin(), forces.rend());
    EXPECT_NEAR(forces[0], 18, 1e-6) << corner.steps;
    EXPECT_NEAR(forces[1], 6, 1e-6) << corner.steps;
  }
}

// Far from the origin the depth of a contact is known to ε times that distance only. What that leaves of the midpoint rule's rounds is
// round-off and no failure, also where all coordinates are small.
TEST(ContactReference, the_midpoint_rule_lets_things_rest_far_from_the_origin) {
  for (const double far : {0.0, 5.0, 50.0, 5000.0}) {
    for (const double stiffness : {1e4, 1e5}) {
      for (const double step : {1e-3, 1e-4}) {
        const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
bodies: {{ball: {{pose: [0, 0, {0}], mass: 0.5, inertia: [1, 1, 1]}}}}
joints: {{lift: {{prismatic: [ground, ball], at: [0, 0, {0}], axis: z}}}}
environment: {{terrain: {{plane: {{through: [0, 0, {0}], normal: z}}, material: floor}}}}
materials: {{floor: {{stiffness: {1}, dissipation: 10}}}}
contacts: {{ball: {{point: [0, 0, 0], on: ball, in: ball}}}}
)",
                                                     far, stiffness));
        Simulation simulation(mech, {.until = 1, .step = step, .integrator = Integrator::midpoint});
        const SimulationReport report = simulation.run();
        ASSERT_TRUE(report.ok()) << far << " " << stiffness << " " << step << " " << report.text;
        EXPECT_NEAR(simulation.state().q[0], -0.5 * 9.81 / stiffness, 1e-9 + 1e-14 * far);
      }
    }
  }
}

TEST(ContactReference, a_foot_settles_by_implicit_steps_at_any_stiffness_and_step) {
  double worst = 0, fastest = 0;
  const nlohmann::json rows = reference("uw_contact")["stability"];
  ASSERT_EQ(rows.size(), 16u);
  for (const auto& row : rows) {
    const double k = row["k"], b = row["b"], h = row["h"], rest = row["static_penetration_mm"].get<double>() * 1e-3;
    const Mechanism mech = from_yaml(foot(k, b));
    Simulation simulation(mech, {.until = 5, .step = h, .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(report.unresolved_steps, 0u);
    const ContactState& sole = simulation.contacts()[0];
    worst = std::max(worst, std::abs(sole.depth / rest - 1));
    fastest = std::max(fastest, std::abs(simulation.state().v[0]));
    EXPECT_NEAR(sole.depth, rest, 1e-6 * rest + 1e-12) << "k = " << k << ", h = " << h;
    EXPECT_NEAR(sole.normal, 128.74 * g, 2e-3) << "k = " << k << ", h = " << h;
    EXPECT_LT(std::abs(simulation.state().v[0]), 1e-6) << "k = " << k << ", h = " << h;
  }
  note("relative_error_of_depth", worst);
  note("speed", fastest);
}

// A block of 2 kg with four feet on a slope.
std::string block_on_slope(double degrees, double mu, const std::string& more = "") {
  const double a = degrees * std::numbers::pi / 180;
  return fmt::format(R"(
trammel: 1
gravity: [{}, 0, {}]
bodies: {{block: {{pose: [0, 0, 0.1], mass: 2, shape: {{box: [0.4, 0.3, 0.2]}}}}}}
joints: {{base: {{free: [ground, block]}}}}
environment: {{terrain: {{plane: z, material: floor}}}}
materials: {{floor: {{stiffness: 50000, dissipation: 1, friction: {}, tangential: {{stiffness: 40000, damping: 200}}}}}}
contacts: {{feet: {{points: [[0.2, 0.15, 0], [0.2, -0.15, 0], [-0.2, 0.15, 0], [-0.2, -0.15, 0]], on: block}}}}
{}
)",
                     -9.81 * std::sin(a), -9.81 * std::cos(a), mu, more);
}

TEST(ContactReference, a_block_rests_on_a_slope_without_creep) {
  const Mechanism mech = from_yaml(block_on_slope(20, 0.5));
  for (const Integrator integrator : {Integrator::implicit, Integrator::bdf}) {
    SimulationOptions options{.until = 100, .tolerance = 1e-9, .integrator = integrator};
    if (integrator == Integrator::implicit) options.step = 5e-3;
    Simulation simulation(mech, options);
    ASSERT_TRUE(simulation.run(5).ok());
    const double early = simulation.state().q[4];
    ASSERT_TRUE(simulation.run(100).ok());
    const double crept = std::abs(simulation.state().q[4] - early);
    note(std::string(keyword(integrator)), crept);
    // Error control knows each of the two places to a few times its tolerance; what creeps 1e-9 m/s is ten times as far after 95 s.
    EXPECT_LT(crept, integrator == Integrator::implicit ? 1e-9 : 10 * options.tolerance) << keyword(integrator);
    double normal = 0;
    for (const ContactState& c : simulation.contacts()) {
      normal += c.normal;
      EXPECT_EQ(c.mode, ContactState::Mode::sticks);
    }
    // Error control keeps depths to its tolerance only; four feet of 50 kN/m.
    const double noise = integrator == Integrator::implicit ? 1e-6 : 4 * 5e4 * options.tolerance;
    EXPECT_NEAR(normal, 2 * g * std::cos(20 * std::numbers::pi / 180), noise);
  }
}

TEST(ContactReference, a_block_slides_down_with_the_right_acceleration) {
  const double angle = 20 * std::numbers::pi / 180, wanted = g * (std::sin(angle) - 0.2 * std::cos(angle));
  const Mechanism mech = from_yaml(block_on_slope(20, 0.2));
  for (const Integrator integrator : {Integrator::implicit, Integrator::erk}) {
    SimulationOptions options{.until = 4, .tolerance = 1e-9, .integrator = integrator};
    if (integrator == Integrator::implicit) options.step = 2e-3;
    Simulation simulation(mech, options);
    ASSERT_TRUE(simulation.run(2).ok());
    const double before = simulation.state().v[3];
    ASSERT_TRUE(simulation.run(4).ok());
    const double error = std::abs((before - simulation.state().v[3]) / 2 - wanted);
    note(std::string(keyword(integrator)), error);
    EXPECT_LT(error, 1e-6) << keyword(integrator);
  }
}

TEST(ContactReference, a_sliding_block_stops_where_Coulomb_says) {
  const nlohmann::json flat = reference("uw_contact")["coulomb"]["flat"];
  const Mechanism mech =
      from_yaml(block_on_slope(0, 0.5, "initial: {base: {q: [1, 0, 0, 0, 0, 0, -0.000098], v: [0, 0, 0, 2, 0, 0]}}"));
  double stuck = -1;
  SimulationOptions options{.until = 1, .tolerance = 1e-10, .integrator = Integrator::erk};
  options.on_event = [&](const RecordedEvent& e) {
    if (e.kind == "stick") stuck = e.t;
  };
  Simulation simulation(mech, options);
  ASSERT_TRUE(simulation.run().ok());
  // The block rocks on its feet while it brakes, and its bristles spring back a little.
  EXPECT_NEAR(stuck, flat["stop_time"].get<double>(), 1e-2);
  EXPECT_NEAR(simulation.state().q[4], flat["stop_distance"].get<double>(), 5e-3);
}

}  // namespace
}  // namespace trammel::test
