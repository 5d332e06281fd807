// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/system.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <trammel/core/dual.hpp>

#include "loop_dynamics/closing_freedoms.hpp"
#include "loops/relative_motion.hpp"
#include "simulation/coordinate_rates.hpp"

namespace trammel {
namespace {

using At = std::size_t;

// Stops without a stiffness of their own: so stiff that a body rests in them with this frequency, damped critically.
constexpr double stop_frequency = 200;  // rad/s

constexpr double thwarted = 1e-6;  // of a drive's velocity: what is missing of it where loops do not allow it
constexpr int most_dense = 60;     // freedoms: with more, O(n³) costs too much

double entry(const std::vector<double>& list, int i, double otherwise) {
  return list.empty() ? otherwise : list[static_cast<At>(i)];
}

// On a ball joint, in M, with how it answers to turns and rates.
struct BallTorque {
  Vec3d torque;
  double stiffness = 0, damping = 0;  // before the gear
};
BallTorque torque_on_ball(const Actuator& a, const double* u, const double* q, const double* v) {
  const auto within = [&a](double one) { return std::clamp(one, a.control_lower, a.control_upper); };
  const Vec3d control{within(u[0]), within(u[1]), within(u[2])}, w{v[0], v[1], v[2]};
  BallTorque out{control};
  if (a.kind == Actuator::Kind::position) {
    const Mat3d R = rotation_of(Quaternion<double>::load(q));
    out = {log(transpose(R) * exp_rotation(control)) * a.stiffness - w * a.damping, a.stiffness, a.damping};
  }
  const double size = norm(out.torque);
  if (size > a.effort_upper) out = {out.torque * (a.effort_upper / size)};
  out.torque = out.torque * a.gear;
  return out;
}

}  // namespace

System::System(const Mechanism& mechanism, const SimulationOptions& options)
    : mech_(mechanism),
      ws_(mech_),
      method_(options.loop_method),
      projects_(options.stabilisation == Stabilisation::projection),
      friction_(options.friction),
      fluid_(mech_),
      has_fluid_(options.fluid && !fluid_.empty()),
      contacts_(mech_) {
  take_motors_into_mechanism(options);
  ws_ = Workspace(mech_);
  if (!mech_.is_tree()) loops_ = std::make_unique<LoopDynamics>(mech_);
  // Elimination leaves a noise of 1e-9 near singular positions, at which error control would shorten steps that is not blind to it.
  if (loops_ && method_ == LoopMethod::automatic && options.integrator == Integrator::bdf && mech_.nv <= most_dense &&
      !loops_->why_no_star().empty()) {
    method_ = LoopMethod::dense;
  }
  const auto n = static_cast<At>(mech_.nv);
  at_.v = static_cast<At>(mech_.nq);
  at_.x = at_.v + n;
  at_.work = at_.x;
  for (At k = 0; k < mech_.actuators.size(); ++k) {
    const ActuatorInfo& info = mech_.actuators[k];
    const Actuator& a = info.settings;
    ActingActuator acting{.index = k, .control = control_count_};
    control_count_ += a.dof == Actuator::all_of_ball ? 3 : 1;
    if (info.joint >= 0) {
      const JointInfo& joint = mech_.joints[static_cast<At>(info.joint)];
      acting.in_tree = joint.role == JointRole::tree;
      if (acting.in_tree) {
        acting.q = static_cast<At>(joint.q + std::max(a.dof, 0));
        acting.v = static_cast<At>(joint.v + std::max(a.dof, 0));
      }
    }
    const bool remembers = (a.kind == Actuator::Kind::dc_motor && a.motor.inductance > 0) ||
                           (a.kind == Actuator::Kind::thruster && a.thruster.lag > 0);
    if (remembers) acting.x = static_cast<int>(at_.work++);
    const bool is_coil = remembers && a.kind == Actuator::Kind::dc_motor && std::isfinite(a.motor.current_limit);
    if (is_coil && options.integrator != Integrator::implicit) coils_.push_back(actuators_.size());
    acts_on_bodies_ = acts_on_bodies_ || info.joint < 0;
    actuators_.push_back(acting);
  }
  at_.bristles = at_.work;
  at_.work += ContactForces::numbers * contacts_.size();
  at_.angles = at_.end = at_.work + 2;
  acts_on_bodies_ = acts_on_bodies_ || !contacts_.empty();
  within_steps_ = !contacts_.empty() && options.integrator == Integrator::implicit;
  contacts_.set_clipped(within_steps_);

  for (const DriveInfo& info : mech_.drives) {
    const JointInfo& joint = mech_.joints[static_cast<At>(info.joint)];
    drives_.push_back({.q = static_cast<At>(joint.q + info.settings.dof),
                       .v = static_cast<At>(joint.v + info.settings.dof),
                       .by_velocity = info.settings.kind == Drive::Kind::velocity});
  }
  for (const Link& link : mech_.links) has_quaternions_ = has_quaternions_ || link.nq != link.nv;
  const bool springs_on_bodies =
      std::any_of(mech_.springs.begin(), mech_.springs.end(), [](const SpringInfo& s) { return s.joint < 0; });
  acts_on_bodies_ = acts_on_bodies_ || springs_on_bodies || !mech_.bushings.empty() || !mech_.loads.empty();

  controls_.resize(control_count_);
  q_.resize(at_.v), v_.resize(n), a_.resize(n), tau_.resize(n), own_tau_.resize(n), held_force_.resize(n);
  friction_tau_.resize(n), drive_v_.resize(drives_.size()), drive_a_.resize(drives_.size()),
      drive_force_.resize(drives_.size());
  xdot_.resize(at_.work - at_.x), actuator_force_.resize(mech_.actuators.size());
  motors_.resize(mech_.actuators.size());
  values_.resize(mech_.state_variables.size()), load_sizes_.resize(mech_.loads.size());
  wrench_.resize(mech_.bodies.size()), prescribed_.resize(n), dof_inertia_.resize(n);
  body_inertia_.resize(mech_.bodies.size()), bias_.resize(mech_.bodies.size()), along_.resize(n);
  tau_before_.resize(n), wrench_before_.resize(mech_.bodies.size()), inertia_before_.resize(mech_.bodies.size());
  slips_before_.resize(dry.size()), slips_after_.resize(dry.size());
  find_stops();
  for (const ActingActuator& a : actuators_) {
    has_closing_ = has_closing_ || (!a.in_tree && mech_.actuators[a.index].joint >= 0);
  }
  for (const Stop& stop : stops_) has_closing_ = has_closing_ || !stop.in_tree;
  for (const SpringInfo& s : mech_.springs) {
    has_closing_ = has_closing_ || (s.joint >= 0 && mech_.joints[static_cast<At>(s.joint)].role != JointRole::tree);
  }
  find_angles();
  // Where rows are redundant they contradict each other off the constraints, and a mechanism that can move seems locked: every state is
  // projected then, not only those at the ends of steps.
  if (loops_ && projects_) {
    const State design = design_state(mech_);
    projects_stages_ = !loops_->diagnose(design.q, design.v).redundant.empty();
  }
  for (const Loop& loop : mech_.loops) {  // friction there is lost to the audit otherwise
    const JointProperties& p = mech_.joints[static_cast<At>(loop.closure)].properties;
    has_closing_ = has_closing_ || (friction_ && (!p.viscous.empty() || !p.dry.empty()));
  }
}

// Rotors and bearings of motors belong to the joints. Dry friction of coordinates in the tree is taken out: it has modes here.
void System::take_motors_into_mechanism(const SimulationOptions& options) {
  Parameters<double>& p = mech_.parameters;
  for (const ActuatorInfo& info : mech_.actuators) {
    const Actuator& a = info.settings;
    if (a.kind != Actuator::Kind::dc_motor) continue;
    JointInfo& joint = mech_.joints[static_cast<At>(info.joint)];
    const auto dof = static_cast<At>(a.dof);
    const auto add = [&](std::vector<double>& list, double x) {
      if (x == 0) return;
      if (list.empty()) list.assign(static_cast<At>(joint.nv), 0.0);
      list[dof] += x;
    };
    const double rotor = a.gear * a.gear * a.motor.rotor_inertia, viscous = a.gear * a.gear * a.motor.viscous;
    const double dry_of_rotor = std::abs(a.gear) * a.motor.dry;
    add(joint.properties.armature, rotor);
    add(joint.properties.viscous, viscous);
    add(joint.properties.dry, dry_of_rotor);
    if (joint.role != JointRole::tree) continue;
    const auto k = static_cast<At>(joint.v) + dof;
    p.armature[k] += rotor;
    p.viscous[k] += viscous;
    p.dry[k] += dry_of_rotor;
  }
  for (const Link& link : mech_.links) {
    if (link.nq != link.nv || !options.friction) continue;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      double& size = p.dry[static_cast<At>(k)];
      if (size > 0) dry.push_back({k, size, 0});
      size = 0;
    }
  }
}

