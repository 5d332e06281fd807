// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Dynamics for callers: the kernels behind the functions of <trammel/dynamics.hpp>.

#include <algorithm>

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "forces/joint_friction.hpp"
#include "kernels/finite.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/lengths.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {
namespace {

template <class T, class... Found>
DynamicsVerdict verdict_of(const T& singular_joint, Found... found) {
  return {static_cast<int>(value_of(singular_joint)), (all_finite<T>(found) && ...)};
}

}  // namespace

template <class T>
DynamicsVerdict forward_dynamics(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
                                 const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert_nv(mech, v, tau, a);
  T singular_joint;
  kernels<T>().forward_dynamics(tree_of(mech), ws.numbers(), q.data(), v.data(), tau.data(), a.data(), arrays_of(loads),
                                &singular_joint);
  return verdict_of(singular_joint, a);
}

template <class T>
DynamicsVerdict hybrid_dynamics(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v,
                                std::span<const char> prescribed, Out<T> a, Out<T> tau, const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert_nv(mech, v, prescribed, a, tau);
  T singular_joint;
  kernels<T>().hybrid_dynamics(tree_of(mech), ws.numbers(), q.data(), v.data(), prescribed.data(), a.data(), tau.data(),
                               arrays_of(loads), &singular_joint);
  return verdict_of(singular_joint, a, tau);
}

template <class T>
void inverse_dynamics(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
                      const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert_nv(mech, v, a, tau);
  kernels<T>().inverse_dynamics(tree_of(mech), ws.numbers(), q.data(), v.data(), a.data(), tau.data(),
                                arrays_of(loads));
}

template <class T>
void bias_forces(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, Out<T> h, const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert_nv(mech, v, h);
  kernels<T>().inverse_dynamics(tree_of(mech), ws.numbers(), q.data(), v.data(), nullptr, h.data(), arrays_of(loads));
}

template <class T>
void gravity_forces(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, Out<T> g) {
  assert_nq(mech, q);
  assert_nv(mech, g);
  kernels<T>().gravity_forces(tree_of(mech), ws.numbers(), q.data(), g.data());
}

template <class T>
void friction_forces(const Mechanism& mech, const BasicWorkspace<T>& ws, In<T> v, Out<T> tau) {
  assert_nv(mech, v, tau);
  std::fill(tau.begin(), tau.end(), T(0));
  add_joint_friction(tree_of(mech), arrays_of(ws.parameters()), v.data(), tau.data());
}

template <class T>
void mass_matrix(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, Out<T> M, const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert(M.size() == static_cast<std::size_t>(mech.nv) * mech.nv && "nv × nv");
  kernels<T>().mass_matrix(tree_of(mech), ws.numbers(), q.data(), M.data(), arrays_of(loads));
}

#define TRAMMEL_INSTANTIATE(T)                                                                                    \
  template DynamicsVerdict forward_dynamics<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                               const BasicLoads<T>&);                                             \
  template DynamicsVerdict hybrid_dynamics<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>,                 \
                                              std::span<const char>, Out<T>, Out<T>, const BasicLoads<T>&);       \
  template void inverse_dynamics<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>,            \
                                    const BasicLoads<T>&);                                                        \
  template void bias_forces<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, Out<T>, const BasicLoads<T>&); \
  template void gravity_forces<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, Out<T>);                           \
  template void friction_forces<T>(const Mechanism&, const BasicWorkspace<T>&, In<T>, Out<T>);                    \
  template void mass_matrix<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, Out<T>, const BasicLoads<T>&);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel
