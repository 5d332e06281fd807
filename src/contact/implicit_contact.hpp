// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pair of contacts within an implicit step of h, for one state or for several in lanes. At the step's end the body's velocity at the
// contact is v' = v + h a, the depth d' = d* + h² d̈ with d* = d + h ḋ and d̈ = −n·a:
//   N' = N(d*, ḋ_in) + (h² N_d + h N_ḋ) d̈,    ḋ_in = ḋ + min(d, 0)/h                                                       (1)
//   T' = k_t (u + h v_t') + b_t v_t' = T₀ + h B a_t,     B = b_t + h k_t,  T₀ = k_t u + B v_t                             (2)
//   sticks:  friction −T',   u' = u + h v_t'
//   slips:   friction −μ_k N (t + P T'/|T|),  t = T/|T|,  P = 1 − n nᵀ − t tᵀ                                              (3)
//            with N and T of the pass before: the derivative of μ N T/|T|;   u' = (b_t u + h g)/(b_t + h k_t)
// What comes from d < 0 goes in only with what of its way lies below the surface, h ḋ_in = d*: so N' > 0 where d' > 0, and dampers of contacts
// do not act on what has not arrived.
// The force is f₀ − C a with C symmetric and never negative: C adds to the articulated inertia of the body, f₀ to the forces on it.
// After each pass: N' < 0 parts, N' > 0 of one that was apart meets, |T'| > μ_s N' slips, |T'| < μ_k N' or t·T' < 0 sticks; what has changed
// is solved anew. The next step begins with the modes and normal forces of the last.              [notes: McMillan's point contacts, and ours]
//
// A state that has settled is left as it is by further passes: they find the same for it. So states in lanes need not settle together.

#include <trammel/spatial/inertia.hpp>

#include "contact/law.hpp"
#include "kernels/masks.hpp"

namespace trammel {

namespace implicit_contact {
// Pairs further apart than this at the end of a step, as their velocities have it, are not looked at: m, and m/s² of acceleration.
constexpr double near_distance = 0.01, near_acceleration = 1000;
// How far normal force and direction of a slipping pair may be from those that its friction was found with.
constexpr double slip_agrees = 1e-4;
}  // namespace implicit_contact

template <class T>
Vec3<T> in_surface(const Vec3<T>& v, const Vec3<T>& n) {
  return v - n * dot(n, v);
}

template <class T>
struct ImplicitContact {
  using Mask = MaskOf<T>;

  // How the last step has left it.
  struct Mode {
    Mask touches{}, slips{};
    T normal{};
  };
  // The beginning of a step: depth and its rate, the normal, how it slides, deflection of the bristles; in world axes.
  struct Start {
    T depth, rate;
    Vec3<T> n, slide, u;
  };

  Mask near{}, touches{}, slips{};  // near: it is looked at in this step. The others: of the pass under way
  T N0{}, c_n{};                    // (1)
  Vec3<T> n, slide, u, T0;          // (2); u in the surface
  T N_used{};                       // (3)
  Vec3<T> T_used;
  T N_used_before{}, N_found_before{};  // of the pass before
  Mask has_before{};
  Vec3<T> a, T_found, g;  // found by a pass: of the contact, trial force, friction taken off
  T N_found{};

  static double B(const ContactLaw& law, double h) { return law.tangential_damping + h * law.tangential_stiffness; }

  void begin(const ContactLaw& law, double h, const Start& start, const Mode& mode, const Mask& is_there) {
    using namespace implicit_contact;
    const T ahead = start.depth + T(h) * start.rate;
    near = is_there && (mode.touches || ahead > T(-(near_distance + near_acceleration * h * h)));
    touches = slips = has_before = Mask{};
    if (!any_of(near)) return;
    n = start.n, slide = start.slide;
    // (1), about the depth ahead; where that is none, about the present one. Where n = 1 both are the same line.
    // What parts faster than 1/dissipation is not held back by any depth.
    const bool is_line = law.exponent == 1;
    const T about = is_line ? ahead : select(ahead > T(0), ahead, larger(start.depth, T(0)));
    const T factor = larger(T(1) + T(law.dissipation) * start.rate, T(0));
    const NormalForceOf<T> still = normal_force(law, about, T(0));
    const T slope = still.by_depth * factor;
    const T rate_in = start.rate - larger(-start.depth, T(0)) * T(1 / h);
    N0 = still.elastic * factor + (is_line ? T(0) : slope * (ahead - about)) + T(law.damping) * rate_in;
    c_n = T(h) * (T(h) * slope + T(law.damping) + T(law.dissipation) * larger(still.elastic, T(0)));
    u = in_surface(start.u, n);
    T0 = u * T(law.tangential_stiffness) + slide * T(B(law, h));
    touches = near && (mode.touches || N0 > T(0));
    slips = near && mode.touches && mode.slips && dot(T0, T0) > T(0);
    N_used = mode.normal;
    T_used = T0;
  }

