// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/terrain_files.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trammel::readers {
namespace {

constexpr double most_nodes = 16e6;

// Words between blanks, with the line each stands in; # begins a comment.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view next() {
    for (;;) {
      while (!rest_.empty() && (std::isspace(static_cast<unsigned char>(rest_.front())) != 0 || rest_.front() == ',')) {
        if (rest_.front() == '\n') ++line_;
        rest_.remove_prefix(1);
      }
      if (rest_.empty() || rest_.front() != '#') break;
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
    std::size_t length = 0;
    while (length < rest_.size() && std::isspace(static_cast<unsigned char>(rest_[length])) == 0 &&
           rest_[length] != ',' && rest_[length] != '#') {
      ++length;
    }
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  int line() const { return line_; }

 private:
  std::string_view rest_;
  int line_ = 1;
};

std::optional<double> number_of(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

TerrainFileError fail(std::string id, std::string what, std::string fix) {
  return {std::move(id), std::move(what), std::move(fix)};
}

std::string shown(std::string_view word) { return std::string(word.substr(0, 40)); }

TerrainFileError not_a_number(const Words& words, std::string_view word, std::string_view what) {
  if (word.empty()) {
    return fail("terrain-truncated", fmt::format("ends in line {}, before {}", words.line(), what),
                "get the whole file");
  }
  return fail("terrain-file",
              fmt::format("has '{}' in line {}, where {} should stand", shown(word), words.line(), what),
              "write a number");
}

TerrainFileError check_counts(double nx, double ny, double spacing) {
  if (!(nx >= 2 && ny >= 2 && nx == std::floor(nx) && ny == std::floor(ny)) || nx * ny > most_nodes) {
    return fail("terrain-file", fmt::format("has {} by {} nodes", nx, ny),
                "give whole numbers of 2 or more, 16 million nodes at most");
  }
  if (!(spacing > 0)) return fail("terrain-file", fmt::format("has a spacing of {}", spacing), "give a length above 0");
  return {};
}

TerrainFileError truncated(std::size_t read, std::size_t wanted) {
  return fail("terrain-truncated", fmt::format("ends after {} of {} heights", read, wanted),
              "get the whole file, or correct its number of nodes");
}

TerrainFileError check_end(Words& words) {
  const std::string_view more = words.next();
  if (more.empty()) return {};
  return fail("terrain-file",
              fmt::format("goes on after its last height, with '{}' in line {}", shown(more), words.line()),
              "correct its number of nodes");
}

}  // namespace

TerrainFileError parse_dynamechs_terrain(std::string_view text, TerrainGrid& grid) {
  Words words(text);
  double head[3];
  constexpr std::string_view names[] = {"the number of nodes along x", "the number of nodes along y", "the spacing"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string_view word = words.next();
    const auto number = number_of(word);
    if (!number) return not_a_number(words, word, names[i]);
    head[i] = *number;
  }
  if (TerrainFileError wrong = check_counts(head[0], head[1], head[2]); !wrong.id.empty()) return wrong;
  grid.nx = static_cast<int>(head[0]), grid.ny = static_cast<int>(head[1]);
  grid.spacing = head[2];
  const auto count = static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny);
  grid.heights.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view word = words.next();
    if (word.empty()) return truncated(k, count);
    const auto height = number_of(word);
    if (!height) return not_a_number(words, word, "a height");
    grid.heights.push_back(*height);
  }
  return check_end(words);
}

TerrainFileError parse_esri_terrain(std::string_view text, TerrainGrid& grid) {
  Words words(text);
  double columns = 0, rows = 0, size = 0, x = 0, y = 0;
  bool x_is_corner = false, y_is_corner = false;
  std::optional<double> no_data;
  std::string_view word = words.next();
  // Keys until the first number.
  while (!word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0) {
    std::string key(word);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view value = words.next();
    const auto number = number_of(value);
    if (!number) return not_a_number(words, value, fmt::format("the value of {}", shown(word)));
    if (key == "ncols")
      columns = *number;
    else if (key == "nrows")
      rows = *number;
    else if (key == "cellsize")
      size = *number;
    else if (key == "xllcorner" || key == "xllcenter")
      x = *number, x_is_corner = key == "xllcorner";
    else if (key == "yllcorner" || key == "yllcenter")
      y = *number, y_is_corner = key == "yllcorner";
    else if (key == "nodata_value")
      no_data = *number;
    else
      return fail("terrain-file",
                  fmt::format("has '{}' in line {}, which is no word of an ESRI grid", shown(word), words.line()),
                  "the words are ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value");
    word = words.next();
  }
  if (columns == 0 || rows == 0 || size == 0) {
    return fail("terrain-file", "does not say ncols, nrows and cellsize",
                "begin it with these words and their numbers");
  }
  if (TerrainFileError wrong = check_counts(columns, rows, size); !wrong.id.empty()) return wrong;
  grid.nx = static_cast<int>(columns), grid.ny = static_cast<int>(rows);
  grid.spacing = size;
  grid.x0 = x_is_corner ? x + size / 2 : x, grid.y0 = y_is_corner ? y + size / 2 : y;
  const auto nx = static_cast<std::size_t>(grid.nx), ny = static_cast<std::size_t>(grid.ny);
  grid.heights.assign(nx * ny, 0.0);
  for (std::size_t k = 0; k < nx * ny; ++k, word = words.next()) {
    if (word.empty()) {
      grid.heights.clear();
      return truncated(k, nx * ny);
    }
    const auto height = number_of(word);
    if (!height) return not_a_number(words, word, "a height");
    if (no_data && *height == *no_data) {
      return fail("terrain-file", fmt::format("has no data for row {}, column {}", k / nx + 1, k % nx + 1),
                  "fill the gaps before it is used");
    }
    grid.heights[(k % nx) * ny + (ny - 1 - k / nx)] = *height;
  }
  if (!word.empty())
    return fail("terrain-file",
                fmt::format("goes on after its last height, with '{}' in line {}", shown(word), words.line()),
                "correct ncols and nrows");
  return {};
}

}  // namespace trammel::readers
