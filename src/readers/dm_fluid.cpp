// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What a link feels of a fluid, as DynaMechs has it: buoyancy of a volume at a point, a constant added mass about the link's origin, and drag of
// one cylinder along an axis of the link, from `min` to `max`, with the same coefficient across (on length · diameter) and along (on the
// end's area). Older files have six coefficients c instead, Drag_Axis −1: F_i = −c_i |V_i| V_i, turning first.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "readers/dm_reading.hpp"

namespace trammel::readers::dm {
namespace {

std::optional<Hydrodynamics::Matrix> read_added_mass(Fields& fields) {
  const auto list = fields.numbers("Added_Mass", Hydrodynamics::size);
  if (!list) return std::nullopt;
  Hydrodynamics::Matrix matrix{};
  double size = 0, askew = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < 6; ++k) {
      const double a = (*list)[6 * i + k], b = (*list)[6 * k + i];
      size = std::max(size, std::abs(a));
      askew = std::max(askew, std::abs(a - b));
      matrix[6 * i + k] = (a + b) / 2;
    }
  }
  if (askew <= 1e-6 * size) return matrix;
  fields.messages().error(fields.find("Added_Mass")->where, "matrix-wrong",
                          fmt::format("{} is not symmetric: entries across the diagonal differ by {}",
                                      fields.what("Added_Mass"), rounded(askew)),
                          "give six rows of six, turning first, the same above and below the diagonal");
  return std::nullopt;
}

// z of the cylinder's frame along the link's axis.
Mat3d along(int axis) {
  if (axis == 0) return {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  if (axis == 1) return {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  return Mat3d::identity();
}

void read_cylinder(Reading& r, Fields& fields, int axis, Hydrodynamics& out) {
  if (!fields.require_all({{"Cylinder_Bounds", "its ends along the axis"},
                           {"Cylinder_Radius", "a length"},
                           {"Drag_Coefficient", "a number"}}))
    return;
  const auto bounds = fields.numbers("Cylinder_Bounds", 2);
  const auto radius = fields.not_negative("Cylinder_Radius"), drag = fields.not_negative("Drag_Coefficient");
  if (!bounds || !radius || !drag) return;
  const double length = (*bounds)[1] - (*bounds)[0];
  if (length == 0 || *radius == 0 || *drag == 0) return;  // no drag
  if (length < 0 || !std::isfinite(length)) {
    r.messages.error(
        fields.find("Cylinder_Bounds")->where, "number-out-of-range",
        fmt::format("{} are {} and {}", fields.what("Cylinder_Bounds"), shortest((*bounds)[0]), shortest((*bounds)[1])),
        "give the lower end first");
    return;
  }
  HullPart part;
  part.shape.kind = Shape::Kind::cylinder;
  part.shape.length = length;
  part.shape.radius = *radius;
  part.shape.X_BS.R = along(axis);
  part.shape.X_BS.p = part.shape.X_BS.R.ez * (((*bounds)[0] + (*bounds)[1]) / 2);
  part.drag = part.drag_along = *drag;
  part.where = part.shape.where = out.where;
  out.hull.push_back(std::move(part));
}

void read_coefficients(Fields& fields, Hydrodynamics& out) {
  fields.require("Drag_Coefficients", "6 numbers");
  const auto list = fields.numbers("Drag_Coefficients", 6);
  if (!list || std::all_of(list->begin(), list->end(), [](double c) { return c == 0; })) return;
  out.quadratic.emplace();
  for (std::size_t i = 0; i < 6; ++i) (*out.quadratic)[7 * i] = (*list)[i];
}

}  // namespace

void read_hydrodynamics(Reading& r, Fields& fields, Body& body) {
  const Parameter* first = nullptr;
  for (const char* key : {"Volume", "Added_Mass", "Center_of_Buoyancy", "Drag_Axis"}) {
    if (const Parameter* found = fields.find(key); found != nullptr && first == nullptr) first = found;
  }
  if (first == nullptr) return;
  Hydrodynamics& out = *body.in_fluid;
  out.where = r.place(first->where);
  out.volume = fields.not_negative("Volume").value_or(0);
  out.buoyancy_at = fields.vector("Center_of_Buoyancy").value_or(Vec3d{});
  out.added_mass = read_added_mass(fields);
  out.hull_added_mass = false;
  const auto axis = fields.whole_number("Drag_Axis", 2);
  if (!axis) return;
  if (*axis >= 0) {
    read_cylinder(r, fields, *axis, out);
  } else if (*axis == -1) {
    read_coefficients(fields, out);
  } else {
    r.messages.error(fields.find("Drag_Axis")->where, "number-out-of-range",
                     fmt::format("{} is {}", fields.what("Drag_Axis"), *axis),
                     "write 0, 1 or 2 for x, y or z, or -1 with Drag_Coefficients");
  }
}

}  // namespace trammel::readers::dm
