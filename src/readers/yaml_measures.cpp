// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `measures`: numbers that the designer watches.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "readers/yaml_formulas.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {

namespace {

using Kind = Measure::Kind;

const std::vector<std::string>& kind_words() {
  static const std::vector<std::string> words{"angle",
                                              "length",
                                              "distance_to_line",
                                              "distance_to_plane",
                                              "plane_angle",
                                              "projected_angle",
                                              "polar",
                                              "azimuth",
                                              "locus",
                                              "camber",
                                              "caster",
                                              "steer",
                                              "transmission_angle",
                                              "mechanical_advantage",
                                              "instant_centre",
                                              "expression"};
  return words;
}

std::optional<Kind> kind_by_word(const std::string& word) {
  for (int i = 0; i <= static_cast<int>(Kind::expression); ++i) {
    if (keyword(static_cast<Kind>(i)) == word) return static_cast<Kind>(i);
  }
  return word == "instant_centre" ? std::optional(Kind::instant_centre_x) : std::nullopt;
}

class MeasureReader {
 public:
  MeasureReader(Reading& r, const std::vector<JointDraft>& joints, std::string kind, const Fields& fields,
                Measure& measure)
      : r_(r), joints_(joints), kind_(std::move(kind)), fields_(fields), measure_(measure) {}

  bool read() {
    const Node& operand = *fields_.find(kind_);
    switch (measure_.kind) {
      case Kind::angle:
        return both(lines(operand), fields_.has("axis") ? direction("axis", measure_.axis) : true);
      case Kind::projected_angle:
        return both(lines(operand), direction("normal", measure_.axis));
      case Kind::length:
        return line(operand, "the points of " + fields_.subject());
      case Kind::distance_to_line: {
        const bool has_point = point(operand, "the point of " + fields_.subject());
        const Node* to = required("line", "[P, Q]");
        return both(has_point, to != nullptr && line(*to, fields_.what("line")));
      }
      case Kind::distance_to_plane: {
        const bool has_point = point(operand, "the point of " + fields_.subject());
        const Node* through = required("through", "followed by a point of the plane");
        return both(both(has_point, through != nullptr && point(*through, fields_.what("through"))),
                    direction("normal", measure_.axis));
      }
      case Kind::plane_angle:
        return both(line(operand, "the line of " + fields_.subject()), direction("normal", measure_.axis));
      case Kind::polar:
        return both(line(operand, "the line of " + fields_.subject()), direction("axis", measure_.axis));
      case Kind::azimuth:
        return azimuth(operand);
      case Kind::locus:
        return locus(operand);
      case Kind::camber:
      case Kind::caster:
      case Kind::steer:
        return wheel(operand);
      case Kind::transmission_angle:
        return transmission(operand);
      case Kind::mechanical_advantage:
        return advantage(operand);
      case Kind::instant_centre_x:
      case Kind::instant_centre_y:
      case Kind::instant_centre_z:
        return centre(operand);
      case Kind::expression:
        return true;  // read when all names are known
    }
    return false;
  }

 private:
  static bool both(bool a, bool b) { return a && b; }

  const Node* required(std::string_view key, std::string_view example) {
    const Node* node = fields_.find(key);
    if (node == nullptr) fields_.report_missing(r_, key, fmt::format("add {}: {}", key, example));
    return node;
  }

  bool point(const Node& node, const std::string& what) {
    const auto found = read_carried_point(r_, node, what);
    if (found) measure_.points.push_back(*found);
    return found.has_value();
  }

  Vec3d place(const BodyPoint& p) const {
    const auto index = r_.bodies.find(p.body);
    return index ? r_.model.bodies[*index].X_WB * p.p_B : p.p_B;
  }

