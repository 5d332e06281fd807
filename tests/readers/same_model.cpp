// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/same_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel::test {

namespace {

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  std::string found;

  void text(const std::string& what, const std::string& a, const std::string& b) {
    if (found.empty() && a != b) found = fmt::format("{}: '{}' and '{}'", what, a, b);
  }
  void number(const std::string& what, double a, double b, double size = 0) {
    const double scale = std::max({std::abs(a), std::abs(b), size});
    const bool same = a == b || (tolerance_ > 0 && std::abs(a - b) <= tolerance_ * scale);
    if (found.empty() && !same) found = fmt::format("{}: {:.17g} and {:.17g}", what, a, b);
  }
  void vector(const std::string& what, const Vec3d& a, const Vec3d& b, double size = 1) {
    const double scale = std::max(size, norm(a));
    number(what + ".x", a.x, b.x, scale);
    number(what + ".y", a.y, b.y, scale);
    number(what + ".z", a.z, b.z, scale);
  }
  void pose(const std::string& what, const Transformd& a, const Transformd& b) {
    vector(what + ".p", a.p, b.p);
    vector(what + ".R.ex", a.R.ex, b.R.ex);
    vector(what + ".R.ey", a.R.ey, b.R.ey);
    vector(what + ".R.ez", a.R.ez, b.R.ez);
  }
  void optional(const std::string& what, const std::optional<double>& a, const std::optional<double>& b) {
    number(what + " (is there)", a ? 1 : 0, b ? 1 : 0);
    if (a && b) number(what, *a, *b);
  }
  void list(const std::string& what, const std::vector<double>& a, const std::vector<double>& b) {
    if (!count(what, a.size(), b.size())) return;
    for (std::size_t i = 0; i < a.size(); ++i) number(fmt::format("{}[{}]", what, i), a[i], b[i], 1e-3);
  }
  bool count(const std::string& what, std::size_t a, std::size_t b) {
    if (found.empty() && a != b) found = fmt::format("number of {}: {} and {}", what, a, b);
    return a == b;
  }

