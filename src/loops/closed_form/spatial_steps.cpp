// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The steps of a spatial plan, at work.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Dense>

#include <trammel/kinematics.hpp>

#include "loops/closed_form/circle_meets.hpp"
#include "loops/closed_form/real_root.hpp"
#include "loops/closed_form/spatial_plan.hpp"
#include "loops/pose_series.hpp"

namespace trammel::closed_form {
namespace {

constexpr double parallel = 1e-9;  // sines below that: no direction

// Of a quadratic a x² + 2 b x + c = 0.
template <class T>
std::optional<T> meet_quadratic(const T& a, const T& b, const T& c, double side) {
  const auto root = real_root(b * b - a * c, value_of(b) * value_of(b) + std::abs(value_of(a) * value_of(c)));
  if (!root || value_of(a) == 0) return std::nullopt;
  return (*root * side - b) / a;
}

// R that turns unit vector u onto unit vector w by the smallest angle: with n = u×w and c = u·w, c 1 + skew(n) + n nᵀ/(1 + c).
template <class T>
Mat3<T> smallest_turn(const Vec3<T>& u, const Vec3<T>& w) {
  const Vec3<T> n = cross(u, w);
  const T c = dot(u, w);
  if (!(c > T(-1 + 1e-12))) {  // half a turn, about any direction square to u
    Vec3<T> aside =
        cross(u, value_of(u.x) * value_of(u.x) < 0.5 ? Vec3<T>{T(1), T(0), T(0)} : Vec3<T>{T(0), T(1), T(0)});
    aside = aside * (T(1) / norm(aside));
    const Vec3<T> a = aside * T(2);
    return Mat3<T>{a * aside.x, a * aside.y, a * aside.z} - Mat3<T>::identity();
  }
  const Vec3<T> m = n * (T(1) / (T(1) + c));
  const T xy = m.x * n.y, xz = m.x * n.z, yz = m.y * n.z;
  return {
      {c + m.x * n.x, xy + n.z, xz - n.y}, {xy - n.z, c + m.y * n.y, yz + n.x}, {xz + n.y, yz - n.x, c + m.z * n.z}};
}

// A frame that need not spin about its direction `was`, now e: turned from where it was by the smallest angle. Its velocity is one
// without spin, too: that is counted from where it is now.
template <class T>
Mat3<T> turned_along(const Mat3d& R_was, const Vec3d& was, const Vec3<T>& e) {
  const Vec3d now{value_of(e.x), value_of(e.y), value_of(e.z)};
  const Mat3d R_now = smallest_turn(was, now) * R_was;
  if constexpr (std::is_same_v<T, double>) {
    return R_now;
  } else {
    return turned(smallest_turn(Vec3<T>::from(now), e), R_now);
  }
}

template <class T>
Mat3<T> turn_about(const Vec3<T>& e, const OnCircle<T>& at) {
  const Vec3<T> m = e * (T(1) - at.c), n = e * at.s;
  const T xy = m.x * e.y, xz = m.x * e.z, yz = m.y * e.z;
  return {{at.c + m.x * e.x, xy + n.z, xz - n.y},
          {xy - n.z, at.c + m.y * e.y, yz + n.x},
          {xz + n.y, yz - n.x, at.c + m.z * e.z}};
}

template <class T>
Vec3<T> unit(const Vec3<T>& v) {
  return v * (T(1) / norm(v));
}

// Columns of an orthonormal frame with z along a and x in the plane of a and b.
template <class T>
Mat3<T> frame_of(const Vec3<T>& a, const Vec3<T>& b) {
  const Vec3<T> y = unit(cross(a, b));
  return {cross(y, a), y, a};
}

}  // namespace

template <class T>
bool SpatialPlan::place(int step, int mode, std::span<const T> inputs, Poses<T>& poses) const {
  const Step& s = steps_[static_cast<std::size_t>(step)];
  switch (s.kind) {
    case Kind::carried: {
      const Link& link = mech_->links[s.link1];
      const Transform<T> X_WF =
          frame(poses, Frame{link.parent, mech_->parameters.X_PF[static_cast<std::size_t>(s.link1)]});
      std::array<T, 7> q{};
      for (std::size_t i = 0; i < s.inputs.size(); ++i) q[i] = inputs[static_cast<std::size_t>(s.inputs[i])];
      std::visit(
          [&]<class J>(const J& joint) {
            if constexpr (!std::is_same_v<J, Custom>) {
              poses.links[static_cast<std::size_t>(s.link1)] = X_WF * joint.template X_FM<T>(q.data());
            }
          },
          link.type);
      return true;
    }
    case Kind::meet:
      return meet(s, mode, poses);
    case Kind::hang:
      return lay_rod(s, mode, place_of(poses, s.centre), place_of(poses, s.point), poses);
    case Kind::spin:
      return turn_spin(s, mode, poses);
    case Kind::axes:
      return turn_axes(s, mode, poses);
    case Kind::strut:
      return lay_strut(s, mode, poses);
    case Kind::chain:
      return reach(chains_[static_cast<std::size_t>(s.chain)], mode, poses);
  }
  return false;
}

// (1): where the point goes in the axes of the surface, up to a turn of all for a sphere.
template <class T>
SpatialPlan::Course<T> SpatialPlan::course(const Step& s, const Transform<T>& X_WF, const Poses<T>& poses) const {
  if (s.surface_moves) {  // seen from link 2 the point turns, or slides, backwards
    const Transformd X_MS = inverse(s.moving.X) * s.centre.X;
    const Vec3<T> p = transpose_times(X_WF.R, place_of(poses, s.point) - X_WF.p);
    const Mat3d R_SM = transpose(X_MS.R);
    const auto seen = [&](const Vec3<T>& v) { return turned_by(R_SM, v); };
    const Vec3<T> o = Vec3<T>::from(X_MS.p);
    if (s.slides) return {seen(p - o), Vec3<T>::from(R_SM * Vec3d{0, 0, -1}), {}};
    return {seen(Vec3<T>{T(0), T(0), p.z} - o), seen({p.x, p.y, T(0)}), seen({p.y, -p.x, T(0)})};
  }
  // The point in M, which turns about or slides along z of F; then in the axes of the surface, where they matter.
  const Transform<T> X_WS = frame(poses, s.centre);
  const Vec3d c = inverse(s.moving.X) * s.point.X.p;
  const auto seen = [&](const Vec3<T>& v) { return s.surface == Surface::sphere ? v : transpose_times(X_WS.R, v); };
  const auto along_z = [&](const Vec3<T>& v, double size) -> Vec3<T> { return {v.x * size, v.y * size, v.z * size}; };
  if (s.slides) return {seen(X_WF.p + turned(X_WF.R, c) - X_WS.p), seen(X_WF.R.ez), {}};
  return {seen(X_WF.p + along_z(X_WF.R.ez, c.z) - X_WS.p), seen(turned(X_WF.R, Vec3d{c.x, c.y, 0})),
          seen(turned(X_WF.R, Vec3d{-c.y, c.x, 0}))};
}

template <class T>
bool SpatialPlan::meet(const Step& s, int mode, Poses<T>& poses) const {
  const Transform<T> X_WF = frame(poses, s.base);
  const auto [c0, c1, c2] = course(s, X_WF, poses);
  const int choice = s.attitude == Attitude::held_by_cross ? mode / 2 : mode;
  const double side = choice == 0 ? 1 : -1;
  OnCircle<T> at{T(1), T(0)};
  T travel(0);
  if (s.surface == Surface::swept) {
    if (!meet_swept(s, mode, {c0, c1, c2}, at, travel)) return false;
  } else if (s.slides) {
    std::optional<T> found;
    if (s.surface == Surface::sphere) {
      found = meet_quadratic(T(1), dot(c0, c1), dot(c0, c0) - T(s.radius * s.radius), side);
    } else if (s.surface == Surface::cylinder) {
      found = meet_quadratic(c1.x * c1.x + c1.y * c1.y, c0.x * c1.x + c0.y * c1.y,
                             c0.x * c0.x + c0.y * c0.y - T(s.radius * s.radius), side);
    } else if (std::abs(value_of(c1.z)) > parallel && choice == 0) {
      found = (T(s.radius) - c0.z) / c1.z;
    }
    if (!found) return false;
    travel = *found;
  } else {
    std::optional<OnCircle<T>> found;
    if (s.surface == Surface::sphere) {
      found = meet_first_order(dot(c0, c1), dot(c0, c2), (T(s.radius * s.radius) - dot(c0, c0) - dot(c1, c1)) * T(0.5),
                               side);
    } else if (s.surface == Surface::plane) {
      found = meet_first_order(c1.z, c2.z, T(s.radius) - c0.z, side);
    } else {
      found = meet_second_order<T>({c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, s.radius, choice);
    }
    if (!found) return false;
    at = *found;
  }
  const Transform<T> X_WM{{X_WF.R.ex * at.c + X_WF.R.ey * at.s, X_WF.R.ey * at.c - X_WF.R.ex * at.s, X_WF.R.ez},
                          X_WF.p + X_WF.R.ez * travel};
  put(poses, s.link2, X_WM, s.moving.X);
  if (s.link1 < 0) return true;
  if (s.surface == Surface::swept) return put_swept(s, mode, poses);

  const Transform<T> X_WS = frame(poses, s.centre);
  const Vec3<T> there = place_of(poses, s.point);
  if (s.surface == Surface::sphere) return lay_rod(s, mode, X_WS.p, there, poses);
  const Vec3<T> in_S = inverse(X_WS) * there;
  const Vec3d on1 = inverse(s.centre1.X) * s.point1.X.p;
  Transform<T> X_S1;
  if (s.surface == Surface::cylinder) {  // the angle of the ball about the axis, and its travel
    const double size = on1.x * on1.x + on1.y * on1.y;
    const T cosine = (in_S.x * on1.x + in_S.y * on1.y) / size, sine = (in_S.y * on1.x - in_S.x * on1.y) / size;
    X_S1 = {{{cosine, sine, T(0)}, {-sine, cosine, T(0)}, {T(0), T(0), T(1)}}, {T(0), T(0), in_S.z - T(on1.z)}};
  } else {  // idle about the normal, unless a cross holds it
    const Mat3d R_was = reference(s, poses) * s.centre1.X.R;
    Mat3<T> R = turned_along(R_was, R_was.ez, X_WS.R.ez);
    if (s.attitude == Attitude::held_by_cross) {
      const auto held = turned_to_cross(s, mode, X_WS.R.ez, turned(R, transpose(s.centre1.X.R)), poses);
      if (!held) return false;
      R = turned(*held, s.centre1.X.R);
    }
    put(poses, s.link1, Transform<T>{R, there - turned(R, on1)}, s.centre1.X);
    return true;
  }
  put(poses, s.link1, X_WS * X_S1, s.centre1.X);
  return true;
}

// At zero the two frames of a pair lie on each other.
SpatialPlan::Sweep SpatialPlan::sweep_of(const Step& s) {
  const Transformd B = inverse(s.centre0.X) * s.between0.X;  // of the second pair, in the frame of the first
  Sweep w;
  w.c = B * (inverse(s.between1.X) * s.point1.X.p);
  w.g = B.p;
  w.e = w.a = B.R.ez, w.x = B.R.ex, w.y = B.R.ey;
  const double along = std::abs(w.a.z);
  w.flat = s.slides0 != s.slides1 && along < 1e-6;
  return w;
}

template <class T>
bool SpatialPlan::meet_swept(const Step& s, int mode, const Course<T>& course, OnCircle<T>& at, T& travel) const {
  const Sweep w = sweep_of(s);
  const Vec3<T>&c0 = course.c0, &c1 = course.c1, &c2 = course.c2;
  // The form n·p + m along the course.
  const auto form = [&](const Vec3d& n, double m) -> std::array<T, 3> {
    const auto product = [&](const Vec3<T>& v) { return v.x * n.x + v.y * n.y + v.z * n.z; };
    return {product(c0) + T(m), product(c1), product(c2)};
  };
  const auto meet_plane = [&](const Vec3d& n, double height, int choice) {
    const std::array<T, 3> f = form(n, -height);
    if (s.slides) {
      if (choice != 0 || std::abs(value_of(f[1])) < parallel) return false;
      travel = -f[0] / f[1];
      return true;
    }
    const auto found = meet_first_order(f[1], f[2], -f[0], choice == 0 ? 1 : -1);
    if (found) at = *found;
    return found.has_value();
  };
  if (s.slides0 && s.slides1) {
    const Vec3d n = cross(Vec3d{0, 0, 1}, w.e);
    return meet_plane(n, dot(n, w.c), mode);
  }
  if (w.flat) {
    const Vec3d n = s.slides0 ? w.a : Vec3d{0, 0, 1};
    return meet_plane(n, dot(n, w.c), mode / 2);
  }
  std::array<Square<T>, 4> squares{};
  double k = 0;
  const Vec3d ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
  if (s.slides0) {  // X, Y square to a of p − s z − g, with s = a·(p − c)/a_z
    const double rest_x = dot(w.x, w.c - w.g), rest_y = dot(w.y, w.c - w.g);
    k = rest_x * rest_x + rest_y * rest_y;
    const auto square_to_a = [&](const Vec3d& x) {
      const double share = x.z / w.a.z;
      return form(x - w.a * share, -dot(x, w.g) + share * dot(w.a, w.c));
    };
    squares[0] = {square_to_a(w.x), 1}, squares[1] = {square_to_a(w.y), 1};
    squares[2].sign = squares[3].sign = 0;
  } else {
    const double u = w.e.x / w.e.z, v = w.e.y / w.e.z;
    squares[0] = {form(ex, 0), 1}, squares[1] = {form(ey, 0), 1};
    squares[2] = {form(ez * u, w.c.x - w.c.z * u), -1}, squares[3] = {form(ez * v, w.c.y - w.c.z * v), -1};
  }
  if (!s.slides) {
    const auto found = meet_second_order(squares, k, mode);
    if (found) at = *found;
    return found.has_value();
  }
  T a(0), b(0), c(-k);
  for (const Square<T>& square : squares) {
    a = a + square.x[1] * square.x[1] * square.sign;
    b = b + square.x[0] * square.x[1] * square.sign;
    c = c + square.x[0] * square.x[0] * square.sign;
  }
  const auto found = meet_quadratic(a, b, c, mode == 0 ? 1 : -1);
  if (found) travel = *found;
  return found.has_value();
}

// Links 0 and 1 from the place of the point.
template <class T>
bool SpatialPlan::put_swept(const Step& s, int mode, Poses<T>& poses) const {
  const Sweep w = sweep_of(s);
  const Transform<T> X_WS = frame(poses, s.centre);
  const Vec3<T> p = inverse(X_WS) * place_of(poses, s.point);
  const double side = mode % 2 == 0 ? 1 : -1;  // of flat sweeps
  const auto coordinates = [&](const Vec3<T>& v, const Vec3d& x, const Vec3d& y) -> std::array<T, 2> {
    return {v.x * x.x + v.y * x.y + v.z * x.z, v.x * y.x + v.y * y.y + v.z * y.z};
  };
  // The turn that brings (a0, a1) to (b0, b1).
  const auto turn = [](const T& a0, const T& a1, const T& b0, const T& b1) -> Mat3<T> {
    const T size = a0 * a0 + a1 * a1, c = (a0 * b0 + a1 * b1) / size, n = (a0 * b1 - a1 * b0) / size;
    return {{c, n, T(0)}, {-n, c, T(0)}, {T(0), T(0), T(1)}};
  };
  Transform<T> first, second;  // motions of the two pairs
  const Vec3<T> c = Vec3<T>::from(w.c), e = Vec3<T>::from(w.e);
  if (s.slides0 && s.slides1) {
    const T share = w.e.x * w.e.x > w.e.y * w.e.y ? (p.x - c.x) / e.x : (p.y - c.y) / e.y;
    second.p.z = share;
    first.p.z = p.z - c.z - e.z * share;
  } else if (s.slides0) {
    const Vec3d from = w.c - w.g;
    T travel(0);
    if (!w.flat) {
      const Vec3<T> moved = p - c;
      travel = dot(e, moved) / e.z;
    } else {  // along z until the distance from the axis is right
      const auto [x, y] = coordinates(p - Vec3<T>::from(w.g), w.x, w.y);
      const T r2(dot(from, w.x) * dot(from, w.x) + dot(from, w.y) * dot(from, w.y));
      const auto found =
          meet_quadratic(T(w.x.z * w.x.z + w.y.z * w.y.z), -(x * w.x.z + y * w.y.z), x * x + y * y - r2, side);
      if (!found) return false;
      travel = *found;
    }
    first.p.z = travel;
    Vec3<T> there = p - Vec3<T>::from(w.g);
    there.z = there.z - travel;
    const auto [x, y] = coordinates(there, w.x, w.y);
    second.R = turn(T(dot(from, w.x)), T(dot(from, w.y)), x, y);
  } else {
    T share(0);
    if (!w.flat) {
      share = (p.z - c.z) / e.z;
    } else {
      const auto found = meet_quadratic(e.x * e.x + e.y * e.y, c.x * e.x + c.y * e.y,
                                        c.x * c.x + c.y * c.y - p.x * p.x - p.y * p.y, side);
      if (!found) return false;
      share = *found;
    }
    second.p.z = share;
    first.R = turn(c.x + e.x * share, c.y + e.y * share, p.x, p.y);
  }
  put(poses, s.link0, X_WS * first, s.centre0.X);
  put(poses, s.link1, placed(poses.links[static_cast<std::size_t>(s.link0)], s.between0.X) * second, s.between1.X);
  return true;
}

// A telescope: link 0 at a placed ball or U, link 1 slides on it and has a ball on a placed link. In the frame of the slide on link 0 the
// far ball is at c + s z; its distance from the near one is known.
template <class T>
bool SpatialPlan::lay_strut(const Step& s, int mode, Poses<T>& poses) const {
  const Vec3<T> from = place_of(poses, s.centre), to = place_of(poses, s.point), d = to - from;
  const Transformd X_0B = s.between0.X;
  const Vec3d c = X_0B * (inverse(s.between1.X) * s.point1.X.p) - s.centre0.X.p, e = X_0B.R.ez;  // in link 0
  const int choice = s.attitude == Attitude::held_by_cross ? mode / 2 : mode;
  const auto found = meet_quadratic(T(1), T(dot(c, e)), T(dot(c, c)) - dot(d, d), choice == 0 ? 1 : -1);
  if (!found) return false;
  const Vec3<T> along = Vec3<T>::from(c) + Vec3<T>::from(e) * *found;
  Step rod = s;  // link 0 is the rod here
  rod.link1 = s.link0;
  const Mat3d R_was = reference(rod, poses);
  const Vec3<T> u = unit(along), w = unit(d);
  const auto now = [](const Vec3<T>& v) { return Vec3d{value_of(v.x), value_of(v.y), value_of(v.z)}; };
  const Mat3d R_now = smallest_turn(R_was * now(u), now(w)) * R_was;
  Mat3<T> R = turned(smallest_turn(turned_by(R_now, u), w), R_now);
  if (s.attitude == Attitude::held_by_cross) {
    const auto held = turned_to_cross(rod, mode, w, R, poses);
    if (!held) return false;
    R = *held;
  }
  poses.links[static_cast<std::size_t>(s.link0)] = {R, from - turned(R, s.centre0.X.p)};
  Transform<T> slide;
  slide.p.z = *found;
  put(poses, s.link1, placed(poses.links[static_cast<std::size_t>(s.link0)], X_0B) * slide, s.between1.X);
  return true;
}

// Link 1 from ball to ball.
template <class T>
bool SpatialPlan::lay_rod(const Step& s, int mode, const Vec3<T>& from, const Vec3<T>& to, Poses<T>& poses) const {
  const Vec3d along1 = s.point1.X.p - s.centre1.X.p;  // in link 1
  const Vec3<T> e = unit(to - from);
  const Mat3d R_was = reference(s, poses);
  const Vec3d was = unit(R_was * along1);
  Mat3<T> R = turned_along(R_was, was, e);
  if (s.attitude == Attitude::held_by_cross) {
    const auto held = turned_to_cross(s, mode, e, R, poses);
    if (!held) return false;
    R = *held;
  }
  poses.links[static_cast<std::size_t>(s.link1)] = {R, from - turned(R, s.centre1.X.p)};
  return true;
}

// R turned on about e, so that the axes of the cross are square to each other.
template <class T>
std::optional<Mat3<T>> SpatialPlan::turned_to_cross(const Step& s, int mode, const Vec3<T>& e, const Mat3<T>& R,
                                                    const Poses<T>& poses) const {
  const Mat3<T> out = frame(poses, s.cross_out).R;
  const Mat3<T> in = turned(R, s.cross_in.X.R);
  const Vec3<T> f = s.cross_x_out ? out.ex : out.ey, g = s.cross_x_out ? in.ey : in.ex;
  const T fe = dot(f, e), ge = dot(g, e);
  const Vec3<T> across = g - e * ge;
  const auto angle = meet_first_order(dot(f, across), dot(f, cross(e, g)), -(fe * ge), mode % 2 == 0 ? 1 : -1);
  if (!angle) return std::nullopt;
  return turn_about(e, *angle) * R;
}

template <class T>
bool SpatialPlan::turn_spin(const Step& s, int mode, Poses<T>& poses) const {
  const Vec3<T> A = place_of(poses, s.ball_a), B = place_of(poses, s.ball_b), O = place_of(poses, s.centre);
  const Vec3<T> e = unit(B - A);
  const Mat3d R_was = drawn_[static_cast<std::size_t>(s.link1)].R;
  const Vec3d was = unit(R_was * (s.ball_b1.X.p - s.ball_a1.X.p));
  const Mat3<T> R0 = turned(smallest_turn(Vec3<T>::from(was), e), R_was);
  const Vec3<T> r = turned(R0, s.point.X.p - s.ball_a1.X.p);
  const T along = dot(r, e);
  const Vec3<T> c0 = A + e * along - O, c1 = r - e * along, c2 = cross(e, r);
  const auto angle = meet_first_order(
      dot(c0, c1), dot(c0, c2), (T(s.radius * s.radius) - dot(c0, c0) - dot(c1, c1)) * T(0.5), mode == 0 ? 1 : -1);
  if (!angle) return false;
  const Mat3<T> R = turn_about(e, *angle) * R0;
  poses.links[static_cast<std::size_t>(s.link1)] = {R, A - turned(R, s.ball_a1.X.p)};
  if (s.link2 < 0) return true;
  // The rod between: link 2 here.
  Step rod;
  rod.link1 = s.link2;
  rod.centre1 = s.centre1, rod.point1 = s.point1;
  rod.attitude = Attitude::spins_freely;
  return lay_rod(rod, 0, O, place_of(poses, s.point), poses);
}

template <class T>
bool SpatialPlan::turn_axes(const Step& s, int mode, Poses<T>& poses) const {
  const Transform<T> F1 = frame(poses, s.axis1), F3 = frame(poses, s.axis3);
  const Vec3<T> a = F1.R.ez, b = F3.R.ez;
  const double alpha = dot(s.axis1_on1.X.R.ez, s.axis2_on1.X.R.ez), beta = dot(s.axis2_on2.X.R.ez, s.axis3_on2.X.R.ez);
  const T ab = dot(a, b), D = T(1) - ab * ab;
  if (!(D > T(parallel * parallel))) return false;
  const Vec3<T> x0 = (a * (T(alpha) - ab * beta) + b * (T(beta) - ab * alpha)) * (T(1) / D);
  const auto h = real_root((T(1) - dot(x0, x0)) / D, 1 / value_of(D));
  if (!h) return false;
  const Vec3<T> x = x0 + cross(a, b) * (*h * (mode == 0 ? 1.0 : -1.0));  // (2)
  const auto attitude = [](const Vec3<T>& u, const Vec3<T>& w, const Vec3d& u1, const Vec3d& w1) {
    return turned(frame_of(u, w), transpose(frame_of(u1, w1)));
  };
  const Mat3<T> R2 = attitude(x, b, s.axis2_on2.X.R.ez, s.axis3_on2.X.R.ez);
  if (!s.has_link1) {  // the cross of a U stays at its place: its centre is that of axis 2 on link 2
    poses.links[static_cast<std::size_t>(s.link2)] = {R2, F1.p - turned(R2, s.axis2_on2.X.p)};
    return true;
  }
  const Mat3<T> R1 = attitude(a, x, s.axis1_on1.X.R.ez, s.axis2_on1.X.R.ez);
  // F1 + s1 a + (link 1) + s2 x + (link 2) = F3 + s3 b
  const Vec3<T> p1 = turned(R1, s.axis2_on1.X.p - s.axis1_on1.X.p);
  const Vec3<T> p2 = turned(R2, s.axis3_on2.X.p - s.axis2_on2.X.p);
  const Vec3<T> gap = F3.p - F1.p - p1 - p2;
  const T volume = dot(a, cross(x, b));
  if (!(volume * volume > T(parallel * parallel))) return false;
  const T s1 = dot(gap, cross(x, b)) / volume, s2 = dot(a, cross(gap, b)) / volume;
  const Vec3<T> O1 = F1.p + a * s1;
  poses.links[static_cast<std::size_t>(s.link1)] = {R1, O1 - turned(R1, s.axis1_on1.X.p)};
  poses.links[static_cast<std::size_t>(s.link2)] = {R2, O1 + p1 + x * s2 - turned(R2, s.axis2_on2.X.p)};
  return true;
}

SpatialPlan::Chain::Matrix SpatialPlan::Chain::rates(std::span<const double> q, double length) const {
  const auto count = static_cast<Eigen::Index>(axes.size());
  Matrix J(count, count);
  Transformd X;
  std::array<ArmAxis, 6> placed_axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    placed_axes[i] = {axes[i].slides, X * axes[i].O, X.R * axes[i].w};
    X = X * motion_of(axes[i], q[i]);
  }
  const Vec3d tip = count == 3 ? X * point : X.p;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& [slides, O, w] = placed_axes[static_cast<std::size_t>(i)];
    const Vec3d moved = slides ? w : cross(w, tip - O) * (1 / length), turned = slides ? Vec3d{} : w;
    const Eigen::Index first = count - 3;
    J(first, i) = moved.x, J(first + 1, i) = moved.y, J(first + 2, i) = moved.z;
    if (count == 6) J(0, i) = turned.x, J(1, i) = turned.y, J(2, i) = turned.z;
  }
  return J;
}

