// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/xml_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "readers/yaml_text.hpp"

namespace trammel::readers {

namespace {

std::string clipped(std::string_view name) {
  const std::string text = quote(name);
  return text.substr(1, text.size() - 2);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// --- the bare text ------------------------------------------------------------------------------------------------

// Follows tags, comments, CDATA and quotes through a text closely enough to say which tag is not closed and where.
class MarkupScan {
 public:
  MarkupScan(std::string_view text, const XmlLimits& limits, Messages& messages)
      : text_(text), limits_(limits), messages_(messages), places_(text) {}

  bool run() {
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      messages_.error({1, 1}, "file-empty", "the file is empty", "check that it was saved");
      return false;
    }
    while (ok_) {
      const std::size_t from = at_;
      at_ = std::min(text_.find('<', from), text_.size());
      check_outside(from);
      if (ok_) check_references(from, at_);
      if (!ok_ || at_ == text_.size()) break;
      read_markup();
    }
    if (ok_ && !open_.empty()) {
      const Tag& tag = open_.back();
      fail(tag.position, "xml-syntax", fmt::format("the element <{}> is not closed", clipped(tag.name)),
           fmt::format("the file may be cut off; add </{}>", clipped(tag.name)));
    }
    if (ok_ && !had_element_)
      fail(0, "xml-syntax", "this is not XML: it has no elements", "check that this is the file");
    return ok_;
  }

 private:
  struct Tag {
    std::string_view name;
    std::size_t position = 0;
  };

  void fail(std::size_t position, std::string id, std::string what, std::string fix) {
    messages_.error(places_.at(position), std::move(id), std::move(what), std::move(fix));
    ok_ = false;
  }

  // Outside the root element stands nothing but white space.
  void check_outside(std::size_t from) {
    if (!open_.empty() || !had_element_) return;
    const std::size_t word = text_.substr(0, at_).find_first_not_of(" \t\r\n", from);
    if (word != std::string_view::npos) fail(word, "xml-syntax", "text stands outside the root element", "delete it");
  }

  // pugixml leaves references it does not know as they stand, and ends a value at &#0;.
  void check_references(std::size_t from, std::size_t to) {
    const std::string_view part = text_.substr(0, to);
    for (std::size_t at = part.find('&', from); ok_ && at < to; at = part.find('&', at + 1)) {
      const std::size_t end = part.substr(0, at + 12).find(';', at);
      const std::string_view name = part.substr(at + 1, end < to ? end - at - 1 : 0);
      if (is_character(name)) continue;
      fail(at, "xml-syntax", fmt::format("&{} stands for no character", name.empty() ? "" : clipped(name) + ";"),
           "write &amp; for the character &; known are &lt; &gt; &amp; &quot; &apos; and numbers such as &#65;");
    }
  }
  static bool is_character(std::string_view name) {
    for (const std::string_view known : {"lt", "gt", "amp", "quot", "apos"}) {
      if (name == known) return true;
    }
    if (!name.starts_with('#')) return false;
    const bool hexadecimal = name.starts_with("#x");
    const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size()) return false;
    return code != 0 && code <= 0x10FFFF;  // other characters that no text has are told of with their attribute
  }

  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  // Moves behind the end mark.
  void skip(std::string_view begin, std::string_view end, std::string_view what) {
    const std::size_t found = text_.find(end, at_ + begin.size());
    if (found == std::string_view::npos) {
      return fail(at_, "xml-syntax", fmt::format("{} is not closed", what), fmt::format("end it with {}", end));
    }
    at_ = found + end.size();
  }

  void read_markup() {
    if (starts("<!--")) return skip("<!--", "-->", "a comment");
    if (starts("<![CDATA[")) return skip("<![CDATA[", "]]>", "a CDATA section");
    if (starts("<?")) return skip("<?", "?>", "a processing instruction");
    if (starts("<!")) {
      return fail(at_, "xml-doctype", "the file has a DOCTYPE, whose entities are not read",
                  "delete the DOCTYPE and write what its entities stand for in full");
    }
    starts("</") ? read_end_tag() : read_start_tag();
  }

