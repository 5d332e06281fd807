// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reads MJCF, MuJoCo's own format. Sections may stand in any order and more than once; they are read in the order in
// which each needs the others. All coordinates are zero at the position the file is drawn in.
//   docs/formats/mjcf.md says what becomes of each element and attribute

#include <filesystem>

#include <fmt/format.h>

#include "readers/mesh_files.hpp"
#include "readers/mjcf_reading.hpp"
#include "readers/mjcf_schema.hpp"

namespace trammel {

namespace {

using namespace readers::mjcf;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

template <class Read>
void each(const Element& root, const char* name, const Read& read) {
  for (const Element& child : root.children)
    if (child.name == name) read(child);
}

void refuse_flexes(Reading& r, const Element& section) {
  for (const Element& child : section.children) {
    if (child.name != "flex") {
      r.report.leave_out(child.place, "<" + child.name + ">", "it is about MuJoCo's pictures");
      continue;
    }
    r.report.error(child.place, "not-yet",
                   "soft bodies (<flex>) cannot be read, and without them answers would be wrong",
                   "delete the element");
  }
}

void read_document(Reading& r, Element& root) {
  check_names(root, r.report);
  if (const Attribute* model = root.find("model"); model != nullptr && !model->value.empty())
    r.model.name = model->value;
  each(root, "compiler", [&](const Element& e) { read_compiler(r, e); });
  each(root, "option", [&](const Element& e) { read_option(r, e); });
  each(root, "default", [&](const Element& e) { r.defaults.read(e, r.report); });
  each(root, "asset", [&](const Element& e) { read_assets(r, e); });
  std::vector<const Element*> worlds;
  each(root, "worldbody", [&](const Element& e) { worlds.push_back(&e); });
  std::vector<std::string> closures;
  each(root, "equality", [&](const Element& e) {
    for (std::string& name : names_of_closures(e)) closures.push_back(std::move(name));
  });
  read_world(r, worlds, closures);
  each(root, "deformable", [&](const Element& e) { refuse_flexes(r, e); });
  each(root, "tendon", [&](const Element& e) { read_tendons(r, e); });
  each(root, "equality", [&](const Element& e) { read_equality(r, e); });
  join_connects_to_hinges(r);
  each(root, "actuator", [&](const Element& e) { read_actuators(r, e); });
  each(root, "keyframe", [&](const Element& e) { read_keyframes(r, e); });
  if (!r.switches.gravity) r.model.gravity = {};
  if (!r.report.has_errors()) check_finite(r);
  if (r.model.bodies.empty() && !r.report.has_errors()) {
    r.report.error(root.place, "no-bodies", "the model has no bodies", "add a <body> to <worldbody>");
  }
}

}  // namespace

ReadResult read_mjcf(std::string_view text, const std::string& file, const ReadOptions& options) {
  Reading r;
  r.model.file = file;
  r.model.name = std::filesystem::path(file).stem().string();
  Element root;
  if (read_tree(text, file, options, r.report, root)) {
    if (root.name == "mujoco") {
      read_document(r, root);
      readers::MeshFiles meshes(file, options);
      for (const auto& [path, place] : r.mesh_files) meshes.look_for(path, r.report.in_main(place));
      meshes.tell_missing(r.report.messages(0));
    } else {
      r.report.error(root.place, "mjcf-root", fmt::format("the outermost element is <{}>, not <mujoco>", root.name),
                     root.name == "robot"
                         ? "this seems to be URDF; give the file the extension .urdf, or say --from urdf"
                         : "an MJCF file begins with <mujoco>");
    }
  }
  const std::vector<std::string> included = r.report.included_files();
  return {std::move(r.model), r.report.finish(), Format::mjcf, included};
}

}  // namespace trammel
