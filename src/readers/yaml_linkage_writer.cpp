// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Writes the sections of linkages. As for joints, a constraint is drawn where drawing gives its frames back, and written as frames
// otherwise.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "readers/messages.hpp"
#include "readers/yaml_actuators.hpp"
#include "readers/yaml_curves.hpp"
#include "readers/yaml_formulas.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_profiles.hpp"
#include "readers/yaml_writing.hpp"

namespace trammel::readers {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not find it by itself

// --- constraints --------------------------------------------------------------------------------------------------------

class ConstraintWriter {
 public:
  ConstraintWriter(const Writing& w, const Constraint& c)
      : w_(w), c_(c), X_WP_(w.pose_of(c.first) * c.X_AP), X_WQ_(w.pose_of(c.second) * c.X_BQ) {}

  Entries entries() {
    const std::string word(keyword(c_.type));
    const std::string bodies = flow_list({name_text(c_.first), name_text(c_.second)});
    const bool to_ground = std::holds_alternative<Hold>(c_.type) && c_.first == ground_name;
    entries_.emplace_back(word, to_ground ? name_text(c_.second) : bodies);
    put_frames();
    put_parameters();
    return entries_;
  }

 private:
  // One way of drawing: what the reader makes of it, and the words for it.
  struct Drawing {
    DrawnFrames frames;
    Entries entries;
  };

  std::string at(const Vec3d& p) const { return w_.number()(p, dimension::length); }
  static std::string word(const Vec3d& direction) { return direction_text(direction); }
  std::string plane_text(const PlaneDraft& plane) const {
    Entries entries{{"through", at(plane.through)}, {"normal", word(plane.normal)}};
    if (plane.x) entries.emplace_back("x", word(*plane.x));
    return flow_map(entries);
  }
  std::string line_text(const Vec3d& through, const Vec3d& along) const {
    return flow_map({{"through", at(through)}, {"along", word(along)}});
  }

  std::vector<Drawing> drawings() const {
    const Vec3d &P = X_WP_.p, &Q = X_WQ_.p;
    const Mat3d &R_P = X_WP_.R, &R_Q = X_WQ_.R;
    const PlaneDraft planes[2] = {{P, R_P.ez, std::nullopt}, {P, R_P.ez, R_P.ex}};
    std::vector<Drawing> all;
    std::visit(Overloaded{
                   [&](const Distance&) {
                     all.push_back({draw_points(P, Q), {{"at", flow_list({at(P), at(Q)})}}});
                   },
                   [&](const PointOnLine&) {
                     all.push_back({draw_on_line(P, R_P.ez, Q), {{"at", at(Q)}, {"line", line_text(P, R_P.ez)}}});
                   },
                   [&](const PointOnPlane&) {
                     for (const PlaneDraft& plane : planes) {
                       all.push_back({draw_on_plane(plane, Q), {{"at", at(Q)}, {"plane", plane_text(plane)}}});
                     }
                   },
                   [&](const PointOnCurve&) {
                     for (const PlaneDraft& plane : planes) {
                       all.push_back({draw_on_plane(plane, Q), {{"at", at(Q)}, {"plane", plane_text(plane)}}});
                     }
                   },
                   [&](const FaceOnCurve&) {
                     if (std::abs(dot(R_P.ez, R_Q.ey)) > 1e-6) return;  // the reader refuses a normal out of the plane
                     for (const PlaneDraft& plane : planes) {
                       all.push_back({draw_face(plane, Q, R_Q.ey),
                                      {{"at", at(Q)}, {"normal", word(R_Q.ey)}, {"plane", plane_text(plane)}}});
                     }
                   },
                   [&](const Angle&) { all.push_back(axes()); },
                   [&](const Parallel&) { all.push_back(axes()); },
                   [&](const RollingCircles&) {
                     if (norm(cross(Q - P, R_P.ez)) > 1e-6 * norm(Q - P)) {
                       all.push_back({draw_circles(P, Q, R_P.ez),
                                      {{"centres", flow_list({at(P), at(Q)})}, {"axis", word(R_P.ez)}}});
                     }
                   },
                   [&](const RollingOnLine&) {
                     if (dot(Q - P, R_P.ey) > 1e-6 * norm(Q - P)) {
                       all.push_back({draw_wheel(P, R_P.ex, R_P.ez, Q),
                                      {{"centre", at(Q)}, {"line", line_text(P, R_P.ex)}, {"axis", word(R_P.ez)}}});
                     }
                   },
                   [&](const Hold&) {
                     all.push_back({draw_hold(Q), {{"at", at(Q)}}});
                   },
                   [](const auto&) {},
               },
               c_.type);
    return all;
  }

  Drawing axes() const {
    return {draw_axes(X_WP_.R.ez, X_WQ_.R.ez), {{"axes", flow_list({word(X_WP_.R.ez), word(X_WQ_.R.ez)})}}};
  }

