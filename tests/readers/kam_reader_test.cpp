// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What KAM statements and data become in the model. That the programs of models/kam move as they should is in
// tests/reference/kam_programs_test.cpp.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/readers.hpp>

#include "readers/kam_words.hpp"
#include "readers/reading.hpp"
#include "readers/same_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

namespace fs = std::filesystem;

const fs::path programs = fs::path(test::source_dir()) / "models/kam";

std::string contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The program of the paper, as it is printed there.
const std::string paper = R"(REMARK/FRBAR BENT LINK
  DIMENSION/PT (8)
  BASE/PT (2), PT (3) PT(1)
REMARK/BODIES
  BODY1 = BODY/PT (5), PT (4), PT (6)
  DRIVE = BODY/PT (3), PT (2), PT (4)
  OUTL = BODY/PT (7), PT (6), PT (8)
REMARK/CONSTRAINTS
  REV1 = REVLUT/PT (3), PT (2)
  CYL1 = CYLNDR/PT (5), PT (4)
  CYL2 = CYLNDR/PT (7), PT (6)
  CYL3 = CYLNDR/PT (1), PT (8)
REMARK/FORCES AND TORQUES
  T21 = TORQUE/DRIVE (PT (3)), PT (2), PT (3)
  F14 = FLOAD/OUTL (PT (1)), PT (8), PT (1)
  T14 = TLOAD/OUTL (PT (1)), PT (8), PT (1), F14
REMARK/MOTION INPUT
  W21 = MOTION/REV1, PT (2), PT (3)
REMARK/MOTION OUTPUT STATEMENTS FOR FRBAR
  P5INR2 = MOTOUT/BODY1, PT (5)
  P7INC2 = MOTOUT/OUTL, PT (7)
  P1INC3 = MOTOUT/OUTL, PT (8)
REMARK/LOOPS
  LOOP1 = LOOP/REV1, DRIVE, CYL1, BODY1, CYL2, OUTL, CYL3
REMARK/POSITION INPUT
  THETA = INANG/LOOP1 (REV1)
  FRBAR = SYSTEM/LOOP1
  END
)";

const std::string numbers = R"(  PT(1) = -5, 0, 0
  PT(2) = 0, 0, -0.5
  PT(3) = 0, 0, 0
  PT(4) = 2, 3, -4
  PT(5) = 2, 1, 0
  PT(6) = -1, -2, -1
  PT(7) = -1, -2, 1
  PT(8) = -5, -4, -3
  THETA = 0, 6, 0.5
  W21 = 2, 3
  T21 = 100
  T14 = 1.5, 10
)";

Model read_program(const std::string& text, const ReadOptions& options = {}) {
  ReadResult result = read_kam(text, "test.kam", options);
  EXPECT_EQ(result.diagnostics.to_string(), "");
  EXPECT_EQ(result.format, Format::kam);
  return std::move(result.model);
}
std::string messages_of(const std::string& text) { return read_kam(text, "test.kam").diagnostics.to_string(); }

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  std::size_t found = 0;
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
    ++found;
  }
  EXPECT_GT(found, 0u) << old;
  return text;
}

template <class Item>
const Item& named(const std::vector<Item>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Item& item) { return item.name == name; });
  if (found == list.end()) ADD_FAILURE() << "no " << name;
  return found == list.end() ? list.at(0) : *found;
}

// --- the language -------------------------------------------------------------------------------------------------------

TEST(KamListing, of_the_paper_is_shipped_to_the_byte) {
  std::string shipped = contents_of(programs / "frbar.kam");
  if (!shipped.empty() && shipped.back() != '\n') shipped += '\n';
  EXPECT_EQ(shipped, paper);
}

