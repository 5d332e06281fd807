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
  double *inertia = nullptr, *bias = nullptr;  // 21 and 6 numbers per body of the mechanism, each in lanes; set, not added to
  UniformSurroundings<double> around;
  double level = std::numeric_limits<double>::infinity();
  Vec3d up = {};
  char* is_left = nullptr;  // per body that is in the fluid; on call: those that the caller wants
};

template <class T>
TRAMMEL_KERNEL void run_lanes(LaneTask task, Tree tree, Arrays<T> ws) {
  auto* const inertia = reinterpret_cast<ArticulatedInertia<T>*>(task.inertia);
  auto* const bias = reinterpret_cast<Force<T>*>(task.bias);
  const UniformSurroundings<T> around{T(task.around.density), Vec3<T>::from(task.around.u),
                                      Vec3<T>::from(task.around.a_f), Vec3<T>::from(task.around.g)};
  const Vec3<T> up = Vec3<T>::from(task.up);
  const bool has_surface = task.level < std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    if (task.is_left[i] != 0 || body.first == body.last) continue;
    const LinkState<T>& L = ws.links[body.link];
    const Transform<T> X_OL{L.R_WL, L.p_OL};
    if (has_surface) {
      const Vec3<T> p_WO = ws.points[tree.links[body.link].point].p_WO;
      if (any_of(rises_above(body, X_OL, p_WO, up, task.level) > T(0))) {
        task.is_left[i] = 1;
        continue;
      }
    }
    BasicSum<T> sum;
    set_parts(sum, body, task.parts, X_OL, L.V, around);
    inertia[body.body] = sum.added;
    bias[body.body] = sum.bias;
  }
}

}  // namespace trammel::fluid

extern "C" {
// Of libtrammel-kernels.so: run_lanes.
void trammel_fluid_lane_kernel(const trammel::fluid::LaneTask* task, const trammel::Tree* tree, const double* ws);
}
