// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "fluid/clip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace trammel::fluid {
namespace {

constexpr double pi = std::numbers::pi;

double root(double x) { return std::sqrt(std::max(x, 0.0)); }
double arc_cos(double x) { return std::acos(std::clamp(x, -1.0, 1.0)); }

// ∫ (ρ² − t²)^(3/2) dt from −ρ to τ
double three_halves(double rho, double tau) {
  if (!(rho > 0)) return 0;
  const double t = std::clamp(tau, -rho, rho), w = root((rho - t) * (rho + t));
  const auto primitive = [rho](double x, double y, double angle) {
    return x * (5 * rho * rho - 2 * x * x) * y / 8 + 3 * rho * rho * rho * rho / 8 * angle;
  };
  return primitive(t, w, std::asin(t / rho)) - primitive(-rho, 0, -pi / 2);
}

}  // namespace

// A cap of height h = R + d: V = π h² (3R − h)/3, first moment along n = −π (R² − d²)²/4.
WetVolume clip_sphere(double R, const Vec3d& n, double d) {
  if (d <= -R) return {};
  const double x = std::min(d, R), h = R + x, chord = R * R - x * x;
  return {pi * h * h * (3 * R - h) / 3, n * (-pi / 4 * chord * chord)};
}

// Stretched to the unit sphere: p = A x, n·p = (A n)·x.
WetVolume clip_ellipsoid(const Vec3d& a, const Vec3d& n, double d) {
  const Vec3d An{a.x * n.x, a.y * n.y, a.z * n.z};
  const double size = norm(An), scale = a.x * a.y * a.z;
  const WetVolume unit = clip_sphere(1, An * (1 / size), d / size);
  return {unit.volume * scale, Vec3d{unit.moment.x * a.x, unit.moment.y * a.y, unit.moment.z * a.z} * scale};
}

// Each face is clipped to a polygon; the wet part is the sum of the pyramids from a point of the plane to these polygons, since the pyramid
// to the plane itself has no height.
WetVolume clip_box(const Vec3d& edges, const Vec3d& n, double d) {
  const std::array<double, 3> half{edges.x / 2, edges.y / 2, edges.z / 2};
  const std::array<double, 3> normal = components(n);
  const double reach = std::abs(normal[0]) * half[0] + std::abs(normal[1]) * half[1] + std::abs(normal[2]) * half[2];
  if (d <= -reach) return {};
  if (d >= reach) return {edges.x * edges.y * edges.z, {}};
  const Vec3d apex = n * d;
  WetVolume wet;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const double side : {-1.0, 1.0}) {
      // Corners against the clock seen from outside.
      constexpr std::array<std::array<double, 2>, 4> round{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
      std::array<Vec3d, 8> polygon;
      std::size_t count = 0;
      Vec3d before;
      double depth_before = 0;
      for (std::size_t i = 0; i <= 4; ++i) {
        const auto& at = round[side > 0 ? i % 4 : 3 - i % 4];
        std::array<double, 3> p{};
        p[axis] = side * half[axis], p[u] = at[0] * half[u], p[v] = at[1] * half[v];
        const Vec3d corner{p[0], p[1], p[2]};
        const double depth = d - dot(n, corner);
        if (i > 0 && (depth_before > 0) != (depth > 0)) {
          polygon[count++] = before + (corner - before) * (depth_before / (depth_before - depth));
        }
        if (i < 4 && depth > 0) polygon[count++] = corner;
        before = corner, depth_before = depth;
      }
      for (std::size_t i = 2; i < count; ++i) {
        const Vec3d a = polygon[0] - apex, b = polygon[i - 1] - apex, c = polygon[i] - apex;
        const double volume = dot(a, cross(b, c)) / 6;
        wet += {volume, (apex + (a + b + c) * 0.25) * volume};
      }
    }
  }
  return wet;
}