TEST(KamListing, of_the_paper_becomes_a_model) {
  const Model model = read_program(paper + numbers);
  EXPECT_EQ(model.name, "FRBAR");
  EXPECT_EQ(model.points.size(), 8u);
  ASSERT_EQ(model.bodies.size(), 3u);
  EXPECT_EQ(model.bodies[0].name, "BODY1");  // in the order of the listing
  EXPECT_EQ(distance(model.bodies[0].X_WB, Transformd::translation({2, 1, 0})), 0);
  ASSERT_EQ(model.joints.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<Revolute>(model.joints[0].type));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(std::holds_alternative<Cylindrical>(model.joints[i].type)) << i;
  EXPECT_EQ(model.joints[1].first + " " + model.joints[1].second, "DRIVE BODY1");
  EXPECT_EQ(model.joints[3].first + " " + model.joints[3].second, "OUTL ground");
  ASSERT_EQ(model.inputs.size(), 1u);
  const Input& input = model.inputs[0];
  EXPECT_EQ(input.joint, "REV1");
  EXPECT_EQ((std::vector<double>{input.from, input.to, input.step, input.speed, input.acceleration}),
            (std::vector<double>{0, 6, 0.5, 2, 3}));
  ASSERT_EQ(model.outputs.size(), 3u);
  EXPECT_EQ(model.outputs[2].name + " on " + model.outputs[2].body, "P1INC3 on OUTL");
  EXPECT_EQ(distance(model.outputs[2].p_B, Vec3d{-4, -2, -4}), 0);  // from PT(7) to PT(8)
  EXPECT_EQ(norm(model.gravity), 0);
}

TEST(KamListing, takes_small_letters_and_ends_of_lines_of_other_systems) {
  const Model model = read_program(paper + numbers);
  std::string small = paper + numbers;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  EXPECT_EQ(first_difference(model, read_program(small)), "");
  EXPECT_EQ(first_difference(model, read_program(replaced(paper + numbers, "\n", "\r\n"))), "");
  EXPECT_EQ(first_difference(model, read_program("\xEF\xBB\xBF" + paper + numbers)), "");
  EXPECT_EQ(first_difference(model, read_program(replaced(paper + numbers, "  ", "\t \t"))), "");
}

TEST(KamListing, needs_neither_commas_nor_blanks) {
  const Model model = read_program(paper + numbers);
  EXPECT_EQ(first_difference(model, read_program(replaced(paper + numbers, ", ", " "))), "");
  std::string tight;  // no blank but in remarks
  for (const char c : paper + numbers) {
    if (c != ' ' || tight.substr(tight.rfind('\n') + 1).starts_with("REMARK")) tight += c;
  }
  EXPECT_EQ(first_difference(model, read_program(tight)), "");
}

TEST(KamListing, goes_on_behind_a_dollar_and_has_comments_behind_two) {
  const Model model = read_program(paper + numbers);
  std::string continued = replaced(paper + numbers, "LOOP/REV1, DRIVE, ", "LOOP/REV1, $ FROM THE GROUND\n DRIVE, $\n");
  continued = replaced(continued, "SYSTEM/LOOP1", "SYSTEM/ $\n LOOP1 $$ ALL THERE IS, $ AND %&!");
  continued = replaced(continued, "T21 = 100", "T21 = $\n100 $$ N M");
  Model other = read_program(continued);
  EXPECT_EQ(first_difference(model, other), "");
  EXPECT_EQ(
      first_difference(model, read_program("REMARK $ IN A REMARK IS A DOLLAR, \xC3\xA4 A LETTER\n" + paper + numbers)),
      "");
}

TEST(KamListing, may_have_its_statements_in_any_order) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < paper.size(); at = paper.find('\n', at) + 1)
    lines.push_back(paper.substr(at, paper.find('\n', at) + 1 - at));
  std::reverse(lines.begin(), lines.end() - 1);  // END stays last
  std::string reversed;
  for (const std::string& line : lines) reversed += line;
  const Model model = read_program(paper + numbers), other = read_program(reversed + numbers);
  for (const Joint& joint : model.joints) {
    const Joint& same = named(other.joints, joint.name);
    EXPECT_EQ(joint.first + " " + joint.second, same.first + " " + same.second);
    EXPECT_EQ(distance(joint.X_AF, same.X_AF) + distance(joint.X_BM, same.X_BM), 0);
  }
  EXPECT_EQ(other.bodies.front().name, "OUTL");
  EXPECT_EQ(other.loads.size(), 3u);
}

