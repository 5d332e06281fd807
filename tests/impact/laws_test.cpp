// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of mobility, of floating systems and of impacts, over random mechanisms.

#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/impact.hpp>

#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel::test {
namespace {

using At = std::size_t;
using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

RandomModelOptions with_rotors() {
  RandomModelOptions options;
  options.armature = true;
  return options;
}

// A body that moves, and a point of it.
struct Place {
  int body = -1;
  Vec3d p_B;
};
Place some_place(const Mechanism& mech, Random& random) {
  Place place{.body = -1, .p_B = random.vector()};
  for (int tries = 0; tries < 100 && place.body < 0; ++tries) {
    const int body = random.integer(0, mech.body_count() - 1);
    if (mech.bodies[static_cast<At>(body)].link != ground) place.body = body;
  }
  return place;
}
Eigen::MatrixXd jacobian_at(const Mechanism& mech, Workspace& ws, std::span<const double> q, const Place& place) {
  std::vector<double> J(6 * static_cast<At>(mech.nv));
  compute_positions<double>(mech, ws, q);
  jacobian_W<double>(mech, ws, place.body, place.p_B, J);
  return Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>>(J.data(), 6, mech.nv);
}
double error_of(const Matrix6& found, const Eigen::MatrixXd& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

RC_GTEST_PROP(Mobility, is_the_jacobian_with_the_inverse_mass_matrix, (const ModelCase& drawn)) {
  Prepared p(drawn, with_rotors());
  if (p.mechanism.nv == 0) return;
  Random random(drawn.seed + 7);
  const Place place = some_place(p.mechanism, random);
  if (place.body < 0) return;
  const Eigen::MatrixXd J = jacobian_at(p.mechanism, p.ws, p.q, place);
  LoadCase added = p.load_case(drawn.seed + 3, {.additions = true});
  for (const bool with_additions : {false, true}) {
    const Loads loads = with_additions ? added.loads() : Loads{};
    Matrix6 G;
    RC_ASSERT(compute_mobility<double>(p.mechanism, p.ws, p.q, place.body, place.p_B, {G.data(), 36}, loads).ok());
    RC_ASSERT(error_of(G, J * p.mass(loads).ldlt().solve(J.transpose())) < 1e-9);
    RC_ASSERT(error_of(G, Eigen::MatrixXd(G.transpose())) == 0);
  }
}

RC_GTEST_PROP(Mobility, with_locked_freedoms_is_that_of_the_others, (const ModelCase& drawn)) {
  Prepared p(drawn, with_rotors());
  if (p.mechanism.nv == 0) return;
  Random random(drawn.seed + 8);
  const Place place = some_place(p.mechanism, random);
  if (place.body < 0) return;
  std::vector<char> locked;
  std::vector<int> open;
  for (int k = 0; k < p.mechanism.nv; ++k) {
    locked.push_back(random.chance(0.4) ? 1 : 0);
    if (locked.back() == 0) open.push_back(k);
  }
  Matrix6 G;
  RC_ASSERT(compute_mobility<double>(p.mechanism, p.ws, p.q, place.body, place.p_B, {G.data(), 36}, {}, locked).ok());
  const Eigen::MatrixXd J = jacobian_at(p.mechanism, p.ws, p.q, place), M = p.mass();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, 6);
  if (!open.empty()) {
    const Eigen::MatrixXd Jo = J(Eigen::all, open), Mo = M(open, open);
    expected = Jo * Mo.ldlt().solve(Jo.transpose());
  }
  RC_ASSERT(error_of(G, expected) < 1e-9);
}

TEST(Mobility, of_the_ground_is_none) {
  const Model model = random_model(3, {.bodies = 4});
  const Mechanism mech = compiled(model);
  Workspace ws(mech);
  double G[36];
  EXPECT_TRUE(compute_mobility<double>(mech, ws, design_state(mech).q, ground, {}, G).ok());
  for (const double g : G) EXPECT_EQ(g, 0);
}

RC_GTEST_PROP(Floating, splits_mobility_into_joints_and_locked_base, (const ModelCase& drawn)) {
  RandomModelOptions options = with_rotors();
  options.floating = 1;
  Prepared p(drawn, options);
  Random random(drawn.seed + 9);
  const Place place = some_place(p.mechanism, random);
  if (place.body < 0) return;
  const FloatingKinematics f = compute_floating(p.mechanism, p.ws, p.q, p.v, place.body, place.p_B);
  Matrix6 G;
  const auto given = [](const std::vector<double>& numbers) {
    return Eigen::MatrixXd(Eigen::Map<const Matrix6>(numbers.data()));
  };
  // Joints free and locked, by force propagation against the dense blocks.
  ImpulseResponse free(p.mechanism), locked(p.mechanism, {.share = 1});
  free.set_position(p.q), locked.set_position(p.q);
  RC_ASSERT(free.mobility(place.body, place.p_B, {G.data(), 36}));
  RC_ASSERT(error_of(G, given(f.G_star)) < 1e-9);
  RC_ASSERT(locked.mobility(place.body, place.p_B, {G.data(), 36}));
  RC_ASSERT(error_of(G, given(f.G_locked)) < 1e-9);
  // With dampers at the joints it stays symmetric, and less than free: no power is created.
  JointResistance dampers;
  for (int k = 0; k < p.mechanism.nv; ++k)
    dampers.damper.push_back(random.chance(0.2) ? infinity : random.uniform(0, 3));
  ImpulseResponse damped(p.mechanism, dampers);
  damped.set_position(p.q);
  RC_ASSERT(damped.mobility(place.body, place.p_B, {G.data(), 36}));
  const Eigen::MatrixXd less = given(f.G_star) - G;
  const double scale = given(f.G_star).norm();
  RC_ASSERT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(less).eigenvalues().minCoeff() > -1e-9 * scale);
  RC_ASSERT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(G)).eigenvalues().minCoeff() > 0);
  // The base follows the joints so that nothing has momentum; in the null space it does not move at all.
  const Eigen::MatrixXd M = p.mass();
  std::vector<double> v(p.nv(), 0.0);
  const auto n = f.tree.joints.size();
  for (At i = 0; i < n; ++i) {
    const double rate = random.normal();
    v[static_cast<At>(f.tree.joints[i])] = rate;
    for (At b = 0; b < f.tree.base.size(); ++b) v[static_cast<At>(f.tree.base[b])] += f.base_map[b * n + i] * rate;
  }
  compute_velocities<double>(p.mechanism, p.ws, p.q, v);
  const Momentum<double> none = compute_momentum<double>(p.mechanism, p.ws);
  RC_ASSERT(norm(none.linear_W) + norm(none.angular_W) < 1e-9 * (1 + none.mass));
  const At quiet = n == 0 ? 0 : f.reaction_null_space.size() / n;
  for (At c = 0; c < quiet; ++c) {
    double largest = 0;
    for (At b = 0; b < f.tree.base.size(); ++b) {
      double sum = 0;
      for (At i = 0; i < n; ++i) sum += f.coupling[b * n + i] * f.reaction_null_space[i * quiet + c];
      largest = std::max(largest, std::abs(sum));
    }
    RC_ASSERT(largest < 1e-9 * (1 + none.mass));
  }
}

