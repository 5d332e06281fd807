// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "mechanism/spanning_tree.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

using Ints = std::vector<int>;

// Ground −1, crank 0, coupler 1, rocker 2.
const std::vector<TreeEdge> four_bar{{-1, 0, 1, false}, {0, 1, 1, false}, {1, 2, 1, false}, {2, -1, 1, false}};

TEST(SpanningTree, grows_evenly_from_the_ground_where_freedoms_are_equal) {
  const SpanningTree tree = find_spanning_tree(3, four_bar);
  EXPECT_EQ(tree.parent, (Ints{-1, 0, -1}));
  EXPECT_EQ(tree.joint, (Ints{0, 1, 3}));
  EXPECT_EQ(tree.closures, (Ints{2}));
  EXPECT_EQ(tree.base_to_tip, (Ints{0, 1, 2}));
}

TEST(SpanningTree, leaves_the_joint_with_most_freedoms_to_close_the_loop) {
  std::vector<TreeEdge> edges = four_bar;
  edges[1].freedoms = 3;
  const SpanningTree tree = find_spanning_tree(3, edges);
  EXPECT_EQ(tree.closures, (Ints{1}));
  EXPECT_EQ(tree.parent, (Ints{-1, 2, -1}));
}

TEST(SpanningTree, cuts_where_it_is_asked_to) {
  std::vector<TreeEdge> edges = four_bar;
  edges[0].cut = true;
  EXPECT_EQ(find_spanning_tree(3, edges).closures, (Ints{0}));
}

TEST(SpanningTree, takes_a_cut_joint_when_nothing_else_reaches_its_body) {
  const SpanningTree tree = find_spanning_tree(1, {{-1, 0, 1, true}});
  EXPECT_EQ(tree.parent, (Ints{-1}));
  EXPECT_TRUE(tree.closures.empty());
}

TEST(SpanningTree, names_bodies_out_of_reach_and_no_closure_among_them) {
  const SpanningTree tree = find_spanning_tree(3, {{-1, 0, 1, false}, {1, 2, 1, false}, {2, 1, 1, false}});
  EXPECT_EQ(tree.parent, (Ints{-1, SpanningTree::not_reached, SpanningTree::not_reached}));
  EXPECT_TRUE(tree.closures.empty());
  EXPECT_EQ(tree.base_to_tip, (Ints{0}));
}

TEST(SpanningTree, orders_bodies_depth_first_with_children_in_file_order) {
  // ground → 0 → {3, 1}, 1 → 2; edge order decides between 3 and 1.
  const SpanningTree tree =
      find_spanning_tree(4, {{-1, 0, 1, false}, {0, 3, 1, false}, {0, 1, 1, false}, {1, 2, 1, false}});
  EXPECT_EQ(tree.base_to_tip, (Ints{0, 3, 1, 2}));
}

TEST(SpanningTree, walks_a_loop_up_from_the_first_body_and_down_to_the_second) {
  const SpanningTree tree = find_spanning_tree(3, four_bar);
  EXPECT_EQ(find_loop(tree, four_bar[2]), (Ints{1, 0, 3}));
}

TEST(SpanningTree, leaves_the_common_trunk_out_of_a_loop) {
  // A trunk 0, then two branches 1 and 2 joined at their ends.
  const std::vector<TreeEdge> edges{{-1, 0, 1, false}, {0, 1, 1, false}, {0, 2, 1, false}, {1, 2, 2, false}};
  const SpanningTree tree = find_spanning_tree(3, edges);
  EXPECT_EQ(find_loop(tree, edges[3]), (Ints{1, 2}));
}

TEST(SpanningTree, reaches_the_end_of_a_chain_of_a_hundred_thousand) {
  constexpr int n = 100000;
  std::vector<TreeEdge> edges;
  for (int i = 0; i < n; ++i) edges.push_back({i - 1, i, 1, false});
  EXPECT_EQ(find_spanning_tree(n, edges).base_to_tip.size(), static_cast<std::size_t>(n));
}

}  // namespace
}  // namespace trammel
