// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_written_tree.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace trammel::readers::mjcf {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Bodies and joints as numbers; the ground is −1.
struct Graph {
  std::vector<std::array<int, 2>> ends;     // per joint
  std::vector<std::vector<int>> joints_at;  // per body, the ground first

  explicit Graph(const Model& model) : joints_at(model.bodies.size() + 1) {
    std::unordered_map<std::string_view, int> index{{ground_name, -1}};
    for (std::size_t b = 0; b < model.bodies.size(); ++b) index.emplace(model.bodies[b].name, static_cast<int>(b));
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const auto a = index.find(model.joints[j].first), b = index.find(model.joints[j].second);
      ends.push_back({a == index.end() ? -2 : a->second, b == index.end() ? -2 : b->second});
      if (ends.back()[0] < -1 || ends.back()[1] < -1 || ends.back()[0] == ends.back()[1]) continue;
      for (const int body : ends.back()) joints_at[at(body + 1)].push_back(static_cast<int>(j));
    }
  }
};

// Prim's algorithm: parent and joint of each body.
struct Reached {
  std::vector<int> parent, joint;  // per body; joint −1 where there is no way
  std::vector<char> used;          // per joint
};

Reached reach_bodies(const Model& model, const Graph& graph) {
  Reached r{std::vector<int>(model.bodies.size(), -2), std::vector<int>(model.bodies.size(), -1),
            std::vector<char>(model.joints.size(), 0)};
  std::vector<char> in_tree(model.bodies.size() + 1, 0);
  using Key = std::tuple<bool, bool, int, int>;  // cut, can close a loop, freedoms, joint
  std::priority_queue<Key, std::vector<Key>, std::greater<>> frontier;
  const auto enter = [&](int body) {
    in_tree[at(body + 1)] = 1;
    for (const int j : graph.joints_at[at(body + 1)]) {
      const Joint& joint = model.joints[at(j)];
      frontier.emplace(joint.cut, can_close(joint.type), nv(joint.type), j);
    }
  };
  enter(-1);
  while (!frontier.empty()) {
    const int j = std::get<3>(frontier.top());
    frontier.pop();
    const auto [first, second] = graph.ends[at(j)];
    const bool has_first = in_tree[at(first + 1)] != 0, has_second = in_tree[at(second + 1)] != 0;
    if (has_first && has_second) continue;
    const int to = has_first ? second : first;
    r.parent[at(to)] = has_first ? first : second;
    r.joint[at(to)] = j;
    r.used[at(j)] = 1;
    enter(to);
  }
  return r;
}

// Depth first, children in the order of their joints in the file.
std::vector<int> order_of(const Reached& reached) {
  std::vector<std::vector<int>> children(reached.parent.size() + 1);
  for (std::size_t b = 0; b < reached.parent.size(); ++b)
    if (reached.joint[b] >= 0) children[at(reached.parent[b] + 1)].push_back(static_cast<int>(b));
  for (auto& list : children)
    std::sort(list.begin(), list.end(), [&](int a, int b) { return reached.joint[at(a)] > reached.joint[at(b)]; });
  std::vector<int> order, open = children[0];
  while (!open.empty()) {
    const int body = open.back();
    open.pop_back();
    order.push_back(body);
    open.insert(open.end(), children[at(body + 1)].begin(), children[at(body + 1)].end());
  }
  return order;
}

// The child's side of a joint in the frame on the parent's side: pose, and velocity in the child's axes. Where the joint
// is walked backwards, X_JC = X_FM⁻¹ and the velocity of F relative to M, at F, is that of M relative to F turned round.
struct Relative {
  Transformd X_JC;
  Motion<double> V;
};
Relative relative(const AnyJoint& type, bool reversed, const double* q, const double* v) {
  std::array<Motion<double>, 6> H{};
  H_FM(type, q, std::span(H).first(at(nv(type))));
  Motion<double> V;
  for (int i = 0; i < nv(type); ++i) V += H[at(i)] * v[i];
  const Transformd X = X_FM(type, q);
  if (!reversed) return {X, V};
  return {inverse(X), -(X * V)};
}

void append(std::vector<double>& list, const Vec3d& v) { list.insert(list.end(), {v.x, v.y, v.z}); }
void append(std::vector<double>& list, const Mat3d& R) {
  const Quaternion<double> q = quaternion_of(R);
  list.insert(list.end(), {q.w, q.x, q.y, q.z});
}

}  // namespace

Transformd WrittenTree::drawn(int body) const {
  return body < 0 ? Transformd{} : steps[at(step_of_body[at(body)])].X_WC;
}

std::size_t WrittenTree::begin_of_chain(std::size_t s) const {
  std::size_t begin = is_written(s) ? s : s + 1;
  while (begin > 0 && steps[begin - 1].host == steps[s].body) --begin;
  return begin;
}

bool WrittenTree::is_refused_without_mass(const Model& model, std::size_t s) const {
  const int body = steps[s].body;
  if (model.bodies[at(body)].mass >= least_mass || carries_a_weld[at(body)] != 0) return false;
  for (std::size_t k = begin_of_chain(s); k <= s; ++k)
    if (nv(model.joints[at(steps[k].joint)].type) > 0) return true;
  return false;
}

bool can_close(const AnyJoint& type) {
  return std::holds_alternative<Spherical>(type) || std::holds_alternative<Fixed>(type) ||
         std::holds_alternative<Revolute>(type) || std::holds_alternative<Free>(type);
}

