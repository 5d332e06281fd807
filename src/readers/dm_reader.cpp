// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The DynaMechs reader, from files to model: a robot file by itself, or a simulation file with the robots and the environment that it names.
//                                                                                            docs/formats/dynamechs.md

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "readers/dm_reading.hpp"
#include "readers/load_file.hpp"
#include "readers/yaml_text.hpp"

namespace trammel::readers::dm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "# DynaMechs V";
constexpr std::size_t most_robots = 100;

bool has(const Block& top, std::initializer_list<std::string_view> names) {
  return std::any_of(top.parameters.begin(), top.parameters.end(),
                     [&](const Parameter& p) { return std::find(names.begin(), names.end(), p.name) != names.end(); });
}

class Simulation {
 public:
  Simulation(const std::string& file, const ReadOptions& options, const LoadText& load)
      : file_(file), options_(options) {
    result_.format = Format::dynamechs;
    result_.model.file = file;
    result_.model.name = fs::path(file).stem().string();
    source_.folder = fs::path(file).parent_path().string();
    source_.max_bytes = options.max_bytes;
    source_.load = load;
  }

  ReadResult run(std::string_view text) {
    if (check_encoding(text, options_.max_bytes, messages_)) read(without_bom(text));
    result_.diagnostics = messages_.finish(file_);
    for (const auto& [file, messages] : of_files_) result_.diagnostics.append(messages.finish(file));
    result_.included = source_.included;
    return std::move(result_);
  }

 private:
  const std::string& file_;
  const ReadOptions& options_;
  ReadResult result_;
  Messages messages_;
  std::vector<std::pair<std::string, Messages>> of_files_;
  Source source_;
  Shared shared_{result_.model};

  void read(std::string_view text) {
    if (text.starts_with(mark)) return read_robot(shared_, text, true, messages_);
    Messages trial;  // a file of another kind is not scolded for its braces
    const Document document = parse(text, trial, [](const Block&) { return false; });
    const Block& top = document.top;
    const auto has_block = [&](std::string_view name) {
      return std::any_of(top.blocks.begin(), top.blocks.end(), [name](const Block& b) { return b.name == name; });
    };
    if (has(top, {"Robot_Parameter_File", "Integration_Stepsize", "Environment_Parameter_File"})) {
      if (document.is_whole) return read_simulation(top);
      parse(text, messages_, [](const Block&) { return false; });
    } else if (has(top, {"Gravity_Vector", "Terrain_Data_Filename", "Ground_Normal_Spring_Constant"})) {
      messages_.error(
          {1, 1}, "dm-no-robot", "this is an environment, without a mechanism",
          "read a simulation file that names it by Environment_Parameter_File, beside a Robot_Parameter_File");
    } else if (has_block("Articulation") || has_block("ClosedArticulation") || has_block("System")) {
      messages_.error({1, 1}, "dm-version", "the first line does not say the version",
                      "begin the file with # DynaMechs V 4.0 ascii");
    } else {
      messages_.error({1, 1}, "dm-no-robot",
                      "this is no DynaMechs file: neither its first line nor its parameters are those of one",
                      "a robot begins with # DynaMechs V 4.0 ascii; a simulation has a Robot_Parameter_File");
    }
  }

  void read_simulation(const Block& top) {
    Fields fields(top, "the simulation", messages_);
    for (const Block& block : top.blocks) {
      messages_.error(block.where, "dm-block", fmt::format("{} does not stand in a simulation file", quote(block.name)),
                      "it has parameters only; links stand in robot files");
    }
    read_step(fields);
    const auto environment = fields.text("Environment_Parameter_File");
    const SourceLocation environment_at =
        environment ? fields.find("Environment_Parameter_File")->where : SourceLocation{};
    fields.find("Robot_Parameter_File");
    read_robots(top);
    if (environment) read_environment_file(*environment, environment_at);
    choose_integrator();
    for (const char* key : {"Display_Update_Rate", "Control_Stepsize", "Data_Save_Directory"}) {
      if (const Parameter* found = fields.find(key)) {
        messages_.warning(found->where, "dm-left-out", fmt::format("{} is left out", key),
                          "it is for another program; delete it");
      }
    }
    tell_unread(top, fields);
  }

