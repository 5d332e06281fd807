// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What integrators integrate: ẏ = f(t, y), with all that acts on the mechanism.
//   y = (q, v, x, w_in, w_out, c)      x what actuators remember, and the deflections of bristles in contacts; energy put in and lost so far; c angles of joints that close loops
//
// Such angles can be read off the bodies only up to full turns. Those that something depends on are integrated besides, ċ = their rate, and
// tell which turn it is.
//
// Between events the right side is smooth. What switches is kept here as modes: which joints stick and which way others slip.
//
// Dry friction that sticks: of every freedom with dry friction either v̇ = 0 and the friction f is what holds it, |f| ≤ dry, or it slips
// and f = −dry · sign(v). A freedom that sticks is prescribed, v̇ = 0, in hybrid dynamics, which finds f.

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <trammel/applied_forces.hpp>
#include <trammel/fluid_forces.hpp>
#include <trammel/simulation.hpp>

#include "loop_dynamics/closing_freedoms.hpp"
#include "simulation/contact_forces.hpp"
#include "simulation/freedom_forces.hpp"

namespace trammel {

class Ties;

class System {
 public:
  System(const Mechanism& mechanism, const SimulationOptions& options);

  // With the motors' rotors and bearings in it, and without the dry friction that has modes here.
  const Mechanism& mechanism() const { return mech_; }
  bool has_loops() const { return loops_ != nullptr; }
  LoopDynamics* loops() { return loops_.get(); }
  std::size_t size() const { return at_.end; }
  std::span<double> q(std::span<double> y) const { return y.subspan(0, at_.v); }
  std::span<double> v(std::span<double> y) const { return y.subspan(at_.v, at_.x - at_.v); }
  std::span<const double> q(std::span<const double> y) const { return y.subspan(0, at_.v); }
  std::span<const double> v(std::span<const double> y) const { return y.subspan(at_.v, at_.x - at_.v); }
  std::span<double> q(std::vector<double>& y) const { return q(std::span<double>(y)); }
  std::span<double> v(std::vector<double>& y) const { return v(std::span<double>(y)); }
  std::size_t first_work() const { return at_.work; }  // where w_in and w_out stand in y
  // What error control may leave, of each number of y, beside the same share of it.
  std::vector<double> tolerances(double tolerance) const;
  double input(std::span<const double> y) const { return y[at_.work]; }
  double dissipated(std::span<const double> y) const { return y[at_.work + 1]; }

  // y of a state, at rest in x.
  std::vector<double> start(const State& state) const;

  // ẏ; false where there is none: verdict() says why.
  bool derivative(double t, std::span<const double> y, std::span<double> ydot);
  const LoopVerdict& verdict() const { return verdict_; }
  std::uint64_t evaluations = 0;

  // Found by the last derivative():
  std::span<const double> accelerations() const { return a_; }
  std::span<const double> friction_held() const { return held_force_; }  // per freedom: what holds one that sticks
  std::span<const double> drive_forces() const { return drive_force_; }
  std::span<const double> actuator_forces() const { return actuator_force_; }
  std::span<const MotorState> motors() const { return motors_; }
  // Joint forces and loads that acted, for reactions.
  std::span<const double> joint_forces() const { return tau_; }
  Loads loads() const;

  // How far from the world's origin bodies and contacts were at the last derivative(), m: positions are known to round-off of this.
  double extent() const;
  // Of contact_forces.hpp, at y.
  double passages_per_second(double t, std::span<const double> y);
  // The first drive whose velocity was not to be had with the loops closed when finish() ended last; −1: none.
  int thwarted_drive() const { return thwarted_drive_; }
  // Brings y to where it belongs: driven coordinates as prescribed, quaternions unit, loops closed. True where anything changed.
  bool finish(double t, std::span<double> y);
  bool needs_finish() const {
    return has_quaternions_ || !drives_.empty() || (loops_ && projects_) || !angles_.empty();
  }
  // Takes out of a small error of y, which is finished, what finish() takes out: of driven coordinates, and across what loops allow.
  void project_error(std::span<const double> y, std::span<double> error);
  // Drives have jumped: the other velocities of y, which are those of before, as the blow leaves them; driven ones are as prescribed at t.
  void strike_by_drives(double t, std::span<double> y);
  LoopDrift gaps(std::span<const double> y);  // of the loops, as they are
  // The coordinate of a joint that closes a loop with the turns that y has counted, where it counts them; `fitted` is nearest to zero.
  double with_turns(int joint, int dof, double fitted, std::span<const double> y) const;

