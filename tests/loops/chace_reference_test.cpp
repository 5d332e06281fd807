// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Linkages whose positions are known, by Chace's cases: the tables of tests/reference/data, each with its source there. Both assembly
// modes of each.

#include <fstream>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/chace.hpp>

#include "support/source_dir.hpp"

namespace trammel::chace {
namespace {

constexpr double degree = std::numbers::pi / 180;
const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

nlohmann::json table(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}
double same_angle(double a, double b) { return std::abs(std::remainder(a - b, 2 * std::numbers::pi)); }
Vec3d in_plane(double length, double angle) { return {length * std::cos(angle), length * std::sin(angle), 0}; }
Cone flat_about(const Vec3d& w, const Vec3d& reference) {
  return cone_about(axes_about(w, reference), std::numbers::pi / 2);
}

void report(const char* name, double error, double bound) {
  fmt::print("{}: {:.1e}\n", name, error);
  ::testing::Test::RecordProperty("error", fmt::format("{:.2e}", error));
  EXPECT_LT(error, bound) << name;
}

// crank + coupler − rocker − ground = 0: r is the coupler reversed, so that r + rocker + (ground − crank) = 0.
TEST(ChaceReference, four_bar_of_norton_by_case_5) {
  const nlohmann::json data = table("norton_fourbar_rowa"), p = data["parameters"];
  const Vec3d crank = in_plane(p["crank"], p["theta2_deg"].get<double>() * degree),
              ground = x * p["ground"].get<double>();
  const Arm rocker{flat_about(z, x), p["rocker"]};
  const Solutions<2> found = case5(p["coupler"], rocker, ground - crank);
  ASSERT_EQ(found.count, 2);
  double error = 0;
  for (const char* branch : {"open", "crossed"}) {
    const nlohmann::json expected = data["reference"][branch];
    const Solution& s = found[find_mode(found, branch == std::string("open") ? 0 : 1)];
    error = std::max(
        {error, same_angle(azimuth(rocker.cone.axes, s.s), expected["theta4_deg"].get<double>() * degree),
         same_angle(azimuth(rocker.cone.axes, {-s.r.v, s.r.length}), expected["theta3_deg"].get<double>() * degree)});
  }
  report("Norton's four-bar", error, 1e-14);
}

TEST(ChaceReference, offset_slider_crank_by_case_4) {
  const nlohmann::json data = table("slider_crank_offset"), p = data["parameters"];
  double error = 0;
  for (const nlohmann::json& row : data["table"]) {
    const Vec3d crank = in_plane(p["crank"], row[0].get<double>() * degree);
    // rod + (−slide) + (crank − offset) = 0, with the slide along x
    const Solutions<2> found = case4(p["rod"], -x, crank - y * p["offset"].get<double>());
    ASSERT_EQ(found.count, 2);
    const Solution& s = found[find_mode(found, 0)];
    error = std::max({error, std::abs(s.s.length - row[1].get<double>()) / 100,
                      same_angle(azimuth(axes_about(z, x), s.r), row[2].get<double>() * degree)});
  }
  report("offset slider-crank", error, 1e-14);
}

// From the crank's ball to the rocker's: (O2 − A) + rocker − coupler = 0.
TEST(ChaceReference, rssr_by_case_5) {
  const nlohmann::json data = table("rssr"), p = data["parameters"];
  const Arm rocker{flat_about(x, y), p["rocker"]};
  double error = 0;
  for (const nlohmann::json& row : data["table"]) {
    const Vec3d A = in_plane(p["crank"], row["theta_deg"].get<double>() * degree),
                O2{p["O2"][0], p["O2"][1], p["O2"][2]};
    const Solutions<2> found = case5(p["coupler"], rocker, O2 - A);
    ASSERT_EQ(found.count, 2);
    for (const double expected : row["phi_deg"].get<std::vector<double>>()) {
      error = std::max(error, std::min(same_angle(azimuth(rocker.cone.axes, found[0].s), expected * degree),
                                       same_angle(azimuth(rocker.cone.axes, found[1].s), expected * degree)));
    }
  }
  report("RSSR", error, 1e-14);
}

// KAM's sample: the directions of the axes by two dot products, then the three travels by case 6. With z₁, z₂ and z₄ known from ground and
// crank, z₃·z₂ = cos α₂ and z₃·z₄ = cos α₃; the links lie along the common normals.
TEST(ChaceReference, rccc_by_two_dot_products_and_case_6) {
  const nlohmann::json data = table("rccc");
  const std::vector<double> a = data["parameters"]["a"];
  std::vector<double> alpha = data["parameters"]["alpha_deg"];
  for (double& angle : alpha) angle *= degree;
  double error = 0;
  for (const nlohmann::json& row : data["table"]) {
    const double theta1 = row["theta1_deg"].get<double>() * degree;
    const Vec3d n1 = in_plane(1, theta1), z2 = z * std::cos(alpha[0]) + cross(n1, z) * std::sin(alpha[0]);
    const Vec3d z4{0, std::sin(alpha[3]), std::cos(alpha[3])};  // turned back from z by α₄ about x
    const TwoDots z3 = solve_two_dots(z2, std::cos(alpha[1]), z4, std::cos(alpha[2]), 1);
    ASSERT_EQ(z3.count, 2);
    for (const nlohmann::json& expected : row["solutions"]) {
      double closest = 1;
      for (const Vec3d& axis : z3.x) {
        const Vec3d n2 = cross(z2, axis) * (1 / std::sin(alpha[1])), n3 = cross(axis, z4) * (1 / std::sin(alpha[2]));
        const Solutions<1> d = case6(z2, axis, z4, n1 * a[0] + n2 * a[1] + n3 * a[2] + x * a[3]);
        ASSERT_EQ(d.count, 1);
        const double angles[] = {azimuth(axes_about(z2, n1), {n2, 1}), azimuth(axes_about(axis, n2), {n3, 1}),
                                 azimuth(axes_about(z4, n3), {x, 1})};
        const double travels[] = {d[0].r.length, d[0].s.length, d[0].t.length};
        double worst = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          worst = std::max({worst, same_angle(angles[k], expected["theta_deg"][k + 1].get<double>() * degree),
                            std::abs(travels[k] - expected["d2_d3_d4"][k].get<double>())});
        }
        closest = std::min(closest, worst);
      }
      error = std::max(error, closest);
    }
  }
  report("RCCC", error, 1e-12);
}

}  // namespace
}  // namespace trammel::chace