// What stands against a stop of a joint that closes a loop: at most the least inertia of the freedoms of its kind around the loop. A
// stop for more would be stiffer than all that it holds.
double System::inertia_at_closure(int joint, const Dimension& kind, std::span<const double> M) const {
  double least = infinity;
  for (const Loop& loop : mech_.loops) {
    if (loop.closure != joint) continue;
    for (const int around : loop.joints) {
      const JointInfo& other = mech_.joints[static_cast<At>(around)];
      const std::vector<Freedom> freedoms_there = freedoms(other.type);
      for (int i = 0; i < other.nv; ++i) {
        const auto k = static_cast<At>(other.v + i);
        const double inertia = M[k * static_cast<At>(mech_.nv) + k];
        if (freedoms_there[static_cast<At>(i)].dimension == kind && inertia > 0) least = std::min(least, inertia);
      }
    }
  }
  return std::isfinite(least) ? least : 1;
}

void System::find_stops() {
  std::vector<double> M(static_cast<At>(mech_.nv) * static_cast<At>(mech_.nv));
  const State design = design_state(mech_);
  mass_matrix(mech_, ws_, design.q, M);
  for (int j = 0; j < mech_.joint_count(); ++j) {
    const JointInfo& joint = mech_.joints[static_cast<At>(j)];
    if (joint.nq != joint.nv || joint.role == JointRole::weld) continue;
    const std::vector<Freedom> names = freedoms(joint.type);
    for (int i = 0; i < joint.nv; ++i) {
      for (const bool upper : {false, true}) {
        const JointProperties& p = joint.properties;
        const double limit = upper ? entry(p.upper, i, infinity) : entry(p.lower, i, -infinity);
        if (!std::isfinite(limit)) continue;
        Stop stop{.joint = j, .dof = i, .in_tree = joint.role == JointRole::tree, .is_upper = upper, .limit = limit};
        double inertia = 0;
        if (stop.in_tree) {
          stop.q = static_cast<At>(joint.q + i), stop.v = static_cast<At>(joint.v + i);
          inertia = M[stop.v * static_cast<At>(mech_.nv) + stop.v];
        } else {
          inertia = inertia_at_closure(j, names[static_cast<At>(i)].dimension, M);
        }
        stop.stiffness = entry(p.limit_stiffness, i, 0);
        stop.damping = entry(p.limit_damping, i, 0);
        if (stop.stiffness == 0) {
          stop.stiffness = inertia * stop_frequency * stop_frequency;
          if (stop.damping == 0) stop.damping = 2 * inertia * stop_frequency;
        }
        const std::string whose =
            joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, names[static_cast<At>(i)].name);
        stop.name = fmt::format("{} limit of '{}'", upper ? "upper" : "lower", whose);
        for (At k = 0; k < mech_.impacts.size(); ++k) {
          const Impact& impact = mech_.impacts[k].settings;
          const Impact::Side side = upper ? Impact::Side::upper : Impact::Side::lower;
          const bool is_it = mech_.impacts[k].joint == j && impact.dof == i;
          if (is_it && (impact.side == side || impact.side == Impact::Side::both)) stop.impact = static_cast<int>(k);
        }
        stops_.push_back(std::move(stop));
      }
    }
  }
}

