// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Linkages whose motion and forces others have computed: positions, velocities, accelerations and pin forces against the tables in
// data/*.json. Each of those files names its source and how it was verified:
//   norton_fourbar_rowa.json, slider_crank_offset.json   R. L. Norton, "Design of Machinery"; closed forms
//   pmks_*.json             PMKS_Verification (github.com/PMKS-Web), three linkages of MATLAB and PMKS
//   rccc.json, rssr.json    spatial four-bars; closed forms against Newton's method
//   hooke_joint.json        closed form
//   jansen.json             Theo Jansen's leg; circles that intersect
//   hoeken_lambda.json      Chebyshev's lambda linkage; closed form
//   statics_examples.json   a six-bar of Stephenson's third kind and a toggle; multipliers against virtual work
//   iftomm_A04_bricard.json IFToMM benchmark A04; integration against the energy integral
// What is known by theorems is in known_linkages_test.cpp.

#include "reference/linkages.hpp"

namespace trammel::test {
namespace {

// --- Norton ------------------------------------------------------------------------------------------------------

Model four_bar(const nlohmann::json& lengths, double theta2, double theta3) {
  const double a = lengths["crank"], b = lengths["coupler"], d = lengths["ground"];
  const Vec3d A{a * std::cos(theta2), a * std::sin(theta2), 0}, O4{d, 0, 0};
  const Vec3d B = A + Vec3d{b * std::cos(theta3), b * std::sin(theta3), 0};
  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_link(model, name);
  add_pin(model, "O2", "ground", "crank", {});
  add_pin(model, "A", "crank", "coupler", A);
  add_pin(model, "B", "coupler", "rocker", B);
  add_pin(model, "O4", "ground", "rocker", O4);
  return model;
}

TEST(Norton, four_bar_of_row_a_open_and_crossed) {
  const nlohmann::json data = reference_data("norton_fourbar_rowa");
  const nlohmann::json& p = data["parameters"];
  const double theta2 = p["theta2_deg"].get<double>() * degree;
  for (const char* circuit : {"open", "crossed"}) {
    const nlohmann::json& r = data["reference"][circuit];
    const double theta3 = r["theta3_deg"].get<double>() * degree;
    const Mechanism mech = compiled_linkage(four_bar(p, theta2, theta3));
    // All round and back to where it was drawn: the circuit is kept.
    const Analysis result = sweep(mech, "O2", {0, 2 * std::numbers::pi, 10 * degree, p["omega2"], p["alpha2"]});
    Errors errors;
    for (const AnalysisStep* step : {&result.steps.front(), &result.steps.back()}) {
      const BodyMotion &coupler = body(mech, *step, "coupler"), &rocker = body(mech, *step, "rocker");
      errors.add_angle("theta3", turn_z(coupler) + theta3, theta3);
      errors.add("omega3", coupler.w.z, r["omega3"]);
      errors.add("omega4", rocker.w.z, r["omega4"]);
      errors.add("alpha3", coupler.alpha.z, r["alpha3"]);
      errors.add("alpha4", rocker.alpha.z, r["alpha4"]);
      const Transformd X = rocker.X_WB;
      const Vec3d B = X * mech.joints[static_cast<std::size_t>(mech.find_joint("B"))].X_BM.p - Vec3d{p["ground"], 0, 0};
      errors.add_angle("theta4", std::atan2(B.y, B.x), r["theta4_deg"].get<double>() * degree);
    }
    errors.expect_below(1e-12, fmt::format("Norton's four-bar, {}", circuit));
  }
}

TEST(Norton, model_file_has_the_open_circuit) {
  const nlohmann::json r = reference_data("norton_fourbar_rowa")["reference"]["open"];
  const Mechanism mech = linkage("norton_fourbar");
  const Analysis result = sweep(mech, {.inputs = inputs_of(mech)});
  ASSERT_EQ(result.steps.size(), 73u);
  Errors errors;
  errors.add("omega3", body(mech, result.steps[0], "coupler").w.z, r["omega3"]);
  errors.add("alpha4", body(mech, result.steps[0], "rocker").alpha.z, r["alpha4"]);
  errors.expect_below(1e-12, "Norton's four-bar, models/");
}

TEST(Norton, offset_slider_crank) {
  const nlohmann::json data = reference_data("slider_crank_offset");
  const Mechanism mech = linkage("slider_crank");  // drawn with the crank upright, the rod 30° down
  const double omega = data["parameters"]["omega2"];
  const Analysis result = sweep(mech, "crank pivot", {-90 * degree, 240 * degree, 30 * degree, omega});
  ASSERT_EQ(result.steps.size(), data["table"].size());
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    const nlohmann::json& row = data["table"][k];
    const AnalysisStep& step = result.steps[k];
    EXPECT_NEAR(step.input[0] / degree + 90, row[0].get<double>(), 1e-10);
    const PointMotion& slider = point(mech, step, "slider");
    errors.add("x", slider.p.x * 1e3, row[1]);
    errors.add_angle("theta3", turn_z(body(mech, step, "rod")) - 30 * degree, row[2].get<double>() * degree);
    errors.add("w3", body(mech, step, "rod").w.z, row[3]);
    errors.add("alpha3", body(mech, step, "rod").alpha.z, row[4]);
    errors.add("xdot", slider.v.x * 1e3, row[5]);
    errors.add("xddot", slider.a.x * 1e3, row[6]);
  }
  errors.expect_below(1e-12, "offset slider-crank");
}

// --- PMKS ---------------------------------------------------------------------------------------------------------

Vec3d in_plane(const nlohmann::json& xy) { return {xy[0], xy[1], 0}; }

// The topology of a case: pins, and pins on sliders, which get a body of their own.
Model pmks_model(const nlohmann::json& topology) {
  Model model;
  for (const nlohmann::json& link : topology["links"]) add_link(model, link["id"]);
  for (const nlohmann::json& j : topology["joints"]) {
    const std::string name = j["id"], first = j["links"][0], second = j["links"][1];
    const Vec3d p = in_plane(j["initial"]);
    if (j["type"] == "R") {
      add_pin(model, name, first, second, p);
    } else {
      add_link(model, "slider " + name);
      add_pin(model, name, first, "slider " + name, p);
      add_joint(model, "guide " + name, Prismatic{}, second, "slider " + name, frame_at(p, in_plane(j["guide_axis"])));
    }
    add_output(model, name, first == "ground" ? second : first, p);
  }
  for (const nlohmann::json& p : topology["points"]) add_output(model, p["id"], p["link"], in_plane(p["initial"]));
  return model;
}

TEST(Pmks, linkages_move_as_recorded) {
  for (const char* name : {"pmks_teaching_four_bar", "pmks_teaching_slider_crank", "pmks_slider_crank_tracer"}) {
    const nlohmann::json data = reference_data(name);
    const Mechanism mech = compiled_linkage(pmks_model(data["case"]["topology"]));
    const nlohmann::json& input = data["case"]["input"];
    const Analysis result = sweep(mech, input["joint"], {0, 2 * std::numbers::pi, degree, input["speed_rad_s"]});
    ASSERT_EQ(result.steps.size(), 361u);
    Errors errors;
    for (const nlohmann::json& sample : data["samples"]) {
      const AnalysisStep& step = result.steps[sample["sample"].get<std::size_t>()];
      for (const auto& [id, row] : sample["points"].items()) {
        const PointMotion& m = point(mech, step, id);
        errors.add("position", m.p, {row[0], row[1], 0});
        errors.add("velocity", m.v, {row[2], row[3], 0});
        errors.add("acceleration", m.a, {row[4], row[5], 0});
      }
      for (const auto& [id, row] : sample["links"].items()) {
        errors.add("omega", body(mech, step, id).w.z, row[0]);
        errors.add("alpha", body(mech, step, id).alpha.z, row[1]);
      }
    }
    errors.expect_below(1e-12, name);
  }
}

// --- spatial four-bars ------------------------------------------------------------------------------------------------

Transformd denavit_hartenberg(double theta, double d, double a, double alpha) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(alpha), sa = std::sin(alpha);
  return {Mat3d{{c, s, 0}, {-s * ca, c * ca, sa}, {s * sa, -c * sa, ca}}, {a * c, a * s, d}};
}

