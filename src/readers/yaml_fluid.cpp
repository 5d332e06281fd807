// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_fluid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "readers/yaml_formulas.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_shapes.hpp"

namespace trammel::readers {

namespace {

constexpr Dimension velocity{.length = 1, .time = -1};
constexpr Dimension time{.time = 1};

void take(Reading& r, const Fields& fields, std::string_view key, const Dimension& d, double& to,
          bool positive = false) {
  const Node* node = fields.find(key);
  if (node == nullptr) return;
  to = (positive ? read_positive(r, *node, fields.what(key), d) : read_not_negative(r, *node, fields.what(key), d))
           .value_or(to);
}

// --- the fluid --------------------------------------------------------------------------------------------------------------

// Three numbers, or expressions of t, x, y, z among them.
void read_flow(Reading& r, const Node& node, const std::string& what, Current& current) {
  const bool has_formula =
      node.is_list() && std::any_of(node.children.begin(), node.children.end(), [](const Node::Child& c) {
        return c.value->is_scalar() && (c.value->quoted || !is_meant_as_number(c.value->text));
      });
  if (!has_formula) {
    current.velocity = read_vector(r, node, what, velocity).value_or(Vec3d{});
    return;
  }
  if (node.children.size() != 3) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be three numbers or expressions", what),
                     "write [vx, vy, vz]");
    return;
  }
  const std::array<std::string, 4> variables{"t", "x", "y", "z"};
  std::array<FlowFunction, 3> functions;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto expression = read_expression(r, *node.children[i].value, what, variables);
    if (!expression) return;
    const Units& u = r.model.units;
    functions[i] = {*expression, u.to_si(velocity), u.time_si, u.length_si};
  }
  current.formula = functions;
}

// [[depth, vx, vy, vz], …]
void read_depths(Reading& r, const Node& node, const std::string& what, Current& current) {
  if (!node.is_list() || node.children.size() < 2) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a list of at least two rows", what),
                     "write [[0, 0.5, 0, 0], [10, 0.1, 0, 0]]: depth and velocity");
    return;
  }
  for (const Node::Child& row : node.children) {
    const auto numbers = read_numbers(r, *row.value, what, {dimension::length, velocity, velocity, velocity});
    if (!numbers) return;
    const std::vector<double>& n = *numbers;
    if (!current.depth.empty() && !(n[0] > current.depth.back())) {
      r.messages.error(row.value->where, "fluid-current", fmt::format("the depths of {} do not increase", what),
                       "sort the rows from the surface down");
      return;
    }
    current.depth.push_back(n[0]);
    current.at_depth.push_back({n[1], n[2], n[3]});
  }
}

void read_current(Reading& r, const Node& node, const std::string& what, Current& current) {
  if (!node.is_map()) return read_flow(r, node, what, current);
  const Fields fields(r, node, "current", what);
  if (const Node* v = fields.find("velocity")) read_flow(r, *v, fields.what("velocity"), current);
  if (const Node* rows = fields.find("profile")) read_depths(r, *rows, fields.what("profile"), current);
}

void read_wave(Reading& r, const Node& node, const std::string& what, Fluid& fluid) {
  const Fields fields(r, node, "wave", what);
  if (!fields.usable()) return;
  Wave& wave = fluid.waves.emplace_back();
  wave.where = node.where;
  for (const char* key : {"height", "period"}) {
    if (!fields.has(key)) fields.report_missing(r, key, fmt::format("add {}: followed by a number", key));
  }
  take(r, fields, "height", dimension::length, wave.height);
  take(r, fields, "period", time, wave.period, true);
  if (const Node* along = fields.find("direction")) {
    wave.direction = read_unit(r, *along, fields.what("direction")).value_or(wave.direction);
  }
  if (const Node* phase = fields.find("phase")) {
    wave.phase = read_number(r, *phase, fields.what("phase"), dimension::angle).value_or(0);
  }
}

