// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel analyze: a linkage over the range of its inputs.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <trammel/analysis.hpp>
#include <trammel/analysis_channels.hpp>
#include <trammel/measures.hpp>
#include <trammel/results.hpp>

#include "analysis_verdict.hpp"
#include "analyze_nested.hpp"
#include "analyze_paths.hpp"
#include "draw_linkage.hpp"
#include "input_options.hpp"
#include "modes_at_inputs.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_lines = 20;  // of dead points and stretches on the terminal
struct AnalyzeOptions {
  std::string model;
  InputOptions inputs;
  std::vector<std::string> show, cut;
  std::string csv, svg;
  std::vector<std::string> plot, paths;
  ReadOptions read;
  bool json = false, forces = false, statics = false, no_gravity = false, no_friction = false, no_fluid = false,
       jerk = false;
  bool as_drawn = false, newton = false;
  std::string draw;
  int positions = 0, rows = 40;
  int mode = 0;  // 0: the one of the drawing
};

// Resisting loads are there to be found. Where there are as many as inputs, all that drives stands among the known loads, as in KAM, and
// the inputs supply nothing, unless --drive says it.
bool finds_resisting_loads(const Mechanism& mech, AnalysisOptions& options) {
  if (!options.forces || !options.given_drive.empty()) return false;
  const auto unknown = std::count_if(mech.loads.begin(), mech.loads.end(), [](const LoadInfo& load) {
    return load.settings.is_resisting() && load.bound_to < 0;
  });
  if (unknown == 0 || static_cast<std::size_t>(unknown) != options.inputs.size()) return false;
  options.given_drive.assign(options.inputs.size(), 0.0);
  return true;
}

// --- what it says ------------------------------------------------------------------------------------------------------

const char* word(StepStatus status) {
  return status == StepStatus::ok ? "ok" : status == StepStatus::singular ? "singular" : "imaginary";
}

bool by_time(const AnalysisOptions& options) {
  return std::any_of(options.inputs.begin(), options.inputs.end(),
                     [](const SweepInput& i) { return i.motion.has_value(); });
}

