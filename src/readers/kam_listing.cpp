// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Names are declared first and looked up afterwards, so that statements may stand in any order. A statement with a mistake keeps
// its name: what refers to it is then not reported as well.

#include "readers/kam_listing.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace trammel::readers::kam {

namespace {

class Resolver {
 public:
  Resolver(const StatementList& list, Messages& messages) : list_(list), messages_(messages) {
    listing_.base.is_sound = false;  // until it is read
  }

  Listing run() {
    for (const Statement& statement : list_.statements) declare(statement);
    for (const Statement& statement : list_.statements) {
      if (statement.is_sound && is_declared_here(statement)) read(statement);
    }
    check_bound_loads();
    tell_what_is_missing();
    listing_.has_unknown_arrays = !unknown_arrays_.empty();
    return std::move(listing_);
  }

 private:
  const StatementList& list_;
  Messages& messages_;
  Listing listing_;
  std::map<Kind, std::vector<std::string>> names_;  // for guesses
  std::set<std::string> unknown_arrays_;            // each is reported once
  SourceLocation base_where_;

  // --- declarations ---------------------------------------------------------------------------------------------------

  bool declare_name(const std::string& name, SourceLocation where, Kind kind, int index) {
    const auto [found, is_new] = listing_.symbols.try_emplace(name, Symbol{kind, index, where});
    if (is_new) {
      names_[kind].push_back(name);
      return true;
    }
    messages_.error(where, "name-duplicate",
                    fmt::format("{} stands here a second time; first at {}:{}", quote(name), found->second.where.line,
                                found->second.where.column),
                    "rename one of the two, or delete it");
    return false;
  }

  template <class Item>
  void declare_item(std::vector<Item>& list, const Statement& statement) {
    const int index = statement.is_sound ? static_cast<int>(list.size()) : not_there;
    if (!declare_name(statement.name, statement.name_where, info_of(*statement.word).kind, index)) return;
    if (!statement.is_sound) return;
    Item& item = list.emplace_back();
    item.name = statement.name;
    item.where = statement.name_where;
    item.is_sound = false;  // until it is read
    if constexpr (requires { item.word; }) item.word = *statement.word;
  }

  void declare(const Statement& statement) {
    if (!statement.word) {
      if (!statement.name.empty()) declare_name(statement.name, statement.name_where, Kind::nothing, not_there);
      return;
    }
    if (statement.word == Word::dimension) return declare_arrays(statement);
    if (statement.name.empty()) return;
    switch (info_of(*statement.word).kind) {
      case Kind::body:
        return declare_item(listing_.bodies, statement);
      case Kind::pair:
        return declare_item(listing_.pairs, statement);
      case Kind::load:
        return declare_item(listing_.loads, statement);
      case Kind::motion:
        return declare_item(listing_.motions, statement);
      case Kind::output:
        return declare_item(listing_.outputs, statement);
      case Kind::loop:
        return declare_item(listing_.loops, statement);
      case Kind::input:
        return declare_item(listing_.inputs, statement);
      case Kind::system:
        declare_name(statement.name, statement.name_where, Kind::system, not_there);
        return;
      case Kind::points:
      case Kind::nothing:
        return;
    }
  }

  void declare_arrays(const Statement& statement) {
    for (const Argument& argument : statement.arguments) {
      if (argument.form != Argument::Form::element) {
        messages_.error(
            argument.where, "kam-arguments",
            fmt::format("DIMENSION tells how many points there are, and {} does not", quote(to_text(argument))),
            "write DIMENSION/PT(8)");
        if (argument.form == Argument::Form::name) unknown_arrays_.insert(argument.name);
        continue;
      }
      if (find_word(argument.name) != nullptr) {
        messages_.error(argument.where, "kam-name",
                        fmt::format("{} is a word of the language, not a name", quote(argument.name)),
                        "choose another name");
        continue;
      }
      const int index = static_cast<int>(listing_.arrays.size());
      if (declare_name(argument.name, argument.where, Kind::points, index)) {
        listing_.arrays.push_back({argument.name, argument.subscript});
      }
    }
    if (!statement.is_sound) unknown_arrays_.insert("PT");
  }

