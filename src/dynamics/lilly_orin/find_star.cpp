// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Which link is the reference member, and which chains hold it. The graph: links, and the support (the ground and what moves as prescribed)
// as one node; tree joints and closures as edges. Leaves are stripped until none is left: they are trees that hang on the rest. Of
// what stays, every link but one must be passed through by exactly one chain, that is, have two edges; and every walk from that one
// link must end at the support.

#include <algorithm>

#include <fmt/format.h>

#include <trammel/lilly_orin.hpp>

namespace trammel {
namespace {

struct Edge {
  int joint = -1;
  int a = 0, b = 0;  // nodes
  bool live = true;
};

constexpr int support_node = 0;

class StarFinder {
 public:
  StarFinder(const Mechanism& mech, std::span<const char> prescribed) : mech_(mech), prescribed_(prescribed) {}

  Star find() {
    star_.prescribed.assign(prescribed_.begin(), prescribed_.end());
    if (!mech_.couplings.empty()) return refuse(fmt::format("coupling '{}' ties joints", mech_.couplings.front().name));
    if (!mech_.constraints.empty()) {
      return refuse(fmt::format("constraint '{}' is no joint", mech_.constraints.front().name));
    }
    number_nodes();
    if (!join_nodes()) return star_;
    strip_leaves();
    const int reference = choose_reference();
    if (reference < 0) return star_;
    walk_chains(reference);
    return star_;
  }

 private:
  const Mechanism& mech_;
  std::span<const char> prescribed_;
  Star star_;
  std::vector<int> node_;  // per link
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> at_;  // per node: edges
  std::vector<int> degree_;

  Star refuse(std::string why) {
    star_.why_not = std::move(why);
    return star_;
  }
  int node_of_body(int body) const {
    const int l = body == ground ? ground : mech_.bodies[body].link;
    return l == ground ? support_node : node_[l];
  }
  std::string name_of(int node) const { return mech_.bodies[mech_.links[node - 1].body].name; }

  void number_nodes() {
    for (int l = 0; l < mech_.link_count(); ++l) {
      const Link& link = mech_.links[l];
      bool given = !prescribed_.empty() && (link.parent == ground || node_[link.parent] == support_node);
      for (int k = link.v; given && k < link.v + link.nv; ++k) given = prescribed_[k] != 0;
      node_.push_back(given ? support_node : l + 1);
    }
  }

  bool join_nodes() {
    at_.resize(mech_.links.size() + 1);
    degree_.assign(at_.size(), 0);
    const auto join = [this](int joint, int a, int b) {
      at_[a].push_back(static_cast<int>(edges_.size()));
      at_[b].push_back(static_cast<int>(edges_.size()));
      ++degree_[a], ++degree_[b];
      edges_.push_back({joint, a, b});
    };
    for (int l = 0; l < mech_.link_count(); ++l) {
      const int parent = mech_.links[l].parent;
      if (node_[l] != support_node)
        join(mech_.links[l].joint, parent == ground ? support_node : node_[parent], node_[l]);
    }
    for (const Loop& loop : mech_.loops) {
      const JointInfo& joint = mech_.joints[loop.closure];
      if (joint.nv == 6) continue;  // constrains nothing
      const int a = node_of_body(joint.first), b = node_of_body(joint.second);
      if (a != b) {
        join(loop.closure, a, b);
      } else if (a != support_node) {
        refuse(fmt::format("joint '{}' closes a loop within one rigid part", joint.name));
        return false;
      }
    }
    return true;
  }

  void strip_leaves() {
    std::vector<int> leaves;
    const auto look = [&](int node) {
      if (node != support_node && degree_[node] == 1) leaves.push_back(node);
    };
    for (int node = 1; node < static_cast<int>(at_.size()); ++node) look(node);
    while (!leaves.empty()) {
      const int node = leaves.back();
      leaves.pop_back();
      for (const int e : at_[node]) {
        if (!edges_[e].live) continue;
        edges_[e].live = false;
        const int other = edges_[e].a == node ? edges_[e].b : edges_[e].a;
        --degree_[node], --degree_[other];
        look(other);
      }
    }
  }

  int next_node(int e, int from) const { return edges_[e].a == from ? edges_[e].b : edges_[e].a; }

  // From a node along an edge, through links with two edges, to the support or a link with more: the edges passed.
  std::vector<int> walk(int from, int e, int& end) const {
    std::vector<int> path{e};
    int node = next_node(e, from);
    while (node != support_node && node != from && degree_[node] == 2) {
      for (const int other : at_[node]) {
        if (edges_[other].live && other != path.back()) {
          path.push_back(other);
          break;
        }
      }
      node = next_node(path.back(), node);
    }
    end = node;
    return path;
  }

  int choose_reference() {
    std::vector<int> inner, branching;
    for (int node = 1; node < static_cast<int>(at_.size()); ++node) {
      if (degree_[node] > 0) inner.push_back(node);
      if (degree_[node] > 2) branching.push_back(node);
    }
    if (inner.empty()) {
      refuse("it has no loop");
      return -1;
    }
    if (branching.size() > 1) {
      refuse(fmt::format("chains meet at '{}' and at '{}'", name_of(branching[0]), name_of(branching[1])));
      return -1;
    }
    if (branching.size() == 1) return branching.front();
    for (const int node : inner) {  // a floating body holds on to nothing: best
      for (const int e : at_[node]) {
        if (edges_[e].live && next_node(e, node) == support_node && mech_.joints[edges_[e].joint].nv == 6) return node;
      }
    }
    int best = inner.front();
    std::size_t least = inner.size() + 1;
    for (const int node : inner) {
      std::size_t longest = 0;
      int end = 0;
      for (const int e : at_[node]) {
        if (edges_[e].live) longest = std::max(longest, walk(node, e, end).size());
      }
      if (longest < least) least = longest, best = node;
    }
    return best;
  }

  void walk_chains(int reference) {
    std::size_t links = 1;
    for (const int e : at_[reference]) {
      if (!edges_[e].live) continue;
      int end = 0;
      std::vector<int> path = walk(reference, e, end);
      if (end != support_node) {
        refuse(fmt::format("a chain that leaves '{}' does not lead to the support", name_of(reference)));
        return;
      }
      StarChain chain;
      int node = reference;
      for (const int step : path) {
        chain.joints.push_back(edges_[step].joint);
        node = next_node(step, node);
        if (node != support_node) chain.links.push_back(node - 1);
      }
      std::reverse(chain.joints.begin(), chain.joints.end());
      std::reverse(chain.links.begin(), chain.links.end());
      chain.support = support_link(chain);
      links += chain.links.size();
      star_.chains.push_back(std::move(chain));
    }
    std::size_t in_loops = 0;
    for (int node = 1; node < static_cast<int>(at_.size()); ++node) in_loops += degree_[node] > 0;
    if (links != in_loops) {
      refuse("it has loops apart from each other");
      return;
    }
    star_.reference = reference - 1;
  }

  // The link of the support that the chain's first joint stands on.
  int support_link(const StarChain& chain) const {
    const JointInfo& joint = mech_.joints[chain.joints.front()];
    for (const int body : {joint.first, joint.second}) {
      if (body != ground && mech_.bodies[body].link != ground && node_of_body(body) == support_node) {
        return mech_.bodies[body].link;
      }
    }
    return ground;
  }
};

}  // namespace

Star find_star(const Mechanism& mechanism, std::span<const char> prescribed) {
  return StarFinder(mechanism, prescribed).find();
}

}  // namespace trammel
