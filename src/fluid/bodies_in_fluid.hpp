// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bodies of a mechanism and the fluid around them: which of them lie wholly in a fluid of one velocity, so that the kernels take them
// (uniform_bodies.hpp, lane_bodies.hpp), and what happens to the others, one state and one body at a time: pieces of hull are cut at the
// surfaces and meet every medium with what lies in it; given matrices, fins and users' models come on top.

#include <memory>
#include <vector>

#include <trammel/fluid_forces.hpp>

#include "fluid/uniform_bodies.hpp"
#include "fluid/wet_body.hpp"

namespace trammel::fluid {

class BodiesInFluid {
 public:
  explicit BodiesInFluid(const Mechanism& mechanism);

  const Flow& flow() const { return flow_; }
  const WetBodies& wet() const { return wet_; }
  std::size_t size() const { return wet_.bodies.size(); }
  bool has_custom() const { return !kept_.empty(); }

  // Given matrices, fins, users' models. In a fluid without surfaces kernels take the hull of such a body; add_rest() is for the rest.
  static bool has_rest(const WetBody& body) {
    return body.matrices >= 0 || body.first_fin < body.last_fin || body.custom != nullptr;
  }
  // Whether kernels may take any body: the lowest medium has one velocity. They leave those that reach above lowest_surface().
  bool lowest_is_uniform() const { return lowest_is_uniform_; }
  double lowest_surface() const { return flow_.fluid().media.front().surface; }
  // Of the lowest medium.
  UniformSurroundings<double> lowest(double t, const Vec3d& gravity) const;
  // Bodies that kernels are not to take at all.
  void mark_left(std::vector<char>& is_left) const;
  // Potential of displaced fluid at the world's origin, by its mass, where it is zero at the surfaces.
  double potential_per_mass(const Vec3d& gravity) const;

  // A body that kernels have left. Adds to `sum` and to `potential`, gives the fluid's velocity around it.
  Vec3d add_left(Sum& sum, const WetBody& body, const LinkView<double>& L, double t, const Vec3d& gravity,
                 double& potential) const;
  // What a body has besides its hull, in a uniform fluid.
  void add_rest(Sum& sum, const WetBody& body, const LinkView<double>& L, double t,
                const UniformSurroundings<double>& around) const;

 private:
  // What of a hull lies in fluids: volume and mass displaced, momentum and its rate as that fluid would have them. With the means of these a
  // body that comes through a surface meets no jump, wherever its centre is.
  struct Immersed {
    double volume = 0, mass = 0;
    Vec3d momentum, force;
  };
  Immersed add_cut(Sum& sum, const WetBody& body, const LinkView<double>& L, double t, const Vec3d& gravity,
                   double& potential) const;
  void add_rest(Sum& sum, const WetBody& body, const LinkView<double>& L, const Surroundings& s, double wet) const;
  void add_fin_cut(Sum& sum, const WetFin& fin, const LinkView<double>& L, double t) const;

  Flow flow_;
  WetBodies wet_;
  std::vector<std::shared_ptr<const HydrodynamicModel>> kept_;
  bool lowest_is_uniform_ = false;
};

}  // namespace trammel::fluid
