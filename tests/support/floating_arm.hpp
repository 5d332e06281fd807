// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// An arm of hinges, about z and y in turns, on a base that floats; for tests and benchmarks of what the Ex-GIT costs.

#include <string>

#include <trammel/model.hpp>

namespace trammel::test {

inline Model floating_arm(int joints) {
  Model model;
  add_body(model, "base", 100, {}, {10, 12, 14, 0, 0, 0}, {});
  add_joint(model, "base", Free{}, "ground", "base", {});
  for (int i = 0; i < joints; ++i) {
    const std::string name = "link" + std::to_string(i), before = i == 0 ? "base" : "link" + std::to_string(i - 1);
    add_body(model, name, 2, {0.2, 0, 0}, {0.01, 0.05, 0.05, 0, 0, 0}, Transformd::translation({0.4 * i, 0, 0}));
    add_joint(model, "joint" + std::to_string(i), Revolute{}, before, name,
              frame_at({0.4 * i, 0, 0}, i % 2 == 0 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0}));
  }
  return model;
}

}  // namespace trammel::test
