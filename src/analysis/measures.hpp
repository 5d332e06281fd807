// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <trammel/analysis.hpp>

namespace trammel {

// The model's measures at a step, in their order; NaN where one is not defined.
std::vector<double> evaluate_measures(const Mechanism& mechanism, const AnalysisStep& step);

}  // namespace trammel
