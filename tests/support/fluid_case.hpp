// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random hulls, fins and coefficients for the bodies of a model, and what the fluid adds as the dense oracle takes it.

#include <trammel/dynamics.hpp>

#include "support/oracle.hpp"

namespace trammel::test {

// One or two pieces of hull on most bodies; given matrices and fins on some.
void wet(Model& model, std::uint64_t seed, bool drag);
// Loads of bodies, which are at O in world axes, at the bodies' origins. Needs compute_positions.
OracleLoads as_oracle(const Mechanism& mechanism, const Workspace& ws, const Loads& loads);

}  // namespace trammel::test
