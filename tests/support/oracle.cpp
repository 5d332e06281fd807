// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/oracle.hpp"

#include <cmath>
#include <stdexcept>

namespace trammel::test {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int at_ground = -1;

int body_index(const Model& model, const std::string& name) {
  if (name == ground_name) return at_ground;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].name == name) return static_cast<int>(i);
  }
  throw std::invalid_argument("oracle: no body '" + name + "'");
}

// Pose and velocity of a frame in the world, all in world axes.
struct Moving {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero(), w = Vector3d::Zero(), v = Vector3d::Zero();
};

// A frame fixed in a moving one.
Moving carried(const Moving& A, const Transformd& X_AF) {
  const Vector3d r = A.R * dense(X_AF.p);
  return {A.R * dense(X_AF.R), A.p + r, A.w, A.v + A.w.cross(r)};
}

struct JointMotion {
  MatrixXd H;      // 6 × nv, in M
  Vector6 Hdot_v;  // Ḣ v, in M
  Transformd X_FM;
  VectorXd v;
};

JointMotion joint_motion(const Joint& joint, const std::vector<double>& q, const std::vector<double>& v) {
  const int n = nv(joint.type);
  std::vector<Motion<double>> columns(static_cast<std::size_t>(n)), rates(columns);
  H_FM(joint.type, q.data(), columns);
  Hdot_FM(joint.type, q.data(), v.data(), rates);
  JointMotion motion{MatrixXd(6, n), Vector6::Zero(), X_FM(joint.type, q.data()), VectorXd(n)};
  for (int k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    motion.H.col(k) = dense(columns[i]);
    motion.v(k) = v[i];
    motion.Hdot_v += dense(rates[i]) * v[i];
  }
  return motion;
}

// From A to B through a joint.
Moving second_from_first(const Moving& A, const Joint& joint, const JointMotion& motion) {
  const Moving F = carried(A, joint.X_AF);
  Moving M = carried(F, motion.X_FM);
  const Vector6 V = motion.H * motion.v;
  M.w += M.R * V.head<3>();
  M.v += M.R * V.tail<3>();
  return carried(M, inverse(joint.X_BM));
}
// From B to A: the same relation solved for A.
Moving first_from_second(const Moving& B, const Joint& joint, const JointMotion& motion) {
  Moving M = carried(B, joint.X_BM);
  const Vector6 V = motion.H * motion.v;
  const Vector3d w_rel = M.R * V.head<3>(), v_rel = M.R * V.tail<3>();
  M.w -= w_rel;  // now a frame fixed on A that coincides with M
  M.v -= v_rel;
  return carried(carried(M, inverse(motion.X_FM)), inverse(joint.X_AF));
}

std::vector<JointMotion> joint_motions(const Model& model, const JointStates& states) {
  std::vector<JointMotion> motions;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    motions.push_back(joint_motion(model.joints[j], states.q[j], states.v[j]));
  }
  return motions;
}

// Walks the graph of joints from the ground until every body is placed.
std::vector<Moving> place_bodies(const Model& model, const std::vector<JointMotion>& motions) {
  std::vector<Moving> placed(model.bodies.size());
  std::vector<bool> known(model.bodies.size(), false);
  const auto is_known = [&](int b) { return b == at_ground || known[static_cast<std::size_t>(b)]; };
  const auto get = [&](int b) { return b == at_ground ? Moving{} : placed[static_cast<std::size_t>(b)]; };
  const auto set = [&](int b, const Moving& m) {
    placed[static_cast<std::size_t>(b)] = m;
    known[static_cast<std::size_t>(b)] = true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Joint& joint = model.joints[j];
      const int a = body_index(model, joint.first), b = body_index(model, joint.second);
      if (is_known(a) == is_known(b)) continue;
      if (is_known(a)) {
        set(b, second_from_first(get(a), joint, motions[j]));
      } else {
        set(a, first_from_second(get(b), joint, motions[j]));
      }
      progress = true;
    }
  }
  for (const bool k : known) {
    if (!k) throw std::invalid_argument("oracle: a body is joined to nothing");
  }
  return placed;
}

// A linear function of the unknown x (6 per body: α, a_C): rows · x + constant.
struct Affine {
  MatrixXd rows;  // 6 × unknowns
  Vector6 constant = Vector6::Zero();
};