  void shape(const std::string& what, const Shape& a, const Shape& b) {
    text(what + ".kind", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    pose(what + ".X_BS", a.X_BS, b.X_BS);
    vector(what + ".size", a.size, b.size);
    number(what + ".length", a.length, b.length);
    number(what + ".radius", a.radius, b.radius);
    optional(what + ".mass", a.mass, b.mass);
    optional(what + ".density", a.density, b.density);
    text(what + ".mesh", a.mesh, b.mesh);
    vector(what + ".scale", a.scale, b.scale);
    number(what + ".colour (is there)", a.colour ? 1 : 0, b.colour ? 1 : 0);
    if (a.colour && b.colour) {
      vector(what + ".colour", {a.colour->red, a.colour->green, a.colour->blue},
             {b.colour->red, b.colour->green, b.colour->blue});
      number(what + ".alpha", a.colour->alpha, b.colour->alpha);
    }
    if (!count(what + ".outline", a.outline.size(), b.outline.size())) return;
    for (std::size_t i = 0; i < a.outline.size(); ++i) vector(what + ".outline", a.outline[i], b.outline[i]);
  }
  void body(const Body& a, const Body& b) {
    const std::string what = "body " + a.name;
    text("name of body", a.name, b.name);
    pose(what + ".X_WB", a.X_WB, b.X_WB);
    number(what + ".mass", a.mass, b.mass);
    vector(what + ".com", a.com, b.com);
    const double size = a.inertia.xx + a.inertia.yy + a.inertia.zz;
    vector(what + ".inertia", {a.inertia.xx, a.inertia.yy, a.inertia.zz}, {b.inertia.xx, b.inertia.yy, b.inertia.zz},
           size);
    vector(what + ".products", {a.inertia.xy, a.inertia.xz, a.inertia.yz}, {b.inertia.xy, b.inertia.xz, b.inertia.yz},
           size);
    shapes(what + ".shapes", a.shapes, b.shapes);
    shapes(what + ".visuals", a.visuals, b.visuals);
    shapes(what + ".collisions", a.collisions, b.collisions);
    hydrodynamics(what + ".in_fluid", *a.in_fluid, *b.in_fluid);
  }
  template <class T, class Compare>
  void maybe(const std::string& what, const std::optional<T>& a, const std::optional<T>& b, const Compare& compare) {
    number(what + " (is there)", a ? 1 : 0, b ? 1 : 0);
    if (a && b) compare(*a, *b);
  }
  void hydrodynamics(const std::string& what, const Hydrodynamics& a, const Hydrodynamics& b) {
    number(what + ".acts", a.acts ? 1 : 0, b.acts ? 1 : 0);
    if (count(what + ".hull", a.hull.size(), b.hull.size())) {
      for (std::size_t i = 0; i < a.hull.size(); ++i) {
        const HullPart &p = a.hull[i], &q = b.hull[i];
        shape(what + ".hull", p.shape, q.shape);
        optional(what + ".drag", p.drag, q.drag);
        optional(what + ".drag_along", p.drag_along, q.drag_along);
        optional(what + ".added_across", p.added_across, q.added_across);
        optional(what + ".added_along", p.added_along, q.added_along);
        number(what + ".skin_friction", p.skin_friction, q.skin_friction);
        const auto three = [&](const Vec3d& x, const Vec3d& y) { vector(what + ".three", x, y); };
        maybe(what + ".drag_of_faces", p.drag_of_faces, q.drag_of_faces, three);
        maybe(what + ".added", p.added, q.added, three);
      }
    }
    optional(what + ".volume", a.volume, b.volume);
    maybe(what + ".buoyancy_at", a.buoyancy_at, b.buoyancy_at,
          [&](const Vec3d& x, const Vec3d& y) { vector(what + ".at", x, y); });
    vector(what + ".reference", a.reference, b.reference);
    const auto matrices = [&](const Hydrodynamics::Matrix& x, const Hydrodynamics::Matrix& y) {
      list(what + ".matrix", {x.begin(), x.end()}, {y.begin(), y.end()});
    };
    maybe(what + ".added_mass", a.added_mass, b.added_mass, matrices);
    maybe(what + ".linear", a.linear, b.linear, matrices);
    maybe(what + ".quadratic", a.quadratic, b.quadratic, matrices);
    number(what + ".hull_drag", a.hull_drag ? 1 : 0, b.hull_drag ? 1 : 0);
    number(what + ".hull_added_mass", a.hull_added_mass || a.added_mass ? 1 : 0,
           b.hull_added_mass || b.added_mass ? 1 : 0);
    if (count(what + ".fins", a.fins.size(), b.fins.size())) {
      for (std::size_t i = 0; i < a.fins.size(); ++i) {
        const Fin &p = a.fins[i], &q = b.fins[i];
        text(what + ".fin", p.name, q.name);
        vector(what + ".fin.at", p.at, q.at);
        vector(what + ".fin.chord", p.chord, q.chord);
        vector(what + ".fin.normal", p.normal, q.normal);
        list(what + ".fin.numbers", {p.area, p.aspect, p.stall, p.drag}, {q.area, q.aspect, q.stall, q.drag});
        optional(what + ".fin.slope", p.slope, q.slope);
      }
    }
    text(what + ".source", a.source, b.source);
    text(what + ".model", a.model, b.model);
    number(what + ".parameters", a.parameters == b.parameters ? 1 : 0, 1);
  }
  void fluid(const Fluid& a, const Fluid& b) {
    number("fluid.depth", a.depth, b.depth);
    if (count("waves", a.waves.size(), b.waves.size())) {
      for (std::size_t i = 0; i < a.waves.size(); ++i) {
        list("wave", {a.waves[i].height, a.waves[i].period, a.waves[i].phase},
             {b.waves[i].height, b.waves[i].period, b.waves[i].phase});
        vector("wave.direction", a.waves[i].direction, b.waves[i].direction);
      }
    }
    if (!count("media", a.media.size(), b.media.size())) return;
    for (std::size_t i = 0; i < a.media.size(); ++i) {
      const Medium &p = a.media[i], &q = b.media[i];
      text("medium", p.name, q.name);
      number("medium.density", p.density, q.density);
      number("medium.surface", p.surface, q.surface);
      vector("medium.acceleration", p.current.acceleration, q.current.acceleration);
      list("medium.depth", p.current.depth, q.current.depth);
      const std::size_t rows = std::min(p.current.at_depth.size(), q.current.at_depth.size());
      for (std::size_t k = 0; k < rows; ++k) vector("medium.at_depth", p.current.at_depth[k], q.current.at_depth[k]);
      // Currents by what they give, here and there.
      const auto flow = [](const Current& c, double t, const Vec3d& at) {
        if (!c.formula) return c.velocity;
        return c.velocity + Vec3d{(*c.formula)[0].at(t, at), (*c.formula)[1].at(t, at), (*c.formula)[2].at(t, at)};
      };
      for (const double t : {0.0, 0.7}) {
        vector("medium.current", flow(p.current, t, {0.1, 0.2, 0.3}), flow(q.current, t, {0.1, 0.2, 0.3}),
               tolerance_ > 0 ? 1 : 0);
      }
    }
  }
  void shapes(const std::string& what, const std::vector<Shape>& a, const std::vector<Shape>& b) {
    if (!count(what, a.size(), b.size())) return;
    for (std::size_t i = 0; i < a.size(); ++i) shape(fmt::format("{}[{}]", what, i), a[i], b[i]);
  }
  void joint(const Joint& a, const Joint& b) {
    const std::string what = "joint " + a.name;
    text("name of joint", a.name, b.name);
    text(what + ".type", std::string(keyword(a.type)), std::string(keyword(b.type)));
    if (const auto* helical = std::get_if<Helical>(&a.type); helical != nullptr && a.type.index() == b.type.index()) {
      number(what + ".h", helical->h, std::get<Helical>(b.type).h);
    }
    text(what + ".first", a.first, b.first);
    text(what + ".second", a.second, b.second);
    pose(what + ".X_AF", a.X_AF, b.X_AF);
    pose(what + ".X_BM", a.X_BM, b.X_BM);
    const JointProperties &p = a.properties, &q = b.properties;
    list(what + ".viscous", p.viscous, q.viscous);
    list(what + ".dry", p.dry, q.dry);
    number(what + ".dry_speed", p.dry_speed, q.dry_speed);
    list(what + ".armature", p.armature, q.armature);
    list(what + ".lower", p.lower, q.lower);
    list(what + ".upper", p.upper, q.upper);
    list(what + ".velocity_limit", p.velocity_limit, q.velocity_limit);
    list(what + ".effort_limit", p.effort_limit, q.effort_limit);
    list(what + ".limit_stiffness", p.limit_stiffness, q.limit_stiffness);
    list(what + ".limit_damping", p.limit_damping, q.limit_damping);
    list(what + ".q_initial", a.q_initial, b.q_initial);
    list(what + ".v_initial", a.v_initial, b.v_initial);
    number(what + ".cut", a.cut ? 1 : 0, b.cut ? 1 : 0);
  }
  void coupling(const Coupling& a, const Coupling& b) {
    const std::string what = "coupling " + a.name;
    text("name of coupling", a.name, b.name);
    text(what + ".kind", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    text(what + ".first", a.first, b.first);
    text(what + ".second", a.second, b.second);
    number(what + ".first_dof", a.first_dof, b.first_dof);
    number(what + ".second_dof", a.second_dof, b.second_dof);
    number(what + ".ratio", a.ratio, b.ratio);
    number(what + ".offset", a.offset, b.offset);
  }
  void actuator(const Actuator& a, const Actuator& b) {
    const std::string what = "actuator " + a.name;
    text("name of actuator", a.name, b.name);
    text(what + ".kind", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    text(what + ".joint", a.joint, b.joint);
    number(what + ".dof", a.dof, b.dof);
    number(what + ".gear", a.gear, b.gear);
    number(what + ".stiffness", a.stiffness, b.stiffness);
    number(what + ".damping", a.damping, b.damping);
    number(what + ".control_lower", a.control_lower, b.control_lower);
    number(what + ".control_upper", a.control_upper, b.control_upper);
    number(what + ".effort_lower", a.effort_lower, b.effort_lower);
    number(what + ".effort_upper", a.effort_upper, b.effort_upper);
    if (count(what + ".target", a.target.size(), b.target.size())) {
      for (std::size_t i = 0; i < a.target.size(); ++i) profile(what + ".target", a.target[i], b.target[i]);
    }
    motor(what, a.motor, b.motor);
    const Actuator::Thruster &s = a.thruster, &t = b.thruster;
    carried(what + ".at", s.at, t.at);
    vector(what + ".along", s.direction, t.direction);
    list(what + ".thruster", {s.gain, s.dead_band, s.lag}, {t.gain, t.dead_band, t.lag});
  }
  void motor(const std::string& what, const Actuator::Motor& a, const Actuator::Motor& b) {
    number(what + ".is_servo", a.is_servo, b.is_servo);
    number(what + ".current_limit", a.current_limit, b.current_limit);
    number(what + ".torque_constant", a.torque_constant, b.torque_constant);
    number(what + ".back_emf", a.back_emf, b.back_emf);
    number(what + ".rotor_inertia", a.rotor_inertia, b.rotor_inertia);
    list(what + ".motor", {a.resistance, a.inductance, a.viscous, a.dry, a.brush_drop, a.brush_half},
         {b.resistance, b.inductance, b.viscous, b.dry, b.brush_drop, b.brush_half});
  }
  void profile(const std::string& what, const Profile& a, const Profile& b) {
    list(what + ".table", a.table.x(), b.table.x());
    list(what + ".table", a.table.y(), b.table.y());
    function(what, a.formula, b.formula);
  }
  void drive(const Drive& a, const Drive& b) {
    const std::string what = "drive " + a.name;
    text("name of drive", a.name, b.name);
    text(what + ".kind", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    text(what + ".joint", a.joint, b.joint);
    number(what + ".dof", a.dof, b.dof);
    profile(what, a.motion, b.motion);
  }
  void bushing(const Bushing& a, const Bushing& b) {
    const std::string what = "bushing " + a.name;
    text("name of bushing", a.name, b.name);
    text(what + ".first", a.first, b.first);
    text(what + ".second", a.second, b.second);
    pose(what + ".X_AP", a.X_AP, b.X_AP);
    pose(what + ".X_BQ", a.X_BQ, b.X_BQ);
    for (std::size_t i = 0; i < 36; ++i) {
      number(what + ".stiffness", a.stiffness[i], b.stiffness[i]);
      number(what + ".damping", a.damping[i], b.damping[i]);
    }
  }
  void terrain(const Terrain& a, const Terrain& b) {
    text("terrain", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    vector("terrain.X_WT.p", a.X_WT.p, b.X_WT.p);
    vector("terrain.X_WT.R.ez", a.X_WT.R.ez, b.X_WT.R.ez);
    if (a.kind != Terrain::Kind::plane)
      pose("terrain.X_WT", a.X_WT, b.X_WT);  // how a plane is turned in itself says nothing
    text("terrain.material", a.material, b.material);
    text("terrain.edge", std::string(keyword(a.edge)), std::string(keyword(b.edge)));
    number("terrain.edge_height", a.edge_height, b.edge_height);
    number("terrain.nx", a.nx, b.nx);
    number("terrain.ny", a.ny, b.ny);
    number("terrain.spacing_x", a.spacing_x, b.spacing_x);
    number("terrain.spacing_y", a.spacing_y, b.spacing_y);
    for (std::size_t i = 0; i < std::min(a.heights.size(), b.heights.size()); ++i)
      number("height of terrain", a.heights[i], b.heights[i]);
    const auto cell = [](const Terrain& t, std::size_t i) {
      return t.cells[i] < 0 ? std::string() : t.cell_materials[static_cast<std::size_t>(t.cells[i])];
    };
    number("terrain.cells", static_cast<double>(a.cells.size()), static_cast<double>(b.cells.size()));
    for (std::size_t i = 0; i < std::min(a.cells.size(), b.cells.size()); ++i)
      text("cell of terrain", cell(a, i), cell(b, i));
    number("terrain.steps", static_cast<double>(a.steps.size()), static_cast<double>(b.steps.size()));
    for (std::size_t i = 0; i < std::min(a.steps.size(), b.steps.size()); ++i) {
      number("step of terrain", a.steps[i].x, b.steps[i].x);
      number("height of a step", a.steps[i].height, b.steps[i].height);
    }
  }
  void material(const ContactMaterial& a, const ContactMaterial& b) {
    const std::string what = "material " + a.name;
    text("name of material", a.name, b.name);
    text(what + ".between", a.between ? a.between->first + "|" + a.between->second : "",
         b.between ? b.between->first + "|" + b.between->second : "");
    number(what + ".stiffness", a.stiffness, b.stiffness);
    number(what + ".exponent", a.exponent, b.exponent);
    number(what + ".dissipation", a.dissipation, b.dissipation);
    number(what + ".damping", a.damping, b.damping);
    number(what + ".static", a.friction_static, b.friction_static);
    number(what + ".kinetic", a.friction_kinetic, b.friction_kinetic);
    number(what + ".tangential_stiffness", a.tangential_stiffness.value_or(-1), b.tangential_stiffness.value_or(-1));
    number(what + ".tangential_damping", a.tangential_damping.value_or(-1), b.tangential_damping.value_or(-1));
  }
  void contact(const ContactShape& a, const ContactShape& b) {
    const std::string what = "contact " + a.name;
    text("name of contact", a.name, b.name);
    text(what + ".body", a.body, b.body);
    text(what + ".kind", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    text(what + ".material", a.material, b.material);
    number(what + ".points", static_cast<double>(a.points.size()), static_cast<double>(b.points.size()));
    for (std::size_t i = 0; i < std::min(a.points.size(), b.points.size()); ++i)
      vector(what + ".point", a.points[i], b.points[i]);
    vector(what + ".at", a.X_BG.p, b.X_BG.p);
    vector(what + ".axis", a.X_BG.R.ez, b.X_BG.R.ez);
    if (a.kind == ContactShape::Kind::box) pose(what + ".X_BG", a.X_BG, b.X_BG);
    number(what + ".radius", a.radius, b.radius);
    number(what + ".tyre", a.tyre, b.tyre);
    number(what + ".length", a.length, b.length);
    vector(what + ".size", a.size, b.size);
    number(what + ".terrain", a.touches_terrain ? 1 : 0, b.touches_terrain ? 1 : 0);
    text(what + ".against", fmt::format("{}", fmt::join(a.against, "|")), fmt::format("{}", fmt::join(b.against, "|")));
  }
  void event(const Model& of_a, const Event& a, const Event& b) {
    const std::string what = "event " + a.name;
    text("name of event", a.name, b.name);
    function(what + ".when", of_a, a.when, b.when);
    number(what + ".direction", static_cast<int>(a.direction), static_cast<int>(b.direction));
    number(what + ".action", static_cast<int>(a.action), static_cast<int>(b.action));
    text(what + ".target", a.target, b.target);
  }
  void impact(const Impact& a, const Impact& b) {
    const std::string what = "impact " + a.name;
    text("name of impact", a.name, b.name);
    text(what + ".contact", a.contact, b.contact);
    text(what + ".joint", a.joint, b.joint);
    number(what + ".dof", a.dof, b.dof);
    number(what + ".side", static_cast<int>(a.side), static_cast<int>(b.side));
    number(what + ".restitution", a.restitution, b.restitution);
    optional(what + ".friction", a.friction, b.friction);
    text(what + ".law", a.law, b.law);
    number(what + ".rest", a.rest, b.rest);
  }
  void simulate(const SimulateSettings& a, const SimulateSettings& b) {
    optional("simulate.until", a.until, b.until);
    optional("simulate.step", a.step, b.step);
    optional("simulate.tolerance", a.tolerance, b.tolerance);
    optional("simulate.record_every", a.record_every, b.record_every);
    text("simulate.integrator", a.integrator.value_or(""), b.integrator.value_or(""));
    text("simulate.stabilisation", a.stabilisation.value_or(""), b.stabilisation.value_or(""));
  }
  void state(const NamedState& a, const NamedState& b) {
    const std::string what = "state " + a.name;
    text("name of state", a.name, b.name);
    if (!count(what + ".joints", a.joints.size(), b.joints.size())) return;
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
      text(what + ".joint", a.joints[i].joint, b.joints[i].joint);
      list(what + ".q", a.joints[i].q, b.joints[i].q);
      list(what + ".v", a.joints[i].v, b.joints[i].v);
    }
  }
  // Functions are the same if they have the same values; their texts may be in other units.
  void function(const std::string& what, const TimeFunction& a, const TimeFunction& b) {
    for (const double t : {0.0, 0.37, 12.5}) number(what, a.at(t), b.at(t), 1e-3);
  }
  // Also of the state, for the same values of its variables.
  void function(const std::string& what, const Model& of_a, const StateFunction& a, const StateFunction& b) {
    const std::vector<StateVariable> variables = state_variables(of_a);
    std::vector<double> values;
    for (std::size_t i = 0; i < variables.size(); ++i) values.push_back(0.3 + 0.1 * static_cast<double>(i));
    const auto value = [&](StateFunction f, double t) {
      for (StateFunction::Use& use : f.uses) {
        const auto variable = std::find_if(variables.begin(), variables.end(),
                                           [&use](const StateVariable& v) { return v.name == use.name; });
        if (variable == variables.end()) return std::nan("");
        use.index = static_cast<int>(variable - variables.begin());
      }
      return f.at(t, values);
    };
    count(what + ".uses", a.uses.size(), b.uses.size());
    for (const double t : {0.0, 0.37, 12.5}) number(what, value(a, t), value(b, t), 1e-3);
  }
  void optional(const std::string& what, const std::optional<TimeFunction>& a, const std::optional<TimeFunction>& b) {
    number(what + " (is there)", a ? 1 : 0, b ? 1 : 0);
    if (a && b) function(what, *a, *b);
  }
  void optional(const std::string& what, const std::optional<Vec3d>& a, const std::optional<Vec3d>& b) {
    number(what + " (is there)", a ? 1 : 0, b ? 1 : 0);
    if (a && b) vector(what, *a, *b);
  }
  void curve(const std::string& what, const Curve& a, const Curve& b) {
    number(what + ".closed", a.closed(), b.closed());
    number(what + " (kind)", static_cast<double>(a.source().index()), static_cast<double>(b.source().index()));
    number(what + ".begin", a.begin(), b.begin());
    number(what + ".end", a.end(), b.end());
    for (int i = 0; i <= 7; ++i) {
      const double s = a.begin() + i * (a.end() - a.begin()) / 7;
      number(what + ".x", a.at(s).x, b.at(s).x, 1);
      number(what + ".y", a.at(s).y, b.at(s).y, 1);
    }
  }
  void constraint(const Constraint& a, const Constraint& b) {
    const std::string what = "constraint " + a.name;
    text("name of constraint", a.name, b.name);
    text(what + ".type", std::string(keyword(a.type)), std::string(keyword(b.type)));
    text(what + ".first", a.first, b.first);
    text(what + ".second", a.second, b.second);
    pose(what + ".X_AP", a.X_AP, b.X_AP);
    pose(what + ".X_BQ", a.X_BQ, b.X_BQ);
    if (a.type.index() != b.type.index()) return;
    std::visit([&]<class C>(const C& c) { parameters(what, c, std::get<C>(b.type)); }, a.type);
  }
  template <class C>
  void parameters(const std::string& what, const C& a, const C& b) {
    if constexpr (requires { a.length; }) number(what + ".length", a.length, b.length);
    if constexpr (requires { a.height; }) number(what + ".height", a.height, b.height);
    if constexpr (requires { a.offset; }) number(what + ".offset", a.offset, b.offset);
    if constexpr (requires { a.curve; }) curve(what + ".curve", *a.curve, *b.curve);
    if constexpr (requires { a.angle; }) number(what + ".angle", a.angle, b.angle);
    if constexpr (requires { a.radius; }) number(what + ".radius", a.radius, b.radius);
    if constexpr (requires { a.first_radius; }) {
      number(what + ".first_radius", a.first_radius, b.first_radius);
      number(what + ".second_radius", a.second_radius, b.second_radius);
      number(what + ".inside", a.inside, b.inside);
    }
    if constexpr (requires { a.phase; }) {
      number(what + ".phase", a.phase, b.phase);
      number(what + ".keeps_contact", a.keeps_contact, b.keeps_contact);
    }
    if constexpr (requires { a.held; }) number(what + ".held", 0, a.held == b.held ? 0 : 1);
  }
  void input(const Input& a, const Input& b) {
    const std::string what = "input " + a.joint;
    text("joint of input", a.joint, b.joint);
    number(what + ".dof", a.dof, b.dof);
    list(what, {a.from, a.to, a.step, a.speed, a.acceleration}, {b.from, b.to, b.step, b.speed, b.acceleration});
    optional(what + ".motion", a.motion, b.motion);
  }
  void carried(const std::string& what, const BodyPoint& a, const BodyPoint& b) {
    text(what + ".body", a.body, b.body);
    vector(what + ".p_B", a.p_B, b.p_B);
  }
  void spring(const Spring& a, const Spring& b) {
    const std::string what = "spring " + a.name;
    text("name of spring", a.name, b.name);
    carried(what + ".first", a.first, b.first);
    carried(what + ".second", a.second, b.second);
    text(what + ".joint", a.joint, b.joint);
    number(what + ".dof", a.dof, b.dof);
    list(what, {a.stiffness, a.rest, a.damping, a.preload}, {b.stiffness, b.rest, b.damping, b.preload});
    list(what + ".table_at", a.table_at, b.table_at);
    list(what + ".table_force", a.table_force, b.table_force);
    const Spring::Gas none, gas = a.gas.value_or(none), other = b.gas.value_or(none);
    number(what + ".gas (is there)", a.gas ? 1 : 0, b.gas ? 1 : 0);
    list(what + ".gas", {gas.force, gas.column, gas.exponent}, {other.force, other.column, other.exponent});
  }
  void load(const Model& of_a, const Load& a, const Load& b) {
    const std::string what = "load " + a.name;
    text("name of load", a.name, b.name);
    carried(what + ".at", a.at, b.at);
    number(what + ".is_couple", a.is_couple, b.is_couple);
    number(what + ".turns_along", a.turns_along, b.turns_along);
    number(what + ".components (is there)", a.components ? 1 : 0, b.components ? 1 : 0);
    for (std::size_t i = 0; a.components && b.components && i < 3; ++i) {
      function(what + ".components", of_a, (*a.components)[i], (*b.components)[i]);
    }
    vector(what + ".direction", a.direction, b.direction);
    number(what + ".size (is there)", a.size ? 1 : 0, b.size ? 1 : 0);
    if (a.size && b.size) function(what + ".size", of_a, *a.size, *b.size);
    text(what + ".bound_to", a.bound_to, b.bound_to);
    number(what + ".ratio", a.ratio, b.ratio);
    number(what + ".offset", a.offset, b.offset);
  }
  // Expressions give the same for the same values of the variables.
  void measure(const Model& of_a, const Measure& a, const Measure& b) {
    const std::string what = "measure " + a.name;
    text("name of measure", a.name, b.name);
    text(what + ".kind", std::string(keyword(a.kind)), std::string(keyword(b.kind)));
    if (count(what + ".points", a.points.size(), b.points.size())) {
      for (std::size_t i = 0; i < a.points.size(); ++i) carried(what + ".points", a.points[i], b.points[i]);
    }
    text(what + ".joints", fmt::format("{}", fmt::join(a.joints, "|")), fmt::format("{}", fmt::join(b.joints, "|")));
    text(what + ".dofs", fmt::format("{}", fmt::join(a.dofs, "|")), fmt::format("{}", fmt::join(b.dofs, "|")));
    text(what + ".bodies", fmt::format("{}", fmt::join(a.bodies, "|")), fmt::format("{}", fmt::join(b.bodies, "|")));
    optional(what + ".axis", a.axis, b.axis);
    optional(what + ".reference", a.reference, b.reference);
    number(what + ".turn", a.turn, b.turn);
    number(what + ".component", a.component, b.component);
    number(what + ".gives", 0, a.gives == b.gives ? 0 : 1);
    if (a.kind == Measure::Kind::expression) number(what, value(of_a, a), value(of_a, b), 1e-3);
  }
  static double value(const Model& model, const Measure& measure) {
    std::vector<std::string> names;
    std::vector<double> values;
    for (const MeasureVariable& variable : measure_variables(model)) {
      names.push_back(variable.name);
      values.push_back((0.3 + 0.1 * static_cast<double>(names.size())) / measure.unit(variable.dimension));
    }
    const auto parsed = Expression::parse(measure.text, names);
    if (!std::holds_alternative<Expression>(parsed)) return std::nan("");
    return std::get<Expression>(parsed).evaluate<double>(values) * measure.unit(measure.gives);
  }
  void plane(const std::optional<Plane>& a, const std::optional<Plane>& b) {
    number("planar (is there)", a ? 1 : 0, b ? 1 : 0);
    if (!a || !b) return;
    vector("planar.point", a->point, b->point);
    vector("planar.normal", a->normal, b->normal);
    vector("planar.x", a->x, b->x);
  }
  void output(const Output& a, const Output& b) {
    text("name of output", a.name, b.name);
    text("output " + a.name + ".body", a.body, b.body);
    vector("output " + a.name + ".p_B", a.p_B, b.p_B);
  }

 private:
  double tolerance_;
};

}  // namespace

std::string first_difference(const Model& a, const Model& b, double tolerance) {
  Comparison c(tolerance);
  c.text("name", a.name, b.name);
  c.vector("gravity", a.gravity, b.gravity);
  if (c.count("points", a.points.size(), b.points.size())) {
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      c.text("name of point", a.points[i].name, b.points[i].name);
      c.vector("point " + a.points[i].name, a.points[i].p_W, b.points[i].p_W);
    }
  }
  if (c.count("bodies", a.bodies.size(), b.bodies.size())) {
    for (std::size_t i = 0; i < a.bodies.size(); ++i) c.body(a.bodies[i], b.bodies[i]);
  }
  if (c.count("joints", a.joints.size(), b.joints.size())) {
    for (std::size_t i = 0; i < a.joints.size(); ++i) c.joint(a.joints[i], b.joints[i]);
  }
  if (c.count("couplings", a.couplings.size(), b.couplings.size())) {
    for (std::size_t i = 0; i < a.couplings.size(); ++i) c.coupling(a.couplings[i], b.couplings[i]);
  }
  if (c.count("outputs", a.outputs.size(), b.outputs.size())) {
    for (std::size_t i = 0; i < a.outputs.size(); ++i) c.output(a.outputs[i], b.outputs[i]);
  }
  if (c.count("actuators", a.actuators.size(), b.actuators.size())) {
    for (std::size_t i = 0; i < a.actuators.size(); ++i) c.actuator(a.actuators[i], b.actuators[i]);
  }
  if (c.count("states", a.states.size(), b.states.size())) {
    for (std::size_t i = 0; i < a.states.size(); ++i) c.state(a.states[i], b.states[i]);
  }
  c.plane(a.planar, b.planar);
  const auto each = [&c](const char* what, const auto& of_a, const auto& of_b, const auto& compare) {
    if (!c.count(what, of_a.size(), of_b.size())) return;
    for (std::size_t i = 0; i < of_a.size(); ++i) compare(of_a[i], of_b[i]);
  };
  each("constraints", a.constraints, b.constraints, [&](const auto& x, const auto& y) { c.constraint(x, y); });
  each("inputs", a.inputs, b.inputs, [&](const auto& x, const auto& y) { c.input(x, y); });
  each("springs", a.springs, b.springs, [&](const auto& x, const auto& y) { c.spring(x, y); });
  each("loads", a.loads, b.loads, [&](const auto& x, const auto& y) { c.load(a, x, y); });
  each("drives", a.drives, b.drives, [&](const auto& x, const auto& y) { c.drive(x, y); });
  each("bushings", a.bushings, b.bushings, [&](const auto& x, const auto& y) { c.bushing(x, y); });
  each("events", a.events, b.events, [&](const auto& x, const auto& y) { c.event(a, x, y); });
  c.terrain(a.terrain, b.terrain);
  each("materials", a.materials, b.materials, [&](const auto& x, const auto& y) { c.material(x, y); });
  each("contacts", a.contacts, b.contacts, [&](const auto& x, const auto& y) { c.contact(x, y); });
  each("impacts", a.impacts, b.impacts, [&](const auto& x, const auto& y) { c.impact(x, y); });
  c.simulate(a.simulate, b.simulate);
  c.fluid(a.fluid, b.fluid);
  each("measures", a.measures, b.measures, [&](const auto& x, const auto& y) { c.measure(a, x, y); });
  return c.found;
}

}  // namespace trammel::test
