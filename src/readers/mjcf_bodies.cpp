// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// <worldbody>: bodies in bodies, each with joints to the body around it. Frames only move and class what stands in them;
// they are taken apart here. Bodies are read in MuJoCo's order, a body before those in it, so that the coordinates of
// keyframes can be told apart. No function here calls itself: the depth of a file is not that of the stack.

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "core/dense.hpp"
#include "model/inertia_check.hpp"
#include "readers/mjcf_geoms.hpp"
#include "readers/mjcf_joints.hpp"

namespace trammel::readers::mjcf {

namespace {

// An element of a body, or of a frame in it.
struct Part {
  const Element* element = nullptr;
  Transformd X_BF;
  std::string class_name;
};

struct Visit {
  Part part;        // its element is the <body>; its frame is in the parent
  int parent = -1;  // in model.bodies; −1 is the world
  bool parent_moves = false;
};

class WorldReader {
 public:
  WorldReader(Reading& r, const std::vector<const Element*>& sections) : r_(r), sections_(sections) {}

  void run(const std::vector<std::string>& closures) {
    gather_names();
    named_joints_ = joint_names_;
    for (const std::string& name : closures) joint_names_.emplace(name, joint_names_.size());
    std::vector<Visit> open;
    for (const Element* section : sections_) {
      read_world_parts(take_apart(*section, child_class(*section, {}, "the world")), open);
    }
    std::reverse(open.begin(), open.end());
    while (!open.empty()) {
      const Visit visit = std::move(open.back());
      open.pop_back();
      read_body(visit, open);
    }
    scale_to_total_mass();
  }

 private:
  // --- names --------------------------------------------------------------------------------------------------------

  void gather_names() {
    std::vector<const Element*> open(sections_.rbegin(), sections_.rend());
    while (!open.empty()) {
      const Element& element = *open.back();
      open.pop_back();
      for (auto child = element.children.rbegin(); child != element.children.rend(); ++child) open.push_back(&*child);
      const Attribute* name = element.find("name");
      if (name == nullptr || name->value.empty()) continue;
      if (element.name == "body") gather(*name, "body", "bodies", body_names_);
      if (element.name == "joint" || element.name == "freejoint") {
        gather(*name, "joint", "joints", joint_names_);
        if (const std::size_t dot = name->value.rfind('.'); dot != std::string::npos)
          stems_.insert(name->value.substr(0, dot));
      }
      if (element.name == "site") gather(*name, "site", "sites", site_names_);
    }
  }

  using Names = std::unordered_map<std::string, std::size_t>;

  void gather(const Attribute& name, const char* kind, const char* plural, Names& names) {
    if (!names.emplace(name.value, names.size()).second) {
      r_.report.error(name.place, "name-duplicate",
                      fmt::format("there are two {} called {}", plural, quote(name.value)), "rename one of them");
    } else if (name.value == "world" && std::string_view(kind) == "body") {
      r_.report.error(name.place, "name-reserved", "a body is called 'world', which is what MuJoCo calls the world",
                      "choose another name");
    }
  }

  std::string new_name(const std::string& wish, Names& names) {
    const std::string name = free_name(wish, names);
    names.emplace(name, names.size());
    return name;
  }

  std::string name_of_body(const Element& element, int number) {
    const Attribute* name = element.find("name");
    if (name == nullptr || name->value.empty()) return new_name(fmt::format("body{}", number), body_names_);
    if (name->value != ground_name) return name->value;
    const std::string other = new_name("ground_body", body_names_);
    r_.report.warning(
        name->place, "name-changed",
        fmt::format("a body is called 'ground', which means the world here; it is called {} now", quote(other)),
        "choose another name");
    return other;
  }

  // --- frames and classes -------------------------------------------------------------------------------------------

  std::string child_class(const Element& element, const std::string& inherited, const std::string& subject) {
    const Attribute* given = element.find("childclass");
    if (given == nullptr) return inherited;
    if (r_.defaults.has(given->value)) return given->value;
    r_.report.error(given->place, "class-unknown",
                    fmt::format("{} has a childclass {} that is not there", subject, quote(given->value)),
                    r_.report.guess_or(given->value, r_.defaults.names(),
                                       "add <default class=\"…\"> for it, or delete the attribute"));
    return inherited;
  }

