// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What drawings take from an analysis: positions, and the paths of points with ticks at equal steps of the input.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <trammel/drawing.hpp>
#include <trammel/kinematics.hpp>

namespace trammel {
namespace {

// The innermost input that moves: inputs by time are inside all others.
struct Innermost {
  bool by_time = false;
  std::size_t input = 0;
  double from = 0, to = 0;
};
std::optional<Innermost> innermost_of(const AnalysisOptions& options) {
  std::optional<Innermost> found;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const SweepInput& input = options.inputs[i];
    if (input.from == input.to || input.step == 0) continue;
    if (found && found->by_time) break;
    found = Innermost{input.motion.has_value(), i, input.from, input.to};
  }
  return found;
}

bool is_multiple(double x, double of) { return std::abs(x / of - std::round(x / of)) < 1e-6; }

// Whether a row of a nested sweep begins here: an input other than the innermost has changed.
bool begins_row(const AnalysisOptions& options, const Innermost& inner, const AnalysisStep& before,
                const AnalysisStep& here) {
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    if (options.inputs[i].motion || (!inner.by_time && i == inner.input)) continue;
    if (before.input[i] != here.input[i]) return true;
  }
  return false;
}

}  // namespace

DrawnPosition design_position(const Mechanism& mechanism) {
  Workspace ws(mechanism);
  compute_positions(mechanism, ws, design_state(mechanism).q);
  DrawnPosition position;
  for (int b = 0; b < mechanism.body_count(); ++b) position.X_WB.push_back(pose_WB(mechanism, ws, b));
  return position;
}

DrawnPosition position_of(const AnalysisStep& step) {
  DrawnPosition position;
  for (const BodyMotion& body : step.bodies) position.X_WB.push_back(body.X_WB);
  return position;
}

double default_tick_step(const Mechanism& mechanism, const AnalysisOptions& options) {
  const auto inner = innermost_of(options);
  if (!inner) return 0;
  const SweepInput& input = options.inputs[inner->input];
  const double least = std::abs(inner->to - inner->from) / 36, sweep_step = std::abs(input.step);
  const auto joint = static_cast<std::size_t>(std::max(input.driver.joint, 0));
  const bool is_angle =
      !inner->by_time && input.driver.joint >= 0 &&
      freedoms(mechanism.joints[joint].type)[static_cast<std::size_t>(input.driver.dof)].dimension == dimension::angle;
  std::vector<double> round_steps;  // rising
  if (is_angle) {
    for (const double degrees : {1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 180.0, 360.0})
      round_steps.push_back(degrees * std::numbers::pi / 180);
  } else {
    const Dimension what = inner->by_time ? Dimension{.time = 1} : dimension::length;  // round in the file's unit
    const double wanted = mechanism.units.from_si(least, what), power = std::pow(10, std::floor(std::log10(wanted)));
    for (const double digit : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0})
      round_steps.push_back(mechanism.units.in_si(digit * power, what));
  }
  for (const double step : round_steps) {
    if (step >= least * (1 - 1e-9) && is_multiple(step, sweep_step)) return step;
  }
  return sweep_step * std::ceil(least / sweep_step * (1 - 1e-9));
}

std::vector<DrawnPath> paths_of(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis,
                                const std::vector<std::string>& names, double tick_step) {
  const auto inner = innermost_of(options);
  std::vector<DrawnPath> paths;
  if (!inner) return paths;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < mechanism.outputs.size(); ++k) {
    const std::string& name = mechanism.outputs[k].name;
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    DrawnPath path{.name = name, .points = {}, .ticks = {}};
    double start = 0;
    for (std::size_t s = 0; s < analysis.steps.size(); ++s) {
      const AnalysisStep& step = analysis.steps[s];
      const double value = inner->by_time ? step.t : step.input[inner->input];
      const bool new_row = s == 0 || begins_row(options, *inner, analysis.steps[s - 1], step);
      if (new_row) {
        if (s > 0) path.points.push_back({nan, nan, nan});
        start = value;
      }
      path.points.push_back(step.status == StepStatus::imaginary ? Vec3d{nan, nan, nan} : step.points[k].p);
      if (!(tick_step > 0)) continue;
      if (is_multiple(value - start, tick_step)) path.ticks.push_back(path.points.size() - 1);
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace trammel
