// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulate_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

ordered_json numbers(const std::vector<double>& list) {
  ordered_json out = ordered_json::array();
  for (const double x : list) out.push_back(std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr));
  return out;
}

// Every joint with coordinates, those that close loops too.
ordered_json by_joint(const Mechanism& mech, const AnalysisStep& step, std::vector<double> JointMotion::*part) {
  ordered_json out = ordered_json::object();
  for (std::size_t j = 0; j < mech.joints.size(); ++j) {
    if (mech.joints[j].nv > 0) out[mech.joints[j].name] = numbers(step.joints[j].*part);
  }
  return out;
}

ordered_json points_of(const Mechanism& mech, const AnalysisStep& step) {
  ordered_json out = ordered_json::object();
  for (std::size_t k = 0; k < mech.outputs.size(); ++k) out[mech.outputs[k].name] = list(step.points[k].p);
  return out;
}

ordered_json by_name(const Mechanism& mech, const std::vector<double>& q, bool rates) {
  ordered_json out = ordered_json::object();
  for (const Link& link : mech.links) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(link.joint)];
    const auto first = q.begin() + (rates ? joint.v : joint.q);
    out[joint.name] = numbers(std::vector<double>(first, first + (rates ? joint.nv : joint.nq)));
  }
  return out;
}

ordered_json events_json(const Mechanism& mech, const std::vector<RecordedEvent>& events) {
  ordered_json out = ordered_json::array();
  for (const RecordedEvent& e : events) {
    out.push_back({{"t", e.t},
                   {"name", e.name},
                   {"kind", e.kind},
                   {"text", e.text},
                   {"before", {{"q", by_name(mech, e.q_before, false)}, {"v", by_name(mech, e.v_before, true)}}},
                   {"after", {{"q", by_name(mech, e.q_after, false)}, {"v", by_name(mech, e.v_after, true)}}}});
    if (e.impulse.empty()) continue;
    const auto part = [&e](std::size_t first) {
      return std::vector<double>(e.impulse.begin() + static_cast<std::ptrdiff_t>(first),
                                 e.impulse.begin() + static_cast<std::ptrdiff_t>(first + 3));
    };
    ordered_json& impulse = out.back()["impulse"];
    if (e.impulse.size() == RecordedEvent::impulse_numbers) {
      impulse = {{"force", part(4)}, {"moment", part(1)}, {"at", part(7)}, {"frame", "world"}};
    } else {
      impulse = {{"along", e.impulse[1]}};
    }
    out.back()["lost"] = e.impulse[0];
  }
  return out;
}

ordered_json contacts_json(const Mechanism& mech, const std::vector<ContactState>& contacts) {
  ordered_json out = ordered_json::object();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactState& c = contacts[i];
    out[mech.contacts.pairs[i].name] = {
        {"state", keyword(c.mode)}, {"depth", std::isfinite(c.depth) ? ordered_json(c.depth) : ordered_json(nullptr)},
        {"normal", c.normal},       {"friction", list(c.friction_W)},
        {"at", list(c.p_W)},        {"direction", list(c.normal_W)}};
  }
  return out;
}

void print_contacts_at_end(const SimulateResult& r) {
  if (r.contacts.empty()) return;
  double carried = 0;
  int touching = 0, slipping = 0;
  for (const ContactState& c : r.contacts) {
    carried += c.normal;
    touching += c.mode == ContactState::Mode::open ? 0 : 1;
    slipping += c.mode == ContactState::Mode::slips ? 1 : 0;
  }
  fmt::print("contacts {} of {} touch, {} of them slip, {} N in all", touching, r.contacts.size(), slipping,
             number(carried));
  if (r.report.contact_passes > 0) {
    fmt::print(
        "; {:.2f} passes a step, {} steps unresolved",
        static_cast<double>(r.report.contact_passes) / static_cast<double>(std::max<std::uint64_t>(r.report.steps, 1)),
        r.report.unresolved_steps);
  }
  fmt::print("\n");
}

}  // namespace

std::string status_id(SimulationStatus status) {
  std::string id(keyword(status));
  std::replace(id.begin(), id.end(), ' ', '-');
  return id;
}

ordered_json options_json(const SimulationOptions& o, const std::string& state) {
  const Integrator integrator = o.integrator == Integrator::automatic ? Integrator::erk : o.integrator;
  ordered_json j{{"step", o.step == 0 && !has_error_control(integrator) ? default_fixed_step : o.step},
                 {"tolerance", o.tolerance},
                 {"integrator", keyword(integrator)},
                 {"order", o.order},
                 {"stabilisation", o.stabilisation == Stabilisation::projection  ? "projection"
                                   : o.stabilisation == Stabilisation::baumgarte ? "baumgarte"
                                                                                 : "none"},
                 {"baumgarte_rate", o.baumgarte_rate},
                 {"record_every", o.record_every},
                 {"friction", o.friction},
                 {"fluid", o.fluid}};
  if (!state.empty()) j["state"] = state;
  return j;
}