  // Forces of actuators and what is stored in springs, without accelerations.
  void find_forces(double t, std::span<const double> y) { find_forces(t, y, 0); }
  EnergyAudit energy(double t, std::span<const double> y);
  EnergyAudit energy(std::span<const double> y);  // where forces or the derivative were found last

  // Controls are those of the targets, unless a controller has set them.
  void set_controls(std::span<const double> controls) { controls_given_.assign(controls.begin(), controls.end()); }
  void controls_of_targets(double t, std::span<double> controls) const;
  std::size_t control_count() const { return control_count_; }
  std::span<const double> given_controls() const { return controls_given_; }

  void set_pull(const std::optional<Pull>& pull) {
    pull_ = pull;
    acts_on_bodies_ = acts_on_bodies_ || pull.has_value();
  }
  void set_drive(std::size_t drive, Profile motion) { mech_.drives[drive].settings.motion = std::move(motion); }
  void set_target(std::size_t actuator, std::vector<Profile> target) {
    mech_.actuators[actuator].settings.target = std::move(target);
    controls_at_ = std::numeric_limits<double>::quiet_NaN();
  }

  // --- what switches ------------------------------------------------------------------------------------------------------
  struct DryFreedom {
    int freedom = 0;  // of the tree
    double dry = 0;
    int slip = 0;  // −1, 0, 1: direction of motion; 0 sticks
  };
  std::vector<DryFreedom> dry;
  // Decides which of the freedoms at rest (all that stick, and those with |v| below `rest`) stick and which start to slip. v of those that
  // stick becomes 0.
  void settle_friction(double t, std::span<double> y, double rest);
  const std::vector<Stop>& stops() const { return stops_; }
  void settle_stops(double t, std::span<const double> y);  // which of them push
  void set_pushes(std::size_t stop, bool pushes, double slack) {
    stops_[stop].pushes = pushes, stops_[stop].slack = slack;
  }
  // Where the coordinate of a stop is and how it moves; `holds`: not of a joint that is open.
  struct StopMotion {
    bool holds = true;
    double at = 0, rate = 0;
  };
  StopMotion stop_motion(std::size_t stop, double t, std::span<const double> y);
  // Positive while the stop pushes: the depth beyond the limit and, so long as that is positive, what damping adds to it. m or rad
  double stop_push(std::size_t stop, double t, std::span<const double> y);
  // Coils of motors whose current has a limit, where fixed and controlled steps locate it: not for the implicit step.
  std::size_t coil_count() const { return coils_.size(); }
  const ActingActuator& coil(std::size_t i) const { return actuators_[coils_[i]]; }
  // Positive while all stays as it is: what a current lacks to its limit, or the rate with which one that is held would go on beyond it. The
  // forces are to be found at (t, y) before where any is held.
  double coil_margin(std::size_t i, std::span<const double> y) const;
  void settle_coils(double t, std::span<double> y);  // which of them are held; x of these is then at its limit
  void set_held(std::size_t coil, int held) { actuators_[coils_[coil]].held = held; }
  const ContactForces& contacts() const { return contacts_; }
  ContactForces& contacts() { return contacts_; }
  // Finds values of ContactForces::push() and grip() at (t, y).
  void find_contacts(double t, std::span<const double> y);
  // Which of them touch and which slip. Deflections in y may jump; what is lost thereby is booked there.
  void settle_contacts(double t, std::span<double> y);
  // Contacts, and dry friction beside them, switch within the implicit step, not at events.
  bool switches_within_steps() const { return within_steps_; }
  void keep_step();  // the implicit step that was found last is accepted
  std::uint64_t contact_passes = 0, unresolved_steps = 0;
  std::span<const double> state_values(double t, std::span<const double> y);
  // Hard contacts and stops are there.
  bool has_impacts() const { return !mech_.impacts.empty(); }
  std::vector<char> driven() const;  // per freedom
  // A joint that closes a loop takes hold of its second body elsewhere: M is there from now on.
  void move_closure(int joint, const Transformd& X_BM);
  void set_stabilisation(double rate);  // LoopDynamics::set_stabilisation
  // Where bodies are and how they move at (t, y).
  const Workspace& motion(double t, std::span<const double> y);
  // Bristles of contacts, and the books of energy.
  std::span<double> bristles(std::span<double> y) const { return y.subspan(at_.bristles, at_.work - at_.bristles); }
  void book_loss(std::span<double> y, double lost) const { y[at_.work + (lost < 0 ? 0 : 1)] += std::abs(lost); }
  void book_input(std::span<double> y, double work) const { y[at_.work] += work; }

