// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// URDFs as MuJoCo reads them itself (Debian's libmujoco-dev 2.2.2) against our reading: the project's robots through our
// own writer, and robots of others where their files are there. MuJoCo refuses inertias that no body has; such files go
// to Orocos KDL, built from our model. Shapes are taken out, since meshes are not there and have no part in dynamics;
// mimic too, which neither peer has: the joints then move on their own.
//
// A free base has in MuJoCo v' = [ṗ in W; ω in B], in ours v = [ω; v] in B:
//   ṗ = R v,   p̈ = R (a + ω × v)

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <mujoco/mujoco.h>
#include <pugixml.hpp>

#include <trammel/dynamics.hpp>
#include <trammel/readers.hpp>

#include "peer/comparison.hpp"
#include "peer/kdl_of_model.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

namespace fs = std::filesystem;

constexpr double bound = 1e-9;
constexpr int states_per_model = 200;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Inertias given along their principal axes. MuJoCo finds these itself by a Jacobi iteration that it stops early: for the
// Panda's inertias it is off by 3e-8, a matter of its own.
void turn_to_principal_axes(pugi::xml_node inertial) {
  const auto three = [](const char* text) {
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    std::istringstream(text) >> v.x() >> v.y() >> v.z();
    return v;
  };
  pugi::xml_node origin = inertial.child("origin"), inertia = inertial.child("inertia");
  const Eigen::Vector3d rpy = three(origin.attribute("rpy").value()), xyz = three(origin.attribute("xyz").value());
  const auto about = [](double angle, const Eigen::Vector3d& axis) { return Eigen::AngleAxisd(angle, axis); };
  const Eigen::Matrix3d R = (about(rpy.z(), Eigen::Vector3d::UnitZ()) * about(rpy.y(), Eigen::Vector3d::UnitY()) *
                             about(rpy.x(), Eigen::Vector3d::UnitX()))
                                .toRotationMatrix();
  const auto I = [&](const char* name) { return inertia.attribute(name).as_double(); };
  Eigen::Matrix3d given;
  given << I("ixx"), I("ixy"), I("ixz"), I("ixy"), I("iyy"), I("iyz"), I("ixz"), I("iyz"), I("izz");
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(given);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1;
  const Eigen::Vector3d zyx = (R * axes).eulerAngles(2, 1, 0);
  inertial.remove_child("origin");
  inertial.remove_child("inertia");
  origin = inertial.append_child("origin");
  origin.append_attribute("xyz") = fmt::format("{} {} {}", xyz.x(), xyz.y(), xyz.z()).c_str();
  origin.append_attribute("rpy") = fmt::format("{} {} {}", zyx[2], zyx[1], zyx[0]).c_str();
  inertia = inertial.append_child("inertia");
  const Eigen::Vector3d& moments = principal.eigenvalues();
  inertia.append_attribute("ixx") = fmt::format("{}", moments[0]).c_str();
  inertia.append_attribute("iyy") = fmt::format("{}", moments[1]).c_str();
  inertia.append_attribute("izz") = fmt::format("{}", moments[2]).c_str();
  for (const char* product : {"ixy", "ixz", "iyz"}) inertia.append_attribute(product) = "0";
}

// MuJoCo takes a link called "world" for the world itself, which does not float.
void rename_world(pugi::xml_node robot) {
  const auto rename = [](pugi::xml_attribute name) {
    if (std::string_view(name.value()) == "world") name.set_value("world of the file");
  };
  for (const pugi::xml_node& link : robot.children("link")) rename(link.attribute("name"));
  for (const pugi::xml_node& joint : robot.children("joint")) {
    rename(joint.child("parent").attribute("link"));
    rename(joint.child("child").attribute("link"));
  }
}

