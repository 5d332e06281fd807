// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dynamics of mechanisms with loops, couplings and constraints. The coordinates are those of the spanning tree; every
// closing joint, coupling and constraint adds rows to Φ(q) = 0 (loops.hpp). With multipliers λ, one per row:
//   M a + h = τ + τ_f + Φ_qᵀ λ,      Φ_q a = −γ,      γ = d²Φ/dt² with a = 0                                    (1)
// M and h are those of the tree (dynamics.hpp), and rotors and friction of the closing joints act in them too. λ in N or
// N m is what the constraint exerts on its second body along the gradient of its row.
//
//   LoopDynamics dynamics(mechanism);
//   const LoopVerdict verdict = dynamics.forward(q, v, tau, a);
//   std::vector<LoopReaction> reactions = dynamics.reactions();
//
// Redundant rows do no harm: a is unique, and of all reactions the smallest are taken. Where M alone is singular (a massless rod
// between two joints) a is still found, so long as the motions that the constraints leave free have inertia.
//
// One system answers all questions: M x = f + Φ_qᵀ λ, Φ_q x = d.
//   accelerations   f = τ − h, d = −γ       velocity projection   f = 0, d = −Φ_q v      position projection  f = 0, d = −Φ

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <trammel/derivatives.hpp>
#include <trammel/lilly_orin.hpp>
#include <trammel/loops.hpp>

namespace trammel {

enum class LoopMethod {
  automatic,  // star where the mechanism is one (and no chain of it a large net), else elimination; dense where that does not converge
  star,       // Lilly and Orin's, of one body held by chains (lilly_orin.hpp): O(mN), exact
  dense,      // singular values of Φ_q and motions that it leaves free: exact rank, O(n³)
  elimination,  // articulated bodies with loops, O(n) for loops of bounded size
};

enum class LoopStatus {
  ok,
  no_inertia,    // a motion that the constraints leave free has no inertia: `joint` takes the largest part in it
  inconsistent,  // rows contradict each other (at this position and velocity): `row` is furthest from being fulfilled, or
                 // the prescribed acceleration of `joint`
  not_converged,  // of LoopMethod::elimination
  no_star,        // of LoopMethod::star: why_no_star() says why
  weightless_chain,  // of LoopMethod::star: `joint` of a chain has no inertia by itself; other methods may still find an answer
  not_finite,  // what was found is not, as what was given is not, or is too large
};

struct LoopVerdict {
  LoopStatus status = LoopStatus::ok;
  LoopMethod method = LoopMethod::dense;  // the one that found the answer
  int joint = -1, row = -1;
  double residual = 0;  // largest |Φ_q x − d|, rows in rad times the characteristic length
  int iterations = 0;   // of elimination

  bool ok() const { return status == LoopStatus::ok; }
};

// What a joint transmits: exerted by its first body on its second, in world axes, at `p_W`, the origin of M; in all six
// directions, drive, friction, rotor and couplings included.
struct LoopReaction {
  Force<double> F_W;
  Vec3d p_W;
  bool determinate = true;  // false: other values are possible too (self-stress); the smallest are taken
};

// The constraints at a state.
struct LoopDiagnosis {
  int rows = 0, rank = 0;
  int freedoms = 0;            // of motion: nv − rank; 0: a structure
  std::vector<int> redundant;  // rows that follow from the ones before them
  double conditioning = 1;     // smallest singular value of Φ_q (not counting redundant rows) over the largest, scaled
  double gap_m = 0, gap_rad = 0;    // largest |Φ|
  double rate_m = 0, rate_rad = 0;  // largest |Φ_q v|
  int worst_row = -1;               // of Φ; −1 without rows
  int worst_rate = -1;              // of Φ_q v
};

// A freedom of a joint, in the tree or closing a loop, at which something acts.
struct JointFreedom {
  int joint = -1, dof = 0;
};

struct ActuationVerdict {
  bool possible = true;    // the actuated freedoms can produce the motion
  bool unique = true;      // false: the smallest forces are given (torques count divided by the characteristic length)
  bool consistent = true;  // the motion obeys the constraints: Φ_q v = 0, Φ_q a = −γ
  double missing = 0;      // |what is not supplied| / |what is needed|, 0 … 1
  int unsupported = -1;    // freedom of the tree with the largest part in what is not supplied
  int worst_row = -1;      // where not consistent
  double residual = 0;     // largest of |Φ_q v|, |Φ_q a + γ|, rows in rad times the characteristic length

