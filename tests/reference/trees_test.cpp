// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Mechanisms whose motion is known: pendulum chains, the heavy top, the body without torque. Accelerations and energies
// are held against closed forms written out here; positions after some time, found by a small integrator on our forward
// dynamics, against the answers in data/*.json. Each of those files names its source and how it was verified:
//   pendulum_chains.json      uniform rods; two point masses. Lagrange's equations against a DAE in absolute coordinates
//   iftomm_A01_pendulum.json  IFToMM library of computational benchmark problems, A01. Jacobi elliptic functions
//   heavy_top.json            Lagrange's top. Euler angles against a quaternion body
//   euler_rigid_body.json     Euler's equations, I = (1, 2, 3). Jacobi elliptic functions [Landau & Lifshitz, § 37]

#include <cmath>
#include <fstream>
#include <numbers>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/dynamics.hpp>

#include "reference/integrate.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double g = 9.81;
constexpr double degree = std::numbers::pi / 180;

nlohmann::json reference(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}
std::vector<double> accelerations(const Mechanism& mech, const std::vector<double>& q, const std::vector<double>& v) {
  Workspace ws(mech);
  std::vector<double> a(v.size());
  const std::vector<double> tau(v.size(), 0.0);
  EXPECT_TRUE(forward_dynamics(mech, ws, q, v, tau, a).ok());
  return a;
}
Energy<double> energy(const Mechanism& mech, const std::vector<double>& q, const std::vector<double>& v) {
  Workspace ws(mech);
  compute_velocities(mech, ws, q, v);
  return compute_energy(mech, ws, v);
}
Eigen::VectorXd running_sum(std::span<const double> numbers) {
  Eigen::VectorXd sums(static_cast<Eigen::Index>(numbers.size()));
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) sums[static_cast<Eigen::Index>(i)] = sum += numbers[i];
  return sums;
}
std::vector<double> differences(const Eigen::VectorXd& sums) {
  std::vector<double> numbers;
  for (Eigen::Index i = 0; i < sums.size(); ++i) numbers.push_back(sums[i] - (i == 0 ? 0.0 : sums[i - 1]));
  return numbers;
}
void note(const std::string& what, double error) {
  fmt::print("{:<52} {:.1e}\n", what, error);
  ::testing::Test::RecordProperty("error", fmt::format("{:.2e}", error));
}

// --- chains of uniform rods ---------------------------------------------------------------------------------------

// n rods of 1 m and 1 kg drawn along +x from the origin, swinging about z, gravity along −y.
Model rod_chain(int n) {
  Model model;
  model.gravity = {0, -g, 0};
  for (int i = 0; i < n; ++i) {
    const double x = i;
    add_body(model, fmt::format("rod{}", i), 1, {x + 0.5, 0, 0}, {0, 1. / 12, 1. / 12, 0, 0, 0});
    add_joint(model, fmt::format("hinge{}", i), Revolute{}, i == 0 ? "ground" : fmt::format("rod{}", i - 1),
              fmt::format("rod{}", i), frame_at({x, 0, 0}, {0, 0, 1}));
  }
  return model;
}

