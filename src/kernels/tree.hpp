// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernels see of a mechanism: numbers and pointers, nothing else. This is also all that crosses into the kernel
// library, which is compiled for several instruction-set levels: no class with inline functions that allocate, no Eigen
// type. Members are called as in Mechanism and Parameters, where they are explained.

#include <trammel/spatial/inertia.hpp>
#include <trammel/tree_link.hpp>

#include "kernels/kept_numbers.hpp"

namespace trammel {

// How kernels call back to the custom joints of a mechanism.
struct CustomCalls {
  const void* mechanism = nullptr;
  Transform<double> (*X_FM)(const void* mechanism, int link, const double* q) = nullptr;
  void (*H_FM)(const void* mechanism, int link, const double* q, Motion<double>* columns) = nullptr;
  void (*Hdot_FM)(const void* mechanism, int link, const double* q, const double* v, Motion<double>* columns) = nullptr;
  void (*Hdot_along)(const void* mechanism, int link, const double* q, const double* v, const double* u,
                     Motion<double>* columns) = nullptr;
};

struct Tree {
  int link_count = 0, body_count = 0, point_count = 0, nq = 0, nv = 0;
  const TreeLink* links = nullptr;
  const int* link_of_dof = nullptr;
  const int* link_of_body = nullptr;
  CustomCalls custom = {};
};

// Pointers to Parameters<T>.
template <class T>
struct ParameterArrays {
  const Transform<Kept<T>>* X_PF = nullptr;
  const typename KeptFor<T>::Inertia* inertia = nullptr;
  const Transform<Kept<T>>* X_LB = nullptr;
  const Kept<T>*armature = nullptr, *viscous = nullptr, *dry = nullptr, *dry_speed = nullptr;
  Vec3<T> gravity;
  bool has_friction = true;  // false: viscous and dry are zero throughout
};

}  // namespace trammel
