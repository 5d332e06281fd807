// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// No kernel allocates once the Workspace exists. This executable has its own operator new, which counts.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include <gtest/gtest.h>
#include <malloc.h>

#include <trammel/batch.hpp>
#include <trammel/chace.hpp>
#include <trammel/core/counted.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/core/series.hpp>
#include <trammel/derivatives.hpp>
#include <trammel/fluid_forces.hpp>
#include <trammel/lilly_orin.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/simulation.hpp>
#include <trammel/step_derivatives.hpp>

#include "support/custom_joints.hpp"
#include "support/growing_loops.hpp"
#include "support/prepared.hpp"
#include "support/random.hpp"

namespace {
std::atomic<long> allocations{0}, bytes_in_use{0};

void* counted_allocation(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  bytes_in_use += static_cast<long>(malloc_usable_size(memory));
  return memory;
}
void counted_release(void* memory) {
  bytes_in_use -= static_cast<long>(malloc_usable_size(memory));
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) { return counted_allocation(size); }
void* operator new[](std::size_t size) { return counted_allocation(size); }
void* operator new(std::size_t size, std::align_val_t boundary) {
  ++allocations;
  const auto to = static_cast<std::size_t>(boundary);
  void* memory = std::aligned_alloc(to, (size + to - 1) / to * to);
  if (memory == nullptr) throw std::bad_alloc();
  bytes_in_use += static_cast<long>(malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { counted_release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { counted_release(memory); }
// std::stable_sort asks for its buffer so.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted_allocation(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { counted_release(memory); }
void operator delete(void* memory) noexcept { counted_release(memory); }
void operator delete[](void* memory) noexcept { counted_release(memory); }
void operator delete(void* memory, std::size_t) noexcept { counted_release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { counted_release(memory); }

namespace trammel {
namespace {

using test::Prepared;

template <class Work>
void expect_no_allocation(const char* name, Work work) {
  const long before = allocations;
  work();
  EXPECT_EQ(allocations - before, 0) << name;
}

template <class T>
std::vector<T> as(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <class T>
void expect_kernels_do_not_allocate(Prepared& p) {
  const Mechanism& m = p.mechanism;
  BasicWorkspace<T> ws(m);
  const std::vector<T> q = as<T>(p.q), v = as<T>(p.v), a = as<T>(p.a), tau = as<T>(p.tau);
  std::vector<T> found(p.nv()), found_tau(p.nv()), M(p.nv() * p.nv()), M2(M), M3(M), J(6 * p.nv());
  const std::vector<char> prescribed(p.nv(), 1);
  std::vector<Force<T>> wrench(p.model.bodies.size()), bias(wrench);
  std::vector<ArticulatedInertia<T>> inertia(wrench.size());
  const std::vector<T> dof_inertia(p.nv(), T(0.1));
  const BasicLoads<T> loads{wrench.data(), inertia.data(), bias.data(), dof_inertia.data(), true};
  const int tip = m.body_count() - 1;

  expect_no_allocation("compute_positions", [&] { compute_positions(m, ws, q); });
  expect_no_allocation("compute_velocities", [&] { compute_velocities(m, ws, q, v); });
  expect_no_allocation("compute_accelerations", [&] { compute_accelerations(m, ws, q, v, a); });
  expect_no_allocation("compute_motion_rates", [&] { compute_motion_rates(m, ws, q, v); });
  expect_no_allocation("compute_inertias", [&] { compute_inertias(m, ws); });
  expect_no_allocation("bodies", [&] {
    pose_WB(m, ws, tip);
    velocity_W(m, ws, tip);
    acceleration_W(m, ws, tip);
  });
  expect_no_allocation("Jacobians", [&] {
    jacobian_W<T>(m, ws, tip, {}, J);
    jacobian_B<T>(m, ws, tip, {}, J);
    jacobian_rate_W<T>(m, ws, tip, {}, J);
    jacobian_rate_B<T>(m, ws, tip, {}, J);
  });
  expect_no_allocation("loads", [&] {
    add_wrench<T>(m, ws, tip, {}, {}, wrench);
    add_inertia<T>(m, ws, tip, {}, inertia);
  });
  for (const BasicLoads<T>& with : {BasicLoads<T>{}, loads}) {
    expect_no_allocation("forward_dynamics", [&] { forward_dynamics(m, ws, q, v, tau, found, with); });
    expect_no_allocation("inverse_dynamics", [&] { inverse_dynamics(m, ws, q, v, a, found, with); });
    expect_no_allocation("hybrid_dynamics", [&] { hybrid_dynamics(m, ws, q, v, prescribed, found, found_tau, with); });
    expect_no_allocation("mass_matrix", [&] { mass_matrix(m, ws, q, M, with); });
    expect_no_allocation("inverse_dynamics_derivatives", [&] {
      inverse_dynamics_derivatives<T>(m, ws, q, v, a, found, {M, M2, M3}, with);
    });
    expect_no_allocation("forward_dynamics_derivatives", [&] {
      forward_dynamics_derivatives<T>(m, ws, q, v, tau, found, {M, M2, M3}, with);
    });
    expect_no_allocation("bias_forces", [&] { bias_forces(m, ws, q, v, found, with); });
  }
  expect_no_allocation("gravity_forces", [&] { gravity_forces(m, ws, q, found); });
  expect_no_allocation("friction_forces", [&] { friction_forces(m, ws, v, found); });
  expect_no_allocation("compute_energy", [&] { compute_energy(m, ws, v); });
  expect_no_allocation("compute_momentum", [&] { compute_momentum(m, ws); });
  if constexpr (std::is_same_v<T, double>) {
    std::vector<Force<double>> reactions(m.joints.size());
    std::vector<double> stepped(p.q.size());
    expect_no_allocation("compute_reactions", [&] { compute_reactions(m, ws, reactions, loads); });
    expect_no_allocation("step_coordinates", [&] { step_coordinates(m, q, v, stepped); });
  }
}

// A tree with servos, a motor, friction that sticks and slips, springs at joints, stops, a ball: once it runs, no step of a fixed length
// allocates, nor does the end of a run. Events may, where something happens.
TEST(Allocations, none_in_fixed_steps) {
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::semi_implicit, Integrator::midpoint, Integrator::implicit}) {
    Model model;
    std::string before(ground_name);
    for (int i = 0; i < 4; ++i) {
      const std::string name = "link " + std::to_string(i);
      add_body(model, name, 1, {0.2, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}, Transformd::translation({0.4 * i, 0, 0}));
      const AnyJoint type = i == 3 ? AnyJoint(Spherical{}) : AnyJoint(Revolute{});
      Joint& joint =
          add_joint(model, "joint " + std::to_string(i), type, before, name, Transformd::translation({0.4 * i, 0, 0}));
      before = name;
      if (i == 3) break;
      joint.properties.viscous = {0.1}, joint.properties.armature = {0.01};
      joint.properties.dry = {i == 1 ? 1000.0 : 0.01};                                 // one sticks for ever
      joint.properties.lower = {-3}, joint.properties.upper = {i == 2 ? -0.01 : 3.0};  // one pushes against its stop
      joint.properties.limit_stiffness = {100}, joint.properties.limit_damping = {10};
      model.springs.push_back({});
      model.springs.back().name = name, model.springs.back().joint = joint.name, model.springs.back().stiffness = 3;
      Actuator servo;
      servo.name = name, servo.joint = joint.name, servo.stiffness = 10, servo.damping = 1,
      servo.target = {Profile(1.0)};
      servo.kind = i == 0 ? Actuator::Kind::dc_motor : Actuator::Kind::position;
      servo.motor.torque_constant = servo.motor.back_emf = 0.1, servo.motor.inductance = 0.1;
      model.actuators.push_back(servo);
    }
    const Mechanism mech = test::compiled(model);
    int rows = 0, samples = 0;
    SimulationOptions options{.until = 1, .step = 1e-3, .integrator = integrator};
    options.record = [&rows](const Moment&) { ++rows; };
    options.sample = [&samples](const Moment&) { ++samples; };
    options.at = {0.10301, 0.10302};
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run(0.1);
    ASSERT_TRUE(report.ok()) << keyword(integrator) << ": " << report.text;
    const std::uint64_t events = report.event_count;
    expect_no_allocation(keyword(integrator).data(), [&] { simulation.run(0.12); });
    EXPECT_EQ(simulation.run(0.12).event_count, events);  // otherwise the test says nothing
    EXPECT_GT(rows, 120) << keyword(integrator);
    EXPECT_EQ(samples, 2);
  }
}

// A block with dry friction in its joint, which touches, slips and sticks on the ground.
TEST(Allocations, none_in_differentiated_steps) {
  const Model model = test::random_model(3, {.bodies = 12, .floating = 1, .friction = true});
  const test::Prepared p(model, test::random_states(model, 4));
  const std::size_t n = p.nv();
  std::vector<double> q(p.q), v(p.v), A(4 * n * n), B(2 * n * n);
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit, Integrator::implicit}) {
    DifferentiatedStep step(p.mechanism, integrator, 1e-3);
    expect_no_allocation(keyword(integrator).data(), [&] { step.advance(p.q, p.v, p.tau, q, v, {A, B}); });
  }
}

TEST(Allocations, none_in_implicit_steps_with_contacts) {
  Model model;
  add_body(model, "block", 2, {}, {0.02, 0.02, 0.02, 0, 0, 0}, {Mat3d::identity(), {0, 0, 0.11}});
  add_body(model, "arm", 0.5, {0.1, 0, 0}, {0.002, 0.002, 0.002, 0, 0, 0}, {Mat3d::identity(), {0, 0, 0.2}});
  add_joint(model, "base", Free{}, "ground", "block", {Mat3d::identity(), {0, 0, 0.11}}).v_initial = {0,   0, 0.3,
                                                                                                      0.5, 0, 0};
  add_joint(model, "hinge", Revolute{}, "block", "arm", frame_at({0, 0, 0.2}, {0, 1, 0})).properties.dry = {0.1};
  model.terrain.kind = Terrain::Kind::plane;
  model.terrain.material = "floor";
  ContactMaterial floor;
  floor.name = "floor";
  floor.stiffness = 1e5;
  floor.dissipation = 0.5;
  floor.friction_static = floor.friction_kinetic = 0.4;
  model.materials = {floor};
  ContactShape feet;
  feet.name = "feet";
  feet.body = "block";
  feet.points = {{0.2, 0.2, -0.1}, {0.2, -0.2, -0.1}, {-0.2, 0.2, -0.1}, {-0.2, -0.2, -0.1}};
  model.contacts = {feet};
  const Mechanism mech = test::compiled(model);
  Simulation simulation(mech, {.until = 2, .step = 1e-3, .integrator = Integrator::implicit});
  ASSERT_TRUE(simulation.run(0.01).ok());
  expect_no_allocation("implicit steps with contacts", [&] { simulation.run(1); });
}

// Two arms of so many hinges hold a floating body by balls: with two hinges K is singular, and ranks are decided.
TEST(Allocations, none_in_closed_chains) {
  for (const int hinges : {2, 6}) {
    Model model;
    add_body(model, "object", 1, {}, {1, 1, 1, 0, 0, 0});
    add_joint(model, "float", Free{}, "ground", "object", {});
    test::Random random(1);
    for (const std::string arm : {"left ", "right "}) {
      std::string before(ground_name);
      for (int i = 0; i < hinges; ++i) {
        const std::string name = arm + std::to_string(i);
        add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0}, random.pose());
        add_joint(model, name, Revolute{}, before, name, random.pose());
        before = name;
      }
      add_joint(model, arm + "tip", Spherical{}, before, "object", random.pose()).cut = true;
    }
    const Mechanism mechanism = test::compiled(model);
    const Star star = find_star(mechanism);
    LillyOrin solver(mechanism, star);
    BasicLillyOrin<Counted> counted(mechanism, star);
    const std::vector<double> q = design_state(mechanism).q, v(static_cast<std::size_t>(mechanism.nv)),
                              tau(v.size(), 0.1);
    const std::vector<Counted> q_counted = as<Counted>(q), v_counted = as<Counted>(v), tau_counted = as<Counted>(tau);
    std::vector<double> a(v.size());
    std::vector<Counted> a_counted(v.size());
    StarReport report;
    expect_no_allocation("LillyOrin", [&] { report = solver.forward_dynamics(q, v, tau, a); });
    EXPECT_EQ(report.held > 0, hinges == 2);
    expect_no_allocation("LillyOrin, counted",
                         [&] { counted.forward_dynamics(q_counted, v_counted, tau_counted, a_counted); });
  }
}

// Elimination and Lilly and Orin's method; with closures let go and taken up again. The dense method allocates.
TEST(Allocations, none_in_loops) {
  Model model;
  const std::string ground_body(ground_name);
  add_body(model, "a", 1, {0.3, 0, 0}, {0.1, 0.2, 0.3, 0, 0, 0});
  add_body(model, "b", 1, {1, 0.4, 0}, {0.1, 0.2, 0.3, 0, 0, 0});
  add_body(model, "c", 1, {2, 0.3, 0}, {0.1, 0.2, 0.3, 0, 0, 0});
  add_joint(model, "1", Revolute{}, ground_body, "a", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "2", Revolute{}, "a", "b", frame_at({0.5, 0.5, 0}, {0, 0, 1}));
  add_joint(model, "3", Revolute{}, "b", "c", frame_at({2, 1, 0}, {0, 0, 1}));
  add_joint(model, "4", Revolute{}, "c", ground_body, frame_at({2, 0, 0}, {0, 0, 1})).cut = true;
  for (const bool with_friction : {false, true}) {
    if (with_friction) model.joints.back().properties.viscous = model.joints.back().properties.armature = {0.2};
    const Mechanism mechanism = test::compiled(model);
    LoopDynamics dynamics(mechanism);
    const std::vector<double> q = design_state(mechanism).q, v(3), tau(3, 0.1);
    std::vector<double> a(3);
    LoopVerdict verdict;
    const auto expect_none = [&](const char* what, LoopMethod method) {
      expect_no_allocation(what, [&] { verdict = dynamics.forward(q, v, tau, a, {}, method); });
      EXPECT_TRUE(verdict.ok()) << what;
    };
    expect_none("elimination", LoopMethod::elimination);
    expect_none("automatic", LoopMethod::automatic);
    EXPECT_EQ(verdict.method, with_friction ? LoopMethod::elimination : LoopMethod::star);
    expect_no_allocation("set_active", [&] {
      dynamics.set_active(ConstraintRow::Source::joint, 3, false);
      verdict = dynamics.forward(q, v, tau, a);
      dynamics.set_active(ConstraintRow::Source::joint, 3, true);
    });
    EXPECT_EQ(verdict.method, LoopMethod::elimination);
  }
}

TEST(Allocations, are_counted_here) {
  const long before = allocations;
  delete new int(1);
  const std::vector<double> numbers(10);
  EXPECT_GE(allocations - before, 1) << "of the vector; the pair of new and delete may be optimised away";
}

TEST(Allocations, none_in_the_kernels) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model model = test::random_model(seed, {.bodies = 20, .friction = true, .armature = true});
    Prepared p(model, test::random_states(model, seed));
    expect_kernels_do_not_allocate<double>(p);
    expect_kernels_do_not_allocate<Dual>(p);
    expect_kernels_do_not_allocate<Counted>(p);
  }
}

