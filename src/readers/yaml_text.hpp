// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks of the bare text, before and after a YAML library sees it. Before: what the library would accept (bytes that
// are not UTF-8) or choke on (yaml-cpp 0.7 takes 230 bytes for every '[' that is left open and about a microsecond for
// every entry). After, when the library refused the text: the likely cause, in words for the one who wrote it.

#include <optional>
#include <string>
#include <string_view>

#include "readers/messages.hpp"

namespace trammel::readers {

// More separators ("," ":" "[" "{" "- " and ends of lines) than this are refused: enough for 10 000 bodies and joints,
// and little enough for yaml-cpp to stay within a second and 140 MB.
inline constexpr std::size_t most_separators = 600'000;

// Line and column (in characters, both from 1) of byte positions. Cheap when positions come nearly in order.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text) {}
  SourceLocation at(std::size_t position);

 private:
  void step_forward();
  void step_back();

  std::string_view text_;
  std::size_t position_ = 0;
  SourceLocation here_{1, 1};
};

// The text without a byte order mark.
std::string_view without_bom(std::string_view text);
// Is this UTF-8 without control characters other than tabs and ends of lines?
bool is_clean_text(std::string_view text);
// The same with a message, for a whole file that must not be too large either. What all formats ask of a text.
bool check_encoding(std::string_view text, std::size_t max_bytes, Messages& messages);
// False, with a message, where the text must not reach the YAML library.
bool check_text(std::string_view text, std::size_t max_bytes, Messages& messages);

struct SyntaxTrouble {
  std::size_t position = 0;
  std::string id, what, fix;

  friend bool operator==(const SyntaxTrouble&, const SyntaxTrouble&) = default;
};
// The first thing in a text that is certain or likely to be why it is not YAML: a tab before the first word of a line,
// a quote or bracket that is never closed or closed by the wrong one. Follows YAML's rules of where a word begins and
// ends closely enough for that, not for more.
std::optional<SyntaxTrouble> find_syntax_trouble(std::string_view text);
// Is all of it well-formed UTF-8?
bool is_utf8(std::string_view text);
// Is the quoted text that begins at or after this position (an anchor may stand before it) closed?
std::optional<SyntaxTrouble> find_unclosed_quote(std::string_view text, std::size_t position);
// The same for one of yaml-cpp's own messages, when nothing else was found.
SyntaxTrouble explain_syntax_error(const std::string& library_message, std::size_t position);

}  // namespace trammel::readers
