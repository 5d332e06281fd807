// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `trammel view` shows: a model, or a recording with the model that stands in it.

#include <optional>
#include <string>

#include <trammel/recording.hpp>
#include <trammel/scene.hpp>

#include "session.hpp"

namespace trammel::tool {

// By its first bytes.
bool is_recording(const std::string& path);

struct Subject {
  Loaded loaded;
  std::optional<Recording> recording;
};
// The whole recording, and its model compiled with the tree whose coordinates were recorded. Nothing: `problems` say why.
std::optional<Subject> read_recorded(const std::string& path, Diagnostics& problems);

// For the head of the page.
SceneTexts texts_of(const Subject& subject, const std::string& file);
// The initial position, loops closed.
DrawnPosition initial_position(const Mechanism& mechanism);

}  // namespace trammel::tool
