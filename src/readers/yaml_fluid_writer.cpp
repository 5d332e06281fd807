// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Fluid as the reader of yaml_fluid.cpp takes it.

#include <cmath>

#include <fmt/format.h>

#include "readers/messages.hpp"
#include "readers/yaml_fluid.hpp"
#include "readers/yaml_formulas.hpp"

namespace trammel::readers {

namespace {

constexpr Dimension velocity{.length = 1, .time = -1};

std::string flow_text(const FlowFunction& f, const Units& units) {
  std::string text = f.expression.text();
  const auto per = [](const std::string& written, double ratio) {
    return fmt::format("({}/{})", written, shortest(ratio));
  };
  if (f.time_unit != units.time_si || f.length_unit != units.length_si) {
    text = replace_names(text, [&](const std::string& name, const std::string& written) -> std::string {
      if (name == "t") return f.time_unit == units.time_si ? "" : per(written, f.time_unit / units.time_si);
      if (name == "x" || name == "y" || name == "z") {
        return f.length_unit == units.length_si ? "" : per(written, f.length_unit / units.length_si);
      }
      return {};
    });
  }
  return scaled_text(text, f.unit, units.to_si(velocity));
}

std::string current_text(const Writing& w, const Current& c) {
  std::string flow;
  if (c.formula) {
    // A constant besides goes into the formulas.
    std::vector<std::string> items;
    const double base[3] = {c.velocity.x, c.velocity.y, c.velocity.z};
    for (std::size_t i = 0; i < 3; ++i) {
      std::string text = flow_text((*c.formula)[i], w.number().units());
      if (base[i] != 0) text = fmt::format("{} + ({})", w.number()(base[i], velocity), text);
      items.push_back(fmt::format("\"{}\"", text));
    }
    flow = flow_list(items);
  } else if (!(c.velocity == Vec3d{})) {
    flow = w.number()(c.velocity, velocity);
  }
  if (c.depth.empty()) return flow;
  Entries entries;
  if (!flow.empty()) entries.emplace_back("velocity", flow);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < c.depth.size(); ++i) {
    const Vec3d& v = c.at_depth[i];
    rows.push_back(flow_list(
        {w.length(c.depth[i]), w.number()(v.x, velocity), w.number()(v.y, velocity), w.number()(v.z, velocity)}));
  }
  entries.emplace_back("profile", flow_list(rows));
  return flow_map(entries);
}

std::string wave_text(const Writing& w, const Wave& wave) {
  Entries entries{{"height", w.length(wave.height)}, {"period", w.number()(wave.period, {.time = 1})}};
  entries.emplace_back("direction", direction_text(wave.direction));
  if (wave.phase != 0) entries.emplace_back("phase", w.number()(wave.phase, dimension::angle));
  return flow_map(entries);
}

std::string matrix6_text(const Writing& w, const Hydrodynamics::Matrix& m,
                         const std::function<Dimension(std::size_t, std::size_t)>& unit) {
  bool diagonal = true;
  for (std::size_t i = 0; i < 36; ++i) diagonal = diagonal && (i % 7 == 0 || m[i] == 0);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < 6; ++i) {
    if (diagonal) {
      rows.push_back(w.number()(m[7 * i], unit(i, i)));
      continue;
    }
    std::vector<std::string> row;
    for (std::size_t k = 0; k < 6; ++k) row.push_back(w.number()(m[6 * i + k], unit(i, k)));
    rows.push_back(flow_list(row));
  }
  return flow_list(rows);
}

std::string part_text(const Writing& w, const HullPart& part,
                      const std::function<std::string(const Shape&)>& shape_text) {
  Entries entries{{"shape", shape_text(part.shape)}};
  const auto put = [&](const char* key, const std::optional<double>& x) {
    if (x) entries.emplace_back(key, shortest(*x));
  };
  put("drag", part.drag);
  if (part.drag_of_faces) entries.emplace_back("drag", w.number()(*part.drag_of_faces, dimension::none));
  put("drag_along", part.drag_along);
  if (part.skin_friction != 0) put("skin_friction", part.skin_friction);
  put("added", part.added_across);
  if (part.added) entries.emplace_back("added", w.number()(*part.added, dimension::none));
  put("added_along", part.added_along);
  return flow_map(entries);
}

