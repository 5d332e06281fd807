// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the verbs need of CLI11, whose headers cost every file that includes them about five seconds of compiling: here
// they are only in command_line.cpp, complete.cpp and main.cpp.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trammel::tool {

// One option of a verb; each call adds a rule and returns the option again.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& one_of(const std::vector<std::string>& words);
  Option& between(int least, int most);
  Option& not_negative();
  // `wrong` gives an empty text, or what is wrong with its argument.
  Option& check(const std::function<std::string(std::string)>& wrong);
  Option& several_with_commas();
  Option& show_default();

 private:
  CLI::Option* option_;
};

// One verb: its options write into variables that must outlive the application.
class Verb {
 public:
  Verb(CLI::App& app, const std::string& name, const std::string& help);

  void model(std::string& path, bool standard_input = true);
  void flag(const std::string& name, bool& value, const std::string& help);
  Option option(const std::string& name, std::string& value, const std::string& help);
  Option option(const std::string& name, std::optional<std::string>& value, const std::string& help);
  Option option(const std::string& name, int& value, const std::string& help);
  Option option(const std::string& name, double& value, const std::string& help);
  Option option(const std::string& name, const std::function<void(const std::string&)>& take, const std::string& help);
  // May be given several times, with one word each.
  Option list(const std::string& name, std::vector<std::string>& words, const std::string& help);
  void cut(std::vector<std::string>& joints);

  // Below the options in --help.
  void footer(const std::string& text);
  // What the verb does; it returns the exit code.
  void run(int& exit_code, const std::function<int()>& act);

 private:
  CLI::App* app_;
};

}  // namespace trammel::tool
