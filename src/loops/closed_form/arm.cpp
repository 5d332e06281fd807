// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loops/closed_form/arm.hpp"

#include <algorithm>
#include <cmath>

#include "loops/chace/trig_polynomial.hpp"

namespace trammel::closed_form {
namespace {

using chace::Trig;

constexpr double parallel = 1e-7;  // sines and cosines below that count as none

// y = E_3(q) x over q as polynomials of first order in an angle: q itself where it turns, and φ with q = length tan(φ/2) where it slides,
// everything times one() = cos²(φ/2) then.
class Course {
 public:
  Course(const ArmAxis& axis, const Vec3d& x, double length) : slides_(axis.slides), length_(length) {
    centre_ = slides_ ? x : axis.O + axis.w * dot(axis.w, x - axis.O);
    c1_ = slides_ ? axis.w : x - centre_;
    c2_ = slides_ ? Vec3d{} : cross(axis.w, c1_);
  }

  Trig<1> one() const { return polynomial(1, 0, 0); }
  Trig<1> form(const Vec3d& n, double m) const {  // n·y + m
    return polynomial(dot(n, centre_) + m, dot(n, c1_), slides_ ? 0 : dot(n, c2_));
  }
  Trig<1> square(const Vec3d& O) const {  // |y − O|²
    const Vec3d d = centre_ - O;
    if (slides_) return polynomial(dot(d, d), 2 * dot(d, c1_), 1);
    return polynomial(dot(d, d) + dot(c1_, c1_), 2 * dot(d, c1_), 2 * dot(d, c2_));
  }
  Vec3d at(double q) const { return slides_ ? centre_ + c1_ * q : centre_ + c1_ * std::cos(q) + c2_ * std::sin(q); }

  // Squares of forms: over a slide they are of second degree in q only, and F is cos²(φ/2) times one of first order.
  template <class Use>
  void for_roots_of_squares(const Trig<2>& F, const Use& use) const {
    if (slides_) {
      for_roots(chace::first_order(2 * (F.c[0] - F.c[2]), 4 * F.c[2], 4 * F.s[2]), use);
    } else {
      for_roots(F, use);
    }
  }
  // Calls use(q) for the roots of F, in their order.
  template <int n, class Use>
  void for_roots(const Trig<n>& F, const Use& use) const {
    const chace::CircleRoots<n> roots = chace::find_roots(F, 1e-14 * F.size());
    if (roots.vanishes) return;
    std::array<double, 2 * n> q{};
    std::size_t count = 0;
    for (const chace::CircleRoot& root : roots) {
      if (slides_ && !(1 + root.x > 1e-12)) continue;  // infinity
      q[count++] = slides_ ? length_ * root.y / (1 + root.x) : std::atan2(root.y, root.x);
    }
    std::sort(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t k = 0; k < count; ++k) use(q[k]);
  }

 private:
  // a + b cos q + c sin q, or a + b q + c q².
  Trig<1> polynomial(double a, double b, double c) const {
    if (!slides_) return chace::first_order(a, b, c);
    const double far = c * length_ * length_;
    return chace::first_order((a + far) / 2, (a - far) / 2, b * length_ / 2);
  }

