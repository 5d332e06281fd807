// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The linkages of models/ whose answers are known by theorems and closed forms, written out here: exact straight lines, gear
// ratios, height laws, time ratios, overconstrained loops that move, suspensions by lengths that stay and by virtual work.

#include <regex>
#include <sstream>

#include "reference/linkages.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;

// The point at distance a from P and b from Q, to the left of the way from P to Q (side 1) or to its right (−1).
Vec3d meet(const Vec3d& P, double a, const Vec3d& Q, double b, double side) {
  const Vec3d d = Q - P, left{-d.y, d.x, 0};
  const double l = norm(d), x = (l * l + a * a - b * b) / (2 * l), y = side * std::sqrt(a * a - x * x);
  return P + d * (x / l) + left * (y / l);
}

Vec3d place(const AnalysisStep& step, int b, const Vec3d& p_B) {
  return b == ground ? p_B : step.bodies[static_cast<std::size_t>(b)].X_WB * p_B;
}

Mobility mobility(const Mechanism& mech) {
  LoopSolver solver(mech);
  std::vector<double> q = design_state(mech).q;
  EXPECT_TRUE(solver.assemble(q, {}).closed());
  return find_mobility(solver, q);
}

double measure(const Mechanism& mech, const AnalysisStep& step, const std::string& name) {
  for (std::size_t k = 0; k < mech.measures.size(); ++k) {
    if (mech.measures[k].name == name) return step.measures.at(k);
  }
  ADD_FAILURE() << "no measure " << name;
  return 0;
}

// --- straight lines and paths ----------------------------------------------------------------------------------------

// Inversion: OC · OP = a² − b², and C runs on a circle through O.
TEST(Peaucellier, draws_an_exact_straight_line) {
  const Mechanism mech = linkage("peaucellier");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .jerk = true});
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const PointMotion& P = point(mech, step, "P");
    errors.add("x", P.p.x, 0.09375);
    errors.add("vx (absolute)", P.v.x, 0);
    errors.add("ax (absolute)", P.a.x, 0);
    errors.add("jx (absolute)", P.j.x, 0);
    errors.add("OC · OP", norm(point(mech, step, "C").p) * norm(P.p), 0.0075);
  }
  errors.expect_below(1e-12, "Peaucellier");
}

TEST(Hoeken, is_straight_to_a_quarter_of_a_percent_over_half_a_turn) {
  const Mechanism mech = linkage("hoeken");
  const Analysis result = sweep(mech, "O2", {90 * degree, 270 * degree, degree});
  double low = INFINITY, high = -INFINITY;
  for (const AnalysisStep& step : result.steps) {
    const Vec3d p = point(mech, step, "T").p;
    low = std::min(low, p.y), high = std::max(high, p.y);
  }
  EXPECT_NEAR((high - low) / 0.4, 0.0024381610, 1e-6);  // hoeken_lambda.json: 0.00975264 of a stroke of 4
}

TEST(Pantograph, pen_draws_what_the_tracer_draws_two_and_a_half_times_as_large) {
  const Mechanism mech = linkage("pantograph");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech)});
  ASSERT_EQ(result.steps.size(), 35u);
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const PointMotion &pen = point(mech, step, "pen"), &tracer = point(mech, step, "tracer");
    errors.add("position", pen.p, tracer.p * 2.5);
    errors.add("velocity", pen.v, tracer.v * 2.5);
    errors.add("acceleration", pen.a, tracer.a * 2.5);
  }
  errors.expect_below(1e-12, "pantograph");
}

// --- chains of dyads ---------------------------------------------------------------------------------------------------

