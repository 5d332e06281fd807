// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A robot file. Its first line says the version:
//   2.0.3, 2.1   Graphics_Models{…}  System{ StaticRefMember{…} | DynamicRefMember{…}  Articulation{…} … }
//   3.0, 4.0     Articulation{ reference system, links }   or   ClosedArticulation{ reference system, TreeStructure{…}, SecondaryJoints{…} }
// DynaMechs reads no further than the first articulation, or than System and Graphics_Models; so is it here.

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "readers/dm_reading.hpp"

namespace trammel::readers::dm {
namespace {

constexpr std::string_view mark = "# DynaMechs V";
const std::vector<std::string> versions{"2.0.3", "2.1", "3.0", "4.0"};

// The version that the first line says; empty, with a message, where it is none.
std::string read_version(std::string_view text, Messages& messages) {
  std::string_view line = text.substr(0, text.find('\n'));
  line.remove_prefix(mark.size());
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(word);
  const std::string version = words.empty() ? "" : words[0];
  if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
    messages.error(
        {1, 1}, "dm-version",
        version.empty() ? "the first line does not say the version"
                        : fmt::format("version {} is not known", quote(version)),
        fmt::format("the versions are {}; write # DynaMechs V 4.0 ascii if its blocks are those", one_of(versions)));
    return {};
  }
  if (words.size() != 2 || words[1] != "ascii") {
    messages.warning({1, 1}, "dm-version",
                     fmt::format("the first line is not '{} {} ascii', which DynaMechs asks for", mark, version),
                     "correct it; the rest is read as that version");
  }
  return version;
}

const Block* find_block(const Block& in, std::string_view name) {
  const auto found =
      std::find_if(in.blocks.begin(), in.blocks.end(), [name](const Block& b) { return b.name == name; });
  return found == in.blocks.end() ? nullptr : &*found;
}

bool is_articulation(const Block& block) { return block.name == "Articulation" || block.name == "ClosedArticulation"; }

bool is_done(const Block& top) {
  if (std::any_of(top.blocks.begin(), top.blocks.end(), is_articulation)) return true;
  return find_block(top, "System") != nullptr && find_block(top, "Graphics_Models") != nullptr;
}

void read_graphics_list(Reading& r, const Block& block) {
  Fields fields(block, "Graphics_Models", r.messages);
  if (const Parameter* list = fields.find("Number_Graphics_Models")) {
    for (const Value& value : list->values) {
      if (value.kind == Value::Kind::text) r.graphics.emplace_back(value.text);
    }
    const bool has_count = !list->values.empty() && list->values[0].kind == Value::Kind::number;
    if (!has_count || list->values[0].number != static_cast<double>(r.graphics.size()) ||
        list->values.size() != r.graphics.size() + 1) {
      r.messages.warning(
          list->where, "dm-graphics",
          fmt::format("Number_Graphics_Models does not count what follows: {}", count_of(r.graphics.size(), "file")),
          "write the number, then each file in quotes");
    }
  }
  fields.tell_unread();
}

void use_name(Reading& r, Fields& fields) {
  const auto name = fields.text("Name");
  if (name && !name->empty() && r.is_main) r.model().name = *name;
}

void read_system(Reading& r, const Block& block) {
  Fields fields(block, "System", r.messages);
  use_name(r, fields);
  fields.tell_unread();
  Articulation articulation;
  Link base = articulation.root;
  bool has_base = false;
  for (const Block& child : block.blocks) {
    if (child.name != "StaticRefMember" && child.name != "DynamicRefMember") continue;
    if (has_base) {
      r.messages.error(child.where, "dm-block", "the system has a second reference member", "delete one of them");
      continue;
    }
    has_base = true;
    base = read_reference_member(r, articulation, child);
  }
  if (!has_base) {
    r.messages.error(block.where, "dm-missing", "the system has no reference member",
                     "add StaticRefMember { … } or DynamicRefMember { … }");
  }
  // Chains of a system all stand on its base; a chain may also stand in the system itself.
  read_chain(r, articulation, block, base, "");
}

void read_articulation(Reading& r, const Block& block) {
  const bool is_closed = block.name == "ClosedArticulation";
  Fields fields(block, std::string(block.name), r.messages);
  use_name(r, fields);
  tell_graphics_of_ground(r, fields);
  Articulation articulation;
  articulation.draws_initial = is_closed;
  articulation.root.X_BL = articulation.root.X_WL = read_pose(fields);
  fields.tell_unread();
  if (!is_closed) return read_chain(r, articulation, block, articulation.root, "");
  const Block* tree = find_block(block, "TreeStructure");
  const Block* joints = find_block(block, "SecondaryJoints");
  if (tree == nullptr) {
    r.messages.error(block.where, "dm-missing", "ClosedArticulation has no TreeStructure",
                     "add TreeStructure { … } with its links");
    return;
  }
  Fields(*tree, "TreeStructure", r.messages).tell_unread();
  read_chain(r, articulation, *tree, articulation.root, "");
  if (joints != nullptr) read_secondary_joints(r, articulation, *joints);
  for (const Block& child : block.blocks) {
    if (&child == tree || &child == joints) continue;
    r.messages.error(child.where, "dm-block",
                     fmt::format("{} does not stand in a ClosedArticulation", quote(child.name)),
                     "it holds one TreeStructure { … } and one SecondaryJoints { … }");
  }
}

void tell_names(Reading& r) {
  if (const Reading::Renamed& list = r.unnamed; !list.names.empty()) {
    r.messages.warning(
        list.first, "dm-names",
        fmt::format("{} no name, called {}",
                    list.names.size() == 1 ? "a link has" : fmt::format("{} links have", list.names.size()),
                    list_names(list.names)),
        "give it a Name");
  }
  if (const Reading::Renamed& list = r.repeated; !list.names.empty()) {
    r.messages.warning(
        list.first, "dm-names",
        fmt::format("{} the name of another, called {}",
                    list.names.size() == 1 ? "a link has" : fmt::format("{} links have", list.names.size()),
                    list_names(list.names)),
        "give each link a name of its own; ground means the world");
  }
}

}  // namespace

