// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/kam_data.hpp"

#include <array>

#include <fmt/format.h>

#include "readers/yaml_keys.hpp"

namespace trammel::readers::kam {

namespace {

using Sign = Token::Kind;

constexpr std::array quantities{"length", "angle", "mass", "time", "force"};

struct UnitWord {
  std::string quantity, unit, capital;
};

// KAM's cards had capitals only: no two units differ by case alone.
const std::vector<UnitWord>& unit_words() {
  static const std::vector<UnitWord> words = [] {
    std::vector<UnitWord> list;
    for (const char* quantity : quantities) {
      const std::string known = known_units(quantity);
      for (std::size_t at = 0; at < known.size();) {
        const std::size_t end = std::min(known.find(", ", at), known.size());
        const std::string unit = known.substr(at, end - at);
        list.push_back({quantity, unit, capitals(unit)});
        at = end + 2;
      }
    }
    return list;
  }();
  return words;
}

class DataReader {
 public:
  DataReader(StatementReader& reader, const Listing& listing, DataPart& part)
      : reader_(reader),
        listing_(listing),
        part_(part),
        messages_(reader.messages()),
        unknown_array_reported_(listing.has_unknown_arrays) {}

  void run() {
    std::vector<Token> tokens;
    bool ended = false;
    while (reader_.next(tokens)) {
      if (ended) {
        messages_.error(tokens.front().where, "kam-syntax", "the data go on behind their END",
                        "delete that END, or what follows it");
        return;
      }
      part_.is_empty = false;
      StatementParser p(tokens, messages_);
      if (reader_.is_damaged()) {
        note_damaged(p);
      } else if (p.is_at(Sign::name) && capitals(p.here().text) == "END" && p.next().kind == Sign::end) {
        ended = true;
      } else {
        read_statement(p);
      }
    }
  }

 private:
  StatementReader& reader_;
  const Listing& listing_;
  DataPart& part_;
  Messages& messages_;
  std::map<std::string, SourceLocation> quantities_given_;
  bool unknown_array_reported_;

  // NAME = …, NAME(3) = …, UNITS/… or GRAVTY/…
  void read_statement(StatementParser& p) {
    if (!p.is_at(Sign::name)) {
      messages_.error(p.here().where, "kam-syntax", fmt::format("data cannot begin with {}", describe(p.here())),
                      "write NAME = number, number or PT(3) = x, y, z");
      return;
    }
    const std::string word = capitals(p.here().text);
    if (p.next().kind == Sign::slash) return read_setting(p, word);
    const Token name = p.take();
    if (p.is_at(Sign::open)) return read_point(p, name);
    if (!p.expect(Sign::equals, "=", quote(word))) return note_damaged(word);
    DataEntry* entry = declare(name, word);
    DataEntry scratch;
    read_numbers(p, entry == nullptr ? scratch : *entry);
  }

  void read_setting(StatementParser& p, const std::string& word) {
    const Token token = p.take();
    p.take();
    if (word == "UNITS") return read_units(p);
    if (word == "GRAVTY") {
      if (part_.gravity) return report_second(token.where, "GRAVTY", part_.gravity->where);
      part_.gravity.emplace();
      part_.gravity->where = token.where;
      read_numbers(p, *part_.gravity);
      return;
    }
    const bool is_of_listing = find_word(word) != nullptr;
    messages_.error(token.where, "kam-word",
                    is_of_listing ? fmt::format("{} stands after END, among the data", word)
                                  : fmt::format("there are no data {}", quote(word)),
                    is_of_listing ? "put it before END, into the listing"
                                  : messages_.guess_or(word, {"UNITS", "GRAVTY", "REMARK"},
                                                       "data are UNITS/…, GRAVTY/… and NAME = number, …"));
  }

