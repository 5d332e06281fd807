// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tool needs of CLI11, whose headers cost every file that includes them about five seconds of compiling: only
// command_line.cpp does.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
class Option;
}  // namespace CLI

namespace trammel::tool {

// trammel VERB [options]
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& help, const std::string& version, const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  std::vector<std::string> verbs() const;  // those that --help lists
  bool has_verb(const std::string& name) const;
  // As they are typed, "--json"; those of the tool itself where `verb` is empty.
  std::vector<std::string> options_of(const std::string& verb) const;
  // Verbs below a verb, and the options of one of them.
  std::vector<std::string> verbs_below(const std::string& verb) const;
  std::vector<std::string> options_of(const std::string& verb, const std::string& below) const;

  // Runs the verb that was typed, or prints the help or the version that was asked for.
  struct Outcome {
    int exit_code = 0;
    std::string wrong, fix;  // where nothing was run, because the words make no command
  };
  Outcome run(int argc, char** argv);

 private:
  friend class Verb;
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;
};

// One option of a verb; each call adds a rule and returns the option again.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& one_of(const std::vector<std::string>& words);
  Option& between(int least, int most);
  Option& not_negative();  // and finite
  Option& positive();      // and finite
  // `wrong` gives an empty text, or what is wrong with its argument.
  Option& check(const std::function<std::string(std::string)>& wrong);
  Option& several_with_commas();
  Option& show_default();
  Option& required();

 private:
  CLI::Option* option_;
};

// One verb: its options write into variables that must outlive the command line.
class Verb {
 public:
  Verb(CommandLine& line, const std::string& name, const std::string& help);
  // One that --help does not list and that takes any words.
  static Verb hidden(CommandLine& line, const std::string& name, const std::string& help);
  // `trammel study run`: a verb of a verb. The outer one then does nothing by itself.
  Verb below(const std::string& name, const std::string& help);

  void model(std::string& path, bool standard_input = true);
  // A word that must be there, without an option: what the verb is about where that need not be a model.
  void input(const std::string& name, std::string& path, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);
  Option option(const std::string& name, std::string& value, const std::string& help);
  Option option(const std::string& name, std::optional<std::string>& value, const std::string& help);
  Option option(const std::string& name, int& value, const std::string& help);
  Option option(const std::string& name, double& value, const std::string& help);
  Option option(const std::string& name, const std::function<void(const std::string&)>& take, const std::string& help);
  // May be given several times, with one word each.
  Option list(const std::string& name, std::vector<std::string>& words, const std::string& help);
  // Words that stand without an option, as many as there are.
  Option rest(const std::string& name, std::vector<std::string>& words, const std::string& help);
  void cut(std::vector<std::string>& joints);

  // Below the options in --help.
  void footer(const std::string& text);
  // What the verb does; it returns the exit code.
  void run(const std::function<int()>& act);
  std::vector<std::string> words() const;  // of a hidden verb

 private:
  Verb(CommandLine& line, CLI::App* app) : line_(line), app_(app) {}
  CommandLine& line_;
  CLI::App* app_;
};

}  // namespace trammel::tool