struct System {
  const Model& model;
  std::vector<JointMotion> motions;
  std::vector<Moving> bodies;
  Index unknowns;

  System(const Model& m, const JointStates& states)
      : model(m),
        motions(joint_motions(m, states)),
        bodies(place_bodies(m, motions)),
        unknowns(6 * static_cast<Index>(m.bodies.size())) {}

  Moving moving(int body) const { return body == at_ground ? Moving{} : bodies[static_cast<std::size_t>(body)]; }
  Vector3d centre(int body) const {
    const auto i = static_cast<std::size_t>(body);
    return bodies[i].p + bodies[i].R * dense(model.bodies[i].com);
  }

  // [α; classical acceleration] of the point r (world position) fixed in the body; r is anywhere for the ground.
  Affine acceleration_at(int body, const Vector3d& r) const {
    Affine result{MatrixXd::Zero(6, unknowns), Vector6::Zero()};
    if (body == at_ground) return result;
    const Vector3d s = r - centre(body), w = moving(body).w;
    result.rows.block<3, 3>(0, 6 * body).setIdentity();
    result.rows.block<3, 3>(3, 6 * body) = -cross_matrix(s);
    result.rows.block<3, 3>(3, 6 * body + 3).setIdentity();
    result.constant.tail<3>() = w.cross(w.cross(s));
    return result;
  }
  Vector3d velocity_at(int body, const Vector3d& r) const {
    const Moving m = moving(body);
    return m.v + m.w.cross(r - m.p);
  }

  Moving frame_M(std::size_t j) const {
    return carried(moving(body_index(model, model.joints[j].second)), model.joints[j].X_BM);
  }

  // V̇_FM, component by component in M. With r the place of M's origin now, fixed in A or in B:
  //   v_rel = v_B(r) − v_A(r);  d/dt v_rel = a_B(r) − a_A(r) − ω_A × v_rel,  since M's origin moves on A with v_rel
  //   and then the components in M: Rᵀ (d/dt − ω_B ×)
  Affine relative_acceleration(std::size_t j) const {
    const int a = body_index(model, model.joints[j].first), b = body_index(model, model.joints[j].second);
    const Moving M = frame_M(j), A = moving(a);
    const Affine of_a = acceleration_at(a, M.p), of_b = acceleration_at(b, M.p);
    const Vector3d w_rel = M.w - A.w, v_rel = M.v - velocity_at(a, M.p);
    Affine result{of_b.rows - of_a.rows, of_b.constant - of_a.constant};
    result.constant.head<3>() -= M.w.cross(w_rel);
    result.constant.tail<3>() -= A.w.cross(v_rel) + M.w.cross(v_rel);
    const Matrix6 into_M = blocks(M.R.transpose(), Matrix3d::Zero(), Matrix3d::Zero(), M.R.transpose());
    result.rows = (into_M * result.rows).eval();
    result.constant = (into_M * result.constant).eval();
    return result;
  }

  // Adds the generalised force of a wrench (at world point r) on a body.
  void add_wrench(int body, const Vector3d& r, const Vector6& F, VectorXd& f) const {
    if (body == at_ground) return;
    f.segment<3>(6 * body) += F.head<3>() + (r - centre(body)).cross(F.tail<3>());
    f.segment<3>(6 * body + 3) += F.tail<3>();
  }
};

// H⁺ above Cᵀ.
Matrix6 completed_basis(const MatrixXd& H) {
  const Index n = H.cols();
  Matrix6 P;
  if (n == 0) return Matrix6::Identity();
  const Eigen::JacobiSVD<MatrixXd> svd(H, Eigen::ComputeFullU | Eigen::ComputeThinV);
  P.topRows(n) = svd.solve(Matrix6::Identity());
  P.bottomRows(6 - n) = svd.matrixU().rightCols(6 - n).transpose();
  return P;
}

double entry(const std::vector<double>& list, Index i) { return list.empty() ? 0 : list[static_cast<std::size_t>(i)]; }
double entry(const PerJoint& lists, std::size_t j, Index i) { return lists.empty() ? 0 : entry(lists[j], i); }

