// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The sections `springs` and `loads`.

#include <algorithm>

#include <fmt/format.h>

#include "readers/yaml_actuators.hpp"
#include "readers/yaml_formulas.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_profiles.hpp"
#include "readers/yaml_state_functions.hpp"

namespace trammel::readers {

namespace {

// --- springs ------------------------------------------------------------------------------------------------------------

class SpringReader {
 public:
  SpringReader(Reading& r, const Fields& fields, Spring& spring) : r_(r), fields_(fields), spring_(spring) {}

  bool read_between() {
    const Node& node = *fields_.find("between");
    const Node* at = fields_.find("at");
    if (!(at != nullptr ? read_bodies_and_points(node, *at) : read_ends(node))) return false;
    if (spring_.first.body == spring_.second.body) {
      r_.messages.error(node.where, "body-twice",
                        fmt::format("{} ties {} to itself", fields_.subject(), quote(spring_.first.body)),
                        "name two different bodies");
      return false;
    }
    const double drawn = norm(place(spring_.second) - place(spring_.first));
    if (!(drawn > 0)) {
      r_.messages.error(at != nullptr ? at->where : node.where, "points-coincide",
                        fmt::format("the two ends of {} coincide: it has no direction", fields_.subject()),
                        "move one of them");
      return false;
    }
    const bool complete =
        read_numbers_of({dimension::length, spring_dimension::stiffness, spring_dimension::damping, dimension::force});
    if (const Node* rest = fields_.find("rest")) {
      const auto length = read_not_negative(r_, *rest, fields_.what("rest"), dimension::length);
      spring_.rest = length.value_or(0);
      return complete && length;
    }
    spring_.rest = drawn;
    return complete;
  }

  bool read_at_joint(const std::vector<JointDraft>& joints) {
    const Node& node = *fields_.find("joint");
    const auto name = read_text(r_, node, "the joint of " + fields_.subject());
    if (!name) return false;
    const auto found = find_coordinate(r_, node, *name, fields_.subject(), joints, "hold");
    if (!found) return false;
    spring_.joint = r_.model.joints[found->joint].name;
    spring_.dof = found->dof;
    const ActuatorUnits units(Actuator::Kind::position, found->freedom);
    const bool complete = read_numbers_of({found->freedom.dimension, units.stiffness, units.damping, units.effort});
    const Node* rest = fields_.find("rest");
    if (rest == nullptr) return complete;
    const auto value = read_number(r_, *rest, fields_.what("rest"), found->freedom.dimension);
    spring_.rest = value.value_or(0);
    return complete && value;
  }

 private:
  bool read_bodies_and_points(const Node& node, const Node& at) {
    const auto names =
        read_two_names(r_, node, "the bodies of " + fields_.subject(), "between: [first body, second body]");
    const auto ends = read_two_points(r_, at, fields_.what("at"));
    if (!names) return false;
    const auto first = find_body(r_, *node.children[0].value, names->first, fields_.subject());
    const auto second = find_body(r_, *node.children[1].value, names->second, fields_.subject());
    if (!first || !second || !ends) return false;
    spring_.first = {name_of(r_, *first), inverse(design_pose(r_, *first)) * (*ends)[0]};
    spring_.second = {name_of(r_, *second), inverse(design_pose(r_, *second)) * (*ends)[1]};
    return true;
  }

  bool read_ends(const Node& node) {
    const bool two = node.is_list() && node.children.size() == 2;
    const auto is_body = [&](const Node::Child& c) {
      return c.value->is_scalar() && (c.value->text == ground_name || r_.bodies.find(c.value->text));
    };
    if (two && std::all_of(node.children.begin(), node.children.end(), is_body)) {
      fields_.report_missing(r_, "at", "add at: [P, Q], its ends on the two bodies");
      return false;
    }
    if (!two) {
      r_.messages.error(node.where, "wrong-type",
                        fmt::format("the ends of {} must be a list of two, not {}", fields_.subject(), describe(node)),
                        "write between: [first body, second body], at: [P, Q]");
      return false;
    }
    const auto first = read_carried_point(r_, *node.children[0].value, "the first end of " + fields_.subject());
    const auto second = read_carried_point(r_, *node.children[1].value, "the second end of " + fields_.subject());
    if (!first || !second) return false;
    spring_.first = *first;
    spring_.second = *second;
    return true;
  }

