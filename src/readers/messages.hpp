// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a reader has to say while it reads, and the words it says it in. Messages come in any order and may repeat
// (an alias is read once for each place it is used); they leave sorted by their place, each once, and not more of
// them than somebody would read.

#include <string>
#include <string_view>
#include <vector>

#include <trammel/diagnostics.hpp>

#include "core/text.hpp"

namespace trammel::readers {

class Messages {
 public:
  void error(SourceLocation where, std::string id, std::string what, std::string fix);
  void warning(SourceLocation where, std::string id, std::string what, std::string fix);

  // Guesses are worth their time only while somebody reads them, and only so much of it.
  std::string guess(std::string_view word, const std::vector<std::string>& candidates);
  // "did you mean 'x'?" or, without a good guess, the other advice.
  std::string guess_or(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise);

  bool has_errors() const { return errors_ > 0; }
  Diagnostics finish(const std::string& file) const;

 private:
  void add(Severity severity, SourceLocation where, std::string id, std::string what, std::string fix);

  std::vector<Diagnostic> kept_;
  std::size_t errors_ = 0, dropped_ = 0;
  std::size_t comparisons_left_ = 300'000;  // a tenth of a second
};

using trammel::quote;
// The fewest digits that read back to the same double; zero has no sign.
std::string shortest(double number);
// A number for a message: at most 6 digits.
std::string rounded(double number);
// "a, b or c"
std::string one_of(const std::vector<std::string>& words);
// "'a', 'b' and 3 more"
std::string list_names(const std::vector<std::string>& names, std::size_t most = 6);
// "1 number", "3 numbers"
std::string count_of(std::size_t count, std::string_view noun);

}  // namespace trammel::readers
