// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "eval_loops.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

constexpr double closed_to = 1e-11;    // of the mechanism's size: round-off; redundant rows are told by 1e-9
constexpr double projected_to = 1e-5;  // what projection may mend: the last digits of rounded numbers

double gap_of(const LoopDynamics& dynamics, const LoopDiagnosis& d) {
  return std::max(d.gap_m / dynamics.characteristic_length(), d.gap_rad);
}
double rate_of(const LoopDynamics& dynamics, const LoopDiagnosis& d) {
  return std::max(d.rate_m / dynamics.characteristic_length(), d.rate_rad);
}
double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double y : x) most = std::max(most, std::abs(y));
  return most;
}

std::string amount(double m, double rad, const char* unit_m, const char* unit_rad) {
  if (rad == 0) return fmt::format("{:.3g} {}", m, unit_m);
  if (m == 0) return fmt::format("{:.3g} {}", rad, unit_rad);
  return fmt::format("{:.3g} {} and {:.3g} {}", m, unit_m, rad, unit_rad);
}

// Freedoms that the state names, as drivers that keep them. Coordinates of balls and free joints are not single numbers: only their
// velocities and accelerations can be kept so.
std::vector<Driver> kept(const Mechanism& mech, const std::vector<char>& named, bool rates) {
  std::vector<Driver> drivers;
  for (int j = 0; j < mech.joint_count(); ++j) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(j)];
    const bool can_be = joint.role == JointRole::tree && (rates || joint.nq == joint.nv);
    for (int i = 0; can_be && i < joint.nv; ++i) {
      if (named[static_cast<std::size_t>(joint.v + i)] == 0) continue;
      Driver driver;
      driver.joint = j;
      driver.dof = i;
      drivers.push_back(driver);
    }
  }
  return drivers;
}

std::string row_name(const LoopDynamics& dynamics, int row) {
  return row < 0 ? std::string("one of the loops") : dynamics.name_of(dynamics.rows()[static_cast<std::size_t>(row)]);
}

// The first ball or free joint that the state names and that closing has moved.
std::string moved_though_named(const Mechanism& mech, const std::vector<char>& named, const std::vector<double>& given,
                               const std::vector<double>& found) {
  for (const JointInfo& joint : mech.joints) {
    if (joint.role != JointRole::tree || joint.nq == joint.nv || named[static_cast<std::size_t>(joint.v)] == 0)
      continue;
    double same = 0, opposite = 0;  // a quaternion and its negative are one
    for (int i = 0; i < joint.nq; ++i) {
      const auto k = static_cast<std::size_t>(joint.q + i);
      same = std::max(same, std::abs(found[k] - given[k]));
      opposite = std::max(opposite, std::abs(i < 4 ? found[k] + given[k] : found[k] - given[k]));
    }
    if (std::min(same, opposite) > 1e-9) return joint.name;
  }
  return "";
}

Refusal close_position(LoopDynamics& dynamics, EvalState& s, std::string& how) {
  const Mechanism& mech = dynamics.mechanism();
  const LoopDiagnosis before = dynamics.diagnose(s.state.q, s.state.v);
  if (gap_of(dynamics, before) <= closed_to) return {};
  const std::vector<Driver> drivers = kept(mech, s.q_named, false);
  std::vector<Target> targets;
  for (const Driver& d : drivers) {
    Target target;
    target.value = s.state.q[static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(d.joint)].q + d.dof)];
    targets.push_back(target);
  }
  LoopSolver solver(mech, drivers);
  std::vector<double> q = s.state.q;
  if (solver.assemble(q, targets).closed()) {
    if (const std::string moved = moved_though_named(mech, s.q_named, s.state.q, q); !moved.empty()) {
      return {
          "open",
          fmt::format("the loops do not close at this state with joint '{}' as it is given: {} is open by {}", moved,
                      row_name(dynamics, before.worst_row), amount(before.gap_m, before.gap_rad, "m", "rad")),
          "give coordinates of the other joints that close the loops (trammel analyze); balls and free joints cannot "
          "be held while others are found"};
    }
    s.state.q = q;
    how = "completed";
    return {};
  }
  q = s.state.q;
  if (gap_of(dynamics, before) <= projected_to && dynamics.project_position(q).closed) {
    s.state.q = q;
    how = "projected";
    return {};
  }
  return {"open",
          fmt::format("the loops do not close at this state: {} is open by {}", row_name(dynamics, before.worst_row),
                      amount(before.gap_m, before.gap_rad, "m", "rad")),
          "name fewer joints under q, the others follow from them; or give coordinates that close (trammel analyze)"};
}