ordered_json step_json(const Mechanism& mech, const AnalysisOptions& options, const AnalysisStep& step) {
  ordered_json j;
  j["input"] = ordered_json::object();
  for (std::size_t k = 0; k < options.inputs.size(); ++k)
    j["input"][input_name(mech, options.inputs[k])] = step.input[k];
  if (by_time(options)) j["t"] = step.t;
  j["status"] = word(step.status);
  if (step.status == StepStatus::imaginary) return j;
  for (std::size_t k = 0; k < mech.joints.size(); ++k) {
    ordered_json& joint = j["joints"][mech.joints[k].name];
    joint["q"] = step.joints[k].q;
    if (!step.has_motion) continue;
    joint["v"] = step.joints[k].v;
    joint["a"] = step.joints[k].a;
    if (!step.joints[k].j.empty()) joint["j"] = step.joints[k].j;
  }
  j["points"] = ordered_json::object();
  for (std::size_t k = 0; k < mech.outputs.size(); ++k) {
    ordered_json& point = j["points"][mech.outputs[k].name];
    point["p"] = list(step.points[k].p);
    if (!step.has_motion) continue;
    point["v"] = list(step.points[k].v);
    point["a"] = list(step.points[k].a);
    point["speed"] = norm(step.points[k].v);
    point["accel"] = norm(step.points[k].a);
    if (!step.j.empty()) point["j"] = list(step.points[k].j);
  }
  for (std::size_t b = 0; b < mech.bodies.size(); ++b) {
    const Quaternion<double> q = quaternion_of(step.bodies[b].X_WB.R);
    ordered_json& body = j["bodies"][mech.bodies[b].name];
    body["pose"] = {{"position", list(step.bodies[b].X_WB.p)}, {"quaternion", {q.w, q.x, q.y, q.z}}};
    if (mech.planar) {
      const PlanarState state = planar_state(*mech.planar, step.bodies[b].X_WB);
      body["planar"] = {state.x, state.y, state.theta};
    }
    if (!step.has_motion) continue;
    body["w"] = list(step.bodies[b].w);
    body["alpha"] = list(step.bodies[b].alpha);
  }
  if (!step.reactions.empty()) {
    for (std::size_t k = 0; k < mech.joints.size(); ++k) {
      const JointInfo& joint = mech.joints[k];
      const JointReaction& r = step.reactions[k];
      j["reactions"][joint.name] = {
          {"force", list(r.F_W.f)},
          {"moment", list(r.F_W.n)},
          {"on", joint.second == ground ? std::string(ground_name) : mech.bodies[joint.second].name},
          {"at", list(r.p_W)},
          {"frame", "world"},
          {"determinate", r.determinate}};
      if (r.out_of_plane_unknown) j["reactions"][joint.name]["out_of_plane"] = "indeterminate";
    }
    for (std::size_t k = 0; k < mech.constraints.size(); ++k) {
      const ConstraintInfo& constraint = mech.constraints[k];
      const Vec3d at =
          constraint.second == ground ? constraint.X_BQ.p : step.bodies[constraint.second].X_WB * constraint.X_BQ.p;
      j["constraint_forces"][constraint.name] = {
          {"force", list(step.constraint_forces[k].f)},
          {"moment", list(step.constraint_forces[k].n)},
          {"on", constraint.second == ground ? std::string(ground_name) : mech.bodies[constraint.second].name},
          {"at", list(at)},
          {"frame", "world"},
          {"determinate", static_cast<bool>(step.constraint_determinate[k])}};
      if (step.constraint_out_of_plane_unknown[k])
        j["constraint_forces"][constraint.name]["out_of_plane"] = "indeterminate";
    }
    j["drive"] = ordered_json::object();
    for (std::size_t k = 0; k < options.inputs.size(); ++k)
      j["drive"][input_name(mech, options.inputs[k])] = step.drive[k];
    j["loads"] = ordered_json::object();
    for (std::size_t k = 0; k < mech.loads.size(); ++k) j["loads"][mech.loads[k].settings.name] = step.loads[k];
    j["balanced"] = step.balanced;
  }
  j["measures"] = ordered_json::object();
  for (std::size_t k = 0; k < mech.measures.size(); ++k) {
    j["measures"][mech.measures[k].name] =
        std::isfinite(step.measures[k]) ? ordered_json(step.measures[k]) : ordered_json(nullptr);
  }
  return j;
}

// What a designer should know: of the motion, and of forces that are not what they seem.
std::vector<std::string> all_notes(const Mechanism& mech, const Analysis& analysis) {
  std::vector<std::string> notes = analysis.notes, indeterminate;
  const auto at_some_step = [&](const auto& holds) {
    return std::any_of(analysis.steps.begin(), analysis.steps.end(), holds);
  };
  bool out_of_plane = false;
  for (std::size_t j = 0; j < mech.joints.size(); ++j) {
    if (at_some_step([&](const AnalysisStep& s) { return !s.reactions.empty() && !s.reactions[j].determinate; }))
      indeterminate.push_back(mech.joints[j].name);
    out_of_plane = out_of_plane || at_some_step([&](const AnalysisStep& s) {
                     return !s.reactions.empty() && s.reactions[j].out_of_plane_unknown;
                   });
  }
  for (std::size_t c = 0; c < mech.constraints.size(); ++c) {
    if (at_some_step([&](const AnalysisStep& s) { return !s.reactions.empty() && !s.constraint_determinate[c]; }))
      indeterminate.push_back(mech.constraints[c].name);
    out_of_plane = out_of_plane || at_some_step([&](const AnalysisStep& s) {
                     return !s.reactions.empty() && s.constraint_out_of_plane_unknown[c];
                   });
  }
  if (!indeterminate.empty()) {
    notes.push_back(
        fmt::format("statically indeterminate, the smallest forces are given: {}", fmt::join(indeterminate, ", ")));
  }
  if (out_of_plane) {
    notes.emplace_back(
        "a planar linkage: forces out of its plane are statically indeterminate, the smallest are given");
  }
  if (at_some_step([](const AnalysisStep& s) { return !s.balanced; }))
    notes.emplace_back("at some positions the forces are not in equilibrium: a free motion is pushed");
  return notes;
}

