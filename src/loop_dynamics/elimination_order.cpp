// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loop_dynamics/elimination_order.hpp"

#include <algorithm>
#include <set>

namespace trammel {

EliminationOrder::EliminationOrder(const std::vector<int>& parent, const std::vector<std::vector<int>>& groups) {
  const int n = static_cast<int>(parent.size());
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<std::set<int>> coupled(at(n));
  const auto couple = [&](int a, int b) {
    if (a == b) return;
    coupled[at(a)].insert(b);
    coupled[at(b)].insert(a);
  };
  for (const std::vector<int>& group : groups) {
    for (const int a : group) {
      for (const int b : group) couple(a, b);
    }
  }

  // Fewest couplings first, then the deepest, then the last: so a tree goes as it always does.
  std::vector<int> children(at(n), 0), depth(at(n), 0);
  for (int l = 0; l < n; ++l) {
    if (parent[at(l)] < 0) continue;
    ++children[at(parent[at(l)])];
    depth[at(l)] = depth[at(parent[at(l)])] + 1;
  }
  using Rank = std::vector<int>;
  const auto rank = [&](int l) { return Rank{static_cast<int>(coupled[at(l)].size()), -depth[at(l)], -l}; };
  std::set<std::pair<Rank, int>> ready;
  for (int l = 0; l < n; ++l) {
    if (children[at(l)] == 0) ready.insert({rank(l), l});
  }
  const auto change = [&](int l, auto&& action) {
    const bool was_ready = ready.erase({rank(l), l}) > 0;
    action();
    if (was_ready) ready.insert({rank(l), l});
  };
  std::vector<std::vector<int>> neighbours_of(at(n));
  std::vector<int> order;
  while (!ready.empty()) {
    const int i = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(i);
    const int p = parent[at(i)];
    std::vector<int>& N = neighbours_of[at(i)];
    N.assign(coupled[at(i)].begin(), coupled[at(i)].end());
    for (const int j : N) change(j, [&] { coupled[at(j)].erase(i); });
    for (const int j : N) {
      for (const int k : N) {
        if (j < k) change(j, [&] { change(k, [&] { couple(j, k); }); });
      }
      if (p >= 0 && j != p) change(j, [&] { change(p, [&] { couple(p, j); }); });
    }
    if (p >= 0 && --children[at(p)] == 0) ready.insert({rank(p), p});
  }

  place_.assign(at(n), 0);
  for (int k = 0; k < n; ++k) place_[at(order[at(k)])] = k;
  blocks_of_.resize(at(n));
  for (const int i : order) {
    std::vector<int>& N = neighbours_of[at(i)];
    std::sort(N.begin(), N.end(), [&](int a, int b) { return place_[at(a)] < place_[at(b)]; });
    for (const int j : N) blocks_of_[at(i)].emplace_back(j, block_count_++);
    const int count = static_cast<int>(N.size());
    operations_ += 1 + count + static_cast<long>(count) * (count + 1) / 2;
    largest_ = std::max(largest_, count);
  }
  for (const int i : order) {
    const std::vector<int>& N = neighbours_of[at(i)];
    const int p = parent[at(i)];
    steps_.push_back(
        {i, static_cast<int>(neighbours_.size()), static_cast<int>(N.size()), static_cast<int>(pair_blocks_.size())});
    bool swapped = false;
    for (std::size_t a = 0; a < N.size(); ++a) {
      Neighbour neighbour{N[a], blocks_of_[at(i)][a].second, -1, false};
      if (p >= 0 && N[a] != p) {
        neighbour.to_parent = find_block(p, N[a], swapped);
        neighbour.parent_goes_first = !swapped;
      }
      neighbours_.push_back(neighbour);
      for (std::size_t b = a + 1; b < N.size(); ++b) pair_blocks_.push_back(find_block(N[a], N[b], swapped));
    }
  }
}

int EliminationOrder::find_block(int a, int b, bool& swapped) const {
  swapped = place_[static_cast<std::size_t>(b)] < place_[static_cast<std::size_t>(a)];
  for (const auto& [other, block] : blocks_of_[static_cast<std::size_t>(swapped ? b : a)]) {
    if (other == (swapped ? a : b)) return block;
  }
  return -1;
}

}  // namespace trammel
