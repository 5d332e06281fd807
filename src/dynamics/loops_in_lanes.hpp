// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Accelerations of mechanisms with loops, the same steps in all lanes. M and h of the tree, J a = d of the loops, f = τ − h:
//   M a = f + Jᵀ λ,     J a = d                                                                                     (1)
// With M = Lᵀ D L (tree_factor.hpp), all in the tree's own freedoms,
//   Y = J L⁻¹,   u = L⁻ᵀ f,   S = Y D⁻¹ Yᵀ,   S λ = d − Y D⁻¹ u,   L a = D⁻¹ (u + Yᵀ λ)                              (2)
// A row of Y is zero but for the freedoms that carry a link that the row ties; S is dense. Its rows are measured by how readily the
// mechanism would give way if nothing in them cancelled, so that what cancels, as of a redundant row, is but round-off beside μ:
//   (S + μ) δ = d − J a,     λ += δ            until J a = d                                                         (3)
// Redundant rows share their force, as in loop_elimination.hpp. Where (3) has not come to rest in all lanes after a few turns, the caller is
// told which, and finds another way.

#include <vector>

#include "dynamics/articulated_body.hpp"
#include "dynamics/composite_body.hpp"
#include "dynamics/lilly_orin/closures.hpp"
#include "dynamics/tree_factor.hpp"

