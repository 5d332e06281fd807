// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Writes the sections of what acts and happens over time: actuators, drives, bushings, events, simulate.

#include <algorithm>

#include "readers/messages.hpp"
#include "readers/yaml_actuation.hpp"
#include "readers/yaml_actuators.hpp"
#include "readers/yaml_profiles.hpp"
#include "readers/yaml_writing.hpp"

namespace trammel::readers {

namespace {

class ActuatorWriter {
 public:
  ActuatorWriter(const Writing& w, const Actuator& a) : w_(w), a_(a) {}

  Entries entries(const Joint* joint) {
    if (joint == nullptr) {
      put_thruster();
      return entries_;
    }
    const bool whole = a_.dof == Actuator::all_of_ball;
    const Freedom freedom = freedoms(joint->type)[whole ? 0 : static_cast<std::size_t>(a_.dof)];
    put(keyword(a_.kind), whole ? name_text(a_.joint) : w_.coordinate_text(a_.joint, a_.dof));
    if (a_.kind == Actuator::Kind::dc_motor) {
      put_motor(MotorUnits(a_.motor.is_servo, freedom));
    } else {
      put_law(ActuatorUnits(a_.kind, freedom));
    }
    return entries_;
  }

 private:
  void put(std::string_view key, std::string value) { entries_.emplace_back(key, std::move(value)); }
  std::string number(double x, const Dimension& dimension = {}) const { return w_.number()(x, dimension); }
  void put_unless(double usual, const char* key, double x, const Dimension& dimension = {}) {
    if (x != usual) put(key, number(x, dimension));
  }
  void put_range(const char* key, double lower, double upper, const Dimension& dimension) {
    if (lower == -infinity && upper == infinity) return;
    put(key, flow_list({number(lower, dimension), number(upper, dimension)}));
  }
  void put_target(const Dimension& dimension) {
    std::vector<std::string> all;
    for (const Profile& profile : a_.target) all.push_back(profile_text(w_.number(), profile, dimension));
    if (!all.empty()) put("target", a_.dof == Actuator::all_of_ball ? flow_list(all) : all[0]);
  }

  void put_law(const ActuatorUnits& units) {
    put_unless(1, "gear", a_.gear);
    if (a_.kind == Actuator::Kind::position) put("stiffness", number(a_.stiffness, units.stiffness));
    if (a_.kind == Actuator::Kind::velocity || a_.damping != 0) put("damping", number(a_.damping, units.damping));
    put_target(units.control);
    put_range("control", a_.control_lower, a_.control_upper, units.control);
    put_range("effort", a_.effort_lower, a_.effort_upper, units.effort);
  }

  void put_motor(const MotorUnits& units) {
    const Actuator::Motor& m = a_.motor;
    if (m.is_servo) {
      Entries servo{{"stiffness", number(a_.stiffness, units.stiffness)}};
      if (a_.damping != 0) servo.emplace_back("damping", number(a_.damping, units.damping));
      put("servo", flow_map(servo));
    }
    put_target(units.target);
    put("resistance", number(m.resistance));
    put_unless(0, "inductance", m.inductance);
    put("torque_constant", number(m.torque_constant, MotorUnits::torque_constant));
    put("back_emf", number(m.back_emf, MotorUnits::back_emf));
    put("gear", number(a_.gear, units.gear));
    put_unless(0, "rotor_inertia", m.rotor_inertia, dimension::inertia);
    put_unless(Actuator::none, "current", m.current_limit);
    if (m.viscous != 0 || m.dry != 0) {
      put("friction",
          flow_map({{"viscous", number(m.viscous, MotorUnits::viscous)}, {"dry", number(m.dry, MotorUnits::dry)}}));
    }
    if (m.brush_drop != 0 || m.brush_half != 1) {
      put("brush", flow_map({{"drop", number(m.brush_drop)}, {"half", number(m.brush_half)}}));
    }
    put_range("control", a_.control_lower, a_.control_upper, dimension::none);
    put_range("effort", a_.effort_lower, a_.effort_upper, dimension::torque);
  }

  void put_thruster() {
    const Actuator::Thruster& t = a_.thruster;
    put("thruster", name_text(t.at.body));
    put("at", w_.number()(t.at.p_B, dimension::length));
    if (w_.pose_of(t.at.body) != Transformd{}) put("in", name_text(t.at.body));
    put("along", direction_text(t.direction));
    put("gain", number(t.gain, dimension::force));
    put_unless(0, "dead_band", t.dead_band);
    put_unless(0, "lag", t.lag, {.time = 1});
    put_unless(0, "advance", t.advance, {.length = -1, .time = 1, .force = 1});
    put_unless(0, "reaction", t.torque, dimension::length);
    put_target(dimension::none);
    put_range("control", a_.control_lower, a_.control_upper, dimension::none);
    put_range("effort", a_.effort_lower, a_.effort_upper, dimension::force);
  }

