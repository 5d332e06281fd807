// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel convert: the same mechanism in another format. What the other format cannot say is a warning each; what would
// make it another mechanism is an error, and nothing is written then.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output_file.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct ConvertOptions {
  std::string model, output, to;
  ReadOptions read;
  bool si = false, force = false, json = false;

  bool to_standard_output() const { return output.empty() || is_standard_output(output); }
  bool from_standard_input() const { return model == "-"; }
  std::string start_of_paths() const { return from_standard_input() ? "the current folder" : "the folder of " + model; }
};

const FormatWord& words_of(Format format) {
  return *std::find_if(format_words.begin(), format_words.end(),
                       [&](const FormatWord& w) { return w.format == format; });
}

// --- the format that is asked for -----------------------------------------------------------------------------------

std::optional<Format> format_of_extension(std::string extension) {
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".yaml" || extension == ".yml") return Format::native;
  if (extension == ".urdf") return Format::urdf;
  if (extension == ".xml" || extension == ".mjcf") return Format::mjcf;
  return std::nullopt;
}

// The name of a format that is read but not written; empty where the extension is none of theirs.
std::string title_of_read_only(std::string extension) {
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".kam" ? "KAM" : extension == ".dm" ? "DynaMechs" : "";
}

// --to, else the extension of the file to be written; the two must not contradict each other, or the file could not be
// read again. An .xml file may hold a URDF too.
std::optional<Format> choose_format(const ConvertOptions& options, Diagnostics& diagnostics) {
  const std::string extension = options.to_standard_output() ? "" : fs::path(options.output).extension().string();
  const std::optional<Format> meant = format_of_extension(extension), asked = format_of_word(options.to);
  const bool urdf_as_xml = asked == Format::urdf && meant == Format::mjcf && extension != ".mjcf";
  if (asked && meant && asked != meant && !urdf_as_xml) {
    diagnostics.error({}, "output-format",
                      fmt::format("--to {} asks for {}, the extension '{}' for {}", options.to, words_of(*asked).title,
                                  extension, words_of(*meant).title),
                      "leave out --to, or give the file another extension");
    return std::nullopt;
  }
  if (asked) return asked;
  if (meant) return meant;
  if (const std::string title = title_of_read_only(extension); !title.empty()) {
    diagnostics.error({}, "output-format", title + " is read, not written",
                      "write native YAML: give the file the extension .yaml");
    return std::nullopt;
  }
  diagnostics.error({}, "output-format",
                    options.to_standard_output() ? std::string("it is not said which format is to be written")
                    : extension.empty() ? fmt::format("'{}' has no extension that tells its format", options.output)
                                        : fmt::format("no format is known by the extension '{}'", extension),
                    "give --to yaml, urdf or mjcf, or -o FILE with the extension .yaml, .urdf or .xml");
  return std::nullopt;
}

// --- paths of meshes --------------------------------------------------------------------------------------------------

// Neither package://… and other addresses, nor absolute, also as another system writes it (C:\…).
bool is_relative_path(const std::string& mesh) {
  const bool has_drive = mesh.size() > 1 && mesh[1] == ':' && std::isalpha(static_cast<unsigned char>(mesh[0])) != 0;
  return !mesh.empty() && mesh.find("://") == std::string::npos && !has_drive && !fs::path(mesh).is_absolute();
}

template <class Change>
void each_mesh(Model& model, const Change& change) {
  for (Body& body : model.bodies) {
    for (std::vector<Shape>* shapes : {&body.visuals, &body.collisions}) {
      for (Shape& shape : *shapes) {
        if (shape.kind == Shape::Kind::mesh) change(shape);
      }
    }
  }
}

template <class Change>
void each_relative_mesh(Model& model, const Change& change) {
  each_mesh(model, [&](Shape& shape) {
    if (is_relative_path(shape.mesh)) change(shape);
  });
}

