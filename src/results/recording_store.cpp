// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/recording_store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/hdf5_burst_driver.hpp"
#include "results/recording_errors.hpp"

namespace trammel::results {
namespace {

constexpr std::array<const char*, 3> event_texts{"name", "kind", "text"};
constexpr std::array<const char*, 5> state_names{"q_before", "v_before", "q_after", "v_after", "impulse"};

// Texts of the header, each an attribute of the file.
constexpr std::array<std::pair<const char*, std::string RecordingHeader::*>, 6> header_texts{{
    {"model_name", &RecordingHeader::model_name},
    {"model_file", &RecordingHeader::model_file},
    {"model_hash", &RecordingHeader::model_hash},
    {"trammel_version", &RecordingHeader::trammel_version},
    {"kernel_level", &RecordingHeader::kernel_level},
    {"options", &RecordingHeader::options},
}};
constexpr std::array<std::pair<const char*, std::string RecordedChannel::*>, 4> channel_texts{{
    {"name", &RecordedChannel::name},
    {"group", &RecordedChannel::group},
    {"unit", &RecordedChannel::unit},
    {"frame", &RecordedChannel::frame},
}};

constexpr std::array<std::vector<double> RecordedEvent::*, 5> state_members{
    &RecordedEvent::q_before, &RecordedEvent::v_before, &RecordedEvent::q_after, &RecordedEvent::v_after,
    &RecordedEvent::impulse};
constexpr std::array<std::string RecordedEvent::*, 3> text_members{&RecordedEvent::name, &RecordedEvent::kind,
                                                                   &RecordedEvent::text};

// --- names ---

// '/' parts links, '.' alone is the group itself, and no link is empty: such characters become %2F.
std::string link_of(const std::string& name) {
  if (name.empty()) return "%";
  if (name == ".") return "%2E";
  std::string link;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool as_it_is = byte >= 0x20 && byte != 0x7F && c != '/' && c != '%';
    link += as_it_is ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return link;
}

// The link, or one with its first character escaped where that is taken.
std::string free_link(const std::string& link, const std::set<std::string>& taken) {
  if (!taken.contains(link)) return link;
  return fmt::format("%{:02X}{}", static_cast<unsigned char>(link[0]), link.substr(1));
}

// --- making ---

// How the rows of a dataset lie in the file.
struct Rows {
  hsize_t width = 0;                  // of a row; 0: the dataset has one dimension
  std::optional<hsize_t> fixed = {};  // so many for ever; otherwise it grows
  hsize_t block = 0;                  // so many lie together; 0: all, one after the other
  bool compressed = false;
};

Handle create_rows(hid_t place, const std::string& name, hid_t type, const Rows& rows) {
  const std::array<hsize_t, 2> size{rows.fixed.value_or(0), rows.width};
  const std::array<hsize_t, 2> most{rows.fixed.value_or(H5S_UNLIMITED), rows.width}, block{rows.block, rows.width};
  const int rank = rows.width == 0 ? 1 : 2;
  const Handle space(H5Screate_simple(rank, size.data(), most.data()), H5Sclose), creation = dataset_creation();
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  if (rows.block > 0) {
    check(H5Pset_chunk(creation, rank, block.data()));
    // Of a dataset that grows, the block being filled.
    check(H5Pset_chunk_cache(access, 7, 2 * rows.block * std::max<hsize_t>(rows.width, 1) * sizeof(double), 1));
  }
  if (rows.compressed) {
    check(H5Pset_shuffle(creation));
    check(H5Pset_deflate(creation, 6));
  }
  return {H5Dcreate2(place, name.c_str(), type, space, link_list(), creation, access), H5Dclose};
}

// An index of blocks takes 2 KB: short recordings do without, and would save less by compression.
Rows rows_of_channel(Form form, std::uint64_t rows) {
  if (form == Form::growing) return {.block = 1024};
  if (rows <= 1024) return {.fixed = rows};
  return {.fixed = rows, .block = std::min<hsize_t>(rows, 4096), .compressed = true};
}

Rows rows_of_events(Form form, std::size_t events, hsize_t width = 0) {
  if (form == Form::packed) return {.width = width, .fixed = events};
  return {.width = width, .block = std::clamp<hsize_t>(1024 / std::max<hsize_t>(width, 1), 1, 32)};
}

Handle create_texts(hid_t place, const char* name, std::span<const std::string> texts) {
  Handle dataset = create_rows(place, name, text_type(longest_of(texts)), {.fixed = texts.size()});
  write_texts(dataset, texts);
  return dataset;
}

std::string group_of(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

// --- finding ---

Handle open_dataset(hid_t place, const std::string& name) {
  return {H5Dopen2(place, name.c_str(), H5P_DEFAULT), H5Dclose};
}

std::vector<std::string> all_texts(hid_t place, const char* name) {
  const Handle dataset = open_dataset(place, name);
  return read_texts(dataset, rows_of(dataset, 1, 0));
}

// Texts of all events, one of their members.
std::vector<std::string> texts_of(std::span<const RecordedEvent> events, std::string RecordedEvent::*member) {
  std::vector<std::string> texts;
  for (const RecordedEvent& event : events) texts.push_back(event.*member);
  return texts;
}

// States of all events, one after the other; an event without a state has a row of NaN.
std::vector<double> states_of(std::span<const RecordedEvent> events, std::vector<double> RecordedEvent::*member,
                              std::size_t width) {
  std::vector<double> states;
  for (const RecordedEvent& event : events) {
    std::vector<double> state = event.*member;
    state.resize(width, std::nan(""));
    states.insert(states.end(), state.begin(), state.end());
  }
  return states;
}
std::vector<double> times_of(std::span<const RecordedEvent> events) {
  std::vector<double> times;
  for (const RecordedEvent& event : events) times.push_back(event.t);
  return times;
}

std::string text_or_nothing(hid_t object, const char* name) { return find_attribute(object, name).value_or(""); }

}  // namespace

std::vector<std::string> paths_of(const std::vector<RecordedChannel>& channels) {
  // What stands at the root: our own objects, then channels without a group, then groups.
  std::set<std::string> taken{"channels", "q_names", "v_names", "events", "checkpoint"};
  std::vector<std::string> paths(channels.size());
  std::set<std::string> used;
  for (const bool with_group : {false, true}) {
    const std::set<std::string> before = taken;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const RecordedChannel& channel = channels[i];
      if (channel.group.empty() == with_group) continue;
      const std::string first = free_link(link_of(with_group ? channel.group : channel.name), before);
      taken.insert(first);
      paths[i] = with_group ? first + "/" + link_of(channel.name) : first;
      if (!used.insert(paths[i]).second)
        throw std::invalid_argument(fmt::format("two channels of the group '{}' are called '{}'; fix: rename one",
                                                channel.group, channel.name));
    }
  }
  return paths;
}

RecordingStore RecordingStore::create(hid_t file, const RecordingHeader& header, Form form, std::uint64_t rows,
                                      std::span<const RecordedEvent> events) {
  RecordingStore store;
  store.file_ = file;
  store.header_ = header;
  write_attribute(file, "format", format_name);
  write_attribute(file, "version", format_version);
  for (const auto& [name, member] : header_texts) write_attribute(file, name, header.*member);
  write_attribute(file, "status", std::string(), room_for_status);

  const std::vector<std::string> paths = paths_of(header.channels);
  create_texts(file, "channels", paths);
  create_texts(file, "model_text", {&header.model_text, 1});  // too long for an attribute
  create_texts(file, "q_names", header.q_names);
  create_texts(file, "v_names", header.v_names);
  std::set<std::string> groups{""};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (groups.insert(group_of(paths[i])).second)
      Handle(H5Gcreate2(file, group_of(paths[i]).c_str(), link_list(), group_creation(), H5P_DEFAULT), H5Gclose);
    Handle dataset = create_rows(file, paths[i], H5T_IEEE_F64LE, rows_of_channel(form, rows));
    for (const auto& [name, member] : channel_texts) write_attribute(dataset, name, header.channels[i].*member);
    store.channels_.push_back(std::move(dataset));
  }

