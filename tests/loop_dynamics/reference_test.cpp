// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Simple closed chains whose accelerations and tip forces were found by two other methods (tests/reference/data/closed_chain_*.json): arms on an
// object, a hexapod on six feet, chains with too few freedoms, four parallel cranks of which three are redundant, arms on a moving support.

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>

#include "support/closed_chains.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using namespace test::closed_chains;

class SimpleClosedChains : public testing::TestWithParam<std::pair<const char*, LoopMethod>> {};

TEST_P(SimpleClosedChains, accelerate_and_hold_as_two_other_methods_say) {
  const Case c(GetParam().first);
  const LoopMethod method = GetParam().second;
  const Mechanism mech = test::compiled(c.model);
  const json& mechanism = c.data["mechanism"];
  const std::size_t nv = static_cast<std::size_t>(mech.nv);
  const std::vector<double> q = design_state(mech).q;
  std::vector<double> v(nv), a(nv), tau(nv);
  std::vector<char> prescribed(nv);
  const auto put = [&](const std::string& joint, const std::vector<double>& list, std::size_t from,
                       std::vector<double>& out) {
    const JointInfo& info = mech.joints[static_cast<std::size_t>(mech.find_joint(joint))];
    for (int i = 0; i < info.nv; ++i)
      out[static_cast<std::size_t>(info.v + i)] = list[from + static_cast<std::size_t>(i)];
    return from + static_cast<std::size_t>(info.nv);
  };
  for (std::size_t k = 0; k < c.chain.size(); ++k) {
    const json& chain = mechanism["chains"][k];
    const std::vector<double> qd = flat(chain["qd"]), torque = flat(chain["tau"]);
    std::size_t rate = 0, force = 0;
    for (const std::string& joint : c.chain[k]) {
      rate = put(joint, qd, rate, v);
      force = put(joint, torque, force, tau);
    }
    if (!chain.contains("base_v")) continue;
    const std::string support = "c" + std::to_string(k) + "support";
    put(support, flat(chain["base_v"]), 0, v);
    put(support, flat(chain["base_a"]), 0, a);
    const JointInfo& info = mech.joints[static_cast<std::size_t>(mech.find_joint(support))];
    for (int i = 0; i < 6; ++i) prescribed[static_cast<std::size_t>(info.v + i)] = 1;
  }

  // The tip joint in the tree turns as object and last link do.
  Workspace ws(mech);
  const Mat3d R_0 = rows(mechanism["ref"]["R"]);
  const Vec3d w_0 = R_0 * vec(mechanism["ref"]["v"]);
  compute_velocities(mech, ws, q, v);
  for (std::size_t k = 0; k < c.tips.size(); ++k) {
    const JointInfo& tip = mech.joints[static_cast<std::size_t>(mech.find_joint(c.tips[k]))];
    if (tip.role != JointRole::tree) continue;
    const Vec3d w = velocity_W(mech, ws, mech.find_body(c.last[k])).w;
    const Vec3d relative = transpose(c.X_WT[k].R) * (w_0 - w);
    if (tip.nv == 1) v[static_cast<std::size_t>(tip.v)] = relative.z;
    if (tip.nv == 3) {
      v[static_cast<std::size_t>(tip.v)] = relative.x;
      v[static_cast<std::size_t>(tip.v) + 1] = relative.y;
      v[static_cast<std::size_t>(tip.v) + 2] = relative.z;
    }
  }
  compute_velocities(mech, ws, q, v);
  const int object = mech.find_body("object");
  const Vec3d v_0 =
      R_0 * vec(std::vector<double>{mechanism["ref"]["v"][3], mechanism["ref"]["v"][4], mechanism["ref"]["v"][5]});
  ASSERT_LT(norm(velocity_W(mech, ws, object).w - w_0) + norm(velocity_W(mech, ws, object).v - v_0), 1e-12);

  // Wrench on the object; known tip forces h as a pair of wrenches.
  std::vector<Force<double>> wrench(mech.bodies.size());
  const std::vector<double> f_ext = flat(mechanism["ref"]["f_ext"]);
  add_wrench(mech, ws, object, Vec3d{},
             Force<double>{R_0 * Vec3d{f_ext[0], f_ext[1], f_ext[2]}, R_0 * Vec3d{f_ext[3], f_ext[4], f_ext[5]}},
             std::span(wrench));
  std::vector<Eigen::Matrix<double, 6, 1>> known(c.tips.size(), Eigen::Matrix<double, 6, 1>::Zero());
  for (std::size_t k = 0; k < c.tips.size(); ++k) {
    const json& chain = mechanism["chains"][k];
    const std::vector<double> h = flat(chain["h"]);
    for (int i = 0; i < 6; ++i) {
      for (std::size_t n = 0; n < h.size(); ++n)
        known[k](i) += chain["phi"][static_cast<std::size_t>(i)][n].get<double>() * h[n];
    }
    const Force<double> F{c.X_WT[k].R * Vec3d{known[k](0), known[k](1), known[k](2)},
                          c.X_WT[k].R * Vec3d{known[k](3), known[k](4), known[k](5)}};
    const auto on = [&](int body, const Force<double>& force) {
      add_wrench(mech, ws, body, inverse(pose_WB(mech, ws, body)) * c.X_WT[k].p, force, std::span(wrench));
    };
    on(object, F);
    on(mech.find_body(c.last[k]), -F);
  }

  LoopDynamics dynamics(mech);
  const Loads loads{.wrench = wrench.data()};
  const bool moves = std::any_of(prescribed.begin(), prescribed.end(), [](char p) { return p != 0; });
  const LoopVerdict verdict =
      moves ? dynamics.hybrid(q, v, prescribed, a, tau, loads) : dynamics.forward(q, v, tau, a, loads, method);
  ASSERT_TRUE(verdict.ok());
  const LoopDiagnosis diagnosis = dynamics.diagnose(q, v);
  EXPECT_LT(diagnosis.gap_m + diagnosis.gap_rad, 1e-12);
  EXPECT_LT(diagnosis.rate_m + diagnosis.rate_rad, 1e-12);
  const int supports = moves ? 6 * static_cast<int>(c.tips.size()) : 0;
  EXPECT_EQ(diagnosis.freedoms - supports, c.data["check"]["actual_dof"].get<int>());

  compute_accelerations(mech, ws, q, v, a);
  const Motion<double> A = acceleration_W(mech, ws, object);
  const Vec3d alpha = transpose(R_0) * A.w, lin = transpose(R_0) * (A.v - cross(w_0, v_0));
  const std::vector<double> a_0{alpha.x, alpha.y, alpha.z, lin.x, lin.y, lin.z};
  EXPECT_LT(test::error_of(a_0, flat(c.data["result"]["a0"])), 1e-9);
  for (std::size_t k = 0; k < c.chain.size(); ++k) {
    std::vector<double> found;
    for (const std::string& joint : c.chain[k]) {
      const JointInfo& info = mech.joints[static_cast<std::size_t>(mech.find_joint(joint))];
      for (int i = 0; i < info.nv; ++i) found.push_back(a[static_cast<std::size_t>(info.v + i)]);
    }
    EXPECT_LT(test::error_of(found, flat(c.data["result"]["qdd"][k])), 1e-9) << "chain " << k;
  }

  const std::vector<LoopReaction> reactions = dynamics.reactions();
  bool determinate = true;
  for (std::size_t k = 0; k < c.tips.size(); ++k) {
    const LoopReaction& r = reactions[static_cast<std::size_t>(mech.find_joint(c.tips[k]))];
    determinate = determinate && r.determinate;
    if (!c.data["result"]["forces_unique"].get<bool>()) continue;
    const Vec3d n = transpose(c.X_WT[k].R) * r.F_W.n, f = transpose(c.X_WT[k].R) * r.F_W.f;
    std::vector<double> found{n.x, n.y, n.z, f.x, f.y, f.z};
    for (int i = 0; i < 6; ++i) found[static_cast<std::size_t>(i)] += known[k](i);
    EXPECT_LT(test::error_of(found, flat(c.data["result"]["f"][k])), 1e-9) << "tip " << k;
  }
  EXPECT_EQ(determinate, c.data["result"]["forces_unique"].get<bool>());
}

