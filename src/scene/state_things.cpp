// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The instant centre of body j as seen from body i, both moving in a plane with unit normal n: where both have the same velocity,
//   v_j(O) + ω_j × r = v_i(O) + ω_i × r   ⇒   r = n × (v_j(O) − v_i(O)) / (ω_j − ω_i)·n
// At rest, and where the bodies do not turn against each other, there is none.

#include "scene/state_things.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace trammel::scene {
namespace {

using At = std::size_t;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr int most_velocities = 40;  // arrows
constexpr int most_pairs = 6;        // bodies, the ground among them, for which every pair has its centre
constexpr int most_centres = 20;     // else of each body and the ground
constexpr int most_ellipsoids = 4;

// Digits below the line: "P₁₃".
std::string subscript(int number) {
  std::string out;
  for (const char c : std::to_string(number)) out += fmt::format("\xe2\x82{}", static_cast<char>(0x80 + (c - '0')));
  return out;
}

}  // namespace

Json arrow(const std::string& name, const char* kind, const std::string& unit, int body, const Vec3d& p_B, int first) {
  return {{"name", name},
          {"kind", kind},
          {"unit", unit},
          {"at", {{"body", body}, {"p", json_of(p_B)}}},
          {"vector", {first, first + 1, first + 2}}};
}

StateThings::StateThings(const Mechanism& mechanism, const DrawnPosition& position, Series& series,
                         std::string speed_unit)
    : mech_(mechanism),
      series_(series),
      speed_unit_(std::move(speed_unit)),
      ws_(mechanism),
      plane_(plane_of_motion(mechanism, position)) {
  series_.poses.bodies = moving_bodies(mech_);
  if (!speed_unit_.empty()) {
    add_velocities();
    if (plane_) add_centres(plane_);
    add_water();
  }
  add_ellipsoids();
}

void StateThings::add_velocities() {
  const auto add = [&](const std::string& name, int body, const Vec3d& p_B) {
    if (body == ground || mech_.link_of_body[static_cast<At>(body)] == ground) return;
    if (velocities_.size() >= most_velocities) return;
    const int channel = series_.add_vector(name + " velocity", speed_unit_, "arrows");
    velocities_.push_back({body, p_B, channel});
    series_.arrows.push_back(arrow(name, "velocity", speed_unit_, body, p_B, channel));
  };
  for (const OutputInfo& output : mech_.outputs) add(output.name, output.body, output.p_B);
  if (!velocities_.empty()) return;
  for (const int b : series_.poses.bodies) {
    const Transformd X_BC =
        inverse(mech_.parameters.X_LB[static_cast<At>(b)]) * mech_.parameters.X_LC[static_cast<At>(b)];
    add(mech_.bodies[static_cast<At>(b)].name, b, X_BC.p);
  }
}

// Links are numbered as engineers do: 1 is the ground.
void StateThings::add_centres(const std::optional<Plane>& plane) {
  if (!plane) return;
  const std::vector<int>& moving = series_.poses.bodies;
  const bool all = static_cast<int>(moving.size()) < most_pairs;
  const auto add = [&](int first, int second, int i, int j) {
    if (static_cast<int>(centres_.size()) >= most_centres) return;
    const std::string name = fmt::format("P{}{}", subscript(i), subscript(j));
    const int channel = series_.add_vector(name, "m", "instant centres");
    centres_.push_back({first, second, channel});
    series_.instant_centres.push_back(
        {{"name", name}, {"bodies", {first, second}}, {"channels", {channel, channel + 1, channel + 2}}});
  };
  for (At j = 0; j < moving.size(); ++j) add(ground, moving[j], 1, static_cast<int>(j) + 2);
  for (At i = 0; all && i < moving.size(); ++i) {
    for (At j = i + 1; j < moving.size(); ++j) {
      add(moving[i], moving[j], static_cast<int>(i) + 2, static_cast<int>(j) + 2);
    }
  }
}

void StateThings::add_water() {
  if (mech_.fluid.empty()) return;
  fluid_.emplace(mech_);
  if (fluid_->empty()) return;
  inertia_.resize(mech_.bodies.size()), bias_.resize(mech_.bodies.size());
  for (const WetBodyReport& report : report_fluid(mech_, design_state(mech_).q).bodies) {
    const int body = mech_.find_body(report.body);
    if (body < 0 || mech_.link_of_body[static_cast<At>(body)] == ground) continue;
    Wet wet{.body = body};
    wet.buoyancy = series_.add_vector(report.body + " buoyancy", "N", "arrows");
    wet.drag = series_.add_vector(report.body + " drag", "N", "arrows");
    const Vec3d& centre = report.centre_of_hull_B;
    series_.arrows.push_back(arrow(report.body, "buoyancy", "N", body, centre, wet.buoyancy));
    series_.arrows.push_back(arrow(report.body, "drag", "N", body, centre, wet.drag));
    wet_.push_back(wet);
  }
}

