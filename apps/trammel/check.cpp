// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel check: reads, compiles and explains a model. Bodies, joints, coordinates with their frames and units, the
// spanning tree and where loops were cut, the Grübler count, and which solver each part gets.

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/analysis.hpp>
#include <trammel/closed_form.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/loop_dynamics.hpp>

#include "check_actuation.hpp"
#include "check_contacts.hpp"
#include "check_fluid.hpp"
#include "check_linkage.hpp"
#include "check_mobility.hpp"
#include "input_options.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

const char* word(JointRole role) {
  return role == JointRole::tree ? "tree" : role == JointRole::weld ? "weld" : "closes a loop";
}

// How positions are found under the file's inputs.
struct PositionSolver {
  std::vector<std::string> inputs;
  ClosedForm form;
};
PositionSolver position_solver(const Mechanism& mechanism) {
  std::vector<std::string> names;
  std::vector<Driver> drivers;
  for (const SweepInput& input : inputs_of(mechanism)) {
    names.push_back(input_name(mechanism, input));
    drivers.push_back(input.driver);
  }
  return {names, ClosedForm(mechanism, drivers)};
}

std::string range(int first, int count) {
  if (count == 0 || first < 0) return "-";
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}..{}", first, first + count - 1);
}

// What the coordinates of a joint are, in which frame and unit: the second body relative to the first.
std::string meaning(const JointInfo& joint) {
  if (joint.nv == 0) return "";
  if (joint.nq == joint.nv) {
    std::vector<std::string> parts;
    for (const Freedom& f : freedoms(joint.type)) {
      parts.push_back(fmt::format("{} ({})", f.name, f.dimension == dimension::length ? "m" : "rad"));
    }
    return fmt::format("q: {}; v = dq/dt", fmt::join(parts, ", "));
  }
  if (joint.nv == 3) return "q: quaternion w, x, y, z of M in F; v: angular velocity in M (rad/s)";
  return "q: quaternion w, x, y, z, position x, y, z of M in F (m); v: [ω; v] of M in F, expressed in M (rad/s, m/s)";
}

std::string numbers_text(const std::vector<double>& numbers) {
  std::vector<std::string> parts;
  for (const double x : numbers) parts.push_back(number(x));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What acts in a joint, and how far it may go; empty when nothing is given.
std::string properties(const JointProperties& p) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::string_view what, const std::vector<double>& numbers) {
    if (!numbers.empty()) parts.push_back(fmt::format("{} {}", what, numbers_text(numbers)));
  };
  add("from", p.lower);
  add("to", p.upper);
  add("speed up to", p.velocity_limit);
  add("effort up to", p.effort_limit);
  add("viscous friction", p.viscous);
  add("dry friction", p.dry);
  add("armature", p.armature);
  add("stiffness of stops", p.limit_stiffness);
  add("damping of stops", p.limit_damping);
  return fmt::format("{}", fmt::join(parts, "; "));
}

