// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Forward dynamics of closed mechanisms by each of our methods, beside the open tree with the same bodies and beside Simbody and MuJoCo
// where they are there: from coordinates and velocities to accelerations, one thread. Simbody agrees to 1e-8 (tests/peer_simbody). MuJoCo takes
// what `trammel convert` writes, at the design position, with its own solver and its soft loops; contacts are switched off. In lanes: 64 states
// near that position, time by the state.

#include <stdexcept>

#include <benchmark/benchmark.h>

#include <trammel/loop_batch.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/readers.hpp>

#ifdef TRAMMEL_SIMBODY
#include "peer_simbody/simbody_of_model.hpp"
#endif
#include "mujoco_run.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

Model three_arms() {
  test::Random random(7);
  Model model;
  add_body(model, "object", 2, random.vector(0.1), random.inertia_at_com(2));
  add_joint(model, "float", Free{}, "ground", "object", {});
  for (int k = 0; k < 3; ++k) {
    std::string before(ground_name);
    for (int i = 0; i < 6; ++i) {
      const std::string name = "arm " + std::to_string(k) + " link " + std::to_string(i);
      add_body(model, name, 1, random.vector(0.2), random.inertia_at_com(1), random.pose());
      add_joint(model, name, Revolute{}, before, name, random.pose());
      before = name;
    }
    add_joint(model, "tip " + std::to_string(k), Spherical{}, before, "object", random.pose()).cut = true;
  }
  return model;
}

Model scene(const std::string& name) {
  if (name == "three_arms") return three_arms();
  ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + name + ".yaml");
  if (!read.ok()) throw std::runtime_error(read.diagnostics.to_string());
  for (Joint& joint : read.model.joints) joint.properties = {};  // friction is not the same elsewhere
  return read.model;
}

struct Run {
  Model model;
  Mechanism mechanism;
  LoopDynamics dynamics;
  std::vector<double> q, v, tau, a;

  explicit Run(const std::string& name)
      : model(scene(name)),
        mechanism(compile(model).mechanism),
        dynamics(mechanism),
        q(design_state(mechanism).q),
        v(static_cast<std::size_t>(mechanism.nv), 0.3),
        tau(v.size()),
        a(v.size()) {
    dynamics.project_velocity(q, v);
  }
};

void ours(benchmark::State& state, const std::string& name, LoopMethod method) {
  Run r(name);
  for (auto _ : state) {
    if (!r.dynamics.forward(r.q, r.v, r.tau, r.a, {}, method).ok()) return state.SkipWithError("no answer");
    benchmark::DoNotOptimize(r.a.data());
  }
}
// Closed states that move as their loops allow.
void lanes(benchmark::State& state, const std::string& name) {
  constexpr int states = 64;
  Run r(name);
  LoopBatch batch(r.mechanism);
  LaneArray q(r.mechanism.nq, states), v(r.mechanism.nv, states), tau(r.mechanism.nv, states),
      a(r.mechanism.nv, states);
  test::Random random(5);
  for (int i = 0; i < states; ++i) {
    std::vector<double> step = random.normals(r.mechanism.nv, 0.02), moved = r.q,
                        speed = random.normals(r.mechanism.nv);
    r.dynamics.project_velocity(r.q, step);
    step_coordinates(r.mechanism, r.q, step, moved);
    if (!r.dynamics.project_position(moved).closed) return state.SkipWithError("does not close");
    r.dynamics.project_velocity(moved, speed);
    q.set(i, moved), v.set(i, speed);
  }
  for (auto _ : state) {
    batch.forward_dynamics(q, v, tau, a);
    benchmark::DoNotOptimize(a.block(0));
  }
  state.counters["per state"] =
      benchmark::Counter(states, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["alone"] = batch.one_by_one();
}
void open_tree(benchmark::State& state, const std::string& name) {
  Run r(name);
  Workspace ws(r.mechanism);
  for (auto _ : state) {
    forward_dynamics(r.mechanism, ws, r.q, r.v, r.tau, r.a);
    benchmark::DoNotOptimize(r.a.data());
  }
}
#ifdef TRAMMEL_SIMBODY
void simbody(benchmark::State& state, const std::string& name) {
  Run r(name);
  Workspace ws(r.mechanism);
  compute_velocities(r.mechanism, ws, r.q, r.v);
  test::SimbodyPeer peer(r.model, r.mechanism);
  peer.take(ws, std::vector<Force<double>>(r.mechanism.bodies.size()));
  for (auto _ : state) peer.solve();
}
#endif

#ifdef TRAMMEL_MUJOCO
void mujoco(benchmark::State& state, const std::string& name) {
  MujocoRun run(scene(name));
  for (auto _ : state) run.forward();
  state.counters["rows"] = run.rows();
}
#endif

const bool registered = [] {
  for (const std::string name : {"crank_rocker", "stewart", "delta", "hexapod", "three_arms"}) {
    const auto add = [&](const std::string& what, auto&& function) {
      benchmark::RegisterBenchmark((name + "/" + what).c_str(), function)->Unit(benchmark::kMicrosecond);
    };
    add("open tree", [name](benchmark::State& s) { open_tree(s, name); });
    add("lilly-orin", [name](benchmark::State& s) { ours(s, name, LoopMethod::star); });
    add("lanes", [name](benchmark::State& s) { lanes(s, name); });
    add("elimination", [name](benchmark::State& s) { ours(s, name, LoopMethod::elimination); });
    add("dense", [name](benchmark::State& s) { ours(s, name, LoopMethod::dense); });
#ifdef TRAMMEL_SIMBODY
    add("simbody", [name](benchmark::State& s) { simbody(s, name); });
#endif
#ifdef TRAMMEL_MUJOCO
    add("mujoco", [name](benchmark::State& s) { mujoco(s, name); });
#endif
  }
  return true;
}();

}  // namespace
}  // namespace trammel
