// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Work and precision of all integrators on Andrews' squeezing mechanism (models/andrews.yaml): the error of its seven angles at 0.03 s
// against the published ones, over evaluations and over CPU time. Writes <date>_<cpu>_work_precision.csv, which tools/plot_work_precision.py
// draws.                                                            [Hairer, Wanner 1996, VII.7; tests/reference/data/andrews_squeezer.json]

#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>
#include <trammel/version.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"

namespace trammel::bench {
namespace {

// β, Θ, γ, Φ, δ, Ω, ε: turns of these joints since the start.
constexpr const char* joints[] = {"O", "F", "B", "H", "A5", "G", "A7"};
constexpr double first[] = {-0.0617138900142764496358948458001, 0.0,
                            0.455279819163070380255912382449,   0.222668390165885884674473185609,
                            0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                            1.23054744454982119249735015568};
constexpr double last[] = {0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                           0.5244099658805304,   0.5347301163226948,    0.1048080741042263e1};

struct Run {
  Integrator integrator;
  double setting;  // step or tolerance
};

std::vector<Run> runs() {
  std::vector<Run> list;
  for (double tolerance = 1e-3; tolerance > 5e-13; tolerance /= 10) {
    list.push_back({Integrator::erk, tolerance});
    list.push_back({Integrator::bdf, tolerance});
  }
  for (double step = 2e-4; step > 1e-6; step /= 2) {
    for (const Integrator integrator :
         {Integrator::rk4, Integrator::midpoint, Integrator::semi_implicit, Integrator::implicit}) {
      list.push_back({integrator, step});
    }
  }
  return list;
}

int run(const std::string& folder, double) {
  const ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/andrews.yaml");
  const Mechanism mech = compile(read.model).mechanism;
  const std::string path = results_path(folder, "_work_precision");
  CsvFile csv(path, {"date", "cpu", "kernel_level", "compiler", "trammel", "model", "integrator", "step_or_tolerance",
                     "evaluations", "steps", "cpu_seconds", "error_rad"});
  fmt::print("{:<14} {:>9} {:>12} {:>9} {:>10} {:>10}\n", "", "setting", "evaluations", "steps", "seconds", "error");
  for (const Run& r : runs()) {
    SimulationOptions options{.until = 0.03, .integrator = r.integrator};
    (has_error_control(r.integrator) ? options.tolerance : options.step) = r.setting;
    double least = infinity, error = 0;
    SimulationReport report;
    for (int again = 0; again < 3; ++again) {
      Simulation simulation(mech, options);
      const std::clock_t began = std::clock();  // of this process, whatever else the machine does
      report = simulation.run();
      const double taken = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
      if (!report.ok()) break;
      least = std::min(least, taken);
      error = 0;
      for (std::size_t k = 0; k < 7; ++k) {
        const JointInfo& joint = mech.joints[static_cast<std::size_t>(mech.find_joint(joints[k]))];
        error = std::max(error, std::abs(first[k] + simulation.state().q[static_cast<std::size_t>(joint.q)] - last[k]));
      }
    }
    if (!report.ok() || !(error < 1)) {  // too coarse for this rule
      fmt::print("{:<14} {:>9.2g} {}\n", keyword(r.integrator), r.setting,
                 report.ok() ? "misses the solution" : report.text);
      continue;
    }
    fmt::print("{:<14} {:>9.2g} {:>12} {:>9} {:>10.4f} {:>10.2e}\n", keyword(r.integrator), r.setting,
               report.evaluations, report.steps, least, error);
    csv.add({today(), cpu_name(), std::string(kernel_level()), compilers(), std::string(version()), "andrews",
             std::string(keyword(r.integrator)), fmt::format("{:.3g}", r.setting), std::to_string(report.evaluations),
             std::to_string(report.steps), fmt::format("{:.5f}", least), fmt::format("{:.3e}", error)});
  }
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("work_precision_bench", argc, argv, 0, trammel::bench::run);
}
