// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel bench: how long each algorithm takes on the user's own model, for one state after another and for states side
// by side in SIMD lanes. One thread; random states; sines, cosines and positions are part of every call.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/batch.hpp>
#include <trammel/derivatives.hpp>
#include <trammel/loop_batch.hpp>
#include <trammel/loop_dynamics.hpp>

#include "read_options.hpp"
#include "session.hpp"
#include "stopwatch.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

struct BenchOptions {
  std::string model;
  LoadOptions load;
  double seconds = 0.2;  // per algorithm and way of running it
  bool json = false;
};

constexpr int most_states = 64;
constexpr double most_matrix_bytes = 256e6;  // all matrices that are written at once, three a state

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The states, one by one and side by side, and room for every result.
class Workload {
 public:
  explicit Workload(const Mechanism& mechanism)
      : mech_(mechanism),
        states_(states_that_fit(mechanism)),
        tip_(mechanism.bodies_base_to_tip.back()),
        ws_(mechanism),
        batch_(mechanism),
        rows_(at(states_)),
        vector_(at(mechanism.nv)),
        jacobian_(6 * at(mechanism.nv)),
        lanes_q_(mechanism.nq, states_),
        lanes_v_(mechanism.nv, states_),
        lanes_a_(mechanism.nv, states_),
        lanes_vector_(mechanism.nv, states_),
        lanes_jacobian_(6 * mechanism.nv, states_),
        lanes_pose_(12, states_) {
    std::mt19937_64 random(1);
    for (int i = 0; i < states_; ++i) put_random_state(i, random);
    if (!has_matrix()) return;
    for (std::vector<double>& matrix : matrices_) matrix.resize(matrix_size());
    for (LaneArray& matrix : lanes_matrices_) matrix = LaneArray(mechanism.nv * mechanism.nv, states_);
  }

  int states() const { return states_; }
  // False where the mass matrices would not fit into memory.
  bool has_matrix() const { return states_ * matrix_bytes(mech_) <= most_matrix_bytes; }

  Job one_state(const std::function<void(Workload&, int)>& call) {
    return {[this, call](int first, int count) {
              for (int i = first; i < first + count; ++i) call(*this, i % states_);
            },
            1};
  }
  Job lanes(const std::function<void(Workload&)>& call) {
    return {[this, call](int, int count) {
              for (int done = 0; done < count; done += states_) call(*this);
            },
            states_};
  }

  void forward(int i) { forward_dynamics(mech_, ws_, rows_[at(i)].q, rows_[at(i)].v, rows_[at(i)].a, vector_); }
  void inverse(int i) { inverse_dynamics(mech_, ws_, rows_[at(i)].q, rows_[at(i)].v, rows_[at(i)].a, vector_); }
  void mass(int i) { mass_matrix(mech_, ws_, rows_[at(i)].q, matrices_[0]); }
  void forward_derivatives(int i) {
    forward_dynamics_derivatives<double>(mech_, ws_, rows_[at(i)].q, rows_[at(i)].v, rows_[at(i)].a, vector_,
                                         {matrices_[0], matrices_[1], matrices_[2]});
  }
  void inverse_derivatives(int i) {
    inverse_dynamics_derivatives<double>(mech_, ws_, rows_[at(i)].q, rows_[at(i)].v, rows_[at(i)].a, vector_,
                                         {matrices_[0], matrices_[1], matrices_[2]});
  }
  void positions(int i) { compute_positions(mech_, ws_, rows_[at(i)].q); }
  void jacobian(int i) {
    compute_positions(mech_, ws_, rows_[at(i)].q);
    jacobian_W(mech_, ws_, tip_, {}, jacobian_);
  }

  void lanes_forward() { batch_.forward_dynamics(lanes_q_, lanes_v_, lanes_a_, lanes_vector_); }
  void lanes_inverse() { batch_.inverse_dynamics(lanes_q_, lanes_v_, lanes_a_, lanes_vector_); }
  void lanes_mass() { batch_.mass_matrix(lanes_q_, lanes_matrices_[0]); }
  void lanes_forward_derivatives() {
    batch_.forward_dynamics_derivatives(lanes_q_, lanes_v_, lanes_a_, lanes_vector_, lanes_matrices_[0],
                                        lanes_matrices_[1], lanes_matrices_[2]);
  }
  void lanes_inverse_derivatives() {
    batch_.inverse_dynamics_derivatives(lanes_q_, lanes_v_, lanes_a_, lanes_vector_, lanes_matrices_[0],
                                        lanes_matrices_[1], lanes_matrices_[2]);
  }
  void lanes_positions() { batch_.poses_WB(lanes_q_, tip_, lanes_pose_); }
  void lanes_jacobian() { batch_.jacobians_W(lanes_q_, tip_, {}, lanes_jacobian_); }

 private:
  struct Row {
    std::vector<double> q, v, a;  // a serves as joint forces too
  };

  static double matrix_bytes(const Mechanism& mechanism) { return 3 * 8.0 * mechanism.nv * mechanism.nv; }
  std::size_t matrix_size() const { return at(mech_.nv) * at(mech_.nv); }

