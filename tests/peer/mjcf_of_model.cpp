// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peer/mjcf_of_model.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "support/dense.hpp"

namespace trammel::test {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string numbers(const Vec3d& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x, v.y, v.z); }
std::string numbers(const Eigen::Vector3d& v) { return numbers(vec3(v)); }
std::string numbers(const Mat3d& R) {
  const Quaternion<double> q = quaternion_of(R);
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w, q.x, q.y, q.z);
}

bool is_ball(const AnyJoint& type) { return std::holds_alternative<Spherical>(type); }
bool is_free(const AnyJoint& type) { return std::holds_alternative<Free>(type); }

double entry(const std::vector<double>& list, int i) { return list.empty() ? 0.0 : list.at(at(i)); }

// One number for all axes of a ball joint, as MJCF has it. MuJoCo itself keeps one per axis (see set_ball_axes).
bool differ(const std::vector<double>& list) {
  for (const double number : list)
    if (number != list.front()) return true;
  return false;
}

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model), steps_(walk_tree(model)), children_(model.bodies.size() + 1) {
    for (std::size_t s = 0; s < steps_.size(); ++s) children_[at(steps_[s].parent + 1)].push_back(static_cast<int>(s));
  }

  MjcfDocument write() {
    line(0, "<mujoco>");
    line(1,
         R"(<compiler angle="radian" balanceinertia="false" boundmass="0" boundinertia="0" inertiafromgeom="false"/>)");
    line(1, fmt::format(R"(<option gravity="{}">)", numbers(model_.gravity)));
    line(2, R"(<flag constraint="disable" contact="disable" frictionloss="disable" limit="disable" energy="enable"/>)");
    line(1, "</option>");
    line(1, "<worldbody>");
    write_children(ground, 2);
    line(1, "</worldbody>");
    write_servos();
    line(0, "</mujoco>");
    return document_;
  }

 private:
  void line(int depth, const std::string& text) { document_.text += std::string(at(2 * depth), ' ') + text + '\n'; }

  void write_children(int body, int depth) {
    for (const int s : children_[at(body + 1)]) write_body(steps_[at(s)], depth);
  }

  void write_body(const TreeStep& step, int depth) {
    line(depth,
         fmt::format(R"(<body name="b{}" pos="{}" quat="{}">)", step.body, numbers(step.X_PJ.p), numbers(step.X_PJ.R)));
    write_inertial(step, depth + 1);
    write_joints(step, depth + 1);
    line(depth + 1, fmt::format(R"(<site name="b{}" pos="{}" quat="{}"/>)", step.body, numbers(step.X_CB.p),
                                numbers(step.X_CB.R)));
    write_children(step.body, depth + 1);
    line(depth, "</body>");
  }

  void write_inertial(const TreeStep& step, int depth) {
    if (!step.moves) return;
    const Body& body = model_.bodies[at(step.body)];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(dense(body.inertia));
    Eigen::Matrix3d axes = principal.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    const Mat3d R_BI{vec3(axes.col(0)), vec3(axes.col(1)), vec3(axes.col(2))};
    Eigen::Vector3d moments = principal.eigenvalues();
    double mass = body.mass;
    if (!accepted(mass, moments)) {
      document_.overrides.push_back({step.body, mass, moments});
      mass = 1;
      moments.setOnes();
    }
    line(depth, fmt::format(R"(<inertial pos="{}" quat="{}" mass="{:.17g}" diaginertia="{}"/>)",
                            numbers(step.X_CB * body.com), numbers(step.X_CB.R * R_BI), mass, numbers(moments)));
  }

  static bool accepted(double mass, const Eigen::Vector3d& d) {
    constexpr double least = 1e-14;  // a little over mjMINVAL
    return mass > least && d.minCoeff() > least && d[0] + d[1] >= d[2] && d[0] + d[2] >= d[1] && d[1] + d[2] >= d[0];
  }

  void write_joints(const TreeStep& step, int depth) {
    const Joint& joint = model_.joints[at(step.joint)];
    for (const double dry : joint.properties.dry)
      if (dry != 0) throw std::invalid_argument("dry friction is not compared: see fit_for_peers");
    if (!turns_in_all_directions(joint.type)) {
      const std::vector<Elementary> chain = elementary_joints(joint.type, step.reversed);
      for (std::size_t part = 0; part < chain.size(); ++part)
        write_elementary(step.joint, static_cast<int>(part), chain[part], joint, depth);
      return;
    }
    if (step.reversed && (differ(joint.properties.armature) || differ(joint.properties.viscous)))
      throw std::invalid_argument("unequal rotors or friction in a reversed spherical joint: see fit_for_peers");
    if (is_free(joint.type) && step.parent == ground) {
      line(depth, fmt::format(R"(<freejoint name="j{}.0"/>)", step.joint));
      return;
    }
    int part = 0;
    if (is_free(joint.type))
      for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
        line(depth, fmt::format(R"(<joint name="j{}.{}" type="slide" axis="{}"/>)", step.joint, part++, numbers(axis)));
    line(depth, fmt::format(R"(<joint name="j{}.{}" type="ball"/>)", step.joint, part));
  }

  // A screw's rotor and friction act on its turn; its slide has none.
  void write_elementary(int j, int part, const Elementary& e, const Joint& joint, int depth) {
    const bool tied = std::holds_alternative<Helical>(joint.type) && e.slides;
    line(depth, fmt::format(R"(<joint name="j{}.{}" type="{}" axis="{}" armature="{:.17g}" damping="{:.17g}"/>)", j,
                            part, e.slides ? "slide" : "hinge", numbers(e.axis),
                            tied ? 0.0 : entry(joint.properties.armature, e.freedom),
                            tied ? 0.0 : entry(joint.properties.viscous, e.freedom)));
  }

  // MuJoCo's force is gear (k u − k gear q − d gear v), as ours.
  void write_servos() {
    if (model_.actuators.empty()) return;
    line(1, "<actuator>");
    for (const Actuator& a : model_.actuators) {
      const auto joint =
          std::find_if(model_.joints.begin(), model_.joints.end(), [&](const Joint& j) { return j.name == a.joint; });
      if (a.kind != Actuator::Kind::position || joint == model_.joints.end() || nv(joint->type) != 1)
        throw std::invalid_argument("only servos on joints with one freedom are compared");
      line(2, fmt::format(R"(<general joint="j{}.0" gear="{:.17g}" gainprm="{:.17g}" biastype="affine" )"
                          R"(biasprm="0 {:.17g} {:.17g}"/>)",
                          joint - model_.joints.begin(), a.gear, a.stiffness, -a.stiffness, -a.damping));
    }
    line(1, "</actuator>");
  }

  const Model& model_;
  std::vector<TreeStep> steps_;
  std::vector<std::vector<int>> children_;  // per body, ground first: steps
  MjcfDocument document_;
};

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size())) != 0)
    throw std::runtime_error("MuJoCo takes no file from memory");
  std::memcpy(files->filedata[0], text.data(), text.size());
  char message[1000] = "";
  mjModel* model = mj_loadXML("model.xml", files.get(), message, sizeof message);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo refuses the document: ") + message);
  return model;
}

}  // namespace

