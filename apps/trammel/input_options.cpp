// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "input_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "session.hpp"

namespace trammel::tool {
namespace {

constexpr int most_positions = 1'000'000;  // of about 3 kB each
constexpr double largest_input = 1e9;      // SI

bool read_double(std::string_view text, double& out) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(out);
}

// Those that can be driven; empty where there are none.
std::string joints_there_are(const Mechanism& mech) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names;
  for (const JointInfo& joint : mech.joints) {
    if (joint.nv > 0 && joint.nq == joint.nv) names.push_back(joint.name);
  }
  if (names.empty()) return "";
  const bool cut = names.size() > most;
  names.resize(std::min(names.size(), most));
  return fmt::format("name one of the joints {}{}", fmt::join(names, ", "), cut ? ", …" : "");
}

// The smallest step of two digits with which a range, for each of so many positions of the other inputs, is not too long.
double step_that_fits(double range, double of_others) {
  const double allowed = std::max(1.0, std::floor(most_positions / of_others));
  const double least = std::abs(range) / allowed, digit = std::pow(10, std::floor(std::log10(least)) - 1);
  return std::copysign((std::floor(least / digit) + 1) * digit, range);
}

Dimension rate_of(Dimension d, int order) {
  d.time -= order;
  return d;
}

}  // namespace

std::string find_coordinate(const Mechanism& mech, const std::string& text, Coordinate& out) {
  out.joint = mech.find_joint(text);
  if (out.joint < 0) {
    const std::size_t dot = text.rfind('.');
    if (dot != std::string::npos && dot + 1 < text.size()) {
      const std::string freedom = text.substr(dot + 1);
      const int joint = mech.find_joint(text.substr(0, dot));
      const char* end = freedom.data() + freedom.size();
      const auto parsed = std::from_chars(freedom.data(), end, out.dof);
      if (parsed.ec == std::errc() && parsed.ptr == end) out.joint = joint;
      if (joint >= 0 && out.joint < 0) {  // by name, as in files: "guide.travel"
        const std::vector<Freedom> list = freedoms(mech.joints[joint].type);
        const auto named = std::find_if(list.begin(), list.end(), [&](const Freedom& f) { return f.name == freedom; });
        out.joint = joint;
        if (named == list.end()) {
          std::vector<std::string_view> names;
          for (const Freedom& f : list) names.push_back(f.name);
          return fmt::format("joint '{}' has no freedom '{}', but {}", mech.joints[joint].name, freedom,
                             names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", ")));
        }
        out.dof = static_cast<int>(named - list.begin());
      }
    }
  }
  if (out.joint < 0) {
    std::vector<std::string> names;
    for (const JointInfo& joint : mech.joints) names.push_back(joint.name);
    const std::string near = did_you_mean(text, names);
    return fmt::format("there is no joint '{}' in this linkage{}", text,
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  const JointInfo& joint = mech.joints[out.joint];
  if (out.dof < 0 || out.dof >= joint.nv) return fmt::format("joint '{}' has no freedom {}", joint.name, out.dof);
  if (joint.nq != joint.nv) {
    return fmt::format("joint '{}' is {}: its coordinates cannot be driven one by one", joint.name,
                       keyword(joint.type));
  }
  out.dimension = freedoms(joint.type)[out.dof].dimension;
  return "";
}

std::string split_option(const std::string& text, std::size_t most_numbers, std::string& name,
                         std::vector<double>& numbers) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return fmt::format("'{}' is not of the form JOINT=NUMBER", text);
  name = text.substr(0, equals);
  std::size_t begin = equals + 1;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    double x = 0;
    if (!read_double(std::string_view(text).substr(begin, end - begin), x)) {
      return fmt::format("'{}' is not a number", text.substr(begin, end - begin));
    }
    numbers.push_back(x);
    begin = end + 1;
  }
  if (numbers.size() > most_numbers) return fmt::format("'{}' has more than {} numbers", text, most_numbers);
  return "";
}

std::vector<std::string> InputOptions::joints() const {
  std::vector<std::string> names;
  for (const std::string& text : inputs) names.push_back(text.substr(0, text.rfind('=')));
  return names;
}

std::string input_name(const Mechanism& mech, const SweepInput& input) {
  const JointInfo& joint = mech.joints[input.driver.joint];
  return joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, input.driver.dof);
}

