// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The sweep: assemble, judge the inputs, then go from value to value along the branch; behind a dead point look for where the branch
// begins again.

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include <trammel/analysis.hpp>
#include <trammel/measures.hpp>

#include "analysis/branch.hpp"
#include "analysis/step_results.hpp"

namespace trammel {
namespace {

// The values of one input, ends included where the step meets them.
std::vector<double> grid(const SweepInput& input) {
  if (input.step == 0 || input.from == input.to) return {input.from};
  const double count = (input.to - input.from) / input.step;
  const int steps = static_cast<int>(std::floor(count + 1e-9));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(steps) + 1);
  for (int k = 0; k <= steps; ++k) values.push_back(input.from + k * input.step);
  if (std::abs(count - steps) <= 1e-9) values.back() = input.to;
  return values;
}

class Sweep {
 public:
  Sweep(const Mechanism& mech, const AnalysisOptions& options)
      : mech_(mech),
        options_(options),
        solver_(mech, drivers_of(options)),
        form_(options.newton ? std::nullopt : std::make_optional<ClosedForm>(mech, drivers_of(options))),
        branch_(solver_, form_ ? &*form_ : nullptr),
        measures_(mech) {
    result_.closed_form = form_ && form_->exists();
  }

  Analysis run() {
    q_start_ = options_.start.empty() ? design_state(mech_).q : options_.start;
    if (options_.as_drawn) return analyze_as_drawn();
    list_values();
    note_ends_not_reached();
    if (!assemble_first()) return std::move(result_);
    judge_inputs();
    if (result_.status != Analysis::Status::ok) return std::move(result_);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (options_.progress) options_.progress(static_cast<double>(k) / static_cast<double>(values_.size()));
      go_to_value(k);
    }
    close_open_range();
    if (options_.progress) options_.progress(1);
    return std::move(result_);
  }

 private:
  struct Value {
    std::vector<Target> targets;
    double t = 0;
    std::size_t row_start = 0;  // first value of this row of a nested sweep
  };

  const Mechanism& mech_;
  const AnalysisOptions& options_;
  LoopSolver solver_;
  std::optional<ClosedForm> form_;
  BranchFollower branch_;
  MeasureReader measures_;
  Analysis result_;
  std::vector<double> q_start_;
  std::vector<Value> values_;
  std::vector<std::pair<std::vector<double>, std::vector<double>>> row_starts_;  // q and inputs at the start of the row
  bool lost_ = false;                                                            // in a stretch without positions
  int side_ = 0;  // sign of the determinant on our branch
  int range_input_ = 0;
  double range_from_ = 0;
  std::vector<double> range_inputs_;
  bool range_from_exact_ = false;
  double lost_at_ = 0;                    // the first value without position
  std::deque<std::vector<double>> seen_;  // positions to try when looking for the branch again
  int countdown_ = 0;

  static std::vector<Driver> drivers_of(const AnalysisOptions& options) {
    std::vector<Driver> drivers;
    for (const SweepInput& input : options.inputs) drivers.push_back(input.driver);
    return drivers;
  }

  Target target_of(const SweepInput& input, double value) const {
    if (!input.motion) return {value, input.speed, input.acceleration, input.jerk};
    const Series<3> t = Series<3>::time(value);
    const Series<3> u = input.motion->at(t);
    return {u.derivative(0), u.derivative(1), u.derivative(2), u.derivative(3)};
  }

  // All combinations: inputs by time move together and are the innermost loop, others are nested in their order.
  void list_values() {
    std::vector<std::size_t> by_position, by_time;
    for (std::size_t i = 0; i < options_.inputs.size(); ++i) {
      (options_.inputs[i].motion ? by_time : by_position).push_back(i);
    }
    std::vector<std::vector<double>> grids;
    for (const std::size_t i : by_position) grids.push_back(grid(options_.inputs[i]));
    std::vector<double> times;
    if (!by_time.empty()) times = grid(options_.inputs[by_time.front()]);
    if (!times.empty()) grids.push_back(times);
    std::vector<std::size_t> index(grids.size(), 0);
    std::size_t row_start = 0;
    for (bool more = true; more;) {
      Value value;
      value.targets.resize(options_.inputs.size());
      for (std::size_t k = 0; k < by_position.size(); ++k) {
        value.targets[by_position[k]] = target_of(options_.inputs[by_position[k]], grids[k][index[k]]);
      }
      if (!times.empty()) value.t = times[index.back()];
      for (const std::size_t i : by_time) value.targets[i] = target_of(options_.inputs[i], value.t);
      value.row_start = row_start;
      values_.push_back(std::move(value));
      more = false;
      for (std::size_t k = grids.size(); k-- > 0;) {
        if (++index[k] < grids[k].size()) {
          more = true;
          if (k + 1 < grids.size()) row_start = values_.size();
          break;
        }
        index[k] = 0;
      }
    }
  }