ordered_json report_json(const Mechanism& mech, const AnalysisOptions& options, const Analysis& analysis,
                         const Diagnostics& warnings, const Diagnostics& negative) {
  ordered_json j;
  j["status"] = status_word(analysis);
  for (const Diagnostic& d : negative.all()) j["reason"] = d.what, j["fix"] = d.fix;
  j["model"] = mech.name;
  j["positions"] = analysis.closed_form ? "closed form" : "Newton";
  j["assembly"] = {{"gap_m", analysis.assembly.gap_m}, {"gap_rad", analysis.assembly.gap_rad}};
  if (!analysis.worst_gap.empty()) j["assembly"]["worst"] = analysis.worst_gap;
  j["dead_points"] = ordered_json::array();
  const auto all_inputs = [&](const std::vector<double>& values) {
    ordered_json all = ordered_json::object();
    for (std::size_t k = 0; k < values.size(); ++k) all[input_name(mech, options.inputs[k])] = values[k];
    return all;
  };
  for (const DeadPoint& d : analysis.dead_points) {
    j["dead_points"].push_back({{"input", input_name(mech, options.inputs[d.input])},
                                {"value", d.value},
                                {"kind", d.at_infinity ? "limit at infinity"
                                         : d.is_limit  ? "limit"
                                                       : "branches meet"},
                                {"inputs", all_inputs(d.inputs)}});
    if (by_time(options)) j["dead_points"].back()["t"] = d.t;
  }
  j["imaginary"] = ordered_json::array();
  for (const ImaginaryRange& r : analysis.imaginary) {
    j["imaginary"].push_back({{"input", input_name(mech, options.inputs[r.input])},
                              {"from", r.from},
                              {"to", r.to},
                              {"from_is_exact", r.from_is_exact},
                              {"to_is_exact", r.to_is_exact},
                              {"inputs", all_inputs(r.inputs)}});
    if (by_time(options)) j["imaginary"].back()["t_from"] = r.t_from, j["imaginary"].back()["t_to"] = r.t_to;
  }
  j["envelope"] = ordered_json::object();
  for (int k = 0; k < static_cast<int>(mech.measures.size()); ++k) {
    const Envelope e = envelope_of(analysis, k);
    if (e.at_least < 0) continue;
    j["envelope"][mech.measures[k].name] = {{"least", e.least},
                                            {"at_least", all_inputs(analysis.steps[e.at_least].input)},
                                            {"most", e.most},
                                            {"at_most", all_inputs(analysis.steps[e.at_most].input)}};
  }
  j["notes"] = all_notes(mech, analysis);
  j["warnings"] = json_of(warnings);
  j["steps"] = ordered_json::array();
  for (const AnalysisStep& step : analysis.steps) j["steps"].push_back(step_json(mech, options, step));
  return j;
}

// A table begins with all inputs, and the time where they follow it.
Channels with_inputs(const AnalysisOptions& options, const Channels& all, const Channels& chosen) {
  const std::size_t count = std::max<std::size_t>(1, options.inputs.size() + (by_time(options) ? 1 : 0));
  Channels table;
  table.columns.assign(all.columns.begin(), all.columns.begin() + static_cast<std::ptrdiff_t>(count));
  for (const Channel& channel : chosen.columns) {
    const bool is_there = std::any_of(table.columns.begin(), table.columns.end(),
                                      [&](const Channel& c) { return c.name == channel.name; });
    if (!is_there) table.columns.push_back(channel);
  }
  return table;
}

