// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/kam_text.hpp"

#include <charconv>

#include <fmt/format.h>

namespace trammel::readers::kam {

namespace {

constexpr std::size_t most_statements = 100'000;
constexpr std::size_t most_tokens = 20'000;  // of one statement

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_in_number(char c) { return is_in_name(c) || c == '.' || c == '+' || c == '-'; }

// from_chars takes no '+'.
std::from_chars_result parse_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return std::from_chars(text.data(), text.data() + text.size(), value);
}

}  // namespace

double Token::value() const {
  double number = 0;
  parse_number(text, number);
  return number;
}

std::string capitals(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

void StatementReader::step() {
  const char c = text_[at_++];
  if (c == '\n') {
    where_ = {where_.line + 1, 1};
  } else if (at_ >= text_.size() || begins_character(text_[at_])) {
    ++where_.column;
  }
}

void StatementReader::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') step();
}

void StatementReader::complain(SourceLocation where, std::string id, std::string what, std::string fix) {
  if (!is_damaged_) messages_.error(where, std::move(id), std::move(what), std::move(fix));
  is_damaged_ = true;
}

bool StatementReader::next(std::vector<Token>& tokens) {
  while (at_ < text_.size()) {
    is_damaged_ = false;
    began_at_ = at_;
    began_where_ = where_;
    read_statement(tokens);
    if (tokens.empty() && !is_damaged_) continue;
    if (++statements_ > most_statements) {
      messages_.error(tokens.empty() ? where_ : tokens.front().where, "kam-too-many",
                      fmt::format("the text has more than {} statements", most_statements),
                      "check that this is a KAM listing; build larger models in C++");
      at_ = text_.size();
      gave_up_ = true;
      return false;
    }
    tokens.push_back({Token::Kind::end, {}, behind_});
    return true;
  }
  return false;
}

void StatementReader::put_back() {
  at_ = began_at_;
  where_ = began_where_;
}

// To the end of the line, and of those that continue it. Nothing, for blank lines and remarks.
void StatementReader::read_statement(std::vector<Token>& tokens) {
  tokens.clear();
  while (at_ < text_.size()) {
    const char c = here();
    if (c == '\n') {
      step();
      return;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
      step();
    } else if (c == '$' && here(1) == '$') {
      skip_line();
    } else if (c == '$') {
      continue_in_next_line();
    } else {
      read_token(tokens);
      if (tokens.size() == 1 && tokens.front().kind == Token::Kind::name && capitals(tokens.front().text) == "REMARK") {
        skip_line();
        tokens.clear();
      }
    }
  }
}

// What stands behind the `$` in its line is for people.
void StatementReader::continue_in_next_line() {
  const SourceLocation dollar = where_;
  skip_line();
  if (at_ < text_.size()) step();
  if (at_ >= text_.size()) {
    complain(dollar, "kam-continuation", "'$' goes on in the next line, and there is none",
             "delete it, or write the rest of the statement");
  }
}

void StatementReader::read_token(std::vector<Token>& tokens) {
  const char c = here();
  if (tokens.size() >= most_tokens) {
    complain(where_, "kam-too-long", fmt::format("the statement has more than {} words and signs", most_tokens),
             "a statement ends with its line unless that ends with '$'; check for missing line ends");
    skip_line();
    return;
  }
  if (is_letter(c)) return read_name(tokens);
  if (is_digit(c) || c == '.' || c == '+' || c == '-') return read_number(tokens);
  static constexpr std::string_view signs = "/,=()";
  static constexpr Token::Kind kinds[] = {Token::Kind::slash, Token::Kind::comma, Token::Kind::equals,
                                          Token::Kind::open, Token::Kind::close};
  const std::size_t sign = signs.find(c);
  const SourceLocation where = where_;
  const std::size_t length = sign == std::string_view::npos ? utf8_length(text_, at_) : 1;
  const std::string_view text = text_.substr(at_, length == 0 ? 1 : length);
  for (std::size_t i = 0; i < text.size(); ++i) step();
  if (sign == std::string_view::npos) {
    complain(where, "kam-character", fmt::format("{} cannot stand in a statement", quote(text)),
             "statements have letters, digits and / , = ( ); other text goes behind REMARK/ or $$");
    return;
  }
  behind_ = where_;
  if (!is_damaged_) tokens.push_back({kinds[sign], text, where});
}

void StatementReader::read_name(std::vector<Token>& tokens) {
  const std::size_t begin = at_;
  const SourceLocation where = where_;
  while (is_in_name(here())) step();
  const std::string_view text = text_.substr(begin, at_ - begin);
  constexpr std::size_t longest = 200;
  if (text.size() > longest) {
    complain(where, "name-too-long",
             fmt::format("the name {} has {} letters; at most {} are allowed", quote(text), text.size(), longest),
             "choose a shorter name; KAM had six letters");
    return;
  }
  behind_ = where_;
  if (!is_damaged_) tokens.push_back({Token::Kind::name, text, where});
}

void StatementReader::read_number(std::vector<Token>& tokens) {
  const std::size_t begin = at_;
  const SourceLocation where = where_;
  while (is_in_number(here())) step();
  const std::string_view text = text_.substr(begin, at_ - begin);
  double value = 0;
  const auto [end, error] = parse_number(text, value);
  if (error == std::errc::result_out_of_range) {
    complain(where, "number-not-finite", fmt::format("the number {} is beyond what a double holds", quote(text)),
             "check it");
    return;
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    complain(where, "not-a-number", fmt::format("{} is not a number", quote(text)),
             is_digit(text.front()) && text.find_first_of("+-.") == std::string_view::npos
                 ? "names begin with a letter; numbers are written as 2.5 or 1e-3"
                 : "write a number such as 2.5 or 1e-3, and a comma or a blank between two numbers");
    return;
  }
  behind_ = where_;
  if (!is_damaged_) tokens.push_back({Token::Kind::number, text, where});
}

}  // namespace trammel::readers::kam
