// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_keys.hpp"
#include "readers/yaml_text.hpp"

namespace trammel::readers {

namespace {

constexpr std::size_t longest_name = 200;  // bytes

bool is_known(std::string_view key, const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string list_keys(const std::vector<std::string>& keys) {
  return keys.empty() ? "no keys belong here" : "the keys here are " + fmt::format("{}", fmt::join(keys, ", "));
}

bool is_hexadecimal_or_octal(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos;
}

std::string advice_for_number(const Node& node) {
  if (node.quoted) return "leave out the quotes";
  const std::string_view text = node.text;
  if (is_hexadecimal_or_octal(text)) return "write it in decimal";
  if (text.find(',') != std::string_view::npos) return "write a decimal point, not a comma";
  if (begins_like_a_number(text) && text.find('_') != std::string_view::npos) return "leave out the '_'";
  if (text.find("pi") != std::string_view::npos)
    return "write the number; angles may be in degrees: units: {angle: deg}";
  if (begins_like_a_number(text)) return "write the number alone; units are given once, under 'units'";
  return "write a number such as 2.5 or 1e-3";
}

// Reports an unknown key; returns the known one that was meant, or nothing.
std::string report_unknown_key(Reading& r, const Node::Child& child, const std::vector<std::string>& keys,
                               const std::string& subject) {
  const std::string& key = child.key->text;
  std::string meant = translate_key(key, keys);
  if (meant.empty()) meant = r.messages.guess(key, keys);
  std::string fix = meant.empty() ? list_keys(keys) : fmt::format("did you mean '{}'?", meant);
  // {mass:2} is one word in YAML, {mass: 1,5} two entries.
  const std::string before_colon = key.substr(0, key.find(':'));
  if (before_colon != key && is_known(before_colon, keys)) {
    meant = before_colon;
    fix = "put a space after the ':'";
  } else if (child.value->is_null() && !key.empty() && key.find_first_not_of("0123456789") == std::string::npos) {
    fix = "write a decimal point, not a comma";
  }
  r.messages.error(child.key->where, "unknown-key", fmt::format("{} has no key {}", subject, quote(key)), fix);
  return meant;
}

}  // namespace

Fields::Fields(Reading& reading, const Node& node, std::string_view section, std::string subject,
               const std::vector<const Node*>& reported)
    : node_(&node), subject_(std::move(subject)) {
  const std::vector<std::string>& keys = keys_of(section);
  if (!node.is_map()) {
    usable_ = false;
    reading.messages.error(node.where, "wrong-type",
                           fmt::format("{} must be a mapping, not {}", subject_, describe(node)),
                           fmt::format("write {{key: value, …}}; {}", list_keys(keys)));
    return;
  }
  for (const Node::Child& child : node.children) {
    if (is_known(child.key->text, keys)) continue;
    if (std::find(reported.begin(), reported.end(), child.key) != reported.end()) continue;
    misspelt_.push_back(report_unknown_key(reading, child, keys, subject_));
  }
}

void Fields::report_missing(Reading& reading, std::string_view key, std::string fix) const {
  if (!usable_ || std::find(misspelt_.begin(), misspelt_.end(), key) != misspelt_.end()) return;
  reading.messages.error(node_->where, "missing-key", fmt::format("{} has no '{}'", subject_, key), std::move(fix));
}

bool is_not_finite(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  std::string lower(text.substr(0, 9));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

bool begins_like_a_number(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  if (i < text.size() && text[i] == '.') ++i;
  return i < text.size() && is_digit(text[i]);
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return node.children.empty() ? "an empty list" : "a list of " + count_of(node.children.size(), "value");
    case Node::Kind::map:
      return node.children.empty() ? "an empty mapping" : "a mapping";
    case Node::Kind::scalar:
      break;
  }
  const bool number = !node.quoted && begins_like_a_number(node.text);
  return (number ? "" : "the text ") + quote(node.text);
}

std::optional<double> read_plain_number(Reading& r, const Node& node, const std::string& what) {
  if (!node.is_scalar() || node.quoted) {
    r.messages.error(node.where, "not-a-number", fmt::format("{} must be a number, not {}", what, describe(node)),
                     advice_for_number(node));
    return std::nullopt;
  }
  std::string_view text = node.text;
  if (is_not_finite(text)) {
    r.messages.error(node.where, "number-not-finite", fmt::format("{} is {}", what, quote(text)),
                     "give a finite number");
    return std::nullopt;
  }
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // from_chars does not take it
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool complete = end == text.data() + text.size() && begins_like_a_number(text);
  if (complete && error == std::errc::result_out_of_range) {
    r.messages.error(node.where, "number-not-finite",
                     fmt::format("{} is {}, beyond what a double holds", what, quote(node.text)),
                     "give a number between 1e-300 and 1e300 in size, or 0");
    return std::nullopt;
  }
  if (!complete || error != std::errc{}) {
    r.messages.error(node.where, "not-a-number", fmt::format("{} must be a number, not {}", what, describe(node)),
                     advice_for_number(node));
    return std::nullopt;
  }
  return number;
}

std::optional<double> read_number(Reading& r, const Node& node, const std::string& what, const Dimension& dimension) {
  const std::optional<double> number = read_plain_number(r, node, what);
  if (!number) return std::nullopt;
  const double si = r.model.units.in_si(*number, dimension);
  if (!std::isfinite(si)) {
    r.messages.error(node.where, "number-not-finite",
                     fmt::format("{} is {} {}, beyond what a double holds in SI units", what, quote(node.text),
                                 r.model.units.name(dimension)),
                     "give a smaller number");
    return std::nullopt;
  }
  return si;
}

std::optional<double> read_not_negative(Reading& r, const Node& node, const std::string& what,
                                        const Dimension& dimension) {
  const auto number = read_number(r, node, what, dimension);
  if (!number || *number >= 0) return number;
  r.messages.error(node.where, "number-negative", what + " is negative", "give 0 or more");
  return std::nullopt;
}

std::optional<double> read_positive(Reading& r, const Node& node, const std::string& what, const Dimension& dimension) {
  const auto number = read_number(r, node, what, dimension);
  if (!number || *number > 0) return number;
  const std::string unit = dimension == dimension::none ? "" : " " + r.model.units.name(dimension);
  r.messages.error(node.where, "number-not-positive",
                   fmt::format("{} must be more than 0, not {}{}", what, node.text, unit), "give a number above 0");
  return std::nullopt;
}

std::optional<std::vector<double>> read_numbers(Reading& r, const Node& node, const std::string& what,
                                                const std::vector<Dimension>& dimensions) {
  const std::string wanted = fmt::format("a list of {}", count_of(dimensions.size(), "number"));
  if (!node.is_list()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be {}, not {}", what, wanted, describe(node)),
                     "write [number, number, …]");
    return std::nullopt;
  }
  if (node.children.size() != dimensions.size()) {
    r.messages.error(node.where, "list-length",
                     fmt::format("{} must be {}, not {}", what, wanted, node.children.size()),
                     node.children.size() < dimensions.size() ? "add the missing numbers" : "remove the extra numbers");
    return std::nullopt;
  }
  std::vector<double> numbers;
  numbers.reserve(dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto number =
        read_number(r, *node.children[i].value, fmt::format("number {} in {}", i + 1, what), dimensions[i]);
    if (number) numbers.push_back(*number);
  }
  if (numbers.size() != dimensions.size()) return std::nullopt;
  return numbers;
}

std::optional<Vec3d> read_vector(Reading& r, const Node& node, const std::string& what, const Dimension& dimension) {
  const auto numbers = read_numbers(r, node, what, {dimension, dimension, dimension});
  if (!numbers) return std::nullopt;
  return Vec3d{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

std::optional<bool> read_bool(Reading& r, const Node& node, const std::string& what) {
  if (node.is_scalar() && !node.quoted && node.text == "true") return true;
  if (node.is_scalar() && !node.quoted && node.text == "false") return false;
  r.messages.error(node.where, "wrong-type", fmt::format("{} must be true or false, not {}", what, describe(node)),
                   "write true or false");
  return std::nullopt;
}

std::optional<std::string> read_text(Reading& r, const Node& node, const std::string& what) {
  if (node.is_scalar()) return node.text;
  r.messages.error(node.where, "wrong-type", fmt::format("{} must be text, not {}", what, describe(node)),
                   "write a word, or text in quotes");
  return std::nullopt;
}

std::optional<std::string> read_word(Reading& r, const Node& node, const std::string& what,
                                     const std::vector<std::string>& words) {
  if (node.is_scalar() && is_known(node.text, words)) return node.text;
  r.messages.error(node.where, "word-unknown",
                   fmt::format("{} must be {}, not {}", what, one_of(words), describe(node)),
                   node.is_scalar() ? r.messages.guess_or(node.text, words, "write one of them") : "write one of them");
  return std::nullopt;
}

std::optional<std::pair<std::string, std::string>> read_two_names(Reading& r, const Node& node, const std::string& what,
                                                                  std::string_view example) {
  const auto is_name = [](const Node::Child& c) { return c.value->is_scalar(); };
  if (node.is_list() && node.children.size() == 2 && std::all_of(node.children.begin(), node.children.end(), is_name)) {
    return std::pair(node.children[0].value->text, node.children[1].value->text);
  }
  r.messages.error(node.where, "wrong-type",
                   fmt::format("{} must be a list of two names, not {}", what, describe(node)),
                   fmt::format("write {}", example));
  return std::nullopt;
}

bool check_section(Reading& r, const Node& section, std::string_view name, std::string_view example) {
  if (section.is_map()) return true;
  if (!section.is_null()) {
    r.messages.error(section.where, "wrong-type", fmt::format("{} must be a mapping, not {}", name, describe(section)),
                     fmt::format("write {}: {}", name, example));
  }
  return false;
}

bool check_name(Reading& r, const Node& key, std::string_view kind) {
  const std::string& name = key.text;
  const auto is_control = [&](std::size_t i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool c1 = byte == 0xC2 && i + 1 < name.size() && static_cast<unsigned char>(name[i + 1]) < 0xA0;
    return byte < 0x20 || byte == 0x7F || c1;
  };
  if (name.empty()) {
    r.messages.error(key.where, "name-empty", fmt::format("a {} has an empty name", kind), "give it a name");
    return false;
  }
  if (!key.quoted && (name.find(" {") != std::string::npos || name.find(" [") != std::string::npos)) {
    r.messages.error(key.where, "yaml-syntax",
                     fmt::format("the name {} of a {} has an open bracket", quote(name), kind),
                     "put a ':' before the bracket; or put the name in quotes");
    return false;
  }
  if (name.size() > longest_name) {
    r.messages.error(key.where, "name-too-long",
                     fmt::format("the name {} of a {} has {} bytes; at most {} are allowed", quote(name), kind,
                                 name.size(), longest_name),
                     "choose a shorter name");
    return false;
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_control(i)) continue;
    r.messages.error(key.where, "name-control-character",
                     fmt::format("the name {} of a {} has a control character", quote(name), kind), "delete it");
    return false;
  }
  if (!is_clean_text(name)) {  // by an escape: "\uFEFF"
    r.messages.error(key.where, "name-control-character",
                     fmt::format("the name {} of a {} has an invisible character", quote(name), kind), "delete it");
    return false;
  }
  return true;
}

std::optional<BodyRef> find_body(Reading& r, const Node& node, const std::string& name, const std::string& what) {
  if (name == ground_name) return BodyRef{.is_ground = true};
  if (const auto index = r.bodies.find(name)) return BodyRef{.index = *index};
  std::string meant = r.messages.guess(name, {std::string(ground_name)});
  if (meant.empty()) meant = r.messages.guess(name, r.bodies.list());
  const std::string otherwise =
      r.bodies.list().empty() ? "add it under 'bodies'" : "name a body of the file, or ground";
  r.messages.error(node.where, "body-unknown", fmt::format("{} names a body {} that is not there", what, quote(name)),
                   meant.empty() ? otherwise : fmt::format("did you mean {}?", quote(meant)));
  return std::nullopt;
}

std::optional<BodyRef> read_body(Reading& r, const Node& node, const std::string& what) {
  if (node.is_scalar()) return find_body(r, node, node.text, what);
  r.messages.error(node.where, "wrong-type", fmt::format("{} must be the name of a body, not {}", what, describe(node)),
                   "write the name of a body, or ground");
  return std::nullopt;
}

Transformd design_pose(const Reading& r, const BodyRef& body) {
  return body.is_ground ? Transformd{} : r.model.bodies[body.index].X_WB;
}

}  // namespace trammel::readers
