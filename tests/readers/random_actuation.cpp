// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/random_actuation.hpp"

#include <algorithm>

namespace trammel::test {

namespace {

class ActuationMaker {
 public:
  ActuationMaker(RandomNumbers& random, Model& model) : random_(random), model_(model) {}

  void make() {
    add_actuators();
    add_drives();
    add_bushings();
    add_contacts();
    add_impacts();
    add_events();
    add_simulate();
  }

 private:
  const std::string& any_body() { return model_.bodies[random_.below(model_.bodies.size())].name; }

  void add_actuators() {
    for (const Joint& joint : model_.joints) {
      if (nv(joint.type) == 0 || random_.chance()) continue;
      Actuator a;
      a.name = random_.unused(random_.odd_name(model_.actuators.size()), model_.actuators);
      a.kind = static_cast<Actuator::Kind>(random_.below(5));
      const bool is_ball = std::holds_alternative<Spherical>(joint.type), turns = nq(joint.type) != nv(joint.type);
      if (a.kind == Actuator::Kind::thruster) {
        add_thruster(a);
        continue;
      }
      if (turns && !is_ball && a.kind == Actuator::Kind::position) a.kind = Actuator::Kind::torque;
      const bool whole =
          is_ball && (a.kind == Actuator::Kind::position || (a.kind == Actuator::Kind::torque && random_.chance()));
      a.joint = joint.name;
      a.dof = whole ? Actuator::all_of_ball : static_cast<int>(random_.below(static_cast<std::size_t>(nv(joint.type))));
      if (random_.chance()) {
        for (int i = 0; i < (whole ? 3 : 1); ++i) a.target.push_back(profile());
      }
      if (a.kind == Actuator::Kind::dc_motor) {
        add_motor(a, !turns && random_.chance());
        continue;
      }
      if (random_.chance()) a.gear = -random_.positive(50);
      if (a.kind == Actuator::Kind::position) a.stiffness = random_.positive(100);
      if (a.kind == Actuator::Kind::velocity || (a.kind == Actuator::Kind::position && random_.chance())) {
        a.damping = random_.positive(5);
      }
      if (random_.chance()) a.control_lower = -random_.positive(10);
      if (random_.chance()) a.control_upper = random_.positive(10);
      if (random_.chance()) a.effort_lower = -random_.positive(10), a.effort_upper = random_.positive(10);
      model_.actuators.push_back(a);
    }
  }

  void add_motor(Actuator& a, bool is_servo) {
    Actuator::Motor& m = a.motor;
    m.is_servo = is_servo;
    if (is_servo) a.stiffness = random_.positive(1000), a.damping = random_.chance() ? random_.positive(10) : 0;
    a.gear = random_.chance() ? random_.positive(100) : -1;
    m.resistance = random_.positive(3);
    m.torque_constant = random_.positive(0.1);
    m.back_emf = random_.positive(0.1);
    if (random_.chance()) m.inductance = random_.positive(0.01), m.current_limit = random_.positive(10);
    if (random_.chance()) m.rotor_inertia = random_.positive(1e-5);
    if (random_.chance()) m.viscous = random_.positive(1e-6), m.dry = random_.positive(1e-4);
    if (random_.chance()) m.brush_drop = random_.positive(1), m.brush_half = random_.positive(3);
    if (random_.chance()) a.control_lower = -random_.positive(24), a.control_upper = random_.positive(24);
    if (random_.chance()) a.effort_lower = -random_.positive(1), a.effort_upper = random_.positive(1);
    model_.actuators.push_back(a);
  }
  void add_thruster(Actuator& a) {
    a.thruster = {.at = {any_body(), random_.vector(1)}, .direction = random_.direction(), .gain = random_.positive(2)};
    if (random_.chance()) a.thruster.dead_band = random_.positive(1), a.thruster.lag = random_.positive(1);
    if (random_.chance()) a.target.push_back(profile());
    if (random_.chance()) a.control_upper = random_.positive(10);
    if (random_.chance()) a.effort_lower = -random_.positive(10);
    model_.actuators.push_back(a);
  }
  Profile profile() {
    if (random_.chance()) return random_function(random_);
    std::vector<double> x{random_.any(1)}, y{random_.any(1)};
    for (std::size_t i = 0, n = 1 + random_.below(4); i < n; ++i)
      x.push_back(x.back() + random_.positive(1)), y.push_back(random_.any(1));
    return Spline(x, y);
  }

  void add_drives() {
    for (const Joint& joint : model_.joints) {
      if (nv(joint.type) == 0 || nq(joint.type) != nv(joint.type) || random_.below(3) > 0) continue;
      Drive drive;
      drive.joint = joint.name;
      drive.dof = static_cast<int>(random_.below(static_cast<std::size_t>(nv(joint.type))));
      const std::string freedom(freedoms(joint.type)[static_cast<std::size_t>(drive.dof)].name);
      drive.name = nv(joint.type) == 1 ? joint.name : joint.name + "." + freedom;
      drive.kind = random_.chance() ? Drive::Kind::position : Drive::Kind::velocity;
      drive.motion = profile();
      model_.drives.push_back(drive);
    }
  }

