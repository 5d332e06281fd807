// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel virtual-mass: what a mechanism feels like to a body that hits it, over all directions of a plane or of space.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/floating.hpp>
#include <trammel/results.hpp>

#include "eval_loops.hpp"
#include "output_file.hpp"
#include "read_options.hpp"
#include "resistance_options.hpp"
#include "session.hpp"
#include "verbs.hpp"
#include "virtual_mass_directions.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;

struct VirtualMassVerb {
  std::string model, at, plane = "x,y", svg, polar, csv;
  std::optional<std::string> state;
  std::vector<std::string> resistance, damper, share, cut;
  double step = 0;  // deg; 0: as fits the directions
  ReadOptions read;
  bool json = false, initial = false, sphere = false;

  double step_deg() const { return step > 0 ? step : sphere ? 5 : 1; }
  int on_standard_output() const {
    int count = json ? 1 : 0;
    for (const std::string& file : {svg, polar, csv}) count += is_standard_output(file) ? 1 : 0;
    return count;
  }
  std::string over() const { return sphere ? "all directions of space" : "directions in the plane " + plane; }
};

// Of the part that answers forces by velocities.
double largest_of(const std::array<double, 36>& G) {
  double most = 0;
  for (std::size_t i = 3; i < 6; ++i) {
    for (std::size_t k = 3; k < 6; ++k) most = std::max(most, std::abs(G[6 * i + k]));
  }
  return most;
}

ordered_json json_number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }
ordered_json json_list(const std::vector<double>& numbers) {
  ordered_json out = ordered_json::array();
  for (const double x : numbers) out.push_back(json_number(x));
  return out;
}

// Of a list over all directions: a list for each latitude, on the sphere.
ordered_json over_directions(const Directions& directions, const std::vector<double>& values) {
  if (!directions.is_sphere()) return json_list(values);
  ordered_json rows = ordered_json::array();
  const auto around = static_cast<std::ptrdiff_t>(directions.longitudes.size());
  for (auto at = values.begin(); at != values.end(); at += around)
    rows.push_back(json_list(std::vector<double>(at, at + around)));
  return rows;
}

ordered_json report(const Mechanism& mech, const VirtualMassVerb& verb, const Directions& directions,
                    const std::vector<VirtualMasses>& curves, const Diagnostics& diagnostics) {
  ordered_json j{{"status", "ok"}, {"model", mech.name}, {"at", verb.at}, {"plane", verb.plane}};
  if (verb.sphere) {
    j["longitudes_deg"] = directions.longitudes;
    j["latitudes_deg"] = directions.latitudes;
  }
  j["curves"] = ordered_json::array();
  const auto extreme = [&](const Extreme& e, const char* what) {
    ordered_json out{{"direction_deg", e.longitude}};
    if (verb.sphere) out["latitude_deg"] = e.latitude;
    out[what] = json_number(e.value);
    return out;
  };
  for (const VirtualMasses& c : curves) {
    ordered_json G = ordered_json::array(), ellipsoid = ordered_json::array();
    for (int r = 0; r < 6; ++r) G.push_back(std::vector<double>(c.G.begin() + 6 * r, c.G.begin() + 6 * r + 6));
    for (std::size_t i = 0; i < 3; ++i)
      ellipsoid.push_back({{"mass", json_number(c.ellipsoid.mass[i])}, {"axis", list(c.ellipsoid.axis[i])}});
    ordered_json curve{{"resistance", c.share}};
    if (!verb.sphere) curve["directions_deg"] = directions.longitudes;
    curve["m_p"] = over_directions(directions, c.projected);
    curve["m_a"] = over_directions(directions, c.absolute);
    curve["psi_deg"] = over_directions(directions, c.deviation);
    curve["peak"] = extreme(c.heaviest, "mass");
    curve["lightest"] = extreme(c.lightest, "mass");
    curve["largest_deviation"] = extreme(c.steepest, "psi_deg");
    curve["ellipsoid"] = ellipsoid;
    curve["G"] = G;
    j["curves"].push_back(curve);
  }
  j["messages"] = json_of(diagnostics);
  return j;
}

std::string name_of(const VirtualMasses& c) {
  return c.share == 0   ? "joints free, μ = 0"
         : c.share == 1 ? "joints locked, μ = 1"
                        : fmt::format("μ = {}", number(c.share));
}

