// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the fluid does to one piece of hull, in world axes, brought to the link's point O.
//
// At the centre c of the piece its added mass is a mass M and an inertia J that do not mix (its symmetry sees to that). With v the velocity of c
// against the fluid, u and a_f those of the fluid:
//   momentum   P = M v,  π = J ω
//   bias       n = ω × π + v × P,   f = ω × P − M (a_f − ω × u)                                   (1)  v_r ×* I_A v_r − I_A (0; a_f − ω × u)
//   buoyancy   ρ V (a_f − g) at the centre of what is wet                                          (2)
// Of round bars M = m_t 1 + (m_a − m_t) e eᵀ and J = j (1 − e eᵀ), so that nothing needs to be turned into the bar's axes.
//
// T is double, or lanes: of several states with the same piece each, or of several bars of one state (uniform_bodies.hpp). Only bars give
// damping in lanes.

#include <cmath>
#include <type_traits>

#include "fluid/strip_drag.hpp"
#include "fluid/wet_body.hpp"
#include "kernels/masks.hpp"

namespace trammel::fluid {

// What is found of a piece, and summed over those of a body, at O.
template <class T>
struct BasicSum {
  ArticulatedInertia<T> added;
  Force<T> bias;
  T displaced{};             // mass of displaced fluid,
  Vec3<T> displaced_moment;  // and its first moment
  T dissipated{};
  ArticulatedInertia<T>* damping = nullptr;  // where it is asked for; added to

  void take(const BasicSum& b) {
    added += b.added;
    bias += b.bias;
    displaced += b.displaced;
    displaced_moment += b.displaced_moment;
    dissipated += b.dissipated;
  }
};
using Sum = BasicSum<double>;

// How a piece is wet, by one medium.
struct Wetting {
  double part = 1;     // of its volume
  double middle = 0;   // bars: where on the axis the wet stretch has its middle, from c
  double stretch = 1;  // bars: its length over the bar's
  double weight = 1;   // bars: how much of each strip there is wet, on average
};

template <class T>
struct UniformSurroundings {
  T density{};
  Vec3<T> u = {}, a_f = {}, g = {};
};
struct Surroundings : UniformSurroundings<double> {
  // Where the fluid's velocity varies along a bar: the flow itself.
  const Flow* flow = nullptr;
  std::size_t medium = 0;
  double t = 0;
  Vec3d p_WO = {};
};

// A force f at c and a moment n there.
template <class T>
void add_at(Force<T>& to, const Vec3<T>& c, const Vec3<T>& n, const Vec3<T>& f) {
  to.n += n + cross(c, f);
  to.f += f;
}
// Mass M at c: M, c× M, and M about O. With M = m 1 + d e eᵀ:
template <class T>
void add_mass_at(ArticulatedInertia<T>& to, const Vec3<T>& c, const T& m, const T& d, const Vec3<T>& e) {
  const Vec3<T> ce = cross(c, e), cm = c * m, ed = e * d;
  to.M = plus_diagonal(to.M, m) + outer(e) * d;
  to.H = plus_skew(to.H, cm);
  to.H += Mat3<T>{ce * ed.x, ce * ed.y, ce * ed.z};
  to.J += RigidInertia<T>::point_inertia(m, c) + outer(ce) * d;
}
template <class T>
void add_mass_at(ArticulatedInertia<T>& to, const Vec3<T>& c, const Sym3<T>& M) {
  to += shift(ArticulatedInertia<T>{{}, {}, M}, -c);
}

// (2)
template <class T>
void add_buoyancy(BasicSum<T>& sum, const Vec3<T>& at, const T& mass, const UniformSurroundings<T>& s) {
  sum.displaced += mass;
  sum.displaced_moment += at * mass;
  add_at(sum.bias, at, {}, (s.g - s.a_f) * mass);
}

// −∂f/∂v of strips, by Gauss's rule: each gives k (|v| (1 − e eᵀ) + v vᵀ/|v|) at its place.
template <class T>
void add_strip_damping(ArticulatedInertia<T>& damping, const Vec3<T>& c, const Vec3<T>& e, const Vec3<T>& A,
                       const Vec3<T>& B, const T& k, const T& half) {
  for (int i = 0; i < 4; ++i) {
    const T x = half * T((i < 2 ? -1 : 1) * gauss4_at[i % 2]), weight = half * T(gauss4_weight[i % 2]);
    const Vec3<T> v = A + B * x;
    const T size = norm(v), over_size = select(size > T(0), T(1) / size, T(0));
    const Sym3<T> D = (Sym3<T>::diagonal(size) - outer(e) * size + outer(v) * over_size) * (k * weight);
    add_mass_at(damping, c + e * x, D);
  }
}

// Strips where the fluid's velocity differs from place to place: Gauss's rule with the flow at each point. Adds to moment and force at c, gives
// the power that is lost.
template <class FlowType>
double strips_in_flow(const FlowType& flow, Sum& sum, const Vec3d& c, const Vec3d& e, const Vec3d& v_body,
                      const Vec3d& w, double k, double half, const Surroundings& s, Vec3d& n, Vec3d& f) {
  constexpr double at[4] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623};
  constexpr double weights[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};
  double lost = 0;
  for (int i = 0; i < 8; ++i) {
    const double x = half * (i < 4 ? -1 : 1) * at[i % 4], weight = half * weights[i % 4];
    const Vec3d p = c + e * x, u = flow.in(s.medium, s.t, s.p_WO + p).velocity_W;
    const Vec3d against = v_body + cross(w, e) * x - u, v = against - e * dot(e, against);
    const double size = norm(v);
    const Vec3d push = v * (-k * weight * size);
    f += push;
    n += cross(e * x, push);
    lost -= dot(push, v);
    if (sum.damping != nullptr && size > 0) {
      add_mass_at(*sum.damping, p, (Sym3d::diagonal(size) - outer(e) * size + outer(v) * (1 / size)) * (k * weight));
    }
  }
  return lost;
}