TEST(WattSixBar, joints_are_where_circles_meet) {
  const Mechanism mech = linkage("watt_sixbar");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech)});
  const Vec3d A0{0, 0.03, 0}, O4{0.08, 0, 0}, B0 = meet(A0, 0.08, O4, 0.06, 1);
  const Vec3d C0 = A0 + Vec3d{std::cos(50 * degree), std::sin(50 * degree), 0} * 0.095;
  const Vec3d D0 = O4 + Vec3d{std::cos(70 * degree), std::sin(70 * degree), 0} * 0.085;
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double theta = pi / 2 + step.input[0];
    const Vec3d A{0.03 * std::cos(theta), 0.03 * std::sin(theta), 0}, B = meet(A, 0.08, O4, 0.06, 1);
    const Vec3d C = meet(A, norm(C0 - A0), B, norm(C0 - B0), 1);
    const Vec3d D = meet(O4, norm(D0 - O4), B, norm(D0 - B0), cross(B0 - O4, D0 - O4).z > 0 ? 1 : -1);
    errors.add("E", point(mech, step, "E").p, meet(C, 0.07, D, 0.065, 1));
  }
  errors.expect_below(1e-12, "Watt six-bar");
}

TEST(ThrottleLinkage, is_one_four_bar_after_the_other) {
  const Mechanism mech = linkage("throttle_linkage");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true, .inertia = false});
  const Vec3d pedal_pin{-0.02, 0.09, 0}, bell_pivot{0.26, 0.06, 0}, bell_pin{0.235, 0.125, 0}, bell_arm{0.32, 0.085, 0},
      shaft{0.4, 0.22, 0}, throttle_pin{0.355, 0.235, 0};
  const auto turned = [](const Vec3d& p, double angle) {
    return Vec3d{p.x * std::cos(angle) - p.y * std::sin(angle), p.x * std::sin(angle) + p.y * std::cos(angle), 0};
  };
  const auto angle_of = [](const Vec3d& p) { return std::atan2(p.y, p.x); };
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const Vec3d P = turned(pedal_pin, step.input[0]);
    const Vec3d Q = meet(P, norm(bell_pin - pedal_pin), bell_pivot, norm(bell_pin - bell_pivot), 1);
    const double bell = angle_of(Q - bell_pivot) - angle_of(bell_pin - bell_pivot);
    const Vec3d R = bell_pivot + turned(bell_arm - bell_pivot, bell);
    const Vec3d S = meet(R, norm(throttle_pin - bell_arm), shaft, norm(throttle_pin - shaft), 1);
    const double throttle = angle_of(S - shaft) - angle_of(throttle_pin - shaft);
    errors.add_angle("throttle", joint(mech, step, "shaft").q[0], throttle);
    errors.add_angle("measure", measure(mech, step, "throttle turn"), throttle);
    const double ratio = joint(mech, step, "pedal pivot").v[0] / joint(mech, step, "shaft").v[0];
    errors.add("gain", measure(mech, step, "gain"), ratio);
  }
  errors.expect_below(1e-12, "throttle linkage");
}

// --- dead points ---------------------------------------------------------------------------------------------------------

// Ground 6, crank 5, coupler 3.5, rocker 4: the crank cannot pass where coupler and rocker are stretched,
//   cos θ = (5² + 6² − 7.5²)/(2 · 5 · 6).
TEST(DeadPoint, is_where_coupler_and_rocker_are_in_line) {
  Model model;
  const Vec3d A{5, 0, 0}, O4{6, 0, 0}, B = meet(A, 3.5, O4, 4, 1);
  for (const char* name : {"crank", "coupler", "rocker"}) add_link(model, name);
  add_pin(model, "O2", "ground", "crank", {});
  add_pin(model, "A", "crank", "coupler", A);
  add_pin(model, "B", "coupler", "rocker", B);
  add_pin(model, "O4", "ground", "rocker", O4);
  const Mechanism mech = compiled_linkage(model);
  const Analysis result = analyze(mech, {.inputs = {input_of(mech, "O2", {0, 2 * pi, 5 * degree, 1})}});
  const double limit = std::acos(4.75 / 60);
  ASSERT_EQ(result.imaginary.size(), 1u);
  EXPECT_NEAR(result.imaginary[0].from, limit, 1e-9);
  EXPECT_NEAR(result.imaginary[0].to, 2 * pi - limit, 1e-9);
  EXPECT_TRUE(result.imaginary[0].from_is_exact);
  EXPECT_TRUE(result.imaginary[0].to_is_exact);
  ASSERT_EQ(result.dead_points.size(), 2u);
  for (const DeadPoint& d : result.dead_points) EXPECT_TRUE(d.is_limit);
}

