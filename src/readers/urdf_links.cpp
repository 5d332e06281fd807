// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Links: mass, centre of mass and inertia. The numbers of <inertia> are at the origin of <inertial>, in its axes:
//   p_BC = p of <origin>,   I_C = R I Rᵀ with R of <origin>

#include <cmath>

#include <fmt/format.h>

#include "model/inertia_check.hpp"
#include "readers/urdf_reading.hpp"

namespace trammel::readers::urdf {

namespace {

double moment(Reading& r, const XmlElement& inertia, std::string_view attribute, const std::string& owner,
              bool required) {
  const XmlAttribute* given = required ? require(r, inertia, attribute, owner, fmt::format("add {}=\"…\"", attribute))
                                       : inertia.find(attribute);
  if (given == nullptr) return 0;
  return read_number(r.messages, *given, fmt::format("{} of {}", attribute, owner)).value_or(0);
}

Sym3d read_inertia(Reading& r, const XmlElement& inertial, const std::string& owner) {
  const XmlElement* inertia = only_child(r, inertial, "inertia", owner);
  if (inertia == nullptr) {
    r.messages.warning(inertial.where, "missing-element",
                       fmt::format("<inertial> of {} has no <inertia>: it is taken to be 0", owner),
                       "add <inertia ixx=\"…\" ixy=\"…\" ixz=\"…\" iyy=\"…\" iyz=\"…\" izz=\"…\"/>");
    return {};
  }
  report_unknown(*inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, r.messages, r.left_out);
  Sym3d I;
  I.xx = moment(r, *inertia, "ixx", owner, true);
  I.yy = moment(r, *inertia, "iyy", owner, true);
  I.zz = moment(r, *inertia, "izz", owner, true);
  I.xy = moment(r, *inertia, "ixy", owner, false);
  I.xz = moment(r, *inertia, "ixz", owner, false);
  I.yz = moment(r, *inertia, "iyz", owner, false);
  return I;
}

double read_mass(Reading& r, const XmlElement& inertial, const std::string& owner) {
  const XmlElement* mass = only_child(r, inertial, "mass", owner);
  if (mass == nullptr) {
    r.messages.error(inertial.where, "missing-element", fmt::format("<inertial> of {} has no <mass>", owner),
                     "add <mass value=\"…\"/>");
    return 0;
  }
  report_unknown(*mass, {"value"}, {}, r.messages, r.left_out);
  const XmlAttribute* value = require(r, *mass, "value", owner, "add value=\"…\", the mass in kg");
  if (value == nullptr) return 0;
  const auto number = read_number(r.messages, *value, "mass of " + owner);
  if (number && *number < 0) {
    r.messages.error(value->value_where, "mass-negative",
                     fmt::format("{} has a negative mass: {} kg", owner, value->value), "give a mass of 0 or more");
    return 0;
  }
  return number.value_or(0);
}

void check_inertia(Reading& r, const Body& body, SourceLocation where) {
  if (const std::string_view overflow = find_overflow(body.mass, body.com, body.inertia); !overflow.empty()) {
    r.messages.error(where, "number-not-finite",
                     fmt::format("{} of link {} is beyond what a double holds", overflow, quote(body.name)),
                     "check the sizes and units");
    return;
  }
  const InertiaJudgement judgement = judge_inertia(body.inertia);
  const std::string moments = fmt::format("{}, {}, {} kg m²", rounded(judgement.principal.x),
                                          rounded(judgement.principal.y), rounded(judgement.principal.z));
  if (judgement.negative) {
    r.messages.error(where, "inertia-negative",
                     fmt::format("link {} has a negative principal moment of inertia: {}", quote(body.name), moments),
                     "give the inertia at the centre of mass; check the signs of ixy, ixz, iyz");
  } else if (judgement.triangle) {
    r.messages.warning(body.where, "inertia-triangle",
                       fmt::format("link {} has principal moments {}: the largest exceeds the sum of the others, "
                                   "which no real body's does",
                                   quote(body.name), moments),
                       "check the inertia; it is used as given");
  }
}

}  // namespace

void declare_links(Reading& r, const XmlElement& robot) {
  for (const XmlElement& child : robot.children) {
    if (child.name != "link") continue;
    const std::string name = read_name(r, child, "link");
    if (name.empty()) continue;
    const auto [found, is_new] = r.link_index.try_emplace(name, r.model.bodies.size());
    if (!is_new) {
      r.messages.error(child.where, "name-duplicate",
                       fmt::format("there are two links called {}; the other is in line {}", quote(name),
                                   r.links[found->second]->where.line),
                       "rename one of them");
      continue;
    }
    r.link_names.push_back(name);
    r.links.push_back(&child);
    Body& body = r.model.bodies.emplace_back();
    body.name = name;
    body.where = child.where;
  }
  if (r.links.empty()) {
    r.messages.error(robot.where, "no-bodies", "the robot has no links", "add <link name=\"…\"/>");
  }
  const auto ground = r.link_index.find(std::string(ground_name));
  if (ground == r.link_index.end()) return;
  Body& body = r.model.bodies[ground->second];
  body.name = "ground_link";
  while (r.link_index.contains(body.name)) body.name += "_";
  r.messages.warning(
      body.where, "name-reserved",
      fmt::format("a link is called 'ground', which means the world; its body is called {}", quote(body.name)),
      "choose another name");
}

void read_link(Reading& r, const XmlElement& link, Body& body) {
  const std::string owner = "link " + quote(body.name);
  report_unknown(link, {"name"}, {"inertial", "visual", "collision"}, r.messages, r.left_out);
  read_shapes(r, link, body);
  const XmlElement* inertial = only_child(r, link, "inertial", owner);
  if (inertial == nullptr) return;
  report_unknown(*inertial, {}, {"origin", "mass", "inertia"}, r.messages, r.left_out);
  const Transformd X_BI = read_origin(r, *inertial, "the inertial of " + owner);
  body.mass = read_mass(r, *inertial, owner);
  body.com = X_BI.p;
  body.inertia = rotate(X_BI.R, read_inertia(r, *inertial, owner));
  check_inertia(r, body, inertial->where);
}

void tell_massless_links(Reading& r) {
  if (r.messages.has_errors()) return;  // the mass may be what could not be read
  const Body* first = nullptr;
  std::vector<std::string> names;
  for (const Body& body : r.model.bodies) {
    if (body.mass != 0 || body.inertia != Sym3d{}) continue;
    if (first == nullptr) first = &body;
    names.push_back(quote(body.name));
  }
  if (first == nullptr) return;
  const std::size_t shown = std::min<std::size_t>(names.size(), 5);
  const std::string rest = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
  const char* word = names.size() == 1 ? "a link" : "links";
  names.resize(shown);
  r.messages.warning(first->where, "link-massless",
                     fmt::format("{} without mass: {}{}", word, fmt::join(names, ", "), rest),
                     "nothing needs to be done where they are fixed to others with mass");
}

}  // namespace trammel::readers::urdf
