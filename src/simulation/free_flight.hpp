// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How steps of first order move the point of a free joint. Its velocity u is kept in the axes of its body, which turn: there u̇ has −ω × u,
// and Euler's rule would add ½ (ω h)² of the speed in every step, to a body that flies on undisturbed. So the step is taken in the axes of
// the joint's first body, where nothing turns it:
//   c = u + h (u̇ + ω × u),   p' = p + h R c,   u' = exp(h ω')ᵀ c
// One source for one state, for lanes (lane_step.hpp) and for derivatives (step_derivatives.cpp).

#include <trammel/spatial/rotation.hpp>

namespace trammel {

// `next` is v + h v̇, component by component; the place in q_out and the point's velocity in v_out are set, which may be `next`.
template <class T, class Step>
void fly(const T* q, const T* v, const T* next, const Step& h, T* q_out, T* v_out) {
  const Vec3<T> w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]}, w_next{next[0], next[1], next[2]};
  const Vec3<T> c = Vec3<T>{next[3], next[4], next[5]} + cross(w, u) * h;
  const Vec3<T> p = Vec3<T>{q[4], q[5], q[6]} + rotation_of(Quaternion<T>::load(q)) * (c * h);
  const Vec3<T> u_next = transpose_times(rotation_of(exp_quaternion(w_next * h)), c);
  q_out[4] = p.x, q_out[5] = p.y, q_out[6] = p.z;
  v_out[3] = u_next.x, v_out[4] = u_next.y, v_out[5] = u_next.z;
}

}  // namespace trammel
