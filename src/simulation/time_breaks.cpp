// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/time_breaks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <trammel/core/series.hpp>

namespace trammel {
namespace {

// Halves [a, b] towards the larger change. Where f is smooth, that shrinks with the interval; a jump stays, and what has stayed through
// twenty halvings is one. Returns the last number before it, or NaN.
double halve_to_jump(const std::function<double(double)>& f, double a, double fa, double b, double fb) {
  constexpr double shrinks = 0.6;  // a half of what is smooth has about half of the change
  constexpr double certain = 1e-6;
  const double narrow = certain * (b - a);
  double change = std::abs(fb - fa);
  while (std::nextafter(a, b) < b) {
    const double middle = a + (b - a) / 2, fm = f(middle);
    const double first = std::abs(fm - fa), second = std::abs(fb - fm);
    const double larger = std::max(first, second);
    if (!(larger < infinity) || (b - a > narrow && !(larger >= shrinks * change))) {
      return std::numeric_limits<double>::quiet_NaN();
    }
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

std::vector<double> find_jumps(const std::function<double(double)>& f, double from, double to, int parts,
                               std::vector<double>* seen) {
  std::vector<double> list;
  double a = from, fa = f(a);
  if (seen != nullptr) *seen = {fa};
  for (int i = 1; i <= parts; ++i) {
    const double b = i == parts ? to : from + (to - from) * i / parts, fb = f(b);
    if (fb != fa && b > a) {
      if (const double at = halve_to_jump(f, a, fa, b, fb); !std::isnan(at)) {
        if (list.empty() || list.back() < at) list.push_back(at);
        // sign(t − 1) has a value of its own at 1: it jumps before that, and behind it.
        const double there = std::nextafter(at, b), behind = std::nextafter(there, infinity);
        if (std::abs(f(behind) - f(there)) > 0.1 * std::abs(fb - fa)) list.push_back(there);
      }
    }
    a = b, fa = fb;
    if (seen != nullptr) seen->push_back(fb);
  }
  return list;
}

TimeBreaks::TimeBreaks(const Mechanism& mech, double start, const SimulationOptions& options,
                       std::span<const double> values)
    : spacing_((options.until - start) / parts), known_until_(start) {
  if (!has_error_control(options.integrator)) spacing_ = std::max(spacing_, options.step / 4);
  std::vector<std::vector<double>> states{{values.begin(), values.end()}};
  for (const double size : {0.0, 0.73, -0.73, 50.0, -50.0}) {  // not special in any way, but for 0
    std::vector<double> state;
    for (std::size_t i = 0; i < values.size(); ++i) state.push_back(size * (1 + 0.126 * static_cast<double>(i)));
    states.push_back(std::move(state));
  }
  const auto add_state_function = [&](const StateFunction& f) {
    if (!f.of_time.expression.uses(0)) return;
    if (f.is_of_time()) {
      functions_.emplace_back([&f](double t) { return f.at(t); });
      rates_.emplace_back([&f](double t) { return f.of_time.at(Series<1>::time(t)).derivative(1); });
      return;
    }
    for (const std::vector<double>& state : states) {
      functions_.emplace_back([&f, state](double t) { return f.at(t, state); });
    }
  };
  // `rate`: the first one that may jump without a jump of forces. Of tables all knots are taken.
  const auto add_profile = [&]<int rate>(const Profile& f, std::integral_constant<int, rate>) {
    if (f.is_constant()) return;
    functions_.emplace_back([&f](double t) { return f.at(t); });
    kinks_.insert(kinks_.end(), f.table.x().begin(), f.table.x().end());
    if (!f.table.empty()) return;
    rates_.emplace_back([&f](double t) { return f.at(Series<rate>::time(t)).derivative(rate); });
  };
  for (const LoadInfo& load : mech.loads) {
    if (load.settings.size) add_state_function(*load.settings.size);
    if (load.settings.components) {
      for (const StateFunction& component : *load.settings.components) add_state_function(component);
    }
  }
  for (const ActuatorInfo& actuator : mech.actuators) {
    for (const Profile& target : actuator.settings.target) add_profile(target, std::integral_constant<int, 1>{});
  }
  for (const DriveInfo& drive : mech.drives) {
    const Profile& motion = drive.settings.motion;
    add_profile(motion, std::integral_constant<int, 3>{});
    for (const int rate : {1, 2}) {
      if (motion.is_constant()) continue;
      functions_.emplace_back([&motion, rate](double t) { return motion.at(Series<2>::time(t)).derivative(rate); });
    }
  }
  for (const EventInfo& event : mech.events) add_state_function(event.settings.when);
  for (const Medium& medium : mech.fluid.media) {
    if (!options.fluid || !medium.current.formula) continue;
    for (const FlowFunction& f : *medium.current.formula) {
      if (!f.expression.uses(0)) continue;
      for (const Vec3d& p : {Vec3d{}, Vec3d{0.73, -0.61, -0.87}}) {
        functions_.emplace_back([&f, p](double t) { return f.at(t, p); });
      }
    }
  }
  ranges_.resize(functions_.size());
  std::sort(kinks_.begin(), kinks_.end());
}

void TimeBreaks::look(double from, double to) {
  constexpr double fewest = 16;
  constexpr int of_a_stretch = 50;
  const int pieces =
      static_cast<int>(std::clamp(std::ceil((to - from) / spacing_), fewest, static_cast<double>(parts)));
  const double spacing = (to - from) / pieces;
  const std::size_t known = stretches_.size();
  for (int i = 0; i < pieces; i += of_a_stretch) stretches_.push_back({from + i * spacing, infinity});
  std::vector<double> seen;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const std::vector<double> jumps = find_jumps(functions_[k], from, to, pieces, &seen);
    breaks_.insert(breaks_.end(), jumps.begin(), jumps.end());
    // Jumps are no bends: what lies beside one is left out.
    for (const double jump : jumps) {
      const auto before = static_cast<std::size_t>(std::clamp((jump - from) / spacing, 0.0, pieces - 1.0));
      seen[before] = std::numeric_limits<double>::quiet_NaN();
    }
    find_bends(k, seen, from, spacing, std::span(stretches_).subspan(known));
  }
  for (const auto& rate : rates_) {
    // What is continuous has the same value on both sides: the first number behind is as good, and on the grid more often.
    for (const double jump : find_jumps(rate, from, to, pieces)) kinks_.push_back(std::nextafter(jump, infinity));
  }
  std::sort(kinks_.begin(), kinks_.end());
  std::sort(breaks_.begin(), breaks_.end());
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end()), breaks_.end());
}

void TimeBreaks::find_bends(std::size_t f, const std::vector<double>& values, double from, double spacing,
                            std::span<Stretch> stretches) {
  Range& range = ranges_[f];
  for (const double x : values) {
    if (std::isfinite(x)) range = {std::min(range.least, x), std::max(range.most, x)};
  }
  const double span = range.most - range.least, size = std::max(std::abs(range.least), std::abs(range.most));
  constexpr double round_off = 1e-14;  // of a second difference
  if (!(span > round_off * size)) return;
  std::size_t s = 0;
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    const double bend = std::abs(values[i + 1] - 2 * values[i] + values[i - 1]);
    if (!(bend > round_off * size)) continue;  // or beside a jump
    const double t = from + static_cast<double>(i - 1) * spacing;
    while (s + 1 < stretches.size() && stretches[s + 1].from <= t) ++s;
    stretches[s].longest = std::min(stretches[s].longest, std::max(spacing, spacing * std::sqrt(span / bend)));
  }
}

