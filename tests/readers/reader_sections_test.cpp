// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The other sections of the native format, YAML's own ways of saying things, and files.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <fmt/format.h>
#include <unistd.h>

#include "readers/reading.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Reader, reads_the_sample_of_the_documentation) {
  std::ifstream page(test::source_dir() + "/docs/formats/native.md");
  std::string line, sample;
  while (std::getline(page, line) && line != "```yaml") {
  }
  while (std::getline(page, line) && line != "```") sample += line + "\n";
  const ReadResult result = read_yaml(sample, "sample.yaml");
  EXPECT_EQ(result.diagnostics.to_string(), "");
  const Model& m = result.model;
  EXPECT_EQ(m.name, "crank-rocker");
  EXPECT_EQ(m.gravity, (Vec3d{0, -9.81, 0}));
  ASSERT_EQ(m.bodies.size(), 3u);
  ASSERT_EQ(m.joints.size(), 4u);
  EXPECT_EQ(m.find_point("B")->p_W, (Vec3d{0.12, 0.08, 0}));
  EXPECT_EQ(m.find_body("coupler")->com, (Vec3d{0.06, 0.07, 0}));
  EXPECT_NEAR(m.find_body("coupler")->inertia.zz, 1.5e-3, 1e-18);
  EXPECT_NEAR(m.find_joint("A")->properties.viscous.at(0), 0.01 * 1e-3 * 180 / pi, 1e-18);  // N mm s/deg
  EXPECT_EQ(m.outputs.at(0).name, "coupler point");
  EXPECT_EQ(m.outputs.at(0).p_B, (Vec3d{0.06, 0.11, 0}));
}

TEST(Reader, has_defaults_for_all_but_the_version) {
  const ReadResult result = read_yaml("trammel: 1\n", "dir/my.model.yaml");
  EXPECT_EQ(result.diagnostics.to_string(), "");
  EXPECT_EQ(result.model.name, "my.model");
  EXPECT_EQ(result.model.file, "dir/my.model.yaml");
  EXPECT_EQ(result.model.gravity, (Vec3d{0, 0, -9.81}));
  EXPECT_TRUE(result.model.units.is_si());
  EXPECT_EQ(read("points:\nbodies: {}\njoints:\ncouplings: ~\noutputs: {}\ninitial:\nunits:\n").bodies.size(), 0u);
}

TEST(Reader, understands_numbers_however_they_are_written) {
  const Model m = read("points: {A: [1e-3, .5, +2], B: [-1.5E+2, 007, -0], C: [1., 12345678901234567890, 4.9e-324]}\n");
  EXPECT_EQ(m.points[0].p_W, (Vec3d{1e-3, 0.5, 2}));
  EXPECT_EQ(m.points[1].p_W, (Vec3d{-150, 7, 0}));
  EXPECT_EQ(m.points[2].p_W, (Vec3d{1, 12345678901234567890.0, 4.9e-324}));
}

TEST(Reader, takes_block_style_quotes_comments_aliases_and_a_byte_order_mark) {
  const ReadResult result = read_yaml(
      "\xEF\xBB\xBF---\n# a comment\ntrammel: 1   # the version\r\nbodies:\n"
      "  'it''s': &b\n    mass: 1\n    com:\n      - 0\n      - 0\n      - 1\n"
      "  \"tab\\u00e9\": *b\n  null model: {mass: 2, }\n...\n",
      "block.yaml");
  EXPECT_EQ(result.diagnostics.to_string(), "");
  ASSERT_EQ(result.model.bodies.size(), 3u);
  EXPECT_EQ(result.model.bodies[0].name, "it's");
  EXPECT_EQ(result.model.bodies[1].name, "tabé");
  EXPECT_EQ(result.model.bodies[1].com, (Vec3d{0, 0, 1}));
  EXPECT_EQ(result.model.bodies[2].mass, 2);
}

