// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Expressions: grammar, functions, derivatives, messages, hostile texts.

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <trammel/core/dual.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/core/gradient.hpp>
#include <trammel/core/series.hpp>

#include "support/random.hpp"

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;
const std::vector<std::string> names{"t", "x", "y", "coupler point.x", "arm.angle", "θ"};

Expression parsed(std::string_view text, std::span<const std::string> variables = names) {
  auto result = Expression::parse(text, variables);
  if (const auto* error = std::get_if<ExpressionError>(&result)) {
    ADD_FAILURE() << text << ": " << error->position << ": " << error->what << " / " << error->fix;
    return {};
  }
  return std::get<Expression>(result);
}
double value(std::string_view text, double t = 0, double x = 0, double y = 0) {
  const std::vector<double> values{t, x, y, 31, 32, 33};
  return parsed(text).evaluate<double>(values);
}
template <class T>
T of_time(std::string_view text, const T& t) {
  std::vector<T> values(names.size(), T(0));
  values[0] = t;
  return parsed(text).evaluate<T>(values);
}

TEST(Expression, follows_the_usual_precedence) {
  const std::pair<const char*, double> table[] = {
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"24/4/3", 2},
      {"2^3^2", 512},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2^-2^2", 0.0625},
      {"-2*-3", 6},
      {"2 - -3", 5},
      {"--3", 3},
      {"+3 - +4", -1},
      {"2*3^2", 18},
      {"1 + 1 < 3", 1},
      {"1 < 2 && 3 > 4", 0},
      {"1 < 2 || 3 > 4", 1},
      {"0 && 0 || 1", 1},
      {"1 || 0 && 0", 1},
      {"!0", 1},
      {"!2 + 1", 1},
      {"!(1 == 1)", 0},
      {"2 <= 2", 1},
      {"2 >= 3", 0},
      {"2 != 3", 1},
      {"2 == 3", 0},
      {"(1 < 2) == (3 < 4)", 1},
      {"1 ? 2 : 3", 2},
      {"0 ? 2 : 3", 3},
      {"0 ? 1 : 0 ? 2 : 3", 3},
      {"1 ? 0 ? 4 : 5 : 6", 5},
      {"1 + 1 == 2 ? 10 : 20", 10},
      {"(0 ? 1 : 2) + 3", 5},
      {"(1 ? 1 : 2) + 3", 4},
      {"-(0 ? 1 : 2)", -2},
      {"if(1 < 2, 10, 20) * 2", 20},
      {"if(1 > 2, 10, 20) + if(1, 2, 3)", 22},
      {" \t\n 1e3 + 2.5E-1 + .5 + 3. ", 1003.75},
      {"pi", pi},
      {"e", std::numbers::e},
      {"2*pi", 2 * pi},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(value(text), expected) << text;
}

// The same with variables in place of numbers, for constants are folded while parsing.
TEST(Expression, gives_the_same_folded_and_evaluated) {
  for (const char* formula :
       {"?1 + ?2*?3 - ?1/?2", "-?1^?2 + ?3^-?1", "?1 < ?2 && ?2 < ?3 || !?1", "(?1 > ?2 ? ?3 : ?1) + ?2",
        "if(?1 <= ?2, ?3 + ?2, ?1)*?3", "ramp(?2, ?1, ?3)", "max(?1, ?3, ?2) - min(?1, ?2)"}) {
    std::string with_numbers, with_variables;
    for (const char* c = formula; *c != '\0'; ++c) {
      if (*c == '?' && c[1] >= '1' && c[1] <= '3') {
        ++c;
        with_numbers += *c;
        with_variables += std::string(1, "txy"[*c - '1']);
      } else {
        with_numbers += *c, with_variables += *c;
      }
    }
    EXPECT_TRUE(parsed(with_numbers).is_constant());
    EXPECT_EQ(value(with_numbers), value(with_variables, 1, 2, 3)) << formula;
  }
}