// By slices across the axis. The plane cuts the slice at z at height h = (d − n_z z)/σ over the axis, σ the size of n's part across it, m
// its direction:
//   area A = r² acos(−h/r) + h w,   moment along m: −(2/3) w³,   w = √(r² − h²)
// With h linear in z, dz = −(σ/n_z) dh, and u = h/r the integrals are those of
//   a(u) = acos(−u) + u√(1 − u²):   a₁ = ∫a = u acos(−u) + √ − √³/3,   u a: a₂ = ½ u² a − ½∫u² a' , a' = 2√(1 − u²)
//   s(u) = (2/3)(1 − u²)^(3/2)
WetVolume clip_cylinder(double r, double length, const Vec3d& n, double d) {
  const double half = length / 2, sigma = std::hypot(n.x, n.y);
  const double reach = half * std::abs(n.z) + r * sigma;
  if (d <= -reach) return {};
  if (d >= reach) return {pi * r * r * length, {}};
  const auto slab = [&](double from, double to) -> WetVolume {  // whole slices
    const double z1 = std::clamp(from, -half, half), z2 = std::clamp(to, -half, half);
    if (!(z2 > z1)) return {};
    return {pi * r * r * (z2 - z1), {0, 0, pi * r * r * (z2 * z2 - z1 * z1) / 2}};
  };
  if (sigma * r < 1e-14 * half) {  // square to the axis
    return n.z > 0 ? slab(-half, d / n.z) : slab(d / n.z, half);
  }
  const Vec3d m{n.x / sigma, n.y / sigma, 0};
  const double slope = -n.z / sigma / r;  // du/dz
  const double u0 = d / sigma / r;        // at z = 0
  const auto a0 = [](double u) { return arc_cos(-u) + u * root(1 - u * u); };
  const auto s0 = [](double u) { return 2.0 / 3 * root(1 - u * u) * (1 - u * u); };
  WetVolume wet;
  // From `from` to `to` all slices are cut.
  const auto cut = [&](double from, double to) {
    if (!(to > from)) return;
    const double u1 = std::clamp(u0 + slope * from, -1.0, 1.0), u2 = std::clamp(u0 + slope * to, -1.0, 1.0);
    const double middle = (from + to) / 2, span = to - from;
    double A = 0, S = 0, Az = 0;  // ∫a dz, ∫s dz, ∫a (z − middle) dz
    if (std::abs(u2 - u1) < 1e-3) {
      // Nearly along the axis: Gauss's rule; differences of primitives would lose digits.
      constexpr std::array<double, 5> at{-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
                                         0.90617984593866399};
      constexpr std::array<double, 5> weight{0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
                                             0.47862867049936647, 0.23692688505618909};
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double z = at[i] * span / 2, part = weight[i] * span / 2;
        const double u = std::clamp(u0 + slope * (middle + z), -1.0, 1.0);
        A += part * a0(u), S += part * s0(u), Az += part * a0(u) * z;
      }
    } else {
      const auto a1 = [](double u) {
        const double w = root(1 - u * u);
        return u * arc_cos(-u) + w - w * w * w / 3;
      };
      // ∫u² √(1 − u²) du = (asin u − u √ (1 − 2u²))/8
      const auto a2 = [&](double u) {
        const double w = root(1 - u * u);
        return 0.5 * u * u * a0(u) - (std::asin(u) - u * w * (1 - 2 * u * u)) / 8;
      };
      const auto s1 = [](double u) {
        const double w = root(1 - u * u);
        return 2.0 / 3 * (u * (5 - 2 * u * u) * w / 8 + 3.0 / 8 * std::asin(u));
      };
      const double per_u = 1 / slope, mean = (u1 + u2) / 2;
      A = (a1(u2) - a1(u1)) * per_u;
      S = (s1(u2) - s1(u1)) * per_u;
      Az = ((a2(u2) - a2(u1)) - mean * (a1(u2) - a1(u1))) * per_u * per_u;
      // The clamped ends are where the primitives are taken; the middle in z is that of u.
      const double shift = (mean - (u0 + slope * middle)) * per_u;
      Az += shift * A;
    }
    wet += {r * r * A, m * (-r * r * r * S) + Vec3d{0, 0, r * r * (Az + middle * A)}};
  };
  if (slope == 0) {
    cut(-half, half);
    return wet;
  }
  // Where slices begin to be cut, and where they are whole.
  const double at_minus = (-1 - u0) / slope, at_plus = (1 - u0) / slope;
  const double low = std::clamp(std::min(at_minus, at_plus), -half, half);
  const double high = std::clamp(std::max(at_minus, at_plus), -half, half);
  cut(low, high);
  wet += slope > 0 ? slab(high, half) : slab(-half, low);
  return wet;
}

