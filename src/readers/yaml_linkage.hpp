// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sections of linkages, which refer to points, bodies and joints that are already there: planar, constraints, inputs, springs,
// loads, measures.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "readers/yaml_joints.hpp"
#include "readers/yaml_state_functions.hpp"

namespace trammel::readers {

void read_planar(Reading& r, const Node& node);
void read_constraints(Reading& r, const Node& section);                                      // yaml_constraints.cpp
void read_inputs(Reading& r, const Node& section, const std::vector<JointDraft>& joints);    // yaml_inputs.cpp
void read_springs(Reading& r, const Node& section, const std::vector<JointDraft>& joints);   // yaml_loads.cpp
void read_loads(Reading& r, const Node& section, const StateNames& names);                   // yaml_loads.cpp
void read_measures(Reading& r, const Node& section, const std::vector<JointDraft>& joints);  // yaml_measures.cpp

// --- what they share -------------------------------------------------------------------------------------------------

// Which of the kinds is a key of this entry? Exactly one must be; `subject` is "constraint 'rod'". Empty if there was a message.
std::string read_kind(Reading& r, const Node& key, const Node& node, const std::string& subject,
                      const std::vector<std::string>& kinds, std::string_view example);

// Two radii above zero, of circles and pulleys.
std::optional<std::pair<double, double>> read_radii(Reading& r, const Node& node, const std::string& what);

// A point of the world, at the design position.
std::optional<Vec3d> read_world_point(Reading& r, const Node& node, const std::string& what);
std::optional<std::array<Vec3d, 2>> read_two_points(Reading& r, const Node& node, const std::string& what);
// A point carried by a body: the name of an output, or {point: P, on: body}.
std::optional<BodyPoint> read_carried_point(Reading& r, const Node& node, const std::string& what);
// What the keys point, on and in say, of outputs too.
std::optional<BodyPoint> read_carried_point(Reading& r, const Fields& fields);
std::string name_of(const Reading& r, const BodyRef& body);

// A unit vector along a direction. One that is of unit length to round-off is kept to the last bit.
std::optional<Vec3d> read_unit(Reading& r, const Node& node, const std::string& what, const Transformd& X_WL = {});
Vec3d unit_kept(const Vec3d& direction);
// x made a unit vector square to the unit vector z; kept to the last bit where it is one to round-off. They must not be parallel.
Vec3d square_to(const Vec3d& z, const Vec3d& x);

// {through: P, normal: n, x: d}, or just n. `through` is the world's origin where it is left out.
struct PlaneDraft {
  Vec3d through, normal{0, 0, 1};
  std::optional<Vec3d> x;
};
std::optional<PlaneDraft> read_plane(Reading& r, const Node& node, const std::string& what);
// Its frame: z along the normal.
Transformd frame_of(const PlaneDraft& plane);
Plane plane_of(const PlaneDraft& plane);

// Units of springs between points.
namespace spring_dimension {
inline constexpr Dimension stiffness{.length = -1, .force = 1};
inline constexpr Dimension damping{.length = -1, .time = 1, .force = 1};
}  // namespace spring_dimension

// --- frames of constraints as they are drawn; the writer uses the same to see what it can say by drawing ----------------

struct DrawnFrames {
  Transformd X_WP, X_WQ;
};
DrawnFrames draw_points(const Vec3d& P, const Vec3d& Q);                              // distance
DrawnFrames draw_on_line(const Vec3d& through, const Vec3d& along, const Vec3d& at);  // point on line
DrawnFrames draw_on_plane(const PlaneDraft& plane, const Vec3d& at);                  // point on plane, point on curve
DrawnFrames draw_face(const PlaneDraft& plane, const Vec3d& at, const Vec3d& normal);
DrawnFrames draw_axes(const Vec3d& first, const Vec3d& second);  // angle, parallel
DrawnFrames draw_circles(const Vec3d& first, const Vec3d& second, const Vec3d& axis);
DrawnFrames draw_wheel(const Vec3d& through, const Vec3d& along, const Vec3d& axis, const Vec3d& centre);
DrawnFrames draw_hold(const Vec3d& at);

}  // namespace trammel::readers
