// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "check_fluid.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/fluid_forces.hpp>

#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

// At the model's initial state; with loops the spanning tree's own.
WetReport report_of(const Mechanism& mechanism) { return report_fluid(mechanism, initial_state(mechanism).q); }

// Round-off of what is zero would only be noise.
std::string eigenvalues_text(const std::array<double, 6>& values) {
  std::vector<std::string> parts;
  for (const double x : values)
    parts.push_back(fmt::format("{:.3g}", std::abs(x) < 1e-12 * std::abs(values.back()) ? 0 : x));
  return fmt::format("{}", fmt::join(parts, " "));
}
std::string weight_text(double weight, double mass) { return number(std::abs(weight) < 1e-9 * mass ? 0 : weight); }

std::string medium_text(const Medium& medium) {
  std::string text = fmt::format("{}: {} kg/m³", medium.name, number(medium.density));
  if (std::isfinite(medium.surface)) text += fmt::format(" up to height {} m", number(medium.surface));
  const Current& c = medium.current;
  if (!(c.velocity == Vec3d{})) text += fmt::format(", current {} m/s", vector(c.velocity));
  if (!(c.acceleration == Vec3d{})) text += fmt::format(", accelerating by {} m/s²", vector(c.acceleration));
  if (!c.depth.empty()) text += fmt::format(", a current over {} depths", c.depth.size());
  if (c.formula) text += ", a current by formulas";
  return text;
}

}  // namespace

void add_fluid(const Mechanism& mechanism, ordered_json& report) {
  if (mechanism.fluid.empty()) return;
  const WetReport wet = report_of(mechanism);
  ordered_json& out = report["fluid"];
  for (const Medium& medium : mechanism.fluid.media) {
    out["media"].push_back(
        {{"name", medium.name},
         {"density", medium.density},
         {"surface", std::isfinite(medium.surface) ? ordered_json(medium.surface) : ordered_json()}});
  }
  out["waves"] = mechanism.fluid.waves.size();
  out["bodies"] = ordered_json::object();
  for (const WetBodyReport& b : wet.bodies) {
    out["bodies"][b.body] = {{"mass", b.mass},
                             {"volume", b.volume},
                             {"displaced_mass", b.displaced_mass},
                             {"net_weight", b.net_weight},
                             {"wet", b.wet},
                             {"centre_of_buoyancy", list(b.centre_of_buoyancy_B)},
                             {"added_mass_eigenvalues", b.added_mass},
                             {"length", b.length},
                             {"sources", b.sources},
                             {"warnings", b.warnings}};
  }
  out["mass"] = wet.mass, out["displaced_mass"] = wet.displaced_mass, out["net_weight"] = wet.net_weight;
  out["centre_of_mass"] = list(wet.centre_of_mass_W), out["centre_of_buoyancy"] = list(wet.centre_of_buoyancy_W);
  out["feel_nothing"] = wet.dry;
}

void print_fluid(const Mechanism& mechanism) {
  if (mechanism.fluid.empty()) return;
  const WetReport wet = report_of(mechanism);
  fmt::print("{}\n", heading("In the fluid"));
  for (const Medium& medium : mechanism.fluid.media) fmt::print("  {}\n", medium_text(medium));
  if (const std::size_t waves = mechanism.fluid.waves.size(); waves > 0) {
    fmt::print("  {} wave{} on it\n", waves, waves == 1 ? "" : "s");
  }
  Table table({"body", "mass kg", "displaces kg", "net weight N", "wet", "centre of buoyancy m", "added mass kg"});
  for (const WetBodyReport& b : wet.bodies) {
    table.add({b.body, number(b.mass), number(b.displaced_mass), weight_text(b.net_weight, b.mass),
               fmt::format("{:.0f} %", 100 * b.wet), vector(b.centre_of_buoyancy_B), eigenvalues_text(b.added_mass)});
  }
  table.add(
      {"in all", number(wet.mass), number(wet.displaced_mass), weight_text(wet.net_weight, wet.mass), "", "", ""});
  fmt::print("{}", table.to_string());
  fmt::print("  centre of mass {} m, of buoyancy {} m in the world; what has a negative net weight rises\n",
             vector(wet.centre_of_mass_W), vector(wet.centre_of_buoyancy_W));
  fmt::print("  added mass: eigenvalues in the lowest medium at the centre of the hull, moments over length²\n");
  // Where numbers are from: bodies alike share a line.
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const WetBodyReport& b : wet.bodies) {
    const std::string text = fmt::format("{}", fmt::join(b.sources, "; "));
    auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == text; });
    if (same == lines.end()) same = lines.insert(lines.end(), {text, {}});
    same->second.push_back(b.body);
  }
  for (const auto& [text, bodies] : lines) fmt::print("  {}: {}\n", fmt::join(bodies, ", "), text);
  for (const WetBodyReport& b : wet.bodies) {
    for (const std::string& warning : b.warnings) fmt::print("  warning: body '{}': {}\n", b.body, warning);
  }
  if (!wet.dry.empty()) fmt::print("  feel nothing of it: {}\n", fmt::join(wet.dry, ", "));
  fmt::print("\n");
}

}  // namespace trammel::tool