TEST(Reader, couples_coordinates) {
  const Model m = read(R"(units: {length: mm, angle: deg}
bodies: {a: {}, b: {}, c: {}, d: {}}
joints:
  t1:   {revolute: [ground, a], at: [0, 0, 0]}
  t2:   {revolute: [ground, b], at: [0, 0, 0]}
  s:    {prismatic: [ground, c], at: [0, 0, 0]}
  cyl:  {cylindrical: [ground, d], at: [0, 0, 0]}
  a.b:  {planar: [a, d], at: [0, 0, 0]}
couplings:
  ratio:    {gear: [t1, t2], ratio: -2.5, offset: 90}
  teeth:    {gear: [t1, t2], teeth: [20, 40]}
  ring:     {gear: [t1, t2], teeth: [20, 40], internal: true}
  rack:     {rack: [t1, s], radius: -15}
  screw:    {screw: [t1, cyl.travel], pitch: 5}
  advance:  {screw: [cyl.angle, cyl.1], advance: 2}
  mimic:    {mimic: [s, t1], ratio: 3}
  equal:    {mimic: [a.b.y, a.b.0]}
)");
  ASSERT_EQ(m.couplings.size(), 8u);
  EXPECT_EQ(m.couplings[0].kind, Coupling::Kind::gear);
  EXPECT_EQ(m.couplings[0].ratio, -2.5);
  EXPECT_DOUBLE_EQ(m.couplings[0].offset, pi / 2);
  EXPECT_EQ(m.couplings[1].ratio, -0.5);
  EXPECT_EQ(m.couplings[2].ratio, 0.5);
  EXPECT_EQ(m.couplings[3].ratio, -0.015);
  EXPECT_DOUBLE_EQ(m.couplings[4].ratio, 0.005 / (2 * pi));
  EXPECT_EQ(m.couplings[4].second, "cyl");
  EXPECT_EQ(m.couplings[4].second_dof, 1);
  EXPECT_DOUBLE_EQ(m.couplings[5].ratio, 2e-3 * 180 / pi);
  EXPECT_EQ(m.couplings[5].first_dof, 0);
  EXPECT_DOUBLE_EQ(m.couplings[6].ratio, 3 * pi / 180 / 1e-3);  // deg per mm
  EXPECT_EQ(m.couplings[7].first, "a.b");
  EXPECT_EQ(m.couplings[7].first_dof, 1);
  EXPECT_EQ(m.couplings[7].second_dof, 0);
  EXPECT_EQ(m.couplings[7].ratio, 1);
}

TEST(Reader, puts_outputs_on_bodies) {
  const Model m = read(R"(points: {P: [1, 1, 0]}
bodies: {a: {pose: {at: [1, 0, 0], rpy: [0, 0, 1.5707963267948966]}}}
outputs:
  tip:   {point: P, on: a}
  own:   {point: [0.1, 0.2, 0.3], on: a, in: a}
  world: {point: [2, 0, 0], on: ground}
)");
  EXPECT_LT(distance(m.outputs[0].p_B, {1, 0, 0}), 1e-15);
  EXPECT_EQ(m.outputs[1].p_B, (Vec3d{0.1, 0.2, 0.3}));
  EXPECT_EQ(m.outputs[2].body, "ground");
  EXPECT_EQ(m.outputs[2].p_B, (Vec3d{2, 0, 0}));
}

TEST(Reader, sets_initial_coordinates_and_speeds) {
  const Model m = read(R"(units: {length: mm, angle: deg, time: ms}
bodies: {a: {}, b: {}, c: {}, d: {}, e: {}}
joints:
  turn:  {revolute: [ground, a], at: [0, 0, 0]}
  slide: {prismatic: [ground, b], at: [0, 0, 0]}
  both:  {cylindrical: [ground, c], at: [0, 0, 0]}
  ball:  {spherical: [ground, d], at: [0, 0, 0]}
  base:  {free: [ground, e], at: [0, 0, 0]}
initial:
  turn:  90
  slide: {v: [3]}
  both:  {q: [180, 5], v: [1, 2]}
  ball:  {q: [0.7071, 0, 0.7071, 0], v: [0, 0, 180]}
  base:  {q: [1, 0, 0, 0, 100, 200, 300], v: [180, 0, 0, 1, 2, 3]}
)");
  EXPECT_DOUBLE_EQ(m.joints[0].q_initial.at(0), pi / 2);
  EXPECT_TRUE(m.joints[0].v_initial.empty());
  EXPECT_TRUE(m.joints[1].q_initial.empty());
  EXPECT_EQ(m.joints[1].v_initial, std::vector{3.0});  // mm/ms
  EXPECT_DOUBLE_EQ(m.joints[2].q_initial.at(0), pi);
  EXPECT_EQ(m.joints[2].q_initial.at(1), 0.005);
  EXPECT_DOUBLE_EQ(m.joints[2].v_initial.at(0), pi / 180 / 1e-3);
  EXPECT_EQ(m.joints[2].v_initial.at(1), 2);
  EXPECT_NEAR(m.joints[3].q_initial.at(0), std::sqrt(0.5), 1e-15);  // made a unit quaternion
  EXPECT_DOUBLE_EQ(m.joints[3].v_initial.at(2), pi / 1e-3);
  EXPECT_EQ(m.joints[4].q_initial, (std::vector{1., 0., 0., 0., 0.1, 0.2, 0.3}));
  EXPECT_DOUBLE_EQ(m.joints[4].v_initial.at(0), pi / 1e-3);
  EXPECT_EQ(m.joints[4].v_initial.at(5), 3);
}

