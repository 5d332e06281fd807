// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What bounds the kernels on this machine, measured beside them in one run:
//   forward dynamics in lanes  the arithmetic of a hinge as machine instructions that wait for nothing, on full registers, first alone
//                              and then with the loads and stores that the algorithm cannot do without; at four lanes also with
//                              all that the kernel does, moves for want of registers and integers included, still waiting for nothing;
//                              and the kernel on links that do not wait for each other, each on its own on the ground or beside others on a body;
//   the mass matrix of a long chain  writing as many numbers, and nothing else.
// Instructions are written out, since a compiler would choose others. Prints a table.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include <trammel/batch.hpp>

#include "machine.hpp"
#include "peers/implementation.hpp"
#include "stopwatch.hpp"

namespace trammel::bench {
namespace {

// A sixteenth of a hinge: in all 208 fused multiply-adds, 128 multiplications and 112 additions, as the kernel of level x86-64-v4 has them
// (sines and cosines, turned inertia, force, U, D and the update of the parent), and 160 loads and 80 stores: pose, velocity and
// acceleration out and back, the articulated inertia and force once each way, H, Y and accelerations.
#define FMA(r, i) "vfmadd231pd %%" r "14,%%" r "15,%%" r #i "\n\t"
#define MUL(r, i) "vmulpd %%" r "14,%%" r "15,%%" r #i "\n\t"
#define ADD(r, i) "vaddpd %%" r "14,%%" r #i ",%%" r #i "\n\t"
#define LOAD(r, i) "vmovapd " #i "*64(%0),%%" r "13\n\t"
#define STORE(r, i) "vmovapd %%" r "15,1024+" #i "*64(%0)\n\t"
#define FOUR(what, r, a, b, c, d) what(r, a) what(r, b) what(r, c) what(r, d)
#define ARITHMETIC(r)          \
  FOUR(FMA, r, 0, 1, 2, 3)     \
  FOUR(MUL, r, 8, 9, 8, 9)     \
  FOUR(FMA, r, 4, 5, 6, 7)     \
  FOUR(ADD, r, 10, 11, 12, 10) \
  FOUR(FMA, r, 0, 1, 2, 3) FOUR(MUL, r, 8, 9, 8, 9) FMA(r, 4) ADD(r, 11) ADD(r, 12) ADD(r, 10)
#define WITH_MEMORY(r)         \
  FOUR(FMA, r, 0, 1, 2, 3)     \
  FOUR(LOAD, r, 0, 1, 2, 3)    \
  FOUR(MUL, r, 8, 9, 8, 9)     \
  STORE(r, 0)                  \
  FOUR(FMA, r, 4, 5, 6, 7)     \
  FOUR(ADD, r, 10, 11, 12, 10) \
  STORE(r, 1)                  \
  LOAD(r, 4)                   \
  STORE(r, 2)                  \
  FOUR(FMA, r, 0, 1, 2, 3)     \
  FOUR(LOAD, r, 5, 6, 7, 8)    \
  FOUR(MUL, r, 8, 9, 8, 9) STORE(r, 3) FMA(r, 4) ADD(r, 11) ADD(r, 12) ADD(r, 10) LOAD(r, 9) STORE(r, 4)
// As the kernel of level x86-64-v3 does it, counted by callgrind on a chain: 336 loads and operands in memory, 208 stores (124 of them to
// registers' places on the stack), 176 instructions on integers.
#define INTEGER "lea 1(%%rax),%%rcx\n\t"
#define ALL_OF_IT(r)                                                                             \
  FOUR(FMA, r, 0, 1, 2, 3)                                                                       \
  FOUR(LOAD, r, 0, 1, 2, 3)                                                                      \
  STORE(r, 0)                                                                                    \
  INTEGER STORE(r, 1) INTEGER FOUR(MUL, r, 8, 9, 8, 9) STORE(r, 2) INTEGER LOAD(r, 4) LOAD(r, 5) \
      FOUR(FMA, r, 4, 5, 6, 7) STORE(r, 3) INTEGER                                               \
      FOUR(LOAD, r, 6, 7, 8, 9) STORE(r, 4) INTEGER                                              \
      FOUR(ADD, r, 10, 11, 12, 10) STORE(r, 5) INTEGER                                           \
      STORE(r, 6) INTEGER                                                                        \
      FOUR(LOAD, r, 0, 1, 2, 3) FOUR(FMA, r, 0, 1, 2, 3) STORE(r, 7) INTEGER                     \
      STORE(r, 8) INTEGER                                                                        \
      FOUR(LOAD, r, 4, 5, 6, 7) FOUR(MUL, r, 8, 9, 8, 9) STORE(r, 9) INTEGER                     \
      STORE(r, 10) INTEGER                                                                       \
      LOAD(r, 8) LOAD(r, 9) LOAD(r, 0) FMA(r, 4) ADD(r, 11) ADD(r, 12) ADD(r, 10) STORE(r, 11) STORE(r, 12)
#define REPEAT(body)                                                                                                \
  for (int i = 0; i < 16 * bodies; ++i) {                                                                           \
    asm volatile(body                                                                                               \
                 :                                                                                                  \
                 : "r"(memory)                                                                                      \
                 : "memory", "rcx", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                                           \
  }

void arithmetic(int bodies, double* memory) {
  if (lane_count() == 8) {
    REPEAT(ARITHMETIC("zmm"))
  } else {
    REPEAT(ARITHMETIC("ymm"))
  }
  asm volatile("vzeroupper");
}
void arithmetic_with_memory(int bodies, double* memory) {
  if (lane_count() == 8) {
    REPEAT(WITH_MEMORY("zmm"))
  } else {
    REPEAT(WITH_MEMORY("ymm"))
  }
  asm volatile("vzeroupper");
}

// Only where there are 16 registers.
void all_of_it(int bodies, double* memory) {
  REPEAT(ALL_OF_IT("ymm"))
  asm volatile("vzeroupper");
}

// Hinges that do not wait for each other: on the ground, or all on one body that floats.
Model separate_hinges(int count, bool on_body) {
  const Model chain = hinge_chain(count);
  Model model;
  model.gravity = chain.gravity;
  if (on_body) {
    model.bodies.push_back(chain.bodies.front());
    model.bodies.back().name = "body";
    add_joint(model, "float", Free{}, std::string(ground_name), "body", {});
  }
  for (int i = 0; i < count; ++i) {
    model.bodies.push_back(chain.bodies[static_cast<std::size_t>(i)]);
    Joint joint = chain.joints[static_cast<std::size_t>(i)];
    joint.first = on_body ? "body" : std::string(ground_name);
    model.joints.push_back(joint);
  }
  return model;
}

void print(const char* what, double number, const char* unit) {
  fmt::print("{:<58} {:>8.2f} {}\n", what, number, unit);
}

void forward_in_lanes() {
  if (lane_count() < 4) {
    fmt::print("arithmetic of a hinge: only for x86-64-v3 and v4\n");
    return;
  }
  constexpr int bodies = 10;
  constexpr int many = 30;
  const Scene scene = make_scene("chain10", hinge_chain(bodies)), chain = make_scene("chain30", hinge_chain(many)),
              apart = make_scene("apart", separate_hinges(many, false)),
              beside = make_scene("beside", separate_hinges(many, true));
  const ImplementationPtr lanes = make_lanes(scene), lanes_chain = make_lanes(chain), lanes_apart = make_lanes(apart),
                          lanes_beside = make_lanes(beside);
  alignas(64) static double memory[8 * 64];
  const auto blocks = [](void (*work)(int, double*)) {
    return [work](int, int count) {
      for (int done = 0; done < count; done += lane_count()) work(bodies, memory);
    };
  };
  const auto forward = [](const ImplementationPtr& it) {
    return tool::Job{[&it](int first, int count) { it->run(Algorithm::forward, first, count); },
                     it->block(Algorithm::forward)};
  };
  std::vector<tool::Job> jobs = {{blocks(arithmetic), lane_count()},
                                 {blocks(arithmetic_with_memory), lane_count()},
                                 forward(lanes),
                                 forward(lanes_chain),
                                 forward(lanes_apart),
                                 forward(lanes_beside)};
  if (lane_count() == 4) jobs.push_back({blocks(all_of_it), 4});
  const std::vector<tool::Timing> times = tool::time_in_turns(jobs, {});
  const char* const unit = "ns a body and state";
  fmt::print("forward dynamics in lanes, chain10\n");
  print("  arithmetic of a hinge alone", times[0].least_ns / bodies, unit);
  print("  and its loads and stores", times[1].least_ns / bodies, unit);
  if (lane_count() == 4) print("  and all other instructions of the kernel", times[6].least_ns / bodies, unit);
  print("  forward_dynamics", times[2].least_ns / bodies, unit);
  fmt::print("forward_dynamics of 30 hinges\n");
  print("  in a chain", times[3].least_ns / many, unit);
  print("  each on the ground", times[4].least_ns / many, unit);
  print("  all on one floating body, that included", times[5].least_ns / (many + 1), unit);
}

void mass_matrix_of_long_chain() {
  const Scene scene = make_scene("chain1000", hinge_chain(1000));
  const ImplementationPtr one = make_one_state(scene);
  std::vector<double> matrix(1000 * 1000);
  const auto write = [&](int, int count) {
    for (int i = 0; i < count; ++i) std::fill(matrix.begin(), matrix.end(), static_cast<double>(i));
  };
  const std::vector<tool::Timing> times = tool::time_in_turns(
      {{write, 1}, {[&](int first, int count) { one->run(Algorithm::mass, first, count); }, 1}}, {});
  fmt::print("mass matrix, chain1000\n");
  print("  writing 1000 × 1000 numbers", times[0].least_ns * 1e-3, "µs");
  print("  mass_matrix", times[1].least_ns * 1e-3, "µs");
}

}  // namespace
}  // namespace trammel::bench

int main() {
  using namespace trammel::bench;
  fmt::print("{}, {:.2f} GHz, kernels {}, {} lanes\n\n", cpu_name(), clock_ghz(), trammel::kernel_level(),
             trammel::lane_count());
  forward_in_lanes();
  mass_matrix_of_long_chain();
  return 0;
}