TEST(KamListing, places_what_it_makes_where_the_file_has_it) {
  const Model model = read_program(paper + numbers);
  EXPECT_EQ(named(model.joints, "CYL2").where.line, 11);
  EXPECT_EQ(named(model.joints, "CYL2").where.column, 3);
  EXPECT_EQ(named(model.bodies, "OUTL").where.line, 7);
  EXPECT_EQ(named(model.loads, "T14").where.line, 16);
  EXPECT_EQ(model.inputs[0].where.line, 26);
}

TEST(KamListing, may_declare_several_arrays_of_points) {
  std::string text = replaced(paper + numbers, "DIMENSION/PT (8)", "DIMENSION/PT(7), Q(3)");
  text = replaced(text, "PT (8)", "Q(2)");
  text = replaced(text, "PT(8) =", "Q(2) =");
  EXPECT_EQ(distance(named(read_program(text).points, "Q(2)").p_W, Vec3d{-5, -4, -3}), 0);
}

TEST(KamPage, lists_every_word_and_unit) {
  const std::string page = contents_of(fs::path(test::source_dir()) / "docs/formats/kam.md");
  for (const readers::kam::WordInfo& info : readers::kam::all_words()) {
    EXPECT_NE(page.find(fmt::format("`{}", readers::kam::form_of(info.word, "NAME"))), std::string::npos) << info.text;
  }
  for (const char* word : {"REMARK/", "UNITS/", "GRAVTY/"}) EXPECT_NE(page.find(word), std::string::npos) << word;
}

// --- pairs --------------------------------------------------------------------------------------------------------------

// Ground - REV1 - A - the pair in question - B - REV2 - ground; PT(4) to PT(6) are the pair's.
std::string around(const std::string& pair, const std::string& points, const std::string& before,
                   const std::string& after) {
  return fmt::format(
      "DIMENSION/PT(8)\nBASE/PT(2), PT(3), PT(1)\nA = LINK/PT(3), {}\nB = LINK/{}, PT(7)\nREV1 = REVLUT/PT(3), PT(2)\n"
      "X = {}\nREV2 = REVLUT/PT(1), PT(7)\nLOOP1 = LOOP/REV1, A, X, B, REV2\nTHETA = INANG/LOOP1(REV1)\nS = "
      "SYSTEM/LOOP1\n"
      "END\nPT(1) = 9, 0, 0\nPT(2) = 0, 0, 0\nPT(3) = 0, 0, 1\nPT(7) = 9, 0, 1\nTHETA = 0\n{}",
      before, after, pair, points);
}

// Where F of the first and M of the second body are in the world, which must be one place.
Transformd frame_of(const Model& model, const std::string& joint_name) {
  const Joint& joint = named(model.joints, joint_name);
  const auto pose = [&](const std::string& name) {
    const Body* body = model.find_body(name);
    return body == nullptr ? Transformd{} : body->X_WB;
  };
  const Transformd F = pose(joint.first) * joint.X_AF, M = pose(joint.second) * joint.X_BM;
  EXPECT_LT(distance(F, M), 1e-14);
  EXPECT_EQ(joint.first + " " + joint.second, joint_name == "X" ? "A B" : joint.first + " " + joint.second);
  return F;
}

TEST(KamPairs, with_an_axis_run_from_M_to_N) {
  const std::string points = "PT(4) = 3, 1, 1\nPT(5) = 3, 1, -4\n";
  const auto check = [&]<class Type>(const char* word, Type) {
    const Model model = read_program(around(fmt::format("{}/PT(5), PT(4)", word), points, "PT(4)", "PT(5)"));
    EXPECT_TRUE(std::holds_alternative<Type>(named(model.joints, "X").type)) << word;
    const Transformd frame = frame_of(model, "X");
    EXPECT_EQ(distance(frame.R.ez, Vec3d{0, 0, -1}), 0) << word;
    EXPECT_EQ(distance(frame.p, Vec3d{3, 1, -4}), 0) << word;
  };
  check("REVLUT", Revolute{});
  check("PRISM", Prismatic{});
  check("CYLNDR", Cylindrical{});
}

