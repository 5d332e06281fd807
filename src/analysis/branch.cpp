// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// From input values u₀ to u₁ on the way u(s) = u₀ + s (u₁ − u₀): predict by q' and q'', correct by Newton's method, and take
// shorter steps where the correction is not small beside the step, or where the determinant has changed its sign: then Newton's
// method has run to another branch.
//
// Where no step succeeds, s itself becomes an unknown: Φ(q, s) = 0 has one row less than unknowns, a curve with tangent t,
//   [Φ_q  Φ_s] t = 0                                                                                               (1)
// that is followed by its arc length [Keller 1977; Allgower & Georg, ch. 6]. A limit of the input is where t_s changes its sign;
// there s is stationary, so that its value is exact to round-off. Where the determinant of Φ_q changes its sign and t_s does not, another
// branch crosses ours (a change point: the parallelogram in line), and ours is followed straight on.
//
// Some branches do not turn but leave towards infinity, as the slides of an RCCC do where its angles meet their limit. With y the coordinate
// that leaves, s is a power series in 1/y, whose value at 1/y = 0 is found from places far out.

#include "analysis/branch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

constexpr double smallest_step = 1e-6;       // rad, or characteristic lengths: shorter steps of the inputs do not help
constexpr double allowed_correction = 0.15;  // of the predicted step
constexpr double near_singular = 1e-6;       // of the largest singular value
constexpr double same_place = 1e-10;         // of a way: an end that near is met
constexpr double far_out = 300;              // characteristic lengths: a coordinate that is still running there leaves

}  // namespace

Slides::Slides(const Mechanism& mechanism)
    : is_one(static_cast<std::size_t>(mechanism.nq), 0),
      is_length(is_one),
      of_freedom(static_cast<std::size_t>(mechanism.nv), -1) {
  for (const Link& link : mechanism.links) {
    const std::vector<Freedom> list = freedoms(link.type);
    for (int i = 4; link.nq != link.nv && i < link.nq; ++i) is_length[static_cast<std::size_t>(link.q + i)] = 1;
    for (int i = 0; link.nq == link.nv && i < link.nv; ++i) {
      if (list[static_cast<std::size_t>(i)].dimension != dimension::length) continue;
      is_one[static_cast<std::size_t>(link.q + i)] = is_length[static_cast<std::size_t>(link.q + i)] = 1;
      of_freedom[static_cast<std::size_t>(link.v + i)] = link.q + i;
    }
  }
}
double Slides::farthest(std::span<const double> q) const {
  double farthest = 0;
  for (std::size_t i = 0; i < q.size(); ++i) farthest = std::max(farthest, is_one[i] != 0 ? std::abs(q[i]) : 0);
  return farthest;
}

BranchFollower::BranchFollower(LoopSolver& solver, ClosedForm* form)
    : solver_(solver), form_(form != nullptr && form->exists() ? form : nullptr), slides_(solver.mechanism()) {
  const auto nv = static_cast<std::size_t>(solver.mechanism().nv);
  rate_.resize(nv), second_.resize(nv), step_.resize(nv);
  q_new_.resize(static_cast<std::size_t>(solver.mechanism().nq));
  predicted_.resize(q_new_.size());
  targets_.resize(solver.drivers().size());
}

void BranchFollower::start(std::span<const double> q, std::span<const double> inputs) {
  q_.assign(q.begin(), q.end());
  u_.assign(inputs.begin(), inputs.end());
  q_regular_ = q_;
  u_regular_ = u_;
  orientation_ = solver_.orientation(q_);
}

// Fills rate_ and second_: q' and q'' along the way.
bool BranchFollower::predict(std::span<const double> q, std::span<const double> way) {
  for (std::size_t d = 0; d < targets_.size(); ++d) targets_[d] = {0, way[d], 0, 0};
  const bool regular = solver_.velocities(q, targets_, rate_);
  return solver_.accelerations(q, rate_, targets_, second_) && regular;
}

bool BranchFollower::close(std::vector<double>& q) {
  if (form_ == nullptr) return solver_.follow(q, targets_);
  target_values_.clear();
  for (const Target& target : targets_) target_values_.push_back(target.value);
  if (!form_->follow(q, target_values_)) return false;
  // A quartic may leave it with fewer digits than Newton's method has.
  LoopSolver::Implementation& I = solver_.implementation();
  I.evaluate(q, targets_, false);
  if (I.is_closed(1e-13)) return true;
  polished_ = q;
  if (solver_.follow(polished_, targets_)) {
    double apart = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      apart = std::max(apart, std::abs(q[i] - polished_[i]) / (slides_.is_length[i] != 0 ? I.length : 1));
    }
    if (apart < 1e-6) q = polished_;
  }
  return true;
}