MjcfDocument mjcf_of(const Model& model) { return Writer(model).write(); }

MujocoPeer::MujocoPeer(const Model& model) : source_(model), steps_(walk_tree(model)) {
  const MjcfDocument document = mjcf_of(model);
  model_.reset(load(document.text));
  data_.reset(mj_makeData(model_.get()));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    body_ids_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, fmt::format("b{}", b).c_str()));
    site_ids_.push_back(mj_name2id(model_.get(), mjOBJ_SITE, fmt::format("b{}", b).c_str()));
  }
  for (const TrueInertia& inertia : document.overrides) {
    const int id = body_id(inertia.body);
    model_->body_mass[id] = inertia.mass;
    for (int i = 0; i < 3; ++i) model_->body_inertia[3 * id + i] = inertia.moments[i];
  }
  // Per axis of a ball joint, which MJCF cannot say; the rotor and friction of a reversed one are the same for all axes.
  for (const TreeStep& step : steps_) {
    const Joint& joint = source_.joints[at(step.joint)];
    if (!is_ball(joint.type)) continue;
    for (int i = 0; i < 3; ++i) {
      model_->dof_armature[address(step.joint, 0).v + i] = entry(joint.properties.armature, i);
      model_->dof_damping[address(step.joint, 0).v + i] = entry(joint.properties.viscous, i);
    }
  }
  mj_setConst(model_.get(), data_.get());
}

MujocoPeer::JointAddress MujocoPeer::address(int joint, int part) const {
  const int id = mj_name2id(model_.get(), mjOBJ_JOINT, fmt::format("j{}.{}", joint, part).c_str());
  if (id < 0) throw std::logic_error(fmt::format("MuJoCo has no joint j{}.{}", joint, part));
  return {model_->jnt_qposadr[id], model_->jnt_dofadr[id]};
}

// MuJoCo's free joint: qpos = position and quaternion of C in the world, qvel = velocity of C's origin in world axes,
// then ω in C's axes; its ball joint: qpos = quaternion of C in J, qvel = ω in C's axes. With R_WJ constant,
// velocities and accelerations of J-axes components turn over into world axes by R_WJ.
CoordinateMap MujocoPeer::map(const Mechanism& mechanism, std::span<const double> q, std::span<const double> v) const {
  const int n = model_->nv;
  CoordinateMap map{Eigen::VectorXd::Zero(model_->nq), Eigen::MatrixXd::Zero(n, mechanism.nv),
                    Eigen::VectorXd::Zero(n)};
  for (const TreeStep& step : steps_) {
    const AnyJoint& type = source_.joints[at(step.joint)].type;
    const JointInfo& info = mechanism.joints[at(step.joint)];
    if (info.nv == 0) continue;
    if (!turns_in_all_directions(type)) {
      int part = 0;
      for (const Elementary& e : elementary_joints(type, step.reversed)) {
        const JointAddress to = address(step.joint, part++);
        map.q[to.q] = e.factor * q[at(info.q + e.freedom)];
        map.T(to.v, info.v + e.freedom) = e.factor;
      }
      continue;
    }
    const RelativeMotion motion = relative_motion(type, step.reversed, &q[at(info.q)], &v[at(info.v)]);
    const bool world = is_free(type) && step.parent == ground;
    const Transformd X = world ? step.X_PJ * motion.X_JC : motion.X_JC;
    JointAddress turn = address(step.joint, 0);
    if (is_free(type)) {  // its three travels come first, one after the other
      const Eigen::Matrix3d R = world ? dense(step.X_PJ.R) : Eigen::Matrix3d::Identity();
      map.q.segment<3>(turn.q) = dense(X.p);
      map.T.block(turn.v, info.v, 3, 6) = R * motion.Tp;
      map.c.segment<3>(turn.v) = R * motion.cp;
      turn = {turn.q + 3, turn.v + 3};
    }
    quaternion_of(X.R).store(&map.q[turn.q]);
    map.T.block(turn.v, info.v, 3, info.nv) = motion.Tw;
  }
  return map;
}

}  // namespace trammel::test
