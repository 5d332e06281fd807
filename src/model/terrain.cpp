// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The ground seen from a point: how far along the normal, and which way. In the terrain's frame T, z up.
//
// Grid. With fractions s, t in the cell of the point, H the bilinear height, and slopes a = ∂H/∂x, b = ∂H/∂y found at the nodes by central
// differences (one-sided at the border) and taken bilinearly in between,
//   n = (−a, −b, 1) n_z,    n_z = (1 + a² + b²)^(−1/2),    distance = (z − H) n_z                                        (1)
// so that n turns without jumps, where facets would have edges. The distance's own gradient differs from n by what smoothing does:
//   ∇ = n_z (−H_x, −H_y, 1) + (z − H) ∇n_z,    ∂n_z = −n_z³ (a ∂a + b ∂b)                                                (2)
// A sphere touches below its centre along n, not along z: the ground is looked at again there.
//
// Steps. In the plane (x, z) the surface is a line of treads and risers. The distance is that to its nearest piece; outside, edges are
// rounded thereby, inside, the nearest face counts.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <trammel/contacts.hpp>

namespace trammel {
namespace {

using At = std::size_t;

GroundPoint above_level(double height, const Vec3d& p) { return {.distance = p.z - height}; }

// --- grid -------------------------------------------------------------------------------------------------------------------------

class Grid {
 public:
  explicit Grid(const Terrain& t) : t_(t) {}

  GroundPoint at(const Vec3d& p) const {
    const double x = p.x / t_.spacing_x, y = p.y / t_.spacing_y;
    const double last_x = t_.nx - 1, last_y = t_.ny - 1;
    const bool beyond_x = !(x >= 0 && x <= last_x), beyond_y = !(y >= 0 && y <= last_y);
    GroundPoint out;
    out.is_beyond = beyond_x || beyond_y;
    if (out.is_beyond && t_.edge == Terrain::Edge::hole) {
      out.is_there = false;
      out.distance = std::numeric_limits<double>::infinity();
      return out;
    }
    if (out.is_beyond && t_.edge == Terrain::Edge::plane) {
      out = above_level(t_.edge_height, p);
      out.is_beyond = true;
      return out;
    }
    const double cx = x > 0 ? std::min(x, last_x) : 0, cy = y > 0 ? std::min(y, last_y) : 0;  // 0 for NaN too
    const int i = std::min(static_cast<int>(cx), t_.nx - 2), j = std::min(static_cast<int>(cy), t_.ny - 2);
    const double s = cx - i, t = cy - j;
    if (!t_.cells.empty()) {
      out.cell_material = t_.cells[static_cast<At>(i) * static_cast<At>(t_.ny - 1) + static_cast<At>(j)];
    }
    const double h00 = node(i, j), h10 = node(i + 1, j), h01 = node(i, j + 1), h11 = node(i + 1, j + 1);
    const Blend H = blend(h00, h10, h01, h11, s, t);
    Blend a = blend(slope_x(i, j), slope_x(i + 1, j), slope_x(i, j + 1), slope_x(i + 1, j + 1), s, t);
    Blend b = blend(slope_y(i, j), slope_y(i + 1, j), slope_y(i, j + 1), slope_y(i + 1, j + 1), s, t);
    // Beyond an edge that goes on level nothing changes across it.
    const double along_x = beyond_x ? 0 : 1 / t_.spacing_x, along_y = beyond_y ? 0 : 1 / t_.spacing_y;
    if (beyond_x) a = {};
    if (beyond_y) b = {};
    const double n_z = 1 / std::sqrt(1 + a.value * a.value + b.value * b.value), gap = p.z - H.value;
    const double turning = -n_z * n_z * n_z * gap;
    out.distance = gap * n_z;  // (1)
    out.normal_W = {-a.value * n_z, -b.value * n_z, n_z};
    out.gradient_W = {(-n_z * H.by_s + turning * (a.value * a.by_s + b.value * b.by_s)) * along_x,  // (2)
                      (-n_z * H.by_t + turning * (a.value * a.by_t + b.value * b.by_t)) * along_y, n_z};
    return out;
  }

