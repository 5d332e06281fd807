// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Loops traced from the ground to the ground. A pair that stands between two bodies in a loop joins them: its M lies on the body
// before it, its N on the body after it. In a later loop the same pair may be passed either way, but between the same two bodies.
// A loop is driven by its own INANG or INLEN, or, if it shares a pair with loops before it, by them.

#include <algorithm>

#include <fmt/format.h>

#include "readers/kam_listing.hpp"

namespace trammel::readers::kam {

namespace {

class Tracer {
 public:
  Tracer(Listing& listing, Messages& messages)
      : listing_(listing),
        messages_(messages),
        pair_seen_in_(listing.pairs.size(), -1),
        body_seen_in_(listing.bodies.size(), -1),
        direction_is_hidden_(listing.pairs.size(), false) {}

  void run() {
    if (!listing_.has_system) {  // reported; the rest can still be judged
      for (std::size_t i = 0; i < listing_.loops.size(); ++i) listing_.system.push_back(static_cast<int>(i));
    }
    for (const int loop : listing_.system) trace(loop);
    listing_.is_traced = all_is_traced();
    inputs_are_known_ = !has_damaged_input();
    check_inputs();
    check_motions();
    check_drives();
    check_uses();
  }

 private:
  Listing& listing_;
  Messages& messages_;
  std::vector<int> pair_seen_in_, body_seen_in_;  // the last loop that passed through it
  std::vector<bool> direction_is_hidden_;         // of a pair that a loop with a mistake passes through first
  bool inputs_are_known_ = true;                  // none has a mistake that hides what it drives

  KamLoop& loop_of(int index) { return listing_.loops[static_cast<std::size_t>(index)]; }

  void trace(int index) {
    KamLoop& loop = loop_of(index);
    loop.is_used = true;
    for (const int pair : loop.pairs) {
      if (pair != not_there) listing_.pair(pair).is_used = true;
    }
    for (const int body : loop.bodies) {
      if (body != not_there) listing_.body(body).is_used = true;
    }
    loop.is_sound = loop.is_sound && passes_each_once(index, loop);
    if (!loop.is_sound) {
      for (const int pair : loop.pairs) {
        if (pair != not_there) direction_is_hidden_[static_cast<std::size_t>(pair)] = true;
      }
      return;
    }
    for (std::size_t i = 0; i < loop.pairs.size(); ++i) {
      const int before = i == 0 ? on_ground : loop.bodies[i - 1];
      const int after = i == loop.bodies.size() ? on_ground : loop.bodies[i];
      pass(index, loop.pairs[i], before, after, loop.arguments[2 * i].where);
    }
  }

  bool all_is_traced() const {
    for (const KamLoop& loop : listing_.loops) {
      if (!loop.is_sound) return false;
    }
    for (const KamPair& pair : listing_.pairs) {
      if (!pair.is_sound || !pair.fits) return false;
    }
    for (const KamBody& body : listing_.bodies) {
      if (!body.is_sound) return false;
    }
    for (const auto& [name, symbol] : listing_.symbols) {
      const bool matters = symbol.kind == Kind::body || symbol.kind == Kind::pair || symbol.kind == Kind::loop ||
                           symbol.kind == Kind::nothing;
      if (matters && symbol.index == not_there) return false;
    }
    return listing_.base.is_sound && listing_.has_system;
  }

  bool passes_each_once(int index, const KamLoop& loop) {
    bool once = true;
    for (std::size_t i = 0; i < loop.arguments.size(); ++i) {
      const bool is_pair = i % 2 == 0;
      const int item = is_pair ? loop.pairs[i / 2] : loop.bodies[i / 2];
      int& seen = (is_pair ? pair_seen_in_ : body_seen_in_)[static_cast<std::size_t>(item)];
      if (seen == index) {
        messages_.error(loop.arguments[i].where, "kam-loop",
                        fmt::format("loop {} passes through {} {} twice", quote(loop.name), is_pair ? "pair" : "body",
                                    quote(loop.arguments[i].name)),
                        is_pair ? "name each pair once; a second pair of the same kind has a name of its own"
                                : "name each body once; what returns to it is a loop of its own");
        once = false;
      }
      seen = index;
    }
    return once;
  }