namespace trammel {

// Rows that tie the same links: those of a closing joint whose spaces do not turn in it; or, without one, rows that the caller finds.
struct LaneRows {
  const ClosurePlan* closure = nullptr;
  int first_row = 0, rows = 0;
  int first_place = 0, places = 0;    // in LaneRowsPlan::places: freedoms that carry a link of theirs
  int first_number = 0;               // in J and Y: rows × places
  int first_update = 0, updates = 0;  // in LaneRowsPlan::updates
};
// A pair of places of one group, or of two, counted within them.
struct PlacePair {
  int first = 0, second = 0;
};
struct PlaceOfRow {
  int freedom = 0;
  int sign = 0;  // how it moves the second link against the first: 0 where it carries both
};
// Groups g ≥ h that have freedoms in common.
struct CommonPlaces {
  int g = 0, h = 0;
  int first = 0, count = 0;  // in LaneRowsPlan::common
};

struct LaneRowsPlan {
  std::vector<LaneRows> groups;
  std::vector<PlaceOfRow> places;
  std::vector<PlacePair> updates;  // of L⁻ᵀ: (k, m), k carries m, from the last k on
  std::vector<CommonPlaces> commons;
  std::vector<PlacePair> common;
  int rows = 0, numbers = 0;
};

// Found by the caller: of the rows of groups without a closure J, how large its terms are before they cancel, and d.
template <class T>
struct GivenRows {
  const T *J = nullptr, *terms = nullptr, *d = nullptr;  // laid out as J and d of all rows
};

template <class T>
struct LaneLoops {
  T *M, *h, *u, *a;          // per freedom; M n²
  T *J, *Y, *size;           // per number; per row
  T *S, *d, *lambda, *rest;  // per row; S m²
};
template <class T>
std::size_t lane_loop_scalars(int nv, const LaneRowsPlan& plan) {
  const auto n = static_cast<std::size_t>(nv), m = static_cast<std::size_t>(plan.rows);
  return n * n + 2 * n + 2 * static_cast<std::size_t>(plan.numbers) + m * m + 4 * m;
}
template <class T>
LaneLoops<T> lane_loops(int nv, const LaneRowsPlan& plan, T* memory, T* a) {
  const auto n = static_cast<std::size_t>(nv), m = static_cast<std::size_t>(plan.rows);
  const auto take = [&memory](std::size_t count) {
    T* const first = memory;
    memory += count;
    return first;
  };
  const auto numbers = static_cast<std::size_t>(plan.numbers);
  LaneLoops<T> x{};
  x.M = take(n * n), x.h = take(n), x.u = take(n), x.a = a;
  x.J = take(numbers), x.Y = take(numbers), x.size = take(m);
  x.S = take(m * m), x.d = take(m), x.lambda = take(m), x.rest = take(m);
  return x;
}

// M, h and, in the links, positions, velocities and A⁰. Destroys inertias and forces of links.
template <class T>
void tree_of_loops(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const LoadArrays<T>& loads,
                   const LaneLoops<T>& x) {
  if (!loads.after_velocities) velocities_base_to_tip(tree, ws, q, v);
  if (loads.act_on_links()) {
    if (!loads.in_links) {
      clear_inertias(tree, ws);
      for (int l = 0; l < tree.link_count; ++l) ws.links[l].F = {};
    }
    add_to_links(tree, ws, loads);
    for (int l = 0; l < tree.link_count; ++l) {
      const OwnLink<T> own = own_link(ws, l);
      ws.links[l].IA += ArticulatedInertia<T>::of(own.M);
      ws.links[l].F += own.p;
    }
  } else {
    for (int l = 0; l < tree.link_count; ++l) {
      const OwnLink<T> own = own_link(ws, l);
      ws.links[l].M = own.M;
      ws.links[l].F = own.p;
    }
  }
  joint_forces_tip_to_base(tree, ws, x.h);
  if (loads.friction && ws.parameters.has_friction) subtract_joint_friction(tree, ws.parameters, v, x.h);
  if (loads.act_on_links()) {
    fill_matrix(tree, ws, &LinkState<T>::IA, x.M);
  } else {
    fill_matrix(tree, ws, &LinkState<T>::M, x.M);
  }
  for (int k = 0; k < tree.nv; ++k) x.M[static_cast<std::size_t>(k) * tree.nv + k] += dof_inertia(ws, loads, k);
}

// Rows of a closing joint: J = φᶜᵀ (H of the second link − H of the first), d = φᶜᵀ c; see closures.hpp.
template <class T>
TRAMMEL_KERNEL void rows_of_closure(Tree tree, Arrays<T> ws, const LaneRows& group, const PlaceOfRow* places,
                                    LaneLoops<T> x) {
  const ClosurePlan& closure = *group.closure;
  const int at = closure.link_M != -1 ? closure.link_M : closure.link_F;
  Force<T> F[6];
  const Transform<T> X_OM = frame_seen_from(tree, ws, closure.link_M, Transform<T>::from(closure.X_LM), at);
  place_forces(closure.space.forces, X_OM, F);
  const Motion<T> c = relative_bias(tree, ws, closure, at);
  T n_size[6], f_size[6];
  for (int r = 0; r < group.rows; ++r) {
    x.d[group.first_row + r] = dot(c, F[r]);
    x.size[group.first_row + r] = T(0);
    n_size[r] = dot(F[r].n, F[r].n), f_size[r] = dot(F[r].f, F[r].f);
  }
  for (int i = 0; i < group.places; ++i) {
    const int k = places[i].freedom;
    T* const column = x.J + group.first_number + i;
    if (places[i].sign == 0) {
      for (int r = 0; r < group.rows; ++r) column[r * group.places] = T(0);
      continue;
    }
    const Motion<T> H = at_point_of(tree, ws, ws.freedoms[k].H, tree.link_of_dof[k], at);
    const T over_M = T(1) / x.M[static_cast<std::size_t>(k) * tree.nv + k], w2 = dot(H.w, H.w), v2 = dot(H.v, H.v);
    for (int r = 0; r < group.rows; ++r) {
      const T product = dot(H, F[r]);
      column[r * group.places] = places[i].sign > 0 ? product : -product;
      x.size[group.first_row + r] += (n_size[r] * w2 + f_size[r] * v2) * over_M;
    }
  }
}

template <class T>
void given_rows(const Tree& tree, const LaneRows& group, const PlaceOfRow* places, const GivenRows<T>& given,
                const LaneLoops<T>& x) {
  for (int r = 0; r < group.rows; ++r) {
    const int row = group.first_row + r;
    x.d[row] = given.d[row];
    x.size[row] = T(0);
    for (int i = 0; i < group.places; ++i) {
      const int number = group.first_number + r * group.places + i, k = places[i].freedom;
      x.J[number] = given.J[number];
      x.size[row] += given.terms[number] * given.terms[number] / x.M[static_cast<std::size_t>(k) * tree.nv + k];
    }
  }
}

// Y = J L⁻¹, a group's rows side by side.
template <class T>
TRAMMEL_KERNEL void reduce_rows(Tree tree, const T* L, LaneRows group, const PlaceOfRow* places,
                                const PlacePair* updates, const T* J, T* Y) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (int i = 0; i < group.rows * group.places; ++i) Y[i] = J[i];
  for (int i = 0; i < group.updates; ++i) {
    const auto [k, m] = updates[i];
    const T factor = L[static_cast<std::size_t>(places[m].freedom) * n + static_cast<std::size_t>(places[k].freedom)];
    for (int r = 0; r < group.rows; ++r) Y[r * group.places + k] -= factor * Y[r * group.places + m];
  }
}

