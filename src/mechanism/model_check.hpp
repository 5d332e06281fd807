// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is a model sound enough to be compiled? Names, references and numbers. Files have been judged by their reader already;
// models built in C++ are judged here.

#include <trammel/mechanism.hpp>

namespace trammel {

void check_model(const Model& model, const CompileOptions& options, Diagnostics& diagnostics);

// "in kg m²" and the like: a number as messages print it, six digits.
std::string print_number(double x);

}  // namespace trammel
