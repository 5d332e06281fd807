// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_joints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "readers/mjcf_limits.hpp"

namespace trammel::readers::mjcf {

namespace {

using Type = FileJoint::Type;

const std::vector<std::string> type_words{"free", "ball", "slide", "hinge"};

std::size_t freedoms_of(Type type) { return type == Type::free ? 6 : type == Type::ball ? 3 : 1; }

void read_axis(Reading& r, const Item& item, const Transformd& X_BF, JointDraft& joint) {
  joint.anchor = X_BF * read_vector(r.report, item, "pos").value_or(Vec3d{});
  const Vec3d axis = read_vector(r.report, item, "axis").value_or(Vec3d{0, 0, 1});
  const double largest = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
  if (!(largest > 1e-14)) {
    r.report.error(item.find("axis")->place, "direction-zero", fmt::format("{} has no length", item.what("axis")),
                   "give a direction, such as 0 0 1");
    joint.axis = {0, 0, 1};
    return;
  }
  const Vec3d scaled = axis * (1 / largest);
  const double length = norm(scaled);
  joint.axis = X_BF.R * Vec3d{scaled.x / length, scaled.y / length, scaled.z / length};
}

void tell_no_effects(Reading& r, const Item& item, const JointDraft& joint) {
  const auto tell = [&](const char* name, const char* of_what) { tell_no_effect(r.report, item, name, of_what); };
  if (joint.type == Type::free) tell("pos", "a free joint");
  if (joint.type == Type::free || joint.type == Type::ball) {
    for (const char* name : {"axis", "ref"}) tell(name, joint.type == Type::free ? "a free joint" : "a ball joint");
  }
  if (!item.has("stiffness") && !item.has("springdamper")) tell("springref", "a joint without a spring");
  if (read_text(item, "limited") == "false") tell("range", "a joint without limits");
}

// Springs act in every dynamics: a model without them would give other answers.
void refuse_springs(Reading& r, const Item& item) {
  for (const char* name : {"stiffness", "springdamper"}) {
    const Attribute* given = item.find(name);
    if (given == nullptr) continue;
    // springdamper makes a damper too, which the flag leaves on.
    if (!r.switches.springs && std::string_view(name) == "stiffness") {
      r.report.leave_out(given->place, "the spring of a joint", "the flag spring switches it off");
      continue;
    }
    const auto numbers = parse_numbers(r.report, *given, item.what(name));
    if (!numbers || std::all_of(numbers->begin(), numbers->end(), [](double x) { return x == 0; })) continue;
    r.report.error(given->place, "not-yet",
                   fmt::format("{} has a spring ({}), which cannot be read yet, and without it answers would be wrong",
                               item.subject(), name),
                   fmt::format("set {} to 0, or wait for a later release", name));
  }
}

std::vector<double> read_resistance(Reading& r, const Item& item, const char* name, Type type) {
  // Newer versions of MuJoCo take further numbers, for forces that are not proportional.
  const Attribute* given = item.find(name);
  const auto number = given == nullptr ? std::nullopt : read_number(r.report, item, name);
  if (!number || *number == 0) return {};
  if (*number < 0) {
    r.report.error(given->place, "number-out-of-range",
                   fmt::format("{} is negative: {}", item.what(name), rounded(*number)), "give 0 or more");
    return {};
  }
  return std::vector<double>(freedoms_of(type), *number);
}

void read_limits(Reading& r, const Item& item, JointDraft& joint) {
  const auto limited = read_tristate(r.report, item, "limited");
  const auto range = read_numbers(r.report, item, "range", 2);
  const bool applies = limited.value_or(r.compiler.autolimits && range.has_value());
  if (!limited && range && !r.compiler.autolimits) {
    r.report.error(item.find("range")->place, "limit-unclear",
                   fmt::format("{} has a range, but not 'limited', and autolimits is off", item.subject()),
                   "add limited=\"true\" or limited=\"false\"");
  }
  if (!applies || !r.switches.limits) return;
  if (joint.type == Type::ball || joint.type == Type::free) {
    r.report.leave_out(item.place(), fmt::format("the limit of a {} joint", joint.type == Type::ball ? "ball" : "free"),
                       "limits are for hinges and slides here");
    return;
  }
  const double unit = joint.type == Type::hinge ? r.compiler.angle : 1.0;
  const std::vector<double> ends = range.value_or(std::vector<double>{0, 0});
  if (!(ends[0] < ends[1])) {
    const Attribute* given = item.find("range");
    r.report.error(given == nullptr ? item.place() : given->place, "limits-order",
                   fmt::format("{} is limited from {} to {}", item.subject(), rounded(ends[0]), rounded(ends[1])),
                   "give range=\"lower upper\", the lower one first");
    return;
  }
  joint.properties.lower = {is_no_lower_limit(ends[0]) ? -infinity : ends[0] * unit - joint.ref};
  joint.properties.upper = {is_no_upper_limit(ends[1]) ? infinity : ends[1] * unit - joint.ref};
}

// MuJoCo's free joint has its linear velocity in world axes, ours in the body's own: a rotor inertia or a dry friction
// of each component is not the same in both.
void refuse_on_free(Reading& r, const Item& item, const char* name, const std::vector<double>& values) {
  if (values.empty()) return;
  r.report.error(item.find(name)->place, "not-yet",
                 fmt::format("{} is free and has {}, which cannot be said here", item.subject(), name),
                 fmt::format("use <freejoint/>, or {}=\"0\"", name));
}

// --- joints that are one ------------------------------------------------------------------------------------------

struct Pattern {
  AnyJoint type;
  bool reversed = false;
  std::vector<std::pair<const char*, Type>> parts;
  std::vector<int> dofs;  // of each part
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all{
      {Free{}, false, {{"x", Type::slide}, {"y", Type::slide}, {"z", Type::slide}, {"turn", Type::ball}}, {3, 4, 5, 0}},
      {Planar{}, false, {{"x", Type::slide}, {"y", Type::slide}, {"angle", Type::hinge}}, {0, 1, 2}},
      {Planar{}, true, {{"angle", Type::hinge}, {"x", Type::slide}, {"y", Type::slide}}, {2, 0, 1}},
      {Universal{}, false, {{"angle1", Type::hinge}, {"angle2", Type::hinge}}, {0, 1}},
      {Universal{}, true, {{"angle2", Type::hinge}, {"angle1", Type::hinge}}, {1, 0}},
      {Cylindrical{}, false, {{"angle", Type::hinge}, {"travel", Type::slide}}, {0, 1}}};
  return all;
}

// How many "_" a name ends in.
std::size_t length_of_tail(const std::string& name) { return name.size() - 1 - name.find_last_not_of('_'); }

// "j" when the drafts from i on are named as the pattern says, all with the same number of "_" behind it.
std::string base_name(const std::vector<JointDraft>& drafts, std::size_t i, const Pattern& pattern) {
  std::string base;
  if (i + pattern.parts.size() > drafts.size()) return {};
  const std::string tail(length_of_tail(drafts[i].name), '_');
  for (std::size_t k = 0; k < pattern.parts.size(); ++k) {
    const JointDraft& draft = drafts[i + k];
    const std::string suffix = std::string(".") + pattern.parts[k].first + tail;
    if (draft.type != pattern.parts[k].second || draft.name.size() <= suffix.size()) return {};
    const std::size_t length = draft.name.size() - suffix.size();
    if (draft.name.compare(length, std::string::npos, suffix) != 0) return {};
    if (k > 0 && draft.name.substr(0, length) != base) return {};
    base = draft.name.substr(0, length);
  }
  return base;
}

bool near(const Vec3d& a, const Vec3d& b, double scale = 1) { return norm(a - b) <= 4e-15 * scale; }

// The frame of the one joint, if the axes are those it would have.
std::optional<Transformd> frame_of(const JointDraft* d, const Pattern& pattern) {
  const double sign = pattern.reversed ? -1 : 1;
  if (std::holds_alternative<Cylindrical>(pattern.type)) {
    if (!near(d[0].axis, d[1].axis)) return std::nullopt;
    return frame_at(d[0].anchor, d[0].axis);
  }
  if (std::holds_alternative<Universal>(pattern.type)) {
    const Vec3d x = d[pattern.reversed ? 1 : 0].axis * sign, y = d[pattern.reversed ? 0 : 1].axis * sign;
    if (std::abs(dot(x, y)) > 4e-15 || !near(d[0].anchor, d[1].anchor, norm(d[0].anchor))) return std::nullopt;
    return frame_at(d[0].anchor, x, y);
  }
  const std::size_t first = std::holds_alternative<Planar>(pattern.type) && pattern.reversed ? 1 : 0;
  const std::size_t last = std::holds_alternative<Planar>(pattern.type) && pattern.reversed ? 0 : 2;
  const Vec3d x = d[first].axis * sign, y = d[first + 1].axis * sign, z = d[last].axis * sign;
  if (!near(cross(x, y), z) || std::abs(dot(x, y)) > 4e-15) return std::nullopt;
  const JointDraft& turn = std::holds_alternative<Free>(pattern.type) ? d[3] : d[last];
  return Transformd{{x, cross(z, x), z}, turn.anchor};
}

void put(std::vector<double>& to, const std::vector<double>& from, int dof, int freedoms, double otherwise) {
  if (from.empty()) return;
  if (to.empty()) to.assign(static_cast<std::size_t>(freedoms), otherwise);
  std::copy(from.begin(), from.end(), to.begin() + dof);
}

std::optional<JointPlan> fit(const std::vector<JointDraft>& drafts, std::size_t i, const Pattern& pattern,
                             const std::unordered_map<std::string, std::size_t>& taken) {
  const std::string base = base_name(drafts, i, pattern);
  if (base.empty() || taken.count(base) > 0) return std::nullopt;
  const auto X_BJ = frame_of(&drafts[i], pattern);
  if (!X_BJ) return std::nullopt;
  JointPlan plan{pattern.type, base, pattern.reversed, *X_BJ, {}, {}, drafts[i].place};
  const int freedoms = nv(pattern.type);
  for (std::size_t k = 0; k < pattern.parts.size(); ++k) {
    const JointProperties& p = drafts[i + k].properties;
    const int dof = pattern.dofs[k];
    plan.parts.push_back({i + k, dof});
    put(plan.properties.viscous, p.viscous, dof, freedoms, 0);
    put(plan.properties.dry, p.dry, dof, freedoms, 0);
    put(plan.properties.armature, p.armature, dof, freedoms, 0);
    put(plan.properties.lower, p.lower, dof, freedoms, -infinity);
    put(plan.properties.upper, p.upper, dof, freedoms, infinity);
  }
  // The travels of a free joint are along axes of F in the file, of M here: friction is the same only if it is the same
  // for all three.
  if (std::holds_alternative<Free>(pattern.type)) {
    const JointProperties& p = plan.properties;
    const auto& c = p.viscous;
    const bool even = c.empty() || (c[3] == c[4] && c[4] == c[5]);
    if (!even || !p.armature.empty() || !p.dry.empty() || !p.lower.empty()) return std::nullopt;
  }
  return plan;
}

JointPlan single(const JointDraft& draft, std::size_t i) {
  JointPlan plan{Revolute{}, draft.name, false, {}, draft.properties, {{i, 0}}, draft.place};
  switch (draft.type) {
    case Type::free:
      plan.type = Free{};
      break;
    case Type::ball:
      plan.type = Spherical{};
      plan.X_BJ.p = draft.anchor;
      break;
    case Type::slide:
      plan.type = Prismatic{};
      plan.X_BJ = frame_at(draft.anchor, draft.axis);
      break;
    case Type::hinge:
      plan.X_BJ = frame_at(draft.anchor, draft.axis);
      break;
  }
  return plan;
}

}  // namespace

std::optional<JointDraft> read_joint(Reading& r, const Item& item, const Transformd& X_BF) {
  JointDraft joint;
  joint.place = item.place();
  joint.name = read_text(item, "name");
  if (item.element().name == "freejoint") {
    joint.type = Type::free;
    if (read_tristate(r.report, item, "align").value_or(false)) {
      r.report.error(item.find("align")->place, "not-yet",
                     "frames of free bodies that are moved to their centre of mass (align) cannot be read yet",
                     "set align=\"false\"");
    }
    return joint;
  }
  if (item.has("type")) {
    const auto type = read_word(r.report, item, "type", type_words);
    if (!type) return std::nullopt;
    joint.type = static_cast<Type>(*type);
  }
  read_axis(r, item, X_BF, joint);
  const double unit = joint.type == Type::hinge ? r.compiler.angle : 1.0;
  if (joint.type == Type::hinge || joint.type == Type::slide) {
    joint.ref = read_number(r.report, item, "ref").value_or(0) * unit;
  }
  if (joint.ref != 0) {
    r.report.leave_out(
        item.find("ref")->place, "'ref' of a joint",
        "coordinates are zero in the drawing here; limits, keyframes, couplings and controls are shifted");
  }
  refuse_springs(r, item);
  joint.properties.viscous = read_resistance(r, item, "damping", joint.type);
  joint.properties.armature = read_resistance(r, item, "armature", joint.type);
  if (r.switches.friction_loss) joint.properties.dry = read_resistance(r, item, "frictionloss", joint.type);
  if (joint.type == Type::free) {
    refuse_on_free(r, item, "armature", joint.properties.armature);
    refuse_on_free(r, item, "frictionloss", joint.properties.dry);
  }
  read_limits(r, item, joint);
  tell_no_effects(r, item, joint);
  return joint;
}

std::vector<JointPlan> combine(const std::vector<JointDraft>& drafts,
                               const std::unordered_map<std::string, std::size_t>& taken) {
  std::vector<JointPlan> plans;
  for (std::size_t i = 0; i < drafts.size();) {
    std::optional<JointPlan> plan;
    for (const Pattern& pattern : patterns()) {
      plan = fit(drafts, i, pattern, taken);
      if (plan) break;
    }
    plans.push_back(plan ? *plan : single(drafts[i], i));
    i += plans.back().parts.size();
  }
  return plans;
}

}  // namespace trammel::readers::mjcf