bool is_column(const Channels& all, const std::string& name) {
  return std::any_of(all.columns.begin(), all.columns.end(), [&](const Channel& c) { return c.name == name; });
}

Channels default_channels(const Mechanism& mech, const AnalysisOptions& options, const Channels& all) {
  std::vector<std::string> words, unknown;
  if (options.forces) {
    for (const SweepInput& input : options.inputs) words.push_back("drive " + input_name(mech, input));
    for (const LoadInfo& load : mech.loads) {
      if (load.settings.is_resisting()) words.push_back("load " + load.settings.name);
    }
    for (const JointInfo& joint : mech.joints) words.push_back(joint.name + ".force");
  }
  for (const Measure& measure : mech.measures)
    words.push_back(is_column(all, "measure " + measure.name) ? "measure " + measure.name : measure.name);
  for (const OutputInfo& output : mech.outputs) {
    for (const char* part : {".x", ".y", ".z", ".speed", ".accel"}) words.push_back(output.name + part);
  }
  if (mech.outputs.empty() && mech.measures.empty() && !options.forces) {
    for (const JointInfo& joint : mech.joints) {
      const bool is_input = std::any_of(options.inputs.begin(), options.inputs.end(),
                                        [&](const SweepInput& i) { return &mech.joints[i.driver.joint] == &joint; });
      if (joint.nv == 1 && !is_input) {
        for (const char* part : {".q", ".v", ".a"}) words.push_back(joint.name + part);
      }
    }
  }
  return choose_channels(all, words, unknown);
}