TEST(Reader, does_not_depend_on_the_order_of_sections) {
  const Model a = read(
      "bodies: {b: {mass: 1}}\njoints: {J: {revolute: [ground, b], at: P}}\npoints: {P: [1, 0, 0]}\n"
      "units: {length: mm}\n");
  EXPECT_EQ(a.joints[0].X_AF.p, (Vec3d{0.001, 0, 0}));
}

TEST(Reader, refuses_what_a_program_may_allow) {
  const std::string text = "trammel: 1\nname: " + std::string(100, 'x') + "\n";
  EXPECT_TRUE(read_yaml(text, "a.yaml", {.max_bytes = 200}).ok());
  EXPECT_EQ(read_yaml(text, "a.yaml", {.max_bytes = 100}).diagnostics.all().at(0).id, "file-too-large");
}

// --- files ----------------------------------------------------------------------------------------------------------

class ReadModel : public ::testing::Test {
 protected:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("trammel_{}_read_model", getpid());

  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  // Messages with the folder left out.
  std::string messages_of(const std::string& name) const {
    std::string text = read_model((folder / name).string()).diagnostics.to_string();
    const std::string prefix = folder.string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }
};

TEST_F(ReadModel, goes_by_the_extension) {
  for (const char* name : {"arm.yaml", "arm.yml", "arm.YAML"}) {
    const ReadResult result = read_model(write(name, "trammel: 1\n"));
    EXPECT_TRUE(result.ok()) << name;
    EXPECT_EQ(result.model.name, "arm");
  }
  write("arm.urdf", "<robot/>");
  write("arm.stl", "solid");
  write("arm", "trammel: 1\n");
  EXPECT_EQ(messages_of("arm.urdf"),
            "arm.urdf:1:1: warning: <robot> has no 'name'; the name of the file is taken\n"
            "  fix: add name=\"…\"      [missing-attribute]\n"
            "arm.urdf:1:1: error: the robot has no links\n"
            "  fix: add <link name=\"…\"/>      [no-bodies]\n");
  EXPECT_EQ(messages_of("arm.stl"),
            "arm.stl: error: no format is known by the extension '.stl'\n"
            "  fix: give the file the extension of its format: .yaml native, .urdf URDF, .xml MJCF, .kam KAM, .dm "
            "DynaMechs; or say "
            "--from      "
            "[file-format]\n");
  EXPECT_EQ(messages_of("arm"),
            "arm: error: the file has no extension that tells its format\n"
            "  fix: give the file the extension of its format: .yaml native, .urdf URDF, .xml MJCF, .kam KAM, .dm "
            "DynaMechs; or say "
            "--from      "
            "[file-format]\n");
}

TEST_F(ReadModel, says_when_there_is_no_file_to_read) {
  EXPECT_EQ(messages_of("nowhere.yaml"),
            "nowhere.yaml: error: there is no such file\n  fix: check the path      [file-not-found]\n");
  std::filesystem::create_directory(folder / "folder.yaml");
  EXPECT_EQ(messages_of("folder.yaml"),
            "folder.yaml: error: this is a directory\n  fix: name a file in it      [file-unreadable]\n");
  write("secret.yaml", "trammel: 1\n");
  std::filesystem::permissions(folder / "secret.yaml", std::filesystem::perms::none);
  if (getuid() == 0) return;  // root reads everything
  EXPECT_EQ(messages_of("secret.yaml"),
            "secret.yaml: error: the file cannot be read\n  fix: check its permissions      [file-unreadable]\n");
}

}  // namespace
}  // namespace trammel::test