  // As many blocks of lanes as give 64 states, fewer where the mass matrices are large.
  static int states_that_fit(const Mechanism& mechanism) {
    const int most = std::max(most_states / lane_count(), 1);
    const double blocks = most_matrix_bytes / (matrix_bytes(mechanism) * lane_count());
    return lane_count() * std::max(1, static_cast<int>(std::min<double>(most, blocks)));
  }

  void put_random_state(int i, std::mt19937_64& random) {
    // In ±1, written out since the standard library's distributions differ between libraries.
    const auto numbers = [&random, this] {
      std::vector<double> list(at(mech_.nv));
      for (double& x : list) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      return list;
    };
    Row& row = rows_[at(i)];
    row.q.resize(at(mech_.nq));
    step_coordinates(mech_, design_state(mech_).q, numbers(), row.q);
    row.v = numbers();
    row.a = numbers();
    lanes_q_.set(i, row.q), lanes_v_.set(i, row.v), lanes_a_.set(i, row.a);
  }

  const Mechanism& mech_;
  int states_, tip_;
  Workspace ws_;
  Batch batch_;
  std::vector<Row> rows_;
  std::vector<double> vector_, jacobian_;
  std::array<std::vector<double>, 3> matrices_;
  LaneArray lanes_q_, lanes_v_, lanes_a_, lanes_vector_, lanes_jacobian_, lanes_pose_;
  std::array<LaneArray, 3> lanes_matrices_{LaneArray(0, 0), LaneArray(0, 0), LaneArray(0, 0)};
};

struct Measured {
  const char* key;
  const char* title;
  Timing one_state, lanes;  // without turns: left out
};

std::vector<Measured> measure(Workload& work, double seconds) {
  using W = Workload;
  struct Algorithm {
    const char *key, *title;
    void (W::*one)(int);
    void (W::*lanes)();
  };
  constexpr Algorithm algorithms[] = {
      {"forward", "forward dynamics", &W::forward, &W::lanes_forward},
      {"inverse", "inverse dynamics", &W::inverse, &W::lanes_inverse},
      {"mass", "mass matrix", &W::mass, &W::lanes_mass},
      {"forward_derivatives", "derivatives of forward dynamics", &W::forward_derivatives,
       &W::lanes_forward_derivatives},
      {"inverse_derivatives", "derivatives of inverse dynamics", &W::inverse_derivatives,
       &W::lanes_inverse_derivatives},
      {"jacobian", "Jacobian of the last body", &W::jacobian, &W::lanes_jacobian},
      {"positions", "positions of all bodies", &W::positions, &W::lanes_positions},
  };
  std::vector<Measured> results;
  for (const Algorithm& algorithm : algorithms) {
    results.push_back({algorithm.key, algorithm.title, {}, {}});
    const bool writes_matrix = algorithm.one == &W::mass || algorithm.one == &W::forward_derivatives ||
                               algorithm.one == &W::inverse_derivatives;
    if (writes_matrix && !work.has_matrix()) continue;
    const std::vector<Timing> timings =
        time_in_turns({work.one_state(std::mem_fn(algorithm.one)), work.lanes(std::mem_fn(algorithm.lanes))},
                      {.seconds_per_job = seconds});
    results.back().one_state = timings[0];
    results.back().lanes = timings[1];
  }
  return results;
}

// With its loops and couplings, from velocities that they allow at the position as drawn.
Measured measure_loops(const Mechanism& mechanism, double seconds) {
  LoopDynamics loops(mechanism);
  State state = design_state(mechanism);
  std::vector<double> a(at(mechanism.nv)), forces(at(mechanism.nv), 0.1);
  loops.project_position(state.q);
  std::fill(state.v.begin(), state.v.end(), 0.1);
  loops.project_velocity(state.q, state.v);
  const auto call = [&](int, int count) {
    for (int i = 0; i < count; ++i) loops.forward(state.q, state.v, forces, a);
  };
  const int states = most_states;
  LoopBatch batch(mechanism);
  LaneArray lanes_q(mechanism.nq, states), lanes_v(mechanism.nv, states), lanes_forces(mechanism.nv, states),
      lanes_a(mechanism.nv, states);
  for (int i = 0; i < states; ++i) lanes_q.set(i, state.q), lanes_v.set(i, state.v), lanes_forces.set(i, forces);
  const auto in_lanes = [&](int, int count) {
    for (int done = 0; done < count; done += states) {
      batch.forward_dynamics(lanes_q, lanes_v, lanes_forces, lanes_a);
    }
  };
  std::vector<Job> jobs{{call, 1}};
  if (batch.why_no_lanes().empty()) jobs.push_back({in_lanes, states});
  const std::vector<Timing> timings = time_in_turns(jobs, {.seconds_per_job = seconds});
  return {"forward_with_loops", "forward dynamics with loops", timings[0], timings.size() > 1 ? timings[1] : Timing{}};
}

bool is_wet(const Mechanism& mechanism) { return !mechanism.hydrodynamics.empty(); }