// G* between free and locked: the share μ blends them, so that its limits 0 and 1 are theirs, and a share near a limit is near it by as much;
// dampers have the same limits.
RC_GTEST_PROP(Floating, resistance_leads_from_free_to_locked, (const ModelCase& drawn)) {
  RandomModelOptions options = with_rotors();
  options.floating = 1;
  Prepared p(drawn, options);
  Random random(drawn.seed + 13);
  const Place place = some_place(p.mechanism, random);
  if (place.body < 0) return;
  const auto at = [&](const JointResistance& resistance) {
    Matrix6 G;
    ImpulseResponse response(p.mechanism, resistance);
    response.set_position(p.q);
    RC_ASSERT(response.mobility(place.body, place.p_B, {G.data(), 36}));
    return Eigen::MatrixXd(G);
  };
  const auto all = [&](double d) { return JointResistance{.damper = std::vector<double>(p.nv(), d)}; };
  const Eigen::MatrixXd free = at({}), locked = at({.share = 1});
  const double scale = free.norm(), mu = random.unit();
  RC_ASSERT((at({.share = mu}) - (1 - mu) * free - mu * locked).norm() < 1e-12 * scale);
  RC_ASSERT((at({.share = 1e-9}) - free).norm() < 1.1e-9 * scale);
  RC_ASSERT((at({.share = 1 - 1e-9}) - locked).norm() < 1.1e-9 * scale);
  RC_ASSERT((at(all(1e-9)) - free).norm() < 1e-5 * scale);
  RC_ASSERT((at(all(infinity)) - locked).norm() < 1e-12 * scale);
  // The paper's share of each joint is the same where all are equal.
  RC_ASSERT((at({.share_of_each = std::vector<double>(p.nv(), mu)}) - at({.share = mu})).norm() < 1e-8 * scale);
}

