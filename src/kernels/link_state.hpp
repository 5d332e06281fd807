// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the kernels find out, per link, per freedom and per point; each entry tells which function fills it.
//
// All 6-vectors and inertias of a link are in world axes, taken at the link's point O. O is fixed in W and coincides,
// at this instant, with the origin of the frame of the link that opens it: the first of each tree, any link on a free
// joint, and every 16th of a long chain. So inertias of neighbours add without a congruence, and numbers stay as small
// as the mechanism even when it is 10 km from the world's origin.

#include "kernels/inertia_size.hpp"
#include "kernels/tree.hpp"

// A pass over links. Everything it calls is compiled into it, or small structs travel through memory, and it into nothing else; it takes
// Tree and Arrays by value, or compilers must fear that a number stored has changed them.
#ifdef TRAMMEL_FLATTEN  // in the kernel library; with sanitizers it would take minutes to compile
#define TRAMMEL_KERNEL [[gnu::flatten, gnu::noinline]]
#else
#define TRAMMEL_KERNEL
#endif

namespace trammel {

template <class T>
struct LinkState {
  Mat3<T> R_WL;              // axes of the link's frame                             compute_positions
  Vec3<T> p_OL;              // its origin, from O, in W                             compute_positions
  Motion<T> V;               // velocity of the link at O, in W                      compute_velocities
  Motion<T> A;               // acceleration: d/dt V with O held fixed               compute_accelerations, *_dynamics;
                             // at v̇ = 0                                             compute_velocities
  RigidInertia<T> M;         // rigid inertia at O, in W                             compute_inertias
  Force<T> F;                // force through the link's joint at O, in W            inverse_dynamics, hybrid_dynamics
  ArticulatedInertia<T> IA;  // articulated inertia at O, in W                       hybrid_dynamics
  Motion<T> dA;              // acceleration beyond that of v̇ = 0                    forward_dynamics
  InertiaSize<T> size;       // of what the children brought to IA                   forward_dynamics
};

template <class T>
struct FreedomState {
  Motion<T> H;  // column of the joint's motion space at O, in W           compute_positions
  Force<T> Y;   // (U D⁻¹) column: force per acceleration, at O            forward_dynamics; scratch of mass_matrix
  T d{};        // (D⁻¹ u)                                                 forward_dynamics
  T tau{};      // joint forces with friction taken in, where there is some  forward_dynamics
  Motion<T> Hdot;  // rate of H, O held fixed                                 compute_motion_rates
};

template <class T>
struct PointState {
  Vec3<T> p_WO;  // O in W                                                                            compute_positions
  Vec3<T> p_QO;  // O from the parent link's point Q (from W's origin for the first link of a tree)   compute_positions
};

// Of dynamics/derivative_columns.hpp.
template <class T>
struct LinkDerivative;
template <class T>
struct FreedomDerivative;
// Of dynamics/derivative_panel.hpp.
template <class T>
struct PanelColumns;
template <class T>
struct PanelRow;
template <class T>
struct FreedomRow;

// Where a freedom k stands in the tree. It carries k + 1 to end − 1. It is carried by first to k − 1, by `before`, and by what carries that.
struct FreedomPlace {
  int first = 0;      // of the line of its link (TreeLink::line)
  int before = -1;    // the freedom that carries `first`; −1: none
  int end_joint = 0;  // one past the last one of its own joint
  int end = 0;
  int point = 0;  // of its link
};

// All arrays of a workspace.
template <class T>
struct Arrays {
  ParameterArrays<T> parameters;
  const int* first_body = nullptr;  // per link, the first body on it; −1: none                       set_parameters
  const int* next_body = nullptr;   // per body, the next one on its link; −1: no more                set_parameters
  const FreedomPlace* places = nullptr;  // per freedom                                               set_parameters
  LinkState<T>* links = nullptr;         // and one more behind them, see articulated_body.hpp
  FreedomState<T>* freedoms = nullptr;
  PointState<T>* points = nullptr;
  T* rows_of_H = nullptr;  // the six components of all H, one after the other; room for 3 more       mass_matrix
  LinkDerivative<T>* link_derivatives = nullptr;        //                                 *_dynamics_derivatives
  FreedomDerivative<T>* freedom_derivatives = nullptr;  //                                 *_dynamics_derivatives
  FreedomRow<T>* freedom_rows = nullptr;                //                                 *_dynamics_derivatives
  PanelColumns<T>* panel_columns = nullptr;             //                                 *_dynamics_derivatives
  PanelRow<T>* panel_rows = nullptr;                    //                                 *_dynamics_derivatives
};

// What else acts, as plain numbers: 6 a body for wrenches and bias, 21 a body for inertias (see BasicLoads). Null: none.
template <class T>
struct LoadArrays {
  const T *wrenches = nullptr, *inertias = nullptr, *biases = nullptr, *dof_inertias = nullptr;
  bool friction = true;
  bool after_velocities =
      false;  // compute_velocities has just been called for the same q and v: forward dynamics goes on from there
  bool in_links =
      false;  // F, IA and size of all links have been set by what acts on them, at A; the arrays come on top

  bool act_on_bodies() const { return wrenches != nullptr || inertias != nullptr || biases != nullptr; }
  bool act_on_links() const { return in_links || act_on_bodies(); }
  Force<T> wrench(int body) const { return force(wrenches + 6 * body); }
  Force<T> bias(int body) const { return force(biases + 6 * body); }
  ArticulatedInertia<T> inertia(int body) const {
    const T* i = inertias + 21 * body;
    return {Sym3<T>::of_entries(i),
            {{i[6], i[7], i[8]}, {i[9], i[10], i[11]}, {i[12], i[13], i[14]}},
            Sym3<T>::of_entries(i + 15)};
  }

 private:
  static Force<T> force(const T* f) { return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}}; }
};

}  // namespace trammel
