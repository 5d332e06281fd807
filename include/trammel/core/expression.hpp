// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expressions that people write in files, such as "20*sin(2*pi*t)" or "if(t < 1, 0, 5)". The text is parsed once, to a
// program in postfix order, and evaluated for any scalar: with double it gives numbers, with Series<2> also the velocity
// and acceleration of a prescribed motion, with Gradient its partial derivatives, all exact to round-off.
// The grammar and the functions are in docs/formats/expressions.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <trammel/core/functions.hpp>

namespace trammel {

struct ExpressionError {
  std::size_t position = 0;  // in bytes from the beginning of the text, counted from 0
  std::string what, fix;     // one line each
};

class Expression {
 public:
  static constexpr std::size_t longest_text = 65536;  // bytes
  static constexpr int deepest_nesting = 200;         // parentheses, calls, chains of signs, powers and else-branches
  static constexpr int most_values = 64;              // held at once during an evaluation

  // `variables` are the names that may occur; evaluate() takes their values in the same order. A variable goes before a
  // constant of its name (pi, e). Of mistakes the first is reported.
  static std::variant<Expression, ExpressionError> parse(std::string_view text, std::span<const std::string> variables);

  Expression() : Expression(0) {}
  // The constant expression of this value.
  explicit Expression(double value);

  const std::string& text() const { return text_; }
  // Whether a variable occurs, by its place in the list; where not, its value has no influence.
  bool uses(int variable) const;
  bool is_constant() const;  // no variable occurs
  bool may_jump() const;     // it has comparisons, or functions whose values jump

  // The value, with as many derivatives as T carries; inf or NaN where it is not defined. Does not allocate or throw.
  // `values` has one value for each variable of parse().
  template <class T>
  T evaluate(std::span<const T> values) const {
    constexpr int usual = 8;  // spares most expressions to clear all of a large stack
    return most_held_ <= usual ? run<T, usual>(values) : run<T, most_values>(values);
  }

 private:
  friend class ExpressionParser;

  // What one step does to the stack of values.
  enum class Op : std::uint8_t {
    // clang-format off
    constant, variable,                                      // push constants_[index], values[index]
    jump, jump_if_zero,                                      // by `index` steps further; the latter takes a value
    plus, minus, negate, times, divide, power,
    less, less_equal, greater, greater_equal, equal, not_equal, both, either, negation,   // 1 or 0
    sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, ln, log2, log10, sqrt, cbrt, hypot,
    abs, sign, floor, ceil, round, min, max, mod, step, ramp, pulse,
    // clang-format on
  };
  struct Step {
    Op op;
    std::uint32_t index = 0;
  };

  template <class T, int depth>
  T run(std::span<const T> values) const;
  template <class T>
  static T of_one(Op op, const T& x);
  template <class T>
  static T of_two(Op op, const T& x, const T& y);
  template <class T>
  static T of_three(Op op, const T& x, const T& y, const T& z);
  static constexpr int operands(Op op);
  template <class T>
  static T ramp(const T& x, const T& from, const T& to);

  std::string text_;
  std::vector<Step> program_;
  std::vector<double> constants_;
  int most_held_ = 0;
};

constexpr int Expression::operands(Op op) {
  switch (op) {
    case Op::constant:
    case Op::variable:
    case Op::jump:
      return 0;
    case Op::plus:
    case Op::minus:
    case Op::times:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::both:
    case Op::either:
    case Op::atan2:
    case Op::hypot:
    case Op::min:
    case Op::max:
    case Op::mod:
      return 2;
    case Op::ramp:
    case Op::pulse:
      return 3;
    default:
      return 1;
  }
}

template <class T, int depth>
T Expression::run(std::span<const T> values) const {
  std::array<T, depth> stack{};
  std::size_t held = 0;  // values on the stack
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const auto [op, index] = program_[i];
    switch (op) {
      case Op::constant:
        stack[held++] = T(constants_[index]);
        continue;
      case Op::variable:
        stack[held++] = values[index];
        continue;
      case Op::jump:
        i += index;
        continue;
      case Op::jump_if_zero:
        if (value_of(stack[--held]) == 0) i += index;
        continue;
      default:
        break;
    }
    const int taken = operands(op);
    held -= static_cast<std::size_t>(taken);
    T* const x = stack.data() + held++;
    *x = taken == 1 ? of_one(op, x[0]) : taken == 2 ? of_two(op, x[0], x[1]) : of_three(op, x[0], x[1], x[2]);
  }
  return stack[0];
}

template <class T>
T Expression::of_one(Op op, const T& x) {
  const double value = value_of(x);
  switch (op) {
    case Op::negate:
      return -x;
    case Op::negation:
      return T(value == 0 ? 1 : 0);
    case Op::sin:
      return sin(x);
    case Op::cos:
      return cos(x);
    case Op::tan:
      return tan(x);
    case Op::asin:
      return asin(x);
    case Op::acos:
      return acos(x);
    case Op::atan:
      return atan(x);
    case Op::sinh:
      return sinh(x);
    case Op::cosh:
      return cosh(x);
    case Op::tanh:
      return tanh(x);
    case Op::exp:
      return exp(x);
    case Op::ln:
      return log(x);
    case Op::log2:
      return log2(x);
    case Op::log10:
      return log10(x);
    case Op::sqrt:
      return sqrt(x);
    case Op::cbrt:
      return cbrt(x);
    case Op::abs:
      return abs(x);
    case Op::sign:
      return T(value > 0 ? 1 : value < 0 ? -1 : value);  // zero and NaN stay what they are
    case Op::floor:
      return floor(x);
    case Op::ceil:
      return ceil(x);
    case Op::round:
      return round(x);
    case Op::step:
      return T(value >= 0 ? 1 : 0);
    default:
      return x;
  }
}

template <class T>
T Expression::of_two(Op op, const T& x, const T& y) {
  const double a = value_of(x), b = value_of(y);
  switch (op) {
    case Op::plus:
      return x + y;
    case Op::minus:
      return x - y;
    case Op::times:
      return x * y;
    case Op::divide:
      return x / y;
    case Op::power:
      return pow(x, y);
    case Op::less:
      return T(a < b ? 1 : 0);
    case Op::less_equal:
      return T(a <= b ? 1 : 0);
    case Op::greater:
      return T(a > b ? 1 : 0);
    case Op::greater_equal:
      return T(a >= b ? 1 : 0);
    case Op::equal:
      return T(a == b ? 1 : 0);
    case Op::not_equal:
      return T(a != b ? 1 : 0);
    case Op::both:
      return T(a != 0 && b != 0 ? 1 : 0);
    case Op::either:
      return T(a != 0 || b != 0 ? 1 : 0);
    case Op::atan2:
      return atan2(x, y);
    case Op::hypot:
      return hypot(x, y);
    case Op::min:
      return select(b < a, y, x);
    case Op::max:
      return select(b > a, y, x);
    case Op::mod:
      return x - y * floor(x / y);
    default:
      return x;
  }
}

template <class T>
T Expression::of_three(Op op, const T& x, const T& y, const T& z) {
  if (op == Op::ramp) return ramp(x, y, z);
  return T(x >= y && x < z ? 1 : 0);  // pulse
}

// From 0 to 1 by 10 s³ − 15 s⁴ + 6 s⁵, whose first two derivatives are zero at both ends.
template <class T>
T Expression::ramp(const T& x, const T& from, const T& to) {
  if (x < from) return T(0);
  if (x >= to) return T(1);
  const T s = (x - from) / (to - from);
  return s * s * s * (T(10) + s * (T(6) * s - T(15)));
}

}  // namespace trammel
