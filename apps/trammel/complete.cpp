// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel complete WORD...: the words that may stand at the cursor, one per line, read off the verbs' own options, so
// that completion can never fall behind. The last WORD is the one being typed.

#include <algorithm>

#include <fmt/format.h>

#include "draw_options.hpp"
#include "eval_options.hpp"
#include "read_options.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

void print_all(const std::vector<std::string>& words) {
  for (const std::string& word : words) fmt::print("{}\n", word);
}

// The words that may follow an option; false for options that take anything.
bool print_values_of(const std::string& option) {
  if (option == "--compute") {
    for (const std::string_view quantity : eval_quantities) fmt::print("{}\n", quantity);
  } else if (option == "--base") {
    for (const std::string_view word : base_words) fmt::print("{}\n", word);
  } else if (option == "--to" || option == "--from") {
    for (const FormatWord& known : format_words) {
      if (known.is_written || option == "--from") fmt::print("{}\n", known.word);
    }
  } else if (option == "--view") {
    for (const std::string_view word : draw_views) fmt::print("{}\n", word);
  } else if (option == "--names") {
    for (const std::string_view word : draw_names) fmt::print("{}\n", word);
  } else if (option == "--format") {
    for (const std::string_view word : draw_formats) fmt::print("{}\n", word);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void add_complete(CommandLine& line) {
  Verb verb = Verb::hidden(line, "complete", "words for shell completion");
  verb.run([&line, verb] {
    const std::vector<std::string> typed = verb.words();
    if (typed.size() <= 1) {
      print_all(line.verbs());
      print_all(line.options_of(""));
    } else if (!print_values_of(typed[typed.size() - 2])) {
      print_all(line.options_of(typed.front()));
    }
    return done;
  });
}

}  // namespace trammel::tool
