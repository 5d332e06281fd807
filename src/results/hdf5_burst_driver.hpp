// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A driver for HDF5 by which a file on disk is whole at every moment, whatever becomes of the process that writes it.
//
// HDF5 writes its indices whenever and in whatever order suits its caches, so that a process that is killed, or a disk that is full,
// may leave a file that nobody can open. This driver keeps everything that HDF5 writes in memory until the flush, and then writes it
// in an order in which every step leaves a file that can be read:
//   1. what lies behind the old end of the file: nothing refers to it yet. Should the disk be full, it is here that it shows; the
//      file is cut back to its old length and is as it was;
//   2. the superblock, which says how long the file is;
//   3. numbers and texts in place: they only grow;
//   4. trees that say where the blocks of a dataset are, from the root down: a node that was split keeps what it had till its parent
//      knows the new one;
//   5. headers of datasets, which say how many rows there are.

#include <cstddef>
#include <string>

#include <hdf5.h>

namespace trammel::results {

// What the driver tells of one file, and HDF5 does not: look at it after each flush. Must outlive the file.
struct BurstReport {
  int error = 0;            // errno of the first write that failed; nothing is written afterwards
  std::size_t pending = 0;  // bytes in memory
};

// A file access list for H5Fcreate with this driver. Closed by the caller.
hid_t burst_access(BurstReport& report);

// Whether another process has this file open by the driver.
bool is_being_written(const std::string& path);

}  // namespace trammel::results
