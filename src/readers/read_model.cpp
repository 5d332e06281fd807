// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reads a model file; the extension tells the format, unless the caller does.

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include <trammel/readers.hpp>

#include "readers/load_file.hpp"
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
  if (options.format == Format::kam) return read_kam;
  if (options.format == Format::dynamechs) return read_dynamechs;
  const std::string extension = extension_of(path);
  if (extension == ".yaml" || extension == ".yml") return read_yaml;
  if (extension == ".urdf") return read_urdf;
  if (extension == ".xml" && begins_with_robot(text)) return read_urdf;
  if (extension == ".xml" || extension == ".mjcf") return read_mjcf;
  if (extension == ".kam") return read_kam;
  if (extension == ".dm" || extension == ".cfg" || text.starts_with("# DynaMechs V")) return read_dynamechs;
  const std::string known =
      "give the file the extension of its format: .yaml native, .urdf URDF, .xml MJCF, .kam KAM, .dm DynaMechs; or say "
      "--from";
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

}  // namespace

ReadResult read_model(const std::string& path, const ReadOptions& options) {
  Messages messages;
  std::string text;
  if (readers::load_file(path, options.max_bytes, text, messages)) {
    if (const Reader reader = choose_reader(path, text, options, messages)) return reader(text, path, options);
  }
  ReadResult nothing;
  nothing.model.file = path;
  nothing.diagnostics = messages.finish(path);
  return nothing;
}

}  // namespace trammel
