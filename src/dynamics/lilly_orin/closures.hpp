// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns, constraint forces and velocity products of joints that close a loop, from the poses and velocities of their bodies, and
// the spaces of tip joints. With second and first for its two bodies, both at one point O in world axes:
//   A_second − A_first = ζ + H v̇,    ζ = V_first × V_rel + X_OM Ḣ_FM v,    V_rel = V_second − V_first = H v              (1)
//   δA_second − δA_first = c + H v̇,  c = ζ − (A⁰_second − A⁰_first)                                                       (2)
// Where the spaces of the joint are constant in M the last term of ζ lies in φ and is left out: it changes only v̇, which
// nobody asks for.

#include "dynamics/lilly_orin/chain_state.hpp"
#include "dynamics/lilly_orin/joint_space_of_columns.hpp"

namespace trammel {

// From the point O of link a to that of link b; the ground's is the world's origin.
template <class T>
Vec3<T> between_points(const Tree& tree, const Arrays<T>& ws, int a, int b) {
  const Vec3<T> p_WA = a == -1 ? Vec3<T>{} : ws.points[tree.links[a].point].p_WO;
  return b == -1 ? -p_WA : ws.points[tree.links[b].point].p_WO - p_WA;
}
inline bool share_point(const Tree& tree, int a, int b) {
  return a == b || (a != -1 && b != -1 && tree.links[a].point == tree.links[b].point);
}
// A motion, force or inertia of link a taken at the point of link b.
template <class T, class Quantity>
Quantity at_point_of(const Tree& tree, const Arrays<T>& ws, const Quantity& of_a, int a, int b) {
  return share_point(tree, a, b) ? of_a : shift(of_a, between_points(tree, ws, a, b));
}
template <class T>
Motion<T> motion_at(const Tree& tree, const Arrays<T>& ws, int link, Motion<T> LinkState<T>::*motion, int at) {
  if (link == -1) return {};
  return at_point_of(tree, ws, ws.links[link].*motion, link, at);
}

// A frame that is fixed in a link, seen from the point of link `at`.
template <class T>
Vec3<T> origin_seen_from(const Tree& tree, const Arrays<T>& ws, int link, const Transform<T>& X_L, int at) {
  const Vec3<T> p = link == -1 ? X_L.p : ws.links[link].p_OL + ws.links[link].R_WL * X_L.p;
  return share_point(tree, link, at) ? p : p - between_points(tree, ws, link, at);
}
template <class T>
Transform<T> frame_seen_from(const Tree& tree, const Arrays<T>& ws, int link, const Transform<T>& X_L, int at) {
  return {link == -1 ? X_L.R : ws.links[link].R_WL * X_L.R, origin_seen_from(tree, ws, link, X_L, at)};
}

inline bool needs_axes(const SpaceBasis& basis) { return basis.aligned_count + basis.other_count > 0; }

// A basis of φ is all that a recursion needs; forces along a joint's freedoms need its own columns.
enum class Wanted { constraint, basis, columns };

// What a closure is now, at the point of link `at`.
template <class T>
struct Closed {
  Transform<T> X_OM;           // its axes only where they are needed
  std::array<Motion<T>, 6> H;  // a basis of φ, or the columns of H_FM, as wanted; of varying spaces always the latter
  int nv = 0;
  Motion<T> c;  // (2)
};

// Joints fit coordinates to vectors with members x, y, z; where a scalar keeps its vectors otherwise, plain ones stand in.
template <class J, class T>
void fit(const J& joint, const Transform<T>& X_FM, T* q) {
  if constexpr (requires { X_FM.p.x; }) {
    joint.template q_fit<T>(X_FM, q);
  } else {
    const auto plain = [](const Vec3<T>& v) {
      const auto c = components(v);
      return Vec3d{value_of(c[0]), value_of(c[1]), value_of(c[2])};
    };
    double fitted[J::nq];
    joint.template q_fit<double>({{plain(X_FM.R.ex), plain(X_FM.R.ey), plain(X_FM.R.ez)}, plain(X_FM.p)}, fitted);
    for (int i = 0; i < J::nq; ++i) q[i] = T(fitted[i]);
  }
}

// H_FM itself, at the coordinates that fit, with Ḣ_FM v.
template <class T>
void fit_columns(const ClosurePlan& closure, const Transform<T>& X_FM, const Transform<T>& X_OM, const Motion<T>& V_rel,
                 Closed<T>& closed, Motion<T>& Hdot_v) {
  std::visit(
      [&]<class J>(const J& joint) {
        if constexpr (!std::is_same_v<J, Custom>) {  // compile() refuses those
          if constexpr (J::nv > 0) {
            T q[J::nq > 0 ? J::nq : 1];
            fit(joint, X_FM, q);
            auto H = joint.template H_FM<T>(q);
            for (Motion<T>& column : H) column = rotate(X_OM.R, column);
            Force<T> G[6];
            find_dual_forces<T, J::nv>(H, G);
            const Motion<T> V_M = shift(V_rel, X_OM.p);
            T v[J::nv];
            for (int k = 0; k < J::nv; ++k) {
              v[k] = dot(V_M, G[k]);
              closed.H[k] = shift(H[k], -X_OM.p);
            }
            const auto Hdot = joint.template Hdot_FM<T>(q, v);
            Hdot_v = {};
            for (int k = 0; k < J::nv; ++k) Hdot_v += Hdot[k] * v[k];
          }
        }
      },
      closure.type);
}

// V_first × V_rel − (A⁰_second − A⁰_first): (2) but for the joint's own rate.
template <class T>
Motion<T> relative_bias(const Tree& tree, const Arrays<T>& ws, const ClosurePlan& closure, int at) {
  const Motion<T> A_second = motion_at(tree, ws, closure.link_M, &LinkState<T>::A, at);
  if (closure.link_F == -1) return -A_second;
  const Motion<T> A_first = motion_at(tree, ws, closure.link_F, &LinkState<T>::A, at);
  if (closure.link_M == -1) return A_first;
  const Motion<T> V_first = motion_at(tree, ws, closure.link_F, &LinkState<T>::V, at);
  const Motion<T> V_second = motion_at(tree, ws, closure.link_M, &LinkState<T>::V, at);
  return cross_motion(V_first, V_second) + A_first - A_second;  // V_first × V_first = 0
}

template <class T>
Closed<T> close_joint(const Tree& tree, const Arrays<T>& ws, const ClosurePlan& closure, int at, Wanted wanted) {
  Closed<T> closed;
  closed.nv = closure.nv;
  const bool fit = (wanted == Wanted::columns || !closure.space.constant) && closed.nv > 0;
  const Transform<T> X_LM = Transform<T>::from(closure.X_LM);
  if (fit || needs_axes(closure.space.forces) || needs_axes(closure.space.motions)) {
    closed.X_OM = frame_seen_from(tree, ws, closure.link_M, X_LM, at);
  } else {
    closed.X_OM.p = origin_seen_from(tree, ws, closure.link_M, X_LM, at);
  }
  closed.c = relative_bias(tree, ws, closure, at);
  if (fit) {
    const Motion<T> V_rel = motion_at(tree, ws, closure.link_M, &LinkState<T>::V, at) -
                            motion_at(tree, ws, closure.link_F, &LinkState<T>::V, at);
    const Transform<T> X_OF = frame_seen_from(tree, ws, closure.link_F, Transform<T>::from(closure.X_LF), at);
    Motion<T> Hdot_v{};
    fit_columns(closure, inverse(X_OF) * closed.X_OM, closed.X_OM, V_rel, closed, Hdot_v);
    closed.c += closed.X_OM * Hdot_v;
  } else if (wanted == Wanted::basis) {
    place_motions(closure.space.motions, closed.X_OM, closed.H.data());
  }
  return closed;
}

}  // namespace trammel
