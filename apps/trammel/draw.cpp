// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel draw: plan views and a perspective of a linkage, as SVG and DXF.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/kinematics.hpp>

#include "analysis_verdict.hpp"
#include "draw_linkage.hpp"
#include "draw_options.hpp"
#include "input_options.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

struct DrawOptions {
  std::string model;
  std::vector<std::string> outputs, views, at, inputs, paths, names, cut;
  std::string format, eye, target, up, title;
  std::string tick;
  int positions = 0;
  double width = 0;
  ReadOptions read;
  bool json = false, no_paths = false;
};

std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      words.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return words;
}

void complain(Diagnostics& problems, const std::string& option, const std::string& what, const std::string& fix) {
  problems.error({}, "option-value", fmt::format("{}: {}", option, what), fix);
}

constexpr int smooth_steps = 180;  // of a path

// --- where to -----------------------------------------------------------------------------------------------------------

struct File {
  std::string path;  // "-": standard output
  DrawingFormat format = DrawingFormat::svg;
};

std::vector<File> files_of(const DrawOptions& options, Diagnostics& problems) {
  std::vector<File> files;
  const std::optional<DrawingFormat> asked = options.format.empty()    ? std::nullopt
                                             : options.format == "dxf" ? std::optional(DrawingFormat::dxf)
                                                                       : std::optional(DrawingFormat::svg);
  if (options.outputs.empty()) {
    const std::string stem = options.model == "-" ? "drawing" : std::filesystem::path(options.model).stem().string();
    const DrawingFormat format = asked.value_or(DrawingFormat::svg);
    return {{stem + (format == DrawingFormat::svg ? ".svg" : ".dxf"), format}};
  }
  for (const std::string& path : options.outputs) {
    const std::optional<DrawingFormat> format = path == "-" ? asked.value_or(DrawingFormat::svg)
                                                : asked     ? asked
                                                            : drawing_format(path);
    if (format) {
      files.push_back({path, *format});
    } else {
      problems.error({}, "output-format", fmt::format("'{}' has no extension that tells its format", path),
                     "give it the extension .svg or .dxf, or say --format");
    }
  }
  if (std::count(options.outputs.begin(), options.outputs.end(), "-") > 1)
    complain(problems, "--output", "standard output is named twice", "name it once");
  return files;
}

// --- how ----------------------------------------------------------------------------------------------------------------

std::optional<Vec3d> vector_of(const Mechanism& mech, const char* option, const std::string& text, bool is_place,
                               Diagnostics& problems) {
  if (text.empty()) return std::nullopt;
  Vec3d v;
  const std::string wrong = parse_vector(text, v);
  if (!wrong.empty()) {
    complain(problems, option, wrong, fmt::format("write {} 100,-200,50, in the model's units", option));
    return std::nullopt;
  }
  return is_place ? v * mech.units.to_si(dimension::length) : v;
}

DrawingOptions how(const Mechanism& mech, const DrawOptions& options, Diagnostics& problems) {
  DrawingOptions drawing;
  drawing.title = options.title;
  drawing.width = options.width;
  std::vector<std::string> words(draw_views.begin(), draw_views.end());
  for (const std::string& word : split(options.views)) {
    if (word == "all") {
      drawing.views.insert(drawing.views.end(),
                           {DrawingView::xy, DrawingView::xz, DrawingView::yz, DrawingView::perspective});
    } else if (const auto view = drawing_view(word)) {
      drawing.views.push_back(*view);
    } else {
      const std::string near = did_you_mean(word, words);
      complain(
          problems, "--view", fmt::format("there is no view '{}'", word),
          near.empty() ? fmt::format("views are {}", fmt::join(words, ", ")) : fmt::format("did you mean '{}'?", near));
    }
  }
  if (!options.names.empty()) {
    drawing.joint_names = drawing.body_names = drawing.point_names = false;
    for (const std::string& word : split(options.names)) {
      const bool all = word == "all";
      if (std::find(draw_names.begin(), draw_names.end(), word) == draw_names.end()) {
        complain(problems, "--names", fmt::format("there are no names of '{}'", word),
                 fmt::format("write one or more of {}", fmt::join(draw_names, ", ")));
      }
      drawing.joint_names = drawing.joint_names || all || word == "joints";
      drawing.body_names = drawing.body_names || all || word == "bodies";
      drawing.point_names = drawing.point_names || all || word == "points";
    }
  }
  drawing.perspective.eye = vector_of(mech, "--eye", options.eye, true, problems);
  drawing.perspective.target = vector_of(mech, "--look-at", options.target, true, problems);
  drawing.perspective.up = vector_of(mech, "--up", options.up, false, problems);
  if (options.width != 0 && !(options.width >= 240 && options.width <= 10000))
    complain(problems, "--width", fmt::format("{} px is not between 240 and 10000", options.width),
             "choose another width");
  if (options.positions < 0 || options.positions > most_drawn_positions)
    complain(problems, "--positions",
             fmt::format("{} is not between 0 and {}", options.positions, most_drawn_positions),
             "choose another number");
  return drawing;
}

