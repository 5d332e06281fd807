// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What G* at the hand of a floating arm costs beside the arm's forward dynamics, over the number of joints; one thread, in turns. Prints a
// table and writes <date>_<cpu>_floating.csv.

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/dynamics.hpp>
#include <trammel/mobility.hpp>
#include <trammel/version.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"
#include "stopwatch.hpp"
#include "support/floating_arm.hpp"

namespace trammel::bench {
namespace {

int run(const std::string& folder, double seconds) {
  const std::string path = results_path(folder, "_floating");
  CsvFile csv(path, {"date", "cpu", "clock_ghz", "kernel_level", "compiler", "trammel", "joints", "forward_ns",
                     "forward_ns_median", "mobility_ns", "mobility_ns_median"});
  fmt::print("{:>7} {:>14} {:>10} {:>10} {:>12}\n", "joints", "forward ns", "G* ns", "ratio", "G* ns a joint");
  for (const int joints : {7, 14, 28, 56, 112, 224, 448}) {
    const Mechanism mech = compile(test::floating_arm(joints)).mechanism;
    Workspace ws(mech), other(mech);
    std::vector<double> q = design_state(mech).q, v(static_cast<std::size_t>(mech.nv)), tau(v.size()), a(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.1 * std::sin(1.0 + static_cast<double>(k));
    for (std::size_t k = 7; k < q.size(); ++k) q[k] = 0.3 * std::sin(2.0 + static_cast<double>(k));
    std::vector<double> G(36);
    const int hand = mech.body_count() - 1;
    const auto times = tool::time_in_turns({{[&](int, int count) {
                                              while (count-- > 0) {
                                                if (!forward_dynamics<double>(mech, ws, q, v, tau, a).ok())
                                                  throw std::runtime_error("no acceleration");
                                              }
                                            }},
                                            {[&](int, int count) {
                                              while (count-- > 0) {
                                                if (!compute_mobility<double>(mech, other, q, hand, {}, G).ok())
                                                  throw std::runtime_error("no G*");
                                              }
                                            }}},
                                           {.seconds_per_job = seconds});
    const double forward = times[0].least_ns, mobility = times[1].least_ns;
    fmt::print("{:>7} {:>14.0f} {:>10.0f} {:>10.2f} {:>12.1f}\n", joints, forward, mobility, mobility / forward,
               mobility / joints);
    csv.add({today(), cpu_name(), fmt::format("{:.2f}", clock_ghz()), std::string(kernel_level()), compilers(),
             std::string(version()), std::to_string(joints), fmt::format("{:.1f}", forward),
             fmt::format("{:.1f}", times[0].median_ns), fmt::format("{:.1f}", mobility),
             fmt::format("{:.1f}", times[1].median_ns)});
  }
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("floating_bench", argc, argv, 0.5, trammel::bench::run);
}
