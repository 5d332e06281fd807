// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The units that files may use, each with its size in SI. A factor below one is, where it can be, kept as division by a
// whole number: 9810 mm/s² is then 9810/1000 = 9.81 to the last bit, which 9810 · 0.001 is not.

#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include <trammel/units.hpp>

namespace trammel {

namespace {

struct KnownUnit {
  std::string_view quantity, name;
  double si;
};

// Inch, foot, pound, pound-force and kilogram-force are exact by definition; a slug is a pound-force · s²/foot.
constexpr std::array known{
    KnownUnit{"length", "m", 1},
    KnownUnit{"length", "mm", 1e-3},
    KnownUnit{"length", "cm", 1e-2},
    KnownUnit{"length", "km", 1e3},
    KnownUnit{"length", "in", 0.0254},
    KnownUnit{"length", "ft", 0.3048},
    KnownUnit{"length", "um", 1e-6},
    KnownUnit{"angle", "rad", 1},
    KnownUnit{"angle", "deg", std::numbers::pi / 180},
    KnownUnit{"angle", "rev", 2 * std::numbers::pi},
    KnownUnit{"mass", "kg", 1},
    KnownUnit{"mass", "g", 1e-3},
    KnownUnit{"mass", "t", 1e3},
    KnownUnit{"mass", "lb", 0.45359237},
    KnownUnit{"mass", "slug", 4.4482216152605 / 0.3048},
    KnownUnit{"time", "s", 1},
    KnownUnit{"time", "ms", 1e-3},
    KnownUnit{"time", "min", 60},
    KnownUnit{"force", "N", 1},
    KnownUnit{"force", "mN", 1e-3},
    KnownUnit{"force", "kN", 1e3},
    KnownUnit{"force", "lbf", 4.4482216152605},
    KnownUnit{"force", "kgf", 9.80665},
};

// A factor as times/over, both as exact as they come.
struct Fraction {
  double times = 1, over = 1;

  void multiply(double factor, int exponent) {
    if (exponent == 0 || factor == 1) return;
    const double inverse = std::round(1 / factor);
    const bool divides = factor < 1 && 1 / inverse == factor;
    double& side = divides == (exponent > 0) ? over : times;
    const double base = divides ? inverse : factor;
    for (int i = 0; i < std::abs(exponent); ++i) side *= base;
  }
};

Fraction fraction(const Units& u, const Dimension& d) {
  Fraction f;
  f.multiply(u.length_si, d.length);
  f.multiply(u.angle_si, d.angle);
  f.multiply(u.mass_si, d.mass);
  f.multiply(u.time_si, d.time);
  f.multiply(u.force_si, d.force);
  return f;
}

void append_factor(std::string& product, const std::string& unit, int exponent) {
  if (exponent == 0) return;
  if (!product.empty()) product += ' ';
  product += unit;
  if (exponent != 1) product += "^" + std::to_string(exponent);
}

}  // namespace

double Units::to_si(const Dimension& d) const {
  const Fraction f = fraction(*this, d);
  return f.times / f.over;
}

double Units::in_si(double number, const Dimension& d) const {
  const Fraction f = fraction(*this, d);
  return number * f.times / f.over;
}

double Units::from_si(double number, const Dimension& d) const {
  const Fraction f = fraction(*this, d);
  return number * f.over / f.times;
}

std::string Units::name(const Dimension& d) const {
  std::string above, below;
  const auto put = [&](const std::string& unit, int exponent) {
    append_factor(exponent > 0 ? above : below, unit, std::abs(exponent));
  };
  put(force, d.force);
  put(mass, d.mass);
  put(length, d.length);
  put(angle, d.angle);
  put(time, d.time);
  if (above.empty()) above = "1";
  return below.empty() ? above : above + "/" + (below.find(' ') == std::string::npos ? below : "(" + below + ")");
}

bool set_unit(Units& units, const std::string& quantity, const std::string& unit) {
  for (const KnownUnit& k : known) {
    if (k.quantity != quantity || k.name != unit) continue;
    const auto assign = [&](std::string& name, double& si) {
      name = unit;
      si = k.si;
    };
    if (quantity == "length") assign(units.length, units.length_si);
    if (quantity == "angle") assign(units.angle, units.angle_si);
    if (quantity == "mass") assign(units.mass, units.mass_si);
    if (quantity == "time") assign(units.time, units.time_si);
    if (quantity == "force") assign(units.force, units.force_si);
    return true;
  }
  return false;
}

std::string known_units(const std::string& quantity) {
  std::string list;
  for (const KnownUnit& k : known) {
    if (k.quantity != quantity) continue;
    if (!list.empty()) list += ", ";
    list += k.name;
  }
  return list;
}

}  // namespace trammel
