// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Scenes, read back by a reader of their own: poses are those of kinematics to single precision, whatever the mechanism; nothing of a
// recording that is thinned out is lost but places within a stretch; names cannot break out of the page.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/floating.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/readers.hpp>
#include <trammel/scene.hpp>
#include <trammel/simulation.hpp>

#include "scene/bundle.hpp"
#include "scene/bundle_reader.hpp"
#include "support/random.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

namespace fs = std::filesystem;
using At = std::size_t;
constexpr std::size_t plenty = 100'000'000;

struct Shipped {
  Model model;
  Mechanism mech;
};
Shipped shipped(const std::string& name) {
  Shipped out;
  out.model = read_model(source_dir() + "/models/" + name + ".yaml").model;
  out.mech = compile(out.model, {.for_dynamics = false}).mechanism;
  return out;
}
std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/models")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Coordinates that a run would hardly have, and that need close nothing.
std::vector<double> any_coordinates(const Mechanism& mech, Random& random) {
  std::vector<double> q = design_state(mech).q, step(static_cast<At>(mech.nv));
  for (double& x : step) x = random.uniform(-1, 1);
  step_coordinates(mech, q, step, q);
  return q;
}

Recording recording_of(const Mechanism& mech, const std::vector<std::vector<double>>& rows_of_q, double step = 0.5) {
  Recording recording;
  recording.header.channels.push_back({"t", "s", "", ""});
  for (const std::string& name : coordinate_names(mech)) {
    recording.header.channels.push_back({name, "1", "joint", "coordinates"});
  }
  for (At r = 0; r < rows_of_q.size(); ++r) {
    recording.numbers.push_back(static_cast<double>(r) * step);
    recording.numbers.insert(recording.numbers.end(), rows_of_q[r].begin(), rows_of_q[r].end());
  }
  recording.status = "done";
  return recording;
}

void expect_pose(const std::vector<double>& values, At k, At n, At s, const Transformd& X, const std::string& where) {
  const auto component = [&](At c) { return values.at((7 * k + c) * n + s); };
  const double p[] = {X.p.x, X.p.y, X.p.z};
  for (At c = 0; c < 3; ++c) EXPECT_EQ(component(c), static_cast<double>(static_cast<float>(p[c]))) << where;
  const Quaternion<double> q{component(3), component(4), component(5), component(6)};
  const Mat3d R = rotation_of(q);
  for (const Vec3d& e : {R.ex - X.R.ex, R.ey - X.R.ey, R.ez - X.R.ez}) EXPECT_LT(norm(e), 4e-7) << where;
}

TEST(Scene, poses_of_every_shipped_model_are_those_of_kinematics) {
  Random random(7);
  for (const std::string& name : all_models()) {
    const Shipped it = shipped(name);
    std::vector<std::vector<double>> rows;
    for (int r = 0; r < 30; ++r) rows.push_back(any_coordinates(it.mech, random));
    Scene scene(it.model, it.mech);
    scene.set_recording(recording_of(it.mech, rows));
    const ReadBundle read(scene.bundle(plenty));
    const auto& poses = read.head["series"]["poses"];
    const std::vector<double> values = read.numbers(poses["values"]);
    EXPECT_EQ(read.head["bodies"].size(), it.mech.bodies.size());
    Workspace ws(it.mech);
    At moving = 0;
    for (int b = 0; b < it.mech.body_count(); ++b) moving += it.mech.link_of_body[static_cast<At>(b)] == ground ? 0 : 1;
    ASSERT_EQ(poses["bodies"].size(), moving) << name;
    for (At s = 0; s < rows.size(); ++s) {
      compute_positions(it.mech, ws, rows[s]);
      for (At k = 0; k < poses["bodies"].size(); ++k) {
        const int body = poses["bodies"][k];
        expect_pose(values, k, rows.size(), s, pose_WB(it.mech, ws, body),
                    name + " " + it.mech.bodies[static_cast<At>(body)].name);
      }
    }
  }
}

