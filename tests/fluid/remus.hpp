// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The REMUS 100 as T. I. Fossen's PythonVehicleSimulator has it, as a hydrodynamic model of a user: low-speed damping, lift and drag of the
// hull, cross flow, rudder, stern planes and propeller; and eight terms of the added mass's Coriolis matrix taken out again, as there.
// x forward, y to starboard, z down.                   [Fossen 2021, sect. 8.4.2; Allen, Vorus, Prestero, OCEANS 2000, pp. 1869–1873]

#include <cmath>
#include <functional>
#include <numbers>

#include <trammel/hydrodynamics.hpp>

#include "fluid/strip_drag.hpp"

namespace trammel::test {

struct Remus {
  static constexpr double pi = std::numbers::pi;
  static constexpr double rho = 1026, L = 1.6, diameter = 0.19, a = L / 2, b = diameter / 2;
  static constexpr double mass = 4.0 / 3 * pi * rho * a * b * b;
  static constexpr double Ix = 0.4 * mass * b * b, Iy = 0.2 * mass * (a * a + b * b);
};

class RemusModel : public HydrodynamicModel {
 public:
  // Rudder and stern planes over time, rad.
  std::function<double(double)> rudder = [](double) { return 0.0; }, stern = rudder;
  std::array<double, 6> added{};    // surge, sway, heave, roll, pitch, yaw
  std::array<double, 6> damping{};  // likewise, at rest
  bool keeps_munk = false;
  bool rectangle_of_21 = false;  // strips as the simulator sums them

  std::string describe() const override { return "REMUS 100 after Fossen's PythonVehicleSimulator"; }

  void add(const BodyInFluid& body, FluidReaction& out) const override {
    const double u = body.V_relative_B.v.x, v = body.V_relative_B.v.y, w = body.V_relative_B.v.z;
    const double p = body.V_relative_B.w.x, q = body.V_relative_B.w.y, r = body.V_relative_B.w.z;
    const double U = std::sqrt(u * u + v * v + w * w), rho = body.density, pi = Remus::pi;
    std::array<double, 6> tau{};  // X Y Z K M N

    // Coriolis terms that the simulator leaves out.
    if (!keeps_munk) {
      tau[0] += added[2] * w * q - added[1] * v * r;
      tau[1] += added[0] * u * r;
      tau[2] -= added[0] * u * q;
      tau[4] += (added[0] - added[2]) * u * w;
      tau[5] += (added[1] - added[0]) * u * v;
    }
    const std::array<double, 6> nu{u, v, w, p, q, r};
    for (std::size_t i = 0; i < 6; ++i) tau[i] -= damping[i] * nu[i] * (i < 2 ? std::exp(-3 * U) : 1);

    // Hull as a wing.
    const double S = 0.7 * Remus::L * Remus::diameter, aspect = Remus::diameter * Remus::diameter / S;
    const double alpha = std::atan2(w, u), CD0 = 0.42 * pi * Remus::b * Remus::b / S;
    const double CL = pi * aspect / (1 + std::sqrt(1 + aspect * aspect / 4)) * alpha,
                 CD = CD0 + CL * CL / (pi * 0.7 * aspect);
    const double drag = 0.5 * rho * U * U * S * CD, lift = 0.5 * rho * U * U * S * CL;
    tau[0] += -std::cos(alpha) * drag + std::sin(alpha) * lift;
    tau[2] += -std::sin(alpha) * drag - std::cos(alpha) * lift;

    // Cross flow, Hoerner's coefficient for a circle.
    constexpr double Cd = 1.1977288343558283;
    const double k = 0.5 * rho * Remus::diameter * Cd;
    if (rectangle_of_21) {
      for (int i = 0; i <= 20; ++i) {
        const double x = -Remus::L / 2 + i * Remus::L / 20, s = v + x * r, f = -k * std::abs(s) * s * Remus::L / 20;
        tau[1] += f, tau[5] += x * f;
      }
    } else {
      const fluid::StripIntegrals<double> I = fluid::strip_integrals(v * v, v * r, r * r, Remus::L / 2);
      tau[1] -= k * (v * I.I0 + r * I.I1);
      tau[5] -= k * (v * I.I1 + r * I.I2);
    }

    // Rudder and stern planes.
    constexpr double area = 2 * 0.00665;
    const double dr = rudder(body.t), ds = stern(body.t), qh = 0.5 * rho * (u * u + v * v) * area * 0.5,
                 qv = 0.5 * rho * (u * u + w * w) * area * 0.7;
    const double Y = -qh * dr, Z = -qv * ds;
    tau[0] -= qh * dr * dr + qv * ds * ds;
    tau[1] += Y, tau[2] += Z;
    tau[4] += Remus::a * Z, tau[5] -= Remus::a * Y;

    // Propeller, which follows its command of 1525 rpm with a time constant of 1 s.
    const double n = 1525.0 / 60 * (1 - std::exp(-body.t)), D = 0.14, advance = 0.944 * U / D;
    const double slope_T = (0.1798 - 0.4566) / 0.6632, slope_Q = (0.0312 - 0.0700) / 0.6632;
    tau[0] += 0.9 * rho * std::pow(D, 4) * (0.4566 * n * n + slope_T * advance * n);
    tau[3] += 0.1 * rho * std::pow(D, 5) * (0.0700 * n * n + slope_Q * advance * n);

    out.bias -= Force<double>{{tau[3], tau[4], tau[5]}, {tau[0], tau[1], tau[2]}};
  }
};

}  // namespace trammel::test