// Ground, crank, coupler, rocker with shortest + longest = sum of the others: at some crank angles all pivots are in line, and two
// branches cross. Each goes on smoothly, whether a step lands on the crossing or not.
TEST(ChangePoint, is_passed_on_the_same_branch_whatever_the_step) {
  struct Lengths {
    double ground, crank, coupler, rocker;
  };
  for (const Lengths& l :
       {Lengths{100, 40, 100, 40}, Lengths{40, 40, 100, 100}, Lengths{30, 40, 100, 110}, Lengths{100, 30, 110, 40}}) {
    for (const double side : {1., -1.}) {
      SCOPED_TRACE(fmt::format("{} {} {} {}, {}", l.ground, l.crank, l.coupler, l.rocker, side));
      Model model;
      const Vec3d A{0, l.crank, 0}, O4{l.ground, 0, 0}, B = meet(A, l.coupler, O4, l.rocker, side);
      for (const char* name : {"crank", "coupler", "rocker"}) add_link(model, name);
      add_pin(model, "O2", "ground", "crank", {});
      add_pin(model, "A", "crank", "coupler", A);
      add_pin(model, "B", "coupler", "rocker", B);
      add_pin(model, "O4", "ground", "rocker", O4);
      const Mechanism mech = compiled_linkage(model);
      const auto rocker_angles = [&](double step) {
        std::vector<double> angles;
        for (const AnalysisStep& s :
             analyze(mech, {.inputs = {input_of(mech, "O2", {0, 2 * pi, step * degree, 1})}}).steps) {
          EXPECT_NE(s.status, StepStatus::imaginary);
          angles.push_back(s.joints.empty() ? NAN : joint(mech, s, "O4").q[0]);
        }
        return angles;
      };
      const std::vector<double> fine = rocker_angles(1);
      for (std::size_t k = 2; k < fine.size(); ++k) {
        EXPECT_LT(std::abs(fine[k] - 2 * fine[k - 1] + fine[k - 2]), 0.5 * degree) << "not smooth at " << k;
      }
      for (const int step : {7, 10, 30, 45}) {
        const std::vector<double> coarse = rocker_angles(step);
        for (std::size_t k = 0; k < coarse.size(); ++k) EXPECT_NEAR(coarse[k], fine[k * step], 1e-6) << k * step;
      }
    }
  }
}

// --- slots, cams, strokes --------------------------------------------------------------------------------------------------

// A crank r about O2, d above the arm's pivot: the arm turns back where the crank is square to it, sin θ = −r/d.
TEST(QuickReturn, spends_twice_as_long_on_the_working_stroke) {
  const Mechanism mech = linkage("quick_return");
  const Analysis result = sweep(mech, "O2", {0, 2 * pi, 30 * degree, 1});
  int forth = 0, back = 0;
  for (std::size_t k = 0; k + 1 < result.steps.size(); ++k) {
    const double v = point(mech, result.steps[k], "ram").v.x;
    if (k == 7 || k == 11) {  // 210° and 330°
      EXPECT_NEAR(v, 0, 1e-14);
      EXPECT_NEAR(joint(mech, result.steps[k], "O4").v[0], 0, 1e-14);
    } else {
      ++(v < 0 ? forth : back);
      EXPECT_GT(std::abs(v), 0.01);
    }
  }
  EXPECT_EQ(forth, 7);  // between 330° and 210°: 240° of the crank
  EXPECT_EQ(back, 3);   // 120°
  const double stroke = point(mech, result.steps[11], "ram").p.x - point(mech, result.steps[7], "ram").p.x;
  const Vec3d B1{0.45 * std::sin(30 * degree), 0.45 * std::cos(30 * degree), 0};
  EXPECT_NEAR(stroke, 2 * B1.x, 1e-13);
}

