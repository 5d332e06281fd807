// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Added mass and strip drag against closed forms and quadrature (tests/reference/data/uw_*.json).

#include "fluid/coefficients.hpp"

#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fluid/strip_drag.hpp"
#include "support/random.hpp"
#include "support/source_dir.hpp"

namespace trammel::fluid {
namespace {

constexpr double pi = std::numbers::pi;

nlohmann::json reference(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}
// A copy: a loop over reference(…)["…"] would outlive what it walks through.
nlohmann::json part_of(const std::string& name, const std::string& part) { return reference(name)[part]; }
Vec3d vector_of(const nlohmann::json& list) { return {list[0], list[1], list[2]}; }

TEST(LambFactors, of_spheroids_are_those_of_the_closed_form) {
  for (const auto& row : part_of("uw_added_mass", "prolate_spheroids")) {
    const double ratio = row["a_over_b"];
    const LambFactors f = lamb_factors({ratio, 1, 1});
    EXPECT_NEAR(f.translation.x, row["k1"], 2e-12) << ratio;
    EXPECT_NEAR(f.translation.y, row["k2"], 2e-12) << ratio;
    EXPECT_NEAR(f.translation.z, row["k2"], 2e-12) << ratio;
    // k' is over the inertia of the displaced fluid, (a² + b²)/5.
    const double k = f.rotation.y / ((ratio * ratio + 1) / 5), expected = row["kprime"];
    EXPECT_NEAR(k, expected, 1e-9 * expected + 1e-14) << ratio;
    EXPECT_NEAR(f.rotation.x, 0, 1e-14);
  }
}

TEST(LambFactors, of_ellipsoids_are_those_of_quadrature) {
  for (const auto& row : part_of("uw_added_mass", "triaxial")) {
    const LambFactors f = lamb_factors(vector_of(row["semi_axes"]));
    const Vec3d k = vector_of(row["k_translation"]), turn = vector_of(row["k_rotation_times_m2"]);
    EXPECT_LT(norm(f.translation - k), 3e-12 * norm(k)) << row["semi_axes"];
    EXPECT_LT(norm(f.rotation - turn), 3e-11 * (norm(turn) + 1e-3)) << row["semi_axes"];
  }
}

TEST(LambFactors, of_a_flat_spheroid_are_those_of_a_disc) {
  const LambFactors f = lamb_factors({1, 1, 1e-4});
  const double V = 4.0 / 3 * pi * 1e-4;
  EXPECT_NEAR(f.translation.z * V, 8.0 / 3, 1e-3);
  EXPECT_NEAR(f.rotation.x * V, 16.0 / 45, 1e-3);
}

TEST(AddedMass, of_a_sphere_is_half_of_what_it_displaces) {
  HullPart part;
  part.shape.kind = Shape::Kind::sphere;
  part.shape.radius = 1;
  EXPECT_NEAR(1000 * added_mass_of(part).translation.y, reference("uw_added_mass")["sphere"]["r1_rho1000"], 1e-9);
}

TEST(AddedMass, of_a_long_cylinder_is_that_of_its_strips) {
  HullPart part;
  part.shape.kind = Shape::Kind::cylinder;
  part.shape.radius = 0.02, part.shape.length = 1;
  const AddedMass m = added_mass_of(part);
  EXPECT_NEAR(m.translation.x, pi * 0.02 * 0.02, 1e-16);
  // About its end ⅓ ρ π r² L³, as of the rod pendulum in uw_pendulum_water.json.
  EXPECT_NEAR(1000 * (m.rotation.x + m.translation.x / 4), reference("uw_pendulum_water")["rod_with_drag"]["IA"],
              1e-12);
}

TEST(AddedMass, of_discs_and_bars_meet_where_they_are_as_long_as_wide) {
  HullPart part;
  part.shape.kind = Shape::Kind::cylinder;
  part.shape.radius = 0.225, part.shape.length = 1e-9;
  EXPECT_NEAR(1020 * added_mass_of(part).translation.z, 1020 * 8.0 / 3 * std::pow(0.225, 3), 1e-6);
  EXPECT_NEAR(1020 * added_mass_of(part).rotation.x, 1020 * 16.0 / 45 * std::pow(0.225, 5), 1e-6);
  part.shape.length = 0.45 * (1 - 1e-9);
  const AddedMass disc = added_mass_of(part);
  part.shape.length = 0.45 * (1 + 1e-9);
  const AddedMass bar = added_mass_of(part);
  EXPECT_LT(norm(disc.translation - bar.translation), 1e-8);
  EXPECT_LT(norm(disc.rotation - bar.rotation), 1e-8);
}

TEST(AddedMass, of_a_cube_is_the_tables) {
  HullPart part;
  part.shape.kind = Shape::Kind::box;
  part.shape.size = {2, 2, 2};
  EXPECT_NEAR(added_mass_of(part).translation.x, 0.68 * 8, 0.01);
  EXPECT_NEAR(added_mass_of(part).rotation.x, 0, 1e-12);
}

// 1.2 κ of DNV-RP-C205 for members of finite length, below the drag crisis.
TEST(DragAreas, of_bars_across_fall_with_their_length) {
  HullPart part;
  part.shape.kind = Shape::Kind::cylinder;
  part.shape.radius = 0.5;
  const double kappa[][2] = {{2, 0.58}, {5, 0.62}, {10, 0.68}, {20, 0.74}, {40, 0.82}, {50, 0.87}, {100, 0.98}};
  for (const auto& [length, k] : kappa) {
    part.shape.length = length;
    EXPECT_NEAR(drag_areas_of(part).across, 0.5 * 1.2 * k, 1e-12) << length;
  }
  part.shape.length = 1;
  EXPECT_NEAR(drag_areas_of(part).across, 0.5 * 0.64, 0.01);  // Blevins 1984
  EXPECT_NEAR(drag_areas_of(part).along, 0.5 * 0.91 * pi / 4, 1e-12);
  EXPECT_EQ(drag_areas_of(part).source,
            "across 0.636 by strips, its ends free (DNV-RP-C205), along flat ends (DNVGL-RP-N103, Table B-2)");
  part.drag = 0.9, part.drag_along = 0.3;
  EXPECT_NEAR(drag_areas_of(part).across, 0.45, 1e-12);
  EXPECT_EQ(drag_areas_of(part).source, "across as given, along as given");
}

TEST(DragAreas, of_boxes_are_those_of_plates_and_square_rods) {
  HullPart part;
  part.shape.kind = Shape::Kind::box;
  const auto coefficient_along_x = [&](const Vec3d& size) {
    part.shape.size = size;
    return drag_areas_of(part).faces.x / (0.5 * size.y * size.z);
  };
  EXPECT_NEAR(coefficient_along_x({1e-9, 1, 1}), 1.16,
              1e-8);  // DNVGL-RP-N103, Table B-2: plates 1, 5, 10 times as long
  EXPECT_NEAR(coefficient_along_x({1e-9, 1, 5}), 1.20, 1e-8);  // as wide, and without end
  EXPECT_NEAR(coefficient_along_x({1e-9, 10, 1}), 1.50, 1e-8);
  EXPECT_NEAR(coefficient_along_x({1e-9, 1e9, 1}), 1.90, 1e-6);
  EXPECT_NEAR(coefficient_along_x({1, 1, 1}), 1.15, 1e-12);  // square rods along the flow
  EXPECT_NEAR(coefficient_along_x({2, 1, 1}), 0.87, 1e-12);
  EXPECT_NEAR(coefficient_along_x({3, 1, 1}), 0.93, 1e-12);
}

TEST(StripDrag, is_that_of_quadrature) {
  for (const auto& row : part_of("uw_strip_drag", "rows")) {
    // The file takes the axis from x1 to x2; we take it from the middle.
    const double x1 = row["x1"], x2 = row["x2"], middle = (x1 + x2) / 2, half = (x2 - x1) / 2;
    const double Bx = row["B"][0], By = row["B"][1];
    const double Ax = row["A"][0].get<double>() + Bx * middle, Ay = row["A"][1].get<double>() + By * middle;
    const StripIntegrals<double> I = strip_integrals(Ax * Ax + Ay * Ay, Ax * Bx + Ay * By, Bx * Bx + By * By, half);
    const double I0 = I.I0, I1 = I.I1 + middle * I.I0, I2 = I.I2 + middle * (2 * I.I1 + middle * I.I0);
    const std::string name = row["case"];
    EXPECT_NEAR(I0, row["I"][0], 1e-12) << name;  // the file has twelve digits
    EXPECT_NEAR(I1, row["I"][1], 1e-12) << name;
    EXPECT_NEAR(I2, row["I"][2], 1e-12) << name;
  }
}

// Against the same integral in long double by many points, in pieces that end where the speed is least.
StripIntegrals<double> by_many_points(double a, double b, double c, double half) {
  long double I0 = 0, I1 = 0, I2 = 0;
  const long double least = c > 0 ? std::clamp(-b / c, -half, half) : 0;
  for (const auto& [from, to] : {std::pair<long double, long double>(-half, least), {least, half}}) {
    // s² near the least speed, so that a kink there does not matter
    const int n = 40000;
    const long double sign = from < least ? -1 : 1, width = to - from;
    for (int i = 0; i < n; ++i) {
      for (const long double at : {0.5L - 0.5L / std::sqrt(3.0L), 0.5L + 0.5L / std::sqrt(3.0L)}) {
        const long double s = (i + at) / n, x = least + sign * width * s * s, w = width * 2 * s / n / 2;
        const long double v = std::sqrt(std::max(0.0L, a + 2 * b * x + c * x * x));
        I0 += w * v, I1 += w * v * x, I2 += w * v * x * x;
      }
    }
  }
  return {static_cast<double>(I0), static_cast<double>(I1), static_cast<double>(I2)};
}
TEST(StripDrag, is_exact_to_2e_minus_13_however_the_bar_turns) {
  test::Random random(7);
  double worst = 0;
  for (const double ratio : {1e-6, 1e-4, 0.01, 0.03, 0.0499, 0.0501, 0.1, 0.3, 1.0, 2.0, 10.0, 1e3, 1e8}) {
    for (int i = 0; i < 6; ++i) {
      const double half = random.uniform(0.1, 2), angle = i == 0 ? 0 : random.uniform(0, 6);
      const double A = random.uniform(0.2, 3), B = ratio * A / (2 * half);
      const double a = A * A, b = A * B * std::cos(angle), c = B * B;
      const StripIntegrals<double> found = strip_integrals(a, b, c, half), expected = by_many_points(a, b, c, half);
      // Of force and moment, over k A² L and k A² L², or B's where that is more.
      const double top = std::max(A, B * half), Bx = B * std::cos(angle), By = B * std::sin(angle);
      const auto error = [&](double StripIntegrals<double>::*first, double StripIntegrals<double>::*second,
                             double power) {
        const double e1 = found.*first - expected.*first, e2 = found.*second - expected.*second;
        return std::hypot(A * e1 + Bx * e2, By * e2) / (top * top * 2 * half * power);
      };
      worst = std::max({worst, error(&StripIntegrals<double>::I0, &StripIntegrals<double>::I1, 1),
                        error(&StripIntegrals<double>::I1, &StripIntegrals<double>::I2, half)});
      EXPECT_LT(worst, 2e-13) << ratio << " " << angle;
    }
  }
  RecordProperty("worst", std::to_string(worst * 1e15));
}

}  // namespace
}  // namespace trammel::fluid