// Angles of joints that close loops, which are read off frames otherwise, between ±π.
void System::find_angles() {
  for (const Loop& loop : mech_.loops) {
    const JointInfo& joint = mech_.joints[static_cast<At>(loop.closure)];
    const std::vector<Freedom> list = freedoms(joint.type);
    for (int k = 0; k < joint.nv && joint.nq == joint.nv; ++k) {
      const bool turns = list[static_cast<At>(k)].dimension == dimension::angle;
      if (turns) angles_.push_back({loop.closure, k});
    }
  }
  at_.end += angles_.size();
  has_closing_ = has_closing_ || !angles_.empty();
}

double System::with_turns(int joint, int dof, double fitted, std::span<const double> y) const {
  for (At i = 0; i < angles_.size(); ++i) {
    if (angles_[i].joint != joint || angles_[i].dof != dof) continue;
    constexpr double turn = 2 * std::numbers::pi;
    return fitted + turn * std::round((y[at_.angles + i] - fitted) / turn);
  }
  return fitted;
}

// At the position in the workspace.
void System::closing_coordinates(const JointInfo& joint, std::span<const double> y, double* at) const {
  q_fit(joint.type, relative_motion(mech_, ws_, joint).X_FM, at);
  if (angles_.empty() || joint.nq != joint.nv) return;
  const auto j = static_cast<int>(&joint - mech_.joints.data());
  for (int k = 0; k < joint.nv; ++k) at[k] = with_turns(j, k, at[k], y);
}

std::vector<double> System::start(const State& state) const {
  std::vector<double> y(at_.end, 0.0);
  std::copy(state.q.begin(), state.q.end(), y.begin());
  std::copy(state.v.begin(), state.v.end(), y.begin() + static_cast<std::ptrdiff_t>(at_.v));
  return y;
}

std::vector<double> System::tolerances(double tolerance) const {
  std::vector<double> list(at_.end, tolerance);
  // Work is kept for the audit, in joules; it should be as good as the motion and not shorten steps. Of angles it is the turn that counts.
  for (At i = at_.work; i < at_.angles; ++i) list[i] = 10 * tolerance;
  for (At i = at_.angles; i < at_.end; ++i) list[i] = 0.1;
  return list;
}