TEST(KamPairs, that_are_spheric_have_a_centre) {
  for (const char* points : {"PT(4)", "PT(4), PT(4)"}) {
    const Model model = read_program(around(fmt::format("SPHERE/{}", points), "PT(4) = 3, 1, 1\n", "PT(4)", "PT(4)"));
    EXPECT_TRUE(std::holds_alternative<Spherical>(named(model.joints, "X").type));
    EXPECT_EQ(distance(frame_of(model, "X"), Transformd::translation({3, 1, 1})), 0);
  }
  const Model two = read_program(around("SPHERE/PT(5), PT(4)", "PT(4) = 3, 1, 1\nPT(5) = 3, 1, 1\n", "PT(4)", "PT(5)"));
  EXPECT_EQ(distance(frame_of(two, "X"), Transformd::translation({3, 1, 1})), 0);
}

TEST(KamPairs, that_are_planar_have_their_normal_from_M_to_K) {
  const Model model = read_program(
      around("PLANAR/PT(5), PT(4), PT(6)", "PT(4) = 3, 1, 1\nPT(5) = 3, 7, 1\nPT(6) = 5, 1, 1\n", "PT(4)", "PT(5)"));
  EXPECT_TRUE(std::holds_alternative<Planar>(named(model.joints, "X").type));
  EXPECT_EQ(distance(frame_of(model, "X").R.ez, Vec3d{1, 0, 0}), 0);
  EXPECT_EQ(distance(frame_of(model, "X").p, Vec3d{3, 7, 1}), 0);
}

TEST(KamPairs, that_are_universal_have_one_axis_on_each_body) {
  const Model model = read_program(
      around("UNIVRS/PT(5), PT(4), PT(6)", "PT(4) = 3, 1, 5\nPT(5) = 3, 7, 1\nPT(6) = 3, 1, 1\n", "PT(6)", "PT(6)"));
  EXPECT_TRUE(std::holds_alternative<Universal>(named(model.joints, "X").type));
  const Transformd frame = frame_of(model, "X");
  EXPECT_EQ(distance(frame.R.ex, Vec3d{0, 0, 1}), 0);  // towards M, fixed in F, on the body before it
  EXPECT_EQ(distance(frame.R.ey, Vec3d{0, 1, 0}), 0);  // towards N, fixed in M
  EXPECT_EQ(distance(frame.p, Vec3d{3, 1, 1}), 0);
}

TEST(KamPairs, used_in_two_loops_are_one_joint) {
  const ReadResult result = read_model((programs / "suspension.kam").string());
  ASSERT_EQ(result.diagnostics.to_string(), "");
  EXPECT_EQ(result.model.bodies.size(), 5u);
  EXPECT_EQ(result.model.joints.size(), 7u);
  EXPECT_EQ(named(result.model.joints, "BALLL").first, "LOWARM");  // as the first loop passes it
  EXPECT_EQ(named(result.model.joints, "BALLL").second, "UPRGHT");
}

// --- inputs -------------------------------------------------------------------------------------------------------------

TEST(KamInputs, turn_about_the_axis_of_their_motion) {
  const Model model = read_program(paper + numbers);
  EXPECT_EQ(distance(frame_of(model, "REV1").R.ez, Vec3d{0, 0, 1}), 0);
  const Model reversed =
      read_program(replaced(paper + numbers, "MOTION/REV1, PT (2), PT (3)", "MOTION/REV1, PT (3), PT (2)"));
  EXPECT_EQ(distance(frame_of(reversed, "REV1").R.ez, Vec3d{0, 0, -1}), 0);
  EXPECT_EQ(named(reversed.joints, "REV1").first, "ground");
}

TEST(KamInputs, at_the_end_of_a_loop_are_of_the_body_relative_to_the_ground) {
  const ReadResult result = read_model((programs / "fivebar.kam").string());
  ASSERT_EQ(result.diagnostics.to_string(), "");
  const Joint& last = named(result.model.joints, "REV5");
  EXPECT_EQ(last.first + " " + last.second, "ground RIGHT");
  EXPECT_EQ(distance(frame_of(result.model, "REV5").R.ez, Vec3d{0, 0, 1}), 0);  // MOTION/REV5, PT(1), PT(10)
  ASSERT_EQ(result.model.inputs.size(), 2u);
  EXPECT_EQ(result.model.inputs[1].joint, "REV5");
}

