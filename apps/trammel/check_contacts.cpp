// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "check_contacts.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check_linkage.hpp"
#include "function_text.hpp"
#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

std::string shape_of(const ContactShape& s) {
  switch (s.kind) {
    case ContactShape::Kind::points:
      return s.points.size() == 1 ? "point" : fmt::format("{} points", s.points.size());
    case ContactShape::Kind::sphere:
      return fmt::format("sphere of radius {} m", number(s.radius));
    case ContactShape::Kind::wheel:
      return fmt::format("wheel of radius {} m, tyre {} m", number(s.radius), number(s.tyre));
    case ContactShape::Kind::box:
      return fmt::format("box of {} m", vector(s.size));
    case ContactShape::Kind::capsule:
      return fmt::format("capsule of {} m, radius {} m", number(s.length), number(s.radius));
  }
  return {};
}

std::string terrain_words(const Terrain& t) {
  switch (t.kind) {
    case Terrain::Kind::none:
      return "none";
    case Terrain::Kind::plane:
      return fmt::format("plane through {} m, normal {}", vector(t.X_WT.p), vector(t.X_WT.R.ez));
    case Terrain::Kind::steps:
      return fmt::format("{} step{} along {}, from {} m on", t.steps.size(), t.steps.size() == 1 ? "" : "s",
                         vector(t.X_WT.R.ex), vector(t.X_WT.p));
    case Terrain::Kind::grid:
      break;
  }
  const auto [low, high] = std::minmax_element(t.heights.begin(), t.heights.end());
  std::string edge(keyword(t.edge));
  if (t.edge == Terrain::Edge::plane) edge += fmt::format(" at {} m", number(t.edge_height));
  return fmt::format("grid of {} × {} nodes, {} m by {} m from {} m on, heights {} … {} m, beyond it: {}{}", t.nx, t.ny,
                     number((t.nx - 1) * t.spacing_x), number((t.ny - 1) * t.spacing_y), vector(t.X_WT.p), number(*low),
                     number(*high), edge, t.file.empty() ? "" : fmt::format(" (from {})", t.file));
}

std::string friction_of(double at_rest, double moving) {
  return at_rest == moving ? number(at_rest) : fmt::format("{}, {}", number(at_rest), number(moving));
}

std::string normal_of(const ContactLaw& law) {
  std::string text =
      fmt::format("{} N/m{}", number(law.stiffness), law.exponent == 1 ? "" : "^" + number(law.exponent));
  if (law.dissipation != 0) text += fmt::format(", {} s/m", number(law.dissipation));
  if (law.damping != 0) text += fmt::format(", {} N s/m", number(law.damping));
  return text;
}

// What a pair is against: names once for points of one shape.
std::string against_of(const Mechanism& mech, const ContactPair& pair) {
  return pair.target < 0 ? "terrain" : mech.contacts.shapes[static_cast<std::size_t>(pair.target)].name;
}

}  // namespace

void print_contacts(const Model& model, const Mechanism& mech) {
  if (model.terrain.kind != Terrain::Kind::none) {
    fmt::print("{}\n  {}\n\n", heading("Terrain"), terrain_words(model.terrain));
  }
  Table table({"contact", "on", "shape", "against", "normal", "friction (static, kinetic)", "bristles"});
  const Contacts& contacts = mech.contacts;
  int last_shape = -1, last_target = -2;
  for (const ContactPair& pair : contacts.pairs) {
    if (pair.shape == last_shape && pair.target == last_target) continue;
    last_shape = pair.shape, last_target = pair.target;
    const ContactShape& shape = contacts.shapes[static_cast<std::size_t>(pair.shape)];
    // Of a terrain with cells one line for each of their materials.
    const bool cells = pair.target < 0 && !contacts.terrain->cells.empty();
    const std::size_t first = static_cast<std::size_t>(pair.law);
    for (std::size_t k = 0; k <= (cells ? contacts.terrain->cell_materials.size() : 0); ++k) {
      const ContactLaw& law = contacts.laws[first + k];
      if (law.stiffness == 0 || (cells && k == 0 && contacts.terrain->material.empty())) continue;
      const std::string against =
          k == 0 ? against_of(mech, pair) : "terrain: " + contacts.terrain->cell_materials[k - 1];
      table.add({shape.name, shape.body, shape_of(shape), against, normal_of(law),
                 friction_of(law.friction_static, law.friction_kinetic),
                 law.friction_static > 0
                     ? fmt::format("{} N/m, {} N s/m", number(law.tangential_stiffness), number(law.tangential_damping))
                     : ""});
    }
  }
  print_titled("Contacts", table);
  Table impacts({"impact", "of", "restitution", "friction", "law", "at rest below"});
  for (const ImpactInfo& info : mech.impacts) {
    const Impact& i = info.settings;
    if (i.joint.empty()) {
      impacts.add({i.name, fmt::format("contact {}", i.contact), number(i.restitution),
                   i.friction ? number(*i.friction) : "of the materials", i.law, number(i.rest) + " m/s"});
    } else {
      const std::string which = i.side == Impact::Side::both ? "limits" : fmt::format("{} limit", keyword(i.side));
      impacts.add({i.name, fmt::format("{} of {}", which, coordinate(model, i.joint, i.dof)), number(i.restitution), "",
                   "", number(i.rest) + (is_angle(model, i.joint, i.dof) ? " rad/s" : " m/s")});
    }
  }
  print_titled("Impacts", impacts);
}

namespace {

ordered_json impact_json(const Model& model, const Impact& i) {
  ordered_json entry;
  if (i.joint.empty()) {
    entry = {{"contact", i.contact}};
  } else {
    entry = {{"limit", coordinate(model, i.joint, i.dof)}, {"side", keyword(i.side)}};
  }
  entry["restitution"] = i.restitution;
  if (i.friction) entry["friction"] = *i.friction;
  if (i.joint.empty()) entry["law"] = i.law;
  entry["rest"] = i.rest;
  return entry;
}

}  // namespace

void add_contacts(const Model& model, const Mechanism& mech, ordered_json& report) {
  const Terrain& t = model.terrain;
  if (t.kind != Terrain::Kind::none) {
    report["terrain"] = {{"kind", keyword(t.kind)}};
    if (t.kind == Terrain::Kind::grid) {
      report["terrain"].update(
          {{"nodes", {t.nx, t.ny}}, {"spacing", {t.spacing_x, t.spacing_y}}, {"edge", keyword(t.edge)}});
    }
  }
  for (const ImpactInfo& info : mech.impacts) {
    report["impacts"][info.settings.name] = impact_json(model, info.settings);
  }
  report["contacts"] = ordered_json::object();
  for (const ContactPair& pair : mech.contacts.pairs) {
    const ContactLaw& law = mech.contacts.laws[static_cast<std::size_t>(pair.law)];
    report["contacts"][pair.name] = {
        {"kind", keyword(pair.kind)},
        {"on", mech.contacts.shapes[static_cast<std::size_t>(pair.shape)].body},
        {"against", against_of(mech, pair)},
        {"stiffness", law.stiffness},
        {"exponent", law.exponent},
        {"dissipation", law.dissipation},
        {"damping", law.damping},
        {"tangential_stiffness", law.tangential_stiffness},
        {"tangential_damping", law.tangential_damping},
        {"friction", {{"static", law.friction_static}, {"kinetic", law.friction_kinetic}}}};
  }
}

}  // namespace trammel::tool
