// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of loops over random linkages: 2 to 8 bodies, 1 to 5 loops, all pairs, planar and spatial, with further constraints.

#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/kinematics.hpp>

#include "support/generators.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::compiled;
using test::LinkageCase;
using test::Random;
using Matrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

Matrix jacobian_of(LoopSolver& solver, const std::vector<double>& q) {
  Matrix J(solver.row_count(), solver.mechanism().nv);
  solver.jacobian(q, {J.data(), static_cast<std::size_t>(J.size())});
  return J;
}

Eigen::VectorXd residuals_of(LoopSolver& solver, const std::vector<double>& q) {
  Eigen::VectorXd phi(solver.row_count());
  solver.residuals(q, std::vector<Target>(solver.drivers().size()), {phi.data(), static_cast<std::size_t>(phi.size())});
  return phi;
}

std::vector<double> stepped(const Mechanism& mech, const std::vector<double>& q, const Eigen::VectorXd& d) {
  std::vector<double> out(q.size());
  step_coordinates(mech, q, {d.data(), static_cast<std::size_t>(d.size())}, out);
  return out;
}

RC_GTEST_PROP(Loops, are_closed_at_the_design_position, (const LinkageCase& c)) {
  const Mechanism mech = compiled(c.model());
  LoopSolver solver(mech);
  RC_ASSERT(residuals_of(solver, design_state(mech).q).lpNorm<Eigen::Infinity>() < 1e-13);
}

// Off the constraints too, where the residuals are not small.
RC_GTEST_PROP(Loops, have_the_jacobian_that_differences_give, (const LinkageCase& c)) {
  const Mechanism mech = compiled(c.model());
  LoopSolver solver(mech);
  const std::vector<double> numbers = Random(c.seed).normals(mech.nv, 0.3);
  const std::vector<double> q =
      stepped(mech, design_state(mech).q, Eigen::Map<const Eigen::VectorXd>(numbers.data(), mech.nv));
  const Matrix J = jacobian_of(solver, q);
  const double h = 1e-3;
  for (int i = 0; i < mech.nv; ++i) {
    const auto at = [&](double s) {
      Eigen::VectorXd d = Eigen::VectorXd::Zero(mech.nv);
      d(i) = s;
      return residuals_of(solver, stepped(mech, q, d));
    };
    const Eigen::VectorXd slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    const double scale = 1 + J.col(i).lpNorm<Eigen::Infinity>();
    RC_ASSERT((slope - J.col(i)).lpNorm<Eigen::Infinity>() < 1e-7 * scale * scale * scale);
  }
}

// A plate that slides on two planes has a free motion in which nothing turns, but by round-off, while the whole tumbles: it is no spin to stop.
TEST(Loops, of_what_tumbles_do_not_take_round_off_for_idle_spin) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Model model;
    for (const char* name : {"base", "sledge", "plate"}) {
      add_body(model, name, 1, random.vector(0.3), random.inertia_at_com(1), random.pose());
    }
    const auto place = [&] { return Transformd{random.rotation(), random.vector(0.7)}; };
    add_joint(model, "float", Free{}, std::string(ground_name), "base", place());
    add_joint(model, "slide", Prismatic{}, "base", "sledge", place());
    add_joint(model, "one plane", Planar{}, "sledge", "plate", place());
    add_joint(model, "other plane", Planar{}, "base", "plate", place());
    const Mechanism mech = compiled(model);
    std::vector<Driver> drivers;
    std::vector<Target> targets;
    for (int i = 0; i < 7; ++i) {
      Driver& driver = drivers.emplace_back();
      driver.joint = i < 6 ? 0 : 1, driver.dof = i < 6 ? i : 0;
      targets.push_back({0, random.uniform(-1, 1), 0, 0});
    }
    LoopSolver solver(mech, drivers);
    const std::vector<double> q = design_state(mech).q;
    std::vector<double> v(static_cast<std::size_t>(mech.nv));
    solver.velocities(q, targets, v);
    const Matrix J = jacobian_of(solver, q);
    const Eigen::VectorXd rates = J * Eigen::Map<const Eigen::VectorXd>(v.data(), mech.nv);
    const int loop_rows = solver.row_count() - 7;
    EXPECT_LT(rates.head(loop_rows).lpNorm<Eigen::Infinity>(), 1e-11);
    for (int i = 0; i < 7; ++i) EXPECT_NEAR(rates(loop_rows + i), targets[static_cast<std::size_t>(i)].rate, 1e-11);
  }
}

