// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A closed mechanism in Simbody, in plain numbers: its headers (3.7) are no C++20, ours no C++17. World axes, angular part first, at
// the bodies' origins. Bodies come parents first; parent −1 is the ground.

#include <array>
#include <memory>
#include <vector>

namespace simbody_peer {

struct Pose {
  std::array<double, 9> R;  // row-major
  std::array<double, 3> p;
};
enum class Kind { hinge, slider, universal, ball, free, weld };  // about z, along z, x then y

struct BodySpec {
  double mass = 0;
  std::array<double, 3> com{};
  std::array<double, 6> inertia{};  // at the centre of mass: xx, yy, zz, xy, xz, yz
  int parent = -1;
  Kind kind = Kind::free;
  bool reversed = false;  // the joint runs from the child to the parent
  Pose on_parent{}, on_child{};
  double damping = 0, stiffness = 0, rest = 0;  // of a joint with one freedom
};
// Between two points of bodies.
struct SpringSpec {
  int first = -1, second = -1;
  std::array<double, 3> on_first{}, on_second{};
  double stiffness = 0, rest = 0, damping = 0;
};
struct ClosureSpec {
  Kind kind = Kind::weld;  // hinge, ball or weld
  int first = -1, second = -1;
  Pose on_first{}, on_second{};
};
struct BodyState {
  Pose X{};
  std::array<double, 6> V{}, wrench{};
};
struct Answer {
  std::vector<std::array<double, 6>> acceleration;  // of each body
  std::vector<std::array<double, 6>> reaction;      // of its joint on it, at the joint's frame on it
  double state_error =
      0;  // how far the bodies are from the poses and velocities asked for, and the constraints from closed
};

class Peer {
 public:
  Peer(const std::array<double, 3>& gravity, const std::vector<BodySpec>& bodies,
       const std::vector<ClosureSpec>& closures, const std::vector<SpringSpec>& springs = {});
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void take(const std::vector<BodyState>& states);  // poses, velocities, wrenches
  void solve();                                     // accelerations with constraints, from velocities on
  Answer answer() const;
  // Goes on from the state for so many seconds, by its Runge–Kutta–Merson rule; poses and velocities at the end.
  std::vector<BodyState> advance(double seconds, double accuracy);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace simbody_peer
