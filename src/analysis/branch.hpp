// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Following one branch of a linkage while its inputs move, and finding where it ends.

#include <optional>
#include <vector>

#include <trammel/closed_form.hpp>
#include <trammel/loops.hpp>

namespace trammel {

// Coordinates of the tree that are lengths: they can run out to infinity.
struct Slides {
  std::vector<char> is_one;     // per coordinate
  std::vector<char> is_length;  // those, and the place of a free joint
  std::vector<int> of_freedom;  // per freedom: its coordinate; −1: none

  explicit Slides(const Mechanism& mechanism);
  double farthest(std::span<const double> q) const;  // m
};

class BranchFollower {
 public:
  // Positions by the closed form, where one is given and holds; by Newton's method otherwise.
  explicit BranchFollower(LoopSolver& solver, ClosedForm* form = nullptr);

  // Begin at a closed position with these input values.
  void start(std::span<const double> q, std::span<const double> inputs);
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& inputs() const { return u_; }

  // Where the way to some input values ends: at share s of it.
  struct End {
    double share = 0;
    std::vector<double> inputs;  // there
    std::vector<double> q;
    std::vector<double> q_beyond;  // a little way round the turn, on the other branch
    std::vector<double> inputs_beyond;
    bool at_infinity = false;  // no turn: a slide leaves towards infinity; q is far out, q_beyond empty
  };
  // Moves to the given input values along the branch. Where it cannot, stays at the last position reached and returns
  // the end, if it could be located.
  struct Outcome {
    bool arrived = false;
    bool singular = false;  // arrived, at a position where the inputs do not determine the motion
    std::optional<End> end = {};
    std::vector<End> crossings = {};  // places on the way where another branch crosses ours (q_beyond is not there)
  };
  Outcome go_to(std::span<const double> inputs);

  int orientation() const { return orientation_; }

  int steps_tried() const { return steps_tried_; }

 private:
  LoopSolver& solver_;
  ClosedForm* form_;
  std::vector<double> target_values_;
  bool close(std::vector<double>& q);  // at targets_
  std::vector<double> q_, u_;
  int orientation_ = 0;
  // The last position at which the inputs determined the motion, to start predictions from.
  std::vector<double> q_regular_, u_regular_;
  std::vector<double> rate_, second_, step_, q_new_, predicted_;
  std::vector<Target> targets_;
  std::vector<double> way_, whole_, from_q_, from_u_, polished_;
  int steps_tried_ = 0;  // since the beginning
  Slides slides_;
  double reach(int slide, std::span<const double> q) const;
  bool is_far_out(std::span<const double> q) const;
  std::vector<double> near_q_, near_u_;
  bool lands_on_singular_ = false;  // of try_step(): what it found is closed, but singular

  bool try_step(std::span<const double> from_q, std::span<const double> from_u, std::span<const double> way,
                double share);
  bool predict(std::span<const double> q, std::span<const double> way);
  // Follows the curve by its arc length to the end of the way (arrived), or of the branch. An end that is nearer to the end of the
  // way than `tolerance`, as a share of it, is met.
  std::optional<End> find_end(std::span<const double> way, double tolerance, bool& arrived,
                              std::vector<End>& crossings);
};

}  // namespace trammel
