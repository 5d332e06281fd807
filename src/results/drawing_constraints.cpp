// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Constraints and springs as what makes them: rods, slots, cams with their rollers and faces, rolling circles, coils. Constraints on angles
// and held components are not to be seen.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "results/drawing_scene.hpp"

namespace trammel::results {
namespace {

class ConstraintSymbol {
 public:
  ConstraintSymbol(const Subject& subject, const ConstraintInfo& constraint, Thing& thing)
      : s_(subject),
        constraint_(constraint),
        X_WP_(subject.X_WB(constraint.first) * constraint.X_AP),
        X_WQ_(subject.X_WB(constraint.second) * constraint.X_BQ),
        u_(subject.unit),
        thing_(thing) {
    for (const int body : {constraint.first, constraint.second}) {
      if (body != ground) thing_.on.push_back(body);
    }
    thing_.body = constraint.first;
  }

  void operator()(const Distance&) {
    for (const auto& [body, p] : {std::pair{constraint_.first, X_WP_.p}, std::pair{constraint_.second, X_WQ_.p}}) {
      if (s_.is_ground(body) && !s_.faint) thing_.parts.emplace_back(Foot{p, {}, u_, {(X_WP_.p + X_WQ_.p) * 0.5}});
    }
    solid(rounded({X_WP_.p, X_WQ_.p}, X_WP_.R, 0.7 * u_));
    solid(rounded({X_WP_.p}, X_WP_.R, 0.9 * u_));
    solid(rounded({X_WQ_.p}, X_WQ_.R, 0.9 * u_));
  }

  void operator()(const PointOnLine&) {
    const double now = dot(X_WP_.R.ez, X_WQ_.p - X_WP_.p);
    double least = now, most = now;
    const auto take = [&](const DrawnPosition& position) {
      const Subject there{s_.model, s_.mechanism, s_.drawing, position};
      const Transformd P = there.X_WB(constraint_.first) * constraint_.X_AP;
      const double z = dot(P.R.ez, (there.X_WB(constraint_.second) * constraint_.X_BQ).p - P.p);
      least = std::min(least, z);
      most = std::max(most, z);
    };
    for (const DrawnPosition& position : s_.drawing.others) take(position);
    for (const DrawnPosition& position : s_.drawing.swept) take(position);
    const Solid follower = rounded({X_WQ_.p}, X_WQ_.R, 0.9 * u_);
    const double from = least - 4 * u_, to = most + 4 * u_;
    if (s_.is_ground(constraint_.first) && !s_.faint) {
      thing_.parts.emplace_back(Track{X_WP_.p, X_WP_.R.ez, from, to, {follower}, u_, false});
    } else if (!s_.faint) {
      line({X_WP_.p + X_WP_.R.ez * from, X_WP_.p + X_WP_.R.ez * to}, false, Ink::curve);
    }
    solid(follower);
  }

  void operator()(const PointOnPlane& plane) {
    const Vec3d d = X_WQ_.p - X_WP_.p, foot = X_WQ_.p - X_WP_.R.ez * (dot(X_WP_.R.ez, d));
    const Vec3d lifted = foot + X_WP_.R.ez * plane.height;
    const double half = 3.5 * u_;
    if (!s_.faint) {
      std::vector<Vec3d> corners;
      for (const auto& [x, y] : {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}})
        corners.push_back(lifted + X_WP_.R.ex * (x * half) + X_WP_.R.ey * (y * half));
      line(std::move(corners), true, Ink::curve);
    }
    solid(rounded({X_WQ_.p}, X_WQ_.R, 0.8 * u_));
  }

  void operator()(const PointOnCurve& on) {
    curve(*on.curve);
    const double radius = std::abs(on.offset);
    if (radius > 1.2 * u_) {
      const Vec3d centre = X_WQ_.p;
      thing_.parts.emplace_back(Circle{{centre, X_WP_.R.ex, X_WP_.R.ey, radius}, Ink::curve, Fill::paper});
    }
    solid(rounded({X_WQ_.p}, X_WQ_.R, 0.8 * u_));
  }

  void operator()(const FaceOnCurve& on) {
    curve(*on.curve);
    double half = 0;  // as long as the curve is wide
    for (const Vec3d& p : points_of(*on.curve)) half = std::max(half, 0.8 * norm(p - points_of(*on.curve).front()));
    half = std::max(half, 3 * u_);
    line({X_WQ_.p - X_WQ_.R.ex * half, X_WQ_.p + X_WQ_.R.ex * half}, false, Ink::curve);
  }

  void operator()(const RollingCircles& rolling) {
    circle({X_WP_.p, X_WP_.R.ex, X_WP_.R.ey, rolling.first_radius}, X_WP_.R.ex);
    circle({X_WQ_.p, X_WP_.R.ex, X_WP_.R.ey, rolling.second_radius}, X_WQ_.R.ex);
  }

  void operator()(const RollingOnLine& rolling) {
    circle({X_WQ_.p, X_WP_.R.ex, X_WP_.R.ey, rolling.radius}, X_WQ_.R.ex);
    if (s_.faint) return;
    const Vec3d touch = X_WP_.p + X_WP_.R.ex * dot(X_WP_.R.ex, X_WQ_.p - X_WP_.p);
    const double half = std::max(2.2 * rolling.radius, 5 * u_);
    double least = -half, most = half;
    for (const DrawnPosition& position : s_.drawing.swept) {
      const Subject there{s_.model, s_.mechanism, s_.drawing, position};
      const Vec3d p = (there.X_WB(constraint_.second) * constraint_.X_BQ).p;
      least = std::min(least, dot(X_WP_.R.ex, p - touch) - rolling.radius);
      most = std::max(most, dot(X_WP_.R.ex, p - touch) + rolling.radius);
    }
    line({touch + X_WP_.R.ex * least, touch + X_WP_.R.ex * most}, false, Ink::curve);
  }

