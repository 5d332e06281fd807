// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// In which order links are eliminated, and which pairs of links are coupled by then. Known from the topology alone, so it is found
// once. A link may go when its children have gone. When link i goes, all links that it is coupled to become coupled to each other and to
// its parent; so the order decides whether the work grows with n or with n³: in a ladder, branch after branch couples every rung to
// every other, while taking at each step the link with the fewest couplings keeps it at one.

#include <vector>

namespace trammel {

class EliminationOrder {
 public:
  // parent[l] of each link, −1 for the ground; groups of links that share a row.
  EliminationOrder(const std::vector<int>& parent, const std::vector<std::vector<int>>& groups);

  struct Neighbour {
    int link = 0;
    int block = 0;       // C_ij; its rows belong to the link that goes first
    int to_parent = -1;  // block between parent and neighbour; −1: the neighbour is the parent, or there is none
    bool parent_goes_first = false;  // of parent and neighbour
  };
  struct Step {
    int link = 0;
    int first = 0, count = 0;  // neighbours(), in the order in which they go
    int first_pair = 0;        // pair_blocks(): for j < k among them, row by row
  };
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  const std::vector<int>& pair_blocks() const { return pair_blocks_; }
  int block_count() const { return block_count_; }
  // The block of two links that share a row; `swapped`: b goes first.
  int find_block(int a, int b, bool& swapped) const;

  // 6×6 operations of one factorisation: Σ 1 + |N| + |N| (|N| + 1) / 2, and the largest |N|.
  long operations() const { return operations_; }
  int largest_neighbourhood() const { return largest_; }

 private:
  std::vector<Step> steps_;
  std::vector<Neighbour> neighbours_;
  std::vector<int> pair_blocks_;
  std::vector<int> place_;                                   // per link: when it goes
  std::vector<std::vector<std::pair<int, int>>> blocks_of_;  // per link: (link that goes later, block)
  int block_count_ = 0;
  long operations_ = 0;
  int largest_ = 0;
};

}  // namespace trammel