  std::string_view read_name(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != '>' && text_[end] != '/' && text_[end] != '<' &&
           text_[end] != '=') {
      ++end;
    }
    return text_.substr(from, end - from);
  }

  void read_end_tag() {
    const std::size_t begin = at_;
    const std::string_view name = read_name(at_ + 2);
    const std::size_t end = text_.find('>', at_);
    if (end == std::string_view::npos) {
      return fail(begin, "xml-syntax", fmt::format("the tag </{} is not closed", clipped(name)), "end it with >");
    }
    at_ = end + 1;
    if (open_.empty()) {
      return fail(begin, "xml-syntax", fmt::format("</{}> closes an element that was never opened", clipped(name)),
                  "delete it, or add the tag that opens the element");
    }
    if (open_.back().name != name) {
      return fail(begin, "xml-syntax",
                  fmt::format("</{}> stands where </{}> should, which is opened in line {}", clipped(name),
                              clipped(open_.back().name), PlaceFinder(text_).at(open_.back().position).line),
                  fmt::format("close <{}> first", clipped(open_.back().name)));
    }
    open_.pop_back();
  }

  void read_start_tag() {
    const std::size_t begin = at_;
    const std::string_view name = read_name(at_ + 1);
    if (name.empty()) {
      return fail(begin, "xml-syntax", "a '<' stands before something that is no tag", "write &lt; for the character");
    }
    at_ = begin + 1 + name.size();
    if (!skip_attributes(begin, name)) return;
    check_references(begin, at_);
    if (!ok_) return;
    const bool closes_itself = text_[at_ - 1] == '/';
    ++at_;
    had_element_ = true;
    if (++entries_ > limits_.max_entries) {
      return fail(begin, "xml-too-many-elements",
                  fmt::format("the file has more than {} elements and attributes", limits_.max_entries),
                  "check that this is a model file");
    }
    if (closes_itself) return;
    if (open_.size() >= limits_.max_depth) {
      return fail(begin, "xml-too-deep", fmt::format("elements are nested more than {} deep", limits_.max_depth),
                  "check that this is a model file");
    }
    open_.push_back({name, begin});
  }

  // Up to the '>' of a start tag, past quoted values.
  bool skip_attributes(std::size_t begin, std::string_view name) {
    while (at_ < text_.size() && text_[at_] != '>') {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        ++entries_;
        const std::size_t end = text_.find_first_of(c == '"' ? "\"<" : "'<", at_ + 1);
        if (end == std::string_view::npos || text_[end] == '<') {
          fail(at_, "xml-syntax", fmt::format("a value in <{}> has no closing quote", clipped(name)),
               fmt::format("end it with {}", c));
          return false;
        }
        at_ = end + 1;
      } else if (c == '<') {
        break;
      } else {
        ++at_;
      }
    }
    if (at_ < text_.size() && text_[at_] == '>') return true;
    fail(begin, "xml-syntax", fmt::format("the tag <{} is not closed", clipped(name)), "end it with > or />");
    return false;
  }

  std::string_view text_;
  const XmlLimits& limits_;
  Messages& messages_;
  PlaceFinder places_;
  std::size_t at_ = 0, entries_ = 0;
  std::vector<Tag> open_;
  bool ok_ = true, had_element_ = false;
};

// --- from pugixml's tree to ours --------------------------------------------------------------------------------

class Converter {
 public:
  Converter(const std::string& buffer, std::string_view text, Messages& messages)
      : buffer_(buffer), places_(text), messages_(messages) {}

  // Depth first without recursion; the depth was checked before.
  std::optional<XmlElement> run(const pugi::xml_document& document) {
    XmlElement root;
    bool found = false;
    for (pugi::xml_node node = document.first_child(); node; node = node.next_sibling()) {
      if (node.type() != pugi::node_element) continue;
      if (found) {
        messages_.error(place_before(node.name()), "xml-syntax",
                        fmt::format("a second root element {} follows {}", tag(node.name()), tag(root.name)),
                        "put all into one root element");
        return std::nullopt;
      }
      convert_below(node, root);
      found = true;
    }
    if (!found || broken_) return std::nullopt;
    return root;
  }

