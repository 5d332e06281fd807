// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// DynaMechs files made to hurt: lines of megabytes, blocks without end, numbers by the million, links by the ten thousand. Each in 2 s of
// CPU and 200 MB.

#include <gtest/gtest.h>

#include <trammel/readers.hpp>

#include "readers/limited_child.hpp"

namespace trammel::test {
namespace {

constexpr std::size_t long_text = (4u << 20) - 200;
const std::string head = "# DynaMechs V 4.0 ascii\n";

// `id` is that of one of the messages; empty for texts that are fine.
void expect_harmless(const std::string& name, const std::function<std::string()>& make, const std::string& id) {
  SCOPED_TRACE(name);
  const Outcome outcome = in_child([&] { return read_dynamechs(make(), "hostile.dm").diagnostics; });
  EXPECT_TRUE(outcome.ended) << "crashed, or took more than " << cpu_seconds << " s";
  EXPECT_LE(outcome.peak, peak_kilobytes);
  if (id.empty()) {
    EXPECT_EQ(outcome.messages, "");
  } else {
    EXPECT_NE(outcome.messages.find("[" + id + "]"), std::string::npos) << outcome.messages.substr(0, 1000);
  }
}

TEST(HostileDm, with_long_lines_no_valgrind) {
  expect_harmless(
      "a comment", [] { return head + "#" + std::string(long_text, 'x'); }, "dm-missing");
  expect_harmless(
      "blanks", [] { return head + std::string(long_text, ' '); }, "dm-missing");
  expect_harmless(
      "line ends", [] { return std::string(long_text, '\n'); }, "dm-no-robot");
  expect_harmless(
      "a version", [] { return "# DynaMechs V" + std::string(long_text, ' '); }, "dm-version");
  expect_harmless(
      "a version of words", [] { return "# DynaMechs V" + repeat(" 4", long_text / 2); }, "dm-version");
  expect_harmless(
      "a word", [] { return head + std::string(long_text, 'x'); }, "dm-unknown");
  expect_harmless(
      "a text", [] { return head + "Name \"" + std::string(long_text, 'x'); }, "dm-quote");
  expect_harmless(
      "a number", [] { return head + "Articulation {\nPosition " + std::string(long_text, '1') + "\n}\n"; },
      "number-not-finite");
  expect_harmless(
      "more than is read", [] { return head + std::string(5u << 20, ' '); }, "file-too-large");
}

TEST(HostileDm, with_blocks_in_blocks_no_valgrind) {
  expect_harmless(
      "open", [] { return head + std::string(long_text, '{'); }, "dm-block");
  expect_harmless(
      "closed", [] { return head + std::string(long_text, '}'); }, "dm-block");
  expect_harmless(
      "branches", [] { return head + "Articulation {" + repeat("Branch{", long_text / 7); }, "dm-too-deep");
  expect_harmless(
      "empty blocks", [] { return head + "Articulation {" + repeat("A{}", long_text / 3) + "}"; }, "dm-too-many");
}

TEST(HostileDm, with_many_values_no_valgrind) {
  expect_harmless(
      "numbers", [] { return head + "Articulation {\nPosition " + repeat("0 ", long_text / 2) + "}\n"; },
      "dm-too-many");
  expect_harmless(
      "numbers within the bounds", [] { return head + "Articulation {\nPosition " + repeat("0 ", 400'000) + "}\n"; },
      "dm-count");
  expect_harmless(
      "the same parameter", [] { return head + "Articulation {\n" + repeat("Mass\n", 400'000) + "}\n"; },
      "dm-no-effect");
  expect_harmless(
      "unknown parameters",
      [] {
        return head + "Articulation {\n" +
               numbered(200'000, [](std::size_t i) { return fmt::format("Masss{}\n", i); }) + "}\n";
      },
      "dm-unknown");
  expect_harmless(
      "robots that are not there", [] { return repeat("Robot_Parameter_File \"x\"\n", 100'000); }, "dm-too-many");
}

std::string links(std::size_t count, const std::string& name) {
  return numbered(count, [&](std::size_t i) {
    return fmt::format(
        "RevoluteLink {{\nName \"{}\"\nMass 1\nInertia 1 0 0 0 1 0 0 0 1\nCenter_of_Gravity 0 0 0\nMDH_Parameters 0 0 "
        "0 0\n}}\n",
        fmt::format(fmt::runtime(name), i));
  });
}

TEST(HostileDm, that_are_large_and_sound_are_read_in_time_no_valgrind) {
  expect_harmless(
      "a chain of ten thousand", [] { return head + "Articulation {\n" + links(10'000, "L{}") + "}\n"; }, "");
  expect_harmless(
      "links of one name", [] { return head + "Articulation {\n" + links(10'000, "L") + "}\n"; }, "dm-names");
  expect_harmless(
      "joints between unknown links",
      [] {
        return head + "ClosedArticulation {\nTreeStructure {\n" + links(5'000, "L{}") + "}\nSecondaryJoints {\n" +
               numbered(5'000,
                        [](std::size_t i) {
                          return fmt::format(
                              "HardSphericalJoint {{\nName \"J{}\"\nLink_A_Name \"M{}\"\nLink_B_Name \"M{}\"\n}}\n", i,
                              i, i + 1);
                        }) +
               "}\n}\n";
      },
      "dm-unknown-link");
}

}  // namespace
}  // namespace trammel::test
