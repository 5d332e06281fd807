// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// From the editable Model to the Mechanism the kernels run on: check, choose a tree, weld bodies into links, number
// coordinates, and carry all constants into link frames.
//
//   A body b reached from body p through a joint with frames F on p and M on b:
//     weld:    X_Lb = X_Lp X_pF X_Mb                      b joins p's link L
//     moving:  X_PF = X_Lp X_pF,  X_Lb = X_Mb             b founds a link whose frame is M
//   Walked against the file's direction, p's frame is the joint's M and b's its F, and the joint is Reversed. Joints
//   along z reverse by turning both frames by π about x: Rx(π)⁻¹ Rz(−θ) Rx(π) = Rz(θ).

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <trammel/mechanism.hpp>

#include "core/dense.hpp"
#include "mechanism/compile_contacts.hpp"
#include "mechanism/link_length.hpp"
#include "mechanism/model_check.hpp"
#include "mechanism/spanning_tree.hpp"
#include "model/fluid_check.hpp"

namespace trammel {
namespace {

// A new reference point at least this often along a chain: keeps inertias taken at O from growing with the square of
// the chain's length.
constexpr int links_per_point = 16;

const Transformd turned_about_x{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {}};

bool is_along_z(const AnyJoint& joint) {
  return std::visit([]<class J>(const J&) { return along_z<J>; }, joint);
}

template <class J>
inline constexpr bool has_reversed = std::is_same_v<J, Universal> || std::is_same_v<J, Spherical> ||
                                     std::is_same_v<J, Planar> || std::is_same_v<J, Free>;

AnyJoint reversed(const AnyJoint& joint) {
  return std::visit(
      []<class J>(const J& j) -> AnyJoint {
        if constexpr (has_reversed<J>) {
          return Reversed<J>{j};
        } else if constexpr (std::is_same_v<J, Custom>) {
          return Custom{j.joint, !j.reversed};
        } else {
          return j;
        }
      },
      joint);
}

bool can_travel_far(const AnyJoint& joint) {
  if (std::holds_alternative<Helical>(joint) || std::holds_alternative<Custom>(joint)) return true;
  const std::vector<Freedom> list = freedoms(joint);
  return std::any_of(list.begin(), list.end(), [](const Freedom& f) { return f.dimension == dimension::length; });
}

bool any(const std::vector<double>& list) {
  return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
}
bool has_properties(const Joint& joint) {
  const JointProperties& p = joint.properties;
  return any(p.viscous) || any(p.dry) || any(p.armature) || std::holds_alternative<Custom>(joint.type);
}

double entry(const std::vector<double>& list, int i) { return list.empty() ? 0.0 : list[static_cast<std::size_t>(i)]; }

class Compiler {
 public:
  Compiler(const Model& model, const CompileOptions& options, Diagnostics& diagnostics)
      : model_(model), options_(options), diagnostics_(diagnostics) {}

  Mechanism run() {
    name_things();
    choose_tree();
    if (!diagnostics_.has_errors()) {
      found_links();
      number_freedoms();
      plan_kernels();
      gather_inertias();
      judge_masses();
      find_couplings();
      find_outputs();
      find_constraints();
      find_inputs();
      find_springs_and_loads();
      find_what_moves();
      compile_contacts(model_, mechanism_, diagnostics_);
      mechanism_.measures = model_.measures;
      mechanism_.measure_variables = measure_variables(model_);
      mechanism_.planar = model_.planar;
      check_plane();
      warn_of_links_without_length(model_, mechanism_, diagnostics_);
    }
    return std::move(mechanism_);
  }

 private:
  const Model& model_;
  const CompileOptions& options_;
  Diagnostics& diagnostics_;
  Mechanism mechanism_;
  SpanningTree tree_;
  std::vector<TreeEdge> edges_;
  std::vector<int> links_since_point_;  // per link

  void name_things() {
    mechanism_.name = model_.name;
    mechanism_.file = model_.file;
    mechanism_.units = model_.units;
    mechanism_.parameters.gravity = model_.gravity;
    mechanism_.body_index.emplace(ground_name, ground);
    for (const Body& body : model_.bodies) {
      mechanism_.body_index.emplace(body.name, mechanism_.body_count());
      mechanism_.bodies.push_back({.name = body.name, .where = body.where});
      mechanism_.parameters.M_C.push_back({body.mass, {}, body.inertia});
    }
    for (const Joint& joint : model_.joints) {
      mechanism_.joint_index.emplace(joint.name, mechanism_.joint_count());
      mechanism_.joints.push_back({.name = joint.name,
                                   .role = JointRole::closure,
                                   .type = joint.type,
                                   .first = mechanism_.body_index.at(joint.first),
                                   .second = mechanism_.body_index.at(joint.second),
                                   .X_AF = joint.X_AF,
                                   .X_BM = joint.X_BM,
                                   .nq = nq(joint.type),
                                   .nv = nv(joint.type),
                                   .properties = joint.properties,
                                   .q_initial = joint.q_initial,
                                   .v_initial = joint.v_initial,
                                   .where = joint.where});
    }
  }

