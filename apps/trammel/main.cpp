// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel VERB MODEL [options]

#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include <trammel/version.hpp>

#include "verbs.hpp"

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
      "\n"
      "Exit code: 0 done; 1 the question has a negative answer; 2 bad input or usage.\n"
      "Each verb has its own help: trammel check --help");

  int exit_code = done;
  add_check(app, exit_code);
  add_eval(app, exit_code);
  add_doctor(app, exit_code);
  add_complete(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {  // --help and --version
    return app.exit(answer);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "trammel: internal error: {}\n  fix: please report this with the command that you ran\n",
               error.what());
    return bad_input;
  }
  return exit_code;
}