TEST(Scene, velocities_at_points_are_how_poses_change) {
  const Shipped it = shipped("puma560");
  Model model = it.model;
  model.outputs.push_back({"tool", model.bodies.back().name, {0.1, 0.2, 0.3}, {}});
  const Mechanism mech = compile(model, {.for_dynamics = false}).mechanism;
  const double h = 0.1, little = 1e-4;
  std::vector<double> q = design_state(mech).q, v(static_cast<At>(mech.nv));
  for (At i = 0; i < v.size(); ++i) v[i] = 0.3 + 0.2 * static_cast<double>(i);
  Recording recording;
  recording.header.channels.push_back({"t", "s", "", ""});
  for (const std::string& name : coordinate_names(mech))
    recording.header.channels.push_back({name, "rad", "", "coordinates"});
  for (const std::string& name : freedom_names(mech))
    recording.header.channels.push_back({name, "rad/s", "", "velocities"});
  for (int r = 0; r < 3; ++r) {
    recording.numbers.push_back(r * h);
    for (At i = 0; i < q.size(); ++i) recording.numbers.push_back(q[i] + v[i] * r * h);
    recording.numbers.insert(recording.numbers.end(), v.begin(), v.end());
  }
  Scene scene(model, mech);
  scene.set_recording(recording);
  const ReadBundle read(scene.bundle(plenty));
  const auto& arrow = read.head["series"]["arrows"][0];
  EXPECT_EQ(arrow["kind"], "velocity");
  Workspace ws(mech);
  const auto place = [&](double t) {
    std::vector<double> there = q;
    for (At i = 0; i < q.size(); ++i) there[i] += v[i] * t;
    compute_positions(mech, ws, there);
    return pose_WB(mech, ws, mech.body_count() - 1) * Vec3d{0.1, 0.2, 0.3};
  };
  const Vec3d rate = (place(h + little) - place(h - little)) * (1 / (2 * little));
  const double of_rate[] = {rate.x, rate.y, rate.z};
  for (At k = 0; k < 3; ++k) {
    const auto& channel = read.head["series"]["channels"][arrow["vector"][k].get<At>()];
    EXPECT_TRUE(channel["hidden"]);
    EXPECT_NEAR(read.numbers(channel["values"])[1], of_rate[k], 1e-6);
  }
}

// --- sweeps --------------------------------------------------------------------------------------------------------------------

AnalysisOptions sweep_of(const Mechanism& mech, const std::string& joint, double from, double to, double step) {
  AnalysisOptions options;
  options.inputs.push_back({.driver = {.joint = mech.find_joint(joint)}, .from = from, .to = to, .step = step});
  return options;
}

TEST(SceneOfSweep, positions_are_those_of_the_analysis_and_gaps_where_there_are_none) {
  const Shipped it = shipped("crank_rocker");
  const AnalysisOptions options = sweep_of(it.mech, "O4", -1.5, 1.5, 0.05);
  const Analysis analysis = analyze(it.mech, options);
  ASSERT_FALSE(analysis.imaginary.empty());
  Scene scene(it.model, it.mech);
  scene.set_sweep(options, analysis);
  const ReadBundle read(scene.bundle(plenty));
  EXPECT_EQ(read.head["kind"], "sweep");
  const std::vector<double> values = read.numbers(read.head["series"]["poses"]["values"]);
  const At n = analysis.steps.size();
  ASSERT_EQ(read.axis().size(), n);
  for (At s = 0; s < n; ++s) {
    for (At k = 0; k < read.head["series"]["poses"]["bodies"].size(); ++k) {
      if (analysis.steps[s].status == StepStatus::imaginary) {
        EXPECT_TRUE(std::isnan(values[7 * k * n + s]));
      } else {
        const int body = read.head["series"]["poses"]["bodies"][k];
        expect_pose(values, k, n, s, analysis.steps[s].bodies[static_cast<At>(body)].X_WB, "step");
      }
    }
  }
  // The slider is in the file's units, and knows where it cannot go.
  const auto& input = read.head["inputs"][0];
  EXPECT_EQ(input["unit"], "deg");
  EXPECT_NEAR(input["values"][0].get<double>(), -1.5 * 180 / std::numbers::pi, 1e-9);
  EXPECT_EQ(input["imaginary"].size(), analysis.imaginary.size());
  EXPECT_EQ(input["dead_points"].size(), analysis.dead_points.size());
  EXPECT_NEAR(input["dead_points"][0]["value"].get<double>(), analysis.dead_points[0].value * 180 / std::numbers::pi,
              1e-9);
}

