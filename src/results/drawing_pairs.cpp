// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Pairs by their usual symbols, as things in space of the size of a pin: a revolute is its pin, a circle along its axis and a bar with a
// centre line from the side; a prismatic is a block on a guide, or a sleeve about a rod; a cylindrical a sleeve on a shaft; a helical a nut
// on a thread; a ball sits in a cup; a Hooke joint has its cross and two forks; a planar pair is two plates. All sizes are in radii of a
// pin.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "results/drawing_scene.hpp"

namespace trammel::results {
namespace {

// One joint, at one position.
class PairSymbol {
 public:
  PairSymbol(const Subject& subject, int joint, Thing& thing)
      : s_(subject),
        index_(joint),
        joint_(subject.mechanism.joints[static_cast<std::size_t>(joint)]),
        X_WF_(subject.X_WF(joint_)),
        X_WM_(subject.X_WM(joint_)),
        u_(subject.unit),
        thing_(thing) {
    for (const int body : {joint_.first, joint_.second}) {
      if (body != ground) thing_.on.push_back(body);
    }
  }

  void operator()(const Revolute&) {
    const double rod = rod_radius(), half = rod + 0.6 * u_;
    radius_ = std::clamp(0.45 * rod, u_, 1.6 * u_);
    stand(X_WF_.R.ez, std::clamp(0.55 * rod, u_, 2 * u_));
    axis_line(X_WF_, -half - 0.8 * u_, half + 0.8 * u_);
    solid(cylinder(X_WF_, 2 * half, radius_));
  }

  void operator()(const Prismatic&) {
    const Guide g = guide();
    thing_.body = g.slider;
    const Held held = slider_at_joint(g);
    if (held.is_rod) {
      // Where the rod is, whatever the position: the sleeve or bearing sits in the middle of that.
      double from = g.most + held.from, to = g.least + held.to;
      if (from > to) from = to = (from + to) / 2;
      const double half = std::min(2.6 * u_, std::max(1.4 * u_, (to - from) / 2));
      const double at = g.on_ground ? (from + to) / 2 : std::clamp(0.0, from, to);
      if (g.on_ground) {
        if (!s_.faint) thing_.parts.emplace_back(Track{g.p, g.axis, at - half, at + half, held.solids, u_, true});
      } else {
        thing_.body = g.carrier;
        solid(box({g.X_WG.R, g.p + g.axis * at}, {2.6 * u_, 2.6 * u_, 2 * half}), Ink::pair, Fill::paper);
      }
      return;
    }
    std::vector<Solid> block = held.solids;
    if (block.empty()) {
      block = {box({g.X_WG.R, g.p + g.axis * g.now}, {2.6 * u_, 2.6 * u_, 4.4 * u_})};
    }
    double before = 0, after = 0;  // how far the block reaches along the guide
    for (const Solid& part : block) {
      before = std::max(before, reach(part, -g.axis) + dot(g.axis, g.p) + g.now);
      after = std::max(after, reach(part, g.axis) - dot(g.axis, g.p) - g.now);
    }
    const double from = g.least - before - 1.5 * u_, to = g.most + after + 1.5 * u_;
    if (!s_.faint) {
      if (g.on_ground) {
        thing_.parts.emplace_back(Track{g.p, g.axis, from, to, block, u_, false});
      } else {
        line({g.p + g.axis * from, g.p + g.axis * to}, Ink::axis);
      }
    }
    if (held.solids.empty()) solid(block.front(), Ink::link, Fill::body);
  }

  void operator()(const Cylindrical&) {
    const Guide g = shaft();
    solid(cylinder({g.X_WG.R, g.p + g.axis * g.now}, 4.4 * u_, 1.25 * u_));
  }

  void operator()(const Helical&) {
    const Guide g = shaft();
    const double from = std::min(g.least, g.now) - 3.2 * u_, to = std::max(g.most, g.now) + 3.2 * u_;
    line(helix(g.X_WG, 0.95 * u_, from, to, std::clamp((to - from) / (0.9 * u_), 4.0, 60.0)), Ink::pair);
    solid(box({g.X_WG.R, g.p + g.axis * g.now}, {2.8 * u_, 2.8 * u_, 2.4 * u_}));
  }

