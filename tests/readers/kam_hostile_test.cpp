// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// KAM listings and data made to hurt: lines of megabytes, points by the hundred thousand, brackets without end, loops through everything.
// Each in 2 s of CPU and 200 MB.

#include <gtest/gtest.h>

#include <trammel/readers.hpp>

#include "readers/limited_child.hpp"

namespace trammel::test {
namespace {

constexpr std::size_t long_text = (4u << 20) - 100;

// `id` is that of one of the messages; empty for texts that are fine.
void expect_harmless(const std::string& name, const std::function<std::string()>& make, const std::string& id) {
  SCOPED_TRACE(name);
  const Outcome outcome = in_child([&] { return read_kam(make(), "hostile.kam").diagnostics; });
  EXPECT_TRUE(outcome.ended) << "crashed, or took more than " << cpu_seconds << " s";
  EXPECT_LE(outcome.peak, peak_kilobytes);
  if (id.empty()) {
    EXPECT_EQ(outcome.messages, "");
  } else {
    EXPECT_NE(outcome.messages.find("[" + id + "]"), std::string::npos) << outcome.messages.substr(0, 1000);
  }
}

TEST(HostileKam, with_long_lines_no_valgrind) {
  expect_harmless(
      "a remark", [] { return "REMARK/" + std::string(long_text, 'X'); }, "file-empty");
  expect_harmless(
      "blanks", [] { return std::string(long_text, ' '); }, "file-empty");
  expect_harmless(
      "line ends", [] { return std::string(long_text, '\n'); }, "file-empty");
  expect_harmless(
      "a name", [] { return std::string(long_text, 'X'); }, "name-too-long");
  expect_harmless(
      "a number", [] { return std::string(long_text, '1'); }, "number-not-finite");
  expect_harmless(
      "signs", [] { return std::string(long_text, '-'); }, "not-a-number");
  expect_harmless(
      "slashes", [] { return std::string(long_text, '/'); }, "kam-too-long");
  expect_harmless(
      "arguments", [] { return "BASE/" + repeat("PT(1),", long_text / 6); }, "kam-too-long");
  expect_harmless(
      "names without commas", [] { return "L = LOOP/" + repeat("A ", long_text / 2); }, "kam-too-long");
  expect_harmless(
      "continued lines", [] { return "L = LOOP/A" + repeat("$\n", long_text / 2); }, "kam-continuation");
  expect_harmless(
      "letters beyond ASCII", [] { return repeat("\xC3\xA4", long_text / 2); }, "kam-character");
  expect_harmless(
      "more than is read", [] { return std::string(5u << 20, ' '); }, "file-too-large");
}

TEST(HostileKam, with_brackets_in_brackets_no_valgrind) {
  expect_harmless(
      "open", [] { return "B = BODY/" + std::string(long_text, '('); }, "kam-too-long");
  expect_harmless(
      "names and brackets", [] { return "B = BODY/" + repeat("A(", 5'000) + "1" + std::string(5'000, ')'); },
      "kam-syntax");
}

TEST(HostileKam, with_many_statements_no_valgrind) {
  expect_harmless(
      "the same unknown word", [] { return repeat("XYZ\n", long_text / 4); }, "kam-word");
  expect_harmless(
      "the same name", [] { return repeat("A=LOOP/A\n", long_text / 9); }, "name-duplicate");
  expect_harmless(
      "names that are not there",
      [] { return numbered(90'000, [](std::size_t i) { return fmt::format("A{}=MOTOUT/B{},PT(1)\n", i, i); }); },
      "kam-unknown-name");
  expect_harmless(
      "arguments in all",
      [] { return numbered(90'000, [](std::size_t i) { return fmt::format("A{}=LOOP/A A A A A\n", i); }); },
      "kam-too-many");
}

// A chain of pairs and bodies from the ground to the ground.
std::string chain(std::size_t bodies) {
  std::string text = "DIMENSION/PT(1000000)\n", loop = "L=LOOP/J0";
  text += "BASE/PT(1),PT(2),PT(" + std::to_string(bodies + 2) + ")\n";
  for (std::size_t i = 0; i < bodies; ++i) text += fmt::format("B{}=LINK/PT({}),PT({})\n", i, i + 2, i + 3);
  text += "J0=REVLUT/PT(2),PT(1)\n";
  for (std::size_t i = 1; i <= bodies; ++i) text += fmt::format("J{}=SPHERE/PT({})\n", i, i + 2);
  for (std::size_t i = 0; i < bodies; ++i) loop += fmt::format(",B{},J{}{}", i, i + 1, i % 100 == 99 ? "$\n" : "");
  text += loop + "\nT=INANG/L(J0)\nS=SYSTEM/L\nEND\n";
  for (std::size_t i = 1; i <= bodies + 2; ++i) text += fmt::format("PT({})={},0,{}\n", i, i, i % 7);
  return text + "T=0\n";
}

TEST(HostileKam, that_are_large_and_sound_are_read_in_time_no_valgrind) {
  expect_harmless(
      "a loop of four thousand bodies", [] { return chain(4'000); }, "");
  expect_harmless(
      "a loop of forty thousand bodies", [] { return chain(40'000); }, "kam-too-long");
  expect_harmless(
      "a million points declared and ninety thousand given",
      [] { return chain(3) + numbered(90'000, [](std::size_t i) { return fmt::format("PT({})=1,2,3\n", i + 10); }); },
      "");
  expect_harmless(
      "a point too far",
      [] { return chain(3) + numbered(150'000, [](std::size_t i) { return fmt::format("PT({})=1,2,3\n", i + 10); }); },
      "kam-too-many");
  expect_harmless(
      "loops that share all their pairs",
      [] {
        std::string text = chain(3), names = "S=SYSTEM/L";
        std::string loops;
        for (int i = 0; i < 15'000; ++i) {
          loops += fmt::format("L{}=LOOP/J0,B0,J1,B1,J2,B2,J3\n", i);
          if (i < 9'000) names += fmt::format(",L{}", i);
        }
        text.replace(text.find("S=SYSTEM/L"), 10, names);
        return loops + text;
      },
      "kam-unused");
}

}  // namespace
}  // namespace trammel::test
