// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "properties.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <trammel/dynamics.hpp>

#include "readers/same_model.hpp"

namespace trammel::fuzz {

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

constexpr int most_freedoms = 300;  // evaluated; the mass matrix and the Jacobians grow with their square

bool is_ordinary(double x) { return x == 0 || (std::abs(x) > 1e-6 && std::abs(x) < 1e6); }
bool is_ordinary(const Vec3d& v) { return is_ordinary(v.x) && is_ordinary(v.y) && is_ordinary(v.z); }
bool is_ordinary(const Sym3d& I) {
  return is_ordinary(I.xx) && is_ordinary(I.yy) && is_ordinary(I.zz) && is_ordinary(I.xy) && is_ordinary(I.xz) &&
         is_ordinary(I.yz);
}
bool is_ordinary(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double x) { return is_ordinary(x); });
}

bool is_ordinary(const Mechanism& mechanism) {
  const Parameters<double>& p = mechanism.parameters;
  const auto near = [](const Transformd& X) { return is_ordinary(X.p); };
  const auto common = [](const RigidInertia<double>& M) { return is_ordinary(M.mass) && is_ordinary(M.I); };
  return std::all_of(p.X_PF.begin(), p.X_PF.end(), near) && std::all_of(p.X_LC.begin(), p.X_LC.end(), near) &&
         std::all_of(p.X_LB.begin(), p.X_LB.end(), near) && std::all_of(p.M_C.begin(), p.M_C.end(), common) &&
         is_ordinary(p.armature) && is_ordinary(p.viscous) && is_ordinary(p.dry) && is_ordinary(p.dry_speed) &&
         is_ordinary(p.gravity) && std::all_of(mechanism.links.begin(), mechanism.links.end(), [](const Link& link) {
           const auto* helical = std::get_if<Helical>(&link.type);
           return helical == nullptr || is_ordinary(helical->h);
         });
}

bool is_finite(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double x) { return std::isfinite(x); });
}

// Numbers between −1 and 1 that look random and are always the same.
std::vector<double> some_numbers(int count, double phase) {
  std::vector<double> list(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = std::sin(phase + 2.4 * static_cast<double>(i));
  return list;
}

// Every kernel once; true when all numbers came out finite, or a verdict said which could not.
bool gives_numbers_or_verdict(const Mechanism& mechanism, const std::vector<double>& q, const std::vector<double>& v) {
  const auto n = static_cast<std::size_t>(mechanism.nv);
  Workspace ws(mechanism);
  const std::vector<double> tau = some_numbers(mechanism.nv, 1);
  std::vector<double> a(n), back(n), M(n * n), J(6 * n);
  const DynamicsVerdict verdict = forward_dynamics<double>(mechanism, ws, q, v, tau, a);
  bool sound = !verdict.ok() || is_finite(a);
  if (verdict.ok()) {
    std::vector<Force<double>> reactions(mechanism.joints.size());
    compute_reactions(mechanism, ws, reactions);
  } else {
    require(verdict.singular_joint < mechanism.joint_count(), "the verdict names a joint of the mechanism");
    a = some_numbers(mechanism.nv, 2);
  }
  inverse_dynamics<double>(mechanism, ws, q, v, a, back);
  mass_matrix<double>(mechanism, ws, q, M);
  compute_velocities<double>(mechanism, ws, q, v);
  compute_motion_rates<double>(mechanism, ws, q, v);
  const Energy<double> energy = compute_energy<double>(mechanism, ws, v);
  const Momentum<double> momentum = compute_momentum<double>(mechanism, ws);
  if (mechanism.body_count() > 0) {
    jacobian_W<double>(mechanism, ws, mechanism.body_count() - 1, {}, J);
    sound = sound && is_finite(J);
    jacobian_rate_B<double>(mechanism, ws, mechanism.body_count() - 1, {}, J);
  }
  return sound && is_finite(back) && is_finite(M) && is_finite(J) && std::isfinite(energy.kinetic) &&
         std::isfinite(energy.potential) && std::isfinite(momentum.mass) && std::isfinite(momentum.linear_W.x);
}

}  // namespace

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", what.c_str());
  std::abort();
}

TimeLimit::TimeLimit() : begin_(cpu_seconds()) {}
TimeLimit::~TimeLimit() { require(cpu_seconds() - begin_ < 5, "an input takes less than 5 s of CPU time"); }

void require_sound_messages(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    const bool one_line = d.what.find('\n') == std::string::npos && d.fix.find('\n') == std::string::npos;
    require(!d.what.empty() && !d.id.empty() && !d.fix.empty(), "a message says what and how: " + to_string(d));
    require(one_line && d.what.size() + d.fix.size() < 1500, "a message is one short line: " + to_string(d));
  }
}

void require_same(const Model& first, const Model& second, const std::string& texts) {
  const std::string difference = test::first_difference(first, second, 1e-9);
  require(difference.empty(), "read again it is the same: " + difference + "\n" + texts);
}

void require_native_keeps(const Model& model) {
  const std::string text = write_yaml(model, true);
  const ReadResult back = read_yaml(text, model.file);
  require(back.ok(), "what is written can be read:\n" + back.diagnostics.to_string() + text);
  const std::string difference = test::first_difference(model, back.model);
  require(difference.empty(), "what is written reads back to the same: " + difference + "\n" + text);
  require(write_yaml(back.model, true) == text, "written again, it is the same text:\n" + text);
  const ReadResult own = read_yaml(write_yaml(model), model.file);
  require(own.ok(), "what is written in own units can be read:\n" + own.diagnostics.to_string() + write_yaml(model));
}

void require_evaluates(const Mechanism& mechanism) {
  if (mechanism.nv > most_freedoms) return;
  const bool ordinary = is_ordinary(mechanism);
  const State design = design_state(mechanism);
  const State initial = initial_state(mechanism);
  std::vector<double> q(design.q.size());
  step_coordinates(mechanism, design.q, some_numbers(mechanism.nv, 3), q);
  const std::vector<double> v = some_numbers(mechanism.nv, 4);
  require(gives_numbers_or_verdict(mechanism, q, v) || !ordinary, "a state gives numbers or a verdict");
  require(gives_numbers_or_verdict(mechanism, design.q, design.v) || !ordinary, "the design position does");
  const bool ordinary_start = is_ordinary(initial.q) && is_ordinary(initial.v);
  require(gives_numbers_or_verdict(mechanism, initial.q, initial.v) || !ordinary || !ordinary_start,
          "the initial state does");
}

void require_compiles_or_says_why(const Model& model) {
  const CompileResult for_dynamics = compile(model);
  require_sound_messages(for_dynamics.diagnostics);
  if (for_dynamics.ok()) require_evaluates(for_dynamics.mechanism);
  const CompileResult for_kinematics = compile(model, {.for_dynamics = false});
  require(for_kinematics.ok() || !for_dynamics.ok(), "kinematics asks for no more than dynamics does");
  if (for_kinematics.ok() && !for_dynamics.ok()) {
    Workspace ws(for_kinematics.mechanism);
    const State state = initial_state(for_kinematics.mechanism);
    compute_velocities<double>(for_kinematics.mechanism, ws, state.q, state.v);
  }
}

}  // namespace trammel::fuzz
