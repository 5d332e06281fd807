// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lilly and Orin's algorithm for callers: room for it, its order, and its answers.

#include <bit>
#include <stdexcept>

#include <Eigen/LU>

#include <trammel/core/counted.hpp>
#include <trammel/lilly_orin.hpp>

#include "core/crew.hpp"
#include "dynamics/lilly_orin/reference_member.hpp"
#include "dynamics/lilly_orin/star_kernels.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/lengths.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {
namespace {

// Threads are worth waking from so many links in the chains on; measured, see docs/performance.md.
constexpr int least_links_for_threads = 1000;

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

template <class T>
const StarTable<T>& star_kernels() {
  if constexpr (std::is_same_v<T, double>) {
    static const StarTable<double>* const table = trammel_star_kernels();
    return *table;
  } else {
    return counted_star_kernels();
  }
}

template <class T>
std::array<double, 3> values(const Vec3<T>& v) {
  const auto c = components(v);
  return {value_of(c[0]), value_of(c[1]), value_of(c[2])};
}
// Of 21 entries of an articulated inertia.
template <class T>
Matrix6 dense(const std::array<T, 21>& e) {
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
    numbers_ = AlignedArray<T>(kernels<T>().workspace_numbers(tree_of(mech)));
    set_parameters(Parameters<T>::from(mech.parameters));
    chain_numbers_ = AlignedArray<T>(table_.numbers(plan_));
    table_.prepare(plan_, chain_numbers_.data());
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
    kernels<T>().set_parameters(tree_of(mech_), arrays_of(parameters_), numbers_.data());
  }

  StarReport forward_dynamics(const T* q, const T* v, const T* tau, T* a, const BasicLoads<T>& caller_loads,
                              std::span<const std::array<T, 6>> known) {
    StarCall<T> x = call();
    x.loads = last_loads_ = arrays_of(caller_loads);
    x.prescribed = star_.prescribed.empty() ? nullptr : star_.prescribed.data();
    x.a = a;
    StarReport report;
    begin_count();

    const T* const forces = known.empty() ? nullptr : known[0].data();
    const StarSummary summary = until_reference(x, q, v, tau, forces);
    report.singular_joint = summary.singular_joint;
    report.crowded = summary.crowded;
    if (report.singular_joint >= 0 || report.crowded) return report;
    from_reference(x, summary, report);
    end_count();
    return report;
  }

