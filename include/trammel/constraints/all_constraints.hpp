// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one list of constraint types. To add one: include its file and add it to AnyConstraint.

#include <string>
#include <variant>

#include <trammel/constraints/angle.hpp>
#include <trammel/constraints/custom.hpp>
#include <trammel/constraints/distance.hpp>
#include <trammel/constraints/hold.hpp>
#include <trammel/constraints/joint_closure.hpp>
#include <trammel/constraints/on_curve.hpp>
#include <trammel/constraints/point_on_line.hpp>
#include <trammel/constraints/point_on_plane.hpp>
#include <trammel/constraints/rolling.hpp>

namespace trammel {

using AnyConstraint = std::variant<JointClosure, Distance, PointOnLine, PointOnPlane, PointOnCurve, FaceOnCurve, Angle,
                                   Parallel, RollingCircles, RollingOnLine, Hold, UserConstraint>;

std::string_view keyword(const AnyConstraint& constraint);
std::vector<Dimension> dimensions(const AnyConstraint& constraint);
int angle_count(const AnyConstraint& constraint);  // how many turns it counts

// The rows of Φ, and their gradient: rows × 6, row-major, with respect to a turn and a travel of Q relative to P, along P's axes and
// at Q's origin. full_turns: one entry per counted angle.
void residual(const AnyConstraint& constraint, const Transform<double>& X_PQ, const double* full_turns, double* out);
void residual_and_gradient(const AnyConstraint& constraint, int row_count, const Transform<double>& X_PQ,
                           const double* full_turns, double* out, double* gradient);
// Φ along a motion X_PQ(t): values and time derivatives.
void residual(const AnyConstraint& constraint, const Transform<Series<2>>& X_PQ, const double* full_turns,
              Series<2>* out);
void residual(const AnyConstraint& constraint, const Transform<Series<3>>& X_PQ, const double* full_turns,
              Series<3>* out);
// X_PQ with the six small displacements of Q relative to P as directions.
Transform<Gradient<6>> displaced(const Transform<double>& X_PQ);
void read_angles(const AnyConstraint& constraint, const Transform<double>& X_PQ, double* angles);

// The largest entry by which a constraint's own jacobian() differs from the one by Gradient numbers; 0 where it gives none.
double check_jacobian(const UserConstraint& constraint, const Transform<double>& X_PQ);

}  // namespace trammel