bool TimeBreaks::knows(double until) {
  if (functions_.empty() || !std::isfinite(until)) return false;
  if (until > known_until_) {
    look(known_until_, until);
    known_until_ = until;
  }
  return true;
}

double TimeBreaks::next(double t, double until) {
  if (!knows(until)) return infinity;
  const auto found = std::lower_bound(breaks_.begin(), breaks_.end(), t);
  return found == breaks_.end() ? infinity : *found;
}

double TimeBreaks::next_kink(double t, double until) {
  if (!knows(until)) return infinity;
  const auto found = std::upper_bound(kinks_.begin(), kinks_.end(), t);
  return found == kinks_.end() ? infinity : *found;
}

double TimeBreaks::reach(double t, double until) {
  if (!knows(until)) return infinity;
  auto here = std::upper_bound(stretches_.begin(), stretches_.end(), t,
                               [](double at, const Stretch& s) { return at < s.from; });
  if (here != stretches_.begin()) --here;
  double end = infinity;
  for (; here != stretches_.end() && here->from < end; ++here) {
    if (here->longest == infinity) continue;
    // Up to where it begins, or as far into it as its steps go.
    const bool ahead = here->from - t > 1e-3 * here->longest;
    end = std::min(end, ahead ? std::max(here->from, t + here->longest) : t + here->longest);
  }
  return end;
}

std::span<const double> TimeBreaks::all(double until) {
  if (!knows(until)) return {};
  return {breaks_.data(),
          static_cast<std::size_t>(std::upper_bound(breaks_.begin(), breaks_.end(), until) - breaks_.begin())};
}

}  // namespace trammel