struct FunctionRow {
  const char* text;
  std::function<double(double, double)> expected;
};
const std::vector<FunctionRow>& function_rows() {
  static const std::vector<FunctionRow> rows{
      {"sin(x)", [](double x, double) { return std::sin(x); }},
      {"cos(x)", [](double x, double) { return std::cos(x); }},
      {"tan(x)", [](double x, double) { return std::tan(x); }},
      {"asin(x/4)", [](double x, double) { return std::asin(x / 4); }},
      {"acos(x/4)", [](double x, double) { return std::acos(x / 4); }},
      {"atan(x)", [](double x, double) { return std::atan(x); }},
      {"atan2(x, y)", [](double x, double y) { return std::atan2(x, y); }},
      {"sinh(x)", [](double x, double) { return std::sinh(x); }},
      {"cosh(x)", [](double x, double) { return std::cosh(x); }},
      {"tanh(x)", [](double x, double) { return std::tanh(x); }},
      {"exp(x)", [](double x, double) { return std::exp(x); }},
      {"ln(x^2)", [](double x, double) { return std::log(std::pow(x, 2)); }},
      {"log2(x^2)", [](double x, double) { return std::log2(std::pow(x, 2)); }},
      {"log10(x^2)", [](double x, double) { return std::log10(std::pow(x, 2)); }},
      {"sqrt(x^2)", [](double x, double) { return std::sqrt(std::pow(x, 2)); }},
      {"cbrt(x)", [](double x, double) { return std::cbrt(x); }},
      {"pow(x, 3)", [](double x, double) { return std::pow(x, 3); }},
      {"abs(x)^y", [](double x, double y) { return std::pow(std::abs(x), y); }},
      {"hypot(x, y)", [](double x, double y) { return std::hypot(x, y); }},
      {"abs(x)", [](double x, double) { return std::abs(x); }},
      {"sign(x)", [](double x, double) { return x > 0   ? 1.
                                                : x < 0 ? -1.
                                                        : 0.; }},
      {"floor(x)", [](double x, double) { return std::floor(x); }},
      {"ceil(x)", [](double x, double) { return std::ceil(x); }},
      {"round(x)", [](double x, double) { return std::round(x); }},
      {"min(x, y)", [](double x, double y) { return std::min(x, y); }},
      {"max(x, y)", [](double x, double y) { return std::max(x, y); }},
      {"mod(x, y)", [](double x, double y) { return x - y * std::floor(x / y); }},
      {"step(x)", [](double x, double) { return x >= 0 ? 1. : 0.; }},
      {"pulse(x, -1, 2)", [](double x, double) { return x >= -1 && x < 2 ? 1. : 0.; }},
  };
  return rows;
}

TEST(Expression, has_the_functions_of_the_library) {
  for (const FunctionRow& row : function_rows()) {
    for (const double x : {-2.7, -1.5, -0.3, 0.4, 1.0, 2.5}) {
      for (const double y : {-1.7, 0.6, 3.0}) {
        EXPECT_EQ(value(row.text, 0, x, y), row.expected(x, y)) << row.text << " at " << x << ", " << y;
      }
    }
  }
  EXPECT_EQ(value("mod(-1, 3)"), 2) << "the remainder has the sign of the divisor";
  EXPECT_EQ(value("mod(7.5, 2)"), 1.5);
  EXPECT_EQ(value("round(2.5)"), 3);
  EXPECT_EQ(value("sign(0)"), 0);
  EXPECT_EQ(value("step(0)"), 1);
  EXPECT_EQ(value("min(4, 2, 3) + max(1, 7, 5, 6)"), 9);
  EXPECT_EQ(value("log10(1000)"), 3);
  EXPECT_DOUBLE_EQ(value("hypot(3e200, 4e200)"), 5e200);
}