  void read_units(StatementParser& p) {
    part_.has_units = true;
    bool sound = true;
    do {
      const Token token = p.take();
      if (token.kind != Sign::name) {
        messages_.error(token.where, "kam-syntax", fmt::format("a unit is due, not {}", describe(token)),
                        "write for example UNITS/MM, DEG, N");
        return;
      }
      read_unit(token);
    } while (p.separate(sound));
  }

  void read_unit(const Token& token) {
    const std::string word = capitals(token.text);
    std::vector<std::string> known;
    for (const UnitWord& unit : unit_words()) {
      known.push_back(unit.capital);
      if (unit.capital != word) continue;
      const auto [given, is_new] = quantities_given_.try_emplace(unit.quantity, token.where);
      if (!is_new) {
        messages_.error(token.where, "kam-data-twice", fmt::format("{} is a second unit of {}", word, unit.quantity),
                        "keep one of them");
        return;
      }
      set_unit(part_.units, unit.quantity, unit.unit);
      return;
    }
    messages_.error(
        token.where, "unit-unknown", fmt::format("{} is not a unit", quote(word)),
        guess_unit(word, known,
                   fmt::format("the units are {}; {}; {}; {}; {}", known_units("length"), known_units("angle"),
                               known_units("mass"), known_units("time"), known_units("force"))));
  }

  // Words such as INCH are longer than the unit they mean.
  std::string guess_unit(const std::string& word, const std::vector<std::string>& known, std::string otherwise) {
    std::string small = word;
    for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const char* quantity : quantities) {
      const std::string meant = capitals(translate_unit(small, quantity));
      if (!meant.empty()) return fmt::format("did you mean {}?", quote(meant));
    }
    return messages_.guess_or(word, known, std::move(otherwise));
  }

  // PT(3) = x, y, z
  void read_point(StatementParser& p, const Token& name) {
    const std::string array = capitals(name.text);
    p.take();
    if (!p.is_at(Sign::number)) {
      messages_.error(p.here().where, "kam-syntax",
                      fmt::format("after '{}(' a number is due, not {}", array, describe(p.here())),
                      "write PT(3) = x, y, z");
      return;
    }
    const auto number = p.take_subscript();
    if (!number) return;
    if (!p.expect(Sign::close, ")", "the number") || !p.expect(Sign::equals, "=", "the point")) {
      return note_damaged(array, *number);
    }
    DataEntry scratch;
    DataEntry* entry = declare_point(name, array, *number);
    read_numbers(p, entry == nullptr ? scratch : *entry);
  }

  DataEntry* declare_point(const Token& name, const std::string& array, int number) {
    const auto found = listing_.symbols.find(array);
    if (found == listing_.symbols.end() || found->second.kind != Kind::points) {
      if (!unknown_array_reported_) {
        std::vector<std::string> arrays;
        for (const PointArray& a : listing_.arrays) arrays.push_back(a.name);
        messages_.error(name.where, "kam-data-unknown", fmt::format("the listing has no points {}", quote(array)),
                        messages_.guess_or(array, arrays, fmt::format("declare them: DIMENSION/{}(8)", array)));
        unknown_array_reported_ = true;
      }
      return nullptr;
    }
    const PointArray& points = listing_.arrays[static_cast<std::size_t>(found->second.index)];
    if (number > points.size) {
      messages_.error(name.where, "kam-subscript",
                      fmt::format("there is no {}({}): DIMENSION declares {}({})", array, number, array, points.size),
                      "raise the number in DIMENSION, or correct this one");
      return nullptr;
    }
    const auto [entry, is_new] = part_.points.try_emplace(PointId{found->second.index, number});
    if (!is_new) {
      report_second(name.where, fmt::format("{}({})", array, number), entry->second.where);
      return nullptr;
    }
    entry->second.where = name.where;
    return &entry->second;
  }

