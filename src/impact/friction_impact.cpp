// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// See friction_impact.hpp for the equations.
//
// A phase with constant direction of friction is exact: with g = W (dp_t/dp_n, 1) constant,
//   u = u₀ + g s,    w = ∫ u_n dp_n = u_n₀ s + ½ g_n s²,     s = p_n − p_n₀                                             (3)
// Planar slip, sticking, and slip in the direction of (2) are of this kind. Slip whose direction turns is integrated in σ, dp_n = |u_t| dσ,
// with u_t = r (cos θ, sin θ) and h(θ) = W_tn − f W_tt d(θ):
//   dr/dσ = r d·h,    dθ/dσ = d⊥·h,    dp_n/dσ = r                                                                      (4)
// which has no singularity at r = 0: r dies out exponentially and p_n comes to an end. θ goes by itself, towards a root of T(θ) = d⊥·h where
//   T' = −d·h − f d⊥·W_tt d⊥ < 0                                                                                       (5)
// and once it is there, slip is straight. Where W is far from round it is there soon, and explicit steps would creep from then on.

#include <algorithm>
#include <cmath>
#include <limits>

#include <trammel/friction_impact.hpp>

namespace trammel {
namespace {

using Vec2 = std::array<double, 2>;
using Vec3n = std::array<double, 3>;

double dot(const Vec2& a, const Vec2& b) { return a[0] * b[0] + a[1] * b[1]; }
Vec2 along(double theta) { return {std::cos(theta), std::sin(theta)}; }

// Slip below this share of the speeds there are counts as none: sums of such numbers are not known better. Likewise a gain of u_n
// below this share of what it was summed from.
constexpr double no_slip = 1e-13, no_gain = 1e-12;
constexpr double no_turn = 1e-13;  // rad: so near, slip has the direction to which it is drawn

class Contact {
 public:
  explicit Contact(const FrictionImpactProblem& problem) : given_(problem), u_(problem.u) {
    speed_ = std::sqrt(u_[0] * u_[0] + u_[1] * u_[1] + u_[2] * u_[2]);
    least_slip_ = no_slip * std::max(speed_, problem.speed);
  }

  FrictionImpact solve() {
    FrictionImpact out;
    out.u = u_;
    if (!(u_[2] < 0)) {
      out.approaches = false;
      return out;
    }
    // Every phase ends with sticking, another direction, or the end of compression or restitution: there are few.
    for (int phase = 0; phase < 64 && !ended_ && !lost_; ++phase) {
      if (compressing_ && -u_[2] <= least_slip_) {
        end_stage();
      } else if (compresses_again(u_[2])) {
        compressing_ = true;
        p_stage_ = p_[2], work_stage_ = work_n_;
      } else {
        next_phase(out);
      }
    }
    out.finished = ended_;
    out.p = p_;
    out.u = u_;
    out.p_compression = p_compression_;
    out.work_normal = work_n_;
    out.work_tangential = work_t_;
    return out;
  }

 private:
  double W(int i, int k) const { return given_.W[static_cast<std::size_t>(3 * i + k)]; }
  Vec2 W_tn() const { return {W(0, 2), W(1, 2)}; }
  Vec2 W_tt_times(const Vec2& d) const { return {W(0, 0) * d[0] + W(0, 1) * d[1], W(1, 0) * d[0] + W(1, 1) * d[1]}; }
  // Of u_t per p_n, while slipping along d.
  Vec2 h(const Vec2& d) const {
    const Vec2 held = W_tt_times(d), free = W_tn();
    return {free[0] - given_.friction * held[0], free[1] - given_.friction * held[1]};
  }
  // Of u_n per p_n. None where bodies that joints hold together jam: the impulse goes round through the joints and moves nothing.
  double normal_gain(const Vec2& slope) const {
    const double a = W(2, 0) * slope[0], b = W(2, 1) * slope[1], gain = a + b + W(2, 2);
    return std::abs(gain) > no_gain * (std::abs(a) + std::abs(b) + W(2, 2)) ? gain : 0;
  }
  double slip_speed() const { return std::hypot(u_[0], u_[1]); }

