// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel study plot FOLDER: what was kept, over a parameter, or how often which value came out.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/results.hpp>

#include "open_file.hpp"
#include "output_file.hpp"
#include "session.hpp"
#include "study_verbs.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

struct StudyPlotVerb {
  std::string folder, over, histogram, svg;
  std::vector<std::string> shown;
  bool open = false;
};

std::vector<double> finite(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double x : values) {
    if (std::isfinite(x)) out.push_back(x);
  }
  return out;
}

void check_name(const StudyTable& table, const std::string& name, const char* option) {
  std::vector<std::string> names = table.parameters;
  names.insert(names.end(), table.scalars.begin(), table.scalars.end());
  names.emplace_back("task");
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string near = did_you_mean(name, names);
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  throw StudyError(fmt::format("{}: the study has no '{}'", option, name),
                   near.empty() ? "it has " + all : fmt::format("did you mean '{}'?", near), "study-column");
}

// The first parameter with more than one value.
std::string usual_x(const StudyTable& table) {
  for (const std::string& name : table.parameters) {
    const std::vector<double> values = study_column(table, name);
    if (std::set<double>(values.begin(), values.end()).size() > 1) return name;
  }
  return "task";
}

// Rows by the values that some parameters have in them; "restitution = 0.5, …" names such a group.
struct Group {
  std::string name;
  std::vector<std::size_t> rows;
};
std::vector<Group> groups_by(const StudyTable& table, const std::vector<std::size_t>& parameters) {
  std::map<std::vector<double>, Group> groups;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    std::vector<double> values;
    for (const std::size_t p : parameters) values.push_back(table.rows[k].parameters[p]);
    Group& group = groups[values];
    group.rows.push_back(k);
    if (!group.name.empty()) continue;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      group.name += fmt::format("{}{} = {:.4g}", i == 0 ? "" : ", ", table.parameters[parameters[i]], values[i]);
  }
  std::vector<Group> list;
  for (auto& [values, group] : groups) list.push_back(std::move(group));
  return list;
}

constexpr std::size_t most_groups = 8;

// Parameters but for x; where they have too many values for a line each, those of them with few values.
std::vector<std::size_t> parameters_to_tell_apart(const StudyTable& table, const std::string& x, bool few_only) {
  std::vector<std::size_t> chosen;
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    if (table.parameters[p] == x) continue;
    const std::vector<double> values = study_column(table, table.parameters[p]);
    const std::size_t count = std::set<double>(values.begin(), values.end()).size();
    if (!few_only || (count > 1 && count <= most_groups)) chosen.push_back(p);
  }
  return chosen;
}

// Rows that differ in nothing but x make one line. Where there are too many of them, there are dots, in a colour for each value of parameters that have few.
std::vector<PlotLine> lines_over(const StudyTable& table, const std::string& x, const std::string& y) {
  std::vector<Group> groups = groups_by(table, parameters_to_tell_apart(table, x, false));
  const bool dots = groups.size() > most_groups || x == "task";
  if (dots) groups = groups_by(table, parameters_to_tell_apart(table, x, true));
  if (groups.size() > most_groups) groups = groups_by(table, {});
  const std::vector<double> xs = study_column(table, x), ys = study_column(table, y);
  std::vector<PlotLine> lines;
  for (Group& group : groups) {
    if (!dots)
      std::stable_sort(group.rows.begin(), group.rows.end(),
                       [&](std::size_t a, std::size_t b) { return xs[a] < xs[b]; });
    PlotLine line;
    line.dots = dots;
    line.name = groups.size() > 1 ? group.name : "";
    for (const std::size_t k : group.rows) line.x.push_back(xs[k]), line.y.push_back(ys[k]);
    lines.push_back(std::move(line));
  }
  return lines;
}

