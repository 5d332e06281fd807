// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel eval: everything about one state. What it finds goes into one JSON object; the text form prints the same.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/derivatives.hpp>
#include <trammel/dynamics.hpp>
#include <trammel/fluid_forces.hpp>

#include "eval_floating.hpp"
#include "eval_loops.hpp"
#include "eval_options.hpp"
#include "eval_state.hpp"
#include "eval_text.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

struct EvalOptions {
  std::string model;
  std::optional<std::string> state;
  std::vector<std::string> compute{"forward", "poses", "energy", "com"};
  std::string gravity;
  std::string solver = "automatic";
  std::vector<std::string> cut, at;
  ReadOptions read;
  bool json = false, no_friction = false, no_fluid = false, initial = false;

  bool wants(std::string_view quantity) const {
    return std::find(compute.begin(), compute.end(), quantity) != compute.end();
  }
};

ordered_json by_joint(const Mechanism& mechanism, const std::vector<double>& values, bool coordinates) {
  ordered_json map = ordered_json::object();
  for (const JointInfo& joint : mechanism.joints) {
    if (joint.role != JointRole::tree) continue;
    const int first = coordinates ? joint.q : joint.v, count = coordinates ? joint.nq : joint.nv;
    map[joint.name] = std::vector<double>(values.begin() + first, values.begin() + first + count);
  }
  return map;
}

ordered_json rows(const std::vector<double>& matrix, int row_count, int columns) {
  ordered_json result = ordered_json::array();
  for (int i = 0; i < row_count; ++i) {
    result.push_back(std::vector<double>(matrix.begin() + i * columns, matrix.begin() + (i + 1) * columns));
  }
  return result;
}

ordered_json poses(const Mechanism& mechanism, const Workspace& ws) {
  ordered_json map = ordered_json::object();
  for (int b = 0; b < mechanism.body_count(); ++b) {
    const Transformd X = pose_WB(mechanism, ws, b);
    const Quaternion<double> q = quaternion_of(X.R);
    map[mechanism.bodies[b].name] = {{"position", list(X.p)}, {"quaternion", {q.w, q.x, q.y, q.z}}};
  }
  return map;
}

ordered_json jacobians(const Mechanism& mechanism, const Workspace& ws) {
  ordered_json map = ordered_json::object();
  std::vector<double> J(static_cast<std::size_t>(6 * mechanism.nv));
  for (int b = 0; b < mechanism.body_count(); ++b) {
    jacobian_W(mechanism, ws, b, Vec3d{}, J);
    map[mechanism.bodies[b].name] = {{"J", rows(J, 6, mechanism.nv)},
                                     {"rows", "angular velocity, velocity of the body's origin"},
                                     {"frame", "world"}};
  }
  return map;
}

ordered_json points(const Mechanism& mechanism, const Workspace& ws, bool with_acceleration) {
  ordered_json map = ordered_json::object();
  for (const OutputInfo& output : mechanism.outputs) {
    ordered_json& entry = map[output.name];
    entry["p"] = list(pose_WB(mechanism, ws, output.body) * output.p_B);
    entry["v"] = list(velocity_W(mechanism, ws, output.body, output.p_B).v);
    if (with_acceleration) entry["a"] = list(acceleration_W(mechanism, ws, output.body, output.p_B).v);
  }
  return map;
}

ordered_json force_entry(const Mechanism& mechanism, const Force<double>& F, int on, const Vec3d& at) {
  return {{"force", list(F.f)},
          {"moment", list(F.n)},
          {"on", body_name(mechanism, on)},
          {"at", list(at)},
          {"frame", "world"}};
}

ordered_json reactions(const Mechanism& mechanism, Workspace& ws, const Loads& loads) {
  std::vector<Force<double>> forces(mechanism.joints.size());
  compute_reactions(mechanism, ws, forces, loads);
  ordered_json map = ordered_json::object();
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const JointInfo& joint = mechanism.joints[j];
    const Vec3d at = joint.second == ground ? joint.X_BM.p : pose_WB(mechanism, ws, joint.second) * joint.X_BM.p;
    map[joint.name] = force_entry(mechanism, forces[j], joint.second, at);
  }
  return map;
}