  void operator()(const Spherical&) {
    stand({});
    const Vec3d p = X_WF_.p;
    const Vec3d carrier =
        s_.is_ground(joint_.first) ? p * 2 - s_.middle_of(joint_.second, index_) : s_.middle_of(joint_.first, index_);
    thing_.parts.emplace_back(Socket{ball_at(p, X_WF_.R, 1.6 * u_), carrier});
    solid(rounded({p}, X_WF_.R, u_));
  }

  void operator()(const Universal&) {
    stand({});
    const Vec3d p = X_WF_.p;
    const double arm = 1.5 * u_;
    const auto fork = [&](const Vec3d& pin, int body, const Vec3d& otherwise) {
      Vec3d side = body == ground ? p - s_.middle_of(other(body), index_) : s_.middle_of(body, index_) - p;
      side = square_to(side, pin);
      if (norm(side) < 1e-6 * u_) side = otherwise;
      side = unit(side);
      std::vector<Vec3d> arc;
      for (int k = 0; k <= circle_points / 2; ++k) {
        const double angle = 2 * std::numbers::pi * k / circle_points;
        arc.push_back(p + (pin * std::cos(angle) + side * std::sin(angle)) * arm);
      }
      line(std::move(arc), Ink::pair);
      line({p - pin * arm, p + pin * arm}, Ink::pair);
      for (const double end : {-1.0, 1.0}) solid(rounded({p + pin * (end * arm)}, X_WF_.R, 0.4 * u_));
    };
    fork(X_WF_.R.ex, joint_.first, X_WF_.R.ez);
    fork(X_WM_.R.ey, joint_.second, X_WM_.R.ez);
  }

  void operator()(const Planar&) {
    stand({});
    plate(X_WF_, 2.8 * u_, 0);
    plate({X_WF_.R, X_WM_.p}, 1.8 * u_, 0.5 * u_);
  }

  void operator()(const Fixed&) {
    stand({});
    solid(rounded({X_WF_.p}, X_WF_.R, 0.45 * u_), Ink::pair, Fill::ink);
  }

  void operator()(const Free&) {}  // nothing joins its bodies

  // Joints of the user's own: where they are, at least.
  template <class J>
  void operator()(const J&) {
    stand({});
    solid(box(X_WF_, {1.8 * u_, 1.8 * u_, 1.8 * u_}));
  }

  // The radius of what a name must not cover.
  double clearance() const { return 1.25 * (radius_ > 0 ? radius_ : (joint_.nv == 1 ? 1.1 : 1.6) * u_); }
  Vec3d label_place() const {
    return std::holds_alternative<Prismatic>(joint_.type) && s_.is_ground(joint_.first) ? X_WM_.p : X_WF_.p;
  }

 private:
  const Subject& s_;
  int index_;
  const JointInfo& joint_;
  Transformd X_WF_, X_WM_;
  double u_;
  Thing& thing_;
  double radius_ = 0;  // of a pin

  int other(int body) const { return body == joint_.first ? joint_.second : joint_.first; }

  void line(std::vector<Vec3d> points, Ink ink) { thing_.parts.emplace_back(Line{std::move(points), false, ink}); }
  void solid(Solid solid, Ink ink = Ink::pair, Fill fill = Fill::paper) {
    thing_.parts.emplace_back(DrawnSolid{std::move(solid), ink, fill});
  }
  void axis_line(const Transformd& X, double from, double to) {
    if (!s_.faint) line({X * Vec3d{0, 0, from}, X * Vec3d{0, 0, to}}, Ink::axis);
  }
  void plate(const Transformd& X, double half, double height) {
    thing_.parts.emplace_back(Line{{X * Vec3d{-half, -half, height}, X * Vec3d{half, -half, height},
                                    X * Vec3d{half, half, height}, X * Vec3d{-half, half, height}},
                                   true,
                                   Ink::pair,
                                   Fill::paper});
  }

  // What holds the joint if one of its bodies is the ground.
  void stand(const Vec3d& axis, double size = 0) {
    if (s_.faint) return;
    for (const int body : {joint_.first, joint_.second}) {
      if (!s_.is_ground(body)) continue;
      const Vec3d link = other(body) == ground ? X_WF_.p : s_.middle_of(other(body), index_);
      thing_.parts.emplace_back(Foot{X_WF_.p, axis, size > 0 ? size : u_, {link}});
      return;
    }
  }

