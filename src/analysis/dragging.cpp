// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A point is drawn to the place on the constraints that is nearest to the target: least ½|target − p(q)|² with Φ(q) = 0.
//
//   free motions     v = N y,                N an orthonormal null space of Φ_q (scaled), without those that push a joint beyond a limit
//   the point        ṗ = A y,                A = J N
//   a step           y = Aᵀ (A Aᵀ + μ 1)⁻¹ (target − p)                                    (1)  Levenberg and Marquardt; 3×3 to solve
//   and back         q ← q ⊕ N y, then Newton's method onto Φ = 0                          (2)
// A step that does not bring the point nearer is taken back, and μ grows; otherwise it follows how well the step kept what it promised. At the end Aᵀ (target − p) = 0: the point is there, or what
// is missing is square to all it can do. Where A has lost rank there, it is a dead point (or the edge of a reach), otherwise the path just
// comes no nearer.

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <trammel/analysis.hpp>
#include <trammel/dragging.hpp>

#include "core/dense.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_steps = 200;          // of one drag
constexpr double longest_step = 0.2;     // rad, or of the characteristic length
constexpr double near_enough = 1e-7;     // of the characteristic length
constexpr double closed = 1e-11;         // likewise
constexpr double at_limit = 1e-7;        // rad, m: a coordinate that near to its limit is at it
constexpr double lost = 0.02;            // a singular value that was so many times as large has gone
constexpr double no_motion = 1e-9;       // of singular values of A
constexpr double step_of_input = 0.035;  // rad, or of the characteristic length, between positions on the way
constexpr int most_positions = 400;      // on that way

struct Limited {
  int joint = -1, dof = 0;
  Dimension dimension = {};
  double lower = -infinity, upper = infinity;
};

double of(const std::vector<double>& list, int dof, double otherwise) {
  return static_cast<At>(dof) < list.size() ? list[static_cast<At>(dof)] : otherwise;
}

// Every coordinate that can be asked for one by one, of joints in the tree and of joints that close loops.
std::vector<Limited> coordinates_of(const Mechanism& mech) {
  std::vector<Limited> all;
  for (int j = 0; j < mech.joint_count(); ++j) {
    const JointInfo& joint = mech.joints[static_cast<At>(j)];
    const std::vector<Freedom> list = freedoms(joint.type);
    if (joint.role == JointRole::weld || joint.nq != joint.nv || std::holds_alternative<Custom>(joint.type)) continue;
    for (int dof = 0; dof < joint.nv; ++dof) {
      const JointProperties& p = joint.properties;
      all.push_back(
          {j, dof, list[static_cast<At>(dof)].dimension, of(p.lower, dof, -infinity), of(p.upper, dof, infinity)});
    }
  }
  return all;
}

std::vector<Driver> drivers_of(const std::vector<Limited>& coordinates) {
  std::vector<Driver> drivers;
  for (const Limited& c : coordinates) drivers.push_back({.joint = c.joint, .dof = c.dof});
  return drivers;
}

std::string name_of(const Mechanism& mech, const Limited& c) {
  const JointInfo& joint = mech.joints[static_cast<At>(c.joint)];
  if (joint.nv == 1) return joint.name;
  return fmt::format("{}.{}", joint.name, freedoms(joint.type)[static_cast<At>(c.dof)].name);
}
std::string value_text(const Mechanism& mech, double value, const Dimension& d) {
  return fmt::format("{:.5g} {}", mech.units.from_si(value, d), mech.units.name(d));
}

}  // namespace

std::string_view keyword(DragVerdict::Status status) {
  constexpr std::string_view words[] = {"there", "nearest", "limit", "dead point", "locked"};
  return words[static_cast<At>(status)];
}

std::vector<Driver> inputs_to_turn(const Mechanism& mech) {
  std::vector<Driver> drivers;
  for (const InputInfo& input : mech.inputs) drivers.push_back({.joint = input.joint, .dof = input.settings.dof});
  if (!drivers.empty()) return drivers;
  const auto add = [&](int freedom) {
    const JointInfo& joint = mech.joints[mech.links[mech.link_of_dof[freedom]].joint];
    if (joint.nq == joint.nv) drivers.push_back({.joint = mech.find_joint(joint.name), .dof = freedom - joint.v});
  };
  if (mech.is_tree()) {
    for (int freedom = 0; freedom < mech.nv; ++freedom) add(freedom);
    return drivers;
  }
  LoopSolver solver(mech);
  std::vector<double> q = design_state(mech).q;
  if (!solver.assemble(q, {}).closed()) return drivers;
  for (const FreeMotion& motion : find_mobility(solver, q).motions) {
    if (!motion.idle && !motion.shares.empty()) add(motion.shares.front().freedom);
  }
  return drivers;
}

