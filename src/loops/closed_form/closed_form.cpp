// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <variant>

#include <trammel/closed_form.hpp>

#include "loops/closed_form/planar_plan.hpp"
#include "loops/closed_form/spatial_plan.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

using closed_form::PlanarPlan;
using closed_form::SpatialPlan;

constexpr double closes = 1e-9;  // residuals, of the characteristic length

// A plan and its places on double and on series.
template <class Plan>
struct Worker {
  Plan plan;
  typename Plan::template Poses<double> here = plan.template poses<double>(), trial = here, reference = here;
  typename Plan::template Poses<Series<2>> moving = plan.template poses<Series<2>>();

  explicit Worker(Plan the_plan) : plan(std::move(the_plan)) {}

  static void refer(PlanarPlan::Poses<double>&, const PlanarPlan::Poses<double>&) {}
  static void refer(PlanarPlan::Poses<Series<2>>&, const PlanarPlan::Poses<double>&) {}
  template <class T>
  static void refer(SpatialPlan::Poses<T>& poses, const SpatialPlan::Poses<double>& to) {
    poses.reference = &to.links;
  }

  // Steps from `step` on, in all modes; visit() is called with everything placed, until it says false.
  template <class Visit>
  bool enumerate(int step, std::span<const double> inputs, const Visit& visit) {
    if (step == plan.step_count()) return visit();
    for (int mode = 0; mode < plan.mode_count(step); ++mode) {
      if (plan.template place<double>(step, mode, inputs, here) && !enumerate(step + 1, inputs, visit)) return false;
    }
    return true;
  }

  // In each step the mode nearest to the reference. Empty: a step has none.
  bool place_near(std::span<const double> inputs, ClosedForm::Branch* branch) {
    refer(here, reference), refer(trial, reference);
    for (int step = 0; step < plan.step_count(); ++step) {
      int best = -1;
      double nearest = 0;
      trial.links = here.links;
      for (int mode = 0; mode < plan.mode_count(step); ++mode) {
        if (!plan.template place<double>(step, mode, inputs, trial)) continue;
        const double apart = plan.distance(step, trial, reference);
        if (best >= 0 && apart >= nearest) continue;
        best = mode, nearest = apart;
        here.links.swap(trial.links);
        trial.links = here.links;
      }
      if (best < 0) return false;
      if (branch != nullptr) branch->push_back(best);
    }
    return true;
  }
};

}  // namespace

class ClosedForm::Implementation {
 public:
  Implementation(const Mechanism& the_mechanism, std::vector<Driver> drivers)
      : mech(the_mechanism), solver(mech, std::move(drivers)) {
    if (mech.is_tree()) {
      obstacle = "there are no loops";
      return;
    }
    const std::vector<double> drawn = design_state(mech).q;
    if (const std::optional<Vec3d> normal = planar_normal(solver.implementation(), drawn)) {
      take(PlanarPlan(mech, solver.drivers(), *normal));
    } else {
      take(SpatialPlan(mech, solver.drivers()));
    }
    series.resize(solver.drivers().size());
    if (obstacle.empty()) try_out();
  }

  const Mechanism& mech;
  LoopSolver solver;
  std::variant<std::monostate, Worker<PlanarPlan>, Worker<SpatialPlan>> worker;
  std::string obstacle;
  std::vector<std::string> steps;
  std::vector<Series<2>> series;
  std::vector<double> trial_q;

  template <class Plan>
  void take(Plan plan) {
    obstacle = plan.obstacle();
    if (!obstacle.empty()) return;
    steps = plan.words();
    worker.template emplace<Worker<Plan>>(std::move(plan));
  }

  template <class Use>
  auto with_worker(const Use& use) {
    using Result = decltype(use(std::get<1>(worker)));
    return std::visit(
        [&]<class W>(W& w) -> Result {
          if constexpr (std::is_same_v<W, std::monostate>) {
            return Result();
          } else {
            return use(w);
          }
        },
        worker);
  }

  // Joints that the plan did not use, and those that it used in a linkage drawn unlike any other, show here: at the drawing and a little
  // way off it everything must close.
  void try_out() {
    std::vector<double> q = design_state(mech).q, phi(static_cast<std::size_t>(solver.row_count()));
    const std::size_t count = solver.drivers().size();
    std::vector<Target> at(count);
    solver.residuals(q, at, phi);
    for (std::size_t d = 0; d < count; ++d) at[d].value = phi[phi.size() - count + d];
    if (!solver.assemble(q, at).closed()) {
      obstacle = "the linkage does not close as drawn";
      return;
    }
    int closed = 0;
    for (const double aside : {0.0, 1e-4, -1e-4, 2e-3, -2e-3, 0.02, -0.02, 0.1, -0.1}) {
      std::vector<double> inputs, moved = q;
      for (std::size_t d = 0; d < count; ++d) inputs.push_back(at[d].value + aside * unit_of(d));
      if (!near(moved, inputs, nullptr)) {
        if (aside == 0) obstacle = "its closed form has no solution at the drawing";
        if (aside == 0) return;
        continue;
      }
      if (!is_closed(moved, inputs)) {
        obstacle = "joints beyond those of its closed form are not redundant";
        return;
      }
      closed += aside != 0 ? 1 : 0;
    }
    if (closed == 0 && count > 0) obstacle = "its closed form has no solution beside the drawing";
  }
  double unit_of(std::size_t d) const {
    const Driver& driver = solver.drivers()[d];
    return freedoms(mech.joints[driver.joint].type)[driver.dof].dimension == dimension::angle
               ? 1
               : solver.characteristic_length();
  }

