// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/kam_statements.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trammel::readers::kam {

namespace {

using Sign = Token::Kind;

// Of the tokens that a damaged statement still has: enough for its name not to be missed elsewhere.
void read_head(const std::vector<Token>& tokens, Statement& statement) {
  const bool named = tokens.size() > 1 && tokens[0].kind == Sign::name && tokens[1].kind == Sign::equals;
  if (named) {
    statement.name = capitals(tokens[0].text);
    statement.name_where = tokens[0].where;
  }
  const std::size_t word = named ? 2 : 0;
  if (word < tokens.size() && tokens[word].kind == Sign::name) {
    if (const WordInfo* info = find_word(capitals(tokens[word].text))) statement.word = info->word;
    statement.where = tokens[word].where;
  } else {
    statement.where = tokens.front().where;
  }
}

// PT(3) = …, T21 = 100, UNITS/…
bool looks_like_data(const std::vector<Token>& tokens) {
  if (tokens.size() < 3 || tokens[0].kind != Sign::name) return false;
  const std::string word = capitals(tokens[0].text);
  if (tokens[1].kind == Sign::slash) return word == "UNITS" || word == "GRAVTY";
  if (tokens[1].kind == Sign::equals) return tokens[2].kind == Sign::number;
  return tokens.size() > 5 && tokens[1].kind == Sign::open && tokens[2].kind == Sign::number &&
         tokens[3].kind == Sign::close && tokens[4].kind == Sign::equals;
}

// NAME = WORD, or WORD; with a message where that is not how the statement begins.
bool read_head(StatementParser& p, Statement& statement) {
  Messages& messages = p.messages();
  if (!p.is_at(Sign::name)) {
    messages.error(p.here().where, "kam-syntax", fmt::format("a statement cannot begin with {}", describe(p.here())),
                   "begin it with a word such as BODY, or with NAME = BODY/…");
    return false;
  }
  if (p.next().kind == Sign::equals) {
    const Token& name = p.take();
    p.take();
    statement.name = capitals(name.text);
    statement.name_where = name.where;
    if (statement.name == "REMARK" || find_word(statement.name) != nullptr) {
      messages.error(name.where, "kam-name",
                     fmt::format("{} is a word of the language, not a name", quote(statement.name)),
                     "choose another name");
      statement.name.clear();
      return false;
    }
  }
  statement.where = p.here().where;
  if (!p.is_at(Sign::name)) {
    messages.error(p.here().where, "kam-syntax",
                   fmt::format("after '{} =' a word is due, not {}", statement.name, describe(p.here())),
                   "write what it is: BODY, REVLUT, LOOP, …");
    return false;
  }
  const Token& token = p.take();
  const std::string text = capitals(token.text);
  const WordInfo* info = find_word(text);
  if (info == nullptr) {
    messages.error(token.where, "kam-word", fmt::format("there is no statement {}", quote(text)),
                   messages.guess_or(text, word_texts(), "the statements are listed in docs/formats/kam.md"));
    return false;
  }
  statement.word = info->word;
  return true;
}

bool check_name(StatementParser& p, const Statement& statement) {
  const Word word = *statement.word;
  if (takes_a_name(word) == !statement.name.empty()) return true;
  const std::string_view text = info_of(word).text;
  if (takes_a_name(word)) {
    p.messages().error(statement.where, "kam-name", fmt::format("{} makes something that needs a name", text),
                       fmt::format("write {}", form_of(word, "")));
  } else {
    p.messages().error(statement.name_where, "kam-name", fmt::format("{} takes no name", text),
                       fmt::format("write {}", form_of(word, "")));
  }
  return false;
}

bool read_arguments(StatementParser& p, Statement& statement) {
  const std::string_view text = info_of(*statement.word).text;
  if (!p.is_at(Sign::slash)) {
    p.messages().error(p.here().where, "kam-syntax",
                       fmt::format("after {} a '/' is due, not {}", text, describe(p.here())),
                       fmt::format("write {}", form_of(*statement.word, statement.name)));
    return false;
  }
  p.take();
  if (p.is_at(Sign::end)) {
    p.messages().error(p.here().where, "kam-arguments", fmt::format("{} has no arguments", text),
                       fmt::format("write {}", form_of(*statement.word, statement.name)));
    return false;
  }
  bool sound = true;
  do {
    const auto argument = p.take_argument();
    if (!argument) return false;
    statement.arguments.push_back(*argument);
  } while (p.separate(sound));
  return sound;
}

bool read_end(StatementParser& p) {
  if (p.is_at(Sign::end)) return true;
  p.messages().error(p.here().where, "kam-syntax", fmt::format("END stands alone, not before {}", describe(p.here())),
                     "put what follows on a line of its own; after END come the data");
  return false;
}

Statement parse_statement(const std::vector<Token>& tokens, Messages& messages) {
  Statement statement;
  StatementParser p(tokens, messages);
  statement.end = tokens.back().where;
  statement.is_sound = read_head(p, statement) && check_name(p, statement) &&
                       (statement.word == Word::end ? read_end(p) : read_arguments(p, statement));
  return statement;
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case Sign::name:
      return quote(token.text);
    case Sign::number:
      return fmt::format("the number {}", quote(token.text));
    case Sign::end:
      return "the end of the statement";
    default:
      return fmt::format("'{}'", token.text);
  }
}

