// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the statements of a KAM listing say together: points, bodies, pairs, loads, motions, outputs, loops, inputs, each name found.
// No coordinates yet: they are data. docs/formats/kam.md has the meaning of each statement.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "readers/kam_statements.hpp"

namespace trammel::readers::kam {

// One of the points that DIMENSION declares.
struct PointId {
  int array = 0;  // index in Listing::arrays
  int number = 0;

  friend bool operator==(const PointId&, const PointId&) = default;
  friend bool operator<(const PointId& a, const PointId& b) {
    return a.array != b.array ? a.array < b.array : a.number < b.number;
  }
};
struct PointArray {
  std::string name;
  int size = 0;
};

inline constexpr int on_ground = -1;  // the index of BASE among bodies
inline constexpr int not_there = -2;  // a name that is unknown, or of a statement with a mistake; reported

struct KamBody {
  std::string name;              // empty for BASE
  std::vector<PointId> fixed;    // points carried by it; the first is its origin
  std::vector<PointId> on_axis;  // BODY's second point: on the incoming axis, along which it may slide
  SourceLocation where;
  SourceLocation axis_where;
  bool is_sound = true;
  bool is_used = false;  // in a loop of the system

  bool carries(const PointId& point) const;
};

struct KamPair {
  std::string name;
  Word word = Word::revlut;
  PointId n, m;  // on the body after it, on the body before it
  PointId k;     // planar: towards which the normal runs from m; universal: the centre
  SourceLocation where, n_where, k_where;
  bool is_sound = true;
  bool is_used = false;
  // Found by tracing the loops.
  int before = not_there, after = not_there;
  int loop = -1;     // in which it was found first
  bool fits = true;  // its points lie on those bodies
};

struct KamLoad {
  std::string name;
  Word word = Word::torque;
  int body = not_there;
  PointId at, from, to;
  int bound_to = not_there;  // another load
  bool is_bound = false;
  SourceLocation where, body_where, direction_where, bound_where;
  bool is_sound = true;

  bool is_resisting() const { return word == Word::fload || word == Word::tload; }
  bool is_couple() const { return word == Word::torque || word == Word::tload; }
};

struct KamMotion {
  std::string name;
  int pair = not_there;
  PointId from, to;
  SourceLocation where, pair_where, direction_where;
  bool is_sound = true;
};

struct KamOutput {
  std::string name;
  int body = not_there;
  PointId point;
  SourceLocation where, body_where;
  bool is_sound = true;
};

struct KamLoop {
  std::string name;
  std::vector<Argument> arguments;  // pair, body, pair, …, pair
  std::vector<int> pairs, bodies;   // not_there where a name was not found
  SourceLocation where, name_where;
  bool is_sound = true;
  bool is_used = false;
};

struct KamInput {
  std::string name;
  Word word = Word::inang;
  int loop = not_there, pair = not_there;
  SourceLocation where, loop_where, pair_where;
  bool is_sound = true;
};

struct Symbol {
  Kind kind = Kind::nothing;
  int index = not_there;  // in the list of its kind; not_there where its statement has a mistake
  SourceLocation where;
};

struct Listing {
  std::vector<PointArray> arrays;
  KamBody base;
  std::vector<KamBody> bodies;
  std::vector<KamPair> pairs;
  std::vector<KamLoad> loads;
  std::vector<KamMotion> motions;
  std::vector<KamOutput> outputs;
  std::vector<KamLoop> loops;
  std::vector<KamInput> inputs;
  std::vector<int> system;  // loops to analyse, in their order
  std::string system_name;
  SourceLocation system_where;
  bool has_base = false, has_system = false;
  bool is_traced = false;           // which bodies each pair joins, and which points they carry, is known of all
  bool has_unknown_arrays = false;  // points of arrays that no DIMENSION declares, which was reported
  std::unordered_map<std::string, Symbol> symbols;
  std::map<PointId, SourceLocation> used_points;  // where each is first named

  const KamBody& body(int index) const { return index == on_ground ? base : bodies[static_cast<std::size_t>(index)]; }
  KamBody& body(int index) { return index == on_ground ? base : bodies[static_cast<std::size_t>(index)]; }
  const KamPair& pair(int index) const { return pairs[static_cast<std::size_t>(index)]; }
  KamPair& pair(int index) { return pairs[static_cast<std::size_t>(index)]; }
  // "PT(3)"
  std::string text(const PointId& point) const;
  // "PT(3), PT(5) and PT(9)"
  std::string text(const std::vector<PointId>& points) const;
  // "body 'DRIVE'" or "the ground"
  std::string title(int body_index) const;
};

Listing resolve_names(const StatementList& list, Messages& messages);

// Follows each loop from the ground through its pairs and bodies back to the ground: which two bodies each pair joins, whether the
// pair's points lie on them, and what drives the loop.
void trace_loops(Listing& listing, Messages& messages);

}  // namespace trammel::readers::kam
