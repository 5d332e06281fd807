// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The second derivatives m of a clamped spline, from continuity of the slope at the inner points and zero slope at the ends:
//   h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (d_i − d_{i−1}),     d_i = (y_{i+1} − y_i)/h_i
// with d = 0 and h = 0 beyond the ends. Diagonally dominant: solved by elimination in one sweep each way.

#include <cmath>
#include <stdexcept>

#include <trammel/model.hpp>

namespace trammel {

Spline::Spline(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)), m_(x_.size()) {
  const std::size_t n = x_.size();
  if (n < 2 || y_.size() != n) throw std::invalid_argument("a spline needs two points or more, each with a value");
  std::vector<double> diagonal(n), above(n);
  double h_before = 0, slope_before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const double h = last ? 0 : x_[i + 1] - x_[i];
    if (!last && !(h > 0)) throw std::invalid_argument("the points of a spline must be in order");
    const double slope = last ? 0 : (y_[i + 1] - y_[i]) / h;
    const double factor = i == 0 ? 0 : h_before / diagonal[i - 1];
    diagonal[i] = 2 * (h_before + h) - factor * (i == 0 ? 0 : above[i - 1]);
    above[i] = h;
    m_[i] = 6 * (slope - slope_before) - factor * (i == 0 ? 0 : m_[i - 1]);
    h_before = h, slope_before = slope;
  }
  for (std::size_t i = n; i-- > 0;) m_[i] = (m_[i] - (i + 1 < n ? above[i] * m_[i + 1] : 0)) / diagonal[i];
}

std::vector<StateVariable> state_variables(const Model& model) {
  using Kind = StateVariable::Kind;
  std::vector<StateVariable> all;
  for (const Joint& joint : model.joints) {
    const std::vector<Freedom> list = freedoms(joint.type);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::string name = list.size() == 1 ? joint.name : joint.name + "." + std::string(list[k].name);
      const int dof = static_cast<int>(k);
      if (nq(joint.type) == nv(joint.type)) all.push_back({name, list[k].dimension, Kind::coordinate, joint.name, dof});
      Dimension rate = list[k].dimension;
      rate.time -= 1;
      all.push_back({name + ".rate", rate, Kind::rate, joint.name, dof});
    }
  }
  for (const Output& output : model.outputs) {
    for (int i = 0; i < 3; ++i) {
      all.push_back({output.name + "." + "xyz"[i], dimension::length, Kind::output, output.name, i});
    }
  }
  return all;
}

}  // namespace trammel