  // The force on the body in this pass.
  struct Linear {
    Vec3<T> f0;
    T c_n{}, c_t{};  // C = c_n n nᵀ + c_t (1 − n nᵀ − t tᵀ)
    Vec3<T> t;       // the direction of slip; zero of what sticks
  };
  Linear linear(const ContactLaw& law, double h) const {
    Linear out{n * N0, c_n, T(0), {}};
    if (!(law.friction_static > 0)) return out;
    const T hB(h * B(law, h));
    Vec3<T> friction = T0;
    out.c_t = hB;
    if (any_of(slips)) {  // (3)
      const T size = norm(T_used), held = T(law.friction_kinetic) * N_used, share = held / size;
      const Vec3<T> t = T_used * (T(1) / size), across = T0 - t * dot(t, T0);
      friction = select(slips, t * held + across * share, friction);
      out.c_t = select(slips, share * hB, out.c_t);
      out.t = select(slips, t, Vec3<T>{});
    }
    out.f0 -= friction;
    return out;
  }

  // Finds the force at the acceleration of the contact. Modes may change by it, or the friction of what slips not be that of the normal
  // force found: then another pass is needed.
  struct Outcome {
    Mask switched{}, refined{};
  };
  Outcome look(const ContactLaw& law, double h, const Vec3<T>& acceleration, bool may_switch) {
    using implicit_contact::slip_agrees;
    a = acceleration;
    N_found = N0 - c_n * dot(n, a);
    T_found = T0 + in_surface(a, n) * T(h * B(law, h));
    const T size = norm(T_found), holds = T(law.friction_static) * N_found, drags = T(law.friction_kinetic) * N_found;
    const Mask pushes = N_found > T(0);
    Mask turns{};
    if (may_switch) turns = near && ((touches && !pushes) || (!touches && pushes));
    // One that begins to touch while it moves along slips from the first.
    const Mask stays = touches && !turns;
    Mask begins = turns && pushes && size > holds, ends{}, refined{};
    g = T_found;
    if (law.friction_static > 0) {
      const Mask slid = stays && slips;
      if (may_switch) begins = begins || (stays && !slips && size > holds);
      if (any_of(slid)) {
        const T used = norm(T_used), held = T(law.friction_kinetic) * N_used;
        const Vec3<T> t = T_used * (T(1) / used);
        const T along = dot(t, T_found);
        g = select(slid, t * held + (T_found - t * along) * (held / used), g);
        if (may_switch) {
          ends = slid && (size < drags || along < T(0));
          refined = slid && !ends &&
                    (abs(N_found - N_used) > T(slip_agrees) * N_found ||
                     norm(T_found * (T(1) / size) - t) > T(slip_agrees * 10));
        }
      }
    }
    const Mask anew = turns || begins;
    const T N_next = any_of(refined) ? refined_normal(refined) : N_found;
    touches = (touches && !turns) || (turns && pushes);
    slips = (slips && !turns && !ends) || begins;
    N_used = select(anew, N_found, select(refined, N_next, N_used));
    T_used = select(anew || refined, T_found, T_used);
    return {turns || begins || ends, refined};
  }

  // Deflections at the step's end.
  Vec3<T> deflection(const ContactLaw& law, double h) const {
    if (!(law.friction_static > 0)) return {};
    Vec3<T> after = u + (slide + in_surface(a, n) * T(h)) * T(h);
    if (any_of(slips)) after = select(slips, (u * T(law.tangential_damping) + g * T(h)) * T(1 / B(law, h)), after);
    return select(touches, after, Vec3<T>{});
  }
  Mode mode() const { return {touches, slips, select(touches, larger(N_found, T(0)), T(0))}; }

 private:
  // The friction that N_used gives presses back on N_found, in a straight line nearly: its fixed point by a secant.
  T refined_normal(const Mask& refined) {
    const T moved = N_used - N_used_before;
    const Mask can = has_before && (moved > T(0) || moved < T(0));
    const T slope = select(can, (N_found - N_found_before) / moved, T(0));
    const T next = (N_found - slope * N_used) / (T(1) - slope);
    N_used_before = select(refined, N_used, N_used_before);
    N_found_before = select(refined, N_found, N_found_before);
    has_before = has_before || refined;
    return select(abs(slope) < T(0.9) && next > T(0), next, N_found);
  }
};

// What a pass adds to a body that touches what does not move, at its point O, r away from the contact. `faster` is what the contact's
// acceleration has besides that of the body's point there.
template <class T>
struct ContactLoad {
  Force<T> wrench;
  ArticulatedInertia<T> inertia;
};
template <class T>
ContactLoad<T> load_at(const typename ImplicitContact<T>::Linear& l, const Vec3<T>& n, const Vec3<T>& r,
                       const Vec3<T>& faster) {
  const Sym3<T> C = Sym3<T>::diagonal(l.c_t) + outer(n) * (l.c_n - l.c_t) - outer(l.t) * l.c_t;
  const Vec3<T> f = l.f0 - C * faster;
  const Mat3<T> S = skew(r), H = S * full(C);
  return {{cross(r, f), f}, {symmetric_part(H * transpose(S)), H, C}};
}

}  // namespace trammel
