// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/tripod_gait.hpp>

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

double direction(std::size_t leg) { return static_cast<double>(leg) * pi / 3; }

// Where the control of the actuator stands among all of them.
std::size_t find_control(const Mechanism& mechanism, const std::string& name) {
  std::size_t at = 0;
  for (const ActuatorInfo& info : mechanism.actuators) {
    if (info.settings.name == name) return at;
    at += info.settings.dof == Actuator::all_of_ball ? 3 : 1;
  }
  throw std::invalid_argument(
      fmt::format("the gait needs an actuator '{}', which the model does not have: give its servos such names, or set "
                  "leg_name and joint_names",
                  name));
}

}  // namespace

TripodGait::TripodGait(const Mechanism& mechanism, const Settings& settings)
    : ground_(mechanism.contacts.terrain), s_(settings) {
  if (!ground_) throw std::invalid_argument("the gait needs a terrain to walk on: the model has none");
  if (!(s_.period > 0) || !(s_.swing > 0 && s_.swing < 1) || !(s_.ramp > 0)) {
    throw std::invalid_argument(
        "the gait needs a period and a ramp above zero, and a swing between 0 and 1 of the period");
  }
  for (std::size_t leg = 0; leg < legs; ++leg) {
    for (std::size_t k = 0; k < joints; ++k) {
      controls_[leg][k] = find_control(mechanism, fmt::format("{}{} {}", s_.leg_name, leg + 1, s_.joint_names[k]));
    }
  }
  // The furthest that a foot on level ground is from its first knee: straight ahead, at the end of its stance.
  const double half = std::abs(s_.speed) * s_.period * (1 - s_.swing) / 2, out = s_.stance - s_.to_hip - s_.hip;
  const double reach = std::hypot(out + half, s_.height - s_.sole);
  if (reach > s_.thigh + s_.shank) {
    throw std::invalid_argument(
        fmt::format("the stride of {:.3g} m takes feet {:.3g} m from the knee, but thigh and shank are {:.3g} m long: "
                    "walk slower, or with a shorter period",
                    s_.speed * s_.period, reach, s_.thigh + s_.shank));
  }
}

double TripodGait::distance(double t) const {
  const double since = std::max(0.0, t - s_.start);
  return s_.speed * (since < s_.ramp ? since * since / (2 * s_.ramp) : since - s_.ramp / 2);
}

TripodGait::Targets TripodGait::targets(double t) const {
  std::array<Vec3d, legs> feet;
  double mean = 0;
  for (std::size_t leg = 0; leg < legs; ++leg) {
    feet[leg] = foot(leg, t);
    mean += level(feet[leg].x, feet[leg].y) / legs;
  }
  Targets angles{};
  const Vec3d torso{distance(t), 0, mean + s_.height};
  for (std::size_t leg = 0; leg < legs; ++leg) angles[leg] = angles_of(leg, feet[leg] - torso);
  return angles;
}

void TripodGait::set_controls(double t, std::span<double> controls) const {
  const Targets angles = targets(t);
  for (std::size_t leg = 0; leg < legs; ++leg) {
    for (std::size_t k = 0; k < joints; ++k) controls[controls_[leg][k]] = angles[leg][k];
  }
}

Controller TripodGait::controller(double period) const {
  return {.period = period, .update = [gait = *this](const Moment& now, std::span<double> controls) {
            gait.set_controls(now.t, controls);
          }};
}

// Height of the ground.
double TripodGait::level(double x, double y) const {
  const GroundPoint found = find_ground(*ground_, {x, y, 0});
  return -found.distance / found.normal_W.z;
}

// Where the foot is in the world: on the ground while it stands. Phase 0 … 1 of its own cycle begins with the swing; every second leg is half a
// cycle ahead.
Vec3d TripodGait::foot(std::size_t leg, double t) const {
  const double stride = s_.speed * s_.period, ahead = leg % 2 == 0 ? 0 : 0.5;
  const double x0 = s_.stance * std::cos(direction(leg)), y = s_.stance * std::sin(direction(leg));
  if (t < s_.start || stride == 0) return {x0, y, level(x0, y)};
  const double cycles = distance(t) / stride + ahead;
  const double begun = std::floor(cycles), phase = cycles - begun;
  // The stance of cycle n is where the leg is straight out in the middle of it.
  const auto stood = [&](double n) { return x0 + std::max(0.0, stride * (n + (1 + s_.swing) / 2 - ahead)); };
  const double to = stood(begun), from = begun == 0 ? x0 : stood(begun - 1);
  if (phase >= s_.swing) return {to, y, level(to, y)};
  const double share = phase / s_.swing, smooth = share * share * (3 - 2 * share), wave = std::sin(pi * share);
  const double x = from + (to - from) * smooth;
  return {x, y, level(x, y) + s_.lift * wave * wave};
}

// Of a foot seen from the torso's middle, whose axes are the world's.
std::array<double, TripodGait::joints> TripodGait::angles_of(std::size_t leg, const Vec3d& p) const {
  const double a = s_.thigh, b = s_.shank, c = std::cos(direction(leg)), s = std::sin(direction(leg));
  const double x = c * p.x + s * p.y - s_.to_hip, y = -s * p.x + c * p.y;
  const double r = std::hypot(x, y) - s_.hip, z = p.z + s_.sole;
  const double gamma = std::acos(std::clamp((r * r + z * z - a * a - b * b) / (2 * a * b), -1.0, 1.0));
  const double first = std::atan2(z, r) + std::atan2(b * std::sin(gamma), a + b * std::cos(gamma));
  return {std::atan2(y, x), first, -gamma};
}

}  // namespace trammel
