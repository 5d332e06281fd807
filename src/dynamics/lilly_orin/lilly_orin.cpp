// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lilly and Orin's algorithm for callers: room for it, its order, and its answers.

#include <bit>
#include <stdexcept>

#include <Eigen/LU>

#include <trammel/core/counted.hpp>
#include <trammel/lilly_orin.hpp>

#include "core/crew.hpp"
#include "dynamics/lilly_orin/five_steps.hpp"
#include "dynamics/lilly_orin/reference_member.hpp"
#include "dynamics/make_kernel_table.hpp"
#include "kernels/lengths.hpp"
#include "kernels/tree_of.hpp"
#include "kinematics/body_point.hpp"

namespace trammel {
namespace {

// Threads are worth waking from so many links in the chains on; measured, see docs/performance.md.
constexpr int least_links_for_threads = 1000;

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

template <class T>
std::array<double, 3> values(const Vec3<T>& v) {
  const auto c = components(v);
  return {value_of(c[0]), value_of(c[1]), value_of(c[2])};
}
template <class T>
std::array<double, 6> values(const Force<T>& F) {
  const auto n = values(F.n), f = values(F.f);
  return {n[0], n[1], n[2], f[0], f[1], f[2]};
}
template <class T>
std::array<T, 21> entries(const ArticulatedInertia<T>& I) {
  const auto J = entries(I.J), M = entries(I.M);
  const auto x = components(I.H.ex), y = components(I.H.ey), z = components(I.H.ez);
  return {J[0], J[1], J[2], J[3], J[4], J[5], x[0], x[1], x[2], y[0], y[1],
          y[2], z[0], z[1], z[2], M[0], M[1], M[2], M[3], M[4], M[5]};
}
// Row i, column k ≤ i of an articulated inertia, in the numbering of entries().
constexpr int lower_entry[6][6] = {
    {0}, {3, 1}, {4, 5, 2}, {6, 7, 8, 15}, {9, 10, 11, 18, 16}, {12, 13, 14, 19, 20, 17}};

template <class T>
Matrix6 dense(const ArticulatedInertia<T>& I) {
  const auto e = entries(I);
  Matrix6 m;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k <= i; ++k) m(i, k) = m(k, i) = value_of(e[lower_entry[i][k]]);
  }
  return m;
}

}  // namespace

template <class T>
class BasicLillyOrin<T>::Implementation {
 public:
  Implementation(const Mechanism& mech, Star star)
      : mech_(mech), star_(std::move(star)), plan_(plan_star(mech, star_)) {
    const Tree tree = tree_of(mech);
    numbers_ = AlignedArray<T>(Kernels::workspace_numbers(tree));
    set_parameters(Parameters<T>::from(mech.parameters));
    freedoms_.resize(static_cast<std::size_t>(plan_.freedom_count));
    factors_.resize(static_cast<std::size_t>(plan_.factor_count));
    bias_.resize(static_cast<std::size_t>(plan_.bias_count));
    for (const BlockPlan& block : plan_.blocks) blocks_.emplace_back(block);
    tips_.resize(plan_.chains.size());
    shares_.resize(plan_.chains.size());
    held_by_.resize(plan_.chains.size());
    set_threads(0);
  }

  void set_threads(int threads) {
    const int chains = static_cast<int>(plan_.chains.size()), links = static_cast<int>(plan_.links.size());
    crew_.reset();
    if (std::is_same_v<T, Counted> || threads == 1 || chains < 2) return;
    if (threads == 0 && links < least_links_for_threads) return;
    crew_ = std::make_unique<Crew>(threads);
    if (crew_->threads() > chains) crew_ = std::make_unique<Crew>(chains);
    if (crew_->threads() == 1) crew_.reset();
  }
  int threads() const { return crew_ == nullptr ? 1 : crew_->threads(); }

  const Star& star() const { return star_; }
  const Mechanism& mechanism() const { return mech_; }
  const StarPlan& plan() const { return plan_; }
  void set_parameters(const Parameters<T>& parameters) {
    parameters_ = parameters;
    Kernels::set_parameters(tree_of(mech_), arrays_of(parameters_), numbers_.data());
  }

