// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every contact is a set of rows: unit wrenches g on its first body (−g on its second), or a unit along a freedom. With all rows,
//   u = gᵀ V,    W = response of u to unit impulses along the rows, found one by one,    u' = u + W p
// What the contacts ask for gives p; the response to p gives the velocities of everything and the impulses in the joints.

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/impact.hpp>

#include "core/dense.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using dense::MatrixXd;
using dense::VectorXd;

struct Row {
  At contact = 0;
  Force<double> g_W;  // at the contact's point
  int freedom = -1;   // of a limit
  double sign = 1;
  double rotor = 0;  // armature A that is brought to the speed u' of this row, by the impulse p = −A u'
};

constexpr double on_constraints = 1e-6;  // of the size of the mechanism, and of its velocities
constexpr double stuck = 1e-8;           // of the approach: left over where no impulse acts against it
constexpr const char* unmoved = "no impulse can change how the bodies meet: what moves them is prescribed or locked";

double size_of(double x) { return std::abs(x); }

void require(bool is_so, const std::string& otherwise) {
  if (!is_so) throw std::invalid_argument(otherwise);
}

class Collision {
 public:
  Collision(ImpulseResponse& response, const State& state, const std::vector<ImpactContact>& contacts)
      : contacts_(contacts), response_(response), mech_(response_.mechanism()), ws_(mech_), state_(state) {
    response_.set_position(state.q);
    wrench_.resize(mech_.bodies.size());
    on_freedoms_.resize(static_cast<At>(mech_.nv));
    dv_.resize(static_cast<At>(mech_.nv));
    for (At c = 0; c < contacts.size(); ++c) add_rows(c);
  }

  ImpactResult solve() {
    result_.v = state_.v;
    result_.contacts.resize(contacts_.size());
    const VectorXd u = rates(state_.v);
    if (all_separate(u)) {
      result_.status = ImpactStatus::separating;
      result_.text = contacts_.size() == 1 ? "the bodies do not approach each other" : "no contact is approached";
      result_.fix =
          "give velocities that bring the first body towards the second, against the normal; or turn the normal round";
      audit(VectorXd(VectorXd::Zero(u.size())), u);
      return std::move(result_);
    }
    MatrixXd W(u.size(), u.size());
    for (Eigen::Index r = 0; r < u.size(); ++r) {
      VectorXd unit = VectorXd::Zero(u.size());
      unit(r) = 1;
      if (!respond(unit)) return std::move(result_);
      W.col(r) = rates(dv_);
      if (const double rotor = rows_[static_cast<At>(r)].rotor; rotor > 0) W(r, r) += 1 / rotor;
    }
    VectorXd p;
    if (!find_impulses(W, u, p)) return std::move(result_);
    if (!respond(p)) return std::move(result_);
    for (At k = 0; k < dv_.size(); ++k) result_.v[k] += dv_[k];
    audit(p, u);
    return std::move(result_);
  }

 private:
  void add_rows(At c) {
    const ImpactContact& contact = contacts_[c];
    if (contact.kind == ImpactContact::Kind::limit) {
      const JointInfo& joint = mech_.joints[static_cast<At>(contact.limit_joint)];
      // Along the way back from the stop.
      rows_.push_back({c, {}, joint.v + contact.limit_dof, contact.is_upper ? -1.0 : 1.0});
      return;
    }
    if (contact.kind == ImpactContact::Kind::point) {
      const Vec3d n = contact.normal_W * (1 / norm(contact.normal_W));
      if (contact.friction > 0) {
        const Motion<double> V = relative(contact, state_.v);
        const Vec3d along = V.v - n * dot(V.v, n);
        // Along the slip there is, so that planar problems are seen to be planar.
        Vec3d t1 = norm(along) > 1e-12 * norm(V.v) ? along : least_along(n);
        t1 = t1 - n * dot(t1, n);
        t1 = t1 * (1 / norm(t1));
        rows_.push_back({c, {{}, t1}});
        rows_.push_back({c, {{}, cross(n, t1)}});
      }
      rows_.push_back({c, {{}, n}});
      return;
    }
    const Vec3d axes[3] = {contact.R_WJ.ex, contact.R_WJ.ey, contact.R_WJ.ez};
    if (contact.kind == ImpactContact::Kind::rigid) {
      for (const Vec3d& e : axes) rows_.push_back({c, {e, {}}});
      for (const Vec3d& e : axes) rows_.push_back({c, {{}, e}});
      return;
    }
    const auto in_world = [&](const VectorXd& g) {
      Force<double> F;
      for (Eigen::Index i = 0; i < 3; ++i) F.n += axes[i] * g(i), F.f += axes[i] * g(i + 3);
      return F;
    };
    // What the joint blocks: wrenches that do no work on what it lets free.
    const MatrixXd H = freedoms_of(contact.joint, contact.joint_q), blocked = blocked_directions(H);
    for (Eigen::Index k = 0; k < blocked.cols(); ++k) rows_.push_back({c, in_world(blocked.col(k))});
    // Of a motion that is not blocked, V = H q̇, columns of H (HᵀH)⁻¹ give the rates q̇.
    for (At k = 0; k < contact.rotors.size(); ++k) {
      if (contact.rotors[k] == 0) continue;
      VectorXd unit = VectorXd::Zero(H.cols());
      unit(static_cast<Eigen::Index>(k)) = 1;
      const VectorXd g = H * dense::solve(MatrixXd(H.transpose() * H), unit);
      rows_.push_back({.contact = c, .g_W = in_world(g), .rotor = contact.rotors[k]});
    }
  }

