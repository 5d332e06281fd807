// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pieces of Lilly and Orin's algorithm, templates on the scalar S, put into a table of functions on the numbers T; as
// make_kernel_table.hpp.

#include "dynamics/lilly_orin/ball_tip.hpp"
#include "dynamics/lilly_orin/bound_reference.hpp"
#include "dynamics/lilly_orin/determined_chain.hpp"
#include "dynamics/lilly_orin/held_turning.hpp"
#include "dynamics/lilly_orin/refined_reference.hpp"
#include "dynamics/lilly_orin/star_kernels.hpp"
#include "dynamics/make_kernel_table.hpp"

namespace trammel {

template <class S>
std::array<S, 21> entries(const ArticulatedInertia<S>& I) {
  const auto J = entries(I.J), M = entries(I.M);
  const auto x = components(I.H.ex), y = components(I.H.ey), z = components(I.H.ez);
  return {J[0], J[1], J[2], J[3], J[4], J[5], x[0], x[1], x[2], y[0], y[1],
          y[2], z[0], z[1], z[2], M[0], M[1], M[2], M[3], M[4], M[5]};
}

template <class S>
StarArrays<S> carve_star(const StarPlan& plan, Carver<S>& carver) {
  StarArrays<S> star;
  const int chains = static_cast<int>(plan.chains.size()), blocks = static_cast<int>(plan.blocks.size());
  star.reference_inertia = carver.template take<ArticulatedInertia<S>>(1);
  star.freedoms = carver.template take<ChainFreedom<S>>(plan.freedom_count);
  star.omega = carver.template take<Omega<S>>(plan.freedom_count);
  star.ball_omega = carver.template take<Vec3<S>>(plan.freedom_count);
  star.bias = carver.template take<Motion<S>>(plan.bias_count);
  star.grips = carver.template take<Grip<S>>(chains);
  star.tips = carver.template take<TipJoint<S>>(static_cast<int>(plan.tips.size()));
  star.shares = carver.template take<Share<S>>(chains);
  star.blocks = carver.template take<BlockState<S>>(blocks);
  star.factors = carver.template take<S>(plan.factor_count);
  return star;
}

template <class S, class T>
struct StarKernelsOn {
  using Kernels = KernelsOn<S, T>;
  using Call = StarCall<T>;
  static S* own(T* numbers) { return Kernels::own(numbers); }
  static const S* own(const T* numbers) { return Kernels::own(numbers); }

  // Arrays of blocks come after the rest.
  template <class Use>
  static std::size_t carve(const StarPlan& plan, T* star, const Use& use) {
    Carver<S> carver(own(star));
    const StarArrays<S> arrays = carve_star(plan, carver);
    for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
      const BlockState<S> state = carve_block<S>(plan.blocks[b], carver);
      if (star != nullptr) arrays.blocks[b] = state;
    }
    use(arrays);
    return carver.count();
  }
  static std::size_t numbers(const StarPlan& plan) {
    return carve(plan, nullptr, [](const StarArrays<S>&) {});
  }
  static void prepare(const StarPlan& plan, T* star) {
    carve(plan, star, [&](const StarArrays<S>& arrays) {
      for (std::size_t k = 0; k < plan.chains.size(); ++k) arrays.grips[k] = {};
      for (std::size_t t = 0; t < plan.tips.size(); ++t) arrays.tips[t] = {};
    });
  }

  // What a piece works on, as the steps want it.
  struct Setting {
    StarContext<S> x;
    const Arrays<S>& ws = x.ws;
    const StarArrays<S>& star = x.star;
    explicit Setting(const Call& call)
        : x{call.tree,     Kernels::arrays(call.tree, call.ws), *call.plan,
            star_of(call), Kernels::loads(call.loads),          {call.prescribed, own(call.a)}} {}
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

    static StarArrays<S> star_of(const Call& call) {
      Carver<S> carver(own(call.star));
      return carve_star(*call.plan, carver);
    }
  };