ordered_json timing_json(const Timing& timing, int links) {
  if (timing.turns == 0) return nullptr;
  return {{"ns", timing.least_ns},
          {"ns_per_link", timing.least_ns / links},
          {"median_ns", timing.median_ns},
          {"turns", timing.turns}};
}

void print_json(const Mechanism& mechanism, const Workload& work, const std::vector<Measured>& results) {
  ordered_json report{{"model", mechanism.name},
                      {"file", mechanism.file},
                      {"links", mechanism.link_count()},
                      {"nv", mechanism.nv},
                      {"kernel_level", kernel_level()},
                      {"lanes", lane_count()},
                      {"states", work.states()},
                      {"spanning_tree", !mechanism.is_tree()},
                      {"without_fluid", is_wet(mechanism)},
                      {"algorithms", ordered_json::object()}};
  for (const Measured& m : results) {
    report["algorithms"][m.key] = {{"one_state", timing_json(m.one_state, mechanism.link_count())},
                                   {"lanes", timing_json(m.lanes, mechanism.link_count())}};
  }
  fmt::print("{}\n", report.dump(2));
}

void print_text(const Mechanism& mechanism, const Workload& work, const std::vector<Measured>& results) {
  const int links = mechanism.link_count();
  fmt::print("{}  {}\n", heading(mechanism.name), mechanism.file);
  fmt::print("  {} moving links, {} freedoms; kernels for {}, {} states side by side in lanes\n\n", links, mechanism.nv,
             kernel_level(), lane_count());
  Table table({"", "one state, ns", "per link", "in lanes, ns a state", "per link", "gain"});
  for (const Measured& m : results) {
    if (m.one_state.turns == 0) {
      table.add({m.title, "-", "-", "-", "-", "-"});
      continue;
    }
    const bool in_lanes = m.lanes.turns > 0;
    table.add({m.title, fmt::format("{:.0f}", m.one_state.least_ns),
               fmt::format("{:.1f}", m.one_state.least_ns / links),
               in_lanes ? fmt::format("{:.1f}", m.lanes.least_ns) : "-",
               in_lanes ? fmt::format("{:.2f}", m.lanes.least_ns / links) : "-",
               in_lanes ? fmt::format("{:.1f}", m.one_state.least_ns / m.lanes.least_ns) : "-"});
  }
  fmt::print("{}\n", table.to_string());
  double disturbed = 0;
  for (const Measured& m : results) {
    if (m.one_state.turns > 0) disturbed = std::max(disturbed, m.one_state.median_ns / m.one_state.least_ns);
  }
  fmt::print(
      "  Least time per call of many turns, one thread, {} random states. Medians are up to {:.0f} % above: the\n"
      "  more, the busier the machine.\n",
      work.states(), 100 * (disturbed - 1));
  if (!work.has_matrix()) fmt::print("  Matrices of {} freedoms are left out: too large.\n", mechanism.nv);
  if (!mechanism.is_tree()) {
    fmt::print("  All but the last are times of the spanning tree; the last is with loops and couplings, as drawn.\n");
  }
  if (is_wet(mechanism)) fmt::print("  The fluid is left out: these are times of the dry mechanism.\n");
}

// Empty, or what is wrong. (Option::between lets nan pass.)
std::string is_a_sensible_time(const std::string& text) {
  const double seconds = std::strtod(text.c_str(), nullptr);
  return seconds >= 1e-3 && seconds <= 3600 ? "" : fmt::format("'{}' is not between 0.001 and 3600 seconds", text);
}

int run(const BenchOptions& options) {
  LoadResult result = load(options.model, options.load);
  if (result.loaded && result.loaded->mechanism.nv == 0) {
    const Diagnostics nothing = one_error("nothing moves in this model: there is nothing to time",
                                          "give it a joint other than fixed", "nothing-to-time");
    print(nothing);
    result.diagnostics.append(nothing);
    result.loaded.reset();
  }
  if (!result.loaded) {
    if (options.json) print_json_errors(result.diagnostics);
    return bad_input;
  }
  const Mechanism& mechanism = result.loaded->mechanism;
  Workload work(mechanism);
  std::vector<Measured> results = measure(work, options.seconds);
  if (!mechanism.is_tree()) results.push_back(measure_loops(mechanism, options.seconds));
  if (options.json) print_json(mechanism, work, results);
  if (!options.json) print_text(mechanism, work, results);
  return done;
}

}  // namespace

void add_bench(CommandLine& line) {
  Verb verb(line, "bench", "time of each algorithm on a model, for one state and in SIMD lanes");
  auto options = std::make_shared<BenchOptions>();
  verb.model(options->model);
  verb.option("--time", options->seconds, "seconds for each figure, 0.001 to 3600")
      .check(is_a_sensible_time)
      .show_default();
  verb.cut(options->load.cut);
  add_read_options(verb, options->load.read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer("Example:\n  trammel bench models/humanoid.yaml --time 0.5");
  verb.run([options] { return run(*options); });
}

}  // namespace trammel::tool
