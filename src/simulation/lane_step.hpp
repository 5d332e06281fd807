// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A step of several motions side by side in lanes: trees with servos and friction in their joints whose points and spheres touch a plane.
// The rule is that of implicit_step.cpp and fixed_steppers.cpp, and so are the laws: servo.hpp, implicit_contact.hpp, articulated_body.hpp.
// Books of energy are not kept. Parameters may differ between lanes.
//
//   implicit        v̇ of (M + h D + h² K) v̇ = f − h K v, solved anew until no contact of any lane switches
//   semi_implicit   v̇ of M v̇ = f                                                         (without contacts)
//   v' = v + h v̇,  q' = q ⊕ h v', the point of a free joint by free_flight.hpp
//
// A lane that cannot go on here (a number beyond all bounds, a joint without inertia, a stop that is met) keeps the state before the step
// and is marked as left.

#include "contact/implicit_contact.hpp"
#include "dynamics/articulated_body.hpp"
#include "simulation/free_flight.hpp"
#include "simulation/servo.hpp"

namespace trammel {

struct LaneServo {
  Servo servo;
  int q = 0, v = 0, control = 0;
};
struct LanePoint {
  int body = 0, link = 0;
  Vec3d p_B;          // the point, or centre of the sphere, in the body's frame
  double radius = 0;  // of the sphere
  ContactLaw law;
};
struct LaneStop {
  int q = 0, v = 0;
  bool is_upper = false;
  double limit = 0;
};

// Rows of numbers are as in a LaneArray.
struct LaneStepTask {
  const LaneServo* servos = nullptr;
  const LanePoint* points = nullptr;
  const LaneStop* stops = nullptr;
  int servo_count = 0, point_count = 0, stop_count = 0;
  Vec3d ground_n{0, 0, 1};  // the plane: n·p = offset
  double ground_offset = 0;
  double h = 0;
  bool implicit = true, friction = true;

  static constexpr int contact_rows = 6;  // a point: u in world axes, touches, slips (1 or 0), normal force
  double *q = nullptr, *v = nullptr, *contacts = nullptr;
  const double* controls = nullptr;
  double* left = nullptr;  // one row: 1 of a lane that is left, else 0
};

// Scratch of a step, behind the workspace of the kernels: numbers of it.
template <class T>
struct LaneScratch {
  T *q = nullptr, *v = nullptr, *tau = nullptr, *dof_inertia = nullptr, *a = nullptr;
  struct Point {
    ImplicitContact<T> contact;
    Vec3<T> r, faster;  // from the link's point O to the contact; see load_at()
  };
  Point* points = nullptr;
};
template <class T>
std::size_t lane_scratch_scalars(int nq, int nv, int points) {
  static_assert(sizeof(typename LaneScratch<T>::Point) % sizeof(T) == 0);
  return static_cast<std::size_t>(nq + 4 * nv) +
         static_cast<std::size_t>(points) * (sizeof(typename LaneScratch<T>::Point) / sizeof(T));
}
template <class T>
LaneScratch<T> lane_scratch(int nq, int nv, T* memory) {
  LaneScratch<T> s;
  s.q = memory, s.v = s.q + nq, s.tau = s.v + nv, s.dof_inertia = s.tau + nv, s.a = s.dof_inertia + nv;
  s.points = reinterpret_cast<typename LaneScratch<T>::Point*>(s.a + nv);
  return s;
}

template <class T>
class LaneStep {
 public:
  LaneStep(const LaneStepTask& task, const Tree& tree, const Arrays<T>& ws, const LaneScratch<T>& scratch)
      : task_(task),
        tree_(tree),
        ws_(ws),
        s_(scratch),
        q_(reinterpret_cast<T*>(task.q)),
        v_(reinterpret_cast<T*>(task.v)),
        controls_(reinterpret_cast<const T*>(task.controls)),
        contacts_(reinterpret_cast<T*>(task.contacts)),
        left_(reinterpret_cast<T*>(task.left)) {}

