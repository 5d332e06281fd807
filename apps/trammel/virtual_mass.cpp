// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel virtual-mass: what a mechanism feels like to a body that hits it, over all directions of a plane.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;
constexpr double degree = std::numbers::pi / 180;

struct VirtualMassVerb {
  std::string model, at, plane = "x,y", svg, polar, csv;
  std::optional<std::string> state;
  std::vector<std::string> resistance{"0", "0.5", "1"}, damper, share, cut;
  double step = 1;
  ReadOptions read;
  bool json = false, initial = false;
};

// The plane of the directions, by world axes.
struct DirectionPlane {
  Vec3d first, second;
  std::string names;
  Vec3d at(double theta) const { return first * std::cos(theta) + second * std::sin(theta); }
};

struct Curve {
  double share = 0;
  std::vector<double> G = std::vector<double>(36);
  std::vector<double> directions, projected, absolute, deviation;  // deg, kg, kg, deg
  double peak_direction = 0, peak_mass = 0;
  VirtualMassEllipsoid ellipsoid;
};

std::optional<DirectionPlane> parse_plane(const std::string& text) {
  const auto axis = [](const std::string& word) -> std::optional<Vec3d> {
    const double sign = word.starts_with('-') ? -1 : 1;
    const std::string letter = word.starts_with('-') ? word.substr(1) : word;
    if (letter == "x") return Vec3d{sign, 0, 0};
    if (letter == "y") return Vec3d{0, sign, 0};
    if (letter == "z") return Vec3d{0, 0, sign};
    return std::nullopt;
  };
  const auto comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const auto a = axis(text.substr(0, comma)), b = axis(text.substr(comma + 1));
  if (!a || !b || std::abs(dot(*a, *b)) > 0.5) return std::nullopt;
  return DirectionPlane{*a, *b, text};
}

// Angle from n to the motion, in the plane; out of it, the whole angle with the sign of what is in it.
double signed_deviation(const DirectionPlane& plane, const Vec3d& n, const VirtualMass& m) {
  const double turn = dot(cross(n, m.moves), cross(plane.first, plane.second));
  return turn < 0 ? -m.deviation : m.deviation;
}

// Of the part that answers forces by velocities.
double largest_of(const std::array<double, 36>& G) {
  double most = 0;
  for (std::size_t i = 3; i < 6; ++i) {
    for (std::size_t k = 3; k < 6; ++k) most = std::max(most, std::abs(G[6 * i + k]));
  }
  return most;
}

void fill_curve(const DirectionPlane& plane, double step, Curve& curve) {
  const auto count = static_cast<int>(std::floor(360 / step + 1e-9));
  for (int i = 0; i <= count; ++i) {
    const double theta = i * step;
    const Vec3d n = plane.at(theta * degree);
    const VirtualMass m = virtual_mass(curve.G, n);
    curve.directions.push_back(theta);
    curve.projected.push_back(m.projected);
    curve.absolute.push_back(m.absolute);
    curve.deviation.push_back(signed_deviation(plane, n, m) / degree);
  }
  // The heaviest direction of the plane: n G n = (a + c)/2 + (a − c)/2 cos 2θ + b sin 2θ is least.
  const auto entry = [&](const Vec3d& u, const Vec3d& v) {
    double sum = 0;
    const auto x = components(u), y = components(v);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) sum += x[i] * curve.G[6 * (i + 3) + k + 3] * y[k];
    }
    return sum;
  };
  const double a = entry(plane.first, plane.first), c = entry(plane.second, plane.second);
  const double b = 0.5 * (entry(plane.first, plane.second) + entry(plane.second, plane.first));
  double theta = 0.5 * std::atan2(-b, 0.5 * (c - a));
  if (theta < 0) theta += std::numbers::pi;
  curve.peak_direction = theta / degree;
  curve.peak_mass = virtual_mass(curve.G, plane.at(theta)).projected;
  curve.ellipsoid = virtual_mass_ellipsoid(curve.G);
}

ordered_json json_number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }
ordered_json json_list(const std::vector<double>& numbers) {
  ordered_json out = ordered_json::array();
  for (const double x : numbers) out.push_back(json_number(x));
  return out;
}

