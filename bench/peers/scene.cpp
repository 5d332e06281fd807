// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peers/scene.hpp"

#include <algorithm>
#include <stdexcept>

#include <trammel/readers.hpp>

#include "support/random.hpp"

namespace trammel::bench {
namespace {

constexpr int states_per_scene = 64;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void remove(std::vector<double>& numbers) { std::fill(numbers.begin(), numbers.end(), 0.0); }

Model reduced(Model model, const Features& features) {
  for (Joint& joint : model.joints) {
    if (!features.viscous) remove(joint.properties.viscous);
    if (!features.armature) joint.properties.armature.clear();
  }
  return model;
}

void choose_tip(Scene& scene) {
  std::vector<int> depth(scene.model.bodies.size(), 0);
  int deepest = 0;
  for (const test::TreeStep& step : test::walk_tree(scene.model)) {
    depth[at(step.body)] = step.parent == ground ? 1 : depth[at(step.parent)] + 1;
    if (depth[at(step.body)] <= deepest) continue;
    deepest = depth[at(step.body)];
    scene.tip = step.body;
    const Transformd X_BC = inverse(step.X_CB);
    scene.p_B = X_BC.p;
    scene.R_BC = X_BC.R;
  }
}

}  // namespace

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::forward:
      return "forward dynamics";
    case Algorithm::inverse:
      return "inverse dynamics";
    case Algorithm::mass:
      return "mass matrix";
    case Algorithm::jacobian:
      return "Jacobian";
    case Algorithm::kinematics:
      return "kinematics";
  }
  return "";
}

Scene make_scene(const std::string& name, const Model& model, const Features& features) {
  Scene scene;
  scene.name = name;
  scene.model = reduced(test::fit_for_peers(model), features);
  CompileResult compiled = compile(scene.model);
  if (!compiled.ok()) throw std::runtime_error(compiled.diagnostics.to_string());
  scene.mechanism = std::move(compiled.mechanism);
  for (int i = 0; i < states_per_scene; ++i) {
    scene.states.push_back(test::random_state(scene.mechanism, at(i + 1), true));
  }
  choose_tip(scene);
  return scene;
}

Model shipped(const std::string& name) {
  ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + name + ".yaml");
  if (!read.ok()) throw std::runtime_error(read.diagnostics.to_string());
  return read.model;
}

Model hinge_chain(int bodies) {
  Model model;
  test::Random random(1);
  for (int i = 0; i < bodies; ++i) {
    const std::string name = "b" + std::to_string(i);
    const double x = 0.1 * i;
    add_body(model, name, 1, {x + 0.05, 0.01, 0.02}, {0.01, 0.02, 0.025, 0.001, 0, 0});
    add_joint(model, "j" + std::to_string(i), Revolute{}, i == 0 ? "ground" : "b" + std::to_string(i - 1), name,
              frame_at({x, 0, 0}, random.direction()));
  }
  return model;
}

}  // namespace trammel::bench
