// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Drag beside MuJoCo (2.2.2). Its medium with a density pushes every body as the box that has the body's inertia: each face by
// ½ ρ A |v| v, turning by its strips. Our boxes with a coefficient of 1 do the same; added mass and buoyancy, which MuJoCo does not have in
// that model, are switched off.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/readers.hpp>

#include "support/random.hpp"

namespace trammel::test {
namespace {

struct Link {
  const char* joint;
  double mass;
  Vec3d edges, com;
};
const std::vector<Link> links{
    {"<joint name='j0' type='slide' axis='1 0 0'/>", 2, {0.3, 0.2, 0.1}, {0.05, 0, 0.02}},
    {"<joint name='j1' type='hinge' axis='0 0 1'/>", 1.5, {0.4, 0.1, 0.15}, {0.1, 0.02, 0}},
    {"<joint name='j2' type='hinge' axis='0 1 0'/>", 1, {0.25, 0.3, 0.05}, {0.1, 0, -0.03}},
    {"<joint name='j3' type='hinge' axis='1 0 0'/>", 0.7, {0.2, 0.22, 0.31}, {0.02, 0.1, 0.1}},
};

std::string mjcf(double density) {
  std::string open, close;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& l = links[i];
    const Vec3d& e = l.edges;
    const double k = l.mass / 12;
    open += fmt::format(
        "<body name='b{}' pos='0.2 0.1 0'>{}<inertial pos='{} {} {}' mass='{}' diaginertia='{:.17g} {:.17g} {:.17g}'/>",
        i, l.joint, l.com.x, l.com.y, l.com.z, l.mass, k * (e.y * e.y + e.z * e.z), k * (e.x * e.x + e.z * e.z),
        k * (e.x * e.x + e.y * e.y));
    close += "</body>";
  }
  return fmt::format("<mujoco><option gravity='0 0 -9.81' density='{}'/><worldbody>{}{}</worldbody></mujoco>", density,
                     open, close);
}

TEST(FluidBesideMuJoCo, drags_boxes_alike) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("trammel_fluid_{}.xml", getpid());
  std::ofstream(path) << mjcf(1000);
  char error[1000] = "";
  mjModel* m = mj_loadXML(path.c_str(), nullptr, error, sizeof(error));
  std::filesystem::remove(path);
  ASSERT_NE(m, nullptr) << error;
  mjData* d = mj_makeData(m);

  ReadResult read = read_mjcf(mjcf(0), "dry.xml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  Model& model = read.model;
  model.fluid.media = {{.density = 1000}};
  for (std::size_t i = 0; i < links.size(); ++i) {
    HullPart part;
    part.shape.kind = Shape::Kind::box;
    part.shape.size = links[i].edges;
    part.shape.X_BS.p = model.bodies[i].com;
    part.drag = 1;
    Hydrodynamics& h = *model.bodies[i].in_fluid;
    h.hull = {part};
    h.hull_added_mass = false;
    h.volume = 0;
  }
  const Mechanism mech = compile(model).mechanism;
  ASSERT_EQ(mech.nv, m->nv);
  Workspace ws(mech);
  FluidForces fluid(mech);
  std::vector<ArticulatedInertia<double>> inertia(mech.bodies.size());
  std::vector<Force<double>> bias(mech.bodies.size());
  Random random(5);
  double worst = 0;
  for (int round = 0; round < 50; ++round) {
    const std::vector<double> q = random.normals(mech.nv), v = random.normals(mech.nv, 2),
                              tau = random.normals(mech.nv);
    for (int k = 0; k < mech.nv; ++k) {
      const auto i = static_cast<std::size_t>(k);
      d->qpos[k] = q[i], d->qvel[k] = v[i], d->qfrc_applied[k] = tau[i];
    }
    mj_forward(m, d);
    std::vector<double> a(v.size());
    compute_velocities(mech, ws, q, v);
    fluid.clear_and_add(mech, ws, 0, inertia, bias);
    ASSERT_TRUE(forward_dynamics(mech, ws, q, v, tau, a, {.inertia = inertia.data(), .bias = bias.data()}).ok());
    double size = 1;
    for (const double x : a) size = std::max(size, std::abs(x));
    for (int k = 0; k < mech.nv; ++k)
      worst = std::max(worst, std::abs(a[static_cast<std::size_t>(k)] - d->qacc[k]) / size);
  }
  EXPECT_LT(worst, 1e-10);
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  mj_deleteData(d);
  mj_deleteModel(m);
}

}  // namespace
}  // namespace trammel::test
