// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Nothing is lost in silence: models are written as URDF and MJCF and read back, and whatever is not as it was must be told
// by a warning that names it. Over all models of the project, the MJCF files of the tests, and random models with
// everything that a file can say.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/readers.hpp>

#include "core/text.hpp"
#include "readers/model_with_everything.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

namespace fs = std::filesystem;
using namespace test;

struct Difference {
  std::string kind;  // as in explanations()
  std::string name;  // of what is not as it was; may be empty
  std::string how;
};

// Words of the warnings that tell a difference.
using Explanations = std::map<std::string, std::vector<std::string>>;

const Explanations& explanations(Format format) {
  static const Explanations urdf{
      {"units", {"the units of the file are lost"}},
      {"gravity", {"gravity is lost"}},
      {"points", {"points are lost"}},
      {"outputs", {"outputs are lost"}},
      {"actuators", {"actuators are lost"}},
      {"states", {"named states are lost"}},
      {"inputs", {"inputs are lost"}},
      {"measures", {"measures are lost"}},
      {"planar", {"the plane of the linkage is lost"}},
      {"constraint", {"constraints are lost"}},
      {"spring", {"springs are lost"}},
      {"load", {"loads are lost"}},
      {"bushing", {"bushings are lost"}},
      {"terrain", {"the terrain is lost"}},
      {"material", {"materials of contacts are lost"}},
      {"contact", {"contacts are lost"}},
      {"drive", {"drives are lost"}},
      {"impact", {"impacts are lost: answers change"}},
      {"event", {"events are lost"}},
      {"stops", {"stiffness and damping of stops are lost"}},
      {"simulate", {"settings of simulations are lost"}},
      {"body frame", {"frames of links are moved"}},
      {"solids", {"solids are written as numbers of mass"}},
      {"shapes", {"ellipsoids and plates are not drawn", "colours of collisions are lost", "shapes without thickness"}},
      {"joint lost", {"joints become two joints each", "joints that fix the root to the ground have no name"}},
      {"joint direction", {"are named along it", "are turned round"}},
      {"joint coordinates", {"are turned round"}},
      {"friction", {"friction of planar joints is lost", "friction of planar and free joints is lost"}},
      {"dry speed", {"the speed that smooths dry friction is lost"}},
      {"armature", {"armature of joints is lost"}},
      {"limits", {"limits on one side only are lost", "limits of planar and free joints are lost"}},
      {"speed and effort", {"limits of planar and free joints are lost"}},
      {"initial", {"the initial state is lost"}},
      {"cut", {"joints were to be cut"}},
      {"coupling kind", {"gears, racks and screws are written as <mimic>"}},
      {"coupling name", {"couplings are called after the joint that follows"}},
      {"coupling direction", {"couplings are turned round"}},
  };
  static const Explanations mjcf{
      {"units", {"the units of the file are lost"}},
      {"points", {"points are lost"}},
      {"inputs", {"inputs are lost"}},
      {"measures", {"measures are lost"}},
      {"planar", {"the plane of the linkage is lost"}},
      {"constraint", {"constraints are lost"}},
      {"spring", {"springs are lost"}},
      {"load", {"loads are lost"}},
      {"bushing", {"bushings are lost"}},
      {"terrain", {"the terrain is lost"}},
      {"material", {"materials of contacts are lost"}},
      {"contact", {"contacts are lost"}},
      {"drive", {"drives are lost"}},
      {"impact", {"impacts are lost: answers change"}},
      {"event", {"events are lost"}},
      {"stops", {"stiffness and damping of stops are lost"}},
      {"simulate", {"settings of simulations are lost"}},
      {"target", {"targets of actuators are lost"}},
      {"actuators",
       {"drives that do not act on a turn or travel of the tree are lost", "gear",
        "motors, thrusters and drives of whole ball joints are lost"}},
      {"body lost", {"bodies without mass between joints", "'world' is what MuJoCo calls the ground"}},
      {"solids", {"solids are written as numbers of mass"}},
      {"shapes", {"plates are lost", "shapes without thickness are lost"}},
      {"joint lost",
       {"fixed joints have no name", "free joints that close loops are left out",
        "hold the same two bodies at two points"}},
      {"joint direction", {"are named along it", "get other coordinates"}},
      {"joint coordinates", {"get other coordinates"}},
      {"friction",
       {"friction of spherical and free joints that MJCF cannot say", "friction of joints that close loops"}},
      {"dry speed", {"the speed that smooths dry friction is lost", "friction of joints that close loops"}},
      {"armature", {"armature and friction of spherical and free joints", "armature of joints that close loops"}},
      {"limits",
       {"limits that leave a joint no room", "limits of spherical and free joints",
        "limits of position of joints that"}},
      {"speed and effort", {"limits of speed and effort of joints"}},
      {"initial", {"the initial state becomes a keyframe", "positions and velocities of joints that close loops"}},
      {"states", {"positions and velocities of joints that close loops", "the initial state becomes a keyframe"}},
      {"cut", {"joints were to be cut", "MuJoCo holds loops softly"}},
      {"coupling kind", {"gears, racks and screws are written as equalities"}},
      {"coupling name", {"couplings and loops of the same name get another"}},
  };
  return format == Format::urdf ? urdf : mjcf;
}

