// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The native writer. A model holds frames; a file draws points and axes. For each joint and shape the writer tries the
// ways of drawing it, asks the reader's own functions what they would make of them, and takes the first that gives the
// model back: to the last bit in SI, to round-off of the conversion in other units. What cannot be drawn so is written
// as frames with matrices.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/mass_properties.hpp"
#include "readers/messages.hpp"
#include "readers/yaml_fluid.hpp"
#include "readers/yaml_shapes.hpp"
#include "readers/yaml_writing.hpp"

namespace trammel {

namespace {

using namespace readers;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

bool is_identity(const Mat3d& R) { return R == Mat3d::identity(); }

class Writer : public Writing {
 public:
  Writer(const Model& model, const Units& units) : Writing(model, units) {
    for (const Joint& joint : model.joints) {
      if (!std::holds_alternative<Free>(joint.type)) continue;
      if (joint.first == ground_name) freed_.insert(joint.second);
      if (joint.second == ground_name) freed_.insert(joint.first);
    }
  }

  std::string write() {
    std::string text = "trammel: 1\n";
    text += "name: " + name_text(model_.name) + "\n";
    text += units_line();
    text += "gravity: " + number_(model_.gravity, dimension::acceleration) + "\n";
    text += values_text("points", points());
    text += planar_line(*this);
    text += section_text("bodies", bodies());
    text += section_text("joints", joints());
    text += section_text("constraints", constraint_items(*this));
    text += section_text("couplings", couplings());
    text += section_text("outputs", outputs());
    text += section_text("actuators", actuator_items(*this));
    text += section_text("drives", drive_items(*this));
    text += values_text("initial", initial());
    text += section_text("states", states());
    text += section_text("inputs", input_items(*this));
    text += section_text("springs", spring_items(*this));
    text += section_text("bushings", bushing_items(*this));
    text += section_text("loads", load_items(*this));
    text += environment_lines();
    text += section_text("materials", material_items(*this));
    text += section_text("contacts", contact_items(*this));
    text += section_text("impacts", impact_items(*this));
    text += section_text("measures", measure_items(*this));
    text += section_text("events", event_items(*this));
    text += simulate_line(*this);
    return text;
  }

 private:
  std::string environment_lines() const {
    std::string text;
    if (const std::string terrain = terrain_text(*this); !terrain.empty()) text += "  terrain: " + terrain + "\n";
    if (const std::string fluid = fluid_text(*this); !fluid.empty()) text += "  fluid: " + fluid + "\n";
    return text.empty() ? text : "environment:\n" + text;
  }

  // --- comparing what the reader would make with what is there -------------------------------------------------

  using Writing::same;
  bool same(const Sym3d& a, const Sym3d& b) const {
    const double size = a.xx + a.yy + a.zz;
    return same(Vec3d{a.xx, a.yy, a.zz}, {b.xx, b.yy, b.zz}, size) &&
           same(Vec3d{a.xy, a.xz, a.yz}, {b.xy, b.xz, b.yz}, size);
  }

  // --- top level ------------------------------------------------------------------------------------------------

  std::string units_line() const {
    const Units& u = number_.units();
    const Units si;
    Entries entries;
    const auto put = [&](const char* quantity, const std::string& unit, const std::string& usual) {
      if (unit != usual) entries.emplace_back(quantity, unit);
    };
    put("length", u.length, si.length);
    put("angle", u.angle, si.angle);
    put("mass", u.mass, si.mass);
    put("time", u.time, si.time);
    put("force", u.force, si.force);
    return entries.empty() ? std::string{} : "units: " + flow_map(entries) + "\n";
  }

  Entries points() const {
    Entries entries;
    for (const Point& point : model_.points) entries.emplace_back(point.name, number_(point.p_W, dimension::length));
    return entries;
  }

  // --- bodies -----------------------------------------------------------------------------------------------------

  Items bodies() const {
    Items items;
    for (const Body& body : model_.bodies) items.emplace_back(body.name, body_entries(body));
    return items;
  }

  bool is_freed(const Body& body) const { return freed_.contains(body.name); }

