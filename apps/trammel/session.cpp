// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <charconv>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace trammel::tool {
namespace {

// Characters, not bytes: θ takes one column.
std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

bool looks_like_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789e") == std::string::npos;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::string space(width > width_of(text) ? width - width_of(text) : 0, ' ');
  return looks_like_number(text) ? space + text : text + space;
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

}  // namespace

void print(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    fmt::print(stderr, "{}\n", coloured(to_string(diagnostic), diagnostic.severity));
  }
}

void print_error(const std::string& what, const std::string& fix, const std::string& id) {
  Diagnostics one;
  one.error({}, id, what, fix);
  print(one);
}

std::optional<Loaded> load(const std::string& path, const LoadOptions& options) {
  ReadResult read = read_model(path);
  if (!read.ok()) {
    print(read.diagnostics);
    return std::nullopt;
  }
  if (options.gravity) read.model.gravity = *options.gravity;
  CompileResult compiled = compile(read.model, {.cut = options.cut});
  read.diagnostics.append(compiled.diagnostics);
  print(read.diagnostics);
  if (!compiled.ok()) return std::nullopt;
  return Loaded{std::move(read.model), std::move(compiled.mechanism), std::move(read.diagnostics)};
}

std::string parse_vector(const std::string& text, Vec3d& out) {
  const std::string wrong = fmt::format("'{}' is not three numbers x,y,z", text);
  const char* at = text.data();
  const char* end = text.data() + text.size();
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
    for (std::size_t c = 0; c < line.size(); ++c) row += " " + padded(line[c], widths[c]) + " ";
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace trammel::tool
