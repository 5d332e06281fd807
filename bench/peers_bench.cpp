// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Our algorithms beside those of MuJoCo, Orocos KDL and DART: one run, one thread, the same mechanisms and the same 64
// random states each, sines and cosines included. Prints a table and writes <date>_<cpu>.csv. Beside each
// time stands how far the answers differ, so that nobody wins by computing something else.
//
// This is a plain main and not Google Benchmark, which runs one benchmark to its end before the next: on a machine
// shared with others the ratio of two such times depends on who was disturbed when. Here the libraries take turns in
// slices of 0.2 ms and the least time counts (stopwatch.hpp).

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <trammel/batch.hpp>
#include <trammel/version.hpp>

#include "csv_file.hpp"
#include "machine.hpp"
#include "peers/implementation.hpp"
#include "stopwatch.hpp"
#include "support/dense.hpp"

namespace trammel::bench {
namespace {

struct Options {
  std::vector<std::string> models{"puma560", "arm7",    "quadruped", "humanoid", "aquarobot",
                                  "chain10", "chain30", "chain100",  "chain300", "chain1000"};
  std::string results = default_results_folder();
  tool::TimingOptions timing{};
};

constexpr const char* usage =
    "usage: peers_bench [--models LIST] [--time SECONDS] [--results FOLDER]\n\n"
    "  --models LIST     names in models/ and chains of hinges, separated by commas: arm7,chain100\n"
    "  --time SECONDS    for each model, algorithm and library (0.5)\n"
    "  --results FOLDER  where <date>_<cpu>.csv goes (bench/results of the build folder)\n";

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts{""};
  for (const char c : list) {
    if (c == ',') parts.emplace_back();
    if (c != ',') parts.back() += c;
  }
  return parts;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--models") options.models = split(value);
    if (key == "--results") options.results = value;
    if (key == "--time") options.timing.seconds_per_job = std::atof(value.c_str());
    if (key != "--models" && key != "--results" && key != "--time") return std::nullopt;
  }
  const bool sound = argc % 2 == 1 && options.timing.seconds_per_job > 0;
  return sound ? std::optional(options) : std::nullopt;
}

Model model_named(const std::string& name) {
  if (!name.starts_with("chain")) return shipped(name);
  return hinge_chain(std::max(1, std::atoi(name.c_str() + 5)));
}

// What is written for one library on one algorithm of one scene.
struct Line {
  std::string implementation, remark;
  tool::Timing timing{};
  double error = std::numeric_limits<double>::quiet_NaN();
  std::string error_against{};
};

// A library and, for comparison, our answers on the model with only what that library knows of it.
struct Contender {
  ImplementationPtr implementation;
  Scene reduced;
  ImplementationPtr ours;
};

