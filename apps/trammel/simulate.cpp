// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel simulate: motion over time, recorded.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/batch.hpp>
#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>
#include <trammel/version.hpp>

#include "eval_options.hpp"
#include "eval_state.hpp"
#include "interruption.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "simulate_options.hpp"
#include "simulate_report.hpp"
#include "simulate_start.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using Clock = std::chrono::steady_clock;

struct SimulateVerb {
  std::string model;
  std::optional<std::string> state, gravity, until, step, tolerance, record_every, integrator, stabilisation, at,
      solver, baumgarte;
  std::string record, csv, channels;
  std::vector<std::string> cut;
  ReadOptions read;
  int order = 0;
  bool json = false, no_friction = false, no_fluid = false, strict = false, resume = false;
};

// A positive number given as text; complains otherwise.
std::optional<double> positive(const std::optional<std::string>& text, const char* option, const char* fix,
                               Diagnostics& problems) {
  if (!text) return std::nullopt;
  try {
    std::size_t used = 0;
    const double x = std::stod(*text, &used);
    if (used == text->size() && x > 0 && std::isfinite(x)) return x;
  } catch (const std::exception&) {  // said below
  }
  problems.error({}, "option-value", fmt::format("{}: '{}' is not a positive number", option, *text), fix);
  return std::nullopt;
}

std::vector<double> times(const std::optional<std::string>& text, Diagnostics& problems) {
  std::vector<double> list;
  if (!text) return list;
  for (std::size_t i = 0; i <= text->size();) {
    const std::size_t comma = std::min(text->find(',', i), text->size());
    const std::string part = text->substr(i, comma - i);
    char* end = nullptr;
    const double t = std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0' || !std::isfinite(t) || t < 0) {
      problems.error({}, "option-value", fmt::format("--at: '{}' is not a time", part),
                     "write times such as 0.1,0.2,0.5");
      return {};
    }
    list.push_back(t);
    i = comma + 1;
  }
  return list;
}

// Orders that no rule has are refused, not rounded.
void check_order(const SimulationOptions& o, Diagnostics& problems) {
  if (o.order == 0) return;
  const bool erk = o.integrator == Integrator::erk || o.integrator == Integrator::automatic;
  if (!has_error_control(o.integrator)) {
    problems.error({}, "option-value", fmt::format("--order: {} has one order only", keyword(o.integrator)),
                   "leave --order out, or choose erk or bdf");
  } else if (erk ? o.order == 1 || o.order == 6 || o.order == 7 : o.order > 5) {
    problems.error({}, "option-value", fmt::format("--order: {} has no order {}", erk ? "erk" : "bdf", o.order),
                   erk ? "choose 2, 3, 4, 5 or 8" : "choose 1 to 5");
  }
}

// Options over the section `simulate` of the model over defaults.
SimulationOptions options_of(const SimulateVerb& verb, const Mechanism& mech, Diagnostics& problems) {
  SimulationOptions o = options_of_model(mech);
  const auto seconds = [&](const std::optional<std::string>& text, const char* option) {
    return positive(text, option, "give a number of seconds such as 0.001", problems);
  };
  o.until = seconds(verb.until, "--until").value_or(o.until);
  o.step = seconds(verb.step, "--step").value_or(o.step);
  o.tolerance = positive(verb.tolerance, "--tolerance", "give a number such as 1e-8", problems).value_or(o.tolerance);
  o.record_every = seconds(verb.record_every, "--record-every").value_or(o.record_every);
  if (verb.integrator) o.integrator = integrator_by_keyword(*verb.integrator).value_or(Integrator::automatic);
  if (verb.stabilisation) o.stabilisation = stabilisation_of_word(*verb.stabilisation);
  const std::string solver = verb.solver.value_or("automatic");
  o.loop_method = solver == "lilly-orin"    ? LoopMethod::star
                  : solver == "elimination" ? LoopMethod::elimination
                  : solver == "dense"       ? LoopMethod::dense
                                            : LoopMethod::automatic;
  o.baumgarte_rate =
      positive(verb.baumgarte, "--baumgarte", "give a rate in 1/s such as 10", problems).value_or(o.baumgarte_rate);
  if (verb.baumgarte && o.stabilisation != Stabilisation::baumgarte) {
    problems.error({}, "option-value", "--baumgarte is the rate of a stabilisation that is not used",
                   "add --stabilisation baumgarte, or leave it out");
  }
  o.order = verb.order;
  check_order(o, problems);
  if (o.step > 0 && o.until + o.step == o.until) {
    problems.error({}, "option-value", fmt::format("--step: {} s is too short to count up to {} s", o.step, o.until),
                   "use a longer step, 0.001 for example");
  }
  o.friction = !verb.no_friction;
  o.fluid = !verb.no_fluid;
  o.strict = verb.strict;
  o.at = times(verb.at, problems);
  for (const double t : o.at) {
    if (t <= o.until) continue;
    problems.error({}, "option-value", fmt::format("--at: {} s is after the end of the run, {} s", t, o.until),
                   fmt::format("add --until {}, or leave it out", t));
  }
  return o;
}