// Not at any position: slides that are parallel, axes that coincide, a point on the last axis.
bool SpatialPlan::Chain::moves_anyhow(double length) const {
  for (const double beside : {0.4, -1.1, 2.3}) {
    std::vector<double> q;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      q.push_back(std::sin(beside * (1 + static_cast<double>(i))) * (axes[i].slides ? length : 1));
    }
    if (Eigen::FullPivLU<Matrix>(rates(q, length)).setThreshold(1e-9).isInvertible()) return true;
  }
  return false;
}

template <class T>
bool SpatialPlan::reach(const Chain& chain, int mode, Poses<T>& poses) const {
  const Transform<T> X_W0 = poses.of(chain.base), X_0W = inverse(X_W0);
  const std::size_t count = chain.axes.size();
  // What is to be reached.
  Transform<T> G;
  if (count == 3) {
    G.p = X_0W * place_of(poses, chain.ball);
  } else {
    G = placed(X_0W * poses.of(chain.end), inverse(chain.end_home));
  }
  const auto values = [](const Vec3<T>& v) { return Vec3d{value_of(v.x), value_of(v.y), value_of(v.z)}; };
  const Transformd G_now{{values(G.R.ex), values(G.R.ey), values(G.R.ez)}, values(G.p)};

  std::array<double, 6> q{};
  if (count == 3) {
    const auto found = reach_point({chain.axes[0], chain.axes[1], chain.axes[2]}, chain.point, G_now.p, length_);
    if (mode >= found.count) return false;
    std::copy_n(found.q[static_cast<std::size_t>(mode)].begin(), 3, q.begin());
  } else {
    std::array<ArmAxis, 6> arm;
    std::copy(chain.axes.begin(), chain.axes.end(), arm.begin());
    const auto found = reach_pose(arm, G_now);
    if (mode >= found.count) return false;
    q = found.q[static_cast<std::size_t>(mode)];
  }

  // Newton's method on the conditions themselves: they know the position better than a quartic does. Then, on T, each step gives one
  // more derivative.
  const auto residual = [&]<class X>(std::span<const X> at, const Transform<X>& goal) {
    Transform<X> E;
    for (std::size_t i = 0; i < count; ++i) E = E * motion_of(chain.axes[i], at[i]);
    std::array<X, 6> r{};
    const Vec3<X> gap = ((count == 3 ? E * Vec3<X>::from(chain.point) : E.p) - goal.p) * X(1 / length_);
    if (count == 6) {
      const Mat3<X> D = E.R * transpose(goal.R);
      r[0] = (D.ey.z - D.ez.y) * 0.5, r[1] = (D.ez.x - D.ex.z) * 0.5, r[2] = (D.ex.y - D.ey.x) * 0.5;
    }
    r[count - 3] = gap.x, r[count - 2] = gap.y, r[count - 1] = gap.z;
    return r;
  };
  const std::span<const double> now(q.data(), count);
  const auto unit_of = [&](std::size_t i) { return chain.axes[i].slides ? length_ : 1; };
  Eigen::FullPivLU<Chain::Matrix> factor;
  bool regular = true;
  for (int k = 0; k < 5; ++k) {
    const std::array<double, 6> r = residual(now, G_now);
    const Eigen::Map<const Eigen::VectorXd> gap(r.data(), static_cast<Eigen::Index>(count));
    factor.compute(chain.rates(now, length_));
    regular = factor.rcond() > 1e-7;
    const double size = gap.norm();
    if (!(size < 1e-3)) return false;  // no root of ours
    if (!regular || size < 1e-15) break;
    const Chain::Vector step = factor.solve(gap);
    for (std::size_t i = 0; i < count; ++i) q[i] -= step[static_cast<Eigen::Index>(i)] * unit_of(i);
  }
  std::array<T, 6> at{};
  for (std::size_t i = 0; i < count; ++i) at[i] = T(q[i]);
  if constexpr (!std::is_same_v<T, double>) {
    if (!regular) return false;  // a dead point, with no velocity
    const Chain::Matrix J_inverse = factor.inverse();
    for (int k = 0; k < 2; ++k) {
      const std::array<T, 6> r = residual(std::span<const T>(at.data(), count), G);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
          at[i] = at[i] - r[j] * (J_inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * unit_of(i));
        }
      }
    }
  }
  Transform<T> X_WE = X_W0;
  std::size_t taken = 0;
  for (const Chain::ChainLink& on : chain.links) {
    for (; taken < on.axes; ++taken) X_WE = X_WE * motion_of(chain.axes[taken], at[taken]);
    poses.links[static_cast<std::size_t>(on.link)] = placed(X_WE, on.home);
  }
  return true;
}

