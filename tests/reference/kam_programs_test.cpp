// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The KAM programs of models/kam, each against an answer that does not come from its listing: tables of data/*.json (whose sources
// linkages_test.cpp names), closed forms derived here, or the same linkage drawn in the native format. Forces also against virtual work.

#include <filesystem>
#include <functional>
#include <set>

#include "reference/linkages.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double inch = 0.0254, pound_force = 4.4482216152605;

const std::string folder = test::source_dir() + "/models/kam/";

Model program_model(const std::string& name, const std::string& data = "") {
  ReadResult result = read_model(folder + name + ".kam", {.data = data.empty() ? "" : folder + data});
  EXPECT_EQ(result.diagnostics.to_string(), "") << name;
  return std::move(result.model);
}
Mechanism compiled(const Model& model) {
  CompileResult result = compile(model, {.for_dynamics = false});
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return std::move(result.mechanism);
}
Mechanism program(const std::string& name, const std::string& data = "") { return compiled(program_model(name, data)); }

// As `analyze --forces` does: the loads given are known, the resisting ones are found.
Analysis run(const Mechanism& mech, bool forces = false) {
  AnalysisOptions options{.inputs = inputs_of(mech), .forces = forces};
  if (forces) options.given_drive.assign(options.inputs.size(), 0.0);
  return sweep(mech, options);
}

const Vec3d y_axis{0, 1, 0}, z_axis{0, 0, 1};

// --- FRBAR --------------------------------------------------------------------------------------------------------------

// The table has d₂, d₃, d₄ and θ₂, θ₃, θ₄ of links that turn and slide on each other as the cylindric pairs do; the
// design position is its second solution at θ₁ = 0.
TEST(KamFrbar, is_the_rccc_linkage_of_the_table) {
  const nlohmann::json table = reference_data("rccc")["table"];
  const Mechanism mech = program("frbar");
  const Analysis result = run(mech);
  const nlohmann::json& drawn = table[0]["solutions"][1];
  Errors errors;
  int compared = 0;
  for (const AnalysisStep& step : result.steps) {
    const double theta = step.input[0] / degree;
    for (const nlohmann::json& row : table) {
      if (std::abs(row["theta1_deg"].get<double>() - theta) > 1e-9) continue;
      const nlohmann::json& solution = row["solutions"][1];
      for (std::size_t i = 0; i < 3; ++i) {
        const std::vector<double>& q = joint(mech, step, fmt::format("CYL{}", i + 1)).q;
        const double turn = solution["theta_deg"][i + 1].get<double>() - drawn["theta_deg"][i + 1].get<double>();
        const double slide = solution["d2_d3_d4"][i].get<double>() - drawn["d2_d3_d4"][i].get<double>();
        errors.add_angle("turns", q[0], turn * degree);
        errors.add("slides", q[1] / inch, slide);
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 12);
  errors.expect_below(1e-12, "FRBAR");
}

// The same linkage drawn natively, by hand, in metres: outputs, reactions and resisting loads.
const char* const native_frbar = R"(trammel: 1
units: {length: in, angle: deg, force: lbf}
gravity: [0, 0, 0]
points:
  O: [0, 0, 0]
  A: [2, -0.10491441888825674, 0.1817171039610246]
  B: [-2.566521273964168, -0.9769007139203064, 1.461878930286004]
  C: [-5, 0, 0]
bodies: {drive: {}, bent: {}, out: {}}
joints:
  O: {revolute: [ground, drive], at: O, axis: z}
  A: {cylindrical: [drive, bent], at: A, axis: [0, -0.5, 0.8660254037844387]}
  B: {cylindrical: [bent, out], at: B, axis: {from: [-1.4528719600537778, -1.8537015473306488, -0.8279456154005429], to: B}}
  C: {cylindrical: [out, ground], at: C, axis: [0, 0.8660254037844386, 0.5]}
outputs:
  P5INR2: {point: A, on: bent}
  P7INC2: {point: B, on: out}
  P1INC3: {point: [-5, -0.9656887937822182, -0.5575406850435685], on: out}
inputs: {O: {from: 0, to: 360, step: 15, speed: 60}}
loads:
  T21: {on: drive, along: z, torque: 100}
  F14: {on: out, at: C, along: [0, 0.8660254037844386, 0.5], resisting: force}
  T14: {on: out, along: [0, 0.8660254037844386, 0.5], resisting: torque, bound: {to: F14, ratio: 1.5, offset: 10}}
)";

TEST(KamFrbar, moves_and_bears_as_the_same_linkage_drawn_natively) {
  const ReadResult read = read_yaml(native_frbar, "native.yaml");
  ASSERT_EQ(read.diagnostics.to_string(), "");
  const Mechanism mech = program("frbar"), native = compiled(read.model);
  const Analysis result = run(mech, true), other = run(native, true);
  ASSERT_EQ(result.steps.size(), 25u);
  ASSERT_EQ(other.steps.size(), 25u);
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    for (const char* name : {"P5INR2", "P7INC2", "P1INC3"}) {
      const PointMotion &a = point(mech, result.steps[k], name), &b = point(native, other.steps[k], name);
      errors.add("p", a.p, b.p);
      errors.add("v", a.v, b.v);
      errors.add("a", a.a, b.a);
    }
    errors.add("F14", load(mech, result.steps[k], "F14"), load(native, other.steps[k], "F14"));
    errors.add("T14", load(mech, result.steps[k], "T14"), load(native, other.steps[k], "T14"));
    for (const auto& [kam, yaml] : {std::pair("REV1", "O"), {"CYL1", "A"}, {"CYL2", "B"}, {"CYL3", "C"}}) {
      const JointReaction &a = reaction(mech, result.steps[k], kam), &b = reaction(native, other.steps[k], yaml);
      EXPECT_TRUE(a.determinate);  // 19 unknowns, 18 equations of the bodies and T14 = C₁ F14 + C₂
      errors.add("force at pairs", a.F_W.f, b.F_W.f);
      errors.add("moment at pairs", a.F_W.n, b.F_W.n);
    }
    EXPECT_EQ(result.steps[k].drive[0], 0);
  }
  errors.expect_below(1e-10, "FRBAR and native");
}

