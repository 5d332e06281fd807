// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "fluid/coefficients.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include <fmt/format.h>

namespace trammel::fluid {
namespace {

constexpr double pi = std::numbers::pi;
using Kind = Shape::Kind;

double look_up(std::span<const TablePoint> table, double x) {
  if (x <= table.front().at) return table.front().value;
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (x > table[i].at) continue;
    const TablePoint &a = table[i - 1], &b = table[i];
    return a.value + (b.value - a.value) * (x - a.at) / (b.at - a.at);
  }
  return table.back().value;
}

// Rectangular plate moving square to itself, over ρ π/4 · (short edge)² · long edge, by the ratio of its edges.
// [DNV-RP-H103 (2011) and DNVGL-RP-N103, Table A-2]
constexpr std::array<TablePoint, 14> plate_added{{{1, 0.579},
                                                  {1.25, 0.642},
                                                  {1.5, 0.690},
                                                  {1.59, 0.704},
                                                  {2, 0.757},
                                                  {2.5, 0.801},
                                                  {3, 0.830},
                                                  {3.17, 0.840},
                                                  {4, 0.872},
                                                  {5, 0.897},
                                                  {6.25, 0.917},
                                                  {8, 0.934},
                                                  {10, 0.947},
                                                  {1000, 1}}};
// How much a thick plate has more than a thin one, by thickness over the geometric mean of its edges: square prisms moving along their length
// against the square plate. [the same table: 0.68, 0.36, 0.24, 0.19, 0.15, 0.13, 0.11, 0.08 of a²b at b/a = 1, 2, 3, 4, 5, 6, 7, 10]
constexpr std::array<TablePoint, 7> thickness_added{
    {{0, 1}, {1, 1.495}, {2, 1.583}, {3, 1.583}, {4, 1.671}, {5, 1.649}, {10, 1.759}}};

// Bars along the flow, over ½ ρ (end's area), by length over width.         [DNVGL-RP-N103, Table B-2; Hoerner 1965, ch. 3]
constexpr std::array<TablePoint, 5> round_along{{{0, 1.12}, {1, 0.91}, {2, 0.85}, {4, 0.87}, {7, 0.99}}};
constexpr std::array<TablePoint, 8> square_along{
    {{0, 1.16}, {1, 1.15}, {1.5, 0.97}, {2, 0.87}, {2.5, 0.90}, {3, 0.93}, {4, 0.95}, {5, 0.95}}};
// Round bars across the flow, over that of one without ends, by length over width.
// [DNV-RP-C205: members of finite length, below the drag crisis; at 1: 0.64 of 1.2, Blevins 1984]
constexpr double long_bar_across = 1.2;  // [DNV-RP-C205, smooth, Reynolds 1e4 to 2e5]
constexpr std::array<TablePoint, 8> bar_with_ends{
    {{1, 0.53}, {2, 0.58}, {5, 0.62}, {10, 0.68}, {20, 0.74}, {40, 0.82}, {50, 0.87}, {100, 0.98}}};
// Rectangular plates square to the flow, over ½ ρ area, by short edge over long edge.     [DNVGL-RP-N103, Table B-2]
constexpr std::array<TablePoint, 4> plate_across{{{0, 1.90}, {0.1, 1.50}, {0.2, 1.20}, {1, 1.16}}};

double length_of(const Shape& s) { return s.kind == Kind::capsule ? s.length + 2 * s.radius : s.length; }

AddedMass of_round_bar(const HullPart& part) {
  const Shape& s = part.shape;
  const double r = s.radius, L = s.length, area = pi * r * r, ends = 4.0 / 3 * pi * r * r * r;
  const double across = part.added_across.value_or(1);
  AddedMass out;
  if (s.kind == Kind::capsule) {
    // Strips, and half a sphere at each end.
    const double ball = 0.5 * ends * across, m = area * L * across + ball;
    const double turn = area * L * L * L / 12 * across + ball * L * L / 4;
    const Vec3d half{r, r, length_of(s) / 2};
    const double along = part.added_along.value_or(lamb_factors(half).translation.z);
    out = {{turn, turn, 0},
           {m, m, along * volume(s)},
           "strips, half spheres at the ends; along the axis as a spheroid as long (Lamb)"};
  } else if (L >= 2 * r) {
    const double m = area * L * across, turn = m * L * L / 12;
    const double along = part.added_along.value_or(lamb_factors({r, r, L / 2}).translation.z);
    out = {{turn, turn, 0}, {m, m, along * volume(s)}, "strips; along the axis as a spheroid as long (Lamb)"};
  } else {
    // A disc of no thickness has 8/3 r³ and 16/45 r⁵ (Lamb); a cylinder as long as wide is a bar.
    const double thick = L / (2 * r), m = area * L * across, strips = m * L * L / 12;
    const double disc = 8.0 / 3 * r * r * r, bar = 0.5 * 2 * area * r;
    const double along = part.added_along ? *part.added_along * volume(s) : disc + (bar - disc) * thick;
    const double turn = strips + 16.0 / 45 * r * r * r * r * r * (1 - thick);
    out = {{turn, turn, 0}, {m, m, along}, "disc (Lamb), towards strips as it gets thicker"};
  }
  if (part.added_across || part.added_along) out.source += "; factors as given";
  return out;
}

AddedMass of_box(const HullPart& part) {
  const std::array<double, 3> l = components(part.shape.size);
  const double V = l[0] * l[1] * l[2];
  std::array<double, 3> m{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = std::min(l[(i + 1) % 3], l[(i + 2) % 3]), b = std::max(l[(i + 1) % 3], l[(i + 2) % 3]);
    m[i] = look_up(plate_added, b / a) * pi / 4 * a * a * b * look_up(thickness_added, l[i] / std::sqrt(a * b));
  }
  if (part.added) m = {part.added->x * V, part.added->y * V, part.added->z * V};
  const Vec3d turn = lamb_factors(part.shape.size * 0.5).rotation * V;
  return {turn,
          {m[0], m[1], m[2]},
          part.added
              ? "factors as given; turning as an ellipsoid with the box's edges (Lamb)"
              : "plates and prisms (DNVGL-RP-N103, Table A-2); turning as an ellipsoid with the box's edges (Lamb)"};
}

}  // namespace

