// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/model_with_everything.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "readers/random_actuation.hpp"

namespace trammel::test {

namespace {

class Maker : public RandomNumbers {
 public:
  explicit Maker(std::uint64_t seed) : RandomNumbers(seed) {}

  Model make() {
    model_.name = odd_name(0);
    model_.gravity = vector(10);
    const char* lengths[] = {"m", "mm", "cm", "km", "in", "ft", "um"};
    const char* angles[] = {"rad", "deg", "rev"};
    const char* masses[] = {"kg", "g", "t", "lb", "slug"};
    const char* times[] = {"s", "ms", "min"};
    const char* forces[] = {"N", "mN", "kN", "lbf", "kgf"};
    set_unit(model_.units, "length", lengths[below(7)]);
    set_unit(model_.units, "angle", angles[below(3)]);
    set_unit(model_.units, "mass", masses[below(5)]);
    set_unit(model_.units, "time", times[below(3)]);
    set_unit(model_.units, "force", forces[below(5)]);
    for (std::size_t i = 0, n = below(4); i < n; ++i) model_.points.push_back({odd_name(i), vector(2), {}});
    const std::size_t bodies = 1 + below(6);
    for (std::size_t i = 0; i < bodies; ++i) add_random_body(i);
    for (std::size_t i = 0; i < bodies + below(3); ++i) add_random_joint(i);
    add_couplings();
    for (std::size_t i = 0, n = below(3); i < n; ++i) {
      model_.outputs.push_back({odd_name(i), chance() ? "ground" : any_body(), vector(1), {}});
    }
    add_states();
    add_linkage();
    add_random_actuation(*this, model_);
    return model_;
  }

 private:
  const std::string& any_body() { return model_.bodies[below(model_.bodies.size())].name; }

  Shape random_shape() {
    Shape s = random_form(7);
    if (below(3) == 0) {
      s.density = positive(8000);
    } else if (below(3) == 0) {
      s.mass = positive(2);
    }
    return s;
  }

  // One of the first so many kinds, without mass.
  Shape random_form(std::size_t kinds) {
    Shape s;
    s.kind = static_cast<Shape::Kind>(below(kinds));
    if (chance()) s.colour = Colour{uniform(), uniform(), uniform(), chance() ? 1 : uniform()};
    s.X_BS = pose(1);
    switch (s.kind) {
      case Shape::Kind::rod:
      case Shape::Kind::cylinder:
      case Shape::Kind::capsule:
        s.length = positive(1);
        s.radius = positive(0.1);
        break;
      case Shape::Kind::sphere:
        s.radius = positive(0.1);
        break;
      case Shape::Kind::box:
      case Shape::Kind::ellipsoid:
        s.size = {positive(1), positive(1), positive(1)};
        break;
      case Shape::Kind::plate:
        s.length = positive(0.01);
        s.outline = {{0, 0, 0}, {positive(1), 0, 0}, {1.5, 1.25, 0}, {0, positive(1), 0}};
        break;
      case Shape::Kind::mesh:
        s.mesh = chance() ? "package://robot/meshes/arm 1.stl" : "../a.obj";
        if (chance()) s.scale = chance() ? Vec3d{1, 1, 1} * positive(0.01) : Vec3d{positive(1), -positive(1), 1};
        break;
    }
    return s;
  }

  void add_random_body(std::size_t i) {
    Body& body = model_.bodies.emplace_back();
    body.name = unused(odd_name(i), std::vector<Body>(model_.bodies.begin(), model_.bodies.end() - 1));
    if (chance()) body.X_WB = pose(1);
    for (std::size_t k = below(3); k > 0; --k) body.shapes.push_back(random_shape());
    for (std::size_t k = below(3); k > 0; --k) body.visuals.push_back(random_form(8));
    for (std::size_t k = below(3); k > 0; --k) body.collisions.push_back(random_form(8));
    double own = 0;
    bool all = !body.shapes.empty();
    for (const Shape& s : body.shapes) {
      own += s.mass.value_or(s.density.value_or(0) * volume(s));
      all = all && (s.mass || s.density);
    }
    body.mass = all ? own : own + positive(3);
    body.com = vector(1);
    // An inertia that a body can have: rotated principal moments that keep the triangle rule.
    const double a = positive(1), b = positive(1), c = positive(1);
    body.inertia = rotate(rotation(), Sym3d{a + b, a + c, b + c, 0, 0, 0});
    if (below(4) == 0) body.com = {}, body.inertia = {};
  }

