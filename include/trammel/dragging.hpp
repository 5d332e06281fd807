// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moving a linkage by hand, without forces: a point of a body is drawn towards a place, or an input is turned to a value, and everything
// else follows with all loops closed. Where it does not go on, words say why.
//
//   LinkageHand hand(mechanism, inputs_to_turn(mechanism));
//   const DragVerdict verdict = hand.drag(coupler, p_B, target_W);
//   hand.q() …

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <trammel/loops.hpp>

namespace trammel {

struct DragVerdict {
  enum class Status {
    there,       // at the target
    nearest,     // the point's path comes no nearer to it
    limit,       // a joint is at its limit
    dead_point,  // links are in line, and the point can only turn back; or it is at the edge of what it can reach
    locked,      // nothing can move, or not this body
  };
  Status status = Status::there;
  double left = 0;   // m, or rad of an input: what is missing
  std::string text;  // why it goes no further, in words, values in the model's units; empty where it is there
};
std::string_view keyword(DragVerdict::Status status);

// The inputs of the mechanism; where it has none, a coordinate for each way in which it can move, of the joints by which a designer would
// name it.
std::vector<Driver> inputs_to_turn(const Mechanism& mechanism);

class LinkageHand {
 public:
  // At q, or at the design position, brought onto the constraints. Keeps a copy of the mechanism. `inputs` are coordinates of joints.
  explicit LinkageHand(const Mechanism& mechanism, std::vector<Driver> inputs = {}, std::span<const double> q = {});
  ~LinkageHand();
  LinkageHand(LinkageHand&&) noexcept;
  LinkageHand& operator=(LinkageHand&&) noexcept;

  const Mechanism& mechanism() const;
  const std::vector<Driver>& inputs() const;
  const AssemblyReport& assembly() const;  // of the start
  const std::vector<double>& q() const;
  double input(int k) const;

  // As near to the target as the linkage can be by a way that brings it nearer at every step.
  DragVerdict drag(int body, const Vec3d& p_B, const Vec3d& target_W);
  // Input k to the value, the others held; it stops at dead points and limits.
  DragVerdict set_input(int k, double value);
  // Where it began.
  void restart();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel
