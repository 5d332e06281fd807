// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Sweeps: branches, dead points, stretches without position, inputs by time, nested inputs, loads, measures.

#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include <trammel/analysis.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/measures.hpp>

#include "support/random_model.hpp"

namespace trammel {
namespace {

using std::numbers::pi;
using test::compiled;
constexpr double deg = pi / 180;

// Ground from (0, 0) to (g, 0), crank a at angle θ, coupler b, rocker c; `side` chooses the assembly.
Model four_bar(double g, double a, double b, double c, double theta, double side = 1) {
  Model model;
  model.gravity = {0, -9.81, 0};
  const Vec3d A{a * std::cos(theta), a * std::sin(theta), 0}, D{g, 0, 0};
  const Vec3d d = D - A;
  const double L = norm(d), x = (L * L + b * b - c * c) / (2 * L), y = side * std::sqrt(b * b - x * x);
  const Vec3d e = d * (1 / L), B = A + e * x + Vec3d{-e.y, e.x, 0} * y;
  for (const char* name : {"crank", "coupler", "rocker"}) add_body(model, name, 1, {0.1, 0.2, 0}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at(A, z));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at(B, z));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at(D, z));
  return model;
}

SweepInput sweep(int joint, double from, double to, double step) {
  SweepInput input;
  input.driver.joint = joint;
  input.from = from, input.to = to, input.step = step;
  return input;
}

int count(const Analysis& analysis, StepStatus status) {
  return static_cast<int>(std::count_if(analysis.steps.begin(), analysis.steps.end(),
                                        [&](const AnalysisStep& step) { return step.status == status; }));
}

TEST(Sweep, turns_a_crank_rocker_right_round_and_ends_where_it_began) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 0, 2 * pi, 5 * deg)}});
  ASSERT_EQ(analysis.steps.size(), 73u);
  EXPECT_EQ(count(analysis, StepStatus::ok), 73);
  EXPECT_TRUE(analysis.dead_points.empty());
  EXPECT_NEAR(analysis.steps.back().joints[3].q[0], analysis.steps.front().joints[3].q[0], 1e-12);
}

// Coupler and rocker in line: cos θ = (g² + a² − (b + c)²)/(2 g a).
TEST(Sweep, finds_the_dead_points_of_a_double_rocker_and_goes_on_behind_them) {
  const double drawn = 20 * deg;
  const Mechanism mech = compiled(four_bar(10, 7, 5, 6, drawn));
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 0, 2 * pi, 5 * deg)}});
  const double limit = std::acos((100.0 + 49 - 121) / 140);
  ASSERT_EQ(analysis.dead_points.size(), 2u);
  EXPECT_NEAR(analysis.dead_points[0].value, limit - drawn, 1e-12);
  EXPECT_NEAR(analysis.dead_points[1].value, 2 * pi - limit - drawn, 1e-12);
  ASSERT_EQ(analysis.imaginary.size(), 1u);
  EXPECT_TRUE(analysis.imaginary[0].from_is_exact && analysis.imaginary[0].to_is_exact);
  EXPECT_EQ(count(analysis, StepStatus::imaginary), 41);
  // Behind the stretch it is the branch of the drawing again: after a full turn, the drawing itself.
  EXPECT_NEAR(std::remainder(analysis.steps.back().joints[3].q[0], 2 * pi), 0, 1e-9);
}

// A parallelogram passes two positions where it could become an antiparallelogram. It must not.
TEST(Sweep, keeps_a_parallelogram_through_its_change_points) {
  const double drawn = 60 * deg;
  const Mechanism mech = compiled(four_bar(10, 3, 10, 3, drawn));
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 0, 2 * pi, 7 * deg)}});
  for (const AnalysisStep& step : analysis.steps) {
    ASSERT_NE(step.status, StepStatus::imaginary);
    EXPECT_NEAR(std::remainder(step.joints[3].q[0] - step.input[0], 2 * pi), 0, 1e-7) << step.input[0] / deg;
  }
}

// Nor where the values lie close behind such a position.
TEST(Sweep, keeps_a_parallelogram_close_behind_its_change_points) {
  const Mechanism mech = compiled(four_bar(10, 3, 10, 3, 60 * deg));
  for (const bool newton : {false, true}) {
    for (const double step : {0.001 * deg, 0.01 * deg, 0.037 * deg, 0.1 * deg, 0.5 * deg}) {
      const double half = std::min(30 * step, 2 * deg);
      AnalysisOptions options{.inputs = {sweep(0, 120 * deg - half, 120 * deg + half, step)}};
      options.newton = newton;
      for (const AnalysisStep& s : analyze(mech, options).steps) {
        ASSERT_NE(s.status, StepStatus::imaginary);
        ASSERT_NEAR(s.joints[3].q[0], s.input[0], 1e-6) << step / deg << " " << s.input[0] / deg << " " << newton;
      }
    }
  }
}

// The places where it could, θ = 180° and 360°, are found between values asked for, and on them.
TEST(Sweep, reports_change_points) {
  const double drawn = 60 * deg;
  const Mechanism mech = compiled(four_bar(10, 3, 10, 3, drawn));
  for (const double step : {7 * deg, 10 * deg}) {
    const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 0, 2 * pi, step)}});
    ASSERT_EQ(analysis.dead_points.size(), 2u) << step;
    EXPECT_NEAR(analysis.dead_points[0].value, 120 * deg, 1e-9);
    EXPECT_NEAR(analysis.dead_points[1].value, 300 * deg, 1e-9);
    for (const DeadPoint& d : analysis.dead_points) EXPECT_FALSE(d.is_limit);
    EXPECT_TRUE(analysis.imaginary.empty());
  }
}

