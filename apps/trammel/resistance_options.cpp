// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "resistance_options.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "session.hpp"

namespace trammel::tool {
namespace {

template <class List>
std::string near_name(const List& list, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  const std::string near = did_you_mean(word, names);
  return near.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near);
}

std::optional<double> whole_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || std::isnan(x)) return std::nullopt;
  return x;
}

}  // namespace

std::optional<PointOfBody> parse_point(const Mechanism& mech, const std::string& text, Diagnostics& problems) {
  const auto colon = text.find(':');
  const std::string body = text.substr(0, colon);
  PointOfBody out;
  out.body = mech.find_body(body);
  if (out.body == Mechanism::not_found) {
    problems.error({}, "option-value", fmt::format("--at: there is no body '{}'", body), near_name(mech.bodies, body));
    return std::nullopt;
  }
  if (out.body == ground || mech.bodies[static_cast<std::size_t>(out.body)].link == ground) {
    problems.error({}, "option-value", fmt::format("--at: body '{}' does not move", body),
                   "name a body that can be moved");
    return std::nullopt;
  }
  if (colon == std::string::npos) return out;
  const std::string where = text.substr(colon + 1);
  for (const OutputInfo& output : mech.outputs) {
    if (output.name != where) continue;
    if (output.body != out.body) {
      problems.error(
          {}, "option-value",
          fmt::format("--at: point '{}' is on body '{}', not on '{}'", where, body_name(mech, output.body), body),
          fmt::format("write --at {}:{}", body_name(mech, output.body), where));
      return std::nullopt;
    }
    out.p_B = output.p_B;
    return out;
  }
  if (where.find(',') == std::string::npos) {
    problems.error({}, "option-value", fmt::format("--at: the model has no output '{}'", where),
                   mech.outputs.empty() ? "write three coordinates in the body's frame: --at " + body + ":x,y,z"
                                        : near_name(mech.outputs, where));
    return std::nullopt;
  }
  const std::string wrong = parse_vector(where, out.p_B);
  if (!wrong.empty()) {
    problems.error({}, "option-value", "--at: " + wrong,
                   "write three coordinates in the body's frame: --at " + body + ":x,y,z");
    return std::nullopt;
  }
  const auto si = [&](double x) { return mech.units.in_si(x, dimension::length); };
  out.p_B = {si(out.p_B.x), si(out.p_B.y), si(out.p_B.z)};
  return out;
}

bool parse_of_joint(const Mechanism& mech, const std::string& option, const std::string& text, bool may_be_infinite,
                    std::vector<double>& numbers, Diagnostics& problems) {
  const auto refuse = [&](const std::string& what, const std::string& fix) {
    problems.error({}, "option-value", option + ": " + what, fix);
    return false;
  };
  const auto equals = text.find('=');
  if (equals == std::string::npos) return refuse(fmt::format("'{}' names no number", text), "write JOINT=number");
  const std::string name = text.substr(0, equals);
  const std::optional<double> size = whole_number(text.substr(equals + 1));
  if (!size) return refuse(fmt::format("'{}' is no number", text.substr(equals + 1)), "write JOINT=number");
  if (*size < 0) return refuse(fmt::format("the resistance of '{}' is negative: {}", name, *size), "give zero or more");
  if (!may_be_infinite && *size > 1)
    return refuse(fmt::format("the share of '{}' is {}, more than 1", name, *size), "0 is free, 1 is locked");
  for (const JointInfo& joint : mech.joints) {
    if (name != joint.name && !name.starts_with(joint.name + ".")) continue;
    if (joint.role == JointRole::closure) {
      return refuse(fmt::format("joint '{}' closes a loop and has no coordinate here", joint.name),
                    "name a joint of the tree: `trammel check` lists them");
    }
    if (joint.nv == 0) return refuse(fmt::format("joint '{}' does not move", joint.name), "name a joint that does");
    if (find_floating_tree(mech, mech.links[static_cast<std::size_t>(joint.link)].body).base_joint ==
        static_cast<int>(&joint - mech.joints.data())) {
      return refuse(fmt::format("joint '{}' is a base that floats: nothing is there that could resist", joint.name),
                    "name a joint between bodies");
    }
    const std::vector<Freedom> freedoms_of = freedoms(joint.type);
    bool found = false;
    for (int k = 0; k < joint.nv; ++k) {
      const std::string one = fmt::format("{}.{}", joint.name, freedoms_of[static_cast<std::size_t>(k)].name);
      if (name != joint.name && name != one) continue;
      double& here = numbers[static_cast<std::size_t>(joint.v + k)];
      if (std::exchange(here, *size) != 0) return refuse(fmt::format("'{}' is given twice", one), "keep one of them");
      found = true;
    }
    if (found) return true;
    std::vector<std::string> names;
    for (const Freedom& freedom : freedoms_of) names.push_back(fmt::format("{}.{}", joint.name, freedom.name));
    return refuse(fmt::format("joint '{}' has no freedom '{}'", joint.name, name.substr(joint.name.size() + 1)),
                  fmt::format("write {} or one of: {}", joint.name, fmt::join(names, ", ")));
  }
  return refuse(fmt::format("there is no joint '{}'", name), near_name(mech.joints, name));
}

}  // namespace trammel::tool
