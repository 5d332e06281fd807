// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Several contacts at once, contacts of bodies that joints hold together already, and stops of joints that close loops.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/impact.hpp>

#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel::test {
namespace {

using At = std::size_t;

struct Scene {
  Mechanism mechanism;
  State state;
  Random random;

  explicit Scene(const ModelCase& drawn) : random(drawn.seed + 21) {
    RandomModelOptions options;
    options.floating = 0.7;
    options.new_tree = 0.3;
    const Model model = drawn.model(options);
    const JointStates states = drawn.states(model);
    mechanism = compiled(model);
    state = design_state(mechanism);
    state.q = pack_q(mechanism, states.q), state.v = pack_v(mechanism, states.v);
  }
  int body() { return random.integer(ground, mechanism.body_count() - 1); }
  bool moves(int body) const { return body != ground && mechanism.bodies[static_cast<At>(body)].link != ground; }
  // Between two bodies one of which moves; none where chance does not find one.
  std::vector<ImpactContact> contacts(int count) {
    std::vector<ImpactContact> list;
    for (int tries = 0; tries < 20 * count && static_cast<int>(list.size()) < count; ++tries) {
      ImpactContact c{.first = body(), .second = body(), .p_W = random.vector(), .normal_W = random.vector()};
      if (c.first == c.second || (!moves(c.first) && !moves(c.second))) continue;
      c.restitution = random.chance(0.2) ? 1 : random.unit();
      list.push_back(c);
    }
    return list;
  }
};

double along_normal(const Vec3d& v, const ImpactContact& c) { return dot(v, c.normal_W) / norm(c.normal_W); }

double speed_of(const State& state) {
  double most = 1;
  for (const double v : state.v) most = std::max(most, std::abs(v));
  return most;
}

// With the default law there always is an answer, no contact pulls or is approached afterwards, and no energy comes from nowhere: whatever
// the restitutions, and wherever bodies part already.
RC_GTEST_PROP(ImpactContacts, of_any_number_part_without_gaining_energy, (const ModelCase& drawn)) {
  Scene scene(drawn);
  const std::vector<ImpactContact> contacts = scene.contacts(scene.random.integer(2, 6));
  if (contacts.empty()) return;
  const ImpactResult result = compute_impact(scene.mechanism, scene.state, contacts);
  if (result.status == ImpactStatus::separating) return;
  RC_ASSERT(result.ok());
  RC_ASSERT(result.warnings.empty());
  double largest = 0;
  for (const ContactOutcome& out : result.contacts) largest = std::max(largest, norm(out.impulse_W.f));
  for (At i = 0; i < contacts.size(); ++i) {
    const ContactOutcome& out = result.contacts[i];
    RC_ASSERT(along_normal(out.impulse_W.f, contacts[i]) >= -1e-12 * largest);
    RC_ASSERT(along_normal(out.after.v, contacts[i]) >= -1e-7 * speed_of(scene.state));
  }
  RC_ASSERT(result.audit.kinetic_after <= result.audit.kinetic_before * (1 + 1e-9));
  RC_ASSERT(std::abs(result.audit.energy_error) < 1e-8 * result.audit.kinetic_before);
}

// With one restitution for all, and all approached, Newton's, Poisson's and Stronge's laws agree.
RC_GTEST_PROP(ImpactContacts, of_one_restitution_obey_all_three_laws_alike, (const ModelCase& drawn)) {
  Scene scene(drawn);
  std::vector<ImpactContact> contacts = scene.contacts(4);
  if (contacts.empty()) return;
  Workspace ws(scene.mechanism);
  for (ImpactContact& c : contacts) {
    c.restitution = 0.6;
    // Alone, to see whether it is approached.
    if (compute_impact(scene.mechanism, scene.state, {c}).status == ImpactStatus::separating) c.normal_W = -c.normal_W;
    RC_PRE(compute_impact(scene.mechanism, scene.state, {c}).ok());
  }
  std::vector<double> first;
  for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::poisson, ImpactLaw::newton}) {
    for (ImpactContact& c : contacts) c.law = law;
    const ImpactResult result = compute_impact(scene.mechanism, scene.state, contacts);
    RC_ASSERT(result.ok());
    if (first.empty()) first = result.v;
    RC_ASSERT(test::error_of(result.v, first) < 1e-7);
    for (At i = 0; i < contacts.size(); ++i) {
      const ContactOutcome& out = result.contacts[i];
      const double parts = along_normal(out.after.v + out.before.v * 0.6, contacts[i]);
      RC_ASSERT(parts > -1e-7 * speed_of(scene.state));
      RC_ASSERT(std::abs(parts * along_normal(out.impulse_W.f, contacts[i])) < 1e-7 * result.audit.kinetic_before);
    }
  }
}

