// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Motions over one second beside MuJoCo (Debian's libmujoco-dev 2.2.2): ours with error control at a tight tolerance, MuJoCo's RK4 with
// fine steps. An arm whose servos follow sines, once as these tests hand it to MuJoCo and once as write_mjcf writes it; a quadruped that
// falls and turns. Where the two differ by more than rounding it must be the error of MuJoCo's step: it goes with a power of it.

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

#include "peer/comparison.hpp"
#include "peer/mjcf_of_model.hpp"
#include "peer/servo_arm.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

constexpr double bound = 1e-8, until = 1;

// Stops are taken away, which MuJoCo has as soft constraints.
Model arm_with_servos(const std::string& name, const std::vector<double>& pose) {
  Model model = shipped_model(name);
  for (Joint& joint : model.joints) joint.properties.lower.clear(), joint.properties.upper.clear();
  return with_servos(model, pose,
                     {.stiffness = 100, .damping = 10, .far_stiffness = 20, .far_damping = 1, .gear_growth = 0.1});
}

State ours_at_end(const Mechanism& mech, const State& start) {
  Simulation simulation(mech, {.until = until, .tolerance = 1e-12}, start);
  const SimulationReport report = simulation.run();
  EXPECT_TRUE(report.ok()) << report.text;
  return simulation.state();
}

// MuJoCo's state after `until` seconds in steps of h, from one in its own coordinates.
struct PeerState {
  Eigen::VectorXd q, v;
};
PeerState peers_at_end(mjModel* m, mjData* d, const PeerState& start, double h) {
  mj_resetData(m, d);
  m->opt.integrator = mjINT_RK4;
  m->opt.timestep = h;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = start.q;
  Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = start.v;
  mjcb_control = m->nu > 0 ? follow_servo_waves : nullptr;
  const auto steps = static_cast<long>(std::lround(until / h));
  for (long i = 0; i < steps; ++i) mj_step(m, d);
  mjcb_control = nullptr;
  return {Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq), Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv)};
}

// Coordinates and velocities; a quaternion and its opposite are the same.
Comparison difference(const mjModel* m, PeerState ours, const PeerState& peers) {
  for (int j = 0; j < m->njnt; ++j) {
    const int at = m->jnt_qposadr[j] + (m->jnt_type[j] == mjJNT_FREE ? 3 : 0);
    if (m->jnt_type[j] != mjJNT_FREE && m->jnt_type[j] != mjJNT_BALL) continue;
    if (ours.q.segment<4>(at).dot(peers.q.segment<4>(at)) < 0) ours.q.segment<4>(at) *= -1;
  }
  Comparison errors;
  errors.add("coordinates", ours.q, peers.q);
  errors.add("velocities", ours.v, peers.v);
  return errors;
}

// `order` is that of MuJoCo's rule, seen by halving a coarse step.
void compare_motion(const Model& model, const std::string& name, const State& start, double step, int order) {
  const Mechanism mech = compiled(model);
  MujocoPeer peer(model);
  const auto in_peers = [&](const State& state) {
    const CoordinateMap map = peer.map(mech, state.q, state.v);
    return PeerState{map.q, map.T * as_vector(state.v)};
  };
  const PeerState end = in_peers(ours_at_end(mech, start));
  const PeerState first = in_peers(start);
  EXPECT_GT((end.q - first.q).norm(), 0.3);  // it moves
  const auto at_step = [&](double h) {
    return difference(peer.model(), end, peers_at_end(peer.model(), peer.data(), first, h));
  };
  at_step(1e-4).report_and_judge("MuJoCo", name + ", 1 s", bound);
  const double coarse = at_step(step).worst("coordinates"), fine = at_step(step / 2).worst("coordinates");
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << coarse << ' ' << fine;
}

TEST(SimulationBesideMujoco, arm_with_servos) {
  const Model model = arm_with_servos("arm7", {0.2, -0.4, 0.3, -1.5, 0.1, 1.2, 0.5});
  compare_motion(model, "arm7 servos", design_state(compiled(model)), 5e-4, 4);
}

TEST(SimulationBesideMujoco, arm_with_rotors_and_servos) {
  const Model model = arm_with_servos("puma560", {0.2, -0.4, 0.3, -0.5, 0.1, 0.4});
  compare_motion(model, "puma560 servos", design_state(compiled(model)), 4e-3, 4);
}

// MuJoCo's RK4 is of second order in quaternions: it turns them by the mean of the stages' angular velocities.
TEST(SimulationBesideMujoco, quadruped_that_falls_and_turns) {
  const Model model = shipped_model("quadruped");
  const Mechanism mech = compiled(model);
  State start = design_state(mech);
  Random random(11);
  for (double& v : start.v) v = random.normal();
  compare_motion(model, "quadruped falling", start, 4e-3, 2);
}

// The servos as write_mjcf has them, read by MuJoCo. Inertias are about the axes of the bodies: MuJoCo 2.2.2 turns others to nine digits
// only.
TEST(SimulationBesideMujoco, arm_with_servos_as_written) {
  Model model = arm_with_servos("arm7", {0.2, -0.4, 0.3, -1.5, 0.1, 1.2, 0.5});
  for (Body& body : model.bodies) body.inertia.xy = body.inertia.xz = body.inertia.yz = 0;
  const WriteResult written = write_mjcf(model);
  ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
  const auto file = std::filesystem::temp_directory_path() / fmt::format("trammel_servos_{}.xml", getpid());
  std::ofstream(file) << written.text;
  char message[1000] = "";
  mjModel* m = mj_loadXML(file.c_str(), nullptr, message, sizeof message);
  std::filesystem::remove(file);
  ASSERT_NE(m, nullptr) << message;
  mjData* d = mj_makeData(m);
  const Mechanism mech = compiled(model);
  const State start = design_state(mech), end = ours_at_end(mech, start);
  PeerState first{Eigen::Map<Eigen::VectorXd>(m->qpos0, m->nq), Eigen::VectorXd::Zero(m->nv)};
  const PeerState ours{first.q + as_vector(end.q), as_vector(end.v)};
  // Names of joints stand in the same order on both sides.
  ASSERT_EQ(m->nu, 7);
  difference(m, ours, peers_at_end(m, d, first, 1e-4)).report_and_judge("MuJoCo", "arm7 as written", bound);
  // Read back, it moves as the model does; targets over time are not in the file.
  ReadResult read = read_mjcf(written.text, "written.xml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  ASSERT_EQ(read.model.actuators.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) read.model.actuators[i].target = model.actuators[i].target;
  const Mechanism again = compiled(read.model);
  const State same = ours_at_end(again, design_state(again));
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(same.q[i], end.q[i], 1e-10) << i;
  mj_deleteData(d);
  mj_deleteModel(m);
}

}  // namespace
}  // namespace trammel::test
