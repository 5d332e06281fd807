// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel complete WORD...: the words that may stand at the cursor, one per line, read off the verbs' own options, so
// that completion can never fall behind. The last WORD is the one being typed.

#include <fmt/format.h>

#include "draw_options.hpp"
#include "eval_options.hpp"
#include "plot_units.hpp"
#include "read_options.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

void print_all(const std::vector<std::string>& words) {
  for (const std::string& word : words) fmt::print("{}\n", word);
}

// The words that may follow an option; none for options that take anything.
std::vector<std::string> values_of(const std::string& verb, const std::string& option) {
  const auto list = [](const auto& words) { return std::vector<std::string>(words.begin(), words.end()); };
  if (verb == "view" && option == "--as") return {"linkage", "simulation"};
  if (option == "--compute") return list(eval_quantities);
  if (option == "--solver") return list(eval_solvers);
  if (option == "--base") return list(base_words);
  if (verb == "plot" && option == "--units") return list(plot_units);
  if (verb == "plot") return {};  // its --from and --to are times
  if (option == "--to" || option == "--from") return list_formats(option == "--to");
  if (option == "--view") return list(draw_views);
  if (option == "--names") return list(draw_names);
  if (option == "--format") return list(draw_formats);
  return {};
}

// Several may be given with commas: what is typed up to the last comma stands before each word.
std::vector<std::string> continued(const std::string& option, const std::string& typed,
                                   std::vector<std::string> words) {
  const std::size_t comma = typed.rfind(',');
  const bool takes_several = option == "--compute" || option == "--view" || option == "--names" || option == "--units";
  if (!takes_several || comma == std::string::npos) return words;
  for (std::string& word : words) word.insert(0, typed, 0, comma + 1);
  return words;
}

}  // namespace

void add_complete(CommandLine& line) {
  Verb verb = Verb::hidden(line, "complete", "words for shell completion");
  verb.run([&line, verb] {
    const std::vector<std::string> typed = verb.words();
    if (typed.size() <= 1) {
      print_all(line.verbs());
      print_all(line.options_of(""));
      return done;
    }
    const std::vector<std::string> below = line.verbs_below(typed.front());
    if (!below.empty()) {  // trammel study …
      const bool chosen = typed.size() > 2 && std::find(below.begin(), below.end(), typed[1]) != below.end();
      print_all(chosen ? line.options_of(typed.front(), typed[1]) : below);
      return done;
    }
    const std::string& option = typed[typed.size() - 2];
    const std::vector<std::string> values = values_of(typed.front(), option);
    print_all(values.empty() ? line.options_of(typed.front()) : continued(option, typed.back(), values));
    return done;
  });
}

}  // namespace trammel::tool
