// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interruption.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace trammel::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int clear_of_theirs = 10;  // pipes get numbers from here on, so that none is in the way of the program's own

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

// Read end, write end.
std::array<int, 2> make_pipe() {
  std::array<int, 2> low{}, high{};
  if (::pipe2(low.data(), O_CLOEXEC) != 0) fail("no pipe", errno);
  for (std::size_t i = 0; i < 2; ++i) {
    high[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, clear_of_theirs);
    ::close(low[i]);
  }
  return high;
}

constexpr int slice_ms =
    100;  // a signal just before a wait does not end it: nobody waits longer than this without a look

bool wait_for(int file, short what, double patience) {
  pollfd wanted{file, what, 0};
  const auto end = Clock::now() + std::chrono::duration<double>(patience);
  while (true) {
    if (Interruption::came()) throw Interrupted();
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    const int ready = ::poll(&wanted, 1, std::clamp(static_cast<int>(left * 1000) + 1, 0, slice_ms));
    if (ready > 0) return true;
    if ((ready == 0 && left <= 0) || (ready < 0 && errno != EINTR)) return false;
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const Pipes& pipes) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // Ctrl-C is for us: we end it ourselves, all of it
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, pipes.complaints.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<char*> variables;
  std::string scratch = "TMPDIR=" + pipes.scratch;
  for (char** one = environ; *one != nullptr; ++one) {
    if (pipes.scratch.empty() || !std::string_view(*one).starts_with("TMPDIR=")) variables.push_back(*one);
  }
  if (!pipes.scratch.empty()) variables.push_back(scratch.data());
  variables.push_back(nullptr);
  std::array<int, 2> in{-1, -1}, out{-1, -1};
  if (pipes.reads >= 0) {
    in = make_pipe();
    posix_spawn_file_actions_adddup2(&actions, in[0], pipes.reads);
  }
  if (pipes.writes >= 0) {
    out = make_pipe();
    posix_spawn_file_actions_adddup2(&actions, out[1], pipes.writes);
  }
  const int failed = posix_spawnp(&pid_, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (in[0] >= 0) ::close(in[0]);
  if (out[1] >= 0) ::close(out[1]);
  to_ = in[1], from_ = out[0];
  if (failed != 0) {
    pid_ = -1;
    close_pipes();
    fail(words.front(), failed);
  }
  if (to_ >= 0) ::fcntl(to_, F_SETFL, O_NONBLOCK);
}

void ChildProcess::close_pipes() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  to_ = from_ = -1;
}

ChildProcess::~ChildProcess() {
  close_pipes();
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGTERM);  // it leads a group of its own, and whatever it started is in it
  for (int k = 0; k < 300; ++k) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      ::kill(-pid_, SIGKILL);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool ChildProcess::write(std::string_view bytes, double patience) {
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  while (!bytes.empty()) {
    if (!wait_for(to_, POLLOUT, patience)) break;
    const ssize_t count = ::write(to_, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  std::signal(SIGPIPE, before);
  return bytes.empty();
}

std::string ChildProcess::read(double patience) {
  std::string bytes(1 << 16, '\0');
  if (!wait_for(from_, POLLIN, patience)) return {};
  const ssize_t count = ::read(from_, bytes.data(), bytes.size());
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

int ChildProcess::finish(double patience) {
  close_pipes();
  int status = 0;
  for (double waited = 0; waited < patience; waited += 0.01) {
    if (Interruption::came()) throw Interrupted();
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return -1;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "trammel-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail(name, errno);
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace trammel::tool