  // Two points. On one body they must not coincide: their line would have no direction, ever.
  bool line(const Node& node, const std::string& what) {
    if (!node.is_list() || node.children.size() != 2) {
      r_.messages.error(node.where, "wrong-type", fmt::format("{} must be two points, not {}", what, describe(node)),
                        "write [P, Q], each an output or {point: P, on: body}");
      return false;
    }
    const bool first = point(*node.children[0].value, "the first point in " + what);
    const bool second = point(*node.children[1].value, "the second point in " + what);
    if (!first || !second) return false;
    const BodyPoint &a = measure_.points[measure_.points.size() - 2], &b = measure_.points.back();
    if (a.body != b.body || norm(place(a) - place(b)) > 0) return true;
    r_.messages.error(node.where, "points-coincide",
                      fmt::format("{}: the two points are one, on body {}", what, quote(a.body)),
                      "name two different points");
    return false;
  }

  bool lines(const Node& node) {
    if (!node.is_list() || node.children.size() != 2) {
      r_.messages.error(
          node.where, "wrong-type",
          fmt::format("the lines of {} must be two pairs of points, not {}", fields_.subject(), describe(node)),
          fmt::format("write {}: [[P, Q], [R, S]]", kind_));
      return false;
    }
    const bool first = line(*node.children[0].value, "the first line of " + fields_.subject());
    const bool second = line(*node.children[1].value, "the second line of " + fields_.subject());
    return first && second;
  }

  bool direction(std::string_view key, std::optional<Vec3d>& to) {
    const Node* node = required(key, "followed by a direction");
    if (node != nullptr) to = read_unit(r_, *node, fields_.what(key));
    return node != nullptr && to;
  }
  bool direction_or(std::string_view key, std::optional<Vec3d>& to, const Vec3d& otherwise) {
    if (fields_.has(key)) return direction(key, to);
    to = otherwise;
    return true;
  }
  // The second direction of a pair, which must not be along the first.
  bool check_reference(std::string_view key, std::string_view other) {
    if (norm(cross(*measure_.axis, *measure_.reference)) > 1e-6) return true;
    const Node* node = fields_.find(key);
    r_.messages.error(node == nullptr ? measure_.where : node->where, "axes-not-perpendicular",
                      fmt::format("{} lies along its '{}'", fields_.what(key), other), "give another direction");
    return false;
  }

  bool azimuth(const Node& operand) {
    const bool has_line = line(operand, "the line of " + fields_.subject());
    const bool has_axis = direction("axis", measure_.axis), has_reference = direction("from", measure_.reference);
    return has_axis && has_reference && check_reference("from", "axis") && has_line;
  }

  bool wheel(const Node& operand) {
    const bool has_line = line(operand, "the axis of " + fields_.subject());
    const bool has_up = direction_or("up", measure_.axis, {0, 0, 1});
    const bool has_forward = direction_or("forward", measure_.reference, {1, 0, 0});
    return has_up && has_forward && check_reference("forward", "up") && has_line;
  }

  bool read_component(int& component) {
    const Node* node = required("component", "x, y or z");
    if (node == nullptr) return false;
    static const std::vector<std::string> words{"x", "y", "z"};
    const auto found = std::find(words.begin(), words.end(), node->is_scalar() ? node->text : "");
    component = static_cast<int>(found - words.begin());
    if (found != words.end()) return true;
    r_.messages.error(node->where, "word-unknown",
                      fmt::format("{} must be x, y or z, not {}", fields_.what("component"), describe(*node)),
                      "write one of them");
    return false;
  }

  bool locus(const Node& operand) {
    bool complete = point(operand, "the point of " + fields_.subject());
    const Node* about = required("about", "[P, Q], two points of the axis");
    complete = about != nullptr && line(*about, fields_.what("about")) && complete;
    const Node* turn = required("turn", "followed by an angle");
    if (turn != nullptr) {
      const auto angle = read_number(r_, *turn, fields_.what("turn"), dimension::angle);
      complete = angle && complete;
      measure_.turn = angle.value_or(0);
    }
    return read_component(measure_.component) && complete && turn != nullptr;
  }