// --- what acts ------------------------------------------------------------------------------------------------------------

// q and v of the tree at t: as in y, driven ones as prescribed, quaternions unit.
void System::place(double t, std::span<const double> y) {
  std::copy_n(y.begin(), at_.v, q_.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(at_.v), v_.size(), v_.begin());
  for (At k = 0; k < drives_.size(); ++k) {
    const Series<2> x = mech_.drives[k].settings.motion.at(Series<2>::time(t));
    const DriveState& d = drives_[k];
    if (!d.by_velocity) q_[d.q] = x.derivative(0);
    v_[d.v] = drive_v_[k] = x.derivative(d.by_velocity ? 0 : 1);
    drive_a_[k] = x.derivative(d.by_velocity ? 1 : 2);
  }
  if (has_quaternions_) make_unit(mech_, q_);
  if (projects_stages_) close_loops();
}

// Onto the constraints, what is driven or sticks held.
void System::close_loops() {
  prescribe();
  const std::span<const char> held = any_prescribed_ ? std::span<const char>(prescribed_) : std::span<const char>{};
  loops_->project_position(q_, 1e-13, 10, held);
  const LoopVerdict rates = loops_->project_velocity(q_, v_, held);
  thwarted_drive_ = -1;
  for (At k = 0; k < drives_.size() && thwarted_drive_ < 0; ++k) {
    const double allowed = thwarted * (1 + std::abs(drive_v_[k]));
    const bool goes = std::abs(v_[drives_[k].v] - drive_v_[k]) <= allowed;
    const bool fits = rates.residual <= allowed * loops_->characteristic_length();
    if (!goes || !fits) thwarted_drive_ = static_cast<int>(k);
  }
}

void System::controls_of_targets(double t, std::span<double> controls) const {
  for (const ActingActuator& acting : actuators_) {
    const Actuator& a = mech_.actuators[acting.index].settings;
    const At count = a.dof == Actuator::all_of_ball ? 3 : 1;
    for (At i = 0; i < count; ++i) controls[acting.control + i] = i < a.target.size() ? a.target[i].at(t) : 0;
  }
}

void System::add_actuators(double t, std::span<const double> y, double h) {
  if (actuators_.empty()) return;
  if (!controls_given_.empty()) {
    controls_ = controls_given_;
    controls_at_ = std::numeric_limits<double>::quiet_NaN();
  } else if (t != controls_at_) {  // stages of a step share times, as its end and the next one's beginning do
    controls_of_targets(t, controls_);
    controls_at_ = t;
  }
  for (ActingActuator& acting : actuators_) {
    const ActuatorInfo& info = mech_.actuators[acting.index];
    const Actuator& a = info.settings;
    const double* u = &controls_[acting.control];
    const double x = acting.x < 0 ? 0 : y[static_cast<At>(acting.x)];
    double nothing = 0, &xdot = acting.x < 0 ? nothing : xdot_[static_cast<At>(acting.x) - at_.x];
    if (info.joint < 0) {
      double turns = 0;
      const double thrust = thrust_of(a, *u, x, h, xdot, turns);
      actuator_force_[acting.index] = add_thruster(info, thrust, turns, t);
    } else if (!acting.in_tree) {
      continue;  // add_closing_forces
    } else if (a.dof == Actuator::all_of_ball) {
      const BallTorque found = torque_on_ball(a, u, &q_[acting.q], &v_[acting.v]);
      const Vec3d& torque = found.torque;
      const double stiffness = found.stiffness, damping = found.damping;
      actuator_force_[acting.index] = norm(torque);
      const double parts[3] = {torque.x, torque.y, torque.z};
      for (At i = 0; i < 3; ++i) {
        tau_[acting.v + i] += parts[i];
        if (h > 0) {
          tau_[acting.v + i] -= h * a.gear * stiffness * v_[acting.v + i];
          dof_inertia_[acting.v + i] += h * a.gear * (damping + h * stiffness);
          linear_.push_back({acting.v + i, {parts[i], -a.gear * stiffness, -a.gear * damping}, true});
        } else {
          power_in_ += parts[i] * v_[acting.v + i];
        }
      }
    } else {
      const FreedomForce f = force_of(a, *u, q_[acting.q], v_[acting.v], x, acting.held, h, xdot);
      acting.beyond = f.beyond;
      actuator_force_[acting.index] = f.force;
      motors_[acting.index] = f.motor;
      tau_[acting.v] += f.force + h * f.by_q * v_[acting.v];
      if (h > 0) {
        dof_inertia_[acting.v] -= h * (f.by_v + h * f.by_q);
        linear_.push_back({acting.v, f, true, acting.x < 0 ? nullptr : &xdot});
      } else {
        power_in_ += f.force * v_[acting.v];
      }
    }
  }
}

