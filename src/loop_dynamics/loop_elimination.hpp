// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Articulated bodies with loops: M a + Jᵀ y = f, J a = d in O(n) where loops are of bounded size.          docs/theory.md
//
// Accelerations of links are A = A₀ + dA, A₀ those with a = 0, and dA_i = X_i dA_p + H_i a_i. A row r is Σ_l K_rl · dA_l = d_r over the
// few links l that it ties. Augmented by ρ Σ_r (K_r · dA − d_r)²/2, the energy couples such links by blocks C_ij beside the inertias:
//   IA_i = I_i + Σ_r ρ_r K_ri K_riᵀ,     C_ij = Σ_r ρ_r K_ri K_rjᵀ                                                       (1)
// Eliminating link i (children first, EliminationOrder), with N the links that it is coupled to:
//   U = IA H,   D = HᵀU + rotor                                                                                     (2)
//   D = S Sᵀ,   H ← H S⁻ᵀ,   U ← U S⁻ᵀ        from here on D = 1, and nothing is lost where D is ill conditioned         (3)
//   C_jk −= C_ijᵀ H Hᵀ C_ik          for j, k in N; j = k: IA_j                                                      (4)
//   IA_p += Xᵀ (IA − U Uᵀ) X                                                                                        (5)
//   C_pj += Xᵀ (1 − U Hᵀ) C_ij       for j in N; j = p: IA_p += that and its transpose                               (6)
// One sweep with the factors solves (M + ρ JᵀJ) δ = g for g of joint forces t and link forces −b:
//   u = S⁻¹ t − Hᵀ b,  w = H u,  b_j += C_ijᵀ w,  b_p += Xᵀ (b + U u)             in that order                       (7)
//   δ' = u − Uᵀ X δA_p − Hᵀ Σ_j C_ij δA_j,   δA = X δA_p + H δ',   δ = S⁻ᵀ δ'     in reverse                          (8)
// Multipliers and refinement are one loop, each time with the residuals of the true equations, r₁ = f − M a − Jᵀ y, r₂ = d − J a:
//   (M + ρ JᵀJ) δ = r₁ + ρ Jᵀ r₂,    a += δ,    y −= ρ (r₂ − J δ)                                                   (9)
// Where rows are nearly dependent (9) creeps along one direction; two steps f', f of it tell how far that leads [Anderson 1965]:
//   s = f − β (s' + f − f'),    β = f·(f − f') / |f − f'|²        s the step taken instead of f                    (10)
// It needs no rank decision; redundant rows share their force. All 6-vectors at the links' points O, in world axes.
//
// A freedom that is held leaves the elimination: its column of H is zero, D has a row of the identity for it. What is prescribed of
// it is in A₀ already, and the force that this takes is found at the end.

#include <array>
#include <vector>

#include <Eigen/Core>

#include <trammel/dynamics.hpp>

#include "loop_dynamics/closing_freedoms.hpp"
#include "loop_dynamics/elimination_order.hpp"
#include "loops/constraint_rows.hpp"

namespace trammel {

class LoopElimination {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  // `pieces` and `closing` at any position: only who is tied to whom is read.
  LoopElimination(const Mechanism& mechanism, const std::vector<RowPiece>& pieces, int rows,
                  const std::vector<ClosingFreedom>& closing);

  const EliminationOrder& order() const { return order_; }

  struct Outcome {
    bool regular = true, converged = false;
    int singular_joint = -1;
    int iterations = 0;
    double residual = 0;  // largest |r₂|, rows in rad times the length
    int worst_row = -1;
  };
  // Of the penalties, relative to what resists the row by its inertia. Stiff ones need few turns also where rows are nearly dependent;
  // the digits that they cost come back by refinement, unless light links stand beside heavy ones: then soft ones, in more turns.
  static constexpr double stiff = 3e7, soft = 1e4;
  // What is to be factored: a motion in the workspace, and at its position pieces of rows and freedoms of closing joints, in their order.
  struct System {
    const Mechanism& mechanism;
    const Workspace& ws;  // at the motion with a = 0, but for freedoms that are held
    std::span<const double> q;
    const std::vector<RowPiece>& pieces;
    std::span<const char> row_active;
    const std::vector<ClosingFreedom>& closing;
    std::span<const double> row_scale;
    const Loads& loads;
    std::span<const char> held = {};  // per freedom; empty: none
  };
  // Sets up (1) and factors.
  Outcome factor(const System& system, double stiffness = stiff);
  // Solves with the factors. tau: joint forces, friction included; with_bias: forces of links and rotors at a = 0 act (otherwise
  // the right-hand side is tau alone). Fills a, 0 where held, and y.
  enum class Wanted {
    answer,  // of both equations
    step,  // J a = d nearly, or as nearly as rows that contradict each other allow: M a + Jᵀ y = f must hold all the same
  };
  Outcome solve(std::span<const double> tau, bool with_bias, std::span<const double> d, std::span<double> a,
                std::span<double> y, Wanted wanted = Wanted::answer);
  // Forces that held freedoms take, at their accelerations a, after solve with bias: written to `forces` where held.
  void forces_of_held(std::span<const double> a, std::span<double> forces) const;
  // 6×6 operations since it was made: of factorisations as EliminationOrder counts them; a sweep has 2 + 2 |N| for each link.
  long operations() const { return operations_; }

