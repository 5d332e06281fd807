// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives of the accelerations of mechanisms with loops, and of the forces that actuate them, by implicit differentiation. With T(q, v, v̇) = M v̇ + h the forces that the
// tree needs, and y_k = D_k s̈_k − τ_f(ṡ_k) those that rotors and friction need along the freedoms s_k of closing joints, G_k = ∂s_k/∂q:
//   T + Σ G_kᵀ y_k = τ + Φ_qᵀ λ,      Φ̈(q, v, v̇) = 0                                                                      (1)
// A change of q, v and τ changes v̇ and λ by
//   (M + Σ G_kᵀ D_k G_k) δv̇ − Φ_qᵀ δλ = δτ − δT − Σ δ(G_kᵀ) y_k − Σ G_kᵀ (D_k δs̈_k − τ_f' δṡ_k) + δ(Φ_qᵀ) λ
//                                Φ_q δv̇ = −δΦ̈                                            δ on the right at constant v̇ and λ    (2)
// which is the system of loop_dynamics.hpp once more. With stabilisation δ(2 rate Φ̇ + rate² Φ) joins δΦ̈.
//
// Rows, and coordinates of closing joints, are functions f of the pose of Q seen from P (pose_slopes.hpp). With V = (ω, u̇), A = (α, ü) the
// motion of Q in P, along P's axes, u̇ and ü of Q's origin, and a change ξ' of the pose:
//   ḟ = g·V,   f̈ = g·A + V·H V,     δḟ = V·H ξ' + g·ξ̇',    δf̈ = C·ξ' + A·H ξ' + 2 V·H ξ̇' + g·ξ̈'                          (3)
// ξ̇', ξ̈' the changes of ẇ, ẅ, u̇, ü. As ω = ẇ + ½ w × ẇ + …, α = ẅ + ½ w × ẅ + ⅙ ẇ × (w × ẇ) + …,
//   ẇ' = ω' − ½ w' × ω,      ẅ' = α' − ½ w' × α − ⅙ ω × (w' × ω)                                                          (4)
//
// Let c be the point of P, and of W, where Q's origin is now; all 6-vectors are taken there. V_r = V_Q − V_P, A_r = A_Q − A_P − V_P × V_r is
// the motion of Q in P. A freedom j that carries both bodies changes nothing; one that carries Q alone (σ = 1) or P alone (σ = −1) turns them
// against each other, ξ' = σ H_j. With dV, dA the changes of that body's motion (motion_slopes.hpp), and as P's axes turn with P,
//   σ =  1:   V_r' =  dV,                  A_r' =  dA − V_P × dV
//   σ = −1:   V_r' = −dV − H_j × V_r,      A_r' = −dA − dV × V_r + V_P × dV − H_j × A_r        (with v: without the last of each)     (5)
//   ω' = V_r,w',   u̇' = V_r,v' + ω × u',   α' = A_r,w',   ü' = A_r,v' + α × u' + ω' × u̇ + ω × u̇'     as Q's origin leaves c          (6)
//
// Of Φ_qᵀ λ: f times μ exerts F = μ g on Q and −F on P, so (Φ_qᵀ λ)_k = Σ σ_k H_k·F. In P's axes, at c, F changes by
//   F' = [μ H ξ' + ½ w' × F_n + u' × F_f]                                                                                  (7)
// (½ as in (4), and as the force goes with Q's origin), in the world by H_j ×* F besides where P moves; and H_k by H_j × H_k where j carries k.
//
// Forces u of actuated freedoms, of which column k of B is the gradient, and λ at a given motion; of all u the smallest, measured by S:
//   T + Σ G_kᵀ y_k = B u + Φ_qᵀ λ,     S⁻² u = Bᵀ x,     Φ_q x = 0                                                         (9)
// Changes are those of (1), and those of the gradients, which are of rates ṡ_k = B_kᵀ x and Φ_q x of a motion x as in (3). With N the motions
// that Φ_q leaves free, A = NᵀB S, r what T, y, u and λ change by, x_p a solution of Φ_q x_p = −δΦ_q x:
//   δu = ρ + S A⁺ (Nᵀ r − NᵀB ρ),      ρ = S² (δBᵀ x + Bᵀ x_p);   where u is unique ρ drops out                           (10)

