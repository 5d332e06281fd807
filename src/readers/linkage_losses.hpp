// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What formats for robots have no words for: the sections of a linkage and of simulations. Writers of such formats tell each of
// them.

#include <string>

#include <trammel/model.hpp>

namespace trammel::readers {

// How the format is called, and the ids under which its losses are told.
struct LossIds {
  std::string format;  // "URDF"
  std::string plain, constraint, force;
};

// lose(id, where, what, fix, name)
template <class Lose>
void tell_what_linkages_lose(const Model& model, const LossIds& ids, const Lose& lose) {
  const std::string no_word = ids.format + " has no word for it", no_words = ids.format + " has no word for them";
  const std::string again = "give them again where the file is used";
  if (!model.inputs.empty()) lose(ids.plain, model.inputs[0].where, "inputs are lost", no_words, "");
  if (!model.measures.empty()) lose(ids.plain, model.measures[0].where, "measures are lost", no_words, "");
  if (model.planar) lose(ids.plain, SourceLocation{}, "the plane of the linkage is lost", no_word, "");
  for (const Constraint& c : model.constraints) {
    lose(ids.constraint, c.where, "constraints are lost: answers change", "write the native format instead", c.name);
  }
  for (const Spring& s : model.springs) lose(ids.force, s.where, "springs are lost: answers change", again, s.name);
  for (const Load& l : model.loads) lose(ids.force, l.where, "loads are lost: answers change", again, l.name);
  for (const Bushing& b : model.bushings) lose(ids.force, b.where, "bushings are lost: answers change", again, b.name);
  for (const Drive& d : model.drives) {
    lose(ids.force, d.where, "drives are lost: coordinates move freely", again, d.name);
  }
  if (model.terrain.kind != Terrain::Kind::none) {
    lose(ids.force, model.terrain.where, "the terrain is lost: answers change", no_word, "");
  }
  if (!model.materials.empty())
    lose(ids.plain, model.materials[0].where, "materials of contacts are lost", no_words, "");
  for (const ContactShape& c : model.contacts) {
    lose(ids.force, c.where, "contacts are lost: answers change", again, c.name);
  }
  for (const Impact& i : model.impacts) lose(ids.force, i.where, "impacts are lost: answers change", again, i.name);
  for (const Event& e : model.events) lose(ids.plain, e.where, "events are lost", no_words, e.name);
  for (const Joint& j : model.joints) {
    if (j.properties.limit_stiffness.empty() && j.properties.limit_damping.empty()) continue;
    lose(ids.plain, j.where, "stiffness and damping of stops are lost", no_words, j.name);
  }
  if (!model.fluid.empty()) {
    lose(ids.force, model.fluid.media[0].where, "the fluid is lost: answers change", again, "");
  }
  for (const Body& b : model.bodies) {
    if (b.in_fluid.is_usual()) continue;
    lose(ids.plain, b.in_fluid->where, "what bodies feel of fluids is lost", no_word, b.name);
  }
  const SimulateSettings& s = model.simulate;
  if (s.until || s.step || s.tolerance || s.record_every || s.integrator || s.stabilisation) {
    lose(ids.plain, s.where, "settings of simulations are lost", again, "");
  }
}

}  // namespace trammel::readers
