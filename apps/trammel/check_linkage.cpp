// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "check_linkage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "function_text.hpp"
#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

std::string unit_text(const Dimension& d) {
  const std::string name = Units{}.name(d);
  return name == "1" ? "" : name;
}

// What a constraint keeps, in words.
std::string holds(const AnyConstraint& type) {
  int lengths = 0, angles = 0;
  for (const Dimension& d : dimensions(type)) ++(d == dimension::length ? lengths : angles);
  std::vector<std::string> parts;
  if (lengths > 0) parts.push_back(fmt::format("{} in m", lengths));
  if (angles > 0) parts.push_back(fmt::format("{} in rad", angles));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string range_of(const Model& model, const Input& input) {
  const std::string unit = input.motion ? "s" : is_angle(model, input.joint, input.dof) ? "rad" : "m";
  std::string text = fmt::format("{} {}", number(input.from), unit);
  if (input.step != 0) {
    text = fmt::format("{} to {} by {} {}", number(input.from), number(input.to), number(input.step), unit);
  }
  if (input.motion) return fmt::format("{}, moves as {}", text, function_text(*input.motion));
  if (input.speed != 0) text += fmt::format(", speed {} {}/s", number(input.speed), unit);
  if (input.acceleration != 0) text += fmt::format(", acceleration {} {}/s²", number(input.acceleration), unit);
  return text;
}

std::string ends_of(const Model& model, const Spring& spring) {
  if (!spring.joint.empty()) return fmt::format("at joint {}", coordinate(model, spring.joint, spring.dof));
  return fmt::format("{} – {}", spring.first.body, spring.second.body);
}
std::string law_of(const Model& model, const Spring& spring) {
  const bool turns = !spring.joint.empty() && is_angle(model, spring.joint, spring.dof);
  std::string text = fmt::format("stiffness {} {}, at rest at {} {}", number(spring.stiffness),
                                 turns ? "N m/rad" : "N/m", number(spring.rest), turns ? "rad" : "m");
  if (spring.damping != 0)
    text += fmt::format(", damping {} {}", number(spring.damping), turns ? "N m s/rad" : "N s/m");
  if (spring.preload != 0) text += fmt::format(", preload {} {}", number(spring.preload), turns ? "N m" : "N");
  if (!spring.table_at.empty()) text += fmt::format(", a table of {} points", spring.table_at.size());
  if (spring.gas) {
    text += fmt::format(", gas of {} {} over {} {}", number(spring.gas->force), turns ? "N m" : "N",
                        number(spring.gas->column), turns ? "rad" : "m");
  }
  return text;
}

std::string size_of(const Load& load) {
  const char* unit = load.is_couple ? "N m" : "N";
  const char* frame = load.turns_along ? " in the body's axes" : "";
  if (load.components) {
    const auto& c = *load.components;
    return fmt::format("({}, {}, {}) {}{}", function_text(c[0]), function_text(c[1]), function_text(c[2]), unit, frame);
  }
  const std::string along = fmt::format("along {}{}", vector(load.direction), frame);
  if (load.size) return fmt::format("{} {} {}", function_text(*load.size), unit, along);
  if (load.bound_to.empty()) return fmt::format("resisting, unknown, {}", along);
  return fmt::format("resisting, {} · {} + {} {}, {}", number(load.ratio), load.bound_to, number(load.offset), unit,
                     along);
}

std::string operands_of(const Model& model, const Measure& m) {
  std::vector<std::string> parts;
  for (const BodyPoint& p : m.points) parts.push_back(fmt::format("{} on {}", vector(p.p_B), p.body));
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    parts.push_back(i < m.dofs.size() ? coordinate(model, m.joints[i], m.dofs[i]) : m.joints[i]);
  }
  for (const std::string& body : m.bodies) parts.push_back(body);
  if (m.kind == Measure::Kind::expression) return m.text;
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

void print_titled(const char* title, const Table& table) {
  if (table.size() > 0) fmt::print("{}\n{}\n", heading(fmt::format("{} ({})", title, table.size())), table.to_string());
}

void print_linkage(const Model& model) {
  if (model.planar) {
    fmt::print("{}\n  in the plane through {} m with normal {}, x along {}\n\n", heading("Planar"),
               vector(model.planar->point), vector(model.planar->normal), vector(model.planar->x));
  }
  Table constraints({"constraint", "kind", "first → second", "conditions"});
  for (const Constraint& c : model.constraints) {
    constraints.add({c.name, std::string(keyword(c.type)), fmt::format("{} → {}", c.first, c.second), holds(c.type)});
  }
  print_titled("Constraints", constraints);
  Table inputs({"input", "range"});
  for (const Input& input : model.inputs) {
    inputs.add({coordinate(model, input.joint, input.dof), range_of(model, input)});
  }
  print_titled("Inputs", inputs);
  Table springs({"spring", "between", "law"});
  for (const Spring& s : model.springs) springs.add({s.name, ends_of(model, s), law_of(model, s)});
  print_titled("Springs", springs);
  Table loads({"load", "kind", "on", "size"});
  for (const Load& l : model.loads) loads.add({l.name, l.is_couple ? "torque" : "force", l.at.body, size_of(l)});
  print_titled("Loads", loads);
  Table measures({"measure", "kind", "unit", "of"});
  for (const Measure& m : model.measures) {
    measures.add({m.name, std::string(keyword(m.kind)), unit_text(dimension_of(model, m)), operands_of(model, m)});
  }
  print_titled("Measures", measures);
}

void add_linkage(const Model& model, ordered_json& report) {
  for (const char* key : {"constraints", "inputs", "springs", "loads", "measures"})
    report[key] = ordered_json::object();
  if (model.planar) {
    report["planar"] = {
        {"point", list(model.planar->point)}, {"normal", list(model.planar->normal)}, {"x", list(model.planar->x)}};
  }
  for (const Constraint& c : model.constraints) {
    report["constraints"][c.name] = {
        {"kind", keyword(c.type)}, {"first", c.first}, {"second", c.second}, {"conditions", dimensions(c.type).size()}};
  }
  for (const Input& input : model.inputs) {
    ordered_json entry{{"from", input.from}, {"to", input.to}, {"step", input.step}};
    if (input.motion) {
      entry["motion"] = function_json(*input.motion);
    } else {
      entry["speed"] = input.speed;
      entry["acceleration"] = input.acceleration;
    }
    report["inputs"][coordinate(model, input.joint, input.dof)] = entry;
  }
  for (const Spring& s : model.springs) {
    ordered_json entry{{"stiffness", s.stiffness}, {"rest", s.rest}, {"damping", s.damping}, {"preload", s.preload}};
    if (s.joint.empty()) {
      entry["between"] = {s.first.body, s.second.body};
    } else {
      entry["joint"] = coordinate(model, s.joint, s.dof);
    }
    for (std::size_t i = 0; i < s.table_at.size(); ++i) entry["table"].push_back({s.table_at[i], s.table_force[i]});
    if (s.gas) {
      entry["gas"] = {{"force", s.gas->force}, {"column", s.gas->column}, {"exponent", s.gas->exponent}};
    }
    report["springs"][s.name] = entry;
  }
  for (const Load& l : model.loads) {
    ordered_json entry{{"kind", l.is_couple ? "torque" : "force"},
                       {"on", l.at.body},
                       {"at", list(l.at.p_B)},
                       {"frame", l.turns_along ? "body" : "world"},
                       {"resisting", l.is_resisting()}};
    if (l.components) {
      for (const StateFunction& f : *l.components) entry["components"].push_back(function_json(f));
    } else {
      entry["along"] = list(l.direction);
      if (l.size) entry["size"] = function_json(*l.size);
    }
    if (!l.bound_to.empty()) entry["bound"] = {{"to", l.bound_to}, {"ratio", l.ratio}, {"offset", l.offset}};
    report["loads"][l.name] = entry;
  }
  for (const Measure& m : model.measures) {
    report["measures"][m.name] = {{"kind", keyword(m.kind)}, {"unit", unit_text(dimension_of(model, m))}};
    if (m.kind == Measure::Kind::expression) report["measures"][m.name]["expression"] = m.text;
  }
}

}  // namespace trammel::tool