ordered_json loop_reactions(LoopDynamics& dynamics) {
  const Mechanism& mechanism = dynamics.mechanism();
  const std::vector<LoopReaction> found = dynamics.reactions();
  ordered_json map = ordered_json::object();
  for (std::size_t j = 0; j < found.size(); ++j) {
    ordered_json& entry = map[mechanism.joints[j].name];
    entry = force_entry(mechanism, found[j].F_W, mechanism.joints[j].second, found[j].p_W);
    entry["determinate"] = found[j].determinate;
  }
  return map;
}

ordered_json constraint_forces(LoopDynamics& dynamics) {
  const Mechanism& mechanism = dynamics.mechanism();
  const std::vector<LoopReaction> found = dynamics.constraint_forces();
  ordered_json map = ordered_json::object();
  for (std::size_t k = 0; k < found.size(); ++k) {
    const ConstraintInfo& info = mechanism.constraints[k];
    map[info.name] = force_entry(mechanism, found[k].F_W, info.second, found[k].p_W);
    map[info.name]["determinate"] = found[k].determinate;
  }
  return map;
}

LoopMethod method_of(const std::string& name) {
  for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination, LoopMethod::dense}) {
    if (name == solver_name(method)) return method;
  }
  return LoopMethod::automatic;
}

bool all_finite(const ordered_json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  return !value.is_structured() || std::all_of(value.begin(), value.end(), all_finite);
}

// Reactions belong to a motion: to the given accelerations if there are any, else to the given forces.
bool forward_decides(const EvalOptions& options, const EvalState& state) {
  return options.wants("forward") || (options.wants("reactions") && !options.wants("inverse") && !state.gives("a"));
}

// What the state gives and who asks may think is used. A state serves many questions: energies need no forces, and that is not told.
void warn_of_unused(const Mechanism& mechanism, const EvalOptions& options, const EvalState& state,
                    Diagnostics& diagnostics) {
  const bool forward = forward_decides(options, state);
  const bool inverse = !forward && (options.wants("inverse") || options.wants("reactions"));
  if (forward && !state.is_hybrid()) {
    warn_of_unused_parts(state, {"a"},
                         "forward finds the accelerations: ask for inverse, or name joints under 'prescribed'",
                         diagnostics);
  }
  if (inverse) warn_of_unused_parts(state, {"tau"}, "inverse finds the forces: ask for forward", diagnostics);
  if (!forward) warn_of_unused_parts(state, {"prescribed"}, "ask for forward", diagnostics);
  if (mechanism.is_tree()) {
    warn_of_unused_parts(state, {"actuated"}, "leave it out: in a tree the force of every joint follows", diagnostics);
  } else if (!inverse) {
    warn_of_unused_parts(state, {"actuated"}, "ask for inverse", diagnostics);
  }
  for (int k = 0; k < mechanism.nv; ++k) {
    if (state.prescribed[k] != 0 && state.tau[k] != 0) {
      diagnostics.warning(
          {}, "state-unused",
          fmt::format("tau of '{}' is not used: its acceleration is prescribed", mechanism.dof_names[k]),
          "leave it out");
    }
  }
  if (options.solver != "automatic" && (mechanism.is_tree() || !forward)) {
    diagnostics.warning({}, "option-no-effect", "--solver has no effect here: it is for forward dynamics with loops",
                        "leave it out");
  }
}

// Fills the report; a verdict other than "ok" is the negative answer.
class Evaluation {
 public:
  Evaluation(const Mechanism& mechanism, const EvalOptions& options, EvalState& state,
             const std::vector<FloatingPoint>& points)
      : mechanism_(mechanism),
        options_(options),
        points_(points),
        s_(state),
        ws_(mechanism),
        wrench_(mechanism.bodies.size()),
        fluid_(mechanism),
        added_(mechanism.bodies.size()),
        bias_(mechanism.bodies.size()),
        has_fluid_(!options.no_fluid && !fluid_.empty()) {
    loads_.friction = !options.no_friction;
    if (!mechanism.is_tree()) loops_.emplace(mechanism);
  }

