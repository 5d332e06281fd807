// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A random mechanism in a random state, ready for the kernels and for the oracle, with loads that both understand.

#include <Eigen/Dense>

#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "support/duals.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel::test {

// The same loads for the kernels (at O, world axes) and for the oracle.
struct LoadCase {
  OracleLoads oracle;
  std::vector<Force<double>> wrench, bias;
  std::vector<ArticulatedInertia<double>> inertia;
  std::vector<double> dof_inertia;
  Loads loads() const;
};
struct LoadChoice {
  bool wrenches = false;
  bool additions = false;  // per-body articulated inertia and bias, per-dof inertia
};

struct Prepared {
  Model model;
  JointStates states;
  Mechanism mechanism;
  std::vector<double> q, v, a, tau;
  Workspace ws;

  Prepared(Model the_model, JointStates the_states);
  Prepared(const ModelCase& model_case, const RandomModelOptions& options);

  std::size_t nv() const { return static_cast<std::size_t>(mechanism.nv); }
  LoadCase load_case(std::uint64_t seed, const LoadChoice& choice);

  std::vector<double> forward(const Loads& loads = {});
  std::vector<double> inverse(const std::vector<double>& accelerations, const Loads& loads = {});
  Eigen::MatrixXd mass(const Loads& loads = {});
  std::vector<double> bias(const Loads& loads = {});
};

// The oracle's matrix over the joints of the model, in the mechanism's numbering.
Eigen::MatrixXd in_mechanism_order(const Mechanism& mechanism, const Eigen::MatrixXd& per_joint);

inline Eigen::VectorXd vector(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

// Largest difference over the largest number expected; a floor of 1 in SI units keeps zero from being demanded exactly.
double error_of(const std::vector<double>& found, const std::vector<double>& expected);
inline double error_of(const Vec3d& found, const Vec3d& expected) {
  return relative_error(dense(found), dense(expected));
}
template <class SixVector>
double error_of(const SixVector& found, const SixVector& expected) {
  return relative_error(dense(found), dense(expected));
}

// q carried along v, and v along a, with dual numbers: the ε parts of all that is computed from them are rates in time.
struct DualState {
  std::vector<Dual> q, v;
};
DualState moving(const Mechanism& mechanism, const std::vector<double>& q, const std::vector<double>& v,
                 const std::vector<double>& a);
std::vector<Dual> constant(const std::vector<double>& numbers);
// numbers + ε direction
std::vector<Dual> seeded(const std::vector<double>& numbers, const std::vector<double>& direction);
std::vector<double> derivatives(const std::vector<Dual>& numbers);
std::vector<double> values(const std::vector<Dual>& numbers);

}  // namespace trammel::test
