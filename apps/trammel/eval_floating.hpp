// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// eval --compute floating: what a mechanism that floats does, tree by tree and point by point.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <trammel/floating.hpp>

#include "resistance_options.hpp"

namespace trammel::tool {

struct FloatingPoint {
  std::string name;  // "hand:tip"
  PointOfBody at;
};
// Those of --at; without, the model's outputs on bodies that move, or where it has none the origins of the last bodies of all arms.
std::vector<FloatingPoint> floating_points(const Mechanism& mechanism, const std::vector<std::string>& at,
                                           Diagnostics& problems);

// {trees: {base: {…}}, points: {name: {…}}}. Nothing where a motion has no inertia: then `joint` is where.
std::optional<nlohmann::ordered_json> describe_floating(const Mechanism& mechanism, const State& state,
                                                        const std::vector<FloatingPoint>& points, int& joint);

std::string floating_text(const nlohmann::ordered_json& floating);

}  // namespace trammel::tool
