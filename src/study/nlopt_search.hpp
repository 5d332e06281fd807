// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The algorithms of NLopt (Johnson, The NLopt nonlinear-optimization package) that studies use. Only nlopt_search.cpp sees the library.

#include <cstdint>
#include <functional>
#include <vector>

#include <trammel/study.hpp>

namespace trammel::study {

struct NloptProblem {
  std::function<double(const std::vector<double>&)> value;  // to be made small; not finite: not feasible
  std::vector<double> least, most;
  int evaluations = 2000;
  std::uint64_t seed = 1;
};
struct NloptResult {
  std::vector<double> x;
  double value = 0;
  int evaluations = 0;
};
NloptResult search_with_nlopt(OptimizeMethod method, const NloptProblem& problem, const std::vector<double>& start);

}  // namespace trammel::study
