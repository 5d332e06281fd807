// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The ground and what touches it, as the native writer draws them. Heights are always written out: a file beside the model may stay behind.

#include "readers/yaml_contacts.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_shapes.hpp"
#include "readers/yaml_writing.hpp"

namespace trammel::readers {
namespace {

using Kind = ContactShape::Kind;
using At = std::size_t;

bool is_identity(const Mat3d& R) { return R == Mat3d::identity(); }

std::string heights_text(const Writing& w, const Terrain& t) {
  std::vector<std::string> rows;
  for (int i = 0; i < t.nx; ++i) {
    std::vector<std::string> row;
    for (int j = 0; j < t.ny; ++j) {
      row.push_back(w.length(t.heights[static_cast<At>(i) * static_cast<At>(t.ny) + static_cast<At>(j)]));
    }
    rows.push_back(flow_list(row));
  }
  return flow_list(rows);
}

std::string cells_text(const Terrain& t) {
  std::vector<std::string> rows;
  for (int i = 0; i + 1 < t.nx; ++i) {
    std::vector<std::string> row;
    for (int j = 0; j + 1 < t.ny; ++j) {
      const int c = t.cells[static_cast<At>(i) * static_cast<At>(t.ny - 1) + static_cast<At>(j)];
      row.push_back(c < 0 ? "null" : name_text(t.cell_materials[static_cast<At>(c)]));
    }
    rows.push_back(flow_list(row));
  }
  return flow_list(rows);
}

std::string friction_text(const ContactMaterial& m) {
  if (m.friction_static == m.friction_kinetic) return shortest(m.friction_static);
  return flow_map({{"static", shortest(m.friction_static)}, {"kinetic", shortest(m.friction_kinetic)}});
}

}  // namespace

std::string terrain_text(const Writing& w) {
  const Terrain& t = w.model().terrain;
  Entries entries;
  switch (t.kind) {
    case Terrain::Kind::none:
      return {};
    case Terrain::Kind::plane:
      entries.emplace_back("plane", flow_map({{"through", w.number()(t.X_WT.p, dimension::length)},
                                              {"normal", direction_text(t.X_WT.R.ez)}}));
      break;
    case Terrain::Kind::steps: {
      std::vector<std::string> steps;
      for (const Terrain::Step& step : t.steps) steps.push_back(flow_list({w.length(step.x), w.length(step.height)}));
      entries.emplace_back("steps", flow_list(steps));
      break;
    }
    case Terrain::Kind::grid: {
      const std::string spacing = t.spacing_x == t.spacing_y
                                      ? w.length(t.spacing_x)
                                      : flow_list({w.length(t.spacing_x), w.length(t.spacing_y)});
      entries.emplace_back("grid", flow_map({{"spacing", spacing}, {"heights", heights_text(w, t)}}));
      if (t.edge == Terrain::Edge::hole) entries.emplace_back("edge", "hole");
      if (t.edge == Terrain::Edge::plane) entries.emplace_back("edge", flow_map({{"plane", w.length(t.edge_height)}}));
      if (!t.cells.empty()) entries.emplace_back("cells", cells_text(t));
      break;
    }
  }
  if (t.kind != Terrain::Kind::plane) {
    for (auto& entry : w.frame_entries(t.X_WT)) {
      if (entry.first == "at" && t.X_WT.p == Vec3d{}) continue;
      entries.push_back(std::move(entry));
    }
  }
  if (!t.material.empty()) entries.emplace_back("material", name_text(t.material));
  return flow_map(entries);
}

Items material_items(const Writing& w) {
  Items items;
  for (const ContactMaterial& m : w.model().materials) {
    Entries entries;
    if (m.between)
      entries.emplace_back("between", flow_list({name_text(m.between->first), name_text(m.between->second)}));
    if (m.exponent == 1) {
      entries.emplace_back("stiffness", w.number()(m.stiffness, spring_dimension::stiffness));
    } else {
      entries.emplace_back("stiffness", shortest(m.stiffness / stiffness_in_si(w.number().units(), m.exponent)));
      entries.emplace_back("exponent", shortest(m.exponent));
    }
    if (m.dissipation != 0)
      entries.emplace_back("dissipation", w.number()(m.dissipation, contact_dimension::dissipation));
    if (m.damping != 0) entries.emplace_back("damping", w.number()(m.damping, spring_dimension::damping));
    if (m.friction_static != 0) entries.emplace_back("friction", friction_text(m));
    Entries tangential;
    if (m.tangential_stiffness) {
      tangential.emplace_back("stiffness", w.number()(*m.tangential_stiffness, spring_dimension::stiffness));
    }
    if (m.tangential_damping) {
      tangential.emplace_back("damping", w.number()(*m.tangential_damping, spring_dimension::damping));
    }
    if (!tangential.empty()) entries.emplace_back("tangential", flow_map(tangential));
    items.emplace_back(m.name, entries);
  }
  return items;
}

Items contact_items(const Writing& w) {
  Items items;
  for (const ContactShape& s : w.model().contacts) {
    Entries entries;
    const auto point = [&](const Vec3d& p) { return w.number()(p, dimension::length); };
    const auto put_at = [&] {
      if (s.X_BG.p != Vec3d{} || w.pose_of(s.body) != Transformd{}) entries.emplace_back("at", point(s.X_BG.p));
    };
    const auto put_rotation = [&] {
      if (!is_identity(s.X_BG.R)) entries.emplace_back("rotation", flow_map({{"matrix", matrix_text(s.X_BG.R)}}));
    };
    switch (s.kind) {
      case Kind::points: {
        std::vector<std::string> points;
        for (const Vec3d& p : s.points) points.push_back(point(p));
        if (points.size() == 1) {
          entries.emplace_back("point", points[0]);
        } else {
          entries.emplace_back("points", flow_list(points));
        }
        break;
      }
      case Kind::sphere:
        entries.emplace_back("sphere", w.length(s.radius));
        put_at();
        break;
      case Kind::wheel:
        entries.emplace_back("wheel", w.length(s.radius));
        if (s.tyre != 0) entries.emplace_back("tyre", w.length(s.tyre));
        put_at();
        if (w.same(frame_at(s.X_BG.p, s.X_BG.R.ez), s.X_BG)) {
          entries.emplace_back("axis", direction_text(s.X_BG.R.ez));
        } else {
          put_rotation();
        }
        break;
      case Kind::box:
        entries.emplace_back("box", point(s.size));
        put_at();
        put_rotation();
        break;
      case Kind::capsule: {
        const Vec3d half = s.X_BG.R.ez * (s.length / 2), P = s.X_BG.p - half, Q = s.X_BG.p + half;
        const Shape drawn = norm(Q - P) > 0 ? bar_between(Shape::Kind::capsule, P, Q, s.radius) : Shape{};
        if (drawn.length > 0 && w.same(drawn.X_BS, s.X_BG) && w.same(drawn.length, s.length, s.length)) {
          entries.emplace_back("capsule", flow_list({point(P), point(Q)}));
          entries.emplace_back("radius", w.length(s.radius));
        } else {
          entries.emplace_back("capsule", w.length(s.length));
          entries.emplace_back("radius", w.length(s.radius));
          put_at();
          put_rotation();
        }
        break;
      }
    }
    entries.emplace_back("on", name_text(s.body));
    if (w.pose_of(s.body) != Transformd{}) entries.emplace_back("in", name_text(s.body));
    if (!s.material.empty()) entries.emplace_back("material", name_text(s.material));
    if (!s.touches_terrain) entries.emplace_back("terrain", "false");
    if (!s.against.empty()) {
      std::vector<std::string> names;
      for (const std::string& name : s.against) names.push_back(name_text(name));
      entries.emplace_back("against", names.size() == 1 ? names[0] : flow_list(names));
    }
    items.emplace_back(s.name, entries);
  }
  return items;
}

}  // namespace trammel::readers