  void note_ends_not_reached() {
    for (const SweepInput& input : options_.inputs) {
      const double last = grid(input).back();
      if (last == input.to || input.step == 0) continue;
      const JointInfo* joint = input.driver.joint >= 0 ? &mech_.joints[input.driver.joint] : nullptr;
      const Dimension d = input.motion       ? Dimension{.time = 1}
                          : joint != nullptr ? freedoms(joint->type)[input.driver.dof].dimension
                          : input.driver.component >= Driver::Component::turn_x ? dimension::angle
                                                                                : dimension::length;
      const auto with_unit = [&](double x) {
        return fmt::format("{:.6g} {}", mech_.units.from_si(x, d), mech_.units.name(d));
      };
      result_.notes.push_back(fmt::format("{} ends at {}: the step of {} does not divide the range up to {}",
                                          joint != nullptr ? "input '" + joint->name + "'" : "an input",
                                          with_unit(last), with_unit(input.step), with_unit(input.to)));
    }
  }

  static std::vector<double> inputs_of(const Value& value) {
    std::vector<double> u;
    for (const Target& target : value.targets) u.push_back(target.value);
    return u;
  }

  // What the driven coordinates are at q.
  std::vector<Target> inputs_at(std::span<const double> q) {
    std::vector<Target> at(options_.inputs.size());
    std::vector<double> phi(static_cast<std::size_t>(solver_.row_count()));
    solver_.residuals(q, at, phi);
    for (std::size_t d = 0; d < at.size(); ++d) at[d].value = phi[phi.size() - at.size() + d];
    return at;
  }

  // At the design position first: with the inputs at what they are there the branch is certain. Then on to the first value. A
  // linkage that is not closed as drawn, with the inputs held, may be for the first value, or with the inputs let go.
  bool assemble_first() {
    std::vector<double> q = q_start_;
    std::vector<Target> at = inputs_at(q);
    result_.assembly = solver_.assemble(q, at);
    if (!result_.assembly.closed()) {
      q = q_start_;
      at = values_.front().targets;
      result_.assembly = solver_.assemble(q, at);
    }
    if (!result_.assembly.closed()) {
      LoopSolver alone(mech_);
      q = q_start_;
      result_.assembly = alone.assemble(q, {});
      if (!result_.assembly.closed()) {
        result_.status = Analysis::Status::cannot_assemble;
        if (result_.assembly.worst_row >= 0)
          result_.worst_gap = alone.name_of(alone.rows()[result_.assembly.worst_row]);
        return false;
      }
      at = inputs_at(q);
      solver_.assemble(q, at);
    }
    std::vector<double> u;
    for (const Target& target : at) u.push_back(target.value);
    branch_.start(q, u);
    side_ = branch_.orientation();
    return true;
  }

  void judge_inputs() {
    const DriverVerdict verdict = judge_drivers(solver_, branch_.q());
    result_.free_motions = verdict.undriven;
    if (verdict.superfluous > 0) result_.status = Analysis::Status::over_driven;
    if (verdict.under_driven()) result_.status = Analysis::Status::under_driven;
    if (result_.status != Analysis::Status::ok) return;
    for (const FreeMotion& motion : result_.free_motions) {
      if (!motion.idle) continue;
      result_.notes.push_back(fmt::format("the spin of body '{}' is idle: it is left at zero",
                                          mech_.bodies[mech_.links[motion.idle_link].body].name));
      if (options_.jerk) result_.notes.emplace_back("jerks of idle spins are the least ones, not zero");
    }
  }

  void go_to_value(std::size_t k) {
    const Value& value = values_[k];
    const std::vector<double> u = inputs_of(value);
    if (k > 0 && value.row_start == k) start_row();
    if (!std::all_of(u.begin(), u.end(), [](double x) { return std::isfinite(x); })) {
      if (result_.notes.empty() || result_.notes.back() != not_finite) result_.notes.emplace_back(not_finite);
      add_imaginary(value);
      return;
    }
    if (lost_ && !come_back(u) && !find_again(u)) {
      add_imaginary(value);
      return;
    }
    bool singular = false;
    if (!lost_) {
      BranchFollower::Outcome outcome = branch_.go_to(u);
      singular = outcome.singular;
      for (const BranchFollower::End& end : outcome.crossings)
        add_dead_point(moving_input(u), end.inputs, false, end.q);
      if (!outcome.arrived) {
        lose(outcome, u);
        if (!find_again(u)) {
          add_imaginary(value);
          return;
        }
      }
    }
    add_step(value, singular);
    if (result_.steps.back().status == StepStatus::singular) report_singular(u);
    if (value.row_start == k) row_starts_.emplace_back(branch_.q(), branch_.inputs());
    if (--countdown_ <= 0) {
      seen_.push_back(branch_.q());
      if (seen_.size() > 12) seen_.pop_front();
      countdown_ = 4;
    }
  }

