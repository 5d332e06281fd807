// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Motion over time, of trees and of mechanisms with loops, with all that acts: weight, springs, loads, actuators, friction that
// sticks, stops, prescribed motions.
//
//   Simulation simulation(mechanism, {.until = 2, .tolerance = 1e-9});
//   const SimulationReport report = simulation.run();
//   simulation.state().q …
//
// The equations, with y = (q, v, x) and x what actuators remember:
//   q̇ = N(q) v,    v̇ from forward dynamics (dynamics.hpp, loop_dynamics.hpp),    ẋ of motors and thrusters
// After every step loops are closed and quaternions made unit again by projection. Between events the right side is smooth: what
// switches (a joint that starts to slip, a stop that is touched, an event of the model) is found where it happens.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/analysis.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/recording.hpp>

namespace trammel {

enum class Integrator {
  automatic,      // erk
  erk,            // explicit Runge–Kutta of high order with error control (ARKODE)
  bdf,            // backward differences with error control, for stiff systems (CVODE)
  rk4,            // fixed step, order 4
  midpoint,       // fixed step, order 2: implicit midpoint rule; reversible in time, for long runs without losses
  semi_implicit,  // fixed step, order 1: new velocities move the coordinates
  implicit,  // fixed step, order 1: springs, dampers, servos and stops are linearised into the inertia; stable for any stiffness
};
std::string_view keyword(Integrator integrator);
std::optional<Integrator> integrator_by_keyword(std::string_view word);
std::vector<std::string> integrator_keywords();
bool has_error_control(Integrator integrator);

enum class Stabilisation {
  projection,  // loops are closed after every step, positions and velocities, by corrections that are least in the sense of the mass matrix
  baumgarte,   // gaps die out by a term in the accelerations
  none,        // gaps grow; they are reported
};

// A moment of a run, for controllers and observers. Spans hold until the call returns.
struct Moment {
  double t = 0;
  std::span<const double> q, v;
};

// Sets the controls of the mechanism's actuators, in the order of the model (those of a ball joint are three numbers): before the call
// they are what the actuators' targets give. Called at the start and then every `period`; controls are held in between.
struct Controller {
  double period = 0;  // s
  std::function<void(const Moment&, std::span<double> controls)> update = {};
};

// An event of a library user: where `when` changes its sign in time. `then` may change the velocities, as an impact does; it returns false
// to stop the run.
struct UserEvent {
  std::string name;
  Event::Direction direction = Event::Direction::both;
  std::function<double(const Moment&)> when;
  std::function<bool(double t, std::span<const double> q, std::span<double> v)> then = {};
};

constexpr double default_fixed_step = 1e-3;  // s

struct SimulationOptions {
  double until = 1;  // s
  // Of fixed-step integrators, 0: default_fixed_step. With error control: the largest that is allowed, 0: any.
  double step = 0;
  double tolerance = 1e-8;  // error of a step, relative, and absolute in m, rad, m/s, rad/s
  Integrator integrator = Integrator::automatic;
  int order = 0;  // erk 2 to 5 and 8, bdf up to 5; 0: the highest
  Stabilisation stabilisation = Stabilisation::projection;
  double baumgarte_rate = 0;  // 1/s; 0: 0.1 over the step, at most half over it
  LoopMethod loop_method = LoopMethod::automatic;
  bool friction = true;
  bool fluid = true;             // the model's fluid acts
  bool strict = false;           // an initial state that does not close is refused, not projected
  double record_every = 0;       // s; 0: every step. The end is recorded too
  std::vector<double> at = {};   // further times at which `sample` is called, exactly
  std::uint64_t most_steps = 0;  // 0: as many as it takes
  Controller controller = {};
  std::vector<UserEvent> events = {};

  // Called at every recorded moment, and at the times `at`.
  std::function<void(const Moment&)> record = {}, sample = {};
  // Called for every event, in order.
  std::function<void(const RecordedEvent&)> on_event = {};
  // Called with each note of the report as soon as it is known.
  std::function<void(const std::string&)> on_note = {};
  // Called now and then with the time; false stops the run.
  std::function<bool(double t)> go_on = {};
};

// A hand that pulls a point of a body: by a spring from the point to a place in the world, with a damper against the point's motion,
//   F = stiffness (target − p) − damping ṗ
struct Pull {
  int body = ground;  // one that moves
  Vec3d p_B, target_W;
  double stiffness = 0, damping = 0;  // N/m, N s/m
};

enum class SimulationStatus {
  done,
  stopped,   // by an event, or by go_on
  diverged,  // numbers grew beyond all bounds
  too_many_steps,
  step_too_small,   // error control could not go on
  no_inertia,       // a motion without inertia: `joint`
  cannot_assemble,  // the initial state does not close
  inconsistent,     // constraints or drives contradict each other
};
std::string_view keyword(SimulationStatus status);

// Where energy went since the start, J. error = stored now − stored at first − input + dissipated.
struct EnergyAudit {
  double kinetic = 0, potential = 0, elastic = 0;  // now; with that of the fluid where it stores any (fluid_forces.hpp)
  double input = 0;                                // by actuators, drives, loads and moving fluid
  double dissipated = 0;                           // by friction, dampers, stops, contacts and drag
  double error = 0, largest_error = 0;             // now; at any recorded moment
};

// Of a dc_motor at a moment: the voltage at its terminals, what limits leave of it, and its current.
struct MotorState {
  double volts = 0, amperes = 0;
};

// What two things that may touch do to each other at a moment.
struct ContactState {
  enum class Mode { open, sticks, slips };
  Mode mode = Mode::open;
  double depth = 0;   // m; negative: so far apart
  double normal = 0;  // N
  Vec3d normal_W;     // unit, from the first body (or the ground) to the second
  Vec3d friction_W;   // N, on the second body
  Vec3d p_W;          // where
};
std::string_view keyword(ContactState::Mode mode);

struct LoopDrift {
  double position = 0, orientation = 0;  // m, rad: the largest gaps at the ends of steps
};

struct SimulationReport {
  SimulationStatus status = SimulationStatus::done;
  std::string text, fix;  // what happened in words, where the run did not end as wished
  double t = 0;
  std::uint64_t steps = 0, rejected = 0, evaluations = 0, event_count = 0;
  double smallest_step = 0, largest_step = 0;
  EnergyAudit energy;
  LoopDrift drift;
  LoopDrift initial_gap;                          // that projection closed at the start
  std::vector<std::string> notes;                 // what the user should know: stiffness that keeps steps short
  Integrator integrator = Integrator::automatic;  // that ran
  // Of the implicit step: how often it was solved anew because contacts opened, closed, began or ceased to slip; and in how many steps
  // that had not come to an end.
  std::uint64_t contact_passes = 0, unresolved_steps = 0;