ordered_json json_report(const Loaded& loaded, const MobilityFacts& facts) {
  const Mechanism& mechanism = loaded.mechanism;
  ordered_json report{{"status", facts.closes() ? "ok" : "cannot-close"}};
  if (!facts.closes()) report["reason"] = facts.why_not_closed();
  report["name"] = mechanism.name, report["file"] = mechanism.file;
  report["nq"] = mechanism.nq, report["nv"] = mechanism.nv;
  const Units& units = mechanism.units;
  const Vec3d& g = mechanism.parameters.gravity;
  report["file_units"] = {{"length", units.length},
                          {"angle", units.angle},
                          {"mass", units.mass},
                          {"time", units.time},
                          {"force", units.force}};
  report["gravity"] = {g.x, g.y, g.z};
  for (int b = 0; b < mechanism.body_count(); ++b) {
    const Body& body = loaded.model.bodies[b];
    const Sym3d& I = body.inertia;
    report["bodies"][body.name] = {{"mass", body.mass},
                                   {"com", {body.com.x, body.com.y, body.com.z}},
                                   {"inertia", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}},
                                   {"link", mechanism.bodies[b].link},
                                   {"parent", body_name(mechanism, mechanism.bodies[b].parent)},
                                   {"joint", mechanism.joints[mechanism.bodies[b].joint].name}};
  }
  for (const JointInfo& joint : mechanism.joints) {
    ordered_json entry{{"type", keyword(joint.type)},
                       {"first", body_name(mechanism, joint.first)},
                       {"second", body_name(mechanism, joint.second)},
                       {"role", joint.role == JointRole::closure ? "closure" : word(joint.role)},
                       {"reversed", joint.reversed},
                       {"nq", joint.nq},
                       {"nv", joint.nv}};
    if (joint.role != JointRole::closure) entry["q"] = joint.q, entry["v"] = joint.v;
    entry["coordinates"] = meaning(joint);
    const JointProperties& p = loaded.model.find_joint(joint.name)->properties;
    const auto put = [&entry](const char* key, const std::vector<double>& numbers) {
      if (numbers.empty()) return;
      for (const double x : numbers) entry[key].push_back(std::isfinite(x) ? ordered_json(x) : ordered_json());
    };
    put("lower", p.lower), put("upper", p.upper), put("velocity_limit", p.velocity_limit);
    put("effort_limit", p.effort_limit), put("viscous", p.viscous), put("dry", p.dry), put("armature", p.armature);
    put("limit_stiffness", p.limit_stiffness), put("limit_damping", p.limit_damping);
    report["joints"][joint.name] = entry;
  }
  add_linkage(loaded.model, report);
  add_actuation(loaded.model, report);
  add_contacts(loaded.model, mechanism, report);
  add_fluid(mechanism, report);
  report["loops"] = ordered_json::array();
  for (const Loop& loop : mechanism.loops) {
    std::vector<std::string> names;
    for (const int j : loop.joints) names.push_back(mechanism.joints[j].name);
    report["loops"].push_back({{"closed_by", mechanism.joints[loop.closure].name}, {"joints", names}});
    if (mechanism.joints[loop.closure].starts_open) report["loops"].back()["starts_open"] = true;
  }
  report["couplings"] = ordered_json::object();
  for (const CouplingInfo& coupling : mechanism.couplings) {
    report["couplings"][coupling.name] = {{"kind", keyword(coupling.kind)},
                                          {"first", mechanism.joints[coupling.first].name},
                                          {"second", mechanism.joints[coupling.second].name},
                                          {"ratio", coupling.ratio},
                                          {"offset", coupling.offset}};
  }
  add_mobility(facts, report);
  if (facts.mobility && !mechanism.inputs.empty()) {
    const PositionSolver solver = position_solver(mechanism);
    report["positions"] = {{"inputs", solver.inputs},
                           {"solver", solver.form.exists() ? "closed form" : "Newton"},
                           {"steps", solver.form.steps()},
                           {"obstacle", solver.form.obstacle()}};
  }
  report["warnings"] = json_of(loaded.diagnostics);
  return report;
}

void print_bodies(const Loaded& loaded) {
  const Mechanism& mechanism = loaded.mechanism;
  Table table({"body", "mass kg", "centre of mass m", "moments at it kg m²", "carried by"});
  double mass = 0;
  for (int b = 0; b < mechanism.body_count(); ++b) {
    const Body& body = loaded.model.bodies[b];
    const JointInfo& joint = mechanism.joints[mechanism.bodies[b].joint];
    mass += body.mass;
    table.add({body.name, number(body.mass), vector(body.com),
               vector({body.inertia.xx, body.inertia.yy, body.inertia.zz}),
               fmt::format("{}{}", joint.name, joint.role == JointRole::weld ? " (weld)" : "")});
  }
  fmt::print("{}\n{}  {} kg in all; centres and moments in each body's frame\n\n",
             heading(fmt::format("Bodies ({})", mechanism.body_count())), table.to_string(), number(mass));
}

void print_joints(const Loaded& loaded) {
  const Mechanism& mechanism = loaded.mechanism;
  Table table(
      {"joint", "type", "first → second", "role", "q", "v", "coordinates of the second body relative to the first"});
  for (const JointInfo& joint : mechanism.joints) {
    table.add({joint.name, std::string(keyword(joint.type)),
               fmt::format("{} → {}", body_name(mechanism, joint.first), body_name(mechanism, joint.second)),
               fmt::format("{}{}", word(joint.role), joint.reversed ? ", reversed" : ""), range(joint.q, joint.nq),
               range(joint.v, joint.nv), meaning(joint)});
  }
  fmt::print("{}\n{}\n", heading(fmt::format("Joints ({})", mechanism.joint_count())), table.to_string());
  Table acting({"joint", "limits, friction, armature (SI)"});
  for (const Joint& joint : loaded.model.joints) {
    if (const std::string text = properties(joint.properties); !text.empty()) acting.add({joint.name, text});
  }
  if (acting.size() > 0) fmt::print("{}\n", acting.to_string());
  for (const CouplingInfo& coupling : mechanism.couplings) {
    fmt::print("  {} '{}': {}.{} = {} · {}.{} + {}\n", keyword(coupling.kind), coupling.name,
               mechanism.joints[coupling.second].name, coupling.second_dof, number(coupling.ratio),
               mechanism.joints[coupling.first].name, coupling.first_dof, number(coupling.offset));
  }
  if (!mechanism.couplings.empty()) fmt::print("\n");
}