TEST(KamInputs, need_no_motion_and_may_be_one_value) {
  std::string text = replaced(paper + numbers, "  W21 = MOTION/REV1, PT (2), PT (3)\n", "");
  text = replaced(replaced(text, "  W21 = 2, 3\n", ""), "THETA = 0, 6, 0.5", "THETA = 0.25");
  const Input input = read_program(text).inputs.at(0);
  EXPECT_EQ(input.from, 0.25);
  EXPECT_EQ(input.to, 0.25);
  EXPECT_EQ(input.step, 0);
  EXPECT_EQ(input.speed, 0);
}

// --- loads --------------------------------------------------------------------------------------------------------------

TEST(KamLoads, are_known_or_resisting_or_bound) {
  const Model model = read_program(paper + numbers);
  ASSERT_EQ(model.loads.size(), 3u);
  const Load &torque = model.loads[0], &force = model.loads[1], &couple = model.loads[2];
  EXPECT_TRUE(torque.is_couple);
  EXPECT_EQ(torque.size->at(0.0), 100);
  EXPECT_EQ(torque.at.body, "DRIVE");
  EXPECT_EQ(distance(torque.direction, Vec3d{0, 0, 1}), 0);
  EXPECT_TRUE(force.is_resisting());
  EXPECT_FALSE(force.is_couple);
  EXPECT_EQ(distance(force.direction, Vec3d{0, 0.8, 0.6}), 0);  // PT(8) to PT(1)
  EXPECT_EQ(distance(force.at.p_B, Vec3d{-4, 2, -1}), 0);       // PT(1), from PT(7)
  EXPECT_TRUE(couple.is_resisting());
  EXPECT_EQ(couple.bound_to, "F14");
  EXPECT_EQ(couple.ratio, 1.5);
  EXPECT_EQ(couple.offset, 10);
}

TEST(KamLoads, may_bind_a_force_to_a_couple) {
  std::string text = replaced(paper + numbers, "PT (8), PT (1), F14", "PT (8), PT (1)");
  text = replaced(text, "FLOAD/OUTL (PT (1)), PT (8), PT (1)", "FLOAD/OUTL (PT (1)), PT (8), PT (1), T14");
  text = replaced(text, "T14 = 1.5, 10", "F14 = 2, 3\nUNITS/MM");
  const Load force = named(read_program(text).loads, "F14");
  EXPECT_EQ(force.bound_to, "T14");
  EXPECT_EQ(force.ratio, 2000);  // N per N mm
  EXPECT_EQ(force.offset, 3);
}

// Directions of the ground stay, those of the body turn with it.
TEST(KamLoads, turn_with_their_body_where_their_points_do) {
  const auto load = [&](const std::string& direction) {
    return named(read_program(replaced(paper + numbers, "T21 = TORQUE/DRIVE (PT (3)), PT (2), PT (3)",
                                       "T21 = TORQUE/DRIVE (PT (3)), " + direction))
                     .loads,
                 "T21");
  };
  EXPECT_FALSE(load("PT (2), PT (3)").turns_along);  // the axis of REV1: fixed on both
  EXPECT_FALSE(load("PT (1), PT (2)").turns_along);  // BASE
  EXPECT_TRUE(load("PT (3), PT (4)").turns_along);   // DRIVE
  EXPECT_TRUE(load("PT (5), PT (4)").turns_along);   // the axis of CYL1, on DRIVE and BODY1
  EXPECT_EQ(distance(load("PT (5), PT (4)").direction, Vec3d{0, 2, -4} * (1 / std::sqrt(20.0))), 0);
  // The axis of a hinge is on both its bodies, that of a cylindric pair is not.
  std::string hinged = replaced(paper + numbers, "T21 = TORQUE/DRIVE (PT (3)), PT (2), PT (3)",
                                "T21 = TORQUE/DRIVE (PT (3)), PT (3), PT (5)");
  EXPECT_TRUE(read_kam(hinged, "hinged.kam").diagnostics.has_errors());
  hinged = replaced(hinged, "CYL1 = CYLNDR", "CYL1 = REVLUT");
  EXPECT_TRUE(named(read_program(hinged).loads, "T21").turns_along);
  std::string loose = replaced(paper + numbers, "DIMENSION/PT (8)", "DIMENSION/PT (11)");
  loose =
      replaced(loose, "T21 = TORQUE/DRIVE (PT (3)), PT (2), PT (3)", "T21 = FORCE/DRIVE (PT (11)), PT (9), PT (10)");
  loose += "PT(9) = 0, 0, 0\nPT(10) = 0, -2, 0\nPT(11) = 1, 1, 1\n";
  const Load down = named(read_program(loose).loads, "T21");
  EXPECT_FALSE(down.turns_along);
  EXPECT_EQ(distance(down.direction, Vec3d{0, -1, 0}), 0);
}