std::string UniqueNames::take(const std::string& wanted) {
  constexpr std::size_t longest = 200;
  std::string stem = wanted;
  if (stem.size() > longest - 10) {
    std::size_t end = longest - 10;
    while (end > 0 && !begins_character(stem[end])) --end;
    if (stem.size() > longest || taken_.contains(stem)) stem.resize(end);
  }
  std::string name = stem;
  for (int& next = next_[stem]; !taken_.insert(name).second;) {
    next = std::max(next, 1) + 1;
    name = fmt::format("{} {}", stem, next);
  }
  return name;
}

void read_robot(Shared& shared, std::string_view text, bool is_main, Messages& messages) {
  if (read_version(text, messages).empty()) return;
  const Document document = parse(text, messages, is_done);
  if (!document.is_whole) return;
  Reading r{shared, messages, is_main};
  if (const Block* graphics = find_block(document.top, "Graphics_Models")) read_graphics_list(r, *graphics);
  const std::size_t bodies_before = shared.model.bodies.size();
  bool has_mechanism = false;
  for (const Block& block : document.top.blocks) {
    if (is_articulation(block)) {
      read_articulation(r, block);
    } else if (block.name == "System") {
      read_system(r, block);
    } else if (block.name == "Graphics_Models") {
      continue;
    } else {
      messages.error(
          block.where, "dm-block", fmt::format("there is no block {}", quote(block.name)),
          messages.guess_or(
              block.name, {"Articulation", "ClosedArticulation", "System", "Graphics_Models"},
              "a file has an Articulation or ClosedArticulation, or in version 2 a System and Graphics_Models"));
    }
    has_mechanism = has_mechanism || block.name != "Graphics_Models";
  }
  Fields(document.top, "the file", messages).tell_unread();
  if (!has_mechanism) {
    messages.error({1, 1}, "dm-missing", "the file has no mechanism",
                   "add Articulation { … }, or System { … } in version 2");
  } else if (shared.model.bodies.size() == bodies_before && !messages.has_errors()) {
    messages.error(document.top.blocks.back().where, "no-bodies", "the mechanism has no links that move",
                   "add a RevoluteLink or another");
  }
  if (document.rest) {
    messages.warning(*document.rest, "dm-after-end", "what follows here is not read, nor does DynaMechs read it",
                     "put further robots into files of their own, named in a simulation file");
  }
  tell_names(r);
  r.left_out.tell(messages);
}

}  // namespace trammel::readers::dm
