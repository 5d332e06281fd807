// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What water costs: one evaluation of forward dynamics, from coordinates and velocities to accelerations, dry and with all that the fluid
// does (added mass, buoyancy, strip drag in a current), one thread; one state, and in lanes by the state. Aquarobot has 28 bodies and 45
// freedoms; chains of 8 to 256 links show that time grows with their number. `deep`: the fluid has a surface, far above. Beside it, where it
// is there, MuJoCo on the same robot, dry and with its own model of fluids.

#include <stdexcept>

#include <benchmark/benchmark.h>

#include <trammel/batch.hpp>
#include <trammel/fluid_forces.hpp>
#include <trammel/readers.hpp>

#include "mujoco_run.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

Model read(const std::string& name) {
  ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + name + ".yaml");
  if (!read.ok()) throw std::runtime_error(read.diagnostics.to_string());
  return read.model;
}

Model chain(int links) {
  Model model;
  model.fluid.media = {{.density = 1000}};
  model.fluid.media[0].current.velocity = {0.3, 0, 0};
  std::string before(ground_name);
  for (int i = 0; i < links; ++i) {
    const std::string name = "link " + std::to_string(i);
    Shape bar;
    bar.kind = Shape::Kind::cylinder;
    bar.radius = 0.02, bar.length = 0.3;
    bar.X_BS = frame_at({0.15, 0, 0}, {1, 0, 0});
    Body& body = add_body(model, name, 1, {0.15, 0, 0}, {1e-3, 1e-2, 1e-2}, Transformd::translation({0.3 * i, 0, 0}));
    body.shapes = {bar};
    add_joint(model, name, Revolute{}, before, name,
              frame_at({0.3 * i, 0, 0}, i % 2 == 0 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}));
    before = name;
  }
  return model;
}

struct Run {
  Mechanism mech;
  Workspace ws;
  FluidForces fluid;
  std::vector<ArticulatedInertia<double>> inertia;
  std::vector<Force<double>> bias;
  State s;
  std::vector<double> tau, a;

  explicit Run(const Model& model)
      : mech(compile(model).mechanism),
        ws(mech),
        fluid(mech),
        inertia(mech.bodies.size()),
        bias(mech.bodies.size()),
        s(initial_state(mech)) {
    test::Random random(3);
    for (double& v : s.v) v = 0.5 * random.normal();
    tau.resize(s.v.size()), a.resize(s.v.size());
  }
  void dry() { forward_dynamics(mech, ws, s.q, s.v, tau, a); }
  void wet() {
    compute_velocities(mech, ws, s.q, s.v);
    fluid.clear_and_add(mech, ws, s.t, inertia, bias);
    forward_dynamics(mech, ws, s.q, s.v, tau, a,
                     {.inertia = inertia.data(), .bias = bias.data(), .after_velocities = true});
  }
  void fluid_alone() { fluid.clear_and_add(mech, ws, s.t, inertia, bias); }
};

// A batch of as many states as fill its blocks a few times over.
struct LaneRun {
  static constexpr int states = 64;
  Run one;
  Batch batch;
  FluidLanes fluid;
  LaneArray q, v, tau, a;

  explicit LaneRun(const Model& model)
      : one(model),
        batch(one.mech),
        fluid(one.mech),
        q(one.mech.nq, states),
        v(one.mech.nv, states),
        tau(one.mech.nv, states),
        a(one.mech.nv, states) {
    test::Random random(4);
    for (int i = 0; i < states; ++i) {
      std::vector<double> moved(one.s.q.size()), speed(one.s.v.size());
      for (double& x : speed) x = 0.3 * random.normal();
      step_coordinates(one.mech, one.s.q, speed, moved);
      q.set(i, moved);
      for (double& x : speed) x = 0.5 * random.normal();
      v.set(i, speed);
    }
  }
  void dry() { batch.forward_dynamics(q, v, tau, a); }
  void wet() { batch.forward_dynamics(q, v, tau, a, fluid); }
  static void count(benchmark::State& state) {
    state.counters["per state"] =
        benchmark::Counter(states, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  }
};

void aquarobot_dry(benchmark::State& state) {
  Run run(read("aquarobot_underwater"));
  for (auto _ : state) run.dry(), benchmark::DoNotOptimize(run.a.data());
}
void aquarobot_in_water(benchmark::State& state) {
  Run run(read("aquarobot_underwater"));
  for (auto _ : state) run.wet(), benchmark::DoNotOptimize(run.a.data());
}
void aquarobot_fluid_alone(benchmark::State& state) {
  Run run(read("aquarobot_underwater"));
  run.wet();
  for (auto _ : state) run.fluid_alone(), benchmark::DoNotOptimize(run.bias.data());
}
Model aquarobot_deep() {
  Model model = read("aquarobot_underwater");
  model.fluid.media.front().surface = 100;
  return model;
}
void aquarobot_deep_below_a_surface(benchmark::State& state) {
  Run run(aquarobot_deep());
  for (auto _ : state) run.wet(), benchmark::DoNotOptimize(run.a.data());
}
void aquarobot_dry_in_lanes(benchmark::State& state) {
  LaneRun run(read("aquarobot_underwater"));
  for (auto _ : state) run.dry(), benchmark::DoNotOptimize(run.a.block(0));
  LaneRun::count(state);
}
void aquarobot_in_water_in_lanes(benchmark::State& state) {
  LaneRun run(read("aquarobot_underwater"));
  for (auto _ : state) run.wet(), benchmark::DoNotOptimize(run.a.block(0));
  LaneRun::count(state);
}
void aquarobot_deep_in_lanes(benchmark::State& state) {
  LaneRun run(aquarobot_deep());
  for (auto _ : state) run.wet(), benchmark::DoNotOptimize(run.a.block(0));
  LaneRun::count(state);
}
void chain_in_water(benchmark::State& state) {
  Run run(chain(static_cast<int>(state.range(0))));
  for (auto _ : state) run.wet(), benchmark::DoNotOptimize(run.a.data());
  state.counters["per link"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
#ifdef TRAMMEL_MUJOCO
// Its water is drag alone, on boxes: no added mass, no current's acceleration, no strips.
void aquarobot_by_mujoco(benchmark::State& state, double density) {
  MujocoRun run(read("aquarobot_underwater"));
  if (density > 0) run.fill_with_water(density);
  run.leave_out_constraints();
  run.set_velocities(0.3);
  for (auto _ : state) run.forward();
  state.counters["freedoms"] = run.nv();
}
BENCHMARK_CAPTURE(aquarobot_by_mujoco, dry, 0.0);
BENCHMARK_CAPTURE(aquarobot_by_mujoco, in_water, 1025.0);
#endif
BENCHMARK(aquarobot_dry);
BENCHMARK(aquarobot_in_water);
BENCHMARK(aquarobot_fluid_alone);
BENCHMARK(aquarobot_deep_below_a_surface);
BENCHMARK(aquarobot_dry_in_lanes);
BENCHMARK(aquarobot_in_water_in_lanes);
BENCHMARK(aquarobot_deep_in_lanes);
BENCHMARK(chain_in_water)->RangeMultiplier(2)->Range(8, 256);

}  // namespace
}  // namespace trammel
