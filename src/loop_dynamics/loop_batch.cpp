// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Blocks of lanes through the kernel of loops_in_lanes.hpp: which rows tie which freedoms, rows that are found state by state, and
// states that lanes leave.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/loop_batch.hpp>

#include "dynamics/loops_in_lanes.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/tree_of.hpp"
#include "loop_dynamics/closing_freedoms.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

using At = std::size_t;

// S is dense: its factor takes rows³/6 multiplications, where elimination takes O(n).
constexpr int most_rows = 96;
// Shares of J a, see find_rest: turns go on until all lanes are below the first; above the second a state is no answer.
constexpr double settled = 1e-13, enough = 1e-11;

class Planner {
 public:
  Planner(const Mechanism& mechanism, const Tree& tree, LaneRowsPlan& plan)
      : mech_(mechanism), tree_(tree), plan_(plan) {}

  // `second`, `first`: links that the rows move against each other; `freedoms` of couplings.
  void add_group(const ClosurePlan* closure, int rows, const std::vector<std::pair<int, int>>& links,
                 const std::vector<int>& freedoms) {
    std::vector<int> sign(static_cast<At>(mech_.nv), 0);
    std::vector<char> is_tied(static_cast<At>(mech_.nv), 0);
    const auto carry = [&](int link, int by) {
      for (; link != ground; link = mech_.links[static_cast<At>(link)].parent) {
        const Link& L = mech_.links[static_cast<At>(link)];
        for (int k = L.v; k < L.v + L.nv; ++k) sign[static_cast<At>(k)] += by, is_tied[static_cast<At>(k)] = 1;
      }
    };
    for (const auto& [first, second] : links) carry(first, -1), carry(second, 1);
    for (const int k : freedoms) carry(mech_.link_of_dof[static_cast<At>(k)], 0);
    LaneRows group{.closure = closure, .first_row = plan_.rows, .rows = rows};
    group.first_place = static_cast<int>(plan_.places.size());
    for (int k = 0; k < mech_.nv; ++k) {
      if (is_tied[static_cast<At>(k)] != 0) plan_.places.push_back({k, sign[static_cast<At>(k)]});
    }
    group.places = static_cast<int>(plan_.places.size()) - group.first_place;
    group.first_number = plan_.numbers;
    group.first_update = static_cast<int>(plan_.updates.size());
    const PlaceOfRow* const places = plan_.places.data() + group.first_place;
    for (int m = group.places - 1; m >= 0; --m) {
      for (int k = m - 1; k >= 0; --k) {
        if (carries(places[k].freedom, places[m].freedom)) plan_.updates.push_back({k, m});
      }
    }
    group.updates = static_cast<int>(plan_.updates.size()) - group.first_update;
    plan_.rows += rows;
    plan_.numbers += rows * group.places;
    plan_.groups.push_back(group);
  }

  void find_common() {
    const int count = static_cast<int>(plan_.groups.size());
    for (int g = 0; g < count; ++g) {
      for (int h = 0; h <= g; ++h) {
        const LaneRows &of_g = plan_.groups[static_cast<At>(g)], &of_h = plan_.groups[static_cast<At>(h)];
        CommonPlaces common{.g = g, .h = h, .first = static_cast<int>(plan_.common.size())};
        for (int a = 0, b = 0; a < of_g.places && b < of_h.places;) {
          const int k = freedom(of_g, a), l = freedom(of_h, b);
          if (k == l) plan_.common.push_back({a, b});
          if (k <= l) ++a;
          if (l <= k) ++b;
        }
        common.count = static_cast<int>(plan_.common.size()) - common.first;
        if (common.count > 0) plan_.commons.push_back(common);
      }
    }
  }

 private:
  int freedom(const LaneRows& group, int place) const {
    return plan_.places[static_cast<At>(group.first_place + place)].freedom;
  }
  // Of the freedoms of one joint the first carry the others.
  bool carries(int k, int m) const { return k < m && m < end_of_carried(tree_, k); }

  const Mechanism& mech_;
  const Tree& tree_;
  LaneRowsPlan& plan_;
};

}  // namespace