  void choose_tree() {
    for (int j = 0; j < mechanism_.joint_count(); ++j) {
      const JointInfo& info = mechanism_.joints[j];
      const bool asked = std::find(options_.cut.begin(), options_.cut.end(), info.name) != options_.cut.end();
      edges_.push_back(
          {info.first, info.second, info.nv, model_.joints[j].cut || asked, has_properties(model_.joints[j]), asked});
    }
    const auto want = [this](const std::string& joint) {
      if (const int j = mechanism_.find_joint(joint); j >= 0) edges_[j].wanted = true;
    };
    for (const std::string& joint : options_.keep) want(joint);
    for (const Input& input : model_.inputs) want(input.joint);
    for (const Coupling& coupling : model_.couplings) want(coupling.first), want(coupling.second);
    for (const Spring& spring : model_.springs) want(spring.joint);
    for (const Drive& drive : model_.drives) want(drive.joint);
    for (const Actuator& actuator : model_.actuators) want(actuator.joint);
    for (const Impact& impact : model_.impacts) want(impact.joint);
    for (const Event& event : model_.events) {  // what is opened or closed must close a loop
      if (const int j = mechanism_.find_joint(event.target); j >= 0) edges_[j].cut = true;
    }
    tree_ = find_spanning_tree(mechanism_.body_count(), edges_);
    std::vector<char> has_joint(mechanism_.bodies.size(), 0), closes(edges_.size(), 0);
    for (const TreeEdge& edge : edges_) {
      if (edge.first != ground) has_joint[edge.first] = 1;
      if (edge.second != ground) has_joint[edge.second] = 1;
    }
    for (int b = 0; b < mechanism_.body_count(); ++b) {
      if (tree_.parent[b] == SpanningTree::not_reached) report_unreached(b, has_joint[b] != 0);
    }
    for (const int e : tree_.closures) {
      mechanism_.loops.push_back({e, find_loop(tree_, edges_[e])});
      closes[e] = 1;
      report_lost_properties(e);
    }
    for (int e = 0; e < static_cast<int>(edges_.size()); ++e) report_useless_cut(e, closes[e] != 0);
    mechanism_.bodies_base_to_tip = tree_.base_to_tip;
  }

  void report_unreached(int b, bool has_joint) {
    const BodyInfo& body = mechanism_.bodies[b];
    diagnostics_.error(
        body.where, "body-not-joined",
        has_joint ? fmt::format("body '{}' is joined to other bodies but none of them to the ground", body.name)
                  : fmt::format("body '{}' is joined to nothing", body.name),
        fmt::format("join it to a body, or let it float: {{free: [ground, {}]}}", body.name));
  }

  void report_useless_cut(int e, bool closes) {
    const JointInfo& info = mechanism_.joints[e];
    const bool stands_back = std::any_of(mechanism_.loops.begin(), mechanism_.loops.end(), [&](const Loop& loop) {
      const bool around = std::find(loop.joints.begin(), loop.joints.end(), e) != loop.joints.end();
      return around && edges_[loop.closure].cut_by_option && !edges_[e].cut_by_option;
    });
    if (edges_[e].cut && !closes && !stands_back) {
      diagnostics_.warning(info.where, "cut-not-possible",
                           fmt::format("joint '{}' was to be cut, but it is the only way to its body", info.name),
                           "leave out the cut, or add the joint that closes the loop");
    }
    if (closes && info.nv == 6) {
      diagnostics_.warning(info.where, "closure-without-effect",
                           fmt::format("free joint '{}' closes a loop: it constrains nothing", info.name),
                           "remove it, or choose another joint type");
    }
  }

  // A closure has no coordinates of its own. Friction and rotors act along its freedoms nevertheless (LoopDynamics, analyze).
  void report_lost_properties(int j) {
    const Joint& joint = model_.joints[j];
    if (std::holds_alternative<Custom>(joint.type)) {
      diagnostics_.error(
          joint.where, "closure-custom",
          fmt::format("custom joint '{}' closes a loop, but it can say nothing of what it holds", joint.name),
          "cut the loop at another joint, by cut: true or CompileOptions::cut");
    }
    if (joint.q_initial.empty() && joint.v_initial.empty()) return;
    diagnostics_.warning(
        joint.where, "closure-property",
        fmt::format(
            "joint '{}' closes a loop and has no coordinates of its own: without effect here is its initial state",
            joint.name),
        "close the loop at another joint: cut: true there, or --cut JOINT");
  }

