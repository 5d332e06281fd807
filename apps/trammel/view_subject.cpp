// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "view_subject.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <trammel/simulation.hpp>

#include "check_mobility.hpp"

namespace trammel::tool {

bool is_recording(const std::string& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(begin.data(), begin.size())) return std::filesystem::path(path).extension() == ".h5";
  return std::string_view(begin.data(), begin.size()) == signature;
}

std::optional<Subject> read_recorded(const std::string& path, Diagnostics& problems) {
  Subject subject;
  try {
    subject.recording = read_recording(path);
  } catch (const RecordingError& wrong) {
    problems.error({}, wrong.id(), wrong.what(), wrong.fix());
    return std::nullopt;
  }
  const RecordingHeader& header = subject.recording->header;
  const std::string name = header.model_file.empty() ? path : header.model_file;
  ReadResult read =
      read_yaml(header.model_text, name, {.max_bytes = std::max<std::size_t>(4U << 20, header.model_text.size())});
  if (!read.ok()) {
    problems.error({}, "recording-model", fmt::format("{}: the model in it cannot be read", path),
                   "it may be of another version of trammel: simulate the model again");
    return std::nullopt;
  }
  subject.loaded.model = std::move(read.model);
  CompileOptions options{.for_dynamics = false};
  for (const Joint& joint :
       subject.loaded.model.joints) {  // those with coordinates in the file are in the tree, the others close loops
    if (std::holds_alternative<Fixed>(joint.type)) continue;
    const std::string start = joint.name + ".";
    const auto is_recorded = [&](const std::string& q) { return q.starts_with(start); };
    const bool in_tree = std::any_of(header.q_names.begin(), header.q_names.end(), is_recorded);
    (in_tree ? options.keep : options.cut).push_back(joint.name);
  }
  CompileResult compiled = compile(subject.loaded.model, options);
  if (!compiled.ok()) {
    problems.error({}, "recording-model", fmt::format("{}: the model in it cannot be compiled", path),
                   "it may be of another version of trammel: simulate the model again");
    return std::nullopt;
  }
  subject.loaded.mechanism = std::move(compiled.mechanism);
  return subject;
}

SceneTexts texts_of(const Subject& subject, const std::string& file) {
  SceneTexts texts{.file = std::filesystem::path(file).filename().string()};
  texts.found_meshes = subject.loaded.found_meshes;
  const Mechanism& mech = subject.loaded.mechanism;
  const Mechanism first = before_captures(mech);
  const MobilityFacts facts = find_facts(first);
  const int freedoms = first.is_tree()  ? first.nv
                       : facts.mobility ? facts.mobility->here - facts.mobility->idle
                                        : facts.grubler_spatial;
  texts.mobility = !facts.closes() ? "cannot close"
                   : freedoms <= 0 ? "locked: no degree of freedom"
                                   : fmt::format("{} degree{} of freedom", freedoms, freedoms == 1 ? "" : "s");
  std::string line;
  for (const char c : mobility_text(first, facts)) {  // without its margin
    if (c == ' ' && (line.empty() || line.back() == '\n')) continue;
    line += c;
  }
  while (!line.empty() && line.back() == '\n') line.pop_back();
  texts.mobility_detail = line;
  for (const Diagnostic& d : subject.loaded.diagnostics.all()) {
    if (d.severity == Severity::warning) {
      texts.warnings.push_back(d.fix.empty() ? d.what : fmt::format("{}; {}", d.what, d.fix));
    }
  }
  return texts;
}

DrawnPosition initial_position(const Mechanism& mech) {
  std::vector<double> q = initial_state(mech).q;
  LoopSolver solver(mech);
  if (!mech.is_tree()) {
    std::vector<double> closed = q;
    if (solver.assemble(closed, {}).closed()) q = closed;
  }
  Workspace ws(mech);
  compute_positions(mech, ws, q);
  DrawnPosition position;
  for (int b = 0; b < mech.body_count(); ++b) position.X_WB.push_back(pose_WB(mech, ws, b));
  return position;
}

}  // namespace trammel::tool