// --- which positions ----------------------------------------------------------------------------------------------------

// The values that one --at gives, by input: "O2=30" or "rack=10,jounce=-40", or t where inputs move by time.
struct Wanted {
  std::vector<std::pair<Coordinate, double>> values;  // SI
  std::optional<double> t;
  std::string text;  // as asked for, with units
};
Wanted wanted_of(const Mechanism& mech, const std::string& option, Diagnostics& problems) {
  Wanted wanted;
  std::vector<std::string> texts;
  for (const std::string& part : split({option})) {
    std::string name;
    std::vector<double> numbers;
    Coordinate coordinate;
    std::string wrong = split_option(part, 1, name, numbers);
    const bool is_time = name == "t" && mech.find_joint("t") < 0;
    if (wrong.empty() && !is_time) wrong = find_coordinate(mech, name, coordinate);
    if (!wrong.empty()) {
      complain(problems, "--at", wrong, "write --at JOINT=value, or JOINT=value,JOINT=value, in the model's units");
      continue;
    }
    const Dimension d = is_time ? Dimension{.time = 1} : coordinate.dimension;
    texts.push_back(fmt::format("{} = {:.6g} {}", name, numbers[0], mech.units.name(d)));
    if (is_time) {
      wanted.t = mech.units.in_si(numbers[0], d);
    } else {
      wanted.values.emplace_back(coordinate, mech.units.in_si(numbers[0], d));
    }
  }
  wanted.text = fmt::format("{}", fmt::join(texts, ", "));
  return wanted;
}

// A tree stands where its coordinates say.
DrawnPosition position_of_tree(const Mechanism& mech, const Wanted& wanted) {
  State state = design_state(mech);
  for (const auto& [coordinate, value] : wanted.values)
    state.q[static_cast<std::size_t>(mech.joints[coordinate.joint].q + coordinate.dof)] = value;
  Workspace ws(mech);
  compute_positions(mech, ws, state.q);
  DrawnPosition position;
  for (int b = 0; b < mech.body_count(); ++b) position.X_WB.push_back(pose_WB(mech, ws, b));
  return position;
}

struct Found {
  std::optional<DrawnPosition> position;
  Diagnostics problems;
  int code = done;
};

// The inputs at the values that are wanted: those not named held where they are. Coordinates that are no inputs take the inputs' place.
std::vector<SweepInput> inputs_at(const std::vector<SweepInput>& inputs, const Wanted& wanted) {
  const auto find = [&](std::vector<SweepInput>& list, const Coordinate& coordinate) {
    return std::find_if(list.begin(), list.end(), [&](const SweepInput& input) {
      return input.driver.joint == coordinate.joint && input.driver.dof == coordinate.dof;
    });
  };
  std::vector<SweepInput> held = inputs;
  for (const auto& [coordinate, value] : wanted.values) {
    if (find(held, coordinate) != held.end()) continue;
    held.clear();
    break;
  }
  for (SweepInput& input : held) {
    input.step = 0;
    input.from = input.to = input.motion ? wanted.t.value_or(0) : 0;
  }
  for (const auto& [coordinate, value] : wanted.values) {
    auto input = find(held, coordinate);
    if (input == held.end()) {
      held.push_back({.driver = {.joint = coordinate.joint, .dof = coordinate.dof}});
      input = held.end() - 1;
    }
    input->motion.reset();
    input->from = input->to = value;
  }
  return held;
}

