// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading files that are made to hurt: in a process of its own that may use 2 s of CPU, telling how much memory it took.

#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trammel/diagnostics.hpp>

namespace trammel::test {

// Sanitizers multiply both time and memory; optimisation matters for time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRAMMEL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TRAMMEL_SANITIZED 1
#endif
#endif
#if defined(TRAMMEL_SANITIZED) || defined(TRAMMEL_COUNTS_LINES) || !defined(__OPTIMIZE__)
inline constexpr rlim_t cpu_seconds = 30;
#else
inline constexpr rlim_t cpu_seconds = 2;
#endif
#if defined(TRAMMEL_SANITIZED)
inline constexpr long peak_kilobytes = 4'000'000;
#else
inline constexpr long peak_kilobytes = 200 * 1024;
#endif

struct Outcome {
  bool ended = false;  // by itself, within the limits of CPU time
  long peak = 0;       // kB
  std::string messages;
};

// Reads in a child process; what it has to say comes back through a pipe.
inline Outcome once_in_child(const std::function<Diagnostics()>& read) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit limit{cpu_seconds, cpu_seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const std::string text = read().to_string();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const std::string report = fmt::format("{}\n{}", usage.ru_maxrss, text.substr(0, 50'000));
    const bool sent = ::write(ends[1], report.data(), report.size()) == static_cast<ssize_t>(report.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string report;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    report.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const std::size_t line = report.find('\n');
  if (line == std::string::npos) return outcome;
  outcome.peak = std::stol(report.substr(0, line));
  outcome.messages = report.substr(line + 1);
  return outcome;
}

// A machine shared with others may take twice the CPU time for a while: the best of three attempts counts.
inline Outcome in_child(const std::function<Diagnostics()>& read) {
  Outcome outcome = once_in_child(read);
  for (int again = 0; again < 2 && !outcome.ended; ++again) outcome = once_in_child(read);
  return outcome;
}

inline std::string repeat(const std::string& piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}
inline std::string numbered(std::size_t count, const std::function<std::string(std::size_t)>& line) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += line(i);
  return text;
}

}  // namespace trammel::test
