// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/observation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/analysis_channels.hpp>
#include <trammel/impact.hpp>
#include <trammel/simulation.hpp>

namespace trammel::study {
namespace {

using At = std::size_t;

// The first error, without its place: that depends on where the study was unpacked.
Observation refused(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return {"error", fmt::format("{} [{}]", d.what, d.id), {}};
  }
  return {"error", "the model has an error", {}};
}

void choose(Channels& all, const std::vector<std::string>& names) {
  Channels chosen;
  if (!all.columns.empty()) chosen.columns.push_back(all.columns.front());
  for (const std::string& name : names) {
    for (Channel& channel : all.columns) {
      if (channel.name == name) {
        chosen.columns.push_back(channel);
        break;
      }
    }
  }
  all = std::move(chosen);
}

// --- analyses ---------------------------------------------------------------------------------------------------------------------

AnalysisOptions options_of(const Mechanism& mech, const Wish& wish) {
  AnalysisOptions options;
  options.inputs = inputs_of(mech);
  options.forces = wish.forces;
  return options;
}

Observation observe_analysis(const Mechanism& mech, const Wish& wish) {
  const AnalysisOptions options = options_of(mech, wish);
  const Analysis analysis = analyze(mech, options);
  Observation seen;
  switch (analysis.status) {
    case Analysis::Status::ok:
      break;
    case Analysis::Status::cannot_assemble:
      return {"cannot-assemble", "the loops do not close at the first position", {}};
    case Analysis::Status::under_driven:
      return {"under-driven", "the inputs leave a motion free", {}};
    case Analysis::Status::over_driven:
      return {"over-driven", "there are more inputs than freedoms", {}};
  }
  seen.channels = channels_of(mech, options, analysis);
  return seen;
}

// --- simulations ------------------------------------------------------------------------------------------------------------------

SimulationOptions simulation_options(const Mechanism& mech) {
  const SimulateSettings& file = mech.simulate;
  SimulationOptions o;
  o.until = file.until.value_or(1);
  o.step = file.step.value_or(0);
  o.tolerance = file.tolerance.value_or(o.tolerance);
  o.record_every = file.record_every.value_or(0);
  o.integrator = integrator_by_keyword(file.integrator.value_or("automatic")).value_or(Integrator::automatic);
  const std::string word = file.stabilisation.value_or("projection");
  o.stabilisation = word == "baumgarte" ? Stabilisation::baumgarte
                    : word == "none"    ? Stabilisation::none
                                        : Stabilisation::projection;
  return o;
}

// Only groups that hold a column asked for are recorded.
std::vector<std::string> groups_for(const Mechanism& mech, const std::vector<std::string>& names) {
  std::vector<std::string> groups;
  const ChannelReader all(mech, channel_groups());
  for (const RecordedChannel& channel : all.channels()) {
    const bool wanted = std::find(names.begin(), names.end(), channel.name) != names.end();
    const bool is_there = std::find(groups.begin(), groups.end(), channel.group) != groups.end();
    if (wanted && !is_there && !channel.group.empty()) groups.push_back(channel.group);
  }
  return groups;
}

Observation observe_simulation(const Mechanism& mech, const Wish& wish) {
  const SimulatedRun run = simulate(mech, simulation_options(mech), groups_for(mech, wish.channels));
  Observation seen;
  if (!run.report.ok()) {
    std::string status(keyword(run.report.status));
    std::replace(status.begin(), status.end(), ' ', '-');
    std::replace(status.begin(), status.end(), '_', '-');
    return {status, run.report.text, {}};
  }
  for (At c = 0; c < run.recording.header.channels.size(); ++c) {
    const RecordedChannel& channel = run.recording.header.channels[c];
    const bool wanted =
        c == 0 || std::find(wish.channels.begin(), wish.channels.end(), channel.name) != wish.channels.end();
    if (wanted)
      seen.channels.columns.push_back({channel.name, channel.unit, run.recording.column(static_cast<int>(c))});
  }
  return seen;
}

// --- impacts ----------------------------------------------------------------------------------------------------------------------

// Columns of one row each.
class ImpactColumns {
 public:
  void add(const std::string& name, const char* unit, double value) { out.columns.push_back({name, unit, {value}}); }
  void add(const std::string& name, const char* unit, const Vec3d& v) {
    add(name + ".x", unit, v.x);
    add(name + ".y", unit, v.y);
    add(name + ".z", unit, v.z);
  }
  Channels out;
};

void add_contacts(ImpactColumns& columns, const std::vector<ImpactContact>& contacts, const ImpactResult& result) {
  static const ContactOutcome nothing;
  for (At c = 0; c < contacts.size(); ++c) {
    const std::string& name = contacts[c].name;
    const ContactOutcome& out = c < result.contacts.size() ? result.contacts[c] : nothing;
    if (contacts[c].kind == ImpactContact::Kind::limit) {
      columns.add(name + ".impulse", "", out.along);
      columns.add(name + ".before", "", out.before.v.x);
      columns.add(name + ".after", "", out.after.v.x);
    } else {
      columns.add(name + ".impulse", "N s", norm(out.impulse_W.f));
      columns.add(name + ".impulse", "N s", out.impulse_W.f);
      columns.add(name + ".moment", "N m s", out.impulse_W.n);
      columns.add(name + ".before", "m/s", out.before.v);
      columns.add(name + ".after", "m/s", out.after.v);
    }
    columns.add(name + ".work", "J", out.work);
  }
}

Channels impact_columns(const Mechanism& mech, const State& state, const std::vector<ImpactContact>& contacts,
                        const ImpactResult& result) {
  ImpactColumns columns;
  columns.add("impact", "", 1);
  const std::vector<std::string> freedoms = freedom_names(mech);
  const auto at = [](const std::vector<double>& v, At k) { return k < v.size() ? v[k] : std::nan(""); };
  for (At k = 0; k < freedoms.size(); ++k) columns.add(freedoms[k], "", at(result.v, k));
  for (At k = 0; k < freedoms.size(); ++k) columns.add("before " + freedoms[k], "", at(state.v, k));
  add_contacts(columns, contacts, result);
  const ImpactAudit& a = result.audit;
  columns.add("energy.before", "J", a.kinetic_before);
  columns.add("energy.after", "J", a.kinetic_after);
  columns.add("energy.lost", "J", a.kinetic_before - a.kinetic_after);
  columns.add("energy.contacts", "J", a.contact_work);
  columns.add("energy.resistance", "J", a.resistance_work);
  columns.add("error.momentum", "N s", a.linear_error);
  columns.add("error.angular", "N m s", a.angular_error);
  columns.add("error.energy", "J", a.energy_error);
  for (At k = 0; k < mech.joints.size(); ++k) {
    const double held = k < result.joint_impulses.size() ? norm(result.joint_impulses[k].F_W.f) : std::nan("");
    columns.add(mech.joints[k].name + ".held", "N s", held);
  }
  return std::move(columns.out);
}

std::string dashed(std::string_view words) {
  std::string out(words);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
  return out;
}

Observation observe_impact(const Model& model, std::string_view scenario_text) {
  const ScenarioResult scene = read_impact_scenario(scenario_text, "scenario", model);
  if (!scene.ok()) return refused(scene.diagnostics);
  const CompileResult compiled = compile(scene.model, {});
  if (!compiled.ok()) return refused(compiled.diagnostics);
  const Mechanism& mech = compiled.mechanism;
  const State state = initial_state(mech);
  const std::vector<ImpactContact> contacts = contacts_of(scene.scenario, mech, state);
  const ImpactResult result = compute_impact(mech, state, contacts, resistance_of(scene.scenario, mech));
  if (!result.ok()) return {dashed(keyword(result.status)), result.text, {}};
  return {"done", {}, impact_columns(mech, state, contacts, result)};
}

}  // namespace