template bool SpatialPlan::place(int, int, std::span<const double>, Poses<double>&) const;
template bool SpatialPlan::place(int, int, std::span<const Series<2>>, Poses<Series<2>>&) const;

namespace {

constexpr double turn = 2 * std::numbers::pi;
double near(double angle, double before) { return angle + turn * std::round((before - angle) / turn); }

Vec3d derivative(const Vec3<Series<2>>& v, int k) { return {v.x.derivative(k), v.y.derivative(k), v.z.derivative(k)}; }
Mat3d derivative(const Mat3<Series<2>>& R, int k) {
  return {derivative(R.ex, k), derivative(R.ey, k), derivative(R.ez, k)};
}

}  // namespace

void SpatialPlan::read(const Poses<double>& poses, std::span<double> q) const {
  std::array<double, 7> fitted{};
  for (std::size_t l = 0; l < mech_->links.size(); ++l) {
    const JointInfo& joint = mech_->joints[mech_->links[l].joint];
    const auto& [F, M] = joint_frames_[l];
    const Transformd X_FM = inverse(frame(poses, F)) * frame(poses, M);
    q_fit(joint.type, X_FM, fitted.data());
    double* out = q.data() + joint.q;
    const bool quaternion = joint.nq != joint.nv;
    double same_side = 0;
    for (int i = 0; quaternion && i < 4; ++i) same_side += fitted[i] * out[i];
    const std::vector<Freedom> list = freedoms(joint.type);
    for (int i = 0; i < joint.nq; ++i) {
      if (quaternion) {
        out[i] = i < 4 && same_side < 0 ? -fitted[i] : fitted[i];
      } else {
        out[i] = list[i].dimension == dimension::angle ? near(fitted[i], out[i]) : fitted[i];
      }
    }
  }
}

