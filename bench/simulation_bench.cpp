// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Motion over time: the 7-axis arm with a position servo on every joint that follows a sine, RK4 in steps of 1 ms, one thread. With and
// without a recording on disk (HDF5, the channels that the tool records unless told otherwise, every step), beside MuJoCo's RK4 with the
// same servos in the same run. They take turns in pieces of 0.1 s of simulated time. Prints a table and writes
// <date>_<cpu>_simulation.csv.

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <trammel/batch.hpp>
#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>
#include <trammel/version.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"
#include "peer/mjcf_of_model.hpp"
#include "peer/servo_arm.hpp"
#include "peers/scene.hpp"
#include "stopwatch.hpp"

namespace trammel::bench {
namespace {

constexpr double step = 1e-3, piece = 0.1;  // s
constexpr double pose[] = {0.2, -0.4, 0.3, -1.5, 0.1, 1.2, 0.5};

// Stops are there and watched, and not reached; MuJoCo goes without.
Model arm_with_servos() {
  return test::with_servos(test::fit_for_peers(shipped("arm7")), {std::begin(pose), std::end(pose)},
                           {.stiffness = 400, .damping = 40, .far_stiffness = 40, .far_damping = 2});
}

State start_of(const Mechanism& mech) {
  State state = design_state(mech);
  std::copy(std::begin(pose), std::end(pose), state.q.begin());
  return state;
}

// A simulation that goes on piece by piece, and may record.
class Ours {
 public:
  Ours(const Model& model, Integrator integrator, std::string file)
      : mech_(compile(model).mechanism), path_(std::move(file)) {
    SimulationOptions options{.until = 1e9, .step = step, .integrator = integrator};
    if (!path_.empty()) {
      reader_.emplace(mech_, usual_channel_groups());
      row_.resize(reader_->channels().size());
      RecordingHeader header;
      header.model_name = model.name;
      header.channels = reader_->channels();
      file_.emplace(RecordingFile::create(path_, header));
      options.record = [this](const Moment&) {
        reader_->read(*simulation_, row_);
        file_->append(row_);
        file_->flush_if_due();
      };
    }
    simulation_.emplace(mech_, options, start_of(mech_));
  }
  ~Ours() {
    if (file_) file_->finish("done");
    if (!path_.empty()) std::filesystem::remove(path_);
  }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;

  void go_on() {
    if (!simulation_->run(piece * ++pieces_).ok()) throw std::runtime_error("the simulation stopped");
  }
  const State& state() const { return simulation_->state(); }
  std::size_t channels() const { return row_.size(); }

 private:
  Mechanism mech_;
  std::string path_;
  std::optional<ChannelReader> reader_;
  std::vector<double> row_;
  std::optional<RecordingFile> file_;
  std::optional<Simulation> simulation_;
  int pieces_ = 0;
};

class Mujoco {
 public:
  explicit Mujoco(const Model& model) : peer_(model) {
    mjModel* m = peer_.model();
    m->opt.integrator = mjINT_RK4;
    m->opt.timestep = step;
    m->opt.disableflags |= mjDSBL_CONTACT;
    m->opt.enableflags = 0;  // no energy
    const Mechanism mech = compile(model).mechanism;
    const State start = start_of(mech);
    const Eigen::VectorXd q = peer_.map(mech, start.q, start.v).q;
    std::copy(q.data(), q.data() + q.size(), peer_.data()->qpos);
    mjcb_control = test::follow_servo_waves;
  }
  ~Mujoco() { mjcb_control = nullptr; }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  void go_on() {
    for (int i = 0; i < static_cast<int>(std::lround(piece / step)); ++i) mj_step(peer_.model(), peer_.data());
  }
  double q(int i) const { return peer_.data()->qpos[i]; }

 private:
  test::MujocoPeer peer_;
};

struct Line {
  std::string who, recording;
  tool::Timing timing;
};

// How far ours and MuJoCo's are apart after one second, both with the same rule and step.
double difference_after_1s(const Model& model) {
  Ours ours(model, Integrator::rk4, "");
  Mujoco mujoco(model);
  for (int i = 0; i < 10; ++i) ours.go_on(), mujoco.go_on();
  double largest = 0;
  for (int i = 0; i < 7; ++i) {
    largest = std::max(largest, std::abs(ours.state().q[static_cast<std::size_t>(i)] - mujoco.q(i)));
  }
  return largest;
}

int run(const std::string& folder, double seconds) {
  const Model model = arm_with_servos();
  const double difference = difference_after_1s(model);
  const std::string scratch =
      (std::filesystem::temp_directory_path() / fmt::format("trammel_bench_{}.h5", getpid())).string();
  Ours plain(model, Integrator::rk4, ""), recording(model, Integrator::rk4, scratch);
  Ours semi(model, Integrator::semi_implicit, ""), implicit(model, Integrator::implicit, "");
  Mujoco mujoco(model);
  const auto job = [](auto& it) {
    return tool::Job{[&it](int, int count) {
      while (count-- > 0) it.go_on();
    }};
  };
  const std::vector<tool::Timing> times = tool::time_in_turns(
      {job(plain), job(recording), job(mujoco), job(semi), job(implicit)}, {.seconds_per_job = seconds, .slice = 1e-4});
  const std::vector<Line> lines{{"trammel rk4", "off", times[0]},
                                {"trammel rk4", "on", times[1]},
                                {"MuJoCo RK4", "off", times[2]},
                                {"trammel semi-implicit", "off", times[3]},
                                {"trammel implicit", "off", times[4]}};
  const double steps = piece / step;
  const std::string path = results_path(folder, "_simulation");
  CsvFile csv(path, {"date", "cpu", "clock_ghz", "kernel_level", "compiler", "trammel", "mujoco", "model", "step_s",
                     "implementation", "recording", "channels", "ns_per_step", "ns_per_step_median", "times_real_time",
                     "mujoco_over_this", "difference_after_1s"});
  fmt::print(
      "arm7, {} servos, steps of {} s; ours and MuJoCo differ by {:.1e} rad after 1 s\n\n{:<22} {:>9} {:>9} {:>9} "
      "{:>15} {:>13}\n",
      model.actuators.size(), step, difference, "", "recording", "ns/step", "median", "times real time",
      "MuJoCo / this");
  for (const Line& line : lines) {
    const double ns = line.timing.least_ns / steps, median = line.timing.median_ns / steps;
    const double ratio = times[2].least_ns / line.timing.least_ns;
    fmt::print("{:<22} {:>9} {:>9.0f} {:>9.0f} {:>15.0f} {:>13.2f}\n", line.who, line.recording, ns, median,
               step * 1e9 / ns, ratio);
    csv.add({today(), cpu_name(), fmt::format("{:.2f}", clock_ghz()), std::string(kernel_level()), compilers(),
             std::string(version()), mj_versionString(), "arm7", fmt::format("{}", step), line.who, line.recording,
             line.recording == "on" ? std::to_string(recording.channels()) : "0", fmt::format("{:.0f}", ns),
             fmt::format("{:.0f}", median), fmt::format("{:.0f}", step * 1e9 / ns), fmt::format("{:.2f}", ratio),
             fmt::format("{:.1e}", difference)});
  }
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("simulation_bench", argc, argv, 2, trammel::bench::run);
}
