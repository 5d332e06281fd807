// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Files made to hurt: as large, deep, long or tangled as they may be and beyond. Each is read, and where it can be
// compiled and written, in a process of its own that may use 2 s of CPU and 200 MB of memory (under valgrind both mean
// nothing: see ./dev).

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>

#include "readers/limited_child.hpp"

namespace trammel {
namespace {

using namespace test;

constexpr std::size_t four_megabytes = 4u << 20;
constexpr std::size_t long_text = four_megabytes - 100;
constexpr std::size_t many = 590'000;  // separators, just below what is refused at once

// `id` is that of the first message; empty for files that are fine.
void expect_harmless(const std::string& name, const std::function<std::string()>& make, const std::string& id) {
  SCOPED_TRACE(name);
  const Outcome outcome = in_child([&] { return read_yaml("trammel: 1\n" + make(), "hostile.yaml").diagnostics; });
  EXPECT_TRUE(outcome.ended) << "crashed, or took more than " << cpu_seconds << " s";
  EXPECT_LE(outcome.peak, peak_kilobytes);
  const std::string first = outcome.messages.substr(0, outcome.messages.find("]\n") + 1);
  if (id.empty()) {
    EXPECT_EQ(first, "");
  } else {
    EXPECT_NE(first.find("[" + id + "]"), std::string::npos) << first;
  }
}

TEST(HostileFile, with_long_texts_no_valgrind) {
  expect_harmless(
      "comments", [] { return repeat("# nothing to see here\n", long_text / 22); }, "");
  expect_harmless(
      "blanks", [] { return std::string(many, '\n') + std::string(long_text - many, ' '); }, "");
  expect_harmless(
      "a word", [] { return "name: " + std::string(long_text - 20, 'x'); }, "name-too-long");
  expect_harmless(
      "words", [] { return "name: " + repeat("x y ", long_text / 4 - 5); }, "name-too-long");
  expect_harmless(
      "escapes", [] { return "name: \"" + repeat("\\n", long_text / 2 - 10) + "\""; }, "name-too-long");
  expect_harmless(
      "digits", [] { return "gravity: [0, 0, " + std::string(long_text - 50, '1') + "]"; }, "number-not-finite");
  expect_harmless(
      "a key", [] { return "\"" + std::string(long_text - 50, 'k') + "\": 1"; }, "yaml-syntax");
  expect_harmless(
      "a name", [] { return "bodies:\n  \"" + std::string(long_text - 50, 'k') + "\": {}"; }, "yaml-syntax");
}

TEST(HostileFile, with_deep_nesting_no_valgrind) {
  expect_harmless(
      "lists", [] { return "points: " + std::string(many, '['); }, "yaml-too-deep");
  expect_harmless(
      "maps", [] { return "points: " + std::string(many, '{'); }, "yaml-too-deep");
  expect_harmless(
      "closed lists", [] { return "points: " + std::string(many, '[') + std::string(many, ']'); }, "yaml-too-deep");
  expect_harmless(
      "dashes", [] { return "points:\n  " + repeat("- ", many); }, "yaml-too-deep");
  expect_harmless(
      "questions", [] { return repeat("? ", many); }, "yaml-too-deep");
  expect_harmless(
      "colons", [] { return repeat(": ", many); }, "yaml-too-deep");
  expect_harmless(
      "mixed", [] { return "points: " + repeat("{a: [", many / 3); }, "yaml-too-deep");
  expect_harmless(
      "indentation", [] { return numbered(2800, [](std::size_t i) { return std::string(i, ' ') + "a:\n"; }); },
      "yaml-too-deep");
}

TEST(HostileFile, with_many_entries_no_valgrind) {
  expect_harmless(
      "flow list", [] { return "points: [" + repeat("1,", many) + "1]"; }, "yaml-too-many-entries");
  expect_harmless(
      "pairs", [] { return "points: [" + repeat("a: ", many); }, "yaml-unclosed");
  expect_harmless(
      "separators", [] { return "points: [" + repeat(",", 2 * many); }, "yaml-too-many-entries");
  expect_harmless(
      "quotes", [] { return repeat("\"a\" ", long_text / 4); }, "yaml-syntax");
  expect_harmless(
      "anchors",
      [] { return "points:\n" + numbered(240'000, [](std::size_t i) { return fmt::format("- &a{} 1\n", i); }); },
      "wrong-type");
  expect_harmless(
      "empty entries", [] { return "points:\n" + repeat("-\n", 290'000); }, "wrong-type");
  expect_harmless(
      "one key again and again", [] { return repeat("a: 1\n", 240'000); }, "yaml-duplicate-key");
  expect_harmless(
      "unknown keys", [] { return numbered(200'000, [](std::size_t i) { return fmt::format("k{}: 1\n", i); }); },
      "unknown-key");
  expect_harmless(
      "merges", [] { return "points: {" + repeat("<<: 1, ", 190'000) + "}"; }, "yaml-merge");
  expect_harmless(
      "tags", [] { return "points:\n" + repeat("- !x 1\n", 240'000); }, "yaml-tag");
  expect_harmless(
      "documents", [] { return repeat("---\n", many / 2); }, "yaml-documents");
}

TEST(HostileFile, with_exploding_aliases_no_valgrind) {
  const auto explode = [](std::size_t width, int levels) {
    std::string text = "a0: &a0 [x]\n";
    for (int i = 1; i <= levels; ++i) {
      text += fmt::format("a{}: &a{} [{}x]\n", i, i, repeat(fmt::format("*a{}, ", i - 1), width));
    }
    return text;
  };
  expect_harmless(
      "ten to the nine", [&] { return explode(10, 9); }, "yaml-too-many-entries");
  expect_harmless(
      "two to the sixty", [&] { return explode(2, 60); }, "yaml-too-many-entries");
  expect_harmless(
      "wide", [] { return "a: &a [" + repeat("1,", 1000) + "1]\npoints: [" + repeat("*a,", 490) + "*a]"; },
      "unknown-key");
  expect_harmless(
      "plates with one outline",
      [] {
        const std::string outline = numbered(250, [](std::size_t i) {
          const double angle = 0.025 * static_cast<double>(i);
          return fmt::format("[{:.4f}, {:.4f}],", std::cos(angle), std::sin(angle));
        });
        return "bodies:\n  b: {mass: 1, shape: [{plate: &o [" + outline + "], thickness: 1}" +
               repeat(", {plate: *o, thickness: 1}", 600) + "]}\n";
      },
      "");
}

TEST(HostileFile, with_many_mistakes_no_valgrind) {
  expect_harmless(
      "bad numbers",
      [] {
        return "bodies:\n" + numbered(24'000, [](std::size_t i) {
                 return fmt::format("  b{}: {{mass: x, com: [0, 0, y], inertia: [1, 1, -1]}}\n", i);
               });
      },
      "not-a-number");
  expect_harmless(
      "unknown bodies",
      [] {
        return "bodies:\n" +
               numbered(30'000, [](std::size_t i) { return fmt::format("  body_number_{}: {{}}\n", i); }) +
               "joints:\n" + numbered(30'000, [](std::size_t i) {
                 return fmt::format("  j{}: {{revolute: [bodie_nunber_{}, ground], at: [0, 0, 0]}}\n", i, i);
               });
      },
      "body-unknown");
  expect_harmless(
      "a long circle",
      [] {
        return "bodies:\n" + numbered(30'000, [](std::size_t i) {
                 return fmt::format("  b{}: {{pose: {{at: [1, 0, 0], in: b{}}}}}\n", i, (i + 1) % 30'000);
               });
      },
      "pose-circle");
  expect_harmless(
      "a long chain",
      [] {
        return "bodies:\n" + numbered(30'000, [](std::size_t i) {
                 return fmt::format("  b{}: {{pose: {{at: [1, 0, 0], in: {}}}}}\n", i,
                                    i + 1 < 30'000 ? fmt::format("b{}", i + 1) : "ground");
               });
      },
      "");
}

// --- large models of the other formats, and what comes after reading ----------------------------------------------

using Reader = ReadResult (*)(std::string_view, const std::string&, const ReadOptions&);

// Reads, compiles, and writes in all formats. `id` is that of some message; empty where only warnings are expected.
void expect_harmless_throughout(const std::string& name, Reader read, const std::string& text, const std::string& id) {
  SCOPED_TRACE(name);
  const Outcome outcome = in_child([&] {
    const ReadResult result = read(text, "hostile", {});
    Diagnostics all;
    for (const Diagnostic& d : result.diagnostics.all())
      if (d.severity == Severity::error) all.error(d.where, d.id, d.what, d.fix);
    if (!result.ok()) return all;
    const std::vector<Diagnostics> later{compile(result.model, {.for_dynamics = false}).diagnostics,
                                         read_yaml(write_yaml(result.model), "again.yaml").diagnostics,
                                         write_urdf(result.model).diagnostics, write_mjcf(result.model).diagnostics};
    for (const Diagnostics& list : later) {
      if (list.has_errors()) all.append(list);
    }
    return all;
  });
  EXPECT_TRUE(outcome.ended) << "crashed, or took more than " << cpu_seconds << " s";
  EXPECT_LE(outcome.peak, peak_kilobytes);
  if (id.empty()) {
    EXPECT_EQ(outcome.messages, "");
  } else {
    EXPECT_NE(outcome.messages.find("[" + id + "]"), std::string::npos) << outcome.messages;
  }
}

std::string mjcf(const std::string& in_world, const std::string& after = {}) {
  return "<mujoco><worldbody>" + in_world + "</worldbody>" + after + "</mujoco>";
}

TEST(HostileFile, of_mjcf_with_many_includes_no_valgrind) {
  expect_harmless_throughout("without a file", read_mjcf, mjcf(repeat("<include/>", 140'000)), "missing-attribute");
  expect_harmless_throughout("of one file", read_mjcf, mjcf(repeat("<include file=\"a\"/>", 70'000)),
                             "include-not-found");
}

TEST(HostileFile, of_mjcf_with_many_bodies_and_keys_no_valgrind) {
  expect_harmless_throughout("bodies", read_mjcf, mjcf(repeat("<body/>", 30'000)), "");
  expect_harmless_throughout(
      "keys", read_mjcf,
      mjcf(repeat("<body><joint/></body>", 5000), "<keyframe>" + repeat("<key/>", 50'000) + "</keyframe>"), "");
}

std::string urdf_chain(std::size_t links, bool from_the_tip) {
  const auto link = [](std::size_t i) { return fmt::format("<link name=\"l{}\"/>", i); };
  const auto joint = [&](std::size_t i) {
    const std::size_t k = from_the_tip ? links - 2 - i : i;
    return fmt::format("<joint name=\"j{}\" type=\"continuous\"><parent link=\"l{}\"/><child link=\"l{}\"/></joint>", k,
                       k, k + 1);
  };
  return "<robot name=\"chain\">" + numbered(links, link) + numbered(links - 1, joint) + "</robot>";
}

TEST(HostileFile, of_urdf_with_a_long_chain_no_valgrind) {
  // Its indentation alone would take 400 MB in MJCF, and nobody could read it.
  expect_harmless_throughout("from the base", read_urdf, urdf_chain(14'000, false), "xml-too-deep");
  expect_harmless_throughout("from the tip", read_urdf, urdf_chain(14'000, true), "xml-too-deep");
}

TEST(HostileFile, of_urdf_with_many_meshes_no_valgrind) {
  const auto visual = [](std::size_t i) {
    return fmt::format("<visual><geometry><mesh filename=\"m{}.stl\"/></geometry></visual>", i);
  };
  expect_harmless_throughout("meshes", read_urdf,
                             "<robot name=\"r\"><link name=\"a\">" + numbered(30'000, visual) + "</link></robot>", "");
}

TEST(HostileFile, of_many_bodies_joints_couplings_and_states_no_valgrind) {
  constexpr std::size_t count = 6000;
  const std::string text =
      "trammel: 1\nbodies:\n" + numbered(count, [](std::size_t i) { return fmt::format("  b{}: {{mass: 1}}\n", i); }) +
      "joints:\n" +
      numbered(count,
               [](std::size_t i) {
                 return fmt::format("  j{}: {{revolute: [ground, b{}], at: [{}, 0, 0]}}\n", i, i, i + 1);
               }) +
      "couplings:\n" +
      numbered(count - 1, [](std::size_t i) { return fmt::format("  c{}: {{mimic: [j{}, j{}]}}\n", i, i, i + 1); }) +
      "outputs:\n" +
      numbered(count,
               [](std::size_t i) { return fmt::format("  o{}: {{point: [0, 0, 0], on: b{}}}\n", i, count - 1 - i); }) +
      "states:\n" + numbered(count, [](std::size_t i) { return fmt::format("  s{}: {{j{}: 1}}\n", i, i); });
  expect_harmless_throughout("a star", read_yaml, text, "");
}

TEST(HostileFile, of_fifty_megabytes_is_refused_before_it_is_read_no_valgrind) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("trammel_{}_huge.yaml", getpid());
  {
    std::ofstream stream(path, std::ios::binary);
    const std::string megabyte = repeat("# padding\n", (1u << 20) / 10);
    for (int i = 0; i < 50; ++i) stream << megabyte;
  }
  const Outcome outcome = in_child([&] {
    ReadResult result = read_model(path.string());
    return result.diagnostics;
  });
  std::filesystem::remove(path);
  EXPECT_TRUE(outcome.ended);
  EXPECT_LE(outcome.peak, peak_kilobytes);
  EXPECT_NE(outcome.messages.find("error: the file has 50.0 MB; at most 4.0 MB are read"), std::string::npos)
      << outcome.messages;
}

}  // namespace
}  // namespace trammel
