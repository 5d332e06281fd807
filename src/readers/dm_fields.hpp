// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameters of one block, by name and in any order, with a message for each that is missing, of the wrong kind, or read by nobody.

#include <optional>
#include <string>
#include <unordered_set>

#include <trammel/spatial/transform.hpp>

#include "readers/dm_text.hpp"

namespace trammel::readers::dm {

class Fields {
 public:
  // `subject` names the block in messages: "link 'thigh'".
  Fields(const Block& block, std::string subject, Messages& messages)
      : block_(block), subject_(std::move(subject)), messages_(messages) {}

  const std::string& subject() const { return subject_; }
  void rename(std::string subject) { subject_ = std::move(subject); }
  SourceLocation where() const { return block_.where; }
  Messages& messages() const { return messages_; }

  // The first parameter of that name, or null.
  const Parameter* find(std::string_view name);
  // Each of these is empty where the parameter is missing or wrong; `require…` reports a missing one.
  std::optional<double> number(std::string_view name);
  std::optional<double> not_negative(std::string_view name);
  std::optional<int> whole_number(std::string_view name, double most);
  std::optional<std::vector<double>> numbers(std::string_view name, std::size_t count);
  std::optional<Vec3d> vector(std::string_view name);
  std::optional<std::string> text(std::string_view name);
  // Three rows of three; must be a rotation.
  std::optional<Mat3d> rotation(std::string_view name);
  // x, y, z, w, of any length but zero.
  std::optional<Quaternion<double>> quaternion(std::string_view name);

  void require(std::string_view name, std::string_view followed_by);
  // False, with a message, where one of them is missing.
  bool require_all(std::initializer_list<std::pair<std::string_view, std::string_view>> names);

  // Says which parameters nobody asked for.
  void tell_unread();
  std::string what(std::string_view name) const;

 private:
  const Block& block_;
  std::string subject_;
  Messages& messages_;
  std::unordered_set<std::string_view> asked_;
};

}  // namespace trammel::readers::dm
