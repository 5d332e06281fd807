// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Closed forms over random linkages of every kind that has one: all positions close, a search finds no other, and velocities and
// accelerations are those of Newton's rows.

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/analysis.hpp>
#include <trammel/closed_form.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/modes.hpp>

#include "analysis/branch.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel {
namespace {

using test::compiled;
using test::Random;

Vec3d point(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

AnyJoint pair_of(char letter) {
  switch (letter) {
    case 'R':
      return Revolute{};
    case 'P':
      return Prismatic{};
    case 'C':
      return Cylindrical{};
    case 'S':
      return Spherical{};
    case 'E':
      return Planar{};
    default:
      return Universal{};
  }
}

Model with_bodies(int count) {
  Model model;
  for (int k = 0; k < count; ++k) add_body(model, "link" + std::to_string(k), 1, {}, {1, 1, 1, 0, 0, 0});
  return model;
}
std::string link(int k, int count) { return k < 0 || k >= count ? "ground" : "link" + std::to_string(k); }

// A crank on the ground, and a chain of pairs from it back to the ground, wherever they happen to be. Some are named from the far side.
// `square`: every axis is square to the one before.
Model spatial_loop(const std::string& pairs, std::uint64_t seed, bool square = false) {
  Random random(seed);
  Vec3d axis_before = point(random);
  const int count = static_cast<int>(pairs.size());
  Model model = with_bodies(count);
  add_joint(model, "crank", Revolute{}, "ground", "link0", frame_at(point(random), point(random)));
  for (int k = 0; k < count; ++k) {
    std::string first = link(k, count), second = link(k + 1, count);
    if (random.uniform(0, 1) < 0.5) std::swap(first, second);
    const Vec3d place = point(random), any = point(random), axis = square ? cross(axis_before, any) : any;
    add_joint(model, "pair" + std::to_string(k), pair_of(pairs[static_cast<std::size_t>(k)]), first, second,
              frame_at(place, axis));
    axis_before = axis;
  }
  return model;
}

// The same in a plane that lies anyhow.
Model planar_loop(const std::string& pairs, std::uint64_t seed) {
  Random random(seed);
  const int count = static_cast<int>(pairs.size());
  Model model = with_bodies(count);
  const Mat3d R = frame_at({}, point(random)).R;
  const Vec3d origin = point(random);
  const auto in_plane = [&] { return R.ex * random.uniform(-1, 1) + R.ey * random.uniform(-1, 1); };
  const auto anywhere = [&] { return origin + in_plane() + R.ez * random.uniform(-1, 1); };
  add_joint(model, "crank", Revolute{}, "ground", "link0", frame_at(anywhere(), R.ez));
  for (int k = 0; k < count; ++k) {
    std::string first = link(k, count), second = link(k + 1, count);
    if (random.uniform(0, 1) < 0.5) std::swap(first, second);
    const bool slides = pairs[static_cast<std::size_t>(k)] == 'P';
    const Vec3d axis = slides ? in_plane() : R.ez * (random.uniform(0, 1) < 0.5 ? 1.0 : -1.0);
    add_joint(model, "pair" + std::to_string(k), slides ? AnyJoint(Prismatic{}) : AnyJoint(Revolute{}), first, second,
              frame_at(anywhere(), axis));
  }
  return model;
}

double gap(LoopSolver& solver, const std::vector<double>& q, const std::vector<Target>& targets) {
  std::vector<double> phi(static_cast<std::size_t>(solver.row_count()));
  solver.residuals(q, targets, phi);
  double largest = 0;
  for (const double x : phi) largest = std::max(largest, std::abs(x));
  return largest;
}

// Places of all joints, on both sides; but not on links on a planar pair, which may turn idly.
std::vector<Vec3d> places(const Mechanism& mech, Workspace& ws, const std::vector<double>& q) {
  compute_positions(mech, ws, q);
  std::vector<Vec3d> list;
  for (const JointInfo& joint : mech.joints) {
    if (std::holds_alternative<Planar>(joint.type)) continue;
    if (joint.first != ground) list.push_back(pose_WB(mech, ws, joint.first) * joint.X_AF.p);
    if (joint.second != ground) list.push_back(pose_WB(mech, ws, joint.second) * joint.X_BM.p);
  }
  return list;
}

// What must hold of any linkage with a closed form. Returns how many positions it has at inputs a little beside the drawing.
std::size_t check_laws(const Model& model, double aside) {
  const Mechanism mech = compiled(model);
  const std::vector<Driver> drivers{{.joint = mech.find_joint("crank")}};
  ClosedForm form(mech, drivers);
  EXPECT_TRUE(form.exists()) << form.obstacle();
  if (!form.exists()) return 0;
  LoopSolver solver(mech, drivers);
  Workspace ws(mech);
  const std::vector<Target> targets{{aside, 0.7, -0.4, 0}};
  const std::vector<double> inputs{aside};

  // All close, and none is missed.
  const std::vector<std::vector<double>> all = form.positions(inputs);
  for (const std::vector<double>& q : all) EXPECT_LT(gap(solver, q, targets), 1e-9);
  const Modes searched = find_modes(mech, drivers, inputs, {.search = true, .starts = 150, .patience = 150});
  for (const AssemblyMode& mode : searched.list) {
    if (mode.singular) continue;
    const std::vector<Vec3d> there = places(mech, ws, mode.q);
    double nearest = 1e9;
    for (const std::vector<double>& q : all) {
      const std::vector<Vec3d> here = places(mech, ws, q);
      double apart = 0;
      for (std::size_t k = 0; k < here.size(); ++k) apart = std::max(apart, norm(here[k] - there[k]));
      nearest = std::min(nearest, apart);
    }
    EXPECT_LT(nearest, 1e-5) << "a position that the closed form does not know";
  }

  // Motion on every branch.
  const auto nv = static_cast<std::size_t>(mech.nv);
  std::vector<double> v(nv), a(nv), v_rows(nv), a_rows(nv);
  for (const std::vector<double>& q : all) {
    if (solver.conditioning(q) < 1e-3) continue;
    const auto branch = form.branch_of(q, inputs);
    EXPECT_TRUE(branch.has_value());
    if (!branch) continue;
    std::vector<double> moving = q;
    EXPECT_TRUE(form.motion(*branch, targets, moving, v, a));
    EXPECT_LT(gap(solver, moving, targets), 1e-9);
    solver.velocities(moving, targets, v_rows);
    solver.accelerations(moving, v_rows, targets, a_rows);
    double size = 1;
    for (std::size_t k = 0; k < nv; ++k) size = std::max({size, std::abs(v_rows[k]), std::abs(a_rows[k])});
    for (std::size_t k = 0; k < nv; ++k) {
      EXPECT_NEAR(v[k], v_rows[k], 1e-8 * size);
      EXPECT_NEAR(a[k], a_rows[k], 1e-8 * size);
    }
  }
  return all.size();
}

class PlanarDyad : public testing::TestWithParam<const char*> {};
TEST_P(PlanarDyad, has_all_positions_and_their_motion) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    most = std::max(most, check_laws(planar_loop(GetParam(), seed), 0.05));
    if (HasFailure()) return;
  }
  const std::string pairs = GetParam();
  const bool linear = pairs == "PRP" || pairs == "PPR" || pairs == "RPP";
  EXPECT_EQ(most, linear ? 1u : 2u);
}
INSTANTIATE_TEST_SUITE_P(ClosedForms, PlanarDyad, testing::Values("RRR", "RRP", "PRR", "RPR", "PRP", "PPR", "RPP"));

