// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "eval_floating.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eval_text.hpp"
#include "session.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;
using At = std::size_t;

ordered_json rows(const std::vector<double>& matrix, At columns) {
  ordered_json out = ordered_json::array();
  for (At i = 0; columns > 0 && i + columns <= matrix.size(); i += columns) {
    const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(i);
    out.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(columns)));
  }
  return out;
}

ordered_json transposed(const std::vector<double>& matrix, At row_count) {
  ordered_json out = ordered_json::array();
  const At columns = row_count == 0 ? 0 : matrix.size() / row_count;
  for (At k = 0; k < columns; ++k) {
    ordered_json one = ordered_json::array();
    for (At i = 0; i < row_count; ++i) one.push_back(matrix[i * columns + k]);
    out.push_back(one);
  }
  return out;
}

bool moves(const Mechanism& mech, int body) {
  return body != ground && mech.bodies[static_cast<At>(body)].link != ground;
}

// Joints that wait for a capture close no loop yet.
bool has_loops(const Mechanism& mech) {
  const auto is_closed = [&mech](const Loop& loop) { return !mech.joints[static_cast<At>(loop.closure)].starts_open; };
  return !mech.couplings.empty() || !mech.constraints.empty() ||
         std::any_of(mech.loops.begin(), mech.loops.end(), is_closed);
}

std::vector<std::string> names(const Mechanism& mech, const std::vector<int>& freedoms) {
  std::vector<std::string> list;
  for (const int k : freedoms) list.push_back(mech.dof_names[static_cast<At>(k)]);
  return list;
}

// The first body of its tree: what floats, or stands on the ground.
int root_of(const Mechanism& mech, int body) {
  int root = body;
  for (int b = body; b != ground; b = mech.bodies[static_cast<At>(b)].parent) {
    if (moves(mech, b)) root = b;
  }
  return root;
}

ordered_json tree_json(const Mechanism& mech, const FloatingKinematics& f) {
  const At n = f.tree.joints.size(), n_b = f.tree.base.size();
  const Sym3d& I = f.locked_inertia_W;
  ordered_json out{{"floats", f.tree.base_joint >= 0},
                   {"base_dofs", names(mech, f.tree.base)},
                   {"dofs", names(mech, f.tree.joints)},
                   {"mass", f.mass},
                   {"com", list(f.com_W)},
                   {"momentum", {{"linear", list(f.linear_W)}, {"angular", list(f.angular_W)}}},
                   {"locked_inertia", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}}};
  if (has_loops(mech)) return out;
  out["H_star"] = rows(f.H_star, n);
  if (n_b == 0) return out;
  out["base_map"] = rows(f.base_map, n);
  out["coupling"] = rows(f.coupling, n);
  out["reaction_null_space"] = transposed(f.reaction_null_space, n);
  return out;
}

}  // namespace

std::vector<FloatingPoint> floating_points(const Mechanism& mech, const std::vector<std::string>& at,
                                           Diagnostics& problems) {
  std::vector<FloatingPoint> list;
  for (const std::string& text : at) {
    if (const auto point = parse_point(mech, text, problems)) list.push_back({text, *point});
  }
  if (!at.empty()) return list;
  for (const OutputInfo& output : mech.outputs) {
    if (moves(mech, output.body))
      list.push_back({body_name(mech, output.body) + ":" + output.name, {output.body, output.p_B}});
  }
  if (!list.empty()) return list;
  std::vector<char> is_parent(mech.bodies.size());
  for (const BodyInfo& body : mech.bodies) {
    if (body.parent != ground) is_parent[static_cast<At>(body.parent)] = 1;
  }
  for (int b = 0; b < mech.body_count(); ++b) {
    if (moves(mech, b) && is_parent[static_cast<At>(b)] == 0) list.push_back({body_name(mech, b), {b, {}}});
  }
  return list;
}

std::optional<ordered_json> describe_floating(const Mechanism& mech, const State& state,
                                              const std::vector<FloatingPoint>& points, int& joint) {
  Workspace ws(mech);
  ImpulseResponse free(mech), locked(mech, {.share = 1});
  free.set_position(state.q), locked.set_position(state.q);
  ordered_json trees = ordered_json::object(), of_points = ordered_json::object();
  for (const FloatingPoint& point : points) {
    const int body = point.at.body;
    const FloatingKinematics f = compute_floating(mech, ws, state.q, state.v, body, point.at.p_B);
    const std::string tree = body_name(mech, root_of(mech, body));
    if (!trees.contains(tree)) trees[tree] = tree_json(mech, f);
    std::vector<double> G(36), G_locked(36);
    if (!free.mobility(body, point.at.p_B, G) || !locked.mobility(body, point.at.p_B, G_locked)) {
      joint = free.verdict().ok() ? locked.verdict().joint : free.verdict().joint;
      return std::nullopt;
    }
    ordered_json& entry = of_points[point.name];
    entry = {{"tree", tree}, {"frame", "world"}, {"rows", "angular velocity, velocity of the point"}};
    if (!has_loops(mech)) entry["J_star"] = rows(f.J_star, f.tree.joints.size());
    entry["G_star"] = rows(G, 6);
    entry["G_locked"] = rows(G_locked, 6);
  }
  return ordered_json{{"trees", trees}, {"points", of_points}};
}

std::string floating_text(const ordered_json& floating) {
  std::string text;
  const ordered_json six = {"ωx", "ωy", "ωz", "vx", "vy", "vz"};
  for (const auto& [name, tree] : floating["trees"].items()) {
    text += fmt::format("{}\n  {} kg, centre of mass {} m\n", heading("What " + name + " carries"), cell(tree["mass"]),
                        cell(tree["com"]));
    text += fmt::format("  {}\n", tree["floats"].get<bool>()
                                      ? "it floats: nothing holds it"
                                      : "it stands on the ground: G* is the conventional inertia tensor there");
    text +=
        fmt::format("  momentum {} kg m/s, angular {} kg m²/s\n  inertia with all joints locked {} kg m²\n\n",
                    cell(tree["momentum"]["linear"]), cell(tree["momentum"]["angular"]), cell(tree["locked_inertia"]));
    if (tree.contains("H_star")) text += matrix_text("H*", tree["H_star"], tree["dofs"]);
    if (tree.contains("reaction_null_space")) {
      text += matrix_text("Joint rates that leave the base alone", tree["reaction_null_space"], tree["dofs"]);
    }
  }
  for (const auto& [name, point] : floating["points"].items()) {
    const ordered_json& tree = floating["trees"][point["tree"].get<std::string>()];
    if (point.contains("J_star")) text += matrix_text("J* at " + name, point["J_star"], tree["dofs"]);
    text += matrix_text("G* at " + name + ": velocities by impulses", point["G_star"], six);
  }
  return text;
}

}  // namespace trammel::tool
