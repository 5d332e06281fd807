// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Systems of the reference cases, drawn where they are at the impact: all coordinates are zero.

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include <trammel/impact.hpp>

#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {

inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}
inline Vec3d vector_of(const nlohmann::json& j) { return {j.at(0), j.at(1), j.at(2)}; }
inline Mat3d matrix_of(const nlohmann::json& j) {  // rows
  return {{j[0][0], j[1][0], j[2][0]}, {j[0][1], j[1][1], j[2][1]}, {j[0][2], j[1][2], j[2][2]}};
}
inline Sym3d inertia_of_rows(const nlohmann::json& j) { return {j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2]}; }

// Three uniform rods of 1 m and 1 kg in the plane z = 0, the hand at the origin, the last along +y, the others along +x: the posture that
// fits the text of Yoshida et al. 1992, sec. 6. The rod with the hand is the base of the tree.
inline Model three_rods(AnyJoint base, double mass_of_base = 1) {
  Model model;
  model.gravity = {};
  const auto rod = [&](const std::string& name, const Vec3d& from, const Vec3d& to, double mass) {
    const Vec3d d = to - from;
    const double i = mass / 12, thin = mass * 1e-4;  // about the rod's own axis anything that is not zero
    const Sym3d I = std::abs(d.x) > 0.5 ? Sym3d{thin, i, i, 0, 0, 0} : Sym3d{i, thin, i, 0, 0, 0};
    add_body(model, name, mass, {}, I, Transformd::translation((from + to) * 0.5));
  };
  rod("hand", {0, 0, 0}, {0, 1, 0}, mass_of_base);
  rod("middle", {0, 1, 0}, {1, 1, 0}, 1);
  rod("far", {1, 1, 0}, {2, 1, 0}, 1);
  add_joint(model, "base", base, "ground", "hand", Transformd::translation({0, 0.5, 0}));
  add_joint(model, "wrist", Revolute{}, "hand", "middle", Transformd::translation({0, 1, 0}));
  add_joint(model, "elbow", Revolute{}, "middle", "far", Transformd::translation({1, 1, 0}));
  return model;
}

// The chain A of impact_6d_plastic_elastic.json, and the body B before it, with its velocities.
struct ChainAndBody {
  Model model;
  Mechanism mechanism;
  State state;
  Vec3d contact_W;
  int hand = 0, target = 0;
  Vec3d hand_p;
};
inline ChainAndBody chain_and_body(const nlohmann::json& params) {
  ChainAndBody out;
  const nlohmann::json& A = params["A"];
  Transformd X{matrix_of(A["base_R"]), vector_of(A["base_p"])};
  out.model.gravity = {};
  add_body(out.model, "base", A["base_mass"], vector_of(A["base_com"]), inertia_of_rows(A["base_I"]), X);
  add_joint(out.model, "base", Free{}, "ground", "base", X);
  const Mat3d R_base = X.R;
  for (std::size_t i = 0; i < 3; ++i) {
    const nlohmann::json& j = A["joints"][i];
    const Transformd at = X * Transformd{matrix_of(j["R"]), vector_of(j["p"])};
    const Vec3d axis = vector_of(j["axis"]);
    X = at * Transformd{exp_rotation(axis * double(A["q"][i])), {}};
    const std::string name = "link" + std::to_string(i + 1), before = i == 0 ? "base" : "link" + std::to_string(i);
    add_body(out.model, name, j["mass"], vector_of(j["com"]), inertia_of_rows(j["I"]), X);
    add_joint(out.model, "joint" + std::to_string(i + 1), Revolute{}, before, name, frame_at(at.p, at.R * axis));
  }
  out.hand_p = vector_of(A["hand_p"]);
  out.contact_W = X * out.hand_p;
  const nlohmann::json& B = params["B"];
  const Transformd X_B = Transformd::translation(vector_of(B["com"]));
  add_body(out.model, "target", B["mass"], {}, inertia_of_rows(B["I_world"]), X_B);
  add_joint(out.model, "target", Free{}, "ground", "target", X_B);
  out.mechanism = compiled(out.model);
  out.hand = out.mechanism.find_body("link3"), out.target = out.mechanism.find_body("target");
  out.state = design_state(out.mechanism);
  const nlohmann::json& u = params["u_before"];  // v of the base's origin, w, rates
  const auto put = [&](const std::string& joint, const std::vector<double>& v) {
    const JointInfo& info = out.mechanism.joints[static_cast<std::size_t>(out.mechanism.find_joint(joint))];
    for (std::size_t k = 0; k < v.size(); ++k) out.state.v[static_cast<std::size_t>(info.v) + k] = v[k];
  };
  const Vec3d w = transpose_times(R_base, Vec3d{u[3], u[4], u[5]}),
              v = transpose_times(R_base, Vec3d{u[0], u[1], u[2]});
  put("base", {w.x, w.y, w.z, v.x, v.y, v.z});
  for (std::size_t i = 0; i < 3; ++i) put("joint" + std::to_string(i + 1), {u[6 + i]});
  const Vec3d wB = vector_of(B["w"]), vB = vector_of(B["v_com"]);
  put("target", {wB.x, wB.y, wB.z, vB.x, vB.y, vB.z});
  return out;
}

}  // namespace trammel::test
