// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What was compared with a peer and how far apart the answers were: the largest relative difference per quantity, judged
// against one bound, printed as a table row and kept as test properties for docs/validation.md.

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "peer/peer_tree.hpp"
#include "support/dense.hpp"

namespace trammel::test {

class Comparison {
 public:
  // The largest difference relative to the largest entry, or to 1 (in SI) where all entries are smaller. A NaN counts as
  // infinitely wrong.
  template <class A, class B>
  void add(const std::string& quantity, const A& ours, const B& peers) {
    double& worst = worst_[quantity];
    const double error = relative_error(ours, peers);
    if (!(error <= worst)) worst = std::isnan(error) ? infinity : error;
  }
  void add(const std::string& quantity, double ours, double peers) {
    add(quantity, Eigen::Matrix<double, 1, 1>(ours), Eigen::Matrix<double, 1, 1>(peers));
  }
  void merge(const Comparison& other) {
    for (const auto& [quantity, error] : other.worst_) worst_[quantity] = std::max(worst_[quantity], error);
  }
  double worst(const std::string& quantity) const { return worst_.at(quantity); }

  void report_and_judge(const std::string& peer, const std::string& model, double bound) const;

 private:
  std::map<std::string, double> worst_;
};

// The project's robots: models/<name>.yaml, as the peers can take it.
Model shipped_model(const std::string& name);

}  // namespace trammel::test