  bool joint(const Node& node) {
    const auto name = read_text(r_, node, "a joint of " + fields_.subject());
    if (!name) return false;
    if (r_.joints.find(*name)) {
      measure_.joints.push_back(*name);
      return true;
    }
    r_.messages.error(node.where, "joint-unknown",
                      fmt::format("{} names a joint {} that is not there", fields_.subject(), quote(*name)),
                      r_.messages.guess_or(*name, r_.joints.list(), "name a joint of the file"));
    return false;
  }

  bool transmission(const Node& operand) {
    const bool has_joint = joint(operand);
    const Node* towards = required("towards", "[J1, J2], the other joints of the two links");
    if (towards == nullptr) return false;
    if (!towards->is_list() || towards->children.size() != 2) {
      r_.messages.error(towards->where, "wrong-type",
                        fmt::format("{} must be two joints, not {}", fields_.what("towards"), describe(*towards)),
                        "write towards: [J1, J2]");
      return false;
    }
    const bool first = joint(*towards->children[0].value), second = joint(*towards->children[1].value);
    if (!has_joint || !first || !second) return false;
    const auto& j = measure_.joints;
    if (j[0] != j[1] && j[0] != j[2] && j[1] != j[2]) return true;
    r_.messages.error(towards->where, "joint-twice", fields_.subject() + " names a joint twice",
                      "name three different joints");
    return false;
  }

  bool advantage(const Node& operand) {
    const auto names = read_two_names(r_, operand, "the joints of " + fields_.subject(),
                                      "mechanical_advantage: [input joint, output joint]");
    if (!names) return false;
    bool complete = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const Node& node = *operand.children[i].value;
      const auto found = find_coordinate(r_, node, node.text, fields_.subject(), joints_, "compare", true);
      complete = complete && found;
      if (!found) continue;
      measure_.joints.push_back(r_.model.joints[found->joint].name);
      measure_.dofs.push_back(found->dof);
    }
    return complete;
  }

  bool centre(const Node& operand) {
    int component = 0;
    const bool has_component = read_component(component);
    measure_.kind = static_cast<Kind>(static_cast<int>(Kind::instant_centre_x) + component % 3);
    const bool pair = operand.is_list() && operand.children.size() == 2;
    if (!pair && !operand.is_scalar()) {
      r_.messages.error(
          operand.where, "wrong-type",
          fmt::format("the bodies of {} must be one or two names, not {}", fields_.subject(), describe(operand)),
          "write instant_centre: body, or [body, other body]");
      return false;
    }
    const auto first = read_body(r_, pair ? *operand.children[0].value : operand, fields_.subject());
    const auto second =
        pair ? read_body(r_, *operand.children[1].value, fields_.subject()) : std::optional(BodyRef{.is_ground = true});
    if (!first || !second) return false;
    measure_.bodies = {name_of(r_, *first), name_of(r_, *second)};
    if (measure_.bodies[0] != measure_.bodies[1]) return has_component;
    r_.messages.error(operand.where, "body-twice",
                      fmt::format("{} compares {} with itself", fields_.subject(), quote(measure_.bodies[0])),
                      "name two different bodies");
    return false;
  }

  Reading& r_;
  const std::vector<JointDraft>& joints_;
  std::string kind_;
  const Fields& fields_;
  Measure& measure_;
};

// --- expressions --------------------------------------------------------------------------------------------------------

struct Draft {
  std::size_t index;  // of the measure
  const Node* text;
};

void read_gives(Reading& r, const Fields& fields, Measure& measure) {
  const Node* node = fields.find("gives");
  if (node == nullptr) return;
  const std::string word = node->is_scalar() ? node->text : "";
  if (word == "length" || word == "angle") {
    measure.gives = word == "length" ? dimension::length : dimension::angle;
  } else if (word != "number") {
    r.messages.error(node->where, "word-unknown",
                     fmt::format("{} must be length, angle or number, not {}", fields.what("gives"), describe(*node)),
                     "write one of them");
  }
}