  // False for the second of two with the same name.
  bool is_declared_here(const Statement& statement) const {
    if (statement.name.empty()) return true;
    const auto found = listing_.symbols.find(statement.name);
    return found != listing_.symbols.end() && found->second.where.line == statement.name_where.line &&
           found->second.where.column == statement.name_where.column;
  }

  // --- names and points -----------------------------------------------------------------------------------------------

  int find(const std::string& name, Kind kind, SourceLocation where) {
    const auto found = listing_.symbols.find(name);
    if (found == listing_.symbols.end()) {
      report_unknown(name, kind, where);
      return not_there;
    }
    const Symbol& symbol = found->second;
    if (symbol.kind == kind) return symbol.index;
    if (symbol.kind != Kind::nothing) {
      messages_.error(where, "kam-wrong-kind",
                      fmt::format("{} is {}; {} is due here", quote(name), describe(symbol.kind), describe(kind)),
                      messages_.guess_or(name, names_[kind], fmt::format("name {}", describe(kind))));
    }
    return not_there;
  }

  void report_unknown(const std::string& name, Kind kind, SourceLocation where) {
    const std::string_view article = describe(kind);  // "a body"
    messages_.error(where, "kam-unknown-name",
                    fmt::format("there is no {} {}", article.substr(article.find(' ') + 1), quote(name)),
                    messages_.guess_or(name, names_[kind], fmt::format("declare {} called {}", article, name)));
  }

  std::optional<PointId> find_point(const std::string& array, int number, SourceLocation where) {
    const auto found = listing_.symbols.find(array);
    if (found == listing_.symbols.end()) {
      if (unknown_arrays_.insert(array).second) {
        messages_.error(where, "kam-unknown-name", fmt::format("no DIMENSION declares points {}", quote(array)),
                        messages_.guess_or(array, names_[Kind::points], fmt::format("add DIMENSION/{}(8)", array)));
      }
      return std::nullopt;
    }
    if (found->second.kind != Kind::points) {
      find(array, Kind::points, where);  // says so
      return std::nullopt;
    }
    const PointArray& points = listing_.arrays[static_cast<std::size_t>(found->second.index)];
    if (number > points.size) {
      messages_.error(where, "kam-subscript",
                      fmt::format("there is no {}({}): DIMENSION declares {}({})", array, number, array, points.size),
                      "raise the number in DIMENSION, or correct this one");
      return std::nullopt;
    }
    const PointId point{found->second.index, number};
    listing_.used_points.try_emplace(point, where);
    return point;
  }

  std::optional<PointId> read_point(const Argument& argument) {
    if (argument.form == Argument::Form::element) return find_point(argument.name, argument.subscript, argument.where);
    messages_.error(argument.where, "kam-arguments", fmt::format("a point is due, not {}", quote(to_text(argument))),
                    "write it as PT(3)");
    return std::nullopt;
  }

  bool read_point(const Argument& argument, PointId& point) {
    const auto found = read_point(argument);
    if (found) point = *found;
    return found.has_value();
  }

  // A plain name.
  int read_name(const Argument& argument, Kind kind) {
    if (argument.form == Argument::Form::name) return find(argument.name, kind, argument.where);
    messages_.error(argument.where, "kam-arguments",
                    fmt::format("{} is due by its name, not {}", describe(kind), quote(to_text(argument))),
                    is_a(argument.name, kind) ? fmt::format("write {} alone", argument.name)
                                              : fmt::format("name {}", describe(kind)));
    return not_there;
  }

  bool is_a(const std::string& name, Kind kind) const {
    const auto found = listing_.symbols.find(name);
    return found != listing_.symbols.end() && found->second.kind == kind;
  }

  bool check_count(const Statement& statement, std::size_t least, std::size_t most) {
    const std::size_t count = statement.arguments.size();
    if (count >= least && count <= most) return true;
    const std::string range = least == most ? fmt::format("{}", least)
                              : most == any ? fmt::format("at least {}", least)
                                            : fmt::format("{} or {}", least, most);
    messages_.error(count > most ? statement.arguments[most].where : statement.end, "kam-arguments",
                    fmt::format("{} takes {} argument{}, not {}", info_of(*statement.word).text, range,
                                range == "1" ? "" : "s", count),
                    fmt::format("write {}", form_of(*statement.word, statement.name)));
    return false;
  }
  static constexpr std::size_t any = static_cast<std::size_t>(-1);

