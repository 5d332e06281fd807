// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/messages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace trammel::readers {

namespace {

constexpr std::size_t most_messages = 200;

auto order(const Diagnostic& d) { return std::tie(d.where.line, d.where.column, d.id, d.what); }

}  // namespace

void Messages::error(SourceLocation where, std::string id, std::string what, std::string fix) {
  ++errors_;
  add(Severity::error, where, std::move(id), std::move(what), std::move(fix));
}

void Messages::warning(SourceLocation where, std::string id, std::string what, std::string fix) {
  add(Severity::warning, where, std::move(id), std::move(what), std::move(fix));
}

void Messages::add(Severity severity, SourceLocation where, std::string id, std::string what, std::string fix) {
  // The first ones raised are kept, whatever their place: what comes later may well follow from them.
  if (kept_.size() < most_messages || (severity == Severity::error && errors_ == 1)) {
    kept_.push_back({severity, {}, where, std::move(what), std::move(fix), std::move(id)});
  } else {
    ++dropped_;
  }
}

std::string Messages::guess(std::string_view word, const std::vector<std::string>& candidates) {
  if (kept_.size() >= most_messages || candidates.size() > comparisons_left_) return {};
  comparisons_left_ -= candidates.size();
  return did_you_mean(word, candidates);
}

std::string Messages::guess_or(std::string_view word, const std::vector<std::string>& candidates,
                               std::string otherwise) {
  const std::string near = guess(word, candidates);
  return near.empty() ? std::move(otherwise) : fmt::format("did you mean {}?", quote(near));
}

Diagnostics Messages::finish(const std::string& file) const {
  std::vector<Diagnostic> sorted = kept_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return order(a) < order(b); });
  const auto repeated =
      std::unique(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return order(a) == order(b); });
  sorted.erase(repeated, sorted.end());

  Diagnostics diagnostics;
  diagnostics.file = file;
  for (const Diagnostic& d : sorted) {
    if (d.severity == Severity::error) diagnostics.error(d.where, d.id, d.what, d.fix);
    if (d.severity == Severity::warning) diagnostics.warning(d.where, d.id, d.what, d.fix);
  }
  if (dropped_ > 0) {
    const SourceLocation last = sorted.empty() ? SourceLocation{} : sorted.back().where;
    diagnostics.note(last, "too-many-messages", fmt::format("{} more messages are not shown", dropped_),
                     "mend these first; the others may follow from them");
  }
  return diagnostics;
}

std::string shortest(double number) {
  if (number == 0) number = 0;  // never "-0"
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} ? std::string(digits.data(), end) : std::string{};
}

std::string rounded(double number) { return fmt::format("{:.6g}", number); }

std::string one_of(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

std::string list_names(const std::vector<std::string>& names, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) list += (i == 0 ? "" : ", ") + quote(names[i]);
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  return list;
}

std::string count_of(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace trammel::readers
