// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_joints.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "readers/yaml_keys.hpp"

namespace trammel::readers {

namespace {

// --- first step: type, bodies, place ---------------------------------------------------------------------------

bool is_joint_key(const std::string& key) {
  const auto& sections = native_keys();
  return std::any_of(sections.begin(), sections.end(), [&](const KeyList& list) {
    return list.section.starts_with("joint ") && std::find(list.keys.begin(), list.keys.end(), key) != list.keys.end();
  });
}

std::string meant_type(Reading& r, const std::string& word) {
  const std::string translated = translate_joint_type(word);
  return translated.empty() ? r.messages.guess(word, joint_keywords()) : translated;
}

// No key of the joint is a type: perhaps one was meant to be.
const Node* find_misspelt_type(Reading& r, const Node& node) {
  for (const Node::Child& child : node.children) {
    if (!is_joint_key(child.key->text) && !meant_type(r, child.key->text).empty()) return child.key;
  }
  for (const Node::Child& child : node.children) {
    const bool two = child.value->is_list() && child.value->children.size() == 2;
    if (!is_joint_key(child.key->text) && two && child.value->children[0].value->is_scalar()) return child.key;
  }
  return nullptr;
}

// The key that says the type; a misspelt one is reported and, if it can be guessed, taken for what was meant.
const Node* read_type(Reading& r, JointDraft& draft, Joint& joint) {
  const std::string subject = "joint " + quote(joint.name);
  const Node* key = nullptr;
  for (const Node::Child& child : draft.node->children) {
    const auto type = joint_by_keyword(child.key->text);
    if (!type) continue;
    if (key != nullptr) {
      r.messages.error(child.key->where, "joint-type",
                       fmt::format("{} is both {} and {}", subject, key->text, child.key->text),
                       "keep one of them; write two joints as two entries");
      draft.reported.push_back(child.key);
      continue;
    }
    key = child.key;
    joint.type = *type;
    draft.has_type = true;
  }
  if (key != nullptr) return key;
  const std::string types = "the types are " + one_of(joint_keywords());
  if (const Node* type = draft.node->find("type")) {
    r.messages.error(type->where, "joint-type",
                     fmt::format("{} has a key 'type'; here the type is a key itself", subject),
                     "write {revolute: [first body, second body], …}");
    return nullptr;
  }
  key = find_misspelt_type(r, *draft.node);
  if (key == nullptr) {
    r.messages.error(joint.where, "joint-type", subject + " has no type",
                     fmt::format("write {{revolute: [first body, second body], …}}; {}", types));
    return nullptr;
  }
  draft.reported.push_back(key);
  const std::string meant = meant_type(r, key->text);
  r.messages.error(key->where, "joint-type", fmt::format("{} has an unknown type {}", subject, quote(key->text)),
                   meant.empty() ? types : fmt::format("did you mean '{}'?", meant));
  if (!meant.empty()) {
    joint.type = *joint_by_keyword(meant);
    draft.has_type = true;
  }
  return key;
}

void read_bodies(Reading& r, JointDraft& draft, Joint& joint, const Node& pair) {
  const std::string title = title_of(joint);
  const auto names = read_two_names(r, pair, "the bodies of " + title,
                                    fmt::format("{}: [first body, second body]", keyword(joint.type)));
  if (!names) return;
  joint.first = names->first;
  joint.second = names->second;
  draft.first = find_body(r, *pair.children[0].value, joint.first, title);
  draft.second = find_body(r, *pair.children[1].value, joint.second, title);
  if (draft.first && joint.first == joint.second) {
    r.messages.error(pair.where, "joint-to-itself", fmt::format("{} joins {} to itself", title, quote(joint.first)),
                     "name two different bodies");
    draft.broken = true;
  }
}

void read_place_of_joint(Reading& r, JointDraft& draft, const Joint& joint) {
  const std::string title = title_of(joint);
  if (const Node* at = draft.node->find("at")) {
    draft.at = read_place(r, *at, "at of " + title);
    draft.broken = draft.broken || !draft.at;
  }
  if (const Node* in = draft.node->find("in")) {
    draft.in = read_body(r, *in, "in of " + title);
    draft.broken = draft.broken || !draft.in;
  }
}

bool takes(const Joint& joint, std::string_view key) {
  const auto& keys = keys_of(fmt::format("joint {}", keyword(joint.type)));
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void read_dh(Reading& r, JointDraft& draft, const Joint& joint) {
  const Node* node = draft.node->find("dh");
  if (node == nullptr || !takes(joint, "dh")) return;
  draft.dh = read_dh_row(r, *node, "dh of " + title_of(joint));
  draft.broken = draft.broken || !draft.dh;
  if (draft.second && draft.second->is_ground) {
    r.messages.error(node->where, "dh-placement", fmt::format("dh of {} would place the ground", title_of(joint)),
                     "name the ground first, or use 'at' and 'axis'");
    draft.broken = true;
  }
}

// --- second step: frames ----------------------------------------------------------------------------------------

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct FrameReader {
  Reading& r;
  const JointDraft& draft;
  const Fields& fields;
  Joint& joint;

  Transformd pose_of(const std::optional<BodyRef>& body) const { return body ? design_pose(r, *body) : Transformd{}; }

  // `instead` decides the frames alone: none of the others may stand beside it.
  void refuse_beside(std::string_view instead, std::initializer_list<std::string_view> others) {
    for (const std::string_view other : others) {
      const Node* node = fields.find(other);
      if (node == nullptr) continue;
      r.messages.error(node->where, "key-conflict",
                       fmt::format("{} has both '{}' and '{}'", fields.subject(), instead, other),
                       fmt::format("keep one of them; '{}' says all about the place", instead));
    }
  }

  std::optional<Vec3d> direction(std::string_view key, const Transformd& X_WL, const Vec3d& otherwise) {
    const Node* node = fields.find(key);
    return node == nullptr ? otherwise : read_direction(r, *node, fields.what(key), X_WL);
  }

  std::optional<Transformd> frame_along_axis(const Vec3d& p, const Transformd& X_WL) {
    const auto z = direction("axis", X_WL, {0, 0, 1});
    if (!z) return std::nullopt;
    const Node* x_node = fields.find("x");
    if (x_node == nullptr) return frame_at(p, *z);
    const auto x = direction("x", X_WL, {});
    if (!x) return std::nullopt;
    if (!(norm(cross(unit(*z), unit(*x))) > 1e-6)) {
      r.messages.error(x_node->where, "axes-not-perpendicular",
                       fmt::format("x of {} lies along its axis", fields.subject()), "give a direction in the plane");
      return std::nullopt;
    }
    return frame_with_x(p, *z, *x);
  }

  std::optional<Transformd> frame_along_axes(const Vec3d& p, const Transformd& X_WL, bool required) {
    if (!fields.has("axes") && !required) return Transformd::translation(p);
    const auto axes = read_two_axes(r, fields, X_WL);
    return axes ? std::optional(frame_at(p, axes->first, axes->second)) : std::nullopt;
  }

  // The frame in L, whose pose is X_WL; null for "that of the body itself".
  std::optional<Transformd> frame_in(const Transformd& X_WL, bool& failed) {
    const std::string_view type = keyword(joint.type);
    const bool may_float = is_one_of(type, {"free", "fixed"});
    if (!fields.has("at") && !fields.has("in") && may_float) return std::nullopt;
    if (!fields.has("at") && !fields.has("in")) {
      fields.report_missing(r, "at", "add at: followed by a point, or by [x, y, z]");
    }
    const Vec3d p = draft.at ? draft.at->in(X_WL) : Vec3d{};
    if (type == "free") return free_frame(p, X_WL);
    if (type == "fixed") return Transformd::translation(p);
    const auto frame = is_one_of(type, {"universal", "spherical"}) ? frame_along_axes(p, X_WL, type == "universal")
                                                                   : frame_along_axis(p, X_WL);
    failed = !frame;
    return frame;
  }

  // A free joint has the axes of the body that it frees: velocities are told in them.
  Transformd free_frame(const Vec3d& p_L, const Transformd& X_WL) const {
    return {transpose(X_WL.R) * pose_of(freed_body()).R, p_L};
  }
  std::optional<BodyRef> freed_body() const {
    return draft.second && draft.second->is_ground ? draft.first : draft.second;
  }

  bool same(const std::optional<BodyRef>& a, const std::optional<BodyRef>& b) const {
    return a && b && a->is_ground == b->is_ground && a->index == b->index;
  }

  void read_at_and_axis() {
    bool failed = false;
    const Transformd X_WL = pose_of(draft.in);
    const auto X_LJ = frame_in(X_WL, failed);
    if (failed || draft.broken) return;
    JointFrames frames;
    if (X_LJ) {
      frames = frames_of(*X_LJ, X_WL, pose_of(draft.first), pose_of(draft.second), same(draft.in, draft.first),
                         same(draft.in, draft.second));
    } else {  // the frame of the body itself
      frames = frames_of({}, pose_of(freed_body()), pose_of(draft.first), pose_of(draft.second),
                         same(freed_body(), draft.first), same(freed_body(), draft.second));
    }
    joint.X_AF = frames.X_AF;
    joint.X_BM = frames.X_BM;
  }

  void read_frames(const Node& node) {
    const Fields frames(r, node, "frames", "frames of " + fields.subject());
    bool complete = frames.usable();
    for (const auto& [key, X] : {std::pair{"first", &joint.X_AF}, std::pair{"second", &joint.X_BM}}) {
      const Node* given = frames.find(key);
      if (given == nullptr) continue;  // the body's own frame
      const auto frame = read_frame(r, *given, fmt::format("the {} frame of {}", key, fields.subject()));
      complete = complete && frame;
      if (frame) *X = *frame;
    }
    if (!complete || draft.broken) return;
    const Transformd X_WF = pose_of(draft.first) * joint.X_AF, X_WM = pose_of(draft.second) * joint.X_BM;
    const double apart = norm(X_WM.p - X_WF.p), turned = norm(log(transpose(X_WF.R) * X_WM.R));
    if (apart > 1e-6 * (1 + norm(X_WF.p)) || turned > 1e-6) {
      r.messages.warning(node.where, "frames-apart",
                         fmt::format("the two frames of {} do not coincide at the design position: {} m and {} rad "
                                     "apart",
                                     fields.subject(), rounded(apart), rounded(turned)),
                         "correct the frames or the poses of the bodies");
    }
  }

  void read() {
    if (fields.has("dh") && takes(joint, "dh")) {
      refuse_beside("dh", {"at", "in", "axis", "frames"});
      if (!draft.dh) return;
      joint.X_AF = draft.dh->X_AF;
      joint.X_BM = draft.dh->X_BM;
    } else if (const Node* frames = fields.find("frames")) {
      refuse_beside("frames", {"at", "in", "axis", "axes", "x"});
      read_frames(*frames);
    } else {
      read_at_and_axis();
    }
  }
};

}  // namespace

std::optional<std::pair<Vec3d, Vec3d>> read_two_axes(Reading& r, const Fields& fields, const Transformd& X_WL) {
  const Node* node = fields.find("axes");
  if (node == nullptr) {
    fields.report_missing(r, "axes", "add axes: [first, second], two directions at right angles");
    return std::nullopt;
  }
  if (!node->is_list() || node->children.size() != 2) {
    r.messages.error(node->where, "wrong-type",
                     fmt::format("axes of {} must be two directions, not {}", fields.subject(), describe(*node)),
                     "write for example axes: [x, y]");
    return std::nullopt;
  }
  const auto x = read_direction(r, *node->children[0].value, "the first axis of " + fields.subject(), X_WL);
  const auto y = read_direction(r, *node->children[1].value, "the second axis of " + fields.subject(), X_WL);
  if (!x || !y) return std::nullopt;
  const double cosine = dot(unit(*x), unit(*y));
  if (!(std::abs(cosine) <= 1e-6)) {
    const double degrees = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    r.messages.error(node->where, "axes-not-perpendicular",
                     fmt::format("the axes of {} meet at {}°, not at 90°", fields.subject(), rounded(degrees)),
                     "give two directions at right angles");
    return std::nullopt;
  }
  return std::pair(*x, *y);
}

void read_pitch(Reading& r, const Fields& fields, Helical& helical) {
  const Node* pitch = fields.find("pitch");
  const Node* advance = fields.find("advance");
  if (pitch != nullptr && advance != nullptr) {
    r.messages.error(advance->where, "key-conflict", fields.subject() + " has both 'pitch' and 'advance'",
                     "keep one of them");
  } else if (pitch != nullptr) {
    helical.h = read_number(r, *pitch, fields.what("pitch"), dimension::length).value_or(0) / Helical::two_pi;
  } else if (advance != nullptr) {
    helical.h = read_number(r, *advance, fields.what("advance"), {.length = 1, .angle = -1}).value_or(0);
  } else {
    fields.report_missing(r, "pitch", "add pitch: followed by the advance per full turn");
  }
}

JointFrames frames_of(const Transformd& X_LJ, const Transformd& X_WL, const Transformd& X_WA, const Transformd& X_WB,
                      bool L_is_A, bool L_is_B) {
  const Transformd X_WJ = X_WL * X_LJ;
  return {L_is_A ? X_LJ : inverse(X_WA) * X_WJ, L_is_B ? X_LJ : inverse(X_WB) * X_WJ};
}

JointFrames read_ball_frames(Reading& r, const Fields& fields, const BodyRef& first, const BodyRef& second) {
  Joint joint;
  joint.type = Spherical{};
  JointDraft draft;
  draft.first = first;
  draft.second = second;
  if (const Node* at = fields.find("at")) {
    draft.at = read_place(r, *at, fields.what("at"));
    draft.broken = !draft.at;
  }
  if (const Node* in = fields.find("in")) {
    draft.in = read_body(r, *in, fields.what("in"));
    draft.broken = draft.broken || !draft.in;
  }
  FrameReader{r, draft, fields, joint}.read();
  if (!is_finite(joint.X_AF) || !is_finite(joint.X_BM)) {
    r.messages.error(fields.where(), "number-not-finite",
                     fmt::format("the place of {} is beyond what a double holds", fields.subject()),
                     "check the sizes and units");
  }
  return {joint.X_AF, joint.X_BM};
}

Transformd frame_with_x(const Vec3d& p, const Vec3d& axis, const Vec3d& x) {
  const Vec3d y = cross(unit(axis), unit(x));
  return frame_at(p, cross(y, unit(axis)), y);
}

std::string title_of(const Joint& joint) { return fmt::format("{} joint {}", keyword(joint.type), quote(joint.name)); }

std::vector<JointDraft> declare_joints(Reading& r, const Node& section) {
  std::vector<JointDraft> drafts;
  if (section.is_null()) return drafts;
  if (!section.is_map()) {
    r.messages.error(section.where, "wrong-type",
                     fmt::format("joints must be a mapping from names to joints, not {}", describe(section)),
                     "write joints: {name: {revolute: [first body, second body], …}, …}");
    return drafts;
  }
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "joint")) continue;
    if (child.key->text == ground_name) {
      r.messages.error(child.key->where, "name-reserved", "a joint is called 'ground', which means the world",
                       "choose another name");
      continue;
    }
    Joint& joint = r.model.joints.emplace_back();
    joint.name = child.key->text;
    joint.where = child.key->where;
    r.joints.add(joint.name);
    JointDraft& draft = drafts.emplace_back();
    draft.node = child.value;
    if (!child.value->is_map()) {
      r.messages.error(child.value->where, "wrong-type",
                       fmt::format("joint {} must be a mapping, not {}", quote(joint.name), describe(*child.value)),
                       "write {revolute: [first body, second body], at: …, axis: …}");
      continue;
    }
    const Node* type = read_type(r, draft, joint);
    if (!draft.has_type) continue;
    read_bodies(r, draft, joint, *draft.node->find(type->text));
    read_place_of_joint(r, draft, joint);
    read_dh(r, draft, joint);
    draft.broken = draft.broken || !draft.first || !draft.second;
  }
  return drafts;
}

void read_joint(Reading& r, const JointDraft& draft, Joint& joint) {
  if (!draft.has_type) return;
  const Fields fields(r, *draft.node, fmt::format("joint {}", keyword(joint.type)), title_of(joint), draft.reported);
  if (auto* helical = std::get_if<Helical>(&joint.type)) read_pitch(r, fields, *helical);
  FrameReader{r, draft, fields, joint}.read();
  if (!is_finite(joint.X_AF) || !is_finite(joint.X_BM)) {
    r.messages.error(joint.where, "number-not-finite",
                     fmt::format("the place of {} is beyond what a double holds", title_of(joint)),
                     "check the sizes and units");
  }
  read_joint_properties(r, fields, joint);
  if (const Node* cut = fields.find("cut")) joint.cut = read_bool(r, *cut, fields.what("cut")).value_or(false);
}

}  // namespace trammel::readers
