// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the sections of linkages share: kinds, points, directions, planes.

#include "readers/yaml_linkage.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trammel::readers {

namespace {

constexpr double round_off = 4e-15;        // of the square of a unit vector's length
constexpr double not_parallel = 1e-6;      // least sine between two directions that must differ
constexpr double kept_as_written = 1e-12;  // cosine of directions at right angles

}  // namespace

std::string read_kind(Reading& r, const Node& key, const Node& node, const std::string& subject,
                      const std::vector<std::string>& kinds, std::string_view example) {
  if (!node.is_map()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a mapping, not {}", subject, describe(node)),
                     fmt::format("write for example {}", example));
    return {};
  }
  std::string found;
  for (const std::string& kind : kinds) {
    if (node.find(kind) == nullptr) continue;
    if (!found.empty()) {
      r.messages.error(key.where, "kind-unclear", fmt::format("{} is both '{}' and '{}'", subject, found, kind),
                       "write them as two entries");
      return {};
    }
    found = kind;
  }
  if (!found.empty()) return found;
  SourceLocation where = key.where;
  std::string fix = "give one of " + one_of(kinds);
  for (const Node::Child& child : node.children) {
    const std::string guess = r.messages.guess(child.key->text, kinds);
    if (guess.empty()) continue;
    where = child.key->where;
    fix = fmt::format("did you mean '{}' instead of {}?", guess, quote(child.key->text));
  }
  r.messages.error(where, "kind-unclear", subject + " does not say what it is", fix);
  return {};
}

std::optional<Vec3d> read_world_point(Reading& r, const Node& node, const std::string& what) {
  const auto place = read_place(r, node, what);
  if (!place) return std::nullopt;
  return place->p;
}

std::optional<std::array<Vec3d, 2>> read_two_points(Reading& r, const Node& node, const std::string& what) {
  if (!node.is_list() || node.children.size() != 2) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be two points, not {}", what, describe(node)),
                     "write [P, Q], by names or as [x, y, z]");
    return std::nullopt;
  }
  const auto P = read_world_point(r, *node.children[0].value, "the first point in " + what);
  const auto Q = read_world_point(r, *node.children[1].value, "the second point in " + what);
  if (!P || !Q) return std::nullopt;
  return std::array{*P, *Q};
}

std::string name_of(const Reading& r, const BodyRef& body) {
  return body.is_ground ? std::string(ground_name) : r.model.bodies[body.index].name;
}

std::optional<BodyPoint> read_carried_point(Reading& r, const Fields& fields) {
  if (!fields.usable()) return std::nullopt;
  std::optional<BodyRef> on, in;
  bool in_failed = false;
  if (const Node* given = fields.find("on")) {
    on = read_body(r, *given, fields.subject());
  } else {
    fields.report_missing(r, "on", "add on: followed by a body");
  }
  if (const Node* given = fields.find("in")) {
    in = read_body(r, *given, fields.what("in"));
    in_failed = !in;
  }
  const Node* point = fields.find("point");
  if (point == nullptr) {
    fields.report_missing(r, "point", "add point: followed by a name, or by [x, y, z]");
    return std::nullopt;
  }
  const auto place = read_place(r, *point, fields.what("point"));
  if (!place || !on || in_failed) return std::nullopt;
  const Transformd X_WL = in ? design_pose(r, *in) : Transformd{};
  const bool own = in && in->is_ground == on->is_ground && in->index == on->index;
  return BodyPoint{name_of(r, *on),
                   own && !place->in_world ? place->p : inverse(design_pose(r, *on)) * (X_WL * place->in(X_WL))};
}

std::optional<BodyPoint> read_carried_point(Reading& r, const Node& node, const std::string& what) {
  if (node.is_map()) return read_carried_point(r, Fields(r, node, "output", what));
  std::vector<std::string> names;
  if (node.is_scalar()) {
    for (const Output& output : r.model.outputs) {
      if (output.name == node.text) return BodyPoint{output.body, output.p_B};
      names.push_back(output.name);
    }
    if (r.points.find(node.text)) {
      r.messages.error(node.where, "point-uncarried",
                       fmt::format("{} names the point {}, but not the body that carries it", what, quote(node.text)),
                       fmt::format("write {{point: {}, on: body}}, or make it an output", node.text));
      return std::nullopt;
    }
    r.messages.error(node.where, "output-unknown",
                     fmt::format("{} names an output {} that is not there", what, quote(node.text)),
                     r.messages.guess_or(node.text, names, "name an output, or write {point: P, on: body}"));
    return std::nullopt;
  }
  r.messages.error(node.where, "wrong-type", fmt::format("{} must be a point, not {}", what, describe(node)),
                   "name an output, or write {point: P, on: body}");
  return std::nullopt;
}

