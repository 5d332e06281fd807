// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// IFToMM A02 with forty four-bars: 81 bodies, 40 loops, one freedom, straight through the positions in which all bars lie on a line.

#include "simulation/fourbars.hpp"

namespace trammel::test {
namespace {

TEST(SimulationReferenceSlow, forty_four_bars_of_IFToMM_A02_go_straight_through_their_singular_positions) {
  SimulationReport report;
  const double error = error_of_fourbars(40, 10, report);
  RecordProperty("error", fmt::format("{:.2e}", error));
  RecordProperty("evaluations", static_cast<int>(report.evaluations));
  fmt::print("N = 40: error {:.2e} rad, drift {:.2e} m, energy {:.2e} J, {} steps, {} evaluations\n", error,
             report.drift.position, report.energy.error, report.steps, report.evaluations);
  EXPECT_LT(error, 1e-6);
  EXPECT_LT(report.drift.position, 1e-9);
  EXPECT_LT(std::abs(report.energy.error), 1e-5);
}

}  // namespace
}  // namespace trammel::test
