// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>

namespace trammel::tool {

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}
Option& Option::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option& Option::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
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

Verb::Verb(CLI::App& app, const std::string& name, const std::string& help) : app_(app.add_subcommand(name, help)) {}

void Verb::model(std::string& path, bool standard_input) {
  app_->add_option("model", path,
                   std::string("model file (.yaml, .urdf, .xml, .kam)") +
                       (standard_input ? "; - for standard input, with --from" : ""))
      ->required();
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
void Verb::cut(std::vector<std::string>& joints) {
  list("--cut", joints, "close the loop at this joint (may be given several times)");
}

void Verb::footer(const std::string& text) { app_->footer(text); }
void Verb::run(int& exit_code, const std::function<int()>& act) {
  app_->callback([&exit_code, act] { exit_code = act(); });
}

}  // namespace trammel::tool
