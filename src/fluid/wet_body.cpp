// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "fluid/wet_body.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fluid/coefficients.hpp"

namespace trammel::fluid {
namespace {

constexpr double pi = std::numbers::pi;
using Kind = Shape::Kind;

WetPart part_of(const HullPart& hull, const Hydrodynamics& h, const Transformd& X_LB,
                std::vector<std::string>& sources) {
  const Shape& s = hull.shape;
  WetPart part;
  part.X_LS = X_LB * s.X_BS;
  part.size = s.size;
  part.radius = s.radius;
  part.volume = volume(s);
  std::string name(keyword(s.kind));
  switch (s.kind) {
    case Kind::sphere:
      part.form = WetPart::Form::sphere;
      part.reach = s.radius;
      break;
    case Kind::ellipsoid:
      part.form = WetPart::Form::ellipsoid;
      part.reach = std::max({s.size.x, s.size.y, s.size.z});
      break;
    case Kind::box:
      part.form = WetPart::Form::box;
      part.reach = norm(s.size) / 2;
      break;
    default:
      part.form = WetPart::Form::bar;
      part.has_round_ends = s.kind == Kind::capsule;
      part.half = part.strip_half = s.length / 2;
      part.reach = part.has_round_ends ? part.half + s.radius : std::hypot(part.half, s.radius);
      if (part.has_round_ends) part.strip_half += pi * s.radius / 4;  // strips as large as the outline
  }
  if (!h.added_mass && h.hull_added_mass) {
    AddedMass added = added_mass_of(hull);
    part.added_turn = added.rotation, part.added_move = added.translation;
    sources.push_back(fmt::format("{}: added mass: {}", name, added.source));
  }
  part.resists = h.hull_drag;
  if (h.hull_drag) {
    DragAreas drag = drag_areas_of(hull);
    part.across = drag.across, part.along = drag.along, part.faces = drag.faces, part.turn = drag.rotation;
    sources.push_back(fmt::format("{}: drag: {}", name, drag.source));
  }
  return part;
}

// Without a hull: a ball as large as the volume says, that only displaces.
WetPart ball_of(double volume, const Vec3d& p_L) {
  WetPart part;
  part.form = WetPart::Form::sphere;
  part.resists = false;
  part.X_LS.p = p_L;
  part.volume = volume;
  part.radius = part.reach = std::cbrt(3 * volume / (4 * pi));
  return part;
}

Sym3d symmetric_block(const Hydrodynamics::Matrix& m, std::size_t row) {
  const auto at = [&](std::size_t i, std::size_t k) { return m[6 * (row + i) + row + k]; };
  return {
      at(0, 0), at(1, 1), at(2, 2), (at(0, 1) + at(1, 0)) / 2, (at(0, 2) + at(2, 0)) / 2, (at(1, 2) + at(2, 1)) / 2};
}
ArticulatedInertia<double> inertia_of_matrix(const Hydrodynamics::Matrix& m) {
  const auto H = [&](std::size_t i, std::size_t k) { return (m[6 * i + 3 + k] + m[6 * (3 + k) + i]) / 2; };
  return {symmetric_block(m, 0),
          {{H(0, 0), H(1, 0), H(2, 0)}, {H(0, 1), H(1, 1), H(2, 1)}, {H(0, 2), H(1, 2), H(2, 2)}},
          symmetric_block(m, 3)};
}

}  // namespace

WetVolume WetPart::below(const Vec3d& n, double d) const {
  switch (form) {
    case Form::sphere:
      return clip_sphere(radius, n, d);
    case Form::ellipsoid:
      return clip_ellipsoid(size, n, d);
    case Form::box:
      return clip_box(size, n, d);
    default:
      return has_round_ends ? clip_capsule(radius, 2 * half, n, d) : clip_cylinder(radius, 2 * half, n, d);
  }
}

WetBodies wet_bodies_of(const Mechanism& mech) {
  WetBodies out;
  if (mech.fluid.empty()) return out;
  for (std::size_t b = 0; b < mech.hydrodynamics.size(); ++b) {
    const Hydrodynamics& h = mech.hydrodynamics[b];
    const int link = mech.bodies[b].link;
    if (!h.acts || link == ground) continue;
    const Transformd& X_LB = mech.parameters.X_LB[b];
    WetBody body{.body = static_cast<int>(b), .link = link, .first = out.parts.size(), .first_fin = out.fins.size()};
    body.X_LB = X_LB;
    std::vector<std::string> sources;
    if (!h.source.empty()) sources.push_back("the model says: " + h.source);
    for (const HullPart& part : h.hull) out.parts.push_back(part_of(part, h, X_LB, sources));
    if (h.hull.empty() && h.volume.value_or(0) > 0) {
      out.parts.push_back(ball_of(*h.volume, X_LB * h.buoyancy_at.value_or(Vec3d{})));
      sources.emplace_back("no hull: at a surface it dips in like a ball of its volume");
    }
    body.last = out.parts.size();
    Vec3d moment;
    for (std::size_t i = body.first; i < body.last; ++i) {
      body.hull_volume += out.parts[i].volume;
      moment += out.parts[i].X_LS.p * out.parts[i].volume;
    }
    body.centre_L = body.hull_volume > 0 ? moment * (1 / body.hull_volume) : X_LB * h.buoyancy_at.value_or(Vec3d{});
    for (std::size_t i = body.first; i < body.last; ++i) {
      body.reach = std::max(body.reach, norm(out.parts[i].X_LS.p - body.centre_L) + out.parts[i].reach);
    }
    if (h.volume) {
      body.volume_factor = body.hull_volume > 0 ? *h.volume / body.hull_volume : 0;
      sources.emplace_back("displaced volume as given");
    }
    if (h.buoyancy_at) body.has_offset = true, body.offset_L = X_LB * *h.buoyancy_at - body.centre_L;
    for (const Fin& fin : h.fins) {
      const double slope = fin.slope.value_or(2 * pi / (1 + 2 / fin.aspect));
      out.fins.push_back(
          {X_LB * fin.at, X_LB.R * fin.chord, X_LB.R * fin.normal, fin.area, slope, fin.aspect, fin.stall, fin.drag});
      sources.push_back(
          fmt::format("fin {}: {}", fin.name, fin.slope ? "slope as given" : "slope 2π/(1 + 2/aspect) (lifting line)"));
    }
    body.last_fin = out.fins.size();
    if (h.added_mass || h.linear || h.quadratic) {
      body.matrices = static_cast<int>(out.matrices.size());
      WetMatrices m;
      m.X_LH = {X_LB.R, X_LB * h.reference};
      m.has_added = h.added_mass.has_value(), m.has_linear = h.linear.has_value();
      m.has_quadratic = h.quadratic.has_value();
      if (h.added_mass) m.added = inertia_of_matrix(*h.added_mass), sources.emplace_back("added mass as given");
      if (h.linear) m.linear = *h.linear, sources.emplace_back("linear drag as given");
      if (h.quadratic) m.quadratic = *h.quadratic, sources.emplace_back("quadratic drag as given");
      out.matrices.push_back(m);
    }
    body.custom = h.custom.get();
    if (body.custom != nullptr) sources.push_back("model: " + body.custom->describe());
    if (body.first == body.last && body.first_fin == body.last_fin && body.matrices < 0 && body.custom == nullptr)
      continue;
    out.bodies.push_back(body);
    out.sources.push_back(std::move(sources));
  }
  std::vector<char> is_wet(mech.links.size(), 0);
  for (WetBody& body : out.bodies) {
    char& link = is_wet[static_cast<std::size_t>(body.link)];
    body.is_first_on_link = link == 0;
    link = 1;
  }
  std::vector<char> is_wet_body(mech.bodies.size(), 0);
  for (const WetBody& body : out.bodies) is_wet_body[static_cast<std::size_t>(body.body)] = 1;
  for (std::size_t b = 0; b < is_wet_body.size(); ++b) {
    if (is_wet_body[b] == 0) out.dry_bodies.push_back(b);
  }
  int places = 0;
  for (const WetBody& body : out.bodies) {
    for (std::size_t k = body.first; k < body.last; ++k) {
      if (out.parts[k].form == WetPart::Form::bar && !body.has_offset) out.parts[k].place = places++;
    }
  }
  for (std::size_t l = 0; l < is_wet.size(); ++l) {
    if (is_wet[l] == 0) out.dry_links.push_back(static_cast<int>(l));
  }
  return out;
}

}  // namespace trammel::fluid
