// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Assembly modes by search: from many starts spread over all coordinates the linkage is assembled by damped steps, and what closes is
// compared with what is known. Two assemblies are the same where all joints are at the same places and all links lie alike, but for
// links with an idle spin (a rod between two balls). Positions from which the linkage moves on while the inputs stand still belong to a
// continuum: one of them stands for all.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <trammel/closed_form.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/modes.hpp>

#include "analysis/branch.hpp"
#include "core/dense.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

using std::numbers::pi;

constexpr double same = 1e-6;  // of the characteristic length, and of axes: assemblies nearer than that are one

// Numbers that fill the unit cube evenly: Halton's sequence, one prime for each coordinate, shifted by the golden ratio where primes are
// so large that neighbours look alike.
class Spread {
 public:
  explicit Spread(int dimensions) {
    for (int candidate = 2; static_cast<int>(primes_.size()) < dimensions; ++candidate) {
      bool prime = true;
      for (const int p : primes_) prime = prime && candidate % p != 0;
      if (prime) primes_.push_back(candidate);
    }
  }
  double at(int start, int dimension) const {
    const int base = primes_[static_cast<std::size_t>(dimension)];
    double x = 0, digit = 1.0 / base;
    for (int k = start + 20; k > 0; k /= base, digit /= base) x += digit * (k % base);
    x += dimension * (start + 1) * (std::numbers::phi - 1);
    return x - std::floor(x);
  }

 private:
  std::vector<int> primes_;
};

class Search {
 public:
  Search(const Mechanism& mech, const std::vector<Driver>& drivers, const std::vector<double>& inputs,
         const ModesOptions& options)
      : mech_(mech), drivers_(drivers), inputs_(inputs), options_(options), solver_(mech, drivers), ws_(mech) {
    for (const double value : inputs) targets_.push_back({value, 0, 0, 0});
    idle_.assign(mech.links.size(), 0);
  }

  Modes run() {
    find_drawn();
    if (!enumerate()) search();
    finish();
    return std::move(result_);
  }

 private:
  struct Found {
    std::vector<double> q;
    std::vector<double> signature;
    bool drawn = false, singular = false, continuum = false;
  };

  const Mechanism& mech_;
  const std::vector<Driver>& drivers_;
  const std::vector<double>& inputs_;
  const ModesOptions& options_;
  LoopSolver solver_;
  Workspace ws_;
  std::vector<Target> targets_;
  std::vector<char> idle_;                     // links whose spin does not matter
  std::vector<std::pair<int, Vec3d>> steady_;  // bodies and points of such links that do not spin
  std::vector<double> as_drawn_;               // closed, at the inputs of the drawing; empty: it does not close
  std::vector<Found> found_;
  Modes result_;

  // Places of joints that an idle link keeps where they are as it spins: on its axis.
  void find_steady_points(const std::vector<double>& q, const FreeMotion& motion) {
    std::vector<double> v(static_cast<std::size_t>(mech_.nv), 0.0);
    for (const FreeMotion::Share& share : motion.shares) v[static_cast<std::size_t>(share.freedom)] = share.share;
    compute_velocities(mech_, ws_, q, v);
    const auto is_steady = [&](int body, const Vec3d& p_B) {
      return body != ground && mech_.bodies[body].link == motion.idle_link &&
             norm(velocity_W(mech_, ws_, body, p_B).v) < 1e-9 * solver_.characteristic_length();
    };
    for (const JointInfo& joint : mech_.joints) {
      if (is_steady(joint.first, joint.X_AF.p)) steady_.emplace_back(joint.first, joint.X_AF.p);
      if (is_steady(joint.second, joint.X_BM.p)) steady_.emplace_back(joint.second, joint.X_BM.p);
    }
  }

  // What a position looks like, whatever the coordinates that lead to it.
  std::vector<double> signature(std::span<const double> q) {
    compute_positions(mech_, ws_, q);
    std::vector<double> list;
    const double scale = 1 / solver_.characteristic_length();
    const auto add = [&](const Vec3d& v) { list.insert(list.end(), {v.x, v.y, v.z}); };
    const auto counts = [&](int body) {
      return body != ground && mech_.bodies[body].link >= 0 &&
             !idle_[static_cast<std::size_t>(mech_.bodies[body].link)];
    };
    for (const JointInfo& joint : mech_.joints) {
      if (counts(joint.first)) add(pose_WB(mech_, ws_, joint.first) * joint.X_AF.p * scale);
      if (counts(joint.second)) add(pose_WB(mech_, ws_, joint.second) * joint.X_BM.p * scale);
    }
    for (const auto& [body, p_B] : steady_) add(pose_WB(mech_, ws_, body) * p_B * scale);
    for (int l = 0; l < mech_.link_count(); ++l) {
      if (idle_[static_cast<std::size_t>(l)]) continue;
      const Mat3d R = pose_WB(mech_, ws_, mech_.links[l].body).R;
      add(R.ex), add(R.ey);
    }
    return list;
  }

