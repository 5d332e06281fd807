// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/impact_events.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trammel {
namespace {

using At = std::size_t;

constexpr double at_once = 1e-9;  // m, rad: what is no further apart touches at the same moment
constexpr double parts = 1e-3;    // of `rest`: what is slower than this after an impact has not flown off
constexpr int most_rounds = 1000;

// On the second body, as RecordedEvent has it.
std::vector<double> numbers_of(double lost, const Force<double>& F, const Vec3d& p) {
  return {lost, F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z, p.x, p.y, p.z};
}

std::string words_of(double size, bool turns, double lost) {
  return fmt::format("impulse {:.6g} {}, {:.6g} J lost", size, turns ? "N m s" : "N s", lost);
}

}  // namespace

// Made once, and anew when a capture has moved a frame; switched as the simulation is now.
ImpulseResponse& ImpactEvents::response(double t, std::span<const double> y) {
  system_.motion(t, y);
  if (!response_) {
    response_ = std::make_unique<ImpulseResponse>(system_.mechanism(), JointResistance{.driven = system_.driven()});
  }
  if (LoopDynamics* loops = system_.loops()) {
    for (const ConstraintRow& row : loops->rows()) {
      response_->loops()->set_active(row.source, row.index, loops->is_active(row.source, row.index));
    }
  }
  response_->set_added_inertia(system_.loads().inertia);
  response_->set_position(system_.q(y));
  return *response_;
}

std::vector<ImpactEvents::Meeting> ImpactEvents::find_meetings(double t, std::span<const double> y) {
  system_.motion(t, y);
  const Mechanism& mech = system_.mechanism();
  std::vector<Meeting> list;
  for (At k = 0; k < mech.contacts.pairs.size(); ++k) {
    const ContactPair& pair = mech.contacts.pairs[k];
    const Touch& touch = system_.contacts().touch(k);
    if (pair.impact < 0 || !touch.is_there || touch.depth < -at_once) continue;
    const Impact& impact = mech.impacts[static_cast<At>(pair.impact)].settings;
    Meeting m{.index = k, .rest = impact.rest, .apart = !system_.contacts().mode(k).touches};
    m.contact.name = pair.name;
    m.contact.first = pair.second, m.contact.second = pair.first;  // the normal leads to the first
    m.contact.p_W = touch.p_W, m.contact.normal_W = touch.n_W;
    m.contact.restitution = impact.restitution;
    m.contact.friction = impact.friction.value_or(system_.contacts().law(k).friction_kinetic);
    m.contact.law = impact_law_by_keyword(impact.law).value_or(ImpactLaw::stronge);
    list.push_back(std::move(m));
  }
  for (At k = 0; k < system_.stops().size(); ++k) {
    const Stop& stop = system_.stops()[k];
    if (stop.impact < 0) continue;
    const System::StopMotion now = system_.stop_motion(k, t, y);
    if (!now.holds || stop.depth(now.at) < -at_once) continue;
    const Impact& impact = mech.impacts[static_cast<At>(stop.impact)].settings;
    Meeting m{.is_stop = true, .index = k, .rest = impact.rest, .apart = !stop.pushes};
    m.contact.kind = ImpactContact::Kind::limit;
    m.contact.name = stop.name;
    m.contact.limit_joint = stop.joint, m.contact.limit_dof = stop.dof, m.contact.is_upper = stop.is_upper;
    m.contact.restitution = impact.restitution;
    list.push_back(std::move(m));
  }
  find_speeds(t, y, list);
  return list;
}

void ImpactEvents::find_speeds(double t, std::span<const double> y, std::vector<Meeting>& meetings) {
  for (Meeting& m : meetings) {
    if (!m.is_stop) continue;
    const double rate = system_.stop_motion(m.index, t, y).rate;
    m.speed = system_.stops()[m.index].is_upper ? rate : -rate;
  }
  system_.motion(t, y);
  for (Meeting& m : meetings) {
    if (!m.is_stop) m.speed = system_.contacts().rate(m.index);
  }
}

// One impact of these together.
bool ImpactEvents::apply(double t, std::span<double> y, const std::vector<Meeting*>& which, Outcome& out) {
  std::vector<ImpactContact> contacts;
  for (const Meeting* m : which) {
    contacts.push_back(m->contact);
    contacts.back().rests = m->speed <= m->rest;
  }
  const std::span<const double> q = system_.q(std::span<const double>(y)), v = system_.v(std::span<const double>(y));
  const State state{.t = t, .q = {q.begin(), q.end()}, .v = {v.begin(), v.end()}};
  const ImpactResult result = compute_impact(response(t, y), state, contacts);
  if (!result.ok()) {
    out.wrong = fmt::format("at t = {:.9g} s '{}' is met hard, and {}", t, which.front()->contact.name, result.text);
    out.fix = result.fix;
    return false;
  }
  std::copy(result.v.begin(), result.v.end(), system_.v(y).begin());
  out.driven_work += result.audit.resistance_work;
  for (const std::string& warning : result.warnings) {
    out.warnings.push_back(fmt::format("'{}': {}", which.front()->contact.name, warning));
  }
  for (At c = 0; c < contacts.size(); ++c) {
    const ContactOutcome& found = result.contacts[c];
    RecordedEvent event{.name = contacts[c].name, .kind = "impact"};
    bool turns = false;
    double size = norm(found.impulse_W.f);
    if (which[c]->is_stop) {
      const JointInfo& joint = system_.mechanism().joints[static_cast<At>(contacts[c].limit_joint)];
      turns = freedoms(joint.type)[static_cast<At>(contacts[c].limit_dof)].dimension == dimension::angle;
      size = std::abs(found.along);
      event.impulse = {-found.work, found.along};
    } else {
      // The pair's second body is the impact's first.
      event.impulse = numbers_of(-found.work, found.impulse_W, contacts[c].p_W);
    }
    if (size == 0) continue;
    event.text = words_of(size, turns, -found.work);
    out.events.push_back(std::move(event));
  }
  return true;
}

