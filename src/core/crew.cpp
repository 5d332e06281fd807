// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "core/crew.hpp"

#include <algorithm>
#include <optional>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace trammel {

struct Crew::Arena {
  explicit Arena(int threads) : arena(threads) {
    // More than there are processors are asked for to see that nothing depends on them; oneTBB complains unless it is told.
    if (threads > tbb::this_task_arena::max_concurrency()) {
      more.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    }
  }
  std::optional<tbb::global_control> more;
  tbb::task_arena arena;
};

Crew::Crew(int threads)
    : threads_(threads > 0 ? threads : std::max(1, tbb::this_task_arena::max_concurrency())),
      arena_(std::make_unique<Arena>(threads_)) {}
Crew::~Crew() = default;

void Crew::run(int count, const void* pass, void (*call)(const void*, int)) {
  arena_->arena.execute([&] { tbb::parallel_for(0, count, [&](int i) { call(pass, i); }); });
}

}  // namespace trammel