  // An entry of this name, if it takes numbers.
  DataEntry* declare(const Token& token, const std::string& name) {
    const auto found = listing_.symbols.find(name);
    if (found == listing_.symbols.end()) {
      messages_.error(
          token.where, "kam-data-unknown", fmt::format("the listing has no {}", quote(name)),
          messages_.guess_or(name, candidates(), "data are for names of the listing; correct the name, or delete it"));
      return nullptr;
    }
    const Symbol& symbol = found->second;
    if (!takes_numbers(symbol)) {
      messages_.error(token.where, "kam-data-unknown",
                      fmt::format("{} is {}: it takes no numbers", quote(name), what_it_is(symbol)),
                      symbol.kind == Kind::points
                          ? fmt::format("write {}(3) = x, y, z", name)
                          : "numbers are for points, bodies, loads, motions and inputs; delete them");
      return nullptr;
    }
    const auto [entry, is_new] = part_.names.try_emplace(name);
    if (!is_new) {
      report_second(token.where, name, entry->second.where);
      return nullptr;
    }
    entry->second.where = token.where;
    return &entry->second;
  }

  bool takes_numbers(const Symbol& symbol) const {
    switch (symbol.kind) {
      case Kind::body:
      case Kind::motion:
      case Kind::input:
      case Kind::nothing:  // its statement has a mistake that was reported
        return true;
      case Kind::load:
        return symbol.index == not_there || !is_free_load(listing_.loads[static_cast<std::size_t>(symbol.index)]);
      default:
        return false;
    }
  }
  static bool is_free_load(const KamLoad& load) { return load.is_resisting() && !load.is_bound; }
  static std::string what_it_is(const Symbol& symbol) {
    return symbol.kind == Kind::load ? "a resisting load, whose size is found" : std::string(describe(symbol.kind));
  }

  const std::vector<std::string>& candidates() {
    if (!candidates_.empty()) return candidates_;
    const auto add = [&](const auto& list) {
      for (const auto& item : list) candidates_.push_back(item.name);
    };
    add(listing_.bodies);
    add(listing_.loads);
    add(listing_.motions);
    add(listing_.inputs);
    return candidates_;
  }
  std::vector<std::string> candidates_;

  void read_numbers(StatementParser& p, DataEntry& entry) {
    bool sound = true;
    do {
      const Token token = p.take();
      if (token.kind != Sign::number) {
        messages_.error(token.where, "not-a-number", fmt::format("a number is due, not {}", describe(token)),
                        "write numbers such as 2.5 or 1e-3");
        entry.is_sound = false;
        return;
      }
      entry.numbers.push_back({token.value(), token.where});
    } while (p.separate(sound));
    entry.is_sound = sound;
    entry.end = p.here().where;
  }

  void report_second(SourceLocation where, const std::string& name, SourceLocation first) {
    messages_.error(where, "kam-data-twice",
                    fmt::format("{} is given here a second time; first at {}:{}", name, first.line, first.column),
                    "delete one of the two");
  }

  // A statement that could not be read counts as given.
  void note_damaged(StatementParser& p) {
    if (!p.is_at(Sign::name)) return;
    const std::string word = capitals(p.take().text);
    if (word == "GRAVTY" || word == "UNITS") return;
    if (!p.take_if(Sign::open)) return note_damaged(word);
    if (p.is_at(Sign::number)) note_damaged(word, p.here().value());
  }
  void note_damaged(const std::string& array, double number) {
    const auto found = listing_.symbols.find(array);
    if (found == listing_.symbols.end() || found->second.kind != Kind::points) return;
    if (!(number >= 1 && number <= listing_.arrays[static_cast<std::size_t>(found->second.index)].size)) return;
    part_.points.try_emplace(PointId{found->second.index, static_cast<int>(number)}).first->second.is_sound = false;
  }
  void note_damaged(const std::string& name) { part_.names.try_emplace(name).first->second.is_sound = false; }
};

}  // namespace

void read_data(StatementReader& reader, const Listing& listing, DataPart& part) {
  DataReader(reader, listing, part).run();
}

}  // namespace trammel::readers::kam
