// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of a KAM text, statement by statement. A statement is a line; `$` goes on with it in the next line, `$$` begins a
// comment, and what follows REMARK is for people. Letters may be small or capital. Only the tokens of one statement are kept at
// a time, so that a text takes little more memory than itself, whatever is in it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "readers/messages.hpp"

namespace trammel::readers::kam {

struct Token {
  enum class Kind : std::uint8_t { name, number, slash, comma, equals, open, close, end };
  Kind kind = Kind::end;
  std::string_view text;  // as written
  SourceLocation where;

  // The number of a number.
  double value() const;
};

// The word in capital letters.
std::string capitals(std::string_view word);

class StatementReader {
 public:
  StatementReader(std::string_view text, Messages& messages) : text_(text), messages_(messages) {}

  // The tokens of the next statement, and one of kind `end` behind them. False at the end of the text.
  bool next(std::vector<Token>& tokens);
  // Something in the statement could not be read and was reported: the tokens are those before it.
  bool is_damaged() const { return is_damaged_; }
  // The next statement is the last one again.
  void put_back();
  // There were more statements than are read; this was reported.
  bool gave_up() const { return gave_up_; }
  Messages& messages() { return messages_; }

 private:
  void skip_line();
  void read_statement(std::vector<Token>& tokens);
  void read_token(std::vector<Token>& tokens);
  void read_name(std::vector<Token>& tokens);
  void read_number(std::vector<Token>& tokens);
  void continue_in_next_line();
  void complain(SourceLocation where, std::string id, std::string what, std::string fix);
  char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void step();

  std::string_view text_;
  Messages& messages_;
  std::size_t at_ = 0;
  SourceLocation where_{1, 1};
  SourceLocation behind_{1, 1};  // the last token
  std::size_t began_at_ = 0;     // the last statement
  SourceLocation began_where_{1, 1};
  std::size_t statements_ = 0;
  bool is_damaged_ = false, gave_up_ = false;
};

}  // namespace trammel::readers::kam
