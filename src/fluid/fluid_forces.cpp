// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All bodies in the fluid, one after the other. Where it is one fluid with one velocity, all is known beforehand; else each piece of hull is
// cut at the surfaces and meets every medium with what lies in it.

#include <algorithm>
#include <array>
#include <cmath>

#include <trammel/fluid_forces.hpp>

#include "fluid/part_forces.hpp"
#include "fluid/uniform_bodies.hpp"
#include "fluid/wet_body.hpp"
#include "kernels/link_view.hpp"

namespace trammel {

using fluid::Found;
using fluid::Sum;
using fluid::Surroundings;
using fluid::WetBody;
using fluid::WetMatrices;
using fluid::WetPart;
using fluid::Wetting;
using fluid::WetVolume;

class FluidForces::Implementation {
 public:
  explicit Implementation(const Mechanism& mech)
      : flow(mech.fluid, mech.parameters.gravity), wet(fluid::wet_bodies_of(mech)) {
    for (const Hydrodynamics& h : mech.hydrodynamics) {
      if (h.custom) kept.push_back(h.custom);
    }
    of_body.resize(wet.bodies.size());
    if (flow.empty()) return;
    first_density = flow.fluid().media.front().density;
    stores_kinetic = flow.is_uniform();
    stores_potential = !flow.has_waves();
    for (const WetBody& b : wet.bodies) has_custom = has_custom || b.custom != nullptr;
  }

  void add(const Mechanism& mech, const Workspace& ws, double t, std::span<ArticulatedInertia<double>> inertia,
           std::span<Force<double>> bias, double h) {
    const Vec3d gravity = ws.parameters().gravity;
    const Tree tree = tree_of(mech);
    const fluid::LinkReader link = kernels<double>().link;
    Surroundings around{.g = gravity};
    if (flow.is_uniform()) {
      const FlowSample sample = flow.in(0, t, {});
      around.density = sample.density, around.u = sample.velocity_W, around.a_f = sample.acceleration_W;
      fluid::UniformTask task{wet.bodies.data(),
                              wet.bodies.size(),
                              wet.parts.data(),
                              of_body.data(),
                              inertia.data(),
                              bias.data(),
                              &damping_,
                              around,
                              h};
      trammel_fluid_kernel(&task, &tree, ws.numbers(), link);
      dissipated = task.dissipated, potential = task.potential;
    } else {
      dissipated = potential = 0;
    }
    for (std::size_t i = 0; i < wet.bodies.size(); ++i) {
      const WetBody& body = wet.bodies[i];
      if (flow.is_uniform() && !has_rest(body)) continue;
      LinkView<double> L;
      link(tree, ws.numbers(), body.link, reinterpret_cast<double*>(&L));
      Sum sum;
      sum.damping = h > 0 ? &damping_ : nullptr;
      if (h > 0) fluid::clear(&damping_, sizeof(damping_));
      Found& found = of_body[i];
      if (flow.is_uniform()) {
        add_rest(sum, body, L, t, around, 1);
        found.sum.take(sum);
      } else {
        const double felt = add_cut(sum, body, L, t, gravity);
        const FlowSample sample = flow.at(t, L.p_WO + L.X_OL * body.centre_L);
        add_rest(sum, body, L, t,
                 {sample.density, sample.velocity_W, sample.acceleration_W, gravity, &flow, 0, t, L.p_WO}, felt);
        found = {sum, L.V, sample.velocity_W, L.p_WO};
      }
      dissipated += sum.dissipated;
      const auto b = static_cast<std::size_t>(body.body);
      fluid::hand_over(sum, h, inertia[b], bias[b]);
    }
  }

  double input(const Mechanism& mech, const Workspace& ws) const {
    if (flow.empty() || (flow.is_still() && flow.is_uniform() && !has_custom)) return 0;
    double power = 0;
    Motion<double> fluid, rate;  // in a uniform flow: (0; u), (0; a_f)
    if (stores_kinetic) {
      const FlowSample s = flow.in(0, last_t, {});
      fluid.v = s.velocity_W, rate.v = s.acceleration_W;
    }
    for (std::size_t i = 0; i < wet.bodies.size(); ++i) {
      const LinkView<double> L = link_view(mech, ws, wet.bodies[i].link);
      const Sum& sum = of_body[i].sum;
      const Force<double> on_body = -(sum.added * L.A + sum.bias);
      power += dot(L.V, on_body) + sum.dissipated;
      if (stores_potential) {  // against gravity alone
        const Vec3d g = ws.parameters().gravity;
        power += dot(L.V, Force<double>{cross(sum.displaced_moment, g), g * sum.displaced});
      }
      if (stores_kinetic) {
        const Motion<double> against = L.V - fluid;
        const Motion<double> grows{L.A.w, L.A.v - (rate.v - cross(L.V.w, fluid.v))};
        power += dot(against, sum.added * grows);
      }
    }
    return power;
  }

