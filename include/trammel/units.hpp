// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Units of a model file. Inside trammel all is SI and radians; readers multiply by to_si(dimension), writers divide.
// Force is a base dimension of its own, because files mix mm, kg and N.

#include <string>

namespace trammel {

// Exponents of a quantity; a moment of inertia is {.mass = 1, .length = 2}, a torque {.length = 1, .force = 1}.
struct Dimension {
  int length = 0, angle = 0, mass = 0, time = 0, force = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension none{};
inline constexpr Dimension length{.length = 1};
inline constexpr Dimension angle{.angle = 1};
inline constexpr Dimension mass{.mass = 1};
inline constexpr Dimension inertia{.length = 2, .mass = 1};
inline constexpr Dimension density{.length = -3, .mass = 1};
inline constexpr Dimension acceleration{.length = 1, .time = -2};
inline constexpr Dimension force{.force = 1};
inline constexpr Dimension torque{.length = 1, .force = 1};
}  // namespace dimension

struct Units {
  std::string length = "m", angle = "rad", mass = "kg", time = "s", force = "N";
  double length_si = 1, angle_si = 1, mass_si = 1, time_si = 1, force_si = 1;

  double to_si(const Dimension& d) const;
  // A number of the file in SI and back. Rounded once where the factor is a whole number or one over it, so that
  // 9810 mm/s² is 9.81 m/s² to the last bit; number · to_si(d) is not.
  double in_si(double number, const Dimension& d) const;
  double from_si(double number, const Dimension& d) const;
  // "mm", "mm/s", "N mm s/deg"; "1" for a pure number.
  std::string name(const Dimension& d) const;
  bool is_si() const { return length_si == 1 && angle_si == 1 && mass_si == 1 && time_si == 1 && force_si == 1; }
};

// Sets one unit by name, e.g. ("length", "mm"). False when the unit is not known for that quantity.
bool set_unit(Units& units, const std::string& quantity, const std::string& unit);
// "m, mm, cm, ..." for messages.
std::string known_units(const std::string& quantity);

}  // namespace trammel
