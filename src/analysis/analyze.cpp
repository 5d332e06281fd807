// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The sweep: assemble, judge the inputs, then go from value to value along the branch; behind a dead point look for where a branch with
// the same orientation begins again. That is looked for at places of our own, counted from the dead point, so that what is found does not
// depend on the steps asked for.
//
// Nested inputs make rows: within a row one parameter x moves, the value of the innermost input, or the time.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <trammel/analysis.hpp>
#include <trammel/measures.hpp>

#include "analysis/branch.hpp"
#include "analysis/step_results.hpp"
#include "analysis/sweep_values.hpp"

namespace trammel {
namespace {

class Sweep {
 public:
  Sweep(const Mechanism& mech, const AnalysisOptions& options)
      : mech_(mech),
        options_(options),
        solver_(mech, drivers_of(options)),
        form_(mech, drivers_of(options)),
        branch_(solver_, form_to_follow()),
        slides_(mech),
        measures_(mech) {
    result_.closed_form = form_.exists() && !options.newton;
    for (std::size_t d = 0; d < options.inputs.size(); ++d) {
      const SweepInput& input = options.inputs[d];
      by_time_ = by_time_ || input.motion;
      timed_ += input.motion ? 1 : 0;
      if (input.motion || (!by_time_ && input.from != input.to)) moving_ = d;
    }
  }

  Analysis run() {
    q_start_ = options_.start.empty() ? design_state(mech_).q : options_.start;
    if (options_.as_drawn) return analyze_as_drawn();
    values_ = sweep_values(options_.inputs);
    note_ends_not_reached();
    if (!assemble_first()) return std::move(result_);
    judge_inputs();
    if (result_.status != Analysis::Status::ok) return std::move(result_);
    go_towards_first_value();
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (options_.progress) options_.progress(static_cast<double>(k) / static_cast<double>(values_.size()));
      go_to_value(k);
    }
    close_open_stretch();
    if (options_.progress) options_.progress(1);
    return std::move(result_);
  }

 private:
  using Value = SweepValue;

  const Mechanism& mech_;
  const AnalysisOptions& options_;
  LoopSolver solver_;
  ClosedForm form_;  // exists or not
  BranchFollower branch_;
  Slides slides_;
  MeasureReader measures_;
  Analysis result_;
  std::vector<double> q_start_;
  std::vector<Value> values_;
  bool by_time_ = false;
  std::size_t moving_ = 0;  // the input that moves within a row; of those by time, the last
  int timed_ = 0;           // how many move by time
  std::size_t last_ = 0;    // the value that was worked on last
  double comes_from_ = 0;   // x from which the branch goes to the present value

  // A position, with the inputs there.
  struct Place {
    std::vector<double> q, u;
  };
  Place home_;                                                // the design position, closed
  std::optional<ClosedForm::Branch> home_branch_;             // its solution mode
  std::optional<ClosedForm::Branch> signs_;                   // of our branch, where they say which one it is
  bool row_has_branch_ = false;                               // the branch has been in the present row
  std::optional<Place> row_start_;                            // of the last row that had one
  std::vector<std::optional<Place>> last_row_, present_row_;  // by their values

  // A stretch without positions.
  struct Stretch {
    double from = 0;             // x at its beginning
    bool exact = false;          // a dead point; otherwise the first value of the row
    bool begins_row = false;     // the row has had no position yet
    std::vector<double> inputs;  // at its beginning
    std::vector<double> q;       // the last position before it
    double beyond = 0;           // on which side of the dead point the input was without position: sign
    double scanned = 0;          // up to this x no branch was found, but for
    int scans = 0;
    struct Found {
      double begins = 0, x = 0;  // of its end, and of its place
      BranchFollower::End end;
      Place place;
    };
    std::optional<Found> found;  // this one, which begins further on
  };
  std::optional<Stretch> lost_;
  int side_ = 0;                              // sign of the determinant on our branch
  std::vector<std::vector<double>> guesses_;  // positions from which others are looked for: home and dead points

  ClosedForm* form_to_follow() { return options_.newton ? nullptr : &form_; }
  static std::vector<Driver> drivers_of(const AnalysisOptions& options) {
    std::vector<Driver> drivers;
    for (const SweepInput& input : options.inputs) drivers.push_back(input.driver);
    return drivers;
  }

