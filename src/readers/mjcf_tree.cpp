// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

namespace trammel::readers::mjcf {

namespace {

// Elements inside elements. A chain of bodies is as deep as it has links.
constexpr int deepest = 2000;
constexpr std::size_t most_entries = 150'000;  // elements and attributes of one file; 150 MB while it is read
constexpr std::size_t most_includes = 200;

std::string list_counts(const std::vector<std::pair<std::string, int>>& counts) {
  std::string list;
  for (const auto& [word, count] : counts) {
    if (!list.empty()) list += ", ";
    list += count == 1 ? word : fmt::format("{} ({})", word, count);
  }
  return list;
}

// Turns one parsed file into elements and follows its includes.
class Builder {
 public:
  Builder(const std::string& main_file, const ReadOptions& options, Report& report)
      : options_(options), report_(report), folder_(std::filesystem::path(main_file).parent_path()) {
    seen_.insert(std::filesystem::path(main_file).lexically_normal().string());
  }

  bool read_main(std::string_view text, Element& root) {
    if (!parse(text, 0, root)) return false;
    return put_includes_in(root);
  }

 private:
  bool parse(std::string_view text, int file, Element& root) {
    const XmlLimits limits{options_.max_bytes, deepest, most_entries};
    std::optional<XmlElement> parsed = parse_xml(text, limits, report_.messages(file));
    if (!parsed) return false;
    convert(std::move(*parsed), file, root);
    return true;
  }

  // Depth first without recursion.
  void convert(XmlElement parsed, int file, Element& root) {
    std::vector<std::pair<XmlElement*, Element*>> open{{&parsed, &root}};
    while (!open.empty()) {
      const auto [from, to] = open.back();
      open.pop_back();
      to->name = std::move(from->name);
      to->place = {file, from->where};
      to->attributes.reserve(from->attributes.size());
      for (XmlAttribute& a : from->attributes) {
        const Place place{file, a.value_where};
        to->attributes.push_back({std::move(a), place});
      }
      if (from->text_where.line > 0)
        report_.leave_out({file, from->text_where}, "text between tags", "MJCF says everything in attributes");
      to->children.resize(from->children.size());
      for (std::size_t i = 0; i < from->children.size(); ++i) open.emplace_back(&from->children[i], &to->children[i]);
    }
  }

  void report_too_deep(const Place& place) {
    report_.error(place, "xml-too-deep", fmt::format("elements are nested more than {} deep", deepest),
                  "check that this is a model file");
  }

  // <include file="x"/> is replaced by the children of x's root element, wherever it stands. The path is taken from the
  // folder of the main file, also in included files, and each file may be included once, as in MuJoCo.
  bool put_includes_in(Element& root) {
    std::vector<std::pair<Element*, int>> open{{&root, 1}};
    while (!open.empty()) {
      const auto [element, depth] = open.back();
      open.pop_back();
      if (depth > deepest) {
        report_too_deep(element->place);
        return false;
      }
      put_includes_among(element->children);
      for (Element& child : element->children) open.emplace_back(&child, depth + 1);
    }
    return true;
  }

  // What is included may begin with an include itself.
  void put_includes_among(std::vector<Element>& children) {
    const auto is_include = [](const Element& child) { return child.name == "include"; };
    if (std::none_of(children.begin(), children.end(), is_include)) return;
    std::vector<Element> waiting = std::move(children);  // the next one last
    std::reverse(waiting.begin(), waiting.end());
    children.clear();
    while (!waiting.empty()) {
      Element child = std::move(waiting.back());
      waiting.pop_back();
      Element included;
      if (!is_include(child)) {
        children.push_back(std::move(child));
      } else if (read_included(child, included)) {
        waiting.insert(waiting.end(), std::make_move_iterator(included.children.rbegin()),
                       std::make_move_iterator(included.children.rend()));
      }
    }
  }

  bool read_included(const Element& include, Element& included) {
    const Attribute* file = include.find("file");
    if (file == nullptr || file->value.empty()) {
      report_.error(include.place, "missing-attribute", "<include> has no 'file'", "add file=\"part.xml\"");
      return false;
    }
    for (const Attribute& other : include.attributes)
      if (other.name != "file") report_.leave_out_attribute(other.name_place(), "include", other.name);
    const std::filesystem::path path = (folder_ / file->value).lexically_normal();
    if (!seen_.insert(path.string()).second) {
      report_.error(file->place, "include-twice",
                    fmt::format("the file {} is included a second time, or includes itself", quote(file->value)),
                    "include each file once; MuJoCo asks for that too");
      return false;
    }
    if (seen_.size() > most_includes) {
      report_.error(file->place, "include-too-many", fmt::format("more than {} files are included", most_includes),
                    "put some of them together");
      return false;
    }
    std::string text;
    if (!load(path, *file, text)) return false;
    const int number = report_.add_file(path.string(), report_.in_main(include.place));
    return parse(text, number, included);
  }

