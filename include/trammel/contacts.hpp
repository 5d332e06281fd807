// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What touches what, part of the Model: the ground's shape, materials, and the points, spheres and wheels of bodies that may touch the
// ground or solids of other bodies. All numbers are SI.
//
// The law of a pair, with depth d, its rate ḋ, and u the deflection of the bristles that carry friction:
//   normal    N = stiffness dⁿ (1 + dissipation ḋ) + damping ḋ, never a pull            Hunt and Crossley; Kelvin and Voigt with `damping`
//   trial     T = k_t u + b_t v_t                                                        v_t: how the body slides
//   sticks    friction −T,  u̇ = v_t                             until |T| > μ_s N
//   slips     friction −g,  g = μ_k N T/|T|,  u̇ = (g − k_t u)/b_t       until |T| < μ_k N
// What sticks does not creep. Energy is lost at the rate (|k_t u − g|² + s (1 − s) |T|²)/b_t ≥ 0 with g = s T.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <trammel/diagnostics.hpp>
#include <trammel/spatial/transform.hpp>

namespace trammel {

// The ground's surface in its own frame T, z up; it never moves.
//   plane   z = 0
//   steps   the height is that of the last step whose x is not beyond; 0 before the first. Risers are upright walls along y. In an inner
//           corner, and on several edges at once, what is round touches each: two or three contacts, in which its pairs take turns
//   grid    heights at x = i · spacing_x, y = j · spacing_y, bilinear between. Normals are smooth: those of the nodes (by central
//           differences), bilinear between
struct Terrain {
  enum class Kind { none, plane, steps, grid };
  // Beyond the outermost nodes of a grid: the edge goes on level, there is nothing, or a plane z = edge_height.
  enum class Edge { clamp, hole, plane };
  struct Step {
    double x = 0, height = 0;
    friend bool operator==(const Step&, const Step&) = default;
  };

