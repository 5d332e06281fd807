// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lilly and Orin's algorithm on the mechanisms of tests/reference/data/closed_chain_*.json: accelerations of the reference member,
// of all joints, and tip forces, to 1e-9. Each also cut where compile() likes, which is elsewhere.

#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "star_case.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using nlohmann::json;
using test::error_of;

constexpr double tolerance = 1e-9;

json read_reference(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/reference/data/closed_chain_" + name + ".json");
  return json::parse(file);
}
Vec3d vec3(const json& j) { return {j[0], j[1], j[2]}; }
Mat3d matrix(const json& rows) { return transpose(Mat3d{vec3(rows[0]), vec3(rows[1]), vec3(rows[2])}); }
Sym3d symmetric(const json& m) { return {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]}; }
std::vector<double> numbers(const json& list) { return list.get<std::vector<double>>(); }
test::Vector6 six(const json& list) {
  test::Vector6 v;
  for (int i = 0; i < 6; ++i) v(i) = list[static_cast<std::size_t>(i)];
  return v;
}

// The data give joint coordinates from a zero of their own. Here the posture is the design position: all coordinates are zero.
Transformd moved(const std::string& type, const double* q) {
  if (type == "S") return Spherical{}.X_FM<double>(q);
  return type == "R" ? Revolute{}.X_FM<double>(q) : Prismatic{}.X_FM<double>(q);
}
AnyJoint joint_of(const std::string& type) {
  if (type == "S") return Spherical{};
  return type == "R" ? AnyJoint(Revolute{}) : AnyJoint(Prismatic{});
}
// φ tells the tip joint.
AnyJoint tip_of(const json& phi) {
  const std::size_t freedoms = phi[0].size();
  if (freedoms == 0) return Fixed{};
  return freedoms == 1 ? AnyJoint(Revolute{}) : AnyJoint(Spherical{});
}

struct ReferenceCase {
  json data;
  Model model;
  std::vector<Transformd> X_WT;                              // tip frames
  std::map<std::string, std::vector<double>> v, tau, given;  // per joint
  bool cut_at_tips;

  ReferenceCase(const std::string& name, bool at_tips) : data(read_reference(name)), cut_at_tips(at_tips) { build(); }

  std::string name_of(std::size_t chain, std::size_t link) const {
    return "chain " + std::to_string(chain) + " link " + std::to_string(link);
  }
  void build() {
    const json& mechanism = data["mechanism"];
    const json& ref = mechanism["ref"];
    model.gravity = vec3(mechanism["gravity"]);
    const Transformd X_W0{matrix(ref["R"]), vec3(ref["p"])};
    add_body(model, "object", ref["mass"], vec3(ref["com"]), symmetric(ref["I"]), X_W0);
    if (cut_at_tips) {
      add_joint(model, "float", Free{}, "ground", "object", X_W0);
      v["float"] = numbers(ref["v"]);
    }
    const json& chains = mechanism["chains"];
    for (std::size_t c = 0; c < chains.size(); ++c) add_chain(c, chains[c]);
  }
  void add_chain(std::size_t c, const json& chain) {
    Transformd X{matrix(chain["base_R"]), vec3(chain["base_p"])};
    std::string before(ground_name);
    if (chain.contains("base_v")) {
      before = "support " + std::to_string(c);
      add_body(model, before, 1, {}, {1, 1, 1, 0, 0, 0}, X);
      add_joint(model, before, Free{}, "ground", before, X);
      v[before] = numbers(chain["base_v"]);
      given[before] = numbers(chain["base_a"]);
    }
    const std::vector<double> q = numbers(chain["q"]), qd = numbers(chain["qd"]), forces = numbers(chain["tau"]);
    std::size_t iq = 0, iv = 0;
    for (std::size_t i = 0; i < chain["joints"].size(); ++i) {
      const json& joint = chain["joints"][i];
      const AnyJoint type = joint_of(joint["type"]);
      X = X * Transformd{matrix(joint["R"]), vec3(joint["p"])} * moved(joint["type"], &q[iq]);
      const std::string name = name_of(c, i);
      add_body(model, name, joint["mass"], vec3(joint["com"]), symmetric(joint["I"]), X);
      add_joint(model, name, type, before, name, X);
      const auto n = static_cast<std::size_t>(nv(type));
      v[name].assign(&qd[iv], &qd[iv] + n);
      tau[name].assign(&forces[iv], &forces[iv] + n);
      iq += static_cast<std::size_t>(nq(type));
      iv += n;
      before = name;
    }
    X = X * Transformd{matrix(chain["tip_R"]), vec3(chain["tip_p"])};
    X_WT.push_back(X);
    const std::string name = "tip " + std::to_string(c);
    add_joint(model, name, tip_of(chain["phi"]), before, "object", X).cut = cut_at_tips;
    tau[name] = numbers(chain["h"]);
    const Transformd X_W0 = model.bodies.front().X_WB;
    EXPECT_LT(norm(X_W0 * vec3(chain["grasp_p"]) - X.p), 1e-9);  // the data are closed
  }
};

