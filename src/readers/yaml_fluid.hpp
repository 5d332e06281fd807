// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fluid in the native format: the section environment: fluid, and what bodies feel of it. hydrodynamics.hpp says what it means.

#include <functional>

#include "readers/yaml_fields.hpp"
#include "readers/yaml_writing.hpp"

namespace trammel::readers {

// The value of environment: fluid.
void read_fluid(Reading& r, const Node& node);
// `fluid` of a body whose coordinates are in L. Its shapes are known.
void read_hydrodynamics(Reading& r, const Node& node, Body& body, const Transformd& X_WL);
// The body's frame moves by p_LB; the contents stay where they are.
void move_hydrodynamics(Hydrodynamics& h, const Vec3d& p_LB);

// "[{density: 1025, surface: 0}, …]"; empty where there is none.
std::string fluid_text(const Writing& w);
// "{hull: …}" of a body, or empty: then the reader makes the same of nothing.
std::string hydrodynamics_text(const Writing& w, const Body& body,
                               const std::function<std::string(const Shape&)>& shape_text);

// Units of the entries of 6×6 matrices, by row and column.
Dimension added_mass_unit(std::size_t row, std::size_t column);
Dimension drag_unit(std::size_t row, std::size_t column, int power);  // power of the velocity: 1 or 2

}  // namespace trammel::readers