// Case ii has a support that moves as prescribed, which hybrid() solves densely; elimination takes no prescribed motion (lilly_orin_reference_test.cpp
// has the case a second way).
INSTANTIATE_TEST_SUITE_P(References, SimpleClosedChains,
                         testing::Values(std::pair("i_3arms_6dof_weld", LoopMethod::dense),
                                         std::pair("ii_3arms_hard_point_moving_support", LoopMethod::dense),
                                         std::pair("iii_hexapod_type1", LoopMethod::dense),
                                         std::pair("iv_a_short_chains_5_4_3", LoopMethod::dense),
                                         std::pair("iv_c_parallelogram_4cranks", LoopMethod::dense),
                                         std::pair("i_3arms_6dof_weld", LoopMethod::star),
                                         std::pair("iii_hexapod_type1", LoopMethod::star),
                                         std::pair("iv_a_short_chains_5_4_3", LoopMethod::star),
                                         std::pair("iv_c_parallelogram_4cranks", LoopMethod::star),
                                         std::pair("i_3arms_6dof_weld", LoopMethod::elimination),
                                         std::pair("iii_hexapod_type1", LoopMethod::elimination),
                                         std::pair("iv_a_short_chains_5_4_3", LoopMethod::elimination),
                                         std::pair("iv_c_parallelogram_4cranks", LoopMethod::elimination)),
                         [](const auto& of) {
                           const LoopMethod method = of.param.second;
                           return std::string(of.param.first) + (method == LoopMethod::dense  ? "_dense"
                                                                 : method == LoopMethod::star ? "_star"
                                                                                              : "_elimination");
                         });

}  // namespace
}  // namespace trammel
