// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forces and accelerations of trees. With mass matrix M, bias h (Coriolis, centrifugal, weight, external wrenches,
// additions) and joint friction τ_f(v):
//   forward   a = M⁻¹ (τ + τ_f − h)          articulated bodies, O(n)
//   inverse   τ = M a + h − τ_f              recursive Newton–Euler, O(n)
//   hybrid    some a and the other τ given   articulated bodies, O(n)
// T is double, Dual or Counted. No call allocates. Loop closures and couplings are not seen here: these are the
// dynamics of the spanning tree.

#include <trammel/kinematics.hpp>
#include <trammel/loads.hpp>

namespace trammel {

// Adds to `wrench[body]` a force and moment in world axes, acting at point p_B of the body. Needs compute_positions.
template <class T>
void add_wrench(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B,
                const Force<T>& F_W, Out<Force<T>> wrench);
// Adds to `inertia[body]` an inertia given at the body's origin in its own axes.
template <class T>
void add_inertia(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const ArticulatedInertia<T>& I_B,
                 Out<ArticulatedInertia<T>> inertia);

// The outcome of a solve: `ok`; or the first joint whose articulated inertia vanishes, so that its acceleration is not
// determined (a massless link, or one without inertia about the joint's axis); or what was found is not finite, as what was given
// is not, or is too large.
struct DynamicsVerdict {
  int singular_joint = -1;
  bool finite = true;

  bool ok() const { return singular_joint < 0 && finite; }
};

template <class T>
DynamicsVerdict forward_dynamics(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau,
                                 Out<T> a, const BasicLoads<T>& loads = {});

template <class T>
void inverse_dynamics(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
                      const BasicLoads<T>& loads = {});

// prescribed[i] true: a[i] is given and tau[i] found; false: tau[i] is given and a[i] found.
template <class T>
DynamicsVerdict hybrid_dynamics(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v,
                                std::span<const char> prescribed, Out<T> a, Out<T> tau,
                                const BasicLoads<T>& loads = {});

// nv×nv, row-major, full (both triangles); composite rigid bodies, O(n·depth). Includes armature and additions.
template <class T>
void mass_matrix(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, Out<T> M, const BasicLoads<T>& loads = {});

// h(q, v) − τ_f: the joint forces that give zero joint acceleration.
template <class T>
void bias_forces(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v, Out<T> h,
                 const BasicLoads<T>& loads = {});
// The joint forces that hold the mechanism still against its weight alone.
template <class T>
void gravity_forces(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, Out<T> g);
// Friction of the joints at velocity v, as joint forces (they oppose v).
template <class T>
void friction_forces(const Mechanism& mechanism, const BasicWorkspace<T>& ws, In<T> v, Out<T> tau);

template <class T>
struct Energy {
  T kinetic{};    // with the rotors' share, ½ armature v²
  T potential{};  // of the weight of moving bodies; zero at the world's origin
};
// Needs compute_velocities (which it does not repeat).
template <class T>
Energy<T> compute_energy(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> v);

template <class T>
struct Momentum {
  T mass{};
  Vec3<T> com_W;  // centre of mass of all moving bodies; without meaning when mass is 0
  Vec3<T> linear_W;
  Vec3<T> angular_W;  // about the centre of mass
};
// Needs compute_velocities.
template <class T>
Momentum<T> compute_momentum(const Mechanism& mechanism, BasicWorkspace<T>& ws);

// Force and moment at every tree joint and weld: exerted by the joint's first body on its second, in world axes, at
// the origin of M. It holds what the joint transmits in all six directions, drive and friction included. One entry
// per joint of the mechanism; closures get zeros. Needs a dynamics call (or compute_accelerations) with the same loads.
void compute_reactions(const Mechanism& mechanism, Workspace& ws, std::span<Force<double>> reactions,
                       const Loads& loads = {});

}  // namespace trammel
