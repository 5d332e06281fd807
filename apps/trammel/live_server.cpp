// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Who may come in. A page of another site can reach a loopback port too, by its own scripts or by a name that resolves to it. So
//   the interface    127.0.0.1 alone
//   Host             must be that address and port (or localhost): no foreign name leads here
//   Origin           of a socket must be the same: no foreign page opens one
//   token            128 random bits, in the address of the page and of its socket
// Requests are short, come soon or not at all, and only so many at a time; a message of a page has at most 64 kB. Whatever breaks a rule is
// answered and closed, and everybody else is served on.

#include "live_server.hpp"

#include <atomic>
#include <csignal>
#include <deque>
#include <random>
#include <set>
#include <stdexcept>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

namespace trammel::tool {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using Error = beast::error_code;
using Request = http::request<http::string_body>;
using Text = std::shared_ptr<const std::string>;

constexpr std::size_t largest_message = 64 * 1024, largest_header = 8 * 1024, largest_body = 1024;
constexpr std::size_t most_waiting = 1000;  // texts for a page that does not read them
constexpr int send_buffer = 256 * 1024;     // of the kernel: what lies there is old when it arrives
constexpr std::string_view socket_target = "/socket";

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

// Takes as long for a near miss as for a wild guess.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

// What a visitor is told who may not come in.
struct Refusal {
  http::status status = http::status::forbidden;
  std::string text;
};

}  // namespace

class LiveServer::Implementation {
 public:
  explicit Implementation(const Settings& the_settings) : settings(the_settings), acceptor(io), signals(io), leave(io) {
    const tcp::endpoint here(net::ip::address_v4::loopback(), static_cast<unsigned short>(settings.port));
    Error error;
    acceptor.open(here.protocol(), error);
    if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(here, error);
    if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
    if (error) throw std::runtime_error(error.message());
    port = acceptor.local_endpoint().port();
  }

  class Socket;
  class Visitor;

  void accept();
  void greet(const std::shared_ptr<Socket>& page);
  void farewell(const std::shared_ptr<Socket>& page);
  void broadcast(const Text& text);
  void end(const std::string& last_text);
  Refusal refusal_of(const Request& request, bool to_socket) const;
  bool is_here(std::string_view host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }

  Settings settings;
  int visitors = 0;  // sockets that the next one destroys still count themselves here
  net::io_context io{1};
  tcp::acceptor acceptor;
  net::signal_set signals;
  net::steady_timer leave;
  int port = 0;
  std::string page;
  Text scene = std::make_shared<std::string>(), state, newest;
  std::function<std::string(const std::string&)> act;
  std::set<std::shared_ptr<Socket>> pages;
  std::atomic<int> page_count{0};
  bool by_signal = false, ending = false;
};

// --- a page's socket ------------------------------------------------------------------------------------------------------------

class LiveServer::Implementation::Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(Implementation& server, beast::tcp_stream&& stream) : server_(server), ws_(std::move(stream)) {
    ++server_.visitors;
  }
  ~Socket() { --server_.visitors; }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void start(const Request& request) {
    ws_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    ws_.read_message_max(largest_message);
    ws_.auto_fragment(false);
    Error ignored;
    beast::get_lowest_layer(ws_).expires_never();
    beast::get_lowest_layer(ws_).socket().set_option(net::socket_base::send_buffer_size(send_buffer), ignored);
    beast::get_lowest_layer(ws_).socket().set_option(tcp::no_delay(true), ignored);
    ws_.async_accept(request, [self = shared_from_this()](Error error) {
      if (error) return;
      self->server_.greet(self);
      self->read();
    });
  }

  void send_text(const Text& text) {
    if (texts_.size() < most_waiting) texts_.emplace_back(text, true);
    write();
  }
  void send_binary(const Text& bytes) {
    texts_.emplace_back(bytes, false);
    write();
  }
  void send_frame(const Text& frame) {
    frame_ = frame;
    write();
  }
  void close(websocket::close_code code, const std::string& why) {
    if (closing_) return;
    closing_ = true;
    reason_ = websocket::close_reason(code, why.substr(0, 120));
    write();
  }

 private:
  void read() {
    ws_.async_read(buffer_, [self = shared_from_this()](Error error, std::size_t) { self->take(error); });
  }
  void take(Error error) {
    if (error) return server_.farewell(shared_from_this());
    if (!ws_.got_text()) {
      close(websocket::close_code::unknown_data, "messages are text");
    } else if (!closing_ && server_.act) {
      const std::string wrong = server_.act(beast::buffers_to_string(buffer_.data()));
      if (!wrong.empty()) close(websocket::close_code::policy_error, wrong);
    }
    buffer_.consume(buffer_.size());
    read();
  }
  // One at a time: what is said in words first, then the newest frame; a close comes last.
  void write() {
    if (writing_ || closed_) return;
    if (!texts_.empty()) {
      const auto [text, is_text] = texts_.front();
      texts_.pop_front();
      put(text, is_text);
    } else if (closing_) {
      closed_ = true;
      ws_.async_close(reason_, [self = shared_from_this()](Error) { self->server_.farewell(self); });
    } else if (frame_) {
      put(std::exchange(frame_, nullptr), false);
    }
  }
  void put(const Text& bytes, bool is_text) {
    writing_ = true;
    ws_.text(is_text);
    ws_.async_write(net::buffer(*bytes), [self = shared_from_this(), bytes](Error error, std::size_t) {
      self->writing_ = false;
      if (error) return self->server_.farewell(self);
      self->write();
    });
  }

  Implementation& server_;
  websocket::stream<beast::tcp_stream> ws_;
  beast::flat_buffer buffer_;
  std::deque<std::pair<Text, bool>> texts_;
  Text frame_;
  bool writing_ = false, closing_ = false, closed_ = false;
  websocket::close_reason reason_;
};