  std::vector<double> per_freedom(const AnyJoint& type, double size) {
    std::vector<double> list;
    for (int i = 0; i < nv(type); ++i) list.push_back(positive(size));
    return list;
  }

  void add_random_joint(std::size_t i) {
    const std::vector<std::string> words = joint_keywords();
    AnyJoint type = *joint_by_keyword(words[below(words.size())]);
    if (auto* helical = std::get_if<Helical>(&type)) helical->h = any(0.01);
    const std::string second = model_.bodies[i % model_.bodies.size()].name;
    std::string first = any_body();
    if (first == second || chance()) first = ground_name;
    const Transformd X_WJ = frame_for(type);
    const std::string name = unused(odd_name(i), model_.joints);
    Joint& joint = chance() ? add_joint(model_, name, type, first, second, X_WJ)
                            : add_joint(model_, name, type, second, first, X_WJ);
    if (below(4) == 0) {  // in the body's own frame, exactly
      const Transformd X_WB = model_.find_body(second)->X_WB;
      joint.X_BM = joint.second == second ? X_WJ : joint.X_BM;
      if (joint.second == second) {
        const Body* a = model_.find_body(joint.first);
        joint.X_AF = inverse(a == nullptr ? Transformd{} : a->X_WB) * (X_WB * X_WJ);
      }
    }
    joint.cut = below(5) == 0;
    add_properties(joint);
  }

  Transformd frame_for(const AnyJoint& type) {
    if (chance() || nv(type) == 0) return pose(1);
    const Vec3d axis = rotation() * Vec3d{0, 0, 1};
    return frame_at(vector(1), axis);
  }

  void add_properties(Joint& joint) {
    const bool quaternion = nq(joint.type) != nv(joint.type);
    const bool is_free = std::holds_alternative<Free>(joint.type);
    JointProperties& p = joint.properties;
    if (nv(joint.type) == 0) return;
    if (!is_free && chance()) p.viscous = per_freedom(joint.type, 1);
    if (!is_free && chance()) p.dry = per_freedom(joint.type, 1), p.dry_speed = positive(0.01);
    if (!is_free && chance()) p.armature = per_freedom(joint.type, 0.1);
    if (!quaternion && chance()) {
      p.upper = per_freedom(joint.type, 2);
      for (const double x : p.upper) p.lower.push_back(chance() ? -infinity : -x);
      if (chance()) p.limit_stiffness = per_freedom(joint.type, 1e4);
      if (chance()) p.limit_damping = per_freedom(joint.type, 10);
    }
    if (chance()) p.velocity_limit = per_freedom(joint.type, 3);
    if (chance()) p.effort_limit = std::vector<double>(static_cast<std::size_t>(nv(joint.type)), infinity);
    if (chance()) joint.q_initial = coordinates(joint.type);
    if (chance()) joint.v_initial = velocities(joint.type);
  }

  std::vector<double> velocities(const AnyJoint& type) {
    std::vector<double> v;
    for (int i = 0; i < nv(type); ++i) v.push_back(any(1));
    return v;
  }
  std::vector<double> coordinates(const AnyJoint& type) {
    std::vector<double> q(static_cast<std::size_t>(nq(type)));
    q_zero(type, q.data());
    q_step(type, q.data(), velocities(type).data(), q.data());
    return q;
  }

