// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Optima that are known, and the synthesis of a four-bar from points of its coupler curve.

#include <cmath>

#include <fmt/format.h>

#include "study/least_squares.hpp"
#include "study/plans.hpp"

namespace trammel::test {
namespace {

// Rosenbrock's valley as residuals (1 − x, 10 (y − x²)): zero at (1, 1).
TEST(LeastSquares, comes_through_rosenbrocks_valley) {
  const study::LeastSquaresProblem problem{[](const std::vector<double>& x) {
                                             return std::vector<double>{1 - x[0], 10 * (x[1] - x[0] * x[0])};
                                           },
                                           {-5, -5},
                                           {5, 5},
                                           2000};
  const study::LeastSquaresResult found = study::solve_least_squares(problem, {-1.2, 1});
  EXPECT_NEAR(found.x[0], 1, 1e-8);
  EXPECT_NEAR(found.x[1], 1, 1e-8);
}

// The least of (x − 3)² within x ≤ 2 is at 2; where nothing is feasible, nothing is found.
TEST(LeastSquares, keeps_within_bounds_and_gives_up_where_nothing_is_feasible) {
  study::LeastSquaresProblem problem{
      [](const std::vector<double>& x) { return std::vector<double>{x[0] - 3}; }, {0}, {2}, 200};
  EXPECT_EQ(study::solve_least_squares(problem, {0.5}).x[0], 2);
  problem.residuals = [](const std::vector<double>&) { return std::vector<double>{}; };
  EXPECT_TRUE(study::solve_least_squares(problem, {0.5}).residuals.empty());
}

const std::string ball_objective = R"(trammel-study: 1
model: ball.yaml
run: {impact: wall.yaml}
parameters:
  e: {uniform: [0, 1], at: "scenario.contacts.wall.restitution"}
  mass: {uniform: [0.5, 4], at: bodies.ball.mass}
keep: {after: slide.v, lost: energy.lost}
objective: {minimize: "(after - 0.25)^2 + (lost - 0.9375)^2"}
)";

// v' = e v and lost = m (1 − e²)/2 at v = 1: the objective is zero at e = 1/4, m = 2.
TEST(Optimize, every_method_finds_the_known_optimum) {
  if (!has_nlopt()) GTEST_SKIP() << "built without NLopt";
  const StudyPlan plan = plan_or_fail(ball_objective, ball_model, ball_scenario);
  for (const OptimizeMethod method : {OptimizeMethod::crs, OptimizeMethod::direct, OptimizeMethod::cobyla,
                                      OptimizeMethod::bobyqa, OptimizeMethod::sbplx}) {
    const OptimizeResult result = optimize(plan, {.method = method, .starts = 2, .jobs = 2, .evaluations = 600});
    ASSERT_GE(result.best, 0);
    const OptimizeStart& best = result.starts[static_cast<std::size_t>(result.best)];
    EXPECT_NEAR(best.end[0], 0.25, 1e-3) << keyword(method);
    EXPECT_NEAR(best.end[1], 2, 1e-2) << keyword(method);
    EXPECT_LT(best.objective, 1e-6) << keyword(method);
  }
}

TEST(Optimize, does_not_depend_on_jobs) {
  if (!has_nlopt()) GTEST_SKIP() << "built without NLopt";
  const StudyPlan plan = plan_or_fail(ball_objective, ball_model, ball_scenario);
  const OptimizeResult one =
      optimize(plan, {.method = OptimizeMethod::crs, .starts = 3, .jobs = 1, .evaluations = 200});
  const OptimizeResult three =
      optimize(plan, {.method = OptimizeMethod::crs, .starts = 3, .jobs = 3, .evaluations = 200});
  EXPECT_EQ(one.best, three.best);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(one.starts[k].end, three.starts[k].end);
}

TEST(Optimize, a_ball_that_should_lose_most_does_not_bounce) {
  if (!has_nlopt()) GTEST_SKIP() << "built without NLopt";
  std::string text = ball_objective;
  const std::size_t at = text.find("objective");
  text.replace(at, std::string::npos, "objective: {maximize: lost}\n");
  const OptimizeResult result = optimize(plan_or_fail(text, ball_model, ball_scenario),
                                         {.method = OptimizeMethod::sbplx, .starts = 1, .evaluations = 400});
  ASSERT_EQ(result.best, 0);
  EXPECT_NEAR(result.starts[0].objective, 4.0 / 2, 1e-6);  // e = 0, m = 4
}

TEST(Optimize, says_what_a_plan_lacks) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      optimize(plan_or_fail(text, fourbar_model), {});
    } catch (const StudyError& wrong) {
      return std::string(wrong.what()) + " | " + wrong.fix();
    }
    return "";
  };
  const std::string head = "trammel-study: 1\nmodel: m\nrun: analyze\nkeep: {x: {most: P.x}}\n";
  EXPECT_EQ(message(head), "the plan has no objective | add objective: {minimize: EXPRESSION}");
  EXPECT_EQ(message(head + "objective: {minimize: x}\nparameters: {m: {normal: [1, 2], at: bodies.crank.mass}}\n"),
            "parameter 'm' has no bounds | add bounds: [least, most]");
  EXPECT_EQ(
      message(head + "objective: {minimize: x}\nparameters: {m: {uniform: [1, 2], start: 3, at: bodies.crank.mass}}\n"),
      "parameter 'm' starts outside of its bounds | move start or bounds");
  const std::string one_of_a_list =
      "parameter 'm' is one of a list, and optimize tries numbers in between | give it bounds: [least, most] if it may "
      "have any value; or run "
      "the study of all of the list";
  for (const char* kind : {"values", "choice"}) {
    EXPECT_EQ(
        message(head + "objective: {minimize: x}\nparameters: {m: {" + kind + ": [1, 2], at: bodies.crank.mass}}\n"),
        one_of_a_list);
  }
}

