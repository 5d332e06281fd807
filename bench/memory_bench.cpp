// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How much memory a mechanism takes, and what is needed to compute with it: chains of hinges, and ladders and rings with loops, of n equal
// parts, n = 10 … 1000. Bytes in use are those that glibc's malloc counts. Prints a table and writes <date>_<cpu>_memory.csv.

#include <memory>

#include <fmt/format.h>
#include <malloc.h>

#include <trammel/batch.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/version.hpp>
#include <trammel/workspace.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"
#include "peers/scene.hpp"
#include "support/growing_loops.hpp"

namespace trammel::bench {
namespace {

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// Of what `make` gives, while it is there.
template <class Make>
double bytes_of(const Make& make) {
  const double before = bytes_in_use();
  const auto made = make();
  return bytes_in_use() - before;
}

int run(const std::string& folder, double) {
  const std::string path = results_path(folder, "_memory");
  CsvFile csv(path, {"date", "cpu", "kernel_level", "compiler", "trammel", "mechanism", "what", "parts", "bytes"});
  const auto add = [&](const char* mechanism, const char* what, int n, double bytes) {
    fmt::print("{:<10} {:<28} {:>6} {:>12.0f} {:>10.1f}\n", mechanism, what, n, bytes, bytes / n);
    csv.add({today(), cpu_name(), std::string(kernel_level()), compilers(), std::string(version()), mechanism, what,
             std::to_string(n), fmt::format("{:.0f}", bytes)});
  };
  fmt::print("{:<10} {:<28} {:>6} {:>12} {:>10}\n", "", "", "n", "bytes", "a part");
  for (const int n : {10, 30, 100, 300, 1000}) {
    const Model model = hinge_chain(n);
    add("chain", "mechanism", n, bytes_of([&] { return std::make_unique<Mechanism>(compile(model).mechanism); }));
    const Mechanism mech = compile(model).mechanism;
    add("chain", "workspace", n, bytes_of([&] { return std::make_unique<Workspace>(mech); }));
    add("chain", "workspace of all lanes", n, bytes_of([&] { return std::make_unique<Batch>(mech); }));
  }
  using Make = Model (*)(int);
  for (const auto& [name, make] : {std::pair<const char*, Make>("ladder", test::ladder), {"ring", test::ring}}) {
    for (const int n : {10, 30, 100, 300, 1000}) {
      const Mechanism mech = compile(make(n)).mechanism;
      const std::vector<double> q = design_state(mech).q, v(static_cast<std::size_t>(mech.nv)), tau(v.size());
      add(name, "loop dynamics, after a call", n, bytes_of([&] {
            auto dynamics = std::make_unique<LoopDynamics>(mech);
            std::vector<double> a(v.size());
            dynamics->forward(q, v, tau, a, {}, LoopMethod::elimination);
            return dynamics;
          }));
    }
  }
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("memory_bench", argc, argv, 0, trammel::bench::run);
}
