// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `constraints`. Each is drawn at the design position, in the world, and becomes a frame P on its first body and a frame
// Q on its second, as the headers in include/trammel/constraints/ ask for.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "readers/yaml_curves.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {

namespace {

constexpr double tiny_angle = 1e-6;  // sine or cosine that counts as zero where directions must differ or be square

const std::vector<std::string>& kind_words() {
  static const std::vector<std::string> words{"distance",        "point_on_line", "point_on_plane", "point_on_curve",
                                              "face_on_curve",   "angle",         "parallel",       "rolling",
                                              "rolling_on_line", "hold"};
  return words;
}

class ConstraintReader {
 public:
  ConstraintReader(Reading& r, std::string kind, const Fields& fields, Constraint& constraint)
      : r_(r), kind_(std::move(kind)), fields_(fields), constraint_(constraint) {}

  // False if there was a message that leaves it without meaning.
  bool read() {
    const bool has_bodies = read_bodies();
    std::optional<DrawnFrames> frames;
    if (const Node* given = fields_.find("frames")) {
      refuse_beside_frames();
      frames = read_frames(*given);
    } else {
      frames = draw();
    }
    if (frames && has_bodies) {
      if (!fields_.has("frames")) {
        constraint_.X_AP = inverse(design_pose(r_, *first_)) * frames->X_WP;
        constraint_.X_BQ = inverse(design_pose(r_, *second_)) * frames->X_WQ;
      }
      X_PQ_ = inverse(frames->X_WP) * frames->X_WQ;
    }
    const bool has_type = read_type();
    if (!has_bodies || !frames || !has_type) return false;
    if (is_finite(constraint_.X_AP) && is_finite(constraint_.X_BQ)) return true;
    r_.messages.error(constraint_.where, "number-not-finite",
                      fmt::format("the place of {} is beyond what a double holds", fields_.subject()),
                      "check the sizes and units");
    return false;
  }

 private:
  // --- bodies and frames ------------------------------------------------------------------------------------------------

  bool read_bodies() {
    const Node& pair = *fields_.find(kind_);
    if (kind_ == "hold" && pair.is_scalar()) {
      first_ = BodyRef{.is_ground = true};
      second_ = read_body(r_, pair, fields_.subject());
    } else {
      const auto names = read_two_names(r_, pair, "the bodies of " + fields_.subject(),
                                        fmt::format("{}: [first body, second body]", kind_));
      if (!names) return false;
      first_ = find_body(r_, *pair.children[0].value, names->first, fields_.subject());
      second_ = find_body(r_, *pair.children[1].value, names->second, fields_.subject());
    }
    if (!first_ || !second_) return false;
    constraint_.first = name_of(r_, *first_);
    constraint_.second = name_of(r_, *second_);
    if (constraint_.first != constraint_.second) return true;
    r_.messages.error(pair.where, "body-twice",
                      fmt::format("{} ties {} to itself", fields_.subject(), quote(constraint_.first)),
                      "name two different bodies");
    return false;
  }

  void refuse_beside_frames() {
    for (const char* other : {"at", "line", "plane", "axes", "axis", "centres", "centre", "normal"}) {
      const Node* node = fields_.find(other);
      if (node == nullptr) continue;
      r_.messages.error(node->where, "key-conflict",
                        fmt::format("{} has both 'frames' and '{}'", fields_.subject(), other),
                        "keep one of them; 'frames' says all about the place of the constraint");
    }
  }

  std::optional<DrawnFrames> read_frames(const Node& node) {
    const Fields frames(r_, node, "frames", "frames of " + fields_.subject());
    bool complete = frames.usable();
    for (const auto& [key, X] : {std::pair{"first", &constraint_.X_AP}, std::pair{"second", &constraint_.X_BQ}}) {
      const Node* given = frames.find(key);
      if (given == nullptr) continue;  // the body's own frame
      const auto frame = read_frame(r_, *given, fmt::format("the {} frame of {}", key, fields_.subject()));
      complete = complete && frame;
      if (frame) *X = *frame;
    }
    if (!complete || !first_ || !second_) return std::nullopt;
    return DrawnFrames{design_pose(r_, *first_) * constraint_.X_AP, design_pose(r_, *second_) * constraint_.X_BQ};
  }