TEST(Sweep, starts_on_a_dead_point_and_says_so) {
  const double limit = std::acos((100.0 + 49 - 121) / 140);
  Model model = four_bar(10, 7, 5, 6, limit - 1e-9);
  const Mechanism mech = compiled(model);
  // From the drawing, just beside it, to the very limit.
  const Analysis at = analyze(mech, {.inputs = {sweep(0, 0, 1, 0.3)}});
  ASSERT_FALSE(at.dead_points.empty());
  const double end = at.dead_points[0].value;
  EXPECT_NEAR(end, 1e-9, 1e-12);
  AnalysisOptions options{.inputs = {sweep(0, end, end - 0.4, -0.2)}};
  options.start = at.dead_points[0].q;
  const Analysis analysis = analyze(mech, options);
  EXPECT_EQ(analysis.steps[0].status, StepStatus::singular);
  EXPECT_EQ(analysis.steps[1].status, StepStatus::ok);
  ASSERT_EQ(analysis.dead_points.size(), 1u);
  EXPECT_TRUE(analysis.dead_points[0].is_limit);
  EXPECT_NEAR(analysis.dead_points[0].value, end, 1e-12);
}

TEST(Sweep, turns_a_crank_two_hundred_times) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 400 * pi, 400 * pi, 0)}});
  ASSERT_EQ(analysis.steps.size(), 1u);
  ASSERT_EQ(analysis.steps[0].status, StepStatus::ok);
  EXPECT_NEAR(std::remainder(analysis.steps[0].joints[3].q[0], 2 * pi), 0, 1e-10);
}

// The first value lies where no position exists; the others are found all the same.
TEST(Sweep, begins_in_a_stretch_without_position) {
  const double drawn = 20 * deg, limit = std::acos((100.0 + 49 - 121) / 140);
  const Mechanism mech = compiled(four_bar(10, 7, 5, 6, drawn));
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 80 * deg, -40 * deg, -10 * deg)}});
  ASSERT_EQ(analysis.steps.size(), 13u);
  EXPECT_EQ(count(analysis, StepStatus::imaginary), 3);  // 80°, 70°, 60°: the limit is at 58.5°
  ASSERT_EQ(analysis.imaginary.size(), 1u);
  EXPECT_DOUBLE_EQ(analysis.imaginary[0].from, 80 * deg);
  EXPECT_NEAR(analysis.imaginary[0].to, limit - drawn, 1e-12);
  EXPECT_NEAR(analysis.steps[8].joints[3].q[0], 0, 1e-10);  // as drawn
}

// A linkage whose crank has turned right round is the one that was drawn, dead points on the way or not.
TEST(Sweep, begins_many_turns_away) {
  const double drawn = 20 * deg;
  const Mechanism mech = compiled(four_bar(10, 7, 5, 6, drawn));  // a double rocker
  for (const double turns : {-1.0, 1.0, 1000.0, 1e6}) {
    const double at = 2 * pi * turns + 0.1;
    const Analysis far = analyze(mech, {.inputs = {sweep(0, at, at, 0)}}),
                   near = analyze(mech, {.inputs = {sweep(0, 0.1, 0.1, 0)}});
    ASSERT_EQ(count(far, StepStatus::ok), 1) << turns;
    for (std::size_t j = 1; j < mech.joints.size(); ++j)
      EXPECT_NEAR(far.steps[0].joints[j].q[0], near.steps[0].joints[j].q[0], 1e-8) << turns;
  }
}

TEST(Sweep, says_where_its_input_is_no_number) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  SweepInput input = sweep(0, 0, 1, 0.5);
  const std::vector<std::string> names{"t"};
  input.motion = TimeFunction{std::get<Expression>(Expression::parse("0.1/t", names))};
  const Analysis analysis = analyze(mech, {.inputs = {input}});
  EXPECT_EQ(analysis.steps[0].status, StepStatus::imaginary);
  EXPECT_EQ(count(analysis, StepStatus::ok), 2);
  ASSERT_EQ(analysis.notes.size(), 1u);
}

// √t begins with infinite speed, t^(5/2) with infinite jerk: positions are there, what has no value is left out, and a note says so.
TEST(Sweep, says_where_the_rates_of_its_input_are_infinite) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  for (const char* motion : {"0.1*sqrt(t)", "0.1*t^2.5"}) {
    const bool has_speed = std::string(motion) != "0.1*sqrt(t)";
    SweepInput input = sweep(0, 0, 1, 0.5);
    const std::vector<std::string> names{"t"};
    input.motion = TimeFunction{std::get<Expression>(Expression::parse(motion, names))};
    const Analysis analysis = analyze(mech, {.inputs = {input}, .forces = true, .jerk = true});
    EXPECT_EQ(count(analysis, StepStatus::ok), 3);
    EXPECT_TRUE(analysis.dead_points.empty());
    EXPECT_EQ(analysis.steps[0].has_motion, has_speed);
    EXPECT_EQ(analysis.steps[0].drive.empty(), !has_speed);
    EXPECT_TRUE(analysis.steps[0].j.empty() && !analysis.steps[1].j.empty());
    for (const AnalysisStep& step : analysis.steps) {
      for (const double x : step.v) EXPECT_TRUE(std::isfinite(x));
      for (const double x : step.drive) EXPECT_TRUE(std::isfinite(x));
    }
    EXPECT_EQ(std::count_if(analysis.notes.begin(), analysis.notes.end(),
                            [](const std::string& note) { return note.find("not finite") != std::string::npos; }),
              1);
  }
}

TEST(Sweep, moves_by_time_with_the_exact_rates_of_its_expression) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  SweepInput input = sweep(0, 0, 1, 0.25);
  const std::vector<std::string> names{"t"};
  input.motion = TimeFunction{std::get<Expression>(Expression::parse("0.4*sin(3*t)", names))};
  const Analysis analysis = analyze(mech, {.inputs = {input}});
  ASSERT_EQ(analysis.steps.size(), 5u);
  for (const AnalysisStep& step : analysis.steps) {
    EXPECT_NEAR(step.input[0], 0.4 * std::sin(3 * step.t), 1e-15);
    EXPECT_NEAR(step.joints[0].v[0], 1.2 * std::cos(3 * step.t), 1e-13);
    EXPECT_NEAR(step.joints[0].a[0], -3.6 * std::sin(3 * step.t), 1e-13);
  }
}

