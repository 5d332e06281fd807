// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model files in and out. A reader never throws on bad input: it returns what it could read together with all
// diagnostics; the model is usable only when there are no errors.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/model.hpp>

namespace trammel {

enum class Format { native, urdf, mjcf, kam, dynamechs };

struct ReadResult {
  Model model;
  Diagnostics diagnostics;
  Format format = Format::native;       // that the text was read as
  std::vector<std::string> included{};  // files that the main one includes, or that its data are in
  // Meshes of a URDF that are named by package:// or another address and were found: the address and the file's path.
  std::map<std::string, std::string> found_meshes{};

  bool ok() const { return !diagnostics.has_errors(); }
};

// How the root link of a URDF stands: URDF itself does not say.
enum class Base { unset, free, fixed };

struct ReadOptions {
  // A file larger than this is refused before it is parsed; a mechanism of a thousand bodies needs 0.3 MB. yaml-cpp
  // takes up to 0.5 s a megabyte.
  std::size_t max_bytes = 4u << 20;
  // The format that read_model takes a file for; unset, its extension tells.
  std::optional<Format> format = std::nullopt;
  // Joins the root link of a URDF to the ground by a joint called "base"; unset is fixed. Other formats say it
  // themselves and are not changed.
  Base base = Base::unset;
  // Folders in which the packages of package://PACKAGE/file are looked for, before those of ROS_PACKAGE_PATH. Files of
  // meshes are only looked for, never opened.
  std::vector<std::string> package_paths = {};
  // The file with the data of a KAM listing; empty: those after its END, or else those of NAME.dat beside NAME.kam.
  std::string data = {};
};

// Reads a file; unless the options say it, the format goes by its extension: .yaml and .yml native, .urdf URDF, .xml and .mjcf MJCF (an .xml file
// whose root element is <robot> is URDF), .kam KAM, .dm and .cfg DynaMechs; any other file whose first line is that of a DynaMechs robot is one.
ReadResult read_model(const std::string& path, const ReadOptions& options = {});
// Each format from memory; `file` is the name that messages show, and paths in the text are relative to its folder.
ReadResult read_yaml(std::string_view text, const std::string& file, const ReadOptions& options = {});
ReadResult read_urdf(std::string_view text, const std::string& file, const ReadOptions& options = {});
ReadResult read_mjcf(std::string_view text, const std::string& file, const ReadOptions& options = {});
ReadResult read_kam(std::string_view text, const std::string& file, const ReadOptions& options = {});
// A robot file, or a simulation file with the environment and the robots that it names.
ReadResult read_dynamechs(std::string_view text, const std::string& file, const ReadOptions& options = {});

// Writes native YAML, in SI or in the model's own units, such that reading it back gives the same model: every number
// to the last bit in SI; in other units to round-off of the conversion.
std::string write_yaml(const Model& model, bool in_si = false);

// A text in another format, with a warning for each thing that the format cannot say and an error for each without which
// the text would be another mechanism; the text is then not to be used.
struct WriteResult {
  std::string text;
  Diagnostics diagnostics;

  bool ok() const { return !diagnostics.has_errors(); }
};
WriteResult write_urdf(const Model& model);
WriteResult write_mjcf(const Model& model);

}  // namespace trammel
