// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How diagnostics are kept, put in order and printed; and the guess behind every "did you mean".

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <trammel/diagnostics.hpp>

namespace trammel {

namespace {

std::string_view word_for(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return {};
}

std::string place(const Diagnostic& d) {
  std::string text = d.file;
  if (d.where.line > 0) {
    text += ":" + std::to_string(d.where.line);
    if (d.where.column > 0) text += ":" + std::to_string(d.where.column);
  }
  return text;
}

bool says_the_same(const Diagnostic& a, const Diagnostic& b) {
  if (a.where.line > 0 && b.where.line == 0)
    return a.id == b.id && a.what == b.what;  // of an included file, told with its place
  return a.where.line > 0 && a.id == b.id && a.file == b.file && a.where.line == b.where.line &&
         a.where.column == b.where.column;
}

// Longer words than this are not typing mistakes, and comparing them would take time.
constexpr std::size_t longest_guessed = 40;
constexpr int most_edits = 3;

// Of ASCII letters; std::tolower asks the locale, at each letter of each pair of words.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edits (insert, drop, replace a letter, swap two neighbours; case does not count) that turn a into b; anything above
// `limit` is reported as limit + 1. Only entries within `limit` of the diagonal can matter.
int edit_distance(std::string_view a, std::string_view b, int limit) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), too_far = limit + 1;
  if (std::abs(n - m) > limit) return too_far;
  std::array<std::array<int, longest_guessed + 2>, 3> rows;
  auto *before_last = &rows[0], *last = &rows[1], *row = &rows[2];
  const auto letter = [](std::string_view word, int k) { return lower(word[static_cast<std::size_t>(k - 1)]); };
  for (int j = 0; j <= m; ++j) (*last)[static_cast<std::size_t>(j)] = std::min(j, too_far);
  for (int i = 1; i <= n; ++i) {
    const int first = std::max(1, i - limit), end = std::min(m, i + limit) + 1;
    int best = first == 1 && i <= limit ? i : too_far;
    (*row)[static_cast<std::size_t>(first - 1)] = best;
    (*row)[static_cast<std::size_t>(end)] = too_far;  // the next row looks at it
    for (int j = first; j < end; ++j) {
      const auto at = static_cast<std::size_t>(j);
      int edits = (*last)[at - 1] + (letter(a, i) == letter(b, j) ? 0 : 1);
      edits = std::min({edits, (*last)[at] + 1, (*row)[at - 1] + 1});
      if (i > 1 && j > 1 && letter(a, i) == letter(b, j - 1) && letter(a, i - 1) == letter(b, j)) {
        edits = std::min(edits, (*before_last)[at - 2] + 1);
      }
      (*row)[at] = std::min(edits, too_far);
      best = std::min(best, (*row)[at]);
    }
    if (best > limit) return too_far;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return (*last)[static_cast<std::size_t>(m)];
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = place(diagnostic);
  if (!text.empty()) text += ": ";
  text += word_for(diagnostic.severity);
  text += ": " + diagnostic.what + "\n  ";
  if (!diagnostic.fix.empty()) text += "fix: " + diagnostic.fix + "      ";
  return text + "[" + diagnostic.id + "]";
}

void Diagnostics::error(SourceLocation where, std::string id, std::string what, std::string fix) {
  all_.push_back({Severity::error, file, where, std::move(what), std::move(fix), std::move(id)});
}
void Diagnostics::warning(SourceLocation where, std::string id, std::string what, std::string fix) {
  all_.push_back({Severity::warning, file, where, std::move(what), std::move(fix), std::move(id)});
}
void Diagnostics::note(SourceLocation where, std::string id, std::string what, std::string fix) {
  all_.push_back({Severity::note, file, where, std::move(what), std::move(fix), std::move(id)});
}

// What was already said about a place is not said again: readers and compile() judge some things alike.
void Diagnostics::append(const Diagnostics& other) {
  const std::size_t own = all_.size();
  for (const Diagnostic& d : other.all_) {
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(own);
    const bool said = std::any_of(all_.begin(), end, [&d](const Diagnostic& o) { return says_the_same(o, d); });
    if (!said) all_.push_back(d);
  }
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string Diagnostics::to_string() const {
  std::vector<const Diagnostic*> ordered;
  ordered.reserve(all_.size());
  for (const Diagnostic& d : all_) ordered.push_back(&d);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->file, a->where.line, a->where.column) < std::tie(b->file, b->where.line, b->where.column);
  });
  std::string text;
  for (const Diagnostic* d : ordered) text += trammel::to_string(*d) + "\n";
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > longest_guessed) return {};
  // About a third of the letters may be wrong; in a word of one or two letters only their case.
  const int letters = static_cast<int>(word.size());
  const int limit = letters < 3 ? 0 : std::min(most_edits, (letters + 1) / 3);
  const std::string* nearest = nullptr;
  int nearest_edits = limit + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_guessed) continue;
    const int edits = edit_distance(word, candidate, nearest_edits - 1);  // only a nearer one counts
    if (edits < nearest_edits) {
      nearest = &candidate;
      nearest_edits = edits;
    }
    if (nearest_edits == 0) break;
  }
  return nearest == nullptr ? std::string{} : *nearest;
}

}  // namespace trammel
