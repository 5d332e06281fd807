// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel eval: everything about one state. What it finds goes into one JSON object; the text form prints the same.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/dynamics.hpp>

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
  std::vector<std::string> cut;
  ReadOptions read;
  bool json = false, no_friction = false, initial = false;

  bool wants(std::string_view quantity) const {
    return std::find(compute.begin(), compute.end(), quantity) != compute.end();
  }
};

ordered_json list(const Vec3d& v) { return {v.x, v.y, v.z}; }

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

ordered_json reactions(const Mechanism& mechanism, Workspace& ws, const Loads& loads) {
  std::vector<Force<double>> forces(mechanism.joints.size());
  compute_reactions(mechanism, ws, forces, loads);
  ordered_json map = ordered_json::object();
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const JointInfo& joint = mechanism.joints[j];
    if (joint.role == JointRole::closure) continue;
    map[joint.name] = {{"force", list(forces[j].f)},
                       {"moment", list(forces[j].n)},
                       {"on", joint.second == ground ? std::string(ground_name) : mechanism.bodies[joint.second].name},
                       {"at", list(pose_WB(mechanism, ws, joint.second) * joint.X_BM.p)},
                       {"frame", "world"}};
  }
  return map;
}

bool all_finite(const ordered_json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  return !value.is_structured() || std::all_of(value.begin(), value.end(), all_finite);
}

// What the state gives but the question does not use.
void warn_of_unused(const Mechanism& mechanism, const EvalOptions& options, const EvalState& state,
                    Diagnostics& diagnostics) {
  if (options.wants("forward") && state.gives_a && !state.is_hybrid()) {
    diagnostics.warning({}, "state-unused", "'a' of the state is not used: forward finds the accelerations",
                        "ask for inverse, or name joints under 'prescribed'");
  }
  if (options.wants("inverse") && !options.wants("forward") && state.gives_tau) {
    diagnostics.warning({}, "state-unused", "'tau' of the state is not used: inverse finds the forces",
                        "ask for forward");
  }
  if (state.is_hybrid() && !options.wants("forward")) {
    diagnostics.warning({}, "state-unused", "'prescribed' of the state is not used", "ask for forward");
  }
  for (int k = 0; k < mechanism.nv; ++k) {
    if (state.prescribed[k] != 0 && state.tau[k] != 0) {
      diagnostics.warning(
          {}, "state-unused",
          fmt::format("tau of '{}' is not used: its acceleration is prescribed", mechanism.dof_names[k]),
          "leave it out");
    }
  }
}

// Fills the report; a verdict other than "ok" is the negative answer.
class Evaluation {
 public:
  Evaluation(const Mechanism& mechanism, const EvalOptions& options, EvalState& state)
      : mechanism_(mechanism), options_(options), s_(state), ws_(mechanism), wrench_(mechanism.bodies.size()) {
    loads_.friction = !options.no_friction;
    compute_positions(mechanism_, ws_, s_.state.q);
    for (const BodyWrench& w : s_.wrenches) add_wrench<double>(mechanism_, ws_, w.body, w.at_B, w.F_W, wrench_);
    if (!s_.wrenches.empty()) loads_.wrench = wrench_.data();
  }

  ordered_json run() {
    report_["status"] = "ok";
    report_["model"] = mechanism_.name;
    solve_accelerations();
    if (report_["status"] != "ok") return report_;
    fill_report();
    if (!all_finite(report_)) {
      return {{"status", "diverged"},
              {"model", mechanism_.name},
              {"reason", "a result is not finite: numbers of the state or the model are too large or too small"}};
    }
    return report_;
  }

 private:
  // Reactions belong to a motion: to the given accelerations if there are any, else to the given forces.
  bool forward_decides() const {
    return options_.wants("forward") || (options_.wants("reactions") && !options_.wants("inverse") && !s_.gives_a);
  }

  const Mechanism& mechanism_;
  const EvalOptions& options_;
  EvalState& s_;
  Workspace ws_;
  std::vector<Force<double>> wrench_;
  Loads loads_;
  ordered_json report_;

  void solve_accelerations() {
    const State& x = s_.state;
    if (forward_decides()) {
      const DynamicsVerdict verdict =
          s_.is_hybrid() ? hybrid_dynamics(mechanism_, ws_, x.q, x.v, s_.prescribed, s_.a, s_.tau, loads_)
                         : forward_dynamics(mechanism_, ws_, x.q, x.v, s_.tau, s_.a, loads_);
      if (!verdict.ok()) {
        const std::string& joint = mechanism_.joints[verdict.singular_joint].name;
        report_["status"] = "singular";
        report_["joint"] = joint;
        report_["reason"] = fmt::format(
            "no inertia along a freedom of joint '{}' in this position: its acceleration is not determined", joint);
      }
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
    }
    // These use what solve_accelerations left in the workspace; the mass matrix overwrites some of it and comes last.
    if (options_.wants("poses")) report_["poses"] = poses(mechanism_, ws_);
    if (!mechanism_.outputs.empty()) report_["points"] = points(mechanism_, ws_, knows_acceleration);
    if (options_.wants("reactions")) report_["reactions"] = reactions(mechanism_, ws_, loads_);
    if (options_.wants("energy")) {
      const Energy<double> energy = compute_energy(mechanism_, ws_, s_.state.v);
      report_["energy"] = {{"kinetic", energy.kinetic}, {"potential", energy.potential}};
    }
    if (options_.wants("momentum") || options_.wants("com")) {
      const Momentum<double> momentum = compute_momentum(mechanism_, ws_);
      if (options_.wants("momentum")) {
        report_["momentum"] = {{"linear", list(momentum.linear_W)}, {"angular", list(momentum.angular_W)}};
      }
      if (options_.wants("com") && momentum.mass > 0) report_["com"] = list(momentum.com_W);
    }
    if (options_.wants("jacobians")) report_["jacobians"] = jacobians(mechanism_, ws_);
    if (options_.wants("mass")) {
      std::vector<double> M(static_cast<std::size_t>(mechanism_.nv) * mechanism_.nv);
      mass_matrix(mechanism_, ws_, s_.state.q, M);
      report_["mass_matrix"] = rows(M, mechanism_.nv, mechanism_.nv);
    }
    if (options_.wants("mass") || options_.wants("jacobians")) report_["dofs"] = mechanism_.dof_names;
  }
};

