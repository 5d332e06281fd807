// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamics/lilly_orin/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trammel {
namespace {

class Planner {
 public:
  Planner(const Mechanism& mech, const Star& star) : mech_(mech), star_(star) {}

  StarPlan run() {
    plan_.reference = star_.reference;
    mark_support();
    for (const StarChain& chain : star_.chains) {
      if (is_better_as_leg(chain)) {
        add_leg(chain);
      } else {
        add_chain(chain);
      }
    }
    hang_trees();
    find_length();
    return std::move(plan_);
  }

 private:
  const Mechanism& mech_;
  const Star& star_;
  StarPlan plan_;

  int link_of(int body) const { return body == ground ? ground : mech_.bodies[body].link; }
  bool on_support(int link) const { return link == ground || plan_.is_support[link] != 0; }

  void mark_support() {
    for (const Link& link : mech_.links) {
      bool given = !star_.prescribed.empty() && on_support(link.parent);
      for (int k = link.v; given && k < link.v + link.nv; ++k) given = star_.prescribed[k] != 0;
      plan_.is_support.push_back(given);
    }
  }

  int add_closure(int joint) {
    const JointInfo& info = mech_.joints[joint];
    const auto in_link = [this](int body, const Transformd& X) {
      return body == ground ? X : mech_.parameters.X_LB[body] * X;
    };
    plan_.closures.push_back({joint, link_of(info.first), link_of(info.second), in_link(info.first, info.X_AF),
                              in_link(info.second, info.X_BM), info.type, info.nv, find_joint_space(info.type)});
    return static_cast<int>(plan_.closures.size()) - 1;
  }

  void add_chain(const StarChain& chain) {
    ChainPlan plan;
    plan.first = static_cast<int>(plan_.links.size());
    plan.count = static_cast<int>(chain.links.size());
    int before = chain.support;
    auto block = chain.blocks.begin();
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      if (chain.joints[i] < 0) {
        add_block(*block++, before, chain.links[i]);
        before = chain.links[i];
        continue;
      }
      const JointInfo& info = mech_.joints[chain.joints[i]];
      ChainLink step{.link = chain.links[i],
                     .before = before,
                     .freedom = plan_.freedom_count,
                     .nv = info.nv,
                     .factor = plan_.factor_count};
      set_joint(step, chain.joints[i]);
      if (step.closure >= 0) step.bias = plan_.bias_count++;
      plan_.freedom_count += step.nv;
      plan_.factor_count += step.nv * step.nv;
      plan_.links.push_back(step);
      before = step.link;
    }
    const JointInfo& tip = mech_.joints[chain.tip_joint()];
    plan.tip = before;
    plan.tip_nv = tip.nv;
    if (tip.role == JointRole::tree) {
      plan.tip_dof = tip.v;
      plan.tip_carrier = tip.link;
      plan.tip_against = tip.link != star_.reference;
      plan.tip_space = find_joint_space(mech_.links[tip.link].type);
    } else {
      plan.tip_closure = add_closure(chain.tip_joint());
      plan.second_is_reference = plan_.closures.back().link_M == star_.reference;
      plan.tip_space = plan_.closures.back().space;
    }
    plan_.chains.push_back(plan);
  }

