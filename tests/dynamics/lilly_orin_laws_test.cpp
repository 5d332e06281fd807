// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lilly and Orin's algorithm against the dense oracle, over random stars with every joint type inside the chains and at their tips,
// cut anywhere, with trees hanging on them; chains with any number of freedoms.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/loop_dynamics.hpp>
#include <trammel/readers.hpp>

#include "star_case.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using test::ClosedCase;
using test::error_of;
using test::OracleAnswer;
using test::Random;
using test::RandomStarOptions;

constexpr double tolerance = 1e-9;

// Directions in which K is small, but not null, cost digits; so do positions close to singular ones, by the square of the least singular
// value. Where that is tiny, methods decide differently on ranks, and the case is left out.
double tolerance_of(const StarReport& report, const ClosedCase& c) {
  LoopDynamics dynamics(c.mechanism);
  const double least = dynamics.diagnose(c.q, c.v).conditioning;
  RC_PRE(least > 1e-5);
  return std::max({tolerance, 1e-15 / report.conditioning, 1e-15 / (least * least)});
}

double largest_error(const ClosedCase& c, const std::vector<double>& a, const LillyOrin& solver,
                     const OracleAnswer& oracle) {
  double error = error_of(a, test::pack_v(c.mechanism, oracle.a));
  for (int b = 0; b < c.mechanism.body_count(); ++b) {
    error = std::max(error, error_of(solver.acceleration_W(b), oracle.bodies[static_cast<std::size_t>(b)].A_W));
  }
  return error;
}

// What a seed decides besides the numbers.
RandomStarOptions options_of(std::uint64_t seed) {
  return {.chains = static_cast<int>(2 + seed % 4),
          .links = static_cast<int>(1 + seed / 4 % 5),
          .anywhere = seed % 7 != 0,
          .rotors = seed % 3 == 1,
          .friction = seed % 5 == 1};
}

struct Solved {
  ClosedCase c;
  Star star;
  LillyOrin solver;
  std::vector<double> a;

  Solved(std::uint64_t seed, const RandomStarOptions& options)
      : c(test::random_star(seed, options), seed),
        star(find_star(c.mechanism)),
        solver(c.mechanism, star),
        a(c.v.size()) {}
  StarReport run(const Loads& loads = {}, std::span<const std::array<double, 6>> known = {}) {
    return solver.forward_dynamics(c.q, c.v, c.tau, a, loads, known);
  }
  const JointInfo& tip(std::size_t k) const {
    return c.mechanism.joints[static_cast<std::size_t>(star.chains[k].tip_joint())];
  }
};

std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(1, 1000000); }

// The oracle's forces are those of the chains where both are unique.
void expect_forces(const Solved& s, const OracleAnswer& oracle, double bound) {
  for (std::size_t k = 0; k < s.star.chains.size(); ++k) {
    for (int tip = 0; tip < s.star.chains[k].tip_count(); ++tip) {
      const Force<double> F = s.solver.tip_force_W(static_cast<int>(k), tip);
      const auto joint = static_cast<std::size_t>(s.star.chains[k].tip_joint(tip));
      const int second = s.c.mechanism.joints[joint].second;
      const bool on_reference =
          second != ground && s.c.mechanism.bodies[static_cast<std::size_t>(second)].link == s.star.reference;
      RC_ASSERT(error_of(F, on_reference ? oracle.reaction[joint] : -oracle.reaction[joint]) < bound);
    }
  }
}

RC_GTEST_PROP(LillyOrin, agrees_with_the_oracle_on_accelerations_and_tip_forces, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed, options_of(seed));
  const StarReport report = s.run();
  const OracleAnswer oracle = oracle_dynamics(s.c.model, s.c.states);
  RC_ASSERT(report.ok());
  RC_ASSERT(largest_error(s.c, s.a, s.solver, oracle) < tolerance_of(report, s.c));
  RC_ASSERT(report.residual < 1e-9);
  // Constraints alone say whether forces are unique: the oracle's rows are those of all joints.
  if (report.conditioning > 1e-7) RC_ASSERT(report.forces_unique == (oracle.rank == oracle.constraint_rows));
  if (report.forces_unique) expect_forces(s, oracle, tolerance_of(report, s.c) * 10);
}

