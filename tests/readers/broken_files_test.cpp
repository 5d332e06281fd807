// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Broken files in the native format; broken_corpus.hpp says how to add one.

#include "readers/broken_corpus.hpp"

namespace trammel::test {
namespace {

const BrokenCorpus corpus{folder_of_readers() / "broken", ".yaml",
                          [](std::string_view text, const std::string& file) { return read_yaml(text, file); }};

class BrokenFile : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenFile, gives_exactly_the_expected_messages) { corpus.expect_messages(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenFile, ::testing::ValuesIn(corpus.names()), name_of);

TEST(BrokenFiles, are_many_and_all_have_expectations) { corpus.expect_many(60); }

TEST(BrokenFiles, may_be_cut_off_or_changed_anywhere) { corpus.expect_no_crash_when_damaged(); }

}  // namespace
}  // namespace trammel::test