  const Handle group(H5Gcreate2(file, "events", link_list(), group_creation(), H5P_DEFAULT), H5Gclose);
  store.events_.t = create_rows(group, "t", H5T_IEEE_F64LE, rows_of_events(form, events.size()));
  write_attribute(store.events_.t, "unit", std::string("s"));
  if (form == Form::growing) {
    store.events_.bytes = create_rows(group, "texts", H5T_STD_U8LE, {.block = 4096});
  } else {
    write_rows(store.events_.t, 0, times_of(events));
    for (std::size_t i = 0; i < event_texts.size(); ++i)
      store.events_.texts[i] = create_texts(group, event_texts[i], texts_of(events, text_members[i]));
  }
  for (std::size_t i = 0; i < state_names.size(); ++i) {
    const hsize_t width = store.width_of_state(i);
    if (width == 0) continue;
    store.events_.states[i] =
        create_rows(group, state_names[i], H5T_IEEE_F64LE, rows_of_events(form, events.size(), width));
    if (form == Form::packed) write_rows(store.events_.states[i], 0, states_of(events, state_members[i], width), width);
  }
  return store;
}

RecordingStore RecordingStore::open(hid_t file, const std::string& path) {
  if (find_attribute(file, "format") != format_name) {
    fail("recording-foreign", fmt::format("{} is an HDF5 file, but no recording of trammel", path),
         "name a file that `trammel simulate` wrote");
  }
  const std::optional<std::uint64_t> version = find_number_attribute(file, "version");
  if (version && *version > format_version) {
    fail(
        "recording-version",
        fmt::format("{} is in version {} of the format; this trammel reads version {}", path, *version, format_version),
        "use the trammel that wrote it, or a later one");
  }
  if (!version || *version == 0) throw Hdf5Failure("the version of the format is not there");

  RecordingStore store;
  store.file_ = file;
  for (const auto& [name, member] : header_texts) store.header_.*member = text_or_nothing(file, name);
  const std::vector<std::string> model = all_texts(file, "model_text");
  if (!model.empty()) store.header_.model_text = model[0];
  store.header_.q_names = all_texts(file, "q_names");
  store.header_.v_names = all_texts(file, "v_names");
  for (const std::string& channel : all_texts(file, "channels")) {
    const Handle& dataset = store.channels_.emplace_back(open_dataset(file, channel));
    RecordedChannel& info = store.header_.channels.emplace_back();
    if (!find_attribute(dataset, "name")) throw Hdf5Failure("a channel has no name");
    for (const auto& [name, member] : channel_texts) info.*member = text_or_nothing(dataset, name);
  }
  if (store.channels_.empty()) throw Hdf5Failure("it has no channels");

  const Handle group(H5Gopen2(file, "events", H5P_DEFAULT), H5Gclose);
  store.events_.t = open_dataset(group, "t");
  const bool grows = H5Lexists(group, "texts", H5P_DEFAULT) > 0;
  if (grows) store.events_.bytes = open_dataset(group, "texts");
  for (std::size_t i = 0; i < event_texts.size() && !grows; ++i) {
    store.events_.texts[i] = open_dataset(group, event_texts[i]);
  }
  for (std::size_t i = 0; i < state_names.size(); ++i) {
    const bool is_there = H5Lexists(group, state_names[i], H5P_DEFAULT) > 0 || i < 4;  // older files have no impulses
    if (store.width_of_state(i) > 0 && is_there) store.events_.states[i] = open_dataset(group, state_names[i]);
  }
  return store;
}

