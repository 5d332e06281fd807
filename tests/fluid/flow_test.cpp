// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Currents, waves and surfaces, and what floats on them.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/simulation.hpp>

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi, g = 9.81;
const Vec3d down{0, 0, -g};

FlowFunction formula(const std::string& text) {
  const std::array<std::string, 4> names{"t", "x", "y", "z"};
  return {std::get<Expression>(Expression::parse(text, names))};
}

TEST(WaveNumber, solves_the_dispersion_relation) {
  for (const double depth : {0.05, 1.0, 20.0, 3000.0, Medium::everywhere}) {
    for (const double period : {0.5, 3.0, 12.0, 200.0}) {
      const double omega = 2 * pi / period, k = solve_wave_number(omega, depth, g);
      EXPECT_NEAR(g * k * (std::isinf(depth) ? 1 : std::tanh(k * depth)), omega * omega, 1e-13 * omega * omega);
    }
  }
}

// The particle acceleration is the rate of the velocity, by differences in time and space.
TEST(Flow, accelerates_as_its_velocity_changes) {
  Fluid fluid;
  fluid.media = {{.density = 1000}};
  Current& c = fluid.media[0].current;
  c.velocity = {0.3, 0.1, 0.2};
  c.acceleration = {0, 0.2, 0};
  c.formula = {formula("sin(t)*x + z^2"), formula("cos(y)*t"), formula("x*z")};
  c.depth = {0, 2, 5}, c.at_depth = {{1, 0, 0.5}, {0.5, 0.2, 0.5}, {0, 0, 0.5}};
  const Flow flow(fluid, down);
  const double h = 1e-5, t = 0.7;
  const Vec3d p{0.4, -0.3, -1.1};
  const FlowSample here = flow.at(t, p);
  const Vec3d u = here.velocity_W;
  const Vec3d along = (flow.at(t + h, p + u * h).velocity_W - flow.at(t - h, p - u * h).velocity_W) * (1 / (2 * h));
  EXPECT_LT(norm(along - here.acceleration_W), 1e-8);
  EXPECT_EQ(flow.is_uniform(), false);
}

TEST(Waves, are_those_of_airy) {
  for (const double depth : {4.0, Medium::everywhere}) {
    Fluid fluid;
    fluid.media = {{.density = 1025, .surface = 0.5}};
    fluid.waves = {{.height = 0.4, .period = 5, .direction = {1, 0, 0}, .phase = 0.3}};
    fluid.depth = depth;
    const Flow flow(fluid, down);
    const double k = flow.wave_number(0), omega = 2 * pi / 5, a = 0.2, t = 0.9;
    // Far enough down stretching does nothing to first order; at the trough and crest it makes the surface z' = 0.
    const Vec3d p{1.2, 3, 0.5 - 1.5};
    const double theta = k * p.x - omega * t + 0.3, eta = a * std::cos(theta), d = depth;
    EXPECT_NEAR(flow.surface(0, t, p).p_W.z, 0.5 + eta, 1e-14);
    const double z = std::isinf(d) ? -1.5 - eta : d * (-1.5 - eta) / (d + eta);
    const double C = std::isinf(d) ? std::exp(k * z) : std::cosh(k * (z + d)) / std::sinh(k * d);
    const double S = std::isinf(d) ? std::exp(k * z) : std::sinh(k * (z + d)) / std::sinh(k * d);
    const FlowSample here = flow.at(t, p);
    EXPECT_NEAR(here.velocity_W.x, a * omega * C * std::cos(theta), 1e-14);
    EXPECT_NEAR(here.velocity_W.z, a * omega * S * std::sin(theta), 1e-14);
    EXPECT_NEAR(here.acceleration_W.x, a * omega * omega * C * std::sin(theta), 1e-14);
    EXPECT_NEAR(here.acceleration_W.z, -a * omega * omega * S * std::cos(theta), 1e-14);
    // At the surface a particle rises with it: w = ∂η/∂t to first order, exactly so in deep water.
    const Vec3d at = flow.surface(0, t, p).p_W;
    EXPECT_NEAR(flow.in(0, t, at).velocity_W.z, a * omega * std::sin(theta), 1e-14);
    EXPECT_EQ(flow.at(t, at + Vec3d{0, 0, 0.01}).density, 0);
  }
}

