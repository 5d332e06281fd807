// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "check_actuation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check_linkage.hpp"
#include "function_text.hpp"
#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

std::string target_of(const Actuator& a) {
  std::vector<std::string> parts;
  for (const Profile& profile : a.target) parts.push_back(function_text(profile));
  if (parts.empty()) return "0, or from a controller";
  return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ", "));
}

// The law with its numbers.
std::string law_of(const Model& model, const Actuator& a) {
  const bool turns = is_angle(model, a.joint, a.dof);
  const Actuator::Motor& m = a.motor;
  switch (a.kind) {
    case Actuator::Kind::torque:
      return a.gear == 1 ? "" : fmt::format("gear {}", number(a.gear));
    case Actuator::Kind::position:
      return fmt::format("stiffness {} {}, damping {} {}{}", number(a.stiffness), turns ? "N m/rad" : "N/m",
                         number(a.damping), turns ? "N m s/rad" : "N s/m",
                         a.gear == 1 ? "" : fmt::format(", gear {}", number(a.gear)));
    case Actuator::Kind::velocity:
      return fmt::format("damping {} {}{}", number(a.damping), turns ? "N m s/rad" : "N s/m",
                         a.gear == 1 ? "" : fmt::format(", gear {}", number(a.gear)));
    case Actuator::Kind::dc_motor:
      return fmt::format("{}{} N m/A, {} Ω, gear {}", m.is_servo ? "servo, " : "", number(m.torque_constant),
                         number(m.resistance), number(a.gear));
    case Actuator::Kind::thruster:
      return fmt::format("gain {} N along {}", number(a.thruster.gain), vector(a.thruster.direction));
  }
  return {};
}

std::string driven_by(const Model& model, const Actuator& a) {
  if (a.kind == Actuator::Kind::thruster) return a.thruster.at.body;
  return coordinate(model, a.joint, a.dof);
}

const char* word(Event::Direction direction) {
  using Direction = Event::Direction;
  return direction == Direction::rising ? "rising" : direction == Direction::falling ? "falling" : "both";
}
const char* word(Event::Action action) {
  using Action = Event::Action;
  return action == Action::note    ? "note"
         : action == Action::stop  ? "stop"
         : action == Action::open  ? "open"
         : action == Action::close ? "close"
                                   : "capture";
}

std::string diagonal(const std::array<double, 36>& m, std::size_t first) {
  return fmt::format("({}, {}, {})", number(m[7 * first]), number(m[7 * first + 7]), number(m[7 * first + 14]));
}

void add_simulate(const SimulateSettings& s, ordered_json& report) {
  ordered_json json = ordered_json::object();
  const auto put = [&json](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  put("until", s.until), put("step", s.step), put("tolerance", s.tolerance), put("record_every", s.record_every);
  put("integrator", s.integrator), put("stabilisation", s.stabilisation);
  if (!json.empty()) report["simulate"] = json;
}

}  // namespace

void print_actuation(const Model& model) {
  Table drives({"drive", "prescribes", "as"});
  for (const Drive& d : model.drives) drives.add({d.name, std::string(keyword(d.kind)), function_text(d.motion)});
  print_titled("Drives", drives);
  Table actuators({"actuator", "kind", "drives", "law", "target"});
  for (const Actuator& a : model.actuators) {
    actuators.add({a.name, std::string(keyword(a.kind)), driven_by(model, a), law_of(model, a), target_of(a)});
  }
  print_titled("Actuators", actuators);
  Table bushings({"bushing", "first → second", "turns (N m/rad)", "travels (N/m)"});
  for (const Bushing& b : model.bushings) {
    bushings.add(
        {b.name, fmt::format("{} → {}", b.first, b.second), diagonal(b.stiffness, 0), diagonal(b.stiffness, 3)});
  }
  print_titled("Bushings", bushings);
  Table events({"event", "when", "crosses zero", "does"});
  for (const Event& e : model.events) {
    events.add({e.name, function_text(e.when), word(e.direction),
                e.target.empty() ? std::string(word(e.action)) : fmt::format("{} {}", word(e.action), e.target)});
  }
  print_titled("Events", events);
}

void add_actuation(const Model& model, ordered_json& report) {
  for (const char* key : {"drives", "actuators", "bushings", "events"}) report[key] = ordered_json::object();
  for (const Drive& d : model.drives) {
    report["drives"][d.name] = {{"kind", keyword(d.kind)}, {"motion", function_json(d.motion)}};
  }
  for (const Actuator& a : model.actuators) {
    ordered_json entry{{"kind", keyword(a.kind)}};
    entry[a.kind == Actuator::Kind::thruster ? "body" : "joint"] = driven_by(model, a);
    entry["target"] = ordered_json::array();
    for (const Profile& profile : a.target) entry["target"].push_back(function_json(profile));
    if (a.kind != Actuator::Kind::thruster) entry["gear"] = a.gear;
    if (a.stiffness != 0) entry["stiffness"] = a.stiffness;
    if (a.damping != 0) entry["damping"] = a.damping;
    report["actuators"][a.name] = entry;
  }
  for (const Bushing& b : model.bushings) {
    report["bushings"][b.name] = {
        {"first", b.first}, {"second", b.second}, {"stiffness", b.stiffness}, {"damping", b.damping}};
  }
  for (const Event& e : model.events) {
    ordered_json entry{{"when", function_json(e.when)}, {"direction", word(e.direction)}, {"do", word(e.action)}};
    if (!e.target.empty()) entry["target"] = e.target;
    report["events"][e.name] = entry;
  }
  add_simulate(model.simulate, report);
}

}  // namespace trammel::tool
