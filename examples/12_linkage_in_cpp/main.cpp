// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A four-bar built in a program: set the input, solve, draw.

#include <cstdio>
#include <fstream>

#include <trammel/trammel.hpp>

int main() {
  using namespace trammel;
  const Vec3d O2{0, 0, 0}, A{0, 0.04, 0}, B{0.12, 0.08, 0}, O4{0.1, 0, 0}, z{0, 0, 1}, P{0.06, 0.11, 0};

  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_body(model, name, 0, {}, {});
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at(O2, z));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at(A, z));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at(B, z));
  add_joint(model, "O4", Revolute{}, "rocker", "ground", frame_at(O4, z));
  const Mechanism mechanism = compile(model, {.for_dynamics = false}).mechanism;  // masses are not needed

  Driver crank;
  crank.joint = mechanism.find_joint("O2");
  LoopSolver solver(mechanism, {crank});
  std::vector<double> q = design_state(mechanism).q;

  PlaneCurve path{.name = "P"};
  for (int k = 0; k <= 72; ++k) {
    const Target input{.value = k * 5 * 3.14159265358979 / 180};  // set inputs
    if (!solver.assemble(q, {&input, 1}).closed()) return 1;      // solve
    compute_positions(mechanism, solver.workspace(), q);
    const Vec3d p = pose_WB(mechanism, solver.workspace(), mechanism.find_body("coupler")) * P;
    path.x.push_back(1000 * p.x), path.y.push_back(1000 * p.y);
    if (k % 18 == 0) std::printf("crank %3d deg: P at (%8.3f, %8.3f) mm\n", 5 * k, path.x.back(), path.y.back());
  }
  std::ofstream("coupler_curve.svg") << svg_plot(
      PlanePlot{.title = "Coupler curve", .x = {"x", "mm"}, .y = {"y", "mm"}, .curves = {path}});  // draw
}