Shape solid(Shape::Kind kind) {
  Shape s;
  s.kind = kind;
  s.radius = 0.2, s.length = 0.7;
  s.size = {0.5, 0.4, 0.3};
  return s;
}
Mechanism floating(Shape::Kind kind, double density, const Fluid& fluid, bool drag) {
  Model model;
  model.fluid = fluid;
  const Shape s = solid(kind);
  const double mass = density * volume(s);
  Body& body = add_body(model, "body", mass, {}, inertia_of(s, mass).I);
  body.shapes = {s};
  body.in_fluid->hull_drag = drag;
  body.in_fluid->linear = Hydrodynamics::Matrix{};  // a little, or swings die out for ever
  for (std::size_t i = 0; i < 6; ++i) (*body.in_fluid->linear)[7 * i] = i < 3 ? 0.5 : 10;
  add_joint(model, "free", Free{}, "ground", "body", {});
  const CompileResult result = compile(model);
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return result.mechanism;
}
Fluid water_and_air() {
  Fluid fluid;
  fluid.media = {{.density = 1000, .surface = 0}, {.name = "air", .density = 1.2}};
  return fluid;
}

TEST(FloatingBody, comes_to_rest_where_it_displaces_its_weight) {
  for (const Shape::Kind kind :
       {Shape::Kind::sphere, Shape::Kind::box, Shape::Kind::cylinder, Shape::Kind::capsule, Shape::Kind::ellipsoid}) {
    const Mechanism mech = floating(kind, 600, water_and_air(), true);
    State s = initial_state(mech);
    s.q[6] = 0.3;
    s.v[0] = 0.3;
    Simulation simulation(mech, {.until = 400, .tolerance = 1e-7}, s);
    ASSERT_TRUE(simulation.run().ok());
    const WetReport report = report_fluid(mech, simulation.state().q);
    EXPECT_NEAR(report.net_weight, 0, 3e-3 * report.mass * g) << keyword(kind);
    EXPECT_LT(std::abs(simulation.energy().error), 1e-2 * report.mass) << keyword(kind);
  }
}

// A ball falls in from the air and comes up again; forces never jump, so that error control has an easy time.
TEST(FloatingBody, keeps_the_audit_through_the_surface) {
  const Mechanism mech = floating(Shape::Kind::sphere, 500, water_and_air(), true);
  State s = initial_state(mech);
  s.q[6] = 1;
  Simulation simulation(mech, {.until = 3, .tolerance = 1e-10}, s);
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report.energy.largest_error, 1e-6);
  EXPECT_LT(report.steps, 4000u);
}

TEST(FloatingBody, rides_long_waves) {
  Fluid fluid;
  fluid.media = {{.density = 1000, .surface = 0}};
  fluid.waves = {{.height = 0.4, .period = 12, .direction = {1, 0, 0}}};
  const Mechanism mech = floating(Shape::Kind::box, 500, fluid, true);
  Simulation simulation(mech, {.until = 60, .tolerance = 1e-6});
  ASSERT_TRUE(simulation.run().ok());
  double largest = 0;
  const Flow flow(fluid, down);
  for (double t = 60; t < 84; t += 0.5) {
    simulation.run(t);
    const auto& q = simulation.state().q;
    largest = std::max(largest, std::abs(q[6] - flow.surface(0, t, {q[4], q[5], q[6]}).p_W.z));
  }
  EXPECT_LT(largest, 0.02);  // a wave of 225 m lifts it as it lifts the water
}

// --- through the surface --------------------------------------------------------------------------------------------------------

// The force on a body at rest whose frame is `height` over the world's origin.
struct Raised {
  Mechanism mech;
  Workspace ws;
  FluidForces fluid;
  std::vector<ArticulatedInertia<double>> inertia{1};
  std::vector<Force<double>> bias{1};