  bool ok() const { return possible && consistent; }
};

struct ProjectionVerdict {
  bool closed = true;
  LoopStatus status = LoopStatus::ok;
  int iterations = 0;
  double gap_m = 0, gap_rad = 0;
  int worst_row = -1;
};

// Inertia seen at a frame when the constraints act: A = Λ⁻¹ F, at a point of the body, world axes, angular part first.
struct OperationalInertia {
  LoopStatus status = LoopStatus::ok;
  double inverse[36] = {};  // Λ⁻¹, row-major
  double inertia[36] = {};  // Λ; the pseudo-inverse where rank < 6: the frame cannot move in all directions
  int rank = 6;
};

// The mass matrix on independent freedoms: v = T v_I, M_I = Tᵀ M T.
struct IndependentMass {
  bool independent = true;    // false: the freedoms asked for do not determine the motion
  std::vector<int> freedoms;  // indices of v
  std::vector<double> M;      // |I| × |I|, row-major
  std::vector<double> T;      // nv × |I|, row-major
};

// What LoopMethod::elimination costs, known from the topology.
struct EliminationFacts {
  long operations = 0;            // with 6×6 blocks, per factorisation; a tree of n links has n
  int largest_neighbourhood = 0;  // most links that one is coupled to when it is eliminated
  long done = 0;                  // operations so far, sweeps included
};

class LoopDynamics {
 public:
  explicit LoopDynamics(const Mechanism& mechanism);
  ~LoopDynamics();
  LoopDynamics(LoopDynamics&&) noexcept;
  LoopDynamics& operator=(LoopDynamics&&) noexcept;

  const Mechanism& mechanism() const;
  const std::vector<ConstraintRow>& rows() const;
  std::string name_of(const ConstraintRow& row) const;
  double characteristic_length() const;

  EliminationFacts elimination() const;
  // Why LoopMethod::star cannot be used; empty where it can. All closures must be active for it.
  const std::string& why_no_star() const;
  // What it found last about the body that is held and its chains; null where it cannot be used.
  const LillyOrin* star() const;

  // A closing joint, coupling or constraint may be let go and taken up again at any time; nothing is compiled or allocated anew.
  // `index` as in ConstraintRow. All are active at first, but for joints that an event captures with (JointInfo::starts_open). Throws std::invalid_argument for a joint of the tree.
  void set_active(ConstraintRow::Source source, int index, bool active);
  bool is_active(ConstraintRow::Source source, int index) const;

  // Accelerations at a state that should be closed (diagnose() tells). Fills multipliers().
  LoopVerdict forward(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                      std::span<double> a, const Loads& loads = {}, LoopMethod method = LoopMethod::automatic);
  // Some freedoms of the tree have prescribed accelerations: a is given there and tau found, as in hybrid_dynamics. By elimination or
  // densely.
  LoopVerdict hybrid(std::span<const double> q, std::span<const double> v, std::span<const char> prescribed,
                     std::span<double> a, std::span<double> tau, const Loads& loads = {},
                     LoopMethod method = LoopMethod::automatic);
  // Derivatives of accelerations by q (along q ⊕ δ), v and τ, nv×nv and row-major, as forward_dynamics_derivatives has them for trees; a
  // is found too. What acts is held in the bodies as there; rotors and friction of closing joints, couplings and stabilisation count.
  //
  // A mechanism stays on its constraints: of all changes those mean something that do too,
  //   Φ_q δq = 0,     Φ_q δv = −(∂(Φ_q v)/∂q) δq                                                                          (2)
  // and along them the products with δq and δv are exact, redundant rows or not; allowed_changes() lists them. Changes that open loops are
  // followed as forward() does at states that do not close, so long as rows are independent and closing joints have neither friction nor
  // rotors; redundant rows contradict each other there, and the numbers mean nothing. a_tau is symmetric, of rank LoopDiagnosis::freedoms.
  //
  // Densely, O(n³), by the motions that Φ_q leaves free; allocates. Where the verdict is not ok() the numbers mean nothing.
  LoopVerdict forward_derivatives(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                  std::span<double> a, const ForwardDerivatives<double>& derivatives,
                                  const Loads& loads = {});
  // The changes (2), in columns, nv × freedoms and row-major: for each freedom of motion a δq, and the smallest δv that goes with it at v.
  // To v may be added, besides, any sum of columns of q.
  struct AllowedChanges {
    int freedoms = 0;
    std::vector<double> q, v_with_q;
  };
  AllowedChanges allowed_changes(std::span<const double> q, std::span<const double> v);