  void add_states() {
    for (std::size_t i = 0, n = below(3); i < n; ++i) {
      NamedState state;
      state.name = unused(odd_name(i), model_.states);
      for (const Joint& joint : model_.joints) {
        if (nv(joint.type) == 0 || chance()) continue;
        NamedState::Entry& entry = state.joints.emplace_back();
        entry.joint = joint.name;
        if (chance()) entry.q = coordinates(joint.type);
        if (chance()) entry.v = velocities(joint.type);
      }
      model_.states.push_back(state);
    }
  }

  void add_couplings() {
    for (std::size_t i = 0; i + 1 < model_.joints.size(); ++i) {
      const Joint &a = model_.joints[i], &b = model_.joints[i + 1];
      if (nq(a.type) != nv(a.type) || nq(b.type) != nv(b.type) || nv(a.type) == 0 || nv(b.type) == 0) continue;
      Coupling c;
      c.name = unused(odd_name(i), model_.couplings);
      c.first = a.name;
      c.second = b.name;
      c.first_dof = static_cast<int>(below(static_cast<std::size_t>(nv(a.type))));
      c.second_dof = static_cast<int>(below(static_cast<std::size_t>(nv(b.type))));
      const auto is_angle = [](const Joint& j, int dof) {
        return freedoms(j.type)[static_cast<std::size_t>(dof)].dimension == dimension::angle;
      };
      c.kind = Coupling::Kind::mimic;
      if (is_angle(a, c.first_dof) && chance()) {
        c.kind = is_angle(b, c.second_dof) ? (chance() ? Coupling::Kind::gear : Coupling::Kind::belt)
                 : chance()                ? Coupling::Kind::rack
                                           : Coupling::Kind::screw;
      }
      c.ratio = -positive(3);
      c.offset = any(1);
      model_.couplings.push_back(c);
    }
  }

  // --- what linkages have ---------------------------------------------------------------------------------------------

  void add_linkage() {
    if (chance()) model_.planar = random_plane();
    for (std::size_t i = 0, n = below(4); i < n; ++i) add_random_constraint(i);
    add_inputs();
    add_springs();
    add_loads();
    add_measures();
  }

  Plane random_plane() {
    const Transformd X = frame_at(vector(1), direction());
    return {chance() ? X.p : Vec3d{}, X.R.ez, chance() ? X.R.ex : X.R.ey};
  }

  AnyConstraint random_constraint() {
    const bool keeps = chance();
    const double phase = chance() ? 0 : any(1);
    switch (below(10)) {
      case 0:
        return Distance{positive(2)};
      case 1:
        return PointOnLine{};
      case 2:
        return PointOnPlane{any(1)};
      case 3:
        return PointOnCurve{random_curve(), any(0.1)};
      case 4:
        return FaceOnCurve{random_curve()};
      case 5:
        return Angle{0.1 + 2.9 * uniform()};
      case 6:
        return Parallel{};
      case 7: {
        const double r = positive(1);
        return chance() ? RollingCircles{r + positive(1), r, true, keeps, phase}
                        : RollingCircles{r, positive(1), false, keeps, phase};
      }
      case 8:
        return RollingOnLine{positive(1), keeps, phase};
      default: {
        Hold hold;
        for (bool& held : hold.held) held = chance();
        hold.held[below(6)] = true;
        return hold;
      }
    }
  }

  std::shared_ptr<const Curve> random_curve() {
    Curve::Table table{{{0, 0}, {positive(1), 0.1}, {1.5, 1.25}, {0.1, positive(1)}}, chance()};
    Curve::Formula formula{"20*cos(s) + sin(s)^2", "15*sin(s)", 0, 2 * std::acos(-1.0), true};
    if (chance()) formula = {"s", "0.1*s^2", -positive(1), positive(2), false};
    return std::make_shared<const Curve>(
        std::get<Curve>(chance() ? Curve::from(std::move(table)) : Curve::from(std::move(formula))));
  }

