// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the recursions cost: operations grow by exactly the same number with each further body of a chain. And one
// mechanism serves many threads, which get the same bytes.

#include <cmath>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include <trammel/core/counted.hpp>

#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::Prepared;
using test::Random;

// Hinges with axes at right angles in turn, links of 1 m.
Model chain(int n) {
  Model model;
  for (int i = 0; i < n; ++i) {
    const double x = i;
    add_body(model, "link " + std::to_string(i), 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0},
             Transformd::translation({x, 0, 0}));
    const std::string before = i == 0 ? std::string(ground_name) : "link " + std::to_string(i - 1);
    const Vec3d axis = i % 2 == 0 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
    add_joint(model, "hinge " + std::to_string(i), Revolute{}, before, "link " + std::to_string(i),
              frame_at({x, 0, 0}, axis));
  }
  return model;
}

using Work = std::function<void(const Mechanism&, BasicWorkspace<Counted>&, const std::vector<Counted>&)>;

OperationCount count(int n, const Work& work) {
  const Mechanism mechanism = test::compiled(chain(n));
  BasicWorkspace<Counted> ws(mechanism);
  const std::vector<Counted> numbers(static_cast<std::size_t>(n), Counted(0.3));
  Counted::reset_operations();
  work(mechanism, ws, numbers);
  return Counted::operations();
}

void expect_linear(const char* name, const Work& work) {
  SCOPED_TRACE(name);
  const int n = 32;  // long chains take their 6-vectors at a new point every 16 links
  const OperationCount one = count(n, work), two = count(2 * n, work), three = count(3 * n, work);
  EXPECT_EQ(three.multiplications - two.multiplications, two.multiplications - one.multiplications);
  EXPECT_EQ(three.additions - two.additions, two.additions - one.additions);
  EXPECT_EQ(three.sin_cos - two.sin_cos, two.sin_cos - one.sin_cos);
  EXPECT_GT(two.multiplications, one.multiplications);
  ::testing::Test::RecordProperty(std::string(name) + " multiplications per body",
                                  static_cast<int>((two.multiplications - one.multiplications) / n));
  ::testing::Test::RecordProperty(std::string(name) + " additions per body",
                                  static_cast<int>((two.additions - one.additions) / n));
}

TEST(Cost, of_the_recursions_is_linear_in_the_number_of_bodies) {
  std::vector<Counted> out(96);
  const auto room = [&out](const Mechanism& m) { return std::span(out).first(static_cast<std::size_t>(m.nv)); };
  expect_linear("positions", [&](const Mechanism& m, auto& ws, const auto& x) { compute_positions(m, ws, x); });
  expect_linear("velocities", [&](const Mechanism& m, auto& ws, const auto& x) { compute_velocities(m, ws, x, x); });
  expect_linear("forward dynamics",
                [&](const Mechanism& m, auto& ws, const auto& x) { forward_dynamics(m, ws, x, x, x, room(m)); });
  expect_linear("inverse dynamics",
                [&](const Mechanism& m, auto& ws, const auto& x) { inverse_dynamics(m, ws, x, x, x, room(m)); });
}

// Counted and dual numbers run the same operations, compiled alike. Plain ones may fuse multiplications with additions
// and sum in another order, so they agree to round-off.
TEST(Cost, counted_numbers_give_the_values_of_plain_ones) {
  const Model model = chain(20);
  Random random(1);
  Prepared p(model, test::random_states(model, 1));
  BasicWorkspace<Counted> ws(p.mechanism);
  const auto counted = [](const std::vector<double>& x) { return std::vector<Counted>(x.begin(), x.end()); };
  std::vector<Counted> a(p.nv());
  forward_dynamics(p.mechanism, ws, counted(p.q), counted(p.v), counted(p.tau), a);
  BasicWorkspace<Dual> dual_ws(p.mechanism);
  std::vector<Dual> dual_a(p.nv());
  forward_dynamics(p.mechanism, dual_ws, test::constant(p.q), test::constant(p.v), test::constant(p.tau), dual_a);
  const std::vector<double> plain = p.forward();
  for (std::size_t k = 0; k < p.nv(); ++k) {
    EXPECT_EQ(a[k].value, dual_a[k].value);
    EXPECT_NEAR(a[k].value, plain[k], 1e-12 * (1 + std::abs(plain[k])));
  }
}

TEST(Threads, sharing_one_mechanism_get_the_same_bytes) {
  const Model model = test::random_model(7, {.bodies = 40, .friction = true, .armature = true});
  Prepared p(model, test::random_states(model, 7));
  const Mechanism& shared = p.mechanism;
  constexpr std::size_t threads = 4;
  constexpr int repeats = 200;
  std::vector<std::vector<double>> a(threads), tau(threads), M(threads);
  std::vector<std::thread> pool;
  for (std::size_t t = 0; t < threads; ++t) {
    pool.emplace_back([&, t] {
      Workspace ws(shared);
      a[t].resize(p.nv());
      tau[t].resize(p.nv());
      M[t].resize(p.nv() * p.nv());
      for (int i = 0; i < repeats; ++i) {
        forward_dynamics(shared, ws, p.q, p.v, p.tau, a[t]);
        inverse_dynamics(shared, ws, p.q, p.v, p.a, tau[t]);
        mass_matrix(shared, ws, p.q, M[t]);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  for (std::size_t t = 0; t < threads; ++t) {
    EXPECT_EQ(a[t], p.forward());
    EXPECT_EQ(tau[t], p.inverse(p.a));
    EXPECT_EQ(M[t], M[0]);
  }
}

}  // namespace
}  // namespace trammel
