// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Chains whose freedoms follow from the motion of the reference member, which Lilly and Orin's algorithm takes by their mass matrix:
// legs of three freedoms with a ball, on the ground or on the reference member, and arms that carry two rods. Against the dense oracle, beside
// chains of other kinds, with all that sends them back to the general passes; and what they cost.

#include <algorithm>
#include <cstring>

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

// A platform on legs and arms of all these kinds, by the seed.
struct Legs {
  Model model;
  Random random;

  explicit Legs(std::uint64_t seed) : random(seed) {
    model.name = "platform";
    model.gravity = random.vector(5);
    add("platform");
    const bool floats = random.chance(0.5);
    if (floats) add_joint(model, "float", Free{}, ground_body, "platform", random.pose());
    const int count = random.integer(2, 5);
    for (int k = 0; k < count; ++k) {
      const std::string name = std::to_string(k);
      if (random.chance(0.4)) {
        arm(name);
      } else if (floats && random.chance(0.5)) {
        leg("platform", ground_body, name);
      } else {
        leg(ground_body, "platform", name);
      }
    }
    if (random.chance(0.3)) {  // one of another kind, whose ranks may have to be decided with care
      add("link");
      join(Revolute{}, ground_body, "link");
      join(random.chance(0.5) ? AnyJoint(Spherical{}) : AnyJoint(Universal{}), "link", "platform");
    }
  }

 private:
  const std::string ground_body{ground_name};

  void add(const std::string& name) {
    const double mass = random.uniform(0.2, 3);
    add_body(model, name, mass, random.vector(0.3), random.inertia_at_com(mass), random.pose());
  }
  Joint& join(const AnyJoint& type, const std::string& a, const std::string& b) {
    Joint& joint = add_joint(model, "joint " + std::to_string(model.joints.size()), type, a, b,
                             {random.rotation(), random.vector(0.7)});
    const auto n = static_cast<std::size_t>(nv(type));
    if (random.chance(0.2)) joint.properties.viscous.assign(n, random.uniform(0, 0.3));
    if (random.chance(0.1)) joint.properties.armature.assign(n, random.uniform(0.01, 0.5));
    return joint;
  }
  std::string carry(const AnyJoint& type, const std::string& on, const std::string& name) {
    add(name);
    join(type, on, name);
    return name;
  }
  // The tree ends at it, or goes on through it.
  void ball(const std::string& from, const std::string& to) {
    Joint& joint =
        random.chance(0.3) ? join(Spherical{}, to, from) : join(Spherical{}, from, to);  // either body may be the first
    joint.cut = random.chance(0.7);
  }
  void leg(const std::string& on, const std::string& to, const std::string& name) {
    std::string last;
    switch (random.integer(0, 4)) {
      case 0:
        last = carry(Prismatic{}, carry(Universal{}, on, "lower " + name), "upper " + name);
        break;
      case 1:
        last = carry(Universal{}, carry(Revolute{}, on, "crank " + name), "rod " + name);
        break;
      case 2:
        last = carry(Revolute{}, carry(Cylindrical{}, on, "sleeve " + name), "rod " + name);
        break;
      case 3:
        last = carry(Planar{}, on, "plate " + name);
        break;
      default:
        last = carry(Revolute{}, on, "coxa " + name);
        last = carry(random.chance(0.3) ? AnyJoint(Prismatic{}) : AnyJoint(Revolute{}), last, "femur " + name);
        last = carry(Revolute{}, last, "tibia " + name);
    }
    ball(last, to);
  }
  void arm(const std::string& name) {
    const std::string hinge =
        carry(random.chance(0.3) ? AnyJoint(Prismatic{}) : AnyJoint(Revolute{}), ground_body, "arm " + name);
    for (const char* side : {"a", "b"}) {
      const std::string last = random.chance(0.6) ? carry(Universal{}, hinge, "rod " + name + side)
                                                  : carry(Revolute{}, carry(Prismatic{}, hinge, "slide " + name + side),
                                                          "rod " + name + side);
      ball(last, "platform");
    }
  }
};

struct Solved {
  ClosedCase c;
  Star star;
  LillyOrin solver;
  std::vector<double> a;

  explicit Solved(std::uint64_t seed)
      : c(Legs(seed).model, seed), star(find_star(c.mechanism)), solver(c.mechanism, star), a(c.v.size()) {}
};

std::uint64_t any_seed() {
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  const Star star = find_star(test::compiled(Legs(seed).model));
  // With one chain of another kind, all others may be taken for loops inside a chain, which is another matter.
  RC_PRE(star.found() && std::all_of(star.chains.begin(), star.chains.end(),
                                     [](const StarChain& chain) { return chain.blocks.empty(); }));
  return seed;
}

// Close to singular positions digits are lost, by the square of the least singular value and some tens of units in the last place, and
// methods decide differently on ranks. Chains that the general passes take, some are here, lose digits by the square of their own.
double tolerance_of(const StarReport& report, const ClosedCase& c) {
  LoopDynamics dynamics(c.mechanism);
  const double least = dynamics.diagnose(c.q, c.v).conditioning;
  RC_PRE(least > 1e-5);
  return std::max({1e-8, 1e-15 / report.conditioning, 1e-14 / (least * least)});
}

