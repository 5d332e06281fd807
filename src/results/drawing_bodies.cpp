// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies as they are drawn: by their shapes, or, where the model gives none, as bars between two joints and plates between more. What a
// body carries away from its shapes (a joint, a point of interest) hangs on it by a thin stem.

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/drawing_scene.hpp"

namespace trammel::results {
namespace {

constexpr double bar_radius = 1.35, stem_radius = 0.4, least_rod_radius = 0.3;  // in radii of a pin

bool coincide(const Vec3d& a, const Vec3d& b, double within) { return norm(a - b) <= within; }

void add_distinct(std::vector<Vec3d>& points, const Vec3d& p, double within) {
  const auto is_there = [&](const Vec3d& q) { return coincide(p, q, within); };
  if (std::none_of(points.begin(), points.end(), is_there)) points.push_back(p);
}

std::vector<Solid> skeleton(const Subject& subject, int body) {
  const Body& info = subject.model.bodies[static_cast<std::size_t>(body)];
  const Transformd X_WB = subject.X_WB(body);
  std::vector<Vec3d> points = subject.skeleton_points(body);
  if (points.size() < 2) return {};
  for (Vec3d& p : points) p = X_WB * p;
  std::vector<Solid> solids{rounded(points, X_WB.R, bar_radius * subject.unit)};
  if (subject.attachments(body).size() < points.size())
    solids.push_back(rounded({X_WB * info.com}, X_WB.R, 2.2 * subject.unit));
  return solids;
}

// Thin bars to what the shapes do not reach.
void add_stems(const Subject& subject, int body, const std::vector<const Shape*>& shapes, std::vector<Solid>& solids) {
  const Transformd X_WB = subject.X_WB(body);
  for (const Vec3d& p : subject.attachments(body)) {
    Nearest nearest{{}, std::numeric_limits<double>::infinity()};
    for (const Shape* shape : shapes) {
      const Nearest other = nearest_of(*shape, p);
      if (other.distance < nearest.distance) nearest = other;
    }
    if (nearest.distance < 1.2 * subject.unit) continue;
    solids.push_back(rounded({X_WB * p, X_WB * nearest.p_B}, X_WB.R, stem_radius * subject.unit));
  }
}

std::vector<Vec3d> label_places(const std::vector<Solid>& solids) {
  std::vector<Vec3d> places;
  for (const Solid& solid : solids) {
    const Vec3d middle = centre_of(solid);
    places.push_back(middle);
    std::vector<Vec3d> ends;
    for (const Ball& ball : solid.balls) ends.push_back(ball.centre);
    for (const Ring& rim : solid.rims) ends.push_back(rim.centre);
    for (const Vec3d& end : ends) places.push_back(middle + (end - middle) * 0.4);
    for (const Vec3d& corner : solid.corners) places.push_back(middle + (corner - middle) * 0.6);
  }
  if (places.size() > 24) places.resize(24);
  return places;
}

}  // namespace

std::vector<const Shape*> drawable_shapes(const Body& body) {
  for (const std::vector<Shape>* list : {&body.visuals, &body.shapes, &body.collisions}) {
    std::vector<const Shape*> shapes;
    for (const Shape& shape : *list) {
      if (shape.kind != Shape::Kind::mesh) shapes.push_back(&shape);
    }
    if (!shapes.empty()) return shapes;
  }
  return {};
}

bool Subject::is_ground(int body) const {
  if (body == ground) return true;
  return mechanism.link_of_body[static_cast<std::size_t>(body)] == ground &&
         drawable_shapes(model.bodies[static_cast<std::size_t>(body)]).empty();
}

std::vector<Vec3d> Subject::attachments(int body, int except_joint) const {
  std::vector<Vec3d> points;
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const JointInfo& joint = mechanism.joints[j];
    if (static_cast<int>(j) == except_joint || std::holds_alternative<Free>(joint.type)) continue;
    if (joint.first == body) points.push_back(joint.X_AF.p);
    if (joint.second == body) points.push_back(joint.X_BM.p);
  }
  for (const ConstraintInfo& constraint : mechanism.constraints) {
    const bool at_first = std::holds_alternative<Distance>(constraint.type);
    const bool at_second = at_first || std::holds_alternative<PointOnLine>(constraint.type) ||
                           std::holds_alternative<PointOnPlane>(constraint.type) ||
                           std::holds_alternative<PointOnCurve>(constraint.type);
    if (at_first && constraint.first == body) points.push_back(constraint.X_AP.p);
    if (at_second && constraint.second == body) points.push_back(constraint.X_BQ.p);
  }
  for (const SpringInfo& spring : mechanism.springs) {
    if (spring.joint >= 0) continue;
    if (spring.first == body) points.push_back(spring.settings.first.p_B);
    if (spring.second == body) points.push_back(spring.settings.second.p_B);
  }
  for (const OutputInfo& output : mechanism.outputs) {
    if (output.body == body) points.push_back(output.p_B);
  }
  return points;
}