// A base of infinite mass is the ground.
RC_GTEST_PROP(Floating, on_a_heavy_base_is_as_on_the_ground, (const ModelCase& drawn)) {
  RandomModelOptions options;
  options.floating = 1;
  options.new_tree = 0;
  Model floats = drawn.model(options), stands = floats;
  for (std::size_t j = 0; j < floats.joints.size(); ++j) {
    if (!std::holds_alternative<Free>(floats.joints[j].type) || floats.joints[j].first != "ground") continue;
    stands.joints[j].type = Fixed{};
    for (Body& body : floats.bodies) {
      if (body.name != floats.joints[j].second) continue;
      constexpr double heavy = 1e11;
      body.mass = heavy, body.inertia = {heavy, heavy, heavy, 0, 0, 0};
    }
  }
  const Mechanism heavy = compiled(floats), ground_based = compiled(stands);
  Random random(drawn.seed + 14);
  const Place place = some_place(ground_based, random);
  if (place.body < 0) return;
  const auto at = [&](const Mechanism& mech) {
    Matrix6 G;
    ImpulseResponse response(mech);
    response.set_position(design_state(mech).q);
    RC_ASSERT(response.mobility(place.body, place.p_B, {G.data(), 36}));
    return Eigen::MatrixXd(G);
  };
  const Eigen::MatrixXd G = at(ground_based);
  RC_ASSERT((at(heavy) - G).norm() < 1e-5 * (G.norm() + 1e-3));
}

// Two random floating trees that meet at a point.
struct Meeting {
  Mechanism mechanism;
  State state;
  ImpactContact contact;
};
std::optional<Meeting> some_meeting(const ModelCase& drawn) {
  RandomModelOptions options;
  options.floating = 1;
  options.new_tree = 0.3;
  const Model model = drawn.model(options);
  const JointStates states = drawn.states(model);
  Meeting out{.mechanism = compiled(model), .state = {}, .contact = {}};
  out.state = design_state(out.mechanism);
  out.state.q = pack_q(out.mechanism, states.q), out.state.v = pack_v(out.mechanism, states.v);
  Random random(drawn.seed + 11);
  const Place a = some_place(out.mechanism, random), b = some_place(out.mechanism, random);
  if (a.body < 0 || b.body < 0) return std::nullopt;
  if (out.mechanism.bodies[static_cast<At>(a.body)].link == out.mechanism.bodies[static_cast<At>(b.body)].link)
    return std::nullopt;
  out.contact.first = a.body, out.contact.second = b.body;
  out.contact.p_W = random.vector(), out.contact.normal_W = random.vector();
  out.contact.restitution = random.unit(), out.contact.friction = random.chance(0.3) ? 0 : random.uniform(0, 1.5);
  return out;
}