 private:
  void convert_below(const pugi::xml_node& top, XmlElement& root) {
    std::vector<XmlElement*> open{&root};
    convert_one(top, root);
    pugi::xml_node node = top;
    while (true) {
      pugi::xml_node next = node.first_child();
      while (!next && node != top) {
        next = node.next_sibling();
        if (node.type() == pugi::node_element) open.pop_back();
        if (!next) node = node.parent();
        if (!next && node == top) return;
      }
      if (!next) return;
      node = next;
      if (node.type() == pugi::node_element) {
        XmlElement& element = open.back()->children.emplace_back();
        convert_one(node, element);
        open.push_back(&element);
      } else if (open.back()->text_where.line == 0) {
        open.back()->text_where = place_of(node.value());
      }
    }
  }

  void convert_one(const pugi::xml_node& node, XmlElement& element) {
    element.name = node.name();
    element.where = place_before(node.name());
    std::unordered_set<std::string_view> seen;
    for (pugi::xml_attribute a = node.first_attribute(); a; a = a.next_attribute()) {
      const SourceLocation where = place_of(a.name());
      if (!seen.insert(a.name()).second) {
        messages_.error(where, "attribute-duplicate",
                        fmt::format("{} has the attribute {} twice", tag(element.name), quote(a.name())),
                        "delete one of them");
        continue;
      }
      element.attributes.push_back({a.name(), a.value(), where, place_of(a.value())});
      if (!is_clean_text(a.value())) {  // through &#…;
        messages_.error(
            element.attributes.back().value_where, "text-control-character",
            fmt::format("the attribute {} of {} has a character that no text has", quote(a.name()), tag(element.name)),
            "delete the reference that begins with &#");
        broken_ = true;
      }
    }
  }

  SourceLocation place_of(const char* text) {
    const std::ptrdiff_t offset = text - buffer_.data();
    return places_.at(offset < 0 ? 0 : static_cast<std::size_t>(offset));
  }
  SourceLocation place_before(const char* name) {
    SourceLocation where = place_of(name);
    --where.column;
    return where;
  }

  const std::string& buffer_;
  PlaceFinder places_;
  Messages& messages_;
  bool broken_ = false;
};

// --- numbers ------------------------------------------------------------------------------------------------------

std::string advice_for_number(std::string_view word) {
  if (word.find(',') != std::string_view::npos) return "write a decimal point; put spaces between numbers";
  if (word.find("${") != std::string_view::npos || word.find("$(") != std::string_view::npos) {
    return "this is an expression of xacro; run xacro first";
  }
  if (word.size() > 1 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) return "write it in decimal";
  double number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && rest != word.data() + word.size()) return "write the number alone, without a unit";
  return "write a number such as 2.5 or 1e-3";
}

bool is_special(std::string_view word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  std::string lower(word.substr(0, 9));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

bool begins_like_number(std::string_view word) {
  std::size_t i = 0;
  if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
  if (i < word.size() && word[i] == '.') ++i;
  return i < word.size() && word[i] >= '0' && word[i] <= '9';
}

std::optional<double> parse_number(Messages& messages, SourceLocation where, std::string_view word,
                                   const std::string& what) {
  if (is_special(word)) {
    messages.error(where, "number-not-finite", fmt::format("{} is {}", what, quote(word)), "give a finite number");
    return std::nullopt;
  }
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);  // from_chars does not take it
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool complete = end == digits.data() + digits.size() && begins_like_number(digits);
  if (complete && error == std::errc{}) return number;
  if (complete && error == std::errc::result_out_of_range) {
    messages.error(where, "number-not-finite", fmt::format("{} is {}, beyond what a double holds", what, quote(word)),
                   "give a number between 1e-300 and 1e300 in size, or 0");
  } else {
    messages.error(where, "not-a-number", fmt::format("{} must be a number, not {}", what, quote(word)),
                   advice_for_number(word));
  }
  return std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && is_space(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

}  // namespace

std::string tag(std::string_view name) { return "<" + clipped(name) + ">"; }

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes) {
    if (a.name == attribute) return &a;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view element) const {
  for (const XmlElement& e : children) {
    if (e.name == element) return &e;
  }
  return nullptr;
}

