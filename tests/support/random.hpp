// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers, vectors, poses and inertias for tests. The distributions are written out here because those of the
// standard library may differ between libraries: a seed names the same test everywhere.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <trammel/spatial/inertia.hpp>

namespace trammel::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [0, 1), with 53 random bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  // In low … high, both included.
  int integer(int low, int high) { return low + static_cast<int>(unit() * (high - low + 1)); }
  bool chance(double probability) { return unit() < probability; }
  // Mean 0, standard deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * pi * unit());
  }
  std::vector<double> normals(int n, double deviation = 1) {
    std::vector<double> numbers(static_cast<std::size_t>(n));
    for (double& number : numbers) number = deviation * normal();
    return numbers;
  }

  Vec3d vector(double deviation = 1) {
    const double x = normal(), y = normal(), z = normal();
    return Vec3d{x, y, z} * deviation;
  }
  Vec3d direction() {
    const Vec3d v = vector();
    return v * (1 / norm(v));
  }
  // Evenly over all rotations.
  Mat3d rotation() {
    const double w = normal(), x = normal(), y = normal(), z = normal();
    return rotation_of(Quaternion<double>{w, x, y, z});
  }
  Transformd pose(double deviation = 1) {
    const Mat3d R = rotation();
    return {R, vector(deviation)};
  }
  Motion<double> motion() {
    const Vec3d w = vector();
    return {w, vector()};
  }
  Force<double> force() {
    const Vec3d n = vector();
    return {n, vector()};
  }
  // The inertia, at the centre of mass, of a solid ellipsoid with random half axes, turned at random: always physical.
  Sym3d inertia_at_com(double mass) {
    const double a = uniform(0.05, 0.5), b = uniform(0.05, 0.5), c = uniform(0.05, 0.5);
    const double k = mass / 5;
    return rotate(rotation(), Sym3d{k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b), 0, 0, 0});
  }
  RigidInertia<double> rigid_inertia() {
    const double mass = uniform(0.1, 5);
    const Vec3d com = vector(0.5);
    return RigidInertia<double>::at_com(mass, com, inertia_at_com(mass));
  }

  static constexpr double pi = 3.14159265358979323846;

 private:
  std::mt19937_64 engine_;
};

}  // namespace trammel::test
