// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_plate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_geometry.hpp"

namespace trammel::readers {

namespace {

Vec3d mean(const std::vector<Vec3d>& points) {
  Vec3d sum;
  for (const Vec3d& p : points) sum += p;
  return sum * (1 / static_cast<double>(points.size()));
}

// Twice the area, along the normal: Σ pᵢ × pᵢ₊₁ about the first corner (Newell).
Vec3d area_vector(const std::vector<Vec3d>& corners) {
  Vec3d sum;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    sum += cross(corners[i] - corners[0], corners[i + 1] - corners[0]);
  }
  return sum;
}

double side(const Vec3d& a, const Vec3d& b, const Vec3d& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}
bool within_box(const Vec3d& a, const Vec3d& b, const Vec3d& p) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

// Do the segments ab and cd meet anywhere, ends included?
bool meet(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const double ca = side(c, d, a), cb = side(c, d, b), ac = side(a, b, c), ad = side(a, b, d);
  if (((ca > 0 && cb < 0) || (ca < 0 && cb > 0)) && ((ac > 0 && ad < 0) || (ac < 0 && ad > 0))) return true;
  return (ca == 0 && within_box(c, d, a)) || (cb == 0 && within_box(c, d, b)) || (ac == 0 && within_box(a, b, c)) ||
         (ad == 0 && within_box(a, b, d));
}

// Do two edges ab, bc with a common corner fold back onto each other?
bool fold_back(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return side(a, b, c) == 0 && (a.x - b.x) * (c.x - b.x) + (a.y - b.y) * (c.y - b.y) > 0;
}

}  // namespace

double size_of_outline(const std::vector<Vec3d>& corners) {
  Vec3d low = corners[0], high = corners[0];
  for (const Vec3d& p : corners) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return norm(high - low);
}

Shape plate_with_corners(const std::vector<Vec3d>& corners, double thickness) {
  Shape plate;
  plate.kind = Shape::Kind::plate;
  plate.length = thickness;
  const Vec3d normal = area_vector(corners);
  const Vec3d edge = corners[1] - corners[0];
  const double size = size_of_outline(corners);
  if (!std::isfinite(norm(normal)) || !(norm(normal) > 1e-12 * size * size) || !(norm(edge) > 1e-12 * size))
    return plate;  // no outline: no plate
  // x along the edge made perpendicular to the normal, y = z × x.
  plate.X_BS = frame_at(mean(corners), edge, cross(unit(normal), unit(edge)));
  const Transformd X_SB = inverse(plate.X_BS);
  for (const Vec3d& p : corners) {
    const Vec3d p_S = X_SB * p;
    plate.outline.push_back({p_S.x, p_S.y, 0});
  }
  return plate;
}

double height_of_corners(const std::vector<Vec3d>& corners, const Shape& plate) {
  double highest = 0;
  for (const Vec3d& p : corners) highest = std::max(highest, std::abs(dot(plate.X_BS.R.ez, p - plate.X_BS.p)));
  return highest;
}

std::string trouble_with_outline(const std::vector<Vec3d>& outline) {
  const std::size_t n = outline.size();
  const auto at = [&](std::size_t i) -> const Vec3d& { return outline[i % n]; };
  const auto number = [n](std::size_t i) { return i % n + 1; };
  for (std::size_t i = 0; i < n; ++i) {
    if (at(i) == at(i + 1)) return fmt::format("has corners {} and {} in one place", number(i), number(i + 1));
  }
  const double size = size_of_outline(outline);
  if (!(norm(area_vector(outline)) > 1e-12 * size * size)) return "has no area";
  for (std::size_t i = 0; i < n; ++i) {
    if (fold_back(at(i), at(i + 1), at(i + 2))) return fmt::format("folds back at corner {}", number(i + 1));
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;  // neighbours round the end
      if (meet(at(i), at(i + 1), at(j), at(j + 1))) {
        return fmt::format("crosses itself: edge {}-{} meets edge {}-{}", number(i), number(i + 1), number(j),
                           number(j + 1));
      }
    }
  }
  return {};
}

}  // namespace trammel::readers