  ordered_json run() {
    report_["status"] = "ok";
    report_["model"] = mechanism_.name;
    if (loops_ && refuses(close_state(*loops_, s_, closed_how_))) return report_;
    place_wrenches();
    place_fluid();
    solve_accelerations();
    if (report_["status"] != "ok") return report_;
    fill_report();
    if (report_["status"] != "ok") return report_;
    if (options_.wants("floating") && !fill_floating()) return report_;
    if (!all_finite(report_)) {
      return {{"status", "diverged"},
              {"model", mechanism_.name},
              {"reason", "a result is not finite: numbers of the state or the model are too large or too small"}};
    }
    return report_;
  }

 private:
  const Mechanism& mechanism_;
  const EvalOptions& options_;
  const std::vector<FloatingPoint>& points_;  // of `floating`
  EvalState& s_;
  Workspace ws_;
  std::vector<Force<double>> wrench_;
  FluidForces fluid_;
  std::vector<ArticulatedInertia<double>> added_;
  std::vector<Force<double>> bias_;
  bool has_fluid_ = false;
  Loads loads_;
  ordered_json report_;
  std::optional<LoopDynamics> loops_;  // where the mechanism is no tree
  std::string closed_how_;
  ordered_json loops_report_ = ordered_json::object(), closing_tau_ = ordered_json::object(), reference_member_;

  void place_wrenches() {
    compute_positions(mechanism_, ws_, s_.state.q);
    for (const BodyWrench& w : s_.wrenches) add_wrench<double>(mechanism_, ws_, w.body, w.at_B, w.F_W, wrench_);
    if (!s_.wrenches.empty()) loads_.wrench = wrench_.data();
  }

  void place_fluid() {
    if (!has_fluid_) return;
    compute_velocities(mechanism_, ws_, s_.state.q, s_.state.v);
    fluid_.clear_and_add(mechanism_, ws_, s_.state.t, added_, bias_);
    loads_.inertia = added_.data(), loads_.bias = bias_.data();
  }

  bool refuses(const Refusal& refusal) {
    if (!refusal.refuses()) return false;
    report_["status"] = refusal.status;
    report_["reason"] = refusal.reason;
    report_["fix"] = refusal.fix;
    return true;
  }

  void solve_closed() {
    if (forward_decides(options_, s_)) {
      LoopVerdict verdict;
      if (refuses(solve_forward(*loops_, s_, loads_, method_of(options_.solver), verdict))) return;
      loops_report_["solver"] = solver_name(verdict.method);
      if (verdict.method == LoopMethod::elimination) loops_report_["iterations"] = verdict.iterations;
      if (verdict.method == LoopMethod::star) {
        reference_member_ = describe_reference_member(*loops_);
      }
    } else if (options_.wants("inverse") || options_.wants("reactions")) {
      if (refuses(complete_accelerations(*loops_, s_))) return;
      if (refuses(solve_inverse(*loops_, s_, loads_, closing_tau_, loops_report_))) return;
      loops_report_["solver"] = "dense";
    }
    compute_accelerations(mechanism_, ws_, s_.state.q, s_.state.v, s_.a);
  }

  void refuse_singular(const DynamicsVerdict& verdict) {
    const std::string& joint = mechanism_.joints[verdict.singular_joint].name;
    report_["status"] = "singular";
    report_["joint"] = joint;
    report_["reason"] = fmt::format(
        "no inertia along a freedom of joint '{}' in this position: its acceleration is not determined", joint);
  }

  void solve_accelerations() {
    if (loops_) {
      solve_closed();
      return;
    }
    const State& x = s_.state;
    if (forward_decides(options_, s_)) {
      const DynamicsVerdict verdict =
          s_.is_hybrid() ? hybrid_dynamics(mechanism_, ws_, x.q, x.v, s_.prescribed, s_.a, s_.tau, loads_)
                         : forward_dynamics(mechanism_, ws_, x.q, x.v, s_.tau, s_.a, loads_);
      if (verdict.singular_joint >= 0) refuse_singular(verdict);
    } else if (options_.wants("inverse") || options_.wants("reactions")) {
      inverse_dynamics(mechanism_, ws_, x.q, x.v, s_.a, s_.tau, loads_);
    } else {
      compute_accelerations(mechanism_, ws_, x.q, x.v, s_.a);
    }
  }