std::string maps(const Mechanism& mech, const VirtualMassVerb& verb, const Directions& directions,
                 const std::vector<VirtualMasses>& curves) {
  MapPlot plot;
  plot.title = fmt::format("Virtual mass of {}", mech.name);
  plot.subtitle = fmt::format("at {}, over all directions of space; grey: does not move", verb.at);
  plot.x = {.label = "longitude in the plane " + verb.plane, .unit = "deg", .from = 0, .to = 360};
  plot.y = {.label = "latitude", .unit = "deg", .from = -90, .to = 90};
  plot.columns = static_cast<int>(directions.longitudes.size());
  plot.rows = static_cast<int>(directions.latitudes.size());
  MapRow mass{.value = {.label = "m_a", .unit = "kg"}, .logarithmic = true};
  MapRow deviation{.value = {.label = "ψ", .unit = "deg"}};
  for (const VirtualMasses& c : curves) {
    mass.panels.push_back({name_of(c), c.absolute});
    deviation.panels.push_back({name_of(c), c.deviation});
    std::vector<double>& angles = deviation.panels.back().values;
    for (std::size_t i = 0; i < angles.size(); ++i) {
      if (!std::isfinite(c.absolute[i])) angles[i] = infinity;  // no motion, no angle
    }
  }
  plot.maps = {mass, deviation};
  return svg_plot(plot);
}

std::string two_panels(const Mechanism& mech, const VirtualMassVerb& verb, const Directions& directions,
                       const std::vector<VirtualMasses>& curves) {
  Plot plot;
  plot.title = fmt::format("Virtual mass of {}", mech.name);
  plot.subtitle = fmt::format("at {}, over directions in the plane {}", verb.at, verb.plane);
  plot.x = {.label = "direction of the force", .unit = "deg", .from = 0, .to = 360};
  PlotPanel mass{.y = {.label = "m_a", .unit = "kg", .from = 0}}, deviation{.y = {.label = "ψ", .unit = "deg"}};
  for (const VirtualMasses& c : curves) {
    mass.lines.push_back({.name = name_of(c), .x = directions.longitudes, .y = c.absolute});
    deviation.lines.push_back({.name = name_of(c), .x = directions.longitudes, .y = c.deviation});
    if (std::isfinite(c.heaviest.value))
      plot.marks.push_back({c.heaviest.longitude, fmt::format("{:.4g} kg", c.heaviest.value)});
  }
  plot.panels = {mass, deviation};
  return svg_plot(plot);
}

