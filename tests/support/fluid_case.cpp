// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/fluid_case.hpp"

#include "support/random.hpp"

namespace trammel::test {
namespace {

Shape random_hull(Random& random) {
  Shape s;
  const int kind = random.integer(0, 4);
  s.kind = kind == 0   ? Shape::Kind::sphere
           : kind == 1 ? Shape::Kind::cylinder
           : kind == 2 ? Shape::Kind::capsule
           : kind == 3 ? Shape::Kind::box
                       : Shape::Kind::ellipsoid;
  s.radius = random.uniform(0.02, 0.2);
  s.length = random.uniform(0.02, 0.8);
  s.size = {random.uniform(0.05, 0.4), random.uniform(0.05, 0.4), random.uniform(0.05, 0.4)};
  s.X_BS = random.pose(0.3);
  return s;
}

Hydrodynamics::Matrix random_matrix(Random& random, double size) {
  Eigen::MatrixXd A(6, 6);
  for (int i = 0; i < 36; ++i) A.data()[i] = random.normal();
  const Eigen::MatrixXd S = A * A.transpose() * (size / 6);
  Hydrodynamics::Matrix m{};
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 6; ++k) m[static_cast<std::size_t>(6 * i + k)] = 0.5 * (S(i, k) + S(k, i));
  }
  return m;
}

Matrix6 matrix_of(const ArticulatedInertia<double>& I) {
  Matrix6 out;
  for (int k = 0; k < 6; ++k) {
    Motion<double> e;
    (k == 0 ? e.w.x : k == 1 ? e.w.y : k == 2 ? e.w.z : k == 3 ? e.v.x : k == 4 ? e.v.y : e.v.z) = 1;
    out.col(k) = dense(I * e);
  }
  return out;
}

}  // namespace

void wet(Model& model, std::uint64_t seed, bool drag) {
  Random random(seed + 17);
  for (Body& body : model.bodies) {
    Hydrodynamics& h = *body.in_fluid;
    h.acts = random.chance(0.9);
    const int parts = random.integer(1, 2);
    for (int i = 0; i < parts; ++i) {
      HullPart part;
      part.shape = random_hull(random);
      part.skin_friction = 0.01;
      if (part.shape.kind != Shape::Kind::cylinder && part.shape.kind != Shape::Kind::capsule) part.skin_friction = 0;
      h.hull.push_back(part);
    }
    h.hull_drag = drag;
    h.reference = random.vector(0.2);
    if (random.chance(0.3)) h.added_mass = random_matrix(random, 3);
    if (drag && random.chance(0.3)) h.linear = random_matrix(random, 2);
    if (drag && random.chance(0.3)) {
      Hydrodynamics::Matrix m{};
      for (std::size_t i = 0; i < 6; ++i) m[7 * i] = random.uniform(0, 3);
      h.quadratic = m;
    }
    if (random.chance(0.2)) h.buoyancy_at = random.vector(0.1);
    if (drag && random.chance(0.3)) {
      Fin fin;
      fin.name = "fin";
      fin.at = random.vector(0.3);
      fin.area = 0.02, fin.aspect = 2;
      const Mat3d R = random.rotation();
      fin.chord = R.ex, fin.normal = R.ez;
      h.fins = {fin};
    }
  }
}

OracleLoads as_oracle(const Mechanism& mech, const Workspace& ws, const Loads& loads) {
  OracleLoads out;
  std::vector<Force<double>> probe(mech.bodies.size());
  for (int b = 0; b < mech.body_count(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (mech.bodies[i].link == ground) continue;
    // Where O is: a force f at the body's origin has the moment p × f there.
    const auto moment_of = [&](const Vec3d& f) {
      std::fill(probe.begin(), probe.end(), Force<double>{});
      add_wrench(mech, ws, b, Vec3d{}, Force<double>{{}, f}, std::span(probe));
      return probe[i].n;
    };
    const Vec3d by_x = moment_of({1, 0, 0}), by_y = moment_of({0, 1, 0});
    const Vec3d p_OB{by_y.z, -by_x.z, by_x.y};
    const Mat3d R_BW = transpose(pose_WB(mech, ws, b).R);
    out.additions.push_back({.body = b,
                             .I_B = matrix_of(rotate(R_BW, shift(loads.inertia[i], p_OB))),
                             .bias_W = shift(loads.bias[i], p_OB)});
  }
  return out;
}

}  // namespace trammel::test