  Vec3d place(const BodyPoint& point) const {
    const auto index = r_.bodies.find(point.body);
    return index ? r_.model.bodies[*index].X_WB * point.p_B : point.p_B;
  }

  struct SpringUnits {
    Dimension coordinate, stiffness, damping, effort;
  };

  bool read_numbers_of(const SpringUnits& units) {
    bool complete = true;
    const auto take = [&](std::string_view key, const Dimension& dimension, double& to, bool may_be_negative) {
      const Node* node = fields_.find(key);
      if (node == nullptr) return;
      const auto number = may_be_negative ? read_number(r_, *node, fields_.what(key), dimension)
                                          : read_not_negative(r_, *node, fields_.what(key), dimension);
      complete = complete && number;
      to = number.value_or(0);
    };
    take("stiffness", units.stiffness, spring_.stiffness, false);
    take("damping", units.damping, spring_.damping, false);
    take("preload", units.effort, spring_.preload, true);
    if (const Node* rows = fields_.find("table")) {
      auto table = read_table(r_, *rows, fields_.what("table"), units.coordinate, units.effort);
      complete = complete && table;
      if (table) spring_.table_at = std::move(table->x), spring_.table_force = std::move(table->y);
    }
    if (const Node* gas = fields_.find("gas")) complete = read_gas(*gas, units) && complete;
    for (const char* key : {"stiffness", "damping", "preload", "table", "gas"}) {
      if (fields_.has(key)) return complete;
    }
    fields_.report_missing(r_, "stiffness", "add 'stiffness', 'damping', 'preload', 'table' or 'gas'");
    return false;
  }

  bool read_gas(const Node& node, const SpringUnits& units) {
    const Fields fields(r_, node, "gas", fields_.what("gas"));
    if (!fields.usable()) return false;
    const auto take = [&](std::string_view key, const Dimension& dimension) {
      const Node* given = fields.find(key);
      if (given == nullptr) fields.report_missing(r_, key, fmt::format("add {}: followed by a number", key));
      return given == nullptr ? std::nullopt : read_positive(r_, *given, fields.what(key), dimension);
    };
    const auto force = take("force", units.effort), column = take("column", units.coordinate);
    const auto exponent = fields.has("exponent") ? take("exponent", dimension::none) : std::optional(1.0);
    if (!force || !column || !exponent) return false;
    spring_.gas = Spring::Gas{*force, *column, *exponent};
    return true;
  }

  Reading& r_;
  const Fields& fields_;
  Spring& spring_;
};

// --- loads --------------------------------------------------------------------------------------------------------------

class LoadReader {
 public:
  LoadReader(Reading& r, const Fields& fields, const StateNames& names, Load& load)
      : r_(r), fields_(fields), names_(names), load_(load) {}

  bool read() {
    if (!fields_.usable()) return false;
    bool complete = read_kind_of_load();
    if (complete) complete = read_frame_word() && complete;
    if (const Node* on = fields_.find("on")) {
      body_ = read_body(r_, *on, fields_.subject());
    } else {
      fields_.report_missing(r_, "on", "add on: followed by a body");
    }
    if (body_ && body_->is_ground) {
      r_.messages.error(fields_.find("on")->where, "load-on-ground",
                        fmt::format("{} acts on the ground, which nothing moves", fields_.subject()),
                        "name the body that it acts on");
      body_.reset();
    }
    complete = read_place_of_load() && complete;
    if (key_.empty()) return false;
    const Dimension dimension = load_.is_couple ? dimension::torque : dimension::force;
    complete = (key_ == "resisting" ? read_resisting() : read_known(dimension)) && complete;
    return complete && body_;
  }

  const Node* bound() const { return fields_.find("bound"); }

 private:
  // force, torque or resisting; sets key_ and is_couple.
  bool read_kind_of_load() {
    for (const char* key : {"force", "torque", "resisting"}) {
      const Node* node = fields_.find(key);
      if (node == nullptr) continue;
      if (!key_.empty()) {
        r_.messages.error(node->where, "key-conflict",
                          fmt::format("{} has both '{}' and '{}'", fields_.subject(), key_, key),
                          "write them as two loads");
        return false;
      }
      key_ = key;
    }
    if (key_.empty()) {
      fields_.report_missing(r_, "force", "add 'force' or 'torque', or 'resisting' for one of unknown size");
      return false;
    }
    load_.is_couple = key_ == "torque";
    if (key_ != "resisting") return true;
    const auto word = read_word("resisting", {"force", "torque"});
    load_.is_couple = word && *word == "torque";
    return word.has_value();
  }

