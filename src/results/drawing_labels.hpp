// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where names stand in a drawing: beside what they name, clear of each other and of pins, on lines as seldom as can be. A name that finds no
// such place is left out.

#include <string>
#include <vector>

#include "results/svg.hpp"

namespace trammel::results {

struct WantedLabel {
  std::string text;
  std::vector<Pixel> at;  // beside one of these; the first is preferred
  double clear = 0;       // px: how far from there it must stay
  int priority = 0;       // higher ones choose first
  bool bold = false;
};
struct PlacedLabel {
  std::size_t wanted = 0;  // index
  Box box;
  std::string_view anchor = "start";  // on the side of what it names: the reader's font may be narrower than ours
  Pixel text_at;                      // where the text is set, on its base line
  bool has_leader = false;
  Pixel leader_from, leader_to;
};

struct LabelSpace {
  Box frame;                 // labels stay within
  std::vector<Pixel> lines;  // samples of what is drawn
  std::vector<Box> taken;    // must not be covered: pins, corners with axes
  double size = 11;          // of letters
};

std::vector<PlacedLabel> place_labels(const std::vector<WantedLabel>& wanted, const LabelSpace& space);

}  // namespace trammel::results
