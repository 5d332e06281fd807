// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Joints: type, links, frames, limits, damping and friction, and mimic as a coupling. The frames F and M have z along
// the axis; at zero the child link's frame is the joint's <origin> in the parent link.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "readers/urdf_reading.hpp"

namespace trammel::readers::urdf {

namespace {

struct TypeWord {
  std::string_view word;
  AnyJoint type;
};

const std::vector<TypeWord>& types() {
  static const std::vector<TypeWord> list{{"revolute", Revolute{}},   {"continuous", Revolute{}},
                                          {"prismatic", Prismatic{}}, {"fixed", Fixed{}},
                                          {"floating", Free{}},       {"planar", Planar{}}};
  return list;
}

std::vector<std::string> type_words() {
  std::vector<std::string> words;
  for (const TypeWord& t : types()) words.emplace_back(t.word);
  return words;
}

// Words of other programs.
std::string translate_type(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> synonyms{{{"hinge", "revolute"},
                                                                                   {"rotational", "revolute"},
                                                                                   {"slide", "prismatic"},
                                                                                   {"slider", "prismatic"},
                                                                                   {"linear", "prismatic"},
                                                                                   {"free", "floating"},
                                                                                   {"weld", "fixed"},
                                                                                   {"rigid", "fixed"}}};
  for (const auto& [from, to] : synonyms) {
    if (from == word) return std::string(to);
  }
  return {};
}

std::string type_of(const XmlElement& joint) {
  const XmlAttribute* type = joint.find("type");
  return type == nullptr ? std::string{} : type->value;
}

bool read_type(Reading& r, const XmlElement& element, Joint& joint) {
  const std::string owner = "joint " + quote(joint.name);
  const XmlAttribute* given = element.find("type");
  const std::string all = "the types are " + one_of(type_words());
  if (given == nullptr) {
    r.messages.error(element.where, "missing-attribute", fmt::format("{} has no 'type'", owner), all);
    return false;
  }
  for (const TypeWord& t : types()) {
    if (t.word != given->value) continue;
    joint.type = t.type;
    return true;
  }
  const std::string synonym = translate_type(given->value);
  r.messages.error(given->value_where, "joint-type",
                   fmt::format("{} has an unknown type {}", owner, quote(given->value)),
                   synonym.empty() ? r.messages.guess_or(given->value, type_words(), all)
                                   : fmt::format("did you mean '{}'?", synonym));
  return false;
}

// The link that <parent> or <child> names.
std::size_t read_end(Reading& r, const XmlElement& joint, std::string_view which, const std::string& owner) {
  const XmlElement* end = only_child(r, joint, which, owner);
  if (end == nullptr) {
    r.messages.error(joint.where, "missing-element", fmt::format("{} has no {}", owner, tag(which)),
                     fmt::format("add <{} link=\"…\"/>", which));
    return JointDraft::none;
  }
  report_unknown(*end, {"link"}, {}, r.messages, r.left_out);
  const XmlAttribute* link = require(r, *end, "link", owner, "add link=\"…\"");
  if (link == nullptr) return JointDraft::none;
  const auto found = r.link_index.find(link->value);
  if (found != r.link_index.end()) return found->second;
  r.messages.error(link->value_where, "body-unknown",
                   fmt::format("{} of {} names a link {} that is not there", tag(which), owner, quote(link->value)),
                   r.messages.guess_or(link->value, r.link_names, fmt::format("add <link name=\"…\"/> for it")));
  return JointDraft::none;
}

// --- what acts in a joint -----------------------------------------------------------------------------------------

class JointReader {
 public:
  JointReader(Reading& r, const JointDraft& draft, Joint& joint)
      : r_(r), draft_(draft), element_(*draft.element), joint_(joint), owner_("joint " + quote(joint.name)) {}

