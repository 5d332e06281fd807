// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What moves a live mechanism, in a thread of its own: it takes the messages of pages, and sends frames and words.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <trammel/scene.hpp>
#include <trammel/simulation.hpp>

#include "live_protocol.hpp"
#include "live_server.hpp"

namespace trammel::tool {

class LiveEngine {
 public:
  virtual ~LiveEngine() = default;
  virtual LiveSettings settings() const = 0;
  // Until stop(). `server` outlives it.
  virtual void run(LiveServer& server) = 0;

  // From any thread. A text of a page: what is wrong with it, or nothing.
  std::string take(const std::string& text);
  void stop();

 protected:
  explicit LiveEngine(const Mechanism& mechanism) : mech_(mechanism) {}
  // The next message, after waiting for it up to so many seconds (negative: without end). Nothing: none came, or it is to stop.
  std::optional<LiveMessage> next(double wait);
  bool is_stopped() const;
  bool has_news() const;  // a message waits, or it is to stop
  int control_count_ = 0;

  const Mechanism& mech_;

 private:
  std::string wrong_with(const LiveMessage& message) const;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<LiveMessage> messages_;
  bool stopped_ = false;
};

// By forces, in the time of the wall clock or as fast as it can.
std::unique_ptr<LiveEngine> make_live_simulation(const Mechanism& mechanism, const SimulationOptions& options,
                                                 const State& start, double speed);
// By hand: loops closed, no forces.
std::unique_ptr<LiveEngine> make_live_linkage(const Mechanism& mechanism);

}  // namespace trammel::tool
