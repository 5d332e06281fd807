// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Why a text is not YAML, in words for the one who wrote it. Only texts that yaml-cpp refused come here.

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "readers/yaml_text.hpp"

namespace trammel::readers {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_bracket_or_comma(char c) { return std::string_view("[]{},").find(c) != std::string_view::npos; }

// Walks the text word by word, keeping the brackets that are open.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::optional<SyntaxTrouble> run() {
    while (at_ < text_.size() && !trouble_) step();
    if (!trouble_ && !open_.empty()) report_unclosed();
    return trouble_;
  }

  std::optional<SyntaxTrouble> check_quote(std::size_t position) {
    if (position < text_.size() && text_[position] == '&') position = text_.find_first_of(" \t\r\n", position);
    at_ = text_.find_first_of("\"'", position);
    if (at_ < text_.size()) skip_quoted(text_[at_]);
    return trouble_;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  bool ends_word(char c) const { return is_blank(c) || c == '\n' || (!open_.empty() && is_bracket_or_comma(c)); }

  void step() {
    const char c = peek();
    if (c == '\n') return next_line();
    if (is_blank(c)) return void(++at_);
    if (c == '#' && (at_ == line_begin_ || is_blank(text_[at_ - 1]))) return skip_to_line_end();
    if (c == '"' || c == '\'') return skip_quoted(c);
    if (c == '[' || c == '{') return open_.push_back(at_++);
    if (c == ']' || c == '}') return close(c);
    if (c == ',' && !open_.empty()) return void(++at_);
    if ((c == '-' || c == '?' || c == ':') && ends_word(peek(1))) return void(++at_);
    if ((c == '|' || c == '>') && open_.empty()) return skip_block_text();
    skip_plain();
  }

  void next_line() {
    line_begin_ = ++at_;
    const std::size_t first = text_.find_first_not_of(" \t\r", at_);
    const std::size_t tab = text_.find('\t', at_);
    const bool has_words = first != std::string_view::npos && text_[first] != '\n' && text_[first] != '#';
    if (open_.empty() && has_words && tab < first) {
      trouble_ = {tab, "yaml-tab", "this line is indented with a tab", "indent with spaces"};
    }
  }

  void skip_to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void skip_quoted(char mark) {
    const std::size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      if (mark == '"' && peek() == '\\') {
        ++at_;
      } else if (peek() == mark) {
        if (mark == '\'' && peek(1) == '\'') {
          ++at_;
        } else {
          return void(++at_);
        }
      }
    }
    trouble_ = {begin, "yaml-unclosed", fmt::format("the quote {} that opens here is never closed", mark),
                fmt::format("close it with another {}", mark)};
  }

  void skip_plain() {
    for (; at_ < text_.size() && peek() != '\n'; ++at_) {
      const char c = peek();
      if (!open_.empty() && is_bracket_or_comma(c)) return;
      if (c == ':' && ends_word(peek(1))) return;
      if (c == '#' && is_blank(text_[at_ - 1])) return;
    }
  }

  // Text after "|" or ">": all following lines that are indented more than this one.
  void skip_block_text() {
    const std::size_t indent = text_.find_first_not_of(' ', line_begin_) - line_begin_;
    skip_to_line_end();
    while (at_ < text_.size()) {
      const std::size_t first = text_.find_first_not_of(' ', at_ + 1);
      if (first == std::string_view::npos) return void(at_ = text_.size());
      if (text_[first] != '\n' && first - (at_ + 1) <= indent) return;
      at_ = std::min(text_.find('\n', first), text_.size());
    }
  }

  void close(char c) {
    const char opener = c == ']' ? '[' : '{';
    if (open_.empty()) {
      trouble_ = {at_, "yaml-unclosed", fmt::format("this '{}' closes nothing", c), "delete it, or open it before"};
    } else if (text_[open_.back()] != opener) {
      report_unclosed();
    } else {
      open_.pop_back();
      ++at_;
    }
  }

  void report_unclosed() {
    const char opener = text_[open_.back()];
    trouble_ = {open_.back(), "yaml-unclosed", fmt::format("the '{}' that opens here is not closed", opener),
                fmt::format("close it with '{}'", opener == '[' ? ']' : '}')};
  }

  std::string_view text_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::vector<std::size_t> open_;
  std::optional<SyntaxTrouble> trouble_;
};

struct Translation {
  std::string_view library, what, fix;
};
constexpr std::string_view quote_it = "put text with special characters in quotes";
constexpr std::array translations{
    Translation{"end of map not found", "this line does not continue the mapping above it",
                "indent entries of one mapping alike, and write each as 'key: value'"},
    Translation{"end of sequence not found", "this line does not continue the list above it",
                "indent entries of one list alike, and begin each with '- '"},
    Translation{"end of map flow not found", "something inside { } is not 'key: value', or a comma is missing",
                "write {key: value, key: value}"},
    Translation{"end of sequence flow not found", "a comma is missing inside [ ]", "write [value, value]"},
    Translation{
        "illegal map value", "a ':' cannot stand here",
        "begin each 'key: value' on its own line, indented as its neighbours; put text that has ': ' in quotes"},
    Translation{"illegal map key", "a key cannot begin here", "indent entries of one mapping alike"},
    Translation{"illegal block entry", "a '- ' cannot begin a list here",
                "begin the list on its own line, or write it as [value, value]"},
    Translation{"illegal flow end", "this bracket closes nothing", "delete it, or open it before"},
    Translation{"unknown token", "no value can begin with this character", quote_it},
    Translation{"unknown escape character", "a backslash in double quotes begins an escape that YAML does not know",
                "use single quotes, or write \\\\ for a backslash"},
    Translation{"invalid unicode", "this escape is not a Unicode character", "write the character itself"},
    Translation{"bad character found while scanning hex", "this escape has too few hexadecimal digits",
                "write the character itself"},
    Translation{"the referenced anchor is not defined", "this alias names an anchor that is not defined before it",
                "define it as '&name value' first, or put text that begins with '*' in quotes"},
    Translation{"illegal document indicator in scalar", "a quoted text runs into '---' or '...'", "close the quote"},
    Translation{"illegal EOF in scalar", "a quoted text runs to the end of the file", "close the quote"},
    Translation{"bad file", "brackets or indentation are nested too deeply", "a model needs a depth of 8 at most"},
    Translation{"directive", "a line that begins with '%' cannot stand here", "delete it"},
    Translation{"alias", "a '*' begins an alias, but its name is missing or not alone", quote_it},
    Translation{"anchor", "a '&' begins an anchor, but its name is missing or not alone", quote_it},
    Translation{"tag", "a '!' begins a tag, which model files do not use", quote_it},
};

}  // namespace

std::optional<SyntaxTrouble> find_syntax_trouble(std::string_view text) { return Walk(text).run(); }

std::optional<SyntaxTrouble> find_unclosed_quote(std::string_view text, std::size_t position) {
  return Walk(text).check_quote(position);
}

SyntaxTrouble explain_syntax_error(const std::string& library_message, std::size_t position) {
  for (const Translation& t : translations) {
    if (library_message.find(t.library) != std::string::npos) {
      return {position, "yaml-syntax", std::string(t.what), std::string(t.fix)};
    }
  }
  return {position, "yaml-syntax", "this is not valid YAML", "see docs/formats/native.md for what a model looks like"};
}

}  // namespace trammel::readers