// The force of a thruster whose propeller turns and which would push with `thrust` at rest.
double System::add_thruster(const ActuatorInfo& info, double thrust, double turns, double t) {
  const Actuator::Thruster& its = info.settings.thruster;
  const Transformd X_WB = pose_WB(mech_, ws_, info.body);
  const Vec3d along = X_WB.R * its.direction;
  const Motion<double> V = velocity_W(mech_, ws_, info.body, its.at.p_B);
  double F = thrust;
  if (its.advance > 0) {
    const Vec3d u = has_fluid_ ? fluid_.flow().at(t, X_WB * its.at.p_B).velocity_W : Vec3d{};
    const double speed = dot(along, V.v - u);
    if (speed * turns > 0) F -= its.advance * std::abs(turns) * speed;
  }
  const double torque = its.torque * F;
  add_wrench(mech_, ws_, info.body, its.at.p_B, Force<double>{along * torque, along * F}, std::span(wrench_));
  power_in_ += F * dot(along, V.v) + torque * dot(along, V.w);
  return F;
}

// What the hand does is input, its spring too: nobody gives back what it stores.
void System::add_pull() {
  if (!pull_) return;
  const Vec3d p_W = pose_WB(mech_, ws_, pull_->body) * pull_->p_B;
  const Vec3d v_W = velocity_W(mech_, ws_, pull_->body, pull_->p_B).v;
  const Vec3d f = (pull_->target_W - p_W) * pull_->stiffness - v_W * pull_->damping;
  add_wrench(mech_, ws_, pull_->body, pull_->p_B, Force<double>{{}, f}, std::span(wrench_));
  power_in_ += dot(f, v_W);
}

void System::add_stops(double h) {
  for (const Stop& stop : stops_) {
    if (!stop.in_tree || (stop.impact >= 0 && !stop.pushes)) continue;
    const double q = q_[stop.q], v = v_[stop.v];
    if (h > 0 && stop.depth(q) <= 0) {
      // A stop that will be met within the step acts from its beginning, as much as it does at the end.
      if (stop.depth(q + h * v) <= 0) continue;
      tau_[stop.v] += -stop.stiffness * (q + h * v - stop.limit) - stop.damping * v;
      dof_inertia_[stop.v] += h * (stop.damping + h * stop.stiffness);
      linear_.push_back({stop.v, {-stop.damping * v, 0, -stop.damping}});
      continue;
    }
    if (stop.depth(q) <= 0) continue;
    const StopForce push = push_of(stop, q, v);
    tau_[stop.v] += push.on_freedom.force + h * push.on_freedom.by_q * v;
    elastic_ += push.energy;
    if (h > 0) {
      dof_inertia_[stop.v] -= h * (push.on_freedom.by_v + h * push.on_freedom.by_q);
      linear_.push_back({stop.v, {push.on_freedom.by_v * v, 0, push.on_freedom.by_v}});
    } else {
      power_out_ += push.dissipated;
    }
  }
}

// Springs, actuators and stops at joints that close a loop: wrenches on both bodies along the freedom.
void System::add_closing_forces(std::span<const double> y, double h) {
  std::fill(a_.begin(), a_.end(), 0.0);
  compute_accelerations(mech_, ws_, q_, v_, a_);
  closing_freedoms(mech_, ws_, true, friction_, closing_);
  for (At i = 0; i < closing_.size(); ++i) {
    const ClosingFreedom& c = closing_[i];
    const JointInfo& joint = mech_.joints[static_cast<At>(c.joint)];
    for (ClosingAngle& angle : angles_) {
      if (angle.joint == c.joint && angle.dof == c.dof) angle.rate = c.rate;
    }
    if (!loops_->is_active(ConstraintRow::Source::joint, c.joint)) continue;
    power_out_ -= c.friction * c.rate;
    double at[Custom::max_nq] = {};
    closing_coordinates(joint, y, at);
    double force = 0;
    for (const SpringInfo& s : mech_.springs) {
      if (s.joint != c.joint || s.settings.dof != c.dof) continue;
      const Tension tension = tension_of(s.settings, at[c.dof], c.rate);
      force -= tension.force;
      elastic_ += tension.energy;
      power_out_ += s.settings.damping * c.rate * c.rate;
    }
    for (const Stop& stop : stops_) {
      if (stop.joint != c.joint || stop.dof != c.dof || (stop.impact >= 0 && !stop.pushes)) continue;
      const StopForce push = push_of(stop, at[c.dof], c.rate);
      force += push.on_freedom.force;
      elastic_ += push.energy;
      power_out_ += push.dissipated;
    }
    for (ActingActuator& acting : actuators_) {
      const ActuatorInfo& info = mech_.actuators[acting.index];
      if (info.joint != c.joint) continue;
      if (info.settings.dof == Actuator::all_of_ball) {  // its three freedoms stand side by side
        const At first = i - static_cast<At>(c.dof);
        const double w[3] = {closing_[first].rate, closing_[first + 1].rate, closing_[first + 2].rate};
        const Vec3d torque = torque_on_ball(info.settings, &controls_[acting.control], at, w).torque;
        const double f = c.dof == 0 ? torque.x : c.dof == 1 ? torque.y : torque.z;
        actuator_force_[acting.index] = norm(torque);
        power_in_ += f * c.rate;
        force += f;
        continue;
      }
      if (info.settings.dof != c.dof) continue;
      const double x = acting.x < 0 ? 0 : y[static_cast<At>(acting.x)];
      double nothing = 0, &xdot = acting.x < 0 ? nothing : xdot_[static_cast<At>(acting.x) - at_.x];
      const FreedomForce found =
          force_of(info.settings, controls_[acting.control], at[c.dof], c.rate, x, acting.held, h, xdot);
      const double f = found.force;
      acting.beyond = found.beyond;
      actuator_force_[acting.index] = f;
      motors_[acting.index] = found.motor;
      power_in_ += f * c.rate;
      force += f;
    }
    if (force == 0) continue;
    const Force<double> F{c.g_W.n * force, c.g_W.f * force};
    const auto on = [&](int body, const Force<double>& wrench) {
      if (body == ground) return;
      add_wrench(mech_, ws_, body, inverse(pose_WB(mech_, ws_, body)) * c.p_W, wrench, std::span(wrench_));
    };
    on(c.second, F);
    on(c.first, -F);
  }
}

