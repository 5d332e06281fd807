// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <fstream>

#include <trammel/batch.hpp>
#include <trammel/version.hpp>

namespace trammel::bench {
namespace {

// Letters, digits and single underscores.
std::string as_file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

}  // namespace

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now));
  return text;
}

std::string cpu_name() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

std::string compilers() {
  const std::string kernels = TRAMMEL_BENCH_KERNEL_COMPILER;
  const std::string library(compiler());
  return kernels.empty() ? library : library + "; kernels " + kernels;
}

std::string default_results_folder() { return std::string(TRAMMEL_BINARY_DIR) + "/bench/results"; }

std::string results_path(const std::string& folder, const std::string& suffix) {
  const std::string level(kernel_level());
  return folder + "/" + today() + "_" + as_file_name(cpu_name()) + "_" + level + suffix + ".csv";
}

#if defined(__x86_64__)
double clock_ghz() {
  constexpr long rounds = 100000, adds = 16;
  double best_ns = 1e99;
  for (int repeat = 0; repeat < 200; ++repeat) {
    unsigned long x = 0;
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < rounds; ++i) {
      // Both operands are registers: additions of constants may be folded away by the CPU's renaming stage.
      asm volatile(
          "add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n"
          "add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n add %1, %0\n"
          : "+r"(x)
          : "r"(3UL));
    }
    const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    best_ns = std::min(best_ns, ns);
  }
  return static_cast<double>(rounds * adds) / best_ns;
}
#else
double clock_ghz() { return 0; }
#endif

double peak_flops_per_ns(double ghz) {
  const bool fused = kernel_level() != "x86-64";
  const int register_doubles = kernel_level() == "x86-64-v4" ? 8 : fused ? 4 : 2;
  return ghz * register_doubles * (fused ? 4 : 2);
}

}  // namespace trammel::bench
