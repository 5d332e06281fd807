// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A linkage as things in space: solids, lines, circles and symbols, each with its ink. Symbols are solid objects of a size that suits
// the paper, so that they look right from every side; only what the ground and sockets look like is left to the view.

#include <string>
#include <variant>
#include <vector>

#include <trammel/drawing.hpp>

#include "results/drawing_solid.hpp"

namespace trammel::results {

enum class Ink { link, edge, pair, ground, hatch, axis, curve, coupling, spring, point, path, tick };
enum class Fill { none, body, paper, ink };

struct Line {
  std::vector<Vec3d> points;
  bool closed = false;
  Ink ink = Ink::pair;
  Fill fill = Fill::none;
};
struct Circle {
  Ring ring;
  Ink ink = Ink::pair;
  Fill fill = Fill::none;
};
struct DrawnSolid {
  Solid solid;
  Ink ink = Ink::link;
  Fill fill = Fill::body;
};
// What a joint on the ground stands on: a hatched foot. It goes down in the picture, or up where the links do.
struct Foot {
  Vec3d p, axis;  // axis zero: it has none
  double size = 0;
  std::vector<Vec3d> links;  // a point of each link there
};
// A hatched line along a straight guide, on one side of what slides on it, or on both.
struct Track {
  Vec3d p, axis;             // a point of the guide, its direction
  double from = 0, to = 0;   // along the axis, from p
  std::vector<Solid> slide;  // the line touches these
  double size = 0;
  bool both_sides = false;
};
// The cup of a ball joint: an arc on the side of the body that carries it.
struct Socket {
  Ball ball;
  Vec3d carrier;  // a point of that body
};
// A stroke across a path.
struct PathTick {
  Vec3d p, before, after;
  double size = 0;
};
using Part = std::variant<Line, Circle, DrawnSolid, Foot, Track, Socket, PathTick>;

struct Thing {
  enum class Kind { body, joint, constraint, coupling, spring, path, point };
  Kind kind = Kind::body;
  std::string name;
  int body = -1;             // whose colour it has; of a path: its number
  std::vector<int> on = {};  // bodies that it stands before
  bool faint = false;
  std::vector<Part> parts = {};
};

struct Name {
  Thing::Kind kind = Thing::Kind::joint;
  std::string text;
  std::vector<Vec3d> at;  // beside one of these
  double clear = 0;       // radius of what must not be covered there
  int body = -1;
};

struct Scene {
  double unit = 0;  // radius of a pin, m
  std::vector<Thing> things;
  std::vector<Name> names;
};

// The linkage as this file's readers need it.
struct Subject {
  const Model& model;
  const Mechanism& mechanism;
  const LinkageDrawing& drawing;
  const DrawnPosition& position;  // the one that is drawn now
  bool faint = false;
  double unit = 0;

  Transformd X_WB(int body) const {
    return body == ground ? Transformd{} : position.X_WB[static_cast<std::size_t>(body)];
  }
  Transformd X_WF(const JointInfo& joint) const { return X_WB(joint.first) * joint.X_AF; }
  Transformd X_WM(const JointInfo& joint) const { return X_WB(joint.second) * joint.X_BM; }
  // The ground itself, or a body welded to it that is not drawn.
  bool is_ground(int body) const;
  // The solids of a body: shapes, or bars and plates between the points at which it is joined to others.
  std::vector<Solid> solids(int body) const;
  // Points of a body that others, or a user, care for; in its frame. Without `except` of the joints.
  std::vector<Vec3d> attachments(int body, int except_joint = -1) const;
  // Those at different places, between which a body without shapes is drawn; with its centre of mass where it has only one.
  std::vector<Vec3d> skeleton_points(int body) const;
  // A point of the body, away from one of its joints: where the body is, as seen from the joint.
  Vec3d middle_of(int body, int joint) const;
};

// --- one file each ---

void add_bodies(const Subject& subject, Scene& scene);
void add_pairs(const Subject& subject, Scene& scene);
void add_couplings(const Subject& subject, Scene& scene);
void add_constraints(const Subject& subject, Scene& scene);  // springs too
// Paths and points of interest.
void add_points(const Subject& subject, Scene& scene);

Scene build_scene(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing, double unit);
// The farthest points of all things.
std::vector<Vec3d> extent_of(const Scene& scene);

// The shapes of a body that can be drawn: what is to be seen, else what has mass, else what can be touched.
std::vector<const Shape*> drawable_shapes(const Body& body);

// A thread or coil about z of X_WC, from z = from to z = to.
std::vector<Vec3d> helix(const Transformd& X_WC, double radius, double from, double to, double turns);

}  // namespace trammel::results