  // Frames as people draw them, and any others.
  void add_random_constraint(std::size_t i) {
    const AnyConstraint type = random_constraint();
    const std::string second = any_body();
    std::string first = any_body();
    if (first == second) first = ground_name;
    Transformd X_WP = pose(1), X_WQ = pose(1);
    if (std::holds_alternative<Parallel>(type)) X_WQ.R = X_WP.R;
    if (chance()) {
      X_WP = frame_at(vector(1), direction());
      X_WQ = Transformd::translation(X_WP * Vec3d{positive(1), 0, 0});
      if (angle_count(type) > 0 || std::holds_alternative<Parallel>(type)) X_WQ.R = X_WP.R;
      if (std::holds_alternative<RollingOnLine>(type)) X_WQ.p = X_WP * Vec3d{0, positive(1), 0};
      if (std::holds_alternative<Distance>(type)) X_WP.R = Mat3d::identity();
      if (std::holds_alternative<Hold>(type)) X_WP = X_WQ;
    }
    if (norm(X_WQ.p - X_WP.p) == 0) X_WQ.p.x += std::holds_alternative<Distance>(type) ? 1 : 0;
    add_constraint(model_, unused(odd_name(i), model_.constraints), type, first, second, X_WP, X_WQ);
  }

  void add_inputs() {
    for (const Joint& joint : model_.joints) {
      if (nv(joint.type) == 0 || nq(joint.type) != nv(joint.type) || chance()) continue;
      Input input;
      input.joint = joint.name;
      input.dof = static_cast<int>(below(static_cast<std::size_t>(nv(joint.type))));
      input.from = any(1);
      input.to = chance() ? input.from : input.from + positive(2);
      input.step = input.to > input.from ? positive(0.1) : 0;
      if (chance()) {
        input.motion = random_function(*this);
        for (const Input& other : model_.inputs) {  // those by time share one time
          if (other.motion) input.from = other.from, input.to = other.to, input.step = other.step;
        }
      } else {
        input.speed = any(3);
        input.acceleration = any(1);
      }
      model_.inputs.push_back(input);
    }
  }

  BodyPoint carried() {
    if (!model_.outputs.empty() && chance()) {
      const Output& output = model_.outputs[below(model_.outputs.size())];
      return {output.body, output.p_B};
    }
    return {chance() ? std::string(ground_name) : any_body(), vector(1)};
  }
  // A point of another place: at another body, or elsewhere.
  BodyPoint carried_away_from(const BodyPoint& other) {
    BodyPoint point = carried();
    for (int i = 0; i < 20 && point.body == other.body; ++i) point = {any_body(), vector(1)};
    if (point.body == other.body) point = {std::string(ground_name), vector(1)};
    point.p_B = point.p_B + Vec3d{3, 0, 0};
    return point;
  }

  void add_springs() {
    for (std::size_t i = 0, n = below(3); i < n; ++i) {
      Spring spring;
      spring.name = unused(odd_name(i), model_.springs);
      const Joint& joint = model_.joints[below(model_.joints.size())];
      if (nv(joint.type) > 0 && nq(joint.type) == nv(joint.type) && chance()) {
        spring.joint = joint.name;
        spring.dof = static_cast<int>(below(static_cast<std::size_t>(nv(joint.type))));
        spring.rest = any(1);
      } else {
        spring.first = {any_body(), vector(1)};
        spring.second = carried_away_from(spring.first);
        if (spring.second.body == spring.first.body) continue;
        spring.rest = positive(1);
      }
      spring.stiffness = positive(1000);
      if (chance()) spring.damping = positive(3);
      if (chance()) spring.preload = any(3);
      if (chance()) spring.table_at = {-0.5, any(0.3), positive(1) + 1}, spring.table_force = {any(9), any(9), any(9)};
      if (chance()) spring.gas = Spring::Gas{positive(100), positive(1), positive(2)};
      model_.springs.push_back(spring);
    }
  }

