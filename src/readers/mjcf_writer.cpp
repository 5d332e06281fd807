// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The MJCF writer. Bodies keep their own frames: MJCF puts joints anywhere in a body. What MJCF cannot say is a warning;
// what would make it another mechanism an error. MuJoCo holds loops, gears and screws by soft constraints, which is told
// in a warning too.                                                                          docs/formats/mjcf.md

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/losses.hpp"
#include "readers/messages.hpp"
#include "readers/mjcf_joints.hpp"
#include "readers/mjcf_limits.hpp"
#include "readers/mjcf_tag.hpp"
#include "readers/mjcf_written_tree.hpp"

namespace trammel {

namespace {

using namespace readers::mjcf;  // NOLINT(google-build-using-namespace): the private half of this file's own layer
using readers::quote;
using readers::shortest;
using Type = WrittenJoint::Type;

// How far a loop may be open where it is drawn: MJCF gives one anchor, and takes the other from the drawing.
constexpr double closed = 1e-9;
// Between the two anchors that stand for a hinge; more where the hinge is far from the origin of its body, so that
// round-off does not turn its axis.
constexpr double anchor_distance = 0.1;
// What the reader takes: numbers of all keys together, and elements inside elements.
constexpr std::size_t most_key_numbers = 300'000, deepest = 2000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool any(const std::vector<double>& list) {
  return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
}
bool all_equal(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [&](double x) { return x == list.front(); });
}
double entry(const std::vector<double>& list, int i) { return at(i) < list.size() ? list[at(i)] : 0; }