#include <algorithm>
#include <cmath>

#include <trammel/derivatives.hpp>

#include "kinematics/motion_slopes.hpp"
#include "loop_dynamics/implementation.hpp"

namespace trammel {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Both sides of (2) as they are gathered.
struct LoopChanges {
  RowMajor forces_q, forces_v, M;  // of the left side of the first of (1)
  MatrixXd rates_q, rates_v;       // of Φ̈, and of stabilisation
  VectorXd needed;                 // that λ must supply

  explicit LoopChanges(Eigen::Index n) : forces_q(n, n), forces_v(n, n), M(n, n), needed(n) {}
};

namespace {

using At = std::size_t;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Vector6 column(const Motion<double>& m) {
  Vector6 c;
  c << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z;
  return c;
}
Vector6 column(const std::array<double, 6>& x) { return Eigen::Map<const Vector6>(x.data()); }
Motion<double> motion(const Vector6& c) { return {{c(0), c(1), c(2)}, {c(3), c(4), c(5)}}; }

// The motion of Q in P, and what each freedom between them has to do with it.
class RelativeSlopes {
 public:
  struct Freedom {
    int k = 0;
    double sign = 1;           // σ
    Motion<double> H;          // at c, P's axes
    Vector6 by_q[3], by_v[3];  // ξ', ξ̇', ξ̈' with q_k and with v_k
  };
  std::vector<Freedom> freedoms;
  Transformd X_PQ;
  Motion<double> V, A;  // (ω, u̇), (α, ü)

  RelativeSlopes(const Mechanism& mech, const Workspace& ws, const MotionSlopes& slopes, const FramePair& frames)
      : mech_(mech), slopes_(slopes) {
    const auto pose = [&](int body, const Transformd& X) { return body == ground ? X : pose_WB(mech, ws, body) * X; };
    const auto link = [&](int body) { return body == ground ? ground : mech.bodies[static_cast<At>(body)].link; };
    const Transformd X_WP = pose(frames.first, frames.X_AP), X_WQ = pose(frames.second, frames.X_BQ);
    X_PQ = trammel::inverse(X_WP) * X_WQ;
    R_PW_ = transpose(X_WP.R), p_Sc_ = X_WQ.p - slopes.p_WS;
    first_ = link(frames.first), second_ = link(frames.second);
    const Motion<double> none{};
    V_P_ = first_ == ground ? none : here(slopes.V[static_cast<At>(first_)]);
    A_P_ = first_ == ground ? none : here(slopes.A[static_cast<At>(first_)]);
    V_Q_ = second_ == ground ? none : here(slopes.V[static_cast<At>(second_)]);
    A_Q_ = second_ == ground ? none : here(slopes.A[static_cast<At>(second_)]);
    V = V_r_ = V_Q_ - V_P_;
    A = A_r_ = A_Q_ - A_P_ - cross_motion(V_P_, V_r_);
    A.v += cross(V.w, V.v);
    // The walks to the ground, up to where they meet: parents come before children.
    for (int f = first_, s = second_; f != s;) {
      int& later = f > s ? f : s;
      const double sign = f > s ? -1 : 1;
      const Link& l = mech.links[static_cast<At>(later)];
      for (int k = l.v; k < l.v + l.nv; ++k) add(k, sign);
      later = l.parent;
    }
  }

  // ∂_j(F·H_k) for all j and k, in S: how forces through the joints change with q where F acts on Q and −F on P.    (7)
  template <class Matrix>
  void add_slopes_of_force(const Force<double>& F, const Matrix6& mu_H, Matrix& S) const {
    for (const Freedom& j : freedoms) {
      const Motion<double> xi = motion(j.by_q[0]), moved = motion(mu_H * j.by_q[0]);
      Force<double> dF{moved.w + cross(xi.w, F.n) * 0.5 + cross(xi.v, F.f), moved.v};
      if (j.sign < 0) dF += cross_force(j.H, F);
      for (const Freedom& k : freedoms) {
        double slope = dot(k.H, dF);
        const int jl = mech_.link_of_dof[static_cast<At>(j.k)], kl = mech_.link_of_dof[static_cast<At>(k.k)];
        if (jl == kl) {
          const Motion<double>& own =
              slopes_.freedoms[static_cast<At>(j.k)].own[static_cast<At>(k.k - mech_.links[static_cast<At>(kl)].v)];
          slope += dot(cross_motion(j.H, k.H) + here(own), F);
        } else if (j.sign == k.sign && jl < kl) {
          slope += dot(cross_motion(j.H, k.H), F);
        }
        S(k.k, j.k) += k.sign * slope;
      }
    }
  }