bool collect_inputs(const Mechanism& mech, const InputOptions& options, bool needed, AnalysisOptions& out,
                    Diagnostics& problems) {
  out.inputs = inputs_of(mech);
  if (!options.inputs.empty()) out.inputs.clear();
  const auto complain = [&](const std::string& option, const std::string& what, const std::string& fix) {
    problems.error({}, "option-value", fmt::format("{}: {}", option, what),
                   fix.empty() ? fmt::format("write {} JOINT={}, in the model's units", option,
                                             option == "--input" ? "from:to:step" : "number")
                               : fix);
  };
  double positions = 1;
  for (const std::string& text : options.inputs) {
    std::string name;
    std::vector<double> numbers;
    Coordinate coordinate;
    std::string wrong = split_option(text, 3, name, numbers);
    std::string fix;
    if (wrong.empty()) {
      wrong = find_coordinate(mech, name, coordinate);
      if (coordinate.joint < 0) fix = joints_there_are(mech);
    }
    if (wrong.empty() && numbers.size() == 2) wrong = "give from:to:step, or one value";
    for (const double x : numbers) {
      if (wrong.empty() && std::abs(mech.units.in_si(x, coordinate.dimension)) > largest_input)
        wrong = fmt::format("{} is too large: the digits behind its turns would be lost", x);
    }
    if (wrong.empty() && numbers.size() == 3 && numbers[0] != numbers[1] &&
        !((numbers[1] - numbers[0]) * numbers[2] > 0)) {
      wrong = fmt::format("a step of {} does not lead from {} to {}", numbers[2], numbers[0], numbers[1]);
    }
    if (wrong.empty() && numbers.size() == 3 && numbers[0] != numbers[1]) {
      const double of_others = positions;
      positions *= 1 + std::floor((numbers[1] - numbers[0]) / numbers[2]);
      if (positions > most_positions) {
        wrong = fmt::format("more than {} positions in all", most_positions);
        fix = fmt::format("write --input {}={}:{}:{:.2g}, or a larger step{}", name, numbers[0], numbers[1],
                          step_that_fits(numbers[1] - numbers[0], of_others),
                          of_others > 1 ? ", or a larger one of another input" : "");
      }
    }
    for (const SweepInput& other : out.inputs) {
      if (wrong.empty() && other.driver.joint == coordinate.joint && other.driver.dof == coordinate.dof) {
        wrong = fmt::format("'{}' is driven twice", name);
      }
    }
    if (!wrong.empty()) {
      complain("--input", wrong, fix);
      continue;
    }
    SweepInput input;
    input.driver.joint = coordinate.joint;
    input.driver.dof = coordinate.dof;
    const auto si = [&](double x) { return mech.units.in_si(x, coordinate.dimension); };
    input.from = input.to = si(numbers[0]);
    if (numbers.size() == 3) input.to = si(numbers[1]), input.step = si(numbers[2]);
    for (const SweepInput& of_file : inputs_of(mech)) {  // its speed still holds
      if (of_file.driver.joint != input.driver.joint || of_file.driver.dof != input.driver.dof) continue;
      input.speed = of_file.speed;
      input.acceleration = of_file.acceleration;
    }
    out.inputs.push_back(input);
  }
  // Options that give a number to an input: use(its index, the number, what the coordinate is).
  const bool inputs_are_known = !problems.has_errors();
  const auto give = [&](const char* option, const std::vector<std::string>& texts, const auto& use) {
    for (const std::string& text : texts) {
      std::string name;
      std::vector<double> numbers;
      Coordinate coordinate;
      std::string wrong = split_option(text, 1, name, numbers);
      std::string fix;
      if (wrong.empty()) {
        wrong = find_coordinate(mech, name, coordinate);
        if (coordinate.joint < 0) fix = joints_there_are(mech);
      }
      bool found = false;
      for (std::size_t k = 0; wrong.empty() && k < out.inputs.size(); ++k) {
        if (out.inputs[k].driver.joint != coordinate.joint || out.inputs[k].driver.dof != coordinate.dof) continue;
        use(k, numbers[0], coordinate.dimension);
        found = true;
      }
      if (wrong.empty() && !found && inputs_are_known) wrong = fmt::format("'{}' is no input", name);
      if (!wrong.empty()) complain(option, wrong, fix);
    }
  };
  give("--speed", options.speeds,
       [&](std::size_t k, double x, const Dimension& d) { out.inputs[k].speed = mech.units.in_si(x, rate_of(d, 1)); });
  give("--accel", options.accelerations, [&](std::size_t k, double x, const Dimension& d) {
    out.inputs[k].acceleration = mech.units.in_si(x, rate_of(d, 2));
  });
  if (!options.drives.empty()) out.given_drive.assign(out.inputs.size(), 0.0);
  give("--drive", options.drives, [&](std::size_t k, double x, const Dimension& d) {
    out.given_drive[k] = mech.units.in_si(x, d == dimension::angle ? dimension::torque : dimension::force);
  });
  if (out.inputs.empty() && needed && !problems.has_errors()) {
    problems.error({}, "input-missing", "no input is given, in the file or by --input",
                   fmt::format("say what moves: --input JOINT=from:to:step, or an inputs section in the file{}",
                               out.forces ? "; forces in a structure that stands still: --as-drawn" : ""));
  }
  return !problems.has_errors();
}

}  // namespace trammel::tool
