// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A whole vehicle: speed, turns and trajectories of the REMUS 100 (uw_remus100.json), its special terms plugged in as a user's model.

#include "fluid/remus.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/fluid_forces.hpp>
#include <trammel/simulation.hpp>

#include "support/source_dir.hpp"

namespace trammel {
namespace {

using test::Remus;
using test::RemusModel;

constexpr double degree = std::numbers::pi / 180;

const nlohmann::json& reference() {
  static const nlohmann::json data = [] {
    std::ifstream file(test::source_dir() + "/tests/reference/data/uw_remus100.json");
    return nlohmann::json::parse(file);
  }();
  return data;
}

std::shared_ptr<RemusModel> remus_model() {
  auto model = std::make_shared<RemusModel>();
  for (std::size_t i = 0; i < 6; ++i) {
    model->added[i] = reference()["parameters"]["MA_diag"][i];
    model->damping[i] = reference()["parameters"]["linear_damping_diag"][i];
  }
  return model;
}

// World axes as the vehicle's: z down.
Mechanism remus(const std::shared_ptr<RemusModel>& custom) {
  Model model;
  model.gravity = {0, 0, 9.81};
  model.fluid.media = {{.density = Remus::rho}};
  Body& body = add_body(model, "remus", Remus::mass, {0, 0, 0.02}, {Remus::Ix, Remus::Iy, Remus::Iy});
  Hydrodynamics& h = *body.in_fluid;
  h.volume = Remus::mass / Remus::rho;
  h.added_mass.emplace();
  for (std::size_t i = 0; i < 6; ++i) (*h.added_mass)[7 * i] = custom->added[(i + 3) % 6];  // turning first
  h.custom = custom;
  add_joint(model, "free", Free{}, "ground", "remus", {});
  const CompileResult result = compile(model);
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return result.mechanism;
}

struct Errors {
  double place = 0, angle = 0, velocity = 0;
};
// At the moments of a run of the file.
Errors follow(const Mechanism& mech, const nlohmann::json& run, double switch_at) {
  Simulation simulation(mech, {.until = run["t"].back(), .tolerance = 1e-11});
  Errors worst;
  for (std::size_t i = 1; i < run["t"].size(); ++i) {
    const double t = run["t"][i];
    if (t > switch_at && simulation.state().t < switch_at) simulation.run(switch_at);
    EXPECT_TRUE(simulation.run(t).ok());
    const State& s = simulation.state();
    const auto& eta = run["eta"][i];
    const auto& nu = run["nu"][i];
    worst.place = std::max(worst.place, norm(Vec3d{s.q[4], s.q[5], s.q[6]} - Vec3d{eta[0], eta[1], eta[2]}));
    const double roll = eta[3], pitch = eta[4], yaw = eta[5];
    const Mat3d R = exp_rotation(Vec3d{0, 0, yaw}) * exp_rotation(Vec3d{0, pitch, 0}) * exp_rotation(Vec3d{roll, 0, 0});
    worst.angle = std::max(worst.angle, norm(log(transpose(R) * rotation_of(Quaternion<double>::load(s.q.data())))));
    worst.velocity = std::max(worst.velocity, norm(Vec3d{s.v[3], s.v[4], s.v[5]} - Vec3d{nu[0], nu[1], nu[2]}));
  }
  return worst;
}

TEST(Remus, has_the_added_mass_of_lambs_spheroid) {
  Model model;
  model.fluid.media = {{.density = Remus::rho}};
  Body& body = add_body(model, "hull", Remus::mass, {}, {Remus::Ix, Remus::Iy, Remus::Iy});
  Shape hull;
  hull.kind = Shape::Kind::ellipsoid;
  hull.size = {Remus::a, Remus::b, Remus::b};
  body.shapes = {hull};
  add_joint(model, "free", Free{}, "ground", "hull", {});
  const CompileResult result = compile(model);
  const WetReport report = report_fluid(result.mechanism, initial_state(result.mechanism).q);
  const auto& MA = reference()["parameters"]["MA_diag"];
  const auto& found =
      report.bodies.at(0).added_mass;  // least first: roll 0, surge, pitch, yaw over length², sway, heave
  EXPECT_NEAR(found[0], 0, 1e-12);
  EXPECT_NEAR(found[1], MA[0], 1e-8);
  EXPECT_NEAR(found[2] * Remus::a * Remus::a, MA[4], 1e-8);
  EXPECT_NEAR(found[5], MA[2], 1e-8);
  EXPECT_NEAR(report.net_weight, 0, 1e-9);
}

TEST(Remus, runs_2_55_metres_a_second_at_1525_rpm) {
  const Mechanism mech = remus(remus_model());
  const auto& run = reference()["straight_1525rpm"];
  Simulation simulation(mech, {.until = 60, .tolerance = 1e-11});
  for (std::size_t i = 1; i < run["t"].size(); ++i) {
    simulation.run(run["t"][i]);
    EXPECT_NEAR(simulation.state().v[3], run["u"][i], 2e-8) << run["t"][i];
    EXPECT_NEAR(simulation.state().q[4], run["x"][i], 2e-7) << run["t"][i];
    EXPECT_NEAR(simulation.state().v[0], run["p"][i], 2e-8) << run["t"][i];
  }
  EXPECT_NEAR(simulation.state().v[3], 2.5536, 1e-4);
}

TEST(Remus, turns_as_the_simulator_with_its_terms_left_out) {
  for (const int angle : {5, 10, 15}) {
    const auto& run = reference()[fmt::format("turn_{}deg", angle)];
    auto model = remus_model();
    model->rudder = [angle](double t) { return t > 30 ? angle * degree * (1 - std::exp(-(t - 30) / 0.1)) : 0.0; };
    const Mechanism mech = remus(model);
    const Errors worst = follow(mech, run, 30);
    EXPECT_LT(worst.place, 2e-6) << angle;
    EXPECT_LT(worst.angle, 2e-7) << angle;
    EXPECT_LT(worst.velocity, 2e-8) << angle;
  }
}

TEST(Remus, follows_the_simulators_own_run) {
  const auto& run = reference()["toolbox_step_input"];
  auto model = remus_model();
  model->rectangle_of_21 = true;
  const auto lagged = [](double t, double size, double until) {
    const double reached = size * (1 - std::exp(-std::min(t, until) / 0.1));
    return t <= until ? reached : reached * std::exp(-(t - until) / 0.1);
  };
  model->rudder = [&](double t) { return lagged(t, 5 * degree, 100); };
  model->stern = [&](double t) { return lagged(t, -5 * degree, 50); };
  const Mechanism mech = remus(model);
  Simulation simulation(mech, {.until = 120, .tolerance = 1e-11});
  for (const double t : {50.0, 100.0, 120.0}) simulation.run(t);
  const auto& eta = run["eta"].back();
  EXPECT_NEAR(simulation.state().q[4], eta[0], 2e-5);
  EXPECT_NEAR(simulation.state().q[5], eta[1], 2e-5);
  EXPECT_NEAR(simulation.state().q[6], eta[2], 2e-5);
}

}  // namespace
}  // namespace trammel