  // What stands in a body, with frames taken apart, in the order of the file.
  std::vector<Part> take_apart(const Element& body, const std::string& class_name) {
    std::vector<Part> parts;
    std::vector<Part> open;
    const auto push_children = [&](const Element& element, const Transformd& X, const std::string& its_class) {
      for (auto child = element.children.rbegin(); child != element.children.rend(); ++child)
        open.push_back({&*child, X, its_class});
    };
    push_children(body, {}, class_name);
    while (!open.empty()) {
      Part part = std::move(open.back());
      open.pop_back();
      if (part.element->name != "frame") {
        parts.push_back(std::move(part));
        continue;
      }
      const Item item(*part.element, Reading::subject(*part.element, "frame"));
      push_children(*part.element, part.X_BF * read_pose(r_, item),
                    child_class(*part.element, part.class_name, item.subject()));
    }
    return parts;
  }

  void refuse_generators(const Part& part) {
    const std::string& name = part.element->name;
    if (name != "composite" && name != "flexcomp" && name != "replicate" && name != "attach") return;
    r_.report.error(
        part.element->place, "not-yet",
        fmt::format("<{}> makes bodies, which cannot be read yet, and without them answers would be wrong", name),
        "save the model with MuJoCo, which writes the bodies in full, and read that");
  }

  // --- the world itself ---------------------------------------------------------------------------------------------

  void read_world_parts(const std::vector<Part>& parts, std::vector<Visit>& open) {
    std::vector<Visit> bodies;
    for (const Part& part : parts) {
      const std::string& name = part.element->name;
      refuse_generators(part);
      if (name == "body") bodies.push_back({part, -1, false});
      if (name == "geom")
        r_.report.leave_out(part.element->place, "a geom of the world", "the ground has no shape here");
      if (name == "site") read_site(part, std::string(ground_name), "the world");
      if (name == "joint" || name == "freejoint" || name == "inertial") {
        r_.report.error(part.element->place, "world-moves", fmt::format("the world cannot have <{}>", name),
                        "put it into a <body>");
      }
    }
    open.insert(open.end(), bodies.begin(), bodies.end());
  }

  void read_site(const Part& part, const std::string& body, const std::string& subject) {
    const Item item = r_.item(*part.element, part.class_name, Reading::subject(*part.element, "site", subject));
    Transformd X_FS = item.has("fromto") ? Transformd{} : read_pose(r_, item);
    if (const auto n = read_numbers(r_.report, item, "fromto", 6))
      X_FS.p = (Vec3d{(*n)[0], (*n)[1], (*n)[2]} + Vec3d{(*n)[3], (*n)[4], (*n)[5]}) * 0.5;
    for (const char* orientation : {"quat", "axisangle", "xyaxes", "zaxis", "euler", "fromto"}) {
      if (!item.has(orientation)) continue;
      r_.report.leave_out(item.place(), "the orientation of a site",
                          "points have none here; where an equality ties sites, it counts");
      break;
    }
    const Transformd X_BS = part.X_BF * X_FS;
    const std::string name = read_text(item, "name");
    if (!name.empty()) r_.sites[name] = {body, X_BS};
    r_.model.outputs.push_back(
        {name.empty() ? new_name(fmt::format("site{}", r_.model.outputs.size()), site_names_) : name, body, X_BS.p,
         r_.report.in_main(item.place())});
  }

  // --- a body -------------------------------------------------------------------------------------------------------

  void read_body(const Visit& visit, std::vector<Visit>& open) {
    const Element& element = *visit.part.element;
    const std::string name = name_of_body(element, ++bodies_read_);
    const std::string subject = "body " + quote(name);
    const Item item(element, subject);
    const std::string class_name = child_class(element, visit.part.class_name, subject);
    const std::vector<Part> parts = take_apart(element, class_name);
    refuse_special_bodies(item);

    Body body;
    body.name = name;
    body.where = r_.report.in_main(element.place);
    const Transformd X_PB = visit.part.X_BF * read_pose(r_, item);
    body.X_WB = visit.parent < 0 ? X_PB : r_.model.bodies[static_cast<std::size_t>(visit.parent)].X_WB * X_PB;

    const std::vector<JointPlan> plans = read_joints(parts, visit, subject);
    const bool moves = visit.parent_moves || !plans.empty();
    read_contents(parts, body, subject, moves, X_PB.p);
    const int index = add_chain(visit.parent, X_PB, std::move(body), plans, element);
    const Attribute* file_name = element.find("name");
    if (file_name != nullptr) r_.body_index.emplace(file_name->value, static_cast<std::size_t>(index));

    std::vector<Visit> inner;
    for (const Part& part : parts) {
      refuse_generators(part);
      if (part.element->name == "body") inner.push_back({part, index, moves});
      if (part.element->name == "site") read_site(part, name, subject);
    }
    open.insert(open.end(), std::make_move_iterator(inner.rbegin()), std::make_move_iterator(inner.rend()));
  }

