// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/svg.hpp"

#include <fmt/format.h>

#include "results/utf8.hpp"

namespace trammel::results {

std::string px(double length) {
  std::string text = fmt::format("{:.2f}", length);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : utf8(characters_of(text))) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

Svg::Svg(double width, double height, const std::string& name) {
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"width", px(width)},
               {"height", px(height)},
               {"viewBox", fmt::format("0 0 {} {}", px(width), px(height))},
               {"role", "img"},
               {"font-family", "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"}});
  title(name);
  element("rect", {{"width", px(width)}, {"height", px(height)}, {"fill", "#ffffff"}});
}

void Svg::begin(std::string_view element, Attributes attributes) {
  indent();
  text_ += '<';
  text_ += element;
  for (const auto& [name, value] : attributes)
    if (!value.empty()) text_ += fmt::format(" {}=\"{}\"", name, escape_xml(value));
}

void Svg::open(std::string_view element, Attributes attributes) {
  begin(element, attributes);
  text_ += ">\n";
  ++depth_;
}

void Svg::close(std::string_view element) {
  --depth_;
  indent();
  text_ += fmt::format("</{}>\n", element);
}

void Svg::element(std::string_view element, Attributes attributes) {
  begin(element, attributes);
  text_ += "/>\n";
}

void Svg::title(const std::string& text) {
  if (text.empty()) return;
  indent();
  text_ += fmt::format("<title>{}</title>\n", escape_xml(text));
}

void Svg::line(Pixel a, Pixel b) {
  element("line", {{"x1", px(a.x)}, {"y1", px(a.y)}, {"x2", px(b.x)}, {"y2", px(b.y)}});
}

void Svg::text(Pixel at, const std::string& text, const TextStyle& style) {
  if (text.empty()) return;
  begin("text", {{"x", px(at.x)},
                 {"y", px(at.y)},
                 {"font-size", px(style.size)},
                 {"fill", std::string(style.colour)},
                 {"text-anchor", style.anchor == "start" ? "" : std::string(style.anchor)},
                 {"font-weight", style.bold ? "bold" : ""},
                 {"font-style", style.italic ? "italic" : ""},
                 {"paint-order", style.halo ? "stroke" : ""},
                 {"stroke", style.halo ? "#ffffff" : ""},
                 {"stroke-width", style.halo ? "3" : ""},
                 {"stroke-linejoin", style.halo ? "round" : ""}});
  text_ += fmt::format(">{}</text>\n", escape_xml(text));
}

std::string Svg::take() {
  close("svg");
  return std::move(text_);
}

std::string path_data(const std::vector<std::vector<Pixel>>& runs) {
  std::string data;
  for (const std::vector<Pixel>& run : runs) {
    std::string last;
    for (const Pixel& p : run) {
      std::string here = px(p.x) + ' ' + px(p.y);
      if (last.empty())
        data += 'M' + here;
      else if (here != last)
        data += 'L' + here;
      last = std::move(here);
    }
  }
  return data;
}

}  // namespace trammel::results