  Motion<T> acceleration_W(int body) const {
    Motion<T> A;
    kernels<T>().acceleration(tree_of(mech_), numbers_.data(), body, Vec3<T>{}, reinterpret_cast<T*>(&A));
    return A;
  }
  int reference_body() const { return mech_.links[plan_.reference].body; }
  Force<T> tip_force_W(int k, int number) const {
    settle();
    const ChainPlan& chain = plan_.chains[static_cast<std::size_t>(k)];
    const int asked = star_.chains[static_cast<std::size_t>(k)].tip_joint(number);
    const JointInfo& joint = mech_.joints[static_cast<std::size_t>(asked)];
    int t = chain.first_tip;
    while (plan_.tips[static_cast<std::size_t>(t)].joint != asked) ++t;
    std::array<T, 6> f;
    table_.force_at_tip(call(), k, t, f.data());
    Transform<T> X_WB;
    kernels<T>().pose(tree_of(mech_), numbers_.data(), joint.second, reinterpret_cast<T*>(&X_WB));
    return shift(Force<T>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}},
                 X_WB * Vec3<T>::from(joint.X_BM.p) - reference_view().p_WO);
  }
  Matrix6 effective_inertia() const {
    settle();
    const Matrix6 back = to_origin().inverse();
    return back.transpose() * inertia() * back;
  }
  Matrix6 inverse_effective_inertia() const {
    settle();
    const Matrix6 X = to_origin();
    return X * (ranked_ ? inverse_inertia_ : Matrix6(inertia().inverse())) * X.transpose();
  }
  const StarOperations& operations() const { return operations_; }

 private:
  const StarTable<T>& table_ = star_kernels<T>();
  const Mechanism& mech_;
  Star star_;
  StarPlan plan_;
  Parameters<T> parameters_;
  AlignedArray<T> numbers_, chain_numbers_;
  mutable std::vector<HeldBy> held_by_;
  mutable Matrix6 inertia_ = Matrix6::Zero(),
                  inverse_inertia_ = Matrix6::Zero();  // of the reference member, at O, where ranked
  mutable bool ranked_ = false;                        // ranks were decided with care
  mutable std::array<T, 6> acceleration_{};            // likewise
  mutable bool settled_ =
      true;  // false: null rows bind the reference member; what is not unique is not the smallest yet
  LoadArrays<T> last_loads_;
  std::unique_ptr<Crew> crew_;  // null: one thread
  StarOperations operations_;
  OperationCount side_by_side_;  // done while others are, of operations_.total

  StarCall<T> call() const {
    StarCall<T> x;
    x.tree = tree_of(mech_);
    x.ws = const_cast<T*>(numbers_.data());
    x.star = const_cast<T*>(chain_numbers_.data());
    x.plan = &plan_;
    return x;
  }
  LinkView<T> reference_view() const {
    LinkView<T> view;
    kernels<T>().link(tree_of(mech_), numbers_.data(), plan_.reference, reinterpret_cast<T*>(&view));
    return view;
  }
  Matrix6 inertia() const {
    if (ranked_) return inertia_;
    std::array<T, 21> e;
    table_.effective_inertia(call(), e.data());
    return dense(e);
  }
  // From the point O of the reference member to its body's origin, as the map of motions there.
  Matrix6 to_origin() const {
    const auto c = values(reference_view().X_OL * parameters_.X_LB[static_cast<std::size_t>(reference_body())].p);
    Matrix6 X = Matrix6::Identity();
    X.bottomLeftCorner<3, 3>() << 0, c[2], -c[1], -c[2], 0, c[0], c[1], -c[0], 0;  // −p×
    return X;
  }

  static constexpr bool is_counting = std::is_same_v<T, Counted>;  // step by step

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

  // One thread does all of it in two calls.
  bool in_one() const { return crew_ == nullptr && !is_counting; }

  StarSummary until_reference(const StarCall<T>& x, const T* q, const T* v, const T* tau, const T* known) {
    if (in_one()) return table_.until_reference(x, q, v, tau, known);
    in_step(LillyOrinStep::outward, [&] { table_.take_forces(x, v, tau); });
    start_chain_by_chain(x, q, v);
    table_.clear(x);
    if (is_counting) {
      each_chain([&](int k) {
        in_step(LillyOrinStep::outward, [&] { table_.place_tips(x, k, known); });
        in_step(LillyOrinStep::open_chains, [&] { table_.open_chain(x, k); });
        in_step(LillyOrinStep::propagation, [&] { table_.propagate(x, k); });
        in_step(LillyOrinStep::shares, [&] { table_.share(x, k); });
      });
    } else {
      each_chain([&](int k) { table_.inward(x, k, k + 1, known); });
    }
    StarSummary summary;
    in_step(LillyOrinStep::open_chains, [&] { summary = table_.rest(x); });
    return summary;
  }

  void from_reference(const StarCall<T>& x, const StarSummary& summary, StarReport& report) {
    bool done = false;
    in_step(LillyOrinStep::reference, [&] { done = solve_reference(x, summary, report); });
    if (done) return;
    if (is_counting) {
      each_chain([&](int k) {
        in_step(LillyOrinStep::tip_forces, [&] {
          if (!ranked_) table_.tip_force(x, k);
        });
        in_step(LillyOrinStep::accelerations, [&] { table_.accelerate(x, k); });
      });
    } else {
      each_chain([&](int k) { table_.again(x, k, k + 1, !ranked_); });
    }
    in_step(LillyOrinStep::accelerations, [&] { table_.accelerate_rest(x); });
  }

  void start_chain_by_chain(const StarCall<T>& x, const T* q, const T* v) {
    const auto outward = [&](const std::vector<int>& links) {
      in_step(LillyOrinStep::outward,
              [&] { table_.outward_some(x, links.data(), static_cast<int>(links.size()), q, v); });
    };
    outward(plan_.support_links);
    each_chain([&](int k) { outward(plan_.chains[static_cast<std::size_t>(k)].before_reference); });
    outward(plan_.reference_links);
    each_chain([&](int k) { outward(plan_.chains[static_cast<std::size_t>(k)].after_reference); });
    in_step(LillyOrinStep::outward, [&] { table_.add_loads(x); });
  }

  // True where all that comes after it is done too.
  bool solve_reference(const StarCall<T>& x, const StarSummary& summary, StarReport& report) {
    report.rows = summary.rows;
    ranked_ = summary.weak;
    settled_ = true;
    ReferenceSummary found;
    if (!ranked_ && in_one()) {
      found = table_.from_reference(x, summary.null);
    } else if (!ranked_) {
      add_up_shares(x);
      found = table_.solve(x, summary.null);
    }
    if (found.found) {
      report.rank = report.rows - summary.null;
      report.held = found.held;
      report.forces_unique = found.unique;
      report.residual = found.residual;
      report.conditioning = std::min(summary.least_pivot, found.conditioning);
      settled_ = summary.null == 0;
    } else {
      solve_ranked(x, report);
      table_.set_reference(x, acceleration_.data());
    }
    report.residual = std::max(report.residual, summary.block_residual);
    report.conditioning = std::min(report.conditioning, summary.block_conditioning);
    return found.found && in_one();
  }

  // Of all forces the smallest, and the inertia that goes with them: only where somebody asks.
  void settle() const {
    if (settled_) return;
    StarReport report;
    StarCall<T> x = call();
    x.loads = last_loads_;  // asked only whether there are some
    solve_ranked(x, report);
    settled_ = true;
  }

  void add_up_shares(const StarCall<T>& x) {
    const OperationCount before = Counted::operations();
    table_.sum_shares(x);
    if constexpr (std::is_same_v<T, Counted>) {
      const long count = static_cast<long>(plan_.chains.size());
      OperationCount later = Counted::operations() - before;  // than the first of its round
      const long rounds = std::bit_width(static_cast<unsigned>(count - 1));
      later.additions -= count > 1 ? rounds * later.additions / (count - 1) : 0;
      side_by_side_ += later;
    }
  }

  void solve_ranked(const StarCall<T>& x, StarReport& report) const {
    ranked_ = true;
    report.rank = 0;
    ReferenceEquation equation;
    std::array<T, 21> own;
    std::array<T, 6> force;
    table_.reference(x, own.data(), force.data());
    Eigen::Map<Matrix6>(equation.inertia.data()) = dense(own);
    for (std::size_t i = 0; i < 6; ++i) equation.force[i] = value_of(force[i]);
    for (std::size_t k = 0; k < held_by_.size(); ++k) {
      GripView<T> grip;
      table_.grip(x, static_cast<int>(k), grip);
      HeldBy& held = held_by_[k];
      held.rows = grip.rows;
      held.rotor = grip.rotor;
      held.scale = grip.scale;
      held.size = grip.size;
      for (std::size_t i = 0; i < 6; ++i) equation.force[i] -= value_of(grip.known[i]);
      for (int j = 0; j < grip.rows; ++j) {
        for (std::size_t i = 0; i < 6; ++i) held.C[j][i] = value_of(grip.C[j][i]);
        held.S[j] = value_of(grip.S[j]);
        for (int i = 0; i <= j; ++i) held.K[6 * j + i] = value_of(grip.K[6 * j + i]);
      }
    }
    solve_with_ranks(equation, held_by_, plan_.length, report);
    for (std::size_t i = 0; i < 6; ++i) acceleration_[i] = T(equation.acceleration[i]);
    inverse_inertia_ = Eigen::Map<const Matrix6>(equation.inverse_inertia.data());
    inertia_ = Eigen::Map<const Matrix6>(equation.inertia.data());
    for (std::size_t k = 0; k < held_by_.size(); ++k) {
      std::array<T, 6> h{};
      for (int j = 0; j < held_by_[k].rows; ++j) h[j] = T(held_by_[k].h[j]);
      table_.set_tip_force(x, static_cast<int>(k), h.data());
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
  assert((known.empty() || known.size() == implementation_->plan().tips.size()) && "one entry per tip");
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
Force<T> BasicLillyOrin<T>::tip_force_W(int chain, int tip) const {
  return implementation_->tip_force_W(chain, tip);
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
