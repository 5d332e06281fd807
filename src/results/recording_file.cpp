// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Recordings while they grow. Rows are gathered in memory and written each second, by a driver that leaves a whole file behind whenever the
// process may be killed (hdf5_burst_driver.hpp). At the end the file is written anew, compressed and in one order, so that its bytes
// depend on what was recorded and not on when it was flushed or how often it was broken off.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/hdf5_burst_driver.hpp"
#include "results/recording_errors.hpp"
#include "results/recording_pack.hpp"
#include "results/recording_store.hpp"

namespace trammel {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds between_flushes{1};
constexpr std::size_t most_buffered = std::size_t{4} << 20;  // bytes of rows; a fast simulation flushes sooner

[[noreturn]] void fail_unwritable(const std::string& path, int error) {
  if (error == EBUSY) {
    fail("recording-busy", fmt::format("{} is being written by another simulation", path),
         "wait for its end, or name another file");
  }
  const std::string reason =
      error == ESPIPE ? "it is a device or a pipe, and no file" : std::generic_category().message(error);
  fail("recording-unwritable", fmt::format("{} cannot be written: {}", path, reason),
       "check the path and its permissions");
}

[[noreturn]] void fail_lost(const std::string& path, const std::string& reason, bool can_be_resumed) {
  fail("recording-lost", fmt::format("{} cannot be written any further: {}", path, reason),
       can_be_resumed ? "make room on the disk; what was written till then can be read, and the run be resumed"
                      : "make room on the disk; what was written till then can be read, but has no checkpoint to "
                        "resume from");
}

// A path beside, on the same disk, so that it can take the other's place in one step.
std::string beside(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path() / fmt::format(".{}.{}.part", file.filename().string(), ::getpid())).string();
}

// Where links lead: the file behind is replaced, and not the link.
std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// Throws std::system_error.
void put_in_place(const std::string& from, const std::string& to) {
  struct stat old {};
  const bool kept = ::stat(to.c_str(), &old) != 0 || ::chmod(from.c_str(), old.st_mode & 07777) == 0;
  if (!kept || std::rename(from.c_str(), to.c_str()) != 0) throw std::system_error(errno, std::generic_category());
}

// HDF5's own mark, at the beginning of a file; an empty file may become one.
bool may_be_a_recording(const std::string& path) {
  constexpr std::string_view mark = "\x89HDF\r\n\x1a\n";
  std::array<char, mark.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return file.gcount() == 0 || std::string_view(begin.data(), static_cast<std::size_t>(file.gcount())) == mark;
}

// An HDF5 file that says to be something else. One that cannot be opened says nothing: a recording may be damaged.
bool is_of_another_kind(const std::string& path) {
  try {
    const Handle file = open_hdf5(path);
    return file.is_open() && find_attribute(file, "format") != format_name;
  } catch (const std::exception&) {
    return false;
  }
}

// What is at the path may be written over: it is a file, of our kind, ours to write to, and nobody writes to it now.
void require_replaceable(const std::string& path) {
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) return;
  if (S_ISDIR(old.st_mode)) fail_unwritable(path, EISDIR);
  if (!S_ISREG(old.st_mode)) fail_unwritable(path, ESPIPE);
  if (::access(path.c_str(), W_OK) != 0) fail_unwritable(path, errno);
  if (is_being_written(path)) fail_unwritable(path, EBUSY);
  if (!may_be_a_recording(path) || (old.st_size > 0 && is_of_another_kind(path))) {
    fail("recording-not-ours", fmt::format("{} is there already, and is no recording", path),
         "name another file, or remove this one first");
  }
}

// What of two headers must agree and does not, in words; empty where all is well.
std::string difference(const RecordingHeader& a, const RecordingHeader& b) {
  if (a.model_hash != b.model_hash || a.model_text != b.model_text) return "the model has changed";
  if (a.trammel_version != b.trammel_version) return fmt::format("it was begun by trammel {}", a.trammel_version);
  if (a.kernel_level != b.kernel_level) return fmt::format("it was begun with kernels for {}", a.kernel_level);
  if (a.channels != b.channels) return "other channels are recorded";
  if (a.q_names != b.q_names || a.v_names != b.v_names) return "its coordinates have other names";
  return {};
}

}  // namespace

