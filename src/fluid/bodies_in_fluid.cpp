// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "fluid/bodies_in_fluid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel::fluid {
namespace {

struct Cut {
  bool is_there = false;
  Vec3d n;       // in S
  double d = 0;  // below is n·p ≤ d
};

// The stretch of a bar's axis whose sections reach below `upper` and above `lower`: of the length that strips cover, so that round ends have
// their share.
void stretch_of(const WetPart& part, const Cut& lower, const Cut& upper, Wetting& wetting) {
  const double half = part.strip_half;
  double from = -half, to = half;
  const auto limit = [&](const Cut& cut, double sign) {  // sign (n_z x) ≤ sign d + r σ
    if (!cut.is_there) return;
    const double slope = sign * cut.n.z, room = sign * cut.d + part.radius * std::hypot(cut.n.x, cut.n.y);
    if (slope > 0) to = std::min(to, room / slope);
    if (slope < 0) from = std::max(from, room / slope);
  };
  limit(upper, 1);
  limit(lower, -1);
  if (!(to > from)) {  // only the tip of a round end dips in
    const double end = from >= half ? half : -half;
    from = to = end;
  }
  constexpr double least = 1e-6;
  if (to - from < least * half) {
    const double middle = std::clamp(0.5 * (from + to), -half * (1 - least), half * (1 - least));
    from = middle - least * half, to = middle + least * half;
  }
  wetting.middle = 0.5 * (from + to);
  wetting.stretch = (to - from) / (2 * half);
  wetting.weight = std::min(wetting.part / wetting.stretch, 1.0);
}

void add_matrices(Sum& sum, const WetMatrices& m, const LinkView<double>& L, const Surroundings& s, double felt) {
  const Transformd X_OH = L.X_OL * m.X_LH;
  const Mat3d& R = X_OH.R;
  const Vec3d v_W = L.V.v + cross(L.V.w, X_OH.p) - s.u;
  const Motion<double> V{transpose_times(R, L.V.w), transpose_times(R, v_W)};
  const auto add_force = [&](Force<double>& to, const Force<double>& F) { add_at(to, X_OH.p, R * F.n, R * F.f); };
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

void add_custom(Sum& sum, const WetBody& body, const LinkView<double>& L, const Surroundings& s, double wet) {
  const Transformd X_OB = L.X_OL * body.X_LB;
  const Mat3d& R = X_OB.R;
  BodyInFluid in;
  in.t = s.t;
  in.density = s.density;
  in.X_WB = {R, L.p_WO + X_OB.p};
  in.gravity_B = transpose_times(R, s.g);
  in.fluid_velocity_B = transpose_times(R, s.u);
  in.fluid_acceleration_B = transpose_times(R, s.a_f);
  in.V_B = {transpose_times(R, L.V.w), transpose_times(R, L.V.v + cross(L.V.w, X_OB.p))};
  in.V_relative_B = {in.V_B.w, in.V_B.v - in.fluid_velocity_B};
  in.wet = wet;
  in.flow = s.flow;
  FluidReaction out;
  body.custom->add(in, out);
  sum.added += shift(rotate(R, out.added), -X_OB.p);
  add_at(sum.bias, X_OB.p, R * out.bias.n, R * out.bias.f);
  sum.dissipated += out.dissipated;
  if (sum.damping != nullptr) *sum.damping += shift(rotate(R, out.damping), -X_OB.p);
}

// Of a surface with density ρ below and ρ' above: (ρ − ρ') |g| ∫ depth dV over what is below it.
double potential_at(const FlowSurface& surface, const std::vector<Medium>& media, std::size_t m, const WetVolume& up_to,
                    const Vec3d& c_W, const Mat3d& R, const Vec3d& gravity) {
  if (!(up_to.volume > 0)) return 0;
  const double jump = media[m].density - (m + 1 < media.size() ? media[m + 1].density : 0);
  return jump * up_to.volume * dot(gravity, c_W + R * up_to.centre() - surface.p_W);
}

}  // namespace

BodiesInFluid::BodiesInFluid(const Mechanism& mech)
    : flow_(mech.fluid, mech.parameters.gravity), wet_(wet_bodies_of(mech)) {
  for (const Hydrodynamics& h : mech.hydrodynamics) {
    if (h.custom) kept_.push_back(h.custom);
  }
  if (!flow_.empty()) lowest_is_uniform_ = mech.fluid.media.front().current.is_uniform() && !flow_.has_waves();
}

UniformSurroundings<double> BodiesInFluid::lowest(double t, const Vec3d& gravity) const {
  const FlowSample sample = flow_.in(0, t, {});
  return {sample.density, sample.velocity_W, sample.acceleration_W, gravity};
}

void BodiesInFluid::mark_left(std::vector<char>& is_left) const {
  for (std::size_t i = 0; i < size(); ++i) {
    is_left[i] = static_cast<char>(!lowest_is_uniform_ || (!flow_.is_uniform() && has_rest(wet_.bodies[i])));
  }
}

// Of a body all below: Σ (ρ − ρ') V g·(c − p) over the surfaces, which is ρ V g·c − V Σ (ρ − ρ') g·p.
double BodiesInFluid::potential_per_mass(const Vec3d& gravity) const {
  const std::vector<Medium>& media = flow_.fluid().media;
  double sum = 0;
  for (std::size_t m = 0; m < media.size() && std::isfinite(media[m].surface); ++m) {
    const double jump = media[m].density - (m + 1 < media.size() ? media[m + 1].density : 0);
    sum -= jump * dot(gravity, flow_.up()) * media[m].surface;
  }
  return media.front().density > 0 ? sum / media.front().density : 0;
}

Vec3d BodiesInFluid::add_left(Sum& sum, const WetBody& body, const LinkView<double>& L, double t, const Vec3d& gravity,
                              double& potential) const {
  Immersed in = add_cut(sum, body, L, t, gravity, potential);
  if (!(body.hull_volume > 0)) {  // a point
    const FlowSample sample = flow_.at(t, L.p_WO + L.X_OL * body.centre_L);
    in = {1, sample.density, sample.velocity_W * sample.density, sample.acceleration_W * sample.density};
  }
  const double per_mass = in.mass > 0 ? 1 / in.mass : 0;
  const Vec3d u = in.momentum * per_mass, a_f = in.force * per_mass;
  add_rest(sum, body, L, {{in.volume > 0 ? in.mass / in.volume : 0, u, a_f, gravity}, &flow_, 0, t, L.p_WO},
           body.hull_volume > 0 ? in.volume / body.hull_volume : 1);
  return u;
}

void BodiesInFluid::add_rest(Sum& sum, const WetBody& body, const LinkView<double>& L, double t,
                             const UniformSurroundings<double>& around) const {
  add_rest(sum, body, L, {around, &flow_, 0, t, L.p_WO}, 1);
}

BodiesInFluid::Immersed BodiesInFluid::add_cut(Sum& sum, const WetBody& body, const LinkView<double>& L, double t,
                                               const Vec3d& gravity, double& potential) const {
  const std::vector<Medium>& media = flow_.fluid().media;
  Immersed in;
  for (std::size_t k = body.first; k < body.last; ++k) {
    const WetPart& part = wet_.parts[k];
    const Vec3d c = L.X_OL * part.X_LS.p, c_W = L.p_WO + c, offset = L.X_OL.R * body.offset_L;
    const Mat3d R = L.X_OL.R * part.X_LS.R;
    WetVolume below;  // the surface under the medium
    Cut lower;
    bool is_used_up = false;  // all of the part lies in media before
    for (std::size_t m = 0; m < media.size(); ++m) {
      Cut upper;
      WetVolume up_to{part.volume, {}};
      if (std::isfinite(media[m].surface)) {
        const FlowSurface surface = flow_.surface(m, t, c_W);
        upper = {true, transpose_times(R, surface.normal_W), dot(surface.normal_W, surface.p_W - c_W)};
        if (upper.d < part.reach) up_to = part.below(upper.n, upper.d);
        potential += body.volume_factor * potential_at(surface, media, m, up_to, c_W + offset, R, gravity);
      } else {
        potential += media[m].density * part.volume * body.volume_factor * dot(gravity, c_W + offset);
      }
      if (is_used_up) continue;  // for the potential's sake
      const WetVolume inside = up_to - below;
      if (inside.volume > 1e-15 * part.volume) {
        const Vec3d centre = R * inside.centre();
        const FlowSample sample = flow_.in(m, t, c_W + centre);
        const Surroundings s{{sample.density, sample.velocity_W, sample.acceleration_W, gravity}, &flow_, m, t, L.p_WO};
        const bool varies = !media[m].current.is_uniform() || (m == 0 && flow_.has_waves());
        Wetting wetting{.part = inside.volume / part.volume};
        if (part.form == WetPart::Form::bar) stretch_of(part, lower, upper, wetting);
        Sum more;
        more.damping = sum.damping;
        if (varies) {
          set_part<true>(more, part, c, L.X_OL.R, L.V, s, wetting, 0.0);
        } else {
          set_part<false>(more, part, c, L.X_OL.R, L.V, s, wetting, 0.0);
        }
        sum.take(more);
        add_buoyancy<double>(sum, c + centre + offset, s.density * inside.volume * body.volume_factor, s);
        const double mass = sample.density * inside.volume;
        in.volume += inside.volume, in.mass += mass;
        in.momentum += sample.velocity_W * mass, in.force += sample.acceleration_W * mass;
      }
      is_used_up = up_to.volume >= part.volume;
      if (up_to.volume > below.volume) below = up_to, lower = upper;  // a wave may rise above the next surface
    }
  }
  return in;
}

// Given matrices, fins and users' models. `wet` is the part of the hull that lies in fluids.
void BodiesInFluid::add_rest(Sum& sum, const WetBody& body, const LinkView<double>& L, const Surroundings& s,
                             double wet) const {
  if (body.matrices >= 0) {  // they hold for the lowest medium
    const double lowest = flow_.fluid().media.front().density, felt = lowest > 0 ? wet * s.density / lowest : wet;
    add_matrices(sum, wet_.matrices[static_cast<std::size_t>(body.matrices)], L, s, felt);
  }
  for (std::size_t k = body.first_fin; k < body.last_fin; ++k) {
    if (flow_.is_uniform()) {
      add_fin(sum, wet_.fins[k], L.X_OL, L.V, s.density, s.u);
    } else {
      add_fin_cut(sum, wet_.fins[k], L, s.t);
    }
  }
  if (body.custom != nullptr) add_custom(sum, body, L, s, wet);
}

// A fin meets every medium with the part of it that lies there: it comes through a surface over its own size.
void BodiesInFluid::add_fin_cut(Sum& sum, const WetFin& fin, const LinkView<double>& L, double t) const {
  const std::vector<Medium>& media = flow_.fluid().media;
  const Vec3d p_W = L.p_WO + L.X_OL * fin.p_L;
  const double size = std::sqrt(fin.area);
  double below = 0;  // the surface under the medium
  for (std::size_t m = 0; m < media.size() && below < 1; ++m) {
    double up_to = 1;
    if (std::isfinite(media[m].surface)) {
      const double depth = dot(flow_.up(), flow_.surface(m, t, p_W).p_W - p_W);
      up_to = std::clamp(0.5 + depth / size, below, 1.0);
    }
    if (up_to > below) {
      const FlowSample sample = flow_.in(m, t, p_W);
      add_fin(sum, fin, L.X_OL, L.V, sample.density * (up_to - below), sample.velocity_W);
    }
    below = up_to;
  }
}

}  // namespace trammel::fluid
