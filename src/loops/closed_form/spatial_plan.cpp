// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The planner: which step places which links. Whatever joints it did not need must follow from the others; whoever uses the plan
// checks that (closed_form.cpp).

#include "loops/closed_form/spatial_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/kinematics.hpp>

namespace trammel::closed_form {

class SpatialPlan::Planner {
 public:
  Planner(SpatialPlan& plan, const Mechanism& mech, const std::vector<Driver>& drivers)
      : plan_(plan), mech_(mech), drivers_(drivers), placed_(mech.links.size(), 0) {}

  void run() {
    if (mech_.has_custom_joint) {
      plan_.obstacle_ = "a custom joint";
      return;
    }
    if (!mech_.couplings.empty()) {
      plan_.obstacle_ = fmt::format("coupling '{}'", mech_.couplings.front().name);
      return;
    }
    for (const ConstraintInfo& c : mech_.constraints) {
      if (std::holds_alternative<Distance>(c.type)) continue;
      plan_.obstacle_ = fmt::format("constraint '{}' is {}", c.name, keyword(c.type));
      return;
    }
    while (carry() || meet() || spin() || hang() || axes() || strut() || chain() || meet_swept()) {
    }
    for (int l = 0; l < mech_.link_count(); ++l) {
      if (placed_[static_cast<std::size_t>(l)]) continue;
      plan_.obstacle_ = fmt::format("no closed form places '{}'", name(l));
      return;
    }
  }

 private:
  SpatialPlan& plan_;
  const Mechanism& mech_;
  const std::vector<Driver>& drivers_;
  std::vector<char> placed_;

  // One of the two sides of a joint or constraint.
  struct Side {
    int joint = -1;       // or
    int constraint = -1;  // a rod
    bool first = true;
  };

  bool is_placed(int link) const { return link < 0 || placed_[static_cast<std::size_t>(link)] != 0; }
  std::string name(int link) const { return link < 0 ? "ground" : mech_.bodies[mech_.links[link].body].name; }
  int link_of(int body) const { return body == ground ? -1 : mech_.bodies[body].link; }
  Frame frame_on(int body, const Transformd& X) const {
    return {link_of(body), body == ground ? X : mech_.parameters.X_LB[static_cast<std::size_t>(body)] * X};
  }
  Frame frame(const Side& s) const {
    if (s.joint >= 0) {
      const JointInfo& j = mech_.joints[s.joint];
      return s.first ? frame_on(j.first, j.X_AF) : frame_on(j.second, j.X_BM);
    }
    const ConstraintInfo& c = mech_.constraints[s.constraint];
    return s.first ? frame_on(c.first, c.X_AP) : frame_on(c.second, c.X_BQ);
  }
  static Side across(Side s) {
    s.first = !s.first;
    return s;
  }
  int beyond(const Side& s) const { return frame(across(s)).link; }
  double rod_length(const Side& s) const { return std::get<Distance>(mech_.constraints[s.constraint].type).length; }
  template <class J>
  bool is(const Side& s) const {
    return s.joint >= 0 && std::holds_alternative<J>(mech_.joints[s.joint].type);
  }
  bool is_ball(const Side& s) const { return is<Spherical>(s) || is<Universal>(s); }
  bool has_axis(const Side& s) const { return is<Revolute>(s) || is<Cylindrical>(s); }
  bool turns_or_slides(const Side& s) const { return is<Revolute>(s) || is<Prismatic>(s); }

  // All sides that lie on a link and lead to another.
  std::vector<Side> sides(int link) const {
    std::vector<Side> list;
    const auto consider = [&](const Side& s) {
      if (frame(s).link == link && beyond(s) != link) list.push_back(s);
    };
    for (int j = 0; j < mech_.joint_count(); ++j) {
      if (mech_.joints[j].role == JointRole::weld) continue;
      consider({j, -1, true}), consider({j, -1, false});
    }
    for (int c = 0; c < static_cast<int>(mech_.constraints.size()); ++c) {
      consider({-1, c, true}), consider({-1, c, false});
    }
    return list;
  }

  void add(Step step, std::string words) {
    if (step.link1 >= 0) placed_[static_cast<std::size_t>(step.link1)] = 1;
    if (step.link2 >= 0) placed_[static_cast<std::size_t>(step.link2)] = 1;
    if (step.link0 >= 0) placed_[static_cast<std::size_t>(step.link0)] = 1;
    plan_.steps_.push_back(std::move(step));
    plan_.words_.push_back(std::move(words));
  }