// A five-bar has two inputs: every combination, the first one outermost.
TEST(Sweep, refuses_steps_that_do_not_arrive) {
  const Mechanism mech = compiled(four_bar(4, 2, 4, 3, 60 * deg));
  for (const auto& [to, step] : {std::pair(-1.0, 0.1), std::pair(1.0, -0.1), std::pair(1.0, 1e-12)}) {
    EXPECT_THROW(analyze(mech, {.inputs = {sweep(0, 0, to, step)}}), std::invalid_argument);
  }
}

TEST(Sweep, nests_two_inputs) {
  Model model;
  for (const char* name : {"a", "b", "c", "d"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "j0", Revolute{}, "ground", "a", frame_at({0, 0, 0}, z));
  add_joint(model, "j1", Revolute{}, "a", "b", frame_at({-0.5, 1, 0}, z));
  add_joint(model, "j2", Revolute{}, "b", "c", frame_at({0.5, 2, 0}, z));
  add_joint(model, "j3", Revolute{}, "c", "d", frame_at({1.5, 1, 0}, z));
  add_joint(model, "j4", Revolute{}, "d", "ground", frame_at({1, 0, 0}, z));
  const Mechanism mech = compiled(model);
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 0, 0.2, 0.1), sweep(4, -0.1, 0.1, 0.1)}});
  ASSERT_EQ(analysis.steps.size(), 9u);
  EXPECT_EQ(analysis.steps[5].input, (std::vector<double>{0.1, 0.1}));
  EXPECT_EQ(count(analysis, StepStatus::ok), 9);
  for (const AnalysisStep& step : analysis.steps) {
    EXPECT_NEAR(step.joints[0].q[0], step.input[0], 1e-13);
    EXPECT_NEAR(step.joints[4].q[0], step.input[1], 1e-13);
  }
}