// Every scalar gives the value of the plain number to the last bit, and Gradient, Dual and Series the same slope.
TEST(Expression, is_the_same_function_for_every_scalar) {
  for (const FunctionRow& row : function_rows()) {
    for (const double x : {-2.7, -0.3, 0.4, 2.3}) {
      const double y = 0.6, plain = value(row.text, 0, x, y);
      const Expression f = parsed(row.text);
      const std::vector<Gradient<2>> gradients{0, Gradient<2>::variable(0, x), Gradient<2>::variable(1, y), 0, 0, 0};
      const std::vector<Dual> duals{0, {x, 2}, {y, 3}, 0, 0, 0};
      const std::vector<Series<2>> series{0, Series<2>({x, 2, 0}), Series<2>({y, 3, 0}), 0, 0, 0};
      const Gradient<2> g = f.evaluate<Gradient<2>>(gradients);
      const double slope = 2 * g.d[0] + 3 * g.d[1], tolerance = 1e-13 * (1 + std::abs(slope));
      EXPECT_EQ(g.value, plain) << row.text;
      EXPECT_EQ(f.evaluate<Dual>(duals).value, plain) << row.text;
      EXPECT_EQ(f.evaluate<Series<2>>(series).c[0], plain) << row.text;
      EXPECT_NEAR(f.evaluate<Dual>(duals).eps, slope, tolerance) << row.text;
      EXPECT_NEAR(f.evaluate<Series<2>>(series).c[1], slope, tolerance) << row.text;
      const double h = 1e-6,
                   difference =
                       (value(row.text, 0, x + 2 * h, y + 3 * h) - value(row.text, 0, x - 2 * h, y - 3 * h)) / (2 * h);
      EXPECT_NEAR(slope, difference, 1e-7 * (1 + std::abs(slope))) << row.text << " at " << x;
    }
  }
}

TEST(Expression, gives_velocity_and_acceleration_of_a_motion) {
  const double t = 0.3, w = 2 * pi;
  const auto swing = of_time("20*sin(2*pi*t)", Series<2>::time(t));
  EXPECT_DOUBLE_EQ(swing.derivative(0), 20 * std::sin(w * t));
  EXPECT_DOUBLE_EQ(swing.derivative(1), 20 * w * std::cos(w * t));
  EXPECT_NEAR(swing.derivative(2), -20 * w * w * std::sin(w * t), 1e-12 * 800);
  const auto power = of_time("t^3 - 2*t^2", Series<3>::time(0));
  EXPECT_EQ(power.derivative(1), 0);
  EXPECT_EQ(power.derivative(2), -4);
  EXPECT_EQ(power.derivative(3), 6);
  const auto constant = of_time("sqrt(0) + 3*0^2", Series<2>::time(1));
  EXPECT_TRUE(is_zero(constant)) << "constants have no derivatives, not even where their functions have none";
}

// The branch that is not taken is not evaluated: its NaN cannot leak.
TEST(Expression, takes_the_derivatives_of_the_branch_it_is_on) {
  const char* text = "if(t < 1, 5, sqrt(t - 1))";
  EXPECT_EQ(of_time(text, Series<2>::time(0)).derivative(0), 5);
  EXPECT_EQ(of_time(text, Series<2>::time(0)).derivative(2), 0);
  EXPECT_DOUBLE_EQ(of_time(text, Series<2>::time(5)).derivative(1), 0.25);
  EXPECT_EQ(of_time("t > 2 ? t^2 : -t", Series<2>::time(3)).derivative(2), 2);
  EXPECT_EQ(of_time("mod(t, 2)*floor(t)", Series<2>::time(3.5)).derivative(1), 3);
}

TEST(Expression, ramps_start_and_end_without_velocity_and_acceleration) {
  for (const double t : {-1.0, 2.0, 5.0, 9.0}) {
    const auto ramp = of_time("ramp(t, 2, 5)", Series<2>::time(t));
    EXPECT_EQ(ramp.derivative(0), t >= 5 ? 1 : 0) << t;
    EXPECT_EQ(ramp.derivative(1), 0) << t;
    EXPECT_EQ(ramp.derivative(2), 0) << t;
  }
  const auto middle = of_time("ramp(t, 2, 5)", Series<2>::time(3.5));
  EXPECT_DOUBLE_EQ(middle.derivative(0), 0.5);
  EXPECT_DOUBLE_EQ(middle.derivative(1), 1.875 / 3);
  EXPECT_NEAR(middle.derivative(2), 0, 1e-14);
  const auto end = of_time("ramp(t, 2, 5)", Series<2>::time(std::nextafter(5., 0.)));
  EXPECT_NEAR(end.derivative(0), 1, 1e-14);
  EXPECT_NEAR(end.derivative(2), 0, 1e-13);
  EXPECT_EQ(value("ramp(t, 2, 2)", 1.9), 0);
  EXPECT_EQ(value("ramp(t, 2, 2)", 2), 1);
}

