// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Broken DynaMechs files: each block and parameter broken in turn. broken_corpus.hpp says how to add one.

#include "readers/broken_corpus.hpp"
#include "readers/in_folder.hpp"

namespace trammel::test {
namespace {

// Files that others name are looked for there, and messages have no folder in them.
const BrokenCorpus corpus{folder_of_readers() / "broken_dm", ".dm", [](std::string_view text, const std::string& file) {
                            const InFolder there(folder_of_readers() / "broken_dm");
                            return read_dynamechs(text, file);
                          }};

class BrokenDm : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenDm, gives_exactly_the_expected_messages) { corpus.expect_messages(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenDm, ::testing::ValuesIn(corpus.names()), name_of);

TEST(BrokenDmFiles, are_many_and_all_have_expectations) { corpus.expect_many(80); }

TEST(BrokenDmFiles, may_be_cut_off_or_changed_anywhere) { corpus.expect_no_crash_when_damaged(); }

}  // namespace
}  // namespace trammel::test
