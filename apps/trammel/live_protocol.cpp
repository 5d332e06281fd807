// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "live_protocol.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trammel::tool {
namespace {

using Json = nlohmann::json;

// What a page sends may be anything.
struct BadMessage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double number_of(const Json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_number()) throw BadMessage(fmt::format("'{}' must be a number", key));
  const double x = found->get<double>();
  if (!std::isfinite(x)) throw BadMessage(fmt::format("'{}' must be finite", key));
  return x;
}

int index_of(const Json& message, const char* key) {
  const double x = number_of(message, key);
  if (x < 0 || x > 1e6 || x != std::floor(x)) throw BadMessage(fmt::format("'{}' must be an index", key));
  return static_cast<int>(x);
}

Vec3d vector_of(const Json& message, const char* key) {
  constexpr double farthest = 1e9;
  const auto found = message.find(key);
  if (found == message.end() || !found->is_array() || found->size() != 3) {
    throw BadMessage(fmt::format("'{}' must be three numbers", key));
  }
  std::array<double, 3> x{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(*found)[i].is_number()) throw BadMessage(fmt::format("'{}' must be three numbers", key));
    x[i] = (*found)[i].get<double>();
    if (!(std::abs(x[i]) < farthest)) throw BadMessage(fmt::format("'{}' is too far away", key));
  }
  return {x[0], x[1], x[2]};
}

constexpr std::array<std::string_view, 9> words{"pause", "resume", "step", "restart", "speed",
                                                "set",   "nudge",  "drag", "release"};

LiveMessage message_of(const Json& message) {
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
    throw BadMessage("a message is an object with a 'type'");
  }
  const std::string type = message["type"].get<std::string>();
  std::size_t kind = 0;
  while (kind < words.size() && words[kind] != type) ++kind;
  if (kind == words.size()) throw BadMessage("there is no message of that type");
  LiveMessage out;
  out.kind = static_cast<LiveMessage::Kind>(kind);
  switch (out.kind) {
    case LiveMessage::Kind::speed:
      out.value = number_of(message, "factor");
      if (out.value < 0 || out.value > 1e6) throw BadMessage("'factor' must be between 0 and 1e6");
      break;
    case LiveMessage::Kind::set:
      out.index = index_of(message, "control");
      out.value = number_of(message, "value");
      break;
    case LiveMessage::Kind::nudge:
    case LiveMessage::Kind::drag:
      out.index = index_of(message, "body");
      out.point_B = vector_of(message, "point");
      out.target_W = vector_of(message, "target");
      break;
    default:
      break;
  }
  return out;
}

std::string dump(const nlohmann::ordered_json& message) {
  return message.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::variant<LiveMessage, std::string> read_message(const std::string& text) {
  try {
    return message_of(Json::parse(text));
  } catch (const BadMessage& wrong) {
    return std::string(wrong.what());
  } catch (const Json::exception&) {
    return std::string("this is not JSON");
  }
}

std::string state_message(bool running, const std::string& text) {
  nlohmann::ordered_json out{{"type", "state"}, {"running", running}};
  if (!text.empty()) out["text"] = text;
  return dump(out);
}
std::string reason_message(const std::string& kind, const std::string& text) {
  return dump({{"type", "reason"}, {"text", text}, {"kind", kind}});
}
std::string event_message(const RecordedEvent& event) {
  return dump({{"type", "event"}, {"x", event.t}, {"name", event.name}, {"kind", event.kind}, {"text", event.text}});
}
std::string warning_message(const std::string& text) { return dump({{"type", "warning"}, {"text", text}}); }
std::string bye_message(const std::string& text) { return dump({{"type", "bye"}, {"text", text}}); }

}  // namespace trammel::tool