  // --- statements -----------------------------------------------------------------------------------------------------

  template <class Item>
  Item& item_of(std::vector<Item>& list, const Statement& statement) {
    return list[static_cast<std::size_t>(listing_.symbols.at(statement.name).index)];
  }

  void read(const Statement& statement) {
    switch (info_of(*statement.word).kind) {
      case Kind::body:
        return read_body(statement, item_of(listing_.bodies, statement));
      case Kind::pair:
        return read_pair(statement, item_of(listing_.pairs, statement));
      case Kind::load:
        return read_load(statement, item_of(listing_.loads, statement));
      case Kind::motion:
        return read_motion(statement, item_of(listing_.motions, statement));
      case Kind::output:
        return read_output(statement, item_of(listing_.outputs, statement));
      case Kind::loop:
        return read_loop(statement, item_of(listing_.loops, statement));
      case Kind::input:
        return read_input(statement, item_of(listing_.inputs, statement));
      case Kind::system:
        return read_system(statement);
      case Kind::points:
      case Kind::nothing:
        if (statement.word == Word::base) read_base(statement);
        return;
    }
  }

  bool refuse_second(const Statement& statement, bool is_second, SourceLocation first) {
    if (!is_second) return false;
    messages_.error(statement.where, "kam-statement-twice",
                    fmt::format("{} stands here a second time; first at {}:{}", info_of(*statement.word).text,
                                first.line, first.column),
                    "delete one of the two");
    return true;
  }

  void read_base(const Statement& statement) {
    if (refuse_second(statement, listing_.has_base, base_where_)) return;
    listing_.has_base = true;
    base_where_ = statement.where;
    listing_.base.where = statement.where;
    read_body(statement, listing_.base);
  }

  // A, B, C and more: all but B are carried by the body. LINK has no B.
  void read_body(const Statement& statement, KamBody& body) {
    const bool has_axis = statement.word != Word::link;
    body.is_sound = check_count(statement, has_axis ? 3 : 2, any);
    std::set<PointId> seen;
    for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
      const Argument& argument = statement.arguments[i];
      const auto point = read_point(argument);
      if (!point) {
        body.is_sound = false;
      } else if (!seen.insert(*point).second) {
        messages_.error(argument.where, "kam-arguments",
                        fmt::format("{} stands twice in this {}", listing_.text(*point), info_of(*statement.word).text),
                        "name each point of a body once");
        body.is_sound = false;
      } else if (has_axis && i == 1) {
        body.on_axis.push_back(*point);
        body.axis_where = argument.where;
      } else {
        body.fixed.push_back(*point);
      }
    }
  }

  void read_pair(const Statement& statement, KamPair& pair) {
    const std::vector<Argument>& a = statement.arguments;
    const bool has_three = pair.word == Word::planar || pair.word == Word::univrs;
    const bool is_sphere = pair.word == Word::sphere;
    if (!check_count(statement, is_sphere ? 1 : has_three ? 3 : 2, has_three ? 3 : 2)) return;
    pair.n_where = a[0].where;
    bool sound = read_point(a[0], pair.n);
    pair.m = pair.n;
    if (a.size() > 1) sound = read_point(a[1], pair.m) && sound;
    if (has_three) {
      sound = read_point(a[2], pair.k) && sound;
      pair.k_where = a[2].where;
    }
    if (!sound) return;
    const bool needs_axis = !is_sphere && pair.word != Word::planar;
    if (needs_axis && pair.n == pair.m) return report_same_point(a[1], pair.n);
    if (has_three && (pair.k == pair.m || (pair.k == pair.n && pair.word == Word::univrs)))
      return report_same_point(a[2], pair.k);
    pair.is_sound = true;
  }

  void report_same_point(const Argument& argument, const PointId& point) {
    messages_.error(argument.where, "kam-arguments",
                    fmt::format("{} stands here a second time: one point has no direction", listing_.text(point)),
                    "name two different points");
  }

  void read_load(const Statement& statement, KamLoad& load) {
    const std::vector<Argument>& a = statement.arguments;
    if (!check_count(statement, 3, load.is_resisting() ? 4 : 3)) return;
    bool sound = read_body_at(a[0], load);
    sound = read_direction(a[1], a[2], load.from, load.to) && sound;
    load.direction_where = a[1].where;
    if (a.size() == 4) {
      load.is_bound = true;
      load.bound_where = a[3].where;
      load.bound_to = read_name(a[3], Kind::load);
      sound = sound && load.bound_to != not_there;
    }
    load.is_sound = sound;
  }

