// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// All bodies in one fluid that moves with one velocity: what costs most and happens most often, so that it is compiled for each instruction-set
// level (src/kernel_library/fluid.cpp). Plain numbers cross the border.

#include <cstring>

#include "fluid/part_forces.hpp"
#include "kernels/kernel_table.hpp"

namespace trammel::fluid {

// Of a body: the sum over its parts, and how its link moves.
struct Found {
  Sum sum;
  Motion<double> V;  // at O
  Vec3d u, p_WO;     // the fluid's velocity around the body; O
};

// Out of line: where the size is known compilers write zeros by an instruction that takes longer than all the rest.
[[gnu::noinline]] inline void clear(void* from, std::size_t bytes) { std::memset(from, 0, bytes); }
inline void clear_but_damping(Sum& sum) {
  ArticulatedInertia<double>* const damping = sum.damping;
  clear(&sum, sizeof(sum));
  sum.damping = damping;
}

template <bool varies>
void set_part(Sum& sum, const WetPart& part, const Vec3d& c, const LinkView<double>& L, const Surroundings& s,
              const Wetting& wetting, double displaced) {
  switch (part.form) {
    case WetPart::Form::bar:
      return set_bar<varies>(sum, part, c, L.X_OL.R * part.X_LS.R.ez, L.V, s, wetting, displaced);
    case WetPart::Form::sphere:
      return set_sphere(sum, part, c, L.V, s, wetting, displaced);
    default:
      return set_in_own_axes(sum, part, c, L.X_OL.R * part.X_LS.R, L.V, s, wetting, displaced);
  }
}

inline void set_parts(Sum& sum, const WetBody& body, const WetPart* parts, const LinkView<double>& L,
                      const Surroundings& s) {
  if (body.first == body.last) return clear_but_damping(sum);
  for (std::size_t k = body.first; k < body.last; ++k) {
    const Vec3d c = L.X_OL * parts[k].X_LS.p;
    const double displaced = s.density * parts[k].volume * body.volume_factor;
    Sum more;
    Sum& into = k == body.first ? sum : more;
    if (k > body.first) more.damping = sum.damping;
    set_part<false>(into, parts[k], c, L, s, {}, body.has_offset ? 0 : displaced);
    if (body.has_offset) add_buoyancy(into, c + L.X_OL.R * body.offset_L, displaced, s);
    if (k > body.first) sum.take(more);
  }
}

// Adds what was found of a body to what the dynamics takes.
inline void hand_over(const Sum& sum, double h, ArticulatedInertia<double>& inertia, Force<double>& bias) {
  inertia += sum.added;
  bias += sum.bias;
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
  Found* found = nullptr;                         // per body that is in the fluid
  ArticulatedInertia<double>* inertia = nullptr;  // per body of the mechanism
  Force<double>* bias = nullptr;
  ArticulatedInertia<double>* damping = nullptr;  // scratch
  Surroundings around;
  double h = 0;
  double dissipated = 0, potential = 0;  // found
};

using LinkReader = void (*)(const Tree&, const double* ws, int link, double* view);

inline void run_uniform(UniformTask& task, const Tree& tree, const double* ws, LinkReader link) {
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    LinkView<double> L;
    link(tree, ws, body.link, reinterpret_cast<double*>(&L));
    Found& found = task.found[i];
    Sum& sum = found.sum;
    sum.damping = task.h > 0 ? task.damping : nullptr;
    if (task.h > 0) clear(task.damping, sizeof(*task.damping));
    found.V = L.V, found.p_WO = L.p_WO, found.u = task.around.u;
    set_parts(sum, body, task.parts, L, task.around);
    task.potential += dot(task.around.g, L.p_WO * sum.displaced + sum.displaced_moment);
    task.dissipated += sum.dissipated;
    const auto b = static_cast<std::size_t>(body.body);
    hand_over(sum, task.h, task.inertia[b], task.bias[b]);
  }
}

}  // namespace trammel::fluid

extern "C" {
// Of libtrammel-kernels.so: run_uniform.
void trammel_fluid_kernel(trammel::fluid::UniformTask* task, const trammel::Tree* tree, const double* ws,
                          trammel::fluid::LinkReader link);
}