// A body that hangs on one joint alone and has nothing else: its mass is somewhere. Unless that is nowhere in particular: a file that
// gives a mass and no place means the world's origin.
std::vector<Vec3d> Subject::skeleton_points(int body) const {
  const Body& info = model.bodies[static_cast<std::size_t>(body)];
  std::vector<Vec3d> points;
  const std::vector<Vec3d> attached = attachments(body);
  for (const Vec3d& p : attached) add_distinct(points, p, 1e-6 * unit);
  const bool is_nowhere = info.com == Vec3d{} && info.X_WB == Transformd{};
  if (attached.size() == 1 && info.mass > 0 && !is_nowhere && !coincide(points.front(), info.com, 2 * unit))
    points.push_back(info.com);
  return points;
}

std::vector<Solid> Subject::solids(int body) const {
  if (body == ground) return {};
  const std::vector<const Shape*> shapes = drawable_shapes(model.bodies[static_cast<std::size_t>(body)]);
  if (shapes.empty()) return is_ground(body) ? std::vector<Solid>{} : skeleton(*this, body);
  std::vector<Solid> all;
  for (const Shape* shape : shapes) {
    if (const auto solid = solid_of(*shape, X_WB(body), least_rod_radius * unit)) all.push_back(*solid);
  }
  add_stems(*this, body, shapes, all);
  return all;
}

Vec3d Subject::middle_of(int body, int joint) const {
  const Transformd X = X_WB(body);
  Vec3d sum;
  double count = 0;
  for (const Vec3d& p : attachments(body, joint)) sum += X * p, ++count;
  if (count > 0) return sum * (1 / count);
  for (const Solid& solid : solids(body)) sum += centre_of(solid), ++count;
  if (count > 0) return sum * (1 / count);
  const JointInfo& info = mechanism.joints[static_cast<std::size_t>(joint)];
  return info.first == body ? X_WF(info).p : X_WM(info).p;
}

void add_bodies(const Subject& subject, Scene& scene) {
  for (int b = 0; b < subject.mechanism.body_count(); ++b) {
    const std::string& name = subject.mechanism.bodies[static_cast<std::size_t>(b)].name;
    if (subject.faint && subject.mechanism.link_of_body[static_cast<std::size_t>(b)] == ground) continue;
    const std::vector<Solid> solids = subject.solids(b);
    for (const Solid& solid : solids) {
      Thing thing{.kind = Thing::Kind::body, .name = name, .body = b, .faint = subject.faint};
      thing.parts.emplace_back(DrawnSolid{solid});
      scene.things.push_back(std::move(thing));
    }
    if (subject.faint || solids.empty()) continue;
    scene.names.push_back({Thing::Kind::body, name, label_places(solids), 0, b});
  }
}

}  // namespace trammel::results