// A middle link on three others: each has a hinge to it, and slides (P) or turns (R) on the ground or on the crank.
// `angle`: between the last two slides.
Model planar_triad(const std::string& feet, std::uint64_t seed, std::optional<double> angle = {}) {
  Random random(seed);
  Model model = with_bodies(5);
  const Mat3d R = frame_at({}, point(random)).R;
  const Vec3d origin = point(random);
  const auto in_plane = [&] { return R.ex * random.uniform(-1, 1) + R.ey * random.uniform(-1, 1); };
  const auto anywhere = [&] { return origin + in_plane() + R.ez * random.uniform(-1, 1); };
  add_joint(model, "crank", Revolute{}, "ground", "link0", frame_at(anywhere(), R.ez));
  Vec3d along;
  for (int k = 0; k < 3; ++k) {
    const std::string leg = "link" + std::to_string(k + 1), foot = "foot" + std::to_string(k);
    const Vec3d hinge = anywhere(), there = anywhere();
    const bool slides = feet[static_cast<std::size_t>(k)] == 'P';
    along = angle && k == 2 ? along * std::cos(*angle) + cross(R.ez, along) * std::sin(*angle) : in_plane();
    std::string first = k == 0 ? "link0" : "ground", second = leg;
    if (random.uniform(0, 1) < 0.5) std::swap(first, second);
    add_joint(model, foot, slides ? AnyJoint(Prismatic{}) : AnyJoint(Revolute{}), first, second,
              frame_at(there, slides ? along : R.ez));
    add_joint(model, "hinge" + std::to_string(k), Revolute{}, leg, "link4", frame_at(hinge, R.ez));
  }
  return model;
}

