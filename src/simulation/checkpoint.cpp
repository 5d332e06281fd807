// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All that a later run needs to go on, as numbers.

#include <cmath>
#include <limits>

#include "simulation/implementation.hpp"

namespace trammel {
namespace {
using At = std::size_t;
}  // namespace

// The same numbers into a checkpoint and out of it. Lists bring their length with them.
class CheckpointNumbers {
 public:
  explicit CheckpointNumbers(std::vector<double>& out) : out_(&out) {}
  explicit CheckpointNumbers(std::span<const double> in) : in_(in) {}

  template <class T>
  void operator()(T& x) {
    if (out_ != nullptr) {
      out_->push_back(static_cast<double>(x));
    } else {
      if (in_.empty()) refuse();
      x = static_cast<T>(in_.front());
      in_ = in_.subspan(1);
    }
  }
  void list(std::vector<double>& x) {
    double size = static_cast<double>(x.size());
    (*this)(size);
    if (!(size >= 0 && (out_ != nullptr || size <= static_cast<double>(in_.size())))) refuse();
    x.resize(static_cast<At>(size));
    for (double& number : x) (*this)(number);
  }
  void list_of_same_length(std::vector<double>& x) {
    const At length = x.size();
    list(x);
    if (x.size() != length) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::invalid_argument("the checkpoint is of a simulation with other parts or options");
  }
  std::vector<double>* out_ = nullptr;
  std::span<const double> in_;
};

void Simulation::Implementation::exchange(CheckpointNumbers& numbers, std::vector<double>& memory) {
  numbers.list_of_same_length(y);
  numbers(next_control), numbers(stored_at_start), numbers(record_origin), numbers(records);
  numbers(report.drift.position), numbers(report.drift.orientation), numbers(report.energy.largest_error);
  numbers(report.event_count), numbers(stepper->rejected);
  std::vector<double> slips;
  for (const System::DryFreedom& d : system.dry) slips.push_back(d.slip);
  numbers.list_of_same_length(slips);
  for (At i = 0; i < slips.size(); ++i) system.dry[i].slip = static_cast<int>(slips[i]);
  for (At i = 0; i < system.coil_count(); ++i) {
    int held = system.coil(i).held;
    numbers(held);
    system.set_held(i, held);
  }
  for (At i = 0; i < system.stops().size(); ++i) {
    bool pushes = system.stops()[i].pushes;
    double slack = system.stops()[i].slack;
    numbers(pushes), numbers(slack);
    system.set_pushes(i, pushes, slack);
  }
  for (At i = 0; i < system.contacts().size(); ++i) {
    ContactForces::Mode mode = system.contacts().mode(i);
    numbers(mode.touches), numbers(mode.slips), numbers(mode.normal), numbers(mode.slack);
    system.contacts().set_mode(i, mode);
  }
  std::vector<double> sides = watch.sides();
  numbers.list_of_same_length(sides);
  watch.set_sides(sides);
  for (int j = 0; j < system.mechanism().joint_count(); ++j) {
    if (!system.mechanism().joints[static_cast<At>(j)].starts_open) continue;
    const Transformd before = system.mechanism().joints[static_cast<At>(j)].X_BM;
    Transformd X = before;  // where a capture has left it
    for (Vec3d* column : {&X.R.ex, &X.R.ey, &X.R.ez, &X.p}) numbers(column->x), numbers(column->y), numbers(column->z);
    if (!(X == before)) system.move_closure(j, X);
  }
  if (LoopDynamics* loops = system.loops()) {
    const Mechanism& mech = system.mechanism();
    const auto exchange_switch = [&](ConstraintRow::Source source, int index) {
      bool active = loops->is_active(source, index);
      numbers(active);
      loops->set_active(source, index, active);
    };
    for (const Loop& loop : mech.loops) exchange_switch(ConstraintRow::Source::joint, loop.closure);
    for (int k = 0; k < static_cast<int>(mech.couplings.size()); ++k) {
      exchange_switch(ConstraintRow::Source::coupling, k);
    }
    for (int k = 0; k < static_cast<int>(mech.constraints.size()); ++k) {
      exchange_switch(ConstraintRow::Source::constraint, k);
    }
    std::vector<double> turns = loops->turns();
    numbers.list_of_same_length(turns);
    loops->set_turns(turns);
  }
  memory = stepper->memory();
  numbers.list(memory);
  std::vector<double> controls(system.given_controls().begin(), system.given_controls().end());
  numbers.list(controls);
  system.set_controls(controls);
}

Checkpoint Simulation::checkpoint() const {
  Implementation& impl = *implementation_;
  Checkpoint out{.t = impl.t, .steps = impl.report.steps, .rows = impl.records};
  CheckpointNumbers numbers(out.numbers);
  std::vector<double> memory;
  impl.exchange(numbers, memory);
  return out;
}

void Simulation::restore(const Checkpoint& checkpoint) {
  Implementation& impl = *implementation_;
  impl.report = {};
  impl.report.steps = checkpoint.steps;
  impl.t = checkpoint.t;
  CheckpointNumbers numbers{std::span<const double>(checkpoint.numbers)};
  std::vector<double> memory;
  impl.exchange(numbers, memory);
  impl.last_row_time = std::numeric_limits<double>::quiet_NaN();
  if (const double every = impl.options.record_every; every > 0) {  // it may be another than before
    const double next = std::floor((impl.t - impl.record_origin) / every + 1e-9) + 1;
    impl.row_shift = next - static_cast<double>(impl.records);
    const double last = impl.record_origin + (next - 1) * every;
    if (std::abs(last - impl.t) <= 1e-15 * std::abs(impl.t)) impl.last_row_time = impl.t;
  }
  while (impl.samples < impl.options.at.size() && impl.options.at[impl.samples] <= impl.t) ++impl.samples;
  impl.stepper->start(impl.record_origin, impl.y);  // the grid of fixed steps begins where it did
  impl.stepper->start(impl.t, impl.y);
  impl.stepper->recall(memory);
  impl.prepared = true;
  impl.show(impl.t, impl.y);
}

}  // namespace trammel