void expect_agreement(const Solved& s, const StarReport& report, const OracleAnswer& oracle) {
  const double bound = tolerance_of(report, s.c);
  RC_ASSERT(error_of(s.a, test::pack_v(s.c.mechanism, oracle.a)) < bound);
  for (int b = 0; b < s.c.mechanism.body_count(); ++b) {
    RC_ASSERT(error_of(s.solver.acceleration_W(b), oracle.bodies[static_cast<std::size_t>(b)].A_W) < bound);
  }
  if (report.conditioning > 1e-7) RC_ASSERT(report.forces_unique == (oracle.rank == oracle.constraint_rows));
  if (!report.forces_unique) return;
  for (std::size_t k = 0; k < s.star.chains.size(); ++k) {
    for (int tip = 0; tip < s.star.chains[k].tip_count(); ++tip) {
      const Force<double> F = s.solver.tip_force_W(static_cast<int>(k), tip);
      const auto joint = static_cast<std::size_t>(s.star.chains[k].tip_joint(tip));
      const int second = s.c.mechanism.joints[joint].second;
      const bool on_reference =
          second != ground && s.c.mechanism.bodies[static_cast<std::size_t>(second)].link == s.star.reference;
      RC_ASSERT(error_of(F, on_reference ? oracle.reaction[joint] : -oracle.reaction[joint]) < 10 * bound);
    }
  }
}

RC_GTEST_PROP(DeterminedChains, agree_with_the_oracle, ()) {
  Solved s(any_seed());
  const StarReport report = s.solver.forward_dynamics(s.c.q, s.c.v, s.c.tau, s.a);
  RC_ASSERT(report.ok());
  RC_ASSERT(report.residual < 1e-9);
  expect_agreement(s, report, oracle_dynamics(s.c.model, s.c.states));
}

// Legs that happen to stand near a singular posture of their own, which is none of the mechanism: along one direction a leg's share is 10⁷
// times as large as all others, and without a second turn (refined_reference.hpp) six digits are lost.
TEST(DeterminedChains, near_a_singular_posture_of_one_leg_keep_their_digits) {
  for (const std::uint64_t seed : {97201, 2251, 5784}) {
    Solved s(seed);
    ASSERT_TRUE(s.solver.forward_dynamics(s.c.q, s.c.v, s.c.tau, s.a).ok()) << seed;
    const OracleAnswer oracle = oracle_dynamics(s.c.model, s.c.states);
    EXPECT_LT(error_of(s.a, test::pack_v(s.c.mechanism, oracle.a)), 2e-11) << seed;
  }
}

RC_GTEST_PROP(DeterminedChains, agree_with_the_oracle_under_loads, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed);
  test::Prepared p(s.c.model, s.c.states);
  test::LoadCase load = p.load_case(seed, {.wrenches = true, .additions = seed % 3 == 0});
  for (std::size_t j = 0; j < load.oracle.dof_inertia.size(); ++j) {  // closures have no freedoms to add to
    if (s.c.mechanism.joints[j].role == JointRole::closure) {
      load.oracle.dof_inertia[j].assign(s.c.states.v[j].size(), 0);
    }
  }
  const StarReport report = s.solver.forward_dynamics(s.c.q, s.c.v, s.c.tau, s.a, load.loads());
  RC_PRE(!report.crowded);  // rotors added at a ball of the tree are rows too, and arms have six already
  RC_ASSERT(report.ok());
  expect_agreement(s, report, oracle_dynamics(s.c.model, s.c.states, load.oracle));
}

// Asked after the accelerations have been found: what is kept must still say what the chains are.
RC_GTEST_PROP(DeterminedChains, effective_inertia_answers_a_wrench, ()) {
  const std::uint64_t seed = any_seed();
  Solved s(seed);
  s.solver.forward_dynamics(s.c.q, s.c.v, s.c.tau, s.a);
  const Motion<double> before = s.solver.reference_acceleration_W();
  std::array<double, 36> inverse;
  s.solver.inverse_effective_inertia_W(inverse);
  Workspace ws(s.c.mechanism);
  compute_positions(s.c.mechanism, ws, s.c.q);
  std::vector<Force<double>> wrench(s.c.model.bodies.size());
  const Force<double> F = Random(seed).force();
  add_wrench(s.c.mechanism, ws, s.solver.reference_body(), Vec3d{}, F, wrench);
  const StarReport report = s.solver.forward_dynamics(s.c.q, s.c.v, s.c.tau, s.a, Loads{.wrench = wrench.data()});
  const Motion<double> after = s.solver.reference_acceleration_W();
  const Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> map(inverse.data());
  const double bound = tolerance_of(report, s.c);
  // Where the platform cannot move, both are but round-off of what it would do without its legs.
  const double size = std::max(test::dense(after - before).norm(), 1e-3 * test::dense(F).norm());
  RC_ASSERT((map * test::dense(F) - test::dense(after - before)).norm() < bound * size);
}