class LinkageHand::Implementation {
 public:
  Implementation(const Mechanism& mechanism, std::vector<Driver> the_inputs, std::span<const double> at)
      : mech(mechanism),
        inputs(std::move(the_inputs)),
        coordinates(coordinates_of(mech)),
        loops(mech),
        measure(mech, drivers_of(coordinates)) {
    q = at.empty() ? design_state(mech).q : std::vector<double>(at.begin(), at.end());
    trial = q;
    report = loops.assemble(q, {});
    start = q;
    length = loops.characteristic_length();
  }

  DragVerdict drag(int body, const Vec3d& p_B, const Vec3d& target_W);
  DragVerdict set_input(int k, double value);
  double value_of(const Limited& c, std::span<const double> at);

  Mechanism mech;
  std::vector<Driver> inputs;
  std::vector<Limited> coordinates;
  LoopSolver loops, measure;  // without drivers; and one that reads every coordinate
  std::vector<double> q, start, trial;
  AssemblyReport report;
  double length = 1;

 private:
  // The linkage at a position, with the free motions that no limit forbids.
  struct Here {
    Vec3d p_W;
    MatrixXd N, A;       // freedoms in true units; the point
    VectorXd values;     // of coordinates
    MatrixXd rates;      // of coordinates, by y
    std::vector<At> at;  // coordinates that are held at their limits
  };
  VectorXd find_values(std::span<const double> at, MatrixXd* rows = nullptr);
  Here look(int body, const Vec3d& p_B, const Vec3d& target_W, double mu, VectorXd& y);
  bool project(std::vector<double>& at);
  bool take_step(const Here& here, const VectorXd& y, double share);
  double share_within_limits(const Here& here);
  DragVerdict judge(const Here& here, int body, double missing);
  std::string dead_point_text(const Here& here) const;
  DragVerdict at_limit_of(const Limited& c, double limit, double left) const;
  AnalysisOptions way_to(int k, double value, double unit);
  std::optional<std::pair<At, double>> follow(const Analysis& way);
  void remember(const Here& here, int body, const Vec3d& p_B);

  int body_ = ground;  // that is held, with the largest that A and the rates have been since it was taken
  Vec3d p_B_;
  VectorXd largest_, fastest_;
};

// --- drag -------------------------------------------------------------------------------------------------------------------

VectorXd LinkageHand::Implementation::find_values(std::span<const double> at, MatrixXd* rows) {
  const auto count = static_cast<Eigen::Index>(coordinates.size());
  if (count == 0) {
    if (rows != nullptr) rows->resize(0, mech.nv);
    return {};
  }
  LoopSolver::Implementation& I = measure.implementation();
  const std::vector<Target> zero(coordinates.size());
  I.evaluate(at, zero, rows != nullptr);
  if (rows != nullptr) *rows = I.J.bottomRows(count);
  return I.phi.tail(count);
}

// Null space of the constraints and of what is held, by columns; y is the step (1). What would go beyond a limit is held in turn.
LinkageHand::Implementation::Here LinkageHand::Implementation::look(int body, const Vec3d& p_B, const Vec3d& target_W,
                                                                    double mu, VectorXd& y) {
  Here here;
  MatrixXd rows;
  here.values = find_values(q, &rows);
  LoopSolver::Implementation& I = loops.implementation();
  I.evaluate(q, {}, true);
  const VectorXd C = I.column_scale;
  const MatrixXd S = I.scaled_jacobian();
  here.p_W = pose_WB(mech, I.ws, body) * p_B;
  LoopSolver::Implementation::Matrix J6(6, mech.nv);
  jacobian_W<double>(mech, I.ws, body, p_B, {J6.data(), static_cast<At>(J6.size())});
  const MatrixXd J = J6.bottomRows(3) * C.asDiagonal();
  const Vec3d d = target_W - here.p_W;
  while (true) {
    MatrixXd all(S.rows() + static_cast<Eigen::Index>(here.at.size()), mech.nv);
    all.topRows(S.rows()) = S;
    for (At k = 0; k < here.at.size(); ++k) {
      VectorXd row = C.cwiseProduct(rows.row(static_cast<Eigen::Index>(here.at[k])).transpose());
      all.row(S.rows() + static_cast<Eigen::Index>(k)) = row.normalized();
    }
    int rank = 0;
    MatrixXd N = MatrixXd::Identity(mech.nv, mech.nv);
    if (all.rows() > 0) {
      const dense::Svd svd = dense::svd(all);
      for (Eigen::Index k = 0; k < svd.s.size(); ++k) rank += svd.s(k) > 1e-7 * std::max(svd.s(0), 1.0) ? 1 : 0;
      N = svd.V.rightCols(mech.nv - rank);
    }
    here.A = J * N;
    here.N = C.asDiagonal() * N;
    here.rates = rows * here.N;
    const Eigen::Matrix3d AAt = here.A * here.A.transpose() + (mu + 1e-12) * Eigen::Matrix3d::Identity();
    y = here.A.transpose() * (AAt.inverse() * Eigen::Vector3d(d.x, d.y, d.z));
    const double size = y.size() == 0 ? 0 : y.norm();
    if (size > longest_step * length) y *= longest_step * length / size;
    const VectorXd rate = here.rates * y;
    At held = here.at.size();
    for (At k = 0; k < coordinates.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const bool below = here.values(i) < coordinates[k].lower + at_limit && rate(i) < 0;
      const bool above = here.values(i) > coordinates[k].upper - at_limit && rate(i) > 0;
      const bool is_there = std::find(here.at.begin(), here.at.end(), k) != here.at.end();
      if ((below || above) && !is_there) here.at.push_back(k);
    }
    if (held == here.at.size()) return here;
  }
}

