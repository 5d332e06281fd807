// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as DynaMechs files: a model or messages, and a model that survives being written and compiled. Form feeds, which no file may have,
// part the input: the first part is what is read, the others are the files that it names, in the order in which they are asked for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "properties.hpp"
#include "readers/dm_reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trammel;
  const fuzz::TimeLimit limit;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = rest.find('\f');
    parts.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  std::size_t next = 1;
  const auto load = [&](const std::string&, std::size_t, std::string& text, readers::Messages& messages) {
    if (next < parts.size()) {
      text = parts[next++];
      return true;
    }
    messages.error({}, "file-not-found", "there is no such file", "check the path");
    return false;
  };
  const ReadResult result = readers::dm::read_with(parts[0], "fuzz", {}, load);
  fuzz::require_sound_messages(result.diagnostics);
  if (result.ok()) {
    fuzz::require_native_keeps(result.model);
    fuzz::require_compiles_or_says_why(result.model);
  }
  return 0;
}
