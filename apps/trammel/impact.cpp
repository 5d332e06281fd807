// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel impact MODEL SCENARIO: velocities before and after a collision or a capture, impulses, and the audit.

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/analysis.hpp>
#include <trammel/impact.hpp>

#include "eval_loops.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;
using At = std::size_t;

struct ImpactVerb {
  std::string model;
  std::vector<std::string> scenario, cut;
  ReadOptions read;
  bool json = false;
};

// Velocities of all joints that hold, those that close loops too.
using JointVelocities = std::vector<std::pair<std::string, std::vector<double>>>;
JointVelocities by_joint(const Mechanism& mech, const State& state, const std::vector<double>& v) {
  Workspace ws(mech);
  compute_accelerations(mech, ws, state.q, v, std::vector<double>(v.size(), 0.0));
  JointVelocities list;
  for (const JointInfo& joint : mech.joints) {
    if (joint.role == JointRole::tree) {
      list.push_back({joint.name, {v.begin() + joint.v, v.begin() + joint.v + joint.nv}});
    } else if (joint.role == JointRole::closure && !joint.starts_open) {
      list.emplace_back(joint.name, closing_joint_motion(mech, ws, joint).v);
    }
  }
  return list;
}

ordered_json as_json(const JointVelocities& velocities) {
  ordered_json map = ordered_json::object();
  for (const auto& [name, v] : velocities) map[name] = v;
  return map;
}

ordered_json contact_json(const Mechanism& mech, const ImpactContact& contact, const ContactOutcome& out) {
  if (contact.kind == ImpactContact::Kind::limit) {
    return {{"kind", "limit"},
            {"impulse", out.along},
            {"before", out.before.v.x},
            {"after", out.after.v.x},
            {"work", out.work}};
  }
  const auto motion = [](const Motion<double>& V) {
    return ordered_json{{"linear", list(V.v)}, {"angular", list(V.w)}};
  };
  ordered_json j{{"kind", keyword(contact.kind)},
                 {"on", body_name(mech, contact.first)},
                 {"by", body_name(mech, contact.second)},
                 {"at", list(contact.p_W)},
                 {"frame", "world"},
                 {"force", list(out.impulse_W.f)},
                 {"moment", list(out.impulse_W.n)},
                 {"before", motion(out.before)},
                 {"after", motion(out.after)},
                 {"work", out.work}};
  if (contact.kind == ImpactContact::Kind::point && contact.friction > 0) {
    ordered_json phases = ordered_json::array();
    for (const FrictionImpact::Phase& phase : out.friction.phases) {
      phases.push_back({{"kind", phase.kind == FrictionImpact::Phase::Kind::slip ? "slip" : "stick"},
                        {"stage", phase.compression ? "compression" : "restitution"},
                        {"until", phase.p_n}});
    }
    j["phases"] = phases;
  }
  return j;
}

ordered_json audit_json(const ImpactAudit& a) {
  return {{"linear",
           {{"before", list(a.linear_before)},
            {"after", list(a.linear_after)},
            {"external", list(a.linear_external)},
            {"error", a.linear_error}}},
          {"angular",
           {{"before", list(a.angular_before)},
            {"after", list(a.angular_after)},
            {"external", list(a.angular_external)},
            {"error", a.angular_error}}},
          {"energy",
           {{"before", a.kinetic_before},
            {"after", a.kinetic_after},
            {"contact_work", a.contact_work},
            {"resistance_work", a.resistance_work},
            {"error", a.energy_error}}}};
}

ordered_json report(const Mechanism& mech, const State& state, const std::vector<ImpactContact>& contacts,
                    const ImpactResult& result) {
  ordered_json j{{"status", keyword(result.status)}, {"model", mech.name}};
  if (!result.text.empty()) j["reason"] = result.text;
  j["before"] = as_json(by_joint(mech, state, state.v));
  j["after"] = as_json(by_joint(mech, state, result.v));
  j["impulse"] = ordered_json::object();
  for (At c = 0; c < result.contacts.size(); ++c)
    j["impulse"][contacts[c].name] = contact_json(mech, contacts[c], result.contacts[c]);
  const auto held = [&](const LoopReaction& r, int on) {
    return ordered_json{{"force", list(r.F_W.f)}, {"moment", list(r.F_W.n)}, {"on", body_name(mech, on)},
                        {"at", list(r.p_W)},      {"frame", "world"},        {"determinate", r.determinate}};
  };
  j["joint_impulses"] = ordered_json::object();
  for (At k = 0; k < result.joint_impulses.size(); ++k)
    j["joint_impulses"][mech.joints[k].name] = held(result.joint_impulses[k], mech.joints[k].second);
  if (!mech.constraints.empty()) j["constraint_impulses"] = ordered_json::object();
  for (At k = 0; k < result.constraint_impulses.size(); ++k) {
    j["constraint_impulses"][mech.constraints[k].name] =
        held(result.constraint_impulses[k], mech.constraints[k].second);
  }
  j["audit"] = audit_json(result.audit);
  j["warnings"] = result.warnings;
  return j;
}

// Round-off is nothing to a reader.
std::string plain(double x) { return number(std::abs(x) < 1e-12 ? 0 : x); }
std::string short_vector(const Vec3d& v) {
  const auto x = [](double c) { return std::abs(c) < 1e-12 ? 0 : c; };
  return vector({x(v.x), x(v.y), x(v.z)});
}

