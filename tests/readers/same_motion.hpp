// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Are two models one mechanism, whatever they call its coordinates? Formats give joints other coordinates (a ball's in the
// axes of its body), write one joint as two, and move the frames of bodies. A state is carried over by where bodies are:
//   frames of a body:   X_BB' is the same in every state, as both models are drawn in the same position
//   body B in body A:   X_A'B' = X_AA'⁻¹ X_AF X_FM X_BM⁻¹ X_BB'
//   velocities:         H' v' = C H v with C the map of frames, so v' = T v,  a' = T a + c
//   forces:             τ = Tᵀ τ',   M = Tᵀ M' T

#include <map>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <trammel/mechanism.hpp>

namespace trammel::test {

// The same motion in the coordinates of the other model. Bodies keep their names; so do joints, except that the parts of a
// joint that was split are called "joint_freedom". Both are trees.
struct Carried {
  std::vector<double> q, v, a;
  Eigen::MatrixXd T;  // v' = T v
};
Carried carry(const Model& from, const Mechanism& A, const std::vector<double>& q, const std::vector<double>& v,
              const std::vector<double>& a, const Model& to, const Mechanism& B);

// How far the two are apart in a random state: poses and velocities of bodies, mass matrix, bias forces, inverse and
// forward dynamics, each relative to its largest entry (or to 1 in SI where all are smaller); "forces of forward" are
// those that the other model's accelerations need in this one, beside those that were given.
class MotionDifference {
 public:
  void add(const std::string& quantity, const Eigen::MatrixXd& one, const Eigen::MatrixXd& other);
  void add_condition(const Eigen::MatrixXd& mass);
  void merge(const MotionDifference& other);

  double of(const std::string& quantity) const { return by_quantity_.at(quantity); }
  double without_forward() const;  // the largest
  // Accelerations are found by solving with the mass matrix: whatever the method, about ε·cond(M) is lost.
  double round_off_of_forward() const;
  std::string to_string() const;

 private:
  std::map<std::string, double> by_quantity_;
  double condition_ = 1;
};
MotionDifference motion_difference(const Model& from, const Model& to, std::uint64_t seed);

}  // namespace trammel::test
