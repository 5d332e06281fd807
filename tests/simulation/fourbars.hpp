// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "simulation/scenes.hpp"

namespace trammel::test {

// IFToMM A02: N four-bars side by side, through positions in which all bars lie on a line and the rank drops.
inline Model row_of_fourbars(int n) {
  Model model;
  model.gravity = {0, -g, 0};
  const auto rod = [&](const std::string& name, const Vec3d& from, const Vec3d& to) {
    const Vec3d d = to - from;
    const Sym3d inertia{
        (d.y * d.y + d.z * d.z) / 12, (d.x * d.x + d.z * d.z) / 12, dot(d, d) / 12, -d.x * d.y / 12, 0, 0};
    add_body(model, name, 1, (from + to) * 0.5, inertia);
  };
  for (int i = 0; i <= n; ++i) {
    const double x = i;
    rod(fmt::format("bar {}", i), {x, 0, 0}, {x, 1, 0});
    add_joint(model, fmt::format("A{}", i), Revolute{}, "ground", fmt::format("bar {}", i),
              frame_at({x, 0, 0}, {0, 0, 1}));
  }
  for (int i = 0; i < n; ++i) {
    const double x = i;
    rod(fmt::format("coupler {}", i), {x, 1, 0}, {x + 1, 1, 0});
    add_joint(model, fmt::format("B{}", i), Revolute{}, fmt::format("bar {}", i), fmt::format("coupler {}", i),
              frame_at({x, 1, 0}, {0, 0, 1}));
    add_joint(model, fmt::format("C{}", i), Revolute{}, fmt::format("coupler {}", i), fmt::format("bar {}", i + 1),
              frame_at({x + 1, 1, 0}, {0, 0, 1}))
        .cut = true;
  }
  return model;
}

// All bars turn at −1 rad/s, couplers do not turn.
inline State start_of_fourbars(const Mechanism& mech) {
  State start = design_state(mech);
  for (const Link& link : mech.links) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(link.joint)];
    start.v[static_cast<std::size_t>(joint.v)] = joint.name[0] == 'A' ? -1 : 1;
  }
  return start;
}

// How far the first bar is from the reference at worst, up to `until`; `report` tells the rest.
inline double error_of_fourbars(int n, double until, SimulationReport& report) {
  const Mechanism mech = compiled(row_of_fourbars(n));
  const State start = start_of_fourbars(mech);
  const nlohmann::json known = reference("iftomm_A02_nfourbar")["reference"][fmt::format("N={}", n)]["samples"];
  SimulationOptions options{.until = until, .tolerance = 1e-10};
  for (const auto& [t, values] : known.items()) {
    if (std::stod(t) <= until) options.at.push_back(std::stod(t));
  }
  const auto A0 = static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(mech.find_joint("A0"))].q);
  double worst = 0;
  std::size_t seen = 0;
  options.sample = [&](const Moment& moment) {
    for (const auto& [t, values] : known.items()) {
      if (std::stod(t) != moment.t) continue;
      ++seen;
      worst = std::max(worst, std::abs(std::numbers::pi / 2 + moment.q[A0] - values["theta"].get<double>()));
    }
  };
  Simulation simulation(mech, options, start);
  report = simulation.run();
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(seen, options.at.size());
  return worst;
}

}  // namespace trammel::test
