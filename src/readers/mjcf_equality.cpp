// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// <equality>: what MuJoCo holds together by soft constraints is a joint that closes a loop here, or a coupling, and exact.
//   connect   spherical, at the anchor: a point of body1, and the point of body2 that is there in the drawing
//   weld      fixed, as drawn or at `relpose`, the pose of body2 in body1
//   joint     q₁ − ref₁ = a₀ + a₁ (q₂ − ref₂): our coordinates are zero at ref, so a₁ is the ratio and a₀ the offset
// The joints are marked `cut`, so that the tree is the one of the file.

#include <algorithm>

#include <fmt/format.h>

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

class EqualityReader {
 public:
  explicit EqualityReader(Reading& r) : r_(r) {
    for (const Joint& joint : r.model.joints) joint_names_.emplace(joint.name, 0);
    for (const Coupling& coupling : r.model.couplings) coupling_names_.emplace(coupling.name, 0);
  }

  void read(const Element& section) {
    for (const Element& child : section.children) {
      const bool known = child.name == "connect" || child.name == "weld" || child.name == "joint";
      const Item item(child, settings_of(child),
                      Reading::subject(child, child.name == "joint" ? "equality" : child.name));
      if (child.name == "flex" || child.name == "flexvert" || child.name == "flexstrain" || child.name == "tendon" ||
          child.name == "distance") {
        const bool acts = r_.switches.equality && read_bool(r_.report, item, "active").value_or(true);
        if (acts) {
          r_.report.error(
              child.place, "not-yet",
              fmt::format("<{}> in <equality> cannot be read yet, and without it answers would be wrong", child.name),
              "delete it, set active=\"false\", or wait for a later release");
        } else {
          r_.report.leave_out(child.place, fmt::format("<{}> that is not active", child.name), "it holds nothing");
        }
      }
      if (!known) continue;
      if (!r_.switches.equality) {
        r_.report.leave_out(child.place, fmt::format("<{}> in <equality>", child.name),
                            "the flag equality switches it off");
        continue;
      }
      if (!read_bool(r_.report, item, "active").value_or(true)) {
        r_.report.leave_out(child.place, fmt::format("<{}> that is not active", child.name), "it holds nothing");
        continue;
      }
      if (child.name == "joint") {
        read_coupling(item);
      } else {
        read_closure(item, child.name == "weld");
      }
    }
  }

 private:
  using Names = std::unordered_map<std::string, std::size_t>;

  const Settings& settings_of(const Element& child) {
    const Attribute* own = child.find("class");
    if (own != nullptr && !r_.defaults.has(own->value)) {
      r_.report.error(own->place, "class-unknown",
                      fmt::format("<{}> has a class {} that is not there", child.name, quote(own->value)),
                      r_.report.guess_or(own->value, r_.defaults.names(), "delete the attribute"));
    }
    return r_.defaults.settings(own == nullptr ? std::string{} : own->value, "equality");
  }

  // --- closures -------------------------------------------------------------------------------------------------------

  struct End {
    std::string body;
    Transformd X_WB;  // as drawn
    Transformd X_BJ;  // only from a site
  };

  std::optional<End> read_body(const Item& item, const char* attribute, bool may_be_world) {
    const Attribute* given = item.find(attribute);
    if (given == nullptr || given->value.empty() || given->value == "world") {
      if (may_be_world || given != nullptr) return End{std::string(ground_name), {}, {}};
      report_missing(r_.report, item, attribute, fmt::format("add {}=\"name\"", attribute));
      return std::nullopt;
    }
    const auto found = r_.body_index.find(given->value);
    if (found != r_.body_index.end()) {
      const Body& body = r_.model.bodies[found->second];
      return End{body.name, body.X_WB, {}};
    }
    r_.report.error(given->place, "body-unknown",
                    fmt::format("{} names a body {} that is not there", item.subject(), quote(given->value)),
                    r_.report.guess_or(given->value, r_.names_of(r_.body_index), "name a body of the file"));
    return std::nullopt;
  }

