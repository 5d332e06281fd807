// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Couplings as what makes them: gears by their pitch circles, racks by pitch circle and pitch line, belts by pulleys and belt, screws by
// their thread; others by a dashed line between their joints.
//
// Two joints on one carrier, about parallel axes d apart, q₂ = k q₁, both counted about the same direction:
//   gears outside each other, k < 0   r₁ = d |k|/(1 + |k|),   r₂ = d/(1 + |k|)                                       (1)
//   one inside the other,     k > 0   r₁ = k r₂,              r₂ = d/|1 − k|                                         (2)
//   belt                              r₁ = |k| r₂, as the file has them, or of any size
// The parts of an open belt that run free touch the pulleys at an angle β from the line of centres, cos β = (r₁ − r₂)/d; of a crossed one
// cos β = (r₁ + r₂)/d, on opposite sides.                                                                           (3)

#include <algorithm>
#include <cmath>
#include <optional>

#include "results/drawing_scene.hpp"

namespace trammel::results {
namespace {

// The side of a coupling: a joint, seen from the carrier that both joints share.
struct Side {
  const JointInfo* joint = nullptr;
  int carrier = ground, body = ground;  // body: the gear, pulley or rack
  Transformd X_W;                       // the joint's frame on that body
  double sign = 1;                      // −1: the joint counts the carrier relative to the body
};

class CouplingSymbols {
 public:
  CouplingSymbols(const Subject& subject, Scene& scene) : s_(subject), scene_(scene), u_(subject.unit) {}

  void add(const CouplingInfo& coupling) {
    Thing thing{.kind = Thing::Kind::coupling, .name = coupling.name};
    const Side a = side(coupling.first, coupling.second), b = side(coupling.second, coupling.first);
    if (!draw(coupling, a, b, thing)) {
      thing.parts.emplace_back(Line{{a.X_W.p, b.X_W.p}, false, Ink::coupling});
    }
    if (!thing.parts.empty()) scene_.things.push_back(std::move(thing));
  }

 private:
  struct Wheel {
    int body;
    Vec3d centre;
    double radius;
  };
  const Subject& s_;
  Scene& scene_;
  double u_;
  std::vector<Wheel> wheels_;  // drawn already: a sun meshes with three planets

  Side side(int index, int other_index) const {
    const JointInfo& joint = s_.mechanism.joints[static_cast<std::size_t>(index)];
    const JointInfo& other = s_.mechanism.joints[static_cast<std::size_t>(other_index)];
    const bool second_is_shared = joint.first != other.first && joint.first != other.second &&
                                  (joint.second == other.first || joint.second == other.second);
    if (second_is_shared) return {&joint, joint.second, joint.first, s_.X_WF(joint), -1};
    return {&joint, joint.first, joint.second, s_.X_WM(joint), 1};
  }

  static bool turns(const Side& side) { return freedoms(side.joint->type).front().dimension == dimension::angle; }

  bool draw(const CouplingInfo& coupling, const Side& a, const Side& b, Thing& thing) {
    if (a.carrier != b.carrier) return false;
    using Kind = Coupling::Kind;
    const Vec3d axis = a.X_W.R.ez;
    const bool parallel = std::abs(dot(axis, b.X_W.R.ez)) > 0.999;
    const double ratio = coupling.ratio * a.sign * b.sign * (dot(axis, b.X_W.R.ez) < 0 ? -1 : 1);
    switch (coupling.kind) {
      case Kind::gear:
        return parallel && gears(a, b, ratio, thing);
      case Kind::belt:
        return parallel && belt(coupling, a, b, ratio, thing);
      case Kind::rack:
        return rack(a, b, coupling.ratio * a.sign * b.sign, thing);
      case Kind::screw:
        thing.parts.emplace_back(Line{helix({a.X_W.R, b.X_W.p}, 1.1 * u_, -5 * u_, 5 * u_, 8), false, Ink::coupling});
        return true;
      case Kind::mimic:
        break;
    }
    return false;
  }

