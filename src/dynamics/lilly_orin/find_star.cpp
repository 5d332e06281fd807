// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Which link is the reference member, and which chains hold it. The graph: links, and the support (the ground and what moves as prescribed)
// as one node; tree joints and closures as edges. Leaves are stripped until none is left: they are trees that hang on the rest.
// Without the reference member, what stays must fall into chains, each joined to it once and to the support; and a chain must be a row of
// single joints and of blocks, parts in which joints close loops, that one passes on the way from the support to the tip. Blocks
// are what is left connected when any one link is taken away.     [Hopcroft & Tarjan 1973]
// Or a chain is a tree, whose branches all end at the reference member.

#include <algorithm>
#include <optional>

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
    if (loops_in_chains_ || branches_) {
      star_.chains = branches_ ? chains_with_branches(reference) : chains_with_blocks(reference);
      star_.reference = reference - 1;
    } else {
      walk_chains(reference);
    }
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
  bool loops_in_chains_ = false, branches_ = false;

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
      const int with_blocks = choose_among(inner, [this](int node) { return !chains_with_blocks(node).empty(); });
      loops_in_chains_ = with_blocks >= 0;
      if (loops_in_chains_) return with_blocks;
      const int with_branches = choose_among(inner, [this](int node) { return !chains_with_branches(node).empty(); });
      branches_ = with_branches >= 0;
      if (branches_) return with_branches;
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

  // --- loops inside chains -------------------------------------------------------------------------------------------

  // The link at which most chains meet, of those that serve.
  template <class Serves>
  int choose_among(std::vector<int> links, const Serves& serves) const {
    std::stable_sort(links.begin(), links.end(), [this](int a, int b) { return degree_[a] > degree_[b]; });
    const std::size_t most_tries = 3 + 100'000 / edges_.size();  // each looks at the whole mechanism
    if (links.size() > most_tries) links.resize(most_tries);
    for (const int node : links) {
      if (serves(node)) return node;
    }
    return -1;
  }

  // Empty where the link is no reference member.
  std::vector<StarChain> chains_with_blocks(int reference) const {
    std::vector<StarChain> chains;
    std::vector<char> is_done(at_.size(), 0);
    is_done[reference] = is_done[support_node] = 1;
    for (const int tip : at_[reference]) {
      if (!edges_[tip].live) continue;
      const int first = next_node(tip, reference);
      if (first != support_node && is_done[first] != 0) return {};  // two joints hold on to one chain
      std::optional<StarChain> chain = pass_blocks(reference, tip, is_done);
      if (!chain) return {};
      chains.push_back(std::move(*chain));
    }
    for (std::size_t node = 1; node < at_.size(); ++node) {
      if (degree_[node] > 0 && is_done[node] == 0) return {};
    }
    return chains;
  }

  struct Block {
    int top = 0;  // the node nearest to the support
    std::vector<int> edges;
  };

  // All nodes that one reaches from one without passing the reference member or the support.
  std::vector<char> part_of(int from, int reference) const {
    std::vector<char> is_in(at_.size(), 0);
    std::vector<int> queue{from};
    is_in[from] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const int e : at_[queue[i]]) {
        const int other = next_node(e, queue[i]);
        if (!edges_[e].live || other == reference || other == support_node || is_in[other] != 0) continue;
        is_in[other] = 1;
        queue.push_back(other);
      }
    }
    return is_in;
  }

  // Of a part and the support, depth first from there; `by` gets the edge by which each node was reached.
  std::vector<Block> blocks_of(const std::vector<char>& is_in, std::vector<int>& by) const {
    std::vector<Block> blocks;
    std::vector<int> order(at_.size(), 0), low(at_.size(), 0), stack, walk{support_node};
    std::vector<std::size_t> next(at_.size(), 0);
    by.assign(at_.size(), -1);
    int count = 1;
    order[support_node] = low[support_node] = count;
    while (!walk.empty()) {
      const int node = walk.back();
      if (next[node] < at_[node].size()) {
        const int e = at_[node][next[node]++], other = next_node(e, node);
        if (!edges_[e].live || e == by[node] || (other != support_node && is_in[other] == 0)) continue;
        if (order[other] == 0) {
          by[other] = e;
          order[other] = low[other] = ++count;
          stack.push_back(e);
          walk.push_back(other);
        } else if (order[other] < order[node]) {
          stack.push_back(e);
          low[node] = std::min(low[node], order[other]);
        }
        continue;
      }
      walk.pop_back();
      if (node == support_node) break;
      const int parent = next_node(by[node], node);
      low[parent] = std::min(low[parent], low[node]);
      if (low[node] < order[parent]) continue;
      Block block{parent, {}};
      do {
        block.edges.push_back(stack.back());
        stack.pop_back();
      } while (block.edges.back() != by[node]);
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  // The chain at whose tip the edge is; nothing where it does not lead to the support, or loops hang on it.
  std::optional<StarChain> pass_blocks(int reference, int tip, std::vector<char>& is_done) const {
    StarChain chain;
    const int last = next_node(tip, reference);
    if (last == support_node) {
      chain.joints = {edges_[tip].joint};
      chain.support = support_link(chain);
      return chain;
    }
    const std::vector<char> is_in = part_of(last, reference);
    for (std::size_t node = 0; node < is_in.size(); ++node) is_done[node] |= is_in[node];
    std::vector<int> by;
    const std::vector<Block> blocks = blocks_of(is_in, by);
    if (by[last] < 0) return std::nullopt;
    std::vector<const Block*> of_edge(edges_.size(), nullptr);
    for (const Block& block : blocks) {
      for (const int e : block.edges) of_edge[e] = &block;
    }
    std::size_t passed = 0;
    for (int node = last; node != support_node; ++passed) {  // from the tip to the support
      const Block& block = *of_edge[by[node]];
      chain.links.push_back(node - 1);
      chain.joints.push_back(block.edges.size() == 1 ? edges_[block.edges.front()].joint : -1);
      if (block.edges.size() > 1) {
        if (is_prescribed(block)) return std::nullopt;
        chain.blocks.push_back(as_star_block(block, edges_));
      }
      node = block.top;
    }
    if (passed != blocks.size()) return std::nullopt;
    std::reverse(chain.links.begin(), chain.links.end());
    std::reverse(chain.joints.begin(), chain.joints.end());
    std::reverse(chain.blocks.begin(), chain.blocks.end());
    if (chain.joints.front() >= 0) chain.support = support_link(chain);
    chain.joints.push_back(edges_[tip].joint);
    return chain;
  }

  bool is_prescribed(const Block& block) const {
    for (const int e : block.edges) {
      const JointInfo& joint = mech_.joints[edges_[e].joint];
      if (prescribed_.empty() || joint.role != JointRole::tree) continue;
      for (int k = joint.v; k < joint.v + joint.nv; ++k) {
        if (prescribed_[k] != 0) return true;
      }
    }
    return false;
  }

  static StarBlock as_star_block(const Block& block, const std::vector<Edge>& edges) {
    StarBlock result;
    for (auto e = block.edges.rbegin(); e != block.edges.rend(); ++e) {
      result.joints.push_back(edges[*e].joint);
      for (const int node : {edges[*e].a, edges[*e].b}) {
        const bool is_new = std::find(result.links.begin(), result.links.end(), node - 1) == result.links.end();
        if (node != block.top && node != support_node && is_new) result.links.push_back(node - 1);
      }
    }
    return result;
  }

  // --- chains with several tips --------------------------------------------------------------------------------------

  // Empty where the link is no reference member.
  std::vector<StarChain> chains_with_branches(int reference) const {
    std::vector<StarChain> chains;
    std::vector<char> is_done(at_.size(), 0);
    is_done[reference] = is_done[support_node] = 1;
    for (const int tip : at_[reference]) {
      if (!edges_[tip].live) continue;
      const int last = next_node(tip, reference);
      if (last == support_node) {
        StarChain chain;
        chain.joints = {edges_[tip].joint};
        chain.support = support_link(chain);
        chains.push_back(std::move(chain));
        continue;
      }
      if (is_done[last] != 0) continue;  // a tip of a chain that is there already
      std::optional<StarChain> chain = pass_tree(reference, last, is_done);
      if (!chain) return {};
      chains.push_back(std::move(*chain));
    }
    for (std::size_t node = 1; node < at_.size(); ++node) {
      if (degree_[node] > 0 && is_done[node] == 0) return {};
    }
    return chains;
  }

  // The part that a link belongs to, from the support outward; nothing where it is no tree on one joint, or its tips are too many.
  std::optional<StarChain> pass_tree(int reference, int any, std::vector<char>& is_done) const {
    const std::vector<char> is_in = part_of(any, reference);
    int root = -1, roots = 0, nodes = 0, ends = 0, rows = 0;  // `ends`: of edges within
    for (std::size_t node = 1; node < is_in.size(); ++node) {
      if (is_in[node] == 0) continue;
      is_done[node] = 1;
      ++nodes;
      for (const int e : at_[node]) {
        if (!edges_[e].live) continue;
        const int other = next_node(e, static_cast<int>(node));
        if (other == support_node) {
          root = e;
          ++roots;
        } else if (other == reference) {
          rows += rows_at_tip(edges_[e].joint);
        } else {
          ++ends;
        }
      }
    }
    if (roots != 1 || ends != 2 * (nodes - 1) || rows > 6) return std::nullopt;
    StarChain chain;
    follow_tree(reference, root, next_node(root, support_node), chain, -1);
    chain.support = support_link(chain);
    return chain;
  }
  int rows_at_tip(int joint) const {
    const JointInfo& info = mech_.joints[joint];
    int rows = 6 - info.nv;
    for (int k = info.v; info.role == JointRole::tree && k < info.v + info.nv; ++k) {
      rows += mech_.parameters.armature[k] != 0 || (!prescribed_.empty() && prescribed_[k] != 0);
    }
    return rows;
  }

  // From a node that an edge leads to: what goes on first belongs to the chain, or to the branch of that index, the rest to new branches.
  void follow_tree(int reference, int by, int node, StarChain& chain, int branch) const {
    const auto joints_of = [&chain](int b) -> std::vector<int>& {
      return b < 0 ? chain.joints : chain.branches[static_cast<std::size_t>(b)].joints;
    };
    joints_of(branch).push_back(edges_[by].joint);
    (branch < 0 ? chain.links : chain.branches[static_cast<std::size_t>(branch)].links).push_back(node - 1);
    bool goes_on = false;
    for (const int e : at_[node]) {
      if (!edges_[e].live || e == by) continue;
      int onto = branch;
      if (goes_on) {
        onto = static_cast<int>(chain.branches.size());
        chain.branches.push_back({.from = node - 1, .links = {}, .joints = {}});
      }
      goes_on = true;
      const int other = next_node(e, node);
      if (other == reference) {
        joints_of(onto).push_back(edges_[e].joint);
      } else {
        follow_tree(reference, e, other, chain, onto);
      }
    }
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
