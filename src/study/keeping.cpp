// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/keeping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "study/path_fit.hpp"
#include "study/substitution.hpp"

namespace trammel::study {

using At = std::size_t;
using What = StudyKeep::What;
using readers::Messages;
using readers::quote;

namespace {

const std::vector<double>* find_column(const Channels& seen, const std::string& name) {
  for (const Channel& channel : seen.columns) {
    if (channel.name == name) return &channel.values;
  }
  return nullptr;
}

const double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double summary(What what, const std::vector<double>& over, const std::vector<double>& values) {
  double sum = 0, squares = 0, least = none, most = none, at_least = none, at_most = none, first = none, last = none;
  std::size_t count = 0;
  for (At k = 0; k < values.size(); ++k) {
    const double x = values[k];
    if (!std::isfinite(x)) continue;
    if (count++ == 0) first = x;
    last = x;
    sum += x;
    squares += x * x;
    if (!(x >= least)) least = x, at_least = over[k];
    if (!(x <= most)) most = x, at_most = over[k];
  }
  const auto n = static_cast<double>(count);
  switch (what) {
    case What::last:
      return last;
    case What::first:
      return first;
    case What::least:
      return least;
    case What::most:
      return most;
    case What::mean:
      return count == 0 ? none : sum / n;
    case What::rms:
      return count == 0 ? none : std::sqrt(squares / n);
    case What::peak:
      return std::max(std::abs(least), std::abs(most));
    case What::span:
      return most - least;
    case What::at_least:
      return at_least;
    case What::at_most:
      return at_most;
    case What::expression:
    case What::path:
      break;
  }
  return none;
}

Keeping::Keeping(const StudyPlan& plan, const std::vector<Channel>& known, Messages& messages) : plan_(&plan) {
  std::vector<std::string> parameters, kept;
  for (const StudyParameter& p : plan.parameters) parameters.push_back(p.name);
  const auto names_now = [&] {
    std::vector<std::string> names = kept;
    names.insert(names.end(), parameters.begin(), parameters.end());
    return names;
  };
  for (const StudyKeep& keep : plan.keep) {
    expressions_.emplace_back(0);
    if (keep.what == What::expression) {
      expressions_.back() = parse_or_tell(keep.text, names_now(), keep.where, quote(keep.name), messages);
    } else if (keep.what == What::path) {
      for (const char* axis : {".x", ".y", ".z"}) want(keep.text + axis, known, quote(keep.name), keep.where, messages);
    } else {
      want(keep.text, known, quote(keep.name), keep.where, messages);
    }
    kept.push_back(keep.name);
  }
  for (const std::string& name : plan.series) want(name, known, "series", {}, messages);
  if (!plan.series.empty() && !known.empty()) series_heads_.push_back({known.front().name, known.front().unit, {}});
  for (const std::string& name : plan.series) {
    for (const Channel& channel : known) {
      if (channel.name != name) continue;
      series_heads_.push_back({channel.name, channel.unit, {}});
      break;
    }
  }
  if (plan.objective)
    objective_ =
        parse_or_tell(plan.objective->expression, names_now(), plan.objective->where, "the objective", messages);
}

void Keeping::want(const std::string& channel, const std::vector<Channel>& known, const std::string& who,
                   SourceLocation where, Messages& messages) {
  const auto is_it = [&](const Channel& c) { return c.name == channel; };
  if (!known.empty() && std::none_of(known.begin(), known.end(), is_it)) {
    std::vector<std::string> names;
    for (const Channel& c : known) names.push_back(c.name);
    const std::string advice = fmt::format("there are {}", readers::list_names(names, 12));
    messages.error(where, "study-channel",
                   fmt::format("{} asks for {}, which this run does not have", who, quote(channel)),
                   messages.guess_or(channel, names, advice));
    return;
  }
  if (std::find(channels_.begin(), channels_.end(), channel) == channels_.end()) channels_.push_back(channel);
}

std::vector<Vec3d> Keeping::offsets(const StudyKeep& keep, const Channels& seen) const {
  const auto *x = find_column(seen, keep.text + ".x"), *y = find_column(seen, keep.text + ".y"),
             *z = find_column(seen, keep.text + ".z");
  if (x == nullptr || y == nullptr || z == nullptr) return {};
  SampledCurve curve{seen.columns.front().values, {}};
  for (At k = 0; k < x->size(); ++k) curve.p.push_back({(*x)[k], (*y)[k], (*z)[k]});
  return keep.by_order ? offsets_in_order(curve, keep.points) : offsets_to_nearest(curve, keep.points);
}

std::vector<double> Keeping::scalars(const Channels& seen, std::span<const double> parameters) const {
  std::vector<double> kept;
  for (At k = 0; k < plan_->keep.size(); ++k) {
    const StudyKeep& keep = plan_->keep[k];
    double value = none;
    if (keep.what == What::expression) {
      std::vector<double> variables = kept;
      variables.insert(variables.end(), parameters.begin(), parameters.end());
      value = expressions_[k].evaluate<double>(variables);
    } else if (keep.what == What::path) {
      value = root_mean_square(offsets(keep, seen));
    } else if (const std::vector<double>* column = find_column(seen, keep.text)) {
      value = summary(keep.what, seen.columns.front().values, *column);
    }
    kept.push_back(std::isfinite(value) ? value : none);
  }
  return kept;
}

std::vector<std::vector<double>> Keeping::series(const Channels& seen) const {
  std::vector<std::vector<double>> all;
  for (const Channel& head : series_heads_) {
    const std::vector<double>* column = find_column(seen, head.name);
    all.push_back(column == nullptr ? std::vector<double>{} : *column);
  }
  return all;
}

std::vector<double> Keeping::residuals(const Channels& seen) const {
  std::vector<double> numbers;
  for (const StudyKeep& keep : plan_->keep) {
    if (keep.what != What::path) continue;
    for (const Vec3d& offset : offsets(keep, seen)) numbers.insert(numbers.end(), {offset.x, offset.y, offset.z});
    break;
  }
  return numbers;
}

double Keeping::objective(std::span<const double> scalars, std::span<const double> parameters) const {
  std::vector<double> variables(scalars.begin(), scalars.end());
  variables.resize(plan_->keep.size(), none);
  variables.insert(variables.end(), parameters.begin(), parameters.end());
  return objective_.evaluate<double>(variables);
}

}  // namespace trammel::study