// What MuJoCo can take: no shapes, and a floating joint above the root where it is to be free.
std::string fit_for_mujoco(const std::string& text, const std::string& root, bool free) {
  pugi::xml_document document;
  if (!document.load_string(text.c_str())) throw std::runtime_error("not XML");
  pugi::xml_node robot = document.child("robot");
  for (const pugi::xml_node& link : robot.children("link")) {
    pugi::xml_node changed = link;
    while (changed.remove_child("visual")) {
    }
    while (changed.remove_child("collision")) {
    }
    if (const pugi::xml_node inertial = changed.child("inertial")) turn_to_principal_axes(inertial);
  }
  for (const pugi::xml_node& joint : robot.children("joint")) {
    pugi::xml_node changed = joint;
    changed.remove_child("mimic");
  }
  robot.remove_child("mujoco");
  pugi::xml_node compiler = robot.append_child("mujoco").append_child("compiler");
  compiler.append_attribute("fusestatic") = "false";  // fused inertias would be turned by that iteration again
  compiler.append_attribute("balanceinertia") = "false";
  compiler.append_attribute("boundmass") = "0";
  if (free) {
    rename_world(robot);
    robot.append_child("link").append_attribute("name") = "world";
    pugi::xml_node joint = robot.append_child("joint");
    joint.append_attribute("name") = "base";
    joint.append_attribute("type") = "floating";
    joint.append_child("parent").append_attribute("link") = "world";
    joint.append_child("child").append_attribute("link") = root == "world" ? "world of the file" : root.c_str();
  }
  std::ostringstream out;
  document.save(out);
  return out.str();
}

class MujocoOfUrdf {
 public:
  explicit MujocoOfUrdf(const std::string& text) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "robot.urdf", static_cast<int>(text.size()) + 1);
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "robot.urdf")], text.c_str(), text.size() + 1);
    char message[1000] = "";
    model_.reset(mj_loadXML("robot.urdf", files.get(), message, sizeof message));
    mj_deleteVFS(files.get());
    if (!model_) {
      why_not_ = message;
      return;
    }
    model_->opt.disableflags |= mjDSBL_CONSTRAINT;
    data_.reset(mj_makeData(model_.get()));
  }

  const std::string& why_not() const { return why_not_; }
  mjModel* model() const { return model_.get(); }
  mjData* data() const { return data_.get(); }

 private:
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::string why_not_;
};

// Our coordinates in MuJoCo's, joint by joint, by their names.
CoordinateMap map_by_name(const Mechanism& mech, const mjModel* m, const RandomState& state) {
  CoordinateMap map{Eigen::VectorXd::Zero(m->nq), Eigen::MatrixXd::Zero(m->nv, mech.nv), Eigen::VectorXd::Zero(m->nv)};
  for (const JointInfo& joint : mech.joints) {
    if (joint.role != JointRole::tree) continue;
    const int id = mj_name2id(m, mjOBJ_JOINT, joint.name.c_str());
    if (id < 0) throw std::runtime_error("MuJoCo has no joint " + joint.name);
    const double *q = state.q.data() + joint.q, *v = state.v.data() + joint.v;
    const int Q = m->jnt_qposadr[id], V = m->jnt_dofadr[id];
    if (joint.nv == 1) {
      map.q[Q] = q[0];
      map.T(V, joint.v) = 1;
      continue;
    }
    if (joint.nv != 6) throw std::runtime_error("neither one freedom nor free: " + joint.name);
    const Mat3d R = rotation_of(Quaternion<double>{q[0], q[1], q[2], q[3]});
    for (int i = 0; i < 3; ++i) map.q[Q + i] = q[4 + i];
    for (int i = 0; i < 4; ++i) map.q[Q + 3 + i] = q[i];
    map.T.block<3, 3>(V, joint.v + 3) = dense(R);
    map.T.block<3, 3>(V + 3, joint.v) = Eigen::Matrix3d::Identity();
    map.c.segment<3>(V) = dense(R * cross(Vec3d{v[0], v[1], v[2]}, Vec3d{v[3], v[4], v[5]}));
  }
  return map;
}

Comparison compare_with_mujoco(const Model& model, const MujocoOfUrdf& peer) {
  const Mechanism mech = compiled(model);
  Workspace ws(mech);
  mjModel* m = peer.model();
  mjData* d = peer.data();
  EXPECT_EQ(m->nv, mech.nv);
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= states_per_model; ++seed) {
    const RandomState state = random_state(mech, seed);
    const CoordinateMap map = map_by_name(mech, m, state);
    const Eigen::PartialPivLU<Eigen::MatrixXd> T(map.T);
    mj_resetData(m, d);
    Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = map.q;
    Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = map.T * as_vector(state.v);
    Eigen::Map<Eigen::VectorXd>(d->qfrc_applied, m->nv) = T.transpose().solve(as_vector(state.tau));
    mj_forward(m, d);
    std::vector<double> a(state.a.size()), tau(state.a.size());
    EXPECT_TRUE(forward_dynamics(mech, ws, state.q, state.v, state.tau, a).ok());
    const Eigen::Map<const Eigen::VectorXd> qacc(d->qacc, m->nv);
    errors.add("forward", as_vector(a), Eigen::VectorXd(T.solve(qacc - map.c)));

    RowMajor M(mech.nv, mech.nv), M_peer(m->nv, m->nv);
    mass_matrix(mech, ws, state.q, {M.data(), static_cast<std::size_t>(M.size())});
    mj_fullM(m, M_peer.data(), d->qM);
    errors.add("mass", M, RowMajor(map.T.transpose() * M_peer * map.T));

    inverse_dynamics(mech, ws, state.q, state.v, state.a, tau);
    Eigen::Map<Eigen::VectorXd>(d->qacc, m->nv) = map.T * as_vector(state.a) + map.c;
    mj_inverse(m, d);
    const Eigen::Map<const Eigen::VectorXd> forces(d->qfrc_inverse, m->nv);
    errors.add("inverse", as_vector(tau), Eigen::VectorXd(map.T.transpose() * forces));
  }
  return errors;
}

// KDL has inverse dynamics of trees: ours must agree, and lead back from our accelerations to the forces given.
Comparison compare_with_kdl(const Model& model) {
  const Mechanism mech = compiled(model);
  Workspace ws(mech);
  const KdlPeer peer(model);
  KDL::TreeIdSolver_RNE solver(peer.tree(), kdl(model.gravity));
  const Loads no_friction{.friction = false};
  const auto array = [](const Eigen::VectorXd& numbers) {
    KDL::JntArray a(static_cast<unsigned>(numbers.size()));
    a.data = numbers;
    return a;
  };
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= states_per_model; ++seed) {
    const RandomState state = random_state(mech, seed, true);
    const CoordinateMap map = peer.map(mech, state.q, state.v);
    const auto forces = [&](const std::vector<double>& a) {
      KDL::JntArray result(peer.tree().getNrOfJoints());
      EXPECT_EQ(solver.CartToJnt(array(map.q), array(map.T * as_vector(state.v)), array(map.T * as_vector(a) + map.c),
                                 {}, result),
                0);
      return Eigen::VectorXd(map.T.transpose() * result.data);
    };
    std::vector<double> a(state.a.size()), tau(state.a.size());
    inverse_dynamics(mech, ws, state.q, state.v, state.a, tau, no_friction);
    errors.add("inverse", as_vector(tau), forces(state.a));
    EXPECT_TRUE(forward_dynamics(mech, ws, state.q, state.v, state.tau, a, no_friction).ok());
    errors.add("forward", as_vector(state.tau), forces(a));
  }
  return errors;
}

void compare(const std::string& name, const std::string& text, Model model, bool free) {
  model.couplings.clear();
  model = fit_for_peers(model);
  const std::string label = name + (free ? " free" : "");
  const MujocoOfUrdf mujoco(fit_for_mujoco(text, model.joints[0].second, free));
  if (mujoco.model() != nullptr) {
    compare_with_mujoco(model, mujoco).report_and_judge("MuJoCo", label, bound);
  } else {
    fmt::print("MuJoCo refuses {}: {}\n", label, mujoco.why_not());
  }
  compare_with_kdl(model).report_and_judge("KDL", label, bound);
}