double carlson_rd(double x, double y, double z) {
  double sum = 0, factor = 1;
  for (int i = 0; i < 100; ++i) {
    const double rx = std::sqrt(x), ry = std::sqrt(y), rz = std::sqrt(z);
    const double lambda = rx * (ry + rz) + ry * rz;
    sum += factor / (rz * (z + lambda));
    factor *= 0.25;
    x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
    const double mean = 0.2 * (x + y + 3 * z);
    const double X = (mean - x) / mean, Y = (mean - y) / mean, Z = (mean - z) / mean;
    if (std::max({std::abs(X), std::abs(Y), std::abs(Z)}) > 1e-3) continue;
    const double ea = X * Y, eb = Z * Z, ec = ea - eb, ed = ea - 6 * eb, ef = ed + ec + ec;
    const double series = 1 + ed * (-3.0 / 14 + 9.0 / 88 * ed - 9.0 / 52 * Z * ef) +
                          Z * (ef / 6 + Z * (-9.0 / 22 * ec + 3.0 / 26 * Z * ea));
    return 3 * sum + factor * series / (mean * std::sqrt(mean));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

LambFactors lamb_factors(const Vec3d& half_axes) {
  const std::array<double, 3> h = components(half_axes);
  const double abc = h[0] * h[1] * h[2];
  std::array<double, 3> alpha{}, k{}, turn{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = h[i] * h[i], b = h[(i + 1) % 3] * h[(i + 1) % 3], c = h[(i + 2) % 3] * h[(i + 2) % 3];
    alpha[i] = 2.0 / 3 * abc * carlson_rd(b, c, a);
    k[i] = alpha[i] / (2 - alpha[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double b = h[(i + 1) % 3], c = h[(i + 2) % 3], difference = (b - c) * (b + c);
    const double slant = alpha[(i + 1) % 3] - alpha[(i + 2) % 3];  // β − γ
    const double below = 2 * difference + (b * b + c * c) * slant;
    turn[i] = std::abs(difference) < 1e-12 * b * c ? 0 : -difference * difference * slant / (5 * below);
  }
  return {{k[0], k[1], k[2]}, {turn[0], turn[1], turn[2]}};
}

AddedMass added_mass_of(const HullPart& part) {
  const Shape& s = part.shape;
  switch (s.kind) {
    case Kind::sphere: {
      const double m = part.added_across.value_or(0.5) * volume(s);
      return {{}, {m, m, m}, part.added_across ? "factor as given" : "sphere, ½ (Lamb)"};
    }
    case Kind::ellipsoid: {
      const LambFactors f = lamb_factors(s.size);
      const double V = volume(s);
      return {f.rotation * V, f.translation * V, "ellipsoid (Lamb 1932, §§ 114, 115)"};
    }
    case Kind::box:
      return of_box(part);
    case Kind::rod:
    case Kind::cylinder:
    case Kind::capsule:
      return of_round_bar(part);
    default:
      return {};
  }
}

DragAreas drag_areas_of(const HullPart& part) {
  const Shape& s = part.shape;
  const double r = s.radius;
  DragAreas out;
  switch (s.kind) {
    case Kind::sphere: {
      const double C = part.drag.value_or(0.47);
      out.across = out.along = 0.5 * C * pi * r * r;
      out.source = part.drag ? "as given" : "sphere 0.47 (Hoerner 1965, ch. 3; below the drag crisis)";
      return out;
    }
    case Kind::ellipsoid: {
      const double C = part.drag.value_or(0.47);
      const Vec3d& a = s.size;
      const auto fourth = [](double x) { return x * x * x * x; };
      out.faces = Vec3d{a.y * a.z, a.z * a.x, a.x * a.y} * (0.5 * C * pi);
      // Strips of the ellipse turning about its axis; a body of revolution has none about its own.
      out.rotation = Vec3d{a.x * std::abs(fourth(a.y) - fourth(a.z)), a.y * std::abs(fourth(a.z) - fourth(a.x)),
                           a.z * std::abs(fourth(a.x) - fourth(a.y))} *
                     (0.5 * C * 8 / 15);
      out.source = part.drag ? "as given" : "0.47 of the area seen, as a sphere: an estimate";
      return out;
    }
    case Kind::box: {
      std::array<double, 3> C{}, area{}, turn{};
      const std::array<double, 3> l = components(s.size);
      for (std::size_t i = 0; i < 3; ++i) {
        const double b = l[(i + 1) % 3], c = l[(i + 2) % 3];
        C[i] = part.drag.value_or(look_up(square_along, l[i] / std::sqrt(b * c)) *
                                  look_up(plate_across, std::min(b, c) / std::max(b, c)) / square_along.front().value);
        area[i] = b * c;
      }
      if (part.drag_of_faces) C = components(*part.drag_of_faces);
      const auto fourth = [](double x) { return x * x * x * x; };
      for (std::size_t i = 0; i < 3; ++i) {  // strips of the two pairs of faces that turn against the water
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        turn[i] = 0.5 * l[i] * (C[j] * fourth(l[k]) + C[k] * fourth(l[j])) / 32;
      }
      out.faces = Vec3d{C[0] * area[0], C[1] * area[1], C[2] * area[2]} * 0.5;
      out.rotation = {turn[0], turn[1], turn[2]};
      out.source = part.drag || part.drag_of_faces ? "as given" : "square rods and plates (DNVGL-RP-N103, Table B-2)";
      return out;
    }
    case Kind::rod:
    case Kind::cylinder:
    case Kind::capsule: {
      const double L = length_of(s);
      const double C = part.drag.value_or(long_bar_across * look_up(bar_with_ends, L / (2 * r)));
      // Rounded ends shed little: a third of the flat ones' is an estimate.
      const double blunt = s.kind == Kind::capsule ? 1.0 / 3 : 1;
      const double along = part.drag_along.value_or(blunt * look_up(round_along, L / (2 * r)));
      const double mantle = 2 * pi * r * s.length;
      out.across = 0.5 * C * 2 * r;
      out.along = 0.5 * along * pi * r * r + 0.5 * part.skin_friction * mantle;
      const double flat =
          s.kind == Kind::capsule ? 0 : 0.5 * along * 8 / 15 * r * r * r * r * r;  // an end's disc turning
      out.rotation = {flat, flat, 0.5 * part.skin_friction * mantle * r * r * r};
      out.source = fmt::format("across {}, along {}",
                               part.drag ? "as given" : fmt::format("{:.3g} by strips, its ends free (DNV-RP-C205)", C),
                               part.drag_along           ? "as given"
                               : s.kind == Kind::capsule ? "a third of flat ends' (an estimate)"
                                                         : "flat ends (DNVGL-RP-N103, Table B-2)");
      return out;
    }
    default:
      return out;
  }
}

}  // namespace trammel::fluid
