// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "model/fluid_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel {
namespace {

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

void check_media(const Fluid& fluid, Diagnostics& diagnostics) {
  double below = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < fluid.media.size(); ++k) {
    const Medium& medium = fluid.media[k];
    if (!(medium.density >= 0) || !std::isfinite(medium.density)) {
      diagnostics.error(medium.where, "fluid-density",
                        fmt::format("the density of {} is {:.6g} kg/m³", medium.name, medium.density),
                        "give 0 or more: about 1000 for water, 1.2 for air");
    }
    if (!(medium.surface > below) || (std::isinf(medium.surface) && k + 1 < fluid.media.size())) {
      diagnostics.error(medium.where, "fluid-order",
                        fmt::format("the surface of {} is not above that of the medium below it, or one without a "
                                    "surface is not the last",
                                    medium.name),
                        "list the media from the lowest to the highest, each but the last with its 'surface'");
    }
    below = medium.surface;
    const Current& c = medium.current;
    if (!is_finite(c.velocity) || !is_finite(c.acceleration) || c.depth.size() != c.at_depth.size() ||
        !std::is_sorted(c.depth.begin(), c.depth.end(), std::less_equal<>())) {
      diagnostics.error(medium.where, "fluid-current", fmt::format("the current of {} cannot be used", medium.name),
                        "give finite numbers, and depths that increase");
    }
  }
}

void check_waves(const Model& model, Diagnostics& diagnostics) {
  const Fluid& fluid = model.fluid;
  if (fluid.waves.empty()) return;
  const double g = norm(model.gravity);
  const SourceLocation where = fluid.waves.front().where;
  if (fluid.empty() || std::isinf(fluid.media.front().surface) || !(g > 0) || !(fluid.depth > 0)) {
    diagnostics.error(where, "wave-surface", "waves need a free surface, gravity and water below it",
                      "give the lowest medium a 'surface', and a depth above 0 (or none)");
    return;
  }
  const Vec3d up = model.gravity * (-1 / g);
  double trough = 0, steepness = 0;  // where all of them meet; the latter over that at which one alone would break
  for (const Wave& wave : fluid.waves) {
    const Vec3d along = wave.direction - up * dot(up, wave.direction);
    if (!(wave.period > 0) || !std::isfinite(wave.period) || !(wave.height >= 0) || !std::isfinite(wave.height) ||
        !(norm(along) > 1e-9 * norm(wave.direction)) || !std::isfinite(wave.phase)) {
      diagnostics.error(wave.where, "wave-numbers", "a wave cannot be like this",
                        "give a period above 0, a height of 0 or more and a direction that is not vertical");
      continue;
    }
    const double k = solve_wave_number(2 * std::numbers::pi / wave.period, fluid.depth, g);
    const double most = breaking_height(k, fluid.depth);
    if (wave.height > most) {
      diagnostics.error(wave.where, "wave-breaks",
                        fmt::format("a wave {:.4g} m high and {:.4g} m long would break: at most {:.4g} m stand",
                                    wave.height, 2 * std::numbers::pi / k, most),
                        "lower it, or give it a longer period");
      continue;
    }
    trough += wave.height / 2, steepness += wave.height / most;
  }
  if (trough >= fluid.depth) {
    diagnostics.error(
        where, "wave-breaks",
        fmt::format("where the waves meet, their trough is {:.4g} m deep, the water {:.4g} m", trough, fluid.depth),
        "lower them, or give more depth");
  } else if (steepness > 1 + 1e-9) {
    diagnostics.warning(where, "waves-meet",
                        fmt::format("where all {} waves meet they would break: together they are {:.3g} times as steep "
                                    "as one that just stands",
                                    fluid.waves.size(), steepness),
                        "lower them; until then what happens at such crests is beyond the theory of small waves");
  }
}

// Tables of coefficients come with either sign: derivatives such as X_u are negative where matrices are positive.
void check_signs(const Hydrodynamics::Matrix& matrix, const char* what, const char* does, const Body& body,
                 Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < 6; ++i) {
    if (!(matrix[7 * i] < 0)) continue;
    diagnostics.warning(body.in_fluid->where, "hydrodynamics-sign",
                        fmt::format("the {} of body '{}' is negative, {:.6g} in row {}: {}", what, body.name,
                                    matrix[7 * i], i + 1, does),
                        "turn its sign, if the numbers are derivatives such as X_u: matrices have the opposite sign");
    return;
  }
}

void check_matrix(const std::optional<Hydrodynamics::Matrix>& matrix, std::string_view what, const Body& body,
                  Diagnostics& diagnostics) {
  if (!matrix) return;
  const bool finite = std::all_of(matrix->begin(), matrix->end(), [](double x) { return std::isfinite(x); });
  if (!finite) {
    diagnostics.error(body.in_fluid->where, "number-not-finite",
                      fmt::format("the {} of body '{}' is not finite", what, body.name), "give finite numbers");
  } else if (what == "added mass" && asymmetry(*matrix) > 1e-9) {
    diagnostics.error(body.in_fluid->where, "added-mass-symmetry",
                      fmt::format("the added mass of body '{}' is not symmetric", body.name),
                      "give the mean of the two halves, if they come from measurements");
  } else if (what == "added mass") {
    check_signs(*matrix, "added mass", "water that is dragged along has a positive mass", body, diagnostics);
  } else {
    check_signs(*matrix, what == "linear drag" ? "linear drag" : "quadratic drag",
                "it feeds motion instead of damping it", body, diagnostics);
  }
}