// T21 ω = F14 v + T14 Ω with T14 = C₁ F14 + C₂, v and Ω those of OUTL along 8→1; CYL3 counts the ground relative to OUTL.
TEST(KamFrbar, turns_its_torque_into_what_virtual_work_says) {
  const Mechanism mech = program("frbar");
  const Analysis result = run(mech, true);
  const double T21 = 100 * inch * pound_force, C1 = 1.5 * inch, C2 = 10 * inch * pound_force;
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const std::vector<double>& rates = joint(mech, step, "CYL3").v;
    const double Omega = -rates[0], v = -rates[1], omega = 60 * degree;
    const double F14 = (T21 * omega - C2 * Omega) / (v + C1 * Omega);
    errors.add("F14", load(mech, step, "F14"), F14);
    errors.add("T14", load(mech, step, "T14"), C1 * F14 + C2);
  }
  errors.expect_below(1e-10, "FRBAR, virtual work");
}

// --- against tables -------------------------------------------------------------------------------------------------------

TEST(KamFourBar, is_nortons_open_and_crossed) {
  const nlohmann::json reference = reference_data("norton_fourbar_rowa")["reference"];
  for (const auto& [circuit, data] : {std::pair("open", ""), {"crossed", "fourbar_crossed.dat"}}) {
    const nlohmann::json& r = reference[circuit];
    const Mechanism mech = program("fourbar", data);
    const Analysis result = run(mech);
    Errors errors;
    for (const AnalysisStep* step : {&result.steps.front(), &result.steps.back()}) {
      errors.add("omega3", body(mech, *step, "COUPLR").w.z, r["omega3"]);
      errors.add("omega4", body(mech, *step, "ROCKER").w.z, r["omega4"]);
      errors.add("alpha3", body(mech, *step, "COUPLR").alpha.z, r["alpha3"]);
      errors.add("alpha4", body(mech, *step, "ROCKER").alpha.z, r["alpha4"]);
      const Vec3d B = point(mech, *step, "B").p * (1 / inch) - Vec3d{6, 0, 1};
      errors.add_angle("theta4", std::atan2(B.y, B.x), r["theta4_deg"].get<double>() * degree);
    }
    errors.expect_below(1e-12, fmt::format("KAM four-bar, {}", circuit));
  }
}

