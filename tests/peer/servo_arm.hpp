// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arms whose joints follow sines by position servos, here and in MuJoCo: for tests beside it and for benchmarks.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <trammel/model.hpp>

namespace trammel::test {

struct ServoWave {
  double a = 0, w = 0, b = 0;  // target a sin(w t) + b
};
// Of the model last given to with_servos, for MuJoCo's callback, which has no room for them.
inline std::vector<ServoWave> servo_waves;
inline void follow_servo_waves(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nu; ++i) {
    const ServoWave& wave = servo_waves[static_cast<std::size_t>(i)];
    d->ctrl[i] = wave.a * std::sin(wave.w * d->time) + wave.b;
  }
}

struct ServoGains {
  double stiffness = 0, damping = 0;          // of the first four joints
  double far_stiffness = 0, far_damping = 0;  // of those beyond
  double gear_growth = 0;                     // gears are 1, 1 + this, …
};

// A servo on every joint, about `pose`.
inline Model with_servos(Model model, const std::vector<double>& pose, const ServoGains& gains) {
  servo_waves.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const double k = static_cast<double>(j);
    const ServoWave wave{0.3 + 0.05 * k, 4 - 0.3 * k, pose[j]};
    const auto formula = Expression::parse(fmt::format("{:.17g}*sin({:.17g}*t)+({:.17g})", wave.a, wave.w, wave.b),
                                           std::vector<std::string>{"t"});
    Actuator servo;
    servo.name = model.joints[j].name + " servo";
    servo.kind = Actuator::Kind::position;
    servo.joint = model.joints[j].name;
    servo.gear = 1 + gains.gear_growth * k;
    servo.stiffness = j < 4 ? gains.stiffness : gains.far_stiffness;
    servo.damping = j < 4 ? gains.damping : gains.far_damping;
    servo.target = {Profile(TimeFunction(std::get<Expression>(formula)))};
    model.actuators.push_back(servo);
    servo_waves.push_back(wave);
  }
  return model;
}

}  // namespace trammel::test
