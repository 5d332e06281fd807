// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Random KAM programs of one loop, through all six pairs: they make the joints that the same points make in C++, and how they are
// spaced, written in small letters, continued and separated changes nothing.

#include <cctype>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/readers.hpp>

#include "readers/reading.hpp"
#include "readers/same_model.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

// A listing with data, and the bodies and joints that it must become.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {
    const int bodies = random_.integer(1, 5);
    for (int i = 0; i <= bodies; ++i) pairs_.push_back(random_pair(i));
    expected.name = "SYS";
    for (int i = 0; i < bodies; ++i) add_body(i);
    for (int i = 0; i <= bodies; ++i) add_joint_of(i, bodies);
    const Pair &first = pairs_.front(), &last = pairs_.back();
    std::string head = fmt::format("DIMENSION/PT({})\n", points_.size());
    head += fmt::format("BASE/PT({}), PT({}), PT({})\n", first.m, first.n, last.after());
    loop_ = "LP1 = LOOP/P0";
    for (int i = 0; i < bodies; ++i) loop_ += fmt::format(", B{}, P{}", i, i + 1);
    listing = head + statements_ + loop_ +
              fmt::format("\nIN1 = {}/LP1(P0)\nSYS = SYSTEM/LP1\nEND\n", first.is_prism() ? "INLEN" : "INANG");
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Vec3d& p = points_[i];
      data +=
          fmt::format("PT({}) = {}, {}, {}\n", i + 1, p.x, p.y, p.z);  // the digits that read back to the same number
    }
    data +=
        fmt::format("IN1 = {}, {}, {}\n", random_.uniform(-1, 0), random_.uniform(0.1, 1), random_.uniform(0.01, 0.1));
  }

  std::string listing, data;
  Model expected;  // bodies and joints only

 private:
  struct Pair {
    std::string word, arguments;
    int n = 0, m = 0, k = 0;
    AnyJoint type;
    Transformd X_WJ;

    bool has_axis() const { return word == "REVLUT" || word == "PRISM" || word == "CYLNDR"; }
    bool is_prism() const { return word == "PRISM"; }
    int before() const { return word == "UNIVRS" ? k : m; }
    int after() const { return word == "UNIVRS" ? k : n; }
  };

  Random random_;
  std::vector<Vec3d> points_;
  std::vector<Pair> pairs_;
  std::string statements_, loop_;

  int point(const Vec3d& p) {
    points_.push_back(p);
    return static_cast<int>(points_.size());
  }

  // The first is an input.
  Pair random_pair(int index) {
    static const std::vector<std::string> words{"REVLUT", "PRISM", "CYLNDR", "SPHERE", "PLANAR", "UNIVRS"};
    Pair pair;
    pair.word = words[static_cast<std::size_t>(random_.integer(0, index == 0 ? 1 : 5))];
    const Vec3d p = random_.vector(), u = random_.direction(), v = random_.direction();
    const Vec3d w = cross(u, v) * (1 / norm(cross(u, v)));  // square to u
    if (pair.has_axis()) {
      pair.m = point(p), pair.n = point(p + u * random_.uniform(0.1, 2));
      const Vec3d along = points_[static_cast<std::size_t>(pair.n) - 1] - p;
      pair.X_WJ = frame_at(points_[static_cast<std::size_t>(pair.n) - 1], along);
      pair.type = pair.word == "REVLUT" ? AnyJoint(Revolute{})
                  : pair.is_prism()     ? AnyJoint(Prismatic{})
                                        : AnyJoint(Cylindrical{});
    } else if (pair.word == "SPHERE") {
      pair.m = pair.n = point(p);
      pair.X_WJ = Transformd::translation(p);
      pair.type = Spherical{};
    } else if (pair.word == "PLANAR") {
      pair.m = point(p), pair.n = point(p + w * random_.uniform(-1, 1)),
      pair.k = point(p + u * random_.uniform(0.1, 2));
      pair.X_WJ = frame_at(points_[static_cast<std::size_t>(pair.n) - 1], u);
      pair.type = Planar{};
    } else {
      pair.k = point(p), pair.m = point(p + u * random_.uniform(0.1, 2)),
      pair.n = point(p + w * random_.uniform(0.1, 2));
      pair.X_WJ = frame_at(p, u, w);
      pair.type = Universal{};
    }
    pair.arguments =
        pair.word == "SPHERE" ? fmt::format("PT({})", pair.n) : fmt::format("PT({}), PT({})", pair.n, pair.m);
    if (pair.k > 0) pair.arguments += fmt::format(", PT({})", pair.k);
    return pair;
  }

  void add_body(int i) {
    const Pair &before = pairs_[static_cast<std::size_t>(i)], &after = pairs_[static_cast<std::size_t>(i) + 1];
    const int a = before.after(), c = after.before();
    const bool has_axis = before.has_axis() && random_.chance(0.5);
    statements_ += has_axis ? fmt::format("B{} = BODY/PT({}), PT({}), PT({})\n", i, a, before.m, c)
                            : fmt::format("B{} = LINK/PT({}), PT({})\n", i, a, c);
    trammel::add_body(expected, fmt::format("B{}", i), 0, {}, {},
                      Transformd::translation(points_[static_cast<std::size_t>(a) - 1]));
  }

  void add_joint_of(int i, int bodies) {
    const Pair& pair = pairs_[static_cast<std::size_t>(i)];
    statements_ += fmt::format("P{} = {}/{}\n", i, pair.word, pair.arguments);
    const auto name = [&](int body) {
      return body < 0 || body == bodies ? std::string(ground_name) : fmt::format("B{}", body);
    };
    add_joint(expected, fmt::format("P{}", i), pair.type, name(i - 1), name(i), pair.X_WJ);
  }
};