  const Node* required(std::string_view key, std::string_view example) {
    const Node* node = fields_.find(key);
    if (node == nullptr) fields_.report_missing(r_, key, fmt::format("add {}: {}", key, example));
    return node;
  }
  std::optional<Vec3d> point(std::string_view key) {
    const Node* node = required(key, "followed by a point, or by [x, y, z]");
    return node == nullptr ? std::nullopt : read_world_point(r_, *node, fields_.what(key));
  }
  std::optional<Vec3d> direction(std::string_view key) {
    const Node* node = required(key, "followed by a direction");
    return node == nullptr ? std::nullopt : read_unit(r_, *node, fields_.what(key));
  }
  // Left out: the normal of a planar linkage, or z.
  std::optional<Vec3d> axis() {
    if (const Node* node = fields_.find("axis")) return read_unit(r_, *node, fields_.what("axis"));
    return r_.model.planar ? r_.model.planar->normal : Vec3d{0, 0, 1};
  }
  std::optional<PlaneDraft> plane() {
    if (!fields_.has("plane") && r_.model.planar) {
      return PlaneDraft{r_.model.planar->point, r_.model.planar->normal, r_.model.planar->x};
    }
    const Node* node = required("plane", "{through: P, normal: z}");
    return node == nullptr ? std::nullopt : read_plane(r_, *node, fields_.what("plane"));
  }
  struct Line {
    Vec3d through, along;
  };
  std::optional<Line> line() {
    const Node* node = required("line", "{through: P, along: x}");
    if (node == nullptr) return std::nullopt;
    const Fields keys(r_, *node, "line", fields_.what("line"));
    std::optional<Vec3d> through, along;
    if (const Node* given = keys.find("through")) {
      through = read_world_point(r_, *given, keys.what("through"));
    } else {
      keys.report_missing(r_, "through", "add through: followed by a point, or by [x, y, z]");
    }
    if (const Node* given = keys.find("along")) {
      along = read_unit(r_, *given, keys.what("along"));
    } else {
      keys.report_missing(r_, "along", "add along: followed by a direction");
    }
    if (!through || !along) return std::nullopt;
    return Line{*through, *along};
  }

  std::optional<DrawnFrames> draw() {
    if (kind_ == "distance") return draw_distance();
    if (kind_ == "angle" || kind_ == "parallel") return draw_two_axes();
    if (kind_ == "rolling") return draw_rolling();
    if (kind_ == "rolling_on_line") return draw_rolling_on_line();
    if (kind_ == "hold") return draw_held();
    if (kind_ == "point_on_line") {
      const auto on = line();
      const auto at = point("at");
      if (!on || !at) return std::nullopt;
      return draw_on_line(on->through, on->along, *at);
    }
    const auto in = plane();
    const auto at = point("at");
    if (kind_ == "face_on_curve") return draw_flat_follower(in, at);
    if (!in || !at) return std::nullopt;
    return draw_on_plane(*in, *at);
  }

  std::optional<DrawnFrames> draw_distance() {
    const Node* node = required("at", "[P, Q], the two ends");
    if (node == nullptr) return std::nullopt;
    const auto ends = read_two_points(r_, *node, fields_.what("at"));
    if (!ends) return std::nullopt;
    return draw_points((*ends)[0], (*ends)[1]);
  }

  std::optional<DrawnFrames> draw_two_axes() {
    const Node* node = required("axes", "[x, y], a direction on each body");
    if (node == nullptr) return std::nullopt;
    if (!node->is_list() || node->children.size() != 2) {
      r_.messages.error(node->where, "wrong-type",
                        fmt::format("axes of {} must be two directions, not {}", fields_.subject(), describe(*node)),
                        "write for example axes: [x, y]");
      return std::nullopt;
    }
    const auto first = read_unit(r_, *node->children[0].value, "the first axis of " + fields_.subject());
    const auto second = read_unit(r_, *node->children[1].value, "the second axis of " + fields_.subject());
    if (!first || !second) return std::nullopt;
    return draw_axes(*first, *second);
  }