 private:
  Motion<double> here(const Motion<double>& at_S) const { return rotate(R_PW_, shift(at_S, p_Sc_)); }

  void add(int k, double sign) {
    const MotionSlopes::OfFreedom& s = slopes_.freedoms[static_cast<At>(k)];
    Freedom f;
    f.k = k, f.sign = sign, f.H = here(s.H);
    const bool second = sign > 0;
    const Motion<double>& V_l = second ? V_Q_ : V_P_;
    const Motion<double>& A_l = second ? A_Q_ : A_P_;
    const Motion<double> psi = here(s.psi), H_V = cross_motion(f.H, V_l);
    {
      const Motion<double> dV = H_V + psi;
      const Motion<double> dA = cross_motion(f.H, A_l) + cross_motion(psi, V_l) + here(s.phi);
      set(f.by_q, f.H * sign,  // (5)
          second ? dV : -dV - cross_motion(f.H, V_r_),
          second ? dA - cross_motion(V_P_, dV)
                 : -dA - cross_motion(dV, V_r_) + cross_motion(V_P_, dV) - cross_motion(f.H, A_r_));
    }
    const Motion<double> dA = H_V + here(s.chi);
    set(f.by_v, {}, f.H * sign,
        second ? dA - cross_motion(V_P_, f.H) : -dA - cross_motion(f.H, V_r_) + cross_motion(V_P_, f.H));
    freedoms.push_back(f);
  }

  void set(Vector6* out, const Motion<double>& xi, const Motion<double>& dV, const Motion<double>& dA) const {
    const Vec3d w = V.w, alpha = A.w;
    Motion<double> first = dV, second = dA;
    first.v += cross(w, xi.v);  // (6)
    second.v += cross(alpha, xi.v) + cross(dV.w, V.v) + cross(w, first.v);
    const Vec3d turned = cross(xi.w, w);
    first.w -= turned * 0.5;  // (4)
    second.w -= cross(xi.w, alpha) * 0.5 + cross(w, turned) * (1.0 / 6);
    out[0] = column(xi), out[1] = column(first), out[2] = column(second);
  }

  const Mechanism& mech_;
  const MotionSlopes& slopes_;
  Mat3d R_PW_;
  Vec3d p_Sc_;
  int first_ = ground, second_ = ground;
  Motion<double> V_P_, A_P_, V_Q_, A_Q_, V_r_, A_r_;
};

// A rate ḟ = g(ξ)·ξ̇ with g(ξ) = g + H ξ + …, at the motion in question: that of a function of the pose, whose H is symmetric, or of the
// freedom of a joint whose v is no q̇.
struct RateSlopes {
  Vector6 g, C, of_pose, of_rate;  // HᵀV, (H + Hᵀ) V
  Matrix6 H;
  double rate = 0, second_rate = 0;  // ḟ, f̈

