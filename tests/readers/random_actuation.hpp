// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What acts and happens over time in a random model: see model_with_everything.

#include "readers/random_numbers.hpp"

namespace trammel::test {

// In the units of the file, in others, or constant.
TimeFunction random_function(RandomNumbers& random);
// Of time, or of time and one or two of what expressions may use.
StateFunction random_function(RandomNumbers& random, const Model& model);

// Actuators, drives, bushings, events and settings, for the bodies, joints and outputs that are there.
void add_random_actuation(RandomNumbers& random, Model& model);

}  // namespace trammel::test
