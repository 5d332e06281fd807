// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What acts in a joint and where it starts: one number for each freedom, each in the unit that belongs to it.

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

namespace {

std::string names_of(const std::vector<Freedom>& freedoms) {
  std::vector<std::string> names;
  for (const Freedom& f : freedoms) names.emplace_back(f.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool all_alike(const std::vector<Freedom>& freedoms) {
  for (const Freedom& f : freedoms) {
    if (f.dimension != freedoms[0].dimension) return false;
  }
  return true;
}

struct PropertyReader {
  Reading& r;
  const Joint& joint;
  std::vector<Freedom> freedoms;

  // A number for all freedoms, or a list with one for each; "none" stands for `none_is`, where that is given.
  std::vector<double> read(const Node& node, const std::string& what, Dimension (*dimension_of)(const Freedom&),
                           std::optional<double> none_is = std::nullopt) {
    const auto one = [&](const Node& n, const std::string& name, const Freedom& f) -> std::optional<double> {
      if (none_is && n.is_scalar() && n.text == "none") return none_is;
      return read_number(r, n, name, dimension_of(f));
    };
    std::vector<double> values;
    if (node.is_list()) {
      if (node.children.size() != freedoms.size()) return report_length(node, what);
      for (std::size_t i = 0; i < freedoms.size(); ++i) {
        const auto value = one(*node.children[i].value, fmt::format("{} ({})", what, freedoms[i].name), freedoms[i]);
        if (value) values.push_back(*value);
      }
    } else {
      if (!all_alike(freedoms)) return report_length(node, what);
      if (const auto value = one(node, what, freedoms[0])) values.assign(freedoms.size(), *value);
    }
    if (values.size() != freedoms.size()) values.clear();
    return values;
  }

  std::vector<double> read_not_negative(const Node& node, const std::string& what,
                                        Dimension (*dimension_of)(const Freedom&),
                                        std::optional<double> none_is = std::nullopt) {
    std::vector<double> values = read(node, what, dimension_of, none_is);
    for (const double value : values) {
      if (value >= 0) continue;
      r.messages.error(node.where, "number-negative", what + " is negative", "give 0 or more");
      return {};
    }
    return values;
  }

  std::vector<double> report_length(const Node& node, const std::string& what) {
    const std::size_t n = freedoms.size();
    r.messages.error(node.where, "list-length",
                     n == 1
                         ? fmt::format("{} must be one number, not {}", what, describe(node))
                         : fmt::format("{} must be a list of {}, not {}", what, count_of(n, "number"), describe(node)),
                     fmt::format("give one number for each freedom: {}", names_of(freedoms)));
    return {};
  }
};

Dimension coordinate_of(const Freedom& freedom) { return freedom.dimension; }

void read_friction(Reading& r, const Node& node, PropertyReader& reader, JointProperties& properties,
                   const std::string& subject) {
  const bool is_free = std::holds_alternative<Free>(reader.joint.type);
  const Fields fields(r, node, is_free ? "friction of a free joint" : "friction", "friction of " + subject);
  if (const Node* viscous = fields.find("viscous")) {
    properties.viscous = reader.read_not_negative(*viscous, "viscous friction of " + subject, viscous_of);
  }
  if (const Node* dry = fields.find("dry")) {
    properties.dry = reader.read_not_negative(*dry, "dry friction of " + subject, effort_of);
  }
  const Node* speed = fields.find("speed");
  if (speed == nullptr) return;
  const auto value = read_number(r, *speed, fields.what("speed"), rate_of(reader.freedoms[0]));
  if (value && !(*value > 0)) {
    r.messages.error(speed->where, "number-not-positive",
                     fmt::format("{} must be more than 0, not {}", fields.what("speed"), speed->text),
                     "give a speed above 0, well below those of interest");
  } else if (value) {
    properties.dry_speed = *value;
  }
  if (fields.find("dry") == nullptr) {
    r.messages.warning(speed->where, "no-effect",
                       fmt::format("{} has no effect without dry friction", fields.what("speed")),
                       "give 'dry' too, or delete it");
  }
}

void check_order(Reading& r, const Fields& fields, const PropertyReader& reader, const JointProperties& properties) {
  if (properties.lower.empty() || properties.upper.empty()) return;
  const SourceLocation where = fields.find("lower")->where;
  for (std::size_t i = 0; i < reader.freedoms.size(); ++i) {
    if (!(properties.lower[i] > properties.upper[i])) continue;
    const Dimension& dimension = reader.freedoms[i].dimension;
    const auto shown = [&](double x) { return rounded(r.model.units.from_si(x, dimension)); };
    r.messages.error(
        where, "limits-order",
        fmt::format("{}: lower is {}, above upper, {} {} ({})", fields.subject(), shown(properties.lower[i]),
                    shown(properties.upper[i]), r.model.units.name(dimension), reader.freedoms[i].name),
        "exchange the two");
  }
}

void read_limits(Reading& r, const Node& node, PropertyReader& reader, JointProperties& properties,
                 const Joint& joint) {
  const std::string subject = title_of(joint);
  const Fields fields(r, node, "limits", "limits of " + subject);
  const Node* lower = fields.find("lower");
  const Node* upper = fields.find("upper");
  const Node* stiffness = fields.find("stiffness");
  const Node* damping = fields.find("damping");
  if (nq(joint.type) != nv(joint.type)) {
    const Node* stop = stiffness != nullptr ? stiffness : damping;
    if (const Node* limit = lower != nullptr ? lower : upper != nullptr ? upper : stop) {
      r.messages.error(limit->where, "limits-of-rotation",
                       fmt::format("{} has a quaternion, which lower and upper cannot limit", subject),
                       "limit velocity and effort only, or use three revolute joints");
    }
    lower = upper = stiffness = damping = nullptr;
  }
  if ((stiffness != nullptr || damping != nullptr) && lower == nullptr && upper == nullptr) {
    fields.report_missing(r, "lower", "add 'lower' or 'upper': 'stiffness' and 'damping' are those of the stops there");
  }
  if (lower != nullptr) properties.lower = reader.read(*lower, fields.what("lower"), coordinate_of, -infinity);
  if (upper != nullptr) properties.upper = reader.read(*upper, fields.what("upper"), coordinate_of, infinity);
  check_order(r, fields, reader, properties);
  if (const Node* velocity = fields.find("velocity")) {
    properties.velocity_limit = reader.read_not_negative(*velocity, fields.what("velocity"), rate_of, infinity);
  }
  if (const Node* effort = fields.find("effort")) {
    properties.effort_limit = reader.read_not_negative(*effort, fields.what("effort"), effort_of, infinity);
  }
  if (stiffness != nullptr) {
    properties.limit_stiffness = reader.read_not_negative(*stiffness, fields.what("stiffness"), stiffness_of);
  }
  if (damping != nullptr) {
    properties.limit_damping = reader.read_not_negative(*damping, fields.what("damping"), viscous_of);
  }
}

// A number where there is one coordinate, else a list.
std::vector<double> read_coordinates(Reading& r, const Node& node, const std::string& what,
                                     const std::vector<Dimension>& dimensions) {
  if (dimensions.size() == 1 && !(node.is_list() && node.children.size() == 1)) {
    const auto number = read_number(r, node, what, dimensions[0]);
    return number ? std::vector{*number} : std::vector<double>{};
  }
  return read_numbers(r, node, what, dimensions).value_or(std::vector<double>{});
}

// {q: …, v: …}, or q alone.
void read_joint_state(Reading& r, const Node& node, const Joint& joint, const std::string& section,
                      std::vector<double>& q_out, std::vector<double>& v_out) {
  const std::string title = title_of(joint);
  const std::string before = section == "initial" ? "initial " : section + ": ";
  const Node* q = &node;
  const Node* v = nullptr;
  if (node.is_map()) {
    const Fields fields(r, node, "initial", fmt::format("{} of {}", section, title));
    q = fields.find("q");
    v = fields.find("v");
  }
  if (q != nullptr) {
    const std::string what = fmt::format("{}q of {}", before, title);
    q_out = read_coordinates(r, *q, what, coordinates_of(joint.type));
    const bool turns = nq(joint.type) != nv(joint.type);
    if (turns && !q_out.empty() && !check_quaternion(r, *q, "the quaternion in " + what, q_out.data())) q_out.clear();
  }
  if (v != nullptr) {
    std::vector<Dimension> rates;
    for (const Freedom& f : freedoms(joint.type)) rates.push_back(rate_of(f));
    v_out = read_coordinates(r, *v, fmt::format("{}v of {}", before, title), rates);
  }
}

// The joint that a key of a state names, if it has coordinates.
std::optional<std::size_t> joint_with_state(Reading& r, const Node& key, const std::string& section,
                                            const std::vector<JointDraft>& drafts) {
  const auto index = r.joints.find(key.text);
  if (!index) {
    r.messages.error(key.where, "joint-unknown",
                     fmt::format("{} names a joint {} that is not there", section, quote(key.text)),
                     r.messages.guess_or(key.text, r.joints.list(), "name a joint of the file"));
    return std::nullopt;
  }
  if (!drafts[*index].has_type) return std::nullopt;
  const Joint& joint = r.model.joints[*index];
  if (nv(joint.type) > 0) return index;
  r.messages.error(key.where, "initial-fixed", title_of(joint) + " has no coordinates to set", "delete this entry");
  return std::nullopt;
}

}  // namespace

Dimension rate_of(const Freedom& freedom) {
  Dimension d = freedom.dimension;
  d.time -= 1;
  return d;
}
Dimension effort_of(const Freedom& freedom) {
  return freedom.dimension == dimension::angle ? dimension::torque : dimension::force;
}
Dimension viscous_of(const Freedom& freedom) {
  Dimension d = effort_of(freedom);
  d.length -= freedom.dimension.length;
  d.angle -= freedom.dimension.angle;
  d.time += 1;
  return d;
}
Dimension stiffness_of(const Freedom& freedom) {
  Dimension d = viscous_of(freedom);
  d.time -= 1;
  return d;
}
Dimension armature_of(const Freedom& freedom) {
  return freedom.dimension == dimension::angle ? dimension::inertia : dimension::mass;
}

std::vector<Dimension> coordinates_of(const AnyJoint& joint) {
  const std::vector<Freedom> all = freedoms(joint);
  std::vector<Dimension> dimensions;
  const bool turns = nq(joint) != nv(joint);
  if (turns) dimensions.assign(4, dimension::none);
  for (std::size_t i = turns ? 3 : 0; i < all.size(); ++i) dimensions.push_back(all[i].dimension);
  return dimensions;
}

void read_joint_properties(Reading& r, const Fields& fields, Joint& joint) {
  PropertyReader reader{r, joint, freedoms(joint.type)};
  if (reader.freedoms.empty()) return;
  if (const Node* friction = fields.find("friction")) {
    read_friction(r, *friction, reader, joint.properties, fields.subject());
  }
  const bool is_free = std::holds_alternative<Free>(joint.type);
  if (const Node* armature = fields.find("armature"); armature != nullptr && !is_free) {
    joint.properties.armature = reader.read_not_negative(*armature, fields.what("armature"), armature_of);
  }
  if (const Node* limits = fields.find("limits")) read_limits(r, *limits, reader, joint.properties, joint);
}

void read_initial(Reading& r, const Node& section, const std::vector<JointDraft>& drafts) {
  if (section.is_null()) return;
  if (!section.is_map()) {
    r.messages.error(section.where, "wrong-type",
                     fmt::format("initial must be a mapping from joints to coordinates, not {}", describe(section)),
                     "write initial: {joint: {q: …, v: …}, …}");
    return;
  }
  for (const Node::Child& child : section.children) {
    const auto index = joint_with_state(r, *child.key, "initial", drafts);
    if (!index) continue;
    Joint& joint = r.model.joints[*index];
    read_joint_state(r, *child.value, joint, "initial", joint.q_initial, joint.v_initial);
  }
}

void read_states(Reading& r, const Node& section, const std::vector<JointDraft>& drafts) {
  if (section.is_null()) return;
  const auto report = [&r](const Node& node, const std::string& what, std::string_view example) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a mapping from joints to coordinates, not {}", what, describe(node)),
                     fmt::format("write {}", example));
  };
  if (!section.is_map()) return report(section, "each of the states", "states: {name: {joint: {q: …, v: …}, …}, …}");
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "state")) continue;
    const std::string title = "state " + quote(child.key->text);
    if (!child.value->is_map() && !child.value->is_null()) {
      report(*child.value, title, "{joint: {q: …, v: …}, …}");
      continue;
    }
    NamedState& state = r.model.states.emplace_back();
    state.name = child.key->text;
    state.where = child.key->where;
    for (const Node::Child& entry : child.value->children) {
      const auto index = joint_with_state(r, *entry.key, title, drafts);
      if (!index) continue;
      const Joint& joint = r.model.joints[*index];
      NamedState::Entry& added = state.joints.emplace_back();
      added.joint = joint.name;
      read_joint_state(r, *entry.value, joint, title, added.q, added.v);
    }
  }
}

}  // namespace trammel::readers