// Expressions may use each other, but not in a circle.
void refuse_circles(Reading& r, const std::vector<Draft>& drafts, const std::vector<std::vector<std::size_t>>& uses) {
  std::map<std::size_t, std::size_t> draft_of;
  for (std::size_t d = 0; d < drafts.size(); ++d) draft_of[drafts[d].index] = d;
  std::vector<int> left(drafts.size(), 0);  // expressions that each still waits for
  std::vector<std::vector<std::size_t>> users(drafts.size());
  for (std::size_t d = 0; d < drafts.size(); ++d) {
    for (const std::size_t measure : uses[d]) {
      if (!draft_of.contains(measure)) continue;
      ++left[d];
      users[draft_of[measure]].push_back(d);
    }
  }
  std::vector<std::size_t> ready;
  for (std::size_t d = 0; d < drafts.size(); ++d) {
    if (left[d] == 0) ready.push_back(d);
  }
  while (!ready.empty()) {
    const std::size_t d = ready.back();
    ready.pop_back();
    for (const std::size_t user : users[d]) {
      if (--left[user] == 0) ready.push_back(user);
    }
  }
  for (std::size_t d = 0; d < drafts.size(); ++d) {
    if (left[d] <= 0) continue;
    r.messages.error(drafts[d].text->where, "measure-circle",
                     fmt::format("measure {} depends on itself", quote(r.model.measures[drafts[d].index].name)),
                     "write one of the expressions without the others");
    return;
  }
}

void read_expressions(Reading& r, const std::vector<Draft>& drafts, const std::vector<std::string>& broken) {
  std::vector<std::string> names;
  for (const MeasureVariable& variable : measure_variables(r.model)) names.push_back(variable.name);
  names.insert(names.end(), broken.begin(), broken.end());  // reported already; they are names all the same
  std::vector<std::vector<std::size_t>> uses(drafts.size());
  for (std::size_t d = 0; d < drafts.size(); ++d) {
    Measure& measure = r.model.measures[drafts[d].index];
    const auto expression = read_expression(r, *drafts[d].text, "measure " + quote(measure.name), names);
    if (!expression) continue;
    for (std::size_t i = 0; i < r.model.measures.size(); ++i) {
      if (expression->uses(static_cast<int>(i))) uses[d].push_back(i);
    }
  }
  refuse_circles(r, drafts, uses);
}

}  // namespace

void read_measures(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (!check_section(r, section, "measures", "{name: {length: [P, Q]}, …}")) return;
  std::vector<Draft> expressions;
  std::vector<std::string> broken;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "measure")) continue;
    Measure measure;
    measure.name = child.key->text;
    measure.where = child.key->where;
    measure.kind = Kind::expression;
    const std::string subject = "measure " + quote(measure.name);
    const Node* text = child.value;
    bool complete = true;
    if (!child.value->is_scalar()) {  // otherwise the expression alone
      const std::string kind =
          read_kind(r, *child.key, *child.value, subject, kind_words(), "{length: [P, Q]}, or an expression in quotes");
      if (kind.empty()) {
        broken.push_back(measure.name);
        continue;
      }
      measure.kind = *kind_by_word(kind);
      const Fields fields(r, *child.value, "measure " + kind, subject);
      complete = MeasureReader(r, joints, kind, fields, measure).read();
      text = fields.find("expression");
      if (measure.kind == Kind::expression) read_gives(r, fields, measure);
    }
    if (measure.kind == Kind::expression) {
      measure.text = text->is_scalar() ? text->text : "";
      measure.length_unit = r.model.units.length_si;
      measure.angle_unit = r.model.units.angle_si;
      expressions.push_back({r.model.measures.size(), text});
    }
    if (complete) {
      r.model.measures.push_back(std::move(measure));
    } else {
      broken.push_back(measure.name);
    }
  }
  read_expressions(r, expressions, broken);
}

}  // namespace trammel::readers
