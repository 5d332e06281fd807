// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_actuators.hpp"

#include <array>

#include <fmt/format.h>

#include "readers/yaml_profiles.hpp"

namespace trammel::readers {

namespace {

using Kind = Actuator::Kind;
constexpr std::array kinds{Kind::torque, Kind::position, Kind::velocity, Kind::dc_motor, Kind::thruster};

std::vector<std::string> kind_words() {
  std::vector<std::string> words;
  for (const Kind kind : kinds) words.emplace_back(keyword(kind));
  return words;
}

std::optional<Kind> kind_of(Reading& r, const Node& key, const Node& node) {
  const std::string subject = "actuator " + quote(key.text);
  if (!node.is_map()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a mapping, not {}", subject, describe(node)),
                     "write for example {torque: joint, effort: [-10, 10]}");
    return std::nullopt;
  }
  std::optional<Kind> found;
  for (const Kind kind : kinds) {
    if (node.find(keyword(kind)) == nullptr) continue;
    if (found) {
      r.messages.error(key.where, "actuator-kind",
                       fmt::format("{} drives both {} and {}", subject, keyword(*found), keyword(kind)),
                       "write two actuators as two entries");
      return std::nullopt;
    }
    found = kind;
  }
  if (found) return found;
  SourceLocation where = key.where;
  std::string fix = "give one of " + one_of(kind_words()) + ", followed by what it drives";
  for (const Node::Child& child : node.children) {
    const std::string guess = r.messages.guess(child.key->text, kind_words());
    if (guess.empty()) continue;
    where = child.key->where;
    fix = fmt::format("did you mean '{}' instead of {}?", guess, quote(child.key->text));
  }
  r.messages.error(where, "actuator-kind", subject + " does not say what it drives", fix);
  return std::nullopt;
}

class ActuatorReader {
 public:
  ActuatorReader(Reading& r, const Fields& fields, Actuator& actuator) : r_(r), fields_(fields), actuator_(actuator) {}

  bool read(const std::vector<JointDraft>& joints) {
    if (actuator_.kind == Kind::thruster) return read_thruster(r_, fields_, actuator_);
    const auto driven = find_driven(joints);
    if (!driven) return false;
    actuator_.joint = r_.model.joints[driven->joint].name;
    actuator_.dof = driven->dof;
    if (actuator_.kind == Kind::dc_motor) return read_motor(r_, fields_, actuator_, driven->freedom);
    const ActuatorUnits units(actuator_.kind, driven->freedom);
    if (const Node* gear = fields_.find("gear")) {
      actuator_.gear = read_gear(r_, *gear, fields_.what("gear"), dimension::none);
    }
    actuator_.stiffness = gain("stiffness", units.stiffness, actuator_.kind == Kind::position);
    actuator_.damping = gain("damping", units.damping, actuator_.kind == Kind::velocity);
    read_range(r_, fields_, "control", units.control, actuator_.control_lower, actuator_.control_upper);
    read_range(r_, fields_, "effort", units.effort, actuator_.effort_lower, actuator_.effort_upper);
    if (actuator_.dof != Actuator::all_of_ball) return read_target(r_, fields_, units.control, actuator_);
    return read_target_of_ball(units.control);
  }

 private:
  // One freedom; or all of a ball joint, by its own name.
  std::optional<Coordinate> find_driven(const std::vector<JointDraft>& joints) {
    const Node& node = *fields_.find(keyword(actuator_.kind));
    const auto name = read_text(r_, node, "the joint of " + fields_.subject());
    if (!name) return std::nullopt;
    const auto index = r_.joints.find(*name);
    const bool whole = actuator_.kind == Kind::torque || actuator_.kind == Kind::position;
    if (whole && index && joints[*index].has_type && std::holds_alternative<Spherical>(r_.model.joints[*index].type)) {
      return Coordinate{*index, Actuator::all_of_ball, freedoms(r_.model.joints[*index].type)[0]};
    }
    const bool needs_coordinate = actuator_.kind == Kind::position || fields_.has("servo");
    return find_coordinate(r_, node, *name, fields_.subject(), joints, "drive", !needs_coordinate);
  }

