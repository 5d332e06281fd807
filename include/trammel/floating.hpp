// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Systems that float: a base that nothing holds, with arms. With the mass matrix cut into base b and joints m, and J = [J_b, J_m] the
// Jacobian of a point (world axes, angular part first),
//   H* = H_m − H_bmᵀ H_b⁻¹ H_bm        inertia of the joints when the base gives way
//   J* = J_m − J_b H_b⁻¹ H_bm          the generalized Jacobian: [ω; v] = J* q̇ while the momentum is zero
// and an impulse F at the point changes its velocity by G* F, the extended generalized inertia tensor's inverse view:
//   G* = J* H*⁻¹ J*ᵀ + J_b H_b⁻¹ J_bᵀ                                                                                    (1)
// The second term is what the mechanism does with all joints locked, R M⁻¹ Rᵀ of its total mass and inertia. Where nothing floats
// it is zero, and G* is the conventional generalized inertia tensor.        [Yoshida, Kurazume, Sashida, Umetani 1992, eqs. 3 to 12]
//
// Joints that resist an impulse:
//   share μ      each joint takes up the share μ of what would hold it: G* = (1 − μ) free + μ locked       0 free … 1 locked
//   damper D     G* = J* (H* + D)⁻¹ J*ᵀ + …: a damper, or a rotor, at the joint; ∞ locks it               symmetric and passive:
//                it turns with the joint, impulse −D Δq̇; where the joint moves before, ½ D q̇² is there to be given
//   share μ_i of each joint, as printed in the paper's eq. 12: G* = J* H*⁻¹ (1 − μ) J*ᵀ + …; not symmetric and may create energy

#include <array>
#include <memory>
#include <span>
#include <vector>

#include <trammel/loop_dynamics.hpp>
#include <trammel/mobility.hpp>

namespace trammel {

// The freedoms of the tree that carries a body, those of a floating base apart: its first joint where that is free or planar.
struct FloatingTree {
  int base_joint = -1;  // −1: it stands on the ground
  std::vector<int> base, joints;
};
FloatingTree find_floating_tree(const Mechanism& mechanism, int body);

struct FloatingKinematics {
  FloatingTree tree;
  std::vector<double> J_star;    // 6 × n at the point
  std::vector<double> H_star;    // n × n
  std::vector<double> G_star;    // 6 × 6, joints free
  std::vector<double> G_locked;  // 6 × 6, joints locked
  std::vector<double>
      base_map;  // n_b × n: velocities of the base's freedoms per joint rate, while the momentum is zero: −H_b⁻¹ H_bm
  std::vector<double> coupling;  // n_b × n: H_bm, momentum that joints give the base's freedoms
  // n × k: joint rates that leave the base alone, H_bm q̇ = 0, orthonormal: the reaction null space.
  std::vector<double> reaction_null_space;
  double mass = 0;  // of the tree
  Vec3d com_W;
  Sym3d locked_inertia_W;     // about the centre of mass, joints locked
  Vec3d linear_W, angular_W;  // momentum; angular about the centre of mass
};
// At point p_B of a body that moves. Loops are not seen. Dense: O(n³).
FloatingKinematics compute_floating(const Mechanism& mechanism, Workspace& ws, std::span<const double> q,
                                    std::span<const double> v, int body, const Vec3d& p_B = {});

// How joints resist an impulse; per freedom, of the base nothing.
struct JointResistance {
  double share = 0;                        // μ, the same for all joints
  std::vector<double> share_of_each = {};  // μ_i, per freedom of the mechanism; empty: `share` for all
  std::vector<double> damper = {};         // D, per freedom, kg m² or kg; infinity locks; empty: none
  std::vector<char> driven = {};  // per freedom, the base's too: moves as prescribed, whatever hits it; empty: none

  bool is_uniform() const { return share_of_each.empty(); }
};

// What a mechanism does under impulses, at one position: Δv = response. Loops stay closed.
class ImpulseResponse {
 public:
  explicit ImpulseResponse(const Mechanism& mechanism, JointResistance resistance = {});
  ~ImpulseResponse();
  ImpulseResponse(ImpulseResponse&&) noexcept;
  ImpulseResponse& operator=(ImpulseResponse&&) noexcept;

  // Without weight.
  const Mechanism& mechanism() const;
  const Workspace& workspace() const;  // positions and, after respond(), what Δv does to bodies
  LoopDynamics* loops();               // null for trees

  void set_position(std::span<const double> q);
  // What bodies carry with them besides their own inertia, per body: added mass of a fluid (Loads::inertia). The list must stay there.
  void set_added_inertia(const ArticulatedInertia<double>* per_body);

  // Impulses on bodies (see Loads::wrench, add_wrench) and on freedoms of the tree. Finds Δv; false: verdict() says why not.
  bool respond(std::span<const Force<double>> wrench, std::span<const double> on_freedoms, std::span<double> dv);
  const LoopVerdict& verdict() const;
  // The same with all loops open and joints that nothing resists: how readily things would move. False: no answer.
  bool respond_loose(std::span<const Force<double>> wrench, std::span<const double> on_freedoms, std::span<double> dv);

  // Of the last respond(): what resisted, as impulses on freedoms, and what every joint and every constraint transmitted.
  std::span<const double> resisting() const;
  std::span<const double> by_rotors() const;  // what dampers, locks and drives did of it, which turn with their joints
  std::vector<LoopReaction> reactions();
  std::vector<LoopReaction> constraint_impulses();

  // G* at a point, 36 numbers: by one pass over the tree where there are no loops, else by six responses.
  bool mobility(int body, const Vec3d& p_B, std::span<double> G);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// What a force along a direction feels, at a point with the 3×3 block G11 of G* that answers forces by velocities.
struct VirtualMass {
  double projected = 0;  // 1/(n·G11 n): force over the acceleration along it                        m_p
  double absolute = 0;   // 1/|G11 n|: force over the whole acceleration                             m_a
  Vec3d moves;           // unit vector along the acceleration: k
  double deviation = 0;  // angle from n to k, rad, 0 … π/2                                           |ψ|
};
// `G` is 6×6, `direction` a unit vector. Infinite masses and deviation 0 where nothing moves.
VirtualMass virtual_mass(std::span<const double> G, const Vec3d& direction);

// Over all directions of space m_p is an ellipsoid's: 1/(n·G11 n), of the symmetric part of G11. Heaviest first.
struct VirtualMassEllipsoid {
  std::array<double, 3> mass = {};  // infinite along axes that do not move
  std::array<Vec3d, 3> axis = {};   // unit vectors, right-handed
};
VirtualMassEllipsoid virtual_mass_ellipsoid(std::span<const double> G);

}  // namespace trammel