// tau_, wrench_, rates of x and powers at (t, y); with h > 0 for the implicit step.
void System::find_forces(double t, std::span<const double> y, double h) {
  place(t, y);
  std::fill(tau_.begin(), tau_.end(), 0.0);
  std::fill(xdot_.begin(), xdot_.end(), 0.0);
  power_in_ = power_out_ = elastic_ = 0;
  has_velocities_ = false;
  if (acts_on_bodies_ || has_closing_ || has_fluid_) {
    compute_velocities(mech_, ws_, q_, v_);
    has_velocities_ = true;
    std::fill(wrench_.begin(), wrench_.end(), Force<double>{});
  }
  if (has_fluid_) {
    fluid_.clear_and_add(mech_, ws_, t, body_inertia_, bias_, h);
    power_out_ += fluid_.dissipated();
  }
  if (!mech_.springs.empty() || !mech_.bushings.empty()) {
    const SpringBalance balance = add_spring_forces(mech_, ws_, q_, v_, wrench_, tau_);
    elastic_ += balance.energy;
    power_out_ += balance.dissipated;
  }
  if (!mech_.loads.empty()) {
    find_values(y);
    power_in_ += add_known_loads(mech_, ws_, t, values_, wrench_, load_sizes_);
  }
  add_actuators(t, y, h);
  add_pull();
  add_stops(h);
  if (has_closing_) add_closing_forces(y, h);
  if (!contacts_.empty()) {
    contacts_.place(ws_);
    if (h == 0) {
      const ContactForces::Balance balance = contacts_.act(bristles(y), wrench_, bristle_rates());
      elastic_ += balance.energy;
      power_out_ += balance.dissipated;
    }
  }
  for (const DryFreedom& d : dry) {
    if (h > 0 && within_steps_) break;  // pass by pass
    const auto k = static_cast<At>(d.freedom);
    tau_[k] -= d.dry * d.slip;
    power_out_ += d.dry * d.slip * v_[k];
  }
  if (friction_) {
    std::fill(friction_tau_.begin(), friction_tau_.end(), 0.0);
    friction_forces(mech_, ws_, v_, friction_tau_);
    for (At k = 0; k < v_.size(); ++k) power_out_ -= friction_tau_[k] * v_[k];
  }
}

// --- accelerations ----------------------------------------------------------------------------------------------------------

Loads System::loads() const {
  Loads loads;
  loads.friction = friction_;
  if (acts_on_bodies_ || has_closing_) loads.wrench = wrench_.data();
  if (implicit_) loads.dof_inertia = dof_inertia_.data(), loads.inertia = body_inertia_.data();
  if (has_fluid_) loads.inertia = body_inertia_.data(), loads.bias = bias_.data();
  return loads;
}

// Driven freedoms and those that stick.
void System::prescribe() {
  std::fill(prescribed_.begin(), prescribed_.end(), char{0});
  any_prescribed_ = false;
  for (const DryFreedom& d : dry) {
    if (d.slip != 0) continue;
    prescribed_[static_cast<At>(d.freedom)] = 1;
    a_[static_cast<At>(d.freedom)] = step_ > 0 ? -v_[static_cast<At>(d.freedom)] / step_ : 0;  // at rest when it ends
    any_prescribed_ = true;
  }
  for (At k = 0; k < drives_.size(); ++k) {
    prescribed_[drives_[k].v] = 1;
    a_[drives_[k].v] = drive_a_[k];
    any_prescribed_ = true;
  }
}