  static Vec3d least_along(const Vec3d& n) {
    const double x = size_of(n.x), y = size_of(n.y), z = size_of(n.z);
    return x <= y && x <= z ? Vec3d{1, 0, 0} : y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  }
  // Motions of M that a joint lets free, in M's axes: 6 × n.
  static MatrixXd freedoms_of(const AnyJoint& joint, std::vector<double> q) {
    const int n = nv(joint);
    std::vector<Motion<double>> H(static_cast<At>(n));
    if (q.empty()) {
      q.resize(static_cast<At>(nq(joint)));
      q_zero(joint, q.data());
    }
    if (n > 0) H_FM(joint, q.data(), H);
    MatrixXd columns(6, n);
    for (int k = 0; k < n; ++k) {
      const Motion<double>& h = H[static_cast<At>(k)];
      columns.col(k) << h.w.x, h.w.y, h.w.z, h.v.x, h.v.y, h.v.z;
    }
    return columns;
  }
  static MatrixXd blocked_directions(const MatrixXd& H) {
    if (H.cols() == 0) return MatrixXd::Identity(6, 6);
    return dense::svd(MatrixXd(H.transpose())).V.rightCols(6 - H.cols());
  }

  // --- rates and responses ------------------------------------------------------------------------------------------------

  Vec3d on_body(int body, const Vec3d& p_W) const {
    return body == ground ? p_W : inverse(pose_WB<double>(mech_, response_.workspace(), body)) * p_W;
  }
  Motion<double> relative(const ImpactContact& contact, std::span<const double> v) {
    compute_velocities<double>(mech_, ws_, state_.q, v);
    const auto of = [&](int body) {
      return body == ground ? Motion<double>{} : velocity_W<double>(mech_, ws_, body, on_body(body, contact.p_W));
    };
    return of(contact.first) - of(contact.second);
  }
  VectorXd rates(std::span<const double> v) {
    VectorXd u(static_cast<Eigen::Index>(rows_.size()));
    for (At r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      u(static_cast<Eigen::Index>(r)) = row.freedom >= 0 ? row.sign * v[static_cast<At>(row.freedom)]
                                                         : dot(relative(contacts_[row.contact], v), row.g_W);
    }
    return u;
  }
  bool respond(const VectorXd& p) {
    std::fill(wrench_.begin(), wrench_.end(), Force<double>{});
    std::fill(on_freedoms_.begin(), on_freedoms_.end(), 0.0);
    for (At r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      const double size = p(static_cast<Eigen::Index>(r));
      if (row.freedom >= 0) {
        on_freedoms_[static_cast<At>(row.freedom)] += row.sign * size;
        continue;
      }
      const ImpactContact& contact = contacts_[row.contact];
      const auto push = [&](int body, const Force<double>& F) {
        if (body != ground)
          add_wrench<double>(mech_, response_.workspace(), body, on_body(body, contact.p_W), F, wrench_);
      };
      push(contact.first, row.g_W * size);
      push(contact.second, row.g_W * -size);
    }
    if (response_.respond(wrench_, on_freedoms_, dv_)) return true;
    const LoopVerdict& verdict = response_.verdict();
    result_.status = verdict.status == LoopStatus::no_inertia ? ImpactStatus::no_inertia : ImpactStatus::inconsistent;
    result_.joint = verdict.joint;
    const std::string at =
        verdict.joint >= 0 ? fmt::format(" at joint '{}'", mech_.joints[static_cast<At>(verdict.joint)].name) : "";
    result_.text = verdict.status == LoopStatus::no_inertia
                       ? fmt::format("a motion without inertia{}", at)
                       : fmt::format("the constraints contradict each other{}", at);
    result_.fix =
        verdict.status == LoopStatus::no_inertia ? "give its bodies mass and inertia" : "start from a closed position";
    return false;
  }