// A closing joint's rows do not see motions that the joint allows: they span its constraint space.
RC_GTEST_PROP(Loops, close_with_rows_square_to_the_motions_of_their_joint, (const LinkageCase& c)) {
  const Model model = c.model();
  for (const Joint& joint : model.joints) {
    std::vector<double> q(static_cast<std::size_t>(nq(joint.type))), q2(q.size());
    q_zero(joint.type, q.data());
    const std::vector<double> step = Random(c.seed + 7).normals(nv(joint.type), 0.7);
    q_step(joint.type, q.data(), step.data(), q2.data());
    const Transformd X = X_FM(joint.type, q2.data());
    const AnyConstraint closure = JointClosure{joint.type};
    const int rows = static_cast<int>(dimensions(closure).size());
    RC_ASSERT(rows == 6 - nv(joint.type));
    std::array<double, 6> phi{};
    Matrix G(rows, 6);
    const double turn = nq(joint.type) == 1 && std::holds_alternative<Helical>(joint.type)
                            ? 2 * std::numbers::pi * std::round(q2[0] / (2 * std::numbers::pi))
                            : 0;
    residual_and_gradient(closure, rows, X, &turn, phi.data(), G.data());
    std::vector<Motion<double>> H(static_cast<std::size_t>(nv(joint.type)));
    H_FM(joint.type, q2.data(), H);
    for (const Motion<double>& column : H) {  // H is in M's axes, G in F's
      const Vec3d w = X.R * column.w, v = X.R * column.v;
      Eigen::Matrix<double, 6, 1> h;
      h << w.x, w.y, w.z, v.x, v.y, v.z;
      RC_ASSERT((G * h).size() == 0 || (G * h).lpNorm<Eigen::Infinity>() < 1e-12);
    }
    RC_ASSERT(rows == 0 || Eigen::FullPivLU<Eigen::MatrixXd>(G).rank() == rows);
    for (int r = 0; r < rows; ++r) RC_ASSERT(std::abs(phi[static_cast<std::size_t>(r)]) < 1e-12);
  }
}

