// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// SecondaryJoints: joints between any two links of an articulation, besides those of its tree. A frame F is given on link A and a frame M on
// link B; revolute and prismatic joints are about and along their z axes.
//
// Hard ones become joints that close loops. Their coordinates count from the design position: F is moved by what the joint is turned or
// slid there, so that both frames coincide if the loop closes.
//
// Soft ones hold M at F by springs and dampers only: bushings. A ball needs one that holds the origin, a slider one that holds two
// directions and the orientation. A hinge may turn any number of times, which the rotation vector of a bushing does not bear; so its axis is
// held by the origin and by two points at ±L along it, square to it. With k_p, k_o the constants of position and orientation
//   tilt ε:   2 (k_o / 2L²) L ε · L = k_o ε,       travel x:   (k_p − k_o/L²) x + 2 (k_o / 2L²) x = k_p x           (1)
// and likewise for the dampers; L is as long as both differences need to be positive.

#include <cmath>

#include <fmt/format.h>

#include "readers/dm_reading.hpp"

namespace trammel::readers::dm {
namespace {

using At = std::size_t;

struct Kind {
  std::string_view word;
  bool is_hard;
  enum class Type { revolute, prismatic, spherical } type;
};
constexpr Kind kinds[] = {
    {"HardRevoluteJoint", true, Kind::Type::revolute},    {"HardPrismaticJoint", true, Kind::Type::prismatic},
    {"HardSphericalJoint", true, Kind::Type::spherical},  {"SoftRevoluteJoint", false, Kind::Type::revolute},
    {"SoftPrismaticJoint", false, Kind::Type::prismatic}, {"SoftSphericalJoint", false, Kind::Type::spherical}};

const Kind* find_kind(std::string_view word) {
  for (const Kind& kind : kinds) {
    if (kind.word == word) return &kind;
  }
  return nullptr;
}

void set_diagonal(std::array<double, 36>& matrix, At first, double x, double y, double z) {
  matrix[7 * first] = x, matrix[7 * (first + 1)] = y, matrix[7 * (first + 2)] = z;
}

class SecondaryReader {
 public:
  SecondaryReader(Reading& r, Articulation& articulation, const Block& block, const Kind& kind)
      : r_(r), articulation_(articulation), kind_(kind), fields_(block, std::string(block.name), r.messages) {}

  void read() {
    const Parameter* given = fields_.find("Name");
    const std::string own = given == nullptr ? std::string{} : fields_.text("Name").value_or("");
    const std::string name = own.empty() ? std::string{} : usable_name(r_, *given, own, "joint");
    name_ = name.empty() ? "loop" : name;
    fields_.rename("joint " + quote(name_));
    const Link* a = read_link("Link_A_Name");
    const Link* b = read_link("Link_B_Name");
    const auto X_AF = read_frame("Joint_A_Position", "Rotation_Matrix_A"),
               X_BM = read_frame("Joint_B_Position", "Rotation_Matrix_B");
    friction_ = fields_.not_negative("Joint_Friction").value_or(0);
    read_constants();
    if (a != nullptr && b != nullptr && X_AF && X_BM && differ(*a, *b)) {
      a_ = a, b_ = b;
      X_AF_ = a->X_BL * *X_AF, X_BM_ = b->X_BL * *X_BM;
      X_WF_ = a->X_WL * *X_AF, X_WM_ = b->X_WL * *X_BM;
      if (kind_.is_hard) {
        close_loop();
      } else {
        add_bushings();
      }
    }
    fields_.tell_unread();
  }

 private:
  Reading& r_;
  Articulation& articulation_;
  const Kind& kind_;
  Fields fields_;
  std::string name_;
  const Link *a_ = nullptr, *b_ = nullptr;
  Transformd X_AF_, X_BM_, X_WF_, X_WM_;
  double friction_ = 0;
  double position_spring_ = 0, position_damper_ = 0, orientation_spring_ = 0, orientation_damper_ = 0;

  const Link* read_link(std::string_view key) {
    fields_.require(key, "the name of a link in quotes");
    const auto name = fields_.text(key);
    if (!name) return nullptr;
    const auto found = articulation_.links.find(*name);
    if (found != articulation_.links.end()) return &found->second;
    r_.messages.error(fields_.find(key)->where, "dm-unknown-link",
                      fmt::format("{} names {}, and the tree has no such link", fields_.what(key), quote(*name)),
                      r_.messages.guess_or(*name, articulation_.names, "name a link of the same articulation"));
    return nullptr;
  }

