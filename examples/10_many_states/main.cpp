// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How strong must the motors of an arm be? The torques that hold it in a hundred thousand random postures, computed for
// several postures at a time.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>

#include <trammel/trammel.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example MODEL\n";
    return 2;
  }
  const trammel::ReadResult read = trammel::read_model(argv[1]);
  const trammel::CompileResult compiled = trammel::compile(read.model);
  if (!read.ok() || !compiled.ok()) {
    std::cerr << read.diagnostics.to_string() << compiled.diagnostics.to_string();
    return 2;
  }
  const trammel::Mechanism& arm = compiled.mechanism;

  // Every joint within ±170°, by a small generator that is the same everywhere.
  const int postures = 100000;
  trammel::LaneArray q(arm.nq, postures), v(arm.nv, postures), a(arm.nv, postures), tau(arm.nv, postures);
  std::uint32_t random = 1;
  for (int state = 0; state < postures; ++state) {
    for (int i = 0; i < arm.nq; ++i) {
      random = random * 1664525u + 1013904223u;
      q(i, state) = (random / 2147483648.0 - 1.0) * 170.0 * 3.14159265358979 / 180.0;
    }
  }

  trammel::Batch(arm).inverse_dynamics(q, v, a, tau);  // v = a = 0: at rest

  std::cout << std::fixed << std::setprecision(3);
  for (int k = 0; k < arm.nv; ++k) {
    double largest = 0, squares = 0;
    for (int state = 0; state < postures; ++state) {
      largest = std::max(largest, std::abs(tau(k, state)));
      squares += tau(k, state) * tau(k, state);
    }
    std::cout << arm.dof_names[static_cast<std::size_t>(k)] << ": at most " << std::setw(7) << largest << " N m, "
              << std::setw(7) << std::sqrt(squares / postures) << " N m root mean square\n";
  }
}