// Bodies that joints hold together move against each other only as the joints let them: a contact that asks for the rest, however it is
// called, finds nothing to do there, and what it does keeps momentum and the books of energy.
RC_GTEST_PROP(ImpactContacts, of_bodies_that_joints_hold_together_ask_for_nothing_absurd, (const ModelCase& drawn)) {
  Scene scene(drawn);
  const Mechanism& mech = scene.mechanism;
  std::vector<ImpactContact> neighbours;
  for (const JointInfo& joint : mech.joints) {
    if (joint.first == ground || !scene.moves(joint.first) || !scene.moves(joint.second)) continue;
    for (const ImpactContact::Kind kind :
         {ImpactContact::Kind::rigid, ImpactContact::Kind::capture, ImpactContact::Kind::point}) {
      ImpactContact c{.kind = kind, .first = joint.first, .second = joint.second, .p_W = scene.random.vector()};
      c.normal_W = scene.random.vector();
      c.restitution = kind == ImpactContact::Kind::capture ? 0 : scene.random.unit();
      c.friction = kind == ImpactContact::Kind::point ? scene.random.uniform(0, 1) : 0;
      neighbours.push_back(c);
    }
  }
  for (const ImpactContact& c : neighbours) {
    const ImpactResult result = compute_impact(mech, scene.state, {c});
    if (result.status == ImpactStatus::separating) continue;
    RC_ASSERT(result.ok());
    const ImpactAudit& a = result.audit;
    const double size = 1 + norm(a.linear_before) + norm(a.angular_before) + a.kinetic_before;
    RC_ASSERT(a.kinetic_after <= a.kinetic_before * (1 + 1e-9));
    RC_ASSERT(std::abs(a.energy_error) < 1e-8 * a.kinetic_before);
    RC_ASSERT(a.linear_error + a.angular_error < 1e-8 * size);
    RC_ASSERT(norm(result.contacts[0].impulse_W.f) < 1e6 * size);
    for (At k = 0; k < result.v.size(); ++k) RC_ASSERT(std::abs(result.v[k]) < 1e6 * speed_of(scene.state));
  }
}

// Whole bodies, welded: nothing happens at all.
TEST(ImpactContacts, of_bodies_welded_together_change_nothing) {
  Model model;
  model.gravity = {};
  for (const char* name : {"a", "b"}) add_body(model, name, 1, {0.3, 0.1, 0.2}, {0.1, 0.2, 0.15, 0, 0, 0}, {});
  add_joint(model, "float", Free{}, "ground", "a", Transformd::translation({0.7, 0.2, -0.4}));
  add_joint(model, "weld", Fixed{}, "a", "b", {});
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {0.3, -1.2, 0.7, 1.1, 0.4, -0.6};
  for (const ImpactContact::Kind kind : {ImpactContact::Kind::rigid, ImpactContact::Kind::capture}) {
    const ImpactResult result =
        compute_impact(mech, state, {{.kind = kind, .first = 0, .second = 1, .p_W = {0.123, 0.456, 0.789}}});
    ASSERT_TRUE(result.ok());
    EXPECT_LT(error_of(result.v, state.v), 1e-12);
    EXPECT_LT(norm(result.contacts[0].impulse_W.f), 1e-9);
  }
  const ImpactContact point{.first = 0, .second = 1, .p_W = {0.123, 0.456, 0.789}, .normal_W = {0.3, 0.2, 0.9}};
  EXPECT_EQ(compute_impact(mech, state, {point}).status, ImpactStatus::separating);
}

// All joints locked, on the ground: what is to be caught there cannot be slowed down, and that is the answer.
TEST(ImpactContacts, of_locked_arms_are_told_to_be_out_of_reach) {
  RandomModelOptions options;
  options.bodies = 6, options.fixed_joints = 0, options.floating = 0, options.new_tree = 0;
  const Model model = random_model(5, options);
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  Random random(5);
  state.v = random.normals(mech.nv);
  for (const ImpactContact::Kind kind : {ImpactContact::Kind::rigid, ImpactContact::Kind::capture}) {
    const ImpactResult result = compute_impact(
        mech, state, {{.kind = kind, .first = mech.body_count() - 1, .p_W = {0.1, 0.2, 0.3}}}, {.share = 1});
    EXPECT_EQ(result.status, ImpactStatus::inconsistent);
    EXPECT_EQ(result.text, "the bodies cannot take the velocities that the contact asks for: other joints forbid them");
  }
}

