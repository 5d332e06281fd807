// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Parses expressions by recursive descent, straight to the postfix program. From loose to tight:
//
//   conditional   c ? a : b                        to the right
//   binary        ||   &&   < <= > >= == !=   + -   * /      to the left; comparisons stand alone
//   unary         - + !
//   power         ^                                to the right; its exponent may have a sign
//   primary       number, name, 'name', f(x, …), ( … )
//
// The recursion is counted and ends at Expression::deepest_nesting. Operations on constants are done at once.

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <trammel/core/expression.hpp>
#include <trammel/diagnostics.hpp>

#include "core/text.hpp"

namespace trammel {

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const std::string> variables) : text_(text), variables_(variables) {
    result_.program_.clear();
    result_.constants_.clear();
  }

  std::variant<Expression, ExpressionError> parse() {
    if (!(check_text() && conditional() && check_end())) return std::move(*error_);
    if (result_.is_constant()) result_ = Expression(result_.evaluate<double>({}));
    result_.text_ = text_;
    return std::move(result_);
  }

 private:
  using Op = Expression::Op;

  struct BinaryOperator {
    std::string_view text;
    int precedence;
    Op op;
  };
  struct Function {
    std::string_view name, usage;
    Op op;

    // f(a, b, c) = f(f(a, b), c)
    constexpr bool takes_more() const { return op == Op::min || op == Op::max; }
  };
  static constexpr int comparison = 3;
  static constexpr BinaryOperator binary_operators[] = {  // longer ones first
      {"||", 1, Op::either},
      {"&&", 2, Op::both},
      {"<=", comparison, Op::less_equal},
      {">=", comparison, Op::greater_equal},
      {"==", comparison, Op::equal},
      {"!=", comparison, Op::not_equal},
      {"<", comparison, Op::less},
      {">", comparison, Op::greater},
      {"+", 4, Op::plus},
      {"-", 4, Op::minus},
      {"*", 5, Op::times},
      {"/", 5, Op::divide}};
  static constexpr Function functions[] = {{"sin", "sin(x)", Op::sin},
                                           {"cos", "cos(x)", Op::cos},
                                           {"tan", "tan(x)", Op::tan},
                                           {"asin", "asin(x)", Op::asin},
                                           {"acos", "acos(x)", Op::acos},
                                           {"atan", "atan(x)", Op::atan},
                                           {"atan2", "atan2(y, x)", Op::atan2},
                                           {"sinh", "sinh(x)", Op::sinh},
                                           {"cosh", "cosh(x)", Op::cosh},
                                           {"tanh", "tanh(x)", Op::tanh},
                                           {"exp", "exp(x)", Op::exp},
                                           {"ln", "ln(x)", Op::ln},
                                           {"log2", "log2(x)", Op::log2},
                                           {"log10", "log10(x)", Op::log10},
                                           {"sqrt", "sqrt(x)", Op::sqrt},
                                           {"cbrt", "cbrt(x)", Op::cbrt},
                                           {"pow", "pow(x, y)", Op::power},
                                           {"hypot", "hypot(x, y)", Op::hypot},
                                           {"abs", "abs(x)", Op::abs},
                                           {"sign", "sign(x)", Op::sign},
                                           {"floor", "floor(x)", Op::floor},
                                           {"ceil", "ceil(x)", Op::ceil},
                                           {"round", "round(x)", Op::round},
                                           {"min", "min(a, b, …)", Op::min},
                                           {"max", "max(a, b, …)", Op::max},
                                           {"mod", "mod(x, y)", Op::mod},
                                           {"step", "step(x)", Op::step},
                                           {"ramp", "ramp(t, t0, t1)", Op::ramp},
                                           {"pulse", "pulse(t, t0, t1)", Op::pulse}};
  static constexpr std::string_view if_usage = "if(condition, then, else)";
  static constexpr std::pair<std::string_view, double> named_numbers[] = {{"pi", std::numbers::pi},
                                                                          {"e", std::numbers::e}};
  // What people write or paste, and what it is called here.
  static constexpr std::pair<std::string_view, std::string_view> other_spellings[] = {
      {"=", "write '==' to compare"},
      {"&", "write '&&' for 'and'"},
      {"|", "write '||' for 'or'"},
      {"%", "write mod(a, b) for the remainder"},
      {"−", "write '-', the minus of the keyboard"},
      {"–", "write '-', the minus of the keyboard"},
      {"×", "write '*' to multiply"},
      {"·", "write '*' to multiply"},
      {"÷", "write '/' to divide"},
      {"≤", "write '<='"},
      {"≥", "write '>='"},
      {"≠", "write '!='"},
      {"²", "write '^2'"},
      {"³", "write '^3'"},
      {"[", "use round parentheses"},
      {"]", "use round parentheses"},
      {"{", "use round parentheses"},
      {"}", "use round parentheses"}};

  // --- characters ---------------------------------------------------------------------------------------------------

  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[at_]; }
  bool here_is(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void skip_blanks() {
    while (!at_end() && (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r')) ++at_;
  }
  bool skip(char c) {
    skip_blanks();
    if (at_end() || here() != c) return false;
    ++at_;
    return true;
  }
  std::string_view character() const { return text_.substr(at_, utf8_length(text_, at_)); }
  const std::string_view* find_other_spelling() const {
    for (const auto& [spelling, fix] : other_spellings) {
      if (here_is(spelling)) return &fix;
    }
    return nullptr;
  }
  bool begins_number() const {
    return is_digit(here()) || (here() == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
  }
  // Letters of other alphabets are letters too.
  bool begins_name() const {
    if (at_end()) return false;
    const char c = here();
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    return ascii ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' : find_other_spelling() == nullptr;
  }
  std::string_view read_name() {
    const std::size_t begin = at_;
    while (begins_name() || is_digit(here()) || here() == '.') at_ += character().size();
    return text_.substr(begin, at_ - begin);
  }

  // --- mistakes -----------------------------------------------------------------------------------------------------

  bool fail(std::size_t position, std::string what, std::string fix) {
    error_ = {position, std::move(what), std::move(fix)};
    return false;
  }
  bool fail_deep(std::size_t position) {
    return fail(position, "the expression is nested too deeply here",
                fmt::format("use fewer parentheses; at most {} levels and {} intermediate values are possible",
                            Expression::deepest_nesting, Expression::most_values));
  }
  bool check_text() {
    if (text_.size() > Expression::longest_text) {
      return fail(0, fmt::format("the expression is {} bytes long", text_.size()),
                  fmt::format("shorten it to at most {} bytes", Expression::longest_text));
    }
    for (std::size_t i = 0, length = 0; i < text_.size(); i += length) {
      length = utf8_length(text_, i);
      if (length == 0) {
        return fail(i, fmt::format("byte 0x{:02X} is not valid UTF-8", static_cast<unsigned char>(text_[i])),
                    "save the text in the encoding UTF-8");
      }
    }
    skip_blanks();
    return !at_end() || fail(0, "the expression is empty", "write a number or a formula, such as 2*sin(t)");
  }
  bool check_end() {
    skip_blanks();
    return at_end() || fail_unexpected();
  }
  // What stands here cannot follow a complete value.
  bool fail_unexpected() {
    if (here() == ')') return fail(at_, "')' has no '(' before it", "take it out, or add the '('");
    if (here() == ',') {
      return fail(at_, "',' stands outside of a function", "write numbers with a point, such as 1.5");
    }
    if (begins_number() || begins_name() || here() == '(' || is_quote(here())) {
      const std::size_t position = at_;
      const std::string_view found = begins_name() ? read_name() : character();
      return fail(position, fmt::format("an operator is missing before {}", quote(found)), "write '*' to multiply");
    }
    return fail_character();
  }
  bool fail_character() {
    const std::string_view* fix = find_other_spelling();
    return fail(at_, fmt::format("{} does not belong here", quote(character())),
                fix != nullptr ? std::string(*fix) : "take it out; names that contain it are written in quotes");
  }
  // A value should begin here.
  bool fail_missing_value() {
    if (at_end()) return fail(at_, "the expression ends where a value is expected", "complete it, or take out the end");
    if (here() == '*' && at_ > 0 && text_[at_ - 1] == '*') return fail(at_ - 1, "'**' is not an operator", "write '^'");
    const BinaryOperator* op = find_operator();
    const bool misplaced =
        op != nullptr || here() == ')' || here() == ',' || here() == '?' || here() == ':' || here() == '^';
    if (!misplaced) return fail_character();
    return fail(at_, fmt::format("a value is missing before {}", quote(op != nullptr ? op->text : character())),
                "write a number, a name or a function there");
  }
  bool fail_unknown(std::size_t position, std::string_view name, bool called) {
    if (name == "log") {
      return fail(position, "'log' may mean two functions", "write ln(x) for the natural one, log10(x) for base 10");
    }
    std::vector<std::string> known;
    if (!called) {
      known.assign(variables_.begin(), variables_.end());
      for (const auto& [constant, value] : named_numbers) known.emplace_back(constant);
    }
    std::string list = shown(known);
    for (const Function& f : functions) known.emplace_back(f.name);
    known.emplace_back("if");
    const std::string near = did_you_mean(name, known);
    if (called) list = "the functions are listed in docs/formats/expressions.md";
    return fail(position, fmt::format("{} {} is not known", called ? "the function" : "the name", quote(name)),
                near.empty() ? list : fmt::format("did you mean {}?", quote(near)));
  }
  static std::string shown(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string list = "the names are ";
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) list += (i > 0 ? ", " : "") + quote(names[i]);
    return names.size() > most ? list + ", …" : list;
  }

  // --- the program --------------------------------------------------------------------------------------------------

  std::vector<Expression::Step>& program() { return result_.program_; }

  bool push(Op op, std::uint32_t index) {
    if (++held_ > Expression::most_values) return fail_deep(at_);
    result_.most_held_ = std::max(result_.most_held_, held_);
    program().push_back({op, index});
    return true;
  }
  bool push_constant(double value) {
    result_.constants_.push_back(value);
    return push(Op::constant, static_cast<std::uint32_t>(result_.constants_.size() - 1));
  }
  // The last steps push constants, and no jump ends between them.
  bool ends_in_constants(std::size_t count) {
    const auto is_constant = [](const Expression::Step& step) { return step.op == Op::constant; };
    return program().size() >= fold_from_ + count &&
           std::all_of(program().end() - static_cast<std::ptrdiff_t>(count), program().end(), is_constant);
  }
  void apply(Op op) {
    const auto count = static_cast<std::size_t>(Expression::operands(op));
    held_ -= static_cast<int>(count) - 1;
    if (!ends_in_constants(count)) {
      program().push_back({op});
      return;
    }
    std::vector<double>& constants = result_.constants_;  // each belongs to one step, in the same order
    double* const x = constants.data() + constants.size() - count;
    x[0] = count == 1   ? Expression::of_one(op, x[0])
           : count == 2 ? Expression::of_two(op, x[0], x[1])
                        : Expression::of_three(op, x[0], x[1], x[2]);
    constants.resize(constants.size() - (count - 1));
    program().resize(program().size() - (count - 1));
  }

  // --- the grammar: each function reads one thing and leaves its value on the stack ---------------------------------

  template <class Part>
  bool nested(Part part) {
    skip_blanks();
    if (nesting_ == Expression::deepest_nesting) return fail_deep(at_);
    ++nesting_;
    const bool good = part();
    --nesting_;
    return good;
  }

  bool conditional() {
    return nested([this] {
      if (!binary(1)) return false;
      return !skip('?') || branches(':');
    });
  }
  // After a condition:  jump_if_zero L; a; jump M; L: b; M:
  bool branches(char separator) {
    const std::size_t to_second = program().size();
    program().push_back({Op::jump_if_zero});
    --held_;
    if (!conditional()) return false;
    if (!skip(separator)) return fail_separator(separator);
    const std::size_t to_end = program().size();
    program().push_back({Op::jump});
    --held_;
    if (!conditional()) return false;
    program()[to_second].index = static_cast<std::uint32_t>(to_end - to_second);
    program()[to_end].index = static_cast<std::uint32_t>(program().size() - to_end - 1);
    fold_from_ = program().size();
    return true;
  }
  bool fail_separator(char separator) {
    if (separator == ':') return fail(at_, "'?' has no ':' after it", "write condition ? then : else");
    if (at_end() || here() == ')') return fail(at_, "'if' takes 3 arguments", fmt::format("write {}", if_usage));
    return fail_unexpected();
  }

  const BinaryOperator* find_operator() {
    skip_blanks();
    for (const BinaryOperator& candidate : binary_operators) {
      if (here_is(candidate.text)) return &candidate;
    }
    return nullptr;
  }
  bool binary(int lowest) {
    if (!unary()) return false;
    for (;;) {
      const BinaryOperator* op = find_operator();
      if (op == nullptr || op->precedence < lowest) return true;
      at_ += op->text.size();
      if (!binary(op->precedence + 1)) return false;
      apply(op->op);
      const BinaryOperator* next = find_operator();
      if (op->precedence == comparison && next != nullptr && next->precedence == comparison) {
        return fail(at_, "comparisons cannot be chained", "write a < b && b < c, or put one into parentheses");
      }
    }
  }
  bool unary() {
    skip_blanks();
    const char sign = here();
    if (sign != '-' && sign != '+' && sign != '!') return power();
    ++at_;
    if (!nested([this] { return unary(); })) return false;
    if (sign != '+') apply(sign == '-' ? Op::negate : Op::negation);
    return true;
  }
  bool power() {
    if (!primary()) return false;
    if (!skip('^')) return true;
    if (!nested([this] { return unary(); })) return false;
    apply(Op::power);
    return true;
  }
  bool primary() {
    skip_blanks();
    if (begins_number()) return number();
    if (begins_name()) return name();
    if (is_quote(here())) return quoted_name();
    const std::size_t open = at_;
    if (!skip('(')) return fail_missing_value();
    return conditional() && close(open);
  }
  bool close(std::size_t open) {
    if (skip(')')) return true;
    return at_end() ? fail(open, "'(' is never closed", "add the ')'") : fail_unexpected();
  }

  bool number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    const std::string_view digits(begin, static_cast<std::size_t>(end - begin));
    if (status != std::errc{}) {
      return fail(at_, fmt::format("the number {} is out of range", quote(digits)),
                  "sizes from about 1e-308 to 1e308 are possible");
    }
    at_ += digits.size();
    return push_constant(value);
  }

  static bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }
  bool quoted_name() {
    const std::size_t begin = at_ + 1, end = text_.find(here(), begin);
    if (end == std::string_view::npos) {
      return fail(at_, "the quoted name does not end", fmt::format("add the closing {}", here()));
    }
    const std::string_view word = text_.substr(begin, end - begin);
    const auto variable = std::find(variables_.begin(), variables_.end(), word);
    if (variable == variables_.end()) return fail_unknown(at_, word, false);
    at_ = end + 1;
    return push_variable(variable);
  }
  bool push_variable(std::span<const std::string>::iterator variable) {
    return push(Op::variable, static_cast<std::uint32_t>(variable - variables_.begin()));
  }
  bool name() {
    const std::size_t position = at_;
    const std::string_view word = read_name();
    const auto variable = std::find(variables_.begin(), variables_.end(), word);
    if (variable != variables_.end()) return push_variable(variable);
    for (const auto& [constant, value] : named_numbers) {
      if (word == constant) return push_constant(value);
    }
    const auto* function =
        std::find_if(std::begin(functions), std::end(functions), [&](const Function& f) { return f.name == word; });
    const bool known = function != std::end(functions), is_if = word == "if";
    const std::string_view usage = is_if ? if_usage : known ? function->usage : "";
    skip_blanks();
    const std::size_t open = at_;
    const bool called = skip('(');
    if (!known && !is_if) return fail_unknown(position, word, called);
    if (!called) return fail(position, fmt::format("'{}' is a function", word), fmt::format("write {}", usage));
    if (is_if) return if_call(open);
    return call(*function, position, open);
  }
  bool if_call(std::size_t open) {
    if (!conditional()) return false;
    if (!((skip(',') || fail_separator(',')) && branches(','))) return false;
    skip_blanks();
    if (here() == ',') return fail(at_, "'if' takes 3 arguments", fmt::format("write {}", if_usage));
    return close(open);
  }
  bool call(const Function& function, std::size_t position, std::size_t open) {
    const int wanted = Expression::operands(function.op);
    int found = 0;
    if (skip(')')) return fail_arguments(function, position, "here are none");
    do {
      if (found == wanted && !function.takes_more()) return fail_arguments(function, position, "here are more");
      if (!conditional()) return false;
      if (++found >= wanted) apply(function.op);  // with further ones once more
    } while (skip(','));
    if (!close(open)) return false;
    return found >= wanted || fail_arguments(function, position, found == 1 ? "here is 1" : "here are 2");
  }
  bool fail_arguments(const Function& function, std::size_t position, std::string_view found) {
    const int wanted = Expression::operands(function.op);
    return fail(position,
                fmt::format("'{}' takes {} argument{}{}; {}", function.name, wanted, wanted == 1 ? "" : "s",
                            function.takes_more() ? " or more" : "", found),
                fmt::format("write {}", function.usage));
  }

  std::string_view text_;
  std::span<const std::string> variables_;
  Expression result_;
  std::optional<ExpressionError> error_;
  std::size_t at_ = 0;         // the next byte
  std::size_t fold_from_ = 0;  // a jump may end at this step: nothing is folded across it
  int nesting_ = 0, held_ = 0;
};

