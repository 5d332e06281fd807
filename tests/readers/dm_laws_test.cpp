// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Random DynaMechs robots of all kinds of links, beside the same robots in native YAML: they are one mechanism. How the text is spaced and
// in which order parameters stand changes nothing.

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/dynamics.hpp>
#include <trammel/readers.hpp>

#include "readers/reading.hpp"
#include "readers/same_model.hpp"
#include "readers/same_motion.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

std::string list(std::initializer_list<double> numbers, const char* between) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : between) + fmt::format("{}", x);
  return text;
}

// A tree of links with a name each, and what it is natively. What a body is at its origin O: I_O = I_C + m (|c|² 1 − c cᵀ).
class RandomRobot {
 public:
  explicit RandomRobot(std::uint64_t seed) : random_(seed) {
    reference_ = random_.pose();
    std::string links = chain("ground", random_.integer(1, 3), 2);
    const Quaternion<double> q = quaternion_of(reference_.R);
    reference_.R = rotation_of(q);
    text = fmt::format(
        "# DynaMechs V 4.0 ascii\nArticulation {{\nName \"robot\"\nGraphics_Model \"\"\nPosition {}\nOrientation_Quat "
        "{}\n{}}}\n",
        list({reference_.p.x, reference_.p.y, reference_.p.z}, " "), list({q.x, q.y, q.z, q.w}, " "), links);
    native = "trammel: 1\nname: robot\nbodies:\n" + bodies_ + "joints:\n" + joints_ + "initial:\n" + initial_;
  }

  std::string text, native;

 private:
  Random random_;
  Transformd reference_;
  std::string bodies_, joints_, initial_;
  int count_ = 0;

  // Links behind each other, each of which may have branches. What stands on the ground is native only by its pose in the world.
  std::string chain(std::string parent, int length, int depth) {
    std::string links;
    Transformd branch;  // of a ZScrewTxLink before the next link
    double d = 0, theta = 0;
    for (int i = 0; i < length; ++i) {
      const std::string name = fmt::format("L{}", ++count_);
      d = theta = 0;
      branch = {};
      if (random_.chance(0.3)) {
        d = random_.normal(), theta = random_.normal();
        branch = {rotation_z(theta), {0, 0, d}};
        links += fmt::format("ZScrewTxLink {{\nName \"\"\nZScrew_Parameters {} {}\n}}\n", d, theta);
      }
      if (parent == "ground") branch = reference_ * branch;
      links += link(name, parent, branch, d, theta);
      parent = name;
      for (int k = depth > 0 ? random_.integer(0, 2) : 0; k > 0; --k) {
        links += "Branch {\n" + chain(parent, random_.integer(1, 2), depth - 1) + "}\n";
      }
    }
    return links;
  }

  std::string rigid(const std::string& name, const std::string& pose) {
    const double mass = random_.uniform(0.5, 3);
    const Vec3d c = random_.vector(0.3);
    const Sym3d central = random_.inertia_at_com(mass);
    const Vec3d cc{c.x * c.x, c.y * c.y, c.z * c.z};
    const Sym3d I{central.xx + mass * (cc.y + cc.z), central.yy + mass * (cc.x + cc.z),
                  central.zz + mass * (cc.x + cc.y), central.xy - mass * c.x * c.y,
                  central.xz - mass * c.x * c.z,     central.yz - mass * c.y * c.z};
    bodies_ += fmt::format("  {}: {{{}mass: {}, com: [{}], inertia: {{about: [0, 0, 0], matrix: [{}]}}}}\n", name, pose,
                           mass, list({c.x, c.y, c.z}, ", "), list({I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}, ", "));
    return fmt::format(
        "Name \"{}\"\nGraphics_Model \"\"\nMass {}\nInertia {}\nCenter_of_Gravity {}\nNumber_of_Contact_Points 0\n",
        name, mass, list({I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz}, " "), list({c.x, c.y, c.z}, " "));
  }

  static std::string pose_of(const Transformd& X, const std::string& parent) {
    const Mat3d& R = X.R;
    return fmt::format("pose: {{at: [{}], matrix: [{}]{}}}, ", list({X.p.x, X.p.y, X.p.z}, ", "),
                       list({R.ex.x, R.ey.x, R.ez.x, R.ex.y, R.ey.y, R.ez.y, R.ex.z, R.ey.z, R.ez.z}, ", "),
                       parent == "ground" ? "" : ", in: " + parent);
  }