// Dry friction of a ball joint works against the whole rotation, not against each component by itself.
double friction_force(const Joint& joint, Index i, const VectorXd& v) {
  const JointProperties& p = joint.properties;
  const double speed = nq(joint.type) == nv(joint.type) ? v(i) : v.norm();
  return -entry(p.viscous, i) * v(i) - entry(p.dry, i) * v(i) / std::hypot(speed, p.dry_speed);
}

Matrix3d world_inertia(const Body& body, const Moving& moving) {
  return moving.R * dense(body.inertia) * moving.R.transpose();
}

// Masses, weights, gyroscopic moments, external wrenches and additions: W x = f for bodies without joints.
void assemble_bodies(const System& s, const OracleLoads& loads, MatrixXd& W, VectorXd& f) {
  for (std::size_t i = 0; i < s.model.bodies.size(); ++i) {
    const Body& body = s.model.bodies[i];
    const Index row = 6 * static_cast<Index>(i);
    const Matrix3d I = world_inertia(body, s.bodies[i]);
    const Vector3d w = s.bodies[i].w;
    W.block<3, 3>(row, row) += I;
    W.block<3, 3>(row + 3, row + 3) += body.mass * Matrix3d::Identity();
    f.segment<3>(row) -= w.cross(I * w);
    f.segment<3>(row + 3) += body.mass * dense(s.model.gravity);
  }
  for (const OracleWrench& wrench : loads.wrenches) {
    const Moving at = s.moving(wrench.body);
    s.add_wrench(wrench.body, at.p + at.R * dense(wrench.p_B), dense(wrench.F_W), f);
  }
  for (const OracleAddition& addition : loads.additions) {
    const Moving at = s.moving(addition.body);
    const Matrix6 turn = blocks(at.R, Matrix3d::Zero(), Matrix3d::Zero(), at.R);
    const Matrix6 I = turn * addition.I_B * turn.transpose();
    Affine A = s.acceleration_at(addition.body, at.p);
    A.constant.tail<3>() -= at.w.cross(at.v);  // spatial acceleration: of the flow at a fixed place
    W += A.rows.transpose() * I * A.rows;
    f -= A.rows.transpose() * (I * A.constant + dense(addition.bias_W));
  }
}

struct Row {
  std::size_t joint;
  Index basis;  // row of P
};

struct JointRows {
  Matrix6 P;
  Affine rate;  // P V̇ minus P Ḣ v: v̇ in the first nv rows, zero in the others
};

std::vector<JointRows> joint_rows(const System& s) {
  std::vector<JointRows> rows;
  for (std::size_t j = 0; j < s.model.joints.size(); ++j) {
    JointRows r{completed_basis(s.motions[j].H), s.relative_acceleration(j)};
    r.rate.rows = (r.P * r.rate.rows).eval();
    r.rate.constant = (r.P * (r.rate.constant - s.motions[j].Hdot_v)).eval();
    rows.push_back(std::move(r));
  }
  return rows;
}

bool is_prescribed(const OracleLoads& loads, std::size_t j, Index i) {
  return !loads.prescribed.empty() && loads.prescribed[j][static_cast<std::size_t>(i)].has_value();
}
double inertia_of_dof(const System& s, const OracleLoads& loads, std::size_t j, Index i) {
  return entry(s.model.joints[j].properties.armature, i) + entry(loads.dof_inertia, j, i);
}
double driving_force(const System& s, const JointStates& states, const OracleLoads& loads, std::size_t j, Index i) {
  const double friction = loads.friction ? friction_force(s.model.joints[j], i, s.motions[j].v) : 0;
  return entry(states.tau, j, i) + friction;
}

struct Constraints {
  std::vector<Row> list;
  MatrixXd G;
  VectorXd gamma;
};

