// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers for people: columns of results as CSV, as a table for the terminal, and as plots in SVG that can go into a
// paper as they are.
//
//   Channels sweep{{{"crank angle", "deg", angle}, {"rocker angle", "deg", rocker}, {"rocker speed", "deg/s", speed}}};
//   write_csv(sweep)                          text of a CSV file
//   write_table(sweep, {.width = 80})         for the terminal
//   Plot plot = plot_channels(sweep);         one panel for each unit; then set what else it should show
//   plot.marks = {{54.3, "dead point"}};
//   svg_plot(plot)                           text of an SVG file
//
// Values are in the units that the columns name: nothing is converted here, but axes of plots may take a prefix (N → kN)
// or a power of ten. A value that is not finite means that there is none: an empty cell, a gap in a line. Texts are
// UTF-8. Same input, same bytes.

#include <optional>
#include <string>
#include <vector>

namespace trammel {

// --- columns ----------------------------------------------------------------------------------------------------------

struct Channel {
  std::string name;
  std::string unit;            // "" or "1": a pure number
  std::vector<double> values;  // NaN or infinite: no value there
};

// Named columns of equal length. The first is the independent one: an input angle, the time.
// The functions below throw std::invalid_argument, naming the column, when lengths differ.
struct Channels {
  std::vector<Channel> columns;
};

// A header "crank angle [deg],…" and a line for each row, as RFC 4180 but for the line ends, which are "\n". Numbers read
// back to the same double; a cell without a value is empty.
std::string write_csv(const Channels& channels);

struct TableOptions {
  int digits = 6;      // significant ones of a column's largest number; the others have as many decimals (1 … 17)
  int width = 0;       // of the terminal, in characters: columns that do not fit go below. 0: as wide as it gets
  int max_rows = 0;    // more rows than that lose their middle, and the table says how many. 0: all rows (at least 2)
  bool ascii = false;  // "-" and "..." for "–" and "…", for terminals without UTF-8
};

// Aligned columns under their names and units. Ends with a line feed.
std::string write_table(const Channels& channels, const TableOptions& options = {});

// --- plots over one variable ------------------------------------------------------------------------------------------

struct PlotAxis {
  std::string label = {};
  std::string unit = {};
  std::optional<double> from = {}, to = {};  // left out: from the values. Lines are cut off at the ends
  // The least length of the axis: set it to what is still worth seeing, so that round-off about a constant does not fill
  // the plot.
  double least_span = 0;
};

struct PlotLine {
  std::string name = {};               // "" keeps it out of the legend
  std::vector<double> x = {}, y = {};  // of the same length, else std::invalid_argument
  std::string colour = {};  // as in CSS: "teal". "": the next of a palette that colour-blind readers can tell apart
  bool dashed = false;
  bool dots = false;  // a dot for each value, nothing between them
};

struct PlotPanel {
  PlotAxis y = {};
  std::vector<PlotLine> lines = {};
};

// A vertical line through all panels, with its label above them.
struct PlotMark {
  double x = 0;
  std::string label = {};
};

// A shaded stretch of x, such as one where a linkage cannot be assembled. Infinite ends reach the end of the axis.
struct PlotStretch {
  double from = 0, to = 0;
  std::string label = {};
};

struct Plot {
  std::string title = {}, subtitle = {};
  PlotAxis x = {};
  std::vector<PlotPanel> panels = {};  // stacked, the first on top; all have the same x axis
  std::vector<PlotMark> marks = {};
  std::vector<PlotStretch> stretches = {};
  double width = 720;         // px, of the whole picture (240 … 10000)
  double panel_height = 170;  // px, of the space for lines in each panel (60 … 10000)
};

std::string svg_plot(const Plot& plot);

// All columns over the first. Neighbours with the same unit share a panel.
Plot plot_channels(const Channels& channels);

// --- curves in the plane ----------------------------------------------------------------------------------------------

struct PlaneCurve {
  std::string name = {};
  std::vector<double> x = {}, y = {};  // of the same length, else std::invalid_argument
  std::string colour = {};
  bool dashed = false;
  bool arrow = true;  // shows where the curve starts and which way it goes
};

struct PlanePoint {
  double x = 0, y = 0;
  std::string label = {};
};

// Coupler curves and other paths: a unit of x is as long as one of y, and both axes have the unit of x.
struct PlanePlot {
  std::string title = {}, subtitle = {};
  PlotAxis x = {}, y = {};
  std::vector<PlaneCurve> curves = {};
  std::vector<PlanePoint> points = {};
  double width = 560;  // px; the height follows from the curves (240 … 10000)
};

std::string svg_plot(const PlanePlot& plot);

// --- values over a rectangle --------------------------------------------------------------------------------------------

struct MapPanel {
  std::string title = {};
  std::vector<double> values = {};  // of the cells: row after row, the first row that of the least y. Not finite: grey
};

// Panels side by side that share a scale of colours.
struct MapRow {
  PlotAxis value = {};
  bool logarithmic = false;  // colours by the logarithm, where all values are positive
  std::vector<MapPanel> panels = {};
};

// Colours over x and y, which both have cells of equal size from `from` to `to` of their axes. Throws std::invalid_argument where a panel
// has another number of cells, or an axis no ends.
struct MapPlot {
  std::string title = {}, subtitle = {};
  PlotAxis x = {}, y = {};
  int columns = 0, rows = 0;  // of cells
  std::vector<MapRow> maps = {};
  double panel_width = 260;  // px (60 … 10000); heights follow from the axes
};

std::string svg_plot(const MapPlot& plot);

}  // namespace trammel
