// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_items.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trammel::readers::mjcf {

namespace {

const std::string top_name = "main";
// Of settings at the top, and of classes inside classes: each element looks through them.
constexpr std::size_t most_settings = 200, most_classes_deep = 50;

}  // namespace

Settings::Settings(std::vector<const Element*> elements) : elements_(std::move(elements)) {
  for (const Element* element : elements_)
    for (const Attribute& attribute : element->attributes) found_.emplace_back(attribute.name, &attribute);
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::stable_sort(found_.begin(), found_.end(), by_name);
  found_.erase(std::unique(found_.begin(), found_.end(), same_name), found_.end());  // keeps the innermost
  found_.shrink_to_fit();
}

const Attribute* Settings::find(std::string_view name) const {
  const auto at = std::lower_bound(found_.begin(), found_.end(), name,
                                   [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return at != found_.end() && at->first == name ? at->second : nullptr;
}

void Defaults::read(const Element& section, Report& report) { read_class(section, nullptr, report); }

void Defaults::read_class(const Element& section, const std::string* parent, Report& report) {
  const Attribute* named = section.find("class");
  std::string name = named == nullptr ? std::string{} : named->value;
  // All classes at the top are one, whatever they are called.
  if (parent == nullptr) {
    if (top_.empty()) top_ = name.empty() ? top_name : name;
    if (!name.empty() && name != top_) aliases_.insert(name);
    name = top_;
  }
  if (name.empty()) {
    report.error(section.place, "missing-attribute", "a <default> inside another has no 'class'",
                 "add class=\"name\"; only the outermost may do without");
    return;
  }
  if (parent != nullptr && named != nullptr && has(name)) {  // a name inside another class was given
    report.error(named->place, "name-duplicate", fmt::format("there are two default classes called {}", quote(name)),
                 "rename one of them");
    return;
  }
  Class& own = classes_[name];
  if (parent != nullptr) own.parent = *parent;
  own.depth = parent == nullptr ? 1 : classes_[*parent].depth + 1;
  if (own.depth > most_classes_deep) {
    report.error(section.place, "mjcf-classes-deep",
                 fmt::format("default classes are nested more than {} deep", most_classes_deep), "nest them less");
    return;
  }
  std::set<std::string> here;
  for (const Element& child : section.children) {
    if (child.name == "default") continue;
    if (!here.insert(child.name).second || own.settings.size() >= most_settings) {
      report.error(child.place, "mjcf-setting-twice",
                   fmt::format("default class {} has {} twice", quote(name), tag(child.name)), "put them together");
      continue;
    }
    own.settings.push_back(&child);
  }
  for (const Element& child : section.children)
    if (child.name == "default") read_class(child, &name, report);
}

std::vector<const Element*> Defaults::all_settings(const std::string& class_name) const {
  std::vector<const Element*> found;
  auto at = classes_.find(class_name.empty() || aliases_.count(class_name) > 0 ? top_ : class_name);
  for (; at != classes_.end(); at = classes_.find(at->second.parent)) {
    found.insert(found.end(), at->second.settings.rbegin(), at->second.settings.rend());
    if (at->second.parent.empty()) break;
  }
  return found;
}

const Settings& Defaults::settings(const std::string& class_name, const std::string& element) {
  return *gather(class_name.empty() || aliases_.count(class_name) > 0 ? top_ : class_name, element);
}

// Classes are nested 50 deep at most, so this does not go deep.
std::shared_ptr<const Settings> Defaults::gather(const std::string& class_name, const std::string& element) {
  std::shared_ptr<const Settings>& known = gathered_[class_name][element];
  if (known) return known;
  const auto at = classes_.find(class_name);
  std::vector<const Element*> elements;
  if (at != classes_.end()) {
    for (auto setting = at->second.settings.rbegin(); setting != at->second.settings.rend(); ++setting)
      if ((*setting)->name == element) elements.push_back(*setting);
  }
  const bool has_outer = at != classes_.end() && !at->second.parent.empty();
  const std::shared_ptr<const Settings> outer =
      has_outer ? gather(at->second.parent, element) : std::make_shared<const Settings>();
  if (elements.empty()) return gathered_[class_name][element] = outer;
  elements.insert(elements.end(), outer->elements().begin(), outer->elements().end());
  return gathered_[class_name][element] = std::make_shared<const Settings>(std::move(elements));
}

std::vector<std::string> Defaults::names() const {
  std::vector<std::string> list;
  for (const auto& [name, unused] : classes_) list.push_back(name);
  return list;
}

std::string Item::fmt_what(std::string_view attribute) const { return fmt::format("{} of {}", attribute, subject_); }

const Attribute* Item::find(std::string_view name) const {
  if (const Attribute* own = element_->find(name)) return own;
  return settings_ == nullptr ? nullptr : settings_->find(name);
}

std::vector<const Attribute*> Item::all(std::string_view name) const {
  std::vector<const Attribute*> list;
  if (settings_ != nullptr && settings_->find(name) != nullptr) {
    const std::vector<const Element*>& elements = settings_->elements();
    for (auto setting = elements.rbegin(); setting != elements.rend(); ++setting)
      if (const Attribute* set = (*setting)->find(name)) list.push_back(set);
  }
  if (const Attribute* own = element_->find(name)) list.push_back(own);
  return list;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    count += !space && !in_word;
    in_word = !space;
  }
  return count;
}

std::optional<std::vector<double>> parse_numbers(Report& report, const Attribute& attribute, const std::string& what) {
  return readers::read_numbers(report.messages(attribute.place.file), attribute, what, count_words(attribute.value));
}

std::optional<std::vector<double>> read_numbers(Report& report, const Item& item, std::string_view name,
                                                std::size_t n) {
  const Attribute* attribute = item.find(name);
  if (attribute == nullptr) return std::nullopt;
  return readers::read_numbers(report.messages(attribute->place.file), *attribute, item.what(name), n);
}

std::optional<double> read_number(Report& report, const Item& item, std::string_view name) {
  const auto numbers = read_numbers(report, item, name, 1);
  return numbers ? std::optional((*numbers)[0]) : std::nullopt;
}

std::optional<Vec3d> read_vector(Report& report, const Item& item, std::string_view name) {
  const auto n = read_numbers(report, item, name, 3);
  return n ? std::optional(Vec3d{(*n)[0], (*n)[1], (*n)[2]}) : std::nullopt;
}

std::optional<std::vector<double>> read_over(Report& report, const Item& item, std::string_view name,
                                             std::vector<double> numbers) {
  bool usable = true;
  for (const Attribute* attribute : item.all(name)) {
    const auto given = parse_numbers(report, *attribute, item.what(name));
    if (!given) {
      usable = false;
    } else if (given->empty() || given->size() > numbers.size()) {
      report.error(
          attribute->place, "list-length",
          fmt::format("{} needs 1 to {}, not {}", item.what(name), count_of(numbers.size(), "number"), given->size()),
          given->empty() ? "give the number" : "leave out the numbers that are too many");
      usable = false;
    } else {
      std::copy(given->begin(), given->end(), numbers.begin());
    }
  }
  return usable ? std::optional(numbers) : std::nullopt;
}

std::optional<std::size_t> read_word(Report& report, const Item& item, std::string_view name,
                                     const std::vector<std::string>& words) {
  const Attribute* attribute = item.find(name);
  if (attribute == nullptr) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), attribute->value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  report.error(attribute->place, "unknown-word",
               fmt::format("{} cannot be {}", item.what(name), quote(attribute->value)),
               report.guess_or(attribute->value, words, fmt::format("it may be {}", one_of(words))));
  return std::nullopt;
}

std::optional<bool> read_bool(Report& report, const Item& item, std::string_view name) {
  const auto word = read_word(report, item, name, {"false", "true"});
  return word ? std::optional(*word == 1) : std::nullopt;
}

std::optional<bool> read_tristate(Report& report, const Item& item, std::string_view name) {
  const auto word = read_word(report, item, name, {"false", "true", "auto"});
  return word && *word < 2 ? std::optional(*word == 1) : std::nullopt;
}

std::string read_text(const Item& item, std::string_view name) {
  const Attribute* attribute = item.find(name);
  return attribute == nullptr ? std::string{} : attribute->value;
}

void report_missing(Report& report, const Item& item, std::string_view name, std::string fix) {
  report.error(item.place(), "missing-attribute", fmt::format("{} has no '{}'", item.subject(), name), std::move(fix));
}

void tell_no_effect(Report& report, const Item& item, std::string_view name, std::string_view of_what) {
  const Attribute* given = item.element().find(name);
  if (given == nullptr) return;
  report.leave_out(given->place, fmt::format("'{}' of {}", name, of_what), "it has no effect in MuJoCo either");
}

}  // namespace trammel::readers::mjcf