  // --- what the contacts ask for ------------------------------------------------------------------------------------------

  bool is_unilateral(const Row& row) const {
    const ImpactContact::Kind kind = contacts_[row.contact].kind;
    return kind == ImpactContact::Kind::point || kind == ImpactContact::Kind::limit;
  }
  bool has_friction() const {
    return std::any_of(contacts_.begin(), contacts_.end(),
                       [](const ImpactContact& c) { return c.kind == ImpactContact::Kind::point && c.friction > 0; });
  }
  bool all_separate(const VectorXd& u) const {
    for (At r = 0; r < rows_.size(); ++r) {
      if (!is_unilateral(rows_[r])) return false;
      const bool is_normal =
          r + 1 == rows_.size() || rows_[r + 1].contact != rows_[r].contact;  // the last of its contact
      if (is_normal && u(static_cast<Eigen::Index>(r)) < 0) return false;
    }
    return true;
  }

  bool find_impulses(const MatrixXd& W, const VectorXd& u, VectorXd& p) {
    if (!is_unilateral(rows_.front())) {
      VectorXd wanted(u.size());
      for (At r = 0; r < rows_.size(); ++r) {
        const auto i = static_cast<Eigen::Index>(r);
        wanted(i) = -(1 + contacts_[rows_[r].contact].restitution) * u(i);
      }
      const dense::LeastNorm found = dense::least_norm(W, wanted, 1e-12);
      p = found.x;
      if ((W * p - wanted).norm() > 1e-8 * (wanted.norm() + W.norm() * p.norm())) {
        return contradict("the bodies cannot take the velocities that the contact asks for: other joints forbid them");
      }
      return true;
    }
    if (has_friction()) {
      if (!(W(2, 2) > 0)) return contradict(unmoved);
      FrictionImpactProblem problem{
          .friction = contacts_[0].friction, .restitution = contacts_[0].restitution, .law = contacts_[0].law};
      for (Eigen::Index i = 0; i < 3; ++i) {
        problem.u[static_cast<At>(i)] = u(i);
        for (Eigen::Index k = 0; k < 3; ++k) problem.W[static_cast<At>(3 * i + k)] = W(i, k);
      }
      FrictionImpact& went = result_.contacts[0].friction;
      went = solve_friction_impact(problem);
      p = VectorXd(3);
      for (Eigen::Index i = 0; i < 3; ++i) p(i) = went.p[static_cast<At>(i)];
      return true;
    }
    return without_friction(W, u, p);
  }