  bool carry() {
    for (int l = 0; l < mech_.link_count(); ++l) {
      const Link& link = mech_.links[l];
      const JointInfo& joint = mech_.joints[link.joint];
      if (is_placed(l) || !is_placed(link.parent) || joint.nq != joint.nv) continue;
      Step s;
      s.link1 = l;
      for (int dof = 0; dof < joint.nv; ++dof) {
        for (int d = 0; d < static_cast<int>(drivers_.size()); ++d) {
          if (drivers_[d].joint == link.joint && drivers_[d].dof == dof) s.inputs.push_back(d);
        }
      }
      if (static_cast<int>(s.inputs.size()) != joint.nv) continue;
      add(s, fmt::format("{} is driven", name(l)));
      return true;
    }
    return false;
  }

  bool meet() {
    for (int link2 = 0; link2 < mech_.link_count(); ++link2) {
      if (is_placed(link2)) continue;
      const std::vector<Side> list = sides(link2);
      for (const Side& held : list) {
        if (!turns_or_slides(held) && !is<Cylindrical>(held)) continue;
        if (!is_placed(beyond(held))) continue;
        for (const Side& end : list) {
          if (is<Cylindrical>(held) && !turns_idly(list, held, end)) continue;
          Step s;
          s.kind = Kind::meet;
          s.link2 = link2;
          s.slides = !is<Revolute>(held);
          s.base = frame(across(held)), s.moving = frame(held), s.point = frame(end);
          s.modes = 2;
          if (end.constraint >= 0 && is_placed(beyond(end))) {
            s.centre = frame(across(end));
            s.radius = rod_length(end);
            add(s, fmt::format("{} by a rod: {}", name(link2), case_of(s)));
            return true;
          }
          if (is_ball(end) && !is_placed(beyond(end)) && through_link(s, end)) return true;
          if ((is<Cylindrical>(end) || is<Planar>(end)) && !is_placed(beyond(end)) && with_surface(s, end)) return true;
        }
      }
    }
    return false;
  }

  // A piston whose only ball is on its axis may turn: it slides, and stays as it was drawn.
  bool turns_idly(const std::vector<Side>& list, const Side& held, const Side& end) const {
    if (list.size() != 2 || !is<Spherical>(end)) return false;
    const Vec3d on = inverse(frame(held).X) * frame(end).X.p;
    return std::hypot(on.x, on.y) < 1e-9 * plan_.length_;
  }

  static const char* case_of(const Step& s) {
    switch (s.surface) {
      case Surface::sphere:
        return s.slides ? "Chace's case 4" : "Chace's case 5";
      case Surface::cylinder:
        return s.slides ? "Chace's case 2" : "Chace's case 8";
      case Surface::plane:
        return s.slides ? "Chace's case 6" : "Chace's case 7";
      case Surface::swept:
        if (s.slides0 && s.slides1) return s.slides ? "Chace's case 6" : "Chace's case 7";
        return s.slides ? "Chace's case 2" : "a quartic, as Chace's case 3";
    }
    return "";
  }

  // The cross of a universal joint, whose side on link 1 this is, settles link 1's spin: in two ways.
  void hold_by_cross(Step& s, const Side& in) const {
    s.attitude = Attitude::held_by_cross;
    s.cross_in = frame(in), s.cross_out = frame(across(in));
    s.cross_x_out = across(in).first;
    s.modes *= 2;
  }

