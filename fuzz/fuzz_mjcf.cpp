// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as an MJCF file: a model or messages, and a model that survives being written as native and as MJCF. The
// folder of the file does not exist, so that <include> finds nothing to read.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "properties.hpp"

namespace {

using namespace trammel;

const char* const file = "/nonexistent/trammel-fuzz/fuzz.xml";

// What is written can be read, and from then on writing and reading change nothing but the last digits of rotations.
void require_mjcf_keeps(const Model& model) {
  const WriteResult written = write_mjcf(model);
  fuzz::require_sound_messages(written.diagnostics);
  if (!written.ok()) return;
  const ReadResult back = read_mjcf(written.text, file);
  fuzz::require(back.ok(), "what is written can be read:\n" + back.diagnostics.to_string() + written.text);
  const bool folded = std::any_of(written.diagnostics.all().begin(), written.diagnostics.all().end(),
                                  [](const Diagnostic& d) { return d.id == "mjcf-folded"; });
  fuzz::require(folded || back.model.bodies.size() >= model.bodies.size(), "no body is lost:\n" + written.text);
  const WriteResult again = write_mjcf(back.model);
  fuzz::require(again.ok(), "what was written can be written again:\n" + again.diagnostics.to_string());
  const ReadResult twice = read_mjcf(again.text, file);
  fuzz::require(twice.ok(), "and read again:\n" + twice.diagnostics.to_string() + again.text);
  fuzz::require_same(back.model, twice.model, written.text + again.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TimeLimit limit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadResult result = read_mjcf(text, file);
  fuzz::require_sound_messages(result.diagnostics);
  if (!result.ok()) return 0;
  fuzz::require_native_keeps(result.model);
  fuzz::require_compiles_or_says_why(result.model);
  require_mjcf_keeps(result.model);
  return 0;
}