RC_GTEST_PROP(Impact, keeps_momentum_and_creates_no_energy, (const ModelCase& drawn)) {
  std::optional<Meeting> m = some_meeting(drawn);
  if (!m) return;
  for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::poisson}) {
    m->contact.law = law;
    ImpactResult result = compute_impact(m->mechanism, m->state, {m->contact});
    if (result.status == ImpactStatus::separating) {
      m->contact.normal_W = -m->contact.normal_W;
      result = compute_impact(m->mechanism, m->state, {m->contact});
    }
    RC_ASSERT(result.ok());
    const ImpactAudit& a = result.audit;
    const double size =
        norm(a.linear_before) + norm(a.angular_before) + a.kinetic_before + norm(result.contacts[0].impulse_W.f);
    RC_ASSERT(norm(a.linear_external) + norm(a.angular_external) < 1e-10 * size);
    RC_ASSERT(a.linear_error < 1e-12 * size);
    RC_ASSERT(a.angular_error < 1e-11 * size);
    RC_ASSERT(a.kinetic_after <= a.kinetic_before * (1 + 1e-9));
    RC_ASSERT(std::abs(a.energy_error) < 1e-9 * a.kinetic_before);
    // Coulomb's cone, a push, and bodies that part.
    const ContactOutcome& out = result.contacts[0];
    const Vec3d n = m->contact.normal_W * (1 / norm(m->contact.normal_W));
    const double p_n = dot(out.impulse_W.f, n), p_t = norm(out.impulse_W.f - n * p_n);
    RC_ASSERT(p_n > 0);
    RC_ASSERT(p_t <= m->contact.friction * p_n * (1 + 1e-9) + 1e-12);
    RC_ASSERT(dot(out.after.v, n) > -1e-9);
  }
}

// Two bodies whose joints let them move against each other in few directions: W is singular, and its round-off is no motion.
TEST(Impact, closes_its_books_where_joints_leave_little_motion) {
  std::optional<Meeting> m = some_meeting({.bodies = 11, .seed = 3673238308});
  ASSERT_TRUE(m);
  for (const double sign : {1.0, -1.0}) {
    ImpactContact contact = m->contact;
    contact.normal_W = contact.normal_W * sign;
    const ImpactResult result = compute_impact(m->mechanism, m->state, {contact});
    if (result.status == ImpactStatus::separating) continue;
    ASSERT_TRUE(result.ok());
    EXPECT_LT(std::abs(result.audit.energy_error), 1e-9 * result.audit.kinetic_before);
    EXPECT_LE(result.audit.kinetic_after, result.audit.kinetic_before * (1 + 1e-9));
  }
}

// Of one contact: where slip turns so that friction presses the bodies together while they part, they are compressed a second time.
FrictionImpactProblem pressed_together_twice() {
  return {.W = {1.16, -0.21, 1.18, -0.21, 1.4, 0.22, 1.18, 0.22, 1.39},
          .u = {-0.9, 1.4, -0.7},
          .friction = 1.8,
          .restitution = 0.8,
          .law = ImpactLaw::poisson};
}
FrictionImpactProblem some_friction_impact(Random& random) {
  FrictionImpactProblem problem;
  if (random.chance(0.3)) {
    problem = pressed_together_twice();
    for (double& component : problem.u) component *= random.uniform(0.95, 1.05);
    return problem;
  }
  const Eigen::Matrix3d root = Eigen::Matrix3d::NullaryExpr([&] { return random.uniform(-1, 1); });
  const Eigen::Matrix3d W = root * root.transpose() + 0.01 * Eigen::Matrix3d::Identity();
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(problem.W.data()) = W;
  const bool planar = random.chance(0.3);  // solved piece by piece
  if (planar) problem.W[1] = problem.W[3] = problem.W[5] = problem.W[7] = 0;
  problem.u = {random.uniform(-3, 3), planar ? 0 : random.uniform(-3, 3), random.uniform(-1, -1e-3)};
  problem.friction = random.uniform(0, 3), problem.restitution = random.unit();
  return problem;
}