// --- what is not as it was --------------------------------------------------------------------------------------------

bool near(double a, double b, double scale = 1) {
  return a == b || std::abs(a - b) <= 1e-12 * std::max({scale, std::abs(a), std::abs(b)});
}
bool near(const Vec3d& a, const Vec3d& b) { return norm(a - b) <= 1e-11 * (1 + norm(a)); }
bool near(const Transformd& a, const Transformd& b) {
  return near(a.p, b.p) && near(a.R.ex, b.R.ex) && near(a.R.ey, b.R.ey) && near(a.R.ez, b.R.ez);
}
bool near(const std::vector<double>& a, const std::vector<double>& b, double otherwise) {
  const auto entry = [&](const std::vector<double>& list, std::size_t i) { return list.empty() ? otherwise : list[i]; };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if ((!a.empty() && !b.empty() && a.size() != b.size()) || !near(entry(a, i), entry(b, i))) return false;
  return true;
}

class Comparer {
 public:
  Comparer(const Model& a, const Model& b, Format format) : a_(a), b_(b), format_(format) {}

  std::vector<Difference> run() {
    compare_whole();
    for (const Body& body : a_.bodies) compare_body(body);
    for (const Joint& joint : a_.joints) compare_joint(joint);
    for (const Coupling& coupling : a_.couplings) compare_coupling(coupling);
    compare_outputs();
    compare_actuators();
    compare_states();
    return std::move(found_);
  }

 private:
  void tell(const std::string& kind, const std::string& name = {}, const std::string& how = {}) {
    found_.push_back({kind, name, how});
  }

  void compare_whole() {
    if (a_.name != b_.name) tell("name", "", b_.name);
    if (!a_.units.is_si()) tell("units");
    if (!near(a_.gravity, b_.gravity)) tell("gravity");
    if (!a_.points.empty() && b_.points.empty()) tell("points");
    if (!a_.inputs.empty() && b_.inputs.empty()) tell("inputs");
    if (!a_.measures.empty() && b_.measures.empty()) tell("measures");
    if (a_.planar && !b_.planar) tell("planar");
    for (const Constraint& c : a_.constraints) tell("constraint", c.name);
    for (const Spring& s : a_.springs) tell("spring", s.name);
    for (const Load& l : a_.loads) tell("load", l.name);
    for (const Bushing& b : a_.bushings) tell("bushing", b.name);
    for (const Drive& d : a_.drives) tell("drive", d.name);
    if (a_.terrain.kind != Terrain::Kind::none) tell("terrain");
    if (!a_.materials.empty()) tell("material");
    for (const ContactShape& c : a_.contacts) tell("contact", c.name);
    for (const Impact& i : a_.impacts) tell("impact", i.name);
    for (const Event& e : a_.events) tell("event", e.name);
    if (a_.simulate.until || a_.simulate.integrator) tell("simulate");
  }

  // --- bodies ---------------------------------------------------------------------------------------------------------

  void compare_body(const Body& body) {
    const Body* other = b_.find_body(body.name);
    if (other == nullptr) return tell("body lost", body.name);
    if (!near(body.X_WB, other->X_WB)) tell("body frame", body.name);
    if (!near(body.mass, other->mass, 0)) tell("mass", body.name);
    const Transformd X = inverse(other->X_WB) * body.X_WB;  // into the frame it has now
    if (body.mass > 0 && !near(X * body.com, other->com)) tell("centre of mass", body.name);
    const Sym3d I = rotate(X.R, body.inertia), J = other->inertia;
    const double size = I.xx + I.yy + I.zz;
    for (const auto& [x, y] : {std::pair(I.xx, J.xx), std::pair(I.yy, J.yy), std::pair(I.zz, J.zz),
                               std::pair(I.xy, J.xy), std::pair(I.xz, J.xz), std::pair(I.yz, J.yz)}) {
      if (!near(x, y, size)) tell("inertia", body.name);
    }
    if (!body.shapes.empty() && other->shapes.empty()) tell("solids", body.name);
    compare_shapes(body, body.visuals.empty() ? body.shapes : body.visuals, other->visuals, X);
    compare_shapes(body, body.collisions, other->collisions, X);
  }

