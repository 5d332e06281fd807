// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every file of tests/readers/mjcf as read here and as read by MuJoCo itself (Debian's libmujoco-dev 2.2.2): poses, mass
// matrix, forward and inverse dynamics at random states, points, limits, drives, keyframes and the residuals of loops
// must agree. The joints of the model stand in MuJoCo's order, so no name is needed to match them.
//
// MuJoCo 2.2.2 turns an inertia to its principal axes by Jacobi rotations and leaves out those below 1.4e-6 rad (where
// cos > 1 − 1e-12), so its own reading of a fullinertia may be off by 1e-6 of the differences of moments. The files
// therefore have fullinertias with one product each, for which the first rotation is exact.
//
//   hinge, slide   q' = q + qpos0                                    v' = v
//   ball           q' = q                                            v' = v
//   free           p', q' from X_WB = X_AF X_FM X_BM⁻¹               v' = (R_WM v, ω), its rate R_WM (v̇ + ω × v), ω̇

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <trammel/dynamics.hpp>
#include <trammel/readers.hpp>

#include "peer/comparison.hpp"
#include "peer/peer_tree.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

namespace fs = std::filesystem;

constexpr double bound = 1e-9;
constexpr std::uint64_t states_per_file = 60;
const fs::path folder = fs::path(TRAMMEL_SOURCE_DIR) / "tests/readers/mjcf";

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Deleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

std::unique_ptr<mjModel, Deleter> load(const fs::path& file) {
  char message[1000] = "";
  std::unique_ptr<mjModel, Deleter> model(mj_loadXML(file.c_str(), nullptr, message, sizeof message));
  if (model == nullptr) throw std::runtime_error(fmt::format("MuJoCo refuses {}: {}", file.string(), message));
  // Everything that MuJoCo solves by constraints is off, but not what acts in joints.
  model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_EQUALITY | mjDSBL_ACTUATION;
  model->opt.enableflags |= mjENBL_ENERGY;
  return model;
}

Model read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const ReadResult result = read_mjcf(text, file.string());
  if (!result.ok()) throw std::runtime_error(result.diagnostics.to_string());
  return result.model;
}

// Dry friction is a constraint in MuJoCo.
Model without_dry_friction(Model model) {
  for (Joint& joint : model.joints) joint.properties.dry.clear();
  return model;
}

class SideBySide {
 public:
  explicit SideBySide(const fs::path& file)
      : model_(read(file)),
        mech_(compiled(without_dry_friction(model_))),
        ws_(mech_),
        mujoco_(load(file)),
        data_(mj_makeData(mujoco_.get())),
        m_(mujoco_.get()),
        d_(data_.get()) {
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      if (!model_.joints[j].cut && nv(model_.joints[j].type) > 0) moving_.push_back(j);
  }

  bool has_the_same_joints() const {
    if (static_cast<int>(moving_.size()) != m_->njnt || mech_.nv != m_->nv) return false;
    for (int i = 0; i < m_->njnt; ++i) {
      const AnyJoint& type = joint(i).type;
      const int expected = std::holds_alternative<Free>(type)        ? mjJNT_FREE
                           : std::holds_alternative<Spherical>(type) ? mjJNT_BALL
                           : std::holds_alternative<Prismatic>(type) ? mjJNT_SLIDE
                                                                     : mjJNT_HINGE;
      const char* name = mj_id2name(m_, mjOBJ_JOINT, i);
      if (m_->jnt_type[i] != expected || (name != nullptr && *name != 0 && joint(i).name != name)) return false;
    }
    return true;
  }

  Comparison compare(std::uint64_t seed) {
    Comparison errors;
    take_state(random_state(mech_, seed));
    compare_poses(errors);
    compare_dynamics(errors);
    compare_drives(errors, seed);
    compare_equalities(errors);
    return errors;
  }

