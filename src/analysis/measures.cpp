// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <trammel/measures.hpp>

#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

Vec3d unit(const Vec3d& v) { return v * (1 / norm(v)); }
Vec3d across(const Vec3d& v, const Vec3d& axis) { return v - unit(axis) * dot(v, unit(axis)); }

}  // namespace

double angle_between(const Vec3d& u, const Vec3d& w) {
  if (norm(u) == 0 || norm(w) == 0) return undefined;
  return std::atan2(norm(cross(u, w)), dot(u, w));
}
double signed_angle(const Vec3d& u, const Vec3d& w, const Vec3d& axis) {
  const double angle = angle_between(u, w);
  return dot(axis, cross(u, w)) < 0 ? -angle : angle;
}
double projected_angle(const Vec3d& u, const Vec3d& w, const Vec3d& axis) {
  const Vec3d a = across(u, axis), b = across(w, axis);
  if (!(norm(a) > 0) || !(norm(b) > 0)) return undefined;
  return std::atan2(dot(unit(axis), cross(a, b)), dot(a, b));
}
double angle_to_plane(const Vec3d& u, const Vec3d& normal) {
  if (norm(u) == 0 || norm(normal) == 0) return undefined;
  return std::atan2(dot(u, normal), norm(cross(u, normal)));
}
double distance_to_plane(const Vec3d& p, const Vec3d& point_of_plane, const Vec3d& normal) {
  return dot(p - point_of_plane, unit(normal));
}
double distance_to_line(const Vec3d& p, const Vec3d& a, const Vec3d& b) { return norm(cross(p - a, unit(b - a))); }
double polar_angle(const Vec3d& u, const Vec3d& axis) { return angle_between(axis, u); }
double azimuth(const Vec3d& u, const Vec3d& axis, const Vec3d& reference) {
  return projected_angle(reference, u, axis);
}

Vec3d locus_point(const Vec3d& p, const Vec3d& a, const Vec3d& b, double angle) {
  return a + exp_rotation(unit(b - a) * angle) * (p - a);
}

PlanarState planar_state(const Plane& plane, const Transformd& X_WB) {
  const Vec3d x = unit(across(plane.x, plane.normal)), y = cross(unit(plane.normal), x), p = X_WB.p - plane.point;
  const Vec3d turned = X_WB.R * x;
  return {dot(p, x), dot(p, y), std::atan2(dot(turned, y), dot(turned, x))};
}

namespace {

// One step, one measure at a time.
class Reading {
 public:
  // `moving` is where velocities are read.
  Reading(const Mechanism& mech, const std::optional<Vec3d>& normal, const AnalysisStep& step,
          const AnalysisStep& moving)
      : mech_(mech), normal_(normal), step_(step), moving_(moving) {}

  double read(const Measure& m) const {
    using Kind = Measure::Kind;
    const auto line = [&](std::size_t i) { return point(m, i + 1) - point(m, i); };
    const Vec3d axis = m.axis.value_or(Vec3d{0, 0, 1}), reference = m.reference.value_or(Vec3d{1, 0, 0});
    switch (m.kind) {
      case Kind::angle:
        return m.axis ? signed_angle(line(0), line(2), axis) : angle_between(line(0), line(2));
      case Kind::length:
        return norm(line(0));
      case Kind::distance_to_line:
        return distance_to_line(point(m, 0), point(m, 1), point(m, 2));
      case Kind::distance_to_plane:
        return distance_to_plane(point(m, 0), point(m, 1), axis);
      case Kind::plane_angle:
        return angle_to_plane(line(0), axis);
      case Kind::projected_angle:
        return projected_angle(line(0), line(2), axis);
      case Kind::polar:
        return polar_angle(line(0), axis);
      case Kind::azimuth:
        return azimuth(line(0), axis, reference);
      case Kind::locus:
        return components(
            locus_point(point(m, 0), point(m, 1), point(m, 2), m.turn))[static_cast<std::size_t>(m.component)];
      case Kind::camber:  // a wheel that leans out points its spindle down
        return -angle_to_plane(line(0), axis);
      case Kind::caster:
        return std::atan2(-dot(line(0), reference), dot(line(0), axis));
      case Kind::steer: {
        const Vec3d left = cross(axis, reference), spindle = line(0);
        const double side = dot(spindle, left) < 0 ? -1 : 1;
        return std::atan2(-side * dot(spindle, reference), side * dot(spindle, left));
      }
      case Kind::transmission_angle: {
        const Vec3d to_first = joint(m, 1) - joint(m, 0), to_second = joint(m, 2) - joint(m, 0);
        const double angle = normal_ ? std::abs(projected_angle(to_first, to_second, *normal_))  // wherever along its
                                     : angle_between(to_first, to_second);  // axis a pivot is drawn
        return std::min(angle, std::numbers::pi - angle);
      }
      case Kind::mechanical_advantage:
        return speed(m, 0) / speed(m, 1);
      case Kind::instant_centre_x:
        return instant_centre(m).x;
      case Kind::instant_centre_y:
        return instant_centre(m).y;
      case Kind::instant_centre_z:
        return instant_centre(m).z;
      case Kind::expression:
        break;
    }
    return undefined;
  }

 private:
  const Mechanism& mech_;
  const std::optional<Vec3d>& normal_;
  const AnalysisStep& step_;
  const AnalysisStep& moving_;