// A linkage is taken there from the design position.
Found position_at(const Mechanism& mech, const std::vector<SweepInput>& inputs, const Wanted& wanted) {
  Found found;
  found.problems.file = mech.file;
  const bool by_time =
      std::any_of(inputs.begin(), inputs.end(), [](const SweepInput& i) { return i.motion.has_value(); });
  if (wanted.t && !by_time) {
    found.problems.error({}, "option-value", "--at: no input of this linkage moves by time",
                         "write --at JOINT=value, in the model's units");
    found.code = bad_input;
    return found;
  }
  if (mech.is_tree() && !wanted.t) {
    found.position = position_of_tree(mech, wanted);
    return found;
  }
  AnalysisOptions options;
  options.inputs = inputs_at(inputs, wanted);
  const Analysis analysis = analyze(mech, options);
  const bool is_usage =
      analysis.status == Analysis::Status::under_driven || analysis.status == Analysis::Status::over_driven;
  if (analysis.status != Analysis::Status::ok) {
    found.problems = verdict(mech, options, analysis);
    found.code = is_usage ? bad_input : negative_answer;
  } else if (analysis.steps.empty() || analysis.steps.front().status == StepStatus::imaginary) {
    found.problems.error({}, "no-position", fmt::format("the linkage has no position at {}", wanted.text),
                         "choose other values; trammel analyze tells the range");
    found.code = negative_answer;
  } else {
    found.position = position_of(analysis.steps.front());
  }
  return found;
}

// The design position, closed where it is not quite; as drawn where it cannot be.
DrawnPosition design(const Mechanism& mech, Diagnostics& warnings) {
  if (mech.is_tree()) return design_position(mech);
  LoopSolver solver(mech);
  std::vector<double> q = design_state(mech).q;
  const AssemblyReport report = solver.assemble(q, {});
  if (!report.closed()) {
    warnings.file = mech.file;
    warnings.warning({}, "drawn-open",
                     fmt::format("the linkage cannot close: it is drawn as the file has it, with a gap at {}",
                                 report.worst_row >= 0 ? solver.name_of(solver.rows()[report.worst_row]) : "a joint"),
                     "check the lengths of the links and where their joints are");
    return design_position(mech);
  }
  Workspace ws(mech);
  compute_positions(mech, ws, q);
  DrawnPosition position;
  for (int b = 0; b < mech.body_count(); ++b) position.X_WB.push_back(pose_WB(mech, ws, b));
  return position;
}

// --- the verb -----------------------------------------------------------------------------------------------------------

class DrawVerb {
 public:
  explicit DrawVerb(const DrawOptions& options) : options_(options) {}

  int run() {
    Diagnostics problems;
    files_ = files_of(options_, problems);
    LoadOptions load_options{
        .cut = options_.cut, .gravity = std::nullopt, .for_dynamics = false, .read = options_.read};
    for (const std::string& text : options_.inputs) load_options.keep.push_back(text.substr(0, text.rfind('=')));
    for (const std::string& text : split(options_.at)) load_options.keep.push_back(text.substr(0, text.rfind('=')));
    LoadResult result = load(options_.model, load_options);
    if (!result.loaded) return refuse(result.diagnostics, bad_input);
    loaded_ = std::move(*result.loaded);
    DrawingOptions drawing_options = how(mech(), options_, problems);
    std::vector<Wanted> wanted;
    for (const std::string& at : options_.at) wanted.push_back(wanted_of(mech(), at, problems));
    if (!problems.has_errors())
      collect_inputs(mech(), {.inputs = options_.inputs, .speeds = {}, .accelerations = {}, .drives = {}}, false,
                     analysis_, problems);
    check_paths(problems);
    if (problems.has_errors()) {
      print(problems);
      return refuse(problems, bad_input);
    }
    if (const int code = sweep(); code != done) return code;
    if (const int code = choose_positions(wanted); code != done) return code;
    drawing_options.subtitle = fmt::format("{}", fmt::join(captions_, "; "));
    return write(drawing_options);
  }

 private:
  const DrawOptions& options_;
  std::vector<File> files_;
  Loaded loaded_;
  AnalysisOptions analysis_;
  LinkageDrawing drawing_;
  double tick_step_ = 0;
  std::vector<std::string> captions_;
  Diagnostics warnings_;

  const Mechanism& mech() const { return loaded_.mechanism; }

  int refuse(const Diagnostics& diagnostics, int code) const {
    if (options_.json) print_json_errors(diagnostics);
    return code;
  }

