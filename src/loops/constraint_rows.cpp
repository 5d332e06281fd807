// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loops/constraint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "loops/pose_series.hpp"

namespace trammel {
namespace {

constexpr double turn = 2 * std::numbers::pi;

// The multiple of 2π that brings an angle nearest to where it was.
double full_turns(double angle, double counted) { return turn * std::round((counted - angle) / turn); }

template <class T>
T joint_coordinate(const JointCoordinate& f, const Transform<T>& X_PQ) {
  return std::visit(
      [&]<class J>(const J& joint) -> T {
        if constexpr (std::is_same_v<J, Custom>) {
          if constexpr (std::is_same_v<T, double>) {
            std::array<double, Custom::max_nq> q{};
            q_fit(AnyJoint(joint), X_PQ, q.data());
            return q[static_cast<std::size_t>(f.k)];
          } else {
            return T(0);
          }
        } else if constexpr (J::nq == 0) {
          return T(0);
        } else {
          std::array<T, J::nq> q;
          joint.q_fit(X_PQ, q.data());
          return q[static_cast<std::size_t>(f.k)];
        }
      },
      f.joint);
}

template <class T>
T pose_component(const PoseComponent& f, const Transform<T>& X_PQ) {
  switch (f.component) {
    case Driver::Component::x:
      return X_PQ.p.x;
    case Driver::Component::y:
      return X_PQ.p.y;
    case Driver::Component::z:
      return X_PQ.p.z;
    default:
      return fit_angle_z(X_PQ.R);
  }
}

template <class T>
T value_at(const Scalar& s, const Transform<T>& X_PQ) {
  if (const auto* coordinate = std::get_if<JointCoordinate>(&s.function)) return joint_coordinate(*coordinate, X_PQ);
  return pose_component(std::get<PoseComponent>(s.function), X_PQ);
}

Transformd pose_of(const Mechanism& mech, const Workspace& ws, int body, const Transformd& X_BF) {
  return body == ground ? X_BF : pose_WB(mech, ws, body) * X_BF;
}

Transform<Series<2>> motion_of(const Mechanism& mech, const Workspace& ws, int body, const Transformd& X_BF) {
  if (body == ground) return Transform<Series<2>>::from(X_BF);
  return pose_series(pose_WB(mech, ws, body) * X_BF, velocity_W(mech, ws, body, X_BF.p),
                     acceleration_W(mech, ws, body, X_BF.p));
}

}  // namespace

ConstraintRows::ConstraintRows(const Mechanism& mech, const std::vector<Driver>& drivers) {
  for (const Loop& loop : mech.loops) {
    const JointInfo& joint = mech.joints[loop.closure];
    add_block({joint.first, joint.second, joint.X_AF, joint.X_BM}, JointClosure{joint.type},
              ConstraintRow::Source::joint, loop.closure);
  }
  for (int c = 0; c < static_cast<int>(mech.constraints.size()); ++c) {
    const ConstraintInfo& info = mech.constraints[c];
    add_block({info.first, info.second, info.X_AP, info.X_BQ}, info.type, ConstraintRow::Source::constraint, c);
  }
  for (int c = 0; c < static_cast<int>(mech.couplings.size()); ++c) {
    const CouplingInfo& info = mech.couplings[c];
    const int first = add_coordinate(mech, info.first, info.first_dof);
    const int second = add_coordinate(mech, info.second, info.second_dof);
    couplings_.push_back({first, second, info.ratio, info.offset, static_cast<int>(rows_.size())});
    const Dimension dim = freedoms(mech.joints[info.second].type)[info.second_dof].dimension;
    rows_.push_back({ConstraintRow::Source::coupling, c, 0, dim});
  }
  for (int d = 0; d < static_cast<int>(drivers.size()); ++d) {
    const Driver& driver = drivers[d];
    Dimension dim = driver.component < Driver::Component::turn_x ? dimension::length : dimension::angle;
    if (driver.joint >= 0) dim = freedoms(mech.joints[driver.joint].type)[driver.dof].dimension;
    const int scalar = driver.joint >= 0 ? add_coordinate(mech, driver.joint, driver.dof) : add_component(driver);
    driver_rows_.push_back({scalar, static_cast<int>(rows_.size())});
    rows_.push_back({ConstraintRow::Source::driver, d, 0, dim});
  }
  const auto nv = static_cast<std::size_t>(mech.nv);
  J_first_.resize(6 * nv);
  J_second_.resize(6 * nv);
  scalar_values_.resize(scalars_.size());
  reset_turns();
}

void ConstraintRows::add_block(const FramePair& frames, const AnyConstraint& constraint, ConstraintRow::Source source,
                               int index) {
  const std::vector<Dimension> dims = dimensions(constraint);
  blocks_.push_back(
      {frames, constraint, static_cast<int>(rows_.size()), static_cast<int>(dims.size()), {}, angle_count(constraint)});
  for (int r = 0; r < static_cast<int>(dims.size()); ++r) rows_.push_back({source, index, r, dims[r]});
}

int ConstraintRows::add_coordinate(const Mechanism& mech, int joint, int dof) {
  const JointInfo& info = mech.joints[joint];
  Scalar s;
  s.joint = joint;
  s.is_angle = freedoms(info.type)[dof].dimension == dimension::angle;
  if (info.role == JointRole::tree) {
    s.q = info.q + dof;
    s.v = info.v + dof;
  } else {
    s.frames = {info.first, info.second, info.X_AF, info.X_BM};
    s.function = JointCoordinate{info.type, dof};
  }
  scalars_.push_back(s);
  return static_cast<int>(scalars_.size()) - 1;
}

int ConstraintRows::add_component(const Driver& driver) {
  Scalar s;
  s.is_angle = driver.component >= Driver::Component::turn_x;
  s.frames = {ground, driver.body, {}, Transformd::translation(driver.p_B)};
  // The turn is counted about z of a frame whose z is the axis asked for.
  const Mat3d axes[3] = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, Mat3d::identity()};
  if (s.is_angle) {
    const Mat3d& R = axes[static_cast<int>(driver.component) - static_cast<int>(Driver::Component::turn_x)];
    s.frames.X_AP.R = R;
    s.frames.X_BQ.R = R;
  }
  s.function = PoseComponent{driver.component};
  scalars_.push_back(s);
  return static_cast<int>(scalars_.size()) - 1;
}

