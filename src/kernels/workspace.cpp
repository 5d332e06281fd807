// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The room that kernels work in.

#include <stdexcept>
#include <type_traits>

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/workspace.hpp>

#include "kernels/kernel_table.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {

template <class T>
BasicWorkspace<T>::BasicWorkspace(const Mechanism& mechanism) : forces_of_bodies_(mechanism.bodies.size()) {
  if (!std::is_same_v<T, double> && mechanism.has_custom_joint) {
    throw std::invalid_argument("custom joints run on double only: this mechanism has one");
  }
  numbers_ = AlignedArray<T>(kernels<T>().workspace_numbers(tree_of(mechanism)));
  set_parameters(mechanism, Parameters<T>::from(mechanism.parameters));
}

template <class T>
void BasicWorkspace<T>::set_parameters(const Mechanism& mechanism, const Parameters<T>& parameters) {
  parameters_ = parameters;
  kernels<T>().set_parameters(tree_of(mechanism), arrays_of(parameters_), numbers());
}

template class BasicWorkspace<double>;
template class BasicWorkspace<Dual>;
template class BasicWorkspace<Counted>;

}  // namespace trammel