// A slide that is far out may go by a share of its way at a time: the linkage about it hardly changes.
double BranchFollower::reach(int slide, std::span<const double> q) const {
  return slide < 0
             ? 1
             : std::max(1.0, 0.1 * std::abs(q[static_cast<std::size_t>(slide)]) / solver_.implementation().length);
}

bool BranchFollower::is_far_out(std::span<const double> q) const {
  return slides_.farthest(q) > 0.3 * far_out * solver_.implementation().length;
}

bool BranchFollower::try_step(std::span<const double> from_q, std::span<const double> from_u,
                              std::span<const double> way, double share) {
  ++steps_tried_;
  double longest = 0;
  const LoopSolver::Implementation& I = solver_.implementation();
  for (std::size_t i = 0; i < step_.size(); ++i) {
    step_[i] = share * (rate_[i] + 0.5 * share * second_[i]);
    longest = std::max(longest, std::abs(step_[i]) / I.column_scale(static_cast<Eigen::Index>(i)) /
                                    reach(slides_.of_freedom[i], from_q));
  }
  if (longest > 0.8 * I.length) return false;
  step_coordinates(solver_.mechanism(), from_q, step_, q_new_);
  predicted_ = q_new_;
  for (std::size_t d = 0; d < targets_.size(); ++d) targets_[d].value = from_u[d] + share * way[d];
  if (!close(q_new_)) return false;
  double correction = 0;
  for (std::size_t i = 0; i < q_new_.size(); ++i) {
    const int slide = slides_.is_one[i] != 0 ? static_cast<int>(i) : -1;
    const double unit = (slides_.is_length[i] != 0 ? I.length : 1) * reach(slide, from_q);
    correction = std::max(correction, std::abs(q_new_[i] - predicted_[i]) / unit);
  }
  if (correction > allowed_correction * longest / I.length + 1e-7 && correction > 1e-6) return false;
  if (orientation_ == 0) return true;
  const int side = solver_.orientation(q_new_);
  lands_on_singular_ = side == 0;
  return side == orientation_;
}

BranchFollower::Outcome BranchFollower::go_to(std::span<const double> inputs) {
  std::vector<double>&way = way_, &from_q = from_q_, &from_u = from_u_, &whole = whole_;  // kept: no allocation
  way.resize(inputs.size());
  bool moves = false;
  for (std::size_t d = 0; d < way.size(); ++d) {
    way[d] = inputs[d] - u_[d];
    moves = moves || std::abs(way[d]) > 4 * std::numeric_limits<double>::epsilon() * std::abs(inputs[d]);
  }
  if (!moves) return {.arrived = true, .singular = q_ != q_regular_};

  // From the last regular position: the present one may have no tangent.
  from_q = q_regular_;
  from_u = u_regular_;
  whole.resize(inputs.size());
  double done = 0, share = 1;
  for (std::size_t d = 0; d < whole.size(); ++d) whole[d] = inputs[d] - from_u[d];
  double way_size = 0;
  const LoopSolver::Implementation& I = solver_.implementation();
  const int driven = I.rows.driver_rows();
  for (int d = 0; d < driven; ++d)
    way_size = std::max(way_size, std::abs(whole[d]) * I.row_scale(I.m - driven + d) / I.length);
  const double smallest_share = std::min(smallest_step, smallest_step / way_size);
  bool can_predict = predict(from_q, whole);
  // Where no slide is far out yet: an end at infinity is found from there.
  std::vector<double>&near_q = near_q_, &near_u = near_u_;
  near_q = from_q, near_u = from_u;
  double near_done = 0;
  while (can_predict && done < 1) {
    share = std::min(share, 1 - done);
    lands_on_singular_ = false;
    if (try_step(from_q, from_u, whole, share)) {
      done = share >= 1 - done ? 1 : done + share;
      from_q = q_new_;
      for (std::size_t d = 0; d < whole.size(); ++d) from_u[d] = u_regular_[d] + done * whole[d];
      share *= 2;
      if (!is_far_out(from_q)) near_q = from_q, near_u = from_u, near_done = done;
      if (done < 1) can_predict = predict(from_q, whole);
    } else if (lands_on_singular_ && share >= 1 - done) {  // the goal itself, closed: predictions go on from before it
      q_ = q_new_;
      u_.assign(inputs.begin(), inputs.end());
      q_regular_ = from_q;
      u_regular_ = from_u;
      return {.arrived = true, .singular = true};
    } else {
      share *= 0.5;
      if (share < smallest_share) break;
    }
  }
  if (done >= 1) {
    q_ = q_regular_ = from_q;
    u_.assign(inputs.begin(), inputs.end());
    u_regular_ = u_;
    if (orientation_ == 0) orientation_ = solver_.orientation(q_);
    return {.arrived = true};
  }

  if (is_far_out(from_q)) from_q = near_q, from_u = near_u, done = near_done;
  // Perhaps the very end of the way is the singular position: close it from the prediction.
  const std::vector<double> q_before = q_regular_, u_before = u_regular_;
  q_ = q_regular_ = from_q;
  u_ = u_regular_ = from_u;
  for (std::size_t d = 0; d < way.size(); ++d) way[d] = inputs[d] - u_[d];
  bool arrived = false;
  Outcome outcome;
  outcome.end = find_end(way, same_place / (1 - done), arrived, outcome.crossings);
  if (!arrived) return outcome;
  outcome.arrived = true;
  outcome.end.reset();
  if (q_ == q_regular_) return outcome;
  outcome.singular = true;
  q_regular_ = q_before;  // well away from where the motion is not determined
  u_regular_ = u_before;
  return outcome;
}

