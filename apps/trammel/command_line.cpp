// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace trammel::tool {
namespace {

// Neither "nan" nor "inf".
std::optional<double> finite(const std::string& text) {
  double x = 0;
  if (!CLI::detail::lexical_cast(text, x) || !std::isfinite(x)) return std::nullopt;
  return x;
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& help, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(help)) {
  app_->name(name);
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}
CommandLine::~CommandLine() = default;

std::vector<std::string> CommandLine::verbs() const {
  std::vector<std::string> names;
  for (const CLI::App* verb : std::as_const(*app_).get_subcommands({})) {
    if (!verb->get_group().empty()) names.push_back(verb->get_name());
  }
  return names;
}

bool CommandLine::has_verb(const std::string& name) const {
  return !std::as_const(*app_).get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; }).empty();
}

std::vector<std::string> CommandLine::options_of(const std::string& verb) const {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  };
  if (verb.empty()) add(*app_);
  for (const CLI::App* other : std::as_const(*app_).get_subcommands({})) {
    if (other->get_name() == verb) add(*other);
  }
  return names;
}

std::vector<std::string> CommandLine::verbs_below(const std::string& verb) const {
  std::vector<std::string> names;
  if (!has_verb(verb)) return names;
  for (const CLI::App* below : std::as_const(*app_->get_subcommand(verb)).get_subcommands({}))
    names.push_back(below->get_name());
  return names;
}

std::vector<std::string> CommandLine::options_of(const std::string& verb, const std::string& below) const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_subcommand(verb)->get_subcommand(below)->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

CommandLine::Outcome CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return {exit_code_, {}, {}};
  } catch (const CLI::Success& answer) {  // --help and --version
    return {app_->exit(answer), {}, {}};
  } catch (const CLI::ParseError& error) {  // in CLI11's words but for the name of a verb
    std::string command = app_->get_name();
    std::vector<CLI::App*> verbs = app_->get_subcommands();
    const bool no_verb = verbs.empty();
    for (; !verbs.empty(); verbs = verbs[0]->get_subcommands()) command += " " + verbs[0]->get_name();
    return {0, no_verb && error.get_name() == "RequiredError" ? "no verb is given" : error.what(),
            no_verb ? fmt::format("{} --help lists the verbs", command) : fmt::format("see {} --help", command)};
  }
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}
Option& Option::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option& Option::not_negative() {
  return check([](const std::string& text) {
    const std::optional<double> x = finite(text);
    return x && *x >= 0 ? std::string() : "'" + text + "' is not a number from zero on";
  });
}
Option& Option::positive() {
  return check([](const std::string& text) {
    const std::optional<double> x = finite(text);
    return x && *x > 0 ? std::string() : "'" + text + "' is not a positive number";
  });
}
Option& Option::check(const std::function<std::string(std::string)>& wrong) {
  option_->check([wrong](const std::string& text) { return wrong(text); });
  return *this;
}
Option& Option::several_with_commas() {
  option_->delimiter(',');
  return *this;
}
Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Verb::Verb(CommandLine& line, const std::string& name, const std::string& help)
    : line_(line), app_(line.app_->add_subcommand(name, help)) {}

Verb Verb::hidden(CommandLine& line, const std::string& name, const std::string& help) {
  Verb verb(line, name, help);
  verb.app_->group("")->prefix_command();
  return verb;
}
Verb Verb::below(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);
  return Verb(line_, app_->add_subcommand(name, help));
}
std::vector<std::string> Verb::words() const { return app_->remaining(); }

void Verb::model(std::string& path, bool standard_input) {
  app_->add_option("model", path,
                   std::string("model file (.yaml, .urdf, .xml, .kam, .dm, .cfg)") +
                       (standard_input ? "; - for standard input, with --from" : ""))
      ->required();
}
void Verb::input(const std::string& name, std::string& path, const std::string& help) {
  app_->add_option(name, path, help)->required();
}
void Verb::flag(const std::string& name, bool& value, const std::string& help) { app_->add_flag(name, value, help); }
Option Verb::option(const std::string& name, std::string& value, const std::string& help) {
  return Option(app_->add_option(name, value, help));
}
Option Verb::option(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  return Option(app_->add_option(name, value, help));
}
Option Verb::option(const std::string& name, int& value, const std::string& help) {
  return Option(app_->add_option(name, value, help));
}
Option Verb::option(const std::string& name, double& value, const std::string& help) {
  return Option(app_->add_option(name, value, help));
}
Option Verb::option(const std::string& name, const std::function<void(const std::string&)>& take,
                    const std::string& help) {
  return Option(app_->add_option_function<std::string>(name, take, help));
}
Option Verb::list(const std::string& name, std::vector<std::string>& words, const std::string& help) {
  return Option(app_->add_option(name, words, help)->allow_extra_args(false));
}
Option Verb::rest(const std::string& name, std::vector<std::string>& words, const std::string& help) {
  return Option(app_->add_option(name, words, help));
}
void Verb::cut(std::vector<std::string>& joints) {
  list("--cut", joints, "close the loop at this joint (may be given several times)");
}

void Verb::footer(const std::string& text) { app_->footer(text); }
void Verb::run(const std::function<int()>& act) {
  app_->callback([&line = line_, act] { line.exit_code_ = act(); });
}

}  // namespace trammel::tool