// (2), from near.
bool LinkageHand::Implementation::project(std::vector<double>& at) {
  LoopSolver::Implementation& I = loops.implementation();
  if (I.m == 0) return true;
  double last = infinity;
  for (int iteration = 0; iteration < 20; ++iteration) {
    I.evaluate(at, {}, true);
    const double size = I.scaled_norm(I.phi);
    if (size <= closed * I.length && size > 0.25 * last) return true;
    if (size == 0) return true;
    if (!(size < 2 * last)) return false;
    last = size;
    const dense::LeastNorm found =
        dense::least_norm(I.scaled_jacobian(), -I.row_scale.cwiseProduct(I.phi), rank_tolerance);
    const VectorXd step = I.column_scale.cwiseProduct(found.x);
    step_coordinates(mech, at, {step.data(), static_cast<At>(step.size())}, at);
  }
  return last <= closed * I.length;
}

// A share of a step into `trial`.
bool LinkageHand::Implementation::take_step(const Here& here, const VectorXd& y, double share) {
  const VectorXd step = here.N * y * share;
  trial = q;
  step_coordinates(mech, q, {step.data(), static_cast<At>(step.size())}, trial);
  return project(trial);
}

// How much of the way to `trial` stays within all limits.
double LinkageHand::Implementation::share_within_limits(const Here& here) {
  double share = 1;
  const VectorXd there = find_values(trial);
  for (At k = 0; k < coordinates.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double from = here.values(i), to = there(i);
    const double limit = to < from ? coordinates[k].lower : coordinates[k].upper;
    const bool passes = to < from ? to < limit - at_limit : to > limit + at_limit;
    if (passes && std::abs(to - from) < 3) share = std::min(share, std::clamp((limit - from) / (to - from), 0.0, 1.0));
  }
  return share;
}

void LinkageHand::Implementation::remember(const Here& here, int body, const Vec3d& p_B) {
  VectorXd s;
  if (here.A.cols() > 0) s = dense::singular_values(here.A);
  VectorXd fast = VectorXd::Zero(here.rates.rows());
  if (here.rates.cols() > 0) fast = here.rates.rowwise().norm();
  if (body != body_ || !(p_B == p_B_) || largest_.size() == 0) {
    body_ = body, p_B_ = p_B;
    largest_ = VectorXd::Zero(3);
    fastest_ = VectorXd::Zero(fast.size());
  }
  for (Eigen::Index k = 0; k < s.size(); ++k) largest_(k) = std::max(largest_(k), s(k));
  fastest_ = fastest_.cwiseMax(fast);
}