  // Each is there again, in any order. A rod is a cylinder.
  void compare_shapes(const Body& body, const std::vector<Shape>& list, std::vector<Shape> others,
                      const Transformd& X) {
    const std::size_t given = list.size();
    for (const Shape& shape : list) {
      const auto same =
          std::find_if(others.begin(), others.end(), [&](const Shape& s) { return is_same(shape, s, X); });
      if (same == others.end()) {
        tell("shapes", body.name, std::string(keyword(shape.kind)));
      } else {
        others.erase(same);
      }
    }
    if (others.size() > given) tell("more shapes", body.name);
  }
  static bool is_same(const Shape& a, const Shape& b, const Transformd& X) {
    const auto kind = [](const Shape& s) { return s.kind == Shape::Kind::rod ? Shape::Kind::cylinder : s.kind; };
    return kind(a) == kind(b) && near(X * a.X_BS, b.X_BS) && near(a.size, b.size) && near(a.length, b.length) &&
           near(a.radius, b.radius) && a.mesh == b.mesh && near(a.scale, b.scale) && a.colour == b.colour;
  }

  // --- joints ---------------------------------------------------------------------------------------------------------

  void compare_joint(const Joint& joint) {
    const Joint* other = b_.find_joint(joint.name);
    if (other == nullptr || keyword(other->type) != keyword(joint.type)) return tell("joint lost", joint.name);
    const bool turned = other->first == joint.second || other->second == joint.first;
    // Welds are called after bodies when read: another may have this name now.
    if (std::holds_alternative<Fixed>(joint.type) && ends(joint) != ends(*other)) return tell("joint lost", joint.name);
    if (turned) tell("joint direction", joint.name);
    compare_coordinates(joint, *other, turned);
    const JointProperties &p = joint.properties, &q = other->properties;
    if (!near(p.viscous, q.viscous, 0) || !near(p.dry, q.dry, 0)) tell("friction", joint.name);
    const bool dry = std::any_of(p.dry.begin(), p.dry.end(), [](double x) { return x != 0; });
    if (dry && !near(p.dry_speed, q.dry_speed, 0)) tell("dry speed", joint.name);
    if (!near(p.armature, q.armature, 0)) tell("armature", joint.name);
    if (!near(p.lower, q.lower, -infinity) || !near(p.upper, q.upper, infinity)) tell("limits", joint.name);
    if (!near(p.velocity_limit, q.velocity_limit, infinity) || !near(p.effort_limit, q.effort_limit, infinity))
      tell("speed and effort", joint.name);
    if (!p.limit_stiffness.empty() || !p.limit_damping.empty()) tell("stops", joint.name);
    if (!joint.q_initial.empty() && joint.q_initial != other->q_initial) tell("initial");
    if (!joint.v_initial.empty() && joint.v_initial != other->v_initial) tell("initial");
    if (joint.cut != other->cut) tell("cut", joint.name);
  }

  // URDF calls the ground "world".
  static std::set<std::string> ends(const Joint& joint) {
    std::set<std::string> bodies;
    for (const std::string& body : {joint.first, joint.second}) bodies.insert(body == "world" ? "ground" : body);
    return bodies;
  }

  // A joint's coordinates mean the same if its frames are where they were, and turn about the same axes; angles and travels
  // of one freedom keep their sign also where the joint is named the other way.
  void compare_coordinates(const Joint& joint, const Joint& other, bool turned) {
    const Transformd X_WF = pose(a_, joint.first) * joint.X_AF, X_WM = pose(a_, joint.second) * joint.X_BM;
    const Transformd Y_WF = pose(b_, other.first) * other.X_AF, Y_WM = pose(b_, other.second) * other.X_BM;
    const std::string_view type = keyword(joint.type);
    const double sign = turned ? -1 : 1;
    if (type == "fixed") return;
    if (type == "revolute" || type == "prismatic" || type == "helical" || type == "cylindrical") {
      const bool along = near(X_WF.R.ez * sign, Y_WF.R.ez);
      const bool on_axis = type == "prismatic" || near(cross(X_WF.R.ez, Y_WF.p - X_WF.p), Vec3d{});
      const auto zero = [](const Transformd& F, const Transformd& M) { return dot(F.R.ex, M.R.ex); };
      const bool same_zero = near(zero(X_WF, X_WM), zero(Y_WF, Y_WM));
      if (!along || !on_axis || !same_zero) tell("joint coordinates", joint.name);
      return;
    }
    const bool same = turned ? false : near(X_WF, Y_WF) && near(X_WM, Y_WM);
    if (!same) tell("joint coordinates", joint.name);
  }
  static Transformd pose(const Model& model, const std::string& body) {
    const Body* found = model.find_body(body);
    return found == nullptr ? Transformd{} : found->X_WB;
  }

