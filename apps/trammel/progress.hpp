// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A bar on standard error for work that takes longer than a second, with an estimate of what is left. Silent where standard error is no
// terminal.

#include <chrono>
#include <string>

namespace trammel::tool {

class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar() { finish(); }
  // 0 to 1; `note` stands behind what is left.
  void show(double share, const std::string& note = {});
  void finish();  // wipes it away

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point begin_, last_;
  bool on_terminal_, shown_ = false;
};

}  // namespace trammel::tool