  std::optional<Transformd> read_frame(std::string_view position, std::string_view rotation) {
    if (!fields_.require_all({{position, "3 numbers"}, {rotation, "9 numbers"}})) return std::nullopt;
    const auto p = fields_.vector(position);
    const auto R = fields_.rotation(rotation);
    if (!p || !R) return std::nullopt;
    return Transformd{*R, *p};
  }

  void read_constants() {
    const bool turns_freely = kind_.type == Kind::Type::spherical;
    const bool is_stabilised = kind_.is_hard && read_stabilisation();
    const auto constant = [&](std::string_view key) {
      if (!kind_.is_hard) fields_.require(key, "a number");
      return fields_.not_negative(key).value_or(0);
    };
    position_spring_ = constant("Position_Constraint_Spring");
    position_damper_ = constant("Position_Constraint_Damper");
    if (!turns_freely) {
      orientation_spring_ = constant("Orientation_Constraint_Spring");
      orientation_damper_ = constant("Orientation_Constraint_Damper");
    }
    if (is_stabilised) {
      r_.left_out.add(fields_.find("Stabilization")->where, "dm-left-out", "the stabilisation of a hard joint",
                      "loops are kept closed by projection here; see simulate: {stabilisation: …}");
    }
  }

  // Is there any?
  bool read_stabilisation() {
    const Parameter* given = fields_.find("Stabilization");
    if (given == nullptr) return false;
    const std::string_view word = given->values.size() == 1 ? given->values[0].text : std::string_view{};
    for (const std::string_view known : {"NONE", "BAUMGARTE", "SPRING_DAMPER"}) {
      if (word == known) return word != "NONE";
    }
    r_.messages.error(
        given->where, "dm-stabilization", fmt::format("{} is {}", fields_.what("Stabilization"), quote(word)),
        r_.messages.guess_or(word, {"NONE", "BAUMGARTE", "SPRING_DAMPER"}, "write NONE, BAUMGARTE or SPRING_DAMPER"));
    return false;
  }

  bool differ(const Link& a, const Link& b) {
    if (a.body != b.body) return true;
    r_.messages.error(fields_.where(), "joint-to-itself",
                      fmt::format("{} joins {} to itself", fields_.subject(),
                                  a.body == ground_name ? "the ground" : "body " + quote(a.body)),
                      "name two links that move against each other");
    return false;
  }

  // --- hard -----------------------------------------------------------------------------------------------------------------------

  void close_loop() {
    Joint joint;
    joint.name = r_.shared.joints.take(name_);
    switch (kind_.type) {
      case Kind::Type::revolute:
        joint.type = Revolute{};
        break;
      case Kind::Type::prismatic:
        joint.type = Prismatic{};
        break;
      case Kind::Type::spherical:
        joint.type = Spherical{};
        break;
    }
    joint.first = a_->body, joint.second = b_->body;
    std::vector<double> q(static_cast<At>(nq(joint.type)));
    q_fit(joint.type, inverse(X_WF_) * X_WM_, q.data());
    const Transformd moved = X_FM(joint.type, q.data());
    joint.X_AF = X_AF_ * moved;
    joint.X_BM = X_BM_;
    if (friction_ > 0) joint.properties.viscous.assign(static_cast<At>(nv(joint.type)), friction_);
    joint.cut = true;
    joint.where = r_.place(fields_.where());
    warn_if_apart(X_WF_ * moved);
    r_.model().joints.push_back(std::move(joint));
  }

  void warn_if_apart(const Transformd& X_WF) {
    const double apart = norm(X_WM_.p - X_WF.p);
    const double turned = kind_.type == Kind::Type::spherical ? 0 : norm(log(transpose(X_WF.R) * X_WM_.R));
    if (!std::isfinite(apart + turned)) {
      r_.messages.error(fields_.where(), "number-not-finite",
                        fmt::format("the place of {} is beyond what a double holds", fields_.subject()),
                        "check the sizes and units");
    } else if (apart > 1e-6 * (1 + norm(X_WF.p)) || turned > 1e-6) {
      r_.messages.warning(
          fields_.where(), "frames-apart",
          fmt::format("the two frames of {} do not coincide at the design position: {} m and {} rad apart",
                      fields_.subject(), rounded(apart), rounded(turned)),
          "correct the frames or the initial position; simulations close the loop before they begin");
    }
  }