// Loops inside the chains, reduced within them: by the links at their ends nothing else is seen of them.
RC_GTEST_PROP(LillyOrin, with_loops_in_the_chains_agrees_with_the_oracle, ()) {
  const std::uint64_t seed = any_seed();
  RandomStarOptions options = options_of(seed);
  options.loops = 0.5;
  options.anywhere = seed % 2 == 0;
  RC_PRE(find_star(test::compiled(test::random_star(seed, options))).found());  // a loop may hang on one chain only
  Solved s(seed, options);
  const StarReport report = s.run();
  const OracleAnswer oracle = oracle_dynamics(s.c.model, s.c.states);
  RC_ASSERT(report.ok());
  RC_ASSERT(largest_error(s.c, s.a, s.solver, oracle) < tolerance_of(report, s.c));
  if (report.forces_unique && oracle.rank == oracle.constraint_rows)
    expect_forces(s, oracle, tolerance_of(report, s.c) * 10);
}

// Chains that branch and hold the reference member by several tips, as the arms of a Delta robot do.
RC_GTEST_PROP(LillyOrin, with_branches_agrees_with_the_oracle, ()) {
  const std::uint64_t seed = any_seed();
  RandomStarOptions options = options_of(seed);
  options.branches = 0.7;
  options.links = std::max(options.links, 2);
  const Star star = find_star(test::compiled(test::random_star(seed, options)));
  const auto count = [&](const auto& has) { return std::count_if(star.chains.begin(), star.chains.end(), has); };
  // Where few chains are there, another link may be held by chains with loops, and then has no branches.
  RC_PRE(star.found() && count([](const StarChain& chain) { return !chain.branches.empty(); }) > 0);
  Solved s(seed, options);
  const StarReport report = s.run();
  const OracleAnswer oracle = oracle_dynamics(s.c.model, s.c.states);
  RC_ASSERT(report.ok());
  RC_ASSERT(largest_error(s.c, s.a, s.solver, oracle) < tolerance_of(report, s.c));
  RC_ASSERT(report.residual < 1e-9);
  if (report.conditioning > 1e-7) RC_ASSERT(report.forces_unique == (oracle.rank == oracle.constraint_rows));
  if (report.forces_unique) expect_forces(s, oracle, tolerance_of(report, s.c) * 10);
}

TEST(FindStar, finds_the_arms_of_a_delta_robot) {
  const ReadResult read = read_model(test::source_dir() + "/models/delta.yaml");
  ASSERT_TRUE(read.ok());
  const Mechanism mechanism = test::compiled(read.model);
  const Star star = find_star(mechanism);
  ASSERT_TRUE(star.found()) << star.why_not;
  EXPECT_EQ(
      mechanism.bodies[static_cast<std::size_t>(mechanism.links[static_cast<std::size_t>(star.reference)].body)].name,
      "platform");
  ASSERT_EQ(star.chains.size(), 3U);
  for (const StarChain& chain : star.chains) {
    EXPECT_EQ(chain.links.size(), 2U);
    ASSERT_EQ(chain.branches.size(), 1U);
    EXPECT_EQ(chain.branches.front().from, chain.links.front());
    EXPECT_EQ(chain.branches.front().links.size(), 1U);
    EXPECT_EQ(chain.tip_count(), 2);
  }
  // A weld instead of a ball has three rows more at the tips: too many.
  Model model = read.model;
  for (Joint& joint : model.joints) {
    if (joint.name == "ball1b") joint.type = Fixed{};
  }
  EXPECT_FALSE(find_star(test::compiled(model)).found());
}

// With six freedoms or more in every chain no direction is held: the plain algorithm, without the treatment of ranks.
RC_GTEST_PROP(LillyOrin, with_ample_chains_agrees_with_the_oracle, ()) {
  const std::uint64_t seed = any_seed();
  RandomStarOptions options = options_of(seed);
  options.ample = true;
  Solved s(seed, options);
  const StarReport report = s.run();
  const OracleAnswer oracle = oracle_dynamics(s.c.model, s.c.states);
  RC_ASSERT(report.ok());
  RC_ASSERT(largest_error(s.c, s.a, s.solver, oracle) < tolerance_of(report, s.c));
  if (report.forces_unique) expect_forces(s, oracle, tolerance_of(report, s.c) * 10);
}