void read_medium(Reading& r, const Node& node, const std::string& what, Fluid& fluid) {
  const bool is_first = fluid.media.empty();
  const Fields fields(r, node, "fluid", what);
  if (!fields.usable()) return;
  Medium& medium = fluid.media.emplace_back();
  medium.where = node.where;
  medium.name = is_first ? "water" : "air";
  if (const Node* name = fields.find("name"))
    medium.name = read_text(r, *name, fields.what("name")).value_or(medium.name);
  if (const Node* density = fields.find("density")) {
    const auto number = read_number(r, *density, fields.what("density"), dimension::density);
    medium.density = number.value_or(0);
    if (number && *number < 0) {
      r.messages.error(density->where, "fluid-density",
                       fmt::format("the density of {} is negative: {}", medium.name, density->text),
                       "give 0 or more: about 1000 kg/m³ for water, 1.2 for air");
      medium.density = 0;
    }
  } else {
    fields.report_missing(r, "density", "add density: followed by a number, 1000 kg/m³ for water");
  }
  if (const Node* surface = fields.find("surface")) {
    medium.surface = read_number(r, *surface, fields.what("surface"), dimension::length).value_or(medium.surface);
  }
  if (const Node* current = fields.find("current")) read_current(r, *current, fields.what("current"), medium.current);
  if (const Node* a = fields.find("acceleration")) {
    medium.current.acceleration =
        read_vector(r, *a, fields.what("acceleration"), dimension::acceleration).value_or(Vec3d{});
  }
  for (const char* key : {"depth", "waves"}) {
    if (is_first || !fields.has(key)) continue;
    r.messages.error(fields.find(key)->where, "key-conflict",
                     fmt::format("{} is of the lowest fluid only", fields.what(key)), "move it there");
  }
  if (!is_first) return;
  take(r, fields, "depth", dimension::length, fluid.depth, true);
  if (const Node* waves = fields.find("waves")) {
    if (!waves->is_list()) return read_wave(r, *waves, fields.what("waves"), fluid);
    for (std::size_t i = 0; i < waves->children.size(); ++i) {
      read_wave(r, *waves->children[i].value, fmt::format("wave {} of {}", i + 1, what), fluid);
    }
  }
}

// --- what a body feels -------------------------------------------------------------------------------------------------------

// Six numbers on the diagonal, or six rows.
std::optional<Hydrodynamics::Matrix> read_matrix(Reading& r, const Node& node, const std::string& what,
                                                 const std::function<Dimension(std::size_t, std::size_t)>& unit) {
  const bool six = node.is_list() && node.children.size() == 6;
  const bool rows = six && node.children[0].value->is_list();
  if (!six) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be six numbers or six rows of six, not {}", what, describe(node)),
                     "write [xx, yy, zz of turning, xx, yy, zz of travel], or all rows; turning comes first");
    return std::nullopt;
  }
  Hydrodynamics::Matrix out{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!rows) {
      const auto number = read_number(r, *node.children[i].value, what, unit(i, i));
      if (!number) return std::nullopt;
      out[7 * i] = *number;
      continue;
    }
    std::vector<Dimension> units;
    for (std::size_t k = 0; k < 6; ++k) units.push_back(unit(i, k));
    const auto numbers = read_numbers(r, *node.children[i].value, fmt::format("row {} of {}", i + 1, what), units);
    if (!numbers) return std::nullopt;
    for (std::size_t k = 0; k < 6; ++k) out[6 * i + k] = (*numbers)[k];
  }
  return out;
}

void make_symmetric(Reading& r, const Node& node, const std::string& what, std::optional<Hydrodynamics::Matrix>& m) {
  if (!m) return;
  double largest = 0;
  for (const double x : *m) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double &a = (*m)[6 * i + k], &b = (*m)[6 * k + i];
      if (std::abs(a - b) > 1e-9 * largest) {
        r.messages.error(node.where, "added-mass-symmetry",
                         fmt::format("{} is not symmetric: {} in row {}, column {}, but {} in row {}, column {}", what,
                                     rounded(a), i + 1, k + 1, rounded(b), k + 1, i + 1),
                         "give the mean of the two halves, if they come from measurements");
        m.reset();
        return;
      }
      a = b;
    }
  }
}

