// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Mobility, by counting (Grübler) and by rank. With Φ_q made dimensionless,
//   true mobility = nv − rank Φ_q        at a position
// and the rows that follow from others are the redundant ones. A position may be special (a dead point, a stretched linkage); so
// nearby ones are tried too, a little way along the free motions and then closed again: the largest rank found is generic.

#include <algorithm>
#include <cmath>

#include "core/dense.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
std::vector<int> redundant_rows_of(const Eigen::MatrixXd& A) {
  std::vector<int> redundant;
  Eigen::MatrixXd basis(A.cols(), std::min(A.rows(), A.cols()));
  Eigen::Index k = 0;
  const double largest = std::max(1.0, A.size() == 0 ? 0 : A.rowwise().norm().maxCoeff());
  for (Eigen::Index r = 0; r < A.rows(); ++r) {
    Eigen::VectorXd row = A.row(r).transpose();
    for (int twice = 0; twice < 2; ++twice) row -= basis.leftCols(k) * (basis.leftCols(k).transpose() * row);
    if (k == basis.cols() || row.norm() <= 1e-8 * largest) {
      redundant.push_back(static_cast<int>(r));
    } else {
      basis.col(k++) = row.normalized();
    }
  }
  return redundant;
}

namespace {

constexpr double step_size = 0.02;  // of the characteristic length, or rad
constexpr int tries = 4;

Eigen::MatrixXd scaled_rows(LoopSolver::Implementation& I, std::span<const double> q, int rows) {
  I.evaluate(q, {}, true);
  return I.scaled_jacobian().topRows(rows);
}

// Orthonormal null space of A in scaled freedoms, and the rank.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, int& rank) {
  const Eigen::Index n = A.cols();
  rank = 0;
  if (A.rows() == 0 || n == 0) return Eigen::MatrixXd::Identity(n, n);
  const dense::Svd svd = dense::svd(A);
  const Eigen::VectorXd& s = svd.s;
  for (Eigen::Index k = 0; k < s.size(); ++k) rank += s(k) > rank_tolerance * std::max(s(0), 1.0) ? 1 : 0;
  return svd.V.rightCols(n - rank);
}

// Freedoms by which a designer would name a motion: the inputs, then joints to the ground, then the others.
std::vector<int> telling_freedoms(const Mechanism& mech) {
  std::vector<int> order;
  std::vector<char> is_there(static_cast<std::size_t>(mech.nv), 0);
  const auto add = [&](int freedom) {
    if (!is_there[freedom]) order.push_back(freedom);
    is_there[freedom] = 1;
  };
  for (const InputInfo& input : mech.inputs) {
    const JointInfo& joint = mech.joints[input.joint];
    if (joint.role == JointRole::tree) add(joint.v + input.settings.dof);
  }
  for (const JointInfo& joint : mech.joints) {
    if (joint.role != JointRole::tree || (joint.first != ground && joint.second != ground)) continue;
    for (int i = 0; i < joint.nv; ++i) add(joint.v + i);
  }
  for (int freedom = 0; freedom < mech.nv; ++freedom) add(freedom);
  return order;
}

// The same space with as many zeros as elimination gives: reduced echelon form, pivots in the order given.
Eigen::MatrixXd sparse_basis(Eigen::MatrixXd N, const std::vector<int>& order) {
  Eigen::Index k = 0;
  for (const int freedom : order) {
    if (k == N.cols()) break;
    Eigen::Index pivot = 0;
    const double size = N.row(freedom).tail(N.cols() - k).cwiseAbs().maxCoeff(&pivot);
    if (size < 1e-7) continue;
    N.col(k).swap(N.col(k + pivot));
    N.col(k) /= N(freedom, k);
    for (Eigen::Index c = 0; c < N.cols(); ++c) {
      if (c != k) N.col(c) -= N(freedom, c) * N.col(k);
    }
    ++k;
  }
  return N;
}

// What holds a link at a point of it. While the others stand still the point may move along the axis only, if there is one.
struct Holder {
  Vec3d p_W;
  Vec3d axis_W;  // of a cylindrical joint; otherwise zero
};

