// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Many states of one mechanism at once, side by side in the CPU's SIMD registers: several times the rate of calls for
// one state after another.
//
//   Batch batch(mechanism);
//   LaneArray q(mechanism.nq, 1000), v(mechanism.nv, 1000), tau(mechanism.nv, 1000), a(mechanism.nv, 1000);
//   q.set(0, state.q); …
//   batch.forward_dynamics(q, v, tau, a);
//   a(k, 17)       acceleration of freedom k in state 17
//
// Results equal those for single states to round-off, and are the same bytes in every run on the same kind of CPU, by however many threads
// (set_threads). A Batch is one caller's. Mechanisms with custom joints run for single states only.

#include <memory>
#include <span>
#include <vector>

#include <trammel/dynamics.hpp>

namespace trammel {

class Crew;

// How many states run side by side, and the instruction-set level of the kernels that the loader has chosen for this
// CPU: "x86-64" (baseline), "x86-64-v3" (AVX2, FMA) or "x86-64-v4" (AVX-512).
int lane_count();
std::string_view kernel_level();

// `rows` numbers of each of `states` states. Blocks of lane_count() states follow each other; within a block all lanes of
// row 0, then all of row 1, and so on. Lanes beyond the last state are there but mean nothing.
class LaneArray {
 public:
  LaneArray(int rows, int states);

  int rows() const { return rows_; }
  int states() const { return states_; }
  int blocks() const { return (states_ + lanes_ - 1) / lanes_; }

  double& operator()(int row, int state) { return numbers_[index(row, state)]; }
  double operator()(int row, int state) const { return numbers_[index(row, state)]; }
  // All rows of a state.
  void set(int state, std::span<const double> numbers);
  void get(int state, std::span<double> numbers) const;

  double* block(int b) { return numbers_.data() + static_cast<std::size_t>(b) * block_size(); }
  const double* block(int b) const { return numbers_.data() + static_cast<std::size_t>(b) * block_size(); }
  std::size_t block_size() const { return static_cast<std::size_t>(rows_) * lanes_; }

 private:
  std::size_t index(int row, int state) const {
    return static_cast<std::size_t>(state / lanes_) * block_size() + static_cast<std::size_t>(row) * lanes_ +
           static_cast<std::size_t>(state % lanes_);
  }

  int rows_, states_, lanes_;
  AlignedArray<double> numbers_;
};

// What else acts on bodies, of one block of states after the other: of water FluidLanes (fluid_forces.hpp).
class LaneLoads {
 public:
  virtual ~LaneLoads() = default;

  // Rows as in a LaneArray: 21 a body of inertia (J as xx, yy, zz, xy, xz, yz, the columns of H, M), 6 a body of bias force [n; f]; as in
  // Loads, in world axes at each body's point O. They hold until the next call. Null: none.
  struct OfBlock {
    const double *inertia = nullptr, *bias = nullptr;
    bool in_workspace = false;  // all else has been set there, in every link
  };
  // `workspace` is that of the batch, with positions and velocities of the block; `states` of its lanes mean something.
  virtual OfBlock find(double* workspace, int states) = 0;
};

class Batch {
 public:
  // The mechanism must outlive the batch. Throws std::invalid_argument if it has a custom joint.
  explicit Batch(const Mechanism& mechanism);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  // Blocks are shared out among so many threads, 0: as many as the machine has for us; one at first. Calls with LaneLoads stay on one.
  void set_threads(int threads);
  int threads() const;

  // As the functions of the same names for one state; rows are those of q, v, … . Arrays must have the rows the
  // mechanism says and the same number of states, else std::invalid_argument is thrown.
  // `verdicts`, if given, has one entry per state.
  void forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                        std::span<DynamicsVerdict> verdicts = {}, bool friction = true);
  void forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a, LaneLoads& loads,
                        std::span<DynamicsVerdict> verdicts = {}, bool friction = true);
  void inverse_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& a, LaneArray& tau,
                        bool friction = true);
  // nv·nv rows, row-major.
  void mass_matrix(const LaneArray& q, LaneArray& M);

  // Derivatives (derivatives.hpp), nv·nv rows each, row-major; with τ, or v̇, as the functions above find them.
  void inverse_dynamics_derivatives(const LaneArray& q, const LaneArray& v, const LaneArray& a, LaneArray& tau,
                                    LaneArray& tau_q, LaneArray& tau_v, LaneArray& M, bool friction = true);
  void forward_dynamics_derivatives(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                                    LaneArray& a_q, LaneArray& a_v, LaneArray& a_tau,
                                    std::span<DynamicsVerdict> verdicts = {}, bool friction = true);

  // 12 rows: the columns of R_WB, then p_WB.
  void poses_WB(const LaneArray& q, int body, LaneArray& X);
  // 6 rows: [ω; v] and [α; a] of point p_B of the body, in world axes.
  void velocities_W(const LaneArray& q, const LaneArray& v, int body, const Vec3d& p_B, LaneArray& V);
  void accelerations_W(const LaneArray& q, const LaneArray& v, const LaneArray& a, int body, const Vec3d& p_B,
                       LaneArray& A);
  // 6·nv rows, row-major.
  void jacobians_W(const LaneArray& q, int body, const Vec3d& p_B, LaneArray& J);
  void jacobians_B(const LaneArray& q, int body, const Vec3d& p_B, LaneArray& J);

 private:
  void forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a, LaneLoads* loads,
                        std::span<DynamicsVerdict> verdicts, bool friction);
  void jacobians(bool in_body, const LaneArray& q, int body, const Vec3d& p_B, LaneArray& J);
  template <class Work>
  void each_block(int blocks, const Work& work);

  const Mechanism* mechanism_;
  std::unique_ptr<Crew> crew_;                    // null: one thread
  std::vector<AlignedArray<double>> workspaces_;  // one per thread
};

}  // namespace trammel
