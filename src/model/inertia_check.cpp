// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "model/inertia_check.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>

namespace trammel {

InertiaJudgement judge_inertia(const Sym3d& I) {
  InertiaJudgement judgement;
  for (const double x : {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}) judgement.finite = judgement.finite && std::isfinite(x);
  if (!judgement.finite) return judgement;
  const Eigen::Matrix3d matrix{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  judgement.principal = {moments[0], moments[1], moments[2]};
  // Files print their figures with few digits: a violation below 1e-6 of the largest moment is theirs, not the body's.
  const double slack = 1e-6 * std::abs(moments[2]);
  judgement.negative = moments[0] < -slack || (moments[2] <= 0 && moments[0] < 0);
  judgement.triangle = moments[0] + moments[1] < moments[2] - slack;
  return judgement;
}

}  // namespace trammel