// --- who comes -------------------------------------------------------------------------------------------------------------------

class LiveServer::Implementation::Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  Visitor(Implementation& server, tcp::socket&& socket) : server_(server), stream_(std::move(socket)) {
    ++server_.visitors;
    parser_.header_limit(largest_header);
    parser_.body_limit(largest_body);
  }
  ~Visitor() { --server_.visitors; }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  void start() {
    stream_.expires_after(seconds(server_.settings.patience));
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](Error error, std::size_t) {
      if (error == http::error::header_limit || error == http::error::body_limit) {
        return self->answer({http::status::payload_too_large, "the request is too long\n"});
      }
      if (error) return self->stream_.close();  // not HTTP, or too slow
      self->handle();
    });
  }

 private:
  void handle() {
    const Request& request = parser_.get();
    const bool to_socket = websocket::is_upgrade(request);
    const Refusal refusal = server_.refusal_of(request, to_socket);
    if (!refusal.text.empty()) return answer(refusal);
    if (to_socket) {
      std::make_shared<Socket>(server_, std::move(stream_))->start(request);
      return;
    }
    if (request.target() == "/favicon.ico") return answer({http::status::no_content, {}});
    answer({http::status::ok, server_.page}, "text/html; charset=utf-8");
  }

  void answer(const Refusal& what, const char* type = "text/plain; charset=utf-8") {
    auto response = std::make_shared<http::response<http::string_body>>(what.status, 11);
    response->set(http::field::server, "trammel");
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("X-Frame-Options", "DENY");
    response->set("Referrer-Policy", "no-referrer");
    response->set("Cross-Origin-Opener-Policy", "same-origin");
    response->set(
        "Content-Security-Policy",
        fmt::format(
            "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: "
            "blob:; font-src data:; worker-src blob:; connect-src 'self' ws://127.0.0.1:{0} ws://localhost:{0}; "
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
            server_.port));
    response->body() = what.text;
    response->keep_alive(false);
    response->prepare_payload();
    http::async_write(stream_, *response, [self = shared_from_this(), response](Error, std::size_t) {
      Error ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  Implementation& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{largest_header + largest_body};
  http::request_parser<http::string_body> parser_;
};

// Why not; an empty text lets it in.
Refusal LiveServer::Implementation::refusal_of(const Request& request, bool to_socket) const {
  const auto view = [](beast::string_view text) { return std::string_view(text.data(), text.size()); };
  if (request.count(http::field::host) != 1 || !is_here(view(request[http::field::host]))) {
    return {http::status::forbidden, "this server answers to its own address only\n"};
  }
  const std::string_view target = view(request.target());
  if (request.method() != http::verb::get) return {http::status::method_not_allowed, "only GET is served\n"};
  if (target == "/favicon.ico" && !to_socket) return {};
  const std::size_t question = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, question), query = target.substr(question);
  if (path != (to_socket ? socket_target : std::string_view("/"))) {
    return {http::status::not_found, "there is nothing here\n"};
  }
  if (!is_same(query, "?token=" + settings.token)) {
    return {http::status::forbidden, "the token is wrong: use the address that trammel view printed\n"};
  }
  if (!to_socket) return {};
  const std::string_view origin = view(request[http::field::origin]);
  constexpr std::string_view scheme = "http://";
  if (!origin.starts_with(scheme) || !is_here(origin.substr(scheme.size()))) {
    return {http::status::forbidden, "this page may not ask here\n"};
  }
  if (page_count >= settings.most_pages) {
    return {http::status::service_unavailable, "too many pages are open: close one\n"};
  }
  return {};
}

void LiveServer::Implementation::accept() {
  acceptor.async_accept([this](Error error, tcp::socket socket) {
    if (ending || error == net::error::operation_aborted) return;
    if (error) {  // no more files, say: later
      auto pause = std::make_shared<net::steady_timer>(io, seconds(0.1));
      pause->async_wait([this, pause](Error) {
        if (!ending) accept();
      });
      return;
    }
    if (visitors < settings.most_visitors) std::make_shared<Visitor>(*this, std::move(socket))->start();
    accept();
  });
}

void LiveServer::Implementation::greet(const std::shared_ptr<Socket>& page_socket) {
  pages.insert(page_socket);
  page_count = static_cast<int>(pages.size());
  leave.cancel();
  page_socket->send_binary(scene);
  if (state) page_socket->send_text(state);
  if (newest) page_socket->send_frame(newest);
}

void LiveServer::Implementation::farewell(const std::shared_ptr<Socket>& page_socket) {
  if (pages.erase(page_socket) == 0) return;
  page_count = static_cast<int>(pages.size());
  if (!pages.empty() || settings.stays || ending) return;
  leave.expires_after(seconds(settings.grace));
  leave.async_wait([this](Error error) {
    if (!error && pages.empty()) end("");
  });
}

void LiveServer::Implementation::broadcast(const Text& text) {
  for (const auto& one : pages) one->send_text(text);
}

void LiveServer::Implementation::end(const std::string& last_text) {
  if (ending) return;
  ending = true;
  Error ignored;
  acceptor.close(ignored);
  signals.cancel(ignored);
  leave.cancel();
  for (const auto& one : std::set<std::shared_ptr<Socket>>(pages)) {
    if (!last_text.empty()) one->send_text(std::make_shared<std::string>(last_text));
    one->close(websocket::close_code::going_away, "trammel ends");
  }
  // Time for the last words; who does not take them is left.
  leave.expires_after(seconds(pages.empty() ? 0 : 0.3));
  leave.async_wait([this](Error) { io.stop(); });
}

// --- the public face ----------------------------------------------------------------------------------------------------------------

LiveServer::LiveServer(const Settings& settings) : implementation_(std::make_unique<Implementation>(settings)) {}
LiveServer::~LiveServer() {
  // Handlers hold sockets, which count themselves in the server: they go first.
  implementation_->pages.clear();
}
int LiveServer::port() const { return implementation_->port; }
std::string LiveServer::url() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port(), implementation_->settings.token);
}
std::string LiveServer::socket_path() const {
  return fmt::format("{}?token={}", socket_target, implementation_->settings.token);
}
void LiveServer::set_page(std::string page) { implementation_->page = std::move(page); }
void LiveServer::set_scene(std::string bundle) {
  implementation_->scene = std::make_shared<std::string>(std::move(bundle));
}
void LiveServer::on_message(std::function<std::string(const std::string&)> act) {
  implementation_->act = std::move(act);
}