  void put_frames() {
    const Transformd X_AW = inverse(w_.pose_of(c_.first)), X_BW = inverse(w_.pose_of(c_.second));
    for (const Drawing& drawing : drawings()) {
      if (!w_.same(X_AW * drawing.frames.X_WP, c_.X_AP) || !w_.same(X_BW * drawing.frames.X_WQ, c_.X_BQ)) continue;
      entries_.insert(entries_.end(), drawing.entries.begin(), drawing.entries.end());
      return;
    }
    entries_.emplace_back("frames", flow_map({{"first", flow_map(w_.frame_entries(c_.X_AP))},
                                              {"second", flow_map(w_.frame_entries(c_.X_BQ))}}));
  }

  void put(const char* key, double length) { entries_.emplace_back(key, w_.length(length)); }
  void put_contact(bool keeps, double phase) {
    if (!keeps) entries_.emplace_back("contact", "free");
    if (phase != 0) put("phase", phase);
  }

  void put_parameters() {
    std::visit(Overloaded{
                   [&](const Distance& d) { put("length", d.length); },
                   [](const PointOnLine&) {},
                   [&](const PointOnPlane& p) {
                     if (p.height != 0) put("height", p.height);
                   },
                   [&](const PointOnCurve& p) {
                     entries_.emplace_back("curve", curve_text(*p.curve, w_.number()));
                     if (p.offset == 0) return;
                     put("radius", std::abs(p.offset));
                     entries_.emplace_back("side", p.offset > 0 ? "left" : "right");
                   },
                   [&](const FaceOnCurve& f) { entries_.emplace_back("curve", curve_text(*f.curve, w_.number())); },
                   [&](const Angle& a) { entries_.emplace_back("value", w_.number()(a.angle, dimension::angle)); },
                   [](const Parallel&) {},
                   [&](const RollingCircles& r) {
                     entries_.emplace_back("radii", flow_list({w_.length(r.first_radius), w_.length(r.second_radius)}));
                     if (r.inside) entries_.emplace_back("inside", "true");
                     put_contact(r.keeps_contact, r.phase);
                   },
                   [&](const RollingOnLine& r) {
                     put("radius", r.radius);
                     put_contact(r.keeps_contact, r.phase);
                   },
                   [&](const Hold& hold) {
                     std::vector<std::string> held;
                     for (const std::size_t i : {3, 4, 5, 0, 1, 2}) {
                       static constexpr const char* words[6] = {"rx", "ry", "rz", "x", "y", "z"};
                       if (hold.held[i]) held.emplace_back(words[i]);
                     }
                     entries_.emplace_back("components", flow_list(held));
                   },
                   [&](const auto&) {
                     throw std::invalid_argument(fmt::format("constraint '{}' is of a kind that files cannot name: {}",
                                                             c_.name, keyword(c_.type)));
                   },
               },
               c_.type);
  }