WrittenTree find_tree(const Model& model) {
  const Graph graph(model);
  const Reached reached = reach_bodies(model, graph);
  WrittenTree tree;
  tree.step_of_body.assign(model.bodies.size(), -1);
  tree.step_of_joint.assign(model.joints.size(), -1);
  tree.carries_a_weld.assign(model.bodies.size(), 0);
  for (const int b : order_of(reached)) {
    const int j = reached.joint[at(b)];
    const Joint& joint = model.joints[at(j)];
    WrittenStep step{b, reached.parent[at(b)], j, graph.ends[at(j)][0] == b, joint.X_AF, joint.X_BM, {}, b};
    if (step.reversed) std::swap(step.X_PJ, step.X_CJ);
    tree.step_of_body[at(b)] = tree.step_of_joint[at(j)] = static_cast<int>(tree.steps.size());
    step.X_WC = tree.drawn(step.parent) * step.X_PJ * inverse(step.X_CJ);
    tree.steps.push_back(step);
    const bool weld = std::holds_alternative<Fixed>(joint.type) && model.bodies[at(b)].mass > 0;
    if (weld && step.parent >= 0) tree.carries_a_weld[at(step.parent)] = 1;
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (reached.joint[b] < 0) tree.not_joined.push_back(static_cast<int>(b));
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const auto [first, second] = graph.ends[j];
    const auto is_there = [&](int body) { return body == -1 || (body >= 0 && tree.step_of_body[at(body)] >= 0); };
    if (reached.used[j] == 0 && is_there(first) && is_there(second)) tree.closures.push_back(static_cast<int>(j));
  }
  fold_chains(model, tree);
  return tree;
}

std::vector<WrittenJoint> row_of(const AnyJoint& type, const WrittenStep& step) {
  using Type = WrittenJoint::Type;
  const Vec3d& p = step.X_CJ.p;
  const double sign = step.reversed ? -1 : 1;
  const Vec3d x = step.X_CJ.R.ex * sign, y = step.X_CJ.R.ey * sign, z = step.X_CJ.R.ez * sign;
  const std::string_view word = keyword(type);
  std::vector<WrittenJoint> row;
  if (word == "revolute") row = {{Type::hinge, "", z, p, 0}};
  if (word == "prismatic") row = {{Type::slide, "", z, p, 0}};
  if (word == "cylindrical") row = {{Type::hinge, ".angle", z, p, 0}, {Type::slide, ".travel", z, p, 1}};
  if (word == "helical") row = {{Type::hinge, ".angle", z, p, 0}, {Type::slide, ".travel", z, p, -1}};
  if (word == "universal") {
    row = {{Type::hinge, ".angle1", x, p, 0}, {Type::hinge, ".angle2", y, p, 1}};
    if (step.reversed) std::swap(row[0], row[1]);
  }
  if (word == "planar") {
    row = {{Type::slide, ".x", x, p, 0}, {Type::slide, ".y", y, p, 1}, {Type::hinge, ".angle", z, p, 2}};
    if (step.reversed) std::rotate(row.begin(), row.begin() + 2, row.end());
  }
  if (word == "spherical") row = {{Type::ball, "", {}, p, 0}};
  if (word == "free" && step.parent < 0) row = {{Type::free, "", {}, {}, 0}};
  if (word == "free" && step.parent >= 0) {
    const Mat3d& R = step.X_CJ.R;
    row = {{Type::slide, ".x", R.ex, p, 3},
           {Type::slide, ".y", R.ey, p, 4},
           {Type::slide, ".z", R.ez, p, 5},
           {Type::ball, ".turn", {}, p, 0}};
  }
  return row;
}

WrittenState state_of(const AnyJoint& type, const WrittenStep& step, const std::vector<double>& q_given,
                      const std::vector<double>& v_given) {
  std::vector<double> q = q_given, v = v_given;
  if (q.size() != at(nq(type))) {
    q.assign(at(nq(type)), 0.0);
    if (!q.empty()) q_zero(type, q.data());
  }
  v.resize(at(nv(type)), 0.0);
  WrittenState state;
  if (std::holds_alternative<Fixed>(type)) return state;
  if (const auto* screw = std::get_if<Helical>(&type)) return {{q[0], screw->h * q[0]}, {v[0], screw->h * v[0]}};
  const bool is_ball = std::holds_alternative<Spherical>(type);
  if (!is_ball && !std::holds_alternative<Free>(type)) {
    for (const WrittenJoint& joint : row_of(type, step)) {
      state.q.push_back(q[at(joint.dof)]);
      state.v.push_back(v[at(joint.dof)]);
    }
    return state;
  }
  const Relative r = relative(type, step.reversed, q.data(), v.data());
  if (!is_ball && step.parent < 0) {
    const Transformd X_WC = step.X_PJ * r.X_JC * inverse(step.X_CJ);
    const Motion<double> V = step.X_CJ * r.V;  // of the body's origin, in its axes
    append(state.q, X_WC.p);
    append(state.q, X_WC.R);
    append(state.v, X_WC.R * V.v);
    append(state.v, V.w);
    return state;
  }
  if (!is_ball) {
    append(state.q, r.X_JC.p);
    append(state.v, r.X_JC.R * r.V.v);
  }
  append(state.q, step.X_CJ.R * r.X_JC.R * transpose(step.X_CJ.R));
  append(state.v, step.X_CJ.R * r.V.w);
  return state;
}

}  // namespace trammel::readers::mjcf