// J_second − J_first at Q's origin p_WQ, left in J_second_.
void ConstraintRows::relative_jacobian(const Mechanism& mech, const Workspace& ws, const FramePair& frames,
                                       const Vec3d& p_WQ) {
  if (frames.second == ground) {
    std::fill(J_second_.begin(), J_second_.end(), 0.0);
  } else {
    jacobian_W(mech, ws, frames.second, frames.X_BQ.p, J_second_);
  }
  if (frames.first == ground) return;
  jacobian_W(mech, ws, frames.first, inverse(pose_WB(mech, ws, frames.first)) * p_WQ, J_first_);
  for (std::size_t i = 0; i < J_second_.size(); ++i) J_second_[i] -= J_first_[i];
}

void ConstraintRows::add_gradient(const Mechanism& mech, const Mat3d& R_WP, const double* g, double* row) const {
  const Vec3d w = R_WP * Vec3d{g[0], g[1], g[2]}, v = R_WP * Vec3d{g[3], g[4], g[5]};
  const double in_W[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
  const int nv = mech.nv;
  for (int i = 0; i < nv; ++i) row[i] = 0;
  for (int k = 0; k < 6; ++k) {
    const double* J = J_second_.data() + static_cast<std::ptrdiff_t>(k) * nv;
    for (int i = 0; i < nv; ++i) row[i] += in_W[k] * J[i];
  }
}

void ConstraintRows::evaluate(const Mechanism& mech, const Workspace& ws, std::span<const double> q,
                              std::span<const Target> targets, double* phi, double* Phi_q) {
  const int nv = mech.nv;
  if (Phi_q != nullptr) scalar_gradients_.resize(scalars_.size() * static_cast<std::size_t>(nv));
  const auto row_of = [&](int r) { return Phi_q + static_cast<std::ptrdiff_t>(r) * nv; };
  for (const PoseBlock& block : blocks_) {
    const Transformd X_WP = pose_of(mech, ws, block.frames.first, block.frames.X_AP);
    const Transformd X_WQ = pose_of(mech, ws, block.frames.second, block.frames.X_BQ);
    const Transformd X_PQ = inverse(X_WP) * X_WQ;
    std::array<double, max_constraint_angles> turns{};
    if (block.angle_count > 0) {
      std::array<double, max_constraint_angles> angles{};
      read_angles(block.constraint, X_PQ, angles.data());
      for (int i = 0; i < block.angle_count; ++i) turns[i] = full_turns(angles[i], block.angles[i]);
    }
    if (Phi_q == nullptr) {
      residual(block.constraint, X_PQ, turns.data(), phi + block.first_row);
      continue;
    }
    std::array<double, 6 * max_constraint_rows> gradient;
    residual_and_gradient(block.constraint, block.rows, X_PQ, turns.data(), phi + block.first_row, gradient.data());
    relative_jacobian(mech, ws, block.frames, X_WQ.p);
    for (int r = 0; r < block.rows; ++r) {
      add_gradient(mech, X_WP.R, gradient.data() + 6 * r, row_of(block.first_row + r));
    }
  }

  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const Scalar& s = scalars_[i];
    double* gradient = scalar_gradients_.data() + i * static_cast<std::size_t>(nv);
    if (s.q >= 0) {
      scalar_values_[i] = q[s.q];
      if (Phi_q != nullptr) {
        std::fill(gradient, gradient + nv, 0.0);
        gradient[s.v] = 1;
      }
      continue;
    }
    const Transformd X_WP = pose_of(mech, ws, s.frames.first, s.frames.X_AP);
    const Transformd X_WQ = pose_of(mech, ws, s.frames.second, s.frames.X_BQ);
    const Transformd X_PQ = inverse(X_WP) * X_WQ;
    const Gradient<6> value = value_at(s, displaced(X_PQ));
    scalar_values_[i] = value.value + (s.is_angle ? full_turns(value.value, s.counted) : 0);
    if (Phi_q == nullptr) continue;
    relative_jacobian(mech, ws, s.frames, X_WQ.p);
    add_gradient(mech, X_WP.R, value.d.data(), gradient);
  }
  const auto gradient_of = [&](int scalar) {
    return scalar_gradients_.data() + static_cast<std::ptrdiff_t>(scalar) * nv;
  };
  for (const CouplingRow& c : couplings_) {
    phi[c.row] = scalar_values_[c.second] - c.ratio * scalar_values_[c.first] - c.offset;
    if (Phi_q == nullptr) continue;
    for (int k = 0; k < nv; ++k) row_of(c.row)[k] = gradient_of(c.second)[k] - c.ratio * gradient_of(c.first)[k];
  }
  for (std::size_t d = 0; d < driver_rows_.size(); ++d) {
    phi[driver_rows_[d].row] = scalar_values_[driver_rows_[d].scalar] - (d < targets.size() ? targets[d].value : 0);
    if (Phi_q == nullptr) continue;
    std::copy_n(gradient_of(driver_rows_[d].scalar), nv, row_of(driver_rows_[d].row));
  }
}