// What the laws of a bar take of it, as in WetPart.
template <class T>
struct Bar {
  T added_across{}, added_along{}, added_turn{};
  T across{}, along{}, turn_across{}, turn_along{};
  T strip_half{};

  static Bar of(const WetPart& part) {
    return {T(part.added_move.x), T(part.added_move.z), T(part.added_turn.x), T(part.across),
            T(part.along),        T(part.turn.x),       T(part.turn.z),       T(part.strip_half)};
  }
  auto resists() const { return across + along + turn_across + turn_along > T(0); }
};

// These set all of `sum` but its damping, to which they add. `displaced` is the mass of fluid that is displaced at `centre`. `varies`: the
// fluid's velocity along the bar, S is then Surroundings.
template <bool varies, class T, class S>
void set_bar(BasicSum<T>& sum, const Bar<T>& bar, const Vec3<T>& centre, const Vec3<T>& e, const Motion<T>& V,
             const S& s, const Wetting& wet, const T& displaced) {
  const T rho = s.density;
  const double stretch = wet.stretch;
  const Vec3<T> c = centre + e * T(wet.middle);
  const Vec3<T>& w = V.w;
  const Vec3<T> v_body = V.v + cross(w, c), v = v_body - s.u,
                B = cross(w, e);             // of its middle, and that against the fluid
  const T v_e = dot(e, v), w_e = dot(e, w);  // along its axis
  const Vec3<T> A = v - e * v_e, w_t = w - e * w_e;

  // (1), with P = m_t A + m_a v_e e: v × P = (m_a − m_t) v_e (A × e), ω × π = j w_e (e × ω)
  const T m_t = rho * (bar.added_across * T(wet.part)), m_a = rho * (bar.added_along * T(wet.part)), d = m_a - m_t;
  const T j = rho * (bar.added_turn * T(wet.part * stretch * stretch));
  const Vec3<T> a = s.a_f - cross(w, s.u), P = v * m_t + e * (d * v_e);
  Vec3<T> n = B * (-j * w_e) + cross(A, e) * (d * v_e), f = cross(w, P) - a * m_t - e * (d * dot(e, a));
  const Vec3<T> ce = cross(c, e), ed = e * d;
  const Sym3<T> ee = outer(e);
  sum.added.M = plus_diagonal(ee * d, m_t);
  sum.added.H = plus_skew(Mat3<T>{ce * ed.x, ce * ed.y, ce * ed.z}, c * m_t);
  sum.added.J = plus_diagonal(RigidInertia<T>::point_inertia(m_t, c) + outer(ce) * d - ee * j, j);

  sum.dissipated = T(0);
  if (any_of(bar.resists())) {
    const T k = rho * (bar.across * T(wet.weight)), half = bar.strip_half * T(stretch);
    const T along = rho * (bar.along * T(wet.part)) * abs(v_e), roll = rho * (bar.turn_along * T(wet.part)) * abs(w_e);
    T turn{};
    if (any_of(bar.turn_across > T(0))) turn = rho * (bar.turn_across * T(wet.part)) * norm(w_t);
    Vec3<T> drag = e * (-along * v_e), twist = w_t * -turn - e * (roll * w_e);
    if constexpr (!varies) {
      const StripIntegrals<T> I = strip_integrals(dot(A, A), dot(A, B), dot(B, B), half);
      drag -= A * (k * I.I0) + B * (k * I.I1);
      twist -= cross(e, A * (k * I.I1) + B * (k * I.I2));
      sum.dissipated = -(dot(twist, w) + dot(drag, v));
    } else {
      sum.dissipated = -(dot(twist, w) + dot(drag, v));
      sum.dissipated += strips_in_flow(*s.flow, sum, c, e, v_body, w, k, half, s, twist, drag);
    }
    f -= drag, n -= twist;
    if (sum.damping != nullptr) {
      if (!varies) add_strip_damping(*sum.damping, c, e, A, B, k, half);
      add_mass_at(*sum.damping, c, T(0), along + along, e);
      sum.damping->J += (Sym3<T>::diagonal(T(1)) - ee) * (turn + turn) + ee * (roll + roll);
    }
  }
  const Vec3<T> weight = (s.g - s.a_f) * displaced;  // (2)
  sum.displaced = displaced, sum.displaced_moment = centre * displaced;
  sum.bias = {n + cross(c, f) + cross(centre, weight), f + weight};
}

