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

#include <trammel/floating.hpp>
#include <trammel/impact.hpp>

#include "core/dense.hpp"
#include "impact/contact_impulses.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using dense::MatrixXd;
using dense::VectorXd;

struct Row {
  At contact = 0;
  Force<double> g_W = {};               // on `first` at p_W, its opposite on `second`
  int first = ground, second = ground;  // bodies
  Vec3d p_W = {};
  int freedom = -1;  // of the tree, of a limit there
  double sign = 1;   // of a limit: along the way back from the stop
  double rotor = 0;  // armature A that is brought to the speed u' of this row, by the impulse p = −A u'
};

constexpr double on_constraints = 1e-6;  // of the size of the mechanism, and of its velocities
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
      const bool is_stop = contacts_.front().kind == ImpactContact::Kind::limit;
      result_.text = contacts_.size() > 1 ? "no contact is approached"
                     : is_stop            ? "the coordinate does not approach its stop"
                                          : "the bodies do not approach each other";
      result_.fix = contacts_.size() == 1 && is_stop
                        ? "give it a velocity towards the stop, or name the other side"
                        : "give velocities that bring the first body towards the second, against the normal; or turn "
                          "the normal round";
      audit(VectorXd(VectorXd::Zero(u.size())), u);
      return std::move(result_);
    }
    impact::RowProblem problem{
        .W = MatrixXd(u.size(), u.size()), .u = u, .mobility = VectorXd(u.size()), .speed = speeds()};
    for (Eigen::Index r = 0; r < u.size(); ++r) {
      VectorXd unit = VectorXd::Zero(u.size());
      unit(r) = 1;
      if (!respond(unit)) return std::move(result_);
      problem.W.col(r) = rates(dv_);
      const double loose = mobility_of(r);
      problem.mobility(r) = std::max(loose, std::abs(problem.W(r, r)));
      if (const double rotor = rows_[static_cast<At>(r)].rotor; rotor > 0) {
        problem.W(r, r) += 1 / rotor;
        problem.mobility(r) += 1 / rotor;
      }
    }
    VectorXd p;
    if (!find_impulses(problem, p)) return std::move(result_);
    if (!respond(p)) return std::move(result_);
    for (At k = 0; k < dv_.size(); ++k) result_.v[k] += dv_[k];
    audit(p, u);
    return std::move(result_);
  }

 private:
  void add_rows(At c) {
    const ImpactContact& contact = contacts_[c];
    if (contact.kind == ImpactContact::Kind::limit) {
      add_limit(c);
      return;
    }
    const auto add = [&](const Force<double>& g_W, double rotor = 0) {
      rows_.push_back({.contact = c,
                       .g_W = g_W,
                       .first = contact.first,
                       .second = contact.second,
                       .p_W = contact.p_W,
                       .rotor = rotor});
    };
    if (contact.kind == ImpactContact::Kind::point) {
      const Vec3d n = contact.normal_W * (1 / norm(contact.normal_W));
      if (contact.friction > 0) {
        const Motion<double> V = relative(contact.first, contact.second, contact.p_W, state_.v);
        const Vec3d along = V.v - n * dot(V.v, n);
        // Along the slip there is, so that planar problems are seen to be planar.
        Vec3d t1 = norm(along) > 1e-12 * norm(V.v) ? along : least_along(n);
        t1 = t1 - n * dot(t1, n);
        t1 = t1 * (1 / norm(t1));
        add({{}, t1});
        add({{}, cross(n, t1)});
      }
      add({{}, n});
      return;
    }
    const Vec3d axes[3] = {contact.R_WJ.ex, contact.R_WJ.ey, contact.R_WJ.ez};
    if (contact.kind == ImpactContact::Kind::rigid) {
      for (const Vec3d& e : axes) add({e, {}});
      for (const Vec3d& e : axes) add({{}, e});
      return;
    }
    // What the joint blocks: wrenches that do no work on what it lets free.
    const MatrixXd H = freedoms_of(contact.joint, contact.joint_q), blocked = blocked_directions(H);
    for (Eigen::Index k = 0; k < blocked.cols(); ++k) add(in_world(contact.R_WJ, blocked.col(k)));
    for (At k = 0; k < contact.rotors.size(); ++k) {
      if (contact.rotors[k] != 0) add(in_world(contact.R_WJ, along_freedom(H, k)), contact.rotors[k]);
    }
  }

  // Of a joint of the tree the coordinate itself; of one that closes a loop, a wrench between its bodies.
  void add_limit(At c) {
    const ImpactContact& contact = contacts_[c];
    const JointInfo& joint = mech_.joints[static_cast<At>(contact.limit_joint)];
    Row row{.contact = c, .sign = contact.is_upper ? -1.0 : 1.0};
    if (joint.role == JointRole::tree) {
      row.freedom = joint.v + contact.limit_dof;
    } else {
      const auto pose = [&](int body) {
        return body == ground ? Transformd{} : pose_WB<double>(mech_, response_.workspace(), body);
      };
      const Transformd X_WF = pose(joint.first) * joint.X_AF, X_WM = pose(joint.second) * joint.X_BM;
      std::vector<double> q(static_cast<At>(joint.nq));
      q_fit(joint.type, inverse(X_WF) * X_WM, q.data());
      row.first = joint.second, row.second = joint.first, row.p_W = X_WM.p;
      row.g_W =
          in_world(X_WM.R, along_freedom(freedoms_of(joint.type, q), static_cast<At>(contact.limit_dof))) * row.sign;
    }
    rows_.push_back(row);
  }

  static Force<double> in_world(const Mat3d& R, const VectorXd& g) {
    const Vec3d axes[3] = {R.ex, R.ey, R.ez};
    Force<double> F;
    for (Eigen::Index i = 0; i < 3; ++i) F.n += axes[i] * g(i), F.f += axes[i] * g(i + 3);
    return F;
  }
  // Of a motion that is not blocked, V = H q̇, columns of H (HᵀH)⁻¹ give the rates q̇.
  static VectorXd along_freedom(const MatrixXd& H, At freedom) {
    VectorXd unit = VectorXd::Zero(H.cols());
    unit(static_cast<Eigen::Index>(freedom)) = 1;
    return H * dense::solve(MatrixXd(H.transpose() * H), unit);
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
  Motion<double> motion_of(int body, const Vec3d& p_W) {
    return body == ground ? Motion<double>{} : velocity_W<double>(mech_, ws_, body, on_body(body, p_W));
  }
  Motion<double> relative(int first, int second, const Vec3d& p_W, std::span<const double> v) {
    compute_velocities<double>(mech_, ws_, state_.q, v);
    return motion_of(first, p_W) - motion_of(second, p_W);
  }
  VectorXd rates(std::span<const double> v) {
    compute_velocities<double>(mech_, ws_, state_.q, v);
    VectorXd u(static_cast<Eigen::Index>(rows_.size()));
    for (At r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      u(static_cast<Eigen::Index>(r)) =
          row.freedom >= 0 ? row.sign * v[static_cast<At>(row.freedom)]
                           : dot(motion_of(row.first, row.p_W) - motion_of(row.second, row.p_W), row.g_W);
    }
    return u;
  }
  // What rates are differences of, for each row, with the velocities that were last computed. (A coordinate is no difference.)
  double parts_of(const Row& row, std::span<const double> v) {
    if (row.freedom >= 0) return std::abs(v[static_cast<At>(row.freedom)]);
    return std::abs(dot(motion_of(row.first, row.p_W), row.g_W)) +
           std::abs(dot(motion_of(row.second, row.p_W), row.g_W));
  }
  VectorXd speeds() {
    compute_velocities<double>(mech_, ws_, state_.q, state_.v);
    double largest = 0;  // with loops, all velocities follow from each other
    if (response_.loops() != nullptr) {
      for (const double v : state_.v) largest = std::max(largest, std::abs(v));
    }
    VectorXd out(static_cast<Eigen::Index>(rows_.size()));
    for (At r = 0; r < rows_.size(); ++r)
      out(static_cast<Eigen::Index>(r)) = std::max(largest, parts_of(rows_[r], state_.v));
    return out;
  }
  // Of the row whose unit impulse was last applied, with loops open and joints free; 0 where that has no answer.
  double mobility_of(Eigen::Index r) {
    std::vector<double> loose(dv_.size());
    if (!response_.respond_loose(wrench_, on_freedoms_, loose)) return 0;
    compute_velocities<double>(mech_, ws_, state_.q, loose);
    return parts_of(rows_[static_cast<At>(r)], loose);
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
      const auto push = [&](int body, const Force<double>& F) {
        if (body != ground) add_wrench<double>(mech_, response_.workspace(), body, on_body(body, row.p_W), F, wrench_);
      };
      push(row.first, row.g_W * size);
      push(row.second, row.g_W * -size);
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
  bool all_separate(const VectorXd& u) {
    const VectorXd speed = speeds();
    for (At r = 0; r < rows_.size(); ++r) {
      if (!is_unilateral(rows_[r])) return false;
      const bool is_normal =
          r + 1 == rows_.size() || rows_[r + 1].contact != rows_[r].contact;  // the last of its contact
      const auto i = static_cast<Eigen::Index>(r);
      if (is_normal && u(i) < -impact::no_approach * speed(i)) return false;
    }
    return true;
  }

  // Of several contacts that have to do with each other: Stronge's if one asks for it, Newton's if all do.
  ImpactLaw common_law(const impact::Rows& rows) const {
    bool any_point = false, all_newton = true;
    for (const Eigen::Index r : rows) {
      const ImpactContact& c = contacts_[rows_[static_cast<At>(r)].contact];
      if (c.kind == ImpactContact::Kind::limit) continue;
      any_point = true;
      if (c.law == ImpactLaw::stronge) return ImpactLaw::stronge;
      all_newton = all_newton && c.law == ImpactLaw::newton;
    }
    return !any_point ? ImpactLaw::stronge : all_newton ? ImpactLaw::newton : ImpactLaw::poisson;
  }

  bool find_impulses(const impact::RowProblem& problem, VectorXd& p) {
    VectorXd restitution(problem.u.size());
    for (At r = 0; r < rows_.size(); ++r)
      restitution(static_cast<Eigen::Index>(r)) = contacts_[rows_[r].contact].restitution;
    if (!is_unilateral(rows_.front())) {
      const VectorXd wanted = -(problem.u + restitution.cwiseProduct(problem.u));
      const std::optional<VectorXd> found = impact::solve_blocking(problem, wanted);
      if (!found)
        return contradict("the bodies cannot take the velocities that the contact asks for: other joints forbid them");
      p = *found;
      return true;
    }
    if (has_friction()) return with_friction(problem, p);
    p = VectorXd::Zero(problem.u.size());
    for (const impact::Rows& rows : impact::coupled_rows(problem)) {
      const bool is_hit = std::any_of(rows.begin(), rows.end(), [&](Eigen::Index r) {
        return !contacts_[rows_[static_cast<At>(r)].contact].rests;
      });
      if (is_hit &&
          !push(impact::part_of(problem, rows), impact::part_of(restitution, rows), common_law(rows), rows, p)) {
        return false;
      }
    }
    return true;
  }
  bool push(const impact::RowProblem& group, const VectorXd& restitution, ImpactLaw law, const impact::Rows& rows,
            VectorXd& p) {
    if (const std::optional<VectorXd> found = impact::solve_pushing(group, restitution, law)) {
      for (At i = 0; i < rows.size(); ++i) p(rows[i]) = (*found)(static_cast<Eigen::Index>(i));
      return true;
    }
    return law == ImpactLaw::newton && impact::solve_pushing(group, restitution, ImpactLaw::stronge)
               ? contradict("Newton's law asks for what cannot be at once, as of a body squeezed between two others",
                            "let one of the contacts go, or leave out law: newton")
               : contradict(unmoved);
  }

  bool with_friction(const impact::RowProblem& given, VectorXd& p) {
    if (!(given.W(2, 2) > impact::no_motion * given.mobility.maxCoeff())) {
      p = VectorXd::Zero(3);  // of bodies that a joint holds together, it may be round-off that approaches
      return -given.u(2) <= 1e3 * impact::no_approach * given.speed(2) || contradict(unmoved);
    }
    const MatrixXd W = impact::without_round_off(given);
    FrictionImpactProblem problem{.friction = contacts_[0].friction,
                                  .restitution = contacts_[0].restitution,
                                  .law = contacts_[0].law,
                                  .speed = given.speed.maxCoeff()};
    for (Eigen::Index i = 0; i < 3; ++i) {
      problem.u[static_cast<At>(i)] = given.u(i);
      for (Eigen::Index k = 0; k < 3; ++k) problem.W[static_cast<At>(3 * i + k)] = W(i, k);
    }
    FrictionImpact& went = result_.contacts[0].friction;
    went = solve_friction_impact(problem);
    if (!went.finished) {
      result_.status = ImpactStatus::not_followed;
      result_.text = "the slip of the contact could not be followed to the end of the blow";
      result_.fix =
          "the masses behind the contact may be too far apart: leave friction out, or make the heavy body part of the "
          "ground";
      return false;
    }
    p = VectorXd(3);
    for (Eigen::Index i = 0; i < 3; ++i) p(i) = went.p[static_cast<At>(i)];
    return true;
  }
  bool contradict(const std::string& text,
                  const std::string& fix = "let one of them go, or treat the contacts one after the other") {
    result_.status = ImpactStatus::inconsistent;
    result_.text = text;
    result_.fix = fix;
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
      if (contacts_[row.contact].kind == ImpactContact::Kind::limit) {
        out.along = row.sign * p(i);
        out.before.v.x = row.sign * u(i);
        out.after.v.x = row.sign * after(i);
      } else {
        out.impulse_W += row.g_W * p(i);
      }
    }
    for (At c = 0; c < contacts_.size(); ++c) {
      if (contacts_[c].kind == ImpactContact::Kind::limit) continue;
      const ImpactContact& contact = contacts_[c];
      result_.contacts[c].before = relative(contact.first, contact.second, contact.p_W, state_.v);
      result_.contacts[c].after = relative(contact.first, contact.second, contact.p_W, result_.v);
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

    const std::span<const double> resisting = response_.resisting(), by_rotors = response_.by_rotors();
    double from_rotors = 0;  // energy of dampers that turn with their joints, ½ D q̇², and work of locks and drives
    for (At k = 0; k < resisting.size(); ++k) {
      const double rate = 0.5 * (state_.v[k] + result_.v[k]);
      a.resistance_work += resisting[k] * rate;
      from_rotors += by_rotors[k] * rate;
    }
    result_.joint_impulses = response_.reactions();
    result_.constraint_impulses = response_.constraint_impulses();
    for (At r = 0; r < rows_.size();
         ++r) {  // the stop of a joint that closes a loop acts through that joint, as others do
      const ImpactContact& contact = contacts_[rows_[r].contact];
      if (contact.kind == ImpactContact::Kind::limit && rows_[r].freedom < 0) {
        result_.joint_impulses[static_cast<At>(contact.limit_joint)].F_W +=
            rows_[r].g_W * p(static_cast<Eigen::Index>(r));
      }
    }
    const auto is_fixed = [&](int body) {
      return body == ground || mech_.bodies[static_cast<At>(body)].link == ground;
    };
    // F acts on `second`, its opposite on `first`.
    const auto count_from_ground = [&](int first, int second, const Force<double>& F, const Vec3d& at) {
      if (is_fixed(first) == is_fixed(second)) return;
      const Force<double> on_moving = is_fixed(first) ? F : -F;
      a.linear_external += on_moving.f;
      a.angular_external += shift(on_moving, com - at).n;
    };
    for (At j = 0; j < mech_.joints.size(); ++j) {
      const LoopReaction& reaction = result_.joint_impulses[j];
      count_from_ground(mech_.joints[j].first, mech_.joints[j].second, reaction.F_W, reaction.p_W);
    }
    for (At c = 0; c < result_.constraint_impulses.size(); ++c) {
      const LoopReaction& held = result_.constraint_impulses[c];
      count_from_ground(mech_.constraints[c].first, mech_.constraints[c].second, held.F_W, held.p_W);
    }
    for (At c = 0; c < contacts_.size(); ++c) {
      if (contacts_[c].kind == ImpactContact::Kind::limit) continue;
      count_from_ground(contacts_[c].second, contacts_[c].first, result_.contacts[c].impulse_W, contacts_[c].p_W);
    }
    a.linear_error = norm(a.linear_after - a.linear_before - a.linear_external);
    a.angular_error = norm(a.angular_after - a.angular_before - a.angular_external);
    const double gained = a.kinetic_after - a.kinetic_before, created = gained - from_rotors;
    a.energy_error = gained - a.contact_work - a.resistance_work;
    if (created > 1e-9 * (a.kinetic_before + a.kinetic_after)) {
      result_.warnings.push_back(
          fmt::format("the impact creates {:.6g} J: Newton's law with friction or at several contacts, Poisson's with "
                      "unequal restitutions, or shares of resistance that differ between joints or hold joints that "
                      "move can do that; Stronge's law and dampers do not",
                      created));
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
    require(joint.role == JointRole::tree || (joint.role == JointRole::closure && !joint.starts_open),
            fmt::format("{}: joint '{}' does not hold, so that it has no stops", name, joint.name));
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
    case ImpactStatus::not_followed:
      return "not-followed";
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
      require(find_floating_tree(mech, mech.links[static_cast<At>(joint.link)].body).base_joint !=
                  static_cast<int>(&joint - mech.joints.data()),
              fmt::format("joint '{}' is a base that floats: nothing is there that could resist", joint.name));
      to[static_cast<At>(joint.v + one.dof)] = one.size;
    }
  };
  fill(scenario.shares, out.share_of_each);
  fill(scenario.dampers, out.damper);
  return out;
}

}  // namespace trammel
