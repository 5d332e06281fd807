// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the fluid does to a block of states: the kernel in lanes first, then what it leaves, state by state.

#include <trammel/fluid_forces.hpp>

#include "fluid/bodies_in_fluid.hpp"
#include "fluid/lane_bodies.hpp"
#include "kernels/tree_of.hpp"

namespace trammel {

using fluid::BodiesInFluid;
using fluid::Sum;
using fluid::WetBody;

class FluidLanes::Implementation {
 public:
  Implementation(const Mechanism& mechanism, double time)
      : t(time),
        mech_(&mechanism),
        bodies_(mechanism),
        is_left_(bodies_.size()),
        was_alone_(bodies_.size()),
        view_(view_numbers * width_),
        inertia_(inertia_numbers * width_ * mechanism.bodies.size()),
        bias_(bias_numbers * width_ * mechanism.bodies.size()) {}

  OfBlock find(double* workspace, int states) {
    left = 0;
    if (bodies_.size() == 0) return {};
    const Tree tree = tree_of(*mech_);
    const Vec3d gravity = mech_->parameters.gravity;
    fluid::UniformSurroundings<double> around;
    bodies_.mark_left(is_left_);
    if (bodies_.lowest_is_uniform()) {
      around = bodies_.lowest(t, gravity);
      const fluid::LaneTask task{.bodies = bodies_.wet().bodies.data(),
                                 .count = bodies_.size(),
                                 .parts = bodies_.wet().parts.data(),
                                 .dry_links = bodies_.wet().dry_links.data(),
                                 .dry_count = bodies_.wet().dry_links.size(),
                                 .around = around,
                                 .level = bodies_.lowest_surface(),
                                 .up = bodies_.flow().up(),
                                 .is_left = is_left_.data()};
      trammel_fluid_lane_kernel(&task, &tree, workspace);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const WetBody& body = bodies_.wet().bodies[i];
      const bool is_alone = is_left_[i] != 0 || BodiesInFluid::has_rest(body);
      if (is_alone) {
        ++left;
        trammel_lane_kernels()->link(tree, workspace, body.link, view_.data());
      }
      if (!is_alone && was_alone_[i] == 0) continue;
      was_alone_[i] = static_cast<char>(is_alone);
      for (std::size_t lane = 0; lane < width_; ++lane) {
        Sum sum;  // nothing, where it runs in lanes now
        if (is_alone && lane < static_cast<std::size_t>(states)) add_alone(sum, i, link_of(lane), around, gravity);
        put(sum, static_cast<std::size_t>(body.body), lane);
      }
    }
    if (left == 0) return {.in_workspace = true};
    return {inertia_.data(), bias_.data(), bodies_.lowest_is_uniform()};
  }

  double t = 0;
  int left = 0;

 private:
  static constexpr std::size_t view_numbers = sizeof(LinkView<double>) / sizeof(double), inertia_numbers = 21,
                               bias_numbers = 6;

  LinkView<double> link_of(std::size_t lane) const {
    LinkView<double> view;
    auto* const numbers = reinterpret_cast<double*>(&view);
    for (std::size_t k = 0; k < view_numbers; ++k) numbers[k] = view_[k * width_ + lane];
    return view;
  }
  void add_alone(Sum& sum, std::size_t i, const LinkView<double>& L, const fluid::UniformSurroundings<double>& around,
                 const Vec3d& gravity) const {
    const WetBody& body = bodies_.wet().bodies[i];
    double potential = 0;
    if (is_left_[i] != 0) {
      bodies_.add_left(sum, body, L, t, gravity, potential);
    } else {
      bodies_.add_rest(sum, body, L, t, around);
    }
  }
  void put(const Sum& sum, std::size_t body, std::size_t lane) {
    static_assert(sizeof(sum.added) == inertia_numbers * sizeof(double) &&
                  sizeof(sum.bias) == bias_numbers * sizeof(double));
    const auto write = [&](AlignedArray<double>& to, const double* numbers, std::size_t count) {
      double* const rows = to.data() + body * count * width_;
      for (std::size_t k = 0; k < count; ++k) rows[k * width_ + lane] = numbers[k];
    };
    write(inertia_, reinterpret_cast<const double*>(&sum.added), inertia_numbers);
    write(bias_, reinterpret_cast<const double*>(&sum.bias), bias_numbers);
  }

  const Mechanism* mech_;
  BodiesInFluid bodies_;
  std::size_t width_ = static_cast<std::size_t>(lane_count());
  std::vector<char> is_left_, was_alone_;
  AlignedArray<double> view_, inertia_, bias_;
};

FluidLanes::FluidLanes(const Mechanism& mechanism, double t)
    : implementation_(std::make_unique<Implementation>(mechanism, t)) {}
FluidLanes::~FluidLanes() = default;
FluidLanes::FluidLanes(FluidLanes&&) noexcept = default;
FluidLanes& FluidLanes::operator=(FluidLanes&&) noexcept = default;

void FluidLanes::set_time(double t) { implementation_->t = t; }
LaneLoads::OfBlock FluidLanes::find(double* workspace, int states) { return implementation_->find(workspace, states); }
int FluidLanes::left_count() const { return implementation_->left; }

}  // namespace trammel
