// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A controller in C++ whose run is recorded for the viewer: the Aquarobot walks by the tripod gait of example 20.
//
//   walk MODEL RECORDING [seconds]

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "../20_walking_robot/tripod_gait.hpp"

using namespace trammel;

namespace {

// "leg3 knee1" … : where each servo stands among the controls.
std::size_t place_of(const Mechanism& robot, std::size_t leg, const char* joint) {
  const std::string name = "leg" + std::to_string(leg + 1) + " " + joint;
  std::size_t place = 0;
  while (robot.actuators.at(place).settings.name != name) ++place;
  return place;
}

RecordingHeader header_of(const Model& model, const Mechanism& robot, const ChannelReader& channels) {
  RecordingHeader header;
  header.model_name = model.name;
  header.model_file = model.file;
  header.model_text = write_yaml(model);
  header.model_hash = hash_of(header.model_text);
  header.trammel_version = version();
  header.q_names = coordinate_names(robot);
  header.v_names = freedom_names(robot);
  header.channels = channels.channels();
  return header;
}

int walk(const Model& model, const Mechanism& robot, const std::string& path, double seconds) {
  const TripodGait gait(*robot.contacts.terrain, {});
  const char* const joints[] = {"hip", "knee1", "knee2"};
  SimulationOptions options{.until = seconds, .step = 0.003, .integrator = Integrator::implicit, .record_every = 0.03};
  options.controller.period = 0.021;
  options.controller.update = [&](const Moment& now, std::span<double> controls) {
    const auto targets = gait.targets(now.t);
    for (std::size_t leg = 0; leg < 6; ++leg) {
      for (std::size_t k = 0; k < 3; ++k) controls[place_of(robot, leg, joints[k])] = targets[leg][k];
    }
  };
  const ChannelReader channels(robot, {"coordinates", "velocities", "forces", "points", "energy", "contacts"});
  RecordingFile file = RecordingFile::create(path, header_of(model, robot, channels));
  std::vector<double> row(channels.channels().size());
  std::optional<Simulation> simulation;
  options.record = [&](const Moment&) {
    channels.read(*simulation, row);
    file.append(row);
  };
  options.on_event = [&](const RecordedEvent& event) { file.add(event); };
  simulation.emplace(robot, options);
  const SimulationReport report = simulation->run();
  file.finish(std::string(keyword(report.status)));
  if (!report.ok()) {
    std::printf("%s\n", report.text.c_str());
    return 1;
  }
  std::printf("walked %.1f m in %.0f s\n", simulation->state().q[4], report.t);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: walk MODEL RECORDING [seconds]\n", stderr);
    return 2;
  }
  const ReadResult read = read_model(argv[1]);
  const CompileResult compiled = compile(read.model);
  if (!read.ok() || !compiled.ok()) {
    std::fputs((read.diagnostics.to_string() + compiled.diagnostics.to_string()).c_str(), stderr);
    return 2;
  }
  try {
    return walk(read.model, compiled.mechanism, argv[2], argc > 3 ? std::atof(argv[3]) : 56);
  } catch (const RecordingError& wrong) {
    std::fprintf(stderr, "%s\n  fix: %s\n", wrong.what(), wrong.fix().c_str());
    return 2;
  }
}