class PlanarTriad : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};
TEST_P(PlanarTriad, has_all_positions_and_their_motion) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    most = std::max(most, check_laws(planar_triad(GetParam().first, seed), 0.05));
    if (HasFailure()) return;
  }
  EXPECT_EQ(most, GetParam().second);
}
INSTANTIATE_TEST_SUITE_P(ClosedForms, PlanarTriad,
                         testing::Values(std::pair("PPP", 2u), std::pair("PPR", 4u), std::pair("RPP", 4u),
                                         std::pair("PRP", 4u)),
                         [](const auto& with) { return std::string(with.param.first); });

// Parallel slides, and nearly parallel ones: what divides by the angle between them is not the linkage's own condition.
TEST(PlanarTriads, with_slides_that_are_parallel_or_nearly) {
  for (const auto& [feet, modes] : {std::pair("RPP", 4u), std::pair("PPP", 2u)}) {
    for (const double angle : {0.0, 1e-9, -1e-7, 3e-6, 2e-5, -1e-4, 1e-3, std::numbers::pi, std::numbers::pi - 1e-6}) {
      std::size_t most = 0;
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(fmt::format("{} {} {}", feet, angle, seed));
        most = std::max(most, check_laws(planar_triad(feet, seed, angle), 0.05));
        if (HasFailure()) return;
      }
      EXPECT_EQ(most, modes) << feet << " " << angle;
    }
  }
}

class SpatialLoop : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};
TEST_P(SpatialLoop, has_all_positions_and_their_motion) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    most = std::max(most, check_laws(spatial_loop(GetParam().first, seed), 0.05));
    if (HasFailure()) return;
  }
  EXPECT_LE(most, GetParam().second);  // as many as the degree allows
  EXPECT_GE(most, std::min<std::size_t>(2, GetParam().second));
}
INSTANTIATE_TEST_SUITE_P(
    ClosedForms, SpatialLoop,
    testing::Values(
        std::pair("SSR", 2u), std::pair("RSS", 2u), std::pair("SSP", 2u), std::pair("PSS", 2u), std::pair("SUR", 4u),
        std::pair("USR", 4u), std::pair("RUS", 4u), std::pair("USP", 4u), std::pair("CSR", 4u), std::pair("RSC", 4u),
        std::pair("CSP", 2u), std::pair("ESR", 2u), std::pair("RSE", 2u), std::pair("ESP", 1u), std::pair("SCR", 4u),
        std::pair("RCS", 4u), std::pair("SCP", 2u), std::pair("PCS", 2u), std::pair("SER", 2u), std::pair("RES", 2u),
        std::pair("SEP", 1u), std::pair("EUR", 4u), std::pair("UER", 4u), std::pair("UPS", 4u), std::pair("SPU", 4u),
        std::pair("SPRP", 2u), std::pair("RPSR", 4u), std::pair("PRSR", 4u), std::pair("RSPR", 4u),
        std::pair("PPSR", 2u), std::pair("PPSP", 1u), std::pair("SPPR", 2u), std::pair("EUP", 2u), std::pair("CCC", 2u),
        // arms
        std::pair("SRC", 4u), std::pair("CRS", 4u), std::pair("SPC", 2u), std::pair("CPS", 2u), std::pair("URS", 4u),
        std::pair("SRU", 4u), std::pair("RRRS", 4u), std::pair("SRRR", 4u), std::pair("RRPS", 4u),
        std::pair("SPRR", 4u), std::pair("RPRS", 4u), std::pair("RPPS", 2u), std::pair("PPPS", 1u),
        std::pair("SPPP", 1u), std::pair("SUP", 4u), std::pair("ERC", 2u), std::pair("CER", 2u), std::pair("REC", 2u),
        std::pair("RPRPRP", 2u), std::pair("PPRCR", 2u), std::pair("EPRR", 2u)),
    [](const auto& with) { return std::string(with.param.first); });

