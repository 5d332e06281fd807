// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What compile() makes of a model: links, coordinates, loops, and its verdicts by their text.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <trammel/dynamics.hpp>

#include "support/custom_joints.hpp"

namespace trammel {
namespace {

const Sym3d unit_inertia{1, 1, 1, 0, 0, 0};

// A chain ground –[arm]– upper –[elbow]– lower, hinges along z.
Model two_links() {
  Model model;
  model.name = "two links";
  add_body(model, "upper", 1, {0.5, 0, 0}, unit_inertia);
  add_body(model, "lower", 2, {1.5, 0, 0}, unit_inertia);
  add_joint(model, "arm", Revolute{}, "ground", "upper", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "elbow", Revolute{}, "upper", "lower", frame_at({1, 0, 0}, {0, 0, 1}));
  return model;
}

// The whole text of one diagnostic.
std::string message(const Model& model, const CompileOptions& options = {}) {
  const CompileResult result = compile(model, options);
  return result.diagnostics.to_string();
}

TEST(Compile, numbers_links_and_freedoms_from_the_ground_out) {
  const CompileResult result = compile(two_links());
  ASSERT_TRUE(result.ok()) << result.diagnostics.to_string();
  const Mechanism& mech = result.mechanism;
  EXPECT_EQ(mech.link_count(), 2);
  EXPECT_EQ(mech.nq, 2);
  EXPECT_EQ(mech.nv, 2);
  EXPECT_EQ(mech.links[1].parent, 0);
  EXPECT_EQ(mech.find_body("lower"), 1);
  EXPECT_EQ(mech.find_body("ground"), ground);
  EXPECT_EQ(mech.find_body("middle"), Mechanism::not_found);
  EXPECT_EQ(mech.find_joint("elbow"), 1);
  EXPECT_EQ(mech.find_joint("knee"), Mechanism::not_found);
  EXPECT_EQ(mech.dof_names, (std::vector<std::string>{"arm.0", "elbow.0"}));
  EXPECT_TRUE(mech.is_tree());
}

TEST(Compile, merges_welded_bodies_into_one_link_with_the_sum_of_their_inertias) {
  Model model = two_links();
  add_body(model, "tool", 3, {2, 1, 0}, unit_inertia, {rotation_z(0.3), {2, 1, 0.5}});
  add_joint(model, "flange", Fixed{}, "tool", "lower", frame_at({2, 0, 0}, {1, 2, 3}));
  const CompileResult result = compile(model);
  ASSERT_TRUE(result.ok()) << result.diagnostics.to_string();
  const Mechanism& mech = result.mechanism;
  EXPECT_EQ(mech.link_count(), 2);
  EXPECT_EQ(mech.bodies[2].link, 1);
  EXPECT_EQ(mech.joints[2].role, JointRole::weld);
  EXPECT_DOUBLE_EQ(mech.parameters.inertia[1].mass, 5);
  // The tool stays where it was drawn.
  Workspace ws(mech);
  compute_positions(mech, ws, design_state(mech).q);
  const Transformd X = pose_WB(mech, ws, 2);
  EXPECT_NEAR(norm(X.p - Vec3d{2, 1, 0.5}), 0, 1e-15);
  EXPECT_NEAR(norm(X.R.ex - rotation_z(0.3).ex), 0, 1e-15);
}

TEST(Compile, keeps_bodies_welded_to_the_ground_out_of_the_links) {
  Model model = two_links();
  add_body(model, "stand", 10, {0, 0, -1}, unit_inertia);
  add_joint(model, "bolts", Fixed{}, "ground", "stand", {});
  const CompileResult result = compile(model);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.mechanism.link_count(), 2);
  EXPECT_EQ(result.mechanism.bodies[2].link, ground);
}

TEST(Compile, keeps_design_poses_whichever_way_joints_are_named) {
  for (const AnyJoint& type :
       {AnyJoint(Revolute{}), AnyJoint(Prismatic{}), AnyJoint(Helical{0.1}), AnyJoint(Cylindrical{}),
        AnyJoint(Universal{}), AnyJoint(Spherical{}), AnyJoint(Planar{}), AnyJoint(Free{})}) {
    Model model;
    const Transformd X_WB{rotation_x(0.4) * rotation_z(1.1), {0.3, -2, 1}};
    add_body(model, "body", 1, {0.1, 0.2, 0.3}, unit_inertia, X_WB);
    add_joint(model, "joint", type, "body", "ground", frame_at({1, 2, 3}, {1, -1, 2}));
    const CompileResult result = compile(model);
    ASSERT_TRUE(result.ok()) << keyword(type);
    EXPECT_TRUE(result.mechanism.joints[0].reversed);
    Workspace ws(result.mechanism);
    compute_positions(result.mechanism, ws, design_state(result.mechanism).q);
    const Transformd X = pose_WB(result.mechanism, ws, 0);
    EXPECT_LT(norm(X.p - X_WB.p) + norm(X.R.ex - X_WB.R.ex) + norm(X.R.ey - X_WB.R.ey), 1e-14) << keyword(type);
  }
}

TEST(Compile, finds_the_loop_of_a_four_bar_and_cuts_it_where_asked) {
  Model model = two_links();
  add_body(model, "rocker", 1, {2, 0.5, 0}, unit_inertia);
  add_joint(model, "wrist", Revolute{}, "lower", "rocker", frame_at({2, 0, 0}, {0, 0, 1}));
  add_joint(model, "pivot", Revolute{}, "rocker", "ground", frame_at({2, 1, 0}, {0, 0, 1}));
  const Mechanism mech = compile(model).mechanism;
  ASSERT_EQ(mech.loops.size(), 1u);
  EXPECT_EQ(mech.joints[mech.loops[0].closure].name, "wrist");
  EXPECT_EQ(mech.joints[mech.loops[0].closure].role, JointRole::closure);
  EXPECT_FALSE(mech.is_tree());
  const Mechanism cut = compile(model, {.cut = {"arm"}}).mechanism;
  EXPECT_EQ(cut.joints[cut.loops[0].closure].name, "arm");
  model.joints[1].cut = true;
  const Mechanism marked = compile(model).mechanism;
  EXPECT_EQ(marked.joints[marked.loops[0].closure].name, "elbow");
}

TEST(Compile, opens_a_new_point_for_every_tree_every_free_body_and_along_chains) {
  Model model;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "b" + std::to_string(i);
    add_body(model, name, 1, {i + 0.5, 0, 0}, unit_inertia);
    add_joint(model, "j" + std::to_string(i), Revolute{}, i == 0 ? "ground" : "b" + std::to_string(i - 1), name,
              frame_at({1.0 * i, 0, 0}, {0, 0, 1}));
  }
  add_body(model, "satellite", 1, {0, 0, 0}, unit_inertia);
  add_joint(model, "tether", Free{}, "b39", "satellite", {});
  add_body(model, "other", 1, {0, 0, 0}, unit_inertia);
  add_joint(model, "root", Spherical{}, "ground", "other", frame_at({0, 5, 0}, {0, 0, 1}));
  EXPECT_EQ(compile(model).mechanism.points, 3 + 1 + 1);
}