  // Fewer rows are propagated from a foot that is a ball than from a hip that is a hinge.
  bool is_better_as_leg(const StarChain& chain) const {
    if (chain.links.empty() || !chain.blocks.empty() || mech_.joints[chain.joints[0]].role == JointRole::tree)
      return false;
    if (mech_.joints[chain.joints[0]].nv <= mech_.joints[chain.tip_joint()].nv) return false;
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      const int before = i + 1 < chain.links.size() ? chain.links[i + 1] : star_.reference;
      if (mech_.links[chain.links[i]].parent != before) return false;
    }
    return true;
  }
  void add_leg(const StarChain& chain) {
    ChainPlan plan;
    plan.is_leg = true;
    plan.first = static_cast<int>(plan_.links.size());
    plan.count = static_cast<int>(chain.links.size());
    int before = star_.reference;
    for (const int link : std::vector<int>(chain.links.rbegin(), chain.links.rend())) {
      const int joint = mech_.links[link].joint;
      ChainLink step{.link = link, .before = before, .freedom = plan_.freedom_count, .factor = plan_.factor_count};
      set_joint(step, joint);
      plan_.freedom_count += step.nv;
      plan_.factor_count += step.nv * step.nv;
      plan_.links.push_back(step);
      before = link;
    }
    plan.tip = before;
    plan.tip_nv = mech_.joints[chain.joints[0]].nv;
    plan.tip_closure = add_closure(chain.joints[0]);
    plan.second_is_reference = plan_.closures.back().link_M == plan.tip;
    plan.tip_space = plan_.closures.back().space;
    plan_.chains.push_back(plan);
  }

  // How the joint carries the link of the step, in the tree or closing a loop.
  void set_joint(ChainLink& step, int joint) {
    const JointInfo& info = mech_.joints[joint];
    step.nv = info.nv;
    if (info.role == JointRole::tree) {
      step.dof = info.v;
      step.against = info.link != step.link;
    } else {
      step.closure = add_closure(joint);
      step.second_is_here = plan_.closures.back().link_M == step.link;
    }
  }

  // A tree from the entry through all links of the block: of the mechanism's own tree as far as that goes, for its joints have
  // coordinates; closures where it falls apart. What closures are left close the loops.
  void add_block(const StarBlock& links, int entry, int exit) {
    const int count = static_cast<int>(links.links.size());
    std::vector<int> joints = links.joints;
    std::stable_partition(joints.begin(), joints.end(), [&](int j) { return mech_.joints[j].role == JointRole::tree; });
    const auto index_of = [&](int body) {  // of a link of the block; the entry and the support come last
      const auto found = std::find(links.links.begin(), links.links.end(), link_of(body));
      return static_cast<int>(found - links.links.begin());
    };
    struct Side {
      int joint, other;
    };
    std::vector<std::vector<Side>> tree(links.links.size() + 1);
    std::vector<int> group(links.links.size() + 1), closing;
    std::iota(group.begin(), group.end(), 0);
    for (const int j : joints) {
      const int a = index_of(mech_.joints[j].first), b = index_of(mech_.joints[j].second);
      const int from = group[a], to = group[b];
      if (from == to) {
        closing.push_back(j);
        continue;
      }
      tree[a].push_back({j, b});
      tree[b].push_back({j, a});
      std::replace(group.begin(), group.end(), from, to);
    }

    BlockPlan block;
    block.joints = links.joints;
    std::vector<int> place(links.links.size() + 1, -1);  // in block.links
    std::vector<int> queue{count};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const int from = queue[i];
      for (const auto& [joint, other] : tree[from]) {
        if (other == count || place[other] >= 0) continue;
        ChainLink step{.link = links.links[other],
                       .before = from == count ? entry : links.links[from],
                       .freedom = block.freedom_count};
        set_joint(step, joint);
        block.freedom_count += step.nv;
        place[other] = static_cast<int>(block.links.size());
        block.links.push_back(step);
        block.parent.push_back(place[from]);
        queue.push_back(other);
      }
    }
    for (std::size_t i = 0; i < block.links.size(); ++i) {
      if (block.links[i].link == exit) block.exit_index = static_cast<int>(i);
    }
    for (const int j : closing) {
      BlockClosing loop;
      loop.closure = add_closure(j);
      std::vector<int> passes(block.links.size(), 0);
      for (int i = place[index_of(mech_.joints[j].second)]; i >= 0; i = block.parent[i]) ++passes[i];
      for (int i = place[index_of(mech_.joints[j].first)]; i >= 0; i = block.parent[i]) --passes[i];
      for (std::size_t i = 0; i < passes.size(); ++i) {
        if (passes[i] != 0) loop.path.push_back({static_cast<int>(i), passes[i] > 0});
      }
      block.row_count += 6 - mech_.joints[j].nv;
      block.closings.push_back(std::move(loop));
    }
    ChainLink step{.link = exit, .before = entry, .freedom = plan_.freedom_count, .factor = plan_.factor_count};
    step.block = static_cast<int>(plan_.blocks.size());
    step.bias = plan_.bias_count++;
    plan_.freedom_count += block.freedom_count;
    plan_.factor_count += block.freedom_count * block.freedom_count;
    plan_.links.push_back(step);
    plan_.blocks.push_back(std::move(block));
  }

  // Every other link hangs on a chain, on the reference member or on the support, as the tree has it.
  void hang_trees() {
    constexpr int on_reference = -1, on_the_support = -2, unknown = -3;
    std::vector<int> owner(mech_.links.size(), unknown);
    std::vector<ChainLink*> step_of(mech_.links.size(), nullptr);
    for (std::size_t c = 0; c < plan_.chains.size(); ++c) {
      const ChainPlan& chain = plan_.chains[c];
      for (int i = chain.first; i < chain.first + chain.count; ++i) {
        const auto own = [&](ChainLink& step) {
          owner[step.link] = static_cast<int>(c);
          step_of[step.link] = &step;
        };
        if (const int b = plan_.links[i].block; b >= 0) {
          for (ChainLink& step : plan_.blocks[b].links) own(step);
        }
        own(plan_.links[i]);
      }
    }
    owner[star_.reference] = on_reference;
    for (int l = 0; l < mech_.link_count(); ++l) {
      if (on_support(l)) {
        owner[l] = on_the_support;
      } else if (owner[l] == unknown) {
        const int parent = mech_.links[l].parent;
        owner[l] = parent == ground ? on_the_support : owner[parent];
        if (parent == star_.reference) plan_.reference_collects = true;
        if (parent != ground && step_of[parent] != nullptr) step_of[parent]->collects = true;
        std::vector<int>& list = owner[l] == on_reference     ? plan_.reference_hanging
                                 : owner[l] == on_the_support ? plan_.support_hanging
                                                              : plan_.chains[owner[l]].hanging;
        list.push_back(l);
      }
    }
    order_outward(owner, on_reference, on_the_support);
    const auto tips_first = [](std::vector<int>& list) {
      std::reverse(list.begin(), list.end());
    };  // numbered from the base
    tips_first(plan_.reference_hanging);
    tips_first(plan_.support_hanging);
    for (ChainPlan& chain : plan_.chains) tips_first(chain.hanging);
    const auto collect = [&](const std::vector<int>& hanging) {
      for (const int l : hanging) {
        plan_.collecting.push_back(l);
        if (mech_.links[l].parent != ground) plan_.collecting.push_back(mech_.links[l].parent);
      }
    };
    collect(plan_.reference_hanging), collect(plan_.support_hanging);
    for (const ChainPlan& chain : plan_.chains) collect(chain.hanging);
  }

  void order_outward(const std::vector<int>& owner, int on_reference, int on_the_support) {
    std::vector<char> beyond(mech_.links.size(), 0);  // the tree reaches it through the reference member
    for (int l = 0; l < mech_.link_count(); ++l) {
      const int parent = mech_.links[l].parent;
      beyond[l] = parent != ground && (parent == star_.reference || beyond[parent] != 0);
      if (owner[l] == on_reference) plan_.reference_links.push_back(l);
      if (owner[l] == on_the_support) plan_.support_links.push_back(l);
      if (owner[l] < 0) continue;
      ChainPlan& chain = plan_.chains[owner[l]];
      (beyond[l] != 0 ? chain.after_reference : chain.before_reference).push_back(l);
    }
  }

  // How far the tips are from the reference member's centre of mass, or its radius of gyration.
  void find_length() {
    const LinkInertia<double>& at_C = mech_.parameters.inertia[star_.reference];
    double length = at_C.mass > 0 ? std::sqrt(trace(at_C.I_C) / (2 * at_C.mass)) : 0;
    for (const ChainPlan& chain : plan_.chains) {
      Vec3d p;  // the tip joint in the reference member
      if (chain.is_leg) {
        p = mech_.parameters.X_PF[plan_.links[chain.first].link].p;
      } else if (chain.tip_closure >= 0) {
        const ClosurePlan& closure = plan_.closures[chain.tip_closure];
        p = chain.second_is_reference ? closure.X_LM.p : closure.X_LF.p;
      } else if (chain.tip_against) {
        p = mech_.parameters.X_PF[chain.tip_carrier].p;
      }
      length = std::max(length, norm(p - at_C.com));
    }
    if (length > 0 && std::isfinite(length)) plan_.length = length;
  }
};

}  // namespace

StarPlan plan_star(const Mechanism& mechanism, const Star& star) { return Planner(mechanism, star).run(); }

}  // namespace trammel
