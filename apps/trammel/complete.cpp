// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel complete WORD...: the words that may stand at the cursor, one per line, read off the verbs' own options, so
// that completion can never fall behind. The last WORD is the one being typed.

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "draw_options.hpp"
#include "eval_options.hpp"
#include "read_options.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

void print_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) fmt::print("--{}\n", name);
  }
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

void add_complete(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("complete", "words for shell completion")->group("");
  verb->prefix_command();
  verb->callback([&app, verb, &exit_code] {
    const std::vector<std::string> typed = verb->remaining();
    exit_code = done;
    if (typed.size() <= 1) {
      for (const CLI::App* other : app.get_subcommands({})) {
        if (!other->get_group().empty()) fmt::print("{}\n", other->get_name());
      }
      print_options(app);
      return;
    }
    if (print_values_of(typed[typed.size() - 2])) return;
    for (const CLI::App* other : app.get_subcommands({})) {
      if (other->get_name() == typed.front()) print_options(*other);
    }
  });
}

}  // namespace trammel::tool