class RecordingFile::Implementation {
 public:
  std::string path;
  BurstReport report;
  Handle file;
  RecordingStore store;                // closed before the file
  std::uint64_t rows = 0, events = 0;  // that HDF5 has
  std::vector<double> new_rows;
  std::vector<RecordedEvent> new_events;
  std::optional<Checkpoint> new_checkpoint;
  Clock::time_point flushed = Clock::now();
  std::string lost;             // why nothing more can be written
  bool has_checkpoint = false;  // on the disk

  ~Implementation() { close(); }

  std::size_t width() const { return store.header().channels.size(); }

  void require_open() const {
    if (!lost.empty()) fail_lost(path, lost, has_checkpoint);
    if (!file.is_open()) throw std::logic_error("the recording is finished: nothing may be written to it any more");
  }

  void close() {
    const Hdf5Session session;
    store = {};
    file.reset();
  }

  void write_new_rows() {
    const std::size_t count = new_rows.size() / width();
    std::vector<double> column(count);
    for (std::size_t c = 0; c < width() && count > 0; ++c) {
      for (std::size_t r = 0; r < count; ++r) column[r] = new_rows[r * width() + c];
      write_rows(store.channel(c), rows, column);
    }
    rows += count;
    new_rows.clear();
  }

  // Writes what HDF5 has, and tells if that failed.
  void write_to_disk() {
    check(H5Fflush(file, H5F_SCOPE_LOCAL));
    if (report.error != 0) throw std::system_error(report.error, std::generic_category());
  }

  void flush() {
    require_open();
    try {
      const Hdf5Session session;
      write_new_rows();
      store.append_events(new_events);
      events += new_events.size();
      new_events.clear();
      write_to_disk();
      if (new_checkpoint) {  // only now is there all that it speaks of
        store.write_checkpoint(*new_checkpoint);
        new_checkpoint.reset();
        write_to_disk();
        has_checkpoint = true;
      }
    } catch (const Hdf5Failure& failure) {
      give_up(failure.what());
    } catch (const std::system_error& failure) {
      give_up(failure.code().message());
    }
    flushed = Clock::now();
  }

  [[noreturn]] void give_up(const std::string& reason) {
    lost = reason;
    close();
    fail_lost(path, reason, has_checkpoint);
  }

  // Puts the packed recording in place of this one. Where there is no room for it this one stays, with all that it holds.
  void pack(const std::string& status) {
    const std::string target = real_path(path), part = beside(target);
    BurstReport part_report;
    try {
      Handle to = create_hdf5(part, part_report);
      copy_recording(store, {rows, events}, store.header(), status, to, part_report, Form::packed);
      to.reset();
      if (part_report.error == 0) {
        put_in_place(part, target);
        return;
      }
    } catch (
        const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): of HDF5 or of the disk; nothing is lost by it
    }
    ::unlink(part.c_str());
  }
};