Refusal close_velocity(LoopDynamics& dynamics, EvalState& s, std::string& how) {
  const Mechanism& mech = dynamics.mechanism();
  const double size = 1 + largest(s.state.v);
  const LoopDiagnosis before = dynamics.diagnose(s.state.q, s.state.v);
  if (rate_of(dynamics, before) <= closed_to * size) return {};
  const std::vector<Driver> drivers = kept(mech, s.v_named, true);
  std::vector<Target> targets;
  for (const Driver& d : drivers) {
    Target target;
    target.rate = s.state.v[static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(d.joint)].v + d.dof)];
    targets.push_back(target);
  }
  LoopSolver solver(mech, drivers);
  std::vector<double> v(s.state.v.size());
  solver.velocities(s.state.q, targets, v);
  bool keeps = rate_of(dynamics, dynamics.diagnose(s.state.q, v)) <= closed_to * size;
  for (std::size_t k = 0; k < drivers.size(); ++k) {
    const int at = mech.joints[static_cast<std::size_t>(drivers[k].joint)].v + drivers[k].dof;
    keeps = keeps && std::abs(v[static_cast<std::size_t>(at)] - targets[k].rate) <= closed_to * size;
  }
  if (keeps) {
    s.state.v = v;
    if (how == "given") how = "completed";
    return {};
  }
  v = s.state.v;
  if (rate_of(dynamics, before) <= projected_to * size && dynamics.project_velocity(s.state.q, v).ok()) {
    s.state.v = v;
    how = "projected";
    return {};
  }
  return {"open-velocity",
          fmt::format("the velocities of this state tear the loops apart: {} opens at {}",
                      row_name(dynamics, before.worst_rate), amount(before.rate_m, before.rate_rad, "m/s", "rad/s")),
          "name fewer joints under v, the others follow from them"};
}

Refusal refusal_of(const LoopDynamics& dynamics, const LoopVerdict& verdict) {
  const Mechanism& mech = dynamics.mechanism();
  switch (verdict.status) {
    case LoopStatus::no_inertia:
      return {"singular",
              fmt::format(
                  "no inertia along a motion that the loops leave free, in which joint '{}' takes the largest part: "
                  "its acceleration is not determined",
                  mech.joints[static_cast<std::size_t>(verdict.joint)].name),
              "give the bodies that move there some mass, or take the freedom away"};
    case LoopStatus::weightless_chain:
      return {
          "singular",
          fmt::format("Lilly and Orin's algorithm takes chains apart, and without the loops joint '{}' has no inertia",
                      mech.joints[static_cast<std::size_t>(verdict.joint)].name),
          "use --solver automatic, or give the bodies of the chain some mass"};
    case LoopStatus::inconsistent:
      if (verdict.joint >= 0) {
        return {"inconsistent",
                fmt::format("the prescribed accelerations contradict the loops: joint '{}' cannot have the one given",
                            mech.joints[static_cast<std::size_t>(verdict.joint)].name),
                "prescribe fewer joints, the others follow from them; or accelerations that go with the loops"};
      }
      return {"inconsistent",
              fmt::format("the constraints contradict each other at this state: {} is missed by {:.3g} m/s²",
                          row_name(dynamics, verdict.row), verdict.residual),
              "this position is singular for this velocity: change the state, or take out one of the redundant "
              "constraints"};
    case LoopStatus::not_converged:
      return {"not-converged",
              fmt::format("elimination did not converge in {} iterations: {} is missed by {:.3g} m/s²",
                          verdict.iterations, row_name(dynamics, verdict.row), verdict.residual),
              "use --solver dense"};
    case LoopStatus::no_star:
      return {"no-star", fmt::format("no body held by chains alone: {}", dynamics.why_no_star()),
              "use --solver automatic"};
    case LoopStatus::not_finite:
      return {"diverged", "a result is not finite: numbers of the state or the model are too large or too small",
              "change the state, or check the numbers of the model"};
    case LoopStatus::ok:
      break;
  }
  return {};
}

}  // namespace