  void refuse_special_bodies(const Item& item) {
    const auto compensation = read_number(r_.report, item, "gravcomp");
    if (compensation && *compensation != 0) {
      r_.report.error(
          item.find("gravcomp")->place, "not-yet",
          fmt::format("{} has part of its weight taken off (gravcomp), which cannot be said here", item.subject()),
          "set gravcomp to 0");
    }
    if (read_bool(r_.report, item, "mocap").value_or(false)) {
      r_.report.warning(
          item.find("mocap")->place, "mjcf-mocap",
          fmt::format("{} is moved from outside (mocap) in MuJoCo; here it stays where it is drawn", item.subject()),
          "nothing needs to be done if it does not move");
    }
  }

  void read_contents(const std::vector<Part>& parts, Body& body, const std::string& subject, bool moves,
                     const Vec3d& pos) {
    std::vector<Geom> geoms;
    const Part* inertial = nullptr;
    const Compiler::FromGeoms from = r_.compiler.inertia_from_geoms;
    const bool has_inertial = std::any_of(parts.begin(), parts.end(),
                                          [](const Part&part) { return part.element->name == "inertial"; }),
               weighs_geoms =
                   from == Compiler::FromGeoms::always || (from == Compiler::FromGeoms::where_missing && !has_inertial);
    for (const Part& part : parts) {
      if (part.element->name == "geom") {
        const Item item = r_.item(*part.element, part.class_name, Reading::subject(*part.element, "geom", subject));
        geoms.push_back(read_geom(r_, item, part.X_BF));
        if (!weighs_geoms && geoms.back().shape) tell_weightless(r_, item);
      }
      if (part.element->name != "inertial") continue;
      if (inertial != nullptr) {
        r_.report.error(part.element->place, "element-repeated", fmt::format("{} has two <inertial>", subject),
                        "keep one of them");
      }
      inertial = &part;
    }
    for (const Geom& geom : geoms) {
      if (!geom.shape) continue;
      if (geom.drawn) body.visuals.push_back(*geom.shape);
      if (geom.collides) body.collisions.push_back(*geom.shape);
    }
    if (inertial != nullptr) read_inertial(*inertial, body, subject);
    bool has_frame = inertial != nullptr;
    if (weighs_geoms) {
      if (const auto mass = mass_of_geoms(r_, geoms, subject, moves)) {
        body.mass = mass->mass;
        body.com = mass->com;
        body.inertia = mass->inertia;
        has_frame = true;
      }
    }
    // A mass that comes from the bound alone is where MuJoCo has it: without geoms, at the body's pos, but in its own frame.
    if (!has_frame && r_.compiler.least_mass > 0) body.com = pos;
    bound_inertia(body);
    check_inertia(body, inertial == nullptr ? body.where : r_.report.in_main(inertial->element->place),
                  inertial == nullptr ? Place{} : inertial->element->place, subject);
  }

  void read_inertial(const Part& part, Body& body, const std::string& subject) {
    const Item item(*part.element, "the inertial of " + subject);
    const auto mass = read_number(r_.report, item, "mass");
    if (!item.has("mass")) report_missing(r_.report, item, "mass", "add mass=\"…\"");
    if (!item.has("pos")) report_missing(r_.report, item, "pos", "add pos=\"x y z\", the centre of mass");
    if (mass && *mass < 0) {
      r_.report.error(item.find("mass")->place, "mass-negative",
                      fmt::format("{} has a negative mass: {} kg", subject, rounded(*mass)),
                      "give a mass of 0 or more");
    }
    body.mass = mass && *mass > 0 ? *mass : 0;
    const Transformd X_BI = read_pose(r_, item);
    body.com = X_BI.p;
    const auto diagonal = read_vector(r_.report, item, "diaginertia");
    const auto full = read_numbers(r_.report, item, "fullinertia", 6);
    if (item.has("diaginertia") && item.has("fullinertia")) {
      r_.report.error(item.find("fullinertia")->place, "attribute-conflict",
                      fmt::format("{} has both 'diaginertia' and 'fullinertia'", item.subject()), "keep one of them");
    }
    if (full) {
      const auto& m = *full;
      body.inertia = {m[0], m[1], m[2], m[3], m[4], m[5]};
      for (const char* orientation : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
        if (!item.has(orientation)) continue;
        r_.report.error(item.find(orientation)->place, "attribute-conflict",
                        fmt::format("{} has both 'fullinertia' and an orientation", item.subject()),
                        "fullinertia is in the axes of the body; delete the orientation");
      }
    } else if (diagonal) {
      body.inertia = rotate(X_BI.R, Sym3d{diagonal->x, diagonal->y, diagonal->z, 0, 0, 0});
    }
  }

