// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which joints carry the tree, and which are left to close loops. Prim's algorithm from the ground: of the joints that
// lead out of the tree so far, take one that is wanted there, then the one with the fewest freedoms, then the least deep,
// then the first in the file; joints marked `cut` only when nothing else reaches their body. What is left over has the most freedoms in sum.

#include <vector>

namespace trammel {

struct TreeEdge {
  int first = -1, second = -1;  // bodies; −1 is the ground
  int freedoms = 0;
  bool cut = false;
  bool wanted = false;         // its coordinates are used; a joint marked `cut` is not
  bool cut_by_option = false;  // this stands over what the file asks to be cut
};

struct SpanningTree {
  std::vector<int> parent;       // per body: the body before it; −1 ground, −2 not reached
  std::vector<int> joint;        // per body: the edge it is reached by, −1 when not reached
  std::vector<int> base_to_tip;  // reached bodies, depth first, children in the order of their edges
  std::vector<int> closures;     // edges left over between reached bodies, in file order

  static constexpr int not_reached = -2;
};

SpanningTree find_spanning_tree(int bodies, const std::vector<TreeEdge>& edges);

// The tree edges around the loop that `closure` closes: up from its first body, then down to its second.
std::vector<int> find_loop(const SpanningTree& tree, const TreeEdge& closure);

}  // namespace trammel
