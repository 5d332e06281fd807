// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "csv_file.hpp"

#include <filesystem>
#include <stdexcept>

#include <unistd.h>

namespace trammel::bench {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace

CsvFile::CsvFile(const std::string& path, const std::vector<std::string>& head)
    : path_(path), partial_(path + "." + std::to_string(getpid()) + ".partial"), columns_(head.size()) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  file_ = std::fopen(partial_.c_str(), "w");
  if (file_ == nullptr) throw std::runtime_error("cannot write " + partial_);
  write(head);
}

CsvFile::~CsvFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void CsvFile::finish() {
  const bool lost = std::ferror(file_) != 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (lost || !closed) throw std::runtime_error("cannot write " + partial_);
  std::filesystem::rename(partial_, path_);
}

void CsvFile::add(const std::vector<std::string>& cells) {
  if (cells.size() != columns_) throw std::logic_error("a line of another length than the head");
  write(cells);
}

void CsvFile::write(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + quoted(cells[i]);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);  // whoever stops a long run keeps what is done
}

}  // namespace trammel::bench