// Lagrange's equations in the angles θ_i of the rods from +x. The centre of rod k is at Σ_i c_ki (cos θ_i, sin θ_i) with
// c_ki = 1 for i < k, ½ for i = k, 0 beyond. With A_ij = Σ_k c_ki c_kj:
//   T = ½ Σ_ij A_ij cos(θ_i − θ_j) θ̇_i θ̇_j + ½ Σ_i θ̇_i²/12,     U = g Σ_ki c_ki sin θ_i
//   Σ_j (A_ij cos(θ_i − θ_j) + δ_ij/12) θ̈_j = −Σ_j A_ij sin(θ_i − θ_j) θ̇_j² − g cos θ_i Σ_k c_ki
struct RodEquations {
  explicit RodEquations(int n) : c(Eigen::MatrixXd::Zero(n, n)) {
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < k; ++i) c(k, i) = 1;
      c(k, k) = 0.5;
    }
    A = c.transpose() * c;
  }
  Eigen::MatrixXd mass(const Eigen::VectorXd& theta) const {
    Eigen::MatrixXd M = A;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      for (Eigen::Index j = 0; j < A.cols(); ++j) M(i, j) = A(i, j) * std::cos(theta[i] - theta[j]) + (i == j) / 12.0;
    return M;
  }
  Eigen::VectorXd acceleration(const Eigen::VectorXd& theta, const Eigen::VectorXd& rate) const {
    Eigen::VectorXd force(theta.size());
    for (Eigen::Index i = 0; i < theta.size(); ++i) {
      force[i] = -g * std::cos(theta[i]) * c.col(i).sum();
      for (Eigen::Index j = 0; j < theta.size(); ++j)
        force[i] -= A(i, j) * std::sin(theta[i] - theta[j]) * rate[j] * rate[j];
    }
    return mass(theta).ldlt().solve(force);
  }
  double kinetic(const Eigen::VectorXd& theta, const Eigen::VectorXd& rate) const {
    return 0.5 * rate.dot(mass(theta) * rate);
  }
  double potential(const Eigen::VectorXd& theta) const { return g * (c * theta.array().sin().matrix()).sum(); }

  Eigen::MatrixXd c, A;
};

class RodChain : public ::testing::TestWithParam<int> {};

TEST_P(RodChain, accelerates_as_lagranges_equations_say) {
  const int n = GetParam();
  const Mechanism mech = compiled(rod_chain(n));
  const RodEquations equations(n);
  Random random(5);
  double worst = 0;
  for (int trial = 0; trial < 50; ++trial) {
    // The first is the release of the reference: horizontal, at rest.
    const Eigen::VectorXd theta = trial == 0 ? Eigen::VectorXd::Zero(n) : running_sum(random.normals(n, 2));
    const Eigen::VectorXd rate = trial == 0 ? Eigen::VectorXd::Zero(n) : running_sum(random.normals(n, 2));
    const std::vector<double> q = differences(theta), v = differences(rate);
    const Eigen::VectorXd ours = running_sum(accelerations(mech, q, v));
    worst = std::max(worst, relative_error(ours, equations.acceleration(theta, rate)));
    const Energy<double> e = energy(mech, q, v);
    const double kinetic = equations.kinetic(theta, rate);
    EXPECT_NEAR(e.kinetic, kinetic, 1e-13 * (1 + kinetic));
    EXPECT_NEAR(e.potential, equations.potential(theta), 1e-13 * g * n * n);
  }
  note(fmt::format("{} rods: acceleration", n), worst);
  EXPECT_LE(worst, 1e-12);
}

