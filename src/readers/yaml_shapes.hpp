// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Solids of a body. Round bars are drawn from point to point, plates corner by corner; every shape can also be given by
// its size and the pose of its own frame S, which is how the writer says what the drawn forms cannot say to the bit.

#include <optional>
#include <string>
#include <vector>

#include "readers/yaml_geometry.hpp"

namespace trammel::readers {

// What a shape is there for. Only solids weigh something; only the others may be meshes, whose files are not looked into.
enum class ShapeUse { solid, visual, collision };

// One shape or a list of them, in the frame L; those with errors are left out.
std::vector<Shape> read_shapes(Reading& r, const Node& node, const std::string& subject, const Transformd& X_WL,
                               ShapeUse use);

// The frame of a bar drawn from P to Q, and of a plate drawn by its corners. Shared with the writer.
Shape bar_between(Shape::Kind kind, const Vec3d& P, const Vec3d& Q, double radius);

}  // namespace trammel::readers