TEST(Allocations, none_with_custom_joints) {
  Model model = test::random_model(3, {.bodies = 6});
  for (Joint& joint : model.joints) joint.type = Custom{std::make_shared<test::YawPitchRoll>()};
  Prepared p(model, test::random_states(model, 3));
  expect_kernels_do_not_allocate<double>(p);
}

// At random, and at a dead point, where Newton's method takes its other way.
TEST(Allocations, none_in_chaces_cases) {
  using namespace chace;
  test::Random random(1);
  const auto arm = [&] { return Arm{cone_about(axes_about(random.direction()), random.uniform(0.3, 2.8)), 1}; };
  const Arm r = arm(), s = arm(), t = arm();
  const Arm about_x{cone_about(axes_about({1, 0, 0}), 1.2), 1}, about_y{cone_about(axes_about({0, 1, 0}), 1.2), 1};
  const Vec3d at_random = -(vector_at(r, 1).v + vector_at(s, 2).v + vector_at(t, 3).v);
  const Vec3d at_dead_point = -(vector_at(about_x, 0).v + vector_at(about_y, 0).v + vector_at(about_x, 0).v);
  const Vec3d &u = r.cone.axes.w, &v = s.cone.axes.w, &w = t.cone.axes.w;
  for (const Vec3d& C : {at_random, at_dead_point}) {
    expect_no_allocation("case 1", [&] { case1(C); });
    expect_no_allocation("case 2", [&] { case2(r.cone, v, C); });
    expect_no_allocation("case 3", [&] { case3(r.cone, s, C); });
    expect_no_allocation("case 4", [&] { case4(1, v, C); });
    expect_no_allocation("case 5", [&] { case5(1, s, C); });
    expect_no_allocation("case 6", [&] { case6(u, v, w, C); });
    expect_no_allocation("case 7", [&] { case7(u, v, t, C); });
    expect_no_allocation("case 8", [&] { case8(u, s, t, C); });
    expect_no_allocation("case 9", [&] { case9(r, s, t, C); });
    expect_no_allocation("case 8", [&] { case8({0, 0, 1}, about_x, about_y, C); });
    expect_no_allocation("case 9", [&] { case9(about_x, about_y, about_x, C); });
    expect_no_allocation("two dot products", [&] { solve_two_dots(u, 0.1, v, 0.2, 1); });
  }
  EXPECT_TRUE(std::ranges::any_of(case9(about_x, about_y, about_x, at_dead_point), &Solution::double_root));
}

