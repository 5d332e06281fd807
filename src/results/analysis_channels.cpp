// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include <trammel/analysis_channels.hpp>
#include <trammel/measures.hpp>

namespace trammel {
namespace {

using Value = std::function<double(const AnalysisStep&)>;

Dimension per_time(Dimension d, int times) {
  d.time -= times;
  return d;
}

class Columns {
 public:
  Columns(const Mechanism& mech, const AnalysisOptions& options, const Analysis& analysis)
      : mech_(mech), options_(options), analysis_(analysis) {}

  Channels run() {
    add_inputs();
    add_joints();
    add_points();
    add_bodies();
    if (options_.forces) add_forces();
    for (std::size_t k = 0; k < mech_.measures.size(); ++k) {
      const std::string& name = mech_.measures[k].name;
      const bool taken = std::any_of(channels_.columns.begin(), channels_.columns.end(),
                                     [&](const Channel& channel) { return channel.name == name; });
      add(taken ? "measure " + name : name, mech_.measure_variables[k].dimension, Needs::position,
          [k](const AnalysisStep& s) { return s.measures[k]; });
    }
    return std::move(channels_);
  }

 private:
  enum class Needs { nothing, position, motion, forces, jerk };

  const Mechanism& mech_;
  const AnalysisOptions& options_;
  const Analysis& analysis_;
  Channels channels_;

  void add(const std::string& name, const Dimension& dimension, Needs needs, const Value& value) {
    Channel channel{name, mech_.units.name(dimension), {}};
    for (const AnalysisStep& step : analysis_.steps) {
      const bool there =
          needs == Needs::nothing ||
          (step.status != StepStatus::imaginary &&
           (needs == Needs::position || (step.has_motion && (needs != Needs::forces || !step.reactions.empty()) &&
                                         (needs != Needs::jerk || !step.j.empty()))));
      channel.values.push_back(there ? mech_.units.from_si(value(step), dimension) : std::nan(""));
    }
    channels_.columns.push_back(std::move(channel));
  }

  void add_vector(const std::string& prefix, const Dimension& dimension, Needs needs,
                  const std::function<Vec3d(const AnalysisStep&)>& value) {
    add(prefix + "x", dimension, needs, [value](const AnalysisStep& s) { return value(s).x; });
    add(prefix + "y", dimension, needs, [value](const AnalysisStep& s) { return value(s).y; });
    add(prefix + "z", dimension, needs, [value](const AnalysisStep& s) { return value(s).z; });
  }

  std::string input_name(const SweepInput& input) const {
    if (input.driver.joint < 0) return "input on " + mech_.bodies[input.driver.body].name;
    const JointInfo& joint = mech_.joints[input.driver.joint];
    return joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, input.driver.dof);
  }
  Dimension input_dimension(const SweepInput& input) const {
    if (input.driver.joint < 0) {
      return input.driver.component < Driver::Component::turn_x ? dimension::length : dimension::angle;
    }
    return freedoms(mech_.joints[input.driver.joint].type)[input.driver.dof].dimension;
  }

  void add_inputs() {
    const bool by_time = std::any_of(options_.inputs.begin(), options_.inputs.end(),
                                     [](const SweepInput& input) { return input.motion.has_value(); });
    if (by_time) add("t", Dimension{.time = 1}, Needs::nothing, [](const AnalysisStep& s) { return s.t; });
    for (std::size_t k = 0; k < options_.inputs.size(); ++k) {
      add(input_name(options_.inputs[k]), input_dimension(options_.inputs[k]), Needs::nothing,
          [k](const AnalysisStep& s) { return s.input[k]; });
    }
    if (channels_.columns.empty()) {
      add("step", dimension::none, Needs::nothing,
          [this](const AnalysisStep& s) { return static_cast<double>(&s - analysis_.steps.data()); });
    }
  }

  void add_joints() {
    for (std::size_t j = 0; j < mech_.joints.size(); ++j) {
      const JointInfo& joint = mech_.joints[j];
      if (joint.nq != joint.nv) {  // balls and free joints: how fast they turn; for the rest see the bodies
        const auto turning = [](const std::vector<double>& v) { return std::hypot(v[0], v[1], v[2]); };
        add(joint.name + ".w", per_time(dimension::angle, 1), Needs::motion,
            [j, turning](const AnalysisStep& s) { return turning(s.joints[j].v); });
        add(joint.name + ".alpha", per_time(dimension::angle, 2), Needs::motion,
            [j, turning](const AnalysisStep& s) { return turning(s.joints[j].a); });
        continue;
      }
      const std::vector<Freedom> list = freedoms(joint.type);
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string index = list.size() == 1 ? "" : std::to_string(i + 1);
        const Dimension d = list[i].dimension;
        add(joint.name + ".q" + index, d, Needs::position, [j, i](const AnalysisStep& s) { return s.joints[j].q[i]; });
        add(joint.name + ".v" + index, per_time(d, 1), Needs::motion,
            [j, i](const AnalysisStep& s) { return s.joints[j].v[i]; });
        add(joint.name + ".a" + index, per_time(d, 2), Needs::motion,
            [j, i](const AnalysisStep& s) { return s.joints[j].a[i]; });
        if (options_.jerk) {
          add(joint.name + ".j" + index, per_time(d, 3), Needs::jerk,
              [j, i](const AnalysisStep& s) { return s.joints[j].j[i]; });
        }
      }
    }
  }

