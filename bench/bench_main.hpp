// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command line of benchmarks that leave their figures as CSV: --results FOLDER, --time SECONDS.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "machine.hpp"

namespace trammel::bench {

inline int told(const std::string& path) {
  std::printf("\nwritten: %s\n", path.c_str());
  return 0;
}

// run(folder, seconds) returns the exit code; what it throws is told.
template <class Run>
int bench_main(const char* name, int argc, char** argv, double seconds, const Run& run) {
  std::string folder = default_results_folder();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--results") folder = argv[i + 1];
    if (std::string(argv[i]) == "--time") seconds = std::strtod(argv[i + 1], nullptr);
  }
  try {
    return run(folder, seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace trammel::bench
