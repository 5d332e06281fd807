// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/hdf5_burst_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "results/burst_hook.hpp"

namespace trammel::results {

std::function<void()> before_burst_write;

namespace {

constexpr haddr_t greatest_address = haddr_t{1} << 62;

// What a file access list holds for the driver.
struct Access {
  BurstReport* report = nullptr;
};

struct Piece {
  H5FD_mem_t type = H5FD_MEM_DRAW;
  std::vector<unsigned char> bytes;
};

// HDF5 hands around a pointer to the H5FD_t at the beginning.
struct BurstFile {
  H5FD_t base{};
  BurstReport* report = nullptr;
  int descriptor = -1;
  haddr_t size_on_disk = 0, end_of_allocation = 0;
  std::map<haddr_t, Piece> pending;  // by their addresses; none overlaps another

  ~BurstFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

BurstFile& burst(H5FD_t* file) { return *reinterpret_cast<BurstFile*>(file); }
const BurstFile& burst(const H5FD_t* file) { return *reinterpret_cast<const BurstFile*>(file); }

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// --- pieces in memory ---

haddr_t end_of(const std::pair<const haddr_t, Piece>& piece) { return piece.first + piece.second.bytes.size(); }

// The first piece that reaches beyond `at`.
auto first_beyond(std::map<haddr_t, Piece>& pending, haddr_t at) {
  auto next = pending.upper_bound(at);
  if (next != pending.begin() && end_of(*std::prev(next)) > at) --next;
  return next;
}

void put(BurstFile& file, haddr_t at, Piece piece) {
  const haddr_t end = at + piece.bytes.size();
  for (auto old = first_beyond(file.pending, at); old != file.pending.end() && old->first < end;) {
    const haddr_t old_at = old->first, old_end = end_of(*old);
    Piece was = std::move(old->second);
    file.report->pending -= was.bytes.size();
    old = file.pending.erase(old);
    const auto keep = [&](haddr_t from, haddr_t to) {
      if (from >= to) return;
      const auto begin = was.bytes.begin();
      Piece rest{
          was.type,
          {begin + static_cast<std::ptrdiff_t>(from - old_at), begin + static_cast<std::ptrdiff_t>(to - old_at)}};
      file.report->pending += rest.bytes.size();
      old = std::next(file.pending.emplace(from, std::move(rest)).first);
    };
    keep(old_at, std::min(at, old_end));
    keep(std::max(end, old_at), old_end);
  }
  file.report->pending += piece.bytes.size();
  file.pending[at] = std::move(piece);
}

// --- the disk ---

bool write_all(int descriptor, const unsigned char* bytes, std::size_t size, haddr_t at) {
  while (size > 0) {
    if (before_burst_write) before_burst_write();
    const ssize_t count = ::pwrite(descriptor, bytes, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (count == 0) errno = ENOSPC;
      return false;
    }
    bytes += count;
    at += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool read_all(int descriptor, unsigned char* bytes, std::size_t size, haddr_t at) {
  while (size > 0) {
    const ssize_t count = ::pread(descriptor, bytes, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;  // behind the end of the file there are zeros
    bytes += count;
    at += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  std::memset(bytes, 0, size);
  return true;
}

// Of a tree's node: leaves are 0.   [HDF5 File Format Specification 3.0, III.A.1: "TREE", type, level]
int tree_level(const Piece& piece) {
  const bool is_node = piece.bytes.size() > 5 && std::memcmp(piece.bytes.data(), "TREE", 4) == 0;
  return is_node ? piece.bytes[5] : 0;
}

// Pieces are written in the order of these, see the header.
std::tuple<int, int, haddr_t> turn_of(const BurstFile& file, haddr_t at, const Piece& piece) {
  if (piece.type == H5FD_MEM_SUPER) return {file.size_on_disk == 0 ? 9 : 2, 0, at};  // without it there is no file yet
  if (at >= file.size_on_disk) return {1, 0, at};
  if (piece.type == H5FD_MEM_BTREE) return {4, -tree_level(piece), at};
  if (piece.type == H5FD_MEM_OHDR) return {5, 0, at};
  return {3, 0, at};
}

bool write_pending(BurstFile& file) {
  std::vector<std::pair<std::tuple<int, int, haddr_t>, const Piece*>> pieces;
  pieces.reserve(file.pending.size());
  for (const auto& [at, piece] : file.pending) pieces.emplace_back(turn_of(file, at, piece), &piece);
  std::sort(pieces.begin(), pieces.end());
  bool only_behind = true;
  std::vector<unsigned char> joined;
  for (std::size_t i = 0; i < pieces.size();) {
    const auto [turn, level, at] = pieces[i].first;
    if (turn != 1 && only_behind) {
      only_behind = false;
      if (::ftruncate(file.descriptor, static_cast<off_t>(file.end_of_allocation)) != 0) return false;
    }
    joined = pieces[i].second->bytes;
    // New ones that touch each other go in one write; in place each goes alone, as HDF5 gave it.
    for (++i; turn == 1 && i < pieces.size() && pieces[i].first == std::tuple(1, 0, at + joined.size()); ++i) {
      joined.insert(joined.end(), pieces[i].second->bytes.begin(), pieces[i].second->bytes.end());
    }
    if (!write_all(file.descriptor, joined.data(), joined.size(), at)) {
      const int error = errno;
      if (only_behind && ::ftruncate(file.descriptor, static_cast<off_t>(file.size_on_disk)) != 0)
        return errno = error, false;
      errno = error;
      return false;
    }
  }
  return ::ftruncate(file.descriptor, static_cast<off_t>(file.end_of_allocation)) == 0;
}

// --- what HDF5 calls ---

H5FD_t* open_file(const char* name, unsigned /*flags*/, hid_t access, haddr_t /*greatest*/) {
  const auto* info = static_cast<const Access*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto file = std::make_unique<BurstFile>();
  file->report = info->report;
  const auto refuse = [&](int error) {
    file->report->error = error;
    return nullptr;
  };
  file->descriptor = ::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file->descriptor < 0) return refuse(errno);
  struct stat status {};
  if (::fstat(file->descriptor, &status) != 0) return refuse(errno);
  if (!S_ISREG(status.st_mode)) return refuse(ESPIPE);
  // File systems without locks do not hinder us. (These are other locks than those by which HDF5's readers keep writers away.)
  struct flock lock = whole_file();
  if (::fcntl(file->descriptor, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) return refuse(EBUSY);
  if (::ftruncate(file->descriptor, 0) != 0) return refuse(errno);
  return &file.release()->base;
}

herr_t close_file(H5FD_t* file) {
  delete &burst(file);
  return 0;
}

// HDF5 never learns that a write failed: it could not close the file in peace then. Our own callers look at the report.
herr_t flush_file(H5FD_t* base, hid_t /*transfer*/, hbool_t /*closing*/) {
  BurstFile& file = burst(base);
  if (file.report->error != 0) return 0;
  try {
    if (!file.pending.empty() && !write_pending(file)) file.report->error = errno;
  } catch (const std::bad_alloc&) {
    file.report->error = ENOMEM;
  }
  if (file.report->error != 0) return 0;
  file.pending.clear();
  file.report->pending = 0;
  file.size_on_disk = file.end_of_allocation;
  return 0;
}

herr_t write_file(H5FD_t* base, H5FD_mem_t type, hid_t /*transfer*/, haddr_t at, std::size_t size, const void* data) {
  BurstFile& file = burst(base);
  if (file.report->error != 0) return 0;
  const auto* bytes = static_cast<const unsigned char*>(data);
  try {
    put(file, at, {type, {bytes, bytes + size}});
  } catch (const std::bad_alloc&) {
    file.report->error = ENOMEM;
  }
  return 0;
}

herr_t read_file(H5FD_t* base, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t size, void* data) {
  BurstFile& file = burst(base);
  auto* bytes = static_cast<unsigned char*>(data);
  if (!read_all(file.descriptor, bytes, size, at)) return -1;
  for (auto p = first_beyond(file.pending, at); p != file.pending.end() && p->first < at + size; ++p) {
    const haddr_t from = std::max(at, p->first), to = std::min(at + size, end_of(*p));
    std::memcpy(bytes + (from - at), p->second.bytes.data() + (from - p->first), to - from);
  }
  return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t /*type*/) { return burst(file).end_of_allocation; }
herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t at) {
  burst(file).end_of_allocation = at;
  return 0;
}
haddr_t end_of_file(const H5FD_t* base, H5FD_mem_t /*type*/) {
  const BurstFile& file = burst(base);
  return file.pending.empty() ? file.size_on_disk : std::max(file.size_on_disk, end_of(*file.pending.rbegin()));
}
herr_t tell_features(const H5FD_t* /*file*/, unsigned long* features) {
  if (features != nullptr) *features = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

// Fields are set by name: later versions of HDF5 have more of them.
H5FD_class_t driver_class() {
  H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
  c.version = H5FD_CLASS_VERSION;
  c.value = static_cast<H5FD_class_value_t>(600);
#endif
  c.name = "trammel-burst";
  c.maxaddr = greatest_address;
  c.fc_degree = H5F_CLOSE_WEAK;
  c.fapl_size = sizeof(Access);
  c.open = open_file;
  c.close = close_file;
  c.query = tell_features;
  c.get_eoa = end_of_allocation;
  c.set_eoa = set_end_of_allocation;
  c.get_eof = end_of_file;
  c.read = read_file;
  c.write = write_file;
  c.flush = flush_file;
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
  return c;
}

}  // namespace

hid_t burst_access(BurstReport& report) {
  static const H5FD_class_t description = driver_class();
  static const hid_t driver = H5FDregister(&description);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const Access info{&report};
  if (access < 0 || H5Pset_driver(access, driver, &info) < 0) return -1;
  return access;
}

bool is_being_written(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = whole_file();
  const bool busy = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(descriptor);
  return busy;
}

}  // namespace trammel::results