TEST(KamSlider, is_nortons_offset_slider_crank) {
  const nlohmann::json table = reference_data("slider_crank_offset")["table"];
  const Mechanism mech = program("slider");
  const Analysis result = run(mech);
  ASSERT_EQ(result.steps.size(), table.size());
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    const AnalysisStep& step = result.steps[k];
    const PointMotion& piston = point(mech, step, "PISTON");
    errors.add("x", piston.p.x * 1e3, table[k][1]);
    errors.add_angle("theta3", turn_z(body(mech, step, "ROD")) - 30 * degree, table[k][2].get<double>() * degree);
    errors.add("w3", body(mech, step, "ROD").w.z, table[k][3]);
    errors.add("alpha3", body(mech, step, "ROD").alpha.z, table[k][4]);
    errors.add("xdot", piston.v.x * 1e3, table[k][5]);
    errors.add("xddot", piston.a.x * 1e3, table[k][6]);
    errors.add("slide", joint(mech, step, "PRS1").q[0], piston.p.x - 0.10392304845413264);
  }
  errors.expect_below(1e-12, "KAM slider-crank");
}

TEST(KamRssr, turns_its_rocker_as_tabulated) {
  const nlohmann::json data = reference_data("rssr");
  const Mechanism mech = program("rssr");
  const Analysis result = run(mech);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0], "the spin of body 'COUPLR' is idle: it is left at zero");
  const double drawn = data["table"][0]["phi_deg"][0];
  Errors errors;
  int compared = 0;
  for (const AnalysisStep& step : result.steps) {
    const double theta = step.input[0] / degree;
    const JointMotion& rocker = joint(mech, step, "REV2");
    for (const nlohmann::json& row : data["table"]) {
      if (std::abs(row["theta_deg"].get<double>() - theta) > 1e-9) continue;
      errors.add_angle("phi", rocker.q[0], (row["phi_deg"][0].get<double>() - drawn) * degree);
      ++compared;
    }
    if (std::abs(theta - 40) > 1e-9) continue;
    const nlohmann::json& at = data["at_40deg"];
    errors.add_angle("phi", rocker.q[0], (at["phi_deg"].get<double>() - drawn) * degree);
    errors.add("phid", rocker.v[0], at["phid"]);
    errors.add("phidd", rocker.a[0], at["phidd"]);
    ++compared;
  }
  EXPECT_EQ(compared, 13);
  errors.expect_below(1e-12, "KAM RSSR");
}

TEST(KamHooke, turns_its_output_as_tabulated) {
  const nlohmann::json table = reference_data("hooke_joint")["table"];
  const Mechanism mech = program("hooke");
  const Analysis result = run(mech);
  const double cosine = std::cos(30 * degree), sine = std::sin(30 * degree), w = 2 * pi;
  Errors errors;
  int compared = 0;
  for (const AnalysisStep& step : result.steps) {
    const double theta = step.input[0], c = std::cos(theta);
    const JointMotion& out = joint(mech, step, "REV2");
    const double below = 1 - sine * sine * c * c;
    errors.add_angle("angle", out.q[0], std::atan2(std::sin(theta), c * cosine));
    errors.add("speed", out.v[0], w * cosine / below);
    errors.add("acceleration", out.a[0], -w * w * cosine * sine * sine * std::sin(2 * theta) / (below * below));
    for (const nlohmann::json& row : table) {
      if (row["shaft_angle_deg"] != 30 || std::abs(row["theta1_deg"].get<double>() - theta / degree) > 1e-9) continue;
      errors.add_angle("angle", out.q[0], row["theta2_deg"].get<double>() * degree);
      errors.add("speed", out.v[0], w * row["ratio"].get<double>());
      ++compared;
    }
  }
  EXPECT_EQ(compared, 5);
  errors.expect_below(1e-12, "KAM Hooke shaft");
}

