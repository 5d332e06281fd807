// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A planar linkage placed link by link, each step in closed form. Links start on the ground; a driven link is carried along by the link
// before it; then two links at a time (a dyad) are placed between links that have their place already:
//
//   placed –J1– link 1 –J2– link 2 –J3– placed
//
// Pairs R and P give six dyads; RRR and RRP are Chace's cases 5 and 4 in the plane. With A and B the places of J1 and J3, C that of J2,
// J the quarter turn, R_θ the turn by θ:
//   RRR   |C − A| = L1, |C − B| = L2         d = B − A:  C = A + x d ± √(L1²/d² − x²) J d,  x = (d² + L1² − L2²)/(2 d²)
//   RRP   |C − A| = L1, C = C0 + s e          s = −f ± √(f² − |C0 − A|² + L1²),  f = (C0 − A)·e
//   RPR   B − A = R_θ (v + s e)               s + v·e = ±√(|B − A|² − (e×v)²)
//   PRP   C on two lines                      linear
//   PPR   B − … = s1 e1 + s2 e2               linear
// Three links that carry a fourth between them (a triad) have a closed form where two of them slide on placed links, each with a hinge
// to the middle link: hinge i keeps to a line O_i + s e_i, and with b_i its place on the middle link, which is turned by θ and moved by p,
//   e_i × (p + R_θ b_i − O_i) = 0, i = 1, 2      p = p0 + p1 cos θ + p2 sin θ, unless e_1 ∥ e_2
//   third link slides too                         Σ w_i e_i = 0 with w_1 = e_2 × e_3, … frees it of p: linear in cos θ and sin θ, two modes
//   third link turns, |p + R_θ b3 − O_3| = L      a quartic: four modes
//     e_1 ∥ e_2                                   e_1 × (R_θ (b_1 − b_2) − O_1 + O_2) = 0: two θ, each with two places on the line
// A rod (distance) is a link 1 with R at both ends that has no coordinates. A link with two hinges on placed links is redundant, and
// lies along the line between them.
//
// Steps run on any scalar: on double they give positions, on Series<2> positions, velocities and accelerations at once.

#include <array>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <trammel/core/series.hpp>
#include <trammel/loops.hpp>

#include "loops/closed_form/circle_meets.hpp"