  void pass(int loop_index, int pair_index, int before, int after, SourceLocation where) {
    KamPair& pair = listing_.pair(pair_index);
    if (!pair.is_sound) return;
    const KamLoop& loop = loop_of(loop_index);
    if (pair.before == not_there) {
      pair.before = before;
      pair.after = after;
      pair.loop = loop_index;
      check_points(loop, pair, direction_is_hidden_[static_cast<std::size_t>(pair_index)], where);
      return;
    }
    const bool same = pair.before == before && pair.after == after;
    const bool backwards = pair.before == after && pair.after == before;
    if (same || backwards) return;
    messages_.error(
        where, "kam-pair-twice",
        fmt::format("pair {} joins {} and {} in loop {}, but {} and {} in loop {}", quote(pair.name),
                    listing_.title(before), listing_.title(after), quote(loop.name), listing_.title(pair.before),
                    listing_.title(pair.after), quote(loop_of(pair.loop).name)),
        "a pair joins two bodies, the same in every loop; declare another pair");
  }

  // The points through which the vector loop enters and leaves the pair.
  static PointId leaves(const KamPair& pair) { return pair.word == Word::univrs ? pair.k : pair.n; }
  static PointId enters(const KamPair& pair) { return pair.word == Word::univrs ? pair.k : pair.m; }

  void check_points(const KamLoop& loop, KamPair& pair, bool direction_is_hidden, SourceLocation where) {
    const KamBody &before = listing_.body(pair.before), &after = listing_.body(pair.after);
    if (!before.is_sound || !after.is_sound) return;
    const PointId m = enters(pair), n = leaves(pair);
    if (before.carries(m) && after.carries(n)) return;
    pair.fits = false;
    if (before.carries(n) && after.carries(m)) {
      if (direction_is_hidden) return;  // it may be right for the other loop
      messages_.error(where, "kam-loop-open",
                      fmt::format("pair {} is the wrong way round for loop {}: {} lies on {}, which comes before it",
                                  quote(pair.name), quote(loop.name), listing_.text(n), listing_.title(pair.before)),
                      fmt::format("exchange its points: write {} = {}/{}, {}: the first on the body after it",
                                  pair.name, info_of(pair.word).text, listing_.text(m), listing_.text(n)));
      return;
    }
    if (!before.carries(m)) report_open(loop, pair, pair.before, m, "from", where);
    if (!after.carries(n)) report_open(loop, pair, pair.after, n, "to", where);
  }

  void report_open(const KamLoop& loop, const KamPair& pair, int body_index, const PointId& point, const char* way,
                   SourceLocation where) {
    const KamBody& body = listing_.body(body_index);
    const bool is_on_axis = !body.on_axis.empty() && body.on_axis.front() == point;
    const std::string title = listing_.title(body_index), statement = body_index == on_ground ? "BASE" : body.name;
    messages_.error(where, "kam-loop-open",
                    fmt::format("loop {} does not close: pair {} leads {} {} at {}, which {}", quote(loop.name),
                                quote(pair.name), way, title, listing_.text(point),
                                is_on_axis ? "only marks the axis there and may slide"
                                           : fmt::format("is no point of it; those are {}", listing_.text(body.fixed))),
                    is_on_axis ? fmt::format("name a point fixed on it: {}", listing_.text(body.fixed))
                               : fmt::format("correct the pair or the loop, or add {} to the points of {}",
                                             listing_.text(point), statement));
  }

  // --- inputs -----------------------------------------------------------------------------------------------------------