// A slide square to the axis on which it turns, or turning square to the slide that carries it: what they sweep is flat.
class FlatSweep : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};
TEST_P(FlatSweep, has_all_positions_and_their_motion) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    most = std::max(most, check_laws(spatial_loop(GetParam().first, seed, true), 0.05));
    if (HasFailure()) return;
  }
  EXPECT_EQ(most, GetParam().second);
}
INSTANTIATE_TEST_SUITE_P(ClosedForms, FlatSweep,
                         testing::Values(std::pair("RPSR", 4u), std::pair("PRSR", 4u), std::pair("RPSP", 2u),
                                         std::pair("PPSR", 2u)),
                         [](const auto& with) { return std::string(with.param.first); });

// The same linkage drawn in metres and in millimetres: as many positions are looked at, and the same dead points found.
TEST(ClosedForm, takes_the_same_steps_in_any_unit_of_length) {
  for (const char* pairs : {"SRC", "RSC", "CCC", "RRP"}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", pairs, seed));
      const bool planar = std::string_view(pairs) == "RRP";
      std::array<std::vector<double>, 2> dead;
      std::array<int, 2> tried{};
      for (const bool large : {false, true}) {
        Model model = planar ? planar_loop(pairs, seed) : spatial_loop(pairs, seed);
        for (Joint& joint : model.joints) {
          joint.X_AF.p = joint.X_AF.p * (large ? 1000.0 : 1.0);
          joint.X_BM.p = joint.X_BM.p * (large ? 1000.0 : 1.0);
        }
        const Mechanism mech = compiled(model);
        LoopSolver solver(mech, {{.joint = mech.find_joint("crank")}});
        std::vector<double> q = design_state(mech).q;
        BranchFollower branch(solver);
        branch.start(q, std::vector<double>{0.0});
        const BranchFollower::Outcome outcome = branch.go_to(std::vector<double>{6.2});
        tried[large ? 1 : 0] = branch.steps_tried();
        if (outcome.end) dead[large ? 1 : 0] = outcome.end->inputs;
      }
      EXPECT_NEAR(tried[0], tried[1], 2 + tried[0] / 10);
      ASSERT_EQ(dead[0].size(), dead[1].size());
      for (std::size_t k = 0; k < dead[0].size(); ++k) EXPECT_NEAR(dead[0][k], dead[1][k], 1e-9);
    }
  }
}