// The same for shapes that are the same to look at and to touch.
std::string shape_key(const Shape& s) {
  const auto& [R, p] = s.X_BS;
  std::vector<double> all{s.length, s.radius};
  for (const Vec3d& v : {R.ex, R.ey, R.ez, p, s.size, s.scale}) all.insert(all.end(), {v.x, v.y, v.z});
  for (const Vec3d& v : s.outline) all.insert(all.end(), {v.x, v.y, v.z});
  if (s.colour) all.insert(all.end(), {s.colour->red, s.colour->green, s.colour->blue, s.colour->alpha});
  return fmt::format("{} {} {}", keyword(s.kind), numbers(all), s.mesh);
}

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model), tree_(find_tree(model)) {
    result_.diagnostics.file = model.file;
    for (const Body& body : model.bodies) body_names_.insert(body.name);
    for (const Joint& joint : model.joints) joint_names_.insert(joint.name);
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
      body_index_.emplace(model.bodies[b].name, static_cast<int>(b));
    for (const Output& output : model.outputs) outputs_on_[output.body].push_back(&output);
    for (std::size_t s = 0; s < tree_.steps.size(); ++s)
      step_of_name_.emplace(model.joints[at(tree_.steps[s].joint)].name, s);
  }

  WriteResult write() {
    check_model();
    name_things();
    collect_meshes();
    line(0, Tag("mujoco").put("model", model_.name).open());
    line(1, R"(<compiler angle="radian" inertiafromgeom="false"/>)");
    line(1, Tag("option").put("gravity", three(model_.gravity)).alone());
    write_assets();
    line(1, "<worldbody>");
    write_outputs(-1, 2);
    write_bodies();
    line(1, "</worldbody>");
    write_equalities();
    write_actuators();
    write_keyframes();
    line(0, "</mujoco>");
    losses_.tell(result_.diagnostics);
    return std::move(result_);
  }

 private:
  // Beyond some depth indentation helps nobody, and would make the text grow with the square of a chain's length.
  void line(int depth, const std::string& text) {
    result_.text += std::string(at(2 * std::min(depth, 50)), ' ') + text + '\n';
  }

  // --- messages -----------------------------------------------------------------------------------------------------

  void error(SourceLocation where, std::string id, std::string what, std::string fix) {
    result_.diagnostics.error(where, std::move(id), std::move(what), std::move(fix));
  }
  void lose(const std::string& id, SourceLocation where, const std::string& what, const std::string& fix,
            const std::string& name = {}) {
    losses_.add(id, where, what, fix, name);
  }

  // --- before a word is written -------------------------------------------------------------------------------------

  void check_model() {
    for (const int b : tree_.not_joined) {
      const Body& body = model_.bodies[at(b)];
      error(body.where, "body-not-joined", fmt::format("body {} is not joined to the ground", quote(body.name)),
            "join it, or let it float by a free joint");
    }
    for (const WrittenStep& step : tree_.steps) {
      const Joint& joint = model_.joints[at(step.joint)];
      if (!std::holds_alternative<Custom>(joint.type)) continue;
      error(joint.where, "mjcf-joint-type",
            fmt::format("MJCF has no joints like {}, which is custom", quote(joint.name)),
            "use the joint types of files");
    }
    tell_what_is_lost(model_, tree_, losses_);
  }

  static std::string unused(std::string wish, std::set<std::string>& taken) {
    while (!taken.insert(wish).second) wish += "_";
    return wish;
  }

  void name_things() {
    for (const Body& body : model_.bodies) {
      std::string name = body.name;
      if (name == "world") {
        name = unused("world_body", body_names_);
        lose("mjcf-name", body.where, "'world' is what MuJoCo calls the ground; the body is called 'world_body'",
             "rename it");
      }
      names_of_bodies_.push_back(name);
    }
    for (const WrittenStep& step : tree_.steps) {
      const Joint& joint = model_.joints[at(step.joint)];
      rows_.push_back(row_of(joint.type, step));
      row_names_.push_back(names_of_parts(joint.name, rows_.back()));
      for (const std::string& name : row_names_.back()) names_in_file_.emplace(name, 0);
    }
    for (std::size_t s = 0; s < tree_.steps.size(); ++s) {
      if (!tree_.is_written(s)) continue;
      tell_how_joints_are_read(s);
      tell_what_is_folded(s);
    }
  }

  // The parts of a joint that is split end in as many "_", all of them, as it takes until nothing else has these names.
  std::vector<std::string> names_of_parts(const std::string& joint, const std::vector<WrittenJoint>& row) {
    if (row.size() == 1) return {joint};
    for (std::string tail;; tail += '_') {
      std::vector<std::string> names;
      for (const WrittenJoint& part : row) names.push_back(fmt::format("{}{}{}", joint, part.suffix, tail));
      if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return joint_names_.contains(name); }))
        continue;
      joint_names_.insert(names.begin(), names.end());
      return names;
    }
  }

  // The names that the reader will give to the joints of a body.
  std::vector<std::string> names_when_read(std::size_t s) const {
    using From = FileJoint::Type;
    std::vector<JointDraft> drafts;
    for (std::size_t k = tree_.begin_of_chain(s); k <= s; ++k) {
      for (std::size_t i = 0; i < rows_[k].size(); ++i) {
        const WrittenJoint& part = rows_[k][i];
        JointDraft draft;
        draft.type = part.type == Type::hinge   ? From::hinge
                     : part.type == Type::slide ? From::slide
                     : part.type == Type::ball  ? From::ball
                                                : From::free;
        draft.name = row_names_[k][i];
        draft.anchor = part.anchor;
        draft.axis = part.axis;
        drafts.push_back(std::move(draft));
      }
    }
    std::vector<std::string> names;
    for (const JointPlan& plan : combine(drafts, names_in_file_)) names.push_back(plan.name);
    return names;
  }

  void tell_how_joints_are_read(std::size_t s) {
    std::vector<std::string> names;
    std::size_t parts = 0;
    for (std::size_t k = tree_.begin_of_chain(s); k <= s; ++k) {
      parts += rows_[k].size();
      if (!rows_[k].empty()) names.push_back(model_.joints[at(tree_.steps[k].joint)].name);
    }
    if (parts < 2) return;
    const bool as_they_are = names_when_read(s) == names;
    for (std::size_t k = tree_.begin_of_chain(s); k <= s; ++k) {
      const Joint& joint = model_.joints[at(tree_.steps[k].joint)];
      if (!as_they_are && !rows_[k].empty()) {
        lose("mjcf-name", joint.where, "joints of one body are read as others, because of how they are called",
             "give them names without .angle, .travel, .turn, .x, .y and .z at the end", joint.name);
      } else if (rows_[k].size() > 1) {
        lose("mjcf-split", joint.where, "joints become several joints of one body; reading them gives one joint again",
             "nothing needs to be done", joint.name);
      }
    }
  }

  // Reading calls a body between two joints "body/joint", and draws it where the body is.
  void tell_what_is_folded(std::size_t s) {
    const WrittenStep& host = tree_.steps[s];
    for (std::size_t k = tree_.begin_of_chain(s); k < s; ++k) {
      const WrittenStep& step = tree_.steps[k];
      const Body& body = model_.bodies[at(step.body)];
      const bool moved = norm(step.X_WC.p - host.X_WC.p) + norm(step.X_WC.R.ex - host.X_WC.R.ex) +
                             norm(step.X_WC.R.ey - host.X_WC.R.ey) >
                         1e-12 * (1 + norm(host.X_WC.p));
      const std::string read = names_of_bodies_[at(host.body)] + "/" + model_.joints[at(step.joint)].name;
      if (!moved && body.name == read && !rows_[k].empty() && !rows_[k + 1].empty()) continue;
      lose("mjcf-folded", body.where,
           "bodies without mass between joints become joints of one body, and get another name and frame when read",
           "nothing needs to be done: MuJoCo would refuse them", body.name);
    }
  }

  // --- bodies -------------------------------------------------------------------------------------------------------

  void write_bodies() {
    std::vector<int> open;  // bodies whose element is not closed yet
    for (std::size_t s = 0; s < tree_.steps.size(); ++s) {
      if (!tree_.is_written(s)) continue;
      const WrittenStep& step = tree_.steps[s];
      const std::size_t begin = tree_.begin_of_chain(s);
      const WrittenStep& first = tree_.steps[begin];
      while (!open.empty() && open.back() != first.parent) close_body(open);
      const int depth = static_cast<int>(open.size()) + 2;
      if (at(depth) + 2 > deepest) {
        const Body& body = model_.bodies[at(step.body)];
        return error(body.where, "xml-too-deep",
                     fmt::format("body {} hangs on {} others; an element of MJCF may be in {} others at most",
                                 quote(body.name), open.size(), deepest - 1),
                     "write the native format or URDF");
      }
      line(depth,
           Tag("body").put("name", names_of_bodies_[at(step.body)]).put_pose(first.X_PJ * inverse(first.X_CJ)).open());
      write_inertial(model_.bodies[at(step.body)], depth + 1);
      for (std::size_t k = begin; k <= s; ++k) write_joints(k, depth + 1);
      write_geoms(model_.bodies[at(step.body)], depth + 1);
      write_outputs(step.body, depth + 1);
      open.push_back(step.body);
    }
    while (!open.empty()) close_body(open);
  }
  void close_body(std::vector<int>& open) {
    open.pop_back();
    line(static_cast<int>(open.size()) + 2, "</body>");
  }

  void write_inertial(const Body& body, int depth) {
    if (body.mass == 0 && body.inertia == Sym3d{}) return;
    const Sym3d& I = body.inertia;
    Tag tag("inertial");
    tag.put("pos", three(body.com)).put("mass", shortest(body.mass));
    if (I.xy == 0 && I.xz == 0 && I.yz == 0) {
      tag.put("diaginertia", numbers({I.xx, I.yy, I.zz}));
    } else {
      tag.put("fullinertia", numbers({I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}));
    }
    line(depth, tag.alone());
  }

  void write_joints(std::size_t s, int depth) {
    const Joint& joint = model_.joints[at(tree_.steps[s].joint)];
    const JointProperties& p = joint.properties;
    for (std::size_t k = 0; k < rows_[s].size(); ++k) {
      const WrittenJoint& part = rows_[s][k];
      const bool several = part.type == Type::ball || part.type == Type::free;
      // One number for all axes, or nothing.
      const auto value = [&](const std::vector<double>& list) {
        if (part.dof < 0 || list.empty()) return 0.0;
        if (several || std::holds_alternative<Free>(joint.type)) return all_equal(list) ? list.front() : 0.0;
        return entry(list, part.dof);
      };
      const double damping = value(p.viscous);
      const bool is_free = std::holds_alternative<Free>(joint.type);
      const double armature = is_free ? 0 : value(p.armature), dry = is_free ? 0 : value(p.dry);
      if (part.type == Type::free && damping == 0) {
        line(depth, Tag("freejoint").put("name", row_names_[s][k]).alone());
        continue;
      }
      Tag tag("joint");
      tag.put("name", row_names_[s][k]);
      if (part.type != Type::hinge)
        tag.put("type", part.type == Type::slide ? "slide" : part.type == Type::ball ? "ball" : "free");
      if (part.type != Type::free && part.anchor != Vec3d{}) tag.put("pos", three(part.anchor));
      if (!several) tag.put("axis", three(part.axis));
      if (damping != 0) tag.put("damping", shortest(damping));
      if (armature != 0) tag.put("armature", shortest(armature));
      if (dry != 0) tag.put("frictionloss", shortest(dry));
      if (!several && part.dof >= 0 && !is_free) put_limits(p, part.dof, tag);
      line(depth, tag.alone());
    }
  }

  static void put_limits(const JointProperties& p, int dof, Tag& tag) {
    const double lower = at(dof) < p.lower.size() ? p.lower[at(dof)] : -infinity;
    const double upper = at(dof) < p.upper.size() ? p.upper[at(dof)] : infinity;
    if ((lower == -infinity && upper == infinity) || !(lower < upper)) return;  // none, or no room: told elsewhere
    tag.put("limited", "true");
    tag.put("range", numbers({limit_in_file(lower), limit_in_file(upper)}));
  }

  // --- shapes and points --------------------------------------------------------------------------------------------

  static bool is_mesh_of_MuJoCo(const std::string& file) {
    std::string extension = std::filesystem::path(file).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".stl" || extension == ".obj" || extension == ".msh";
  }

  void collect_meshes() {
    const auto collect = [&](const Shape& shape) {
      if (shape.kind != Shape::Kind::mesh || !mesh_index_.emplace(mesh_key(shape), meshes_.size()).second) return;
      meshes_.push_back(&shape);
      if (shape.mesh.find("://") != std::string::npos) {
        lose("mjcf-mesh", shape.where, "MuJoCo looks for meshes by plain paths, not by package:// and the like",
             "change these in the file that is written to the paths of the files", shape.mesh);
      }
      if (!is_mesh_of_MuJoCo(shape.mesh)) {
        lose("mjcf-mesh", shape.where, "MuJoCo reads meshes from files .stl, .obj and .msh only",
             "convert these with another tool, and change their names in the file that is written", shape.mesh);
      }
    };
    for (const Body& body : model_.bodies) {
      for (const auto* list : {&body.visuals, &body.collisions, &body.shapes})
        for (const Shape& shape : *list) collect(shape);
    }
  }
  using MeshKey = std::tuple<std::string_view, double, double, double>;
  static MeshKey mesh_key(const Shape& shape) { return {shape.mesh, shape.scale.x, shape.scale.y, shape.scale.z}; }

  void write_assets() {
    if (meshes_.empty()) return;
    line(1, "<asset>");
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      Tag tag("mesh");
      tag.put("name", fmt::format("mesh{}", i)).put("file", meshes_[i]->mesh);
      if (meshes_[i]->scale != Vec3d{1, 1, 1}) tag.put("scale", three(meshes_[i]->scale));
      line(2, tag.alone());
    }
    line(1, "</asset>");
  }

  // What is drawn and touched is one geom; what is only drawn touches nothing; what is only touched is in group 3, which
  // MuJoCo's viewer does not draw.
  void write_geoms(const Body& body, int depth) {
    const std::vector<Shape>& drawn = body.visuals.empty() ? body.shapes : body.visuals;
    std::unordered_set<std::string> drawn_keys, touched_keys;
    for (const Shape& shape : drawn) drawn_keys.insert(shape_key(shape));
    for (const Shape& shape : body.collisions) touched_keys.insert(shape_key(shape));
    for (const Shape& shape : drawn) write_geom(shape, body, touched_keys.contains(shape_key(shape)), 0, depth);
    for (const Shape& shape : body.collisions)
      if (!drawn_keys.contains(shape_key(shape))) write_geom(shape, body, true, 3, depth);
  }

  void write_geom(const Shape& shape, const Body& body, bool touches, int group, int depth) {
    Tag tag("geom");
    switch (shape.kind) {
      case Shape::Kind::rod:
      case Shape::Kind::cylinder:
        tag.put("type", "cylinder").put("size", numbers({shape.radius, shape.length / 2}));
        break;
      case Shape::Kind::capsule:
        tag.put("type", "capsule").put("size", numbers({shape.radius, shape.length / 2}));
        break;
      case Shape::Kind::sphere:
        tag.put("type", "sphere").put("size", shortest(shape.radius));
        break;
      case Shape::Kind::box:
        tag.put("type", "box").put("size", three(shape.size * 0.5));
        break;
      case Shape::Kind::ellipsoid:
        tag.put("type", "ellipsoid").put("size", three(shape.size));
        break;
      case Shape::Kind::mesh:
        tag.put("type", "mesh").put("mesh", fmt::format("mesh{}", mesh_index_.at(mesh_key(shape))));
        break;
      case Shape::Kind::plate:
        lose("mjcf-lost", shape.where, "plates are lost; masses are kept", "MJCF has no such shape", body.name);
        return;
    }
    const bool round = shape.kind == Shape::Kind::rod || shape.kind == Shape::Kind::cylinder ||
                       shape.kind == Shape::Kind::capsule || shape.kind == Shape::Kind::sphere;
    if (round && !(shape.radius > 0)) {
      lose("mjcf-lost", shape.where, "shapes without thickness are lost; masses are kept", "give them a radius",
           body.name);
      return;
    }
    tag.put_pose(shape.X_BS).put("mass", "0");
    if (shape.colour) {
      tag.put("rgba", numbers({shape.colour->red, shape.colour->green, shape.colour->blue, shape.colour->alpha}));
    }
    if (group != 0) tag.put("group", std::to_string(group));
    if (!touches) tag.put("contype", "0").put("conaffinity", "0");
    line(depth, tag.alone());
  }

  void write_outputs(int body, int depth) {
    const std::string& name = body < 0 ? ground_ : model_.bodies[at(body)].name;
    const auto found = outputs_on_.find(name);
    if (found == outputs_on_.end()) return;
    for (const Output* output : found->second) {
      Tag tag("site");
      tag.put("name", output->name);
      if (output->p_B != Vec3d{}) tag.put("pos", three(output->p_B));
      line(depth, tag.alone());
    }
  }

  // --- loops and couplings ------------------------------------------------------------------------------------------

  void write_equalities() {
    std::vector<std::string> lines;
    for (const int j : tree_.closures) wished_equality_names_.insert(model_.joints[at(j)].name);
    for (const Coupling& coupling : model_.couplings) wished_equality_names_.insert(coupling.name);
    for (const WrittenStep& step : tree_.steps) {
      const Joint& joint = model_.joints[at(step.joint)];
      if (const auto* screw = std::get_if<Helical>(&joint.type)) put_screw(joint, step, screw->h, lines);
    }
    for (const int j : tree_.closures) put_closure(model_.joints[at(j)], lines);
    for (const Coupling& coupling : model_.couplings) put_coupling(coupling, lines);
    if (lines.empty()) return;
    line(1, "<equality>");
    for (const std::string& text : lines) line(2, text);
    line(1, "</equality>");
  }

  void put_screw(const Joint& joint, const WrittenStep& step, double h, std::vector<std::string>& lines) {
    const std::vector<std::string>& names = row_names_[at(tree_.step_of_joint[at(step.joint)])];
    lines.push_back(Tag("joint")
                        .put("name", name_of_equality(joint.name, joint.where))
                        .put("joint1", names[1])
                        .put("joint2", names[0])
                        .put("polycoef", numbers({0, h, 0, 0, 0}))
                        .alone());
    lose("mjcf-soft", joint.where, "screws become a turn and a travel that MuJoCo ties softly",
         "nothing else can be done", joint.name);
  }

  // Loops, screws and couplings have names of one kind in MJCF.
  std::string name_of_equality(const std::string& wish, SourceLocation where) {
    const std::string name = unused(wish, equality_names_);
    if (name != wish) {
      lose("mjcf-name", where, "couplings and loops of the same name get another", "give each a name of its own", wish);
    }
    return name;
  }

  int index_of(const std::string& body) const {
    const auto found = body_index_.find(body);
    return found == body_index_.end() ? -1 : found->second;
  }

  void put_closure(const Joint& joint, std::vector<std::string>& lines) {
    if (std::holds_alternative<Free>(joint.type)) {
      lose("mjcf-lost", joint.where, "free joints that close loops are left out: they hold nothing",
           "nothing needs to be done", joint.name);
      return;
    }
    if (!can_close(joint.type)) {
      error(joint.where, "mjcf-closure",
            fmt::format("{} joint {} closes a loop, which no equality of MJCF can say", keyword(joint.type),
                        quote(joint.name)),
            "close the loop at a spherical, revolute or fixed joint: mark that one with cut");
      return;
    }
    lose("mjcf-soft", joint.where, "MuJoCo holds loops softly, not exactly", "nothing else can be done", joint.name);
    const int first = index_of(joint.first), second = index_of(joint.second);
    const auto begin = [&](const char* kind, const std::string& name) {
      Tag tag(kind);
      tag.put("name", name).put("body1", name_in_file(first));
      if (second >= 0) tag.put("body2", name_in_file(second));
      return tag;
    };
    if (std::holds_alternative<Fixed>(joint.type)) {
      const Transformd X_AB = joint.X_AF * inverse(joint.X_BM);
      const Quaternion<double> q = quaternion_of(X_AB.R);
      lines.push_back(begin("weld", name_of_equality(joint.name, joint.where))
                          .put("relpose", numbers({X_AB.p.x, X_AB.p.y, X_AB.p.z, q.w, q.x, q.y, q.z}))
                          .alone());
      return;
    }
    const Transformd X_WF = tree_.drawn(first) * joint.X_AF, X_WM = tree_.drawn(second) * joint.X_BM;
    const bool hinge = std::holds_alternative<Revolute>(joint.type);
    const double gap = norm(X_WF.p - X_WM.p) + (hinge ? norm(X_WF.R.ez - X_WM.R.ez) : 0);
    if (gap > closed) {
      error(joint.where, "mjcf-open-loop",
            fmt::format("joint {} closes a loop that is not closed where the model is drawn", quote(joint.name)),
            "draw the model with the loop closed: MJCF takes the second anchor from the drawing");
      return;
    }
    const bool at_zero = norm(X_WF.R.ex - X_WM.R.ex) + norm(X_WF.R.ey - X_WM.R.ey) < closed;
    if (!at_zero || (!hinge && joint.X_AF.R != Mat3d::identity())) {
      lose("mjcf-coordinates", joint.where,
           "joints that close loops get other coordinates: zero where the model is drawn, in the axes of the body",
           "nothing needs to be done", joint.name);
    }
    if (!hinge) {
      lines.push_back(
          begin("connect", name_of_equality(joint.name, joint.where)).put("anchor", three(joint.X_AF.p)).alone());
      return;
    }
    lose("mjcf-closure-twice", joint.where,
         "revolute joints that close loops become two points held together each; reading gives one joint again",
         "one of the six conditions is redundant in MuJoCo", joint.name);
    const double distance = std::max(anchor_distance, norm(joint.X_AF.p) / 100);
    const auto names = names_of_pair(joint.name);
    for (const std::size_t k : {0u, 1u}) {
      const Vec3d anchor = joint.X_AF.p + joint.X_AF.R.ez * ((k == 0 ? -0.5 : 0.5) * distance);
      lines.push_back(begin("connect", names[k]).put("anchor", three(anchor)).alone());
    }
  }
  std::string name_in_file(int body) const { return body < 0 ? "world" : names_of_bodies_[at(body)]; }

  // As for the parts of joints: "j.1" and "j.2", and as many "_" as it takes.
  std::array<std::string, 2> names_of_pair(const std::string& joint) {
    std::string tail;
    const auto is_taken = [&](const std::string& name) {
      return equality_names_.contains(name) || wished_equality_names_.contains(name);
    };
    const auto part = [&](int number) { return fmt::format("{}.{}{}", joint, number, tail); };
    while (is_taken(part(1)) || is_taken(part(2))) tail += '_';
    equality_names_.insert({part(1), part(2)});
    return {part(1), part(2)};
  }

  // The joint of MJCF that has a freedom of ours, or an empty name.
  std::string coordinate(const std::string& joint_name, int dof) const {
    const auto found = step_of_name_.find(joint_name);
    if (found == step_of_name_.end()) return {};
    const std::size_t s = found->second;
    if (std::holds_alternative<Free>(model_.joints[at(tree_.steps[s].joint)].type)) return {};
    for (std::size_t k = 0; k < rows_[s].size(); ++k)
      if (rows_[s][k].type != Type::ball && rows_[s][k].dof == dof) return row_names_[s][k];
    return {};
  }

  void put_coupling(const Coupling& c, std::vector<std::string>& lines) {
    const std::string leader = coordinate(c.first, c.first_dof), follower = coordinate(c.second, c.second_dof);
    if (leader.empty() || follower.empty()) {
      error(c.where, "mjcf-coupling",
            fmt::format("coupling {} is not between turns and travels of the tree", quote(c.name)),
            "couple freedoms of joints that do not close loops, and not of spherical or free ones");
      return;
    }
    lose("mjcf-soft", c.where, "MuJoCo holds couplings softly, not exactly", "nothing else can be done", c.name);
    if (c.kind != Coupling::Kind::mimic) {
      lose("mjcf-lost", c.where, "gears, racks and screws are written as equalities of joints",
           "the relation is the same", c.name);
    }
    lines.push_back(Tag("joint")
                        .put("name", name_of_equality(c.name, c.where))
                        .put("joint1", follower)
                        .put("joint2", leader)
                        .put("polycoef", numbers({c.offset, c.ratio, 0, 0, 0}))
                        .alone());
  }

  // --- drives and states --------------------------------------------------------------------------------------------

  void write_actuators() {
    std::vector<std::string> lines;
    for (const Actuator& a : model_.actuators) put_actuator(a, lines);
    if (lines.empty()) return;
    line(1, "<actuator>");
    for (const std::string& text : lines) line(2, text);
    line(1, "</actuator>");
  }

  void put_actuator(const Actuator& a, std::vector<std::string>& lines) {
    if (a.kind == Actuator::Kind::dc_motor || a.kind == Actuator::Kind::thruster || a.dof == Actuator::all_of_ball) {
      lose("mjcf-lost", a.where, "motors, thrusters and drives of whole ball joints are lost",
           "write the native format instead", a.name);
      return;
    }
    if (!a.target.empty()) {
      lose("mjcf-lost", a.where, "targets of actuators are lost", "give them as controls where the file is used",
           a.name);
    }
    std::string joint = coordinate(a.joint, a.dof);
    std::vector<double> gear{a.gear};
    if (joint.empty() && a.kind == Actuator::Kind::torque) joint = torque_about_axis(a, gear);
    if (joint.empty()) {
      lose("mjcf-lost", a.where, "drives that do not act on a turn or travel of the tree are lost",
           "nothing else can be done", a.name);
      return;
    }
    const bool damped = a.kind == Actuator::Kind::position && a.damping != 0;
    Tag tag(damped                               ? "general"
            : a.kind == Actuator::Kind::torque   ? "motor"
            : a.kind == Actuator::Kind::position ? "position"
                                                 : "velocity");
    tag.put("name", a.name).put("joint", joint);
    if (gear != std::vector<double>{1}) tag.put("gear", numbers(gear));
    if (damped) {
      tag.put("gaintype", "fixed").put("biastype", "affine").put("gainprm", shortest(a.stiffness));
      tag.put("biasprm", numbers({0, -a.stiffness, -a.damping}));
    } else if (a.kind != Actuator::Kind::torque) {
      tag.put(a.kind == Actuator::Kind::position ? "kp" : "kv",
              shortest(a.kind == Actuator::Kind::position ? a.stiffness : a.damping));
    }
    put_range("ctrl", a.control_lower, a.control_upper, tag);
    put_range("force", a.effort_lower, a.effort_upper, tag);
    lines.push_back(tag.alone());
  }

  static void put_range(const std::string& what, double lower, double upper, Tag& tag) {
    if (lower == -infinity && upper == infinity) return;
    tag.put(what + "limited", "true");
    tag.put(what + "range", numbers({limit_in_file(lower), limit_in_file(upper)}));
  }

  // A torque about an axis of a ball or free joint: along the gear, in the body's axes.
  std::string torque_about_axis(const Actuator& a, std::vector<double>& gear) const {
    const auto found = step_of_name_.find(a.joint);
    if (found == step_of_name_.end()) return {};
    const std::size_t s = found->second;
    const WrittenStep& step = tree_.steps[s];
    const bool ball = std::holds_alternative<Spherical>(model_.joints[at(step.joint)].type),
               free = rows_[s].size() == 1 && rows_[s][0].type == Type::free;
    if (step.reversed || !(ball || free) || a.dof < 0 || a.dof > 2) return {};
    const Vec3d axis = (a.dof == 0 ? step.X_CJ.R.ex : a.dof == 1 ? step.X_CJ.R.ey : step.X_CJ.R.ez) * a.gear;
    gear = {axis.x, axis.y, axis.z};
    if (free) gear.insert(gear.begin(), {0, 0, 0});
    return row_names_[s][0];
  }

  void write_keyframes() {
    std::vector<NamedState> states = model_.states;
    NamedState initial;
    for (const Joint& joint : model_.joints)
      if (!joint.q_initial.empty() || !joint.v_initial.empty())
        initial.joints.push_back({joint.name, joint.q_initial, joint.v_initial});
    if (!initial.joints.empty()) {
      std::set<std::string> names;
      for (const NamedState& state : states) names.insert(state.name);
      initial.name = unused("initial", names);
      lose("mjcf-lost", {}, "the initial state becomes a keyframe", "nothing needs to be done", initial.name);
      states.push_back(initial);
    }
    if (states.empty()) return;
    line(1, "<keyframe>");
    std::size_t numbers_left = most_key_numbers;
    for (const NamedState& state : states) {
      const std::string text = key_text(state, numbers_left);
      if (!text.empty()) line(2, text);
    }
    line(1, "</keyframe>");
  }

  // MJCF gives every coordinate in each key; one without any is the position that the file is drawn in.
  std::string key_text(const NamedState& state, std::size_t& numbers_left) {
    if (state.joints.empty()) return Tag("key").put("name", state.name).alone();
    if (numbers_left == 0) return lose_key(state);
    std::unordered_map<std::string_view, const NamedState::Entry*> given;
    for (const NamedState::Entry& entry : state.joints) given.emplace(entry.joint, &entry);
    static const NamedState::Entry zero;
    std::vector<double> qpos, qvel;
    for (const WrittenStep& step : tree_.steps) {
      const Joint& joint = model_.joints[at(step.joint)];
      const auto found = given.find(joint.name);
      const NamedState::Entry& entry = found == given.end() ? zero : *found->second;
      const WrittenState written = state_of(joint.type, step, entry.q, entry.v);
      qpos.insert(qpos.end(), written.q.begin(), written.q.end());
      qvel.insert(qvel.end(), written.v.begin(), written.v.end());
    }
    const std::size_t count = qpos.size() + (any(qvel) ? qvel.size() : 0);
    numbers_left = count < numbers_left ? numbers_left - count : 0;
    if (numbers_left == 0) return lose_key(state);
    Tag tag("key");
    tag.put("name", state.name).put("qpos", numbers(qpos));
    if (any(qvel)) tag.put("qvel", numbers(qvel));
    return tag.alone();
  }

  std::string lose_key(const NamedState& state) {
    lose("mjcf-lost", state.where,
         fmt::format("states are lost: all keys together may have {} numbers", most_key_numbers), "keep fewer states",
         state.name);
    return {};
  }

  const Model& model_;
  WrittenTree tree_;
  const std::string ground_{ground_name};
  std::vector<std::vector<WrittenJoint>> rows_;                 // per step
  std::vector<std::vector<std::string>> row_names_;             // per step
  std::unordered_map<std::string, std::size_t> names_in_file_;  // of joints
  std::vector<std::string> names_of_bodies_;
  std::vector<const Shape*> meshes_;
  std::map<MeshKey, std::size_t> mesh_index_;
  std::unordered_map<std::string_view, int> body_index_;
  std::unordered_map<std::string_view, std::size_t> step_of_name_;  // of a joint
  std::unordered_map<std::string_view, std::vector<const Output*>> outputs_on_;
  std::set<std::string> body_names_, joint_names_, equality_names_, wished_equality_names_;
  readers::Losses losses_;
  WriteResult result_;
};

}  // namespace

WriteResult write_mjcf(const Model& model) { return Writer(model).write(); }

}  // namespace trammel
