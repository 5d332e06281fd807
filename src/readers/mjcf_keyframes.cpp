// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// <keyframe>: states by name. MuJoCo's coordinates stand one after the other, joint by joint in the order of the file:
//   hinge, slide   q, v                                             ours: q − ref, v
//   ball           quaternion of the body relative to the drawing, ω in body axes                    ours: the same
//   free           position and quaternion of the body in the world; velocity of its origin in world axes, ω in body
//                  axes                          ours: X_FM = X_WF⁻¹ X_WB with F where the body is drawn; ω and v in M

#include <algorithm>

#include <fmt/format.h>

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

using Type = FileJoint::Type;

constexpr std::size_t most_numbers = 300'000;

std::size_t coordinates_of(Type type) { return type == Type::free ? 7 : type == Type::ball ? 4 : 1; }
std::size_t freedoms_of(Type type) { return type == Type::free ? 6 : type == Type::ball ? 3 : 1; }

class KeyframeReader {
 public:
  explicit KeyframeReader(Reading& r) : r_(r) {
    for (const FileJoint& joint : r.joints) {
      nq_ += coordinates_of(joint.type);
      nv_ += freedoms_of(joint.type);
    }
    for (const NamedState& state : r.model.states) names_.emplace(state.name, 0);
  }

  void read(const Element& section) {
    for (const Element& child : section.children)
      if (child.name == "key") read_key(child);
  }

 private:
  void read_key(const Element& element) {
    const Item item(element, Reading::subject(element, "key"));
    std::vector<double> qpos, qvel;
    if (!read_list(item, "qpos", nq_, qpos) || !read_list(item, "qvel", nv_, qvel)) return;
    NamedState state;
    state.where = r_.report.in_main(item.place());
    name(item, state);
    if (qpos.empty() && qvel.empty()) {
      r_.model.states.push_back(std::move(state));
      return;
    }
    for (const Joint& joint : r_.model.joints) {
      state.joints.push_back({joint.name, std::vector<double>(static_cast<std::size_t>(nq(joint.type))),
                              std::vector<double>(static_cast<std::size_t>(nv(joint.type)))});
      if (!state.joints.back().q.empty()) q_zero(joint.type, state.joints.back().q.data());
    }
    std::size_t iq = 0, iv = 0;
    for (const FileJoint& joint : r_.joints) {
      NamedState::Entry& entry = state.joints[joint.joint];
      if (!qpos.empty() && !put_position(item, joint, &qpos[iq], entry)) return;
      if (!qvel.empty()) put_velocity(joint, &qvel[iv], entry);
      iq += coordinates_of(joint.type);
      iv += freedoms_of(joint.type);
    }
    keep_joints_that_move(state, qpos.empty(), qvel.empty());
    r_.model.states.push_back(std::move(state));
  }

  bool read_list(const Item& item, const char* attribute, std::size_t count, std::vector<double>& numbers) {
    const Attribute* given = item.find(attribute);
    if (given == nullptr) return true;
    const auto list = parse_numbers(r_.report, *given, item.what(attribute));
    if (!list) return false;
    if (list->size() != count) {
      r_.report.error(given->place, "list-length",
                      fmt::format("{} has {}, but the joints of the file have {}", item.what(attribute),
                                  count_of(list->size(), "number"), count),
                      "give 1 for each hinge and slide, and for each ball 4 in qpos and 3 in qvel, for each free joint "
                      "7 and 6");
      return false;
    }
    numbers = *list;
    numbers_left_ -= std::min(numbers_left_, numbers.size());
    if (numbers_left_ > 0) return true;
    r_.report.error(given->place, "mjcf-keys-large",
                    fmt::format("the keyframes have more than {} numbers", most_numbers), "keep fewer keys");
    return false;
  }

  void name(const Item& item, NamedState& state) {
    const std::string given = read_text(item, "name");
    if (!given.empty() && names_.count(given) > 0) {
      r_.report.error(item.find("name")->place, "name-duplicate",
                      fmt::format("there are two keys called {}", quote(given)), "rename one of them");
    }
    state.name = given.empty() ? free_name(fmt::format("key{}", r_.model.states.size()), names_) : given;
    names_.emplace(state.name, 0);
  }

