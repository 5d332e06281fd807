// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_couplings.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_geometry.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {

namespace {

using Kind = Coupling::Kind;
constexpr std::array kinds{Kind::gear, Kind::belt, Kind::rack, Kind::screw, Kind::mimic};

std::vector<std::string> kind_words() {
  std::vector<std::string> words;
  for (const Kind kind : kinds) words.emplace_back(keyword(kind));
  return words;
}

class CouplingReader {
 public:
  CouplingReader(Reading& r, const std::vector<JointDraft>& joints, const Fields& fields, Coupling& coupling)
      : r_(r), joints_(joints), fields_(fields), coupling_(coupling) {}

  // False if a message was given that leaves the coupling without meaning.
  bool read() {
    const Node& pair = *fields_.find(keyword(coupling_.kind));
    const auto names = read_two_names(r_, pair, "the joints of " + fields_.subject(),
                                      fmt::format("{}: [first joint, second joint]", keyword(coupling_.kind)));
    if (!names) return false;
    const auto first = find_coordinate(r_, *pair.children[0].value, names->first, fields_.subject(), joints_, "couple");
    const auto second =
        find_coordinate(r_, *pair.children[1].value, names->second, fields_.subject(), joints_, "couple");
    if (!first || !second) return false;
    if (first->joint == second->joint && first->dof == second->dof) {
      r_.messages.error(pair.where, "coupling-to-itself",
                        fmt::format("{} couples {} to itself", fields_.subject(), quote(names->first)),
                        "name two different coordinates");
      return false;
    }
    if (!check_units(pair, *first, *second)) return false;
    coupling_.first = r_.model.joints[first->joint].name;
    coupling_.second = r_.model.joints[second->joint].name;
    coupling_.first_dof = first->dof;
    coupling_.second_dof = second->dof;
    read_ratio(*first, *second);
    if (const Node* offset = fields_.find("offset")) {
      coupling_.offset = read_number(r_, *offset, fields_.what("offset"), second->freedom.dimension).value_or(0);
    }
    return true;
  }

 private:
  bool check_units(const Node& pair, const Coordinate& first, const Coordinate& second) {
    if (coupling_.kind == Kind::mimic) return true;
    const bool to_travel = coupling_.kind != Kind::gear && coupling_.kind != Kind::belt;
    const auto is_angle = [](const Coordinate& c) { return c.freedom.dimension == dimension::angle; };
    if (is_angle(first) && is_angle(second) != to_travel) return true;
    const auto word = [&](const Coordinate& c) { return is_angle(c) ? "an angle" : "a travel"; };
    r_.messages.error(pair.where, "coupling-units",
                      fmt::format("{} couples {} to {}; a {} couples an angle to {}", fields_.subject(), word(first),
                                  word(second), keyword(coupling_.kind), to_travel ? "a travel" : "an angle"),
                      "exchange the joints, or use mimic");
    return false;
  }

  void read_ratio(const Coordinate& first, const Coordinate& second) {
    Dimension per = second.freedom.dimension;
    per.length -= first.freedom.dimension.length;
    per.angle -= first.freedom.dimension.angle;
    switch (coupling_.kind) {
      case Kind::gear:
        if (fields_.has("teeth")) return read_teeth();
        refuse_beside_ratio("internal", "teeth", "above 0 where one gear is inside the other, below 0 otherwise");
        return ratio_from("ratio", dimension::none, 1, "teeth");
      case Kind::belt:
        if (fields_.has("radii")) return read_pulleys();
        refuse_beside_ratio("crossed", "radii", "below 0 where the belt is crossed");
        return ratio_from("ratio", dimension::none, 1, "radii");
      case Kind::rack:
        return ratio_from("radius", dimension::length, 1, "");
      case Kind::screw:
        return fields_.has("advance") ? ratio_from("advance", per, 1, "")
                                      : ratio_from("pitch", dimension::length, Helical::two_pi, "advance");
      case Kind::mimic:
        if (!fields_.has("ratio")) return void(coupling_.ratio = 1);
        return ratio_from("ratio", per, 1, "");
    }
  }

  void ratio_from(std::string_view key, const Dimension& dimension, double over, std::string_view other) {
    const Node* node = fields_.find(key);
    if (node == nullptr) {
      fields_.report_missing(r_, key,
                             other.empty() ? fmt::format("add {}: followed by a number", key)
                                           : fmt::format("add '{}', or '{}'", key, other));
      return;
    }
    const auto number = read_number(r_, *node, fields_.what(key), dimension);
    if (!number) return;
    if (*number == 0) {
      r_.messages.error(node->where, "ratio-zero", fmt::format("{} is 0, which couples nothing", fields_.what(key)),
                        "give a number other than 0, or delete the coupling");
      return;
    }
    coupling_.ratio = *number / over;
  }