  Transformd pose(int body) const {
    return body == ground ? Transformd{} : step_.bodies[static_cast<std::size_t>(body)].X_WB;
  }
  Vec3d point(const Measure& m, std::size_t i) const {
    const BodyPoint& p = m.points.at(i);
    return pose(mech_.find_body(p.body)) * p.p_B;
  }
  Vec3d joint(const Measure& m, std::size_t i) const {
    const JointInfo& info = mech_.joints[static_cast<std::size_t>(mech_.find_joint(m.joints.at(i)))];
    return pose(info.second) * info.X_BM.p;
  }
  double speed(const Measure& m, std::size_t i) const {
    if (!moving_.has_motion) return undefined;
    const JointMotion& motion = moving_.joints[static_cast<std::size_t>(mech_.find_joint(m.joints.at(i)))];
    return motion.v.at(i < m.dofs.size() ? static_cast<std::size_t>(m.dofs[i]) : 0);
  }
  // Where the first body has the same velocity as the second:  c = p + ω × v/ω²,  v, ω relative, v of the body's origin at p. All points of
  // the line through c along ω have; where the plane of the linkage is given, the one in it:  c + ω n·(o − c)/(n·ω).
  Vec3d instant_centre(const Measure& m) const {
    if (!moving_.has_motion) return {undefined, undefined, undefined};
    const int first = mech_.find_body(m.bodies.at(0)),
              second = m.bodies.size() > 1 ? mech_.find_body(m.bodies[1]) : ground;
    const auto motion_at = [&](int body, const Vec3d& p, Vec3d& w) {
      if (body == ground) return Vec3d{};
      const BodyMotion& b = moving_.bodies[static_cast<std::size_t>(body)];
      w = b.w;
      return b.v + cross(b.w, p - b.X_WB.p);
    };
    const Vec3d p = pose(first).p;
    Vec3d w1, w2;
    const Vec3d v = motion_at(first, p, w1) - motion_at(second, p, w2), w = w1 - w2;
    const double square = dot(w, w);
    if (square == 0) return {undefined, undefined, undefined};
    const Vec3d c = p + cross(w, v) * (1 / square);
    if (!mech_.planar) return c;
    const double along = dot(mech_.planar->normal, w);
    if (along * along < 0.5 * square * dot(mech_.planar->normal, mech_.planar->normal))
      return c;  // not about its normal
    return c + w * (dot(mech_.planar->normal, mech_.planar->point - c) / along);
  }
};

}  // namespace

MeasureReader::MeasureReader(const Mechanism& mechanism) : mechanism_(mechanism) {
  if (mechanism.planar) {
    normal_ = mechanism.planar->normal;
  } else {
    LoopSolver solver(mechanism);
    normal_ = planar_normal(solver.implementation(), design_state(mechanism).q);
  }
  std::vector<std::string> names;
  for (const MeasureVariable& variable : mechanism.measure_variables) names.push_back(variable.name);
  for (const Measure& measure : mechanism.measures) {
    expressions_.emplace_back();
    if (measure.kind != Measure::Kind::expression) continue;
    auto parsed = Expression::parse(measure.text, names);
    if (auto* expression = std::get_if<Expression>(&parsed)) expressions_.back() = std::move(*expression);
  }
}

bool MeasureReader::reads_rates() const {
  using Kind = Measure::Kind;
  return std::any_of(mechanism_.measures.begin(), mechanism_.measures.end(), [](const Measure& m) {
    return m.kind == Kind::mechanical_advantage || m.kind == Kind::instant_centre_x ||
           m.kind == Kind::instant_centre_y || m.kind == Kind::instant_centre_z;
  });
}

std::vector<double> MeasureReader::read(const AnalysisStep& step, const AnalysisStep* per_input) const {
  const std::vector<Measure>& measures = mechanism_.measures;
  std::vector<double> values(measures.size(), undefined);
  if (step.status == StepStatus::imaginary) return values;
  const Reading reading(mechanism_, normal_, step, per_input != nullptr ? *per_input : step);
  for (std::size_t k = 0; k < measures.size(); ++k) values[k] = reading.read(measures[k]);

  std::vector<double> variables = values;
  for (const PointMotion& point : step.points) variables.insert(variables.end(), {point.p.x, point.p.y, point.p.z});
  // Expressions may use each other, but not in a circle: as many rounds as there are of them settle all.
  for (std::size_t round = 0; round < measures.size(); ++round) {
    bool changed = false;
    for (std::size_t k = 0; k < measures.size(); ++k) {
      if (!expressions_[k]) continue;
      std::vector<double> in_units = variables;
      for (std::size_t i = 0; i < in_units.size(); ++i) {
        in_units[i] /= measures[k].unit(mechanism_.measure_variables[i].dimension);
      }
      const double value =
          expressions_[k]->evaluate<double>(std::span<const double>(in_units)) * measures[k].unit(measures[k].gives);
      if (value == values[k] || (std::isnan(value) && std::isnan(values[k]))) continue;
      values[k] = variables[k] = value;
      changed = true;
    }
    if (!changed) break;
  }
  for (double& value : values) {  // only now: one over an infinite one is zero
    if (!std::isfinite(value)) value = undefined;
  }
  return values;
}

Envelope envelope_of(const Analysis& analysis, int measure) {
  Envelope envelope;
  for (int k = 0; k < static_cast<int>(analysis.steps.size()); ++k) {
    const double x = analysis.steps[k].measures[measure];
    if (!std::isfinite(x)) continue;
    if (!(x >= envelope.least)) envelope.least = x, envelope.at_least = k;
    if (!(x <= envelope.most)) envelope.most = x, envelope.at_most = k;
  }
  return envelope;
}

}  // namespace trammel
