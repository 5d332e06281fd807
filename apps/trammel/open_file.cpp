// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "open_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace trammel::tool {
namespace {

// −1: it could not be started.
pid_t spawn_viewer(const std::string& path, bool silent) {
  std::string program = "xdg-open", file = path;
  char* arguments[] = {program.data(), file.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (silent) {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    }
  }
  pid_t child = -1;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed != 0 ? -1 : child;
}

}  // namespace

bool open_in_viewer(const std::string& path) {
  const pid_t child = spawn_viewer(path, false);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool start_viewer(const std::string& path) {
  const pid_t child = spawn_viewer(path, true);
  if (child <= 0) return false;
  std::thread([child] { ::waitpid(child, nullptr, 0); }).detach();
  return true;
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  for (const std::string& name : names) {
    for (std::size_t i = 0; i <= folders.size();) {
      const std::size_t colon = std::min(folders.find(':', i), folders.size());
      const std::string candidate = folders.substr(i, colon - i) + "/" + name;
      if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
      i = colon + 1;
    }
  }
  return {};
}

}  // namespace trammel::tool