// tan ψ = r sin θ/(c − r cos θ), c = √2 r
TEST(GenevaDrive, wheel_starts_and_stops_without_a_jump_of_speed) {
  const Mechanism mech = linkage("geneva");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech)});
  const double n = std::sqrt(0.5), w = 2 * pi;  // r/c
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double th = step.input[0], N = 1 + n * n - 2 * n * std::cos(th);
    const JointMotion& wheel = joint(mech, step, "wheel");
    errors.add_angle("angle", wheel.q[0], -std::atan2(n * std::sin(th), 1 - n * std::cos(th)));
    errors.add("speed", wheel.v[0], -w * n * (std::cos(th) - n) / N);
    errors.add("acceleration", wheel.a[0], w * w * n * (1 - n * n) * std::sin(th) / (N * N));
  }
  errors.expect_below(1e-12, "Geneva drive");
}

// An eccentric disc and a roller: the slider-crank of crank e and rod R + r.
TEST(CamFollower, eccentric_disc_moves_its_roller_as_a_slider_crank_does) {
  const Mechanism mech = linkage("cam_follower");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true});
  const double e = 0.015, l = 0.05, w = 10 * pi;
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double s = std::sin(step.input[0]), c = std::cos(step.input[0]), root = std::sqrt(l * l - e * e * s * s);
    const PointMotion& roller = point(mech, step, "roller");
    const double root1 = -e * e * s * c / root, root2 = -e * e * (c * c - s * s) / root - root1 * root1 / root;
    errors.add("position", roller.p.y, e * c + root);
    errors.add("velocity", roller.v.y, w * (-e * s + root1));
    errors.add("acceleration", roller.a.y, w * w * (-e * c + root2));
    // The contact pushes along the line of centres; its part along the guide carries weight, inertia and the spring.
    const double push = 0.3 * (g + roller.a.y) - 2000 * ((0.14 - roller.p.y) - 0.1);
    errors.add("contact force", step.constraint_forces[0].f.y, push);
    errors.add("contact force across", step.constraint_forces[0].f.x, push * e * s / root);
  }
  errors.expect_below(1e-9, "cam and follower");
}

// --- gears and lifts ---------------------------------------------------------------------------------------------------------

// Willis: (ω_ring − ω_carrier)/(ω_sun − ω_carrier) = −z_sun/z_ring
TEST(PlanetaryGear, ratio_is_that_of_willis) {
  const Mechanism mech = linkage("planetary");
  AnalysisOptions options{.inputs = inputs_of(mech), .forces = true, .inertia = false};
  const Analysis result = sweep(mech, options);
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double carrier = body(mech, step, "carrier").w.z, sun = body(mech, step, "sun").w.z,
                 ring = body(mech, step, "ring").w.z;
    errors.add("ring (absolute)", ring, 0);
    errors.add("sun : carrier", sun / carrier, 3.5);
    errors.add("Willis", (ring - carrier) / (sun - carrier), -24. / 60);
    errors.add("planet", body(mech, step, "planet 2").w.z / carrier, 1 - 60. / 18);
    errors.add("carrier's torque", step.drive[0], 35);  // power: 10 N m at the sun, 3.5 times as fast
  }
  errors.expect_below(1e-12, "planetary gear set");
}

// h = √(L² − x²) per stage; V = g h (16 Σ(k − ½) + 10 (240 + 1)), so the jack pushes with dV/dx.
TEST(ScissorLift, height_and_jack_force) {
  const Mechanism mech = linkage("scissor_lift");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true, .inertia = false});
  ASSERT_EQ(result.steps.size(), 21u);
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double x = std::cos(30 * degree) + step.input[0], h = std::sqrt(1 - x * x), v = -0.05;
    const PointMotion& platform = point(mech, step, "platform");
    errors.add("height", platform.p.y, 10 * h);
    errors.add("speed", platform.v.y, -10 * x / h * v);
    errors.add("acceleration", platform.a.y, -10 / (h * h * h) * v * v);
    errors.add("jack", step.drive[0], -g * (16 * 50 + 10 * 241) * x / h);
  }
  errors.expect_below(1e-11, "scissor lift");
}