  void note_ends_not_reached() {
    for (const SweepInput& input : options_.inputs) {
      const double last = values_of(input).back();
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

  static std::vector<double> inputs_of(const Value& value) { return value.inputs(); }

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
    if (form_.exists()) home_branch_ = form_.branch_of(q, u);
    if (form_.branches_are_signs()) signs_ = home_branch_;
    home_ = {q, u};
    guesses_.push_back(q);
    return true;
  }

  // The branch waits at home, or where the way to the first value is free: a crank that has turned right round is where it was, so there
  // are two ways round. Where both end on the way, the branch of the drawing may have positions at the first value all the same: those
  // that its closed form has there with the choices of the drawing (KAM's solution mode).
  void go_towards_first_value() {
    const Place drawn = home_;
    const std::vector<double> first = inputs_of(values_.front());
    if (!std::all_of(first.begin(), first.end(), [](double x) { return std::isfinite(x); })) return;
    turn_towards(first, home_);
    branch_.start(home_.q, home_.u);
    if (first.empty()) return;
    std::vector<Place> starts{home_};
    for (std::size_t d = 0; d < first.size(); ++d) {
      if (!may_turn(d) || first[d] == home_.u[d]) continue;
      const double round = first[d] > home_.u[d] ? 1 : -1;  // to the other side of the first value
      const std::size_t count = starts.size();
      for (std::size_t i = 0; i < count && starts.size() < 16; ++i) {
        Place other = starts[i];
        turn(other, d, round);
        starts.push_back(std::move(other));
      }
    }
    if (drawn.u != home_.u) starts.push_back(drawn);
    BranchFollower way(solver_, form_to_follow());
    for (const Place& from : starts) {
      const std::optional<Place> place = place_before(way, from, first);
      if (!place) continue;
      home_ = from;
      branch_.start(place->q, place->u);
      return;
    }
    start_on_mode(first);
  }

  // A place from which the way to u is free: `from`, or, where u can be reached by one input after the other, u itself.
  std::optional<Place> place_before(BranchFollower& way, const Place& from, const std::vector<double>& u) const {
    std::vector<std::vector<std::size_t>> orders{{}};
    if (u.size() > 1) {
      std::vector<std::size_t> rising(u.size());
      for (std::size_t d = 0; d < u.size(); ++d) rising[d] = d;
      orders.push_back(rising);
      orders.emplace_back(rising.rbegin(), rising.rend());
    }
    for (const std::vector<std::size_t>& order : orders) {
      way.start(from.q, from.u);
      std::vector<double> corner = from.u;
      bool free = true;
      for (const std::size_t d : order) {
        corner[d] = u[d];
        free = free && way.go_to(corner).arrived;
      }
      if (!free || !way.go_to(u).arrived) continue;
      return order.empty() ? from : Place{way.q(), u};
    }
    return std::nullopt;
  }

  // Puts the branch at u on the solution mode of the drawing: where only one position has the side of ours, that one, else the one
  // of its choices. False: it has no position there.
  bool start_on_mode(const std::vector<double>& u) {
    if (!home_branch_) return false;
    std::vector<std::vector<double>> on_our_side;
    for (std::vector<double>& q : signs_ ? std::vector<std::vector<double>>{} : positions_at(u)) {
      if (side_ == 0 || solver_.orientation(q) == side_) on_our_side.push_back(std::move(q));
    }
    Place place{on_our_side.size() == 1 ? on_our_side.front() : home_.q, u};
    if (on_our_side.size() != 1 && !place_on(*home_branch_, place)) return false;
    count_turns_from(home_.q, place);
    branch_.start(place.q, place.u);
    side_ = branch_.orientation();
    return true;
  }

  // The position of a branch at the inputs of the place. False: it has none.
  bool place_on(const ClosedForm::Branch& branch, Place& place) {
    std::vector<Target> targets;
    for (const double value : place.u) targets.push_back({value, 0, 0, 0});
    const auto nv = static_cast<std::size_t>(mech_.nv);
    std::vector<double> v(nv), a(nv);
    set_driven(place.q, place.u);
    return form_.motion(branch, targets, place.q, v, a) && solver_.follow(place.q, targets);
  }

  bool is_far_out(const std::vector<double>& q) const {
    return slides_.farthest(q) > 100 * solver_.characteristic_length();
  }

  bool is_on_mode(const Place& place) { return home_branch_ && form_.branch_of(place.q, place.u) == home_branch_; }

  bool may_turn(std::size_t d) const {
    const Driver& driver = options_.inputs[d].driver;
    return mech_.couplings.empty() && driver.joint >= 0 && mech_.joints[driver.joint].role == JointRole::tree &&
           std::holds_alternative<Revolute>(mech_.joints[driver.joint].type);
  }
  void turn(Place& place, std::size_t d, double turns) const {
    const Driver& driver = options_.inputs[d].driver;
    place.u[d] += 2 * std::numbers::pi * turns;
    place.q[static_cast<std::size_t>(mech_.joints[driver.joint].q + driver.dof)] += 2 * std::numbers::pi * turns;
  }

  // A crank that has turned right round is where it was, so a first value many turns away is reached from the turn next to it. Gears
  // count turns, and are left alone.
  void turn_towards(const std::vector<double>& u, Place& place) const {
    for (std::size_t d = 0; d < u.size(); ++d) {
      if (!may_turn(d) || !(std::abs(u[d]) < 1e9) || std::abs(u[d] - place.u[d]) <= std::numbers::pi) continue;
      turn(place, d, std::round((u[d] - place.u[d]) / (2 * std::numbers::pi)));
    }
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
    }
  }