  // Joints of a planar linkage turn about the plane's normal, and slide square to it.
  void check_plane() {
    if (!model_.planar) return;
    std::vector<std::string> others;
    for (const Joint& joint : model_.joints) {
      const Body* body = model_.find_body(joint.first);
      const Vec3d axis = body == nullptr ? joint.X_AF.R.ez : body->X_WB.R * joint.X_AF.R.ez;
      const double along = std::abs(dot(axis, model_.planar->normal));
      const bool slides = std::holds_alternative<Prismatic>(joint.type);
      const bool turns = std::holds_alternative<Revolute>(joint.type) || std::holds_alternative<Planar>(joint.type);
      if ((slides && along > 1e-9) || (turns && norm(cross(axis, model_.planar->normal)) > 1e-9)) {
        others.push_back(joint.name);
      }
    }
    if (others.empty()) return;
    const Vec3d& n = model_.planar->normal;
    diagnostics_.warning(
        model_.joints[static_cast<std::size_t>(mechanism_.find_joint(others.front()))].where, "planar-plane",
        fmt::format("the linkage is to be planar with the normal ({:.6g}, {:.6g}, {:.6g}), but {} {} not "
                    "move in that plane",
                    n.x, n.y, n.z, fmt::join(others, ", "), others.size() == 1 ? "does" : "do"),
        "give planar: the direction of the joints' axes, or leave it out");
  }

  void found_links() {
    Parameters<double>& par = mechanism_.parameters;
    par.X_LB.resize(model_.bodies.size());
    par.X_LC.resize(model_.bodies.size());
    for (const int b : tree_.base_to_tip) {
      const int p = tree_.parent[b], j = tree_.joint[b];
      JointInfo& info = mechanism_.joints[j];
      info.reversed = info.first != p;
      Transformd X_pF = info.reversed ? info.X_BM : info.X_AF;
      Transformd X_bM = info.reversed ? info.X_AF : info.X_BM;
      AnyJoint type = info.type;
      if (info.reversed && is_along_z(type)) {
        X_pF = X_pF * turned_about_x;
        X_bM = X_bM * turned_about_x;
      } else if (info.reversed) {
        type = reversed(type);
      }

      BodyInfo& body = mechanism_.bodies[b];
      const int parent_link = p == ground ? ground : mechanism_.bodies[p].link;
      const Transformd X_LF = p == ground ? X_pF : par.X_LB[p] * X_pF;
      body.parent = p;
      body.joint = j;
      if (info.nv == 0) {
        info.role = JointRole::weld;
        body.link = parent_link;
        par.X_LB[b] = X_LF * inverse(X_bM);
      } else {
        info.role = JointRole::tree;
        body.link = info.link = mechanism_.link_count();
        par.X_LB[b] = inverse(X_bM);
        par.X_PF.push_back(X_LF);
        add_link(parent_link, b, j, type);
      }
      // Straight to C: an inertia taken at a body's origin far away would lose its digits.
      par.X_LC[b] = {par.X_LB[b].R, par.X_LB[b] * model_.bodies[b].com};
    }
  }

  void add_link(int parent, int body, int joint, const AnyJoint& type) {
    Link link{.parent = parent, .body = body, .joint = joint, .type = type, .nq = nq(type), .nv = nv(type)};
    const int since = parent == ground ? 0 : links_since_point_[parent] + 1;
    link.opens_point = parent == ground || can_travel_far(type) || since >= links_per_point;
    link.point = link.opens_point ? mechanism_.points++ : mechanism_.links[parent].point;
    links_since_point_.push_back(link.opens_point ? 0 : since);
    mechanism_.has_custom_joint = mechanism_.has_custom_joint || std::holds_alternative<Custom>(type);
    mechanism_.links.push_back(link);
  }

  void number_freedoms() {
    Parameters<double>& par = mechanism_.parameters;
    for (int l = 0; l < mechanism_.link_count(); ++l) {
      Link& link = mechanism_.links[l];
      JointInfo& info = mechanism_.joints[link.joint];
      link.q = info.q = mechanism_.nq;
      link.v = info.v = mechanism_.nv;
      mechanism_.nq += link.nq;
      mechanism_.nv += link.nv;
      const JointProperties& properties = model_.joints[link.joint].properties;
      for (int i = 0; i < link.nv; ++i) {
        mechanism_.link_of_dof.push_back(l);
        mechanism_.dof_names.push_back(fmt::format("{}.{}", info.name, i));
        par.armature.push_back(entry(properties.armature, i));
        par.viscous.push_back(entry(properties.viscous, i));
        par.dry.push_back(entry(properties.dry, i));
        par.dry_speed.push_back(properties.dry_speed);
      }
    }
  }

