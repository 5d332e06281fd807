// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The checkpoint of a recording: one dataset of one element {t, steps, rows, events, numbers}. It lies inside its own header, so that
// HDF5 writes it in one piece: there is no moment at which half of it is new.

#include <cstring>
#include <limits>

#include "results/recording_store.hpp"

namespace trammel::results {
namespace {

constexpr const char* place = "checkpoint";
constexpr std::size_t most_inside_header = 60'000;  // bytes; HDF5 allows 64 KiB

struct Fixed {
  double t = 0;
  std::uint64_t steps = 0, rows = 0, events = 0;
};

// In memory and in the file alike; without `numbers` where there are none.
Handle checkpoint_type(std::size_t numbers) {
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Fixed) + numbers * sizeof(double)), H5Tclose);
  check(H5Tinsert(type, "t", offsetof(Fixed, t), H5T_IEEE_F64LE));
  check(H5Tinsert(type, "steps", offsetof(Fixed, steps), H5T_STD_U64LE));
  check(H5Tinsert(type, "rows", offsetof(Fixed, rows), H5T_STD_U64LE));
  check(H5Tinsert(type, "events", offsetof(Fixed, events), H5T_STD_U64LE));
  if (numbers > 0) {
    const hsize_t size = numbers;
    const Handle array(H5Tarray_create2(H5T_IEEE_F64LE, 1, &size), H5Tclose);
    check(H5Tinsert(type, "numbers", sizeof(Fixed), array));
  }
  return type;
}

std::size_t count_numbers(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND) throw Hdf5Failure("the checkpoint is no compound");
  if (H5Tget_member_index(type, "numbers") < 0) return 0;
  const Handle array(H5Tget_member_type(type, static_cast<unsigned>(H5Tget_member_index(type, "numbers"))), H5Tclose);
  hsize_t size = 0;
  if (H5Tget_class(array) != H5T_ARRAY || H5Tget_array_ndims(array) != 1 || H5Tget_array_dims2(array, &size) < 0 ||
      size > std::numeric_limits<unsigned>::max() / sizeof(double))
    throw Hdf5Failure("the numbers of the checkpoint are no list");
  return size;
}

Handle create_dataset(hid_t file, hid_t type, std::size_t bytes) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose), creation = dataset_creation();
  if (bytes <= most_inside_header) check(H5Pset_layout(creation, H5D_COMPACT));
  return {H5Dcreate2(file, place, type, space, link_list(), creation, H5P_DEFAULT), H5Dclose};
}

Handle open_dataset(hid_t file) { return {H5Dopen2(file, place, H5P_DEFAULT), H5Dclose}; }

std::size_t count_numbers_stored(hid_t file) {
  const Handle dataset = open_dataset(file), type(H5Dget_type(dataset), H5Tclose);
  return count_numbers(type);
}

}  // namespace

void RecordingStore::write_checkpoint(const Checkpoint& checkpoint) const {
  const std::size_t count = checkpoint.numbers.size();
  std::vector<unsigned char> bytes(sizeof(Fixed) + count * sizeof(double));
  const Fixed fixed{checkpoint.t, checkpoint.steps, checkpoint.rows, checkpoint.events};
  std::memcpy(bytes.data(), &fixed, sizeof(Fixed));
  if (count > 0) std::memcpy(bytes.data() + sizeof(Fixed), checkpoint.numbers.data(), count * sizeof(double));

  bool is_there = H5Lexists(file_, place, H5P_DEFAULT) > 0;
  if (is_there && count_numbers_stored(file_) != count) {
    check(H5Ldelete(file_, place, H5P_DEFAULT));
    is_there = false;
  }
  const Handle type = checkpoint_type(count);
  const Handle dataset = is_there ? open_dataset(file_) : create_dataset(file_, type, bytes.size());
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
}

std::optional<Checkpoint> RecordingStore::read_checkpoint() const {
  if (H5Lexists(file_, place, H5P_DEFAULT) <= 0) return std::nullopt;
  const Handle dataset = open_dataset(file_), space(H5Dget_space(dataset), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1) throw Hdf5Failure("there is not one checkpoint");
  const std::size_t count = count_numbers_stored(file_);
  std::vector<unsigned char> bytes(sizeof(Fixed) + count * sizeof(double));
  check(H5Dread(dataset, checkpoint_type(count), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  Fixed fixed;
  std::memcpy(&fixed, bytes.data(), sizeof(Fixed));
  Checkpoint checkpoint{fixed.t, fixed.steps, fixed.rows, fixed.events, std::vector<double>(count)};
  if (count > 0) std::memcpy(checkpoint.numbers.data(), bytes.data() + sizeof(Fixed), count * sizeof(double));
  return checkpoint;
}

}  // namespace trammel::results
