// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bars of one state are worked on side by side: none may notice the others.

#include <vector>

#include <gtest/gtest.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/readers.hpp>

#include "support/random.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

// The Aquarobot, every third body of which has two bars and a ball more, every fourth a centre of buoyancy of its own.
Model robot() {
  Model model = read_model(test::source_dir() + "/models/aquarobot_underwater.yaml").model;
  Shape more;
  more.kind = Shape::Kind::capsule;
  more.radius = 0.05, more.length = 0.3;
  more.X_BS = frame_at({0.1, 0.2, 0}, {0, 1, 1});
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    Hydrodynamics& h = *model.bodies[b].in_fluid;
    if (h.hull.empty()) continue;
    if (b % 4 == 0) h.buoyancy_at = Vec3d{0.1, 0, 0.05};
    if (b % 3 != 0) continue;
    HullPart part = h.hull.front();
    for (const auto kind : {Shape::Kind::capsule, Shape::Kind::sphere, Shape::Kind::cylinder}) {
      more.kind = kind;
      part.shape = more;
      h.hull.push_back(part);
    }
  }
  return model;
}

struct Felt {
  std::vector<ArticulatedInertia<double>> inertia;
  std::vector<Force<double>> bias;

  // With damping for a step of 10 ms. Of what was there before nothing stays.
  explicit Felt(const Model& model) {
    const Mechanism mech = compile(model).mechanism;
    Workspace ws(mech);
    FluidForces fluid(mech);
    inertia.assign(mech.bodies.size(), {Sym3d::diagonal(7), {}, Sym3d::diagonal(7)});
    bias.assign(mech.bodies.size(), {{7, 7, 7}, {}});
    State s = initial_state(mech);
    test::Random random(5);
    for (double& v : s.v) v = 0.5 * random.normal();
    compute_velocities(mech, ws, s.q, s.v);
    fluid.clear_and_add(mech, ws, s.t, inertia, bias, 0.01);
  }
};

std::vector<double> numbers(const Felt& felt, std::size_t b) {
  const auto* I = reinterpret_cast<const double*>(&felt.inertia[b]);
  const auto* p = reinterpret_cast<const double*>(&felt.bias[b]);
  std::vector<double> all(I, I + 21);
  all.insert(all.end(), p, p + 6);
  return all;
}

TEST(SideBySide, each_body_feels_what_it_feels_alone) {
  for (const double surface : {1e3, 0.7}) {
    Model model = robot();
    model.fluid.media.front().surface = surface;
    const Felt together(model);
    for (std::size_t alone = 0; alone < model.bodies.size(); alone += 5) {
      Model one = model;
      for (std::size_t b = 0; b < one.bodies.size(); ++b) one.bodies[b].in_fluid->acts = b == alone;
      const Felt felt(one);
      for (std::size_t b = 0; b < felt.bias.size(); ++b) {
        const std::vector<double> found = numbers(felt, b), expected = numbers(together, b);
        for (std::size_t k = 0; k < found.size(); ++k) {
          EXPECT_NEAR(found[k], b == alone ? expected[k] : 0, b == alone ? 1e-9 : 0) << b << ' ' << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace trammel