  void add_loads() {
    std::string free_one;  // a resisting load to bind others to
    for (std::size_t i = 0, n = below(4); i < n; ++i) {
      Load load;
      load.name = unused(odd_name(i), model_.loads);
      load.at = {any_body(), vector(1)};
      load.is_couple = chance();
      load.turns_along = chance();
      const std::size_t form = below(3);
      if (form == 0)
        load.components =
            std::array{random_function(*this, model_), random_function(*this, model_), random_function(*this, model_)};
      if (form != 0) load.direction = direction();
      if (form == 1) load.size = random_function(*this, model_);
      if (form == 2 && free_one.empty()) {
        free_one = load.name;
      } else if (form == 2) {
        load.bound_to = free_one;
        load.ratio = any(2);
        load.offset = any(1);
      }
      model_.loads.push_back(load);
    }
  }

  void add_measures() {
    using Kind = Measure::Kind;
    const std::size_t n = below(5);
    for (std::size_t i = 0; i < n; ++i) {
      Measure m;
      m.name = unused(odd_name(i), model_.measures);
      m.kind = static_cast<Kind>(below(18));
      static const std::size_t counts[] = {4, 2, 3, 2, 2, 4, 2, 2, 3, 2, 2, 2, 0, 0, 0, 0, 0, 0};
      for (std::size_t k = 0; k < counts[static_cast<std::size_t>(m.kind)]; ++k) {
        m.points.push_back(m.points.empty() ? carried() : carried_away_from(m.points.back()));
      }
      const Transformd frame = frame_at({}, direction());
      switch (m.kind) {
        case Kind::angle:
          if (chance()) m.axis = frame.R.ez;
          break;
        case Kind::distance_to_plane:
        case Kind::plane_angle:
        case Kind::projected_angle:
        case Kind::polar:
          m.axis = frame.R.ez;
          break;
        case Kind::azimuth:
        case Kind::camber:
        case Kind::caster:
        case Kind::steer:
          m.axis = frame.R.ez;
          m.reference = frame.R.ex;
          break;
        case Kind::locus:
          m.turn = any(3);
          m.component = static_cast<int>(below(3));
          break;
        default:
          if (!fill_measure(m)) continue;
      }
      model_.measures.push_back(m);
    }
  }

  // Kinds that name joints, bodies or other measures; false if there are too few.
  bool fill_measure(Measure& m) {
    using Kind = Measure::Kind;
    if (m.kind == Kind::transmission_angle) {
      if (model_.joints.size() < 3) return false;
      for (std::size_t i = 0; i < 3; ++i) m.joints.push_back(model_.joints[i].name);
    } else if (m.kind == Kind::mechanical_advantage) {
      for (const Joint& joint : model_.joints) {
        if (nv(joint.type) == 0 || m.joints.size() == 2) continue;
        m.joints.push_back(joint.name);
        m.dofs.push_back(static_cast<int>(below(static_cast<std::size_t>(nv(joint.type)))));
      }
      return m.joints.size() == 2;
    } else if (m.kind == Kind::expression) {
      m.text = "2 + 1e-3*pi";
      for (const Measure& other : model_.measures) {
        const bool quotable = other.name.find_first_of("'\"\\") == std::string::npos;
        if (quotable) m.text += fmt::format(" + sin('{}')/2", other.name);
      }
      const Dimension dimensions[] = {{}, dimension::length, dimension::angle};
      m.gives = dimensions[below(3)];
      if (chance()) m.length_unit = 0.001, m.angle_unit = 0.0174532925199;
    } else if (m.kind != Kind::length && m.kind != Kind::distance_to_line) {
      m.bodies = {any_body(), std::string(ground_name)};
    }
    return true;
  }

  Model model_;
};

}  // namespace

Model model_with_everything(std::uint64_t seed) { return Maker(seed).make(); }

}  // namespace trammel::test
