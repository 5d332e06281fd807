// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel plot RECORDING [CHANNELS...]: what a simulation recorded, as a plot, as CSV, or as a list of what is there.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/recording.hpp>

#include "open_file.hpp"
#include "output_file.hpp"
#include "plot_units.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_lines = 8;  // in one panel, and without channels in the command
constexpr std::size_t most_default_panels = 4;
constexpr std::size_t most_marks = 40;

struct PlotOptions {
  std::string recording, svg, csv, over, title;
  std::vector<std::string> channels, units;
  double from = -infinity, to = infinity;
  bool list = false, open = false, json = false;
};

// --- what is plotted ---

// Coordinates, or where none were recorded whatever comes first.
std::vector<std::string> default_channels(const RecordingHeader& header) {
  const auto of_group = [&](std::string_view group) {
    std::vector<std::string> names;
    for (std::size_t c = 1; c < header.channels.size() && names.size() < most_default_panels * most_lines; ++c) {
      if (group.empty() || header.channels[c].group == group) names.push_back(header.channels[c].name);
    }
    return names;
  };
  std::vector<std::string> names = of_group("coordinates");
  if (names.empty()) names = of_group("");
  return names;
}

// Rows of a stretch of time; the ends are taken with it.
void cut_to_time(Channels& channels, double from, double to) {
  const std::vector<double>& t = channels.columns.front().values;
  const auto beside = [](double end) { return 1e-12 * std::abs(end); };  // 1.2 may stand there as 1.2000000000000002
  const auto keep = [&](double time) { return time >= from - beside(from) && time <= to + beside(to); };
  const auto first = std::find_if(t.begin(), t.end(), keep);
  const auto last = std::find_if_not(first, t.end(), keep);
  const std::ptrdiff_t begin = first - t.begin(), end = last - t.begin();
  for (Channel& column : channels.columns) {
    column.values = std::vector<double>(column.values.begin() + begin, column.values.begin() + end);
  }
}