TEST(Compile, starts_from_the_initial_state_of_the_model) {
  Model model = two_links();
  model.joints[1].q_initial = {0.3};
  model.joints[1].v_initial = {-2};
  const Mechanism mech = compile(model).mechanism;
  EXPECT_EQ(initial_state(mech).q, (std::vector<double>{0, 0.3}));
  EXPECT_EQ(initial_state(mech).v, (std::vector<double>{0, -2}));
  EXPECT_EQ(design_state(mech).q, (std::vector<double>{0, 0}));
}

TEST(CompileVerdict, names_a_body_joined_to_nothing) {
  Model model = two_links();
  add_body(model, "lost", 1, {}, unit_inertia);
  EXPECT_EQ(message(model),
            "error: body 'lost' is joined to nothing\n"
            "  fix: join it to a body, or let it float: {free: [ground, lost]}      [body-not-joined]\n");
}

TEST(CompileVerdict, names_bodies_joined_only_among_themselves) {
  Model model;
  add_body(model, "a", 1, {}, unit_inertia);
  add_body(model, "b", 1, {1, 0, 0}, unit_inertia);
  add_joint(model, "j", Revolute{}, "a", "b", {});
  EXPECT_NE(message(model).find("error: body 'a' is joined to other bodies but none of them to the ground"),
            std::string::npos);
}

