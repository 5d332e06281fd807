// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "draw_linkage.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "input_options.hpp"

namespace trammel::tool {
namespace {

bool is_same_position(const DrawnPosition& a, const DrawnPosition& b) {
  double size = 0, apart = 0;
  for (std::size_t i = 0; i < a.X_WB.size(); ++i) {
    const Transformd X = inverse(a.X_WB[i]) * b.X_WB[i];
    size = std::max(size, norm(a.X_WB[i].p));
    apart = std::max({apart, norm(X.p), norm(X.R.ex - Vec3d{1, 0, 0}), norm(X.R.ey - Vec3d{0, 1, 0})});
  }
  return apart < 1e-6 * std::max(1.0, size);
}

Dimension dimension_of_input(const Mechanism& mech, const SweepInput& input) {
  return freedoms(mech.joints[input.driver.joint].type)[input.driver.dof].dimension;
}

}  // namespace

std::optional<DrawingFormat> drawing_format(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".svg") return DrawingFormat::svg;
  if (extension == ".dxf") return DrawingFormat::dxf;
  return std::nullopt;
}

LinkageDrawing drawing_of(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis,
                          int count, const std::vector<std::string>& path_names, double tick_step) {
  LinkageDrawing drawing;
  drawing.paths = paths_of(mechanism, options, analysis, path_names, tick_step);
  constexpr std::size_t enough = 2000;
  const std::size_t stride = 1 + analysis.steps.size() / enough;
  for (std::size_t s = 0; s < analysis.steps.size(); ++s) {
    const bool is_taken = s % stride == 0 || s + 1 == analysis.steps.size();
    if (is_taken && analysis.steps[s].status != StepStatus::imaginary)
      drawing.swept.push_back(position_of(analysis.steps[s]));
  }
  if (drawing.swept.empty()) return drawing;
  drawing.position = drawing.swept.front();
  const auto total = static_cast<double>(drawing.swept.size());
  const bool comes_back = drawing.swept.size() > 2 && is_same_position(drawing.swept.front(), drawing.swept.back());
  for (int k = 0; k < count; ++k) {
    const double share = comes_back   ? static_cast<double>(k) / count
                         : count == 1 ? 0.5
                                      : static_cast<double>(k) / (count - 1);
    drawing.others.push_back(drawing.swept[static_cast<std::size_t>(std::llround(share * (total - 1)))]);
  }
  return drawing;
}

double refine(AnalysisOptions& options, int least_steps) {
  SweepInput* innermost = nullptr;
  for (SweepInput& input : options.inputs) {
    if (input.from == input.to || input.step == 0) continue;
    if (innermost == nullptr || !innermost->motion) innermost = &input;
  }
  if (innermost == nullptr) return 0;
  const double steps = (innermost->to - innermost->from) / innermost->step;
  innermost->step /= std::max(1.0, std::ceil(least_steps / steps));
  for (SweepInput& input : options.inputs) input.speed = &input == innermost ? 1 : 0;  // tangents of paths
  return std::abs(innermost->step);
}

std::string unknown_point(const Mechanism& mechanism, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool is_there = std::any_of(mechanism.outputs.begin(), mechanism.outputs.end(),
                                      [&](const OutputInfo& output) { return output.name == name; });
    if (!is_there) return name;
  }
  return "";
}

std::string sweep_text(const Mechanism& mechanism, const AnalysisOptions& options, double tick_step) {
  std::vector<std::string> parts;
  std::string tick;
  for (const SweepInput& input : options.inputs) {
    if (input.from == input.to || input.step == 0) continue;
    const Dimension d = input.motion ? Dimension{.time = 1} : dimension_of_input(mechanism, input);
    const auto shown = [&](double x) { return fmt::format("{:.6g}", mechanism.units.from_si(x, d)); };
    const std::string unit = mechanism.units.name(d);
    const std::string name = input.motion ? "t" : input_name(mechanism, input);
    parts.push_back(fmt::format("{} from {} to {} {}", name, shown(input.from), shown(input.to), unit));
    tick = tick_step > 0 ? fmt::format(", a tick every {} {}", shown(tick_step), unit) : "";
    if (input.motion) break;
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), tick);
}

DrawnText draw(const Loaded& loaded, const LinkageDrawing& drawing, const DrawingOptions& options,
               DrawingFormat format) {
  DrawnText drawn;
  drawn.problems.file = loaded.mechanism.file;
  const DrawingProblem problem = drawing_problem(loaded.model, loaded.mechanism, drawing, options);
  if (!problem.what.empty()) {
    drawn.problems.error({}, "not-drawable", "this model cannot be drawn so: " + problem.what, problem.fix);
    return drawn;
  }
  if (format == DrawingFormat::svg) {
    drawn.text = svg_drawing(loaded.model, loaded.mechanism, drawing, options, &drawn.report);
    return drawn;
  }
  const bool only_perspective =
      !options.views.empty() && std::all_of(options.views.begin(), options.views.end(),
                                            [](DrawingView view) { return view == DrawingView::perspective; });
  if (only_perspective) {
    drawn.problems.error({}, "not-drawable", "a DXF file has plan views only, and none is asked for",
                         "add --view plane, xy, xz or yz, or write SVG");
    return drawn;
  }
  drawn.text = dxf_drawing(loaded.model, loaded.mechanism, drawing, options, &drawn.report);
  return drawn;
}

}  // namespace trammel::tool
