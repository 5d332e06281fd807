// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel VERB MODEL [options]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <trammel/diagnostics.hpp>
#include <trammel/version.hpp>

#include "session.hpp"
#include "verbs.hpp"

namespace {

// Whatever cannot be understood, --json among it asks for JSON.
bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

int complain(const trammel::Diagnostics& wrong, bool json) {
  trammel::tool::print(wrong);
  if (json) trammel::tool::print_json_errors(wrong);
  return trammel::tool::bad_input;
}

trammel::Diagnostics unknown_verb(const std::vector<std::string>& verbs, const std::string& word) {
  const std::string near = trammel::did_you_mean(word, verbs);
  return trammel::tool::one_error(
      fmt::format("there is no verb '{}'", word),
      near.empty() ? fmt::format("use one of: {}", fmt::join(verbs, ", ")) : fmt::format("did you mean '{}'?", near),
      "verb-unknown");
}

// What was printed has not arrived: a full disk, a reader that is gone.
bool output_is_lost() {
  const bool flushed = std::fflush(stdout) == 0;
  return !flushed || std::ferror(stdout) != 0;
}

// The question was a good one: not bad input. Nothing more goes to standard output.
int complain_of_lost_output() {
  trammel::tool::print(trammel::tool::one_error("standard output could not be written",
                                                "check the space on the disk, or what the output goes to",
                                                "output-lost"));
  return trammel::tool::negative_answer;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace trammel::tool;  // NOLINT(google-build-using-namespace): all commands are there
  CommandLine line("trammel", "trammel: how linkages and robots move", fmt::format("trammel {}", trammel::version()),
                   "Examples:\n"
                   "  trammel check models/crank_rocker.yaml\n"
                   "  trammel eval models/puma560.yaml --compute forward,mass --json\n"
                   "  trammel simulate models/crank_rocker.yaml --until 2 --record run.h5\n"
                   "  trammel view models/crank_rocker.yaml\n"
                   "  trammel convert models/puma560.yaml -o puma560.urdf\n"
                   "\n"
                   "Exit code: 0 done; 1 the question has a negative answer; 2 bad input or usage.\n"
                   "Each verb has its own help: trammel check --help");

  add_check(line);
  add_analyze(line);
  add_modes(line);
  add_draw(line);
  add_eval(line);
  add_plot(line);
  add_simulate(line);
  add_virtual_mass(line);
  add_impact(line);
  add_view(line);
  add_study(line);
  add_bench(line);
  add_convert(line);
  add_doctor(line);
  add_complete(line);
  const bool json = asks_for_json(argc, argv);
  if (argc > 1 && argv[1][0] != '-' && !line.has_verb(argv[1])) {
    return complain(unknown_verb(line.verbs(), argv[1]), json);
  }
  CommandLine::Outcome outcome;
  try {
    outcome = line.run(argc, argv);
  } catch (const std::exception& error) {
    if (output_is_lost()) return complain_of_lost_output();
    return complain(one_error(fmt::format("internal error: {}", error.what()),
                              "please report this with the command that you ran", "internal-error"),
                    json);
  }
  if (!outcome.wrong.empty()) return complain(one_error(outcome.wrong, outcome.fix, "bad-usage"), json);
  if (output_is_lost()) return complain_of_lost_output();
  return outcome.exit_code;
}