void print_text(const Mechanism& mech, const AnalysisOptions& options, const Analysis& analysis, const Channels& shown,
                int rows) {
  fmt::print("{}  {} position{}\n", heading(mech.name), analysis.steps.size(), analysis.steps.size() == 1 ? "" : "s");
  const auto in_units = [&](int input, double x) {
    const JointInfo& joint = mech.joints[options.inputs[input].driver.joint];
    const Dimension d = freedoms(joint.type)[options.inputs[input].driver.dof].dimension;
    return fmt::format("{:.9g} {}", mech.units.from_si(x, d), mech.units.name(d));
  };
  const auto time_in_units = [&](double t) {
    const Dimension d{.time = 1};
    return fmt::format("{:.9g} {}", mech.units.from_si(t, d), mech.units.name(d));
  };
  // ", with B = 30 deg": the inputs that are nested around this one.
  const auto others = [&](int input, const std::vector<double>& values) {
    std::string text;
    for (int k = 0; k < static_cast<int>(values.size()); ++k) {
      if (k == input || options.inputs[k].motion) continue;
      text += fmt::format("{} {} = {}", text.empty() ? ", with" : ",", input_name(mech, options.inputs[k]),
                          in_units(k, values[k]));
    }
    return text;
  };
  std::vector<std::string> lines;
  for (const DeadPoint& d : analysis.dead_points) {
    lines.push_back(fmt::format("{} at {} = {}{}",
                                d.at_infinity ? "limit (a slide runs out to infinity)"
                                : d.is_limit  ? "dead point"
                                              : "change point (branches cross; ours goes on)",
                                input_name(mech, options.inputs[d.input]), in_units(d.input, d.value),
                                by_time(options) ? ", t = " + time_in_units(d.t) : others(d.input, d.inputs)));
  }
  for (const ImaginaryRange& r : analysis.imaginary) {
    if (by_time(options)) {
      lines.push_back(fmt::format("no position on this branch for t from {} to {}{}", time_in_units(r.t_from),
                                  time_in_units(r.t_to), r.to_is_exact ? "" : " (last value asked for)"));
      continue;
    }
    lines.push_back(fmt::format("no position on this branch for {} from {} to {}{}{}",
                                input_name(mech, options.inputs[r.input]), in_units(r.input, r.from),
                                in_units(r.input, r.to), r.to_is_exact ? "" : " (last value asked for)",
                                others(r.input, r.inputs)));
  }
  for (std::size_t k = 0; k < std::min(lines.size(), most_lines); ++k) fmt::print("  {}\n", lines[k]);
  if (lines.size() > most_lines)
    fmt::print("  … and {} more such places: --json lists them\n", lines.size() - most_lines);
  const auto singular = std::count_if(analysis.steps.begin(), analysis.steps.end(),
                                      [](const AnalysisStep& s) { return s.status == StepStatus::singular; });
  if (singular > 0) {
    fmt::print(
        "  note: at {} position{} the inputs do not determine the motion: no velocity, acceleration or force there\n",
        singular, singular == 1 ? "" : "s");
  }
  for (const std::string& note : all_notes(mech, analysis)) fmt::print("  note: {}\n", note);
  fmt::print("\n{}", write_table(shown, {.max_rows = rows}));
  if (analysis.steps.size() < 2 || mech.measures.empty()) return;
  Table ranges({"measure", "least", "at", "most", "at"});
  for (int k = 0; k < static_cast<int>(mech.measures.size()); ++k) {
    const Envelope e = envelope_of(analysis, k);
    if (e.at_least < 0) continue;
    const Dimension d = mech.measure_variables[k].dimension;
    const auto value = [&](double x) {
      const std::string unit = mech.units.name(d);
      return fmt::format("{:.6g}{}{}", mech.units.from_si(x, d), unit == "1" ? "" : " ", unit == "1" ? "" : unit);
    };
    const auto place = [&](int step) {
      std::vector<std::string> parts;
      for (int i = 0; i < static_cast<int>(options.inputs.size()); ++i) {
        parts.push_back(
            fmt::format("{} = {}", input_name(mech, options.inputs[i]), in_units(i, analysis.steps[step].input[i])));
      }
      return fmt::format("{}", fmt::join(parts, ", "));
    };
    ranges.add({mech.measures[k].name, value(e.least), place(e.at_least), value(e.most), place(e.at_most)});
  }
  if (ranges.size() > 0) fmt::print("\n{}", ranges.to_string());
}

// Columns that would have one name: those who are shown by other names than they have in the file.
void note_renamed_columns(const Mechanism& mech, const Channels& given_out, std::vector<std::string>& notes) {
  for (const BodyInfo& body : mech.bodies) {
    const std::string prefix = fmt::format("body {}.", body.name);
    const bool renamed = std::any_of(given_out.columns.begin(), given_out.columns.end(),
                                     [&](const Channel& c) { return c.name.starts_with(prefix); });
    if (!renamed) continue;
    notes.push_back(fmt::format(
        "something else is called '{0}' like a body: the columns of the body are 'body {0}.x' …", body.name));
  }
  for (const Measure& measure : mech.measures) {
    if (!is_column(given_out, "measure " + measure.name)) continue;
    notes.push_back(fmt::format(
        "something else is called '{0}' like a measure: the column of the measure is 'measure {0}'", measure.name));
  }
}

// The sweep is to begin in another mode than the drawing's.
bool choose_mode(const Mechanism& mech, int id, AnalysisOptions& options, Diagnostics& problems) {
  ProgressBar bar("modes");
  ModesOptions search;
  search.progress = [&bar](double share) { bar.show(share); };
  const Modes modes = modes_at_inputs(mech, options, search);
  bar.finish();
  for (const AssemblyMode& mode : modes.list) {
    if (mode.id != id) continue;
    options.start = mode.q;
    return true;
  }
  if (modes.status == Modes::Status::under_driven) return true;  // the analysis says it
  const std::size_t count = modes.list.size();
  problems.error({}, "option-value",
                 fmt::format("--mode: there is no mode {}; where the sweep begins there {} {}", id,
                             count == 1 ? "is" : "are", count == 0 ? "none" : std::to_string(count)),
                 "`trammel modes` lists them");
  return false;
}