  // Of the thickest rod that the joint sits in: pins reach a little out of them.
  double rod_radius() const {
    double thickest = 1.1 * u_;
    for (const int body : {joint_.first, joint_.second}) {
      if (body == ground) continue;
      const std::vector<const Shape*> shapes = drawable_shapes(s_.model.bodies[static_cast<std::size_t>(body)]);
      if (shapes.empty()) thickest = std::max(thickest, 1.35 * u_);
      const Vec3d p_B = body == joint_.first ? joint_.X_AF.p : joint_.X_BM.p;
      for (const Shape* shape : shapes) {
        const bool is_rod = shape->kind == Shape::Kind::rod || shape->kind == Shape::Kind::capsule;
        if (is_rod && nearest_of(*shape, p_B).distance < 0.5 * u_)
          thickest = std::max(thickest, std::min(shape->radius, 5 * u_));
      }
    }
    return thickest;
  }

  // --- what slides on what ---

  struct Guide {
    int carrier = ground, slider = ground;
    bool on_ground = false;
    Transformd X_WG;  // the guide's frame
    Vec3d p, axis;
    double now = 0, least = 0, most = 0;  // travel of the slider: in this position, and in all that are known
    bool moves = false;                   // more than one is known
  };
  // The guide is on the first body, unless the second is the ground.
  Guide guide() const {
    Guide g;
    const bool turned = s_.is_ground(joint_.second) && !s_.is_ground(joint_.first);
    g.carrier = turned ? joint_.second : joint_.first;
    g.slider = turned ? joint_.first : joint_.second;
    g.on_ground = s_.is_ground(g.carrier);
    g.X_WG = turned ? X_WM_ : X_WF_;
    g.p = g.X_WG.p;
    g.axis = g.X_WG.R.ez;
    const auto travel = [&](const DrawnPosition& position) {
      const Subject there{s_.model, s_.mechanism, s_.drawing, position};
      const Transformd F = there.X_WF(joint_), M = there.X_WM(joint_);
      return turned ? dot(M.R.ez, F.p - M.p) : dot(F.R.ez, M.p - F.p);
    };
    g.now = g.least = g.most = travel(s_.position);
    const auto take = [&](const DrawnPosition& position) {
      const double z = travel(position);
      g.least = std::min(g.least, z);
      g.most = std::max(g.most, z);
    };
    take(s_.drawing.position);
    for (const DrawnPosition& position : s_.drawing.others) take(position);
    for (const DrawnPosition& position : s_.drawing.swept) take(position);
    g.moves = g.most - g.least > 1e-6 * u_;
    if (g.most - g.least < 4 * u_) g.least -= 2 * u_, g.most += 2 * u_;
    return g;
  }

  // The parts of the slider that are at the joint.
  struct Held {
    std::vector<Solid> solids;
    bool is_rod = false;      // along the guide
    double from = 0, to = 0;  // of the rod, from the slider's joint frame
  };
  Held slider_at_joint(const Guide& g) const {
    Held held;
    if (g.slider == ground) return held;
    const Transformd X_WB = s_.X_WB(g.slider);
    const Vec3d p_B = g.slider == joint_.first ? joint_.X_AF.p : joint_.X_BM.p;
    for (const Shape* shape : drawable_shapes(s_.model.bodies[static_cast<std::size_t>(g.slider)])) {
      if (nearest_of(*shape, p_B).distance > 0.5 * u_) continue;
      const auto drawn = solid_of(*shape, X_WB, 0);
      if (!drawn) continue;
      const double before = -reach(*drawn, -g.axis) - dot(g.axis, g.p) - g.now;
      const double after = reach(*drawn, g.axis) - dot(g.axis, g.p) - g.now;
      held.solids.push_back(*drawn);
      const bool is_bar = shape->kind == Shape::Kind::rod || shape->kind == Shape::Kind::capsule ||
                          shape->kind == Shape::Kind::cylinder;
      const bool along = std::abs(dot((X_WB * shape->X_BS).R.ez, g.axis)) > 0.95;
      if ((is_bar && along) || (g.moves && after - before > 2.5 * (g.most - g.least))) {
        held.is_rod = true;
        held.from = std::min(held.from, before);
        held.to = std::max(held.to, after);
      }
    }
    return held;
  }

