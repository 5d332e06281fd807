// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/places.hpp"

#include <charconv>

#include <fmt/format.h>

#include <trammel/diagnostics.hpp>

#include "readers/messages.hpp"
#include "readers/yaml_fields.hpp"

namespace trammel::study {

using readers::Node;
using readers::quote;

namespace {

// A name up to a dot, a bracket or the end; in quotes, up to the closing one. False: a quote is not closed.
bool take_key(std::string_view text, std::size_t& i, std::string& key) {
  if (text[i] == '\'' || text[i] == '"') {
    const std::size_t end = text.find(text[i], i + 1);
    if (end == std::string_view::npos) return false;
    key = std::string(text.substr(i + 1, end - i - 1));
    i = end + 1;
    return true;
  }
  const std::size_t end = std::min(text.find_first_of(".[", i), text.size());
  key = std::string(text.substr(i, end - i));
  i = end;
  return true;
}

bool take_index(std::string_view text, std::size_t& i, std::size_t& index) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + i + 1, last, index);
  if (error != std::errc() || end == last || *end != ']') return false;
  i = static_cast<std::size_t>(end - text.data()) + 1;
  return true;
}

}  // namespace

std::optional<std::vector<PathStep>> parse_path(std::string_view text, std::string& wrong) {
  std::vector<PathStep> steps;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '[') {
      std::size_t index = 0;
      if (!take_index(text, i, index)) {
        wrong = "a bracket of it does not hold a number from 0 on";
        return std::nullopt;
      }
      steps.push_back({{}, index});
    } else {
      std::string key;
      if (!take_key(text, i, key)) {
        wrong = "a quote of it is not closed";
        return std::nullopt;
      }
      steps.push_back({key, std::nullopt});
    }
    if (i < text.size() && text[i] == '.') {
      if (++i == text.size()) steps.push_back({"", std::nullopt});
    } else if (i < text.size() && text[i] != '[') {
      wrong = "a dot or a bracket is missing in it";
      return std::nullopt;
    }
  }
  for (const PathStep& step : steps) {
    if (step.key.empty() && !step.index) wrong = "a name is missing in it";
  }
  if (steps.empty()) wrong = "it is empty";
  if (!wrong.empty()) return std::nullopt;
  return steps;
}

namespace {

// Byte of a line and a column, both from 1, the column in characters.
std::size_t byte_at(std::string_view text, SourceLocation where) {
  std::size_t i = 0;
  for (int line = 1; line < where.line && i != std::string_view::npos; ++line) {
    i = text.find('\n', i);
    if (i != std::string_view::npos) ++i;
  }
  if (i == std::string_view::npos) return text.size();
  for (int column = 1; column < where.column && i < text.size(); ++column) {
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u) ++i;
  }
  return i;
}

std::vector<std::string> keys_below(const Node& node) {
  std::vector<std::string> keys;
  for (const Node::Child& child : node.children) {
    if (child.key != nullptr) keys.push_back(child.key->text);
  }
  return keys;
}

// "bodies.crank", as far as the search came.
std::string so_far(const std::vector<PathStep>& steps, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    if (steps[k].index) {
      text += fmt::format("[{}]", *steps[k].index);
    } else {
      text += (text.empty() ? "" : ".") + steps[k].key;
    }
  }
  return text;
}

// The node one step further, or why there is none.
const Node* step_down(const Node& node, const std::vector<PathStep>& steps, std::size_t k, std::string_view whose,
                      SlotSearch& search) {
  const PathStep& step = steps[k];
  const std::string here = k == 0 ? std::string(whose) : fmt::format("{} of {}", quote(so_far(steps, k)), whose);
  if (step.index) {
    if (!node.is_list()) {
      search.what = fmt::format("{} is {}, which has no [{}]", here, readers::describe(node), *step.index);
      search.fix = "brackets count the numbers of a list, from 0";
      return nullptr;
    }
    if (*step.index >= node.children.size()) {
      search.what = fmt::format("{} has {}, and [{}] would be one more", here,
                                readers::count_of(node.children.size(), "value"), *step.index);
      search.fix = fmt::format("count from 0 to {}", node.children.size() - 1);
      return nullptr;
    }
    return node.children[*step.index].value;
  }
  const Node* next = node.is_map() ? node.find(step.key) : nullptr;
  if (next != nullptr) return next;
  search.what = fmt::format("{} has no {}", here, quote(step.key));
  const std::string near = did_you_mean(step.key, keys_below(node));
  search.fix = !near.empty()    ? fmt::format("did you mean {}?", quote(near))
               : node.is_list() ? "it is a list: take one of its numbers with [0]"
                                : "write it into the file first, with any number";
  return nullptr;
}

bool is_number(const Node& node) {
  if (!node.is_scalar() || node.quoted || node.text.empty()) return false;
  const std::size_t sign = node.text[0] == '+' ? 1 : 0;
  double x = 0;
  const char* const last = node.text.data() + node.text.size();
  const auto [end, error] = std::from_chars(node.text.data() + sign, last, x);
  return error == std::errc() && end == last;
}

}  // namespace

SlotSearch find_slot(std::string_view text, const Node& root, std::string_view path, std::string_view whose) {
  SlotSearch search;
  std::string wrong;
  const auto steps = parse_path(path, wrong);
  if (!steps) {
    search.what = fmt::format("{} is no place: {}", quote(path), wrong);
    search.fix = "write places such as bodies.crank.mass, points.A[0] or joints.'pin A'.friction.viscous";
    return search;
  }
  const Node* node = &root;
  for (std::size_t k = 0; k < steps->size(); ++k) {
    node = step_down(*node, *steps, k, whose, search);
    if (node == nullptr) return search;
  }
  if (!is_number(*node)) {
    search.what = fmt::format("{} of {} is {}, not a number", quote(path), whose, readers::describe(*node));
    search.fix = node->is_list() ? "take one of its numbers with [0]"
                                 : "name a place where a number stands; expressions cannot be varied";
    return search;
  }
  const Slot slot{byte_at(text, node->where), node->text.size()};
  if (text.substr(slot.begin, slot.length) != node->text) {
    search.what = fmt::format("{} of {} has an anchor or a tag before its number", quote(path), whose);
    search.fix = "write the number alone";
    return search;
  }
  search.slot = slot;
  return search;
}

std::string with_numbers(std::string_view text, const std::vector<Slot>& slots, const std::vector<double>& numbers) {
  std::string out;
  out.reserve(text.size() + 20 * slots.size());
  std::size_t done = 0;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    out += text.substr(done, slots[k].begin - done);
    out += fmt::format("{}", numbers[k]);
    done = slots[k].begin + slots[k].length;
  }
  out += text.substr(done);
  return out;
}

}  // namespace trammel::study
