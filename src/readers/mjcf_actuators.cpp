// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// <actuator>. MuJoCo's general actuator makes the force
//   f = gain u + b₀ + b₁ l + b₂ l̇,    l = gear q,    τ = gear f
// and the others are short for it. Ours are those of its kinds that drives have:
//   torque     b = 0;  a gain other than 1 goes into the gear, and the limits of f are divided by it
//   position   b₀ = 0, b₁ = −gain
//   velocity   b₀ = b₁ = 0, b₂ = −gain
// Classes are laid one over the other as MuJoCo does: <position kp="7"/> in a class sets gain and bias for all kinds.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "readers/mjcf_limits.hpp"
#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

const std::vector<std::string> kinds{"general", "motor",    "position", "velocity", "intvelocity",
                                     "damper",  "cylinder", "muscle",   "adhesion"};

bool is_actuator(const std::string& name) { return std::find(kinds.begin(), kinds.end(), name) != kinds.end(); }

// What the elements of a class and then the actuator itself leave behind.
struct Setup {
  bool static_law = true;  // no activation state
  bool fixed_gain = true;
  enum class Bias { none, affine, other } bias_type = Bias::none;
  std::vector<double> gain = std::vector<double>(10, 0.0), bias = std::vector<double>(10, 0.0);
  std::vector<double> gear{1, 0, 0, 0, 0, 0};
  std::optional<bool> control_limited, force_limited;
  std::vector<double> control_range{0, 0}, force_range{0, 0};
  bool has_control_range = false, has_force_range = false;
  double servo_damping = 0;                           // kv of <position>
  std::map<std::string, double> without_counterpart;  // dampratio, timeconst, inheritrange of <position>
  std::string unsupported;                            // an attribute or kind that has no counterpart

  Setup() { gain[0] = 1; }
};

class ActuatorReader {
 public:
  explicit ActuatorReader(Reading& r) : r_(r) {
    for (const Actuator& a : r.model.actuators) names_.emplace(a.name, 0);
  }

  void read(const Element& section) {
    for (const Element& child : section.children) {
      if (!is_actuator(child.name)) continue;
      const Item own(child, Reading::subject(child, "actuator"));
      Setup setup = setup_of_class(child, own);
      lay(child, own.subject(), setup);
      make(own, setup);
    }
  }

 private:
  // What the class of an actuator leaves behind: the same for all of one class.
  const Setup& setup_of_class(const Element& element, const Item& own) {
    const Attribute* named = element.find("class");
    if (named != nullptr && !r_.defaults.has(named->value)) {
      r_.report.error(named->place, "class-unknown",
                      fmt::format("{} has a class {} that is not there", own.subject(), quote(named->value)),
                      r_.report.guess_or(named->value, r_.defaults.names(), "delete the attribute"));
    }
    const std::string class_name = named == nullptr ? std::string{} : named->value;
    const auto [known, is_new] = setups_.try_emplace(class_name);
    Setup& setup = known->second;
    if (!is_new) return setup;
    const std::vector<const Element*> settings = r_.defaults.all_settings(class_name);
    for (auto s = settings.rbegin(); s != settings.rend(); ++s)
      if (is_actuator((*s)->name)) lay(**s, own.subject(), setup);
    return setup;
  }

  void lay(const Element& element, const std::string& subject, Setup& s) {
    const Item item(element, subject);
    Report& report = r_.report;
    s.gear = read_over(report, item, "gear", s.gear).value_or(s.gear);
    if (item.has("ctrllimited")) s.control_limited = read_tristate(report, item, "ctrllimited");
    if (item.has("forcelimited")) s.force_limited = read_tristate(report, item, "forcelimited");
    if (const auto range = read_numbers(report, item, "ctrlrange", 2))
      s.control_range = *range, s.has_control_range = true;
    if (const auto range = read_numbers(report, item, "forcerange", 2))
      s.force_range = *range, s.has_force_range = true;
    const std::string& kind = element.name;
    if (kind == "general") {
      lay_general(item, s);
      return;
    }
    s.static_law = s.fixed_gain = true;
    s.unsupported.clear();
    if (kind == "motor") {
      s.gain.assign(10, 0.0);
      s.gain[0] = 1;
      s.bias_type = Setup::Bias::none;
    } else if (kind == "position" || kind == "velocity") {
      const bool position = kind == "position";
      s.bias.assign(10, 0.0);
      if (const auto k = read_number(report, item, position ? "kp" : "kv")) s.gain[0] = *k;
      s.bias[position ? 1 : 2] = -s.gain[0];
      s.bias_type = Setup::Bias::affine;
      if (!position) return;
      // What an element does not say stays as a class before it has set it; kv and dampratio set the same number.
      for (const char* word : {"dampratio", "timeconst", "inheritrange"}) {
        if (const auto number = read_number(report, item, word)) s.without_counterpart[word] = *number;
      }
      if (item.has("dampratio")) s.servo_damping = 0;
      if (const auto kv = read_number(report, item, "kv")) {
        s.servo_damping = *kv;
        if (!item.has("dampratio")) s.without_counterpart.erase("dampratio");
      }
      s.bias[2] = -s.servo_damping;
      for (const auto& [word, number] : s.without_counterpart) {
        if (number != 0) s.unsupported = fmt::format("its {}", word);
      }
    } else {
      s.unsupported = fmt::format("the kind <{}>", kind);
    }
  }