TEST(Allocations, none_in_expressions) {
  const std::vector<std::string> names{"t"};
  for (const char* text : {"20*sin(2*pi*t) + if(t < 1, 0, ramp(t, 1, 2))", "t+(t+(t+(t+(t+(t+(t+(t+(t+t^2))))))))"}) {
    const auto expression = std::get<Expression>(Expression::parse(text, names));
    const std::vector<double> number{0.5};
    const std::vector<Series<4>> series{Series<4>::time(0.5)};
    expect_no_allocation(text, [&] { expression.evaluate<double>(number); });
    expect_no_allocation(text, [&] { expression.evaluate<Series<4>>(series); });
  }
}

TEST(Allocations, none_in_fluid) {
  for (const bool cut : {false, true}) {
    Model model;
    model.fluid.media = {{.density = 1000}};
    if (cut) {
      model.fluid.media[0].surface = 0.05;
      model.fluid.media.push_back({.name = "air", .density = 1.2});
      model.fluid.waves = {{.height = 0.1, .period = 4}};
    }
    std::string before(ground_name);
    for (const Shape::Kind kind :
         {Shape::Kind::cylinder, Shape::Kind::box, Shape::Kind::sphere, Shape::Kind::capsule, Shape::Kind::ellipsoid}) {
      Shape s;
      s.kind = kind;
      s.radius = 0.1, s.length = 0.3, s.size = {0.2, 0.3, 0.1};
      const std::string name(keyword(kind));
      Body& body = add_body(model, name, 1, {0.1, 0, 0}, {0.1, 0.1, 0.1});
      body.shapes = {s};
      Fin fin;
      fin.name = "fin", fin.area = 0.01;
      body.in_fluid->fins = {fin};
      body.in_fluid->linear = Hydrodynamics::Matrix{};
      add_joint(model, name, Spherical{}, before, name, {});
      before = name;
    }
    const Mechanism mech = compile(model).mechanism;
    Workspace ws(mech);
    FluidForces fluid(mech);
    std::vector<ArticulatedInertia<double>> inertia(mech.bodies.size());
    std::vector<Force<double>> bias(mech.bodies.size());
    State s = initial_state(mech);
    for (double& v : s.v) v = 0.3;
    compute_velocities(mech, ws, s.q, s.v);
    expect_no_allocation("FluidForces", [&] { fluid.clear_and_add(mech, ws, 0.3, inertia, bias); });
    expect_no_allocation("FluidForces, implicit", [&] { fluid.clear_and_add(mech, ws, 0.3, inertia, bias, 0.01); });
    expect_no_allocation("FluidForces::input", [&] { fluid.input(mech, ws); });
  }
}

