// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Chains of links. Each link stands behind the one that it moves on; Branch goes on from there beside the chain. With P the link before,
// L the link itself:
//   RevoluteLink, PrismaticLink    X_PL = Rx(α) Tx(a) Rz(θ) Tz(d)       modified Denavit–Hartenberg; θ or d is the coordinate
//   ZScrewTxLink                   X_PL = Rz(θ) Tz(d)                   fixed; no body
//   SphericalLink                  X_PL = T(p) Rz(ψ) Ry(θ) Rx(φ)        given as φ, θ, ψ; the velocity is ω_PL in L
//   QuaternionLink                 X_PL = T(p) R(x, y, z, w)            likewise
//   MobileBaseLink                 X_PL = T(p) R(x, y, z, w)            free; its velocity is [ω; v] of L's origin in P
// Where DynaMechs finds cos or sin of α (and of a slider's θ) below 1e-5 it makes a right angle of it; so is it here.
//
// Drawn is a link at θ = 0, d = 0 or no turn, with the file's values as the initial state; a free base where it begins. Within loops all is
// drawn where it begins, and coordinates count from there.

#include <cmath>

#include <fmt/format.h>

#include "readers/dm_reading.hpp"

namespace trammel::readers::dm {
namespace {

constexpr double rounding = 1e-5;  // of sines and cosines, in DynaMechs
constexpr double far_limit = 1e9;  // a limit that means none
constexpr std::size_t longest_name = 200;

struct SinCos {
  double s, c;
};
SinCos with_right_angles(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  if (std::abs(c) < rounding) return {s > 0 ? 1.0 : -1.0, 0.0};
  if (std::abs(s) < rounding) return {0.0, c > 0 ? 1.0 : -1.0};
  return {s, c};
}
Mat3d turn_x(double angle) {
  const auto [s, c] = with_right_angles(angle);
  return s == 0 || c == 0 ? Mat3d{{1, 0, 0}, {0, c, s}, {0, -s, c}} : rotation_x(angle);
}
Mat3d turn_z(double angle) {
  const auto [s, c] = with_right_angles(angle);
  return s == 0 || c == 0 ? Mat3d{{c, s, 0}, {-s, c, 0}, {0, 0, 1}} : rotation_z(angle);
}

bool is_zero(const std::vector<double>& list) {
  for (const double x : list) {
    if (x != 0) return false;
  }
  return true;
}
bool is_finite(const Transformd& X) {
  return std::isfinite(norm(X.p)) && std::isfinite(norm(X.R.ex) + norm(X.R.ey) + norm(X.R.ez));
}

// One link while it is read.
class LinkReader {
 public:
  LinkReader(Reading& r, Articulation& articulation, const Block& block, const Link& parent)
      : r_(r),
        articulation_(articulation),
        block_(block),
        parent_(parent),
        fields_(block, std::string(block.name), r.messages) {}

  // The body's name: the file's, or one made of `prefix` and the number of the link.
  Link read(const std::string& unnamed) {
    const Parameter* given = fields_.find("Name");
    const std::string own = given == nullptr ? std::string{} : fields_.text("Name").value_or("");
    file_name_ = own.empty() ? std::string{} : usable_name(r_, *given, own, "link");
    if (block_.name == "ZScrewTxLink" || block_.name == "ZScrewLinkTx") return done(read_screw());
    if (block_.name == "StaticRootLink") return done(read_static_root());
    const bool was_named =
        given != nullptr && (!own.empty() || given->values.size() != 1 || given->values[0].kind != Value::Kind::text);
    name_body(given, was_named, unnamed);
    read_joint();
    return done(place());
  }

 private:
  Reading& r_;
  Articulation& articulation_;
  const Block& block_;
  const Link& parent_;
  Fields fields_;
  std::string file_name_;
  Body body_;
  Joint joint_;
  Transformd X_PF_;  // the joint's frame on P, for a coordinate of 0

  Link done(const Link& link) {
    fields_.tell_unread();
    if (!file_name_.empty()) {
      if (articulation_.links.emplace(file_name_, link).second) articulation_.names.push_back(file_name_);
    }
    return link;
  }

  // `was_named`: by a name that cannot be one, which was told.
  void name_body(const Parameter* given, bool was_named, const std::string& unnamed) {
    const bool has_name = !file_name_.empty();
    body_.name = r_.shared.bodies.take(has_name ? file_name_ : unnamed);
    body_.where = r_.place(block_.where);
    if (has_name ? body_.name != file_name_ : !was_named) {
      Reading::Renamed& list = has_name ? r_.repeated : r_.unnamed;
      if (list.names.empty()) list.first = given == nullptr ? block_.where : given->where;
      list.names.push_back(body_.name);
    }
    fields_.rename("link " + quote(body_.name));
    joint_.name = r_.shared.joints.take(body_.name);
    joint_.first = parent_.body;
    joint_.second = body_.name;
    joint_.where = body_.where;
    read_body(r_, fields_, body_);
  }