  void lay_general(const Item& item, Setup& s) {
    Report& report = r_.report;
    if (const auto type = read_word(report, item, "dyntype",
                                    {"none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor"}))
      s.static_law = *type == 0;
    if (const auto type = read_word(report, item, "gaintype", {"fixed", "affine", "muscle", "user", "dcmotor"}))
      s.fixed_gain = *type == 0;
    if (const auto type = read_word(report, item, "biastype", {"none", "affine", "muscle", "user", "dcmotor"}))
      s.bias_type = *type == 0 ? Setup::Bias::none : *type == 1 ? Setup::Bias::affine : Setup::Bias::other;
    s.gain = read_over(report, item, "gainprm", s.gain).value_or(s.gain);
    s.bias = read_over(report, item, "biasprm", s.bias).value_or(s.bias);
  }

  // Where the force acts: a joint, and which of its freedoms.
  struct Target {
    const FileJoint* joint = nullptr;
    int dof = 0;
    double gear = 1;
  };

  std::optional<Target> find_target(const Item& item, const Setup& s) {
    const char* attribute = item.has("joint") ? "joint" : "jointinparent";
    const Attribute* given = item.find(attribute);
    if (given == nullptr) {
      const bool elsewhere =
          item.has("tendon") || item.has("site") || item.has("cranksite") || item.has("slidersite") || item.has("body");
      if (elsewhere) {
        skip(item, "it does not act on a joint");
      } else {
        report_missing(r_.report, item, "joint", "add joint=\"name\"");
      }
      return std::nullopt;
    }
    const auto found = r_.joint_index.find(given->value);
    if (found == r_.joint_index.end()) {
      r_.report.error(given->place, "joint-unknown",
                      fmt::format("{} names a joint {} that is not there", item.subject(), quote(given->value)),
                      r_.report.guess_or(given->value, r_.names_of(r_.joint_index), "name a joint of the file"));
      return std::nullopt;
    }
    const FileJoint& joint = r_.joints[found->second];
    if (joint.type == FileJoint::Type::hinge || joint.type == FileJoint::Type::slide) {
      tell_gears_too_many(item, s);
      return Target{&joint, joint.dof, s.gear[0]};
    }
    return find_axis(item, s, joint, std::string_view(attribute) == "joint");
  }

  // MuJoCo itself saves all six, the others as 0.
  void tell_gears_too_many(const Item& item, const Setup& s) {
    const Attribute* own = item.element().find("gear");
    if (own == nullptr) return;
    for (std::size_t i = 1; i < std::min(count_words(own->value), s.gear.size()); ++i) {
      if (s.gear[i] == 0) continue;
      r_.report.leave_out(own->place, "'gear' of a hinge or slide beyond its first number",
                          "it has no effect in MuJoCo either");
      return;
    }
  }

  // A ball turns about the axis the gear gives, in axes of the body; a free joint has forces along world axes first.
  std::optional<Target> find_axis(const Item& item, const Setup& s, const FileJoint& joint, bool in_child) {
    const std::size_t first = joint.type == FileJoint::Type::free ? 3 : 0;
    int axis = -1;
    for (std::size_t i = 0; i < 6; ++i) {
      if (s.gear[i] == 0) continue;
      const bool turns = i >= first && i < first + 3;
      if (!turns || axis >= 0 || !in_child) {
        skip(item, "its gear is not along one axis of the body");
        return std::nullopt;
      }
      axis = static_cast<int>(i - first);
    }
    const bool is_one =
        std::holds_alternative<Spherical>(r_.model.joints[joint.joint].type) || joint.type == FileJoint::Type::free;
    if (axis < 0 || !is_one) {
      skip(item, "its gear is zero");
      return std::nullopt;
    }
    return Target{&joint, joint.dof + axis, s.gear[first + static_cast<std::size_t>(axis)]};
  }

  void skip(const Item& item, const std::string& why) {
    r_.report.warning(item.place(), "actuator-left-out", fmt::format("{} is left out: {}", item.subject(), why),
                      "drives of joints can be read: motor, position, velocity, or general with the same law");
  }

