// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// From names and numbers to a model, at the design position:
//   body      frame at its first point A, axes of the world
//   pair      a joint from the body before it to the body after it, its frames at N:
//               REVLUT, PRISM, CYLNDR   z along M→N; at an input along the axis of MOTION
//               SPHERE                  at the centre, axes of the world
//               PLANAR                  z along M→K, the normal
//               UNIVRS                  at the centre K; x along K→M, on the body before it, y along K→N, on the body after it
//             What points have no place in this: BODY's second. It lies on the incoming axis, along which it may slide, and welding
//             it to the body would lock a cylindric pair.
//   input     the coordinate of its joint, turned so that it is of the body relative to the ground
//   load      a direction that is fixed in the ground or on the body

#include "readers/kam_lowering.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "model/inertia_check.hpp"

namespace trammel::readers::kam {

namespace {

// What the design position may be off by, relative to the size of the linkage; angles in rad.
constexpr double slack = 1e-6;

std::optional<Vec3d> direction(const Vec3d& from, const Vec3d& to) {
  const Vec3d d = to - from;
  const double size = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  double reach = 0;
  for (const Vec3d& p : {from, to}) reach = std::max({reach, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  if (!(size > 1e-12 * reach) || !std::isfinite(size) || !std::isfinite(1 / size)) return std::nullopt;
  const Vec3d scaled{d.x / size, d.y / size, d.z / size};
  const double length = norm(scaled);
  return Vec3d{scaled.x / length, scaled.y / length, scaled.z / length};
}

class Lowering {
 public:
  Lowering(const Listing& listing, std::vector<DataPart>& parts, Messages& messages, Model& model)
      : listing_(listing), parts_(parts), messages_(messages), model_(model) {}

  void run() {
    if (std::all_of(parts_.begin(), parts_.end(), [](const DataPart& part) { return part.is_empty; })) return;
    settle_units();
    place_points();
    read_gravity();
    make_bodies();
    make_joints();
    make_inputs();
    make_loads();
    make_outputs();
  }

 private:
  const Listing& listing_;
  std::vector<DataPart>& parts_;
  Messages& messages_;
  Model& model_;
  std::map<PointId, Vec3d> places_;  // those whose numbers could be read
  double size_ = 0;                  // of the linkage
  // Lines that keep their direction in certain bodies: those bodies, by the two points, either way.
  std::map<std::pair<PointId, PointId>, std::vector<int>> axes_;

  // --- numbers ----------------------------------------------------------------------------------------------------------

  // A part without UNITS goes by those of the part before it.
  void settle_units() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (i > 0 && !parts_[i].has_units) parts_[i].units = parts_[i - 1].units;
    }
    if (!parts_.empty()) model_.units = parts_.back().units;
  }

  struct Given {
    const DataEntry* entry = nullptr;
    const DataPart* part = nullptr;

    explicit operator bool() const { return entry != nullptr; }
    double number(std::size_t i, const Dimension& dimension) const {
      return part->units.in_si(entry->numbers[i].value, dimension);
    }
  };

  // The last part that has it.
  Given find(const std::string& name) const {
    Given given;
    for (const DataPart& part : parts_) {
      const auto found = part.names.find(name);
      if (found != part.names.end()) given = {&found->second, &part};
    }
    return given;
  }

  void report_missing(SourceLocation where, const std::string& what, const std::string& form) {
    messages_.error(where, "kam-data-missing", fmt::format("the data do not give {}", what),
                    fmt::format("add {} to the data", form));
  }

  // One of the allowed counts.
  bool check_count(const Given& given, const std::string& name, const std::vector<std::size_t>& counts,
                   const std::string& form) {
    if (!given.entry->is_sound) return false;
    const std::size_t count = given.entry->numbers.size();
    if (std::find(counts.begin(), counts.end(), count) != counts.end()) return true;
    std::vector<std::string> allowed;
    allowed.reserve(counts.size());
    for (const std::size_t c : counts) allowed.push_back(std::to_string(c));
    given.part->messages->error(
        count > counts.back() ? given.entry->numbers[counts.back()].where : given.entry->end, "kam-data-count",
        fmt::format("{} takes {} number{}, not {}", name, one_of(allowed), counts.back() == 1 ? "" : "s", count),
        fmt::format("write {}", form));
    return false;
  }

  // In SI all must still be a number.
  bool is_finite(const Given& given, std::size_t i, double value) {
    if (std::isfinite(value)) return true;
    given.part->messages->error(given.entry->numbers[i].where, "number-not-finite",
                                "this number is beyond what a double holds, in SI units", "check it and the units");
    return false;
  }

  std::optional<Vec3d> vector(const Given& given, std::size_t first, const Dimension& dimension) {
    Vec3d v;
    double* const parts[3] = {&v.x, &v.y, &v.z};
    for (std::size_t i = 0; i < 3; ++i) {
      *parts[i] = given.number(first + i, dimension);
      if (!is_finite(given, first + i, *parts[i])) return std::nullopt;
    }
    return v;
  }

  void place_points() {
    std::map<PointId, Given> all;
    for (const DataPart& part : parts_) {
      for (const auto& [point, entry] : part.points) all[point] = {&entry, &part};
    }
    for (const auto& [point, given] : all) {
      const std::string name = listing_.text(point);
      if (!check_count(given, name, {3}, name + " = x, y, z")) continue;
      const auto p = vector(given, 0, dimension::length);
      if (!p) continue;
      places_[point] = *p;
      const auto used = listing_.used_points.find(point);
      model_.points.push_back({name, *p, used == listing_.used_points.end() ? SourceLocation{} : used->second});
    }
    for (const auto& [point, where] : listing_.used_points) {
      if (all.contains(point)) continue;
      report_missing(where, listing_.text(point), listing_.text(point) + " = x, y, z");
    }
    Vec3d low, high;
    bool first = true;
    for (const auto& [point, p] : places_) {
      low = first ? p : Vec3d{std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = first ? p : Vec3d{std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      first = false;
    }
    size_ = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  }

  const Vec3d* place(const PointId& point) const {
    const auto found = places_.find(point);
    return found == places_.end() ? nullptr : &found->second;
  }

  std::string length_text(double si) const {
    return fmt::format("{} {}", rounded(model_.units.from_si(si, dimension::length)), model_.units.length);
  }

  // From one point to another; where both are given, a message if they coincide.
  std::optional<Vec3d> direction_of(const PointId& from, const PointId& to, SourceLocation where,
                                    const std::string& what) {
    const Vec3d *a = place(from), *b = place(to);
    if (a == nullptr || b == nullptr) return std::nullopt;
    const auto d = direction(*a, *b);
    if (!d) {
      messages_.error(where, "points-coincide",
                      fmt::format("{} has no direction: the data put {} and {} in one place", what, listing_.text(from),
                                  listing_.text(to)),
                      "move one of them along the axis");
    }
    return d;
  }

  // Weight is data: a listing of 1965 had none.
  void read_gravity() {
    model_.gravity = {};
    Given given;
    for (const DataPart& part : parts_) {
      if (part.gravity) given = {&*part.gravity, &part};
    }
    if (!given || !check_count(given, "GRAVTY", {3}, "GRAVTY/x, y, z")) return;
    if (const auto g = vector(given, 0, dimension::acceleration)) model_.gravity = *g;
  }

  // --- bodies -----------------------------------------------------------------------------------------------------------

  void make_bodies() {
    for (const KamBody& body : listing_.bodies) {
      if (!body.is_used || !body.is_sound) continue;
      const Vec3d* origin = place(body.fixed.front());
      Body& made = model_.bodies.emplace_back();
      made.name = body.name;
      made.where = body.where;
      if (origin != nullptr) made.X_WB.p = *origin;
      if (const Given given = find(body.name)) read_mass(given, body, made);
    }
    for (const KamBody& body : listing_.bodies) {
      if (body.is_used) continue;
      if (const Given given = find(body.name)) warn_unused(given, "body", body.name);
    }
  }

  void warn_unused(const Given& given, const char* kind, const std::string& name) {
    given.part->messages->warning(
        given.entry->where, "kam-unused",
        fmt::format("numbers of {} {} are left out: it is in no loop of the system", kind, quote(name)),
        "nothing needs to be done");
  }

  // Mass alone: a slender rod from the first of the body's points to the last. Or with centre of mass, and moments.
  void read_mass(const Given& given, const KamBody& body, Body& made) {
    const std::string form = body.name + " = mass, or mass, x, y, z, Ixx, Iyy, Izz, Ixy, Ixz, Iyz";
    if (!check_count(given, body.name, {1, 4, 7, 10}, form)) return;
    const std::size_t count = given.entry->numbers.size();
    made.mass = given.number(0, dimension::mass);
    if (!is_finite(given, 0, made.mass)) return;
    if (made.mass < 0) {
      given.part->messages->error(given.entry->numbers[0].where, "mass-negative",
                                  fmt::format("body {} has a negative mass", quote(body.name)),
                                  "give a mass of 0 or more");
      return;
    }
    const Vec3d* first = place(body.fixed.front());
    const Vec3d* last = place(body.fixed.back());
    if (first == nullptr || last == nullptr) return;
    if (count == 1) {
      const Vec3d d = *last - *first;
      made.com = d * 0.5;
      const double twelfth = made.mass / 12, square = dot(d, d);  // m/12 (|d|² 1 − d dᵀ)
      made.inertia = {twelfth * (square - d.x * d.x), twelfth * (square - d.y * d.y), twelfth * (square - d.z * d.z),
                      -twelfth * d.x * d.y,           -twelfth * d.x * d.z,           -twelfth * d.y * d.z};
    } else {
      const auto com = vector(given, 1, dimension::length);
      if (!com) return;
      made.com = *com - *first;
      double moments[6] = {};
      for (std::size_t i = 4; i < count; ++i) {
        moments[i - 4] = given.number(i, dimension::inertia);
        if (!is_finite(given, i, moments[i - 4])) return;
      }
      made.inertia = Sym3d::of_entries(moments);
    }
    judge_mass(given, made);
  }

  void judge_mass(const Given& given, const Body& body) {
    const std::string_view overflow = find_overflow(body.mass, body.com, body.inertia);
    if (!overflow.empty()) {
      given.part->messages->error(
          given.entry->where, "number-not-finite",
          fmt::format("{} of body {} is beyond what a double holds", overflow, quote(body.name)),
          "check the sizes and units");
      return;
    }
    const InertiaJudgement judgement = judge_inertia(body.inertia);
    if (!judgement.negative && !judgement.triangle) return;
    const auto shown = [&](double x) { return rounded(given.part->units.from_si(x, dimension::inertia)); };
    const std::string moments = fmt::format("{}, {}, {} {}", shown(judgement.principal.x), shown(judgement.principal.y),
                                            shown(judgement.principal.z), given.part->units.name(dimension::inertia));
    if (judgement.negative) {
      given.part->messages->error(
          given.entry->where, "inertia-negative",
          fmt::format("body {} has a negative principal moment of inertia: {}", quote(body.name), moments),
          "give the inertia at the centre of mass; check the signs of xy, xz, yz");
    } else {
      given.part->messages->warning(given.entry->where, "inertia-triangle",
                                    fmt::format("body {} has principal moments {}: the largest exceeds the sum of the "
                                                "others, which no real body's does",
                                                quote(body.name), moments),
                                    "check the inertia; it is used as given");
    }
  }

  std::string name_of(int body) const {
    return body == on_ground ? std::string(ground_name) : listing_.body(body).name;
  }
  Vec3d origin_of(int body) const {
    if (body == on_ground || listing_.body(body).fixed.empty()) return {};  // a body without points was reported
    const Vec3d* origin = place(listing_.body(body).fixed.front());
    return origin == nullptr ? Vec3d{} : *origin;
  }

  // --- joints -----------------------------------------------------------------------------------------------------------

  void make_joints() {
    const std::vector<const KamMotion*> motions = motions_by_pair();
    std::vector<bool> is_input(listing_.pairs.size(), false);
    for (const KamInput& input : listing_.inputs) {
      if (input.is_sound) is_input[static_cast<std::size_t>(input.pair)] = true;
    }
    for (std::size_t i = 0; i < listing_.pairs.size(); ++i) {
      const KamPair& pair = listing_.pairs[i];
      if (!pair.is_used || !pair.is_sound || pair.before == not_there) continue;
      note_axes(pair);
      auto frame = frame_of(pair);
      if (!frame) continue;
      if (has_axis(pair) && pair.fits) check_axis_points(pair, *frame);
      if (motions[i] != nullptr) frame = turned_to(*motions[i], pair, *frame);
      add(pair, *frame, is_input[i]);
    }
  }

  void note_axes(const KamPair& pair) {
    const auto add = [&](const PointId& a, const PointId& b, std::initializer_list<int> bodies) {
      std::vector<int>& list = axes_[std::minmax(a, b)];
      list.insert(list.end(), bodies);
    };
    if (has_axis(pair)) add(pair.m, pair.n, {pair.before, pair.after});
    if (pair.word == Word::planar) add(pair.m, pair.k, {pair.before, pair.after});
    if (pair.word == Word::univrs) add(pair.k, pair.m, {pair.before}), add(pair.k, pair.n, {pair.after});
  }

  std::vector<const KamMotion*> motions_by_pair() const {
    std::vector<const KamMotion*> motions(listing_.pairs.size(), nullptr);
    for (const KamMotion& motion : listing_.motions) {
      if (motion.is_sound) motions[static_cast<std::size_t>(motion.pair)] = &motion;
    }
    return motions;
  }

  static bool has_axis(const KamPair& pair) {
    return pair.word == Word::revlut || pair.word == Word::prism || pair.word == Word::cylndr;
  }

  static AnyJoint type_of(Word word) {
    switch (word) {
      case Word::prism:
        return Prismatic{};
      case Word::cylndr:
        return Cylindrical{};
      case Word::sphere:
        return Spherical{};
      case Word::planar:
        return Planar{};
      case Word::univrs:
        return Universal{};
      default:
        return Revolute{};
    }
  }

  // Of the joint in the world.
  std::optional<Transformd> frame_of(const KamPair& pair) {
    const std::string title = fmt::format("{} {}", title_of_pair(pair.word), quote(pair.name));
    const Vec3d *n = place(pair.n), *m = place(pair.m);
    if (n == nullptr || m == nullptr) return std::nullopt;
    if (pair.word == Word::sphere) {
      const double gap = norm(*n - *m);
      if (gap <= slack * size_) return Transformd::translation(*n);
      messages_.error(pair.n_where, "kam-apart",
                      fmt::format("the points of {} are {} apart; both are its centre", title, length_text(gap)),
                      "give one point, or the same coordinates to both");
      return std::nullopt;
    }
    if (pair.word == Word::univrs) return frame_of_universal(pair, title);
    if (pair.word == Word::planar) return frame_of_planar(pair, title);
    const auto axis = direction_of(pair.m, pair.n, pair.n_where, "the axis of " + title);
    if (!axis) return std::nullopt;
    return frame_at(*n, *axis);
  }

  std::optional<Transformd> frame_of_planar(const KamPair& pair, const std::string& title) {
    const auto normal = direction_of(pair.m, pair.k, pair.k_where, "the normal of " + title);
    if (!normal) return std::nullopt;
    const Vec3d &n = *place(pair.n), &m = *place(pair.m);
    const double off = dot(*normal, n - m);
    if (!(std::abs(off) <= slack * size_)) {
      messages_.error(pair.n_where, "kam-apart",
                      fmt::format("{} of {} is {} off the plane through {}", listing_.text(pair.n), title,
                                  length_text(std::abs(off)), listing_.text(pair.m)),
                      fmt::format("move it into the plane, whose normal runs from {} to {}", listing_.text(pair.m),
                                  listing_.text(pair.k)));
      return std::nullopt;
    }
    return frame_at(n, *normal);
  }

  std::optional<Transformd> frame_of_universal(const KamPair& pair, const std::string& title) {
    const auto x = direction_of(pair.k, pair.m, pair.n_where, "the first axis of " + title);
    const auto y = direction_of(pair.k, pair.n, pair.n_where, "the second axis of " + title);
    if (!x || !y) return std::nullopt;
    const double cosine = dot(*x, *y);
    if (!(std::abs(cosine) <= slack)) {
      messages_.error(pair.n_where, "axes-not-perpendicular",
                      fmt::format("the axes of {} meet at {}°, not at 90°", title,
                                  rounded(std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi)),
                      fmt::format("move {} or {}: seen from {} they are at right angles", listing_.text(pair.n),
                                  listing_.text(pair.m), listing_.text(pair.k)));
      return std::nullopt;
    }
    return frame_at(*place(pair.k), *x, *y);
  }

  // The second point of a body lies on the axis that leads to it. It has no other use: a warning.
  void check_axis_points(const KamPair& pair, const Transformd& frame) {
    const auto check = [&](int index) {
      const KamBody& body = listing_.body(index);
      if (!body.is_sound || body.on_axis.empty()) return;
      const Vec3d* b = place(body.on_axis.front());
      if (b == nullptr) return;
      const Vec3d d = *b - frame.p;
      const double off = norm(cross(frame.R.ez, d));
      if (!(off > slack * size_)) return;
      messages_.warning(
          body.axis_where, "kam-off-axis",
          fmt::format("{} of {} is {} off the axis of pair {}, which leads to it", listing_.text(body.on_axis.front()),
                      listing_.title(index), length_text(off), quote(pair.name)),
          "it marks that axis and is not used otherwise; correct it");
    };
    const KamLoop& loop = listing_.loops[static_cast<std::size_t>(pair.loop)];
    const int index = static_cast<int>(&pair - listing_.pairs.data());
    if (pair.after != on_ground && first_pair_before(pair.after) == index) check(pair.after);
    if (!listing_.system.empty() && &loop == &listing_.loops[static_cast<std::size_t>(listing_.system.front())] &&
        loop.pairs.front() == index) {
      check(on_ground);
    }
  }

  // The pair through which loops first come to a body.
  int first_pair_before(int body) {
    if (leading_.empty()) {
      leading_.assign(listing_.bodies.size(), not_there);
      for (const int index : listing_.system) {
        const KamLoop& loop = listing_.loops[static_cast<std::size_t>(index)];
        if (!loop.is_sound) continue;
        for (std::size_t i = 0; i < loop.bodies.size(); ++i) {
          int& leading = leading_[static_cast<std::size_t>(loop.bodies[i])];
          if (leading == not_there) leading = loop.pairs[i];
        }
      }
    }
    return leading_[static_cast<std::size_t>(body)];
  }
  std::vector<int> leading_;

  // MOTION's points give the sense in which an input counts.
  Transformd turned_to(const KamMotion& motion, const KamPair& pair, const Transformd& frame) {
    const auto along = direction_of(motion.from, motion.to, motion.direction_where, "motion " + quote(motion.name));
    if (!along) return frame;
    const double off = norm(cross(*along, frame.R.ez));
    if (!(off <= slack)) {
      messages_.error(motion.direction_where, "kam-direction",
                      fmt::format("motion {} is along {} → {}, {}° off the axis of pair {}", quote(motion.name),
                                  listing_.text(motion.from), listing_.text(motion.to),
                                  rounded(std::asin(std::min(off, 1.0)) * 180 / std::numbers::pi), quote(pair.name)),
                      fmt::format("name its own points: {}, {}", listing_.text(pair.m), listing_.text(pair.n)));
      return frame;
    }
    return dot(*along, frame.R.ez) > 0 ? frame : frame_at(frame.p, -frame.R.ez);
  }

  // An input is that of the body relative to the ground, also where the loop ends with it.
  void add(const KamPair& pair, const Transformd& frame, bool is_input) {
    const bool reversed = is_input && pair.after == on_ground;
    const int first = reversed ? pair.after : pair.before, second = reversed ? pair.before : pair.after;
    Joint& joint = model_.joints.emplace_back();
    joint.name = pair.name;
    joint.type = type_of(pair.word);
    joint.first = name_of(first);
    joint.second = name_of(second);
    joint.X_AF = {frame.R, frame.p - origin_of(first)};
    joint.X_BM = {frame.R, frame.p - origin_of(second)};
    joint.where = pair.where;
  }

  // --- inputs, loads, outputs --------------------------------------------------------------------------------------------

  void make_inputs() {
    const std::vector<const KamMotion*> motions = motions_by_pair();
    for (const KamInput& input : listing_.inputs) {
      if (!input.is_sound) continue;
      const Dimension value = input.word == Word::inang ? dimension::angle : dimension::length;
      Input made;
      made.joint = listing_.pair(input.pair).name;
      made.where = input.where;
      read_range(input, value, made);
      if (const KamMotion* motion = motions[static_cast<std::size_t>(input.pair)]) read_motion(*motion, value, made);
      model_.inputs.push_back(std::move(made));
    }
  }

  void read_range(const KamInput& input, const Dimension& value, Input& made) {
    const std::string form = input.name + " = from, to, increment, or one value";
    const Given given = find(input.name);
    if (!given)
      return report_missing(input.where, "the range of input " + quote(input.name),
                            input.name + " = from, to, increment");
    if (!check_count(given, input.name, {1, 3}, form)) return;
    double numbers[3] = {};
    for (std::size_t i = 0; i < given.entry->numbers.size(); ++i) {
      numbers[i] = given.number(i, value);
      if (!is_finite(given, i, numbers[i])) return;
    }
    made.from = made.to = numbers[0];
    if (given.entry->numbers.size() == 1) return;
    made.to = numbers[1];
    made.step = numbers[2];
    check_step(given, input.name, made);
  }

  void check_step(const Given& given, const std::string& name, const Input& input) {
    const double range = input.to - input.from;
    if (range == 0) return;
    const auto written = [&](std::size_t i) { return shortest(given.entry->numbers[i].value); };
    const auto complain = [&](const std::string& what, const std::string& fix) {
      given.part->messages->error(given.entry->numbers[2].where, "step-wrong", what, fix);
    };
    constexpr double most = 1e7;
    if (input.step == 0) {
      complain(fmt::format("the increment of {} is 0: it never gets from {} to {}", name, written(0), written(1)),
               "give an increment other than 0");
    } else if ((input.step > 0) != (range > 0)) {
      complain(fmt::format("the increment of {} leads away from {}", name, written(1)),
               "give it the other sign, or exchange the ends");
    } else if (!(range / input.step <= most)) {
      complain(fmt::format("the increment of {} divides the range into {} steps; at most {} are allowed", name,
                           rounded(range / input.step), rounded(most)),
               "give a larger increment");
    }
  }

  void read_motion(const KamMotion& motion, const Dimension& value, Input& made) {
    const Given given = find(motion.name);
    if (!given) {
      return report_missing(motion.where, "motion " + quote(motion.name), motion.name + " = speed, acceleration");
    }
    if (!check_count(given, motion.name, {1, 2}, motion.name + " = speed, acceleration")) return;
    Dimension rate = value;
    rate.time -= 1;
    made.speed = given.number(0, rate);
    rate.time -= 1;
    if (!is_finite(given, 0, made.speed) || given.entry->numbers.size() == 1) return;
    made.acceleration = given.number(1, rate);
    is_finite(given, 1, made.acceleration);
  }

  // Is the direction from one point to another the same, seen from this body, wherever the linkage goes?
  bool holds_direction(int body, const PointId& from, const PointId& to) const {
    if (holds(body, from) && holds(body, to)) return true;
    const auto axis = axes_.find(std::minmax(from, to));
    return axis != axes_.end() && std::find(axis->second.begin(), axis->second.end(), body) != axis->second.end();
  }
  // Points that no body carries stay where they are.
  bool holds(int body, const PointId& point) const {
    return listing_.body(body).carries(point) || is_pivot(body, point) ||
           (body == on_ground && !carried_.contains(point));
  }
  // On the axis of a hinge of the body, or the centre of a ball: fixed on both of its bodies.
  bool is_pivot(int body, const PointId& point) const {
    return std::any_of(listing_.pairs.begin(), listing_.pairs.end(), [&](const KamPair& pair) {
      const bool joins = pair.is_used && pair.is_sound && (pair.before == body || pair.after == body);
      return joins && ((pair.word == Word::revlut && (point == pair.m || point == pair.n)) ||
                       (pair.word == Word::sphere && point == pair.n));
    });
  }
  std::set<PointId> carried_;  // by bodies that move

  void find_carried_points() {
    for (const KamBody& body : listing_.bodies) {
      if (body.is_used) carried_.insert(body.fixed.begin(), body.fixed.end());
    }
    for (const KamPair& pair : listing_.pairs) {
      if (!pair.is_used || !pair.is_sound) continue;
      const bool is_universal = pair.word == Word::univrs;
      if (is_universal && pair.before != on_ground) carried_.insert(pair.m);
      if (is_universal && pair.after != on_ground) carried_.insert(pair.n);
      if (pair.word == Word::planar && pair.before != on_ground) carried_.insert(pair.k);
    }
  }

  void make_loads() {
    find_carried_points();
    for (const KamLoad& load : listing_.loads) {
      if (!load.is_sound) continue;
      const Vec3d* at = place(load.at);
      const auto along = direction_of(load.from, load.to, load.direction_where, "load " + quote(load.name));
      Load made;
      made.name = load.name;
      made.where = load.where;
      made.is_couple = load.is_couple();
      made.at.body = name_of(load.body);
      if (at != nullptr) made.at.p_B = *at - origin_of(load.body);
      if (along) made.direction = *along;
      made.turns_along = turns_with_body(load);
      read_size(load, made);
      model_.loads.push_back(std::move(made));
    }
  }

  bool turns_with_body(const KamLoad& load) {
    if (!listing_.is_traced) return false;
    if (holds_direction(on_ground, load.from, load.to)) return false;
    if (holds_direction(load.body, load.from, load.to)) return true;
    messages_.error(
        load.direction_where, "kam-direction",
        fmt::format("load {} is along {} → {}, which is fixed neither on the ground nor on body {}", quote(load.name),
                    listing_.text(load.from), listing_.text(load.to), quote(listing_.body(load.body).name)),
        "name two points of that body, of BASE, of the axis of one of its pairs, or of no body at all");
    return false;
  }

  void read_size(const KamLoad& load, Load& made) {
    const Dimension own = load.is_couple() ? dimension::torque : dimension::force;
    if (!load.is_resisting()) {
      const Given given = find(load.name);
      made.size = TimeFunction(0.0);
      if (!given) return report_missing(load.where, "the size of load " + quote(load.name), load.name + " = size");
      if (!check_count(given, load.name, {1}, load.name + " = size")) return;
      const double size = given.number(0, own);
      if (is_finite(given, 0, size)) made.size = TimeFunction(size);
      return;
    }
    if (!load.is_bound) return;
    const KamLoad& other = listing_.loads[static_cast<std::size_t>(load.bound_to)];
    const Given given = find(load.name);
    const std::string form = fmt::format("{} = C1, C2", load.name);
    made.bound_to = other.name;
    if (!given) {
      return report_missing(load.where, fmt::format("C1 and C2 of {} = C1 · {} + C2", load.name, other.name), form);
    }
    if (!check_count(given, load.name, {2}, form)) return;
    made.ratio = given.number(0, {.length = (load.is_couple() ? 1 : 0) - (other.is_couple() ? 1 : 0)});
    made.offset = given.number(1, own);
    if (is_finite(given, 0, made.ratio)) is_finite(given, 1, made.offset);
  }

  void make_outputs() {
    for (const KamOutput& output : listing_.outputs) {
      if (!output.is_sound) continue;
      const Vec3d* p = place(output.point);
      if (p == nullptr) continue;
      model_.outputs.push_back({output.name, name_of(output.body), *p - origin_of(output.body), output.where});
    }
  }
};

}  // namespace

void lower(const Listing& listing, std::vector<DataPart>& parts, Messages& messages, Model& model) {
  Lowering(listing, parts, messages, model).run();
}

}  // namespace trammel::readers::kam
