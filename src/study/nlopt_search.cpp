// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/nlopt_search.hpp"

#include <cmath>
#include <limits>
#include <memory>

#ifdef TRAMMEL_HAS_NLOPT
#include <nlopt.h>
#endif

namespace trammel {

#ifdef TRAMMEL_HAS_NLOPT
bool has_nlopt() { return true; }

namespace study {
namespace {

// What a run that fails is worth: worse than all others, and still a number, which the algorithms ask for.
constexpr double not_feasible = 1e30;

struct Search {
  const NloptProblem* problem = nullptr;
  NloptResult best;

  double operator()(unsigned n, const double* x) {
    const std::vector<double> at(x, x + n);
    const double value = problem->value(at);
    ++best.evaluations;
    if (!std::isfinite(value)) return not_feasible;
    if (!(value >= best.value)) best.value = value, best.x = at;
    return value;
  }
};

double call(unsigned n, const double* x, double* /*gradient*/, void* search) {
  return (*static_cast<Search*>(search))(n, x);
}

// One algorithm, from `x` on; the search keeps the best point it saw, whatever the algorithm ends with.
void run(nlopt_algorithm algorithm, Search& search, std::vector<double> x, int evaluations) {
  const auto n = static_cast<unsigned>(x.size());
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> opt(nlopt_create(algorithm, n), nlopt_destroy);
  nlopt_set_min_objective(opt.get(), call, &search);
  nlopt_set_lower_bounds(opt.get(), search.problem->least.data());
  nlopt_set_upper_bounds(opt.get(), search.problem->most.data());
  nlopt_set_maxeval(opt.get(), evaluations);
  nlopt_set_xtol_rel(opt.get(), 1e-10);
  nlopt_set_ftol_rel(opt.get(), 1e-12);
  std::vector<double> steps;
  for (std::size_t k = 0; k < x.size(); ++k)
    steps.push_back(0.1 * (search.problem->most[k] - search.problem->least[k]));
  nlopt_set_initial_step(opt.get(), steps.data());
  double value = 0;
  nlopt_optimize(opt.get(), x.data(), &value);
}

}  // namespace

NloptResult search_with_nlopt(OptimizeMethod method, const NloptProblem& problem, const std::vector<double>& start) {
  Search search{&problem, {start, std::numeric_limits<double>::quiet_NaN(), 0}};
  nlopt_srand(problem.seed);
  const bool global = method == OptimizeMethod::crs || method == OptimizeMethod::direct;
  if (global) {
    run(method == OptimizeMethod::crs ? NLOPT_GN_CRS2_LM : NLOPT_GN_DIRECT_L, search, start,
        problem.evaluations * 2 / 3);
    run(NLOPT_LN_SBPLX, search, search.best.x, problem.evaluations - search.best.evaluations);
  } else {
    run(method == OptimizeMethod::cobyla   ? NLOPT_LN_COBYLA
        : method == OptimizeMethod::bobyqa ? NLOPT_LN_BOBYQA
                                           : NLOPT_LN_SBPLX,
        search, start, problem.evaluations);
  }
  return search.best;
}
}  // namespace study

#else
bool has_nlopt() { return false; }

namespace study {
NloptResult search_with_nlopt(OptimizeMethod, const NloptProblem&, const std::vector<double>&) {
  throw StudyError("this trammel was built without NLopt",
                   "build it with libnlopt-dev installed, or use --method least-squares", "study-no-nlopt");
}
}  // namespace study
#endif

}  // namespace trammel
