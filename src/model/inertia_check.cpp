// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "model/inertia_check.hpp"

#include <cmath>

#include "core/dense.hpp"

namespace trammel {

InertiaJudgement judge_inertia(const Sym3d& I) {
  InertiaJudgement judgement;
  double size = 0;
  for (const double x : {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}) size += std::abs(x);
  judgement.finite = std::isfinite(size);
  if (!judgement.finite) return judgement;
  const Eigen::Matrix3d matrix{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
  const Eigen::Vector3d moments = dense::symmetric_eigen(matrix).lambda;
  const auto without_round_off = [&](double moment) { return std::abs(moment) < 1e-14 * size ? 0.0 : moment; };
  judgement.principal = {without_round_off(moments[0]), without_round_off(moments[1]), moments[2]};
  // Files print their figures with few digits: a violation below 1e-6 of the largest moment is theirs, not the body's.
  const double slack = 1e-6 * std::abs(moments[2]);
  judgement.negative = moments[0] < -slack || (moments[2] <= 0 && moments[0] < 0);
  judgement.triangle = moments[0] + moments[1] < moments[2] - slack;
  return judgement;
}

std::string_view find_overflow(double mass, const Vec3d& com, const Sym3d& inertia_at_com) {
  if (!std::isfinite(mass)) return "mass";
  if (!std::isfinite(norm(com))) return "centre of mass";
  if (!judge_inertia(inertia_at_com).finite) return "inertia";
  return {};
}

}  // namespace trammel
