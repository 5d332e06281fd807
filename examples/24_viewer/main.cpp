// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A controller in C++ whose run is recorded for the viewer: the Aquarobot walks by the tripod gait of example 20.
//
//   walk MODEL RECORDING [seconds]

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include <trammel/trammel.hpp>

using namespace trammel;

namespace {

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
  const TripodGait gait(robot, {});
  SimulationOptions options{.until = seconds, .step = 0.003, .integrator = Integrator::implicit, .record_every = 0.03};
  options.controller = gait.controller(0.021);
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
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 2;
  }
}