// A block falls with one edge first: where the other edge goes up, the blow presses it down. Newton's law sets it to rest there and so gives
// it work; Stronge's does not. u, W and p in closed form, along two feet at ±1. Compression stops the block, and in restitution the second
// foot is pressed on: what is given back, Σ e² of what was taken, is all the energy of a block that turns about that foot.
TEST(ImpactContacts, stronge_gives_back_what_compression_took) {
  Model model;
  model.gravity = {};
  constexpr double m = 2, I = 0.5;
  add_body(model, "block", m, {}, {I, I, I, 0, 0, 0}, {});
  add_joint(model, "block", Free{}, "ground", "block", {});
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {0, 3, 0, 0, 0, -1};  // z speeds of the feet: −1 ∓ 3 at x = ±1
  std::vector<ImpactContact> feet{{.first = 0, .p_W = {1, 0, 0}, .restitution = 0.8},
                                  {.first = 0, .p_W = {-1, 0, 0}, .restitution = 0.3}};
  const double u[2] = {-4, 2}, own = 1 / m + 1 / I, other = 1 / m - 1 / I;
  // Both are held in compression: p = −W⁻¹ u.
  const double det = own * own - other * other;
  const double p[2] = {-(own * u[0] - other * u[1]) / det, -(own * u[1] - other * u[0]) / det};
  ASSERT_GT(p[0], 0);
  ASSERT_GT(p[1], 0);
  const double gives = 0.64 * (-0.5 * p[0] * u[0]) + 0.09 * (-0.5 * p[1] * u[1]);
  const double turns = std::sqrt(2 * gives / (I + m)), after[2] = {2 * turns, 0};
  const ImpactResult result = compute_impact(mech, state, feet);
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result.contacts[0].after.v.z, after[0], 1e-12);
  EXPECT_NEAR(result.contacts[1].after.v.z, after[1], 1e-12);
  EXPECT_TRUE(result.warnings.empty());
  EXPECT_NEAR(result.audit.kinetic_after, gives, 1e-12);

  for (ImpactContact& foot : feet) foot.law = ImpactLaw::newton, foot.restitution = 1;
  const ImpactResult newton = compute_impact(mech, state, feet);
  ASSERT_TRUE(newton.ok());
  EXPECT_NEAR(newton.contacts[0].after.v.z, 4, 1e-12);
  EXPECT_NEAR(newton.contacts[1].after.v.z, 0, 1e-12);
  EXPECT_GT(newton.audit.kinetic_after, newton.audit.kinetic_before);
  ASSERT_EQ(newton.warnings.size(), 1U);
  EXPECT_TRUE(newton.warnings[0].find("Newton's law with friction or at several contacts") != std::string::npos)
      << newton.warnings[0];
}

// What falls on a body that lies on its stop, and is pressed on it, is thrown back as if by the ground: the support takes nothing, whatever
// its own restitution, and so all that is lost is 1 − e² at the contact that was hit.
TEST(ImpactContacts, what_lies_on_a_support_throws_back_as_the_ground_does) {
  Model model;
  model.gravity = {};
  for (const char* name : {"ball", "block"}) {
    add_body(model, name, name[1] == 'a' ? 0.7 : 2.5, {}, {1, 1, 1, 0, 0, 0}, {});
    add_joint(model, name, Prismatic{}, "ground", name, {});  // along z
  }
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {-3, 0};
  for (const double e : {0.0, 0.4, 0.8, 1.0}) {
    for (const double below : {0.0, 0.3, e}) {
      if (below > e) continue;  // it then gives back more than it is given, and the block jumps
      for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::poisson, ImpactLaw::newton}) {
        const ImpactResult result = compute_impact(
            mech, state,
            {{.first = 0, .second = 1, .restitution = e, .law = law},
             {.kind = ImpactContact::Kind::limit, .restitution = below, .limit_joint = 1, .is_upper = false}});
        ASSERT_TRUE(result.ok());
        EXPECT_NEAR(result.v[0], 3 * e, 1e-12);
        EXPECT_NEAR(result.v[1], 0, 1e-12);
        EXPECT_NEAR(result.audit.kinetic_before - result.audit.kinetic_after, 0.5 * 0.7 * 9 * (1 - e * e), 1e-12);
      }
    }
  }
}