TEST(CompileVerdict, asks_for_mass_where_dynamics_needs_it) {
  Model model = two_links();
  model.bodies[1].mass = 0;
  model.bodies[1].inertia = {};
  EXPECT_EQ(message(model),
            "error: joint 'elbow' carries body 'lower', which has no mass\n"
            "  fix: give body 'lower' a mass, a shape with density, or weld it to one that has      [mass-missing]\n");
}

TEST(CompileVerdict, lets_a_massless_body_pass_when_it_is_welded_to_one_that_has_mass) {
  Model model = two_links();
  add_body(model, "frame", 0, {}, {});
  add_joint(model, "weld", Fixed{}, "lower", "frame", {});
  EXPECT_EQ(message(model), "");
}

TEST(CompileVerdict, lets_a_massless_body_between_others_pass) {
  Model model = two_links();
  model.bodies[0].mass = 0;
  model.bodies[0].inertia = {};
  EXPECT_EQ(message(model), "");
}

TEST(CompileVerdict, lets_armature_stand_for_mass) {
  Model model = two_links();
  model.bodies[1].mass = 0;
  model.bodies[1].inertia = {};
  model.joints[1].properties.armature = {0.01};
  EXPECT_EQ(message(model), "");
}

TEST(CompileVerdict, sees_that_a_point_mass_on_a_ball_joint_has_no_spin_inertia) {
  Model model;
  add_body(model, "bob", 1, {0.3, 0.4, -1}, {});
  add_joint(model, "ball", Spherical{}, "ground", "bob", {});
  EXPECT_EQ(message(model),
            "error: body 'bob' has no inertia along a freedom of joint 'ball', so its acceleration is not determined\n"
            "  fix: give body 'bob' a moment of inertia or the joint an armature      [inertia-missing]\n");
}

TEST(CompileVerdict, takes_a_point_mass_on_a_hinge) {
  Model model;
  add_body(model, "bob", 1, {1, 0, 0}, {});
  add_joint(model, "pin", Revolute{}, "ground", "bob", frame_at({}, {0, 0, 1}));
  EXPECT_EQ(message(model), "");
}

TEST(CompileVerdict, refuses_duplicate_and_reserved_names) {
  Model model = two_links();
  model.bodies[1].name = "upper";
  EXPECT_NE(message(model).find("error: there are two bodies called 'upper'"), std::string::npos);
  EXPECT_NE(message(model).find("[name-duplicate]"), std::string::npos);
  model = two_links();
  model.bodies[1].name = "ground";
  EXPECT_NE(message(model).find("[name-reserved]"), std::string::npos);
  model = two_links();
  model.joints[1].name = "";
  EXPECT_NE(message(model).find("[name-empty]"), std::string::npos);
}

TEST(CompileVerdict, suggests_the_body_that_was_meant) {
  Model model = two_links();
  model.joints[1].second = "lowr";
  EXPECT_NE(message(model).find("joint 'elbow' names a body 'lowr' that is not there\n  fix: did you mean 'lower'?"),
            std::string::npos);
}

TEST(CompileVerdict, refuses_a_joint_from_a_body_to_itself) {
  Model model = two_links();
  model.joints[1].second = "upper";
  EXPECT_NE(message(model).find("error: joint 'elbow' joins body 'upper' to itself"), std::string::npos);
}

