// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Joints are read in two steps: first their type, their bodies and whatever places a body; then, when all bodies have
// their place, their frames and what acts in them.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "readers/yaml_dh.hpp"
#include "readers/yaml_geometry.hpp"

namespace trammel::readers {

struct JointDraft {
  const Node* node = nullptr;
  std::vector<const Node*> reported;  // keys about which a message was given
  bool has_type = false;              // the model's joint has the type of the file, or the one that was meant
  std::optional<BodyRef> first, second;
  std::optional<Place> at;
  std::optional<BodyRef> in;
  std::optional<DhRow> dh;
  bool broken = false;  // a message was given that makes its frames unknown
};

// Declares every joint under its name. One draft for each joint of the model.
std::vector<JointDraft> declare_joints(Reading& r, const Node& section);
void read_joint(Reading& r, const JointDraft& draft, Joint& joint);
// Key `axes`, required: two directions at right angles, seen from the link.
std::optional<std::pair<Vec3d, Vec3d>> read_two_axes(Reading& r, const Fields& fields, const Transformd& X_WL);
// Key `pitch` or `advance`, one of them required.
void read_pitch(Reading& r, const Fields& fields, Helical& helical);

// friction, armature and limits: one number per freedom.                     yaml_joint_properties.cpp
void read_joint_properties(Reading& r, const Fields& fields, Joint& joint);
// The section `initial`.
void read_initial(Reading& r, const Node& section, const std::vector<JointDraft>& drafts);
// The section `states`: such states by name.
void read_states(Reading& r, const Node& section, const std::vector<JointDraft>& drafts);

// One freedom, as couplings and actuators name it: "joint", "joint.1" or "joint.angle"; a joint whose whole name has a
// dot goes first.                                                            yaml_coordinates.cpp
struct Coordinate {
  std::size_t joint = 0;
  int dof = 0;
  Freedom freedom;
};
// `subject` names it, `to` couple or to drive it; for messages. Freedoms of spherical and free joints, which are the rate of no coordinate, are
// allowed only if asked for.
std::optional<Coordinate> find_coordinate(Reading& r, const Node& node, const std::string& name,
                                          const std::string& subject, const std::vector<JointDraft>& joints,
                                          std::string_view to, bool any_freedom = false);

// Units of what belongs to a freedom.
Dimension rate_of(const Freedom& freedom);       // of its velocity
Dimension effort_of(const Freedom& freedom);     // torque or force
Dimension viscous_of(const Freedom& freedom);    // effort per velocity
Dimension stiffness_of(const Freedom& freedom);  // effort per coordinate
Dimension armature_of(const Freedom& freedom);   // effort per acceleration: inertia or mass
// Of each number of q: those of the freedoms, or a quaternion followed by those of the freedoms after the first three.
std::vector<Dimension> coordinates_of(const AnyJoint& joint);

// How a drawn joint becomes two frames; the writer uses the same to see what it can say by drawing.
struct JointFrames {
  Transformd X_AF, X_BM;

  friend bool operator==(const JointFrames&, const JointFrames&) = default;
};
// J is given in L. What is given in a body's own frame is kept there as it is, not taken to the world and back.
JointFrames frames_of(const Transformd& X_LJ, const Transformd& X_WL, const Transformd& X_WA, const Transformd& X_WB,
                      bool L_is_A, bool L_is_B);
// The frames of what is placed as a ball joint is, by the keys at, in, axes, frames.
JointFrames read_ball_frames(Reading& r, const Fields& fields, const BodyRef& first, const BodyRef& second);
// A frame with z along an axis and x along the part of another direction that is perpendicular to it.
Transformd frame_with_x(const Vec3d& p, const Vec3d& axis, const Vec3d& x);

// "revolute joint 'A'"
std::string title_of(const Joint& joint);

}  // namespace trammel::readers
