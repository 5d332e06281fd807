// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peer_simbody/cxx17/simbody_peer.hpp"

#include <algorithm>
#include <stdexcept>

#include <Simbody.h>

namespace simbody_peer {
namespace {

SimTK::Vec3 vec(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }
SimTK::Transform transform(const Pose& X) {
  const auto& R = X.R;
  const SimTK::Mat33 m(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
  return {SimTK::Rotation(m, true), vec(X.p)};
}
SimTK::SpatialVec spatial(const std::array<double, 6>& x) {
  return {SimTK::Vec3(x[0], x[1], x[2]), SimTK::Vec3(x[3], x[4], x[5])};
}
std::array<double, 6> numbers(const SimTK::SpatialVec& x) {
  return {x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2]};
}
double size_of(const SimTK::SpatialVec& x) { return std::max(x[0].norm(), x[1].norm()); }

}  // namespace

struct Peer::Implementation {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::Gravity gravity;
  SimTK::Force::DiscreteForces wrenches;
  std::vector<SimTK::MobilizedBodyIndex> index;
  SimTK::State state;
  double state_error = 0;

  explicit Implementation(const std::array<double, 3>& g)
      : matter(system), forces(system), gravity(forces, matter, vec(g)), wrenches(forces, matter) {}

  SimTK::MobilizedBody& at(int b) {
    return matter.updMobilizedBody(b < 0 ? SimTK::MobilizedBodyIndex(SimTK::GroundIndex)
                                         : index[static_cast<std::size_t>(b)]);
  }

  void add(const BodySpec& spec) {
    using Mobilized = SimTK::MobilizedBody;
    const auto& I = spec.inertia;
    const SimTK::Inertia central(SimTK::Vec3(I[0], I[1], I[2]), SimTK::Vec3(I[3], I[4], I[5]));
    const SimTK::Vec3 com = vec(spec.com);
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(spec.mass, com, central.shiftFromMassCenter(com, spec.mass)));
    SimTK::Transform inboard = transform(spec.on_parent), outboard = transform(spec.on_child);
    SimTK::MobilizedBody& parent = at(spec.parent);
    const auto way = spec.reversed ? Mobilized::Reverse : Mobilized::Forward;
    const SimTK::Rotation x_from_z(0.5 * SimTK::Pi, SimTK::YAxis);  // its x is z turned: theirs slides along x
    switch (spec.kind) {
      case Kind::hinge:
        index.push_back(Mobilized::Pin(parent, inboard, rigid, outboard, way).getMobilizedBodyIndex());
        break;
      case Kind::slider:
        inboard.updR() = inboard.R() * ~x_from_z;
        outboard.updR() = outboard.R() * ~x_from_z;
        index.push_back(Mobilized::Slider(parent, inboard, rigid, outboard, way).getMobilizedBodyIndex());
        break;
      case Kind::universal:
        index.push_back(Mobilized::Universal(parent, inboard, rigid, outboard, way).getMobilizedBodyIndex());
        break;
      case Kind::ball:
        index.push_back(Mobilized::Ball(parent, inboard, rigid, outboard, way).getMobilizedBodyIndex());
        break;
      case Kind::free:
        index.push_back(Mobilized::Free(parent, inboard, rigid, outboard, way).getMobilizedBodyIndex());
        break;
      case Kind::weld:
        index.push_back(Mobilized::Weld(parent, inboard, rigid, outboard).getMobilizedBodyIndex());
        break;
    }
  }

  void add_forces_of_joint(const BodySpec& spec, int b) {
    if (spec.damping != 0) {
      SimTK::Force::MobilityLinearDamper(forces, at(b), SimTK::MobilizerUIndex(0), spec.damping);
    }
    if (spec.stiffness != 0) {
      SimTK::Force::MobilityLinearSpring(forces, at(b), SimTK::MobilizerQIndex(0), spec.stiffness, spec.rest);
    }
  }
  void add(const SpringSpec& spec) {
    SimTK::MobilizedBody &first = at(spec.first), &second = at(spec.second);
    const SimTK::Vec3 p = vec(spec.on_first), q = vec(spec.on_second);
    SimTK::Force::TwoPointLinearSpring(forces, first, p, second, q, spec.stiffness, spec.rest);
    SimTK::Force::TwoPointLinearDamper(forces, first, p, second, q, spec.damping);
  }

  void close(const ClosureSpec& spec) {
    SimTK::MobilizedBody &first = at(spec.first), &second = at(spec.second);
    const SimTK::Transform F = transform(spec.on_first), M = transform(spec.on_second);
    if (spec.kind == Kind::weld) {
      SimTK::Constraint::Weld(first, F, second, M);
      return;
    }
    SimTK::Constraint::Ball(first, F.p(), second, M.p());
    if (spec.kind == Kind::ball) return;
    if (spec.kind != Kind::hinge) throw std::invalid_argument("no constraint of this kind");
    SimTK::Constraint::ConstantAngle(first, F.z(), second, M.x());
    SimTK::Constraint::ConstantAngle(first, F.z(), second, M.y());
  }

