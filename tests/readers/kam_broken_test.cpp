// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Broken KAM listings and data: each statement broken in turn. broken_corpus.hpp says how to add one.

#include "readers/broken_corpus.hpp"
#include "readers/in_folder.hpp"

namespace trammel::test {
namespace {

// Data beside a listing are found from there, and messages have no folder in them.
const BrokenCorpus corpus{folder_of_readers() / "broken_kam", ".kam",
                          [](std::string_view text, const std::string& file) {
                            const InFolder there(folder_of_readers() / "broken_kam");
                            return read_kam(text, file);
                          }};

class BrokenKam : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenKam, gives_exactly_the_expected_messages) { corpus.expect_messages(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenKam, ::testing::ValuesIn(corpus.names()), name_of);

TEST(BrokenKamFiles, are_many_and_all_have_expectations) { corpus.expect_many(100); }

TEST(BrokenKamFiles, may_be_cut_off_or_changed_anywhere) { corpus.expect_no_crash_when_damaged(); }

}  // namespace
}  // namespace trammel::test