  void compare_limits(Comparison& errors) const {
    for (int i = 0; i < m_->njnt; ++i) {
      const JointProperties& p = joint(i).properties;
      const bool scalar = m_->jnt_type[i] == mjJNT_HINGE || m_->jnt_type[i] == mjJNT_SLIDE;
      if (!scalar) continue;
      EXPECT_EQ(m_->jnt_limited[i] != 0, !p.lower.empty()) << joint(i).name;
      if (p.lower.empty() || m_->jnt_limited[i] == 0) continue;
      const double ref = m_->qpos0[m_->jnt_qposadr[i]];
      errors.add("limits", p.lower[0] + ref, m_->jnt_range[2 * i]);
      errors.add("limits", p.upper[0] + ref, m_->jnt_range[2 * i + 1]);
    }
    for (int i = 0; i < m_->njnt; ++i) {
      const JointProperties& p = joint(i).properties;
      errors.add("dry friction", p.dry.empty() ? 0.0 : p.dry[0], m_->dof_frictionloss[m_->jnt_dofadr[i]]);
    }
  }

  void compare_keyframes(Comparison& errors) {
    ASSERT_EQ(static_cast<int>(model_.states.size()), m_->nkey);
    for (int k = 0; k < m_->nkey; ++k) {
      const NamedState& state = model_.states[static_cast<std::size_t>(k)];
      const char* name = mj_id2name(m_, mjOBJ_KEY, k);
      if (name != nullptr && *name != 0) {
        EXPECT_EQ(state.name, name);
      }
      take_state(state_of(state));
      Eigen::VectorXd qpos = Eigen::Map<const Eigen::VectorXd>(m_->key_qpos + k * m_->nq, m_->nq);
      align_quaternions(qpos);
      errors.add("keyframe q", map_.q, qpos);
      const Eigen::VectorXd qvel = Eigen::Map<const Eigen::VectorXd>(m_->key_qvel + k * m_->nv, m_->nv);
      errors.add("keyframe v", Eigen::VectorXd(map_.T * as_vector(state_.v)), qvel);
    }
  }

 private:
  const Joint& joint(int i) const { return model_.joints[moving_[static_cast<std::size_t>(i)]]; }
  const JointInfo& info(int i) const { return mech_.joints[moving_[static_cast<std::size_t>(i)]]; }

  CoordinateMap map_of(const RandomState& state) const {
    CoordinateMap map{Eigen::VectorXd::Zero(m_->nq), Eigen::MatrixXd::Zero(m_->nv, mech_.nv),
                      Eigen::VectorXd::Zero(m_->nv)};
    for (int i = 0; i < m_->njnt; ++i) {
      const int to_q = m_->jnt_qposadr[i], to_v = m_->jnt_dofadr[i], from_v = info(i).v;
      const double* q = &state.q[static_cast<std::size_t>(info(i).q)];
      const double* v = &state.v[static_cast<std::size_t>(from_v)];
      if (m_->jnt_type[i] == mjJNT_FREE) {
        const Transformd X_WM = joint(i).X_AF * X_FM(joint(i).type, q);
        const Transformd X_WB = X_WM * inverse(joint(i).X_BM);
        map.q.segment<3>(to_q) = dense(X_WB.p);
        quaternion_of(X_WB.R).store(&map.q[to_q + 3]);
        const Eigen::Matrix3d R = dense(X_WM.R);
        map.T.block<3, 3>(to_v, from_v + 3) = R;
        map.T.block<3, 3>(to_v + 3, from_v) = Eigen::Matrix3d::Identity();
        map.c.segment<3>(to_v) = R * dense(cross(Vec3d{v[0], v[1], v[2]}, Vec3d{v[3], v[4], v[5]}));
      } else if (m_->jnt_type[i] == mjJNT_BALL) {
        std::copy(q, q + 4, &map.q[to_q]);
        map.T.block<3, 3>(to_v, from_v) = Eigen::Matrix3d::Identity();
      } else {
        map.q[to_q] = q[0] + m_->qpos0[to_q];
        map.T(to_v, from_v) = 1;
      }
    }
    return map;
  }

  void take_state(const RandomState& state) {
    state_ = state;
    map_ = map_of(state_);
    mj_resetData(m_, d_);
    Eigen::Map<Eigen::VectorXd>(d_->qpos, m_->nq) = map_.q;
    Eigen::Map<Eigen::VectorXd>(d_->qvel, m_->nv) = map_.T * as_vector(state_.v);
    compute_velocities(mech_, ws_, state_.q, state_.v);
    mj_forward(m_, d_);
  }

