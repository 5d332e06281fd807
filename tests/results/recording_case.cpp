// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/recording_case.hpp"

#include <bit>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/reading.hpp"

namespace trammel::test {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "trammel-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
  path_ = name;
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

namespace {

rc::Gen<std::string> any_text() {
  const auto plain = rc::gen::container<std::string>(rc::gen::inRange('\x01', '\x7F'));
  return rc::gen::oneOf(plain, rc::gen::element<std::string>("", ".", "..", "/", "a/b", "%", "%2F", "events", "t",
                                                             "channels", "θ₁", "elbow.q", " ", "coordinates"));
}

std::vector<double> any_numbers(std::size_t count) { return *values_of_any_kind(count); }

// Of NaN there are many: one is enough to be compared by.
bool same_number(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_number);
}

}  // namespace

rc::Gen<Recording> any_recording() {
  return rc::gen::exec([] {
    Recording r;
    RecordingHeader& h = r.header;
    for (std::string* text : {&h.model_name, &h.model_file, &h.model_text, &h.model_hash, &h.trammel_version,
                              &h.kernel_level, &h.options, &r.status})
      *text = *any_text();
    h.q_names = *rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(any_text()));
    h.v_names = *rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(any_text()));
    std::set<std::pair<std::string, std::string>> used;
    const std::size_t channels = *rc::gen::inRange<std::size_t>(1, 7);
    while (h.channels.size() < channels) {
      RecordedChannel channel{*any_text(), *any_text(), *any_text(), *any_text()};
      if (used.insert({channel.group, channel.name}).second) h.channels.push_back(channel);
    }
    // A few rows, or some blocks of them with little in each.
    const std::size_t rows = *rc::gen::element<std::size_t>(0, 1, 7, 1024, 1025, 5000);
    const std::vector<double> some = any_numbers(97);
    for (std::size_t i = 0; i < rows * channels; ++i) r.numbers.push_back(some[i * i % some.size()]);
    for (std::size_t e = *rc::gen::element<std::size_t>(0, 1, 3, 40); e > 0; --e) {
      const bool with_state = *rc::gen::arbitrary<bool>();
      const auto state = [&](std::size_t n) {
        return std::vector<double>(with_state ? n : 0, 0.25 * static_cast<double>(e));
      };
      r.events.push_back({static_cast<double>(e), *any_text(), *any_text(), *any_text(), state(h.q_names.size()),
                          state(h.v_names.size()), state(h.q_names.size()), state(h.v_names.size())});
    }
    if (*rc::gen::arbitrary<bool>())
      r.checkpoint = Checkpoint{1.5, *rc::gen::arbitrary<std::uint64_t>(), rows, r.events.size(),
                                any_numbers(*rc::gen::element<std::size_t>(0, 1, 30, 9000))};
    return r;
  });
}

bool is_same(const Recording& a, const Recording& b) {
  if (a.header != b.header || a.events != b.events || a.status != b.status) return false;
  if (!same_numbers(a.numbers, b.numbers)) return false;
  if (a.checkpoint.has_value() != b.checkpoint.has_value()) return false;
  if (!a.checkpoint) return true;
  return a.checkpoint->t == b.checkpoint->t && a.checkpoint->steps == b.checkpoint->steps &&
         a.checkpoint->rows == b.checkpoint->rows && a.checkpoint->events == b.checkpoint->events &&
         same_numbers(a.checkpoint->numbers, b.checkpoint->numbers);
}

void write(const std::string& path, const Recording& recording, const std::function<void(RecordingFile&)>& between) {
  RecordingFile file = RecordingFile::create(path, recording.header);
  for (std::size_t i = 0; i < recording.row_count(); ++i) {
    file.append(recording.row(i));
    between(file);
  }
  for (const RecordedEvent& event : recording.events) {
    file.add(event);
    between(file);
  }
  if (recording.checkpoint) file.set(*recording.checkpoint);
  file.finish(recording.status);
}

RecordingHeader plain_header(std::size_t channels) {
  RecordingHeader header;
  header.model_name = "plain";
  header.model_text = "trammel: 1\n";
  header.model_hash = hash_of(header.model_text);
  header.q_names = {"a", "b"};
  header.v_names = {"a"};
  header.channels.push_back({"t", "s", "", ""});
  for (std::size_t c = 1; c < channels; ++c)
    header.channels.push_back({fmt::format("joint{}.q", c), "rad", "", c % 2 == 0 ? "coordinates" : "velocities"});
  return header;
}

std::vector<double> plain_row(std::size_t i, std::size_t channels) {
  std::vector<double> row;
  for (std::size_t c = 0; c < channels; ++c) row.push_back(static_cast<double>(i) + static_cast<double>(c) / 1000);
  return row;
}

RecordedEvent plain_event(std::size_t i) {
  const auto t = static_cast<double>(i);
  return {t, fmt::format("event {}", i), "user", "it happened", {t, t}, {t}, {t, -t}, {-t}};
}

void expect_plain(const Recording& recording) {
  const std::size_t channels = recording.header.channels.size();
  EXPECT_EQ(recording.header, plain_header(channels));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < recording.row_count(); ++i)
    for (std::size_t c = 0; c < channels; ++c)
      wrong += recording.row(i)[c] != static_cast<double>(i) + static_cast<double>(c) / 1000;
  EXPECT_EQ(wrong, 0u);
  for (std::size_t e = 0; e < recording.events.size(); ++e) EXPECT_EQ(recording.events[e], plain_event(e));
  if (recording.checkpoint) {
    EXPECT_LE(recording.checkpoint->rows, recording.row_count());
    EXPECT_LE(recording.checkpoint->events, recording.events.size());
  }
}

int exit_code_of(const std::function<int()>& act) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) _exit(act());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace trammel::test