  Flow flow;
  fluid::WetBodies wet;
  std::vector<Found> of_body;

  // ½ v_r·I_A v_r, and I_A v_r at the world's origin.
  double kinetic() const {
    double sum = 0;
    for (const Found& f : of_body) {
      const Motion<double> against{f.V.w, f.V.v - f.u};
      sum += 0.5 * dot(against, f.sum.added * against);
    }
    return sum;
  }
  Force<double> momentum() const {
    Force<double> sum;
    for (const Found& f : of_body) sum += shift(f.sum.added * Motion<double>{f.V.w, f.V.v - f.u}, -f.p_WO);
    return sum;
  }

  std::vector<std::shared_ptr<const HydrodynamicModel>> kept;
  double first_density = 0, dissipated = 0, potential = 0, last_t = 0;
  bool stores_kinetic = false, stores_potential = false, has_custom = false;

 private:
  ArticulatedInertia<double> damping_;  // of the body at hand

  static bool has_rest(const WetBody& body) {
    return body.matrices >= 0 || body.first_fin < body.last_fin || body.custom != nullptr;
  }

  // Returns how much of the lowest medium's density the body feels.
  double add_cut(Sum& sum, const WetBody& body, const LinkView<double>& L, double t, const Vec3d& gravity) {
    const std::vector<Medium>& media = flow.fluid().media;
    double felt = 0;
    for (std::size_t k = body.first; k < body.last; ++k) {
      const WetPart& part = wet.parts[k];
      const Vec3d c = L.X_OL * part.X_LS.p, c_W = L.p_WO + c, offset = L.X_OL.R * body.offset_L;
      const Mat3d R = L.X_OL.R * part.X_LS.R;
      WetVolume below;  // the surface under the medium
      Cut lower;
      bool is_used_up = false;  // all of the part lies in media before
      for (std::size_t m = 0; m < media.size(); ++m) {
        Cut upper;
        WetVolume up_to{part.volume, {}};
        if (std::isfinite(media[m].surface)) {
          const FlowSurface surface = flow.surface(m, t, c_W);
          upper = {true, transpose_times(R, surface.normal_W), dot(surface.normal_W, surface.p_W - c_W)};
          if (upper.d < part.reach) up_to = part.below(upper.n, upper.d);
          add_potential(media, m, body, up_to, c_W + offset, R, surface, gravity);
        } else {
          potential += media[m].density * part.volume * body.volume_factor * dot(gravity, c_W + offset);
        }
        if (is_used_up) continue;  // for the potential's sake
        const WetVolume inside = up_to - below;
        if (inside.volume > 1e-15 * part.volume) {
          const Vec3d centre = R * inside.centre();
          const FlowSample sample = flow.in(m, t, c_W + centre);
          Surroundings s{sample.density, sample.velocity_W, sample.acceleration_W, gravity, &flow, m, t, L.p_WO};
          const bool varies = !media[m].current.is_uniform() || (m == 0 && flow.has_waves());
          Wetting wetting{.part = inside.volume / part.volume};
          if (part.form == WetPart::Form::bar) stretch_of(part, lower, upper, wetting);
          Sum more;
          more.damping = sum.damping;
          if (varies) {
            fluid::set_part<true>(more, part, c, L, s, wetting, 0);
          } else {
            fluid::set_part<false>(more, part, c, L, s, wetting, 0);
          }
          sum.take(more);
          fluid::add_buoyancy(sum, c + centre + offset, s.density * inside.volume * body.volume_factor, s);
          felt += sample.density * inside.volume;
        }
        is_used_up = up_to.volume >= part.volume;
        below = up_to, lower = upper;
      }
    }
    const double all = first_density * body.hull_volume;
    return all > 0 ? felt / all : 1;
  }

  struct Cut {
    bool is_there = false;
    Vec3d n;       // in S
    double d = 0;  // below is n·p ≤ d
  };

