// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the model's springs and loads do at a state.

#include <span>

#include <trammel/kinematics.hpp>
#include <trammel/loads.hpp>

namespace trammel {

// The tension of a spring (it pulls its ends together, or its coordinate down), how it changes with the length, and what is stored.
struct Tension {
  double force = 0, slope = 0, energy = 0;
};
Tension tension_of(const Spring& spring, double length, double rate);

// What springs, bushings and dampers store and lose, J and W.
struct SpringBalance {
  double energy = 0, dissipated = 0;
};

// Adds wrenches to `wrench` (per body, see Loads) and joint forces to `tau` (per freedom). Needs compute_velocities. Springs at joints
// that close a loop have no freedom to act on here: joint_spring_force() at the coordinate found for it.
SpringBalance add_spring_forces(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q,
                                std::span<const double> v, std::span<Force<double>> wrench, std::span<double> tau);
// What all springs at freedom `dof` of a joint do to its coordinate, which is at q with the rate v.
double joint_spring_force(const Mechanism& mechanism, int joint, int dof, double q, double v);

// The values of Mechanism::state_variables, SI. Needs compute_velocities.
void find_state_values(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q,
                       std::span<const double> v, std::span<double> values);
// Loads of known size, at time t and at find_state_values(); sizes[k] is set for these, others are left alone. Returns their power, W.
double add_known_loads(const Mechanism& mechanism, const Workspace& ws, double t, std::span<const double> state_values,
                       std::span<Force<double>> wrench, std::span<double> sizes);
// A load of size 1, exerted on its body.
void add_unit_load(const Mechanism& mechanism, const Workspace& ws, int load, double size,
                   std::span<Force<double>> wrench);

}  // namespace trammel
