// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "read_options.hpp"

namespace trammel::tool {
namespace {

// Characters, not bytes: θ takes one column.
std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

bool is_number(std::string_view text) {
  double x = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), x);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && std::isfinite(x);
}

// A number, several from one to another ("0..6"), or none ("-").
bool looks_like_number(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return text == "-" || is_number(text);
  return is_number(text.substr(0, dots)) && is_number(text.substr(dots + 2));
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string space(width > width_of(text) ? width - width_of(text) : 0, ' ');
  return to_the_right ? space + text : text + space;
}

// Names come from files: nothing in them may steer the terminal.
std::string without_control_characters(const std::string& text) {
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    clean += (byte < 0x20 && c != '\n') || byte == 0x7F ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return clean;
}

std::string coloured(const std::string& text, Severity severity) {
  if (isatty(STDERR_FILENO) == 0) return text;
  const std::string word = severity == Severity::error     ? "error:"
                           : severity == Severity::warning ? "warning:"
                                                           : "note:";
  const char* colour = severity == Severity::error ? "31" : severity == Severity::warning ? "33" : "36";
  std::string result = text;
  if (const std::size_t at = result.find(word); at != std::string::npos) {
    result.replace(at, word.size(), fmt::format("\033[1;{}m{}\033[0m", colour, word));
  }
  return result;
}

// A KAM listing needs no masses: without any, its forces are those of statics, which is no reason for a warning per body.
void append_compiled(Diagnostics& all, const Diagnostics& compiled, const ReadResult& read, bool for_dynamics) {
  const bool is_massless =
      std::all_of(read.model.bodies.begin(), read.model.bodies.end(), [](const Body& body) { return body.mass == 0; });
  if (read.format != Format::kam || for_dynamics || !is_massless) return all.append(compiled);
  for (const Diagnostic& d : compiled.all()) {
    if (d.id == "mass-missing") continue;
    Diagnostics one;
    one.file = d.file;
    if (d.severity == Severity::error) one.error(d.where, d.id, d.what, d.fix);
    if (d.severity == Severity::warning) one.warning(d.where, d.id, d.what, d.fix);
    if (d.severity == Severity::note) one.note(d.where, d.id, d.what, d.fix);
    all.append(one);
  }
}

}  // namespace

void print(const Diagnostics& diagnostics) {
  std::vector<Diagnostic> sorted = diagnostics.all();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  for (const Diagnostic& diagnostic : sorted) {
    fmt::print(stderr, "{}\n", coloured(without_control_characters(to_string(diagnostic)), diagnostic.severity));
  }
}

nlohmann::ordered_json json_of(const Diagnostics& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics.all()) {
    list.push_back({{"severity", d.severity == Severity::error ? "error" : "warning"},
                    {"id", d.id},
                    {"file", d.file},
                    {"line", d.where.line},
                    {"column", d.where.column},
                    {"what", d.what},
                    {"fix", d.fix}});
  }
  return list;
}

void print_json_errors(const Diagnostics& diagnostics) {
  const nlohmann::ordered_json report{{"status", "error"}, {"messages", json_of(diagnostics)}};
  fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Diagnostics one_error(const std::string& what, const std::string& fix, const std::string& id) {
  Diagnostics one;
  one.error({}, id, what, fix);
  return one;
}

LoadResult load(const std::string& path, const LoadOptions& options) {
  ReadResult read = read_with(path, options.read);
  LoadResult result;
  result.diagnostics = read.diagnostics;
  if (read.ok()) {
    if (options.gravity) read.model.gravity = *options.gravity;
    CompileResult compiled =
        compile(read.model, {.cut = options.cut, .keep = options.keep, .for_dynamics = options.for_dynamics});
    append_compiled(result.diagnostics, compiled.diagnostics, read, options.for_dynamics);
    if (compiled.ok()) {
      result.loaded = Loaded{std::move(read.model), std::move(compiled.mechanism), result.diagnostics,
                             std::move(read.found_meshes)};
    }
  }
  print(result.diagnostics);
  return result;
}

std::string parse_vector(const std::string& text, Vec3d& out) {
  std::string wrong = fmt::format("'{}' is not three numbers x,y,z", text);
  std::string numbers;
  for (const char c : text) numbers += c == ' ' ? "" : std::string(1, c);
  const char* at = numbers.data();
  const char* end = numbers.data() + numbers.size();
  double* const targets[3] = {&out.x, &out.y, &out.z};
  for (int i = 0; i < 3; ++i) {
    const auto [rest, error] = std::from_chars(at, end, *targets[i]);
    const bool last = i == 2;
    if (error != std::errc{} || !std::isfinite(*targets[i]) || last != (rest == end) || (!last && *rest != ',')) {
      return wrong;
    }
    at = rest + 1;
  }
  return {};
}

std::string number(double x, int digits) { return fmt::format("{:.{}g}", x == 0 ? 0.0 : x, digits); }
std::string vector(const Vec3d& v) { return fmt::format("({}, {}, {})", number(v.x), number(v.y), number(v.z)); }

std::string body_name(const Mechanism& mechanism, int body) {
  return body == ground ? std::string(ground_name) : mechanism.bodies[static_cast<std::size_t>(body)].name;
}
nlohmann::ordered_json list(const Vec3d& v) { return {v.x, v.y, v.z}; }

std::string heading(const std::string& text) {
  return isatty(STDOUT_FILENO) != 0 ? fmt::format("\033[1m{}\033[0m", text) : text;
}

std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const auto& line : lines_) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  }
  std::string text;
  for (const auto& line : lines_) {
    std::string row = " ";
    for (std::size_t c = 0; c < line.size(); ++c)  // names stand first, and may look like numbers
      row += " " + padded(line[c], widths[c], c > 0 && looks_like_number(line[c])) + " ";
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace trammel::tool