// Free freedoms add their rotor inertia and driving force; all other rows of the joints are constraints.
Constraints assemble_joints(const System& s, const JointStates& states, const OracleLoads& loads,
                            const std::vector<JointRows>& rows, MatrixXd& W, VectorXd& f) {
  Constraints constraints;
  std::vector<VectorXd> G;
  std::vector<double> gamma;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    for (Index i = 0; i < 6; ++i) {
      const VectorXd row = rows[j].rate.rows.row(i).transpose();
      const double constant = rows[j].rate.constant(i);
      const bool freedom = i < s.motions[j].H.cols();
      if (freedom && !is_prescribed(loads, j, i)) {
        const double inertia = inertia_of_dof(s, loads, j, i);
        if (inertia != 0) W += inertia * row * row.transpose();
        f += row * (driving_force(s, states, loads, j, i) - inertia * constant);
        continue;
      }
      constraints.list.push_back({j, i});
      G.push_back(row);
      gamma.push_back((freedom ? *loads.prescribed[j][static_cast<std::size_t>(i)] : 0) - constant);
    }
  }
  constraints.G.resize(static_cast<Index>(G.size()), s.unknowns);
  constraints.gamma.resize(static_cast<Index>(G.size()));
  for (std::size_t k = 0; k < G.size(); ++k) {
    constraints.G.row(static_cast<Index>(k)) = G[k].transpose();
    constraints.gamma(static_cast<Index>(k)) = gamma[k];
  }
  return constraints;
}

int rank_of(const MatrixXd& G) {
  if (G.rows() == 0) return 0;
  Eigen::ColPivHouseholderQR<MatrixXd> decomposition(G);
  decomposition.setThreshold(1e-9);
  return static_cast<int>(decomposition.rank());
}

VectorXd solve_kkt(const MatrixXd& W, const VectorXd& f, const Constraints& c, double& residual) {
  const Index n = W.rows(), m = c.G.rows();
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = W;
  K.topRightCorner(n, m) = -c.G.transpose();
  K.bottomLeftCorner(m, n) = c.G;
  VectorXd b(n + m);
  b << f, c.gamma;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(1e-12);
  decomposition.compute(K);
  VectorXd x = decomposition.solve(b);
  x += decomposition.solve(b - K * x);  // one step of refinement
  residual = (K * x - b).cwiseAbs().maxCoeff();
  return x;
}

std::vector<OracleBody> describe(const System& s) {
  std::vector<OracleBody> described;
  for (const Moving& m : s.bodies) {
    const Matrix3d& R = m.R;
    described.push_back({{{vec3(R.col(0)), vec3(R.col(1)), vec3(R.col(2))}, vec3(m.p)}, {vec3(m.w), vec3(m.v)}, {}});
  }
  return described;
}

void read_joints(const System& s, const JointStates& states, const OracleLoads& loads,
                 const std::vector<JointRows>& rows, const Constraints& constraints, const VectorXd& x,
                 OracleAnswer& answer) {
  const auto bodies = static_cast<Index>(s.unknowns);
  std::vector<Vector6> coefficients(rows.size(), Vector6::Zero());  // [τ_eff; λ] of each joint
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const Vector6 rate = rows[j].rate.rows * x.head(bodies) + rows[j].rate.constant;
    const Index n = s.motions[j].H.cols();
    answer.a.emplace_back(rate.data(), rate.data() + n);
    for (Index i = 0; i < n; ++i) {
      coefficients[j](i) = driving_force(s, states, loads, j, i) - inertia_of_dof(s, loads, j, i) * rate(i);
    }
  }
  answer.tau = states.tau;
  for (std::size_t k = 0; k < constraints.list.size(); ++k) {
    const auto [j, i] = constraints.list[k];
    const double multiplier = x(bodies + static_cast<Index>(k));
    coefficients[j](i) = multiplier;
    if (i >= s.motions[j].H.cols()) continue;
    const double friction = driving_force(s, states, loads, j, i) - entry(states.tau, j, i);
    const double rate = answer.a[j][static_cast<std::size_t>(i)];
    answer.tau[j][static_cast<std::size_t>(i)] = multiplier - friction + inertia_of_dof(s, loads, j, i) * rate;
  }
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const Vector6 F_M = rows[j].P.transpose() * coefficients[j];
    const Matrix3d R = s.frame_M(j).R;
    answer.reaction.push_back({vec3(R * F_M.head<3>()), vec3(R * F_M.tail<3>())});
  }
}

bool is_welded_to_ground(const Model& model, int body) {
  std::vector<bool> welded(model.bodies.size(), false);
  const auto is_fixed = [&](int b) { return b == at_ground || welded[static_cast<std::size_t>(b)]; };
  for (std::size_t pass = 0; pass < model.bodies.size(); ++pass) {
    for (const Joint& joint : model.joints) {
      if (nv(joint.type) != 0) continue;
      const int a = body_index(model, joint.first), b = body_index(model, joint.second);
      if (is_fixed(a) && b != at_ground) welded[static_cast<std::size_t>(b)] = true;
      if (is_fixed(b) && a != at_ground) welded[static_cast<std::size_t>(a)] = true;
    }
  }
  return is_fixed(body);
}

}  // namespace

