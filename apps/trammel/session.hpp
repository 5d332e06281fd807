// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the verbs share: loading a model with all its diagnostics on standard error, and talking to a terminal.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>

namespace trammel::tool {

struct Loaded {
  Model model;
  Mechanism mechanism;
  Diagnostics diagnostics;                               // warnings and notes
  std::map<std::string, std::string> found_meshes = {};  // addresses such as package://…, and the paths of their files
};

struct LoadOptions {
  std::vector<std::string> cut;
  std::vector<std::string> keep = {};  // joints whose coordinates are wanted in the tree
  std::optional<Vec3d> gravity;
  bool for_dynamics = true;  // masses are needed
  ReadOptions read = {};
};

// Reads and compiles. On errors `mechanism` is empty; `diagnostics` has everything said, and all of it is printed.
struct LoadResult {
  std::optional<Loaded> loaded;
  Diagnostics diagnostics;
};
LoadResult load(const std::string& path, const LoadOptions& options = {});

// Diagnostics as messages on standard error, in the order of their place, coloured on a terminal.
void print(const Diagnostics& diagnostics);
nlohmann::ordered_json json_of(const Diagnostics& diagnostics);
// Bad input under --json: one object on standard output that says what the messages say.
void print_json_errors(const Diagnostics& diagnostics);
// One message of the tool itself.
Diagnostics one_error(const std::string& what, const std::string& fix, const std::string& id);

// "x,y,z" as an option's value; an error message otherwise.
std::string parse_vector(const std::string& text, Vec3d& out);

// A coordinate axis of results as text: "0.25", "1e-12"; six digits unless asked otherwise.
std::string number(double x, int digits = 6);
std::string vector(const Vec3d& v);

// For messages and tables: the ground has a name too.
std::string body_name(const Mechanism& mechanism, int body);
nlohmann::ordered_json list(const Vec3d& v);

// Bold on a terminal, plain elsewhere.
std::string heading(const std::string& text);

// Lines of cells set in columns; the first line is the head, the first column names. Numbers are set flush right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : lines_{std::move(head)} {}
  void add(std::vector<std::string> line) { lines_.push_back(std::move(line)); }
  std::size_t size() const { return lines_.size() - 1; }  // without the head
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace trammel::tool
