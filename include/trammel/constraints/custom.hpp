// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A constraint that a library user gives at run time: any small class that meets the concept of constraint.hpp, i.e. has
// dimensions() and a template residual<T>(X_PQ, out).
//
//   struct OnSphere {                                        // Q's origin stays r away from P's
//     double r;
//     std::vector<Dimension> dimensions() const { return {dimension::length}; }
//     template <class T> void residual(const Transform<T>& X_PQ, T* out) const { out[0] = norm(X_PQ.p) - T(r); }
//   };
//   add_constraint(model, "tether", custom_constraint(OnSphere{2}), "ground", "ball", X_WP, X_WQ);
//
// Jacobians come from Gradient numbers. Where they cost too much, the class may give its own,
//     void jacobian(const Transform<double>& X_PQ, double* G) const;
// rows × 6, row-major: the change of each residual with the turn and the travel of Q relative to P, both along P's axes and at
// Q's origin. check_jacobian(constraint, X_PQ) returns the largest difference to what Gradient numbers say.

#include <memory>
#include <utility>

#include <trammel/constraints/constraint.hpp>
#include <trammel/core/gradient.hpp>
#include <trammel/core/series.hpp>

namespace trammel {

class CustomConstraint {
 public:
  virtual ~CustomConstraint() = default;
  virtual std::vector<Dimension> dimensions() const = 0;
  virtual void residual(const Transform<double>& X_PQ, double* out) const = 0;
  virtual void residual(const Transform<Gradient<6>>& X_PQ, Gradient<6>* out) const = 0;
  virtual void residual(const Transform<Series<2>>& X_PQ, Series<2>* out) const = 0;
  virtual void residual(const Transform<Series<3>>& X_PQ, Series<3>* out) const = 0;
  virtual bool has_jacobian() const { return false; }
  virtual void jacobian(const Transform<double>&, double*) const {}
};

// As it stands in a model.
struct UserConstraint {
  std::shared_ptr<const CustomConstraint> function;

  static constexpr std::string_view keyword = "custom";

  std::vector<Dimension> dimensions() const { return function->dimensions(); }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    function->residual(X_PQ, out);
  }
};

template <class C>
concept GivesJacobian = requires(const C& c, const Transform<double>& X, double* G) {
  c.jacobian(X, G);
};

template <class C>
UserConstraint custom_constraint(C constraint) {
  class Wrapped final : public CustomConstraint {
   public:
    explicit Wrapped(C c) : c_(std::move(c)) {}
    std::vector<Dimension> dimensions() const override { return c_.dimensions(); }
    void residual(const Transform<double>& X, double* out) const override { c_.residual(X, out); }
    void residual(const Transform<Gradient<6>>& X, Gradient<6>* out) const override { c_.residual(X, out); }
    void residual(const Transform<Series<2>>& X, Series<2>* out) const override { c_.residual(X, out); }
    void residual(const Transform<Series<3>>& X, Series<3>* out) const override { c_.residual(X, out); }
    bool has_jacobian() const override { return GivesJacobian<C>; }
    void jacobian([[maybe_unused]] const Transform<double>& X, [[maybe_unused]] double* G) const override {
      if constexpr (GivesJacobian<C>) c_.jacobian(X, G);
    }

   private:
    C c_;
  };
  return {std::make_shared<Wrapped>(std::move(constraint))};
}

}  // namespace trammel
