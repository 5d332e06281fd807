// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The form of messages, their order, and guesses at what was meant.

#include <gtest/gtest.h>

#include <trammel/diagnostics.hpp>

namespace trammel {
namespace {

TEST(Diagnostics, say_where_what_how_and_which) {
  const Diagnostic d{Severity::error,
                     "fourbar.yaml",
                     {14, 11},
                     "body 'crank' has a negative mass: -0.2 kg",
                     "give a mass of 0 or more",
                     "mass-negative"};
  EXPECT_EQ(to_string(d),
            "fourbar.yaml:14:11: error: body 'crank' has a negative mass: -0.2 kg\n"
            "  fix: give a mass of 0 or more      [mass-negative]");
}

TEST(Diagnostics, leave_out_what_is_not_known) {
  EXPECT_EQ(to_string({Severity::warning, "a.yaml", {}, "what", "how", "id"}),
            "a.yaml: warning: what\n  fix: how      [id]");
  EXPECT_EQ(to_string({Severity::note, "", {}, "what", "", "id"}), "note: what\n  [id]");
  EXPECT_EQ(to_string({Severity::note, "a.yaml", {3, 0}, "what", "", "id"}), "a.yaml:3: note: what\n  [id]");
}

TEST(Diagnostics, are_printed_in_the_order_of_their_places) {
  Diagnostics d;
  d.file = "a.yaml";
  d.error({5, 1}, "e", "fifth", "f");
  d.warning({2, 9}, "w", "second", "f");
  d.note({2, 3}, "n", "first");
  EXPECT_EQ(d.to_string(),
            "a.yaml:2:3: note: first\n  [n]\na.yaml:2:9: warning: second\n  fix: f      [w]\n"
            "a.yaml:5:1: error: fifth\n  fix: f      [e]\n");
  EXPECT_EQ(d.all()[0].what, "fifth");
}

TEST(Diagnostics, have_errors_only_if_one_is_an_error) {
  Diagnostics d;
  EXPECT_FALSE(d.has_errors());
  d.warning({}, "w", "w", "f");
  d.note({}, "n", "n");
  EXPECT_FALSE(d.has_errors());
  d.error({}, "e", "e", "f");
  EXPECT_TRUE(d.has_errors());
}

TEST(Diagnostics, do_not_say_again_what_was_said_about_a_place) {
  Diagnostics reader, compiler;
  reader.file = compiler.file = "a.yaml";
  reader.warning({3, 1}, "inertia-triangle", "in g mm^2", "f");
  compiler.warning({3, 1}, "inertia-triangle", "in kg m^2", "f");
  compiler.warning({4, 1}, "inertia-triangle", "another body", "f");
  compiler.warning({}, "inertia-triangle", "from C++", "f");
  compiler.warning({}, "inertia-triangle", "from C++ too", "f");
  reader.append(compiler);
  ASSERT_EQ(reader.all().size(), 4u);
  EXPECT_EQ(reader.all()[0].what, "in g mm^2");
  EXPECT_EQ(reader.all()[1].what, "another body");
}

TEST(DidYouMean, finds_the_nearest_word) {
  const std::vector<std::string> words{"mass", "com", "inertia", "density", "shape"};
  EXPECT_EQ(did_you_mean("mas", words), "mass");
  EXPECT_EQ(did_you_mean("MASS", words), "mass");
  EXPECT_EQ(did_you_mean("amss", words), "mass");
  EXPECT_EQ(did_you_mean("inerta", words), "inertia");
  EXPECT_EQ(did_you_mean("intertia", words), "inertia");
  EXPECT_EQ(did_you_mean("desnity", words), "density");
  EXPECT_EQ(did_you_mean("shapes", words), "shape");
}

TEST(DidYouMean, says_nothing_when_nothing_is_near) {
  const std::vector<std::string> words{"mass", "com", "", "inertia"};
  EXPECT_EQ(did_you_mean("colour", words), "");
  EXPECT_EQ(did_you_mean("", words), "");
  EXPECT_EQ(did_you_mean("abcd", words), "");
  EXPECT_EQ(did_you_mean("mass", {}), "");
  EXPECT_EQ(did_you_mean(std::string(1000, 'm'), words), "");
  EXPECT_EQ(did_you_mean("inertia", {std::string(1000, 'i')}), "");
}

TEST(DidYouMean, guesses_at_words_of_two_letters_by_case_only) {
  EXPECT_EQ(did_you_mean("o2", {"O2", "O4"}), "O2");
  EXPECT_EQ(did_you_mean("O3", {"O2", "O4"}), "");
}

TEST(DidYouMean, takes_the_first_of_equals) { EXPECT_EQ(did_you_mean("link3", {"link1", "link2"}), "link1"); }

TEST(DidYouMean, allows_three_mistakes_at_most) {
  EXPECT_EQ(did_you_mean("kinematics", {"kinemxxxcs"}), "kinemxxxcs");
  EXPECT_EQ(did_you_mean("kinematics", {"kinxxxxxcs"}), "");
  EXPECT_EQ(did_you_mean("abcdefghijklmnopqrstuvwxyzabcdefghijklmn", {"abcdefghijklmnopqrstuvwxyzabcdefghij"}), "");
}

}  // namespace
}  // namespace trammel
