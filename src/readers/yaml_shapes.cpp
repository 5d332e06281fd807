// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_shapes.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_keys.hpp"
#include "readers/yaml_plate.hpp"

namespace trammel::readers {

namespace {

using Kind = Shape::Kind;
constexpr std::array kinds{Kind::rod,    Kind::cylinder,  Kind::capsule, Kind::box,
                           Kind::sphere, Kind::ellipsoid, Kind::plate,   Kind::mesh};

std::vector<std::string> kind_words(ShapeUse use) {
  std::vector<std::string> words;
  for (const Kind kind : kinds) {
    if (kind != Kind::mesh || use != ShapeUse::solid) words.emplace_back(keyword(kind));
  }
  return words;
}

// One shape while it is read.
struct ShapeReader {
  Reading& r;
  const Fields& fields;
  const Transformd& X_WL;
  ShapeUse use;
  Shape shape;
  bool ok = true;

  void degenerate(const Node& node, const std::string& what, const std::string& fix) {
    r.messages.error(node.where, "shape-degenerate", what, fix);
    ok = false;
  }

  // `called`: what the value of a key such as `sphere` is, for messages.
  double positive(std::string_view key, std::string_view called = {}) {
    const Node* node = fields.find(key);
    if (node == nullptr) {
      fields.report_missing(r, key, fmt::format("add {}: followed by a length", key));
      ok = false;
      return 1;
    }
    const auto number = read_positive(r, *node, fields.what(called.empty() ? key : called), dimension::length);
    ok = ok && number;
    return number.value_or(1);
  }

  Vec3d positive_vector(std::string_view key, std::string_view called) {
    const Node& node = *fields.find(key);
    const auto v = read_vector(r, node, fields.what(called), dimension::length);
    ok = ok && v;
    if (v && !(v->x > 0 && v->y > 0 && v->z > 0)) {
      degenerate(node, fmt::format("one of the {} is not more than 0", fields.what(called)),
                 "give three lengths above 0");
    }
    return v.value_or(Vec3d{1, 1, 1});
  }

  // `at` and `rotation`, which draw the frame S; the drawn forms have none of them.
  void read_own_frame() {
    if (const Node* at = fields.find("at")) {
      if (const auto place = read_place(r, *at, fields.what("at"))) {
        shape.X_BS.p = place->in(X_WL);
      } else {
        ok = false;
      }
    }
    if (const Node* rotation = fields.find("rotation")) {
      const auto R = read_rotation(r, *rotation, fields.what("rotation"));
      ok = ok && R;
      if (R) shape.X_BS.R = *R;
    }
  }
  void refuse_own_frame() {
    for (const char* key : {"at", "rotation"}) {
      if (const Node* node = fields.find(key)) {
        r.messages.error(node->where, "key-conflict",
                         fmt::format("{} is drawn by its points and cannot have '{}'", fields.subject(), key),
                         fmt::format("delete '{}', or move the points", key));
        ok = false;
      }
    }
  }

  void read_bar(std::string_view key) {
    const double radius = positive("radius");
    const Node& node = *fields.find(key);
    if (node.is_scalar()) {  // its length
      shape.length = positive(key, "length");
      shape.radius = radius;
      return read_own_frame();
    }
    refuse_own_frame();
    if (!node.is_list() || node.children.size() != 2) {
      r.messages.error(node.where, "wrong-type",
                       fmt::format("{} must be two points, not {}", fields.what("ends"), describe(node)),
                       fmt::format("write {}: [P, Q], with names of points or [x, y, z]", key));
      ok = false;
      return;
    }
    const auto P = read_place(r, *node.children[0].value, "the first end of " + fields.subject());
    const auto Q = read_place(r, *node.children[1].value, "the second end of " + fields.subject());
    ok = ok && P && Q;
    if (!P || !Q) return;
    const Vec3d p = P->in(X_WL), q = Q->in(X_WL);
    if (!(norm(q - p) > 0)) return degenerate(node, fields.subject() + " has both ends in one place", "move one end");
    if (!std::isfinite(norm(q - p))) {
      return degenerate(node, fields.subject() + " is longer than a double holds", "check the sizes and units");
    }
    shape = bar_between(shape.kind, p, q, radius);
  }

  void read_cylinder() {
    shape.radius = positive("cylinder", "radius");
    shape.length = positive("length");
    read_own_frame();
    const Node* axis = fields.find("axis");
    if (axis == nullptr) return;
    if (fields.has("rotation")) {
      r.messages.error(axis->where, "key-conflict", fmt::format("{} has both 'axis' and 'rotation'", fields.subject()),
                       "keep one of them");
      ok = false;
      return;
    }
    const auto direction = read_direction(r, *axis, fields.what("axis"), X_WL);
    ok = ok && direction;
    if (direction) shape.X_BS = frame_at(shape.X_BS.p, *direction);
  }