  void check_paths(Diagnostics& problems) {
    if (const std::string name = unknown_point(mech(), options_.paths); !name.empty()) {
      std::vector<std::string> names;
      for (const OutputInfo& output : mech().outputs) names.push_back(output.name);
      complain(problems, "--path", fmt::format("there is no point of interest '{}'", name),
               fmt::format("points of interest (outputs) are {}", fmt::join(names, ", ")));
    }
    if (options_.tick.empty()) return;
    std::string unused;
    std::vector<double> numbers;
    const std::string wrong = split_option("tick=" + options_.tick, 1, unused, numbers);
    if (!wrong.empty() || numbers[0] < 0) {
      complain(problems, "--ticks", wrong.empty() ? "the step is negative" : wrong,
               "give the step of the input between ticks, in the model's units; 0 for none");
    }
  }

  // The step between ticks: the one asked for, in the unit of the innermost input.
  double tick_step() const {
    if (options_.tick.empty()) return default_tick_step(mech(), analysis_);
    Dimension d = dimension::angle;
    for (const SweepInput& input : analysis_.inputs) {
      if (input.from == input.to || input.step == 0) continue;
      d = input.motion ? Dimension{.time = 1}
                       : freedoms(mech().joints[input.driver.joint].type)[input.driver.dof].dimension;
      if (input.motion) break;
    }
    return mech().units.in_si(std::stod(options_.tick), d);
  }

  // Paths and positions of the inputs' range, where there is one. A file whose inputs do not work out is still drawn.
  int sweep() {
    const bool is_asked = !options_.inputs.empty() || options_.positions > 0;
    const bool moves = std::any_of(analysis_.inputs.begin(), analysis_.inputs.end(),
                                   [](const SweepInput& i) { return i.from != i.to && i.step != 0; });
    if (!moves) {
      if (options_.positions == 0) return done;
      const Diagnostics error =
          one_error("--positions: no input moves over a range",
                    "give --input JOINT=from:to:step, or an inputs section in the file", "input-missing");
      print(error);
      return refuse(error, bad_input);
    }
    ProgressBar bar("draw");
    AnalysisOptions sweep_options = analysis_;
    const double step = refine(sweep_options, smooth_steps);
    sweep_options.progress = [&bar](double share) { bar.show(share); };
    const Analysis analysis = analyze(mech(), sweep_options);
    bar.finish();
    const Diagnostics negative = verdict(mech(), analysis_, analysis);
    if (negative.has_errors()) {
      if (!is_asked) return done;
      print(negative);
      const bool is_usage =
          analysis.status == Analysis::Status::under_driven || analysis.status == Analysis::Status::over_driven;
      return refuse(negative, is_usage ? bad_input : negative_answer);
    }
    tick_step_ = tick_step();
    if (std::abs(tick_step_ / step - std::round(tick_step_ / step)) > 1e-6) {
      const Diagnostics error =
          one_error(fmt::format("--ticks: {} is no multiple of the input's step", options_.tick),
                    "give --input JOINT=from:to:step with a step that divides it", "option-value");
      print(error);
      return refuse(error, bad_input);
    }
    drawing_ = drawing_of(mech(), analysis_, analysis, options_.positions, options_.paths, tick_step_);
    if (options_.no_paths) drawing_.paths.clear();
    if (!drawing_.paths.empty() || !drawing_.others.empty())
      captions_.push_back(sweep_text(mech(), analysis_, drawing_.paths.empty() ? 0 : tick_step_));
    return done;
  }

  int choose_positions(const std::vector<Wanted>& wanted) {
    if (wanted.empty()) {
      drawing_.position = design(mech(), warnings_);
      return done;
    }
    std::vector<std::string> texts;
    for (const Wanted& one : wanted) {
      Found found = position_at(mech(), analysis_.inputs, one);
      if (!found.position) {
        print(found.problems);
        return refuse(found.problems, found.code);
      }
      if (&one == &wanted.front()) {
        drawing_.position = std::move(*found.position);
      } else {
        drawing_.others.push_back(std::move(*found.position));
      }
      texts.push_back(one.text);
    }
    captions_.insert(captions_.begin(), fmt::format("{}", fmt::join(texts, " and ")));
    return done;
  }

