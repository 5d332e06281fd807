// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/random_linkage.hpp"

#include <ostream>

#include <Eigen/Dense>

#include "support/random.hpp"

namespace trammel::test {
namespace {

AnyJoint spatial_pair(Random& random) {
  switch (random.integer(0, 7)) {
    case 0:
      return Revolute{};
    case 1:
      return Prismatic{};
    case 2:
      return Helical{random.uniform(-0.3, 0.3)};
    case 3:
      return Cylindrical{};
    case 4:
      return Universal{};
    case 5:
      return Spherical{};
    case 6:
      return Planar{};
    default:
      return Fixed{};
  }
}

int closure_rows(const Model& model, const AnyJoint& joint, bool planar) {
  (void)model;
  return planar ? 3 - nv(joint) : 6 - nv(joint);
}

AnyConstraint random_constraint(Random& random, const Vec3d& p, const Vec3d& q, double angle) {
  switch (random.integer(0, 4)) {
    case 0:
      return Distance{norm(q - p)};
    case 1:
      return PointOnLine{};
    case 2:
      return PointOnPlane{};
    case 3:
      return Angle{angle};
    default: {
      Hold hold;
      hold.held[static_cast<std::size_t>(random.integer(0, 5))] = true;
      hold.held[static_cast<std::size_t>(random.integer(0, 5))] = true;
      return hold;
    }
  }
}

}  // namespace

Model random_linkage(std::uint64_t seed, const RandomLinkageOptions& options) {
  Random random(seed);
  Model model;
  model.name = "random linkage";
  model.gravity = random.vector(5);
  const auto place = [&] {
    Vec3d p = random.vector();
    if (options.planar) p.z = 0;
    return p;
  };
  const auto name = [](int b) { return b < 0 ? std::string(ground_name) : "b" + std::to_string(b); };
  const auto frame = [&](const AnyJoint& joint) {
    if (!options.planar) return Transformd{random.rotation(), place()};
    if (!std::holds_alternative<Prismatic>(joint)) return Transformd{rotation_z(random.uniform(-3, 3)), place()};
    const double angle = random.uniform(-3, 3);
    return frame_at(place(), {std::cos(angle), std::sin(angle), 0});
  };
  int freedoms_left = 0;
  for (int b = 0; b < options.bodies; ++b) {
    const double mass = random.uniform(0.2, 3);
    add_body(model, name(b), mass, random.vector(0.4), random.inertia_at_com(mass), random.pose());
    AnyJoint joint;
    if (options.planar) {
      joint = random.chance(0.75)  ? AnyJoint(Revolute{})
              : random.chance(0.7) ? AnyJoint(Prismatic{})
                                   : AnyJoint(Planar{});
    } else {
      do joint = spatial_pair(random);
      while (nv(joint) == 0);
    }
    const int other = random.chance(0.25) ? -1 : b - 1;
    const bool turned = random.chance(0.3);
    add_joint(model, "j" + std::to_string(b), joint, turned ? name(b) : name(other), turned ? name(other) : name(b),
              frame(joint));
    freedoms_left += nv(joint);
  }
  for (int k = 0; k < options.loops; ++k) {
    const int first = random.integer(-1, options.bodies - 1);
    int second = random.integer(-1, options.bodies - 1);
    if (first == second) second = second == options.bodies - 1 ? -1 : second + 1;
    if (options.constraints && random.chance(0.5)) {
      const Transformd P{random.rotation(), place()}, Q{random.rotation(), place()};
      const Mat3d R = transpose(P.R) * Q.R;
      const double angle = std::atan2(std::hypot(R.ez.x, R.ez.y), R.ez.z);
      const AnyConstraint type = random_constraint(random, P.p, Q.p, angle);
      const int rows = static_cast<int>(dimensions(type).size());
      if (freedoms_left - rows < 1) continue;
      freedoms_left -= rows;
      Transformd at_Q = Q;
      if (std::holds_alternative<PointOnLine>(type)) at_Q.p = P.p + P.R.ez * random.uniform(-1, 1);
      if (std::holds_alternative<PointOnPlane>(type))
        at_Q.p = P.p + P.R.ex * random.normal() + P.R.ey * random.normal();
      if (std::holds_alternative<Hold>(type)) at_Q = P;
      add_constraint(model, "c" + std::to_string(k), type, name(first), name(second), P, at_Q);
      continue;
    }
    const AnyJoint joint =
        options.planar ? (random.chance(0.7) ? AnyJoint(Revolute{}) : AnyJoint(Prismatic{})) : spatial_pair(random);
    const int rows = closure_rows(model, joint, options.planar);
    if (freedoms_left - rows < 1) continue;
    freedoms_left -= rows;
    add_joint(model, "k" + std::to_string(k), joint, name(first), name(second), frame(joint)).cut = true;
  }
  return model;
}

std::vector<Driver> independent_drivers(const Mechanism& mech) {
  LoopSolver solver(mech);
  const std::vector<double> q = design_state(mech).q;
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> J(solver.row_count(), mech.nv);
  solver.jacobian(q, {J.data(), static_cast<std::size_t>(J.size())});
  const Eigen::FullPivLU<Eigen::MatrixXd> lu = [&] {
    Eigen::FullPivLU<Eigen::MatrixXd> f;
    f.setThreshold(1e-9);
    return f.compute(J.rows() == 0 ? Eigen::MatrixXd::Zero(1, mech.nv) : Eigen::MatrixXd(J));
  }();
  const Eigen::MatrixXd N = lu.dimensionOfKernel() == 0 ? Eigen::MatrixXd(mech.nv, 0) : Eigen::MatrixXd(lu.kernel());
  // Rows of N, one by one, that are independent of those before them.
  std::vector<Driver> drivers;
  Eigen::MatrixXd chosen(0, N.cols());
  for (int i = 0; i < mech.nv && chosen.rows() < N.cols(); ++i) {
    const JointInfo& joint = mech.joints[mech.links[mech.link_of_dof[i]].joint];
    if (joint.nq != joint.nv) continue;
    Eigen::MatrixXd more(chosen.rows() + 1, N.cols());
    more << chosen, N.row(i);
    const Eigen::VectorXd s = more.jacobiSvd().singularValues();
    if (s(s.size() - 1) < 0.05 * N.rowwise().norm().maxCoeff()) continue;
    chosen = more;
    Driver driver;
    driver.joint = mech.links[mech.link_of_dof[i]].joint;
    driver.dof = i - joint.v;
    drivers.push_back(driver);
  }
  if (chosen.rows() < N.cols()) return {};
  return drivers;
}

Model LinkageCase::model() const {
  return random_linkage(seed,
                        {.bodies = bodies, .loops = loops, .planar = seed % 3 == 0, .constraints = seed % 3 == 1});
}

std::ostream& operator<<(std::ostream& out, const LinkageCase& c) {
  return out << c.bodies << " bodies, " << c.loops << " loops, seed " << c.seed;
}

}  // namespace trammel::test