  std::array<double, 36> mount(double size) {
    std::array<double, 36> m{};
    const bool coupled = random_.chance();
    for (std::size_t i = 0; i < 6; ++i) {
      m[7 * i] = random_.positive(size);
      for (std::size_t k = 0; coupled && k < i; ++k) {
        m[6 * i + k] = m[6 * k + i] = 0.1 * (random_.uniform() - 0.5) * std::sqrt(m[7 * i] * m[7 * k]);
      }
    }
    return m;
  }
  void add_bushings() {
    for (std::size_t i = 0, n = random_.below(3); i < n; ++i) {
      Bushing b;
      b.name = random_.unused(random_.odd_name(i), model_.bushings);
      b.second = any_body();
      b.first = any_body();
      if (b.first == b.second || random_.chance()) b.first = ground_name;
      const Transformd X_WP = random_.chance() ? Transformd::translation(random_.vector(1)) : random_.pose(1);
      const Body* first = model_.find_body(b.first);
      b.X_AP = inverse(first == nullptr ? Transformd{} : first->X_WB) * X_WP;
      b.X_BQ = inverse(model_.find_body(b.second)->X_WB) * X_WP;
      b.stiffness = mount(1000);
      if (random_.chance()) b.damping = mount(10);
      model_.bushings.push_back(b);
    }
  }

  // Some of everything that touches.
  void add_contacts() {
    if (random_.chance()) return;
    Terrain& t = model_.terrain;
    t.kind = static_cast<Terrain::Kind>(random_.below(4));
    if (t.kind == Terrain::Kind::plane) t.X_WT = frame_at(random_.vector(1), random_.vector(1) + Vec3d{0, 0, 3});
    if (t.kind == Terrain::Kind::steps || t.kind == Terrain::Kind::grid)
      t.X_WT = random_.chance() ? Transformd::translation(random_.vector(1)) : random_.pose(1);
    if (t.kind == Terrain::Kind::steps) {
      for (int i = 0; i < 3; ++i) t.steps.push_back({i + random_.uniform() * 0.5, random_.uniform()});
    }
    if (t.kind == Terrain::Kind::grid) {
      t.nx = 2 + static_cast<int>(random_.below(3)), t.ny = 2 + static_cast<int>(random_.below(3));
      t.spacing_x = random_.positive(1);
      t.spacing_y = random_.chance() ? t.spacing_x : random_.positive(1);
      for (int i = 0; i < t.nx * t.ny; ++i) t.heights.push_back(random_.uniform() - 0.5);
      t.edge = static_cast<Terrain::Edge>(random_.below(3));
      if (t.edge == Terrain::Edge::plane) t.edge_height = random_.uniform();
      if (random_.chance()) {
        t.cell_materials = {"rock", "mud"};
        for (int i = 0; i < (t.nx - 1) * (t.ny - 1); ++i) t.cells.push_back(static_cast<int>(random_.below(3)) - 1);
      }
    }
    if (t.kind != Terrain::Kind::none) t.material = "rock";
    for (const char* name : {"rock", "mud", "rock on mud"}) {
      ContactMaterial m;
      m.name = name;
      if (m.name == "rock on mud") m.between = std::pair<std::string, std::string>("rock", "mud");
      m.stiffness = random_.positive(1e5);
      if (random_.chance()) m.dissipation = random_.positive(1);
      if (random_.chance()) m.damping = random_.positive(100);
      m.friction_kinetic = random_.positive(1);
      m.friction_static = random_.chance() ? m.friction_kinetic : m.friction_kinetic + random_.positive(1);
      if (random_.chance()) m.tangential_stiffness = random_.positive(1e5);
      if (random_.chance()) m.tangential_damping = random_.positive(100);
      model_.materials.push_back(m);
    }
    for (std::size_t i = 0, n = random_.below(6); i < n; ++i) {
      ContactShape s;
      s.name = random_.unused(random_.odd_name(i), model_.contacts);
      s.body = any_body();
      s.kind = static_cast<ContactShape::Kind>(random_.below(5));
      s.material = random_.chance() ? "mud" : "rock";
      s.touches_terrain =
          s.kind == ContactShape::Kind::box || s.kind == ContactShape::Kind::capsule || random_.chance();
      if (s.kind == ContactShape::Kind::points) {
        for (std::size_t k = 0, points = 1 + random_.below(3); k < points; ++k) s.points.push_back(random_.vector(1));
      } else if (s.kind == ContactShape::Kind::box) {
        s.size = {random_.positive(1), random_.positive(1), random_.positive(1)};
        s.X_BG = random_.pose(1);
      } else {
        s.radius = random_.positive(1);
        s.X_BG.p = random_.vector(1);
        if (s.kind == ContactShape::Kind::wheel) {
          s.X_BG = frame_at(s.X_BG.p, random_.vector(1) + Vec3d{0, 0, 3});
          if (random_.chance()) s.tyre = s.radius * 0.5;
        }
        if (s.kind == ContactShape::Kind::capsule) {
          s.length = 0.1 + random_.positive(1);
          s.X_BG = frame_at(s.X_BG.p, random_.vector(1) + Vec3d{0, 0, 3});
        }
      }
      model_.contacts.push_back(s);
    }
  }