// Of what floats: how heavy its points of interest feel.
void StateThings::add_ellipsoids() {
  for (const OutputInfo& output : mech_.outputs) {
    if (output.body == ground || mech_.link_of_body[static_cast<At>(output.body)] == ground) continue;
    if (ellipsoids_.size() >= most_ellipsoids || find_floating_tree(mech_, output.body).base_joint < 0) continue;
    Carried at{output.body, output.p_B, static_cast<int>(series_.columns.size())};
    Json axes = Json::array();
    for (int k = 0; k < 3; ++k) {
      const int first = series_.add_vector(fmt::format("{} virtual mass {}", output.name, k + 1), "kg", "virtual mass");
      for (int i = 0; i < 3; ++i) axes.push_back(first + i);
    }
    series_.ellipsoids.push_back({{"name", output.name},
                                  {"kind", "virtual mass"},
                                  {"unit", "kg"},
                                  {"at", {{"body", output.body}, {"p", json_of(output.p_B)}}},
                                  {"axes", {{"channels", axes}}}});
    ellipsoids_.push_back(at);
  }
  if (!ellipsoids_.empty()) response_.emplace(mech_);
}

void StateThings::take(double axis, double t, std::span<const double> q, std::span<const double> v) {
  const std::vector<double> at_rest(static_cast<At>(mech_.nv), 0.0);
  compute_velocities(mech_, ws_, q, v.empty() ? std::span<const double>(at_rest) : v);
  series_.poses.axis.push_back(axis);
  for (const int b : series_.poses.bodies) put_pose(pose_WB(mech_, ws_, b), series_.poses.values);
  for (const Carried& at : velocities_) series_.put(at.channel, velocity_W(mech_, ws_, at.body, at.p_B).v);
  for (const Centre& centre : centres_) put_centre(centre);
  if (!wet_.empty()) put_water(t, q);
  if (response_) response_->set_position(q);
  for (const Carried& at : ellipsoids_) put_ellipsoid(at);
}

void StateThings::take_gap(double axis) {
  series_.poses.axis.push_back(axis);
  series_.poses.values.insert(series_.poses.values.end(), series_.poses.width(), static_cast<float>(gap));
  for (Column& column : series_.columns) {
    if (column.at_poses) column.values.push_back(static_cast<float>(gap));
  }
}

void StateThings::put_centre(const Centre& centre) {
  const auto motion = [&](int body) {
    if (body == ground) return Motion<double>{};
    const Motion<double> V = velocity_W(mech_, ws_, body);
    return Motion<double>{V.w, V.v - cross(V.w, pose_WB(mech_, ws_, body).p)};  // at the world's origin
  };
  const Motion<double> i = motion(centre.first), j = motion(centre.second);
  const Vec3d n = plane_->normal * (1 / norm(plane_->normal));
  const double w = dot(n, j.w - i.w), scale = norm(i.w) + norm(j.w);
  if (!(std::abs(w) > 1e-6 * scale)) return series_.put(centre.channel, {gap, gap, gap});
  const Vec3d r = cross(n, j.v - i.v) * (1 / w);
  series_.put(centre.channel, r + n * dot(n, plane_->point - r));
}

// Buoyancy of what is displaced here; "drag" is all else that the water does but for added mass times acceleration.
void StateThings::put_water(double t, std::span<const double> q) {
  fluid_->clear_and_add(mech_, ws_, t, inertia_, bias_);
  const WetReport report = report_fluid(mech_, q, t);
  for (const Wet& wet : wet_) {
    Vec3d buoyancy;
    for (const WetBodyReport& body : report.bodies) {
      if (body.body == mech_.bodies[static_cast<At>(wet.body)].name)
        buoyancy = mech_.parameters.gravity * -body.displaced_mass;
    }
    series_.put(wet.buoyancy, buoyancy);
    series_.put(wet.drag, -bias_[static_cast<At>(wet.body)].f - buoyancy);
  }
}

void StateThings::put_ellipsoid(const Carried& at) {
  std::array<double, 36> G{};
  const bool found = response_->mobility(at.body, at.p_B, G);
  const VirtualMassEllipsoid ellipsoid = virtual_mass_ellipsoid(G);
  for (int k = 0; k < 3; ++k) {
    const double mass = found ? ellipsoid.mass[static_cast<At>(k)] : gap;
    series_.put(at.channel + 3 * k,
                std::isfinite(mass) ? ellipsoid.axis[static_cast<At>(k)] * mass : Vec3d{gap, gap, gap});
  }
}

}  // namespace trammel::scene
