// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_tree.hpp"

#include <optional>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>
#include <yaml-cpp/yaml.h>

#include "readers/yaml_text.hpp"

namespace trammel::readers {

namespace {

// Leaves the parser when a message has been given and no more can be read.
struct Stop {};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Tree& tree, Messages& messages)
      : text_(text), places_(text), tree_(tree), messages_(messages) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse_second_document(mark);
  }
  void OnDocumentEnd() override { check_last_quote(); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { put(new_node(Node::Kind::null, mark, anchor)); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || is_open(found->second)) {
      messages_.error(place(mark), "yaml-alias", "this alias stands inside the value that it refers to",
                      "write the value out");
      throw Stop{};
    }
    put(found->second, true);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    Node* node = new_node(Node::Kind::scalar, mark, anchor);
    node->text = value;
    // yaml-cpp turns the escapes \N and \_ into single bytes that are no UTF-8; all other text came through as UTF-8.
    if (!is_utf8(value)) {
      messages_.error(node->where, "yaml-escape", "the escapes \\N and \\_ in double quotes cannot be read",
                      "write \\\\ for a backslash, or put the text in single quotes");
      node->text.clear();
    }
    node->quoted = tag == "!";
    if (node->quoted) last_quote_ = static_cast<std::size_t>(mark.pos);
    put(node);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(new_node(Node::Kind::list, mark, anchor));
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(new_node(Node::Kind::map, mark, anchor));
  }
  void OnMapEnd() override {
    check_keys(*open_.back().node);
    close();
  }

 private:
  struct Open {
    Node* node = nullptr;
    const Node* key = nullptr;  // of a map: read, its value not yet
    bool key_is_alias = false;
  };

  SourceLocation place(const YAML::Mark& mark) { return places_.at(static_cast<std::size_t>(mark.pos)); }

  bool is_open(const Node* node) const {
    for (const Open& o : open_) {
      if (o.node == node) return true;
    }
    return false;
  }

  Node* new_node(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Node* node = &tree_.nodes.emplace_back();
    node->kind = kind;
    node->where = place(mark);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    return node;
  }

  void open(Node* node) {
    if (open_.size() == static_cast<std::size_t>(max_depth)) {
      messages_.error(node->where, "yaml-too-deep", fmt::format("values are nested deeper than {} levels", max_depth),
                      "a model needs a depth of 8 at most; check the brackets and the indentation");
      throw Stop{};
    }
    open_.push_back({node});
  }

  void close() {
    Node* node = open_.back().node;
    open_.pop_back();
    put(node);
  }

  // Hands a finished node to the list or map around it.
  void put(Node* node, bool is_alias = false) {
    if (open_.empty()) {
      tree_.root = node;
      return;
    }
    Open& around = open_.back();
    if (around.node->kind == Node::Kind::list) {
      add_child(around, {nullptr, node});
    } else if (around.key == nullptr) {
      around.key = node;
      around.key_is_alias = is_alias;
    } else {
      if (node->is_null() && !is_alias) node->where = around.key->where;
      if (is_name(around)) add_child(around, {around.key, node});
      around.key = nullptr;
    }
  }

  void add_child(Open& around, Node::Child child) {
    around.node->children.push_back(child);
    around.node->size += child.value->size + (child.key != nullptr ? 1 : 0);
    if (around.node->size > max_nodes) {
      messages_.error(around.node->where, "yaml-too-many-entries",
                      fmt::format("this has more than {} entries, those of aliases counted at each place", max_nodes),
                      "use fewer bodies and aliases; build larger models in C++");
      throw Stop{};
    }
  }

  // Can the key be one? If not, says so, and the entry is left out.
  bool is_name(const Open& around) {
    const Node& key = *around.key;
    if (key.kind == Node::Kind::scalar && !around.key_is_alias) {
      if (key.quoted || key.text != "<<") return true;
      messages_.error(key.where, "yaml-merge", "merging with '<<' is not supported",
                      "write the entries out; aliases of single values are fine");
      return false;
    }
    messages_.error(key.where, "yaml-key",
                    key.is_null() ? "a key is missing, or is the word for nothing (null, ~)" : "this cannot be a key",
                    key.is_null() ? "write a name before ':'; put the names null and ~ in quotes"
                                  : "write a plain name before ':'");
    return false;
  }

  void check_keys(Node& map) {
    std::unordered_map<std::string_view, const Node*> seen;
    seen.reserve(map.children.size());
    std::vector<Node::Child> unique;
    unique.reserve(map.children.size());
    for (const Node::Child& child : map.children) {
      const auto [first, is_new] = seen.emplace(child.key->text, child.key);
      if (is_new) {
        unique.push_back(child);
        continue;
      }
      const SourceLocation there = first->second->where;
      messages_.error(
          child.key->where, "yaml-duplicate-key",
          fmt::format("{} stands here a second time; first at {}:{}", quote(child.key->text), there.line, there.column),
          "rename one of the two, or delete it");
    }
    map.children = std::move(unique);
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    const bool written = tag == "!" && text_[static_cast<std::size_t>(mark.pos)] == '!';  // else it is text in quotes
    if (!written && (tag.empty() || tag == "?" || tag == "!")) return;
    messages_.error(place(mark), "yaml-tag", fmt::format("the tag {} is not supported", quote(tag)),
                    "delete the word that begins with '!'; put text that begins with '!' in quotes");
  }

  // yaml-cpp takes a quote that is never closed to run to the end of the file; only the last one can.
  void check_last_quote() {
    if (!last_quote_) return;
    if (const auto trouble = find_unclosed_quote(text_, *last_quote_)) {
      messages_.error(places_.at(trouble->position), trouble->id, trouble->what, trouble->fix);
      throw Stop{};
    }
  }

  void refuse_second_document(const YAML::Mark& mark) {
    if (text_.substr(static_cast<std::size_t>(mark.pos), 3) == "---") {
      messages_.error(place(mark), "yaml-documents", "a second document begins here",
                      "keep one model per file; delete the line '---'");
    } else {
      messages_.error(place(mark), "yaml-syntax", "there is text after the end of the model",
                      "write everything as 'key: value' lines that begin in the same column");
    }
    throw Stop{};
  }

  std::string_view text_;
  PlaceFinder places_;
  Tree& tree_;
  Messages& messages_;
  int documents_ = 0;
  std::optional<std::size_t> last_quote_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Node*> anchors_;
};

