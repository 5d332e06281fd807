// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What must not matter: where in the world a mechanism stands, what its parts are called, the order of its file, and
// which way its joints are named.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::distance;
using test::error_of;
using test::JointStates;
using test::ModelCase;
using test::PerJoint;
using test::Prepared;
using test::Random;

// Everything a user can ask of a state, in the model's own order of bodies and joints.
struct Answers {
  PerJoint a, tau, reactions;  // a from forward dynamics; tau from inverse dynamics
  std::vector<Transformd> X_WB;
  std::vector<Motion<double>> V_W, A_W;
  Energy<double> energy;
  Momentum<double> momentum;
  std::vector<Force<double>> reaction;
};

Answers answers_of(Prepared& p) {
  Answers answers;
  answers.tau = test::unpack_v(p.mechanism, p.inverse(p.a));
  answers.a = test::unpack_v(p.mechanism, p.forward());
  answers.reaction.resize(p.mechanism.joints.size());
  compute_reactions(p.mechanism, p.ws, answers.reaction);
  for (int b = 0; b < p.mechanism.body_count(); ++b) {
    answers.X_WB.push_back(pose_WB(p.mechanism, p.ws, b));
    answers.V_W.push_back(velocity_W(p.mechanism, p.ws, b));
    answers.A_W.push_back(acceleration_W(p.mechanism, p.ws, b));
  }
  answers.energy = compute_energy(p.mechanism, p.ws, p.v);
  answers.momentum = compute_momentum(p.mechanism, p.ws);
  return answers;
}

test::RandomModelOptions options_of(const ModelCase& c) {
  return {.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2};
}

double error_of_lists(const PerJoint& found, const PerJoint& expected) {
  std::vector<double> one, other;
  for (const auto& list : found) one.insert(one.end(), list.begin(), list.end());
  for (const auto& list : expected) other.insert(other.end(), list.begin(), list.end());
  return error_of(one, other);
}

// X_WW carries the old world onto the new one. Positions far out hold `place` metres at best.
void expect_carried(const Answers& found, const Answers& original, const Transformd& X_WW, const Vec3d& gravity,
                    double tolerance, double place) {
  const Mat3d& R = X_WW.R;
  RC_ASSERT(error_of_lists(found.a, original.a) < tolerance);
  RC_ASSERT(error_of_lists(found.tau, original.tau) < tolerance);
  for (std::size_t b = 0; b < found.X_WB.size(); ++b) {
    RC_ASSERT(distance(found.X_WB[b], X_WW * original.X_WB[b]) < place);
    RC_ASSERT(error_of(found.V_W[b], rotate(R, original.V_W[b])) < tolerance);
    RC_ASSERT(error_of(found.A_W[b], rotate(R, original.A_W[b])) < tolerance);
  }
  for (std::size_t j = 0; j < found.reaction.size(); ++j) {
    RC_ASSERT(error_of(found.reaction[j], rotate(R, original.reaction[j])) < tolerance);
  }
  const double kinetic = original.energy.kinetic, mass = original.momentum.mass;
  RC_ASSERT(std::abs(found.energy.kinetic - kinetic) <= tolerance * (1 + kinetic));
  // The weight works on the way of the whole.
  const double lifted = original.energy.potential - mass * dot(R * gravity, X_WW.p);
  RC_ASSERT(std::abs(found.energy.potential - lifted) <= place * mass * 10 * (1 + norm(gravity)));
  if (mass == 0) return;
  RC_ASSERT(distance(found.momentum.com_W, X_WW * original.momentum.com_W) < place);
  RC_ASSERT(error_of(found.momentum.linear_W, R * original.momentum.linear_W) < tolerance);
  RC_ASSERT(error_of(found.momentum.angular_W, R * original.momentum.angular_W) < tolerance);
}

// The same mechanism with every body's frame put elsewhere on the body. Far away, as in a file that leaves out `pose`
// and draws a mechanism far from the world's origin, inertia must not pass through that frame.
Model with_frames_moved(const Model& model, const std::vector<Transformd>& X_BN) {
  Model result = model;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Transformd X_NB = inverse(X_BN[b]);
    Body& body = result.bodies[b];
    body.X_WB = body.X_WB * X_BN[b];
    body.com = X_NB * body.com;
    body.inertia = rotate(X_NB.R, body.inertia);
    for (Joint& joint : result.joints) {
      if (joint.first == body.name) joint.X_AF = X_NB * joint.X_AF;
      if (joint.second == body.name) joint.X_BM = X_NB * joint.X_BM;
    }
  }
  return result;
}

