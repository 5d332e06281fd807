// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Journals that are torn, damaged or in use.

#include "study/journal.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

namespace trammel::study {
namespace {

namespace fs = std::filesystem;

class JournalTest : public testing::Test {
 protected:
  JournalTest() : folder(fs::temp_directory_path() / ("trammel_journal_" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~JournalTest() override { fs::remove_all(folder); }
  std::string path() const { return (folder / "a.journal").string(); }
  std::string text() const {
    std::ifstream file(path(), std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
  }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  void write_three() const {
    JournalWriter writer(path(), header);
    for (std::uint64_t k = 0; k < 3; ++k)
      writer.append(record_of(k, {"done", "", {0.1 * static_cast<double>(k), std::nan("")}, {{1, 2}, {3, 4}}}));
  }
  fs::path folder;
  JournalHeader header = own_header("abc");
};

TEST_F(JournalTest, gives_back_what_was_written_to_the_last_bit) {
  write_three();
  const JournalContents read = read_journal(path());
  EXPECT_EQ(read.header, header);
  EXPECT_EQ(read.records, 3u);
  EXPECT_EQ(read.dropped, 0u);
  EXPECT_EQ(read.results.at(2).scalars[0], 0.2);
  EXPECT_TRUE(std::isnan(read.results.at(2).scalars[1]));
  EXPECT_EQ(read.results.at(1).series, (std::vector<std::vector<double>>{{1, 2}, {3, 4}}));
}

// A checksum may be right and the record still none of ours.
TEST_F(JournalTest, drops_what_is_no_record_of_ours) {
  write_three();
  const std::string three = text();
  for (const char* record :
       {R"({"task":"x","status":"done"})", R"({"task":3})", R"({"foo":1})", R"({"task":2.5,"status":"done"})",
        R"({"task":4,"status":"done","scalars":["a"]})", R"({"trammel-journal":2})"}) {
    write(three + line_of(record));
    const JournalContents read = read_journal(path());
    EXPECT_EQ(read.records, 3u) << record;
    EXPECT_EQ(read.dropped, 1u) << record;
    EXPECT_EQ(read.header, header) << record;
  }
}

// A shard that was refused on a machine of another kind must not be in the way of one that is not.
TEST_F(JournalTest, without_records_is_taken_over) {
  JournalHeader other = header;
  other.level = "x86-64-v9";
  { const JournalWriter refused(path(), other); }
  EXPECT_EQ(read_journal(path()).header, other);
  write_three();
  const JournalContents read = read_journal(path());
  EXPECT_EQ(read.header, header);
  EXPECT_EQ(read.records, 3u);
}

// Whatever byte the last write came to, what was whole before it is kept, and going on gives the file that would have been.
TEST_F(JournalTest, drops_what_is_torn_at_any_byte_and_goes_on) {
  write_three();
  const std::string whole = text();
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    if (whole[k] == '\n') ends.push_back(k + 1);
  }
  ASSERT_EQ(ends.size(), 4u);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    write(whole.substr(0, cut));
    const auto complete =
        static_cast<std::uint64_t>(std::count_if(ends.begin(), ends.end(), [&](std::size_t e) { return e <= cut; }));
    {
      JournalWriter writer(path(), header);
      EXPECT_EQ(writer.found().records, complete == 0 ? 0 : complete - 1) << cut;
      for (std::uint64_t k = writer.found().records; k < 3; ++k)
        writer.append(record_of(k, {"done", "", {0.1 * static_cast<double>(k), std::nan("")}, {{1, 2}, {3, 4}}}));
    }
    ASSERT_EQ(text(), whole) << cut;
  }
}

TEST_F(JournalTest, drops_a_damaged_record_in_the_middle_and_keeps_the_others) {
  write_three();
  std::string damaged = text();
  const std::size_t at = damaged.find("\"task\":1");
  damaged[at + 7] = '7';
  write(damaged);
  const JournalContents read = read_journal(path());
  EXPECT_EQ(read.dropped, 1u);
  EXPECT_EQ(read.records, 2u);
  EXPECT_FALSE(read.results.contains(1));
  EXPECT_TRUE(read.results.contains(2));
}

TEST_F(JournalTest, is_written_by_one_process_at_a_time) {
  const JournalWriter writer(path(), header);
  try {
    const JournalWriter second(path(), header);
    FAIL() << "two writers";
  } catch (const StudyError& wrong) {
    EXPECT_EQ(wrong.id(), "study-busy");
    EXPECT_EQ(wrong.what(), path() + " is being written by another process");
    EXPECT_EQ(wrong.fix(), "wait for it, or run another shard");
  }
}

RC_GTEST_PROP(Journal, survives_any_bytes, (const std::string& bytes)) {
  const JournalContents read = parse_journal(bytes, "x");
  RC_ASSERT(read.good_bytes <= bytes.size());
  RC_ASSERT(read.records == 0u);
}

RC_GTEST_PROP(Journal, numbers_read_back_exactly, (const std::vector<double>& numbers)) {
  const JournalHeader h{"p", "v", "c", "l"};
  const std::string text = line_of(R"({"trammel-journal":1,"plan":"p","version":"v","commit":"c","level":"l"})") +
                           line_of(record_of(5, {"done", "a \"reason\"", numbers, {}}));
  const JournalContents read = parse_journal(text, "x");
  RC_ASSERT(read.header == h);
  RC_ASSERT(read.results.at(5).scalars == numbers);
  RC_ASSERT(read.results.at(5).reason == "a \"reason\"");
}

}  // namespace
}  // namespace trammel::study
