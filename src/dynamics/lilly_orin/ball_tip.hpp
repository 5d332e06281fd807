// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps 2, 3 and 5 for plain chains that hold by one ball: feet, hard fingers, the ends of most legs. Its rows are the three axes of the
// world at a place p, so that what five_steps.hpp does row by row becomes products of 3×3 matrices and vectors:
//   Hᵀ E as a vector over the rows      Eₙᵀ w + E_fᵀ v,   where Eₙᵀ = −p×, E_fᵀ = 1 at the tip                              (1)
//   K = Σ (HᵀE) (D⁻¹ HᵀE)ᵀ,   E_beforeᵀ = Eᵀ − (HᵀE) Yᵀ                                                                   (2)
//   of a chain from the support, φᶜ = (p×; 1):    φᶜ K⁻¹ φᶜᵀ = (p× K⁻¹ p×ᵀ, p× K⁻¹; ·, K⁻¹)                                (3)
//   of a leg, E propagated:                       E K⁻¹ Eᵀ                                                                (4)
// K⁻¹ by cofactors: where a pivot of K is small, that would cost digits, and the rows are spread out for five_steps.hpp to look at.

#include "dynamics/lilly_orin/plain_chain.hpp"

namespace trammel {

// Below this, over the diagonal entry, K is left to others.
inline constexpr double clear_pivot = 1e-4;

// Where the ball is a joint that was cut and nothing is known to act along its freedoms.
template <class T>
bool has_closed_ball(const StarContext<T>& x, const ChainPlan& chain, const T* known) {
  return chain.holds_by_ball && x.plan.tips[chain.first_tip].closure >= 0 && (chain.is_leg || known == nullptr);
}
// Where it is, from the point O of link `at`, and α.
template <class T>
void place_closed_ball(const StarContext<T>& x, const TipPlan& tip, int at, Vec3<T>& p, Vec3<T>& alpha) {
  const ClosurePlan& closure = x.plan.closures[tip.closure];
  const Vec3<T> p_L = Vec3<T>::from(closure.X_LM.p);
  p = p_L;
  if (closure.link_M >= 0) p = x.ws.links[closure.link_M].p_OL + x.ws.links[closure.link_M].R_WL * p_L;
  p = at_point(x, p, closure.link_M, at);
  const Motion<T> c = relative_bias(x.tree, x.ws, closure, at);
  const Vec3<T> c_M = c.v + cross(c.w, p);
  alpha = tip.second_is_reference ? c_M : -c_M;
}
template <class T>
TRAMMEL_KERNEL void place_ball_tip(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                   Grip<T>& grip) {
  const TipPlan& tip = x.plan.tips[chain.first_tip];
  place_closed_ball(x, tip, chain.is_leg ? tip.link : x.plan.reference, grip.ball.p, grip.ball.alpha);
  grip.is_ball = true;
  grip.rows = 3;
  grip.crowded = false;
  grip.known = {};
  TipJoint<T>& joint = x.star.tips[chain.first_tip];
  joint.first_row = 0;
  joint.rows = 3;
  joint.known = {};
  joint.has_known = false;
}

// (1), (2)
template <class T, class N>
void propagate_ball_through_joint(const FreedomState<T>* freedoms, const T* factors, Vec3<T>* omega, N n, bool goes_on,
                                  BallGrip<T>& ball, Vec3<T>& open, Sym3<T>& minus_K) {
  SmallFactor<T, N::value> D;
  for (int k = 0; k < n; ++k) {
    for (int i = k; i < n; ++i) D.at(i, k) = factors[n * i + k];
  }
  std::array<Vec3<T>, N::value> HE, DHE;
  for (int k = 0; k < n; ++k) HE[k] = ball.nT * freedoms[k].H.w + ball.fT * freedoms[k].H.v;
  DHE = HE;
  D.solve(DHE);
  for (int k = 0; k < n; ++k) {
    omega[k] = DHE[k];
    open += HE[k] * freedoms[k].d;
    minus_K = minus_outer(minus_K, HE[k], DHE[k]);  // the sum over k is symmetric
    if (!goes_on) continue;
    ball.nT = minus_outer(ball.nT, HE[k], freedoms[k].Y.n);
    ball.fT = minus_outer(ball.fT, HE[k], freedoms[k].Y.f);
  }
}

// n' = n − p × f, for rows that are kept side by side.
template <class T>
void shift_ball(BallGrip<T>& ball, const Vec3<T>& p) {
  const auto c = components(p);
  const Mat3<T> fT = ball.fT;
  ball.nT += {fT.ey * c[2] - fT.ez * c[1], fT.ez * c[0] - fT.ex * c[2], fT.ex * c[1] - fT.ey * c[0]};
}

// `same` tells how many freedoms all joints of the chain have, or else how many each has.
template <class T, class Same>
void propagate_ball_along(const StarContext<T>& x, const ChainPlan& chain, Same same, Grip<T>& grip) {
  BallGrip<T> ball;
  const Vec3<T> p = chain.is_leg
                        ? grip.ball.p
                        : at_point(x, grip.ball.p, x.plan.reference, x.plan.links[chain.first + chain.count - 1].link);
  ball.nT = skew(-p);
  ball.fT = Mat3<T>::identity();
  Vec3<T> open{};  // φᶜᵀ ẍ_open
  Sym3<T> minus_K{};
  const ChainLink* const steps = x.plan.links.data();
  for (int i = chain.first + chain.count - 1; i >= chain.first; --i) {
    const ChainLink& step = steps[i];
    const TreeLink& link = x.tree.links[step.link];
    const bool goes_on = i > chain.first || chain.is_leg;
    const auto pass = [&](auto n) {
      propagate_ball_through_joint(&x.ws.freedoms[step.dof], &x.star.factors[step.factor],
                                   &x.star.ball_omega[step.freedom], n, goes_on, ball, open, minus_K);
    };
    if constexpr (Same::value > 0) {
      pass(same);
    } else {
      visit_freedoms(step.nv, pass);
    }
    if (goes_on && link.opens_point) shift_ball(ball, -x.ws.points[link.point].p_QO);
  }
  grip.ball.nT = ball.nT;
  grip.ball.fT = ball.fT;
  grip.ball.K = Sym3<T>{} - minus_K;
  grip.ball.S = chain.is_leg ? grip.ball.alpha - open : grip.ball.alpha + open;
}
template <class T>
TRAMMEL_KERNEL void propagate_ball(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                   Grip<T>& grip) {
  if (chain.all_single) {
    propagate_ball_along(x, chain, std::integral_constant<int, 1>{}, grip);
  } else {
    propagate_ball_along(x, chain, std::integral_constant<int, 0>{}, grip);
  }
}

// Columns of a matrix that is symmetric but for round-off.
template <class T>
Sym3<T> taken_as_symmetric(const Mat3<T>& a) {
  if constexpr (requires { Sym3<T>{a.ex, a.ey, a.ez}; }) {
    return {a.ex, a.ey, a.ez};
  } else {
    return {a.ex.x, a.ey.y, a.ez.z, a.ey.x, a.ez.x, a.ez.y};
  }
}

// (3), (4); false where K is not clearly regular.
template <class T>
TRAMMEL_KERNEL bool find_ball_share(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                    Grip<T>& grip, Share<T>& share) {
  BallGrip<T>& ball = grip.ball;
  const Mat3<T> K = full(ball.K);
  const Vec3<T> a = cross(K.ey, K.ez), b = cross(K.ez, K.ex), c = cross(K.ex, K.ey);
  const T det = dot(K.ex, a);
  const auto d = entries(ball.K);
  const double first = value_of(d[0]), minor = value_of(components(c)[2]), all = value_of(det);
  // Pivots are first, minor/first and all/minor. What is expected of them: of the longest row.
  const double expected =
      weak_pivot * grip.scale * (1 + value_of(dot(ball.p, ball.p)) / (x.plan.length * x.plan.length));
  const double second = std::max(clear_pivot * value_of(d[1]), expected),
               third = std::max(clear_pivot * value_of(d[2]), expected);
  if (!(expected > 0 && first > expected && minor > second * first && all > third * minor)) return false;
  const T inverse = T(1) / det;
  const Mat3<T> N{a * inverse, b * inverse, c * inverse};
  ball.inverse_K = N;
  const Vec3<T> NS = N * ball.S;
  if (!chain.is_leg) {
    const Vec3<T>& p = ball.p;
    const Mat3<T> pN{cross(p, N.ex), cross(p, N.ey), cross(p, N.ez)}, Np = transpose(pN);
    share.inertia = {taken_as_symmetric(Mat3<T>{cross(p, Np.ex), cross(p, Np.ey), cross(p, Np.ez)}), pN,
                     taken_as_symmetric(N)};
    share.force = {cross(p, NS), NS};
    share.force += grip.known;
    return true;
  }
  const Mat3<T> En = transpose(ball.nT), Ef = transpose(ball.fT), Nf = N * ball.fT;
  share.inertia = {taken_as_symmetric(En * (N * ball.nT)), En * Nf, taken_as_symmetric(Ef * Nf)};
  share.inertia += grip.carried_inertia;
  share.force = Force<T>{En * NS, Ef * NS} - grip.carried_force;
  return true;
}

// Steps 1 to 3 for such a chain, one after the other.
template <class T>
void ball_chain_inward(const StarContext<T>& x, const ChainPlan& chain, int k) {
  Grip<T>& grip = x.star.grips[k];
  place_ball_tip(x, chain, grip);
  grip.scale = 0;
  grip.singular_joint = -1;
  eliminate_plain_segment(x, chain, x.plan.segments[chain.first_segment], grip);
  propagate_ball(x, chain, grip);
  find_share(x, k);
}

// The rows as five_steps.hpp has them.
template <class T>
void spread_ball(const StarContext<T>& x, const ChainPlan& chain, Grip<T>& grip) {
  const BallGrip<T>& ball = grip.ball;
  const Mat3<T> e = Mat3<T>::identity(), En = chain.is_leg ? transpose(ball.nT) : skew(ball.p),
                Ef = chain.is_leg ? transpose(ball.fT) : e;
  grip.C[0] = {En.ex, Ef.ex};
  grip.C[1] = {En.ey, Ef.ey};
  grip.C[2] = {En.ez, Ef.ez};
  const auto K = entries(ball.K);
  const auto S = components(ball.S), alpha = components(ball.alpha);
  const int entry[3][3] = {{0}, {3, 1}, {4, 5, 2}};
  const Mat3<T> axes = skew(ball.p);
  const Vec3<T> rows[3] = {axes.ex, axes.ey, axes.ez};
  const Vec3<T> unit[3] = {e.ex, e.ey, e.ez};
  for (int j = 0; j < 3; ++j) {
    grip.S[j] = S[j];
    grip.alpha[j] = alpha[j];
    grip.rotor[j] = false;
    grip.size[j] = squared_size(Force<T>{rows[j], unit[j]}, x.plan.length);
    for (int i = 0; i <= j; ++i) grip.K[6 * j + i] = K[entry[j][i]];
  }
  for (int i = chain.first; i < chain.first + chain.count; ++i) {
    const ChainLink& step = x.plan.links[i];
    for (int f = step.freedom; f < step.freedom + step.nv; ++f) {
      const auto omega = components(x.star.ball_omega[f]);
      for (int j = 0; j < 3; ++j) x.star.omega[f][j] = omega[j];
    }
  }
}

// Step 5: the force, unless it is known, and the accelerations by it.
template <class T>
void find_ball_force(Grip<T>& grip, bool is_leg, const Motion<T>& dA) {
  const BallGrip<T>& ball = grip.ball;
  const Vec3<T> along = is_leg ? ball.nT * dA.w + ball.fT * dA.v : dA.v + cross(dA.w, ball.p);
  const auto h = components(ball.inverse_K * (ball.S - along));
  for (std::size_t j = 0; j < 3; ++j) grip.h[j] = h[j];
}

template <class T>
TRAMMEL_KERNEL void accelerate_ball_chain(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                          Grip<T>& __restrict grip, bool find_force, T* a) {
  if (find_force) find_ball_force(grip, chain.is_leg, x.ws.links[x.plan.reference].dA);
  Vec3<T> h{grip.h[0], grip.h[1], grip.h[2]};
  if (chain.is_leg) h = -h;  // as it acts from the tip
  Motion<T> dA{};
  if (chain.is_leg) dA = x.ws.links[x.plan.reference].dA;
  const ChainLink* const steps = x.plan.links.data();
  for (int i = chain.first; i < chain.first + chain.count; ++i) {
    const ChainLink& step = steps[i];
    const TreeLink& link = x.tree.links[step.link];
    const FreedomState<T>* freedoms = &x.ws.freedoms[step.dof];
    const Vec3<T>* omega = &x.star.ball_omega[step.freedom];
    if (link.opens_point) dA = shift(dA, x.ws.points[link.point].p_QO);  // the support has no δA
    const Motion<T> dA_before = dA;
    for (int f = 0; f < step.nv; ++f) {
      const T vdot = freedoms[f].d - dot(omega[f], h) - dot(dA_before, freedoms[f].Y);
      dA += freedoms[f].H * vdot;
      a[step.dof + f] = vdot;
    }
    LinkState<T>& L = x.ws.links[step.link];
    L.dA = dA;
    L.A += dA;
  }
}

}  // namespace trammel