  int write(const DrawingOptions& drawing_options) {
    ordered_json report{{"status", "ok"}, {"model", mech().name}, {"files", ordered_json::array()}};
    std::string standard_output;
    std::vector<std::string> told, left_out;
    for (const File& file : files_) {
      DrawnText drawn = draw(loaded_, drawing_, drawing_options, file.format);
      if (!drawn.problems.has_errors() && file.path != "-") {
        const std::string wrong = write_file(file.path, drawn.text);
        if (!wrong.empty())
          drawn.problems = one_error(fmt::format("{} cannot be written: {}", file.path, wrong),
                                     "check the path, the permissions and the space on the disk", "file-unwritable");
      }
      if (drawn.problems.has_errors()) {
        print(drawn.problems);
        return refuse(drawn.problems, bad_input);
      }
      std::vector<std::string> views;
      for (const DrawingView view : drawn.report.views) views.emplace_back(keyword(view));
      ordered_json entry{{"format", file.format == DrawingFormat::svg ? "svg" : "dxf"}, {"views", views}};
      if (drawn.report.scale > 0 && file.format == DrawingFormat::svg) entry["px_per_m"] = drawn.report.scale;
      entry["names_left_out"] = drawn.report.left_out;
      entry[file.path == "-" ? "text" : "output"] = file.path == "-" ? drawn.text : file.path;
      report["files"].push_back(entry);
      if (file.path == "-")
        standard_output = std::move(drawn.text);
      else
        told.push_back(fmt::format("wrote {}: {}", file.path, fmt::join(views, ", ")));
      if (left_out.empty()) left_out = drawn.report.left_out;
    }
    if (!left_out.empty())
      warnings_.note({}, "no-room", fmt::format("no room for the names {}", fmt::join(left_out, ", ")),
                     "widen the picture by --width, or choose by --names");
    print(warnings_);
    report["positions"] = 1 + drawing_.others.size();
    report["paths"] = ordered_json::array();
    for (const DrawnPath& path : drawing_.paths)
      report["paths"].push_back({{"name", path.name}, {"points", path.points.size()}, {"ticks", path.ticks.size()}});
    if (tick_step_ > 0 && !drawing_.paths.empty()) report["tick_step"] = tick_step_;
    report["warnings"] = json_of(warnings_);
    if (options_.json) {
      fmt::print("{}\n", report.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    } else if (!standard_output.empty()) {
      fmt::print("{}", standard_output);
    } else {
      for (const std::string& line : told) fmt::print("{}\n", line);
    }
    return done;
  }
};

}  // namespace

void add_draw(CommandLine& line) {
  Verb verb(line, "draw", "draw a linkage: plan views, perspective, positions, coupler curves");
  auto options = std::make_shared<DrawOptions>();
  verb.model(options->model);
  verb.list(
      "-o,--output", options->outputs,
      "file to write, .svg or .dxf (may be given several times); - for standard output. Default: MODEL.svg, here");
  verb.option("--format", options->format, "svg or dxf; without it, by the extension of the file")
      .one_of({"svg", "dxf"});
  verb.list("--view", options->views, "plane, xy, xz, yz, perspective, or all; several with commas");
  verb.list("--at", options->at,
            "JOINT=value of the position, in the model's units; several with commas; repeated: faint ones too");
  verb.option("--positions", options->positions, "so many positions of the inputs' range, faint");
  verb.list("--input", options->inputs, "JOINT=from:to:step, instead of the file's inputs");
  verb.list("--path", options->paths, "draw the path of this point of interest; all of them otherwise");
  verb.flag("--no-paths", options->no_paths, "no paths");
  verb.option("--ticks", options->tick, "step of the input between ticks on paths; 0: none");
  verb.list("--names", options->names, "joints, bodies, points, all or none; several with commas");
  verb.option("--eye", options->eye, "x,y,z: where the perspective is seen from, in the model's units");
  verb.option("--look-at", options->target, "x,y,z: the point in the middle of the perspective");
  verb.option("--up", options->up, "x,y,z: the direction that is up in the perspective");
  verb.option("--title", options->title, "instead of the model's name");
  verb.option("--width", options->width, "of the picture, px");
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "A linkage that moves in a plane is drawn in it; others in three plan views and a perspective.\n"
      "Examples:\n"
      "  trammel draw models/crank_rocker.yaml --input O2=0:360:5 --positions 8\n"
      "  trammel draw models/rssr.yaml --at crank=40 -o rssr.svg -o rssr.dxf\n"
      "  trammel draw models/double_wishbone.yaml --view perspective --eye 1500,2000,900");
  verb.run([options] { return DrawVerb(*options).run(); });
}

}  // namespace trammel::tool