  // The stretch of a bar's axis whose sections reach below `upper` and above `lower`.
  static void stretch_of(const WetPart& part, const Cut& lower, const Cut& upper, Wetting& wetting) {
    double from = -part.half, to = part.half;
    const auto limit = [&](const Cut& cut, double sign) {  // sign (n_z x) ≤ sign d + r σ
      if (!cut.is_there) return;
      const double slope = sign * cut.n.z, room = sign * cut.d + part.radius * std::hypot(cut.n.x, cut.n.y);
      if (slope > 0) to = std::min(to, room / slope);
      if (slope < 0) from = std::max(from, room / slope);
    };
    limit(upper, 1);
    limit(lower, -1);
    if (!(to > from)) {  // only a round end dips in
      const double end = from >= part.half ? part.half : -part.half;
      from = to = end;
    }
    constexpr double least = 1e-6;
    if (to - from < least * part.half) {
      const double middle = std::clamp(0.5 * (from + to), -part.half * (1 - least), part.half * (1 - least));
      from = middle - least * part.half, to = middle + least * part.half;
    }
    wetting.middle = 0.5 * (from + to);
    wetting.stretch = (to - from) / (2 * part.half);
    wetting.weight = std::min(wetting.part / wetting.stretch, 1.0);
  }

  // Of a surface with density ρ below and ρ' above: (ρ − ρ') |g| ∫ depth dV over what is below it.
  void add_potential(const std::vector<Medium>& media, std::size_t m, const WetBody& body, const WetVolume& up_to,
                     const Vec3d& c_W, const Mat3d& R, const FlowSurface& surface, const Vec3d& gravity) {
    if (!(up_to.volume > 0)) return;
    const double jump = media[m].density - (m + 1 < media.size() ? media[m + 1].density : 0);
    const Vec3d centre = c_W + R * up_to.centre();
    potential += jump * up_to.volume * body.volume_factor * dot(gravity, centre - surface.p_W);
  }

  // Given matrices, fins and users' models.
  void add_rest(Sum& sum, const WetBody& body, const LinkView<double>& L, double t, const Surroundings& s,
                double felt) {
    if (body.matrices >= 0) add_matrices(sum, wet.matrices[static_cast<std::size_t>(body.matrices)], L, s, felt);
    for (std::size_t k = body.first_fin; k < body.last_fin; ++k) {
      const fluid::WetFin& fin = wet.fins[k];
      if (s.flow == nullptr) {
        fluid::add_fin(sum, fin, L.X_OL, L.V, s.density, s.u);
        continue;
      }
      const FlowSample sample = flow_at_fin(t, L.p_WO + L.X_OL * fin.p_L, std::sqrt(fin.area));
      fluid::add_fin(sum, fin, L.X_OL, L.V, sample.density, sample.velocity_W);
    }
    if (body.custom != nullptr) add_custom(sum, body, L, t, s, felt);
  }

  // A fin comes through the surface over its own size.
  FlowSample flow_at_fin(double t, const Vec3d& p_W, double size) const {
    FlowSample sample = flow.at(t, p_W);
    double density = 0;
    constexpr int points = 4;
    for (int i = 0; i < points; ++i) {
      density += flow.at(t, p_W + flow.up() * (size * ((i + 0.5) / points - 0.5))).density / points;
    }
    if (sample.density == 0 && density > 0) sample = flow.in(0, t, p_W);
    sample.density = density;
    return sample;
  }