  const Writing& w_;
  const Constraint& c_;
  Transformd X_WP_, X_WQ_;
  Entries entries_;
};

// --- loads and measures -------------------------------------------------------------------------------------------------

std::string function_text(const Writing& w, const StateFunction& f, const Dimension& dimension,
                          const StateNames& names) {
  if (f.is_of_time()) return function_text(w.number(), f.of_time, dimension);
  return name_text(text_in_units(f, w.number().units(), dimension, names));
}

// A point that a body carries, in the body's frame.
std::string point_text(const Writing& w, const BodyPoint& point) {
  Entries entries{{"point", w.number()(point.p_B, dimension::length)}, {"on", name_text(point.body)}};
  if (w.pose_of(point.body) != Transformd{}) entries.emplace_back("in", name_text(point.body));
  return flow_map(entries);
}

// By the output that is the same point, where there is one.
std::string carried_text(const Writing& w, const BodyPoint& point) {
  for (const Output& output : w.model().outputs) {
    if (output.body == point.body && output.p_B == point.p_B) return name_text(output.name);
  }
  return point_text(w, point);
}

Entries load_entries(const Writing& w, const Load& load, const StateNames& names) {
  const Dimension dimension = load.is_couple ? dimension::torque : dimension::force;
  const char* word = load.is_couple ? "torque" : "force";
  Entries entries{{"on", name_text(load.at.body)}};
  if (!load.is_couple || load.at.p_B != Vec3d{}) {
    entries.emplace_back("at", w.number()(load.at.p_B, dimension::length));
    if (w.pose_of(load.at.body) != Transformd{}) entries.emplace_back("in", name_text(load.at.body));
  }
  if (load.components) {
    std::vector<std::string> components;
    for (const StateFunction& f : *load.components) components.push_back(function_text(w, f, dimension, names));
    entries.emplace_back(word, flow_list(components));
  } else {
    if (load.size) {
      entries.emplace_back(word, function_text(w, *load.size, dimension, names));
    } else {
      entries.emplace_back("resisting", word);
    }
    entries.emplace_back("along", direction_text(load.direction));
  }
  if (load.turns_along) entries.emplace_back("frame", "body");
  return entries;
}

Dimension dimension_of_load(const Load& load) { return load.is_couple ? dimension::torque : dimension::force; }

std::string bound_text(const Writing& w, const Load& load) {
  Dimension its = dimension::force;
  for (const Load& other : w.model().loads) {
    if (other.name == load.bound_to) its = dimension_of_load(other);
  }
  const Dimension own = dimension_of_load(load);
  Entries entries{{"to", name_text(load.bound_to)},
                  {"ratio", w.number()(load.ratio, {.length = own.length - its.length})}};
  if (load.offset != 0) entries.emplace_back("offset", w.number()(load.offset, own));
  return flow_map(entries);
}

// The text in a file with these units: names that have another unit there are converted, and so is the result.
std::string expression_text(const Writing& w, const Measure& measure) {
  const Units& units = w.number().units();
  if (measure.length_unit == units.length_si && measure.angle_unit == units.angle_si) return measure.text;
  Measure target = measure;
  target.length_unit = units.length_si;
  target.angle_unit = units.angle_si;
  const std::vector<MeasureVariable> variables = measure_variables(w.model());
  const std::string text = replace_names(measure.text, [&](const std::string& name, const std::string& written) {
    const auto variable =
        std::find_if(variables.begin(), variables.end(), [&](const MeasureVariable& v) { return v.name == name; });
    if (variable == variables.end()) return std::string{};
    const double per = measure.unit(variable->dimension) / target.unit(variable->dimension);
    return per == 1 ? std::string{} : fmt::format("({}/{})", written, shortest(per));
  });
  return scaled_text(text, measure.unit(measure.gives), target.unit(measure.gives));
}

class MeasureWriter {
 public:
  MeasureWriter(const Writing& w, const Measure& m) : w_(w), m_(m) {}

  Entries entries() {
    using Kind = Measure::Kind;
    const std::string word(keyword(m_.kind));
    switch (m_.kind) {
      case Kind::angle:
      case Kind::projected_angle:
        put(word, flow_list({line(0), line(2)}));
        break;
      case Kind::distance_to_line:
        put(word, point(0)), put("line", line(1));
        break;
      case Kind::distance_to_plane:
        put(word, point(0)), put("through", point(1));
        break;
      case Kind::locus:
        put(word, point(0)), put("about", line(1)), put("turn", w_.number()(m_.turn, dimension::angle));
        put("component", std::string(1, "xyz"[m_.component]));
        break;
      case Kind::length:
      case Kind::plane_angle:
      case Kind::polar:
      case Kind::azimuth:
      case Kind::camber:
      case Kind::caster:
      case Kind::steer:
        put(word, line(0));
        break;
      case Kind::transmission_angle:
        put(word, name_text(m_.joints[0]));
        put("towards", flow_list({name_text(m_.joints[1]), name_text(m_.joints[2])}));
        break;
      case Kind::mechanical_advantage:
        put(word, flow_list({coordinate(0), coordinate(1)}));
        break;
      case Kind::instant_centre_x:
      case Kind::instant_centre_y:
      case Kind::instant_centre_z:
        put("instant_centre", flow_list({name_text(m_.bodies[0]), name_text(m_.bodies[1])}));
        put("component", word.substr(word.size() - 1));
        break;
      case Kind::expression:
        put(word, name_text(expression_text(w_, m_)));
        if (m_.gives == dimension::length || m_.gives == dimension::angle) {
          put("gives", m_.gives == dimension::length ? "length" : "angle");
        }
        break;
    }
    put_directions();
    return entries_;
  }

 private:
  void put(const std::string& key, const std::string& value) { entries_.emplace_back(key, value); }
  std::string point(std::size_t i) const { return carried_text(w_, m_.points[i]); }
  std::string line(std::size_t i) const { return flow_list({point(i), point(i + 1)}); }
  std::string coordinate(std::size_t i) const {
    return w_.coordinate_text(m_.joints[i], i < m_.dofs.size() ? m_.dofs[i] : 0);
  }

  void put_directions() {
    using Kind = Measure::Kind;
    const bool wheel = m_.kind == Kind::camber || m_.kind == Kind::caster || m_.kind == Kind::steer;
    const bool plane =
        m_.kind == Kind::distance_to_plane || m_.kind == Kind::plane_angle || m_.kind == Kind::projected_angle;
    if (m_.axis) put(wheel ? "up" : plane ? "normal" : "axis", direction_text(*m_.axis));
    if (m_.reference) put(wheel ? "forward" : "from", direction_text(*m_.reference));
  }

