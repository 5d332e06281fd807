// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "kinematics/motion_slopes.hpp"

#include "kernels/link_view.hpp"

namespace trammel {
namespace {

using Columns = std::array<Motion<double>, 6>;

// What a joint's own columns add where they depend on q.
void add_own_slopes(const Link& link, const Transformd& X_SL, const Motion<double>& V_P, const Motion<double>& Hv,
                    const double* q, const double* v, const double* a, MotionSlopes::OfFreedom* freedoms) {
  const auto n = static_cast<std::size_t>(link.nv);
  Columns rate, slope, slope_of_rate;
  Hdot_FM(link.type, q, v, std::span(rate).first(n));
  for (std::size_t j = 0; j < n; ++j) {
    std::array<double, 6> along{};
    along[j] = 1;
    Hdot_FM(link.type, q, along.data(), std::span(slope).first(n));
    Hdot_along(link.type, q, v, along.data(), std::span(slope_of_rate).first(n));
    Motion<double> w{}, rest{};
    for (std::size_t k = 0; k < n; ++k) {
      w += slope[k] * v[k];
      rest += slope_of_rate[k] * v[k] + slope[k] * a[k];
      freedoms[j].own[k] = X_SL * slope[k];
    }
    w = X_SL * w;
    freedoms[j].psi += w;
    freedoms[j].phi += cross_motion(V_P, w) * 2.0 - cross_motion(w, Hv) + X_SL * rest;
    freedoms[j].chi += w + X_SL * rate[j];
  }
}

bool has_constant_columns(const AnyJoint& joint) {
  return std::visit(
      []<class J>(const J&) {
        if constexpr (std::is_same_v<J, Custom>) {
          return false;
        } else {
          return J::constant_H;
        }
      },
      joint);
}

}  // namespace

void MotionSlopes::find(const Mechanism& mech, const Workspace& ws, std::span<const double> q,
                        std::span<const double> v, std::span<const double> a) {
  freedoms.assign(static_cast<std::size_t>(mech.nv), {});
  V.resize(mech.links.size()), A.resize(mech.links.size());
  for (std::size_t l = 0; l < mech.links.size(); ++l) {
    const Link& link = mech.links[l];
    const LinkView<double> view = link_view(mech, ws, static_cast<int>(l));
    if (l == 0) p_WS = view.p_WO + view.X_OL.p;
    const Vec3d p_SO = view.p_WO - p_WS;
    const Transformd X_SL{view.X_OL.R, view.X_OL.p + p_SO};
    V[l] = shift(view.V, -p_SO), A[l] = shift(view.A, -p_SO);
    const bool grounded = link.parent == ground;
    const Motion<double> V_P = grounded ? Motion<double>{} : V[static_cast<std::size_t>(link.parent)];
    const Motion<double> A_P = grounded ? Motion<double>{} : A[static_cast<std::size_t>(link.parent)];
    Columns H;
    H_FM(link.type, q.data() + link.q, std::span(H).first(static_cast<std::size_t>(link.nv)));
    for (int j = 0; j < link.nv; ++j) {
      OfFreedom& f = freedoms[static_cast<std::size_t>(link.v + j)];
      f.H = X_SL * H[static_cast<std::size_t>(j)];
      f.psi = cross_motion(V_P, f.H);
      f.phi = cross_motion(A_P, f.H) + cross_motion(V_P, f.psi);
      f.chi = f.psi + cross_motion(V[l], f.H);
    }
    if (has_constant_columns(link.type)) continue;
    add_own_slopes(link, X_SL, V_P, V[l] - V_P, q.data() + link.q, v.data() + link.v, a.data() + link.v,
                   freedoms.data() + link.v);
  }
}

}  // namespace trammel