  // dp_t/dp_n that lets u_t stay as it is. Along a tangent in which the bodies cannot move, nothing is needed.
  Vec2 sticking_slope() const {
    const double determinant = W(0, 0) * W(1, 1) - W(0, 1) * W(1, 0), sum = W(0, 0) + W(1, 1);
    if (determinant > 1e-13 * sum * sum) {
      return {-(W(1, 1) * W(0, 2) - W(0, 1) * W(1, 2)) / determinant,
              -(W(0, 0) * W(1, 2) - W(1, 0) * W(0, 2)) / determinant};
    }
    if (!(sum > 0)) return {0, 0};
    return {-W(0, 2) / sum, -W(1, 2) / sum};  // W_tt = sum · d dᵀ and W_tn along d
  }
  // How far d is from a direction to which it is drawn, by one step of Newton's method on (5).
  double turn_to_go(const Vec2& d) const {
    const Vec2 gain = h(d), across{-d[1], d[0]};
    const double slope = -dot(d, gain) - given_.friction * dot(across, W_tt_times(across));
    return slope < 0 ? -dot(across, gain) / slope : std::numeric_limits<double>::infinity();
  }
  bool is_straight(const Vec2& d) const {
    const Vec2 gain = h(d);
    return std::abs(d[0] * gain[1] - d[1] * gain[0]) <= 1e-14 * std::hypot(gain[0], gain[1]) ||
           std::abs(turn_to_go(d)) <= 2 * no_turn;
  }

  void next_phase(FrictionImpact& out) {
    using Kind = FrictionImpact::Phase::Kind;
    const bool compression = compressing_;
    Vec2 d{};
    Kind kind = Kind::slip;
    if (given_.friction == 0) {
      constant_phase({0, 0}, false);
      kind = slip_speed() > 0 ? Kind::slip : Kind::stick;
    } else if (slip_speed() > least_slip_) {
      const double r = slip_speed();
      d = {u_[0] / r, u_[1] / r};
      if (is_straight(d)) {
        constant_phase({-given_.friction * d[0], -given_.friction * d[1]}, dot(h(d), d) < 0, &d);
      } else {
        turning_phase(r, std::atan2(u_[1], u_[0]));
      }
    } else {
      u_[0] = u_[1] = 0;
      const Vec2 slope = sticking_slope();
      if (std::hypot(slope[0], slope[1]) <= given_.friction) {
        kind = Kind::stick;
        // An impulse that moves nothing, neither along the tangents nor along the normal, does no work: u·dp = u_n dp_n is zero for bodies
        // that obey their joints, and what is left of u_n is round-off. They jam at rest, and nothing is given back.
        if (normal_gain(slope) == 0) {
          ended_ = true;
        } else {
          constant_phase(slope, false);
        }
      } else {
        d = direction_that_keeps_itself();
        constant_phase({-given_.friction * d[0], -given_.friction * d[1]}, false, &d);
      }
    }
    out.phases.push_back({kind, compression, p_[2], d});
  }

  // (2): the root of d⊥·h(d) with d·h(d) > 0. There is exactly one where friction cannot hold.                          [Batlle 1993]
  Vec2 direction_that_keeps_itself() const {
    const auto turning = [&](double theta) {
      const Vec2 d = along(theta), gain = h(d);
      return d[0] * gain[1] - d[1] * gain[0];
    };
    constexpr int pieces = 720;
    constexpr double step = 2 * 3.14159265358979323846 / pieces;
    double best = 0, best_gain = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < pieces; ++i) {
      double low = i * step, high = low + step;
      double at_low = turning(low);
      if (at_low * turning(high) > 0) continue;
      for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (low + high), value = turning(middle);
        if (at_low * value > 0) {
          low = middle, at_low = value;
        } else {
          high = middle;
        }
      }
      const double gain = dot(along(low), h(along(low)));
      if (gain > best_gain) best = low, best_gain = gain;
    }
    return along(best);
  }

  // What is left until compression or restitution ends, at u_n and work done over a further s; negative: over.
  double end_of_stage(double p_n, double u_n, double work) const {
    if (compressing_) return -u_n;
    switch (given_.law) {
      case ImpactLaw::newton:
        return -given_.restitution * given_.u[2] - u_n;
      case ImpactLaw::poisson:
        return (1 + given_.restitution) * p_compression_ - p_n;
      case ImpactLaw::stronge:
        break;
    }
    return given_.restitution * given_.restitution * -work_compression_ - (work - work_compression_);
  }
  // Friction of a slip can press the bodies together (normal_gain < 0), even while they part: u_n falls below zero again. What the further
  // compression takes, impulse and work, counts with what the first took: the share e of the one (Poisson) or e² of the other (Stronge) is
  // given back of both. Of the first alone, Poisson's law could end before the bodies part, and Stronge's would give the second back whole.
  bool compresses_again(double u_n) const { return !compressing_ && u_n <= -2 * least_slip_; }
  void end_stage() {
    if (compressing_) {
      u_[2] = 0;
      compressing_ = false;
      p_compression_ += p_[2] - p_stage_;
      work_compression_ += work_n_ - work_stage_;
      if (given_.restitution == 0) ended_ = true;
    } else {
      ended_ = true;
    }
  }