TEST(CompileVerdict, refuses_numbers_that_are_not_finite_or_not_physical) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Model model = two_links();
  model.bodies[0].mass = nan;
  EXPECT_NE(message(model).find("[number-not-finite]"), std::string::npos);
  model = two_links();
  model.bodies[0].mass = -1;
  EXPECT_NE(message(model).find("error: body 'upper' has a negative mass: -1 kg"), std::string::npos);
  model = two_links();
  model.bodies[0].inertia = {1, 1, -1, 0, 0, 0};
  EXPECT_NE(message(model).find("body 'upper' has a negative principal moment of inertia: -1, 1, 1 kg m²"),
            std::string::npos);
  model = two_links();
  model.joints[0].X_AF.R.ex = {2, 0, 0};
  EXPECT_NE(message(model).find("[not-a-rotation]"), std::string::npos);
  model = two_links();
  model.joints[0].properties.viscous = {-1};
  EXPECT_NE(message(model).find("joint 'arm' has viscous friction -1"), std::string::npos);
  model = two_links();
  model.joints[0].properties.viscous = {1, 2};
  EXPECT_NE(message(model).find("joint 'arm' has 2 numbers for its viscous friction, it needs 1"), std::string::npos);
  model = two_links();
  model.gravity.x = nan;
  EXPECT_NE(message(model).find("gravity is not finite"), std::string::npos);
}

TEST(CompileVerdict, says_what_overflows) {
  Model model = two_links();
  model.bodies[0].inertia = {1e308, 1e308, 1e308, 0, 0, 0};
  EXPECT_EQ(message(model),
            "error: inertia of body 'upper' is not finite, or too large to compute with\n"
            "  fix: give finite numbers      [number-not-finite]\n");
  model = two_links();
  model.bodies[0].mass = model.bodies[1].mass = 1e308;
  EXPECT_EQ(message(model),
            "error: the masses of all bodies add up to more than a double holds\n"
            "  fix: check the masses and their unit      [number-not-finite]\n");
  model = two_links();
  model.bodies[1].com.x = 1e154;  // its square is still a double, but not twice that
  EXPECT_EQ(message(model),
            "error: inertia of body 'lower' at joint 'elbow' is beyond what a double holds\n"
            "  fix: check masses, centres of mass and units      [number-not-finite]\n");
  model = two_links();
  model.bodies[0].inertia = model.bodies[1].inertia = {5e307, 5e307, 5e307, 0, 0, 0};
  EXPECT_EQ(message(model),
            "error: inertia of body 'upper' and those beyond it at joint 'arm' is beyond what a double holds\n"
            "  fix: check masses, centres of mass and units      [number-not-finite]\n");
  model.joints[1].type = Fixed{};
  EXPECT_EQ(message(model),
            "error: inertia of body 'upper' and those welded to it at joint 'arm' is beyond what a double holds\n"
            "  fix: check masses, centres of mass and units      [number-not-finite]\n");
}

TEST(CompileVerdict, refuses_places_whose_squares_overflow) {
  Model model = two_links();
  model.joints[0].X_AF.p.y = 1e200;
  EXPECT_EQ(message(model),
            "error: the first frame of joint 'arm' is so far away that the square of it is beyond what a double holds\n"
            "  fix: place it nearer than 1e150 m      [number-not-finite]\n");
  model = two_links();
  Constraint rod;
  rod.name = "rod", rod.type = Distance{}, rod.first = "upper", rod.second = "lower";
  rod.X_BQ.p.y = -1e160;
  model.constraints.push_back(rod);
  EXPECT_NE(message(model).find("the second frame of constraint 'rod' is so far away"), std::string::npos)
      << message(model);
}

TEST(CompileVerdict, refuses_a_freedom_coupled_to_itself) {
  Model model = two_links();
  model.couplings.push_back({.name = "gear", .first = "arm", .second = "arm", .where = {}});
  EXPECT_EQ(message(model),
            "error: coupling 'gear' couples a freedom of joint 'arm' to itself\n"
            "  fix: name two different freedoms      [coupling-to-itself]\n");
  model.couplings[0].second = "elbow";
  // a circle is a matter of rank, not of sense
  model.couplings.push_back({.name = "back", .first = "elbow", .second = "arm", .where = {}});
  EXPECT_EQ(message(model), "");
}