ordered_json report_json(const Mechanism& mech, const SimulateResult& r) {
  const SimulationReport& report = r.report;
  ordered_json j;
  j["status"] = status_id(report.status);
  if (!report.text.empty()) j["text"] = report.text;
  if (!report.fix.empty()) j["fix"] = report.fix;
  j["model"] = mech.name;
  j["integrator"] = keyword(report.integrator);
  j["t"] = report.t;
  j["q"] = by_joint(mech, r.end, &JointMotion::q);
  j["v"] = by_joint(mech, r.end, &JointMotion::v);
  j["a"] = by_joint(mech, r.end, &JointMotion::a);
  j["points"] = points_of(mech, r.end);
  const EnergyAudit& e = report.energy;
  j["energy"] = {{"kinetic", e.kinetic},       {"potential", e.potential},
                 {"elastic", e.elastic},       {"input", e.input},
                 {"dissipated", e.dissipated}, {"stored", e.kinetic + e.potential + e.elastic},
                 {"error", e.error},           {"largest_error", e.largest_error}};
  j["drift"] = {{"position", report.drift.position}, {"orientation", report.drift.orientation}};
  j["initial_gap"] = {{"position", report.initial_gap.position}, {"orientation", report.initial_gap.orientation}};
  j["steps"] = report.steps;
  j["rejected"] = report.rejected;
  j["evaluations"] = report.evaluations;
  if (!r.contacts.empty()) {
    j["contacts"] = contacts_json(mech, r.contacts);
    j["contact_passes"] = report.contact_passes;
    j["unresolved_steps"] = report.unresolved_steps;
  }
  j["events"] = events_json(mech, r.events);
  j["samples"] = ordered_json::array();
  for (const AnalysisStep& step : r.samples) {
    ordered_json sample{{"t", step.t},
                        {"q", by_joint(mech, step, &JointMotion::q)},
                        {"v", by_joint(mech, step, &JointMotion::v)},
                        {"points", points_of(mech, step)}};
    for (std::size_t k = 0; k < step.measures.size(); ++k) {
      sample["measures"][mech.measures[k].name] =
          std::isfinite(step.measures[k]) ? ordered_json(step.measures[k]) : nullptr;
    }
    j["samples"].push_back(std::move(sample));
  }
  if (!report.notes.empty()) j["notes"] = report.notes;
  if (!r.recording.empty()) j["recording"] = {{"file", r.recording}, {"rows", r.rows}};
  j["seconds"] = r.seconds;
  j["real_time_factor"] = r.real_time_factor;
  return j;
}

void print_report(const Mechanism& mech, const SimulateResult& r) {
  const SimulationReport& report = r.report;
  fmt::print("{} {} after t = {} s, {}: {} steps ({} rejected), {} evaluations, {:.2g} s, {:.3g} times real time\n",
             mech.name, keyword(report.status), number(report.t), keyword(report.integrator), report.steps,
             report.rejected, report.evaluations, r.seconds, r.real_time_factor);
  const EnergyAudit& e = report.energy;
  fmt::print("energy   kinetic {} J, potential {} J, elastic {} J; input {} J, dissipated {} J; error {} J\n",
             number(e.kinetic), number(e.potential), number(e.elastic), number(e.input), number(e.dissipated),
             number(e.error, 3));
  if (!mech.is_tree()) {
    fmt::print("loops    open by at most {} m, {} rad", number(report.drift.position, 3),
               number(report.drift.orientation, 3));
    if (report.initial_gap.position > 1e-9 || report.initial_gap.orientation > 1e-9) {
      fmt::print("; at the start by {} m, {} rad, closed by projection", number(report.initial_gap.position, 3),
                 number(report.initial_gap.orientation, 3));
    }
    fmt::print("\n");
  }
  print_contacts_at_end(r);
  for (const std::string& note : report.notes) fmt::print("note     {}\n", note);
  constexpr std::size_t most_events = 20;
  for (std::size_t i = 0; i < std::min(r.events.size(), most_events); ++i) {
    const RecordedEvent& event = r.events[i];
    fmt::print("event    t = {} s  {}{}{}\n", number(event.t, 10), event.name, event.text.empty() ? "" : ": ",
               event.text);
  }
  if (r.events.size() > most_events) fmt::print("         and {} more events\n", r.events.size() - most_events);
  if (!r.recording.empty()) fmt::print("recorded {} rows in {}\n", r.rows, r.recording);
  fmt::print("\n{}\n", heading("At the end"));
  Table table({"joint", "freedom", "q", "v", "unit"});
  for (std::size_t j = 0; j < mech.joints.size(); ++j) {
    const JointInfo& joint = mech.joints[j];
    const std::vector<Freedom> names = freedoms(joint.type);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool has_q = joint.nq == joint.nv;
      const double v = mech.units.from_si(r.end.joints[j].v[i], names[i].dimension) * mech.units.time_si;
      const std::string unit_q = mech.units.name(names[i].dimension), unit_v = unit_q + "/" + mech.units.time;
      table.add({i == 0 ? joint.name : "", std::string(names[i].name),
                 has_q ? number(mech.units.from_si(r.end.joints[j].q[i], names[i].dimension)) : "", number(v),
                 has_q ? unit_q + ", " + unit_v : unit_v});
    }
  }
  fmt::print("{}", table.to_string());
}

Diagnostics verdict_on(const SimulationReport& report) {
  const std::string &text = report.text, &fix = report.fix;
  switch (report.status) {
    case SimulationStatus::diverged:
      return one_error(text, fix, "simulation-diverged");
    case SimulationStatus::too_many_steps:
      return one_error(text, fix, "simulation-too-many-steps");
    case SimulationStatus::step_too_small:
      return one_error(text, fix, "simulation-step-too-small");
    case SimulationStatus::no_inertia:
      return one_error(text, fix, "simulation-no-inertia");
    case SimulationStatus::cannot_assemble:
      return one_error(text, fix, "simulation-cannot-assemble");
    case SimulationStatus::inconsistent:
      return one_error(text, fix, "simulation-inconsistent");
    case SimulationStatus::done:
    case SimulationStatus::stopped:
      break;
  }
  return {};
}

}  // namespace trammel::tool
