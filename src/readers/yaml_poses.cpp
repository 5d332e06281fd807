// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_poses.hpp"

#include <fmt/format.h>

namespace trammel::readers {

namespace {

class Placer {
 public:
  Placer(Reading& r, const std::vector<BodyDraft>& bodies, const std::vector<JointDraft>& joints)
      : r_(r),
        bodies_(bodies),
        joints_(joints),
        states_(bodies.size()),
        by_row_(bodies.size()),
        by_free_joint_(bodies.size()) {
    for (std::size_t j = 0; j < joints.size(); ++j) note_placement(j);
  }

  void run() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) place_chain(b);
  }

 private:
  enum class State { waiting, on_chain, placed };

  void note_placement(std::size_t j) {
    const JointDraft& joint = joints_[j];
    if (!joint.first || !joint.second || !joint.node->is_map()) return;
    if (joint.dh && !joint.second->is_ground) note_row(j, joint.second->index);
    if (!std::holds_alternative<Free>(r_.model.joints[j].type)) return;
    if (joint.first->is_ground == joint.second->is_ground) return;  // not to the ground
    const std::size_t b = joint.first->is_ground ? joint.second->index : joint.first->index;
    if (!by_free_joint_[b]) by_free_joint_[b] = j;
  }

  void note_row(std::size_t j, std::size_t b) {
    const Node& row = *joints_[j].node->find("dh");
    if (bodies_[b].pose_node != nullptr) {
      r_.messages.error(row.where, "dh-placement",
                        fmt::format("body {} has a pose, and dh of {} places it too", quote(r_.model.bodies[b].name),
                                    title_of(r_.model.joints[j])),
                        "delete one of the two");
    } else if (by_row_[b]) {
      r_.messages.error(row.where, "dh-placement",
                        fmt::format("body {} is placed by two rows, of {} and {}", quote(r_.model.bodies[b].name),
                                    title_of(r_.model.joints[*by_row_[b]]), title_of(r_.model.joints[j])),
                        "give one of the joints by 'at' and 'axis'");
    } else {
      by_row_[b] = j;
    }
  }

  bool has_pose(std::size_t b) const { return bodies_[b].pose_node != nullptr; }

  // The body on whose place that of b depends.
  std::optional<BodyRef> depends_on(std::size_t b) const {
    if (has_pose(b)) return bodies_[b].pose ? bodies_[b].pose->in : std::nullopt;
    if (by_row_[b]) return joints_[*by_row_[b]].first;
    if (by_free_joint_[b] && joints_[*by_free_joint_[b]].at) return joints_[*by_free_joint_[b]].in;
    return std::nullopt;
  }

  void place_chain(std::size_t b) {
    std::vector<std::size_t> chain;
    while (states_[b] == State::waiting) {
      states_[b] = State::on_chain;
      chain.push_back(b);
      const auto next = depends_on(b);
      if (!next || next->is_ground) break;
      if (states_[next->index] == State::on_chain) {
        report_circle(chain, next->index);
        break;
      }
      b = next->index;
    }
    for (; !chain.empty(); chain.pop_back()) {
      place(chain.back());
      states_[chain.back()] = State::placed;
    }
  }

  void report_circle(const std::vector<std::size_t>& chain, std::size_t begin) {
    std::string names;
    bool inside = false;
    std::size_t shown = 0;
    for (const std::size_t b : chain) {
      inside = inside || b == begin;
      if (!inside) continue;
      if (++shown <= 6) names += quote(r_.model.bodies[b].name) + " → ";
      if (shown == 7) names += "… → ";
    }
    const Node* pose = bodies_[begin].pose_node;
    const SourceLocation where = pose != nullptr  ? pose->where
                                 : by_row_[begin] ? joints_[*by_row_[begin]].node->find("dh")->where
                                                  : r_.model.bodies[begin].where;
    r_.messages.error(
        where, "pose-circle",
        fmt::format("poses refer to each other in a circle: {}{}", names, quote(r_.model.bodies[begin].name)),
        "give one of these bodies a pose in the world");
  }

  // The frame in which the pose of b is given; all bodies before it on the chain are placed.
  Transformd base_of(std::size_t b) const {
    const auto base = depends_on(b);
    return base ? design_pose(r_, *base) : Transformd{};
  }

  void place(std::size_t b) {
    Body& body = r_.model.bodies[b];
    const BodyDraft& draft = bodies_[b];
    if (has_pose(b)) {
      if (draft.pose) body.X_WB = pose_in_world(*draft.pose, base_of(b));
    } else if (by_row_[b]) {
      body.X_WB = base_of(b) * joints_[*by_row_[b]].dh->X_AB;
    } else if (by_free_joint_[b]) {
      return place_free_body(b);
    }
    check_pose(body);
    read_body_contents(r_, draft, body, body.X_WB);
  }

  // Finite numbers can add up to infinity.
  void check_pose(Body& body) {
    if (is_finite(body.X_WB)) return;
    r_.messages.error(body.where, "number-not-finite",
                      fmt::format("the place of body {} is beyond what a double holds", quote(body.name)),
                      "check the sizes and units");
    body.X_WB = {};
  }

  static Transformd pose_in_world(const PoseDraft& pose, const Transformd& X_WL) {
    const Transformd X_WB = X_WL * Transformd{pose.R, pose.at.in_world ? Vec3d{} : pose.at.p};
    return pose.at.in_world ? Transformd{X_WB.R, pose.at.p} : X_WB;
  }

  // Everything in the body is read in world coordinates; then its frame moves to the joint, or to the centre of mass.
  void place_free_body(std::size_t b) {
    Body& body = r_.model.bodies[b];
    read_body_contents(r_, bodies_[b], body, Transformd{});
    const JointDraft& joint = joints_[*by_free_joint_[b]];
    if (joint.at) {
      move_frame(body, joint.at->in_world ? joint.at->p : base_of(b) * joint.at->p);
    } else {
      move_frame(body, body.com);
    }
    check_pose(body);
  }

  Reading& r_;
  const std::vector<BodyDraft>& bodies_;
  const std::vector<JointDraft>& joints_;
  std::vector<State> states_;
  std::vector<std::optional<std::size_t>> by_row_, by_free_joint_;  // the joint that places each body
};

}  // namespace

void place_and_read_bodies(Reading& r, const std::vector<BodyDraft>& bodies, const std::vector<JointDraft>& joints) {
  Placer(r, bodies, joints).run();
}

}  // namespace trammel::readers
