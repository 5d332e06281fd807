// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where everything is and how it moves. First run the pass that is needed, then ask for bodies, points and Jacobians:
//
//   Workspace ws(mechanism);
//   compute_velocities(mechanism, ws, q, v);
//   Motion<double> V = velocity_W(mechanism, ws, body);
//
// T is double, Dual or Counted. A body index of `ground` is the world itself.

#include <span>
#include <type_traits>

#include <trammel/workspace.hpp>

namespace trammel {

// A span whose element type is not deduced, so that vectors and arrays can be passed as they are.
template <class T>
using In = std::span<const std::type_identity_t<T>>;
template <class T>
using Out = std::span<std::type_identity_t<T>>;

// Passes over the tree. Each does what the ones before it do.
template <class T>
void compute_positions(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q);
template <class T>
void compute_velocities(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v);
template <class T>
void compute_accelerations(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a);
// Rates of the motion-space columns, for jacobian rates; after compute_velocities with the same q and v.
template <class T>
void compute_motion_rates(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v);
// Link inertias in world axes; after compute_positions.
template <class T>
void compute_inertias(const Mechanism& mechanism, BasicWorkspace<T>& ws);

// Pose of a body; needs compute_positions.
template <class T>
Transform<T> pose_WB(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body);

// [ω; v] of the body, v that of its point p_B (default: its origin), in world axes; needs compute_velocities.
template <class T>
Motion<T> velocity_W(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B = {});

// [α; a] of the body, a that of its point p_B: the classical acceleration d²p/dt², in world axes; needs
// compute_accelerations or a dynamics call.
template <class T>
Motion<T> acceleration_W(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B = {});

// The 6×nv Jacobian of point p_B of a body, row-major: [ω; v] = J v. World axes, or the body's own axes. Needs
// compute_positions.
template <class T>
void jacobian_W(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J);
template <class T>
void jacobian_B(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J);

// dJ/dt, component by component in the frame of the name. Needs compute_velocities and compute_motion_rates.
template <class T>
void jacobian_rate_W(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J);
template <class T>
void jacobian_rate_B(const Mechanism& mechanism, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J);

}  // namespace trammel