// All that hold a link; nothing where one of them would notice every motion. An idle motion is one that no other body notices: the link
// spins about a line through all points that hold it, or along and about a common axis of cylindrical joints. So joints must have two
// freedoms or more; circles that roll, and curves and faces that the link carries, pass on how it turns. A free joint holds nothing, and
// what keeps a direction only holds no point. After compute_positions.
std::optional<std::vector<Holder>> loose_holders(const LoopSolver::Implementation& I, int link) {
  const Mechanism& mech = I.mech;
  std::vector<Holder> holders;
  const auto is_on = [&](int body) { return body != ground && mech.bodies[body].link == link; };
  const auto in_world = [&](int body, const Transformd& X) {
    return body == ground ? X : pose_WB(mech, I.ws, body) * X;
  };
  for (const JointInfo& joint : mech.joints) {
    if (joint.role == JointRole::weld || is_on(joint.first) == is_on(joint.second)) continue;
    if (joint.nv < 2) return std::nullopt;
    if (std::holds_alternative<Free>(joint.type)) continue;
    const Transformd X_W = is_on(joint.second) ? in_world(joint.second, joint.X_BM) : in_world(joint.first, joint.X_AF);
    holders.push_back({X_W.p, std::holds_alternative<Cylindrical>(joint.type) ? X_W.R.ez : Vec3d{}});
  }
  for (const ConstraintInfo& c : mech.constraints) {
    if (is_on(c.first) == is_on(c.second)) continue;
    const Vec3d P = in_world(c.first, c.X_AP).p, Q = in_world(c.second, c.X_BQ).p;
    const bool carries_point = is_on(c.second);
    if (std::holds_alternative<Angle>(c.type) || std::holds_alternative<Parallel>(c.type)) continue;
    if (const Hold* hold = std::get_if<Hold>(&c.type)) {
      if (hold->held[3] || hold->held[4] || hold->held[5]) holders.push_back({Q, {}});
    } else if (std::holds_alternative<Distance>(c.type)) {
      holders.push_back({carries_point ? Q : P, {}});
    } else if (std::holds_alternative<PointOnLine>(c.type) || std::holds_alternative<PointOnPlane>(c.type) ||
               (std::holds_alternative<PointOnCurve>(c.type) && carries_point)) {
      holders.push_back({Q, {}});
    } else {
      return std::nullopt;
    }
  }
  if (holders.size() < 2) return std::nullopt;
  return holders;
}

// How the holder's point on the link moves while the link moves with V, taken at p_W, less what it may.
Vec3d slip(const Holder& holder, const Motion<double>& V, const Vec3d& p_W) {
  const Vec3d v = V.v + cross(V.w, holder.p_W - p_W);
  return v - holder.axis_W * dot(holder.axis_W, v);
}

FreeMotion describe(LoopSolver::Implementation& I, std::span<const double> q, const Eigen::VectorXd& scaled) {
  FreeMotion motion;
  const Eigen::VectorXd v = I.column_scale.cwiseProduct(scaled);
  const double largest = scaled.cwiseAbs().maxCoeff();
  for (const int i : telling_freedoms(I.mech)) {
    if (std::abs(scaled(i)) > 1e-7 * largest) motion.shares.push_back({i, 0});
  }
  double top = 0;
  for (const FreeMotion::Share& s : motion.shares) top = std::max(top, std::abs(v(s.freedom)));
  for (FreeMotion::Share& s : motion.shares) s.share = v(s.freedom) / top;
  compute_velocities(I.mech, I.ws, q, std::span<const double>(v.data(), static_cast<std::size_t>(I.n)));
  int moving = 0;
  for (int l = 0; l < I.mech.link_count(); ++l) {
    const int body = I.mech.links[l].body;
    const Motion<double> V =
        velocity_W(I.mech, I.ws, body,
                   I.mech.joints[I.mech.links[l].joint].reversed ? I.mech.joints[I.mech.links[l].joint].X_AF.p
                                                                 : I.mech.joints[I.mech.links[l].joint].X_BM.p);
    if (norm(V.w) * I.length + norm(V.v) <= 1e-7 * largest) continue;
    ++moving;
    motion.idle_link = l;
  }
  if (moving == 1) {
    const int body = I.mech.links[motion.idle_link].body;
    const Motion<double> V = velocity_W(I.mech, I.ws, body);
    const Vec3d p_W = pose_WB(I.mech, I.ws, body).p;
    const auto holders = loose_holders(I, motion.idle_link);
    motion.idle = holders && std::all_of(holders->begin(), holders->end(), [&](const Holder& holder) {
                    return norm(slip(holder, V, p_W)) <= 1e-7 * largest;
                  });
  }
  if (!motion.idle) motion.idle_link = -1;
  return motion;
}

