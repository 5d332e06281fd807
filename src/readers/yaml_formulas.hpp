// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expressions that stand for numbers in a file: read in the file's units, and put into other units as text when they are
// written there.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "readers/yaml_fields.hpp"

namespace trammel::readers {

// The text of a scalar as an expression of these variables.
std::optional<Expression> read_expression(Reading& r, const Node& node, const std::string& what,
                                          std::span<const std::string> variables);
// Is the text an expression of these variables?
bool parses(const std::string& text, std::span<const std::string> variables);
// A number of the given dimension, or an expression of t.
std::optional<TimeFunction> read_time_function(Reading& r, const Node& node, const std::string& what,
                                               const Dimension& dimension);
// A number, or an expression without variables such as 2*pi.
std::optional<double> read_constant(Reading& r, const Node& node, const std::string& what, const Dimension& dimension);

// "5" and "5 N", but not "5*t".
bool is_meant_as_number(const std::string& text);
// Is the whole text a plain number?
std::optional<double> plain_number(std::string_view text);

// The expression of a number in one unit (its size in SI) that gives it in another: times unit/other. What the reader made of a text in
// that other unit is the text again.
std::string scaled_text(const std::string& text, double unit, double other);
// The expression with each name replaced by what `replacement` returns for it, if that is not empty. Names of functions and quotes
// stay. The replacement gets the name without quotes, and as it is written.
std::string replace_names(
    const std::string& text,
    const std::function<std::string(const std::string& name, const std::string& written)>& replacement);

// The text of a time function that gives the same values in a file with these units.
std::string text_in_units(const TimeFunction& function, const Units& units, const Dimension& dimension);

}  // namespace trammel::readers