// What the tip joints' own velocities are: where the tree runs through them it must be told.
void add_tip_velocities(const ReferenceCase& c, const Mechanism& mechanism, std::vector<double>& v) {
  const json& chains = c.data["mechanism"]["chains"];
  std::vector<double> free = v;
  for (std::size_t k = 0; k < chains.size(); ++k) {
    const JointInfo& tip = mechanism.joints[static_cast<std::size_t>(mechanism.find_joint("tip " + std::to_string(k)))];
    if (tip.role != JointRole::tree) continue;
    for (int i = 0; i < tip.nv; ++i) free[static_cast<std::size_t>(tip.v + i)] = 0;
  }
  // Least squares with all other velocities as they are: exact, because the data move as they should.
  LoopSolver solver(mechanism);
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> J(solver.row_count(), mechanism.nv);
  solver.jacobian(design_state(mechanism).q, {J.data(), static_cast<std::size_t>(J.size())});
  std::vector<int> unknown;
  for (const JointInfo& joint : mechanism.joints) {
    if (joint.role != JointRole::tree || c.v.contains(joint.name)) continue;
    for (int i = 0; i < joint.nv; ++i) unknown.push_back(joint.v + i);
  }
  Eigen::MatrixXd A(J.rows(), static_cast<Eigen::Index>(unknown.size()));
  for (std::size_t i = 0; i < unknown.size(); ++i) A.col(static_cast<Eigen::Index>(i)) = J.col(unknown[i]);
  const Eigen::VectorXd right = J * test::vector(free);
  if (!unknown.empty()) {
    const Eigen::VectorXd found = A.completeOrthogonalDecomposition().solve(-right);
    for (std::size_t i = 0; i < unknown.size(); ++i)
      free[static_cast<std::size_t>(unknown[i])] = found(static_cast<Eigen::Index>(i));
  }
  EXPECT_LT((J * test::vector(free)).norm(), 1e-9);
  v = free;
}

struct Solved {
  Mechanism mechanism;
  Star star;
  std::vector<double> a;
  StarReport report;
  test::Vector6 a_0;  // as the data have it: spatial, in the object's frame
  std::map<std::string, Force<double>> tip_force;
};

Solved solve(const ReferenceCase& c) {
  CompileOptions options;
  for (const auto& [name, list] : c.given) options.keep.push_back(name);  // what is prescribed must have coordinates
  CompileResult result = compile(c.model, options);
  EXPECT_TRUE(result.ok());
  Solved s{.mechanism = std::move(result.mechanism), .star = {}, .a = {}, .report = {}, .a_0 = {}, .tip_force = {}};
  const Mechanism& mechanism = s.mechanism;
  const auto nv = static_cast<std::size_t>(mechanism.nv);
  std::vector<double> v(nv), tau(nv);
  std::vector<char> prescribed(nv);
  s.a.resize(nv);
  const auto put = [&](const auto& per_joint, std::vector<double>& out) {
    for (const auto& [name, list] : per_joint) {
      const JointInfo& joint = mechanism.joints[static_cast<std::size_t>(mechanism.find_joint(name))];
      if (joint.role == JointRole::tree) std::copy(list.begin(), list.end(), out.begin() + joint.v);
    }
  };
  put(c.v, v);
  put(c.tau, tau);
  put(c.given, s.a);
  for (const auto& [name, list] : c.given) {
    const int first = mechanism.joints[static_cast<std::size_t>(mechanism.find_joint(name))].v;
    std::fill_n(prescribed.begin() + first, list.size(), 1);
  }
  add_tip_velocities(c, mechanism, v);
  s.star = find_star(mechanism, prescribed);
  EXPECT_EQ(s.star.why_not, "");
  if (!s.star.found()) return s;
  LillyOrin solver(mechanism, s.star);

  Workspace ws(mechanism);
  const std::vector<double> q = design_state(mechanism).q;
  compute_velocities(mechanism, ws, q, v);
  const int object = mechanism.find_body("object");
  const Transformd X_W0 = c.model.bodies.front().X_WB;
  std::vector<Force<double>> wrench(c.model.bodies.size());
  const Force<double> f_ext = test::force(six(c.data["mechanism"]["ref"]["f_ext"]));
  add_wrench(mechanism, ws, object, Vec3d{}, rotate(X_W0.R, f_ext), wrench);
  std::vector<std::array<double, 6>> known(s.star.chains.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    const auto& h = c.tau.find(mechanism.joints[static_cast<std::size_t>(s.star.chains[k].tip_joint())].name);
    if (h != c.tau.end()) std::copy(h->second.begin(), h->second.end(), known[k].begin());
  }
  s.report = solver.forward_dynamics(q, v, tau, s.a, {.wrench = wrench.data()}, known);

  const Motion<double> A = rotate(transpose(X_W0.R), solver.acceleration_W(object));
  const Motion<double> V = rotate(transpose(X_W0.R), velocity_W(mechanism, ws, object));
  s.a_0 = test::dense(Motion<double>{A.w, A.v - cross(V.w, V.v)});
  for (std::size_t k = 0; k < s.star.chains.size(); ++k) {
    s.tip_force[mechanism.joints[static_cast<std::size_t>(s.star.chains[k].tip_joint())].name] =
        solver.tip_force_W(static_cast<int>(k));
  }
  return s;
}