TEST(KamToggle, presses_as_tabulated) {
  const nlohmann::json cases = reference_data("statics_examples")["cases"];
  const Mechanism mech = program("toggle");
  const Analysis result = run(mech, true);
  Errors errors;
  int compared = 0;
  for (const AnalysisStep& step : result.steps) {
    const double angle = 10 + step.input[0] / degree;  // of the links
    errors.add("press", load(mech, step, "PRESS"), 100 / (2 * std::tan(angle * degree)));
    const auto tabulated = cases.find(fmt::format("toggle_{}_deg", std::lround(angle)));
    if (std::abs(angle - std::round(angle)) > 1e-9 || tabulated == cases.end()) continue;
    errors.add("press", load(mech, step, "PRESS"), (*tabulated)["F_out_kernel"]);
    ++compared;
  }
  EXPECT_EQ(compared, 3);
  errors.expect_below(1e-12, "KAM toggle");
}

// --- against closed forms -------------------------------------------------------------------------------------------------

// The root of f near a bracket, to round-off.
double bisect(const std::function<double(double)>& f, double low, double high) {
  const bool rises = f(high) > 0;
  EXPECT_NE(f(low) > 0, rises);
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) > 0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// The ball at the crank keeps its distance from the line of the rocker's pin: one equation for the rocker's angle φ.
TEST(KamRscr, keeps_the_ball_at_its_distance_from_the_pin) {
  const Mechanism mech = program("rscr");
  const Analysis result = run(mech);
  const Vec3d pivot{0, 3, 1}, pin{0.5, 1.6, 1.8}, along = Vec3d{0.5, 0.3, 0.2} * (1 / std::sqrt(0.38));
  const auto distance = [&](double theta, double phi) {
    const Mat3d R = rotation_x(phi);
    const Vec3d ball{std::cos(theta), std::sin(theta), 0};
    return norm(cross(R * along, ball - pivot - R * (pin - pivot)));
  };
  const double kept = distance(0, 0);
  Errors errors;
  double phi = 0;
  for (const AnalysisStep& step : result.steps) {
    const auto gap = [&](double x) { return distance(step.input[0], x) - kept; };
    phi = bisect(gap, phi - 0.15, phi + 0.15);  // the pin turns by less from step to step
    errors.add_angle("phi", joint(mech, step, "REV2").q[0], phi);
    // dφ/dt by the implicit function, with differences of fifth order.
    const auto slope = [](const auto& f) {
      const double h = 1e-3;
      return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
    };
    const double by_theta = slope([&](double d) { return distance(step.input[0] + d, phi); });
    const double by_phi = slope([&](double d) { return distance(step.input[0], phi + d); });
    errors.add("dphi/dt", joint(mech, step, "REV2").v[0], -by_theta / by_phi * 60 * degree);
  }
  errors.expect_below(1e-11, "KAM RSCR");
}

// The pen is where two circles about the ends of the cranks meet.
TEST(KamFiveBar, draws_where_two_circles_meet) {
  const Mechanism mech = program("fivebar");
  const Analysis result = run(mech);
  ASSERT_EQ(result.steps.size(), 25u);
  const double rod = std::sqrt(50.0 * 50 + 90 * 90);
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const double left = step.input[0] + pi / 2, right = step.input[1] + pi / 2;
    const Vec3d A{60 * std::cos(left), 60 * std::sin(left), 0}, C{100 + 60 * std::cos(right), 60 * std::sin(right), 0};
    const Vec3d half = (C - A) * 0.5;
    const double height = std::sqrt(rod * rod - dot(half, half));
    const Vec3d across = cross(z_axis, half) * (1 / norm(half));
    errors.add("pen", point(mech, step, "PEN").p * 1e3, A + half + across * height + Vec3d{0, 0, 20});
    errors.add_angle("right crank", turn_z(body(mech, step, "RIGHT")), step.input[1]);
    errors.add("speed of right crank", body(mech, step, "RIGHT").w.z, -60 * degree);
  }
  errors.expect_below(1e-12, "KAM five-bar");
}

