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

// Between two places of a path far apart for the way it bends, more are put on the curve that leaves the first and meets the second along
// the tangents there (Hermite's cubic, with the handles of an arc); near a dead point steps of the input are long ways.
void bend(const Vec3d& from, const Vec3d& along_from, const Vec3d& to, const Vec3d& along_to,
          std::vector<Vec3d>& points) {
  const Vec3d chord = to - from;
  const double length = norm(chord);
  const auto tangent = [&](const Vec3d& along) {
    const double size = norm(along) * (dot(along, chord) < 0 ? -1 : 1);
    return size == 0 ? chord * (1 / length) : along * (1 / size);
  };
  if (!(length > 0)) return;
  const Vec3d t0 = tangent(along_from), t1 = tangent(along_to);
  const double turn = std::acos(std::clamp(dot(t0, t1), -1.0, 1.0));
  constexpr double smooth = 3 * std::numbers::pi / 180;
  const int parts = std::min(60, static_cast<int>(std::ceil(turn / smooth)));
  const double handle = turn > 1e-6 ? 2 * std::tan(turn / 4) / std::sin(turn / 2) * length : length;  // three of them
  for (int i = 1; i < parts; ++i) {
    const double s = static_cast<double>(i) / parts, r = 1 - s;
    points.push_back(from * (r * r * r + 3 * r * r * s) + to * (s * s * s + 3 * r * s * s) +
                     (t0 * r - t1 * s) * (r * s * handle));
  }
}

// The dead point at which the branch ends or begins between two steps, one of them without position.
const DeadPoint* end_between(const Analysis& analysis, const Innermost& inner, const AnalysisStep& one,
                             const AnalysisStep& other) {
  for (const DeadPoint& d : analysis.dead_points) {
    if (!d.is_limit || d.at_infinity) continue;
    bool same_row = true;
    for (std::size_t i = 0; i < d.inputs.size(); ++i) {
      same_row = same_row && (inner.by_time || i == inner.input || d.inputs[i] == one.input[i]);
    }
    const double at = inner.by_time ? d.t : d.value, a = inner.by_time ? one.t : one.input[inner.input],
                 b = inner.by_time ? other.t : other.input[inner.input];
    if (same_row && (at - a) * (at - b) <= 0) return &d;
  }
  return nullptr;
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
    Workspace ws(mechanism);
    const OutputInfo& output = mechanism.outputs[k];
    const auto place_at = [&](const DeadPoint& d) {
      compute_positions(mechanism, ws, d.q);
      return output.body == ground ? output.p_B : pose_WB(mechanism, ws, output.body) * output.p_B;
    };
    // From a step to a dead point the path is taken for an arc: its tangents lie alike to the chord.
    const auto bend_to_end = [&](const PointMotion& step, const Vec3d& end, bool leaves) {
      const Vec3d chord = end - step.p;
      const double size = dot(chord, chord);
      const Vec3d mirrored = size > 0 ? chord * (2 * dot(step.v, chord) / size) - step.v : step.v;
      if (leaves) {
        bend(step.p, step.v, end, mirrored, path.points);
        path.points.push_back(end);
      } else {
        path.points.push_back(end);
        bend(end, mirrored, step.p, step.v, path.points);
      }
    };
    double start = 0;
    for (std::size_t s = 0; s < analysis.steps.size(); ++s) {
      const AnalysisStep& step = analysis.steps[s];
      const double value = inner->by_time ? step.t : step.input[inner->input];
      const bool new_row = s == 0 || begins_row(options, *inner, analysis.steps[s - 1], step);
      if (new_row) {
        if (s > 0) path.points.push_back({nan, nan, nan});
        start = value;
      }
      const bool has_place = step.status != StepStatus::imaginary;
      if (!new_row) {
        const AnalysisStep& before = analysis.steps[s - 1];
        const bool had_place = before.status != StepStatus::imaginary;
        const DeadPoint* end = has_place != had_place ? end_between(analysis, *inner, before, step) : nullptr;
        if (end != nullptr) bend_to_end(had_place ? before.points[k] : step.points[k], place_at(*end), had_place);
        if (has_place && had_place)
          bend(before.points[k].p, before.points[k].v, step.points[k].p, step.points[k].v, path.points);
      }
      path.points.push_back(has_place ? step.points[k].p : Vec3d{nan, nan, nan});
      if (!(tick_step > 0)) continue;
      if (is_multiple(value - start, tick_step)) path.ticks.push_back(path.points.size() - 1);
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace trammel