TEST_P(RodChain, is_after_one_second_where_the_reference_says) {
  const int n = GetParam();
  const Mechanism mech = compiled(rod_chain(n));
  const std::vector<double> zero(static_cast<std::size_t>(n), 0.0);
  Integrator motion(mech, zero, zero, 2e-4);
  const double energy_at_release = motion.energy();
  motion.advance_to(1);
  const std::vector<double> answer = reference("pendulum_chains").at("reference").at(std::to_string(n)).at("theta");
  const double error =
      (running_sum(motion.q()) - Eigen::Map<const Eigen::VectorXd>(answer.data(), n)).cwiseAbs().maxCoeff();
  note(fmt::format("{} rods: angles after 1 s", n), error);
  EXPECT_LE(error, 1e-10);
  EXPECT_NEAR(motion.energy(), energy_at_release, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Rods, RodChain, ::testing::Values(1, 2, 3, 5));

// --- point masses on massless rods --------------------------------------------------------------------------------

// A point mass has no inertia of its own; about the hinges it has.
TEST(PointMassPendulum, of_two_is_where_the_reference_says) {
  Model model;
  model.gravity = {0, -g, 0};
  add_body(model, "upper", 1, {1, 0, 0}, {});
  add_body(model, "lower", 1, {2, 0, 0}, {});
  add_joint(model, "shoulder", Revolute{}, "ground", "upper", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "elbow", Revolute{}, "upper", "lower", frame_at({1, 0, 0}, {0, 0, 1}));
  const Mechanism mech = compiled(model);
  const std::vector<double> zero{0, 0};

  // Released horizontal: the upper mass falls freely (the lower rod is in line and carries no shear to it), the lower too.
  const std::vector<double> a = accelerations(mech, zero, zero);
  EXPECT_NEAR(a[0], -g, 1e-12);
  EXPECT_NEAR(a[0] + a[1], 0, 1e-12);

  Integrator motion(mech, zero, zero, 2e-4);
  double worst = 0;
  const nlohmann::json answers =
      reference("pendulum_chains").at("double_pendulum_point_masses").at("angles_from_down_at");
  for (const char* time : {"0.5", "1.0", "2.0"}) {
    motion.advance_to(std::stod(time));
    const std::vector<double> answer = answers.at(time);
    const Eigen::VectorXd from_down = running_sum(motion.q()).array() + 90 * degree;
    worst = std::max(worst, (from_down - Eigen::Map<const Eigen::Vector2d>(answer.data())).cwiseAbs().maxCoeff());
  }
  note("two point masses: angles until 2 s", worst);
  EXPECT_LE(worst, 1e-9);
}

// IFToMM A01: released from the left, (−1, 0), θ from straight down on that side.
TEST(PointMassPendulum, of_iftomm_a01_is_where_the_elliptic_functions_say) {
  Model model;
  model.gravity = {0, -g, 0};
  add_body(model, "mass", 1, {-1, 0, 0}, {});
  add_joint(model, "pivot", Revolute{}, "ground", "mass", frame_at({0, 0, 0}, {0, 0, 1}));
  const Mechanism mech = compiled(model);
  const std::vector<double> zero{0};
  EXPECT_NEAR(accelerations(mech, zero, zero)[0], g, 1e-14 * g);

  const nlohmann::json answers = reference("iftomm_A01_pendulum").at("reference");
  Workspace ws(mech);
  Integrator motion(mech, zero, zero, 5e-4);
  double worst = 0;
  for (const double t : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    motion.advance_to(t);
    const nlohmann::json& answer = answers.at(fmt::format("{:g}", t));
    compute_positions(mech, ws, motion.q());
    const Vec3d p = pose_WB(mech, ws, 0) * Vec3d{-1, 0, 0};
    const double theta = 90 * degree - motion.q()[0];
    worst = std::max({worst, std::abs(theta - answer["theta_from_down_on_start_side"].get<double>()),
                      std::abs(p.x - answer["x"].get<double>()), std::abs(p.y - answer["y"].get<double>())});
  }
  note("IFToMM A01: angle and position until 10 s", worst);
  EXPECT_LE(worst, 1e-10);
}

// --- the heavy top --------------------------------------------------------------------------------------------------

// Lagrange's top of the reference: 1 kg, centre of mass 0.5 m from the fixed point, I₁ = 0.35, I₃ = 0.1 kg m² there.
constexpr double top_l = 0.5, top_I1 = 0.35, top_I3 = 0.1, top_spin = 40;
constexpr Sym3d top_inertia_at_com{top_I1 - top_l * top_l, top_I1 - top_l* top_l, top_I3, 0, 0, 0};

Model ball_top() {
  Model model;
  model.gravity = {0, 0, -g};
  add_body(model, "top", 1, {0, 0, top_l}, top_inertia_at_com);
  add_joint(model, "tip", Spherical{}, "ground", "top", Transformd{});
  return model;
}
// The same top in two massless gimbals: precession φ about z, nutation θ about x, spin ψ about z.
Model gimballed_top() {
  Model model;
  model.gravity = {0, 0, -g};
  add_body(model, "outer", 0, {}, {});
  add_body(model, "inner", 0, {}, {});
  add_body(model, "top", 1, {0, 0, top_l}, top_inertia_at_com);
  add_joint(model, "precession", Revolute{}, "ground", "outer", frame_at({}, {0, 0, 1}));
  add_joint(model, "nutation", Revolute{}, "outer", "inner", frame_at({}, {1, 0, 0}));
  add_joint(model, "spin", Revolute{}, "inner", "top", frame_at({}, {0, 0, 1}));
  return model;
}

// With ω₃ = φ̇ cos θ + ψ̇:
//   I₁ θ̈ = I₁ φ̇² sin θ cos θ − I₃ ω₃ φ̇ sin θ + m g l sin θ
//   I₁ sin θ φ̈ = I₃ ω₃ θ̇ − 2 I₁ θ̇ φ̇ cos θ,     ω̇₃ = 0
TEST(HeavyTop, in_gimbals_accelerates_as_lagranges_equations_say) {
  const Mechanism mech = compiled(gimballed_top());
  Random random(7);
  double worst = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const double theta = random.uniform(0.2, 2.9), phi_dot = random.normal(), theta_dot = random.normal();
    const double psi_dot = random.uniform(-40, 40), s = std::sin(theta), c = std::cos(theta);
    const std::vector<double> a =
        accelerations(mech, {random.uniform(-3, 3), theta, random.uniform(-3, 3)}, {phi_dot, theta_dot, psi_dot});
    const double w3 = phi_dot * c + psi_dot;
    const double theta_ddot = phi_dot * phi_dot * s * c + (g * top_l - top_I3 * w3 * phi_dot) * s / top_I1;
    const double phi_ddot = (top_I3 * w3 * theta_dot - 2 * top_I1 * theta_dot * phi_dot * c) / (top_I1 * s);
    const double psi_ddot = -phi_ddot * c + phi_dot * theta_dot * s;
    worst = std::max(
        worst, relative_error(Eigen::Vector3d(a[0], a[1], a[2]), Eigen::Vector3d(phi_ddot, theta_ddot, psi_ddot)));
  }
  note("heavy top in gimbals: acceleration", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(HeavyTop, keeps_its_tilt_at_the_two_steady_rates_of_precession) {
  const Mechanism gimbals = compiled(gimballed_top()), ball = compiled(ball_top());
  const double theta = 30 * degree, s = std::sin(theta), c = std::cos(theta);
  const std::vector<double> rates = reference("heavy_top").at("steady_precession_rates_at_30deg");
  ASSERT_EQ(rates.size(), 2u);
  for (const double rate : rates) {
    const double psi_dot = top_spin - rate * c;
    const std::vector<double> a = accelerations(gimbals, {0.3, theta, 0.7}, {rate, 0, psi_dot});
    for (const double component : a) EXPECT_NEAR(component, 0, 1e-11) << rate;
    // In the top's own axes, at ψ = 0, ω = (θ̇, φ̇ sin θ, ω₃) and ω̇ = (θ̈ + φ̇ ψ̇ sin θ, φ̈ sin θ, ω̇₃) for θ̇ = 0.
    const std::vector<double> alpha =
        accelerations(ball, {std::cos(theta / 2), std::sin(theta / 2), 0, 0}, {0, rate * s, top_spin});
    EXPECT_NEAR(alpha[0] - rate * psi_dot * s, 0, 1e-11) << rate;
    EXPECT_NEAR(alpha[1], 0, 1e-11);
    EXPECT_NEAR(alpha[2], 0, 1e-11);
  }
}

// z axis of the top: (sin φ sin θ, −cos φ sin θ, cos θ).
TEST(HeavyTop, nutates_and_precesses_as_the_reference_says) {
  const nlohmann::json top = reference("heavy_top");
  const double theta0 = top["parameters"]["theta0_deg"].get<double>() * degree;
  const Mechanism ball = compiled(ball_top()), gimbals = compiled(gimballed_top());
  Integrator on_ball(ball, std::vector<double>{std::cos(theta0 / 2), std::sin(theta0 / 2), 0, 0},
                     std::vector<double>{0, 0, top_spin}, 2e-4);
  Integrator in_gimbals(gimbals, std::vector<double>{0, theta0, 0}, std::vector<double>{0, 0, top_spin}, 2e-4);
  double phi = 0, worst_ball = 0, worst_gimbals = 0, most = 0, least = 180;
  const auto tilt = [&] { return rotation_of(Quaternion<double>::load(on_ball.q().data())).ez; };
  const auto follow = [&] {
    const Vec3d z = tilt();
    const double around = std::atan2(z.x, -z.y);
    phi += std::remainder(around - phi, 2 * std::numbers::pi);  // counts turns
    most = std::max(most, std::acos(z.z) / degree);
    least = std::min(least, std::acos(z.z) / degree);
  };
  const nlohmann::json& answer = top["reference"];
  for (std::size_t i = 0; i < answer["times"].size(); ++i) {
    const double t = answer["times"][i], theta = answer["theta"][i], precession = answer["phi"][i];
    on_ball.advance_to(t, follow);
    in_gimbals.advance_to(t);
    worst_ball = std::max({worst_ball, std::abs(std::acos(tilt().z) - theta), std::abs(phi - precession)});
    worst_gimbals =
        std::max({worst_gimbals, std::abs(in_gimbals.q()[1] - theta), std::abs(in_gimbals.q()[0] - precession)});
  }
  note("heavy top on a ball joint: θ, φ until 5 s", worst_ball);
  note("heavy top in gimbals: θ, φ until 5 s", worst_gimbals);
  EXPECT_LE(worst_ball, 1e-9);
  EXPECT_LE(worst_gimbals, 1e-9);
  // The limits are turning points: a step away, θ differs in the second order of the step.
  EXPECT_NEAR(most, answer["nutation_limits_deg"][0].get<double>(), 1e-5);
  EXPECT_NEAR(least, answer["nutation_limits_deg"][1].get<double>(), 1e-5);
}

// --- the body without torque ----------------------------------------------------------------------------------------

// On a free joint in free space, or on a ball joint at its centre of mass with weight: both turn by Euler's equations.
Model torque_free_body(bool on_ball) {
  Model model;
  model.gravity = on_ball ? Vec3d{0, 0, -g} : Vec3d{};
  add_body(model, "body", 2, {}, {1, 2, 3, 0, 0, 0});
  add_joint(model, "joint", on_ball ? AnyJoint{Spherical{}} : AnyJoint{Free{}}, "ground", "body", Transformd{});
  return model;
}

class TorqueFreeBody : public ::testing::TestWithParam<bool> {};

TEST_P(TorqueFreeBody, turns_as_the_elliptic_functions_say) {
  const Mechanism mech = compiled(torque_free_body(GetParam()));
  double worst_stable = 0, worst_unstable = 0;
  const nlohmann::json runs = reference("euler_rigid_body").at("reference");
  ASSERT_EQ(runs.size(), 3u);
  for (const nlohmann::json& run : runs) {
    const std::vector<double> w0 = run["w0"];
    std::vector<double> v(static_cast<std::size_t>(mech.nv), 0.0);
    std::copy(w0.begin(), w0.end(), v.begin());
    std::vector<double> q(static_cast<std::size_t>(mech.nq), 0.0);
    q[0] = 1;

    // I ω̇ = Iω × ω: ω̇₁ = (I₂ − I₃)/I₁ ω₂ω₃ and so on.
    const std::vector<double> a = accelerations(mech, q, v);
    EXPECT_NEAR(a[0], -1 * w0[1] * w0[2], 1e-15);
    EXPECT_NEAR(a[1], 1 * w0[2] * w0[0], 1e-15);
    EXPECT_NEAR(a[2], -1. / 3 * w0[0] * w0[1], 1e-15);
    EXPECT_NEAR(energy(mech, q, v).kinetic, 0.5 * (w0[0] * w0[0] + 2 * w0[1] * w0[1] + 3 * w0[2] * w0[2]), 1e-15 * 10);

    const bool unstable = w0[1] > 1;  // close to the middle axis: small differences grow e-fold in 1/√(4/3) s
    Integrator motion(mech, q, v, 1e-3);
    for (std::size_t i = 0; i < run["times"].size(); ++i) {
      motion.advance_to(run["times"][i]);
      for (std::size_t k = 0; k < 3; ++k) {
        double& worst = unstable ? worst_unstable : worst_stable;
        worst = std::max(worst, std::abs(motion.v()[k] - run["omega_body"][i][k].get<double>()));
      }
    }
  }
  const std::string joint = GetParam() ? "ball" : "free";
  note("torque-free body, " + joint + ": ω until 50 s", worst_stable);
  note("torque-free body near the middle axis, " + joint + ": ω", worst_unstable);
  EXPECT_LE(worst_stable, 1e-11);
  EXPECT_LE(worst_unstable, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Joints, TorqueFreeBody, ::testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "ball" : "free"); });

}  // namespace
}  // namespace trammel::test
