// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Blocks of lanes through the kernels.

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include <trammel/batch.hpp>

#include "core/crew.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {
namespace {

const KernelTable<double>& lane_kernels() {
  static const KernelTable<double>* const table = trammel_lane_kernels();
  return *table;
}

// All arrays of a call.
class Shapes {
 public:
  explicit Shapes(const LaneArray& first) : states_(first.states()), blocks_(first.blocks()) {}

  void check(const LaneArray& array, int rows, const char* name) const {
    if (array.rows() == rows && array.states() == states_) return;
    throw std::invalid_argument(fmt::format("{} has {} rows of {} states, but must have {} rows of {}", name,
                                            array.rows(), array.states(), rows, states_));
  }
  int blocks() const { return blocks_; }

 private:
  int states_, blocks_;
};

// `verdicts` may be empty.
void check_body(const Mechanism& mechanism, int body) {
  if (body != ground && (body < 0 || static_cast<std::size_t>(body) >= mechanism.bodies.size())) {
    throw std::invalid_argument(
        fmt::format("there is no body {}: this mechanism has {}", body, mechanism.bodies.size()));
  }
}
void check_verdicts(std::span<const DynamicsVerdict> verdicts, const LaneArray& q) {
  if (!verdicts.empty() && verdicts.size() != static_cast<std::size_t>(q.states())) {
    throw std::invalid_argument("verdicts needs one entry per state");
  }
}
void put_verdicts(std::span<DynamicsVerdict> verdicts, int block, const double* singular_joint, const LaneArray& a) {
  if (verdicts.empty()) return;
  const auto lanes = static_cast<std::size_t>(lane_count()), first = static_cast<std::size_t>(block) * lanes;
  alignas(64) double nothing[64 / sizeof(double)] = {};  // a · 0: no number where a is infinite or none
  const double* const found = a.block(block);
  for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows()); ++row) {
    for (std::size_t i = 0; i < lanes; ++i) nothing[i] += found[row * lanes + i] * 0.0;
  }
  for (std::size_t i = 0; i < lanes && first + i < verdicts.size(); ++i) {
    verdicts[first + i] = {static_cast<int>(singular_joint[i]), nothing[i] == 0};
  }
}

LoadArrays<double> only_friction(bool friction) {
  LoadArrays<double> loads;
  loads.friction = friction;
  return loads;
}

}  // namespace

int lane_count() { return lane_kernels().width; }
std::string_view kernel_level() { return trammel_kernel_level(); }

LaneArray::LaneArray(int rows, int states) : rows_(rows), states_(states), lanes_(lane_count()) {
  if (rows < 0 || states < 0) throw std::invalid_argument("a LaneArray needs sizes that are not negative");
  numbers_ = AlignedArray<double>(static_cast<std::size_t>(blocks()) * block_size());
}

void LaneArray::set(int state, std::span<const double> numbers) {
  for (int i = 0; i < rows_; ++i) (*this)(i, state) = numbers[static_cast<std::size_t>(i)];
}
void LaneArray::get(int state, std::span<double> numbers) const {
  for (int i = 0; i < rows_; ++i) numbers[static_cast<std::size_t>(i)] = (*this)(i, state);
}

