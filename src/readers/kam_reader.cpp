// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The KAM reader, from text to model: statements, names, loops, data, then the model. The data stand after END, in the file that the
// options name, or, where neither is there, in NAME.dat beside NAME.kam.                           docs/formats/kam.md

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/kam_data.hpp"
#include "readers/kam_listing.hpp"
#include "readers/kam_lowering.hpp"
#include "readers/load_file.hpp"
#include "readers/yaml_text.hpp"

namespace trammel::readers::kam {

namespace {

namespace fs = std::filesystem;

// NAME.dat for a file NAME.kam that is there; nothing else is guessed.
std::string file_beside(const std::string& file) {
  fs::path path(file);
  if (capitals(path.extension().string()) != ".KAM") return {};
  return path.replace_extension(".dat").string();
}

bool is_there(const std::string& file) {
  std::error_code error;
  return !file.empty() && fs::is_regular_file(file, error);
}

class Reading {
 public:
  Reading(const std::string& file, const ReadOptions& options) : file_(file), options_(options) {
    result_.format = Format::kam;
    result_.model.file = file;
    result_.model.name = fs::path(file).stem().string();
  }

  ReadResult run(std::string_view text) {
    if (check_encoding(text, options_.max_bytes, messages_)) read(without_bom(text));
    result_.diagnostics = messages_.finish(file_);
    if (!data_file_.empty()) result_.diagnostics.append(data_messages_.finish(data_file_));
    return std::move(result_);
  }

 private:
  const std::string& file_;
  const ReadOptions& options_;
  ReadResult result_;
  Messages messages_, data_messages_;
  std::string data_file_;

  void read(std::string_view text) {
    StatementReader reader(text, messages_);
    const StatementList list = parse_statements(reader);
    if (list.statements.empty() && !list.has_end && !list.gave_up) {
      messages_.error({1, 1}, "file-empty", "the file has no statements",
                      "write a KAM listing: DIMENSION/PT(8), BASE/…, END");
      return;
    }
    if (!list.has_end && !list.gave_up) {
      messages_.error(list.end, "kam-statement-missing", "the listing does not end with END",
                      "add END behind its last statement; after END come the data");
    }
    Listing listing = resolve_names(list, messages_);
    trace_loops(listing, messages_);
    if (!listing.system_name.empty()) result_.model.name = listing.system_name;

    std::vector<DataPart> parts;
    read_data(reader, listing, parts.emplace_back(messages_));
    std::string text_of_file;
    if (find_data_file(parts.front().is_empty) && load_data(text_of_file)) {
      StatementReader data_reader(without_bom(text_of_file), data_messages_);
      read_data(data_reader, listing, parts.emplace_back(data_messages_));
    }
    const bool has_data = std::any_of(parts.begin(), parts.end(), [](const DataPart& part) { return !part.is_empty; });
    if (!has_data && !data_messages_.has_errors() && list.has_end) {
      messages_.error(list.end, "kam-data-missing", "there are no data for this listing",
                      fmt::format("write them after END{}, or say --data FILE", or_beside()));
    }
    lower(listing, parts, messages_, result_.model);
  }

  std::string or_beside() const {
    const std::string beside = file_beside(file_);
    return beside.empty() ? "" : fmt::format(", or into {} beside it", fs::path(beside).filename().string());
  }

  bool find_data_file(bool none_after_end) {
    data_file_ = options_.data;
    if (data_file_.empty() && none_after_end && is_there(file_beside(file_))) data_file_ = file_beside(file_);
    return !data_file_.empty();
  }

  bool load_data(std::string& text) {
    if (!load_file(data_file_, options_.max_bytes, text, data_messages_)) return false;
    result_.included.push_back(data_file_);
    return check_encoding(text, options_.max_bytes, data_messages_);
  }
};

}  // namespace

}  // namespace trammel::readers::kam

namespace trammel {

ReadResult read_kam(std::string_view text, const std::string& file, const ReadOptions& options) {
  return readers::kam::Reading(file, options).run(text);
}

}  // namespace trammel