std::string in_polar_coordinates(const Mechanism& mech, const VirtualMassVerb& verb, const Directions& directions,
                                 const std::vector<VirtualMasses>& curves) {
  PlanePlot plot;
  plot.title = fmt::format("Virtual mass of {}", mech.name);
  plot.subtitle = fmt::format("m_a at {}, as the distance from the middle in each direction", verb.at);
  plot.x = {.label = "along " + verb.plane.substr(0, verb.plane.find(',')), .unit = "kg"};
  plot.y = {.label = "along " + verb.plane.substr(verb.plane.find(',') + 1), .unit = "kg"};
  for (const VirtualMasses& c : curves) {
    PlaneCurve curve{.name = name_of(c), .arrow = false};
    for (std::size_t i = 0; i < directions.longitudes.size(); ++i) {
      curve.x.push_back(c.absolute[i] * std::cos(directions.longitudes[i] * degree));
      curve.y.push_back(c.absolute[i] * std::sin(directions.longitudes[i] * degree));
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.points = {{0, 0, ""}};
  return svg_plot(plot);
}

std::string columns(const VirtualMassVerb& verb, const Directions& directions,
                    const std::vector<VirtualMasses>& curves) {
  std::vector<double> longitudes, latitudes;
  for (const double latitude : directions.latitudes) {
    for (const double longitude : directions.longitudes) longitudes.push_back(longitude), latitudes.push_back(latitude);
  }
  Channels channels{{{verb.sphere ? "longitude" : "direction", "deg", longitudes}}};
  if (verb.sphere) channels.columns.push_back({"latitude", "deg", latitudes});
  for (const VirtualMasses& c : curves) {
    const std::string of = fmt::format(" at μ = {}", number(c.share));
    channels.columns.push_back({"m_p" + of, "kg", c.projected});
    channels.columns.push_back({"m_a" + of, "kg", c.absolute});
    channels.columns.push_back({"psi" + of, "deg", c.deviation});
  }
  return write_csv(channels);
}

void print_text(const Mechanism& mech, const VirtualMassVerb& verb, const std::vector<VirtualMasses>& curves) {
  fmt::print("{}  virtual mass at {}, {}\n\n", heading(mech.name), verb.at, verb.over());
  Table table({"resistance μ", "heaviest m_p kg", "at deg", "lightest m_a kg", "at deg", "largest ψ deg", "at deg"});
  const auto where = [&](const Extreme& e) {
    const auto angle = [](double deg) { return number(std::abs(deg) < 1e-9 ? 0 : deg); };
    if (!std::isfinite(e.value)) return std::string();
    return verb.sphere ? fmt::format("{}, {}", angle(e.longitude), angle(e.latitude)) : angle(e.longitude);
  };
  for (const VirtualMasses& c : curves) {
    const auto mass = [](double kg) { return std::isfinite(kg) ? number(kg) : std::string("does not move"); };
    table.add({number(c.share), mass(c.heaviest.value), where(c.heaviest), mass(c.lightest.value), where(c.lightest),
               number(c.steepest.value < 1e-6 ? 0 : c.steepest.value), where(c.steepest)});
  }
  fmt::print("{}\nIn space: mass along the principal axes, heaviest first\n", table.to_string());
  Table space({"resistance μ", "kg", "axis", "kg", "axis", "kg", "axis"});
  const auto axis = [](const Vec3d& v) {
    const auto x = [](double c) { return std::abs(c) < 1e-12 ? 0 : c; };
    return vector({x(v.x), x(v.y), x(v.z)});
  };
  for (const VirtualMasses& c : curves) {
    std::vector<std::string> line{number(c.share)};
    for (std::size_t i = 0; i < 3; ++i) {
      line.push_back(std::isfinite(c.ellipsoid.mass[i]) ? number(c.ellipsoid.mass[i]) : "does not move");
      line.push_back(axis(c.ellipsoid.axis[i]));
    }
    space.add(line);
  }
  fmt::print("{}", space.to_string());
}

// Empty where all could be written.
std::string write_all(const Mechanism& mech, const VirtualMassVerb& verb, const Directions& directions,
                      const std::vector<VirtualMasses>& curves) {
  std::string wrong;
  const auto write = [&](const std::string& path, const std::string& text) {
    if (!wrong.empty()) return;
    if (is_standard_output(path)) {
      fmt::print("{}", text);
      return;
    }
    wrong = write_file(path, text);
    if (!wrong.empty()) wrong = fmt::format("the file '{}' cannot be written: {}", path, wrong);
  };
  if (!verb.svg.empty()) {
    write(verb.svg, verb.sphere ? maps(mech, verb, directions, curves) : two_panels(mech, verb, directions, curves));
  }
  if (!verb.polar.empty()) write(verb.polar, in_polar_coordinates(mech, verb, directions, curves));
  if (!verb.csv.empty()) write(verb.csv, columns(verb, directions, curves));
  return wrong;
}

int run_virtual_mass(const VirtualMassVerb& verb) {
  const auto refuse = [&](const Diagnostics& diagnostics) {
    print(diagnostics);
    if (verb.json) print_json_errors(diagnostics);
    return bad_input;
  };
  const LoadResult result = load(verb.model, {.cut = verb.cut, .gravity = std::nullopt, .read = verb.read});
  if (!result.loaded) {
    if (verb.json) print_json_errors(result.diagnostics);
    return bad_input;
  }
  const Mechanism& mech = result.loaded->mechanism;
  Diagnostics problems;
  if (verb.on_standard_output() > 1)
    problems.error({}, "option-value", "only one of --json, --csv -, --svg - and --polar - can have standard output",
                   "give the others a file");
  const std::optional<DirectionPlane> plane = parse_plane(verb.plane);
  if (!plane)
    problems.error({}, "option-value", fmt::format("--plane: '{}' is no pair of axes", verb.plane),
                   "write two of x, y, z: --plane x,y");
  if (verb.sphere && !verb.polar.empty())
    problems.error({}, "option-value", "--polar draws directions of a plane, not of the sphere",
                   "leave out --sphere, or draw with --svg");
  if (verb.sphere && verb.step_deg() < 0.5)
    problems.error({}, "option-value", "--step: on the sphere give 0.5 degrees at least", "write --step 1");
  const std::optional<PointOfBody> point = parse_point(mech, verb.at, problems);
  JointResistance resistance;
  const auto n = static_cast<std::size_t>(mech.nv);
  if (!verb.damper.empty()) resistance.damper.assign(n, 0.0);
  for (const std::string& text : verb.damper) parse_of_joint(mech, "--damper", text, true, resistance.damper, problems);
  if (!verb.share.empty()) resistance.share_of_each.assign(n, 0.0);
  for (const std::string& text : verb.share)
    parse_of_joint(mech, "--share", text, false, resistance.share_of_each, problems);
  std::vector<double> shares;
  if (!verb.share.empty() && !verb.resistance.empty())
    problems.error({}, "option-value", "--resistance is the share of all joints, --share that of each",
                   "keep one of them");
  const std::vector<std::string> usual{"0", "0.5", "1"};
  for (const std::string& text : verb.resistance.empty() ? usual : verb.resistance) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || end != text.c_str() + text.size() || !(x >= 0 && x <= 1)) {
      problems.error({}, "option-value", fmt::format("--resistance: '{}' is no share between 0 and 1", text),
                     "0 is free, 1 is locked: --resistance 0,0.5,1");
    }
    shares.push_back(x);
  }
  EvalState state = read_state(mech, verb.state, verb.initial, problems);
  warn_of_unused_parts(state, {"a", "tau", "prescribed", "actuated", "wrenches"}, "a virtual mass depends on q alone",
                       problems);
  if (problems.has_errors()) return refuse(problems);
  if (const Refusal open = close_loops_of(mech, state); open.refuses()) return answer_no(open, verb.json);
  if (!verb.share.empty()) {
    shares = {0};
    problems.warning(
        {}, "resistance-unphysical",
        "shares that differ between joints are not passive: the answer is not symmetric and can create energy",
        "use --damper JOINT=d, which is");
  }

  // Of a point that is held, the joints locked, round-off is left of G*: what is that small beside the G* of free joints is nothing.
  std::array<double, 36> free_G{};
  {
    ImpulseResponse response(mech);
    response.set_position(state.state.q);
    if (!response.mobility(point->body, point->p_B, free_G)) free_G.fill(0);
  }
  const double round_off = 1e-14 * largest_of(free_G);
  const Directions directions =
      verb.sphere ? directions_on_sphere(verb.step_deg()) : directions_in_plane(verb.step_deg());
  std::vector<VirtualMasses> curves;
  for (const double share : shares) {
    VirtualMasses curve;
    curve.share = share;
    resistance.share = share;
    ImpulseResponse response(mech, resistance);
    response.set_position(state.state.q);
    if (!response.mobility(point->body, point->p_B, curve.G)) {
      const int joint = response.verdict().joint;
      print(one_error(joint >= 0 ? fmt::format("a motion without inertia at joint '{}'",
                                               mech.joints[static_cast<std::size_t>(joint)].name)
                                 : std::string("the constraints contradict each other"),
                      "give its bodies mass and inertia, or start from a closed position", "no-inertia"));
      if (verb.json) fmt::print("{}\n", ordered_json{{"status", "no-inertia"}}.dump(1));
      return negative_answer;
    }
    for (double& g : curve.G) g = std::abs(g) <= round_off ? 0 : g;
    fill(*plane, directions, curve);
    curves.push_back(std::move(curve));
  }
  print(problems);
  const std::string wrong = write_all(mech, verb, directions, curves);
  if (!wrong.empty())
    return refuse(one_error(wrong, "check the path, the permissions and the space on the disk", "file-unwritable"));
  if (verb.json) {
    fmt::print("{}\n", report(mech, verb, directions, curves, problems).dump(1));
  } else if (verb.on_standard_output() == 0) {
    print_text(mech, verb, curves);
  }
  return done;
}

}  // namespace