  // --- links that are no bodies ------------------------------------------------------------------------------------------------

  Link read_screw() {
    if (!file_name_.empty()) fields_.rename("link " + quote(file_name_));
    fields_.require("ZScrew_Parameters", "d and theta");
    const auto screw = fields_.numbers("ZScrew_Parameters", 2);
    const Transformd X_PL = screw ? Transformd{rotation_z((*screw)[1]), {0, 0, (*screw)[0]}} : Transformd{};
    return {parent_.body, parent_.X_BL * X_PL, parent_.X_WL * X_PL};
  }

  Link read_static_root() {
    if (!file_name_.empty()) fields_.rename("link " + quote(file_name_));
    tell_graphics_of_ground(r_, fields_);
    if (parent_.body != ground_name) {
      r_.messages.error(block_.where, "dm-static-root",
                        fmt::format("{} is fixed to the ground and stands behind a link that moves", fields_.subject()),
                        "a StaticRootLink begins a chain");
    }
    return parent_;
  }

  // --- joints ----------------------------------------------------------------------------------------------------------------------

  void read_joint() {
    if (block_.name == "RevoluteLink" || block_.name == "PrismaticLink") return read_mdh(block_.name == "RevoluteLink");
    if (block_.name == "SphericalLink" || block_.name == "QuaternionLink")
      return read_ball(block_.name == "SphericalLink");
    read_free();
  }

  void start_at(std::vector<double> q) {
    if (articulation_.draws_initial) {
      X_PF_ = X_PF_ * X_FM(joint_.type, q.data());
    } else {
      std::vector<double> zero(q.size());
      q_zero(joint_.type, zero.data());
      if (q != zero) joint_.q_initial = std::move(q);
    }
  }
  void move_at(std::vector<double> v) {
    if (!is_zero(v)) joint_.v_initial = std::move(v);
  }

  void read_mdh(bool turns) {
    if (turns) {
      joint_.type = Revolute{};
    } else {
      joint_.type = Prismatic{};
    }
    fields_.require("MDH_Parameters", "a, alpha, d and theta");
    double start = 0;
    if (const auto row = fields_.numbers("MDH_Parameters", 4)) {
      const double a = (*row)[0], alpha = (*row)[1], d = (*row)[2], theta = (*row)[3];
      X_PF_ = Transformd{turn_x(alpha), {a, 0, 0}} *
              (turns ? Transformd{Mat3d::identity(), {0, 0, d}} : Transformd{turn_z(theta), {}});
      start = turns ? theta : d;
      start_at({start});
    }
    move_at({fields_.number("Initial_Joint_Velocity").value_or(0)});
    read_limits(start);
    if (turns) {
      read_actuator();
    } else {
      read_friction(1);
    }
  }

  // Beyond a limit DynaMechs pushes with spring · depth − damper · velocity; with neither there is no limit.
  void read_limits(double start) {
    const auto spring = fields_.not_negative("Joint_Limit_Spring_Constant"),
               damper = fields_.not_negative("Joint_Limit_Damper_Constant");
    const auto range = fields_.numbers("Joint_Limits", 2);
    if (!range) return;
    double lower = (*range)[0], upper = (*range)[1];
    const SourceLocation where = fields_.find("Joint_Limits")->where;
    const bool are_far = lower <= -far_limit && upper >= far_limit;
    if (are_far) return;
    if (spring.value_or(1) == 0) {
      if (damper.value_or(0) > 0 || lower != upper) {
        r_.left_out.add(where, "dm-left-out", "a limit whose spring has the constant 0",
                        "give Joint_Limit_Spring_Constant, or Joint_Limits 0 0");
      }
      return;
    }
    if (lower > upper) {
      r_.messages.warning(where, "dm-limits",
                          fmt::format("{} has its upper limit first: they are exchanged, as DynaMechs does",
                                      fields_.what("Joint_Limits")),
                          "write the lower limit first");
      std::swap(lower, upper);
    }
    const double zero = articulation_.draws_initial ? start : 0;
    joint_.properties.lower = {lower <= -far_limit ? -infinity : lower - zero};
    joint_.properties.upper = {upper >= far_limit ? infinity : upper - zero};
    if (spring) joint_.properties.limit_stiffness = {*spring};
    if (damper && *damper > 0) joint_.properties.limit_damping = {*damper};
  }

