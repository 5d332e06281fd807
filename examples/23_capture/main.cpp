// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Chase, catch and de-tumble of a satellite by another with an arm, in three phases:
//   1  the hand goes after the target's fixture, by resolved rates: q̇ from J* and what the momentum does by itself
//   2  it takes hold: velocities jump
//   3  the joints are damped until the two move as one; then wheels take up the angular momentum, which joints cannot remove

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>

#include <trammel/trammel.hpp>

using namespace trammel;

constexpr double closing_speed = 0.1;  // m/s, of the hand towards the fixture
constexpr double damping_time = 3;     // s, of the joints alone
constexpr double wheel_gain = 150;     // N m s/rad
constexpr std::array arm_joints{"yaw", "shoulder", "elbow", "roll", "pitch", "twist"};

// A x = b, A by its columns, with cross products.
static Vec3d solve(const std::array<Vec3d, 3>& A, const Vec3d& b) {
  const Vec3d yz = cross(A[1], A[2]);
  const double det = dot(A[0], yz);
  return Vec3d{dot(b, yz), dot(b, cross(A[2], A[0])), dot(b, cross(A[0], A[1]))} * (1 / det);
}

struct Chaser {
  const Mechanism& mech;
  Workspace ws{mech};
  const OutputInfo &tip = mech.outputs[0], &fixture = mech.outputs[1];
  double caught_at = INFINITY;

  std::size_t rate_of(const char* joint) const {
    return static_cast<std::size_t>(mech.joints[mech.find_joint(joint)].v);
  }
  Motion<double> velocity(const OutputInfo& of) const { return velocity_W(mech, ws, of.body, of.p_B); }
  Vec3d place(const OutputInfo& of) const { return pose_WB(mech, ws, of.body) * of.p_B; }

  // Phase 1: the smallest rates of the arm's joints that bring the hand nearer: q̇ = Jᵀ (J Jᵀ + λ²)⁻¹ v, J the rows of J* for its velocity.
  std::array<double, 6> resolved_rates(const Moment& now) {
    const FloatingKinematics f = compute_floating(mech, ws, now.q, now.v, tip.body, tip.p_B);
    const Vec3d gap = place(fixture) - place(tip);
    // J* says what joints do while the momentum is zero; the rest of the hand's velocity is the momentum's, and the wheels'.
    Vec3d wanted = velocity(fixture).v + gap * (closing_speed / norm(gap)) - velocity(tip).v;
    std::array<Vec3d, 6> J{};
    const std::size_t n = f.tree.joints.size();
    for (std::size_t a = 0; a < J.size(); ++a) {
      const std::size_t rate = rate_of(arm_joints[a]);
      for (std::size_t k = 0; k < n; ++k) {
        if (static_cast<std::size_t>(f.tree.joints[k]) == rate)
          J[a] = {f.J_star[3 * n + k], f.J_star[4 * n + k], f.J_star[5 * n + k]};
      }
      wanted += J[a] * now.v[rate];
    }
    constexpr double lambda = 0.05;  // m: rates stay small where the arm is stretched
    std::array<Vec3d, 3> JJ{Vec3d{lambda * lambda, 0, 0}, {0, lambda * lambda, 0}, {0, 0, lambda * lambda}};
    for (const Vec3d& column : J) JJ[0] += column * column.x, JJ[1] += column * column.y, JJ[2] += column * column.z;
    const Vec3d x = solve(JJ, wanted);
    std::array<double, 6> rates{};
    for (std::size_t a = 0; a < J.size(); ++a) rates[a] = dot(J[a], x);
    return rates;
  }

  // Controls in the order of the model: six rates, three torques of wheels.
  void control(const Moment& now, std::span<double> u) {
    std::fill(u.begin(), u.end(), 0.0);
    if (now.t < caught_at) {
      const std::array<double, 6> rates = resolved_rates(now);
      std::copy(rates.begin(), rates.end(), u.begin());
    } else if (now.t > caught_at + damping_time) {
      const std::size_t base = rate_of("base");  // angular velocity in the satellite's own axes comes first
      for (std::size_t i = 0; i < 3; ++i) u[6 + i] = wheel_gain * now.v[base + i];
    }
  }
};

struct Curves {
  std::vector<double> t, hand, target, turn, turn_of_target, wheels;
  std::vector<std::vector<double>> joints = std::vector<std::vector<double>>(arm_joints.size());

  void add(Chaser& c, const Moment& now) {
    compute_velocities(c.mech, c.ws, now.q, now.v);
    t.push_back(now.t);
    hand.push_back(norm(c.velocity(c.tip).v)), target.push_back(norm(c.velocity(c.fixture).v));
    turn.push_back(norm(velocity_W(c.mech, c.ws, c.mech.find_body("satellite"), Vec3d{}).w));
    turn_of_target.push_back(norm(c.velocity(c.fixture).w));
    wheels.push_back(std::hypot(now.v[c.rate_of("wheel x")], now.v[c.rate_of("wheel y")], now.v[c.rate_of("wheel z")]));
    for (std::size_t a = 0; a < arm_joints.size(); ++a) joints[a].push_back(now.v[c.rate_of(arm_joints[a])]);
  }
};

