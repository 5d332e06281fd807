// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is recorded of a simulation: which channels there are, and their values at its current moment, in the same order.

#include <algorithm>

#include <fmt/format.h>

#include <trammel/measures.hpp>
#include <trammel/simulation.hpp>
#include <trammel/version.hpp>

#include "analysis/step_results.hpp"

namespace trammel {
namespace {

using At = std::size_t;

const char* unit_of(const Dimension& d) { return d == dimension::angle ? "rad" : "m"; }

template <class F>
void for_each_tree_joint(const Mechanism& mech, F&& f) {
  for (const Link& link : mech.links) f(mech.joints[static_cast<At>(link.joint)]);
}

// Those that close loops follow those of the tree, in every group.
template <class F>
void for_each_moving_joint(const Mechanism& mech, F&& f) {
  for_each_tree_joint(mech, f);
  for (const Loop& loop : mech.loops) f(mech.joints[static_cast<At>(loop.closure)]);
}

struct NamedFreedom {
  std::string name, unit;
};
std::vector<NamedFreedom> freedoms_of(const JointInfo& joint) {
  std::vector<NamedFreedom> out;
  const std::vector<Freedom> list = freedoms(joint.type);
  for (const Freedom& f : list) {
    out.push_back({list.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, f.name), unit_of(f.dimension)});
  }
  return out;
}
std::vector<NamedFreedom> coordinates_of(const JointInfo& joint) {
  if (joint.nq == joint.nv) {
    std::vector<NamedFreedom> out = freedoms_of(joint);
    for (NamedFreedom& f : out) f.name += ".q";
    return out;
  }
  std::vector<NamedFreedom> out;
  constexpr std::string_view parts[] = {"qw", "qx", "qy", "qz", "px", "py", "pz"};
  for (int i = 0; i < joint.nq; ++i) {
    const std::string part = i < 7 ? std::string(parts[i]) : std::to_string(i);
    out.push_back({fmt::format("{}.{}", joint.name, part), i < 4 ? "1" : "m"});
  }
  return out;
}

}  // namespace

std::vector<std::string> coordinate_names(const Mechanism& mech) {
  std::vector<std::string> names;
  for_each_tree_joint(mech, [&](const JointInfo& joint) {
    for (const NamedFreedom& c : coordinates_of(joint)) names.push_back(c.name);
  });
  return names;
}
std::vector<std::string> freedom_names(const Mechanism& mech) {
  std::vector<std::string> names;
  for_each_tree_joint(mech, [&](const JointInfo& joint) {
    for (const NamedFreedom& f : freedoms_of(joint)) names.push_back(f.name + ".v");
  });
  return names;
}

std::vector<std::string> channel_groups() {
  return {"coordinates", "velocities", "accelerations", "forces",   "points",  "bodies",
          "reactions",   "energy",     "loops",         "measures", "contacts"};
}

bool ChannelReader::has(std::string_view group) const {
  return std::find(groups_.begin(), groups_.end(), group) != groups_.end();
}