void ConstraintRows::second_rates(const Mechanism& mech, const Workspace& ws, std::span<const double>,
                                  std::span<const Target> targets, double* out) {
  std::array<Series<2>, max_constraint_rows> phi;
  for (const PoseBlock& block : blocks_) {
    const Transform<Series<2>> X_PQ = inverse(motion_of(mech, ws, block.frames.first, block.frames.X_AP)) *
                                      motion_of(mech, ws, block.frames.second, block.frames.X_BQ);
    const double none[max_constraint_angles] = {};
    residual(block.constraint, X_PQ, none, phi.data());
    for (int r = 0; r < block.rows; ++r) out[block.first_row + r] = phi[r].derivative(2);
  }
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const Scalar& s = scalars_[i];
    scalar_values_[i] = 0;
    if (s.q >= 0) continue;
    const Transform<Series<2>> X_PQ = inverse(motion_of(mech, ws, s.frames.first, s.frames.X_AP)) *
                                      motion_of(mech, ws, s.frames.second, s.frames.X_BQ);
    scalar_values_[i] = value_at(s, X_PQ).derivative(2);
  }
  for (const CouplingRow& c : couplings_) out[c.row] = scalar_values_[c.second] - c.ratio * scalar_values_[c.first];
  for (std::size_t d = 0; d < driver_rows_.size(); ++d) {
    out[driver_rows_[d].row] =
        scalar_values_[driver_rows_[d].scalar] - (d < targets.size() ? targets[d].acceleration : 0);
  }
}