  // DRIVE(PT(3))
  bool read_body_at(const Argument& argument, KamLoad& load) {
    if (argument.form != Argument::Form::at_point) {
      messages_.error(argument.where, "kam-arguments",
                      fmt::format("a point of a body is due, not {}", quote(to_text(argument))),
                      "write the body and the point where the load acts: DRIVE(PT(3))");
      return false;
    }
    load.body_where = argument.where;
    load.body = find(argument.name, Kind::body, argument.where);
    const auto point = find_point(argument.inner, argument.subscript, argument.inner_where);
    if (point) load.at = *point;
    return point && load.body != not_there;
  }

  bool read_direction(const Argument& from, const Argument& to, PointId& a, PointId& b) {
    const bool has_first = read_point(from, a), has_second = read_point(to, b);
    if (!has_first || !has_second) return false;
    if (a != b) return true;
    report_same_point(to, b);
    return false;
  }

  void read_motion(const Statement& statement, KamMotion& motion) {
    const std::vector<Argument>& a = statement.arguments;
    if (!check_count(statement, 3, 3)) return;
    motion.pair = read_name(a[0], Kind::pair);
    motion.pair_where = a[0].where;
    motion.direction_where = a[1].where;
    motion.is_sound = read_direction(a[1], a[2], motion.from, motion.to) && motion.pair != not_there;
  }

  void read_output(const Statement& statement, KamOutput& output) {
    const std::vector<Argument>& a = statement.arguments;
    if (!check_count(statement, 2, 2)) return;
    output.body = read_name(a[0], Kind::body);
    output.body_where = a[0].where;
    output.is_sound = read_point(a[1], output.point) && output.body != not_there;
  }

  // LOOP1(REV1)
  void read_input(const Statement& statement, KamInput& input) {
    if (!check_count(statement, 1, 1)) return;
    const Argument& a = statement.arguments.front();
    if (a.form != Argument::Form::member) {
      messages_.error(a.where, "kam-arguments", fmt::format("a pair of a loop is due, not {}", quote(to_text(a))),
                      fmt::format("write {}", form_of(*statement.word, statement.name)));
      return;
    }
    input.loop = find(a.name, Kind::loop, a.where);
    input.loop_where = a.where;
    input.pair = find(a.inner, Kind::pair, a.inner_where);
    input.pair_where = a.inner_where;
    input.is_sound = input.loop != not_there && input.pair != not_there;
  }

  void read_system(const Statement& statement) {
    if (refuse_second(statement, listing_.has_system, listing_.system_where)) return;
    listing_.has_system = true;
    listing_.system_where = statement.where;
    listing_.system_name = statement.name;
    std::set<int> seen;
    for (const Argument& argument : statement.arguments) {
      const int loop = read_name(argument, Kind::loop);
      if (loop == not_there) continue;
      if (seen.insert(loop).second) {
        listing_.system.push_back(loop);
      } else {
        messages_.error(argument.where, "kam-arguments",
                        fmt::format("loop {} stands twice in SYSTEM", quote(argument.name)), "name each loop once");
      }
    }
  }

  // Pairs and bodies take turns; what is wrong with that is said once.
  void read_loop(const Statement& statement, KamLoop& loop) {
    loop.arguments = statement.arguments;
    loop.name_where = statement.name_where;
    bool sound = true, in_turn = true;
    Kind due = Kind::pair;
    for (std::size_t i = 0; i < loop.arguments.size(); ++i) {
      const Argument& argument = loop.arguments[i];
      Kind kind = due;
      const auto found = listing_.symbols.find(argument.name);
      if (found != listing_.symbols.end() && (found->second.kind == Kind::pair || found->second.kind == Kind::body)) {
        kind = found->second.kind;
      }
      const int index = read_name(argument, kind);
      sound = sound && index != not_there;
      if (kind != due && in_turn) {
        in_turn = false;
        report_turn(loop, i, kind);
      }
      (kind == Kind::pair ? loop.pairs : loop.bodies).push_back(index);
      due = kind == Kind::pair ? Kind::body : Kind::pair;
    }
    if (in_turn && (due == Kind::pair || loop.pairs.size() < 2)) {
      in_turn = false;
      messages_.error(statement.end, "kam-loop",
                      due == Kind::pair ? fmt::format("loop {} ends with body {}, which nothing joins to the ground",
                                                      quote(loop.name), quote(loop.arguments.back().name))
                                        : fmt::format("loop {} has one pair and no body", quote(loop.name)),
                      "write pair, body, pair and so on, from the ground to the ground: a pair comes last");
    }
    loop.is_sound = sound && in_turn;
  }