// Wrenches on all bodies, added inertia and bias, known forces in tip joints that close a loop.
RC_GTEST_PROP(LillyOrin, agrees_with_the_oracle_under_loads, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed, options_of(seed));
  test::Prepared p(s.c.model, s.c.states);
  RC_ASSERT(p.q == s.c.q);
  test::LoadCase load = p.load_case(seed, {.wrenches = true, .additions = seed % 2 == 0});
  Random random(seed);
  test::JointStates states = s.c.states;
  if (!load.oracle.dof_inertia.empty()) {
    for (std::size_t j = 0; j < states.v.size(); ++j) {  // closures have no freedoms to add to
      if (s.c.mechanism.joints[j].role == JointRole::closure) load.oracle.dof_inertia[j].assign(states.v[j].size(), 0);
    }
  }
  std::vector<std::array<double, 6>> known(s.star.chains.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (s.tip(k).role != JointRole::closure) continue;
    auto& tau = states.tau[static_cast<std::size_t>(s.star.chains[k].tip_joint())];
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = known[k][i] = random.normal();
  }
  const StarReport report = s.run(load.loads(), known);
  const OracleAnswer oracle = oracle_dynamics(s.c.model, states, load.oracle);
  RC_ASSERT(report.ok());
  RC_ASSERT(largest_error(s.c, s.a, s.solver, oracle) < tolerance_of(report, s.c));
  if (report.forces_unique) expect_forces(s, oracle, tolerance_of(report, s.c) * 10);
}

// d²Φ/dt² = 0 for every row of every closure: by Newton's own accelerations, which change nothing.
RC_GTEST_PROP(LillyOrin, accelerations_fulfil_the_closures, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed, options_of(seed));
  const StarReport report = s.run();
  LoopSolver loops(s.c.mechanism);
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> J(loops.row_count(), s.c.mechanism.nv);
  loops.jacobian(s.c.q, {J.data(), static_cast<std::size_t>(J.size())});
  std::vector<double> particular(s.a.size());
  loops.accelerations(s.c.q, s.c.v, {}, particular);  // one that fulfils them
  const Eigen::VectorXd difference = test::vector(s.a) - test::vector(particular);
  RC_ASSERT((J * difference).cwiseAbs().maxCoeff() < tolerance_of(report, s.c) * (1 + difference.norm()));
}

// The forces at the tips do no work: kinetic energy changes by the work of τ and weight alone.
RC_GTEST_PROP(LillyOrin, energy_rate_is_the_power_put_in, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed, options_of(seed));
  const StarReport report = s.run();
  std::vector<double> needed(s.a.size());
  Workspace ws(s.c.mechanism);
  inverse_dynamics(s.c.mechanism, ws, s.c.q, s.c.v, s.a, needed);
  // What a tree would need beyond τ to move so is what the closures exert; on allowed velocities that has no power.
  const Eigen::VectorXd closures = test::vector(needed) - test::vector(s.c.tau);
  const double power = closures.dot(test::vector(s.c.v));
  RC_ASSERT(std::abs(power) < 10 * tolerance_of(report, s.c) * (1 + closures.norm() * test::vector(s.c.v).norm()));
}

// Where a loop is cut changes coordinates, not motion.
RC_GTEST_PROP(LillyOrin, answers_do_not_depend_on_the_cut, ()) {
  const std::uint64_t seed = any_seed();
  RandomStarOptions options{.chains = static_cast<int>(2 + seed % 3), .links = 4, .anywhere = false};
  const Model model = test::random_star(seed, options);
  const ClosedCase c(model, seed);
  Random random(seed);
  Model other = model;
  for (const StarChain& chain : find_star(c.mechanism).chains) {
    const int count = static_cast<int>(chain.joints.size());
    other.joints[static_cast<std::size_t>(chain.joints[static_cast<std::size_t>(random.integer(0, count - 1))])].cut =
        true;
  }
  // Drives only where both trees have coordinates: none.
  test::JointStates states = c.states;
  for (auto& list : states.tau) std::fill(list.begin(), list.end(), 0.0);
  const Mechanism cut_elsewhere = test::compiled(other);
  const auto solve = [&](const Mechanism& mechanism, std::vector<Motion<double>>& motions) {
    const Star star = find_star(mechanism);
    RC_ASSERT(star.found());
    LillyOrin solver(mechanism, star);
    std::vector<double> a(static_cast<std::size_t>(mechanism.nv)), tau(a.size());
    const StarReport report =
        solver.forward_dynamics(test::pack_q(mechanism, states.q), test::pack_v(mechanism, states.v), tau, a);
    RC_ASSERT(report.ok());
    for (int b = 0; b < mechanism.body_count(); ++b) motions.push_back(solver.acceleration_W(b));
    return report;
  };
  std::vector<Motion<double>> here, there;
  const StarReport one = solve(c.mechanism, here), two = solve(cut_elsewhere, there);
  const double bound = tolerance_of(one, c) + tolerance_of(two, c);  // each is as far from the truth
  for (std::size_t b = 0; b < here.size(); ++b) {
    RC_ASSERT(error_of(there[b], here[b]) < bound);
  }
}

