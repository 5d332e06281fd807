// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_tag.hpp"

#include <cmath>

#include <fmt/format.h>

#include "readers/messages.hpp"

namespace trammel::readers::mjcf {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (byte < 0x20) {
      out += fmt::format("&#{};", static_cast<int>(byte));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string numbers(const std::vector<double>& list) {
  std::string text;
  for (const double number : list) text += (text.empty() ? "" : " ") + shortest(number);
  return text;
}

std::string three(const Vec3d& v) { return numbers({v.x, v.y, v.z}); }

Tag& Tag::put(std::string_view attribute, std::string_view value) {
  text_ += fmt::format(" {}=\"{}\"", attribute, escaped(value));
  return *this;
}

Tag& Tag::put_pose(const Transformd& X) {
  if (X.p != Vec3d{}) put("pos", three(X.p));
  const Quaternion<double> q = quaternion_of(X.R);
  if (std::abs(q.w) == 1 && q.x == 0 && q.y == 0 && q.z == 0) return *this;
  return put("quat", numbers({q.w, q.x, q.y, q.z}));
}

}  // namespace trammel::readers::mjcf