  RandomState state_of(const NamedState& named) const {
    const State zero = design_state(mech_);
    RandomState state{zero.q, zero.v, zero.v, zero.v};
    for (const NamedState::Entry& entry : named.joints) {
      const JointInfo& to = mech_.joints[static_cast<std::size_t>(mech_.find_joint(entry.joint))];
      std::copy(entry.q.begin(), entry.q.end(), state.q.begin() + to.q);
      std::copy(entry.v.begin(), entry.v.end(), state.v.begin() + to.v);
    }
    return state;
  }

  // MuJoCo keeps quaternions of keyframes as they are written; ours and their opposites are the same turn.
  void align_quaternions(Eigen::VectorXd& qpos) const {
    for (int i = 0; i < m_->njnt; ++i) {
      const bool is_free = m_->jnt_type[i] == mjJNT_FREE;
      if (!is_free && m_->jnt_type[i] != mjJNT_BALL) continue;
      const int at = m_->jnt_qposadr[i] + (is_free ? 3 : 0);
      qpos.segment<4>(at).normalize();
      if (qpos.segment<4>(at).dot(map_.q.segment<4>(at)) < 0) qpos.segment<4>(at) *= -1;
    }
  }

  void compare_poses(Comparison& errors) const {
    int named = 0;
    for (int id = 1; id < m_->nbody; ++id) {
      const char* name = mj_id2name(m_, mjOBJ_BODY, id);
      const bool has_name = name != nullptr && *name != 0;
      // Bodies without a name are called by their number, unless another has that name.
      int body = mech_.find_body(has_name ? name : fmt::format("body{}_2", id));
      if (body < 0 && !has_name) body = mech_.find_body(fmt::format("body{}", id));
      if (body < 0) {
        ADD_FAILURE() << "no body " << id;
        continue;
      }
      ++named;
      const Transformd X_WB = pose_WB(mech_, ws_, body);
      errors.add("pose", dense(X_WB.p), Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(d_->xpos + 3 * id)));
      errors.add("pose", dense(X_WB.R), RowMajor(Eigen::Map<const RowMajor>(d_->xmat + 9 * id, 3, 3)));
    }
    EXPECT_EQ(named, m_->nbody - 1);
    ASSERT_EQ(static_cast<int>(mech_.outputs.size()), m_->nsite);
    for (std::size_t i = 0; i < mech_.outputs.size(); ++i) {
      const OutputInfo& output = mech_.outputs[i];
      const int named_site = mj_name2id(m_, mjOBJ_SITE, output.name.c_str());
      const int id = named_site < 0 ? static_cast<int>(i) : named_site;
      const Vec3d p = output.body == ground ? output.p_B : pose_WB(mech_, ws_, output.body) * output.p_B;
      errors.add("points", dense(p), Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(d_->site_xpos + 3 * id)));
    }
  }

  void compare_dynamics(Comparison& errors) {
    const Energy<double> energy = compute_energy(mech_, ws_, state_.v);
    errors.add("energy", energy.kinetic, d_->energy[1]);
    errors.add("mass", mech_total(), m_->body_subtreemass[0]);

    RowMajor M(mech_.nv, mech_.nv), peers(m_->nv, m_->nv);
    mass_matrix(mech_, ws_, state_.q, {M.data(), static_cast<std::size_t>(M.size())});
    mj_fullM(m_, peers.data(), d_->qM);
    errors.add("mass matrix", M, RowMajor(map_.T.transpose() * peers * map_.T));

    std::vector<double> a(state_.a.size()), tau(state_.a.size());
    EXPECT_TRUE(forward_dynamics(mech_, ws_, state_.q, state_.v, state_.tau, a).ok());
    const Eigen::PartialPivLU<Eigen::MatrixXd> T(map_.T);
    Eigen::Map<Eigen::VectorXd>(d_->qfrc_applied, m_->nv) = T.transpose().solve(as_vector(state_.tau));
    mj_forward(m_, d_);
    const Eigen::VectorXd qacc = Eigen::Map<const Eigen::VectorXd>(d_->qacc, m_->nv);
    errors.add("forward", Eigen::VectorXd(as_vector(a)), Eigen::VectorXd(T.solve(qacc - map_.c)));

    inverse_dynamics(mech_, ws_, state_.q, state_.v, state_.a, tau);
    Eigen::Map<Eigen::VectorXd>(d_->qacc, m_->nv) = map_.T * as_vector(state_.a) + map_.c;
    mj_inverse(m_, d_);
    const Eigen::VectorXd peers_tau = Eigen::Map<const Eigen::VectorXd>(d_->qfrc_inverse, m_->nv);
    errors.add("inverse", Eigen::VectorXd(as_vector(tau)), Eigen::VectorXd(map_.T.transpose() * peers_tau));
  }
  double mech_total() const {
    double sum = 0;
    for (const Body& body : model_.bodies) sum += body.mass;
    return sum;
  }

  // The force of each drive by the formulas of model.hpp, summed, against MuJoCo's own.
  void compare_drives(Comparison& errors, std::uint64_t seed) {
    if (m_->nu == 0) return;
    ASSERT_EQ(static_cast<int>(model_.actuators.size()), m_->nu);
    Random random(seed + 5);
    Eigen::VectorXd ours = Eigen::VectorXd::Zero(mech_.nv);
    for (int i = 0; i < m_->nu; ++i) {
      d_->ctrl[i] = random.uniform(-3, 3);
      const Actuator& a = model_.actuators[static_cast<std::size_t>(i)];
      EXPECT_EQ(a.name, mj_id2name(m_, mjOBJ_ACTUATOR, i));
      const JointInfo& to = mech_.joints[static_cast<std::size_t>(mech_.find_joint(a.joint))];
      const int id = m_->actuator_trnid[2 * i];
      const bool servo = a.kind == Actuator::Kind::position;
      // A control of MuJoCo's asks for its own coordinate.
      const double u = std::clamp(d_->ctrl[i] - (servo ? a.gear * m_->qpos0[m_->jnt_qposadr[id]] : 0), a.control_lower,
                                  a.control_upper);
      const double q = servo ? state_.q[static_cast<std::size_t>(to.q + a.dof)] : 0;
      const double v = state_.v[static_cast<std::size_t>(to.v + a.dof)];
      double force = u;
      if (servo) force = a.stiffness * (u - a.gear * q) - a.damping * a.gear * v;
      if (a.kind == Actuator::Kind::velocity) force = a.damping * (u - a.gear * v);
      ours[to.v + a.dof] += a.gear * std::clamp(force, a.effort_lower, a.effort_upper);
    }
    const int flags = m_->opt.disableflags;
    m_->opt.disableflags &= ~mjDSBL_ACTUATION;
    mj_forward(m_, d_);
    m_->opt.disableflags = flags;
    const Eigen::VectorXd peers = Eigen::Map<const Eigen::VectorXd>(d_->qfrc_actuator, m_->nv);
    errors.add("drives", ours, Eigen::VectorXd(map_.T.transpose() * peers));
  }

  // How far each loop is from closed, by MuJoCo's own measure of it.
  void compare_equalities(Comparison& errors) {
    if (m_->neq == 0) return;
    const int flags = m_->opt.disableflags;
    m_->opt.disableflags &= ~mjDSBL_EQUALITY;
    mj_fwdPosition(m_, d_);
    int row = 0;
    for (int e = 0; e < m_->neq; ++e) {
      const std::string name = mj_id2name(m_, mjOBJ_EQUALITY, e);
      if (m_->eq_active[e] == 0) {
        EXPECT_EQ(mech_.find_joint(name), Mechanism::not_found);
        continue;
      }
      if (m_->eq_type[e] == mjEQ_JOINT) {
        errors.add("coupling", residual_of_coupling(name), d_->efc_pos[row]);
        row += 1;
        continue;
      }
      const JointInfo& loop = mech_.joints[static_cast<std::size_t>(mech_.find_joint(name))];
      EXPECT_EQ(loop.role, JointRole::closure);
      const Transformd X_WF = body_pose(loop.first) * loop.X_AF, X_WM = body_pose(loop.second) * loop.X_BM;
      const Eigen::Vector3d gap = Eigen::Map<const Eigen::Vector3d>(d_->efc_pos + row);
      errors.add("loop", dense(X_WF.p - X_WM.p), gap);
      row += 3;
      if (m_->eq_type[e] != mjEQ_WELD) continue;
      const Quaternion<double> turn = quaternion_of(transpose(X_WF.R) * X_WM.R);
      const double peers = Eigen::Map<const Eigen::Vector3d>(d_->efc_pos + row).norm();
      errors.add("loop", std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), peers);
      row += 3;
    }
    EXPECT_EQ(row, d_->ne);
    m_->opt.disableflags = flags;
  }
  Transformd body_pose(int body) const { return body == ground ? Transformd{} : pose_WB(mech_, ws_, body); }
  double residual_of_coupling(const std::string& name) const {
    for (const CouplingInfo& c : mech_.couplings) {
      if (c.name != name) continue;
      const auto q = [&](int joint, int dof) {
        return state_.q[static_cast<std::size_t>(mech_.joints[static_cast<std::size_t>(joint)].q + dof)];
      };
      return q(c.second, c.second_dof) - c.ratio * q(c.first, c.first_dof) - c.offset;
    }
    ADD_FAILURE() << "no coupling " << name;
    return 0;
  }

  Model model_;
  Mechanism mech_;
  Workspace ws_;
  std::unique_ptr<mjModel, Deleter> mujoco_;
  std::unique_ptr<mjData, Deleter> data_;
  mjModel* m_;
  mjData* d_;
  std::vector<std::size_t> moving_;  // joints of the model that MuJoCo has as joints
  RandomState state_;
  CoordinateMap map_;
};

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class MjcfFile : public ::testing::TestWithParam<std::string> {};