Batch::Batch(const Mechanism& mechanism) : mechanism_(&mechanism) {
  if (mechanism.has_custom_joint) {
    throw std::invalid_argument("custom joints run for single states only: this mechanism has one");
  }
  set_threads(1);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

void Batch::set_threads(int threads) {
  crew_.reset();
  if (threads != 1) crew_ = std::make_unique<Crew>(threads);
  const Tree tree = tree_of(*mechanism_);
  workspaces_.resize(static_cast<std::size_t>(this->threads()));
  for (AlignedArray<double>& workspace : workspaces_) {
    workspace = AlignedArray<double>(lane_kernels().workspace_numbers(tree));
    lane_kernels().set_parameters(tree, arrays_of(mechanism_->parameters), workspace.data());
  }
}
int Batch::threads() const { return crew_ == nullptr ? 1 : crew_->threads(); }

// Each thread has a workspace of its own, and every block writes to its own place: the same bytes whoever does it.
template <class Work>
void Batch::each_block(int blocks, const Work& work) {
  const int shares = std::min(threads(), blocks);
  const auto some = [&](int share) {
    const int first = static_cast<int>(static_cast<long>(blocks) * share / shares),
              end = static_cast<int>(static_cast<long>(blocks) * (share + 1) / shares);
    for (int b = first; b < end; ++b) work(b, workspaces_[static_cast<std::size_t>(share)].data());
  };
  if (shares > 1) {
    crew_->each(shares, some);
  } else if (blocks > 0) {
    some(0);
  }
}

void Batch::forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                             std::span<DynamicsVerdict> verdicts, bool friction) {
  forward_dynamics(q, v, tau, a, nullptr, verdicts, friction);
}
void Batch::forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                             LaneLoads& loads, std::span<DynamicsVerdict> verdicts, bool friction) {
  forward_dynamics(q, v, tau, a, &loads, verdicts, friction);
}

void Batch::forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                             LaneLoads* loads, std::span<DynamicsVerdict> verdicts, bool friction) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(v, mechanism_->nv, "v");
  shapes.check(tau, mechanism_->nv, "tau");
  shapes.check(a, mechanism_->nv, "a");
  check_verdicts(verdicts, q);
  const Tree tree = tree_of(*mechanism_);
  const int lanes = lane_count();
  const auto one = [&](int b, double* ws) {
    alignas(64) double singular_joint[64 / sizeof(double)];
    const int first = b * lanes, states = std::min(lanes, q.states() - first);
    LoadArrays<double> acting = only_friction(friction);
    if (loads != nullptr) {
      lane_kernels().velocities(tree, ws, q.block(b), v.block(b));
      const LaneLoads::OfBlock found = loads->find(ws, states);
      acting.inertias = found.inertia, acting.biases = found.bias;
      acting.after_velocities = true;
      acting.in_links = found.in_workspace;
    }
    lane_kernels().forward_dynamics(tree, ws, q.block(b), v.block(b), tau.block(b), a.block(b), acting, singular_joint);
    put_verdicts(verdicts, b, singular_joint, a);
  };
  if (loads == nullptr) {
    each_block(shapes.blocks(), one);
  } else {  // which keep one block's answer at a time
    for (int b = 0; b < shapes.blocks(); ++b) one(b, workspaces_.front().data());
  }
}

void Batch::inverse_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& a, LaneArray& tau,
                             bool friction) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(v, mechanism_->nv, "v");
  shapes.check(a, mechanism_->nv, "a");
  shapes.check(tau, mechanism_->nv, "tau");
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(), [&](int b, double* ws) {
    lane_kernels().inverse_dynamics(tree, ws, q.block(b), v.block(b), a.block(b), tau.block(b),
                                    only_friction(friction));
  });
}

void Batch::mass_matrix(const LaneArray& q, LaneArray& M) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(M, mechanism_->nv * mechanism_->nv, "M");
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(),
             [&](int b, double* ws) { lane_kernels().mass_matrix(tree, ws, q.block(b), M.block(b), {}); });
}

void Batch::inverse_dynamics_derivatives(const LaneArray& q, const LaneArray& v, const LaneArray& a, LaneArray& tau,
                                         LaneArray& tau_q, LaneArray& tau_v, LaneArray& M, bool friction) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(v, mechanism_->nv, "v");
  shapes.check(a, mechanism_->nv, "a");
  shapes.check(tau, mechanism_->nv, "tau");
  shapes.check(tau_q, mechanism_->nv * mechanism_->nv, "tau_q");
  shapes.check(tau_v, mechanism_->nv * mechanism_->nv, "tau_v");
  shapes.check(M, mechanism_->nv * mechanism_->nv, "M");
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(), [&](int b, double* ws) {
    lane_kernels().inverse_dynamics_derivatives(tree, ws, q.block(b), v.block(b), a.block(b), tau.block(b),
                                                tau_q.block(b), tau_v.block(b), M.block(b), only_friction(friction));
  });
}

