// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether numbers are numbers: a verdict on what a kernel found, one look at each.

#include <cstddef>
#include <span>

#include <trammel/core/scalar.hpp>

namespace trammel {

template <class T>
bool all_finite(std::span<const std::type_identity_t<T>> x) {
  constexpr std::size_t wide = 8;  // sums that do not wait for each other
  double sum[wide] = {};
  std::size_t i = 0;
  for (; i + wide <= x.size(); i += wide) {
    for (std::size_t w = 0; w < wide; ++w) sum[w] += value_of(x[i + w]) * 0.0;
  }
  for (std::size_t w = 0; i + w < x.size(); ++w) sum[w] += value_of(x[i + w]) * 0.0;
  for (std::size_t half = wide / 2; half > 0; half /= 2) {
    for (std::size_t w = 0; w < half; ++w) sum[w] += sum[w + half];
  }
  return sum[0] == 0.0;
}

}  // namespace trammel