  void plan_kernels() {
    for (const BodyInfo& body : mechanism_.bodies) mechanism_.link_of_body.push_back(body.link);
    std::vector<TreeLink>& links = mechanism_.tree_links;
    for (const Link& link : mechanism_.links) {
      TreeLink view{.parent = link.parent,
                    .kind = static_cast<int>(link.type.index()),
                    .q = link.q,
                    .nq = link.nq,
                    .v = link.v,
                    .nv = link.nv,
                    .joint = link.joint,
                    .point = link.point,
                    .opens_point = link.opens_point};
      std::visit(
          [&view]<class J>(const J& joint) {
            if constexpr (!std::is_same_v<J, Custom>) view.set_joint(joint);
          },
          link.type);
      view.line = static_cast<int>(links.size());
      if (link.parent != ground && !link.opens_point) {
        const TreeLink& parent = links[static_cast<std::size_t>(link.parent)];
        if (parent.v + parent.nv == link.v) view.line = parent.line;
      }
      links.push_back(view);
    }
    for (std::size_t l = links.size(); l-- > 0;) {
      links[l].end_v = std::max(links[l].end_v, links[l].v + links[l].nv);
      if (links[l].parent == ground) continue;
      TreeLink& parent = links[static_cast<std::size_t>(links[l].parent)];
      parent.end_v = std::max(parent.end_v, links[l].end_v);
      links[l].is_last_child = !parent.has_children;
      parent.has_children = true;
    }
  }

  void gather_inertias() {
    Parameters<double>& par = mechanism_.parameters;
    par.inertia.resize(mechanism_.links.size());
    const auto for_each_body_of_link = [this](auto&& f) {
      for (int b = 0; b < mechanism_.body_count(); ++b) {
        if (const int link = mechanism_.bodies[b].link; link != ground) f(b, mechanism_.parameters.inertia[link]);
      }
    };
    for_each_body_of_link([&](int b, LinkInertia<double>& of_link) {
      of_link.mass += par.M_C[b].mass;
      of_link.com += par.X_LC[b].p * par.M_C[b].mass;
    });
    for (LinkInertia<double>& of_link : par.inertia) {
      if (of_link.mass > 0) of_link.com = of_link.com * (1 / of_link.mass);
    }
    for_each_body_of_link([&](int b, LinkInertia<double>& of_link) {
      of_link.I_C += rotate(par.X_LC[b].R, par.M_C[b].I) +
                     RigidInertia<double>::point_inertia(par.M_C[b].mass, par.X_LC[b].p - of_link.com);
    });
  }

  // Dynamics needs inertia along every freedom. The articulated inertia is never more than the composite one (all
  // joints beyond held still), so where the composite vanishes at the design position nothing can be computed.
  void judge_masses() {
    const Parameters<double>& par = mechanism_.parameters;
    std::vector<RigidInertia<double>> composite;
    for (const LinkInertia<double>& of_link : par.inertia) composite.push_back(of_link.at_origin());
    std::vector<char> has_children(mechanism_.links.size(), 0);
    for (int l = mechanism_.link_count() - 1; l >= 0; --l) {
      const Link& link = mechanism_.links[l];
      if (link.parent != ground) {
        composite[link.parent] += par.X_PF[l] * composite[l];
        has_children[link.parent] = 1;
      }
      if (!is_finite(composite[l])) return report_overflow(link, par.inertia[l], has_children[l] != 0);
      judge_link_mass(link, composite[l], has_children[l] != 0);
    }
  }

  static bool is_finite(const RigidInertia<double>& M) {
    return std::isfinite(M.mass + norm(M.h) + std::abs(M.I.xx) + std::abs(M.I.yy) + std::abs(M.I.zz));
  }

  // Each body's own numbers are finite, but what moves at a joint adds them up and takes them about the joint.
  void report_overflow(const Link& link, const LinkInertia<double>& own, bool has_children) {
    const JointInfo& joint = mechanism_.joints[link.joint];
    const BodyInfo& body = mechanism_.bodies[link.body];
    const std::vector<int>& links = mechanism_.link_of_body;
    const bool welded = std::count(links.begin(), links.end(), body.link) > 1;
    const bool with_children = has_children && is_finite(own.at_origin());
    diagnostics_.error(
        joint.where, "number-not-finite",
        fmt::format("inertia of body '{}'{}{} at joint '{}' is beyond what a double holds", body.name,
                    welded ? " and those welded to it" : "", with_children ? " and those beyond it" : "", joint.name),
        "check masses, centres of mass and units");
  }