 private:
  struct LinkData {
    Matrix6 I = Matrix6::Zero();                        // inertia, rotors of closing joints not included
    Matrix6 IA = Matrix6::Zero();                       // articulated
    Matrix6 H = Matrix6::Zero();                        // the first nv columns
    Matrix6 Hs = Matrix6::Zero(), U = Matrix6::Zero();  // H and U as (3) leaves them
    Matrix6 S = Matrix6::Zero();                        // nv × nv, the diagonal inverted
    Vector6 p = Vector6::Zero();                        // force needed at a = 0
    Vector6 b = Vector6::Zero(), u = Vector6::Zero(), A = Vector6::Zero(), dA = Vector6::Zero();
    Vector6 rotor = Vector6::Zero();  // on the diagonal of D
    Vec3d r;                          // from the parent's point to this link's
    Vec3d p_WO, p_OL;                 // O in W; the link's origin from O
    double mass = 0;
    Vec3d com;                    // from O
    double inertia = 0;           // mean of principal moments
    double turn = 0, travel = 0;  // lengths of the two parts of A
    int parent = -1, v = 0, nv = 0;
    bool shifted = false;
    bool any_held = false;
    std::array<bool, 6> held{};
  };
  struct HeldFreedom {
    int link = 0, k = 0;
    Vector6 H;
  };
  struct RowData {
    int first = 0, count = 0;  // slots
    double rho = 0, scale = 1;
    bool active = false;
  };
  struct Slot {
    int link = 0;
    Vector6 K = Vector6::Zero();
    double turn = 0, travel = 0;  // lengths of its two parts
  };
  struct SlotPair {
    int row = 0, a = 0, b = 0, block = 0;  // slots; rows of the block belong to slot a's link
  };

  std::vector<LinkData> links_;
  std::vector<RowData> rows_;  // those of Φ, then one per freedom of closing joints with friction or a rotor
  std::vector<Slot> slots_;
  std::vector<SlotPair> pairs_;
  std::vector<std::pair<int, int>> rotor_rows_;  // (joint, dof) of rows behind those of Φ
  EliminationOrder order_;
  std::vector<Matrix6, Eigen::aligned_allocator<Matrix6>> blocks_;
  std::vector<double> t_, delta_, rates_;
  std::vector<double> delta_y_, plain_a_, plain_y_, taken_a_, taken_y_;  // (10): f', s'
  std::vector<HeldFreedom> held_;
  int phi_rows_ = 0;
  double stiffness_ = stiff;
  long operations_ = 0, operations_of_sweep_ = 0;

  struct Ties;
  static Ties ties_of(const Mechanism& mechanism, const std::vector<RowPiece>& pieces, int rows,
                      const std::vector<ClosingFreedom>& closing);
  LoopElimination(const Mechanism& mechanism, const Ties& ties, int rows);
  void set_links(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q, const Loads& loads);
  void add_to_row(int row, int body_link, const Force<double>& g_W, const Vec3d& p_W, double sign);
  void add_freedom_to_row(const Mechanism& mechanism, int row, int freedom, double factor);
  void set_rows(const System& system);
  void hold(std::span<const char> held);
  void choose_penalties();
  void add_rotors(const System& system);
  bool eliminate(int& singular_link);
  template <int n>
  bool eliminate_link(const EliminationOrder::Step& step);
  void sweep();
  template <int n>
  void sweep_inward(const EliminationOrder::Step& step);
  template <int n>
  void sweep_outward(const EliminationOrder::Step& step);
  struct Residuals {
    double r1 = 0, force_size = 0;                // largest |r₁|, and of the terms it is summed from
    double r2 = 0, rate_size = 0;                 // likewise, rows in rad times the length
    double row_force = 0, row_force_missing = 0;  // multipliers, and what r₂ would take to accelerate single links
    double load = 0;                              // weight, inertia and joint forces: what multipliers answer to
    int worst_row = -1;
  };
  Residuals find_residuals(std::span<const double> tau, bool with_bias, std::span<const double> d,
                           std::span<const double> a, std::span<const double> y);
  struct Terms {
    double force = 0, rate = 0;  // rows in rad times the length
  };
  Terms terms_before_they_cancel(bool with_bias, std::span<const double> a, std::span<const double> y);
  void find_step();
  void lengthen_step(bool plain);
  double rate_of(const RowData& row, Vector6 LinkData::*motion) const;
  static Vector6 from_parent(const LinkData& link, const Vector6& A);
  static Vector6 to_parent(const LinkData& link, const Vector6& F);
};

}  // namespace trammel
