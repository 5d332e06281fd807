// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Many states at once of one mechanism with loops, couplings or constraints, side by side in the CPU's SIMD registers.
//
//   LoopBatch batch(mechanism);
//   batch.forward_dynamics(q, v, tau, a, verdicts);      LaneArrays, as in batch.hpp
//
// As LoopDynamics::forward, to round-off; the same bytes in every run on the same kind of CPU. Loops that joints close whose freedoms keep
// their directions in them (all but universal joints) are lanes' work throughout; rows of other joints, couplings and constraints are found
// state by state, and the rest goes on in lanes. States that lanes do not settle, where rows are nearly dependent or the tree alone has no
// inertia, are given to LoopDynamics one by one. One LoopBatch per thread.

#include <memory>
#include <string>

#include <trammel/batch.hpp>
#include <trammel/loop_dynamics.hpp>

namespace trammel {

class LoopBatch {
 public:
  // The mechanism must outlive the batch.
  explicit LoopBatch(const Mechanism& mechanism);
  ~LoopBatch();
  LoopBatch(LoopBatch&&) noexcept;
  LoopBatch& operator=(LoopBatch&&) noexcept;

  // Why all states go to LoopDynamics one by one: joints that close loops have friction or rotors, joints are custom, or there are so many
  // rows that lanes would not pay. Empty: they do not.
  const std::string& why_no_lanes() const;
  // Rows that are found state by state.
  int rows_one_by_one() const;

  // As LoopDynamics::set_active.
  void set_active(ConstraintRow::Source source, int index, bool active);

  // Arrays must have the rows the mechanism says and the same number of states, else std::invalid_argument is thrown. `verdicts`, if given,
  // has one entry per state; of those from lanes `method` is dense, and `residual` a share of the terms of Φ_q a.
  void forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                        std::span<LoopVerdict> verdicts = {}, bool friction = true);
  // What else acts, such as water, is known in lanes alone: a state that they do not settle has status not_converged. Throws
  // std::invalid_argument where why_no_lanes() says so.
  void forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a, LaneLoads& loads,
                        std::span<LoopVerdict> verdicts = {}, bool friction = true);
  // States of the last call that were given to LoopDynamics.
  int one_by_one() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel
