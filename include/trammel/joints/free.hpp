// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Free: six freedoms. q = (quaternion w, x, y, z; position of M in F), v = [ω; v] of M relative to F, both
// **expressed in M**, the second body's own axes. v is not q̇:
//   q̇_rotation = ½ q ∘ (0, ω),   ṗ_FM = R_FM v

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Free {
  static constexpr std::string_view keyword = "free";
  static constexpr int nq = 7, nv = 6;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 6> freedoms{{{"wx", dimension::angle},
                                                    {"wy", dimension::angle},
                                                    {"wz", dimension::angle},
                                                    {"vx", dimension::length},
                                                    {"vy", dimension::length},
                                                    {"vz", dimension::length}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_of(Quaternion<T>::load(q)), {q[4], q[5], q[6]}};
  }
  template <class T>
  MotionColumns<T, 6> H_FM(const T*) const {
    const auto [x, y, z] = Mat3<T>::identity();
    return {{{x, {}}, {y, {}}, {z, {}}, {{}, x}, {{}, y}, {{}, z}}};
  }
  template <class T>
  MotionColumns<T, 6> Hdot_FM(const T*, const T*) const {
    return {};
  }
  template <class T>
  MotionColumns<T, 6> columns_at(const Transform<T>& X_OM, const T*) const {
    const auto& [R, p] = X_OM;
    return {{turn_about(R.ex, p), turn_about(R.ey, p), turn_about(R.ez, p), travel_along(R.ex), travel_along(R.ey),
             travel_along(R.ez)}};
  }
  static constexpr std::array<Dimension, 0> closure_dimensions{};
  template <class T>
  void closure(const Transform<T>&, T*) const {}
  template <class T>
  void q_zero(T* q) const {
    Quaternion<T>{}.store(q);
    set_zero<3>(q + 4);
  }
  // X ← X exp(δ): a body that keeps its twist moves along a screw, and this step follows it exactly.
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    const Quaternion<T> rotation = Quaternion<T>::load(q);
    const Vec3<T> w{dq[0], dq[1], dq[2]}, v{dq[3], dq[4], dq[5]};
    const Vec3<T> p = Vec3<T>{q[4], q[5], q[6]} + rotation_of(rotation) * (left_jacobian(w) * v);
    normalized(rotation * exp_quaternion(w)).store(out);
    out[4] = p.x, out[5] = p.y, out[6] = p.z;
  }
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    quaternion_of(X.R).store(q);
    q[4] = X.p.x, q[5] = X.p.y, q[6] = X.p.z;
  }
};

}  // namespace trammel