  void go_to_value(std::size_t k) {
    const Value& value = values_[k];
    const std::vector<double> u = inputs_of(value);
    if (k > 0 && value.row_start == k) start_row();
    last_ = k;
    present_row_.emplace_back();
    if (!std::all_of(u.begin(), u.end(), [](double x) { return std::isfinite(x); })) {
      note_once("an input is not a finite number at some of its values: there is no position");
      add_imaginary(value);
      return;
    }
    comes_from_ = x_before(k);
    bool singular = false;
    constexpr int most_stretches = 1000;  // between two values
    for (int stretches = 0;; ++stretches) {
      if (lost_ && (stretches > most_stretches || !find_again(k))) {
        add_imaginary(value);
        return;
      }
      BranchFollower::Outcome outcome = branch_.go_to(u);
      singular = outcome.singular;
      for (const BranchFollower::End& end : outcome.crossings)
        add_dead_point(end.inputs, x_near(k, end.inputs), false, end.q);
      if (outcome.arrived) break;
      // Close behind infinity a branch that was found again may not be followed back to the value, though it has a position there.
      const bool far_out = !outcome.end || outcome.end->at_infinity || is_far_out(outcome.end->q);
      if (stretches > 0 && far_out && start_at(u)) {
        singular = branch_.orientation() == 0;
        break;
      }
      lose(k, outcome);
    }
    row_has_branch_ = true;
    present_row_.back() = Place{branch_.q(), branch_.inputs()};
    if (value.between) return;
    add_step(value, singular);
    if (result_.steps.back().status == StepStatus::singular && !u.empty()) report_singular(value, u);
    if (value.row_start == k) row_start_ = present_row_.back();
  }

  // Puts the branch at u by its signs alone.
  bool start_at(const std::vector<double>& u) {
    Place place{branch_.q(), u};
    if (!signs_ || !place_on(*signs_, place)) return false;
    count_turns_from(branch_.q(), place);
    branch_.start(place.q, place.u);
    return true;
  }

  // The next row of a nested sweep begins where the last one began.
  void start_row() {
    close_open_stretch();
    last_row_ = std::move(present_row_);
    present_row_.clear();
    row_has_branch_ = false;
    const Place& from = row_start_ ? *row_start_ : home_;
    branch_.start(from.q, from.u);
  }

