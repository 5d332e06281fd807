// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/hdf5_handles.hpp"

#include <algorithm>
#include <array>

namespace trammel::results {
namespace {

constexpr hid_t all = 0;  // H5S_ALL, without its cast

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::string innermost_reason() {
  std::string reason;
  const auto take = [](unsigned /*depth*/, const H5E_error2_t* error, void* text) -> herr_t {
    if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 1;  // enough
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

// The rows first … first + count of a dataset of one or two dimensions, in the file and in memory.
struct Selection {
  Handle file, memory;
};
Selection select_rows(hid_t dataset, hsize_t first, hsize_t count, hsize_t width) {
  const int rank = width == 0 ? 1 : 2;
  const std::array<hsize_t, 2> start{first, 0}, size{count, width};
  Selection selection{{H5Dget_space(dataset), H5Sclose}, {H5Screate_simple(rank, size.data(), nullptr), H5Sclose}};
  if (H5Sget_simple_extent_ndims(selection.file) != rank)
    throw Hdf5Failure("a dataset has other dimensions than expected");
  check(H5Sselect_hyperslab(selection.file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  return selection;
}

// Datasets of a fixed size have it from the beginning.
void grow(hid_t dataset, hsize_t rows, hsize_t width) {
  if (rows_of(dataset, width == 0 ? 1 : 2, width) >= rows) return;
  const std::array<hsize_t, 2> size{rows, width};
  check(H5Dset_extent(dataset, size.data()));
}

// Bytes of each text of this type; throws where it is none of ours.
std::size_t bytes_of_text(hid_t type) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw Hdf5Failure("a text is not of fixed length");
  return H5Tget_size(type);
}

// Texts of so many bytes each, the rest of which is NUL.
std::vector<std::string> split(const std::string& bytes, std::size_t each) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size(); at += each) texts.emplace_back(std::string(bytes, at, each).c_str());
  return texts;
}
std::string joined(std::span<const std::string> texts, std::size_t each) {
  std::string bytes;
  for (const std::string& text : texts) {
    bytes += text;
    bytes.resize(bytes.size() + each - text.size());
  }
  return bytes;
}

}  // namespace

Hdf5Failure::Hdf5Failure() : std::runtime_error(innermost_reason()) {}

Hdf5Session::Hdf5Session() : lock_(hdf5_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

void check(herr_t code) {
  if (code < 0) throw Hdf5Failure();
}

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, bytes));
  check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

std::size_t longest_of(std::span<const std::string> texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  return longest;
}

Handle link_list() {
  Handle list(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_char_encoding(list, H5T_CSET_UTF8));
  return list;
}

Handle dataset_creation() {
  Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(list, false));
  return list;
}
Handle group_creation() {
  Handle list(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(list, false));
  return list;
}

// --- attributes ---

void write_attribute(hid_t object, const char* name, const std::string& text, std::size_t room) {
  Handle attribute;
  if (H5Aexists(object, name) > 0) {
    attribute = Handle(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle stored(H5Aget_type(attribute), H5Tclose);
    room = bytes_of_text(stored);
    if (room < text.size()) {
      attribute.reset();
      check(H5Adelete(object, name));
    }
  }
  room = std::max({room, text.size(), std::size_t{1}});
  const Handle type = text_type(room), space(H5Screate(H5S_SCALAR), H5Sclose);
  if (!attribute.is_open())
    attribute = Handle(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, joined({&text, 1}, room).data()));
}

std::optional<std::string> find_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Sget_simple_extent_npoints(space) != 1)
    return std::nullopt;
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()));
  return text.c_str();
}

void write_attribute(hid_t object, const char* name, std::uint64_t number) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, H5T_NATIVE_UINT64, &number));
}

std::optional<std::uint64_t> find_number_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle stored(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(stored) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
  std::uint64_t number = 0;
  check(H5Aread(attribute, H5T_NATIVE_UINT64, &number));
  return number;
}

// --- datasets ---

hsize_t rows_of(hid_t dataset, int rank, hsize_t width) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::array<hsize_t, 2> size{};
  if (H5Sget_simple_extent_ndims(space) != rank) throw Hdf5Failure("a dataset has other dimensions than expected");
  check(H5Sget_simple_extent_dims(space, size.data(), nullptr));
  if (rank == 2 && size[1] != width) throw Hdf5Failure("a dataset has another width than expected");
  return size[0];
}

void write_rows(hid_t dataset, hsize_t first, std::span<const double> numbers, hsize_t width) {
  const hsize_t count = numbers.size() / std::max<hsize_t>(width, 1);
  if (count == 0) return;
  grow(dataset, first + count, width);
  const Selection rows = select_rows(dataset, first, count, width);
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, rows.memory, rows.file, H5P_DEFAULT, numbers.data()));
}

void write_rows(hid_t dataset, hsize_t first, std::string_view bytes) {
  if (bytes.empty()) return;
  grow(dataset, first + bytes.size(), 0);
  const Selection rows = select_rows(dataset, first, bytes.size(), 0);
  check(H5Dwrite(dataset, H5T_NATIVE_UCHAR, rows.memory, rows.file, H5P_DEFAULT, bytes.data()));
}

void read_rows(hid_t dataset, hsize_t first, std::span<double> numbers, hsize_t width) {
  const hsize_t count = numbers.size() / std::max<hsize_t>(width, 1);
  if (count == 0) return;
  const Handle stored(H5Dget_type(dataset), H5Tclose);
  if (H5Tget_class(stored) != H5T_FLOAT) throw Hdf5Failure("a dataset holds no numbers");
  const Selection rows = select_rows(dataset, first, count, width);
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, rows.memory, rows.file, H5P_DEFAULT, numbers.data()));
}

std::string read_bytes(hid_t dataset, hsize_t count) {
  const Handle stored(H5Dget_type(dataset), H5Tclose);
  if (H5Tget_class(stored) != H5T_INTEGER) throw Hdf5Failure("a dataset holds no bytes");
  std::string bytes(count, '\0');
  if (count == 0) return bytes;
  const Selection rows = select_rows(dataset, 0, count, 0);
  check(H5Dread(dataset, H5T_NATIVE_UCHAR, rows.memory, rows.file, H5P_DEFAULT, bytes.data()));
  return bytes;
}

void write_texts(hid_t dataset, std::span<const std::string> texts) {
  if (texts.empty()) return;
  const std::size_t each = longest_of(texts);
  check(H5Dwrite(dataset, text_type(each), all, all, H5P_DEFAULT, joined(texts, each).data()));
}

std::vector<std::string> read_texts(hid_t dataset, hsize_t count) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const std::size_t each = bytes_of_text(type);
  if (count == 0) return {};
  hsize_t stored = H5Dget_storage_size(dataset);
  if (count > stored / each) throw Hdf5Failure("a list is longer than what is stored of it");
  const Selection rows = select_rows(dataset, 0, count, 0);
  std::string bytes(count * each, '\0');
  check(H5Dread(dataset, type, rows.memory, rows.file, H5P_DEFAULT, bytes.data()));
  return split(bytes, each);
}

}  // namespace trammel::results