  // Link 1 joins link 2 by a ball, and hangs on a placed link by another pair.
  bool through_link(Step s, const Side& end) {
    const int link1 = beyond(end);
    const std::vector<Side> list = sides(link1);
    s.point1 = frame(across(end));
    for (const Side& other : list) {
      if ((other.joint == end.joint && other.constraint < 0) || !is_placed(beyond(other))) continue;
      s.centre = frame(across(other)), s.centre1 = frame(other);
      if (is_ball(other) && !(is<Universal>(other) && is<Universal>(end))) {
        s.surface = Surface::sphere;
        s.radius = norm(s.point1.X.p - s.centre1.X.p);
        if (s.radius == 0) continue;
        const bool crossed = is<Universal>(other) || is<Universal>(end);
        s.link1 = link1;
        if (crossed) {
          hold_by_cross(s, is<Universal>(other) ? other : across(end));
        } else if (list.size() > 2) {
          s.link1 = -1;  // its spin is for later
        } else {
          s.attitude = Attitude::spins_freely;
        }
        add(s, fmt::format("{} by {}, a rod between balls: {}", name(s.link2), name(link1), case_of(s)));
        return true;
      }
      if (!is<Spherical>(end) && !is<Planar>(other)) continue;
      const Vec3d on1 = inverse(s.centre1.X) * s.point1.X.p;
      if (is<Cylindrical>(other)) {
        s.surface = Surface::cylinder;
        s.radius = std::hypot(on1.x, on1.y);
        if (s.radius < 1e-9 * plan_.length_) continue;
        s.modes = s.slides ? 2 : 4;
      } else if (is<Planar>(other)) {
        s.surface = Surface::plane;
        s.radius = on1.z;
        s.modes = s.slides ? 1 : 2;
        if (is<Universal>(end)) hold_by_cross(s, across(end));
      } else {
        continue;
      }
      s.link1 = link1;
      add(s, fmt::format("{}, {} by a {} pair and a {}: {}", name(s.link2), name(link1),
                         s.surface == Surface::cylinder ? "C" : "E", is<Universal>(end) ? "U" : "ball", case_of(s)));
      return true;
    }
    return false;
  }

  // Link 2 carries the cylinder or the plane on which link 1 moves, whose ball sits on a placed link.
  bool with_surface(Step s, const Side& end) {
    const int link1 = beyond(end);
    s.surface_moves = true;
    s.surface = is<Cylindrical>(end) ? Surface::cylinder : Surface::plane;
    s.centre = frame(end), s.centre1 = frame(across(end));
    for (const Side& ball : sides(link1)) {
      const bool crossed = is<Universal>(ball) && s.surface == Surface::plane;
      if (!(is<Spherical>(ball) || crossed) || !is_placed(beyond(ball))) continue;
      s.point = frame(across(ball)), s.point1 = frame(ball);
      const Vec3d on1 = inverse(s.centre1.X) * s.point1.X.p;
      const bool around = s.surface == Surface::cylinder;
      s.radius = around ? std::hypot(on1.x, on1.y) : on1.z;
      if (around && s.radius < 1e-9 * plan_.length_) continue;
      s.modes = around ? (s.slides ? 2 : 4) : (s.slides ? 1 : 2);
      s.link1 = link1;
      if (crossed) hold_by_cross(s, ball);
      add(s, fmt::format("{}, {} by a {} and a {} pair: {}, seen from {}", name(s.link2), name(link1),
                         crossed ? "U" : "ball", around ? "C" : "E", case_of(s), name(s.link2)));
      return true;
    }
    return false;
  }

  // Link 2 turns or slides on a placed link. Between its ball and another placed link are two links more, by pairs that turn or slide. (With the
  // ball at the end they are an arm.)
  bool meet_swept() {
    for (int link2 = 0; link2 < mech_.link_count(); ++link2) {
      if (is_placed(link2)) continue;
      const std::vector<Side> list = sides(link2);
      for (const Side& held : list) {
        if (!turns_or_slides(held) || !is_placed(beyond(held))) continue;
        for (const Side& end : list) {
          if (end.joint == held.joint || is_placed(beyond(end))) continue;
          Step s;
          s.kind = Kind::meet;
          s.surface = Surface::swept;
          s.link2 = link2;
          s.slides = is<Prismatic>(held);
          s.base = frame(across(held)), s.moving = frame(held);
          if (is<Spherical>(end) && from_ball(s, end)) return true;
        }
      }
    }
    return false;
  }

