// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trammel::tool {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::generic_category().message(errno); }

// A file open for writing; closed at the end of its scope.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(number_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  bool take_permissions(const struct stat& of) const { return ::fchmod(number_, of.st_mode & 07777) == 0; }
  bool flush() const { return ::fsync(number_) == 0; }
  // Some file systems tell only here that they are full.
  bool close() {
    const bool closed = ::close(number_) == 0;
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

std::string write_directly(const fs::path& path, std::string_view text) {
  Descriptor out(path, 0);
  return out.is_open() && out.write(text) && out.close() ? std::string{} : reason();
}

// Where a link leads that leads to nothing yet, through other such links.
fs::path target_of(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

std::string write_beside(const fs::path& target, const struct stat* existing, std::string_view text) {
  const fs::path beside = target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), ::getpid());
  std::string wrong;
  {
    Descriptor out(beside, O_CREAT | O_EXCL);
    if (!out.is_open()) return errno == EACCES ? reason() + " to write in its folder" : reason();
    const bool written =
        out.write(text) && (existing == nullptr || out.take_permissions(*existing)) && out.flush() && out.close();
    if (!written) wrong = reason();
  }
  if (wrong.empty() && ::rename(beside.c_str(), target.c_str()) != 0) wrong = reason();
  if (!wrong.empty()) ::unlink(beside.c_str());
  return wrong;
}

}  // namespace

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || is_standard_output(a) || is_standard_output(b)) return false;
  std::error_code none;
  return a == b || (fs::equivalent(a, b, none) && !none) ||
         fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

std::string write_file(const std::string& path, std::string_view text) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return reason();
    const fs::path target = target_of(path);
    const std::string wrong = write_beside(target, nullptr, text);
    return wrong.empty() || target == path ? wrong : fmt::format("it is a link to {}: {}", target.string(), wrong);
  }
  if (S_ISDIR(status.st_mode)) return std::make_error_code(std::errc::is_a_directory).message();
  if (!S_ISREG(status.st_mode)) return write_directly(path, text);
  if (::access(path.c_str(), W_OK) != 0) return reason();  // to be kept, though its folder would let it be replaced
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? error.message() : write_beside(target, &status, text);
}

}  // namespace trammel::tool
