// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// MJCF has no word for a loop that closes by a hinge. Two <connect> between the same two bodies say it: with two points
// held, what is left is the turn about the line through both. (Of their six conditions one is redundant: the points are as
// far apart on one body as on the other.) Here they become the one revolute joint that they are,
//   F on the first body: origin half way between the anchors, z from the first to the second
//   M on the second body: where F is in the drawing, so that the angle is zero there
// which is what the writer takes apart. Where two bodies are held at more than two points, those are taken together that
// are called "j.1" and "j.2"; the others, or two in one place, stay balls.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

// How far the anchors on the two bodies may be apart in the drawing, m; only those at sites can be.
constexpr double closed = 1e-9;
// Of the distance of the anchors to that from the origin: what is nearer gives no direction to ten digits.
constexpr double least_distance = 1e-6;

class HingeFinder {
 public:
  explicit HingeFinder(Reading& r) : r_(r) {
    for (const Body& body : r.model.bodies) X_WB_.emplace(body.name, body.X_WB);
    for (const Joint& joint : r.model.joints) names_.insert(joint.name);
  }

  void run() {
    using Bodies = std::pair<std::string, std::string>;  // in the order of the alphabet
    std::map<Bodies, std::vector<std::size_t>> held;
    for (std::size_t j = 0; j < r_.model.joints.size(); ++j) {
      const Joint& joint = r_.model.joints[j];
      if (joint.cut && std::holds_alternative<Spherical>(joint.type))
        held[std::minmax(joint.first, joint.second)].push_back(j);
    }
    for (auto& [bodies, joints] : held) {
      join_by_name(joints);
      if (joints.size() == 2) join(joints[0], joints[1]);
    }
    if (used_.empty()) return;
    std::vector<Joint> kept;
    for (std::size_t j = 0; j < r_.model.joints.size(); ++j)
      if (!used_.contains(j)) kept.push_back(std::move(r_.model.joints[j]));
    r_.model.joints = std::move(kept);  // those of the tree come first and keep their places
  }

 private:
  Transformd pose_of(const std::string& body) const {
    const auto found = X_WB_.find(body);
    return found == X_WB_.end() ? Transformd{} : found->second;
  }

  // Pairs that are called so are taken out of the list. Several hinges between two bodies are told apart by that.
  void join_by_name(std::vector<std::size_t>& joints) {
    std::map<std::string, std::size_t> by_name;
    for (const std::size_t j : joints) by_name.emplace(r_.model.joints[j].name, j);
    std::set<std::size_t> joined;
    for (const std::size_t j : joints) {
      PairName name = split_pair_name(r_.model.joints[j].name);
      if (name.base.empty() || name.number[0] != '1') continue;
      name.number[0] = '2';
      const auto other = by_name.find(name.base + "." + name.number);
      if (other != by_name.end() && join(j, other->second)) joined.insert({j, other->second});
    }
    std::erase_if(joints, [&](std::size_t j) { return joined.contains(j); });
  }

  // Makes the one that comes first the hinge.
  bool join(std::size_t first, std::size_t second) {
    const PairName name = split_pair_name(r_.model.joints[first].name),
                   other = split_pair_name(r_.model.joints[second].name);
    const bool named = !name.base.empty() && name.base == other.base;
    if (named && name.number > other.number) std::swap(first, second);  // the axis points from "j.1" to "j.2"
    Joint& one = r_.model.joints[first];
    const Joint& two = r_.model.joints[second];
    const bool same_way = one.first == two.first;
    const Vec3d p = one.X_AF.p, q = same_way ? two.X_AF.p : two.X_BM.p;  // on the first body
    const Vec3d p_B = one.X_BM.p, q_B = same_way ? two.X_BM.p : two.X_AF.p;
    const Transformd X_WA = pose_of(one.first), X_WB = pose_of(one.second);
    const double open = norm(X_WA * p - X_WB * p_B) + norm(X_WA * q - X_WB * q_B);
    if (!(open <= closed) || !(norm(q - p) > least_distance * std::max(norm(p), norm(q)))) return false;
    one.type = Revolute{};
    one.X_AF = frame_at((p + q) * 0.5, q - p);
    one.X_BM = inverse(X_WB) * X_WA * one.X_AF;
    used_.insert(second);
    const std::string names = fmt::format("{} and {}", quote(one.name), quote(two.name));
    if (named && names_.insert(name.base).second) one.name = name.base;
    r_.report.warning({0, one.where}, "mjcf-hinge",
                      fmt::format("connections {} hold the same two bodies at two points: they are read as one "
                                  "revolute joint {}",
                                  names, quote(one.name)),
                      "nothing needs to be done: it moves alike");
    return true;
  }

  Reading& r_;
  std::unordered_map<std::string, Transformd> X_WB_;
  std::set<std::string> names_;
  std::set<std::size_t> used_;  // joints that have become part of another
};

}  // namespace

PairName split_pair_name(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) return {};
  const bool plain = name.find_first_not_of('_', dot + 2) == std::string::npos;
  if (!plain || (name[dot + 1] != '1' && name[dot + 1] != '2')) return {};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

void join_connects_to_hinges(Reading& r) {
  if (!r.report.has_errors()) HingeFinder(r).run();
}

}  // namespace trammel::readers::mjcf
