// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of a KAM program, apart from its listing, so that one listing serves many sets of them: NAME = number, number …, for
// names of the listing, and UNITS/ and GRAVTY/. They stand after END or in a file of their own; where both are there, the
// file comes second and its numbers hold.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <trammel/units.hpp>

#include "readers/kam_listing.hpp"

namespace trammel::readers::kam {

struct DataEntry {
  struct Number {
    double value = 0;
    SourceLocation where;
  };
  std::vector<Number> numbers;
  SourceLocation where;  // of the name
  SourceLocation end;    // behind the last number
  bool is_sound = true;  // false: it has a mistake that was reported
};

struct DataPart {
  explicit DataPart(Messages& for_messages) : messages(&for_messages) {}

  Messages* messages;
  Units units;
  bool has_units = false, is_empty = true;
  std::optional<DataEntry> gravity;
  std::map<PointId, DataEntry> points;
  std::unordered_map<std::string, DataEntry> names;
};

// Reads statements to the end of the text.
void read_data(StatementReader& reader, const Listing& listing, DataPart& part);

}  // namespace trammel::readers::kam
