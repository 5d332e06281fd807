// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_views.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace trammel {
namespace {

using results::square_to;
using results::unit;

constexpr std::array<std::pair<DrawingView, std::string_view>, 5> view_words{
    {{DrawingView::plane, "plane"},
     {DrawingView::xy, "xy"},
     {DrawingView::xz, "xz"},
     {DrawingView::yz, "yz"},
     {DrawingView::perspective, "perspective"}}};

// Against gravity; without it, along z.
Vec3d up_of(const Mechanism& mech) {
  const Vec3d g = mech.parameters.gravity;
  return norm(g) > 0 ? unit(-g) : Vec3d{0, 0, 1};
}

// The side from which one is used to look at it: from +z, −y or +x, whichever is nearest.
Vec3d usual_side(const Vec3d& axis) {
  const double x = std::abs(axis.x), y = std::abs(axis.y), z = std::abs(axis.z);
  const double along = z >= x && z >= y ? axis.z : y >= x ? -axis.y : axis.x;
  return along < 0 ? -axis : axis;
}

}  // namespace

std::string_view keyword(DrawingView view) {
  const auto found =
      std::find_if(view_words.begin(), view_words.end(), [&](const auto& entry) { return entry.first == view; });
  return found->second;
}

std::optional<DrawingView> drawing_view(std::string_view word) {
  for (const auto& [view, name] : view_words) {
    if (name == word) return view;
  }
  return std::nullopt;
}

std::optional<Plane> plane_of_motion(const Mechanism& mechanism, const DrawnPosition& position) {
  if (mechanism.planar) return mechanism.planar;
  constexpr double round_off = 1e-9;
  std::optional<Vec3d> normal;
  const auto axis_of = [&](const JointInfo& joint) {
    return joint.first == ground ? joint.X_AF.R.ez
                                 : position.X_WB[static_cast<std::size_t>(joint.first)].R * joint.X_AF.R.ez;
  };
  for (const JointInfo& joint : mechanism.joints) {
    if (!std::holds_alternative<Revolute>(joint.type) && !std::holds_alternative<Planar>(joint.type)) continue;
    if (!normal) normal = axis_of(joint);
  }
  if (!normal) return std::nullopt;
  for (const JointInfo& joint : mechanism.joints) {
    const Vec3d axis = axis_of(joint);
    if (std::holds_alternative<Fixed>(joint.type)) continue;
    const bool turns = std::holds_alternative<Revolute>(joint.type) || std::holds_alternative<Planar>(joint.type);
    const bool in_plane =
        turns ? norm(cross(axis, *normal)) < round_off
              : std::holds_alternative<Prismatic>(joint.type) && std::abs(dot(axis, *normal)) < round_off;
    if (!in_plane) return std::nullopt;
  }
  Plane plane;
  plane.normal = usual_side(unit(*normal));
  Vec3d up = up_of(mechanism);
  if (std::abs(dot(up, plane.normal)) > 0.9) up = std::abs(plane.normal.z) > 0.9 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  const Vec3d ey = unit(square_to(up, plane.normal));
  plane.x = cross(ey, plane.normal);
  return plane;
}

namespace results {

std::vector<DrawingView> views_of(const Mechanism& mechanism, const LinkageDrawing& drawing,
                                  const DrawingOptions& options) {
  if (options.views.empty()) {
    if (plane_of_motion(mechanism, drawing.position)) return {DrawingView::plane};
    return {DrawingView::xy, DrawingView::xz, DrawingView::yz, DrawingView::perspective};
  }
  std::vector<DrawingView> views;
  for (const DrawingView view : options.views) {
    if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
  }
  return views;
}

namespace {

// From the front, the right and above, so far away that lines still look parallel enough for a drawing.
Camera perspective(const Mechanism& mechanism, const LinkageDrawing& drawing, const DrawingEye& asked,
                   const std::vector<Vec3d>& extent) {
  constexpr double to_the_right = 30 * std::numbers::pi / 180, above = 22 * std::numbers::pi / 180, radii_away = 3.6;
  Vec3d low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  for (const Vec3d& p : extent) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3d target = asked.target.value_or((low + high) * 0.5);
  const std::optional<Plane> plane = plane_of_motion(mechanism, drawing.position);
  Vec3d up = asked.up ? unit(*asked.up) : up_of(mechanism);
  if (!asked.up && plane && norm(mechanism.parameters.gravity) == 0) up = cross(plane->normal, plane->x);

  Vec3d eye;
  if (asked.eye) {
    eye = *asked.eye;
    const Vec3d back = unit(eye - target);
    if (norm(square_to(up, back)) < 1e-6) up = std::abs(back.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  } else {
    double radius = 0;
    for (const Vec3d& p : extent) radius = std::max(radius, norm(p - target));
    Vec3d front = plane ? plane->normal : std::abs(up.y) > 0.7 ? Vec3d{0, 0, 1} : Vec3d{0, -1, 0};
    if (std::abs(dot(front, up)) > 0.9) front = std::abs(up.y) > 0.7 ? Vec3d{0, 0, 1} : Vec3d{0, -1, 0};
    front = unit(square_to(front, up));
    const Vec3d right = cross(up, front);
    const Vec3d level = front * std::cos(to_the_right) + right * std::sin(to_the_right);
    eye = target + (level * std::cos(above) + up * std::sin(above)) * (radii_away * radius);
  }
  return {view_axes(eye - target, up), eye, norm(eye - target)};
}

}  // namespace

Camera camera_of(DrawingView view, const Mechanism& mechanism, const LinkageDrawing& drawing,
                 const DrawingOptions& options, const std::vector<Vec3d>& extent) {
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (view) {
    case DrawingView::plane: {
      const Plane plane = plane_of_motion(mechanism, drawing.position).value_or(Plane{});
      return {{plane.x, cross(plane.normal, plane.x), plane.normal}, plane.point};
    }
    case DrawingView::xy:
      return {{x, y, z}, {}};
    case DrawingView::xz:
      return {{x, z, -y}, {}};
    case DrawingView::yz:
      return {{y, z, x}, {}};
    case DrawingView::perspective:
      break;
  }
  return perspective(mechanism, drawing, options.perspective, extent);
}

}  // namespace results
}  // namespace trammel
