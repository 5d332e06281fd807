// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A star as its recursions walk it: indices, made once. Chains run from the support to the reference member, whichever way the spanning
// tree runs through them and wherever it was cut. Where the tree runs the other way, a joint's columns change sign, its
// coordinates stay.

#include <array>
#include <vector>

#include <trammel/lilly_orin.hpp>

#include "dynamics/lilly_orin/joint_space.hpp"

namespace trammel {

// A joint that closes a loop: it has no coordinates, its columns are made from the poses of its bodies.
struct ClosurePlan {
  int joint = -1;
  int link_F = ground, link_M = ground;  // of its first and second body
  Transformd X_LF, X_LM;                 // its frames there (in W for the ground)
  AnyJoint type;
  int nv = 0;
  JointSpace space;
};

struct ChainLink {
  int link = 0;
  int before = ground;         // the link before it in the chain, or the support
  int freedom = 0, nv = 0;     // its joint's entries in StarArrays::freedoms
  int factor = 0;              // and in StarArrays::factors, nv² of them
  int dof = -1;                // the joint's first freedom of v; −1: a closure
  bool against = false;        // the tree runs from this link to the one before
  int closure = -1;            // index of ClosurePlan
  bool second_is_here = true;  // of a closure: its second body is on this link
  int block = -1;              // index of BlockPlan: the link is its exit, and all before is in there
  int bias = -1;               // index in StarArrays::bias of a closure or a block
  bool collects = false;       // trees or branches hang on this link
};

// Loops in a chain; see blocks.hpp. The tree within it begins at the entry, whatever the mechanism's own.
struct BlockClosing {
  struct Passed {
    int link = 0;  // index in BlockPlan::links
    bool towards_second = true;
  };
  int closure = -1;
  std::vector<Passed> path;  // links whose joints lie on the loop
};
struct BlockPlan {
  std::vector<ChainLink> links;  // from the entry outwards; `before`, `against` and `freedom` are of the block's tree
  std::vector<int> parent;       // index in links; −1: the entry, or the support
  std::vector<BlockClosing> closings;
  std::vector<int> joints;
  int exit_index = 0;
  int freedom_count = 0, row_count = 0;

  int exit() const { return links[static_cast<std::size_t>(exit_index)].link; }
};

// A joint by which a chain holds the reference member.
struct TipPlan {
  int joint = -1;
  int number = 0;     // of all tips: chain by chain, those of branches after the chain's own (StarChain::tip_joint)
  int link = ground;  // that the joint stands on: the last of its segment, or the support
  int carrier = -1;   // in the tree: the link that it carries, the reference member or (against) the tip
  bool against = false;
  int dof = -1, nv = 0;
  int closure = -1;
  bool second_is_reference = true;  // of a closure; of a leg: its second body is the leg's last link
  JointSpace space;                 // as walked in the tree, or of the closure
};

// Links that the same tips are held by, one after the other. Most chains have one; where branches leave, it ends.
struct SegmentPlan {
  int first = 0, count = 0;          // in StarPlan::links, from the base outward
  int first_tip = 0, tip_count = 0;  // in the chain: all tips beyond it
  int onto = -1;                     // the link that it leaves, the last of a segment before; −1: it begins the chain
};

struct ChainPlan {
  int first = 0, count = 0;                  // of its links in StarPlan::links
  int first_segment = 0, segment_count = 0;  // in StarPlan::segments, those that others leave before those
  int first_tip = 0, tip_count = 0;          // in StarPlan::tips
  // A leg: the tree carries it from the reference member outward, and its tip is cut from the support; links run that way then.
  bool is_leg = false;
  // All its joints are the tree's, walked as the tree runs, none is prescribed, and nothing hangs on it: the tree's own kernels serve.
  bool is_plain = false;
  bool holds_by_ball = false;  // plain, by one tip, and that a ball
  bool all_single = false;     // each joint has one freedom
  // Plain, and in most positions its freedoms follow from the motion of the reference member: see determined_chain.hpp.
  bool may_be_determined = false;
  std::array<int, 5> dofs{};  // of such a chain: its freedoms, three, or those of the hinge and of its two rods
  std::vector<int> hanging;   // links of trees that hang on it, tips first
  // Its links, with those that hang on it, in the order of the tree: those that the tree reaches before the reference
  // member, and those that it reaches from there.
  std::vector<int> before_reference, after_reference;
};

struct StarPlan {
  int reference = 0;
  bool reference_collects = false;
  std::vector<ChainLink> links;
  std::vector<ChainPlan> chains;
  std::vector<SegmentPlan> segments;
  std::vector<TipPlan> tips;
  std::vector<ClosurePlan> closures;
  std::vector<BlockPlan> blocks;
  std::vector<char> is_support;         // per link
  std::vector<char> is_in_plain_chain;  // per link
  std::vector<int> other_links;         // in no plain chain, in the order of the tree
  std::vector<int> reference_hanging;   // links of trees on the reference member, tips first
  std::vector<int> support_hanging;     // and on the support
  std::vector<int> support_links;       // the support's links and what hangs on them, in the order of the tree
  std::vector<int> reference_links;     // the reference member and what hangs on it, likewise
  std::vector<int> collecting;          // links that hang, and those they or branches hang on
  int freedom_count = 0, factor_count = 0, bias_count = 0;
  double length = 1;  // a characteristic length, m: makes turns and travels comparable where ranks are decided
};

StarPlan plan_star(const Mechanism& mechanism, const Star& star);

}  // namespace trammel
