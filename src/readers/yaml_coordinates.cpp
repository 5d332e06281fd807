// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Finding one freedom of one joint by the words that a file uses for it.

#include <fmt/format.h>

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

namespace {

std::optional<Coordinate> choose(Reading& r, const Node& node, std::size_t index, const std::string& wanted,
                                 const std::string& subject, std::string_view to, bool any_freedom) {
  const Joint& joint = r.model.joints[index];
  const std::vector<Freedom> all = freedoms(joint.type);
  if (all.empty() || (nq(joint.type) != nv(joint.type) && !any_freedom)) {
    const bool by_actuator = to == "move" && std::holds_alternative<Spherical>(joint.type);
    r.messages.error(node.where, "coupling-freedom",
                     fmt::format("{} names {}, which has no single coordinate to {}", subject, title_of(joint), to),
                     by_actuator
                         ? fmt::format("turn it by an actuator, such as {{position: {}, stiffness: 100}}", joint.name)
                         : fmt::format("{} revolute, prismatic, helical, cylindrical, universal or planar joints", to));
    return std::nullopt;
  }
  std::vector<std::string> examples;
  for (std::size_t i = 0; i < all.size(); ++i) {
    examples.push_back(fmt::format("{}.{}", joint.name, all[i].name));
    const bool only_one = wanted.empty() && all.size() == 1;
    if (only_one || wanted == all[i].name || wanted == std::to_string(i)) {
      return Coordinate{index, static_cast<int>(i), all[i]};
    }
  }
  r.messages.error(
      node.where, "coupling-freedom",
      wanted.empty()
          ? fmt::format("{} names {}, which has {} freedoms", subject, title_of(joint), all.size())
          : fmt::format("{} names a freedom {} that {} does not have", subject, quote(wanted), title_of(joint)),
      "write " + one_of(examples));
  return std::nullopt;
}

}  // namespace

std::optional<Coordinate> find_coordinate(Reading& r, const Node& node, const std::string& name,
                                          const std::string& subject, const std::vector<JointDraft>& joints,
                                          std::string_view to, bool any_freedom) {
  std::string joint_name = name, freedom;
  auto index = r.joints.find(name);
  if (!index) {
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) {
      joint_name = name.substr(0, dot);
      freedom = name.substr(dot + 1);
      index = r.joints.find(joint_name);
    }
  }
  if (!index) {
    r.messages.error(node.where, "joint-unknown",
                     fmt::format("{} names a joint {} that is not there", subject, quote(joint_name)),
                     r.messages.guess_or(joint_name, r.joints.list(), "name a joint of the file"));
    return std::nullopt;
  }
  if (!joints[*index].has_type) return std::nullopt;  // reported already
  return choose(r, node, *index, freedom, subject, to, any_freedom);
}

}  // namespace trammel::readers
