// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What recordings need of HDF5, whose C interface has numbers for objects, return codes for errors and a voice of its own: handles that
// close themselves, exceptions, silence; and texts, lists of texts and columns of numbers in one call each.

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace trammel::results {

// What HDF5 says is wrong, in its own words: the innermost reason of its stack of errors.
class Hdf5Failure : public std::runtime_error {
 public:
  Hdf5Failure();
  explicit Hdf5Failure(const std::string& reason) : std::runtime_error(reason) {}
};

// While it lives, HDF5 prints nothing, and no other thread of ours is in it (not every build of HDF5 would bear that).
class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

// Any object of HDF5: throws Hdf5Failure where HDF5 gave none.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw Hdf5Failure();
  }
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this == &other) return *this;
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
    return *this;
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): it stands for its number everywhere
  bool is_open() const { return id_ >= 0; }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

// Throws Hdf5Failure if HDF5 refused.
void check(herr_t code);

// UTF-8 of so many bytes, padded by NUL. Texts have fixed lengths: those of any length lie in a heap without checksums, and HDF5 1.10
// crashes where that is damaged.
Handle text_type(std::size_t bytes);
std::size_t longest_of(std::span<const std::string> texts);  // bytes, at least 1
Handle link_list();                                          // for names of links in UTF-8

// One that is there is overwritten where it lies if it has room for the text; a new one gets room for `room` bytes at least.
void write_attribute(hid_t object, const char* name, const std::string& text, std::size_t room = 1);
std::optional<std::string> find_attribute(hid_t object, const char* name);  // nothing: there is none that is a text

void write_attribute(hid_t object, const char* name, std::uint64_t number);
std::optional<std::uint64_t> find_number_attribute(hid_t object, const char* name);

// Objects without date, so that the same input gives the same bytes.
Handle dataset_creation();
Handle group_creation();

// Rows (the first dimension) of a dataset; throws if it does not have `rank` dimensions, the second of `width`.
hsize_t rows_of(hid_t dataset, int rank, hsize_t width);

// From row `first` on; the dataset grows to hold them. Numbers have `width` to a row; 0: the dataset has one dimension.
void write_rows(hid_t dataset, hsize_t first, std::span<const double> numbers, hsize_t width = 0);
void write_rows(hid_t dataset, hsize_t first, std::string_view bytes);  // of a dataset of bytes, one to a row
void read_rows(hid_t dataset, hsize_t first, std::span<double> numbers, hsize_t width = 0);
std::string read_bytes(hid_t dataset, hsize_t count);

// All of a dataset that was made for them, of the type text_type(longest_of(texts)).
void write_texts(hid_t dataset, std::span<const std::string> texts);
std::vector<std::string> read_texts(hid_t dataset, hsize_t count);

}  // namespace trammel::results