void SpatialPlan::read(const Poses<Series<2>>& poses, std::span<double> q, std::span<double> v,
                       std::span<double> a) const {
  using S = Series<2>;
  // The pose of one frame in another; constant ones need no series.
  const auto relative = [&](const Frame& F, const Frame& M) -> Transform<S> {
    if (F.link < 0) {
      const Transform<S> X_WM = frame(poses, M);
      const Transformd X_FW = inverse(F.X);
      return {{turned_by(X_FW.R, X_WM.R.ex), turned_by(X_FW.R, X_WM.R.ey), turned_by(X_FW.R, X_WM.R.ez)},
              turned_by(X_FW.R, X_WM.p) + Vec3<S>::from(X_FW.p)};
    }
    if (M.link < 0) return placed(inverse(frame(poses, F)), M.X);
    return inverse(frame(poses, F)) * frame(poses, M);
  };
  for (std::size_t l = 0; l < mech_->links.size(); ++l) {
    const JointInfo& joint = mech_->joints[mech_->links[l].joint];
    const Transform<S> X_FM = relative(joint_frames_[l].first, joint_frames_[l].second);
    double *out = q.data() + joint.q, *rate = v.data() + joint.v, *second = a.data() + joint.v;
    std::visit(
        [&]<class J>(const J& type) {
          if constexpr (std::is_same_v<J, Custom>) {
            return;  // a plan has none
          } else if constexpr (J::nq == J::nv) {
            std::array<S, J::nq> fitted;
            type.q_fit(X_FM, fitted.data());
            for (int i = 0; i < J::nq; ++i) {
              const double x = fitted[i].derivative(0);
              out[i] = J::freedoms[i].dimension == dimension::angle ? near(x, out[i]) : x;
              rate[i] = fitted[i].derivative(1);
              second[i] = fitted[i].derivative(2);
            }
          } else {
            const Transformd X{derivative(X_FM.R, 0), derivative(X_FM.p, 0)};
            std::array<double, J::nq> fitted;
            type.q_fit(X, fitted.data());
            double same_side = 0;
            for (int i = 0; i < 4; ++i) same_side += fitted[i] * out[i];
            for (int i = 0; i < J::nq; ++i) out[i] = i < 4 && same_side < 0 ? -fitted[i] : fitted[i];
            // ω and its rate in M: what of Rᵀ Ṙ and Rᵀ R̈ is skew.
            const auto axial = [](const Mat3d& W) {
              return Vec3d{0.5 * (W.ey.z - W.ez.y), 0.5 * (W.ez.x - W.ex.z), 0.5 * (W.ex.y - W.ey.x)};
            };
            const Mat3d Rt = transpose(X.R);
            const Vec3d w = axial(Rt * derivative(X_FM.R, 1)), alpha = axial(Rt * derivative(X_FM.R, 2));
            rate[0] = w.x, rate[1] = w.y, rate[2] = w.z;
            second[0] = alpha.x, second[1] = alpha.y, second[2] = alpha.z;
            if constexpr (J::nv == 6) {
              const Vec3d u = Rt * derivative(X_FM.p, 1), udot = Rt * derivative(X_FM.p, 2) - cross(w, u);
              rate[3] = u.x, rate[4] = u.y, rate[5] = u.z;
              second[3] = udot.x, second[4] = udot.y, second[5] = udot.z;
            }
          }
        },
        joint.type);
  }
}

