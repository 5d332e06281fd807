// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the model's fluid does to its bodies: added mass with all that follows from it, buoyancy, drag, lift.
//
//   FluidForces fluid(mechanism);
//   compute_velocities(mechanism, ws, q, v);
//   fluid.clear_and_add(mechanism, ws, t, inertia, bias);
//   forward_dynamics(mechanism, ws, q, v, tau, a,
//                    {.inertia = inertia.data(), .bias = bias.data(), .after_velocities = true});
//
// For every body, v_r = V − (0; u) its velocity against the fluid, I_A the added mass, u and a_f velocity and acceleration of the fluid:
//   force on the body = −I_A A − v_r ×* (I_A v_r) + I_A (0; a_f − ω × u) + ρ V (a_f − g) at the centre of buoyancy + drag + lift
// The first term is an inertia, so that no ratio of masses is too much for any step. Gravity never acts on added mass. Where a body
// pierces a surface, only what is wet counts.

#include <span>
#include <string>
#include <vector>

#include <trammel/batch.hpp>
#include <trammel/dynamics.hpp>

namespace trammel {

struct FlowSample {
  double density = 0;
  Vec3d velocity_W, acceleration_W;  // the latter that of a fluid particle
};

// A surface between two media near a place: the plane through `p_W` with this normal, which points out of the lower one.
struct FlowSurface {
  Vec3d p_W, normal_W;
};

// The fluid as it moves.
class Flow {
 public:
  Flow() = default;
  // Solves the dispersion relation of every wave.
  Flow(const Fluid& fluid, const Vec3d& gravity);

  bool empty() const { return fluid_.empty(); }
  const Fluid& fluid() const { return fluid_; }
  const Vec3d& gravity() const { return gravity_; }
  const Vec3d& up() const { return up_; }
  // One fluid with one velocity everywhere.
  bool is_uniform() const { return is_uniform_; }
  bool is_still() const { return is_still_; }
  bool has_waves() const { return !waves_.empty(); }
  int surface_count() const { return surfaces_; }

  FlowSample at(double t, const Vec3d& p_W) const;
  // The same within a medium, or where it would be.
  FlowSample in(std::size_t medium, double t, const Vec3d& p_W) const;
  FlowSurface surface(std::size_t medium, double t, const Vec3d& p_W) const;
  double wave_number(std::size_t wave) const { return waves_[wave].k; }

 private:
  struct AiryWave {
    double amplitude = 0, omega = 0, k = 0, phase = 0;
    Vec3d along;
  };
  double height(const Vec3d& p_W) const { return dot(up_, p_W); }
  double elevation(double t, const Vec3d& p_W) const;
  void add_waves(double t, const Vec3d& p_W, FlowSample& sample) const;

  Fluid fluid_;
  Vec3d gravity_, up_{0, 0, 1};
  std::vector<AiryWave> waves_;
  int surfaces_ = 0;
  bool is_uniform_ = true, is_still_ = true;
};

class FluidForces {
 public:
  // Of all bodies that feel the mechanism's fluid. Copies what it needs.
  explicit FluidForces(const Mechanism& mechanism);
  ~FluidForces();
  FluidForces(FluidForces&&) noexcept;
  FluidForces& operator=(FluidForces&&) noexcept;

  bool empty() const;  // no body feels anything
  const Flow& flow() const;

  // Adds to inertias and bias forces of bodies (see Loads); needs compute_velocities. Does not allocate. With h > 0 for a linearly
  // implicit step of that length: h times the damping is in the inertia too.
  void add(const Mechanism& mechanism, const Workspace& ws, double t, std::span<ArticulatedInertia<double>> inertia,
           std::span<Force<double>> bias, double h = 0);
  // After setting them to zero.
  void clear_and_add(const Mechanism& mechanism, const Workspace& ws, double t,
                     std::span<ArticulatedInertia<double>> inertia, std::span<Force<double>> bias, double h = 0);

  // Of the last call:
  // Power that drag and lift take, W.
  double dissipated() const;
  // Energy of the fluid that moves with the bodies, ½ v_r·I_A v_r, and of the fluid they displace (zero for a body at the surface, or at the
  // world's origin where there is none). Stored, that is given back: the former where the fluid is one and uniform, the latter where its
  // surface is still. What is not stored is input.
  double kinetic() const;
  double potential() const;
  bool stores_kinetic() const;
  bool stores_potential() const;
  // Power that the fluid's own motion puts in; needs accelerations in `ws`.
  double input(const Mechanism& mechanism, const Workspace& ws) const;
  // Momentum of the fluid that moves with the bodies: Σ I_A v_r, at the world's origin in its axes.
  Force<double> momentum() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// The same for many states at once (batch.hpp), all at one time t:
//
//   FluidLanes fluid(mechanism);
//   batch.forward_dynamics(q, v, tau, a, fluid);
//
// Hulls that lie wholly in the lowest medium, where that has one velocity everywhere, run in lanes. Bodies that reach above its surface in any
// state of a block, bodies in waves or in a current that differs from place to place, given matrices, fins and users' models are found state by
// state, as FluidForces does: the same numbers, but no faster. Equal to FluidForces to round-off. One per thread.
class FluidLanes : public LaneLoads {
 public:
  // Copies what it needs, but for the mechanism itself, which must outlive it.
  explicit FluidLanes(const Mechanism& mechanism, double t = 0);
  ~FluidLanes() override;
  FluidLanes(FluidLanes&&) noexcept;
  FluidLanes& operator=(FluidLanes&&) noexcept;

  void set_time(double t);
  OfBlock find(double* workspace, int states) override;
  // Bodies of the last block that did not run in lanes.
  int left_count() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// --- wet and dry ------------------------------------------------------------------------------------------------------------

struct WetBodyReport {
  std::string body;
  double mass = 0, volume = 0;  // the latter of the whole body
  double displaced_mass = 0;    // of the fluid that it displaces where it is
  double net_weight = 0;        // N; negative: it rises
  double wet = 0;               // part of its volume that is below the surface of the first medium
  Vec3d centre_of_buoyancy_B;   // of what it displaces where it is; of the whole body where that is nothing
  Vec3d centre_of_hull_B;       // the same with all of the body in one fluid
  std::array<double, 6>
      added_mass{};   // eigenvalues for the lowest medium's density, at the hull's centre, moments divided by
                      // length²: kg, least first
  double length = 1;  // of the body, by which moments are divided
  std::vector<std::string> sources;  // where coefficients are from
  std::vector<std::string> warnings;
};
struct WetReport {
  std::vector<WetBodyReport> bodies;  // that feel the fluid
  double mass = 0, displaced_mass = 0, net_weight = 0;
  Vec3d centre_of_mass_W, centre_of_buoyancy_W;
  std::vector<std::string> dry;  // moving bodies that feel nothing
};
// At the coordinates q.
WetReport report_fluid(const Mechanism& mechanism, std::span<const double> q, double t = 0);

}  // namespace trammel
