// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "read_options.hpp"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

namespace trammel::tool {
namespace {

bool names_packages(const std::vector<Shape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) {
    return shape.mesh.starts_with("package://") || shape.mesh.starts_with("model://");
  });
}

bool names_packages(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(),
                     [](const Body& body) { return names_packages(body.visuals) || names_packages(body.collisions); });
}

void warn_of_no_effect(const ReadOptions& options, ReadResult& read) {
  Diagnostics& diagnostics = read.diagnostics;
  diagnostics.file = read.model.file;
  if (options.base != Base::unset && read.format != Format::urdf) {
    diagnostics.warning({}, "option-no-effect", "--base has no effect: only a URDF leaves open how its root stands",
                        "leave it out; this format says it by its joints");
  }
  if (!options.data.empty() && read.format != Format::kam) {
    diagnostics.warning({}, "option-no-effect", "--data has no effect: only a KAM listing has its data in another file",
                        "leave it out");
  }
  if (options.package_paths.empty()) return;
  if (read.format != Format::urdf) {
    diagnostics.warning({}, "option-no-effect", "--package-path has no effect: only meshes of a URDF are looked for",
                        "leave it out");
  } else if (!names_packages(read.model)) {
    diagnostics.warning({}, "option-no-effect", "--package-path has no effect: no mesh is named by package://",
                        "leave it out");
  }
}

// Included files and meshes are looked for from the current folder.
ReadResult read_standard_input(const ReadOptions& options) {
  const std::string name = "stdin";
  if (!options.format) {
    ReadResult nothing;
    nothing.diagnostics.file = name;
    nothing.diagnostics.error({}, "file-format", "it is not said which format the model on standard input has",
                              "give --from yaml, urdf, mjcf, kam or dm");
    return nothing;
  }
  std::string text(options.max_bytes + 1, '\0');  // one byte more than allowed tells that it is too large
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (*options.format == Format::urdf) return read_urdf(text, name, options);
  if (*options.format == Format::mjcf) return read_mjcf(text, name, options);
  if (*options.format == Format::kam) return read_kam(text, name, options);
  if (*options.format == Format::dynamechs) return read_dynamechs(text, name, options);
  return read_yaml(text, name, options);
}

}  // namespace

std::optional<Format> format_of_word(const std::string& word) {
  for (const FormatWord& known : format_words) {
    if (known.word == word) return known.format;
  }
  return std::nullopt;
}

std::vector<std::string> list_formats(bool to_be_written) {
  std::vector<std::string> words;
  for (const FormatWord& known : format_words) {
    if (known.is_written || !to_be_written) words.emplace_back(known.word);
  }
  return words;
}

void add_read_options(Verb& verb, ReadOptions& options) {
  verb.option(
          "--from", [&options](const std::string& word) { options.format = format_of_word(word); },
          "format of the model; without it, by the extension of the file")
      .one_of(list_formats());
  verb.option(
          "--base", [&options](const std::string& word) { options.base = word == "free" ? Base::free : Base::fixed; },
          "the root link of a URDF floats or is fixed to the ground (default: fixed)")
      .one_of({base_words.begin(), base_words.end()});
  verb.list("--package-path", options.package_paths,
            "folder in which packages of package:// are looked for (may be given several times)");
  verb.option("--data", options.data,
              "file with the data of a KAM listing; without it, those after END, or else NAME.dat beside NAME.kam");
}

ReadResult read_with(const std::string& path, const ReadOptions& options) {
  ReadResult read = path == "-" ? read_standard_input(options) : read_model(path, options);
  if (read.ok()) warn_of_no_effect(options, read);
  return read;
}

}  // namespace trammel::tool