void add_virtual_mass(CommandLine& line) {
  Verb verb(line, "virtual-mass", "what a mechanism feels like to a body that hits it, over directions");
  auto options = std::make_shared<VirtualMassVerb>();
  verb.model(options->model, false);
  verb.option("--at", options->at, "BODY, BODY:output, or BODY:x,y,z in the body's frame and the model's units")
      .required();
  verb.option("--plane", options->plane, "directions are measured from its first axis to its second, e.g. x,y or z,-x")
      .show_default();
  verb.list("--resistance", options->resistance, "shares by which joints resist: 0 free, 1 locked (default: 0,0.5,1)")
      .several_with_commas();
  verb.list("--damper", options->damper, "JOINT=d: a damper or rotor at a joint, kg m2 or kg; inf locks it");
  verb.list("--share", options->share, "JOINT=mu: the paper's share of each joint, which is not passive");
  verb.flag("--sphere", options->sphere,
            "all directions of space: longitude in the plane, latitude out of it; --svg draws maps");
  verb.option("--step", options->step, "deg between directions (default: 1, on the sphere 5)")
      .check([](const std::string& text) {
        const double x = std::strtod(text.c_str(), nullptr);
        return x >= 0.001 && x <= 360 ? std::string() : std::string("give 0.001 to 360 degrees");
      });
  verb.option("--state", options->state, "JSON file with the position, as `eval` takes it; - for standard input");
  verb.flag("--initial", options->initial, "the model's initial state instead of the design position");
  verb.option("--svg", options->svg, "write mass and deviation over the direction as a plot; - for standard output");
  verb.option("--polar", options->polar, "write the mass as a polar plot; - for standard output");
  verb.option("--csv", options->csv, "write the curves as columns; - for standard output");
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "m_p is the force over the acceleration along it, m_a over the whole acceleration, psi the angle between them, "
      "after Yoshida et al.\n"
      "(1992). A base on a free or planar joint floats.\n"
      "Example:\n"
      "  trammel virtual-mass models/three_rods.yaml --at hand:tip --plane x,y --resistance 0,0.5,1 --svg "
      "virtual_mass.svg");
  verb.run([options] { return run_virtual_mass(*options); });
}

}  // namespace trammel::tool
