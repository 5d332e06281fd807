// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "fluid/bar_rows.hpp"

#include <trammel/batch.hpp>

namespace trammel::fluid {
namespace {

constexpr std::size_t bar_numbers = sizeof(PlacedBar<double>) / sizeof(double);

PlacedBar<double> placed_bar(const WetPart& part, const WetBody& body) {
  return {part.X_LS.p, part.X_LS.R.ez, part.volume * body.volume_factor, Bar<double>::of(part)};
}

}  // namespace

BarRows lay_out_bars(const WetBodies& wet, std::vector<Found>& found) {
  BarRows rows;
  rows.more.resize(wet.parts.size());
  std::vector<PlacedBar<double>> bars;
  for (std::size_t i = 0; i < wet.bodies.size(); ++i) {
    const WetBody& body = wet.bodies[i];
    for (std::size_t k = body.first; k < body.last; ++k) {
      if (wet.parts[k].place < 0) continue;
      bars.push_back(placed_bar(wet.parts[k], body));
      rows.lanes.push_back({body.link, i, k == body.first ? &found[i].sum : &rows.more[k]});
    }
  }
  const auto width = static_cast<std::size_t>(lane_count());
  while (bars.size() % width != 0) {
    const std::size_t first = bars.size() / width * width;
    bars.push_back(bars[first]);
    rows.lanes.push_back(rows.lanes[first]);
  }
  rows.constants = AlignedArray<double>(bars.size() * bar_numbers);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto* const numbers = reinterpret_cast<const double*>(&bars[i]);
    double* const block = rows.constants.data() + i / width * width * bar_numbers;
    for (std::size_t k = 0; k < bar_numbers; ++k) block[k * width + i % width] = numbers[k];
  }
  rows.dampings = AlignedArray<double>(bars.size() * damping_numbers);
  return rows;
}

}  // namespace trammel::fluid