class HydrodynamicsReader {
 public:
  HydrodynamicsReader(Reading& r, const Node& node, Body& body, const Transformd& X_WL)
      : r_(r),
        fields_(r, node, "hydrodynamics", "the fluid of body " + quote(body.name)),
        body_(body),
        h_(*body.in_fluid),
        X_WL_(X_WL) {
    h_.where = node.where;
  }

  void read() {
    if (!fields_.usable()) return;
    if (const Node* hull = fields_.find("hull")) read_hull(*hull);
    if (const Node* v = fields_.find("volume")) {
      h_.volume = read_not_negative(r_, *v, fields_.what("volume"), {.length = 3});
    }
    h_.buoyancy_at = place("buoyancy");
    h_.reference = place("reference").value_or(Vec3d{});
    if (const Node* m = fields_.find("added_mass")) read_added_mass(*m);
    if (const Node* m = fields_.find("drag")) read_switch(*m, "drag", h_.hull_drag);
    if (const Node* m = fields_.find("linear_drag")) {
      h_.linear = read_matrix(r_, *m, fields_.what("linear_drag"), [](auto i, auto k) { return drag_unit(i, k, 1); });
    }
    if (const Node* m = fields_.find("quadratic_drag")) {
      h_.quadratic =
          read_matrix(r_, *m, fields_.what("quadratic_drag"), [](auto i, auto k) { return drag_unit(i, k, 2); });
    }
    if (const Node* fins = fields_.find("fins")) read_fins(*fins);
    if (const Node* source = fields_.find("source"))
      h_.source = read_text(r_, *source, fields_.what("source")).value_or("");
    read_model();
  }

 private:
  std::optional<Vec3d> place(std::string_view key) {
    const Node* node = fields_.find(key);
    if (node == nullptr) return std::nullopt;
    const auto found = read_place(r_, *node, fields_.what(key));
    if (!found) return std::nullopt;
    return found->in(X_WL_);
  }

  void read_switch(const Node& node, std::string_view key, bool& on) {
    if (read_word(r_, node, fields_.what(key), {"none"})) on = false;
  }

  void read_added_mass(const Node& node) {
    if (node.is_scalar()) return read_switch(node, "added_mass", h_.hull_added_mass);
    h_.added_mass = read_matrix(r_, node, fields_.what("added_mass"), added_mass_unit);
    make_symmetric(r_, node, fields_.what("added_mass"), h_.added_mass);
  }