// The centre K of the universal pair keeps its height above the plate: n(θ)·(K(φ) − M) = n(0)·(K(0) − M), with M on the shaft's axis
// and K on a circle about an axis along y: A cos φ + B sin φ = C.
TEST(KamSwash, keeps_the_height_above_the_plate) {
  const Mechanism mech = program("swash");
  const Analysis result = run(mech);
  const double s = std::sin(20 * degree), c = std::cos(20 * degree);
  const Vec3d M{0, 0, 10}, pivot{250, -20 * s, 80}, arm{60 - 250, 0, 10 + 20 * c - 80};
  const auto normal = [&](double theta) { return Vec3d{s * std::sin(theta), -s * std::cos(theta), c}; };
  const double height = dot(normal(0), pivot + arm - M);
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const Vec3d n = normal(step.input[0]), to_pivot = pivot - M;
    const double A = dot(n, arm), B = dot(n, cross(y_axis, arm)), C = height - dot(n, to_pivot);
    const double spread = std::acos(C / std::hypot(A, B)), middle = std::atan2(B, A);
    const double phi = std::abs(std::remainder(middle + spread, 2 * pi)) < pi / 4 ? middle + spread : middle - spread;
    const double drawn = joint(mech, step, "REV2").q[0];  // of the ground relative to the arm about 10→1, which is y
    errors.add_angle("phi", -drawn, phi);
    const Vec3d K = pivot + arm * std::cos(phi) + cross(y_axis, arm) * std::sin(phi);
    errors.add("centre", point(mech, step, "CENTRE").p * 1e3, K);
    const Vec3d foot = point(mech, step, "FOOT").p * 1e3;
    errors.add("foot above the plate", dot(n, foot - M) / 100, 0);
  }
  errors.expect_below(1e-12, "KAM swash plate");
}

// --- against native models --------------------------------------------------------------------------------------------------

// models/double_wishbone.yaml is driven by the height of the wheel instead of the lower arm: at the height that the program gives, it
// must have the same wheel.
TEST(KamSuspension, carries_the_wheel_as_the_native_model) {
  const Mechanism mech = program("suspension"), native = linkage("double_wishbone");
  const Analysis result = run(mech);
  ASSERT_EQ(result.steps.size(), 21u);
  Errors errors;
  for (const AnalysisStep& step : result.steps) {
    const PointMotion& wheel = point(mech, step, "WHEEL");
    const double rack = step.input[0], height = wheel.p.z - 0.310;
    const Analysis other =
        sweep(native, {.inputs = {input_of(native, "rack", {rack, rack, 0}),
                                  input_of(native, "jounce", {height, height, 0, wheel.v.z, wheel.a.z})}});
    const AnalysisStep& same = other.steps.at(0);
    errors.add("wheel centre", wheel.p, point(native, same, "wheel centre").p);
    errors.add("its velocity", wheel.v, point(native, same, "wheel centre").v);
    errors.add("its acceleration", wheel.a, point(native, same, "wheel centre").a);
    errors.add("contact", point(mech, step, "PATCH").p, point(native, same, "contact").p);
  }
  errors.expect_below(1e-10, "KAM suspension and native");
}

// Bodies by name of both, at every step; the inputs of the native model are made those of the program.
void expect_same_motion(const std::string& kam, const std::string& yaml, const std::string& native_input,
                        const std::vector<std::pair<std::string, std::string>>& bodies) {
  const Mechanism mech = program(kam), native = linkage(yaml);
  SweepInput given = inputs_of(mech).at(0);
  given.acceleration = 0.7;  // also where the program has none, so that all accelerations are of some size
  SweepInput input = given;
  input.driver.joint = native.find_joint(native_input);
  const Analysis result = sweep(mech, {.inputs = {given}}), other = sweep(native, {.inputs = {input}});
  ASSERT_EQ(result.steps.size(), other.steps.size());
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    for (const auto& [ours, theirs] : bodies) {
      const BodyMotion &a = body(mech, result.steps[k], ours), &b = body(native, other.steps[k], theirs);
      errors.add("w", a.w, b.w);
      errors.add("alpha", a.alpha, b.alpha);
      errors.add("orientation", a.X_WB.R * Vec3d{1, 2, 3}, b.X_WB.R * Vec3d{1, 2, 3});
    }
  }
  errors.expect_below(1e-10, kam + " and native");
}

TEST(KamPrograms, move_as_native_models_of_the_same) {
  expect_same_motion("slider", "slider_crank", "crank pivot",
                     {{"CRANK", "crank"}, {"ROD", "rod"}, {"SLIDER", "slider"}});
  expect_same_motion("fourbar", "norton_fourbar", "O2",
                     {{"CRANK", "crank"}, {"COUPLR", "coupler"}, {"ROCKER", "rocker"}});
  expect_same_motion("rssr", "rssr", "crank", {{"CRANK", "crank"}, {"ROCKER", "rocker"}});
  expect_same_motion("hooke", "cardan", "in bearing", {{"SHAFT1", "input"}, {"SHAFT2", "output"}});
  expect_same_motion("toggle", "toggle", "anchor", {{"ARM1", "link 1"}, {"ARM2", "link 2"}, {"SLIDER", "slider"}});
}

