// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How chains hold the reference member now: of each tip joint φᶜ, the forces it can transmit, φ h, its known forces, and α, what φᶜᵀ times
// the acceleration of the reference member relative to the tip must be. See five_steps.hpp.

#include "dynamics/lilly_orin/blocks.hpp"

namespace trammel {

template <class T>
struct StarContext {
  Tree tree;  // this and the arrays by value, or compilers must fear that a number stored has changed them
  Arrays<T> ws;
  const StarPlan& plan;
  StarArrays<T> star;
  LoadArrays<T> loads;
  Prescribed<T> prescribed;
};

template <class T>
double squared_size(const Force<T>& F, double length) {
  return squared_size(Motion<T>{F.n, F.f}, 1 / length);
}

// --- tips: φᶜ, φ h, α ---------------------------------------------------------------------------------------------------

// Makes room for rows; false where there are more than six.
template <class T>
bool add_rows(Grip<T>& grip, TipJoint<T>& joint, const Force<T>* C, int rows) {
  if (grip.rows + rows > 6) {
    grip.crowded = true;
    return false;
  }
  for (int j = 0; j < rows; ++j) grip.C[grip.rows + j] = C[j];
  grip.rows += rows;
  joint.rows += rows;
  return true;
}

// The freedoms of a tip joint in the tree: known forces, rotors, prescribed motion.
template <class T>
void add_tip_freedoms(const StarContext<T>& x, const TipPlan& tip, Grip<T>& grip, TipJoint<T>& joint) {
  for (int k = 0; k < tip.nv; ++k) {
    const int dof = tip.dof + k;
    const T rotor = dof_inertia(x.ws, x.loads, dof), tau = x.ws.freedoms[dof].tau;
    if (x.prescribed[dof]) {
      if (!add_rows(grip, joint, &joint.G[k], 1)) return;
      grip.alpha[grip.rows - 1] = T(0);
    } else if (!is_zero(rotor)) {
      const T root = sqrt(rotor);
      const Force<T> row = joint.G[k] * root;
      if (!add_rows(grip, joint, &row, 1)) return;
      grip.rotor[grip.rows - 1] = true;
      grip.alpha[grip.rows - 1] = tau / root;
    } else if (!is_zero(tau)) {
      joint.known += joint.G[k] * tau;
      joint.has_known = true;
    }
  }
}

template <class T>
void place_tree_tip(const StarContext<T>& x, const TipPlan& tip, Grip<T>& grip, TipJoint<T>& joint) {
  const LinkState<T>& L = x.ws.links[tip.carrier];
  const int reference = x.plan.reference;
  const Transform<T> X_OM{L.R_WL, at_point(x, L.p_OL, tip.carrier, reference)};
  std::array<Force<T>, 6> C;
  int rows = 0;
  visit_freedoms(tip.nv, [&](auto n) {
    std::array<Motion<T>, decltype(n)::value> H;  // at M's origin, of the reference member relative to the tip
    for (int k = 0; k < n; ++k) {
      H[k] = shift(x.ws.freedoms[tip.dof + k].H, L.p_OL);
      if (tip.against) H[k] = -H[k];
    }
    if (tip.space.orthonormal) {
      for (int k = 0; k < n; ++k) joint.G[k] = {H[k].w, H[k].v};
    } else {
      find_dual_forces<T, decltype(n)::value>(H, joint.G.data());
    }
    if (tip.space.constant) {
      rows = place_forces(tip.space.forces, X_OM, C.data());
    } else {
      rows = find_workless_forces(H.data(), n, C.data());
      for (int j = 0; j < rows; ++j) C[j] = shift(C[j], -X_OM.p);
    }
    for (int k = 0; k < n; ++k) joint.G[k] = shift(joint.G[k], -X_OM.p);
  });
  const int first = grip.rows;
  if (!add_rows(grip, joint, C.data(), rows)) return;
  for (int j = 0; j < rows; ++j) grip.alpha[first + j] = T(0);  // no velocity products: A⁰ has them
  add_tip_freedoms(x, tip, grip, joint);
}

// A place known from one link's point, from another's.
template <class T>
Vec3<T> at_point(const StarContext<T>& x, const Vec3<T>& p, int link, int at) {
  return share_point(x.tree, link, at) ? p : p - between_points(x.tree, x.ws, link, at);
}

template <class T>
void place_closed_tip(const StarContext<T>& x, const TipPlan& tip, int at, Grip<T>& grip, TipJoint<T>& joint,
                      const T* known) {
  const ClosurePlan& closure = x.plan.closures[tip.closure];
  const Closed<T> closed =
      close_joint(x.tree, x.ws, closure, at, known != nullptr ? Wanted::columns : Wanted::constraint);
  const auto at_M = [&](int k) { return shift(closed.H[k], closed.X_OM.p); };
  std::array<Force<T>, 6> C;
  int rows = 0;
  if (closure.space.constant) {
    rows = place_forces(closure.space.forces, closed.X_OM, C.data());
  } else {
    std::array<Motion<T>, 6> H;
    for (int k = 0; k < closed.nv; ++k) H[k] = at_M(k);
    rows = find_workless_forces(H.data(), closed.nv, C.data());
    for (int j = 0; j < rows; ++j) C[j] = shift(C[j], -closed.X_OM.p);
  }
  const int first = grip.rows;
  if (!add_rows(grip, joint, C.data(), rows)) return;
  const Motion<T> c = tip.second_is_reference ? closed.c : -closed.c;
  for (int j = 0; j < rows; ++j) grip.alpha[first + j] = dot(c, C[j]);
  if (known == nullptr) return;
  visit_freedoms(closed.nv, [&](auto n) {
    std::array<Motion<T>, decltype(n)::value> H;
    for (int k = 0; k < n; ++k) H[k] = at_M(k);
    Force<T> G[6];
    find_dual_forces<T, decltype(n)::value>(H, G);
    for (int k = 0; k < n; ++k) {
      const Force<T> along = shift(G[k], -closed.X_OM.p) * known[k];
      joint.known += tip.second_is_reference ? along : -along;
      joint.has_known = true;
    }
  });
}

// known: six numbers for each tip, or null.
template <class T>
void place_tips(const StarContext<T>& x, int k, const T* known) {
  const ChainPlan& chain = x.plan.chains[k];
  Grip<T>& grip = x.star.grips[k];
  if (has_closed_ball(x, chain, known)) {
    place_ball_tip(x, chain, grip);
    return;
  }
  grip.is_ball = false;
  grip.rows = 0;
  grip.rotor = {};
  grip.known = {};
  grip.crowded = false;
  for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
    const TipPlan& tip = x.plan.tips[t];
    TipJoint<T>& joint = x.star.tips[t];
    joint.first_row = grip.rows;
    joint.rows = 0;
    joint.known = {};
    joint.has_known = false;
    if (tip.closure < 0) {
      place_tree_tip(x, tip, grip, joint);
    } else if (chain.is_leg) {  // known are forces of the joint at the reference member
      place_closed_tip<T>(x, tip, tip.link, grip, joint, nullptr);
    } else {
      place_closed_tip(x, tip, x.plan.reference, grip, joint, known == nullptr ? nullptr : known + 6 * tip.number);
    }
    if (joint.has_known) grip.known += joint.known;
  }
  for (int j = 0; j < grip.rows; ++j) grip.size[j] = squared_size(grip.C[j], x.plan.length);
  const TipPlan& tip = x.plan.tips[chain.first_tip];
  if (!chain.holds_by_ball || tip.closure >= 0 || grip.rows != 3 || grip.crowded) return;
  grip.is_ball = true;
  grip.ball.alpha = {};
  grip.ball.p = at_point(x, x.ws.links[tip.carrier].p_OL, tip.carrier, x.plan.reference);
}

}  // namespace trammel