  // The ball is on link 2; link 1 beyond it, then link 0, then a placed link.
  bool from_ball(Step s, const Side& ball) {
    s.link1 = beyond(ball);
    s.point = frame(ball), s.point1 = frame(across(ball));
    for (const Side& second : sides(s.link1)) {
      if (!turns_or_slides(second) || is_placed(beyond(second)) || beyond(second) == s.link2) continue;
      for (const Side& first : sides(beyond(second))) {
        if (first.joint == second.joint || !turns_or_slides(first) || !is_placed(beyond(first))) continue;
        if (add_swept(s, across(first), across(second))) return true;
      }
    }
    return false;
  }
  // `first` is on what carries link 0, `second` on link 0.
  bool add_swept(Step s, const Side& first, const Side& second) {
    s.link0 = beyond(first);
    s.centre = frame(first), s.centre0 = frame(across(first));
    s.between0 = frame(second), s.between1 = frame(across(second));
    s.slides0 = is<Prismatic>(first), s.slides1 = is<Prismatic>(second);
    if (!s.slides0 && !s.slides1) return false;  // a torus
    const Sweep w = SpatialPlan::sweep_of(s);
    if (s.slides0 && s.slides1) {
      if (std::hypot(w.e.x, w.e.y) < 1e-6) return false;
      s.modes = s.slides ? 1 : 2;
    } else {
      s.modes = (w.flat ? (s.slides ? 1 : 2) * 2 : s.slides ? 2 : 4);
    }
    const auto letter = [](bool slides) { return slides ? "P" : "R"; };
    add(s, fmt::format("{}, {}, {} by {} and {} pairs and a ball: {}", name(s.link2), name(s.link0), name(s.link1),
                       letter(s.slides0), letter(s.slides1), case_of(s)));
    return true;
  }

  bool strut() {
    for (int j = 0; j < mech_.joint_count(); ++j) {
      if (!std::holds_alternative<Prismatic>(mech_.joints[j].type)) continue;
      for (const bool first : {true, false}) {
        const Side slide{j, -1, first};  // on link 0
        Step s;
        s.kind = Kind::strut;
        s.modes = 2;
        s.link0 = frame(slide).link, s.link1 = beyond(slide);
        if (is_placed(s.link0) || is_placed(s.link1) || s.link0 == s.link1) continue;
        s.between0 = frame(slide), s.between1 = frame(across(slide));
        for (const Side& near : sides(s.link0)) {
          if (near.joint == j || !is_ball(near) || !is_placed(beyond(near))) continue;
          for (const Side& far : sides(s.link1)) {
            if (far.joint == j || !is<Spherical>(far) || !is_placed(beyond(far))) continue;
            s.centre = frame(across(near)), s.centre0 = frame(near), s.centre1 = frame(near);
            s.point = frame(across(far)), s.point1 = frame(far);
            if (is<Universal>(near)) {
              hold_by_cross(s, near);
            } else {
              s.attitude = Attitude::spins_freely;
            }
            add(s, fmt::format("{}, {}: a telescope between two points, Chace's case 1", name(s.link0), name(s.link1)));
            return true;
          }
        }
      }
    }
    return false;
  }

  // Two balls of a link on placed ones.
  bool find_balls(int link, Side& a, Side& b) const {
    bool one = false;
    for (const Side& s : sides(link)) {
      if (!is<Spherical>(s) || !is_placed(beyond(s))) continue;
      if (one && norm(frame(s).X.p - frame(a).X.p) > 1e-9 * plan_.length_) {
        b = s;
        return true;
      }
      if (!one) a = s;
      one = true;
    }
    return false;
  }

  bool spin() {
    for (int link1 = 0; link1 < mech_.link_count(); ++link1) {
      Side a, b;
      if (is_placed(link1) || !find_balls(link1, a, b)) continue;
      for (const Side& end : sides(link1)) {
        if (end.joint >= 0 && (end.joint == a.joint || end.joint == b.joint)) continue;
        Step s;
        s.kind = Kind::spin;
        s.modes = 2;
        s.link1 = link1;
        s.ball_a = frame(across(a)), s.ball_b = frame(across(b)), s.ball_a1 = frame(a), s.ball_b1 = frame(b);
        s.point = frame(end);
        if (end.constraint >= 0 && is_placed(beyond(end))) {
          s.centre = frame(across(end));
          s.radius = rod_length(end);
          add(s, fmt::format("{} about its balls, by a rod: Chace's case 5", name(link1)));
          return true;
        }
        if (!is<Spherical>(end) || is_placed(beyond(end))) continue;
        const int rod = beyond(end);
        const std::vector<Side> ends = sides(rod);
        if (ends.size() != 2) continue;
        const Side far = ends[0].joint == end.joint ? ends[1] : ends[0];
        if (!is<Spherical>(far) || !is_placed(beyond(far))) continue;
        s.link2 = rod;
        s.centre = frame(across(far)), s.centre1 = frame(far), s.point1 = frame(across(end));
        s.radius = norm(s.point1.X.p - s.centre1.X.p);
        add(s, fmt::format("{} about its balls, by {}: Chace's case 5", name(link1), name(rod)));
        return true;
      }
    }
    return false;
  }