std::uint64_t RecordingStore::count_rows() const {
  hsize_t rows = std::numeric_limits<hsize_t>::max();
  for (const Handle& channel : channels_) rows = std::min(rows, rows_of(channel, 1, 0));
  return rows;
}

std::uint64_t RecordingStore::count_events() const {
  hsize_t rows = rows_of(events_.t, 1, 0);
  if (events_.bytes.is_open()) rows = std::min<hsize_t>(rows, read_event_texts().size() / event_texts.size());
  for (const Handle& texts : events_.texts) {
    if (texts.is_open()) rows = std::min(rows, rows_of(texts, 1, 0));
  }
  for (std::size_t i = 0; i < events_.states.size(); ++i) {
    if (events_.states[i].is_open()) rows = std::min(rows, rows_of(events_.states[i], 2, width_of_state(i)));
  }
  return rows;
}

// --- events ---

void RecordingStore::append_events(std::span<const RecordedEvent> events) const {
  if (events.empty()) return;
  const hsize_t first = rows_of(events_.t, 1, 0);
  std::string bytes;
  for (const RecordedEvent& event : events) {
    for (const auto member : text_members) bytes += (event.*member).substr(0, (event.*member).find('\0')) + '\0';
  }
  write_rows(events_.bytes, rows_of(events_.bytes, 1, 0), bytes);
  for (std::size_t i = 0; i < state_names.size(); ++i) {
    const hsize_t width = width_of_state(i);
    if (events_.states[i].is_open())
      write_rows(events_.states[i], first, states_of(events, state_members[i], width), width);
  }
  write_rows(events_.t, first, times_of(events));
}