RC_GTEST_PROP(Invariance, body_frames_ten_kilometres_away_change_no_answer, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  Random random(c.seed + 9);
  std::vector<Transformd> X_BN;
  for (std::size_t b = 0; b < p.model.bodies.size(); ++b) {
    const Mat3d R = random.rotation();
    X_BN.push_back({R, R * Vec3d{1e4, 0, 0}});
  }
  Prepared redrawn(with_frames_moved(p.model, X_BN), p.states);
  const Answers original = answers_of(p), found = answers_of(redrawn);
  RC_ASSERT(error_of_lists(found.a, original.a) < 1e-9);
  RC_ASSERT(error_of_lists(found.tau, original.tau) < 1e-9);
  for (std::size_t j = 0; j < found.reaction.size(); ++j) {
    RC_ASSERT(error_of(found.reaction[j], original.reaction[j]) < 1e-9);
  }
  RC_ASSERT(std::abs(found.energy.kinetic - original.energy.kinetic) < 1e-9 * (1 + original.energy.kinetic));
  RC_ASSERT(error_of(found.momentum.linear_W, original.momentum.linear_W) < 1e-9);
  RC_ASSERT(error_of(found.momentum.angular_W, original.momentum.angular_W) < 1e-9);
}

RC_GTEST_PROP(Invariance, turning_the_whole_mechanism_turns_the_answers, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const Transformd X_WW{Random(c.seed + 4).rotation(), {}};
  Prepared turned(test::moved(p.model, X_WW), p.states);
  expect_carried(answers_of(turned), answers_of(p), X_WW, p.model.gravity, 1e-9, 1e-11);
}

// 1e4 m away a double holds 2e-12 m; what that does to the joints' frames may grow along the tree.
RC_GTEST_PROP(Invariance, ten_kilometres_away_nothing_changes, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  Random random(c.seed + 4);
  const Transformd X_WW{random.rotation(), random.direction() * 1e4};
  Prepared far(test::moved(p.model, X_WW), p.states);
  expect_carried(answers_of(far), answers_of(p), X_WW, p.model.gravity, 1e-9, 1e-10);
}

RC_GTEST_PROP(Invariance, names_do_not_matter_to_the_last_bit, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  Prepared other(test::renamed(p.model), p.states);
  RC_ASSERT(other.forward() == p.forward());
  RC_ASSERT(other.inverse(p.a) == p.inverse(p.a));
  RC_ASSERT(other.mass() == p.mass());
}

RC_GTEST_PROP(Invariance, order_of_the_file_does_not_matter, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const test::Reordered reordered = test::reordered(p.model, c.seed + 6);
  const auto pick = [&](const PerJoint& lists) {
    PerJoint picked;
    for (const int from : reordered.joint_order) picked.push_back(lists[static_cast<std::size_t>(from)]);
    return picked;
  };
  Prepared other(reordered.model, {pick(p.states.q), pick(p.states.v), pick(p.states.a), pick(p.states.tau)});
  const Answers one = answers_of(p), two = answers_of(other);
  RC_ASSERT(error_of_lists(two.a, pick(one.a)) < 1e-10);
  RC_ASSERT(error_of_lists(two.tau, pick(one.tau)) < 1e-11);
  for (std::size_t i = 0; i < reordered.joint_order.size(); ++i) {
    RC_ASSERT(error_of(two.reaction[i], one.reaction[static_cast<std::size_t>(reordered.joint_order[i])]) < 1e-10);
  }
  for (std::size_t i = 0; i < reordered.body_order.size(); ++i) {
    RC_ASSERT(distance(two.X_WB[i], one.X_WB[static_cast<std::size_t>(reordered.body_order[i])]) < 1e-12);
  }
}

RC_GTEST_PROP(Invariance, naming_joints_the_other_way_round_changes_no_motion, (const ModelCase& c)) {
  Prepared p(c, {});  // friction and rotors act on coordinates, and those of ball and plane joints change
  const test::Turned turned = test::turned_round(p.model, p.states);
  Prepared other(turned.model, turned.states);
  const std::vector<double> a = p.forward(), b = other.forward();
  std::vector<Force<double>> one(p.model.joints.size()), two(one);
  compute_reactions(p.mechanism, p.ws, one);
  compute_reactions(other.mechanism, other.ws, two);
  for (int body = 0; body < p.mechanism.body_count(); ++body) {
    RC_ASSERT(distance(pose_WB(other.mechanism, other.ws, body), pose_WB(p.mechanism, p.ws, body)) < 1e-11);
    RC_ASSERT(error_of(velocity_W(other.mechanism, other.ws, body), velocity_W(p.mechanism, p.ws, body)) < 1e-11);
    RC_ASSERT(error_of(acceleration_W(other.mechanism, other.ws, body), acceleration_W(p.mechanism, p.ws, body)) <
              1e-9);
  }
  for (std::size_t j = 0; j < one.size(); ++j) {
    // Now on the other body, at the other frame's origin.
    const Joint& joint = p.model.joints[j];
    const auto place = [&](const std::string& body, const Transformd& X) {
      return (pose_WB(p.mechanism, p.ws, p.mechanism.find_body(body)) * X).p;
    };
    const Vec3d p_MF = place(joint.first, joint.X_AF) - place(joint.second, joint.X_BM);
    RC_ASSERT(error_of(two[j], -shift(one[j], p_MF)) < 1e-9);
  }
}

}  // namespace
}  // namespace trammel