RC_GTEST_PROP(FrictionImpact, ends_with_bodies_that_part_and_no_energy_gained, (unsigned seed)) {
  Random random(seed);
  FrictionImpactProblem problem = some_friction_impact(random);
  for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::poisson, ImpactLaw::newton}) {
    problem.law = law;
    const FrictionImpact impact = solve_friction_impact(problem);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> W(problem.W.data());
    const Eigen::Map<const Eigen::Vector3d> u(problem.u.data()), p(impact.p.data()), after(impact.u.data());
    RC_ASSERT(impact.approaches);
    RC_ASSERT((after - u - W * p).norm() < 1e-10 * u.norm());
    RC_ASSERT(after[2] > -1e-11 * u.norm());
    RC_ASSERT(p[2] > 0);
    RC_ASSERT(p.head<2>().norm() <= problem.friction * p[2] * (1 + 1e-9) + 1e-12);
    const double work = 0.5 * p.dot(u + after);  // of the impulse on the bodies
    const double size = u.squaredNorm() / W.trace() + std::abs(work);
    RC_ASSERT(std::abs(work - impact.work_normal - impact.work_tangential) < 1e-10 * size);
    RC_ASSERT(impact.work_tangential <= 1e-12 * size);
    if (law != ImpactLaw::newton) RC_ASSERT(work < 1e-10 * size);
    RC_ASSERT(impact.finished);
    if (law == ImpactLaw::poisson) {
      RC_ASSERT(std::abs(p[2] - (1 + problem.restitution) * impact.p_compression) < 1e-9 * p[2]);
    }
  }
}

// Small steps of the normal impulse, as (1) stands, with the slip's own direction at each.
struct SteppedImpact {
  Eigen::Vector3d u, p = Eigen::Vector3d::Zero();
  double compression = 0, taken = 0, given = 0;  // impulse; work
  int compressions = 0;
};
SteppedImpact step_by_step(const FrictionImpactProblem& problem) {
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> W(problem.W.data());
  SteppedImpact at{.u = Eigen::Vector3d(problem.u.data())};
  const Eigen::Vector2d holds = -W.topLeftCorner<2, 2>().ldlt().solve(W.topRightCorner<2, 1>());
  EXPECT_LT(holds.norm(), problem.friction);  // once it sticks, it stays
  const double e = problem.restitution;
  const auto goes_on = [&] {
    if (at.u[2] < 0) return true;
    return problem.law == ImpactLaw::poisson ? at.p[2] < (1 + e) * at.compression : at.given < e * e * at.taken;
  };
  bool sticks = false, compressed = false;
  while (goes_on()) {
    const double slip = at.u.head<2>().norm();
    sticks = sticks || slip < 1e-9;
    const double step = sticks ? 1e-6 : std::min(1e-6, 1e-3 * slip);
    const auto slope = [&](const Eigen::Vector3d& u) {
      const Eigen::Vector2d t = sticks ? holds : Eigen::Vector2d(-problem.friction * u.head<2>().normalized());
      return Eigen::Vector3d(t[0], t[1], 1);
    };
    const bool compresses = at.u[2] < 0;
    at.compressions += compresses && !compressed;
    compressed = compresses;
    const Eigen::Vector3d dp = step * slope(at.u + 0.5 * step * W * slope(at.u)), before = at.u;
    at.p += dp;
    at.u += W * dp;
    const double work = 0.5 * (before[2] + at.u[2]) * step;
    if (compresses) {
      at.compression += step, at.taken -= work;
    } else {
      at.given += work;
    }
  }
  return at;
}

TEST(FrictionImpact, gives_back_what_each_compression_took) {
  for (const auto& [law, restitution] : {std::pair{ImpactLaw::poisson, 0.8},
                                         {ImpactLaw::stronge, 0.8},
                                         {ImpactLaw::stronge, 0.6},
                                         {ImpactLaw::stronge, 0.4}}) {
    FrictionImpactProblem problem = pressed_together_twice();
    problem.law = law, problem.restitution = restitution;
    const SteppedImpact expected = step_by_step(problem);
    ASSERT_EQ(expected.compressions, 2);
    const FrictionImpact impact = solve_friction_impact(problem);
    EXPECT_TRUE(impact.finished);
    EXPECT_NEAR(impact.p_compression, expected.compression, 5e-6);
    EXPECT_NEAR(impact.work_normal, expected.given - expected.taken, 5e-6);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(impact.p[static_cast<At>(i)], expected.p[i], 2e-5) << i << keyword(law) << restitution;
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(impact.u[static_cast<At>(i)], expected.u[i], 5e-6) << i << keyword(law) << restitution;
  }
}