// Kennedy: P₁₃ lies where the lines of the crank and of the rocker meet; P₁₂ and P₁₄ are the pivots.
TEST(SceneOfSweep, instant_centres_of_a_four_bar_are_kennedys) {
  const Shipped it = shipped("crank_rocker");
  const AnalysisOptions options = sweep_of(it.mech, "O2", 0.3, 1.3, 0.25);
  const Analysis analysis = analyze(it.mech, options);
  Scene scene(it.model, it.mech);
  scene.set_sweep(options, analysis);
  const ReadBundle read(scene.bundle(plenty));
  const auto centre = [&](const std::string& first, const std::string& second, At s) {
    const int i = it.mech.find_body(first), j = it.mech.find_body(second);
    for (const auto& c : read.head["series"]["instant_centres"]) {
      if (c["bodies"] != nlohmann::json{i, j}) continue;
      double p[3];
      for (At k = 0; k < 3; ++k)
        p[k] = read.numbers(read.head["series"]["channels"][c["channels"][k].get<At>()]["values"])[s];
      return Vec3d{p[0], p[1], p[2]};
    }
    ADD_FAILURE() << first << ' ' << second;
    return Vec3d{};
  };
  const Vec3d O2{0, 0, 0}, O4{0.1, 0, 0};
  for (At s = 0; s < analysis.steps.size(); ++s) {
    const auto& bodies = analysis.steps[s].bodies;
    const Vec3d A = bodies[static_cast<At>(it.mech.find_body("crank"))].X_WB * it.model.find_point("A")->p_W;
    const Vec3d B = bodies[static_cast<At>(it.mech.find_body("rocker"))].X_WB * it.model.find_point("B")->p_W;
    EXPECT_LT(norm(centre("ground", "crank", s) - O2), 1e-7);
    EXPECT_LT(norm(centre("ground", "rocker", s) - O4), 1e-7);
    const Vec3d a = A - O2, b = B - O4;
    const double t = (a.x * (O4.y - O2.y) - a.y * (O4.x - O2.x)) / (a.y * b.x - a.x * b.y);
    const Vec3d P13 = O4 + b * t;
    EXPECT_LT(norm(centre("ground", "coupler", s) - P13), 1e-6 * norm(P13)) << s;
    EXPECT_LT(norm(centre("crank", "coupler", s) - A), 1e-7);
  }
}

// --- long recordings ------------------------------------------------------------------------------------------------------------

// So many channels of noise, which nothing compresses, over a minute at 1 kHz.
Recording noise(const Mechanism& mech, At rows, At channels) {
  Recording recording;
  recording.header.channels.push_back({"t", "s", "", ""});
  for (const std::string& name : coordinate_names(mech))
    recording.header.channels.push_back({name, "rad", "", "coordinates"});
  while (recording.header.channels.size() < channels) {
    recording.header.channels.push_back(
        {fmt::format("noise{}", recording.header.channels.size()), "1", "", "measures"});
  }
  Random random(3);
  for (At r = 0; r < rows; ++r) {
    recording.numbers.push_back(static_cast<double>(r) * 1e-3);
    for (At c = 1; c < channels; ++c) recording.numbers.push_back(random.uniform(-1, 1));
  }
  recording.status = "done";
  return recording;
}

