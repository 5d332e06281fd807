// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tripod gait for a walker with six legs around a torso, each with a hip that turns about the vertical and two knees: three legs stand while
// the other three swing forward, then they change. Where feet go is planned on the map of the ground; the servos do the rest.
//
// The torso is to be at (speed · t, 0), level, `height` above the mean ground under its feet. A foot stands at a place of the world, in the
// middle of its swing's reach; while it swings it moves there and is lifted. Joint angles follow from the place of the foot as seen from the torso
// (r outwards from the hip, z up):
//   hip    φ = atan2(y, x)
//   knees  two links a, b:  cos γ = (d² − a² − b²)/(2 a b),  θ₂ = −γ,  θ₁ = atan2(z, r') + atan2(b sin γ, a + b cos γ)
// with r' = r − hip link and d² = r'² + z².

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <trammel/trammel.hpp>

class TripodGait {
 public:
  struct Settings {
    double speed = 0.2;      // m/s
    double period = 3;       // s: of one leg, stance and swing
    double swing = 0.42;     // share of the period
    double lift = 0.14;      // m
    double stance = 1.0897;  // m: from the middle of the torso to each foot
    double height = 0.9757;  // m: of the torso above the soles
    double start = 2;        // s: stands still until then
  };

  TripodGait(const trammel::Terrain& ground, const Settings& settings) : ground_(ground), s_(settings) {}

  // Targets of hip, first and second knee of all six legs, at time t.
  std::array<std::array<double, 3>, 6> targets(double t) const {
    const double walked = distance(t);
    std::array<trammel::Vec3d, 6> feet;
    double mean = 0;
    for (std::size_t leg = 0; leg < 6; ++leg) {
      feet[leg] = foot(leg, t);
      mean += level(feet[leg].x, feet[leg].y) / 6;
    }
    std::array<std::array<double, 3>, 6> angles;
    for (std::size_t leg = 0; leg < 6; ++leg) {
      const trammel::Vec3d from_torso = feet[leg] - trammel::Vec3d{walked, 0, mean + s_.height};
      angles[leg] = angles_of(leg, from_torso);
    }
    return angles;
  }

  // How far the torso is to be.
  double distance(double t) const {
    const double since = std::max(0.0, t - s_.start), ramp = 2;  // s to full speed
    return s_.speed * (since < ramp ? since * since / (2 * ramp) : since - ramp / 2);
  }

 private:
  static double direction(std::size_t leg) {
    constexpr double sixth = std::numbers::pi / 3;
    return static_cast<double>(leg) * sixth;
  }
  double level(double x, double y) const {
    const trammel::GroundPoint found = trammel::find_ground(ground_, {x, y, 0});
    return -found.distance / found.normal_W.z;
  }

  // Where the foot is in the world: on the ground while it stands. Phase 0 … 1 of its own cycle begins with the swing.
  trammel::Vec3d foot(std::size_t leg, double t) const {
    const double stride = s_.speed * s_.period;
    const double x0 = s_.stance * std::cos(direction(leg)), y = s_.stance * std::sin(direction(leg));
    const double cycles = distance(t) / stride + (leg % 2 == 0 ? 0 : 0.5);
    const double begun = std::floor(cycles), phase = cycles - begun;
    // The stance of cycle n is where the leg is straight out in the middle of it.
    const auto stood = [&](double n) {
      const double middle = n + (1 + s_.swing) / 2 - (leg % 2 == 0 ? 0 : 0.5);
      return x0 + std::max(0.0, stride * middle);
    };
    double x = stood(begun), lift = 0;
    const double before = begun == 0 && leg % 2 == 0 ? x0 : (begun == 0 ? x0 : stood(begun - 1));
    if (phase < s_.swing) {
      const double share = phase / s_.swing, smooth = share * share * (3 - 2 * share);
      x = before + (x - before) * smooth;
      lift = s_.lift * std::sin(std::numbers::pi * share) * std::sin(std::numbers::pi * share);
    }
    if (t < s_.start) x = x0, lift = 0;
    return {x, y, level(x, y) + lift};
  }

  // Of a foot seen from the torso's middle, whose axes are the world's.
  std::array<double, 3> angles_of(std::size_t leg, const trammel::Vec3d& p) const {
    constexpr double to_hip = 0.375, hip = 0.2, a = 0.52, b = 1.02, sole = 0.03;
    const double c = std::cos(direction(leg)), s = std::sin(direction(leg));
    const double x = c * p.x + s * p.y - to_hip, y = -s * p.x + c * p.y;
    const double r = std::hypot(x, y) - hip, z = p.z + sole;
    const double gamma = std::acos(std::clamp((r * r + z * z - a * a - b * b) / (2 * a * b), -1.0, 1.0));
    const double first = std::atan2(z, r) + std::atan2(b * std::sin(gamma), a + b * std::cos(gamma));
    return {std::atan2(y, x), first, -gamma};
  }

  const trammel::Terrain& ground_;
  Settings s_;
};