  void fill_report() {
    report_["q"] = by_joint(mechanism_, s_.state.q, true);
    report_["v"] = by_joint(mechanism_, s_.state.v, false);
    const bool knows_acceleration =
        options_.wants("forward") || options_.wants("inverse") || options_.wants("reactions");
    if (knows_acceleration) {
      report_["a"] = by_joint(mechanism_, s_.a, false);
      report_["tau"] = by_joint(mechanism_, s_.tau, false);
      for (const auto& [name, value] : closing_tau_.items()) report_["tau"][name] = value;
    }
    if (loops_) {
      report_["loops"] = describe_loops(*loops_, s_, closed_how_);
      report_["loops"].update(loops_report_);
      if (!reference_member_.is_null()) report_["reference_member"] = reference_member_;
    }
    // These use what solve_accelerations left in the workspace; the mass matrix overwrites some of it and comes last.
    if (options_.wants("poses")) report_["poses"] = poses(mechanism_, ws_);
    if (!mechanism_.outputs.empty()) report_["points"] = points(mechanism_, ws_, knows_acceleration);
    if (options_.wants("reactions")) {
      report_["reactions"] = loops_ ? loop_reactions(*loops_) : reactions(mechanism_, ws_, loads_);
      if (loops_ && !mechanism_.constraints.empty()) {
        report_["constraint_forces"] = constraint_forces(*loops_);
      }
    }
    if (options_.wants("energy")) {
      const Energy<double> energy = compute_energy(mechanism_, ws_, s_.state.v);
      const double rotors = loops_ ? loops_->closing_rotor_energy(s_.state.q, s_.state.v) : 0;
      const double moving = has_fluid_ ? fluid_.kinetic() : 0, displaced = has_fluid_ ? fluid_.potential() : 0;
      report_["energy"] = {{"kinetic", energy.kinetic + rotors + moving}, {"potential", energy.potential + displaced}};
      if (has_fluid_) {
        report_["energy"]["of_fluid"] = {
            {"kinetic", moving}, {"potential", displaced}, {"dissipated_power", fluid_.dissipated()}};
      }
    }
    if (options_.wants("momentum") || options_.wants("com")) {
      Momentum<double> momentum = compute_momentum(mechanism_, ws_);
      if (has_fluid_) {
        const Force<double> impulse = shift(fluid_.momentum(), momentum.com_W);
        momentum.linear_W += impulse.f, momentum.angular_W += impulse.n;
      }
      if (options_.wants("momentum")) {
        report_["momentum"] = {{"linear", list(momentum.linear_W)}, {"angular", list(momentum.angular_W)}};
      }
      if (options_.wants("com") && momentum.mass > 0) report_["com"] = list(momentum.com_W);
    }
    if (options_.wants("jacobians")) report_["jacobians"] = jacobians(mechanism_, ws_);
    if (options_.wants("mass")) {
      std::vector<double> M(static_cast<std::size_t>(mechanism_.nv) * mechanism_.nv);
      mass_matrix(mechanism_, ws_, s_.state.q, M, loads_);
      report_["mass_matrix"] = rows(M, mechanism_.nv, mechanism_.nv);
      if (loops_) fill_independent_mass(M);
    }
    if (options_.wants("derivatives")) fill_derivatives();
    if (options_.wants("mass") || options_.wants("jacobians") || options_.wants("derivatives")) {
      report_["dofs"] = mechanism_.dof_names;
    }
  }