// What was asked for and does nothing.
void warn_of_no_effect(const SimulateVerb& verb, const SimulationOptions& o, const Model& model,
                       Diagnostics& problems) {
  const auto warn = [&](bool given, const char* what, const char* why, const char* fix) {
    if (given) problems.warning({}, "option-no-effect", fmt::format("{} has no effect: {}", what, why), fix);
  };
  const bool writes = !verb.record.empty() || !verb.csv.empty();
  const bool controls_error =
      o.integrator == Integrator::automatic || o.integrator == Integrator::erk || o.integrator == Integrator::bdf;
  warn(verb.at && !verb.json, "--at", "states at these moments are printed as JSON", "add --json");
  warn(verb.record_every && !writes, "--record-every", "nothing is recorded", "add --record FILE or --csv FILE");
  warn(!verb.channels.empty() && !writes, "--channels", "nothing is recorded", "add --record FILE or --csv FILE");
  warn(verb.tolerance && !controls_error, "--tolerance", "this integrator has fixed steps", "choose --step");
  warn(verb.resume && verb.state.has_value(), "--state", "a run that is resumed goes on from its checkpoint",
       "leave it out, or leave out --resume");
  for (const Load& load : model.loads) {
    if (!load.is_resisting()) continue;
    problems.warning(
        load.where, "not-applied",
        fmt::format("load '{}' resists: its size is found by analyze, and it does not act here", load.name),
        "give it a size or components");
  }
}

std::vector<std::string> groups_of(const SimulateVerb& verb, Diagnostics& problems) {
  if (verb.channels.empty()) return usual_channel_groups();
  std::vector<std::string> groups;
  const std::vector<std::string> known = channel_groups();
  for (std::size_t i = 0; i <= verb.channels.size();) {
    const std::size_t comma = std::min(verb.channels.find(',', i), verb.channels.size());
    const std::string word = verb.channels.substr(i, comma - i);
    i = comma + 1;
    if (word == "all") return known;
    if (std::find(known.begin(), known.end(), word) != known.end()) {
      groups.push_back(word);
      continue;
    }
    const std::string near = did_you_mean(word, known);
    problems.error({}, "option-value", fmt::format("--channels: there is no group '{}'", word),
                   near.empty() ? fmt::format("the groups are {}", fmt::join(known, ", "))
                                : fmt::format("did you mean '{}'?", near));
  }
  return groups;
}

// What is written must not be what was read, nor two things one file.
void check_outputs(const SimulateVerb& verb, Diagnostics& problems) {
  const auto check = [&](const char* option, const std::string& out, const char* whose, const std::string& other) {
    if (!is_same_file(out, other)) return;
    problems.error({}, "option-value", fmt::format("{}: '{}' is {}", option, out, whose), "give it another name");
  };
  check("--record", verb.record, "the model itself", verb.model);
  check("--csv", verb.csv, "the model itself", verb.model);
  check("--record", verb.record, "the initial state", verb.state.value_or(""));
  check("--csv", verb.csv, "the initial state", verb.state.value_or(""));
  check("--csv", verb.csv, "the recording too", verb.record);
}

RecordingHeader header_of(const Loaded& loaded, const SimulateVerb& verb, const SimulationOptions& o,
                          const ChannelReader& channels) {
  RecordingHeader header;
  header.model_name = loaded.model.name;
  header.model_file = loaded.model.file;
  header.model_text = write_yaml(loaded.model);
  header.model_hash = hash_of(header.model_text);
  header.trammel_version = std::string(version());
  header.kernel_level = std::string(kernel_level());
  header.options = options_json(o, verb.state ? *verb.state : "").dump();
  header.q_names = coordinate_names(loaded.mechanism);
  header.v_names = freedom_names(loaded.mechanism);
  header.channels = channels.channels();
  return header;
}