std::string to_text(const Argument& argument) {
  switch (argument.form) {
    case Argument::Form::element:
      return fmt::format("{}({})", argument.name, argument.subscript);
    case Argument::Form::at_point:
      return fmt::format("{}({}({}))", argument.name, argument.inner, argument.subscript);
    case Argument::Form::member:
      return fmt::format("{}({})", argument.name, argument.inner);
    case Argument::Form::name:
    case Argument::Form::number:
      break;
  }
  return argument.name;
}

bool StatementParser::expect(Token::Kind kind, std::string_view sign, std::string_view behind) {
  if (take_if(kind)) return true;
  messages_.error(here().where, "kam-syntax",
                  fmt::format("after {} a '{}' is due, not {}", behind, sign, kam::describe(here())),
                  fmt::format("write '{}' there", sign));
  return false;
}

bool StatementParser::separate(bool& sound) {
  if (is_at(Sign::end)) return false;
  if (is_at(Sign::comma)) {
    take();
    if (!is_at(Sign::end) && !is_at(Sign::comma)) return true;
    messages_.error(here().where, "kam-syntax",
                    fmt::format("after ',' an argument is due, not {}", kam::describe(here())),
                    "add the argument, or delete the comma");
    sound = false;
    return false;
  }
  if (is_at(Sign::name) || is_at(Sign::number)) return true;
  messages_.error(here().where, "kam-syntax", fmt::format("{} cannot stand here", kam::describe(here())),
                  is_at(Sign::equals)
                      ? "begin another statement on a line of its own, without '$' in the line before it"
                      : "delete it");
  sound = false;
  return false;
}

std::optional<int> StatementParser::take_subscript() {
  const Token& token = take();
  const double value = token.value();
  if (value >= 1 && value <= 1e9 && value == std::floor(value)) return static_cast<int>(value);
  messages_.error(token.where, "kam-subscript", fmt::format("{} cannot be the number of a point", quote(token.text)),
                  "points are numbered 1, 2, 3 and so on");
  return std::nullopt;
}

// NAME, NAME(3), NAME(NAME), NAME(NAME(3)) or a number.
std::optional<Argument> StatementParser::take_argument() {
  Argument argument;
  argument.where = here().where;
  if (is_at(Sign::number)) {
    argument.form = Argument::Form::number;
    argument.name = take().text;
    return argument;
  }
  if (!is_at(Sign::name)) {
    messages_.error(here().where, "kam-syntax", fmt::format("an argument is due, not {}", kam::describe(here())),
                    "write a name or a point such as PT(3)");
    return std::nullopt;
  }
  argument.name = capitals(take().text);
  if (!take_if(Sign::open)) return argument;
  argument.inner_where = here().where;
  if (is_at(Sign::name)) {
    argument.form = Argument::Form::member;
    argument.inner = capitals(take().text);
    if (take_if(Sign::open)) {
      argument.form = Argument::Form::at_point;
      if (!is_at(Sign::number)) {
        messages_.error(here().where, "kam-syntax",
                        fmt::format("after '{}(' a number is due, not {}", argument.inner, kam::describe(here())),
                        "write a point as PT(3)");
        return std::nullopt;
      }
      const auto subscript = take_subscript();
      if (!subscript || !expect(Sign::close, ")", "the number")) return std::nullopt;
      argument.subscript = *subscript;
    }
  } else if (is_at(Sign::number)) {
    argument.form = Argument::Form::element;
    const auto subscript = take_subscript();
    if (!subscript) return std::nullopt;
    argument.subscript = *subscript;
  } else {
    messages_.error(here().where, "kam-syntax",
                    fmt::format("after '{}(' a number or a name is due, not {}", argument.name, kam::describe(here())),
                    "write a point as PT(3), a point of a body as DRIVE(PT(3)), a pair of a loop as LOOP1(REV1)");
    return std::nullopt;
  }
  const std::string inside = argument.form == Argument::Form::element    ? "the number"
                             : argument.form == Argument::Form::at_point ? "the point"
                                                                         : quote(argument.inner);
  if (!expect(Sign::close, ")", inside)) return std::nullopt;
  return argument;
}

StatementList parse_statements(StatementReader& reader) {
  constexpr std::size_t most_arguments = 200'000;
  std::size_t arguments = 0;
  StatementList list;
  std::vector<Token> tokens;
  while (!list.has_end && reader.next(tokens)) {
    Statement statement;
    if (looks_like_data(tokens)) {
      reader.messages().error(tokens.front().where, "kam-statement-missing",
                              "data begin here, and no END stands before them",
                              "put END between the listing and its data");
      reader.put_back();
      list.end = tokens.front().where;
      list.has_end = true;
      break;
    }
    if (reader.is_damaged()) {
      statement.is_sound = false;
      read_head(tokens, statement);
    } else {
      statement = parse_statement(tokens, reader.messages());
    }
    arguments += statement.arguments.size();
    if (arguments > most_arguments) {
      reader.messages().error(statement.where, "kam-too-many",
                              fmt::format("the statements have more than {} arguments", most_arguments),
                              "check that this is a KAM listing; build larger models in C++");
      list.gave_up = true;
      break;
    }
    list.end = statement.where;
    list.has_end = statement.word == Word::end;
    if (!list.has_end) list.statements.push_back(std::move(statement));
  }
  list.gave_up = list.gave_up || reader.gave_up();
  return list;
}

}  // namespace trammel::readers::kam