int run_analyze(const AnalyzeOptions& options) {
  const auto refuse = [&](const Diagnostics& diagnostics) {
    if (options.json) print_json_errors(diagnostics);
    return bad_input;
  };
  const int wanting_output =
      (options.json ? 1 : 0) + (is_standard_output(options.csv) ? 1 : 0) + (is_standard_output(options.svg) ? 1 : 0);
  if (wanting_output > 1) {
    const Diagnostics error = one_error("only one of --json, --csv - and --svg - can have standard output",
                                        "give the others a file", "option-value");
    print(error);
    return refuse(error);
  }
  LoadOptions load_options{.cut = options.cut, .gravity = std::nullopt, .for_dynamics = false, .read = options.read};
  load_options.keep = options.inputs.joints();
  const LoadResult result = load(options.model, load_options);
  if (!result.loaded) return refuse(result.diagnostics);
  const Mechanism& mech = result.loaded->mechanism;

  Diagnostics problems;
  if (!options.draw.empty() && !drawing_format(options.draw)) {
    problems.error({}, "output-format", fmt::format("'{}' has no extension that tells its format", options.draw),
                   "give it the extension .svg or .dxf");
  }
  if (const std::string extension = std::filesystem::path(options.svg).extension().string();
      !is_standard_output(options.svg) && !extension.empty() && extension != ".svg" && extension != ".SVG") {
    problems.error({}, "output-format", fmt::format("--svg: '{}' has the extension of another format", options.svg),
                   "give it the extension .svg");
  }
  if (options.positions > 0 && options.draw.empty()) {
    problems.error({}, "option-value", "--positions: they are part of a drawing, and none is asked for",
                   "add --draw FILE.svg");
  }
  if (options.positions < 0 || options.positions > most_drawn_positions) {
    problems.error({}, "option-value",
                   fmt::format("--positions: {} is not between 0 and {}", options.positions, most_drawn_positions),
                   "choose another number");
  }
  AnalysisOptions analysis_options;
  analysis_options.forces = options.forces || options.statics || !options.inputs.drives.empty() || options.as_drawn;
  analysis_options.inertia = !options.statics;
  analysis_options.gravity = !options.no_gravity;
  analysis_options.friction = !options.no_friction;
  analysis_options.fluid = !options.no_fluid;
  analysis_options.jerk = options.jerk;
  analysis_options.as_drawn = options.as_drawn;
  analysis_options.newton = options.newton;
  if (!collect_inputs(mech, options.inputs, !options.as_drawn, analysis_options, problems)) {
    print(problems);
    return refuse(problems);
  }
  if (options.mode > 0 && !choose_mode(mech, options.mode, analysis_options, problems)) {
    print(problems);
    return refuse(problems);
  }
  const bool finds_loads = finds_resisting_loads(mech, analysis_options);
  ProgressBar bar("analyze");
  analysis_options.progress = [&bar](double share) { bar.show(share); };
  Analysis analysis = analyze(mech, analysis_options);
  bar.finish();
  if (finds_loads) {
    analysis.notes.emplace_back(
        "resisting loads are found from the loads given; the inputs supply nothing themselves (--drive)");
  }

  const Diagnostics negative = verdict(mech, analysis_options, analysis);
  if (negative.has_errors()) print(negative);
  const bool usage =
      analysis.status == Analysis::Status::under_driven || analysis.status == Analysis::Status::over_driven;
  const int code = usage ? bad_input : negative.has_errors() ? negative_answer : done;

  const Channels all = channels_of(mech, analysis_options, analysis);
  Channels shown = default_channels(mech, analysis_options, all);
  const auto choose = [&](const char* option, const std::vector<std::string>& words) -> std::optional<Channels> {
    std::vector<std::string> unknown;
    Channels chosen = choose_channels(all, words, unknown);
    if (unknown.empty()) return chosen;
    std::vector<std::string> names;
    for (const Channel& channel : all.columns) names.push_back(channel.name);
    const std::string near = did_you_mean(unknown.front(), names);
    const Diagnostics error = one_error(
        fmt::format("{}: there is no column '{}'", option, unknown.front()),
        near.empty() ? fmt::format("columns are {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near),
        "option-value");
    print(error);
    refuse(error);
    return std::nullopt;
  };
  if (!options.show.empty()) {
    const auto chosen = choose("--show", options.show);
    if (!chosen) return bad_input;
    shown = *chosen;
  }
  Channels plotted = shown;
  if (!options.plot.empty()) {
    const auto chosen = choose("--plot", options.plot);
    if (!chosen) return bad_input;
    plotted = *chosen;
  }

  shown = with_inputs(analysis_options, all, shown);
  note_renamed_columns(mech, options.csv.empty() || !options.show.empty() ? shown : all, analysis.notes);

  const auto write = [&](const std::string& path, const std::string& text) {
    if (is_standard_output(path)) {
      fmt::print("{}", text);
      return true;
    }
    const std::string wrong = write_file(path, text);
    if (wrong.empty()) return true;
    const Diagnostics error = one_error(fmt::format("{} cannot be written: {}", path, wrong),
                                        "check the path, the permissions and the space on the disk", "file-unwritable");
    print(error);
    refuse(error);
    return false;
  };
  if (!options.csv.empty() && !write(options.csv, write_csv(options.show.empty() ? all : shown))) return bad_input;
  if (const std::string name = unknown_point(mech, options.paths); !name.empty()) {
    std::vector<std::string> names;
    for (const OutputInfo& output : mech.outputs) names.push_back(output.name);
    const Diagnostics error =
        one_error(fmt::format("--path: there is no point of interest '{}'", name),
                  names.empty() ? "name a point to follow in the file: outputs: {P: {point: [x, y, z], on: BODY}}"
                                : fmt::format("points of interest (outputs) are {}", fmt::join(names, ", ")),
                  "option-value");
    print(error);
    return refuse(error);
  }
  if (!options.svg.empty() && !options.paths.empty()) {
    const PlanePlot plot = plot_paths(mech, analysis, options.paths);
    if (!write(options.svg, svg_plot(plot))) return bad_input;
  } else if (!options.svg.empty()) {
    const bool by_time = std::any_of(analysis_options.inputs.begin(), analysis_options.inputs.end(),
                                     [](const SweepInput& i) { return i.motion.has_value(); });
    const std::size_t inputs = by_time ? 1 : std::max<std::size_t>(1, analysis_options.inputs.size());
    Plot plot = plot_nested(all, inputs, plotted);
    const int abscissa = static_cast<int>(abscissa_of(all, inputs));
    plot.title = mech.name;
    for (const DeadPoint& d : analysis.dead_points) {
      const SweepInput& input = analysis_options.inputs[d.input];
      if (d.input != abscissa || input.motion) continue;
      const Dimension dim = freedoms(mech.joints[input.driver.joint].type)[input.driver.dof].dimension;
      plot.marks.push_back({mech.units.from_si(d.value, dim), d.at_infinity ? "limit" : "dead point"});
    }
    for (const ImaginaryRange& r : analysis.imaginary) {
      const SweepInput& input = analysis_options.inputs[r.input];
      if (r.input != abscissa || input.motion) continue;
      const Dimension dim = freedoms(mech.joints[input.driver.joint].type)[input.driver.dof].dimension;
      plot.stretches.push_back({mech.units.from_si(r.from, dim), mech.units.from_si(r.to, dim), "no position"});
    }
    if (!write(options.svg, svg_plot(plot))) return bad_input;
  }
  if (!options.draw.empty() && !negative.has_errors()) {
    const double tick_step = default_tick_step(mech, analysis_options);
    const LinkageDrawing drawing =
        drawing_of(mech, analysis_options, analysis, options.positions, options.paths, tick_step);
    const DrawnText drawn =
        draw(*result.loaded, drawing,
             {.subtitle = sweep_text(mech, analysis_options, drawing.paths.empty() ? 0 : tick_step)},
             *drawing_format(options.draw));
    if (drawn.problems.has_errors()) {
      print(drawn.problems);
      return refuse(drawn.problems);
    }
    if (!write(options.draw, drawn.text)) return bad_input;
  }
  if (options.json) {
    fmt::print("{}\n", report_json(mech, analysis_options, analysis, result.loaded->diagnostics, negative).dump(1));
  } else if (!negative.has_errors() && !is_standard_output(options.csv) && !is_standard_output(options.svg)) {
    print_text(mech, analysis_options, analysis, shown, options.rows);
    for (const std::string& file : {options.csv, options.svg, options.draw}) {
      if (!file.empty()) fmt::print("wrote {}\n", file);
    }
  }
  return code;
}

}  // namespace

