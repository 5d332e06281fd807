// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random states of a mechanism, in lanes and one by one.

#include <vector>

#include <trammel/batch.hpp>

#include "support/prepared.hpp"

namespace trammel {

// A few more states than lanes, so that the last block is not full.
struct States {
  const Mechanism& mechanism;
  int count;
  std::vector<std::vector<double>> q, v, a, tau;
  LaneArray Q, V, A, Tau;

  States(const test::Prepared& p, std::uint64_t seed)
      : mechanism(p.mechanism),
        count(lane_count() + 3),
        Q(p.mechanism.nq, count),
        V(p.mechanism.nv, count),
        A(p.mechanism.nv, count),
        Tau(p.mechanism.nv, count) {
    test::Random random(seed);
    for (int i = 0; i < count; ++i) {
      std::vector<double> moved(p.q.size());
      step_coordinates(mechanism, p.q, random.normals(mechanism.nv), moved);
      q.push_back(moved);
      v.push_back(random.normals(mechanism.nv));
      a.push_back(random.normals(mechanism.nv));
      tau.push_back(random.normals(mechanism.nv));
      Q.set(i, q.back());
      V.set(i, v.back());
      A.set(i, a.back());
      Tau.set(i, tau.back());
    }
  }
};

inline std::vector<double> of_state(const LaneArray& array, int state) {
  std::vector<double> numbers(static_cast<std::size_t>(array.rows()));
  array.get(state, numbers);
  return numbers;
}

inline double largest(const Eigen::MatrixXd& numbers) {
  return numbers.size() == 0 ? 0 : numbers.cwiseAbs().maxCoeff();
}

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace trammel
