// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "mechanism/spanning_tree.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace trammel {
namespace {

constexpr int no_body = -1;

// The ground takes index 0 in these lists, body b index b + 1.
std::size_t slot(int body) { return static_cast<std::size_t>(body + 1); }

std::vector<std::vector<int>> edges_at_bodies(int bodies, const std::vector<TreeEdge>& edges) {
  std::vector<std::vector<int>> at(slot(bodies));
  for (int e = 0; e < static_cast<int>(edges.size()); ++e) {
    at[slot(edges[e].first)].push_back(e);
    if (edges[e].second != edges[e].first) at[slot(edges[e].second)].push_back(e);
  }
  return at;
}

// Depth first, by an explicit stack: chains may be a million bodies long.
std::vector<int> order_base_to_tip(const SpanningTree& tree) {
  std::vector<std::vector<int>> children(tree.parent.size() + 1);
  for (int b = 0; b < static_cast<int>(tree.parent.size()); ++b) {
    if (tree.parent[b] != SpanningTree::not_reached) children[slot(tree.parent[b])].push_back(b);
  }
  for (std::vector<int>& list : children) {
    std::sort(list.begin(), list.end(), [&](int a, int b) { return tree.joint[a] > tree.joint[b]; });
  }
  std::vector<int> order, stack = children[slot(no_body)];
  while (!stack.empty()) {
    const int body = stack.back();
    stack.pop_back();
    order.push_back(body);
    stack.insert(stack.end(), children[slot(body)].begin(), children[slot(body)].end());
  }
  return order;
}

}  // namespace

SpanningTree find_spanning_tree(int bodies, const std::vector<TreeEdge>& edges) {
  SpanningTree tree;
  tree.parent.assign(bodies, SpanningTree::not_reached);
  tree.joint.assign(bodies, -1);

  const std::vector<std::vector<int>> at = edges_at_bodies(bodies, edges);
  std::vector<int> depth(slot(bodies), 0);
  std::vector<char> in_tree(slot(bodies), 0), used(edges.size(), 0);

  using Key = std::tuple<int, int, int, int>;  // wanted 0, cut 2, by option 3, else 1; freedoms, depth, edge
  std::priority_queue<Key, std::vector<Key>, std::greater<>> frontier;
  const auto enter = [&](int body) {
    in_tree[slot(body)] = 1;
    for (const int e : at[slot(body)]) {
      const int turn = edges[e].cut_by_option ? 3 : edges[e].cut ? 2 : edges[e].wanted ? 0 : 1;
      frontier.emplace(turn, edges[e].freedoms, depth[slot(body)], e);
    }
  };
  enter(no_body);
  while (!frontier.empty()) {
    const int e = std::get<3>(frontier.top());
    frontier.pop();
    const bool has_first = in_tree[slot(edges[e].first)], has_second = in_tree[slot(edges[e].second)];
    if (has_first && has_second) continue;
    const int from = has_first ? edges[e].first : edges[e].second;
    const int to = has_first ? edges[e].second : edges[e].first;
    used[e] = 1;
    tree.parent[to] = from;
    tree.joint[to] = e;
    depth[slot(to)] = depth[slot(from)] + 1;
    enter(to);
  }

  for (int e = 0; e < static_cast<int>(edges.size()); ++e) {
    if (!used[e] && in_tree[slot(edges[e].first)]) tree.closures.push_back(e);
  }
  tree.base_to_tip = order_base_to_tip(tree);
  return tree;
}

std::vector<int> find_loop(const SpanningTree& tree, const TreeEdge& closure) {
  const auto path_to_ground = [&tree](int body) {
    std::vector<int> path;
    for (; body != no_body; body = tree.parent[body]) path.push_back(tree.joint[body]);
    return path;
  };
  std::vector<int> up = path_to_ground(closure.first), down = path_to_ground(closure.second);
  while (!up.empty() && !down.empty() && up.back() == down.back()) {
    up.pop_back();
    down.pop_back();
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

}  // namespace trammel
