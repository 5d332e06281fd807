// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/time_breaks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {
namespace {

// Halves [a, b] towards the larger change. Where f is smooth, that shrinks with the interval; a jump stays. Returns the last number before
// it, or NaN.
double halve_to_jump(const std::function<double(double)>& f, double a, double fa, double b, double fb) {
  constexpr double shrinks = 0.6;  // a half of what is smooth has about half of the change
  double change = std::abs(fb - fa);
  while (std::nextafter(a, b) < b) {
    const double middle = a + (b - a) / 2, fm = f(middle);
    const double first = std::abs(fm - fa), second = std::abs(fb - fm);
    const double larger = std::max(first, second);
    if (!(larger >= shrinks * change && larger < infinity)) return std::numeric_limits<double>::quiet_NaN();
    change = larger;
    if (first >= second) {
      b = middle, fb = fm;
    } else {
      a = middle, fa = fm;
    }
  }
  return a;
}

}  // namespace

std::vector<double> find_jumps(const std::function<double(double)>& f, double from, double to, int parts) {
  std::vector<double> list;
  double a = from, fa = f(a);
  for (int i = 1; i <= parts; ++i) {
    const double b = i == parts ? to : from + (to - from) * i / parts, fb = f(b);
    if (fb != fa && b > a) {
      if (const double at = halve_to_jump(f, a, fa, b, fb); !std::isnan(at)) list.push_back(at);
    }
    a = b, fa = fb;
  }
  return list;
}

TimeBreaks::TimeBreaks(const Mechanism& mech, double start, double end)
    : spacing_((end - start) / parts), known_until_(start) {
  // Those of the state too: where they jump with time, they do so at almost any state. This one is not special in any way.
  std::vector<double> state;
  for (std::size_t i = 0; i < mech.state_variables.size(); ++i) state.push_back(0.73 + 0.0917 * static_cast<double>(i));
  const auto add_state_function = [&](const StateFunction& f) {
    if (f.of_time.expression.uses(0)) functions_.emplace_back([&f, state](double t) { return f.at(t, state); });
  };
  const auto add_profile = [&](const Profile& f) {
    if (f.table.empty() && !f.is_constant()) functions_.emplace_back([&f](double t) { return f.at(t); });
  };
  for (const LoadInfo& load : mech.loads) {
    if (load.settings.size) add_state_function(*load.settings.size);
    if (load.settings.components) {
      for (const StateFunction& component : *load.settings.components) add_state_function(component);
    }
  }
  for (const ActuatorInfo& actuator : mech.actuators) {
    for (const Profile& target : actuator.settings.target) add_profile(target);
  }
  for (const DriveInfo& drive : mech.drives) add_profile(drive.settings.motion);
}

void TimeBreaks::look(double from, double to) {
  constexpr double fewest = 16;
  const int pieces =
      static_cast<int>(std::clamp(std::ceil((to - from) / spacing_), fewest, static_cast<double>(parts)));
  for (const auto& f : functions_) {
    const std::vector<double> jumps = find_jumps(f, from, to, pieces);
    breaks_.insert(breaks_.end(), jumps.begin(), jumps.end());
  }
  std::sort(breaks_.begin(), breaks_.end());
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end()), breaks_.end());
}

double TimeBreaks::next(double t, double until) {
  if (functions_.empty() || !std::isfinite(until)) return infinity;
  if (until > known_until_) {
    look(known_until_, until);
    known_until_ = until;
  }
  const auto found = std::lower_bound(breaks_.begin(), breaks_.end(), t);
  return found == breaks_.end() ? infinity : *found;
}

}  // namespace trammel