void print_loops(const Mechanism& mechanism) {
  fmt::print("{}\n", heading("Tree and loops"));
  fmt::print("  {} moving links, {} coordinates, {} freedoms in the spanning tree\n", mechanism.link_count(),
             mechanism.nq, mechanism.nv);
  if (mechanism.loops.empty()) {
    fmt::print("  no loops: every joint is in the tree\n");
  } else {
    fmt::print(
        "  The tree grows from the ground and takes first joints whose coordinates are used, then the one with the\n"
        "  fewest freedoms, then the shallower one, then the earlier one in the file; what is left over closes loops.\n"
        "  Choose otherwise by --cut JOINT or by cut: true in the file.\n");
  }
  for (const Loop& loop : mechanism.loops) {
    std::vector<std::string> names;
    for (const int j : loop.joints) names.push_back(mechanism.joints[j].name);
    const JointInfo& closure = mechanism.joints[loop.closure];
    fmt::print("  loop closed by {}{}: through {}\n", closure.name, closure.starts_open ? ", once it has captured" : "",
               fmt::join(names, ", "));
  }
}

void print_solver(const Mechanism& mechanism, const MobilityFacts& facts) {
  fmt::print("\n{}\n", heading("Solver"));
  if (mechanism.is_tree()) {
    fmt::print("  articulated bodies, O(n), for all {} links\n", mechanism.link_count());
  } else {
    if (!facts.mobility) {
      fmt::print("  positions under given inputs (analyze): Newton's method on the loops\n");
    } else if (mechanism.inputs.empty()) {
      fmt::print(
          "  positions under given inputs (analyze): say what moves, inputs:, to know whether they have a closed "
          "form\n");
    } else if (const PositionSolver solver = position_solver(mechanism); solver.form.exists()) {
      fmt::print("  positions with {} as input{}: in closed form\n", fmt::join(solver.inputs, ", "),
                 solver.inputs.size() == 1 ? "" : "s");
      for (const std::string& step : solver.form.steps()) fmt::print("    {}\n", step);
    } else {
      fmt::print("  positions with {} as input{}: Newton's method on the loops; no closed form: {}\n",
                 fmt::join(solver.inputs, ", "), solver.inputs.size() == 1 ? "" : "s", solver.form.obstacle());
    }
    const LoopDynamics dynamics(mechanism);
    const EliminationFacts cost = dynamics.elimination();
    if (const LillyOrin* star = dynamics.star()) {
      fmt::print("  accelerations: Lilly and Orin's method, O(mN), for '{}' held by {} chains\n",
                 mechanism.bodies[star->reference_body()].name, star->star().chains.size());
    } else {
      fmt::print("  accelerations: articulated bodies with loops, {} block operations for {} links\n", cost.operations,
                 mechanism.link_count());
      fmt::print("    not Lilly and Orin's method: {}\n", dynamics.why_no_star());
    }
  }
}

void print_report(const Loaded& loaded, const MobilityFacts& facts) {
  const Mechanism& mechanism = loaded.mechanism;
  const Units& units = mechanism.units;
  fmt::print("{}  {}\n", heading(mechanism.name), mechanism.file);
  fmt::print("  units of the file: {}, {}, {}, {}, {}; all numbers below are SI and radians\n", units.length,
             units.angle, units.mass, units.time, units.force);
  fmt::print("  gravity {} m/s²\n\n", vector(mechanism.parameters.gravity));
  print_bodies(loaded);
  print_joints(loaded);
  print_linkage(loaded.model);
  print_actuation(loaded.model);
  print_contacts(loaded.model, mechanism);
  print_fluid(mechanism);
  print_loops(mechanism);
  const Mechanism first = before_captures(mechanism);
  print_mobility(first, facts);
  print_solver(first, facts);
}

struct CheckOptions {
  std::string model;
  LoadOptions load;
  bool json = false;
};

}  // namespace

void add_check(CommandLine& line) {
  Verb verb(line, "check", "read a model and explain it: bodies, joints, coordinates, tree, loops");
  auto options = std::make_shared<CheckOptions>();
  verb.model(options->model);
  verb.cut(options->load.cut);
  add_read_options(verb, options->load.read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer("Example:\n  trammel check models/crank_rocker.yaml --cut A");
  verb.run([options] {
    options->load.for_dynamics = false;  // a drawing without masses can be explained too
    const LoadResult result = load(options->model, options->load);
    if (!result.loaded) {
      if (options->json) print_json_errors(result.diagnostics);
      return bad_input;
    }
    const MobilityFacts facts = find_facts(before_captures(result.loaded->mechanism));
    if (options->json) {
      fmt::print("{}\n", json_report(*result.loaded, facts).dump(2));
    } else {
      print_report(*result.loaded, facts);
    }
    return facts.closes() ? done : negative_answer;
  });
}

}  // namespace trammel::tool
