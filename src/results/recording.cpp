// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Recordings in memory: read from a file, and asked for their channels.

#include <algorithm>
#include <new>
#include <numeric>

#include <fmt/format.h>

#include <trammel/diagnostics.hpp>
#include <trammel/recording.hpp>

#include "results/recording_errors.hpp"
#include "results/recording_store.hpp"

namespace trammel {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

namespace {

[[noreturn]] void fail_damaged(const std::string& path, const std::string& reason) {
  fail("recording-damaged", fmt::format("{} is damaged: {}", path, reason), "simulate anew");
}

// Deflate makes nothing smaller than by 1 : 1032: what claims to be larger is damaged, and memory is not asked for it.
void require_plausible(hid_t file, std::uint64_t rows, std::uint64_t columns) {
  hsize_t bytes = 0;
  check(H5Fget_filesize(file, &bytes));
  const std::uint64_t most = 1032 * bytes / sizeof(double);
  if (columns > 0 && rows > most / columns) throw Hdf5Failure("it claims to have more rows than can be in it");
}

// Row by row, a block of each channel at a time.
std::vector<double> read_numbers(const RecordingStore& store, const std::vector<int>& channels, std::uint64_t rows) {
  const std::size_t width = channels.size();
  std::vector<double> numbers(rows * width), column;
  constexpr std::uint64_t block = 65536;
  for (std::uint64_t first = 0; first < rows; first += block) {
    column.resize(std::min(block, rows - first));
    for (std::size_t c = 0; c < width; ++c) {
      read_rows(store.channel(static_cast<std::size_t>(channels[c])), first, column);
      for (std::size_t r = 0; r < column.size(); ++r) numbers[(first + r) * width + c] = column[r];
    }
  }
  return numbers;
}

// "elbow.*", "*.q", "a*b*c".
bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at) {
    if (matches(name.substr(at), rest)) return true;
  }
  return false;
}

// What `act` makes of the objects in the file, or why it is none of ours.
template <typename Act>
auto with_file(const std::string& path, const Act& act) {
  const Hdf5Session session;
  try {
    const Handle file = open_hdf5(path);
    const RecordingStore store = RecordingStore::open(file, path);
    require_plausible(file, store.count_rows(), store.header().channels.size());
    require_plausible(file, store.count_events(), 1 + store.header().q_names.size() + store.header().v_names.size());
    return act(store);
  } catch (const Hdf5Failure& failure) {
    fail_damaged(path, failure.what());
  } catch (const std::bad_alloc&) {
    fail("recording-too-large", fmt::format("{} does not fit into memory", path),
         "read a part of it: channels by name");
  }
}

Recording read_from(const RecordingStore& store, const std::vector<int>& channels) {
  Recording recording;
  recording.header = store.header();
  recording.header.channels.clear();
  for (const int c : channels)
    recording.header.channels.push_back(store.header().channels[static_cast<std::size_t>(c)]);
  recording.numbers = read_numbers(store, channels, store.count_rows());
  recording.events = store.read_events(store.count_events());
  recording.checkpoint = store.read_checkpoint();
  recording.status = store.read_status();
  return recording;
}

}  // namespace

int Recording::find_channel(std::string_view name) const {
  const auto found = std::find_if(header.channels.begin(), header.channels.end(),
                                  [&](const RecordedChannel& channel) { return channel.name == name; });
  return found == header.channels.end() ? -1 : static_cast<int>(found - header.channels.begin());
}

std::vector<double> Recording::column(int channel) const {
  std::vector<double> values(row_count());
  const std::size_t width = header.channels.size();
  for (std::size_t r = 0; r < values.size(); ++r) values[r] = numbers[r * width + static_cast<std::size_t>(channel)];
  return values;
}

Recording read_recording(const std::string& path) {
  return with_file(path, [](const RecordingStore& store) {
    std::vector<int> all(store.header().channels.size());
    std::iota(all.begin(), all.end(), 0);
    return read_from(store, all);
  });
}

Recording read_recording(const std::string& path, std::span<const std::string> names) {
  return with_file(path,
                   [&](const RecordingStore& store) { return read_from(store, find_channels(store.header(), names)); });
}

RecordingContents read_contents(const std::string& path) {
  return with_file(path, [](const RecordingStore& store) {
    return RecordingContents{store.header(), store.count_rows(), store.count_events(), store.read_status()};
  });
}

std::vector<int> find_channels(const RecordingHeader& header, std::span<const std::string> names) {
  std::vector<int> found;
  std::vector<std::string> all;
  for (const RecordedChannel& channel : header.channels) all.push_back(channel.name);
  if (all.empty()) return found;
  std::vector<bool> taken(all.size(), false);
  const auto take = [&](std::size_t channel) {
    if (!taken[channel]) found.push_back(static_cast<int>(channel));
    taken[channel] = true;
  };
  take(0);
  for (const std::string& name : names) {
    const bool is_name = std::find(all.begin(), all.end(), name) != all.end();  // its own '*' is none of a pattern
    bool any = false;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (is_name ? all[c] != name : !matches(all[c], name)) continue;
      take(c);
      any = true;
    }
    if (any) continue;
    const std::string near = did_you_mean(name, all);
    fail("channel-unknown", fmt::format("there is no channel '{}' in the recording", name),
         near.empty() ? "`trammel plot RECORDING --list` lists them" : fmt::format("did you mean '{}'?", near));
  }
  return found;
}

Channels channels_of(const Recording& recording, std::span<const std::string> names) {
  Channels channels;
  for (const int c : find_channels(recording.header, names)) {
    const RecordedChannel& info = recording.header.channels[static_cast<std::size_t>(c)];
    channels.columns.push_back({info.name, info.unit, recording.column(c)});
  }
  return channels;
}

}  // namespace trammel
