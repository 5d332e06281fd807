// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/lane_rollout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/batch.hpp>

#include "kernels/tree_of.hpp"
#include "simulation/lane_step.hpp"
#include "simulation/stepper.hpp"

namespace trammel {
namespace {

using At = std::size_t;

std::string why_not(const ActuatorInfo& info, const Mechanism& mechanism) {
  const Actuator& a = info.settings;
  const bool is_servo =
      a.kind == Actuator::Kind::torque || a.kind == Actuator::Kind::position || a.kind == Actuator::Kind::velocity;
  const bool on_tree = info.joint >= 0 && mechanism.joints[static_cast<At>(info.joint)].role == JointRole::tree;
  if (is_servo && on_tree && a.dof != Actuator::all_of_ball) return {};
  return fmt::format("actuator '{}' is no torque, position or velocity servo on one freedom of the tree", a.name);
}

std::string why_not(const ContactPair& pair, const Mechanism& mechanism) {
  const bool is_ball = pair.kind == ContactShape::Kind::points || pair.kind == ContactShape::Kind::sphere;
  if (!is_ball) return fmt::format("contact '{}' is neither a point nor a sphere", pair.name);
  const bool moves = pair.second != ground && mechanism.bodies[static_cast<At>(pair.second)].link != ground;
  if (pair.target >= 0 || !moves)
    return fmt::format("contact '{}' is not one of a moving body with the terrain", pair.name);
  const bool is_plane = mechanism.contacts.terrain && mechanism.contacts.terrain->kind == Terrain::Kind::plane;
  return is_plane ? "" : "the terrain is no plane";
}

SimulationOptions settings_of(const RolloutOptions& options) {
  SimulationOptions s;
  s.integrator = options.integrator;
  s.step = options.step;
  s.friction = options.friction;
  s.fluid = options.fluid;
  return s;
}

// One block.
class LaneBlock {
 public:
  LaneBlock(const Mechanism& mechanism, const RolloutOptions& options, std::span<const RolloutCase* const> cases,
            std::span<Rollout* const> results)
      : options_(options),
        cases_(cases),
        results_(results),
        begin_(begin_of(mechanism, *cases.front())),
        system_(mechanism, settings_of(options)),
        mech_(system_.mechanism()),
        tree_(tree_of(mech_)),
        q_(mech_.nq, lane_count()),
        v_(mech_.nv, lane_count()),
        contacts_(LaneStepTask::contact_rows * static_cast<int>(mech_.contacts.pairs.size()), lane_count()),
        controls_(static_cast<int>(system_.control_count()), lane_count()),
        left_(1, lane_count()),
        kernel_(*trammel_lane_step(cases.front()->parameters != nullptr)),
        workspace_(kernel_.workspace_numbers(tree_)),
        scratch_(kernel_.scratch_numbers(tree_, static_cast<int>(mech_.contacts.pairs.size()))),
        targets_(system_.control_count()),
        own_controls_(system_.control_count()),
        own_q_(static_cast<At>(mech_.nq)),
        own_v_(static_cast<At>(mech_.nv)) {
    kernel_.set_parameters(tree_, arrays_of(mech_.parameters), workspace_.data());
    take_parts();
    for (int lane = 0; lane < lane_count(); ++lane) {
      const RolloutCase& one = case_of(lane);
      if (!one.parameters) {
        place(lane, one, system_);
        continue;
      }
      Mechanism own = mechanism;
      own.parameters = *one.parameters;
      System its(own, settings_of(options));
      kernel_.set_lane(tree_, arrays_of(its.mechanism().parameters), lane, workspace_.data());
      place(lane, one, its);
    }
  }

  void run() {
    const bool controlled = !cases_.front()->controls.empty() || cases_.front()->controller;
    const double until = end_on_grid(begin_, options_.step, begin_ + options_.duration);
    const double period = control_period(options_);
    double t = begin_, next_control = begin_;
    record(t);
    while (t < until && !all_are_left()) {
      if (!controlled) {
        set_targets(t);
      } else if (t >= next_control - 1e-9 * period) {
        update_controls(t);
        next_control = next_on_period(begin_, period, t);
      }
      const double next = next_on_grid(begin_, options_.step, t, controlled ? std::min(until, next_control) : until);
      task_.h = next - t;
      kernel_.step(task_, tree_, workspace_.data(), scratch_.data());
      t = next;
      ++steps_;
      while (options_.sample_every > 0 && next_row() <= t + 1e-9 * options_.step) record(next_row());
    }
    if (options_.sample_every > 0 && last_row_ < t - 1e-9 * options_.step) record(t);
    for (At i = 0; i < cases_.size(); ++i) finish(i, t);
  }

