// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels, which are templates on the scalar S they compute with, put into a table of functions on the numbers T
// that callers have: T is double where S is Packed or Lanes, else S itself.

#include "dynamics/articulated_body.hpp"
#include "dynamics/composite_body.hpp"
#include "dynamics/dynamics_derivatives.hpp"
#include "dynamics/mobility_pass.hpp"
#include "dynamics/newton_euler.hpp"
#include "kernels/kernel_table.hpp"
#include "kinematics/jacobians.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

// Hands out consecutive arrays of a workspace; without memory it only counts.
template <class S>
class Carver {
 public:
  explicit Carver(S* memory) : next_(memory) {}

  template <class Quantity>
  Quantity* take(int count) {
    static_assert(alignof(Quantity) <= 64);
    while (count_ * sizeof(S) % alignof(Quantity) != 0) skip(1);
    auto* array = reinterpret_cast<Quantity*>(next_);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Quantity);
    skip((bytes + sizeof(S) - 1) / sizeof(S));
    return array;
  }
  std::size_t count() const { return count_; }

 private:
  void skip(std::size_t scalars) {
    if (next_ != nullptr) next_ += scalars;
    count_ += scalars;
  }
  S* next_;
  std::size_t count_ = 0;
};

template <class S>
Arrays<S> carve_arrays(const Tree& tree, Carver<S>& carver) {
  Arrays<S> ws;
  const auto* gravity = carver.template take<Vec3<S>>(1);
  const auto* has_friction = carver.template take<S>(1);
  if (gravity != nullptr) {
    ws.parameters.gravity = *gravity;
    ws.parameters.has_friction = !is_zero(*has_friction);
  }
  ws.parameters.X_PF = carver.template take<Transform<Kept<S>>>(tree.link_count);
  ws.parameters.inertia = carver.template take<typename KeptFor<S>::Inertia>(tree.link_count);
  ws.parameters.X_LB = carver.template take<Transform<Kept<S>>>(tree.body_count);
  ws.first_body = carver.template take<int>(tree.link_count);
  ws.next_body = carver.template take<int>(tree.body_count);
  ws.places = carver.template take<FreedomPlace>(tree.nv);
  ws.links = carver.template take<LinkState<S>>(tree.link_count + 1);
  ws.freedoms = carver.template take<FreedomState<S>>(tree.nv);
  ws.points = carver.template take<PointState<S>>(tree.point_count);
  ws.rows_of_H = carver.template take<S>(6 * tree.nv + 3);
  ws.link_derivatives = carver.template take<LinkDerivative<S>>(tree.link_count);
  ws.freedom_derivatives = carver.template take<FreedomDerivative<S>>(tree.nv);
  ws.freedom_rows = carver.template take<FreedomRow<S>>(tree.nv);
  ws.panel_columns = carver.template take<PanelColumns<S>>(1);
  ws.panel_rows = carver.template take<PanelRow<S>>(tree.nv);
  ws.parameters.armature = carver.template take<Kept<S>>(tree.nv);
  ws.parameters.viscous = carver.template take<Kept<S>>(tree.nv);
  ws.parameters.dry = carver.template take<Kept<S>>(tree.nv);
  ws.parameters.dry_speed = carver.template take<Kept<S>>(tree.nv);
  return ws;
}

// Writes quantities as their numbers, one after the other.
template <class S>
class Writer {
 public:
  explicit Writer(S* out) : out_(out) {}

  Writer& operator<<(const S& x) {
    *out_++ = x;
    return *this;
  }
  Writer& operator<<(const Vec3<S>& v) {
    for (const S& x : components(v)) *this << x;
    return *this;
  }
  Writer& operator<<(const Mat3<S>& m) { return *this << m.ex << m.ey << m.ez; }
  Writer& operator<<(const Transform<S>& X) { return *this << X.R << X.p; }
  Writer& operator<<(const Motion<S>& V) { return *this << V.w << V.v; }
  Writer& operator<<(const RigidInertia<S>& M) {
    *this << M.mass << M.h;
    for (const S& x : entries(M.I)) *this << x;
    return *this;
  }

 private:
  S* out_;
};

template <class S, class T>
struct KernelsOn {
  static constexpr int width = static_cast<int>(sizeof(S) / sizeof(T));  // NOLINT(bugprone-sizeof-expression)

