// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The passes of five_steps.hpp over chains as most have them (ChainPlan::is_plain): all joints are the tree's, walked as the tree runs, and
// nothing hangs on them but branches of the chain. The elimination is that of articulated_body.hpp: H, Y and d are in FreedomState, what
// a link is by itself is made where it is used, and neighbours share a point unless the tree opens one.

#include "dynamics/lilly_orin/five_steps.hpp"

namespace trammel {

// What a link hands to the one before it.
template <class T>
struct OpenChain {
  ArticulatedInertia<T> IA;
  Force<T> pA;
  InertiaSize<T> size;
};

// Step 1 for a link. `ends`: nothing of its segment is beyond it; pA holds the known forces of its tips then.
template <class T, class N>
void eliminate_plain_link(const StarContext<T>& x, const ChainLink& step, N n, bool ends, bool goes_on,
                          OpenChain<T>& open, Grip<T>& grip) {
  const TreeLink& link = x.tree.links[step.link];
  const OwnLink<T> own = own_link(x.ws, step.link);
  ArticulatedInertia<T> IA = ends ? ArticulatedInertia<T>::of(own.M) : open.IA + own.M;
  Force<T> pA = open.pA + own.p;
  InertiaSize<T> size = InertiaSize<T>::of(own.M);
  if (!ends) size += open.size;
  const LinkState<T>& L = x.ws.links[step.link];
  if (step.collects || x.loads.act_on_links()) pA += L.F;
  if (step.collects || x.loads.inertias != nullptr) {
    IA += L.IA;
    size += L.size;
    ends = false;
  }
  if (!ends) size = size.judged(IA);
  double scale = grip.scale;
  const auto keep = [&](const auto&, SmallFactor<T, N::value> D) {
    for (int k = 0; k < n; ++k) {
      scale += squared_size(x.ws.freedoms[link.v + k].H, x.plan.length) * value_of(D.at(k, k));
      for (int i = k; i < n; ++i) x.star.factors[step.factor + n * i + k] = D.at(i, k);
    }
  };
  const T* in_freedoms = nullptr;
  if (!eliminate_freedoms(link.v, n, x.ws, in_freedoms, x.loads, Prescribed<T>{}, size, goes_on, IA, pA, keep) &&
      grip.singular_joint < 0) {
    grip.singular_joint = link.joint;
  }
  grip.scale = scale;
  if (!goes_on) return;
  if (link.opens_point) {
    IA = to_parent(link, x.ws, IA);
    pA = to_parent(link, x.ws, pA);
    size = to_parent(link, x.ws, size);
  }
  open = {IA, pA, size};
}

// By itself, so that a compiler sees each number of freedoms alone; and a run of links with one freedom, in which numbers stay where they are.
template <class T, class N>
TRAMMEL_KERNEL void eliminate_one_plain_link(const StarContext<T>& __restrict x, const ChainLink& __restrict step, N n,
                                             bool ends, bool goes_on, OpenChain<T>& open, Grip<T>& grip) {
  eliminate_plain_link(x, step, n, ends, goes_on, open, grip);
}
template <class T>
TRAMMEL_KERNEL void eliminate_single_freedoms(const StarContext<T>& __restrict x, const ChainLink* __restrict steps,
                                              int count, bool goes_on, OpenChain<T>& result, Grip<T>& grip) {
  OpenChain<T> open = result;
  for (int i = count - 1; i >= 0; --i) {
    eliminate_plain_link(x, steps[i], std::integral_constant<int, 1>{}, i == count - 1, i > 0 || goes_on, open, grip);
  }
  result = open;
}

template <class T>
void eliminate_plain_segment(const StarContext<T>& x, const ChainPlan& chain, const SegmentPlan& segment,
                             Grip<T>& grip) {
  OpenChain<T> open;
  const ChainLink* const steps = &x.plan.links[segment.first];
  const bool leaves_chain = segment.first > chain.first || chain.is_leg;  // something takes what is left in the end
  add_known_forces(x, chain, segment, steps[segment.count - 1].link, open.pA);
  if (chain.all_single) {
    eliminate_single_freedoms(x, steps, segment.count, leaves_chain, open, grip);
  } else {
    for (int i = segment.count - 1; i >= 0; --i) {
      visit_freedoms(steps[i].nv, [&](auto n) {
        eliminate_one_plain_link(x, steps[i], n, i == segment.count - 1, i > 0 || leaves_chain, open, grip);
      });
    }
  }
  if (chain.is_leg) {
    grip.carried_inertia = open.IA;
    grip.carried_force = open.pA;
  } else if (segment.onto >= 0) {
    LinkState<T>& onto = x.ws.links[segment.onto];
    onto.IA += open.IA;
    onto.F += open.pA;
    onto.size += open.size;
  }
}

// Step 2.
template <class T, class N>
TRAMMEL_KERNEL void propagate_plain_segment(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                            const SegmentPlan& __restrict segment, Grip<T>& grip, int first_row, N) {
  constexpr int rows = N::value;
  PropagatedForces<T, rows> at;
  for (int j = 0; j < rows; ++j) {
    at.E[j] = grip.E[first_row + j];
    at.S[j] = grip.S[first_row + j];
    for (int i = 0; i <= j; ++i) at.K[j][i] = grip.K[6 * (first_row + j) + first_row + i];
  }
  for (int i = segment.first + segment.count - 1; i >= segment.first; --i) {
    const ChainLink& step = x.plan.links[i];
    const TreeLink& link = x.tree.links[step.link];
    const bool goes_on = i > chain.first || chain.is_leg;
    visit_freedoms(step.nv, [&](auto n) {
      propagate_through_joint(&x.ws.freedoms[link.v], &x.star.factors[step.factor], &x.star.omega[step.freedom], n,
                              first_row, goes_on, at);
    });
    if (!goes_on || !link.opens_point) continue;
    for (int j = 0; j < rows; ++j) at.E[j] = to_parent(link, x.ws, at.E[j]);
  }
  for (int j = 0; j < rows; ++j) {
    grip.E[first_row + j] = at.E[j];
    grip.S[first_row + j] = at.S[j];
    for (int i = 0; i <= j; ++i) grip.K[6 * (first_row + j) + first_row + i] = at.K[j][i];
  }
}

// Step 5. h: forces of the rows, as they act from the tip.
template <class T, class N>
TRAMMEL_KERNEL void accelerate_plain_segment(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                             const SegmentPlan& __restrict segment, const Omega<T>& h, int first_row,
                                             N rows, T* a) {
  for (int i = segment.first; i < segment.first + segment.count; ++i) {
    const ChainLink& step = x.plan.links[i];
    const TreeLink& link = x.tree.links[step.link];
    const FreedomState<T>* freedoms = &x.ws.freedoms[link.v];
    const bool stands_on_support = i == chain.first && !chain.is_leg;  // which has no δA
    Motion<T> dA_before{};
    if (!stands_on_support) dA_before = from_parent(link, x.ws, &LinkState<T>::dA);
    Motion<T> dA = dA_before;
    for (int f = 0; f < link.nv; ++f) {
      T vdot = freedoms[f].d;
      if (!stands_on_support) vdot -= dot(dA_before, freedoms[f].Y);
      for (int j = 0; j < rows; ++j) vdot -= x.star.omega[step.freedom + f][first_row + j] * h[first_row + j];
      dA += freedoms[f].H * vdot;
      a[link.v + f] = vdot;
    }
    LinkState<T>& L = x.ws.links[step.link];
    L.dA = dA;
    L.A += dA;
  }
}

}  // namespace trammel
