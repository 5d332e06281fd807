// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Motions in water whose answer is known (tests/reference/data/uw_*.json, each with its source).

#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/fluid_forces.hpp>
#include <trammel/simulation.hpp>

#include "support/source_dir.hpp"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

nlohmann::json reference(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}
// A copy: a loop over reference(…)["…"] would outlive what it walks through.
nlohmann::json part_of(const std::string& name, const std::string& part) { return reference(name)[part]; }

Shape sphere(double r) {
  Shape s;
  s.kind = Shape::Kind::sphere;
  s.radius = r;
  return s;
}
// Along z from z1 to z2.
Shape cylinder(double r, double z1, double z2) {
  Shape s;
  s.kind = Shape::Kind::cylinder;
  s.radius = r, s.length = z2 - z1;
  s.X_BS.p = {0, 0, (z1 + z2) / 2};
  return s;
}
Body& add_solid(Model& model, const char* name, const Shape& shape, double density) {
  const double mass = density * volume(shape);
  const RigidInertia<double> I = inertia_of(shape, mass);
  const Vec3d com = shape.X_BS.p;
  Body& body = add_body(model, name, mass, com, I.I - RigidInertia<double>::point_inertia(mass, com));
  body.shapes = {shape};
  return body;
}
HullPart hull(const Shape& shape, double drag) {
  HullPart part;
  part.shape = shape;
  part.drag = drag, part.drag_along = 0;
  return part;
}
Mechanism compiled(const Model& model) {
  CompileResult result = compile(model);
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return result.mechanism;
}
std::vector<double> accelerations(const Mechanism& mech, const State& s) {
  Workspace ws(mech);
  FluidForces fluid(mech);
  std::vector<ArticulatedInertia<double>> inertia(mech.bodies.size());
  std::vector<Force<double>> bias(mech.bodies.size());
  compute_velocities(mech, ws, s.q, s.v);
  fluid.clear_and_add(mech, ws, s.t, inertia, bias);
  std::vector<double> a(s.v.size());
  const std::vector<double> tau(s.v.size(), 0.0);
  EXPECT_TRUE(forward_dynamics(mech, ws, s.q, s.v, tau, a, {.inertia = inertia.data(), .bias = bias.data()}).ok());
  return a;
}

TEST(Sphere, sinks_and_rises_as_the_closed_form_says) {
  for (const auto& c : part_of("uw_sphere_sink", "cases")) {
    Model model;
    model.fluid.media = {{.density = c["rho_fluid"]}};
    const Shape ball = sphere(c["radius"]);
    Body& body = add_solid(model, "ball", ball, c["rho_body"]);
    body.in_fluid->hull = {hull(ball, c["Cd"])};
    add_joint(model, "free", Free{}, "ground", "ball", {});
    const Mechanism mech = compiled(model);
    State s = initial_state(mech);
    EXPECT_NEAR(-accelerations(mech, s)[5], c["initial_acc"], 1e-12);
    Simulation simulation(mech, {.until = 5, .tolerance = 1e-12});
    for (std::size_t i = 1; i < c["t"].size(); ++i) {
      EXPECT_TRUE(simulation.run(c["t"][i]).ok());
      EXPECT_NEAR(-simulation.state().v[5], c["speed_down"][i], 2e-10) << c["rho_body"] << " at " << c["t"][i];
      EXPECT_NEAR(-simulation.state().q[6], c["depth"][i], 2e-9);
    }
    EXPECT_NEAR(std::abs(simulation.state().v[5]), c["terminal_speed"], 1e-6);
    EXPECT_LT(std::abs(simulation.energy().error), 1e-8);
  }
}

TEST(AcceleratingFluid, takes_bodies_along) {
  for (const auto& row : part_of("uw_fluid_acceleration", "rows")) {
    const bool is_cylinder = row["body"].get<std::string>().starts_with("cylinder");
    Model model;
    model.gravity = {};
    model.fluid.media = {{.density = 1000}};
    model.fluid.media[0].current.acceleration = {2, 0, 0};
    const Shape shape = is_cylinder ? cylinder(0.05, -0.5, 0.5) : sphere(0.1);
    add_solid(model, "body", shape, 1000 * row["density_ratio"].get<double>());
    add_joint(model, "along x", Prismatic{}, "ground", "body", frame_at({}, {1, 0, 0}));
    const Mechanism mech = compiled(model);
    EXPECT_NEAR(accelerations(mech, initial_state(mech))[0] / 2, row["acc_ratio"], 1e-12) << row["body"];
  }
}

