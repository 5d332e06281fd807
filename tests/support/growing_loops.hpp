// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mechanisms with loops that can be made as large as one likes, of n equal parts; for tests and benchmarks of how cost grows.

#include <cmath>
#include <numbers>
#include <string>

#include <trammel/model.hpp>

namespace trammel::test {

inline void add_stick(Model& model, const std::string& name, const Vec3d& a, const Vec3d& b) {
  const Vec3d along = b - a;
  const double length = norm(along), about = 0.1 * length * length / 12, thick = 1e-3;
  const auto square = [&](double x) { return x * x / (length * length); };
  // A thin stick of 0.1 kg, with a little inertia about its own axis.
  const Sym3d inertia{about * (1 - square(along.x)) + thick,          about * (1 - square(along.y)) + thick,
                      about * (1 - square(along.z)) + thick,          -about * along.x * along.y / (length * length),
                      -about * along.x * along.z / (length * length), -about * along.y * along.z / (length * length)};
  add_body(model, name, 0.1, (a + b) * 0.5, inertia);
}
inline std::string numbered(const char* what, int i) { return std::string(what) + " " + std::to_string(i); }

// Two rails of n sticks each hang from the ground; rods tie them, rung by rung. n freedoms.
inline Model ladder(int n) {
  Model model;
  model.gravity = {0, -9.81, 0};
  for (const int side : {0, 1}) {
    const char* rail = side == 0 ? "left" : "right";
    std::string before(ground_name);
    for (int i = 0; i < n; ++i) {
      const Vec3d from{1.0 * side, -0.5 * i, 0}, to{1.0 * side, -0.5 * (i + 1), 0};
      add_stick(model, numbered(rail, i), from, to);
      add_joint(model, numbered(rail, i), Revolute{}, before, numbered(rail, i), frame_at(from, {0, 0, 1}));
      before = numbered(rail, i);
    }
  }
  for (int i = 0; i < n; ++i) {
    const Vec3d left{0, -0.5 * (i + 1), 0}, right{1, -0.5 * (i + 1), 0};
    add_constraint(model, numbered("rung", i), Distance{1}, numbered("left", i), numbered("right", i),
                   frame_at(left, {0, 0, 1}), frame_at(right, {0, 0, 1}));
  }
  return model;
}

// n sticks with ball joints in a ring, the first on a ball on the ground.
inline Model ring(int n) {
  Model model;
  model.gravity = {0, -9.81, 0};
  const double angle = 2 * std::numbers::pi / n, radius = 0.5 / angle;
  const auto corner = [&](int i) {
    const double turn = angle * i;
    return Vec3d{radius * std::sin(turn), radius * (std::cos(turn) - 1), 0.2 * std::sin(3 * turn)};
  };
  std::string before(ground_name);
  for (int i = 0; i < n; ++i) {
    const std::string name = numbered("stick", i);
    add_stick(model, name, corner(i), corner(i + 1));
    add_joint(model, name, Spherical{}, before, name, frame_at(corner(i), {0, 0, 1}));
    before = name;
  }
  add_joint(model, "closes", Spherical{}, before, "stick 0", frame_at(corner(n), {0, 0, 1})).cut = true;
  return model;
}

// n four-bars, each on the coupler of the one before; hinges, so that three rows of each closure are redundant. n freedoms.
inline Model chain_of_four_bars(int n) {
  Model model;
  model.gravity = {0, -9.81, 0};
  std::string base(ground_name);
  const Vec3d z{0, 0, 1};
  for (int i = 0; i < n; ++i) {
    const Vec3d o{0.1 * i, -0.3 * i, 0}, a = o + Vec3d{0.1, -0.3, 0}, p = o + Vec3d{0.4, 0, 0},
                                         b = p + Vec3d{0.05, -0.32, 0};
    const std::string crank = numbered("crank", i), coupler = numbered("coupler", i), rocker = numbered("rocker", i);
    add_stick(model, crank, o, a), add_stick(model, coupler, a, b), add_stick(model, rocker, p, b);
    add_joint(model, numbered("O", i), Revolute{}, base, crank, frame_at(o, z));
    add_joint(model, numbered("A", i), Revolute{}, crank, coupler, frame_at(a, z));
    add_joint(model, numbered("P", i), Revolute{}, base, rocker, frame_at(p, z));
    add_joint(model, numbered("B", i), Revolute{}, coupler, rocker, frame_at(b, z)).cut = true;
    base = coupler;
  }
  return model;
}

// A body held by n arms of three hinges each, by ball joints.
inline Model star(int n) {
  Model model;
  model.gravity = {0, 0, -9.81};
  add_body(model, "object", 5, {0, 0, 1}, {1, 1, 1, 0, 0, 0}, {Mat3d::identity(), {0, 0, 1}});
  add_joint(model, "float", Free{}, ground_name.data(), "object", {});
  for (int k = 0; k < n; ++k) {
    const double turn = 2 * std::numbers::pi * k / n, c = std::cos(turn), s = std::sin(turn);
    const auto at = [&](double r, double z) { return Vec3d{r * c, r * s, z}; };
    const Vec3d points[4] = {at(2, 0), at(2.2, 0.4), at(1.6, 0.9), at(0.5, 1)};
    const Vec3d axes[3] = {{0.1, 0, 1}, {-s, c, 0.2}, {-s, c, -0.1}};
    std::string before(ground_name);
    for (int i = 0; i < 3; ++i) {
      const std::string name = numbered("arm", k) + numbered(" link", i);
      add_stick(model, name, points[i], points[i + 1]);
      add_joint(model, name, Revolute{}, before, name, frame_at(points[i], axes[i]));
      before = name;
    }
    add_joint(model, numbered("tip", k), Spherical{}, before, "object", frame_at(points[3], {0, 0, 1})).cut = true;
  }
  return model;
}

}  // namespace trammel::test
