// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/recording_pack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <zlib.h>

namespace trammel::results {
namespace {

constexpr std::size_t most_pending = std::size_t{8} << 20;  // bytes

// All first bytes of the numbers, all second bytes, …   [HDF5's filter "shuffle"]
void shuffle(std::span<const double> numbers, std::vector<unsigned char>& bytes) {
  const std::size_t count = numbers.size();
  bytes.resize(count * sizeof(double));
  for (std::size_t i = 0; i < count; ++i) {
    std::array<unsigned char, sizeof(double)> number{};
    std::memcpy(number.data(), &numbers[i], sizeof(double));
    for (std::size_t k = 0; k < number.size(); ++k) bytes[k * count + i] = number[k];
  }
}

// Whether some bytes are hardly more frequent than others, so that nothing can be saved.
bool is_noise(std::span<const unsigned char> bytes) {
  std::array<unsigned, 256> counts{};
  for (const unsigned char byte : bytes) ++counts[byte];
  double squares = 0;
  for (const unsigned n : counts) squares += static_cast<double>(n) * n;
  const auto size = static_cast<double>(bytes.size());
  // Of n random bytes the sum is n + n (n − 1) / 256 in the mean. Half as much more tells that there is something to save.
  return squares < 1.5 * (size + size * (size - 1) / 256);
}

// Rows that lie together in a compressed dataset; 0: it is none.
hsize_t compressed_block(hid_t dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  hsize_t block = 0;
  if (H5Pget_nfilters(creation) > 0) H5Pget_chunk(creation, 1, &block);
  return block;
}

// Calls `written` after each block, which may stop it.
template <typename Written>
void copy_channel(hid_t from, hid_t to, std::uint64_t rows, BlockPacker& packer, const Written& written) {
  const hsize_t block = compressed_block(to);
  std::vector<double> numbers(block > 0 ? block : 4096);
  for (hsize_t first = 0; first < rows; first += numbers.size()) {
    const std::size_t count = std::min<std::size_t>(numbers.size(), rows - first);
    std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(count), numbers.end(), 0.0);
    read_rows(from, first, std::span(numbers).first(count));
    if (block == 0) {
      write_rows(to, first, std::span<const double>(numbers).first(count));
    } else {
      const std::span<const unsigned char> packed = packer.pack(numbers);
      check(H5Dwrite_chunk(to, H5P_DEFAULT, 0, &first, packed.size(), packed.data()));
    }
    if (!written()) return;
  }
}

}  // namespace

BlockPacker::BlockPacker() {
  if (deflateInit(&stream_, 1) != Z_OK) throw std::bad_alloc();
}
BlockPacker::~BlockPacker() { deflateEnd(&stream_); }

std::span<const unsigned char> BlockPacker::pack(std::span<const double> numbers) {
  const std::size_t count = numbers.size();
  shuffle(numbers, shuffled_);
  deflateReset(&stream_);
  packed_.resize(deflateBound(&stream_, shuffled_.size()) +
                 1024);  // each change of level begins a block of a few bytes
  stream_.next_out = packed_.data();
  stream_.avail_out = static_cast<uInt>(packed_.size());
  for (std::size_t k = 0; k < sizeof(double); ++k) {
    const std::span plane = std::span(shuffled_).subspan(k * count, count);
    deflateParams(&stream_, is_noise(plane) ? 0 : 1, Z_DEFAULT_STRATEGY);
    stream_.next_in = plane.data();
    stream_.avail_in = static_cast<uInt>(count);
    deflate(&stream_, k + 1 == sizeof(double) ? Z_FINISH : Z_NO_FLUSH);
  }
  return std::span(packed_).first(stream_.total_out);
}

RecordingStore copy_recording(const RecordingStore& from, const Extent& extent, const RecordingHeader& header,
                              const std::string& status, hid_t to, BurstReport& report, Form form) {
  const std::vector<RecordedEvent> events = from.read_events(extent.events);
  RecordingStore copy = RecordingStore::create(to, header, form, extent.rows, events);
  BlockPacker packer;
  const auto written = [&] {
    if (report.pending > most_pending) check(H5Fflush(to, H5F_SCOPE_LOCAL));
    return report.error == 0;
  };
  for (std::size_t i = 0; i < header.channels.size() && report.error == 0; ++i) {
    copy_channel(from.channel(i), copy.channel(i), extent.rows, packer, written);
  }
  if (form == Form::growing) copy.append_events(events);
  if (const std::optional<Checkpoint> checkpoint = from.read_checkpoint()) copy.write_checkpoint(*checkpoint);
  copy.write_status(status);
  check(H5Fflush(to, H5F_SCOPE_LOCAL));
  return copy;
}

}  // namespace trammel::results