  std::optional<End> read_site(const Item& item, const char* attribute) {
    const Attribute* given = item.find(attribute);
    const auto found = given == nullptr ? r_.sites.end() : r_.sites.find(given->value);
    if (found != r_.sites.end()) return End{found->second.body, {}, found->second.X_BS};
    r_.report.error(
        given == nullptr ? item.place() : given->place, "site-unknown",
        given == nullptr ? fmt::format("{} needs both site1 and site2", item.subject())
                         : fmt::format("{} names a site {} that is not there", item.subject(), quote(given->value)),
        given == nullptr ? "add the other one"
                         : r_.report.guess_or(given->value, r_.names_of(r_.sites), "name a site of the file"));
    return std::nullopt;
  }

  void read_closure(const Item& item, bool weld) {
    const bool by_sites = item.has("site1") || item.has("site2");
    const auto first = by_sites ? read_site(item, "site1") : read_body(item, "body1", false);
    const auto second = by_sites ? read_site(item, "site2") : read_body(item, "body2", true);
    if (!first || !second) return;
    if (first->body == second->body) {
      r_.report.error(item.place(), "joint-to-itself",
                      fmt::format("{} joins body {} to itself", item.subject(), quote(first->body)),
                      "name two different bodies");
      return;
    }
    Joint joint;
    joint.first = first->body;
    joint.second = second->body;
    joint.cut = true;
    joint.where = r_.report.in_main(item.place());
    joint.type = weld ? AnyJoint(Fixed{}) : AnyJoint(Spherical{});
    if (by_sites) {
      joint.X_AF = first->X_BJ;
      joint.X_BM = second->X_BJ;
    } else if (!(weld ? place_weld(item, *first, *second, joint) : place_connect(item, *first, *second, joint))) {
      return;
    }
    joint.name = name_of(item, fmt::format("{}:{}", joint.first, joint.second), joint_names_, "joint", "joints");
    r_.model.joints.push_back(std::move(joint));
  }

  bool place_connect(const Item& item, const End& first, const End& second, Joint& joint) {
    const auto anchor = read_vector(r_.report, item, "anchor");
    if (!item.has("anchor")) report_missing(r_.report, item, "anchor", "add anchor=\"x y z\", in the frame of body1");
    if (!anchor) return false;
    joint.X_AF.p = *anchor;
    joint.X_BM = inverse(second.X_WB) * first.X_WB * joint.X_AF;
    return true;
  }

  bool place_weld(const Item& item, const End& first, const End& second, Joint& joint) {
    Transformd X_AB = inverse(first.X_WB) * second.X_WB;
    if (item.has("relpose")) {
      const auto n = read_numbers(r_.report, item, "relpose", 7);
      if (!n) return false;
      const Quaternion<double> q{(*n)[3], (*n)[4], (*n)[5], (*n)[6]};
      if (squared_norm(q) > 0) X_AB = {rotation_of(normalized(q)), {(*n)[0], (*n)[1], (*n)[2]}};
    }
    joint.X_AF = X_AB;
    return true;
  }

  std::string name_of(const Item& item, const std::string& wish, Names& names, const char* kind, const char* plural) {
    const std::string given = read_text(item, "name");
    if (!given.empty() && names.count(given) > 0) {
      const std::string other = free_name(given, names);
      r_.report.warning(
          item.find("name")->place, "name-changed",
          fmt::format("there are two {} called {}; this one is called {} now", plural, quote(given), quote(other)),
          fmt::format("give each {} a name of its own; closures of loops are joints here", kind));
      names.emplace(other, 0);
      return other;
    }
    const std::string name = given.empty() ? free_name(wish, names) : given;
    names.emplace(name, 0);
    return name;
  }

  // --- couplings ------------------------------------------------------------------------------------------------------

  const FileJoint* find_joint(const Item& item, const char* attribute) {
    const Attribute* given = item.find(attribute);
    if (given == nullptr) {
      report_missing(r_.report, item, attribute,
                     std::string_view(attribute) == "joint1"
                         ? "add joint1=\"name\""
                         : "add joint2=\"name\"; a joint that is held alone cannot be read: leave the joint out");
      return nullptr;
    }
    const auto found = r_.joint_index.find(given->value);
    if (found == r_.joint_index.end()) {
      r_.report.error(given->place, "joint-unknown",
                      fmt::format("{} names a joint {} that is not there", item.subject(), quote(given->value)),
                      r_.report.guess_or(given->value, r_.names_of(r_.joint_index), "name a joint of the file"));
      return nullptr;
    }
    const FileJoint& joint = r_.joints[found->second];
    if (joint.type == FileJoint::Type::hinge || joint.type == FileJoint::Type::slide) return &joint;
    r_.report.error(given->place, "coupling-freedom",
                    fmt::format("{} names joint {}, which is no hinge or slide", item.subject(), quote(given->value)),
                    "couple joints of one freedom");
    return nullptr;
  }