  void read() {
    report_unknown(
        element_, {"name", "type"},
        {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"},
        r_.messages, r_.left_out);
    for (const char* name : {"calibration", "safety_controller"}) {
      if (const XmlElement* found = element_.child(name)) {
        r_.left_out.add(found->where, "urdf-left-out", tag(name), "it is for controllers of the real robot");
      }
    }
    const Mat3d R_axis = has_axis() ? read_axis() : leave_out_axis();
    joint_.X_AF = draft_.X_PJ * Transformd{R_axis, {}};
    joint_.X_BM = {R_axis, {}};
    read_limits();
    read_dynamics();
  }

 private:
  bool has_one_freedom() const { return nv(joint_.type) == 1; }
  bool has_axis() const { return has_one_freedom() || std::holds_alternative<Planar>(joint_.type); }

  void no_effect(const XmlElement& element) {
    r_.left_out.add(element.where, "urdf-no-effect",
                    fmt::format("{} of a {} joint", tag(element.name), type_of(element_)),
                    "it means nothing for this type of joint");
  }
  Mat3d leave_out_axis() {
    if (const XmlElement* axis = only_child(r_, element_, "axis", owner_)) no_effect(*axis);
    return Mat3d::identity();
  }

  Mat3d read_axis() {
    const XmlElement* axis = only_child(r_, element_, "axis", owner_);
    Vec3d direction{1, 0, 0};  // URDF's own default
    if (axis != nullptr) {
      report_unknown(*axis, {"xyz"}, {}, r_.messages, r_.left_out);
      if (const XmlAttribute* xyz = require(r_, *axis, "xyz", owner_, "add xyz=\"x y z\"")) {
        direction = read_direction(*xyz).value_or(direction);
      }
    }
    return frame_at({}, direction).R;
  }

  std::optional<Vec3d> read_direction(const XmlAttribute& xyz) {
    const auto v = read_vector(r_.messages, xyz, "axis of " + owner_);
    if (!v) return std::nullopt;
    const double largest = std::max({std::abs(v->x), std::abs(v->y), std::abs(v->z)});
    if (largest == 0) {
      r_.messages.error(xyz.value_where, "axis-zero", fmt::format("axis of {} is 0 0 0", owner_),
                        "give a direction, such as 0 0 1");
      return std::nullopt;
    }
    const Vec3d scaled{v->x / largest, v->y / largest, v->z / largest};  // so that no square overflows
    const double length = norm(scaled) * largest;
    if (!(std::abs(length - 1) <= 1e-4)) {
      r_.messages.warning(xyz.value_where, "axis-not-unit",
                          fmt::format("axis of {} has length {}, not 1", owner_, rounded(length)),
                          "divide it by its length, as is done here");
    }
    return scaled;
  }

  // A number that may be left out.
  std::optional<double> number(const XmlElement& element, std::string_view attribute, bool may_be_negative) {
    const XmlAttribute* given = element.find(attribute);
    if (given == nullptr) return std::nullopt;
    const std::string what = fmt::format("{} of {}", attribute, owner_);
    const auto value = read_number(r_.messages, *given, what);
    if (value && *value < 0 && !may_be_negative) {
      r_.messages.error(given->value_where, "number-negative", fmt::format("{} is negative: {}", what, given->value),
                        "give 0 or more");
      return std::nullopt;
    }
    return value;
  }

  void read_limits() {
    const XmlElement* limit = only_child(r_, element_, "limit", owner_);
    const std::string type = type_of(element_);
    if (limit == nullptr) {
      if (type == "revolute" || type == "prismatic") {
        r_.messages.warning(element_.where, "limits-missing",
                            fmt::format("{} joint {} has no <limit>: it is not limited", type, quote(joint_.name)),
                            type == "revolute" ? "add <limit>, or make the joint continuous" : "add <limit>");
      }
      return;
    }
    if (!has_one_freedom()) return no_effect(*limit);
    report_unknown(*limit, {"lower", "upper", "effort", "velocity"}, {}, r_.messages, r_.left_out);
    if (const auto effort = number(*limit, "effort", false)) joint_.properties.effort_limit = {*effort};
    if (const auto velocity = number(*limit, "velocity", false)) joint_.properties.velocity_limit = {*velocity};
    const bool continuous = type == "continuous";
    for (const char* side : {"lower", "upper"}) {
      if (!continuous || limit->find(side) == nullptr) continue;
      r_.left_out.add(limit->find(side)->where, "urdf-no-effect",
                      fmt::format("'{}' in <limit> of a continuous joint", side),
                      "make the joint revolute to limit it");
    }
    if (!continuous) read_range(*limit);
  }

  void read_range(const XmlElement& limit) {
    if (limit.find("lower") == nullptr && limit.find("upper") == nullptr) {
      r_.messages.warning(limit.where, "limits-missing",
                          fmt::format("<limit> of {} has neither 'lower' nor 'upper': it is not limited", owner_),
                          "add the two");
      return;
    }
    const auto read = [&](const char* side) {  // left out it is 0
      return limit.find(side) == nullptr ? std::optional(0.0) : number(limit, side, true);
    };
    for (const char* side : {"lower", "upper"}) {
      if (limit.find(side) != nullptr) continue;
      r_.messages.warning(limit.where, "limit-missing", fmt::format("<limit> of {} has no '{}': it is 0", owner_, side),
                          "add the other one");
    }
    const std::optional<double> given_lower = read("lower"), given_upper = read("upper");
    if (!given_lower || !given_upper) return;
    const double lower = *given_lower, upper = *given_upper;
    if (lower > upper) {
      r_.messages.error(limit.where, "limits-order",
                        fmt::format("{}: lower is {}, above upper, {}", owner_, rounded(lower), rounded(upper)),
                        "exchange the two; one that is left out is 0");
      return;
    }
    if (std::holds_alternative<Revolute>(joint_.type)) {
      warn_of_degrees(r_, limit.where, lower, "lower limit of " + owner_);
      warn_of_degrees(r_, limit.where, upper, "upper limit of " + owner_);
    }
    if (lower == upper) {
      r_.messages.warning(
          limit.where, "limits-closed",
          fmt::format("{} is limited from {} to {}: it cannot move", owner_, shortest(lower), shortest(upper)),
          "give the limits that it has, for which some exporters write 0; or make it fixed");
    }
    joint_.properties.lower = {lower};
    joint_.properties.upper = {upper};
  }

  void read_dynamics() {
    const XmlElement* dynamics = only_child(r_, element_, "dynamics", owner_);
    if (dynamics == nullptr) return;
    if (!has_one_freedom()) return no_effect(*dynamics);
    report_unknown(*dynamics, {"damping", "friction"}, {}, r_.messages, r_.left_out);
    if (const auto damping = number(*dynamics, "damping", false)) joint_.properties.viscous = {*damping};
    if (const auto friction = number(*dynamics, "friction", false)) joint_.properties.dry = {*friction};
  }

  Reading& r_;
  const JointDraft& draft_;
  const XmlElement& element_;
  Joint& joint_;
  std::string owner_;
};

}  // namespace

void declare_joints(Reading& r, const XmlElement& robot) {
  for (const XmlElement& child : robot.children) {
    if (child.name != "joint") continue;
    const std::string name = read_name(r, child, "joint");
    if (name.empty()) continue;
    const auto [found, is_new] = r.joint_index.try_emplace(name, r.model.joints.size());
    if (!is_new) {
      r.messages.error(child.where, "name-duplicate",
                       fmt::format("there are two joints called {}; the other is in line {}", quote(name),
                                   r.joints[found->second].element->where.line),
                       "rename one of them");
      continue;
    }
    r.joint_names.push_back(name);
    Joint& joint = r.model.joints.emplace_back();
    joint.name = name;
    joint.where = child.where;
    JointDraft& draft = r.joints.emplace_back();
    draft.element = &child;
    const std::string owner = "joint " + quote(name);
    draft.has_type = read_type(r, child, joint);
    draft.parent = read_end(r, child, "parent", owner);
    draft.child = read_end(r, child, "child", owner);
    draft.X_PJ = read_origin(r, child, owner);
    if (draft.parent != JointDraft::none) joint.first = r.model.bodies[draft.parent].name;
    if (draft.child != JointDraft::none) joint.second = r.model.bodies[draft.child].name;
    if (draft.parent != JointDraft::none && draft.parent == draft.child) {
      r.messages.error(child.where, "joint-to-itself", fmt::format("{} joins {} to itself", owner, quote(joint.first)),
                       "name two different links");
    }
  }
  const auto ground = r.joint_index.find(std::string(ground_name));
  if (ground == r.joint_index.end()) return;
  Joint& joint = r.model.joints[ground->second];
  joint.name = "ground_joint";
  while (r.joint_index.contains(joint.name)) joint.name += "_";
  r.messages.warning(
      joint.where, "name-reserved",
      fmt::format("a joint is called 'ground', which means the world; here it is called {}", quote(joint.name)),
      "choose another name");
}

void read_joint(Reading& r, const JointDraft& draft, Joint& joint) {
  if (draft.has_type) JointReader(r, draft, joint).read();
}

void read_mimic(Reading& r, const JointDraft& draft, const Joint& joint) {
  const std::string owner = "joint " + quote(joint.name);
  const XmlElement* mimic = only_child(r, *draft.element, "mimic", owner);
  if (mimic == nullptr || !draft.has_type) return;
  report_unknown(*mimic, {"joint", "multiplier", "offset"}, {}, r.messages, r.left_out);
  const XmlAttribute* leader = require(r, *mimic, "joint", owner, "add joint=\"…\", the joint that it follows");
  if (leader == nullptr) return;
  const auto found = r.joint_index.find(leader->value);
  if (found == r.joint_index.end()) {
    r.messages.error(leader->value_where, "joint-unknown",
                     fmt::format("<mimic> of {} names a joint {} that is not there", owner, quote(leader->value)),
                     r.messages.guess_or(leader->value, r.joint_names, "name a joint of the file"));
    return;
  }
  const Joint& first = r.model.joints[found->second];
  if (first.name == joint.name) {
    r.messages.error(leader->value_where, "coupling-to-itself", fmt::format("{} mimics itself", owner),
                     "name another joint, or delete <mimic>");
    return;
  }
  if (!r.joints[found->second].has_type) return;  // reported already
  if (nv(joint.type) != 1 || nv(first.type) != 1) {
    r.messages.error(mimic->where, "coupling-freedom",
                     fmt::format("<mimic> of {}: both it and {} must have one freedom", owner, quote(first.name)),
                     "let revolute, continuous and prismatic joints follow each other");
    return;
  }
  Coupling& coupling = r.model.couplings.emplace_back();
  coupling.name = joint.name + " mimic";
  coupling.kind = Coupling::Kind::mimic;
  coupling.first = first.name;
  coupling.second = joint.name;
  coupling.where = mimic->where;
  if (const XmlAttribute* multiplier = mimic->find("multiplier")) {
    coupling.ratio = read_number(r.messages, *multiplier, "multiplier of " + owner).value_or(1);
    if (coupling.ratio == 0) {
      r.messages.error(multiplier->value_where, "ratio-zero",
                       fmt::format("multiplier of {} is 0, which couples nothing", owner),
                       "give a number other than 0, or make the joint fixed");
    }
  }
  if (const XmlAttribute* offset = mimic->find("offset")) {
    coupling.offset = read_number(r.messages, *offset, "offset of " + owner).value_or(0);
    if (std::holds_alternative<Revolute>(joint.type)) {
      warn_of_degrees(r, offset->value_where, coupling.offset, "offset of " + owner);
    }
  }
}

// Each joint follows one other at most, so following the leaders from a joint ends at one that drives, or goes round.
void report_mimic_cycles(Reading& r) {
  std::unordered_map<std::string_view, const Coupling*> follows;  // by the joint that mimics
  for (const Coupling& coupling : r.model.couplings) follows.emplace(coupling.second, &coupling);
  std::unordered_map<std::string_view, const Coupling*> visited_from;
  for (const Coupling& start : r.model.couplings) {
    std::string_view joint = start.second;
    for (; follows.contains(joint) && visited_from.emplace(joint, &start).second; joint = follows.at(joint)->first) {
    }
    if (!follows.contains(joint) || visited_from.at(joint) != &start) continue;
    std::vector<std::string> ring{std::string(joint)};
    for (std::string_view at = follows.at(joint)->first; at != joint; at = follows.at(at)->first) ring.emplace_back(at);
    r.messages.error(
        follows.at(joint)->where, "mimic-cycle",
        fmt::format("joints mimic each other in a circle, so that none of them drives: {}", list_names(ring)),
        "delete <mimic> of the joint that the others are to follow");
  }
}

}  // namespace trammel::readers::urdf
