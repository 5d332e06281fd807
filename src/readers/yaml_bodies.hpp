// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bodies are read in three steps, because they refer to each other: first all names; then where each body's frame is
// (yaml_poses); then what is in it. In between joints are looked at, since a Denavit-Hartenberg row or a free joint
// can place a body.

#include <optional>
#include <vector>

#include "readers/yaml_geometry.hpp"

namespace trammel::readers {

// A pose as written: numbers in the frame of `in`, or of the world.
struct PoseDraft {
  Place at;
  Mat3d R = Mat3d::identity();
  std::optional<BodyRef> in;
};

struct BodyDraft {
  const Node* node = nullptr;  // null for a body that could not be read
  std::optional<PoseDraft> pose;
  const Node* pose_node = nullptr;
};

// Declares every body under its name, so that whatever names it finds it, and reads its pose as written. One draft for
// each body of the model.
std::vector<BodyDraft> declare_bodies(Reading& r, const Node& section);
void read_poses_as_written(Reading& r, std::vector<BodyDraft>& drafts);

// Mass, centre of mass, inertia and shapes. Coordinates are in L, whose design pose is X_WL; the body's frame B is
// taken to be L.
void read_body_contents(Reading& r, const BodyDraft& draft, Body& body, const Transformd& X_WL);

// Moves the origin of the body's frame to p_LB, which is a copy: it may be the body's own centre of mass, which moves. The contents stay
// where they are in the world.
void move_frame(Body& body, Vec3d p_LB);

}  // namespace trammel::readers