  void judge_link_mass(const Link& link, const RigidInertia<double>& composite, bool has_children) {
    const JointInfo& joint = mechanism_.joints[link.joint];
    const std::string& body = mechanism_.bodies[link.body].name;
    const double size = composite.I.xx + composite.I.yy + composite.I.zz;
    bool has_armature = true;
    for (int i = 0; i < link.nv; ++i) has_armature = has_armature && mechanism_.parameters.armature[link.v + i] > 0;
    if (has_armature) return;
    if (composite.mass == 0 && size == 0) {
      complain_of_mass(joint.where, "mass-missing",
                       fmt::format("joint '{}' carries body '{}'{}, which has no mass", joint.name, body,
                                   has_children ? " and those beyond it" : ""),
                       fmt::format("give body '{}' a mass, a shape with density, or weld it to one that has", body));
      return;
    }
    if (smallest_inertia_ratio(link, composite) > 1e-12) return;
    const std::string what =
        fmt::format("body '{}'{} has no inertia along a freedom of joint '{}', so its acceleration is not determined",
                    body, has_children ? " with those beyond it" : "", joint.name);
    const std::string fix = fmt::format("give body '{}' a moment of inertia or the joint an armature", body);
    if (has_children) {
      diagnostics_.warning(joint.where, "inertia-missing", what + " at the design position", fix);
    } else {
      complain_of_mass(joint.where, "inertia-missing", what, fix);
    }
  }

  void complain_of_mass(SourceLocation where, const char* id, const std::string& what, const std::string& fix) {
    const bool has_mass =
        std::any_of(model_.bodies.begin(), model_.bodies.end(), [](const Body& body) { return body.mass > 0; });
    if (options_.for_dynamics && !mechanism_.loops.empty() && has_mass) {
      diagnostics_.warning(where, id, what + "; it moves only as loops make it", fix);
    } else if (options_.for_dynamics &&
               !model_.fluid.empty()) {  // bubbles have the inertia of the fluid that they move
      diagnostics_.warning(where, id, what + "; it moves only where the fluid gives it inertia", fix);
    } else if (options_.for_dynamics) {
      diagnostics_.error(where, id, what, fix);
    } else {
      diagnostics_.warning(where, id, what + "; kinematics can be computed, and forces of a motion that is given", fix);
    }
  }

  // Smallest eigenvalue of Hᵀ I H + armature, each freedom scaled by the size of the terms its entry is summed from.
  double smallest_inertia_ratio(const Link& link, const RigidInertia<double>& composite) const {
    std::array<double, Custom::max_nq> q{};
    std::array<Motion<double>, Custom::max_nv> H{};
    q_zero(link.type, q.data());
    H_FM(link.type, q.data(), std::span(H).first(static_cast<std::size_t>(link.nv)));
    Eigen::MatrixXd D(link.nv, link.nv);
    Eigen::VectorXd scale(link.nv);
    for (int i = 0; i < link.nv; ++i) {
      const Force<double> U = composite * H[i];
      for (int k = 0; k < link.nv; ++k) D(k, i) = dot(H[k], U);
      D(i, i) += mechanism_.parameters.armature[link.v + i];
      const double moment = std::abs(composite.I.xx) + std::abs(composite.I.yy) + std::abs(composite.I.zz);
      scale(i) = dot(H[i].w, H[i].w) * moment + dot(H[i].v, H[i].v) * composite.mass +
                 mechanism_.parameters.armature[link.v + i];
      if (scale(i) == 0) return 0;
    }
    const Eigen::VectorXd root = scale.cwiseSqrt().cwiseInverse();
    return dense::symmetric_eigen(root.asDiagonal() * D * root.asDiagonal()).lambda(0);
  }

  void find_couplings() {
    for (const Coupling& coupling : model_.couplings) {
      CouplingInfo info{.name = coupling.name,
                        .kind = coupling.kind,
                        .first = mechanism_.find_joint(coupling.first),
                        .second = mechanism_.find_joint(coupling.second),
                        .first_dof = coupling.first_dof,
                        .second_dof = coupling.second_dof,
                        .ratio = coupling.ratio,
                        .offset = coupling.offset,
                        .radii = coupling.radii};
      const auto has_dof = [this](int joint, int dof) {
        return joint >= 0 && dof >= 0 && dof < mechanism_.joints[joint].nv;
      };
      if (!has_dof(info.first, info.first_dof) || !has_dof(info.second, info.second_dof)) {
        diagnostics_.error(coupling.where, "joint-unknown",
                           fmt::format("coupling '{}' names a joint or freedom that is not there", coupling.name),
                           "name two freedoms of joints of the model");
      } else if (info.first == info.second && info.first_dof == info.second_dof) {
        diagnostics_.error(
            coupling.where, "coupling-to-itself",
            fmt::format("coupling '{}' couples a freedom of joint '{}' to itself", coupling.name, coupling.first),
            "name two different freedoms");
      } else {
        mechanism_.couplings.push_back(info);
      }
    }
  }

