// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Kinematics for callers: the kernels behind the functions of <trammel/kinematics.hpp>.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/kinematics.hpp>

#include "kernels/kernel_table.hpp"
#include "kernels/lengths.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {
namespace {

// A quantity as the numbers it consists of.
template <class T, template <class> class Quantity>
T* numbers_of(Quantity<T>& quantity) {
  return reinterpret_cast<T*>(&quantity);
}

}  // namespace

template <class T>
void compute_positions(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q) {
  assert_nq(mech, q);
  kernels<T>().positions(tree_of(mech), ws.numbers(), q.data());
}

template <class T>
void compute_velocities(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v) {
  assert_nq(mech, q);
  assert_nv(mech, v);
  kernels<T>().velocities(tree_of(mech), ws.numbers(), q.data(), v.data());
}

template <class T>
void compute_accelerations(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a) {
  assert_nq(mech, q);
  assert_nv(mech, v, a);
  kernels<T>().accelerations(tree_of(mech), ws.numbers(), q.data(), v.data(), a.data());
}

template <class T>
void compute_motion_rates(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v) {
  assert_nq(mech, q);
  assert_nv(mech, v);
  kernels<T>().motion_rates(tree_of(mech), ws.numbers(), q.data(), v.data());
}

template <class T>
void compute_inertias(const Mechanism& mech, BasicWorkspace<T>& ws) {
  kernels<T>().inertias(tree_of(mech), ws.numbers());
}

template <class T>
Transform<T> pose_WB(const Mechanism& mech, const BasicWorkspace<T>& ws, int body) {
  Transform<T> X;
  kernels<T>().pose(tree_of(mech), ws.numbers(), body, numbers_of(X));
  return X;
}

template <class T>
Motion<T> velocity_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B) {
  Motion<T> V;
  kernels<T>().velocity(tree_of(mech), ws.numbers(), body, p_B, numbers_of(V));
  return V;
}

template <class T>
Motion<T> acceleration_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B) {
  Motion<T> A;
  kernels<T>().acceleration(tree_of(mech), ws.numbers(), body, p_B, numbers_of(A));
  return A;
}

template <class T>
void assert_jacobian([[maybe_unused]] const Mechanism& mech, [[maybe_unused]] Out<T> J) {
  assert(J.size() == static_cast<std::size_t>(6 * mech.nv) && "6 × nv");
}

template <class T>
void jacobian_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  assert_jacobian<T>(mech, J);
  kernels<T>().jacobian(tree_of(mech), ws.numbers(), Axes::world, body, p_B, J.data());
}
template <class T>
void jacobian_B(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  assert_jacobian<T>(mech, J);
  kernels<T>().jacobian(tree_of(mech), ws.numbers(), Axes::body, body, p_B, J.data());
}
template <class T>
void jacobian_rate_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  assert_jacobian<T>(mech, J);
  kernels<T>().jacobian_rate(tree_of(mech), ws.numbers(), Axes::world, body, p_B, J.data());
}
template <class T>
void jacobian_rate_B(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  assert_jacobian<T>(mech, J);
  kernels<T>().jacobian_rate(tree_of(mech), ws.numbers(), Axes::body, body, p_B, J.data());
}

#define TRAMMEL_INSTANTIATE(T)                                                                               \
  template void compute_positions<T>(const Mechanism&, BasicWorkspace<T>&, In<T>);                           \
  template void compute_velocities<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>);                   \
  template void compute_accelerations<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>);         \
  template void compute_motion_rates<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>);                 \
  template void compute_inertias<T>(const Mechanism&, BasicWorkspace<T>&);                                   \
  template Transform<T> pose_WB<T>(const Mechanism&, const BasicWorkspace<T>&, int);                         \
  template Motion<T> velocity_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&);         \
  template Motion<T> acceleration_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&);     \
  template void jacobian_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>);      \
  template void jacobian_B<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>);      \
  template void jacobian_rate_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>); \
  template void jacobian_rate_B<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel
