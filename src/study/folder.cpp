// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A study on disk:
//
//   plan.yaml, model.yaml, scenario.yaml   copies, and the files that the model names beside them
//   study.json                             the hash of all that, and how many tasks there are
//   journals/shard-2-of-6.journal          what each shard has done (journal.hpp)

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/recording.hpp>
#include <trammel/study.hpp>
#include <trammel/version.hpp>

namespace trammel {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  std::error_code none;
  fs::create_directories(path.parent_path(), none);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw StudyError(fmt::format("{} cannot be written", path.string()), "is the disk full, or the folder not yours?",
                     "study-folder");
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw StudyError(fmt::format("{} cannot be read", path.string()),
                     "make the folder again: trammel study plan PLAN -o FOLDER", "study-folder");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

// Each text with its name and length before it, so that nothing can move from one into the next unseen.
std::string StudyPlan::hash() const {
  std::string all = "trammel-study 1\n";
  const auto add = [&](std::string_view what, const std::string& content) {
    all += fmt::format("{} {}\n", what, content.size());
    all += content;
  };
  add("plan", text);
  add("model", model_text);
  add("scenario", scenario_text);
  for (const auto& [name_of_file, content] : data) add("data " + name_of_file, content);
  return hash_of(all);
}

void freeze_study(const StudyPlan& plan, const std::string& folder) {
  const fs::path root(folder);
  const std::string hash = plan.hash();
  if (fs::exists(root / "study.json")) {
    if (open_study(folder).hash == hash) return;
    throw StudyError(fmt::format("{} holds another study", folder), "give it another folder: a plan never changes",
                     "study-other-plan");
  }
  if (fs::exists(root) && (!fs::is_directory(root) || !fs::is_empty(root))) {
    throw StudyError(fmt::format("{} is there already, and is no study", folder), "give it another folder",
                     "study-folder");
  }
  write_text(root / "plan.yaml", plan.text);
  write_text(root / "model.yaml", plan.model_text);
  if (plan.run == StudyRun::impact) write_text(root / "scenario.yaml", plan.scenario_text);
  for (const auto& [name, content] : plan.data) write_text(root / name, content);
  fs::create_directories(root / "journals");
  nlohmann::ordered_json about{{"trammel-study", 1},
                               {"name", plan.name},
                               {"hash", hash},
                               {"tasks", plan.task_count()},
                               {"model", plan.model_file},
                               {"scenario", plan.scenario_file},
                               {"data", nlohmann::ordered_json::array()},
                               {"version", std::string(version())}};
  for (const auto& entry : plan.data) about["data"].push_back(entry.first);
  write_text(root / "study.json", about.dump(1) + "\n");  // last: a folder without it is no study
}

Study open_study(const std::string& folder) {
  const fs::path root(folder);
  if (!fs::exists(root / "study.json")) {
    throw StudyError(fmt::format("{} is no folder of a study", folder),
                     "make one with: trammel study plan PLAN -o FOLDER", "study-folder");
  }
  const nlohmann::json about = nlohmann::json::parse(read_text(root / "study.json"), nullptr, false);
  if (!about.is_object() || !about.contains("hash") || !about["hash"].is_string())
    throw StudyError(fmt::format("{}/study.json is damaged", folder), "make the folder again", "study-changed");
  StudyPlan given;
  given.model_path = (root / "model.yaml").string();
  given.model_text = read_text(root / "model.yaml");
  if (fs::exists(root / "scenario.yaml")) given.scenario_text = read_text(root / "scenario.yaml");
  for (const auto& name : about.value("data", nlohmann::json::array()))
    given.data[name.get<std::string>()] = read_text(root / name.get<std::string>());
  StudyPlanResult read = read_study_plan(read_text(root / "plan.yaml"), (root / "plan.yaml").string(), given);
  const std::string hash = read.plan.hash();
  if (hash != about["hash"].get<std::string>()) {
    throw StudyError(fmt::format("the plan, the model or another file of {} was changed after the study began", folder),
                     "undo that, or make a study of its own: trammel study plan PLAN -o OTHER_FOLDER", "study-changed");
  }
  if (!read.ok())
    throw StudyError(read.diagnostics.to_string(), "this version of trammel reads the plan differently",
                     "study-changed");
  return {folder, std::move(read.plan), hash};
}

}  // namespace trammel
