// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Whole implicit steps of the Aquarobot with its 54 contact points: 28 bodies, 45 freedoms, 18 motors with dry friction, a floor of heights, steps
// of 3 ms, one thread. Standing, walking by the tripod gait (its controller included), and falling far above the ground; on land, and
// on the sea floor in a current with all hydrodynamics. Prints a table and writes <date>_<cpu>_contact.csv.

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/readers.hpp>
#include <trammel/tripod_gait.hpp>
#include <trammel/version.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"
#include "stopwatch.hpp"

namespace trammel::bench {
namespace {

constexpr double step = 0.003;  // s
constexpr int piece = 20;       // steps

class Robot {
 public:
  enum class Task { stands, walks, falls };
  Robot(const Mechanism& mech, Task task) {
    SimulationOptions options{.until = 1e9, .step = step, .integrator = Integrator::implicit, .record_every = 1e9};
    if (task == Task::walks) options.controller = TripodGait(mech, {}).controller(7 * step);
    State start = initial_state(mech);
    if (task == Task::falls) start.q[6] += 1e6;
    simulation_ = std::make_unique<Simulation>(mech, options, start);
    pieces_ = 50;
    last_ = simulation_->run(step * piece * pieces_);
  }

  void go_on() {
    const SimulationReport now = simulation_->run(step * piece * ++pieces_);
    if (!now.ok()) throw std::runtime_error(now.text);
    passes += now.contact_passes - last_.contact_passes;
    steps += now.steps - last_.steps;
    last_ = now;
  }
  int touching() {
    int count = 0;
    for (const ContactState& c : simulation_->contacts()) count += c.mode == ContactState::Mode::open ? 0 : 1;
    return count;
  }
  std::uint64_t passes = 0, steps = 0;

 private:
  std::unique_ptr<Simulation> simulation_;
  SimulationReport last_;
  long pieces_ = 0;
};

void time_model(const std::string& model, double seconds, CsvFile& csv) {
  const ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + model + ".yaml");
  const Mechanism mech = compile(read.model).mechanism;
  Robot stands(mech, Robot::Task::stands), walks(mech, Robot::Task::walks), falls(mech, Robot::Task::falls);
  const auto job = [](Robot& it) {
    return tool::Job{[&it](int, int count) {
      while (count-- > 0) it.go_on();
    }};
  };
  const std::vector<tool::Timing> times =
      tool::time_in_turns({job(stands), job(walks), job(falls)}, {.seconds_per_job = seconds, .slice = 1e-4});
  struct Line {
    const char* task;
    Robot* robot;
    tool::Timing timing;
  };
  fmt::print("{}, {} contact points, implicit steps of {} s\n\n{:<8} {:>9} {:>12} {:>9} {:>9} {:>16}\n", mech.name,
             mech.contacts.pairs.size(), step, "", "touching", "passes/step", "us/step", "median", "times real time");
  for (const Line& line :
       {Line{"stands", &stands, times[0]}, Line{"walks", &walks, times[1]}, Line{"falls", &falls, times[2]}}) {
    const double us = line.timing.least_ns / piece / 1e3, median = line.timing.median_ns / piece / 1e3;
    const double passes = static_cast<double>(line.robot->passes) / static_cast<double>(line.robot->steps);
    fmt::print("{:<8} {:>9} {:>12.2f} {:>9.2f} {:>9.2f} {:>16.0f}\n", line.task, line.robot->touching(), passes, us,
               median, step * 1e6 / us);
    csv.add({today(), cpu_name(), fmt::format("{:.2f}", clock_ghz()), std::string(kernel_level()), compilers(),
             std::string(version()), mech.name, line.task, std::to_string(line.robot->touching()),
             fmt::format("{:.2f}", passes), fmt::format("{:.2f}", us), fmt::format("{:.2f}", median),
             fmt::format("{:.0f}", step * 1e6 / us)});
  }
  fmt::print("\n");
}

int run(const std::string& folder, double seconds) {
  const std::string path = results_path(folder, "_contact");
  CsvFile csv(path, {"date", "cpu", "clock_ghz", "kernel_level", "compiler", "trammel", "model", "task",
                     "points_touching", "passes_per_step", "us_per_step", "us_per_step_median", "times_real_time"});
  time_model("aquarobot_walking", seconds, csv);
  time_model("aquarobot_sea_floor", seconds, csv);
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("contact_bench", argc, argv, 2, trammel::bench::run);
}
