// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// States of a mechanism.

#include <algorithm>

#include <trammel/mechanism.hpp>

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

}  // namespace trammel