// --- data ---------------------------------------------------------------------------------------------------------------

TEST(KamData, are_in_the_units_that_they_name) {
  const Model model =
      read_program(paper + numbers + "UNITS/MM, deg, LBF, Min, G\nGRAVTY/0, 0, -35316000\nDRIVE = 1500\n");
  EXPECT_EQ(model.units.length, "mm");
  EXPECT_EQ(model.units.time, "min");
  EXPECT_EQ(distance(named(model.points, "PT(1)").p_W, Vec3d{-0.005, 0, 0}), 0);
  EXPECT_NEAR(model.inputs[0].to, 6 * std::numbers::pi / 180, 1e-16);
  EXPECT_NEAR(model.inputs[0].speed, 2 * std::numbers::pi / 180 / 60, 1e-18);
  EXPECT_NEAR(model.inputs[0].acceleration, 3 * std::numbers::pi / 180 / 3600, 1e-18);
  EXPECT_NEAR(model.loads[0].size->at(0.0), 100 * 4.4482216152605e-3, 1e-15);
  EXPECT_NEAR(model.loads[2].ratio, 1.5e-3, 1e-18);
  EXPECT_NEAR(model.loads[2].offset, 10 * 4.4482216152605e-3, 1e-16);
  EXPECT_EQ(named(model.bodies, "DRIVE").mass, 1.5);
  EXPECT_NEAR(model.gravity.z, -9.81, 1e-14);
}

TEST(KamData, give_bodies_mass_as_a_rod_or_in_full) {
  const Model model =
      read_program(paper + numbers + "DRIVE = 12\nBODY1 = 2, 3, 4, 5\nOUTL = 3, 1, 2, 3, 4, 5, 6, 0.1, 0.2, 0.3\n");
  const Body &rod = named(model.bodies, "DRIVE"), &point = named(model.bodies, "BODY1"),
             &full = named(model.bodies, "OUTL");
  const Vec3d d{2, 3, -4};  // from PT(3) to PT(4)
  EXPECT_EQ(distance(rod.com, d * 0.5), 0);
  EXPECT_EQ(distance(rod.inertia, Sym3d{25, 20, 13, -6, 8, 12}), 0);  // 12/12 (d·d 1 − d dᵀ)
  EXPECT_EQ(distance(point.com, Vec3d{1, 3, 5}), 0);                  // from PT(5)
  EXPECT_EQ(distance(point.inertia, Sym3d{}), 0);
  EXPECT_EQ(distance(full.inertia, Sym3d{4, 5, 6, 0.1, 0.2, 0.3}), 0);
}

class KamDataFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("trammel_kam_{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string save(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(KamDataFile, beside_the_listing_is_found) {
  const std::string listing = save("linkage.kam", paper), data = save("linkage.dat", numbers);
  const ReadResult result = read_model(listing);
  EXPECT_EQ(result.diagnostics.to_string(), "");
  EXPECT_EQ(result.included, std::vector<std::string>{data});
  EXPECT_EQ(first_difference(result.model, read_program(paper + numbers)), "");
}

TEST_F(KamDataFile, beside_the_listing_is_not_wanted_where_data_follow_END) {
  const std::string listing = save("linkage.kam", paper + numbers);
  save("linkage.dat", "THIS IS NOT KAM\n");
  const ReadResult result = read_model(listing);
  EXPECT_EQ(result.diagnostics.to_string(), "");
  EXPECT_TRUE(result.included.empty());
}

