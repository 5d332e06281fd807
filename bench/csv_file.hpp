// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comma-separated values on disk: a head line, then lines of as many cells. They gather in a file of this process alone,
// which takes its name when it is finished: two runs at once cannot mix, and a run that was stopped leaves no figures that
// look complete.

#include <cstdio>
#include <string>
#include <vector>

namespace trammel::bench {

class CsvFile {
 public:
  // Makes the folder where it is missing. Throws std::runtime_error when the file cannot be written.
  CsvFile(const std::string& path, const std::vector<std::string>& head);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  void add(const std::vector<std::string>& cells);  // must be as many as in the head
  // Throws std::runtime_error when something could not be written.
  void finish();

 private:
  void write(const std::vector<std::string>& cells);

  std::string path_, partial_;
  std::size_t columns_;
  std::FILE* file_;
};

}  // namespace trammel::bench
