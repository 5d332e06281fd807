// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `virtual-mass` and `impact` share: a point of a body by words, and joints that resist.

#include <optional>
#include <string>
#include <vector>

#include <trammel/floating.hpp>

namespace trammel::tool {

// "hand:0.3,0,0" in the body's frame and the model's units, "hand:grip" with an output of the model, "hand": its origin.
struct PointOfBody {
  int body = ground;
  Vec3d p_B;
};
std::optional<PointOfBody> parse_point(const Mechanism& mechanism, const std::string& text, Diagnostics& problems);

// "elbow=0.3", "slide.travel=inf": a number for a freedom, or for all freedoms of a joint; `numbers` has one per freedom.
bool parse_of_joint(const Mechanism& mechanism, const std::string& option, const std::string& text,
                    bool may_be_infinite, std::vector<double>& numbers, Diagnostics& problems);

}  // namespace trammel::tool