TEST(Rccc, both_branches_over_a_turn_of_the_crank) {
  const nlohmann::json data = reference_data("rccc");
  const std::vector<double> a = data["parameters"]["a"], alpha = data["parameters"]["alpha_deg"];
  for (int branch = 0; branch < 2; ++branch) {
    const nlohmann::json& drawn = data["table"][0]["solutions"][branch];
    Model model;
    for (const char* name : {"1", "2", "3"}) add_link(model, name);
    const char* links[] = {"ground", "1", "2", "3", "ground"};
    Transformd X;
    for (int i = 0; i < 4; ++i) {
      const AnyJoint type = i == 0 ? AnyJoint(Revolute{}) : AnyJoint(Cylindrical{});
      add_joint(model, fmt::format("J{}", i + 1), type, links[i], links[i + 1], frame_at(X.p, X.R.ez));
      X = X * denavit_hartenberg(drawn["theta_deg"][i].get<double>() * degree,
                                 i == 0 ? 0.0 : drawn["d2_d3_d4"][i - 1].get<double>(), a[i], alpha[i] * degree);
    }
    EXPECT_LT(norm(X.p), 1e-13);
    const Mechanism mech = compiled_linkage(model);
    const Analysis result = sweep(mech, "J1", {0, 330 * degree, 30 * degree, 1});
    ASSERT_EQ(result.steps.size(), data["table"].size());
    Errors errors;
    for (std::size_t k = 0; k < result.steps.size(); ++k) {
      // The table lists both branches at each angle in no certain order: ours is the one nearer to us.
      double best = INFINITY;
      std::vector<double> angle_errors, travel_errors;
      for (const nlohmann::json& solution : data["table"][k]["solutions"]) {
        std::vector<double> angles, travels;
        double sum = 0;
        for (int i = 1; i < 4; ++i) {
          const std::vector<double>& q = joint(mech, result.steps[k], fmt::format("J{}", i + 1)).q;
          const double theta = drawn["theta_deg"][i].get<double>() * degree + q[0];
          const double d = drawn["d2_d3_d4"][i - 1].get<double>() + q[1];
          angles.push_back(same_angle(theta, solution["theta_deg"][i].get<double>() * degree));
          travels.push_back(std::abs(d - solution["d2_d3_d4"][i - 1].get<double>()));
          sum += angles.back();
        }
        if (sum > best) continue;
        best = sum;
        angle_errors = angles;
        travel_errors = travels;
      }
      for (const double e : angle_errors) errors.add_angle("angles", e, 0);
      for (const double e : travel_errors) errors.add("travels (absolute)", e, 0);
    }
    errors.expect_below(1e-12, fmt::format("RCCC, branch {}", branch + 1));
  }
}