TEST(Expression, names_may_have_dots_other_letters_and_in_quotes_anything) {
  EXPECT_EQ(value("\"coupler point.x\" + 1"), 32);
  EXPECT_EQ(value("'coupler point.x' + 1"), 32);
  EXPECT_EQ(value("`coupler point.x`*2"), 62);
  EXPECT_EQ(value("arm.angle"), 32);
  EXPECT_EQ(value("2*θ"), 66);
  const std::vector<std::string> own{"e", "sin"};
  const std::vector<double> values{5, 6};
  EXPECT_EQ(parsed("e + sin", own).evaluate<double>(values), 11) << "variables go before constants and functions";
}

TEST(Expression, knows_its_text_and_its_variables) {
  const Expression f = parsed("2*x + sin('coupler point.x')");
  EXPECT_EQ(f.text(), "2*x + sin('coupler point.x')");
  EXPECT_FALSE(f.uses(0));
  EXPECT_TRUE(f.uses(1));
  EXPECT_TRUE(f.uses(3));
  EXPECT_FALSE(f.uses(99));
  EXPECT_FALSE(f.is_constant());
  EXPECT_TRUE(parsed("2*pi*(1 < 2 ? 1 : 3)").is_constant());
  EXPECT_EQ(parsed("2*pi").text(), "2*pi");
  EXPECT_EQ(Expression().evaluate<double>({}), 0);
  EXPECT_EQ(Expression(2.5).text(), "2.5");
  EXPECT_EQ(Expression(2.5).evaluate<double>({}), 2.5);
}

TEST(Expression, knows_whether_it_may_jump) {
  for (const char* text :
       {"sign(t)", "sign (t)", "2*floor(t/3)", "ceil(t)", "round(t)", "mod(t, 2)", "step(t - 1)", "pulse(t, 1, 2)",
        "if(t < 1, 0, 5)", "t > 1 ? 2 : t", "(t <= 1)", "t == 1", "t != 1", "!t", "t && 1", "t || 1", "atan2(t, 1)"}) {
    EXPECT_TRUE(parsed(text).may_jump()) << text;
  }
  for (const char* text : {"20*sin(2*pi*t)", "ramp(t, 0, 1)", "abs(t)", "min(t, 1)", "max(t, 1)", "t^3/(1 + t)"}) {
    EXPECT_FALSE(parsed(text).may_jump()) << text;
  }
}

TEST(Expression, gives_inf_and_nan_where_there_is_no_value) {
  EXPECT_TRUE(std::isinf(value("1/x")));
  EXPECT_TRUE(std::isinf(value("1/0")));
  EXPECT_TRUE(std::isnan(value("sqrt(x - 1)")));
  EXPECT_TRUE(std::isnan(value("sign(0/0)")));
  EXPECT_TRUE(std::isnan(of_time("sqrt(t)", Series<2>::time(0)).derivative(1)));
  EXPECT_EQ(of_time("sqrt(t)", Series<2>::time(0)).derivative(0), 0);
}

// --- messages -----------------------------------------------------------------------------------------------------

struct Mistake {
  std::string text;
  std::size_t position;
  const char* what;
  const char* fix;
};
void expect_mistake(const Mistake& mistake) {
  const auto result = Expression::parse(mistake.text, names);
  const std::string shown = mistake.text.substr(0, 80);
  const auto* error = std::get_if<ExpressionError>(&result);
  ASSERT_NE(error, nullptr) << shown;
  EXPECT_EQ(error->position, mistake.position) << shown;
  EXPECT_EQ(error->what, mistake.what) << shown;
  EXPECT_EQ(error->fix, mistake.fix) << shown;
}