bool ConstraintRows::third_rates(const Mechanism& mech, const Workspace& ws, std::span<const double> q,
                                 std::span<const double> v, std::span<const double> a, std::span<const Target> targets,
                                 double* out) {
  if (mech.has_custom_joint) return false;
  using S3 = Series<3>;
  const Parameters<double>& par = ws.parameters();
  std::vector<Transform<S3>> X_WL(mech.links.size());
  std::array<S3, 7> coordinates;
  const double zero[6] = {};
  for (std::size_t l = 0; l < mech.links.size(); ++l) {
    const Link& link = mech.links[l];
    const Transform<S3> X_PF = Transform<S3>::from(par.X_PF[l]);
    const Transform<S3> X_WF = link.parent == ground ? X_PF : X_WL[static_cast<std::size_t>(link.parent)] * X_PF;
    std::visit(
        [&]<class J>(const J& joint) {
          if constexpr (!std::is_same_v<J, Custom>) {
            coordinate_series(joint, q.data() + link.q, v.data() + link.v, a.data() + link.v, zero, coordinates.data());
            X_WL[l] = place_joint(joint, X_WF, static_cast<const S3*>(coordinates.data()));
          }
        },
        link.type);
  }
  const auto motion = [&](int body, const Transformd& X_BF) -> Transform<S3> {
    if (body == ground) return Transform<S3>::from(X_BF);
    const Transform<S3> X_LF = Transform<S3>::from(par.X_LB[body] * X_BF);
    const int l = mech.bodies[body].link;
    return l == ground ? X_LF : X_WL[static_cast<std::size_t>(l)] * X_LF;
  };
  std::array<S3, max_constraint_rows> phi;
  for (const PoseBlock& block : blocks_) {
    const Transform<S3> X_PQ =
        inverse(motion(block.frames.first, block.frames.X_AP)) * motion(block.frames.second, block.frames.X_BQ);
    const double none[max_constraint_angles] = {};
    residual(block.constraint, X_PQ, none, phi.data());
    for (int r = 0; r < block.rows; ++r) out[block.first_row + r] = phi[r].derivative(3);
  }
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const Scalar& s = scalars_[i];
    scalar_values_[i] = 0;
    if (s.q >= 0) continue;
    const Transform<S3> X_PQ = inverse(motion(s.frames.first, s.frames.X_AP)) * motion(s.frames.second, s.frames.X_BQ);
    scalar_values_[i] = value_at(s, X_PQ).derivative(3);
  }
  for (const CouplingRow& c : couplings_) out[c.row] = scalar_values_[c.second] - c.ratio * scalar_values_[c.first];
  for (std::size_t d = 0; d < driver_rows_.size(); ++d) {
    out[driver_rows_[d].row] = scalar_values_[driver_rows_[d].scalar] - (d < targets.size() ? targets[d].jerk : 0);
  }
  return true;
}

void ConstraintRows::forces(const Mechanism& mech, const Workspace& ws, std::span<const double> lambda,
                            const Exert& exert) const {
  const auto apply = [&](const FramePair& frames, const double* gradient, int rows, const double* size, int joint,
                         int constraint) {
    const Transformd X_WP = pose_of(mech, ws, frames.first, frames.X_AP);
    Vec3d n, f;
    for (int r = 0; r < rows; ++r) {
      const double* g = gradient + 6 * r;
      n += Vec3d{g[0], g[1], g[2]} * size[r];
      f += Vec3d{g[3], g[4], g[5]} * size[r];
    }
    exert(frames.first, frames.second, {X_WP.R * n, X_WP.R * f}, pose_of(mech, ws, frames.second, frames.X_BQ).p, joint,
          constraint);
  };
  const auto relative = [&](const FramePair& f) {
    return inverse(pose_of(mech, ws, f.first, f.X_AP)) * pose_of(mech, ws, f.second, f.X_BQ);
  };
  for (const PoseBlock& block : blocks_) {
    if (block.rows == 0) continue;
    std::array<double, 6 * max_constraint_rows> gradient;
    std::array<double, max_constraint_rows> phi;
    const double none[max_constraint_angles] = {};
    residual_and_gradient(block.constraint, block.rows, relative(block.frames), none, phi.data(), gradient.data());
    const ConstraintRow& row = rows_[block.first_row];
    const bool closes = row.source == ConstraintRow::Source::joint;
    apply(block.frames, gradient.data(), block.rows, lambda.data() + block.first_row, closes ? row.index : -1,
          closes ? -1 : row.index);
  }
  const auto apply_scalar = [&](int scalar, double size) {
    const Scalar& s = scalars_[scalar];
    if (s.q >= 0) return;
    const Gradient<6> value = value_at(s, displaced(relative(s.frames)));
    apply(s.frames, value.d.data(), 1, &size, s.joint, -1);
  };
  for (const CouplingRow& c : couplings_) {
    apply_scalar(c.second, lambda[c.row]);
    apply_scalar(c.first, -c.ratio * lambda[c.row]);
  }
  for (const DriverRow& d : driver_rows_) apply_scalar(d.scalar, lambda[d.row]);
}

void ConstraintRows::pieces(const Mechanism& mech, const Workspace& ws, std::vector<RowPiece>& out) const {
  out.clear();
  const auto add = [&](const FramePair& frames, const Transformd& X_WP, const Vec3d& p_WQ, const double* g,
                       double factor, int row, int joint) {
    const Vec3d n = X_WP.R * Vec3d{g[0], g[1], g[2]}, f = X_WP.R * Vec3d{g[3], g[4], g[5]};
    out.push_back({row, frames.first, frames.second, {n * factor, f * factor}, p_WQ, -1, 1, joint});
  };
  for (const PoseBlock& block : blocks_) {
    if (block.rows == 0) continue;
    const Transformd X_WP = pose_of(mech, ws, block.frames.first, block.frames.X_AP);
    const Transformd X_WQ = pose_of(mech, ws, block.frames.second, block.frames.X_BQ);
    std::array<double, 6 * max_constraint_rows> gradient;
    std::array<double, max_constraint_rows> phi;
    const double none[max_constraint_angles] = {};
    residual_and_gradient(block.constraint, block.rows, inverse(X_WP) * X_WQ, none, phi.data(), gradient.data());
    const ConstraintRow& first = rows_[block.first_row];
    const int joint = first.source == ConstraintRow::Source::joint ? first.index : -1;
    for (int r = 0; r < block.rows; ++r) {
      add(block.frames, X_WP, X_WQ.p, gradient.data() + 6 * r, 1, block.first_row + r, joint);
    }
  }
  const auto add_scalar = [&](int scalar, double factor, int row) {
    const Scalar& s = scalars_[scalar];
    if (s.q >= 0) {
      out.push_back({row, ground, ground, {}, {}, s.v, factor, -1});
      return;
    }
    const Transformd X_WP = pose_of(mech, ws, s.frames.first, s.frames.X_AP);
    const Transformd X_WQ = pose_of(mech, ws, s.frames.second, s.frames.X_BQ);
    const Gradient<6> value = value_at(s, displaced(inverse(X_WP) * X_WQ));
    add(s.frames, X_WP, X_WQ.p, value.d.data(), factor, row, s.joint);
  };
  for (const CouplingRow& c : couplings_) {
    add_scalar(c.second, 1, c.row);
    add_scalar(c.first, -c.ratio, c.row);
  }
  for (const DriverRow& d : driver_rows_) add_scalar(d.scalar, 1, d.row);
}

