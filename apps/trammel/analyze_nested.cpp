// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "analyze_nested.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel::tool {
namespace {

bool varies(const Channel& channel) {
  return std::any_of(channel.values.begin(), channel.values.end(),
                     [&](double x) { return x != channel.values.front(); });
}

bool is_input(const Channels& all, std::size_t count, const std::string& name) {
  return std::any_of(all.columns.begin(), all.columns.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const Channel& c) { return c.name == name; });
}

}  // namespace

std::size_t abscissa_of(const Channels& all, std::size_t count) {
  for (std::size_t k = count; k-- > 0;) {
    if (varies(all.columns[k])) return k;
  }
  return 0;
}

Plot plot_nested(const Channels& all, std::size_t count, const Channels& plotted) {
  const std::size_t inner = abscissa_of(all, count);
  const Channel& x = all.columns[inner];
  std::vector<std::size_t> outer;
  for (std::size_t k = 0; k < inner; ++k) {
    if (varies(all.columns[k])) outer.push_back(k);
  }
  Channels over_x{{x}};
  for (const Channel& channel : plotted.columns) {
    if (!is_input(all, count, channel.name)) over_x.columns.push_back(channel);
  }
  if (outer.empty()) return plot_channels(over_x);

  Plot plot;
  plot.x = {.label = x.name, .unit = x.unit};
  for (std::size_t c = 1; c < over_x.columns.size(); ++c) {
    const Channel& y = over_x.columns[c];
    PlotPanel panel{.y = {.label = y.name, .unit = y.unit}};
    for (std::size_t row = 0; row < x.values.size(); ++row) {
      const bool begins = row == 0 || std::any_of(outer.begin(), outer.end(), [&](std::size_t k) {
                            return all.columns[k].values[row] != all.columns[k].values[row - 1];
                          });
      if (begins) {
        std::vector<std::string> parts;
        for (const std::size_t k : outer) {
          parts.push_back(
              fmt::format("{} {:.6g} {}", all.columns[k].name, all.columns[k].values[row], all.columns[k].unit));
        }
        panel.lines.push_back({.name = c == 1 ? fmt::format("{}", fmt::join(parts, ", ")) : ""});
      }
      panel.lines.back().x.push_back(x.values[row]);
      panel.lines.back().y.push_back(y.values[row]);
    }
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

}  // namespace trammel::tool