  StarReport forward_dynamics(const T* q, const T* v, const T* tau, T* a, const BasicLoads<T>& caller_loads,
                              std::span<const std::array<T, 6>> known) {
    const Tree tree = tree_of(mech_);
    const Arrays<T> ws = arrays();
    const LoadArrays<T> loads = arrays_of(caller_loads);
    const StarArrays<T> star{freedoms_.data(), factors_.data(), bias_.data(),
                             blocks_.data(),   tips_.data(),    shares_.data()};
    const StarContext<T> x{tree, ws,    plan_,
                           star, loads, {star_.prescribed.empty() ? nullptr : star_.prescribed.data(), a}};
    StarReport report;
    begin_count();

    start(x, q, v, tau);
    each_chain([&](int k) {
      in_step(LillyOrinStep::outward, [&] { place_tip(x, k, known.empty() ? nullptr : known[k].data()); });
      in_step(LillyOrinStep::open_chains, [&] { eliminate_chain(x, k); });
      in_step(LillyOrinStep::propagation, [&] { propagate_forces(x, k); });
      in_step(LillyOrinStep::shares, [&] { find_share(x, k); });
    });
    in_step(LillyOrinStep::open_chains, [&] { eliminate_rest(x, report); });
    if (report.singular_joint >= 0) return report;
    in_step(LillyOrinStep::reference, [&] { solve_reference(x, report); });
    each_chain([&](int k) {
      in_step(LillyOrinStep::tip_forces, [&] {
        if (!ranked_) find_tip_force(tips_[k], ws.links[plan_.reference].dA);
      });
      in_step(LillyOrinStep::accelerations, [&] {
        accelerate_chain(x, k, a);
        accelerate_hanging(x, plan_.chains[k].hanging, a);
      });
    });
    in_step(LillyOrinStep::accelerations, [&] {
      accelerate_hanging(x, plan_.reference_hanging, a);
      accelerate_hanging(x, plan_.support_hanging, a);
    });
    end_count();
    return report;
  }

  Motion<T> acceleration_W(int body) const { return body_acceleration(tree_of(mech_), arrays(), body, Vec3<T>{}); }
  int reference_body() const { return mech_.links[plan_.reference].body; }
  Force<T> tip_force_W(int k) const {
    const ChainTip<T>& tip = tips_[static_cast<std::size_t>(k)];
    Force<T> F = tip.known;
    for (int j = 0; j < tip.rows; ++j) F += tip.C[j] * tip.h[j];
    const JointInfo& joint =
        mech_.joints[static_cast<std::size_t>(star_.chains[static_cast<std::size_t>(k)].tip_joint())];
    const Arrays<T> ws = arrays();
    const Vec3<T> p_WM = body_pose(tree_of(mech_), ws, joint.second) * Vec3<T>::from(joint.X_BM.p);
    return shift(F, p_WM - ws.points[mech_.links[static_cast<std::size_t>(plan_.reference)].point].p_WO);
  }
  // From the point O of the reference member to its body's origin, as the map of motions there.
  Matrix6 to_origin() const {
    const Vec3<T> p = body_pose_from_point();
    const auto c = values(p);
    Matrix6 X = Matrix6::Identity();
    X.bottomLeftCorner<3, 3>() << 0, c[2], -c[1], -c[2], 0, c[0], c[1], -c[0], 0;  // −p×
    return X;
  }
  Matrix6 effective_inertia() const {
    const Matrix6 back = to_origin().inverse();
    return back.transpose() * inertia_ * back;
  }
  Matrix6 inverse_effective_inertia() const {
    const Matrix6 X = to_origin();
    return X * (ranked_ ? inverse_inertia_ : Matrix6(inertia_.inverse())) * X.transpose();
  }
  const StarOperations& operations() const { return operations_; }

 private:
  using Kernels = KernelsOn<T, T>;