ChannelReader::ChannelReader(const Mechanism& mech, const std::vector<std::string>& groups)
    : groups_(groups), places_(std::make_shared<Workspace>(mech)) {
  const auto add = [this](std::string name, std::string unit, std::string frame, std::string group) {
    channels_.push_back({std::move(name), std::move(unit), std::move(frame), std::move(group)});
  };
  add("t", "s", "", "");
  const auto add_freedoms = [&](const char* suffix, const char* per, const char* group) {
    for_each_moving_joint(mech, [&](const JointInfo& joint) {
      for (const NamedFreedom& f : freedoms_of(joint)) add(f.name + suffix, f.unit + per, "joint", group);
    });
  };
  if (has("coordinates")) {
    for_each_moving_joint(mech, [&](const JointInfo& joint) {
      for (const NamedFreedom& c : coordinates_of(joint)) add(c.name, c.unit, "joint", "coordinates");
    });
  }
  if (has("velocities")) add_freedoms(".v", "/s", "velocities");
  if (has("accelerations")) add_freedoms(".a", "/s^2", "accelerations");
  if (has("forces")) {
    for (const ActuatorInfo& info : mech.actuators) {
      const bool turns =
          info.joint >= 0 &&
          freedoms(mech.joints[static_cast<At>(info.joint)].type)[static_cast<At>(std::max(info.settings.dof, 0))]
                  .dimension == dimension::angle;
      add(info.settings.name + ".force", turns ? "N m" : "N", info.joint < 0 ? "body" : "joint", "forces");
    }
    for (const ActuatorInfo& info : mech.actuators) {
      if (info.settings.kind != Actuator::Kind::dc_motor) continue;
      add(info.settings.name + ".voltage", "V", "", "forces");
      add(info.settings.name + ".current", "A", "", "forces");
    }
    for (const DriveInfo& info : mech.drives) {
      const JointInfo& joint = mech.joints[static_cast<At>(info.joint)];
      const bool turns = freedoms(joint.type)[static_cast<At>(info.settings.dof)].dimension == dimension::angle;
      add(info.settings.name + ".drive", turns ? "N m" : "N", "joint", "forces");
    }
  }
  const auto add_vector = [&](const std::string& name, std::string_view letter, const char* unit, const char* group) {
    for (const char axis : {'x', 'y', 'z'}) add(fmt::format("{}.{}{}", name, letter, axis), unit, "world", group);
  };
  if (has("points")) {
    for (const OutputInfo& output : mech.outputs) {
      add_vector(output.name, "", "m", "points");
      add_vector(output.name, "v", "m/s", "points");
    }
  }
  if (has("bodies")) {
    for (const BodyInfo& body : mech.bodies) {
      add_vector(body.name, "", "m", "bodies");
      for (const char* part : {"qw", "qx", "qy", "qz"}) add(body.name + "." + part, "1", "world", "bodies");
    }
  }
  if (has("reactions")) {
    for (const JointInfo& joint : mech.joints) {
      add_vector(joint.name, "f", "N", "reactions");
      add_vector(joint.name, "m", "N m", "reactions");
    }
  }
  if (has("energy")) {
    for (const char* part : {"kinetic", "potential", "elastic", "total", "input", "dissipated", "error"}) {
      add(fmt::format("energy.{}", part), "J", "", "energy");
    }
  }
  if (has("loops") && !mech.is_tree()) {
    add("loops.position", "m", "", "loops");
    add("loops.orientation", "rad", "", "loops");
  }
  if (has("contacts")) {
    for (const ContactPair& pair : mech.contacts.pairs) {
      add(pair.name + ".depth", "m", "", "contacts");
      add(pair.name + ".normal", "N", "", "contacts");
      add_vector(pair.name, "friction.", "N", "contacts");
      add(pair.name + ".state", "1", "", "contacts");
    }
  }
  if (has("measures")) {
    for (At i = 0; i < mech.measures.size(); ++i) {
      const Dimension& d = mech.measure_variables[i].dimension;
      add(mech.measures[i].name, Units{}.name(d), "", "measures");
    }
  }
}

namespace {

void count_turns(const Simulation& simulation, const Loop& loop, JointMotion& motion) {
  for (At k = 0; k < motion.q.size(); ++k) {
    motion.q[k] = simulation.with_turns(loop.closure, static_cast<int>(k), motion.q[k]);
  }
}

// Of the joints that close loops; without accelerations unless they are wanted.
std::vector<JointMotion> closing_motion(Simulation& simulation, Workspace& ws, bool with_accelerations) {
  const Mechanism& mech = simulation.mechanism();
  const State& state = simulation.state();
  std::vector<double> a(state.v.size(), 0.0);
  if (with_accelerations) std::ranges::copy(simulation.accelerations(), a.begin());
  compute_accelerations(mech, ws, state.q, state.v, a);
  std::vector<JointMotion> list;
  for (const Loop& loop : mech.loops) {
    list.push_back(closing_joint_motion(mech, ws, mech.joints[static_cast<At>(loop.closure)]));
    count_turns(simulation, loop, list.back());
  }
  return list;
}

}  // namespace

AnalysisStep describe(Simulation& simulation) {
  const Mechanism& mech = simulation.mechanism();
  const State& state = simulation.state();
  AnalysisStep step;
  step.t = state.t;
  step.q = state.q, step.v = state.v;
  const std::span<const double> a = simulation.accelerations();
  step.a.assign(a.begin(), a.end());
  step.has_motion = true;
  Workspace ws(mech);
  fill_motion(mech, ws, step);
  for (const Loop& loop : mech.loops) count_turns(simulation, loop, step.joints[static_cast<At>(loop.closure)]);
  if (!mech.measures.empty()) step.measures = MeasureReader(mech).read(step);
  return step;
}

