// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The positions of an analysis over its inputs. The velocities that instant centres are found from are those of a unit speed of the
// innermost input, so that they are there where no speed was given.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <trammel/analysis_channels.hpp>
#include <trammel/scene.hpp>

#include "analysis/sweep_values.hpp"
#include "scene/recording.hpp"
#include "scene/state_things.hpp"

namespace trammel::scene {
namespace {

using At = std::size_t;
constexpr float gap = std::numeric_limits<float>::quiet_NaN();

Dimension dimension_of(const Mechanism& mech, const SweepInput& input) {
  if (input.motion) return {.time = 1};
  return freedoms(mech.joints[static_cast<At>(input.driver.joint)].type)[static_cast<At>(input.driver.dof)].dimension;
}

std::string name_of(const Mechanism& mech, const SweepInput& input) {
  const JointInfo& joint = mech.joints[static_cast<At>(input.driver.joint)];
  if (joint.nv == 1) return joint.name;
  return fmt::format("{}.{}", joint.name, freedoms(joint.type)[static_cast<At>(input.driver.dof)].name);
}

// What a column of an analysis is: by its name, as channels_of() makes it.
std::string group_of(const Mechanism& mech, const std::string& name) {
  const auto is_measure = [&](const Measure& m) { return m.name == name; };
  if (std::any_of(mech.measures.begin(), mech.measures.end(), is_measure)) return "measures";
  if (name.starts_with("drive ") || name.starts_with("load ")) return "forces";
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return "inputs";
  const std::string owner = name.substr(0, dot), part = name.substr(dot + 1);
  const auto is_output = [&](const OutputInfo& o) { return o.name == owner; };
  if (std::any_of(mech.outputs.begin(), mech.outputs.end(), is_output)) return "points";
  if (mech.find_joint(owner) >= 0) {
    if (part.starts_with('q')) return "coordinates";
    if (part.starts_with('v')) return "velocities";
    if (part.starts_with('a')) return "accelerations";
    return "reactions";
  }
  return mech.find_body(owner) >= 0 ? "bodies" : "others";
}

bool varies(const Column& column) {
  float least = gap, largest = gap;
  for (const float x : column.values) {
    if (std::isnan(x)) continue;
    if (!(x >= least)) least = x;
    if (!(x <= largest)) largest = x;
  }
  return largest - least > 1e-6F * std::max(std::abs(least), std::abs(largest));
}

class SweepReader {
 public:
  SweepReader(const Mechanism& mech, const DrawnPosition& position, const AnalysisOptions& options,
              const Analysis& analysis)
      : mech_(mech), position_(position), options_(options), analysis_(analysis) {}

  Sweep read() {
    add_inputs();
    add_columns();
    add_positions();
    choose_plots();
    return std::move(out_);
  }

 private:
  // Inputs that have several values, in the order of their loops; those by time are one, the innermost.
  void add_inputs() {
    for (const SweepInput& input : options_.inputs) {
      if (!input.motion) add_input(input);
    }
    for (const SweepInput& input : options_.inputs) {
      if (!input.motion) continue;
      add_input(input);
      break;
    }
    if (out_.inputs.empty() && !options_.inputs.empty()) add_input(options_.inputs.back(), true);
    out_.series.axis_name = axis_.name, out_.series.axis_unit = axis_.unit;
  }

  void add_input(const SweepInput& input, bool even_alone = false) {
    const std::vector<double> values = values_of(input);
    if (values.size() < 2 && !even_alone) return;
    const Dimension d = dimension_of(mech_, input);
    axis_ = {input.motion ? std::string("t") : name_of(mech_, input), mech_.units.name(d), {}};
    for (const double x : values) axis_.values.push_back(mech_.units.from_si(x, d));
    Json entry{{"name", axis_.name}, {"unit", axis_.unit}, {"values", axis_.values}};
    if (!input.motion) entry["joint"] = input.driver.joint;
    const auto index = static_cast<int>(&input - options_.inputs.data());
    const auto in_units = [&](double x) { return mech_.units.from_si(x, d); };
    for (const DeadPoint& dead : analysis_.dead_points) {
      if (dead.input != index) continue;
      const double value = in_units(input.motion ? dead.t : dead.value);
      Json mark{{"value", value},
                {"text", fmt::format("{} at {:.6g} {}",
                                     dead.at_infinity ? "a slide leaves for infinity"
                                     : dead.is_limit  ? "dead point"
                                                      : "branches meet",
                                     value, axis_.unit)}};
      if (dead.is_limit) mark["limit"] = true;
      entry["dead_points"].push_back(mark);
    }
    for (const ImaginaryRange& range : analysis_.imaginary) {
      if (range.input != index) continue;
      const double from = in_units(input.motion ? range.t_from : range.from),
                   to = in_units(input.motion ? range.t_to : range.to);
      entry["imaginary"].push_back({{"from", from},
                                    {"to", to},
                                    {"text", fmt::format("no position from {:.6g} to {:.6g} {}: the links do not reach",
                                                         from, to, axis_.unit)}});
    }
    out_.inputs.push_back(entry);
  }

  void add_columns() {
    const Channels channels = channels_of(mech_, options_, analysis_);
    for (At c = 0; c < channels.columns.size(); ++c) {
      const Channel& channel = channels.columns[c];
      Column column{channel.name, channel.unit, group_of(mech_, channel.name)};
      for (const double x : channel.values) column.values.push_back(std::isfinite(x) ? static_cast<float>(x) : gap);
      out_.series.columns.push_back(std::move(column));
    }
  }