void check_body_in_fluid(const Body& body, Diagnostics& diagnostics) {
  const Hydrodynamics& h = *body.in_fluid;
  if (!h.acts) return;
  const auto wrong = [&](SourceLocation where, const std::string& what, const char* fix) {
    diagnostics.error(where, "hydrodynamics-numbers", fmt::format("body '{}': {}", body.name, what), fix);
  };
  if (h.volume && (!(*h.volume >= 0) || !std::isfinite(*h.volume))) {
    wrong(h.where, "the displaced volume is negative or not finite", "give 0 or more");
  }
  check_matrix(h.added_mass, "added mass", body, diagnostics);
  check_matrix(h.linear, "linear drag", body, diagnostics);
  check_matrix(h.quadratic, "quadratic drag", body, diagnostics);
  for (const HullPart& part : h.hull) {
    if (has_hydrodynamics(part.shape.kind)) continue;
    wrong(part.where, fmt::format("a {} cannot be part of a hull", keyword(part.shape.kind)),
          "use rod, cylinder, capsule, sphere, box or ellipsoid");
  }
  for (const Fin& fin : h.fins) {
    if (!(fin.area > 0) || !(fin.aspect > 0) || !(fin.stall > 0) || !(fin.drag >= 0) ||
        std::abs(norm(fin.chord) - 1) > 1e-9 || std::abs(norm(fin.normal) - 1) > 1e-9 ||
        std::abs(dot(fin.chord, fin.normal)) > 1e-9) {
      wrong(fin.where, fmt::format("fin '{}' cannot be like this", fin.name),
            "give an area, an aspect ratio and a stall angle above 0, and a normal square to the chord");
    }
  }
  if (!h.model.empty() && !h.custom) {
    const std::vector<std::string> names = hydrodynamic_model_names();
    diagnostics.error(h.where, "hydrodynamic-model",
                      fmt::format("body '{}' has the hydrodynamic model '{}', which is not there", body.name, h.model),
                      names.empty() ? "register it (docs/add_a_hydrodynamic_model.md); this program has none"
                                    : fmt::format("this program has {}", fmt::join(names, ", ")));
  }
}

}  // namespace

double asymmetry(const Hydrodynamics::Matrix& matrix) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < 6; ++k) {
      largest = std::max(largest, std::abs(matrix[6 * i + k]));
      difference = std::max(difference, std::abs(matrix[6 * i + k] - matrix[6 * k + i]));
    }
  }
  return largest > 0 ? difference / largest : 0;
}

bool has_hydrodynamics(Shape::Kind kind) { return kind != Shape::Kind::plate && kind != Shape::Kind::mesh; }

double breaking_height(double wave_number, double depth) {
  const double shallow = std::isinf(depth) ? 1 : std::tanh(wave_number * depth);
  return 0.142 * 2 * std::numbers::pi / wave_number * shallow;
}

// With x = k depth and y = ω² depth/g: x tanh x = y, by Newton's method from Guo's approximation, which is within 1 %.
// [J. Guo, Coastal Engineering 45 (2002) 71–74]
double solve_wave_number(double omega, double depth, double gravity) {
  const double deep = omega * omega / gravity;
  const double y = deep * depth;
  if (!(y < 700)) return deep;  // tanh is 1 to the last bit
  double x = y / std::pow(1 - std::exp(-std::pow(y, 1.25)), 0.4);
  for (int i = 0; i < 20; ++i) {
    const double t = std::tanh(x), step = (x * t - y) / (t + x * (1 - t * t));
    x -= step;
    if (std::abs(step) <= 1e-15 * x) break;
  }
  return x / depth;
}

Hydrodynamics hydrodynamics_of(const Body& body) {
  Hydrodynamics out = *body.in_fluid;
  if (!out.acts || !out.hull.empty()) return out;
  for (const Shape& shape : body.shapes) {
    if (!has_hydrodynamics(shape.kind)) continue;
    HullPart part;
    part.shape = shape;
    part.where = shape.where;
    out.hull.push_back(std::move(part));
  }
  return out;
}

void check_fluid(const Model& model, Diagnostics& diagnostics) {
  check_media(model.fluid, diagnostics);
  check_waves(model, diagnostics);
  for (const Body& body : model.bodies) {
    check_body_in_fluid(body, diagnostics);
    if (model.fluid.empty() || !body.in_fluid->acts || !body.in_fluid->hull.empty()) continue;
    for (const Shape& shape : body.shapes) {
      if (has_hydrodynamics(shape.kind)) continue;
      diagnostics.warning(shape.where, "fluid-shape",
                          fmt::format("the fluid does not act on the {} of body '{}'", keyword(shape.kind), body.name),
                          "give the body a hull of rods, cylinders, capsules, spheres, boxes or ellipsoids");
    }
  }
}

}  // namespace trammel
