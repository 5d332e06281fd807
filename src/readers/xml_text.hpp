// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// XML as a tree of elements with their places, for the formats that are written in it, and typed access to attributes.
// The bare text is looked through before pugixml sees it: encoding, size, depth, the number of elements, tags that do
// not match, and DOCTYPE, which is refused: an entity that a file declares could stand for a billion laughs.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/spatial/vector.hpp>

#include "readers/messages.hpp"

namespace trammel::readers {

struct XmlAttribute {
  std::string name, value;
  SourceLocation where;        // of its name
  SourceLocation value_where;  // of the first character in the quotes
};

struct XmlElement {
  std::string name;
  SourceLocation where;  // of its '<'
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  SourceLocation text_where;  // of text between its tags; line 0 if there is none

  const XmlAttribute* find(std::string_view attribute) const;
  // The first child of that name.
  const XmlElement* child(std::string_view element) const;
};

struct XmlLimits {
  std::size_t max_bytes = 4u << 20;
  std::size_t max_depth = 100;        // elements inside elements; the tree is destroyed by recursion
  std::size_t max_entries = 300'000;  // elements and attributes together: 150 MB
};

// The root element of a document, or nothing, with a message that says why. Attributes that repeat are reported and
// left out.
std::optional<XmlElement> parse_xml(std::string_view text, const XmlLimits& limits, Messages& messages);

// "<link>", safe to print as quote() is.
std::string tag(std::string_view name);

// One number as the file has it: digits in full, finite. `what` names the value in messages: "mass of link 'arm'".
std::optional<double> read_number(Messages& messages, const XmlAttribute& attribute, const std::string& what);
// As many numbers as wanted, with white space between them.
std::optional<std::vector<double>> read_numbers(Messages& messages, const XmlAttribute& attribute,
                                                const std::string& what, std::size_t count);
std::optional<Vec3d> read_vector(Messages& messages, const XmlAttribute& attribute, const std::string& what);

// What a reader leaves out. Each kind of thing is named once, where it stands first, with how often it comes.
class LeftOut {
 public:
  // `what` says what is left out, in the singular: "the element <gazebo> in <robot>"; things with the same words are one
  // kind.
  void add(SourceLocation where, const std::string& id, const std::string& what, const std::string& fix);
  void tell(Messages& messages) const;

 private:
  struct Kind {
    SourceLocation first;
    std::string id, fix;
    int count = 0;
  };
  std::map<std::string, Kind> kinds_;
};

// Warns of attributes, child elements and text of an element that nobody reads.
void report_unknown(const XmlElement& element, const std::vector<std::string>& known_attributes,
                    const std::vector<std::string>& known_children, Messages& messages, LeftOut& left_out);

}  // namespace trammel::readers
