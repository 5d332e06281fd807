// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the fluid does, all bodies of one state: those that lie wholly in a fluid of one velocity by the kernel, the others one by one.

#include <trammel/fluid_forces.hpp>

#include "fluid/bodies_in_fluid.hpp"
#include "kernels/link_view.hpp"

namespace trammel {

using fluid::BodiesInFluid;
using fluid::Found;
using fluid::Sum;
using fluid::UniformSurroundings;
using fluid::WetBody;

class FluidForces::Implementation {
 public:
  explicit Implementation(const Mechanism& mech)
      : bodies(mech),
        of_body(bodies.size()),
        is_left(bodies.size()),
        bars_(fluid::lay_out_bars(bodies.wet(), of_body)) {
    if (bodies.flow().empty()) return;
    stores_kinetic = bodies.flow().is_uniform();
    stores_potential = !bodies.flow().has_waves();
  }

  void add(const Mechanism& mech, const Workspace& ws, double t, std::span<ArticulatedInertia<double>> inertia,
           std::span<Force<double>> bias, double h, bool sets) {
    last_t = t;
    dissipated = potential = 0;
    if (sets) clear_what_kernel_does_not_set(inertia, bias);
    if (bodies.size() == 0) return;
    const Vec3d gravity = ws.parameters().gravity;
    const Tree tree = tree_of(mech);
    const bool is_uniform = bodies.flow().is_uniform();
    UniformSurroundings<double> around;
    bodies.mark_left(is_left);
    if (bodies.lowest_is_uniform()) {
      around = bodies.lowest(t, gravity);
      fluid::UniformTask task{bodies.wet().bodies.data(),
                              bodies.size(),
                              bodies.wet().parts.data(),
                              bars_.lanes.data(),
                              bars_.lanes.size(),
                              bars_.constants.data(),
                              bars_.dampings.data(),
                              of_body.data(),
                              inertia.data(),
                              bias.data(),
                              &damping_,
                              around,
                              h,
                              sets,
                              bodies.lowest_surface(),
                              bodies.flow().up(),
                              bodies.potential_per_mass(gravity),
                              is_left.data()};
      trammel_fluid_kernel(&task, &tree, ws.numbers());
      dissipated = task.dissipated, potential = task.potential;
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const WetBody& body = bodies.wet().bodies[i];
      const bool has_rest = is_uniform && BodiesInFluid::has_rest(body);
      if (is_left[i] == 0 && !has_rest) continue;
      const LinkView<double> L = link_view(mech, ws, body.link);
      Sum sum;
      sum.damping = h > 0 ? &damping_ : nullptr;
      if (h > 0) fluid::clear(&damping_, sizeof(damping_));
      if (is_left[i] != 0) {
        const Vec3d u = bodies.add_left(sum, body, L, t, gravity, potential);
        of_body[i] = {sum, L.V, u, L.p_WO};
      } else {
        bodies.add_rest(sum, body, L, t, around);
        of_body[i].sum.take(sum);
      }
      dissipated += sum.dissipated;
      const auto b = static_cast<std::size_t>(body.body);
      fluid::hand_over(sum, h, false, inertia[b], bias[b]);
    }
  }

  double input(const Mechanism& mech, const Workspace& ws) const {
    const Flow& flow = bodies.flow();
    if (flow.empty() || (flow.is_still() && flow.is_uniform() && !bodies.has_custom())) return 0;
    double power = 0;
    Motion<double> fluid, rate;  // in a uniform flow: (0; u), (0; a_f)
    if (stores_kinetic) {
      const FlowSample s = flow.in(0, last_t, {});
      fluid.v = s.velocity_W, rate.v = s.acceleration_W;
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const LinkView<double> L = link_view(mech, ws, bodies.wet().bodies[i].link);
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

  BodiesInFluid bodies;
  std::vector<Found> of_body;
  std::vector<char> is_left;
  double dissipated = 0, potential = 0, last_t = 0;
  bool stores_kinetic = false, stores_potential = false;

 private:
  void clear_what_kernel_does_not_set(std::span<ArticulatedInertia<double>> inertia,
                                      std::span<Force<double>> bias) const {
    if (!bodies.lowest_is_uniform()) {
      std::fill(inertia.begin(), inertia.end(), ArticulatedInertia<double>{});
      std::fill(bias.begin(), bias.end(), Force<double>{});
    } else {
      for (const std::size_t b : bodies.wet().dry_bodies) inertia[b] = {}, bias[b] = {};
    }
  }

  ArticulatedInertia<double> damping_;  // of the body at hand
  fluid::BarRows bars_;
};

FluidForces::FluidForces(const Mechanism& mechanism) : implementation_(std::make_unique<Implementation>(mechanism)) {}
FluidForces::~FluidForces() = default;
FluidForces::FluidForces(FluidForces&&) noexcept = default;
FluidForces& FluidForces::operator=(FluidForces&&) noexcept = default;

bool FluidForces::empty() const { return implementation_->bodies.size() == 0; }
const Flow& FluidForces::flow() const { return implementation_->bodies.flow(); }

void FluidForces::add(const Mechanism& mech, const Workspace& ws, double t,
                      std::span<ArticulatedInertia<double>> inertia, std::span<Force<double>> bias, double h) {
  implementation_->add(mech, ws, t, inertia, bias, h, false);
}
void FluidForces::clear_and_add(const Mechanism& mech, const Workspace& ws, double t,
                                std::span<ArticulatedInertia<double>> inertia, std::span<Force<double>> bias,
                                double h) {
  implementation_->add(mech, ws, t, inertia, bias, h, true);
}

double FluidForces::dissipated() const { return implementation_->dissipated; }
double FluidForces::kinetic() const { return implementation_->kinetic(); }
double FluidForces::potential() const { return implementation_->potential; }
bool FluidForces::stores_kinetic() const { return implementation_->stores_kinetic; }
bool FluidForces::stores_potential() const { return implementation_->stores_potential; }
double FluidForces::input(const Mechanism& mech, const Workspace& ws) const { return implementation_->input(mech, ws); }
Force<double> FluidForces::momentum() const { return implementation_->momentum(); }

}  // namespace trammel