RC_GTEST_PROP(DeterminedChains, give_the_same_bits_on_any_number_of_threads, ()) {
  Solved s(any_seed());
  s.solver.set_threads(1);
  s.solver.forward_dynamics(s.c.q, s.c.v, s.c.tau, s.a);
  for (const int threads : {2, 3}) {
    LillyOrin other(s.c.mechanism, s.star);
    other.set_threads(threads);
    std::vector<double> a(s.a.size());
    other.forward_dynamics(s.c.q, s.c.v, s.c.tau, a);
    RC_ASSERT(std::memcmp(a.data(), s.a.data(), a.size() * sizeof(double)) == 0);
  }
}

// --- what they cost ------------------------------------------------------------------------------------------------------

StarOperations count(const std::string& name) {
  ReadResult read = read_model(test::source_dir() + "/models/" + name + ".yaml");
  for (Joint& joint : read.model.joints) joint.properties = {};
  const Mechanism mechanism = test::compiled(read.model);
  BasicLillyOrin<Counted> counted(mechanism, find_star(mechanism));
  LillyOrin plain(mechanism, find_star(mechanism));
  const std::vector<double> q = design_state(mechanism).q;
  const std::vector<double> v =
      test::allowed_velocity(mechanism, q, std::vector<double>(static_cast<std::size_t>(mechanism.nv), 0.2));
  std::vector<double> a(v.size());
  const auto convert = [](const std::vector<double>& x) { return std::vector<Counted>(x.begin(), x.end()); };
  std::vector<Counted> out(v.size());
  EXPECT_TRUE(plain.forward_dynamics(q, v, v, a).ok());
  EXPECT_TRUE(counted.forward_dynamics(convert(q), convert(v), convert(v), out).ok());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(out[k].value, a[k], 1e-10 * (1 + std::abs(a[k])));
  return counted.operations();
}

// No force is propagated along them.
TEST(DeterminedChains, of_stewart_platform_hexapod_and_delta_are_taken_as_such) {
  for (const std::string name : {"stewart", "hexapod", "delta"}) {
    const StarOperations cost = count(name);
    EXPECT_EQ(cost.steps[static_cast<std::size_t>(LillyOrinStep::propagation)].sum(), 0) << name;
  }
}

// Three hinges in a plane with the foot: the knee stretched, Z is singular; short of it the general passes take over. No jump there.
TEST(DeterminedChains, answers_do_not_jump_where_the_general_passes_take_over) {
  for (double bend = 0.3; bend > 1e-4; bend *= 0.7) {
    Model model;
    model.gravity = {0.3, -0.2, -9.81};
    add_body(model, "body", 3, {0.01, 0.02, 0}, {0.03, 0.04, 0.05, 0.001, 0, 0});
    add_joint(model, "float", Free{}, "ground", "body", {});
    for (int k = 0; k < 3; ++k) {
      const std::string name = std::to_string(k);
      const double angle = 2.1 * k, knee = k == 0 ? bend : 0.8;
      const Vec3d out{std::cos(angle), std::sin(angle), 0}, side{-out.y, out.x, 0}, down{0, 0, -1};
      const Vec3d hip = out * 0.2, middle = hip + out * 0.2,
                  joint = middle + (out * std::sin(knee) - down * -std::cos(knee)) * 0.3;
      const Vec3d foot = joint + down * 0.3;
      const auto along = [](const Vec3d& p, const Vec3d& z) {
        const Vec3d x = std::abs(z.z) > 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
        return Transformd{{x, cross(z, x), z}, p};
      };
      add_body(model, "coxa " + name, 0.3, {}, {0.002, 0.002, 0.001, 0, 0, 0}, Transformd::translation(hip));
      add_body(model, "femur " + name, 0.4, {}, {0.003, 0.004, 0.002, 0, 0, 0}, Transformd::translation(middle));
      add_body(model, "tibia " + name, 0.2, {}, {0.002, 0.002, 0.001, 0, 0, 0}, Transformd::translation(joint));
      add_joint(model, "swing " + name, Revolute{}, "body", "coxa " + name, along(hip, {0, 0, 1}));
      add_joint(model, "lift " + name, Revolute{}, "coxa " + name, "femur " + name, along(middle, side));
      add_joint(model, "bend " + name, Revolute{}, "femur " + name, "tibia " + name, along(joint, side));
      add_joint(model, "foot " + name, Spherical{}, "ground", "tibia " + name, Transformd::translation(foot)).cut =
          true;
    }
    const ClosedCase c(model, 1, 0);
    const std::vector<double> q = design_state(c.mechanism).q, v(c.v.size());
    std::vector<double> a(v.size());
    LillyOrin solver(c.mechanism, find_star(c.mechanism));
    ASSERT_TRUE(solver.forward_dynamics(q, v, c.tau, a).ok());
    const OracleAnswer oracle = oracle_dynamics(model, test::all_joint_states(model, c.mechanism, q, v, c.tau));
    EXPECT_LT(error_of(a, test::pack_v(c.mechanism, oracle.a)), 1e-8) << bend;
  }
}

}  // namespace
}  // namespace trammel