// The block of S of two groups; ones on D are 1/D.
template <class T>
TRAMMEL_KERNEL void block_of_S(Tree tree, const T* L, LaneRows g, LaneRows h, const PlaceOfRow* places_of_g,
                               const PlacePair* common, int count, const T* Y, T* S, int m) {
  constexpr int wide = 3;
  const T *const of_g = Y + g.first_number, *const of_h = Y + h.first_number;
  const auto diagonal = static_cast<std::size_t>(tree.nv) + 1;
  for (int s = 0; s < h.rows; s += wide) {
    const int strip = std::min(wide, h.rows - s);
    for (int r = 0; r < g.rows; ++r) {
      T sum[wide] = {T(0), T(0), T(0)};
      const T* const row_h[wide] = {of_h + s * h.places, of_h + (strip > 1 ? s + 1 : s) * h.places,
                                    of_h + (strip > 2 ? s + 2 : s) * h.places};
      for (int i = 0; i < count; ++i) {
        const auto [a, b] = common[i];
        const T scaled = of_g[r * g.places + a] * L[static_cast<std::size_t>(places_of_g[a].freedom) * diagonal];
        for (int w = 0; w < wide; ++w) sum[w] += scaled * row_h[w][b];
      }
      for (int w = 0; w < strip; ++w) S[(g.first_row + r) * m + h.first_row + s + w] = sum[w];
    }
  }
}

// Lower triangle of S + μ, rows and columns measured: S_rs ← S_rs / √(size_r size_s); then its factor, the diagonal inverted.
template <class T>
TRAMMEL_KERNEL void factor_S(int m, T* S, T* size) {
  constexpr double mu = 1e-10, nothing = 1e-290;
  for (int r = 0; r < m; ++r) size[r] = select(size[r] > T(nothing), T(1) / sqrt(size[r]), T(0));
  for (int r = 0; r < m; ++r) {
    for (int s = 0; s <= r; ++s) S[r * m + s] *= size[r] * size[s];
    S[r * m + r] += T(mu);
  }
  for (int r = 0; r < m; ++r) {
    for (int s = 0; s <= r; ++s) {
      T sum = S[r * m + s];
      for (int k = 0; k < s; ++k) sum -= S[r * m + k] * S[s * m + k];
      S[r * m + s] = s < r ? sum * S[s * m + s] : T(1) / sqrt(sum);
    }
  }
}
template <class T>
TRAMMEL_KERNEL void solve_S(int m, const T* S, T* x) {
  for (int r = 0; r < m; ++r) {
    T sum = x[r];
    for (int k = 0; k < r; ++k) sum -= S[r * m + k] * x[k];
    x[r] = sum * S[r * m + r];
  }
  for (int r = m - 1; r >= 0; --r) {
    const T found = x[r] * S[r * m + r];
    x[r] = found;
    for (int k = 0; k < r; ++k) x[k] -= S[r * m + k] * found;
  }
}

// u = L⁻ᵀ f in place, and a = L⁻¹ D⁻¹ u.
template <class T>
TRAMMEL_KERNEL void forces_through_tree(Tree tree, const T* L, T* u) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (int m = tree.nv - 1; m >= 0; --m) {
    const T of_m = u[m];
    each_stretch_before(tree, m, [&](int first, int end) {
      for (int k = first; k < end; ++k) u[k] -= L[static_cast<std::size_t>(m) * n + static_cast<std::size_t>(k)] * of_m;
    });
  }
}
template <class T>
TRAMMEL_KERNEL void accelerations_through_tree(Tree tree, const T* L, const T* u, T* a) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (int k = 0; k < tree.nv; ++k) {
    const T* const row = L + static_cast<std::size_t>(k) * n;
    T sum = u[k] * row[k];
    each_stretch_before(tree, k, [&](int first, int end) {
      for (int i = first; i < end; ++i) sum -= row[i] * a[i];
    });
    a[k] = sum;
  }
}

