// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulate_start.hpp"

#include <algorithm>
#include <cmath>

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
  if (!close_loops_of(mech, closed).refuses()) start = closed;
}

}  // namespace trammel::tool