  // (3) up to the end of the stage, or to the end of slip where that is sooner. Slip `along` a direction stays in it: across it W is but
  // round-off, which where W is far from round is large beside what is left along it.
  void constant_phase(const Vec2& slope, bool slip_ends, const Vec2* along = nullptr) {
    const Vec2 held = W_tt_times(slope);
    Vec2 gain_t{W(0, 2) + held[0], W(1, 2) + held[1]};
    if (along != nullptr) {
      const double gain = dot(gain_t, *along);
      gain_t = {(*along)[0] * gain, (*along)[1] * gain};
    }
    const double gain_n = normal_gain(slope);
    const double until_stick =
        slip_ends ? slip_speed() / std::hypot(gain_t[0], gain_t[1]) : std::numeric_limits<double>::infinity();
    const double until_end = length_of_stage(gain_n);
    const double until_compression =
        gain_n < 0 && !compressing_ ? (u_[2] + 3 * least_slip_) / -gain_n : std::numeric_limits<double>::infinity();
    const double s = std::min({until_stick, until_end, until_compression});
    if (std::isinf(s)) {  // jammed, at rest: nothing is given back
      ended_ = true;
      return;
    }
    const double u_t_along = slope[0] * u_[0] + slope[1] * u_[1], rate = slope[0] * gain_t[0] + slope[1] * gain_t[1];
    work_t_ += u_t_along * s + 0.5 * rate * s * s;
    work_n_ += u_[2] * s + 0.5 * gain_n * s * s;
    p_ = {p_[0] + slope[0] * s, p_[1] + slope[1] * s, p_[2] + s};
    u_ = {u_[0] + gain_t[0] * s, u_[1] + gain_t[1] * s, u_[2] + gain_n * s};
    if (until_stick <= s) u_[0] = u_[1] = 0;
    if (until_end <= s) end_stage();
  }
  double length_of_stage(double gain_n) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    if (compressing_) return gain_n > 0 ? -u_[2] / gain_n : never;
    switch (given_.law) {
      case ImpactLaw::newton:
        return gain_n > 0 ? (-given_.restitution * given_.u[2] - u_[2]) / gain_n : never;
      case ImpactLaw::poisson:
        return (1 + given_.restitution) * p_compression_ - p_[2];
      case ImpactLaw::stronge:
        break;
    }
    // u_n s + ½ g s² = what is left to give back
    const double left = end_of_stage(p_[2], u_[2], work_n_);
    const double root = u_[2] * u_[2] + 2 * gain_n * left;
    if (root < 0) return never;
    const double denominator = u_[2] + std::sqrt(root);
    return denominator > 0 ? 2 * left / denominator : never;
  }

  // (4), by Runge and Kutta's steps of order 4 with an error estimate by halving, until an end.
  struct Turning {
    double log_r = 0, theta = 0, p_n = 0, p1 = 0, p2 = 0, work_n = 0, work_t = 0;
  };
  Turning rates(const Turning& at) const {
    const Vec2 d = along(at.theta), gain = h(d);
    const double r = std::exp(at.log_r), f = given_.friction;
    return {dot(d, gain), d[0] * gain[1] - d[1] * gain[0], r, -f * d[0] * r, -f * d[1] * r, u_n_at(at) * r, -f * r * r};
  }
  double u_n_at(const Turning& at) const {
    return u_[2] + W(2, 0) * at.p1 + W(2, 1) * at.p2 + W(2, 2) * at.p_n;  // since the phase began
  }
  static Turning moved(const Turning& a, const Turning& rate, double s) {
    return {a.log_r + rate.log_r * s, a.theta + rate.theta * s,   a.p_n + rate.p_n * s,      a.p1 + rate.p1 * s,
            a.p2 + rate.p2 * s,       a.work_n + rate.work_n * s, a.work_t + rate.work_t * s};
  }
  Turning step(const Turning& a, double s) const {
    const Turning k1 = rates(a), k2 = rates(moved(a, k1, s / 2)), k3 = rates(moved(a, k2, s / 2)),
                  k4 = rates(moved(a, k3, s));
    Turning out = moved(a, k1, s / 6);
    out = moved(out, k2, s / 3);
    out = moved(out, k3, s / 3);
    return moved(out, k4, s / 6);
  }
  // Two half steps, extrapolated: order 5.
  Turning fine_step(const Turning& a, double s, double& error) const {
    const Turning one = step(a, s), two = step(step(a, s / 2), s / 2);
    error = std::max({std::abs(two.theta - one.theta), std::abs(two.log_r - one.log_r),
                      std::abs(two.p_n - one.p_n) * stiffness() / speed_});
    const auto better = [](double x1, double x2) { return x2 + (x2 - x1) / 15; };
    return {better(one.log_r, two.log_r),  better(one.theta, two.theta), better(one.p_n, two.p_n),
            better(one.p1, two.p1),        better(one.p2, two.p2),       better(one.work_n, two.work_n),
            better(one.work_t, two.work_t)};
  }
  double stiffness() const { return W(0, 0) + W(1, 1) + W(2, 2); }

  void turning_phase(double r, double theta) {
    constexpr double tolerance = 1e-12;
    Turning at{std::log(r), theta};
    const double log_least = std::log(least_slip_);
    double s = 0.01 / (stiffness() * (1 + given_.friction));
    const double least_step = 1e-6 * s;  // below it, errors are round-off
    bool over = false, stuck = false, settled = false;
    for (int count = 0; count < 100'000 && !over && !stuck && !settled; ++count) {
      double error = 0;
      Turning next = fine_step(at, s, error);
      if (error > tolerance && s > least_step) {
        s *= std::max(0.2, 0.9 * std::pow(tolerance / error, 0.2));
        continue;
      }
      const auto is_over = [&](const Turning& x) {
        const double u_n = u_n_at(x);
        return compresses_again(u_n) || end_of_stage(p_[2] + x.p_n, u_n, work_n_ + x.work_n) <= 0;
      };
      if (is_over(next)) {  // the end lies in this step: halve down to it
        double low = 0, high = s;
        for (int halving = 0; halving < 80 && high - low > 1e-17 * s; ++halving) {
          const double middle = 0.5 * (low + high);
          double ignored = 0;
          if (is_over(fine_step(at, middle, ignored))) {
            high = middle;
          } else {
            low = middle;
          }
        }
        double ignored = 0;
        next = fine_step(at, high, ignored);
        over = true;
      } else if (next.log_r < log_least) {
        stuck = true;
      }
      at = next;
      const double left = turn_to_go(along(at.theta));
      if (!over && !stuck && std::abs(left) <= no_turn) {
        at.theta += left;
        settled = true;
      }
      s *= std::min(4.0, 0.9 * std::pow(tolerance / std::max(error, 1e-30), 0.2));
    }
    lost_ = !over && !stuck && !settled;
    const double r_end = stuck ? 0 : std::exp(at.log_r);
    const double u_n = u_n_at(at);
    p_ = {p_[0] + at.p1, p_[1] + at.p2, p_[2] + at.p_n};
    u_ = {r_end * std::cos(at.theta), r_end * std::sin(at.theta), u_n};
    work_n_ += at.work_n;
    work_t_ += at.work_t;
    if (over && !compresses_again(u_n)) end_stage();
  }

  const FrictionImpactProblem& given_;
  Vec3n u_, p_{};
  double speed_ = 0, least_slip_ = 0, work_n_ = 0, work_t_ = 0;
  double p_compression_ = 0, work_compression_ = 0;  // of compressions that are over
  double p_stage_ = 0, work_stage_ = 0;              // where this compression began
  bool compressing_ = true, ended_ = false, lost_ = false;
};

}  // namespace

std::string_view keyword(ImpactLaw law) {
  switch (law) {
    case ImpactLaw::stronge:
      return "stronge";
    case ImpactLaw::poisson:
      return "poisson";
    case ImpactLaw::newton:
      return "newton";
  }
  return "";
}

std::optional<ImpactLaw> impact_law_by_keyword(std::string_view word) {
  for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::poisson, ImpactLaw::newton}) {
    if (keyword(law) == word) return law;
  }
  return std::nullopt;
}

FrictionImpact solve_friction_impact(const FrictionImpactProblem& problem) { return Contact(problem).solve(); }

}  // namespace trammel