void report_syntax_error(std::string_view text, const YAML::ParserException& error, Messages& messages) {
  const auto position = error.mark.is_null() ? std::size_t{0} : static_cast<std::size_t>(error.mark.pos);
  SyntaxTrouble trouble = explain_syntax_error(error.msg, position);
  // yaml-cpp notices a missing bracket or a tab only where it can go no further; the cause stands before.
  if (const auto cause = find_syntax_trouble(text)) trouble = *cause;
  messages.error(PlaceFinder(text).at(trouble.position), trouble.id, trouble.what, trouble.fix);
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Child& child : children) {
    if (child.key != nullptr && child.key->text == key) return child.value;
  }
  return nullptr;
}

namespace {

// yaml-cpp drops lines that begin with '%' where it does not refuse them. One that gives YAML's version may stand first.
std::size_t find_directive(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin), end = newline == std::string_view::npos ? text.size() : newline;
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with('%') && !(begin == 0 && line.starts_with("%YAML 1."))) return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

}  // namespace

Tree parse_yaml(std::string_view text, std::size_t max_bytes, Messages& messages) {
  Tree tree;
  if (!check_text(text, max_bytes, messages)) return tree;
  text = without_bom(text);
  if (const std::size_t at = find_directive(text); at != std::string_view::npos) {
    const SyntaxTrouble trouble = explain_syntax_error("directive", at);
    messages.error(PlaceFinder(text).at(at), trouble.id, trouble.what, trouble.fix);
    return tree;
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(text, tree, messages);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    tree.root = nullptr;
  } catch (const YAML::ParserException& error) {
    report_syntax_error(text, error, messages);
    tree.root = nullptr;
  }
  return tree;
}

}  // namespace trammel::readers
