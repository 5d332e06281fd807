// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reads a model file; finds the torques that hold its initial posture, how they change with each coordinate (by dual
// numbers, no differences), and what the forward dynamics costs (by counting numbers).

#include <cmath>
#include <cstdio>

#include <trammel/trammel.hpp>

namespace {

using trammel::Dual;

// dτ/dq of one coordinate: seed its ε part, run the same function, read the ε parts.
std::vector<double> stiffness_column(const trammel::Mechanism& arm, const std::vector<double>& q, std::size_t column) {
  trammel::BasicWorkspace<Dual> ws(arm);
  std::vector<Dual> q_dual(q.begin(), q.end()), g(arm.nv);
  q_dual[column].eps = 1;
  trammel::gravity_forces<Dual>(arm, ws, q_dual, g);
  std::vector<double> result;
  for (const Dual& x : g) result.push_back(x.eps);
  return result;
}

void print_row(const char* name, const std::vector<double>& row) {
  std::printf("%-8s", name);
  for (const double x : row) std::printf(" %9.4f", std::abs(x) < 5e-5 ? 0.0 : x);  // no "-0.0000"
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: example MODEL.yaml\n");
    return 2;
  }
  const trammel::ReadResult read = trammel::read_model(argv[1]);
  const trammel::CompileResult compiled = trammel::compile(read.model);
  if (!read.ok() || !compiled.ok()) {
    std::fprintf(stderr, "%s%s", read.diagnostics.to_string().c_str(), compiled.diagnostics.to_string().c_str());
    return 2;
  }
  const trammel::Mechanism& arm = compiled.mechanism;
  const trammel::State state = trammel::initial_state(arm);

  trammel::Workspace ws(arm);
  std::vector<double> g(arm.nv);
  trammel::gravity_forces(arm, ws, state.q, g);
  print_row("tau", g);
  for (int k = 0; k < arm.nv; ++k) {
    print_row(arm.dof_names[k].c_str(), stiffness_column(arm, state.q, static_cast<std::size_t>(k)));
  }

  using trammel::Counted;
  trammel::BasicWorkspace<Counted> counting(arm);
  const std::vector<Counted> q(state.q.begin(), state.q.end()), v(arm.nv), tau(arm.nv);
  std::vector<Counted> a(arm.nv);
  Counted::reset_operations();
  const bool solved = trammel::forward_dynamics<Counted>(arm, counting, q, v, tau, a).ok();
  const trammel::OperationCount count = Counted::operations();
  std::printf("forward dynamics: %ld multiplications, %ld additions\n", count.multiplications, count.additions);
  return solved ? 0 : 1;
}
