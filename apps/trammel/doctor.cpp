// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel doctor: which trammel this is, what it was built from, what machine it runs on, and whether it computes.

#include <cmath>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <unistd.h>

#include <trammel/batch.hpp>
#include <trammel/version.hpp>

#include "session.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

std::string cpu_name() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

// The x86-64 level the CPU reaches; the level of the kernels in use may be a lower one that was asked for.
std::string cpu_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd")) {
    return "x86-64-v4";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    return "x86-64-v3";
  }
  return "x86-64";
#else
  return "not x86-64";
#endif
}

std::string system_name() {
  utsname system{};
  return uname(&system) == 0 ? fmt::format("{} {} {}", system.sysname, system.release, system.machine) : "unknown";
}

// A physical pendulum released level: its acceleration is −m g c / I, I about the pivot.
double pendulum_error() {
  Model model;
  model.gravity = {0, -9.81, 0};
  add_body(model, "rod", 2.0, {0.5, 0, 0}, {0.001, 1.0 / 6, 1.0 / 6, 0, 0, 0});
  add_joint(model, "pivot", Revolute{}, "ground", "rod", frame_at({0, 0, 0}, {0, 0, 1}));
  const Mechanism mechanism = compile(model).mechanism;
  Workspace ws(mechanism);
  const State state = design_state(mechanism);
  const double tau[1] = {0};
  double a[1] = {0};
  const bool ok = forward_dynamics(mechanism, ws, state.q, state.v, tau, a).ok();
  const double expected = -2.0 * 9.81 * 0.5 / (1.0 / 6 + 2.0 * 0.25);
  return ok ? std::abs(a[0] - expected) / std::abs(expected) : INFINITY;
}

}  // namespace

void add_doctor(CommandLine& line) {
  Verb verb(line, "doctor", "what is installed here, and whether it computes");
  auto json = std::make_shared<bool>(false);
  verb.flag("--json", *json, "one JSON object on standard output");
  verb.footer("Example:\n  trammel doctor");
  verb.run([json] {
    const double error = pendulum_error();
    const bool healthy = error < 1e-14;
    if (*json) {
      const nlohmann::ordered_json report{{"version", version()},
                                          {"commit", git_commit()},
                                          {"build", build_type()},
                                          {"compiler", compiler()},
                                          {"system", system_name()},
                                          {"cpu", cpu_name()},
                                          {"cpu_level", cpu_level()},
                                          {"kernel_level", kernel_level()},
                                          {"lanes", lane_count()},
                                          {"threads", std::thread::hardware_concurrency()},
                                          {"self_test", {{"ok", healthy}, {"pendulum_relative_error", error}}}};
      fmt::print("{}\n", report.dump(2));
    } else {
      fmt::print("trammel {} ({}), {} build by {}\n", version(), git_commit(), build_type(), compiler());
      fmt::print("system     {}\n", system_name());
      fmt::print("processor  {}, {} threads, reaches {}\n", cpu_name(), std::thread::hardware_concurrency(),
                 cpu_level());
      fmt::print("kernels    {}, {} states side by side in lanes\n", kernel_level(), lane_count());
      fmt::print("self-test  pendulum: {} (relative error {})\n", healthy ? "ok" : "WRONG", number(error, 2));
    }
    return healthy ? done : negative_answer;
  });
}

}  // namespace trammel::tool