Vec3d unit_kept(const Vec3d& direction) {
  for (const Vec3d& d : {direction, direction * 2.0}) {  // read_direction may halve
    if (std::abs(dot(d, d) - 1) <= round_off) return d;
  }
  return unit(direction);
}

std::optional<Vec3d> read_unit(Reading& r, const Node& node, const std::string& what, const Transformd& X_WL) {
  const auto direction = read_direction(r, node, what, X_WL);
  if (!direction) return std::nullopt;
  return unit_kept(*direction);
}

Vec3d square_to(const Vec3d& z, const Vec3d& x) {
  const Vec3d direction = unit_kept(x);
  const double along = dot(z, direction);
  return std::abs(along) <= kept_as_written ? direction : unit(direction - z * along);
}

std::optional<PlaneDraft> read_plane(Reading& r, const Node& node, const std::string& what) {
  PlaneDraft plane;
  if (!node.is_map() || node.find("from") != nullptr) {
    const auto normal = read_unit(r, node, what);
    if (!normal) return std::nullopt;
    plane.normal = *normal;
    return plane;
  }
  const Fields fields(r, node, "plane", what);
  bool complete = true;
  const auto take = [&complete](auto& to, const auto& read) {
    complete = complete && read;
    if (read) to = *read;
  };
  if (const Node* through = fields.find("through")) {
    take(plane.through, read_world_point(r, *through, fields.what("through")));
  }
  if (const Node* normal = fields.find("normal")) {
    take(plane.normal, read_unit(r, *normal, fields.what("normal")));
  } else {
    fields.report_missing(r, "normal", "add normal: followed by a direction");
    complete = false;
  }
  const Node* x = fields.find("x");
  if (x != nullptr) take(plane.x, read_unit(r, *x, fields.what("x")));
  if (!complete) return std::nullopt;
  if (plane.x && !(norm(cross(plane.normal, *plane.x)) > not_parallel)) {
    r.messages.error(x->where, "axes-not-perpendicular", fmt::format("x of {} lies along its normal", what),
                     "give a direction in the plane");
    return std::nullopt;
  }
  return plane;
}

Transformd frame_of(const PlaneDraft& plane) {
  return plane.x ? frame_with_x(plane.through, plane.normal, *plane.x) : frame_at(plane.through, plane.normal);
}

Plane plane_of(const PlaneDraft& plane) {
  const Vec3d x = plane.x ? *plane.x : frame_at({}, plane.normal).R.ex;
  return {plane.through, plane.normal, square_to(plane.normal, x)};
}

void read_planar(Reading& r, const Node& node) {
  if (node.is_null()) return;
  if (const auto plane = read_plane(r, node, "planar")) r.model.planar = plane_of(*plane);
}

// --- frames of constraints ----------------------------------------------------------------------------------------------

DrawnFrames draw_points(const Vec3d& P, const Vec3d& Q) {
  return {Transformd::translation(P), Transformd::translation(Q)};
}

DrawnFrames draw_on_line(const Vec3d& through, const Vec3d& along, const Vec3d& at) {
  return {frame_at(through, along), Transformd::translation(at)};
}

DrawnFrames draw_on_plane(const PlaneDraft& plane, const Vec3d& at) {
  return {frame_of(plane), Transformd::translation(at)};
}

// The face runs along x, in the curve's plane; its normal is y.
DrawnFrames draw_face(const PlaneDraft& plane, const Vec3d& at, const Vec3d& normal) {
  const Transformd X_WP = frame_of(plane);
  return {X_WP, frame_at(at, cross(normal, X_WP.R.ez), normal)};
}

DrawnFrames draw_axes(const Vec3d& first, const Vec3d& second) { return {frame_at({}, first), frame_at({}, second)}; }

// x along the line of the centres: both angles of `RollingCircles` are zero where it is drawn.
DrawnFrames draw_circles(const Vec3d& first, const Vec3d& second, const Vec3d& axis) {
  const Transformd X_WP = frame_with_x(first, axis, second - first);
  return {X_WP, {X_WP.R, second}};
}

// P at the foot of the centre on the line, y towards the centre.
DrawnFrames draw_wheel(const Vec3d& through, const Vec3d& along, const Vec3d& axis, const Vec3d& centre) {
  const Vec3d across = cross(axis, along);
  const Vec3d x = dot(centre - through, across) < 0 ? along * -1.0 : along;
  const Transformd X_WP = frame_with_x(through + along * dot(centre - through, along), axis, x);
  return {X_WP, {X_WP.R, centre}};
}

DrawnFrames draw_hold(const Vec3d& at) { return {Transformd::translation(at), Transformd::translation(at)}; }

}  // namespace trammel::readers