Refusal close_state(LoopDynamics& dynamics, EvalState& state, std::string& how) {
  how = "given";
  const Refusal refusal = close_position(dynamics, state, how);
  return refusal.refuses() ? refusal : close_velocity(dynamics, state, how);
}

Refusal close_loops_of(const Mechanism& mech, EvalState& state) {
  const auto starts_open = [](const JointInfo& joint) { return joint.starts_open; };
  if (mech.is_tree() || std::any_of(mech.joints.begin(), mech.joints.end(), starts_open)) return {};
  LoopDynamics dynamics(mech);
  std::string how;
  return close_state(dynamics, state, how);
}

int answer_no(const Refusal& refusal, bool json) {
  const ordered_json report{{"status", refusal.status}, {"reason", refusal.reason}, {"fix", refusal.fix}};
  if (json) fmt::print("{}\n", report.dump(1));
  print(one_error(refusal.reason, refusal.fix, report["status"]));
  return negative_answer;
}

Refusal complete_accelerations(LoopDynamics& dynamics, EvalState& s) {
  const Mechanism& mech = dynamics.mechanism();
  const std::vector<Driver> drivers = kept(mech, s.a_named, true);
  std::vector<Target> targets;
  for (const Driver& d : drivers) {
    Target target;
    target.acceleration = s.a[static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(d.joint)].v + d.dof)];
    targets.push_back(target);
  }
  LoopSolver solver(mech, drivers);
  std::vector<double> a(s.a.size());
  solver.accelerations(s.state.q, s.state.v, targets, a);
  double worst = 0;
  int worst_driver = -1;
  for (std::size_t k = 0; k < drivers.size(); ++k) {
    const int at = mech.joints[static_cast<std::size_t>(drivers[k].joint)].v + drivers[k].dof;
    const double gap = std::abs(a[static_cast<std::size_t>(at)] - targets[k].acceleration);
    if (gap > worst) worst = gap, worst_driver = static_cast<int>(k);
  }
  if (worst > 1e-6 * (1 + largest(s.a))) {
    return {
        "open-acceleration",
        fmt::format(
            "the accelerations of this state tear the loops apart: joint '{}' cannot have the one given, by {:.3g}",
            mech.joints[static_cast<std::size_t>(drivers[static_cast<std::size_t>(worst_driver)].joint)].name, worst),
        "name fewer joints under a, the others follow from them"};
  }
  s.a = a;
  return {};
}

Refusal solve_forward(LoopDynamics& dynamics, EvalState& s, const Loads& loads, LoopMethod method,
                      LoopVerdict& verdict) {
  const State& x = s.state;
  if (s.is_hybrid() && method == LoopMethod::star) {
    return {"no-star", "Lilly and Orin's method finds accelerations from forces only, and this state prescribes some",
            "take another --solver, or leave prescribed out of the state"};
  }
  verdict = s.is_hybrid() ? dynamics.hybrid(x.q, x.v, s.prescribed, s.a, s.tau, loads, method)
                          : dynamics.forward(x.q, x.v, s.tau, s.a, loads, method);
  return refusal_of(dynamics, verdict);
}