  // min ½ pᵀ W p + bᵀ p over p ≥ 0 with b = (1 + e) u: its conditions are those of the contacts. Rows are taken in, the most violated first,
  // and let go where their impulse would pull.                                                       [active sets; Lawson and Hanson 1974, ch. 23]
  bool without_friction(const MatrixXd& W, const VectorXd& u, VectorXd& p) {
    const Eigen::Index n = u.size();
    VectorXd b(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double e = u(i) < 0 ? contacts_[rows_[static_cast<At>(i)].contact].restitution : 0;
      b(i) = (1 + e) * u(i);
    }
    p = VectorXd::Zero(n);
    std::vector<char> pushes(static_cast<At>(n));
    const double small = 1e-12 * b.cwiseAbs().maxCoeff();
    for (int round = 0; round < 10 * static_cast<int>(n) + 20; ++round) {
      const VectorXd w = W * p + b;
      Eigen::Index worst = -1;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (pushes[static_cast<At>(i)] == 0 && w(i) < -small && (worst < 0 || w(i) < w(worst))) worst = i;
      }
      if (worst < 0) return w.minCoeff() >= -stuck * b.cwiseAbs().maxCoeff() || contradict(unmoved);
      pushes[static_cast<At>(worst)] = 1;
      for (int inner = 0; inner <= 2 * static_cast<int>(n); ++inner) {
        const VectorXd target = on_the_pushing(W, b, pushes);
        double share = 1;
        for (Eigen::Index i = 0; i < n; ++i) {
          if (pushes[static_cast<At>(i)] != 0 && target(i) < 0) share = std::min(share, p(i) / (p(i) - target(i)));
        }
        p += share * (target - p);
        if (share == 1) break;
        for (Eigen::Index i = 0; i < n; ++i) {
          if (pushes[static_cast<At>(i)] != 0 && p(i) <= 1e-14 * p.cwiseAbs().maxCoeff() && target(i) < 0)
            pushes[static_cast<At>(i)] = 0, p(i) = 0;
        }
      }
    }
    return contradict("the contacts ask for what cannot be at once, as of a body squeezed between two others");
  }
  static VectorXd on_the_pushing(const MatrixXd& W, const VectorXd& b, const std::vector<char>& pushes) {
    std::vector<Eigen::Index> which;
    for (At i = 0; i < pushes.size(); ++i) {
      if (pushes[i] != 0) which.push_back(static_cast<Eigen::Index>(i));
    }
    const auto k = static_cast<Eigen::Index>(which.size());
    MatrixXd A(k, k);
    VectorXd y(k);
    for (Eigen::Index i = 0; i < k; ++i) {
      y(i) = -b(which[static_cast<At>(i)]);
      for (Eigen::Index j = 0; j < k; ++j) A(i, j) = W(which[static_cast<At>(i)], which[static_cast<At>(j)]);
    }
    const VectorXd x = dense::least_norm(A, y, 1e-12).x;
    VectorXd out = VectorXd::Zero(b.size());
    for (Eigen::Index i = 0; i < k; ++i) out(which[static_cast<At>(i)]) = x(i);
    return out;
  }
  bool contradict(const std::string& text) {
    result_.status = ImpactStatus::inconsistent;
    result_.text = text;
    result_.fix = "let one of them go, or treat the contacts one after the other";
    return false;
  }

  // --- what came of it ----------------------------------------------------------------------------------------------------

  void audit(const VectorXd& p, const VectorXd& u) {
    const VectorXd after = rates(result_.v);
    double rotors = 0;  // energy
    for (At r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      const auto i = static_cast<Eigen::Index>(r);
      ContactOutcome& out = result_.contacts[row.contact];
      // What a rotor has taken is not lost.
      const double kept = 0.5 * row.rotor * after(i) * after(i);
      out.work += 0.5 * p(i) * (u(i) + after(i)) + kept;
      rotors += kept;
      if (row.freedom >= 0) {
        out.along = row.sign * p(i);
        out.before.v.x = state_.v[static_cast<At>(row.freedom)];
        out.after.v.x = result_.v[static_cast<At>(row.freedom)];
      } else {
        out.impulse_W += row.g_W * p(i);
      }
    }
    for (At c = 0; c < contacts_.size(); ++c) {
      if (contacts_[c].kind == ImpactContact::Kind::limit) continue;
      result_.contacts[c].before = relative(contacts_[c], state_.v);
      result_.contacts[c].after = relative(contacts_[c], result_.v);
    }
    ImpactAudit& a = result_.audit;
    const auto motion = [&](std::span<const double> v, Vec3d& linear, Vec3d& angular, double& kinetic) {
      compute_velocities<double>(mech_, ws_, state_.q, v);
      const Momentum<double> m = compute_momentum<double>(mech_, ws_);
      linear = m.linear_W, angular = m.angular_W;
      kinetic = compute_energy<double>(mech_, ws_, v).kinetic;
      if (response_.loops() != nullptr) kinetic += response_.loops()->closing_rotor_energy(state_.q, v);
      return m.com_W;
    };
    motion(state_.v, a.linear_before, a.angular_before, a.kinetic_before);
    const Vec3d com = motion(result_.v, a.linear_after, a.angular_after, a.kinetic_after);
    a.kinetic_after += rotors;
    for (const ContactOutcome& out : result_.contacts) a.contact_work += out.work;
    if (result_.status == ImpactStatus::separating) return;

    const std::span<const double> resisting = response_.resisting();
    for (At k = 0; k < resisting.size(); ++k) a.resistance_work += 0.5 * resisting[k] * (state_.v[k] + result_.v[k]);
    result_.joint_impulses = response_.reactions();
    const auto from_ground = [&](const Force<double>& F, const Vec3d& at) {
      a.linear_external += F.f;
      a.angular_external += shift(F, com - at).n;
    };
    const auto is_fixed = [&](int body) {
      return body == ground || mech_.bodies[static_cast<At>(body)].link == ground;
    };
    for (At j = 0; j < mech_.joints.size(); ++j) {
      const JointInfo& joint = mech_.joints[j];
      const LoopReaction& reaction = result_.joint_impulses[j];
      if (is_fixed(joint.first) && !is_fixed(joint.second)) from_ground(reaction.F_W, reaction.p_W);
      if (!is_fixed(joint.first) && is_fixed(joint.second)) from_ground(-reaction.F_W, reaction.p_W);
    }
    for (At c = 0; c < contacts_.size(); ++c) {
      if (contacts_[c].kind == ImpactContact::Kind::limit) continue;
      const Force<double>& F = result_.contacts[c].impulse_W;
      if (is_fixed(contacts_[c].second)) from_ground(F, contacts_[c].p_W);
      if (is_fixed(contacts_[c].first)) from_ground(-F, contacts_[c].p_W);
    }
    a.linear_error = norm(a.linear_after - a.linear_before - a.linear_external);
    a.angular_error = norm(a.angular_after - a.angular_before - a.angular_external);
    const double gained = a.kinetic_after - a.kinetic_before;
    a.energy_error = gained - a.contact_work - a.resistance_work;
    if (gained > 1e-9 * (a.kinetic_before + a.kinetic_after)) {
      result_.warnings.push_back(
          fmt::format("the impact creates {:.6g} J: Newton's law with friction, unequal restitutions at several "
                      "contacts, or shares of "
                      "resistance that differ between joints can do that; Stronge's law and dampers do not",
                      gained));
    }
  }

  const std::vector<ImpactContact>& contacts_;
  ImpulseResponse& response_;
  const Mechanism& mech_;
  Workspace ws_;
  const State& state_;
  std::vector<Row> rows_;
  std::vector<Force<double>> wrench_;
  std::vector<double> on_freedoms_, dv_;
  ImpactResult result_;
};

