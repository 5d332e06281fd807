// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The URDF reader, from text to model: materials and links are declared, then joints, then each is read; last the tree
// gives every link its place. What URDF says about other programs (gazebo, transmission, …) is named once and left out.
//                                                                                            docs/formats/urdf.md

#include <cmath>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/urdf_reading.hpp"

namespace trammel::readers::urdf {

namespace {

constexpr std::size_t longest_name = 200;  // bytes, as in the native format

// A file that xacro still has to work on.
bool is_xacro(Reading& r, const XmlElement& robot) {
  std::vector<const XmlElement*> open{&robot};
  while (!open.empty()) {
    const XmlElement* element = open.back();
    open.pop_back();
    if (element->name.starts_with("xacro:")) {
      r.messages.error(element->where, "urdf-xacro",
                       fmt::format("{} is for xacro, from whose output a URDF is made", tag(element->name)),
                       "run xacro first: xacro file.urdf.xacro > file.urdf");
      return true;
    }
    for (auto child = element->children.rbegin(); child != element->children.rend(); ++child) open.push_back(&*child);
  }
  return false;
}

bool is_urdf(Reading& r, const XmlElement& root) {
  if (root.name == "robot") return true;
  const std::string what = fmt::format("the root element of a URDF is <robot>, not {}", tag(root.name));
  const std::string fix = root.name == "mujoco" ? "this is MJCF; give the file the extension .xml, or say --from mjcf"
                          : root.name == "sdf"  ? "this is SDF; convert it to URDF"
                                                : "check that this is a URDF";
  r.messages.error(root.where, "urdf-root", what,
                   r.messages.guess(root.name, {"robot"}).empty() ? fix : "did you mean <robot>?");
  return false;
}

// Elements that speak to other programs.
void leave_out_extensions(Reading& r, const XmlElement& robot) {
  std::vector<std::string> known{"link", "joint", "material"};
  for (const XmlElement& child : robot.children) {
    if (child.name == "gazebo") {
      r.left_out.add(child.where, "urdf-left-out", "<gazebo>", "it configures another simulator");
    } else if (child.name == "transmission") {
      r.left_out.add(child.where, "urdf-left-out", "<transmission>",
                     "it binds joints to hardware; the rotor's inertia can be given as armature in the native format");
    }
  }
  known.insert(known.end(), {"gazebo", "transmission"});
  std::vector<std::string> attributes{"name", "version"};
  for (const XmlAttribute& a : robot.attributes) {
    if (a.name.starts_with("xmlns")) attributes.push_back(a.name);  // declares a prefix, says nothing
  }
  report_unknown(robot, attributes, known, r.messages, r.left_out);
}

std::string stem_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

void read_robot(Reading& r, const XmlElement& robot) {
  if (const XmlAttribute* name = robot.find("name"); name != nullptr && !name->value.empty()) {
    r.model.name = name->value;
  } else {
    r.messages.warning(robot.where, "missing-attribute", "<robot> has no 'name'; the name of the file is taken",
                       "add name=\"…\"");
  }
  leave_out_extensions(r, robot);
  declare_materials(r, robot);
  declare_links(r, robot);
  declare_joints(r, robot);
  for (std::size_t i = 0; i < r.links.size(); ++i) read_link(r, *r.links[i], r.model.bodies[i]);
  for (std::size_t j = 0; j < r.joints.size(); ++j) read_joint(r, r.joints[j], r.model.joints[j]);
  for (std::size_t j = 0; j < r.joints.size(); ++j) read_mimic(r, r.joints[j], r.model.joints[j]);
  report_mimic_cycles(r);
  tell_massless_links(r);
  r.meshes.tell_missing(r.messages);
  r.left_out.tell(r.messages);
  join_to_ground(r);
}

}  // namespace

const XmlAttribute* require(Reading& r, const XmlElement& element, std::string_view attribute, const std::string& owner,
                            std::string fix) {
  const XmlAttribute* found = element.find(attribute);
  if (found == nullptr) {
    r.messages.error(element.where, "missing-attribute",
                     fmt::format("{} of {} has no '{}'", tag(element.name), owner, attribute), std::move(fix));
  }
  return found;
}

const XmlElement* only_child(Reading& r, const XmlElement& element, std::string_view name, const std::string& owner) {
  const XmlElement* first = nullptr;
  for (const XmlElement& child : element.children) {
    if (child.name != name) continue;
    if (first != nullptr) {
      r.messages.error(child.where, "element-repeated", fmt::format("{} has {} twice", owner, tag(name)),
                       "delete one of them");
      return first;
    }
    first = &child;
  }
  return first;
}

Transformd read_origin(Reading& r, const XmlElement& element, const std::string& owner) {
  const XmlElement* origin = only_child(r, element, "origin", owner);
  Transformd X;
  if (origin == nullptr) return X;
  report_unknown(*origin, {"xyz", "rpy", "quat_xyzw"}, {}, r.messages, r.left_out);
  const XmlAttribute* rpy = origin->find("rpy");
  const XmlAttribute* quaternion = origin->find("quat_xyzw");
  if (const XmlAttribute* xyz = origin->find("xyz")) {
    X.p = read_vector(r.messages, *xyz, "xyz of <origin> of " + owner).value_or(Vec3d{});
  }
  if (rpy != nullptr && quaternion != nullptr) {
    r.messages.error(quaternion->where, "key-conflict",
                     fmt::format("<origin> of {} has both 'rpy' and 'quat_xyzw'", owner), "keep one of them");
  } else if (rpy != nullptr) {
    const Vec3d a = read_vector(r.messages, *rpy, "rpy of <origin> of " + owner).value_or(Vec3d{});
    for (const double angle : {a.x, a.y, a.z}) {
      warn_of_degrees(r, rpy->value_where, angle, "rpy of <origin> of " + owner);
    }
    X.R = rotation_z(a.z) * rotation_y(a.y) * rotation_x(a.x);
  } else if (quaternion != nullptr) {
    const auto q = read_numbers(r.messages, *quaternion, "quat_xyzw of <origin> of " + owner, 4);
    if (!q) return X;
    const double size = std::sqrt((*q)[0] * (*q)[0] + (*q)[1] * (*q)[1] + (*q)[2] * (*q)[2] + (*q)[3] * (*q)[3]);
    if (!(std::abs(size - 1) < 1e-3)) {
      r.messages.error(quaternion->value_where, "not-a-rotation",
                       fmt::format("quat_xyzw of <origin> of {} has length {}, not 1", owner, rounded(size)),
                       "give a unit quaternion x y z w");
      return X;
    }
    X.R = rotation_of(Quaternion<double>{(*q)[3] / size, (*q)[0] / size, (*q)[1] / size, (*q)[2] / size});
  }
  return X;
}

void warn_of_degrees(Reading& r, SourceLocation where, double angle, const std::string& what) {
  const double size = std::abs(angle);
  if (size < 15 || size > 720 || std::fmod(size, 15) != 0) return;
  constexpr double radians = 0.017453292519943295;
  r.messages.warning(where, "angle-in-degrees", fmt::format("{} is {}, in radians", what, shortest(angle)),
                     fmt::format("if degrees are meant, give {}; it is used as given", rounded(angle * radians)));
}

std::string read_name(Reading& r, const XmlElement& element, std::string_view kind) {
  const XmlAttribute* name = element.find("name");
  if (name == nullptr) {
    r.messages.error(element.where, "missing-attribute", fmt::format("a {} has no 'name'", kind), "add name=\"…\"");
    return {};
  }
  if (name->value.empty()) {
    r.messages.error(name->value_where, "name-empty", fmt::format("a {} has an empty name", kind), "give it a name");
    return {};
  }
  if (name->value.size() > longest_name) {
    r.messages.error(name->value_where, "name-too-long",
                     fmt::format("the name {} of a {} has {} bytes; at most {} are allowed", quote(name->value), kind,
                                 name->value.size(), longest_name),
                     "choose a shorter name");
    return {};
  }
  for (std::size_t i = 0; i < name->value.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name->value[i]);
    const bool c1 = byte == 0xC2 && i + 1 < name->value.size() && static_cast<unsigned char>(name->value[i + 1]) < 0xA0;
    if (byte >= 0x20 && byte != 0x7F && !c1) continue;
    r.messages.error(name->value_where, "name-control-character",
                     fmt::format("the name {} of a {} has a control character", quote(name->value), kind), "delete it");
    return {};
  }
  return name->value;
}

}  // namespace trammel::readers::urdf

namespace trammel {

ReadResult read_urdf(std::string_view text, const std::string& file, const ReadOptions& options) {
  using namespace readers::urdf;  // NOLINT(google-build-using-namespace): the private half of this file's own layer
  Reading r(file, options);
  r.model.file = file;
  r.model.name = stem_of(file);
  const std::optional<readers::XmlElement> root =
      readers::parse_xml(text, {.max_bytes = options.max_bytes}, r.messages);
  if (root && is_urdf(r, *root) && !is_xacro(r, *root)) read_robot(r, *root);
  return {std::move(r.model), r.messages.finish(file), Format::urdf, {}, r.meshes.found()};
}

}  // namespace trammel