bool System::accelerate(const Loads& loads) {
  ++evaluations;
  prescribe();
  if (any_prescribed_) {
    own_tau_ = tau_;
    if (loops_) {
      verdict_ = loops_->hybrid(q_, v_, prescribed_, a_, tau_, loads);
    } else {
      const DynamicsVerdict found = hybrid_dynamics<double>(mech_, ws_, q_, v_, prescribed_, a_, tau_, loads);
      verdict_ = {.status = found.singular_joint < 0 ? LoopStatus::ok : LoopStatus::no_inertia,
                  .joint = found.singular_joint};
    }
    for (const DryFreedom& d : dry) {
      const auto k = static_cast<At>(d.freedom);
      if (d.slip == 0) held_force_[k] = tau_[k] - own_tau_[k];
    }
    for (At k = 0; k < drives_.size(); ++k) {
      drive_force_[k] = tau_[drives_[k].v] - own_tau_[drives_[k].v];
      power_in_ += drive_force_[k] * v_[drives_[k].v];
    }
  } else if (loops_) {
    verdict_ = loops_->forward(q_, v_, tau_, a_, loads, method_);
  } else {
    Loads acting = loads;
    acting.after_velocities = std::exchange(has_velocities_, false);
    const DynamicsVerdict found = forward_dynamics<double>(mech_, ws_, q_, v_, tau_, a_, acting);
    verdict_ = {.status = found.singular_joint < 0 ? LoopStatus::ok : LoopStatus::no_inertia,
                .joint = found.singular_joint};
  }
  if (verdict_.status == LoopStatus::not_finite)
    verdict_.status = LoopStatus::ok;  // told of the step, with what has grown
  // Rows that follow from others contradict them a little where loops are not closed; the accelerations are then a compromise.
  if (!projects_ && verdict_.status == LoopStatus::inconsistent) verdict_.status = LoopStatus::ok;
  if (has_fluid_ && verdict_.ok()) {
    if (loops_) compute_accelerations(mech_, ws_, q_, v_, a_);
    power_in_ += fluid_.input(mech_, ws_);
  }
  return verdict_.ok();
}

bool System::derivative(double t, std::span<const double> y, std::span<double> ydot) {
  implicit_ = false;
  step_ = 0;
  find_forces(t, y, 0);
  if (!accelerate(loads())) return false;
  write_rates(ydot);
  return true;
}

void System::write_rates(std::span<double> ydot) {
  if (has_quaternions_) {
    coordinate_rates(mech_, q_, v_, ydot.subspan(0, at_.v));
  } else {
    std::copy(v_.begin(), v_.end(), ydot.begin());
  }
  std::copy(a_.begin(), a_.end(), ydot.begin() + static_cast<std::ptrdiff_t>(at_.v));
  rates_of_rest(ydot);
}

void System::rates_of_rest(std::span<double> ydot) const {
  std::copy(xdot_.begin(), xdot_.end(), ydot.begin() + static_cast<std::ptrdiff_t>(at_.x));
  ydot[at_.work] = power_in_;
  ydot[at_.work + 1] = power_out_;
  for (At i = 0; i < angles_.size(); ++i) ydot[at_.angles + i] = angles_[i].rate;
}

// --- staying where it belongs -------------------------------------------------------------------------------------------------

bool System::finish(double t, std::span<double> y) {
  if (!needs_finish()) return false;
  place(t, y);
  if (loops_ && projects_ && !projects_stages_) close_loops();
  std::copy(q_.begin(), q_.end(), y.begin());
  std::copy(v_.begin(), v_.end(), y.begin() + static_cast<std::ptrdiff_t>(at_.v));
  if (angles_.empty()) return true;
  compute_velocities(mech_, ws_, q_, v_);
  double at[Custom::max_nq] = {};
  for (At i = 0; i < angles_.size(); ++i) {
    closing_coordinates(mech_.joints[static_cast<At>(angles_[i].joint)], y, at);
    y[at_.angles + i] = at[angles_[i].dof];
  }
  return true;
}

double System::extent() const {
  double largest = 0;
  for (At b = 0; b < mech_.bodies.size(); ++b) {
    if (mech_.bodies[b].link != ground) largest = std::max(largest, norm(pose_WB(mech_, ws_, static_cast<int>(b)).p));
  }
  for (At k = 0; k < contacts_.size(); ++k) largest = std::max(largest, norm(contacts_.touch(k).centre_W));
  return largest;
}

