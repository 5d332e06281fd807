// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the pieces of the MJCF reader share: the settings of the compiler, the model that grows, and where each joint of
// the file went.

#include <algorithm>
#include <unordered_map>

#include "readers/mjcf_items.hpp"

namespace trammel::readers::mjcf {

struct Compiler {
  enum class FromGeoms { never, always, where_missing };

  double angle = 0.017453292519943295;  // rad in the file's unit of angle
  std::string euler = "xyz";
  bool autolimits = true;  // as in MuJoCo 3; MuJoCo 2 refuses files in which it would matter
  FromGeoms inertia_from_geoms = FromGeoms::where_missing;
  int first_group = 0, last_group = 5;  // of the geoms that inertias are taken from
  double least_mass = 0, least_inertia = 0, total_mass = -1;
  bool balance_inertia = false;
  std::string mesh_folder;
  bool strip_path = false;
};

// What <flag> switches off.
struct Switches {
  bool gravity = true, friction_loss = true, limits = true, equality = true, springs = true;
};

// A joint as MJCF has it. Several of them may have become one joint of the model, or a chain of joints.
struct FileJoint {
  enum class Type { free, ball, slide, hinge };
  Type type = Type::hinge;
  std::string name;       // in the file; may be empty
  std::size_t joint = 0;  // in the model
  int dof = 0;            // of that joint; for ball and free the first of several
  double ref = 0;         // the file's coordinate at the position the model is drawn in; ours is zero there
  Place place;
};

struct MeshAsset {
  std::string file;
  Vec3d scale{1, 1, 1};
  Transformd X_ref;  // of the geom's frame in the frame of the file's vertices
  bool usable = true;
};

struct SitePlace {
  std::string body;
  Transformd X_BS;
};

struct Reading {
  Model model;
  Report report;
  Compiler compiler;
  Switches switches;
  Defaults defaults;
  std::vector<FileJoint> joints;                             // in the order of MuJoCo's coordinates
  std::unordered_map<std::string, std::size_t> joint_index;  // by name in the file
  std::unordered_map<std::string, std::size_t> body_index;   // by name in the file: place in model.bodies
  std::unordered_map<std::string, MeshAsset> meshes;
  std::vector<std::pair<std::string, Place>> mesh_files;  // in the order of the file
  std::unordered_map<std::string, std::optional<Colour>> materials;
  std::unordered_map<std::string, SitePlace> sites;

  // The names of one of these in order, to guess from.
  template <class Index>
  const std::vector<std::string>& names_of(const Index& index) {
    std::vector<std::string>& names = names_[&index];
    if (names.size() != index.size()) {
      names.clear();
      for (const auto& [name, unused] : index) names.push_back(name);
      std::sort(names.begin(), names.end());
    }
    return names;
  }

  // An element with its class; `inherited` is the class of bodies and frames around it.
  Item item(const Element& element, const std::string& inherited, std::string what);
  // "joint 'knee'", or "a joint of body 'leg'" without a name.
  static std::string subject(const Element& element, std::string_view kind, const std::string& around = {});

 private:
  std::unordered_map<const void*, std::vector<std::string>> names_;
};

// Poses: `pos` and at most one of quat, axisangle, xyaxes, zaxis and euler.
std::optional<Mat3d> read_orientation(Reading& r, const Item& item);
Transformd read_pose(Reading& r, const Item& item);
// The rotation that turns z the shortest way to the direction; about x where it is −z.
Mat3d turn_z_to(const Vec3d& direction);

// A name that nothing in the list has: the wish, or the wish with a number. It is cut to what a name may have.
template <class Taken>
std::string free_name(std::string wish, const Taken& taken) {
  constexpr std::size_t longest = 180;
  if (wish.size() > longest) {
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(wish[end]) & 0xC0) == 0x80) --end;
    wish.resize(end);
  }
  if (taken.count(wish) == 0) return wish;
  for (std::size_t i = 2;; i = i == 9 ? std::max<std::size_t>(10, taken.size()) : i + 1) {
    const std::string name = wish + "_" + std::to_string(i);
    if (taken.count(name) == 0) return name;
  }
}

// The sections, in the order they are read.
void read_compiler(Reading& r, const Element& section);
void read_option(Reading& r, const Element& section);
void read_assets(Reading& r, const Element& section);
// `closures` are the names that joints without one leave to closures of loops.
void read_world(Reading& r, const std::vector<const Element*>& sections, const std::vector<std::string>& closures);
// Names that closures may get, before they are read.
std::vector<std::string> names_of_closures(const Element& section);
void read_equality(Reading& r, const Element& section);
// After all of them: two points of one body that are held at two points of another are a hinge.
void join_connects_to_hinges(Reading& r);
// "j" of "j.1" and "j.2", as the writer calls the two points of a hinge "j", and the number with the "_" behind it; both
// empty for other names.
struct PairName {
  std::string base, number;
};
PairName split_pair_name(const std::string& name);
void read_actuators(Reading& r, const Element& section);
void read_keyframes(Reading& r, const Element& section);
void read_tendons(Reading& r, const Element& section);
// At the end: products and sums of numbers that are finite each may be too large.
void check_finite(Reading& r);

}  // namespace trammel::readers::mjcf