  // --- the rest -------------------------------------------------------------------------------------------------------

  void compare_coupling(const Coupling& c) {
    const auto same = [&](const Coupling& o) {
      return near(o.ratio, c.ratio) && near(o.offset, c.offset) && o.second_dof == c.second_dof &&
             o.first_dof == c.first_dof;
    };
    const auto by_name =
        std::find_if(b_.couplings.begin(), b_.couplings.end(), [&](const Coupling& o) { return o.name == c.name; });
    const auto found = by_name != b_.couplings.end()
                           ? by_name
                           : std::find_if(b_.couplings.begin(), b_.couplings.end(), [&](const Coupling& o) {
                               return o.first == c.first && o.second == c.second && same(o);
                             });
    if (by_name == b_.couplings.end()) tell("coupling name", c.name);
    if (found == b_.couplings.end()) {
      if (format_ == Format::mjcf) tell("coupling lost", c.name);
      if (format_ == Format::urdf && !is_split(c.first) && !is_split(c.second)) tell("coupling direction", c.name);
      return;
    }
    if (c.kind != found->kind) tell("coupling kind", c.name);
    if (!same(*found)) tell("coupling numbers", c.name);
  }
  bool is_split(const std::string& joint) const { return b_.find_joint(joint) == nullptr; }

  void compare_outputs() {
    if (!a_.outputs.empty() && b_.outputs.empty()) return tell("outputs");
    for (const Output& output : a_.outputs) {
      const auto other =
          std::find_if(b_.outputs.begin(), b_.outputs.end(), [&](const Output& o) { return o.name == output.name; });
      if (other == b_.outputs.end() || other->body != output.body || !near(output.p_B, other->p_B))
        tell("outputs", output.name);
    }
  }

  void compare_actuators() {
    if (format_ == Format::urdf) return a_.actuators.empty() ? void() : tell("actuators");
    for (const Actuator& a : a_.actuators) {
      const auto o =
          std::find_if(b_.actuators.begin(), b_.actuators.end(), [&](const Actuator& x) { return x.name == a.name; });
      if (o == b_.actuators.end()) {
        tell("actuators", a.name);
        continue;
      }
      if (!a.target.empty()) tell("target", a.name);
      if (has_other_coordinates(a.joint)) {
        continue;
      } else if (o->kind != a.kind || o->joint != a.joint || o->dof != a.dof || !near(o->gear, a.gear) ||
                 !near(o->stiffness, a.stiffness) || !near(o->damping, a.damping) ||
                 !near(o->control_lower, a.control_lower) || !near(o->control_upper, a.control_upper) ||
                 !near(o->effort_lower, a.effort_lower) || !near(o->effort_upper, a.effort_upper)) {
        tell("actuator numbers", a.name);
      }
    }
  }

  bool has_other_coordinates(const std::string& joint) const {
    return std::any_of(found_.begin(), found_.end(), [&](const Difference& d) {
      return d.name == joint && (d.kind == "joint coordinates" || d.kind == "joint lost");
    });
  }
  static std::vector<double> filled(std::vector<double> q, const Joint& joint) {
    if (q.empty() && nq(joint.type) > 0) {
      q.resize(static_cast<std::size_t>(nq(joint.type)));
      q_zero(joint.type, q.data());
    }
    return q;
  }
  // A quaternion and its opposite are one turn.
  static bool is_same_position(std::vector<double> a, const std::vector<double>& b) {
    if (a.size() >= 4 && b.size() >= 4 && a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0)
      for (std::size_t i = 0; i < 4; ++i) a[i] = -a[i];
    return near(a, b, 0);
  }