  void wheel(const Side& side, double radius, Thing& thing) {
    const auto is_same = [&](const Wheel& w) {
      return w.body == side.body && norm(w.centre - side.X_W.p) < 0.1 * u_ && std::abs(w.radius - radius) < 0.1 * u_;
    };
    if (std::any_of(wheels_.begin(), wheels_.end(), is_same)) return;
    wheels_.push_back({side.body, side.X_W.p, radius});
    const Ring ring{side.X_W.p, side.X_W.R.ex, side.X_W.R.ey, radius};
    thing.on.push_back(side.body);
    thing.parts.emplace_back(Circle{ring, Ink::coupling});
    // A mark that turns with it.
    const Vec3d out = side.X_W.R.ex;
    thing.parts.emplace_back(Line{
        {ring.centre + out * std::max(0.7 * radius, radius - 3 * u_), ring.centre + out * radius}, false, Ink::edge});
  }

  bool gears(const Side& a, const Side& b, double ratio, Thing& thing) {
    const double d = norm(square_to(b.X_W.p - a.X_W.p, a.X_W.R.ez)), k = std::abs(ratio);
    if (d < u_ || (ratio > 0 && std::abs(1 - k) < 1e-9)) return false;
    const double second = ratio < 0 ? d / (1 + k) : d / std::abs(1 - k);  // (1), (2)
    wheel(a, k * second, thing);
    wheel(b, second, thing);
    return true;
  }

  // The radius of a cylinder of the body about the joint's axis.
  std::optional<double> own_radius(const Side& side) const {
    if (side.body == ground) return std::nullopt;
    const Transformd X_WB = s_.X_WB(side.body);
    for (const Shape* shape : drawable_shapes(s_.model.bodies[static_cast<std::size_t>(side.body)])) {
      const Transformd X = X_WB * shape->X_BS;
      const bool coaxial = shape->kind == Shape::Kind::cylinder && std::abs(dot(X.R.ez, side.X_W.R.ez)) > 0.999 &&
                           norm(square_to(X.p - side.X_W.p, side.X_W.R.ez)) < 0.1 * u_;
      if (coaxial) return shape->radius;
    }
    return std::nullopt;
  }

  bool belt(const CouplingInfo& coupling, const Side& a, const Side& b, double ratio, Thing& thing) {
    const Vec3d between = square_to(b.X_W.p - a.X_W.p, a.X_W.R.ez);
    const double d = norm(between), k = std::abs(ratio);
    if (d < u_) return false;
    double first = 0.3 * d * std::min(1.0, k);
    if (coupling.radii) {
      first = coupling.radii->first;
    } else if (const auto radius = own_radius(a)) {
      first = *radius;
    } else if (const auto of_second = own_radius(b)) {
      first = k * *of_second;
    }
    const double second = first / k;
    wheel(a, first, thing);
    wheel(b, second, thing);
    const double side = ratio < 0 ? -1 : 1, cosine = (first - side * second) / d;  // (3)
    if (std::abs(cosine) >= 1) return true;
    const Vec3d along = between * (1 / d), across = cross(a.X_W.R.ez, along);
    for (const double up : {-1.0, 1.0}) {
      const Vec3d n = along * cosine + across * (up * std::sqrt(1 - cosine * cosine));
      thing.parts.emplace_back(Line{{a.X_W.p + n * first, b.X_W.p + n * (side * second)}, false, Ink::curve});
    }
    return true;
  }

  // The pitch line touches the circle on the side where the rack is drawn; through the middle, on the side that moves as it does.
  bool rack(const Side& a, const Side& b, double ratio, Thing& thing) {
    if (!turns(a) || turns(b)) return false;
    const Vec3d along = b.X_W.R.ez, across = cross(a.X_W.R.ez, along);
    if (norm(across) < 0.1) return false;
    const Vec3d n = unit(across);
    const double offset = dot(n, b.X_W.p - a.X_W.p), radius = std::abs(ratio);
    const double side = std::abs(offset) > u_ ? (offset > 0 ? 1 : -1) : (ratio > 0 ? -1 : 1);
    wheel(a, radius, thing);
    const Vec3d touch = a.X_W.p + n * (side * radius), reach = unit(along) * (radius + 4 * u_);
    thing.on.push_back(b.body);
    thing.parts.emplace_back(Line{{touch - reach, touch + reach}, false, Ink::coupling});
    return true;
  }
};

}  // namespace

void add_couplings(const Subject& subject, Scene& scene) {
  if (subject.faint) return;
  CouplingSymbols symbols(subject, scene);
  for (const CouplingInfo& coupling : subject.mechanism.couplings) symbols.add(coupling);
}

}  // namespace trammel::results