TEST(ExpressionMessages, say_what_is_wrong_where_and_how_to_mend_it) {
  const char *multiply = "write '*' to multiply", *value_there = "write a number, a name or a function there",
             *parentheses = "use round parentheses", *out = "take it out; names that contain it are written in quotes";
  const Mistake table[] = {
      {"", 0, "the expression is empty", "write a number or a formula, such as 2*sin(t)"},
      {" \n\t", 0, "the expression is empty", "write a number or a formula, such as 2*sin(t)"},
      {"2 +", 3, "the expression ends where a value is expected", "complete it, or take out the end"},
      {"2 + * 3", 4, "a value is missing before '*'", value_there},
      {"sin(,)", 4, "a value is missing before ','", value_there},
      {"(2 + )", 5, "a value is missing before ')'", value_there},
      {"^2", 0, "a value is missing before '^'", value_there},
      {"t >= >= 2", 5, "a value is missing before '>='", value_there},
      {"2t", 1, "an operator is missing before 't'", multiply},
      {"2 arm.angle", 2, "an operator is missing before 'arm.angle'", multiply},
      {"2 3", 2, "an operator is missing before '3'", multiply},
      {"1.2.3", 3, "an operator is missing before '.'", multiply},
      {"2(t)", 1, "an operator is missing before '('", multiply},
      {"t(2)", 1, "an operator is missing before '('", multiply},
      {"(t 2)", 3, "an operator is missing before '2'", multiply},
      {"(1 + 2", 0, "'(' is never closed", "add the ')'"},
      {"2*sin(t", 5, "'(' is never closed", "add the ')'"},
      {"1 + 2)", 5, "')' has no '(' before it", "take it out, or add the '('"},
      {"1,5 + t", 1, "',' stands outside of a function", "write numbers with a point, such as 1.5"},
      {"t = 2", 2, "'=' does not belong here", "write '==' to compare"},
      {"t & 2", 2, "'&' does not belong here", "write '&&' for 'and'"},
      {"t | 2", 2, "'|' does not belong here", "write '||' for 'or'"},
      {"t % 2", 2, "'%' does not belong here", "write mod(a, b) for the remainder"},
      {"t**2", 1, "'**' is not an operator", "write '^'"},
      {"2 − t", 2, "'−' does not belong here", "write '-', the minus of the keyboard"},
      {"2×t", 1, "'×' does not belong here", multiply},
      {"t²", 1, "'²' does not belong here", "write '^2'"},
      {"t ≤ 2", 2, "'≤' does not belong here", "write '<='"},
      {"[t]", 0, "'[' does not belong here", parentheses},
      {"t # 2", 2, "'#' does not belong here", out},
      {std::string("t\0", 2), 1, "'\\x00' does not belong here", out},
      {"1 + $", 4, "'$' does not belong here", out},
      {"t : 2", 2, "':' does not belong here", out},
      {"t ? 2", 5, "'?' has no ':' after it", "write condition ? then : else"},
      {"0 < t < 1", 6, "comparisons cannot be chained", "write a < b && b < c, or put one into parentheses"},
      {"1 + 1e999", 4, "the number '1e999' is out of range", "sizes from about 1e-308 to 1e308 are possible"},
      {"1e-999", 0, "the number '1e-999' is out of range", "sizes from about 1e-308 to 1e308 are possible"},
      {"t + \"coupler", 4, "the quoted name does not end", "add the closing \""},
      {"t + 'coupler pont.x'", 4, "the name 'coupler pont.x' is not known", "did you mean 'coupler point.x'?"},
      {"1 + arm.angel", 4, "the name 'arm.angel' is not known", "did you mean 'arm.angle'?"},
      {"z", 0, "the name 'z' is not known",
       "the names are 't', 'x', 'y', 'coupler point.x', 'arm.angle', 'θ', 'pi', 'e'"},
      {"2*sine(t)", 2, "the function 'sine' is not known", "did you mean 'sin'?"},
      {"2*bessel(t)", 2, "the function 'bessel' is not known",
       "the functions are listed in docs/formats/expressions.md"},
      {"log(t)", 0, "'log' may mean two functions", "write ln(x) for the natural one, log10(x) for base 10"},
      {"sin + 1", 0, "'sin' is a function", "write sin(x)"},
      {"sin t", 0, "'sin' is a function", "write sin(x)"},
      {"if + 1", 0, "'if' is a function", "write if(condition, then, else)"},
      {"1 + sin()", 4, "'sin' takes 1 argument; here are none", "write sin(x)"},
      {"sin(1, 2)", 0, "'sin' takes 1 argument; here are more", "write sin(x)"},
      {"atan2(1)", 0, "'atan2' takes 2 arguments; here is 1", "write atan2(y, x)"},
      {"ramp(t, 1)", 0, "'ramp' takes 3 arguments; here are 2", "write ramp(t, t0, t1)"},
      {"min(t)", 0, "'min' takes 2 arguments or more; here is 1", "write min(a, b, …)"},
      {"if(t, 1)", 7, "'if' takes 3 arguments", "write if(condition, then, else)"},
      {"if(t)", 4, "'if' takes 3 arguments", "write if(condition, then, else)"},
      {"if(t, 1, 2, 3)", 10, "'if' takes 3 arguments", "write if(condition, then, else)"},
      {"t + \xFF", 4, "byte 0xFF is not valid UTF-8", "save the text in the encoding UTF-8"},
      {"'a\xC3'", 2, "byte 0xC3 is not valid UTF-8", "save the text in the encoding UTF-8"},
  };
  for (const Mistake& mistake : table) expect_mistake(mistake);
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(ExpressionMessages, refuse_texts_that_are_too_long_or_too_deep) {
  const char* fix = "use fewer parentheses; at most 200 levels and 64 intermediate values are possible";
  const char* what = "the expression is nested too deeply here";
  expect_mistake(
      {repeated("t", 1 << 20), 0, "the expression is 1048576 bytes long", "shorten it to at most 65536 bytes"});
  expect_mistake(
      {repeated("(", 100000), 0, "the expression is 100000 bytes long", "shorten it to at most 65536 bytes"});
  expect_mistake({repeated("(", 60000), 200, what, fix});
  expect_mistake({repeated("-", 60000) + "t", 200, what, fix});
  expect_mistake({repeated("!", 60000) + "t", 200, what, fix});
  expect_mistake({repeated("t^", 30000) + "t", 129, what, fix});  // the 65th value
  expect_mistake({repeated("1 + sin(", 7000), 8 * 65 - 7, what, fix});
  expect_mistake({repeated("sin(", 16000), 4 * 200, what, fix});
  expect_mistake({repeated("t ? 1 : ", 8000), 8 * 199 + 4, what, fix});
  expect_mistake({repeated("if(t, ", 8000), 6 * 199 + 3, what, fix});
}

TEST(Expression, takes_long_and_deep_texts_within_the_limits) {
  EXPECT_EQ(value(repeated("x + ", 16000) + "x", 0, 1), 16001);
  EXPECT_EQ(value(repeated("1 + ", 16000) + "1"), 16001);
  EXPECT_EQ(value(repeated("(", 199) + "x" + repeated(")", 199), 0, 7), 7);
  EXPECT_EQ(value(repeated("x + (", 63) + "x" + repeated(")", 63), 0, 1), 64);
  std::string pieces;  // a function in 150 pieces
  for (int i = 1; i <= 150; ++i) pieces += "x < " + std::to_string(i) + " ? " + std::to_string(10 * i) + " : ";
  EXPECT_EQ(value(pieces + "7", 0, 99.5), 1000);
  EXPECT_EQ(value(pieces + "7", 0, 1000), 7);
  EXPECT_EQ(value("max(x" + repeated(", x", 10000) + ")", 0, 3), 3);
}

// Random pieces of expressions: an error or a value, never a crash, and errors lie inside the text.
TEST(Expression, survives_random_texts) {
  const std::vector<std::string> pieces{"t",      "x",    "1",      "2.5e3", "(",    ")",   "+",  "-",    "*",
                                        "/",      "^",    "<",      "==",    "&&",   "||",  "!",  "?",    ":",
                                        ",",      "sin(", "atan2(", "if(",   "min(", "'",   "\"", "\xFF", "θ",
                                        "pulse(", " ",    "ramp(",  ".",     "e",    "log", "="};
  test::Random random(3);
  int good = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (int k = random.integer(1, 10); k > 0; --k) {
      text += pieces[static_cast<std::size_t>(random.integer(0, static_cast<int>(pieces.size()) - 1))];
    }
    const auto result = Expression::parse(text, names);
    if (const auto* error = std::get_if<ExpressionError>(&result)) {
      ASSERT_LE(error->position, text.size()) << text;
      ASSERT_FALSE(error->what.empty() || error->fix.empty()) << text;
      continue;
    }
    ++good;
    const std::vector<double> numbers{0.5, -2, 3, 4, 5, 6};
    const std::vector<Series<2>> series(numbers.begin(), numbers.end());
    const double plain = std::get<Expression>(result).evaluate<double>(numbers);
    const double with_derivatives = value_of(std::get<Expression>(result).evaluate<Series<2>>(series));
    ASSERT_TRUE(plain == with_derivatives || (std::isnan(plain) && std::isnan(with_derivatives))) << text;
  }
  EXPECT_GT(good, 1000);
}

}  // namespace
}  // namespace trammel