// An input by time turns the crank to and fro through its dead points, many times between two values: each time they are met where the
// crank is at their angle, whatever follows the branch.
TEST(ClosedForm, meets_the_same_dead_points_by_time_as_by_angle) {
  const std::vector<std::string> names{"t"};
  const auto expression = std::get<Expression>(Expression::parse("1.9*sin(9*t+0.2)", names));
  int met = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const char* pairs : {"SSR", "CCC", "RES", "RSE"}) {  // with two branches: there is no other to find
      const Mechanism mech = compiled(spatial_loop(pairs, seed));
      SweepInput by_angle{.driver = {.joint = mech.find_joint("crank")}, .from = 0, .to = 1.95, .step = 0.05};
      std::vector<double> angles;
      for (const double to : {1.95, -1.95}) {
        by_angle.to = to, by_angle.step = to / 40;
        for (const DeadPoint& dead : analyze(mech, {.inputs = {by_angle}}).dead_points) angles.push_back(dead.value);
      }
      SweepInput by_time = by_angle;
      by_time.motion = TimeFunction{expression};
      by_time.to = 2, by_time.step = 0.5;
      for (const bool newton : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", pairs, seed, newton));
        for (const ImaginaryRange& range : analyze(mech, {.inputs = {by_time}, .newton = newton}).imaginary) {
          for (const auto& [t, exact] :
               {std::pair(range.t_from, range.from_is_exact), std::pair(range.t_to, range.to_is_exact)}) {
            if (!exact) continue;
            const double angle = 1.9 * std::sin(9 * t + 0.2);
            double nearest = 1e9;
            for (const double known : angles) nearest = std::min(nearest, std::abs(angle - known));
            EXPECT_LT(nearest, 1e-6) << "at t = " << t;
            ++met;
          }
        }
      }
    }
  }
  EXPECT_GT(met, 200);
}

// Hooke's joint: the shafts meet in the cross.
// Through dead points and the stretches behind them: what follows the branch does not decide which one is found again.
TEST(ClosedForm, sweeps_along_the_branches_of_newtons_method) {
  int with_stretches = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const char* pairs :
         {"RRR", "RRP", "RPR", "SCR", "CCC", "SUR", "RSC", "UER", "SSR", "RSE", "RES", "SRC", "SRRR", "URS", "ERC"}) {
      SCOPED_TRACE(fmt::format("{} {}", pairs, seed));
      const std::string_view kind(pairs);
      const bool planar = kind.find_first_not_of("RP") == std::string_view::npos;
      const Mechanism mech = compiled(planar ? planar_loop(pairs, seed) : spatial_loop(pairs, seed));
      SweepInput turn{.driver = {.joint = mech.find_joint("crank")}, .from = 0, .to = 6.2, .step = 0.2};
      const Analysis one = analyze(mech, {.inputs = {turn}}), other = analyze(mech, {.inputs = {turn}, .newton = true});
      ASSERT_TRUE(one.closed_form && !other.closed_form);
      ASSERT_EQ(one.steps.size(), other.steps.size());
      ASSERT_EQ(one.imaginary.size(), other.imaginary.size());
      with_stretches += one.imaginary.empty() ? 0 : 1;
      for (std::size_t k = 0; k < one.steps.size(); ++k) {
        const AnalysisStep &a = one.steps[k], &b = other.steps[k];
        ASSERT_EQ(a.status, b.status) << "at " << turn.from + static_cast<double>(k) * turn.step;
        if (a.status == StepStatus::imaginary) continue;
        for (std::size_t j = 0; j < mech.joints.size(); ++j) {  // those of idle links depend on the way
          if (std::holds_alternative<Spherical>(mech.joints[j].type) ||
              std::holds_alternative<Planar>(mech.joints[j].type))
            continue;
          for (std::size_t i = 0; i < a.joints[j].q.size(); ++i) {
            const double here = a.joints[j].q[i], there = b.joints[j].q[i];
            ASSERT_NEAR(here, there, 1e-8 * (1 + std::abs(here))) << mech.joints[j].name;
          }
        }
      }
    }
  }
  EXPECT_GT(with_stretches, 30);
}