  const Writing& w_;
  const Measure& m_;
  Entries entries_;
};

}  // namespace

std::string planar_line(const Writing& w) {
  if (!w.model().planar) return {};
  const Plane& plane = *w.model().planar;
  const Plane drawn = plane_of({{}, plane.normal, std::nullopt});
  const bool plain = drawn.x == plane.x;
  if (plain && plane.point == Vec3d{}) return "planar: " + direction_text(plane.normal) + "\n";
  Entries entries{{"normal", direction_text(plane.normal)}};
  if (plane.point != Vec3d{}) entries.emplace_back("through", w.number()(plane.point, dimension::length));
  if (!plain) entries.emplace_back("x", direction_text(plane.x));
  return "planar: " + flow_map(entries) + "\n";
}

Items constraint_items(const Writing& w) {
  Items items;
  for (const Constraint& c : w.model().constraints) items.emplace_back(c.name, ConstraintWriter(w, c).entries());
  return items;
}

Items input_items(const Writing& w) {
  Items items;
  for (const Input& input : w.model().inputs) {
    const Joint* joint = w.find_joint(input.joint);
    if (joint == nullptr) continue;
    const Freedom freedom = freedoms(joint->type)[static_cast<std::size_t>(input.dof)];
    const Dimension value = input.motion ? Dimension{.time = 1} : freedom.dimension;
    Dimension rate = rate_of(freedom), change = rate;
    change.time -= 1;
    Entries entries;
    if (input.motion) entries.emplace_back("motion", function_text(w.number(), *input.motion, freedom.dimension));
    entries.emplace_back("from", w.number()(input.from, value));
    if (input.to != input.from) entries.emplace_back("to", w.number()(input.to, value));
    if (input.step != 0) entries.emplace_back("step", w.number()(input.step, value));
    if (input.speed != 0) entries.emplace_back("speed", w.number()(input.speed, rate));
    if (input.acceleration != 0) entries.emplace_back("acceleration", w.number()(input.acceleration, change));
    items.emplace_back(w.coordinate_name(input.joint, input.dof), entries);
  }
  return items;
}

Items spring_items(const Writing& w) {
  Items items;
  for (const Spring& spring : w.model().springs) {
    Entries entries;
    Dimension stiffness = spring_dimension::stiffness, damping = spring_dimension::damping, effort = dimension::force,
              rest = dimension::length;
    if (spring.joint.empty()) {
      const bool drawn = w.pose_of(spring.first.body) == Transformd{} && w.pose_of(spring.second.body) == Transformd{};
      if (drawn) {
        entries.emplace_back("between", flow_list({name_text(spring.first.body), name_text(spring.second.body)}));
        entries.emplace_back("at", flow_list({w.number()(spring.first.p_B, dimension::length),
                                              w.number()(spring.second.p_B, dimension::length)}));
      } else {
        entries.emplace_back("between", flow_list({point_text(w, spring.first), point_text(w, spring.second)}));
      }
    } else {
      const Joint* joint = w.find_joint(spring.joint);
      if (joint == nullptr) continue;
      const Freedom freedom = freedoms(joint->type)[static_cast<std::size_t>(spring.dof)];
      const ActuatorUnits units(Actuator::Kind::position, freedom);
      stiffness = units.stiffness, damping = units.damping, effort = units.effort, rest = freedom.dimension;
      entries.emplace_back("joint", w.coordinate_text(spring.joint, spring.dof));
    }
    entries.emplace_back("stiffness", w.number()(spring.stiffness, stiffness));
    entries.emplace_back("rest", w.number()(spring.rest, rest));
    if (spring.damping != 0) entries.emplace_back("damping", w.number()(spring.damping, damping));
    if (spring.preload != 0) entries.emplace_back("preload", w.number()(spring.preload, effort));
    if (!spring.table_at.empty()) {
      entries.emplace_back("table", table_text(w.number(), {spring.table_at, spring.table_force}, rest, effort));
    }
    if (spring.gas) {
      entries.emplace_back("gas", flow_map({{"force", w.number()(spring.gas->force, effort)},
                                            {"column", w.number()(spring.gas->column, rest)},
                                            {"exponent", shortest(spring.gas->exponent)}}));
    }
    items.emplace_back(spring.name, entries);
  }
  return items;
}

Items load_items(const Writing& w) {
  Items items;
  const StateNames names(w.model());
  for (const Load& load : w.model().loads) {
    Entries entries = load_entries(w, load, names);
    if (!load.bound_to.empty()) entries.emplace_back("bound", bound_text(w, load));
    items.emplace_back(load.name, entries);
  }
  return items;
}

Items measure_items(const Writing& w) {
  Items items;
  for (const Measure& m : w.model().measures) items.emplace_back(m.name, MeasureWriter(w, m).entries());
  return items;
}

}  // namespace trammel::readers