std::string fin_text(const Writing& w, const Fin& fin) {
  const Fin usual;
  Entries entries{{"at", w.number()(fin.at, dimension::length)},
                  {"chord", direction_text(fin.chord)},
                  {"normal", direction_text(fin.normal)}};
  entries.emplace_back("area", w.number()(fin.area, {.length = 2}));
  if (fin.slope) entries.emplace_back("slope", w.number()(*fin.slope, {.angle = -1}));
  if (fin.aspect != usual.aspect) entries.emplace_back("aspect", shortest(fin.aspect));
  if (fin.stall != usual.stall) entries.emplace_back("stall", w.number()(fin.stall, dimension::angle));
  if (fin.drag != usual.drag) entries.emplace_back("drag", shortest(fin.drag));
  return flow_map(entries);
}

}  // namespace

std::string fluid_text(const Writing& w) {
  const Fluid& fluid = w.model().fluid;
  std::vector<std::string> media;
  for (std::size_t k = 0; k < fluid.media.size(); ++k) {
    const Medium& medium = fluid.media[k];
    Entries entries;
    if (medium.name != (k == 0 ? "water" : "air")) entries.emplace_back("name", name_text(medium.name));
    entries.emplace_back("density", w.number()(medium.density, dimension::density));
    if (std::isfinite(medium.surface)) entries.emplace_back("surface", w.length(medium.surface));
    if (k == 0 && std::isfinite(fluid.depth)) entries.emplace_back("depth", w.length(fluid.depth));
    if (const std::string text = current_text(w, medium.current); !text.empty()) entries.emplace_back("current", text);
    if (!(medium.current.acceleration == Vec3d{})) {
      entries.emplace_back("acceleration", w.number()(medium.current.acceleration, dimension::acceleration));
    }
    if (k == 0 && !fluid.waves.empty()) {
      std::vector<std::string> waves;
      for (const Wave& wave : fluid.waves) waves.push_back(wave_text(w, wave));
      entries.emplace_back("waves", flow_list(waves));
    }
    media.push_back(flow_map(entries));
  }
  if (media.empty()) return {};
  return media.size() == 1 ? media[0] : flow_list(media);
}

std::string hydrodynamics_text(const Writing& w, const Body& body,
                               const std::function<std::string(const Shape&)>& shape_text) {
  const Hydrodynamics& h = *body.in_fluid;
  if (!h.acts) return "none";
  Entries entries;
  std::vector<std::string> parts;
  for (const HullPart& part : h.hull) parts.push_back(part_text(w, part, shape_text));
  if (!parts.empty()) entries.emplace_back("hull", parts.size() == 1 ? parts[0] : flow_list(parts));
  if (h.volume) entries.emplace_back("volume", w.number()(*h.volume, {.length = 3}));
  if (h.buoyancy_at) entries.emplace_back("buoyancy", w.number()(*h.buoyancy_at, dimension::length));
  if (!(h.reference == Vec3d{})) entries.emplace_back("reference", w.number()(h.reference, dimension::length));
  if (h.added_mass) entries.emplace_back("added_mass", matrix6_text(w, *h.added_mass, added_mass_unit));
  if (!h.hull_added_mass && !h.added_mass) entries.emplace_back("added_mass", "none");
  if (!h.hull_drag) entries.emplace_back("drag", "none");
  if (h.linear) {
    entries.emplace_back("linear_drag", matrix6_text(w, *h.linear, [](auto i, auto k) { return drag_unit(i, k, 1); }));
  }
  if (h.quadratic) {
    entries.emplace_back("quadratic_drag",
                         matrix6_text(w, *h.quadratic, [](auto i, auto k) { return drag_unit(i, k, 2); }));
  }
  if (!h.fins.empty()) {
    Entries fins;
    for (const Fin& fin : h.fins) fins.emplace_back(name_text(fin.name), fin_text(w, fin));
    entries.emplace_back("fins", flow_map(fins));
  }
  if (!h.source.empty()) entries.emplace_back("source", name_text(h.source));
  if (!h.model.empty()) entries.emplace_back("model", name_text(h.model));
  if (!h.parameters.empty()) {
    Entries parameters;
    for (const auto& [name, numbers] : h.parameters) {
      std::vector<std::string> items;
      for (const double x : numbers) items.push_back(shortest(x));
      parameters.emplace_back(name_text(name), items.size() == 1 ? items[0] : flow_list(items));
    }
    entries.emplace_back("parameters", flow_map(parameters));
  }
  return entries.empty() ? std::string{} : flow_map(entries);
}

}  // namespace trammel::readers