  // --- soft -----------------------------------------------------------------------------------------------------------------------

  Bushing bushing_at(const std::string& name, double along_axis) const {
    Bushing bushing;
    bushing.name = r_.shared.bushings.take(name);
    bushing.first = a_->body, bushing.second = b_->body;
    const Transformd shift = Transformd::translation({0, 0, along_axis});
    bushing.X_AP = X_AF_ * shift;
    bushing.X_BQ = X_BM_ * shift;
    bushing.where = r_.place(fields_.where());
    return bushing;
  }

  void add_bushings() {
    const double kp = position_spring_, bp = position_damper_, ko = orientation_spring_, bo = orientation_damper_;
    Bushing main = bushing_at(name_, 0);
    if (kind_.type == Kind::Type::spherical) {
      set_diagonal(main.stiffness, 3, kp, kp, kp);
      set_diagonal(main.damping, 3, bp, bp, bp);
      set_diagonal(main.damping, 0, friction_, friction_, friction_);
      return keep(std::move(main));
    }
    if (kind_.type == Kind::Type::prismatic) {
      set_diagonal(main.stiffness, 0, ko, ko, ko);
      set_diagonal(main.damping, 0, bo, bo, bo);
      set_diagonal(main.stiffness, 3, kp, kp, 0);
      set_diagonal(main.damping, 3, bp, bp, friction_);
      return keep(std::move(main));
    }
    if ((ko > 0 && kp == 0) || (bo > 0 && bp == 0)) {
      r_.left_out.add(fields_.where(), "dm-left-out", "a soft hinge that holds its axis but not its place",
                      "give Position_Constraint_Spring and _Damper above 0");
      return;
    }
    const double length2 = std::max(kp > 0 ? ko / kp : 0, bp > 0 ? bo / bp : 0);
    const double k_end = length2 > 0 ? ko / (2 * length2) : 0, b_end = length2 > 0 ? bo / (2 * length2) : 0;
    set_diagonal(main.stiffness, 3, std::max(0.0, kp - 2 * k_end), std::max(0.0, kp - 2 * k_end), kp);  // (1)
    set_diagonal(main.damping, 3, std::max(0.0, bp - 2 * b_end), std::max(0.0, bp - 2 * b_end), bp);
    set_diagonal(main.damping, 0, 0, 0, friction_);
    keep(std::move(main));
    for (const double side : {1.0, -1.0}) {
      if (length2 == 0) continue;
      Bushing end = bushing_at(name_ + (side > 0 ? " upper end" : " lower end"), side * std::sqrt(length2));
      set_diagonal(end.stiffness, 3, k_end, k_end, 0);
      set_diagonal(end.damping, 3, b_end, b_end, 0);
      keep(std::move(end));
    }
  }

  void keep(Bushing bushing) {
    const auto is_some = [](const std::array<double, 36>& m) {
      return std::any_of(m.begin(), m.end(), [](double x) { return x != 0; });
    };
    const bool sound = std::isfinite(norm(bushing.X_AP.p)) && std::isfinite(norm(bushing.X_BQ.p));
    if (sound && (is_some(bushing.stiffness) || is_some(bushing.damping))) {
      r_.model().bushings.push_back(std::move(bushing));
    } else {
      r_.left_out.add(fields_.where(), "dm-left-out", "a soft joint that holds nothing",
                      "give Position_Constraint_Spring and _Damper above 0");
    }
  }
};

}  // namespace

void read_secondary_joints(Reading& r, Articulation& articulation, const Block& block) {
  for (const Block& child : block.blocks) {
    const Kind* kind = find_kind(child.name);
    if (kind != nullptr) {
      SecondaryReader(r, articulation, child, *kind).read();
      continue;
    }
    std::vector<std::string> words;
    for (const Kind& known : kinds) words.emplace_back(known.word);
    r.messages.error(child.where, "dm-block", fmt::format("there is no kind of secondary joint {}", quote(child.name)),
                     r.messages.guess_or(child.name, words, "the kinds are " + one_of(words)));
  }
  Fields(block, "SecondaryJoints", r.messages).tell_unread();
}

}  // namespace trammel::readers::dm
