// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is wrong, where, and how to mend it. Readers and compile() collect all diagnostics of a file and return them
// together; nothing in the library prints or exits.
//
//   fourbar.yaml:14:11: error: body 'crank' has a negative mass: -0.2 kg
//     fix: give a mass of 0 or more      [mass-negative]

#include <string>
#include <string_view>
#include <vector>

namespace trammel {

struct SourceLocation {
  int line = 0;    // from 1; 0 means unknown, as for models built in C++
  int column = 0;  // from 1, in characters
};

enum class Severity { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  SourceLocation where;
  std::string what;  // one line
  std::string fix;   // one line, may be empty for notes
  std::string id;    // stable, kebab-case; every id is listed in docs/errors.md
};

// "file:line:col: error: what\n  fix: how      [id]"
std::string to_string(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  std::string file;  // put into each diagnostic added

  void error(SourceLocation where, std::string id, std::string what, std::string fix);
  void warning(SourceLocation where, std::string id, std::string what, std::string fix);
  void note(SourceLocation where, std::string id, std::string what, std::string fix = {});
  void append(const Diagnostics& other);

  const std::vector<Diagnostic>& all() const { return all_; }
  bool has_errors() const;
  // All of them in the order of their place in the file, one after the other.
  std::string to_string() const;

 private:
  std::vector<Diagnostic> all_;
};

// The candidate nearest to a mistyped word, or an empty string when none is near enough to be meant.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace trammel