  bool load(const std::filesystem::path& path, const Attribute& file, std::string& text) {
    std::error_code error;
    std::ifstream stream;
    if (std::filesystem::is_regular_file(path, error)) stream.open(path, std::ios::binary);
    if (!stream.is_open()) {
      report_.error(
          file.place, "include-not-found", fmt::format("the included file {} cannot be read", quote(file.value)),
          fmt::format("it is looked for at {}; paths begin at the folder of the main file", quote(path.string())));
      return false;
    }
    text.resize(options_.max_bytes + 1);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return true;
  }

  const ReadOptions& options_;
  Report& report_;
  std::filesystem::path folder_;
  std::set<std::string> seen_;
};

}  // namespace

int Report::add_file(const std::string& name, SourceLocation included_at) {
  files_.push_back({name, included_at, {}});
  return static_cast<int>(files_.size()) - 1;
}

std::vector<std::string> Report::included_files() const {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < files_.size(); ++i) names.push_back(files_[i].name);  // the first is the main file
  return names;
}

SourceLocation Report::in_main(const Place& place) const {
  return place.file == 0 ? place.at : files_[static_cast<std::size_t>(place.file)].included_at;
}

void Report::error(const Place& place, std::string id, std::string what, std::string fix) {
  messages(place.file).error(place.at, std::move(id), std::move(what), std::move(fix));
}

void Report::warning(const Place& place, std::string id, std::string what, std::string fix) {
  messages(place.file).warning(place.at, std::move(id), std::move(what), std::move(fix));
}

std::string Report::guess_or(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise) {
  return messages(0).guess_or(word, candidates, std::move(otherwise));
}

bool Report::has_errors() const {
  return std::any_of(files_.begin(), files_.end(), [](const File& file) { return file.messages.has_errors(); });
}

void Report::leave_out_attribute(const Place& place, const std::string& element, const std::string& attribute) {
  Attributes& tally = attributes_.try_emplace(element, Attributes{place, {}}).first->second;
  const auto known = std::find_if(tally.counts.begin(), tally.counts.end(),
                                  [&](const auto& counted) { return counted.first == attribute; });
  if (known == tally.counts.end()) {
    tally.counts.emplace_back(attribute, 1);
  } else {
    ++known->second;
  }
}

void Report::leave_out(const Place& place, const std::string& what, const std::string& loss, int elements) {
  Loss& tally = losses_.try_emplace(what, Loss{place, loss, 0, 0}).first->second;
  ++tally.count;
  tally.elements += elements;
}

void Report::tell_what_is_left_out() {
  for (const auto& [element, tally] : attributes_) {
    warning(tally.first, "mjcf-left-out",
            fmt::format("attributes of <{}> that trammel has no use for are left out: {}", element,
                        list_counts(tally.counts)),
            "nothing needs to be done; docs/formats/mjcf.md lists what is read");
  }
  for (const auto& [what, loss] : losses_) {
    warning(loss.first, "mjcf-left-out",
            fmt::format("{}{} is left out{}: {}", what, loss.count == 1 ? "" : fmt::format(" ({} times)", loss.count),
                        loss.elements == 0 ? ""
                                           : fmt::format(" with {} in it",
                                                         count_of(static_cast<std::size_t>(loss.elements), "element")),
                        loss.loss),
            "nothing needs to be done; docs/formats/mjcf.md lists what is read");
  }
}

Diagnostics Report::finish() {
  tell_what_is_left_out();
  Diagnostics all;
  for (const File& file : files_) all.append(file.messages.finish(file.name));
  return all;
}

const Attribute* Element::find(std::string_view attribute) const {
  for (const Attribute& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}

bool read_tree(std::string_view text, const std::string& file, const ReadOptions& options, Report& report,
               Element& root) {
  report.add_file(file, {});
  return Builder(file, options, report).read_main(text, root);
}

}  // namespace trammel::readers::mjcf