Observation observe(std::string_view model_text, const std::string& path, std::string_view scenario_text,
                    const Wish& wish) {
  const ReadResult read = read_yaml(model_text, path);
  if (!read.ok()) return refused(read.diagnostics);
  try {
    Observation seen;
    if (wish.run == StudyRun::impact) {
      seen = observe_impact(read.model, scenario_text);
    } else {
      const CompileResult compiled =
          compile(read.model, {.for_dynamics = wish.run == StudyRun::simulate || wish.forces});
      if (!compiled.ok()) return refused(compiled.diagnostics);
      seen = wish.run == StudyRun::analyze ? observe_analysis(compiled.mechanism, wish)
                                           : observe_simulation(compiled.mechanism, wish);
    }
    choose(seen.channels, wish.channels);
    return seen;
  } catch (const std::exception& wrong) {
    return {"error", wrong.what(), {}};
  }
}

std::vector<Channel> list_channels(std::string_view model_text, const std::string& path, std::string_view scenario_text,
                                   const std::string& scenario_path, const Wish& wish, Diagnostics& diagnostics) {
  const ReadResult read = read_yaml(model_text, path);
  diagnostics = read.diagnostics;
  if (!read.ok()) return {};
  Model model = read.model;
  ScenarioResult scene;
  if (wish.run == StudyRun::impact) {
    scene = read_impact_scenario(scenario_text, scenario_path, model);
    diagnostics.append(scene.diagnostics);
    if (!scene.ok()) return {};
    model = scene.model;
  }
  const CompileResult compiled = compile(model, {.for_dynamics = wish.run != StudyRun::analyze || wish.forces});
  diagnostics.append(compiled.diagnostics);
  if (!compiled.ok()) return {};
  const Mechanism& mech = compiled.mechanism;
  if (wish.run == StudyRun::analyze) return channels_of(mech, options_of(mech, wish), Analysis{}).columns;
  std::vector<Channel> list;
  if (wish.run == StudyRun::simulate) {
    const ChannelReader all(mech, channel_groups());
    for (const RecordedChannel& c : all.channels()) list.push_back({c.name, c.unit, {}});
    return list;
  }
  const State state = initial_state(mech);
  try {
    list = impact_columns(mech, state, contacts_of(scene.scenario, mech, state), ImpactResult{}).columns;
  } catch (const std::invalid_argument& wrong) {
    Diagnostics more;
    more.file = scenario_path;
    more.error({1, 1}, "impact-scenario", wrong.what(), "see docs/formats/impact.md");
    diagnostics.append(more);
  }
  return list;
}

}  // namespace trammel::study