  const Mechanism& mech_;
  Star star_;
  StarPlan plan_;
  Parameters<T> parameters_;
  AlignedArray<T> numbers_;
  std::vector<ChainFreedom<T>> freedoms_;
  std::vector<T> factors_;
  std::vector<Motion<T>> bias_;
  std::vector<BlockState<T>> blocks_;
  std::vector<ChainTip<T>> tips_;
  std::vector<Share<T>> shares_;
  std::vector<HeldBy> held_by_;
  Matrix6 inertia_ = Matrix6::Zero(), inverse_inertia_ = Matrix6::Zero();  // of the reference member, at O
  bool ranked_ = false;                                                    // inverse_inertia_ is there, and all h
  std::unique_ptr<Crew> crew_;                                             // null: one thread
  StarOperations operations_;
  OperationCount side_by_side_;  // done while others are, of operations_.total

  Arrays<T> arrays() const { return Kernels::arrays(tree_of(mech_), numbers_.data()); }
  Vec3<T> body_pose_from_point() const {
    const LinkState<T>& L = arrays().links[plan_.reference];
    return L.p_OL + L.R_WL * parameters_.X_LB[static_cast<std::size_t>(reference_body())].p;
  }

  // Chains do not depend on each other: each writes to its own links, freedoms, tip and share.
  template <class Work>
  void each_chain(const Work& work) {
    const int chains = static_cast<int>(plan_.chains.size());
    if (crew_ != nullptr) {
      crew_->each(chains, work);
      return;
    }
    if constexpr (std::is_same_v<T, Counted>) {
      OperationCount all, longest;
      for (int k = 0; k < chains; ++k) {
        const OperationCount before = Counted::operations();
        work(k);
        const OperationCount cost = Counted::operations() - before;
        all += cost;
        if (cost.sum() > longest.sum()) longest = cost;
      }
      side_by_side_ += all - longest;
    } else {
      for (int k = 0; k < chains; ++k) work(k);
    }
  }

  // With counted numbers, operations are booked on the step.
  template <class Work>
  void in_step(LillyOrinStep step, const Work& work) {
    if constexpr (std::is_same_v<T, Counted>) {
      const OperationCount before = Counted::operations();
      work();
      operations_.steps[static_cast<std::size_t>(step)] += Counted::operations() - before;
    } else {
      work();
    }
  }
  void begin_count() {
    if constexpr (std::is_same_v<T, Counted>) {
      operations_ = {};
      operations_.total = Counted::operations();
      side_by_side_ = {};
    }
  }
  void end_count() {
    if constexpr (std::is_same_v<T, Counted>) {
      operations_.total = Counted::operations() - operations_.total;
      operations_.critical_path = operations_.total - side_by_side_;
    }
  }

  // Poses, velocities, A⁰ and the forces that the links need there.
  void start(const StarContext<T>& x, const T* q, const T* v, const T* tau) {
    in_step(LillyOrinStep::outward, [&] {
      for (int k = 0; k < x.tree.nv; ++k) x.ws.freedoms[k].tau = tau[k];
      if (!x.loads.friction || !x.ws.parameters.has_friction) return;
      for_each_friction(x.tree, x.ws.parameters, v,
                        [&](int k, const T& friction) { x.ws.freedoms[k].tau += friction; });
    });
    if (crew_ == nullptr && std::is_same_v<T, double>) {
      start_base_to_tip(x.tree, x.ws, q, v, x.loads, x.prescribed);
    } else {
      start_chain_by_chain(x, q, v);
    }
    for (int l = 0; l < x.tree.link_count; ++l) {
      if (plan_.is_support[static_cast<std::size_t>(l)] != 0) x.ws.links[l].dA = {};
      if (x.loads.inertias == nullptr) x.ws.links[l].IA = {}, x.ws.links[l].size = {};
    }
  }

  void start_chain_by_chain(const StarContext<T>& x, const T* q, const T* v) {
    const auto outward = [&](std::span<const int> links) {
      in_step(LillyOrinStep::outward, [&] { step_outward(x, links, q, v); });
    };
    outward(plan_.support_links);
    each_chain([&](int k) { outward(plan_.chains[static_cast<std::size_t>(k)].before_reference); });
    outward(plan_.reference_links);
    each_chain([&](int k) { outward(plan_.chains[static_cast<std::size_t>(k)].after_reference); });
    in_step(LillyOrinStep::outward, [&] { add_to_links(x.tree, x.ws, x.loads); });
  }

