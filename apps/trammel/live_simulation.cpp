// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A simulation that runs while somebody looks on: in stretches of a frame's time, each begun when the wall clock has come to its end. Who
// cannot keep up falls behind without trying to make up for it.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <trammel/mobility.hpp>

#include "live_engine.hpp"

namespace trammel::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double frame_time = 1.0 / 60;  // s of the wall clock
constexpr double longest_lag = 0.1;      // s; beyond that it does not try to catch up
constexpr double smoothing = 0.9;        // of the real-time factor, per frame
constexpr int most_reactions = 60;       // freedoms up to which reactions are found at every frame
constexpr double pull_rate = 8;          // rad/s: the whole mechanism at the hand's spring
constexpr double fastest_pull = 60;      // rad/s: the lightest it can feel at the point
constexpr double approach = 8;           // 1/s: of driven coordinates to where sliders want them

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// One slider, and what it moves. Values of sliders are in the model's units.
struct LiveControl {
  SceneControl shown = {};
  Dimension dimension = {};
  int actuator = -1, drive = -1;
  std::size_t component = 0;         // of an actuator on a ball joint
  std::optional<double> value = {};  // SI; unset: as the model has it
};

// 17 digits, so that motions fit together.
std::string exactly(double x) { return fmt::format("({:.17g})", x); }

class LiveSimulation final : public LiveEngine {
 public:
  LiveSimulation(const Mechanism& mechanism, const SimulationOptions& options, const State& start, double speed)
      : LiveEngine(mechanism),
        options_(options),
        start_(start),
        speed_(speed),
        reader_(mechanism, groups()),
        ws_(mechanism) {
    options_.until = 1e12;
    options_.record = options_.sample = {};
    options_.at.clear();
    options_.on_event = [this](const RecordedEvent& event) {
      if (server_ != nullptr) server_->send_text(event_message(event));
    };
    options_.go_on = [this](double) { return !has_news() && Clock::now() < deadline_; };
    find_controls();
    control_count_ = static_cast<int>(controls_.size());
    row_.resize(reader_.channels().size());
    begin();
  }

  LiveSettings settings() const override {
    LiveSettings out{.is_linkage = false, .is_running = true, .speed = speed_, .channels = {}};
    const std::vector<RecordedChannel>& all = reader_.channels();
    out.channels.assign(all.begin() + 1, all.end());  // without time
    for (const ContactPair& pair : mech_.contacts.pairs) {
      for (const char* part : {" place.x", " place.y", " place.z"}) {
        out.channels.push_back({pair.name + part, "m", "world", "arrows"});
      }
      for (const char* part : {" contact.x", " contact.y", " contact.z"}) {
        out.channels.push_back({pair.name + part, "N", "world", "arrows"});
      }
    }
    for (const LiveControl& control : controls_) out.controls.push_back(control.shown);
    return out;
  }

  void run(LiveServer& server) override {
    server_ = &server;
    tell_start();
    send_frame();
    while (!is_stopped()) {
      const bool is_seen = server_->has_pages();  // nothing moves before somebody looks
      if (!is_seen) anchor();
      const double wait = !running_ ? -1 : is_seen ? std::max(0.0, time_to_next()) : frame_time;
      if (const std::optional<LiveMessage> message = next(wait)) {
        handle(*message);
      } else if (running_ && is_seen && time_to_next() <= 0) {
        advance();
      }
    }
  }

 private:
  std::vector<std::string> groups() const {
    std::vector<std::string> groups = usual_channel_groups();
    if (mech_.nv <= most_reactions) groups.emplace_back("reactions");
    if (!mech_.contacts.pairs.empty()) groups.emplace_back("contacts");
    return groups;
  }

  // --- time ---

