// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// <compiler>, <option>, <asset> and <tendon>: settings for the whole file. What would change an answer and cannot be
// taken over is an error; what only concerns MuJoCo's own ways is left out with a warning.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

Item plain(const Element& element) { return {element, "<" + element.name + ">"}; }

void read_euler_sequence(Reading& r, const Item& item) {
  const Attribute* given = item.find("eulerseq");
  if (given == nullptr) return;
  const bool usable = given->value.size() == 3 && given->value.find_first_not_of("xyzXYZ") == std::string::npos;
  if (usable) {
    r.compiler.euler = given->value;
  } else {
    r.report.error(given->place, "unknown-word", fmt::format("eulerseq cannot be {}", quote(given->value)),
                   "give three of the letters x, y, z, X, Y, Z, such as \"xyz\"");
  }
}

void read_groups(Reading& r, const Item& item) {
  if (const auto groups = read_numbers(r.report, item, "inertiagrouprange", 2)) {
    r.compiler.first_group = static_cast<int>(std::clamp((*groups)[0], -1e6, 1e6));
    r.compiler.last_group = static_cast<int>(std::clamp((*groups)[1], -1e6, 1e6));
  }
}

void read_mesh_paths(Reading& r, const Item& item) {
  for (const char* folder : {"assetdir", "meshdir"})
    if (item.has(folder)) r.compiler.mesh_folder = read_text(item, folder);
  r.compiler.strip_path = read_bool(r.report, item, "strippath").value_or(r.compiler.strip_path);
}

// A number that may stay as it is only when it is zero.
void must_be_zero(Reading& r, const Item& item, const char* name, const char* force) {
  const auto number = read_number(r.report, item, name);
  if (!number || *number == 0) return;
  r.report.error(item.find(name)->place, "not-yet",
                 fmt::format("{} is {}: {} cannot be read yet, and without it answers would be wrong", name,
                             rounded(*number), force),
                 fmt::format("set {} to 0, or wait for a later release", name));
}

void read_flags(Reading& r, const Element& element) {
  const Item item = plain(element);
  const auto off = [&](const char* name) {
    const auto word = read_word(r.report, item, name, {"disable", "enable"});
    return word && *word == 0;
  };
  const bool all = off("constraint");
  if (off("gravity")) r.switches.gravity = false;
  if (all || off("frictionloss")) r.switches.friction_loss = false;
  if (all || off("limit")) r.switches.limits = false;
  if (all || off("equality")) r.switches.equality = false;
  if (off("spring")) r.switches.springs = false;
  for (const char* passive : {"passive", "damper"}) {
    if (!off(passive)) continue;
    r.report.error(item.find(passive)->place, "not-yet",
                   fmt::format("the flag {} switches the joints' damping off, which cannot be said here", passive),
                   "delete the flag, and set the damping of the joints to 0");
  }
}

std::string mesh_path(const Reading& r, const std::string& file) {
  namespace fs = std::filesystem;
  const std::string name = r.compiler.strip_path ? fs::path(file).filename().string() : file;
  if (r.compiler.mesh_folder.empty() || fs::path(name).is_absolute()) return name;
  return (fs::path(r.compiler.mesh_folder) / name).string();
}

void read_mesh(Reading& r, const Element& element) {
  const Item item = r.item(element, {}, Reading::subject(element, "mesh"));
  MeshAsset mesh;
  const std::string file = read_text(item, "file");
  std::string name = read_text(item, "name");
  if (name.empty()) name = std::filesystem::path(file).stem().string();
  mesh.file = file.empty() ? std::string{} : mesh_path(r, file);
  mesh.scale = read_vector(r.report, item, "scale").value_or(mesh.scale);
  if (mesh.scale.x == 0 || mesh.scale.y == 0 || mesh.scale.z == 0) {
    r.report.error(item.find("scale")->place, "shape-degenerate", fmt::format("{} is 0", item.what("scale")),
                   "give three numbers, none of them 0");
  }
  if (file.empty()) {
    mesh.usable = false;
    r.report.leave_out(item.place(), "a mesh without a file", "only meshes in files are kept");
  } else if (const Attribute* vertices = element.find("vertex")) {
    r.report.leave_out(vertices->place, "'vertex' of a mesh with a file", "MuJoCo refuses such a mesh");
  }
  Transformd X_ref;
  X_ref.p = read_vector(r.report, item, "refpos").value_or(Vec3d{});
  if (const auto q = read_numbers(r.report, item, "refquat", 4)) {
    const Quaternion<double> quaternion{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    if (squared_norm(quaternion) > 0) X_ref.R = rotation_of(quaternion);
  }
  mesh.X_ref = X_ref;
  if (name.empty() || !r.meshes.emplace(name, mesh).second) {
    r.report.error(item.place(), name.empty() ? "missing-attribute" : "name-duplicate",
                   name.empty() ? "a mesh has neither a name nor a file"
                                : fmt::format("there are two meshes called {}", quote(name)),
                   name.empty() ? "add name=\"…\"" : "rename one of them");
  } else if (mesh.usable) {
    r.mesh_files.emplace_back(mesh.file, item.place());
  }
}

}  // namespace

