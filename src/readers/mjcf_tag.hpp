// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of MJCF while they are put together, and numbers as MJCF writes them.

#include <string>
#include <string_view>
#include <vector>

#include <trammel/spatial/transform.hpp>

namespace trammel::readers::mjcf {

std::string numbers(const std::vector<double>& list);
std::string three(const Vec3d& v);

class Tag {
 public:
  explicit Tag(const std::string& name) : text_("<" + name) {}
  // The value is escaped.
  Tag& put(std::string_view attribute, std::string_view value);
  // `pos` and `quat`, where they are not zero.
  Tag& put_pose(const Transformd& X);
  std::string alone() const { return text_ + "/>"; }
  std::string open() const { return text_ + ">"; }

 private:
  std::string text_;
};

}  // namespace trammel::readers::mjcf