// A sweep may begin anywhere: the way from the drawing may end before, on one side or on both, and yet there is a position there.
TEST(Sweep, finds_a_position_wherever_it_begins) {
  int behind_ends = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const char* pairs : {"RRR", "RRP", "SSR", "CCC"}) {
      SCOPED_TRACE(fmt::format("{} {}", pairs, seed));
      const bool planar = std::string_view(pairs).find_first_not_of("RP") == std::string_view::npos;
      const Mechanism mech = compiled(planar ? planar_loop(pairs, seed) : spatial_loop(pairs, seed));
      const std::vector<Driver> drivers{{.joint = mech.find_joint("crank")}};
      ClosedForm form(mech, drivers);
      ASSERT_TRUE(form.exists());
      for (const double value : {-5.0, -3.4, -2.0, -1.0, 0.7, 1.9, 2.9, 3.3, 4.0, 5.9}) {
        const std::vector<double> inputs{value};
        const std::size_t modes = form.positions(inputs).size();
        for (const bool newton : {false, true}) {
          const SweepInput here{.driver = drivers[0], .from = value, .to = value, .step = 0};
          const Analysis analysis = analyze(mech, {.inputs = {here}, .newton = newton});
          ASSERT_EQ(analysis.steps.size(), 1u);
          EXPECT_EQ(analysis.steps[0].status != StepStatus::imaginary, modes > 0) << value;
        }
        const SweepInput way{.driver = drivers[0], .from = 0, .to = value, .step = value / 40};
        if (modes > 0 && !analyze(mech, {.inputs = {way}}).imaginary.empty()) ++behind_ends;
      }
    }
  }
  EXPECT_GT(behind_ends, 30);
}

// The axes of an RCCC make a spherical four-bar. Where the angle between the moved first axis and the fixed last one is the sum or the
// difference of those on the coupler and the follower, it ends, and the slides, which the axes in a plane no longer determine, have
// run to infinity.
TEST(Sweep, ends_where_the_slides_of_an_rccc_run_to_infinity) {
  int ends = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Mechanism mech = compiled(spatial_loop("CCC", seed));
    Workspace ws(mech);
    compute_positions(mech, ws, design_state(mech).q);
    const auto axis = [&](const char* joint) {
      const JointInfo& info = mech.joints[mech.find_joint(joint)];
      return info.first == ground ? info.X_AF.R.ez : pose_WB(mech, ws, info.first).R * info.X_AF.R.ez;
    };
    const Vec3d a0 = axis("crank"), a1 = axis("pair0"), a2 = axis("pair1"), a3 = axis("pair2");
    const double coupler = std::acos(dot(a1, a2)), follower = std::acos(dot(a2, a3));
    // cos of that angle over the input: a circle about a0.
    const Vec3d along = a0 * dot(a0, a1), x = a1 - along, y = cross(a0, x);
    std::vector<double> expected;
    for (const double limit : {std::cos(coupler + follower), std::cos(coupler - follower)}) {
      const double size = std::hypot(dot(x, a3), dot(y, a3)), c = (limit - dot(along, a3)) / size;
      if (std::abs(c) > 1) continue;
      const double middle = std::atan2(dot(y, a3), dot(x, a3));
      for (const double side : {-1.0, 1.0}) {
        double angle = std::remainder(middle + side * std::acos(c), 2 * std::numbers::pi);
        if (angle < 0) angle += 2 * std::numbers::pi;
        if (angle < 6.2) expected.push_back(angle);
      }
    }
    std::sort(expected.begin(), expected.end());
    for (const bool newton : {false, true}) {
      const SweepInput turn{.driver = {.joint = mech.find_joint("crank")}, .from = 0, .to = 6.2, .step = 0.1};
      const Analysis analysis = analyze(mech, {.inputs = {turn}, .newton = newton});
      ASSERT_EQ(analysis.dead_points.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_TRUE(analysis.dead_points[k].at_infinity && analysis.dead_points[k].is_limit);
        EXPECT_NEAR(analysis.dead_points[k].value, expected[k], 1e-9);
        ++ends;
      }
    }
  }
  EXPECT_GT(ends, 20);
}

