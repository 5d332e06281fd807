// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Run-time access to the list of joints: for readers, reports, the assembly of loops and the oracle of the tests, which
// know a joint only as an AnyJoint. A Custom that compile() has reversed obeys the formulas of reversed.hpp:
//   X_FM = X⁻¹,   H_FM = −X·H,   Ḣ_FM = −X·(V × H + Ḣ),   V = H v,   and the slope of Ḣ_FM

#include <algorithm>
#include <type_traits>

#include <trammel/joints/all_joints.hpp>

namespace trammel {
namespace {

template <class J>
inline constexpr bool is_reversed = false;
template <class J>
inline constexpr bool is_reversed<Reversed<J>> = true;

template <class J>
inline constexpr bool is_custom = std::is_same_v<J, Custom>;

// Calls visitor(J{}) for each joint a file can name, in the order of the list: all but Reversed and Custom.
template <class Visitor, std::size_t... i>
void for_each_named_joint(Visitor&& visitor, std::index_sequence<i...>) {
  const auto offer = [&visitor]<class J>(std::type_identity<J>) {
    if constexpr (!is_reversed<J> && !is_custom<J>) visitor(J{});
  };
  (offer(std::type_identity<std::variant_alternative_t<i, AnyJoint>>{}), ...);
}
template <class Visitor>
void for_each_named_joint(Visitor&& visitor) {
  for_each_named_joint(visitor, std::make_index_sequence<std::variant_size_v<AnyJoint>>{});
}

// The caller may offer room for more columns than the joint has.
template <std::size_t n>
void copy_columns(const MotionColumns<double, n>& from, std::span<Motion<double>> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

Transform<double> custom_pose(const Custom& custom, const double* q) {
  const Transform<double> X = custom.joint->X_FM(q);
  return custom.reversed ? inverse(X) : X;
}

void custom_columns(const Custom& custom, const double* q, std::span<Motion<double>> columns) {
  columns = columns.first(static_cast<std::size_t>(custom.nv));
  custom.joint->H_FM(q, columns);
  if (!custom.reversed) return;
  const Transform<double> X = custom.joint->X_FM(q);
  for (Motion<double>& column : columns) column = -(X * column);
}

void custom_column_rates(const Custom& custom, const double* q, const double* v, std::span<Motion<double>> columns) {
  const auto n = static_cast<std::size_t>(custom.nv);
  columns = columns.first(n);
  custom.joint->Hdot_FM(q, v, columns);
  if (!custom.reversed) return;
  const Transform<double> X = custom.joint->X_FM(q);
  std::array<Motion<double>, Custom::max_nv> H{};
  custom.joint->H_FM(q, std::span(H).first(n));
  Motion<double> V{};
  for (std::size_t k = 0; k < n; ++k) V += H[k] * v[k];
  for (std::size_t k = 0; k < n; ++k) columns[k] = -(X * (cross_motion(V, H[k]) + columns[k]));
}

// The slope of Ḣ_FM; see reversed.hpp.
void custom_column_slopes(const Custom& custom, const double* q, const double* v, const double* u,
                          std::span<Motion<double>> columns) {
  const auto n = static_cast<std::size_t>(custom.nv);
  columns = columns.first(n);
  custom.joint->Hdot_along(q, v, u, columns);
  if (!custom.reversed) return;
  const Transform<double> X = custom.joint->X_FM(q);
  std::array<Motion<double>, Custom::max_nv> H{}, Hdot{}, H_along{};
  custom.joint->H_FM(q, std::span(H).first(n));
  custom.joint->Hdot_FM(q, v, std::span(Hdot).first(n));
  custom.joint->Hdot_FM(q, u, std::span(H_along).first(n));
  Motion<double> V{}, U{}, V_along{};
  for (std::size_t k = 0; k < n; ++k) V += H[k] * v[k], U += H[k] * u[k], V_along += H_along[k] * v[k];
  for (std::size_t k = 0; k < n; ++k) {
    columns[k] +=
        cross_motion(U, cross_motion(V, H[k]) + Hdot[k]) + cross_motion(V_along, H[k]) + cross_motion(V, H_along[k]);
    columns[k] = -(X * columns[k]);
  }
}

}  // namespace

// Fourth-order differences of Ḣ_FM along q ⊕ s u.
void CustomJoint::Hdot_along(const double* q, const double* v, const double* u,
                             std::span<Motion<double>> columns) const {
  constexpr double step = 1e-3;
  const std::size_t n = columns.size();
  std::fill(columns.begin(), columns.end(), Motion<double>{});
  for (const auto& [at, weight] : {std::pair{-2., 1. / 12}, {-1., -2. / 3}, {1., 2. / 3}, {2., -1. / 12}}) {
    std::array<double, Custom::max_nq> moved{};
    std::array<double, Custom::max_nv> delta{};
    std::array<Motion<double>, Custom::max_nv> Hdot{};
    for (std::size_t k = 0; k < n; ++k) delta[k] = at * step * u[k];
    q_step(q, delta.data(), moved.data());
    Hdot_FM(moved.data(), v, std::span(Hdot).first(n));
    for (std::size_t k = 0; k < n; ++k) columns[k] += Hdot[k] * (weight / step);
  }
}

std::string_view keyword(const AnyJoint& joint) {
  return std::visit(
      []<class J>(const J& j) -> std::string_view {
        if constexpr (is_custom<J>) {
          return j.joint->keyword();
        } else {
          return J::keyword;
        }
      },
      joint);
}

int nq(const AnyJoint& joint) {
  return std::visit(
      []<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          return j.joint->nq();
        } else {
          return J::nq;
        }
      },
      joint);
}