  void add_points() {
    for (std::size_t k = 0; k < mech_.outputs.size(); ++k) {
      const std::string name = mech_.outputs[k].name + ".";
      add_vector(name, dimension::length, Needs::position, [k](const AnalysisStep& s) { return s.points[k].p; });
      add_vector(name + "v", per_time(dimension::length, 1), Needs::motion,
                 [k](const AnalysisStep& s) { return s.points[k].v; });
      add(name + "speed", per_time(dimension::length, 1), Needs::motion,
          [k](const AnalysisStep& s) { return norm(s.points[k].v); });
      add_vector(name + "a", dimension::acceleration, Needs::motion,
                 [k](const AnalysisStep& s) { return s.points[k].a; });
      add(name + "accel", dimension::acceleration, Needs::motion,
          [k](const AnalysisStep& s) { return norm(s.points[k].a); });
      if (options_.jerk) {
        add_vector(name + "j", per_time(dimension::length, 3), Needs::jerk,
                   [k](const AnalysisStep& s) { return s.points[k].j; });
      }
    }
  }

  // Points have columns P.x, as bodies have; balls and free joints P.w.
  bool shares_its_columns(std::size_t b) const {
    const std::string& name = mech_.bodies[b].name;
    return std::any_of(mech_.outputs.begin(), mech_.outputs.end(),
                       [&](const OutputInfo& o) { return o.name == name; }) ||
           std::any_of(mech_.joints.begin(), mech_.joints.end(),
                       [&](const JointInfo& joint) { return joint.nq != joint.nv && joint.name == name; });
  }

  void add_bodies() {
    for (std::size_t b = 0; b < mech_.bodies.size(); ++b) {
      const std::string name = (shares_its_columns(b) ? "body " : "") + mech_.bodies[b].name + ".";
      add_vector(name, dimension::length, Needs::position, [b](const AnalysisStep& s) { return s.bodies[b].X_WB.p; });
      add_vector(name + "turn_", dimension::angle, Needs::position,
                 [b](const AnalysisStep& s) { return log(s.bodies[b].X_WB.R); });
      if (mech_.planar) {
        add(name + "angle", dimension::angle, Needs::position,
            [b, plane = *mech_.planar](const AnalysisStep& s) { return planar_state(plane, s.bodies[b].X_WB).theta; });
      }
      add_vector(name + "w", per_time(dimension::angle, 1), Needs::motion,
                 [b](const AnalysisStep& s) { return s.bodies[b].w; });
      add(name + "w", per_time(dimension::angle, 1), Needs::motion,
          [b](const AnalysisStep& s) { return norm(s.bodies[b].w); });
      add_vector(name + "alpha_", per_time(dimension::angle, 2), Needs::motion,
                 [b](const AnalysisStep& s) { return s.bodies[b].alpha; });
      add(name + "alpha", per_time(dimension::angle, 2), Needs::motion,
          [b](const AnalysisStep& s) { return norm(s.bodies[b].alpha); });
    }
  }

  void add_forces() {
    for (std::size_t k = 0; k < options_.inputs.size(); ++k) {
      const Dimension d =
          input_dimension(options_.inputs[k]) == dimension::angle ? dimension::torque : dimension::force;
      add("drive " + input_name(options_.inputs[k]), d, Needs::forces,
          [k](const AnalysisStep& s) { return s.drive[k]; });
    }
    for (std::size_t k = 0; k < mech_.loads.size(); ++k) {
      const Load& load = mech_.loads[k].settings;
      add("load " + load.name, load.is_couple ? dimension::torque : dimension::force, Needs::forces,
          [k](const AnalysisStep& s) { return s.loads[k]; });
    }
    for (std::size_t j = 0; j < mech_.joints.size(); ++j) {
      const std::string name = mech_.joints[j].name + ".";
      add_vector(name + "f", dimension::force, Needs::forces,
                 [j](const AnalysisStep& s) { return s.reactions[j].F_W.f; });
      add(name + "force", dimension::force, Needs::forces,
          [j](const AnalysisStep& s) { return norm(s.reactions[j].F_W.f); });
      add_vector(name + "n", dimension::torque, Needs::forces,
                 [j](const AnalysisStep& s) { return s.reactions[j].F_W.n; });
      add(name + "moment", dimension::torque, Needs::forces,
          [j](const AnalysisStep& s) { return norm(s.reactions[j].F_W.n); });
    }
  }
};

}  // namespace

Channels channels_of(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis) {
  return Columns(mechanism, options, analysis).run();
}

Channels choose_channels(const Channels& all, const std::vector<std::string>& words,
                         std::vector<std::string>& unknown) {
  Channels chosen;
  if (all.columns.empty()) return chosen;
  chosen.columns.push_back(all.columns.front());
  for (const std::string& word : words) {
    bool found = false;
    for (const Channel& channel : all.columns) {
      if (channel.name != word && !channel.name.starts_with(word + ".")) continue;
      found = true;
      const bool is_there = std::any_of(chosen.columns.begin(), chosen.columns.end(),
                                        [&](const Channel& c) { return c.name == channel.name; });
      if (!is_there) chosen.columns.push_back(channel);
    }
    if (!found) unknown.push_back(word);
  }
  return chosen;
}

}  // namespace trammel