  void make(const Item& item, const Setup& s) {
    const auto target = find_target(item, s);
    if (!target) return;
    if (target->gear == 0 || s.gain[0] == 0) return skip(item, "its gear or gain is zero");
    Actuator a;
    a.joint = r_.model.joints[target->joint->joint].name;
    a.dof = target->dof;
    a.gear = target->gear;
    a.where = r_.report.in_main(item.place());
    if (!set_law(item, s, *target, a)) return;
    if (!set_range(item, "ctrlrange", s.control_limited, s.has_control_range, s.control_range, a.control_lower,
                   a.control_upper))
      return;
    if (!set_range(item, "forcerange", s.force_limited, s.has_force_range, s.force_range, a.effort_lower,
                   a.effort_upper))
      return;
    if (a.stiffness < 0 || a.damping < 0) return skip(item, "its gain is negative");
    if (a.kind == Actuator::Kind::torque && s.gain[0] != 1) take_gain_into_gear(s.gain[0], a);
    if (a.kind == Actuator::Kind::position && target->joint->ref != 0) shift_control(*target, a);
    name(item, a);
    r_.model.actuators.push_back(std::move(a));
  }

  bool set_law(const Item& item, const Setup& s, const Target& target, Actuator& a) {
    const bool scalar = target.joint->type == FileJoint::Type::hinge || target.joint->type == FileJoint::Type::slide;
    if (!s.unsupported.empty()) {
      skip(item, fmt::format("{} has no counterpart", s.unsupported));
    } else if (!s.static_law || !s.fixed_gain || s.bias_type == Setup::Bias::other) {
      skip(item, "its dynamics, gain or bias is of a type that cannot be read");
    } else if (s.bias_type == Setup::Bias::none || (s.bias[0] == 0 && s.bias[1] == 0 && s.bias[2] == 0)) {
      a.kind = Actuator::Kind::torque;
      return true;
    } else if (!scalar) {
      skip(item, "it is a servo on a joint with several freedoms");
    } else if (s.bias[0] == 0 && s.bias[1] == -s.gain[0] && s.gain[0] != 0) {
      a.kind = Actuator::Kind::position;
      a.stiffness = s.gain[0];
      a.damping = -s.bias[2];
      return true;
    } else if (s.bias[0] == 0 && s.bias[1] == 0 && s.bias[2] == -s.gain[0]) {
      a.kind = Actuator::Kind::velocity;
      a.damping = s.gain[0];
      return true;
    } else {
      skip(item, "its bias is not that of a position or velocity servo");
    }
    return false;
  }

  bool set_range(const Item& item, const char* attribute, const std::optional<bool>& limited, bool given,
                 const std::vector<double>& range, double& lower, double& upper) {
    if (!limited && given && !r_.compiler.autolimits) {
      const Attribute* own = item.find(attribute);
      const std::string word = std::string_view(attribute) == "ctrlrange" ? "ctrllimited" : "forcelimited";
      r_.report.error(own == nullptr ? item.place() : own->place, "limit-unclear",
                      fmt::format("{} has a {}, but not '{}', and autolimits is off", item.subject(), attribute, word),
                      fmt::format("add {0}=\"true\" or {0}=\"false\"", word));
      return false;
    }
    if (!limited.value_or(r_.compiler.autolimits && given)) return true;
    if (!(range[0] < range[1])) {
      const Attribute* own = item.find(attribute);
      r_.report.error(own == nullptr ? item.place() : own->place, "limits-order",
                      fmt::format("{} is from {} to {}", item.what(attribute), rounded(range[0]), rounded(range[1])),
                      "give the lower one first");
      return false;
    }
    lower = is_no_lower_limit(range[0]) ? -infinity : range[0];
    upper = is_no_upper_limit(range[1]) ? infinity : range[1];
    return true;
  }

  // gear clamp(gain u, f) = (gear gain) clamp(u, f / gain)
  static void take_gain_into_gear(double gain, Actuator& a) {
    a.gear *= gain;
    a.effort_lower /= gain;
    a.effort_upper /= gain;
    if (gain < 0) std::swap(a.effort_lower, a.effort_upper);
  }

  // Our coordinate is the file's less ref, so the same control is less gear · ref.
  void shift_control(const Target& target, Actuator& a) {
    const double shift = a.gear * target.joint->ref;
    a.control_lower -= shift;
    a.control_upper -= shift;
  }

  void name(const Item& item, Actuator& a) {
    const std::string given = read_text(item, "name");
    if (!given.empty() && names_.count(given) > 0) {
      r_.report.error(item.find("name")->place, "name-duplicate",
                      fmt::format("there are two actuators called {}", quote(given)), "rename one of them");
    }
    a.name = given.empty() ? free_name(a.joint, names_) : given;
    names_.emplace(a.name, 0);
  }

  Reading& r_;
  std::unordered_map<std::string, std::size_t> names_;
  std::unordered_map<std::string, Setup> setups_;  // of the classes that were met
};

}  // namespace

void read_actuators(Reading& r, const Element& section) { ActuatorReader(r).read(section); }

}  // namespace trammel::readers::mjcf