OracleAnswer oracle_dynamics(const Model& model, const JointStates& states, const OracleLoads& loads) {
  const System s(model, states);
  MatrixXd W = MatrixXd::Zero(s.unknowns, s.unknowns);
  VectorXd f = VectorXd::Zero(s.unknowns);
  assemble_bodies(s, loads, W, f);
  const std::vector<JointRows> rows = joint_rows(s);
  const Constraints constraints = assemble_joints(s, states, loads, rows, W, f);

  OracleAnswer answer;
  answer.constraint_rows = static_cast<int>(constraints.G.rows());
  answer.rank = rank_of(constraints.G);
  const VectorXd x = solve_kkt(W, f, constraints, answer.residual);
  answer.bodies = describe(s);
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const Affine A = s.acceleration_at(static_cast<int>(i), s.bodies[i].p);
    answer.bodies[i].A_W = motion(A.rows * x.head(s.unknowns) + A.constant);
  }
  read_joints(s, states, loads, rows, constraints, x, answer);
  return answer;
}

std::vector<OracleBody> oracle_kinematics(const Model& model, const JointStates& states) {
  return describe(System(model, states));
}

Eigen::MatrixXd oracle_mass_matrix(const Model& model, const JointStates& states, const OracleLoads& loads) {
  JointStates at_rest = states;
  for (auto& v : at_rest.v) std::fill(v.begin(), v.end(), 0.0);
  const System s(model, at_rest);
  MatrixXd W = MatrixXd::Zero(s.unknowns, s.unknowns);
  VectorXd unused = VectorXd::Zero(s.unknowns);
  assemble_bodies(s, loads, W, unused);
  // At rest the rows on accelerations are those on velocities: all rows x = [v; 0]. Square for a tree.
  const std::vector<JointRows> rows = joint_rows(s);
  Index freedoms = 0;
  for (const JointMotion& motion : s.motions) freedoms += motion.H.cols();
  MatrixXd all(6 * static_cast<Index>(rows.size()), s.unknowns);
  MatrixXd unit = MatrixXd::Zero(all.rows(), freedoms);
  VectorXd rotors(freedoms);
  Index column = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const Index top = 6 * static_cast<Index>(j);
    all.middleRows(top, 6) = rows[j].rate.rows;
    for (Index i = 0; i < s.motions[j].H.cols(); ++i) {
      rotors(column) = inertia_of_dof(s, loads, j, i);
      unit(top + i, column++) = 1;
    }
  }
  const MatrixXd J = all.colPivHouseholderQr().solve(unit);
  MatrixXd M = J.transpose() * W * J;
  M.diagonal() += rotors;
  return M;
}

OracleMomentum oracle_momentum(const Model& model, const JointStates& states) {
  const System s(model, states);
  OracleMomentum sum;
  Vector3d moment = Vector3d::Zero(), linear = moment, about_origin = moment;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (is_welded_to_ground(model, static_cast<int>(i))) continue;
    const Body& body = model.bodies[i];
    const Vector3d c = s.centre(static_cast<int>(i)), v = s.velocity_at(static_cast<int>(i), c), w = s.bodies[i].w;
    const Vector3d spin = world_inertia(body, s.bodies[i]) * w;
    sum.mass += body.mass;
    sum.kinetic += 0.5 * body.mass * v.squaredNorm() + 0.5 * w.dot(spin);
    sum.potential -= body.mass * c.dot(dense(model.gravity));
    moment += body.mass * c;
    linear += body.mass * v;
    about_origin += spin + c.cross(body.mass * v);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    for (Index i = 0; i < s.motions[j].H.cols(); ++i) {
      const double v = s.motions[j].v(i);
      sum.kinetic += 0.5 * entry(model.joints[j].properties.armature, i) * v * v;
    }
  }
  if (sum.mass == 0) return sum;
  const Vector3d com = moment / sum.mass;
  sum.com_W = vec3(com);
  sum.linear_W = vec3(linear);
  sum.angular_W = vec3(about_origin - com.cross(linear));
  return sum;
}

}  // namespace trammel::test