  bool slides_;
  double length_;
  Vec3d centre_, c1_, c2_;
};

// The angle about unit vector w from v to b.
double angle_about(const Vec3d& w, const Vec3d& v, const Vec3d& b) {
  return std::atan2(dot(w, cross(v, b)), dot(v, b) - dot(w, v) * dot(w, b));
}

// q with n·(turned about w by q) v = k.
template <class Use>
void for_turns(const Vec3d& w, const Vec3d& v, const Vec3d& n, double k, const Use& use) {
  const Vec3d along = w * dot(w, v), c1 = v - along, c2 = cross(w, v);
  const Trig<1> F = chace::first_order(dot(n, along) - k, dot(n, c1), dot(n, c2));
  for (const chace::CircleRoot& root : find_roots(F, 1e-14 * F.size())) use(std::atan2(root.y, root.x));
}

// t with |v + t w| = r, for unit vectors w.
template <class Use>
void for_lengths(const Vec3d& v, const Vec3d& w, double r_squared, const Use& use) {
  const double f = dot(v, w), m = f * f - dot(v, v) + r_squared;
  if (!(m > -1e-14 * r_squared)) return;
  const double root = m > 0 ? std::sqrt(m) : 0;
  use(-f - root);
  if (root > 0) use(-f + root);
}

}  // namespace

ArmSolutions<3, 4> reach_point(const std::array<ArmAxis, 3>& arm, const Vec3d& x, const Vec3d& A, double length) {
  ArmSolutions<3, 4> found;
  const ArmAxis &one = arm[0], &two = arm[1];
  const Course course(arm[2], x, length);
  const Vec3d n = cross(one.w, two.w);
  const double along = dot(one.w, two.w), across = norm(n);
  const Vec3d w1 = one.w, w2 = two.w;

  if (one.slides && two.slides) {  // y is in the plane through A that both span
    if (across < parallel) return found;
    course.for_roots(course.form(n, -dot(n, A)), [&](double q3) {
      const Vec3d gap = A - course.at(q3);
      found.add({dot(cross(gap, w2), n) / (across * across), dot(cross(w1, gap), n) / (across * across), q3});
    });
    return found;
  }

  if (one.slides) {  // A − t w1 is as far along axis 2 as y, and as far from O2
    const Vec3d A2 = A - two.O;
    const auto add = [&](double t, double q3) {
      found.add({t, angle_about(w2, course.at(q3) - two.O, A2 - w1 * t), q3});
    };
    const Trig<1> ahead = dot(w2, A2) * course.one() - course.form(w2, -dot(w2, two.O));  // t (w1·w2)
    if (std::abs(along) < parallel) {
      course.for_roots(ahead, [&](double q3) {
        const Vec3d u = course.at(q3) - two.O;
        for_lengths(A2, -w1, dot(u, u), [&](double t) { add(t, q3); });
      });
    } else {
      const Trig<1> t = (1 / along) * ahead, W = course.one();
      const Trig<2> F = t * t - (2 * dot(w1, A2)) * (t * W) + dot(A2, A2) * (W * W) - course.square(two.O) * W;
      course.for_roots_of_squares(F,
                                  [&](double q3) { add((dot(w2, A2) - dot(w2, course.at(q3) - two.O)) / along, q3); });
    }
    return found;
  }

  if (two.slides) {  // y + t w2 is as far along axis 1 as A, and as far from O1
    const Vec3d A1 = A - one.O;
    const auto add = [&](double t, double q3) {
      found.add({angle_about(w1, course.at(q3) + w2 * t - one.O, A1), t, q3});
    };
    const Trig<1> ahead = dot(w1, A1) * course.one() - course.form(w1, -dot(w1, one.O));
    if (std::abs(along) < parallel) {
      course.for_roots(ahead, [&](double q3) {
        for_lengths(course.at(q3) - one.O, w2, dot(A1, A1), [&](double t) { add(t, q3); });
      });
    } else {
      const Trig<1> t = (1 / along) * ahead, W = course.one();
      Trig<2> F = -dot(A1, A1) * (W * W);
      for (const Vec3d& e : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
        const Trig<1> component = course.form(e, -dot(e, one.O)) + dot(e, w2) * t;
        F = F + component * component;
      }
      course.for_roots_of_squares(F,
                                  [&](double q3) { add((dot(w1, A1) - dot(w1, course.at(q3) - one.O)) / along, q3); });
    }
    return found;
  }

  // Two turns: z = E_2 y is as far along axis 1 as A, and as far from O1. With O1 and O2 where the axes are nearest, d = O2 − O1 and
  // u = y − O2 turned by q2 to (p, r, s) along d, w2×d and w2:
  //   h = w1·(A − O1) = (w1·w2) s + w1·(w2×d)/|d| r        |A − O1|² = |u|² + d² + 2 |d| p        p² + r² + s² = |u|²
  Vec3d O1 = one.O, O2 = two.O;
  if (across > parallel) {
    const Vec3d between = two.O - one.O;
    O1 = one.O + w1 * (dot(cross(between, w2), n) / (across * across));
    O2 = two.O + w2 * (dot(cross(between, w1), n) / (across * across));
  }
  const Vec3d A1 = A - O1, d = O2 - O1;
  const double h = dot(w1, A1), apart = norm(d);
  const auto add = [&](double q2, double q3) {
    const Vec3d z = motion_of(two, q2) * course.at(q3);
    found.add({angle_about(w1, z - O1, A1), q2, q3});
  };
  if (across < parallel) {  // parallel axes
    course.for_roots(course.form(w1, -dot(w1, O1)) - h * course.one(), [&](double q3) {
      const Vec3d u = course.at(q3) - O2;
      for_turns(w2, u, d, (dot(A1, A1) - dot(d, d) - dot(u, u)) / 2, [&](double q2) { add(q2, q3); });
    });
  } else if (apart < parallel * length) {  // they meet
    course.for_roots(course.square(O2) - dot(A1, A1) * course.one(),
                     [&](double q3) { for_turns(w2, course.at(q3) - O2, w1, h, [&](double q2) { add(q2, q3); }); });
  } else {
    const Vec3d e = d * (1 / apart), g = cross(w2, e);
    const Trig<1> W = course.one(), s = course.form(w2, -dot(w2, O2)), u2 = course.square(O2);
    const Trig<1> p = (0.5 / apart) * ((dot(A1, A1) - apart * apart) * W - u2);
    const Trig<1> r = (1 / dot(w1, g)) * (h * W - along * s);
    course.for_roots(p * p + r * r + s * s - u2 * W, [&](double q3) {
      const Vec3d u = course.at(q3) - O2;
      const double here = (dot(A1, A1) - apart * apart - dot(u, u)) / (2 * apart),
                   there = (h - along * dot(w2, u)) / dot(w1, g);
      add(angle_about(w2, u, e * here + g * there), q3);
    });
  }
  return found;
}

ArmSolutions<6, 2> reach_pose(const std::array<ArmAxis, 6>& arm, const Transformd& G) {
  ArmSolutions<6, 2> found;
  std::array<std::size_t, 3> turns{}, slides{};
  std::size_t turn_count = 0, slide_count = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    std::size_t& count = arm[i].slides ? slide_count : turn_count;
    if (count == 3) return found;
    (arm[i].slides ? slides : turns)[count++] = i;
  }
  const Vec3d a = arm[turns[0]].w, m = arm[turns[1]].w, b = arm[turns[2]].w, last = G.R * b;
  // x, where the middle axis is: x·a = m·a, x·last = m·b, |x| = 1
  const double alpha = dot(a, m), beta = dot(m, b), between = dot(a, last), D = 1 - between * between;
  if (!(D > parallel * parallel)) return found;
  const Vec3d x0 = (a * (alpha - between * beta) + last * (beta - between * alpha)) * (1 / D);
  const double square = (1 - dot(x0, x0)) / D;
  if (!(square > -1e-14 / D)) return found;
  const double height = square > 0 ? std::sqrt(square) : 0;
  for (const double side : {1.0, -1.0}) {
    if (side < 0 && height == 0) break;
    const Vec3d x = x0 + cross(a, last) * (side * height);
    std::array<double, 6> q{};
    const Vec3d off = std::abs(b.x) < 0.7 ? cross(b, Vec3d{1, 0, 0}) : cross(b, Vec3d{0, 1, 0});
    q[turns[0]] = angle_about(a, m, x);
    const Mat3d Q1 = motion_of(ArmAxis{false, {}, a}, q[turns[0]]).R;
    q[turns[1]] = angle_about(m, b, transpose(Q1) * last);
    const Mat3d Q2 = Q1 * motion_of(ArmAxis{false, {}, m}, q[turns[1]]).R;
    q[turns[2]] = angle_about(b, off, transpose(Q2) * (G.R * off));

    // G.p = what the turns do alone, and the slides along their directions.
    Transformd X;
    std::array<Vec3d, 3> way;
    std::size_t k = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (arm[i].slides) {
        way[k++] = X.R * arm[i].w;
      } else {
        X = X * motion_of(arm[i], q[i]);
      }
    }
    const Vec3d gap = G.p - X.p;
    const double volume = dot(way[0], cross(way[1], way[2]));
    if (!(std::abs(volume) > parallel)) continue;
    q[slides[0]] = dot(gap, cross(way[1], way[2])) / volume;
    q[slides[1]] = dot(way[0], cross(gap, way[2])) / volume;
    q[slides[2]] = dot(way[0], cross(way[1], gap)) / volume;
    found.add(q);
  }
  return found;
}

}  // namespace trammel::closed_form