TEST(CompileVerdict, warns_of_an_inertia_that_breaks_the_triangle_rule_and_goes_on) {
  Model model = two_links();
  model.bodies[0].inertia = {1, 1, 3, 0, 0, 0};
  const CompileResult result = compile(model);
  EXPECT_TRUE(result.ok());
  EXPECT_NE(result.diagnostics.to_string().find("warning: body 'upper' has principal moments 1, 1, 3 kg m²"),
            std::string::npos);
}

TEST(CompileVerdict, warns_of_a_cut_that_cannot_be) {
  EXPECT_NE(message(two_links(), {.cut = {"elbow"}}).find("[cut-not-possible]"), std::string::npos);
  EXPECT_NE(message(two_links(), {.cut = {"elbo"}}).find("no joint 'elbo' to cut\n  fix: did you mean 'elbow'?"),
            std::string::npos);
}

TEST(CompileVerdict, warns_of_a_free_joint_that_closes_a_loop) {
  Model model = two_links();
  add_joint(model, "leash", Free{}, "ground", "lower", {});
  EXPECT_NE(message(model).find("free joint 'leash' closes a loop: it constrains nothing"), std::string::npos);
}

// A four-bar; the crank's second hinge is where it is told to be.
Model four_bar(const Vec3d& crank_pin, const Vec3d& axis = {0, 0, 1}) {
  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({1, 1, 0}, {0, 0, 1}));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at(crank_pin, axis));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at({3, 2, 0}, {0, 0, 1}));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({3, 0, 0}, {0, 0, 1}));
  return model;
}

TEST(CompileVerdict, warns_of_a_link_without_length) {
  const char* warning =
      "warning: body 'crank' has no length: joints 'O2' and 'A' hold it about the same line, so that it turns by "
      "itself "
      "and moves nothing\n  fix: place the joints apart, or leave the body out      [link-without-length]";
  EXPECT_NE(message(four_bar({1, 1, 0})).find(warning), std::string::npos);
  EXPECT_NE(message(four_bar({1, 1, 0.5}, {0, 0, -1})).find(warning), std::string::npos);  // along the line is the same
  EXPECT_EQ(message(four_bar({1, 1.001, 0})).find("[link-without-length]"), std::string::npos);
  EXPECT_EQ(message(four_bar({1, 1, 0}, {0, 1, 1})).find("[link-without-length]"),
            std::string::npos);  // axes that meet
  Model balls = four_bar({1, 1, 0});
  balls.joints[0].type = Spherical{};
  EXPECT_NE(message(balls).find("hold it about the same point"), std::string::npos);
  balls.joints[1].type = Spherical{};
  EXPECT_NE(message(balls).find("hold it about the same point"), std::string::npos);
  Model rod = four_bar({2, 1, 0});
  rod.joints[0].type = rod.joints[1].type = Spherical{};  // spins about the line between its balls, as rods do
  EXPECT_EQ(message(rod).find("[link-without-length]"), std::string::npos);
  Model geared = four_bar({1, 1, 0});
  Coupling gear;
  gear.name = "gear", gear.first = "O2", gear.second = "A", gear.ratio = 2;
  geared.couplings.push_back(gear);
  EXPECT_EQ(message(geared).find("[link-without-length]"), std::string::npos);
  EXPECT_EQ(message(two_links()).find("[link-without-length]"), std::string::npos);  // no loop
}

TEST(CompileVerdict, refuses_a_custom_joint_that_closes_a_loop) {
  Model model = two_links();
  Joint& closure = add_joint(model, "pin", Custom{std::make_shared<test::EllipticRail>(2, 1)}, "ground", "lower", {});
  closure.cut = true;
  EXPECT_NE(message(model).find("custom joint 'pin' closes a loop, but it can say nothing of what it holds"),
            std::string::npos);
}

