// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/mobility.hpp>

#include "kernels/finite.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/lengths.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {

template <class T>
DynamicsVerdict compute_mobility(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, int body, const Vec3<T>& p_B,
                                 Out<T> G, const BasicLoads<T>& loads, std::span<const char> locked) {
  assert_nq(mech, q);
  assert(G.size() == 36 && "6 × 6");
  assert(locked.empty() || locked.size() == static_cast<std::size_t>(mech.nv));
  T singular_joint;
  kernels<T>().mobility(tree_of(mech), ws.numbers(), q.data(), body, p_B, locked.empty() ? nullptr : locked.data(),
                        G.data(), arrays_of(loads), &singular_joint);
  return {static_cast<int>(value_of(singular_joint)), all_finite<T>(G)};
}

#define TRAMMEL_INSTANTIATE(T)                                                                                   \
  template DynamicsVerdict compute_mobility<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, int, const Vec3<T>&, \
                                               Out<T>, const BasicLoads<T>&, std::span<const char>);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel
