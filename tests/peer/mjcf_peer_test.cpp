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
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

namespace fs = std::filesystem;

constexpr double bound = 1e-9;
constexpr std::uint64_t states_per_file = 60;
const fs::path folder = fs::path(test::source_dir()) / "tests/readers/mjcf";

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
  explicit SideBySide(const fs::path& file) : SideBySide(read(file), file) {}
  // A model, and a file that should be the same in MuJoCo.
  SideBySide(Model model, const fs::path& file)
      : model_(std::move(model)),
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
      const int found = mech_.find_joint(name);
      const bool part_of_hinge =
          found == Mechanism::not_found || keyword(mech_.joints[static_cast<std::size_t>(found)].type) == "revolute";
      if (part_of_hinge) {
        compare_point_of_hinge(errors, e, d_->efc_pos + row);
        row += 3;
        continue;
      }
      const JointInfo& loop = mech_.joints[static_cast<std::size_t>(found)];
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
  // One of two points that are a hinge here: its place on MuJoCo's first body, and where the hinge has it on the second.
  void compare_point_of_hinge(Comparison& errors, int e, const mjtNum* peers_gap) const {
    const auto body_of = [&](int id) { return id == 0 ? ground : mech_.find_body(mj_id2name(m_, mjOBJ_BODY, id)); };
    const int one = body_of(m_->eq_obj1id[e]), two = body_of(m_->eq_obj2id[e]);
    const mjtNum* anchor = m_->eq_data + mjNEQDATA * e;
    const Vec3d p{anchor[0], anchor[1], anchor[2]};
    int hinges = 0;
    for (const JointInfo& loop : mech_.joints) {
      const bool straight = loop.first == one && loop.second == two, turned = loop.first == two && loop.second == one;
      if (loop.role != JointRole::closure || !(straight || turned)) continue;
      ++hinges;
      EXPECT_EQ(keyword(loop.type), "revolute");
      const Transformd X_AB = straight ? loop.X_AF * inverse(loop.X_BM) : loop.X_BM * inverse(loop.X_AF);
      const Vec3d gap = body_pose(one) * p - body_pose(two) * (inverse(X_AB) * p);
      errors.add("loop", dense(gap), Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(peers_gap)));
      // The point is on the axis of the hinge.
      const Transformd& X_OF = straight ? loop.X_AF : loop.X_BM;
      errors.add("hinge", Eigen::Vector3d(dense(cross(X_OF.R.ez, p - X_OF.p))),
                 Eigen::Vector3d(Eigen::Vector3d::Zero()));
    }
    EXPECT_EQ(hinges, 1);
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
// `as_read`: compared is not the model but what we read of the text, as coordinates of balls are others there.
Comparison compare_written(const Model& model, const std::string& name, bool as_read = true) {
  const WriteResult written = write_mjcf(model);
  EXPECT_TRUE(written.ok()) << written.diagnostics.to_string();
  const fs::path file = fs::temp_directory_path() / fmt::format("trammel_{}_{}.xml", name, getpid());
  std::ofstream(file) << written.text;
  SideBySide both = as_read ? SideBySide(file) : SideBySide(model, file);
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

// Read, written, and read by MuJoCo: every file of the corpus, those with several joints in a body too. Inertias are made
// diagonal before, on both sides (see with_diagonal_inertias).
TEST_P(MjcfFile, is_written_as_MuJoCo_reads_it) {
  const Model model = with_diagonal_inertias(read(folder / (GetParam() + ".xml")));
  compare_written(model, GetParam(), false).report_and_judge("MJCF", "written " + GetParam(), bound);
}

// Bodies without mass between two joints, drawn in frames of their own, are joints of one body for MuJoCo.
TEST(MjcfWriter, folds_chains_so_that_MuJoCo_takes_them) {
  const std::vector<AnyJoint> types{Revolute{}, Prismatic{}, Spherical{}};
  Comparison errors;
  int count = 0;
  for (const AnyJoint& first : types) {
    for (const AnyJoint& second : types) {
      if (std::holds_alternative<Spherical>(first) && !std::holds_alternative<Prismatic>(second)) continue;
      Random random(static_cast<std::uint64_t>(++count));
      Model model;
      for (const char* name : {"base", "one", "two", "arm"})
        add_body(model, name, 1, random.vector(0.3), Sym3d::diagonal(0.1), random.pose());
      for (const std::size_t b : {1u, 2u})
        model.bodies[b].mass = 0, model.bodies[b].com = {}, model.bodies[b].inertia = {};
      const auto join = [&](const char* name, const AnyJoint& type, const char* one, const char* other) {
        add_joint(model, name, type, one, other, random.pose());
      };
      join("foot", Revolute{}, "ground", "base");
      join("inner", Revolute{}, "one", "base");
      join("middle", first, "one", "two");
      join("outer", second, "two", "arm");
      errors.merge(compare_written(model, fmt::format("chain_{}", count)));
    }
  }
  EXPECT_EQ(count, 7);
  errors.report_and_judge("MJCF", "written, chains", bound);
}

// A loop closed by a hinge, also at the ground, whichever way it is named: MuJoCo's two points are our hinge.
TEST(MjcfWriter, closes_loops_by_hinges_as_MuJoCo_does) {
  Comparison errors;
  for (const auto& [first, second] :
       {std::pair("coupler", "rocker"), std::pair("ground", "coupler"), std::pair("coupler", "ground")}) {
    Random random(3);
    Model model;
    for (const char* name : {"crank", "coupler", "rocker"})
      add_body(model, name, 1, random.vector(0.3), Sym3d::diagonal(0.1), random.pose());
    add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0, 1}));
    add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at({0, 0.4, 0}, {0, 0, 1}));
    add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({1, 0, 0}, {0, 0, 1}));
    add_joint(model, "B", Revolute{}, first, second, frame_at({1.2, 0.8, 0}, {0.1, 0, 1})).cut = true;
    errors.merge(compare_written(model, "hinge", false));
    errors.merge(compare_written(model, "hinge"));
  }
  errors.report_and_judge("MJCF", "written, hinges", bound);
}

TEST(MjcfFiles, are_many) { EXPECT_GE(files().size(), 20u); }

}  // namespace
}  // namespace trammel::test