TEST(CompileVerdict, warns_of_the_state_of_a_joint_that_closes_a_loop) {
  Model model = two_links();
  Joint& closure = add_joint(model, "pin", Revolute{}, "ground", "lower", {});
  closure.cut = true;
  closure.properties.viscous = {5};
  closure.properties.armature = {3};
  EXPECT_EQ(message(model).find("[closure-property]"), std::string::npos);  // these act
  closure.q_initial = {0.5};
  EXPECT_NE(
      message(model).find("joint 'pin' closes a loop and has no coordinates of its own: without effect here is its "
                          "initial state"),
      std::string::npos);
}

TEST(CompileVerdict, takes_a_body_without_mass_that_a_loop_moves) {
  Model model = two_links();
  model.bodies[1].mass = 0;
  model.bodies[1].inertia = {};
  EXPECT_FALSE(compile(model).ok());
  add_joint(model, "pin", Spherical{}, "ground", "lower", {}).cut = true;
  EXPECT_TRUE(compile(model).ok());
  EXPECT_NE(message(model).find("it moves only as loops make it"), std::string::npos);
}

TEST(CompileVerdict, refuses_an_empty_model_and_an_empty_custom_joint) {
  EXPECT_NE(message(Model{}).find("[no-bodies]"), std::string::npos);
  Model model = two_links();
  model.joints[0].type = Custom{};
  EXPECT_NE(message(model).find("custom joint 'arm' holds no joint"), std::string::npos);
}

// Claims more freedoms than the kernels have room for.
struct Octopus : CustomJoint {
  std::string_view keyword() const override { return "octopus"; }
  int nq() const override { return 8; }
  std::vector<Freedom> freedoms() const override { return std::vector<Freedom>(8, {"arm", dimension::angle}); }
  Transform<double> X_FM(const double*) const override { return {}; }
  void H_FM(const double*, std::span<Motion<double>>) const override {}
  void Hdot_FM(const double*, const double*, std::span<Motion<double>>) const override {}
  void q_zero(double*) const override {}
  void q_step(const double*, const double*, double*) const override {}
  void q_fit(const Transform<double>&, double*) const override {}
};

