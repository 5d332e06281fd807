// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <trammel/floating.hpp>

#include "core/dense.hpp"
#include "kernels/link_view.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using dense::MatrixXd;

std::vector<double> rows_of(const MatrixXd& A) {
  std::vector<double> out;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (Eigen::Index k = 0; k < A.cols(); ++k) out.push_back(A(i, k));
  }
  return out;
}

int first_link_of_tree(const Mechanism& mech, int body) {
  int link = mech.bodies[static_cast<At>(body)].link;
  while (mech.links[static_cast<At>(link)].parent != ground) link = mech.links[static_cast<At>(link)].parent;
  return link;
}

// Mass, centre and locked inertia of the links from `root` on, and their momentum.
void sum_up(const Mechanism& mech, Workspace& ws, const std::vector<char>& in_tree, FloatingKinematics& out) {
  compute_inertias(mech, ws);
  bool started = false;
  Vec3d p_WS, first_moment;
  for (At l = 0; l < in_tree.size(); ++l) {
    if (in_tree[l] == 0) continue;
    const LinkView<double> L = link_view(mech, ws, static_cast<int>(l));
    if (!started) p_WS = L.p_WO, started = true;
    out.mass += L.M.mass;
    first_moment += (L.p_WO - p_WS) * L.M.mass + L.M.h;
  }
  const Vec3d p_SC = out.mass > 0 ? first_moment * (1 / out.mass) : Vec3d{};
  out.com_W = p_WS + p_SC;
  for (At l = 0; l < in_tree.size(); ++l) {
    if (in_tree[l] == 0) continue;
    const LinkView<double> L = link_view(mech, ws, static_cast<int>(l));
    const Vec3d p_OC = p_SC - (L.p_WO - p_WS);
    const Force<double> P = shift(L.M * L.V, p_OC);
    out.linear_W += P.f;
    out.angular_W += P.n;
    out.locked_inertia_W += shift(L.M, p_OC).I;
  }
}

}  // namespace

FloatingTree find_floating_tree(const Mechanism& mech, int body) {
  FloatingTree out;
  if (body == ground || mech.bodies[static_cast<At>(body)].link == ground) return out;
  const int root = first_link_of_tree(mech, body);
  const Link& base = mech.links[static_cast<At>(root)];
  const AnyJoint& type = mech.joints[static_cast<At>(base.joint)].type;
  if (std::holds_alternative<Free>(type) || std::holds_alternative<Planar>(type)) out.base_joint = base.joint;
  std::vector<char> in_tree(mech.links.size());
  for (At l = 0; l < mech.links.size(); ++l) {  // parents come first
    const Link& link = mech.links[l];
    in_tree[l] = static_cast<int>(l) == root || (link.parent != ground && in_tree[static_cast<At>(link.parent)] != 0);
    if (in_tree[l] == 0) continue;
    const bool is_base = static_cast<int>(l) == root && out.base_joint >= 0;
    for (int k = link.v; k < link.v + link.nv; ++k) (is_base ? out.base : out.joints).push_back(k);
  }
  return out;
}

