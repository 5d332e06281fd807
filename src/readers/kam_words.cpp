// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/kam_words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trammel::readers::kam {

namespace {

// In the order of the enumeration.
constexpr std::array words{
    WordInfo{Word::dimension, "DIMENSION", Kind::nothing, "PT(8)"},
    WordInfo{Word::base, "BASE", Kind::nothing, "PT(A), PT(B), PT(C)"},
    WordInfo{Word::body, "BODY", Kind::body, "PT(A), PT(B), PT(C)"},
    WordInfo{Word::link, "LINK", Kind::body, "PT(A), PT(C)"},
    WordInfo{Word::revlut, "REVLUT", Kind::pair, "PT(N), PT(M)"},
    WordInfo{Word::prism, "PRISM", Kind::pair, "PT(N), PT(M)"},
    WordInfo{Word::cylndr, "CYLNDR", Kind::pair, "PT(N), PT(M)"},
    WordInfo{Word::sphere, "SPHERE", Kind::pair, "PT(N)"},
    WordInfo{Word::planar, "PLANAR", Kind::pair, "PT(N), PT(M), PT(K)"},
    WordInfo{Word::univrs, "UNIVRS", Kind::pair, "PT(N), PT(M), PT(K)"},
    WordInfo{Word::torque, "TORQUE", Kind::load, "BODY(PT(I)), PT(A), PT(B)"},
    WordInfo{Word::force, "FORCE", Kind::load, "BODY(PT(I)), PT(A), PT(B)"},
    WordInfo{Word::fload, "FLOAD", Kind::load, "BODY(PT(I)), PT(A), PT(B)"},
    WordInfo{Word::tload, "TLOAD", Kind::load, "BODY(PT(I)), PT(A), PT(B)"},
    WordInfo{Word::motion, "MOTION", Kind::motion, "PAIR, PT(A), PT(B)"},
    WordInfo{Word::motout, "MOTOUT", Kind::output, "BODY, PT(I)"},
    WordInfo{Word::loop, "LOOP", Kind::loop, "PAIR, BODY, PAIR, ..., BODY, PAIR"},
    WordInfo{Word::inang, "INANG", Kind::input, "LOOP(PAIR)"},
    WordInfo{Word::inlen, "INLEN", Kind::input, "LOOP(PAIR)"},
    WordInfo{Word::system, "SYSTEM", Kind::system, "LOOP, ..."},
    WordInfo{Word::end, "END", Kind::nothing, ""},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (static_cast<std::size_t>(words[i].word) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const WordInfo> all_words() { return words; }

const WordInfo& info_of(Word word) { return words[static_cast<std::size_t>(word)]; }

const WordInfo* find_word(std::string_view capital_text) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const WordInfo& info) { return info.text == capital_text; });
  return found == words.end() ? nullptr : &*found;
}

const std::vector<std::string>& word_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> list{"REMARK"};
    for (const WordInfo& info : words) list.emplace_back(info.text);
    return list;
  }();
  return texts;
}

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::points:
      return "an array of points";
    case Kind::body:
      return "a body";
    case Kind::pair:
      return "a pair";
    case Kind::load:
      return "a load";
    case Kind::motion:
      return "a motion";
    case Kind::output:
      return "an output";
    case Kind::loop:
      return "a loop";
    case Kind::input:
      return "an input";
    case Kind::system:
      return "the system";
    case Kind::nothing:
      break;
  }
  return "nothing";
}

std::string_view title_of_pair(Word word) {
  switch (word) {
    case Word::revlut:
      return "revolute pair";
    case Word::prism:
      return "prismatic pair";
    case Word::cylndr:
      return "cylindric pair";
    case Word::sphere:
      return "spheric pair";
    case Word::planar:
      return "planar pair";
    case Word::univrs:
      return "universal pair";
    default:
      return "pair";
  }
}

bool takes_a_name(Word word) { return info_of(word).kind != Kind::nothing; }

std::string form_of(Word word, std::string_view name) {
  const WordInfo& info = info_of(word);
  const std::string arguments = info.arguments.empty() ? "" : fmt::format("/{}", info.arguments);
  if (!takes_a_name(word)) return fmt::format("{}{}", info.text, arguments);
  return fmt::format("{} = {}{}", name.empty() ? "NAME" : name, info.text, arguments);
}

}  // namespace trammel::readers::kam