  double x_of(const Value& value) const {
    return by_time_ || options_.inputs.empty() ? value.t : value.targets[moving_].value;
  }
  // The inputs of the value's row at x.
  std::vector<double> inputs_in_row(const Value& value, double x) const {
    std::vector<double> u = inputs_of(value);
    for (std::size_t d = 0; d < u.size(); ++d) {
      if (options_.inputs[d].motion) u[d] = options_.inputs[d].motion->at(x);
    }
    if (!by_time_ && !u.empty()) u[moving_] = x;
    return u;
  }
  // x where the inputs of the row are these, between x0 and x1; of a motion by time the moving input decides.
  double x_between(const Value& value, double x0, double x1, const std::vector<double>& u) const {
    if (u.empty() || !by_time_) return u.empty() ? x1 : u[moving_];
    const auto gap = [&](double x) { return inputs_in_row(value, x)[moving_] - u[moving_]; };
    double low = x0, high = x1, at_low = gap(low);
    if (at_low * gap(high) > 0) return x1;
    for (int i = 0; i < 200 && low != high; ++i) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      if ((gap(middle) > 0) == (at_low > 0)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }
  double x_before(std::size_t k) const { return x_of(values_[k > values_[k].row_start ? k - 1 : k]); }
  double x_near(std::size_t k, const std::vector<double>& u) const {
    return x_between(values_[k], x_before(k), x_of(values_[k]), u);
  }

  // On the way to value k the branch ended, or could not be followed.
  void lose(std::size_t k, BranchFollower::Outcome& outcome) {
    const Value& value = values_[k];
    Stretch stretch;
    stretch.begins_row = !row_has_branch_;
    if (signs_ && branch_.orientation() != 0) {
      if (auto signs = form_.branch_of(branch_.q(), branch_.inputs())) signs_ = std::move(signs);
    }
    stretch.exact = outcome.end.has_value() && !stretch.begins_row;
    if (outcome.end && !stretch.begins_row) put_on_motion(k, *outcome.end);
    stretch.inputs = outcome.end ? outcome.end->inputs : branch_.inputs();
    stretch.q = outcome.end ? outcome.end->q : branch_.q();
    const std::vector<double> u = inputs_of(value);
    if (outcome.end) {
      // One on the way to the row is none of the row; those are found from their other side.
      if (!stretch.begins_row) {
        add_dead_point(stretch.inputs, x_near(k, stretch.inputs), true, outcome.end->q, moving_,
                       outcome.end->at_infinity);
      }
      if (!outcome.end->at_infinity) guesses_.push_back(outcome.end->q);
      stretch.beyond = u[moving_] - stretch.inputs[moving_];
    }
    stretch.from = stretch.exact        ? x_near(k, stretch.inputs)
                   : stretch.begins_row ? x_of(values_[value.row_start])
                                        : x_before(k);
    stretch.scanned = stretch.from;
    lost_ = std::move(stretch);
  }

  // Several inputs by time: the branch was followed in a straight line from the value before, the motion is bent.
  void put_on_motion(std::size_t k, BranchFollower::End& end) {
    if (timed_ < 2 || !signs_ || end.at_infinity) return;
    const Value& value = values_[k];
    double x = comes_from_;
    const double to = x_of(value), direction = to < x ? -1 : 1;
    Place here{end.q, inputs_in_row(value, x)};
    if (!place_on(*signs_, here)) return;
    while (x != to) {
      const double next = std::abs(to - x) > scanning_pace() ? x + direction * scanning_pace() : to;
      Place there{here.q, inputs_in_row(value, next)};
      if (!place_on(*signs_, there)) {
        here = last_place(value, std::move(here), x, next);
        end.inputs = std::move(here.u), end.q = std::move(here.q);
        return;
      }
      x = next, here = std::move(there);
    }
  }

  // Our branch has a position at x, `here`, and none at x_without: the last one on the way there, by halves. x goes with it.
  Place last_place(const Value& value, Place here, double& x, double x_without) {
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (x + x_without);
      if (middle == x || middle == x_without) break;
      Place place{here.q, inputs_in_row(value, middle)};
      if (place_on(*signs_, place)) {
        x = middle, here = std::move(place);
      } else {
        x_without = middle;
      }
    }
    return here;
  }

  // Puts the branch at a place from which value k can be reached. False: there is none.
  bool find_again(std::size_t k) { return come_back(k) || connect(k) || scan(k); }

