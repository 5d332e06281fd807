// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A linkage that is moved by hand: points are dragged, inputs are set by sliders. No time passes; frames are counted.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <trammel/dragging.hpp>

#include "input_options.hpp"
#include "live_engine.hpp"

namespace trammel::tool {
namespace {

constexpr int positions_of_marks = 360;  // on a slider's range, to find its dead points

class LiveLinkage final : public LiveEngine {
 public:
  explicit LiveLinkage(const Mechanism& mechanism)
      : LiveEngine(mechanism), hand_(mechanism, inputs_to_turn(mechanism)), loops_(mechanism), ws_(mechanism) {
    for (int k = 0; k < static_cast<int>(hand_.inputs().size()); ++k) add_control(k);
    mark_dead_points();
    control_count_ = static_cast<int>(controls_.size());
    find_channels();
  }

  LiveSettings settings() const override {
    return {.is_linkage = true, .is_running = true, .speed = 1, .channels = channels_, .controls = controls_};
  }

  void run(LiveServer& server) override {
    server_ = &server;
    server_->send_state(state_message(true));
    if (!hand_.assembly().closed()) {
      server_->send_text(reason_message("locked", "the linkage cannot be closed as it is drawn"));
    }
    send_frame();
    while (!is_stopped()) {
      if (const std::optional<LiveMessage> message = next(-1)) handle(*message);
    }
  }

 private:
  void handle(const LiveMessage& message) {
    using Kind = LiveMessage::Kind;
    switch (message.kind) {
      case Kind::drag:
      case Kind::nudge:
        if (mech_.link_of_body[static_cast<std::size_t>(message.index)] == ground) {
          tell(
              {DragVerdict::Status::locked, 0,
               fmt::format("'{}' is fixed to the ground", mech_.bodies[static_cast<std::size_t>(message.index)].name)});
        } else {
          tell(hand_.drag(message.index, message.point_B, message.target_W));
        }
        break;
      case Kind::set:
        tell(hand_.set_input(message.index, in_si(message.index, message.value)));
        break;
      case Kind::restart:
        hand_.restart();
        tell({});
        break;
      case Kind::release:
        tell({});
        break;
      case Kind::pause:
      case Kind::resume:
      case Kind::step:
      case Kind::speed:
        return;  // no time passes
    }
    send_frame();
  }

  // "nearest" is no obstacle: the hand is just not on the path.
  void tell(const DragVerdict& verdict) {
    using Status = DragVerdict::Status;
    const bool says = verdict.status != Status::there && verdict.status != Status::nearest;
    const std::string text = says ? verdict.text : std::string();
    if (text == told_) return;
    told_ = text;
    server_->send_text(reason_message(says ? std::string(keyword(verdict.status)) : std::string(), text));
  }

  // --- sliders ---

  Dimension dimension_of(int k) const {
    const Driver& driver = hand_.inputs()[static_cast<std::size_t>(k)];
    return freedoms(mech_.joints[static_cast<std::size_t>(driver.joint)].type)[static_cast<std::size_t>(driver.dof)]
        .dimension;
  }
  double in_si(int k, double shown) const {
    const SceneControl& control = controls_[static_cast<std::size_t>(k)];
    return mech_.units.in_si(std::clamp(shown, control.from, control.to), dimension_of(k));
  }

  void add_control(int k) {
    const Driver& driver = hand_.inputs()[static_cast<std::size_t>(k)];
    const JointInfo& joint = mech_.joints[static_cast<std::size_t>(driver.joint)];
    const Dimension d = dimension_of(k);
    const double now = hand_.input(k),
                 reach = d == dimension::angle ? std::numbers::pi : loops_.characteristic_length();
    double from = now - reach, to = now + reach;
    const auto at = [&](const std::vector<double>& list, double otherwise) {
      return static_cast<std::size_t>(driver.dof) < list.size() &&
                     std::isfinite(list[static_cast<std::size_t>(driver.dof)])
                 ? list[static_cast<std::size_t>(driver.dof)]
                 : otherwise;
    };
    for (const InputInfo& input : mech_.inputs) {
      const Input& s = input.settings;
      if (input.joint != driver.joint || s.dof != driver.dof || s.motion || s.step == 0) continue;
      from = std::min(s.from, s.to), to = std::max(s.from, s.to);
    }
    from = at(joint.properties.lower, from), to = at(joint.properties.upper, to);
    SweepInput named;
    named.driver = driver;
    const auto shown = [&](double x) { return mech_.units.from_si(x, d); };
    controls_.push_back({.name = input_name(mech_, named),
                         .kind = "input",
                         .unit = mech_.units.name(d),
                         .from = shown(std::min(from, now)),
                         .to = shown(std::max(to, now)),
                         .value = shown(now)});
  }