  // Of forward dynamics, unless only inverse dynamics is asked for.
  void fill_derivatives() {
    const State& x = s_.state;
    const auto n = static_cast<std::size_t>(mechanism_.nv);
    std::vector<double> by_q(n * n), by_v(n * n), third(n * n), value(n);
    const auto matrix = [&](const std::vector<double>& numbers) { return rows(numbers, mechanism_.nv, mechanism_.nv); };
    const auto of_accelerations = [&] {
      report_["derivatives"] = {{"a_by_q", matrix(by_q)}, {"a_by_v", matrix(by_v)}, {"a_by_tau", matrix(third)}};
    };
    const bool of_forces = options_.wants("inverse") && !options_.wants("forward");
    if (loops_) {
      if (of_forces) {
        ActuationDerivatives found;
        if (refuses(solve_inverse_derivatives(*loops_, s_, loads_, found))) return;
        const auto of_rows = [&](const std::vector<double>& numbers) {
          return rows(numbers, static_cast<int>(found.dofs.size()), mechanism_.nv);
        };
        report_["derivatives"] = {
            {"tau_by_q", of_rows(found.by_q)}, {"tau_by_v", of_rows(found.by_v)}, {"tau_by_a", of_rows(found.by_a)}};
        report_["actuated_dofs"] = found.dofs;
      } else {
        if (refuses(solve_derivatives(*loops_, s_, loads_, {by_q, by_v, third}))) return;
        of_accelerations();
      }
      const LoopDynamics::AllowedChanges allowed = loops_->allowed_changes(x.q, x.v);
      report_["allowed_changes"] = {{"q", rows(allowed.q, mechanism_.nv, allowed.freedoms)},
                                    {"v_with_q", rows(allowed.v_with_q, mechanism_.nv, allowed.freedoms)}};
      return;
    }
    if (of_forces) {
      inverse_dynamics_derivatives<double>(mechanism_, ws_, x.q, x.v, s_.a, value, {by_q, by_v, third}, loads_);
      report_["derivatives"] = {{"tau_by_q", matrix(by_q)}, {"tau_by_v", matrix(by_v)}, {"tau_by_a", matrix(third)}};
      return;
    }
    const DynamicsVerdict verdict =
        forward_dynamics_derivatives<double>(mechanism_, ws_, x.q, x.v, s_.tau, value, {by_q, by_v, third}, loads_);
    if (verdict.singular_joint >= 0) return refuse_singular(verdict);
    of_accelerations();
  }

  bool fill_floating() {
    int joint = -1;
    std::optional<ordered_json> found = describe_floating(mechanism_, s_.state, points_, joint);
    if (found) report_["floating"] = std::move(*found);
    if (found) return true;
    report_ = {{"status", "singular"},
               {"model", mechanism_.name},
               {"reason", fmt::format("a motion without inertia{}: no impulse moves it in proportion",
                                      joint < 0 ? "" : fmt::format(" at joint '{}'", mechanism_.joints[joint].name))}};
    return false;
  }

  void fill_independent_mass(const std::vector<double>& M) {
    IndependentMass mass = loops_->independent_mass(s_.state.q);
    const int count = static_cast<int>(mass.freedoms.size());
    if (has_fluid_) add_fluid_mass(M, mass);
    std::vector<std::string> names;
    for (const int k : mass.freedoms) names.push_back(mechanism_.dof_names[static_cast<std::size_t>(k)]);
    report_["independent_mass"] = {
        {"dofs", names}, {"mass_matrix", rows(mass.M, count, count)}, {"motions", rows(mass.T, mechanism_.nv, count)}};
  }

  // Tᵀ (M with fluid − M without) T
  void add_fluid_mass(const std::vector<double>& M, IndependentMass& mass) {
    const auto n = static_cast<std::size_t>(mechanism_.nv), count = mass.freedoms.size();
    std::vector<double> dry(M.size());
    mass_matrix(mechanism_, ws_, s_.state.q, dry);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t k = 0; k < n; ++k) {
            mass.M[a * count + b] += mass.T[i * count + a] * (M[i * n + k] - dry[i * n + k]) * mass.T[k * count + b];
          }
        }
      }
    }
  }
};

// Matrices have to fit a page.
Diagnostics objections(const Mechanism& mechanism, const EvalOptions& options) {
  constexpr double most_numbers = 2e6;
  const double nv = mechanism.nv, jacobians = 6 * nv * mechanism.body_count(), mass = nv * nv;
  for (const auto& [quantity, count] :
       {std::pair("jacobians", jacobians), std::pair("mass", mass), std::pair("derivatives", 3 * mass)}) {
    if (!options.wants(quantity) || count <= most_numbers) continue;
    return one_error(fmt::format("'{}' of this mechanism would print {:.0f} numbers; at most {:.0f} are printed",
                                 quantity, count, most_numbers),
                     "compute them in C++ (jacobian_W, mass_matrix, forward_dynamics_derivatives)", "output-too-large");
  }
  return {};
}