void ChannelReader::read(Simulation& simulation, std::span<double> row) const {
  const Mechanism& mech = simulation.mechanism();
  auto next = row.begin();
  const auto put = [&](double x) { *next++ = x; };
  const auto put_vector = [&](const Vec3d& p) { put(p.x), put(p.y), put(p.z); };
  const auto put_list = [&](std::span<const double> list) { next = std::copy(list.begin(), list.end(), next); };
  const State& state = simulation.state();
  Workspace& ws = *places_;
  put(state.t);
  std::vector<JointMotion> closing;
  if (!mech.loops.empty() && (has("coordinates") || has("velocities") || has("accelerations"))) {
    closing = closing_motion(simulation, ws, has("accelerations"));
  }
  if (has("coordinates")) {
    put_list(state.q);
    for (const JointMotion& motion : closing) put_list(motion.q);
  }
  if (has("velocities")) {
    put_list(state.v);
    for (const JointMotion& motion : closing) put_list(motion.v);
  }
  if (has("accelerations")) {
    put_list(simulation.accelerations());
    for (const JointMotion& motion : closing) put_list(motion.a);
  }
  if (has("forces")) {
    put_list(simulation.actuator_forces());
    const std::span<const MotorState> motors = simulation.motors();
    for (At k = 0; k < motors.size(); ++k) {
      if (mech.actuators[k].settings.kind == Actuator::Kind::dc_motor) put(motors[k].volts), put(motors[k].amperes);
    }
    put_list(simulation.drive_forces());
  }
  const bool points = has("points") && !mech.outputs.empty(), bodies = has("bodies");
  if (points || bodies) compute_velocities(mech, ws, state.q, state.v);
  if (points) {
    for (const OutputInfo& output : mech.outputs) {
      const bool fixed = output.body == ground;
      put_vector(fixed ? output.p_B : pose_WB(mech, ws, output.body) * output.p_B);
      put_vector(fixed ? Vec3d{} : velocity_W(mech, ws, output.body, output.p_B).v);
    }
  }
  if (bodies) {
    for (int b = 0; b < mech.body_count(); ++b) {
      const Transformd X_WB = pose_WB(mech, ws, b);
      put_vector(X_WB.p);
      const Quaternion<double> q = quaternion_of(X_WB.R);
      put(q.w), put(q.x), put(q.y), put(q.z);
    }
  }
  if (has("reactions")) {
    for (const LoopReaction& reaction : simulation.reactions()) put_vector(reaction.F_W.f), put_vector(reaction.F_W.n);
  }
  if (has("energy")) {
    const EnergyAudit e = simulation.energy();
    const double total = e.kinetic + e.potential + e.elastic;
    for (const double x : {e.kinetic, e.potential, e.elastic, total, e.input, e.dissipated, e.error}) put(x);
  }
  if (has("loops") && !mech.is_tree()) {
    const LoopDrift gap = simulation.gaps();
    put(gap.position), put(gap.orientation);
  }
  if (has("contacts") && !mech.contacts.pairs.empty()) {
    for (const ContactState& contact : simulation.contacts()) {
      put(contact.depth), put(contact.normal), put_vector(contact.friction_W);
      put(static_cast<double>(contact.mode));
    }
  }
  if (has("measures") && !mech.measures.empty()) put_list(describe(simulation).measures);
}

std::vector<std::string> usual_channel_groups() {
  return {"coordinates", "velocities", "forces", "points", "energy", "loops", "measures"};
}

SimulatedRun simulate(const Mechanism& mech, SimulationOptions options, const std::vector<std::string>& groups,
                      const std::optional<State>& start) {
  SimulatedRun run;
  const ChannelReader channels(mech, groups);
  RecordingHeader& header = run.recording.header;
  header.model_name = mech.name;
  header.model_file = mech.file;
  header.trammel_version = version();
  header.q_names = coordinate_names(mech);
  header.v_names = freedom_names(mech);
  header.channels = channels.channels();
  Simulation* running = nullptr;
  std::vector<double> row(header.channels.size());
  options.record = [&, also = std::move(options.record)](const Moment& moment) {
    channels.read(*running, row);
    run.recording.numbers.insert(run.recording.numbers.end(), row.begin(), row.end());
    if (also) also(moment);
  };
  options.on_event = [&, also = std::move(options.on_event)](const RecordedEvent& event) {
    run.recording.events.push_back(event);
    if (also) also(event);
  };
  Simulation simulation(mech, std::move(options), start);
  running = &simulation;
  run.report = simulation.run();
  run.recording.checkpoint = simulation.checkpoint();
  run.recording.checkpoint->events = run.recording.events.size();
  run.recording.status = keyword(run.report.status);
  return run;
}

}  // namespace trammel