PosePart closing_coordinate(const JointInfo& joint, int k) {
  PosePart part{{joint.first, joint.second, joint.X_AF, joint.X_BM}, {}};
  part.function = [f = JointCoordinate{joint.type, k}](const Transform<Series<3>>& X, Series<3>* out) {
    out[0] = joint_coordinate(f, X);
  };
  return part;
}

std::vector<PosePart> ConstraintRows::pose_parts() const {
  std::vector<PosePart> parts;
  for (const PoseBlock& block : blocks_) {
    if (block.rows == 0) continue;
    const auto rows = [constraint = block.constraint](const Transform<Series<3>>& X, Series<3>* out) {
      const double none[max_constraint_angles] = {};
      residual(constraint, X, none, out);
    };
    parts.push_back({block.frames, rows, block.rows, block.first_row, 1});
  }
  const auto add_scalar = [&](int scalar, int row, double factor) {
    const Scalar& s = scalars_[scalar];
    if (s.q >= 0) return;
    const auto value = [s](const Transform<Series<3>>& X, Series<3>* out) { out[0] = value_at(s, X); };
    parts.push_back({s.frames, value, 1, row, factor});
  };
  for (const CouplingRow& c : couplings_) {
    add_scalar(c.second, c.row, 1);
    add_scalar(c.first, c.row, -c.ratio);
  }
  return parts;
}

void ConstraintRows::keep_turns(const Mechanism& mech, const Workspace& ws, std::span<const double> q) {
  const auto relative = [&](const FramePair& f) {
    return inverse(pose_of(mech, ws, f.first, f.X_AP)) * pose_of(mech, ws, f.second, f.X_BQ);
  };
  for (PoseBlock& block : blocks_) {
    if (block.angle_count == 0) continue;
    std::array<double, max_constraint_angles> angles{};
    read_angles(block.constraint, relative(block.frames), angles.data());
    for (int i = 0; i < block.angle_count; ++i) block.angles[i] = angles[i] + full_turns(angles[i], block.angles[i]);
  }
  for (Scalar& s : scalars_) {
    if (s.q >= 0) {
      s.counted = q[s.q];
    } else if (s.is_angle) {
      const double angle = value_at(s, relative(s.frames));
      s.counted = angle + full_turns(angle, s.counted);
    }
  }
}

std::vector<double> ConstraintRows::turns() const {
  std::vector<double> out;
  for (const PoseBlock& block : blocks_)
    out.insert(out.end(), block.angles.begin(), block.angles.begin() + block.angle_count);
  for (const Scalar& s : scalars_) out.push_back(s.counted);
  return out;
}

bool ConstraintRows::set_turns(std::span<const double> counted) {
  if (counted.size() != turns().size()) return false;
  auto next = counted.begin();
  for (PoseBlock& block : blocks_) {
    for (int i = 0; i < block.angle_count; ++i) block.angles[static_cast<std::size_t>(i)] = *next++;
  }
  for (Scalar& s : scalars_) s.counted = *next++;
  return true;
}

void ConstraintRows::reset_turns() {
  for (PoseBlock& block : blocks_) block.angles.fill(0);
  for (Scalar& s : scalars_) s.counted = 0;
}

}  // namespace trammel