// A light part of a heavy mechanism: it gives way along one tangent, and along the other hardly. Where that stops changing the answer, so does
// the time it takes.
TEST(FrictionImpact, of_a_light_part_of_a_heavy_body_has_a_limit) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  const Eigen::Matrix3d turn = (Eigen::Matrix3d() << c, -s, 0, s, c, 0, 0, 0, 1).finished();
  for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::poisson}) {
    std::optional<FrictionImpact> limit;
    for (const double ratio : {1e5, 1e7, 1e9, 1e11}) {
      Eigen::Matrix3d W;
      W << 600, 0, 180, 0, 600 / ratio, 0, 180, 0, 400;
      const Eigen::Matrix3d turned = turn * W * turn.transpose();
      FrictionImpactProblem problem{.friction = 0.3, .restitution = 0.5, .law = law};
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(problem.W.data()) = turned;
      const Eigen::Vector3d u = turn * Eigen::Vector3d(0.2, 0.1, -0.1);
      problem.u = {u[0], u[1], u[2]};
      const FrictionImpact impact = solve_friction_impact(problem);
      ASSERT_TRUE(impact.finished) << ratio;
      EXPECT_GT(impact.u[2], 0) << ratio;
      const double work = impact.work_normal + impact.work_tangential;
      EXPECT_LE(work, 0);
      if (limit) {
        for (At i = 0; i < 3; ++i) EXPECT_NEAR(impact.p[i], limit->p[i], 3e-5 * limit->p[2]) << ratio;
      }
      if (!limit) limit = impact;
    }
  }
}

RC_GTEST_PROP(Impact, elastic_and_without_friction_twice_restores, (const ModelCase& drawn)) {
  std::optional<Meeting> m = some_meeting(drawn);
  if (!m) return;
  m->contact.restitution = 1, m->contact.friction = 0;
  for (const ImpactContact::Kind kind : {ImpactContact::Kind::point, ImpactContact::Kind::rigid}) {
    m->contact.kind = kind;
    ImpactResult once = compute_impact(m->mechanism, m->state, {m->contact});
    if (once.status == ImpactStatus::separating) {
      m->contact.normal_W = -m->contact.normal_W;
      once = compute_impact(m->mechanism, m->state, {m->contact});
    }
    RC_ASSERT(once.ok());
    RC_ASSERT(std::abs(once.audit.kinetic_after - once.audit.kinetic_before) < 1e-8 * once.audit.kinetic_before);
    State back = m->state;
    back.v = once.v;
    ImpactContact other = m->contact;
    other.normal_W = -other.normal_W;
    const ImpactResult twice = compute_impact(m->mechanism, back, {other});
    RC_ASSERT(twice.ok());
    RC_ASSERT(test::error_of(twice.v, m->state.v) < 1e-8);
  }
}

// A capture is the mass-weighted projection of velocities onto the joint that holds from then on.
RC_GTEST_PROP(Impact, capture_is_what_the_loop_kernel_projects, (const ModelCase& drawn)) {
  RandomModelOptions options;
  options.floating = 1;
  options.new_tree = 0.3;
  Model model = drawn.model(options);
  Random random(drawn.seed + 12);
  const Mechanism open = compiled(model);
  const Place a = some_place(open, random), b = some_place(open, random);
  if (a.body < 0 || b.body < 0) return;
  if (open.bodies[static_cast<At>(a.body)].link == open.bodies[static_cast<At>(b.body)].link) return;
  const std::vector<AnyJoint> types{Fixed{},     Revolute{}, Prismatic{}, Cylindrical{},
                                    Spherical{}, Planar{},   Universal{}, Helical{.h = 0.3}};
  const AnyJoint type = types[static_cast<At>(random.integer(0, static_cast<int>(types.size()) - 1))];
  const Transformd X_WJ{random.rotation(), random.vector()};
  State state = design_state(open);
  state.v = random.normals(open.nv);
  const ImpactResult result = compute_impact(open, state,
                                             {{.kind = ImpactContact::Kind::capture,
                                               .first = a.body,
                                               .second = b.body,
                                               .p_W = X_WJ.p,
                                               .joint = type,
                                               .R_WJ = X_WJ.R}});
  RC_ASSERT(result.ok());
  Joint& joint = add_joint(model, "grip", type, open.bodies[static_cast<At>(a.body)].name,
                           open.bodies[static_cast<At>(b.body)].name, X_WJ);
  joint.cut = true;
  const Mechanism closed = compiled(model, {"grip"});
  RC_ASSERT(closed.nv == open.nv);
  LoopDynamics loops(closed);
  State after = state;
  const LoopVerdict verdict = loops.project_velocity(after.q, after.v);
  RC_ASSERT(verdict.ok());
  RC_ASSERT(test::error_of(result.v, after.v) < 1e-8);
}