// Of a growing file: name, kind and text of each event, one after the other.
std::vector<std::string> RecordingStore::read_event_texts() const {
  const hsize_t count = rows_of(events_.bytes, 1, 0);
  if (count > H5Dget_storage_size(events_.bytes)) throw Hdf5Failure("it claims to have more texts than can be in it");
  const std::string bytes = read_bytes(events_.bytes, count);
  std::vector<std::string> texts;
  for (std::size_t at = 0, end = 0; (end = bytes.find('\0', at)) != std::string::npos; at = end + 1) {
    texts.push_back(bytes.substr(at, end - at));
  }
  return texts;
}

std::vector<RecordedEvent> RecordingStore::read_events(std::uint64_t count) const {
  std::vector<RecordedEvent> events(count);
  std::vector<double> times(count);
  read_rows(events_.t, 0, times);
  for (std::size_t e = 0; e < count; ++e) events[e].t = times[e];
  const std::vector<std::string> in_turn = events_.bytes.is_open() ? read_event_texts() : std::vector<std::string>{};
  for (std::size_t i = 0; i < event_texts.size(); ++i) {
    const std::vector<std::string> texts =
        events_.bytes.is_open() ? std::vector<std::string>{} : read_texts(events_.texts[i], count);
    for (std::size_t e = 0; e < count; ++e) {
      events[e].*text_members[i] = texts.empty() ? in_turn[e * event_texts.size() + i] : texts[e];
    }
  }
  for (std::size_t i = 0; i < state_names.size(); ++i) {
    const hsize_t width = width_of_state(i);
    std::vector<double> states(count * width);
    if (!events_.states[i].is_open()) continue;
    read_rows(events_.states[i], 0, states, width);
    for (std::size_t e = 0; e < count; ++e) {
      const std::span<const double> state = std::span(states).subspan(e * width, width);
      const bool is_there = !std::all_of(state.begin(), state.end(), [](double x) { return std::isnan(x); });
      if (!is_there) continue;
      std::vector<double>& list = events[e].*state_members[i];
      list.assign(state.begin(), state.end());
      while (i >= 4 && std::isnan(list.back())) list.pop_back();  // those of a stop are fewer
    }
  }
  return events;
}

// --- status ---

void RecordingStore::write_status(const std::string& status) const { write_attribute(file_, "status", status); }
std::string RecordingStore::read_status() const { return text_or_nothing(file_, "status"); }

// --- files ---

Handle create_hdf5(const std::string& path, BurstReport& report) {
  const Handle access(burst_access(report), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(creation, false));
  // All links and attributes of the root in its header: what is added later (the checkpoint) changes that alone.
  check(H5Pset_link_phase_change(creation, 1000, 0));
  check(H5Pset_attr_phase_change(creation, 100, 0));
  // The version of 1.8 has checksums on its headers, and no mark of being open that a killed process would leave behind.
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose};
}

Handle open_hdf5(const std::string& path) {
  struct stat status {};
  const auto unreadable = [&](int error) {
    fail("recording-unreadable", fmt::format("{} cannot be read: {}", path, std::generic_category().message(error)),
         "check the path and its permissions");
  };
  if (::stat(path.c_str(), &status) != 0) unreadable(errno);
  if (S_ISDIR(status.st_mode)) unreadable(EISDIR);
  if (!S_ISREG(status.st_mode)) unreadable(ESPIPE);
  if (::access(path.c_str(), R_OK) != 0) unreadable(errno);
  if (H5Fis_hdf5(path.c_str()) <= 0)
    fail("recording-not-hdf5", fmt::format("{} is not an HDF5 file", path),
         "name a recording, as `trammel simulate` writes it");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  check(H5Pset_file_locking(access, false, true));  // one that is being written may be read
#endif
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose};
}

}  // namespace trammel::results
