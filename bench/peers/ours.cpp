// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Our own functions: for one state after another, and for blocks of states in SIMD lanes.

#include <algorithm>

#include <trammel/batch.hpp>

#include "peers/implementation.hpp"

namespace trammel::bench {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Eigen::VectorXd vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

// The pose of C, from the columns of R_WB and p_WB.
Eigen::VectorXd pose_of_C(const Scene& scene, const Transformd& X_WB) {
  const Mat3d R = X_WB.R * scene.R_BC;
  const Vec3d p = X_WB * scene.p_B;
  Eigen::VectorXd pose(12);
  pose << R.ex.x, R.ex.y, R.ex.z, R.ey.x, R.ey.y, R.ey.z, R.ez.x, R.ez.y, R.ez.z, p.x, p.y, p.z;
  return pose;
}

class OneState : public Implementation {
 public:
  explicit OneState(const Scene& scene)
      : scene_(scene),
        mech_(scene.mechanism),
        ws_(mech_),
        vector_(at(mech_.nv)),
        mass_(at(mech_.nv) * at(mech_.nv)),
        jacobian_(6 * at(mech_.nv)) {}

  std::string name() const override { return "trammel"; }

  void run(Algorithm algorithm, int first, int count) override {
    switch (algorithm) {
      case Algorithm::forward:
        return each(first, count, [this](const test::RandomState& s) { forward(s); });
      case Algorithm::inverse:
        return each(first, count, [this](const test::RandomState& s) { inverse(s); });
      case Algorithm::mass:
        return each(first, count, [this](const test::RandomState& s) { mass(s); });
      case Algorithm::jacobian:
        return each(first, count, [this](const test::RandomState& s) { jacobian(s); });
      case Algorithm::kinematics:
        return each(first, count, [this](const test::RandomState& s) { positions(s); });
    }
  }

  Eigen::VectorXd answer(Algorithm algorithm, int state) override {
    run(algorithm, state, 1);
    if (algorithm == Algorithm::kinematics) return pose_of_C(scene_, pose_WB(mech_, ws_, scene_.tip));
    if (algorithm == Algorithm::mass) return vector_of(mass_);
    return vector_of(algorithm == Algorithm::jacobian ? jacobian_ : vector_);
  }

 private:
  template <class Work>
  void each(int first, int count, const Work& work) {
    for (int i = first; i < first + count; ++i) work(scene_.states[at(i % scene_.state_count())]);
  }
  void forward(const test::RandomState& s) { forward_dynamics(mech_, ws_, s.q, s.v, s.tau, vector_); }
  void inverse(const test::RandomState& s) { inverse_dynamics(mech_, ws_, s.q, s.v, s.a, vector_); }
  void mass(const test::RandomState& s) { mass_matrix(mech_, ws_, s.q, mass_); }
  void positions(const test::RandomState& s) { compute_positions(mech_, ws_, s.q); }
  void jacobian(const test::RandomState& s) {
    compute_positions(mech_, ws_, s.q);
    jacobian_W(mech_, ws_, scene_.tip, scene_.p_B, jacobian_);
  }

  const Scene& scene_;
  const Mechanism& mech_;
  Workspace ws_;
  std::vector<double> vector_, mass_, jacobian_;
};

class InLanes : public Implementation {
 public:
  explicit InLanes(const Scene& scene)
      : scene_(scene),
        nv_(scene.mechanism.nv),
        states_(states_that_fit(scene)),
        batch_(scene.mechanism),
        q_(scene.mechanism.nq, states_),
        v_(nv_, states_),
        a_(nv_, states_),
        tau_(nv_, states_),
        vector_(nv_, states_),
        mass_(nv_ * nv_, states_),
        jacobian_(6 * nv_, states_),
        pose_(12, states_) {
    for (int i = 0; i < states_; ++i) {
      const test::RandomState& s = scene.states[at(i)];
      q_.set(i, s.q), v_.set(i, s.v), a_.set(i, s.a), tau_.set(i, s.tau);
    }
  }

  std::string name() const override { return "trammel lanes"; }
  int block(Algorithm) const override { return states_; }
  int states_held(const Scene&) const override { return states_; }

  void run(Algorithm algorithm, int, int count) override {
    for (int done = 0; done < count; done += states_) run_block(algorithm);
  }

  Eigen::VectorXd answer(Algorithm algorithm, int state) override {
    run_block(algorithm);
    const LaneArray& array = result(algorithm);
    std::vector<double> numbers(at(array.rows()));
    array.get(state, numbers);
    if (algorithm != Algorithm::kinematics) return vector_of(numbers);
    const auto vec = [&numbers](std::size_t i) { return Vec3d{numbers[i], numbers[i + 1], numbers[i + 2]}; };
    return pose_of_C(scene_, {{vec(0), vec(3), vec(6)}, vec(9)});
  }

 private:
  // As many as keep their mass matrices in the cache, where the peers, who write one after the other into the same place,
  // have theirs: at a thousand freedoms one takes 8 MB.
  static int states_that_fit(const Scene& scene) {
    const double matrices = 4e6 / (8.0 * scene.mechanism.nv * scene.mechanism.nv);
    const int blocks = std::clamp(static_cast<int>(matrices) / lane_count(), 1, scene.state_count() / lane_count());
    return blocks * lane_count();
  }

  const LaneArray& result(Algorithm algorithm) const {
    switch (algorithm) {
      case Algorithm::mass:
        return mass_;
      case Algorithm::jacobian:
        return jacobian_;
      case Algorithm::kinematics:
        return pose_;
      default:
        return vector_;
    }
  }

  void run_block(Algorithm algorithm) {
    switch (algorithm) {
      case Algorithm::forward:
        return batch_.forward_dynamics(q_, v_, tau_, vector_);
      case Algorithm::inverse:
        return batch_.inverse_dynamics(q_, v_, a_, vector_);
      case Algorithm::mass:
        return batch_.mass_matrix(q_, mass_);
      case Algorithm::jacobian:
        return batch_.jacobians_W(q_, scene_.tip, scene_.p_B, jacobian_);
      case Algorithm::kinematics:
        return batch_.poses_WB(q_, scene_.tip, pose_);
    }
  }

  const Scene& scene_;
  int nv_, states_;
  Batch batch_;
  LaneArray q_, v_, a_, tau_, vector_, mass_, jacobian_, pose_;
};

}  // namespace

ImplementationPtr make_one_state(const Scene& scene) { return std::make_unique<OneState>(scene); }
ImplementationPtr make_lanes(const Scene& scene) { return std::make_unique<InLanes>(scene); }

}  // namespace trammel::bench