 private:
  struct Blend {
    double value = 0, by_s = 0, by_t = 0;
  };
  static Blend blend(double v00, double v10, double v01, double v11, double s, double t) {
    const double low = v00 + s * (v10 - v00), high = v01 + s * (v11 - v01);
    return {low + t * (high - low), (1 - t) * (v10 - v00) + t * (v11 - v01), high - low};
  }
  double node(int i, int j) const {
    return t_.heights[static_cast<At>(i) * static_cast<At>(t_.ny) + static_cast<At>(j)];
  }
  double slope_x(int i, int j) const {
    const int before = std::max(i - 1, 0), after = std::min(i + 1, t_.nx - 1);
    return (node(after, j) - node(before, j)) / ((after - before) * t_.spacing_x);
  }
  double slope_y(int i, int j) const {
    const int before = std::max(j - 1, 0), after = std::min(j + 1, t_.ny - 1);
    return (node(i, after) - node(i, before)) / ((after - before) * t_.spacing_y);
  }

  const Terrain& t_;
};

// --- steps ------------------------------------------------------------------------------------------------------------------------

// The nearest point of the pieces of the line, as an offset (dx, dz) from it to the point.
struct Nearest {
  double square = std::numeric_limits<double>::infinity();
  double dx = 0, dz = 1;
  Vec3d facing{0, 0, 1};  // normal of that piece

  void consider(double to_x, double to_z, const Vec3d& normal) {
    const double d2 = to_x * to_x + to_z * to_z;
    if (d2 < square) square = d2, dx = to_x, dz = to_z, facing = normal;
  }
};

GroundPoint above_steps(const Terrain& terrain, const Vec3d& p) {
  constexpr double far = std::numeric_limits<double>::infinity();
  const std::vector<Terrain::Step>& steps = terrain.steps;
  Nearest nearest;
  double height = 0, below = 0;  // of the tread at hand; of the one under the point
  for (At k = 0; k <= steps.size(); ++k) {
    const double from = k == 0 ? -far : steps[k - 1].x, to = k == steps.size() ? far : steps[k].x;
    if (p.x >= from) below = height;
    nearest.consider(p.x - std::clamp(p.x, from, to), p.z - height, {0, 0, 1});
    if (k == steps.size()) break;
    const double next = steps[k].height, low = std::min(height, next), high = std::max(height, next);
    nearest.consider(p.x - to, p.z - std::clamp(p.z, low, high), {next > height ? -1.0 : 1.0, 0, 0});
    height = next;
  }
  const double distance = std::sqrt(nearest.square), side = p.z < below ? -1 : 1;
  GroundPoint out{.distance = side * distance};
  out.normal_W = distance > 0 ? Vec3d{nearest.dx * side / distance, 0, nearest.dz * side / distance} : nearest.facing;
  out.gradient_W = out.normal_W;
  return out;
}

GroundPoint in_own_frame(const Terrain& terrain, const Vec3d& p, double reach) {
  switch (terrain.kind) {
    case Terrain::Kind::none:
      return {.is_there = false, .distance = std::numeric_limits<double>::infinity()};
    case Terrain::Kind::plane:
      return above_level(0, p);
    case Terrain::Kind::steps:
      return above_steps(terrain, p);
    case Terrain::Kind::grid:
      break;
  }
  const Grid grid(terrain);
  const GroundPoint below = grid.at(p);
  if (reach == 0 || !below.is_there || below.is_beyond) return below;
  const Vec3d foot = p - below.normal_W * below.distance;
  GroundPoint there = grid.at(foot);
  if (!there.is_there) return there;
  // The foot's own distance is nearly 0; from its place to p along the normal found there.
  there.distance += dot(there.normal_W, p - foot);
  return there;
}

}  // namespace

GroundPoint find_ground(const Terrain& terrain, const Vec3d& p_W, double reach) {
  GroundPoint found = in_own_frame(terrain, inverse(terrain.X_WT) * p_W, reach);
  found.normal_W = terrain.X_WT.R * found.normal_W;
  found.gradient_W = terrain.X_WT.R * found.gradient_W;
  return found;
}

std::string_view keyword(Terrain::Kind kind) {
  constexpr std::string_view words[] = {"none", "plane", "steps", "grid"};
  return words[static_cast<At>(kind)];
}
std::string_view keyword(Terrain::Edge edge) {
  constexpr std::string_view words[] = {"clamp", "hole", "plane"};
  return words[static_cast<At>(edge)];
}
std::string_view keyword(ContactShape::Kind kind) {
  constexpr std::string_view words[] = {"points", "sphere", "wheel", "box", "capsule"};
  return words[static_cast<At>(kind)];
}
std::string_view keyword(Impact::Side side) {
  constexpr std::string_view words[] = {"lower", "upper", "both"};
  return words[static_cast<At>(side)];
}

}  // namespace trammel
