// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel modes: every way in which a linkage can be assembled at one value of its inputs.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/analysis.hpp>
#include <trammel/modes.hpp>

#include "input_options.hpp"
#include "modes_at_inputs.hpp"
#include "progress.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

struct ModesVerb {
  std::string model;
  InputOptions inputs;
  std::vector<std::string> cut;
  ReadOptions read;
  int starts = ModesOptions{}.starts;
  bool json = false;
};

const char* how(const Modes& modes) {
  if (modes.cut_short) return "only the first: the closed form of the positions has more";
  return modes.complete ? "all of them: the positions have a closed form"
                        : "found by search: that there are no others is not proven";
}

// Where everything is in a mode.
AnalysisStep step_of(const Mechanism& mech, const AssemblyMode& mode) {
  AnalysisOptions options;
  options.as_drawn = true;
  options.start = mode.q;
  return analyze(mech, options).steps.front();
}

ordered_json report(const Mechanism& mech, const AnalysisOptions& options, const Modes& modes) {
  ordered_json j;
  j["status"] = modes.list.empty() ? "cannot-assemble" : "ok";
  j["model"] = mech.name;
  j["input"] = ordered_json::object();
  for (const SweepInput& input : options.inputs) j["input"][input_name(mech, input)] = first_value(input);
  j["complete"] = modes.complete;
  j["how"] = how(modes);
  if (!modes.complete && !modes.cut_short) j["search"] = {{"starts", modes.starts}, {"assembled", modes.assembled}};
  if (modes.in_continuum > 0) j["in_continuum"] = modes.in_continuum;
  j["modes"] = ordered_json::array();
  for (const AssemblyMode& mode : modes.list) {
    const AnalysisStep step = step_of(mech, mode);
    ordered_json entry{
        {"id", mode.id}, {"drawn", mode.drawn}, {"singular", mode.singular}, {"continuum", mode.continuum}};
    entry["joints"] = ordered_json::object();
    for (std::size_t k = 0; k < mech.joints.size(); ++k) entry["joints"][mech.joints[k].name] = step.joints[k].q;
    entry["points"] = ordered_json::object();
    for (std::size_t k = 0; k < mech.outputs.size(); ++k) {
      const Vec3d& p = step.points[k].p;
      entry["points"][mech.outputs[k].name] = {p.x, p.y, p.z};
    }
    for (std::size_t b = 0; b < mech.bodies.size(); ++b) {
      const Transformd& X = step.bodies[b].X_WB;
      const Quaternion<double> q = quaternion_of(X.R);
      entry["bodies"][mech.bodies[b].name] = {{"position", {X.p.x, X.p.y, X.p.z}},
                                              {"quaternion", {q.w, q.x, q.y, q.z}}};
    }
    j["modes"].push_back(std::move(entry));
  }
  return j;
}

void print_modes(const Mechanism& mech, const AnalysisOptions& options, const Modes& modes) {
  std::vector<std::string> at;
  const auto in_units = [&](double x, const Dimension& d) { return number(mech.units.from_si(x, d), 9); };
  for (const SweepInput& input : options.inputs) {
    const Dimension d = freedoms(mech.joints[input.driver.joint].type)[input.driver.dof].dimension;
    at.push_back(
        fmt::format("{} = {} {}", input_name(mech, input), in_units(first_value(input), d), mech.units.name(d)));
  }
  fmt::print("{}  {} assembly mode{}{}\n", heading(mech.name), modes.list.size(), modes.list.size() == 1 ? "" : "s",
             at.empty() ? "" : fmt::format(" at {}", fmt::join(at, ", ")));
  fmt::print("  {}", how(modes));
  if (!modes.complete && !modes.cut_short) fmt::print(" ({} starts, {} of them closed)", modes.starts, modes.assembled);
  fmt::print("\n");
  if (modes.in_continuum > 0) {
    fmt::print(
        "  note: {} of the positions met belong{} to a continuum, in which the linkage moves while the inputs stand "
        "still; one is listed\n",
        modes.in_continuum, modes.in_continuum == 1 ? "s" : "");
  }
  fmt::print("\n");

  // Joints with coordinates that can be read one by one and are no input.
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < mech.joints.size(); ++k) {
    const bool is_input = std::any_of(options.inputs.begin(), options.inputs.end(), [&](const SweepInput& input) {
      return input.driver.joint == static_cast<int>(k);
    });
    const JointInfo& joint = mech.joints[k];
    if (joint.nv > 0 && joint.nq == joint.nv && !is_input) shown.push_back(k);
  }
  std::vector<std::string> head{"mode"};
  for (const std::size_t k : shown) {
    const JointInfo& joint = mech.joints[k];
    for (int i = 0; i < joint.nv; ++i) {
      const std::string unit = mech.units.name(freedoms(joint.type)[i].dimension);
      head.push_back(joint.nv == 1 ? fmt::format("{} {}", joint.name, unit)
                                   : fmt::format("{}.{} {}", joint.name, i, unit));
    }
  }
  for (const OutputInfo& output : mech.outputs) head.push_back(fmt::format("{} {}", output.name, mech.units.length));
  head.emplace_back("");
  Table table(head);
  for (const AssemblyMode& mode : modes.list) {
    const AnalysisStep step = step_of(mech, mode);
    std::vector<std::string> line{std::to_string(mode.id)};
    for (const std::size_t k : shown) {
      for (int i = 0; i < mech.joints[k].nv; ++i) {
        const double q = step.joints[k].q[i];
        line.push_back(
            number(std::abs(q) < 1e-12 ? 0 : mech.units.from_si(q, freedoms(mech.joints[k].type)[i].dimension)));
      }
    }
    for (const PointMotion& point : step.points) {
      const auto x = [&](double p) { return std::abs(p) < 1e-12 ? 0 : mech.units.from_si(p, dimension::length); };
      line.push_back(vector({x(point.p.x), x(point.p.y), x(point.p.z)}));
    }
    line.push_back(fmt::format("{}{}", mode.drawn ? "as drawn" : "",
                               mode.continuum  ? " one of a continuum"
                               : mode.singular ? " dead point"
                                               : ""));
    table.add(line);
  }
  fmt::print("{}", table.to_string());
}

