// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Levenberg's and Marquardt's method for sums of squares, within bounds.

#include <functional>
#include <vector>

namespace trammel::study {

struct LeastSquaresProblem {
  // Residuals at x; empty where x is not feasible.
  std::function<std::vector<double>(const std::vector<double>&)> residuals;
  std::vector<double> least, most;  // bounds of x
  int evaluations = 2000;           // at most
};
struct LeastSquaresResult {
  std::vector<double> x;
  std::vector<double> residuals;  // empty: no feasible point was found
  int evaluations = 0;
};
LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem, const std::vector<double>& start);

}  // namespace trammel::study
