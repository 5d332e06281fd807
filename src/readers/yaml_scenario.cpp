// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The reader of impact scenarios. The model is already there: its names and units are known from the start.

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <trammel/impact_scenario.hpp>

#include "readers/load_file.hpp"
#include "readers/yaml_joints.hpp"
#include "readers/yaml_keys.hpp"

namespace trammel {

namespace {

using namespace readers;  // NOLINT(google-build-using-namespace): the private half of this file's own layer
using Contact = ImpactScenario::Contact;

// What the pieces below share.
struct Scene {
  Reading r;
  std::vector<JointDraft> drafts;
  ImpactScenario scenario;
};

void know_the_model(Scene& s, const Model& model) {
  s.r.model = model;
  for (const Point& point : model.points) s.r.points.add(point.name), s.r.point_is_known.push_back(true);
  for (const Body& body : model.bodies) s.r.bodies.add(body.name);
  for (const Joint& joint : model.joints) {
    s.r.joints.add(joint.name);
    s.drafts.emplace_back().has_type = true;
  }
}

const Output* find_output(const Model& model, const std::string& name) {
  for (const Output& output : model.outputs) {
    if (output.name == name) return &output;
  }
  return nullptr;
}

// An output of the first body, a point or coordinates where they are at the design position.
bool read_touching_point(Scene& s, const Fields& fields, const BodyRef& first, Contact& contact) {
  const Node* at = fields.find("at");
  if (at == nullptr) {
    fields.report_missing(s.r, "at",
                          "add at: an output of the model, a point of it, or [x, y, z] at the design position");
    return false;
  }
  if (at->is_scalar()) {
    const Output* output = find_output(s.r.model, at->text);
    if (output != nullptr && !s.r.points.find(at->text)) {
      if (output->body != contact.first) {
        s.r.messages.error(
            at->where, "impact-point",
            fmt::format("{} touches at output {}, which is on {}, not on its first body {}", fields.subject(),
                        quote(output->name), quote(output->body), quote(contact.first)),
            fmt::format("name {} first, or give another point", quote(output->body)));
        return false;
      }
      contact.p_A = output->p_B;
      return true;
    }
  }
  const auto place = read_place(s.r, *at, fields.what("at"));
  if (!place) return false;
  contact.p_A = inverse(design_pose(s.r, first)) * place->p;  // world coordinates at the design position
  return true;
}

std::optional<double> read_share(Reading& r, const Node& node, const std::string& what) {
  const auto x = read_number(r, node, what, dimension::none);
  if (!x || (*x >= 0 && *x <= 1)) return x;
  r.messages.error(node.where, "share-range", fmt::format("{} is {}, which is not between 0 and 1", what, rounded(*x)),
                   what.starts_with("restitution") ? "0 is plastic, 1 is elastic" : "0 is free, 1 is locked");
  return std::nullopt;
}

bool read_two_bodies(Scene& s, const Fields& fields, const Node& node, std::string_view kind, Contact& contact) {
  Reading& r = s.r;
  const auto two = read_two_names(r, node, fields.what(kind), "[hand, target]");
  if (!two) return false;
  const auto first = find_body(r, node, two->first, fields.what(kind)),
             second = find_body(r, node, two->second, fields.what(kind));
  if (!first || !second) return false;
  contact.first = two->first, contact.second = two->second;
  if (two->first == two->second) {
    r.messages.error(node.where, "impact-itself",
                     fmt::format("{} joins {} to itself", fields.subject(), quote(two->first)), "name two bodies");
    return false;
  }
  return read_touching_point(s, fields, *first, contact);
}

bool read_direction_of(Scene& s, const Fields& fields, std::string_view key, Vec3d& out) {
  const Node* node = fields.find(key);
  if (node == nullptr) return true;
  const auto d = read_direction(s.r, *node, fields.what(key), {});
  if (d) out = *d;
  return d.has_value();
}

bool read_limit(Scene& s, const Fields& fields, const Node& node, Contact& contact) {
  const auto name = read_text(s.r, node, fields.what("limit"));
  if (!name) return false;
  const auto coordinate = find_coordinate(s.r, node, *name, fields.subject(), s.drafts, "stop");
  if (!coordinate) return false;
  contact.limit_joint = s.r.model.joints[coordinate->joint].name;
  contact.limit_dof = coordinate->dof;
  const Node* side = fields.find("side");
  if (side == nullptr) {
    fields.report_missing(s.r, "side", "add side: upper or lower");
    return false;
  }
  const auto word = read_word(s.r, *side, fields.what("side"), {"upper", "lower"});
  if (word) contact.is_upper = *word == "upper";
  return word.has_value();
}

// The joint by which a capture holds: its type, its axis or axes, the pitch of a screw.
bool read_captor(Scene& s, const Fields& fields, Contact& contact) {
  Reading& r = s.r;
  if (const Node* joint = fields.find("joint")) {
    const auto x = read_word(r, *joint, fields.what("joint"), joint_keywords());
    if (!x) return false;
    contact.joint = *x;
    if (contact.joint == "free") {
      r.messages.error(joint->where, "key-conflict", fmt::format("{} holds nothing by a free joint", fields.subject()),
                       "name a joint that blocks something, or leave it out: fixed");
      return false;
    }
  }
  bool complete = true;
  const bool has_axes = contact.joint == "universal", is_screw = contact.joint == "helical";
  const bool has_axis = !has_axes && contact.joint != "fixed" && contact.joint != "spherical";
  const auto only_where = [&](std::string_view key, bool fits, std::string_view fix) {
    const Node* given = fields.find(key);
    if (given == nullptr || fits) return;
    r.messages.error(given->where, "key-conflict",
                     fmt::format("{} has '{}', which a {} joint has not", fields.subject(), key, contact.joint),
                     std::string(fix));
    complete = false;
  };
  only_where("axis", has_axis, has_axes ? "write axes: [first, second]" : "leave it out");
  only_where("axes", has_axes, has_axis ? "write axis" : "leave it out");
  only_where("pitch", is_screw, "leave it out");
  only_where("advance", is_screw, "leave it out");
  if (!complete) return false;
  if (is_screw) {
    Helical screw;
    complete = (fields.has("pitch") || fields.has("advance")) && !(fields.has("pitch") && fields.has("advance"));
    read_pitch(r, fields, screw);
    contact.advance = screw.h;
  }
  if (!has_axes) return read_direction_of(s, fields, "axis", contact.axis_W) && complete;
  const auto axes = read_two_axes(r, fields, {});
  if (axes) contact.axis_W = axes->first, contact.second_axis_W = axes->second;
  return axes.has_value();
}

bool read_contact(Scene& s, const Fields& fields, Contact& contact) {
  Reading& r = s.r;
  const std::pair<std::string_view, Contact::Kind> kinds[] = {{"point", Contact::Kind::point},
                                                              {"rigid", Contact::Kind::rigid},
                                                              {"capture", Contact::Kind::capture},
                                                              {"limit", Contact::Kind::limit}};
  const Node* node = nullptr;
  std::string_view word;
  for (const auto& kind : kinds) {
    const Node* here = fields.find(kind.first);
    if (here == nullptr) continue;
    if (node != nullptr) {
      r.messages.error(here->where, "key-conflict",
                       fmt::format("{} has both '{}' and '{}'", fields.subject(), word, kind.first),
                       "write two contacts");
      return false;
    }
    node = here, word = kind.first, contact.kind = kind.second;
  }
  if (node == nullptr) {
    fields.report_missing(r, "point", "add point: [first, second], or rigid, capture or limit");
    return false;
  }
  bool complete = contact.kind == Contact::Kind::limit ? read_limit(s, fields, *node, contact)
                                                       : read_two_bodies(s, fields, *node, word, contact);
  const auto only_for = [&](std::string_view key, Contact::Kind kind, std::string_view kind_word) {
    const Node* given = fields.find(key);
    if (given == nullptr || contact.kind == kind) return;
    r.messages.error(given->where, "key-conflict",
                     fmt::format("{} has '{}', which belongs to a {}", fields.subject(), key, kind_word),
                     "leave it out");
    complete = false;
  };
  only_for("normal", Contact::Kind::point, "point");
  only_for("friction", Contact::Kind::point, "point");
  only_for("law", Contact::Kind::point, "point");
  only_for("joint", Contact::Kind::capture, "capture");
  for (const std::string_view key : {"axis", "axes", "pitch", "advance"})
    only_for(key, Contact::Kind::capture, "capture");
  only_for("side", Contact::Kind::limit, "limit");
  if (contact.kind == Contact::Kind::point && !fields.has("normal")) {
    fields.report_missing(r, "normal",
                          "add normal: x, -y or [x, y, z], in the world, from the second body to the first");
    complete = false;
  }
  complete = read_direction_of(s, fields, "normal", contact.normal_W) && complete;
  if (const Node* e = fields.find("restitution")) {
    const auto x = read_share(r, *e, fields.what("restitution"));
    contact.restitution = x.value_or(0);
    complete = complete && x;
    if (x && *x > 0 && contact.kind == Contact::Kind::capture) {
      r.messages.error(e->where, "key-conflict",
                       fmt::format("{} is a capture, which gives nothing back", fields.subject()),
                       "leave restitution out");
      complete = false;
    }
  }
  if (const Node* f = fields.find("friction")) {
    const auto x = read_not_negative(r, *f, fields.what("friction"), dimension::none);
    contact.friction = x.value_or(0);
    complete = complete && x;
  }
  if (const Node* law = fields.find("law")) {
    const auto x = read_word(r, *law, fields.what("law"), {"stronge", "poisson", "newton"});
    if (x) contact.law = *x;
    complete = complete && x;
  }
  if (contact.kind == Contact::Kind::capture) complete = read_captor(s, fields, contact) && complete;
  return complete;
}

void read_contacts_of(Scene& s, const Node& section) {
  if (!check_section(s.r, section, "contacts", "{tip: {point: [hand, target], at: tip, normal: y}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (!check_name(s.r, *child.key, "contact")) continue;
    Contact contact;
    contact.name = child.key->text;
    contact.where = child.key->where;
    const Fields fields(s.r, *child.value, "impact contact", "contact " + quote(contact.name));
    if (fields.usable() && read_contact(s, fields, contact)) s.scenario.contacts.push_back(std::move(contact));
  }
}

void read_resistance(Scene& s, const Node& node) {
  Reading& r = s.r;
  if (node.is_null()) return;
  if (node.is_scalar()) {
    s.scenario.share = read_share(r, node, "resistance").value_or(0);
    return;
  }
  const Fields fields(r, node, "resistance", "resistance");
  const auto of_joints = [&](std::string_view key, bool is_share, std::vector<ImpactScenario::OfJoint>& list) {
    const Node* map = fields.find(key);
    if (map == nullptr || !check_section(r, *map, key, "{elbow: 0.5, …}")) return;
    for (const Node::Child& child : map->children) {
      const auto c = find_coordinate(r, *child.key, child.key->text, std::string(key), s.drafts, "hold", true);
      const std::string what = fmt::format("{} of joint {}", key, quote(child.key->text));
      if (!c) continue;
      const Node& value = *child.value;
      const bool locks =
          !is_share && value.is_scalar() && !value.quoted && (value.text == "inf" || value.text == ".inf");
      const auto x = locks      ? std::numeric_limits<double>::infinity()
                     : is_share ? read_share(r, value, what)
                                : read_not_negative(r, value, what, armature_of(c->freedom));
      if (x) list.push_back({r.model.joints[c->joint].name, c->dof, *x});
    }
  };
  if (const Node* share = fields.find("share"))
    s.scenario.share = read_share(r, *share, "share of resistance").value_or(0);
  of_joints("shares", true, s.scenario.shares);
  if (fields.find("share") != nullptr && fields.find("shares") != nullptr) {
    r.messages.error(fields.find("shares")->where, "key-conflict",
                     "resistance has 'share', which is that of all joints, and 'shares', one of each",
                     "keep one of them");
  }
  of_joints("dampers", false, s.scenario.dampers);
}

void read_scene(Scene& s, const Node& root) {
  static const Node nothing;
  const auto section = [&](std::string_view key) -> const Node& {
    const Node* node = root.find(key);
    return node == nullptr ? nothing : *node;
  };
  const Fields fields(s.r, root, "impact", "an impact");
  const Node* version = root.find("impact");
  if (version == nullptr || !version->is_scalar() || version->text != "1") {
    s.r.messages.error(version == nullptr ? SourceLocation{1, 1} : version->where, "format-missing",
                       "the file does not say that it is an impact", "begin it with the line 'impact: 1'");
  }
  read_initial(s.r, section("initial"), s.drafts);
  read_contacts_of(s, section("contacts"));
  constexpr const char* example = "add contacts: {tip: {point: [hand, target], at: tip, normal: y}}";
  const Node& contacts = section("contacts");
  if (contacts.is_null()) fields.report_missing(s.r, "contacts", example);
  if (contacts.is_map() && contacts.children.empty()) {
    s.r.messages.error(contacts.where, "missing-key", "an impact needs a contact, and 'contacts' has none", example);
  }
  read_resistance(s, section("resistance"));
}

}  // namespace

ScenarioResult read_impact_scenario(std::string_view text, const std::string& file, const Model& model,
                                    std::size_t max_bytes) {
  Scene s;
  know_the_model(s, model);
  s.scenario.file = file;
  const Tree tree = parse_yaml(text, max_bytes, s.r.messages);
  if (tree.root == nullptr || tree.root->is_null()) {
    if (!s.r.messages.has_errors())
      s.r.messages.error({1, 1}, "file-empty", "the file is empty", "begin it with the line 'impact: 1'");
  } else if (!tree.root->is_map()) {
    s.r.messages.error(tree.root->where, "wrong-type",
                       fmt::format("an impact must be a mapping, not {}", describe(*tree.root)),
                       "write it as 'key: value' lines, the first of them 'impact: 1'");
  } else {
    read_scene(s, *tree.root);
  }
  return {std::move(s.scenario), std::move(s.r.model), s.r.messages.finish(file)};
}

ScenarioResult load_impact_scenario(const std::string& path, const Model& model) {
  Messages messages;
  std::string text;
  constexpr std::size_t max_bytes = 1u << 20;
  if (!load_file(path, max_bytes, text, messages)) return {{}, model, messages.finish(path)};
  return read_impact_scenario(text, path, model, max_bytes);
}

}  // namespace trammel