RecordingFile::RecordingFile(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
RecordingFile::~RecordingFile() {
  if (!implementation_ || !implementation_->file.is_open()) return;
  try {
    implementation_->flush();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}
RecordingFile::RecordingFile(RecordingFile&&) noexcept = default;
RecordingFile& RecordingFile::operator=(RecordingFile&&) noexcept = default;

RecordingFile RecordingFile::create(const std::string& path, const RecordingHeader& header) {
  if (header.channels.empty()) throw std::invalid_argument("a recording needs channels, the first of them the time");
  paths_of(header.channels);  // throws where names are not unique, before a file is there
  const Hdf5Session session;
  auto made = std::make_unique<Implementation>();
  made->path = path;
  // Beside first: there is never a file at the path that cannot be read.
  const std::string target = real_path(path), part = beside(target);
  require_replaceable(path);
  try {
    made->file = create_hdf5(part, made->report);
    made->store = RecordingStore::create(made->file, header, Form::growing);
    made->write_to_disk();
    put_in_place(part, target);
  } catch (const Hdf5Failure& failure) {
    ::unlink(part.c_str());
    if (made->report.error != 0) fail_unwritable(path, made->report.error);
    fail("recording-unwritable", fmt::format("{} cannot be written: {}", path, failure.what()),
         "check the path and its permissions");
  } catch (const std::system_error& failure) {
    ::unlink(part.c_str());
    fail_unwritable(path, failure.code().value());
  }
  return RecordingFile(std::move(made));
}

RecordingFile RecordingFile::resume(const std::string& path, const RecordingHeader& header, Checkpoint& checkpoint) {
  const Hdf5Session session;
  auto made = std::make_unique<Implementation>();
  made->path = path;
  const std::string target = real_path(path), part = beside(target);
  try {
    const Handle old_file = open_hdf5(path);
    require_replaceable(path);
    const RecordingStore old = RecordingStore::open(old_file, path);
    const std::optional<Checkpoint> found = old.read_checkpoint();
    if (!found) {
      fail("recording-no-checkpoint", fmt::format("{} has no checkpoint: a run cannot go on from it", path),
           "simulate anew, without --resume");
    }
    if (const std::string other = difference(old.header(), header); !other.empty()) {
      fail("recording-other-run", fmt::format("{} cannot be gone on with: {}", path, other),
           "simulate anew, into another file");
    }
    if (found->rows > old.count_rows() || found->events > old.count_events())
      throw Hdf5Failure("it has less rows than its checkpoint says");
    made->file = create_hdf5(part, made->report);
    made->store =
        copy_recording(old, {found->rows, found->events}, header, {}, made->file, made->report, Form::growing);
    made->write_to_disk();
    made->rows = found->rows;
    made->events = found->events;
    checkpoint = *found;
    put_in_place(part, target);
  } catch (const Hdf5Failure& failure) {
    ::unlink(part.c_str());
    if (made->report.error != 0) fail_unwritable(path, made->report.error);
    fail("recording-damaged", fmt::format("{} is damaged: {}", path, failure.what()),
         "simulate anew, without --resume");
  } catch (const std::system_error& failure) {
    ::unlink(part.c_str());
    fail_unwritable(path, failure.code().value());
  }
  return RecordingFile(std::move(made));
}

void RecordingFile::append(std::span<const double> row) {
  implementation_->require_open();
  if (row.size() != implementation_->width()) {
    throw std::invalid_argument(fmt::format("a row of {} numbers for {} channels; fix: give one for each", row.size(),
                                            implementation_->width()));
  }
  std::vector<double>& rows = implementation_->new_rows;
  if ((rows.size() + row.size()) * sizeof(double) > most_buffered && !rows.empty()) implementation_->flush();
  rows.insert(rows.end(), row.begin(), row.end());
}

void RecordingFile::add(const RecordedEvent& event) {
  implementation_->require_open();
  const RecordingHeader& header = implementation_->store.header();
  const auto fits = [](const std::vector<double>& state, std::size_t size) {
    return state.empty() || state.size() == size;
  };
  if (!fits(event.q_before, header.q_names.size()) || !fits(event.q_after, header.q_names.size()) ||
      !fits(event.v_before, header.v_names.size()) || !fits(event.v_after, header.v_names.size())) {
    throw std::invalid_argument(
        fmt::format("the states of event '{}' have other sizes than q_names and v_names", event.name));
  }
  implementation_->new_events.push_back(event);
}

void RecordingFile::set(const Checkpoint& checkpoint) {
  implementation_->require_open();
  implementation_->new_checkpoint = checkpoint;
}

bool RecordingFile::flush_if_due() {
  if (Clock::now() - implementation_->flushed < between_flushes) return false;
  implementation_->flush();
  return true;
}

void RecordingFile::flush() { implementation_->flush(); }

void RecordingFile::finish(const std::string& status) {
  implementation_->flush();
  const Hdf5Session session;
  try {
    implementation_->store.write_status(status.substr(0, room_for_status));
    implementation_->write_to_disk();
  } catch (const Hdf5Failure& failure) {
    implementation_->give_up(failure.what());
  } catch (const std::system_error& failure) {
    implementation_->give_up(failure.code().message());
  }
  implementation_->pack(status);
  implementation_->close();
}

}  // namespace trammel