  // A new one is kept. The first shows whether the inputs leave something free.
  bool keep(const std::vector<double>& q, bool drawn, bool singular) {
    if (found_.empty()) judge(q);
    std::vector<double> looks = signature(q);
    // Far out, places are known to fewer digits: their round-off grows with the lever, and so does what a turn makes of it.
    double reach = 1;
    for (const double x : looks) reach = std::max(reach, std::abs(x));
    for (const Found& known : found_) {
      double apart = 0;
      for (std::size_t k = 0; k < looks.size(); ++k) apart = std::max(apart, std::abs(looks[k] - known.signature[k]));
      // Near a singular position assemblies are found to half their digits only.
      if (apart <= (singular || known.singular ? std::sqrt(same) : same) * reach * reach) return false;
    }
    const bool continuum = singular && moves_on(q, looks);
    if (continuum && ++result_.in_continuum > 1) return false;
    found_.push_back({q, std::move(looks), drawn, singular, continuum});
    return true;
  }

  // Goes a little way along each motion that Φ_q hardly resists, and closes again: a double root draws the linkage back, for at a
  // distance δ its constraints are violated by some δ²; in a continuum it stays where it went.
  bool moves_on(const std::vector<double>& q, const std::vector<double>& looks) {
    constexpr double way = 0.01, hardly = 1e-4;
    LoopSolver::Implementation& I = solver_.implementation();
    I.evaluate(q, {}, true);
    const dense::Svd svd = dense::svd(I.scaled_jacobian());
    const auto nv = static_cast<Eigen::Index>(mech_.nv);
    for (Eigen::Index k = 0; k < nv; ++k) {
      if (k < svd.s.size() && svd.s(k) > hardly * std::max(svd.s(0), 1.0)) continue;
      const Eigen::VectorXd step = way * I.column_scale.cwiseProduct(svd.V.col(k));
      std::vector<double> beside(q.size());
      step_coordinates(mech_, q, {step.data(), static_cast<std::size_t>(nv)}, beside);
      if (!solver_.assemble(beside, targets_, {.max_iterations = 100}).closed()) continue;
      const std::vector<double> there = signature(beside);
      double apart = 0;
      for (std::size_t i = 0; i < looks.size(); ++i) apart = std::max(apart, std::abs(looks[i] - there[i]));
      if (apart > way / 10) return true;
    }
    return false;
  }

  void judge(const std::vector<double>& q) {
    DriverVerdict verdict = judge_drivers(solver_, q);
    if (verdict
            .under_driven()) {  // perhaps only here, with a slide far out: then another position tells, or the drawing
      std::vector<std::vector<double>> others = ClosedForm(mech_, drivers_).positions(inputs_, 64);
      if (!as_drawn_.empty()) others.push_back(as_drawn_);
      for (const std::vector<double>& other : others) {
        DriverVerdict there = judge_drivers(solver_, other);
        if (there.under_driven()) continue;
        verdict = std::move(there);
        break;
      }
    }
    result_.free_motions = verdict.undriven;
    if (verdict.under_driven()) result_.status = Modes::Status::under_driven;
    for (const FreeMotion& motion : verdict.undriven) {
      if (!motion.idle) continue;
      idle_[static_cast<std::size_t>(motion.idle_link)] = 1;
      find_steady_points(q, motion);
    }
  }

  // The design position, closed, with the inputs moved from what they are there to the values asked for.
  void find_drawn() {
    std::vector<double> q = options_.start.empty() ? design_state(mech_).q : options_.start;
    std::vector<Target> at(drivers_.size());
    std::vector<double> phi(static_cast<std::size_t>(solver_.row_count())), u;
    solver_.residuals(q, at, phi);
    for (std::size_t d = 0; d < at.size(); ++d) at[d].value = phi[phi.size() - at.size() + d];
    if (!solver_.assemble(q, at).closed()) return;
    as_drawn_ = q;
    for (const Target& target : at) u.push_back(target.value);
    ClosedForm form(mech_, drivers_);
    BranchFollower branch(solver_, form.exists() ? &form : nullptr);
    branch.start(q, u);
    if (branch.go_to(inputs_).arrived) {
      keep(branch.q(), true, false);
      return;
    }
    // Behind a dead point, or where a slide has been at infinity, the signs of the drawing say which one is its own.
    const auto signs = form.branches_are_signs() ? form.branch_of(q, u) : std::nullopt;
    std::vector<double> v(static_cast<std::size_t>(mech_.nv)), a(v.size());
    set_driven(q);
    if (signs && form.motion(*signs, targets_, q, v, a) && solver_.follow(q, targets_)) keep(q, true, is_singular(q));
  }

  // With a slide far out, levers of very different lengths make Φ_q ill conditioned everywhere.
  bool is_singular(const std::vector<double>& q) {
    const double reach = std::max(1.0, Slides(mech_).farthest(q) / solver_.characteristic_length());
    return solver_.conditioning(q) < 1e-6 / (reach * reach * reach);
  }