  RateSlopes(const PoseSlopes& s, const RelativeSlopes& relative) : g(column(s.g)), C(column(s.C)) {
    for (int k = 0; k < 6; ++k) H.col(k) = column(s.H[static_cast<At>(k)]);
    take(relative);
  }
  // ḟ = e_M·(Rᵀ ω, Rᵀ u̇), R = R_PQ: components of the motion along M's own axes. By (4), with e = R e_M,
  //   ḟ = e_w·(ẇ − ½ w × ẇ + …) + e_v·(u̇ − w × u̇ + …),     f̈ = e_w·α + e_v·(ü − ω × u̇)                                    (8)
  RateSlopes(const Motion<double>& e_M, const RelativeSlopes& relative) {
    const Motion<double> e = rotate(relative.X_PQ.R, e_M);
    const Vec3d w = relative.V.w, v = relative.V.v;
    g = column(e);
    H.setZero();
    for (int k = 0; k < 3; ++k) {
      const Vec3d axis{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
      H.col(k) = column(Motion<double>{cross(axis, e.w) * 0.5, cross(axis, e.v)});
    }
    C = column(Motion<double>{
        cross(w, cross(e.w, w)) * (1.0 / 6) - cross(w, cross(v, e.v)) * 0.5 + cross(cross(w, v), e.v), {}});
    take(relative);
  }
  double rate_with(const Vector6* x) const { return of_pose.dot(x[0]) + g.dot(x[1]); }  // (3)
  double second_rate_with(const Vector6* x) const { return C.dot(x[0]) + of_rate.dot(x[1]) + g.dot(x[2]); }
  Force<double> force() const { return {{g(0), g(1), g(2)}, {g(3), g(4), g(5)}}; }

 private:
  void take(const RelativeSlopes& relative) {
    const Vector6 V = column(relative.V), A = column(relative.A);
    of_pose = H.transpose() * V, of_rate = of_pose + H * V;
    C += H.transpose() * A;
    rate = g.dot(V), second_rate = g.dot(A) + V.dot(H * V);
  }
};

double entry(const std::vector<double>& list, int k) { return list.empty() ? 0.0 : list[static_cast<At>(k)]; }

// Freedoms of a closing joint along which friction and rotors act, at the motion in question.
std::vector<RateSlopes> freedoms_of(const JointInfo& joint, const RelativeSlopes& relative, double length) {
  std::vector<RateSlopes> out;
  std::array<Motion<double>, 6> H;
  const std::array<double, 7> zero{1};  // columns of joints whose v is no q̇ are unit vectors, everywhere
  if (joint.nq != joint.nv) H_FM(joint.type, zero.data(), std::span(H).first(static_cast<At>(joint.nv)));
  for (int k = 0; k < joint.nv; ++k) {
    if (joint.nq != joint.nv) {
      out.emplace_back(H[static_cast<At>(k)], relative);
      continue;
    }
    PoseSlopes slopes;
    pose_slopes(closing_coordinate(joint, k).function, 1, relative.X_PQ, relative.V, length, &slopes);
    out.emplace_back(slopes, relative);
  }
  return out;
}

// Rotors and friction of a joint that closes a loop.
void add_closing_joint(const JointInfo& joint, const RelativeSlopes& relative, double length, bool friction,
                       LoopChanges& out) {
  const std::vector<RateSlopes> s = freedoms_of(joint, relative, length);
  const JointProperties& p = joint.properties;
  const auto f = static_cast<Eigen::Index>(s.size()), n = out.M.rows();
  MatrixXd G = MatrixXd::Zero(f, n), by_q = G, by_v = G, rate_q = G;
  double whole = 0;  // dry friction of a ball works against the whole rotation
  for (const RateSlopes& k : s) whole += k.rate * k.rate;
  for (Eigen::Index k = 0; k < f; ++k) {
    const RateSlopes& r = s[static_cast<At>(k)];
    for (const RelativeSlopes::Freedom& j : relative.freedoms) {
      G(k, j.k) = r.g.dot(j.by_v[1]);
      rate_q(k, j.k) = r.rate_with(j.by_q);
      by_q(k, j.k) = entry(p.armature, static_cast<int>(k)) * r.second_rate_with(j.by_q);
      by_v(k, j.k) = entry(p.armature, static_cast<int>(k)) * r.second_rate_with(j.by_v);
    }
  }
  for (Eigen::Index k = 0; k < f; ++k) {
    const RateSlopes& r = s[static_cast<At>(k)];
    const int at = static_cast<int>(k);
    const double D = entry(p.armature, at);
    double y = D * r.second_rate;
    if (friction) {
      const double viscous = entry(p.viscous, at), dry = entry(p.dry, at);
      const bool is_vector = joint.nq != joint.nv;
      const double squared = p.dry_speed * p.dry_speed + (is_vector ? whole : r.rate * r.rate);
      const double over_s = dry == 0 ? 0 : dry / std::sqrt(squared);
      y += (viscous + over_s) * r.rate;
      by_q.row(k) += (viscous + over_s) * rate_q.row(k);
      by_v.row(k) += (viscous + over_s) * G.row(k);
      for (Eigen::Index l = is_vector ? 0 : k; dry != 0 && l < (is_vector ? f : k + 1); ++l) {
        const double slope = over_s * r.rate * s[static_cast<At>(l)].rate / squared;
        by_q.row(k) -= slope * rate_q.row(l);
        by_v.row(k) -= slope * G.row(l);
      }
    }
    out.needed += G.row(k).transpose() * y;
    out.M += D * G.row(k).transpose() * G.row(k);
    relative.add_slopes_of_force(r.force() * y, r.H * y, out.forces_q);
  }
  out.forces_q += G.transpose() * by_q;
  out.forces_v += G.transpose() * by_v;
}

bool acts(const JointProperties& p) {
  const auto any = [](const std::vector<double>& list) {
    return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
  };
  return any(p.viscous) || any(p.dry) || any(p.armature);
}

}  // namespace

// Calls f(part, row of the part, row, slopes, frames) for what poses have in active rows.
template <class F>
void LoopDynamics::Implementation::each_row_part(const MotionSlopes& slopes, F&& f) {
  if (parts.empty()) parts = I.rows.pose_parts();
  std::array<PoseSlopes, max_constraint_rows> of_rows;
  for (const PosePart& part : parts) {
    if (row_active[static_cast<At>(part.first_row)] == 0) continue;  // a joint or constraint is switched as a whole
    const RelativeSlopes relative(mech, ws, slopes, part.frames);
    pose_slopes(part.function, part.rows, relative.X_PQ, relative.V, I.length, of_rows.data());
    for (int r = 0; r < part.rows; ++r) {
      f(part, part.first_row + r, RateSlopes(of_rows[static_cast<At>(r)], relative), relative);
    }
  }
}

// What the tree, and rotors and friction of closing joints, need at a motion, and how that changes. Whether there are rotors or friction.
bool LoopDynamics::Implementation::differentiate_forces(std::span<const double> q, std::span<const double> v,
                                                        std::span<const double> a, const Loads& loads,
                                                        MotionSlopes& slopes, LoopChanges& change) {
  const auto numbers = [](auto& matrix) { return std::span<double>(matrix.data(), static_cast<At>(matrix.size())); };
  inverse_dynamics_derivatives(mech, ws, q, v, a, numbers(change.needed),
                               {numbers(change.forces_q), numbers(change.forces_v), numbers(change.M)}, loads);
  compute_accelerations(mech, ws, q, v, a);
  slopes.find(mech, ws, q, v, a);
  bool found = false;
  for (const Loop& loop : mech.loops) {
    const JointInfo& joint = mech.joints[static_cast<At>(loop.closure)];
    if (joint_active[static_cast<At>(loop.closure)] == 0 || !acts(joint.properties)) continue;
    const RelativeSlopes relative(mech, ws, slopes, {joint.first, joint.second, joint.X_AF, joint.X_BM});
    add_closing_joint(joint, relative, I.length, loads.friction, change);
    found = true;
  }
  return found;
}

LoopVerdict LoopDynamics::forward_derivatives(std::span<const double> q, std::span<const double> v,
                                              std::span<const double> tau, std::span<double> a,
                                              const ForwardDerivatives<double>& out, const Loads& given) {
  Implementation& impl = *implementation_;
  const int n = impl.n;
  Loads loads = given;
  loads.after_velocities = false;
  std::optional<DenseLoops> dense;
  VectorXd none(0);
  const LoopVerdict verdict = impl.accelerate_dense(q, v, {}, tau, a, none, loads, &dense);
  if (!verdict.ok()) return verdict;
  std::copy(tau.begin(), tau.end(), impl.last_tau.begin());
  impl.keep_state(q, v, a, loads);

  LoopChanges change(n);
  MotionSlopes slopes;
  if (impl.differentiate_forces(q, v, a, loads, slopes, change)) dense->set_mass(change.M);
  change.needed -= Eigen::Map<const VectorXd>(tau.data(), n);

  const auto rows = static_cast<Eigen::Index>(impl.active.size());
  const VectorXd lambda = dense->multipliers(change.needed);
  change.rates_q = change.rates_v = MatrixXd::Zero(rows, n);
  const double rate = impl.stabilisation;
  if (rate != 0) {
    for (Eigen::Index r = 0; r < rows; ++r) {
      const auto row = impl.I.J.row(impl.active[static_cast<At>(r)]);
      change.rates_q.row(r) = rate * rate * row;
      change.rates_v.row(r) = 2 * rate * row;
    }
  }
  const std::vector<Eigen::Index> place = impl.places_of_active_rows();
  impl.each_row_part(slopes, [&](const PosePart& part, int row, const RateSlopes& s, const RelativeSlopes& relative) {
    const Eigen::Index r = place[static_cast<At>(row)];
    for (const RelativeSlopes::Freedom& j : relative.freedoms) {
      change.rates_q(r, j.k) += part.factor * (s.second_rate_with(j.by_q) + 2 * rate * s.rate_with(j.by_q));
      change.rates_v(r, j.k) += part.factor * s.second_rate_with(j.by_v);
    }
    const double exerted = -part.factor * lambda(r);
    relative.add_slopes_of_force(s.force() * exerted, s.H * exerted, change.forces_q);
  });

  const auto store = [n](const std::span<double>& to, const MatrixXd& found) {
    Eigen::Map<RowMajor>(to.data(), n, n) = found;
  };
  store(out.a_q, dense->solve_motions(-change.forces_q, -change.rates_q));
  store(out.a_v, dense->solve_motions(-change.forces_v, -change.rates_v));
  MatrixXd a_tau = MatrixXd::Zero(n, n);
  const MatrixXd& N = dense->motions();
  if (N.cols() > 0) a_tau = N * dense->solve_reduced(N.transpose());
  store(out.a_tau, 0.5 * (a_tau + a_tau.transpose()));
  return verdict;
}

std::vector<Eigen::Index> LoopDynamics::Implementation::places_of_active_rows() const {
  std::vector<Eigen::Index> place(static_cast<At>(m), -1);
  for (At r = 0; r < active.size(); ++r) place[static_cast<At>(active[r])] = static_cast<Eigen::Index>(r);
  return place;
}

// ∂(Φ_q x)/∂q of active rows, for the motion x whose slopes are given.
Eigen::MatrixXd LoopDynamics::Implementation::slopes_of_rates(const MotionSlopes& slopes) {
  MatrixXd rate_q = MatrixXd::Zero(static_cast<Eigen::Index>(active.size()), n);
  const std::vector<Eigen::Index> place = places_of_active_rows();
  each_row_part(slopes, [&](const PosePart& part, int row, const RateSlopes& s, const RelativeSlopes& relative) {
    for (const RelativeSlopes::Freedom& j : relative.freedoms) {
      rate_q(place[static_cast<At>(row)], j.k) += part.factor * s.rate_with(j.by_q);
    }
  });
  return rate_q;
}

// Calls f(k, slopes of its rate, relative) for the actuated freedoms k of closing joints.
template <class F>
void LoopDynamics::Implementation::each_closing_actuator(std::span<const JointFreedom> actuated,
                                                         const MotionSlopes& slopes, F&& f) {
  for (At k = 0; k < actuated.size(); ++k) {
    const JointInfo& joint = mech.joints[static_cast<At>(actuated[k].joint)];
    if (joint.role == JointRole::tree || joint_active[static_cast<At>(actuated[k].joint)] == 0) continue;
    const RelativeSlopes relative(mech, ws, slopes, {joint.first, joint.second, joint.X_AF, joint.X_BM});
    const std::vector<RateSlopes> s = freedoms_of(joint, relative, I.length);
    f(static_cast<Eigen::Index>(k), s[static_cast<At>(actuated[k].dof)], relative);
  }
}

ActuationVerdict LoopDynamics::inverse_derivatives(std::span<const double> q, std::span<const double> v,
                                                   std::span<const double> a, std::span<const JointFreedom> actuated,
                                                   std::span<double> u, const InverseDerivatives& out,
                                                   const Loads& given) {
  Implementation& impl = *implementation_;
  const Eigen::Index n = impl.n, count = static_cast<Eigen::Index>(actuated.size());
  Loads loads = given;
  loads.after_velocities = false;
  const ActuationVerdict verdict = inverse(q, v, a, actuated, u, loads);
  const DenseLoops dense = impl.dense_at(q, v, loads, {});
  const MatrixXd& N = dense.motions();

  LoopChanges change(n);
  MotionSlopes slopes;
  impl.differentiate_forces(q, v, a, loads, slopes, change);
  MatrixXd B = MatrixXd::Zero(n, count);
  VectorXd S(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const JointFreedom& at = actuated[static_cast<At>(k)];
    const JointInfo& joint = impl.mech.joints[static_cast<At>(at.joint)];
    if (joint.role == JointRole::tree) B(joint.v + at.dof, k) = 1;
    S(k) = impl.scale_of_actuator(at);
  }
  impl.each_closing_actuator(actuated, slopes,
                             [&](Eigen::Index k, const RateSlopes& s, const RelativeSlopes& relative) {
                               for (const RelativeSlopes::Freedom& j : relative.freedoms)
                                 B(j.k, k) = s.g.dot(j.by_v[1]);
                               const double exerted = -u[static_cast<At>(k)];
                               relative.add_slopes_of_force(s.force() * exerted, s.H * exerted, change.forces_q);
                             });
  const Eigen::Map<const VectorXd> forces(u.data(), count);
  const VectorXd lambda = dense.multipliers(change.needed - B * forces);
  const std::vector<Eigen::Index> place = impl.places_of_active_rows();
  impl.each_row_part(slopes, [&](const PosePart& part, int row, const RateSlopes& s, const RelativeSlopes& relative) {
    const double exerted = -part.factor * lambda(place[static_cast<At>(row)]);
    relative.add_slopes_of_force(s.force() * exerted, s.H * exerted, change.forces_q);
  });

  MatrixXd u_q = MatrixXd::Zero(count, n), u_v = u_q, u_a = u_q;
  if (count > 0 && N.cols() > 0) {
    const MatrixXd NB = N.transpose() * B;
    const dense::Svd A = dense::svd(NB * S.asDiagonal());
    const int rank = actuation_rank(A);
    const MatrixXd pseudo = S.asDiagonal() * dense::pseudo_inverse(A, rank);  // S A⁺
    MatrixXd asked = N.transpose() * change.forces_q;
    if (rank < count) {
      const VectorXd x = N * (dense::pseudo_inverse(A, rank).transpose() * forces.cwiseQuotient(S));
      const std::span<const double> motion(x.data(), static_cast<At>(n));
      compute_accelerations(impl.mech, impl.ws, q, motion, impl.zero);
      slopes.find(impl.mech, impl.ws, q, motion, impl.zero);
      u_q = -B.transpose() * dense.particular(impl.slopes_of_rates(slopes));
      impl.each_closing_actuator(actuated, slopes,
                                 [&](Eigen::Index k, const RateSlopes& s, const RelativeSlopes& relative) {
                                   for (const RelativeSlopes::Freedom& j : relative.freedoms)
                                     u_q(k, j.k) += s.rate_with(j.by_q);
                                 });
      u_q = S.cwiseAbs2().asDiagonal() * u_q;  // ρ
      asked -= NB * u_q;
      compute_accelerations(impl.mech, impl.ws, q, v, a);
    }
    u_q += pseudo * asked;  // (10)
    u_v = pseudo * (N.transpose() * change.forces_v);
    u_a = pseudo * (N.transpose() * change.M);
  }
  const auto store = [&](const std::span<double>& to, const MatrixXd& found) {
    Eigen::Map<RowMajor>(to.data(), count, n) = found;
  };
  store(out.u_q, u_q), store(out.u_v, u_v), store(out.u_a, u_a);
  return verdict;
}

LoopDynamics::AllowedChanges LoopDynamics::allowed_changes(std::span<const double> q, std::span<const double> v) {
  Implementation& impl = *implementation_;
  const int n = impl.n;
  const DenseLoops dense = impl.dense_at(q, v, {}, {});
  MotionSlopes slopes;
  slopes.find(impl.mech, impl.ws, q, v, impl.zero);
  AllowedChanges out;
  out.freedoms = dense.freedoms();
  out.q.resize(static_cast<At>(n) * static_cast<At>(out.freedoms));
  out.v_with_q.resize(out.q.size());
  Eigen::Map<RowMajor>(out.q.data(), n, out.freedoms) = dense.motions();
  Eigen::Map<RowMajor>(out.v_with_q.data(), n, out.freedoms) =
      -dense.particular(impl.slopes_of_rates(slopes) * dense.motions());
  return out;
}

}  // namespace trammel