TEST_F(KamDataFile, that_is_named_changes_what_follows_END) {
  const std::string data = save("other.dat", "REMARK/HEAVIER\nT21 = 200\nPT(1) = -6, 0, 0\n");
  const Model model = read_program(paper + "UNITS/MM\n" + numbers, {.data = data});
  EXPECT_EQ(named(model.loads, "T21").size->at(0.0), 0.2);  // N m; the units are still those after END
  EXPECT_EQ(distance(named(model.points, "PT(1)").p_W, Vec3d{-0.006, 0, 0}), 0);
  EXPECT_EQ(distance(named(model.points, "PT(4)").p_W, Vec3d{0.002, 0.003, -0.004}), 0);
  const std::string in_metres = save("metres.dat", "UNITS/M\nT21 = 200\n");
  const Model mixed = read_program(paper + "UNITS/MM\n" + numbers, {.data = in_metres});
  EXPECT_EQ(named(mixed.loads, "T21").size->at(0.0), 200);
  EXPECT_EQ(distance(named(mixed.points, "PT(4)").p_W, Vec3d{0.002, 0.003, -0.004}), 0);
  EXPECT_EQ(mixed.units.length, "m");
}

TEST_F(KamDataFile, has_messages_of_its_own) {
  const std::string listing = save("linkage.kam", paper), missing = (folder_ / "none.dat").string();
  const std::string data = save("bad.dat", replaced(numbers, "T21 = 100", "T12 = 100"));
  EXPECT_EQ(read_model(listing, {.data = data}).diagnostics.to_string(),
            fmt::format("{}:11:3: error: the listing has no 'T12'\n"
                        "  fix: did you mean 'T21'?      [kam-data-unknown]\n"
                        "{}:14:3: error: the data do not give the size of load 'T21'\n"
                        "  fix: add T21 = size to the data      [kam-data-missing]\n",
                        data, listing));
  EXPECT_EQ(read_model(listing, {.data = missing}).diagnostics.to_string(),
            missing + ": error: there is no such file\n  fix: check the path      [file-not-found]\n");
  EXPECT_EQ(
      read_model(listing).diagnostics.to_string(),
      listing +
          ":28:3: error: there are no data for this listing\n"
          "  fix: write them after END, or into linkage.dat beside it, or say --data FILE      [kam-data-missing]\n");
}

TEST(KamData, of_another_format_are_not_asked_for) {
  EXPECT_EQ(messages_of(paper),
            "test.kam:28:3: error: there are no data for this listing\n"
            "  fix: write them after END, or into test.dat beside it, or say --data FILE      [kam-data-missing]\n");
  EXPECT_EQ(read_kam(paper, "stdin").diagnostics.to_string(),
            "stdin:28:3: error: there are no data for this listing\n"
            "  fix: write them after END, or say --data FILE      [kam-data-missing]\n");
}

// --- the model ----------------------------------------------------------------------------------------------------------

TEST(KamModel, survives_being_written_as_native_yaml) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator(programs)) {
    if (entry.path().extension() != ".kam") continue;
    const ReadResult result = read_model(entry.path().string());
    ASSERT_EQ(result.diagnostics.to_string(), "") << entry.path();
    const ReadResult back = read_yaml(write_yaml(result.model, true), "back.yaml");
    EXPECT_EQ(back.diagnostics.to_string(), "") << entry.path();
    EXPECT_EQ(first_difference(result.model, back.model), "") << entry.path();
    const ReadResult in_units = read_yaml(write_yaml(result.model), "back.yaml");
    EXPECT_EQ(in_units.diagnostics.to_string(), "") << entry.path();
    EXPECT_EQ(first_difference(result.model, in_units.model, 1e-14), "") << entry.path();
    ++found;
  }
  EXPECT_GE(found, 10);
}

TEST(KamModel, may_be_asked_for_whatever_the_extension) {
  const ReadResult result = read_model((programs / "frbar.dat").string(), {.format = Format::kam});
  EXPECT_EQ(result.format, Format::kam);
  EXPECT_FALSE(result.ok());
}

}  // namespace
}  // namespace trammel::test
