// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Visuals, collisions and materials of a URDF. They change no answer: what cannot be used is left out with a warning;
// only numbers that are none are errors.

#include <algorithm>

#include <fmt/format.h>

#include "readers/urdf_reading.hpp"

namespace trammel::readers::urdf {

namespace {

std::optional<Colour> read_colour(Reading& r, const XmlElement& material, const std::string& owner) {
  report_unknown(material, {"name"}, {"color", "texture"}, r.messages, r.left_out);
  if (const XmlElement* texture = only_child(r, material, "texture", owner)) {
    r.left_out.add(texture->where, "urdf-left-out", "<texture>", "colours are read, pictures are not");
  }
  const XmlElement* color = only_child(r, material, "color", owner);
  if (color == nullptr) return std::nullopt;
  report_unknown(*color, {"rgba"}, {}, r.messages, r.left_out);
  const XmlAttribute* rgba = require(r, *color, "rgba", owner, "add rgba=\"red green blue alpha\"");
  if (rgba == nullptr) return std::nullopt;
  auto numbers = read_numbers(r.messages, *rgba, "rgba of " + owner, 4);
  if (!numbers) return std::nullopt;
  for (double& x : *numbers) {
    if (x >= 0 && x <= 1) continue;
    r.messages.warning(rgba->value_where, "number-out-of-range",
                       fmt::format("rgba of {} has {}, which is not from 0 to 1", owner, shortest(x)),
                       "divide numbers from 0 to 255 by 255; the nearest of 0 and 1 is used");
    x = std::clamp(x, 0.0, 1.0);
  }
  return Colour{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
}

void declare_material(Reading& r, const XmlElement& material) {
  const XmlAttribute* name = material.find("name");
  if (name == nullptr || name->value.empty()) return;
  const std::string owner = "material " + quote(name->value);
  const auto colour = read_colour(r, material, owner);
  if (!colour) return;
  const auto [found, is_new] = r.materials.try_emplace(name->value, Material{colour, material.where});
  if (is_new) {
    r.material_names.push_back(name->value);
  } else if (found->second.colour != colour) {
    r.messages.warning(material.where, "name-duplicate",
                       fmt::format("{} has another colour in line {}", owner, found->second.where.line),
                       "give the two different names; where only the name stands, the first colour is used");
  }
}

struct ShapeReader {
  Reading& r;
  const XmlElement& element;  // <visual> or <collision>
  std::string owner;
  Shape shape;

  // A length that a shape cannot do without; the shape is left out where it is not above 0.
  bool positive(const XmlElement& form, std::string_view attribute, double& value) {
    const XmlAttribute* given = require(r, form, attribute, owner, fmt::format("add {}=\"…\"", attribute));
    if (given == nullptr) return false;
    const auto number =
        read_number(r.messages, *given, fmt::format("{} of {} of {}", attribute, tag(form.name), owner));
    if (!number) return false;
    value = *number;
    return *number > 0 || degenerate(*given, form);
  }
  bool degenerate(const XmlAttribute& given, const XmlElement& form, const std::string& fix = "give numbers above 0") {
    r.messages.warning(given.value_where, "shape-degenerate",
                       fmt::format("{} of {} of {} is {}: the shape is left out", given.name, tag(form.name), owner,
                                   quote(given.value)),
                       fix);
    return false;
  }

  bool read_mesh(const XmlElement& form) {
    report_unknown(form, {"filename", "scale"}, {}, r.messages, r.left_out);
    const XmlAttribute* file = require(r, form, "filename", owner, "add filename=\"…\"");
    if (file == nullptr) return false;
    if (file->value.empty()) return degenerate(*file, form, "give the file of the mesh");
    shape.kind = Shape::Kind::mesh;
    shape.mesh = file->value;
    r.meshes.look_for(file->value, form.where);
    if (const XmlAttribute* scale = form.find("scale")) {
      const auto s = read_vector(r.messages, *scale, "scale of <mesh> of " + owner);
      if (!s) return false;
      if (s->x == 0 || s->y == 0 || s->z == 0) return degenerate(*scale, form, "give numbers other than 0");
      shape.scale = *s;
    }
    return true;
  }

  bool read_form(const XmlElement& form) {
    if (form.name == "mesh") return read_mesh(form);
    if (form.name == "box") {
      report_unknown(form, {"size"}, {}, r.messages, r.left_out);
      shape.kind = Shape::Kind::box;
      const XmlAttribute* size = require(r, form, "size", owner, "add size=\"x y z\", the full edges");
      if (size == nullptr) return false;
      const auto s = read_vector(r.messages, *size, "size of <box> of " + owner);
      if (!s) return false;
      shape.size = *s;
      return (s->x > 0 && s->y > 0 && s->z > 0) || degenerate(*size, form);
    }
    if (form.name == "sphere") {
      report_unknown(form, {"radius"}, {}, r.messages, r.left_out);
      shape.kind = Shape::Kind::sphere;
      return positive(form, "radius", shape.radius);
    }
    report_unknown(form, {"radius", "length"}, {}, r.messages, r.left_out);
    shape.kind = form.name == "cylinder" ? Shape::Kind::cylinder : Shape::Kind::capsule;
    return positive(form, "radius", shape.radius) && positive(form, "length", shape.length);
  }

  bool read_geometry() {
    const XmlElement* geometry = only_child(r, element, "geometry", owner);
    if (geometry == nullptr) {
      r.messages.warning(element.where, "missing-element", fmt::format("{} has no <geometry>: it is left out", owner),
                         "add <geometry>, or delete it");
      return false;
    }
    static const std::vector<std::string> forms{"box", "cylinder", "sphere", "mesh", "capsule"};
    report_unknown(*geometry, {}, forms, r.messages, r.left_out);
    const XmlElement* found = nullptr;
    for (const XmlElement& form : geometry->children) {
      if (std::find(forms.begin(), forms.end(), form.name) == forms.end()) continue;
      if (found != nullptr) {
        r.messages.error(form.where, "element-repeated",
                         fmt::format("<geometry> of {} is both {} and {}", owner, tag(found->name), tag(form.name)),
                         "write two shapes as two elements");
        return false;
      }
      found = &form;
    }
    if (found == nullptr && geometry->children.empty()) {
      r.messages.warning(geometry->where, "missing-element",
                         fmt::format("<geometry> of {} is empty: it is left out", owner),
                         "add <box>, <cylinder>, <sphere> or <mesh>");
    }
    return found != nullptr && read_form(*found);
  }

  void read_material() {
    const XmlElement* material = only_child(r, element, "material", owner);
    if (material == nullptr) return;
    const XmlAttribute* name = material->find("name");
    const bool named = name != nullptr && !name->value.empty();
    shape.colour = read_colour(r, *material, named ? "material " + quote(name->value) : "the material of " + owner);
    if (shape.colour || material->child("texture") != nullptr || material->child("color") != nullptr) return;
    if (!named) return;  // says nothing
    if (const auto found = r.materials.find(name->value); found != r.materials.end()) {
      shape.colour = found->second.colour;
    } else {
      r.left_out.add(material->where, "material-unknown",
                     fmt::format("the material {}, which is not in the file,", quote(name->value)),
                     r.messages.guess_or(name->value, r.material_names, "add <color rgba=\"…\"/> to it"));
    }
  }
};

}  // namespace

void declare_materials(Reading& r, const XmlElement& robot) {
  for (const XmlElement& child : robot.children) {
    if (child.name == "material") declare_material(r, child);
  }
  for (const XmlElement& link : robot.children) {
    if (link.name != "link") continue;
    for (const XmlElement& visual : link.children) {
      if (visual.name != "visual") continue;
      const XmlElement* material = visual.child("material");
      if (material != nullptr && material->child("color") != nullptr) declare_material(r, *material);
    }
  }
}

void read_shapes(Reading& r, const XmlElement& link, Body& body) {
  for (const XmlElement& child : link.children) {
    const bool visual = child.name == "visual";
    if (!visual && child.name != "collision") continue;
    ShapeReader reader{r, child, fmt::format("a {} of link {}", child.name, quote(body.name)), {}};
    report_unknown(child, {"name"},
                   visual ? std::vector<std::string>{"origin", "geometry", "material"}
                          : std::vector<std::string>{"origin", "geometry"},
                   r.messages, r.left_out);
    if (const XmlAttribute* name = child.find("name"); name != nullptr && !name->value.empty()) {
      r.left_out.add(name->where, "urdf-left-out", fmt::format("the name of a <{}>", child.name),
                     "nothing needs to be done: shapes have no names here");
    }
    reader.shape.where = child.where;
    reader.shape.X_BS = read_origin(r, child, reader.owner);
    const bool usable = reader.read_geometry();
    if (visual) reader.read_material();
    if (usable) (visual ? body.visuals : body.collisions).push_back(std::move(reader.shape));
  }
}

}  // namespace trammel::readers::urdf