  double gain(std::string_view key, const Dimension& dimension, bool required) {
    const Node* node = fields_.find(key);
    if (node != nullptr) return read_not_negative(r_, *node, fields_.what(key), dimension).value_or(0);
    if (required) fields_.report_missing(r_, key, fmt::format("add {}: followed by a number", key));
    return 0;
  }

  // A rotation vector, or a torque, in the axes of the joint.
  bool read_target_of_ball(const Dimension& dimension) {
    const Node* node = fields_.find("target");
    if (node == nullptr) return true;
    if (!node->is_list() || node->children.size() != 3) {
      r_.messages.error(node->where, "list-length",
                        fmt::format("{} must be a list of 3, not {}", fields_.what("target"), describe(*node)),
                        actuator_.kind == Kind::position
                            ? "give a rotation vector [x, y, z]"
                            : "give a torque [x, y, z]; or drive one freedom, as joint.wx");
      return false;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      auto component = read_profile(r_, *node->children[i].value,
                                    fmt::format("component {} of {}", i + 1, fields_.what("target")), dimension);
      if (component) actuator_.target.push_back(std::move(*component));
    }
    return actuator_.target.size() == 3;
  }

  Reading& r_;
  const Fields& fields_;
  Actuator& actuator_;
};

}  // namespace

ActuatorUnits::ActuatorUnits(Actuator::Kind kind, const Freedom& freedom) : effort(effort_of(freedom)) {
  control = kind == Kind::torque ? effort : kind == Kind::position ? freedom.dimension : rate_of(freedom);
  damping = viscous_of(freedom);
  stiffness = stiffness_of(freedom);
}

double read_gear(Reading& r, const Node& node, const std::string& what, const Dimension& dimension) {
  const auto gear = read_number(r, node, what, dimension);
  if (gear && *gear == 0) {
    r.messages.error(node.where, "ratio-zero", what + " is 0, which drives nothing",
                     "give a number other than 0, or delete the actuator");
  }
  return gear.value_or(1);
}

void read_range(Reading& r, const Fields& fields, std::string_view key, const Dimension& dimension, double& lower,
                double& upper) {
  const Node* node = fields.find(key);
  if (node == nullptr) return;
  const std::string what = fields.what(key);
  if (!node->is_list() || node->children.size() != 2) {
    r.messages.error(node->where, "wrong-type", fmt::format("{} must be two numbers, not {}", what, describe(*node)),
                     fmt::format("write {}: [lowest, highest]; none stands for no limit", key));
    return;
  }
  const auto one = [&](const Node& n, double none) {
    if (n.is_scalar() && n.text == "none") return none;
    return read_number(r, n, what, dimension).value_or(none);
  };
  lower = one(*node->children[0].value, -infinity);
  upper = one(*node->children[1].value, infinity);
  if (lower > upper) {
    r.messages.error(node->where, "limits-order", what + " has its lowest number above its highest",
                     "exchange the two");
  }
}

bool read_target(Reading& r, const Fields& fields, const Dimension& dimension, Actuator& actuator) {
  const Node* node = fields.find("target");
  if (node == nullptr) return true;
  auto target = read_profile(r, *node, fields.what("target"), dimension);
  if (target) actuator.target.push_back(std::move(*target));
  return target.has_value();
}

void read_actuators(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (section.is_null()) return;
  if (!section.is_map()) {
    r.messages.error(section.where, "wrong-type", fmt::format("actuators must be a mapping, not {}", describe(section)),
                     "write actuators: {name: {torque: joint}, …}");
    return;
  }
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "actuator")) continue;
    const auto kind = kind_of(r, *child.key, *child.value);
    if (!kind) continue;
    Actuator actuator;
    actuator.name = child.key->text;
    actuator.kind = *kind;
    actuator.where = child.key->where;
    const Fields fields(r, *child.value, fmt::format("actuator {}", keyword(*kind)),
                        fmt::format("actuator {}", quote(actuator.name)));
    if (ActuatorReader(r, fields, actuator).read(joints)) r.model.actuators.push_back(std::move(actuator));
  }
}

}  // namespace trammel::readers
