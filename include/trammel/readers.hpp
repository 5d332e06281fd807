// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model files in and out. A reader never throws on bad input: it returns what it could read together with all
// diagnostics; the model is usable only when there are no errors.

#include <string>
#include <string_view>

#include <trammel/model.hpp>

namespace trammel {

struct ReadResult {
  Model model;
  Diagnostics diagnostics;

  bool ok() const { return !diagnostics.has_errors(); }
};

struct ReadOptions {
  // A file larger than this is refused before it is parsed; a mechanism of a thousand bodies needs 0.3 MB. yaml-cpp
  // takes up to 0.5 s a megabyte.
  std::size_t max_bytes = 4u << 20;
};

// Reads a file; the format goes by its extension: .yaml and .yml native.
ReadResult read_model(const std::string& path, const ReadOptions& options = {});
// Reads native YAML from memory; `file` is the name that messages show.
ReadResult read_yaml(std::string_view text, const std::string& file, const ReadOptions& options = {});

// Writes native YAML, in SI or in the model's own units, such that reading it back gives the same model: every number
// to the last bit in SI; in other units to round-off of the conversion.
std::string write_yaml(const Model& model, bool in_si = false);

}  // namespace trammel
