// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What an algorithm costs per body of a chain of hinges, counted in three ways: multiplications and additions (run with
// numbers that count, so exact, and the same for one state and lanes), machine instructions (callgrind, where valgrind
// is installed), and time, as the fraction of the fused multiply-adds that the machine could have done meanwhile.
// Sines and cosines are one operation in the first count and are not in the fraction; their instructions and time are
// in the others. Prints a table and writes <date>_<cpu>_operations.csv.
//
// valgrind 3.19 does not know all instructions of the kernels for AVX2 (vmovq between registers) and ends the process there; then
// the instructions of the baseline kernels are counted, and the table says so.
//
// Instructions of one call are the difference between a process that makes 2 k calls and one that makes k, so that the
// rest of the process drops out: `operations_bench --calls ALGORITHM one|lanes BODIES K` is such a process.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/core/counted.hpp>
#include <trammel/version.hpp>

#include "csv_file.hpp"
#include "machine.hpp"
#include "peers/implementation.hpp"
#include "stopwatch.hpp"

namespace trammel::bench {
namespace {

constexpr std::array chain_lengths{10, 100, 1000};
constexpr int longest_for_callgrind = 100;  // which is slow, and the count per body stays
constexpr int longest_for_matrices = 100;   // the mass matrix has O(n²) entries: per body means little beyond

bool is_measured(Algorithm algorithm, int bodies) {
  const bool whole_matrix = algorithm == Algorithm::mass || algorithm == Algorithm::jacobian;
  return !whole_matrix || bodies <= longest_for_matrices;
}

// --- operations ---------------------------------------------------------------------------------------------------

std::vector<Counted> counted(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

OperationCount count_operations(const Scene& scene, Algorithm algorithm) {
  const Mechanism& mech = scene.mechanism;
  BasicWorkspace<Counted> ws(mech);
  const test::RandomState& state = scene.states.front();
  const std::vector<Counted> q = counted(state.q), v = counted(state.v), a = counted(state.a), tau = counted(state.tau);
  const auto n = static_cast<std::size_t>(mech.nv);
  std::vector<Counted> vector(n), matrix(n * n), jacobian(6 * n);
  Counted::reset_operations();
  switch (algorithm) {
    case Algorithm::forward:
      forward_dynamics(mech, ws, q, v, tau, vector);
      break;
    case Algorithm::inverse:
      inverse_dynamics(mech, ws, q, v, a, vector);
      break;
    case Algorithm::mass:
      mass_matrix(mech, ws, q, matrix);
      break;
    case Algorithm::jacobian:
      compute_positions(mech, ws, q);
      jacobian_W(mech, ws, scene.tip, Vec3<Counted>::from(scene.p_B), jacobian);
      break;
    case Algorithm::kinematics:
      compute_positions(mech, ws, q);
      break;
  }
  return Counted::operations();
}

// --- instructions -------------------------------------------------------------------------------------------------

ImplementationPtr make_ours(const Scene& scene, bool lanes) {
  return lanes ? make_lanes(scene) : make_one_state(scene);
}

int make_calls(int algorithm, bool lanes, int bodies, int calls) {
  const Scene scene = make_scene("chain", hinge_chain(bodies));
  const ImplementationPtr ours = make_ours(scene, lanes);
  const Algorithm chosen = all_algorithms[algorithm];
  ours->run(chosen, 0, calls * ours->block(chosen));
  return 0;
}

struct Instructions {
  double count = 0;
  std::string level;  // of the kernels that ran
};

// Instructions of a process that makes so many calls; nothing where valgrind does not run to its end.
std::optional<double> instructions_of_process(const std::string& environment, int algorithm, bool lanes, int bodies,
                                              int calls) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      fmt::format("{} valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' --calls {} {} {} {} 2>&1",
                  environment, self, algorithm, lanes ? "lanes" : "one", bodies, calls);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::optional<double> found;
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    double number = 0;
    const std::string text = line;
    const std::size_t at = text.find("Collected : ");
    if (at != std::string::npos && std::sscanf(text.c_str() + at, "Collected : %lf", &number) == 1) found = number;
  }
  return pclose(pipe) == 0 ? found : std::nullopt;
}

// Of one call for one state, and per body.
std::optional<Instructions> instructions_per_body(int algorithm, bool lanes, const Scene& scene) {
  if (scene.mechanism.link_count() > longest_for_callgrind) return std::nullopt;
  const int bodies = scene.mechanism.link_count(), block = make_ours(scene, lanes)->block(Algorithm::forward);
  const int calls = std::max(1, 2000 / (bodies * block));
  // Of AVX-512 valgrind knows nothing: it says that the CPU has none.
  const std::string usual = kernel_level() == "x86-64" ? "x86-64" : "x86-64-v3";
  for (const auto& [environment, level] :
       {std::pair{std::string{}, usual}, {"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2", "x86-64"}}) {
    const auto twice = instructions_of_process(environment, algorithm, lanes, bodies, 2 * calls);
    const auto once = instructions_of_process(environment, algorithm, lanes, bodies, calls);
    if (twice && once) return Instructions{(*twice - *once) / (static_cast<double>(calls) * block * bodies), level};
  }
  return std::nullopt;
}

// --- the table ----------------------------------------------------------------------------------------------------

class Report {
 public:
  explicit Report(const std::string& path)
      : csv_(path, {"date", "cpu", "clock_ghz", "kernel_level", "lanes", "compiler", "trammel", "model", "links",
                    "algorithm", "implementation", "multiplications_per_link", "additions_per_link", "sin_cos_per_link",
                    "instructions_per_link", "instructions_level", "ns_per_link", "fraction_of_peak"}),
        ghz_(clock_ghz()),
        peak_(peak_flops_per_ns(ghz_)) {
    fmt::print(
        "{}, {:.2f} GHz, kernels {}, {} lanes; {}\nat most {:.0f} additions and multiplications a nanosecond\n\n",
        cpu_name(), ghz_, kernel_level(), lane_count(), compilers(), peak_);
    fmt::print("{:<10} {:<16} {:<14} {:>7} {:>7} {:>8} {:>13} {:>8} {:>8}   (per body and state)\n", "model",
               "algorithm", "", "mul", "add", "sin, cos", "instructions", "ns", "of peak");
  }

