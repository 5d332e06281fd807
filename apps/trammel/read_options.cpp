// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "read_options.hpp"

#include <algorithm>

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
  if (options.package_paths.empty()) return;
  if (read.format != Format::urdf) {
    diagnostics.warning({}, "option-no-effect", "--package-path has no effect: only meshes of a URDF are looked for",
                        "leave it out");
  } else if (!names_packages(read.model)) {
    diagnostics.warning({}, "option-no-effect", "--package-path has no effect: no mesh is named by package://",
                        "leave it out");
  }
}

}  // namespace

void add_read_options(CLI::App& verb, ReadOptions& options) {
  const std::vector<std::string> words(base_words.begin(), base_words.end());
  verb.add_option_function<std::string>(
          "--base", [&options](const std::string& word) { options.base = word == "free" ? Base::free : Base::fixed; },
          "the root link of a URDF floats or is fixed to the ground (default: fixed)")
      ->check(CLI::IsMember(words));
  verb.add_option("--package-path", options.package_paths,
                  "folder in which packages of package:// are looked for (may be given several times)")
      ->allow_extra_args(false);
}

ReadResult read_with(const std::string& path, const ReadOptions& options) {
  ReadResult read = read_model(path, options);
  if (read.ok()) warn_of_no_effect(options, read);
  return read;
}

}  // namespace trammel::tool
