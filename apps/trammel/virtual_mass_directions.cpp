// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "virtual_mass_directions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace trammel::tool {
namespace {

std::optional<Vec3d> axis_of(const std::string& word) {
  const double sign = word.starts_with('-') ? -1 : 1;
  const std::string letter = word.starts_with('-') ? word.substr(1) : word;
  if (letter == "x") return Vec3d{sign, 0, 0};
  if (letter == "y") return Vec3d{0, sign, 0};
  if (letter == "z") return Vec3d{0, 0, sign};
  return std::nullopt;
}

// Angle from n to the motion, in the plane; out of it, the whole angle with the sign of what is in it.
double signed_deviation(const DirectionPlane& plane, const Vec3d& n, const VirtualMass& m) {
  const double turn = dot(cross(n, m.moves), cross(plane.first, plane.second));
  return turn < 0 ? -m.deviation : m.deviation;
}

using Form = std::array<std::array<double, 3>, 3>;

// The symmetric part of G11, and G11ᵀ G11.
Form half(const std::vector<double>& G) {
  Form S{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) S[i][k] = 0.5 * (G[6 * (i + 3) + k + 3] + G[6 * (k + 3) + i + 3]);
  }
  return S;
}
Form squared(const std::vector<double>& G) {
  Form S{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 3; ++j) S[i][k] += G[6 * (j + 3) + i + 3] * G[6 * (j + 3) + k + 3];
    }
  }
  return S;
}

// The direction of the plane in which n·S n is least: n·S n = (a + c)/2 + (a − c)/2 cos 2θ + b sin 2θ.
double least_in_plane(const DirectionPlane& plane, const Form& S) {
  const auto entry = [&](const Vec3d& u, const Vec3d& v) {
    double sum = 0;
    const auto x = components(u), y = components(v);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) sum += x[i] * S[i][k] * y[k];
    }
    return sum;
  };
  const double a = entry(plane.first, plane.first), c = entry(plane.second, plane.second);
  return 0.5 * std::atan2(-entry(plane.first, plane.second), 0.5 * (c - a));
}

// From the best direction of those listed uphill, by steps that halve: f has no finer detail than a quadratic form, so that a few steps of a
// size are enough, and many more mean that it is all but flat there.
template <class F>
Extreme climb(const F& f, Extreme from, double step, bool sphere) {
  constexpr double finest = 1e-9;
  constexpr int most_rounds = 10000;
  double h = step;
  for (int round = 0; h > finest && round < most_rounds; ++round) {
    Extreme best = from;
    for (const auto& [east, north] : {std::pair(1, 0), std::pair(-1, 0), std::pair(0, 1), std::pair(0, -1)}) {
      if (north != 0 && !sphere) continue;
      Extreme next{.longitude = from.longitude + east * h, .latitude = from.latitude + north * h};
      next.value = f(next);
      if (next.value > best.value) best = next;
    }
    if (best.value > from.value) {
      from = best;
    } else {
      h /= 2;
    }
  }
  return from;
}

// By the name of a direction; n and −n answer alike: the one whose longitude is below 180°.
Extreme named(const DirectionPlane& plane, Vec3d n) {
  const auto longitude = [&] {
    const double angle = std::atan2(dot(n, plane.second), dot(n, plane.first)) / degree;
    return angle < 0 ? angle + 360 : angle;
  };
  if (longitude() >= 180) n = -n;
  return {longitude(), std::asin(std::clamp(dot(n, cross(plane.first, plane.second)), -1.0, 1.0)) / degree, 0};
}

}  // namespace

Vec3d DirectionPlane::at(double longitude, double latitude) const {
  const Vec3d n = first * std::cos(longitude) + second * std::sin(longitude);
  return latitude == 0 ? n : n * std::cos(latitude) + cross(first, second) * std::sin(latitude);
}

std::optional<DirectionPlane> parse_plane(const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const auto a = axis_of(text.substr(0, comma)), b = axis_of(text.substr(comma + 1));
  if (!a || !b || std::abs(dot(*a, *b)) > 0.5) return std::nullopt;
  return DirectionPlane{*a, *b, text};
}

Directions directions_in_plane(double step) {
  Directions directions{.longitudes = {}, .latitudes = {0}};
  const auto count = static_cast<int>(std::floor(360 / step + 1e-9));
  for (int i = 0; i <= count; ++i) directions.longitudes.push_back(i * step);
  return directions;
}

Directions directions_on_sphere(double step) {
  const int around = std::max(4, static_cast<int>(std::lround(360 / step)));
  const int upwards = std::max(2, static_cast<int>(std::lround(180 / step)));
  Directions directions;
  for (int i = 0; i < around; ++i) directions.longitudes.push_back((i + 0.5) * 360 / around);
  for (int i = 0; i < upwards; ++i) directions.latitudes.push_back(-90 + (i + 0.5) * 180 / upwards);
  return directions;
}

void fill(const DirectionPlane& plane, const Directions& directions, VirtualMasses& masses) {
  const bool sphere = directions.is_sphere();
  const auto direction = [&](const Extreme& e) { return plane.at(e.longitude * degree, e.latitude * degree); };
  const auto deviation = [&](const Extreme& e) { return virtual_mass(masses.G, direction(e)).deviation; };
  Extreme steepest{.value = -1};
  for (const double latitude : directions.latitudes) {
    for (const double longitude : directions.longitudes) {
      const Extreme here{.longitude = longitude, .latitude = latitude};
      const Vec3d n = direction(here);
      const VirtualMass m = virtual_mass(masses.G, n);
      masses.projected.push_back(m.projected);
      masses.absolute.push_back(m.absolute);
      masses.deviation.push_back((sphere ? m.deviation : signed_deviation(plane, n, m)) / degree);
      if (m.deviation > steepest.value) steepest = {longitude, latitude, m.deviation};
    }
  }
  masses.ellipsoid = virtual_mass_ellipsoid(masses.G);
  const Form S = half(masses.G), R = squared(masses.G);
  std::vector<double> of_R(36);
  for (std::size_t i = 0; i < 3; ++i)
    std::copy(R[i].begin(), R[i].end(), of_R.begin() + 6 * (static_cast<std::ptrdiff_t>(i) + 3) + 3);
  const Vec3d heaviest = sphere ? masses.ellipsoid.axis[0] : plane.at(least_in_plane(plane, S));
  const Vec3d lightest =
      sphere ? virtual_mass_ellipsoid(of_R).axis[2] : plane.at(least_in_plane(plane, R) + std::numbers::pi / 2);
  masses.heaviest = named(plane, heaviest);
  masses.heaviest.value = virtual_mass(masses.G, heaviest).projected;
  masses.lightest = named(plane, lightest);
  masses.lightest.value = virtual_mass(masses.G, lightest).absolute;
  const double step = directions.longitudes.size() > 1 ? directions.longitudes[1] - directions.longitudes[0] : 90;
  steepest = climb(deviation, steepest, step, sphere);
  masses.steepest = named(plane, direction(steepest));
  masses.steepest.value = steepest.value / degree;
}

}  // namespace trammel::tool