  bool hang() {
    for (int link = 0; link < mech_.link_count(); ++link) {
      Side a, b;
      if (is_placed(link) || sides(link).size() != 2 || !find_balls(link, a, b)) continue;
      Step s;
      s.kind = Kind::hang;
      s.link1 = link;
      s.attitude = Attitude::spins_freely;
      s.centre = frame(across(a)), s.centre1 = frame(a), s.point = frame(across(b)), s.point1 = frame(b);
      add(s, fmt::format("{} lies between two balls", name(link)));
      return true;
    }
    return false;
  }

  // What a pair's freedoms are one by one, from this side to the other, in its frame there where all are zero.
  std::optional<std::vector<ArmAxis>> freedoms_of(const Side& s) const {
    const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    std::vector<ArmAxis> list;
    if (is<Revolute>(s)) {
      list = {{false, {}, z}};
    } else if (is<Prismatic>(s)) {
      list = {{true, {}, z}};
    } else if (is<Cylindrical>(s)) {
      list = {{false, {}, z}, {true, {}, z}};
    } else if (is<Universal>(s)) {
      list = {{false, {}, x}, {false, {}, y}};
    } else if (is<Planar>(s)) {
      list = {{true, {}, x}, {true, {}, y}, {false, {}, z}};
    } else {
      return std::nullopt;
    }
    if (!s.first) std::reverse(list.begin(), list.end());
    return list;
  }

  // Any way from a placed link through others to a placed link that is an arm of the right kind.
  bool chain() {
    int tries = 10000;  // in linkages of hundreds of links this is no way to search
    for (int l = -1; l < mech_.link_count(); ++l) {
      if (!is_placed(l)) continue;
      Chain arm;
      arm.base = l;
      if (extend(arm, Transformd{}, l, -1, "", tries)) return true;
    }
    return false;
  }
  // `here`: the link `link` at the end of the way so far.
  bool extend(const Chain& way, const Transformd& here, int link, int by, const std::string& letters, int& tries) {
    for (const Side& s : sides(link)) {
      if (s.joint < 0 || s.joint == by || --tries < 0) continue;
      const int next = beyond(s);
      const Transformd X_0F = here * frame(s).X;
      if (is<Spherical>(s) && is_placed(next) && way.axes.size() == 3) {
        Chain arm = way;
        arm.point = X_0F.p;
        arm.ball = frame(across(s));
        if (add_chain(arm, letters + "S")) return true;
      }
      const std::optional<std::vector<ArmAxis>> more = freedoms_of(s);
      if (!more || way.axes.size() + more->size() > 6) continue;
      const bool known =
          std::any_of(way.links.begin(), way.links.end(), [&](const auto& on) { return on.link == next; });
      if (known || (is_placed(next) && way.links.empty())) continue;
      Chain arm = way;
      for (const ArmAxis& axis : *more) arm.axes.push_back({axis.slides, X_0F.p, X_0F.R * axis.w});
      const Transformd home = X_0F * inverse(frame(across(s)).X);
      if (is_placed(next)) {
        arm.end = next;
        arm.end_home = home;
        if (arm.axes.size() == 6 && add_chain(arm, letters + letter(s))) return true;
        continue;
      }
      arm.links.push_back({next, arm.axes.size(), home});
      if (extend(arm, home, next, s.joint, letters + letter(s), tries)) return true;
    }
    return false;
  }
  std::string letter(const Side& s) const {
    return is<Revolute>(s) ? "R" : is<Prismatic>(s) ? "P" : is<Cylindrical>(s) ? "C" : is<Universal>(s) ? "U" : "E";
  }
  bool add_chain(const Chain& arm, const std::string& letters) {
    const bool poses = arm.axes.size() == 6;
    std::vector<const ArmAxis*> turns;
    for (const ArmAxis& axis : arm.axes) {
      if (!axis.slides) turns.push_back(&axis);
    }
    if (poses && turns.size() != 3) return false;
    if (poses && (norm(cross(turns[0]->w, turns[1]->w)) < 1e-6 || norm(cross(turns[1]->w, turns[2]->w)) < 1e-6))
      return false;
    if (!arm.moves_anyhow(plan_.length_)) return false;
    Step s;
    s.kind = Kind::chain;
    s.modes = poses ? 2 : 4;
    s.chain = static_cast<int>(plan_.chains_.size());
    plan_.chains_.push_back(arm);
    std::string names;
    for (const Chain::ChainLink& on : arm.links) {
      placed_[static_cast<std::size_t>(on.link)] = 1;
      names += (names.empty() ? "" : ", ") + name(on.link);
    }
    add(s, fmt::format("{} by {}: {}", names, letters,
                       poses ? "two dot products for three turns, then Chace's case 6"
                             : "an arm of three freedoms that reaches a ball, a quartic at most"));
    return true;
  }