  std::string link(const std::string& name, const std::string& parent, const Transformd& branch, double d_branch,
                   double theta_branch) {
    switch (random_.integer(0, 4)) {
      case 0:
        return one_freedom(name, parent, branch, d_branch, theta_branch, true);
      case 1:
        return one_freedom(name, parent, branch, d_branch, theta_branch, false);
      case 2:
        return ball(name, parent, branch, true);
      case 3:
        return ball(name, parent, branch, false);
      default:
        return base(name, parent, branch);
    }
  }

  std::string one_freedom(const std::string& name, const std::string& parent, const Transformd& branch, double d_branch,
                          double theta_branch, bool turns) {
    const double a = random_.normal(), alpha = random_.normal(), d = random_.normal(), theta = random_.normal();
    const double speed = random_.normal(), friction = random_.unit(), lower = random_.uniform(-9, -4),
                 upper = random_.uniform(4, 9);
    const Transformd X_PF = branch * Transformd{rotation_x(alpha), {a, 0, 0}} *
                            (turns ? Transformd{Mat3d::identity(), {0, 0, d}} : Transformd{rotation_z(theta), {}});
    const bool on_ground = parent == "ground";
    std::string body =
        (turns ? "RevoluteLink {\n" : "PrismaticLink {\n") + rigid(name, on_ground ? pose_of(X_PF, parent) : "");
    body += fmt::format("MDH_Parameters {} {} {} {}\nInitial_Joint_Velocity {}\nJoint_Limits {} {}\n", a, alpha, d,
                        theta, speed, lower, upper);
    body += "Joint_Limit_Spring_Constant 50\nJoint_Limit_Damper_Constant 2\n";
    const std::string place = on_ground ? fmt::format("in: {}, axis: z, ", name)
                              : turns
                                  ? fmt::format("dh: {{a: {}, alpha: {}, d: {}, d_branch: {}, theta_branch: {}}}, ", a,
                                                alpha, d, d_branch, theta_branch)
                                  : fmt::format("dh: {{a: {}, alpha: {}, theta: {}, d_branch: {}, theta_branch: {}}}, ",
                                                a, alpha, theta, d_branch, theta_branch);
    joints_ += fmt::format(
        "  {}: {{{}: [{}, {}], {}friction: {{viscous: {}}}, limits: {{lower: {}, upper: {}, stiffness: 50, damping: "
        "2}}}}\n",
        name, turns ? "revolute" : "prismatic", parent, name, place, friction, lower, upper);
    initial_ += fmt::format("  {}: {{q: {}, v: {}}}\n", name, turns ? theta : d, speed);
    return body + (turns ? "Actuator_Type 0\n" : "") + fmt::format("Joint_Friction {}\n}}\n", friction);
  }

  std::string ball(const std::string& name, const std::string& parent, const Transformd& branch, bool by_angles) {
    const Vec3d p = random_.vector(), angles = random_.vector(0.5), w = random_.vector();
    const double friction = random_.unit();
    const Transformd X_PF = branch * Transformd::translation(p);
    const Quaternion<double> q = by_angles
                                     ? quaternion_of(rotation_z(angles.z) * rotation_y(angles.y) * rotation_x(angles.x))
                                     : quaternion_of(random_.rotation());
    std::string body = (by_angles ? "SphericalLink {\n" : "QuaternionLink {\n") + rigid(name, pose_of(X_PF, parent));
    body += fmt::format("Position_From_Inboard_Link {}\n", list({p.x, p.y, p.z}, " "));
    body += by_angles ? fmt::format("Initial_Joint_Angles {}\n", list({angles.x, angles.y, angles.z}, " "))
                      : fmt::format("Orientation_Quat {}\n", list({q.x, q.y, q.z, q.w}, " "));
    body += fmt::format("Initial_Angular_Velocity {}\n", list({w.x, w.y, w.z}, " "));
    if (by_angles) body += "Axes_Limits 0 0 0\nJoint_Limit_Spring_Constant 0\nJoint_Limit_Damper_Constant 0\n";
    joints_ += fmt::format("  {}: {{spherical: [{}, {}], in: {}, axes: [x, y], friction: {{viscous: {}}}}}\n", name,
                           parent, name, name, friction);
    initial_ += fmt::format("  {}: {{q: [{}], v: [{}]}}\n", name, list({q.w, q.x, q.y, q.z}, ", "),
                            list({w.x, w.y, w.z}, ", "));
    return body + fmt::format("Joint_Friction {}\n}}\n", friction);
  }

