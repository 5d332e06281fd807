// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings to be written: random ones, and a plain one whose every number is known.

#include <filesystem>
#include <functional>
#include <string>

#include <rapidcheck.h>

#include <trammel/recording.hpp>

namespace trammel::test {

// A folder for one test, empty, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::string& path);

// Whole, as it should read back. Numbers may be infinite or NaN, names anything but NUL.
rc::Gen<Recording> any_recording();
// All equal to the last bit, NaN too.
bool is_same(const Recording& a, const Recording& b);

// Writes a recording; calls `between` after each row, which may flush.
void write(const std::string& path, const Recording& recording, const std::function<void(RecordingFile&)>& between);

// A row of channels whose value in row i, channel c is i + c / 1000.
RecordingHeader plain_header(std::size_t channels);
std::vector<double> plain_row(std::size_t i, std::size_t channels);
RecordedEvent plain_event(std::size_t i);
// Whether the recording is the first rows and events of the plain one.
void expect_plain(const Recording& recording);

// Runs in a child process; its exit code, or −1 if it was killed.
int exit_code_of(const std::function<int()>& act);

}  // namespace trammel::test