  void read_hull(const Node& node) {
    if (!node.is_list()) return read_part(node, "the hull of body " + quote(body_.name));
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      read_part(*node.children[i].value, fmt::format("part {} of the hull of body {}", i + 1, quote(body_.name)));
    }
  }

  void read_part(const Node& node, const std::string& subject) {
    const Fields fields(r_, node, "hull", subject);
    if (!fields.usable()) return;
    HullPart part;
    part.where = node.where;
    read_one_or_three(fields, "drag", part.drag, part.drag_of_faces);
    read_one_or_three(fields, "added", part.added_across, part.added);
    const auto number = [&](std::string_view key, std::optional<double>& to) {
      if (const Node* given = fields.find(key)) to = read_not_negative(r_, *given, fields.what(key), dimension::none);
    };
    number("drag_along", part.drag_along);
    number("added_along", part.added_along);
    take(r_, fields, "skin_friction", dimension::none, part.skin_friction);
    const Node* shape = fields.find("shape");
    if (shape == nullptr && body_.shapes.empty()) {
      fields.report_missing(r_, "shape", "add shape: {cylinder: …}, or give the body a shape");
      return;
    }
    for (const Shape& s : shape == nullptr ? body_.shapes : read_shapes(r_, *shape, subject, X_WL_, ShapeUse::solid)) {
      part.shape = s;
      part.shape.mass.reset(), part.shape.density.reset();
      if (shape != nullptr && (s.mass || s.density)) {
        r_.messages.error(s.where, "key-conflict", fmt::format("{} weighs nothing", subject),
                          "give the mass to the body's own shape");
      }
      check_fits(fields, part);
      h_.hull.push_back(part);
    }
  }

  void read_one_or_three(const Fields& fields, std::string_view key, std::optional<double>& one,
                         std::optional<Vec3d>& three) {
    const Node* node = fields.find(key);
    if (node == nullptr) return;
    if (!node->is_list()) {
      one = read_not_negative(r_, *node, fields.what(key), dimension::none);
      return;
    }
    three = read_vector(r_, *node, fields.what(key), dimension::none);
    if (three && (three->x < 0 || three->y < 0 || three->z < 0)) {
      r_.messages.error(node->where, "number-negative", fmt::format("{} has a negative number", fields.what(key)),
                        "give 0 or more");
    }
  }

  // Coefficients that the shape has no use for.
  void check_fits(const Fields& fields, const HullPart& part) {
    const Shape::Kind kind = part.shape.kind;
    const bool bar = kind == Shape::Kind::rod || kind == Shape::Kind::cylinder || kind == Shape::Kind::capsule;
    const bool box = kind == Shape::Kind::box;
    const auto refuse = [&](const char* key, const char* fix) {
      const Node* node = fields.find(key);
      if (node == nullptr) return;
      r_.messages.error(node->where, "key-conflict",
                        fmt::format("a {} has no use for {}", keyword(kind), fields.what(key)), fix);
    };
    if (!bar) {
      for (const char* key : {"drag_along", "added_along", "skin_friction"})
        refuse(key, "it is for rods, cylinders and capsules");
    }
    if (!box && part.drag_of_faces) refuse("drag", "give one number; three are for boxes");
    if (!box && part.added) refuse("added", "give one number; three are for boxes");
    if (box && part.added_across) refuse("added", "give three numbers, for x, y and z");
    if (kind == Shape::Kind::ellipsoid && part.added_across)
      refuse("added", "an ellipsoid's is known; give added_mass of the body to change it");
  }

  void read_fins(const Node& section) {
    if (!check_section(r_, section, "fins", "rudder: {at: …, area: …}")) return;
    for (const Node::Child& child : section.children) {
      if (!check_name(r_, *child.key, "fin")) continue;
      const Fields fields(r_, *child.value, "fin", "fin " + quote(child.key->text));
      if (!fields.usable()) continue;
      Fin fin;
      fin.name = child.key->text;
      fin.where = child.key->where;
      for (const char* key : {"at", "area"}) {
        if (!fields.has(key)) fields.report_missing(r_, key, fmt::format("add {}:", key));
      }
      if (const Node* at = fields.find("at")) {
        if (const auto p = read_place(r_, *at, fields.what("at"))) fin.at = p->in(X_WL_);
      }
      if (const Node* d = fields.find("chord"))
        fin.chord = read_unit(r_, *d, fields.what("chord"), X_WL_).value_or(fin.chord);
      if (const Node* d = fields.find("normal"))
        fin.normal = read_unit(r_, *d, fields.what("normal"), X_WL_).value_or(fin.normal);
      if (std::abs(dot(fin.chord, fin.normal)) > 1e-6) {
        r_.messages.error(child.value->where, "fin-axes",
                          fmt::format("chord and normal of {} are not square to each other", fields.subject()),
                          "give a normal at right angles to the chord");
      }
      take(r_, fields, "area", {.length = 2}, fin.area, true);
      take(r_, fields, "aspect", dimension::none, fin.aspect, true);
      take(r_, fields, "stall", dimension::angle, fin.stall, true);
      take(r_, fields, "drag", dimension::none, fin.drag);
      if (const Node* s = fields.find("slope"))
        fin.slope = read_not_negative(r_, *s, fields.what("slope"), {.angle = -1});
      h_.fins.push_back(fin);
    }
  }

  void read_model() {
    if (const Node* parameters = fields_.find("parameters")) {
      if (!fields_.has("model")) {
        r_.messages.error(parameters->where, "key-conflict",
                          fmt::format("{} are of a model, which is not named", fields_.what("parameters")),
                          "add model: followed by its name");
      }
      if (!check_section(r_, *parameters, "parameters", "length: 1.6")) return;
      for (const Node::Child& child : parameters->children) {
        std::vector<double>& numbers = h_.parameters[child.key->text];
        const std::string what = fmt::format("parameter {} of {}", quote(child.key->text), fields_.subject());
        if (!child.value->is_list()) {
          numbers.push_back(read_plain_number(r_, *child.value, what).value_or(0));
          continue;
        }
        for (const Node::Child& entry : child.value->children) {
          numbers.push_back(read_plain_number(r_, *entry.value, what).value_or(0));
        }
      }
    }
    const Node* model = fields_.find("model");
    if (model == nullptr) return;
    const auto name = read_text(r_, *model, fields_.what("model"));
    if (!name) return;
    h_.model = *name;
    const HydrodynamicModelMaker* maker = find_hydrodynamic_model(*name);
    if (maker == nullptr) {
      const std::string meant = r_.messages.guess(*name, hydrodynamic_model_names());
      r_.messages.error(model->where, "hydrodynamic-model",
                        fmt::format("there is no hydrodynamic model {}", quote(*name)),
                        meant.empty() ? "this program has none of that name: see docs/add_a_hydrodynamic_model.md"
                                      : fmt::format("did you mean '{}'?", meant));
      return;
    }
    try {
      h_.custom = (*maker)(h_.parameters);
    } catch (const std::invalid_argument& wrong) {
      r_.messages.error(model->where, "hydrodynamic-model",
                        fmt::format("the model {} cannot be made: {}", quote(*name), wrong.what()),
                        "mend its parameters");
    }
  }

  Reading& r_;
  Fields fields_;
  Body& body_;
  Hydrodynamics& h_;
  const Transformd& X_WL_;
};

}  // namespace

