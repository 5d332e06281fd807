// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel VERB MODEL [options]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <trammel/diagnostics.hpp>
#include <trammel/version.hpp>

#include "session.hpp"
#include "verbs.hpp"

namespace {

bool is_verb(const CLI::App& app, const std::string& word) {
  const auto verbs = app.get_subcommands([&word](const CLI::App* verb) { return verb->get_name() == word; });
  return !verbs.empty();
}

// Whatever cannot be understood, --json among it asks for JSON.
bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

int complain(const trammel::Diagnostics& wrong, bool json) {
  trammel::tool::print(wrong);
  if (json) trammel::tool::print_json_errors(wrong);
  return trammel::tool::bad_input;
}

trammel::Diagnostics unknown_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  const std::string near = trammel::did_you_mean(word, verbs);
  return trammel::tool::one_error(
      fmt::format("there is no verb '{}'", word),
      near.empty() ? fmt::format("use one of: {}", fmt::join(verbs, ", ")) : fmt::format("did you mean '{}'?", near),
      "verb-unknown");
}

// What CLI11 found wrong, in its words but for the name of a verb.
trammel::Diagnostics bad_usage(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  const std::string what = verbs.empty() && error.get_name() == "RequiredError" ? "no verb is given" : error.what();
  return trammel::tool::one_error(
      what,
      verbs.empty() ? "trammel --help lists the verbs" : fmt::format("see trammel {} --help", verbs[0]->get_name()),
      "bad-usage");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace trammel::tool;
  CLI::App app{"trammel: how linkages and robots move"};
  app.name("trammel");
  app.set_version_flag("--version", fmt::format("trammel {}", trammel::version()));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  trammel check models/crank_rocker.yaml\n"
      "  trammel eval models/puma560.yaml --compute forward,mass --json\n"
      "  trammel convert models/puma560.yaml -o puma560.urdf\n"
      "\n"
      "Exit code: 0 done; 1 the question has a negative answer; 2 bad input or usage.\n"
      "Each verb has its own help: trammel check --help");

  int exit_code = done;
  add_check(app, exit_code);
  add_analyze(app, exit_code);
  add_modes(app, exit_code);
  add_draw(app, exit_code);
  add_eval(app, exit_code);
  add_bench(app, exit_code);
  add_convert(app, exit_code);
  add_doctor(app, exit_code);
  add_complete(app, exit_code);
  const bool json = asks_for_json(argc, argv);
  if (argc > 1 && argv[1][0] != '-' && !is_verb(app, argv[1])) return complain(unknown_verb(app, argv[1]), json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {  // --help and --version
    return app.exit(answer);
  } catch (const CLI::ParseError& error) {
    return complain(bad_usage(app, error), json);
  } catch (const std::exception& error) {
    return complain(one_error(fmt::format("internal error: {}", error.what()),
                              "please report this with the command that you ran", "internal-error"),
                    json);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr,
               "trammel: error: the output could not be written\n  fix: is the disk full?      [output-lost]\n");
    return bad_input;
  }
  return exit_code;
}