struct Case {
  std::string name;  // of the file without its extension; empty: there are no files
  bool free = false;
};
std::string name_of(const ::testing::TestParamInfo<Case>& test) {
  std::string name = test.param.name.empty() ? "none_found" : test.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + (test.param.free ? "_free" : "");
}

// --- robots of others -------------------------------------------------------------------------------------------------

// Robots of others are not part of this repository: their URDFs are looked for in TRAMMEL_URDF_MODELS, or beside it.
fs::path folder_of_others() {
  if (const char* folder = std::getenv("TRAMMEL_URDF_MODELS")) return folder;
  return fs::path(test::source_dir()) / "../shared/models";
}

ReadResult read_other(const Case& robot) {
  const fs::path file = folder_of_others() / (robot.name + ".urdf");
  return read_urdf(contents(file), file.string(), {.base = robot.free ? Base::free : Base::unset});
}

// Every file there, with its root fixed and, if it has mass, free.
std::vector<Case> robots_of_others() {
  std::vector<Case> robots;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of_others(), error)) {
    if (entry.path().extension() != ".urdf") continue;
    const Case fixed{entry.path().stem().string()}, free{fixed.name, true};
    robots.push_back(fixed);
    const ReadResult read = read_other(free);
    if (read.ok() && compile(read.model).ok()) robots.push_back(free);
  }
  std::sort(robots.begin(), robots.end(),
            [](const Case& a, const Case& b) { return std::tie(a.name, a.free) < std::tie(b.name, b.free); });
  if (robots.empty()) robots.emplace_back();
  return robots;
}

class UrdfOfOthers : public ::testing::TestWithParam<Case> {};

TEST_P(UrdfOfOthers, agrees) {
  if (GetParam().name.empty()) GTEST_SKIP() << "no URDFs in " << folder_of_others() << ": not compared";
  const ReadResult read = read_other(GetParam());
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  compare(GetParam().name, contents(folder_of_others() / (GetParam().name + ".urdf")), read.model, GetParam().free);
}

INSTANTIATE_TEST_SUITE_P(Models, UrdfOfOthers, ::testing::ValuesIn(robots_of_others()), name_of);

// --- our own ----------------------------------------------------------------------------------------------------------

// Our robots, written as URDF: MuJoCo must find the mechanism that the native file describes.
class UrdfOfOurs : public ::testing::TestWithParam<Case> {};

TEST_P(UrdfOfOurs, agrees_with_the_native_file) {
  Model model = shipped_model(GetParam().name);
  for (Joint& joint : model.joints) joint.properties.armature.clear();  // URDF has none
  model.gravity = {0, 0, -9.81};
  const WriteResult written = write_urdf(model);
  ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
  const ReadResult back = read_urdf(written.text, "written.urdf");
  ASSERT_TRUE(back.ok()) << back.diagnostics.to_string();
  compare_with_kdl(fit_for_peers(back.model)).report_and_judge("KDL", GetParam().name + " back", bound);
  const MujocoOfUrdf mujoco(fit_for_mujoco(written.text, {}, false));
  if (mujoco.model() == nullptr) {  // the Puma's published inertias break the triangle rule
    EXPECT_EQ(GetParam().name, "puma560") << mujoco.why_not();
    return;
  }
  compare_with_mujoco(model, mujoco).report_and_judge("MuJoCo", GetParam().name, bound);
  compare_with_mujoco(back.model, mujoco).report_and_judge("MuJoCo", GetParam().name + " back", bound);
}

INSTANTIATE_TEST_SUITE_P(Models, UrdfOfOurs,
                         ::testing::Values(Case{"puma560"}, Case{"arm7"}, Case{"quadruped"}, Case{"humanoid"}),
                         name_of);

}  // namespace
}  // namespace trammel::test