// A wrench on the reference member changes its acceleration by the inverse of its effective inertia.
RC_GTEST_PROP(LillyOrin, effective_inertia_answers_a_wrench, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed, options_of(seed));
  s.run();
  const int body = s.solver.reference_body();
  const Motion<double> before = s.solver.reference_acceleration_W();
  std::array<double, 36> inverse, inertia;
  s.solver.inverse_effective_inertia_W(inverse);
  s.solver.effective_inertia_W(inertia);
  Workspace ws(s.c.mechanism);
  compute_positions(s.c.mechanism, ws, s.c.q);
  std::vector<Force<double>> wrench(s.c.model.bodies.size());
  Random random(seed);
  const Force<double> F = random.force();
  add_wrench(s.c.mechanism, ws, body, Vec3d{}, F, wrench);
  const StarReport report = s.run({.wrench = wrench.data()});
  const Motion<double> after = s.solver.reference_acceleration_W();
  using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor6> inverse_map(inverse.data()), inertia_map(inertia.data());
  RC_ASSERT(test::relative_error(inverse_map * test::dense(F), test::dense(after - before)) <
            tolerance_of(report, s.c));
  if (report.held == 0) {
    RC_ASSERT((inertia_map * inverse_map - test::Matrix6::Identity()).cwiseAbs().maxCoeff() < 1e-7);
  }
}

// --- supports that move as prescribed, drives inside the chains --------------------------------------------------------

// A palm on a free joint, driven; fingers on it hold an object. Some freedoms of the fingers and of the tips are driven too.
RC_GTEST_PROP(LillyOrin, agrees_with_the_oracle_on_a_support_that_moves, ()) {
  const std::uint64_t seed = any_seed();
  Random random(seed);
  Model model = test::random_star(seed, {.chains = 3, .links = 4, .anywhere = false, .floating = 0});
  const Transformd X_WP = random.pose();
  for (Joint& joint : model.joints) {  // what stood on the ground stands on the palm
    if (joint.first == ground_name) joint.first = "palm", joint.X_AF = inverse(X_WP) * joint.X_AF;
    if (joint.second == ground_name) joint.second = "palm", joint.X_BM = inverse(X_WP) * joint.X_BM;
  }
  add_body(model, "palm", 1, random.vector(0.1), random.inertia_at_com(1), X_WP);
  add_joint(model, "drive", Free{}, "ground", "palm", X_WP);
  const ClosedCase c(model, seed);
  const int drive = c.mechanism.find_joint("drive");
  std::vector<char> prescribed(c.v.size());
  std::vector<double> a(c.v.size());
  test::OracleLoads loads;
  for (std::size_t j = 0; j < c.mechanism.joints.size(); ++j) {
    const JointInfo& joint = c.mechanism.joints[j];
    auto& list = loads.prescribed.emplace_back(static_cast<std::size_t>(joint.nv));
    if (static_cast<int>(j) != drive) continue;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(joint.v) + i;
      prescribed[k] = 1;
      list[i] = a[k] = random.normal();
    }
  }
  const Star star = find_star(c.mechanism, prescribed);
  RC_ASSERT(star.found());
  LillyOrin solver(c.mechanism, star);
  const StarReport report = solver.forward_dynamics(c.q, c.v, c.tau, a);
  RC_ASSERT(report.ok());
  const OracleAnswer oracle = oracle_dynamics(c.model, c.states, loads);
  RC_ASSERT(largest_error(c, a, solver, oracle) < tolerance_of(report, c));
}