template <class T>
void set_sphere(BasicSum<T>& sum, const WetPart& part, const Vec3<T>& c, const Motion<T>& V,
                const UniformSurroundings<T>& s, const Wetting& wet, const T& displaced) {
  const Vec3<T>&w = V.w, v = V.v + cross(w, c) - s.u;
  const T m = s.density * (part.added_move.x * wet.part);
  Vec3<T> f = cross(w, v + s.u) * m - s.a_f * m;  // (1)
  sum.added = ArticulatedInertia<T>::of({m, c * m, RigidInertia<T>::point_inertia(m, c)});
  sum.dissipated = T(0);
  if (part.resists) {
    const T k = s.density * (part.across * wet.part), size = norm(v);
    f += v * (k * size);
    sum.dissipated = k * size * size * size;
    if constexpr (std::is_same_v<T, double>) {
      if (sum.damping != nullptr && size > 0) add_mass_at(*sum.damping, c, k * size, k / size, v);
    }
  }
  f += (s.g - s.a_f) * displaced;  // (2)
  sum.displaced = displaced, sum.displaced_moment = c * displaced;
  sum.bias = {cross(c, f), f};
}

// Boxes and ellipsoids, in their own axes S.
template <class T>
void set_in_own_axes(BasicSum<T>& sum, const WetPart& part, const Vec3<T>& c, const Mat3<T>& R, const Motion<T>& V,
                     const UniformSurroundings<T>& s, const Wetting& wet, const T& displaced) {
  const auto by = [](const auto& a, const Vec3<T>& b) { return Vec3<T>{a.x * b.x, a.y * b.y, a.z * b.z}; };
  const auto size_of = [](const Vec3<T>& a) { return Vec3<T>{abs(a.x), abs(a.y), abs(a.z)}; };
  const T rho = s.density * T(wet.part);
  const Vec3<T> v = transpose_times(R, V.v + cross(V.w, c) - s.u), w = transpose_times(R, V.w);
  const Vec3<T> m = Vec3<T>::from(part.added_move) * rho, j = Vec3<T>::from(part.added_turn) * rho;
  const Vec3<T> P = by(m, v), pi = by(j, w), a = transpose_times(R, s.a_f - cross(V.w, s.u));
  Vec3<T> n = cross(w, pi) + cross(v, P), f = cross(w, P) - by(m, a);  // (1)
  const auto diagonal = [](const Vec3<T>& d) { return Sym3<T>{d.x, d.y, d.z, T(0), T(0), T(0)}; };
  sum.added = shift(ArticulatedInertia<T>{rotate(R, diagonal(j)), {}, rotate(R, diagonal(m))}, -c);
  sum.dissipated = T(0);
  if (part.resists) {
    const Vec3<T> spin = by(part.turn, size_of(w)) * rho;
    Vec3<T> push;  // per velocity
    if (part.form == WetPart::Form::box) {
      push = by(part.faces, size_of(v)) * rho;
    } else {  // ½ C |v| times the area that the flow sees, which is the root of Σ (face · direction)²
      const T seen = rho * norm(by(part.faces, v));
      push = {seen, seen, seen};
    }
    const Vec3<T> twist = by(spin, w), drag = by(push, v);
    n += twist, f += drag;
    sum.dissipated = dot(twist, w) + dot(drag, v);
    if constexpr (std::is_same_v<T, double>) {
      if (sum.damping != nullptr) {
        add_mass_at(*sum.damping, c, rotate(R, diagonal(push * 2)));
        sum.damping->J += rotate(R, diagonal(spin * 2));
      }
    }
  }
  const Vec3<T> f_W = R * f + (s.g - s.a_f) * displaced;  // (2)
  sum.displaced = displaced, sum.displaced_moment = c * displaced;
  sum.bias = {R * n + cross(c, f_W), f_W};
}