// Recorded rows go into a file, a table for CSV, or both.
class Recorder {
 public:
  Recorder(const ChannelReader& channels, bool keeps_rows) : channels_(channels), row_(channels.channels().size()) {
    if (!keeps_rows) return;
    for (const RecordedChannel& c : channels.channels()) table.columns.push_back({c.name, c.unit, {}});
  }
  void take(Simulation& simulation) {
    if (!file && table.columns.empty()) return;
    channels_.read(simulation, row_);
    if (file) file->append(row_);
    ++rows;
    for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].values.push_back(row_[i]);
  }
  // Once a second the state is saved from which a later run can go on.
  void save_if_due(Simulation& simulation) {
    if (!file || Clock::now() - saved_ < std::chrono::seconds(1)) return;
    save(simulation);
    file->flush();
    saved_ = Clock::now();
  }
  void save(Simulation& simulation) {
    Checkpoint checkpoint = simulation.checkpoint();
    checkpoint.events = events;
    file->set(checkpoint);
  }

  std::optional<RecordingFile> file;
  Channels table;
  std::uint64_t rows = 0, events = 0;

 private:
  const ChannelReader& channels_;
  std::vector<double> row_;
  Clock::time_point saved_ = Clock::now();
};

void restore(Simulation& simulation, const Checkpoint& checkpoint, const std::string& file) {
  try {
    simulation.restore(checkpoint);
  } catch (const std::invalid_argument& wrong) {
    throw RecordingError(fmt::format("{} cannot be gone on with: {}", file, wrong.what()),
                         "give the options with which the run began", "recording-other-run");
  }
}

// A run may go on with other options; whoever reads the recording later should have been told.
Diagnostics other_options(const std::string& before, const std::string& now, const std::string& file) {
  Diagnostics out;
  const nlohmann::json a = nlohmann::json::parse(before, nullptr, false), b = nlohmann::json::parse(now);
  std::vector<std::string> list;
  for (const char* key : {"integrator", "order", "step", "tolerance", "stabilisation", "baumgarte_rate", "record_every",
                          "friction", "fluid"}) {
    const nlohmann::json was = a.is_object() ? a.value(key, nlohmann::json()) : nlohmann::json();
    if (!was.is_null() && was != b.at(key))
      list.push_back(fmt::format("{} {} instead of {}", key, b.at(key).dump(), was.dump()));
  }
  if (list.empty()) return out;
  out.warning({}, "resume-other-options", fmt::format("{} goes on with other options: {}", file, fmt::join(list, ", ")),
              "give the options with which the run began, if that is not meant");
  return out;
}