void check_resistance(const Mechanism& mech, const JointResistance& r) {
  const auto is_share = [](double x) { return x >= 0 && x <= 1; };
  require(is_share(r.share),
          fmt::format("the share of resistance is {}, which is not between 0 (free) and 1 (locked)", r.share));
  require(r.driven.empty() || r.driven.size() == static_cast<At>(mech.nv),
          "driven motions are given per freedom of the mechanism");
  for (const std::vector<double>* list : {&r.share_of_each, &r.damper}) {
    require(list->empty() || list->size() == static_cast<At>(mech.nv),
            "resistances are given per freedom of the mechanism");
  }
  for (const double x : r.share_of_each) {
    require(is_share(x), fmt::format("the share of resistance is {}, which is not between 0 (free) and 1 (locked)", x));
  }
  for (const double d : r.damper) require(d >= 0, fmt::format("the damper of a joint is {}, which is negative", d));
}

void check_contact(const Mechanism& mech, const ImpactContact& c) {
  const std::string name = c.name.empty() ? "the contact" : fmt::format("contact '{}'", c.name);
  require(c.restitution >= 0 && c.restitution <= 1,
          fmt::format("{}: its restitution is {}, which is not between 0 and 1", name, c.restitution));
  require(c.friction >= 0 && std::isfinite(c.friction),
          fmt::format("{}: its friction is {}, which is negative or not finite", name, c.friction));
  if (c.kind == ImpactContact::Kind::limit) {
    require(c.limit_joint >= 0 && c.limit_joint < mech.joint_count(), name + ": there is no such joint");
    const JointInfo& joint = mech.joints[static_cast<At>(c.limit_joint)];
    require(joint.role == JointRole::tree,
            fmt::format("{}: joint '{}' closes a loop; stops act on joints of the tree", name, joint.name));
    require(c.limit_dof >= 0 && c.limit_dof < joint.nv,
            fmt::format("{}: joint '{}' has no freedom {}", name, joint.name, c.limit_dof));
    return;
  }
  const auto is_fixed = [&](int body) { return body == ground || mech.bodies[static_cast<At>(body)].link == ground; };
  require(c.first < mech.body_count() && c.second < mech.body_count() && c.first >= ground && c.second >= ground,
          name + ": there is no such body");
  require(c.first != c.second, name + ": a body cannot meet itself");
  require(!is_fixed(c.first) || !is_fixed(c.second), name + ": neither of its bodies can move");
  if (c.kind == ImpactContact::Kind::point) {
    const double size = norm(c.normal_W);
    require(size > 0 && std::isfinite(size), name + ": its normal has no direction");
  }
  require(
      c.rotors.empty() || (c.kind == ImpactContact::Kind::capture && c.rotors.size() == static_cast<At>(nv(c.joint))),
      name + ": rotors are given per freedom of the joint that captures");
  for (const double rotor : c.rotors) {
    require(rotor >= 0 && std::isfinite(rotor), fmt::format("{}: a rotor is {}, negative or not finite", name, rotor));
  }
}

}  // namespace

