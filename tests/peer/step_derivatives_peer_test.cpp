// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How the end of a step changes with its beginning, beside MuJoCo's mjd_transitionFD (Debian's libmujoco-dev 2.2.2), which takes central
// differences of its own Euler step: new velocities move the coordinates, viscous friction is implicit. That is our implicit step.
// Hinges, slides and a ball, whose velocities are the same in both but for their order: v' = T v, T constant.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/step_derivatives.hpp>

#include "peer/mjcf_of_model.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Model arm(Random& random, bool friction) {
  Model model;
  model.gravity = {0.5, -1, -9.5};
  const AnyJoint types[] = {Revolute{}, Prismatic{}, Revolute{}, Spherical{}, Revolute{}, Prismatic{}};
  std::string before(ground_name);
  for (int i = 0; i < 6; ++i) {
    const std::string name = "b" + std::to_string(i);
    const double mass = random.uniform(0.5, 2);
    add_body(model, name, mass, random.vector(0.3), random.inertia_at_com(mass));
    Joint& joint = add_joint(model, "j" + std::to_string(i), types[i], i == 4 ? "b1" : before, name, random.pose());
    if (friction) joint.properties.viscous.assign(static_cast<std::size_t>(nv(types[i])), random.uniform(0.1, 2));
    before = name;
  }
  return model;
}

double largest_difference(const Model& model, Integrator integrator, double h, Random& random) {
  const Mechanism mech = compiled(model);
  const MujocoPeer peer(model);
  mjModel* m = peer.model();
  mjData* d = peer.data();
  m->opt.integrator = mjINT_EULER;
  m->opt.timestep = h;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  DifferentiatedStep step(mech, integrator, h);
  const Eigen::Index n = mech.nv;
  Matrix A(2 * n, 2 * n), B(2 * n, n), of_peer(2 * n, 2 * n);
  const auto numbers = [](Matrix& x) { return std::span<double>(x.data(), static_cast<std::size_t>(x.size())); };
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> q(static_cast<std::size_t>(mech.nq)), v = random.normals(mech.nv, 2);
    const std::vector<double> tau = random.normals(mech.nv, 3);
    step_coordinates(mech, design_state(mech).q, random.normals(mech.nv), q);
    const CoordinateMap map = peer.map(mech, q, v);
    mj_resetData(m, d);
    Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = map.q;
    Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = map.T * as_vector(v);
    Eigen::Map<Eigen::VectorXd>(d->qfrc_applied, m->nv) = map.T.transpose().inverse() * as_vector(tau);
    mjd_transitionFD(m, d, 1e-5, 1, of_peer.data(), nullptr, nullptr, nullptr);
    EXPECT_TRUE(step.advance(q, v, tau, q, v, {numbers(A), numbers(B)}).ok());
    Eigen::MatrixXd T = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    T.topLeftCorner(n, n) = T.bottomRightCorner(n, n) = map.T;
    const Eigen::MatrixXd ours = T * A * T.inverse();
    worst = std::max(worst, (ours - of_peer).lpNorm<Eigen::Infinity>() / of_peer.lpNorm<Eigen::Infinity>());
  }
  return worst;
}

TEST(MujocoSteps, have_the_same_derivatives) {
  Random random(4);
  const double free = largest_difference(arm(random, false), Integrator::semi_implicit, 0.01, random);
  const double damped = largest_difference(arm(random, true), Integrator::implicit, 0.01, random);
  fmt::print("largest difference of A beside mjd_transitionFD: {:.1e} without friction, {:.1e} with\n", free, damped);
  EXPECT_LT(free, 1e-7);
  EXPECT_LT(damped, 1e-7);
}

}  // namespace
}  // namespace trammel::test