TEST(SceneOfRecording, a_minute_of_41_channels_at_1_kHz_is_a_page_below_15_MB) {
  const Shipped it = shipped("puma560");
  Scene scene(it.model, it.mech);
  scene.set_recording(noise(it.mech, 60'001, 41));
  const std::string page = std::string(999'000, 'x') + "<!--TRAMMEL-DATA-->";
  SceneReport report;
  const std::string html = page_with(page, scene.bundle(bundle_bytes_of_page_with(page, 15'000'000), &report));
  EXPECT_LE(html.size(), 15'000'000U);
  EXPECT_EQ(html.size(), bytes_of_page_with(page, report.bytes));
  EXPECT_EQ(report.rows_there_are, 60'001U);
  EXPECT_GT(report.rows, 40'000U);
}

TEST(SceneOfRecording, rows_are_left_out_but_no_peak) {
  const Shipped it = shipped("puma560");
  Recording recording = noise(it.mech, 20'000, 12);
  recording.numbers[12 * 12'345 + 8] = 1e4;  // one row each
  recording.numbers[12 * 777 + 9] = -1e4;
  Scene scene(it.model, it.mech);
  scene.set_recording(recording);
  SceneReport report;
  const ReadBundle read(scene.bundle(100'000, &report));
  EXPECT_LE(report.bytes, 100'000U);
  EXPECT_LT(report.rows, 4'000U);
  const std::vector<double> axis = read.axis();
  ASSERT_EQ(axis.size(), report.rows);
  EXPECT_TRUE(std::is_sorted(axis.begin(), axis.end(), std::less_equal<>()));  // strictly
  EXPECT_EQ(axis.front(), 0);
  EXPECT_EQ(axis.back(), 19.999);
  for (At c = 1; c < 12; ++c) {
    const std::vector<double> all = recording.column(static_cast<int>(c)),
                              kept = read.values(recording.header.channels[c].name);
    ASSERT_EQ(kept.size(), axis.size());
    const auto f = [](double x) { return static_cast<double>(static_cast<float>(x)); };
    EXPECT_EQ(*std::max_element(kept.begin(), kept.end()), f(*std::max_element(all.begin(), all.end())));
    EXPECT_EQ(*std::min_element(kept.begin(), kept.end()), f(*std::min_element(all.begin(), all.end())));
    EXPECT_EQ(kept.front(), f(all.front()));
    EXPECT_EQ(kept.back(), f(all.back()));
    // Every stretch keeps its own: nothing that is there was not recorded thereabouts.
    const At stretch = 2 * 20'000 / report.rows + 2;
    for (At i = 0; i < kept.size(); i += 97) {
      const auto row = static_cast<At>(std::lround(axis[i] * 1000));
      const At from = row > stretch ? row - stretch : 0, to = std::min(all.size(), row + stretch + 1);
      const bool is_there =
          std::any_of(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to),
                      [&](double x) { return f(x) == kept[i]; });
      EXPECT_TRUE(is_there) << c << ' ' << i;
    }
  }
  EXPECT_NE(read.head["note"].get<std::string>().find("20000 rows were recorded"), std::string::npos);
}

TEST(SceneOfRecording, what_does_not_fit_is_refused_with_a_remedy) {
  const Shipped it = shipped("puma560");
  Scene scene(it.model, it.mech);
  scene.set_recording(noise(it.mech, 2'000, 41));
  try {
    scene.bundle(500);
    FAIL();
  } catch (const SceneError& wrong) {
    EXPECT_EQ(wrong.id(), "scene-too-large");
    EXPECT_EQ(wrong.fix(), "allow more bytes, or record fewer channels");
  }
}

TEST(SceneOfRecording, one_that_does_not_say_where_bodies_are_is_refused) {
  const Shipped it = shipped("puma560");
  Recording recording;
  recording.header.channels = {{"t", "s", "", ""}, {"energy.total", "J", "", "energy"}};
  recording.numbers = {0, 1, 1, 1};
  Scene scene(it.model, it.mech);
  try {
    scene.set_recording(recording);
    FAIL();
  } catch (const SceneError& wrong) {
    EXPECT_EQ(wrong.id(), "scene-no-poses");
  }
}

TEST(SceneOfRecording, recorded_bodies_do_where_coordinates_are_missing) {
  const Shipped it = shipped("pendulum");
  Recording recording;
  const std::string body = it.mech.bodies[0].name;
  recording.header.channels.push_back({"t", "s", "", ""});
  for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"}) {
    recording.header.channels.push_back({body + "." + part, "1", "world", "bodies"});
  }
  recording.numbers = {0, 1, 2, 3, 1, 0, 0, 0, 0.1, 4, 5, 6, 0, 1, 0, 0};
  Scene scene(it.model, it.mech);
  scene.set_recording(recording);
  const ReadBundle read(scene.bundle(plenty));
  EXPECT_EQ(read.numbers(read.head["series"]["poses"]["values"]),
            (std::vector<double>{1, 4, 2, 5, 3, 6, 1, 0, 0, 1, 0, 0, 0, 0}));
}

TEST(SceneOfRecording, what_a_simulation_records_is_shown_with_its_arrows_and_its_status) {
  const Shipped it = shipped("quadruped_trot");
  const SimulatedRun run = simulate(it.mech, {.until = 0.05, .step = 1e-3, .integrator = Integrator::implicit},
                                    {"coordinates", "velocities", "accelerations", "energy", "contacts", "reactions"});
  Scene scene(it.model, it.mech);
  scene.set_recording(run.recording);
  const ReadBundle read(scene.bundle(plenty));
  std::map<std::string, int> kinds;
  for (const auto& arrow : read.head["series"]["arrows"]) ++kinds[arrow["kind"].get<std::string>()];
  EXPECT_EQ(kinds["contact"], static_cast<int>(it.mech.contacts.pairs.size()));
  EXPECT_EQ(kinds["reaction"], it.mech.joint_count());
  EXPECT_GT(kinds["velocity"], 0);
  EXPECT_EQ(read.head["status"]["run"], "done");
  EXPECT_TRUE(read.head["status"]["energy_error"].contains("channel"));
  // Standing feet carry the weight: forces of contact as the page adds them up, along up.
  double sum = 0;
  for (const auto& arrow : read.head["series"]["arrows"]) {
    if (arrow["kind"] != "contact") continue;
    sum += read.numbers(read.head["series"]["channels"][arrow["vector"][2].get<At>()]["values"]).back();
  }
  EXPECT_GT(sum, 0);
}

TEST(SceneOfRecording, virtual_masses_of_what_floats_are_those_of_the_tool) {
  const Shipped it = shipped("space_robot");
  Model model = it.model;
  if (model.outputs.empty()) model.outputs.push_back({"hand", model.bodies.back().name, {}, {}});
  const Mechanism mech = compile(model).mechanism;
  const std::vector<double> q = design_state(mech).q;
  Scene scene(model, mech);
  scene.set_recording(recording_of(mech, {q, q}));
  const ReadBundle read(scene.bundle(plenty));
  ASSERT_FALSE(read.head["series"]["ellipsoids"].empty());
  ImpulseResponse response(mech);
  response.set_position(q);
  std::array<double, 36> G{};
  ASSERT_TRUE(response.mobility(mech.outputs[0].body, mech.outputs[0].p_B, G));
  const VirtualMassEllipsoid ellipsoid = virtual_mass_ellipsoid(G);
  const auto& axes = read.head["series"]["ellipsoids"][0]["axes"]["channels"];
  for (At k = 0; k < 3; ++k) {
    Vec3d axis;
    double* parts[] = {&axis.x, &axis.y, &axis.z};
    for (At i = 0; i < 3; ++i) {
      *parts[i] = read.numbers(read.head["series"]["channels"][axes[3 * k + i].get<At>()]["values"])[0];
    }
    if (!std::isfinite(ellipsoid.mass[k])) continue;
    EXPECT_NEAR(norm(axis), ellipsoid.mass[k], 1e-6 * ellipsoid.mass[k]);
  }
}

// --- the page ---------------------------------------------------------------------------------------------------------------------

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (At at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(ScenePage, names_cannot_break_out_of_it) {
  Model model = shipped("pendulum").model;
  model.name = "</script><script>alert(1)</script><!--TRAMMEL-DATA-->";
  model.bodies[0].name = model.name;
  for (Joint& joint : model.joints) {
    if (joint.second == shipped("pendulum").model.bodies[0].name) joint.second = model.name;
    if (joint.first == shipped("pendulum").model.bodies[0].name) joint.first = model.name;
  }
  model.outputs.clear(), model.measures.clear(), model.springs.clear(), model.contacts.clear();
  const Mechanism mech = compile(model, {.for_dynamics = false}).mechanism;
  const std::string html = page_with("<html><!--TRAMMEL-DATA--></html>", Scene(model, mech).bundle(plenty));
  EXPECT_EQ(count_of(html, "<script"), 1);
  EXPECT_EQ(count_of(html, "</script"), 1);
  EXPECT_EQ(count_of(html, "alert"), 0);
  EXPECT_EQ(html.substr(0, 6), "<html>");
  EXPECT_EQ(html.substr(html.size() - 7), "</html>");
}

TEST(ScenePage, the_address_of_a_socket_cannot_either) {
  const std::string html = live_page("<!--TRAMMEL-DATA-->", "/socket?</script>\"");
  EXPECT_EQ(count_of(html, "</script"), 1);
  EXPECT_NE(html.find("\\u003c/script>\\\""), std::string::npos);
}

TEST(ScenePage, a_page_without_a_place_for_data_is_refused) {
  EXPECT_THROW(page_with("<html></html>", "x"), std::invalid_argument);
}

// RFC 4648, section 10.
TEST(ScenePage, base64_is_that_of_its_standard) {
  const std::vector<std::pair<std::string, std::string>> cases{{"", ""},
                                                               {"f", "Zg=="},
                                                               {"fo", "Zm8="},
                                                               {"foo", "Zm9v"},
                                                               {"foob", "Zm9vYg=="},
                                                               {"fooba", "Zm9vYmE="},
                                                               {"foobar", "Zm9vYmFy"},
                                                               {"\xff\xfe\xfd", "//79"}};
  for (const auto& [plain, coded] : cases) EXPECT_EQ(scene::base64(plain), coded);
}

// --- what does not change -----------------------------------------------------------------------------------------------------------

TEST(SceneOfMechanism, every_shipped_model_has_one_that_lists_all_its_parts) {
  for (const std::string& name : all_models()) {
    const Shipped it = shipped(name);
    const ReadBundle read(Scene(it.model, it.mech).bundle(plenty));
    EXPECT_EQ(read.head["trammel_scene"], 1) << name;
    EXPECT_EQ(read.head["bodies"].size(), it.model.bodies.size()) << name;
    EXPECT_EQ(read.head["joints"].size(), it.model.joints.size()) << name;
    for (At b = 0; b < it.model.bodies.size(); ++b) {
      const Body& body = it.model.bodies[b];
      const At shapes = !body.visuals.empty()  ? body.visuals.size()
                        : !body.shapes.empty() ? body.shapes.size()
                                               : body.collisions.size();
      EXPECT_EQ(read.head["bodies"][b]["shapes"].size(), shapes) << name << ' ' << body.name;
    }
    EXPECT_EQ(read.head.contains("terrain"), it.model.terrain.kind != Terrain::Kind::none) << name;
  }
}

TEST(SceneOfMechanism, terrain_and_waves_are_the_models) {
  const Shipped it = shipped("aquarobot_walking");
  if (it.model.terrain.kind == Terrain::Kind::grid) {
    const ReadBundle read(Scene(it.model, it.mech).bundle(plenty));
    const std::vector<double> heights = read.numbers(read.head["terrain"]["heights"]);
    ASSERT_EQ(heights.size(), it.model.terrain.heights.size());
    for (At i = 0; i < heights.size(); ++i) EXPECT_FLOAT_EQ(heights[i], it.model.terrain.heights[i]);
  }
  const Shipped buoy = shipped("buoy");
  const ReadBundle read(Scene(buoy.model, buoy.mech).bundle(plenty));
  ASSERT_TRUE(read.head.contains("water"));
  for (At k = 0; k < buoy.model.fluid.waves.size(); ++k) {
    const auto& wave = read.head["water"]["waves"][k];
    const double omega = 2 * std::numbers::pi / buoy.model.fluid.waves[k].period;
    EXPECT_NEAR(wave["omega"].get<double>(), omega, 1e-12);
    EXPECT_NEAR(wave["wave_number"].get<double>(),
                solve_wave_number(omega, buoy.model.fluid.depth, norm(buoy.model.gravity)), 1e-9);
    EXPECT_NEAR(wave["amplitude"].get<double>(), buoy.model.fluid.waves[k].height / 2, 1e-12);
  }
}

TEST(SceneOfMechanism, meshes_are_in_it_byte_by_byte_and_missing_ones_are_told) {
  const fs::path folder = fs::temp_directory_path() / "trammel_scene_test";
  fs::create_directories(folder);
  const std::string bytes = std::string("solid a\n\0\xff<", 11) + "endsolid";
  std::ofstream(folder / "part.STL", std::ios::binary) << bytes;
  Model model = shipped("pendulum").model;
  model.file = (folder / "model.yaml").string();
  Shape there;
  there.kind = Shape::Kind::mesh;
  Shape twice = there, missing = there, strange = there;
  there.mesh = twice.mesh = "part.STL", missing.mesh = "none.obj", strange.mesh = "package://robot/part.step";
  model.bodies[0].visuals = {there, twice, missing, strange};
  const Mechanism mech = compile(model, {.for_dynamics = false}).mechanism;
  const ReadBundle read(Scene(model, mech).bundle(plenty));
  ASSERT_EQ(read.head["meshes"].size(), 3U);
  EXPECT_EQ(read.head["meshes"][0]["format"], "stl");
  const std::vector<double> kept = read.numbers(read.head["meshes"][0]["bytes"]);
  EXPECT_EQ(std::string(kept.begin(), kept.end()).size(), bytes.size());
  for (At i = 0; i < bytes.size(); ++i) EXPECT_EQ(kept[i], static_cast<unsigned char>(bytes[i]));
  EXPECT_EQ(read.head["meshes"][1]["missing"], "none.obj: the file is not there");
  EXPECT_EQ(read.head["meshes"][2]["missing"],
            "package://robot/part.step: meshes are shown from STL, OBJ and DAE files");
  EXPECT_FALSE(read.head.contains("warnings"));  // the page tells it, once
  EXPECT_EQ(read.head["bodies"][0]["shapes"][1]["mesh"], 0);
  fs::remove_all(folder);
}

TEST(SceneLive, a_frame_is_as_the_page_on_formats_says) {
  const Shipped it = shipped("puma560");
  Workspace ws(it.mech);
  const std::vector<double> q = design_state(it.mech).q, channels{1.5, -2.5};
  const std::string frame = live_frame(it.mech, ws, q, 3.25, 0.5, channels);
  EXPECT_EQ(frame.substr(0, 8), "TRMLFRM1");
  std::uint32_t counts[2];
  double times[2];
  std::memcpy(counts, frame.data() + 8, 8);
  std::memcpy(times, frame.data() + 16, 16);
  EXPECT_EQ(counts[0], it.mech.bodies.size());
  EXPECT_EQ(counts[1], 2U);
  EXPECT_EQ(times[0], 3.25);
  EXPECT_EQ(times[1], 0.5);
  ASSERT_EQ(frame.size(), 32 + 4 * (7 * it.mech.bodies.size() + 2));
  float last[2];
  std::memcpy(last, frame.data() + frame.size() - 8, 8);
  EXPECT_EQ(last[0], 1.5F);
  EXPECT_EQ(last[1], -2.5F);
}

}  // namespace
}  // namespace trammel::test