  void check_inputs() {
    std::vector<const KamInput*> of_pair(listing_.pairs.size(), nullptr);
    for (KamInput& input : listing_.inputs) {
      if (!input.is_sound) continue;
      input.is_sound = check_input(input);
      if (!input.is_sound) continue;
      const KamInput*& first = of_pair[static_cast<std::size_t>(input.pair)];
      if (first != nullptr) {
        messages_.error(input.where, "input-twice",
                        fmt::format("input {} drives pair {}, which {} drives already", quote(input.name),
                                    quote(listing_.pair(input.pair).name), quote(first->name)),
                        "delete one of them");
        input.is_sound = false;
      } else {
        first = &input;
      }
    }
  }

  bool check_input(const KamInput& input) {
    const KamLoop& loop = loop_of(input.loop);
    const KamPair& pair = listing_.pair(input.pair);
    if (!loop.is_sound || !pair.is_sound) return true;
    if (std::find(loop.pairs.begin(), loop.pairs.end(), input.pair) == loop.pairs.end()) {
      messages_.error(
          input.pair_where, "kam-input", fmt::format("pair {} is not in loop {}", quote(pair.name), quote(loop.name)),
          fmt::format("name a pair of the loop, such as {}", quote(listing_.pair(loop.pairs.front()).name)));
      return false;
    }
    if (!loop.is_used) {
      messages_.error(
          input.loop_where, "kam-left-out",
          fmt::format("input {} is for loop {}, which is not in SYSTEM", quote(input.name), quote(loop.name)),
          "add the loop to SYSTEM, or delete the input");
      return false;
    }
    const bool turns = input.word == Word::inang;
    if (pair.word != (turns ? Word::revlut : Word::prism)) {
      const bool is_other = pair.word == (turns ? Word::prism : Word::revlut);
      messages_.error(
          input.pair_where, "kam-input",
          fmt::format("{} drives a {}, and {} is a {}", info_of(input.word).text,
                      title_of_pair(turns ? Word::revlut : Word::prism), quote(pair.name), title_of_pair(pair.word)),
          is_other ? fmt::format("write {}", turns ? "INLEN" : "INANG")
                   : "drive a pair with one freedom: REVLUT by INANG, PRISM by INLEN");
      return false;
    }
    if (pair.before != on_ground && pair.after != on_ground && pair.before != not_there) {
      messages_.error(input.pair_where, "kam-input",
                      fmt::format("pair {} joins {} and {}; an input is at a pair of the ground", quote(pair.name),
                                  listing_.title(pair.before), listing_.title(pair.after)),
                      "drive a pair that joins a body to the ground");
      return false;
    }
    return true;
  }

  void check_motions() {
    std::vector<bool> is_driven(listing_.pairs.size(), false);
    std::vector<const KamMotion*> of_pair(listing_.pairs.size(), nullptr);
    for (const KamInput& input : listing_.inputs) {
      if (input.pair != not_there) is_driven[static_cast<std::size_t>(input.pair)] = true;
    }
    for (KamMotion& motion : listing_.motions) {
      if (!motion.is_sound) continue;
      const std::string pair = quote(listing_.pair(motion.pair).name);
      const KamMotion*& first = of_pair[static_cast<std::size_t>(motion.pair)];
      if (first != nullptr) {
        messages_.error(motion.where, "input-twice",
                        fmt::format("motion {} moves pair {}, which {} moves already", quote(motion.name), pair,
                                    quote(first->name)),
                        "delete one of them");
        motion.is_sound = false;
      } else if (!is_driven[static_cast<std::size_t>(motion.pair)] && inputs_are_known_) {
        messages_.error(motion.pair_where, "kam-input",
                        fmt::format("motion {} is at pair {}, which has no position input", quote(motion.name), pair),
                        fix_of_motion(listing_.pair(motion.pair)));
        motion.is_sound = false;
      } else {
        first = &motion;
      }
    }
  }

  static std::string fix_of_motion(const KamPair& pair) {
    if (pair.word != Word::revlut && pair.word != Word::prism) return "name the pair of an INANG or INLEN";
    return fmt::format("add NAME = {}/LOOP({})", pair.word == Word::prism ? "INLEN" : "INANG", pair.name);
  }