  bool is_closed(std::span<const double> q, std::span<const double> inputs) {
    std::vector<Target> at;
    for (const double value : inputs) at.push_back({value, 0, 0, 0});
    LoopSolver::Implementation& I = solver.implementation();
    I.evaluate(q, at, false);
    double largest = 1;  // an angle that has turned many times has the round-off of its size
    for (const double x : q) largest = std::max(largest, std::abs(x));
    return I.is_closed(closes * largest);
  }

  bool near(std::span<double> q, std::span<const double> inputs, Branch* branch) {
    return with_worker([&](auto& w) {
      w.plan.poses_at(q, w.reference);
      if (!w.place_near(inputs, branch)) return false;
      w.plan.read(w.here, q);
      return true;
    });
  }
};

ClosedForm::ClosedForm(const Mechanism& mechanism, std::vector<Driver> drivers)
    : implementation_(std::make_unique<Implementation>(mechanism, std::move(drivers))) {}
ClosedForm::~ClosedForm() = default;
ClosedForm::ClosedForm(ClosedForm&&) noexcept = default;
ClosedForm& ClosedForm::operator=(ClosedForm&&) noexcept = default;

bool ClosedForm::exists() const { return implementation_->obstacle.empty(); }
const std::string& ClosedForm::obstacle() const { return implementation_->obstacle; }
const std::vector<std::string>& ClosedForm::steps() const { return implementation_->steps; }

std::vector<std::vector<double>> ClosedForm::positions(std::span<const double> inputs, int most, bool* all) {
  Implementation& I = *implementation_;
  if (all != nullptr) *all = true;
  std::vector<std::vector<double>> found;
  if (!exists()) return found;
  I.with_worker([&](auto& w) {
    w.plan.poses_at(design_state(I.mech).q, w.reference);
    w.refer(w.here, w.reference);
    w.enumerate(0, inputs, [&] {
      if (static_cast<int>(found.size()) >= most) {
        if (all != nullptr) *all = false;
        return false;
      }
      std::vector<double> q(static_cast<std::size_t>(I.mech.nq), 0.0);
      for (std::size_t d = 0; d < inputs.size(); ++d) {  // a driven angle may have turned more than once
        const Driver& driver = I.solver.drivers()[d];
        q[static_cast<std::size_t>(I.mech.joints[driver.joint].q + driver.dof)] = inputs[d];
      }
      w.plan.read(w.here, q);
      if (!I.is_closed(q, inputs)) return true;
      const bool known = std::any_of(found.begin(), found.end(), [&](const std::vector<double>& other) {
        double apart = 0;
        for (std::size_t k = 0; k < q.size(); ++k) apart = std::max(apart, std::abs(q[k] - other[k]));
        return apart < 1e-7;  // a double root: both modes are one
      });
      if (!known) found.push_back(std::move(q));
      return true;
    });
    return true;
  });
  return found;
}

bool ClosedForm::follow(std::span<double> q, std::span<const double> inputs) {
  Implementation& I = *implementation_;
  if (!exists()) return false;
  I.trial_q.assign(q.begin(), q.end());
  if (!I.near(I.trial_q, inputs, nullptr)) return false;
  std::copy(I.trial_q.begin(), I.trial_q.end(), q.begin());
  return true;
}

std::optional<ClosedForm::Branch> ClosedForm::branch_of(std::span<const double> q, std::span<const double> inputs) {
  Implementation& I = *implementation_;
  if (!exists()) return std::nullopt;
  I.trial_q.assign(q.begin(), q.end());
  Branch branch;
  if (!I.near(I.trial_q, inputs, &branch)) return std::nullopt;
  return branch;
}

bool ClosedForm::branches_are_signs() const {
  if (!exists()) return false;
  return implementation_->with_worker([]<class Plan>(Worker<Plan>& w) {
    if constexpr (!std::is_same_v<Plan, PlanarPlan>) return false;
    for (int step = 0; step < w.plan.step_count(); ++step) {
      if (w.plan.mode_count(step) > 2) return false;
    }
    return true;
  });
}

bool ClosedForm::motion(const Branch& branch, std::span<const Target> targets, std::span<double> q, std::span<double> v,
                        std::span<double> a) {
  Implementation& I = *implementation_;
  if (!exists()) return false;
  for (std::size_t d = 0; d < I.series.size(); ++d) {
    I.series[d] = Series<2>::from_derivatives({targets[d].value, targets[d].rate, targets[d].acceleration});
  }
  return I.with_worker([&]<class Plan>(Worker<Plan>& w) {
    if constexpr (std::is_same_v<Plan, SpatialPlan>) {  // rods are turned from where they were
      if (w.plan.has_idle_links()) w.plan.poses_at(q, w.reference);
      w.refer(w.moving, w.reference);
    }
    for (int step = 0; step < w.plan.step_count(); ++step) {
      if (!w.plan.template place<Series<2>>(step, branch[static_cast<std::size_t>(step)], I.series, w.moving))
        return false;
    }
    w.plan.read(w.moving, q, v, a);
    return true;
  });
}

}  // namespace trammel