  void read_coupling(const Item& item) {
    const FileJoint* follower = find_joint(item, "joint1");
    const FileJoint* leader = find_joint(item, "joint2");
    const auto coefficients = read_over(r_.report, item, "polycoef", {0, 1, 0, 0, 0});
    if (follower == nullptr || leader == nullptr || !coefficients) return;
    const std::vector<double>& a = *coefficients;
    if (a[2] != 0 || a[3] != 0 || a[4] != 0) {
      r_.report.error(item.find("polycoef")->place, "not-yet",
                      fmt::format("{} is not linear: its coefficients of the square and above are {}, {}, {}",
                                  item.subject(), rounded(a[2]), rounded(a[3]), rounded(a[4])),
                      "couplings are linear here: give polycoef=\"a0 a1 0 0 0\"");
      return;
    }
    if (follower == leader) {
      r_.report.error(item.place(), "coupling-to-itself",
                      fmt::format("{} couples joint {} to itself", item.subject(), quote(leader->name)),
                      "name two different joints");
      return;
    }
    if (makes_a_screw(item, *follower, *leader, a)) return;
    if (a[1] == 0) {
      r_.report.error(
          item.find("polycoef")->place, "ratio-zero",
          fmt::format("{} holds joint {} still, which cannot be read", item.subject(), quote(follower->name)),
          "leave the joint out instead, or give a second coefficient other than 0");
      return;
    }
    Coupling coupling;
    coupling.kind = Coupling::Kind::mimic;
    coupling.first = r_.model.joints[leader->joint].name;
    coupling.second = r_.model.joints[follower->joint].name;
    coupling.first_dof = leader->dof;
    coupling.second_dof = follower->dof;
    coupling.ratio = a[1];
    coupling.offset = a[0];
    coupling.where = r_.report.in_main(item.place());
    coupling.name =
        name_of(item, fmt::format("{}:{}", leader->name, follower->name), coupling_names_, "coupling", "couplings");
    r_.model.couplings.push_back(std::move(coupling));
  }

  // What the writer makes of a helical joint "j": a turn "j.angle" and a travel "j.travel" tied by an equality "j".
  bool makes_a_screw(const Item& item, const FileJoint& follower, const FileJoint& leader,
                     const std::vector<double>& a) {
    Joint& joint = r_.model.joints[leader.joint];
    const bool one_joint = follower.joint == leader.joint && std::holds_alternative<Cylindrical>(joint.type);
    if (!one_joint || leader.dof != 0 || a[0] != 0 || read_text(item, "name") != joint.name) return false;
    JointProperties& p = joint.properties;
    const auto travels = [](const std::vector<double>& list) { return list.size() == 2 && list[1] != 0; };
    if (travels(p.armature) || travels(p.viscous) || travels(p.dry)) return false;
    for (auto* list : {&p.viscous, &p.dry, &p.armature, &p.lower, &p.upper})
      if (list->size() == 2) list->pop_back();
    joint.type = Helical{a[1]};
    return true;
  }

  Reading& r_;
  Names joint_names_, coupling_names_;
};

}  // namespace

// Of a pair "j.1", "j.2" that may become a hinge also "j".
std::vector<std::string> names_of_closures(const Element& section) {
  std::vector<std::string> names;
  for (const Element& child : section.children) {
    const Attribute* name = child.name == "connect" || child.name == "weld" ? child.find("name") : nullptr;
    if (name == nullptr || name->value.empty()) continue;
    names.push_back(name->value);
    if (const PairName pair = split_pair_name(name->value); !pair.base.empty()) names.push_back(pair.base);
  }
  return names;
}

void read_equality(Reading& r, const Element& section) { EqualityReader(r).read(section); }

}  // namespace trammel::readers::mjcf
