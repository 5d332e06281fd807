// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// An MJCF document as a tree of elements, with the files it includes put in their places. Every element and attribute
// knows its file, so that a message about an included file names that file; the model, which has one file only, gets
// the place of the <include> in the main file.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/readers.hpp>

#include "readers/xml_text.hpp"

namespace trammel::readers::mjcf {

struct Place {
  int file = 0;  // 0 is the main file
  SourceLocation at;
};

// Messages of the main file and of those it includes, and a tally of what is left out: each kind of thing is named once,
// with how often it stands in the files.
class Report {
 public:
  // Returns the number of the file. `included_at` is where the main file leads to it.
  int add_file(const std::string& name, SourceLocation included_at);
  std::vector<std::string> included_files() const;
  const std::string& file_name(int file) const { return files_[static_cast<std::size_t>(file)].name; }
  // A place in the main file, for the model: that of the <include> for what stands in an included file.
  SourceLocation in_main(const Place& place) const;

  void error(const Place& place, std::string id, std::string what, std::string fix);
  void warning(const Place& place, std::string id, std::string what, std::string fix);
  std::string guess_or(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise);
  bool has_errors() const;

  // Counts one `word` among the things of a kind that are left out: leave_out(p, "geom", "friction").
  void leave_out_attribute(const Place& place, const std::string& element, const std::string& attribute);
  // Counts one thing left out, with what the model lacks without it, and the elements in it.
  void leave_out(const Place& place, const std::string& what, const std::string& loss, int elements = 0);

  Messages& messages(int file) { return files_[static_cast<std::size_t>(file)].messages; }
  Diagnostics finish();

 private:
  struct File {
    std::string name;
    SourceLocation included_at;
    Messages messages;
  };
  struct Attributes {
    Place first;
    std::vector<std::pair<std::string, int>> counts;  // in the order they were met
  };
  struct Loss {
    Place first;
    std::string loss;
    int count = 0, elements = 0;
  };
  void tell_what_is_left_out();

  std::vector<File> files_;
  std::map<std::string, Attributes> attributes_;
  std::map<std::string, Loss> losses_;
};

struct Attribute : XmlAttribute {
  Place place;  // of its value

  Place name_place() const { return {place.file, where}; }
};

struct Element {
  std::string name;
  Place place;
  std::vector<Attribute> attributes;
  std::vector<Element> children;

  const Attribute* find(std::string_view attribute) const;
};

// Parses the text and puts included files in. False when nothing of the document can be used.
bool read_tree(std::string_view text, const std::string& file, const ReadOptions& options, Report& report,
               Element& root);

}  // namespace trammel::readers::mjcf
