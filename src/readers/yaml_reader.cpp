// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The native reader, from text to model: the text becomes a tree, the tree a model, section by section in the order in
// which they depend on each other. Every section is read however many mistakes the others have; what a mistake leaves
// unknown is not complained about again.                                                   docs/formats/native.md

#include <algorithm>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/yaml_actuation.hpp"
#include "readers/yaml_actuators.hpp"
#include "readers/yaml_contacts.hpp"
#include "readers/yaml_couplings.hpp"
#include "readers/yaml_fluid.hpp"
#include "readers/yaml_keys.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_poses.hpp"
#include "readers/yaml_state_functions.hpp"

namespace trammel {

namespace {

using namespace readers;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

bool has_any_section(const Node& root) {
  const auto& keys = keys_of("file");
  return std::any_of(root.children.begin(), root.children.end(), [&](const Node::Child& child) {
    return child.key->text != "name" && std::find(keys.begin(), keys.end(), child.key->text) != keys.end();
  });
}

// Is this a file of ours, in a version that we know? If not, reading on would only produce noise.
bool check_version(Reading& r, const Node& root) {
  const Node* version = root.find("trammel");
  if (version == nullptr) {
    r.messages.error({1, 1}, "format-missing", "the file does not say that it is a trammel model",
                     "begin it with the line 'trammel: 1'");
    return has_any_section(root);
  }
  if (version->is_scalar() && !version->quoted && version->text == "1") return true;
  r.messages.error(version->where, "format-version",
                   fmt::format("this trammel reads version 1 of the format, not {}", describe(*version)),
                   "write 'trammel: 1', or use a newer trammel");
  return false;
}

void check_top_level(Reading& r, const Node& root) {
  std::vector<std::string> known = keys_of("file");
  std::vector<std::string> guesses = known;
  const std::vector<std::string>& coming = coming_sections();
  guesses.insert(guesses.end(), coming.begin(), coming.end());
  for (const Node::Child& child : root.children) {
    const std::string& key = child.key->text;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (std::find(coming.begin(), coming.end(), key) == coming.end()) {
      std::string meant = translate_key(key, known);
      if (meant.empty()) meant = r.messages.guess(key, guesses);
      r.messages.error(child.key->where, "unknown-key", fmt::format("a model has no section {}", quote(key)),
                       meant.empty() ? fmt::format("the sections are {}", fmt::join(known, ", "))
                                     : fmt::format("did you mean '{}'?", meant));
    } else {
      r.messages.error(child.key->where, "not-yet",
                       fmt::format("the section '{}' cannot be read yet, and without it answers would be wrong", key),
                       "delete the section, or wait for a later release");
    }
  }
}

// 9.81 in a file in mm, or 9810 in one in m, is seldom what was meant.
void check_gravity(Reading& r, const Node& node) {
  const auto is_of_the_earth = [](double g) { return g > 9.7 && g < 9.9; };
  const Units& units = r.model.units;
  const double g = norm(r.model.gravity), written = units.from_si(g, dimension::acceleration);
  if (is_of_the_earth(g) || !(is_of_the_earth(written) || is_of_the_earth(g / 1000) || is_of_the_earth(g / 100)))
    return;
  const std::string unit = units.name(dimension::acceleration);
  const std::string in_si = written == g ? "" : fmt::format(", that is {} m/s²", rounded(g));
  r.messages.warning(node.where, "gravity-unit", fmt::format("gravity is {} {}{}", rounded(written), unit, in_si),
                     fmt::format("the earth's is {} {}; it is used as given",
                                 rounded(units.from_si(9.81, dimension::acceleration)), unit));
}

void read_units(Reading& r, const Node& node) {
  if (node.is_null()) return;
  const Fields fields(r, node, "units", "units");
  for (const std::string& quantity : keys_of("units")) {
    const Node* given = fields.find(quantity);
    if (given == nullptr) continue;
    const auto unit = read_text(r, *given, "the unit of " + quantity);
    if (!unit || set_unit(r.model.units, quantity, *unit)) continue;
    const std::string meant = translate_unit(*unit, quantity);
    r.messages.error(
        given->where, "unit-unknown", fmt::format("{} is not a unit of {}", quote(*unit), quantity),
        meant.empty() ? "the units are " + known_units(quantity) : fmt::format("did you mean '{}'?", meant));
  }
}

void read_points(Reading& r, const Node& section) {
  if (section.is_null()) return;
  if (!section.is_map()) {
    r.messages.error(section.where, "wrong-type",
                     fmt::format("points must be a mapping from names to [x, y, z], not {}", describe(section)),
                     "write points: {A: [0, 0, 0], …}");
    return;
  }
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "point")) continue;
    Point& point = r.model.points.emplace_back();
    point.name = child.key->text;
    point.where = child.key->where;
    r.points.add(point.name);
    const auto p = read_vector(r, *child.value, "point " + quote(point.name), dimension::length);
    point.p_W = p.value_or(Vec3d{});
    r.point_is_known.push_back(p.has_value());
  }
}