  void report_turn(const KamLoop& loop, std::size_t i, Kind kind) {
    const std::string name = quote(loop.arguments[i].name);
    if (i == 0) {
      messages_.error(
          loop.arguments[i].where, "kam-loop",
          fmt::format("loop {} begins with body {}, which nothing joins to the ground", quote(loop.name), name),
          "write pair, body, pair and so on, from the ground to the ground: a pair comes first");
      return;
    }
    const std::string before = quote(loop.arguments[i - 1].name);
    messages_.error(loop.arguments[i].where, "kam-loop",
                    kind == Kind::pair
                        ? fmt::format("in loop {} pair {} follows pair {}", quote(loop.name), name, before)
                        : fmt::format("in loop {} body {} follows body {}", quote(loop.name), name, before),
                    kind == Kind::pair ? "name the body between them" : "name the pair between them");
  }

  // --- what only all statements together tell -----------------------------------------------------------------------------

  void check_bound_loads() {
    for (KamLoad& load : listing_.loads) {
      if (!load.is_sound || !load.is_bound) continue;
      const KamLoad& other = listing_.loads[static_cast<std::size_t>(load.bound_to)];
      std::string what;
      if (&other == &load) {
        what = "itself";
      } else if (!other.is_resisting()) {
        what = fmt::format("{}, which is not a resisting load", quote(other.name));
      } else if (other.is_bound) {
        what = fmt::format("{}, which is bound itself", quote(other.name));
      } else {
        continue;
      }
      messages_.error(load.bound_where, "load-bound", fmt::format("load {} is bound to {}", quote(load.name), what),
                      "name an FLOAD or TLOAD that is not bound to another");
      load.is_sound = false;
    }
  }

  // Statements that every listing has; not missed where one of them has a mistake.
  void tell_what_is_missing() {
    const auto is_tried = [&](Word word) {
      return std::any_of(list_.statements.begin(), list_.statements.end(),
                         [&](const Statement& s) { return s.word == word; });
    };
    const bool has_unknown = std::any_of(list_.statements.begin(), list_.statements.end(),
                                         [](const Statement& s) { return !s.word.has_value(); });
    if (has_unknown || list_.gave_up) return;
    const auto complain = [&](Word word, const char* what) {
      if (is_tried(word)) return;
      messages_.error(list_.end, "kam-statement-missing", what, fmt::format("add {}", form_of(word, "NAME")));
    };
    complain(Word::base, "no BASE tells the points of the ground");
    complain(Word::loop, "there is no LOOP");
    complain(Word::system, "no SYSTEM names the loops to analyse");
  }
};

}  // namespace

bool KamBody::carries(const PointId& point) const {
  return std::find(fixed.begin(), fixed.end(), point) != fixed.end();
}

std::string Listing::text(const PointId& point) const {
  return fmt::format("{}({})", arrays[static_cast<std::size_t>(point.array)].name, point.number);
}

std::string Listing::text(const std::vector<PointId>& points) const {
  constexpr std::size_t most = 6;
  if (points.empty()) return "none";
  std::string list;
  for (std::size_t i = 0; i < points.size() && i < most; ++i) {
    const bool is_last = i + 1 == points.size();
    list += (i == 0 ? "" : is_last ? " and " : ", ") + text(points[i]);
  }
  if (points.size() > most) list += fmt::format(" and {} more", points.size() - most);
  return list;
}

std::string Listing::title(int body_index) const {
  return body_index == on_ground ? "the ground" : "body " + quote(body(body_index).name);
}

Listing resolve_names(const StatementList& list, Messages& messages) { return Resolver(list, messages).run(); }

}  // namespace trammel::readers::kam