std::variant<Expression, ExpressionError> Expression::parse(std::string_view text,
                                                            std::span<const std::string> variables) {
  return ExpressionParser(text, variables).parse();
}

Expression::Expression(double value)
    : text_(fmt::format("{}", value)), program_{{Op::constant}}, constants_{value}, most_held_(1) {}

bool Expression::uses(int variable) const {
  return std::any_of(program_.begin(), program_.end(), [variable](const Step& step) {
    return step.op == Op::variable && step.index == static_cast<std::uint32_t>(variable);
  });
}

bool Expression::is_constant() const {
  return std::none_of(program_.begin(), program_.end(), [](const Step& step) { return step.op == Op::variable; });
}

bool Expression::may_jump() const {
  constexpr Op jumping[] = {Op::jump_if_zero, Op::less, Op::less_equal, Op::greater,  Op::greater_equal, Op::equal,
                            Op::not_equal,    Op::both, Op::either,     Op::negation, Op::atan2,         Op::sign,
                            Op::floor,        Op::ceil, Op::round,      Op::mod,      Op::step,          Op::pulse};
  return std::any_of(program_.begin(), program_.end(), [&](const Step& step) {
    return std::find(std::begin(jumping), std::end(jumping), step.op) != std::end(jumping);
  });
}

}  // namespace trammel
