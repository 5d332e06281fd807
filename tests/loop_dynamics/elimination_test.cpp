// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Elimination: its order, its growth with the number of links, and that it finds what the dense method finds.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "closed_case.hpp"
#include "loop_dynamics/elimination_order.hpp"

namespace trammel {
namespace {

using test::ClosedCase;
using test::LinkageCase;

struct Graph {
  std::vector<int> parent;
  std::vector<std::vector<int>> groups;

  EliminationOrder order() const { return {parent, groups}; }
};

// Two rails on one base, tied rung by rung; links numbered rail after rail.
Graph ladder(int n) {
  Graph g;
  g.parent.push_back(-1);
  for (int i = 1; i <= n; ++i) g.parent.push_back(i - 1);
  for (int i = 1; i <= n; ++i) g.parent.push_back(i == 1 ? 0 : n + i - 1);
  for (int i = 1; i <= n; ++i) g.groups.push_back({i, n + i});
  return g;
}
// A chain whose last link is tied to its first.
Graph ring(int n) {
  Graph g;
  for (int i = 0; i < n; ++i) g.parent.push_back(i - 1);
  g.groups.push_back({n - 1, 0});
  return g;
}
// Crank, coupler and rocker on the coupler of the four-bar before.
Graph chain_of_four_bars(int n) {
  Graph g;
  int base = -1;
  for (int i = 0; i < n; ++i) {
    const int crank = 3 * i;
    g.parent.insert(g.parent.end(), {base, crank, base});
    g.groups.push_back({crank + 1, crank + 2});
    base = crank + 1;
  }
  return g;
}
// One body held by n chains of three links.
Graph star(int n) {
  Graph g;
  g.parent.push_back(-1);
  for (int i = 0; i < n; ++i) {
    const int first = 1 + 3 * i;
    g.parent.insert(g.parent.end(), {-1, first, first + 1});
    g.groups.push_back({first + 2, 0});
  }
  return g;
}

// The counts of an independent implementation of the same rule (children first, fewest couplings first) for ladders: 6 n + 1.
TEST(EliminationOrder, keeps_one_coupling_per_link_in_a_ladder) {
  for (const int n : {10, 20, 40, 80, 160}) {
    const EliminationOrder order = ladder(n).order();
    EXPECT_EQ(order.operations(), 6 * n + 1) << n;
    EXPECT_EQ(order.largest_neighbourhood(), 1) << n;
  }
}

TEST(EliminationOrder, grows_exactly_linearly) {
  for (const auto& make : {ladder, ring, chain_of_four_bars, star}) {
    const long at_10 = make(10).order().operations(), at_11 = make(11).order().operations();
    for (const int n : {20, 50, 100, 500, 1000}) {
      const EliminationOrder order = make(n).order();
      EXPECT_EQ(order.operations(), at_10 + (n - 10) * (at_11 - at_10)) << n;
      EXPECT_LE(order.largest_neighbourhood(), 2) << n;
    }
  }
}

TEST(EliminationOrder, takes_children_before_parents_and_knows_every_pair) {
  const Graph g = chain_of_four_bars(7);
  const EliminationOrder order = g.order();
  std::vector<int> place(g.parent.size());
  for (std::size_t k = 0; k < order.steps().size(); ++k)
    place[static_cast<std::size_t>(order.steps()[k].link)] = static_cast<int>(k);
  ASSERT_EQ(order.steps().size(), g.parent.size());
  for (std::size_t l = 0; l < g.parent.size(); ++l) {
    if (g.parent[l] < 0) continue;
    EXPECT_LT(place[l], place[static_cast<std::size_t>(g.parent[l])]);
  }
  for (const std::vector<int>& group : g.groups) {
    bool swapped = false;
    EXPECT_GE(order.find_block(group[0], group[1], swapped), 0);
    EXPECT_EQ(swapped, place[static_cast<std::size_t>(group[1])] < place[static_cast<std::size_t>(group[0])]);
  }
}

RC_GTEST_PROP(LoopElimination, finds_what_the_dense_method_finds, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-3);
  std::vector<double> dense(c.nv()), eliminated(c.nv());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, dense, {}, LoopMethod::dense).ok());
  const std::vector<LoopReaction> expected = dynamics.reactions();
  const LoopVerdict verdict = dynamics.forward(c.q, c.v, c.tau, eliminated, {}, LoopMethod::elimination);
  RC_ASSERT(verdict.ok());
  RC_ASSERT(verdict.iterations <= 40);
  RC_ASSERT(test::error_of(eliminated, dense) < 1e-9);
  const std::vector<LoopReaction> found = dynamics.reactions();
  double size = 1;
  for (const LoopReaction& r : expected) size = std::max(size, norm(r.F_W.f) + norm(r.F_W.n));
  for (std::size_t j = 0; j < found.size(); ++j) {
    RC_ASSERT(norm(found[j].F_W.f - expected[j].F_W.f) < 1e-7 * size);
    RC_ASSERT(norm(found[j].F_W.n - expected[j].F_W.n) < 1e-7 * size);
  }
}

// At rest in free fall nothing is held: weight and inertia cancel in every link, and no force is left to compare round-off with.
TEST(LoopElimination, converges_in_free_fall) {
  Model model;
  model.gravity = {0.3, -9.81, 1};
  for (const char* name : {"base", "crank", "coupler", "rocker"})
    add_body(model, name, 1.3, {0.1, 0.2, -0.1}, {1, 1.2, 0.9, 0.1, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "float", Free{}, "ground", "base", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "base", "crank", frame_at({0, 0, 0}, z));
  add_joint(model, "B", Revolute{}, "crank", "coupler", frame_at({0, 1, 0}, z));
  add_joint(model, "C", Revolute{}, "coupler", "rocker", frame_at({2, 1.5, 0}, z));
  add_joint(model, "D", Revolute{}, "base", "rocker", frame_at({2, 0, 0}, z));
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  const State state = design_state(mech);
  const std::vector<double> none(static_cast<std::size_t>(mech.nv), 0.0);
  std::vector<double> a(none);
  const LoopVerdict verdict = dynamics.forward(state.q, none, none, a, {}, LoopMethod::elimination);
  ASSERT_TRUE(verdict.ok()) << verdict.residual;
  EXPECT_LE(verdict.iterations, 3);
  Workspace ws(mech);
  compute_accelerations(mech, ws, state.q, none, a);
  for (const char* name : {"base", "crank", "coupler", "rocker"}) {
    const Motion<double> A = acceleration_W(mech, ws, mech.find_body(name));
    EXPECT_LT(norm(A.w) + norm(A.v - model.gravity), 1e-12) << name;
  }
}

// Wrenches, added inertias and biases act in both.
RC_GTEST_PROP(LoopElimination, takes_loads_as_the_dense_method_does, (const LinkageCase& l)) {
  const ClosedCase c(l, {});
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-3);
  test::Prepared prepared(c.model, test::zero_states(c.model));
  prepared.q = c.q;
  const test::LoadCase load = prepared.load_case(l.seed, {.wrenches = true, .additions = true});
  std::vector<double> dense(c.nv()), eliminated(c.nv());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, dense, load.loads(), LoopMethod::dense).ok());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, eliminated, load.loads(), LoopMethod::elimination).ok());
  RC_ASSERT(test::error_of(eliminated, dense) < 1e-9);
}

}  // namespace
}  // namespace trammel