void warn_of_mesh_paths(Model& model, const std::string& what, const std::string& fix, Diagnostics& diagnostics) {
  const Shape* first = nullptr;
  int count = 0;
  each_relative_mesh(model, [&](const Shape& shape) { ++count, first = first == nullptr ? &shape : first; });
  if (first == nullptr) return;
  const std::string more = count == 1 ? "" : fmt::format(" and {} more", count - 1);
  diagnostics.warning(first->where, "mesh-path", fmt::format("{}: '{}'{}", what, first->mesh, more), fix);
}

fs::path folder_of(const std::string& file, std::error_code& error) {
  const fs::path folder = fs::path(file).parent_path();
  return fs::canonical(folder.empty() ? fs::path(".") : folder, error);
}

// MuJoCo knows plain paths only: where package:// led to a file, its path stands instead, from the folder of the model.
void replace_addresses(const ConvertOptions& options, const std::map<std::string, std::string>& found, Model& model) {
  std::error_code wrong;
  const fs::path from = folder_of(options.model, wrong);
  if (wrong) return;
  each_mesh(model, [&](Shape& shape) {
    const auto at = found.find(shape.mesh);
    if (at == found.end()) return;
    if (shape.mesh.starts_with("file:")) {
      shape.mesh = at->second;  // absolute, and so it stays
      return;
    }
    std::error_code wrong_folder;
    const fs::path folder = folder_of(at->second, wrong_folder);
    if (!wrong_folder) {
      shape.mesh = (folder / fs::path(at->second).filename()).lexically_relative(from).generic_string();
    }
  });
}

// A relative path begins at the folder of the model file: it is written anew when the output lies elsewhere.
void move_meshes(const ConvertOptions& options, Model& model, Diagnostics& diagnostics) {
  std::error_code error;
  if (options.to_standard_output() || fs::is_other(options.output, error)) {
    warn_of_mesh_paths(model, fmt::format("paths of meshes still begin at {}", options.start_of_paths()),
                       "give -o FILE, whose folder they will begin at", diagnostics);
    return;
  }
  std::error_code wrong_from, wrong_to;
  const fs::path from = folder_of(options.model, wrong_from), to = folder_of(options.output, wrong_to);
  if (wrong_from || wrong_to) {
    warn_of_mesh_paths(
        model, fmt::format("paths of meshes begin at {}, which cannot be found from here", options.start_of_paths()),
        "correct them in the file that is written", diagnostics);
    return;
  }
  if (from == to) return;
  each_relative_mesh(model, [&](Shape& shape) {
    shape.mesh = (from / shape.mesh).lexically_normal().lexically_relative(to).generic_string();
  });
}

// --- the verb ---------------------------------------------------------------------------------------------------------

bool is_output(const ConvertOptions& options, const std::string& file) {
  std::error_code error;
  return !options.to_standard_output() && fs::equivalent(file, options.output, error) && !error;
}

WriteResult write(const Model& model, Format format, bool si) {
  if (format == Format::urdf) return write_urdf(model);
  if (format == Format::mjcf) return write_mjcf(model);
  return {write_yaml(model, si), {}};
}

struct Converted {
  Model model;
  Format from = Format::native, to = Format::native;
  std::string text;
  Diagnostics diagnostics;

  bool ok() const { return !diagnostics.has_errors(); }
};

// The readers' limits of size are met by large files only; those are read back.
void warn_if_too_large(Converted& converted) {
  constexpr std::size_t large = 500'000;  // bytes
  if (!converted.ok() || converted.text.size() < large) return;
  const auto read = converted.to == Format::urdf ? read_urdf : converted.to == Format::mjcf ? read_mjcf : read_yaml;
  const ReadResult back = read(converted.text, "", {});
  for (const Diagnostic& d : back.diagnostics.all()) {
    if (d.severity != Severity::error) continue;
    converted.diagnostics.warning({}, "written-too-large",
                                  fmt::format("trammel itself cannot read what is written: {}", d.what), d.fix);
    return;
  }
}