  void add_impacts() {
    for (const ContactShape& shape : model_.contacts) {
      if (!random_.chance()) continue;
      Impact impact;
      impact.name = random_.unused(random_.odd_name(model_.impacts.size()), model_.impacts);
      impact.contact = shape.name;
      impact.restitution = random_.chance() ? 0.25 : 1;
      if (random_.chance()) impact.friction = random_.positive(1);
      impact.law = random_.chance() ? "stronge" : "newton";
      if (random_.chance()) impact.rest = random_.positive(0.1);
      model_.impacts.push_back(impact);
    }
    for (const Joint& joint : model_.joints) {
      if (nq(joint.type) != nv(joint.type) || nv(joint.type) == 0 || !random_.chance()) continue;
      Impact impact;
      impact.name = random_.unused(random_.odd_name(model_.impacts.size()), model_.impacts);
      impact.joint = joint.name;
      impact.dof = static_cast<int>(random_.below(static_cast<std::size_t>(nv(joint.type))));
      impact.side = static_cast<Impact::Side>(random_.below(3));
      if (random_.chance()) impact.rest = random_.positive(0.1);
      model_.impacts.push_back(impact);
    }
  }

  void add_events() {
    for (std::size_t i = 0, n = random_.below(3); i < n; ++i) {
      Event event;
      event.name = random_.unused(random_.odd_name(i), model_.events);
      event.when = random_function(random_, model_);
      if (event.when.is_of_time() && event.when.of_time.is_constant()) continue;
      event.when.of_time.unit = 1;
      event.direction = static_cast<Event::Direction>(random_.below(3));
      event.action = static_cast<Event::Action>(random_.below(5));
      if (event.action >= Event::Action::open) event.target = model_.joints[random_.below(model_.joints.size())].name;
      model_.events.push_back(event);
    }
  }

  void add_simulate() {
    if (random_.chance()) return;
    model_.simulate.until = random_.positive(10);
    model_.simulate.integrator = "semi-implicit";
    if (random_.chance())
      model_.simulate.step = random_.positive(0.01), model_.simulate.tolerance = random_.positive(1e-6);
    if (random_.chance()) model_.simulate.record_every = random_.positive(0.1), model_.simulate.stabilisation = "none";
  }

  RandomNumbers& random_;
  Model& model_;
};

}  // namespace

TimeFunction random_function(RandomNumbers& random) {
  if (random.chance()) return random.any(5);
  static const char* texts[] = {"5*sin(t)", "2*pi*t", "if(t < 1, 0, t^2)", "t", "-t + 1e-3*t", "max(t, 2) - 't'"};
  static const std::vector<std::string> variables{"t"};
  const Expression of_t = std::get<Expression>(Expression::parse(texts[random.below(6)], variables));
  return random.chance() ? TimeFunction(of_t) : TimeFunction(of_t, random.positive(3), random.chance() ? 60 : 0.001);
}

StateFunction random_function(RandomNumbers& random, const Model& model) {
  const std::vector<StateVariable> all = state_variables(model);
  if (all.empty() || random.chance()) return random_function(random);
  std::vector<StateFunction::Use> uses;
  std::vector<std::string> names{"t"};
  std::string text = "2*t";
  for (std::size_t i = 0, n = 1 + random.below(2); i < n; ++i) {
    const StateVariable& variable = all[random.below(all.size())];
    const auto same = [&](const StateVariable& v) { return v.name == variable.name; };
    const bool quotable = variable.name.find_first_of("'\"`\\") == std::string::npos;
    if (!quotable || std::find(names.begin(), names.end(), variable.name) != names.end()) continue;
    if (std::count_if(all.begin(), all.end(), same) > 1) continue;
    names.push_back(variable.name);
    uses.push_back({variable.name, random.chance() ? 1 : 0.25, -1});
    text += " + sin('" + variable.name + "')*3";
  }
  if (uses.empty()) return random_function(random);
  const Expression expression = std::get<Expression>(Expression::parse(text, names));
  return {TimeFunction(expression, random.chance() ? 1 : random.positive(3), random.chance() ? 1 : 60), uses};
}

void add_random_actuation(RandomNumbers& random, Model& model) { ActuationMaker(random, model).make(); }

}  // namespace trammel::test