TEST(Rssr, rocker_over_a_turn_of_the_crank) {
  const nlohmann::json data = reference_data("rssr");
  const Mechanism mech = linkage("rssr");
  const double phi0 = data["table"][0]["phi_deg"][0].get<double>() * degree;
  const Analysis result = sweep(mech, "crank", {0, 330 * degree, 30 * degree});
  ASSERT_EQ(result.steps.size(), data["table"].size());
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    const double phi = phi0 + joint(mech, result.steps[k], "rocker").q[0];
    errors.add_angle("phi", phi, data["table"][k]["phi_deg"][0].get<double>() * degree);
  }
  const nlohmann::json& at = data["at_40deg"];
  const Analysis here = sweep(mech, "crank", {40 * degree, 40 * degree, 0, at["w"], at["alpha"]});
  const JointMotion& rocker = joint(mech, here.steps[0], "rocker");
  errors.add_angle("phi at 40°", phi0 + rocker.q[0], at["phi_deg"].get<double>() * degree);
  errors.add("phid at 40°", rocker.v[0], at["phid"]);
  errors.add("phidd at 40°", rocker.a[0], at["phidd"]);
  errors.expect_below(1e-12, "RSSR");
}

TEST(Rssr, the_other_branch_is_kept_too) {
  const nlohmann::json data = reference_data("rssr");
  const double phi0 = data["table"][0]["phi_deg"][1].get<double>() * degree;
  const Vec3d A{1, 0, 0}, O2{0.5, 2.5, 1}, B = O2 + Vec3d{0, 2 * std::cos(phi0), 2 * std::sin(phi0)};
  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_link(model, name);
  add_joint(model, "crank", Revolute{}, "ground", "crank", frame_at({}, {0, 0, 1}));
  add_joint(model, "A", Spherical{}, "crank", "coupler", frame_at(A, {0, 0, 1}));
  add_joint(model, "B", Spherical{}, "coupler", "rocker", frame_at(B, {0, 0, 1}));
  add_joint(model, "rocker", Revolute{}, "ground", "rocker", frame_at(O2, {1, 0, 0}));
  const Mechanism mech = compiled_linkage(model);
  const Analysis result = sweep(mech, "crank", {0, 330 * degree, 30 * degree});
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    const double phi = phi0 + joint(mech, result.steps[k], "rocker").q[0];
    errors.add_angle("phi", phi, data["table"][k]["phi_deg"][1].get<double>() * degree);
  }
  errors.expect_below(1e-12, "RSSR, other branch");
}