  void run() {
    velocities_base_to_tip(tree_, ws_, q_, v_);
    find_forces();
    for (int i = 0; i < task_.point_count; ++i) begin(i);
    constexpr int most_passes = 8;
    bool goes_on = true;
    for (int pass = 0; pass <= most_passes && goes_on; ++pass) {
      singular_ = accelerate();
      goes_on = false;
      for (int i = 0; i < task_.point_count; ++i) goes_on = look(i, pass < most_passes) || goes_on;
    }
    move();
  }

 private:
  using Mask = MaskOf<T>;

  void find_forces() {
    const T h(task_.h);
    for (int k = 0; k < tree_.nv; ++k) s_.tau[k] = s_.dof_inertia[k] = T(0);
    for (int i = 0; i < task_.servo_count; ++i) {
      const LaneServo& s = task_.servos[i];
      const ServoForce<T> f = force_of(s.servo, controls_[s.control], q_[s.q], v_[s.v]);
      s_.tau[s.v] += f.force;
      if (!task_.implicit) continue;
      s_.tau[s.v] += h * f.by_q * v_[s.v];
      s_.dof_inertia[s.v] -= h * (f.by_v + h * f.by_q);
    }
    if (!task_.friction) return;
    for (int k = 0; k < tree_.nv; ++k) {
      s_.tau[k] += friction_of_freedom(tree_, ws_.parameters, v_, k);
      if (task_.implicit) s_.dof_inertia[k] += h * T(ws_.parameters.viscous[k]);
    }
  }

  void begin(int i) {
    const LanePoint& point = task_.points[i];
    const LinkState<T>& L = ws_.links[point.link];
    const Vec3<T> n = Vec3<T>::from(task_.ground_n);
    const Vec3<T> p_L = for_kernel<T>(ws_.parameters.X_LB[point.body]) * Vec3<T>::from(point.p_B);
    const Vec3<T> centre = L.p_OL + L.R_WL * p_L;
    const Vec3<T> centre_v = L.V.v + cross(L.V.w, centre);
    auto& [contact, r, faster] = s_.points[i];
    r = centre - n * T(point.radius);
    const Vec3<T> v = L.V.v + cross(L.V.w, r);
    // Of a sphere the point of contact keeps below the centre while the body turns: its velocity changes as that of the centre does.
    faster = cross(L.V.w, centre_v);
    const T rate = -dot(n, v), height = dot(n, ws_.points[tree_.links[point.link].point].p_WO + centre);
    const T depth = T(point.radius + task_.ground_offset) - height;
    const T* c = contacts_ + LaneStepTask::contact_rows * i;
    contact.begin(point.law, task_.h, {depth, rate, n, v + n * rate, {c[0], c[1], c[2]}},
                  {c[3] > T(0.5), c[4] > T(0.5), c[5]}, T(0) < T(1));
  }

  T accelerate() {
    LoadArrays<T> loads;
    loads.friction = false;  // it is in tau
    loads.dof_inertias = s_.dof_inertia;
    loads.in_links = task_.point_count > 0;
    if (loads.in_links) {
      for (int l = 0; l < tree_.link_count; ++l) ws_.links[l].F = {};
      clear_inertias(tree_, ws_);
      for (int i = 0; i < task_.point_count; ++i) push(i);
    }
    const T singular = eliminate_tip_to_base(tree_, ws_, s_.tau, loads, Prescribed<T>{});
    accelerate_base_to_tip(tree_, ws_, Prescribed<T>{}, s_.a);
    return singular;
  }

  void push(int i) {
    const auto& [contact, r, faster] = s_.points[i];
    if (!any_of(contact.touches)) return;
    const LanePoint& point = task_.points[i];
    typename ImplicitContact<T>::Linear linear = contact.linear(point.law, task_.h);
    linear.f0 = select(contact.touches, linear.f0, Vec3<T>{});
    linear.c_n = select(contact.touches, linear.c_n, T(0));
    linear.c_t = select(contact.touches, linear.c_t, T(0));
    const ContactLoad<T> load = load_at<T>(linear, contact.n, r, faster);
    LinkState<T>& L = ws_.links[point.link];
    L.F += load.inertia * L.A - load.wrench;
    L.IA += load.inertia;
    L.size += InertiaSize<T>::of(load.inertia);
  }