TEST(CompileVerdict, refuses_a_custom_joint_with_too_many_freedoms_and_a_thread_without_pitch) {
  Model model = two_links();
  model.joints[0].type = Custom{std::make_shared<Octopus>()};
  EXPECT_EQ(message(model),
            "error: custom joint 'arm' has 8 coordinates and 8 freedoms; at most 7 and 6 are allowed\n"
            "  fix: split it into several joints      [joint-custom-size]\n");
  model = two_links();
  model.joints[0].type = Helical{.h = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_NE(message(model).find("the advance of joint 'arm' is not finite"), std::string::npos);
}

TEST(CompileVerdict, only_warns_of_missing_masses_where_kinematics_is_all_that_is_wanted) {
  Model model = two_links();
  model.bodies[1].mass = 0;
  model.bodies[1].inertia = {};
  const CompileResult result = compile(model, {.for_dynamics = false});
  EXPECT_TRUE(result.ok());
  EXPECT_NE(
      result.diagnostics.to_string().find("which has no mass; kinematics can be computed, and forces of a motion"),
      std::string::npos);
}

TEST(CompileVerdict, refuses_couplings_and_outputs_on_what_is_not_there) {
  Model model = two_links();
  Coupling gears;
  gears.name = "gears", gears.first = "arm", gears.second = "elbow", gears.second_dof = 1;
  model.couplings.push_back(gears);
  EXPECT_NE(message(model).find("coupling 'gears' names a joint or freedom that is not there"), std::string::npos);
  model = two_links();
  Output tip;
  tip.name = "tip", tip.body = "finger";
  model.outputs.push_back(tip);
  EXPECT_NE(message(model).find("output 'tip' is on a body 'finger' that is not there"), std::string::npos);
}

// A hand at the end of a very long slide computes as it does at home.
TEST(Precision, is_not_lost_along_a_travel_of_ten_kilometres) {
  Model model;
  add_body(model, "mast", 3, {0, 0, 0.1}, unit_inertia);
  add_body(model, "cart", 2, {0, 0, 0.2}, unit_inertia);
  add_body(model, "arm", 0.1, {0.05, 0, 0.2}, {1e-4, 1e-4, 1e-4, 0, 0, 0});
  add_body(model, "hand", 0.01, {0.12, 0, 0.2}, {1e-6, 1e-6, 1e-6, 0, 0, 0});
  add_joint(model, "slide", Prismatic{}, "ground", "mast", frame_at({}, {0, 0, 1}));
  add_joint(model, "rail", Prismatic{}, "mast", "cart", frame_at({0, 0, 0.2}, {1, 0, 0}));
  add_joint(model, "shoulder", Revolute{}, "cart", "arm", frame_at({0, 0, 0.2}, {0, 1, 0}));
  add_joint(model, "wrist", Revolute{}, "arm", "hand", frame_at({0.1, 0, 0.2}, {0, 1, 0}));
  const Mechanism mech = compile(model).mechanism;
  Workspace ws(mech);
  const std::vector<double> v{0, 1, 2, -3}, tau{0, 1, 0.1, 0.001};
  std::vector<double> near(4), far(4);
  ASSERT_TRUE(forward_dynamics(mech, ws, std::vector<double>{0, 0, 0.3, 0.4}, v, tau, near).ok());
  ASSERT_TRUE(forward_dynamics(mech, ws, std::vector<double>{0, 1e4, 0.3, 0.4}, v, tau, far).ok());
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(far[k], near[k], 1e-12 * (1 + std::abs(near[k]))) << k;
}

// Two hinges on one axis with a massless body between them: the outer one takes all the inertia, so that the inner
// acceleration is not determined. Only the solve can tell.
TEST(DynamicsVerdict, names_the_joint_whose_articulated_inertia_vanishes) {
  Model model;
  add_body(model, "cross", 0, {}, {});
  add_body(model, "arm", 1, {1, 0.5, 0}, unit_inertia);
  add_joint(model, "inner", Revolute{}, "ground", "cross", frame_at({}, {0, 0, 1}));
  add_joint(model, "outer", Revolute{}, "cross", "arm", frame_at({}, {0, 0, 1}));
  const CompileResult result = compile(model);
  ASSERT_TRUE(result.ok()) << result.diagnostics.to_string();
  Workspace ws(result.mechanism);
  const State state = design_state(result.mechanism);
  std::vector<double> tau(2), a(2);
  const DynamicsVerdict verdict = forward_dynamics(result.mechanism, ws, state.q, state.v, tau, a);
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(result.mechanism.joints[verdict.singular_joint].name, "inner");
}

// A point mass hung in a universal joint, swung by 90° until it lies on the first axis: no inertia is left about that
// axis but round-off, and a huge acceleration would be a wrong answer.
TEST(DynamicsVerdict, takes_round_off_for_no_inertia) {
  Model model;
  add_body(model, "bob", 1, {0, 0, -1}, {});
  add_joint(model, "cross", Universal{}, "ground", "bob", frame_at({}, {1, 0, 0}, {0, 1, 0}));
  const CompileResult result = compile(model);
  ASSERT_TRUE(result.ok()) << result.diagnostics.to_string();
  Workspace ws(result.mechanism);
  const std::vector<double> q{0, std::acos(0.0)}, v(2), tau{1, 0};
  std::vector<double> a(2);
  EXPECT_EQ(forward_dynamics(result.mechanism, ws, q, v, tau, a).singular_joint, 0);
  const std::vector<double> regular{0, 1.57};
  EXPECT_TRUE(forward_dynamics(result.mechanism, ws, regular, v, tau, a).ok());
}

}  // namespace
}  // namespace trammel
