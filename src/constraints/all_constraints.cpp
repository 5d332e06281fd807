// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Run-time access to any constraint.
//
// Gradient: Q displaced by a small turn w and travel v relative to P, along P's axes and at Q's origin,
//   R → (1 + skew(w)) R,   p → p + v
// with (w, v) as the six directions of a Gradient number.

#include <algorithm>
#include <cmath>

#include <trammel/constraints/all_constraints.hpp>

namespace trammel {
namespace {

using G6 = Gradient<6>;

template <class C, class T>
void rows_of(const C& constraint, const Transform<T>& X_PQ, const double* full_turns, T* out) {
  if constexpr (CountsTurns<C>) {
    constraint.residual(X_PQ, full_turns, out);
  } else {
    constraint.residual(X_PQ, out);
  }
}

Vec3<G6> turned(const Vec3d& e) {  // e + w × e
  Vec3<G6> r{G6(e.x), G6(e.y), G6(e.z)};
  r.x.d[1] = e.z, r.x.d[2] = -e.y;
  r.y.d[2] = e.x, r.y.d[0] = -e.z;
  r.z.d[0] = e.y, r.z.d[1] = -e.x;
  return r;
}

}  // namespace

Transform<G6> displaced(const Transformd& X) {
  Transform<G6> r{{turned(X.R.ex), turned(X.R.ey), turned(X.R.ez)}, {G6(X.p.x), G6(X.p.y), G6(X.p.z)}};
  r.p.x.d[3] = r.p.y.d[4] = r.p.z.d[5] = 1;
  return r;
}

std::string_view keyword(const AnyConstraint& constraint) {
  return std::visit([]<class C>(const C&) { return C::keyword; }, constraint);
}

std::vector<Dimension> dimensions(const AnyConstraint& constraint) {
  return std::visit([](const auto& c) { return c.dimensions(); }, constraint);
}

int angle_count(const AnyConstraint& constraint) {
  return std::visit(
      []<class C>([[maybe_unused]] const C& c) {
        if constexpr (requires { c.counted_angles(); }) {
          return c.counted_angles();
        } else if constexpr (CountsTurns<C>) {
          return C::angles;
        } else {
          return 0;
        }
      },
      constraint);
}

void residual(const AnyConstraint& constraint, const Transformd& X_PQ, const double* full_turns, double* out) {
  std::visit([&](const auto& c) { rows_of(c, X_PQ, full_turns, out); }, constraint);
}

void residual(const AnyConstraint& constraint, const Transform<Series<2>>& X_PQ, const double* full_turns,
              Series<2>* out) {
  std::visit([&](const auto& c) { rows_of(c, X_PQ, full_turns, out); }, constraint);
}

void residual(const AnyConstraint& constraint, const Transform<Series<3>>& X_PQ, const double* full_turns,
              Series<3>* out) {
  std::visit([&](const auto& c) { rows_of(c, X_PQ, full_turns, out); }, constraint);
}

void residual_and_gradient(const AnyConstraint& constraint, int row_count, const Transformd& X_PQ,
                           const double* full_turns, double* out, double* gradient) {
  if (const auto* user = std::get_if<UserConstraint>(&constraint); user != nullptr && user->function->has_jacobian()) {
    user->function->residual(X_PQ, out);
    user->function->jacobian(X_PQ, gradient);
    return;
  }
  std::array<G6, max_constraint_rows> rows{};
  std::visit([&](const auto& c) { rows_of(c, displaced(X_PQ), full_turns, rows.data()); }, constraint);
  for (std::size_t r = 0; r < static_cast<std::size_t>(row_count); ++r) {
    out[r] = rows[r].value;
    std::copy(rows[r].d.begin(), rows[r].d.end(), gradient + 6 * r);
  }
}

void read_angles(const AnyConstraint& constraint, const Transformd& X_PQ, double* angles) {
  std::visit(
      [&]<class C>(const C& c) {
        if constexpr (CountsTurns<C>) c.read_angles(X_PQ, angles);
      },
      constraint);
}

double check_jacobian(const UserConstraint& constraint, const Transformd& X_PQ) {
  if (!constraint.function->has_jacobian()) return 0;
  std::array<G6, max_constraint_rows> rows{};
  std::array<double, 6 * max_constraint_rows> given{};
  constraint.function->residual(displaced(X_PQ), rows.data());
  constraint.function->jacobian(X_PQ, given.data());
  double worst = 0;
  for (std::size_t r = 0; r < constraint.dimensions().size(); ++r) {
    for (std::size_t k = 0; k < 6; ++k) worst = std::max(worst, std::abs(rows[r].d[k] - given[6 * r + k]));
  }
  return worst;
}

}  // namespace trammel