  // Body by name, or an error that names what wanted it.
  int body_named(const std::string& name, const std::string& whose, SourceLocation where) {
    const int body = mechanism_.find_body(name);
    if (body != Mechanism::not_found) return body;
    diagnostics_.error(where, "body-unknown", fmt::format("{} is on a body '{}' that is not there", whose, name),
                       "name a body of the model");
    return ground;
  }
  int joint_named(const std::string& name, int dof, const std::string& whose, SourceLocation where) {
    const int joint = mechanism_.find_joint(name);
    if (joint < 0) {
      diagnostics_.error(where, "joint-unknown", fmt::format("{} names a joint '{}' that is not there", whose, name),
                         "name a joint of the model");
    } else if (dof < 0 || dof >= mechanism_.joints[joint].nv) {
      diagnostics_.error(
          where, "joint-unknown",
          fmt::format("{} names freedom {} of joint '{}', which has {}", whose, dof, name, mechanism_.joints[joint].nv),
          "count freedoms from 0");
    } else if (mechanism_.joints[joint].nq != mechanism_.joints[joint].nv) {
      diagnostics_.error(
          where, "joint-without-angles",
          fmt::format("{} wants a coordinate of joint '{}', which is {} and has none that can be told apart", whose,
                      name, keyword(mechanism_.joints[joint].type)),
          "name a joint with angles or travels of its own");
    }
    return joint;
  }

  void find_constraints() {
    for (const Constraint& constraint : model_.constraints) {
      const std::string whose = fmt::format("constraint '{}'", constraint.name);
      mechanism_.constraints.push_back({.name = constraint.name,
                                        .type = constraint.type,
                                        .rows = static_cast<int>(dimensions(constraint.type).size()),
                                        .first = body_named(constraint.first, whose, constraint.where),
                                        .second = body_named(constraint.second, whose, constraint.where),
                                        .X_AP = constraint.X_AP,
                                        .X_BQ = constraint.X_BQ,
                                        .where = constraint.where});
      count_turns_from_design(mechanism_.constraints.back());
    }
  }

  // What rolls has its arcs counted from the design position.
  void count_turns_from_design(ConstraintInfo& info) {
    const auto design_pose = [this](int body) { return body == ground ? Transformd{} : model_.bodies[body].X_WB; };
    const Transformd X_PQ = inverse(design_pose(info.first) * info.X_AP) * (design_pose(info.second) * info.X_BQ);
    std::visit(
        [&]<class C>(C& constraint) {
          if constexpr (requires { constraint.phase; }) {
            const double none[max_constraint_angles] = {};
            double phi[max_constraint_rows] = {};
            const double given = constraint.phase;
            constraint.phase = 0;
            constraint.residual(X_PQ, none, phi);
            constraint.phase = given + phi[0];
          }
        },
        info.type);
  }

  void find_inputs() {
    for (const Input& input : model_.inputs) {
      mechanism_.inputs.push_back({joint_named(input.joint, input.dof, "an input", input.where), input});
    }
  }

  // Names in an expression become places in Mechanism::state_variables.
  void find_uses(StateFunction& function, const std::string& whose, SourceLocation where) {
    if (function.uses.size() > StateFunction::most_uses) {
      diagnostics_.error(where, "expression-wrong", fmt::format("the expression of {} has too many variables", whose),
                         fmt::format("use {} at most", StateFunction::most_uses));
      function.uses.clear();
    }
    for (StateFunction::Use& use : function.uses) {
      const auto& all = mechanism_.state_variables;
      const auto found =
          std::find_if(all.begin(), all.end(), [&use](const auto& v) { return v.settings.name == use.name; });
      use.index = found == all.end() ? 0 : static_cast<int>(found - all.begin());
      if (found != all.end()) continue;
      diagnostics_.error(where, "expression-wrong", fmt::format("{} uses '{}', which is not there", whose, use.name),
                         "name a coordinate of a joint, its rate, or a place of an output");
    }
  }

