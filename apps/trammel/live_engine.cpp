// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "live_engine.hpp"

#include <chrono>

#include <fmt/format.h>

namespace trammel::tool {
namespace {

constexpr std::size_t most_messages = 1000;  // that wait; more are lost

// Of these only the last one counts.
bool replaces(const LiveMessage& later, const LiveMessage& earlier) {
  using Kind = LiveMessage::Kind;
  if (later.kind != earlier.kind || later.index != earlier.index) return false;
  return later.kind == Kind::nudge || later.kind == Kind::drag || later.kind == Kind::set || later.kind == Kind::speed;
}

}  // namespace

std::string LiveEngine::wrong_with(const LiveMessage& message) const {
  using Kind = LiveMessage::Kind;
  if (message.kind == Kind::set && message.index >= control_count_) return "there is no such control";
  const bool names_body = message.kind == Kind::nudge || message.kind == Kind::drag;
  if (names_body && message.index >= mech_.body_count()) return "there is no such body";
  return {};
}

std::string LiveEngine::take(const std::string& text) {
  const auto read = read_message(text);
  if (const auto* wrong = std::get_if<std::string>(&read)) return *wrong;
  const LiveMessage& message = std::get<LiveMessage>(read);
  if (std::string wrong = wrong_with(message); !wrong.empty()) return wrong;
  {
    const std::lock_guard lock(mutex_);
    if (!messages_.empty() && replaces(message, messages_.back())) {
      messages_.back() = message;
    } else if (messages_.size() < most_messages) {
      messages_.push_back(message);
    }
  }
  arrived_.notify_one();
  return {};
}

void LiveEngine::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  arrived_.notify_all();
}

bool LiveEngine::is_stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}
bool LiveEngine::has_news() const {
  const std::lock_guard lock(mutex_);
  return stopped_ || !messages_.empty();
}

std::optional<LiveMessage> LiveEngine::next(double wait) {
  std::unique_lock lock(mutex_);
  const auto is_due = [this] { return stopped_ || !messages_.empty(); };
  if (wait < 0) {
    arrived_.wait(lock, is_due);
  } else if (wait > 0) {
    arrived_.wait_for(lock, std::chrono::duration<double>(wait), is_due);
  }
  if (stopped_ || messages_.empty()) return std::nullopt;
  const LiveMessage message = messages_.front();
  messages_.pop_front();
  return message;
}

}  // namespace trammel::tool
