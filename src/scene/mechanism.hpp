// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What does not change in a scene: bodies and their shapes, joints and all else that connects them, surroundings.

#include <trammel/scene.hpp>

#include "scene/bundle.hpp"

namespace trammel::scene {

// Files of meshes, each once, as they are.
struct Mesh {
  std::string name = {}, format = {}, bytes = {};
  std::string missing = {};  // why it is not there; empty: it is
};
struct Meshes {
  std::vector<Mesh> list;
};

// Bodies, joints, constraints, couplings, springs, points and contacts into `head`.
void add_mechanism(const Model& model, const Mechanism& mechanism, const DrawnPosition& position,
                   const SceneTexts& texts, Json& head, Meshes& meshes);
// Names, units, up, plane, texts.
void add_texts(const Mechanism& mechanism, const DrawnPosition& position, const SceneTexts& texts, Json& head);
// Terrain and water.
void add_surroundings(const Model& model, Bundle& bundle, Json& head);
void add_meshes(const Meshes& meshes, Bundle& bundle, Json& head);

}  // namespace trammel::scene