bool SpatialPlan::has_idle_links() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& s) {
    return s.attitude == Attitude::spins_freely ||
           (s.surface == Surface::plane && s.attitude != Attitude::held_by_cross) ||
           (s.kind == Kind::spin && s.link2 >= 0);
  });
}

double SpatialPlan::distance(int step, const Poses<double>& one, const Poses<double>& other) const {
  double apart = 0;
  const Step& s = steps_[static_cast<std::size_t>(step)];
  const auto count = [&](int link) {
    if (link < 0) return;
    const Transformd &x = one.links[static_cast<std::size_t>(link)], &y = other.links[static_cast<std::size_t>(link)];
    const Vec3d dp = (x.p - y.p) * (1 / length_), dx = x.R.ex - y.R.ex, dy = x.R.ey - y.R.ey;
    apart += dot(dp, dp) + dot(dx, dx) + dot(dy, dy);
  };
  for (const int link : {s.link0, s.link1, s.link2}) count(link);
  if (s.chain >= 0) {
    for (const Chain::ChainLink& on : chains_[static_cast<std::size_t>(s.chain)].links) count(on.link);
  }
  return std::sqrt(apart);
}

void SpatialPlan::poses_at(std::span<const double> q, Poses<double>& result) const {
  for (std::size_t l = 0; l < mech_->links.size(); ++l) {
    const Link& link = mech_->links[l];
    const Transformd& X_PF = mech_->parameters.X_PF[l];
    const Transformd X_WF = link.parent == ground ? X_PF : result.links[static_cast<std::size_t>(link.parent)] * X_PF;
    result.links[l] = X_WF * X_FM(link.type, q.data() + link.q);
  }
}

}  // namespace trammel::closed_form