  // An input that moves by time may turn round; and a sweep may begin in a stretch without position: then the branch waits at its
  // end, and values on its side are on it.
  bool come_back(std::size_t k) {
    if (timed_ > 1 && signs_) return false;  // they have no one way back
    const Value& value = values_[k];
    const std::vector<double> u = inputs_of(value);
    if (lost_->beyond == 0 || (u[moving_] - lost_->inputs[moving_]) * lost_->beyond > 0) return false;
    const Stretch waiting = *lost_;
    if (!branch_.go_to(u).arrived) return false;
    if (waiting.begins_row) {
      end_stretch_before(k);
      return true;
    }
    const double x = x_near(k, waiting.inputs);
    if (by_time_) add_dead_point(waiting.inputs, x, true, waiting.q);
    end_stretch(k, x, true);
    return true;
  }

  // Of a row that began without position, at value k: where the branch began, on the way from the value before.
  void end_stretch_before(std::size_t k) {
    const Value& value = values_[k];
    double begins = x_of(value);
    bool exact = false;
    if (k > value.row_start) {
      std::optional<BranchFollower::End> end;
      if (timed_ > 1 && signs_) {
        end = end_between(value, x_before(k), begins);
      } else {
        BranchFollower back(solver_);
        back.start(branch_.q(), inputs_of(value));
        end = back.go_to(inputs_of(values_[k - 1])).end;
        if (end) begins = x_near(k, end->inputs);
      }
      if (end) {
        exact = true;
        add_dead_point(end->inputs, begins, true, end->q, moving_, end->at_infinity);
        if (!end->at_infinity) guesses_.push_back(end->q);
      }
    }
    end_stretch(k, begins, exact);
  }

  // A row that begins without position: this value may be reached from the last row, or from home by the inner input first.
  bool connect(std::size_t k) {
    if (!lost_->begins_row) return false;
    const Value& value = values_[k];
    const std::vector<double> u = inputs_of(value);
    const auto reach = [&](const Place& from, bool inner_first) {
      BranchFollower way(solver_, form_to_follow());
      way.start(from.q, from.u);
      std::vector<double> corner = from.u;
      corner[moving_] = u[moving_];
      if ((inner_first && !way.go_to(corner).arrived) || !way.go_to(u).arrived) return false;
      branch_.start(way.q(), u);
      return true;
    };
    const std::size_t index = k - value.row_start;
    const bool reached = (index < last_row_.size() && last_row_[index] && reach(*last_row_[index], false)) ||
                         reach(home_, true) || start_on_mode(u);
    if (!reached) return false;
    end_stretch_before(k);
    return true;
  }

  // Looks for a branch at places of our own, up to the one behind value k, and at the value itself.
  bool scan(std::size_t k) {
    const Value& value = values_[k];
    const double x = x_of(value), direction = x < lost_->from ? -1 : 1;
    const auto is_before = [&](double one, double other) { return (one - other) * direction < 0; };
    const double pace = scanning_pace(), anchor = lost_->from;
    while (!lost_->found && is_before(lost_->scanned, x)) {
      lost_->scanned = anchor + direction * pace * ++lost_->scans;
      look_at(value, lost_->scanned, direction);
    }
    if (!lost_->found && !value.between) look_at(value, x, direction);
    if (!lost_->found || is_before(x, lost_->found->begins)) return false;
    const Stretch::Found found = *std::move(lost_->found);
    branch_.start(found.place.q, found.place.u);
    comes_from_ = found.x;
    if (found.end.at_infinity && branch_.orientation() != 0) side_ = branch_.orientation();
    add_dead_point(found.end.inputs, found.begins, true, found.end.q, moving_, found.end.at_infinity);
    if (!found.end.at_infinity) guesses_.push_back(found.end.q);
    end_stretch(k, found.begins, true);
    return true;
  }
  // Where signs say which branch is ours, a look costs microseconds.
  double scanning_pace() const {
    const double pace = signs_ ? 0.002 : 0.02;
    if (by_time_) return std::abs(options_.inputs[moving_].to - options_.inputs[moving_].from) * pace / 10;
    return is_angle(options_.inputs[moving_].driver) ? pace : pace * solver_.characteristic_length();
  }
  bool is_angle(const Driver& driver) const {
    return driver.joint >= 0 ? freedoms(mech_.joints[driver.joint].type)[driver.dof].dimension == dimension::angle
                             : driver.component >= Driver::Component::turn_x;
  }