  static void add_matrices(Sum& sum, const WetMatrices& m, const LinkView<double>& L, const Surroundings& s,
                           double felt) {
    const Transformd X_OH = L.X_OL * m.X_LH;
    const Mat3d& R = X_OH.R;
    const Vec3d v_W = L.V.v + cross(L.V.w, X_OH.p) - s.u;
    const Motion<double> V{transpose_times(R, L.V.w), transpose_times(R, v_W)};
    const auto add_force = [&](Force<double>& to, const Force<double>& F) {
      fluid::add_at(to, X_OH.p, R * F.n, R * F.f);
    };
    if (m.has_added) {
      ArticulatedInertia<double> I{m.added.J * felt, m.added.H * felt, m.added.M * felt};
      const Force<double> P = I * V;
      const Motion<double> a{{}, transpose_times(R, s.a_f - cross(L.V.w, s.u))};
      add_force(sum.bias, cross_force(V, P) - I * a);
      sum.added += shift(rotate(R, I), -X_OH.p);
    }
    if (!m.has_linear && !m.has_quadratic) return;
    const std::array<double, 6> x{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    std::array<double, 6> F{};
    Hydrodynamics::Matrix D{};
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t k = 0; k < 6; ++k) {
        const double linear = m.linear[6 * i + k] * felt, quadratic = m.quadratic[6 * i + k] * felt * std::abs(x[k]);
        F[i] -= (linear + quadratic) * x[k];
        D[6 * i + k] = linear + 2 * quadratic;
      }
    }
    const Force<double> drag{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}};
    add_force(sum.bias, -drag);
    sum.dissipated -= dot(V, drag);
    if (sum.damping != nullptr) {
      const auto at = [&](std::size_t i, std::size_t k) { return 0.5 * (D[6 * i + k] + D[6 * k + i]); };
      const auto block = [&](std::size_t o) {
        return Sym3d{at(o, o), at(o + 1, o + 1), at(o + 2, o + 2), at(o, o + 1), at(o, o + 2), at(o + 1, o + 2)};
      };
      const ArticulatedInertia<double> damping{
          block(0),
          {{at(0, 3), at(1, 3), at(2, 3)}, {at(0, 4), at(1, 4), at(2, 4)}, {at(0, 5), at(1, 5), at(2, 5)}},
          block(3)};
      *sum.damping += shift(rotate(R, damping), -X_OH.p);
    }
  }

  static void add_custom(Sum& sum, const WetBody& body, const LinkView<double>& L, double t, const Surroundings& s,
                         double felt) {
    const Transformd X_OB = L.X_OL * body.X_LB;
    const Mat3d& R = X_OB.R;
    BodyInFluid in;
    in.t = t;
    in.density = s.density;
    in.X_WB = {R, L.p_WO + X_OB.p};
    in.gravity_B = transpose_times(R, s.g);
    in.fluid_velocity_B = transpose_times(R, s.u);
    in.fluid_acceleration_B = transpose_times(R, s.a_f);
    in.V_B = {transpose_times(R, L.V.w), transpose_times(R, L.V.v + cross(L.V.w, X_OB.p))};
    in.V_relative_B = {in.V_B.w, in.V_B.v - in.fluid_velocity_B};
    in.wet = felt;
    in.flow = s.flow;
    FluidReaction out;
    body.custom->add(in, out);
    sum.added += shift(rotate(R, out.added), -X_OB.p);
    fluid::add_at(sum.bias, X_OB.p, R * out.bias.n, R * out.bias.f);
    sum.dissipated += out.dissipated;
    if (sum.damping != nullptr) *sum.damping += shift(rotate(R, out.damping), -X_OB.p);
  }
};

FluidForces::FluidForces(const Mechanism& mechanism) : implementation_(std::make_unique<Implementation>(mechanism)) {}
FluidForces::~FluidForces() = default;
FluidForces::FluidForces(FluidForces&&) noexcept = default;
FluidForces& FluidForces::operator=(FluidForces&&) noexcept = default;

bool FluidForces::empty() const { return implementation_->wet.bodies.empty(); }
const Flow& FluidForces::flow() const { return implementation_->flow; }

void FluidForces::add(const Mechanism& mech, const Workspace& ws, double t,
                      std::span<ArticulatedInertia<double>> inertia, std::span<Force<double>> bias, double h) {
  implementation_->last_t = t;
  implementation_->add(mech, ws, t, inertia, bias, h);
}
void FluidForces::clear_and_add(const Mechanism& mech, const Workspace& ws, double t,
                                std::span<ArticulatedInertia<double>> inertia, std::span<Force<double>> bias,
                                double h) {
  std::fill(inertia.begin(), inertia.end(), ArticulatedInertia<double>{});
  std::fill(bias.begin(), bias.end(), Force<double>{});
  add(mech, ws, t, inertia, bias, h);
}

double FluidForces::dissipated() const { return implementation_->dissipated; }
double FluidForces::kinetic() const { return implementation_->kinetic(); }
double FluidForces::potential() const { return implementation_->potential; }
bool FluidForces::stores_kinetic() const { return implementation_->stores_kinetic; }
bool FluidForces::stores_potential() const { return implementation_->stores_potential; }
double FluidForces::input(const Mechanism& mech, const Workspace& ws) const { return implementation_->input(mech, ws); }
Force<double> FluidForces::momentum() const { return implementation_->momentum(); }

}  // namespace trammel