int run_simulate(const SimulateVerb& verb) {
  const auto refuse = [&](const Diagnostics& diagnostics) {
    print(diagnostics);
    if (verb.json) print_json_errors(diagnostics);
    return bad_input;
  };
  if (verb.json && is_standard_output(verb.csv)) {
    return refuse(
        one_error("only one of --json and --csv - can have standard output", "give --csv a file", "option-value"));
  }
  LoadOptions load_options{.cut = verb.cut, .gravity = std::nullopt, .for_dynamics = true, .read = verb.read};
  if (verb.gravity) {
    Vec3d g;
    parse_vector(*verb.gravity, g);
    load_options.gravity = g;
  }
  const LoadResult result = load(verb.model, load_options);
  if (!result.loaded) {
    if (verb.json) print_json_errors(result.diagnostics);
    return bad_input;
  }
  const Loaded& loaded = *result.loaded;
  const Mechanism& mech = loaded.mechanism;
  Diagnostics problems;
  SimulationOptions options = options_of(verb, mech, problems);
  const std::vector<std::string> groups = groups_of(verb, problems);
  check_outputs(verb, problems);
  if (options.integrator == Integrator::implicit && !mech.impacts.empty()) {
    problems.error({}, "impact-integrator",
                   fmt::format("impact '{}' happens at an event, and the implicit step finds none",
                               mech.impacts.front().settings.name),
                   "use another integrator, or delete the section 'impacts'");
  }
  if (options.loop_method == LoopMethod::star && !mech.is_tree()) {
    if (const std::string why = LoopDynamics(mech).why_no_star(); !why.empty()) {
      problems.error({}, "no-star", fmt::format("no body held by chains alone: {}", why), "use --solver automatic");
    }
  }
  if (verb.resume && verb.record.empty()) {
    problems.error({}, "option-value", "--resume needs the recording to go on with", "add --record FILE");
  }
  if (problems.has_errors()) return refuse(problems);
  EvalState start = read_state(mech, verb.state, true, problems);
  warn_of_unused_parts(start, {"a", "tau", "prescribed", "actuated", "wrenches"},
                       "a simulation starts with q, v and t; what acts is in the model (loads, drives, actuators)",
                       problems);
  if (start.state.t >= options.until) {
    problems.error({}, "option-value",
                   fmt::format("the run would end at {} s, and the state is of {} s", options.until, start.state.t),
                   "give a later end by --until");
  }
  if (problems.has_errors()) return refuse(problems);
  for (const double at : options.at) {
    if (at >= start.state.t || verb.resume) continue;
    problems.warning({}, "option-no-effect", fmt::format("--at: {} s is before the beginning, {} s", at, start.state.t),
                     "leave it out");
  }
  problems.file = verb.model;
  warn_of_no_effect(verb, options, result.loaded->model, problems);
  complete_start(mech, verb.strict, start, problems);
  if (problems.has_errors()) return refuse(problems);
  print(problems);
  print(terrain_warnings(mech, start.state));

  const ChannelReader channels(mech, groups);
  Recorder recorder(channels, !verb.csv.empty());
  std::vector<RecordedEvent> events;
  std::vector<AnalysisStep> samples;
  Simulation* running = nullptr;
  ProgressBar bar("simulate");
  const Clock::time_point began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  double t_start = 0;
  options.record = [&](const Moment&) { recorder.take(*running); };
  options.on_note = [&](const std::string& note) {  // on a long run nobody should wait for the report to know
    if (seconds() < 2) return;
    bar.finish();
    fmt::print(stderr, "note: {}\n", note);
  };
  options.sample = [&](const Moment&) { samples.push_back(describe(*running)); };
  options.on_event = [&](const RecordedEvent& event) {
    events.push_back(event);
    ++recorder.events;
    if (recorder.file) recorder.file->add(event);
  };
  options.go_on = [&](double t) {
    recorder.save_if_due(*running);
    const double elapsed = seconds();
    bar.show((t - t_start) / (options.until - t_start),
             fmt::format(", t = {:.5g} s, {:.3g} x real time", t, (t - t_start) / std::max(elapsed, 1e-9)));
    return !Interruption::came();
  };

  try {
    Simulation simulation(mech, options, start.state);
    running = &simulation;
    if (!verb.record.empty()) {
      const RecordingHeader header = header_of(loaded, verb, options, channels);
      if (verb.resume) {
        // Tried before anything of the file is dropped; a header that does not fit is told by the next line.
        const Recording there = read_recording(verb.record, {});
        if (there.checkpoint && there.header.model_hash == header.model_hash) {
          restore(simulation, *there.checkpoint, verb.record);
          if (options.until < there.checkpoint->t) {
            return refuse(one_error(fmt::format("--until {}: {} has been simulated up to {} s already", options.until,
                                                verb.record, there.checkpoint->t),
                                    "give a later time", "option-value"));
          }
        }
        print(other_options(there.header.options, header.options, verb.record));
        Checkpoint checkpoint;
        recorder.file = RecordingFile::resume(verb.record, header, checkpoint);
        restore(simulation, checkpoint, verb.record);
        recorder.rows = checkpoint.rows, recorder.events = checkpoint.events;
        t_start = checkpoint.t;
      } else {
        recorder.file = RecordingFile::create(verb.record, header);
      }
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` is a full disk: an error to be told, not a sudden end
    const SimulationReport report = [&] {
      // The run ends after its step, and what was recorded is kept.
      const Interruption interruption({SIGINT, SIGTERM});
      return simulation.run();
    }();
    bar.finish();
    if (recorder.file) {
      recorder.save(simulation);
      recorder.file->finish(std::string(keyword(report.status)));
    }
    if (is_standard_output(verb.csv)) {
      fmt::print("{}", write_csv(recorder.table));
    } else if (!verb.csv.empty()) {
      const std::string wrong = write_file(verb.csv, write_csv(recorder.table));
      if (!wrong.empty()) {
        refuse(one_error(fmt::format("{} cannot be written: {}", verb.csv, wrong),
                         "check the path, the permissions and the space on the disk", "file-unwritable"));
        return negative_answer;  // as of a recording: the question was a good one
      }
    }
    const double elapsed = std::max(seconds(), 1e-9);
    AnalysisStep end = describe(simulation);
    const std::span<const ContactState> touching = simulation.contacts();
    const SimulateResult outcome{report,         events,        samples,
                                 std::move(end), elapsed,       (report.t - t_start) / elapsed,
                                 verb.record,    recorder.rows, {touching.begin(), touching.end()}};
    if (verb.json) {
      fmt::print("{}\n", report_json(mech, outcome).dump(1));
    } else if (!is_standard_output(verb.csv)) {
      print_report(mech, outcome);
    }
    if (report.ok()) return done;
    print(verdict_on(report));
    return negative_answer;
  } catch (const RecordingError& error) {
    bar.finish();
    Diagnostics wrong;
    wrong.error({}, error.id(), error.what(), error.fix());
    print(wrong);
    if (verb.json) print_json_errors(wrong);
    if (verb.resume) {  // HDF5 would complain at the end that it cannot close a damaged file
      std::fflush(nullptr);
      std::_Exit(negative_answer);
    }
    return negative_answer;
  }
}

}  // namespace

void add_simulate(CommandLine& line) {
  Verb verb(line, "simulate", "motion over time, recorded");
  auto options = std::make_shared<SimulateVerb>();
  verb.model(options->model);
  verb.option("--until", options->until, "end of the run, in s (default 1)");
  verb.option("--integrator", options->integrator,
              "erk (error control, the default), bdf (error control, stiff), rk4, midpoint, semi-implicit, implicit "
              "(fixed steps)")
      .one_of(integrator_keywords());
  verb.option("--tolerance", options->tolerance, "of integrators with error control (default 1e-8)");
  verb.option("--step", options->step,
              "of fixed-step integrators, in s (default 0.001); the largest with error control");
  verb.option("--order", options->order, "of erk, 2 to 5 or 8, and bdf, up to 5; 0: the highest").between(0, 8);
  verb.option("--state", options->state, "JSON file with the initial state, as for eval; '-' reads standard input");
  verb.option("--at", options->at, "times in s, with commas: samples at exactly these times in the JSON");
  const auto named = [](const std::string& text) { return text.empty() ? "needs the name of a file" : std::string(); };
  verb.option("--record", options->record, "HDF5 file to record to").check(named);
  verb.option("--record-every", options->record_every, "s between recorded rows (default: every step)");
  verb.option("--channels", options->channels,
              "groups to record, with commas: coordinates, velocities, accelerations, forces, points, bodies, "
              "reactions, energy, loops, "
              "measures, contacts, all");
  verb.option("--csv", options->csv, "CSV file for the recorded rows; '-' for standard output").check(named);
  verb.flag("--resume", options->resume, "go on from the last checkpoint of --record FILE");
  verb.option("--stabilisation", options->stabilisation, "of loops: projection (default), baumgarte, none")
      .one_of({"projection", "baumgarte", "none"});
  verb.option("--baumgarte", options->baumgarte, "rate of that stabilisation, 1/s (default: 0.1 over the step)");
  verb.option("--solver", options->solver, "of mechanisms with loops")
      .one_of(std::vector<std::string>(eval_solvers.begin(), eval_solvers.end()));
  verb.option("--gravity", options->gravity, "x,y,z in m/s² instead of the model's").check([](const std::string& text) {
    Vec3d g;
    return parse_vector(text, g);
  });
  verb.flag("--no-friction", options->no_friction, "leave out the joints' own friction");
  verb.flag("--no-fluid", options->no_fluid, "leave out the model's fluid");
  verb.flag("--strict", options->strict, "refuse an initial state that does not close, instead of projecting it");
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output, in SI units and radians");
  verb.footer(
      "Options stand over the model's section simulate:. Springs, loads, drives, actuators, friction, limits, contacts "
      "and "
      "events act.\n"
      "Ctrl-C ends the run and keeps the recording; `trammel plot` draws it.\n"
      "Exit code 1: the run could not be finished; the JSON says why.\n"
      "Example:\n"
      "  trammel simulate models/crank_rocker.yaml --until 2 --record run.h5\n"
      "  trammel plot run.h5 '*.q'");
  verb.run([options] { return run_simulate(*options); });
}

}  // namespace trammel::tool