  static void take(const Setting& s, const T* v, const T* tau) {
    for (int k = 0; k < s.x.tree.nv; ++k) s.ws.freedoms[k].tau = own(tau)[k];
    if (!s.x.loads.friction || !s.ws.parameters.has_friction) return;
    for_each_friction(s.x.tree, s.ws.parameters, own(v),
                      [&](int k, const S& friction) { s.ws.freedoms[k].tau += friction; });
  }
  static void load(const Setting& s) {
    if (!s.x.loads.act_on_links()) return;
    for (int l = 0; l < s.x.tree.link_count; ++l) {
      if (s.x.plan.is_in_plain_chain[l] != 0) s.ws.links[l].F = {};
    }
    if (s.x.loads.inertias != nullptr) clear_inertias(s.x.tree, s.ws);
    add_to_links(s.x.tree, s.ws, s.x.loads);
  }
  static void start_clean(const Setting& s) {
    for (const int l : s.x.plan.support_links) s.ws.links[l].dA = {};
    for (const int l : s.x.plan.collecting) {
      if (s.x.plan.is_in_plain_chain[l] != 0 && !s.x.loads.act_on_links()) s.ws.links[l].F = {};
      if (s.x.loads.inertias == nullptr) s.ws.links[l].IA = {}, s.ws.links[l].size = {};
    }
  }
  static void take_forces(const Call& call, const T* v, const T* tau) { take(Setting(call), v, tau); }
  static void outward_some(const Call& call, const int* links, int count, const T* q, const T* v) {
    const Setting s(call);
    step_outward(s.x, {links, static_cast<std::size_t>(count)}, own(q), own(v));
  }
  static void add_loads(const Call& call) { load(Setting(call)); }
  static void clear(const Call& call) { start_clean(Setting(call)); }

  // The steps of one chain: each a function, called alone or by the passes below, and compiled once for both.
  TRAMMEL_KERNEL static void place(const Setting& s, int k, const S* known) { place_tips(s.x, k, known); }
  TRAMMEL_KERNEL static void open(const Setting& s, const Call& call, int k) {
    const int hanging = eliminate_hanging(s.x, call.plan->chains[static_cast<std::size_t>(k)].hanging);
    eliminate_open_chain(s.x, k);
    if (hanging >= 0) s.star.grips[k].singular_joint = hanging;
  }
  TRAMMEL_KERNEL static void carry_forces(const Setting& s, int k) { propagate_forces(s.x, k); }
  TRAMMEL_KERNEL static void take_share(const Setting& s, int k) { find_share(s.x, k); }
  // Step by step, where one counts.
  static void place_any(const Setting& s, const Call& call, int k, const S* known) {
    const ChainPlan& chain = call.plan->chains[static_cast<std::size_t>(k)];
    if (!place_determined(s.x, chain, s.star.grips[k], known)) place(s, k, known);
  }
  static void open_any(const Setting& s, const Call& call, int k) {
    Grip<S>& grip = s.star.grips[k];
    if (grip.is_determined) {
      grip.is_determined = weigh_determined(s.x, call.plan->chains[static_cast<std::size_t>(k)], grip);
      if (grip.is_determined) return;
      place(s, k, nullptr);
    }
    open(s, call, k);
  }
  static void carry_any(const Setting& s, int k) {
    if (!s.star.grips[k].is_determined) carry_forces(s, k);
  }
  static void share_any(const Setting& s, const Call& call, int k) {
    Grip<S>& grip = s.star.grips[k];
    if (grip.is_determined) {
      share_determined(call.plan->chains[static_cast<std::size_t>(k)], grip, s.star.shares[k]);
    } else {
      take_share(s, k);
    }
  }
  TRAMMEL_KERNEL static void accelerate(const Setting& s, const Call& call, int k) {
    accelerate_chain(s.x, k, own(call.a));
    accelerate_hanging(s.x, call.plan->chains[static_cast<std::size_t>(k)].hanging, own(call.a));
  }
  static void tips_of(const Call& call, int k, const T* known) { place_any(Setting(call), call, k, own(known)); }
  static void open_chain(const Call& call, int k) { open_any(Setting(call), call, k); }
  static void propagate(const Call& call, int k) { carry_any(Setting(call), k); }
  static void share(const Call& call, int k) { share_any(Setting(call), call, k); }
  static void inward_some(const Setting& s, const Call& call, int first, int end, const S* known) {
    for (int k = first; k < end; ++k) {
      const ChainPlan& chain = call.plan->chains[static_cast<std::size_t>(k)];
      if (chain.may_be_determined && determined_chain_inward(s.x, chain, s.star.grips[k], s.star.shares[k], known)) {
        continue;
      }
      if (has_closed_ball(s.x, chain, known)) {
        ball_chain_inward(s.x, chain, k);
        continue;
      }
      place(s, k, known);
      if (chain.count == 0 && s.star.grips[k].rows == 0) {  // it hangs in the air
        s.star.shares[k] = {{}, s.star.grips[k].known};
        s.star.grips[k].null = 0;
        s.star.grips[k].weak = false;
        continue;
      }
      open(s, call, k);
      carry_forces(s, k);
      take_share(s, k);
    }
  }
  static void inward(const Call& call, int first, int end, const T* known) {
    inward_some(Setting(call), call, first, end, own(known));
  }
  static StarSummary rest(const Call& call) { return rest_of(Setting(call), call); }
  static StarSummary rest_of(const Setting& s, const Call& call) {
    StarSummary all;
    all.singular_joint = std::max(eliminate_hanging(s.x, call.plan->reference_hanging),
                                  eliminate_hanging(s.x, call.plan->support_hanging));
    for (std::size_t k = 0; k < call.plan->chains.size(); ++k) {
      const Grip<S>& grip = s.star.grips[k];
      if (all.singular_joint < 0) all.singular_joint = grip.singular_joint;
      all.rows += grip.rows;
      all.crowded = all.crowded || grip.crowded;
      all.weak = all.weak || grip.weak;
      all.null += grip.null;
      if (grip.null > 0) all.least_pivot = std::min(all.least_pivot, grip.least_pivot);
    }
    for (std::size_t b = 0; b < call.plan->blocks.size(); ++b) {
      all.block_residual = std::max(all.block_residual, s.star.blocks[b].residual);
      all.block_conditioning = std::min(all.block_conditioning, s.star.blocks[b].conditioning);
    }
    return all;
  }

