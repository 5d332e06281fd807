// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0

#include "chace_other_methods.hpp"

#include <array>
#include <functional>

#include <trammel/spatial/rotation.hpp>

namespace trammel::test {
namespace {

using chace::Arm;
using chace::Axes;
using chace::Solution;
using chace::Vector;

// One unknown of one vector: how the vector moves with it.
struct Unknown {
  enum class Kind { length, azimuth, tilt } kind = Kind::length;
  Vector* vector = nullptr;
  Vec3d direction;  // of the motion, per unit
  Vec3d axis;       // of an azimuth
};

void add_unknowns(const Part& part, Vector& v, std::vector<Unknown>& all) {
  if (part.kind == Kind::slide) all.push_back({Unknown::Kind::length, &v, part.w(), {}});
  if (part.kind == Kind::cone) all.push_back({Unknown::Kind::length, &v, v.v * (1 / v.length), {}});
  if (part.kind == Kind::cone || part.kind == Kind::arm) {
    all.push_back({Unknown::Kind::azimuth, &v, cross(part.w(), v.v), part.w()});
  }
  if (part.kind == Kind::sphere || part.kind == Kind::free) {
    const Axes axes = chace::axes_about(v.v * (1 / norm(v.v)));
    all.push_back({Unknown::Kind::tilt, &v, axes.l * v.length, {}});
    all.push_back({Unknown::Kind::tilt, &v, axes.m * v.length, {}});
    if (part.kind == Kind::free) all.push_back({Unknown::Kind::length, &v, axes.w, {}});
  }
}

void step(const Unknown& u, double by) {
  Vector& v = *u.vector;
  switch (u.kind) {
    case Unknown::Kind::length:
      v = {u.direction * (v.length + by), v.length + by};
      break;
    case Unknown::Kind::azimuth:
      v.v = exp_rotation(u.axis * by) * v.v;
      break;
    case Unknown::Kind::tilt:
      v.v += u.direction * by;
      v.v = v.v * (v.length / norm(v.v));
      break;
  }
}

Vector anywhere(const Part& part, double size, Random& random) {
  const double angle = random.uniform(-Random::pi, Random::pi), length = random.uniform(-2, 2) * size;
  switch (part.kind) {
    case Kind::none:
      return {};
    case Kind::slide:
      return {part.w() * length, length};
    case Kind::cone:
      return vector_at(part.arm.cone, length, angle);
    case Kind::arm:
      return vector_at(part.arm, angle);
    default:
      return {random.direction() * part.arm.length, part.arm.length};
  }
}

}  // namespace

std::optional<Solution> newton_from_anywhere(const Instance& i, Random& random) {
  Solution s{anywhere(i.r, i.size, random), anywhere(i.s, i.size, random), anywhere(i.t, i.size, random)};
  for (int iteration = 0; iteration < 60; ++iteration) {
    std::vector<Unknown> u;
    add_unknowns(i.r, s.r, u);
    add_unknowns(i.s, s.s, u);
    add_unknowns(i.t, s.t, u);
    const Vec3d gap = s.r.v + s.s.v + s.t.v + i.C;
    const Vec3d &a = u.at(0).direction, &b = u.at(1).direction, &c = u.at(2).direction;
    const double det = dot(a, cross(b, c));
    if (std::abs(det) < 1e-12 * norm(a) * norm(b) * norm(c)) return std::nullopt;
    const std::array<double, 3> d = {-dot(gap, cross(b, c)) / det, -dot(gap, cross(c, a)) / det,
                                     -dot(gap, cross(a, b)) / det};
    const double size = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]), limit = std::min(1.0, 1 / size);
    for (std::size_t k = 0; k < 3; ++k) step(u[k], limit * d[k]);
    if (size < 1e-10 && error_of(i, s) < 1e-13) {
      if (std::abs(determinant(i, s)) < 1e-4) return std::nullopt;
      return s;
    }
  }
  return std::nullopt;
}

namespace {

// What is left over at an azimuth on one of two branches, and the solution that goes with it; nothing where the branch is not real.
struct Left {
  double over = 0;
  Solution solution;
};
using Branch = std::function<std::optional<Left>(double angle, double sign)>;

// Case 3: the cone's condition. f ∓ c√g with the sign of the branch: one half of the cone each.
std::optional<Left> left_of_case3(const Instance& i, double angle, double sign) {
  const Vector s = vector_at(i.s.arm, angle);
  const Vec3d r = -(i.C + s.v);
  const double c = i.r.arm.cone.cos_polar, length = sign * norm(r);
  return Left{dot(r, i.r.w()) - length * c, {{r, length}, s, {}}};
}
// Case 8: r so that |t| is right, by the quadratic formula; over: the height of t.
std::optional<Left> left_of_case8(const Instance& i, double angle, double sign) {
  const Vector s = vector_at(i.s.arm, angle);
  const Vec3d d = i.C + s.v;
  const double h = dot(d, i.r.w()), under_root = h * h - dot(d, d) + i.t.arm.length * i.t.arm.length;
  if (under_root < 0) return std::nullopt;
  const double r = -h + sign * std::sqrt(under_root);
  const Vec3d t = -(d + i.r.w() * r);
  return Left{dot(t, i.t.w()) - i.t.arm.axial(), {{i.r.w() * r, r}, s, {t, i.t.arm.length}}};
}
// Case 9: t at its azimuth from the height of s, by half-angle formula; over: the length of s.
std::optional<Left> left_of_case9(const Instance& i, double angle, double sign) {
  const Vector r = vector_at(i.r.arm, angle);
  const Arm& t = i.t.arm;
  const Axes& axes = t.cone.axes;
  // (C + r + t)·w_s + axial_s = 0 is a cos θ + b sin θ + e = 0
  const double a = t.radial() * dot(axes.l, i.s.w()), b = t.radial() * dot(axes.m, i.s.w());
  const double e = dot(i.C + r.v + axes.w * t.axial(), i.s.w()) + i.s.arm.axial();
  const double reach = std::sqrt(a * a + b * b);
  if (std::abs(e) > reach) return std::nullopt;
  const Vector found = vector_at(t, std::atan2(b, a) + sign * std::acos(-e / reach));
  const Vec3d s = -(i.C + r.v + found.v);
  return Left{norm(s) - i.s.arm.length, {r, {s, i.s.arm.length}, found}};
}

}  // namespace

std::vector<Solution> scan(const Instance& instance, int steps) {
  const auto left_of = instance.number == 3 ? left_of_case3 : instance.number == 8 ? left_of_case8 : left_of_case9;
  std::vector<Solution> found;
  for (const double sign : {1.0, -1.0}) {
    std::optional<Left> low = left_of(instance, -Random::pi, sign);
    for (int k = 1; k <= steps; ++k) {
      double from = -Random::pi + 2 * Random::pi * (k - 1) / steps, to = -Random::pi + 2 * Random::pi * k / steps;
      const std::optional<Left> high = left_of(instance, to, sign);
      if (low && high && low->over * high->over < 0) {
        Left best = *low;
        const bool rises = high->over > 0;
        while (true) {  // halving, to the last bit
          const double middle = 0.5 * (from + to);
          if (!(middle > from && middle < to)) break;
          const std::optional<Left> here = left_of(instance, middle, sign);
          if (!here) break;
          best = *here;
          ((here->over > 0) == rises ? to : from) = middle;
        }
        if (error_of(instance, best.solution) < 1e-9) found.push_back(best.solution);
      }
      low = high;
    }
  }
  return found;
}

}  // namespace trammel::test