  std::vector<double> start(const Spread& spread, int k) const {
    std::vector<double> q(static_cast<std::size_t>(mech_.nq));
    int dimension = 0;
    const auto next = [&] { return spread.at(k, dimension++); };
    for (const Link& link : mech_.links) {
      const std::vector<Freedom> list = freedoms(link.type);
      if (link.nq == link.nv) {
        for (int i = 0; i < link.nq; ++i) {
          const double x = 2 * next() - 1;
          q[link.q + i] = list[i].dimension == dimension::angle ? pi * x : 4 * solver_.characteristic_length() * x;
        }
        continue;
      }
      // A quaternion evenly over all turns [Shoemake 1992], then a position.
      const double a = next(), b = 2 * pi * next(), c = 2 * pi * next();
      q[link.q] = std::sqrt(1 - a) * std::sin(b), q[link.q + 1] = std::sqrt(1 - a) * std::cos(b);
      q[link.q + 2] = std::sqrt(a) * std::sin(c), q[link.q + 3] = std::sqrt(a) * std::cos(c);
      for (int i = 4; i < link.nq; ++i) q[link.q + i] = 4 * solver_.characteristic_length() * (next() - 0.5);
    }
    set_driven(q);
    return q;
  }
  void set_driven(std::vector<double>& q) const {
    for (std::size_t d = 0; d < drivers_.size(); ++d) {
      const Driver& driver = drivers_[d];
      if (driver.joint < 0 || mech_.joints[driver.joint].role != JointRole::tree) continue;
      q[static_cast<std::size_t>(mech_.joints[driver.joint].q + driver.dof)] = inputs_[d];
    }
  }

  // All of them, where the positions have a closed form.
  bool enumerate() {
    ClosedForm form(mech_, drivers_);
    if (options_.search || !form.exists() || result_.status != Modes::Status::ok) return false;
    for (const std::vector<double>& q : form.positions(inputs_, 2000, &result_.complete)) {
      keep(q, false, is_singular(q));
    }
    result_.cut_short = !result_.complete;
    return true;
  }

  void search() {
    const Spread spread(std::max(1, mech_.nq));
    int known_in_a_row = 0;
    for (int k = 0; k < options_.starts && result_.status == Modes::Status::ok; ++k) {
      const int enough = std::max(options_.patience, 10 * static_cast<int>(found_.size()));
      if (known_in_a_row >= enough) break;
      if (options_.progress && k % 16 == 0) {
        options_.progress(
            std::max(static_cast<double>(k) / options_.starts, static_cast<double>(known_in_a_row) / enough));
      }
      std::vector<double> q = start(spread, k);
      ++result_.starts;
      solver_.reset_turns();
      const AssemblyReport report = solver_.assemble(q, targets_, {.max_iterations = 100});
      if (!report.closed()) continue;
      ++result_.assembled;
      known_in_a_row = keep(q, false, report.status == AssemblyStatus::singular) ? 0 : known_in_a_row + 1;
    }
    if (options_.progress) options_.progress(1);
  }

  // Angles between −π and π, but for driven ones, quaternions with w ≥ 0; then in the order of the coordinates.
  void finish() {
    std::vector<char> counts_turns(mech_.joints.size(), 0);  // gears and belts
    for (const CouplingInfo& c : mech_.couplings) counts_turns[c.first] = counts_turns[c.second] = 1;
    for (Found& f : found_) {
      for (const Link& link : mech_.links) {
        const std::vector<Freedom> list = freedoms(link.type);
        if (link.nq == link.nv) {
          for (int i = 0; i < link.nq; ++i) {
            const bool turns = list[i].dimension == dimension::angle && !std::holds_alternative<Helical>(link.type);
            if (turns && !counts_turns[link.joint]) f.q[link.q + i] = std::remainder(f.q[link.q + i], 2 * pi);
          }
        } else if (f.q[link.q] < 0) {
          for (int i = 0; i < 4; ++i) f.q[link.q + i] = -f.q[link.q + i];
        }
      }
    }
    for (Found& f : found_) set_driven(f.q);  // a driven angle stays where it was asked for: a sweep may begin there
    const auto before = [](const Found& a, const Found& b) {
      if (a.drawn != b.drawn) return a.drawn;
      for (std::size_t k = 0; k < a.signature.size(); ++k) {
        if (std::abs(a.signature[k] - b.signature[k]) > same) return a.signature[k] < b.signature[k];
      }
      return false;
    };
    std::sort(found_.begin(), found_.end(), before);
    for (const Found& f : found_) {
      result_.list.push_back({static_cast<int>(result_.list.size()) + 1, f.q, f.drawn, f.singular, f.continuum});
    }
  }
};

}  // namespace

Modes find_modes(const Mechanism& mechanism, const std::vector<Driver>& drivers, const std::vector<double>& inputs,
                 const ModesOptions& options) {
  return Search(mechanism, drivers, inputs, options).run();
}

}  // namespace trammel
