// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a shard has done so far: a text file that only grows. Each line is a record with its checksum (CRC-32, eight hexadecimal digits) in front,
//
//   5c1e0a77 {"trammel-journal":1,"plan":"<sha-256>","version":"0.1.0","commit":"…","level":"x86-64-v3"}
//   90ab12fe {"task":17,"status":"done","scalars":[0.5,1.25],…}
//
// so that a record that was being written when the process or the machine died is known by its checksum, is dropped, and its task runs again.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/study.hpp>

namespace trammel::study {

struct JournalHeader {
  std::string plan, version, commit, level;
  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};
// This program on this machine.
JournalHeader own_header(const std::string& plan_hash);

struct JournalContents {
  std::string file;
  bool has_header = false;  // false: killed before its first record was written; as good as empty
  JournalHeader header;
  std::map<std::uint64_t, TaskResult> results;  // of a task that ran twice, the later one
  std::uint64_t records = 0, dropped = 0;
  std::size_t good_bytes = 0;  // up to a record that is torn off at the end
};
JournalContents parse_journal(std::string_view text, const std::string& file);
JournalContents read_journal(const std::string& path);
// All journals of a study, by name.
std::vector<JournalContents> read_journals(const std::string& folder);

std::string record_of(std::uint64_t task, const TaskResult& result);  // what stands behind the checksum
std::string line_of(std::string_view record);                         // with checksum and line feed

// Writes a journal, alone: another process that has it open is an error.
class JournalWriter {
 public:
  // Cuts off what is torn at the end of a file that is there.
  JournalWriter(const std::string& path, const JournalHeader& header);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void append(std::string_view record);  // to the system: outlives the process
  void flush();                          // to the disk: outlives the machine

  const JournalContents& found() const { return found_; }

 private:
  void write_all(std::string_view bytes);
  std::string path_;
  int file_ = -1;
  JournalContents found_;
};

}  // namespace trammel::study
