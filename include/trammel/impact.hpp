// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collisions and captures: what velocities become when two bodies meet, a body meets the ground, or a joint meets its stop. Positions do
// not change, weight and springs do nothing in no time, joints and loops hold by impulses of their own.
//
//   const ImpactResult result = compute_impact(mechanism, state, {ImpactContact{.first = hand, .second = target, …}});
//   result.v …
//
// Kinds of contact, with u the velocity of the first body relative to the second at the contact and W its answer to impulses
// (ImpulseResponse):
//   point     along a normal, with Coulomb friction: friction_impact.hpp; several at once without friction: compression until none is
//             approached, then restitution by Stronge's, Poisson's or Newton's law (contact_impulses.hpp; convex quadratic programmes).
//             Stronge's if one of the points asks for it or there are limits only, Newton's if all do.
//             Contacts that do not answer to each other's impulses are solved, and have a law, for themselves.
//   rigid     in all six directions, u' = −e u: the paper's equations 28 (e = 0) and 30 (e = 1)
//   capture   plastic, in the directions that a joint blocks: the bodies are held by it from then on
//   limit     a coordinate at its stop, as a point along it

#include <string>
#include <string_view>
#include <vector>

#include <trammel/floating.hpp>
#include <trammel/friction_impact.hpp>
#include <trammel/impact_scenario.hpp>

namespace trammel {

struct ImpactContact {
  enum class Kind { point, rigid, capture, limit };
  Kind kind = Kind::point;
  std::string name = {};
  int first = ground, second = ground;  // bodies
  Vec3d p_W = {};                       // where they touch
  Vec3d normal_W = {0, 0, 1};           // point: from the second body to the first; of any length but zero
  double restitution = 0, friction = 0;
  ImpactLaw law = ImpactLaw::stronge;
  bool rests = false;        // point, limit: takes part only where the impulse of one that does not rest reaches it
  AnyJoint joint = Fixed{};  // capture: what holds the second body from the first
  Mat3d R_WJ = Mat3d::identity();       // the axes of its frame M; it sits at p_W
  std::vector<double> joint_q = {};     // its coordinates; empty: zero
  std::vector<double> rotors = {};      // armatures per freedom of it, at rest before; empty: none
  int limit_joint = -1, limit_dof = 0;  // limit: a joint of the tree, or one that closes a loop
  bool is_upper = true;                 // which of its stops
};
std::string_view keyword(ImpactContact::Kind kind);

enum class ImpactStatus {
  ok,
  separating,    // the bodies do not approach each other: nothing happens
  no_inertia,    // a motion without inertia: `joint`
  inconsistent,  // constraints contradict each other, or contacts ask for what cannot be
  not_followed,  // slip with friction could not be followed to its end (FrictionImpact::finished)
};
std::string_view keyword(ImpactStatus status);

struct ContactOutcome {
  Force<double> impulse_W;  // on the first body, at p_W; of a limit: on its coordinate, in `along`
  double along = 0;         // limit: impulse on the coordinate
  Motion<double> before,
      after;  // of the first body relative to the second, at p_W; of a limit v.x is the coordinate's rate
  FrictionImpact friction = {};  // point: how it went
  double work = 0;               // done on the mechanism, J: negative is lost
};

struct ImpactAudit {
  Vec3d linear_before, linear_after, linear_external;     // momentum; impulses from the ground
  Vec3d angular_before, angular_after, angular_external;  // about the centre of mass of all that moves
  double linear_error = 0, angular_error = 0;             // |after − before − external|
  double kinetic_before = 0, kinetic_after = 0;
  double contact_work = 0, resistance_work = 0;  // of contacts, and of joints that resist
  double energy_error = 0;                       // after − before − works
};

struct ImpactResult {
  ImpactStatus status = ImpactStatus::ok;
  std::string text, fix;  // where it is not ok
  int joint = -1;
  std::vector<std::string> warnings;
  std::vector<double> v;  // after
  std::vector<ContactOutcome> contacts;
  std::vector<LoopReaction> joint_impulses;       // per joint, as LoopReaction has them, N s and N m s
  std::vector<LoopReaction> constraint_impulses;  // per constraint: on its second body, at Q's origin
  ImpactAudit audit;

  bool ok() const { return status == ImpactStatus::ok; }
};

// Throws std::invalid_argument for contacts that make no sense: restitution outside 0 … 1, negative friction or resistance, no normal, a
// contact of a body with itself or between bodies that do not move, friction at several contacts at once, points beside captures.
ImpactResult compute_impact(const Mechanism& mechanism, const State& state, const std::vector<ImpactContact>& contacts,
                            const JointResistance& resistance = {});

// The same with a response that is kept: for many impacts of one mechanism, with loops opened and closed in between (ImpulseResponse::loops).
ImpactResult compute_impact(ImpulseResponse& response, const State& state, const std::vector<ImpactContact>& contacts);

// What a scenario's file describes, for a mechanism compiled from its model: where everything is at `state`.
std::vector<ImpactContact> contacts_of(const ImpactScenario& scenario, const Mechanism& mechanism, const State& state);
// Warnings of contacts whose point is off one of their bodies, as far as shapes tell: bodies without shapes, and with meshes, are not judged.
Diagnostics places_off_bodies(const ImpactScenario& scenario, const Model& model, const Mechanism& mechanism,
                              const std::vector<ImpactContact>& contacts, const State& state);
JointResistance resistance_of(const ImpactScenario& scenario, const Mechanism& mechanism);

}  // namespace trammel