namespace trammel::closed_form {

template <class T>
struct Vec2 {
  T x{}, y{};
  friend Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
  friend Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
  friend Vec2 operator*(const Vec2& a, const T& s) { return {a.x * s, a.y * s}; }
};
template <class T>
T dot(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class T>
T cross(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.y - a.y * b.x;
}
using Vec2d = Vec2<double>;
template <class T>
Vec2d values_of(const Vec2<T>& a) {
  return {value_of(a.x), value_of(a.y)};
}

// A link's place: where it was drawn, turned by θ and moved by p.
template <class T>
struct Pose2 {
  T c = T(1), s = T(0), theta = T(0);
  Vec2<T> p{};

  Vec2<T> turned(const Vec2d& v) const { return {c * v.x - s * v.y, s * v.x + c * v.y}; }
  Vec2<T> at(const Vec2d& drawn) const { return turned(drawn) + p; }
};

class PlanarPlan {
 public:
  // Where it finds no plan, obstacle() says why.
  PlanarPlan(const Mechanism& mechanism, const std::vector<Driver>& drivers, const Vec3d& normal);

  bool exists() const { return obstacle_.empty(); }
  const std::string& obstacle() const { return obstacle_; }
  const std::vector<std::string>& words() const { return words_; }
  int step_count() const { return static_cast<int>(steps_.size()); }
  // How many solutions a step can have.
  int mode_count(int step) const { return steps_[static_cast<std::size_t>(step)].modes; }

  template <class T>
  struct Poses {
    std::vector<Pose2<T>> links;
    const Pose2<T>& of(int link) const { return link < 0 ? ground_pose : links[static_cast<std::size_t>(link)]; }
    inline static const Pose2<T> ground_pose{};
  };
  template <class T>
  Poses<T> poses() const {
    return {std::vector<Pose2<T>>(static_cast<std::size_t>(link_count_))};
  }

  // Places the links of a step. False: no real solution here.
  template <class T>
  bool place(int step, int mode, std::span<const T> inputs, Poses<T>& poses) const;

  // The coordinates of the tree; angles are those nearest to what q is.
  void read(const Poses<double>& poses, std::span<double> q) const;
  void read(const Poses<Series<2>>& poses, std::span<double> q, std::span<double> v, std::span<double> a) const;
  // How far two placings of a step's links are apart, in characteristic lengths.
  double distance(int step, const Poses<double>& one, const Poses<double>& other) const;
  void poses_at(std::span<const double> q, Poses<double>& result) const;  // from the tree, whether closed or not

 private:
  struct Joint {
    bool slides = false;
    int first = -1, second = -1;  // links
    Vec2d at_first, at_second;    // its place on each, as drawn
    Vec2d along;                  // of a slide, as drawn on the first
    double turn = 0;              // of M against F as drawn: a slide turns it back
    double sign = 1;              // of a hinge's axis along the normal
    int q = -1;                   // of the tree; −1: closes a loop, or a rod
  };
  enum class Kind { turned, slid, rrr, rrp, rpr, prp, ppr, between, triad };
  // One of the three links that carry the middle one.
  struct Leg {
    bool slides = false;
    int link = -1, placed = -1;   // link −1: a rod
    Vec2d hinge, hinge_middle;    // as drawn on the leg and on the middle link
    Vec2d foot, foot_placed;      // its pair with the placed link, as drawn on either
    Vec2d e;                      // of a slide, as drawn on the placed link
    double turn = 0, length = 0;  // of a slide: of the leg against the placed link; otherwise from foot to hinge
  };
  struct Step {
    Kind kind = Kind::turned;
    int modes = 1;
    int before = -1, link1 = -1, link2 = -1, after = -1;  // link1 −1: a rod
    // Places of J1, J2, J3 as drawn on the links they join, towards the one side and towards the other.
    Vec2d A_before, A1, C1, C2, B2, B_after;
    Vec2d e1, e2, e3;  // slides of J1, J2, J3, as drawn on before, link 1, after
    double turn1 = 0, turn2 = 0,
           turn3 = 0;           // link 1 against before, link 2 against link 1, link 2 against after, where they slide
    double length1 = 0;         // of link 1, from A to C
    int input = -1;             // turned, slid: which driver
    double sign = 1, zero = 0;  // turned: θ = sign · input + zero
    std::array<Leg, 3> legs;    // triad: of the middle link 1; the first two slide
  };

  std::vector<Joint> joints_;    // hinges, slides and rods
  std::vector<double> rods_;     // per joint: length of a rod, 0 otherwise
  std::vector<int> tree_joint_;  // per link: its joint
  std::vector<Step> steps_;
  std::vector<std::string> words_;
  std::string obstacle_;
  int link_count_ = 0;
  double length_ = 1;

  class Planner;

  template <class T>
  bool place_triad(const Step& s, int mode, Poses<T>& poses) const;
  // Where the middle link of a triad is; O and e as they are placed.
  static std::optional<Pose2<double>> start_triad(const Step& s, int mode, const std::array<Vec2d, 3>& O,
                                                  const std::array<Vec2d, 3>& e);
  template <class T>
  bool refine_triad(const Step& s, const std::array<Vec2<T>, 3>& O, const std::array<Vec2<T>, 3>& e,
                    const Pose2<double>& start, Pose2<T>& middle) const;
  template <class T>
  static void put(Pose2<T>& pose, const Vec2d& drawn, const Vec2<T>& there) {
    pose.p = there - pose.turned(drawn);
  }
  template <class T>
  static void turn_like(Pose2<T>& pose, const Pose2<T>& other, double by) {
    pose.theta = other.theta + T(by);
    const double c = std::cos(by), s = std::sin(by);
    pose.c = other.c * c - other.s * s;
    pose.s = other.s * c + other.c * s;
  }
  // Turned so that what was drawn as u becomes w, which has the same length.
  template <class T>
  static void turn_onto(Pose2<T>& pose, const Vec2d& u, const Vec2<T>& w) {
    const double size = 1 / (u.x * u.x + u.y * u.y);
    pose.c = (w.x * u.x + w.y * u.y) * size;
    pose.s = (w.y * u.x - w.x * u.y) * size;
    pose.theta = atan2(pose.s, pose.c);
  }
};

template <class T>
bool PlanarPlan::place(int step, int mode, std::span<const T> inputs, Poses<T>& poses) const {
  const Step& s = steps_[static_cast<std::size_t>(step)];
  const Pose2<T>& before = poses.of(s.before);
  const Pose2<T>& after = poses.of(s.after);
  const double side = mode == 0 ? 1 : -1;
  const auto link1 = [&]() -> Pose2<T>& { return poses.links[static_cast<std::size_t>(s.link1)]; };
  const auto link2 = [&]() -> Pose2<T>& { return poses.links[static_cast<std::size_t>(s.link2)]; };
  switch (s.kind) {
    case Kind::turned: {
      Pose2<T>& pose = link1();
      pose.theta = before.theta + inputs[static_cast<std::size_t>(s.input)] * s.sign + T(s.zero);
      const SinCos<T> turn = sin_cos(pose.theta);
      pose.c = turn.cos, pose.s = turn.sin;
      put(pose, s.A1, before.at(s.A_before));
      return true;
    }
    case Kind::slid: {
      Pose2<T>& pose = link1();
      turn_like(pose, before, s.turn1);
      const T travel = inputs[static_cast<std::size_t>(s.input)] * s.sign;
      put(pose, s.A1, before.at(s.A_before) + before.turned(s.e1) * travel);
      return true;
    }
    case Kind::rrr: {
      const Vec2<T> A = before.at(s.A_before), B = after.at(s.B_after), d = B - A;
      const Vec2d arm2{s.C2.x - s.B2.x, s.C2.y - s.B2.y};
      const double L1 = s.length1 * s.length1, L2 = arm2.x * arm2.x + arm2.y * arm2.y;
      const T D = dot(d, d);
      if (!(D > T(0))) return false;
      const T x = (D + T(L1 - L2)) / (D * 2.0);
      const auto h = real_root(T(L1) / D - x * x, L1 / value_of(D));
      if (!h) return false;
      const T y = *h * side;
      const Vec2<T> C = A + d * x + Vec2<T>{-(d.y * y), d.x * y};
      if (s.link1 >= 0) {
        turn_onto(link1(), Vec2d{s.C1.x - s.A1.x, s.C1.y - s.A1.y}, C - A);
        put(link1(), s.A1, A);
      }
      turn_onto(link2(), arm2, C - B);
      put(link2(), s.B2, B);
      return true;
    }
    case Kind::rrp: {
      const Vec2<T> A = before.at(s.A_before), e = after.turned(s.e3);
      Pose2<T>& slide = link2();
      turn_like(slide, after, s.turn3);
      put(slide, s.B2, after.at(s.B_after));
      const Vec2<T> from = slide.at(s.C2) - A;
      const T f = dot(from, e);
      const auto h = real_root(f * f - dot(from, from) + T(s.length1 * s.length1), s.length1 * s.length1);
      if (!h) return false;
      const T travel = *h * side - f;
      slide.p = slide.p + e * travel;
      if (s.link1 >= 0) {
        turn_onto(link1(), Vec2d{s.C1.x - s.A1.x, s.C1.y - s.A1.y}, from + e * travel);
        put(link1(), s.A1, A);
      }
      return true;
    }
    case Kind::rpr: {
      const Vec2<T> A = before.at(s.A_before), B = after.at(s.B_after), d = B - A;
      const double c = std::cos(s.turn2), n = std::sin(s.turn2);
      const Vec2d w{s.B2.x - s.C2.x, s.B2.y - s.C2.y};
      const Vec2d v{s.C1.x - s.A1.x + c * w.x - n * w.y, s.C1.y - s.A1.y + n * w.x + c * w.y};
      const double across = s.e2.x * v.y - s.e2.y * v.x;
      const auto h = real_root(dot(d, d) - T(across * across), across * across);
      if (!h) return false;
      const T along = *h * side;
      // d = R_θ (along e + across J e): the turn from the one to the other.
      const Vec2<T> u{along * s.e2.x - T(across * s.e2.y), along * s.e2.y + T(across * s.e2.x)};
      const T size = dot(d, d);
      if (!(size > T(0))) return false;
      Pose2<T>& one = link1();
      one.c = dot(u, d) / size;
      one.s = cross(u, d) / size;
      one.theta = atan2(one.s, one.c);
      put(one, s.A1, A);
      turn_like(link2(), one, s.turn2);
      put(link2(), s.B2, B);
      return true;
    }
    case Kind::prp: {
      Pose2<T>&one = link1(), &two = link2();
      turn_like(one, before, s.turn1);
      turn_like(two, after, s.turn3);
      put(one, s.A1, before.at(s.A_before));
      put(two, s.B2, after.at(s.B_after));
      const Vec2<T> e1 = before.turned(s.e1), e3 = after.turned(s.e3), gap = two.at(s.C2) - one.at(s.C1);
      const T square = cross(e1, e3);
      if (!(square * square > T(1e-24))) return false;
      one.p = one.p + e1 * (cross(gap, e3) / square);
      two.p = two.p + e3 * (cross(gap, e1) / square);
      return true;
    }
    case Kind::ppr: {
      Pose2<T>&one = link1(), &two = link2();
      turn_like(one, before, s.turn1);
      turn_like(two, one, s.turn2);
      put(one, s.A1, before.at(s.A_before));
      put(two, s.C2, one.at(s.C1));
      const Vec2<T> e1 = before.turned(s.e1), e2 = one.turned(s.e2), gap = after.at(s.B_after) - two.at(s.B2);
      const T square = cross(e1, e2);
      if (!(square * square > T(1e-24))) return false;
      const Vec2<T> first = e1 * (cross(gap, e2) / square), second = e2 * (cross(e1, gap) / square);
      one.p = one.p + first;
      two.p = two.p + first + second;
      return true;
    }
    case Kind::between: {
      const Vec2<T> A = before.at(s.A_before), B = after.at(s.B_after);
      Pose2<T>& one = link1();
      turn_onto(one, Vec2d{s.C1.x - s.A1.x, s.C1.y - s.A1.y}, B - A);
      put(one, s.A1, A);
      return true;
    }
    case Kind::triad:
      return place_triad(s, mode, poses);
  }
  return false;
}

// The three conditions of a triad, f(p, θ) = 0, by Newton's method from where the closed form begins. That divides by e_1 × e_2, or by how
// far two roots of the quartic are apart, which may be little at positions that are well conditioned themselves: these three conditions
// know the position, and its derivatives, better. Each step on T gives one more derivative, for J is that of the position.
template <class T>
bool PlanarPlan::refine_triad(const Step& s, const std::array<Vec2<T>, 3>& O, const std::array<Vec2<T>, 3>& e,
                              const Pose2<double>& start, Pose2<T>& middle) const {
  const auto hinge = [&](const auto& pose, std::size_t i) { return pose.at(s.legs[i].hinge_middle); };
  const auto condition = [&](const auto& pose, std::size_t i, const auto& O_i, const auto& e_i) {
    const auto from_O = hinge(pose, i) - O_i;
    const double L = s.legs[i].length;
    return s.legs[i].slides ? cross(e_i, from_O) : (dot(from_O, from_O) - L * L) * (0.5 / L);
  };
  Pose2<double> at = start;
  std::array<std::array<double, 3>, 3> step_of;  // −J⁻¹
  const auto invert = [&] {
    std::array<std::array<double, 3>, 3> J;
    double arm = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec2d h = hinge(at, i), b = h - at.p, n = values_of(e[i]),
                  u = (h - values_of(O[i])) * (1 / s.legs[i].length);
      J[i][0] = s.legs[i].slides ? -n.y : u.x;
      J[i][1] = s.legs[i].slides ? n.x : u.y;
      J[i][2] = J[i][1] * b.x - J[i][0] * b.y;
      arm = std::max(arm, std::abs(J[i][2]));
    }
    const auto minor = [&](std::size_t r, std::size_t c) {
      const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      return J[r1][c1] * J[r2][c2] - J[r1][c2] * J[r2][c1];
    };
    const double det = J[0][0] * minor(0, 0) + J[0][1] * minor(0, 1) + J[0][2] * minor(0, 2);
    if (!(std::abs(det) > 1e-7 * arm)) return false;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) step_of[c][r] = -minor(r, c) / det;
    }
    return true;
  };
  const auto moved = [&]<class X>(const Pose2<X>& from, const std::array<X, 3>& f) {
    const auto along = [&](std::size_t k) {
      return f[0] * step_of[k][0] + f[1] * step_of[k][1] + f[2] * step_of[k][2];
    };
    Pose2<X> to;
    to.p = from.p + Vec2<X>{along(0), along(1)};
    to.theta = from.theta + along(2);
    const SinCos<X> turn = sin_cos(to.theta);
    to.c = turn.cos, to.s = turn.sin;
    return to;
  };

  bool regular = invert();
  for (int k = 0; regular && k < 6; ++k) {
    std::array<double, 3> f;
    for (std::size_t i = 0; i < 3; ++i) f[i] = condition(at, i, values_of(O[i]), values_of(e[i]));
    const Pose2<double> next = moved(at, f);
    const double turned = std::abs(next.theta - at.theta);
    if (!(turned < 0.01)) break;  // nearly a double root: the start is as good as it gets
    at = next;
    regular = invert();
    if (turned < 1e-12) break;
  }
  if constexpr (std::is_same_v<T, double>) {
    middle = at;
    return true;
  } else {
    if (!regular) return false;  // a dead point, with no velocity
    middle.p = {T(at.p.x), T(at.p.y)};
    middle.c = T(at.c), middle.s = T(at.s), middle.theta = T(at.theta);
    for (int k = 0; k < 2; ++k) {
      std::array<T, 3> f;
      for (std::size_t i = 0; i < 3; ++i) f[i] = condition(middle, i, O[i], e[i]);
      middle = moved(middle, f);
    }
    return true;
  }
}