  const Writing& w_;
  const Actuator& a_;
  Entries entries_;
};

std::string matrix_text(const Writing& w, const std::array<double, 36>& m, int time) {
  bool is_diagonal = true;
  for (std::size_t i = 0; i < 36; ++i) is_diagonal = is_diagonal && (i % 7 == 0 || m[i] == 0);
  if (is_diagonal) {
    Entries entries;
    for (const std::size_t first : {0, 3}) {
      const Vec3d axes{m[7 * first], m[7 * (first + 1)], m[7 * (first + 2)]};
      if (axes == Vec3d{} && (first == 0 || !entries.empty())) continue;
      const Dimension dimension = bushing_dimension(first, first, time);
      const bool alike = axes.x == axes.y && axes.y == axes.z;
      entries.emplace_back(first == 0 ? "turn" : "travel",
                           alike ? w.number()(axes.x, dimension) : w.number()(axes, dimension));
    }
    return flow_map(entries);
  }
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<std::string> row;
    for (std::size_t k = 0; k < 6; ++k) row.push_back(w.number()(m[6 * i + k], bushing_dimension(i, k, time)));
    rows.push_back(flow_list(row));
  }
  return flow_map({{"matrix", flow_list(rows)}});
}

}  // namespace

Items actuator_items(const Writing& w) {
  Items items;
  for (const Actuator& a : w.model().actuators) {
    const Joint* joint = w.find_joint(a.joint);
    if (joint == nullptr && a.kind != Actuator::Kind::thruster) continue;
    items.emplace_back(a.name, ActuatorWriter(w, a).entries(a.kind == Actuator::Kind::thruster ? nullptr : joint));
  }
  return items;
}

Items drive_items(const Writing& w) {
  Items items;
  for (const Drive& drive : w.model().drives) {
    const Joint* joint = w.find_joint(drive.joint);
    if (joint == nullptr) continue;
    const Freedom freedom = freedoms(joint->type)[static_cast<std::size_t>(drive.dof)];
    const Dimension dimension = drive.kind == Drive::Kind::position ? freedom.dimension : rate_of(freedom);
    items.emplace_back(w.coordinate_name(drive.joint, drive.dof),
                       Entries{{std::string(keyword(drive.kind)), profile_text(w.number(), drive.motion, dimension)}});
  }
  return items;
}

Items bushing_items(const Writing& w) {
  Items items;
  for (const Bushing& b : w.model().bushings) {
    Entries entries{{"between", flow_list({name_text(b.first), name_text(b.second)})}};
    Joint as_ball;
    as_ball.type = Spherical{};
    as_ball.first = b.first;
    as_ball.second = b.second;
    as_ball.X_AF = b.X_AP;
    as_ball.X_BM = b.X_BQ;
    put_joint_frames(w, as_ball, entries);
    entries.emplace_back("stiffness", matrix_text(w, b.stiffness, 0));
    const bool damped = std::any_of(b.damping.begin(), b.damping.end(), [](double x) { return x != 0; });
    if (damped) entries.emplace_back("damping", matrix_text(w, b.damping, 1));
    items.emplace_back(b.name, entries);
  }
  return items;
}

Items event_items(const Writing& w) {
  Items items;
  const StateNames names(w.model());
  for (const Event& event : w.model().events) {
    Entries entries{{"when", name_text(text_in_units(event.when, w.number().units(), dimension::none, names))}};
    if (event.direction != Event::Direction::both) {
      entries.emplace_back("direction", event.direction == Event::Direction::rising ? "rising" : "falling");
    }
    switch (event.action) {
      case Event::Action::note:
        break;
      case Event::Action::stop:
        entries.emplace_back("do", "stop");
        break;
      case Event::Action::open:
        entries.emplace_back("do", flow_map({{"open", name_text(event.target)}}));
        break;
      case Event::Action::close:
        entries.emplace_back("do", flow_map({{"close", name_text(event.target)}}));
        break;
      case Event::Action::capture:
        entries.emplace_back("do", flow_map({{"capture", name_text(event.target)}}));
        break;
    }
    items.emplace_back(event.name, entries);
  }
  return items;
}

std::string simulate_line(const Writing& w) {
  const SimulateSettings& s = w.model().simulate;
  constexpr Dimension time{.time = 1};
  Entries entries;
  if (s.until) entries.emplace_back("until", w.number()(*s.until, time));
  if (s.step) entries.emplace_back("step", w.number()(*s.step, time));
  if (s.tolerance) entries.emplace_back("tolerance", shortest(*s.tolerance));
  if (s.integrator) entries.emplace_back("integrator", name_text(*s.integrator));
  if (s.record_every) entries.emplace_back("record_every", w.number()(*s.record_every, time));
  if (s.stabilisation) entries.emplace_back("stabilisation", name_text(*s.stabilisation));
  return entries.empty() ? std::string{} : "simulate: " + flow_map(entries) + "\n";
}

}  // namespace trammel::readers
