// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Default classes, and the attributes of an element seen through them.
//
// A class holds settings for kinds of elements; a class inside another begins with what the outer one holds. An element
// takes its class from its own `class`, else from the nearest `childclass` of a body or frame around it, else from the
// class at the top. An attribute is then looked for in the element itself, in its class, and outwards to the top.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "readers/mjcf_tree.hpp"

namespace trammel::readers::mjcf {

// The settings of a class for elements of one name.
class Settings {
 public:
  Settings() = default;
  // Innermost class first, and within a class the later ones first.
  explicit Settings(std::vector<const Element*> elements);

  // What is said of an attribute by the innermost class that has it.
  const Attribute* find(std::string_view name) const;
  const std::vector<const Element*>& elements() const { return elements_; }

 private:
  std::vector<const Element*> elements_;
  std::vector<std::pair<std::string_view, const Attribute*>> found_;  // by name
};

class Defaults {
 public:
  // Reads one <default> at the top of the document.
  void read(const Element& section, Report& report);
  // The settings for elements of this name in a class, put together once for all who ask. An empty class is the one at
  // the top. The reference holds as long as this object; no more classes may be read.
  const Settings& settings(const std::string& class_name, const std::string& element);
  // All of them, whatever they are for, in the order of Settings::elements.
  std::vector<const Element*> all_settings(const std::string& class_name) const;
  bool has(const std::string& class_name) const {
    return classes_.count(class_name) > 0 || aliases_.count(class_name) > 0;
  }
  std::vector<std::string> names() const;

 private:
  struct Class {
    std::string parent;  // empty at the top
    std::vector<const Element*> settings;
    std::size_t depth = 1;
  };
  void read_class(const Element& section, const std::string* parent, Report& report);
  std::shared_ptr<const Settings> gather(const std::string& class_name, const std::string& element);

  std::map<std::string, Class> classes_;
  // By class, then by element. A class that adds nothing shares what the outer one has.
  std::unordered_map<std::string, std::unordered_map<std::string, std::shared_ptr<const Settings>>> gathered_;
  std::string top_;
  std::set<std::string> aliases_;  // other names of the class at the top
};

// An element with the settings of its class behind it.
class Item {
 public:
  Item(const Element& element, std::string subject) : element_(&element), subject_(std::move(subject)) {}
  Item(const Element& element, const Settings& settings, std::string subject)
      : element_(&element), settings_(&settings), subject_(std::move(subject)) {}
  Item(const Element& element, Settings&& settings, std::string subject) = delete;  // they must outlive it

  const Attribute* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // All that is said of an attribute, outermost class first, the element itself last.
  std::vector<const Attribute*> all(std::string_view name) const;
  const Element& element() const { return *element_; }
  const Place& place() const { return element_->place; }
  const std::string& subject() const { return subject_; }  // "joint 'knee'"
  std::string what(std::string_view attribute) const { return fmt_what(attribute); }

 private:
  std::string fmt_what(std::string_view attribute) const;

  const Element* element_;
  const Settings* settings_ = nullptr;  // null: it has no class
  std::string subject_;
};

// Typed values. Each says in a message what is wrong and returns nothing then, as it does when the attribute is missing.
std::size_t count_words(std::string_view text);
std::optional<std::vector<double>> parse_numbers(Report& report, const Attribute& attribute, const std::string& what);
std::optional<double> read_number(Report& report, const Item& item, std::string_view name);
// Exactly n numbers.
std::optional<std::vector<double>> read_numbers(Report& report, const Item& item, std::string_view name, std::size_t n);
std::optional<Vec3d> read_vector(Report& report, const Item& item, std::string_view name);
// Up to n numbers laid over those of the outer classes and these: where a list is shorter, the others stay.
std::optional<std::vector<double>> read_over(Report& report, const Item& item, std::string_view name,
                                             std::vector<double> numbers);
// One of the words, as its number in the list.
std::optional<std::size_t> read_word(Report& report, const Item& item, std::string_view name,
                                     const std::vector<std::string>& words);
std::optional<bool> read_bool(Report& report, const Item& item, std::string_view name);
// "true", "false", or nothing for "auto" and when it is missing.
std::optional<bool> read_tristate(Report& report, const Item& item, std::string_view name);
std::string read_text(const Item& item, std::string_view name);
void report_missing(Report& report, const Item& item, std::string_view name, std::string fix);
// An attribute of the element itself that MuJoCo does not look at either, "'axis' of a ball joint". What a class says is
// meant for other elements too.
void tell_no_effect(Report& report, const Item& item, std::string_view name, std::string_view of_what);

}  // namespace trammel::readers::mjcf
