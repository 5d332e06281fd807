// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the pieces of the URDF reader share. A URDF is a tree of links: each joint carries its child link, whose frame is
// the joint's at zero. Links become bodies with their own frames, joints get frames F and M with z along the axis:
//   X_AF = X_PJ R_axis,   X_BM = R_axis,   X_WB = X_WP X_PJ          (P parent link, J the joint's <origin>)

#include <string>
#include <unordered_map>
#include <vector>

#include <trammel/readers.hpp>

#include "readers/mesh_files.hpp"
#include "readers/xml_text.hpp"

namespace trammel::readers::urdf {

struct Material {
  std::optional<Colour> colour;
  SourceLocation where;
};

// What a joint of the file says before it is known whether its links are there.
struct JointDraft {
  const XmlElement* element = nullptr;
  std::size_t parent = none, child = none;  // bodies of the model
  Transformd X_PJ;
  bool has_type = false;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

struct Reading {
  Reading(const std::string& file, const ReadOptions& read_options) : options(read_options), meshes(file, options) {}

  Model model;
  Messages messages;
  LeftOut left_out;
  ReadOptions options;
  MeshFiles meshes;
  std::unordered_map<std::string, std::size_t> link_index, joint_index;  // by the names of the file
  std::vector<std::string> link_names, joint_names;
  std::unordered_map<std::string, Material> materials;
  std::vector<std::string> material_names;
  std::vector<const XmlElement*> links;  // one for each body
  std::vector<JointDraft> joints;        // one for each joint of the model but the base
};

// The attribute; where it is missing, a message that names the owner: "link 'arm'".
const XmlAttribute* require(Reading& r, const XmlElement& element, std::string_view attribute, const std::string& owner,
                            std::string fix);
// A child element that may stand once.
const XmlElement* only_child(Reading& r, const XmlElement& element, std::string_view name, const std::string& owner);
// <origin xyz="" rpy=""/> below an element; the identity without one.
Transformd read_origin(Reading& r, const XmlElement& element, const std::string& owner);
// Warns of an angle that is a number as people write degrees: URDF is in radians.
void warn_of_degrees(Reading& r, SourceLocation where, double angle, const std::string& what);
// The name of a link or joint; empty, with a message, if it cannot be one.
std::string read_name(Reading& r, const XmlElement& element, std::string_view kind);

void declare_materials(Reading& r, const XmlElement& robot);  // urdf_shapes.cpp
void read_shapes(Reading& r, const XmlElement& link, Body& body);
void declare_links(Reading& r, const XmlElement& robot);  // urdf_links.cpp
void read_link(Reading& r, const XmlElement& link, Body& body);
void tell_massless_links(Reading& r);
void declare_joints(Reading& r, const XmlElement& robot);  // urdf_joints.cpp
void read_joint(Reading& r, const JointDraft& draft, Joint& joint);
void read_mimic(Reading& r, const JointDraft& draft, const Joint& joint);
void report_mimic_cycles(Reading& r);
void join_to_ground(Reading& r);  // urdf_tree.cpp

}  // namespace trammel::readers::urdf