// One driven freedom of a chain or of a tip in a star that is free to follow.
RC_GTEST_PROP(LillyOrin, agrees_with_the_oracle_where_a_joint_is_driven, ()) {
  const std::uint64_t seed = any_seed();
  RandomStarOptions options = options_of(seed);
  options.ample = true;
  const ClosedCase c(test::random_star(seed, options), seed);
  Random random(seed);
  const auto dof = static_cast<std::size_t>(random.integer(0, c.mechanism.nv - 1));
  std::vector<char> prescribed(c.v.size());
  std::vector<double> a(c.v.size());
  prescribed[dof] = 1;
  a[dof] = random.normal();
  test::OracleLoads loads;
  for (const JointInfo& joint : c.mechanism.joints) {
    auto& list = loads.prescribed.emplace_back(static_cast<std::size_t>(joint.nv));
    if (joint.v >= 0 && dof >= static_cast<std::size_t>(joint.v) &&
        dof < static_cast<std::size_t>(joint.v + joint.nv)) {
      list[dof - static_cast<std::size_t>(joint.v)] = a[dof];
    }
  }
  const Star star = find_star(c.mechanism, prescribed);
  RC_PRE(star.found());  // a driven body on the ground is support: the rest may be no star
  LillyOrin solver(c.mechanism, star);
  const StarReport report = solver.forward_dynamics(c.q, c.v, c.tau, a);
  RC_ASSERT(report.ok());
  RC_ASSERT(largest_error(c, a, solver, oracle_dynamics(c.model, c.states, loads)) < tolerance_of(report, c));
}

// --- further kinds of mechanism, with figures of our own: kinematics drawn at random once, answers by the oracle --------

// Arms of hinges with axes at right angles in turn hold an object by the joints given.
ClosedCase arms(const std::vector<int>& hinges, const std::vector<AnyJoint>& tips, std::uint64_t seed) {
  Random random(seed);
  Model model;
  add_body(model, "object", 5, {0.02, -0.03, 0.05}, {0.1, 0.18, 0.2, 0, 0, 0}, {random.rotation(), {0.1, 0.2, 0.9}});
  add_joint(model, "float", Free{}, "ground", "object", Transformd::translation({0.1, 0.2, 0.9}));
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    std::string before(ground_name);
    Transformd X = random.pose();
    for (int i = 0; i < hinges[k]; ++i) {
      const std::string name = "arm " + std::to_string(k) + " link " + std::to_string(i);
      X = X * Transformd{
                  rotation_x(i % 2 == 0 ? 1.5707963267948966 : -1.5707963267948966) * rotation_z(random.uniform(-1, 1)),
                  {random.uniform(0.1, 0.4), 0, random.uniform(-0.1, 0.1)}};
      add_body(model, name, 3.0 / (i + 1), {0.1, 0.01, 0.02}, random.inertia_at_com(1), X);
      add_joint(model, name, Revolute{}, before, name, X);
      before = name;
    }
    add_joint(model, "tip " + std::to_string(k), tips[k], before, "object", X * random.pose()).cut = true;
  }
  return {model, seed, 0.3};
}

// By elimination and by the dense method too, without known forces.
void expect_the_same_three_ways(const Mechanism& mechanism, const std::vector<double>& q, const std::vector<double>& v,
                                const std::vector<double>& tau, double scale = 1) {
  LoopDynamics dynamics(mechanism);
  std::vector<double> star(v.size()), other(v.size());
  ASSERT_TRUE(dynamics.forward(q, v, tau, star, {}, LoopMethod::star).ok());
  for (const LoopMethod method : {LoopMethod::dense, LoopMethod::elimination}) {
    const LoopVerdict verdict = dynamics.forward(q, v, tau, other, {}, method);
    ASSERT_TRUE(verdict.ok()) << verdict.residual;
    EXPECT_LT(error_of(other, star), tolerance * std::max(1.0, scale))
        << (method == LoopMethod::dense ? "dense" : "elimination");
  }
}