static void draw(const Curves& c, double caught, const char* file) {
  Plot plot;
  plot.title = "Chase, catch and de-tumble";
  plot.x = {.label = "time", .unit = "s", .from = 0, .to = c.t.back()};
  PlotPanel speed{.y = {.label = "speed", .unit = "m/s", .from = 0}},
      joints{.y = {.label = "joint rate", .unit = "rad/s"}},
      turn{.y = {.label = "turning", .unit = "rad/s", .from = 0}},
      wheels{.y = {.label = "wheels", .unit = "rad/s", .from = 0}};
  speed.lines = {{.name = "hand", .x = c.t, .y = c.hand},
                 {.name = "fixture of the target", .x = c.t, .y = c.target, .dashed = true}};
  for (std::size_t a = 0; a < arm_joints.size(); ++a)
    joints.lines.push_back({.name = arm_joints[a], .x = c.t, .y = c.joints[a]});
  turn.lines = {{.name = "satellite", .x = c.t, .y = c.turn},
                {.name = "target", .x = c.t, .y = c.turn_of_target, .dashed = true}};
  wheels.lines = {{.name = "three wheels together", .x = c.t, .y = c.wheels}};
  plot.panels = {speed, joints, turn, wheels};
  plot.marks = {{caught, "takes hold"}, {caught + damping_time, "wheels"}};
  std::ofstream(file) << svg_plot(plot);
}

int main(int count, char** arguments) {
  const ReadResult read = read_model(count > 1 ? arguments[1] : "models/chaser.yaml");
  const CompileResult compiled = compile(read.model);
  if (!read.ok() || !compiled.ok()) {
    std::fputs(read.ok() ? compiled.diagnostics.to_string().c_str() : read.diagnostics.to_string().c_str(), stderr);
    return 2;
  }
  const Mechanism& mech = compiled.mechanism;
  Chaser chaser{mech};
  Curves curves;
  RecordedEvent caught;
  SimulationOptions options{.until = 20, .tolerance = 1e-9, .record_every = 0.05};
  options.controller = {.period = 0.05,
                        .update = [&](const Moment& now, std::span<double> u) { chaser.control(now, u); }};
  options.record = [&](const Moment& now) { curves.add(chaser, now); };
  options.on_event = [&](const RecordedEvent& event) {
    if (event.kind != "capture") return;
    caught = event;
    chaser.caught_at = event.t;
    for (const auto& [q, v] :
         {std::pair(&event.q_before, &event.v_before), std::pair(&event.q_after, &event.v_after)}) {
      curves.add(chaser, {event.t, *q, *v});  // both sides of the jump
    }
  };
  const auto momentum = [&](const State& state) {
    compute_velocities<double>(mech, chaser.ws, state.q, state.v);
    return compute_momentum<double>(mech, chaser.ws);
  };
  const Momentum<double> before = momentum(initial_state(mech));
  Simulation simulation(mech, options);
  const SimulationReport report = simulation.run();
  if (!report.ok() || !std::isfinite(chaser.caught_at)) {
    std::printf("%s\n", report.ok() ? "the target was not caught" : report.text.c_str());
    return 1;
  }
  const Momentum<double> after = momentum(simulation.state());
  const double linear = norm(after.linear_W - before.linear_W) / norm(before.linear_W),
               angular = norm(after.angular_W - before.angular_W) / norm(before.angular_W);
  std::printf("caught at %.3f s with an impulse of %.2f N s and %.2f N m s; %.3f J lost\n", caught.t,
              std::hypot(caught.impulse[4], caught.impulse[5], caught.impulse[6]),
              std::hypot(caught.impulse[1], caught.impulse[2], caught.impulse[3]), caught.impulse[0]);
  std::printf("turning at the end: satellite %.4f rad/s, target %.4f rad/s; wheels %.1f rad/s\n", curves.turn.back(),
              curves.turn_of_target.back(), curves.wheels.back());
  std::printf("momentum kept: linear %s, angular %s; energy: error %s, of %.2f J put in and %.2f J lost\n",
              linear < 1e-9 ? "to 1e-9" : "NO", angular < 1e-9 ? "to 1e-9" : "NO",
              std::abs(report.energy.error) < 1e-6 ? "below 1 uJ" : "LARGE", report.energy.input,
              report.energy.dissipated);
  if (count > 2 && std::string(arguments[2]) == "--figures") {
    std::printf("%.3e %.3e %.3e J\n", linear, angular, report.energy.error);
  }
  draw(curves, caught.t, "capture.svg");
  return 0;
}
