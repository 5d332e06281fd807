// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slow balls that spin: Stokes' drag and the lift of Rubinow and Keller (J. Fluid Mech. 11, 1961, pp. 447–459).
//   f = −6π μ r v + π ρ r³ ω × v,    n = −8π μ r³ ω

#include <numbers>
#include <stdexcept>

#include <trammel/hydrodynamics.hpp>

class SlowBall : public trammel::HydrodynamicModel {
 public:
  SlowBall(double radius, double viscosity) : r_(radius), mu_(viscosity) {}

  std::string describe() const override { return "slow spinning ball (Stokes; Rubinow and Keller 1961)"; }

  void add(const trammel::BodyInFluid& body, trammel::FluidReaction& out) const override {
    const trammel::Vec3d &v = body.V_relative_B.v, &w = body.V_relative_B.w;
    const double pi = std::numbers::pi, push = 6 * pi * mu_ * r_, twist = 8 * pi * mu_ * r_ * r_ * r_;
    const trammel::Vec3d lift = cross(w, v) * (pi * body.density * r_ * r_ * r_);
    out.bias += {w * twist, v * push - lift};  // the force on the body is −bias
    out.damping.M += trammel::Sym3d::diagonal(push);
    out.damping.J += trammel::Sym3d::diagonal(twist);
    out.dissipated += push * dot(v, v) + twist * dot(w, w);
  }

 private:
  double r_, mu_;
};

// So that files can say  fluid: {model: slow_ball, parameters: {radius: 0.01, viscosity: 0.001}}.
inline const bool slow_ball_is_registered = trammel::register_hydrodynamic_model(
    "slow_ball",
    [](const trammel::HydrodynamicParameters& numbers) -> std::shared_ptr<const trammel::HydrodynamicModel> {
      const auto number = [&numbers](const char* name) {
        const auto found = numbers.find(name);
        if (found == numbers.end() || found->second.size() != 1)
          throw std::invalid_argument(std::string(name) + " is missing");
        return found->second[0];
      };
      return std::make_shared<SlowBall>(number("radius"), number("viscosity"));
    });
