// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tripod gait for walkers with six legs around a torso, each with a hip that turns about the vertical and two knees, all under servos:
// three legs stand while the other three swing forward, then they change.
//
//   const TripodGait gait(mechanism, {.speed = 0.2});
//   SimulationOptions options{.integrator = Integrator::implicit, .controller = gait.controller(0.021)};
//
// Where feet go is planned on the map of the ground; servos do the rest. The torso is to be at (speed · t, 0), level, `height` above the mean
// ground under its feet. A foot stands at a place of the world, in the middle of its swing's reach; while it swings it moves there and is
// lifted. Joint angles follow from the place of the foot as seen from the torso (r outwards from the hip, z up):
//   hip    φ = atan2(y, x)
//   knees  two links a, b:  cos γ = (d² − a² − b²)/(2 a b),  θ₂ = −γ,  θ₁ = atan2(z, r') + atan2(b sin γ, a + b cos γ)
// with r' = r − hip link and d² = r'² + z².

#include <array>
#include <memory>
#include <string>

#include <trammel/simulation.hpp>

namespace trammel {

class TripodGait {
 public:
  static constexpr std::size_t legs = 6, joints = 3;  // hip, first knee, second knee
  using Targets = std::array<std::array<double, joints>, legs>;

  struct Settings {
    double speed = 0.2;      // m/s
    double period = 3;       // s: of one leg, stance and swing
    double swing = 0.42;     // share of the period
    double lift = 0.14;      // m
    double stance = 1.0897;  // m: from the middle of the torso to each foot
    double height = 0.9757;  // m: of the torso above the soles
    double start = 2;        // s: stands still until then
    double ramp = 2;         // s: from then to full speed
    // The legs, the first ahead, the others each a sixth of a turn further to the left. As drawn, those of the Aquarobot. m
    double to_hip = 0.375, hip = 0.2, thigh = 0.52, shank = 1.02;
    double sole = 0.03;  // below the end of the shank
    // Names of the actuators: "leg3 knee1" …
    std::string leg_name = "leg";
    std::array<std::string, joints> joint_names{"hip", "knee1", "knee2"};
  };

  // Takes the mechanism's terrain, and its actuators by their names. Throws std::invalid_argument, which says what is missing, or that the
  // stride is longer than the legs.
  TripodGait(const Mechanism& mechanism, const Settings& settings);

  // What servos are to hold at time t.
  Targets targets(double t) const;
  void set_controls(double t, std::span<double> controls) const;
  // How far the torso is to be.
  double distance(double t) const;
  // For a simulation of the mechanism; copies what it needs.
  Controller controller(double period) const;

 private:
  Vec3d foot(std::size_t leg, double t) const;
  double level(double x, double y) const;
  std::array<double, joints> angles_of(std::size_t leg, const Vec3d& p) const;

  std::shared_ptr<const Terrain> ground_;
  Settings s_;
  std::array<std::array<std::size_t, joints>, legs> controls_{};
};

}  // namespace trammel
