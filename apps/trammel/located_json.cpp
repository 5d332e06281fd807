// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "located_json.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trammel::tool {
namespace {

using nlohmann::json;

// A character of the text; tells how far the parser has read.
class WatchedCharacter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedCharacter(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  WatchedCharacter& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const WatchedCharacter& other) const { return at_ == other.at_; }
  bool operator!=(const WatchedCharacter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Builds the tree from nlohmann's events. A token begins where, after the one before it, the first character stands that separates
// nothing; after a number the parser has read one character more, which is a separator if the text is JSON.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const JsonLimits& limits, Diagnostics& diagnostics)
      : limits_(limits),
        diagnostics_(diagnostics),
        begin_(text.data()),
        end_(text.data() + text.size()),
        reached_(text.data()),
        at_(text.data()) {
    if (text.starts_with("\xEF\xBB\xBF")) at_ += 3;
  }

  const char** reached() { return &reached_; }
  std::optional<LocatedJson> root() { return std::move(root_); }

  // What nlohmann calls. False ends the parsing.
  bool null() { return add({.kind = LocatedJson::Kind::null}); }
  bool boolean(bool) { return add({.kind = LocatedJson::Kind::boolean}); }
  bool number_integer(json::number_integer_t n) { return add_number(static_cast<double>(n)); }
  bool number_unsigned(json::number_unsigned_t n) { return add_number(static_cast<double>(n)); }
  bool number_float(double n, const std::string&) { return add_number(n); }
  bool string(std::string& text) { return add({.kind = LocatedJson::Kind::text, .text = std::move(text)}); }
  bool binary(json::binary_t&) { return false; }  // JSON has none
  bool start_object(std::size_t) { return open(LocatedJson::Kind::object); }
  bool start_array(std::size_t) { return open(LocatedJson::Kind::list); }
  bool key(std::string& key) {
    key_where_ = next_token();
    key_ = std::move(key);
    at_end_of_token();
    return true;
  }
  bool end_object() {
    find_duplicates(open_.back().items);
    return close();
  }
  bool end_array() { return close(); }
  bool parse_error(std::size_t read, const std::string& token, const json::exception& error) {
    if (error.id == 406) {  // out of range
      diagnostics_.error(next_token(), "json-syntax",
                         fmt::format("the number {} is beyond what a double holds",
                                     token.size() <= 40 ? token : token.substr(0, 40) + "…"),
                         "give a number of size 1.79e308 at most");
    } else {
      diagnostics_.error(count_to(begin_ + (read == 0 ? 0 : read - 1)), "json-syntax", "this is not JSON here",
                         limits_.form);
    }
    return false;
  }

 private:
  const JsonLimits& limits_;
  Diagnostics& diagnostics_;
  const char *begin_, *end_, *reached_;
  const char* at_;  // up to here lines and columns are counted
  SourceLocation here_{1, 1};
  const char* token_end_ = nullptr;
  std::vector<LocatedJson> open_;
  std::optional<LocatedJson> root_;
  std::string key_;
  SourceLocation key_where_{};
  std::size_t values_ = 0;

  SourceLocation next_token() {
    const char* begin = std::max(at_, token_end_);
    while (begin < end_ && std::string_view(" \t\r\n,:]}").find(*begin) != std::string_view::npos) ++begin;
    return count_to(begin);
  }
  SourceLocation count_to(const char* place) {
    for (; at_ < std::min(place, end_); ++at_) {
      if (*at_ == '\n') {
        ++here_.line, here_.column = 1;
      } else if ((static_cast<unsigned char>(*at_) & 0xC0) != 0x80) {  // a byte that begins a character
        ++here_.column;
      }
    }
    return here_;
  }
  void at_end_of_token() { token_end_ = reached_; }

  bool take(LocatedJson& value) {
    value.where = next_token();
    value.key = std::exchange(key_, {}), value.key_where = key_where_;
    at_end_of_token();
    if (++values_ <= limits_.values) return true;
    diagnostics_.error(value.where, "json-too-large", fmt::format("there are more than {} values", limits_.values),
                       limits_.form);
    return false;
  }
  bool add(LocatedJson value) {
    if (!take(value)) return false;
    keep(std::move(value));
    return true;
  }
  bool add_number(double number) { return add({.kind = LocatedJson::Kind::number, .number = number}); }
  void keep(LocatedJson value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
  }

  bool open(LocatedJson::Kind kind) {
    LocatedJson value{.kind = kind};
    if (!take(value)) return false;
    if (open_.size() == limits_.depth) {
      diagnostics_.error(value.where, "json-depth", "this is nested too deeply", limits_.form);
      return false;
    }
    open_.push_back(std::move(value));
    return true;
  }
  bool close() {
    at_end_of_token();
    LocatedJson value = std::move(open_.back());
    open_.pop_back();
    keep(std::move(value));
    return true;
  }

  void find_duplicates(const std::vector<LocatedJson>& items) {
    constexpr int most_told = 20;
    std::vector<const LocatedJson*> sorted;
    sorted.reserve(items.size());
    for (const LocatedJson& item : items) sorted.push_back(&item);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
    int told = 0;
    for (std::size_t i = 1; i < sorted.size() && told < most_told; ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      ++told;
      diagnostics_.error(sorted[i]->key_where, "json-duplicate-key", fmt::format("'{}' is given twice", sorted[i]->key),
                         "keep one of them");
    }
  }
};

}  // namespace

std::optional<LocatedJson> parse_located_json(std::string_view text, const JsonLimits& limits,
                                              Diagnostics& diagnostics) {
  TreeBuilder builder(text, limits, diagnostics);
  const bool is_json = json::sax_parse(WatchedCharacter(text.data(), builder.reached()),
                                       WatchedCharacter(text.data() + text.size(), builder.reached()), &builder);
  return is_json && !diagnostics.has_errors() ? builder.root() : std::nullopt;
}

}  // namespace trammel::tool