  void eliminate_chain(const StarContext<T>& x, int k) {
    const int hanging = eliminate_hanging(x, plan_.chains[static_cast<std::size_t>(k)].hanging);
    eliminate_open_chain(x, k);
    if (hanging >= 0) tips_[static_cast<std::size_t>(k)].singular_joint = hanging;
  }

  // Trees that hang on the reference member and on the support; and whether a joint's inertia vanishes, here or in a chain.
  void eliminate_rest(const StarContext<T>& x, StarReport& report) {
    report.singular_joint =
        std::max(eliminate_hanging(x, plan_.reference_hanging), eliminate_hanging(x, plan_.support_hanging));
    for (const ChainTip<T>& tip : tips_) {
      if (report.singular_joint < 0) report.singular_joint = tip.singular_joint;
    }
  }

  void solve_reference(const StarContext<T>& x, StarReport& report) {
    LinkState<T>& reference = x.ws.links[plan_.reference];
    ArticulatedInertia<T> I_0 = ArticulatedInertia<T>::of(reference.M);
    if (plan_.reference_collects || x.loads.inertias != nullptr) I_0 += reference.IA;
    ranked_ = false;
    for (const ChainTip<T>& tip : tips_) {
      report.rows += tip.rows;
      ranked_ = ranked_ || tip.weak;
    }
    if (!ranked_ && solve_regular(I_0, reference)) {
      report.rank = report.rows;
    } else {
      solve_ranked(I_0, reference, report);
    }
    for (const BlockState<T>& block : blocks_) {
      report.residual = std::max(report.residual, block.residual);
      report.conditioning = std::min(report.conditioning, block.conditioning);
    }
    reference.A += reference.dA;
  }

  void add_up_shares() {
    const int count = static_cast<int>(shares_.size());
    const OperationCount before = Counted::operations();
    sum_shares(shares_.data(), count);
    if constexpr (std::is_same_v<T, Counted>) {
      OperationCount later = Counted::operations() - before;  // than the first of its round
      const long rounds = std::bit_width(static_cast<unsigned>(count - 1));
      later.additions -= count > 1 ? rounds * later.additions / (count - 1) : 0;
      side_by_side_ += later;
    }
  }

  // False where the matrix is singular, or nearly.
  bool solve_regular(const ArticulatedInertia<T>& I_0, LinkState<T>& reference) {
    add_up_shares();
    ArticulatedInertia<T> I = shares_.front().inertia;
    I += I_0;
    const Force<T> r = shares_.front().force - reference.F;
    const auto e = entries(I);
    SmallFactor<T, 6> factor;
    std::array<T, 6> scale;
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k <= i; ++k) factor.at(i, k) = e[lower_entry[i][k]];
      scale[i] =
          T(value_of(factor.at(i, i)) * (weak_pivot / 1e-13));  // the factor calls a pivot singular at 1e-13 of it
    }
    if (!factor.factor(scale)) return false;
    const auto n = components(r.n), f = components(r.f);
    std::array<T, 6> a{n[0], n[1], n[2], f[0], f[1], f[2]};
    factor.solve(a);
    reference.dA = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    inertia_ = dense(I);
    return true;
  }

  void solve_ranked(const ArticulatedInertia<T>& I_0, LinkState<T>& reference, StarReport& report) {
    ranked_ = true;
    report.rank = 0;
    ReferenceEquation equation;
    inertia_ = dense(I_0);
    Eigen::Map<Matrix6>(equation.inertia.data()) = inertia_;
    Force<T> p = reference.F;
    for (const ChainTip<T>& tip : tips_) p -= tip.known;
    equation.force = values(p);
    for (std::size_t k = 0; k < tips_.size(); ++k) {
      const ChainTip<T>& tip = tips_[k];
      HeldBy& held = held_by_[k];
      held.rows = tip.rows;
      held.rotor = tip.rotor;
      held.scale = tip.scale;
      for (int j = 0; j < tip.rows; ++j) {
        held.C[j] = values(tip.C[j]);
        held.S[j] = value_of(tip.S[j]);
        for (int i = 0; i <= j; ++i) held.K[6 * j + i] = value_of(tip.K[6 * j + i]);
      }
    }
    solve_with_ranks(equation, held_by_, plan_.length, report);
    const auto& a = equation.acceleration;
    reference.dA = {{T(a[0]), T(a[1]), T(a[2])}, {T(a[3]), T(a[4]), T(a[5])}};
    inverse_inertia_ = Eigen::Map<const Matrix6>(equation.inverse_inertia.data());
    inertia_ = Eigen::Map<const Matrix6>(equation.inertia.data());
    for (std::size_t k = 0; k < tips_.size(); ++k) {
      for (int j = 0; j < tips_[k].rows; ++j) tips_[k].h[j] = T(held_by_[k].h[j]);
    }
  }
};

