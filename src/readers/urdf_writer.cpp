// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The URDF writer. URDF knows trees of links whose frames sit on the joint that carries them, with an axis through
// their origin. With F' on the parent p and M' on the child c (F and M, or M and F where the tree runs against the
// joint's direction), and L the frame that the child gets as a link:
//   X_LpLc = X_pLp⁻¹ · X_pF' · X_cM'⁻¹ · X_cLc,   axis in Lc: the z axis of M', −z where the joint is walked backwards
// L is the body's own frame where M' has its origin there; else it is moved to M', which changes no dynamics. Universal
// and cylindrical joints become two joints with a link without mass between them. What URDF cannot say is a warning;
// what would make it another mechanism an error.                                             docs/formats/urdf.md

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/linkage_losses.hpp"
#include "readers/losses.hpp"
#include "readers/messages.hpp"

namespace trammel {

namespace {

using readers::quote;
using readers::shortest;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':
        out += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string three(const Vec3d& v) { return fmt::format("{} {} {}", shortest(v.x), shortest(v.y), shortest(v.z)); }

// R = Rz(yaw) Ry(pitch) Rx(roll). Taken one after the other, each from what the ones before leave over, so that the
// product gives R back to round-off also where pitch is a right angle and yaw could be anything.
Vec3d rpy_of(const Mat3d& R) {
  const double yaw = R.ex.x == 0 && R.ex.y == 0 ? 0 : std::atan2(R.ex.y, R.ex.x);
  const Mat3d R1 = rotation_z(-yaw) * R;  // Ry(pitch) Rx(roll)
  return {std::atan2(-R1.ez.y, R1.ey.y), std::atan2(-R1.ex.z, R1.ex.x), yaw};
}

std::string origin_text(const Transformd& X, const std::string& indent) {
  if (X == Transformd{}) return {};
  std::string text = indent + "<origin xyz=\"" + three(X.p) + "\"";
  if (X.R != Mat3d::identity()) text += " rpy=\"" + three(rpy_of(X.R)) + "\"";
  return text + "/>\n";
}

// One URDF joint, as it will be written.
struct OutJoint {
  std::string name, parent, child;
  std::string_view type;  // revolute, prismatic, planar, floating, fixed
  Transformd X_LpLc;
  Vec3d axis{0, 0, 1};
  const Joint* source = nullptr;
  int dof = -1;  // of the source; −1: of all of it
  std::string mimic;
  std::size_t follows = static_cast<std::size_t>(-1);  // the joint that it mimics
};

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) {
    result_.diagnostics.file = model.file;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) body_index_.emplace(model.bodies[i].name, i);
    for (const Body& body : model.bodies) names_of_links_.insert(body.name);
    for (const Joint& joint : model.joints) names_of_joints_.insert(joint.name);
  }

  WriteResult write() {
    walk_tree();
    choose_root();
    choose_frames();
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (steps_[j].used) add_joints(j);
    }
    add_couplings();
    tell_what_is_lost();
    compose();
    losses_.tell(result_.diagnostics);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t ground_index = static_cast<std::size_t>(-1);

  struct Step {
    bool used = false, reversed = false;  // reversed: from the joint's second body to its first
    std::size_t parent = ground_index, child = ground_index;
  };

  // --- messages ---------------------------------------------------------------------------------------------------

  void error(SourceLocation where, std::string id, std::string what, std::string fix) {
    result_.diagnostics.error(where, std::move(id), std::move(what), std::move(fix));
  }
  void lose(const std::string& id, SourceLocation where, const std::string& what, const std::string& fix,
            const std::string& name = {}) {
    losses_.add(id, where, what, fix, name);
  }

  static std::string unused(std::string wish, std::set<std::string>& taken) {
    while (!taken.insert(wish).second) wish += "_";
    return wish;
  }

  // --- the tree -------------------------------------------------------------------------------------------------

  std::size_t index_of(const std::string& body) const {
    const auto found = body_index_.find(body);
    return found == body_index_.end() ? ground_index : found->second;
  }

  // From the ground on, always the first joint in the file that leads on; those marked `cut` come last.
  void walk_tree() {
    steps_.resize(model_.joints.size());
    std::vector<std::vector<std::size_t>> joints_at(model_.bodies.size() + 1);  // the ground is the last
    const auto slot = [&](std::size_t body) { return body == ground_index ? model_.bodies.size() : body; };
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      joints_at[slot(index_of(model_.joints[j].first))].push_back(j);
      joints_at[slot(index_of(model_.joints[j].second))].push_back(j);
    }
    std::vector<bool> reached(model_.bodies.size(), false);
    const auto is_reached = [&](std::size_t body) { return body == ground_index || reached[body]; };
    using Key = std::pair<bool, std::size_t>;  // cut, joint
    std::priority_queue<Key, std::vector<Key>, std::greater<>> leads_on;
    const auto enter = [&](std::size_t body) {
      for (const std::size_t j : joints_at[slot(body)]) leads_on.emplace(model_.joints[j].cut, j);
    };
    enter(ground_index);
    while (!leads_on.empty()) {
      const std::size_t j = leads_on.top().second;
      leads_on.pop();
      const std::size_t a = index_of(model_.joints[j].first), b = index_of(model_.joints[j].second);
      if (is_reached(a) && is_reached(b)) continue;
      const bool reversed = !is_reached(a);
      steps_[j] = {true, reversed, reversed ? b : a, reversed ? a : b};
      reached[steps_[j].child] = true;
      enter(steps_[j].child);
    }
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (reached[i]) continue;
      const Body& body = model_.bodies[i];
      error(body.where, "body-not-joined", fmt::format("body {} is not joined to the ground", quote(body.name)),
            "join it, or let it float by a free joint");
    }
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      if (steps_[j].used || !is_reached(index_of(joint.first)) || !is_reached(index_of(joint.second))) continue;
      error(joint.where, "urdf-loop", fmt::format("joint {} closes a loop, which URDF cannot say", quote(joint.name)),
            "write the native format or MJCF instead");
    }
  }

  // The ground becomes a link "world", unless it carries one body, fixed in the world's frame: what reading makes of a
  // root link.
  void choose_root() {
    std::size_t only = ground_index;
    int count = 0;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (steps_[j].used && steps_[j].parent == ground_index) ++count, only = j;
    }
    if (count == 1) {
      const Joint& joint = model_.joints[only];
      const bool plain = joint.X_AF == Transformd{} && joint.X_BM == Transformd{};
      if (std::holds_alternative<Fixed>(joint.type) && plain) {
        steps_[only].used = false;
        if (joint.name != "base") {
          lose("urdf-lost", joint.where, "joints that fix the root to the ground have no name in URDF",
               "reading calls it 'base'", joint.name);
        }
        return;
      }
    }
    world_ = unused("world", names_of_links_);
  }

  // --- frames ---------------------------------------------------------------------------------------------------

  // X_BL of each body: where its link's frame is.
  void choose_frames() {
    X_BL_.assign(model_.bodies.size(), Transformd{});
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Step& step = steps_[j];
      if (!step.used) continue;
      Transformd& X_BL = X_BL_[step.child];
      X_BL = link_frame(model_.joints[j], child_frame(j));
      if (X_BL != Transformd{}) {
        lose("urdf-frame-moved", model_.joints[j].where,
             "frames of links are moved to the joint that carries them; dynamics is the same",
             "nothing needs to be done", model_.bodies[step.child].name);
      }
    }
  }
  const Transformd& child_frame(std::size_t j) const {
    return steps_[j].reversed ? model_.joints[j].X_AF : model_.joints[j].X_BM;
  }
  const Transformd& parent_frame(std::size_t j) const {
    return steps_[j].reversed ? model_.joints[j].X_BM : model_.joints[j].X_AF;
  }
  static Transformd link_frame(const Joint& joint, const Transformd& X_cM) {
    if (std::holds_alternative<Fixed>(joint.type)) return {};
    if (std::holds_alternative<Free>(joint.type)) return X_cM;
    if (std::holds_alternative<Planar>(joint.type)) {
      const Mat3d R = frame_at({}, X_cM.R.ez).R;
      const double off = norm(R.ex - X_cM.R.ex) + norm(R.ey - X_cM.R.ey);
      return X_cM.p == Vec3d{} && off < 1e-12 ? Transformd{} : X_cM;
    }
    return Transformd::translation(X_cM.p);
  }
  Transformd frame_of(std::size_t body) const { return body == ground_index ? Transformd{} : X_BL_[body]; }
  const std::string& link_name(std::size_t body) const {
    return body == ground_index ? world_ : model_.bodies[body].name;
  }

  // --- joints ---------------------------------------------------------------------------------------------------

  void add_joints(std::size_t j) {
    const Joint& joint = model_.joints[j];
    const Step& step = steps_[j];
    const Transformd X_LcM = inverse(frame_of(step.child)) * child_frame(j);
    OutJoint out;
    out.name = joint.name;
    out.parent = link_name(step.parent);
    out.child = link_name(step.child);
    out.source = &joint;
    out.X_LpLc = inverse(frame_of(step.parent)) * (parent_frame(j) * inverse(child_frame(j))) * frame_of(step.child);
    const double sign = step.reversed ? -1 : 1;
    const std::string_view type = keyword(joint.type);
    if (step.reversed && (type == "fixed" || type == "revolute" || type == "prismatic")) {
      lose("urdf-reversed", joint.where,
           "joints named against the tree are named along it, with the same coordinates: reactions are on the other "
           "body",
           "name the bodies of the joint the other way", joint.name);
    }
    if (type == "fixed") {
      out.type = "fixed";
      return add(out);
    }
    if (type == "revolute" || type == "prismatic") {
      out.type = type;
      out.axis = X_LcM.R.ez * sign;
      out.dof = 0;
      return add(out);
    }
    if (type == "free" || type == "planar") {
      out.type = type == "free" ? "floating" : "planar";
      out.axis = X_LcM.R.ez;
      if (step.reversed) {
        lose("urdf-reversed", joint.where,
             "coordinates of joints that the tree runs through backwards are turned round",
             "name the bodies of the joint the other way", joint.name);
      }
      if (!joint.properties.viscous.empty() || !joint.properties.dry.empty()) {
        lose("urdf-friction", joint.where, "friction of planar joints is lost: answers change", "leave it out",
             joint.name);
      }
      if (!joint.properties.lower.empty() || !joint.properties.upper.empty() ||
          !joint.properties.velocity_limit.empty() || !joint.properties.effort_limit.empty()) {
        lose("urdf-lost", joint.where, "limits of planar and free joints are lost", "nothing else can be done",
             joint.name);
      }
      return add(out);
    }
    if (type == "cylindrical") {
      return add_two(out, {"revolute", X_LcM.R.ez * sign, 0}, {"prismatic", X_LcM.R.ez * sign, 1}, step.reversed);
    }
    if (type == "universal") {
      return add_two(out, {"revolute", X_LcM.R.ex * sign, 0}, {"revolute", X_LcM.R.ey * sign, 1}, step.reversed);
    }
    error(joint.where, "urdf-joint-type", fmt::format("URDF has no {} joints, such as {}", type, quote(joint.name)),
          type == "spherical" ? "write MJCF or the native format; or use three revolute joints"
                              : "write the native format");
  }

  struct Half {
    std::string_view type;
    Vec3d axis;
    int dof = 0;
  };
  // Two joints, in the order in which the tree meets them.
  void add_two(const OutJoint& whole, Half first, Half second, bool reversed) {
    const Joint& joint = *whole.source;
    lose("urdf-split", joint.where,
         fmt::format("{} joints become two joints each, with a link without mass between them", keyword(joint.type)),
         "their coordinates have the names of the parts: joint_angle, joint_travel, …", joint.name);
    if (reversed) std::swap(first, second);
    const std::string middle = unused(joint.name + "_link", names_of_links_);
    extra_links_.push_back(middle);
    OutJoint a = whole, b = whole;
    a.child = b.parent = middle;
    b.X_LpLc = {};
    for (auto [out, half] : {std::pair{&a, &first}, std::pair{&b, &second}}) {
      const auto index = static_cast<std::size_t>(half->dof);
      out->name = unused(fmt::format("{}_{}", joint.name, freedoms(joint.type)[index].name), names_of_joints_);
      out->type = half->type;
      out->axis = half->axis;
      out->dof = half->dof;
      add(*out);
    }
  }

  void add(const OutJoint& out) {
    if (out.dof >= 0) coordinates_.emplace(std::pair(std::string_view(out.source->name), out.dof), joints_.size());
    joints_.push_back(out);
  }

  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  std::size_t find_coordinate(const std::string& joint, int dof) const {
    const auto found = coordinates_.find({joint, dof});
    return found == coordinates_.end() ? nobody : found->second;
  }
  // May `second` follow `first`? Each joint follows one other at most, and none follows itself through others.
  bool may_follow(std::size_t first, std::size_t second) const {
    if (joints_[second].follows != nobody) return false;
    while (first != nobody && first != second) first = joints_[first].follows;
    return first == nobody;
  }

  std::size_t driver_of(std::size_t joint) const {
    while (joints_[joint].follows != nobody) joint = joints_[joint].follows;
    return joint;
  }

  void add_couplings() {
    for (const Coupling& c : model_.couplings) {
      std::size_t first = find_coordinate(c.first, c.first_dof), second = find_coordinate(c.second, c.second_dof);
      const bool known = first != nobody && second != nobody;
      double ratio = c.ratio, offset = c.offset;
      const bool turn = known && !may_follow(first, second) && ratio != 0;
      if (turn) {  // q₂ = r q₁ + b  ⇔  q₁ = q₂/r − b/r
        std::swap(first, second);
        offset = -offset / ratio;
        ratio = 1 / ratio;
      }
      if (known && driver_of(first) == driver_of(second)) {
        error(c.where, "urdf-coupling",
              fmt::format("coupling {} closes a circle of couplings, which <mimic> cannot say", quote(c.name)),
              "leave it out if it follows from the others; else write the native format or MJCF");
        continue;
      }
      if (!known || !may_follow(first, second)) {
        error(c.where, "urdf-coupling", fmt::format("coupling {} cannot be said by <mimic>", quote(c.name)),
              "couple revolute and prismatic joints, each following one other at most");
        continue;
      }
      joints_[second].follows = first;
      joints_[second].mimic = fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n",
                                          escaped(joints_[first].name), shortest(ratio), shortest(offset));
      if (turn) {
        lose("urdf-lost", c.where, "couplings are turned round: the joint that drives follows",
             "the relation is the same", c.name);
      }
      if (c.name != joints_[second].name + " mimic") {
        lose("urdf-lost", c.where, "couplings are called after the joint that follows when they are read",
             "nothing needs to be done", c.name);
      }
      if (c.kind != Coupling::Kind::mimic) {
        lose("urdf-lost", c.where, "gears, racks and screws are written as <mimic>", "the relation is the same",
             c.name);
      }
    }
  }

  // --- losses ---------------------------------------------------------------------------------------------------

  void tell_what_is_lost() {
    const SourceLocation nowhere;
    if (model_.gravity != Vec3d{0, 0, -9.81}) {
      lose("urdf-gravity", nowhere,
           fmt::format("gravity is lost: it is ({}) m/s², and (0 0 -9.81) when read", three(model_.gravity)),
           "give it again where the file is used, as by --gravity");
    }
    if (!model_.units.is_si()) {
      lose("urdf-lost", nowhere, "the units of the file are lost; URDF is in SI", "nothing needs to be done");
    }
    for (const Joint& joint : model_.joints) tell_what_a_joint_loses(joint);
    const auto lose_section = [&](const auto& list, const char* what) {
      if (!list.empty())
        lose("urdf-lost", list[0].where, fmt::format("{} are lost", what), "URDF has no word for them");
    };
    lose_section(model_.points, "points");
    lose_section(model_.outputs, "outputs");
    lose_section(model_.actuators, "actuators");
    lose_section(model_.states, "named states");
    readers::tell_what_linkages_lose(model_, {"URDF", "urdf-lost", "urdf-constraint", "urdf-force"},
                                     [this](const auto&... told) { lose(told...); });
  }

  void tell_what_a_joint_loses(const Joint& joint) {
    const JointProperties& p = joint.properties;
    const auto any = [](const std::vector<double>& list) {
      return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
    };
    if (any(p.armature)) {
      lose("urdf-armature", joint.where, "armature of joints is lost: answers change",
           "add it to the inertia where it is used", joint.name);
    }
    if (any(p.dry) && p.dry_speed != JointProperties{}.dry_speed) {
      lose("urdf-friction", joint.where, "the speed that smooths dry friction is lost: answers change at low speeds",
           "nothing else can be done", joint.name);
    }
    if (joint.cut) {
      lose("urdf-lost", joint.where, "joints were to be cut, but there is no loop", "nothing needs to be done",
           joint.name);
    }
    if (!joint.q_initial.empty() || !joint.v_initial.empty()) {
      lose("urdf-lost", joint.where, "the initial state is lost", "URDF has no word for it");
    }
  }

  // --- text -----------------------------------------------------------------------------------------------------

  void compose() {
    std::string& text = result_.text;
    text = "<?xml version=\"1.0\"?>\n<robot name=\"" + escaped(model_.name) + "\">\n";
    if (!world_.empty()) text += "  <link name=\"" + escaped(world_) + "\"/>\n";
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) text += link_text(model_.bodies[i], inverse(X_BL_[i]));
    for (const std::string& link : extra_links_) text += "  <link name=\"" + escaped(link) + "\"/>\n";
    for (const OutJoint& joint : joints_) text += joint_text(joint);
    text += "</robot>\n";
  }

  std::string link_text(const Body& body, const Transformd& X_LB) {
    std::string inside;
    if (body.mass != 0 || body.inertia != Sym3d{}) {
      const Sym3d I = rotate(X_LB.R, body.inertia);
      inside += "    <inertial>\n" + origin_text(Transformd::translation(X_LB * body.com), "      ");
      inside += fmt::format("      <mass value=\"{}\"/>\n", shortest(body.mass));
      inside +=
          fmt::format("      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n",
                      shortest(I.xx), shortest(I.xy), shortest(I.xz), shortest(I.yy), shortest(I.yz), shortest(I.zz));
      inside += "    </inertial>\n";
    }
    for (const Shape& shape : body.visuals) inside += shape_text(shape, "visual", body, X_LB);
    if (body.visuals.empty() && !body.shapes.empty()) {
      lose("urdf-lost", body.where, "solids are written as numbers of mass and as visuals", "nothing needs to be done",
           body.name);
      for (const Shape& shape : body.shapes) inside += shape_text(shape, "visual", body, X_LB);
    } else if (!body.shapes.empty()) {
      lose("urdf-lost", body.where, "solids are written as numbers of mass only", "nothing needs to be done",
           body.name);
    }
    for (const Shape& shape : body.collisions) inside += shape_text(shape, "collision", body, X_LB);
    const std::string head = "  <link name=\"" + escaped(body.name) + "\"";
    return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "  </link>\n";
  }

  std::string form_text(const Shape& shape, const Body& body) {
    switch (shape.kind) {
      case Shape::Kind::rod:
      case Shape::Kind::cylinder:
        return fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", shortest(shape.radius), shortest(shape.length));
      case Shape::Kind::sphere:
        return fmt::format("<sphere radius=\"{}\"/>", shortest(shape.radius));
      case Shape::Kind::box:
        return fmt::format("<box size=\"{}\"/>", three(shape.size));
      case Shape::Kind::capsule:
        lose("urdf-lost", shape.where, "<capsule> is understood by few readers of URDF",
             "draw a cylinder and two spheres", body.name);
        return fmt::format("<capsule radius=\"{}\" length=\"{}\"/>", shortest(shape.radius), shortest(shape.length));
      case Shape::Kind::mesh: {
        const std::string scale =
            shape.scale == Vec3d{1, 1, 1} ? std::string{} : fmt::format(" scale=\"{}\"", three(shape.scale));
        return fmt::format("<mesh filename=\"{}\"{}/>", escaped(shape.mesh), scale);
      }
      case Shape::Kind::ellipsoid:
      case Shape::Kind::plate:
        break;
    }
    lose("urdf-lost", shape.where, "ellipsoids and plates are not drawn", "URDF has no word for them", body.name);
    return {};
  }

  std::string shape_text(const Shape& shape, const std::string& use, const Body& body, const Transformd& X_LB) {
    const std::string form = form_text(shape, body);
    if (form.empty()) return {};
    std::string text = "    <" + use + ">\n" + origin_text(X_LB * shape.X_BS, "      ");
    text += "      <geometry>" + form + "</geometry>\n";
    if (shape.colour && use == "visual") {
      const Colour& c = *shape.colour;
      const std::string rgba =
          fmt::format("{} {} {} {}", shortest(c.red), shortest(c.green), shortest(c.blue), shortest(c.alpha));
      text += fmt::format("      <material name=\"rgba {}\"><color rgba=\"{}\"/></material>\n", rgba, rgba);
    } else if (shape.colour) {
      lose("urdf-lost", shape.where, "colours of collisions are lost", "URDF has no word for them", body.name);
    }
    return text + "    </" + use + ">\n";
  }

  static double entry(const std::vector<double>& list, int dof, double otherwise) {
    return list.empty() ? otherwise : list[static_cast<std::size_t>(dof)];
  }

  std::string joint_text(const OutJoint& out) {
    const JointProperties& p = out.source->properties;
    std::string inside = origin_text(out.X_LpLc, "    ");
    inside +=
        fmt::format("    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n", escaped(out.parent), escaped(out.child));
    if (out.type != "fixed" && out.type != "floating") inside += "    <axis xyz=\"" + three(out.axis) + "\"/>\n";
    std::string_view type = out.type;
    if (out.dof >= 0) {
      inside += limit_text(out, type);
      if (!p.viscous.empty() || !p.dry.empty()) {
        inside += "    <dynamics";
        if (!p.viscous.empty()) inside += fmt::format(" damping=\"{}\"", shortest(entry(p.viscous, out.dof, 0)));
        if (!p.dry.empty()) inside += fmt::format(" friction=\"{}\"", shortest(entry(p.dry, out.dof, 0)));
        inside += "/>\n";
      }
    }
    return fmt::format("  <joint name=\"{}\" type=\"{}\">\n{}{}  </joint>\n", escaped(out.name), type, inside,
                       out.mimic);
  }

  // Turns without limits are "continuous".
  std::string limit_text(const OutJoint& out, std::string_view& type) {
    const JointProperties& p = out.source->properties;
    const double lower = entry(p.lower, out.dof, -infinity), upper = entry(p.upper, out.dof, infinity);
    const bool both = std::isfinite(lower) && std::isfinite(upper);
    if (!both && (std::isfinite(lower) || std::isfinite(upper))) {
      lose("urdf-lost", out.source->where, "limits on one side only are lost", "give both sides", out.source->name);
    }
    if (!both && type == "revolute") type = "continuous";
    std::string inside;
    if (both) inside += fmt::format(" lower=\"{}\" upper=\"{}\"", shortest(lower), shortest(upper));
    const double effort = entry(p.effort_limit, out.dof, infinity),
                 velocity = entry(p.velocity_limit, out.dof, infinity);
    if (std::isfinite(effort)) inside += fmt::format(" effort=\"{}\"", shortest(effort));
    if (std::isfinite(velocity)) inside += fmt::format(" velocity=\"{}\"", shortest(velocity));
    const bool needs = type == "revolute" || type == "prismatic";
    if (needs && !(both && std::isfinite(effort) && std::isfinite(velocity))) {
      lose("urdf-limits-incomplete", out.source->where,
           "other readers of URDF ask revolute and prismatic joints for lower, upper, effort and velocity, all of them",
           "give the limits that are missing", out.source->name);
    }
    return inside.empty() ? std::string{} : "    <limit" + inside + "/>\n";
  }

  const Model& model_;
  WriteResult result_;
  std::unordered_map<std::string, std::size_t> body_index_;
  std::set<std::string> names_of_links_, names_of_joints_;
  std::vector<Step> steps_;
  std::vector<Transformd> X_BL_;
  std::vector<OutJoint> joints_;
  std::map<std::pair<std::string_view, int>, std::size_t> coordinates_;  // joint and freedom of the model
  std::vector<std::string> extra_links_;
  readers::Losses losses_;
  std::string world_;
};

}  // namespace

WriteResult write_urdf(const Model& model) { return Writer(model).write(); }

}  // namespace trammel
