// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A body that is thrown onto the ground, of a random kind, and what must hold while it tumbles.

#include "simulation/scenes.hpp"
#include "support/random.hpp"

namespace trammel::test {

inline ContactMaterial floor_material(Random& random) {
  ContactMaterial m;
  m.name = "floor";
  m.stiffness = std::pow(10, random.uniform(3.5, 5));
  m.dissipation = random.uniform(0, 1.5);
  m.friction_kinetic = random.uniform(0.1, 0.8);
  m.friction_static = m.friction_kinetic * random.uniform(1, 1.4);
  m.tangential_stiffness = m.stiffness * random.uniform(0.5, 1);
  m.tangential_damping = std::sqrt(*m.tangential_stiffness) * random.uniform(0.5, 2);
  return m;
}

// A free body with points, a sphere or a wheel above a plane, which meets it moving and turning; a second body hangs on it by a hinge.
inline Model thrown(std::uint64_t seed) {
  Random random(seed);
  Model model;
  model.terrain.kind = Terrain::Kind::plane;
  model.terrain.material = "floor";
  model.materials = {floor_material(random)};
  add_body(model, "box", 2, {}, Sym3d{0.02, 0.03, 0.025, 0, 0, 0}, {Mat3d::identity(), {0, 0, 0.35}});
  add_body(model, "arm", 0.5, {0.1, 0, 0.05}, Sym3d{0.002, 0.003, 0.003, 0, 0, 0}, {Mat3d::identity(), {0, 0, 0.35}});
  Joint& base = add_joint(model, "base", Free{}, "ground", "box", {Mat3d::identity(), {0, 0, 0.35}});
  base.v_initial = {random.normal(), random.normal(), random.normal(),
                    random.normal(), random.normal(), -random.unit()};
  add_joint(model, "hinge", Revolute{}, "box", "arm", frame_at({0, 0, 0.4}, {0, 1, 0.3}));
  ContactShape shape;
  shape.name = "skin";
  shape.body = "box";
  const int kind = random.integer(0, 2);
  if (kind == 0) {
    for (const double x : {-0.2, 0.2}) {
      for (const double y : {-0.1, 0.15}) {
        for (const double z : {-0.1, 0.1}) shape.points.push_back({x, y, z});
      }
    }
  } else {
    shape.kind = kind == 1 ? ContactShape::Kind::sphere : ContactShape::Kind::wheel;
    shape.radius = 0.2;
    shape.tyre = 0.05;
    shape.X_BG = frame_at({0.02, 0, 0}, {0.1, 1, 0.2});
  }
  model.contacts = {shape};
  return model;
}

// The whole of a model, its terrain too, seen from elsewhere.
inline Model seen_from(Model model, const Transformd& X) {
  for (Body& body : model.bodies) body.X_WB = X * body.X_WB;
  for (Joint& joint : model.joints) {
    if (joint.first == ground_name) joint.X_AF = X * joint.X_AF;
  }
  model.gravity = X.R * model.gravity;
  model.terrain.X_WT = X * model.terrain.X_WT;
  return model;
}

// Friction within its cone and in the surface, normal forces that push, losses that only grow, an audit that closes. Empty where all holds.
inline std::string what_breaks_the_law(std::uint64_t seed) {
  const Model model = thrown(seed);
  const Mechanism mech = compiled(model);
  const ContactMaterial& m = model.materials[0];
  SimulationOptions options{.until = 0.6, .tolerance = 1e-9, .integrator = Integrator::erk, .record_every = 0.005};
  Simulation* running = nullptr;
  double lost = 0;
  bool touched = false;
  std::string broken;
  const auto hold = [&broken](bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  };
  options.record = [&](const Moment&) {
    if (running == nullptr) return;
    for (const ContactState& c : running->contacts()) {
      touched = touched || c.mode != ContactState::Mode::open;
      const double size = norm(c.friction_W);
      const double most = c.mode == ContactState::Mode::slips ? m.friction_kinetic : m.friction_static;
      hold(c.normal >= 0, "a contact pulls");
      hold(size <= most * c.normal * (1 + 1e-6) + 1e-6, "friction is beyond its cone");
      hold(std::abs(dot(c.friction_W, c.normal_W)) < 1e-9 * (1 + size), "friction leaves the surface");
    }
    const EnergyAudit audit = running->energy();
    hold(audit.dissipated >= lost - 1e-7, "losses are undone");
    hold(std::abs(audit.error) < 1e-5, "the audit does not close");
    lost = audit.dissipated;
  };
  Simulation simulation(mech, options);
  running = &simulation;
  hold(simulation.run().ok(), "the run fails");
  hold(touched, "nothing touches");
  return broken;
}

// The error of implicit steps shrinks with the step.
inline void expect_approach(std::uint64_t seed) {
  const Mechanism mech = compiled(thrown(seed));
  const std::vector<double> exact = end_of(mech, {.until = 0.3, .tolerance = 1e-9, .integrator = Integrator::erk});
  const double coarse = distance(end_of(mech, {.until = 0.3, .step = 1e-4, .integrator = Integrator::implicit}), exact);
  const double fine = distance(end_of(mech, {.until = 0.3, .step = 2e-5, .integrator = Integrator::implicit}), exact);
  EXPECT_LT(fine, 0.5 * coarse + 1e-4) << seed;
  EXPECT_LT(fine, 0.02) << seed;
}

}  // namespace trammel::test