  void read_friction(std::size_t freedoms) {
    const double viscous = fields_.not_negative("Joint_Friction").value_or(0);
    if (viscous > 0) joint_.properties.viscous.assign(freedoms, viscous);
  }

  void read_actuator() {
    const auto type = fields_.number("Actuator_Type");
    if (!type || *type == 0) return read_friction(1);
    if (*type != 1) {
      r_.messages.error(fields_.find("Actuator_Type")->where, "dm-actuator",
                        fmt::format("{} is {}: there is no such motor", fields_.what("Actuator_Type"), shortest(*type)),
                        "write 0 for none, 1 for a DC motor");
      return;
    }
    read_motor();
  }

  // Its figures are as seen at the joint: there is no gear.
  void read_motor() {
    if (!fields_.require_all({{"Motor_Torque_Constant", "N m/A"},
                              {"Motor_BackEMF_Constant", "V s/rad"},
                              {"Motor_Armature_Resistance", "ohms"},
                              {"Motor_Inertia", "kg m²"},
                              {"Motor_Coulomb_Friction_Constant", "N m"},
                              {"Motor_Viscous_Friction_Constant", "N m s/rad"},
                              {"Motor_Max_Brush_Drop", "volts"},
                              {"Motor_Half_Drop_Value", "volts"}})) {
      return;
    }
    const auto number = [this](std::string_view name) { return fields_.not_negative(name).value_or(0); };
    const auto positive = [this](std::string_view name) {
      const auto x = fields_.not_negative(name);
      if (x && *x == 0) {
        r_.messages.error(fields_.find(name)->where, "number-out-of-range", fmt::format("{} is 0", fields_.what(name)),
                          "give a number above 0");
      }
      return x.value_or(1);
    };
    Actuator actuator;
    actuator.kind = Actuator::Kind::dc_motor;
    actuator.name = r_.shared.actuators.take(joint_.name);
    actuator.joint = joint_.name;
    Actuator::Motor& motor = actuator.motor;
    motor.torque_constant = number("Motor_Torque_Constant");
    motor.back_emf = number("Motor_BackEMF_Constant");
    motor.resistance = positive("Motor_Armature_Resistance");
    motor.rotor_inertia = number("Motor_Inertia");
    motor.dry = number("Motor_Coulomb_Friction_Constant");
    motor.viscous = number("Motor_Viscous_Friction_Constant");
    motor.brush_drop = number("Motor_Max_Brush_Drop");
    if (motor.brush_drop > 0) {
      motor.brush_half = positive("Motor_Half_Drop_Value");
    } else {
      number("Motor_Half_Drop_Value");
    }
    actuator.where = joint_.where;
    r_.model().actuators.push_back(std::move(actuator));
  }

  void read_ball(bool by_angles) {
    joint_.type = Spherical{};
    fields_.require("Position_From_Inboard_Link", "3 numbers");
    X_PF_.p = fields_.vector("Position_From_Inboard_Link").value_or(Vec3d{});
    Quaternion<double> turn;
    if (by_angles) {
      const Vec3d angles = fields_.vector("Initial_Joint_Angles").value_or(Vec3d{});
      if (angles != Vec3d{}) turn = quaternion_of(rotation_z(angles.z) * rotation_y(angles.y) * rotation_x(angles.x));
      read_cone();
    } else {
      turn = fields_.quaternion("Orientation_Quat").value_or(turn);
    }
    std::vector<double> q(4);
    turn.store(q.data());
    start_at(std::move(q));
    const Vec3d w = fields_.vector("Initial_Angular_Velocity").value_or(Vec3d{});
    move_at({w.x, w.y, w.z});
    read_friction(3);
  }

  // Largest angles of the link's axes with those of the link before; 0: any.
  void read_cone() {
    const auto limits = fields_.vector("Axes_Limits");
    fields_.not_negative("Joint_Limit_Spring_Constant");
    fields_.not_negative("Joint_Limit_Damper_Constant");
    if (limits && (limits->x > 0 || limits->y > 0 || limits->z > 0)) {
      r_.left_out.add(fields_.find("Axes_Limits")->where, "dm-left-out", "a limit of a ball joint",
                      "ball joints have no limits here");
    }
  }

  void read_free() {
    joint_.type = Free{};
    fields_.require_all({{"Position", "3 numbers"}, {"Orientation_Quat", "x, y, z and w"}});
    const Transformd X_PL = read_pose(fields_);
    X_PF_ = X_PL;
    const auto velocity = fields_.numbers("Velocity", 6);
    if (!velocity) return;
    const std::vector<double>& u = *velocity;
    const Vec3d w = transpose_times(X_PL.R, Vec3d{u[0], u[1], u[2]}),
                v = transpose_times(X_PL.R, Vec3d{u[3], u[4], u[5]});
    move_at({w.x, w.y, w.z, v.x, v.y, v.z});
  }