  // Of the child's frame in the parent's, in the axes of that.
  SimTK::SpatialVec relative_velocity(const SimTK::MobilizedBody& body, const SimTK::SpatialVec& V_B) const {
    const SimTK::MobilizedBody& parent = body.getParentMobilizedBody();
    const SimTK::Transform X_GF = parent.getBodyTransform(state) * body.getInboardFrame(state);
    const SimTK::Vec3 p_GM = body.getBodyTransform(state) * body.getOutboardFrame(state).p();
    const SimTK::Vec3 v_M = V_B[1] + V_B[0] % (p_GM - body.getBodyOriginLocation(state));
    const SimTK::Vec3 w_P = parent.getBodyAngularVelocity(state);
    const SimTK::Vec3 v_P = parent.getBodyOriginVelocity(state) + w_P % (p_GM - parent.getBodyOriginLocation(state));
    return {~X_GF.R() * (V_B[0] - w_P), ~X_GF.R() * (v_M - v_P)};
  }
};

Peer::Peer(const std::array<double, 3>& gravity, const std::vector<BodySpec>& bodies,
           const std::vector<ClosureSpec>& closures, const std::vector<SpringSpec>& springs)
    : implementation_(std::make_unique<Implementation>(gravity)) {
  for (const BodySpec& body : bodies) implementation_->add(body);
  for (std::size_t b = 0; b < bodies.size(); ++b) implementation_->add_forces_of_joint(bodies[b], static_cast<int>(b));
  for (const SpringSpec& spring : springs) implementation_->add(spring);
  for (const ClosureSpec& closure : closures) implementation_->close(closure);
  implementation_->system.realizeTopology();
}
Peer::~Peer() = default;

void Peer::take(const std::vector<BodyState>& states) {
  Implementation& I = *implementation_;
  I.state = I.system.getDefaultState();
  I.state_error = 0;
  for (std::size_t b = 0; b < states.size(); ++b) {
    const SimTK::MobilizedBody& body = I.at(static_cast<int>(b));
    const SimTK::Transform X_GB = transform(states[b].X);
    I.system.realize(I.state, SimTK::Stage::Position);
    const SimTK::Transform X_GF =
        body.getParentMobilizedBody().getBodyTransform(I.state) * body.getInboardFrame(I.state);
    body.setQToFitTransform(I.state, ~X_GF * X_GB * body.getOutboardFrame(I.state));
    I.system.realize(I.state, SimTK::Stage::Position);
    const SimTK::Transform& found = body.getBodyTransform(I.state);
    I.state_error =
        std::max({I.state_error, (found.p() - X_GB.p()).norm(), (found.R().asMat33() - X_GB.R().asMat33()).norm()});
  }
  for (std::size_t b = 0; b < states.size(); ++b) {
    const SimTK::MobilizedBody& body = I.at(static_cast<int>(b));
    I.system.realize(I.state, SimTK::Stage::Velocity);
    body.setUToFitVelocity(I.state, I.relative_velocity(body, spatial(states[b].V)));
    I.system.realize(I.state, SimTK::Stage::Velocity);
    I.state_error = std::max(I.state_error, size_of(body.getBodyVelocity(I.state) - spatial(states[b].V)));
    I.wrenches.setOneBodyForce(I.state, body, spatial(states[b].wrench));
  }
  I.system.realize(I.state, SimTK::Stage::Velocity);
  if (I.state.getNQErr() > 0) I.state_error = std::max(I.state_error, SimTK::max(SimTK::abs(I.state.getQErr())));
  if (I.state.getNUErr() > 0) I.state_error = std::max(I.state_error, SimTK::max(SimTK::abs(I.state.getUErr())));
}

void Peer::solve() {
  Implementation& I = *implementation_;
  I.state.invalidateAllCacheAtOrAbove(SimTK::Stage::Position);
  I.system.realize(I.state, SimTK::Stage::Acceleration);
}

Answer Peer::answer() const {
  Implementation& I = *implementation_;
  Answer out;
  out.state_error = I.state_error;
  SimTK::Vector_<SimTK::SpatialVec> reactions;
  I.matter.calcMobilizerReactionForces(I.state, reactions);
  for (const SimTK::MobilizedBodyIndex index : I.index) {
    out.acceleration.push_back(numbers(I.matter.getMobilizedBody(index).getBodyAcceleration(I.state)));
    out.reaction.push_back(numbers(reactions[index]));
  }
  return out;
}

std::vector<BodyState> Peer::advance(double seconds, double accuracy) {
  Implementation& I = *implementation_;
  SimTK::RungeKuttaMersonIntegrator integrator(I.system);
  integrator.setAccuracy(accuracy);
  integrator.setConstraintTolerance(std::min(accuracy, 1e-10));
  SimTK::TimeStepper stepper(I.system, integrator);
  I.state.setTime(0);
  stepper.initialize(I.state);
  stepper.stepTo(seconds);
  I.state = integrator.getState();
  I.system.realize(I.state, SimTK::Stage::Velocity);
  std::vector<BodyState> out;
  for (const SimTK::MobilizedBodyIndex index : I.index) {
    const SimTK::MobilizedBody& body = I.matter.getMobilizedBody(index);
    const SimTK::Transform& X = body.getBodyTransform(I.state);
    BodyState state;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) state.X.R[static_cast<std::size_t>(3 * i + j)] = X.R()[i][j];
      state.X.p[static_cast<std::size_t>(i)] = X.p()[i];
    }
    state.V = numbers(body.getBodyVelocity(I.state));
    out.push_back(state);
  }
  return out;
}

}  // namespace simbody_peer
