// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a KAM listing with its data after END: a model or messages, and a model that survives being written and compiled.

#include <cstddef>
#include <cstdint>

#include "properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trammel;
  const fuzz::TimeLimit limit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadResult result = read_kam(text, "fuzz");  // no file of that name is looked for
  fuzz::require_sound_messages(result.diagnostics);
  if (result.ok()) {
    fuzz::require_native_keeps(result.model);
    fuzz::require_compiles_or_says_why(result.model);
  }
  return 0;
}
