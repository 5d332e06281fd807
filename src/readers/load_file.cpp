// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/load_file.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace trammel::readers {

bool load_file(const std::string& path, std::size_t max_bytes, std::string& text, Messages& messages) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    messages.error({}, "file-not-found", "there is no such file", "check the path");
    return false;
  }
  if (fs::is_directory(status)) {
    messages.error({}, "file-unreadable", "this is a directory", "name a file in it");
    return false;
  }
  std::ifstream stream(path, std::ios::binary);
  // One byte more than allowed tells a file that is too large, also for pipes, whose size is not known before.
  text.resize(max_bytes + 1);
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    messages.error({}, "file-unreadable", "the file cannot be read", "check its permissions");
    return false;
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > max_bytes) {
    const std::uintmax_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : text.size();
    const double most = static_cast<double>(max_bytes) / 1048576;
    messages.error({}, "file-too-large",
                   fs::is_regular_file(status)
                       ? fmt::format("the file has {:.1f} MB; at most {:.1f} MB are read",
                                     static_cast<double>(size) / 1048576, most)
                       : fmt::format("this has no end within {:.1f} MB, and no more are read", most),
                   "check that this is a model file; programs may raise ReadOptions::max_bytes");
    return false;
  }
  return true;
}

}  // namespace trammel::readers