void expect_like_oracle(const ClosedCase& c, int rank, int held, bool unique) {
  const Star star = find_star(c.mechanism);
  ASSERT_TRUE(star.found());
  LillyOrin solver(c.mechanism, star);
  std::vector<double> a(c.v.size());
  std::vector<std::array<double, 6>> known(star.chains.size());
  test::JointStates states = c.states;
  for (std::size_t k = 0; k < known.size(); ++k) {
    const auto joint = static_cast<std::size_t>(star.chains[k].tip_joint());
    if (c.mechanism.joints[joint].role != JointRole::closure) continue;
    for (std::size_t i = 0; i < states.tau[joint].size(); ++i)
      states.tau[joint][i] = known[k][i] = 0.3 + 0.2 * static_cast<double>(i);
  }
  const StarReport report = solver.forward_dynamics(c.q, c.v, c.tau, a, {}, known);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.rank, rank);
  EXPECT_EQ(report.held, held);
  EXPECT_EQ(report.forces_unique, unique);
  const OracleAnswer oracle = oracle_dynamics(c.model, states);
  // In a structure nothing accelerates: zero is the difference of what the arms would do by themselves and what they are made to.
  Workspace ws(c.mechanism);
  std::vector<double> let_go(c.v.size());
  forward_dynamics(c.mechanism, ws, c.q, c.v, c.tau, let_go);
  const double scale = test::vector(let_go).cwiseAbs().maxCoeff() / (1 + test::vector(a).cwiseAbs().maxCoeff());
  EXPECT_LT(largest_error(c, a, solver, oracle), tolerance * std::max(1.0, scale));
  expect_the_same_three_ways(c.mechanism, c.q, c.v, c.tau, scale);
  if (!unique) return;
  for (std::size_t k = 0; k < known.size(); ++k) {
    const auto joint = static_cast<std::size_t>(star.chains[k].tip_joint());
    EXPECT_LT(error_of(solver.tip_force_W(static_cast<int>(k)), oracle.reaction[joint]), tolerance) << k;
  }
}

TEST(LillyOrin, holds_by_a_hard_point_a_soft_finger_and_a_weld_with_known_forces) {
  // A universal joint at its middle position turns about two axes in the surface: a soft finger.
  expect_like_oracle(arms({6, 6, 6}, {Spherical{}, Universal{}, Fixed{}}, 3), 3 + 4 + 6, 0, true);
}
TEST(LillyOrin, holds_by_arms_of_seven_freedoms) {
  expect_like_oracle(arms({7, 7, 7}, {Fixed{}, Fixed{}, Fixed{}}, 4), 18, 0, true);
}
TEST(LillyOrin, finds_the_forces_in_a_structure) {
  expect_like_oracle(arms({4, 4, 4}, {Fixed{}, Fixed{}, Fixed{}}, 5), 12, 6, true);
}
TEST(LillyOrin, finds_the_motion_of_a_structure_whose_forces_are_not_unique) {
  expect_like_oracle(arms({3, 3, 3}, {Fixed{}, Fixed{}, Fixed{}}, 6), 9, 6, false);
}
TEST(LillyOrin, a_wrist_with_two_axes_in_line_loses_a_direction) {
  ClosedCase c = arms({6, 6, 6}, {Fixed{}, Fixed{}, Fixed{}}, 7);
  Model model = c.model;  // the sixth axis of the first arm on the line of the fourth
  const int fourth = c.mechanism.find_joint("arm 0 link 3"), sixth = c.mechanism.find_joint("arm 0 link 5");
  const auto pose = [&](const std::string& body) { return model.find_body(body)->X_WB; };
  Joint& last = model.joints[static_cast<std::size_t>(sixth)];
  const Joint& other = model.joints[static_cast<std::size_t>(fourth)];
  Transformd X_WJ = pose(other.first) * other.X_AF;
  X_WJ.p = X_WJ * Vec3d{0, 0, 0.2};
  last.X_AF = inverse(pose(last.first)) * X_WJ;
  last.X_BM = inverse(pose(last.second)) * X_WJ;
  ClosedCase singular(model, 7, 0.3);
  singular.q = design_state(singular.mechanism).q;  // moving on would leave the posture
  singular.v = test::allowed_velocity(singular.mechanism, singular.q, singular.v);
  singular.states = test::all_joint_states(model, singular.mechanism, singular.q, singular.v, singular.tau);
  expect_like_oracle(singular, 17, 1, true);
}

// --- singular postures -------------------------------------------------------------------------------------------------

