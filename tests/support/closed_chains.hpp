// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models of the files tests/reference/data/closed_chain_*.json: chains of links that hold an object.

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <trammel/mechanism.hpp>

#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test::closed_chains {

using nlohmann::json;

inline Vec3d vec(const json& j) { return {j[0], j[1], j[2]}; }
inline Mat3d rows(const json& j) {
  return {{j[0][0], j[1][0], j[2][0]}, {j[0][1], j[1][1], j[2][1]}, {j[0][2], j[1][2], j[2][2]}};
}
inline Sym3d symmetric(const json& j) { return {j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2]}; }

// The mechanism as it stands at the state of the file: all coordinates are zero there.
struct Case {
  json data;
  Model model;
  std::vector<std::string> tips;                // joints between chains and object
  std::vector<std::vector<std::string>> chain;  // joints
  std::vector<Transformd> X_WT;                 // tip frames
  std::vector<std::string> last;                // links at the tips

  explicit Case(const std::string& name) {
    std::ifstream file(source_dir() + "/tests/reference/data/closed_chain_" + name + ".json");
    data = json::parse(file);
    const json& mechanism = data["mechanism"];
    model.name = name;
    model.gravity = vec(mechanism["gravity"]);
    const json& ref = mechanism["ref"];
    add_body(model, "object", ref["mass"], vec(ref["com"]), symmetric(ref["I"]), {rows(ref["R"]), vec(ref["p"])});
    int k = 0;
    for (const json& c : mechanism["chains"]) add_chain(c, k++);
  }

  void add_chain(const json& c, int k) {
    Transformd X{rows(c["base_R"]), vec(c["base_p"])};
    std::string before(ground_name);
    const std::string prefix = "c" + std::to_string(k);
    if (c.contains("base_v")) {
      before = prefix + "support";
      add_body(model, before, 1, {}, {1, 1, 1, 0, 0, 0}, X);
      add_joint(model, before, Free{}, std::string(ground_name), before, X);
    }
    chain.emplace_back();
    std::size_t at = 0;
    for (std::size_t i = 0; i < c["joints"].size(); ++i) {
      const json& joint = c["joints"][i];
      const std::string type = joint["type"], name = prefix + "j" + std::to_string(i);
      X = X * Transformd{rows(joint["R"]), vec(joint["p"])};
      AnyJoint pair;
      if (type == "R") {
        X = X * Transformd{rotation_z(c["q"][at].get<double>()), {}};
        pair = Revolute{};
      } else if (type == "P") {
        X = X * Transformd::translation({0, 0, c["q"][at].get<double>()});
        pair = Prismatic{};
      } else {
        const json& q = c["q"][at].is_array() ? c["q"][at] : c["q"];
        const std::size_t first = c["q"][at].is_array() ? 0 : at;
        X = X * Transformd{rotation_of(Quaternion<double>{q[first], q[first + 1], q[first + 2], q[first + 3]}), {}};
        pair = Spherical{};
        if (!c["q"][at].is_array()) at += 3;
      }
      ++at;
      add_body(model, name, joint["mass"], vec(joint["com"]), symmetric(joint["I"]), X);
      add_joint(model, name, pair, before, name, X);
      chain.back().push_back(name);
      before = name;
    }
    const Transformd X_tip = X * Transformd{rows(c["tip_R"]), vec(c["tip_p"])};
    const std::size_t free = c["phi"][0].size();
    const AnyJoint pair = free == 0 ? AnyJoint(Fixed{}) : free == 1 ? AnyJoint(Revolute{}) : AnyJoint(Spherical{});
    tips.push_back(prefix + "tip");
    last.push_back(before);
    X_WT.push_back(X_tip);
    add_joint(model, tips.back(), pair, before, "object", X_tip);
    if (k > 0) model.joints.back().cut = true;
  }
};

inline std::vector<double> flat(const json& j) {
  std::vector<double> out;
  for (const json& x : j) {
    if (x.is_array()) {
      for (const double y : flat(x)) out.push_back(y);
    } else {
      out.push_back(x);
    }
  }
  return out;
}

}  // namespace trammel::test::closed_chains