// Springs, bushings, loads and drives of the file act in analyses and simulations, not here; nobody should have to guess that.
Diagnostics what_is_not_applied(const Model& model, const EvalOptions& options) {
  Diagnostics diagnostics;
  diagnostics.file = model.file;
  constexpr std::array quantities{"forward", "inverse", "reactions", "energy"};
  if (std::none_of(quantities.begin(), quantities.end(), [&](const char* q) { return options.wants(q); })) {
    return diagnostics;
  }
  const auto warn = [&](const auto& list, const char* what) {
    if (list.empty()) return;
    std::vector<std::string> names;
    for (const auto& item : list) names.push_back("'" + item.name + "'");
    diagnostics.warning(list[0].where, "not-applied",
                        fmt::format("{} of the model are not applied by eval: {}", what, fmt::join(names, ", ")),
                        "give what they do as 'tau' or 'wrenches' of the state");
  };
  warn(model.springs, "springs");
  warn(model.bushings, "bushings");
  warn(model.loads, "loads");
  warn(model.drives, "drives");
  return diagnostics;
}

// A servo f = k (u − l) − d l̇ pushes also while its control u is zero; so does a motor whose control range leaves out 0, whose speed
// induces a voltage, or which has a target.
bool pushes_at_zero_control(const Actuator& actuator) {
  const bool is_servo = actuator.kind != Actuator::Kind::torque && (actuator.stiffness != 0 || actuator.damping != 0);
  return is_servo || actuator.kind == Actuator::Kind::dc_motor || !actuator.target.empty() ||
         actuator.control_lower > 0 || actuator.control_upper < 0;
}

// Forces of inverse dynamics are those that the actuators would have to give: nothing is missing from them.
void warn_of_actuators(const Model& model, const EvalOptions& options, const EvalState& state,
                       Diagnostics& diagnostics) {
  if (!forward_decides(options, state)) return;
  const auto first = std::find_if(model.actuators.begin(), model.actuators.end(), pushes_at_zero_control);
  if (first == model.actuators.end()) return;
  const auto count = std::count_if(first, model.actuators.end(), pushes_at_zero_control);
  Diagnostics here;
  here.file = model.file;
  here.warning(first->where, "not-applied",
               fmt::format("actuators of the model are not applied by eval: '{}'{}", first->name,
                           count == 1 ? "" : fmt::format(" and {} more", count - 1)),
               "give what they do as 'tau' of the state");
  diagnostics.append(here);
}

bool needs_masses(const EvalOptions& options) {
  for (const std::string_view quantity : {"forward", "inverse", "reactions", "mass", "floating", "derivatives"}) {
    if (options.wants(quantity)) return true;
  }
  return false;
}

int refuse(const Diagnostics& diagnostics, const EvalOptions& options) {
  if (options.json) print_json_errors(diagnostics);
  return bad_input;
}

