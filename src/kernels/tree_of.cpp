// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels/tree_of.hpp"

namespace trammel {
namespace {

const AnyJoint& joint_of(const void* mechanism, int link) {
  return static_cast<const Mechanism*>(mechanism)->links[static_cast<std::size_t>(link)].type;
}
std::size_t freedoms_of(const AnyJoint& joint) { return static_cast<std::size_t>(nv(joint)); }

}  // namespace

Tree tree_of(const Mechanism& mechanism) {
  return {.link_count = mechanism.link_count(),
          .body_count = mechanism.body_count(),
          .point_count = mechanism.points,
          .nq = mechanism.nq,
          .nv = mechanism.nv,
          .links = mechanism.tree_links.data(),
          .link_of_dof = mechanism.link_of_dof.data(),
          .link_of_body = mechanism.link_of_body.data(),
          .custom = {
              .mechanism = &mechanism,
              .X_FM = [](const void* m, int l, const double* q) { return X_FM(joint_of(m, l), q); },
              .H_FM =
                  [](const void* m, int l, const double* q, Motion<double>* columns) {
                    H_FM(joint_of(m, l), q, {columns, freedoms_of(joint_of(m, l))});
                  },
              .Hdot_FM =
                  [](const void* m, int l, const double* q, const double* v, Motion<double>* columns) {
                    Hdot_FM(joint_of(m, l), q, v, {columns, freedoms_of(joint_of(m, l))});
                  },
              .Hdot_along =
                  [](const void* m, int l, const double* q, const double* v, const double* u, Motion<double>* columns) {
                    Hdot_along(joint_of(m, l), q, v, u, {columns, freedoms_of(joint_of(m, l))});
                  }}};
}

}  // namespace trammel
