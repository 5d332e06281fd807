// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Recordings in trouble: killed in the midst of a write, disks that are full, places that cannot be written, files that are none or are
// damaged. Each gives a message; nothing that was flushed is lost.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <trammel/recording.hpp>

#include "results/burst_hook.hpp"
#include "results/recording_case.hpp"

namespace trammel {
namespace {

using test::ScratchFolder;

// What is thrown, as "id: what".
template <typename Act>
std::string error_of(const Act& act) {
  try {
    act();
  } catch (const RecordingError& error) {
    EXPECT_FALSE(error.fix().empty());
    return error.id() + ": " + error.what();
  }
  return "nothing";
}

constexpr std::size_t channels = 4;

// Blocks of rows with an event and a checkpoint after each; kills itself before the write of that number.
void record_until_killed(const std::string& path, int writes, std::size_t rows_of_a_flush, int flushes) {
  results::before_burst_write = [writes]() mutable {
    if (writes-- == 0) ::raise(SIGKILL);
  };
  RecordingFile file = RecordingFile::create(path, test::plain_header(channels));
  std::size_t row = 0;
  for (int k = 0; k < flushes; ++k) {
    for (std::size_t i = 0; i < rows_of_a_flush; ++i, ++row) file.append(test::plain_row(row, channels));
    file.add(test::plain_event(static_cast<std::size_t>(k)));
    file.set(
        {static_cast<double>(row), row, row, static_cast<std::uint64_t>(k + 1), std::vector<double>(k / 2 + 1, 1.0)});
    file.flush();
  }
  file.finish("done");
}

// At every single write of the run, one after the other.
void kill_at_each_write(std::size_t rows_of_a_flush, int flushes, int step) {
  const ScratchFolder folder;
  std::size_t most = 0;
  int killed = 0;
  for (int writes = 0;; writes += step) {
    const std::string path = folder / "a.h5";
    std::filesystem::remove(path);
    const int code = test::exit_code_of([&] {
      record_until_killed(path, writes, rows_of_a_flush, flushes);
      return 0;
    });
    if (!std::filesystem::exists(path)) continue;  // killed before there was anything to lose
    SCOPED_TRACE(writes);
    const Recording recording = read_recording(path);
    test::expect_plain(recording);
    // Never less than before: all that was flushed is there.
    EXPECT_GE(recording.row_count(), most);
    most = std::max(most, recording.row_count());
    Checkpoint checkpoint;
    if (recording.checkpoint) {
      EXPECT_NO_THROW(RecordingFile::resume(path, test::plain_header(channels), checkpoint).finish("done"));
      test::expect_plain(read_recording(path));
    }
    if (code == 0) break;
    ++killed;
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_EQ(most, rows_of_a_flush * static_cast<std::size_t>(flushes));
  EXPECT_GT(killed, 10);
}

TEST(KilledRecording, can_be_read_and_resumed_wherever_it_was_killed) { kill_at_each_write(700, 3, 1); }

// 64 blocks fill a node of the tree by which HDF5 finds them: here it is split.
TEST(KilledRecording, can_be_read_while_indices_are_split) { kill_at_each_write(34'000, 2, 2); }

TEST(KilledRecording, leaves_an_older_one_as_it_was_until_it_has_begun) {
  const ScratchFolder folder;
  record_until_killed(folder / "a.h5", -1, 10, 1);
  test::exit_code_of([&] {
    record_until_killed(folder / "a.h5", 1, 10, 1);
    return 0;
  });
  EXPECT_EQ(read_recording(folder / "a.h5").status, "done");
}

TEST(FullDisk, keeps_what_was_flushed) {
  const ScratchFolder folder;
  for (const rlim_t limit : {60'000u, 100'000u, 200'000u, 300'000u}) {
    const std::string path = folder / "a.h5";
    std::filesystem::remove(path);
    const int code = test::exit_code_of([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit most{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &most);
      RecordingFile file = RecordingFile::create(path, test::plain_header(channels));
      std::size_t row = 0;
      const std::string first = error_of([&] {
        for (std::size_t k = 0; k < 1000; ++k) {
          for (int i = 0; i < 100; ++i, ++row) file.append(test::plain_row(row, channels));
          file.flush();
        }
      });
      const std::string again = error_of([&] { file.append(test::plain_row(row, channels)); });
      return first == "recording-lost: " + path + " cannot be written any further: File too large" && again == first
                 ? 0
                 : 1;
    });
    EXPECT_EQ(code, 0) << limit;
    const Recording recording = read_recording(path);
    EXPECT_EQ(recording.row_count() % 100, 0u);
    EXPECT_GT(recording.row_count(), 0u);
    test::expect_plain(recording);
  }
}

TEST(FullDisk, leaves_a_recording_unpacked_rather_than_losing_it) {
  const ScratchFolder folder;
  const std::string path = folder / "a.h5";
  const int code = test::exit_code_of([&] {
    RecordingFile file = RecordingFile::create(path, test::plain_header(channels));
    for (std::size_t i = 0; i < 5000; ++i) file.append(test::plain_row(i, channels));
    file.set({0, 0, 1, 0, {}});
    file.flush();
    ::signal(SIGXFSZ, SIG_IGN);
    results::before_burst_write = [] {
      const rlimit most{12'000, 12'000};  // enough for the status, too little for the packed file
      ::setrlimit(RLIMIT_FSIZE, &most);
    };
    file.finish("done");
    return 0;
  });
  EXPECT_EQ(code, 0);
  const Recording recording = read_recording(path);
  EXPECT_EQ(recording.row_count(), 5000u);
  test::expect_plain(recording);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(UnwritablePlace, is_told) {
  const ScratchFolder folder;
  const auto create = [](const std::string& path) {
    return error_of([&] { RecordingFile::create(path, test::plain_header(2)); });
  };
  const std::string missing = folder / "nowhere/a.h5", itself = folder.path().string();
  EXPECT_EQ(create(missing), "recording-unwritable: " + missing + " cannot be written: No such file or directory");
  EXPECT_EQ(create(itself), "recording-unwritable: " + itself + " cannot be written: Is a directory");
  EXPECT_EQ(create("/dev/full"),
            "recording-unwritable: /dev/full cannot be written: it is a device or a pipe, and no file");
  EXPECT_EQ(create(""), "recording-unwritable:  cannot be written: No such file or directory");
}

TEST(UnwritablePlace, is_a_file_of_another_kind_which_stays_as_it_is) {
  const ScratchFolder folder;
  const std::string notes = folder / "notes.txt", empty = folder / "empty.h5", short_one = folder / "short";
  std::ofstream(notes) << "what I must not lose\n";
  std::ofstream(short_one) << "ab";
  std::ofstream(empty).close();
  const auto create = [](const std::string& path) {
    return error_of([&] { RecordingFile::create(path, test::plain_header(2)); });
  };
  EXPECT_EQ(create(notes), "recording-not-ours: " + notes + " is there already, and is no recording");
  EXPECT_EQ(create(short_one), "recording-not-ours: " + short_one + " is there already, and is no recording");
  EXPECT_EQ(std::filesystem::file_size(notes), 21u);
  EXPECT_EQ(create(empty), "nothing");
  EXPECT_EQ(create(empty), "nothing");  // a recording may be written over
}

TEST(UnwritablePlace, is_one_that_another_simulation_writes_to) {
  const ScratchFolder folder;
  const std::string path = folder / "a.h5";
  RecordingFile first = RecordingFile::create(path, test::plain_header(2));
  first.set({});
  first.flush();
  const std::string busy = "recording-busy: " + path + " is being written by another simulation";
  Checkpoint checkpoint;
  EXPECT_EQ(error_of([&] { RecordingFile::create(path, test::plain_header(2)); }), busy);
  EXPECT_EQ(error_of([&] { RecordingFile::resume(path, test::plain_header(2), checkpoint); }), busy);
  first.finish("done");
  EXPECT_EQ(error_of([&] { RecordingFile::create(path, test::plain_header(2)); }), "nothing");
}

TEST(Recording, goes_through_links_and_keeps_permissions) {
  const ScratchFolder folder;
  record_until_killed(folder / "real.h5", -1, 10, 1);
  std::filesystem::create_symlink("real.h5", folder / "link.h5");
  ::chmod((folder / "real.h5").c_str(), 0640);
  record_until_killed(folder / "link.h5", -1, 20, 1);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.h5"));
  EXPECT_EQ(read_recording(folder / "real.h5").row_count(), 20u);
  struct stat status {};
  ::stat((folder / "real.h5").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(Resuming, asks_for_a_checkpoint_and_for_the_same_run) {
  const ScratchFolder folder;
  const std::string path = folder / "a.h5";
  Checkpoint checkpoint;
  const auto resume = [&](const RecordingHeader& header) {
    return error_of([&] { RecordingFile::resume(path, header, checkpoint); });
  };
  RecordingFile::create(path, test::plain_header(2)).finish("stopped");
  EXPECT_EQ(resume(test::plain_header(2)),
            "recording-no-checkpoint: " + path + " has no checkpoint: a run cannot go on from it");
  RecordingFile file = RecordingFile::create(path, test::plain_header(2));
  file.set({});
  file.finish("stopped");
  RecordingHeader header = test::plain_header(2);
  header.model_hash = "other";
  EXPECT_EQ(resume(header), "recording-other-run: " + path + " cannot be gone on with: the model has changed");
  EXPECT_EQ(resume(test::plain_header(3)),
            "recording-other-run: " + path + " cannot be gone on with: other channels are recorded");
  header = test::plain_header(2);
  header.options = "{\"end\": 20}";
  EXPECT_EQ(resume(header), "nothing");
  EXPECT_EQ(read_recording(path).header.options, header.options);
}

TEST(DamagedRecording, that_is_no_recording_is_told) {
  const ScratchFolder folder;
  const auto read = [](const std::string& path) { return error_of([&] { read_recording(path); }); };
  const std::string missing = folder / "a.h5", text = folder / "b.h5", empty = folder / "c.h5";
  std::ofstream(text) << "t,q\n0,1\n";
  std::ofstream(empty).flush();
  EXPECT_EQ(read(missing), "recording-unreadable: " + missing + " cannot be read: No such file or directory");
  EXPECT_EQ(read(folder.path().string()),
            "recording-unreadable: " + folder.path().string() + " cannot be read: Is a directory");
  EXPECT_EQ(read(text), "recording-not-hdf5: " + text + " is not an HDF5 file");
  EXPECT_EQ(read(empty), "recording-not-hdf5: " + empty + " is not an HDF5 file");
}

// In a child, since it is HDF5 that reads: 0 read, 1 a message, −1 a crash.
int outcome_of_reading(const std::string& path) {
  return test::exit_code_of([&] {
    const rlimit seconds{20, 20};
    ::setrlimit(RLIMIT_CPU, &seconds);
    return error_of([&] { read_recording(path); }) == "nothing" ? 0 : 1;
  });
}

const int damaged_files = std::getenv("TRAMMEL_DAMAGED") == nullptr ? 200 : std::atoi(std::getenv("TRAMMEL_DAMAGED"));

TEST(DamagedRecording, that_ends_too_soon_is_told) {
  const ScratchFolder folder;
  record_until_killed(folder / "a.h5", -1, 2000, 2);
  const std::string whole = test::bytes_of(folder / "a.h5");
  for (std::size_t part = 0; part < 40; ++part) {
    std::ofstream(folder / "b.h5", std::ios::binary) << whole.substr(0, whole.size() * part / 40);
    EXPECT_EQ(outcome_of_reading(folder / "b.h5"), 1) << part;
  }
}

// Half of them of a run that ended, half of one that was killed.
TEST(DamagedRecording, with_wrong_bytes_never_crashes) {
  const ScratchFolder folder;
  std::mt19937 engine(20250117);
  for (const int writes : {-1, 60}) {
    test::exit_code_of([&] {
      record_until_killed(folder / "a.h5", writes, 2000, 5);
      return 0;
    });
    const std::string whole = test::bytes_of(folder / "a.h5");
    for (int k = 0; k < damaged_files / 2; ++k) {
      std::string damaged = whole;
      for (unsigned n = engine() % 4 + 1; n > 0; --n) damaged[engine() % damaged.size()] = static_cast<char>(engine());
      std::ofstream(folder / "b.h5", std::ios::binary) << damaged;
      EXPECT_GE(outcome_of_reading(folder / "b.h5"), 0) << k;
    }
  }
}

}  // namespace
}  // namespace trammel