// Points of the coupler curve of the four-bar of plans.hpp, at every `step` degrees of its crank, as a list in YAML.
std::string curve_points(int step) {
  std::string drawn = fourbar_model;
  drawn.replace(drawn.find("step: 10"), 8, fmt::format("step: {}", step));
  const StudyPlan shown =
      plan_or_fail("trammel-study: 1\nmodel: m\nrun: analyze\nkeep: {x: P.x}\nseries: [P.x, P.y]\n", drawn);
  const TaskResult curve = TaskRunner(shown).run(0);
  std::string points;
  for (std::size_t k = 0; k + 1 < curve.series[1].size(); ++k)
    points += fmt::format("{}[{}, {}]", k == 0 ? "" : ", ", curve.series[1][k], curve.series[2][k]);
  return "[" + points + "]";
}

std::string synthesis_plan(const std::string& points) {
  return R"(trammel-study: 1
model: m
run: analyze
parameters:
  O2x: {uniform: [-60, 60], start: 40, at: 'points.O2[0]'}
  O2y: {uniform: [-60, 60], start: 30, at: 'points.O2[1]'}
  Ax: {uniform: [-60, 60], start: 50, at: 'points.A[0]'}
  Ay: {uniform: [-20, 100], start: 60, at: 'points.A[1]'}
  Bx: {uniform: [40, 200], start: 180, at: 'points.B[0]'}
  By: {uniform: [0, 160], start: 120, at: 'points.B[1]'}
  O4x: {uniform: [20, 180], start: 150, at: 'points.O4[0]'}
  O4y: {uniform: [-80, 80], start: 50, at: 'points.O4[1]'}
  Px: {uniform: [0, 140], start: 110, at: 'points.P[0]'}
  Py: {uniform: [20, 180], start: 60, at: 'points.P[1]'}
objective: {minimize: miss}
keep: {miss: {path: P, points: )" +
         points + "}}\n";
}

// From 18 points, every 20° of the crank, the search begins at quite another linkage. What it finds must draw the whole curve, also between these
// points: the linkage itself does, and its two cognates (Roberts and Chebyshev).
TEST(Optimize, finds_a_four_bar_from_18_points_of_its_coupler_curve) {
  const StudyPlan plan = plan_or_fail(synthesis_plan(curve_points(20)), fourbar_model);
  ASSERT_EQ(plan.keep[0].points.size(), 18u);
  const OptimizeResult result = optimize(plan, {.starts = 64, .jobs = 2, .evaluations = 1500, .enough = 1e-3});
  ASSERT_EQ(result.method, OptimizeMethod::least_squares);
  ASSERT_GE(result.best, 0);
  const OptimizeStart& best = result.starts[static_cast<std::size_t>(result.best)];
  EXPECT_LT(best.objective, 1e-3);  // mm, of a curve more than 100 mm wide
  TaskRunner dense(plan_or_fail(synthesis_plan(curve_points(3)), fourbar_model));
  const TaskResult between = dense.run(best.end, 0, 0);
  EXPECT_LT(between.scalars[0], 5e-3);
  EXPECT_GT(dense.run(best.begin, 0, 0).scalars[0], 5) << "the start was far";
}

}  // namespace
}  // namespace trammel::test
