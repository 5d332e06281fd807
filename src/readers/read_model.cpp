// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reads a model file; the extension tells the format, unless the caller does.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/messages.hpp"

namespace trammel {

namespace {

using readers::Messages;
using readers::quote;

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

using Reader = ReadResult (*)(std::string_view, const std::string&, const ReadOptions&);

// An .xml file may hold either format; a URDF's root element is <robot>.
bool begins_with_robot(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    if (text.substr(at, 4) == "<!--") {
      at = text.find("-->", at);
      if (at == std::string_view::npos) return false;
    } else if (text.substr(at, 2) != "<?" && text.substr(at, 2) != "<!") {
      return text.substr(at, 6) == "<robot";
    }
  }
  return false;
}

// The reader that the options or the extension ask for, or null with a message.
Reader choose_reader(const std::string& path, std::string_view text, const ReadOptions& options, Messages& messages) {
  if (options.format == Format::native) return read_yaml;
  if (options.format == Format::urdf) return read_urdf;
  if (options.format == Format::mjcf) return read_mjcf;
  const std::string extension = extension_of(path);
  if (extension == ".yaml" || extension == ".yml") return read_yaml;
  if (extension == ".urdf") return read_urdf;
  if (extension == ".xml" && begins_with_robot(text)) return read_urdf;
  if (extension == ".xml" || extension == ".mjcf") return read_mjcf;
  const std::string known =
      "give the file the extension of its format: .yaml native, .urdf URDF, .xml MJCF; or say --from";
  if (extension == ".xacro") {
    messages.error({}, "urdf-xacro", "this is a xacro file, from which a URDF is made",
                   "run xacro first: xacro " + std::filesystem::path(path).filename().string() + " > robot.urdf");
  } else if (extension.empty()) {
    messages.error({}, "file-format", "the file has no extension that tells its format", known);
  } else {
    messages.error({}, "file-format", fmt::format("no format is known by the extension {}", quote(extension)), known);
  }
  return nullptr;
}

// The whole file, unless it is not there, not a file, or larger than a reader takes.
bool load(const std::string& path, std::size_t max_bytes, std::string& text, Messages& messages) {
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
    messages.error({}, "file-too-large",
                   fmt::format("the file has {:.1f} MB; at most {:.1f} MB are read",
                               static_cast<double>(size) / 1048576, static_cast<double>(max_bytes) / 1048576),
                   "check that this is a model file; programs may raise ReadOptions::max_bytes");
    return false;
  }
  return true;
}

}  // namespace

ReadResult read_model(const std::string& path, const ReadOptions& options) {
  Messages messages;
  std::string text;
  if (load(path, options.max_bytes, text, messages)) {
    if (const Reader reader = choose_reader(path, text, options, messages)) return reader(text, path, options);
  }
  ReadResult nothing;
  nothing.model.file = path;
  nothing.diagnostics = messages.finish(path);
  return nothing;
}

}  // namespace trammel