  // The next row of a nested sweep begins where the last one began.
  void start_row() {
    close_open_range();
    if (!row_starts_.empty()) {
      branch_.start(row_starts_.back().first, row_starts_.back().second);
      lost_ = false;
    }
  }

  void lose(const BranchFollower::Outcome& outcome, const std::vector<double>& u) {
    lost_ = true;
    const std::vector<double>& at = outcome.end ? outcome.end->inputs : branch_.inputs();
    range_input_ = 0;
    for (std::size_t d = 0; d < u.size(); ++d) {
      if (u[d] != branch_.inputs()[d]) range_input_ = static_cast<int>(d);
    }
    range_inputs_ = at;
    range_from_ = at[static_cast<std::size_t>(range_input_)];
    range_from_exact_ = outcome.end.has_value();
    lost_at_ = u[static_cast<std::size_t>(range_input_)];
    if (outcome.end) {
      add_dead_point(range_input_, at, true, outcome.end->q);
      seen_.push_back(outcome.end->q);
    }
  }

  // The input that moves within a row.
  int moving_input(const std::vector<double>& u) const {
    int moving = 0;
    for (std::size_t d = 0; d < u.size(); ++d) {
      const SweepInput& input = options_.inputs[d];
      if (input.motion || input.from != input.to) moving = static_cast<int>(d);
    }
    return moving;
  }

  // Once for each place: a value asked for may lie on it, and be met again on the way to the next.
  void add_dead_point(int input, const std::vector<double>& inputs, bool is_limit, const std::vector<double>& q) {
    for (const DeadPoint& known : result_.dead_points) {
      double apart = 0;
      for (std::size_t d = 0; d < inputs.size(); ++d) apart = std::max(apart, std::abs(inputs[d] - known.inputs[d]));
      if (apart <= 1e-7 && known.input == input && known.is_limit == is_limit) return;
    }
    result_.dead_points.push_back({input, inputs[static_cast<std::size_t>(input)], is_limit, inputs, q});
  }

  // A value asked for where the inputs do not determine the motion. It is a limit of the input where one of its sides has no position.
  void report_singular(const std::vector<double>& u) {
    const int moving = moving_input(u);
    const std::vector<double> q = result_.steps.back().q;
    const auto has_position = [&](double aside) {
      std::vector<double> beside = u, q_beside = q;
      beside[static_cast<std::size_t>(moving)] += aside;
      set_driven(q_beside, beside);
      std::vector<Target> targets;
      for (const double value : beside) targets.push_back({value, 0, 0, 0});
      return solver_.assemble(q_beside, targets).closed();
    };
    const Driver& driver = options_.inputs[static_cast<std::size_t>(moving)].driver;
    const bool is_angle = driver.joint >= 0
                              ? freedoms(mech_.joints[driver.joint].type)[driver.dof].dimension == dimension::angle
                              : driver.component >= Driver::Component::turn_x;
    const double aside = is_angle ? 1e-3 : 1e-3 * solver_.characteristic_length();
    add_dead_point(moving, u, !has_position(aside) || !has_position(-aside), q);
  }

  static constexpr const char* not_finite =
      "an input is not a finite number at some of its values: there is no position";

  // A sweep may begin in a stretch without position: then the branch waits at its end, and values on this side of it are on it.
  bool come_back(const std::vector<double>& u) {
    const double x = u[static_cast<std::size_t>(range_input_)];
    if ((x - range_from_) * (lost_at_ - range_from_) > 0 || !branch_.go_to(u).arrived) return false;
    result_.imaginary.push_back({range_input_, lost_at_, range_from_, false, range_from_exact_, range_inputs_});
    lost_ = false;
    return true;
  }

  // Is there a position on our branch at these inputs? Walks back from it to where the branch begins.
  bool find_again(const std::vector<double>& u) {
    std::vector<Target> targets;
    for (const double value : u) targets.push_back({value, 0, 0, 0});
    for (auto guess = seen_.rbegin(); guess != seen_.rend(); ++guess) {
      std::vector<double> q = *guess;
      set_driven(q, u);
      if (!solver_.assemble(q, targets).closed()) continue;
      BranchFollower back(solver_);
      back.start(q, u);
      std::vector<double> behind = u;
      behind[static_cast<std::size_t>(range_input_)] = range_from_;
      const BranchFollower::Outcome outcome = back.go_to(behind);
      if (outcome.arrived || !outcome.end) continue;  // this one reaches through: another circuit
      branch_.start(q, u);
      if (side_ != 0 && branch_.orientation() != side_) {  // on the other side of the turn
        BranchFollower other(solver_);
        other.start(outcome.end->q_beyond, outcome.end->inputs_beyond);
        if (!other.go_to(u).arrived) continue;
        branch_.start(other.q(), u);
      }
      const double begins = outcome.end->inputs[static_cast<std::size_t>(range_input_)];
      add_dead_point(range_input_, outcome.end->inputs, true, outcome.end->q);
      result_.imaginary.push_back({range_input_, range_from_, begins, range_from_exact_, true, range_inputs_});
      lost_ = false;
      return true;
    }
    return false;
  }

