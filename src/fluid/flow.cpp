// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where the fluid is and how it moves. Acceleration is that of a particle, Du/Dt = ∂u/∂t + (u·∇) u of the current; of waves, whose theory is
// linear, ∂u/∂t.
//
// Airy waves over a bottom at depth d (or none), z' from the still surface, θ = k·x − ω t + phase, C = cosh k(z' + d)/sinh kd, S likewise:
//   η = a cos θ,  u = a ω C cos θ along the wave, a ω S sin θ upwards;  u̇ = a ω² C sin θ, −a ω² S cos θ
// Wheeler's stretching takes them at z' = d (z − η)/(d + η), so that the surface's own velocity is that of z' = 0. [J. D. Wheeler 1970]

#include <cmath>
#include <numbers>

#include <trammel/core/gradient.hpp>
#include <trammel/fluid_forces.hpp>

namespace trammel {

Flow::Flow(const Fluid& fluid, const Vec3d& gravity) : fluid_(fluid), gravity_(gravity) {
  const double g = norm(gravity);
  if (g > 0) up_ = gravity * (-1 / g);
  for (const Medium& medium : fluid_.media) {
    if (std::isfinite(medium.surface)) ++surfaces_;
    is_uniform_ = is_uniform_ && medium.current.is_uniform();
    is_still_ = is_still_ && medium.current.is_still();
  }
  for (const Wave& wave : fluid_.waves) {
    const double omega = 2 * std::numbers::pi / wave.period;
    const Vec3d along = wave.direction - up_ * dot(up_, wave.direction);
    waves_.push_back({.amplitude = wave.height / 2,
                      .omega = omega,
                      .k = solve_wave_number(omega, fluid_.depth, g),
                      .phase = wave.phase,
                      .along = along * (1 / norm(along))});
  }
  is_uniform_ = is_uniform_ && fluid_.media.size() <= 1 && surfaces_ == 0;
  is_still_ = is_still_ && waves_.empty();
}

double Flow::elevation(double t, const Vec3d& p_W) const {
  double eta = 0;
  for (const AiryWave& w : waves_) eta += w.amplitude * std::cos(w.k * dot(w.along, p_W) - w.omega * t + w.phase);
  return eta;
}

FlowSurface Flow::surface(std::size_t medium, double t, const Vec3d& p_W) const {
  const double level = fluid_.media[medium].surface;
  if (medium > 0 || waves_.empty()) return {p_W + up_ * (level - height(p_W)), up_};
  double eta = 0;
  Vec3d slope;
  for (const AiryWave& w : waves_) {
    const double theta = w.k * dot(w.along, p_W) - w.omega * t + w.phase;
    eta += w.amplitude * std::cos(theta);
    slope += w.along * (-w.amplitude * w.k * std::sin(theta));
  }
  const Vec3d normal = up_ - slope;
  return {p_W + up_ * (level + eta - height(p_W)), normal * (1 / norm(normal))};
}

void Flow::add_waves(double t, const Vec3d& p_W, FlowSample& sample) const {
  const double eta = elevation(t, p_W), d = fluid_.depth;
  const double z = height(p_W) - fluid_.media.front().surface;
  const double from_surface = std::isinf(d) ? z - eta : d * (z - eta) / (d + eta);
  for (const AiryWave& w : waves_) {
    const double x = std::min(w.k * from_surface, 0.0), theta = w.k * dot(w.along, p_W) - w.omega * t + w.phase;
    // cosh and sinh of k(z' + d) over sinh kd, without large numbers
    const double decay = std::exp(x), from_bottom = std::isinf(d) ? 0 : std::exp(-2 * (x + w.k * d)),
                 bottom = std::isinf(d) ? 0 : std::exp(-2 * w.k * d);
    const double C = decay * (1 + from_bottom) / (1 - bottom), S = decay * (1 - from_bottom) / (1 - bottom);
    const double speed = w.amplitude * w.omega, c = std::cos(theta), s = std::sin(theta);
    sample.velocity_W += w.along * (speed * C * c) + up_ * (speed * S * s);
    sample.acceleration_W += w.along * (speed * w.omega * C * s) - up_ * (speed * w.omega * S * c);
  }
}

FlowSample Flow::in(std::size_t k, double t, const Vec3d& p_W) const {
  const Medium& medium = fluid_.media[k];
  const Current& c = medium.current;
  FlowSample sample{medium.density, c.velocity + c.acceleration * t, c.acceleration};
  Vec3d by_height;  // ∂u/∂z of the profile
  if (!c.depth.empty()) {
    const double depth = (std::isfinite(medium.surface) ? medium.surface : 0) - height(p_W);
    std::size_t i = 0;
    while (i < c.depth.size() && c.depth[i] < depth) ++i;
    if (i == 0 || i == c.depth.size()) {
      sample.velocity_W += i == 0 ? c.at_depth.front() : c.at_depth.back();
    } else {
      const Vec3d rise = (c.at_depth[i] - c.at_depth[i - 1]) * (1 / (c.depth[i] - c.depth[i - 1]));
      sample.velocity_W += c.at_depth[i - 1] + rise * (depth - c.depth[i - 1]);
      by_height = -rise;
    }
  }
  if (c.formula) {
    using G = Gradient<4>;
    const auto x = G::variables({t, p_W.x, p_W.y, p_W.z});
    const Vec3<G> p{x[1], x[2], x[3]};
    const G ux = (*c.formula)[0].at(x[0], p), uy = (*c.formula)[1].at(x[0], p), uz = (*c.formula)[2].at(x[0], p);
    sample.velocity_W += Vec3d{ux.value, uy.value, uz.value};
    const Vec3d& u = sample.velocity_W;
    const auto rate = [&u](const G& g) { return g.d[0] + u.x * g.d[1] + u.y * g.d[2] + u.z * g.d[3]; };
    sample.acceleration_W += Vec3d{rate(ux), rate(uy), rate(uz)};
  }
  sample.acceleration_W += by_height * dot(up_, sample.velocity_W);
  if (k == 0 && !waves_.empty()) add_waves(t, p_W, sample);
  return sample;
}

FlowSample Flow::at(double t, const Vec3d& p_W) const {
  for (std::size_t k = 0; k < fluid_.media.size(); ++k) {
    const double level = fluid_.media[k].surface + (k == 0 && !waves_.empty() ? elevation(t, p_W) : 0);
    if (height(p_W) <= level) return in(k, t, p_W);
  }
  return {};
}

}  // namespace trammel