  // A ratio has its sign itself; a second word about it could only contradict.
  void refuse_beside_ratio(std::string_view key, std::string_view goes_with, std::string_view sign) {
    const Node* node = fields_.find(key);
    if (node == nullptr || !fields_.has("ratio")) return;
    r_.messages.error(
        node->where, "key-conflict",
        fmt::format("{} has '{}' beside 'ratio'; it goes with '{}' only", fields_.subject(), key, goes_with),
        fmt::format("delete '{}': the sign of the ratio says it, {}", key, sign));
  }

  // The belt runs equally fast over both pulleys, which turn the same way unless it is crossed.
  void read_pulleys() {
    if (const Node* ratio = fields_.find("ratio")) {
      r_.messages.error(ratio->where, "key-conflict", fields_.subject() + " has both 'radii' and 'ratio'",
                        "keep one of them");
    }
    bool crossed = false;
    if (const Node* given = fields_.find("crossed")) {
      crossed = read_bool(r_, *given, fields_.what("crossed")).value_or(false);
    }
    const auto radii = read_radii(r_, *fields_.find("radii"), fields_.what("radii"));
    if (!radii) return;
    coupling_.ratio = (crossed ? -1 : 1) * radii->first / radii->second;
    coupling_.radii = radii;
  }

  void read_teeth() {
    const Node& node = *fields_.find("teeth");
    if (const Node* ratio = fields_.find("ratio")) {
      r_.messages.error(ratio->where, "key-conflict", fields_.subject() + " has both 'teeth' and 'ratio'",
                        "keep one of them");
    }
    bool internal = false;
    if (const Node* given = fields_.find("internal")) {
      internal = read_bool(r_, *given, fields_.what("internal")).value_or(false);
    }
    const auto teeth = read_numbers(r_, node, fields_.what("teeth"), std::vector<Dimension>(2));
    if (!teeth) return;
    for (const double z : *teeth) {
      if (z > 0 && z == std::floor(z)) continue;
      r_.messages.error(node.where, "teeth-not-whole",
                        fmt::format("{} must be whole numbers above 0, not {}", fields_.what("teeth"), shortest(z)),
                        "give the numbers of teeth; for an internal gear add internal: true");
      return;
    }
    coupling_.ratio = (internal ? 1 : -1) * (*teeth)[0] / (*teeth)[1];
  }

  Reading& r_;
  const std::vector<JointDraft>& joints_;
  const Fields& fields_;
  Coupling& coupling_;
};

std::optional<Kind> kind_of(Reading& r, const Node& key, const Node& node) {
  const std::string subject = "coupling " + quote(key.text);
  if (!node.is_map()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a mapping, not {}", subject, describe(node)),
                     "write for example {gear: [first joint, second joint], ratio: -2}");
    return std::nullopt;
  }
  std::optional<Kind> found;
  for (const Kind kind : kinds) {
    if (node.find(keyword(kind)) == nullptr) continue;
    if (found) {
      r.messages.error(key.where, "coupling-kind",
                       fmt::format("{} is both {} and {}", subject, keyword(*found), keyword(kind)),
                       "write two couplings as two entries");
      return std::nullopt;
    }
    found = kind;
  }
  if (found) return found;
  SourceLocation where = key.where;
  std::string fix = "give one of " + one_of(kind_words());
  for (const Node::Child& child : node.children) {
    const std::string guess = r.messages.guess(child.key->text, kind_words());
    if (guess.empty()) continue;
    where = child.key->where;
    fix = fmt::format("did you mean '{}' instead of {}?", guess, quote(child.key->text));
  }
  r.messages.error(where, "coupling-kind", subject + " does not say what it is", fix);
  return std::nullopt;
}

void read_output(Reading& r, const Node& key, const Node& node) {
  const Fields fields(r, node, "output", "output " + quote(key.text));
  const auto point = read_carried_point(r, fields);
  if (!point) return;
  Output& output = r.model.outputs.emplace_back();
  output.name = key.text;
  output.body = point->body;
  output.p_B = point->p_B;
  output.where = key.where;
  if (!is_finite(output.p_B)) {
    r.messages.error(key.where, "number-not-finite",
                     fmt::format("the place of {} is beyond what a double holds", fields.subject()),
                     "check the sizes and units");
  }
}

}  // namespace

void read_couplings(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (!check_section(r, section, "couplings", "{name: {gear: [first joint, second joint], ratio: -2}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "coupling")) continue;
    const auto kind = kind_of(r, *child.key, *child.value);
    if (!kind) continue;
    Coupling coupling;
    coupling.name = child.key->text;
    coupling.kind = *kind;
    coupling.where = child.key->where;
    const Fields fields(r, *child.value, fmt::format("coupling {}", keyword(*kind)),
                        fmt::format("{} {}", keyword(*kind), quote(coupling.name)));
    if (CouplingReader(r, joints, fields, coupling).read()) r.model.couplings.push_back(std::move(coupling));
  }
}

void read_outputs(Reading& r, const Node& section) {
  if (!check_section(r, section, "outputs", "{name: {point: P, on: body}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (check_name(r, *child.key, "output")) read_output(r, *child.key, *child.value);
  }
}

}  // namespace trammel::readers
