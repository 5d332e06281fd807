// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "analyze_paths.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::tool {

PlanePlot plot_paths(const Mechanism& mech, const Analysis& analysis, const std::vector<std::string>& names) {
  const Plane plane = mech.planar.value_or(Plane{});
  const Vec3d across = cross(plane.normal, plane.x);
  const auto length = [&](double x) { return mech.units.from_si(x, dimension::length); };
  const auto is_named = [&](const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  PlanePlot plot;
  plot.title = mech.name;
  plot.x = {.label = "x", .unit = std::string(mech.units.name(dimension::length))};
  plot.y = {.label = "y"};
  for (std::size_t k = 0; k < mech.outputs.size(); ++k) {
    if (!is_named(mech.outputs[k].name)) continue;
    PlaneCurve curve{.name = mech.outputs[k].name};
    for (const AnalysisStep& step : analysis.steps) {
      const bool is_there = step.status != StepStatus::imaginary;
      curve.x.push_back(is_there ? length(dot(step.points[k].p - plane.point, plane.x)) : std::nan(""));
      curve.y.push_back(is_there ? length(dot(step.points[k].p - plane.point, across)) : std::nan(""));
    }
    plot.curves.push_back(std::move(curve));
  }
  for (const JointInfo& joint : mech.joints) {
    const bool turns = std::holds_alternative<Revolute>(joint.type);
    if (!turns || (joint.first != ground && joint.second != ground)) continue;
    const Vec3d p = (joint.first == ground ? joint.X_AF.p : joint.X_BM.p) - plane.point;
    const PlanePoint pivot{length(dot(p, plane.x)), length(dot(p, across)), joint.name};
    const bool is_drawn = std::any_of(plot.points.begin(), plot.points.end(), [&](const PlanePoint& other) {
      return other.x == pivot.x && other.y == pivot.y;
    });
    if (!is_drawn) plot.points.push_back(pivot);
  }
  return plot;
}

}  // namespace trammel::tool