// rest = d − J a, measured; returns the sum of its entries beside that of the terms they are summed from. What is no number remains so.
template <class T>
T find_rest(const LaneRowsPlan& plan, const LaneLoops<T>& x) {
  T whole(1e-290), missing(0);
  for (const LaneRows& group : plan.groups) {
    const PlaceOfRow* const places = plan.places.data() + group.first_place;
    for (int r = 0; r < group.rows; ++r) {
      const int row = group.first_row + r;
      const T* const J = x.J + group.first_number + r * group.places;
      T sum = x.d[row], terms = abs(sum);
      for (int i = 0; i < group.places; ++i) {
        const T term = J[i] * x.a[places[i].freedom];
        sum -= term;
        terms += abs(term);
      }
      x.rest[row] = sum * x.size[row];
      missing += abs(x.rest[row]);
      whole += terms * x.size[row];
    }
  }
  return missing / whole;
}

// Accelerations in `a`; per lane the joint without inertia in the tree alone (−1: none), and how far J a is from d: what is not small, or
// no number, has no answer here. `settled` is the share of d that counts as nothing.
template <class T>
void accelerate_loops(const Tree& tree, const Arrays<T>& ws, const LaneRowsPlan& plan, const GivenRows<T>& given,
                      const T* q, const T* v, const T* tau, const LoadArrays<T>& loads, const LaneLoops<T>& x,
                      double settled, T* singular_joint, T* rest) {
  constexpr int most_turns = 6;
  const int m = plan.rows;
  tree_of_loops(tree, ws, q, v, loads, x);
  for (const LaneRows& group : plan.groups) {
    const PlaceOfRow* const places = plan.places.data() + group.first_place;
    if (group.closure != nullptr) {
      rows_of_closure(tree, ws, group, places, x);
    } else {
      given_rows(tree, group, places, given, x);
    }
  }
  *singular_joint = factor_tip_to_base(tree, x.M);
  for (const LaneRows& group : plan.groups) {
    reduce_rows(tree, x.M, group, plan.places.data() + group.first_place, plan.updates.data() + group.first_update,
                x.J + group.first_number, x.Y + group.first_number);
  }
  for (int i = 0; i < m * m; ++i) x.S[i] = T(0);
  for (const CommonPlaces& c : plan.commons) {
    const LaneRows& g = plan.groups[static_cast<std::size_t>(c.g)];
    block_of_S(tree, x.M, g, plan.groups[static_cast<std::size_t>(c.h)], plan.places.data() + g.first_place,
               plan.common.data() + c.first, c.count, x.Y, x.S, m);
  }
  factor_S(m, x.S, x.size);
  for (int k = 0; k < tree.nv; ++k) x.u[k] = tau[k] - x.h[k];
  forces_through_tree(tree, x.M, x.u);
  for (int turn = 0;; ++turn) {
    accelerations_through_tree(tree, x.M, x.u, x.a);
    *rest = find_rest(plan, x);
    const auto has_settled = *rest < T(settled);  // lanes that have stay as they are, whatever the others need
    if (turn == most_turns || all_of(has_settled)) break;
    solve_S(m, x.S, x.rest);
    for (const LaneRows& group : plan.groups) {  // u += Yᵀ δ
      const PlaceOfRow* const places = plan.places.data() + group.first_place;
      for (int r = 0; r < group.rows; ++r) {
        const int row = group.first_row + r;
        const T delta = select(has_settled, T(0), x.rest[row] * x.size[row]);
        const T* const Y = x.Y + group.first_number + r * group.places;
        for (int i = 0; i < group.places; ++i) x.u[places[i].freedom] += Y[i] * delta;
      }
    }
  }
}

}  // namespace trammel

// As KernelTable has its functions: plain numbers, a block of states.
struct TrammelLoopLanes {
  std::size_t (*scratch_numbers)(const trammel::Tree&, const trammel::LaneRowsPlan&);
  void (*accelerate)(const trammel::Tree&, double* ws, double* scratch, const trammel::LaneRowsPlan&,
                     const trammel::GivenRows<double>&, const double* q, const double* v, const double* tau, double* a,
                     const trammel::LoadArrays<double>&, double settled, double* singular_joint, double* rest);
};
extern "C" const TrammelLoopLanes* trammel_loop_lanes();
