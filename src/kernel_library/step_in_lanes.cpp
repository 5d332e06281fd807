// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Steps of several motions in SIMD lanes, compiled once for every instruction-set level.

#include "kernels/varied_lanes.hpp"
// The scalar comes first, as in one_state.cpp.
#include "dynamics/make_kernel_table.hpp"
#include "kernel_library/export.hpp"
#include "simulation/lane_step.hpp"

namespace trammel {
namespace {

template <class T>
struct StepOn {
  using Kernels = KernelsOn<T, double>;

  static std::size_t scratch_numbers(const Tree& tree, int points) {
    return lane_scratch_scalars<T>(tree.nq, tree.nv, points) * T::width;
  }
  static void set_lane(const Tree& tree, const ParameterArrays<double>& from, int lane, double* ws) {
    if constexpr (std::is_same_v<Kept<T>, T>) {
      const ParameterArrays<T> to = Kernels::arrays(tree, ws).parameters;
      const auto put = [lane](const auto* source, const auto* target, int count) {
        static_assert(sizeof(*target) == T::width * sizeof(*source));  // the same numbers in the same order
        const auto* numbers = reinterpret_cast<const double*>(source);
        auto* lanes = const_cast<double*>(reinterpret_cast<const double*>(target));
        const std::size_t all = static_cast<std::size_t>(count) * sizeof(*source) / sizeof(double);
        for (std::size_t i = 0; i < all; ++i) lanes[i * T::width + static_cast<std::size_t>(lane)] = numbers[i];
      };
      put(from.X_PF, to.X_PF, tree.link_count);
      put(from.inertia, to.inertia, tree.link_count);
      put(from.X_LB, to.X_LB, tree.body_count);
      put(from.armature, to.armature, tree.nv);
      put(from.viscous, to.viscous, tree.nv);
      put(from.dry, to.dry, tree.nv);
      put(from.dry_speed, to.dry_speed, tree.nv);
      auto* gravity = reinterpret_cast<double*>(Carver<T>(reinterpret_cast<T*>(ws)).template take<Vec3<T>>(1));
      put(&from.gravity, reinterpret_cast<const Vec3<T>*>(gravity), 1);
    }
  }
  static void step(const LaneStepTask& task, const Tree& tree, double* ws, double* scratch) {
    LaneStep<T>(task, tree, Kernels::arrays(tree, ws), lane_scratch(tree.nq, tree.nv, reinterpret_cast<T*>(scratch)))
        .run();
  }

  static constexpr TrammelLaneStep table{Kernels::workspace_numbers, scratch_numbers, Kernels::set_parameters, set_lane,
                                         step};
};

}  // namespace
}  // namespace trammel

extern "C" {
TRAMMEL_EXPORT const TrammelLaneStep* trammel_lane_step(bool has_own_parameters) {
  return has_own_parameters ? &trammel::StepOn<trammel::VariedLanes>::table : &trammel::StepOn<trammel::Lanes>::table;
}
}