void read_compiler(Reading& r, const Element& section) {
  const Item item = plain(section);
  Report& report = r.report;
  Compiler& c = r.compiler;
  if (const auto unit = read_word(report, item, "angle", {"degree", "radian"}))
    c.angle = *unit == 0 ? Compiler{}.angle : 1.0;
  if (const auto kind = read_word(report, item, "coordinate", {"local", "global"}); kind && *kind == 1) {
    report.error(item.find("coordinate")->place, "mjcf-global-coordinates",
                 "global coordinates cannot be read; MuJoCo has dropped them too",
                 "save the file with MuJoCo 2.3 or older, which writes local ones");
  }
  read_euler_sequence(r, item);
  c.autolimits = read_bool(report, item, "autolimits").value_or(c.autolimits);
  if (const auto word = read_word(report, item, "inertiafromgeom", {"false", "true", "auto"}))
    c.inertia_from_geoms = static_cast<Compiler::FromGeoms>(*word);
  read_groups(r, item);
  const auto at_least_zero = [&](const char* name, double& to) {
    const auto number = read_number(report, item, name);
    if (!number) return;
    if (*number < 0) {
      report.error(item.find(name)->place, "number-out-of-range",
                   fmt::format("{} is negative: {}", name, rounded(*number)), "give 0 or more");
    } else {
      to = *number;
    }
  };
  at_least_zero("boundmass", c.least_mass);
  at_least_zero("boundinertia", c.least_inertia);
  c.total_mass = read_number(report, item, "settotalmass").value_or(c.total_mass);
  c.balance_inertia = read_bool(report, item, "balanceinertia").value_or(c.balance_inertia);
  read_bool(report, item, "fusestatic");  // which bodies are one is found in any case
  read_mesh_paths(r, item);
  if (read_bool(report, item, "alignfree").value_or(false)) {
    report.error(item.find("alignfree")->place, "not-yet",
                 "frames of free bodies that are moved to their centre of mass (alignfree) cannot be read yet",
                 "set alignfree=\"false\"");
  }
}

void read_option(Reading& r, const Element& section) {
  const Item item = plain(section);
  r.model.gravity = read_vector(r.report, item, "gravity").value_or(r.model.gravity);
  must_be_zero(r, item, "density", "the fluid around the bodies");
  must_be_zero(r, item, "viscosity", "the fluid around the bodies");
  for (const Element& child : section.children)
    if (child.name == "flag") read_flags(r, child);
}

void read_assets(Reading& r, const Element& section) {
  for (const Element& child : section.children) {
    if (child.name == "mesh") read_mesh(r, child);
    if (child.name == "model") {
      r.report.error(child.place, "not-yet", "models inside models (<model>, <attach>) cannot be read yet",
                     "write the parts into one file, or save the model with MuJoCo, which does");
    }
    if (child.name != "material") continue;
    const Item item = r.item(child, {}, Reading::subject(child, "material"));
    std::optional<Colour>& colour = r.materials[read_text(item, "name")];
    if (const auto c = read_numbers(r.report, item, "rgba", 4)) colour = Colour{(*c)[0], (*c)[1], (*c)[2], (*c)[3]};
  }
}

void read_tendons(Reading& r, const Element& section) {
  for (const Element& child : section.children) {
    const Attribute* own = child.find("class");
    const Item item(child, r.defaults.settings(own == nullptr ? std::string{} : own->value, "tendon"),
                    Reading::subject(child, "tendon"));
    r.report.leave_out(child.place, "<tendon>", "tendons cannot be read yet");
    for (const char* force : {"stiffness", "damping", "frictionloss", "armature"}) {
      const Attribute* given = item.find(force);
      if (given == nullptr) continue;
      const auto numbers = parse_numbers(r.report, *given, item.what(force));
      if (!numbers || std::all_of(numbers->begin(), numbers->end(), [](double x) { return x == 0; })) continue;
      r.report.error(given->place, "not-yet",
                     fmt::format("{} has {}: tendons cannot be read yet, and without it answers would be wrong",
                                 item.subject(), force),
                     "delete the tendon, or wait for a later release");
    }
  }
}

}  // namespace trammel::readers::mjcf
