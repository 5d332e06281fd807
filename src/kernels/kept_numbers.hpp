// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is kept for kernels that compute with T. The states side by side in lanes have the same parameters: these are kept
// once, not once a lane, and read into all lanes of a register at once, which costs no more than reading a register. For a block of
// eight states they would fill as much of the cache as all that is found out about a link.

#include <type_traits>

#include <trammel/spatial/inertia.hpp>

namespace trammel {

template <class T>
struct KeptFor {
  using Number = T;
  using Inertia = LinkInertia<T>;              // or whatever inertia_in_world() takes
  static constexpr bool accelerations = true;  // of links, after forward dynamics
};
template <class T>
using Kept = typename KeptFor<T>::Number;

// The same numbers for kernels to compute with.
template <class T, template <class> class Quantity>
Quantity<T> for_kernel(const Quantity<Kept<T>>& kept) {
  if constexpr (std::is_same_v<T, Kept<T>>) {
    return kept;
  } else {
    return Quantity<T>::from(kept);
  }
}

}  // namespace trammel