// --- overconstrained, and mobile all the same -------------------------------------------------------------------------------

TEST(Sarrus, platform_moves_straight_up) {
  const Mechanism mech = linkage("sarrus");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech)});
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const BodyMotion& platform = body(mech, step, "platform");
    errors.add("centre", point(mech, step, "platform").p, {0, 0, 0.2 * std::sin(35 * degree - step.input[0])});
    errors.add("x axis", platform.X_WB.R.ex, {1, 0, 0});
    errors.add("y axis", platform.X_WB.R.ey, {0, 1, 0});
    errors.add("omega (absolute)", norm(platform.w), 0);
  }
  errors.expect_below(1e-12, "Sarrus");
  const Mobility m = mobility(mech);
  EXPECT_EQ(m.grubler_spatial, 0);
  EXPECT_EQ(m.here, 1);
  EXPECT_EQ(m.generic, 1);
  EXPECT_TRUE(m.is_overconstrained_but_mobile());
}

// tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2)/sin((β − α)/2), θ₃ = −θ₁, θ₄ = −θ₂
TEST(Bennett, input_output_relation) {
  const Mechanism mech = linkage("bennett");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech)});
  const double K = std::sin(55 * degree) / std::sin(15 * degree), drawn = 2 * std::atan(K / std::tan(30 * degree));
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double t1 = (60 * degree + step.input[0]) / 2, t2 = (drawn + joint(mech, step, "J2").q[0]) / 2;
    errors.add("relation (absolute)", std::sin(t1) * std::sin(t2) - K * std::cos(t1) * std::cos(t2), 0);
    errors.add_angle("theta3", joint(mech, step, "J3").q[0], -step.input[0]);
    errors.add_angle("theta4", joint(mech, step, "J4").q[0], -joint(mech, step, "J2").q[0]);
  }
  errors.expect_below(1e-12, "Bennett");
  const Mobility m = mobility(mech);
  EXPECT_EQ(m.grubler_spatial, -2);
  EXPECT_EQ(m.here, 1);
  EXPECT_EQ(m.generic, 1);
  EXPECT_EQ(m.redundant_rows.size(), 3u);
  EXPECT_TRUE(m.is_overconstrained_but_mobile());
}

TEST(Bricard, moves_although_gruebler_says_no) {
  const Mobility m = mobility(linkage("bricard"));
  EXPECT_EQ(m.grubler_spatial, 0);
  EXPECT_EQ(m.here, 1);
  EXPECT_EQ(m.generic, 1);
  EXPECT_TRUE(m.is_overconstrained_but_mobile());
}

// All masses translate on circles of 0.3 m (the cranks' centres on half of it).
TEST(FourCranks, move_together_though_overconstrained) {
  const Mechanism mech = linkage("four_cranks");
  const Mobility m = mobility(mech);
  EXPECT_EQ(m.grubler_spatial, -10);
  EXPECT_EQ(m.grubler_planar, -1);
  EXPECT_EQ(m.here, 1);
  EXPECT_EQ(m.generic, 1);
  EXPECT_TRUE(m.is_overconstrained_but_mobile());
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true, .inertia = false});
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double theta = 40 * degree + step.input[0];
    errors.add("coupler", point(mech, step, "A1").p, {0.3 * std::cos(theta), 0.3 * std::sin(theta), 0});
    errors.add("coupler's turn (absolute)", turn_z(body(mech, step, "coupler")), 0);
    errors.add("torque", step.drive[0], g * (2.6 * 0.15 + 2 * 0.3) * std::cos(theta));
    EXPECT_FALSE(reaction(mech, step, "A2").determinate);
  }
  errors.expect_below(1e-12, "four cranks");
}