DragVerdict LinkageHand::Implementation::drag(int body, const Vec3d& p_B, const Vec3d& target_W) {
  double mu = 1e-6, growth = 2;
  VectorXd y;
  Here here = look(body, p_B, target_W, mu, y);
  double missing = norm(target_W - here.p_W);
  for (int step = 0; step < most_steps; ++step) {
    remember(here, body, p_B);
    if (missing <= near_enough * length) return {.left = missing, .text = {}};
    if (y.size() == 0 || !(y.norm() > 1e-11 * length)) break;
    bool nearer = take_step(here, y, 1);
    if (nearer) {
      const double share = share_within_limits(here);
      if (share < 1) nearer = take_step(here, y, share);
    }
    const Vec3d d = target_W - here.p_W;
    const double promised = missing * missing - (Eigen::Vector3d(d.x, d.y, d.z) - here.A * y).squaredNorm();
    double now = missing;
    if (nearer) {
      compute_positions(mech, loops.workspace(), trial);
      now = norm(target_W - pose_WB(mech, loops.workspace(), body) * p_B);
    }
    if (nearer && now < missing) {
      const bool stalls = missing - now < 1e-13 * missing;
      q = trial;
      loops.implementation().rows.keep_turns(mech, loops.workspace(), q);
      const double gain = (missing * missing - now * now) / promised;
      mu = std::max(mu * std::max(0.2, 1 - std::pow(2 * gain - 1, 3)), 1e-9);  // [Nielsen 1999]
      growth = 2;
      missing = now;
      if (stalls) break;
    } else {
      mu *= growth, growth *= 2;
      if (mu > 1e9) break;
    }
    here = look(body, p_B, target_W, mu, y);
  }
  return judge(here, body, missing);
}

std::string LinkageHand::Implementation::dead_point_text(const Here& here) const {
  if (here.N.cols() != 1) return "the links are stretched: the point is at the edge of what it can reach";
  std::vector<std::string> names;
  for (At k = 0; k < coordinates.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const bool is_still = std::abs(here.rates(i, 0)) < lost * fastest_(i);
    if (is_still && names.size() < 3) names.push_back(fmt::format("'{}'", name_of(mech, coordinates[k])));
  }
  return names.empty() ? "dead point: the point can only turn back here"
                       : fmt::format("dead point: {} can only turn back here", fmt::join(names, " and "));
}

DragVerdict LinkageHand::Implementation::judge(const Here& here, int body, double missing) {
  using Status = DragVerdict::Status;
  if (!here.at.empty()) {
    const auto k = here.at.front();
    const Limited& c = coordinates[k];
    const double value = here.values(static_cast<Eigen::Index>(k));
    return at_limit_of(c, std::abs(value - c.lower) < std::abs(value - c.upper) ? c.lower : c.upper, missing);
  }
  if (here.N.cols() == 0) return {Status::locked, missing, "the linkage is locked: its joints leave no motion"};
  const VectorXd s = dense::singular_values(here.A);
  if (!(largest_(0) > no_motion)) {
    return {Status::locked, missing,
            fmt::format("'{}' is held fast: no motion of the linkage moves this point",
                        mech.bodies[static_cast<At>(body)].name)};
  }
  for (Eigen::Index k = 0; k < s.size(); ++k) {
    if (largest_(k) > no_motion && s(k) < lost * largest_(k)) {
      return {Status::dead_point, missing, dead_point_text(here)};
    }
  }
  return {Status::nearest, missing, "the point's path comes no nearer"};
}

// --- inputs -----------------------------------------------------------------------------------------------------------------

double LinkageHand::Implementation::value_of(const Limited& c, std::span<const double> at) {
  const JointInfo& joint = mech.joints[static_cast<At>(c.joint)];
  if (joint.role == JointRole::tree) return at[static_cast<At>(joint.q + c.dof)];
  const VectorXd values = find_values(at);
  for (At k = 0; k < coordinates.size(); ++k) {
    if (coordinates[k].joint == c.joint && coordinates[k].dof == c.dof) return values(static_cast<Eigen::Index>(k));
  }
  return 0;
}

DragVerdict LinkageHand::Implementation::at_limit_of(const Limited& c, double limit, double left) const {
  return {DragVerdict::Status::limit, left,
          fmt::format("joint '{}' is at its limit of {}", name_of(mech, c), value_text(mech, limit, c.dimension))};
}

// All inputs where they are, input k on its way to a value.
AnalysisOptions LinkageHand::Implementation::way_to(int k, double value, double unit) {
  AnalysisOptions options{.start = q};
  for (const Driver& driver : inputs) {
    const double now = value_of({driver.joint, driver.dof}, q);
    options.inputs.push_back({.driver = driver, .from = now, .to = now});
  }
  SweepInput& moved = options.inputs[static_cast<At>(k)];
  const double count =
      std::clamp(std::ceil(std::abs(value - moved.from) / (step_of_input * unit)), 1.0, 1.0 * most_positions);
  moved.to = value, moved.step = (value - moved.from) / count;
  return options;
}