  // Positions at inputs u: all of them by closed form where there is one, whatever follows the branch later, so that the same branch
  // is found; or those that closing from known ones leads to.
  std::vector<std::vector<double>> positions_at(const std::vector<double>& u) {
    std::vector<Target> targets;
    for (const double value : u) targets.push_back({value, 0, 0, 0});
    std::vector<std::vector<double>> list;
    if (form_.exists()) {
      list = form_.positions(u, 64);
      for (std::vector<double>& q : list) solver_.follow(q, targets);  // a quartic may have lost digits
      return list;
    }
    const std::size_t count = std::min<std::size_t>(guesses_.size(), 4);
    for (std::size_t i = 0; i < count; ++i) {  // home, and the dead points met last
      std::vector<double> q = i == 0 ? guesses_.front() : guesses_[guesses_.size() - i];
      set_driven(q, u);
      if (solver_.assemble(q, targets, {.max_iterations = 60}).closed()) list.push_back(std::move(q));
    }
    return list;
  }

  // The place that was looked at before x.
  double scanned_before(double x, double direction) const {
    const double before = x - direction * scanning_pace();
    return (before - lost_->from) * direction < 0 ? lost_->from : before;
  }

  // Is there a position on our branch at x? Where signs say which it is, the one that has them: a determinant alone would take two loops that
  // have both changed theirs for ours.
  void look_at(const Value& value, double x, double direction) {
    const std::vector<double> u = inputs_in_row(value, x), behind = inputs_in_row(value, lost_->from);
    if (!std::all_of(u.begin(), u.end(), [](double y) { return std::isfinite(y); })) return;
    if (!signs_) {
      look_on_our_side(value, x, direction, u, behind);
      return;
    }
    Place place{lost_->q, u};
    if (!place_on(*signs_, place)) return;
    BranchFollower back(solver_);
    back.start(place.q, u);
    BranchFollower::Outcome outcome;
    if (timed_ < 2) outcome = back.go_to(behind);
    // Several inputs by time do not move in a straight line; at the place before there was no position.
    double begins = x;
    const bool by_halves = !outcome.end;
    if (by_halves) outcome.end = end_between(value, timed_ < 2 ? lost_->from : scanned_before(x, direction), begins);
    const double near = 1e-4 * (is_angle(options_.inputs[moving_].driver) ? 1 : solver_.characteristic_length());
    outcome.end->at_infinity = outcome.end->at_infinity || is_far_out(outcome.end->q);
    if (outcome.end->at_infinity && is_far_out(lost_->q) &&
        std::abs(outcome.end->inputs[moving_] - lost_->inputs[moving_]) < near) {
      outcome.end->inputs = lost_->inputs;  // it comes back where it left; so far out all is blurred
    }
    count_turns_from(lost_->q, place);
    if (!by_halves || !by_time_) begins = x_between(value, lost_->from, x, outcome.end->inputs);
    lost_->found = Stretch::Found{begins, x, *std::move(outcome.end), std::move(place)};
  }

  // Where our branch begins that has no position at x0 and one at x1, which becomes that place: by halves.
  BranchFollower::End end_between(const Value& value, double x0, double& x1) {
    Place here{lost_->q, inputs_in_row(value, x1)};
    place_on(*signs_, here);
    here = last_place(value, std::move(here), x1, x0);
    return {1, here.u, here.q, {}, {}, is_far_out(here.q)};
  }