// Of the free motions N those that move one loosely held link only, and not the points that hold it: the others stand still in them.
Eigen::MatrixXd idle_motions(LoopSolver::Implementation& I, std::span<const double> q, const Eigen::MatrixXd& N) {
  Eigen::MatrixXd idle(N.rows(), 0);
  const int links = I.mech.link_count();
  Eigen::MatrixXd moves(6 * links, N.cols());
  const auto velocity = [&](Eigen::Index k, int l) -> Motion<double> {
    const auto V = moves.col(k).segment<6>(6 * l);
    return {Vec3d{V(0), V(1), V(2)} * (1 / I.length), {V(3), V(4), V(5)}};
  };
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    const Eigen::VectorXd v = I.column_scale.cwiseProduct(N.col(k));
    compute_velocities(I.mech, I.ws, q, std::span<const double>(v.data(), static_cast<std::size_t>(I.n)));
    for (int l = 0; l < links; ++l) {
      const Motion<double> V = velocity_W(I.mech, I.ws, I.mech.links[l].body);
      moves.col(k).segment<6>(6 * l) << V.w.x * I.length, V.w.y * I.length, V.w.z * I.length, V.v.x, V.v.y, V.v.z;
    }
  }
  for (int l = 0; l < links && N.cols() > 0; ++l) {
    const auto holders = loose_holders(I, l);
    if (!holders) continue;
    Eigen::MatrixXd noticed(6 * links + 3 * static_cast<Eigen::Index>(holders->size()), N.cols());
    noticed.topRows(6 * links) = moves;
    noticed.middleRows<6>(6 * l).setZero();
    const Vec3d p_W = pose_WB(I.mech, I.ws, I.mech.links[l].body).p;
    for (Eigen::Index h = 0; h < static_cast<Eigen::Index>(holders->size()); ++h) {
      for (Eigen::Index k = 0; k < N.cols(); ++k) {
        const Vec3d v = slip((*holders)[static_cast<std::size_t>(h)], velocity(k, l), p_W);
        noticed.col(k).segment<3>(6 * links + 3 * h) << v.x, v.y, v.z;
      }
    }
    int rank = 0;
    const Eigen::MatrixXd still = N * null_space(noticed, rank);
    idle.conservativeResize(Eigen::NoChange, idle.cols() + still.cols());
    idle.rightCols(still.cols()) = still;
  }
  return idle;
}

// Idle motions come last, each by itself; the others are made square to them.
std::vector<FreeMotion> describe_all(LoopSolver::Implementation& I, std::span<const double> q,
                                     const Eigen::MatrixXd& N) {
  std::vector<FreeMotion> motions;
  const Eigen::MatrixXd idle = idle_motions(I, q, N);
  Eigen::MatrixXd rest = N;
  if (idle.cols() > 0) {
    int rank = 0;
    rest = N * null_space(idle.transpose() * N, rank);
  }
  const Eigen::MatrixXd basis = sparse_basis(rest, telling_freedoms(I.mech));
  for (Eigen::Index k = 0; k < basis.cols(); ++k) motions.push_back(describe(I, q, basis.col(k)));
  for (Eigen::Index k = 0; k < idle.cols(); ++k) motions.push_back(describe(I, q, idle.col(k)));
  return motions;
}

// Positions to judge at: q itself, and some nearby that are reached along free motions N and then closed.
std::vector<std::vector<double>> positions_near(LoopSolver::Implementation& I, std::span<const double> q,
                                                const Eigen::MatrixXd& N) {
  std::vector<std::vector<double>> positions{{q.begin(), q.end()}};
  LoopSolver closer(I.mech);
  for (int k = 0; k < tries && N.cols() > 0; ++k) {
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(I.n);
    for (Eigen::Index c = 0; c < N.cols(); ++c) {
      direction += std::cos(1.0 + 2.3 * k + 1.7 * static_cast<double>(c)) * N.col(c);  // any fixed mixture
    }
    direction *= (k % 2 == 0 ? 1 : -1) * step_size * I.length * (1 + k) / std::max(direction.norm(), 1e-300);
    const Eigen::VectorXd step = I.column_scale.cwiseProduct(direction);
    std::vector<double> moved(q.begin(), q.end());
    step_coordinates(I.mech, q, {step.data(), static_cast<std::size_t>(I.n)}, moved);
    if (closer.assemble(moved, {}).closed()) positions.push_back(std::move(moved));
  }
  return positions;
}

}  // namespace

// All turns about one direction and all travels square to it.
std::optional<Vec3d> planar_normal(LoopSolver::Implementation& I, std::span<const double> q) {
  compute_positions(I.mech, I.ws, q);
  std::optional<Vec3d> normal;
  bool planar = true;
  const auto parallel = [](const Vec3d& a, const Vec3d& b) { return norm(cross(a, b)) <= 1e-9 * norm(a) * norm(b); };
  std::vector<Vec3d> travels;
  for (const JointInfo& joint : I.mech.joints) {
    if (joint.nv == 0) continue;
    const Mat3d R_WF = (joint.first == ground ? joint.X_AF : pose_WB(I.mech, I.ws, joint.first) * joint.X_AF).R;
    if (std::holds_alternative<Prismatic>(joint.type)) {
      travels.push_back(R_WF.ez);
    } else if (std::holds_alternative<Revolute>(joint.type) || std::holds_alternative<Planar>(joint.type)) {
      if (!normal) normal = R_WF.ez;
      planar = planar && parallel(*normal, R_WF.ez);
    } else {
      planar = false;
    }
  }
  if (!normal) return std::nullopt;
  for (const Vec3d& t : travels) planar = planar && std::abs(dot(t, *normal)) <= 1e-9;
  return planar ? normal : std::nullopt;
}

