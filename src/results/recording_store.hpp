// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The objects of a recording in an open HDF5 file: how they are laid out, made, found, read and written. docs/formats/recording.md
// describes the layout.

#include <array>
#include <string>
#include <vector>

#include <trammel/recording.hpp>

#include "results/hdf5_handles.hpp"

namespace trammel::results {

// What the attribute `format` of every recording says.
inline constexpr const char* format_name = "trammel recording";

inline constexpr std::uint64_t format_version = 1;
inline constexpr std::size_t room_for_status = 64;

// Growing: what a simulation writes to. Blocks are not compressed, so that each is written to where it lies and the file only grows.
// Packed: what it leaves behind. Channels lie one after the other; long ones are compressed.
enum class Form { growing, packed };

class RecordingStore {
 public:
  // Makes everything in an empty file. A packed one has so many rows and these events for ever.
  static RecordingStore create(hid_t file, const RecordingHeader& header, Form form, std::uint64_t rows = 0,
                               std::span<const RecordedEvent> events = {});
  // Throws RecordingError where this is no recording of ours (`path` is for the message), Hdf5Failure where it is damaged.
  static RecordingStore open(hid_t file, const std::string& path);

  const RecordingHeader& header() const { return header_; }
  hid_t channel(std::size_t i) const { return channels_[i]; }
  // What all datasets have: a process that was killed may leave some of them ahead of others.
  std::uint64_t count_rows() const;
  std::uint64_t count_events() const;

  // Of a growing file.
  void append_events(std::span<const RecordedEvent> events) const;
  std::vector<RecordedEvent> read_events(std::uint64_t count) const;

  // In a growing file up to `room_for_status` bytes of it.
  void write_status(const std::string& status) const;
  std::string read_status() const;

  // Replaces the one that is there.
  void write_checkpoint(const Checkpoint& checkpoint) const;
  std::optional<Checkpoint> read_checkpoint() const;

 private:
  struct Events {
    Handle t;
    std::array<Handle, 3> texts;  // of a packed file: name, kind, text
    Handle bytes;  // of a growing one, whose longest text is not known: each of these with a NUL behind it
    std::array<Handle, 5>
        states;  // q_before, v_before, q_after, v_after, impulse; not open where there are no coordinates
  };
  std::vector<std::string> read_event_texts() const;
  hsize_t width_of_state(std::size_t i) const {
    if (i == 4) return RecordedEvent::impulse_numbers;
    return i % 2 == 0 ? header_.q_names.size() : header_.v_names.size();
  }

  hid_t file_ = -1;
  RecordingHeader header_;
  std::vector<Handle> channels_;
  Events events_;
};

// Where in the file each channel is: "coordinates/elbow.q". Throws std::invalid_argument where two have the same name and group.
std::vector<std::string> paths_of(const std::vector<RecordedChannel>& channels);

// A file for RecordingStore::create. Throws Hdf5Failure.
struct BurstReport;
Handle create_hdf5(const std::string& path, BurstReport& report);
// A file to be read. Throws RecordingError where there is none or it is none of HDF5's.
Handle open_hdf5(const std::string& path);

}  // namespace trammel::results