// The largest entry's relative difference over the states; matrices of long chains are compared in a few states.
double difference(Contender& contender, Algorithm algorithm) {
  const int held = contender.implementation->states_held(contender.reduced);
  const int states = contender.reduced.mechanism.nv > 200 ? std::min(2, held) : held;
  double worst = 0;
  for (int i = 0; i < states; ++i) {
    const double error =
        test::relative_error(contender.ours->answer(algorithm, i), contender.implementation->answer(algorithm, i));
    if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return worst;
}

class SceneBench {
 public:
  SceneBench(const std::string& name, const Model& model, const tool::TimingOptions& options)
      : scene_(make_scene(name, model)), options_(options) {
    add(make_one_state, model);
    add(make_lanes, model);
    add(make_mujoco, model);
    add(make_mujoco_full, model);
    add(make_kdl, model);
    add(make_dart, model);
  }

  const Scene& scene() const { return scene_; }

  std::vector<Line> measure(Algorithm algorithm) {
    std::vector<Contender*> present;
    std::vector<tool::Job> jobs;
    for (const auto& contender : contenders_) {
      Implementation& implementation = *contender->implementation;
      if (!implementation.has(algorithm)) continue;
      present.push_back(contender.get());
      jobs.push_back(
          {[&implementation, algorithm](int first, int count) { implementation.run(algorithm, first, count); },
           implementation.block(algorithm)});
    }
    const std::vector<tool::Timing> timings = tool::time_in_turns(jobs, options_);
    std::vector<Line> lines;
    for (std::size_t i = 0; i < present.size(); ++i) {
      const Implementation& implementation = *present[i]->implementation;
      Line line{implementation.name(), implementation.remark(algorithm), timings[i]};
      if (timings[i].turns > 0) line.error = difference(*present[i], algorithm), line.error_against = "trammel";
      lines.push_back(line);
    }
    judge_ours(lines);
    return lines;
  }

 private:
  template <class Make>
  void add(const Make& make, const Model& model) {
    auto contender = std::make_unique<Contender>();
    try {
      contender->implementation = make(scene_);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: left out: {}\n", scene_.name, error.what());
    }
    if (!contender->implementation) return;
    contender->reduced = make_scene(scene_.name, model, contender->implementation->features());
    contender->ours = make_one_state(contender->reduced);
    // The peer's answers too are those of the reduced model, whether it ignores the rest or cannot be told of it.
    contenders_.push_back(std::move(contender));
  }

  // One state is compared with MuJoCo where it is there.
  static void judge_ours(std::vector<Line>& lines) {
    for (const Line& line : lines) {
      if (line.implementation == "MuJoCo") lines.front().error = line.error, lines.front().error_against = "MuJoCo";
    }
  }

  Scene scene_;
  tool::TimingOptions options_;
  std::vector<std::unique_ptr<Contender>> contenders_;
};

const Line* find(const std::vector<Line>& lines, const std::string& implementation) {
  for (const Line& line : lines) {
    if (line.implementation == implementation && line.timing.turns > 0) return &line;
  }
  return nullptr;
}

class Report {
 public:
  explicit Report(const std::string& path)
      : csv_(path, {"date",
                    "cpu",
                    "clock_ghz",
                    "kernel_level",
                    "lanes",
                    "compiler",
                    "trammel",
                    "mujoco",
                    "kdl",
                    "dart",
                    "model",
                    "links",
                    "nv",
                    "algorithm",
                    "implementation",
                    "ns_min",
                    "ns_median",
                    "ns_per_link",
                    "ratio_to_mujoco",
                    "relative_error",
                    "error_against",
                    "remark"}) {
    const double ghz = clock_ghz();
    head_ = {today(),
             cpu_name(),
             fmt::format("{:.2f}", ghz),
             std::string(kernel_level()),
             std::to_string(lane_count()),
             compilers(),
             fmt::format("{} {}", version(), git_commit()),
             mujoco_version(),
             kdl_version(),
             dart_version()};
    fmt::print("{}, {:.2f} GHz, kernels {}, {} lanes; {}\nMuJoCo {}, KDL {}, DART {}\n\n", cpu_name(), ghz,
               kernel_level(), lane_count(), compilers(), mujoco_version(), kdl_version(), dart_version());
    fmt::print("{:<10} {:>5} {:>4}  {:<16} {:>10} {:>9} {:>10} {:>10} {:>10}  {:>8} {:>8}  {:>8}\n", "model", "links",
               "nv", "algorithm, ns", "trammel", "lanes", "MuJoCo", "KDL", "DART", "of MJ", "lanes x", "error");
  }

  void add(const Scene& scene, Algorithm algorithm, const std::vector<Line>& lines) {
    const Line* mujoco = find(lines, "MuJoCo");
    for (const Line& line : lines) {
      if (line.timing.turns > 0) write(scene, algorithm, line, mujoco);
    }
    print(scene, algorithm, lines);
  }

  void finish() { csv_.finish(); }

 private:
  void write(const Scene& scene, Algorithm algorithm, const Line& line, const Line* mujoco) {
    std::vector<std::string> cells = head_;
    const double ns = line.timing.least_ns;
    for (const std::string& cell :
         {scene.name, std::to_string(scene.mechanism.link_count()), std::to_string(scene.mechanism.nv),
          std::string(name_of(algorithm)), line.implementation, fmt::format("{:.1f}", ns),
          fmt::format("{:.1f}", line.timing.median_ns), fmt::format("{:.2f}", ns / scene.mechanism.link_count()),
          mujoco == nullptr ? "" : fmt::format("{:.4f}", ns / mujoco->timing.least_ns),
          fmt::format("{:.1e}", line.error), line.error_against, line.remark}) {
      cells.push_back(cell);
    }
    csv_.add(cells);
  }

  static void print(const Scene& scene, Algorithm algorithm, const std::vector<Line>& lines) {
    const auto ns = [&lines](const char* who) {
      const Line* line = find(lines, who);
      return line == nullptr ? std::string("-") : fmt::format("{:.0f}", line->timing.least_ns);
    };
    const Line *mujoco = find(lines, "MuJoCo"), *ours = find(lines, "trammel"), *lanes = find(lines, "trammel lanes");
    const double reference = mujoco == nullptr ? std::nan("") : mujoco->timing.least_ns;
    fmt::print("{:<10} {:>5} {:>4}  {:<16} {:>10} {:>9} {:>10} {:>10} {:>10}  {:>8.3f} {:>8.1f}  {:>8.0e}", scene.name,
               scene.mechanism.link_count(), scene.mechanism.nv, name_of(algorithm), ns("trammel"), ns("trammel lanes"),
               ns("MuJoCo"), ns("KDL"), ns("DART"), ours == nullptr ? std::nan("") : ours->timing.least_ns / reference,
               lanes == nullptr ? std::nan("") : reference / lanes->timing.least_ns, largest_error(lines));
    fmt::print("\n");
    std::fflush(stdout);
  }

  static double largest_error(const std::vector<Line>& lines) {
    double largest = 0;
    for (const Line& line : lines)
      if (line.error > largest) largest = line.error;
    return largest;
  }

  CsvFile csv_;
  std::vector<std::string> head_;
};

int run(const Options& options) {
  const std::string path = results_path(options.results, "");
  Report report(path);
  for (const std::string& name : options.models) {
    SceneBench bench(name, model_named(name), options.timing);
    for (const Algorithm algorithm : all_algorithms) report.add(bench.scene(), algorithm, bench.measure(algorithm));
  }
  report.finish();
  fmt::print("\nwritten: {}\n", path);
  return 0;
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  const auto options = trammel::bench::parse(argc, argv);
  if (!options) {
    fmt::print(stderr, "{}", trammel::bench::usage);
    return 2;
  }
  try {
    return trammel::bench::run(*options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "peers_bench: {}\n", error.what());
    return 2;
  }
}