  // --- for the linearly implicit step ---------------------------------------------------------------------------------------
  // v̇ of (M + h D + h² K) v̇ = f − h K v; see implicit_step.cpp.
  bool implicit_accelerations(double t, std::span<const double> y, double h);
  void rates_of_rest(std::span<double> ydot) const;  // of x and w, found by implicit_accelerations()

 private:
  struct Layout {
    std::size_t v = 0, x = 0, bristles = 0, work = 0, angles = 0, end = 0;
  };
  struct DriveState {
    std::size_t q = 0, v = 0;  // places of its coordinate and freedom
    bool by_velocity = false;
  };

  struct ClosingAngle {
    int joint = 0, dof = 0;
    double rate = 0;
  };

  void take_motors_into_mechanism(const SimulationOptions& options);
  void find_stops();
  double inertia_at_closure(int joint, const Dimension& kind, std::span<const double> M) const;
  void find_angles();
  void closing_coordinates(const JointInfo& joint, std::span<const double> y, double* at) const;
  void find_values(std::span<const double> y);      // values_
  void place(double t, std::span<const double> y);  // q_, v_ with drives imposed
  void close_loops();
  void find_forces(double t, std::span<const double> y, double h);  // tau_, wrench_, x rates, powers
  void add_closing_forces(std::span<const double> y, double h);
  void add_actuators(double t, std::span<const double> y, double h);
  void add_stops(double h);
  void add_pull();
  double add_thruster(const ActuatorInfo& info, double thrust, double turns, double t);
  void prescribe();
  bool accelerate(const Loads& loads);
  void write_rates(std::span<double> ydot);
  std::span<const double> bristles(std::span<const double> y) const {
    return y.subspan(at_.bristles, at_.work - at_.bristles);
  }
  std::span<double> bristle_rates() { return std::span(xdot_).subspan(at_.bristles - at_.x); }
  bool solve_with(const Ties& ties);
  bool dry_changes(double h);

  Mechanism mech_;
  Workspace ws_;
  std::unique_ptr<LoopDynamics> loops_;
  LoopMethod method_;
  double stabilisation_ = 0;
  bool projects_ = true, projects_stages_ = false, friction_ = true, acts_on_bodies_ = false, has_quaternions_ = false,
       has_closing_ = false;
  Layout at_;
  std::size_t control_count_ = 0;
  std::vector<double> controls_given_, controls_;
  double controls_at_ = std::numeric_limits<double>::quiet_NaN();  // the time whose targets controls_ holds

  std::vector<double> q_, v_, a_, tau_, own_tau_, held_force_, xdot_, drive_force_, actuator_force_, values_,
      load_sizes_, friction_tau_, at_gaps_, along_;
  std::vector<MotorState> motors_;
  std::vector<Force<double>> wrench_, bias_;
  std::vector<ClosingFreedom> closing_;
  std::vector<char> prescribed_;
  bool any_prescribed_ = false;
  double power_in_ = 0, power_out_ = 0, elastic_ = 0;
  std::optional<Pull> pull_;
  std::vector<DriveState> drives_;
  std::vector<double> drive_v_, drive_a_;
  int thwarted_drive_ = -1;
  std::vector<Stop> stops_;
  std::vector<ActingActuator> actuators_;
  std::vector<std::size_t> coils_;  // among them
  std::vector<ClosingAngle> angles_;
  LoopVerdict verdict_;

  FluidForces fluid_;
  bool has_fluid_ = false;
  bool has_velocities_ = false;  // find_forces has left them in the workspace, and nothing else since

  // Of the implicit step: forces along freedoms that are taken at its end, for their work.
  struct LinearForce {
    std::size_t v = 0;
    FreedomForce now;
    bool is_input = false;   // by an actuator; otherwise by a damper
    double* xdot = nullptr;  // of the current behind it
  };
  std::vector<LinearForce> linear_;
  void add_work_of_linear_forces(double h);
  // What is added to the inertia: by the implicit step, and bodies' by fluid.
  std::vector<double> dof_inertia_;
  std::vector<ArticulatedInertia<double>> body_inertia_, inertia_before_;  // before contacts came in
  bool implicit_ = false;
  ContactForces contacts_;
  bool within_steps_ = false;
  double step_ = 0;                 // of the implicit step under way; 0: none
  std::vector<double> tau_before_;  // of a pass: without contacts and dry friction
  std::vector<Force<double>> wrench_before_;
  std::vector<int> slips_before_, slips_after_;  // of dry freedoms
};

}  // namespace trammel
