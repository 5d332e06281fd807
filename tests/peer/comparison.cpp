// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peer/comparison.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "support/source_dir.hpp"

namespace trammel::test {

namespace {

// gtest wants property keys that are XML names.
std::string as_key(std::string text) {
  for (char& c : text)
    if (c == ' ') c = '_';
  return text;
}

}  // namespace

void Comparison::report_and_judge(const std::string& peer, const std::string& model, double bound) const {
  std::string row = fmt::format("{:<7} {:<16}", peer, model);
  for (const auto& [quantity, error] : worst_) {
    row += fmt::format(" | {} {:.1e}", quantity, error);
    ::testing::Test::RecordProperty(as_key(quantity), fmt::format("{:.2e}", error));
    EXPECT_LE(error, bound) << quantity << " of " << model << " against " << peer;
  }
  fmt::print("{}\n", row);
}

Model shipped_model(const std::string& name) {
  const ReadResult result = read_model(test::source_dir() + "/models/" + name + ".yaml");
  if (!result.ok()) throw std::runtime_error(result.diagnostics.to_string());
  return fit_for_peers(result.model);
}

}  // namespace trammel::test