  std::optional<std::string> read_word(std::string_view key, const std::vector<std::string>& words) {
    const Node& node = *fields_.find(key);
    if (node.is_scalar() && std::find(words.begin(), words.end(), node.text) != words.end()) return node.text;
    r_.messages.error(node.where, "word-unknown",
                      fmt::format("{} must be {}, not {}", fields_.what(key), one_of(words), describe(node)),
                      "write one of them");
    return std::nullopt;
  }

  bool read_frame_word() {
    if (!fields_.has("frame")) return true;
    const auto word = read_word("frame", {"world", "body"});
    load_.turns_along = word && *word == "body";
    return word.has_value();
  }

  bool read_place_of_load() {
    const Node* at = fields_.find("at");
    std::optional<BodyRef> in;
    if (const Node* given = fields_.find("in")) {
      in = read_body(r_, *given, fields_.what("in"));
      if (!in) return false;
    }
    if (body_) load_.at.body = name_of(r_, *body_);
    if (at == nullptr) {
      if (load_.is_couple || key_.empty()) return true;
      fields_.report_missing(r_, "at", "add at: the point of the body where the force acts");
      return false;
    }
    const auto place = read_place(r_, *at, fields_.what("at"));
    if (!place || !body_) return false;
    const Transformd X_WL = in ? design_pose(r_, *in) : Transformd{};
    const bool own = in && !in->is_ground && in->index == body_->index;
    load_.at.p_B = own && !place->in_world ? place->p : inverse(design_pose(r_, *body_)) * (X_WL * place->in(X_WL));
    return true;
  }

  bool read_along() {
    const Node* along = fields_.find("along");
    if (along == nullptr) {
      fields_.report_missing(r_, "along", "add along: followed by a direction");
      return false;
    }
    const Transformd X_WL = load_.turns_along && body_ ? design_pose(r_, *body_) : Transformd{};
    const auto direction = read_unit(r_, *along, fields_.what("along"), X_WL);
    load_.direction = direction.value_or(Vec3d{1, 0, 0});
    return direction.has_value();
  }

  bool read_known(const Dimension& dimension) {
    if (const Node* bound = fields_.find("bound")) {
      r_.messages.error(bound->where, "key-conflict",
                        fmt::format("{} has both '{}' and 'bound'", fields_.subject(), key_),
                        "only resisting loads are bound to others");
      return false;
    }
    const Node& node = *fields_.find(key_);
    if (!node.is_list()) {
      const auto size = read_state_function(r_, node, fields_.what(key_), dimension, names_);
      if (size) load_.size = *size;
      return read_along() && size;
    }
    if (const Node* along = fields_.find("along")) {
      r_.messages.error(along->where, "key-conflict",
                        fmt::format("{} of {} is a vector and has 'along' too", key_, fields_.subject()),
                        "give a vector, or one number and 'along'");
      return false;
    }
    if (node.children.size() != 3) {
      r_.messages.error(
          node.where, "list-length",
          fmt::format("{} must be a list of 3 components, not {}", fields_.what(key_), node.children.size()),
          node.children.size() < 3 ? "add the missing components" : "remove the extra components");
      return false;
    }
    std::array<StateFunction, 3> components;
    bool complete = true;
    for (std::size_t i = 0; i < 3; ++i) {
      auto component = read_state_function(
          r_, *node.children[i].value, fmt::format("component {} of {}", i + 1, fields_.what(key_)), dimension, names_);
      complete = complete && component;
      if (component) components[i] = std::move(*component);
    }
    load_.components = std::move(components);
    return complete;
  }

  bool read_resisting() { return read_along(); }

