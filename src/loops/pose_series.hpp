// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poses as functions of time, and the coordinates of joints likewise: Taylor series from velocities, accelerations, jerks.
//
//   axes        ė = ω × e,   ë = α × e + ω × (ω × e)
//   ball        q̇ = ½ q ∘ (0, ω):        (k + 1) q_{k+1} = ½ Σ_{j ≤ k} q_j ∘ ω_{k−j}                                   (1)
//   free        also  ṗ = R v:           (k + 1) p_{k+1} = (R v)_k                                                    (2)

#include <trammel/core/series.hpp>
#include <trammel/joints/all_joints.hpp>

namespace trammel {

// The pose of a frame that now moves with [ω; v] and [α; a] (a the classical acceleration of its origin), in world axes.
inline Transform<Series<2>> pose_series(const Transformd& X, const Motion<double>& V, const Motion<double>& A) {
  const auto series = [](const Vec3d& x, const Vec3d& rate, const Vec3d& second) -> Vec3<Series<2>> {
    return {Series<2>::from_derivatives({x.x, rate.x, second.x}), Series<2>::from_derivatives({x.y, rate.y, second.y}),
            Series<2>::from_derivatives({x.z, rate.z, second.z})};
  };
  const auto axis = [&](const Vec3d& e) {
    const Vec3d rate = cross(V.w, e);
    return series(e, rate, cross(A.w, e) + cross(V.w, rate));
  };
  return {{axis(X.R.ex), axis(X.R.ey), axis(X.R.ez)}, series(X.p, V.v, A.v)};
}

// Coordinates of one joint from q, v, v̇, v̈.
template <class J>
void coordinate_series(const J&, const double* q, const double* v, const double* a, const double* jerk,
                       Series<3>* out) {
  if constexpr (J::nq == J::nv) {
    for (int i = 0; i < J::nq; ++i) out[i] = Series<3>::from_derivatives({q[i], v[i], a[i], jerk[i]});
  } else {
    static_assert(J::nq == J::nv + 1, "a quaternion, and perhaps a position");
    Vec3<Series<3>> w{Series<3>::from_derivatives({v[0], a[0], jerk[0], 0}),
                      Series<3>::from_derivatives({v[1], a[1], jerk[1], 0}),
                      Series<3>::from_derivatives({v[2], a[2], jerk[2], 0})};
    const Quaternion<Series<3>> omega{Series<3>(0), w.x, w.y, w.z};
    Quaternion<Series<3>> r{Series<3>(q[0]), Series<3>(q[1]), Series<3>(q[2]), Series<3>(q[3])};
    for (std::size_t k = 0; k < 3; ++k) {  // (1)
      const Quaternion<Series<3>> rate = r * omega;
      const double scale = 0.5 / static_cast<double>(k + 1);
      r.w.c[k + 1] = scale * rate.w.c[k], r.x.c[k + 1] = scale * rate.x.c[k];
      r.y.c[k + 1] = scale * rate.y.c[k], r.z.c[k + 1] = scale * rate.z.c[k];
    }
    r.store(out);
    if constexpr (J::nq == 7) {
      const Vec3<Series<3>> u{Series<3>::from_derivatives({v[3], a[3], jerk[3], 0}),
                              Series<3>::from_derivatives({v[4], a[4], jerk[4], 0}),
                              Series<3>::from_derivatives({v[5], a[5], jerk[5], 0})};
      const Vec3<Series<3>> rate = rotation_of(r) * u;
      const std::array<Series<3>, 3> rates = components(rate);
      for (std::size_t i = 0; i < 3; ++i) {  // (2)
        out[4 + i] = Series<3>(q[4 + i]);
        for (std::size_t k = 0; k < 3; ++k) out[4 + i].c[k + 1] = rates[i].c[k] / static_cast<double>(k + 1);
      }
    }
  }
}

}  // namespace trammel