// Three arms of three hinges and a ball at the tip; the first arm's first and last hinge in line with each other where asked.
Model three_fingers(bool singular) {
  Model model;
  add_body(model, "object", 2, {0.02, 0.01, 0}, {0.02, 0.03, 0.04, 0, 0, 0}, Transformd::translation({0, 0, 1}));
  add_joint(model, "float", Free{}, "ground", "object", Transformd::translation({0, 0, 1}));
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.1 * k + 0.2;
    const Vec3d out{std::cos(angle), std::sin(angle), 0}, side{-std::sin(angle), std::cos(angle), 0}, up{0, 0, 1};
    // Base, knee and tip in one line: a finger stretched out cannot accelerate along itself.
    const Vec3d base = out * 1.1 + up * 0.4, tip = out * 0.1 + up * 1.0;
    const Vec3d knee = (base + tip) * 0.5 + (singular && k == 0 ? Vec3d{} : out * 0.2 + up * 0.1);
    const std::string name = std::to_string(k);
    add_body(model, "base " + name, 0.5, {}, {0.01, 0.01, 0.01, 0, 0, 0}, Transformd::translation(base));
    add_joint(model, "yaw " + name, Revolute{}, "ground", "base " + name, frame_at(base, up));
    add_body(model, "upper " + name, 0.6, {}, {0.02, 0.02, 0.01, 0, 0, 0},
             Transformd::translation((base + knee) * 0.5));
    add_joint(model, "shoulder " + name, Revolute{}, "base " + name, "upper " + name, frame_at(base, side));
    add_body(model, "lower " + name, 0.4, {}, {0.01, 0.01, 0.01, 0, 0, 0}, Transformd::translation((knee + tip) * 0.5));
    add_joint(model, "knee " + name, Revolute{}, "upper " + name, "lower " + name, frame_at(knee, side));
    add_joint(model, "tip " + name, Spherical{}, "lower " + name, "object", Transformd::translation(tip)).cut = true;
  }
  return model;
}

TEST(LillyOrin, a_finger_stretched_out_holds_along_itself) {
  for (const bool singular : {false, true}) {
    const Model model = three_fingers(singular);
    const Mechanism mechanism = test::compiled(model);
    const std::vector<double> q = design_state(mechanism).q;
    Random random(5);
    std::vector<double> v(static_cast<std::size_t>(mechanism.nv)), tau(v.size()), a(v.size());
    for (double& x : v) x = random.normal();
    for (double& x : tau) x = random.normal();
    v = test::allowed_velocity(mechanism, q, v);
    LillyOrin solver(mechanism, find_star(mechanism));
    const StarReport report = solver.forward_dynamics(q, v, tau, a);
    EXPECT_EQ(report.rows, 9);
    EXPECT_EQ(report.rank, singular ? 8 : 9);
    EXPECT_EQ(report.held, singular ? 1 : 0);
    EXPECT_TRUE(report.forces_unique);
    const test::JointStates states = test::all_joint_states(model, mechanism, q, v, tau);
    const OracleAnswer oracle = oracle_dynamics(model, states);
    EXPECT_LT(error_of(a, test::pack_v(mechanism, oracle.a)), tolerance);
    expect_the_same_three_ways(mechanism, q, v, tau);
  }
}

// A door on two balls: chains without links, and no other.
TEST(LillyOrin, takes_chains_without_links) {
  Model model;
  Random random(3);
  add_body(model, "door", 2, {0.4, 0.1, 0}, random.inertia_at_com(2));
  add_joint(model, "lower", Spherical{}, "ground", "door", Transformd::translation({0, 0, 0}));
  add_joint(model, "upper", Spherical{}, "ground", "door", Transformd::translation({0, 0, 1})).cut = true;
  const Mechanism mechanism = test::compiled(model);
  const std::vector<double> q = design_state(mechanism).q;
  std::vector<double> v = test::allowed_velocity(mechanism, q, {0.1, 0.2, 0.7}), tau{0.3, -0.2, 0.5};
  expect_the_same_three_ways(mechanism, q, v, tau);
}

// The closer to the singular posture, the stiffer; what is found must not jump where ranks are decided.
TEST(LillyOrin, answers_pass_through_a_singular_posture_without_a_jump) {
  for (double bend = 1e-1; bend > 1e-9; bend *= 0.3) {
    const Model model = three_fingers(true);
    const Mechanism mechanism = test::compiled(model);
    std::vector<double> q = design_state(mechanism).q, v(static_cast<std::size_t>(mechanism.nv)), tau(v.size(), 0.3),
                        a(v.size());
    q[static_cast<std::size_t>(mechanism.joints[static_cast<std::size_t>(mechanism.find_joint("knee 0"))].q)] = bend;
    LoopSolver loops(mechanism);
    ASSERT_TRUE(loops.assemble(q, {}).closed());
    LillyOrin solver(mechanism, find_star(mechanism));
    const StarReport report = solver.forward_dynamics(q, v, tau, a);
    const OracleAnswer oracle = oracle_dynamics(model, test::all_joint_states(model, mechanism, q, v, tau));
    EXPECT_LT(error_of(a, test::pack_v(mechanism, oracle.a)), 1e-7)
        << "bend " << bend << " conditioning " << report.conditioning;
  }
}

