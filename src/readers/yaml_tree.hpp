// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A YAML document as a tree of nodes with their places. The tree is built from yaml-cpp's events rather than from its
// own nodes, so that depth and size are checked before anything is built, keys cannot repeat, an alias is a pointer,
// and the rest of the reader does not know the library. Nothing in the tree needs recursion deeper than max_depth.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "readers/messages.hpp"

namespace trammel::readers {

inline constexpr int max_depth = 64;
inline constexpr std::size_t max_nodes = 500'000;  // after aliases are followed

struct Node {
  enum class Kind { null, scalar, list, map };
  struct Child {
    const Node* key = nullptr;  // of a map; a scalar
    const Node* value = nullptr;
  };

  Kind kind = Kind::null;
  bool quoted = false;   // a scalar in quotes: never a number
  std::string text;      // of a scalar
  SourceLocation where;  // of a null value: that of its key
  std::vector<Child> children;
  std::size_t size = 1;  // nodes below and including this one, aliases followed

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  // The value of a key, or null.
  const Node* find(std::string_view key) const;
};

struct Tree {
  std::deque<Node> nodes;  // never moves, so that nodes can point to each other
  const Node* root = nullptr;
};

// Parses one document. Where the text is not YAML, or breaks a limit, root stays null and a message says why; keys
// that repeat or cannot be are left out, with a message.
Tree parse_yaml(std::string_view text, std::size_t max_bytes, Messages& messages);

}  // namespace trammel::readers