  static S* own(T* numbers) { return reinterpret_cast<S*>(numbers); }
  static const S* own(const T* numbers) { return reinterpret_cast<const S*>(numbers); }
  static Arrays<S> arrays(const Tree& tree, const T* ws) {
    Carver<S> carver(own(const_cast<T*>(ws)));
    return carve_arrays(tree, carver);
  }
  static LoadArrays<S> loads(const LoadArrays<T>& l) {
    return {own(l.wrenches), own(l.inertias),    own(l.biases), own(l.dof_inertias),
            l.friction,      l.after_velocities, l.in_links};
  }

  static std::size_t workspace_numbers(const Tree& tree) {
    Carver<S> counter(nullptr);
    carve_arrays(tree, counter);
    return counter.count() * static_cast<std::size_t>(width);
  }

  static void set_parameters(const Tree& tree, const ParameterArrays<T>& from, T* ws) {
    Carver<S> head(own(ws));
    *head.template take<Vec3<S>>(1) = Vec3<S>::from(from.gravity);
    S* const has_friction = head.template take<S>(1);
    *has_friction = S(0);
    for (int k = 0; k < tree.nv; ++k) {
      if (!is_zero(from.viscous[k]) || !is_zero(from.dry[k])) *has_friction = S(1);
    }
    const ParameterArrays<S> to = arrays(tree, ws).parameters;
    const auto copy = [](const auto* source, const auto* target, int count) {
      using Target = std::remove_const_t<std::remove_pointer_t<decltype(target)>>;
      auto* writable = const_cast<Target*>(target);
      for (int i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<Target, Kept<S>>) {
          writable[i] = Kept<S>(source[i]);
        } else {
          writable[i] = Target::from(source[i]);
        }
      }
    };
    copy(from.X_PF, to.X_PF, tree.link_count);
    copy(from.inertia, to.inertia, tree.link_count);
    copy(from.X_LB, to.X_LB, tree.body_count);
    copy(from.armature, to.armature, tree.nv);
    copy(from.viscous, to.viscous, tree.nv);
    copy(from.dry, to.dry, tree.nv);
    copy(from.dry_speed, to.dry_speed, tree.nv);
    list_bodies(tree, const_cast<int*>(arrays(tree, ws).first_body), const_cast<int*>(arrays(tree, ws).next_body));
    list_places(tree, const_cast<FreedomPlace*>(arrays(tree, ws).places));
  }
  static void list_places(const Tree& tree, FreedomPlace* places) {
    for (int k = 0; k < tree.nv; ++k) {
      const TreeLink& link = tree.links[tree.link_of_dof[k]];
      const TreeLink& top = tree.links[link.line];
      const TreeLink* const parent = top.parent < 0 ? nullptr : &tree.links[top.parent];
      places[k] = {top.v, parent == nullptr ? -1 : parent->v + parent->nv - 1, link.v + link.nv, link.end_v,
                   link.point};
    }
  }
  static void list_bodies(const Tree& tree, int* first_body, int* next_body) {
    std::fill(first_body, first_body + tree.link_count, -1);
    for (int b = tree.body_count - 1; b >= 0; --b) {
      if (tree.link_of_body[b] < 0) continue;
      next_body[b] = first_body[tree.link_of_body[b]];
      first_body[tree.link_of_body[b]] = b;
    }
  }

  static void positions(const Tree& tree, T* ws, const T* q) { positions_base_to_tip(tree, arrays(tree, ws), own(q)); }
  static void velocities(const Tree& tree, T* ws, const T* q, const T* v) {
    velocities_base_to_tip(tree, arrays(tree, ws), own(q), own(v));
  }
  static void accelerations(const Tree& tree, T* ws, const T* q, const T* v, const T* a) {
    accelerations_base_to_tip(tree, arrays(tree, ws), own(q), own(v), own(a));
  }
  static void rates(const Tree& tree, T* ws, const T* q, const T* v) {
    motion_rates(tree, arrays(tree, ws), own(q), own(v));
  }
  static void inertias(const Tree& tree, T* ws) { inertias_of_links(tree, arrays(tree, ws)); }

  static void link(const Tree& tree, const T* ws, int l, T* view) {
    const Arrays<S> a = arrays(tree, ws);
    const LinkState<S>& L = a.links[l];
    Writer<S>(own(view)) << L.R_WL << L.p_OL << a.points[tree.links[l].point].p_WO << L.V << L.A << L.M;
  }
  static void pose(const Tree& tree, const T* ws, int body, T* X_WB) {
    Writer<S>(own(X_WB)) << body_pose(tree, arrays(tree, ws), body);
  }
  static void velocity(const Tree& tree, const T* ws, int body, const Vec3<T>& p_B, T* V) {
    Writer<S>(own(V)) << body_velocity(tree, arrays(tree, ws), body, Vec3<S>::from(p_B));
  }
  static void acceleration(const Tree& tree, const T* ws, int body, const Vec3<T>& p_B, T* A) {
    Writer<S>(own(A)) << body_acceleration(tree, arrays(tree, ws), body, Vec3<S>::from(p_B));
  }
  static void point_jacobian(const Tree& tree, const T* ws, Axes axes, int body, const Vec3<T>& p_B, T* J) {
    jacobian(tree, arrays(tree, ws), axes, body, Vec3<S>::from(p_B), own(J));
  }
  static void point_jacobian_rate(const Tree& tree, const T* ws, Axes axes, int body, const Vec3<T>& p_B, T* J) {
    jacobian_rate(tree, arrays(tree, ws), axes, body, Vec3<S>::from(p_B), own(J));
  }

  static void forward_dynamics(const Tree& tree, T* ws, const T* q, const T* v, const T* tau, T* a,
                               const LoadArrays<T>& l, T* singular_joint) {
    *own(singular_joint) = articulated_body(tree, arrays(tree, ws), own(q), own(v), own(tau), own(a), loads(l));
  }
  static void hybrid_dynamics(const Tree& tree, T* ws, const T* q, const T* v, const char* prescribed, T* a, T* tau,
                              const LoadArrays<T>& l, T* singular_joint) {
    *own(singular_joint) =
        hybrid_articulated_body(tree, arrays(tree, ws), own(q), own(v), prescribed, own(a), own(tau), loads(l));
  }
  static void inverse_dynamics(const Tree& tree, T* ws, const T* q, const T* v, const T* a, T* tau,
                               const LoadArrays<T>& l) {
    recursive_newton_euler(tree, arrays(tree, ws), own(q), own(v), own(a), own(tau), loads(l));
  }
  static void gravity_forces(const Tree& tree, T* ws, const T* q, T* g) {
    gravity_joint_forces(tree, arrays(tree, ws), own(q), own(g));
  }
  static void mass_matrix(const Tree& tree, T* ws, const T* q, T* M, const LoadArrays<T>& l) {
    composite_body(tree, arrays(tree, ws), own(q), own(M), loads(l));
  }
  static void inverse_dynamics_derivatives(const Tree& tree, T* ws, const T* q, const T* v, const T* a, T* tau,
                                           T* tau_q, T* tau_v, T* M, const LoadArrays<T>& l) {
    inverse_derivatives(tree, arrays(tree, ws), own(q), own(v), own(a), own(tau), loads(l),
                        {own(tau_q), own(tau_v), own(M)});
  }
  static void forward_dynamics_derivatives(const Tree& tree, T* ws, const T* q, const T* v, const T* tau, T* a, T* a_q,
                                           T* a_v, T* a_tau, const LoadArrays<T>& l, T* singular_joint) {
    *own(singular_joint) = forward_derivatives(tree, arrays(tree, ws), own(q), own(v), own(tau), own(a), loads(l),
                                               {own(a_q), own(a_v), own(a_tau)});
  }
  static void mobility(const Tree& tree, T* ws, const T* q, int body, const Vec3<T>& p_B, const char* locked, T* G,
                       const LoadArrays<T>& l, T* singular_joint) {
    *own(singular_joint) =
        mobility_tip_to_base(tree, arrays(tree, ws), own(q), body, Vec3<S>::from(p_B), locked, own(G), loads(l));
  }
};

template <class S, class T>
constexpr KernelTable<T> make_kernel_table() {
  using K = KernelsOn<S, T>;
  return {.width = K::width,
          .workspace_numbers = K::workspace_numbers,
          .set_parameters = K::set_parameters,
          .positions = K::positions,
          .velocities = K::velocities,
          .accelerations = K::accelerations,
          .motion_rates = K::rates,
          .inertias = K::inertias,
          .link = K::link,
          .pose = K::pose,
          .velocity = K::velocity,
          .acceleration = K::acceleration,
          .jacobian = K::point_jacobian,
          .jacobian_rate = K::point_jacobian_rate,
          .forward_dynamics = K::forward_dynamics,
          .hybrid_dynamics = K::hybrid_dynamics,
          .inverse_dynamics = K::inverse_dynamics,
          .gravity_forces = K::gravity_forces,
          .mass_matrix = K::mass_matrix,
          .inverse_dynamics_derivatives = K::inverse_dynamics_derivatives,
          .forward_dynamics_derivatives = K::forward_dynamics_derivatives,
          .mobility = K::mobility};
}

}  // namespace trammel