  void begin() {
    simulation_.emplace(mech_, options_, start_);
    for (std::size_t k = 0; k < controls_.size(); ++k) {
      if (controls_[k].value) apply(k);
    }
    anchor();
    factor_ = std::numeric_limits<double>::quiet_NaN();
    pulled_ = -1;
    at_start_ = simulation_->run(start_.t);  // closes the loops, takes no step
    has_failed_ = !at_start_.ok();
    running_ = running_ && !has_failed_;
  }
  void tell_start() {
    server_->send_text(reason_message("", has_failed_ ? in_words(at_start_) : std::string()));
    server_->send_state(state_message(running_, has_failed_ ? in_words(at_start_) : std::string()));
  }
  static std::string in_words(const SimulationReport& report) {
    return report.fix.empty() ? report.text : fmt::format("{}; {}", report.text, report.fix);
  }
  void anchor() { wall_ = Clock::now(), t_anchor_ = simulation_->state().t; }
  double time_to_next() const {
    if (speed_ == 0) return 0;
    return (simulation_->state().t - t_anchor_) / speed_ + frame_time - seconds_since(wall_);
  }
  // Where the next stretch ends. Fixed steps are taken whole.
  double end_of_stretch() const {
    const double t = simulation_->state().t;
    if (speed_ == 0) return t + 1e3;
    const double stretch = speed_ * frame_time, h = has_error_control(options_.integrator) ? 0 : fixed_step();
    return t + (h > 0 ? std::max(1.0, std::round(stretch / h)) * h : stretch);
  }
  double fixed_step() const { return options_.step > 0 ? options_.step : 1e-3; }