// Mechanisms with loops: mobility is what operational_inertia finds, and an impact against the ground keeps loops closed and
// creates no energy. Velocities at the design position, made to obey the loops.
RC_GTEST_PROP(Impact, of_loops_obeys_them, (const LinkageCase& drawn)) {
  const Mechanism mech = compiled(drawn.model());
  if (mech.nv == 0) return;
  Random random(drawn.seed + 13);
  const Place place = some_place(mech, random);
  if (place.body < 0) return;
  State state = design_state(mech);
  LoopDynamics loops(mech);
  RC_PRE(loops.diagnose(state.q, state.v).conditioning > 1e-3);
  state.v = random.normals(mech.nv);
  RC_ASSERT(loops.project_velocity(state.q, state.v).ok());

  const OperationalInertia expected = loops.operational_inertia(state.q, place.body, place.p_B);
  ImpulseResponse response(mech);
  response.set_position(state.q);
  Matrix6 G;
  RC_ASSERT(response.mobility(place.body, place.p_B, {G.data(), 36}));
  RC_ASSERT(error_of(G, Eigen::MatrixXd(Eigen::Map<const Matrix6>(expected.inverse))) < 1e-8);

  Workspace ws(mech);
  compute_velocities<double>(mech, ws, state.q, state.v);
  const Vec3d v = velocity_W<double>(mech, ws, place.body, place.p_B).v;
  if (norm(v) < 1e-6) return;
  const Vec3d p_W = pose_WB<double>(mech, ws, place.body) * place.p_B;
  const ImpactResult result = compute_impact(mech, state,
                                             {{.first = place.body,
                                               .p_W = p_W,
                                               .normal_W = -v + cross(v, random.vector(0.3)),
                                               .restitution = 0.5,
                                               .friction = random.uniform(0, 0.8)}});
  RC_ASSERT(result.ok());
  const LoopDiagnosis after = loops.diagnose(state.q, result.v);
  double largest = 1;
  for (const double x : result.v) largest = std::max(largest, std::abs(x));
  RC_ASSERT(after.rate_m + after.rate_rad < 1e-8 * largest);
  RC_ASSERT(result.audit.kinetic_after <= result.audit.kinetic_before * (1 + 1e-8));
  RC_ASSERT(std::abs(result.audit.energy_error) < 1e-8 * result.audit.kinetic_before);
}

TEST(Impact, several_feet_land_without_pulling) {
  // A table of four legs falls flat, tilting: the feet that would be pulled come off.
  Model model;
  model.gravity = {};
  add_body(model, "table", 10, {}, {1, 1, 1.8, 0, 0, 0}, Transformd::translation({0, 0, 0.5}));
  add_joint(model, "table", Free{}, "ground", "table", Transformd::translation({0, 0, 0.5}));
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {0.3, 4, 0, 0, 0, -1};
  std::vector<ImpactContact> feet;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5})
      feet.push_back(
          {.first = 0, .p_W = {x, y, 0}, .normal_W = {0, 0, 1}, .restitution = 0.4, .law = ImpactLaw::newton});
  }
  const ImpactResult result = compute_impact(mech, state, feet);
  ASSERT_TRUE(result.ok()) << result.text;
  int pushed = 0;
  for (At i = 0; i < 4; ++i) {
    const ContactOutcome& out = result.contacts[i];
    const double before = out.before.v.z, after = out.after.v.z, p = out.impulse_W.f.z;
    EXPECT_GE(p, 0);
    const double e = before < 0 ? 0.4 : 0;
    EXPECT_GE(after, -e * before - 1e-12);
    EXPECT_NEAR(p * (after + e * before), 0, 1e-12);
    pushed += p > 0 ? 1 : 0;
  }
  EXPECT_GT(pushed, 0);
  EXPECT_LT(pushed, 4);
  EXPECT_LT(std::abs(result.audit.energy_error), 1e-12);
  EXPECT_LE(result.audit.kinetic_after, result.audit.kinetic_before);
}