template <class T>
bool PlanarPlan::place_triad(const Step& s, int mode, Poses<T>& poses) const {
  std::array<Vec2<T>, 3> O, e;  // where a slide's hinge starts from and goes along; O of a turning leg: its foot
  for (std::size_t i = 0; i < 3; ++i) {
    const Leg& leg = s.legs[i];
    const Pose2<T>& placed = poses.of(leg.placed);
    O[i] = placed.at(leg.foot_placed);
    if (!leg.slides) continue;
    Pose2<T>& pose = poses.links[static_cast<std::size_t>(leg.link)];
    turn_like(pose, placed, leg.turn);
    put(pose, leg.foot, O[i]);
    O[i] = pose.at(leg.hinge);
    e[i] = placed.turned(leg.e);
  }
  Pose2<T>& middle = poses.links[static_cast<std::size_t>(s.link1)];
  const auto start = start_triad(s, mode, {values_of(O[0]), values_of(O[1]), values_of(O[2])},
                                 {values_of(e[0]), values_of(e[1]), values_of(e[2])});
  if (!start || !refine_triad(s, O, e, *start, middle)) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    const Leg& leg = s.legs[i];
    if (leg.link < 0) continue;
    Pose2<T>& pose = poses.links[static_cast<std::size_t>(leg.link)];
    const Vec2<T> hinge = middle.at(leg.hinge_middle);
    if (leg.slides) {
      pose.p = pose.p + e[i] * dot(e[i], hinge - O[i]);
    } else {
      turn_onto(pose, Vec2d{leg.hinge.x - leg.foot.x, leg.hinge.y - leg.foot.y}, hinge - O[i]);
      put(pose, leg.foot, O[i]);
    }
  }
  return true;
}

}  // namespace trammel::closed_form