  std::optional<DrawnFrames> draw_rolling() {
    const Node* node = required("centres", "[P, Q]");
    const auto turning = axis();
    const auto centres = node == nullptr ? std::nullopt : read_two_points(r_, *node, fields_.what("centres"));
    if (!centres || !turning) return std::nullopt;
    const Vec3d between = (*centres)[1] - (*centres)[0];
    if (!(norm(cross(between, *turning)) > tiny_angle * norm(between))) {
      r_.messages.error(node->where, "points-coincide",
                        fmt::format("the centres of {} coincide as seen along its axis", fields_.subject()),
                        "draw the circles where they touch; for wheels on one shaft use a joint or a gear");
      return std::nullopt;
    }
    return draw_circles((*centres)[0], (*centres)[1], *turning);
  }

  std::optional<DrawnFrames> draw_rolling_on_line() {
    const auto on = line();
    const auto centre = point("centre");
    const auto turning = axis();
    if (!on || !centre || !turning) return std::nullopt;
    if (std::abs(dot(on->along, *turning)) > tiny_angle) {
      r_.messages.error(fields_.find("line")->where, "axes-not-perpendicular",
                        fmt::format("the line of {} is not square to its axis", fields_.subject()),
                        "give an axis at right angles to the line");
      return std::nullopt;
    }
    const double off = std::abs(dot(*centre - on->through, cross(*turning, on->along)));
    if (!(off > tiny_angle * norm(*centre - on->through))) {
      r_.messages.error(fields_.find("centre")->where, "points-coincide",
                        fmt::format("the centre of {} lies on its line", fields_.subject()),
                        "draw the wheel beside the line, a radius away");
      return std::nullopt;
    }
    return draw_wheel(on->through, on->along, *turning, *centre);
  }

  std::optional<DrawnFrames> draw_flat_follower(const std::optional<PlaneDraft>& in, const std::optional<Vec3d>& at) {
    const auto normal = direction("normal");
    if (!in || !at || !normal) return std::nullopt;
    if (std::abs(dot(in->normal, *normal)) > tiny_angle) {
      r_.messages.error(fields_.find("normal")->where, "axes-not-perpendicular",
                        fmt::format("normal of {} does not lie in the plane of its curve", fields_.subject()),
                        "give the direction in the plane that is square to the face, from the curve to the follower");
      return std::nullopt;
    }
    return draw_face(*in, *at, *normal);
  }

  std::optional<DrawnFrames> draw_held() {
    if (!fields_.has("at")) return second_ ? std::optional(draw_hold(design_pose(r_, *second_).p)) : std::nullopt;
    const auto at = point("at");
    if (!at) return std::nullopt;
    return draw_hold(*at);
  }

  // --- parameters -------------------------------------------------------------------------------------------------------

  bool read_type() {
    if (kind_ == "distance") return read_length();
    if (kind_ == "point_on_line") return constraint_.type = PointOnLine{}, true;
    if (kind_ == "point_on_plane") return read_height();
    if (kind_ == "point_on_curve" || kind_ == "face_on_curve") return read_cam();
    if (kind_ == "angle") return read_angle();
    if (kind_ == "parallel") return check_parallel();
    if (kind_ == "rolling") return read_rolling();
    if (kind_ == "rolling_on_line") return read_wheel();
    return read_components();
  }

  // A number that must be above zero.
  std::optional<double> positive(const Node& node, const std::string& what, const Dimension& dimension) {
    const auto number = read_number(r_, node, what, dimension);
    if (!number || *number > 0) return number;
    r_.messages.error(node.where, "number-not-positive", fmt::format("{} must be more than 0, not {}", what, node.text),
                      "give a number above 0");
    return std::nullopt;
  }
  std::optional<double> positive(std::string_view key, std::string_view example) {
    const Node* node = required(key, example);
    return node == nullptr ? std::nullopt : positive(*node, fields_.what(key), dimension::length);
  }

  bool read_length() {
    std::optional<double> length;
    if (X_PQ_ && !(norm(X_PQ_->p) > 0)) {
      const Node* at = fields_.find("at");
      r_.messages.error(at == nullptr ? constraint_.where : at->where, "points-coincide",
                        fmt::format("the two ends of {} coincide: it has no direction", fields_.subject()),
                        "move one of them; points that stay together are a spherical joint");
      return false;
    }
    if (const Node* given = fields_.find("length")) {
      length = positive(*given, fields_.what("length"), dimension::length);
      if (!length) return false;
    }
    if (!length && !X_PQ_) return false;
    constraint_.type = Distance{length ? *length : norm(X_PQ_->p)};
    return true;
  }

