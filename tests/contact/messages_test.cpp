// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is said about terrain files, materials and contacts that cannot be, by its text.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

#include "readers/terrain_files.hpp"

namespace trammel::test {
namespace {

using readers::parse_dynamechs_terrain;
using readers::parse_esri_terrain;
using readers::TerrainGrid;

TEST(TerrainFiles, dynamechs) {
  TerrainGrid grid;
  EXPECT_EQ(parse_dynamechs_terrain("# floor\n2 3 0.5\n1 2 3\n4 5 6 # last\n", grid).id, "");
  EXPECT_EQ(grid.nx, 2);
  EXPECT_EQ(grid.ny, 3);
  EXPECT_EQ(grid.spacing, 0.5);
  EXPECT_EQ(grid.heights, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(TerrainFiles, esri_rows_go_from_north_to_south) {
  TerrainGrid grid;
  EXPECT_EQ(parse_esri_terrain(
                "ncols 3\nnrows 2\nxllcorner 10\nyllcenter 20\ncellsize 2\nNODATA_value -9999\n1 2 3\n4 5 6\n", grid)
                .id,
            "");
  EXPECT_EQ(grid.nx, 3);
  EXPECT_EQ(grid.ny, 2);
  EXPECT_EQ(grid.x0, 11);
  EXPECT_EQ(grid.y0, 20);
  EXPECT_EQ(grid.heights, (std::vector<double>{4, 1, 5, 2, 6, 3}));
}

TEST(TerrainFiles, that_are_damaged) {
  TerrainGrid grid;
  const auto dat = [&](const char* text) { return parse_dynamechs_terrain(text, grid).what; };
  const auto asc = [&](const char* text) { return parse_esri_terrain(text, grid).what; };
  EXPECT_EQ(dat("3 3 1\n1 2 3\n4 5 6\n7"), "ends after 7 of 9 heights");
  EXPECT_EQ(parse_dynamechs_terrain("3 3 1\n1 2 3", grid).id, "terrain-truncated");
  EXPECT_EQ(dat("3 3"), "ends in line 1, before the spacing");
  EXPECT_EQ(dat("3 3 1\n1 2 x"), "has 'x' in line 2, where a height should stand");
  EXPECT_EQ(dat("1 3 1\n1 2 3"), "has 1 by 3 nodes");
  EXPECT_EQ(dat("2.5 3 1\n1 2 3"), "has 2.5 by 3 nodes");
  EXPECT_EQ(dat("2 2 0\n1 2 3 4"), "has a spacing of 0");
  EXPECT_EQ(dat("2 2 1\n1 2 3 nan"), "has 'nan' in line 2, where a height should stand");
  EXPECT_EQ(dat("2 2 1\n1 2 3 4 5"), "goes on after its last height, with '5' in line 2");
  EXPECT_EQ(dat("9999999 9999999 1\n"), "has 9999999 by 9999999 nodes");
  EXPECT_EQ(asc("ncols 2\nnrows 2\ncellsize 1\n1 2 3"), "ends after 3 of 4 heights");
  EXPECT_EQ(asc("ncols 2\nrows 2\n"), "has 'rows' in line 2, which is no word of an ESRI grid");
  EXPECT_EQ(asc("ncols 2\nnrows 2\n1 2 3 4"), "does not say ncols, nrows and cellsize");
  EXPECT_EQ(asc("ncols 2\nnrows 2\ncellsize 1\nnodata_value -1\n1 -1 3 4"), "has no data for row 1, column 2");
}

class InFolder {
 public:
  InFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("trammel_terrain_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
               std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~InFolder() { std::filesystem::remove_all(path_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

const std::string ball = R"(trammel: 1
bodies: {ball: {pose: [0.5, 0.5, 1], mass: 1, shape: {sphere: 0.1}}}
joints: {base: {free: [ground, ball]}}
)";

// The messages without the name of the file.
std::string messages_of(const std::string& rest, const std::string& file = "model.yaml") {
  const ReadResult read = read_yaml(ball + rest, file);
  std::string text = read.diagnostics.to_string();
  if (read.ok()) {
    const CompileResult compiled = compile(read.model);
    text += compiled.diagnostics.to_string();
    if (compiled.ok()) text += terrain_warnings(compiled.mechanism, initial_state(compiled.mechanism)).to_string();
  }
  for (std::size_t at = text.find(file + ":"); at != std::string::npos; at = text.find(file + ":"))
    text.erase(at, file.size() + 1);
  return text;
}

TEST(ContactMessages, a_truncated_terrain_file) {
  const InFolder folder;
  folder.put("floor.dat", "3 3 1\n0 0 0\n0 0 0\n0");
  EXPECT_EQ(messages_of("environment: {terrain: {grid: {file: floor.dat}}}\n", folder.put("m.yaml", "")),
            "4:38: error: the terrain file 'floor.dat' ends after 7 of 9 heights\n"
            "  fix: get the whole file, or correct its number of nodes      [terrain-truncated]\n");
}

TEST(ContactMessages, a_terrain_file_is_found_beside_the_model) {
  const InFolder folder;
  folder.put("floor.asc", "ncols 2\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 4\n1 1\n1 1\n");
  const ReadResult read = read_yaml(ball + "environment: {terrain: {grid: {file: floor.asc}, at: [-1, -1, 0]}}\n",
                                    folder.put("m.yaml", ""));
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  EXPECT_EQ(find_ground(read.model.terrain, {0, 0, 1.5}).distance, 0.5);
  EXPECT_EQ(read.model.terrain.X_WT.p, (Vec3d{-1, -1, 0}));
}

const std::string grid = "environment: {terrain: {grid: {spacing: 0.2, heights: [[0, 0], [0, 0]]}, material: m, ";
const std::string rest = "}}\nmaterials: {m: {stiffness: 1000}}\ncontacts: {skin: {sphere: 0.1, on: ball, in: ball}}\n";

TEST(ContactMessages, a_contact_beyond_the_terrain_under_each_policy) {
  const std::string where =
      "6:12: warning: contact 'skin' starts beyond the terrain, at x = 0.5 m, y = 0.5 m of a grid of 0.2 m by 0.2 m: ";
  EXPECT_EQ(messages_of(grid + "edge: clamp" + rest), where +
                                                          "its edge goes on there at the same height\n"
                                                          "  fix: move the terrain or the mechanism, or say edge: hole "
                                                          "or edge: {plane: height}      [terrain-beyond]\n");
  EXPECT_EQ(messages_of(grid + "edge: hole" + rest), where +
                                                         "nothing is there to hold it\n  fix: move the terrain or the "
                                                         "mechanism, or say edge: clamp      [terrain-beyond]\n");
  EXPECT_EQ(messages_of(grid + "edge: {plane: -2}" + rest),
            where +
                "a plane at -2 m is there\n  fix: move the terrain or the mechanism, where that is not meant      "
                "[terrain-beyond]\n");
}

TEST(ContactMessages, materials_that_are_not_there_or_do_not_go_together) {
  EXPECT_EQ(messages_of("environment: {terrain: {plane: z}}\ncontacts: {skin: {sphere: 0.1, on: ball, in: ball}}\n"),
            "5:12: error: neither contact 'skin' nor the terrain, which it touches, has a material\n"
            "  fix: give one of them a material of the section 'materials'      [contact-material]\n");
  EXPECT_EQ(messages_of("environment: {terrain: {plane: z}}\nmaterials: {rubber: {stiffness: 1000}}\ncontacts: {skin: "
                        "{sphere: 0.1, on: "
                        "ball, in: ball, material: ruber}}\n"),
            "6:12: error: contact 'skin' is of a material 'ruber' that is not there\n  fix: did you mean 'rubber'?     "
            " [contact-material-unknown]\n");
  EXPECT_EQ(messages_of("environment: {terrain: {plane: z, material: sand}}\nmaterials: {steel: {stiffness: 1e9, "
                        "exponent: 1.5}, sand: "
                        "{stiffness: 1000}}\ncontacts: {skin: {sphere: 0.1, on: ball, in: ball, material: steel}}\n"),
            "6:12: error: contact 'skin' of 'steel' touches the terrain of 'sand', and their stiffnesses have "
            "exponents 1.5 and 1: they cannot "
            "be joined by rule\n  fix: describe the pair: materials: {name: {between: [steel, sand], …}}      "
            "[material-pair]\n");
  EXPECT_EQ(messages_of("materials: {steel: {stiffness: 1e9, exponent: 1.5, friction: 0.5}}\n"),
            "4:13: error: material 'steel' has friction but no tangential stiffness, which does not follow from a "
            "stiffness of exponent 1.5\n"
            "  fix: add tangential: {stiffness: …}      [material-wrong]\n");
  EXPECT_EQ(messages_of("materials: {steel: {stiffness: 1e9, exponent: 0.5}}\n"),
            "4:13: error: material 'steel' has an exponent of 0.5: it would be stiff beyond all bounds where it just "
            "touches\n"
            "  fix: give 1 or more; 1.5 is Hertz'      [material-wrong]\n");
}

TEST(ContactMessages, what_is_touched) {
  EXPECT_EQ(messages_of("materials: {m: {stiffness: 1000}}\ncontacts: {skin: {sphere: 0.1, on: ball, in: ball, "
                        "against: krate}, crate: {box: "
                        "[1, 1, 1], on: ground, material: m}}\n"),
            "5:12: error: contact 'skin' is against 'krate', which is not there\n  fix: did you mean 'crate'?      "
            "[contact-target]\n");
  EXPECT_EQ(
      messages_of("materials: {m: {stiffness: 1000}}\ncontacts: {crate: {box: [1, 1, 1], on: ground, material: m}}\n"),
      "5:12: warning: nothing touches contact 'crate'\n"
      "  fix: name it in 'against' of points, spheres or wheels of other bodies      [contact-nothing]\n");
  EXPECT_EQ(
      messages_of("materials: {m: {stiffness: 1000}}\ncontacts: {skin: {point: [0, 0, 0], on: ball, material: m}}\n"),
      "5:12: warning: contact 'skin' has nothing to touch\n"
      "  fix: add environment: {terrain: …}, or name contacts in 'against'      [contact-nothing]\n");
}

}  // namespace
}  // namespace trammel::test