// --- what is no star ---------------------------------------------------------------------------------------------------

TEST(FindStar, says_why_a_mechanism_is_none) {
  Model model;
  add_body(model, "a", 1, {}, {1, 1, 1, 0, 0, 0});
  add_body(model, "b", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "j1", Revolute{}, "ground", "a", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "j2", Revolute{}, "a", "b", frame_at({1, 0, 0}, {0, 0, 1}));
  EXPECT_EQ(find_star(test::compiled(model)).why_not, "it has no loop");
  add_joint(model, "j3", Spherical{}, "a", "b", frame_at({1, 1, 0}, {0, 0, 1})).cut = true;
  EXPECT_EQ(find_star(test::compiled(model)).why_not, "a chain that leaves 'a' does not lead to the support");
  add_body(model, "c", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "j4", Revolute{}, "b", "c", frame_at({2, 0, 0}, {0, 0, 1}));
  add_joint(model, "j5", Revolute{}, "c", "ground", frame_at({2, 1, 0}, {0, 0, 1}));
  EXPECT_TRUE(find_star(test::compiled(model)).found());  // 'c' on a chain with a loop, and on the ground
  add_joint(model, "j6", Spherical{}, "a", "c", frame_at({3, 1, 0}, {0, 0, 1}));
  EXPECT_EQ(find_star(test::compiled(model)).why_not, "chains meet at 'a' and at 'b'");
  const Mechanism mechanism = test::compiled(model);
  EXPECT_THROW(LillyOrin(mechanism, find_star(mechanism)), std::invalid_argument);
}

TEST(FindStar, finds_the_loop_in_a_chain) {
  Model model;
  for (const std::string name : {"hip", "thigh", "crank", "rod", "shank", "trunk"}) {
    add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  }
  const auto join = [&](const std::string& name, const std::string& a, const std::string& b, Vec3d p) {
    add_joint(model, name, Revolute{}, a, b, frame_at(p, {0, 0, 1}));
  };
  join("support", "ground", "trunk", {0, 1, 0});
  join("hip", "trunk", "hip", {0, 0, 0});
  join("swing", "hip", "thigh", {0, -0.1, 0});
  join("knee", "thigh", "shank", {0, -1, 0});
  join("drive", "thigh", "crank", {0.1, -0.1, 0});
  join("pin", "crank", "rod", {0.2, -0.1, 0});
  join("lever", "rod", "shank", {0.2, -1, 0});
  join("foot", "shank", "ground", {0, -2, 0});
  const Mechanism mechanism = test::compiled(model);
  const Star star = find_star(mechanism);
  ASSERT_TRUE(star.found()) << star.why_not;
  const auto chain =
      std::find_if(star.chains.begin(), star.chains.end(), [](const StarChain& c) { return !c.blocks.empty(); });
  ASSERT_NE(chain, star.chains.end());
  ASSERT_EQ(chain->blocks.size(), 1U);
  EXPECT_EQ(chain->blocks.front().joints.size(), 4U);
  EXPECT_EQ(chain->blocks.front().links.size(), 3U);
  EXPECT_EQ(std::count(chain->joints.begin(), chain->joints.end(), -1), 1);
}

TEST(FindStar, refuses_two_loops_apart_and_couplings) {
  Model model;
  for (const std::string name : {"a", "b"}) {
    add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
    add_joint(model, name + "1", Revolute{}, "ground", name, frame_at({0, 0, 0}, {0, 0, 1}));
    add_joint(model, name + "2", Spherical{}, "ground", name, frame_at({0, 0, 1}, {0, 0, 1}));
  }
  EXPECT_EQ(find_star(test::compiled(model)).why_not, "it has loops apart from each other");
  Coupling mesh;
  mesh.name = "mesh";
  mesh.first = "a1";
  mesh.second = "b1";
  model.couplings.push_back(mesh);
  EXPECT_EQ(find_star(test::compiled(model)).why_not, "coupling 'mesh' ties joints");
}

}  // namespace
}  // namespace trammel
