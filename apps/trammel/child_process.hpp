// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that runs beside the tool and is talked to through pipes. It ends with the object that started it.

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace trammel::tool {

class ChildProcess {
 public:
  // The numbers that the program's ends of the two pipes have there; −1: no such pipe. What it says otherwise is dropped, or kept in a file.
  struct Pipes {
    int reads = -1, writes = -1;
    std::string complaints = "/dev/null";  // file for its standard error
    std::string scratch = {};              // folder for its temporary files; empty: the usual one
  };
  // Throws std::runtime_error where it cannot be started.
  ChildProcess(const std::vector<std::string>& words, const Pipes& pipes);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // These three throw Interrupted where an Interruption has noted a signal.
  // False where it does not take it any more, or not within so many seconds.
  bool write(std::string_view bytes, double patience);
  // Some bytes; empty: it has ended, or said nothing for so many seconds.
  std::string read(double patience);
  // No more will be written; waits for its end. Its exit code, −1 where it was ended.
  int finish(double patience);

 private:
  void close_pipes();
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

// A folder of its own for one run, removed in the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace trammel::tool