TEST(HookeJoint, turns_unevenly_at_every_shaft_angle) {
  const nlohmann::json data = reference_data("hooke_joint");
  Errors errors;
  for (const double beta : {10., 20., 30., 45.}) {
    const Vec3d out{std::cos(beta * degree), std::sin(beta * degree), 0};
    Model model;
    add_link(model, "input");
    add_link(model, "output");
    add_joint(model, "in", Revolute{}, "ground", "input", frame_at({-1, 0, 0}, {1, 0, 0}));
    add_joint(model, "cross", Universal{}, "input", "output",
              frame_at({}, {0, 1, 0}, {0, 0, 1}));  // pin in the plane of the shafts
    add_joint(model, "out", Revolute{}, "ground", "output", frame_at(out, out));
    const Mechanism mech = compiled_linkage(model);
    const Analysis result = sweep(mech, "in", {0, 90 * degree, 15 * degree, 1});  // α₂ is then d(ω₂/ω₁)/dθ₁
    for (const nlohmann::json& row : data["table"]) {
      if (row["shaft_angle_deg"].get<double>() != beta) continue;
      const AnalysisStep& step =
          result.steps[static_cast<std::size_t>(std::lround(row["theta1_deg"].get<double>() / 15))];
      const JointMotion& shaft = joint(mech, step, "out");
      errors.add_angle("theta2", shaft.q[0], row["theta2_deg"].get<double>() * degree);
      errors.add("ratio", shaft.v[0], row["ratio"]);
      errors.add("dratio/dtheta", shaft.a[0], row["dratio_dtheta"]);
    }
  }
  errors.expect_below(1e-12, "Hooke joint");
}

// --- paths ------------------------------------------------------------------------------------------------------------

