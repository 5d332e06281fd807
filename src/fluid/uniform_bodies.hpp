// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// All bodies that lie wholly in one fluid with one velocity: what costs most and happens most often, so that it is compiled for each
// instruction-set level (src/kernel_library/fluid.cpp), and for several states in lanes (lane_bodies.hpp). Plain numbers cross the border.
// Of one state bars, which most hulls are made of, are worked on several at a time (bar_rows.hpp).

#include <cstddef>
#include <cstring>
#include <limits>

#include "fluid/bar_rows.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/lane_rows.hpp"

namespace trammel::fluid {

// Out of line: where the size is known compilers write zeros by an instruction that takes longer than all the rest.
[[gnu::noinline]] inline void clear(void* from, std::size_t bytes) { std::memset(from, 0, bytes); }
inline void clear_but_damping(Sum& sum) {
  ArticulatedInertia<double>* const damping = sum.damping;
  clear(&sum, sizeof(sum));
  sum.damping = damping;
}

template <bool varies, class T, class S>
void set_part(BasicSum<T>& sum, const WetPart& part, const Vec3<T>& c, const Mat3<T>& R_WL, const Motion<T>& V,
              const S& s, const Wetting& wetting, const T& displaced) {
  switch (part.form) {
    case WetPart::Form::bar:
      return set_bar<varies>(sum, Bar<T>::of(part), c, R_WL * Vec3<T>::from(part.X_LS.R.ez), V, s, wetting, displaced);
    case WetPart::Form::sphere:
      return set_sphere<T>(sum, part, c, V, s, wetting, displaced);
    default:
      return set_in_own_axes<T>(sum, part, c, R_WL * Mat3<T>::from(part.X_LS.R), V, s, wetting, displaced);
  }
}

// A part that is wholly in the fluid, of a body on a link at X_OL that moves with V.
template <class T>
void set_whole_part(BasicSum<T>& sum, const WetBody& body, const WetPart& part, const Transform<T>& X_OL,
                    const Motion<T>& V, const UniformSurroundings<T>& s) {
  const Vec3<T> c = X_OL * Vec3<T>::from(part.X_LS.p);
  const T displaced = s.density * (part.volume * body.volume_factor);
  set_part<false>(sum, part, c, X_OL.R, V, s, {}, body.has_offset ? T(0) : displaced);
  if (body.has_offset) add_buoyancy(sum, c + X_OL.R * Vec3<T>::from(body.offset_L), displaced, s);
}

// Sums over the parts of a body, of which set(sum, k) sets one.
template <class T, class Set>
void sum_parts(BasicSum<T>& sum, const WetBody& body, const Set& set) {
  for (std::size_t k = body.first; k < body.last; ++k) {
    if (k == body.first) {
      set(sum, k);
    } else {
      BasicSum<T> more;
      more.damping = sum.damping;
      set(more, k);
      sum.take(more);
    }
  }
}

// How far above the level the highest point of a body may be: below zero, it is all below.
template <class T>
T rises_above(const WetBody& body, const Transform<T>& X_OL, const Vec3<T>& p_WO, const Vec3<T>& up, double level) {
  return dot(up, p_WO + X_OL * Vec3<T>::from(body.centre_L)) + T(body.reach - level);
}

// Adds what was found of a body to what the dynamics takes, or sets that.
inline void hand_over(const Sum& sum, double h, bool sets, ArticulatedInertia<double>& inertia, Force<double>& bias) {
  if (sets) {
    inertia = sum.added, bias = sum.bias;
  } else {
    inertia += sum.added, bias += sum.bias;
  }
  if (h > 0) {
    inertia.J += sum.damping->J * h;
    inertia.H += sum.damping->H * h;
    inertia.M += sum.damping->M * h;
  }
}

struct UniformTask {
  const WetBody* bodies = nullptr;
  std::size_t count = 0;
  const WetPart* parts = nullptr;
  const BarLane* bars = nullptr;
  std::size_t bar_count = 0;
  const double* bar_constants = nullptr;
  double* bar_dampings = nullptr;                 // scratch
  Found* found = nullptr;                         // per body that is in the fluid
  ArticulatedInertia<double>* inertia = nullptr;  // per body of the mechanism
  Force<double>* bias = nullptr;
  ArticulatedInertia<double>* damping = nullptr;  // scratch
  UniformSurroundings<double> around;
  double h = 0;
  bool sets = false;  // inertia and bias, of bodies that are in the fluid; otherwise it adds to them
  // Where the fluid has a surface: bodies that reach above `level` are left to the caller.
  double level = std::numeric_limits<double>::infinity();
  Vec3d up = {};
  double potential_per_mass = 0;         // of displaced fluid, from the world's origin up to the surfaces
  char* is_left = nullptr;               // per body that is in the fluid; on call: those that the caller wants
  double dissipated = 0, potential = 0;  // found

  bool has_surface() const { return level < std::numeric_limits<double>::infinity(); }
};

template <class T>
UniformSurroundings<T> around_all(const UniformSurroundings<double>& s) {
  return {T(s.density), Vec3<T>::from(s.u), Vec3<T>::from(s.a_f), Vec3<T>::from(s.g)};
}
// Of a workspace's scalar S, which packs vectors.
template <class S>
Vec3d plain(const Vec3<S>& a) {
  const auto [x, y, z] = components(a);
  return {value_of(x), value_of(y), value_of(z)};
}
template <class S>
Motion<double> plain(const Motion<S>& V) {
  return {plain(V.w), plain(V.v)};
}

// Marks the bodies that reach above the level.
template <class S>
void leave_what_rises(const UniformTask& task, const Tree& tree, const Arrays<S>& ws) {
  const Vec3<S> up = Vec3<S>::from(task.up);
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    const LinkState<S>& L = ws.links[body.link];
    const Vec3<S>& p_WO = ws.points[tree.links[body.link].point].p_WO;
    if (rises_above(body, Transform<S>{L.R_WL, L.p_OL}, p_WO, up, task.level) > S(0)) task.is_left[i] = 1;
  }
}

// The bars of one block, `first` and those after it; with their damping or without.
template <class Wide, bool damped, class S>
TRAMMEL_KERNEL void run_bars(const UniformTask& task, const Arrays<S>& ws, std::size_t first) {
  // A link's state begins with R_WL, p_OL and V: six vectors of three numbers and one that is not used.
  static_assert(sizeof(Vec3<S>) == 4 * sizeof(double) &&
                sizeof(Transform<S>) + sizeof(Motion<S>) == 24 * sizeof(double));
  const BarLane* const lanes = task.bars + first;
  const double* links[Wide::width];
  double* sums[Wide::width];
  double* dampings[Wide::width];
  for (int i = 0; i < Wide::width; ++i) {
    links[i] = reinterpret_cast<const double*>(&ws.links[lanes[i].link]);
    sums[i] = reinterpret_cast<double*>(lanes[i].sum);
    dampings[i] = task.bar_dampings + (first + static_cast<std::size_t>(i)) * damping_numbers;
  }
  Wide rows[24];
  into_rows<24>(links, rows);
  const auto vector = [&](int k) { return Vec3<Wide>{rows[4 * k], rows[4 * k + 1], rows[4 * k + 2]}; };
  const Transform<Wide> X_OL{{vector(0), vector(1), vector(2)}, vector(3)};
  const Motion<Wide> V{vector(4), vector(5)};

  const auto& bar = reinterpret_cast<const PlacedBar<Wide>*>(task.bar_constants)[first / Wide::width];
  const UniformSurroundings<Wide> around = around_all<Wide>(task.around);
  struct {
    ArticulatedInertia<Wide> numbers;
    Wide zeros[3];
  } damping;
  BasicSum<Wide> sum;
  if constexpr (damped) sum.damping = &damping.numbers;
  set_bar<false>(sum, bar.bar, X_OL * bar.c_L, X_OL.R * bar.e_L, V, around, {}, around.density * bar.volume);
  static_assert(sizeof(Sum) == sum_numbers * sizeof(double) + sizeof(sum.damping));
  out_of_rows<sum_numbers>(reinterpret_cast<const Wide*>(&sum), sums);
  if constexpr (damped) out_of_rows<damping_numbers>(reinterpret_cast<const Wide*>(&damping), dampings);
}

// What was found of a bar, unless it is there already.
inline void take_bar(Sum& sum, const Sum& found, const double* its_damping) {
  ArticulatedInertia<double>* const damping = sum.damping;
  if (&sum != &found) sum = found, sum.damping = damping;
  if (damping == nullptr) return;
  ArticulatedInertia<double> more;
  std::memcpy(static_cast<void*>(&more), its_damping, sizeof(more));
  *damping += more;
}

template <class Wide, class S>
void run_uniform(UniformTask& task, const Tree& tree, const Arrays<S>& ws) {
  if (task.has_surface()) leave_what_rises(task, tree, ws);
  for (std::size_t first = 0; first < task.bar_count; first += Wide::width) {
    bool is_wanted = false;
    for (std::size_t i = first; i < first + Wide::width; ++i) is_wanted |= task.is_left[task.bars[i].body] == 0;
    if (!is_wanted) continue;
    if (task.h > 0) {
      run_bars<Wide, true>(task, ws, first);
    } else {
      run_bars<Wide, false>(task, ws, first);
    }
  }
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    const auto b = static_cast<std::size_t>(body.body);
    if (task.is_left[i] != 0) {
      if (task.sets) task.inertia[b] = {}, task.bias[b] = {};
      continue;
    }
    const LinkState<S>& L = ws.links[body.link];
    Found& found = task.found[i];
    Sum& sum = found.sum;
    sum.damping = task.h > 0 ? task.damping : nullptr;
    if (task.h > 0) clear(task.damping, sizeof(*task.damping));
    found.V = plain(L.V), found.p_WO = plain(ws.points[tree.links[body.link].point].p_WO), found.u = task.around.u;
    if (body.first == body.last) clear_but_damping(sum);
    sum_parts(sum, body, [&](Sum& of_part, std::size_t k) {
      const WetPart& part = task.parts[k];
      if (part.place >= 0)
        return take_bar(of_part, *task.bars[part.place].sum, task.bar_dampings + part.place * damping_numbers);
      const Transformd X_OL{{plain(L.R_WL.ex), plain(L.R_WL.ey), plain(L.R_WL.ez)}, plain(L.p_OL)};
      set_whole_part(of_part, body, part, X_OL, found.V, task.around);
    });
    task.potential +=
        dot(task.around.g, found.p_WO * sum.displaced + sum.displaced_moment) + task.potential_per_mass * sum.displaced;
    task.dissipated += sum.dissipated;
    hand_over(sum, task.h, task.sets, task.inertia[b], task.bias[b]);
  }
}

}  // namespace trammel::fluid

extern "C" {
// Of libtrammel-kernels.so: run_uniform.
void trammel_fluid_kernel(trammel::fluid::UniformTask* task, const trammel::Tree* tree, const double* ws);
}
