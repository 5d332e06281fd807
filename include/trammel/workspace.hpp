// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scratch for the kernels: made once for a mechanism, then nothing allocates. One workspace per thread. What lies in it
// is the kernels' own business; functions such as pose_WB() read it.

#include <trammel/core/aligned_array.hpp>
#include <trammel/mechanism.hpp>

namespace trammel {

template <class T>
class BasicWorkspace {
 public:
  // Throws std::invalid_argument where T is not double and the mechanism has a custom joint.
  explicit BasicWorkspace(const Mechanism& mechanism);

  // Masses, lengths, friction and gravity; at first the mechanism's own. A user may vary them without compiling anew.
  const Parameters<T>& parameters() const { return parameters_; }
  void set_parameters(const Mechanism& mechanism, const Parameters<T>& parameters);

  T* numbers() { return numbers_.data(); }
  const T* numbers() const { return numbers_.data(); }
  std::vector<Force<T>>& forces_of_bodies() { return forces_of_bodies_; }

 private:
  Parameters<T> parameters_;
  AlignedArray<T> numbers_;
  std::vector<Force<T>> forces_of_bodies_;  // for compute_reactions
};

using Workspace = BasicWorkspace<double>;

}  // namespace trammel