void expect_accelerations(const ReferenceCase& c, const Solved& s) {
  EXPECT_TRUE(s.report.ok());
  EXPECT_LT(test::relative_error(s.a_0, six(c.data["result"]["a0"])), tolerance);
  const json& qdd = c.data["result"]["qdd"];
  for (std::size_t k = 0; k < qdd.size(); ++k) {
    std::vector<double> found;
    for (std::size_t i = 0; i < c.data["mechanism"]["chains"][k]["joints"].size(); ++i) {
      const JointInfo& joint = s.mechanism.joints[static_cast<std::size_t>(s.mechanism.find_joint(c.name_of(k, i)))];
      for (int f = 0; f < joint.nv && joint.role == JointRole::tree; ++f) {
        found.push_back(s.a[static_cast<std::size_t>(joint.v + f)]);
      }
    }
    const std::vector<double> expected = numbers(qdd[k]);
    if (found.size() == expected.size()) {  // else one of its joints was cut
      EXPECT_LT(error_of(found, expected), tolerance) << "chain " << k;
    } else {
      EXPECT_FALSE(c.cut_at_tips);
    }
  }
}
void expect_forces(const ReferenceCase& c, const Solved& s) {
  for (std::size_t k = 0; k < c.X_WT.size(); ++k) {
    const Force<double> in_tip = rotate(transpose(c.X_WT[k].R), s.tip_force.at("tip " + std::to_string(k)));
    EXPECT_LT(test::relative_error(test::dense(in_tip), six(c.data["result"]["f"][k])), tolerance) << "chain " << k;
  }
}

TEST(LillyOrinReference, three_arms_of_six_freedoms_hold_an_object_firmly) {
  const ReferenceCase c("i_3arms_6dof_weld", true);
  const Solved s = solve(c);
  expect_accelerations(c, s);
  expect_forces(c, s);
  EXPECT_EQ(s.report.rank, 18);
  EXPECT_EQ(s.report.held, 0);
  const ReferenceCase drawn("i_3arms_6dof_weld", false);
  expect_accelerations(drawn, solve(drawn));
}

TEST(LillyOrinReference, three_arms_on_moving_supports_hold_an_object_by_points) {
  const ReferenceCase c("ii_3arms_hard_point_moving_support", true);
  const Solved s = solve(c);
  expect_accelerations(c, s);
  expect_forces(c, s);
  EXPECT_EQ(s.report.rank, 9);
  const ReferenceCase drawn("ii_3arms_hard_point_moving_support", false);
  expect_accelerations(drawn, solve(drawn));
}

TEST(LillyOrinReference, a_hexapod_stands_on_six_feet) {
  const ReferenceCase c("iii_hexapod_type1", true);
  const Solved s = solve(c);
  expect_accelerations(c, s);
  expect_forces(c, s);
  EXPECT_EQ(s.report.rank, 30);
  const ReferenceCase drawn("iii_hexapod_type1", false);  // cut at the feet
  const Solved from_feet = solve(drawn);
  expect_accelerations(drawn, from_feet);
  expect_forces(drawn, from_feet);
}

TEST(LillyOrinReference, short_chains_bind_the_reference_member) {
  const ReferenceCase c("iv_a_short_chains_5_4_3", true);
  const Solved s = solve(c);
  expect_accelerations(c, s);
  expect_forces(c, s);
  EXPECT_EQ(s.report.rank, 12);
  EXPECT_EQ(s.report.held, 3);
  EXPECT_TRUE(s.report.forces_unique);
  const ReferenceCase drawn("iv_a_short_chains_5_4_3", false);
  expect_accelerations(drawn, solve(drawn));
}

TEST(LillyOrinReference, a_parallelogram_on_four_cranks_moves_though_overconstrained) {
  const ReferenceCase c("iv_c_parallelogram_4cranks", true);
  const Solved s = solve(c);
  expect_accelerations(c, s);
  EXPECT_EQ(s.report.rows, 20);
  EXPECT_EQ(s.report.rank, 4);
  EXPECT_EQ(s.report.held, 5);
  EXPECT_FALSE(s.report.forces_unique);
  const ReferenceCase drawn("iv_c_parallelogram_4cranks", false);
  expect_accelerations(drawn, solve(drawn));
}

}  // namespace
}  // namespace trammel