// A panel for each unit, of at most so many lines.
Plot panels_by_unit(Channels channels) {
  std::vector<std::string> units;
  for (const Channel& column : channels.columns) units.push_back(column.unit);
  std::stable_sort(channels.columns.begin() + 1, channels.columns.end(), [&](const Channel& a, const Channel& b) {
    const auto place = [&](const Channel& c) { return std::find(units.begin() + 1, units.end(), c.unit); };
    return place(a) < place(b);
  });
  Plot plot = plot_channels(channels);
  std::vector<PlotPanel> panels;
  for (PlotPanel& panel : plot.panels) {
    for (std::size_t first = 0; first < panel.lines.size(); first += most_lines) {
      const auto begin = panel.lines.begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t count = std::min(most_lines, panel.lines.size() - first);
      panels.push_back({panel.y, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
    }
  }
  plot.panels = std::move(panels);
  return plot;
}

std::string how_it_ended(const Recording& recording) {
  if (recording.status == "done") return {};
  const std::size_t rows = recording.row_count();
  const std::string at = rows == 0 ? "" : fmt::format(" at t = {} s", number(recording.row(rows - 1)[0]));
  return (recording.status.empty() ? "broken off" : recording.status) + at;
}

// Events have times: they are marked where that is the axis, unless they are so many that they would hide the lines.
void mark_events(Plot& plot, const Recording& recording, const Channel& x) {
  if (recording.header.channels[0].name != x.name) return;
  Channel times{"", "s", {}};
  for (const RecordedEvent& event : recording.events) times.values.push_back(event.t);
  if (x.unit == "ms" || x.unit == "min") convert(times, {x.unit});
  std::vector<PlotMark> marks;
  for (std::size_t e = 0; e < recording.events.size(); ++e) {
    const bool is_shown = times.values[e] >= x.values.front() && times.values[e] <= x.values.back();
    if (is_shown) marks.push_back({times.values[e], recording.events[e].name});
  }
  if (marks.size() <= most_marks) {
    plot.marks = std::move(marks);
  } else {
    plot.subtitle += fmt::format("{}{} events, too many to be marked", plot.subtitle.empty() ? "" : "; ", marks.size());
  }
}

// --- what is said ---

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least, last = none;
};
Range range_of(const Channel& column) {
  Range range;
  for (const double x : column.values) {
    if (!std::isfinite(x)) continue;
    range.least = std::min(range.least, x);
    range.most = std::max(range.most, x);
  }
  if (!column.values.empty()) range.last = column.values.back();
  return range;
}

ordered_json json_number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

ordered_json channel_json(const RecordedChannel& channel) {
  return {{"unit", channel.unit}, {"group", channel.group}, {"frame", channel.frame}};
}

ordered_json summary(const PlotOptions& options, const RecordingContents& contents) {
  return {{"status", "ok"},
          {"recording", options.recording},
          {"model", contents.header.model_name},
          {"run", contents.status.empty() ? "broken-off" : contents.status},
          {"rows", contents.rows}};
}

int list_channels(const PlotOptions& options, const RecordingContents& contents) {
  if (options.json) {
    ordered_json report = summary(options, contents);
    report["events"] = contents.events;
    for (const RecordedChannel& channel : contents.header.channels)
      report["channels"][channel.name] = channel_json(channel);
    fmt::print("{}\n", report.dump(1));
    return done;
  }
  fmt::print("{}  {} rows, {} events, {}\n\n", heading(contents.header.model_name), contents.rows, contents.events,
             contents.status.empty() ? "broken off" : contents.status);
  Table table({"channel", "unit", "group", "frame"});
  for (const RecordedChannel& c : contents.header.channels) table.add({c.name, c.unit, c.group, c.frame});
  fmt::print("{}", table.to_string());
  return done;
}

ordered_json ranges_json(const PlotOptions& options, const RecordingContents& contents, const Recording& recording,
                         const Channels& shown) {
  ordered_json report = summary(options, contents);
  const std::vector<double>& x = shown.columns[0].values;
  report["from"] = json_number(x.empty() ? none : x.front());
  report["to"] = json_number(x.empty() ? none : x.back());
  report["channels"] = ordered_json::object();
  for (const Channel& column : shown.columns) {
    const int c = recording.find_channel(column.name);
    ordered_json& entry = report["channels"][column.name] =
        channel_json(recording.header.channels[static_cast<std::size_t>(c)]);
    const Range range = range_of(column);
    entry["unit"] = column.unit;
    entry["min"] = json_number(range.least);
    entry["max"] = json_number(range.most);
    entry["final"] = json_number(range.last);
  }
  report["events"] = ordered_json::array();
  for (const RecordedEvent& event : recording.events) {
    report["events"].push_back({{"t", event.t}, {"name", event.name}, {"kind", event.kind}, {"text", event.text}});
  }
  if (!options.svg.empty()) report["svg"] = options.svg;
  if (!options.csv.empty()) report["csv"] = options.csv;
  return report;
}

void print_ranges(const RecordingContents& contents, const Channels& shown) {
  fmt::print("{}  {} rows\n\n", heading(contents.header.model_name), shown.columns[0].values.size());
  Table table({"channel", "unit", "min", "max", "final"});
  for (const Channel& column : shown.columns) {
    const Range range = range_of(column);
    const auto text = [](double x) { return std::isfinite(x) ? number(x) : std::string("-"); };
    table.add({column.name, column.unit, text(range.least), text(range.most), text(range.last)});
  }
  fmt::print("{}", table.to_string());
}

// --- the verb ---

int refuse(const PlotOptions& options, const Diagnostics& wrong) {
  print(wrong);
  if (options.json) print_json_errors(wrong);
  return bad_input;
}

Diagnostics wrong_usage(const PlotOptions& options) {
  const int wanting_output =
      (options.json ? 1 : 0) + (is_standard_output(options.csv) ? 1 : 0) + (is_standard_output(options.svg) ? 1 : 0);
  if (wanting_output > 1) {
    return one_error("only one of --json, --csv - and --svg - can have standard output", "give the others a file",
                     "option-value");
  }
  if (std::isnan(options.from) || std::isnan(options.to)) {
    return one_error("--from and --to: nan is no time", "give a number of seconds", "option-value");
  }
  if (options.from > options.to) {
    return one_error(fmt::format("--from {} is later than --to {}", number(options.from), number(options.to)),
                     "exchange them", "option-value");
  }
  if (options.open && (options.list || is_standard_output(options.svg))) {
    return one_error("--open: there is no file to be opened", "write the plot to a file", "option-value");
  }
  for (const std::string& out : {options.svg, options.csv}) {
    if (out.empty() || is_standard_output(out) || !is_same_file(out, options.recording)) continue;
    return one_error(fmt::format("'{}' is the recording itself, and would be overwritten", out), "give another file",
                     "output-format");
  }
  if (!options.svg.empty() && !is_standard_output(options.svg) && is_same_file(options.svg, options.csv)) {
    return one_error(fmt::format("--svg and --csv would both write '{}'", options.svg), "give them two files",
                     "output-format");
  }
  const std::string extension = std::filesystem::path(options.svg).extension().string();
  if (!is_standard_output(options.svg) && !extension.empty() && extension != ".svg" && extension != ".SVG") {
    return one_error(fmt::format("--svg: '{}' has the extension of another format", options.svg),
                     "give it the extension .svg", "output-format");
  }
  for (const std::string& unit : options.units) {
    if (std::find(plot_units.begin(), plot_units.end(), unit) != plot_units.end()) continue;
    const std::string near = did_you_mean(unit, {plot_units.begin(), plot_units.end()});
    return one_error(fmt::format("--units: '{}' is not among {}", unit, fmt::join(plot_units, ", ")),
                     near.empty() ? "choose of these" : fmt::format("did you mean '{}'?", near), "option-value");
  }
  for (const std::string& channel : options.channels) {
    if (options.units.empty() || std::find(plot_units.begin(), plot_units.end(), channel) == plot_units.end()) continue;
    return one_error(fmt::format("'{}' is a unit, and stands where channels do", channel),
                     fmt::format("write units with commas: --units {},{}", fmt::join(options.units, ","), channel),
                     "option-value");
  }
  if (const auto [one, other] = units_of_one_kind(options.units); !other.empty()) {
    return one_error(fmt::format("--units: {} and {} are units of the same", one, other), "choose one of them",
                     "option-value");
  }
  return {};
}

// Writes what is asked for; what stands in the way of it otherwise.
Diagnostics write(const std::string& path, const std::string& text) {
  if (is_standard_output(path)) {
    fmt::print("{}", text);
    return {};
  }
  const std::string wrong = write_file(path, text);
  if (wrong.empty()) return {};
  return one_error(fmt::format("{} cannot be written: {}", path, wrong),
                   "check the path, the permissions and the space on the disk", "file-unwritable");
}

// The columns that were asked for, in the stretch of time and the units; the first is the axis.
Channels chosen(const PlotOptions& options, const Recording& recording, const std::vector<std::string>& names) {
  Channels shown = channels_of(recording, names);
  cut_to_time(shown, options.from, options.to);
  if (!options.over.empty()) {
    const auto over = std::find_if(shown.columns.begin(), shown.columns.end(),
                                   [&](const Channel& column) { return column.name == options.over; });
    std::rotate(shown.columns.begin(), over, over + 1);
    const std::string& time = recording.header.channels[0].name;
    if (over != shown.columns.begin() && std::find(names.begin(), names.end(), time) == names.end()) {
      std::erase_if(shown.columns, [&](const Channel& column) { return column.name == time; });
    }
  }
  for (Channel& column : shown.columns) convert(column, options.units);
  return shown;
}

int run_plot(PlotOptions options) {
  if (const Diagnostics wrong = wrong_usage(options); wrong.has_errors()) return refuse(options, wrong);
  const RecordingContents contents = read_contents(options.recording);
  if (options.list) return list_channels(options, contents);

  std::vector<std::string> names = options.channels.empty() ? default_channels(contents.header) : options.channels;
  std::vector<std::string> read = names;
  if (!options.over.empty()) read.push_back(options.over);
  const Recording recording = read_recording(options.recording, read);
  if (!options.over.empty() && recording.find_channel(options.over) < 0) {
    return refuse(options, one_error(fmt::format("--over: '{}' is not one channel", options.over),
                                     "name one, without '*'", "option-value"));
  }
  const Channels shown = chosen(options, recording, read);
  if (shown.columns[0].values.empty()) {
    const Diagnostics empty =
        one_error(fmt::format("{} has no rows to be plotted", options.recording),
                  contents.rows == 0 ? "simulate for longer" : "choose other times by --from and --to", "plot-empty");
    print(empty);
    if (options.json) print_json_errors(empty);
    return negative_answer;
  }

  const bool default_file = options.svg.empty() && options.csv.empty() && !options.json;
  if (default_file || (options.open && options.svg.empty())) {
    options.svg = std::filesystem::path(options.recording).replace_extension(".svg").string();
  }
  if (!options.csv.empty()) {
    if (const Diagnostics wrong = write(options.csv, write_csv(shown)); wrong.has_errors())
      return refuse(options, wrong);
  }
  if (!options.svg.empty()) {
    Plot plot = panels_by_unit(shown);
    plot.title = options.title.empty() ? contents.header.model_name : options.title;
    plot.subtitle = how_it_ended(recording);
    mark_events(plot, recording, shown.columns[0]);
    if (const Diagnostics wrong = write(options.svg, svg_plot(plot)); wrong.has_errors()) return refuse(options, wrong);
  }
  if (options.json) {
    fmt::print("{}\n", ranges_json(options, contents, recording, shown).dump(1));
  } else if (!is_standard_output(options.csv) && !is_standard_output(options.svg)) {
    print_ranges(contents, shown);
    for (const std::string& file : {options.csv, options.svg}) {
      if (!file.empty()) fmt::print("wrote {}\n", file);
    }
  }
  if (options.open && !open_in_viewer(options.svg)) {
    Diagnostics warning;
    warning.warning({}, "viewer-missing", fmt::format("xdg-open could not show {}", options.svg),
                    "install xdg-utils, or open the file yourself");
    print(warning);
  }
  return done;
}

}  // namespace

