// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/prepared.hpp"

#include <stdexcept>

namespace trammel::test {
namespace {

ArticulatedInertia<double> symmetric_blocks(const Matrix6& I) {
  const auto sym = [](const Eigen::Matrix3d& m) { return Sym3d{m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}; };
  const Eigen::Matrix3d H = I.topRightCorner<3, 3>();
  return {
      sym(I.topLeftCorner<3, 3>()), {vec3(H.col(0)), vec3(H.col(1)), vec3(H.col(2))}, sym(I.bottomRightCorner<3, 3>())};
}

// Like water's: any symmetric positive matrix.
Matrix6 random_added_inertia(Random& random) {
  Matrix6 root;
  for (Eigen::Index i = 0; i < 36; ++i) root(i) = 0.3 * random.normal();
  return root * root.transpose();
}

}  // namespace

Loads LoadCase::loads() const {
  Loads result;
  if (!wrench.empty()) result.wrench = wrench.data();
  if (!bias.empty()) result.bias = bias.data();
  if (!inertia.empty()) result.inertia = inertia.data();
  if (!dof_inertia.empty()) result.dof_inertia = dof_inertia.data();
  result.friction = oracle.friction;
  return result;
}

Prepared::Prepared(Model the_model, JointStates the_states)
    : model(std::move(the_model)),
      states(std::move(the_states)),
      mechanism(compiled(model)),
      q(pack_q(mechanism, states.q)),
      v(pack_v(mechanism, states.v)),
      a(pack_v(mechanism, states.a)),
      tau(pack_v(mechanism, states.tau)),
      ws(mechanism) {}

Prepared::Prepared(const ModelCase& model_case, const RandomModelOptions& options)
    : Prepared(model_case.model(options), model_case.states(model_case.model(options))) {}

LoadCase Prepared::load_case(std::uint64_t seed, const LoadChoice& choice) {
  Random random(seed);
  LoadCase result;
  compute_positions(mechanism, ws, q);
  const std::size_t bodies = model.bodies.size();
  if (choice.wrenches) result.wrench.resize(bodies);
  if (choice.additions) {
    result.bias.resize(bodies);
    result.inertia.resize(bodies);
    result.oracle.dof_inertia = states.v;
    for (auto& list : result.oracle.dof_inertia) {
      for (double& x : list) x = random.uniform(0, 0.5);
    }
    result.dof_inertia = pack_v(mechanism, result.oracle.dof_inertia);
  }
  for (int b = 0; b < mechanism.body_count(); ++b) {
    if (choice.wrenches && random.chance(0.7)) {
      const OracleWrench wrench{b, random.vector(0.3), random.force()};
      result.oracle.wrenches.push_back(wrench);
      add_wrench(mechanism, ws, b, wrench.p_B, wrench.F_W, result.wrench);
    }
    const bool moves = mechanism.bodies[static_cast<std::size_t>(b)].link != ground;
    if (choice.additions && moves && random.chance(0.7)) {
      const OracleAddition addition{b, random_added_inertia(random), random.force()};
      result.oracle.additions.push_back(addition);
      add_inertia(mechanism, ws, b, symmetric_blocks(addition.I_B), result.inertia);
      add_wrench(mechanism, ws, b, Vec3d{}, addition.bias_W, result.bias);
    }
  }
  return result;
}

std::vector<double> Prepared::forward(const Loads& loads) {
  std::vector<double> found(nv());
  if (!forward_dynamics(mechanism, ws, q, v, tau, found, loads).ok()) throw std::runtime_error("singular");
  return found;
}
std::vector<double> Prepared::inverse(const std::vector<double>& accelerations, const Loads& loads) {
  std::vector<double> found(nv());
  inverse_dynamics(mechanism, ws, q, v, accelerations, found, loads);
  return found;
}
Eigen::MatrixXd Prepared::mass(const Loads& loads) {
  std::vector<double> rows(nv() * nv());
  mass_matrix(mechanism, ws, q, rows, loads);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(rows.data(), mechanism.nv, mechanism.nv);
}
std::vector<double> Prepared::bias(const Loads& loads) {
  std::vector<double> found(nv());
  bias_forces(mechanism, ws, q, v, found, loads);
  return found;
}

Eigen::MatrixXd in_mechanism_order(const Mechanism& mechanism, const Eigen::MatrixXd& per_joint) {
  std::vector<Eigen::Index> place;  // of each freedom of the model's joints
  for (const JointInfo& joint : mechanism.joints) {
    for (int i = 0; i < joint.nv; ++i) place.push_back(joint.v + i);
  }
  Eigen::MatrixXd result(per_joint.rows(), per_joint.cols());
  for (Eigen::Index i = 0; i < per_joint.rows(); ++i) {
    for (Eigen::Index k = 0; k < per_joint.cols(); ++k) {
      result(place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(k)]) = per_joint(i, k);
    }
  }
  return result;
}

double error_of(const std::vector<double>& found, const std::vector<double>& expected) {
  if (found.size() != expected.size()) return infinity;
  return relative_error(vector(found), vector(expected));
}

DualState moving(const Mechanism& mechanism, const std::vector<double>& q, const std::vector<double>& v,
                 const std::vector<double>& a) {
  DualState state{constant(q), seeded(v, a)};
  const std::vector<Dual> direction = seeded(std::vector<double>(v.size()), v);
  for (const Link& link : mechanism.links) {
    std::visit(
        [&]<class J>(const J& joint) {
          if constexpr (std::is_same_v<J, Custom>) {
            throw std::invalid_argument("custom joints know no dual numbers");
          } else {
            joint.template q_step<Dual>(&state.q[static_cast<std::size_t>(link.q)],
                                        &direction[static_cast<std::size_t>(link.v)],
                                        &state.q[static_cast<std::size_t>(link.q)]);
          }
        },
        link.type);
  }
  return state;
}
std::vector<Dual> constant(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }
std::vector<Dual> seeded(const std::vector<double>& numbers, const std::vector<double>& direction) {
  std::vector<Dual> result;
  for (std::size_t i = 0; i < numbers.size(); ++i) result.emplace_back(numbers[i], direction[i]);
  return result;
}
std::vector<double> derivatives(const std::vector<Dual>& numbers) {
  std::vector<double> result;
  for (const Dual& x : numbers) result.push_back(x.eps);
  return result;
}
std::vector<double> values(const std::vector<Dual>& numbers) {
  std::vector<double> result;
  for (const Dual& x : numbers) result.push_back(x.value);
  return result;
}

}  // namespace trammel::test