  // Drives, actuators, events.
  void find_what_moves() {
    for (const Drive& drive : model_.drives) {
      const std::string whose = fmt::format("drive '{}'", drive.name);
      const int j = joint_named(drive.joint, drive.dof, whose, drive.where);
      if (j >= 0 && mechanism_.joints[j].role == JointRole::closure) {
        diagnostics_.error(drive.where, "drive-of-closure", fmt::format("{} moves a joint that closes a loop", whose),
                           "cut the loop at another joint");
      }
      mechanism_.drives.push_back({j, drive});
    }
    for (const Actuator& actuator : model_.actuators) {
      const std::string whose = fmt::format("actuator '{}'", actuator.name);
      ActuatorInfo info{.settings = actuator};
      if (actuator.kind == Actuator::Kind::thruster) {
        info.body = body_named(actuator.thruster.at.body, whose, actuator.where);
      } else {
        info.joint = driven_joint(actuator, whose);
      }
      mechanism_.actuators.push_back(info);
    }
    for (const Event& event : model_.events) {
      const std::string whose = fmt::format("event '{}'", event.name);
      EventInfo info{.settings = event};
      find_uses(info.settings.when, whose, event.where);
      const bool captures = event.action == Event::Action::capture;
      const bool switches = captures || event.action == Event::Action::open || event.action == Event::Action::close;
      const auto named = [&event](const auto& item) { return item.name == event.target; };
      const auto place = [&named](const auto& list) {
        const auto found = std::find_if(list.begin(), list.end(), named);
        return found == list.end() ? -1 : static_cast<int>(found - list.begin());
      };
      if (switches) {
        info.joint = place(mechanism_.joints);
        if (info.joint < 0 && !captures) info.coupling = place(mechanism_.couplings);
        if (info.joint < 0 && info.coupling < 0 && !captures) info.constraint = place(mechanism_.constraints);
        const bool found = info.joint >= 0 || info.coupling >= 0 || info.constraint >= 0;
        if (!found || (info.joint >= 0 && mechanism_.joints[info.joint].role != JointRole::closure)) {
          diagnostics_.error(
              event.where, "event-target",
              fmt::format("{} switches '{}', which {}", whose, event.target, found ? "closes no loop" : "is not there"),
              captures ? "let the grasped body have another joint too, such as {free: [ground, body]}"
                       : "name a joint that closes a loop, a coupling or a constraint");
        } else if (captures) {
          mechanism_.joints[info.joint].starts_open = true;
        }
      }
      mechanism_.events.push_back(std::move(info));
    }
    for (const Impact& impact : model_.impacts) find_impact(impact);
    mechanism_.simulate = model_.simulate;
    mechanism_.fluid = model_.fluid;
    if (model_.fluid.empty()) return;
    for (const Body& body : model_.bodies) mechanism_.hydrodynamics.push_back(hydrodynamics_of(body));
  }

  // Contacts that it makes hard are found by compile_contacts.
  void find_impact(const Impact& impact) {
    const std::string whose = fmt::format("impact '{}'", impact.name);
    ImpactInfo info{.settings = impact};
    if (!(impact.restitution >= 0 && impact.restitution <= 1)) {
      diagnostics_.error(
          impact.where, "share-range",
          fmt::format("restitution of {} is {}, which is not between 0 and 1", whose, impact.restitution),
          "0 is plastic, 1 is elastic");
    }
    if (!(impact.friction.value_or(0) >= 0) || !(impact.rest > 0) || !std::isfinite(impact.rest)) {
      diagnostics_.error(
          impact.where, "impact-wrong",
          fmt::format("{} has a friction that is negative or a speed of rest that is not positive", whose),
          "mend its numbers");
    }
    if (!impact.joint.empty()) {
      info.joint = joint_named(impact.joint, impact.dof, whose, impact.where);
      if (info.joint >= 0) check_hard_limit(impact, mechanism_.joints[info.joint], whose);
    }
    mechanism_.impacts.push_back(std::move(info));
  }

  void check_hard_limit(const Impact& impact, const JointInfo& joint, const std::string& whose) {
    const auto has = [&impact](const std::vector<double>& limits) {
      return !limits.empty() && std::isfinite(limits[static_cast<std::size_t>(impact.dof)]);
    };
    const bool lower = has(joint.properties.lower), upper = has(joint.properties.upper);
    using Side = Impact::Side;
    const bool there = impact.side == Side::lower ? lower : impact.side == Side::upper ? upper : lower || upper;
    if (there) return;
    diagnostics_.error(
        impact.where, "impact-no-limit",
        fmt::format("{} is at {}limit of joint '{}', which has none", whose,
                    impact.side == Side::both ? "a " : fmt::format("the {} ", keyword(impact.side)), joint.name),
        "give the joint limits: {lower: …, upper: …}");
  }