std::string_view keyword(ImpactContact::Kind kind) {
  switch (kind) {
    case ImpactContact::Kind::point:
      return "point";
    case ImpactContact::Kind::rigid:
      return "rigid";
    case ImpactContact::Kind::capture:
      return "capture";
    case ImpactContact::Kind::limit:
      return "limit";
  }
  return "";
}

std::string_view keyword(ImpactStatus status) {
  switch (status) {
    case ImpactStatus::ok:
      return "ok";
    case ImpactStatus::separating:
      return "separating";
    case ImpactStatus::no_inertia:
      return "no-inertia";
    case ImpactStatus::inconsistent:
      return "inconsistent";
  }
  return "";
}

ImpactResult compute_impact(const Mechanism& mechanism, const State& state, const std::vector<ImpactContact>& contacts,
                            const JointResistance& resistance) {
  check_resistance(mechanism, resistance);
  ImpulseResponse response(mechanism, resistance);
  if (LoopDynamics* loops = response.loops()) {
    const LoopDiagnosis d = loops->diagnose(state.q, state.v);
    double speed = 1;
    for (const double v : state.v) speed = std::max(speed, std::abs(v));
    const double length = loops->characteristic_length();
    const bool is_open = std::max(d.gap_m / length, d.gap_rad) > on_constraints;
    if (is_open || std::max(d.rate_m / length, d.rate_rad) > on_constraints * speed) {
      ImpactResult result;
      result.status = ImpactStatus::inconsistent;
      result.text =
          is_open ? fmt::format("the loops are open before the impact, by {:.3g} m and {:.3g} rad", d.gap_m, d.gap_rad)
                  : fmt::format("the velocities before the impact tear the loops apart, at {:.3g} m/s and {:.3g} rad/s",
                                d.rate_m, d.rate_rad);
      result.fix = "start from a state that goes with the loops";
      result.v = state.v;
      result.contacts.resize(contacts.size());
      return result;
    }
  }
  return compute_impact(response, state, contacts);
}

ImpactResult compute_impact(ImpulseResponse& response, const State& state, const std::vector<ImpactContact>& contacts) {
  const Mechanism& mechanism = response.mechanism();
  require(!contacts.empty(), "an impact needs a contact");
  int with_friction = 0, blocking = 0;
  for (const ImpactContact& c : contacts) {
    check_contact(mechanism, c);
    if (c.kind == ImpactContact::Kind::point && c.friction > 0) ++with_friction;
    if (c.kind == ImpactContact::Kind::rigid || c.kind == ImpactContact::Kind::capture) ++blocking;
  }
  const auto count = static_cast<int>(contacts.size());
  require(with_friction == 0 || count == 1, "several contacts at once are solved without friction only");
  require(blocking == 0 || blocking == count,
          "rigid contacts and captures cannot be mixed with points and limits in one impact");
  return Collision(response, state, contacts).solve();
}