  bool read_height() {
    const Node* given = fields_.find("height");
    const auto height =
        given == nullptr ? std::optional(0.0) : read_number(r_, *given, fields_.what("height"), dimension::length);
    if (height) constraint_.type = PointOnPlane{*height};
    return height.has_value();
  }

  bool read_cam() {
    const Node* node = required("curve", "{points: [[x, y], …]}");
    const auto curve = node == nullptr ? nullptr : read_curve(r_, *node, fields_.what("curve"));
    if (kind_ == "face_on_curve") {
      constraint_.type = FaceOnCurve{curve};
      return curve != nullptr;
    }
    double radius = 0;
    bool complete = curve != nullptr;
    if (const Node* given = fields_.find("radius")) {
      const auto number = read_number(r_, *given, fields_.what("radius"), dimension::length);
      complete = complete && number && *number >= 0;
      if (number && *number < 0) {
        r_.messages.error(given->where, "number-negative", fields_.what("radius") + " is negative",
                          "give 0 or more; side: left or right says on which side of the curve the roller is");
      }
      radius = number.value_or(0);
    }
    const auto side = read_side(curve, radius);
    if (!complete || !side) return false;
    constraint_.type = PointOnCurve{curve, *side * radius};
    return true;
  }

  // +1 to the left of the curve, −1 to the right.
  std::optional<double> read_side(const std::shared_ptr<const Curve>& curve, double radius) {
    if (fields_.has("side")) {
      const auto side = word("side", {"left", "right"});
      if (!side) return std::nullopt;
      return *side == "left" ? 1 : -1;
    }
    if (radius == 0 || !curve || !X_PQ_) return 1;
    double off = 0;
    PointOnCurve{curve, 0}.residual(*X_PQ_, &off);
    if (std::abs(off) > 1e-6 * radius) return off > 0 ? 1 : -1;
    r_.messages.error(
        constraint_.where, "side-unclear",
        fmt::format("{} is drawn with its centre on the curve: the roller may be on either side", fields_.subject()),
        "draw the centre a radius away from the curve, or add side: left or right (going along the curve)");
    return std::nullopt;
  }

  std::optional<std::string> word(std::string_view key, const std::vector<std::string>& words) {
    const Node& node = *fields_.find(key);
    if (node.is_scalar() && std::find(words.begin(), words.end(), node.text) != words.end()) return node.text;
    r_.messages.error(
        node.where, "word-unknown",
        fmt::format("{} must be {}, not {}", fields_.what(key), one_of(words), describe(node)),
        node.is_scalar() ? r_.messages.guess_or(node.text, words, "write one of them") : "write one of them");
    return std::nullopt;
  }

  bool read_angle() {
    const Node* given = fields_.find("value");
    std::optional<double> angle;
    if (given != nullptr) {
      angle = read_number(r_, *given, fields_.what("value"), dimension::angle);
    } else if (X_PQ_) {
      const Vec3d& z = X_PQ_->R.ez;
      angle = std::atan2(std::hypot(z.x, z.y), z.z);
    }
    if (!angle) return false;
    constraint_.type = Angle{*angle};
    if (*angle > tiny_angle && *angle < std::numbers::pi - tiny_angle) return true;
    r_.messages.error(
        given != nullptr ? given->where : constraint_.where, "angle-straight",
        fmt::format("{} would hold its axes at {}°, where an angle is two conditions", fields_.subject(),
                    rounded(*angle * 180 / std::numbers::pi)),
        "give an angle between 0° and 180°; for 0° use parallel, for 180° parallel with one axis reversed");
    return false;
  }

  bool check_parallel() {
    constraint_.type = Parallel{};
    if (!X_PQ_ || X_PQ_->R.ez.z > -1 + tiny_angle) return true;
    r_.messages.error(constraint_.where, "axes-opposite",
                      fmt::format("the axes of {} are drawn in opposite directions", fields_.subject()),
                      "reverse one of them: x becomes -x");
    return false;
  }

  bool read_contact(bool& keeps) {
    if (!fields_.has("contact")) return true;
    const auto contact = word("contact", {"held", "free"});
    keeps = !contact || *contact == "held";
    return contact.has_value();
  }
  bool read_phase(double& phase) {
    const Node* given = fields_.find("phase");
    if (given == nullptr) return true;
    const auto number = read_number(r_, *given, fields_.what("phase"), dimension::length);
    phase = number.value_or(0);
    return number.has_value();
  }