  // Of a linkage with one input: where it cannot go.
  void mark_dead_points() {
    if (controls_.size() != 1 || mech_.is_tree()) return;
    SceneControl& control = controls_.front();
    const Dimension d = dimension_of(0);
    const double from = mech_.units.in_si(control.from, d), to = mech_.units.in_si(control.to, d);
    const double now = hand_.input(0);
    for (const double end : {from, to}) {
      if (end == now) continue;
      const double step = (end - now) / positions_of_marks;
      const Analysis way = analyze(
          mech_,
          {.inputs = {{.driver = hand_.inputs().front(), .from = now, .to = end, .step = step}}, .start = hand_.q()});
      for (const DeadPoint& dead : way.dead_points) {
        const double value = mech_.units.from_si(dead.value, d);
        control.dead_points.push_back(
            {value, fmt::format("dead point at {:.6g} {}", value, control.unit), dead.is_limit});
      }
      for (const ImaginaryRange& range : way.imaginary) {
        const double a = mech_.units.from_si(range.from, d), b = mech_.units.from_si(range.to, d);
        control.imaginary.emplace_back(std::min(a, b), std::max(a, b));
      }
    }
  }

  // --- frames ---

  void find_channels() {
    for (const SceneControl& control : controls_) channels_.push_back({control.name, control.unit, "", "inputs"});
    for (const JointInfo& joint : mech_.joints) {
      if (joint.role != JointRole::tree || joint.nq != joint.nv) continue;
      const std::vector<Freedom> list = freedoms(joint.type);
      for (const Freedom& f : list) {
        const std::string name = list.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, f.name);
        channels_.push_back({name + ".q", mech_.units.name(f.dimension), "joint", "coordinates"});
      }
    }
    for (const OutputInfo& output : mech_.outputs) {
      for (const char* axis : {".x", ".y", ".z"}) {
        channels_.push_back({output.name + axis, mech_.units.name(dimension::length), "world", "points"});
      }
    }
    if (mech_.is_tree()) return;
    channels_.push_back({"loops.position", "m", "", "loops"});
    channels_.push_back({"loops.orientation", "rad", "", "loops"});
  }

  void send_frame() {
    std::vector<double> numbers;
    const std::vector<double>& q = hand_.q();
    for (int k = 0; k < static_cast<int>(controls_.size()); ++k) {
      numbers.push_back(mech_.units.from_si(hand_.input(k), dimension_of(k)));
    }
    for (const JointInfo& joint : mech_.joints) {
      if (joint.role != JointRole::tree || joint.nq != joint.nv) continue;
      const std::vector<Freedom> list = freedoms(joint.type);
      for (std::size_t i = 0; i < list.size(); ++i) {
        numbers.push_back(mech_.units.from_si(q[static_cast<std::size_t>(joint.q) + i], list[i].dimension));
      }
    }
    compute_positions(mech_, ws_, q);
    for (const OutputInfo& output : mech_.outputs) {
      const Vec3d p = output.body == ground ? output.p_B : pose_WB(mech_, ws_, output.body) * output.p_B;
      for (const double x : {p.x, p.y, p.z}) numbers.push_back(mech_.units.from_si(x, dimension::length));
    }
    if (!mech_.is_tree()) {
      std::vector<double> at = q;
      const AssemblyReport gap = loops_.assemble(at, {}, {.max_iterations = 0});
      numbers.push_back(gap.gap_m), numbers.push_back(gap.gap_rad);
    }
    server_->send_frame(
        live_frame(mech_, ws_, q, static_cast<double>(frames_++), std::numeric_limits<double>::quiet_NaN(), numbers));
  }

  LinkageHand hand_;
  LoopSolver loops_;
  Workspace ws_;
  std::vector<SceneControl> controls_;
  std::vector<RecordedChannel> channels_;
  LiveServer* server_ = nullptr;
  std::string told_;
  std::uint64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<LiveEngine> make_live_linkage(const Mechanism& mechanism) {
  return std::make_unique<LiveLinkage>(mechanism);
}

}  // namespace trammel::tool
