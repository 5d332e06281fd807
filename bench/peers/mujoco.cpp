// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// MuJoCo. Constraints and contacts are off, energy is not computed, and there are no sites, cameras, sensors or
// actuators to keep up to date. Calls:
//   forward     mj_forward
//   inverse     mj_inverse (which also makes and factors the mass matrix)
//   mass        mj_kinematics, mj_comPos, mj_crb: the sparse qM; a second contender adds mj_fullM: the full matrix, as ours
//   jacobian    mj_kinematics, mj_comPos, mj_jac
//   kinematics  mj_kinematics

#include <algorithm>

#include "peer/mjcf_of_model.hpp"
#include "peers/implementation.hpp"
#include "peers/mapped_state.hpp"
#include "peers/mujoco_chain.hpp"

namespace trammel::bench {
namespace {

constexpr int deepest_document = 60;  // bodies in a chain; MuJoCo's XML ends at a hundred nested elements

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_long(const Scene& scene) {
  return scene.mechanism.link_count() > deepest_document && scene.tip == scene.mechanism.link_count() - 1;
}

// Which mass matrix it makes: what mj_crb leaves, or every entry, as ours is.
enum class MassMatrix { sparse, full };

class Mujoco : public Implementation {
 public:
  Mujoco(const Scene& scene, MassMatrix kind) : scene_(scene), kind_(kind) {
    if (is_long(scene)) {
      chain_.reset(load_hinge_chain(scene.model));
      chain_data_.reset(mj_makeData(chain_.get()));
      m_ = chain_.get(), d_ = chain_data_.get();
      tip_ = scene.tip + 1;
      map_states([n = m_->nv](const test::RandomState& s) {
        return test::CoordinateMap{test::as_vector(s.q), Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n)};
      });
    } else {
      peer_ = std::make_unique<test::MujocoPeer>(scene.model);
      m_ = peer_->model(), d_ = peer_->data();
      tip_ = peer_->body_id(scene.tip);
      map_states([this](const test::RandomState& s) { return peer_->map(scene_.mechanism, s.q, s.v); });
    }
    m_->opt.enableflags &= ~mjENBL_ENERGY;
    m_->nsite = 0;  // they were for finding bodies; nobody else would have them
    jacp_.resize(3, m_->nv), jacr_.resize(3, m_->nv);
    if (kind_ == MassMatrix::full) full_.resize(m_->nv, m_->nv);
  }

  std::string name() const override { return kind_ == MassMatrix::full ? "MuJoCo full" : "MuJoCo"; }
  bool has(Algorithm algorithm) const override { return kind_ == MassMatrix::sparse || algorithm == Algorithm::mass; }

  void run(Algorithm algorithm, int first, int count) override {
    for (int i = first; i < first + count; ++i) call(algorithm, states_[at(i % scene_.state_count())]);
  }

  Eigen::VectorXd answer(Algorithm algorithm, int state) override {
    const MappedState& s = states_[at(state)];
    call(algorithm, s);
    switch (algorithm) {
      case Algorithm::forward:
        return s.our_acceleration(vector(d_->qacc));
      case Algorithm::inverse:
        return s.our_force(vector(d_->qfrc_inverse));
      case Algorithm::mass:
        return s.our_mass_matrix(mass_matrix());
      case Algorithm::jacobian:
        return s.our_jacobian(jacobian());
      case Algorithm::kinematics:
        return pose();
    }
    return {};
  }

  std::string remark(Algorithm) const override { return chain_ ? "chain patched into a flat model" : ""; }

 private:
  struct Deleter {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };

  template <class Map>
  void map_states(const Map& map) {
    for (const test::RandomState& s : scene_.states) states_.emplace_back(map(s), s);
  }

  static void copy(const Eigen::VectorXd& from, mjtNum* to) { std::copy(from.begin(), from.end(), to); }

  void call(Algorithm algorithm, const MappedState& s) {
    copy(s.q, d_->qpos);
    switch (algorithm) {
      case Algorithm::forward:
        copy(s.v, d_->qvel), copy(s.tau, d_->qfrc_applied);
        return mj_forward(m_, d_);
      case Algorithm::inverse:
        copy(s.v, d_->qvel), copy(s.a, d_->qacc);
        return mj_inverse(m_, d_);
      case Algorithm::mass:
        mj_kinematics(m_, d_), mj_comPos(m_, d_), mj_crb(m_, d_);
        if (kind_ == MassMatrix::full) mj_fullM(m_, full_.data(), d_->qM);
        return;
      case Algorithm::jacobian:
        mj_kinematics(m_, d_), mj_comPos(m_, d_);
        return mj_jac(m_, d_, jacp_.data(), jacr_.data(), d_->xpos + 3 * tip_, tip_);
      case Algorithm::kinematics:
        return mj_kinematics(m_, d_);
    }
  }

  Eigen::VectorXd vector(const mjtNum* numbers) const { return Eigen::Map<const Eigen::VectorXd>(numbers, m_->nv); }
  Eigen::MatrixXd mass_matrix() const {
    RowMajor full(m_->nv, m_->nv);
    mj_fullM(m_, full.data(), d_->qM);
    return full;
  }
  Eigen::MatrixXd jacobian() const {
    Eigen::MatrixXd J(6, m_->nv);
    J << jacr_, jacp_;
    return J;
  }
  Eigen::VectorXd pose() const {
    Eigen::VectorXd pose(12);
    const mjtNum* R = d_->xmat + 9 * tip_;
    for (int i = 0; i < 9; ++i) pose[i] = R[3 * (i % 3) + i / 3];  // by columns
    for (int i = 0; i < 3; ++i) pose[9 + i] = d_->xpos[3 * tip_ + i];
    return pose;
  }

  const Scene& scene_;
  MassMatrix kind_;
  std::unique_ptr<test::MujocoPeer> peer_;
  std::unique_ptr<mjModel, Deleter> chain_;
  std::unique_ptr<mjData, Deleter> chain_data_;
  mjModel* m_ = nullptr;
  mjData* d_ = nullptr;
  int tip_ = 0;
  std::vector<MappedState> states_;
  RowMajor jacp_, jacr_, full_;
};

}  // namespace

ImplementationPtr make_mujoco(const Scene& scene) { return std::make_unique<Mujoco>(scene, MassMatrix::sparse); }
ImplementationPtr make_mujoco_full(const Scene& scene) { return std::make_unique<Mujoco>(scene, MassMatrix::full); }
std::string mujoco_version() { return mj_versionString(); }

}  // namespace trammel::bench