Refusal solve_derivatives(LoopDynamics& dynamics, const EvalState& s, const Loads& loads,
                          const ForwardDerivatives<double>& derivatives) {
  std::vector<double> a(s.a.size());
  return refusal_of(dynamics, dynamics.forward_derivatives(s.state.q, s.state.v, s.tau, a, derivatives, loads));
}

namespace {

// Those that the state names, else the inputs of the model, else all of the tree; each once.
std::vector<JointFreedom> actuated_freedoms(const Mechanism& mech, const EvalState& s) {
  std::vector<JointFreedom> list;
  const auto add = [&](int joint, int dof) {
    const auto is_same = [&](const JointFreedom& f) { return f.joint == joint && f.dof == dof; };
    if (std::none_of(list.begin(), list.end(), is_same)) list.push_back({joint, dof});
  };
  const auto add_all_of = [&](int j) {
    for (int i = 0; i < mech.joints[static_cast<std::size_t>(j)].nv; ++i) add(j, i);
  };
  if (s.actuated) {
    for (const int j : *s.actuated) add_all_of(j);
    return list;
  }
  for (const InputInfo& input : mech.inputs) {
    if (input.joint >= 0) add(input.joint, input.settings.dof);
  }
  for (int j = 0; j < mech.joint_count() && mech.inputs.empty(); ++j) {
    if (mech.joints[static_cast<std::size_t>(j)].role == JointRole::tree) add_all_of(j);
  }
  return list;
}

// Joints all of whose freedoms are there by their name, else freedom by freedom: "slide.travel".
std::vector<std::string> names_of(const Mechanism& mech, const std::vector<JointFreedom>& list) {
  std::vector<std::string> names;
  for (const auto& [j, dof] : list) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(j)];
    const auto count = std::count_if(list.begin(), list.end(), [j = j](const JointFreedom& f) { return f.joint == j; });
    if (count == joint.nv) {
      if (std::find(names.begin(), names.end(), joint.name) == names.end()) names.push_back(joint.name);
    } else {
      names.push_back(fmt::format("{}.{}", joint.name, freedoms(joint.type)[static_cast<std::size_t>(dof)].name));
    }
  }
  return names;
}

Refusal refusal_of(const LoopDynamics& dynamics, const ActuationVerdict& verdict,
                   const std::vector<std::string>& names) {
  const Mechanism& mech = dynamics.mechanism();
  if (!verdict.consistent) {
    return {"inconsistent",
            fmt::format("no accelerations go with this state: {} is missed by {:.3g} m/s²",
                        row_name(dynamics, verdict.worst_row), verdict.residual),
            "this position is singular for this velocity: change the state"};
  }
  if (!verdict.possible) {
    const int freedom = std::max(verdict.unsupported, 0);
    return {
        "not-actuated",
        fmt::format(
            "{} cannot produce this motion: {:.3g} of the force it takes is missing, most of it at joint '{}'",
            names.empty() ? std::string("nothing actuated") : fmt::format("{}", fmt::join(names, ", ")),
            verdict.missing,
            mech
                .joints[static_cast<std::size_t>(
                    mech.links[static_cast<std::size_t>(mech.link_of_dof[static_cast<std::size_t>(freedom)])].joint)]
                .name),
        "actuate more joints (\"actuated\" of the state), or ask for another motion"};
  }
  return {};
}

}  // namespace

Refusal solve_inverse(LoopDynamics& dynamics, EvalState& s, const Loads& loads, ordered_json& closing,
                      ordered_json& loops) {
  const Mechanism& mech = dynamics.mechanism();
  const std::vector<JointFreedom> actuated = actuated_freedoms(mech, s);
  const std::vector<std::string> names = names_of(mech, actuated);
  std::vector<double> u(actuated.size());
  const ActuationVerdict verdict = dynamics.inverse(s.state.q, s.state.v, s.a, actuated, u, loads);
  if (Refusal refusal = refusal_of(dynamics, verdict, names); refusal.refuses()) return refusal;
  std::fill(s.tau.begin(), s.tau.end(), 0.0);
  for (std::size_t k = 0; k < actuated.size(); ++k) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(actuated[k].joint)];
    if (joint.role == JointRole::tree) {
      s.tau[static_cast<std::size_t>(joint.v + actuated[k].dof)] = u[k];
    } else {
      closing[joint.name].push_back(u[k]);
    }
  }
  loops["actuated"] = names;
  loops["actuation"] = verdict.unique ? "unique" : "smallest of many";
  return {};
}

