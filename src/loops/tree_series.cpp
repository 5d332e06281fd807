// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loops/tree_series.hpp"

#include <array>

#include "loops/pose_series.hpp"

namespace trammel {

std::vector<Transform<Series<3>>> link_series(const Mechanism& mech, const Workspace& ws, std::span<const double> q,
                                              std::span<const double> v, std::span<const double> a,
                                              std::span<const double> j) {
  using S3 = Series<3>;
  std::vector<Transform<S3>> X_WL(mech.links.size());
  std::array<S3, 7> coordinates;
  for (std::size_t l = 0; l < mech.links.size(); ++l) {
    const Link& link = mech.links[l];
    const Transform<S3> X_PF = Transform<S3>::from(ws.parameters().X_PF[l]);
    const Transform<S3> X_WF = link.parent == ground ? X_PF : X_WL[static_cast<std::size_t>(link.parent)] * X_PF;
    std::visit(
        [&]<class J>(const J& joint) {
          if constexpr (!std::is_same_v<J, Custom>) {
            coordinate_series(joint, q.data() + link.q, v.data() + link.v, a.data() + link.v, j.data() + link.v,
                              coordinates.data());
            X_WL[l] = place_joint(joint, X_WF, static_cast<const S3*>(coordinates.data()));
          }
        },
        link.type);
  }
  return X_WL;
}

}  // namespace trammel