  Kind kind = Kind::none;
  Transformd X_WT;
  std::vector<Step> steps;  // x rising
  int nx = 0, ny = 0;       // nodes, 2 or more each way
  double spacing_x = 1, spacing_y = 1;
  std::vector<double> heights;  // [i · ny + j]
  Edge edge = Edge::clamp;
  double edge_height = 0;
  std::string material;                     // of all of it, or where a cell names none; empty: none of its own
  std::vector<std::string> cell_materials;  // names that `cells` counts
  std::vector<int> cells;  // empty, or [i · (ny − 1) + j] of (nx − 1)(ny − 1) cells; −1: `material`
  std::string file;        // that the heights came from, as the model names it; empty: they stand in the model
  SourceLocation where;
};
std::string_view keyword(Terrain::Kind kind);
std::string_view keyword(Terrain::Edge edge);

// The ground seen from a point.
struct GroundPoint {
  bool is_there = true;    // false over a hole
  bool is_beyond = false;  // beyond the nodes of a grid
  double distance = 0;     // along the normal; negative within the ground
  Vec3d normal_W{0, 0, 1};
  Vec3d gradient_W{0, 0, 1};  // of the distance; the normal but for what smoothing adds
  int cell_material = -1;     // in Terrain::cell_materials
};
// `reach` is how far the point's own surface is from it (the radius of a sphere): there, below it, the ground is looked at.
GroundPoint find_ground(const Terrain& terrain, const Vec3d& p_W, double reach = 0);

// How a body of this material answers to touch where the other side is rigid. Of two materials the deflections add (springs in series,
// losses by each one's share) and friction is the harmonic mean; `between` instead gives the law of a pair as it stands.
struct ContactMaterial {
  std::string name;
  std::optional<std::pair<std::string, std::string>> between;
  double stiffness = 0;                        // N/mⁿ
  double exponent = 1;                         // n
  double dissipation = 0;                      // s/m
  double damping = 0;                          // N s/m; the force jumps when the surfaces meet
  std::optional<double> tangential_stiffness;  // N/m; left out: stiffness, where n = 1
  std::optional<double> tangential_damping;    // N s/m; left out: √(k_t m), m that of the lighter body
  double friction_static = 0, friction_kinetic = 0;
  SourceLocation where;
};

// What a body (or the ground) is touched with. Points, spheres and wheels touch the terrain and what `against` names: spheres, boxes,
// capsules of other bodies. In the body's frame B.
struct ContactShape {
  enum class Kind { points, sphere, wheel, box, capsule };
  std::string name, body;
  Kind kind = Kind::points;
  std::vector<Vec3d> points;  // of `points`
  Transformd X_BG;            // of the others: the centre; z is the axle of a wheel, and along a capsule
  double radius = 0;          // sphere, capsule; of a wheel that of its rim, tyre included
  double tyre = 0;            // wheel: radius of its rounding, 0 for a thin disc
  double length = 0;          // capsule: between the centres of its ends
  Vec3d size;                 // box: full edges
  std::string material;       // empty: the other side's law holds
  bool touches_terrain = true;
  std::vector<std::string> against;  // names of contact shapes
  SourceLocation where;
};
std::string_view keyword(ContactShape::Kind kind);

// What is hard: contacts of a shape, or the stops of a coordinate. Where they are met faster than `rest` the velocities jump (impact.hpp); what
// meets more slowly, or stays, is left to the law of its materials, or to the stop's own stiffness. So bounces that follow each other ever more
// quickly come to an end.
struct Impact {
  enum class Side { lower, upper, both };
  static constexpr double usual_rest = 1e-3;  // m/s, rad/s
  std::string name;
  std::string contact;     // the name of a contact shape, that touches or is touched; empty: a stop
  std::string joint = {};  // whose stop
  int dof = 0;
  Side side = Side::both;
  double restitution = 0;
  std::optional<double> friction = {};  // left out: the kinetic friction of the materials
  std::string law = "stronge";          // or poisson, newton
  double rest = usual_rest;             // of the speed at which they meet, m/s or rad/s
  SourceLocation where = {};
};
std::string_view keyword(Impact::Side side);

// --- compiled: part of Mechanism ------------------------------------------------------------------------------------------------

struct ContactLaw {
  double stiffness = 0, exponent = 1, dissipation = 0, damping = 0;
  double tangential_stiffness = 0, tangential_damping = 0;
  double friction_static = 0, friction_kinetic = 0;
};

// Two things that may touch: a point, sphere or wheel of the second body, and the terrain or a solid of the first.
struct ContactPair {
  std::string name;             // "left foot", "pad 3", "wheel on kerb"
  int first = -1, second = -1;  // bodies; −1: the ground
  int shape = 0;                // of the second body, in Contacts::shapes
  int target = -1;              // shape of the first body; −1: the terrain
  int part = -1;  // of steps: touches those of Contacts::blocks that have this part; −1: the terrain is one part
  ContactShape::Kind kind = ContactShape::Kind::points;
  Vec3d p_B;          // the point or centre, in the second body's frame
  Vec3d axis_B;       // of a wheel
  double ring = 0;    // of a wheel: radius of the circle on which the centres of its rounding are
  double radius = 0;  // of the sphere, or of the rounding
  int law = 0;  // in Contacts::laws. Of a terrain with cells: its plain law, followed by one for each of cell_materials
  int impact = -1;  // in Mechanism::impacts; −1: it is not hard
};

// Steps are blocks, from below up to a height: each as wide as the ground is nowhere lower. They overlap, and have no other edges than those
// of the steps. What lies inside others is hidden and touches nothing.
struct TerrainBlock {
  double from = 0, to = 0, height = 0;
  bool has_left = false, has_right = false;  // its side is a riser, of which it is the top
  double left_foot = 0, right_foot = 0;      // heights of the treads at the foot of those
  int part = 0;                              // no two that one shape can touch at once have the same
};

struct Contacts {
  std::shared_ptr<const Terrain> terrain;  // null: none
  std::vector<TerrainBlock> blocks;        // of steps, from left to right
  std::vector<ContactShape> shapes;
  std::vector<ContactLaw> laws;
  std::vector<ContactPair> pairs;  // those of one second body stand together
};

}  // namespace trammel
