// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A table with four feet falls onto a floor here and in MuJoCo: the fall is the same while nothing touches, and both floors carry its weight in the
// end. How they touch differs: MuJoCo's contacts are soft constraints scaled by mass, ours are springs with losses.

#include <cmath>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

namespace trammel::test {
namespace {

constexpr const char* ours = R"(
trammel: 1
bodies: {table: {pose: [0, 0, 1], mass: 3, inertia: [0.1, 0.15, 0.2]}}
joints: {base: {free: [ground, table]}}
initial: {base: {v: [0.2, 0.1, 0.3, 0.1, 0, 0]}}
environment: {terrain: {plane: z, material: floor}}
materials: {floor: {stiffness: 20000, dissipation: 1, friction: 0.7}}
contacts:
  a: {sphere: 0.05, at: [0.4, 0.3, -0.3], on: table, in: table}
  b: {sphere: 0.05, at: [0.4, -0.3, -0.3], on: table, in: table}
  c: {sphere: 0.05, at: [-0.4, 0.3, -0.3], on: table, in: table}
  d: {sphere: 0.05, at: [-0.4, -0.3, -0.3], on: table, in: table}
)";
constexpr const char* theirs = R"(<mujoco><option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/><worldbody>
<geom type="plane" size="5 5 1" friction="0.7"/>
<body pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="3" diaginertia="0.1 0.15 0.2"/>
<geom type="sphere" size="0.05" pos="0.4 0.3 -0.3"/><geom type="sphere" size="0.05" pos="0.4 -0.3 -0.3"/>
<geom type="sphere" size="0.05" pos="-0.4 0.3 -0.3"/><geom type="sphere" size="0.05" pos="-0.4 -0.3 -0.3"/></body>
</worldbody></mujoco>)";

struct Peer {
  mjModel* m = nullptr;
  mjData* d = nullptr;

  explicit Peer(const char* text) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(std::strlen(text)));
    std::memcpy(files->filedata[0], text, std::strlen(text));
    char message[1000] = "";
    m = mj_loadXML("model.xml", files.get(), message, sizeof message);
    mj_deleteVFS(files.get());
    EXPECT_NE(m, nullptr) << message;
    d = mj_makeData(m);
  }
  ~Peer() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void run(double until) {
    while (d->time < until - 1e-9) mj_step(m, d);
  }
  double carried() const {
    double sum = 0;
    for (int i = 0; i < d->ncon; ++i) {
      mjtNum force[6];
      mj_contactForce(m, d, i, force);
      sum += force[0];
    }
    return sum;
  }
};

TEST(ContactPeer, a_table_falls_and_stands_as_in_mujoco) {
  const ReadResult read = read_yaml(ours, "table.yaml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  const CompileResult compiled = compile(read.model);
  ASSERT_TRUE(compiled.ok());
  Simulation simulation(compiled.mechanism, {.until = 6, .tolerance = 1e-12});
  Peer peer(theirs);
  // Angular velocities are the body's own in both; linear ones the world's there, the same at first.
  const mjtNum v[6] = {0.1, 0, 0, 0.2, 0.1, 0.3};
  std::memcpy(peer.d->qvel, v, sizeof v);

  ASSERT_TRUE(simulation.run(0.3).ok());
  peer.run(0.3);
  const std::vector<double>& q = simulation.state().q;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(q[static_cast<std::size_t>(4 + i)] + (i == 2 ? 1 : 0), peer.d->qpos[i], 1e-9);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(q[static_cast<std::size_t>(i)], peer.d->qpos[3 + i], 1e-9);

  Simulation standing(compiled.mechanism, {.until = 6, .step = 1e-3, .integrator = Integrator::implicit});
  ASSERT_TRUE(standing.run().ok());
  peer.run(6);
  double carried = 0;
  for (const ContactState& c : standing.contacts()) carried += c.normal;
  EXPECT_NEAR(carried, 3 * 9.81, 3e-5);
  EXPECT_NEAR(peer.carried(), 3 * 9.81, 1e-3);
  EXPECT_NEAR(standing.state().q[6] + 1, peer.d->qpos[2], 2e-3);  // 0.35 m, less how deep each floor lets it sink
}

}  // namespace
}  // namespace trammel::test