void print_text(const Mechanism& mech, const State& state, const std::vector<ImpactContact>& contacts,
                const ImpactResult& result) {
  fmt::print("{}  impact\n\nContacts (SI, world axes; impulses on the first body)\n", heading(mech.name));
  Table touched({"contact", "first", "second", "impulse N s", "moment N m s", "velocity before", "after", "work J"});
  for (At c = 0; c < contacts.size(); ++c) {
    const ContactOutcome& out = result.contacts[c];
    if (contacts[c].kind == ImpactContact::Kind::limit) {
      touched.add({contacts[c].name, mech.joints[static_cast<At>(contacts[c].limit_joint)].name, "its stop",
                   plain(out.along), "", plain(out.before.v.x), plain(out.after.v.x), plain(out.work)});
    } else {
      touched.add({contacts[c].name, body_name(mech, contacts[c].first), body_name(mech, contacts[c].second),
                   short_vector(out.impulse_W.f), short_vector(out.impulse_W.n), short_vector(out.before.v),
                   short_vector(out.after.v), plain(out.work)});
    }
  }
  fmt::print("{}\nVelocities of the joints\n", touched.to_string());
  Table joints({"joint", "before", "after"});
  const auto numbers = [](const std::vector<double>& v) {
    std::string text;
    for (const double x : v) text += (text.empty() ? "" : "  ") + plain(x);
    return text;
  };
  const JointVelocities before = by_joint(mech, state, state.v), after = by_joint(mech, state, result.v);
  for (At k = 0; k < before.size(); ++k) {
    joints.add({before[k].first, numbers(before[k].second), numbers(after[k].second)});
  }
  fmt::print("{}", joints.to_string());
  const auto held_by = [&](const char* what, const auto& parts, const std::vector<LoopReaction>& impulses) {
    if (impulses.empty()) return;
    fmt::print("\nImpulses in the {0}s, on the second body\n", what);
    Table held({what, "impulse N s", "moment N m s", "on"});
    for (At k = 0; k < impulses.size(); ++k) {
      const LoopReaction& r = impulses[k];
      held.add({parts[k].name, short_vector(r.F_W.f), short_vector(r.F_W.n), body_name(mech, parts[k].second)});
    }
    fmt::print("{}", held.to_string());
  };
  held_by("joint", mech.joints, result.joint_impulses);
  held_by("constraint", mech.constraints, result.constraint_impulses);
  const ImpactAudit& a = result.audit;
  fmt::print("\nAudit\n  kinetic energy {} J → {} J: contacts {} J, joints that resist {} J\n", plain(a.kinetic_before),
             plain(a.kinetic_after), plain(a.contact_work), plain(a.resistance_work));
  fmt::print("  momentum {} → {} N s, of which from the ground {}\n", short_vector(a.linear_before),
             short_vector(a.linear_after), short_vector(a.linear_external));
  fmt::print("  errors: momentum {:.1e} N s, angular {:.1e} N m s, energy {:.1e} J\n", a.linear_error, a.angular_error,
             a.energy_error);
}

int run_impact(const ImpactVerb& verb) {
  const auto refuse = [&](const Diagnostics& diagnostics) {
    print(diagnostics);
    if (verb.json) print_json_errors(diagnostics);
    return bad_input;
  };
  if (verb.scenario.size() != 1) {
    return refuse(
        one_error("impact takes a model and one scenario", "write trammel impact MODEL SCENARIO", "bad-usage"));
  }
  const LoadResult result = load(verb.model, {.cut = verb.cut, .gravity = std::nullopt, .read = verb.read});
  if (!result.loaded) {
    if (verb.json) print_json_errors(result.diagnostics);
    return bad_input;
  }
  ScenarioResult scene = load_impact_scenario(verb.scenario.front(), result.loaded->model);
  if (!scene.ok()) return refuse(scene.diagnostics);
  print(scene.diagnostics);
  const CompileResult compiled = compile(scene.model, {.cut = verb.cut});
  if (!compiled.ok()) return refuse(compiled.diagnostics);
  const Mechanism& mech = compiled.mechanism;
  Diagnostics problems;
  EvalState begin = read_state(mech, std::nullopt, true, problems);
  if (problems.has_errors()) return refuse(problems);
  if (const Refusal open = close_loops_of(mech, begin); open.refuses()) return answer_no(open, verb.json);
  const State& state = begin.state;
  try {
    const std::vector<ImpactContact> contacts = contacts_of(scene.scenario, mech, state);
    print(places_off_bodies(scene.scenario, scene.model, mech, contacts, state));
    const ImpactResult answer = compute_impact(mech, state, contacts, resistance_of(scene.scenario, mech));
    for (const std::string& warning : answer.warnings)
      fmt::print(stderr, "{}: warning: {}      [impact-energy]\n", verb.scenario.front(), warning);
    if (verb.json) {
      fmt::print("{}\n", report(mech, state, contacts, answer).dump(1));
    } else if (answer.ok()) {
      print_text(mech, state, contacts, answer);
    }
    if (answer.ok()) return done;
    print(one_error(answer.text, answer.fix, "no-impact"));
    return negative_answer;
  } catch (const std::invalid_argument& wrong) {
    return refuse(one_error(wrong.what(), "see docs/formats/impact.md", "impact-scenario"));
  }
}

}  // namespace

void add_impact(CommandLine& line) {
  Verb verb(line, "impact", "velocities before and after a collision or a capture, impulses, and an audit");
  auto options = std::make_shared<ImpactVerb>();
  verb.model(options->model, false);
  verb.rest("scenario", options->scenario, "a YAML file: how everything moves, where it touches, how joints resist");
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "Exit code 1: the bodies do not approach each other, or the impact has no answer.\n"
      "Example:\n"
      "  trammel impact target.yaml ball.yaml        (both in examples/22_impact)");
  verb.run([options] { return run_impact(*options); });
}

}  // namespace trammel::tool
