// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a simulation leaves behind: channels over time, events, and all that is needed to know where it came from and to go on from
// its end. In memory, and on disk as HDF5, which h5dump, h5py, MATLAB and Julia read (layout: docs/formats/recording.md).
//
//   RecordingFile file = RecordingFile::create("run.h5", header);
//   file.append(row);  file.flush_if_due();  …  file.finish("done");
//   const Recording run = read_recording("run.h5");
//
// A file is flushed every second, so that of a run that is killed all but the last second is kept. Same input, same bytes: no date
// is written.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/results.hpp>

namespace trammel {

// One number that is recorded at every row. All in SI and radians.
struct RecordedChannel {
  std::string name;   // "elbow.q", "coupler point.x", "energy.kinetic"
  std::string unit;   // "rad", "m/s", "1"
  std::string frame;  // in whose axes: "world", "body", "joint", or "" where that has no meaning
  std::string
      group;  // "coordinates", "velocities", "accelerations", "forces", "bodies", "points", "reactions", "energy", "measures", "loops"

  friend bool operator==(const RecordedChannel&, const RecordedChannel&) = default;
};

struct RecordingHeader {
  std::string model_name, model_file;
  std::string model_text;                     // native YAML, complete
  std::string model_hash;                     // of that text: hash_of(model_text)
  std::string trammel_version, kernel_level;  // who computed it
  std::string options;                        // of the run, as JSON
  std::vector<std::string> q_names, v_names;  // of the coordinates and freedoms of states in events
  std::vector<RecordedChannel> channels;      // the first is the time, "t" in s

  friend bool operator==(const RecordingHeader&, const RecordingHeader&) = default;
};

struct RecordedEvent {
  double t = 0;
  std::string name;  // of the event, or of what it happened to
  std::string kind;  // "limit", "expression", "switch", "touch", "lift", "stick", "slip", "user", "impact", "capture"
  std::string text = {};  // in words
  std::vector<double> q_before = {}, v_before = {}, q_after = {}, v_after = {};
  // Of an impact or a capture: the energy that it lost, J; moment N m s and force N s on the second body; where, m; in world axes: ten
  // numbers. Of a stop two: the energy, and the impulse on its coordinate. Empty: there was none.
  std::vector<double> impulse = {};
  static constexpr std::size_t impulse_numbers = 10;

  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

// All that the simulation needs to go on as if it had not been broken off.
struct Checkpoint {
  double t = 0;
  std::uint64_t steps = 0;
  std::uint64_t rows = 0, events = 0;  // that had been recorded by then
  std::vector<double> numbers = {};    // the simulation's own business

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

struct Recording {
  RecordingHeader header;
  std::vector<double> numbers;  // row by row
  std::vector<RecordedEvent> events;
  std::optional<Checkpoint> checkpoint;
  std::string status;  // "done", "stopped", "diverged", …; empty: the run was killed

  std::size_t row_count() const { return header.channels.empty() ? 0 : numbers.size() / header.channels.size(); }
  std::span<const double> row(std::size_t i) const {
    return std::span(numbers).subspan(i * header.channels.size(), header.channels.size());
  }
  // −1: there is none of that name.
  int find_channel(std::string_view name) const;
  std::vector<double> column(int channel) const;
};

// A file that cannot be written or read: what() says which and why, fix() what to do.
class RecordingError : public std::runtime_error {
 public:
  RecordingError(const std::string& what, std::string fix, std::string id)
      : std::runtime_error(what), fix_(std::move(fix)), id_(std::move(id)) {}
  const std::string& fix() const { return fix_; }
  const std::string& id() const { return id_; }  // "recording-unwritable", …

 private:
  std::string fix_, id_;
};

class RecordingFile {
 public:
  // Writes over a file that is there.
  static RecordingFile create(const std::string& path, const RecordingHeader& header);
  // Opens a recording that has a checkpoint, and drops what was recorded after it. The header must be the same but for options.
  static RecordingFile resume(const std::string& path, const RecordingHeader& header, Checkpoint& checkpoint);
  ~RecordingFile();
  RecordingFile(RecordingFile&&) noexcept;
  RecordingFile& operator=(RecordingFile&&) noexcept;

  // All throw RecordingError when the disk is full; what was flushed before stays readable.
  void append(std::span<const double> row);  // one number for each channel
  void add(const RecordedEvent& event);
  void set(const Checkpoint& checkpoint);  // replaces the one before
  bool flush_if_due();                     // when a second has passed since the last time; tells whether it did
  void flush();
  void finish(const std::string& status);  // flushes and closes; nothing may be written afterwards

 private:
  class Implementation;
  explicit RecordingFile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

Recording read_recording(const std::string& path);
// The time and the channels of these names alone, as channels_of takes them: quick where a recording is long.
Recording read_recording(const std::string& path, std::span<const std::string> names);

// What is in a recording, without its numbers.
struct RecordingContents {
  RecordingHeader header;
  std::uint64_t rows = 0, events = 0;
  std::string status;  // as in Recording
};
RecordingContents read_contents(const std::string& path);

// The channels of these names, in the order in which they are named, the time first. A '*' in a name stands for any characters: "elbow.*",
// "*.q". Throws RecordingError with a "did you mean" for a name that is not there.
std::vector<int> find_channels(const RecordingHeader& header, std::span<const std::string> names);

// SHA-256 in hexadecimal digits, as sha256sum prints it.
std::string hash_of(std::string_view text);

// The time and these channels (see find_channels) as columns, in the order in which they are named, for write_csv, write_table and plots.
Channels channels_of(const Recording& recording, std::span<const std::string> names);

}  // namespace trammel