FloatingKinematics compute_floating(const Mechanism& mech, Workspace& ws, std::span<const double> q,
                                    std::span<const double> v, int body, const Vec3d& p_B) {
  FloatingKinematics out;
  out.tree = find_floating_tree(mech, body);
  const auto nv = static_cast<At>(mech.nv);
  std::vector<double> M(nv * nv), J(6 * nv);
  mass_matrix<double>(mech, ws, q, M);
  compute_velocities<double>(mech, ws, q, v);
  jacobian_W<double>(mech, ws, body, p_B, J);

  const std::vector<int>&b = out.tree.base, &m = out.tree.joints;
  const auto block = [&](const std::vector<int>& rows, const std::vector<int>& columns) {
    MatrixXd A(rows.size(), columns.size());
    for (At i = 0; i < rows.size(); ++i) {
      for (At k = 0; k < columns.size(); ++k) {
        A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
            M[static_cast<At>(rows[i]) * nv + static_cast<At>(columns[k])];
      }
    }
    return A;
  };
  const auto columns_of_J = [&](const std::vector<int>& columns) {
    MatrixXd A(6, columns.size());
    for (At i = 0; i < 6; ++i) {
      for (At k = 0; k < columns.size(); ++k) {
        A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = J[i * nv + static_cast<At>(columns[k])];
      }
    }
    return A;
  };
  const auto solve = [](const MatrixXd& A, const MatrixXd& B) {
    MatrixXd X(A.cols(), B.cols());
    for (Eigen::Index k = 0; k < B.cols(); ++k) X.col(k) = dense::solve(A, dense::VectorXd(B.col(k)));
    return X;
  };
  const MatrixXd H_b = block(b, b), H_bm = block(b, m), J_b = columns_of_J(b), J_m = columns_of_J(m);
  const MatrixXd base_map = -solve(H_b, H_bm);
  const MatrixXd H_star = block(m, m) + H_bm.transpose() * base_map;
  const MatrixXd J_star = J_m + J_b * base_map;
  const MatrixXd G_locked =
      b.empty() ? MatrixXd(MatrixXd::Zero(6, 6)) : MatrixXd(J_b * solve(H_b, MatrixXd(J_b.transpose())));
  const MatrixXd G_star =
      m.empty() ? G_locked : MatrixXd(J_star * solve(H_star, MatrixXd(J_star.transpose())) + G_locked);
  out.base_map = rows_of(base_map);
  out.coupling = rows_of(H_bm);
  out.H_star = rows_of(H_star);
  out.J_star = rows_of(J_star);
  out.G_locked = rows_of(G_locked);
  out.G_star = rows_of(G_star);
  if (!m.empty() && !b.empty()) {
    const dense::Svd svd = dense::svd(H_bm);
    Eigen::Index rank = 0;
    while (rank < svd.s.size() && svd.s(rank) > 1e-12 * svd.s(0)) ++rank;
    out.reaction_null_space = rows_of(svd.V.rightCols(svd.V.cols() - rank));
  }
  std::vector<char> in_tree(mech.links.size());
  for (const std::vector<int>* part : {&b, &m}) {
    for (const int k : *part) in_tree[static_cast<At>(mech.link_of_dof[static_cast<At>(k)])] = 1;
  }
  sum_up(mech, ws, in_tree, out);
  return out;
}

VirtualMass virtual_mass(std::span<const double> G, const Vec3d& n) {
  const auto row = [&](At i) { return Vec3d{G[6 * (3 + i) + 3], G[6 * (3 + i) + 4], G[6 * (3 + i) + 5]}; };
  const Vec3d a{dot(row(0), n), dot(row(1), n), dot(row(2), n)};
  const double size = norm(a), along = dot(a, n);
  constexpr double none = std::numeric_limits<double>::infinity();
  // Round-off of the larger entries is no motion.
  const double least = 1e-14 * std::max({norm(row(0)), norm(row(1)), norm(row(2))});
  if (size <= least) return {none, none, n, 0};
  return {along > least ? 1 / along : none, 1 / size, a * (1 / size), std::atan2(norm(cross(n, a)), along)};
}

VirtualMassEllipsoid virtual_mass_ellipsoid(std::span<const double> G) {
  MatrixXd S(3, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index k = 0; k < 3; ++k) {
      S(i, k) = 0.5 * (G[static_cast<At>(6 * (i + 3) + k + 3)] + G[static_cast<At>(6 * (k + 3) + i + 3)]);
    }
  }
  const dense::SymmetricEigen eigen = dense::symmetric_eigen(S);  // ascending: the heaviest first
  VirtualMassEllipsoid out;
  for (At i = 0; i < 3; ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    const bool moves = eigen.lambda(c) > 1e-14 * eigen.lambda(2);
    out.mass[i] = moves ? 1 / eigen.lambda(c) : std::numeric_limits<double>::infinity();
    out.axis[i] = {eigen.V(0, c), eigen.V(1, c), eigen.V(2, c)};
  }
  for (At i = 0; i < 2; ++i) {  // one of the two directions: the one whose largest component is positive
    const auto x = components(out.axis[i]);
    const double largest =
        *std::max_element(x.begin(), x.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (largest < 0) out.axis[i] = -out.axis[i];
  }
  out.axis[2] = cross(out.axis[0], out.axis[1]);
  return out;
}

}  // namespace trammel