  Reading& r_;
  const Fields& fields_;
  const StateNames& names_;
  Load& load_;
  std::string key_;
  std::optional<BodyRef> body_;
};

Dimension dimension_of_load(const Load& load) { return load.is_couple ? dimension::torque : dimension::force; }

// size = ratio · size of another + offset; when all loads are known.
void read_bound(Reading& r, const Node& node, Load& load) {
  const std::string subject = "load " + quote(load.name);
  const Fields fields(r, node, "bound", "bound of " + subject);
  if (!fields.usable()) return;
  const Node* to = fields.find("to");
  if (to == nullptr) return fields.report_missing(r, "to", "add to: followed by another resisting load");
  const auto name = read_text(r, *to, fields.what("to"));
  if (!name) return;
  std::vector<std::string> names;
  const Load* other = nullptr;
  for (const Load& candidate : r.model.loads) {
    if (candidate.name == *name) other = &candidate;
    if (candidate.name != load.name && candidate.is_resisting()) names.push_back(candidate.name);
  }
  if (other == nullptr) {
    r.messages.error(to->where, "load-unknown",
                     fmt::format("{} is bound to a load {} that is not there", subject, quote(*name)),
                     r.messages.guess_or(*name, names, "name another resisting load"));
    return;
  }
  if (other->name == load.name || !other->is_resisting()) {
    r.messages.error(to->where, "load-bound",
                     other->name == load.name
                         ? fmt::format("{} is bound to itself", subject)
                         : fmt::format("{} is bound to {}, which is not a resisting load", subject, quote(*name)),
                     "name another resisting load");
    return;
  }
  load.bound_to = *name;
  const Dimension own = dimension_of_load(load), its = dimension_of_load(*other);
  if (const Node* ratio = fields.find("ratio")) {
    const Dimension per{.length = own.length - its.length};
    load.ratio = read_number(r, *ratio, fields.what("ratio"), per).value_or(1);
  } else {
    load.ratio = r.model.units.in_si(1, {.length = own.length - its.length});
  }
  if (const Node* offset = fields.find("offset")) {
    load.offset = read_number(r, *offset, fields.what("offset"), own).value_or(0);
  }
}

void refuse_chains(Reading& r, const std::vector<std::pair<std::size_t, const Node*>>& bounds) {
  for (const auto& [index, node] : bounds) {
    const Load& load = r.model.loads[index];
    const auto other = std::find_if(r.model.loads.begin(), r.model.loads.end(),
                                    [&load](const Load& l) { return l.name == load.bound_to; });
    if (other == r.model.loads.end() || other->bound_to.empty()) continue;
    r.messages.error(
        node->where, "load-bound",
        fmt::format("load {} is bound to {}, which is bound itself", quote(load.name), quote(other->name)),
        fmt::format("bind it to {}", other->bound_to == load.name ? "a free one" : quote(other->bound_to)));
  }
}

}  // namespace

void read_springs(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (!check_section(r, section, "springs",
                     "{name: {between: [first body, second body], at: [P, Q], stiffness: 100}, …}"))
    return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "spring")) continue;
    const std::string subject = "spring " + quote(child.key->text);
    const std::string kind = read_kind(r, *child.key, *child.value, subject, {"between", "joint"},
                                       "{between: [first body, second body], at: [P, Q], stiffness: 100}");
    if (kind.empty()) continue;
    Spring spring;
    spring.name = child.key->text;
    spring.where = child.key->where;
    const Fields fields(r, *child.value, "spring " + kind, subject);
    SpringReader reader(r, fields, spring);
    if (kind == "joint" ? reader.read_at_joint(joints) : reader.read_between()) {
      r.model.springs.push_back(std::move(spring));
    }
  }
}

void read_loads(Reading& r, const Node& section, const StateNames& names) {
  if (!check_section(r, section, "loads", "{name: {on: body, at: P, force: [0, 0, -10]}, …}")) return;
  std::vector<std::pair<std::size_t, const Node*>> bounds;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "load")) continue;
    Load load;
    load.name = child.key->text;
    load.where = child.key->where;
    const Fields fields(r, *child.value, "load", "load " + quote(load.name));
    LoadReader reader(r, fields, names, load);
    if (!reader.read()) continue;
    if (reader.bound() != nullptr) bounds.emplace_back(r.model.loads.size(), reader.bound());
    r.model.loads.push_back(std::move(load));
  }
  for (const auto& [index, node] : bounds) read_bound(r, *node, r.model.loads[index]);
  refuse_chains(r, bounds);
}

}  // namespace trammel::readers
