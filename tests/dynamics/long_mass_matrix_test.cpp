// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Mass matrices too large for the cache are written on the grid of their memory (composite_body.hpp): wherever they begin, every entry is
// there, once and the same, and none beyond them.

#include <cmath>

#include <gtest/gtest.h>

#include "support/prepared.hpp"

namespace trammel {
namespace {

// Hinges one behind the other; the second half of them stands on the link in the middle of the first half.
Model fork(int n, bool branches) {
  test::Random random(static_cast<std::uint64_t>(n));
  Model model;
  for (int i = 0; i < n; ++i) {
    const int before = branches && i == n / 2 ? n / 4 : i - 1;
    const std::string name = std::to_string(i);
    add_body(model, name, 1, random.vector(0.2), random.inertia_at_com(1), random.pose());
    add_joint(model, "hinge " + name, Revolute{}, before < 0 ? std::string(ground_name) : std::to_string(before), name,
              random.pose());
  }
  return model;
}

class LongMassMatrix : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(LongMassMatrix, is_that_of_inverse_dynamics_wherever_it_is_written) {
  const auto [count, branches] = GetParam();
  const Mechanism mechanism = test::compiled(fork(count, branches));
  const auto n = static_cast<std::size_t>(mechanism.nv);
  ASSERT_EQ(n, static_cast<std::size_t>(count));
  Workspace ws(mechanism);
  test::Random random(5);
  std::vector<double> q(n), zero(n);
  for (double& angle : q) angle = random.uniform(-3, 3);

  constexpr double untouched = 12345;
  std::vector<double> first;
  for (std::size_t offset = 0; offset < 4; ++offset) {
    SCOPED_TRACE(offset);
    std::vector<double> room(n * n + 12, untouched);
    const std::span<double> M(room.data() + 4 + offset, n * n);
    mass_matrix(mechanism, ws, q, M);
    for (std::size_t i = 0; i < room.size(); ++i) {
      const bool inside = i >= 4 + offset && i < 4 + offset + n * n;
      if (inside == (room[i] == untouched)) FAIL() << "entry " << i << (inside ? " is missing" : " is overwritten");
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) ASSERT_EQ(M[i * n + k], M[k * n + i]) << i << ", " << k;
    }
    if (first.empty()) first.assign(M.begin(), M.end());
    ASSERT_TRUE(std::equal(M.begin(), M.end(), first.begin()));
  }

  std::vector<double> h(n), tau(n), a(n);
  inverse_dynamics(mechanism, ws, q, zero, zero, h);
  for (std::size_t k = 0; k < n; k += 7) {
    a[k] = 1;
    inverse_dynamics(mechanism, ws, q, zero, a, tau);
    a[k] = 0;
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) size = std::max({size, std::abs(h[i]), std::abs(tau[i])});
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(first[i * n + k], tau[i] - h[i], 1e-12 * size) << i << ", " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LongMassMatrix,
                         ::testing::Combine(::testing::Values(255, 256, 257, 258, 259, 300),
                                            ::testing::Values(false, true)));

}  // namespace
}  // namespace trammel
