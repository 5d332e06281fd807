// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages between the tool and the viewer's page while a mechanism is live; see docs/formats/scene.md.

#include <string>
#include <variant>

#include <trammel/recording.hpp>
#include <trammel/spatial/vector.hpp>

namespace trammel::tool {

struct LiveMessage {
  enum class Kind { pause, resume, step, restart, speed, set, nudge, drag, release };
  Kind kind = Kind::pause;
  int index = -1;           // set: control; nudge, drag: body
  double value = 0;         // set; speed: its factor
  Vec3d point_B, target_W;  // nudge, drag
};
// Or what is wrong with it.
std::variant<LiveMessage, std::string> read_message(const std::string& text);

std::string state_message(bool running, const std::string& text = {});
std::string reason_message(const std::string& kind, const std::string& text);
std::string event_message(const RecordedEvent& event);
std::string warning_message(const std::string& text);
std::string bye_message(const std::string& text);

}  // namespace trammel::tool
