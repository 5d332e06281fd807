// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// All bodies that lie wholly in one fluid with one velocity: what costs most and happens most often, so that it is compiled for each
// instruction-set level (src/kernel_library/fluid.cpp), and for several states in lanes (lane_bodies.hpp). Plain numbers cross the border.
// Of one state, the integrals along bars, half of the work, are found for several bars side by side.

#include <cstring>
#include <limits>

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

template <bool varies, class T, class S>
void set_part(BasicSum<T>& sum, const WetPart& part, const Vec3<T>& c, const Mat3<T>& R_WL, const Motion<T>& V,
              const S& s, const Wetting& wetting, const T& displaced, const StripIntegrals<T>* strips = nullptr) {
  switch (part.form) {
    case WetPart::Form::bar:
      return set_bar<varies>(sum, part, c, R_WL * Vec3<T>::from(part.X_LS.R.ez), V, s, wetting, displaced, strips);
    case WetPart::Form::sphere:
      return set_sphere<T>(sum, part, c, V, s, wetting, displaced);
    default:
      return set_in_own_axes<T>(sum, part, c, R_WL * Mat3<T>::from(part.X_LS.R), V, s, wetting, displaced);
  }
}

// All parts of a body, on a link at X_OL that moves with V. `strips`: per part, as in set_bar.
template <class T>
void set_parts(BasicSum<T>& sum, const WetBody& body, const WetPart* parts, const Transform<T>& X_OL,
               const Motion<T>& V, const UniformSurroundings<T>& s, const StripIntegrals<T>* strips = nullptr) {
  for (std::size_t k = body.first; k < body.last; ++k) {
    const Vec3<T> c = X_OL * Vec3<T>::from(parts[k].X_LS.p);
    const T displaced = s.density * (parts[k].volume * body.volume_factor);
    BasicSum<T> more;
    BasicSum<T>& into = k == body.first ? sum : more;
    if (k > body.first) more.damping = sum.damping;
    set_part<false>(into, parts[k], c, X_OL.R, V, s, {}, body.has_offset ? T(0) : displaced,
                    strips == nullptr ? nullptr : strips + k);
    if (body.has_offset) add_buoyancy(into, c + X_OL.R * Vec3<T>::from(body.offset_L), displaced, s);
    if (k > body.first) sum.take(more);
  }
}

// Integrals along bars, collected until as many are there as a register has lanes.
template <class Wide>
class StripBlock {
 public:
  explicit StripBlock(StripIntegrals<double>* of_part) : of_part_(of_part) {}

  void add(std::size_t part, double half, const BarMotion<double>& bar) {
    const double numbers[4] = {dot(bar.A, bar.A), dot(bar.A, bar.B), dot(bar.B, bar.B), half};
    for (int i = 0; i < 4; ++i) at(i, count_) = numbers[i];
    part_[count_++] = part;
    if (count_ == Wide::width) find();
  }
  // What is left over.
  void finish() {
    if (count_ > 1) return find();
    if (count_ == 1) of_part_[part_[0]] = strip_integrals(at(0, 0), at(1, 0), at(2, 0), at(3, 0));
    count_ = 0;
  }

 private:
  void find() {
    for (int k = count_; k < Wide::width; ++k) {
      for (int i = 0; i < 4; ++i) at(i, k) = at(i, 0);
    }
    const auto row = [&](int i) {
      Wide x;
      std::memcpy(&x.r, &at(i, 0), sizeof(x.r));
      return x;
    };
    const StripIntegrals<Wide> I = strip_integrals(row(0), row(1), row(2), row(3));
    for (int k = 0; k < count_; ++k) of_part_[part_[k]] = {I.I0.r[k], I.I1.r[k], I.I2.r[k]};
    count_ = 0;
  }
  double& at(int row, int lane) { return numbers_[row * Wide::width + lane]; }

  double numbers_[4 * Wide::width];
  std::size_t part_[Wide::width];
  int count_ = 0;
  StripIntegrals<double>* of_part_;
};

// How far above the level the highest point of a body may be: below zero, it is all below.
template <class T>
T rises_above(const WetBody& body, const Transform<T>& X_OL, const Vec3<T>& p_WO, const Vec3<T>& up, double level) {
  return dot(up, p_WO + X_OL * Vec3<T>::from(body.centre_L)) + T(body.reach - level);
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
  ArticulatedInertia<double>* damping = nullptr;  // scratch, as the next two:
  LinkView<double>* links = nullptr;              // per body that is in the fluid
  StripIntegrals<double>* strips = nullptr;       // per part
  UniformSurroundings<double> around;
  double h = 0;
  // Where the fluid has a surface: bodies that reach above `level` are left to the caller.
  double level = std::numeric_limits<double>::infinity();
  Vec3d up = {};
  double potential_per_mass = 0;         // of displaced fluid, from the world's origin up to the surfaces
  char* is_left = nullptr;               // per body that is in the fluid; on call: those that the caller wants
  double dissipated = 0, potential = 0;  // found
};

using LinkReader = void (*)(const Tree&, const double* ws, int link, double* view);

// Bodies that reach above the level are left; of the others, the integrals along their bars.
template <class Wide>
void start_uniform(UniformTask& task, const Tree& tree, const double* ws, LinkReader link) {
  StripBlock<Wide> block(task.strips);
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    if (task.is_left[i] != 0) continue;
    LinkView<double>& L = task.links[i];
    link(tree, ws, body.link, reinterpret_cast<double*>(&L));
    if (rises_above(body, L.X_OL, L.p_WO, task.up, task.level) > 0) {
      task.is_left[i] = 1;
      continue;
    }
    for (std::size_t k = body.first; k < body.last; ++k) {
      const WetPart& part = task.parts[k];
      if (part.form != WetPart::Form::bar || !part.resists) continue;
      block.add(k, part.strip_half, {L.X_OL * part.X_LS.p, L.X_OL.R * part.X_LS.R.ez, L.V, task.around.u});
    }
  }
  block.finish();
}

template <class Wide>
void run_uniform(UniformTask& task, const Tree& tree, const double* ws, LinkReader link) {
  start_uniform<Wide>(task, tree, ws, link);
  for (std::size_t i = 0; i < task.count; ++i) {
    const WetBody& body = task.bodies[i];
    if (task.is_left[i] != 0) continue;
    const LinkView<double>& L = task.links[i];
    Found& found = task.found[i];
    Sum& sum = found.sum;
    sum.damping = task.h > 0 ? task.damping : nullptr;
    if (task.h > 0) clear(task.damping, sizeof(*task.damping));
    found.V = L.V, found.p_WO = L.p_WO, found.u = task.around.u;
    if (body.first == body.last) {
      clear_but_damping(sum);
    } else {
      set_parts(sum, body, task.parts, L.X_OL, L.V, task.around, task.strips);
    }
    task.potential +=
        dot(task.around.g, L.p_WO * sum.displaced + sum.displaced_moment) + task.potential_per_mass * sum.displaced;
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