int run_eval(const EvalOptions& options) {
  LoadOptions load_options{
      .cut = options.cut, .gravity = std::nullopt, .for_dynamics = needs_masses(options), .read = options.read};
  if (!options.gravity.empty()) {
    Vec3d gravity;
    if (const std::string wrong = parse_vector(options.gravity, gravity); !wrong.empty()) {
      const Diagnostics error = one_error("--gravity: " + wrong, "write --gravity 0,0,-9.81 (m/s²)", "option-value");
      print(error);
      return refuse(error, options);
    }
    load_options.gravity = gravity;
  }
  if (options.model == "-" && options.state == "-") {
    const Diagnostics error =
        one_error("model and state cannot both come from standard input", "put one of them in a file", "option-value");
    print(error);
    return refuse(error, options);
  }
  const LoadResult result = load(options.model, load_options);
  const std::optional<Loaded>& loaded = result.loaded;
  if (!loaded) return refuse(result.diagnostics, options);
  if (const Diagnostics objection = objections(loaded->mechanism, options); objection.has_errors()) {
    print(objection);
    return refuse(objection, options);
  }

  Diagnostics diagnostics;
  diagnostics.append(what_is_not_applied(loaded->model, options));
  EvalState state = read_state(loaded->mechanism, options.state, options.initial, diagnostics);
  if (!diagnostics.has_errors()) {
    warn_of_actuators(loaded->model, options, state, diagnostics);
    warn_of_unused(loaded->mechanism, options, state, diagnostics);
  }
  if (options.wants("derivatives") && !options.no_fluid && !loaded->model.fluid.empty()) {
    diagnostics.warning({}, "not-applied",
                        "derivatives leave out how the forces of the fluid change with position and velocity",
                        "find these by differences of forward, or leave the fluid out with --no-fluid");
  }
  std::vector<FloatingPoint> points;
  if (options.wants("floating")) {
    points = floating_points(loaded->mechanism, options.at, diagnostics);
    if (!options.no_fluid && !loaded->model.fluid.empty()) {
      diagnostics.warning({}, "not-applied", "floating leaves out the mass that the fluid adds",
                          "ask for mass, or leave the fluid out with --no-fluid");
    }
  } else if (!options.at.empty()) {
    diagnostics.error({}, "option-value", "--at is a point for 'floating', which is not asked for",
                      "add --compute floating");
  }
  print(diagnostics);
  if (diagnostics.has_errors()) return refuse(diagnostics, options);

  const ordered_json report = Evaluation(loaded->mechanism, options, state, points).run();
  const bool ok = report["status"] == "ok";
  if (options.json) {
    fmt::print("{}\n", report.dump(2));
  } else if (ok) {
    fmt::print("{}", text_of(report));
  }
  if (!ok && !options.json) {
    const std::string fix = report.contains("fix") ? report["fix"].get<std::string>()
                                                   : "change the state, or give the model the inertia it lacks";
    print(one_error(report["reason"], fix, report["status"]));
  }
  return ok ? done : negative_answer;
}

}  // namespace

void add_eval(CommandLine& line) {
  Verb verb(line, "eval", "one state: kinematics, dynamics, mass matrix, energy, reactions");
  auto options = std::make_shared<EvalOptions>();
  const std::vector<std::string> known(eval_quantities.begin(), eval_quantities.end());
  verb.model(options->model);
  verb.option("--state", options->state, "JSON file with the state, - for standard input");
  verb.list("--compute", options->compute, fmt::format("any of {}", fmt::join(known, ",")))
      .several_with_commas()
      .one_of(known)
      .show_default();
  verb.list("--at", options->at,
            "of floating: body:output, body:x,y,z or body; may be repeated (default: the model's outputs)");
  verb.option("--gravity", options->gravity, "x,y,z in m/s² instead of the model's");
  verb.cut(options->cut);
  verb.option("--solver", options->solver,
              "for forward dynamics with loops: automatic, lilly-orin, elimination or dense")
      .one_of({eval_solvers.begin(), eval_solvers.end()})
      .show_default();
  add_read_options(verb, options->read);
  verb.flag("--no-friction", options->no_friction, "joint friction does not act");
  verb.flag("--no-fluid", options->no_fluid, "the model's fluid does not act");
  verb.flag("--initial", options->initial, "joints left out start from the model's initial section");
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "All numbers are SI and radians. The state file, any part optional, joints left out at the design position:\n"
      "  {\"q\": {\"joint\": [..]}, \"v\": {..}, \"a\": {..}, \"tau\": {..},\n"
      "   \"prescribed\": [\"joint\"], \"wrenches\": {\"body\": {\"force\": [..], \"moment\": [..], \"at\": [..]}}}\n"
      "forward gives a from tau; joints under prescribed keep their a and get their tau. inverse gives tau from a.\n"
      "Wrenches are in world axes, acting at the point `at` of the body's frame.\n"
      "derivatives gives how a changes with q, v and tau, or, beside inverse, tau with q, v and a.\n"
      "floating gives J*, H* and G* of what floats, its momentum, and its inertia with all joints locked.\n"
      "With loops, joints that the state names keep their q, v and a, and the others follow; inverse gives the forces "
      "of the\n"
      "joints under \"actuated\" (otherwise of the model's inputs, otherwise of all joints of the tree).\n"
      "Examples:\n"
      "  trammel eval models/puma560.yaml\n"
      "  echo '{\"v\": {\"pivot\": 2}}' | trammel eval models/pendulum.yaml --state - --compute forward,energy --json");
  verb.run([options] { return run_eval(*options); });
}

}  // namespace trammel::tool