  void add_positions() {
    std::vector<Driver> drivers;
    std::vector<Target> unit_speed;
    for (const SweepInput& input : options_.inputs) drivers.push_back(input.driver), unit_speed.emplace_back();
    LoopSolver solver(mech_, drivers);
    StateThings things(mech_, position_, out_.series, speed_unit());
    const std::vector<int> accelerations = add_accelerations(), forces = add_forces();
    std::vector<double> v(static_cast<At>(mech_.nv));
    Series& series = out_.series;
    LoopSolver loops(mech_);
    const At drift = series.columns.size();
    if (!mech_.is_tree()) {
      series.columns.push_back({"loops.position", "m", "loops"});
      series.columns.push_back({"loops.orientation", "rad", "loops"});
    }
    const auto put_drift = [&](double metres, double radians) {
      if (mech_.is_tree()) return;
      series.columns[drift].values.push_back(static_cast<float>(metres));
      series.columns[drift + 1].values.push_back(static_cast<float>(radians));
    };
    const At inner = std::max<At>(1, axis_.values.size());
    for (At s = 0; s < analysis_.steps.size(); ++s) {
      const AnalysisStep& step = analysis_.steps[s];
      const double place = axis_.values.empty() ? static_cast<double>(s) : axis_.values[s % inner];
      if (s < inner) series.axis.push_back(place);
      if (step.status == StepStatus::imaginary) {
        things.take_gap(place);
        put_drift(gap, gap);
        continue;
      }
      for (At i = 0; i < unit_speed.size(); ++i) {
        unit_speed[i].value = step.input[i];
        unit_speed[i].rate = i + 1 == unit_speed.size() ? 1 : 0;
      }
      const bool moves = std::any_of(step.v.begin(), step.v.end(), [](double x) { return x != 0; });
      if (moves) v = step.v;
      if (!moves && !solver.velocities(step.q, unit_speed, v)) std::fill(v.begin(), v.end(), 0.0);
      things.take(place, step.t, step.q, v);
      std::vector<double> as_it_is = step.q;
      const AssemblyReport open = loops.assemble(as_it_is, {}, {.max_iterations = 0});
      put_drift(open.gap_m, open.gap_rad);
      for (At k = 0; k < accelerations.size(); ++k) {
        series.put(accelerations[k], step.has_motion ? step.points[k].a : Vec3d{gap, gap, gap});
      }
      for (At j = 0; 2 * j < forces.size(); ++j) {
        series.put(forces[2 * j], step.reactions[j].F_W.f);
        series.put(forces[2 * j + 1], step.reactions[j].F_W.n);
      }
    }
  }

  bool has_motion() const {
    return std::any_of(options_.inputs.begin(), options_.inputs.end(),
                       [](const SweepInput& i) { return i.motion || i.speed != 0; });
  }

  // Where no speed is given, velocities are those of a unit speed of the innermost input.
  std::string speed_unit() const {
    if (options_.inputs.empty()) return "";
    if (has_motion()) return "m/s";
    return dimension_of(mech_, options_.inputs.back()) == dimension::angle ? "m/rad" : "m/m";
  }

  // The first channels of what is shown of every output, and of every joint.
  std::vector<int> add_accelerations() {
    std::vector<int> channels;
    if (!has_motion()) return channels;
    for (const OutputInfo& output : mech_.outputs) {
      channels.push_back(out_.series.add_vector(output.name + " acceleration", "m/s^2", "arrows"));
      out_.series.arrows.push_back(
          arrow(output.name, "acceleration", "m/s^2", output.body, output.p_B, channels.back()));
    }
    return channels;
  }
  std::vector<int> add_forces() {
    std::vector<int> channels;
    if (!options_.forces) return channels;
    for (int j = 0; j < mech_.joint_count(); ++j) {
      const std::string& name = mech_.joints[static_cast<At>(j)].name;
      for (const bool moment : {false, true}) {
        const char* unit = moment ? "N m" : "N";
        const int first = out_.series.add_vector(name + (moment ? " moment" : " reaction"), unit, "arrows");
        out_.series.arrows.push_back({{"name", name},
                                      {"kind", moment ? "moment" : "reaction"},
                                      {"unit", unit},
                                      {"at", {{"joint", j}}},
                                      {"vector", {first, first + 1, first + 2}}});
        channels.push_back(first);
      }
    }
    return channels;
  }

  // Measures, else the points of interest, else what joints do.
  void choose_plots() {
    constexpr At lines = 4, panels = 2;
    for (const char* group : {"measures", "points", "coordinates"}) {
      std::vector<std::string> units;
      for (At c = 0; c < out_.series.columns.size(); ++c) {
        const Column& column = out_.series.columns[c];
        if (column.hidden || column.group != group || !varies(column)) continue;
        const auto known = std::find(units.begin(), units.end(), column.unit);
        const auto panel = static_cast<At>(known - units.begin());
        if (known == units.end()) {
          if (out_.series.plots.size() >= panels) continue;
          units.push_back(column.unit);
          out_.series.plots.push_back(Json::array());
        }
        const At first = out_.series.plots.size() - units.size();
        if (out_.series.plots[first + panel].size() < lines) out_.series.plots[first + panel].push_back(c);
      }
      if (out_.series.plots.size() >= panels) return;
    }
  }

  const Mechanism& mech_;
  const DrawnPosition& position_;
  const AnalysisOptions& options_;
  const Analysis& analysis_;
  Sweep out_;
  Channel axis_;
};

}  // namespace

Sweep sweep_of(const Mechanism& mech, const DrawnPosition& position, const AnalysisOptions& options,
               const Analysis& analysis) {
  return SweepReader(mech, position, options, analysis).read();
}

}  // namespace trammel::scene
