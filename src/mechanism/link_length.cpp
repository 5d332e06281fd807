// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "mechanism/link_length.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace trammel {
namespace {

// The line or the point about which a joint lets its body turn, in the body's frame.
struct Pivot {
  Vec3d p, axis;
  bool is_ball = false;
};
std::optional<Pivot> pivot_of(const JointInfo& joint, int body) {
  const Transformd& X = joint.first == body ? joint.X_AF : joint.X_BM;
  if (std::holds_alternative<Revolute>(joint.type)) return Pivot{X.p, X.R.ez, false};
  if (std::holds_alternative<Spherical>(joint.type)) return Pivot{X.p, X.R.ez, true};
  return std::nullopt;
}

// A turn that both pivots allow moves nothing else.
bool coincide(const Pivot& a, const Pivot& b) {
  constexpr double near = 1e-12;
  const Vec3d apart = b.p - a.p;
  const double size = 1e-300 + std::max(norm(a.p), norm(b.p));
  if (norm(apart) <= near * size) return a.is_ball || b.is_ball || norm(cross(a.axis, b.axis)) <= near;
  if (a.is_ball && b.is_ball) return false;  // the idle spin of a rod, which is as it should be
  const Vec3d line = a.is_ball ? b.axis : a.axis;
  const bool parallel = a.is_ball || b.is_ball || norm(cross(a.axis, b.axis)) <= near;
  return parallel && norm(cross(line, apart)) <= near * size;
}

}  // namespace

void warn_of_links_without_length(const Model& model, const Mechanism& mechanism, Diagnostics& diagnostics) {
  std::vector<char> in_loop(mechanism.joints.size(), 0), geared(mechanism.joints.size(), 0);
  for (const Loop& loop : mechanism.loops) {
    in_loop[loop.closure] = 1;
    for (const int j : loop.joints) in_loop[j] = 1;
  }
  for (const CouplingInfo& c : mechanism.couplings) geared[c.first] = geared[c.second] = 1;
  std::vector<std::vector<int>> joints_of(mechanism.bodies.size());
  for (int j = 0; j < static_cast<int>(mechanism.joints.size()); ++j) {
    const JointInfo& joint = mechanism.joints[j];
    if (joint.first != ground) joints_of[joint.first].push_back(j);
    if (joint.second != ground) joints_of[joint.second].push_back(j);
  }
  for (int b = 0; b < mechanism.body_count(); ++b) {
    const std::vector<int>& joints = joints_of[b];
    if (joints.size() != 2 || !in_loop[joints[0]] || !in_loop[joints[1]] || geared[joints[0]] || geared[joints[1]])
      continue;
    const std::string& name = mechanism.bodies[b].name;
    const bool held = std::any_of(model.constraints.begin(), model.constraints.end(),
                                  [&](const Constraint& c) { return c.first == name || c.second == name; });
    const auto one = pivot_of(mechanism.joints[joints[0]], b), other = pivot_of(mechanism.joints[joints[1]], b);
    if (held || !one || !other || !coincide(*one, *other)) continue;
    diagnostics.warning(
        mechanism.bodies[b].where, "link-without-length",
        fmt::format("body '{}' has no length: joints '{}' and '{}' hold it about the same {}, so that it turns by "
                    "itself and moves nothing",
                    name, mechanism.joints[joints[0]].name, mechanism.joints[joints[1]].name,
                    norm(other->p - one->p) == 0 && (one->is_ball || other->is_ball) ? "point" : "line"),
        "place the joints apart, or leave the body out");
  }
}

}  // namespace trammel
