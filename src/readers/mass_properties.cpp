// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mass_properties.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/inertia_check.hpp"

namespace trammel::readers {

namespace {

std::optional<double> mass_said_of(const Shape& shape) {
  if (shape.mass) return shape.mass;
  if (shape.density) return *shape.density * volume(shape);
  return std::nullopt;
}

std::vector<double> share_out(const std::vector<Shape>& shapes, std::optional<double> total) {
  const OwnMass own = own_mass(shapes);
  double volume_to_fill = 0;
  for (const Shape& s : shapes) volume_to_fill += mass_said_of(s) ? 0 : volume(s);
  const double rest = total && !own.complete ? *total - own.sum : 0;
  const double scale = total && own.complete && own.sum > 0 ? *total / own.sum : 1;
  std::vector<double> masses;
  for (const Shape& s : shapes) {
    masses.push_back(mass_said_of(s) ? *mass_said_of(s) * scale : rest * (volume(s) / volume_to_fill));
  }
  return masses;
}

}  // namespace

OwnMass own_mass(const std::vector<Shape>& shapes) {
  OwnMass own;
  for (const Shape& s : shapes) {
    if (const auto mass = mass_said_of(s)) {
      own.sum += *mass;
    } else {
      own.complete = false;
    }
  }
  return own;
}

MassProperties mass_of_shapes(const std::vector<Shape>& shapes, std::optional<double> total) {
  const std::vector<double> masses = share_out(shapes, total);
  MassProperties sum;
  Vec3d first_moment;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    sum.mass += masses[i];
    first_moment += inertia_of(shapes[i], masses[i]).h;
  }
  if (total) sum.mass = *total;
  if (!(sum.mass > 0)) return sum;
  sum.com = first_moment * (1 / sum.mass);
  // Each inertia straight at the centre of mass: taken at the origin first, a body 10 km away would lose eight digits.
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Shape moved = shapes[i];
    moved.X_BS.p -= sum.com;
    sum.inertia += inertia_of(moved, masses[i]).I;
  }
  return sum;
}

std::string find_overflow(const std::vector<Shape>& shapes, const MassProperties& sum) {
  const std::string_view found = find_overflow(sum.mass, sum.com, sum.inertia);
  if (found.empty()) return {};
  for (const Shape& s : shapes) {
    if (!std::isfinite(volume(s))) return fmt::format("volume of the {}", keyword(s.kind));
    if (!std::isfinite(mass_said_of(s).value_or(0))) return fmt::format("density × volume of the {}", keyword(s.kind));
  }
  return found == "mass" && shapes.size() > 1 ? "sum of the masses of the shapes" : std::string(found);
}

}  // namespace trammel::readers