// A fin: lift square to the flow and drag along it, in the plane of chord and normal.
//   with V = (u_c, u_n), α = atan2(u_n, u_c):   drag −V/|V|,  lift (u_n, −u_c)/|V|, times ½ ρ A |V|² C
inline void add_fin(Sum& sum, const WetFin& fin, const Transformd& X_OL, const Motion<double>& V, double rho,
                    const Vec3d& u_fluid) {
  const Vec3d p = X_OL * fin.p_L, chord = X_OL.R * fin.chord_L, normal = X_OL.R * fin.normal_L;
  const Vec3d v = V.v + cross(V.w, p) - u_fluid;
  const double uc = dot(chord, v), un = dot(normal, v), speed2 = uc * uc + un * un;
  if (!(speed2 > 0)) return;
  const double speed = std::sqrt(speed2), alpha = std::atan2(un, uc), sin = un / speed, cos = uc / speed;
  // σ from 0 to 1 around ±stall
  constexpr double sharpness = 50;
  const double up = std::exp(-sharpness * (std::abs(alpha) - fin.stall));
  const double stalled = 1 / (1 + up);
  const double lift_linear = fin.slope * alpha;
  const double CL = (1 - stalled) * lift_linear + stalled * 2 * sin * std::abs(sin) * cos;
  const double CD = fin.drag + (1 - stalled) * lift_linear * lift_linear / (3.14159265358979323846 * fin.aspect) +
                    stalled * 2 * std::abs(sin * sin * sin);
  const double q = 0.5 * rho * fin.area * speed;  // times |V|² over |V|
  const Vec3d f = chord * (q * (CL * un - CD * uc)) + normal * (q * (-CL * uc - CD * un));
  add_at(sum.bias, p, {}, -f);
  sum.dissipated -= dot(f, v);
  if (sum.damping != nullptr) {
    const double steep = q * (2 * CD + fin.slope * std::abs(cos));
    add_mass_at(*sum.damping, p, 0.0, steep, normal);
    add_mass_at(*sum.damping, p, 0.0, 2 * q * CD, chord);
  }
}

}  // namespace trammel::fluid
