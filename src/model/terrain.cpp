// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The ground seen from a point: how far along the normal, and which way. In the terrain's frame T, z up.
//
// Grid. With fractions s, t in the cell of the point, H the bilinear height, and slopes a = ∂H/∂x, b = ∂H/∂y found at the nodes by central
// differences (one-sided at the border) and taken bilinearly in between,
//   n = (−a, −b, 1) n_z,    n_z = (1 + a² + b²)^(−1/2),    distance = (z − H) n_z                                        (1)
// so that n turns without jumps, where facets would have edges. The distance's own gradient g differs from n by what smoothing does:
//   ∂n = n_z (s − n (n·s)),  s = (−∂a, −∂b, 0);    g = n_z (−H_x, −H_y, 1) + (z − H) ∇n_z                                (2)
// Beyond the border H goes on level across it, and the slope there fades to 0 over one cell: neither jumps.
//
// A sphere touches below its centre c along n, not along z: the ground is looked at again there, at its foot f.
//   f = c − n₀ d₀,   J = ∂f/∂c = 1 − d₀ N₀ − n₀ g₀ᵀ,   N = ∂n/∂p as (2);    distance = d₁ + n₁·(c − f)                   (3)
//   ∂n₁/∂c = N₁ J,   gradient = n₁ + Jᵀ (g₁ − n₁ + N₁ᵀ (c − f))                                                          (4)
// with 0 seen from c, 1 from f. What is beyond the edge, a hole or a plane, begins where the centre is beyond it.
//
// Steps. In the plane (x, z) the surface is a line of treads and risers. The distance is that to its nearest piece; outside, edges are
// rounded thereby, inside, the nearest face counts.
//
// Blocks. In an inner corner a wheel rolls on the tread and is stopped by the riser: two contacts. The ground is the union of one block per
// tread, { from ≤ x ≤ to, z ≤ height }, widened under its neighbours as long as they are not lower; so a block ends at outer corners only,
// and at each of those one block alone is met:
//              ______                       block of the lower tread goes on below
//             |                             the higher one; that of the higher one
//    _________|                             begins at the riser
// Where a block's point nearest to the centre lies inside another block it is hidden, and no contact. From a centre inside the ground
// (a point that has sunk in) the way out is that to the nearest piece of the line; on a riser, or beyond the end of a tread, it stands over the
// lower tread, and this tread's block and the riser's both hold it.

#include "model/terrain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace trammel {
namespace {

using At = std::size_t;

GroundPoint above_level(double height, const Vec3d& p) { return {.distance = p.z - height}; }

// --- grid -------------------------------------------------------------------------------------------------------------------------

class Grid {
 public:
  explicit Grid(const Terrain& t) : t_(t) {}

  bool has_above(const Vec3d& p) const {
    return Way(p.x / t_.spacing_x, t_.nx).within && Way(p.y / t_.spacing_y, t_.ny).within;
  }

  GroundUnder at(const Vec3d& p) const {
    const Way x(p.x / t_.spacing_x, t_.nx), y(p.y / t_.spacing_y, t_.ny);
    const int i = x.cell, j = y.cell;
    GroundUnder out;
    if (!t_.cells.empty()) {
      out.cell_material = t_.cells[static_cast<At>(i) * static_cast<At>(t_.ny - 1) + static_cast<At>(j)];
    }
    const double h00 = node(i, j), h10 = node(i + 1, j), h01 = node(i, j + 1), h11 = node(i + 1, j + 1);
    const Slopes H = blend(h00, h10, h01, h11, x, y);
    const Slopes a =
        fade(blend(slope_x(i, j), slope_x(i + 1, j), slope_x(i, j + 1), slope_x(i + 1, j + 1), x, y), x, &Slopes::by_x);
    const Slopes b =
        fade(blend(slope_y(i, j), slope_y(i + 1, j), slope_y(i, j + 1), slope_y(i + 1, j + 1), x, y), y, &Slopes::by_y);
    const double n_z = 1 / std::sqrt(1 + a.value * a.value + b.value * b.value), gap = p.z - H.value;
    const Vec3d n{-a.value * n_z, -b.value * n_z, n_z};
    const auto turn = [&](const Vec3d& s) { return (s - n * dot(n, s)) * n_z; };
    out.turning_W = {turn({-a.by_x / t_.spacing_x, -b.by_x / t_.spacing_x, 0}),  // (2)
                     turn({-a.by_y / t_.spacing_y, -b.by_y / t_.spacing_y, 0}),
                     {}};
    out.distance = gap * n_z;  // (1)
    out.normal_W = n;
    out.gradient_W = {-n_z * H.by_x / t_.spacing_x + gap * out.turning_W.ex.z,  // (2)
                      -n_z * H.by_y / t_.spacing_y + gap * out.turning_W.ey.z, n_z};
    return out;
  }