  // One that begins behind the stretch, on our side of its turn; of several the one that begins first.
  void look_on_our_side(const Value& value, double x, double direction, const std::vector<double>& u,
                        const std::vector<double>& behind) {
    for (std::vector<double>& q : positions_at(u)) {
      BranchFollower back(solver_);
      back.start(q, u);
      const int side = back.orientation();
      BranchFollower::Outcome outcome = back.go_to(behind);
      if (outcome.arrived || !outcome.end) continue;  // this one reaches through: another circuit
      Place place{std::move(q), u};
      const bool other_side = side_ != 0 && side != side_;
      if (other_side && outcome.end->at_infinity) {  // where the side may change, though our choices do not
        if (!is_on_mode(place)) continue;
      } else if (other_side) {
        BranchFollower other(solver_);
        other.start(outcome.end->q_beyond, outcome.end->inputs_beyond);
        if (!other.go_to(u).arrived) continue;
        place.q = other.q();
      }
      count_turns_from(lost_->q, place);
      const double begins = x_between(value, scanned_before(x, direction), x, outcome.end->inputs);
      if (lost_->found && (begins - lost_->found->begins) * direction > -1e-9) continue;
      lost_->found = Stretch::Found{begins, x, *std::move(outcome.end), std::move(place)};
    }
  }

  // Behind a stretch nobody can say how often a joint has turned: as little as possible since the last position.
  void count_turns_from(const std::vector<double>& q, Place& place) const {
    std::vector<char> counts(mech_.joints.size(), 0);  // gears and inputs know
    for (const CouplingInfo& c : mech_.couplings) counts[c.first] = counts[c.second] = 1;
    for (const SweepInput& input : options_.inputs) {
      if (input.driver.joint >= 0) counts[input.driver.joint] = 1;
    }
    for (const Link& link : mech_.links) {
      if (counts[link.joint] || link.nq != link.nv || std::holds_alternative<Helical>(link.type)) continue;
      const std::vector<Freedom> list = freedoms(link.type);
      for (int i = 0; i < link.nq; ++i) {
        constexpr double turn = 2 * std::numbers::pi;
        double& x = place.q[link.q + i];
        if (list[i].dimension == dimension::angle) x -= turn * std::round((x - q[link.q + i]) / turn);
      }
    }
  }

  void end_stretch(std::size_t k, double to, bool exact) {
    const Stretch& s = *lost_;
    ImaginaryRange range;
    range.input = static_cast<int>(moving_);
    range.from_is_exact = s.exact, range.to_is_exact = exact;
    const Value& row = values_[k];
    range.inputs = s.exact ? s.inputs : inputs_in_row(row, s.from);
    range.from = range.inputs[moving_];
    range.to = inputs_in_row(row, to)[moving_];
    if (by_time_) range.t_from = s.from, range.t_to = to;
    result_.imaginary.push_back(std::move(range));
    lost_.reset();
    row_has_branch_ = true;
  }
  // At the end of a row: the last value that was worked on belongs to it.
  void close_open_stretch() {
    if (lost_) end_stretch(last_, x_of(values_[last_]), false);
  }

  // Once for each place: a value asked for may lie on it, and be met again on the way to the next.
  void add_dead_point(const std::vector<double>& inputs, double x, bool is_limit, const std::vector<double>& q) {
    add_dead_point(inputs, x, is_limit, q, moving_);
  }
  void add_dead_point(const std::vector<double>& inputs, double x, bool is_limit, const std::vector<double>& q,
                      std::size_t input, bool at_infinity = false) {
    for (const DeadPoint& known : result_.dead_points) {
      double apart = 0;
      for (std::size_t d = 0; d < inputs.size(); ++d) apart = std::max(apart, std::abs(inputs[d] - known.inputs[d]));
      const bool other_time =
          by_time_ && std::abs(x - known.t) > 1e-6 * std::abs(x_of(values_.back()) - x_of(values_.front()));
      if (apart <= 1e-7 && known.is_limit == is_limit && !other_time) return;
    }
    result_.dead_points.push_back(
        {static_cast<int>(input), inputs[input], is_limit, at_infinity, inputs, q, by_time_ ? x : 0});
  }