template <class Make>
double bytes_of(const Make& make) {
  const long before = bytes_in_use;
  const auto made = make();
  return static_cast<double>(bytes_in_use - before);
}

Model chain_of_hinges(int n) {
  Model model;
  std::string before(ground_name);
  for (int i = 0; i < n; ++i) {
    const std::string name = test::numbered("stick", i);
    test::add_stick(model, name, {0.1 * i, 0, 0}, {0.1 * (i + 1), 0, 0});
    add_joint(model, name, Revolute{}, before, name, frame_at({0.1 * i, 0, 0}, {0, 0, 1}));
    before = name;
  }
  return model;
}

// Ten times the parts take ten times the memory, but for what does not depend on them and for what vectors keep in reserve.
TEST(Memory, grows_as_the_number_of_bodies) {
  const auto each = [](const char* what, const auto& bytes) {
    const double small = bytes(100), large = bytes(1000);
    EXPECT_LT(large, 13 * small) << what;
    EXPECT_GT(large, 5 * small) << what;
  };
  const auto chain = [](int n) { return compile(chain_of_hinges(n)).mechanism; };
  each("mechanism", [&](int n) { return bytes_of([&] { return std::make_unique<Mechanism>(chain(n)); }); });
  each("workspace", [&](int n) {
    const Mechanism mech = chain(n);
    return bytes_of([&] { return std::make_unique<Workspace>(mech); });
  });
  each("lanes", [&](int n) {
    const Mechanism mech = chain(n);
    return bytes_of([&] { return std::make_unique<Batch>(mech); });
  });
  each("loops", [&](int n) {
    const Mechanism mech = compile(test::ladder(n)).mechanism;
    const std::vector<double> q = design_state(mech).q, v(static_cast<std::size_t>(mech.nv)), tau(v.size());
    std::vector<double> a(v.size());
    return bytes_of([&] {
      auto dynamics = std::make_unique<LoopDynamics>(mech);
      EXPECT_TRUE(dynamics->forward(q, v, tau, a, {}, LoopMethod::elimination).ok());
      return dynamics;
    });
  });
}

}  // namespace
}  // namespace trammel
