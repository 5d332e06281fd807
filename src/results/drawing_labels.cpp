// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "results/text_extent.hpp"

namespace trammel::results {
namespace {

constexpr double bold_length = 1.13;  // of bold letters, against plain ones
constexpr double impossible = std::numeric_limits<double>::infinity();

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Samples of lines in square cells, so that a label asks only those near it.
class Samples {
 public:
  Samples(const std::vector<Pixel>& samples, const Box& frame)
      : frame_(frame),
        columns_(std::max(1, static_cast<int>(frame.width / cell) + 1)),
        rows_(std::max(1, static_cast<int>(frame.height / cell) + 1)),
        cells_(index(0, rows_)) {
    for (const Pixel& p : samples) {
      if (p.x < frame.x || p.x > frame.right() || p.y < frame.y || p.y > frame.bottom()) continue;
      cells_[index(column(p.x), row(p.y))].push_back(p);
    }
  }

  double count(const Box& box) const {
    double found = 0;
    for (int r = row(box.y); r <= row(box.bottom()); ++r) {
      for (int c = column(box.x); c <= column(box.right()); ++c) {
        for (const Pixel& p : cells_[index(c, r)])
          found += box.x < p.x && p.x < box.right() && box.y < p.y && p.y < box.bottom();
      }
    }
    return found;
  }

 private:
  static constexpr double cell = 16;
  Box frame_;
  int columns_, rows_;
  std::vector<std::vector<Pixel>> cells_;

  int column(double x) const { return std::clamp(static_cast<int>((x - frame_.x) / cell), 0, columns_ - 1); }
  int row(double y) const { return std::clamp(static_cast<int>((y - frame_.y) / cell), 0, rows_ - 1); }
  std::size_t index(int c, int r) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c);
  }
};

struct Candidate {
  Box box;
  std::string_view anchor;
  Pixel from;
  double distance = 0;
};

// Sixteen directions, at growing distances; the box touches the circle of that radius on the side of the point.
std::vector<Candidate> candidates(const WantedLabel& wanted, double length, double height) {
  std::vector<Candidate> all;
  constexpr std::array<int, 16> order{2, 14, 6, 10, 0, 8, 4, 12, 1, 15, 7, 9, 3, 13, 5, 11};  // upper right first
  for (const double more : {3.0, 8.0, 16.0, 27.0}) {
    for (const Pixel& at : wanted.at) {
      for (const int k : order) {
        const double angle = k * std::numbers::pi / 8, c = std::cos(angle), s = -std::sin(angle);
        const double radius = wanted.clear + more;
        const double x = at.x + c * radius + length / 2 * (std::abs(c) < 0.2 ? 0 : c > 0 ? 1 : -1);
        const double y = at.y + s * radius + height / 2 * (std::abs(s) < 0.2 ? 0 : s > 0 ? 1 : -1);
        const Box box{x - length / 2, y - height / 2, length, height};
        all.push_back({box, std::abs(c) < 0.2 ? "middle" : c > 0 ? "start" : "end", at, more});
      }
    }
  }
  return all;
}

}  // namespace

std::vector<PlacedLabel> place_labels(const std::vector<WantedLabel>& wanted, const LabelSpace& space) {
  const Samples samples(space.lines, space.frame);
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a].priority > wanted[b].priority; });
  std::vector<Box> taken = space.taken;
  std::vector<PlacedLabel> placed;
  for (const std::size_t i : order) {
    const double length = text_length(wanted[i].text, space.size) * (wanted[i].bold ? bold_length : 1),
                 height = 1.05 * space.size;
    const Candidate* best = nullptr;
    double least = impossible;
    const std::vector<Candidate> all = candidates(wanted[i], length, height);
    double rank = 0;
    for (const Candidate& candidate : all) {
      const Box& box = candidate.box;
      rank += 0.02;
      const bool inside = box.x >= space.frame.x && box.right() <= space.frame.right() && box.y >= space.frame.y &&
                          box.bottom() <= space.frame.bottom();
      if (!inside || std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(box, other); }))
        continue;
      const double cost =
          rank + 0.5 * candidate.distance + 2.5 * samples.count({box.x - 1, box.y, box.width + 2, box.height});
      if (cost < least) least = cost, best = &candidate;
    }
    if (best == nullptr) continue;
    PlacedLabel label;
    label.wanted = i;
    label.box = best->box;
    label.anchor = best->anchor;
    const double x = best->anchor == "start" ? best->box.x
                     : best->anchor == "end" ? best->box.right()
                                             : best->box.x + length / 2;
    label.text_at = {x, best->box.y + 0.8 * height};
    label.has_leader = best->distance > 10;
    if (label.has_leader) {
      const Pixel to{std::clamp(best->from.x, best->box.x, best->box.right()),
                     std::clamp(best->from.y, best->box.y, best->box.bottom())};
      const double dx = to.x - best->from.x, dy = to.y - best->from.y, d = std::max(std::hypot(dx, dy), 1e-9);
      label.leader_from = {best->from.x + dx / d * wanted[i].clear, best->from.y + dy / d * wanted[i].clear};
      label.leader_to = {to.x - dx / d, to.y - dy / d};
    }
    taken.push_back({best->box.x - 1.5, best->box.y - 0.5, best->box.width + 3, best->box.height + 1});
    placed.push_back(label);
  }
  return placed;
}

}  // namespace trammel::results