// With c = n_z and σ = √(1 − c²), by slices n·p = s, discs of radius ρ = √(R² − s²) of which z ≥ 0 leaves what lies beyond a line at −s c/σ:
//   |s| ≥ σR   all of the disc, or nothing
//   else       A = ρ² acos(−κ s/ρ) + κ s q,    κ = c/σ,  q = √(R² − s²/σ²)
//   ∫A ds      = (R² s − s³/3) atan2(σ q, −c s) + (2/3) R³ atan2(σ q, c R) + (κ/3) q s²
// which at s = −σR is just what lies below it, so that it is the volume.
// First moment: p = ∇|p|²/2, and |p| = R on the sphere, so that ∫p dV = −½ ∮ (R² − |p|²) dA over the two flat faces alone; on a disc of
// radius ρ beyond a line at τ that integral is (2/3) ∫(ρ² − t²)^(3/2) dt.
WetVolume clip_half_sphere(double R, const Vec3d& n, double d) {
  const double c = std::clamp(n.z, -1.0, 1.0), sigma = std::hypot(n.x, n.y);
  const double lowest = c > 0 ? -sigma * R : -R, highest = c > 0 ? R : sigma * R;
  if (d <= lowest) return {};
  const double whole = 2.0 / 3 * pi * R * R * R;
  if (d >= highest) return {whole, {0, 0, pi / 4 * R * R * R * R}};
  const double G = R * R * d - d * d * d / 3, end = sigma * R;
  double volume = 0;
  if (c > 0 && d >= end) {
    volume = pi * G;
  } else if (c < 0 && d <= -end) {
    volume = pi * G + whole;
  } else {
    const double q = root((end - d) * (end + d));  // times σ
    volume =
        G * std::atan2(q, -c * d) + 2.0 / 3 * R * R * R * std::atan2(q, c * R) + c / (3 * sigma * sigma) * q * d * d;
  }
  // The water's face, normal n: of the disc of radius ρ what lies in z ≥ 0, that is t ≥ −κ d.
  const double rho = root((R - d) * (R + d));
  const double all = 3 * pi / 8 * rho * rho * rho * rho;
  double water = 0;
  if (sigma < 1e-12 || std::abs(c * d) >= sigma * rho) {
    water = c * d > 0 || (sigma < 1e-12 && c * d >= 0) ? all : 0;
    if (sigma < 1e-12 && c * d < 0) water = 0;
  } else {
    water = all - three_halves(rho, -c / sigma * d);
  }
  // The flat face z = 0, normal −z: of the disc of radius R what lies at σ t ≤ d.
  const double face = sigma < 1e-12 ? (d >= 0 ? 3 * pi / 8 * R * R * R * R : 0.0) : three_halves(R, d / sigma);
  return {volume, n * (-2.0 / 3 * water) + Vec3d{0, 0, 2.0 / 3 * face}};
}

WetVolume clip_capsule(double r, double length, const Vec3d& n, double d) {
  WetVolume wet = clip_cylinder(r, length, n, d);
  const double half = length / 2;
  const WetVolume top = clip_half_sphere(r, n, d - n.z * half);
  wet += {top.volume, top.moment + Vec3d{0, 0, half * top.volume}};
  const WetVolume mirrored = clip_half_sphere(r, {n.x, n.y, -n.z}, d + n.z * half);
  wet += {mirrored.volume, {mirrored.moment.x, mirrored.moment.y, -mirrored.moment.z - half * mirrored.volume}};
  return wet;
}

}  // namespace trammel::fluid
