// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/path_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trammel::study {
namespace {

using At = std::size_t;

bool is_there(const SampledCurve& curve, At k) {
  return std::isfinite(curve.s[k]) && std::isfinite(curve.p[k].x + curve.p[k].y + curve.p[k].z);
}

// One stretch of a curve without gaps, with its slope p' = dp/ds at every sample. Slopes are those of the polynomial through five neighbours,
// whose error is of fourth order in the step; with them the curve between two samples is a cubic (Hermite), likewise of fourth order.
class Stretch {
 public:
  Stretch(const SampledCurve& curve, At begin, At end)
      : s_(curve.s.begin() + static_cast<std::ptrdiff_t>(begin), curve.s.begin() + static_cast<std::ptrdiff_t>(end)),
        p_(curve.p.begin() + static_cast<std::ptrdiff_t>(begin), curve.p.begin() + static_cast<std::ptrdiff_t>(end)) {
    double size = 0;
    for (const Vec3d& p : p_) size = std::max(size, norm(p - p_.front()));
    closed_ = p_.size() > 5 && norm(p_.back() - p_.front()) <= 1e-9 * size;
    for (At k = 0; k < p_.size(); ++k) slope_.push_back(slope_at(static_cast<long>(k)));
  }

  At segment_count() const { return p_.size() - 1; }

  // place − point, nearest on segment k:  f(t) = ½|h(t) − point|² least for 0 ≤ t ≤ 1, by Newton's method from the chord's foot.
  Vec3d offset(At k, const Vec3d& point) const {
    const Vec3d chord = p_[k + 1] - p_[k];
    const double length2 = dot(chord, chord);
    double t = length2 > 0 ? std::clamp(dot(point - p_[k], chord) / length2, 0.0, 1.0) : 0;
    for (int i = 0; i < 8; ++i) {
      const Vec3d r = place(k, t) - point, d = first(k, t);
      const double slope = dot(r, d), bend = dot(d, d) + dot(r, second(k, t));
      const double curvature = bend > 0 ? bend : dot(d, d);  // downhill in any case
      if (curvature <= 0) break;
      const double next = std::clamp(t - slope / curvature, 0.0, 1.0);
      if (next == t) break;
      t = next;
    }
    return place(k, t) - point;
  }

 private:
  // h(t) = h00 p0 + h10 Δ p0' + h01 p1 + h11 Δ p1',  t from 0 to 1 over the segment's length Δ in s
  Vec3d combine(At k, double h00, double h10, double h01, double h11) const {
    const double step = s_[k + 1] - s_[k];
    return h00 * p_[k] + (h10 * step) * slope_[k] + h01 * p_[k + 1] + (h11 * step) * slope_[k + 1];
  }
  Vec3d place(At k, double t) const {
    const double t2 = t * t, t3 = t2 * t;
    return combine(k, 2 * t3 - 3 * t2 + 1, t3 - 2 * t2 + t, 3 * t2 - 2 * t3, t3 - t2);
  }
  Vec3d first(At k, double t) const {
    const double t2 = t * t;
    return combine(k, 6 * t2 - 6 * t, 3 * t2 - 4 * t + 1, 6 * t - 6 * t2, 3 * t2 - 2 * t);
  }
  Vec3d second(At k, double t) const { return combine(k, 12 * t - 6, 6 * t - 4, 6 - 12 * t, 6 * t - 2); }

  // Samples before the first and behind the last one: those of the round before or after, where the curve is closed.
  double s_at(long k) const {
    const long n = static_cast<long>(s_.size()) - 1;
    const double round = s_.back() - s_.front();
    return k < 0   ? s_[static_cast<At>(k + n)] - round
           : k > n ? s_[static_cast<At>(k - n)] + round
                   : s_[static_cast<At>(k)];
  }
  const Vec3d& p_at(long k) const {
    const long n = static_cast<long>(p_.size()) - 1;
    return p_[static_cast<At>(k < 0 ? k + n : k > n ? k - n : k)];
  }
  // The derivative of Lagrange's polynomial through (up to) five neighbours.
  Vec3d slope_at(long k) const {
    const long n = static_cast<long>(p_.size());
    long low = k - 2, high = k + 2;
    if (!closed_) {
      low = std::clamp(low, 0L, std::max(0L, n - 5));
      high = std::min(low + 4, n - 1);
    }
    Vec3d sum{};
    for (long i = low; i <= high; ++i) {
      double weight = 0;
      for (long j = low; j <= high; ++j) {
        if (j == i) continue;
        double product = 1 / (s_at(i) - s_at(j));
        for (long m = low; m <= high; ++m) {
          if (m != i && m != j) product *= (s_at(k) - s_at(m)) / (s_at(i) - s_at(m));
        }
        weight += product;
      }
      sum = sum + weight * p_at(i);
    }
    return sum;
  }

  std::vector<double> s_;
  std::vector<Vec3d> p_, slope_;
  bool closed_ = false;
};

std::vector<Stretch> stretches_of(const SampledCurve& curve) {
  std::vector<Stretch> list;
  for (At k = 0; k < curve.p.size();) {
    At end = k;
    while (end < curve.p.size() && is_there(curve, end)) ++end;
    if (end - k >= 2) list.emplace_back(curve, k, end);
    k = std::max(end, k + 1);
  }
  return list;
}

}  // namespace

std::vector<Vec3d> offsets_to_nearest(const SampledCurve& curve, std::span<const Vec3d> points) {
  const std::vector<Stretch> stretches = stretches_of(curve);
  if (stretches.empty()) return {};
  std::vector<Vec3d> offsets;
  for (const Vec3d& point : points) {
    Vec3d nearest{};
    double least = std::numeric_limits<double>::infinity();
    for (const Stretch& stretch : stretches) {
      for (At k = 0; k < stretch.segment_count(); ++k) {
        const Vec3d offset = stretch.offset(k, point);
        const double distance = norm(offset);
        if (distance < least) least = distance, nearest = offset;
      }
    }
    offsets.push_back(nearest);
  }
  return offsets;
}

std::vector<Vec3d> offsets_in_order(const SampledCurve& curve, std::span<const Vec3d> points) {
  std::vector<Vec3d> offsets;
  if (curve.p.size() != points.size()) return offsets;
  for (At k = 0; k < points.size(); ++k) {
    if (!is_there(curve, k)) return {};
    offsets.push_back(curve.p[k] - points[k]);
  }
  return offsets;
}

double root_mean_square(std::span<const Vec3d> offsets) {
  if (offsets.empty()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const Vec3d& offset : offsets) sum += dot(offset, offset);
  return std::sqrt(sum / static_cast<double>(offsets.size()));
}

}  // namespace trammel::study
