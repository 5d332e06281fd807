// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ctrl-C, and what ends programs otherwise, while something is under way that must be put in order first. One at a time.

#include <initializer_list>
#include <utility>
#include <vector>

namespace trammel::tool {

// Thrown by what waits when a signal has come; no std::exception, since nothing has failed.
struct Interrupted {};

class Interruption {
 public:
  // From here on these signals are noted; those that are ignored already (nohup) stay so.
  explicit Interruption(std::initializer_list<int> signals);
  ~Interruption();  // as before
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool came();
  // All is in order: the signal does now what it does to programs that do not listen.
  void pass_on();

 private:
  void give_back();
  using Handler = void (*)(int);
  std::vector<std::pair<int, Handler>> before_;
};

}  // namespace trammel::tool