  explicit Raised(const Model& model) : mech(compile(model).mechanism), ws(mech), fluid(mech) {}
  Vec3d force(double height) {
    State s = initial_state(mech);
    s.q[6] = height;
    compute_velocities(mech, ws, s.q, s.v);
    fluid.clear_and_add(mech, ws, 0, inertia, bias);
    return -bias[0].f;
  }
};
Model in_current_and_wind(bool has_air) {
  Model model;
  model.fluid.media = {{.density = 1000, .surface = 0}};
  model.fluid.media[0].current.velocity = {1, 0.1, 0};
  model.fluid.media[0].current.acceleration = {0.3, 0, 0};
  if (has_air) {
    model.fluid.media.push_back({.name = "air", .density = 1.2});
    model.fluid.media[1].current.velocity = {-10, 0, 0};
  }
  return model;
}

// Fossen's matrices count by the part that is wet, in the current that this part feels; that the centre has come out of the water
// makes no difference to it.
TEST(Surface, given_matrices_do_not_jump_there) {
  for (const bool has_air : {false, true}) {
    Model model = in_current_and_wind(has_air);
    Body& body = add_body(model, "hull", 100, {}, {1, 1, 1});
    body.shapes = {solid(Shape::Kind::box)};
    body.in_fluid->hull_drag = false;
    Hydrodynamics::Matrix linear{}, added{};
    for (std::size_t i = 0; i < 6; ++i) linear[7 * i] = 50, added[7 * i] = 80;
    body.in_fluid->linear = linear, body.in_fluid->added_mass = added;
    add_joint(model, "free", Free{}, "ground", "hull", {});
    Raised x(model);
    const double edge = 0.15, displaced = 1000 * 0.5 * 0.4 * 0.3;
    for (const double z : {-0.2, -0.149, -0.1, -1e-9, 1e-9, 0.05, 0.1, 0.149}) {
      const double wet = std::clamp(0.5 - z / (2 * edge), 0.0, 1.0);
      const double wind = has_air ? 1.2e-3 * (1 - wet) : 0;
      // Drag 50 (u − 0), added mass 80 a_f, and the Froude–Krylov force of what is displaced.
      EXPECT_NEAR(x.force(z).x, 50 * (wet * 1 - wind * 10) + (80 + displaced) * 0.3 * wet, 1e-10) << z << has_air;
    }
  }
}

// A capsule that stands in the water and is moved sideways: strips of its outline up to the surface, round end included.
TEST(Surface, round_ends_of_capsules_have_their_drag) {
  Model model;
  model.gravity = {};
  model.fluid.media = {{.density = 1000, .surface = 0}};
  Body& body = add_body(model, "float", 10, {}, {1, 1, 1});
  const double r = 0.2, length = 0.7;
  HullPart part;
  part.shape = solid(Shape::Kind::capsule), part.drag = 1.0;
  body.in_fluid->hull = {part};
  body.in_fluid->hull_added_mass = false;
  add_joint(model, "free", Free{}, "ground", "float", {});
  Raised x(model);
  const double tip = length / 2 + r;
  for (const double z : {0.47, 0.4, 0.35, 0.2, 0.0, -0.3, -0.5, -0.6}) {
    State s = initial_state(x.mech);
    s.q[6] = z, s.v[3] = 1;
    compute_velocities(x.mech, x.ws, s.q, s.v);
    x.fluid.clear_and_add(x.mech, x.ws, 0, x.inertia, x.bias);
    double force = 0, moment = 0, all = 0;
    constexpr int n = 4000;
    for (int i = 0; i < n; ++i) {
      const double h = -tip + 2 * tip * (i + 0.5) / n, past = std::max(0.0, std::abs(h) - length / 2);
      const double strip = 0.5 * 1000 * 2 * std::sqrt(r * r - past * past) * 2 * tip / n;
      all += strip;
      if (h + z <= 0) force += strip, moment += strip * h;
    }
    EXPECT_NEAR(x.bias[0].f.x, force, 0.03 * all) << z;
    EXPECT_NEAR(x.bias[0].n.y, moment, 0.03 * all * tip) << z;
  }
}