  // In the order of SYSTEM.
  void check_drives() {
    std::vector<bool> moves(listing_.pairs.size(), false), has_input(listing_.loops.size(), false);
    for (const KamInput& input : listing_.inputs) {
      if (input.loop != not_there) has_input[static_cast<std::size_t>(input.loop)] = true;
    }
    for (const int index : listing_.system) {
      const KamLoop& loop = loop_of(index);
      if (!loop.is_sound) return;  // which pairs move is not known from here on
      const bool follows = std::any_of(loop.pairs.begin(), loop.pairs.end(),
                                       [&](int pair) { return moves[static_cast<std::size_t>(pair)]; });
      if (!follows && !has_input[static_cast<std::size_t>(index)] && inputs_are_known_) {
        messages_.error(loop.name_where, "kam-input",
                        fmt::format("nothing drives loop {}: no INANG or INLEN names it, and it shares no pair with a "
                                    "loop before it",
                                    quote(loop.name)),
                        fmt::format("add NAME = INANG/{}({})", loop.name, listing_.pair(loop.pairs.front()).name));
      }
      for (const int pair : loop.pairs) moves[static_cast<std::size_t>(pair)] = true;
    }
  }

  bool has_damaged_input() const {
    const auto is_unclear = [](const KamInput& i) { return i.loop == not_there || i.pair == not_there; };
    if (std::any_of(listing_.inputs.begin(), listing_.inputs.end(), is_unclear)) return true;
    return std::any_of(listing_.symbols.begin(), listing_.symbols.end(), [](const auto& entry) {
      return (entry.second.kind == Kind::input || entry.second.kind == Kind::nothing) &&
             entry.second.index == not_there;
    });
  }

  // --- what is in no loop -------------------------------------------------------------------------------------------------

  void check_uses() {
    for (const KamLoop& loop : listing_.loops) {
      if (!loop.is_used)
        warn_unused(loop.where, "loop", loop.name, "is not in SYSTEM", "add it to SYSTEM, or delete it");
    }
    bool all_loops_are_known = true;
    for (const KamLoop& loop : listing_.loops) all_loops_are_known = all_loops_are_known && loop.is_sound;
    for (const auto& [name, symbol] : listing_.symbols) {
      if (symbol.index == not_there && (symbol.kind == Kind::loop || symbol.kind == Kind::nothing)) return;
    }
    if (!all_loops_are_known || listing_.loops.empty()) return;
    for (const KamBody& body : listing_.bodies) {
      if (!body.is_used)
        warn_unused(body.where, "body", body.name, "is in no loop of the system", "add it to a loop, or delete it");
    }
    for (const KamPair& pair : listing_.pairs) {
      if (!pair.is_used)
        warn_unused(pair.where, "pair", pair.name, "is in no loop of the system", "add it to a loop, or delete it");
    }
    for (KamLoad& load : listing_.loads) {
      if (load.is_sound) load.is_sound = check_body(load.body, load.body_where, "load", load.name);
    }
    for (KamOutput& output : listing_.outputs) {
      if (output.is_sound) output.is_sound = check_body(output.body, output.body_where, "output", output.name);
    }
  }

  void warn_unused(SourceLocation where, const char* kind, const std::string& name, const char* why, const char* fix) {
    messages_.warning(where, "kam-unused", fmt::format("{} {} {}: it is left out", kind, quote(name), why), fix);
  }

  bool check_body(int body, SourceLocation where, const char* kind, const std::string& name) {
    if (listing_.body(body).is_used) return true;
    messages_.error(where, "kam-left-out",
                    fmt::format("{} {} is on body {}, which is in no loop of the system", kind, quote(name),
                                quote(listing_.body(body).name)),
                    "add the body to a loop, or name another");
    return false;
  }
};

}  // namespace

void trace_loops(Listing& listing, Messages& messages) { Tracer(listing, messages).run(); }

}  // namespace trammel::readers::kam