  template <class C>
  void operator()(const C&) {}

 private:
  const Subject& s_;
  const ConstraintInfo& constraint_;
  Transformd X_WP_, X_WQ_;
  double u_;
  Thing& thing_;

  void line(std::vector<Vec3d> points, bool closed, Ink ink) {
    thing_.parts.emplace_back(Line{std::move(points), closed, ink});
  }
  void solid(Solid solid) { thing_.parts.emplace_back(DrawnSolid{std::move(solid), Ink::pair, Fill::paper}); }

  std::vector<Vec3d> points_of(const Curve& curve) const {
    constexpr int pieces = 180;
    std::vector<Vec3d> points;
    for (int k = 0; k <= pieces - (curve.closed() ? 1 : 0); ++k) {
      const CurvePoint<double> c = curve.at(curve.begin() + (curve.end() - curve.begin()) * k / pieces);
      points.push_back(X_WP_ * Vec3d{c.x, c.y, 0});
    }
    return points;
  }
  void curve(const Curve& curve) { line(points_of(curve), curve.closed(), Ink::curve); }

  void circle(const Ring& ring, const Vec3d& mark) {
    thing_.parts.emplace_back(Circle{ring, Ink::coupling});
    line({ring.centre + mark * std::max(0.7 * ring.radius, ring.radius - 3 * u_), ring.centre + mark * ring.radius},
         false, Ink::edge);
  }
};

// A coil between two points: straight at its ends.
std::vector<Vec3d> coil(const Vec3d& a, const Vec3d& b, const Mat3d& R, double unit_length) {
  const double length = norm(b - a);
  const Vec3d axis = (b - a) * (1 / length);
  const Vec3d aside = std::abs(dot(R.ez, axis)) < 0.7 ? R.ez : R.ex;
  const Vec3d ex = unit(square_to(aside, axis));
  const double radius = std::min(1.5 * unit_length, 0.15 * length), end = 0.14 * length;
  std::vector<Vec3d> points{a, a + axis * end};
  const std::vector<Vec3d> turns = helix({{ex, cross(axis, ex), axis}, a}, radius, end, length - end,
                                         std::clamp(length / (2.4 * unit_length), 6.0, 16.0));
  points.insert(points.end(), turns.begin(), turns.end());
  points.push_back(b - axis * end);
  points.push_back(b);
  return points;
}

std::vector<Vec3d> spiral(const Transformd& X, double from, double to) {
  std::vector<Vec3d> points;
  constexpr int count = 72;
  for (int k = 0; k <= count; ++k) {
    const double share = static_cast<double>(k) / count, angle = 5 * std::numbers::pi * share;
    const double r = from + (to - from) * share;
    points.push_back(X * Vec3d{r * std::cos(angle), r * std::sin(angle), 0});
  }
  return points;
}

void add_springs(const Subject& subject, Scene& scene) {
  const Mechanism& mech = subject.mechanism;
  for (const SpringInfo& spring : mech.springs) {
    Thing thing{.kind = Thing::Kind::spring, .name = spring.settings.name};
    if (spring.joint >= 0) {
      const JointInfo& joint = mech.joints[static_cast<std::size_t>(spring.joint)];
      if (freedoms(joint.type).empty() || freedoms(joint.type).front().dimension != dimension::angle) continue;
      thing.parts.emplace_back(
          Line{spiral(subject.X_WF(joint), 1.3 * subject.unit, 2.9 * subject.unit), false, Ink::spring});
      for (const int body : {joint.first, joint.second}) thing.on.push_back(body);
    } else {
      const Vec3d a = subject.X_WB(spring.first) * spring.settings.first.p_B;
      const Vec3d b = subject.X_WB(spring.second) * spring.settings.second.p_B;
      if (norm(b - a) < subject.unit) continue;
      const int moving = spring.first == ground ? spring.second : spring.first;
      for (const auto& [body, p] : {std::pair{spring.first, a}, std::pair{spring.second, b}}) {
        if (subject.is_ground(body)) thing.parts.emplace_back(Foot{p, {}, 0.8 * subject.unit, {(a + b) * 0.5}});
        thing.on.push_back(body);
      }
      thing.parts.emplace_back(Line{coil(a, b, subject.X_WB(moving).R, subject.unit), false, Ink::spring});
    }
    scene.things.push_back(std::move(thing));
  }
}

}  // namespace

void add_constraints(const Subject& subject, Scene& scene) {
  for (const ConstraintInfo& constraint : subject.mechanism.constraints) {
    if (subject.faint && !std::holds_alternative<Distance>(constraint.type) &&
        !std::holds_alternative<PointOnCurve>(constraint.type))
      continue;
    Thing thing{.kind = Thing::Kind::constraint, .name = constraint.name, .faint = subject.faint};
    std::visit(ConstraintSymbol(subject, constraint, thing), constraint.type);
    if (!thing.parts.empty()) scene.things.push_back(std::move(thing));
  }
  if (!subject.faint) add_springs(subject, scene);
}

}  // namespace trammel::results
