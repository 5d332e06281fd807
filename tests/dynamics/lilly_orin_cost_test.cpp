// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What Lilly and Orin's algorithm costs: operations counted, beside those of their Tables 2 and 3, and their growth. Nothing allocates.

#include <bit>
#include <fstream>

#include <gtest/gtest.h>

#include "star_case.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

// m arms of N hinges hold an object by points without friction of turning (n_c = 3): the paper's own case with N = 6, m = 3.
Model arms_on_object(int m, int N) {
  Model model;
  add_body(model, "object", 2, {0.02, 0.01, 0.03}, {0.02, 0.03, 0.04, 0.001, 0.002, 0.003},
           Transformd::translation({0, 0, 1}));
  add_joint(model, "float", Free{}, "ground", "object", Transformd::translation({0, 0, 1}));
  for (int k = 0; k < m; ++k) {
    test::Random random(static_cast<std::uint64_t>(k) + 1);
    std::string before(ground_name);
    for (int i = 0; i < N; ++i) {
      const std::string name = "arm " + std::to_string(k) + " link " + std::to_string(i);
      add_body(model, name, 1, random.vector(0.2), random.inertia_at_com(1), random.pose());
      add_joint(model, name, Revolute{}, before, name, {random.rotation(), random.vector()});
      before = name;
    }
    add_joint(model, "tip " + std::to_string(k), Spherical{}, before, "object", {random.rotation(), random.vector()})
        .cut = true;
  }
  return model;
}

StarOperations count_steps(int m, int N) {
  const Mechanism mechanism = test::compiled(arms_on_object(m, N));
  BasicLillyOrin<Counted> solver(mechanism, find_star(mechanism));
  const State state = design_state(mechanism);
  std::vector<Counted> q(state.q.begin(), state.q.end()), v(static_cast<std::size_t>(mechanism.nv)),
      tau(v.size(), Counted(0.3)), a(v.size());
  test::Random random(1);
  std::vector<double> any(v.size());
  for (double& x : any) x = random.normal();
  any = test::allowed_velocity(mechanism, state.q, any);
  std::copy(any.begin(), any.end(), v.begin());
  Counted::reset_operations();
  const StarReport report = solver.forward_dynamics(q, v, tau, a);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.held, 0);
  return solver.operations();
}

std::string text_of_page() {
  std::ifstream page(test::source_dir() + "/docs/performance.md");
  return {std::istreambuf_iterator<char>(page), {}};
}

// [Lilly & Orin 1989, Tables 2 and 3: N = 6, n_c = 3, m = 3]
TEST(LillyOrinCost, of_three_arms_is_less_than_the_papers) {
  const StarOperations cost = count_steps(3, 6);
  const OperationCount& total = cost.total;
  const char* names[] = {"outward", "open_chains", "propagation", "shares", "reference", "tip_forces", "accelerations"};
  OperationCount sum;
  for (std::size_t i = 0; i < cost.steps.size(); ++i) {
    RecordProperty(std::string(names[i]) + " multiplications", static_cast<int>(cost.steps[i].multiplications));
    RecordProperty(std::string(names[i]) + " additions", static_cast<int>(cost.steps[i].additions));
    sum += cost.steps[i];
  }
  EXPECT_EQ(sum, total);
  RecordProperty("multiplications", static_cast<int>(total.multiplications));
  RecordProperty("additions", static_cast<int>(total.additions));
  const std::string row = "**10292** | **8468** | **" + std::to_string(total.multiplications) + "** | **" +
                          std::to_string(total.additions) + "**";
  EXPECT_NE(text_of_page().find(row), std::string::npos) << "docs/performance.md should have: " << row;
  EXPECT_LT(total.multiplications, 10292);
  EXPECT_LT(total.additions, 8468);
}

long sum(const StarOperations& cost) { return cost.total.sum(); }

TEST(LillyOrinCost, grows_by_the_same_with_every_chain) {
  const long two = sum(count_steps(2, 6)), three = sum(count_steps(3, 6));
  for (const int m : {4, 5, 8, 16}) EXPECT_EQ(sum(count_steps(m, 6)), three + (m - 3) * (three - two)) << m;
}

TEST(LillyOrinCost, grows_by_the_same_with_every_link) {
  const long six = sum(count_steps(3, 6)), seven = sum(count_steps(3, 7));
  for (const int N : {8, 10, 14}) EXPECT_EQ(sum(count_steps(3, N)), six + (N - 6) * (seven - six)) << N;
  // Long chains take their 6-vectors at a new point every 16 links.
  const long one = sum(count_steps(3, 32)), two = sum(count_steps(3, 64)), three = sum(count_steps(3, 96));
  EXPECT_EQ(three - two, two - one);
}

// With a thread for each chain, what is done one after the other is one chain, the reference member, and a round of
// additions (21 + 6 numbers) each time the number of chains doubles. The object's free joint counts as a chain without links.
TEST(LillyOrinCost, of_the_critical_path_grows_with_the_logarithm_of_the_chains) {
  const StarOperations one = count_steps(1, 6);
  for (const int m : {2, 3, 4, 7, 8, 15}) {
    OperationCount expected = one.critical_path;
    expected.additions += 27 * (std::bit_width(static_cast<unsigned>(m)) - 1);
    EXPECT_EQ(count_steps(m, 6).critical_path, expected) << m;
  }
  const StarOperations three = count_steps(3, 6);
  const std::string row = "| " + std::to_string(three.critical_path.multiplications) + " | " +
                          std::to_string(three.critical_path.additions) + " |";
  EXPECT_NE(text_of_page().find(row), std::string::npos) << "docs/performance.md should have: " << row;
}

TEST(LillyOrinCost, counted_numbers_give_the_values_of_plain_ones) {
  const Mechanism mechanism = test::compiled(arms_on_object(3, 6));
  const Star star = find_star(mechanism);
  BasicLillyOrin<Counted> counted(mechanism, star);
  LillyOrin plain(mechanism, star);
  const std::vector<double> q = design_state(mechanism).q;
  std::vector<double> v(static_cast<std::size_t>(mechanism.nv), 0.2), a(v.size());
  v = test::allowed_velocity(mechanism, q, v);
  std::vector<Counted> out(v.size());
  const auto convert = [](const std::vector<double>& x) { return std::vector<Counted>(x.begin(), x.end()); };
  plain.forward_dynamics(q, v, v, a);
  counted.forward_dynamics(convert(q), convert(v), convert(v), out);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(out[k].value, a[k], 1e-11 * (1 + std::abs(a[k])));
}

}  // namespace
}  // namespace trammel