TEST_P(MjcfFile, is_read_as_MuJoCo_reads_it) {
  SideBySide both(folder / (GetParam() + ".xml"));
  ASSERT_TRUE(both.has_the_same_joints());
  Comparison errors;
  both.compare_limits(errors);
  both.compare_keyframes(errors);
  for (std::uint64_t seed = 1; seed <= states_per_file; ++seed) errors.merge(both.compare(seed));
  errors.report_and_judge("MJCF", GetParam(), bound);
}

INSTANTIATE_TEST_SUITE_P(Corpus, MjcfFile, ::testing::ValuesIn(files()),
                         [](const auto& test) { return std::string(test.param); });

// What we write is what MuJoCo reads: the project's robots, and random trees of the joints that MuJoCo has by itself.
Comparison compare_written(const Model& model, const std::string& name) {
  const WriteResult written = write_mjcf(model);
  EXPECT_TRUE(written.ok()) << written.diagnostics.to_string();
  const fs::path file = fs::temp_directory_path() / fmt::format("trammel_{}_{}.xml", name, getpid());
  std::ofstream(file) << written.text;
  SideBySide both(file);
  EXPECT_TRUE(both.has_the_same_joints());
  Comparison errors;
  both.compare_limits(errors);
  both.compare_keyframes(errors);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) errors.merge(both.compare(seed));
  fs::remove(file);
  return errors;
}