  static ArticulatedInertia<S> own_inertia(const Setting& s, const Call& call) {
    const LinkState<S>& reference = s.ws.links[call.plan->reference];
    ArticulatedInertia<S> I_0 = ArticulatedInertia<S>::of(reference.M);
    if (call.plan->reference_collects || call.loads.inertias != nullptr) I_0 += reference.IA;
    return I_0;
  }
  static void sum(const Call& call) {
    sum_shares(Setting(call).star.shares, static_cast<int>(call.plan->chains.size()));
  }
  static ReferenceSummary solve(const Call& call, int null) { return solve_with(Setting(call), call, null); }
  TRAMMEL_KERNEL static ReferenceSummary solve_with(const Setting& s, const Call& call, int null) {
    LinkState<S>& reference = s.ws.links[call.plan->reference];
    ArticulatedInertia<S> I = s.star.shares[0].inertia;
    I += own_inertia(s, call);
    *s.star.reference_inertia = I;
    const Force<S> r = s.star.shares[0].force - reference.F;
    Motion<S> dA, more;
    const ReferenceSummary found = solve_for(s, call, I, r, null, false, dA);
    if (!found.found) return found;
    if (found.even < even_enough &&
        solve_for(s, call, I, missing_at(s.x, own_inertia(s, call), reference.F, dA), null, true, more).found) {
      dA += more;
    }
    reference.dA = dA;
    reference.A += dA;
    return found;
  }
  // `more`: what is to be added to an answer, for what it lacks.
  static ReferenceSummary solve_for(const Setting& s, const Call& call, const ArticulatedInertia<S>& I,
                                    const Force<S>& r, int null, bool more, Motion<S>& dA) {
    if (null == 3) {
      HeldTurning<S> held;
      if (solve_held_turning(s.x, I, r, more, held)) {
        dA = held.acceleration;
        return {true, 3, true, 0, held.least, held.even};
      }
    }
    if (null > 0) {
      BoundReference<S> bound;
      if (!solve_bound_reference(s.x, I, r, more, bound)) return {};
      dA = bound.acceleration();
      return {true, bound.held, bound.unique, bound.residual, bound.least, bound.even};
    }
    const auto e = entries(I);
    SmallFactor<S, 6> factor;
    std::array<S, 6> scale;
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k <= i; ++k) factor.at(i, k) = e[lower_entry[i][k]];
      scale[i] =
          S(value_of(factor.at(i, i)) * (weak_pivot / 1e-13));  // the factor calls a pivot singular at 1e-13 of it
    }
    if (!factor.factor(scale)) return {};
    const double length = call.plan->length;
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (int i = 0; i < 6; ++i) {
      const double pivot = 1 / (value_of(factor.at(i, i)) * (i < 3 ? length * length : 1));
      least = std::min(least, pivot), largest = std::max(largest, pivot);
    }
    const auto n = components(r.n), f = components(r.f);
    std::array<S, 6> a{n[0], n[1], n[2], f[0], f[1], f[2]};
    factor.solve(a);
    dA = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    return {.found = true, .even = least / largest};
  }
  static void set_dA(LinkState<S>& reference, const S* a) {
    reference.dA = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    reference.A += reference.dA;
  }

  static void tip_force(const Call& call, int k) {
    const Setting s(call);
    const ChainPlan& chain = call.plan->chains[static_cast<std::size_t>(k)];
    const Motion<S>& dA = s.ws.links[call.plan->reference].dA;
    if (s.star.grips[k].is_determined) {
      find_determined_force(chain, s.star.grips[k], dA, accelerations_of(s.star.grips[k].determined, chain, dA));
    } else {
      find_tip_force(s.star.grips[k], chain.is_leg, dA);
    }
  }
  static void accelerate_one(const Call& call, int k) { again_some(Setting(call), call, k, k + 1, false); }
  static void again_some(const Setting& s, const Call& call, int first, int end, bool find_forces) {
    const Motion<S> dA = s.ws.links[call.plan->reference].dA;
    for (int k = first; k < end; ++k) {
      const ChainPlan& chain = call.plan->chains[static_cast<std::size_t>(k)];
      if (s.star.grips[k].is_determined) {
        accelerate_determined(s.x, chain, s.star.grips[k], find_forces, own(call.a));
        continue;
      }
      if (s.star.grips[k].is_ball && call.plan->tips[static_cast<std::size_t>(chain.first_tip)].closure >= 0) {
        accelerate_ball_chain(s.x, chain, s.star.grips[k], find_forces, own(call.a));
        continue;
      }
      if (find_forces) find_tip_force(s.star.grips[k], chain.is_leg, dA);
      accelerate(s, call, k);
    }
  }
  static void again(const Call& call, int first, int end, bool find_forces) {
    again_some(Setting(call), call, first, end, find_forces);
  }
  static void rest_again(const Setting& s, const Call& call) {
    accelerate_hanging(s.x, call.plan->reference_hanging, own(call.a));
    accelerate_hanging(s.x, call.plan->support_hanging, own(call.a));
  }
  static void accelerate_rest(const Call& call) { rest_again(Setting(call), call); }

  // All that has no choices, in two calls.
  static StarSummary until_reference(const Call& call, const T* q, const T* v, const T* tau, const T* known) {
    const Setting s(call);
    take(s, v, tau);
    start_base_to_tip(s.x.tree, s.ws, own(q), own(v), s.x.prescribed);
    for (const int l : call.plan->other_links) keep_own_link(s.ws, l);
    load(s);
    start_clean(s);
    inward_some(s, call, 0, static_cast<int>(call.plan->chains.size()), own(known));
    return rest_of(s, call);
  }
  static ReferenceSummary from_reference(const Call& call, int null) {
    const Setting s(call);
    const int chains = static_cast<int>(call.plan->chains.size());
    sum_shares(s.star.shares, chains);
    const ReferenceSummary found = solve_with(s, call, null);
    if (!found.found) return found;
    again_some(s, call, 0, chains, true);
    rest_again(s, call);
    return found;
  }

  static void write(const Force<S>& F, S* out) {
    const auto n = components(F.n), f = components(F.f);
    for (std::size_t i = 0; i < 3; ++i) out[i] = n[i], out[3 + i] = f[i];
  }
  static void write(const ArticulatedInertia<S>& I, S* out) {
    const auto e = entries(I);
    std::copy(e.begin(), e.end(), out);
  }
  static void reference(const Call& call, T* inertia, T* force) {
    const Setting s(call);
    ArticulatedInertia<S> I = own_inertia(s, call);
    Force<S> p = s.ws.links[call.plan->reference].F;
    for (std::size_t k = 0; k < call.plan->chains.size(); ++k) {
      if (!call.plan->chains[k].is_leg) continue;
      if (s.star.grips[k].is_determined) spread_determined(s.x, call.plan->chains[k], s.star.grips[k]);
      I += s.star.grips[k].carried_inertia;
      p += s.star.grips[k].carried_force;
    }
    write(I, own(inertia));
    write(p, own(force));
  }
  // With its rows as the others have them.
  static const Grip<S>& rows_of_grip(const Setting& s, const Call& call, int k) {
    Grip<S>& grip = s.star.grips[k];
    const ChainPlan& chain = call.plan->chains[static_cast<std::size_t>(k)];
    if (grip.is_ball) spread_ball(s.x, chain, grip);
    if (grip.is_determined) spread_determined(s.x, chain, grip);
    return grip;
  }
  static void grip(const Call& call, int k, GripView<T>& view) {
    const Setting s(call);
    const Grip<S>& from = rows_of_grip(s, call, k);
    view.rows = from.rows;
    view.rotor = from.rotor;
    view.scale = from.scale;
    view.size = from.size;
    for (std::size_t j = 0; j < 6; ++j) write(from.C[j], own(view.C[j].data()));
    std::copy(from.K.begin(), from.K.end(), own(view.K.data()));
    std::copy(from.S.begin(), from.S.end(), own(view.S.data()));
    view.known = {};
    if (!call.plan->chains[static_cast<std::size_t>(k)].is_leg) write(from.known, own(view.known.data()));
  }
  static void force_at_tip(const Call& call, int k, int t, T* force) {
    const Setting s(call);
    const ChainPlan& chain = call.plan->chains[static_cast<std::size_t>(k)];
    if (s.star.grips[k].is_determined) {
      write(force_by_tip(s.x, chain, s.star.grips[k], t), own(force));
      return;
    }
    const Grip<S>& from = rows_of_grip(s, call, k);
    const TipJoint<S>& joint = s.star.tips[t];
    Force<S> F{};
    for (auto j = joint.first_row; j < joint.first_row + joint.rows; ++j) F += from.C[j] * from.h[j];
    if (!chain.is_leg) {
      F += joint.known;
    } else {
      F -= from.carried_force + from.carried_inertia * s.ws.links[call.plan->reference].dA;
    }
    write(F, own(force));
  }
  static void set_reference(const Call& call, const T* dA) {
    set_dA(Kernels::arrays(call.tree, call.ws).links[call.plan->reference], own(dA));
  }
  static void set_tip_force(const Call& call, int k, const T* h) {
    Grip<S>& to = Setting(call).star.grips[k];
    std::copy(own(h), own(h) + to.rows, to.h.begin());
    to.force_is_open = false;
  }
  static void effective_inertia(const Call& call, T* inertia) {
    write(*Setting(call).star.reference_inertia, own(inertia));
  }
};

template <class S, class T>
constexpr StarTable<T> make_star_table() {
  using K = StarKernelsOn<S, T>;
  return {.numbers = K::numbers,
          .prepare = K::prepare,
          .take_forces = K::take_forces,
          .outward_some = K::outward_some,
          .add_loads = K::add_loads,
          .clear = K::clear,
          .place_tips = K::tips_of,
          .open_chain = K::open_chain,
          .propagate = K::propagate,
          .share = K::share,
          .inward = K::inward,
          .rest = K::rest,
          .sum_shares = K::sum,
          .solve = K::solve,
          .tip_force = K::tip_force,
          .accelerate = K::accelerate_one,
          .again = K::again,
          .accelerate_rest = K::accelerate_rest,
          .until_reference = K::until_reference,
          .from_reference = K::from_reference,
          .reference = K::reference,
          .grip = K::grip,
          .set_reference = K::set_reference,
          .set_tip_force = K::set_tip_force,
          .force_at_tip = K::force_at_tip,
          .effective_inertia = K::effective_inertia};
}

}  // namespace trammel