TEST(Impact, stop_of_a_joint_turns_its_rate_round) {
  Model model = random_model(5, {.bodies = 6, .fixed_joints = 0, .single_freedom_only = true});
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  Random random(5);
  state.v = random.normals(mech.nv);
  for (int j = 0; j < mech.joint_count(); ++j) {
    const JointInfo& joint = mech.joints[static_cast<At>(j)];
    if (joint.role != JointRole::tree || joint.nv != 1) continue;
    const double rate = state.v[static_cast<At>(joint.v)];
    ImpactContact stop{.kind = ImpactContact::Kind::limit, .restitution = 0.3, .limit_joint = j, .is_upper = rate > 0};
    const ImpactResult result = compute_impact(mech, state, {stop});
    ASSERT_TRUE(result.ok()) << result.text;
    EXPECT_NEAR(result.v[static_cast<At>(joint.v)], -0.3 * rate, 1e-10);
    EXPECT_LT(result.contacts[0].along * rate, 0);
    EXPECT_LT(std::abs(result.audit.energy_error), 1e-9);
    EXPECT_LT(result.audit.linear_error + result.audit.angular_error, 1e-9);
    stop.is_upper = !stop.is_upper;
    EXPECT_EQ(compute_impact(mech, state, {stop}).status, ImpactStatus::separating);
  }
}

// Three bodies in one loop of four joints, five freedoms for six conditions: nothing can move, however the joints resist, and G* is nothing,
// not round-off. With one of its ends let go the loop is a chain: of that G* is symmetric.
TEST(MobilityOfLoops, that_hold_a_body_fast_is_none) {
  const std::string text = R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  b1: {mass: 1, com: [0.3, 0.1, 0.2], inertia: [0.1, 0.12, 0.13]}
  b2: {mass: 1, com: [0.8, 0.3, 0.1], inertia: [0.1, 0.12, 0.13]}
  b3: {mass: 2, com: [1.2, 0.3, 0.5], inertia: [0.1, 0.12, 0.13]}
joints:
  a: {revolute: [ground, b1], at: [0, 0, 0], axis: [1, 2, 3]}
  b: {revolute: [b1, b2], at: [0.5, 0.2, 0.1], axis: [3, -1, 1]}
  c: {cylindrical: [b2, b3], at: [1, 0.3, 0.2], axis: [0.3, 1, -1]}
  d: {revolute: [b3, ground], at: [1.5, 0.2, 0.1], axis: [1, 0.2, 0.5]}
)";
  const ReadResult read = read_yaml(text, "test.yaml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  const Mechanism mech = compiled(read.model, {"d"});
  for (const double share : {0.0, 0.3, 0.7, 1.0}) {
    ImpulseResponse response(mech, {.share = share});
    response.set_position(design_state(mech).q);
    Matrix6 G;
    ASSERT_TRUE(response.mobility(1, {0.7, 0.2, 0.33}, {G.data(), 36}));
    EXPECT_EQ(G.norm(), 0) << share;
  }
  ImpulseResponse open(mech, {.share = 0.3});
  open.loops()->set_active(ConstraintRow::Source::joint, mech.find_joint("d"), false);
  open.set_position(design_state(mech).q);
  Matrix6 G;
  ASSERT_TRUE(open.mobility(1, {0.7, 0.2, 0.33}, {G.data(), 36}));
  EXPECT_GT(G.norm(), 0.1);
  EXPECT_EQ((G - G.transpose()).norm(), 0);
}

}  // namespace
}  // namespace trammel::test