  Entries body_entries(const Body& body) const {
    Entries entries;
    if (!is_identity(body.X_WB.R)) {
      entries.emplace_back("pose", flow_map(frame_entries(body.X_WB)));
    } else if (body.X_WB.p != Vec3d{} || is_freed(body)) {
      entries.emplace_back("pose", number_(body.X_WB.p, dimension::length));
    }
    put_mass(body, entries);
    put_shapes("shape", body.shapes, entries);
    put_shapes("visual", body.visuals, entries);
    put_shapes("collision", body.collisions, entries);
    const std::string fluid = hydrodynamics_text(*this, body, [this](const Shape& shape) { return shape_text(shape); });
    if (!fluid.empty()) entries.emplace_back("fluid", fluid);
    return entries;
  }

  void put_shapes(const char* key, const std::vector<Shape>& shapes, Entries& entries) const {
    if (shapes.empty()) return;
    std::vector<std::string> all;
    for (const Shape& shape : shapes) all.push_back(shape_text(shape));
    entries.emplace_back(key, all.size() == 1 ? all[0] : flow_list(all));
  }

  // Leaves out what the reader finds from the shapes.
  void put_mass(const Body& body, Entries& entries) const {
    MassProperties found = mass_of_shapes(body.shapes, std::nullopt);
    if (!same(found.mass, body.mass, body.mass)) {
      entries.emplace_back("mass", number_(body.mass, dimension::mass));
      found = mass_of_shapes(body.shapes, body.mass);
    }
    if (!same(found.com, body.com, norm(body.com))) entries.emplace_back("com", number_(body.com, dimension::length));
    if (!same(found.inertia, body.inertia)) {
      const Sym3d& I = body.inertia;
      std::vector<double> numbers{I.xx, I.yy, I.zz};
      if (I.xy != 0 || I.xz != 0 || I.yz != 0) numbers.insert(numbers.end(), {I.xy, I.xz, I.yz});
      entries.emplace_back("inertia", list(numbers, dimension::inertia));
    }
  }

  std::string list(const std::vector<double>& numbers, const Dimension& dimension) const {
    std::vector<std::string> items;
    for (const double number : numbers) items.push_back(number_(number, dimension));
    return flow_list(items);
  }

  void put_own_frame(const Shape& shape, Entries& entries) const {
    if (shape.X_BS.p != Vec3d{}) entries.emplace_back("at", number_(shape.X_BS.p, dimension::length));
    if (!is_identity(shape.X_BS.R)) {
      entries.emplace_back("rotation", flow_map({{"matrix", matrix_text(shape.X_BS.R)}}));
    }
  }

  void put_bar(const Shape& shape, Entries& entries) const {
    const std::string word(keyword(shape.kind));
    const Vec3d half = shape.X_BS.R.ez * (shape.length / 2);
    const Vec3d P = shape.X_BS.p - half, Q = shape.X_BS.p + half;
    // A bar much shorter than its distance from the origin may have both ends in one place.
    const Shape drawn = norm(Q - P) > 0 ? bar_between(shape.kind, P, Q, shape.radius) : Shape{};
    if (drawn.length > 0 && same(drawn.X_BS, shape.X_BS) && same(drawn.length, shape.length, shape.length)) {
      entries.emplace_back(word, flow_list({number_(P, dimension::length), number_(Q, dimension::length)}));
      entries.emplace_back("radius", length(shape.radius));
    } else {
      entries.emplace_back(word, length(shape.length));
      entries.emplace_back("radius", length(shape.radius));
      put_own_frame(shape, entries);
    }
  }

  void put_cylinder(const Shape& shape, Entries& entries) const {
    entries.emplace_back("cylinder", length(shape.radius));
    entries.emplace_back("length", length(shape.length));
    const Vec3d& axis = shape.X_BS.R.ez;
    if (is_identity(shape.X_BS.R) || !same(frame_at(shape.X_BS.p, axis), shape.X_BS)) {
      return put_own_frame(shape, entries);
    }
    if (shape.X_BS.p != Vec3d{}) entries.emplace_back("at", number_(shape.X_BS.p, dimension::length));
    entries.emplace_back("axis", direction_text(axis));
  }

  void put_plate(const Shape& shape, Entries& entries) const {
    std::vector<std::string> corners;
    for (const Vec3d& p : shape.outline) corners.push_back(flow_list({length(p.x), length(p.y)}));
    entries.emplace_back("plate", flow_list(corners));
    entries.emplace_back("thickness", length(shape.length));
    put_own_frame(shape, entries);
  }

