// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// States of a mechanism, and the room its kernels work in.

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/workspace.hpp>

namespace trammel {

State design_state(const Mechanism& mechanism) {
  State state{0, std::vector<double>(mechanism.nq), std::vector<double>(mechanism.nv)};
  for (const Link& link : mechanism.links) q_zero(link.type, state.q.data() + link.q);
  return state;
}

State initial_state(const Mechanism& mechanism) {
  State state = design_state(mechanism);
  for (const Link& link : mechanism.links) {
    const JointInfo& joint = mechanism.joints[link.joint];
    std::copy(joint.q_initial.begin(), joint.q_initial.end(), state.q.begin() + link.q);
    std::copy(joint.v_initial.begin(), joint.v_initial.end(), state.v.begin() + link.v);
  }
  return state;
}

void step_coordinates(const Mechanism& mechanism, std::span<const double> q, std::span<const double> delta,
                      std::span<double> out) {
  for (const Link& link : mechanism.links) {
    q_step(link.type, q.data() + link.q, delta.data() + link.v, out.data() + link.q);
  }
}

template <class T>
BasicWorkspace<T>::BasicWorkspace(const Mechanism& mechanism)
    : parameters(Parameters<T>::from(mechanism.parameters)),
      p_WO(mechanism.points),
      p_QO(mechanism.points),
      R_WL(mechanism.links.size()),
      p_OL(mechanism.links.size()),
      V(mechanism.links.size()),
      zeta(mechanism.links.size()),
      A(mechanism.links.size()),
      M(mechanism.links.size()),
      Mc(mechanism.links.size()),
      IA(mechanism.links.size()),
      pA(mechanism.links.size()),
      F(std::max(mechanism.links.size(), mechanism.bodies.size())),
      H(mechanism.nv),
      Hdot(mechanism.nv),
      Y(mechanism.nv),
      d(mechanism.nv),
      tau(mechanism.nv) {
  if (!std::is_same_v<T, double> && mechanism.has_custom_joint) {
    throw std::invalid_argument("custom joints run on double only: this mechanism has one");
  }
}

template struct BasicWorkspace<double>;
template struct BasicWorkspace<Dual>;
template struct BasicWorkspace<Counted>;

}  // namespace trammel