  Link place() {
    joint_.X_AF = parent_.X_BL * X_PF_;
    body_.X_WB = parent_.X_WL * X_PF_;
    if (!is_finite(joint_.X_AF) || !is_finite(body_.X_WB)) {
      r_.messages.error(block_.where, "number-not-finite",
                        fmt::format("the place of {} is beyond what a double holds", fields_.subject()),
                        "check the sizes and units");
      body_.X_WB = joint_.X_AF = {};
    }
    Link link{body_.name, {}, body_.X_WB};
    r_.model().bodies.push_back(std::move(body_));
    r_.model().joints.push_back(std::move(joint_));
    return link;
  }
};

bool is_link(std::string_view word) {
  for (const char* known : {"StaticRootLink", "MobileBaseLink", "RevoluteLink", "PrismaticLink", "SphericalLink",
                            "QuaternionLink", "ZScrewTxLink", "ZScrewLinkTx"}) {
    if (word == known) return true;
  }
  return false;
}

void tell_nested(Reading& r, const Block& link) {
  for (const Block& inside : link.blocks) {
    r.messages.error(inside.where, "dm-block", fmt::format("a {} stands within a {}", quote(inside.name), link.name),
                     "close the link before it: links of a chain stand behind each other");
  }
}

}  // namespace

std::string usable_name(Reading& r, const Parameter& parameter, const std::string& name, std::string_view kind) {
  if (name.size() > longest_name) {
    r.messages.error(parameter.where, "name-too-long",
                     fmt::format("the name {} of a {} has {} bytes; at most {} are allowed", quote(name), kind,
                                 name.size(), longest_name),
                     "choose a shorter name");
    return {};
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    const unsigned byte = byte_at(name, i);
    if (byte >= 0x20 && byte != 0x7F && !(byte == 0xC2 && byte_at(name, i + 1) < 0xA0)) continue;
    r.messages.error(parameter.where, "name-control-character",
                     fmt::format("the name {} of a {} has a control character", quote(name), kind), "delete it");
    return {};
  }
  return name;
}

Transformd read_pose(Fields& fields) {
  Transformd X;
  X.p = fields.vector("Position").value_or(Vec3d{});
  if (const auto q = fields.quaternion("Orientation_Quat")) X.R = rotation_of(*q);
  return X;
}

void read_chain(Reading& r, Articulation& articulation, const Block& block, const Link& parent,
                const std::string& prefix) {
  Link last = parent;
  int count = 0;
  for (const Block& child : block.blocks) {
    if (is_link(child.name)) {
      tell_nested(r, child);
      last = LinkReader(r, articulation, child, last).read(fmt::format("{}link {}", prefix, ++count));
    } else if (child.name == "Branch" || child.name == "Articulation") {
      Fields fields(child, std::string(child.name), r.messages);
      std::string name = fields.text("Name").value_or("");
      if (!name.empty()) name = usable_name(r, *fields.find("Name"), name, "articulation");
      fields.tell_unread();
      read_chain(r, articulation, child, last, name.empty() ? prefix : name + " ");
    } else if (child.name != "StaticRefMember" && child.name != "DynamicRefMember" && child.name != "TreeStructure" &&
               child.name != "SecondaryJoints") {
      r.messages.error(child.where, "dm-block", fmt::format("there is no kind of link {}", quote(child.name)),
                       r.messages.guess_or(child.name,
                                           {"StaticRootLink", "MobileBaseLink", "RevoluteLink", "PrismaticLink",
                                            "SphericalLink", "QuaternionLink", "ZScrewTxLink", "Branch"},
                                           "the links are MobileBaseLink, RevoluteLink, PrismaticLink, SphericalLink, "
                                           "QuaternionLink, ZScrewTxLink and StaticRootLink"));
    }
  }
}

Link read_reference_member(Reading& r, Articulation& articulation, const Block& block) {
  tell_nested(r, block);
  if (block.name == "DynamicRefMember") return LinkReader(r, articulation, block, articulation.root).read("base");
  Fields fields(block, "StaticRefMember", r.messages);
  fields.find("Name");  // that of the ground
  tell_graphics_of_ground(r, fields);
  Link link = articulation.root;
  link.X_BL = link.X_WL = link.X_WL * read_pose(fields);
  fields.tell_unread();
  return link;
}

}  // namespace trammel::readers::dm