  static bool cross_each_other(const Frame& one, const Frame& other) {
    return norm(cross(one.X.R.ez, other.X.R.ez)) > 1e-6;
  }

  bool axes() {
    for (int link2 = 0; link2 < mech_.link_count(); ++link2) {
      if (is_placed(link2)) continue;
      for (const Side& third : sides(link2)) {
        if (!has_axis(third) || !is_placed(beyond(third))) continue;
        for (const Side& second : sides(link2)) {
          if (second.joint == third.joint) continue;
          Step s;
          s.kind = Kind::axes;
          s.modes = 2;
          s.link2 = link2;
          s.axis3_on2 = frame(third), s.axis3 = frame(across(third));
          if (is<Universal>(second) && is_placed(beyond(second))) {
            s.has_link1 = false;
            s.axis1 = cross_axis(across(second)), s.axis2_on2 = cross_axis(second);
            s.axis1_on1.X.R = Mat3d::identity();
            s.axis2_on1.X.R = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};  // z of the one is square to that of the other
            if (!cross_each_other(s.axis2_on2, s.axis3_on2)) continue;
            add(s, fmt::format("{} by a U and an {} pair: two dot products", name(link2),
                               is<Revolute>(third) ? "R" : "C"));
            return true;
          }
          if (!has_axis(second) || is_placed(beyond(second))) continue;
          const int link1 = beyond(second);
          s.link1 = link1;
          s.axis2_on2 = frame(second), s.axis2_on1 = frame(across(second));
          if (!cross_each_other(s.axis2_on2, s.axis3_on2)) continue;
          for (const Side& first : sides(link1)) {
            if (first.joint == second.joint || !has_axis(first) || !is_placed(beyond(first))) continue;
            s.axis1_on1 = frame(first), s.axis1 = frame(across(first));
            if (!cross_each_other(s.axis1_on1, s.axis2_on1)) continue;
            add(s, fmt::format("{}, {} by three axes: two dot products for their directions, then Chace's case 6",
                               name(link1), name(link2)));
            return true;
          }
        }
      }
    }
    return false;
  }

  // The axis of a universal joint that is fixed on this side, as z: x on the first body, y on the second.
  Frame cross_axis(const Side& s) const {
    Frame f = frame(s);
    const Mat3d R = f.X.R;
    f.X.R = s.first ? Mat3d{R.ey, R.ez, R.ex} : Mat3d{R.ez, R.ex, R.ey};
    return f;
  }
};

SpatialPlan::SpatialPlan(const Mechanism& mech, const std::vector<Driver>& drivers) : mech_(&mech) {
  Workspace ws(mech);
  compute_positions(mech, ws, design_state(mech).q);
  length_ = 0;
  for (const Link& link : mech.links) {
    drawn_.push_back(pose_WB(mech, ws, link.body) * inverse(mech.parameters.X_LB[static_cast<std::size_t>(link.body)]));
    length_ = std::max(length_, norm(drawn_.back().p));
  }
  if (!(length_ > 0)) length_ = 1;
  for (const Link& link : mech.links) {
    const JointInfo& joint = mech.joints[link.joint];
    const auto on = [&](int body, const Transformd& X) -> Frame {
      if (body == ground) return {-1, X};
      return {mech.bodies[body].link, mech.parameters.X_LB[static_cast<std::size_t>(body)] * X};
    };
    joint_frames_.emplace_back(on(joint.first, joint.X_AF), on(joint.second, joint.X_BM));
  }
  Planner(*this, mech, drivers).run();
}

}  // namespace trammel::closed_form