TEST(Jansen, foot_path) {
  const nlohmann::json data = reference_data("jansen");
  const Mechanism mech = linkage("jansen_leg");
  const Analysis result = sweep(mech, "O", {0, 345 * degree, 15 * degree});
  ASSERT_EQ(result.steps.size(), data["foot"].size());
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    const nlohmann::json& row = data["foot"][k];
    EXPECT_EQ(row[0].get<double>(), 15.0 * static_cast<double>(k));
    errors.add("foot", point(mech, result.steps[k], "foot").p * 100, {row[1], row[2], 0});
  }
  errors.expect_below(1e-12, "Jansen's leg");
}

TEST(Hoeken, tracer_path) {
  const nlohmann::json data = reference_data("hoeken_lambda");
  const Mechanism mech = linkage("hoeken");
  const Analysis result = sweep(mech, "O2", {0, 350 * degree, 10 * degree});
  ASSERT_EQ(result.steps.size(), data["path"].size());
  Errors errors;
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    const nlohmann::json& row = data["path"][k];
    errors.add("tracer", point(mech, result.steps[k], "T").p * 10, {row[1], row[2], 0});
  }
  errors.expect_below(1e-12, "lambda linkage");
}

// --- forces -----------------------------------------------------------------------------------------------------------

TEST(Statics, pin_forces_of_a_stephenson_six_bar) {
  const nlohmann::json data = reference_data("statics_examples")["cases"];
  const Mechanism mech = linkage("stephenson_sixbar");
  for (const bool gravity : {false, true}) {
    const nlohmann::json& r = data[gravity ? "stephenson_iii_gravity" : "stephenson_iii_no_gravity"];
    const Analysis result =
        sweep(mech, {.inputs = {input_of(mech, "A", {})}, .forces = true, .gravity = gravity, .inertia = false});
    const AnalysisStep& step = result.steps[0];
    Errors errors;
    for (const auto& [name, force] : r["pin_forces"].items()) {
      const JointInfo& info = mech.joints[static_cast<std::size_t>(mech.find_joint(name))];
      ASSERT_EQ(mech.bodies[static_cast<std::size_t>(info.second)].name, force["on"].get<std::string>());
      errors.add("pin forces", reaction(mech, step, name).F_W.f, {force["f"][0], force["f"][1], 0});
    }
    errors.add("input torque", step.drive[0], r["T_in"]);
    errors.expect_below(1e-12, gravity ? "Stephenson six-bar, with weight" : "Stephenson six-bar");
  }
}

TEST(Statics, toggle_presses_ever_harder) {
  const nlohmann::json data = reference_data("statics_examples")["cases"];
  const Mechanism mech = linkage("toggle");  // drawn at 10°
  Errors errors;
  for (const int angle : {10, 5, 1}) {
    const nlohmann::json& r = data[fmt::format("toggle_{}_deg", angle)];
    const Analysis result = sweep(mech, {.inputs = {input_of(mech, "anchor", {.from = (angle - 10) * degree})},
                                         .forces = true,
                                         .inertia = false,
                                         .given_drive = {0}});
    errors.add(fmt::format("press at {}°", angle), load(mech, result.steps[0], "press"), r["F_out_formula"]);
  }
  errors.expect_below(1e-12, "toggle");
}

// --- Bricard ----------------------------------------------------------------------------------------------------------

// The benchmark gives the motion under weight; at the crank angles it passes the other corners must be where it has them.
TEST(Bricard, corners_of_the_benchmark) {
  const nlohmann::json data = reference_data("iftomm_A04_bricard");
  const Mechanism mech = linkage("bricard");
  Errors errors;
  for (const auto& [t, row] : data["reference"].items()) {
    const double angle = std::atan2(-row["P1"][2].get<double>(), row["P1"][0].get<double>());
    const Analysis result = sweep(mech, "J0", {.from = angle});
    for (const char* corner : {"P1", "P2", "P3", "P4"}) {
      errors.add(corner, point(mech, result.steps[0], corner).p, {row[corner][0], row[corner][1], row[corner][2]});
    }
  }
  errors.expect_below(1e-9, "Bricard");  // as exact as the integration behind the table
}

}  // namespace
}  // namespace trammel::test