// The period of small swings, by the acceleration at a tiny angle.
double period(const Model& model) {
  const Mechanism mech = compiled(model);
  State s = initial_state(mech);
  s.q[0] = 1e-6;
  return 2 * pi / std::sqrt(-accelerations(mech, s)[0] / 1e-6);
}
Model pendulum(const Shape& shape, double density, double fluid) {
  Model model;
  if (fluid > 0) model.fluid.media = {{.density = fluid}};
  add_solid(model, "bob", shape, density).in_fluid->hull_drag = false;
  add_joint(model, "pivot", Revolute{}, "ground", "bob", frame_at({}, {0, 1, 0}));
  return model;
}
TEST(Pendulum, swings_slower_in_water) {
  for (const auto& row : part_of("uw_pendulum_water", "small_angle")) {
    const std::string kind = row["kind"];
    if (kind == "sphere pendulum") {
      Shape ball = sphere(row["r"]);
      ball.X_BS.p = {0, 0, -row["l"].get<double>()};
      EXPECT_NEAR(period(pendulum(ball, row["rho_body"], 0)), row["T_vacuum"], 1e-9);
      EXPECT_NEAR(period(pendulum(ball, row["rho_body"], 1000)), row["T_water_no_drag"], 1e-9);
    } else if (kind == "rod pendulum") {
      const Shape rod = cylinder(row["r"], -row["L"].get<double>(), 0);
      EXPECT_NEAR(period(pendulum(rod, row["rho_body"], 0)), row["T_vacuum"], 1e-9);
      EXPECT_NEAR(period(pendulum(rod, row["rho_body"], 1000)), row["T_water_no_drag"], 1e-9);
    } else {
      Model model;
      model.fluid.media = {{.density = row["rho"]}};
      Shape hull;
      hull.kind = Shape::Kind::ellipsoid;
      const double a = row["a"], b = row["b"];
      hull.size = {a, b, b};
      Body& body = add_solid(model, "hull", hull, row["rho"]);
      body.in_fluid->hull_drag = false;
      body.com = {0, 0, -0.02};
      add_joint(model, "pitch", Revolute{}, "ground", "hull", frame_at({}, {0, 1, 0}));
      EXPECT_NEAR(body.mass, row["mass"], 1e-10);
      EXPECT_NEAR(body.inertia.yy, row["Iy"], 1e-10);
      EXPECT_NEAR(period(model), row["T"], 1e-9);
    }
  }
}

TEST(Pendulum, a_rod_with_strip_drag_dies_out_as_integrated) {
  const auto c = reference("uw_pendulum_water")["rod_with_drag"];
  const double L = c["L"], r = c["r"];
  const Shape rod = cylinder(r, -L, 0);
  Model model = pendulum(rod, c["rho_body"], c["rho"]);
  Body& body = model.bodies[0];
  body.in_fluid->hull_drag = true;
  body.in_fluid->hull = {hull(rod, c["Cd"])};
  const Mechanism mech = compiled(model);
  State s = initial_state(mech);
  s.q[0] = c["theta"][0];
  Simulation simulation(mech, {.until = 10, .tolerance = 1e-12}, s);
  double worst = 0;
  for (std::size_t i = 1; i < c["t"].size(); ++i) {
    simulation.run(c["t"][i]);
    worst = std::max(worst, std::abs(simulation.state().q[0] - c["theta"][i].get<double>()));
  }
  EXPECT_LT(worst, 2e-9);
  EXPECT_LT(std::abs(simulation.energy().error), 1e-9);
}

// The lagged scheme of other programs fails at a ratio of 1, or of 5.67 behind a filter; here any ratio is as good as another.
TEST(AddedMass, of_any_ratio_is_stable_at_any_step) {
  for (const auto& row : part_of("uw_added_mass_lag", "rows")) {
    const double ratio = row["ratio"];
    for (const double times : {1.0, 10.0, 1e4}) {
      for (const double step : {1e-3, 0.1, 1.0}) {
        Model model;
        model.gravity = {};
        model.fluid.media = {{.density = 1000}};
        Body& body = add_body(model, "body", 1, {}, {1, 1, 1});
        body.in_fluid->added_mass.emplace();
        for (std::size_t i = 3; i < 6; ++i) (*body.in_fluid->added_mass)[7 * i] = ratio * times;
        add_joint(model, "slide", Prismatic{}, "ground", "body", frame_at({}, {1, 0, 0}));
        Load push;
        push.name = "push", push.at = {"body", {}};
        push.components = {StateFunction(1.0), StateFunction(0.0), StateFunction(0.0)};
        model.loads = {push};
        const Mechanism mech = compiled(model);
        for (const Integrator integrator : {Integrator::semi_implicit, Integrator::implicit}) {
          Simulation simulation(mech, {.until = 10, .step = step, .integrator = integrator});
          EXPECT_TRUE(simulation.run().ok());
          EXPECT_NEAR(simulation.state().v[0] / 10, 1 / (1 + ratio * times), 1e-12) << ratio;
        }
        if (times == 1) {
          EXPECT_NEAR(1 / (1 + ratio), row["exact_mean_acc"], 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace trammel
