// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Joints of one body. MJCF lets a body have several: it moves in the first, then, in the frame so moved, in the second,
// and so on. Here each becomes a joint of its own with bodies without mass between them, except where they are what the
// writer makes of one joint (see combine).

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

struct JointDraft {
  FileJoint::Type type = FileJoint::Type::hinge;
  std::string name;    // may be empty
  Vec3d anchor, axis;  // in the body's frame, at the position the model is drawn in
  JointProperties properties;
  double ref = 0;
  Place place;
};

// `X_BF` is the frame in which the joint stands, in the body's.
std::optional<JointDraft> read_joint(Reading& r, const Item& item, const Transformd& X_BF);

// A joint of the model, made of one or several of the file.
struct JointPlan {
  AnyJoint type;
  std::string name;       // may be empty
  bool reversed = false;  // it is named from the body to its parent
  Transformd X_BJ;        // its frame in the body
  JointProperties properties;
  struct Part {
    std::size_t draft = 0;
    int dof = 0;
  };
  std::vector<Part> parts;
  Place place;
};

// Joints of a body in a row whose names are "j.angle1" and "j.angle2" and whose axes fit are one universal joint "j";
// likewise "j.angle", "j.travel" (cylindrical), "j.x", "j.y", "j.angle" (planar) and "j.x", "j.y", "j.z", "j.turn"
// (free), each of them perhaps with the same number of "_" behind. The motion is the same either way. `taken` are the
// names that joints of the file have.
std::vector<JointPlan> combine(const std::vector<JointDraft>& drafts,
                               const std::unordered_map<std::string, std::size_t>& taken);

}  // namespace trammel::readers::mjcf
