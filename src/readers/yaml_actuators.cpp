// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_actuators.hpp"

#include <array>

#include <fmt/format.h>

namespace trammel::readers {

namespace {

using Kind = Actuator::Kind;
constexpr std::array kinds{Kind::torque, Kind::position, Kind::velocity};

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
  std::string fix = "give one of " + one_of(kind_words()) + ", followed by a joint";
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
    const Node& node = *fields_.find(keyword(actuator_.kind));
    const auto name = read_text(r_, node, "the joint of " + fields_.subject());
    if (!name) return false;
    const bool needs_coordinate = actuator_.kind == Kind::position;
    const auto found = find_coordinate(r_, node, *name, fields_.subject(), joints, "drive", !needs_coordinate);
    if (!found) return false;
    actuator_.joint = r_.model.joints[found->joint].name;
    actuator_.dof = found->dof;
    const ActuatorUnits units(actuator_.kind, found->freedom);
    if (const Node* gear = fields_.find("gear")) read_gear(*gear);
    actuator_.stiffness = gain("stiffness", units.stiffness, actuator_.kind == Kind::position);
    actuator_.damping = gain("damping", units.damping, actuator_.kind == Kind::velocity);
    range("control", units.control, actuator_.control_lower, actuator_.control_upper);
    range("effort", units.effort, actuator_.effort_lower, actuator_.effort_upper);
    return true;
  }

 private:
  void read_gear(const Node& node) {
    const auto gear = read_number(r_, node, fields_.what("gear"), dimension::none);
    if (gear && *gear == 0) {
      r_.messages.error(node.where, "ratio-zero", fmt::format("{} is 0, which drives nothing", fields_.what("gear")),
                        "give a number other than 0, or delete the actuator");
    }
    actuator_.gear = gear.value_or(1);
  }

  double gain(std::string_view key, const Dimension& dimension, bool required) {
    const Node* node = fields_.find(key);
    if (node == nullptr) {
      if (required) fields_.report_missing(r_, key, fmt::format("add {}: followed by a number", key));
      return 0;
    }
    const auto number = read_number(r_, *node, fields_.what(key), dimension);
    if (number && *number < 0) {
      r_.messages.error(node->where, "number-negative", fields_.what(key) + " is negative", "give 0 or more");
    }
    return number.value_or(0);
  }

  void range(std::string_view key, const Dimension& dimension, double& lower, double& upper) {
    const Node* node = fields_.find(key);
    if (node == nullptr) return;
    const std::string what = fields_.what(key);
    if (!node->is_list() || node->children.size() != 2) {
      r_.messages.error(node->where, "wrong-type", fmt::format("{} must be two numbers, not {}", what, describe(*node)),
                        fmt::format("write {}: [lowest, highest]; none stands for no limit", key));
      return;
    }
    const auto one = [&](const Node& n, double none) {
      if (n.is_scalar() && n.text == "none") return none;
      return read_number(r_, n, what, dimension).value_or(none);
    };
    lower = one(*node->children[0].value, -infinity);
    upper = one(*node->children[1].value, infinity);
    if (lower > upper) {
      r_.messages.error(node->where, "limits-order", what + " has its lowest number above its highest",
                        "exchange the two");
    }
  }

  Reading& r_;
  const Fields& fields_;
  Actuator& actuator_;
};

}  // namespace

ActuatorUnits::ActuatorUnits(Actuator::Kind kind, const Freedom& freedom) : effort(effort_of(freedom)) {
  control = kind == Kind::torque ? effort : kind == Kind::position ? freedom.dimension : rate_of(freedom);
  damping = viscous_of(freedom);
  stiffness = damping;
  stiffness.time -= 1;
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