// The energy after is that after a plastic blow and Σ e² of what compression took at each contact, by its impulse and approach. Where bodies
// are jammed less comes back; where contacts are pressed that part, compression gives some there, and at most what it took in all comes back.
RC_GTEST_PROP(ImpactContacts, of_any_number_give_back_what_is_due_and_keep_momentum, (const ModelCase& drawn)) {
  Scene scene(drawn);
  const std::vector<ImpactContact> contacts = scene.contacts(scene.random.integer(2, 6));
  if (contacts.empty()) return;
  std::vector<ImpactContact> plastic = contacts;
  for (ImpactContact& c : plastic) c.restitution = 0;
  const ImpactResult compressed = compute_impact(scene.mechanism, scene.state, plastic);
  const ImpactResult result = compute_impact(scene.mechanism, scene.state, contacts);
  if (result.status == ImpactStatus::separating) return;
  RC_ASSERT(result.ok());
  const ImpactAudit& a = result.audit;
  const double small = 1e-9 * a.kinetic_before, took = a.kinetic_before - compressed.audit.kinetic_after;
  double due = 0;
  bool parts = false;
  for (At i = 0; i < contacts.size(); ++i) {
    const double work = 0.5 * dot(compressed.contacts[i].impulse_W.f, compressed.contacts[i].before.v);
    due -= contacts[i].restitution * contacts[i].restitution * work;
    parts = parts || work > small;
  }
  const double back = a.kinetic_after - compressed.audit.kinetic_after;
  RC_ASSERT(back > -small);
  RC_ASSERT(back < (parts ? took : due) + small);
  if (!parts) RC_CLASSIFY(back < due - small, "jammed");
  RC_ASSERT(a.linear_error < 1e-9 * (1 + norm(a.linear_before) + norm(a.linear_after)));
}

// What has nothing to do with each other does not change each other's answer: a block on feet of unequal restitution, and a ball far away.
// Their laws are their own too: by Newton's the block's second foot would have no restitution at all.
TEST(ImpactContacts, of_bodies_apart_are_answered_apart) {
  Model model;
  model.gravity = {};
  add_body(model, "block", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0}, {});
  add_body(model, "ball", 3, {}, {0.1, 0.1, 0.1, 0, 0, 0}, Transformd::translation({10, 0, 0}));
  add_joint(model, "block", Free{}, "ground", "block", {});
  add_joint(model, "ball", Free{}, "ground", "ball", Transformd::translation({10, 0, 0}));
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, -2};
  ImpactContact left{.first = 0, .p_W = {-0.4, 0, 0}, .restitution = 1}, right{.first = 0, .p_W = {0.3, 0, 0}};
  ImpactContact ball{.first = 1, .p_W = {10, 0, 0}, .restitution = 0.5};
  for (const ImpactLaw of_block : {ImpactLaw::stronge, ImpactLaw::poisson, ImpactLaw::newton}) {
    left.law = right.law = of_block;
    const ImpactResult alone = compute_impact(mech, state, {left, right});
    for (const std::vector<ImpactContact>& all :
         {std::vector{left, right, ball}, {ball, left, right}, {left, ball, right}}) {
      const ImpactResult result = compute_impact(mech, state, all);
      ASSERT_TRUE(result.ok());
      EXPECT_NEAR(result.v[11], 1, 1e-15);
      for (At k = 0; k < 6; ++k) EXPECT_NEAR(result.v[k], alone.v[k], 1e-15);
    }
  }
}

// A contact that rests is pressed where what lies on it is hit, and left alone where nothing reaches it, though it moves a little.
TEST(ImpactContacts, that_rest_take_part_where_they_are_reached) {
  Model model;
  model.gravity = {};
  for (const char* name : {"ball", "block", "other"}) {
    add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0}, {});
    add_joint(model, name, Prismatic{}, "ground", name, {});
  }
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {-1, 0, -1e-3};
  const auto on_ground = [](int body) {
    return ImpactContact{.first = body, .p_W = {double(body), 0, 0}, .restitution = 0.5, .rests = true};
  };
  const ImpactResult result =
      compute_impact(mech, state, {{.first = 0, .second = 1, .restitution = 0.5}, on_ground(1), on_ground(2)});
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result.v[0], 0.5, 1e-15);
  EXPECT_NEAR(result.v[1], 0, 1e-15);
  EXPECT_EQ(result.v[2], -1e-3);
  EXPECT_NEAR(result.contacts[1].impulse_W.f.z, 1.5, 1e-15);
  EXPECT_EQ(norm(result.contacts[2].impulse_W.f), 0);
}