  // boundmass, boundinertia and balanceinertia, in that order, as MuJoCo applies them to the principal moments.
  void bound_inertia(Body& body) {
    const Compiler& c = r_.compiler;
    body.mass = std::max(body.mass, c.least_mass);
    if (c.least_inertia <= 0 && !c.balance_inertia) return;
    if (!judge_inertia(body.inertia).finite) return;
    const Sym3d& I = body.inertia;
    Eigen::Matrix3d matrix;
    matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    const auto [axes, own] = dense::symmetric_eigen(matrix);
    Eigen::Vector3d moments = own.cwiseMax(c.least_inertia);
    if (c.balance_inertia && moments[0] + moments[1] < moments[2]) moments.setConstant(moments.sum() / 3);
    if (moments == own) return;
    const Eigen::Matrix3d bounded = Eigen::Matrix3d(axes) * moments.asDiagonal() * Eigen::Matrix3d(axes).transpose();
    body.inertia = {bounded(0, 0), bounded(1, 1), bounded(2, 2), bounded(0, 1), bounded(0, 2), bounded(1, 2)};
  }

  void check_inertia(const Body& body, SourceLocation in_main, const Place& at, const std::string& subject) {
    const Place place = at.at.line > 0 ? at : Place{0, in_main};
    if (const std::string_view overflow = find_overflow(body.mass, body.com, body.inertia); !overflow.empty()) {
      r_.report.error(place, "number-not-finite",
                      fmt::format("{} of {} is beyond what a double holds", overflow, subject),
                      "check the sizes and units");
      return;
    }
    const InertiaJudgement judgement = judge_inertia(body.inertia);
    if (!judgement.negative && !judgement.triangle) return;
    const std::string moments = fmt::format("{}, {}, {} kg m²", rounded(judgement.principal.x),
                                            rounded(judgement.principal.y), rounded(judgement.principal.z));
    if (judgement.negative) {
      r_.report.error(place, "inertia-negative",
                      fmt::format("{} has a negative principal moment of inertia: {}", subject, moments),
                      "give the inertia at the centre of mass; check the signs of the products");
    } else {
      r_.report.warning(place, "inertia-triangle",
                        fmt::format("{} has principal moments {}: the largest exceeds the sum of the others, which no "
                                    "real body's does",
                                    subject, moments),
                        "check the inertia; it is used as given; MuJoCo refuses it");
    }
  }

  void scale_to_total_mass() {
    if (!(r_.compiler.total_mass > 0)) return;
    double sum = 0;
    for (const Body& body : r_.model.bodies) sum += body.mass;
    if (!(sum > 0)) return;
    const double scale = r_.compiler.total_mass / sum;
    for (Body& body : r_.model.bodies) {
      body.mass *= scale;
      body.inertia = body.inertia * scale;
    }
  }

  // --- joints -------------------------------------------------------------------------------------------------------

  std::vector<JointPlan> read_joints(const std::vector<Part>& parts, const Visit& visit, const std::string& subject) {
    drafts_.clear();
    std::size_t freedoms = 0;
    bool is_free = false;
    const Part* last = nullptr;
    for (const Part& part : parts) {
      const std::string& name = part.element->name;
      if (name != "joint" && name != "freejoint") continue;
      last = &part;
      const Item item = name == "freejoint" ? Item(*part.element, Reading::subject(*part.element, "joint", subject))
                                            : r_.item(*part.element, part.class_name,
                                                      Reading::subject(*part.element, "joint", subject));
      const auto draft = read_joint(r_, item, part.X_BF);
      if (!draft) continue;
      drafts_.push_back(*draft);
      is_free = is_free || draft->type == FileJoint::Type::free;
      freedoms += draft->type == FileJoint::Type::free ? 6 : draft->type == FileJoint::Type::ball ? 3 : 1;
    }
    if (freedoms > 6) {
      r_.report.error(last->element->place, "joint-freedoms",
                      fmt::format("the joints of {} have {} freedoms together", subject, freedoms),
                      "a body has 6 at most; a free joint leaves no room for others");
      drafts_.clear();
    }
    if (is_free && visit.parent >= 0) {
      r_.report.error(last->element->place, "joint-freedoms",
                      fmt::format("{} has a free joint but is not a body of the world", subject),
                      "put the body straight into <worldbody>");
    }
    return combine(drafts_, named_joints_);
  }