// The rounding of MuJoCo's own principal axes, see above, is kept out by inertias about the axes of the body.
Model with_diagonal_inertias(Model model) {
  for (Body& body : model.bodies) body.inertia.xy = body.inertia.xz = body.inertia.yz = 0;
  return model;
}

Model with_joints_of_MuJoCo(Model model) {
  for (Joint& joint : model.joints) {
    const std::string_view type = keyword(joint.type);
    if (type == "helical" || type == "cylindrical") joint.type = Prismatic{};
    if (type == "universal" || type == "planar") joint.type = Revolute{};
    if (type == "free" && joint.first != ground_name && joint.second != ground_name) joint.type = Spherical{};
    joint.properties = {};
  }
  for (Body& body : model.bodies) {
    if (body.mass == 0) body.mass = 0.1;
    const double smallest = 1e-3;
    if (body.inertia.xx == 0) body.inertia = Sym3d::diagonal(smallest);
  }
  return model;
}

TEST(MjcfWriter, is_understood_by_MuJoCo) {
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model model =
        with_diagonal_inertias(with_joints_of_MuJoCo(random_model(seed, {.bodies = 2 + static_cast<int>(seed)})));
    errors.merge(compare_written(model, fmt::format("random_{}", seed)));
  }
  errors.report_and_judge("MJCF", "written, random", bound);
  compare_written(with_diagonal_inertias(shipped_model("arm7")), "arm7")
      .report_and_judge("MJCF", "written arm7", bound);
}

TEST(MjcfFiles, are_many) { EXPECT_GE(files().size(), 20u); }

}  // namespace
}  // namespace trammel::test