// How many conditions each constraint is for motions in the plane: the rank of its rows' gradients with respect to the turn about the
// normal and the travels square to it. A point on a line in the plane is one condition, not two; one on a line along the normal is two.
static std::vector<int> conditions_in_plane(LoopSolver::Implementation& I, const Vec3d& normal) {
  std::vector<RowPiece> pieces;
  I.rows.pieces(I.mech, I.ws, pieces);
  std::vector<Eigen::MatrixXd> gradients(I.mech.constraints.size());
  for (std::size_t c = 0; c < gradients.size(); ++c) gradients[c].setZero(I.mech.constraints[c].rows, 4);
  for (const RowPiece& piece : pieces) {
    const ConstraintRow& row = I.rows.rows()[static_cast<std::size_t>(piece.row)];
    if (row.source != ConstraintRow::Source::constraint) continue;
    const Vec3d f = piece.g_W.f - normal * dot(normal, piece.g_W.f);
    const double scale = I.row_scale(piece.row);
    gradients[static_cast<std::size_t>(row.index)].row(row.row)
        << Eigen::RowVector4d(dot(normal, piece.g_W.n) / I.length, f.x, f.y, f.z) * scale;
  }
  std::vector<int> conditions;
  for (const Eigen::MatrixXd& G : gradients) null_space(G, conditions.emplace_back());
  return conditions;
}

std::optional<int> grubler_planar(LoopSolver& solver, std::span<const double> q) {
  LoopSolver::Implementation& I = solver.implementation();
  const std::optional<Vec3d> normal = planar_normal(I, q);
  if (!normal) return std::nullopt;
  int count = -3 * static_cast<int>(I.mech.loops.size()) - static_cast<int>(I.mech.couplings.size());
  for (const JointInfo& joint : I.mech.joints) count += joint.nv;
  for (const int conditions : conditions_in_plane(I, *normal)) count -= conditions;
  return count;
}

Mobility find_mobility(LoopSolver& solver, std::span<const double> q) {
  LoopSolver::Implementation& I = solver.implementation();
  Mobility mobility;
  const int rows = I.m - I.rows.driver_rows();
  for (const JointInfo& joint : I.mech.joints) mobility.freedoms += joint.nv;
  const int loops = static_cast<int>(I.mech.loops.size());
  int others = static_cast<int>(I.mech.couplings.size());
  for (const ConstraintInfo& c : I.mech.constraints) others += c.rows;
  mobility.grubler_spatial = mobility.freedoms - 6 * loops - others;
  mobility.grubler_planar = grubler_planar(solver, q);

  const Eigen::MatrixXd N = null_space(scaled_rows(I, q, rows), mobility.rank_here);
  for (const std::vector<double>& position : positions_near(I, q, N)) {
    const Eigen::MatrixXd there = scaled_rows(I, position, rows);
    int rank = 0;
    null_space(there, rank);
    if (rank < mobility.rank_generic) continue;
    if (rank > mobility.rank_generic || mobility.redundant_rows.empty())
      mobility.redundant_rows = redundant_rows_of(there);
    mobility.rank_generic = rank;
  }
  mobility.here = I.n - mobility.rank_here;
  mobility.generic = I.n - mobility.rank_generic;
  mobility.motions = describe_all(I, q, N);
  for (const FreeMotion& motion : mobility.motions) mobility.idle += motion.idle ? 1 : 0;
  return mobility;
}

DriverVerdict judge_drivers(LoopSolver& solver, std::span<const double> q) {
  LoopSolver::Implementation& I = solver.implementation();
  const int driven = I.rows.driver_rows();
  int rank = 0;
  const Eigen::MatrixXd N = null_space(scaled_rows(I, q, I.m - driven), rank);
  DriverVerdict verdict;
  int best = -1, fewest = 0;
  for (const std::vector<double>& position : positions_near(I, q, N)) {
    const Eigen::MatrixXd all = scaled_rows(I, position, I.m);
    int rank_with = 0, rank_without = 0;
    const Eigen::MatrixXd left = null_space(all, rank_with);
    null_space(all.topRows(I.m - driven), rank_without);
    I.best_rank = std::max(I.best_rank, rank_with);  // so that a special position is known for one
    const int effective = rank_with - rank_without;  // drivers that do something
    const int free = static_cast<int>(left.cols());
    if (effective < best || (effective == best && free >= fewest)) continue;
    best = effective;
    fewest = free;
    verdict.superfluous = driven - effective;
    verdict.undriven = describe_all(I, position, left);
    if (verdict.superfluous == 0 && !verdict.under_driven()) break;
  }
  return verdict;
}

}  // namespace trammel