  // Torques act on any freedom, positions are those of joints that have them.
  int driven_joint(const Actuator& actuator, const std::string& whose) {
    const int j = mechanism_.find_joint(actuator.joint);
    if (j >= 0 && actuator.dof == Actuator::all_of_ball) {
      if (mechanism_.joints[j].nq == 4 && mechanism_.joints[j].nv == 3) return j;
      diagnostics_.error(actuator.where, "joint-unknown",
                         fmt::format("{} drives all of joint '{}', which is no ball joint", whose, actuator.joint),
                         "name one of its freedoms");
      return j;
    }
    const bool by_rate = actuator.kind == Actuator::Kind::torque || actuator.kind == Actuator::Kind::velocity ||
                         (actuator.kind == Actuator::Kind::dc_motor && !actuator.motor.is_servo);
    if (j >= 0 && by_rate && actuator.dof >= 0 && actuator.dof < mechanism_.joints[j].nv) return j;
    return joint_named(actuator.joint, actuator.dof, whose, actuator.where);
  }

  void find_springs_and_loads() {
    for (const StateVariable& variable : state_variables(model_)) {
      StateVariableInfo info{.settings = variable};
      if (variable.kind == StateVariable::Kind::output) {
        const auto named = [&variable](const OutputInfo& output) { return output.name == variable.of; };
        const auto found = std::find_if(mechanism_.outputs.begin(), mechanism_.outputs.end(), named);
        info.output = static_cast<int>(found - mechanism_.outputs.begin());
      } else {
        info.joint = mechanism_.find_joint(variable.of);
      }
      mechanism_.state_variables.push_back(info);
    }
    for (const Spring& spring : model_.springs) {
      const std::string whose = fmt::format("spring '{}'", spring.name);
      SpringInfo info{.settings = spring};
      if (spring.joint.empty()) {
        info.first = body_named(spring.first.body, whose, spring.where);
        info.second = body_named(spring.second.body, whose, spring.where);
      } else {
        info.joint = joint_named(spring.joint, spring.dof, whose, spring.where);
      }
      mechanism_.springs.push_back(info);
    }
    for (const Bushing& bushing : model_.bushings) {
      const std::string whose = fmt::format("bushing '{}'", bushing.name);
      mechanism_.bushings.push_back(
          {body_named(bushing.first, whose, bushing.where), body_named(bushing.second, whose, bushing.where), bushing});
    }
    for (const Load& load : model_.loads) {
      const std::string whose = fmt::format("load '{}'", load.name);
      LoadInfo info{.body = body_named(load.at.body, whose, load.where), .settings = load};
      if (info.settings.size) find_uses(*info.settings.size, whose, load.where);
      for (int i = 0; info.settings.components && i < 3; ++i) {
        find_uses((*info.settings.components)[static_cast<std::size_t>(i)], whose, load.where);
      }
      if (!load.bound_to.empty()) {
        const auto other = std::find_if(model_.loads.begin(), model_.loads.end(), [&](const Load& l) {
          return l.name == load.bound_to && !l.size && l.bound_to.empty();
        });
        if (other == model_.loads.end()) {
          diagnostics_.error(
              load.where, "load-unknown",
              fmt::format("{} is bound to '{}', which is no resisting load of its own", whose, load.bound_to),
              "name a load that has no size and is bound to no other");
        } else {
          info.bound_to = static_cast<int>(other - model_.loads.begin());
        }
      }
      mechanism_.loads.push_back(info);
    }
  }

  void find_outputs() {
    for (const Output& output : model_.outputs) {
      const int body = mechanism_.find_body(output.body);
      if (body == Mechanism::not_found) {
        diagnostics_.error(output.where, "body-unknown",
                           fmt::format("output '{}' is on a body '{}' that is not there", output.name, output.body),
                           "name a body of the model");
      } else {
        mechanism_.outputs.push_back({output.name, body, output.p_B});
      }
    }
  }
};

}  // namespace

CompileResult compile(const Model& model, const CompileOptions& options) {
  CompileResult result;
  result.diagnostics.file = model.file;
  check_model(model, options, result.diagnostics);
  if (!result.diagnostics.has_errors()) {
    result.mechanism = Compiler(model, options, result.diagnostics).run();
  }
  return result;
}

Mechanism::Mechanism() = default;
Mechanism::Mechanism(const Mechanism&) = default;
Mechanism::Mechanism(Mechanism&&) noexcept = default;
Mechanism& Mechanism::operator=(const Mechanism&) = default;
Mechanism& Mechanism::operator=(Mechanism&&) noexcept = default;
Mechanism::~Mechanism() = default;

int Mechanism::find_body(std::string_view body_name) const {
  const auto found = body_index.find(std::string(body_name));
  return found == body_index.end() ? not_found : found->second;
}

int Mechanism::find_joint(std::string_view joint_name) const {
  const auto found = joint_index.find(std::string(joint_name));
  return found == joint_index.end() ? not_found : found->second;
}

}  // namespace trammel