ReadResult read_text(const std::string& text) { return read_kam(text, "random"); }

RC_GTEST_PROP(KamLaws, programs_become_the_joints_that_their_points_make, (std::uint64_t seed)) {
  const RandomProgram program(seed);
  const ReadResult result = read_text(program.listing + program.data);
  RC_ASSERT(result.diagnostics.to_string() == "");
  const Model &model = result.model, &expected = program.expected;
  RC_ASSERT(model.bodies.size() == expected.bodies.size());
  RC_ASSERT(model.joints.size() == expected.joints.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    RC_ASSERT(model.bodies[i].name == expected.bodies[i].name);
    RC_ASSERT(distance(model.bodies[i].X_WB, expected.bodies[i].X_WB) == 0);
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint &a = model.joints[i], &b = expected.joints[i];
    RC_ASSERT(a.name + a.first + a.second == b.name + b.first + b.second);
    RC_ASSERT(keyword(a.type) == keyword(b.type));
    RC_ASSERT(distance(a.X_AF.p, b.X_AF.p) + distance(a.X_BM.p, b.X_BM.p) < 1e-14);
    // Points a tenth apart give a direction to 1e-14. Where an axis is at 45° to x, round-off may choose the other x of the frame.
    const double off =
        keyword(a.type) == "universal" ? distance(a.X_AF.R, b.X_AF.R) : distance(a.X_AF.R.ez, b.X_AF.R.ez);
    RC_ASSERT(off < 1e-13);
  }
}

// The same tokens in another shape.
std::string reshaped(const std::string& text, std::uint64_t seed) {
  Random random(seed);
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("._+-").find(c) != std::string::npos;
  };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      result += random.chance(0.2) ? " $$ A COMMENT, = ( \xC3\xA4\n\n" : random.chance(0.3) ? "\r\n" : "\n";
      if (random.chance(0.1)) result += "Remark/ nothing $\n";
      ++at;
      continue;
    }
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
    std::string token = text.substr(at, end - at);
    at = end;
    if (token == ",") token = random.chance(0.5) ? " " : ",";
    for (char& c : token) c = random.chance(0.5) ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
    const bool line_goes_on = at < text.size() && text[at] != '\n';
    result += token + std::string(static_cast<std::size_t>(random.integer(0, 2)), random.chance(0.5) ? ' ' : '\t');
    if (line_goes_on && random.chance(0.1)) result += "$ GOES ON\n";
  }
  return result;
}

RC_GTEST_PROP(KamLaws, spacing_case_commas_and_continuation_change_nothing, (std::uint64_t seed)) {
  const RandomProgram program(seed);
  const std::string text = program.listing + program.data;
  const ReadResult plain = read_text(text), other = read_text(reshaped(text, seed + 1));
  RC_ASSERT(other.diagnostics.to_string() == "");
  RC_ASSERT(first_difference(plain.model, other.model) == "");
}

RC_GTEST_PROP(KamLaws, programs_survive_being_written_as_native_yaml, (std::uint64_t seed)) {
  const RandomProgram program(seed);
  const ReadResult result = read_text(program.listing + program.data);
  const ReadResult back = read_yaml(write_yaml(result.model, true), "back.yaml");
  RC_ASSERT(back.diagnostics.to_string() == "");
  RC_ASSERT(first_difference(result.model, back.model) == "");
}

// A listing cut off, or with a word lost, is read to messages, never to a crash; and what is said of it is said once.
RC_GTEST_PROP(KamLaws, damaged_programs_are_a_model_or_messages, (std::uint64_t seed)) {
  const RandomProgram program(seed);
  Random random(seed + 2);
  std::string text = program.listing + program.data;
  const auto at = static_cast<std::size_t>(random.integer(0, static_cast<int>(text.size()) - 1));
  const auto length = static_cast<std::size_t>(random.integer(1, 12));
  text = random.chance(0.5) ? text.substr(0, at) : text.erase(at, length);
  const ReadResult result = read_text(text);
  std::vector<std::string> said;
  for (const Diagnostic& d : result.diagnostics.all()) {
    RC_ASSERT(!d.what.empty() && !d.id.empty());
    said.push_back(to_string(d));
  }
  std::sort(said.begin(), said.end());
  RC_ASSERT(std::adjacent_find(said.begin(), said.end()) == said.end());
}

}  // namespace
}  // namespace trammel::test