// Velocity, acceleration and jerk are the derivatives of the position when the inputs move.
RC_GTEST_PROP(Loops, move_as_differences_of_their_positions_say, (const LinkageCase& c)) {
  const Mechanism mech = compiled(c.model());
  const std::vector<Driver> drivers = test::independent_drivers(mech);
  RC_PRE(!drivers.empty());
  LoopSolver solver(mech, drivers);
  std::vector<double> q = design_state(mech).q;
  Random random(c.seed + 3);
  std::vector<Target> now(drivers.size());
  for (Target& t : now) t = {0, random.normal(), random.normal(), random.normal()};
  RC_ASSERT(solver.assemble(q, now).closed());
  RC_PRE(solver.conditioning(q) > 0.05);  // far from dead points, where differences are no good
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  std::vector<double> v(nv), a(nv), j(nv);
  RC_ASSERT(solver.velocities(q, now, v));
  RC_ASSERT(solver.accelerations(q, v, now, a));
  RC_ASSERT(solver.jerks(q, v, a, now, j));

  // Poses of all bodies at times around now, against their series by v and a.
  const double h = 1e-3;
  Workspace ws(mech);
  const auto positions = [&](double t) {
    std::vector<Target> then = now;
    for (std::size_t d = 0; d < now.size(); ++d) {
      then[d].value = now[d].value + t * (now[d].rate + t / 2 * (now[d].acceleration + t / 3 * now[d].jerk));
    }
    std::vector<double> moved = q;
    RC_ASSERT(solver.assemble(moved, then).closed());
    compute_positions(mech, ws, moved);
    std::vector<Vec3d> points;
    for (int b = 0; b < mech.body_count(); ++b) points.push_back(pose_WB(mech, ws, b) * Vec3d{0.3, -0.2, 0.5});
    return points;
  };
  const std::vector<Vec3d> p2 = positions(2 * h), p1 = positions(h), p0 = positions(0), m1 = positions(-h),
                           m2 = positions(-2 * h);
  compute_accelerations(mech, ws, q, v, a);
  for (int b = 0; b < mech.body_count(); ++b) {
    const std::size_t i = static_cast<std::size_t>(b);
    const Vec3d speed = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) * (1 / (12 * h));
    const Vec3d second = (16 * (p1[i] + m1[i]) - (p2[i] + m2[i]) - 30 * p0[i]) * (1 / (12 * h * h));
    const Vec3d V = velocity_W(mech, ws, b, Vec3d{0.3, -0.2, 0.5}).v,
                A = acceleration_W(mech, ws, b, Vec3d{0.3, -0.2, 0.5}).v;
    const double size = 1 + norm(V) * norm(V) + norm(A);
    RC_ASSERT(norm(speed - V) < 1e-6 * size * size);
    RC_ASSERT(norm(second - A) < 1e-4 * size * size);
  }
  // Jerk: the rate of a.
  const auto accelerations_at = [&](double t) {
    std::vector<Target> then = now;
    for (std::size_t d = 0; d < now.size(); ++d) {
      then[d].value = now[d].value + t * (now[d].rate + t / 2 * (now[d].acceleration + t / 3 * now[d].jerk));
      then[d].rate = now[d].rate + t * (now[d].acceleration + t / 2 * now[d].jerk);
      then[d].acceleration = now[d].acceleration + t * now[d].jerk;
    }
    std::vector<double> moved = q, speeds(nv), second(nv);
    RC_ASSERT(solver.assemble(moved, then).closed());
    solver.velocities(moved, then, speeds);
    solver.accelerations(moved, speeds, then, second);
    return Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(second.data(), mech.nv));
  };
  const Eigen::VectorXd slope =
      (8 * (accelerations_at(h) - accelerations_at(-h)) - (accelerations_at(2 * h) - accelerations_at(-2 * h))) /
      (12 * h);
  const Eigen::Map<Eigen::VectorXd> jerk(j.data(), mech.nv), second(a.data(), mech.nv);
  const double size = 1 + second.norm() + std::abs(jerk.norm());
  RC_ASSERT((slope - jerk).norm() < 1e-5 * size * size);
}

// Pushed off the constraints a little, the assembly comes back, and says how well.
RC_GTEST_PROP(Loops, assemble_from_a_disturbed_position, (const LinkageCase& c)) {
  const Mechanism mech = compiled(c.model());
  LoopSolver solver(mech);
  const std::vector<double> numbers = Random(c.seed).normals(mech.nv, 0.02);
  std::vector<double> q =
      stepped(mech, design_state(mech).q, Eigen::Map<const Eigen::VectorXd>(numbers.data(), mech.nv));
  const AssemblyReport report = solver.assemble(q, {});
  RC_ASSERT(report.closed());
  RC_ASSERT(report.gap_m < 1e-10 && report.gap_rad < 1e-10);
  RC_ASSERT(residuals_of(solver, q).lpNorm<Eigen::Infinity>() <= std::max(report.gap_m, report.gap_rad));
}

// Mobility does not depend on where the loops are cut, nor on where the whole stands.
RC_GTEST_PROP(Loops, have_one_mobility_wherever_they_are_cut, (const LinkageCase& c)) {
  const Model model = c.model();
  const Mechanism mech = compiled(model);
  LoopSolver solver(mech);
  const Mobility mobility = find_mobility(solver, design_state(mech).q);
  RC_ASSERT(mobility.here == static_cast<int>(mobility.motions.size()));
  RC_ASSERT(mobility.rank_generic >= mobility.rank_here);

  Model uncut = model;
  for (Joint& joint : uncut.joints) joint.cut = false;
  const Mechanism other = compiled(uncut);
  LoopSolver other_solver(other);
  RC_ASSERT(find_mobility(other_solver, design_state(other).q).here == mobility.here);

  const Mechanism moved = compiled(test::moved(model, Random(c.seed).pose(3)));
  LoopSolver moved_solver(moved);
  RC_ASSERT(find_mobility(moved_solver, design_state(moved).q).here == mobility.here);
}

}  // namespace
}  // namespace trammel
