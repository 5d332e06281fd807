// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Broken MJCF files; broken_corpus.hpp says how to add one.

#include "readers/broken_corpus.hpp"
#include "readers/in_folder.hpp"

namespace trammel::test {
namespace {

// Included files are found from there, and messages have no folder in them.
const BrokenCorpus corpus{folder_of_readers() / "broken_mjcf", ".xml",
                          [](std::string_view text, const std::string& file) {
                            const InFolder there(folder_of_readers() / "broken_mjcf");
                            return read_mjcf(text, file);
                          }};

class BrokenMjcf : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenMjcf, gives_exactly_the_expected_messages) { corpus.expect_messages(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenMjcf, ::testing::ValuesIn(corpus.names()), name_of);

TEST(BrokenMjcfFiles, are_many_and_all_have_expectations) { corpus.expect_many(50); }

TEST(BrokenMjcfFiles, may_be_cut_off_or_changed_anywhere) { corpus.expect_no_crash_when_damaged(); }

TEST(BrokenMjcfFiles, nested_a_hundred_thousand_deep_are_refused_where_they_get_too_deep) {
  const Watchdog watchdog;
  std::string text = "<mujoco>\n<worldbody>\n";
  for (int i = 0; i < 100'000; ++i) text += "<body>";
  EXPECT_EQ(read_mjcf(text, "deep.xml").diagnostics.to_string(),
            "deep.xml:3:11989: error: elements are nested more than 2000 deep\n"
            "  fix: check that this is a model file      [xml-too-deep]\n");
}

}  // namespace
}  // namespace trammel::test
