// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulate_start.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <trammel/core/series.hpp>
#include <trammel/loop_dynamics.hpp>

#include "eval_loops.hpp"

namespace trammel::tool {
namespace {

using At = std::size_t;

class DrivenStart {
 public:
  DrivenStart(const Drive& drive, bool strict, Diagnostics& diagnostics)
      : drive_(drive), strict_(strict), diagnostics_(diagnostics) {}

  void begin(const char* what, double as_driven, double& given, char& named) {
    if (named != 0 && std::abs(given - as_driven) > 1e-9 * (1 + std::abs(as_driven))) tell(what, given, as_driven);
    given = as_driven;
    named = 1;
  }

 private:
  void tell(const char* what, double given, double as_driven) {
    std::string text = fmt::format("{} of '{}' is {:.6g} in the initial state, and its drive begins with {:.6g} (SI)",
                                   what, drive_.name, given, as_driven);
    if (strict_) {
      diagnostics_.error(drive_.where, "drive-start", std::move(text),
                         "let both begin alike, or leave out --strict: the drive counts");
    } else {
      diagnostics_.warning(drive_.where, "drive-start", text + ": the drive counts", "let both begin alike");
    }
  }

  const Drive& drive_;
  bool strict_;
  Diagnostics& diagnostics_;
};

// Of more names than there are freedoms the last ones follow from the others, and what they were given is but nearly that. Takes names away,
// the last first, until the loops close; false where they never do.
bool close_with_fewer(const Mechanism& mech, EvalState& start, std::vector<char> EvalState::*names) {
  EvalState fewer = start;
  std::vector<char>& named = fewer.*names;
  for (At k = named.size(); k-- > 0;) {
    if (named[k] == 0) continue;
    named[k] = 0;
    EvalState closed = fewer;
    if (close_loops_of(mech, closed).refuses()) continue;
    start = closed;
    return true;
  }
  return false;
}

struct Moved {
  std::string name;
  double given = 0, taken = 0;

  double by() const { return std::abs(taken - given) / (1 + std::abs(given)); }
};

// The named coordinate, or its rate, that closing has moved most.
Moved moved_most(const Mechanism& mech, const std::vector<char>& named, bool rates, const State& given,
                 const State& taken) {
  Moved most;
  for (const JointInfo& joint : mech.joints) {
    if (joint.role != JointRole::tree || joint.nq != joint.nv) continue;
    for (int i = 0; i < joint.nv; ++i) {
      if (named[static_cast<At>(joint.v + i)] == 0) continue;
      const auto k = static_cast<At>(rates ? joint.v + i : joint.q + i);
      const Moved here{joint.name, rates ? given.v[k] : given.q[k], rates ? taken.v[k] : taken.q[k]};
      if (here.by() > most.by()) most = here;
    }
  }
  return most;
}

// Closes loops; what was named beyond need, and nearly fits, is mended, and told. False: the state is left as it is.
bool close_nearly(const Mechanism& mech, bool strict, EvalState& start, Diagnostics& diagnostics) {
  constexpr double nearly = 1e-3, exact = 1e-9;
  EvalState closed = start;
  std::fill(closed.v_named.begin(), closed.v_named.end(), 0);
  std::fill(closed.state.v.begin(), closed.state.v.end(), 0.0);
  EvalState placed = closed;
  if (close_loops_of(mech, placed).refuses()) {
    placed = closed;
    if (!close_with_fewer(mech, placed, &EvalState::q_named)) return false;
  }
  const Moved q = moved_most(mech, start.q_named, false, start.state, placed.state);
  placed.q_named = start.q_named, placed.v_named = start.v_named, placed.state.v = start.state.v;
  EvalState moving = placed;
  if (close_loops_of(mech, moving).refuses() && !close_with_fewer(mech, moving = placed, &EvalState::v_named))
    return false;
  const Moved v = moved_most(mech, start.v_named, true, start.state, moving.state);
  if (q.by() > nearly || v.by() > nearly) return false;
  const auto tell = [&](const Moved& moved, const char* what) {
    if (moved.by() <= exact) return;
    std::string text = fmt::format("{} of '{}' is {:.9g} in the initial state; with the other joints it is {:.9g} (SI)",
                                   what, moved.name, moved.given, moved.taken);
    if (strict) {
      diagnostics.error({}, "start-moved", std::move(text),
                        "leave it out: it follows from the others; or leave out --strict");
    } else {
      diagnostics.warning({}, "start-moved", std::move(text), "leave it out: it follows from the others");
    }
  };
  tell(q, "the position"), tell(v, "the velocity");
  moving.q_named = start.q_named, moving.v_named = start.v_named;
  start = moving;
  return true;
}

}  // namespace

void complete_start(const Mechanism& mech, bool strict, EvalState& start, Diagnostics& diagnostics) {
  for (const DriveInfo& info : mech.drives) {
    const Drive& drive = info.settings;
    const JointInfo& joint = mech.joints[static_cast<At>(info.joint)];
    const Series<2> motion = drive.motion.at(Series<2>::time(start.state.t));
    const auto q = static_cast<At>(joint.q + drive.dof), v = static_cast<At>(joint.v + drive.dof);
    const bool by_velocity = drive.kind == Drive::Kind::velocity;
    DrivenStart driven(drive, strict, diagnostics);
    if (!by_velocity) driven.begin("the position", motion.derivative(0), start.state.q[q], start.q_named[v]);
    driven.begin("the velocity", motion.derivative(by_velocity ? 0 : 1), start.state.v[v], start.v_named[v]);
  }
  EvalState closed = start;
  if (!close_loops_of(mech, closed).refuses()) {
    start = closed;
  } else {
    close_nearly(mech, strict, start, diagnostics);
  }
}

}  // namespace trammel::tool