  // Adds the body and its joints; bodies without mass between the joints are called "body/joint". Returns its index.
  int add_chain(int parent, const Transformd& X_PB, Body body, const std::vector<JointPlan>& plans,
                const Element& element) {
    std::vector<Body>& bodies = r_.model.bodies;
    if (plans.empty()) {
      JointPlan weld{Fixed{}, {}, false, {}, {}, {}, element.place};
      bodies.push_back(std::move(body));
      add_joint(weld, parent, X_PB, 0, 1);
      return static_cast<int>(bodies.size()) - 1;
    }
    const Transformd X_WB = body.X_WB;
    for (std::size_t k = 0; k < plans.size(); ++k) {
      if (k + 1 < plans.size()) {
        Body between;
        const std::string part = plans[k].name.empty() ? std::to_string(k + 1) : plans[k].name;
        // NOLINTNEXTLINE(bugprone-use-after-move): it is moved only in the last turn of this loop
        between.name = new_name(fmt::format("{}/{}", body.name, part), body_names_);
        between.X_WB = X_WB;
        between.where = r_.report.in_main(plans[k].place);
        bodies.push_back(std::move(between));
        chain_of_ = body.name;
      } else {
        bodies.push_back(std::move(body));
        chain_of_ = bodies.back().name;
      }
      add_joint(plans[k], parent, X_PB, k, plans.size());
      parent = static_cast<int>(bodies.size()) - 1;
    }
    return parent;
  }

  // The joint to the body added last.
  void add_joint(const JointPlan& plan, int parent, const Transformd& X_PB, std::size_t k, std::size_t count) {
    const Body& body = r_.model.bodies.back();
    const std::string outer =
        parent < 0 ? std::string(ground_name) : r_.model.bodies[static_cast<std::size_t>(parent)].name;
    Joint joint;
    joint.type = plan.type;
    const std::string wish = count == 1 ? body.name : fmt::format("{}.{}", chain_of_, k + 1);
    if (plan.name.empty()) {
      joint.name = new_name(stems_.contains(wish) ? wish + "_joint" : wish, joint_names_);
    } else if (plan.name == ground_name) {
      joint.name = new_name("ground_joint", joint_names_);
      r_.report.warning(
          plan.place, "name-changed",
          fmt::format("a joint is called 'ground', which means the world here; it is called {} now", quote(joint.name)),
          "choose another name");
    } else {
      joint.name = plan.name;
      joint_names_.emplace(plan.name, joint_names_.size());  // of several that became one
      named_joints_.emplace(plan.name, named_joints_.size());
    }
    joint.where = r_.report.in_main(plan.place);
    joint.properties = plan.properties;
    const Transformd X_PJ = k == 0 ? X_PB * plan.X_BJ : plan.X_BJ;
    joint.first = plan.reversed ? body.name : outer;
    joint.second = plan.reversed ? outer : body.name;
    joint.X_AF = plan.reversed ? plan.X_BJ : X_PJ;
    joint.X_BM = plan.reversed ? X_PJ : plan.X_BJ;
    for (const JointPlan::Part& part : plan.parts) {
      const JointDraft& draft = drafts_[part.draft];
      if (!draft.name.empty()) r_.joint_index.emplace(draft.name, r_.joints.size());
      r_.joints.push_back({draft.type, draft.name, r_.model.joints.size(), part.dof, draft.ref, draft.place});
    }
    r_.model.joints.push_back(std::move(joint));
  }

  Reading& r_;
  const std::vector<const Element*>& sections_;
  Names body_names_, site_names_;
  Names named_joints_, joint_names_;       // joints that the file names; all names that are taken
  std::unordered_set<std::string> stems_;  // "j" of joints called "j.x", which may become one joint "j"
  std::vector<JointDraft> drafts_;         // of the body being read
  std::string chain_of_;
  int bodies_read_ = 0;
};

}  // namespace

void read_world(Reading& r, const std::vector<const Element*>& sections, const std::vector<std::string>& closures) {
  WorldReader(r, sections).run(closures);
}

}  // namespace trammel::readers::mjcf
