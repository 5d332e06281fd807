// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/sweep_values.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace trammel {
namespace {

Target target_of(const SweepInput& input, double value) {
  if (!input.motion) return {value, input.speed, input.acceleration, input.jerk};
  const Series<3> t = Series<3>::time(value);
  const Series<3> u = input.motion->at(t);
  return {u.derivative(0), u.derivative(1), u.derivative(2), u.derivative(3)};
}

// A motion may turn round between two times, and two inputs do not move in proportion: so it is followed in steps of its own, where
// that is affordable. Tells which ones were put in.
std::vector<char> put_times_between(std::vector<double>& times, std::size_t rows) {
  constexpr double steps = 500, most = 100'000;
  if (times.size() < 2 || static_cast<double>(rows) * steps > most) return std::vector<char>(times.size(), 0);
  const double pace = std::abs(times.back() - times.front()) / steps;
  std::vector<double> all{times.front()};
  std::vector<char> between(1, 0);
  for (std::size_t k = 1; k < times.size(); ++k) {
    const int parts = static_cast<int>(std::ceil(std::abs(times[k] - times[k - 1]) / pace - 1e-9));
    for (int i = 1; i <= parts; ++i) {
      all.push_back(i == parts ? times[k] : times[k - 1] + (times[k] - times[k - 1]) * i / parts);
      between.push_back(i < parts);
    }
  }
  times = std::move(all);
  return between;
}

}  // namespace

std::vector<double> SweepValue::inputs() const {
  std::vector<double> u;
  for (const Target& target : targets) u.push_back(target.value);
  return u;
}

std::vector<double> values_of(const SweepInput& input) {
  if (input.step == 0 || input.from == input.to) return {input.from};
  const double count = (input.to - input.from) / input.step;
  if (!(count >= 0 && count < 1e9)) {
    throw std::invalid_argument(
        fmt::format("a sweep from {} to {} in steps of {} does not arrive", input.from, input.to, input.step));
  }
  const int steps = static_cast<int>(std::floor(count + 1e-9));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(steps) + 1);
  for (int k = 0; k <= steps; ++k) values.push_back(input.from + k * input.step);
  if (std::abs(count - steps) <= 1e-9) values.back() = input.to;
  return values;
}

std::vector<SweepValue> sweep_values(const std::vector<SweepInput>& inputs) {
  std::vector<SweepValue> list;
  std::vector<std::size_t> by_position, by_time;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    (inputs[i].motion ? by_time : by_position).push_back(i);
  }
  std::vector<std::vector<double>> grids;
  for (const std::size_t i : by_position) grids.push_back(values_of(inputs[i]));
  std::vector<double> times;
  if (!by_time.empty()) times = values_of(inputs[by_time.front()]);
  std::size_t rows = 1;
  for (const auto& values : grids) rows *= values.size();
  const std::vector<char> between = put_times_between(times, rows);
  if (!times.empty()) grids.push_back(times);
  std::vector<std::size_t> index(grids.size(), 0);
  std::size_t row_start = 0;
  for (bool more = true; more;) {
    SweepValue value;
    value.targets.resize(inputs.size());
    for (std::size_t k = 0; k < by_position.size(); ++k) {
      value.targets[by_position[k]] = target_of(inputs[by_position[k]], grids[k][index[k]]);
    }
    if (!times.empty()) value.t = times[index.back()], value.between = between[index.back()] != 0;
    for (const std::size_t i : by_time) value.targets[i] = target_of(inputs[i], value.t);
    value.row_start = row_start;
    list.push_back(std::move(value));
    more = false;
    for (std::size_t k = grids.size(); k-- > 0;) {
      if (++index[k] < grids[k].size()) {
        more = true;
        if (k + 1 < grids.size()) row_start = list.size();
        break;
      }
      index[k] = 0;
    }
  }
  return list;
}

}  // namespace trammel
