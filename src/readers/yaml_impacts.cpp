// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `impacts`: which contacts and stops are hard. Whether the contact is there and the joint has a limit is judged by compile().

#include <fmt/format.h>

#include "readers/yaml_contacts.hpp"
#include "readers/yaml_joints.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_writing.hpp"

namespace trammel::readers {
namespace {

const std::vector<std::string> law_words{"stronge", "poisson", "newton"};
constexpr Dimension speed_of_points{.length = 1, .time = -1};

// 0 … 1
bool read_restitution(Reading& r, const Fields& fields, Impact& impact) {
  const Node* node = fields.find("restitution");
  if (node == nullptr) return true;
  const std::string what = fields.what("restitution");
  const auto e = read_number(r, *node, what, dimension::none);
  if (!e) return false;
  impact.restitution = *e;
  if (*e >= 0 && *e <= 1) return true;
  r.messages.error(node->where, "share-range", fmt::format("{} is {}, which is not between 0 and 1", what, rounded(*e)),
                   "0 is plastic, 1 is elastic");
  return false;
}

bool read_rest(Reading& r, const Fields& fields, const Dimension& speed, Impact& impact) {
  const Node* node = fields.find("rest");
  if (node == nullptr) return true;
  const auto x = read_positive(r, *node, fields.what("rest"), speed);
  impact.rest = x.value_or(Impact::usual_rest);
  return x.has_value();
}

bool read_hard_contact(Reading& r, const Fields& fields, Impact& impact) {
  const auto name = read_text(r, *fields.find("contact"), fields.what("contact"));
  bool complete = name.has_value();
  impact.contact = name.value_or("");
  if (const Node* friction = fields.find("friction")) {
    impact.friction = read_not_negative(r, *friction, fields.what("friction"), dimension::none);
    complete = complete && impact.friction;
  }
  if (const Node* law = fields.find("law")) {
    const auto word = read_word(r, *law, fields.what("law"), law_words);
    complete = complete && word;
    impact.law = word.value_or(impact.law);
  }
  return read_rest(r, fields, speed_of_points, impact) && complete;
}

bool read_hard_limit(Reading& r, const Fields& fields, const std::vector<JointDraft>& joints, Impact& impact) {
  const Node& node = *fields.find("limit");
  const auto name = read_text(r, node, fields.what("limit"));
  if (!name) return false;
  const auto coordinate = find_coordinate(r, node, *name, fields.subject(), joints, "stop");
  if (!coordinate) return false;
  impact.joint = r.model.joints[coordinate->joint].name;
  impact.dof = coordinate->dof;
  bool complete = true;
  if (const Node* side = fields.find("side")) {
    const auto word = read_word(r, *side, fields.what("side"), {"lower", "upper", "both"});
    complete = word.has_value();
    for (const Impact::Side one : {Impact::Side::lower, Impact::Side::upper}) {
      if (word == keyword(one)) impact.side = one;
    }
  }
  return read_rest(r, fields, rate_of(coordinate->freedom), impact) && complete;
}

}  // namespace

void read_impacts(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (!check_section(r, section, "impacts", "{bounce: {contact: ball, restitution: 0.8}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "impact")) continue;
    Impact impact;
    impact.name = child.key->text;
    impact.where = child.key->where;
    const std::string subject = "impact " + quote(impact.name);
    const std::string kind = read_kind(r, *child.key, *child.value, subject, {"contact", "limit"},
                                       "{contact: ball, restitution: 0.8} or {limit: slide, restitution: 0.5}");
    if (kind.empty()) continue;
    const Fields fields(r, *child.value, "hard " + kind, subject);
    if (!fields.usable()) continue;
    const bool complete =
        kind == "contact" ? read_hard_contact(r, fields, impact) : read_hard_limit(r, fields, joints, impact);
    if (read_restitution(r, fields, impact) && complete) r.model.impacts.push_back(std::move(impact));
  }
}

Items impact_items(const Writing& w) {
  Items items;
  for (const Impact& impact : w.model().impacts) {
    Entries entries;
    Dimension speed = speed_of_points;
    if (impact.joint.empty()) {
      entries.emplace_back("contact", name_text(impact.contact));
    } else {
      entries.emplace_back("limit", w.coordinate_text(impact.joint, impact.dof));
      if (impact.side != Impact::Side::both) entries.emplace_back("side", std::string(keyword(impact.side)));
      speed = w.coordinate_dimension(impact.joint, impact.dof);
      speed.time -= 1;
    }
    entries.emplace_back("restitution", shortest(impact.restitution));
    if (impact.friction) entries.emplace_back("friction", shortest(*impact.friction));
    if (impact.law != "stronge") entries.emplace_back("law", name_text(impact.law));
    if (impact.rest != Impact::usual_rest) entries.emplace_back("rest", w.number()(impact.rest, speed));
    items.emplace_back(impact.name, entries);
  }
  return items;
}

}  // namespace trammel::readers