std::vector<ImpactContact> contacts_of(const ImpactScenario& scenario, const Mechanism& mech, const State& state) {
  Workspace ws(mech);
  compute_positions<double>(mech, ws, state.q);
  std::vector<ImpactContact> out;
  for (const ImpactScenario::Contact& given : scenario.contacts) {
    using From = ImpactScenario::Contact::Kind;
    using To = ImpactContact::Kind;
    ImpactContact c;
    c.kind = given.kind == From::point     ? To::point
             : given.kind == From::rigid   ? To::rigid
             : given.kind == From::capture ? To::capture
                                           : To::limit;
    c.name = given.name;
    c.restitution = given.restitution, c.friction = given.friction;
    c.law = impact_law_by_keyword(given.law).value_or(ImpactLaw::stronge);
    if (c.kind == To::limit) {
      c.limit_joint = mech.find_joint(given.limit_joint), c.limit_dof = given.limit_dof, c.is_upper = given.is_upper;
    } else {
      c.first = mech.find_body(given.first), c.second = mech.find_body(given.second);
      c.p_W = (c.first == ground ? Transformd{} : pose_WB<double>(mech, ws, c.first)) * given.p_A;
      c.normal_W = given.normal_W;
      c.joint = joint_by_keyword(given.joint).value_or(AnyJoint(Fixed{}));
      const bool two_axes = std::holds_alternative<Universal>(c.joint);
      c.R_WJ = two_axes ? frame_at({}, given.axis_W, given.second_axis_W).R : frame_at({}, given.axis_W).R;
      if (auto* helical = std::get_if<Helical>(&c.joint)) helical->h = given.advance;
    }
    out.push_back(std::move(c));
  }
  return out;
}

namespace {

// How far the point is from the nearest of a body's shapes; 0 where they do not tell.
double distance_off(const Body& body, const Vec3d& p_B) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::vector<Shape>* shapes : {&body.shapes, &body.visuals, &body.collisions}) {
    for (const Shape& shape : *shapes) {
      const double d = distance_to(shape, p_B);
      if (std::isnan(d)) return 0;
      nearest = std::min(nearest, d);
    }
  }
  return std::isfinite(nearest) ? nearest : 0;
}

}  // namespace

Diagnostics places_off_bodies(const ImpactScenario& scenario, const Model& model, const Mechanism& mech,
                              const std::vector<ImpactContact>& contacts, const State& state) {
  constexpr double tolerance = 1e-3;  // of the distance from the body's centre of mass, and m
  Diagnostics out;
  out.file = scenario.file;
  Workspace ws(mech);
  compute_positions<double>(mech, ws, state.q);
  for (At c = 0; c < contacts.size(); ++c) {
    if (contacts[c].kind == ImpactContact::Kind::limit) continue;
    for (const int b : {contacts[c].first, contacts[c].second}) {
      const Body* body = b == ground ? nullptr : model.find_body(mech.bodies[static_cast<At>(b)].name);
      if (body == nullptr) continue;
      const Vec3d p_B = inverse(pose_WB<double>(mech, ws, b)) * contacts[c].p_W;
      const double off = distance_off(*body, p_B);
      if (off <= tolerance * (1 + norm(p_B - body->com))) continue;
      out.warning(scenario.contacts[c].where, "impact-off-body",
                  fmt::format("contact '{}' is {:.6g} m off body '{}': none of its shapes reaches there",
                              contacts[c].name, off, body->name),
                  "give a point on both bodies, or draw the part that is hit; it is taken as given");
    }
  }
  return out;
}

JointResistance resistance_of(const ImpactScenario& scenario, const Mechanism& mech) {
  JointResistance out;
  out.share = scenario.share;
  const auto fill = [&](const std::vector<ImpactScenario::OfJoint>& from, std::vector<double>& to) {
    if (from.empty()) return;
    to.assign(static_cast<At>(mech.nv), 0.0);
    for (const ImpactScenario::OfJoint& one : from) {
      const JointInfo& joint = mech.joints[static_cast<At>(mech.find_joint(one.joint))];
      require(joint.role == JointRole::tree,
              fmt::format("joint '{}' closes a loop and cannot resist here", joint.name));
      to[static_cast<At>(joint.v + one.dof)] = one.size;
    }
  };
  fill(scenario.shares, out.share_of_each);
  fill(scenario.dampers, out.damper);
  return out;
}

}  // namespace trammel
