// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes of a scene: JSON, and the blocks of numbers that it refers to.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace trammel::scene {

using Json = nlohmann::ordered_json;

// Fewer numbers than that stand in the JSON itself.
inline constexpr std::size_t least_block = 24;

class Bundle {
 public:
  // What stands in the JSON for these numbers; those that are not finite are gaps.
  Json numbers(std::span<const float> values);
  Json numbers(std::span<const double> values);  // in double precision
  Json grid(std::span<const double> values);     // as "from" and "step" where they are evenly spaced
  Json bytes(std::string_view file);             // of a file
  Json integers(std::span<const int> values);

  std::string finish(const Json& head) const;  // magic number, JSON, blocks

 private:
  Json add(std::string_view bytes, std::size_t count, const char* type, std::size_t shuffled_by);
  std::string blocks_;
};

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace trammel::scene