// Water whose wave rises above the oil's surface takes the oil's place: nothing is displaced twice.
TEST(Surface, of_a_wave_above_the_next_surface) {
  Model model = in_current_and_wind(false);
  model.fluid.media = {
      {.density = 1000, .surface = 0}, {.name = "oil", .density = 800, .surface = 0.5}, {.density = 700}};
  model.fluid.waves = {{.height = 2, .period = 6}};
  Body& hull = add_body(model, "hull", 20, {}, {1, 1, 1});
  hull.shapes = {solid(Shape::Kind::box)};
  hull.in_fluid->hull_drag = hull.in_fluid->hull_added_mass = false;
  add_joint(model, "free", Free{}, "ground", "hull", {});
  Raised x(model);
  const Flow flow(x.mech.fluid, down);
  const double crest = flow.surface(0, 0, {}).p_W.z, all = 0.5 * 0.4 * 0.3;
  ASSERT_GT(crest, 0.99);
  for (const double wet : {1.0, 0.7, 0.1, 0.0}) {  // of its height, in water
    const double z = crest + 0.3 * (0.5 - wet), a_f = flow.in(0, 0, {0, 0, crest - 0.15 * wet}).acceleration_W.z;
    EXPECT_NEAR(x.force(z).z, all * (1000 * wet * (g + a_f) + 700 * (1 - wet) * g), 1e-9) << wet;
  }
}

// The report's centre of buoyancy is that of what is under water now.
TEST(Surface, the_report_has_the_centre_of_what_is_wet) {
  Model model = in_current_and_wind(false);
  add_body(model, "hull", 20, {}, {1, 1, 1}).shapes = {solid(Shape::Kind::box)};
  add_joint(model, "free", Free{}, "ground", "hull", {});
  const Mechanism mech = compile(model).mechanism;
  State s = initial_state(mech);
  s.q[4] = 3, s.q[6] = 0.05;  // a third of its 0.3 m is under water
  const WetReport report = report_fluid(mech, s.q);
  EXPECT_NEAR(report.displaced_mass, 1000 * 0.5 * 0.4 * 0.1, 1e-10);
  EXPECT_LT(norm(report.centre_of_buoyancy_W - Vec3d{3, 0, -0.05}), 1e-12);
  EXPECT_LT(norm(report.bodies[0].centre_of_buoyancy_B - Vec3d{0, 0, -0.1}), 1e-12);
  EXPECT_LT(norm(report.bodies[0].centre_of_hull_B), 1e-12);  // of all of it
  EXPECT_NEAR(report.net_weight, 0, 1e-9);
}

// What has no volume is a point: in the water, or not.
TEST(Surface, without_volume_a_body_is_wet_where_its_origin_is) {
  Model model = in_current_and_wind(false);
  Body& body = add_body(model, "point", 1, {}, {1, 1, 1});
  Hydrodynamics::Matrix linear{};
  for (std::size_t i = 0; i < 6; ++i) linear[7 * i] = 5;
  body.in_fluid->linear = linear;
  add_joint(model, "free", Free{}, "ground", "point", {});
  State s;
  Raised x(model);
  EXPECT_NEAR(x.force(-0.1).x, 5, 1e-12);
  EXPECT_EQ(x.force(0.1).x, 0);
  s = initial_state(x.mech);
  s.q[6] = 10, s.v[5] = -1;  // falls through vacuum
  compute_velocities(x.mech, x.ws, s.q, s.v);
  x.fluid.clear_and_add(x.mech, x.ws, 0, x.inertia, x.bias);
  EXPECT_EQ(x.bias[0].f.z, 0);
}

// A fin comes through it over its own size, and each part of it feels its own medium's velocity.
TEST(Surface, fins_pass_it_without_a_jump) {
  for (const bool has_air : {false, true}) {
    Model model = in_current_and_wind(has_air);
    Body& body = add_body(model, "fin", 1, {}, {1, 1, 1});
    Fin fin;
    fin.name = "fin";
    fin.area = 0.01, fin.chord = {-1, 0, 0}, fin.normal = {0, 1, 0};
    body.in_fluid->fins = {fin};
    add_joint(model, "free", Free{}, "ground", "fin", {});
    Raised x(model);
    const Vec3d in_water = x.force(-1), in_air = x.force(1);
    EXPECT_GT(in_water.y, 1);
    EXPECT_EQ(norm(in_air) > 0, has_air);
    const double size = 0.1;
    for (const double z : {-0.06, -0.049, -0.02, -1e-9, 1e-9, 0.01, 0.03, 0.049, 0.06}) {
      const double wet = std::clamp(0.5 - z / size, 0.0, 1.0);
      EXPECT_LT(norm(x.force(z) - (in_water * wet + in_air * (1 - wet))), 1e-12 * norm(in_water)) << z;
    }
  }
}

