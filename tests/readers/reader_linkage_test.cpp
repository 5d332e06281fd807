// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The sections of linkages: what each form means.

#include <numbers>

#include "readers/reading.hpp"

namespace trammel {
namespace {

using test::distance;
using test::messages;
using test::read;

constexpr double degree = std::numbers::pi / 180;

const std::string bodies = R"yaml(units: {length: mm, angle: deg}
points: {O: [0, 0, 0], A: [30, 40, 0], B: [120, 80, 0]}
bodies: {crank: {mass: 1}, rocker: {mass: 1}, slider: {pose: {at: [10, 0, 0], rpy: [0, 0, 90]}, mass: 1}}
joints:
  O2: {revolute: [ground, crank], at: O, axis: z}
  O4: {revolute: [ground, rocker], at: [100, 0, 0], axis: z}
  S:  {cylindrical: [ground, slider], at: O, axis: x}
outputs: {tip: {point: A, on: crank}}
)yaml";

const Constraint constraint(const std::string& text) {
  return read(bodies + "constraints: {c: " + text + "}\n").constraints.at(0);
}
// Φ where the model is drawn.
std::vector<double> drawn_residual(const Constraint& c, const Model& model) {
  const auto pose = [&](const std::string& name) {
    const Body* body = model.find_body(name);
    return body == nullptr ? Transformd{} : body->X_WB;
  };
  std::vector<double> phi(dimensions(c.type).size()), turns(2, 0.0);
  residual(c.type, inverse(pose(c.first) * c.X_AP) * (pose(c.second) * c.X_BQ), turns.data(), phi.data());
  return phi;
}

TEST(Constraints, take_lengths_and_angles_from_the_drawing) {
  EXPECT_DOUBLE_EQ(std::get<Distance>(constraint("{distance: [ground, crank], at: [O, A]}").type).length, 0.05);
  EXPECT_DOUBLE_EQ(std::get<Distance>(constraint("{distance: [ground, crank], at: [O, A], length: 60}").type).length,
                   0.06);
  EXPECT_DOUBLE_EQ(std::get<Angle>(constraint("{angle: [crank, rocker], axes: [x, [1, 1, 0]]}").type).angle,
                   45 * degree);
  EXPECT_DOUBLE_EQ(std::get<Angle>(constraint("{angle: [crank, rocker], axes: [x, y], value: 60}").type).angle,
                   60 * degree);
}

TEST(Constraints, hold_where_they_are_drawn) {
  for (const char* text : {
           "{distance: [crank, slider], at: [A, B]}",
           "{point_on_line: [ground, slider], at: B, line: {through: O, along: {from: O, to: B}}}",
           "{point_on_plane: [crank, slider], at: A, plane: {through: B, normal: z}}",
           "{point_on_plane: [crank, slider], at: [1, 2, 7], plane: z, height: 7}",
           "{point_on_curve: [slider, crank], at: [0, 25, 3], plane: z, curve: {x: '20*cos(s)', y: '20*sin(s)', to: "
           "2*pi, closed: true}, radius: 5}",
           "{point_on_curve: [slider, crank], at: [0, 15, 3], plane: z, curve: {x: '20*cos(s)', y: '20*sin(s)', to: "
           "2*pi, closed: true}, radius: 5}",
           "{point_on_curve: [crank, rocker], at: A, plane: z, curve: {points: [[0, 0], [30, 40], [60, 50]]}}",
           "{face_on_curve: [slider, crank], at: [3, 20, 0], normal: y, plane: z, curve: {x: '20*cos(s)', y: "
           "'20*sin(s)', to: 2*pi, closed: true}}",
           "{angle: [crank, slider], axes: [x, [1, 1, 0]]}",
           "{parallel: [crank, slider], axes: [z, z]}",
           "{rolling: [crank, slider], centres: [O, A], radii: [30, 20]}",
           "{rolling: [crank, slider], centres: [O, A], radii: [70, 20], inside: true}",
           "{rolling_on_line: [ground, slider], centre: [5, -10, 0], line: {through: O, along: x}, radius: 10}",
           "{rolling_on_line: [ground, slider], centre: [5, 10, 0], line: {through: O, along: x}, radius: 10, axis: "
           "-z}",
           "{hold: slider, components: [x, y, rz]}",
           "{hold: [crank, slider], at: A, components: [x, y, z, rx, ry, rz]}",
       }) {
    const Model model = read(bodies + "constraints: {c: " + text + "}\n");
    ASSERT_EQ(model.constraints.size(), 1u) << text;
    for (const double phi : drawn_residual(model.constraints[0], model)) EXPECT_NEAR(phi, 0, 1e-14) << text;
  }
}

TEST(Constraints, lie_in_the_plane_of_a_planar_linkage_unless_they_say_otherwise) {
  const Model model = read(bodies + R"yaml(planar: {normal: x, through: B}
constraints:
  a: {point_on_plane: [ground, crank], at: B}
  b: {rolling: [ground, crank], centres: [O, [0, 0, 50]], radii: [30, 20]}
)yaml");
  EXPECT_LT(distance(model.constraints[0].X_AP.R.ez, {1, 0, 0}), 1e-15);
  EXPECT_LT(distance(model.constraints[0].X_AP.p, {0.12, 0.08, 0}), 1e-15);
  EXPECT_LT(distance(model.constraints[1].X_AP.R.ez, {1, 0, 0}), 1e-15);
  EXPECT_LT(distance(model.planar->x, {0, 1, 0}), 1e-15);
}

TEST(Constraints, have_a_sign_on_the_roller_by_its_side) {
  const std::string curve = "curve: {x: '20*cos(s)', y: '20*sin(s)', to: 2*pi, closed: true}, radius: 5";
  const auto offset = [&](const std::string& at) {
    return std::get<PointOnCurve>(
               constraint("{point_on_curve: [crank, rocker], plane: z, " + curve + ", " + at + "}").type)
        .offset;
  };
  EXPECT_DOUBLE_EQ(offset("at: [0, 25, 0]"), -0.005);  // outside a circle that runs to the left
  EXPECT_DOUBLE_EQ(offset("at: [0, 15, 0]"), 0.005);
  EXPECT_DOUBLE_EQ(offset("at: [0, 20, 0], side: left"), 0.005);
}

TEST(Couplings, know_belts) {
  const Model model = read(bodies + R"yaml(couplings:
  a: {belt: [O2, O4], radii: [20, 40]}
  b: {belt: [O2, O4], radii: [20, 40], crossed: true, offset: 90}
  c: {belt: [O2, S.angle], ratio: -3}
)yaml");
  EXPECT_EQ(model.couplings[0].kind, Coupling::Kind::belt);
  EXPECT_DOUBLE_EQ(model.couplings[0].ratio, 0.5);
  EXPECT_DOUBLE_EQ(model.couplings[1].ratio, -0.5);
  EXPECT_DOUBLE_EQ(model.couplings[1].offset, 90 * degree);
  EXPECT_DOUBLE_EQ(model.couplings[2].ratio, -3);

  // The radii are part of the drawing, and are written back.
  EXPECT_EQ(model.couplings[1].radii, std::pair(0.02, 0.04));
  EXPECT_FALSE(model.couplings[2].radii);
  const std::string text = write_yaml(model);
  EXPECT_NE(text.find("{belt: [O2, O4], radii: [20, 40]}"), std::string::npos) << text;
  EXPECT_NE(text.find("{belt: [O2, O4], radii: [20, 40], crossed: true, offset: 90}"), std::string::npos) << text;
  EXPECT_NE(text.find("{belt: [O2, S.angle], ratio: -3}"), std::string::npos) << text;
}

TEST(Inputs, by_time_share_one_time_that_need_be_given_once_only) {
  const Model model = read(bodies + R"yaml(inputs:
  O2: {motion: "t"}
  S.angle: {motion: "2*t", from: 1, to: 3, step: 0.5}
)yaml");
  EXPECT_DOUBLE_EQ(model.inputs[0].from, 1);
  EXPECT_DOUBLE_EQ(model.inputs[0].to, 3);
  EXPECT_DOUBLE_EQ(model.inputs[0].step, 0.5);
}

TEST(Inputs, are_ranges_of_coordinates_or_motions_in_time) {
  const Model model = read(bodies + R"yaml(inputs:
  O2: {from: 0, to: 360, step: 5, speed: 60, acceleration: 2}
  S.travel: {from: 10}
  S.angle: {motion: "30*sin(2*pi*t)", from: 0, to: 1, step: 0.01}
)yaml");
  EXPECT_DOUBLE_EQ(model.inputs[0].to, 360 * degree);
  EXPECT_DOUBLE_EQ(model.inputs[0].step, 5 * degree);
  EXPECT_DOUBLE_EQ(model.inputs[0].speed, 60 * degree);
  EXPECT_DOUBLE_EQ(model.inputs[1].from, 0.01);
  EXPECT_DOUBLE_EQ(model.inputs[1].to, 0.01);
  EXPECT_EQ(model.inputs[1].dof, 1);
  ASSERT_TRUE(model.inputs[2].motion);
  EXPECT_DOUBLE_EQ(model.inputs[2].motion->at(0.25), 30 * degree);
  EXPECT_DOUBLE_EQ(model.inputs[2].step, 0.01);
}

TEST(TimeFunctions, run_in_the_units_of_the_file) {
  const Model model = read(
      "units: {length: mm, time: min, force: kN}\n"
      "bodies: {a: {mass: 1}}\njoints: {j: {revolute: [ground, a], at: [0, 0, 0]}}\n"
      "loads: {p: {on: a, torque: [\"5*t\", 2, \"3\"]}}\n");
  const auto& c = *model.loads[0].components;
  EXPECT_DOUBLE_EQ(c[0].at(120.0), 10);  // 2 min: 10 kN mm
  EXPECT_DOUBLE_EQ(c[1].at(0.0), 2);
  EXPECT_DOUBLE_EQ(c[2].at(7.0), 3);
  const Series<2> t = Series<2>::time(120);
  EXPECT_DOUBLE_EQ(c[0].of_time.at(t).derivative(1), 5.0 / 60);
}

TEST(Springs, are_at_rest_as_drawn) {
  const Model model = read(bodies + R"yaml(springs:
  a: {between: [crank, ground], at: [A, O], stiffness: 2}
  b: {between: [tip, {point: B, on: slider}], stiffness: 2, rest: 10, damping: 3, preload: 4}
  c: {joint: O2, stiffness: 1}
)yaml");
  EXPECT_DOUBLE_EQ(model.springs[0].rest, 0.05);
  EXPECT_DOUBLE_EQ(model.springs[0].stiffness, 2000);
  EXPECT_EQ(model.springs[1].first, (BodyPoint{"crank", {0.03, 0.04, 0}}));
  EXPECT_LT(distance(model.springs[1].second.p_B, {0.08, -0.11, 0}), 1e-15);
  EXPECT_DOUBLE_EQ(model.springs[1].damping, 3000);
  EXPECT_DOUBLE_EQ(model.springs[1].preload, 4);
  EXPECT_EQ(model.springs[2].rest, 0);
  EXPECT_DOUBLE_EQ(model.springs[2].stiffness, 0.001 / degree);
}

TEST(Loads, are_known_or_resisting) {
  const Model model = read(bodies + R"yaml(loads:
  push: {on: slider, at: B, force: [10, "5*t", 0], frame: body}
  cut: {on: rocker, at: B, along: [3, 4, 0], force: 20}
  grip: {on: rocker, at: B, resisting: force, along: x}
  drag: {on: rocker, resisting: torque, along: z, bound: {to: grip, ratio: 7, offset: 100}}
)yaml");
  EXPECT_TRUE(model.loads[0].turns_along);
  EXPECT_LT(distance(model.loads[0].at.p_B, {0.08, -0.11, 0}), 1e-15);
  EXPECT_DOUBLE_EQ((*model.loads[0].components)[1].at(3.0), 15);
  EXPECT_LT(distance(model.loads[1].direction, {0.6, 0.8, 0}), 1e-15);
  EXPECT_DOUBLE_EQ(model.loads[1].size->at(0.0), 20);
  EXPECT_TRUE(model.loads[2].is_resisting());
  EXPECT_FALSE(model.loads[1].is_resisting());
  EXPECT_TRUE(model.loads[3].is_couple);
  EXPECT_EQ(model.loads[3].bound_to, "grip");
  EXPECT_DOUBLE_EQ(model.loads[3].ratio, 0.007);  // N mm per N
  EXPECT_DOUBLE_EQ(model.loads[3].offset, 0.1);
}

TEST(Measures, name_outputs_and_points_of_bodies) {
  const Model model = read(bodies + R"yaml(measures:
  swing: {angle: [[tip, {point: B, on: rocker}], [{point: O, on: ground}, {point: B, on: ground}]], axis: z}
  high: {distance_to_plane: tip, through: {point: O, on: ground}, normal: y}
  turned: {locus: tip, about: [{point: O, on: ground}, {point: [0, 0, 1], on: ground}], turn: 30, component: y}
  lean: {camber: [tip, {point: B, on: crank}]}
  gain: {mechanical_advantage: [O2, S.travel]}
  pole: {instant_centre: rocker, component: y}
  half: "swing/2 + tip.x"
  long: {expression: "2*high", gives: length}
)yaml");
  EXPECT_EQ(model.measures[0].points[0], (BodyPoint{"crank", {0.03, 0.04, 0}}));
  EXPECT_EQ(model.measures[0].axis, (Vec3d{0, 0, 1}));
  EXPECT_DOUBLE_EQ(model.measures[2].turn, 30 * degree);
  EXPECT_EQ(model.measures[2].component, 1);
  EXPECT_EQ(model.measures[3].reference, (Vec3d{1, 0, 0}));
  EXPECT_EQ(model.measures[4].dofs, (std::vector<int>{0, 1}));
  EXPECT_EQ(dimension_of(model, model.measures[4]), (Dimension{.length = -1, .angle = 1}));
  EXPECT_EQ(model.measures[5].kind, Measure::Kind::instant_centre_y);
  EXPECT_EQ(model.measures[5].bodies, (std::vector<std::string>{"rocker", "ground"}));
  EXPECT_EQ(model.measures[6].text, "swing/2 + tip.x");
  EXPECT_DOUBLE_EQ(model.measures[6].unit(dimension::length), 0.001);
  EXPECT_EQ(dimension_of(model, model.measures[7]), dimension::length);
  EXPECT_EQ(measure_variables(model).size(), 8u + 3u);
}

// What was written in other units gives the same numbers there.
TEST(Writer, converts_expressions_to_other_units) {
  const Model model = read(bodies + R"yaml(constraints:
  cam: {point_on_curve: [crank, rocker], at: [0, 25, 0], plane: z, curve: {x: "20*cos(s)", y: "20*sin(s)", to: 2*pi, closed: true}}
inputs: {O2: {motion: "30*t", from: 0, to: 1, step: 0.5}}
measures:
  high: {distance_to_plane: tip, through: {point: O, on: ground}, normal: y}
  long: {expression: "high + 5", gives: length}
)yaml");
  const std::string same = write_yaml(model), si = write_yaml(model, true);
  EXPECT_NE(same.find("curve: {x: \"20*cos(s)\""), std::string::npos) << same;
  EXPECT_NE(same.find("motion: \"30*t\""), std::string::npos) << same;
  EXPECT_NE(same.find("{expression: high + 5, gives: length}"), std::string::npos) << same;
  EXPECT_NE(si.find("curve: {x: \"0.001*(20*cos(s))\""), std::string::npos) << si;
  EXPECT_NE(si.find("motion: \"0.017453292519943295*(30*t)\""), std::string::npos) << si;
  EXPECT_NE(si.find("{expression: \"0.001*((high/0.001) + 5)\", gives: length}"), std::string::npos) << si;
}

struct OnSphere {
  double r;
  std::vector<Dimension> dimensions() const { return {dimension::length}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    out[0] = dot(X_PQ.p, X_PQ.p) - T(r);
  }
};

TEST(Writer, refuses_constraints_that_only_a_program_knows) {
  Model model;
  add_body(model, "b", 1, {}, {});
  add_constraint(model, "c", custom_constraint(OnSphere{2}), "ground", "b", {}, {});
  EXPECT_THROW(write_yaml(model), std::invalid_argument);
}

TEST(WrittenUrdfAndMjcf, tell_what_they_lose_of_a_linkage) {
  const Model model = read(R"yaml(bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {i: {revolute: [ground, a], at: [0, 0, 0]}, j: {revolute: [ground, b], at: [1, 0, 0]}}
planar: z
constraints: {rod: {distance: [a, b], at: [[0, 1, 0], [1, 1, 0]]}}
inputs: {i: {from: 0}}
springs: {back: {joint: i, stiffness: 1}}
loads: {push: {on: a, torque: [0, 0, 1]}}
measures: {wide: {length: [{point: [0, 1, 0], on: a}, {point: [1, 1, 0], on: b}]}}
)yaml");
  for (const auto& [written, format] : {std::pair(write_urdf(model), "urdf"), std::pair(write_mjcf(model), "mjcf")}) {
    const std::string said = written.diagnostics.to_string();
    for (const char* what : {"inputs are lost", "measures are lost", "the plane of the linkage is lost",
                             "constraints are lost: answers change: 'rod'", "springs are lost: answers change: 'back'",
                             "loads are lost: answers change: 'push'"}) {
      EXPECT_NE(said.find(what), std::string::npos) << format << ": " << what << "\n" << said;
    }
  }
}

}  // namespace
}  // namespace trammel