class LoopBatch::Implementation {
 public:
  explicit Implementation(const Mechanism& mechanism)
      : mech_(mechanism),
        tree_(tree_of(mechanism)),
        single_(mechanism),
        solver_(mechanism),
        rows_(solver_.implementation()) {
    for (const Link& link : mech_.links) has_custom_ = has_custom_ || std::holds_alternative<Custom>(link.type);
    if (!has_custom_) {
      workspace_ = AlignedArray<double>(lanes().workspace_numbers(tree_));
      lanes().set_parameters(tree_, arrays_of(mech_.parameters), workspace_.data());
    }
    gamma_.resize(single_.rows().size());
    J6_.resize(6 * static_cast<At>(mech_.nv));
    J6_first_ = J6_;
    q_.resize(static_cast<At>(mech_.nq));
    zero_.resize(static_cast<At>(mech_.nv));
    v_ = tau_ = a_ = zero_;
    make_plan();
  }

  const std::string& why_not() const { return why_not_; }
  int given_rows() const {
    int count = 0;
    for (const RowsByState& given : given_) count += static_cast<int>(given.rows.size());
    return count;
  }
  int left() const { return left_; }

  void set_active(ConstraintRow::Source source, int index, bool active) {
    single_.set_active(source, index, active);
    make_plan();
  }

  void forward(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a, LaneLoads* loads,
               std::span<LoopVerdict> verdicts, bool friction) {
    check(q, q, mech_.nq, "q");
    check(q, v, mech_.nv, "v");
    check(q, tau, mech_.nv, "tau");
    check(q, a, mech_.nv, "a");
    if (!verdicts.empty() && verdicts.size() != static_cast<At>(q.states())) {
      throw std::invalid_argument("verdicts needs one entry per state");
    }
    if (loads != nullptr && !why_not_.empty()) throw std::invalid_argument("no lanes for these loads: " + why_not_);
    left_ = 0;
    const int width = lane_count();
    for (int b = 0; b < q.blocks(); ++b) {
      const int first = b * width, states = std::min(width, q.states() - first);
      if (why_not_.empty()) run_block(b, states, q, v, tau, a, loads, friction);
      for (int lane = 0; lane < states; ++lane) {
        const int state = first + lane;
        LoopVerdict verdict;
        if (why_not_.empty()) verdict.residual = rest_[lane];
        if (!why_not_.empty() || !(singular_[lane] < 0 && rest_[lane] < enough)) {
          if (loads == nullptr) {
            verdict = alone(state, q, v, tau, a, friction);
          } else {
            verdict.status = LoopStatus::not_converged;
            if (singular_[lane] >= 0) verdict.joint = static_cast<int>(singular_[lane]);
          }
        }
        if (!verdicts.empty()) verdicts[static_cast<At>(state)] = verdict;
      }
    }
  }

 private:
  static const KernelTable<double>& lanes() { return *trammel_lane_kernels(); }
  static void check(const LaneArray& q, const LaneArray& array, int rows, const char* name) {
    if (array.rows() == rows && array.states() == q.states()) return;
    throw std::invalid_argument(fmt::format("{} has {} rows of {} states, but must have {} rows of {}", name,
                                            array.rows(), array.states(), rows, q.states()));
  }

  // --- which rows ---------------------------------------------------------------------------------------------------------------

  int link_of(int body) const { return body == ground ? ground : mech_.bodies[static_cast<At>(body)].link; }

  ClosurePlan closure_of(int joint) const {
    const JointInfo& info = mech_.joints[static_cast<At>(joint)];
    const auto in_link = [this](int body, const Transformd& X) {
      return body == ground ? X : mech_.parameters.X_LB[static_cast<At>(body)] * X;
    };
    return {joint,
            link_of(info.first),
            link_of(info.second),
            in_link(info.first, info.X_AF),
            in_link(info.second, info.X_BM),
            info.type,
            info.nv,
            find_joint_space(info.type)};
  }