 private:
  void take_parts() {
    int control = 0;
    for (const ActuatorInfo& info : mech_.actuators) {
      const JointInfo& joint = mech_.joints[static_cast<At>(info.joint)];
      const int dof = info.settings.dof;
      servos_.push_back({servo_of(info.settings), joint.q + dof, joint.v + dof, control++});
    }
    for (const ContactPair& pair : mech_.contacts.pairs) {
      points_.push_back({pair.second, mech_.bodies[static_cast<At>(pair.second)].link, pair.p_B, pair.radius,
                         mech_.contacts.laws[static_cast<At>(pair.law)]});
    }
    for (const Stop& stop : system_.stops()) {
      stops_.push_back({static_cast<int>(stop.q), static_cast<int>(stop.v), stop.is_upper, stop.limit});
    }
    task_.servos = servos_.data(), task_.servo_count = static_cast<int>(servos_.size());
    task_.points = points_.data(), task_.point_count = static_cast<int>(points_.size());
    task_.stops = stops_.data(), task_.stop_count = static_cast<int>(stops_.size());
    if (!points_.empty()) {
      const Transformd& X_WT = mech_.contacts.terrain->X_WT;
      task_.ground_n = X_WT.R.ez;
      task_.ground_offset = dot(X_WT.R.ez, X_WT.p);
    }
    task_.implicit = options_.integrator == Integrator::implicit;
    task_.friction = options_.friction;
    task_.q = q_.block(0), task_.v = v_.block(0), task_.contacts = contacts_.block(0), task_.left = left_.block(0);
    task_.controls = controls_.block(0);
  }

  // Lanes beyond the last case go along with the first, so that nothing in them is extraordinary.
  const RolloutCase& case_of(int lane) const {
    return *cases_[static_cast<At>(lane) < cases_.size() ? static_cast<At>(lane) : 0];
  }

  // Where a lane begins, and which contacts touch there: as a simulation has it.
  void place(int lane, const RolloutCase& one, System& system) {
    std::vector<double> y = system.start(one.start ? *one.start : initial_state(mech_));
    system.finish(begin_, y);
    for (At k = 0; k < mech_.contacts.pairs.size(); ++k) system.contacts().set_mode(k, {});
    system.settle_contacts(begin_, y);
    q_.set(lane, system.q(std::span<const double>(y)));
    v_.set(lane, system.v(std::span<const double>(y)));
    const std::span<double> u = system.bristles(std::span<double>(y));
    for (At k = 0; k < mech_.contacts.pairs.size(); ++k) {
      const ContactForces::Mode& mode = system.contacts().mode(k);
      const double rows[] = {u[3 * k],   u[3 * k + 1], u[3 * k + 2], mode.touches ? 1.0 : 0.0, mode.slips ? 1.0 : 0.0,
                             mode.normal};
      for (int i = 0; i < LaneStepTask::contact_rows; ++i) {
        contacts_(LaneStepTask::contact_rows * static_cast<int>(k) + i, lane) = rows[i];
      }
    }
    left_(0, lane) = 0;
  }

  void set_targets(double t) {
    system_.controls_of_targets(t, targets_);
    for (At k = 0; k < targets_.size(); ++k) {
      for (int lane = 0; lane < lane_count(); ++lane) controls_(static_cast<int>(k), lane) = targets_[k];
    }
  }
  void update_controls(double t) {
    system_.controls_of_targets(t, targets_);
    for (int lane = 0; lane < static_cast<int>(cases_.size()); ++lane) {
      if (left_(0, lane) != 0) continue;
      own_controls_ = targets_;
      q_.get(lane, own_q_), v_.get(lane, own_v_);
      set_controls(case_of(lane), options_, begin_, {t, own_q_, own_v_}, own_controls_);
      controls_.set(lane, own_controls_);
    }
    for (int lane = static_cast<int>(cases_.size()); lane < lane_count(); ++lane) {
      for (int k = 0; k < controls_.rows(); ++k) controls_(k, lane) = controls_(k, 0);
    }
  }

  bool all_are_left() const {
    for (int lane = 0; lane < static_cast<int>(cases_.size()); ++lane) {
      if (left_(0, lane) == 0) return false;
    }
    return true;
  }