// Thrust falls with the speed of advance: in steady motion 0 = gain w² − advance w u − drag.
TEST(Thruster, pushes_less_the_faster_it_goes) {
  Model model;
  model.gravity = {};
  model.fluid.media = {{.density = 1000}};
  Body& body = add_body(model, "hull", 10, {}, {1, 1, 1});
  Hydrodynamics::Matrix linear{};
  for (std::size_t i = 0; i < 6; ++i) linear[7 * i] = 3;
  body.in_fluid->linear = linear;
  add_joint(model, "free", Free{}, "ground", "hull", {});
  Actuator screw;
  screw.name = "screw", screw.kind = Actuator::Kind::thruster;
  screw.thruster = {.at = {"hull", {}}, .direction = {1, 0, 0}, .gain = 0.5, .advance = 0.2, .torque = 0.01};
  screw.target = {Profile(8.0)};
  model.actuators = {screw};
  const Mechanism mech = compile(model).mechanism;
  Simulation simulation(mech, {.until = 60, .tolerance = 1e-11});
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_NEAR(simulation.state().v[3], 0.5 * 64 / (3 + 0.2 * 8), 1e-8);
  EXPECT_NEAR(simulation.actuator_forces()[0], 3 * simulation.state().v[3], 1e-7);
  EXPECT_NEAR(simulation.state().v[0], 0.01 * simulation.actuator_forces()[0] / 3, 1e-8);
  EXPECT_LT(std::abs(simulation.energy().error), 1e-7);
}

// A fin on a driven joint turns the vehicle the way it is set, and lets go when it stalls.
TEST(Fin, lifts_up_to_stall) {
  Model model;
  model.gravity = {};
  model.fluid.media = {{.density = 1000}};
  model.fluid.media[0].current.velocity = {-2, 0, 0};
  Body& body = add_body(model, "fin", 1, {}, {1, 1, 1});
  Fin fin;
  fin.name = "fin";
  fin.area = 0.02, fin.aspect = 3;
  body.in_fluid->fins = {fin};
  add_joint(model, "pitch", Revolute{}, "ground", "fin", frame_at({}, {0, 1, 0}));
  const Mechanism mech = compile(model).mechanism;
  FluidForces fluid(mech);
  Workspace ws(mech);
  std::vector<ArticulatedInertia<double>> inertia(1);
  std::vector<Force<double>> bias(1);
  const auto force = [&](double angle) {
    const std::vector<double> q{angle}, v{0};
    compute_velocities(mech, ws, q, v);
    fluid.clear_and_add(mech, ws, 0, inertia, bias);
    return -bias[0].f;
  };
  const double slope = 2 * pi / (1 + 2.0 / 3), q = 0.5 * 1000 * 0.02 * 4;
  // Nose up (turned by a negative angle about y) against the stream along −x: lifted up.
  EXPECT_NEAR(force(-0.1).z, q * slope * 0.1, 0.01 * q * slope * 0.1);
  EXPECT_NEAR(force(0.1).z, -force(-0.1).z, 1e-9);
  EXPECT_LT(force(-0.1).x, 0);
  EXPECT_NEAR(force(-0.1).x, -q * (0.01 + slope * slope * 0.01 / (pi * 3)), 0.02 * q);
  EXPECT_LT(force(-0.6).z, force(-0.2).z);                   // stalled
  EXPECT_NEAR(force(-pi / 2).x, -q * (2 + 0.01), 1e-3 * q);  // a plate across
}

}  // namespace
}  // namespace trammel
