// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamics/lilly_orin/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

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
    number_tips();
    hang_trees();
    find_plain_chains();
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

  void number_tips() {
    int before = 0;
    for (std::size_t c = 0; c < star_.chains.size(); ++c) {
      const ChainPlan& plan = plan_.chains[c];
      for (int given = 0; given < plan.tip_count; ++given) {
        for (int t = plan.first_tip; t < plan.first_tip + plan.tip_count; ++t) {
          if (plan_.tips[t].joint == star_.chains[c].tip_joint(given)) plan_.tips[t].number = before + given;
        }
      }
      before += plan.tip_count;
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
    plan.first_segment = static_cast<int>(plan_.segments.size());
    plan.first_tip = static_cast<int>(plan_.tips.size());
    if (chain.branches.empty()) {
      add_single_segment(chain);
    } else {
      const ChainTree tree(chain);
      add_segment(tree, plan, -1, chain.support, 0);
    }
    plan.count = static_cast<int>(plan_.links.size()) - plan.first;
    plan.segment_count = static_cast<int>(plan_.segments.size()) - plan.first_segment;
    plan.tip_count = static_cast<int>(plan_.tips.size()) - plan.first_tip;
    plan_.chains.push_back(plan);
  }

  void add_single_segment(const StarChain& chain) {
    SegmentPlan segment{.first = static_cast<int>(plan_.links.size()), .tip_count = 1};
    int before = chain.support;
    auto block = chain.blocks.begin();
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      if (chain.joints[i] < 0) {
        add_block(*block++, before, chain.links[i]);
      } else {
        add_link(chain.links[i], before, chain.joints[i]);
      }
      before = chain.links[i];
    }
    segment.count = static_cast<int>(plan_.links.size()) - segment.first;
    plan_.segments.push_back(segment);
    add_tip(before, chain.tip_joint());
  }

  void add_link(int link, int before, int joint) {
    ChainLink step{.link = link, .before = before, .freedom = plan_.freedom_count, .factor = plan_.factor_count};
    set_joint(step, joint);
    if (step.closure >= 0) step.bias = plan_.bias_count++;
    plan_.freedom_count += step.nv;
    plan_.factor_count += step.nv * step.nv;
    plan_.links.push_back(step);
  }

  void add_tip(int link, int joint) {
    const JointInfo& info = mech_.joints[joint];
    TipPlan tip;
    tip.joint = joint;
    tip.link = link;
    tip.nv = info.nv;
    if (info.role == JointRole::tree) {
      tip.dof = info.v;
      tip.carrier = info.link;
      tip.against = info.link != star_.reference;
      tip.space = find_joint_space(mech_.links[info.link].type);
    } else {
      tip.closure = add_closure(joint);
      tip.second_is_reference = plan_.closures.back().link_M == star_.reference;
      tip.space = plan_.closures.back().space;
    }
    plan_.tips.push_back(std::move(tip));
  }

  // A chain with branches: what leaves each of its links.
  struct ChainTree {
    struct Step {
      int link, joint;
    };
    std::map<int, std::vector<Step>> next;  // by link
    std::map<int, std::vector<int>> tips;   // joints, likewise
    Step first;

    explicit ChainTree(const StarChain& chain) : first{chain.links[0], chain.joints[0]} {
      follow(chain.links[0], std::span(chain.links).subspan(1), std::span(chain.joints).subspan(1));
      for (const StarBranch& branch : chain.branches) follow(branch.from, branch.links, branch.joints);
    }
    void follow(int from, std::span<const int> links, std::span<const int> joints) {
      for (std::size_t i = 0; i < links.size(); ++i) {
        next[from].push_back({links[i], joints[i]});
        from = links[i];
      }
      tips[from].push_back(joints.back());
    }
  };

  // The segment that begins with a step from `before`, and all that leave it.
  void add_segment(const ChainTree& tree, const ChainPlan& chain, int onto, int before, std::size_t which) {
    const std::size_t index = plan_.segments.size();
    SegmentPlan segment{.first = static_cast<int>(plan_.links.size()), .onto = onto};
    segment.first_tip = static_cast<int>(plan_.tips.size()) - chain.first_tip;
    const auto steps_from = [&](int link) {
      const auto found = tree.next.find(link);
      return found == tree.next.end() ? std::vector<ChainTree::Step>{} : found->second;
    };
    const auto tips_of = [&](int link) {
      const auto found = tree.tips.find(link);
      return found == tree.tips.end() ? std::vector<int>{} : found->second;
    };
    ChainTree::Step step = onto < 0 ? tree.first : steps_from(onto)[which];
    for (;;) {
      add_link(step.link, before, step.joint);
      before = step.link;
      const std::vector<ChainTree::Step> further = steps_from(step.link);
      if (further.size() != 1 || !tips_of(step.link).empty()) break;
      step = further.front();
    }
    segment.count = static_cast<int>(plan_.links.size()) - segment.first;
    plan_.segments.push_back(segment);
    for (const int joint : tips_of(before)) add_tip(before, joint);
    const std::size_t leaving = steps_from(before).size();
    if (leaving > 0) {
      plan_.links.back().collects = true;
      plan_.collecting.push_back(before);
    }
    for (std::size_t k = 0; k < leaving; ++k) add_segment(tree, chain, before, before, k);
    plan_.segments[index].tip_count =
        static_cast<int>(plan_.tips.size()) - chain.first_tip - plan_.segments[index].first_tip;
  }

  // Fewer rows are propagated from a foot that is a ball than from a hip that is a hinge.
  bool is_better_as_leg(const StarChain& chain) const {
    if (!chain.branches.empty()) return false;
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
    plan.first_segment = static_cast<int>(plan_.segments.size());
    plan.first_tip = static_cast<int>(plan_.tips.size());
    plan.segment_count = plan.tip_count = 1;
    plan_.segments.push_back({.first = plan.first, .count = plan.count, .tip_count = 1});
    int before = star_.reference;
    for (auto link = chain.links.rbegin(); link != chain.links.rend(); ++link) {
      add_link(*link, before, mech_.links[*link].joint);
      before = *link;
    }
    TipPlan tip;
    tip.joint = chain.tip_joint();  // at the reference member, whose force is asked for
    tip.link = before;
    tip.nv = mech_.joints[chain.joints[0]].nv;
    tip.closure = add_closure(chain.joints[0]);
    tip.second_is_reference = plan_.closures.back().link_M == tip.link;
    tip.space = plan_.closures.back().space;
    plan_.tips.push_back(std::move(tip));
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

  void find_plain_chains() {
    plan_.is_in_plain_chain.assign(mech_.links.size(), 0);
    for (ChainPlan& chain : plan_.chains) {
      const std::span<const ChainLink> steps(plan_.links.data() + chain.first, static_cast<std::size_t>(chain.count));
      chain.is_plain = chain.count > 0 && chain.hanging.empty() &&
                       std::all_of(steps.begin(), steps.end(), [this](const ChainLink& step) {
                         if (step.closure >= 0 || step.block >= 0 || step.against || step.dof < 0) return false;
                         for (int k = step.dof; k < step.dof + step.nv && !star_.prescribed.empty(); ++k) {
                           if (star_.prescribed[k] != 0) return false;
                         }
                         return true;
                       });
      if (!chain.is_plain) continue;
      const JointSpace& space = plan_.tips[chain.first_tip].space;
      chain.holds_by_ball = chain.segment_count == 1 && chain.tip_count == 1 && space.constant &&
                            space.forces.all_travels && space.forces.size() == 3;
      chain.all_single = std::all_of(steps.begin(), steps.end(), [](const ChainLink& step) { return step.nv == 1; });
      for (const ChainLink& step : steps) plan_.is_in_plain_chain[step.link] = 1;
      chain.may_be_determined = may_be_determined(chain);
    }
    for (int l = 0; l < mech_.link_count(); ++l) {
      if (plan_.is_in_plain_chain[l] == 0) plan_.other_links.push_back(l);
    }
  }

  // Three freedoms to a ball; or one that two rods leave, of two freedoms to a ball each.
  bool may_be_determined(ChainPlan& chain) const {
    int count = 0;
    for (int i = chain.first; i < chain.first + chain.count; ++i) {
      const ChainLink& step = plan_.links[i];
      for (int k = 0; k < step.nv; ++k, ++count) {
        if (count < 5) chain.dofs[static_cast<std::size_t>(count)] = step.dof + k;
      }
    }
    for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
      const TipPlan& tip = plan_.tips[t];
      const bool is_ball = tip.space.constant && tip.space.forces.all_travels && tip.space.forces.size() == 3;
      if (!is_ball || (tip.closure < 0 && !tip.space.orthonormal)) return false;
    }
    const auto freedoms = [&](int s) {
      const SegmentPlan& segment = plan_.segments[chain.first_segment + s];
      int n = 0;
      for (int i = segment.first; i < segment.first + segment.count; ++i) n += plan_.links[i].nv;
      return n;
    };
    if (chain.tip_count == 1 && chain.segment_count == 1) return count == 3;
    return chain.tip_count == 2 && chain.segment_count == 3 && freedoms(0) == 1 && freedoms(1) == 2 && freedoms(2) == 2;
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
      for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
        const TipPlan& tip = plan_.tips[t];
        Vec3d p;  // the tip joint in the reference member
        if (chain.is_leg) {
          p = mech_.parameters.X_PF[plan_.links[chain.first].link].p;
        } else if (tip.closure >= 0) {
          const ClosurePlan& closure = plan_.closures[tip.closure];
          p = tip.second_is_reference ? closure.X_LM.p : closure.X_LF.p;
        } else if (tip.against) {
          p = mech_.parameters.X_PF[tip.carrier].p;
        }
        length = std::max(length, norm(p - at_C.com));
      }
    }
    if (length > 0 && std::isfinite(length)) plan_.length = length;
  }
};

}  // namespace

StarPlan plan_star(const Mechanism& mechanism, const Star& star) { return Planner(mechanism, star).run(); }

}  // namespace trammel