// A table that lands flat on four feet loads them alike.
TEST(ImpactContacts, four_feet_share_the_blow) {
  Model model;
  model.gravity = {};
  add_body(model, "table", 10, {}, {1, 1, 1.8, 0, 0, 0}, Transformd::translation({0, 0, 0.5}));
  add_joint(model, "table", Free{}, "ground", "table", Transformd::translation({0, 0, 0.5}));
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {0, 0, 0, 0, 0, -2};
  for (const ImpactLaw law : {ImpactLaw::stronge, ImpactLaw::newton}) {
    std::vector<ImpactContact> feet;
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) feet.push_back({.first = 0, .p_W = {x, y, 0}, .restitution = 0.5, .law = law});
    }
    const ImpactResult result = compute_impact(mech, state, feet);
    ASSERT_TRUE(result.ok());
    for (const ContactOutcome& out : result.contacts) EXPECT_NEAR(out.impulse_W.f.z, 7.5, 1e-12);
  }
}

// The stop of a joint that closes the loop is that of the same joint in the tree, the loop cut elsewhere.
TEST(ImpactContacts, stop_does_not_depend_on_where_the_loop_is_cut) {
  Model model;
  model.gravity = {};
  const auto bar = [&](const std::string& name, const Vec3d& from, const Vec3d& to) {
    add_body(model, name, 1.3, (from + to) * 0.5, {0.02, 0.03, 0.05, 0, 0, 0}, {});
  };
  const Vec3d O{0, 0, 0}, A{0.1, 0.4, 0}, B{1.2, 0.8, 0}, C{1, 0, 0};
  bar("crank", O, A), bar("coupler", A, B), bar("rocker", B, C);
  const auto pin = [&](const std::string& name, const std::string& first, const std::string& second, const Vec3d& at) {
    add_joint(model, name, Revolute{}, first, second, Transformd::translation(at));
  };
  pin("O", "ground", "crank", O), pin("A", "crank", "coupler", A), pin("B", "coupler", "rocker", B);
  pin("C", "rocker", "ground", C);
  std::vector<double> rates;
  for (const std::string cut : {"B", "C", "A", "O"}) {
    const Mechanism mech = compiled(model, {cut});
    LoopDynamics loops(mech);
    State state = design_state(mech);
    // The same motion, whatever the tree: one in which the crank, or what replaces it, turns.
    state.v.assign(static_cast<At>(mech.nv), 0.7);
    ASSERT_TRUE(loops.project_velocity(state.q, state.v).ok());
    Workspace ws(mech);
    compute_velocities<double>(mech, ws, state.q, state.v);
    const double crank = velocity_W<double>(mech, ws, mech.find_body("crank"), {}).w.z;
    for (double& v : state.v) v *= 2 / crank;
    const int stop = mech.find_joint("B");
    for (const bool upper : {true, false}) {
      const ImpactResult result = compute_impact(
          mech, state,
          {{.kind = ImpactContact::Kind::limit, .restitution = 0.4, .limit_joint = stop, .is_upper = upper}});
      if (result.status == ImpactStatus::separating) continue;
      ASSERT_TRUE(result.ok()) << result.text;
      compute_velocities<double>(mech, ws, state.q, result.v);
      EXPECT_NEAR(velocity_W<double>(mech, ws, mech.find_body("crank"), {}).w.z, -0.8, 1e-12);
      EXPECT_NEAR(result.contacts[0].after.v.x, -0.4 * result.contacts[0].before.v.x, 1e-12);
      EXPECT_LT(result.audit.linear_error + result.audit.angular_error, 1e-12);
      EXPECT_LT(std::abs(result.audit.energy_error), 1e-12);
      const LoopReaction& at_stop = result.joint_impulses[static_cast<At>(stop)];
      EXPECT_NEAR(at_stop.F_W.n.z, result.contacts[0].along, 1e-12);
      rates.push_back(result.contacts[0].along);
    }
  }
  ASSERT_EQ(rates.size(), 4U);
  for (const double along : rates) EXPECT_NEAR(along, rates[0], 1e-12);
}

}  // namespace
}  // namespace trammel::test
