// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Published and closed-form impacts, from data/*.json:
//   exgit_fig6                 the three rods of Yoshida et al. 1992, sec. 6: virtual masses over all directions, joints free, half free, locked
//   impact_planar_closed_form  a mass on the three rods in rational numbers; the tip of a rod with friction, Routh's method, 252 cases
//   impact_6d_plastic_elastic  the paper's equations 28 and 30 for a moving chain and a moving body, with joints that resist

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "impact/space_robots.hpp"

namespace trammel::test {
namespace {

using At = std::size_t;
constexpr double degree = std::numbers::pi / 180;

class ExGit : public testing::TestWithParam<std::string> {};

TEST_P(ExGit, of_three_rods_is_the_papers_over_all_directions) {
  const nlohmann::json data = reference("exgit_fig6");
  for (const AnyJoint& base : {AnyJoint(Planar{}), AnyJoint(Free{})}) {
    const Mechanism mech = compiled(three_rods(base));
    ImpulseResponse response(mech, {.share = std::stod(GetParam())});
    response.set_position(design_state(mech).q);
    double G[36];
    ASSERT_TRUE(response.mobility(mech.find_body("hand"), {0, -0.5, 0}, G));
    double largest = 0;
    for (const nlohmann::json& row : data["table"][GetParam()]) {
      const double theta = double(row[0]) * degree;
      const Vec3d n{std::cos(theta), std::sin(theta), 0};
      const VirtualMass m = virtual_mass(G, n);
      largest = std::max({largest, std::abs(m.projected - double(row[1])), std::abs(m.absolute - double(row[2])),
                          std::abs(m.deviation / degree - std::abs(double(row[3])))});
      EXPECT_NEAR(m.projected, row[1], 1e-10);
      EXPECT_NEAR(m.absolute, row[2], 1e-10);
      EXPECT_NEAR(cross(n, m.moves).z, std::sin(double(row[3]) * degree), 1e-10);
    }
    RecordProperty("largest_error", std::to_string(largest));
  }
}
INSTANTIATE_TEST_SUITE_P(Shares, ExGit, testing::Values("0.0", "0.5", "1.0"));

TEST(ExGitReference, on_the_ground_is_the_conventional_one) {
  // A base of ten thousand million tonnes stands still, as the ground does.
  const Mechanism heavy = compiled(three_rods(Free{}, 1e13)), fixed = compiled(three_rods(Fixed{}));
  const auto of = [](const Mechanism& mech) {
    ImpulseResponse response(mech);
    response.set_position(design_state(mech).q);
    std::vector<double> G(36);
    EXPECT_TRUE(response.mobility(mech.find_body("far"), {0.5, 0, 0}, G));
    return G;
  };
  const std::vector<double> a = of(heavy), b = of(fixed);
  for (At i = 0; i < 36; ++i) EXPECT_NEAR(a[i], b[i], 1e-7) << i;
}

TEST(ImpactReference, mass_on_three_rods_in_rational_numbers) {
  const nlohmann::json data = reference("impact_planar_closed_form");
  for (const nlohmann::json& row : data["mass_point_on_three_rod_chain"]["rows"]) {
    Model model = three_rods(Planar{});
    const double m_b = row["m_b"], v0 = row["v0"], e = row["e"];
    const Vec3d n{row["n"][0], row["n"][1], 0};
    add_body(model, "ball", m_b, {}, {1, 1, 1, 0, 0, 0}, {});
    add_joint(model, "ball", Free{}, "ground", "ball", {});
    const Mechanism mech = compiled(model);
    State state = design_state(mech);
    const JointInfo& ball = mech.joints[static_cast<At>(mech.find_joint("ball"))];
    const auto at = static_cast<At>(ball.v) + 3;
    state.v[at] = n.x * v0, state.v[at + 1] = n.y * v0;
    const std::string text = row["mu_joint"];
    const auto slash = text.find('/');
    const double mu = slash == std::string::npos ? std::stod(text)
                                                 : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
    const ImpactResult result = compute_impact(
        mech, state,
        {{.first = mech.find_body("hand"), .second = mech.find_body("ball"), .normal_W = n, .restitution = e}},
        {.share = mu});
    ASSERT_TRUE(result.ok()) << result.text;
    EXPECT_NEAR(dot(result.contacts[0].impulse_W.f, n), row["impulse"], 1e-12);
    EXPECT_NEAR(result.v[at] * n.x + result.v[at + 1] * n.y, row["B_velocity_along_n"], 1e-12);
    const Vec3d hand = result.contacts[0].after.v + Vec3d{result.v[at], result.v[at + 1], result.v[at + 2]};
    EXPECT_NEAR(hand.x, row["endpoint_velocity"][0], 1e-12);
    EXPECT_NEAR(hand.y, row["endpoint_velocity"][1], 1e-12);
    EXPECT_LT(result.audit.linear_error, 1e-12);
  }
}

// Both as numbers and as a rod that falls on the ground.
TEST(ImpactReference, rod_with_friction_goes_as_routh_has_it) {
  const nlohmann::json data = reference("impact_planar_closed_form");
  int seen = 0;
  for (const nlohmann::json& c : data["rod_tip_friction_routh"]["cases"]) {
    const std::string law_name = c["model"];
    const ImpactLaw law = *impact_law_by_keyword(law_name);
    const double phi = c["phi"];
    Model model;
    model.gravity = {};
    const Vec3d along{std::cos(phi), std::sin(phi), 0};
    // y is up here; a rod of 1 m whose tip is at the origin
    add_body(model, "rod", 1, {}, {1.0 / 12, 1.0 / 12, 1.0 / 12, 0, 0, 0}, Transformd::translation(along * 0.5));
    add_joint(model, "rod", Planar{}, "ground", "rod", Transformd::translation(along * 0.5));
    const Mechanism mech = compiled(model);
    State state = design_state(mech);
    state.v = {c["u_before"][0], c["u_before"][1], 0};
    const ImpactResult result = compute_impact(mech, state,
                                               {{.first = mech.find_body("rod"),
                                                 .normal_W = {0, 1, 0},
                                                 .restitution = c["e"],
                                                 .friction = c["friction"],
                                                 .law = law}});
    ASSERT_TRUE(result.ok()) << result.text;
    const ContactOutcome& out = result.contacts[0];
    EXPECT_NEAR(out.impulse_W.f.x, c["impulse_t_n"][0], 1e-12) << c;
    EXPECT_NEAR(out.impulse_W.f.y, c["impulse_t_n"][1], 1e-12) << c;
    EXPECT_NEAR(out.after.v.x, c["u_after"][0], 1e-12) << c;
    EXPECT_NEAR(out.after.v.y, c["u_after"][1], 1e-12) << c;
    const double gained = result.audit.kinetic_after - result.audit.kinetic_before;
    EXPECT_NEAR(gained, c["delta_T"], 1e-12) << c;
    EXPECT_NEAR(out.friction.work_normal + out.friction.work_tangential, c["delta_T"], 1e-12) << c;
    EXPECT_EQ(result.warnings.empty(), !(double(c["delta_T"]) > 1e-9)) << c;
    ASSERT_EQ(out.friction.phases.size(), c["phases"].size()) << c;
    for (At i = 0; i < out.friction.phases.size(); ++i) {
      const std::string kind = c["phases"][i][0];
      EXPECT_EQ(out.friction.phases[i].kind == FrictionImpact::Phase::Kind::stick, kind == "stick") << c;
      EXPECT_EQ(out.friction.phases[i].compression, c["phases"][i][1] == "c") << c;
      EXPECT_NEAR(out.friction.phases[i].p_n, c["phases"][i][3], 1e-12) << c;
    }
    ++seen;
  }
  EXPECT_EQ(seen, 252);
}

TEST(ImpactReference, of_a_chain_and_a_body_in_all_six_directions) {
  const nlohmann::json data = reference("impact_6d_plastic_elastic");
  const ChainAndBody system = chain_and_body(data["params"]);
  const Vec3d p = vector_of(data["params"]["hand_point_world"]);
  EXPECT_LT(norm(system.contact_W - p), 1e-12);
  for (const auto& [name, c] : data["cases"].items()) {
    SCOPED_TRACE(name);
    JointResistance resistance;
    const bool is_uniform = c["mu"][0] == c["mu"][1] && c["mu"][1] == c["mu"][2];
    if (is_uniform) {
      resistance.share = c["mu"][0];
    } else {
      resistance.share_of_each.assign(static_cast<At>(system.mechanism.nv), 0.0);
      for (At i = 0; i < 3; ++i) {
        const int joint = system.mechanism.find_joint("joint" + std::to_string(i + 1));
        resistance.share_of_each[static_cast<At>(system.mechanism.joints[static_cast<At>(joint)].v)] = c["mu"][i];
      }
    }
    const ImpactResult result = compute_impact(system.mechanism, system.state,
                                               {{.kind = ImpactContact::Kind::rigid,
                                                 .first = system.hand,
                                                 .second = system.target,
                                                 .p_W = system.contact_W,
                                                 .restitution = c["e"]}},
                                               resistance);
    ASSERT_TRUE(result.ok()) << result.text;
    const nlohmann::json& P = c["impulse_on_hand_f_n_world_at_contact"];
    const Force<double>& F = result.contacts[0].impulse_W;
    EXPECT_LT(norm(F.f - Vec3d{P[0], P[1], P[2]}), 1e-12);
    EXPECT_LT(norm(F.n - Vec3d{P[3], P[4], P[5]}), 1e-12);
    for (At i = 0; i < 3; ++i) {
      const int joint = system.mechanism.find_joint("joint" + std::to_string(i + 1));
      EXPECT_NEAR(result.v[static_cast<At>(system.mechanism.joints[static_cast<At>(joint)].v)], c["qd_after"][i],
                  1e-12);
    }
    const auto at = static_cast<At>(system.mechanism.joints[static_cast<At>(system.mechanism.find_joint("target"))].v);
    for (At i = 0; i < 3; ++i) {
      EXPECT_NEAR(result.v[at + i], c["B_com_v_w_after"][3 + i], 1e-12);
      EXPECT_NEAR(result.v[at + 3 + i], c["B_com_v_w_after"][i], 1e-12);
    }
    EXPECT_NEAR(result.audit.resistance_work, c["joint_resistance_work"], 1e-12);
    EXPECT_NEAR(result.audit.kinetic_after - result.audit.kinetic_before, c["delta_T"], 1e-12);
    EXPECT_LT(result.audit.linear_error + result.audit.angular_error, 1e-12);
    EXPECT_LT(std::abs(result.audit.energy_error), 1e-12);
  }
}

TEST(ExGitReference, of_a_chain_with_rotors_at_its_joints) {
  const nlohmann::json data = reference("impact_6d_plastic_elastic");
  const ChainAndBody system = chain_and_body(data["params"]);
  JointResistance resistance;
  resistance.damper.assign(static_cast<At>(system.mechanism.nv), 0.0);
  for (At i = 0; i < 3; ++i) {
    const int joint = system.mechanism.find_joint("joint" + std::to_string(i + 1));
    resistance.damper[static_cast<At>(system.mechanism.joints[static_cast<At>(joint)].v)] =
        data["armature_variant"]["D"][i];
  }
  ImpulseResponse response(system.mechanism, resistance);
  response.set_position(system.state.q);
  double G[36];
  ASSERT_TRUE(response.mobility(system.hand, system.hand_p, G));
  for (At r = 0; r < 6; ++r) {
    for (At c = 0; c < 6; ++c) {  // there (v, w), here (w, v)
      EXPECT_NEAR(G[6 * ((r + 3) % 6) + (c + 3) % 6], data["armature_variant"]["G"][r][c], 1e-12);
    }
  }
}

TEST(FloatingReference, generalized_jacobian_and_inertia_of_the_chain) {
  const nlohmann::json data = reference("impact_6d_plastic_elastic");
  const ChainAndBody system = chain_and_body(data["params"]);
  Workspace ws(system.mechanism);
  const FloatingKinematics f =
      compute_floating(system.mechanism, ws, system.state.q, system.state.v, system.hand, system.hand_p);
  ASSERT_EQ(f.tree.joints.size(), 3U);
  ASSERT_EQ(f.tree.base.size(), 6U);
  const nlohmann::json& p = data["params"];
  for (At r = 0; r < 6; ++r) {
    for (At c = 0; c < 3; ++c) EXPECT_NEAR(f.J_star[3 * ((r + 3) % 6) + c], p["J_star"][r][c], 1e-12);
  }
  for (At r = 0; r < 3; ++r) {
    for (At c = 0; c < 3; ++c) EXPECT_NEAR(f.H_star[3 * r + c], p["H_star"][r][c], 1e-12);
  }
  EXPECT_LT(norm(f.com_W - vector_of(p["com_A"])), 1e-12);
  const Sym3d I = inertia_of_rows(p["I_g"]);
  const auto found = entries(f.locked_inertia_W), expected = entries(I);
  for (At i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
}

}  // namespace
}  // namespace trammel::test