int nv(const AnyJoint& joint) {
  return std::visit(
      []<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          return j.nv;
        } else {
          return J::nv;
        }
      },
      joint);
}

std::vector<Freedom> freedoms(const AnyJoint& joint) {
  return std::visit(
      []<class J>(const J& j) -> std::vector<Freedom> {
        if constexpr (is_custom<J>) {
          return j.joint->freedoms();
        } else {
          return {J::freedoms.begin(), J::freedoms.end()};
        }
      },
      joint);
}

std::optional<AnyJoint> joint_by_keyword(std::string_view word) {
  std::optional<AnyJoint> found;
  for_each_named_joint([&](auto joint) {
    if (word == decltype(joint)::keyword) found = joint;
  });
  return found;
}

std::vector<std::string> joint_keywords() {
  std::vector<std::string> words;
  for_each_named_joint([&words](auto joint) { words.emplace_back(decltype(joint)::keyword); });
  return words;
}

Transform<double> X_FM(const AnyJoint& joint, const double* q) {
  return std::visit(
      [q]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          return custom_pose(j, q);
        } else {
          return j.template X_FM<double>(q);
        }
      },
      joint);
}

void H_FM(const AnyJoint& joint, const double* q, std::span<Motion<double>> columns) {
  std::visit(
      [=]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          custom_columns(j, q, columns);
        } else {
          copy_columns(j.template H_FM<double>(q), columns);
        }
      },
      joint);
}

void Hdot_FM(const AnyJoint& joint, const double* q, const double* v, std::span<Motion<double>> columns) {
  std::visit(
      [=]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          custom_column_rates(j, q, v, columns);
        } else {
          copy_columns(j.template Hdot_FM<double>(q, v), columns);
        }
      },
      joint);
}

void Hdot_along(const AnyJoint& joint, const double* q, const double* v, const double* u,
                std::span<Motion<double>> columns) {
  std::visit(
      [=]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          custom_column_slopes(j, q, v, u, columns);
        } else if constexpr (!J::constant_H) {
          copy_columns(j.template Hdot_along<double>(q, v, u), columns);
        } else {
          std::fill(columns.begin(), columns.end(), Motion<double>{});
        }
      },
      joint);
}

void q_zero(const AnyJoint& joint, double* q) {
  std::visit(
      [q]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          j.joint->q_zero(q);
        } else {
          j.template q_zero<double>(q);
        }
      },
      joint);
}

void q_step(const AnyJoint& joint, const double* q, const double* dq, double* out) {
  std::visit(
      [=]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          j.joint->q_step(q, dq, out);
        } else {
          j.template q_step<double>(q, dq, out);
        }
      },
      joint);
}

void q_fit(const AnyJoint& joint, const Transform<double>& X, double* q) {
  std::visit(
      [&X, q]<class J>(const J& j) {
        if constexpr (is_custom<J>) {
          j.joint->q_fit(j.reversed ? inverse(X) : X, q);
        } else {
          j.template q_fit<double>(X, q);
        }
      },
      joint);
}

}  // namespace trammel