  std::optional<Quaternion<double>> unit_quaternion(const Item& item, const FileJoint& joint, const double* q) {
    const Quaternion<double> quaternion = Quaternion<double>::load(q);
    if (squared_norm(quaternion) > 1e-28) return normalized(quaternion);
    r_.report.error(item.find("qpos")->place, "direction-zero",
                    fmt::format("{} has a zero quaternion for joint {}", item.what("qpos"),
                                quote(r_.model.joints[joint.joint].name)),
                    "give w x y z; 1 0 0 0 is no turn");
    return std::nullopt;
  }

  bool put_position(const Item& item, const FileJoint& joint, const double* q, NamedState::Entry& entry) {
    const Joint& ours = r_.model.joints[joint.joint];
    switch (joint.type) {
      case Type::hinge:
      case Type::slide: {
        // A free joint keeps its position after its quaternion.
        const int at = std::holds_alternative<Free>(ours.type) ? joint.dof + 1 : joint.dof;
        if (static_cast<std::size_t>(at) < entry.q.size()) entry.q[static_cast<std::size_t>(at)] = q[0] - joint.ref;
        return true;
      }
      case Type::ball: {
        const auto quaternion = unit_quaternion(item, joint, q);
        if (!quaternion) return false;
        const Mat3d& R_BM = ours.X_BM.R;  // not the identity where a ball is part of a free joint
        if (R_BM == Mat3d::identity()) {
          quaternion->store(entry.q.data());
        } else {
          quaternion_of(transpose(R_BM) * rotation_of(*quaternion) * R_BM).store(entry.q.data());
        }
        return true;
      }
      case Type::free: {
        const auto quaternion = unit_quaternion(item, joint, q + 3);
        if (!quaternion) return false;
        const Transformd X_FM =
            inverse(ours.X_AF) * Transformd{rotation_of(*quaternion), {q[0], q[1], q[2]}} * ours.X_BM;
        quaternion_of(X_FM.R).store(entry.q.data());
        entry.q[4] = X_FM.p.x, entry.q[5] = X_FM.p.y, entry.q[6] = X_FM.p.z;
        return true;
      }
    }
    return true;
  }

  // After put_position: the axes of a free joint have turned by then.
  void put_velocity(const FileJoint& joint, const double* v, NamedState::Entry& entry) {
    const Joint& ours = r_.model.joints[joint.joint];
    const auto store = [&entry](std::size_t at, const Vec3d& vector) {
      entry.v[at] = vector.x, entry.v[at + 1] = vector.y, entry.v[at + 2] = vector.z;
    };
    switch (joint.type) {
      case Type::hinge:
      case Type::slide:
        if (static_cast<std::size_t>(joint.dof) < entry.v.size()) entry.v[static_cast<std::size_t>(joint.dof)] = v[0];
        break;
      case Type::ball: {
        store(0, transpose_times(ours.X_BM.R, Vec3d{v[0], v[1], v[2]}));
        if (!std::holds_alternative<Free>(ours.type)) break;
        // The travels of a free joint made of parts came first, along the axes of F.
        const Mat3d R_FM = rotation_of(Quaternion<double>::load(entry.q.data()));
        store(3, transpose_times(R_FM, Vec3d{entry.v[3], entry.v[4], entry.v[5]}));
        break;
      }
      case Type::free: {
        const Mat3d R_WM = ours.X_AF.R * rotation_of(Quaternion<double>::load(entry.q.data()));
        store(0, {v[3], v[4], v[5]});
        store(3, transpose_times(R_WM, Vec3d{v[0], v[1], v[2]}));
        break;
      }
    }
  }

  // Joints without coordinates, and closures, which have none of their own, are left out.
  void keep_joints_that_move(NamedState& state, bool no_positions, bool no_velocities) {
    std::vector<NamedState::Entry> kept;
    for (std::size_t j = 0; j < state.joints.size(); ++j) {
      NamedState::Entry& entry = state.joints[j];
      if (entry.v.empty() || r_.model.joints[j].cut) continue;
      if (no_positions) entry.q.clear();
      if (no_velocities) entry.v.clear();
      kept.push_back(std::move(entry));
    }
    state.joints = std::move(kept);
  }

  Reading& r_;
  std::size_t nq_ = 0, nv_ = 0;
  std::size_t numbers_left_ = most_numbers;
  std::unordered_map<std::string, std::size_t> names_;
};

}  // namespace

void read_keyframes(Reading& r, const Element& section) { KeyframeReader(r).read(section); }

}  // namespace trammel::readers::mjcf