void add_analyze(CommandLine& line) {
  Verb verb(line, "analyze", "a linkage over its inputs: position, velocity, acceleration, force");
  auto options = std::make_shared<AnalyzeOptions>();
  verb.model(options->model, false);
  verb.list(
      "--input", options->inputs.inputs,
      "JOINT=from:to:step, or JOINT=value, in the model's units; JOINT.angle or JOINT.0 for one freedom of several");
  verb.list("--speed", options->inputs.speeds, "JOINT=speed of the input");
  verb.list("--accel", options->inputs.accelerations, "JOINT=acceleration of the input");
  verb.option("--mode", options->mode, "follow this assembly mode, as `trammel modes` numbers them")
      .between(1, 1'000'000);
  verb.flag("--forces", options->forces, "drive and reactions: inertia, weight, springs, loads, friction");
  verb.flag("--static", options->statics, "forces without inertia");
  verb.list("--drive", options->inputs.drives,
            "JOINT=force or torque that the input supplies; finds the resisting loads");
  verb.flag("--no-gravity", options->no_gravity, "weight does not act");
  verb.flag("--no-friction", options->no_friction, "joint friction does not act");
  verb.flag("--no-fluid", options->no_fluid, "the model's fluid does not act");
  verb.flag("--as-drawn", options->as_drawn, "forces at the coordinates of the file, without solving positions");
  verb.flag("--newton", options->newton, "positions by Newton's method, even where they have a closed form");
  verb.flag("--jerk", options->jerk, "third derivatives too");
  verb.list("--show", options->show, "columns of the table: a joint, a point, a measure, or one column such as P.x");
  verb.option("--rows", options->rows, "at most so many rows of the table (0: all)").show_default().not_negative();
  verb.option("--csv", options->csv, "write all columns (or those of --show) to this file; - for standard output");
  verb.option("--svg", options->svg, "write a plot to this file; - for standard output");
  verb.list("--plot", options->plot, "columns to plot; those of the table otherwise");
  verb.list("--path", options->paths, "draw the path of this point of interest instead");
  verb.option("--draw", options->draw, "draw the linkage, with paths, into this file (.svg or .dxf); see trammel draw");
  verb.option("--positions", options->positions, "so many positions in the drawing, faint");
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output, in SI units and radians");
  verb.footer(
      "Without --input the file's inputs section is used. Several inputs are nested, the first one outermost; "
      "those by time are innermost.\n"
      "Examples:\n"
      "  trammel analyze models/crank_rocker.yaml --input O2=0:360:10 --speed O2=360\n"
      "  trammel analyze models/slider_crank.yaml --input 'crank pivot=0:360:5' --forces --svg forces.svg");
  verb.run([options] { return run_analyze(*options); });
}

}  // namespace trammel::tool