// Two cranks of length 1 on the ground, 2.4 apart, and two rods of length 1.3 between their ends.
Model five_bar_of_short_rods() {
  Model model;
  for (const char* name : {"a", "b", "c", "d"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "O", Revolute{}, "ground", "a", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "a", "b", frame_at({0, 1, 0}, z));
  add_joint(model, "B", Revolute{}, "b", "c", frame_at({1.2, 1.5, 0}, z));
  add_joint(model, "C", Revolute{}, "c", "d", frame_at({2.4, 1, 0}, z));
  add_joint(model, "E", Revolute{}, "ground", "d", frame_at({2.4, 0, 0}, z));
  return model;
}

// There is a position wherever the rods reach from crank to crank; rows that begin out of reach, and stretches within, lose none.
TEST(Sweep, finds_all_positions_of_nested_inputs) {
  const Mechanism mech = compiled(five_bar_of_short_rods());
  const int O = mech.find_joint("O"), E = mech.find_joint("E");
  for (const bool outer : {true, false}) {
    for (const bool newton : {false, true}) {
      const SweepInput one = sweep(O, 0, 40 * deg, 10 * deg), two = sweep(E, 0, 60 * deg, 10 * deg);
      AnalysisOptions options;
      options.inputs = outer ? std::vector<SweepInput>{one, two} : std::vector<SweepInput>{two, one};
      options.newton = newton;
      const Analysis analysis = analyze(mech, options);
      ASSERT_EQ(analysis.steps.size(), 35u);
      for (const AnalysisStep& step : analysis.steps) {
        const double o = step.input[outer ? 0 : 1], e = step.input[outer ? 1 : 0];
        const Vec3d A{-std::sin(o), std::cos(o), 0}, C{2.4 - std::sin(e), std::cos(e), 0};
        EXPECT_EQ(step.status != StepStatus::imaginary, norm(C - A) < 2.6) << o << " " << e;
      }
      EXPECT_EQ(count(analysis, StepStatus::imaginary), 6);
    }
  }
  // A row of its own: from home the outer input alone cannot go there.
  const Analysis row = analyze(mech, {.inputs = {sweep(O, 20 * deg, 20 * deg, 0), sweep(E, 0, 60 * deg, 10 * deg)}});
  EXPECT_EQ(count(row, StepStatus::ok), 6);
  ASSERT_EQ(row.imaginary.size(), 1u);
  EXPECT_TRUE(row.imaginary[0].to_is_exact);
  const double e = row.imaginary[0].to;
  const Vec3d A{-std::sin(20 * deg), std::cos(20 * deg), 0}, C{2.4 - std::sin(e), std::cos(e), 0};
  EXPECT_NEAR(norm(C - A), 2.6, 1e-12);
}

// An input that swings beyond a dead point and comes back: a stretch of time.
TEST(Sweep, tells_stretches_by_time_where_inputs_move_by_time) {
  const double drawn = 20 * deg, limit = std::acos((100.0 + 49 - 121) / 140) - drawn;
  const Mechanism mech = compiled(four_bar(10, 7, 5, 6, drawn));
  for (const double step : {0.01, 0.25, 1.0}) {
    SweepInput input = sweep(0, 0, 3, step);
    const std::vector<std::string> names{"t"};
    input.motion = TimeFunction{std::get<Expression>(Expression::parse("1.4*sin(t)", names))};
    const Analysis analysis = analyze(mech, {.inputs = {input}});
    const double leaves = std::asin(limit / 1.4);
    ASSERT_EQ(analysis.dead_points.size(), 2u);  // where it leaves, and where it is back
    EXPECT_NEAR(analysis.dead_points[0].value, limit, 1e-12);
    EXPECT_NEAR(analysis.dead_points[0].t, leaves, 1e-11);
    EXPECT_NEAR(analysis.dead_points[1].value, limit, 1e-12);
    EXPECT_NEAR(analysis.dead_points[1].t, pi - leaves, 1e-11);
    ASSERT_EQ(analysis.imaginary.size(), 1u);
    EXPECT_NEAR(analysis.imaginary[0].t_from, leaves, 1e-11);
    EXPECT_NEAR(analysis.imaginary[0].t_to, pi - leaves, 1e-11);
    EXPECT_TRUE(analysis.imaginary[0].from_is_exact && analysis.imaginary[0].to_is_exact);
    for (const AnalysisStep& s : analysis.steps)
      EXPECT_EQ(s.status == StepStatus::imaginary, 1.4 * std::sin(s.t) > limit) << s.t;
    input.to = 9;  // there again a period later
    const Analysis longer = analyze(mech, {.inputs = {input}});
    ASSERT_EQ(longer.dead_points.size(), 4u);
    EXPECT_NEAR(longer.dead_points[2].value, limit, 1e-12);
    EXPECT_NEAR(longer.dead_points[2].t, leaves + 2 * pi, 1e-11);
    EXPECT_EQ(longer.imaginary.size(), 2u);
  }
}

// A rod between balls does not spin; its jerk is the rate of its acceleration like any other. (From position to position it is turned by the
// smallest angle, which leaves its axes uncertain by some h²; jerks of least norm would miss by 0.1.)
TEST(Sweep, gives_links_with_idle_spin_the_jerk_that_belongs_to_their_acceleration) {
  Model model;
  for (const char* name : {"crank", "rod", "rocker"}) add_body(model, name, 1, {0.3, 0.2, 0.1}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "O", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "A", Spherical{}, "crank", "rod", frame_at({1, 0, 0}, {0, 0, 1}));
  add_joint(model, "B", Spherical{}, "rod", "rocker", frame_at({3, 2, 1}, {0, 0, 1}));
  add_joint(model, "C", Revolute{}, "ground", "rocker", frame_at({4, 0, 1}, {0, 1, 0.3}));
  for (const char* cut : {"A", "B", "C"}) {
    const Mechanism mech = compiled(model, {cut});
    const double h = 1e-3;
    SweepInput input = sweep(mech.find_joint("O"), -2 * h, 2 * h, h);
    const std::vector<std::string> names{"t"};
    input.motion = TimeFunction{std::get<Expression>(Expression::parse("0.4+1.1*t+0.3*t^2", names))};
    AnalysisOptions options;
    options.inputs = {input};
    options.jerk = true;
    const Analysis analysis = analyze(mech, options);
    ASSERT_EQ(count(analysis, StepStatus::ok), 5);
    for (std::size_t j = 0; j < mech.joints.size(); ++j) {
      for (int i = 0; i < mech.joints[j].nv; ++i) {
        const auto a = [&](std::size_t step) { return analysis.steps[step].joints[j].a[i]; };
        const double slope = (8 * (a(3) - a(1)) - (a(4) - a(0))) / (12 * h);
        EXPECT_NEAR(analysis.steps[2].joints[j].j[i], slope, 1e-6) << cut << " " << mech.joints[j].name;
      }
    }
  }
}

// A door on three hinges: each bears a third of its weight, whichever of them is cut.
TEST(Reactions, that_are_indeterminate_are_the_least_wherever_the_loop_is_cut) {
  Model model;
  model.gravity = {0, 0, -9.81};
  add_body(model, "door", 10, {0.4, 0, 1}, {1, 1, 1, 0, 0, 0});
  for (int k = 0; k < 3; ++k)
    add_joint(model, "H" + std::to_string(k), Revolute{}, "ground", "door", frame_at({0, 0, 1.0 * k}, {0, 0, 1}));
  for (int cut = 0; cut < 3; ++cut) {
    std::vector<std::string> cuts;
    for (int k = 0; k < 3; ++k) {
      if (k != cut) cuts.push_back("H" + std::to_string(k));
    }
    const Mechanism mech = compiled(model, cuts);
    AnalysisOptions options;
    options.inputs = {sweep(cut, 0, 0, 0)};
    options.forces = true;
    const Analysis analysis = analyze(mech, options);
    ASSERT_EQ(count(analysis, StepStatus::ok), 1);
    Vec3d moment{};
    for (int k = 0; k < 3; ++k) {
      const JointReaction& r = analysis.steps[0].reactions[k];
      EXPECT_FALSE(r.determinate);
      EXPECT_NEAR(r.F_W.f.z, 98.1 / 3, 1e-12);
      EXPECT_NEAR(r.F_W.f.x + analysis.steps[0].reactions[2 - k].F_W.f.x, 0, 1e-12);  // a couple round the middle
      moment += r.F_W.n + cross(r.p_W, r.F_W.f);
    }
    EXPECT_NEAR(moment.y, -0.4 * 98.1, 1e-11);
    EXPECT_NEAR(analysis.steps[0].reactions[0].F_W.n.y, analysis.steps[0].reactions[2].F_W.n.y, 1e-12);
  }
}

TEST(Sweep, says_when_inputs_are_too_few_or_too_many) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  EXPECT_EQ(analyze(mech, {.inputs = {sweep(0, 0, 0, 0), sweep(3, 0, 0, 0)}}).status, Analysis::Status::over_driven);
  Model loose = four_bar(6, 2, 7, 9, 30 * deg);
  add_body(loose, "pendulum", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(loose, "pin", Revolute{}, "rocker", "pendulum", frame_at({3, 3, 0}, {0, 0, 1}));
  const Mechanism free = compiled(loose);
  const Analysis analysis = analyze(free, {.inputs = {sweep(0, 0, 0, 0)}});
  EXPECT_EQ(analysis.status, Analysis::Status::under_driven);
  ASSERT_EQ(analysis.free_motions.size(), 1u);
  EXPECT_EQ(free.dof_names[analysis.free_motions[0].shares.front().freedom], "pin.0");
}

TEST(Couplings, drive_one_joint_by_another) {
  Model model;
  add_body(model, "pinion", 1, {}, {1, 1, 1, 0, 0, 0});
  add_body(model, "wheel", 1, {3, 0, 0}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "P", Revolute{}, "ground", "pinion", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "W", Revolute{}, "ground", "wheel", frame_at({3, 0, 0}, {0, 0, 1}));
  Coupling mesh;
  mesh.name = "mesh", mesh.first = "P", mesh.second = "W", mesh.ratio = -0.5;
  model.couplings.push_back(mesh);
  const Mechanism mech = compiled(model);
  SweepInput input = sweep(0, 0, 20, 1);
  input.speed = 4, input.acceleration = 2;
  const Analysis analysis = analyze(mech, {.inputs = {input}, .forces = true});
  ASSERT_EQ(analysis.steps.size(), 21u);
  for (const AnalysisStep& step : analysis.steps) {
    EXPECT_NEAR(step.joints[1].q[0], -0.5 * step.input[0], 1e-13);
    EXPECT_NEAR(step.joints[1].v[0], -2, 1e-13);
    EXPECT_NEAR(step.drive[0], 2 * (1 + 0.25), 1e-12);  // both wheels' inertia, the second through the ratio
  }
}

TEST(Drivers, move_a_component_of_a_body) {
  const Mechanism mech = compiled(four_bar(6, 2, 7, 9, 30 * deg));
  SweepInput input;
  input.driver = Driver{.joint = -1, .body = 2, .component = Driver::Component::turn_z};  // the rocker's own angle
  input.from = 0, input.to = 0.2, input.step = 0.1, input.speed = 1;
  const Analysis analysis = analyze(mech, {.inputs = {input}});
  ASSERT_EQ(count(analysis, StepStatus::ok), 3);
  EXPECT_NEAR(analysis.steps[2].joints[3].q[0], 0.2, 1e-12);
  EXPECT_NEAR(analysis.steps[2].joints[3].v[0], 1, 1e-12);
}

// Virtual work: what the crank gets in goes out at the rocker.
TEST(ResistingLoads, balance_what_the_input_supplies) {
  Model model = four_bar(6, 2, 7, 9, 30 * deg);
  model.gravity = {};
  Load grip;
  grip.name = "grip", grip.at.body = "rocker", grip.is_couple = true, grip.direction = {0, 0, 1};
  Load drag = grip;
  drag.name = "drag", drag.bound_to = "grip", drag.ratio = 0.25, drag.offset = 3;
  model.loads = {grip, drag};
  const Mechanism mech = compiled(model);
  SweepInput input = sweep(0, 0, 0, 0);
  input.speed = 1;
  const Analysis analysis = analyze(mech, {.inputs = {input}, .forces = true, .inertia = false, .given_drive = {8}});
  const AnalysisStep& step = analysis.steps.front();
  const double ratio = step.joints[3].v[0];  // of speeds
  EXPECT_NEAR(8 * 1, (step.loads[0] + step.loads[1]) * ratio, 1e-12);
  EXPECT_NEAR(step.loads[1], 0.25 * step.loads[0] + 3, 1e-13);
  EXPECT_TRUE(step.balanced);
  EXPECT_LT(step.ledger, 1e-12);
}

TEST(Springs, pull_with_stiffness_times_stretch) {
  Model model;
  model.gravity = {};
  add_body(model, "lever", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "pivot", Revolute{}, "ground", "lever", frame_at({0, 0, 0}, {0, 0, 1}));
  Spring spring;
  spring.name = "s", spring.first = {"lever", {1, 0, 0}}, spring.second = {"ground", {1, 2, 0}};
  spring.stiffness = 50, spring.rest = 1.5, spring.preload = 4;
  model.springs = {spring};
  const Mechanism mech = compiled(model);
  const Analysis analysis = analyze(mech, {.inputs = {sweep(0, 0, 0, 0)}, .forces = true});
  EXPECT_NEAR(analysis.steps[0].drive[0], -(50 * 0.5 + 4), 1e-12);  // the drive holds against a pull of 29 N at 1 m
}

TEST(Measures, read_angles_lengths_and_directions) {
  EXPECT_NEAR(angle_between({1, 0, 0}, {1, 1, 0}), pi / 4, 1e-15);
  EXPECT_NEAR(angle_between({1, 0, 0}, {1, 1e-9, 0}), 1e-9, 1e-24);
  EXPECT_NEAR(signed_angle({1, 0, 0}, {0, 1, 0}, {0, 0, -1}), -pi / 2, 1e-15);
  EXPECT_NEAR(projected_angle({1, 0, 5}, {0, 1, -7}, {0, 0, 1}), pi / 2, 1e-15);
  EXPECT_NEAR(angle_to_plane({1, 0, 1}, {0, 0, 1}), pi / 4, 1e-15);
  EXPECT_NEAR(distance_to_plane({1, 2, 3}, {0, 0, 1}, {0, 0, 2}), 2, 1e-15);
  EXPECT_NEAR(distance_to_line({0, 2, 0}, {-5, 0, 0}, {3, 0, 0}), 2, 1e-15);
  EXPECT_NEAR(polar_angle({0, 1, 1}, {0, 0, 1}), pi / 4, 1e-15);
  EXPECT_NEAR(azimuth({-1, 1, 9}, {0, 0, 1}, {1, 0, 0}), 3 * pi / 4, 1e-15);
  const Vec3d turned = locus_point({1, 0, 3}, {0, 0, 0}, {0, 0, 1}, pi / 2);
  EXPECT_NEAR(norm(turned - Vec3d{0, 1, 3}), 0, 1e-15);
  EXPECT_TRUE(std::isnan(angle_between({}, {1, 0, 0})));
}

// --- several loops: each keeps its own solution behind a stretch where another has none ---------------------------------

// A dyad of two links between a body and the ground.
void add_dyad(Model& model, const std::string& on, int number, const Joint& to_ground, Vec3d first, Vec3d middle,
              bool first_slides, Vec3d slide) {
  const std::string n = std::to_string(number), x = "x" + n, y = "y" + n;
  for (const std::string& name : {x, y}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  if (first_slides) {
    add_joint(model, "a" + n, Prismatic{}, on, x, frame_at(first, slide));
  } else {
    add_joint(model, "a" + n, Revolute{}, on, x, frame_at(first, z));
  }
  add_joint(model, "b" + n, Revolute{}, x, y, frame_at(middle, z));
  Joint last = to_ground;
  last.name = "c" + n, last.first = y, last.second = "ground";
  last.X_BM = last.X_AF;
  model.joints.push_back(last);
}
Joint hinge_at(Vec3d p) {
  Joint joint;
  joint.type = Revolute{}, joint.X_AF = frame_at(p, {0, 0, 1});
  return joint;
}
Joint slide_at(Vec3d p, Vec3d along) {
  Joint joint;
  joint.type = Prismatic{}, joint.X_AF = frame_at(p, along);
  return joint;
}

// A four-bar moves a slider by a dyad, and, if asked, another dyad that is dead from 1.43 to 1.86 rad: with both loops in their other
// solution the determinant has the same sign.
Model loops_in_series(bool with_third) {
  Model model;
  add_body(model, "crank", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "I", Revolute{}, "ground", "crank", frame_at({-2.27, -4.21, 0}, {0, 0, 1}));
  add_dyad(model, "crank", 0, hinge_at({-3.61, 2, 0}), {7.03, 1.64, 0}, {-3.77, -9.62, 0}, false, {});
  add_dyad(model, "y0", 1, slide_at({-3.83, -8.42, 0}, {0.809, -1.216, 0}), {4.89, -8.3, 0}, {8.7, 9.89, 0}, false, {});
  if (with_third) {
    add_dyad(model, "y0", 2, hinge_at({-4.43, -8.88, 0}), {7.55, 1.69, 0}, {7.11, 3.94, 0}, true, {-0.292, -0.486, 0});
  }
  return model;
}

TEST(Sweep, keeps_the_solution_of_every_loop_behind_a_stretch_of_another) {
  const Mechanism two = compiled(loops_in_series(false)), three = compiled(loops_in_series(true));
  const auto slider = [](const Mechanism& mech, const AnalysisStep& step) {
    return step.joints[static_cast<std::size_t>(mech.find_joint("c1"))].q[0];
  };
  for (const bool newton : {false, true}) {
    const auto run = [&](const Mechanism& mech, double from) {
      return analyze(mech, {.inputs = {sweep(mech.find_joint("I"), from, 2.2, 0.1)}, .newton = newton});
    };
    const Analysis expected = run(two, 0), all = run(three, 0), late = run(three, 1.9);
    ASSERT_EQ(count(expected, StepStatus::imaginary), 0);
    ASSERT_EQ(all.imaginary.size(), 1u);
    int compared = 0;
    for (std::size_t k = 0; k < all.steps.size(); ++k) {
      if (all.steps[k].status == StepStatus::imaginary) continue;
      EXPECT_NEAR(slider(three, all.steps[k]), slider(two, expected.steps[k]), 1e-9)
          << "newton " << newton << ", " << k;
      ++compared;
    }
    EXPECT_EQ(compared, 15 + 4);
    EXPECT_NEAR(slider(three, late.steps.front()), slider(two, expected.steps[19]), 1e-9) << newton;
  }
}

// Two slides become parallel twice in a turn, at 257.4156° and 341.4096°; the four-bar that moves them does not care.
TEST(Sweep, keeps_its_solution_behind_a_slide_that_ran_to_infinity) {
  Model model;
  for (const char* name : {"crank", "coupler", "rocker", "x", "y"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at({0, 0.04, 0}, z));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at({0.12, 0.08, 0}, z));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({0.1, 0, 0}, z));
  const Mechanism alone = [&] {
    Model four = model;
    four.bodies.resize(3);
    return compiled(four);
  }();
  add_joint(model, "s1", Prismatic{}, "rocker", "x",
            frame_at({0.15, 0.02, 0}, {std::cos(10 * deg), std::sin(10 * deg), 0}));
  add_joint(model, "r", Revolute{}, "x", "y", frame_at({0.15, 0.02, 0}, z));
  add_joint(model, "s2", Prismatic{}, "y", "ground", frame_at({0.15, 0.02, 0}, {1, 0, 0}));
  const Mechanism mech = compiled(model);
  const auto rocker = [](const AnalysisStep& step) { return step.joints[3].q[0]; };
  for (const bool newton : {false, true}) {
    for (const double step : {20 * deg, 5 * deg, 4.3 * deg, 0.5 * deg}) {
      const Analysis with = analyze(mech, {.inputs = {sweep(0, 0, 2 * pi, step)}, .newton = newton});
      const Analysis expected = analyze(alone, {.inputs = {sweep(0, 0, 2 * pi, step)}});
      ASSERT_EQ(with.steps.size(), expected.steps.size());
      EXPECT_EQ(count(with, StepStatus::imaginary), 0) << "newton " << newton << ", step " << step / deg;
      for (std::size_t k = 0; k < with.steps.size(); ++k) {
        if (with.steps[k].status == StepStatus::imaginary) continue;
        EXPECT_NEAR(rocker(with.steps[k]), rocker(expected.steps[k]), 1e-8);
      }
      EXPECT_EQ(with.dead_points.size(), 2u);
      for (const DeadPoint& limit : with.dead_points) EXPECT_TRUE(limit.at_infinity);
      for (const ImaginaryRange& range : with.imaginary) EXPECT_NEAR(range.to, range.from, 1e-9);
    }
    for (const double at : {260 * deg, 280 * deg, 300 * deg, 320 * deg}) {
      const Analysis one = analyze(mech, {.inputs = {sweep(0, at, at, 0)}, .newton = newton});
      EXPECT_NEAR(rocker(one.steps.front()), rocker(analyze(alone, {.inputs = {sweep(0, at, at, 0)}}).steps.front()),
                  1e-9);
    }
  }
}

Model five_bar() {
  Model model;
  for (const char* name : {"p", "q", "r", "s"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "I1", Revolute{}, "ground", "p", frame_at({0, 0, 0}, z));
  add_joint(model, "I2", Revolute{}, "ground", "s", frame_at({4, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "p", "q", frame_at({0, 2, 0}, z));
  add_joint(model, "B", Revolute{}, "q", "r", frame_at({2, 3.5, 0}, z));
  add_joint(model, "C", Revolute{}, "r", "s", frame_at({4, 2, 0}, z));
  return model;
}

// A five-bar stretched: its couplers of 2.5 reach from A to C no more. Rows that begin beyond that end where they are stretched, with
// the first input where the row has it, whatever was met on the way from the drawing.
TEST(Sweep, finds_where_a_row_begins_that_begins_without_position) {
  const Mechanism mech = compiled(five_bar());
  for (const double first : {-0.5, 0.5}) {
    for (const double step : {1.0, 0.25}) {
      const Analysis analysis = analyze(mech, {.inputs = {sweep(0, first, first, 0), sweep(1, -2.5, 0.5, step)}});
      ASSERT_EQ(analysis.imaginary.size(), 1u) << first << ", " << step;
      const double at = analysis.imaginary[0].to;
      const Vec3d A = rotation_z(first) * Vec3d{0, 2, 0}, C = Vec3d{4, 0, 0} + rotation_z(at) * Vec3d{0, 2, 0};
      EXPECT_NEAR(norm(C - A), 5, 1e-9) << first << ", " << step;
      ASSERT_EQ(analysis.dead_points.size(), 1u);
      EXPECT_NEAR(analysis.dead_points[0].inputs[0], first, 1e-12);
      EXPECT_NEAR(analysis.dead_points[0].inputs[1], at, 1e-9);
    }
  }
}

TimeFunction by_expression(const std::string& text) {
  const std::vector<std::string> names{"t"};
  return TimeFunction{std::get<Expression>(Expression::parse(text, names))};
}

// Both inputs by time: the motion is bent, stretches end where it is stretched, between the values asked for too.
TEST(Sweep, follows_inputs_by_time_as_they_move) {
  const Mechanism mech = compiled(five_bar());
  SweepInput one = sweep(0, 0, 2, 0.1), two = sweep(1, 0, 2, 0.1);
  one.motion = by_expression("0.8*sin(3*t)");
  two.motion = by_expression("-1.2*sin(2*t)");
  const auto reach = [](double t) {
    const Vec3d A = rotation_z(0.8 * std::sin(3 * t)) * Vec3d{0, 2, 0};
    const Vec3d C = Vec3d{4, 0, 0} + rotation_z(-1.2 * std::sin(2 * t)) * Vec3d{0, 2, 0};
    return norm(C - A);
  };
  for (const bool newton : {false, true}) {
    const Analysis analysis = analyze(mech, {.inputs = {one, two}, .newton = newton});
    EXPECT_EQ(analysis.steps.size(), 21u);
    for (const AnalysisStep& step : analysis.steps) {
      EXPECT_EQ(step.status == StepStatus::imaginary, reach(step.t) > 5) << step.t;
    }
    ASSERT_FALSE(analysis.imaginary.empty());
    for (const ImaginaryRange& range : analysis.imaginary) {
      EXPECT_NEAR(reach(range.t_from), 5, 1e-8);
      EXPECT_NEAR(reach(range.t_to), 5, 1e-8);
      EXPECT_GT(reach(0.5 * (range.t_from + range.t_to)), 5);
    }
  }
}

// Three dyads in series, on two cranks that move by time. One window of positions is 0.0004 s long, between two values; its ends are those
// of a solution by complex numbers in numpy, apart from ours.
TEST(Sweep, finds_the_ends_of_stretches_by_time_wherever_its_values_lie) {
  Model model;
  for (const char* name : {"c1", "c2", "x0", "y0", "x1", "y1", "x2", "y2"})
    add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const auto pin = [&](const char* name, const char* one, const char* other, double x, double y) {
    add_joint(model, name, Revolute{}, one, other, frame_at({x, y, 0}, {0, 0, 1}));
  };
  pin("I1", "ground", "c1", -3.33, 0.745), pin("I2", "ground", "c2", 3.5, 1.262);
  pin("a0", "c1", "x0", 1.222, -2.549), pin("b0", "x0", "y0", 3.393, -2.985), pin("c0", "y0", "c2", -5.097, 5.554);
  add_joint(model, "a1", Prismatic{}, "y0", "x1",
            frame_at({-3.758, 2.096, 0}, {-0.9979052774151747, -0.06469201888133778, 0}));
  pin("b1", "x1", "y1", 0.847, -4.097), pin("c1", "y1", "c1", 5.424, -4.148);
  pin("a2", "y1", "x2", -4.39, -5.448), pin("b2", "x2", "y2", -3.902, -3.698), pin("c2", "y2", "ground", 0.444, -0.588);
  const Mechanism mech = compiled(model);
  for (const double step : {0.01, 0.013, 0.05, 0.2}) {
    for (const bool newton : {false, true}) {
      SweepInput one = sweep(0, 0, 2, step), two = sweep(1, 0, 2, step);
      one.motion = by_expression("-0.95+2.51*sin(7.92*t+5.9)");
      two.motion = by_expression("1.255*cos(3.96*t)-1.255");
      const Analysis analysis = analyze(mech, {.inputs = {one, two}, .newton = newton});
      ASSERT_EQ(analysis.imaginary.size(), 9u) << step;
      EXPECT_NEAR(analysis.imaginary[2].t_to, 0.8792036224463545, 1e-9) << step;
      EXPECT_NEAR(analysis.imaginary[3].t_from, 0.8796029350378513, 1e-9) << step;
      EXPECT_NEAR(analysis.imaginary[3].t_to, 0.8822153517996691, 1e-9) << step;
    }
  }
}

// One input that goes past a dead point and comes back between two values.
TEST(Sweep, tells_a_stretch_between_two_times) {
  const Mechanism mech = compiled(four_bar(6, 4, 3, 4, 60 * deg));
  const Analysis by_angle = analyze(mech, {.inputs = {sweep(0, 0, 3, 0.01)}});
  ASSERT_FALSE(by_angle.dead_points.empty());
  const double end = by_angle.dead_points.front().value;
  SweepInput input = sweep(0, 0, 1, 0.5);
  input.motion = by_expression(std::to_string(end + 0.05) + " - 4*(t - 0.25)^2");
  const Analysis analysis = analyze(mech, {.inputs = {input}});
  ASSERT_EQ(analysis.imaginary.size(), 1u);
  EXPECT_NEAR(analysis.imaginary[0].t_from, 0.25 - std::sqrt(0.05 / 4), 1e-5);
  EXPECT_NEAR(analysis.imaginary[0].t_to, 0.25 + std::sqrt(0.05 / 4), 1e-5);
}

// A slide on a crank and one on the line x = 1: their pin is at tan θ. Values that lie 1e-4 rad beside infinity have 1e4 lengths to go.
TEST(Sweep, passes_infinity_wherever_its_values_lie) {
  Model model;
  for (const char* name : {"crank", "x", "y"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "I", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "s1", Prismatic{}, "crank", "x", frame_at({1, 0, 0}, {1, 0, 0}));
  add_joint(model, "r", Revolute{}, "x", "y", frame_at({1, 0, 0}, {0, 0, 1}));
  add_joint(model, "s2", Prismatic{}, "ground", "y", frame_at({1, 0, 0}, {0, 1, 0}));
  const Mechanism mech = compiled(model);
  struct Case {
    double from, to, step;
  };
  for (const Case& c : {Case{0, 3, 0.01571}, {0.6709, 3, 0.3}, {2.4706, 0, -0.3}, {0, 3, 0.7}}) {
    for (const bool newton : {false, true}) {
      const Analysis analysis = analyze(mech, {.inputs = {sweep(0, c.from, c.to, c.step)}, .newton = newton});
      for (const AnalysisStep& step : analysis.steps) {
        ASSERT_NE(step.status, StepStatus::imaginary) << c.from << ": " << step.input[0] << ", newton " << newton;
        const double expected = std::tan(step.input[0]);
        EXPECT_NEAR(step.joints[3].q[0], expected, 1e-9 * (1 + expected * expected)) << step.input[0];
      }
      ASSERT_EQ(analysis.dead_points.size(), 1u) << c.from << ", newton " << newton;
      EXPECT_NEAR(analysis.dead_points[0].value, pi / 2, 1e-9);
      EXPECT_EQ(analysis.imaginary.size(), 1u) << c.from << ", newton " << newton;
    }
  }
}

// A rocker that moves between ±39.8° only, asked for at −60°, 60°, 180°, 300°.
TEST(Sweep, tells_each_stretch_once_when_it_steps_over_the_only_positions) {
  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at({100, 0, 0}, z));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at({108.75, 39.03123748998999, 0}, z));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({140, 0, 0}, z));
  const Mechanism mech = compiled(model);
  for (const bool newton : {false, true}) {
    const Analysis analysis = analyze(mech, {.inputs = {sweep(0, -60 * deg, 300 * deg, 120 * deg)}, .newton = newton});
    ASSERT_EQ(analysis.imaginary.size(), 2u);
    EXPECT_NEAR(analysis.imaginary[0].from, -60 * deg, 1e-12);
    EXPECT_NEAR(analysis.imaginary[0].to, analysis.dead_points[0].value, 1e-9);
    EXPECT_NEAR(analysis.imaginary[1].from, -analysis.imaginary[0].to, 1e-9);
    EXPECT_NEAR(analysis.imaginary[1].to, 300 * deg, 1e-12);
    EXPECT_EQ(analysis.dead_points.size(), 2u);
  }
}

// Instant centre of the coupler: where crank and rocker lines meet; transmission angle between coupler and rocker.
TEST(Measures, of_a_four_bar_are_those_of_its_geometry) {
  Model model = four_bar(6, 2, 7, 9, 30 * deg);
  const auto add = [&](const char* name, Measure::Kind kind) -> Measure& {
    Measure measure;
    measure.name = name;
    measure.kind = kind;
    return model.measures.emplace_back(measure);
  };
  add("icx", Measure::Kind::instant_centre_x).bodies = {"coupler"};
  add("icy", Measure::Kind::instant_centre_y).bodies = {"coupler"};
  add("mu", Measure::Kind::transmission_angle).joints = {"B", "A", "O4"};
  Measure& advantage = add("ma", Measure::Kind::mechanical_advantage);
  advantage.joints = {"O2", "O4"}, advantage.dofs = {0, 0};
  Measure& sum = add("sum", Measure::Kind::expression);
  sum.text = "icx + 2*icy", sum.gives = dimension::length;
  const Mechanism mech = compiled(model);
  SweepInput input = sweep(0, 0, 0, 0);
  input.speed = 3;
  const Analysis analysis = analyze(mech, {.inputs = {input}});
  const AnalysisStep& step = analysis.steps.front();
  const Vec3d A{2 * std::cos(30 * deg), 2 * std::sin(30 * deg), 0};
  const Vec3d B = mech.joints[2].X_BM.p;  // bodies share the world frame at the design position
  const Vec3d ic{step.measures[0], step.measures[1], 0};
  EXPECT_NEAR(norm(cross(ic, A)), 0, 1e-10);                                    // on the crank's line
  EXPECT_NEAR(norm(cross(ic - Vec3d{6, 0, 0}, B - Vec3d{6, 0, 0})), 0, 1e-10);  // on the rocker's line
  EXPECT_NEAR(std::cos(step.measures[2]), std::abs(dot(A - B, Vec3d{6, 0, 0} - B)) / 63, 1e-13);
  EXPECT_NEAR(step.measures[3], 10 / -3.9917347902138918, 1e-12);  // Norton's ω₂/ω₄
  EXPECT_NEAR(step.measures[4], ic.x + 2 * ic.y, 1e-13);
}

}  // namespace
}  // namespace trammel