TEST(ClosedForm, places_hookes_joint) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Model model = with_bodies(2);
    const Vec3d centre = point(random), in = point(random), out = point(random), across = cross(in, out);
    add_joint(model, "crank", Revolute{}, "ground", "link0", frame_at(centre - in, in));
    // x of the cross on the input shaft, y on the output shaft, both square to their shafts.
    const Vec3d x = across * (1 / norm(across));
    const Vec3d y = cross(x, out) * (-1 / norm(cross(x, out)));
    const Transformd cross_frame{{x, y, cross(x, y)}, centre};
    add_joint(model, "cross", Universal{}, "link0", "link1", cross_frame);
    add_joint(model, "shaft", Revolute{}, "link1", "ground", frame_at(centre + out, out));
    EXPECT_GE(check_laws(model, 0.3), 1u);
    // tan(output) = cos(β) tan(input) or its inverse, whichever way it is counted: the speed ratio stays within [cos β, 1/cos β].
    const Mechanism mech = compiled(model);
    ClosedForm form(mech, {{.joint = 0}});
    const double beta = std::acos(std::abs(dot(in, out)) / (norm(in) * norm(out)));
    std::vector<double> q = design_state(mech).q, v(q.size()), a(q.size());
    const auto branch = form.branch_of(q, std::vector<double>{0});
    ASSERT_TRUE(branch);
    const int shaft = mech.joints[2].q;
    double least = 1e9, most = 0;
    for (int k = 0; shaft >= 0 && k <= 360; ++k) {
      const std::vector<Target> target{{k * std::numbers::pi / 180, 1, 0, 0}};
      ASSERT_TRUE(form.motion(*branch, target, q, v, a));
      least = std::min(least, std::abs(v[static_cast<std::size_t>(shaft)]));
      most = std::max(most, std::abs(v[static_cast<std::size_t>(shaft)]));
    }
    if (shaft < 0) continue;
    EXPECT_NEAR(least, std::cos(beta), 1e-3);
    EXPECT_NEAR(most, 1 / std::cos(beta), 1e-3 / std::cos(beta));
  }
}

// An upright on two balls, turned by a tie rod: the loop of the arms first, then the spin.
TEST(ClosedForm, places_a_suspension_with_a_tie_rod) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Model model = with_bodies(4);  // lower arm, upright, upper arm, tie rod
    add_joint(model, "crank", Revolute{}, "ground", "link0", frame_at(point(random), point(random)));
    add_joint(model, "lower ball", Spherical{}, "link0", "link1", frame_at(point(random), {0, 0, 1}));
    add_joint(model, "upper ball", Spherical{}, "link1", "link2", frame_at(point(random), {0, 0, 1}));
    add_joint(model, "upper pivot", Revolute{}, "link2", "ground", frame_at(point(random), point(random)));
    add_joint(model, "outer", Spherical{}, "link1", "link3", frame_at(point(random), {0, 0, 1}));
    add_joint(model, "inner", Spherical{}, "link3", "ground", frame_at(point(random), {0, 0, 1}));
    most = std::max(most, check_laws(model, 0.02));
    if (HasFailure()) return;
  }
  EXPECT_EQ(most, 4u);
}

// A rod without a body of its own.
TEST(ClosedForm, knows_rods) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    for (const bool planar : {false, true}) {
      Model model = with_bodies(2);
      const Vec3d axis = planar ? Vec3d{0, 0, 1} : point(random);
      add_joint(model, "crank", Revolute{}, "ground", "link0", frame_at(point(random), axis));
      add_joint(model, "rocker", Revolute{}, "ground", "link1", frame_at(point(random), planar ? axis : point(random)));
      const Vec3d P = point(random), Q = point(random);
      model.constraints.push_back({.name = "rod",
                                   .type = Distance{norm(Q - P)},
                                   .first = "link0",
                                   .second = "link1",
                                   .X_AP = Transformd::translation(P),
                                   .X_BQ = Transformd::translation(Q),
                                   .where = {}});
      check_laws(model, 0.03);
    }
    if (HasFailure()) return;
  }
}

TEST(ClosedForm, says_what_stands_in_its_way) {
  Random random(1);
  Model model = spatial_loop("RRRRRR", 3);  // 7R
  const Mechanism seven = compiled(model);
  EXPECT_EQ(ClosedForm(seven, {{.joint = 0}}).obstacle(), "no closed form places 'link1'");
  EXPECT_EQ(ClosedForm(compiled(planar_loop("RRR", 2)), {}).obstacle(), "no dyad or triad places 'link0'");
  Model helix = spatial_loop("SSR", 1);
  helix.joints[3].type = Helical{0.1};
  EXPECT_FALSE(ClosedForm(compiled(helix), {{.joint = 0}}).exists());
}

}  // namespace
}  // namespace trammel