ordered_json report(const Mechanism& mech, const VirtualMassVerb& verb, const std::vector<Curve>& curves,
                    const Diagnostics& diagnostics) {
  ordered_json j{{"status", "ok"},
                 {"model", mech.name},
                 {"at", verb.at},
                 {"plane", verb.plane},
                 {"curves", ordered_json::array()}};
  for (const Curve& c : curves) {
    ordered_json G = ordered_json::array(), ellipsoid = ordered_json::array();
    for (int r = 0; r < 6; ++r) G.push_back(std::vector<double>(c.G.begin() + 6 * r, c.G.begin() + 6 * r + 6));
    for (std::size_t i = 0; i < 3; ++i)
      ellipsoid.push_back({{"mass", json_number(c.ellipsoid.mass[i])}, {"axis", list(c.ellipsoid.axis[i])}});
    j["curves"].push_back({{"resistance", c.share},
                           {"directions_deg", c.directions},
                           {"m_p", json_list(c.projected)},
                           {"m_a", json_list(c.absolute)},
                           {"psi_deg", json_list(c.deviation)},
                           {"peak", {{"direction_deg", c.peak_direction}, {"mass", json_number(c.peak_mass)}}},
                           {"ellipsoid", ellipsoid},
                           {"G", G}});
  }
  j["messages"] = json_of(diagnostics);
  return j;
}

std::string name_of(const Curve& c) {
  return c.share == 0   ? "joints free, μ = 0"
         : c.share == 1 ? "joints locked, μ = 1"
                        : fmt::format("μ = {}", number(c.share));
}

std::string two_panels(const Mechanism& mech, const VirtualMassVerb& verb, const std::vector<Curve>& curves) {
  Plot plot;
  plot.title = fmt::format("Virtual mass of {}", mech.name);
  plot.subtitle = fmt::format("at {}, over directions in the plane {}", verb.at, verb.plane);
  plot.x = {.label = "direction of the force", .unit = "deg", .from = 0, .to = 360};
  PlotPanel mass{.y = {.label = "m_a", .unit = "kg", .from = 0}}, deviation{.y = {.label = "ψ", .unit = "deg"}};
  for (const Curve& c : curves) {
    mass.lines.push_back({.name = name_of(c), .x = c.directions, .y = c.absolute});
    deviation.lines.push_back({.name = name_of(c), .x = c.directions, .y = c.deviation});
    if (std::isfinite(c.peak_mass)) plot.marks.push_back({c.peak_direction, fmt::format("{:.4g} kg", c.peak_mass)});
  }
  plot.panels = {mass, deviation};
  return svg_plot(plot);
}