std::optional<BranchFollower::End> BranchFollower::find_end(std::span<const double> way, double tolerance,
                                                            bool& arrived, std::vector<End>& crossings) {
  LoopSolver::Implementation& I = solver_.implementation();
  const int n = I.n, m = I.m, driven = I.rows.driver_rows();
  Eigen::MatrixXd E(m, n + 1);
  // The way is brought to the size of the mechanism, so that s is a length like the others.
  double way_size = 0;
  for (int d = 0; d < driven; ++d) way_size = std::max(way_size, std::abs(way[d]) * I.row_scale(m - driven + d));
  const double s_scale = 1 / way_size;  // s = s_scale · (scaled s)
  std::vector<Target> targets(way.size());
  const auto evaluate = [&](std::span<const double> q, double s) {
    for (std::size_t d = 0; d < way.size(); ++d) targets[d].value = u_[d] + s * way[d];
    I.evaluate(q, targets, true);
    E.leftCols(n) = I.scaled_jacobian();
    E.col(n).setZero();
    for (int d = 0; d < driven; ++d) E(m - driven + d, n) = -way[d] * I.row_scale(m - driven + d) * s_scale;
  };
  const auto tangent_at = [&](const Eigen::VectorXd& like) -> Eigen::VectorXd {
    const dense::Svd svd = dense::svd(E);
    // Of what E leaves free, the direction most like the one before (idle freedoms are free too).
    const Eigen::VectorXd& sigma = svd.s;
    Eigen::Index rank = 0;
    for (Eigen::Index k = 0; k < sigma.size(); ++k) rank += sigma(k) > 1e-7 * sigma(0) ? 1 : 0;
    rank = std::min<Eigen::Index>(rank, n);
    const Eigen::MatrixXd free = svd.V.rightCols(n + 1 - rank);
    Eigen::VectorXd t = free * (free.transpose() * like);
    if (t.norm() < 1e-6) t = free.col(free.cols() - 1);
    t.normalize();
    return t.dot(like) < 0 ? Eigen::VectorXd(-t) : t;
  };
  struct Place {
    std::vector<double> q;
    double s = 0;
    Eigen::VectorXd t;
    double determinant = 0;
  };
  // From a place along its tangent by an arc length, and back onto the curve square to the tangent.
  const auto walk = [&](const Place& from, double arc, Place& to) {
    to.q = from.q;
    Eigen::VectorXd d = arc * from.t;
    to.s = from.s;
    Eigen::MatrixXd bordered(m + 1, n + 1);
    Eigen::VectorXd right(m + 1);
    for (int iteration = 0; iteration < 30; ++iteration) {
      const Eigen::VectorXd step = I.column_scale.cwiseProduct(d.head(n));
      std::vector<double> moved(to.q.size());
      step_coordinates(I.mech, to.q, {step.data(), static_cast<std::size_t>(n)}, moved);
      to.q = moved;
      to.s += d(n) * s_scale;
      evaluate(to.q, to.s);
      const double size = I.scaled_norm(I.phi);
      const bool small = d.norm() < 1e-13 * I.length || size < 1e-15 * I.length;
      if (iteration > 0 && size < 1e-11 * I.length && (small || iteration > 12)) {
        to.t = tangent_at(from.t);
        to.determinant = I.determinant();
        return true;
      }
      bordered.topRows(m) = E;
      bordered.bottomRows(1) = from.t.transpose();
      right.head(m) = -I.row_scale.cwiseProduct(I.phi);
      right(m) = 0;
      d = dense::least_norm(bordered, right, 1e-11).x;
      if (!(d.norm() < 0.5 * I.length)) return false;
    }
    return false;
  };

  // Before the place `to`, within about an arc, the determinant changes its sign: another branch crosses. At the crossing itself the curve
  // has no tangent, so it is not met but found from four places round it, walked to backwards from `to`: s as the cubic function
  // of the determinant that they give, at zero.
  const auto cross = [&](const Place& to, double arc) -> std::optional<End> {
    Place one, two;
    double back = arc, aside = arc;
    for (int i = 0; i < 4; ++i, aside = std::max(aside / 4, 1e-3 * I.length)) {
      if (!walk(to, -(back + aside), one) || !walk(to, -(back - aside), two)) return std::nullopt;
      if (one.determinant * two.determinant > 0) return std::nullopt;
      back += aside - 2 * aside * one.determinant / (one.determinant - two.determinant);
    }
    constexpr int count = 4;
    Place at[count];
    const double offsets[count] = {2, 1, -1, -2};
    for (int i = 0; i < count; ++i) {
      if (!walk(to, -(back + 1e-3 * I.length * offsets[i]), at[i])) return std::nullopt;
    }
    End end;
    for (int i = 0; i < count; ++i) {
      double weight = 1;
      for (int k = 0; k < count; ++k) {
        if (k != i) weight *= at[k].determinant / (at[k].determinant - at[i].determinant);
      }
      end.share += weight * at[i].s;
    }
    end.q = at[1].q;
    if (!(end.share > at[0].s && end.share < at[3].s)) return std::nullopt;
    for (std::size_t d = 0; d < way.size(); ++d) end.inputs.push_back(u_[d] + end.share * way[d]);
    return end;
  };

  Place here{q_, 0, {}};
  evaluate(here.q, 0);
  here.determinant = I.determinant();
  Eigen::VectorXd forward = Eigen::VectorXd::Zero(n + 1);
  // The tangent has a vanishing s near a limit: take the direction in which we came, from the regular prediction.
  for (int i = 0; i < n; ++i) forward(i) = rate_[i] / I.column_scale(i) / way_size * I.length;
  forward(n) = I.length;
  forward.normalize();
  here.t = tangent_at(forward);
  if (here.t(n) < 0) here.t = -here.t;

  // How far each coordinate has gone, in lengths; those of balls and free joints count turns and stay.
  std::vector<std::pair<int, double>> running;  // index in q, and its scale
  for (const Link& link : I.mech.links) {
    if (link.nq != link.nv) continue;
    for (int i = 0; i < link.nq; ++i) running.emplace_back(link.q + i, I.column_scale(link.v + i) * I.length);
  }
  std::vector<std::pair<double, double>> farther;  // (1/y, s) at places far out
  const auto is_leaving = [&](const Place& at) {
    double most = 0, y = 0;
    for (const auto& [index, scale] : running) {
      const double gone = std::abs(at.q[static_cast<std::size_t>(index)] - q_[static_cast<std::size_t>(index)]) / scale;
      if (gone > most) most = gone, y = at.q[static_cast<std::size_t>(index)] / scale;
    }
    if (most > far_out) farther.emplace_back(1 / y, at.s);
    return most;
  };

  double arc = 0.01 * I.length;
  for (int k = 0; k < 400; ++k) {
    Place next;
    if (!walk(here, arc, next) || next.t.dot(here.t) < 0.9) {
      arc *= 0.5;
      if (arc < 1e-9 * I.length) return std::nullopt;
      continue;
    }
    if (next.t(n) >= 0 && here.determinant * next.determinant < 0) {
      // In an overconstrained linkage the rows in use may become dependent where all rows together are not.
      std::optional<End> crossing = cross(next, arc);
      const bool real = crossing && solver_.conditioning(crossing->q) < 1e-2;
      if (real && crossing->share < 1 - tolerance) crossings.push_back(*std::move(crossing));
    }
    if (next.t(n) < 0) {  // the turn lies between: find t_s = 0 on the arc (Illinois)
      double low = 0, high = arc, f_low = here.t(n), f_high = next.t(n);
      Place turn = next;
      for (int i = 0; i < 100 && high - low > 1e-13 * I.length; ++i) {
        const double middle = i % 3 == 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
        if (!walk(here, middle, turn)) break;
        if (turn.t(n) == 0) break;
        if (turn.t(n) > 0) {
          low = middle, f_low = turn.t(n);
        } else {
          high = middle, f_high = turn.t(n);
        }
      }
      End end;
      end.share = turn.s;
      end.q = turn.q;
      end.q_beyond = next.q;
      for (std::size_t d = 0; d < way.size(); ++d) {
        end.inputs.push_back(u_[d] + turn.s * way[d]);
        end.inputs_beyond.push_back(u_[d] + next.s * way[d]);
      }
      if (end.share > 1 - tolerance) {  // the end lies behind where we want to go, or there
        arrived = true;
        if (end.share < 1 + tolerance) next = turn;
      } else {
        return end;
      }
    }
    if (arrived || next.s >= 1) {  // past the goal without a turn: close at the goal itself
      // Back to it from beyond, where the tangent is certain: close to a crossing the other branch is near.
      Place goal = next;
      for (int stage = 0; stage < 3 && goal.s != 1; ++stage) {
        const double back = (goal.s - 1) / (goal.t(n) * s_scale) * (stage < 2 ? 0.9 : 1);
        Place nearer;
        if (!(std::abs(back) <= 2 * arc) || !walk(goal, -back, nearer)) break;
        goal = nearer;
      }
      std::vector<double> q = goal.q;
      for (std::size_t d = 0; d < way.size(); ++d) targets[d].value = u_[d] + way[d];
      arrived = solver_.assemble(q, targets).closed();
      if (!arrived) return std::nullopt;
      for (std::size_t d = 0; d < way.size(); ++d) targets_[d].value = targets[d].value;
      if (form_ != nullptr) close(q);  // which knows the place of a double root better
      q_ = q;
      for (std::size_t d = 0; d < way.size(); ++d) u_[d] += way[d];
      const int side = solver_.orientation(q_);
      // A regular position again, whichever sign the branch now has; one that is closed on a singular position is so to half
      // the digits only.
      if (side != 0 && solver_.conditioning(q_) > near_singular) {
        orientation_ = side;
        q_regular_ = q_;
        u_regular_ = u_;
      }
      return std::nullopt;
    }
    here = next;
    const double gone = is_leaving(here);
    if (constexpr std::size_t enough = 6; farther.size() == enough) {
      const auto limit_from = [&](std::size_t first, std::size_t count) {
        double limit = 0;
        for (std::size_t i = first; i < first + count; ++i) {
          double weight = 1;
          for (std::size_t j = first; j < first + count; ++j) {
            if (j != i) weight *= farther[j].first / (farther[j].first - farther[i].first);
          }
          limit += weight * farther[i].second;
        }
        return limit;
      };
      const double limit = limit_from(0, enough), in_doubt = std::abs(limit - limit_from(1, enough - 1));
      const bool is_goal = std::abs(limit - 1) <= std::max(tolerance, 1e-10);
      if (in_doubt < 1e-11 && limit > 0 && (limit < 1 || is_goal)) {
        End end;
        end.at_infinity = true;
        end.share = is_goal ? 1 : limit;
        end.q = here.q;
        for (std::size_t d = 0; d < way.size(); ++d) end.inputs.push_back(u_[d] + end.share * way[d]);
        return end;
      }
      farther.erase(farther.begin());  // the series is not yet at its end there: go farther
    }
    arc = std::min(2 * arc, 0.1 * I.length * std::max(1.0, 4 * gone));
  }
  return std::nullopt;
}

}  // namespace trammel