  void measure(const Scene& scene, int algorithm_number) {
    const Algorithm algorithm = all_algorithms[algorithm_number];
    const OperationCount count = count_operations(scene, algorithm);
    const ImplementationPtr ours[] = {make_one_state(scene), make_lanes(scene)};
    std::vector<tool::Job> jobs;
    for (const ImplementationPtr& one : ours) {
      Implementation& implementation = *one;
      jobs.push_back({[&implementation, algorithm](int first, int n) { implementation.run(algorithm, first, n); },
                      implementation.block(algorithm)});
    }
    const std::vector<tool::Timing> timings = tool::time_in_turns(jobs, {});
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      add(scene, algorithm, ours[i]->name(), count, instructions_per_body(algorithm_number, i == 1, scene), timings[i]);
    }
  }

  void finish() { csv_.finish(); }

 private:
  void add(const Scene& scene, Algorithm algorithm, const std::string& implementation, const OperationCount& count,
           const std::optional<Instructions>& instructions, const tool::Timing& timing) {
    const double n = scene.mechanism.link_count(), ns = timing.least_ns / n;
    const double mul = static_cast<double>(count.multiplications) / n, add = static_cast<double>(count.additions) / n;
    const double pairs = static_cast<double>(count.sin_cos) / n, fraction = (mul + add) / ns / peak_;
    const std::string executed = instructions ? fmt::format("{:.0f}", instructions->count) : "";
    csv_.add({today(), cpu_name(), fmt::format("{:.2f}", ghz_), std::string(kernel_level()),
              std::to_string(lane_count()), compilers(), fmt::format("{} {}", version(), git_commit()), scene.name,
              fmt::format("{:.0f}", n), name_of(algorithm), implementation, fmt::format("{:.1f}", mul),
              fmt::format("{:.1f}", add), fmt::format("{:.1f}", pairs), executed,
              instructions ? instructions->level : "", fmt::format("{:.2f}", ns),
              peak_ > 0 ? fmt::format("{:.4f}", fraction) : ""});
    fmt::print("{:<10} {:<16} {:<14} {:>7.1f} {:>7.1f} {:>8.1f} {:>13} {:>8.2f} {:>7.1f}%\n", scene.name,
               name_of(algorithm), implementation, mul, add, pairs, executed.empty() ? "-" : executed, ns,
               100 * fraction);
    std::fflush(stdout);
  }

  CsvFile csv_;
  double ghz_, peak_;
};

int run(const std::string& path) {
  Report report(path);
  for (const int bodies : chain_lengths) {
    const Scene scene = make_scene(fmt::format("chain{}", bodies), hinge_chain(bodies));
    for (int i = 0; i < static_cast<int>(std::size(all_algorithms)); ++i) {
      if (is_measured(all_algorithms[i], bodies)) report.measure(scene, i);
    }
  }
  report.finish();
  fmt::print("\nwritten: {}\n", path);
  return 0;
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  using namespace trammel::bench;
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 5 && words[0] == "--calls") {
      return make_calls(std::stoi(words[1]), words[2] == "lanes", std::stoi(words[3]), std::stoi(words[4]));
    }
    if (words.empty()) return run(results_path(default_results_folder(), "_operations"));
    if (words.size() == 2 && words[0] == "--results") return run(results_path(words[1], "_operations"));
    fmt::print(stderr, "usage: operations_bench [--results FOLDER]\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "operations_bench: {}\n", error.what());
  }
  return 2;
}