std::optional<XmlElement> parse_xml(std::string_view text, const XmlLimits& limits, Messages& messages) {
  if (!check_encoding(text, limits.max_bytes, messages)) return std::nullopt;
  text = without_bom(text);
  if (!MarkupScan(text, limits, messages).run()) return std::nullopt;
  std::string buffer(text);  // parsed in place, so that names and values keep their positions
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer_inplace(buffer.data(), buffer.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    std::string why = result.description();
    if (!why.empty()) why[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(why[0])));
    messages.error(PlaceFinder(text).at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))),
                   "xml-syntax", fmt::format("this is not XML: {}", why), "look at the text just before this place");
    return std::nullopt;
  }
  return Converter(buffer, text, messages).run(document);
}

std::optional<double> read_number(Messages& messages, const XmlAttribute& attribute, const std::string& what) {
  const auto numbers = read_numbers(messages, attribute, what, 1);
  if (!numbers) return std::nullopt;
  return numbers->front();
}

std::optional<std::vector<double>> read_numbers(Messages& messages, const XmlAttribute& attribute,
                                                const std::string& what, std::size_t count) {
  const std::vector<std::string_view> words = words_of(attribute.value);
  if (words.size() != count) {
    const std::string wanted = count == 1 ? "one number" : count_of(count, "number");
    std::string fix = words.size() < count ? "add the missing numbers" : "remove the extra numbers";
    if (count == 1 && words.empty()) fix = "write a number such as 2.5 or 1e-3";
    if (attribute.value.find(',') != std::string::npos) fix = "put spaces between the numbers, not commas";
    if (attribute.value.find('$') != std::string::npos) fix = advice_for_number(attribute.value);
    messages.error(attribute.value_where, "list-length",
                   fmt::format("{} must be {}, not {}", what, wanted, quote(attribute.value)), fix);
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = count == 1 ? what : fmt::format("number {} in {}", i + 1, what);
    if (const auto number = parse_number(messages, attribute.value_where, words[i], name)) numbers.push_back(*number);
  }
  if (numbers.size() != count) return std::nullopt;
  return numbers;
}

std::optional<Vec3d> read_vector(Messages& messages, const XmlAttribute& attribute, const std::string& what) {
  const auto numbers = read_numbers(messages, attribute, what, 3);
  if (!numbers) return std::nullopt;
  return Vec3d{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

void LeftOut::add(SourceLocation where, const std::string& id, const std::string& what, const std::string& fix) {
  const auto [found, is_new] = kinds_.try_emplace(what, Kind{where, id, fix, 0});
  ++found->second.count;
}

void LeftOut::tell(Messages& messages) const {
  for (const auto& [what, kind] : kinds_) {
    messages.warning(kind.first, kind.id,
                     kind.count == 1 ? fmt::format("{} is left out", what)
                                     : fmt::format("{} is left out, {} times in this file", what, kind.count),
                     kind.fix);
  }
}

void report_unknown(const XmlElement& element, const std::vector<std::string>& known_attributes,
                    const std::vector<std::string>& known_children, Messages& messages, LeftOut& left_out) {
  const auto knows = [](const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  const auto advice = [&](const std::string& word, const std::vector<std::string>& list, std::string_view noun) {
    std::string none = list.empty() ? fmt::format("no {} belong here", noun)
                                    : fmt::format("the {} here are {}", noun, fmt::join(list, ", "));
    return messages.guess_or(word, list, std::move(none));
  };
  for (const XmlAttribute& a : element.attributes) {
    if (knows(known_attributes, a.name)) continue;
    left_out.add(a.where, "unknown-attribute", fmt::format("the attribute {} of {}", quote(a.name), tag(element.name)),
                 advice(a.name, known_attributes, "attributes"));
  }
  for (const XmlElement& child : element.children) {
    if (knows(known_children, child.name)) continue;
    left_out.add(child.where, "unknown-element",
                 fmt::format("the element {} in {}", tag(child.name), tag(element.name)),
                 advice(child.name, known_children, "elements"));
  }
  if (element.text_where.line > 0) {
    left_out.add(element.text_where, "unknown-element", fmt::format("the text in {}", tag(element.name)),
                 "all is said in attributes; delete the text, or put it in a comment");
  }
}

}  // namespace trammel::readers
