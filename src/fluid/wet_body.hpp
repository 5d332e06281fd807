// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bodies as the fluid sees them: numbers only, worked out once from the mechanism, in the frames of links.

#include <string>
#include <vector>

#include <trammel/mechanism.hpp>

#include "fluid/clip.hpp"

namespace trammel::fluid {

// A piece of hull. By its symmetry all of its matrices are diagonal at its centre in its own axes S. Areas and added masses are without
// the density.
struct WetPart {
  enum class Form { bar, sphere, ellipsoid, box };
  Form form = Form::sphere;
  bool has_round_ends = false;   // a capsule
  bool resists = true;           // has any drag
  Transformd X_LS;               // in the link's frame
  Vec3d size;                    // box: edges; ellipsoid: half axes
  double radius = 0, half = 0;   // of bars: half the length of the straight part
  double strip_half = 0;         // half the length that strips cover
  double volume = 0, reach = 0;  // the latter from the centre to the furthest point
  Vec3d added_turn, added_move;  // m⁵, m³; of bars x across, z along
  double across = 0, along = 0;  // ½ C A of bars (per length; all) and spheres
  Vec3d faces, turn;             // ½ C A of ellipsoids and boxes; of rotation, m⁵
  int place = -1;                // among the bars that are worked on side by side (bar_rows.hpp)

  WetVolume below(const Vec3d& n, double d) const;
};

struct WetFin {
  Vec3d p_L, chord_L, normal_L;
  double area = 0, slope = 0, aspect = 1, stall = 0.26, drag = 0;
};

// Matrices that are given, at H: B's axes, the point they are taken at.
struct WetMatrices {
  Transformd X_LH;
  bool has_added = false, has_linear = false, has_quadratic = false;
  ArticulatedInertia<double> added;
  Hydrodynamics::Matrix linear{}, quadratic{};
};

struct WetBody {
  int body = 0, link = 0;
  std::size_t first = 0, last = 0;          // parts
  std::size_t first_fin = 0, last_fin = 0;  // fins
  int matrices = -1;
  const HydrodynamicModel* custom = nullptr;
  double hull_volume = 0;    // of all parts
  double volume_factor = 1;  // displaced volume over that of the hull
  bool has_offset = false;   // the centre of buoyancy is given,
  Vec3d offset_L = {};       // from that of the hull
  Vec3d centre_L = {};       // of the hull
  double reach = 0;          // from there to the hull's furthest point, or beyond it
  Transformd X_LB = {};
  bool is_first_on_link = true;  // of the bodies of this list
};

struct WetBodies {
  std::vector<WetBody> bodies;
  std::vector<WetPart> parts;
  std::vector<WetFin> fins;
  std::vector<WetMatrices> matrices;
  std::vector<int> dry_links;                     // links without any of them
  std::vector<std::size_t> dry_bodies;            // of the mechanism, that are not among them
  std::vector<std::vector<std::string>> sources;  // per body: where coefficients are from
};

// Of all bodies on moving links that feel the fluid.
WetBodies wet_bodies_of(const Mechanism& mechanism);

}  // namespace trammel::fluid