Converted convert(const ConvertOptions& options) {
  Converted result;
  const std::optional<Format> to = choose_format(options, result.diagnostics);
  if (!to) return result;
  result.to = *to;
  result.diagnostics.file = options.output;
  const auto refuse_to_overwrite = [&](const char* what) {
    result.diagnostics.error({}, "output-is-input", what, "name another file, or say --force");
  };
  if (!options.force && !options.from_standard_input() && is_output(options, options.model)) {
    refuse_to_overwrite("this file is the one to be converted");
    return result;
  }
  ReadResult read = read_with(options.model, options.read);
  for (const std::string& file : read.included) {
    if (!options.force && is_output(options, file)) refuse_to_overwrite("the model to be converted includes this file");
  }
  result.model = std::move(read.model);
  result.from = read.format;
  result.diagnostics.append(read.diagnostics);
  if (!result.ok()) return result;
  result.diagnostics.file = result.model.file;
  if (options.si && *to != Format::native) {
    result.diagnostics.warning({}, "option-no-effect",
                               fmt::format("--si has no effect: {} is always in SI", words_of(*to).title),
                               "leave it out");
  }
  if (*to == Format::mjcf) replace_addresses(options, read.found_meshes, result.model);
  move_meshes(options, result.model, result.diagnostics);
  WriteResult written = write(result.model, *to, options.si);
  result.diagnostics.append(written.diagnostics);
  result.text = std::move(written.text);
  warn_if_too_large(result);
  return result;
}

void put_in_place(const ConvertOptions& options, Converted& converted) {
  if (options.to_standard_output()) return;
  const std::string wrong = write_file(options.output, converted.text);
  if (wrong.empty()) return;
  converted.diagnostics.file = options.output;
  converted.diagnostics.error({}, "file-unwritable", fmt::format("the file cannot be written: {}", wrong),
                              "check the path, the permissions and the space on the disk");
}

ordered_json json_report(const ConvertOptions& options, const Converted& converted) {
  ordered_json report{{"status", "ok"},
                      {"name", converted.model.name},
                      {"file", options.model},
                      {"from", words_of(converted.from).word},
                      {"to", words_of(converted.to).word},
                      {"bodies", converted.model.bodies.size()},
                      {"joints", converted.model.joints.size()}};
  report[options.to_standard_output() ? "text" : "output"] =
      options.to_standard_output() ? converted.text : options.output;
  report["warnings"] = json_of(converted.diagnostics);
  return report;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_answer(const ConvertOptions& options, const Converted& converted) {
  if (options.json) {
    fmt::print("{}\n", json_report(options, converted).dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else if (options.to_standard_output()) {
    fmt::print("{}", converted.text);
  } else {
    fmt::print("{}: {}, {}, {}, {}\n", options.output, words_of(converted.to).title,
               counted(converted.model.bodies.size(), "body", "bodies"),
               counted(converted.model.joints.size(), "joint", "joints"),
               counted(converted.diagnostics.all().size(), "warning", "warnings"));
  }
}

int run_convert(const ConvertOptions& options) {
  Converted converted = convert(options);
  if (converted.ok()) put_in_place(options, converted);
  print(converted.diagnostics);
  if (!converted.ok()) {
    if (options.json) print_json_errors(converted.diagnostics);
    return bad_input;
  }
  print_answer(options, converted);
  return done;
}

}  // namespace

void add_convert(CommandLine& line) {
  Verb verb(line, "convert", "write a model in another format: native YAML, URDF, MJCF");
  auto options = std::make_shared<ConvertOptions>();
  verb.model(options->model);
  verb.option("-o,--output", options->output, "file to write; without it, standard output");
  verb.option("--to", options->to, "format; without it, by the extension of the file").one_of(list_formats(true));
  verb.flag("--si", options->si, "native YAML in SI units instead of the model's own");
  verb.flag("--force", options->force, "write over the model file itself if asked to");
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "Each thing that the other format cannot say is a warning on standard error. What would make it another\n"
      "mechanism is an error: nothing is written then.\n"
      "Examples:\n"
      "  trammel convert models/puma560.yaml -o puma560.urdf\n"
      "  trammel convert robot.urdf --base free --to mjcf > robot.xml\n"
      "  xacro robot.urdf.xacro | trammel convert - --from urdf -o robot.yaml");
  verb.run([options] { return run_convert(*options); });
}

}  // namespace trammel::tool
