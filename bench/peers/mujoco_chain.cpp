// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peers/mujoco_chain.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "peer/peer_tree.hpp"
#include "support/dense.hpp"

namespace trammel::bench {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string numbers(const Vec3d& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x, v.y, v.z); }
std::string numbers(const Quaternion<double>& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w, q.x, q.y, q.z);
}

// Along principal axes found here: MuJoCo itself finds them to nine digits only.
std::string inertial(const Body& body, const test::TreeStep& step) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(test::dense(body.inertia));
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  const Mat3d R_BI{test::vec3(axes.col(0)), test::vec3(axes.col(1)), test::vec3(axes.col(2))};
  return fmt::format("<inertial pos=\"{}\" quat=\"{}\" mass=\"{:.17g}\" diaginertia=\"{}\"/>",
                     numbers(step.X_CB * body.com), numbers(quaternion_of(step.X_CB.R * R_BI)), body.mass,
                     numbers(test::vec3(principal.eigenvalues())));
}

std::string side_by_side(const Model& model, const std::vector<test::TreeStep>& steps) {
  std::string text = fmt::format(
      "<mujoco>\n"
      "<compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\"/>\n"
      "<size njmax=\"1\" nconmax=\"1\" nstack=\"{}\"/>\n"
      "<option gravity=\"{}\"><flag constraint=\"disable\" contact=\"disable\"/></option>\n"
      "<worldbody>\n",
      200 * steps.size() + 100000, numbers(model.gravity));
  for (const test::TreeStep& step : steps) {
    text += fmt::format("<body pos=\"{}\" quat=\"{}\"><joint type=\"hinge\" axis=\"0 0 1\"/>{}</body>\n",
                        numbers(step.X_PJ.p), numbers(quaternion_of(step.X_PJ.R)),
                        inertial(model.bodies[at(step.body)], step));
  }
  return text + "</worldbody>\n</mujoco>\n";
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "chain.xml", static_cast<int>(text.size())) != 0)
    throw std::runtime_error("MuJoCo takes no file from memory");
  std::memcpy(files->filedata[0], text.data(), text.size());
  char message[1000] = "";
  mjModel* model = mj_loadXML("chain.xml", files.get(), message, sizeof message);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo refuses the document: ") + message);
  return model;
}

void chain_up(mjModel& m) {
  const int n = m.nv;
  for (int i = 0; i < n; ++i) {
    const int body = i + 1;
    m.body_parentid[body] = i;
    m.body_rootid[body] = 1;
    m.body_simple[body] = 0;
    m.dof_parentid[i] = i - 1;
    m.dof_simplenum[i] = 0;
    m.dof_Madr[i] = i * (i + 1) / 2;  // a row holds the freedom and its ancestors
  }
  m.nM = n * (n + 1) / 2;
  m.nD = n * n;
  for (int body = n; body > 0; --body) {
    m.body_subtreemass[body] = m.body_mass[body] + (body < n ? m.body_subtreemass[body + 1] : 0.0);
  }
}

}  // namespace

mjModel* load_hinge_chain(const Model& model) {
  const std::vector<test::TreeStep> steps = test::walk_tree(model);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Joint& joint = model.joints[at(steps[i].joint)];
    const bool next = steps[i].body == static_cast<int>(i) && steps[i].parent == steps[i].body - 1;
    const bool plain = joint.properties.viscous.empty() && joint.properties.armature.empty();
    if (!next || !plain || steps[i].reversed || !std::holds_alternative<Revolute>(joint.type))
      throw std::invalid_argument("not a plain chain of hinges");
  }
  mjModel* loaded = load(side_by_side(model, steps));
  chain_up(*loaded);
  return loaded;
}

}  // namespace trammel::bench