  void advance() {
    const double before = simulation_->state().t;
    const Clock::time_point began = Clock::now();
    deadline_ = began + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(speed_ == 0 ? frame_time : longest_lag));
    move_to(end_of_stretch());
    const double taken = seconds_since(began), moved = simulation_->state().t - before;
    if (taken > 0 && moved > 0) {
      factor_ = std::isfinite(factor_) ? smoothing * factor_ + (1 - smoothing) * moved / taken : moved / taken;
    }
    if (speed_ > 0 && time_to_next() < -longest_lag) anchor();
    send_frame();
  }

  // Runs until then, or until the deadline or a message stops it.
  void move_to(double until) {
    const SimulationReport report = simulation_->run(until);
    const bool by_us = report.status == SimulationStatus::stopped && (has_news() || Clock::now() >= deadline_);
    if (report.status == SimulationStatus::done || by_us) return;
    has_failed_ = !report.ok();
    running_ = false;
    server_->send_text(reason_message(report.ok() ? "done" : "", in_words(report)));
    server_->send_state(state_message(false, in_words(report)));
  }

  void send_frame() {
    reader_.read(*simulation_, row_);
    std::vector<double> numbers(row_.begin() + 1, row_.end());
    if (!mech_.contacts.pairs.empty()) {
      for (const ContactState& contact : simulation_->contacts()) {
        const Vec3d force = contact.normal_W * contact.normal + contact.friction_W;
        for (const double x : {contact.p_W.x, contact.p_W.y, contact.p_W.z, force.x, force.y, force.z}) {
          numbers.push_back(x);
        }
      }
    }
    const State& state = simulation_->state();
    server_->send_frame(live_frame(mech_, ws_, state.q, state.t, factor_, numbers));
  }

  // --- messages ---

  void handle(const LiveMessage& message) {
    using Kind = LiveMessage::Kind;
    switch (message.kind) {
      case Kind::pause:
        set_running(false);
        break;
      case Kind::resume:
        if (!has_failed_) set_running(true);
        break;
      case Kind::step:
        set_running(false);
        if (has_failed_) break;
        deadline_ = Clock::now() + std::chrono::seconds(10);
        move_to(simulation_->state().t + (options_.record_every > 0 ? options_.record_every : end_of_step()));
        send_frame();
        break;
      case Kind::restart:
        begin();
        tell_start();
        send_frame();
        break;
      case Kind::speed:
        speed_ = message.value;
        anchor();
        break;
      case Kind::set:
        set(static_cast<std::size_t>(message.index), message.value);
        break;
      case Kind::nudge:
        nudge(message);
        break;
      case Kind::drag:
        server_->send_text(reason_message("", "dragging moves linkages; a simulated body is pulled"));
        break;
      case Kind::release:
        simulation_->set_pull(std::nullopt);
        pulled_ = -1;
        server_->send_text(reason_message("", ""));
        break;
    }
  }
  double end_of_step() const { return has_error_control(options_.integrator) ? frame_time : fixed_step(); }
  void set_running(bool running) {
    running_ = running;
    anchor();
    server_->send_state(state_message(running_));
  }

  // A spring that neither tears the lightest part off nor leaves the whole alone.
  void nudge(const LiveMessage& message) {
    if (mech_.link_of_body[static_cast<std::size_t>(message.index)] == ground) {
      server_->send_text(reason_message(
          "locked",
          fmt::format("'{}' is fixed to the ground", mech_.bodies[static_cast<std::size_t>(message.index)].name)));
      return;
    }
    if (pulled_ != message.index) {
      pulled_ = message.index;
      const double light = lightest(message.index, message.point_B), all = total_mass();
      pull_stiffness_ = std::min(pull_rate * pull_rate * all, fastest_pull * fastest_pull * light);
      pull_damping_ = std::sqrt(pull_stiffness_ * light);
    }
    simulation_->set_pull(Pull{message.index, message.point_B, message.target_W, pull_stiffness_, pull_damping_});
  }
  double total_mass() const {
    double mass = 0;
    for (int b = 0; b < mech_.body_count(); ++b) {
      if (mech_.link_of_body[static_cast<std::size_t>(b)] != ground) {
        mass += mech_.parameters.M_C[static_cast<std::size_t>(b)].mass;
      }
    }
    return std::max(mass, 1e-6);
  }
  // What a force feels at the point in the direction that gives way most; loops would make it heavier.
  double lightest(int body, const Vec3d& p_B) {
    std::array<double, 36> G{};
    const DynamicsVerdict verdict = compute_mobility<double>(mech_, ws_, simulation_->state().q, body, p_B, G);
    const double trace = G[21] + G[28] + G[35];  // of the block that answers forces by velocities
    return verdict.ok() && trace > 0 && std::isfinite(trace) ? 1 / trace : total_mass();
  }

  // --- sliders ---

  void find_controls() {
    for (int k = 0; k < static_cast<int>(mech_.drives.size()); ++k) add_drive(k);
    for (int k = 0; k < static_cast<int>(mech_.actuators.size()); ++k) add_actuator(k);
  }
  void add(LiveControl control, double lower, double upper, double value, double otherwise) {
    const auto shown = [&](double x) { return mech_.units.from_si(x, control.dimension); };
    if (!std::isfinite(lower)) lower = std::min(value, std::isfinite(upper) ? upper : value) - otherwise;
    if (!std::isfinite(upper)) upper = std::max(value, lower) + otherwise;
    control.shown.from = shown(lower), control.shown.to = shown(upper);
    control.shown.value = shown(std::clamp(value, lower, upper));
    control.shown.unit = control.shown.unit.empty() ? mech_.units.name(control.dimension) : control.shown.unit;
    controls_.push_back(std::move(control));
  }
  static double of(const std::vector<double>& list, int dof, double otherwise) {
    return static_cast<std::size_t>(dof) < list.size() ? list[static_cast<std::size_t>(dof)] : otherwise;
  }

  void add_drive(int k) {
    const Drive& drive = mech_.drives[static_cast<std::size_t>(k)].settings;
    const JointInfo& joint = mech_.joints[static_cast<std::size_t>(mech_.drives[static_cast<std::size_t>(k)].joint)];
    LiveControl control{.drive = k};
    control.shown.name = drive.name, control.shown.kind = "drive";
    control.dimension = freedoms(joint.type)[static_cast<std::size_t>(drive.dof)].dimension;
    const bool by_velocity = drive.kind == Drive::Kind::velocity, turns = control.dimension == dimension::angle;
    if (by_velocity) control.dimension.time -= 1;
    const double now = drive.motion.at(start_.t);
    const JointProperties& p = joint.properties;
    add(std::move(control), by_velocity ? -infinity : of(p.lower, drive.dof, -infinity),
        by_velocity ? infinity : of(p.upper, drive.dof, infinity), now, turns ? std::numbers::pi : reach_);
  }

  void add_actuator(int k) {
    const ActuatorInfo& info = mech_.actuators[static_cast<std::size_t>(k)];
    const Actuator& a = info.settings;
    const std::size_t count = a.dof == Actuator::all_of_ball ? 3 : 1;
    const bool is_servo =
        a.kind == Actuator::Kind::position || (a.kind == Actuator::Kind::dc_motor && a.motor.is_servo);
    for (std::size_t i = 0; i < count; ++i) {
      LiveControl control{.actuator = k, .component = i};
      control.shown.name = count == 1 ? a.name : fmt::format("{}.{}", a.name, "xyz"[i]);
      control.shown.kind = is_servo ? "servo" : "actuator";
      const double now = i < a.target.size() ? a.target[i].at(start_.t) : 0;
      double lower = a.control_lower, upper = a.control_upper, otherwise = 1;
      if (info.joint >= 0 && (is_servo || a.kind == Actuator::Kind::velocity)) {
        const JointInfo& joint = mech_.joints[static_cast<std::size_t>(info.joint)];
        control.dimension = freedoms(joint.type)[static_cast<std::size_t>(std::max(a.dof, 0))].dimension;
        const bool turns = control.dimension == dimension::angle;
        otherwise = turns ? std::numbers::pi : reach_;
        if (a.kind == Actuator::Kind::velocity) {
          control.dimension.time -= 1;
        } else if (a.gear == 1 && count == 1) {
          lower = std::max(lower, of(joint.properties.lower, a.dof, -infinity));
          upper = std::min(upper, of(joint.properties.upper, a.dof, infinity));
        }
      } else if (a.kind == Actuator::Kind::dc_motor) {
        control.shown.unit = "V", otherwise = 24;
      } else {
        control.shown.unit = a.kind == Actuator::Kind::thruster ? "1" : info.joint >= 0 && turns(info) ? "N m" : "N";
        otherwise = std::isfinite(a.effort_upper) ? a.effort_upper : 10;
      }
      add(std::move(control), lower, upper, now, otherwise);
    }
  }
  bool turns(const ActuatorInfo& info) const {
    const JointInfo& joint = mech_.joints[static_cast<std::size_t>(info.joint)];
    return freedoms(joint.type)[static_cast<std::size_t>(std::max(info.settings.dof, 0))].dimension == dimension::angle;
  }

  void set(std::size_t k, double shown) {
    LiveControl& control = controls_[k];
    const double within = std::clamp(shown, std::min(control.shown.from, control.shown.to),
                                     std::max(control.shown.from, control.shown.to));
    control.value = mech_.units.in_si(within, control.dimension);
    apply(k);
  }
  void apply(std::size_t k) {
    const LiveControl& control = controls_[k];
    if (control.drive >= 0) {
      simulation_->set_drive(control.drive, motion_to(control.drive, *control.value));
      return;
    }
    const Actuator& a = mech_.actuators[static_cast<std::size_t>(control.actuator)].settings;
    std::vector<Profile> target(a.dof == Actuator::all_of_ball ? 3 : 1);
    for (const LiveControl& other : controls_) {
      if (other.actuator != control.actuator) continue;
      if (other.value) {
        target[other.component] = Profile(*other.value);
      } else if (other.component < a.target.size()) {
        target[other.component] = a.target[other.component];
      }
    }
    simulation_->set_target(control.actuator, std::move(target));
  }

  // From the state at this moment to a value, without a jump: as a critically damped spring would bring it there,
  //   x = x₁ + ((x₀ − x₁) + (v₀ + ω (x₀ − x₁)) s) e^(−ω s),   s = t − t₀
  // and a velocity by an exponential.
  Profile motion_to(int k, double target) const {
    const DriveInfo& info = mech_.drives[static_cast<std::size_t>(k)];
    const JointInfo& joint = mech_.joints[static_cast<std::size_t>(info.joint)];
    const State& state = simulation_->state();
    const double x = state.q[static_cast<std::size_t>(joint.q + info.settings.dof)],
                 v = state.v[static_cast<std::size_t>(joint.v + info.settings.dof)];
    const std::string s = fmt::format("(t - {})", exactly(state.t)), decay = fmt::format("exp(-{} * {})", approach, s);
    const std::string text = info.settings.kind == Drive::Kind::velocity
                                 ? fmt::format("{} + {} * {}", exactly(target), exactly(v - target), decay)
                                 : fmt::format("{} + ({} + {} * {}) * {}", exactly(target), exactly(x - target),
                                               exactly(v + approach * (x - target)), s, decay);
    const std::vector<std::string> variables{"t"};
    const auto parsed = Expression::parse(text, variables);
    if (const auto* expression = std::get_if<Expression>(&parsed)) return TimeFunction(*expression);
    return target;
  }

  SimulationOptions options_;
  State start_;
  double speed_ = 1;
  bool running_ = true, has_failed_ = false;
  ChannelReader reader_;
  Workspace ws_;
  std::vector<LiveControl> controls_;
  std::optional<Simulation> simulation_;
  SimulationReport at_start_;
  LiveServer* server_ = nullptr;
  std::vector<double> row_;
  Clock::time_point wall_ = Clock::now(), deadline_ = Clock::now();
  double t_anchor_ = 0, factor_ = 0;
  int pulled_ = -1;
  double pull_stiffness_ = 0, pull_damping_ = 0;
  double reach_ = 0.5;  // m: how far a slider goes where nothing limits it
};

}  // namespace

std::unique_ptr<LiveEngine> make_live_simulation(const Mechanism& mechanism, const SimulationOptions& options,
                                                 const State& start, double speed) {
  return std::make_unique<LiveSimulation>(mechanism, options, start, speed);
}

}  // namespace trammel::tool