template <class T>
BasicLillyOrin<T>::BasicLillyOrin(const Mechanism& mechanism, const Star& star) {
  if (!star.found()) throw std::invalid_argument("no star to solve: " + star.why_not);
  if (!std::is_same_v<T, double> && mechanism.has_custom_joint) {
    throw std::invalid_argument("custom joints run on double only: this mechanism has one");
  }
  implementation_ = std::make_unique<Implementation>(mechanism, star);
}
template <class T>
BasicLillyOrin<T>::~BasicLillyOrin() = default;
template <class T>
BasicLillyOrin<T>::BasicLillyOrin(BasicLillyOrin&&) noexcept = default;
template <class T>
BasicLillyOrin<T>& BasicLillyOrin<T>::operator=(BasicLillyOrin&&) noexcept = default;

template <class T>
const Star& BasicLillyOrin<T>::star() const {
  return implementation_->star();
}
template <class T>
void BasicLillyOrin<T>::set_parameters(const Parameters<T>& parameters) {
  implementation_->set_parameters(parameters);
}
template <class T>
StarReport BasicLillyOrin<T>::forward_dynamics(In<T> q, In<T> v, In<T> tau, Out<T> a, const BasicLoads<T>& loads,
                                               std::span<const std::array<T, 6>> known) {
  assert_nq(implementation_->mechanism(), q);
  assert_nv(implementation_->mechanism(), v, tau, a);
  assert((known.empty() || known.size() == star().chains.size()) && "one entry per chain");
  return implementation_->forward_dynamics(q.data(), v.data(), tau.data(), a.data(), loads, known);
}
template <class T>
Motion<T> BasicLillyOrin<T>::acceleration_W(int body) const {
  return implementation_->acceleration_W(body);
}
template <class T>
Motion<T> BasicLillyOrin<T>::reference_acceleration_W() const {
  return acceleration_W(reference_body());
}
template <class T>
int BasicLillyOrin<T>::reference_body() const {
  return implementation_->reference_body();
}
template <class T>
Force<T> BasicLillyOrin<T>::tip_force_W(int chain) const {
  return implementation_->tip_force_W(chain);
}
template <class T>
void BasicLillyOrin<T>::effective_inertia_W(std::span<double, 36> inertia) const {
  Eigen::Map<RowMajor6>(inertia.data()) = implementation_->effective_inertia();
}
template <class T>
void BasicLillyOrin<T>::inverse_effective_inertia_W(std::span<double, 36> inverse) const {
  Eigen::Map<RowMajor6>(inverse.data()) = implementation_->inverse_effective_inertia();
}
template <class T>
void BasicLillyOrin<T>::set_threads(int threads) {
  implementation_->set_threads(threads);
}
template <class T>
int BasicLillyOrin<T>::threads() const {
  return implementation_->threads();
}
template <class T>
const StarOperations& BasicLillyOrin<T>::operations() const {
  return implementation_->operations();
}

template class BasicLillyOrin<double>;
template class BasicLillyOrin<Counted>;

}  // namespace trammel