  void read_plate() {
    const double thickness = positive("thickness");
    const Node& node = *fields.find("plate");
    if (!node.is_list() || node.children.size() < 3 || node.children.size() > most_corners) {
      r.messages.error(node.where, "wrong-type",
                       fmt::format("{} must be a list of 3 to {} corners, not {}", fields.what("outline"), most_corners,
                                   describe(node)),
                       "write plate: [P, Q, R, …], with names of points or [x, y, z]");
      ok = false;
      return;
    }
    const Node& first = *node.children[0].value;
    const bool flat = first.is_list() && first.children.size() == 2;
    flat ? read_flat_corners(node, thickness) : read_corners(node, thickness);
    if (!ok) return;
    const std::string trouble = trouble_with_outline(shape.outline);
    if (!trouble.empty()) {
      degenerate(node, fmt::format("{} {}", fields.subject(), trouble), "give the corners in order round the outline");
    }
  }

  void read_flat_corners(const Node& node, double thickness) {
    shape.length = thickness;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const auto xy = read_numbers(r, *node.children[i].value, fmt::format("corner {} of {}", i + 1, fields.subject()),
                                   {dimension::length, dimension::length});
      ok = ok && xy;
      if (xy) shape.outline.push_back({(*xy)[0], (*xy)[1], 0});
    }
    read_own_frame();
  }

  void read_corners(const Node& node, double thickness) {
    refuse_own_frame();
    std::vector<Vec3d> corners;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const auto p = read_place(r, *node.children[i].value, fmt::format("corner {} of {}", i + 1, fields.subject()));
      ok = ok && p;
      if (p) corners.push_back(p->in(X_WL));
    }
    if (!ok) return;
    shape = plate_with_corners(corners, thickness);
    if (shape.outline.empty()) {
      const bool repeats = corners[0] == corners[1];
      return degenerate(node, fields.subject() + (repeats ? " has corners 1 and 2 in one place" : " has no area"),
                        "give the corners in order round the outline");
    }
    const double height = height_of_corners(corners, shape);
    if (height > 1e-6 * size_of_outline(corners)) {
      degenerate(node,
                 fmt::format("{} is not flat: a corner lies {} {} off its plane", fields.subject(),
                             rounded(r.model.units.from_si(height, dimension::length)), r.model.units.length),
                 "move the corners into one plane");
    }
  }

  void read_mesh() {
    const Node& node = *fields.find("mesh");
    if (use == ShapeUse::solid) {
      r.messages.error(node.where, "shape-kind",
                       fmt::format("{} cannot give it mass: files of meshes are not looked into", fields.subject()),
                       "write it under 'visual' or 'collision', and give mass, com and inertia as numbers");
      ok = false;
      return;
    }
    const auto file = read_text(r, node, fields.what("file"));
    ok = ok && file;
    if (file && file->empty()) degenerate(node, fields.subject() + " names no file", "give the file of the mesh");
    shape.mesh = file.value_or("");
    if (const Node* scale = fields.find("scale")) read_scale(*scale);
    read_own_frame();
  }

  void read_scale(const Node& node) {
    if (node.is_list()) {
      const auto scale = read_vector(r, node, fields.what("scale"), dimension::none);
      ok = ok && scale;
      shape.scale = scale.value_or(Vec3d{1, 1, 1});
    } else {
      const auto scale = read_number(r, node, fields.what("scale"), dimension::none);
      ok = ok && scale;
      shape.scale = Vec3d{1, 1, 1} * scale.value_or(1);
    }
    if (shape.scale.x == 0 || shape.scale.y == 0 || shape.scale.z == 0) {
      degenerate(node, fields.what("scale") + " is 0", "give one number or three, none of them 0");
    }
  }

  void read_colour() {
    const Node* node = fields.find("colour");
    if (node == nullptr) return;
    const std::size_t count = node->children.size();
    if (!node->is_list() || (count != 3 && count != 4)) {
      r.messages.error(
          node->where, "wrong-type",
          fmt::format("{} must be a list of 3 or 4 numbers, not {}", fields.what("colour"), describe(*node)),
          "write [red, green, blue] or [red, green, blue, alpha], each from 0 to 1");
      return;
    }
    const auto numbers = read_numbers(r, *node, fields.what("colour"), std::vector<Dimension>(count));
    if (!numbers) return;
    for (const double x : *numbers) {
      if (x >= 0 && x <= 1) continue;
      r.messages.error(node->where, "number-out-of-range",
                       fmt::format("{} has {}, which is not from 0 to 1", fields.what("colour"), shortest(x)),
                       "give numbers from 0 to 1; divide those from 0 to 255 by 255");
      return;
    }
    shape.colour = Colour{(*numbers)[0], (*numbers)[1], (*numbers)[2], count == 4 ? (*numbers)[3] : 1};
  }

