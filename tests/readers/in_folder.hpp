// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The current folder for as long as one of these lives.

#include <filesystem>

namespace trammel::test {

struct InFolder {
  explicit InFolder(const std::filesystem::path& folder) : before(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~InFolder() { std::filesystem::current_path(before); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  std::filesystem::path before;
};

}  // namespace trammel::test