  bool read_rolling() {
    RollingCircles rolling;
    bool complete = read_contact(rolling.keeps_contact);
    complete = read_phase(rolling.phase) && complete;
    if (const Node* given = fields_.find("inside")) {
      const auto inside = read_bool(r_, *given, fields_.what("inside"));
      complete = complete && inside;
      rolling.inside = inside.value_or(false);
    }
    const Node* node = required("radii", "[first, second]");
    const auto radii = node == nullptr ? std::nullopt : read_radii(r_, *node, fields_.what("radii"));
    if (!radii || !complete) return false;
    rolling.first_radius = radii->first;
    rolling.second_radius = radii->second;
    constraint_.type = rolling;
    if (!rolling.inside || rolling.first_radius > rolling.second_radius) return true;
    r_.messages.error(node->where, "circle-too-large",
                      fmt::format("the second circle of {} cannot roll inside the first: its radius is not smaller",
                                  fields_.subject()),
                      "name the larger circle first, or leave out 'inside'");
    return false;
  }

  bool read_wheel() {
    RollingOnLine wheel;
    bool complete = read_contact(wheel.keeps_contact);
    complete = read_phase(wheel.phase) && complete;
    const auto radius = positive("radius", "followed by a length");
    wheel.radius = radius.value_or(1);
    constraint_.type = wheel;
    return complete && radius;
  }

  bool read_components() {
    static const std::vector<std::string> words{"rx", "ry", "rz", "x", "y", "z"};
    const Node* node = required("components", "[x, y, z, rx, ry, rz], or some of them");
    if (node == nullptr) return false;
    if (!node->is_list() || node->children.empty()) {
      r_.messages.error(node->where, "wrong-type",
                        fmt::format("components of {} must be a list of {}, not {}", fields_.subject(), one_of(words),
                                    describe(*node)),
                        "write for example components: [x, y, rz]");
      return false;
    }
    Hold hold;
    for (const Node::Child& child : node->children) {
      const Node& component = *child.value;
      const auto found = std::find(words.begin(), words.end(), component.is_scalar() ? component.text : "");
      if (found == words.end()) {
        r_.messages.error(
            component.where, "word-unknown",
            fmt::format("a component of {} must be {}, not {}", fields_.subject(), one_of(words), describe(component)),
            "x, y, z are travels along the axes of the world, rx, ry, rz turns about them");
        return false;
      }
      hold.held[static_cast<std::size_t>(found - words.begin())] = true;
    }
    constraint_.type = hold;
    return true;
  }

  Reading& r_;
  std::string kind_;
  const Fields& fields_;
  Constraint& constraint_;
  std::optional<BodyRef> first_, second_;
  std::optional<Transformd> X_PQ_;  // at the design position
};

}  // namespace

std::optional<std::pair<double, double>> read_radii(Reading& r, const Node& node, const std::string& what) {
  const auto radii = read_numbers(r, node, what, {dimension::length, dimension::length});
  if (!radii) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if ((*radii)[i] > 0) continue;
    const Node& number = *node.children[i].value;
    r.messages.error(number.where, "number-not-positive",
                     fmt::format("{} must be more than 0, not {}", what, number.text), "give two radii above 0");
    return std::nullopt;
  }
  return std::pair((*radii)[0], (*radii)[1]);
}

void read_constraints(Reading& r, const Node& section) {
  if (!check_section(r, section, "constraints", "{name: {distance: [first body, second body], at: [P, Q]}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "constraint")) continue;
    const std::string kind = read_kind(r, *child.key, *child.value, "constraint " + quote(child.key->text),
                                       kind_words(), "{distance: [first body, second body], at: [P, Q]}");
    if (kind.empty()) continue;
    Constraint constraint;
    constraint.name = child.key->text;
    constraint.where = child.key->where;
    const Fields fields(r, *child.value, "constraint " + kind, fmt::format("{} {}", kind, quote(constraint.name)));
    if (ConstraintReader(r, kind, fields, constraint).read()) r.model.constraints.push_back(std::move(constraint));
  }
}

}  // namespace trammel::readers
