// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads for loops whose passes do not depend on each other.
//
//   Crew crew(4);
//   crew.each(count, [&](int i) { … });      // all i from 0 to count − 1, in any order, up to 4 at a time

#include <memory>

namespace trammel {

class Crew {
 public:
  // 0: as many threads as the machine has for us.
  explicit Crew(int threads);
  ~Crew();

  int threads() const { return threads_; }
  // Returns when all passes are done. What one of them throws is thrown here.
  template <class Pass>
  void each(int count, const Pass& pass) {
    run(count, &pass, [](const void* p, int i) { (*static_cast<const Pass*>(p))(i); });
  }

 private:
  struct Arena;
  void run(int count, const void* pass, void (*call)(const void*, int));

  int threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace trammel