Refusal solve_inverse_derivatives(LoopDynamics& dynamics, const EvalState& s, const Loads& loads,
                                  ActuationDerivatives& found) {
  const Mechanism& mech = dynamics.mechanism();
  const std::vector<JointFreedom> actuated = actuated_freedoms(mech, s);
  found = {};
  for (const auto& [joint, dof] : actuated) {
    found.dofs.push_back(fmt::format("{}.{}", mech.joints[static_cast<std::size_t>(joint)].name, dof));
  }
  std::vector<double> u(actuated.size());
  for (std::vector<double>* matrix : {&found.by_q, &found.by_v, &found.by_a}) matrix->resize(u.size() * s.a.size());
  const ActuationVerdict verdict =
      dynamics.inverse_derivatives(s.state.q, s.state.v, s.a, actuated, u, {found.by_q, found.by_v, found.by_a}, loads);
  return refusal_of(dynamics, verdict, names_of(mech, actuated));
}

ordered_json describe_reference_member(LoopDynamics& dynamics) {
  const LillyOrin& star = *dynamics.star();
  const Mechanism& mech = dynamics.mechanism();
  const auto six = [](const Vec3d& first, const Vec3d& second) {
    return ordered_json{first.x, first.y, first.z, second.x, second.y, second.z};
  };
  const Motion<double> A = star.reference_acceleration_W();
  std::array<double, 36> inertia{};
  star.effective_inertia_W(inertia);
  ordered_json rows = ordered_json::array(), tips = ordered_json::object();
  for (std::size_t i = 0; i < 6; ++i) rows.push_back(std::vector<double>(&inertia[6 * i], &inertia[6 * i] + 6));
  // As reactions: where tips hold against each other, those of Lilly and Orin would be others.
  const std::vector<LoopReaction> reactions = dynamics.reactions();
  for (const StarChain& chain : star.star().chains) {
    for (int k = 0; k < chain.tip_count(); ++k) {
      const auto tip = static_cast<std::size_t>(chain.tip_joint(k));
      const int second = mech.joints[tip].second;
      const bool on_reference =
          second != ground && mech.bodies[static_cast<std::size_t>(second)].link == star.star().reference;
      const Force<double> F = on_reference ? reactions[tip].F_W : -reactions[tip].F_W;
      tips[mech.joints[tip].name] = six(F.n, F.f);
    }
  }
  return {{"body", mech.bodies[static_cast<std::size_t>(star.reference_body())].name},
          {"acceleration", six(A.w, A.v)},
          {"effective_inertia", rows},
          {"tip_forces", tips}};
}

std::string solver_name(LoopMethod method) {
  return method == LoopMethod::star ? "lilly-orin" : method == LoopMethod::elimination ? "elimination" : "dense";
}

ordered_json describe_loops(LoopDynamics& dynamics, const EvalState& state, const std::string& how) {
  const LoopDiagnosis d = dynamics.diagnose(state.state.q, state.state.v);
  ordered_json redundant = ordered_json::array();
  for (const int row : d.redundant) {
    redundant.push_back(
        fmt::format("{} row {}", row_name(dynamics, row), dynamics.rows()[static_cast<std::size_t>(row)].row + 1));
  }
  return {{"state", how},
          {"residual", {{"m", d.gap_m}, {"rad", d.gap_rad}}},
          {"rows", d.rows},
          {"rank", d.rank},
          {"freedoms", d.freedoms},
          {"redundant", redundant},
          {"conditioning", d.conditioning}};
}

}  // namespace trammel::tool