void Batch::forward_dynamics_derivatives(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                                         LaneArray& a_q, LaneArray& a_v, LaneArray& a_tau,
                                         std::span<DynamicsVerdict> verdicts, bool friction) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(v, mechanism_->nv, "v");
  shapes.check(tau, mechanism_->nv, "tau");
  shapes.check(a, mechanism_->nv, "a");
  shapes.check(a_q, mechanism_->nv * mechanism_->nv, "a_q");
  shapes.check(a_v, mechanism_->nv * mechanism_->nv, "a_v");
  shapes.check(a_tau, mechanism_->nv * mechanism_->nv, "a_tau");
  check_verdicts(verdicts, q);
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(), [&](int b, double* ws) {
    alignas(64) double singular_joint[64 / sizeof(double)];
    lane_kernels().forward_dynamics_derivatives(tree, ws, q.block(b), v.block(b), tau.block(b), a.block(b),
                                                a_q.block(b), a_v.block(b), a_tau.block(b), only_friction(friction),
                                                singular_joint);
    put_verdicts(verdicts, b, singular_joint, a);
  });
}

void Batch::poses_WB(const LaneArray& q, int body, LaneArray& X) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(X, 12, "X");
  check_body(*mechanism_, body);
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(), [&](int b, double* ws) {
    lane_kernels().positions(tree, ws, q.block(b));
    lane_kernels().pose(tree, ws, body, X.block(b));
  });
}

void Batch::velocities_W(const LaneArray& q, const LaneArray& v, int body, const Vec3d& p_B, LaneArray& V) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(v, mechanism_->nv, "v");
  shapes.check(V, 6, "V");
  check_body(*mechanism_, body);
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(), [&](int b, double* ws) {
    lane_kernels().velocities(tree, ws, q.block(b), v.block(b));
    lane_kernels().velocity(tree, ws, body, p_B, V.block(b));
  });
}

void Batch::accelerations_W(const LaneArray& q, const LaneArray& v, const LaneArray& a, int body, const Vec3d& p_B,
                            LaneArray& A) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(v, mechanism_->nv, "v");
  shapes.check(a, mechanism_->nv, "a");
  shapes.check(A, 6, "A");
  check_body(*mechanism_, body);
  const Tree tree = tree_of(*mechanism_);
  each_block(shapes.blocks(), [&](int b, double* ws) {
    lane_kernels().accelerations(tree, ws, q.block(b), v.block(b), a.block(b));
    lane_kernels().acceleration(tree, ws, body, p_B, A.block(b));
  });
}

void Batch::jacobians(bool in_body, const LaneArray& q, int body, const Vec3d& p_B, LaneArray& J) {
  const Shapes shapes(q);
  shapes.check(q, mechanism_->nq, "q");
  shapes.check(J, 6 * mechanism_->nv, "J");
  check_body(*mechanism_, body);
  const Tree tree = tree_of(*mechanism_);
  const Axes axes = in_body ? Axes::body : Axes::world;
  each_block(shapes.blocks(), [&](int b, double* ws) {
    lane_kernels().positions(tree, ws, q.block(b));
    lane_kernels().jacobian(tree, ws, axes, body, p_B, J.block(b));
  });
}

void Batch::jacobians_W(const LaneArray& q, int body, const Vec3d& p_B, LaneArray& J) {
  jacobians(false, q, body, p_B, J);
}
void Batch::jacobians_B(const LaneArray& q, int body, const Vec3d& p_B, LaneArray& J) {
  jacobians(true, q, body, p_B, J);
}

}  // namespace trammel
