// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording written anew into another file: packed when a simulation ends, unpacked when it goes on.

#include <zlib.h>

#include "results/hdf5_burst_driver.hpp"
#include "results/recording_store.hpp"

namespace trammel::results {

struct Extent {
  std::uint64_t rows = 0, events = 0;
};

// The first rows and events of `from`, and its checkpoint, into `to`, an empty file. Writes to disk each few megabytes; the
// report tells whether that worked. Gives the objects of the new file.
RecordingStore copy_recording(const RecordingStore& from, const Extent& extent, const RecordingHeader& header,
                              const std::string& status, hid_t to, BurstReport& report, Form form);

// Blocks of numbers as HDF5's filters "shuffle" and "deflate" would leave them, in a quarter of the time: of doubles that change smoothly the
// low bytes are noise, on which deflate would spend most of it; they are stored as they are.
class BlockPacker {
 public:
  BlockPacker();
  ~BlockPacker();
  BlockPacker(const BlockPacker&) = delete;
  BlockPacker& operator=(const BlockPacker&) = delete;

  // Valid until the next call.
  std::span<const unsigned char> pack(std::span<const double> numbers);

 private:
  z_stream stream_{};
  std::vector<unsigned char> shuffled_, packed_;
};

}  // namespace trammel::results
