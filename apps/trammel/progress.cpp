// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace trammel::tool {

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), begin_(Clock::now()), last_(begin_), on_terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(double share, const std::string& note) {
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  if (elapsed < 1 || std::chrono::duration<double>(now - last_).count() < 0.1) return;
  last_ = now;
  shown_ = true;
  constexpr int width = 30;
  const int full = static_cast<int>(share * width);
  const std::string left = share > 0.01 ? fmt::format(", {:.0f} s left", elapsed * (1 - share) / share) : "";
  fmt::print(stderr, "\r{} [{:=<{}}{: <{}}] {:3.0f} %{}{}   ", what_, "", full, "", width - full, 100 * share, left,
             note);
  std::fflush(stderr);
}

void ProgressBar::finish() {
  if (shown_) fmt::print(stderr, "\r{: <110}\r", "");
  shown_ = false;
}

}  // namespace trammel::tool