  void set_driven(std::vector<double>& q, const std::vector<double>& u) const {
    for (std::size_t d = 0; d < u.size(); ++d) {
      const Driver& driver = options_.inputs[d].driver;
      if (driver.joint < 0 || mech_.joints[driver.joint].role != JointRole::tree) continue;
      q[static_cast<std::size_t>(mech_.joints[driver.joint].q + driver.dof)] = u[d];
    }
  }

  void close_open_range() {
    if (!lost_) return;
    double last = range_from_;
    if (!result_.steps.empty()) last = result_.steps.back().input[static_cast<std::size_t>(range_input_)];
    result_.imaginary.push_back({range_input_, range_from_, last, range_from_exact_, false, range_inputs_});
    lost_ = false;
  }

  void add_imaginary(const Value& value) {
    AnalysisStep step;
    step.input = inputs_of(value);
    step.t = value.t;
    step.status = StepStatus::imaginary;
    step.measures.assign(mech_.measures.size(), std::nan(""));
    result_.steps.push_back(std::move(step));
  }

  void add_step(const Value& value, bool singular) {
    AnalysisStep step;
    step.input = inputs_of(value);
    step.t = value.t;
    step.q = branch_.q();
    const auto nv = static_cast<std::size_t>(mech_.nv);
    step.v.assign(nv, 0.0), step.a.assign(nv, 0.0);
    const bool moves = !singular && solver_.velocities(step.q, value.targets, step.v);
    const bool ok = moves && solver_.accelerations(step.q, step.v, value.targets, step.a);
    step.status = ok ? StepStatus::ok : StepStatus::singular;
    step.has_motion = ok;
    if (!ok) step.v.assign(nv, 0.0), step.a.assign(nv, 0.0);
    if (ok && options_.jerk) {
      step.j.assign(nv, 0.0);
      if (!solver_.jerks(step.q, step.v, step.a, value.targets, step.j)) step.j.clear();
    }
    finish(step, value.t);
  }

  void finish(AnalysisStep& step, double t) {
    fill_motion(mech_, solver_.workspace(), step);
    if (options_.forces && step.status == StepStatus::ok) {
      ForceProblem problem{options_.gravity, options_.inertia, options_.friction, t, options_.given_drive};
      ForceSolution forces = solve_forces(solver_, step.q, step.v, step.a, problem);
      step.reactions = std::move(forces.reactions);
      step.constraint_forces = std::move(forces.constraint_forces);
      step.drive = std::move(forces.drive);
      step.loads = std::move(forces.loads);
      step.ledger = forces.ledger;
      step.balanced = forces.balanced;
    }
    step.measures = measures_.read(step);
    result_.steps.push_back(std::move(step));
  }

  // The coordinates are taken as they are; nothing is solved but forces.
  Analysis analyze_as_drawn() {
    AnalysisStep step;
    step.q = q_start_;
    const auto nv = static_cast<std::size_t>(mech_.nv);
    step.v.assign(nv, 0.0), step.a.assign(nv, 0.0);
    std::vector<double> phi(static_cast<std::size_t>(solver_.row_count()));
    std::vector<Target> drawn(options_.inputs.size());
    solver_.residuals(step.q, drawn, phi);
    for (std::size_t d = 0; d < drawn.size(); ++d) step.input.push_back(phi[phi.size() - drawn.size() + d]);
    step.has_motion = true;
    finish(step, 0);
    return std::move(result_);
  }
};

}  // namespace

Analysis analyze(const Mechanism& mechanism, const AnalysisOptions& options) { return Sweep(mechanism, options).run(); }

std::vector<SweepInput> inputs_of(const Mechanism& mechanism) {
  std::vector<SweepInput> inputs;
  for (const InputInfo& info : mechanism.inputs) {
    const Input& s = info.settings;
    SweepInput input;
    input.driver = {.joint = info.joint, .dof = s.dof};
    input.from = s.from, input.to = s.to, input.step = s.step;
    input.speed = s.speed, input.acceleration = s.acceleration;
    input.motion = s.motion;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace trammel