  double next_row() const { return begin_ + static_cast<double>(rows_) * options_.sample_every; }
  void record(double t) {
    ++rows_;
    last_row_ = t;
    if (!(options_.sample_every > 0)) return;
    for (At i = 0; i < cases_.size(); ++i) {
      q_.get(static_cast<int>(i), own_q_), v_.get(static_cast<int>(i), own_v_);
      std::vector<double>& samples = results_[i]->samples;
      samples.push_back(t);
      samples.insert(samples.end(), own_q_.begin(), own_q_.end());
      samples.insert(samples.end(), own_v_.begin(), own_v_.end());
    }
  }

  void finish(At i, double t) {
    Rollout& out = *results_[i];
    const int lane = static_cast<int>(i);
    out.in_lanes = left_(0, lane) == 0;
    if (!out.in_lanes) {
      out = {};
      return;
    }
    out.steps = steps_;
    out.end.t = t;
    out.end.q.resize(own_q_.size()), out.end.v.resize(own_v_.size());
    q_.get(lane, out.end.q), v_.get(lane, out.end.v);
  }

  const RolloutOptions& options_;
  std::span<const RolloutCase* const> cases_;
  std::span<Rollout* const> results_;
  double begin_;
  System system_;
  const Mechanism& mech_;
  Tree tree_;
  LaneArray q_, v_, contacts_, controls_, left_;
  const TrammelLaneStep& kernel_;
  AlignedArray<double> workspace_, scratch_;
  std::vector<double> targets_, own_controls_, own_q_, own_v_;
  std::vector<LaneServo> servos_;
  std::vector<LanePoint> points_;
  std::vector<LaneStop> stops_;
  LaneStepTask task_;
  std::uint64_t steps_ = 0, rows_ = 0;
  double last_row_ = 0;
};

}  // namespace

bool has_sticking(const Mechanism& mechanism, const Parameters<double>& parameters) {
  for (const Link& link : mechanism.links) {
    for (int k = link.v; k < link.v + link.nv && link.nq == link.nv; ++k) {
      if (parameters.dry[static_cast<At>(k)] > 0) return true;
    }
  }
  return false;
}

std::string why_no_lanes(const Mechanism& mechanism, const RolloutOptions& options) {
  const bool implicit = options.integrator == Integrator::implicit;
  if (!implicit && options.integrator != Integrator::semi_implicit) {
    return "steps are neither implicit nor semi_implicit";
  }
  if (mechanism.has_custom_joint) return "there is a custom joint";
  if (!mechanism.is_tree()) return "there are loops, couplings or constraints";
  if (!mechanism.drives.empty()) return "there are drives";
  if (!mechanism.springs.empty() || !mechanism.bushings.empty()) return "there are springs or bushings";
  if (!mechanism.loads.empty()) return "there are loads";
  if (!mechanism.events.empty() || !mechanism.impacts.empty()) return "there are events or impacts";
  if (options.fluid && !FluidForces(mechanism).empty()) return "there is a fluid";
  if (options.friction && has_sticking(mechanism, mechanism.parameters)) return "there is dry friction that sticks";
  if (!implicit && !mechanism.contacts.pairs.empty()) return "contacts need implicit steps";
  for (const ActuatorInfo& actuator : mechanism.actuators) {
    if (std::string why = why_not(actuator, mechanism); !why.empty()) return why;
  }
  for (const ContactPair& pair : mechanism.contacts.pairs) {
    if (std::string why = why_not(pair, mechanism); !why.empty()) return why;
  }
  const double steps_a_row = options.sample_every / options.step;
  if (std::abs(steps_a_row - std::round(steps_a_row)) > 1e-9) return "samples are taken within steps";
  return {};
}

double begin_of(const Mechanism& mechanism, const RolloutCase& one) {
  return one.fork ? one.fork->t : one.start ? one.start->t : initial_state(mechanism).t;
}

double control_period(const RolloutOptions& options) {
  return options.control_period > 0 ? options.control_period : options.step;
}

void set_controls(const RolloutCase& one, const RolloutOptions& options, double begin, const Moment& moment,
                  std::span<double> controls) {
  if (!one.controls.empty()) {
    const At rows = one.controls.size() / controls.size();
    const double row =
        std::clamp(std::floor((moment.t - begin) / control_period(options) + 1e-6), 0.0, static_cast<double>(rows) - 1);
    std::copy_n(one.controls.begin() + static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(controls.size()),
                controls.size(), controls.begin());
  }
  if (one.controller) one.controller(moment, controls);
}

void run_in_lanes(const Mechanism& mechanism, const RolloutOptions& options, std::span<const RolloutCase* const> cases,
                  std::span<Rollout* const> results) {
  LaneBlock(mechanism, options, cases, results).run();
}

}  // namespace trammel