Plot plot_over(const StudyTable& table, const std::string& x, const std::vector<std::string>& names) {
  Plot plot;
  plot.x.label = x;
  for (const std::string& y : names) {
    PlotPanel panel;
    panel.y.label = y;
    panel.lines = lines_over(table, x, y);
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

double quantile_of(const std::vector<double>& sorted, double u) {
  const double at = u * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  const double next = sorted[std::min(k + 1, sorted.size() - 1)];
  return sorted[k] + (at - static_cast<double>(k)) * (next - sorted[k]);
}

// Bins after Freedman and Diaconis: 2 · (interquartile range) / ∛n wide.
Plot histogram_of(const StudyTable& table, const std::string& name) {
  std::vector<double> values = finite(study_column(table, name));
  if (values.empty())
    throw StudyError(fmt::format("no task has a value for '{}'", name), "see trammel study status", "study-empty");
  std::sort(values.begin(), values.end());
  const double spread = quantile_of(values, 0.75) - quantile_of(values, 0.25), range = values.back() - values.front();
  const double width = 2 * spread / std::cbrt(static_cast<double>(values.size()));
  const std::size_t bins = width > 0 ? static_cast<std::size_t>(std::clamp(std::ceil(range / width), 1.0, 200.0)) : 1;
  const double step = range > 0 ? range / static_cast<double>(bins) : 1;
  std::vector<double> count(bins, 0);
  for (const double x : values) count[std::min(static_cast<std::size_t>((x - values.front()) / step), bins - 1)] += 1;
  PlotLine outline;
  const auto add = [&](double x, double y) { outline.x.push_back(x), outline.y.push_back(y); };
  add(values.front(), 0);
  for (std::size_t k = 0; k < bins; ++k) {
    add(values.front() + static_cast<double>(k) * step, count[k]);
    add(values.front() + static_cast<double>(k + 1) * step, count[k]);
  }
  add(values.front() + static_cast<double>(bins) * step, 0);
  Plot plot;
  plot.x.label = name;
  plot.panels.push_back({.y = {.label = "tasks", .from = 0}, .lines = {outline}});
  plot.marks = {
      {quantile_of(values, 0.05), "5 %"}, {quantile_of(values, 0.5), "median"}, {quantile_of(values, 0.95), "95 %"}};
  return plot;
}

int run_plot(StudyPlotVerb verb) {
  const Study study = open_study(verb.folder);
  const StudyTable table = merge_study(study, true);
  if (table.rows.empty())
    throw StudyError("no task is done yet", fmt::format("run them: trammel study run {}", verb.folder), "study-empty");
  Plot plot;
  if (!verb.histogram.empty()) {
    check_name(table, verb.histogram, "--histogram");
    plot = histogram_of(table, verb.histogram);
  } else {
    if (verb.over.empty()) verb.over = usual_x(table);
    if (verb.shown.empty()) verb.shown = table.scalars;
    check_name(table, verb.over, "--over");
    for (const std::string& name : verb.shown) check_name(table, name, "--show");
    plot = plot_over(table, verb.over, verb.shown);
  }
  plot.title = study.plan.name.empty() ? verb.folder : study.plan.name;
  const auto good =
      std::count_if(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.result.status == "done"; });
  plot.subtitle = fmt::format("{} tasks", table.rows.size());
  if (good != static_cast<std::ptrdiff_t>(table.rows.size()))
    plot.subtitle +=
        fmt::format(", {} of them without an answer", static_cast<std::ptrdiff_t>(table.rows.size()) - good);
  if (table.rows.size() < study.plan.task_count())
    plot.subtitle += fmt::format("; {} are not done yet", study.plan.task_count() - table.rows.size());
  if (verb.svg.empty()) verb.svg = (std::filesystem::path(verb.folder) / "plot.svg").string();
  const std::string trouble = write_file(verb.svg, svg_plot(plot));
  if (!trouble.empty())
    throw StudyError(fmt::format("{} cannot be written: {}", verb.svg, trouble), "give another file by --svg",
                     "study-output");
  if (!is_standard_output(verb.svg)) fmt::print("{} tasks in {}\n", table.rows.size(), verb.svg);
  if (verb.open) open_in_viewer(verb.svg);
  return done;
}

}  // namespace

void add_study_plot(Verb& study) {
  Verb verb = study.below("plot", "what was kept, over a parameter, or as a histogram");
  auto options = std::make_shared<StudyPlotVerb>();
  verb.input("folder", options->folder, "folder of the study");
  verb.option("--over", options->over,
              "what stands below: a parameter or a kept number; the first parameter without it");
  verb.list("--show", options->shown, "kept numbers to show, with commas; all without it").several_with_commas();
  verb.option("--histogram", options->histogram, "how often each value of this one comes");
  verb.option("--svg", options->svg, "SVG file; FOLDER/plot.svg without it, - for standard output");
  verb.flag("--open", options->open, "open it in the desktop's viewer");
  verb.footer(
      "Example:\n  trammel study plot blows --over speed --show impulse,lost\n  trammel study plot blows --histogram "
      "impulse");
  verb.run([options] { return with_study_errors(false, [&] { return run_plot(*options); }); });
}

}  // namespace trammel::tool
