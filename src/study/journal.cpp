// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <trammel/batch.hpp>
#include <trammel/version.hpp>

namespace trammel::study {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t checksum_digits = 8;

std::string checksum(std::string_view record) {
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(record.data()), static_cast<uInt>(record.size()));
  return fmt::format("{:08x}", static_cast<std::uint32_t>(sum));
}

// JSON has no NaN: null stands for it.
ordered_json numbers(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double x : values) list.push_back(std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr));
  return list;
}
std::vector<double> numbers_of(const json& list) {
  std::vector<double> values;
  for (const json& x : list) values.push_back(x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
  return values;
}

// False for what is no record of ours, though its checksum is right; json::exception where parts of it are of the wrong kind.
bool take(const json& record, JournalContents& contents) {
  if (record.contains("trammel-journal")) {
    contents.header = {record.at("plan"), record.at("version"), record.at("commit"), record.at("level")};
    contents.has_header = true;
    return true;
  }
  if (!contents.has_header) return false;  // nobody knows whose it is
  if (!record.at("task").is_number_unsigned()) return false;
  TaskResult result;
  result.status = record.at("status");
  result.reason = record.value("reason", "");
  if (record.contains("scalars")) result.scalars = numbers_of(record["scalars"]);
  if (record.contains("series")) {
    for (const json& column : record["series"]) result.series.push_back(numbers_of(column));
  }
  contents.results[record["task"].get<std::uint64_t>()] = std::move(result);
  ++contents.records;
  return true;
}

bool is_taken(const json& record, JournalContents& contents) {
  try {
    return take(record, contents);
  } catch (const json::exception&) {
    return false;
  }
}

}  // namespace

JournalHeader own_header(const std::string& plan_hash) {
  return {plan_hash, std::string(version()), std::string(git_commit()), std::string(kernel_level())};
}

std::string record_of(std::uint64_t task, const TaskResult& result) {
  ordered_json record{{"task", task}, {"status", result.status}};
  if (!result.reason.empty()) record["reason"] = result.reason;
  if (!result.scalars.empty()) record["scalars"] = numbers(result.scalars);
  if (!result.series.empty()) {
    for (const std::vector<double>& column : result.series) record["series"].push_back(numbers(column));
  }
  return record.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string line_of(std::string_view record) { return fmt::format("{} {}\n", checksum(record), record); }

JournalContents parse_journal(std::string_view text, const std::string& file) {
  JournalContents contents;
  contents.file = file;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const bool whole = end != std::string_view::npos;
    const std::string_view line = text.substr(begin, whole ? end - begin : std::string_view::npos);
    begin = whole ? end + 1 : text.size();
    const bool good = whole && line.size() > checksum_digits && line[checksum_digits] == ' ' &&
                      line.substr(0, checksum_digits) == checksum(line.substr(checksum_digits + 1));
    const json record = good ? json::parse(line.substr(checksum_digits + 1), nullptr, false) : json();
    if (!good || !record.is_object()) {
      ++contents.dropped;
      if (whole) contents.good_bytes = begin;  // a bad record in the middle stays; one that is torn off at the end goes
      continue;
    }
    if (!is_taken(record, contents)) ++contents.dropped;
    contents.good_bytes = begin;
  }
  return contents;
}

JournalContents read_journal(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_journal(text.str(), path);
}

std::vector<JournalContents> read_journals(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "journals", none)) {
    if (entry.path().extension() == ".journal") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<JournalContents> all;
  for (const std::string& path : paths) all.push_back(read_journal(path));
  return all;
}

JournalWriter::JournalWriter(const std::string& path, const JournalHeader& header) : path_(path) {
  const auto trouble = [&](const char* what) {
    return StudyError(fmt::format("{}: {}: {}", path, what, std::strerror(errno)),
                      "is the disk full, or the folder not yours?", "study-journal");
  };
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw trouble("cannot be opened");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    file_ = -1;
    throw StudyError(fmt::format("{} is being written by another process", path), "wait for it, or run another shard",
                     "study-busy");
  }
  found_ = read_journal(path);
  // Somebody else's header with nothing behind it, as of a shard that was refused: nobody has begun.
  if (found_.records == 0 && found_.has_header && found_.header != header)
    found_.has_header = false, found_.good_bytes = 0;
  if (ftruncate(file_, static_cast<off_t>(found_.good_bytes)) != 0 || lseek(file_, 0, SEEK_END) < 0)
    throw trouble("cannot be cut");
  if (found_.has_header) return;
  write_all(line_of(ordered_json{
      {"trammel-journal", 1},
      {"plan", header.plan},
      {"version", header.version},
      {"commit", header.commit},
      {"level",
       header.level}}.dump()));
}

JournalWriter::~JournalWriter() {
  if (file_ < 0) return;
  fdatasync(file_);
  close(file_);
}

void JournalWriter::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw StudyError(fmt::format("{} cannot be written: {}", path_, std::strerror(errno)),
                       "make room on the disk and run again: what is done is kept", "study-journal");
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void JournalWriter::append(std::string_view record) { write_all(line_of(record)); }
void JournalWriter::flush() { fdatasync(file_); }

}  // namespace trammel::study
