// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A scene as a view shows it: outlines in the plane of the picture, in metres, in the order in which they are painted.

#include <vector>

#include "results/drawing_outline.hpp"
#include "results/drawing_scene.hpp"

namespace trammel::results {

struct Mark {
  Outline outline;
  Ink ink = Ink::link;
  Fill fill = Fill::none;
};
struct SeenThing {
  const Thing* thing = nullptr;
  double depth = 0;
  std::vector<Mark> marks;
};

// Nearer things come later, and symbols after the bodies that they are on; faint things come first. The scene must outlive what is
// returned. Perspectives want all of it before the eye.
std::vector<SeenThing> see(const Scene& scene, const Camera& camera);

Extent2 extent_of(const std::vector<SeenThing>& things);

}  // namespace trammel::results