  void refuse_mass() {
    for (const char* key : {"mass", "density"}) {
      if (const Node* node = fields.find(key)) {
        r.messages.error(node->where, "key-conflict",
                         fmt::format("{} is only {} and cannot have '{}'", fields.subject(),
                                     use == ShapeUse::visual ? "drawn" : "touched", key),
                         fmt::format("delete '{}', or write the shape under 'shape'", key));
        ok = false;
      }
    }
  }

  void read_mass() {
    if (use != ShapeUse::solid) return refuse_mass();
    const Node* mass = fields.find("mass");
    const Node* density = fields.find("density");
    if (mass != nullptr && density != nullptr) {
      r.messages.error(density->where, "key-conflict", fields.subject() + " has both 'mass' and 'density'",
                       "keep one of them");
      ok = false;
    }
    if (mass != nullptr) {
      shape.mass = read_number(r, *mass, fields.what("mass"), dimension::mass);
      if (shape.mass && *shape.mass < 0) {
        r.messages.error(mass->where, "mass-negative",
                         fmt::format("{} has a negative mass: {} {}", fields.subject(), mass->text, r.model.units.mass),
                         "give a mass of 0 or more");
        ok = false;
      }
    }
    if (density != nullptr) {
      shape.density = read_positive(r, *density, fields.what("density"), dimension::density);
    }
  }

  void read(Kind kind) {
    shape.kind = kind;
    switch (kind) {
      case Kind::rod:
        return read_bar("rod");
      case Kind::capsule:
        return read_bar("capsule");
      case Kind::cylinder:
        return read_cylinder();
      case Kind::box:
        shape.size = positive_vector("box", "edges");
        return read_own_frame();
      case Kind::ellipsoid:
        shape.size = positive_vector("ellipsoid", "half axes");
        return read_own_frame();
      case Kind::sphere:
        shape.radius = positive("sphere", "radius");
        return read_own_frame();
      case Kind::plate:
        return read_plate();
      case Kind::mesh:
        return read_mesh();
    }
  }
};

std::optional<Kind> kind_of(Reading& r, const Node& node, const std::string& subject, ShapeUse use) {
  std::optional<Kind> found;
  for (const Kind kind : kinds) {
    if (node.find(keyword(kind)) == nullptr) continue;
    if (found) {
      r.messages.error(node.where, "shape-kind",
                       fmt::format("{} is both a {} and a {}", subject, keyword(*found), keyword(kind)),
                       "write two shapes as a list: [{…}, {…}]");
      return std::nullopt;
    }
    found = kind;
  }
  if (found) return found;
  std::string fix = "give one of " + one_of(kind_words(use));
  SourceLocation where = node.where;
  for (const Node::Child& child : node.children) {
    std::string guess = translate_shape(child.key->text);
    if (guess.empty()) guess = r.messages.guess(child.key->text, kind_words(use));
    if (guess.empty()) continue;
    fix = fmt::format("did you mean '{}' instead of {}?", guess, quote(child.key->text));
    where = child.key->where;
  }
  r.messages.error(where, "shape-kind", subject + " does not say which shape it is", fix);
  return std::nullopt;
}

std::optional<Shape> read_shape(Reading& r, const Node& node, const std::string& subject, const Transformd& X_WL,
                                ShapeUse use) {
  if (!node.is_map()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a mapping, not {}", subject, describe(node)),
                     "write for example {sphere: 0.1, at: [0, 0, 0]}");
    return std::nullopt;
  }
  const std::optional<Kind> kind = kind_of(r, node, subject, use);
  if (!kind) return std::nullopt;
  const std::string word(keyword(*kind));
  const Fields fields(r, node, "shape " + word,
                      fmt::format("the {} of {}", word, subject.substr(subject.find(" of ") + 4)));
  ShapeReader reader{r, fields, X_WL, use, {}};
  reader.read(*kind);
  reader.read_mass();
  reader.read_colour();
  reader.shape.where = node.where;
  if (!reader.ok) return std::nullopt;
  return reader.shape;
}

}  // namespace

Shape bar_between(Shape::Kind kind, const Vec3d& P, const Vec3d& Q, double radius) {
  Shape bar;
  bar.kind = kind;
  bar.length = norm(Q - P);
  bar.radius = radius;
  bar.X_BS = frame_at((P + Q) * 0.5, Q - P);
  return bar;
}

std::vector<Shape> read_shapes(Reading& r, const Node& node, const std::string& subject, const Transformd& X_WL,
                               ShapeUse use) {
  std::vector<Shape> shapes;
  const auto add = [&](const Node& one, const std::string& name) {
    if (auto shape = read_shape(r, one, name, X_WL, use)) shapes.push_back(std::move(*shape));
  };
  const std::string word = use == ShapeUse::solid ? "shape" : use == ShapeUse::visual ? "visual" : "collision";
  if (!node.is_list()) {
    add(node, fmt::format("the {} of {}", word, subject));
    return shapes;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    add(*node.children[i].value, fmt::format("{} {} of {}", word, i + 1, subject));
  }
  return shapes;
}

}  // namespace trammel::readers