// --- idle spins --------------------------------------------------------------------------------------------------------------

TEST(Rssr, idle_spin_of_the_coupler_is_named) {
  const Mechanism mech = linkage("rssr");
  const Mobility m = mobility(mech);
  EXPECT_EQ(m.grubler_spatial, 2);
  EXPECT_EQ(m.here, 2);
  EXPECT_EQ(m.idle, 1);
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true});
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0], "the spin of body 'coupler' is idle: it is left at zero");
  const Vec3d rod = point(mech, result.steps[0], "B").p - Vec3d{1, 0, 0};
  EXPECT_NEAR(dot(body(mech, result.steps[0], "coupler").w, rod), 0, 1e-12);
}

// --- suspensions -----------------------------------------------------------------------------------------------------------

// Every joint's two frames stay at one place, seen from either body: what "closed" means, from poses alone.
void expect_closed(const Mechanism& mech, const Analysis& result, const std::string& what) {
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    for (const JointInfo& info : mech.joints) {
      if (keyword(info.type) == "prismatic") continue;
      errors.add("gaps (absolute)", norm(place(step, info.first, info.X_AF.p) - place(step, info.second, info.X_BM.p)),
                 0);
    }
  }
  errors.expect_below(1e-13, what);
}

// Work of the jounce's drive against weight and the spring, by differences of the potential.
void expect_virtual_work(const Mechanism& mech, const Model& model, std::vector<SweepInput> inputs,
                         std::size_t jounce) {
  const double h = 1e-4;
  AnalysisOptions options{.inputs = std::move(inputs), .forces = true, .inertia = false};
  for (SweepInput& input : options.inputs) input.to = input.from, input.step = 0;
  const auto potential = [&](const AnalysisStep& step) {
    double V = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      V -= model.bodies[b].mass * dot(model.gravity, step.bodies[b].X_WB * model.bodies[b].com);
    }
    for (const SpringInfo& s : mech.springs) {
      const double x = norm(place(step, s.second, s.settings.second.p_B) - place(step, s.first, s.settings.first.p_B)) -
                       s.settings.rest;
      V += s.settings.preload * x + s.settings.stiffness * x * x / 2;
    }
    return V;
  };
  for (const double z : {-0.08, -0.03, 0.0, 0.05, 0.08}) {
    const auto at = [&](double height) {
      options.inputs[jounce].from = options.inputs[jounce].to = height;
      return sweep(mech, options).steps[0];
    };
    const AnalysisStep here = at(z);
    const double slope =
        (8 * (potential(at(z + h)) - potential(at(z - h))) - (potential(at(z + 2 * h)) - potential(at(z - 2 * h)))) /
        (12 * h);
    EXPECT_NEAR(here.drive[jounce] / slope, 1, 1e-8) << z;
    EXPECT_TRUE(here.balanced);
  }
}

Model read_linkage(const std::string& file) {
  return read_model(test::source_dir() + "/models/" + file + ".yaml").model;
}

TEST(DoubleWishbone, closes_over_jounce_and_rack) {
  const Mechanism mech = linkage("double_wishbone");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true});
  ASSERT_EQ(result.steps.size(), 45u);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0], "the spin of body 'tie rod' is idle: it is left at zero");
  expect_closed(mech, result, "double wishbone");
  for (const AnalysisStep& step : result.steps) {
    EXPECT_NEAR(point(mech, step, "wheel centre").p.z, 0.31 + step.input[1], 1e-13);
    EXPECT_NEAR(point(mech, step, "wheel centre").v.z, 0.1, 1e-12);
  }
}
TEST(DoubleWishbone, wheel_load_does_the_work_of_weight_and_spring) {
  const Mechanism mech = linkage("double_wishbone");
  std::vector<SweepInput> inputs = inputs_of(mech);
  inputs[0].from = 0.01;  // of the rack
  expect_virtual_work(mech, read_linkage("double_wishbone"), inputs, 1);
}
TEST(DoubleWishbone, has_two_freedoms_and_the_idle_spin_of_the_tie_rod) {
  const Mobility m = mobility(linkage("double_wishbone"));
  EXPECT_EQ(m.here, 3);
  EXPECT_EQ(m.generic, 3);
  EXPECT_EQ(m.idle, 1);
}

