// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The narrow interface of the kernels: plain functions on plain numbers. `ws` is a workspace: workspace_numbers()
// numbers on a 64-byte boundary, laid out as the kernels like. There are four tables:
//
//   one state of double          in libtrammel-kernels.so     src/kernel_library/
//   a block of states, in lanes  in libtrammel-kernels.so; every number has become `width` numbers of as many states
//   Dual, Counted                in libtrammel                src/dynamics/scalar_kernels.cpp
//
// Of libtrammel-kernels.so the loader takes the one for the best instruction-set level the CPU has (glibc-hwcaps).

#include <cstddef>

#include "kernels/link_state.hpp"

namespace trammel {

enum class Axes { world, body };

// What other functions read of a link's state, in this order; see LinkState and PointState.
template <class T>
struct LinkView {
  Transform<T> X_OL;
  Vec3<T> p_WO;
  Motion<T> V, A;
  RigidInertia<T> M;
};

template <class T>
struct KernelTable {
  int width;
  std::size_t (*workspace_numbers)(const Tree&);
  // To be called first. In a block all states get the same.
  void (*set_parameters)(const Tree&, const ParameterArrays<T>&, T* ws);

  void (*positions)(const Tree&, T* ws, const T* q);
  void (*velocities)(const Tree&, T* ws, const T* q, const T* v);
  void (*accelerations)(const Tree&, T* ws, const T* q, const T* v, const T* a);
  void (*motion_rates)(const Tree&, T* ws, const T* q, const T* v);
  void (*inertias)(const Tree&, T* ws);

  // After one of the above.
  void (*link)(const Tree&, const T* ws, int link, T* view);                           // a LinkView
  void (*pose)(const Tree&, const T* ws, int body, T* X_WB);                           // a Transform
  void (*velocity)(const Tree&, const T* ws, int body, const Vec3<T>& p_B, T* V);      // a Motion
  void (*acceleration)(const Tree&, const T* ws, int body, const Vec3<T>& p_B, T* A);  // a Motion
  void (*jacobian)(const Tree&, const T* ws, Axes, int body, const Vec3<T>& p_B, T* J);
  void (*jacobian_rate)(const Tree&, const T* ws, Axes, int body, const Vec3<T>& p_B, T* J);

  // `singular_joint` gets −1, or the joint whose inertia vanishes.
  void (*forward_dynamics)(const Tree&, T* ws, const T* q, const T* v, const T* tau, T* a, const LoadArrays<T>&,
                           T* singular_joint);
  void (*hybrid_dynamics)(const Tree&, T* ws, const T* q, const T* v, const char* prescribed, T* a, T* tau,
                          const LoadArrays<T>&, T* singular_joint);
  // `a` null: no freedom accelerates
  void (*inverse_dynamics)(const Tree&, T* ws, const T* q, const T* v, const T* a, T* tau, const LoadArrays<T>&);
  void (*gravity_forces)(const Tree&, T* ws, const T* q, T* g);
  void (*mass_matrix)(const Tree&, T* ws, const T* q, T* M, const LoadArrays<T>&);
  // nv×nv matrices, row-major; derivatives.hpp
  void (*inverse_dynamics_derivatives)(const Tree&, T* ws, const T* q, const T* v, const T* a, T* tau, T* tau_q,
                                       T* tau_v, T* M, const LoadArrays<T>&);
  void (*forward_dynamics_derivatives)(const Tree&, T* ws, const T* q, const T* v, const T* tau, T* a, T* a_q, T* a_v,
                                       T* a_tau, const LoadArrays<T>&, T* singular_joint);
  // 6×6; `locked` per freedom, null: none
  void (*mobility)(const Tree&, T* ws, const T* q, int body, const Vec3<T>& p_B, const char* locked, T* G,
                   const LoadArrays<T>&, T* singular_joint);
};

// Of one state; for double, Dual and Counted.
template <class T>
const KernelTable<T>& kernels();

}  // namespace trammel

// All that libtrammel-kernels.so exports.
extern "C" {
const char* trammel_kernel_level();  // "x86-64", "x86-64-v3", "x86-64-v4", or "generic"
const trammel::KernelTable<double>* trammel_double_kernels();
const trammel::KernelTable<double>* trammel_lane_kernels();
}
