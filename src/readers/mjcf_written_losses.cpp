// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What of a model MJCF has no word for, or MuJoCo does not take: told before a word is written. What only shows while
// writing (names, keyframes, shapes) is told there.

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "model/inertia_check.hpp"
#include "readers/linkage_losses.hpp"
#include "readers/mjcf_written_tree.hpp"

namespace trammel::readers::mjcf {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool any(const std::vector<double>& list) {
  return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
}
bool any_finite(const std::vector<double>& list) {
  return std::any_of(list.begin(), list.end(), [](double x) { return std::isfinite(x); });
}
bool one_number(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [&](double x) { return x == list.front(); });
}

class Teller {
 public:
  Teller(const Model& model, const WrittenTree& tree, Losses& losses) : model_(model), tree_(tree), losses_(losses) {}

  void run() {
    for (std::size_t s = 0; s < tree_.steps.size(); ++s) {
      tell_what_a_joint_loses(model_.joints[at(tree_.steps[s].joint)], tree_.steps[s]);
      if (tree_.is_written(s)) tell_what_MuJoCo_refuses(s);
    }
    tell_what_closures_lose();
    for (const Body& body : model_.bodies) tell_what_solids_lose(body);
    if (!model_.units.is_si()) {
      lose("mjcf-lost", {}, "the units of the file are lost; MJCF is written in SI and radians",
           "nothing needs to be done");
    }
    if (!model_.points.empty()) {
      lose("mjcf-lost", model_.points[0].where, "points are lost; outputs become sites", "make outputs of them");
    }
    tell_what_linkages_lose(model_, {"MJCF", "mjcf-lost", "mjcf-constraint", "mjcf-force"},
                            [this](const auto&... told) { lose(told...); });
  }

 private:
  void lose(const std::string& id, SourceLocation where, const std::string& what, const std::string& fix,
            const std::string& name = {}) {
    losses_.add(id, where, what, fix, name);
  }

  void tell_what_a_joint_loses(const Joint& joint, const WrittenStep& step) {
    const JointProperties& p = joint.properties;
    const bool is_ball = std::holds_alternative<Spherical>(joint.type),
               is_free = std::holds_alternative<Free>(joint.type);
    if (any(p.dry) && p.dry_speed != JointProperties{}.dry_speed) {
      lose("mjcf-friction", joint.where, "the speed that smooths dry friction is lost: answers change at low speeds",
           "nothing else can be done", joint.name);
    }
    if (any(p.dry)) {
      lose("mjcf-friction", joint.where, "dry friction is a soft constraint in MuJoCo", "nothing needs to be done",
           joint.name);
    }
    if (any_finite(p.velocity_limit) || any_finite(p.effort_limit)) {
      lose("mjcf-lost", joint.where, "limits of speed and effort of joints are lost", "give them to actuators",
           joint.name);
    }
    for (std::size_t i = 0; i < std::min(p.lower.size(), p.upper.size()); ++i) {
      if (p.lower[i] < p.upper[i]) continue;
      lose("mjcf-lost", joint.where, "limits that leave a joint no room are lost: MJCF wants them apart",
           "weld the joint", joint.name);
    }
    if ((is_ball || is_free) && (!p.lower.empty() || !p.upper.empty())) {
      lose("mjcf-lost", joint.where, "limits of spherical and free joints are lost", "nothing else can be done",
           joint.name);
    }
    if ((is_ball || is_free) && (!one_number(p.viscous) || !one_number(p.armature) || !one_number(p.dry) ||
                                 (is_free && any(p.armature)) || (is_free && any(p.dry)))) {
      lose("mjcf-friction", joint.where,
           "armature and friction of spherical and free joints that MJCF cannot say are lost: answers change",
           "MJCF has one number for all axes of such a joint, and none for the armature of free ones", joint.name);
    }
    const bool turned = step.reversed && (is_ball || is_free);
    const bool moved = is_free && step.parent < 0 && step.X_CJ != Transformd{};  // freejoint is at the body's origin
    if (turned || moved || (is_ball && step.X_CJ.R != Mat3d::identity())) {
      lose("mjcf-coordinates", joint.where, "spherical and free joints get other coordinates: those of the body's axes",
           "nothing needs to be done; keyframes are converted", joint.name);
    }
    const bool named_back = std::holds_alternative<Universal>(joint.type) || std::holds_alternative<Planar>(joint.type);
    if (step.reversed && !turned && !named_back) {
      lose("mjcf-reversed", joint.where,
           "joints named against the tree are named along it, with the same coordinates: reactions are on the other "
           "body",
           "name the bodies of the joint the other way", joint.name);
    }
    if (std::holds_alternative<Fixed>(joint.type) && joint.name != model_.bodies[at(step.body)].name) {
      lose("mjcf-lost", joint.where, "fixed joints have no name in MJCF; reading gives them that of the body",
           "nothing needs to be done", joint.name);
    }
    if (joint.cut) {
      lose("mjcf-lost", joint.where, "joints were to be cut, but the tree needs them", "nothing needs to be done",
           joint.name);
    }
  }

