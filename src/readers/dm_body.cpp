// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What a link is as a body. Its inertia is given at the link's origin O and wanted at the centre of mass C, c = p_OC:
//   I_C = I_O − m (|c|² 1 − c cᵀ)                                     (1)

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/inertia_check.hpp"
#include "readers/dm_reading.hpp"

namespace trammel::readers::dm {
namespace {

std::optional<Sym3d> read_inertia(Fields& fields) {
  const auto list = fields.numbers("Inertia", 9);
  if (!list) return std::nullopt;
  const std::vector<double>& m = *list;
  double size = 0;
  for (const double x : m) size = std::max(size, std::abs(x));
  const double askew = std::max({std::abs(m[1] - m[3]), std::abs(m[2] - m[6]), std::abs(m[5] - m[7])});
  if (askew > 1e-6 * size) {
    fields.messages().error(fields.find("Inertia")->where, "matrix-wrong",
                            fmt::format("{} is not symmetric: entries across the diagonal differ by {}",
                                        fields.what("Inertia"), rounded(askew)),
                            "give three rows of three, the same above and below the diagonal");
    return std::nullopt;
  }
  return Sym3d{m[0], m[4], m[8], (m[1] + m[3]) / 2, (m[2] + m[6]) / 2, (m[5] + m[7]) / 2};
}

void check_inertia(Fields& fields, const Body& body, SourceLocation where) {
  Messages& messages = fields.messages();
  if (const std::string_view overflow = find_overflow(body.mass, body.com, body.inertia); !overflow.empty()) {
    messages.error(where, "number-not-finite",
                   fmt::format("{} of body '{}' is beyond what a double holds", overflow, body.name),
                   "check the sizes and units");
    return;
  }
  const InertiaJudgement judgement = judge_inertia(body.inertia);
  const std::string moments = fmt::format("{}, {}, {} kg m²", rounded(judgement.principal.x),
                                          rounded(judgement.principal.y), rounded(judgement.principal.z));
  if (judgement.negative) {
    messages.error(where, "inertia-negative",
                   fmt::format("body '{}' has a negative principal moment of inertia: {}", body.name, moments),
                   "give the inertia at the link's origin, not at the centre of mass; check its signs");
  } else if (judgement.triangle) {
    messages.warning(where, "inertia-triangle",
                     fmt::format("body '{}' has principal moments {}: the largest exceeds the sum of the others, "
                                 "which no real body's does",
                                 body.name, moments),
                     "check the inertia; it is used as given");
  }
}

void read_mass(Fields& fields, Body& body) {
  fields.require_all({{"Mass", "a number, in kg"}, {"Inertia", "9 numbers"}, {"Center_of_Gravity", "3 numbers"}});
  const auto mass = fields.number("Mass");
  if (mass && *mass < 0) {
    fields.messages().error(fields.find("Mass")->where, "mass-negative",
                            fmt::format("body '{}' has a negative mass: {} kg", body.name, shortest(*mass)),
                            "give a mass of 0 or more");
    return;
  }
  const auto I_O = read_inertia(fields);
  const auto c = fields.vector("Center_of_Gravity");
  if (!mass || !I_O || !c) return;
  body.mass = *mass;
  body.com = *c;
  const Sym3d moved{c->y * c->y + c->z * c->z,
                    c->x * c->x + c->z * c->z,
                    c->x * c->x + c->y * c->y,
                    -c->x * c->y,
                    -c->x * c->z,
                    -c->y * c->z};
  body.inertia = *I_O - moved * *mass;  // (1)
  check_inertia(fields, body, fields.where());
}

// --- contact points ---------------------------------------------------------------------------------------------------------

constexpr double most_points = 100'000;

void read_points(Reading& r, Fields& fields, const Body& body, std::string_view count_key, std::string_view list_key,
                 bool is_dynamic) {
  const auto count = fields.whole_number(count_key, most_points);
  const Parameter* given = fields.find(list_key);
  if (!count) {
    if (given != nullptr && fields.find(count_key) == nullptr) {
      r.messages.error(given->where, "dm-missing", fmt::format("{} has no {}", fields.subject(), count_key),
                       fmt::format("add {} and the number of points", count_key));
    }
    return;
  }
  if (*count < 0) {
    r.messages.error(fields.find(count_key)->where, "number-out-of-range",
                     fmt::format("{} is {}", fields.what(count_key), *count), "give 0 or more");
    return;
  }
  if (*count == 0) {
    if (given != nullptr) {
      r.messages.warning(given->where, "dm-no-effect",
                         fmt::format("{} has no effect: {} is 0", fields.what(list_key), count_key),
                         "give the number of points, or delete them");
    }
    return;
  }
  if (given == nullptr) {
    r.messages.error(fields.where(), "dm-missing", fmt::format("{} has no {}", fields.subject(), list_key),
                     fmt::format("add {} and three numbers for each of {}", list_key,
                                 count_of(static_cast<std::size_t>(*count), "point")));
    return;
  }
  const auto numbers = fields.numbers(list_key, 3 * static_cast<std::size_t>(*count));
  if (!numbers) return;
  ContactShape shape;
  shape.name = r.shared.contacts.take(body.name + (is_dynamic ? " dynamic points" : " points"));
  shape.body = body.name;
  for (std::size_t i = 0; i + 2 < numbers->size(); i += 3) {
    shape.points.push_back({(*numbers)[i], (*numbers)[i + 1], (*numbers)[i + 2]});
  }
  shape.where = r.place(given->where);
  if (is_dynamic) r.shared.dynamic_contacts.push_back(shape.name);
  r.model().contacts.push_back(std::move(shape));
}

}  // namespace

std::string read_graphics(Reading& r, Fields& fields) {
  if (const auto name = fields.text("Graphics_Model")) return *name;
  const auto index = fields.whole_number("Graphics_Model_Index", 1e6);
  if (!index || *index < 0) return {};  // none
  if (static_cast<std::size_t>(*index) < r.graphics.size()) return r.graphics[static_cast<std::size_t>(*index)];
  r.messages.warning(fields.find("Graphics_Model_Index")->where, "dm-graphics",
                     fmt::format("{} is {}, and Graphics_Models lists {}: it has no picture",
                                 fields.what("Graphics_Model_Index"), *index, count_of(r.graphics.size(), "file")),
                     "count from 0; -1 is none");
  return {};
}

void tell_graphics_of_ground(Reading& r, Fields& fields) {
  if (read_graphics(r, fields).empty()) return;
  const Parameter* found = fields.find("Graphics_Model");
  r.left_out.add((found == nullptr ? fields.find("Graphics_Model_Index") : found)->where, "dm-left-out",
                 "the picture of what is fixed to the ground", "bodies have pictures here, the ground has none");
}

void read_body(Reading& r, Fields& fields, Body& body) {
  read_mass(fields, body);
  if (std::string mesh = read_graphics(r, fields); !mesh.empty()) {
    Shape shape;
    shape.kind = Shape::Kind::mesh;
    shape.mesh = std::move(mesh);
    const Parameter* found = fields.find("Graphics_Model");
    shape.where = r.place(found == nullptr ? fields.where() : found->where);
    body.visuals.push_back(std::move(shape));
  }
  read_points(r, fields, body, "Number_of_Contact_Points", "Contact_Locations", false);
  read_points(r, fields, body, "Number_of_Dynamic_Contact_Points", "Dynamic_Contact_Locations", true);
  read_hydrodynamics(r, fields, body);
}

}  // namespace trammel::readers::dm
