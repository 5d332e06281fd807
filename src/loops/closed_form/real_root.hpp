// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Square roots whose argument tells how far two solutions are apart. At a dead point it is zero, and with round-off perhaps less: there
// the two positions are one, and there is no velocity.

#include <optional>
#include <type_traits>

#include <trammel/core/scalar.hpp>
#include <trammel/core/series.hpp>

namespace trammel::closed_form {

// `size` is that of the terms whose difference m is.
template <class T>
std::optional<T> real_root(const T& m, double size) {
  const double noise = 1e-14 * size;
  if (!(value_of(m) >= -noise)) return std::nullopt;
  if constexpr (std::is_same_v<T, double>) {
    return m > 0 ? std::sqrt(m) : 0;
  } else {
    if (!(value_of(m) > noise)) return std::nullopt;
    return sqrt(m);
  }
}

}  // namespace trammel::closed_form