 private:
  // One direction, in cells: where between the nodes, or how far beyond them.
  struct Way {
    bool within;
    int cell;
    double part;        // of the cell
    double beyond = 0;  // negative before the first node
    Way(double x, int nodes) {
      const double last = nodes - 1, nearest = x > 0 ? std::min(x, last) : 0;  // 0 for NaN too
      within = x >= 0 && x <= last;
      if (!within) beyond = x - nearest;
      cell = std::min(static_cast<int>(nearest), nodes - 2);
      part = nearest - cell;
    }
  };
  // A value, and how it changes with x and y in cells.
  struct Slopes {
    double value = 0, by_x = 0, by_y = 0;
  };
  static Slopes blend(double v00, double v10, double v01, double v11, const Way& x, const Way& y) {
    const double low = v00 + x.part * (v10 - v00), high = v01 + x.part * (v11 - v01);
    Slopes out{low + y.part * (high - low), 0, 0};
    if (x.within) out.by_x = (1 - y.part) * (v10 - v00) + y.part * (v11 - v01);
    if (y.within) out.by_y = high - low;
    return out;
  }
  // The slope across a border, beyond it.
  static Slopes fade(const Slopes& slope, const Way& way, double Slopes::*along) {
    if (way.within) return slope;
    const double left = 1 - std::abs(way.beyond);
    if (!(left > 0)) return {};
    Slopes out{slope.value * left, slope.by_x * left, slope.by_y * left};
    out.*along = way.beyond > 0 ? -slope.value : slope.value;
    return out;
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

constexpr double far = std::numeric_limits<double>::infinity();

// The treads of steps, from left to right.
class Treads {
 public:
  explicit Treads(const Terrain& terrain) : steps_(terrain.steps) {}
  At count() const { return steps_.size() + 1; }
  double height(At k) const { return k == 0 ? 0 : steps_[k - 1].height; }
  double from(At k) const { return k == 0 ? -far : steps_[k - 1].x; }
  double to(At k) const { return k == steps_.size() ? far : steps_[k].x; }
  At at(double x) const {
    const auto beyond = [](double place, const Terrain::Step& step) { return place < step.x; };
    return static_cast<At>(std::upper_bound(steps_.begin(), steps_.end(), x, beyond) - steps_.begin());
  }

 private:
  const std::vector<Terrain::Step>& steps_;
};

// The nearest point of the pieces of the line, as an offset (dx, dz) from it to the point.
struct Nearest {
  double square = far;
  double dx = 0, dz = 1;
  Vec3d facing{0, 0, 1};  // normal of that piece
  At tread = 0;           // that piece, or the lower one beside it

  void consider(double to_x, double to_z, const Vec3d& normal, At k) {
    const double d2 = to_x * to_x + to_z * to_z;
    if (d2 < square) square = d2, dx = to_x, dz = to_z, facing = normal, tread = k;
  }
};
Nearest nearest_piece(const Treads& treads, const Vec3d& p) {
  Nearest nearest;
  for (At k = 0; k < treads.count(); ++k) {
    const double height = treads.height(k), to = treads.to(k);
    nearest.consider(p.x - std::clamp(p.x, treads.from(k), to), p.z - height, {0, 0, 1}, k);
    if (k + 1 == treads.count()) break;
    const double next = treads.height(k + 1), low = std::min(height, next), high = std::max(height, next);
    const bool rises = next > height;
    nearest.consider(p.x - to, p.z - std::clamp(p.z, low, high), {rises ? -1.0 : 1.0, 0, 0}, rises ? k : k + 1);
  }
  return nearest;
}

GroundPoint above_steps(const Terrain& terrain, const Vec3d& p) {
  const Treads treads(terrain);
  const Nearest nearest = nearest_piece(treads, p);
  const double distance = std::sqrt(nearest.square), side = p.z < treads.height(treads.at(p.x)) ? -1 : 1;
  GroundPoint out{.distance = side * distance};
  out.normal_W = distance > 0 ? Vec3d{nearest.dx * side / distance, 0, nearest.dz * side / distance} : nearest.facing;
  out.gradient_W = out.normal_W;
  return out;
}

// How the normal turns with the centre about an edge of steps, which runs along y; faces turn nothing.
Mat3d turning_about_edge(const GroundPoint& found) {
  const Vec3d n = found.normal_W;  // in the terrain's frame
  if (n.x == 0 || n.z == 0 || found.distance == 0) return {{}, {}, {}};
  const Vec3d t = Vec3d{-n.z, 0, n.x} * (1 / found.distance);
  return {t * -n.z, {}, t * n.x};
}

// A block from a centre outside the ground.
GroundPoint block_from_outside(const TerrainBlock& block, double height_below, const Vec3d& p) {
  const double x = std::clamp(p.x, block.from, block.to), z = std::min(p.z, block.height);
  GroundPoint out{.is_there = false};
  if (p.x < block.from) {
    out.is_there = block.has_left && z >= block.left_foot;
  } else if (p.x > block.to) {
    out.is_there = block.has_right && z >= block.right_foot;
  } else {
    out.is_there = height_below <= block.height;
  }
  const double dx = p.x - x, dz = p.z - z;
  out.distance = std::sqrt(dx * dx + dz * dz);
  if (out.distance > 0) {
    out.normal_W = {dx / out.distance, 0, dz / out.distance};
  } else if (p.z < block.height) {
    out.normal_W = {p.x > block.from ? 1.0 : -1.0, 0, 0};
  }
  return out;
}
// From within: up to the tread on which the way out ends, and off to the sides of risers on it.
GroundPoint block_from_within(const Treads& treads, const TerrainBlock& block, const Nearest& way_out, const Vec3d& p) {
  const At tread = way_out.tread;
  const double from = treads.from(tread), to = treads.to(tread);
  const bool leans = way_out.facing.x != 0;
  if (block.height == treads.height(tread) && block.from <= from && to <= block.to) {
    return {.distance = p.z - block.height};
  }
  if (block.has_left && block.from == to && (leans ? way_out.facing.x < 0 : p.x > to)) {
    return {.distance = to - p.x, .normal_W = {-1, 0, 0}};
  }
  if (block.has_right && block.to == from && (leans ? way_out.facing.x > 0 : p.x < from)) {
    return {.distance = p.x - from, .normal_W = {1, 0, 0}};
  }
  return {.is_there = false};
}

GroundUnder above_grid(const Terrain& terrain, const Vec3d& c, double reach) {
  const Grid grid(terrain);
  const bool is_beyond = !grid.has_above(c);
  GroundUnder out;
  if (is_beyond && terrain.edge == Terrain::Edge::hole) {
    out.is_there = false;
    out.distance = std::numeric_limits<double>::infinity();
  } else if (is_beyond && terrain.edge == Terrain::Edge::plane) {
    out = {above_level(terrain.edge_height, c), {}};
  } else {
    out = grid.at(c);
    if (reach > 0) {
      const GroundUnder below = out;
      const Vec3d down = out.normal_W * out.distance;
      const Mat3d J =
          minus_outer(Mat3d::identity() - below.turning_W * below.distance, below.normal_W, below.gradient_W);
      out = grid.at(c - down);  // (3)
      const Vec3d n = out.normal_W, differs = out.gradient_W - n + transpose_times(out.turning_W, down);
      out.distance += dot(n, down);
      out.gradient_W = n + transpose_times(J, differs);  // (4)
      out.turning_W = out.turning_W * J;
    }
  }
  out.is_beyond = is_beyond;
  return out;
}

GroundUnder in_own_frame(const Terrain& terrain, const Vec3d& p, double reach) {
  switch (terrain.kind) {
    case Terrain::Kind::none:
      break;
    case Terrain::Kind::plane:
      return {above_level(0, p), {}};
    case Terrain::Kind::steps: {
      const GroundPoint found = above_steps(terrain, p);
      return {found, turning_about_edge(found)};
    }
    case Terrain::Kind::grid:
      return above_grid(terrain, p, reach);
  }
  return {{.is_there = false, .distance = std::numeric_limits<double>::infinity()}, {}};
}

// A shape touches tread, riser and edge of a corner, or both edges of a groove: blocks of treads that are no more than two apart. Each gets the
// first part that none of those has.
void deal_parts(const std::vector<At>& of_tread, std::vector<TerrainBlock>& blocks) {
  std::vector<std::vector<At>> beside(blocks.size());
  for (At k = 0; k < of_tread.size(); ++k) {
    for (At l = k + 1; l < of_tread.size() && l <= k + 2; ++l) {
      if (of_tread[k] == of_tread[l]) continue;
      beside[of_tread[k]].push_back(of_tread[l]);
      beside[of_tread[l]].push_back(of_tread[k]);
    }
  }
  for (At b = 0; b < blocks.size(); ++b) {
    const auto is_taken = [&](int part) {
      return std::any_of(beside[b].begin(), beside[b].end(), [&](At other) { return blocks[other].part == part; });
    };
    blocks[b].part = 0;
    while (is_taken(blocks[b].part)) ++blocks[b].part;
  }
}

}  // namespace

GroundUnder find_ground_under(const Terrain& terrain, const Vec3d& c_W, double reach) {
  const Mat3d& R = terrain.X_WT.R;
  GroundUnder found = in_own_frame(terrain, inverse(terrain.X_WT) * c_W, reach);
  found.normal_W = R * found.normal_W;
  found.gradient_W = R * found.gradient_W;
  if (terrain.kind == Terrain::Kind::steps || (terrain.kind == Terrain::Kind::grid && reach > 0))
    found.turning_W = R * found.turning_W * transpose(R);
  return found;
}

std::vector<TerrainBlock> blocks_of_steps(const Terrain& terrain) {
  const Treads treads(terrain);
  std::vector<TerrainBlock> blocks;
  std::map<std::pair<double, double>, At> known;  // by beginning and height
  std::vector<At> of_tread;
  for (At k = 0; k < treads.count(); ++k) {
    const double height = treads.height(k);
    At first = k, last = k;
    while (first > 0 && treads.height(first - 1) >= height) --first;
    while (last + 1 < treads.count() && treads.height(last + 1) >= height) ++last;
    // Treads of one height with nothing lower between are one block.
    const auto [place, is_new] = known.try_emplace({treads.from(first), height}, blocks.size());
    of_tread.push_back(place->second);
    if (!is_new) continue;
    const bool has_left = first > 0 && treads.height(first) == height,
               has_right = last + 1 < treads.count() && treads.height(last) == height;
    blocks.push_back({.from = treads.from(first),
                      .to = treads.to(last),
                      .height = height,
                      .has_left = has_left,
                      .has_right = has_right,
                      .left_foot = has_left ? treads.height(first - 1) : 0,
                      .right_foot = has_right ? treads.height(last + 1) : 0,
                      .part = -1});
  }
  deal_parts(of_tread, blocks);
  return blocks;
}

GroundUnder find_block(const Terrain& terrain, std::span<const TerrainBlock> blocks, int part, const Vec3d& c_W) {
  const Mat3d& R = terrain.X_WT.R;
  const Vec3d p = inverse(terrain.X_WT) * c_W;
  const Treads treads(terrain);
  const double height = treads.height(treads.at(p.x));
  const bool is_within = p.z < height;
  const Nearest way_out = is_within ? nearest_piece(treads, p) : Nearest{};
  GroundPoint nearest{.is_there = false, .distance = far};
  for (const TerrainBlock& block : blocks) {
    if (block.part != part) continue;
    const GroundPoint found =
        is_within ? block_from_within(treads, block, way_out, p) : block_from_outside(block, height, p);
    if (found.is_there && found.distance < nearest.distance) nearest = found;
  }
  const Mat3d turning = R * turning_about_edge(nearest) * transpose(R);
  nearest.normal_W = nearest.gradient_W = R * nearest.normal_W;
  return {nearest, turning};
}

GroundPoint find_ground(const Terrain& terrain, const Vec3d& p_W, double reach) {
  return find_ground_under(terrain, p_W, reach);
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