  bool ok() const { return status == SimulationStatus::done || status == SimulationStatus::stopped; }
};

class Simulation {
 public:
  // Starts at `start`, or at the model's initial state. Keeps a copy of the mechanism.
  Simulation(const Mechanism& mechanism, SimulationOptions options, const std::optional<State>& start = std::nullopt);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // From the current state to options.until (or `until`), again and again.
  SimulationReport run();
  SimulationReport run(double until);

  const Mechanism& mechanism() const;
  const State& state() const;
  // Of the current state: accelerations of the tree, forces of drives, and per actuator what it exerts. They are found when asked for.
  std::span<const double> accelerations();
  std::span<const double> drive_forces();     // per drive of the mechanism
  std::span<const double> actuator_forces();  // per actuator; of a ball joint the magnitude
  std::span<const MotorState> motors();       // per actuator; 0 of what is no dc_motor
  std::span<const ContactState> contacts();   // per pair of Mechanism::contacts
  EnergyAudit energy();
  LoopDrift gaps();  // of the loops
  // Reactions at every joint, as LoopDynamics gives them.
  std::vector<LoopReaction> reactions();
  // Closures that are active now.
  bool is_closed(int joint) const;
  // Joints that close loops have no coordinate in the state; their angles can be read off the bodies up to full turns. Where a spring, an
  // actuator, a stop or an expression depends on such an angle its turns are counted: `angle`, with these turns. Others are left as given.
  double with_turns(int joint, int dof, double angle) const;

  // Between two runs somebody may interfere: pull at a body (or let it go), give a drive of the mechanism another motion, or an actuator other
  // targets, over the time of the simulation. All that is no part of a checkpoint.
  void set_pull(const std::optional<Pull>& pull);
  void set_drive(int drive, Profile motion);
  void set_target(int actuator, std::vector<Profile> target);

  // All that a later run needs to go on from here, bit by bit; for the same mechanism and options. Its rows are those recorded so far,
  // but for an end off the grid of record_every; its events are for the caller to count.
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& checkpoint);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// Contacts that are beyond the nodes of a terrain at a state, and what that means there: a warning each, by contact shape.
Diagnostics terrain_warnings(const Mechanism& mechanism, const State& state);

// Where everything is at the current moment, as in a step of an analysis: joints, those that close loops too, points, bodies, measures.
AnalysisStep describe(Simulation& simulation);

// What a recording may hold, group by group; what the tool records unless told otherwise.
std::vector<std::string> channel_groups();
std::vector<std::string> usual_channel_groups();

// Reads the channels of some groups off a simulation, at its current moment.
class ChannelReader {
 public:
  // Groups of channel_groups(); others are left out. Time is always there.
  ChannelReader(const Mechanism& mechanism, const std::vector<std::string>& groups);

  const std::vector<RecordedChannel>& channels() const { return channels_; }
  void read(Simulation& simulation, std::span<double> row) const;

 private:
  bool has(std::string_view group) const;
  std::vector<std::string> groups_;
  std::vector<RecordedChannel> channels_;
  std::shared_ptr<Workspace> places_;  // scratch: copies of a reader are not for several threads at once
};
// Names of the coordinates and freedoms of a state, as in channels: "elbow.q", "slide.travel.q", "ball.qw"; "elbow.v", "ball.wx.v".
std::vector<std::string> coordinate_names(const Mechanism& mechanism);
std::vector<std::string> freedom_names(const Mechanism& mechanism);

// A whole run, with all that it records in memory: channels of these groups at every recorded moment, and events. (Hooks of the options are
// called besides. To record on disk: RecordingFile.)
struct SimulatedRun {
  SimulationReport report;
  Recording recording;
};
SimulatedRun simulate(const Mechanism& mechanism, SimulationOptions options,
                      const std::vector<std::string>& groups = usual_channel_groups(),
                      const std::optional<State>& start = std::nullopt);

}  // namespace trammel