  // An equality of MJCF holds two bodies together and has nothing else.
  void tell_what_closures_lose() {
    std::unordered_set<std::string_view> with_state;
    for (const NamedState& state : model_.states)
      for (const NamedState::Entry& entry : state.joints)
        if (!entry.q.empty() || !entry.v.empty()) with_state.insert(entry.joint);
    for (const int j : tree_.closures) {
      const Joint& joint = model_.joints[at(j)];
      tell_what_a_closure_loses(joint.properties, joint);
      if (!joint.q_initial.empty() || !joint.v_initial.empty() || with_state.contains(joint.name)) {
        lose("mjcf-lost", joint.where, "positions and velocities of joints that close loops are lost from states",
             "those of the tree are kept, and the others follow from them", joint.name);
      }
    }
  }

  void tell_what_a_closure_loses(const JointProperties& p, const Joint& joint) {
    const std::string fix = "close the loop at another joint: mark that one with cut";
    if (any(p.viscous) || any(p.dry)) {
      lose("mjcf-friction", joint.where, "friction of joints that close loops is lost", fix, joint.name);
    }
    if (any(p.armature)) {
      lose("mjcf-lost", joint.where, "armature of joints that close loops is lost", fix, joint.name);
    }
    if (any_finite(p.lower) || any_finite(p.upper)) {
      lose("mjcf-lost", joint.where, "limits of position of joints that close loops are lost", fix, joint.name);
    }
    if (any_finite(p.velocity_limit) || any_finite(p.effort_limit)) {
      lose("mjcf-lost", joint.where, "limits of speed and effort of joints that close loops are lost",
           "nothing else can be done", joint.name);
    }
  }

  void tell_what_MuJoCo_refuses(std::size_t s) {
    const Body& body = model_.bodies[at(tree_.steps[s].body)];
    bool moves = false;
    for (std::size_t k = tree_.begin_of_chain(s); k <= s; ++k)
      moves = moves || nv(model_.joints[at(tree_.steps[k].joint)].type) > 0;
    if (tree_.is_refused_without_mass(model_, s)) {
      lose("mjcf-refused", body.where, "MuJoCo refuses bodies that move and have no mass", "give them a small mass",
           body.name);
    }
    const InertiaJudgement judgement = judge_inertia(body.inertia);
    if (moves && body.mass >= least_mass && judgement.principal.x < least_mass) {
      lose("mjcf-refused", body.where, "MuJoCo refuses bodies that move and have no moment of inertia about some axis",
           "give them a small one", body.name);
    }
    if (judgement.triangle) {
      lose("mjcf-refused", body.where, "MuJoCo refuses moments of inertia of which one exceeds the sum of the others",
           "check them, or add balanceinertia=\"true\" to <compiler>, which changes them", body.name);
    }
  }

  // Their mass is in the body's; they are drawn where nothing else is.
  void tell_what_solids_lose(const Body& body) {
    if (body.shapes.empty()) return;
    lose("mjcf-lost", body.where,
         body.visuals.empty() ? "solids are written as numbers of mass and as geoms that weigh nothing"
                              : "solids are written as numbers of mass only",
         "nothing needs to be done", body.name);
  }

  const Model& model_;
  const WrittenTree& tree_;
  Losses& losses_;
};

}  // namespace

void tell_what_is_lost(const Model& model, const WrittenTree& tree, Losses& losses) {
  Teller(model, tree, losses).run();
}

}  // namespace trammel::readers::mjcf