// Follows an analysis until a position is missing or a joint would pass its limit: which one.
std::optional<std::pair<At, double>> LinkageHand::Implementation::follow(const Analysis& way) {
  const VectorXd before = find_values(q);
  for (const AnalysisStep& step : way.steps) {
    if (step.status == StepStatus::imaginary) break;
    const VectorXd values = find_values(step.q);
    for (At i = 0; i < coordinates.size(); ++i) {
      const auto r = static_cast<Eigen::Index>(i);
      const bool below = values(r) < coordinates[i].lower - at_limit && values(r) < before(r);
      const bool above = values(r) > coordinates[i].upper + at_limit && values(r) > before(r);
      if (below || above) return std::pair{i, below ? coordinates[i].lower : coordinates[i].upper};
    }
    q = step.q;
  }
  return std::nullopt;
}

DragVerdict LinkageHand::Implementation::set_input(int k, double value) {
  using Status = DragVerdict::Status;
  Limited wanted{inputs[static_cast<At>(k)].joint, inputs[static_cast<At>(k)].dof};
  const JointInfo& joint = mech.joints[static_cast<At>(wanted.joint)];
  wanted.dimension = freedoms(joint.type)[static_cast<At>(wanted.dof)].dimension;
  wanted.lower = of(joint.properties.lower, wanted.dof, -infinity);
  wanted.upper = of(joint.properties.upper, wanted.dof, infinity);
  const double allowed = std::clamp(value, wanted.lower, wanted.upper);
  const DragVerdict at_end = allowed == value ? DragVerdict{} : at_limit_of(wanted, allowed, std::abs(value - allowed));
  if (mech.is_tree()) {
    q[static_cast<At>(joint.q + wanted.dof)] = allowed;
    return at_end;
  }
  if (allowed == value_of(wanted, q)) return at_end;
  const Analysis way = analyze(mech, way_to(k, allowed, wanted.dimension == dimension::angle ? 1 : length));
  const auto left = [&] { return std::abs(value - value_of(wanted, q)); };
  if (way.status == Analysis::Status::under_driven) {
    return {Status::locked, left(), "the inputs leave another motion free: drag a point instead"};
  }
  if (way.status != Analysis::Status::ok || way.steps.empty()) {
    return {Status::locked, left(), fmt::format("'{}' cannot be turned here", name_of(mech, wanted))};
  }
  if (const auto limit = follow(way)) return at_limit_of(coordinates[limit->first], limit->second, left());
  for (const DeadPoint& dead : way.dead_points) {
    if (!dead.is_limit) continue;
    if (!dead.at_infinity) q = dead.q;
    return {Status::dead_point, std::abs(value - dead.value),
            fmt::format("dead point: '{}' cannot go beyond {}", name_of(mech, wanted),
                        value_text(mech, dead.value, wanted.dimension))};
  }
  if (!way.imaginary.empty()) {
    return {Status::dead_point, left(),
            fmt::format("'{}' cannot go beyond {}: the links do not reach", name_of(mech, wanted),
                        value_text(mech, value_of(wanted, q), wanted.dimension))};
  }
  return at_end;
}

// --- the public face ----------------------------------------------------------------------------------------------------------

LinkageHand::LinkageHand(const Mechanism& mechanism, std::vector<Driver> inputs, std::span<const double> q)
    : implementation_(std::make_unique<Implementation>(mechanism, std::move(inputs), q)) {}
LinkageHand::~LinkageHand() = default;
LinkageHand::LinkageHand(LinkageHand&&) noexcept = default;
LinkageHand& LinkageHand::operator=(LinkageHand&&) noexcept = default;

const Mechanism& LinkageHand::mechanism() const { return implementation_->mech; }
const std::vector<Driver>& LinkageHand::inputs() const { return implementation_->inputs; }
const AssemblyReport& LinkageHand::assembly() const { return implementation_->report; }
const std::vector<double>& LinkageHand::q() const { return implementation_->q; }
double LinkageHand::input(int k) const {
  const Driver& driver = implementation_->inputs.at(static_cast<At>(k));
  return implementation_->value_of({driver.joint, driver.dof}, implementation_->q);
}

DragVerdict LinkageHand::drag(int body, const Vec3d& p_B, const Vec3d& target_W) {
  return implementation_->drag(body, p_B, target_W);
}
DragVerdict LinkageHand::set_input(int k, double value) {
  implementation_->inputs.at(static_cast<At>(k));
  return implementation_->set_input(k, value);
}
void LinkageHand::restart() {
  implementation_->q = implementation_->start;
  implementation_->loops.reset_turns();
  implementation_->measure.reset_turns();
}

}  // namespace trammel