std::string stem_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

void read_environment(Reading& r, const Node& node, const ReadOptions& options) {
  if (node.is_null()) return;
  const Fields fields(r, node, "environment", "the environment");
  if (const Node* terrain = fields.find("terrain")) read_terrain(r, *terrain, options.max_bytes);
  if (const Node* fluid = fields.find("fluid")) read_fluid(r, *fluid);
}

void read_document(Reading& r, const Node& root, const ReadOptions& options) {
  static const Node nothing;
  const auto section = [&](std::string_view key) -> const Node& {
    const Node* node = root.find(key);
    return node == nullptr ? nothing : *node;
  };
  if (root.find("name") != nullptr) {
    const std::optional<std::string> name = read_text(r, section("name"), "the name of the model");
    if (name && (name->empty() || check_name(r, section("name"), "model"))) r.model.name = *name;
  }
  read_units(r, section("units"));
  if (root.find("gravity") != nullptr) {
    r.model.gravity = read_vector(r, section("gravity"), "gravity", dimension::acceleration).value_or(r.model.gravity);
    check_gravity(r, section("gravity"));
  }
  read_points(r, section("points"));
  std::vector<BodyDraft> bodies = declare_bodies(r, section("bodies"));
  const std::vector<JointDraft> joints = declare_joints(r, section("joints"));
  read_poses_as_written(r, bodies);
  place_and_read_bodies(r, bodies, joints);
  for (std::size_t j = 0; j < joints.size(); ++j) read_joint(r, joints[j], r.model.joints[j]);
  read_planar(r, section("planar"));
  read_constraints(r, section("constraints"));
  read_couplings(r, section("couplings"), joints);
  read_outputs(r, section("outputs"));
  const StateNames names = state_names(r, joints, section("outputs"));
  read_actuators(r, section("actuators"), joints);
  read_drives(r, section("drives"), joints);
  read_initial(r, section("initial"), joints);
  read_states(r, section("states"), joints);
  read_inputs(r, section("inputs"), joints);
  read_springs(r, section("springs"), joints);
  read_bushings(r, section("bushings"));
  read_loads(r, section("loads"), names);
  read_environment(r, section("environment"), options);
  read_materials(r, section("materials"));
  read_contacts(r, section("contacts"));
  read_impacts(r, section("impacts"), joints);
  read_measures(r, section("measures"), joints);
  read_events(r, section("events"), names);
  read_simulate(r, section("simulate"));
}

}  // namespace

ReadResult read_yaml(std::string_view text, const std::string& file, const ReadOptions& options) {
  Reading r;
  r.model.file = file;
  r.model.name = stem_of(file);
  const Tree tree = parse_yaml(text, options.max_bytes, r.messages);
  if (tree.root == nullptr || tree.root->is_null()) {
    if (!r.messages.has_errors()) {
      r.messages.error({1, 1}, "file-empty", "the file is empty", "begin it with the line 'trammel: 1'");
    }
  } else if (!tree.root->is_map()) {
    r.messages.error(tree.root->where, "wrong-type",
                     fmt::format("a model must be a mapping, not {}", describe(*tree.root)),
                     "write it as 'key: value' lines, the first of them 'trammel: 1'");
  } else if (check_version(r, *tree.root)) {
    check_top_level(r, *tree.root);
    read_document(r, *tree.root, options);
  }
  return {std::move(r.model), r.messages.finish(file)};
}

}  // namespace trammel