// The right side is the left one seen in a mirror: the same file with y of all points turned round.
TEST(DoubleWishbone, right_side_mirrors_the_left) {
  std::ifstream file(test::source_dir() + "/models/double_wishbone.yaml");
  std::ostringstream mirrored;
  const std::regex triple(R"(^(  [a-z ]+: \[[-0-9.]+, )([-0-9.]+)(, [-0-9.]+\])$)");
  int changed = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, triple)) {
      line = parts[1].str() + "-" + parts[2].str() + parts[3].str();
      ++changed;
    }
    mirrored << line << '\n';
  }
  ASSERT_EQ(changed, 13);
  const ReadResult right_model = read_yaml(mirrored.str(), "right.yaml");
  ASSERT_TRUE(right_model.ok()) << right_model.diagnostics.to_string();
  const Mechanism left = linkage("double_wishbone"), right = compiled_linkage(right_model.model);
  const Analysis a = sweep(left, {.inputs = inputs_of(left), .forces = true});
  std::vector<SweepInput> inputs = inputs_of(right);
  inputs[0].from = -inputs[0].from, inputs[0].to = -inputs[0].to,
  inputs[0].step = -inputs[0].step;  // the rack goes the other way
  const Analysis b = sweep(right, {.inputs = inputs, .forces = true});
  ASSERT_EQ(a.steps.size(), b.steps.size());
  const auto mirror = [](const Vec3d& p) { return Vec3d{p.x, -p.y, p.z}; };
  Errors errors;
  for (std::size_t k = 0; k < a.steps.size(); ++k) {
    const AnalysisStep &l = a.steps[k], &r = b.steps[k];
    errors.add("contact", point(right, r, "contact").p, mirror(point(left, l, "contact").p));
    errors.add("velocity", point(right, r, "contact").v, mirror(point(left, l, "contact").v));
    errors.add("acceleration", point(right, r, "contact").a, mirror(point(left, l, "contact").a));
    errors.add("force", reaction(right, r, "lower ball").F_W.f, mirror(reaction(left, l, "lower ball").F_W.f));
    errors.add("camber", measure(right, r, "camber"), measure(left, l, "camber"));
    errors.add("caster", measure(right, r, "caster"), measure(left, l, "caster"));
    errors.add("steer", measure(right, r, "steer"), -measure(left, l, "steer"));
  }
  errors.expect_below(1e-11, "double wishbone, mirrored");
}

TEST(FiveLinkSuspension, closes_over_the_jounce) {
  const Mechanism mech = linkage("five_link_suspension");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech), .forces = true});
  ASSERT_EQ(result.steps.size(), 17u);
  EXPECT_EQ(result.notes.size(), 5u);
  expect_closed(mech, result, "five-link suspension");
  for (const AnalysisStep& step : result.steps) {
    EXPECT_NEAR(point(mech, step, "wheel centre").p.z, 0.3 + step.input[0], 1e-13);
  }
}
TEST(FiveLinkSuspension, wheel_load_does_the_work_of_weight_and_spring) {
  const Mechanism mech = linkage("five_link_suspension");
  expect_virtual_work(mech, read_linkage("five_link_suspension"), inputs_of(mech), 0);
}
TEST(FiveLinkSuspension, has_one_freedom_and_five_idle_spins) {
  const Mobility m = mobility(linkage("five_link_suspension"));
  EXPECT_EQ(m.here, 6);
  EXPECT_EQ(m.generic, 6);
  EXPECT_EQ(m.idle, 5);
}

}  // namespace
}  // namespace trammel::test
