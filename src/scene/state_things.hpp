// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is found from positions and velocities alone, moment by moment, and shown as arrows and marks: velocities, forces of the water,
// instant centres, virtual masses.

#include <memory>
#include <optional>

#include <trammel/drawing.hpp>
#include <trammel/floating.hpp>
#include <trammel/fluid_forces.hpp>

#include "scene/series.hpp"

namespace trammel::scene {

class StateThings {
 public:
  // Adds channels and arrows to the series. Velocities are of points of interest or, where there are none, of centres of mass.
  // `speed_unit`: "m/s", or what velocities are by where they are those of a unit speed; empty: there are none.
  StateThings(const Mechanism& mechanism, const DrawnPosition& position, Series& series, std::string speed_unit);

  // The next sample of the poses: its pose and all channels.
  void take(double axis, double t, std::span<const double> q, std::span<const double> v);
  // A sample without a position.
  void take_gap(double axis);

 private:
  struct Carried {
    int body = ground;
    Vec3d p_B;
    int channel = -1;
  };
  struct Centre {
    int first = ground, second = ground;  // bodies
    int channel = -1;
  };
  struct Wet {
    int body = 0;
    int buoyancy = -1, drag = -1;
  };
  void add_velocities();
  void add_centres(const std::optional<Plane>& plane);
  void add_water();
  void add_ellipsoids();
  void put_centre(const Centre& centre);
  void put_water(double t, std::span<const double> q);
  void put_ellipsoid(const Carried& at);

  const Mechanism& mech_;
  Series& series_;
  std::string speed_unit_;
  Workspace ws_;
  std::vector<Carried> velocities_, ellipsoids_;
  std::vector<Centre> centres_;
  std::vector<Wet> wet_;
  std::optional<Plane> plane_;
  std::optional<FluidForces> fluid_;
  std::optional<ImpulseResponse> response_;
  std::vector<ArticulatedInertia<double>> inertia_;
  std::vector<Force<double>> bias_;
};

// An arrow at a point of a body, along three channels.
Json arrow(const std::string& name, const char* kind, const std::string& unit, int body, const Vec3d& p_B,
           int first_channel);

}  // namespace trammel::scene