// Loops and couplings constrain the answer; the tree alone would give a wrong one. And matrices have to fit a page.
Diagnostics objections(const Mechanism& mechanism, const EvalOptions& options) {
  for (const std::string_view quantity : {"forward", "inverse", "reactions"}) {
    if (mechanism.is_tree() || !options.wants(quantity)) continue;
    return one_error(
        fmt::format("'{}' of a mechanism with {} loops{} and {} couplings is not there yet", quantity,
                    mechanism.loops.size(),
                    mechanism.constraints.empty() ? "" : fmt::format(", {} constraints", mechanism.constraints.size()),
                    mechanism.couplings.size()),
        "ask for mass, poses, jacobians, energy, momentum or com of the spanning tree: --compute poses,energy",
        "not-yet");
  }
  constexpr double most_numbers = 2e6;
  const double nv = mechanism.nv, jacobians = 6 * nv * mechanism.body_count(), mass = nv * nv;
  for (const auto& [quantity, count] : {std::pair("jacobians", jacobians), std::pair("mass", mass)}) {
    if (!options.wants(quantity) || count <= most_numbers) continue;
    return one_error(fmt::format("'{}' of this mechanism would print {:.0f} numbers; at most {:.0f} are printed",
                                 quantity, count, most_numbers),
                     "compute them in C++ (jacobian_W, mass_matrix)", "output-too-large");
  }
  return {};
}

// Springs and loads of the file act in analyses of linkages, not here; nobody should have to guess that.
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
  warn(model.loads, "loads");
  return diagnostics;
}

bool needs_masses(const EvalOptions& options) {
  for (const std::string_view quantity : {"forward", "inverse", "reactions", "mass"}) {
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
  if (!diagnostics.has_errors()) warn_of_unused(loaded->mechanism, options, state, diagnostics);
  print(diagnostics);
  if (diagnostics.has_errors()) return refuse(diagnostics, options);

  const ordered_json report = Evaluation(loaded->mechanism, options, state).run();
  const bool ok = report["status"] == "ok";
  if (options.json) {
    fmt::print("{}\n", report.dump(2));
  } else if (ok) {
    fmt::print("{}", text_of(report));
  }
  if (!ok && !options.json) {
    print(one_error(report["reason"], "change the state, or give the model the inertia it lacks", report["status"]));
  }
  return ok ? done : negative_answer;
}

}  // namespace

void add_eval(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("eval", "one state: kinematics, dynamics, mass matrix, energy, reactions");
  auto options = std::make_shared<EvalOptions>();
  const std::vector<std::string> known(eval_quantities.begin(), eval_quantities.end());
  verb->add_option("model", options->model, "model file (.yaml, .urdf, .xml, .kam); - for standard input, with --from")
      ->required();
  verb->add_option("--state", options->state, "JSON file with the state, - for standard input");
  verb->add_option("--compute", options->compute, fmt::format("any of {}", fmt::join(known, ",")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(known))
      ->capture_default_str();
  verb->add_option("--gravity", options->gravity, "x,y,z in m/s² instead of the model's");
  verb->add_option("--cut", options->cut, "close the loop at this joint (may be given several times)")
      ->allow_extra_args(false);
  add_read_options(*verb, options->read);
  verb->add_flag("--no-friction", options->no_friction, "joint friction does not act");
  verb->add_flag("--initial", options->initial, "joints left out start from the model's initial section");
  verb->add_flag("--json", options->json, "one JSON object on standard output");
  verb->footer(
      "All numbers are SI and radians. The state file, any part optional, joints left out at the design position:\n"
      "  {\"q\": {\"joint\": [..]}, \"v\": {..}, \"a\": {..}, \"tau\": {..},\n"
      "   \"prescribed\": [\"joint\"], \"wrenches\": {\"body\": {\"force\": [..], \"moment\": [..], \"at\": [..]}}}\n"
      "forward gives a from tau; joints under prescribed keep their a and get their tau. inverse gives tau from a.\n"
      "Wrenches are in world axes, acting at the point `at` of the body's frame.\n"
      "Examples:\n"
      "  trammel eval models/puma560.yaml\n"
      "  echo '{\"v\": {\"pivot\": 2}}' | trammel eval models/pendulum.yaml --state - --compute forward,energy --json");
  verb->callback([options, &exit_code] { exit_code = run_eval(*options); });
}

}  // namespace trammel::tool