  // Where a joint has the same coordinates, its states are those it had.
  void compare_states() {
    if (format_ == Format::urdf) return a_.states.empty() ? void() : tell("states");
    for (const NamedState& state : a_.states) {
      const auto other =
          std::find_if(b_.states.begin(), b_.states.end(), [&](const NamedState& s) { return s.name == state.name; });
      if (other == b_.states.end()) {
        tell("states", state.name);
        continue;
      }
      for (const NamedState::Entry& entry : state.joints) {
        const auto is_it = [&](const NamedState::Entry& e) { return e.joint == entry.joint; };
        const auto e = std::find_if(other->joints.begin(), other->joints.end(), is_it);
        if (has_other_coordinates(entry.joint) || (entry.q.empty() && entry.v.empty())) continue;
        const Joint* joint = a_.find_joint(entry.joint);
        if (e == other->joints.end() || !is_same_position(filled(entry.q, *joint), filled(e->q, *joint)) ||
            !near(entry.v, e->v, 0))
          tell("states", entry.joint);
      }
    }
  }

  const Model &a_, &b_;
  Format format_;
  std::vector<Difference> found_;
};

// --- what was told ----------------------------------------------------------------------------------------------------

bool is_told(const Difference& difference, const std::vector<Diagnostic>& told, Format format) {
  const Explanations& all = explanations(format);
  const auto words = all.find(difference.kind);
  if (words == all.end()) return false;
  for (const Diagnostic& d : told) {
    for (const std::string& word : words->second) {
      if (d.what.find(word) == std::string::npos) continue;
      const bool names_it = difference.name.empty() || d.what.find(quote(difference.name)) != std::string::npos ||
                            d.what.find(" more") != std::string::npos || d.what.find(": '") == std::string::npos;
      if (names_it) return true;
    }
  }
  return false;
}

// What is lost in silence, one line each; nothing where the format refuses the model.
std::vector<std::string> silent_losses(const Model& model, Format format) {
  const WriteResult written = format == Format::urdf ? write_urdf(model) : write_mjcf(model);
  if (!written.ok()) return {};
  const ReadResult back = format == Format::urdf ? read_urdf(written.text, "m.urdf") : read_mjcf(written.text, "m.xml");
  if (!back.ok()) return {"cannot be read back: " + back.diagnostics.to_string()};
  std::vector<Diagnostic> told = written.diagnostics.all();
  told.insert(told.end(), back.diagnostics.all().begin(), back.diagnostics.all().end());
  std::vector<std::string> lines;
  for (const Difference& d : Comparer(model, back.model, format).run())
    if (!is_told(d, told, format)) lines.push_back(fmt::format("{} '{}' {}", d.kind, d.name, d.how));
  return lines;
}

std::string all_that_is_said(const Model& model, Format format) {
  const WriteResult written = format == Format::urdf ? write_urdf(model) : write_mjcf(model);
  const ReadResult back = format == Format::urdf ? read_urdf(written.text, "m.urdf") : read_mjcf(written.text, "m.xml");
  return written.diagnostics.to_string() + back.diagnostics.to_string() + written.text;
}

std::vector<fs::path> files() {
  std::vector<fs::path> list;
  for (const char* folder : {"models", "tests/readers/mjcf"})
    for (const auto& entry : fs::directory_iterator(fs::path(test::source_dir()) / folder))
      if (entry.path().extension() == ".yaml" || entry.path().extension() == ".xml") list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

TEST(SilentLosses, are_none_among_the_files_of_the_project) {
  int read_files = 0;
  for (const fs::path& file : files()) {
    const ReadResult read = read_model(file.string());
    if (!read.ok()) continue;  // a part that others include
    ++read_files;
    for (const Format format : {Format::urdf, Format::mjcf})
      for (const std::string& line : silent_losses(read.model, format))
        ADD_FAILURE() << file.filename().string() << (format == Format::urdf ? " as URDF: " : " as MJCF: ") << line;
  }
  EXPECT_GE(read_files, 60);
}

RC_GTEST_PROP(SilentLosses, are_none_in_random_models_with_everything, (std::uint64_t seed)) {
  const Model model = model_with_everything(seed);
  for (const Format format : {Format::urdf, Format::mjcf}) {
    const std::vector<std::string> lines = silent_losses(model, format);
    for (const std::string& line : lines) RC_LOG() << (format == Format::urdf ? "URDF: " : "MJCF: ") << line << "\n";
    if (!lines.empty()) RC_LOG() << all_that_is_said(model, format);
    RC_ASSERT(lines.empty());
  }
}

// The law says nothing about models that a format refuses: many of them are none.
TEST(SilentLosses, are_looked_for_in_many_random_models) {
  int urdf = 0, mjcf = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Model model = model_with_everything(seed);
    urdf += write_urdf(model).ok() ? 1 : 0;
    mjcf += write_mjcf(model).ok() ? 1 : 0;
  }
  EXPECT_GE(urdf, 40);
  EXPECT_GE(mjcf, 100);
}

}  // namespace
}  // namespace trammel