int run_modes(const ModesVerb& verb) {
  const auto refuse = [&](const Diagnostics& diagnostics) {
    print(diagnostics);
    if (verb.json) print_json_errors(diagnostics);
    return bad_input;
  };
  LoadOptions load_options{.cut = verb.cut, .gravity = std::nullopt, .for_dynamics = false, .read = verb.read};
  load_options.keep = verb.inputs.joints();
  const LoadResult result = load(verb.model, load_options);
  if (!result.loaded) {
    if (verb.json) print_json_errors(result.diagnostics);
    return bad_input;
  }
  const Mechanism& mech = result.loaded->mechanism;
  Diagnostics problems;
  AnalysisOptions options;
  if (!collect_inputs(mech, verb.inputs, false, options, problems)) return refuse(problems);
  for (std::size_t k = 0; k < verb.inputs.inputs.size(); ++k) {
    if (options.inputs[k].from == options.inputs[k].to) continue;
    problems.error({}, "option-value", fmt::format("--input: '{}' is a range", verb.inputs.inputs[k]),
                   "modes are those of one value: write --input JOINT=value");
  }
  for (const SweepInput& input : options.inputs) {
    if (std::isfinite(first_value(input))) continue;
    problems.error({}, "option-value",
                   fmt::format("input '{}' is no finite number at its first value", input_name(mech, input)),
                   "give a value: --input JOINT=value");
  }
  if (problems.has_errors()) return refuse(problems);

  ProgressBar bar("modes");
  ModesOptions search;
  search.starts = verb.starts;
  search.progress = [&bar](double share) { bar.show(share); };
  const Modes modes = modes_at_inputs(mech, options, search);
  bar.finish();
  if (modes.status == Modes::Status::under_driven) return refuse(under_driven(mech, options, modes.free_motions));
  if (verb.json) {
    fmt::print("{}\n", report(mech, options, modes).dump(1));
  } else if (!modes.list.empty()) {
    print_modes(mech, options, modes);
  }
  if (!modes.list.empty()) return done;
  print(one_error("the linkage can be assembled in no way at these inputs",
                  "choose other input values: `trammel analyze` shows their range", "no-mode"));
  return negative_answer;
}

}  // namespace

void add_modes(CommandLine& line) {
  Verb verb(line, "modes", "every way in which a linkage can be assembled at one value of its inputs");
  auto options = std::make_shared<ModesVerb>();
  verb.model(options->model, false);
  verb.list("--input", options->inputs.inputs,
            "JOINT=value in the model's units; JOINT.angle or JOINT.0 for one freedom of several");
  verb.option("--starts", options->starts, "where positions are searched for: from at most so many places")
      .show_default()
      .between(1, 10'000'000);
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output, in SI units and radians");
  verb.footer(
      "Without --input the file's inputs stand at the first value of their range. Mode 1 is the one of the drawing;\n"
      "`trammel analyze --mode 2` follows another.\n"
      "Example:\n"
      "  trammel modes models/norton_fourbar.yaml --input O2=60");
  verb.run([options] { return run_modes(*options); });
}

}  // namespace trammel::tool
