// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Recordings read back as they were written, byte by byte the same whenever they were flushed, broken off or resumed.

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <trammel/recording.hpp>

#include "results/recording_case.hpp"

namespace trammel {
namespace {

using test::ScratchFolder;

RC_GTEST_PROP(RecordingLaws, read_back_as_they_were_written, ()) {
  const Recording recording = *test::any_recording();
  const ScratchFolder folder;
  test::write(folder / "a.h5", recording, [](RecordingFile&) {});
  RC_ASSERT(test::is_same(read_recording(folder / "a.h5"), recording));
}

RC_GTEST_PROP(RecordingLaws, the_bytes_do_not_depend_on_flushes, (std::uint32_t seed)) {
  const Recording recording = *test::any_recording();
  const ScratchFolder folder;
  std::mt19937 engine(seed);
  test::write(folder / "a.h5", recording, [](RecordingFile&) {});
  test::write(folder / "b.h5", recording, [&](RecordingFile& file) {
    if (engine() % 300 == 0) file.flush();
  });
  RC_ASSERT(test::bytes_of(folder / "a.h5") == test::bytes_of(folder / "b.h5"));
}

RC_GTEST_PROP(RecordingLaws, a_run_that_is_resumed_leaves_the_bytes_of_one_that_was_not_broken_off, ()) {
  const Recording recording = *test::any_recording();
  const std::size_t rows = recording.row_count(), events = recording.events.size();
  const std::size_t stop = *rc::gen::inRange<std::size_t>(0, rows + 1),
                    lost = *rc::gen::inRange<std::size_t>(0, rows - stop + 1);
  const std::size_t events_before = *rc::gen::inRange<std::size_t>(0, events + 1);
  const bool finished = *rc::gen::arbitrary<bool>();
  const ScratchFolder folder;
  const std::string path = folder / "a.h5";
  const Checkpoint checkpoint{2.5, 7, stop, events_before, {1, 2, 3}};
  const auto rest = [&](RecordingFile& file) {
    for (std::size_t i = stop; i < rows; ++i) file.append(recording.row(i));
    for (std::size_t e = events_before; e < events; ++e) file.add(recording.events[e]);
    file.finish("done");
  };
  const auto begin = [&](const std::string& to) {
    RecordingFile file = RecordingFile::create(to, recording.header);
    for (std::size_t i = 0; i < stop; ++i) file.append(recording.row(i));
    for (std::size_t e = 0; e < events_before; ++e) file.add(recording.events[e]);
    file.set(checkpoint);
    return file;
  };
  {
    RecordingFile file = begin(path);
    file.flush();
    for (std::size_t i = stop; i < stop + lost; ++i) file.append(recording.row(i));
    if (finished) file.finish("stopped");
  }
  RC_ASSERT(read_recording(path).status == (finished ? "stopped" : ""));
  RC_ASSERT(read_recording(path).row_count() == stop + lost);

  Checkpoint found;
  RecordingFile resumed = RecordingFile::resume(path, recording.header, found);
  RC_ASSERT(found == checkpoint);
  RC_ASSERT(read_recording(path).row_count() == stop);
  RC_ASSERT(read_recording(path).events.size() == events_before);
  RC_ASSERT(read_recording(path).status.empty());
  rest(resumed);
  RecordingFile whole = begin(folder / "b.h5");
  rest(whole);
  RC_ASSERT(test::bytes_of(path) == test::bytes_of(folder / "b.h5"));
}

TEST(Recording, has_nothing_of_the_time_in_it) {
  const ScratchFolder folder;
  for (const char* name : {"a.h5", "b.h5"}) {
    RecordingFile file = RecordingFile::create(folder / name, test::plain_header(3));
    file.append(test::plain_row(0, 3));
    file.add(test::plain_event(0));
    file.set({0, 0, 1, 1, {1}});
    file.finish("done");
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // times in HDF5 files are in seconds
  }
  EXPECT_EQ(test::bytes_of(folder / "a.h5"), test::bytes_of(folder / "b.h5"));
}

TEST(Recording, is_flushed_once_a_second) {
  const ScratchFolder folder;
  RecordingFile file = RecordingFile::create(folder / "a.h5", test::plain_header(2));
  file.append(test::plain_row(0, 2));
  EXPECT_FALSE(file.flush_if_due());
  EXPECT_EQ(read_recording(folder / "a.h5").row_count(), 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  EXPECT_TRUE(file.flush_if_due());
  EXPECT_FALSE(file.flush_if_due());
  EXPECT_EQ(read_recording(folder / "a.h5").row_count(), 1u);  // while it is being written
}

TEST(Recording, of_a_fast_simulation_does_not_fill_the_memory) {
  const ScratchFolder folder;
  RecordingFile file = RecordingFile::create(folder / "a.h5", test::plain_header(10));
  const std::vector<double> row = test::plain_row(0, 10);
  for (int i = 0; i < 200'000; ++i) file.append(row);  // 16 MB
  EXPECT_GT(read_recording(folder / "a.h5").row_count(), 100'000u);
}

TEST(Recording, of_several_threads_at_once_are_as_those_of_one) {
  const ScratchFolder folder;
  const auto record = [&](const std::string& name) {
    RecordingFile file = RecordingFile::create(folder / name, test::plain_header(5));
    for (std::size_t i = 0; i < 3000; ++i) {
      file.append(test::plain_row(i, 5));
      if (i % 200 == 0) file.flush();
    }
    file.finish("done");
  };
  record("one.h5");
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back([&, k] { record(std::to_string(k) + ".h5"); });
  }
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(test::bytes_of(folder / (std::to_string(k) + ".h5")), test::bytes_of(folder / "one.h5"));
}

TEST(Recording, gives_a_few_channels_alone) {
  const ScratchFolder folder;
  RecordingFile file = RecordingFile::create(folder / "a.h5", test::plain_header(5));
  for (std::size_t i = 0; i < 10; ++i) file.append(test::plain_row(i, 5));
  file.finish("done");
  const std::vector<std::string> names{"joint3.q", "joint1*"};
  const Recording some = read_recording(folder / "a.h5", names);
  ASSERT_EQ(some.header.channels.size(), 3u);
  EXPECT_EQ(some.header.channels[1].name, "joint3.q");
  EXPECT_EQ(some.column(1)[4], 4.003);
  EXPECT_EQ(some.column(2)[9], 9.001);
  const RecordingContents contents = read_contents(folder / "a.h5");
  EXPECT_EQ(contents.header, test::plain_header(5));
  EXPECT_EQ(contents.rows, 10u);
  EXPECT_EQ(contents.status, "done");
}

TEST(Recording, finds_channels_by_patterns_and_offers_what_may_be_meant) {
  Recording recording;
  recording.header = test::plain_header(4);
  recording.numbers = test::plain_row(7, 4);
  const std::vector<std::string> all{"*.q"}, wrong{"joint9.q"};
  EXPECT_EQ(channels_of(recording, all).columns.size(), 4u);  // the time comes with them
  EXPECT_EQ(recording.find_channel("joint2.q"), 2);
  EXPECT_EQ(recording.find_channel("joint"), -1);
  try {
    channels_of(recording, wrong);
    FAIL();
  } catch (const RecordingError& error) {
    EXPECT_STREQ(error.what(), "there is no channel 'joint9.q' in the recording");
    EXPECT_EQ(error.fix().substr(0, 21), "did you mean 'joint1.");
    EXPECT_EQ(error.id(), "channel-unknown");
  }
}

TEST(Recording, refuses_what_is_no_row_and_no_event_of_it) {
  const ScratchFolder folder;
  RecordingFile file = RecordingFile::create(folder / "a.h5", test::plain_header(3));
  const std::vector<double> short_row{1, 2};
  EXPECT_THROW(file.append(short_row), std::invalid_argument);
  EXPECT_THROW(file.add({0, "e", "user", "", {1, 2, 3}, {}, {}, {}}), std::invalid_argument);
  file.finish("done");
  EXPECT_THROW(file.append(test::plain_row(0, 3)), std::logic_error);
  RecordingHeader twice = test::plain_header(2);
  twice.channels.push_back(twice.channels[1]);
  EXPECT_THROW(RecordingFile::create(folder / "b.h5", twice), std::invalid_argument);
  EXPECT_THROW(RecordingFile::create(folder / "b.h5", {}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "b.h5"));
}

// [FIPS 180-4; NIST's examples SHA256.pdf, and a million times 'a']
TEST(HashOf, is_sha256) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// For tests in Python, which need recordings of ours: TRAMMEL_RECORDING=path, TRAMMEL_RECORDING_ROWS=rows (0: until it is killed). It is
// flushed each 200 rows, a hundred times a second.
TEST(RecordingSample, is_written_where_the_environment_says) {
  const char* path = std::getenv("TRAMMEL_RECORDING");
  const char* count = std::getenv("TRAMMEL_RECORDING_ROWS");
  if (path == nullptr || count == nullptr) GTEST_SKIP() << "nobody asks for it";
  constexpr std::size_t channels = 40;
  const std::size_t rows = std::strtoul(count, nullptr, 10);
  RecordingFile file = RecordingFile::create(path, test::plain_header(channels));
  for (std::size_t i = 0; rows == 0 || i < rows; ++i) {
    file.append(test::plain_row(i, channels));
    if (i % 200 == 199) {
      file.add(test::plain_event(i / 200));
      file.set({static_cast<double>(i), i, i + 1, i / 200 + 1, {1, 2, 3}});
      file.flush();
      if (rows == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  file.finish("done");
}

}  // namespace
}  // namespace trammel
