// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of the KAM language, each with what it makes and how it is written. The page docs/formats/kam.md lists the same.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trammel::readers::kam {

enum class Word {
  dimension,
  base,
  body,
  link,
  revlut,
  prism,
  cylndr,
  sphere,
  planar,
  univrs,
  torque,
  force,
  fload,
  tload,
  motion,
  motout,
  loop,
  inang,
  inlen,
  system,
  end,
};

// What a name stands for.
enum class Kind { points, body, pair, load, motion, output, loop, input, system, nothing };

struct WordInfo {
  Word word;
  std::string_view text;       // as it is written
  Kind kind;                   // of what it makes
  std::string_view arguments;  // how they are written, for messages
};

// All of them but REMARK, which the reader of statements skips.
std::span<const WordInfo> all_words();
const WordInfo& info_of(Word word);
const WordInfo* find_word(std::string_view capital_text);
// For guesses.
const std::vector<std::string>& word_texts();

// "a body", "a pair", …
std::string_view describe(Kind kind);
// "revolute pair", …; of pairs only.
std::string_view title_of_pair(Word word);
bool takes_a_name(Word word);
// "REV1 = REVLUT/PT(N), PT(M)"
std::string form_of(Word word, std::string_view name);

}  // namespace trammel::readers::kam
