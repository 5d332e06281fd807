// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A KAM listing as statements: [NAME =] WORD[/argument, argument …], up to END. Only their form is judged here; what their names
// stand for is found when all are known.

#include <optional>
#include <string>
#include <vector>

#include "readers/kam_text.hpp"
#include "readers/kam_words.hpp"

namespace trammel::readers::kam {

struct Argument {
  enum class Form {
    name,      // REV1
    element,   // PT(3)
    at_point,  // DRIVE(PT(3))
    member,    // LOOP1(REV1)
    number,    // 3
  };
  Form form = Form::name;
  std::string name;   // in capitals
  std::string inner;  // PT of DRIVE(PT(3)), REV1 of LOOP1(REV1)
  int subscript = 0;
  SourceLocation where, inner_where;
};

// As it would be written.
std::string to_text(const Argument& argument);

struct Statement {
  std::optional<Word> word;  // none where it is not known, which was reported
  std::string name;
  SourceLocation where;  // of the word
  SourceLocation name_where;
  SourceLocation end;  // behind the last argument
  std::vector<Argument> arguments;
  bool is_sound = true;  // false: it has a mistake that was reported; its name is still good for not being missed
};

// The statements up to END; what follows it is left for the data.
struct StatementList {
  std::vector<Statement> statements;
  bool has_end = false;
  SourceLocation end;    // of END, or of the last statement
  bool gave_up = false;  // the text was too long, which was reported
};
StatementList parse_statements(StatementReader& reader);

// Steps through the tokens of one statement. On the first mistake it reports and gives up the statement.
class StatementParser {
 public:
  StatementParser(const std::vector<Token>& tokens, Messages& messages) : tokens_(tokens), messages_(messages) {}

  const Token& here() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  bool is_at(Token::Kind kind) const { return here().kind == kind; }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool take_if(Token::Kind kind) {
    if (!is_at(kind)) return false;
    take();
    return true;
  }
  // ")" and the like, with a message where it is missing.
  bool expect(Token::Kind kind, std::string_view sign, std::string_view behind);
  // A comma between arguments may be missing; not that which follows it. False at the end of the list, or after a message.
  bool separate(bool& sound);
  std::optional<int> take_subscript();
  std::optional<Argument> take_argument();
  Messages& messages() { return messages_; }

 private:
  const std::vector<Token>& tokens_;
  Messages& messages_;
  std::size_t at_ = 0;
};

// "'('", "the name 'X'", "the end of the statement"
std::string describe(const Token& token);

}  // namespace trammel::readers::kam
