// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// SVG text, element by element. Only presentation attributes, no ids and no style sheet: pictures can stand beside each
// other in one HTML page, and every converter understands them.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trammel::results {

struct Pixel {
  double x = 0, y = 0;
};

constexpr double far_away = 1e6;  // px: farther out nothing is drawn

struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

// Two decimals at most, without trailing zeros.
std::string px(double length);
std::string escape_xml(std::string_view text);

struct TextStyle {
  double size = 11;
  std::string_view colour = "#333333";
  std::string_view anchor = "start";
  bool bold = false;
  bool halo = false;  // a white rim, for texts that may stand on lines
  bool italic = false;
};

class Svg {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  // White, with `name` as what screen readers and tooltips say.
  Svg(double width, double height, const std::string& name);

  void open(std::string_view element, Attributes attributes);
  void close(std::string_view element);
  void element(std::string_view element, Attributes attributes);
  void title(const std::string& text);  // of the element just opened: what a tooltip says
  void line(Pixel a, Pixel b);          // as the surrounding group is stroked
  void text(Pixel at, const std::string& text, const TextStyle& style);

  // The finished picture.
  std::string take();

 private:
  void begin(std::string_view element, Attributes attributes);
  void indent() { text_.append(2 * depth_, ' '); }

  std::string text_;
  std::size_t depth_ = 0;
};

// "M1 2L3 4…", a part for each run of points.
std::string path_data(const std::vector<std::vector<Pixel>>& runs);

}  // namespace trammel::results