  // A value asked for where the inputs do not determine the motion. It is a limit of the input where one of its sides has no position.
  void report_singular(const Value& at, const std::vector<double>& u) {
    const std::vector<double> q = result_.steps.back().q;
    if (is_far_out(q)) return;  // on the way to infinity all becomes singular
    const auto has_position = [&](double aside) {
      std::vector<double> beside = u, q_beside = q;
      beside[moving_] += aside;
      set_driven(q_beside, beside);
      std::vector<Target> targets;
      for (const double value : beside) targets.push_back({value, 0, 0, 0});
      return solver_.assemble(q_beside, targets).closed();
    };
    const bool angle = is_angle(options_.inputs[moving_].driver);
    const double aside = angle ? 1e-3 : 1e-3 * solver_.characteristic_length();
    add_dead_point(u, x_of(at), !has_position(aside) || !has_position(-aside), q);
  }

  void note_once(const char* note) {
    if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
      result_.notes.emplace_back(note);
  }

  void set_driven(std::vector<double>& q, const std::vector<double>& u) const {
    for (std::size_t d = 0; d < u.size(); ++d) {
      const Driver& driver = options_.inputs[d].driver;
      if (driver.joint < 0 || mech_.joints[driver.joint].role != JointRole::tree) continue;
      q[static_cast<std::size_t>(mech_.joints[driver.joint].q + driver.dof)] = u[d];
    }
  }

  void add_imaginary(const Value& value) {
    if (value.between) return;
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
    const auto finite = [&](double Target::*derivative) {
      return std::all_of(value.targets.begin(), value.targets.end(),
                         [&](const Target& target) { return std::isfinite(target.*derivative); });
    };
    const bool has_rates = finite(&Target::rate) && finite(&Target::acceleration), has_jerk = finite(&Target::jerk);
    if (!has_rates)
      note_once("the speed or acceleration of an input is not finite at some of its values: no motion there");
    step.has_motion = ok && has_rates;
    if (!step.has_motion) step.v.assign(nv, 0.0), step.a.assign(nv, 0.0);
    if (step.has_motion && options_.jerk) {
      if (!has_jerk) note_once("the jerk of an input is not finite at some of its values: no jerk there");
      step.j.assign(nv, 0.0);
      if (!has_jerk || !solver_.jerks(step.q, step.v, step.a, value.targets, step.j)) step.j.clear();
    }
    finish(step, value.t, ok ? motion_per_input(step.q, value.targets) : std::nullopt);
  }

  // Where the inputs stand still, what depends on ratios of speeds is read off the motion that the innermost input would cause. Several
  // inputs by time move in a ratio of their own, which is not known at rest.
  std::optional<AnalysisStep> motion_per_input(const std::vector<double>& q, std::vector<Target> targets) {
    const auto timed = std::count_if(options_.inputs.begin(), options_.inputs.end(),
                                     [](const SweepInput& input) { return input.motion.has_value(); });
    const bool still =
        std::all_of(targets.begin(), targets.end(), [](const Target& target) { return target.rate == 0; });
    if (!still || targets.empty() || timed > 1 || !measures_.reads_rates()) return std::nullopt;
    targets[moving_].rate = 1;
    AnalysisStep step;
    step.q = q;
    step.v.assign(static_cast<std::size_t>(mech_.nv), 0.0), step.a = step.v;
    if (!solver_.velocities(q, targets, step.v)) return std::nullopt;
    fill_motion(mech_, solver_.workspace(), step);
    step.has_motion = true;
    return step;
  }

  void finish(AnalysisStep& step, double t, const std::optional<AnalysisStep>& per_input = std::nullopt) {
    fill_motion(mech_, solver_.workspace(), step);
    if (options_.forces && step.status == StepStatus::ok && step.has_motion) {
      ForceProblem problem{options_.gravity,     options_.inertia, options_.friction, t,
                           options_.given_drive, options_.fluid};
      ForceSolution forces = solve_forces(solver_, step.q, step.v, step.a, problem);
      step.reactions = std::move(forces.reactions);
      step.constraint_forces = std::move(forces.constraint_forces);
      step.constraint_determinate = std::move(forces.constraint_determinate);
      step.constraint_out_of_plane_unknown = std::move(forces.constraint_out_of_plane_unknown);
      step.drive = std::move(forces.drive);
      step.loads = std::move(forces.loads);
      step.ledger = forces.ledger;
      step.balanced = forces.balanced;
    }
    step.measures = measures_.read(step, per_input ? &*per_input : nullptr);
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