// --- laws of all of them ----------------------------------------------------------------------------------------------------

std::vector<std::string> all_programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".kam") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_GE(names.size(), 10u);
  return names;
}

// Without weight and inertia, what the known loads put in, the resisting ones take out.
TEST(KamPrograms, lose_no_power_between_loads) {
  for (const std::string& name : all_programs()) {
    const Mechanism mech = program(name);
    AnalysisOptions options{.inputs = inputs_of(mech), .forces = true, .gravity = false, .inertia = false};
    options.given_drive.assign(options.inputs.size(), 0.0);
    const Analysis result = sweep(mech, options);
    double worst = 0, largest = 0;
    for (const AnalysisStep& step : result.steps) {
      double sum = 0;
      for (std::size_t k = 0; k < mech.loads.size(); ++k) {
        const Load& settings = mech.loads[k].settings;
        const BodyMotion& on = step.bodies[static_cast<std::size_t>(mech.loads[k].body)];
        const Vec3d along = settings.turns_along ? on.X_WB.R * settings.direction : settings.direction;
        const Vec3d v = on.v + cross(on.w, on.X_WB.R * settings.at.p_B);
        const double sign = settings.is_resisting() ? -1 : 1;
        const double power = sign * step.loads[k] * dot(along, settings.is_couple ? on.w : v);
        largest = std::max(largest, std::abs(power));
        sum += power;
      }
      worst = std::max(worst, std::abs(sum));
      EXPECT_TRUE(step.balanced) << name;
    }
    fmt::print("{:<52} {:.1e}\n", name + ": power", worst / largest);
    EXPECT_GT(largest, 0) << name;
    EXPECT_LT(worst, 1e-10 * largest) << name;
  }
}

// Written in the native format and read again, a program analyses the same.
TEST(KamPrograms, analyse_the_same_as_native_files) {
  for (const std::string& name : all_programs()) {
    const Model model = program_model(name);
    const ReadResult back = read_yaml(write_yaml(model), name + ".yaml");
    ASSERT_EQ(back.diagnostics.to_string(), "") << name;
    const Mechanism mech = compiled(model), native = compiled(back.model);
    const Analysis result = run(mech, true), other = run(native, true);
    ASSERT_EQ(result.steps.size(), other.steps.size()) << name;
    Errors errors;
    for (std::size_t k = 0; k < result.steps.size(); ++k) {
      const AnalysisStep &a = result.steps[k], &b = other.steps[k];
      for (std::size_t i = 0; i < a.points.size(); ++i) {
        errors.add("points", a.points[i].p, b.points[i].p);
        errors.add("velocities", a.points[i].v, b.points[i].v);
        errors.add("accelerations", a.points[i].a, b.points[i].a);
      }
      for (std::size_t i = 0; i < a.loads.size(); ++i) errors.add("loads", a.loads[i], b.loads[i]);
      for (std::size_t i = 0; i < a.reactions.size(); ++i)
        errors.add("reactions", a.reactions[i].F_W.f, b.reactions[i].F_W.f);
    }
    errors.expect_below(1e-10, name + " as YAML");
  }
}

// Every statement of the language is in one of the programs.
TEST(KamPrograms, use_all_the_words) {
  std::set<std::string> joints, loads;
  for (const std::string& name : all_programs()) {
    const Model model = program_model(name);
    for (const Joint& joint : model.joints) joints.insert(std::string(keyword(joint.type)));
    for (const Load& load : model.loads) {
      loads.insert(
          fmt::format("{} {}", load.is_resisting() ? "resisting" : "known", load.is_couple ? "couple" : "force"));
    }
    EXPECT_FALSE(model.inputs.empty() || model.outputs.empty() || model.loads.empty()) << name;
  }
  EXPECT_EQ(joints,
            (std::set<std::string>{"revolute", "prismatic", "cylindrical", "spherical", "planar", "universal"}));
  EXPECT_EQ(loads.size(), 4u);
}

}  // namespace
}  // namespace trammel::test