  // Its velocity is given along the axes of the link before, and natively along its own.
  std::string base(const std::string& name, const std::string& parent, const Transformd& branch) {
    const Vec3d p = random_.vector(), w = random_.vector(), v = random_.vector();
    const Quaternion<double> q = quaternion_of(random_.rotation());
    const Mat3d R = rotation_of(q);
    const Vec3d w_M = transpose_times(R, w), v_M = transpose_times(R, v);
    joints_ += fmt::format("  {}: {{free: [{}, {}]}}\n", name, parent, name);
    initial_ += fmt::format("  {}: {{v: [{}]}}\n", name, list({w_M.x, w_M.y, w_M.z, v_M.x, v_M.y, v_M.z}, ", "));
    return "MobileBaseLink {\n" + rigid(name, pose_of(branch * Transformd{R, p}, parent)) +
           fmt::format("Position {}\nOrientation_Quat {}\nVelocity {}\n}}\n", list({p.x, p.y, p.z}, " "),
                       list({q.x, q.y, q.z, q.w}, " "), list({w.x, w.y, w.z, v.x, v.y, v.z}, " "));
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

RC_GTEST_PROP(DmLaws, robots_move_as_the_same_in_native_yaml, (std::uint64_t seed)) {
  const RandomRobot robot(seed);
  const ReadResult read = read_dynamechs(robot.text, "robot.dm"), native = read_yaml(robot.native, "robot.yaml");
  RC_ASSERT(read.diagnostics.to_string() == "");
  RC_ASSERT(native.diagnostics.to_string() == "");
  const std::string difference = first_difference(read.model, native.model, 1e-12);
  if (!difference.empty()) RC_FAIL(difference + "\n" + robot.text + robot.native);

  const CompileResult a = compile(read.model), b = compile(native.model);
  RC_ASSERT(a.ok() && b.ok());
  const State start = initial_state(a.mechanism), other = initial_state(b.mechanism);
  RC_ASSERT(largest_difference(start.q, other.q) < 1e-13);
  RC_ASSERT(largest_difference(start.v, other.v) < 1e-13);
  Workspace of_a(a.mechanism), of_b(b.mechanism);
  const std::vector<double> tau(start.v.size());
  std::vector<double> found(start.v.size()), expected(start.v.size());
  RC_ASSERT(forward_dynamics<double>(a.mechanism, of_a, start.q, start.v, tau, found).ok());
  RC_ASSERT(forward_dynamics<double>(b.mechanism, of_b, start.q, start.v, tau, expected).ok());
  RC_ASSERT(largest_difference(found, expected) < 1e-12);
}

// Parameters of a block in another order, values in other lines, comments between them.
RC_GTEST_PROP(DmLaws, spacing_order_and_comments_change_nothing, (std::uint64_t seed)) {
  const RandomRobot robot(seed);
  Random random(seed + 1);
  std::string spaced;
  bool is_first = true;
  for (const char c : robot.text) {
    if (is_first) {
      spaced += c;  // the version
      is_first = c != '\n';
    } else if (c == ' ') {
      spaced += random.chance(0.5) ? "\t " : " # 7 \"x\n  ";
    } else if (c == '\n') {
      spaced += random.chance(0.3) ? " \r\n\n" : "  # { }\n";
    } else {
      spaced += c;
    }
  }
  const ReadResult plain = read_dynamechs(robot.text, "robot.dm"), other = read_dynamechs(spaced, "robot.dm");
  if (!other.diagnostics.to_string().empty()) RC_FAIL(other.diagnostics.to_string() + spaced);
  RC_ASSERT(first_difference(plain.model, other.model) == "");
}

RC_GTEST_PROP(DmLaws, robots_survive_being_written_natively, (std::uint64_t seed)) {
  const ReadResult read = read_dynamechs(RandomRobot(seed).text, "robot.dm");
  const ReadResult back = read_yaml(write_yaml(read.model), "robot.yaml");
  RC_ASSERT(back.diagnostics.to_string() == "");
  RC_ASSERT(first_difference(read.model, back.model) == "");
}

}  // namespace
}  // namespace trammel::test
