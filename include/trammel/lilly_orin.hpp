// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forward dynamics of simple closed chains in O(mN): one reference member held by m chains of up to N links, after Lilly and Orin
// (1989). Type 0: arms or fingers on an object, whose support may move as prescribed. Type 1: legs under a body.
//
//   Star star = find_star(mechanism);
//   if (!star.found()) …                                  // star.why_not says why
//   LillyOrin solver(mechanism, star);
//   StarReport report = solver.forward_dynamics(q, v, tau, a);
//   solver.reference_acceleration_W(), solver.tip_force_W(k), solver.effective_inertia_W(…)
//
// What the support, the chains and the reference member carry besides may be any tree. Every joint type serves inside the chains and
// at their tips, in the tree or closing a loop, wherever compile() has cut; chains may have fewer or more than six freedoms and
// stand in singular postures. T is double or Counted. Nothing allocates after construction.
// Large stars run on several threads (set_threads).

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <trammel/core/counted.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/loads.hpp>

namespace trammel {

// Links of a chain between which joints close loops.
struct StarBlock {
  std::vector<int> links;   // all but the one it begins at
  std::vector<int> joints;  // among them and the one it begins at
};

// Leaves a chain at one of its links and holds the reference member by a tip of its own, as the second rod of a Delta robot's arm.
struct StarBranch {
  int from = ground;        // a link of the chain, or of a branch before this one
  std::vector<int> links;   // outward; empty where `from` itself has a second tip
  std::vector<int> joints;  // what carries each of them, and last the tip joint

  int tip_joint() const { return joints.back(); }
};

struct StarChain {
  int support = ground;  // the link it stands on: the ground, or one that moves as prescribed
  // From the support to the tip; empty where the reference member itself is joined to the support. Of a block that the
  // chain passes through, the link at its end.
  std::vector<int> links;
  std::vector<int>
      joints;  // what carries each of them (−1: a block), and last the tip joint, which holds the reference member
  std::vector<StarBlock> blocks;     // in the order of their −1 in `joints`
  std::vector<StarBranch> branches;  // a chain with branches has no blocks, and six rows at most at all its tips

  int tip_joint() const { return joints.back(); }
  int tip_count() const { return 1 + static_cast<int>(branches.size()); }
  int tip_joint(int tip) const {  // 0: its own; then those of branches
    return tip == 0 ? tip_joint() : branches[static_cast<std::size_t>(tip) - 1].tip_joint();
  }
};

struct Star {
  int reference = ground;  // link
  std::vector<StarChain> chains;
  std::vector<char> prescribed;  // per freedom; empty: none
  std::string why_not;           // for messages; empty where the mechanism is a star

  bool found() const { return why_not.empty(); }
};
// The star in a mechanism. `prescribed` marks freedoms whose accelerations will be given (empty: none): links that move as
// prescribed altogether belong to the support. Where any body of a single loop might be the reference member, one that floats is
// taken, else the one with the shortest chains.
Star find_star(const Mechanism& mechanism, std::span<const char> prescribed = {});

struct StarReport {
  int singular_joint = -1;  // a joint of a chain whose inertia vanishes, as in DynamicsVerdict: nothing is found then
  bool crowded = false;     // rotors that loads add give the tips of a chain with branches more than six rows: likewise
  bool determined = true;   // false: the reference member has no inertia in a direction that no chain resists
  bool forces_unique = true;  // false: tips hold against each other; the forces given are those of least norm
  int rows = 0;               // constraint rows of all tips
  int rank = 0;               // of all K together: rows − rank are directions in which tips cannot accelerate
  int held = 0;  // independent directions in which the reference member can therefore not accelerate by itself
  double residual =
      0;  // by how much those directions contradict each other, in m/s²; round-off unless v breaks the loops
  double conditioning =
      1;  // where ranks were decided: the least over the largest eigenvalue of the K of all chains, or pivot, zeros
          // left out, scaled; or, where that is less, pivot of a loop inside a chain

  bool ok() const { return singular_joint < 0 && determined && !crowded; }
};

// The steps of the algorithm, in the order in which each chain sees them; see docs/theory.md.
enum class LillyOrinStep {
  outward,        // poses, velocities, forces that links need; φᶜ of the tips
  open_chains,    // 1: the chains without the reference member
  propagation,    // 2: forces at the tips, propagated: Ω, K = φᶜᵀ Λ⁻¹ φᶜ and φᶜᵀ ẍ_open
  shares,         // 3: what each chain adds to the equation of the reference member
  reference,      // 4: the acceleration of the reference member
  tip_forces,     // 5: forces at the tips,
  accelerations,  //    and accelerations of all links
};

// What a call costs, with Counted.
struct StarOperations {
  std::array<OperationCount, 7> steps{};  // by LillyOrinStep, all chains together
  OperationCount total;
  // What is done one after the other when every chain has a thread of its own, and shares are added in pairs.
  OperationCount critical_path;

  const OperationCount& of(LillyOrinStep step) const { return steps[static_cast<std::size_t>(step)]; }
};

template <class T>
class BasicLillyOrin {
 public:
  // Keeps a reference to the mechanism. Throws std::invalid_argument where `star` was not found.
  BasicLillyOrin(const Mechanism& mechanism, const Star& star);
  ~BasicLillyOrin();
  BasicLillyOrin(BasicLillyOrin&&) noexcept;
  BasicLillyOrin& operator=(BasicLillyOrin&&) noexcept;

  const Star& star() const;
  // Masses, lengths, friction and gravity; at first the mechanism's own.
  void set_parameters(const Parameters<T>& parameters);

  // Accelerations of all freedoms of the tree; those prescribed are read from `a`. q and v must fulfil the closures. `known` holds, for
  // tip joints that close a loop, forces along their freedoms, as τ does for the others: one entry per tip, chain by chain, each as
  // many numbers as the joint has freedoms (its first body acts on its second); empty: none.
  StarReport forward_dynamics(In<T> q, In<T> v, In<T> tau, Out<T> a, const BasicLoads<T>& loads = {},
                              std::span<const std::array<T, 6>> known = {});

  // After forward_dynamics:

  // [α; classical acceleration of the origin] of any body, world axes.
  Motion<T> acceleration_W(int body) const;
  Motion<T> reference_acceleration_W() const;
  int reference_body() const;  // the body that the tree joint of the reference link carries
  // What a chain exerts on the reference member through its tip joint, or that of a branch (tip_joint(tip)): world axes, at the origin
  // of the joint's frame M. Where forces are not unique they are found now.
  Force<T> tip_force_W(int chain, int tip = 0) const;
  // The inertia that the reference member shows to a wrench at its origin, world axes, row-major, [α; a] → [n; f], and the inverse.
  // In the directions in which it is held the former is what it would be without; the latter is zero there.
  void effective_inertia_W(std::span<double, 36> inertia) const;
  void inverse_effective_inertia_W(std::span<double, 36> inverse) const;

  // Chains are worked on by several threads, up to one each. 0, as at first: by as many as the machine has, if the
  // star is so large that it pays; else by this many. Answers are the same to the last bit for any number.
  void set_threads(int threads);
  int threads() const;

  // With Counted: of the last call.
  const StarOperations& operations() const;

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

using LillyOrin = BasicLillyOrin<double>;

}  // namespace trammel