  // Several robots are several parameters of one name.
  void tell_unread(const Block& top, Fields& fields) {
    Block others = top;
    std::erase_if(others.parameters, [](const Parameter& p) { return p.name == "Robot_Parameter_File"; });
    Fields rest(others, fields.subject(), messages_);
    for (const char* key : {"Integration_Stepsize", "Environment_Parameter_File", "Display_Update_Rate",
                            "Control_Stepsize", "Data_Save_Directory"}) {
      rest.find(key);
    }
    rest.tell_unread();
  }

  void read_step(Fields& fields) {
    const auto step = fields.number("Integration_Stepsize");
    if (!step) return;
    if (!(*step > 0)) {
      messages_.error(fields.find("Integration_Stepsize")->where, "number-out-of-range",
                      fmt::format("{} is {}", fields.what("Integration_Stepsize"), shortest(*step)),
                      "give a time above 0, in s");
      return;
    }
    result_.model.simulate.step = *step;
    result_.model.simulate.where = fields.find("Integration_Stepsize")->where;
  }

  // Stiff ground at the steps of DynaMechs' files needs the implicit one.
  void choose_integrator() {
    Model& model = result_.model;
    if (!model.simulate.step) return;
    model.simulate.integrator =
        model.terrain.kind != Terrain::Kind::none && !model.contacts.empty() ? "implicit" : "rk4";
  }

  void read_robots(const Block& top) {
    std::size_t count = 0;
    for (const Parameter& p : top.parameters) {
      if (p.name != "Robot_Parameter_File") continue;
      if (p.values.size() != 1 || p.values[0].kind != Value::Kind::text) {
        messages_.error(p.where, "dm-text", "Robot_Parameter_File of the simulation is not a text in quotes",
                        "write Robot_Parameter_File \"…\"");
        continue;
      }
      if (++count > most_robots) {
        messages_.error(p.where, "dm-too-many", fmt::format("the simulation names more than {} robots", most_robots),
                        "build larger models in C++");
        return;
      }
      read_robot_file(std::string(p.values[0].text), p.where);
    }
    if (count == 0 && !messages_.has_errors()) {
      messages_.error({1, 1}, "dm-no-robot", "the simulation names no robot", "add Robot_Parameter_File \"…\"");
    }
  }

  void read_robot_file(const std::string& name, SourceLocation where) {
    std::string path, text;
    if (!source_.get(name, "robot", where, options_.max_bytes, path, text, messages_)) return;
    const std::string_view inside = without_bom(text);
    if (!inside.starts_with(mark)) {
      messages_.error(where, "dm-version",
                      fmt::format("the first line of the robot file {} does not say the version", quote(name)),
                      "begin that file with # DynaMechs V 4.0 ascii");
      return;
    }
    of_files_.emplace_back(path, Messages{});
    read_robot(shared_, inside, false, of_files_.back().second);
  }

  void read_environment_file(const std::string& name, SourceLocation where) {
    std::string path, text;
    if (!source_.get(name, "environment", where, options_.max_bytes, path, text, messages_)) return;
    of_files_.emplace_back(path, Messages{});
    Source beside = source_;
    beside.folder = fs::path(path).parent_path().string();
    read_environment(shared_, without_bom(text), beside, of_files_.back().second);
    source_.included = beside.included;
  }
};

}  // namespace

ReadResult read_with(std::string_view text, const std::string& file, const ReadOptions& options, const LoadText& load) {
  return Simulation(file, options, load).run(text);
}

}  // namespace trammel::readers::dm

namespace trammel {

ReadResult read_dynamechs(std::string_view text, const std::string& file, const ReadOptions& options) {
  using namespace readers;  // NOLINT(google-build-using-namespace): the private half of this file's own layer
  return dm::read_with(text, file, options,
                       [](const std::string& path, std::size_t max_bytes, std::string& into, Messages& messages) {
                         // Whoever wrote the file chose the path: nothing but plain files is opened.
                         std::error_code error;
                         if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
                           messages.error({}, "file-unreadable", "this is no plain file", "name a file");
                           return false;
                         }
                         return load_file(path, max_bytes, into, messages);
                       });
}

}  // namespace trammel