void LiveServer::send_frame(std::string frame) {
  Implementation& I = *implementation_;
  net::post(I.io, [&I, frame = std::make_shared<std::string>(std::move(frame))] {
    I.newest = frame;
    for (const auto& one : I.pages) one->send_frame(frame);
  });
}
void LiveServer::send_text(std::string text) {
  Implementation& I = *implementation_;
  net::post(I.io, [&I, text = std::make_shared<std::string>(std::move(text))] { I.broadcast(text); });
}
void LiveServer::send_state(std::string text) {
  Implementation& I = *implementation_;
  net::post(I.io, [&I, text = std::make_shared<std::string>(std::move(text))] {
    I.state = text;
    I.broadcast(text);
  });
}
void LiveServer::stop(const std::string& last_text) {
  Implementation& I = *implementation_;
  net::post(I.io, [&I, last_text] { I.end(last_text); });
}
bool LiveServer::has_pages() const { return implementation_->page_count > 0; }

bool LiveServer::run() {
  Implementation& I = *implementation_;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) I.signals.add(signal);
  I.signals.async_wait([&I](Error error, int) {
    if (error) return;
    I.by_signal = true;
    I.end(R"({"type": "bye", "text": "trammel was ended"})");
  });
  I.accept();
  I.io.run();
  return I.by_signal;
}

std::string random_token() {
  std::random_device device;
  std::string out;
  for (int k = 0; k < 4; ++k) out += fmt::format("{:08x}", static_cast<std::uint32_t>(device()));
  return out;
}

}  // namespace trammel::tool