  void put_mesh(const Shape& shape, Entries& entries) const {
    entries.emplace_back("mesh", name_text(shape.mesh));
    const Vec3d& s = shape.scale;
    if (s != Vec3d{1, 1, 1}) {
      entries.emplace_back("scale", s.x == s.y && s.y == s.z ? shortest(s.x) : number_(s, dimension::none));
    }
    put_own_frame(shape, entries);
  }

  static std::string colour_text(const Colour& c) {
    std::vector<std::string> numbers{shortest(c.red), shortest(c.green), shortest(c.blue)};
    if (c.alpha != 1) numbers.push_back(shortest(c.alpha));
    return flow_list(numbers);
  }

  std::string shape_text(const Shape& shape) const {
    Entries entries;
    switch (shape.kind) {
      case Shape::Kind::rod:
      case Shape::Kind::capsule:
        put_bar(shape, entries);
        break;
      case Shape::Kind::cylinder:
        put_cylinder(shape, entries);
        break;
      case Shape::Kind::plate:
        put_plate(shape, entries);
        break;
      case Shape::Kind::mesh:
        put_mesh(shape, entries);
        break;
      case Shape::Kind::sphere:
        entries.emplace_back("sphere", length(shape.radius));
        put_own_frame(shape, entries);
        break;
      case Shape::Kind::box:
      case Shape::Kind::ellipsoid:
        entries.emplace_back(keyword(shape.kind), number_(shape.size, dimension::length));
        put_own_frame(shape, entries);
        break;
    }
    if (shape.mass) entries.emplace_back("mass", number_(*shape.mass, dimension::mass));
    if (shape.density) entries.emplace_back("density", number_(*shape.density, dimension::density));
    if (shape.colour) entries.emplace_back("colour", colour_text(*shape.colour));
    return flow_map(entries);
  }

  // --- joints -----------------------------------------------------------------------------------------------------

  Items joints() const {
    Items items;
    for (const Joint& joint : model_.joints) items.emplace_back(joint.name, joint_entries(joint));
    return items;
  }

  Entries joint_entries(const Joint& joint) const {
    if (!joint_by_keyword(keyword(joint.type))) {
      throw std::invalid_argument(
          fmt::format("joint '{}' is of a type that files cannot name: {}", joint.name, keyword(joint.type)));
    }
    Entries entries;
    entries.emplace_back(keyword(joint.type), flow_list({name_text(joint.first), name_text(joint.second)}));
    put_joint_frames(*this, joint, entries);
    if (const auto* helical = std::get_if<Helical>(&joint.type)) put_pitch(helical->h, entries);
    put_properties(joint, entries);
    if (joint.cut) entries.emplace_back("cut", "true");
    return entries;
  }

  // The pitch per turn where that says it exactly, else the advance per angle.
  void put_pitch(double per_radian, Entries& entries) const {
    const double pitch = per_radian * Helical::two_pi;
    for (const double s : {pitch, std::nextafter(pitch, -infinity), std::nextafter(pitch, infinity)}) {
      if (!same(s / Helical::two_pi, per_radian, std::abs(per_radian))) continue;
      entries.emplace_back("pitch", length(s));
      return;
    }
    entries.emplace_back("advance", number_(per_radian, {.length = 1, .angle = -1}));
  }

  std::string per_freedom(const std::vector<double>& values, const std::vector<Freedom>& all,
                          Dimension (*dimension_of)(const Freedom&)) const {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < values.size() && i < all.size(); ++i) {
      items.push_back(number_(values[i], dimension_of(all[i])));
    }
    const bool alike =
        std::all_of(all.begin(), all.end(), [&](const Freedom& f) { return f.dimension == all[0].dimension; });
    const bool equal = std::equal(items.begin() + 1, items.end(), items.begin());
    return alike && equal ? items[0] : flow_list(items);
  }