double System::passages_per_second(double t, std::span<const double> y) {
  const std::vector<ContactPair>& pairs = mech_.contacts.pairs;
  if (std::all_of(pairs.begin(), pairs.end(), [](const ContactPair& pair) { return pair.target < 0; })) return 0;
  place(t, y);
  compute_velocities(mech_, ws_, q_, v_);
  return trammel::passages_per_second(mech_, ws_);
}

void System::project_error(std::span<const double> y, std::span<double> error) {
  if (drives_.empty() && !(loops_ && projects_)) return;
  const std::span<double> e_q = q(error), e_v = v(error);
  for (const DriveState& d : drives_) {
    if (!d.by_velocity) e_q[d.q] = 0;
    e_v[d.v] = 0;
  }
  if (!loops_ || !projects_) return;
  prescribe();
  std::copy_n(y.begin(), at_.v, q_.begin());
  const std::span<const char> held = any_prescribed_ ? std::span<const char>(prescribed_) : std::span<const char>{};
  freedoms_of_coordinates(mech_, q_, e_q, along_);
  loops_->project_velocity(q_, along_, held);
  coordinate_rates(mech_, q_, along_, e_q);
  loops_->project_velocity(q_, e_v, held);
}

// Blows of drives alone: friction, springs and dampers have none. With p what drives give, at one position,
//   M Δv = Jᵀλ + p,    J Δv = 0,    Δv of driven freedoms given
// are the equations of accelerations without their terms of q and v: since accelerations go linearly with those prescribed,
//   Δv = v̇(v̇_driven = Δv_driven) − v̇(v̇_driven = 0)
void System::strike_by_drives(double t, std::span<double> y) {
  implicit_ = false;
  step_ = 0;
  find_forces(t, y);
  const std::span<double> velocity = v(y);
  std::vector<char> driven_freedoms = driven();
  std::vector<double> without(a_.size()), with(a_.size()), tau = tau_;
  const auto answer = [&](std::vector<double>& a) {
    std::copy(tau_.begin(), tau_.end(), tau.begin());
    if (loops_) return loops_->hybrid(q_, v_, driven_freedoms, a, tau, loads()).ok();
    return hybrid_dynamics<double>(mech_, ws_, q_, v_, driven_freedoms, a, tau, loads()).ok();
  };
  for (At k = 0; k < drives_.size(); ++k) with[drives_[k].v] = drive_v_[k] - velocity[drives_[k].v];
  if (!answer(without) || !answer(with)) return;
  for (At k = 0; k < velocity.size(); ++k) velocity[k] += with[k] - without[k];
}

LoopDrift System::gaps(std::span<const double> y) {
  if (!loops_) return {};
  at_gaps_.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(at_.v));
  const ProjectionVerdict as_it_is = loops_->project_position(at_gaps_, 0, 0);
  return {as_it_is.gap_m, as_it_is.gap_rad};
}

EnergyAudit System::energy(double t, std::span<const double> y) {
  find_forces(t, y);
  return energy(y);
}

EnergyAudit System::energy(std::span<const double> y) {
  compute_velocities(mech_, ws_, q_, v_);
  const Energy<double> e = compute_energy(mech_, ws_, v_);
  EnergyAudit audit{.kinetic = e.kinetic, .potential = e.potential, .elastic = elastic_};
  if (loops_) audit.kinetic += loops_->closing_rotor_energy(q_, v_);
  if (has_fluid_ && fluid_.stores_kinetic()) audit.kinetic += fluid_.kinetic();
  if (has_fluid_ && fluid_.stores_potential()) audit.potential += fluid_.potential();
  audit.input = input(y);
  audit.dissipated = dissipated(y);
  return audit;
}

std::vector<char> System::driven() const {
  std::vector<char> list(v_.size(), 0);
  for (const DriveState& d : drives_) list[d.v] = 1;
  return list;
}

void System::set_stabilisation(double rate) {
  stabilisation_ = rate;
  if (loops_) loops_->set_stabilisation(rate);
}

const Workspace& System::motion(double t, std::span<const double> y) {
  find_forces(t, y, 0);  // contacts and the fluid's inertia with it
  compute_velocities(mech_, ws_, q_, v_);
  return ws_;
}

std::span<const double> System::state_values(double t, std::span<const double> y) {
  place(t, y);
  compute_velocities(mech_, ws_, q_, v_);
  find_values(y);
  return values_;
}

void System::find_values(std::span<const double> y) {
  find_state_values(mech_, ws_, q_, v_, values_);
  if (angles_.empty()) return;
  for (At i = 0; i < values_.size(); ++i) {
    const StateVariableInfo& x = mech_.state_variables[i];
    if (x.settings.kind != StateVariable::Kind::coordinate) continue;
    values_[i] = with_turns(x.joint, x.settings.component, values_[i], y);
  }
}

}  // namespace trammel