Dimension added_mass_unit(std::size_t row, std::size_t column) {
  return {.length = (row < 3 ? 1 : 0) + (column < 3 ? 1 : 0), .mass = 1};
}
Dimension drag_unit(std::size_t row, std::size_t column, int power) {
  return {.length = (row < 3 ? 1 : 0) - (column < 3 ? 0 : power),
          .angle = column < 3 ? -power : 0,
          .time = power,
          .force = 1};
}

void read_fluid(Reading& r, const Node& node) {
  if (node.is_null()) return;
  if (!node.is_list()) return read_medium(r, node, "the fluid", r.model.fluid);
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    read_medium(r, *node.children[i].value, fmt::format("fluid {}", i + 1), r.model.fluid);
  }
}

void read_hydrodynamics(Reading& r, const Node& node, Body& body, const Transformd& X_WL) {
  if (node.is_scalar() && node.text == "none") {
    body.in_fluid->acts = false;
    body.in_fluid->where = node.where;
    return;
  }
  if (node.is_scalar()) {
    r.messages.error(
        node.where, "wrong-type",
        fmt::format("the fluid of body {} must be a mapping or none, not {}", quote(body.name), describe(node)),
        "write fluid: {hull: …}, or fluid: none");
    return;
  }
  HydrodynamicsReader(r, node, body, X_WL).read();
}

void move_hydrodynamics(Hydrodynamics& h, const Vec3d& p_LB) {
  for (HullPart& part : h.hull) part.shape.X_BS.p -= p_LB;
  for (Fin& fin : h.fins) fin.at -= p_LB;
  if (h.buoyancy_at) *h.buoyancy_at -= p_LB;
  h.reference -= p_LB;
}

}  // namespace trammel::readers
