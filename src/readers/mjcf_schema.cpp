// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_schema.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>

namespace trammel::readers::mjcf {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t longest_name = 200;  // bytes

Words words(const char* text) {
  std::istringstream stream(text);
  Words list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

// One kind of element: the attributes that are read, those that MJCF has and that are left out, and the kinds of
// elements that may stand in it. A child "joint:equality_joint" is an element <joint> of the kind equality_joint.
struct Kind {
  Words taken, left, children;
};

// Attributes that many kinds share.
const char* const orientation = "pos quat axisangle xyaxes zaxis euler ";
const char* const softness = "solref solimp ";
const char* const actuator_taken =
    "name class ctrllimited forcelimited ctrlrange forcerange gear joint jointinparent tendon cranksite slidersite "
    "site "
    "body ";
const char* const actuator_left =
    "group lengthrange cranklength user refsite actlimited actrange actdim actearly delay interp nsample ";

using Kinds = std::unordered_map<std::string, Kind>;

void add(Kinds& kinds, const std::string& name, const std::string& taken, const std::string& left,
         const std::string& children = {}) {
  kinds[name] = {words(taken.c_str()), words(left.c_str()), words(children.c_str())};
}

const char* const body_children =
    "body frame inertial joint freejoint geom site camera light composite flexcomp replicate attach plugin";

void add_settings(Kinds& kinds) {
  add(kinds, "mujoco", "model", "",
      "compiler option size visual statistic default custom asset worldbody deformable contact equality tendon "
      "actuator "
      "sensor keyframe extension include");
  add(kinds, "compiler",
      "angle coordinate eulerseq autolimits inertiafromgeom inertiagrouprange boundmass boundinertia balanceinertia "
      "settotalmass meshdir assetdir strippath alignfree fusestatic",
      "fitaabb texturedir discardvisual convexhull usethread exactmeshinertia saveinertial", "lengthrange");
  add(kinds, "lengthrange", "",
      "mode useexisting uselimit accel maxforce timeconst timestep inttotal inteval interval tolrange");
  add(kinds, "option", "gravity density viscosity",
      "timestep apirate impratio tolerance ls_tolerance noslip_tolerance mpr_tolerance ccd_tolerance sleep_tolerance "
      "wind magnetic o_margin o_solref o_solimp o_friction integrator collision cone jacobian solver iterations "
      "ls_iterations "
      "noslip_iterations mpr_iterations ccd_iterations sdf_iterations sdf_initpoints actuatorgroupdisable",
      "flag");
  add(kinds, "flag", "gravity passive spring damper frictionloss limit equality constraint",
      "contact clampctrl warmstart filterparent actuation refsafe sensor override energy fwdinv invdiscrete "
      "sensornoise "
      "multiccd midphase eulerdamp autoreset nativeccd island sleep");
  add(kinds, "default", "class", "",
      "default mesh material joint geom site camera light pair equality:equality_default tendon:tendon_default general "
      "motor position velocity intvelocity damper cylinder muscle adhesion");
  add(kinds, "equality_default", "active", softness);
  add(kinds, "tendon_default", "stiffness damping frictionloss armature",
      "group limited range solreflimit solimplimit solreffriction solimpfriction springlength width material margin "
      "rgba "
      "user actuatorfrclimited actuatorfrcrange");
  add(kinds, "pair", "name class geom1 geom2", "condim friction solref solimp gap margin solreffriction");
  add(kinds, "asset", "", "", "texture hfield mesh skin material model plugin");
  add(kinds, "mesh", "name class file scale refpos refquat vertex",
      "content_type normal texcoord face smoothnormal maxhullvert inertia builtin params material octree_maxdepth",
      "plugin");
  add(kinds, "material", "name class rgba",
      "texture texrepeat texuniform emission specular shininess reflectance metallic roughness", "layer");
  add(kinds, "layer", "", "texture role");
}

void add_bodies(Kinds& kinds) {
  add(kinds, "worldbody", "name childclass", "pos quat mocap axisangle xyaxes zaxis euler user", body_children);
  add(kinds, "body", std::string("name childclass mocap gravcomp ") + orientation, "user sleep", body_children);
  add(kinds, "frame", std::string("childclass ") + orientation, "name", body_children);
  add(kinds, "inertial", std::string("mass diaginertia fullinertia ") + orientation, "");
  add(kinds, "joint",
      "name class type pos axis limited range ref armature damping frictionloss stiffness springdamper springref",
      "group solreflimit solimplimit solreffriction solimpfriction margin user actuatorfrclimited actuatorfrcrange "
      "actuatorgravcomp");
  add(kinds, "freejoint", "name align", "group");
  add(kinds, "geom",
      std::string(
          "name class type contype conaffinity group size material mass density shellinertia fromto mesh rgba ") +
          orientation,
      "condim priority friction solmix solref solimp margin gap hfield fitscale fluidshape fluidcoef user", "plugin");
  add(kinds, "site", std::string("name class fromto ") + orientation, "type group material size rgba user");
  add(kinds, "camera", "",
      std::string("name class fovy ipd mode target user resolution focal focalpixel principal "
                  "principalpixel sensorsize orthographic projection output ") +
          orientation);
  add(kinds, "light", "",
      "name class directional type castshadow active pos dir attenuation cutoff exponent ambient diffuse specular mode "
      "target bulbradius intensity range texture");
}

void add_connections(Kinds& kinds) {
  add(kinds, "equality", "", "",
      "connect weld joint:equality_joint tendon:equality_other distance:equality_other "
      "flex:equality_other flexvert:equality_other flexstrain:equality_other");
  add(kinds, "connect", "name class active body1 body2 anchor site1 site2", softness);
  add(kinds, "weld", "name class active body1 body2 relpose site1 site2",
      std::string("anchor torquescale ") + softness);
  add(kinds, "equality_joint", "name class active joint1 joint2 polycoef", softness);
  add(kinds, "actuator", "", "", "general motor position velocity intvelocity damper cylinder muscle adhesion plugin");
  const std::string taken = actuator_taken, left = actuator_left;
  add(kinds, "general", taken + "dyntype gaintype biastype gainprm biasprm", left + "dynprm damping armature");
  add(kinds, "motor", taken, left);
  add(kinds, "position", taken + "kp kv dampratio timeconst inheritrange", left);
  add(kinds, "velocity", taken + "kv", left);
  add(kinds, "keyframe", "", "", "key");
  add(kinds, "key", "name qpos qvel", "time act ctrl mpos mquat");
}

const Kinds& kinds() {
  static const Kinds all = [] {
    Kinds k;
    add_settings(k);
    add_bodies(k);
    add_connections(k);
    return k;
  }();
  return all;
}

// Elements that are left out as a whole, with all that stands in them. The reader of the section tells of those that
// are not here.
const std::unordered_map<std::string, const char*>& left_out_elements() {
  static const std::unordered_map<std::string, const char*> all{
      {"size", "it sizes MuJoCo's memory"},
      {"visual", "it is about MuJoCo's pictures"},
      {"statistic", "it is about MuJoCo's pictures"},
      {"custom", "trammel has no data of users"},
      {"contact", "contacts cannot be read yet"},
      {"sensor", "sensors cannot be read yet"},
      {"extension", "plugins of MuJoCo cannot run here"},
      {"plugin", "plugins of MuJoCo cannot run here"},
      {"camera", "it is about MuJoCo's pictures"},
      {"light", "it is about MuJoCo's pictures"},
      {"texture", "bodies have plain colours here"},
      {"layer", "bodies have plain colours here"},
      {"skin", "it is about MuJoCo's pictures"},
      {"hfield", "height fields cannot be read yet"},
      {"lengthrange", "it is about muscles"},
      {"pair", "contacts cannot be read yet"},
  };
  return all;
}

struct Found {
  const Kind* kind = nullptr;
  bool known = false;
};

Found find_child(const Kind& parent, const std::string& name) {
  for (const std::string& child : parent.children) {
    const std::size_t colon = child.find(':');
    if (child.substr(0, colon) != name) continue;
    const auto kind = kinds().find(colon == std::string::npos ? child : child.substr(colon + 1));
    return {kind == kinds().end() ? nullptr : &kind->second, true};
  }
  return {};
}

Words names_of_children(const Kind& kind) {
  Words names;
  for (const std::string& child : kind.children) names.push_back(child.substr(0, child.find(':')));
  return names;
}

bool contains(const Words& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class NameCheck {
 public:
  explicit NameCheck(Report& report) : report_(report) {}

  void run(Element& root) {
    std::vector<std::pair<Element*, const Kind*>> open{{&root, &kinds().at("mujoco")}};
    while (!open.empty()) {
      const auto [element, kind] = open.back();
      open.pop_back();
      check_attributes(*element, *kind);
      const std::size_t before = open.size();
      for (Element& child : element->children) {
        if (const Kind* next = check_child(*element, *kind, child)) open.emplace_back(&child, next);
      }
      // In the order of the file, so that the first place of each thing is the one that is told.
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(before), open.end());
    }
    tell();
  }

 private:
  void check_attributes(Element& element, const Kind& kind) {
    std::erase_if(element.attributes, [&](const Attribute& a) { return !is_known(element, a, kind); });
  }

  bool is_known(const Element& element, const Attribute& a, const Kind& kind) {
    if (a.name == "name") check_name(element, a);
    if (contains(kind.taken, a.name)) return true;
    if (contains(kind.left, a.name)) {
      report_.leave_out_attribute(a.name_place(), element.name, a.name);
      return true;
    }
    if (Unknown* first = note(element.name + " " + a.name)) {
      Words known = kind.taken;
      known.insert(known.end(), kind.left.begin(), kind.left.end());
      *first = {a.name_place(), "unknown-attribute",
                fmt::format("<{}> has no attribute {}; it is left out", element.name, quote(a.name)),
                report_.guess_or(a.name, known, "delete it, or check its spelling")};
    }
    return false;
  }

  // Names that the native format takes too.
  void check_name(const Element& element, const Attribute& name) {
    if (name.value.size() > longest_name) {
      report_.error(name.place, "name-too-long",
                    fmt::format("the name {} of a {} has {} bytes; at most {} are allowed", quote(name.value),
                                element.name, name.value.size(), longest_name),
                    "choose a shorter name");
    }
    for (std::size_t i = 0; i < name.value.size(); ++i) {
      const auto byte = static_cast<unsigned char>(name.value[i]);
      const bool c1 = byte == 0xC2 && i + 1 < name.value.size() && static_cast<unsigned char>(name.value[i + 1]) < 0xA0;
      if (byte >= 0x20 && byte != 0x7F && !c1) continue;
      report_.error(name.place, "name-control-character",
                    fmt::format("the name {} of a {} has a control character", quote(name.value), element.name),
                    "delete it");
      return;
    }
  }

  // The kind to go on with inside the child; null where there is nothing more to check.
  const Kind* check_child(const Element& parent, const Kind& kind, const Element& child) {
    const Found found = find_child(kind, child.name);
    if (found.known) {
      const auto left = left_out_elements().find(child.name);
      if (left == left_out_elements().end()) return found.kind;
      if (parent.name != "default")
        report_.leave_out(child.place, "<" + child.name + ">", left->second, static_cast<int>(child.children.size()));
      return nullptr;
    }
    if (Unknown* first = note(parent.name + "/" + child.name)) {
      *first = {child.place, "unknown-element",
                fmt::format("{} has no element {}; it is left out with all that stands in it", tag(parent.name),
                            tag(child.name)),
                report_.guess_or(child.name, names_of_children(kind),
                                 kind.children.empty()
                                     ? "delete it"
                                     : fmt::format("its elements are {}", one_of(names_of_children(kind))))};
    }
    return nullptr;
  }

  // Each unknown thing is told once, at its first place, with a count.
  struct Unknown {
    Place place;
    std::string id, what, fix;
    int count = 1;
  };
  // To be filled in where the thing is new; null where it is known, and counted.
  Unknown* note(const std::string& what) {
    const auto known = unknown_.find(what);
    if (known != unknown_.end()) ++known->second.count;
    if (known != unknown_.end() || unknown_.size() >= 1000) return nullptr;
    return &unknown_[what];
  }
  void tell() {
    for (const auto& [what, u] : unknown_) {
      report_.warning(u.place, u.id, u.count == 1 ? u.what : fmt::format("{}, {} times in this file", u.what, u.count),
                      u.fix);
    }
  }

  Report& report_;
  std::map<std::string, Unknown> unknown_;
};

}  // namespace

void check_names(Element& root, Report& report) { NameCheck(report).run(root); }

}  // namespace trammel::readers::mjcf