void add_plot(CommandLine& line) {
  Verb verb(line, "plot", "what a simulation recorded: plots, CSV, ranges");
  auto options = std::make_shared<PlotOptions>();
  verb.option("recording", options->recording, "recording of a simulation (.h5)").required();
  verb.rest("channels", options->channels, "channels to plot, '*' for any characters; all coordinates without");
  verb.flag("--list", options->list, "list the channels with their units and groups");
  verb.option("--svg", options->svg, "write the plot to this file; - for standard output (RECORDING.svg without)");
  verb.option("--csv", options->csv, "write the channels to this file; - for standard output");
  verb.option("--from", options->from, "the time from which on to plot, s");
  verb.option("--to", options->to, "the time up to which to plot, s");
  verb.option("--over", options->over, "the channel of the x axis instead of the time");
  verb.list("--units", options->units, fmt::format("in these units instead of SI: {}", fmt::join(plot_units, ", ")))
      .several_with_commas();
  verb.option("--title", options->title, "of the plot; the model's name without");
  verb.flag("--open", options->open, "show the plot in the desktop's viewer");
  verb.flag("--json", options->json,
            "one JSON object on standard output: channels with min, max and final value, events");
  verb.footer(
      "Channels of one unit share a panel, of eight lines at most; events are marked.\n"
      "Examples:\n"
      "  trammel plot run.h5 --list\n"
      "  trammel plot run.h5 'elbow.*' energy.total --from 1 --to 2 --units deg\n"
      "  trammel plot run.h5 elbow.v --over elbow.q --svg phase.svg --open");
  verb.run([options] {
    try {
      return run_plot(*options);
    } catch (const RecordingError& error) {
      Diagnostics wrong;
      wrong.error({}, error.id(), error.what(), error.fix());
      const int code = refuse(*options, wrong);
      std::fflush(nullptr);
      std::_Exit(code);  // HDF5 would complain at the end that it cannot close a damaged file
    }
  });
}

}  // namespace trammel::tool
