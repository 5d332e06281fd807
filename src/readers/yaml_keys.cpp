// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_keys.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <trammel/diagnostics.hpp>

namespace trammel::readers {

namespace {

using Words = std::vector<std::string>;
using Pair = std::pair<std::string_view, std::string_view>;

const Words rotation_keys{"rpy", "quaternion", "axis_angle", "matrix"};

// What each joint type takes beside its type and the keys of all joints.
const std::vector<KeyList> joint_parameters{
    {"revolute", {"axis", "dh", "friction", "armature", "limits"}},
    {"prismatic", {"axis", "dh", "friction", "armature", "limits"}},
    {"helical", {"axis", "pitch", "advance", "dh", "friction", "armature", "limits"}},
    {"cylindrical", {"axis", "dh", "friction", "armature", "limits"}},
    {"universal", {"axes", "friction", "armature", "limits"}},
    {"spherical", {"axes", "friction", "armature", "limits"}},
    {"planar", {"axis", "x", "friction", "armature", "limits"}},
    {"free", {"friction", "limits"}},
    {"fixed", {}},
};
const Words joint_common{"at", "in", "frames", "cut"};

Words joined(std::initializer_list<Words> lists) {
  Words all;
  for (const Words& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<KeyList> build_keys() {
  std::vector<KeyList> all{
      {"file",
       {"trammel",   "name",        "units",     "gravity",  "points",  "planar",   "bodies", "joints",  "constraints",
        "couplings", "outputs",     "actuators", "drives",   "initial", "states",   "inputs", "springs", "bushings",
        "loads",     "environment", "materials", "contacts", "impacts", "measures", "events", "simulate"}},
      {"fluid", {"name", "density", "surface", "depth", "current", "acceleration", "waves"}},
      {"current", {"velocity", "profile"}},
      {"wave", {"height", "period", "direction", "phase"}},
      {"hydrodynamics",
       {"hull", "volume", "buoyancy", "reference", "added_mass", "drag", "linear_drag", "quadratic_drag", "fins",
        "source", "model", "parameters"}},
      {"hull", {"shape", "drag", "drag_along", "skin_friction", "added", "added_along"}},
      {"fin", {"at", "chord", "normal", "area", "slope", "aspect", "stall", "drag"}},
      {"units", {"length", "angle", "mass", "time", "force"}},
      {"body", {"pose", "mass", "com", "inertia", "density", "shape", "visual", "collision", "fluid"}},
      {"inertia", {"about", "matrix", "axes"}},
      {"rotation", rotation_keys},
      {"pose", joined({{"at", "in"}, rotation_keys})},
      {"shape rod", {"rod", "radius", "at", "rotation", "mass", "density", "colour"}},
      {"shape cylinder", {"cylinder", "length", "at", "axis", "rotation", "mass", "density", "colour"}},
      {"shape capsule", {"capsule", "radius", "at", "rotation", "mass", "density", "colour"}},
      {"shape box", {"box", "at", "rotation", "mass", "density", "colour"}},
      {"shape sphere", {"sphere", "at", "rotation", "mass", "density", "colour"}},
      {"shape ellipsoid", {"ellipsoid", "at", "rotation", "mass", "density", "colour"}},
      {"shape plate", {"plate", "thickness", "at", "rotation", "mass", "density", "colour"}},
      {"shape mesh", {"mesh", "scale", "at", "rotation", "colour"}},
      {"direction", {"from", "to"}},
      {"dh", {"a", "alpha", "d", "theta", "d_branch", "theta_branch", "convention"}},
      {"frames", {"first", "second"}},
      {"frame", joined({{"at"}, rotation_keys})},
      {"friction", {"viscous", "dry", "speed"}},
      {"friction of a free joint", {"viscous"}},
      {"limits", {"lower", "upper", "velocity", "effort", "stiffness", "damping"}},
      {"coupling gear", {"gear", "ratio", "teeth", "internal", "offset"}},
      {"coupling belt", {"belt", "ratio", "radii", "crossed", "offset"}},
      {"coupling rack", {"rack", "radius", "offset"}},
      {"coupling screw", {"screw", "pitch", "advance", "offset"}},
      {"coupling mimic", {"mimic", "ratio", "offset"}},
      {"actuator torque", {"torque", "target", "gear", "control", "effort"}},
      {"actuator position", {"position", "target", "gear", "stiffness", "damping", "control", "effort"}},
      {"actuator velocity", {"velocity", "target", "gear", "damping", "control", "effort"}},
      {"actuator dc_motor",
       {"dc_motor", "target", "servo", "resistance", "inductance", "torque_constant", "back_emf", "gear",
        "rotor_inertia", "current", "friction", "brush", "control", "effort"}},
      {"actuator thruster",
       {"thruster", "at", "in", "along", "target", "gain", "dead_band", "lag", "advance", "reaction", "control",
        "effort"}},
      {"servo", {"stiffness", "damping"}},
      {"friction of a rotor", {"viscous", "dry"}},
      {"brush", {"drop", "half"}},
      {"drive", {"position", "velocity"}},
      {"profile", {"table"}},
      {"output", {"point", "on", "in"}},
      {"initial", {"q", "v"}},
      {"line", {"through", "along"}},
      {"plane", {"through", "normal", "x"}},
      {"curve", {"points", "x", "y", "from", "to", "closed"}},
      {"constraint distance", {"distance", "at", "length", "frames"}},
      {"constraint point_on_line", {"point_on_line", "at", "line", "frames"}},
      {"constraint point_on_plane", {"point_on_plane", "at", "plane", "height", "frames"}},
      {"constraint point_on_curve", {"point_on_curve", "at", "plane", "curve", "radius", "side", "frames"}},
      {"constraint face_on_curve", {"face_on_curve", "at", "normal", "plane", "curve", "frames"}},
      {"constraint angle", {"angle", "axes", "value", "frames"}},
      {"constraint parallel", {"parallel", "axes", "frames"}},
      {"constraint rolling", {"rolling", "centres", "axis", "radii", "inside", "contact", "phase", "frames"}},
      {"constraint rolling_on_line",
       {"rolling_on_line", "centre", "line", "axis", "radius", "contact", "phase", "frames"}},
      {"constraint hold", {"hold", "at", "components", "frames"}},
      {"input", {"from", "to", "step", "speed", "acceleration", "motion"}},
      {"spring between", {"between", "at", "stiffness", "rest", "damping", "preload", "table", "gas"}},
      {"spring joint", {"joint", "stiffness", "rest", "damping", "preload", "table", "gas"}},
      {"gas", {"force", "column", "exponent"}},
      {"bushing", {"between", "at", "in", "axes", "frames", "stiffness", "damping"}},
      {"stiffness", {"turn", "travel", "matrix"}},
      {"load", {"on", "at", "in", "force", "torque", "resisting", "along", "frame", "bound"}},
      {"bound", {"to", "ratio", "offset"}},
      {"measure angle", {"angle", "axis"}},
      {"measure length", {"length"}},
      {"measure distance_to_line", {"distance_to_line", "line"}},
      {"measure distance_to_plane", {"distance_to_plane", "through", "normal"}},
      {"measure plane_angle", {"plane_angle", "normal"}},
      {"measure projected_angle", {"projected_angle", "normal"}},
      {"measure polar", {"polar", "axis"}},
      {"measure azimuth", {"azimuth", "axis", "from"}},
      {"measure locus", {"locus", "about", "turn", "component"}},
      {"measure camber", {"camber", "up", "forward"}},
      {"measure caster", {"caster", "up", "forward"}},
      {"measure steer", {"steer", "up", "forward"}},
      {"measure transmission_angle", {"transmission_angle", "towards"}},
      {"measure mechanical_advantage", {"mechanical_advantage"}},
      {"measure instant_centre", {"instant_centre", "component"}},
      {"measure expression", {"expression", "gives"}},
      {"environment", {"terrain", "fluid"}},
      {"terrain plane", {"plane", "material"}},
      {"terrain steps", joined({{"steps", "at"}, rotation_keys, {"material"}})},
      {"terrain grid", joined({{"grid", "at"}, rotation_keys, {"edge", "material", "cells"}})},
      {"grid", {"file", "spacing", "heights"}},
      {"edge", {"plane"}},
      {"material", {"between", "stiffness", "exponent", "dissipation", "damping", "friction", "tangential"}},
      {"friction of a contact", {"static", "kinetic"}},
      {"tangential", {"stiffness", "damping"}},
      {"contact point", {"point", "on", "in", "material", "terrain", "against"}},
      {"contact points", {"points", "on", "in", "material", "terrain", "against"}},
      {"contact sphere", {"sphere", "at", "on", "in", "material", "terrain", "against"}},
      {"contact wheel", {"wheel", "tyre", "at", "axis", "rotation", "on", "in", "material", "terrain", "against"}},
      {"contact box", {"box", "at", "rotation", "on", "in", "material"}},
      {"contact capsule", {"capsule", "radius", "at", "rotation", "on", "in", "material"}},
      {"hard contact", {"contact", "restitution", "friction", "law", "rest"}},
      {"hard limit", {"limit", "side", "restitution", "rest"}},
      {"event", {"when", "direction", "do"}},
      {"switch", {"open", "close", "capture"}},
      {"simulate", {"until", "step", "tolerance", "integrator", "record_every", "stabilisation"}},
  };
  for (const KeyList& type : joint_parameters) {
    all.push_back({"joint " + type.section, joined({{type.section}, joint_common, type.keys})});
  }
  return all;
}

constexpr std::array joint_synonyms{
    Pair{"hinge", "revolute"},
    Pair{"pin", "revolute"},
    Pair{"rotary", "revolute"},
    Pair{"rotational", "revolute"},
    Pair{"continuous", "revolute"},
    Pair{"pivot", "revolute"},
    Pair{"slider", "prismatic"},
    Pair{"slide", "prismatic"},
    Pair{"sliding", "prismatic"},
    Pair{"linear", "prismatic"},
    Pair{"translational", "prismatic"},
    Pair{"screw", "helical"},
    Pair{"helix", "helical"},
    Pair{"cylinder", "cylindrical"},
    Pair{"cylindric", "cylindrical"},
    Pair{"hooke", "universal"},
    Pair{"cardan", "universal"},
    Pair{"u-joint", "universal"},
    Pair{"ball", "spherical"},
    Pair{"spheric", "spherical"},
    Pair{"sphere", "spherical"},
    Pair{"socket", "spherical"},
    Pair{"plane", "planar"},
    Pair{"flat", "planar"},
    Pair{"floating", "free"},
    Pair{"6dof", "free"},
    Pair{"freejoint", "free"},
    Pair{"free_flyer", "free"},
    Pair{"weld", "fixed"},
    Pair{"welded", "fixed"},
    Pair{"rigid", "fixed"},
    Pair{"lock", "fixed"},
};

constexpr std::array shape_synonyms{
    Pair{"bar", "rod"},       Pair{"beam", "rod"},       Pair{"link", "rod"},      Pair{"line", "rod"},
    Pair{"tube", "cylinder"}, Pair{"disk", "cylinder"},  Pair{"disc", "cylinder"}, Pair{"cube", "box"},
    Pair{"cuboid", "box"},    Pair{"block", "box"},      Pair{"brick", "box"},     Pair{"ball", "sphere"},
    Pair{"polygon", "plate"}, Pair{"triangle", "plate"},
};

constexpr std::array key_synonyms{
    Pair{"links", "bodies"},
    Pair{"link", "bodies"},
    Pair{"body", "bodies"},
    Pair{"body", "on"},
    Pair{"version", "trammel"},
    Pair{"closures", "constraints"},
    Pair{"drivers", "drives"},
    Pair{"motions", "drives"},
    Pair{"mounts", "bushings"},
    Pair{"bushes", "bushings"},
    Pair{"triggers", "events"},
    Pair{"simulation", "simulate"},
    Pair{"sim", "simulate"},
    Pair{"hydrodynamics", "fluid"},
    Pair{"water", "fluid"},
    Pair{"medium", "fluid"},
    Pair{"cob", "buoyancy"},
    Pair{"centre_of_buoyancy", "buoyancy"},
    Pair{"center_of_buoyancy", "buoyancy"},
    Pair{"dampers", "springs"},
    Pair{"forces", "loads"},
    Pair{"torques", "loads"},
    Pair{"sensors", "measures"},
    Pair{"plane", "planar"},
    Pair{"gears", "couplings"},
    Pair{"state", "initial"},
    Pair{"geometry", "shape"},
    Pair{"solid", "shape"},
    Pair{"cog", "com"},
    Pair{"center", "com"},
    Pair{"centre", "com"},
    Pair{"cm", "com"},
    Pair{"weight", "mass"},
    Pair{"moments", "inertia"},
    Pair{"origin", "at"},
    Pair{"position", "at"},
    Pair{"position", "point"},
    Pair{"position", "q"},
    Pair{"pos", "at"},
    Pair{"xyz", "at"},
    Pair{"point", "at"},
    Pair{"at", "point"},
    Pair{"parent", "in"},
    Pair{"frame", "in"},
    Pair{"relative_to", "in"},
    Pair{"direction", "axis"},
    Pair{"dir", "axis"},
    Pair{"damping", "friction"},
    Pair{"damping", "viscous"},
    Pair{"viscosity", "viscous"},
    Pair{"coulomb", "dry"},
    Pair{"rotor_inertia", "armature"},
    Pair{"lead", "pitch"},
    Pair{"euler", "rpy"},
    Pair{"quat", "quaternion"},
    Pair{"rotation", "rpy"},
    Pair{"orientation", "rpy"},
    Pair{"min", "lower"},
    Pair{"max", "upper"},
    Pair{"torque", "effort"},
    Pair{"force", "effort"},
    Pair{"speed", "velocity"},
    Pair{"velocity", "v"},
    Pair{"loop", "cut"},
    Pair{"multiplier", "ratio"},
    Pair{"alfa", "alpha"},
    Pair{"color", "colour"},
    Pair{"rgba", "colour"},
    Pair{"motors", "actuators"},
    Pair{"visuals", "visual"},
    Pair{"collisions", "collision"},
    Pair{"kp", "stiffness"},
    Pair{"kv", "damping"},
    Pair{"ctrlrange", "control"},
    Pair{"centers", "centres"},
    Pair{"center", "centre"},
    Pair{"k", "stiffness"},
    Pair{"c", "damping"},
    Pair{"start", "from"},
    Pair{"end", "to"},
    Pair{"increment", "step"},
    Pair{"velocity", "speed"},
    Pair{"omega", "speed"},
    Pair{"accel", "acceleration"},
    Pair{"free_length", "rest"},
    Pair{"moment", "torque"},
    Pair{"couple", "torque"},
    Pair{"direction", "along"},
    Pair{"size", "force"},
    Pair{"setpoint", "target"},
    Pair{"reference", "target"},
    Pair{"motion", "position"},
    Pair{"speed", "velocity"},
    Pair{"bodies", "between"},
    Pair{"kt", "torque_constant"},
    Pair{"ke", "back_emf"},
    Pair{"kb", "back_emf"},
    Pair{"rotor", "rotor_inertia"},
    Pair{"max_current", "current"},
    Pair{"ratio", "gear"},
    Pair{"brushes", "brush"},
    Pair{"pd", "servo"},
    Pair{"deadband", "dead_band"},
    Pair{"time_constant", "lag"},
    Pair{"delay", "lag"},
    Pair{"rotation", "turn"},
    Pair{"translation", "travel"},
    Pair{"condition", "when"},
    Pair{"if", "when"},
    Pair{"action", "do"},
    Pair{"then", "do"},
    Pair{"end", "until"},
    Pair{"to", "until"},
    Pair{"duration", "until"},
    Pair{"dt", "step"},
    Pair{"timestep", "step"},
    Pair{"tol", "tolerance"},
    Pair{"solver", "integrator"},
    Pair{"method", "integrator"},
    Pair{"record", "record_every"},
    Pair{"stabilization", "stabilisation"},
    Pair{"world", "environment"},
    Pair{"ground", "terrain"},
    Pair{"floor", "terrain"},
    Pair{"stairs", "steps"},
    Pair{"heightmap", "grid"},
    Pair{"heightfield", "grid"},
    Pair{"mu", "friction"},
    Pair{"collisions", "contacts"},
};

struct LongUnit {
  std::string_view quantity, word, unit;
};
constexpr std::array long_units{
    LongUnit{"length", "meters", "m"},
    LongUnit{"length", "metres", "m"},
    LongUnit{"length", "millimeters", "mm"},
    LongUnit{"length", "millimetres", "mm"},
    LongUnit{"length", "centimeters", "cm"},
    LongUnit{"length", "kilometers", "km"},
    LongUnit{"length", "inches", "in"},
    LongUnit{"length", "inch", "in"},
    LongUnit{"length", "feet", "ft"},
    LongUnit{"length", "foot", "ft"},
    LongUnit{"length", "micrometers", "um"},
    LongUnit{"length", "microns", "um"},
    LongUnit{"angle", "radians", "rad"},
    LongUnit{"angle", "degrees", "deg"},
    LongUnit{"angle", "°", "deg"},
    LongUnit{"angle", "revolutions", "rev"},
    LongUnit{"angle", "turns", "rev"},
    LongUnit{"mass", "kilograms", "kg"},
    LongUnit{"mass", "grams", "g"},
    LongUnit{"mass", "tonnes", "t"},
    LongUnit{"mass", "tons", "t"},
    LongUnit{"mass", "pounds", "lb"},
    LongUnit{"mass", "lbs", "lb"},
    LongUnit{"time", "seconds", "s"},
    LongUnit{"time", "sec", "s"},
    LongUnit{"time", "milliseconds", "ms"},
    LongUnit{"time", "minutes", "min"},
    LongUnit{"force", "newtons", "N"},
    LongUnit{"force", "kilonewtons", "kN"},
    LongUnit{"force", "pounds", "lbf"},
};

template <class Table>
std::string look_up(const Table& table, std::string_view word) {
  for (const auto& [from, to] : table) {
    if (from == word) return std::string(to);
  }
  return {};
}

}  // namespace

const std::vector<KeyList>& native_keys() {
  static const std::vector<KeyList> all = build_keys();
  return all;
}

const std::vector<KeyList>& scenario_keys() {
  static const std::vector<KeyList> all{
      {"impact", {"impact", "initial", "contacts", "resistance"}},
      {"impact contact",
       {"point", "rigid", "capture", "limit", "at", "normal", "restitution", "friction", "law", "joint", "axis", "axes",
        "pitch", "advance", "side"}},
      {"resistance", {"share", "shares", "dampers"}},
  };
  return all;
}

const std::vector<KeyList>& study_keys() {
  static const std::vector<KeyList> all{
      {"study",
       {"trammel-study", "name", "model", "run", "seed", "samples", "parameters", "set", "keep", "series", "objective",
        "time-limit"}},
      {"study run", {"analyze", "simulate", "impact"}},
      {"study analyze", {"forces"}},
      {"study samples", {"random", "latin-hypercube", "sobol"}},
      {"study parameter",
       {"values", "grid", "uniform", "log-uniform", "normal", "lognormal", "triangular", "choice", "at", "start",
        "bounds"}},
      {"study keep",
       {"last", "first", "least", "most", "mean", "rms", "peak", "span", "at-least", "at-most", "expression", "path",
        "points", "match"}},
      {"study objective", {"minimize", "maximize"}},
  };
  return all;
}

const std::vector<std::string>& keys_of(std::string_view section) {
  for (const std::vector<KeyList>* lists : {&native_keys(), &scenario_keys(), &study_keys()}) {
    for (const KeyList& list : *lists) {
      if (list.section == section) return list.keys;
    }
  }
  assert(false && "unknown section");
  static const Words none;
  return none;
}

const std::vector<std::string>& coming_sections() {
  static const Words coming{"limits"};
  return coming;
}

std::string translate_joint_type(std::string_view word) { return look_up(joint_synonyms, word); }
std::string translate_shape(std::string_view word) { return look_up(shape_synonyms, word); }

std::string translate_key(std::string_view word, const std::vector<std::string>& keys) {
  for (const auto& [from, to] : key_synonyms) {
    if (from == word && std::find(keys.begin(), keys.end(), to) != keys.end()) return std::string(to);
  }
  return {};
}

std::string translate_unit(std::string_view word, std::string_view quantity) {
  Words words;
  for (const LongUnit& u : long_units) {
    if (u.quantity == quantity) words.emplace_back(u.word), words.emplace_back(u.unit);
  }
  const std::string near = did_you_mean(word, words);
  for (const LongUnit& u : long_units) {
    if (u.quantity == quantity && (u.word == near || u.unit == near || u.word == word)) return std::string(u.unit);
  }
  return {};
}

}  // namespace trammel::readers