  // True where a lane needs another pass.
  bool look(int i, bool may_switch) {
    auto& [contact, r, faster] = s_.points[i];
    if (!any_of(contact.near)) return false;
    const LanePoint& point = task_.points[i];
    const LinkState<T>& L = ws_.links[point.link];
    const Motion<T> A = L.A + L.dA;
    const auto [switched, refined] = contact.look(point.law, task_.h, A.v + cross(A.w, r) + faster, may_switch);
    return any_of(switched || refined);
  }

  void move() {
    const T h(task_.h);
    for (int k = 0; k < tree_.nv; ++k) s_.v[k] = v_[k] + h * s_.a[k], s_.tau[k] = h * s_.v[k];
    each_joint_base_to_tip(tree_, [s = s_, q = q_, v = v_, h, &tree = tree_](int l, const auto& joint, auto) {
      using Type = std::remove_cvref_t<decltype(joint)>;
      if constexpr (!std::is_same_v<Type, CustomAsJoint>) {
        const TreeLink& link = tree.links[l];
        joint.template q_step<T>(q + link.q, s.tau + link.v, s.q + link.q);
        if constexpr (std::is_same_v<Type, Free>) {
          fly(q + link.q, v + link.v, s.v + link.v, h, s.q + link.q, s.v + link.v);
        }
      }
    });
    const Mask stays = *left_ > T(0.5) || is_lost();
    *left_ = select(stays, T(1), T(0));
    for (int k = 0; k < tree_.nq; ++k) q_[k] = select(stays, q_[k], s_.q[k]);
    for (int k = 0; k < tree_.nv; ++k) v_[k] = select(stays, v_[k], s_.v[k]);
    for (int i = 0; i < task_.point_count; ++i) {
      const ImplicitContact<T>& contact = s_.points[i].contact;
      const Vec3<T> u = contact.deflection(task_.points[i].law, task_.h);
      const auto mode = contact.mode();
      T* c = contacts_ + LaneStepTask::contact_rows * i;
      const T next[] = {u.x, u.y, u.z, select(mode.touches, T(1), T(0)), select(mode.slips, T(1), T(0)), mode.normal};
      for (int k = 0; k < LaneStepTask::contact_rows; ++k) c[k] = select(stays, c[k], next[k]);
    }
  }

  Mask is_lost() const {
    constexpr double bound = 1e12;
    Mask sound = singular_ < T(0);
    for (int k = 0; k < tree_.nq; ++k) sound = sound && abs(s_.q[k]) < T(bound);
    for (int k = 0; k < tree_.nv; ++k) sound = sound && abs(s_.v[k]) < T(bound);
    for (int i = 0; i < task_.stop_count; ++i) {
      const LaneStop& stop = task_.stops[i];
      const T side(stop.is_upper ? 1.0 : -1.0), limit = side * T(stop.limit);
      sound = sound && side * s_.q[stop.q] < limit && side * (q_[stop.q] + T(task_.h) * v_[stop.v]) < limit;
    }
    return !sound;
  }

  const LaneStepTask& task_;
  const Tree& tree_;
  const Arrays<T> ws_;
  const LaneScratch<T> s_;
  T *q_, *v_;
  const T* controls_;
  T *contacts_, *left_;
  T singular_{};
};

}  // namespace trammel

// The kernel library's. A workspace `ws` belongs to lanes that share their parameters (it is one of the lane kernels), or to lanes that have
// their own; `scratch` is as many numbers as told, both on 64-byte boundaries.
struct TrammelLaneStep {
  std::size_t (*workspace_numbers)(const trammel::Tree& tree);
  std::size_t (*scratch_numbers)(const trammel::Tree& tree, int points);
  // Of all lanes; then, where they differ, of one.
  void (*set_parameters)(const trammel::Tree& tree, const trammel::ParameterArrays<double>& parameters, double* ws);
  void (*set_lane)(const trammel::Tree& tree, const trammel::ParameterArrays<double>& parameters, int lane, double* ws);
  void (*step)(const trammel::LaneStepTask& task, const trammel::Tree& tree, double* ws, double* scratch);
};
extern "C" const TrammelLaneStep* trammel_lane_step(bool has_own_parameters);