  // Rows of Φ that are active, in groups of one joint, coupling or constraint each.
  std::vector<std::vector<int>> groups_of_rows() const {
    std::vector<std::vector<int>> groups;
    const std::vector<ConstraintRow>& rows = single_.rows();
    for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
      const ConstraintRow& row = rows[static_cast<At>(r)];
      if (!single_.is_active(row.source, row.index)) continue;
      const bool goes_on = r > 0 && !groups.empty() && groups.back().back() == r - 1 &&
                           rows[static_cast<At>(r - 1)].source == row.source &&
                           rows[static_cast<At>(r - 1)].index == row.index;
      if (!goes_on) groups.emplace_back();
      groups.back().push_back(r);
    }
    return groups;
  }

  void make_plan() {
    plan_ = {};
    closures_.clear();
    given_.clear();
    why_not_.clear();
    Workspace& ws = rows_.ws;
    const State design = design_state(mech_);
    const std::vector<double> zero(static_cast<At>(mech_.nv));
    compute_accelerations(mech_, ws, design.q, zero, zero);
    closing_freedoms(mech_, ws, false, true, closing_);
    std::erase_if(closing_,
                  [&](const ClosingFreedom& f) { return !single_.is_active(ConstraintRow::Source::joint, f.joint); });
    rows_.rows.pieces(mech_, ws, pieces_);
    const std::vector<std::vector<int>> groups = groups_of_rows();
    std::size_t count = 0;
    for (const std::vector<int>& group : groups) count += group.size();
    if (has_custom_) {
      why_not_ = "it has a custom joint";
    } else if (!closing_.empty()) {
      why_not_ = fmt::format("joint '{}' closes a loop and has friction or a rotor",
                             mech_.joints[static_cast<At>(closing_.front().joint)].name);
    } else if (count > most_rows) {
      why_not_ = fmt::format("it has {} rows of constraints: beyond {} lanes do not pay", count, most_rows);
    }
    if (!why_not_.empty()) return;

    closures_.reserve(groups.size());
    Planner planner(mech_, tree_, plan_);
    for (const std::vector<int>& group : groups) {
      const ConstraintRow& row = single_.rows()[static_cast<At>(group.front())];
      if (row.source == ConstraintRow::Source::joint) {
        const ClosurePlan closure = closure_of(row.index);
        if (closure.space.constant && closure.space.forces.size() == static_cast<int>(group.size())) {
          closures_.push_back(closure);
          planner.add_group(&closures_.back(), static_cast<int>(group.size()), {{closure.link_F, closure.link_M}}, {});
          continue;
        }
      }
      std::vector<std::pair<int, int>> links;
      std::vector<int> freedoms;
      for (const RowPiece& piece : pieces_) {
        if (std::find(group.begin(), group.end(), piece.row) == group.end()) continue;
        if (piece.v >= 0) {
          freedoms.push_back(piece.v);
        } else {
          links.emplace_back(link_of(piece.first), link_of(piece.second));
        }
      }
      given_.push_back({group, plan_.groups.size()});
      planner.add_group(nullptr, static_cast<int>(group.size()), links, freedoms);
    }
    planner.find_common();
    const At width = static_cast<At>(lane_count());
    scratch_ = AlignedArray<double>(trammel_loop_lanes()->scratch_numbers(tree_, plan_));
    given_J_ = AlignedArray<double>(static_cast<At>(plan_.numbers) * width);
    given_terms_ = AlignedArray<double>(static_cast<At>(plan_.numbers) * width);
    given_d_ = AlignedArray<double>(static_cast<At>(plan_.rows) * width);
  }

  // --- a block --------------------------------------------------------------------------------------------------------------------

  void run_block(int b, int states, const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                 LaneLoads* loads, bool friction) {
    LoadArrays<double> acting;
    acting.friction = friction;
    for (int lane = 0; lane < states && !given_.empty(); ++lane) find_given(b * lane_count() + lane, lane, q, v);
    if (loads != nullptr) {
      lanes().velocities(tree_, workspace_.data(), q.block(b), v.block(b));
      const LaneLoads::OfBlock found = loads->find(workspace_.data(), states);
      acting.inertias = found.inertia, acting.biases = found.bias;
      acting.after_velocities = true;
      acting.in_links = found.in_workspace;
    }
    trammel_loop_lanes()->accelerate(tree_, workspace_.data(), scratch_.data(), plan_,
                                     {given_J_.data(), given_terms_.data(), given_d_.data()}, q.block(b), v.block(b),
                                     tau.block(b), a.block(b), acting, settled, singular_, rest_);
  }

  // Rows of couplings, constraints and joints whose spaces turn, at one state.
  void find_given(int state, int lane, const LaneArray& q, const LaneArray& v) {
    Workspace& ws = rows_.ws;
    q.get(state, q_);
    v.get(state, v_);
    compute_accelerations(mech_, ws, q_, v_, zero_);
    rows_.rows.pieces(mech_, ws, pieces_);
    rows_.rows.second_rates(mech_, ws, v_, {}, gamma_.data());
    const At width = static_cast<At>(lane_count());
    for (const RowsByState& given : given_) {
      const LaneRows& group = plan_.groups[given.group];
      const At first = static_cast<At>(group.first_number) * width + static_cast<At>(lane);
      const At numbers = static_cast<At>(group.rows) * static_cast<At>(group.places);
      for (At i = 0; i < numbers; ++i) given_J_[first + i * width] = given_terms_[first + i * width] = 0;
      for (int r = 0; r < group.rows; ++r) {
        given_d_[static_cast<At>(group.first_row + r) * width + static_cast<At>(lane)] =
            -gamma_[static_cast<At>(given.rows[static_cast<At>(r)])];
      }
      for (const RowPiece& piece : pieces_) {
        const auto row = std::find(given.rows.begin(), given.rows.end(), piece.row);
        if (row == given.rows.end()) continue;
        add_piece(piece, group, static_cast<At>(row - given.rows.begin()), first, width);
      }
    }
  }
  void add_piece(const RowPiece& piece, const LaneRows& group, At row, At first, At width) {
    if (piece.v < 0) {
      jacobian_at(piece.second, piece.p_W, J6_);
      jacobian_at(piece.first, piece.p_W, J6_first_);
      for (At i = 0; i < J6_.size(); ++i) J6_[i] -= J6_first_[i];
    }
    const At n = static_cast<At>(mech_.nv);
    const auto columns = static_cast<At>(group.places);
    for (At i = 0; i < columns; ++i) {
      const auto k = static_cast<At>(plan_.places[static_cast<At>(group.first_place) + i].freedom);
      double value = 0, terms = 0;
      if (piece.v >= 0) {
        if (static_cast<At>(piece.v) == k) value = piece.factor, terms = std::abs(value);
      } else {
        const Vec3d w{J6_[k], J6_[n + k], J6_[2 * n + k]}, t{J6_[3 * n + k], J6_[4 * n + k], J6_[5 * n + k]};
        value = dot(w, piece.g_W.n) + dot(t, piece.g_W.f);
        terms = norm(w) * norm(piece.g_W.n) + norm(t) * norm(piece.g_W.f);
      }
      const At number = first + (row * columns + i) * width;
      given_J_[number] += value;
      given_terms_[number] += terms;
    }
  }
  void jacobian_at(int body, const Vec3d& p_W, std::vector<double>& J) {
    if (link_of(body) == ground) {
      std::fill(J.begin(), J.end(), 0.0);
      return;
    }
    jacobian_W(mech_, rows_.ws, body, inverse(pose_WB(mech_, rows_.ws, body)) * p_W, J);
  }

  LoopVerdict alone(int state, const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                    bool friction) {
    ++left_;
    q.get(state, q_);
    v.get(state, v_);
    tau.get(state, tau_);
    Loads loads;
    loads.friction = friction;
    const LoopVerdict verdict = single_.forward(q_, v_, tau_, a_, loads);
    a.set(state, a_);
    return verdict;
  }

  struct RowsByState {      // of a group without a closure
    std::vector<int> rows;  // of Φ
    At group = 0;
  };

  const Mechanism& mech_;
  Tree tree_;
  LoopDynamics single_;
  LoopSolver solver_;
  LoopSolver::Implementation& rows_;
  bool has_custom_ = false;
  std::string why_not_;
  LaneRowsPlan plan_;
  std::vector<ClosurePlan> closures_;
  std::vector<RowsByState> given_;
  std::vector<RowPiece> pieces_;
  std::vector<ClosingFreedom> closing_;
  AlignedArray<double> workspace_, scratch_, given_J_, given_terms_, given_d_;
  std::vector<double> gamma_, J6_, J6_first_, q_, v_, tau_, a_, zero_;
  alignas(64) double singular_[64 / sizeof(double)] = {}, rest_[64 / sizeof(double)] = {};
  int left_ = 0;
};

LoopBatch::LoopBatch(const Mechanism& mechanism) : implementation_(std::make_unique<Implementation>(mechanism)) {}
LoopBatch::~LoopBatch() = default;
LoopBatch::LoopBatch(LoopBatch&&) noexcept = default;
LoopBatch& LoopBatch::operator=(LoopBatch&&) noexcept = default;

const std::string& LoopBatch::why_no_lanes() const { return implementation_->why_not(); }
int LoopBatch::rows_one_by_one() const { return implementation_->given_rows(); }
int LoopBatch::one_by_one() const { return implementation_->left(); }
void LoopBatch::set_active(ConstraintRow::Source source, int index, bool active) {
  implementation_->set_active(source, index, active);
}
void LoopBatch::forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                                 std::span<LoopVerdict> verdicts, bool friction) {
  implementation_->forward(q, v, tau, a, nullptr, verdicts, friction);
}
void LoopBatch::forward_dynamics(const LaneArray& q, const LaneArray& v, const LaneArray& tau, LaneArray& a,
                                 LaneLoads& loads, std::span<LoopVerdict> verdicts, bool friction) {
  implementation_->forward(q, v, tau, a, &loads, verdicts, friction);
}

}  // namespace trammel
