// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives for callers: the kernels behind the functions of <trammel/derivatives.hpp>.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/derivatives.hpp>

#include "kernels/finite.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/lengths.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {
namespace {

template <class... Spans>
void assert_square([[maybe_unused]] const Mechanism& mech, [[maybe_unused]] const Spans&... matrices) {
  assert(((matrices.size() == static_cast<std::size_t>(mech.nv) * mech.nv) && ...) && "nv × nv");
}

}  // namespace

template <class T>
void inverse_dynamics_derivatives(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
                                  const std::type_identity_t<InverseDerivatives<T>>& d, const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert_nv(mech, v, a, tau);
  assert_square(mech, d.tau_q, d.tau_v, d.M);
  kernels<T>().inverse_dynamics_derivatives(tree_of(mech), ws.numbers(), q.data(), v.data(), a.data(), tau.data(),
                                            d.tau_q.data(), d.tau_v.data(), d.M.data(), arrays_of(loads));
}

template <class T>
DynamicsVerdict forward_dynamics_derivatives(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau,
                                             Out<T> a, const std::type_identity_t<ForwardDerivatives<T>>& d,
                                             const BasicLoads<T>& loads) {
  assert_nq(mech, q);
  assert_nv(mech, v, tau, a);
  assert_square(mech, d.a_q, d.a_v, d.a_tau);
  T singular_joint;
  kernels<T>().forward_dynamics_derivatives(tree_of(mech), ws.numbers(), q.data(), v.data(), tau.data(), a.data(),
                                            d.a_q.data(), d.a_v.data(), d.a_tau.data(), arrays_of(loads),
                                            &singular_joint);
  return {static_cast<int>(value_of(singular_joint)), all_finite<T>(a)};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define TRAMMEL_INSTANTIATE(T)                                                                                         \
  template void inverse_dynamics_derivatives<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>,     \
                                                const std::type_identity_t<InverseDerivatives<T>>&,                    \
                                                const BasicLoads<T>&);                                                 \
  template DynamicsVerdict forward_dynamics_derivatives<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>,  \
                                                           Out<T>, const std::type_identity_t<ForwardDerivatives<T>>&, \
                                                           const BasicLoads<T>&);
// NOLINTEND(bugprone-macro-parentheses)
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel
