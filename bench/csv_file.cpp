// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "csv_file.hpp"

#include <filesystem>
#include <stdexcept>

namespace trammel::bench {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace

CsvFile::CsvFile(const std::string& path, const std::vector<std::string>& head) : path_(path), columns_(head.size()) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  file_ = std::fopen(path.c_str(), "w");
  if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
  write(head);
}

CsvFile::~CsvFile() { std::fclose(file_); }

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