  void put_properties(const Joint& joint, Entries& entries) const {
    const std::vector<Freedom> all = freedoms(joint.type);
    const JointProperties& p = joint.properties;
    if (all.empty()) return;
    const auto put = [&](Entries& to, const char* key, const std::vector<double>& values,
                         Dimension (*dimension_of)(const Freedom&)) {
      if (!values.empty()) to.emplace_back(key, per_freedom(values, all, dimension_of));
    };
    Entries friction, limits;
    put(friction, "viscous", p.viscous, viscous_of);
    put(friction, "dry", p.dry, effort_of);
    if (p.dry_speed != JointProperties{}.dry_speed) {
      friction.emplace_back("speed", number_(p.dry_speed, rate_of(all[0])));
    }
    put(limits, "lower", p.lower, [](const Freedom& f) { return f.dimension; });
    put(limits, "upper", p.upper, [](const Freedom& f) { return f.dimension; });
    put(limits, "velocity", p.velocity_limit, rate_of);
    put(limits, "effort", p.effort_limit, effort_of);
    put(limits, "stiffness", p.limit_stiffness, stiffness_of);
    put(limits, "damping", p.limit_damping, viscous_of);
    if (!friction.empty()) entries.emplace_back("friction", flow_map(friction));
    put(entries, "armature", p.armature, armature_of);
    if (!limits.empty()) entries.emplace_back("limits", flow_map(limits));
  }

  // --- couplings, outputs, initial state ---------------------------------------------------------------------------

  Items couplings() const {
    Items items;
    for (const Coupling& c : model_.couplings) {
      const Dimension first = coordinate_dimension(c.first, c.first_dof);
      const Dimension second = coordinate_dimension(c.second, c.second_dof);
      Entries entries;
      entries.emplace_back(keyword(c.kind),
                           flow_list({coordinate_text(c.first, c.first_dof), coordinate_text(c.second, c.second_dof)}));
      switch (c.kind) {
        case Coupling::Kind::belt:
          if (c.radii && std::abs(c.ratio) == c.radii->first / c.radii->second) {
            entries.emplace_back("radii", flow_list({length(c.radii->first), length(c.radii->second)}));
            if (c.ratio < 0) entries.emplace_back("crossed", "true");
            break;
          }
          [[fallthrough]];
        case Coupling::Kind::gear:
          entries.emplace_back("ratio", shortest(c.ratio));
          break;
        case Coupling::Kind::rack:
          entries.emplace_back("radius", length(c.ratio));
          break;
        case Coupling::Kind::screw:
          put_pitch(c.ratio, entries);
          break;
        case Coupling::Kind::mimic:
          entries.emplace_back(
              "ratio", number_(c.ratio, {.length = second.length - first.length, .angle = second.angle - first.angle}));
          break;
      }
      if (c.offset != 0) entries.emplace_back("offset", number_(c.offset, second));
      items.emplace_back(c.name, entries);
    }
    return items;
  }

  Items outputs() const {
    Items items;
    for (const Output& output : model_.outputs) {
      Entries entries{{"point", number_(output.p_B, dimension::length)}, {"on", name_text(output.body)}};
      if (pose_of(output.body) != Transformd{}) entries.emplace_back("in", name_text(output.body));
      items.emplace_back(output.name, entries);
    }
    return items;
  }

  std::string coordinates_text(const std::vector<double>& values, const std::vector<Dimension>& dimensions) const {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < values.size() && i < dimensions.size(); ++i) {
      items.push_back(number_(values[i], dimensions[i]));
    }
    return items.size() == 1 ? items[0] : flow_list(items);
  }

  Entries state_entries(const AnyJoint& type, const std::vector<double>& q, const std::vector<double>& v) const {
    Entries state;
    if (!q.empty()) state.emplace_back("q", coordinates_text(q, coordinates_of(type)));
    if (!v.empty()) {
      std::vector<Dimension> rates;
      for (const Freedom& f : freedoms(type)) rates.push_back(rate_of(f));
      state.emplace_back("v", coordinates_text(v, rates));
    }
    return state;
  }

  Entries initial() const {
    Entries entries;
    for (const Joint& joint : model_.joints) {
      const Entries state = state_entries(joint.type, joint.q_initial, joint.v_initial);
      if (!state.empty()) entries.emplace_back(joint.name, flow_map(state));
    }
    return entries;
  }

  Items states() const {
    Items items;
    for (const NamedState& state : model_.states) {
      Entries entries;
      for (const NamedState::Entry& entry : state.joints) {
        const Joint* joint = joints_.find(entry.joint);
        if (joint == nullptr) continue;
        entries.emplace_back(name_text(entry.joint), flow_map(state_entries(joint->type, entry.q, entry.v)));
      }
      items.emplace_back(state.name, entries);
    }
    return items;
  }

  std::unordered_set<std::string_view> freed_;  // bodies with a free joint to the ground
};

}  // namespace

std::string write_yaml(const Model& model, bool in_si) { return Writer(model, in_si ? Units{} : model.units).write(); }

}  // namespace trammel