  // The shaft of a pair that turns and slides.
  Guide shaft() {
    const Guide g = guide();
    thing_.body = g.carrier;
    if (g.on_ground && !s_.faint) {
      const Vec3d link = g.slider == ground ? g.p : s_.middle_of(g.slider, index_);
      thing_.parts.emplace_back(Foot{g.p + g.axis * (g.least - 1.6 * u_), g.axis, u_, {link}});
    }
    const double from = std::min(g.least, g.now) - 3.4 * u_, to = std::max(g.most, g.now) + 3.4 * u_;
    if (!s_.faint) {
      solid(rounded({g.p + g.axis * from, g.p + g.axis * to}, g.X_WG.R, 0.4 * u_), Ink::pair,
            g.carrier == ground ? Fill::paper : Fill::body);
    }
    return g;
  }
};

// Several joints at one place of the ground stand on one foot.
void share_foot(Thing& thing, std::vector<std::pair<Vec3d, std::size_t>>& feet, Scene& scene, double near) {
  const auto part = std::find_if(thing.parts.begin(), thing.parts.end(),
                                 [](const Part& one) { return std::holds_alternative<Foot>(one); });
  if (part == thing.parts.end()) return;
  const Foot foot = std::get<Foot>(*part);
  const auto there =
      std::find_if(feet.begin(), feet.end(), [&](const auto& other) { return norm(other.first - foot.p) < near; });
  if (there == feet.end()) {
    feet.emplace_back(foot.p, scene.things.size());
    return;
  }
  for (Part& other : scene.things[there->second].parts) {
    if (auto* shared = std::get_if<Foot>(&other)) shared->links.push_back(foot.links.front());
  }
  thing.parts.erase(part);
}

}  // namespace

void add_pairs(const Subject& subject, Scene& scene) {
  const Mechanism& mech = subject.mechanism;
  const double near = 1e-3 * subject.unit;
  std::vector<Name> names;
  std::vector<std::pair<Vec3d, std::size_t>> feet;  // where there is one, and in which thing
  for (int j = 0; j < mech.joint_count(); ++j) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(j)];
    const bool stays = subject.is_ground(joint.first) || subject.is_ground(joint.second);
    if (subject.faint && stays && !std::holds_alternative<Prismatic>(joint.type)) continue;
    Thing thing{.kind = Thing::Kind::joint, .name = joint.name, .faint = subject.faint};
    PairSymbol symbol(subject, j, thing);
    std::visit([&](const auto& type) { symbol(type); }, joint.type);
    share_foot(thing, feet, scene, near);
    if (!thing.parts.empty()) scene.things.push_back(std::move(thing));
    if (subject.faint || std::holds_alternative<Free>(joint.type)) continue;
    // Several joints on one pin share a label.
    const Vec3d place = symbol.label_place();
    const auto there = std::find_if(names.begin(), names.end(),
                                    [&](const Name& name) { return norm(name.at.front() - place) < near; });
    if (there != names.end()) {
      there->text += ", " + joint.name;
      there->clear = std::max(there->clear, symbol.clearance());
    } else {
      names.push_back({Thing::Kind::joint, joint.name, {place}, symbol.clearance(), -1});
    }
  }
  scene.names.insert(scene.names.end(), names.begin(), names.end());
}

std::vector<Vec3d> helix(const Transformd& X_WC, double radius, double from, double to, double turns) {
  constexpr int per_turn = 20;
  const int count = std::max(2, static_cast<int>(std::ceil(turns * per_turn)));
  std::vector<Vec3d> points;
  for (int k = 0; k <= count; ++k) {
    const double share = static_cast<double>(k) / count, angle = 2 * std::numbers::pi * turns * share;
    points.push_back(X_WC * Vec3d{radius * std::cos(angle), radius * std::sin(angle), from + (to - from) * share});
  }
  return points;
}

}  // namespace trammel::results
