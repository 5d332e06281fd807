// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A server for one page and its WebSocket: on the loopback interface alone, to nobody but who knows the token, and for nothing else. Boost
// and its headers stay in live_server.cpp, which compiles slowly.

#include <functional>
#include <memory>
#include <string>

namespace trammel::tool {

class LiveServer {
 public:
  struct Settings {
    int port = 0;            // 0: any that is free
    std::string token;       // that the page's address and its socket's must have
    bool stays = false;      // goes on when the last page has been closed
    double grace = 3;        // s in which a page that is loaded anew may come back
    int most_pages = 8;      // open at a time
    int most_visitors = 64;  // connections of any kind at a time; more are closed at once
    double patience = 10;    // s for a request to arrive
  };

  // Throws std::runtime_error where the port cannot be had.
  explicit LiveServer(const Settings& settings);
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  int port() const;
  std::string url() const;          // of the page, with its token
  std::string socket_path() const;  // for the page

  // Before run(): the page, the first message to each socket, and what to do with a text that a page sends: an answer that is not empty
  // says what is wrong with it, and the page is shut out. Called in the thread of run().
  void set_page(std::string page);
  void set_scene(std::string bundle);
  void on_message(std::function<std::string(const std::string&)> act);

  // From any thread. Of frames a slow page gets only the newest; texts arrive in their order; a state is told to pages that come later too.
  void send_frame(std::string frame);
  void send_text(std::string text);
  void send_state(std::string text);
  // Ends run(), after a last text to all pages.
  void stop(const std::string& last_text);
  bool has_pages() const;

  // Until stop(), SIGINT, SIGTERM or SIGHUP, or until the last page was closed. True where a signal ended it.
  bool run();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// 128 random bits in hexadecimal digits.
std::string random_token();

}  // namespace trammel::tool