std::string in_polar_coordinates(const Mechanism& mech, const VirtualMassVerb& verb, const std::vector<Curve>& curves) {
  PlanePlot plot;
  plot.title = fmt::format("Virtual mass of {}", mech.name);
  plot.subtitle = fmt::format("m_a at {}, as the distance from the middle in each direction", verb.at);
  plot.x = {.label = "along " + verb.plane.substr(0, verb.plane.find(',')), .unit = "kg"};
  plot.y = {.label = "along " + verb.plane.substr(verb.plane.find(',') + 1), .unit = "kg"};
  for (const Curve& c : curves) {
    PlaneCurve curve{.name = name_of(c), .arrow = false};
    for (std::size_t i = 0; i < c.directions.size(); ++i) {
      curve.x.push_back(c.absolute[i] * std::cos(c.directions[i] * degree));
      curve.y.push_back(c.absolute[i] * std::sin(c.directions[i] * degree));
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.points = {{0, 0, ""}};
  return svg_plot(plot);
}

std::string columns(const std::vector<Curve>& curves) {
  Channels channels{{{"direction", "deg", curves.front().directions}}};
  for (const Curve& c : curves) {
    const std::string of = fmt::format(" at μ = {}", number(c.share));
    channels.columns.push_back({"m_p" + of, "kg", c.projected});
    channels.columns.push_back({"m_a" + of, "kg", c.absolute});
    channels.columns.push_back({"psi" + of, "deg", c.deviation});
  }
  return write_csv(channels);
}

void print_text(const Mechanism& mech, const VirtualMassVerb& verb, const std::vector<Curve>& curves) {
  fmt::print("{}  virtual mass at {}, directions in the plane {}\n\n", heading(mech.name), verb.at, verb.plane);
  Table table({"resistance μ", "heaviest kg", "at deg", "lightest kg", "largest deviation deg"});
  for (const Curve& c : curves) {
    const double lightest = *std::min_element(c.absolute.begin(), c.absolute.end());
    double deviation = 0;
    for (const double psi : c.deviation) deviation = std::max(deviation, std::abs(psi));
    const auto mass = [](double kg) { return std::isfinite(kg) ? number(kg) : std::string("does not move"); };
    table.add({number(c.share), mass(c.peak_mass), number(c.peak_direction), mass(lightest), number(deviation)});
  }
  fmt::print("{}\nIn space: mass along the principal axes, heaviest first\n", table.to_string());
  Table space({"resistance μ", "kg", "axis", "kg", "axis", "kg", "axis"});
  const auto axis = [](const Vec3d& v) {
    const auto x = [](double c) { return std::abs(c) < 1e-12 ? 0 : c; };
    return vector({x(v.x), x(v.y), x(v.z)});
  };
  for (const Curve& c : curves) {
    std::vector<std::string> line{number(c.share)};
    for (std::size_t i = 0; i < 3; ++i) {
      line.push_back(std::isfinite(c.ellipsoid.mass[i]) ? number(c.ellipsoid.mass[i]) : "does not move");
      line.push_back(axis(c.ellipsoid.axis[i]));
    }
    space.add(line);
  }
  fmt::print("{}", space.to_string());
}

std::string draw_all(const Mechanism& mech, const VirtualMassVerb& verb, const std::vector<Curve>& curves) {
  const std::pair<const std::string*,
                  std::string (*)(const Mechanism&, const VirtualMassVerb&, const std::vector<Curve>&)>
      files[] = {{&verb.svg, two_panels}, {&verb.polar, in_polar_coordinates}};
  for (const auto& file : files) {
    if (file.first->empty()) continue;
    const std::string wrong = write_file(*file.first, file.second(mech, verb, curves));
    if (!wrong.empty()) return fmt::format("the file '{}' cannot be written: {}", *file.first, wrong);
  }
  if (verb.csv.empty()) return {};
  const std::string wrong = write_file(verb.csv, columns(curves));
  return wrong.empty() ? "" : fmt::format("the file '{}' cannot be written: {}", verb.csv, wrong);
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
  const std::optional<DirectionPlane> plane = parse_plane(verb.plane);
  if (!plane)
    problems.error({}, "option-value", fmt::format("--plane: '{}' is no pair of axes", verb.plane),
                   "write two of x, y, z: --plane x,y");
  const std::optional<PointOfBody> point = parse_point(mech, verb.at, problems);
  JointResistance resistance;
  const auto n = static_cast<std::size_t>(mech.nv);
  if (!verb.damper.empty()) resistance.damper.assign(n, 0.0);
  for (const std::string& text : verb.damper) parse_of_joint(mech, "--damper", text, true, resistance.damper, problems);
  if (!verb.share.empty()) resistance.share_of_each.assign(n, 0.0);
  for (const std::string& text : verb.share)
    parse_of_joint(mech, "--share", text, false, resistance.share_of_each, problems);
  std::vector<double> shares;
  for (const std::string& text : verb.resistance) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || end != text.c_str() + text.size() || !(x >= 0 && x <= 1)) {
      problems.error({}, "option-value", fmt::format("--resistance: '{}' is no share between 0 and 1", text),
                     "0 is free, 1 is locked: --resistance 0,0.5,1");
    }
    shares.push_back(x);
  }
  EvalState state = read_state(mech, verb.state, verb.initial, problems);
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
  std::vector<Curve> curves;
  for (const double share : shares) {
    Curve curve;
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
    fill_curve(*plane, verb.step, curve);
    curves.push_back(std::move(curve));
  }
  print(problems);
  const std::string wrong = draw_all(mech, verb, curves);
  if (!wrong.empty())
    return refuse(one_error(wrong, "check the path, the permissions and the space on the disk", "file-unwritable"));
  if (verb.json) {
    fmt::print("{}\n", report(mech, verb, curves, problems).dump(1));
  } else {
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
  verb.list("--resistance", options->resistance, "shares by which joints resist: 0 free, 1 locked")
      .several_with_commas()
      .show_default();
  verb.list("--damper", options->damper, "JOINT=d: a damper or rotor at a joint, kg m2 or kg; inf locks it");
  verb.list("--share", options->share, "JOINT=mu: the paper's share of each joint, which is not passive");
  verb.option("--step", options->step, "deg between directions").show_default().check([](const std::string& text) {
    const double x = std::strtod(text.c_str(), nullptr);
    return x >= 0.001 && x <= 360 ? std::string() : std::string("give 0.001 to 360 degrees");
  });
  verb.option("--state", options->state, "JSON file with the position, as `eval` takes it; - for standard input");
  verb.flag("--initial", options->initial, "the model's initial state instead of the design position");
  verb.option("--svg", options->svg, "write mass and deviation over the direction as a plot");
  verb.option("--polar", options->polar, "write the mass as a polar plot");
  verb.option("--csv", options->csv, "write the curves as columns");
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
