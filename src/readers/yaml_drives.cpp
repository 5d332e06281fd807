// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `drives`: coordinates that move as prescribed, by position or by velocity over time.

#include <algorithm>

#include <fmt/format.h>

#include "readers/yaml_actuation.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_profiles.hpp"

namespace trammel::readers {

void read_drives(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (!check_section(r, section, "drives", "{joint: {position: \"0.5*sin(2*t)\"}, …}")) return;
  for (const Node::Child& child : section.children) {
    const std::string subject = "drive " + quote(child.key->text);
    if (child.value->find("position") != nullptr && child.value->find("velocity") != nullptr) {
      r.messages.error(child.key->where, "kind-unclear", subject + " prescribes both 'position' and 'velocity'",
                       "keep one of them; the other follows");
      continue;
    }
    const std::string kind = read_kind(r, *child.key, *child.value, subject, {"position", "velocity"},
                                       "{position: \"0.5*sin(2*t)\"}, or {velocity: 10}");
    const auto coordinate = find_coordinate(r, *child.key, child.key->text, subject, joints, "move");
    if (kind.empty()) continue;
    const Fields fields(r, *child.value, "drive", subject);
    if (!coordinate) continue;
    const Joint& joint = r.model.joints[coordinate->joint];
    Drive drive;
    drive.kind = kind == "position" ? Drive::Kind::position : Drive::Kind::velocity;
    drive.joint = joint.name;
    drive.dof = coordinate->dof;
    drive.name = nv(joint.type) == 1 ? joint.name : fmt::format("{}.{}", joint.name, coordinate->freedom.name);
    drive.where = child.key->where;
    const Dimension dimension =
        drive.kind == Drive::Kind::position ? coordinate->freedom.dimension : rate_of(coordinate->freedom);
    auto motion = read_profile(r, *fields.find(kind), fields.what(kind), dimension);
    if (!motion) continue;
    drive.motion = std::move(*motion);
    const auto same = [&](const Drive& other) { return other.joint == drive.joint && other.dof == drive.dof; };
    if (std::any_of(r.model.drives.begin(), r.model.drives.end(), same)) {
      r.messages.error(child.key->where, "drive-twice", subject + " moves a coordinate that a drive moves already",
                       "delete one of them");
      continue;
    }
    r.model.drives.push_back(std::move(drive));
  }
}

}  // namespace trammel::readers
