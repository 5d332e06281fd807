// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What random models are made of: numbers, directions, poses and names as people and programs write them.

#include <array>
#include <cmath>
#include <random>
#include <string>

#include <fmt/format.h>

#include <trammel/model.hpp>

namespace trammel::test {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool chance() { return below(2) == 0; }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // Round figures as people write them, full doubles as programs do, and zeros.
  double any(double size) {
    const double x = size * (2 * uniform() - 1);
    const std::size_t way = below(5);
    return way == 0 ? 0 : way <= 2 ? std::round(x * 100) / 100 : x;
  }
  double positive(double size) {
    return chance() ? std::ceil(uniform() * 100) / 100 * size : size * (0.01 + uniform());
  }
  Vec3d vector(double size) { return {any(size), any(size), any(size)}; }

  Mat3d rotation() {
    const double right = std::acos(0.0);
    switch (below(4)) {
      case 0:
        return Mat3d::identity();
      case 1:
        return Mat3d{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
      case 2:
        return rotation_z(right * static_cast<double>(below(4)));
      default:
        return exp_rotation(Vec3d{any(2), any(2), any(2)});
    }
  }
  Transformd pose(double size) { return {rotation(), vector(size)}; }

  // Different for different i; some that YAML would take for something else.
  std::string odd_name(std::size_t i) {
    static const std::array<const char*, 22> odd{
        "true",   "1",      "a: b",  "ünïcode", "null",    "~",     " led by a space", "x",
        "- dash", "[list]", "{map}", "#no",     "a #b",    "'q'",   "\"dq\"",          "back\\slash",
        "1.5e3",  "on.off", "0x1F",  "<<",      "&anchor", "*alias"};
    return chance() ? fmt::format("part {}", i)
                    : fmt::format("{}{}", odd[(i * 5 + below(5)) % odd.size()], i < 4 ? "" : std::to_string(i));
  }
  std::string unused(const std::string& wanted, const auto& list) {
    for (const auto& item : list) {
      if (item.name == wanted) return unused(wanted + "'", list);
    }
    return wanted;
  }
  Vec3d direction() {
    static const Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    return chance() ? axes[below(6)] : rotation() * Vec3d{0, 0.6, 0.8};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace trammel::test