bool ImpactEvents::collide(double t, std::span<double> y, std::vector<Meeting>& meetings, Outcome& out) {
  const bool friction = std::any_of(meetings.begin(), meetings.end(),
                                    [](const Meeting& m) { return !m.is_stop && m.contact.friction > 0; });
  if (!friction || meetings.size() == 1) {
    std::vector<Meeting*> all;
    for (Meeting& m : meetings) all.push_back(&m);
    return apply(t, y, all, out);
  }
  for (int round = 0; round < most_rounds; ++round) {
    const auto fastest = std::max_element(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) {
      return a.speed / a.rest < b.speed / b.rest;
    });
    if (fastest->speed <= fastest->rest) return true;
    if (!apply(t, y, {&*fastest}, out)) return false;
    find_speeds(t, y, meetings);
  }
  out.wrong = fmt::format("at t = {:.9g} s impacts do not come to an end: {} contacts meet again and again, last '{}'",
                          t, meetings.size(), meetings.front().contact.name);
  out.fix = "give them less restitution, a larger speed of rest, or no friction";
  return false;
}

ImpactEvents::Outcome ImpactEvents::meet(double t, std::span<double> y, bool jumped) {
  Outcome out;
  if (!system_.has_impacts()) return out;
  std::vector<Meeting> meetings = find_meetings(t, y);
  const bool any = std::any_of(meetings.begin(), meetings.end(),
                               [jumped](const Meeting& m) { return m.speed > m.rest && (m.apart || jumped); });
  std::vector<double> before;
  for (const Meeting& m : meetings) before.push_back(m.speed);
  if (!any || !collide(t, y, meetings, out)) return out;
  find_speeds(t, y, meetings);
  for (At i = 0; i < meetings.size(); ++i) {
    const Meeting& m = meetings[i];
    if (m.speed > -parts * m.rest || m.speed == before[i]) continue;
    if (m.is_stop) {
      const Stop& stop = system_.stops()[m.index];
      system_.set_pushes(m.index, false, std::max(0.0, stop.depth(system_.stop_motion(m.index, t, y).at)));
    } else {
      system_.contacts().fly_off(m.index,
                                 system_.bristles(y));  // what was stored there is lost, as all that an impact takes
    }
  }
  return out;
}

ImpactEvents::Outcome ImpactEvents::capture(int j, double t, std::span<double> y) {
  Outcome out;
  const Workspace& ws = system_.motion(t, y);
  const Mechanism& mech = system_.mechanism();
  const JointInfo& joint = mech.joints[static_cast<At>(j)];
  const auto pose = [&](int body) { return body == ground ? Transformd{} : pose_WB<double>(mech, ws, body); };
  // The joint's coordinates are those that come nearest to how the bodies are; what they leave is taken up by M.
  const Transformd X_WF = pose(joint.first) * joint.X_AF, X_WB = pose(joint.second);
  std::vector<double> at(static_cast<At>(joint.nq));
  q_fit(joint.type, inverse(X_WF) * (X_WB * joint.X_BM), at.data());
  const std::vector<Freedom> list = freedoms(joint.type);
  for (At k = 0; k < at.size() && joint.nq == joint.nv; ++k) {  // turns of a screw begin with the grasp
    if (list[k].dimension == dimension::angle) at[k] = std::remainder(at[k], 2 * std::numbers::pi);
  }
  const Transformd X_WM = X_WF * X_FM(joint.type, at.data());
  ImpactContact contact;
  contact.kind = ImpactContact::Kind::capture;
  contact.name = joint.name;
  contact.first = joint.first, contact.second = joint.second;
  contact.p_W = X_WM.p, contact.R_WJ = X_WM.R;
  contact.joint = joint.type, contact.joint_q = at, contact.rotors = joint.properties.armature;
  const std::span<const double> q = system_.q(std::span<const double>(y)), v = system_.v(std::span<const double>(y));
  const State state{.t = t, .q = {q.begin(), q.end()}, .v = {v.begin(), v.end()}};
  const ImpactResult result = compute_impact(response(t, y), state, {contact});
  if (!result.ok()) {
    out.wrong = fmt::format("at t = {:.9g} s joint '{}' cannot capture: {}", t, joint.name, result.text);
    out.fix = result.fix;
    return out;
  }
  std::copy(result.v.begin(), result.v.end(), system_.v(y).begin());
  out.driven_work += result.audit.resistance_work;
  const ContactOutcome& found = result.contacts[0];
  RecordedEvent event{
      .name = joint.name, .kind = "capture", .impulse = numbers_of(-found.work, -found.impulse_W, contact.p_W)};
  event.text = fmt::format("'{}' takes hold: {}", joint.name, words_of(norm(found.impulse_W.f), false, -found.work));
  out.events.push_back(std::move(event));
  system_.move_closure(j, inverse(X_WB) * X_WM);
  system_.loops()->set_active(ConstraintRow::Source::joint, j, true);
  response_.reset();
  return out;
}

}  // namespace trammel