  // Of the last call that found a motion, whatever has been switched since; found now, densely. The caller's loads must
  // still be there. Reactions of tree joints, welds and closing joints alike; what constraints exert on their second body, at Q's
  // origin; and λ per row, 0 for rows not active. Where rows are redundant, those are taken of all possible ones for which joints
  // and constraints carry least (sum of squares, moments divided by the characteristic length).
  std::vector<LoopReaction> reactions();
  std::vector<LoopReaction> constraint_forces();
  std::span<const double> multipliers();

  // Given motion: the forces u of the actuated freedoms. Fills multipliers().
  ActuationVerdict inverse(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                           std::span<const JointFreedom> actuated, std::span<double> u, const Loads& loads = {});

  // How these forces change with q (along q ⊕ δ), v and a: |actuated| × nv, row-major; u is found too. They mean something along changes
  // that go with the constraints: δq and δv of (2), and δa with Φ_q δa = −δΦ̈, as the products of forward_derivatives with such δq and δv are,
  // plus any sum of columns of allowed_changes().q. Of redundant actuators the smallest forces are followed. Where the rank of the actuation
  // changes the forces jump, and the numbers mean nothing, as where the verdict is not ok(). Densely, O(n³); allocates.
  struct InverseDerivatives {
    std::span<double> u_q, u_v, u_a;
  };
  ActuationVerdict inverse_derivatives(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                                       std::span<const JointFreedom> actuated, std::span<double> u,
                                       const InverseDerivatives& derivatives, const Loads& loads = {});

  // The velocity nearest to v that the constraints allow, in the sense of kinetic energy. `held`, per freedom of the tree: what stays.
  // By elimination, O(n), or densely: automatic takes the latter where freedoms are few, or where the former finds nothing.
  LoopVerdict project_velocity(std::span<const double> q, std::span<double> v, std::span<const char> held = {},
                               LoopMethod method = LoopMethod::automatic);
  // Brings q onto the constraints by steps that are the shortest in the sense of the mass matrix. From near. Likewise.
  ProjectionVerdict project_position(std::span<double> q, double tolerance = 1e-12, int max_iterations = 20,
                                     std::span<const char> held = {}, LoopMethod method = LoopMethod::automatic);

  // Of angles that loops read off bodies (a gear on a joint that closes one, a circle that rolls) turns are counted from one projected
  // position to the next. What has been counted, and back; false for numbers of another mechanism.
  std::vector<double> turns() const;
  bool set_turns(std::span<const double> counted);

  // Baumgarte's stabilisation: accelerations are found for Φ_q a = −γ − 2 rate Φ_q v − rate² Φ, so that gaps die out by themselves, in
  // about 1/rate seconds. 0, as at first: none. Not by LoopMethod::star.
  void set_stabilisation(double rate);

  LoopDiagnosis diagnose(std::span<const double> q, std::span<const double> v);

  // Kinetic energy of rotors at closing joints, which compute_energy does not see.
  double closing_rotor_energy(std::span<const double> q, std::span<const double> v);

  // At point p_B of a body (not the ground).
  OperationalInertia operational_inertia(std::span<const double> q, int body, const Vec3d& p_B = {});
  // On the given freedoms of the tree, or, where none are given, on some that are as independent as can be.
  IndependentMass independent_mass(std::span<const double> q, std::span<const int> freedoms = {});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel
