// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bodies in a fluid of one velocity, several states side by side in lanes: the same pieces as in uniform_bodies.hpp, read from the links of a
// workspace in lanes. What reaches above the surface in any of the states is left to the caller, in all of them.

#include <limits>

#include "fluid/uniform_bodies.hpp"
#include "kernels/link_state.hpp"

namespace trammel::fluid {

struct LaneTask {
  const WetBody* bodies = nullptr;
  std::size_t count = 0;
  const WetPart* parts = nullptr;
  const int* dry_links = nullptr;  // links without any of these bodies
  std::size_t dry_count = 0;
  UniformSurroundings<double> around;
  double level = std::numeric_limits<double>::infinity();
  Vec3d up = {};
  char* is_left = nullptr;  // per body that is in the fluid; on call: those that the caller wants
};

// Sets what acts on every link: the inertia IA, its size, and the force F that it needs at A (see add_to_links in articulated_body.hpp).
template <class T>
TRAMMEL_KERNEL void run_lanes(LaneTask task, Tree tree, Arrays<T> ws) {
  const UniformSurroundings<T> around = around_all<T>(task.around);
  const Vec3<T> up = Vec3<T>::from(task.up);
  const bool has_surface = task.level < std::numeric_limits<double>::infinity();
  const auto clear = [](LinkState<T>& L) { L.IA = {}, L.F = {}, L.size = {}; };
  for (std::size_t i = 0; i < task.dry_count; ++i) clear(ws.links[task.dry_links[i]]);
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    LinkState<T>& L = ws.links[body.link];
    const Transform<T> X_OL{L.R_WL, L.p_OL};
    if (has_surface && task.is_left[i] == 0) {
      const Vec3<T> p_WO = ws.points[tree.links[body.link].point].p_WO;
      if (any_of(rises_above(body, X_OL, p_WO, up, task.level) > T(0))) task.is_left[i] = 1;
    }
    if (task.is_left[i] != 0 || body.first == body.last) {
      if (body.is_first_on_link) clear(L);
      continue;
    }
    BasicSum<T> sum;
    sum_parts(sum, body, [&](BasicSum<T>& of_part, std::size_t k) {
      set_whole_part(of_part, body, task.parts[k], X_OL, L.V, around);
    });
    const Force<T> needed = sum.bias + sum.added * L.A;
    if (body.is_first_on_link) {
      L.IA = sum.added, L.F = needed, L.size = InertiaSize<T>::of(sum.added);
    } else {
      L.IA += sum.added, L.F += needed, L.size += InertiaSize<T>::of(sum.added);
    }
  }
}

}  // namespace trammel::fluid

extern "C" {
// Of libtrammel-kernels.so: run_lanes.
void trammel_fluid_lane_kernel(const trammel::fluid::LaneTask* task, const trammel::Tree* tree, double* ws);
}
