// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The planner: which step places which links. It asks, again and again, for a driven link at one that has its place, for a link with two
// hinges on placed ones, for a dyad, and for a triad, until all links are placed or nothing fits.

#include "loops/closed_form/planar_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/kinematics.hpp>

namespace trammel::closed_form {

class PlanarPlan::Planner {
 public:
  Planner(PlanarPlan& plan, const Mechanism& mech, const std::vector<Driver>& drivers, const Vec3d& normal)
      : plan_(plan), mech_(mech), drivers_(drivers), normal_(normal), ws_(mech) {
    ex_ = cross(std::abs(normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}, normal);
    ex_ = cross(normal, ex_ * (1 / norm(ex_)));
    ey_ = cross(normal, ex_);
    compute_positions(mech, ws_, design_state(mech).q);
  }

  void run() {
    plan_.link_count_ = mech_.link_count();
    plan_.tree_joint_.assign(mech_.links.size(), -1);
    if (!list_joints()) return;
    placed_.assign(mech_.links.size(), 0);
    used_.assign(plan_.joints_.size(), 0);
    while (carry() || lay_between() || place_dyad() || place_triad()) {
    }
    for (int l = 0; l < mech_.link_count(); ++l) {
      if (!placed_[static_cast<std::size_t>(l)]) {
        plan_.obstacle_ = fmt::format("no dyad or triad places '{}'", name(l));
        return;
      }
    }
  }

 private:
  PlanarPlan& plan_;
  const Mechanism& mech_;
  const std::vector<Driver>& drivers_;
  Vec3d normal_, ex_, ey_;
  Workspace ws_;
  std::vector<char> placed_, used_;  // per link, per joint

  bool is_placed(int link) const { return link < 0 || placed_[static_cast<std::size_t>(link)] != 0; }
  std::string name(int link) const { return link < 0 ? "ground" : mech_.bodies[mech_.links[link].body].name; }
  Vec2d in_plane(const Vec3d& v) const { return {trammel::dot(v, ex_), trammel::dot(v, ey_)}; }
  int link_of(int body) const { return body == ground ? -1 : mech_.bodies[body].link; }
  Transformd placed(int body, const Transformd& X) const { return body == ground ? X : pose_WB(mech_, ws_, body) * X; }

  bool list_joints() {
    double size = 0;
    for (const JointInfo& joint : mech_.joints) {
      if (joint.nv == 0 && joint.role == JointRole::weld) continue;
      const bool hinge = std::holds_alternative<Revolute>(joint.type);
      if (!hinge && !std::holds_alternative<Prismatic>(joint.type)) {
        plan_.obstacle_ = fmt::format("joint '{}' is {}", joint.name, keyword(joint.type));
        return false;
      }
      const Transformd X_WF = placed(joint.first, joint.X_AF), X_WM = placed(joint.second, joint.X_BM);
      Joint out;
      out.slides = !hinge;
      out.first = link_of(joint.first), out.second = link_of(joint.second);
      out.at_first = in_plane(X_WF.p), out.at_second = in_plane(X_WM.p);
      if (hinge) {
        out.sign = trammel::dot(X_WF.R.ez, normal_) > 0 ? 1 : -1;
        out.turn = angle(X_WF.R.ex, X_WM.R.ex);
      } else {
        out.along = in_plane(X_WF.R.ez);
        // Any direction that turns with the frames: x or y, whichever lies more in the plane.
        const bool x = trammel::norm(cross(X_WF.R.ex, normal_)) > 0.5;
        out.turn = x ? angle(X_WF.R.ex, X_WM.R.ex) : angle(X_WF.R.ey, X_WM.R.ey);
      }
      if (joint.role == JointRole::tree) {
        out.q = joint.q;
        plan_.tree_joint_[static_cast<std::size_t>(joint.link)] = static_cast<int>(plan_.joints_.size());
      }
      plan_.joints_.push_back(out);
      plan_.rods_.push_back(0);
      size = std::max({size, std::abs(out.at_first.x), std::abs(out.at_first.y)});
    }
    if (!mech_.couplings.empty()) {
      plan_.obstacle_ = fmt::format("coupling '{}'", mech_.couplings.front().name);
      return false;
    }
    for (const ConstraintInfo& info : mech_.constraints) {
      const auto* rod = std::get_if<Distance>(&info.type);
      if (rod == nullptr) {
        plan_.obstacle_ = fmt::format("constraint '{}' is {}", info.name, keyword(info.type));
        return false;
      }
      const Vec3d P = placed(info.first, info.X_AP).p, Q = placed(info.second, info.X_BQ).p;
      const double aside = trammel::dot(Q - P, normal_), square = rod->length * rod->length - aside * aside;
      if (!(square > 0)) {
        plan_.obstacle_ = fmt::format("constraint '{}' cannot reach across the plane", info.name);
        return false;
      }
      Joint out;
      out.first = link_of(info.first), out.second = link_of(info.second);
      out.at_first = in_plane(P), out.at_second = in_plane(Q);
      plan_.joints_.push_back(out);
      plan_.rods_.push_back(std::sqrt(square));
    }
    plan_.length_ = size > 0 ? size : 1;
    join_pins();
    return true;
  }

  // Where a pin holds three links or more, every two of them are joined.
  void join_pins() {
    const auto same = [&](const Vec2d& a, const Vec2d& b) {
      return std::hypot(a.x - b.x, a.y - b.y) < 1e-12 * plan_.length_;
    };
    const auto is_hinge = [&](int j) { return !joint(j).slides && !is_rod(j); };
    for (int j = 0; j < joint_count(); ++j) {  // those added are looked at as well
      for (int i = 0; i < j; ++i) {
        if (!is_hinge(i) || !is_hinge(j)) continue;
        for (const int link : {joint(i).first, joint(i).second}) {
          if (!touches(i, link) || !touches(j, link) || !same(at(i, link), at(j, link))) continue;
          const int one = other(i, link), two = other(j, link);
          if (one == two) continue;
          Joint pin;
          pin.first = one, pin.second = two;
          pin.at_first = at(i, one), pin.at_second = at(j, two);
          bool known = false;
          for (int k = 0; k < joint_count(); ++k) {
            known = known || (is_hinge(k) && touches(k, one) && touches(k, two) && same(at(k, one), pin.at_first) &&
                              same(at(k, two), pin.at_second));
          }
          if (known) continue;
          plan_.joints_.push_back(pin);
          plan_.rods_.push_back(0);
        }
      }
    }
  }

  double angle(const Vec3d& from, const Vec3d& to) const {
    const Vec2d u = in_plane(from), w = in_plane(to);
    return std::atan2(closed_form::cross(u, w), closed_form::dot(u, w));
  }

  int joint_count() const { return static_cast<int>(plan_.joints_.size()); }
  bool is_rod(int j) const { return plan_.rods_[static_cast<std::size_t>(j)] > 0; }
  const Joint& joint(int j) const { return plan_.joints_[static_cast<std::size_t>(j)]; }
  // The link on the other side of a joint.
  int other(int j, int link) const { return joint(j).first == link ? joint(j).second : joint(j).first; }
  bool touches(int j, int link) const { return (joint(j).first == link) != (joint(j).second == link); }
  Vec2d at(int j, int link) const { return joint(j).first == link ? joint(j).at_first : joint(j).at_second; }
  // How much `link` is turned against the other link of a slide, both as drawn being 0.
  double turn(int j, int link) const { return joint(j).second == link ? -joint(j).turn : joint(j).turn; }
  // The slide's direction as drawn on `link`.
  Vec2d along(int j, int link) const {
    const Vec2d e = joint(j).along;
    if (joint(j).first == link) return e;
    // On the second link, which stands turned back by `turn` once closed: as drawn it is turned on by it.
    const double c = std::cos(joint(j).turn), s = std::sin(joint(j).turn);
    return {c * e.x - s * e.y, s * e.x + c * e.y};
  }

  void add(const Step& step, std::string words) {
    plan_.steps_.push_back(step);
    plan_.words_.push_back(std::move(words));
    if (step.link1 >= 0) placed_[static_cast<std::size_t>(step.link1)] = 1;
    if (step.link2 >= 0) placed_[static_cast<std::size_t>(step.link2)] = 1;
    for (const Leg& leg : step.legs) {
      if (leg.link >= 0) placed_[static_cast<std::size_t>(leg.link)] = 1;
    }
  }

  bool carry() {
    for (int d = 0; d < static_cast<int>(drivers_.size()); ++d) {
      const Driver& driver = drivers_[static_cast<std::size_t>(d)];
      if (driver.joint < 0 || mech_.joints[driver.joint].role != JointRole::tree) continue;
      const int j = plan_.tree_joint_[static_cast<std::size_t>(mech_.joints[driver.joint].link)];
      if (used_[static_cast<std::size_t>(j)]) continue;
      const int before = is_placed(joint(j).first) ? joint(j).first : joint(j).second, link = other(j, before);
      if (!is_placed(before) || is_placed(link)) continue;
      Step s;
      s.kind = joint(j).slides ? Kind::slid : Kind::turned;
      s.before = before, s.link1 = link, s.input = d;
      s.A_before = at(j, before), s.A1 = at(j, link);
      const double onwards = joint(j).first == before ? 1 : -1;
      if (joint(j).slides) {
        s.turn1 = turn(j, link), s.e1 = along(j, before), s.sign = onwards;
      } else {
        // q = sign (θ2 − θ1 + turn)
        s.sign = joint(j).sign * onwards;
        s.zero = -onwards * joint(j).turn;
      }
      used_[static_cast<std::size_t>(j)] = 1;
      add(s, fmt::format("{} is driven", name(link)));
      return true;
    }
    return false;
  }

  bool lay_between() {
    for (int l = 0; l < mech_.link_count(); ++l) {
      if (is_placed(l)) continue;
      int found[2] = {-1, -1}, count = 0;
      for (int j = 0; j < joint_count() && count < 2; ++j) {
        if (touches(j, l) && !joint(j).slides && !is_rod(j) && is_placed(other(j, l))) found[count++] = j;
      }
      if (count < 2) continue;
      Step s;
      s.kind = Kind::between;
      s.link1 = l, s.before = other(found[0], l), s.after = other(found[1], l);
      s.A_before = at(found[0], s.before), s.A1 = at(found[0], l), s.C1 = at(found[1], l),
      s.B_after = at(found[1], s.after);
      if (std::hypot(s.C1.x - s.A1.x, s.C1.y - s.A1.y) < 1e-9 * plan_.length_) continue;
      used_[static_cast<std::size_t>(found[0])] = used_[static_cast<std::size_t>(found[1])] = 1;
      add(s, fmt::format("{} lies between {} and {}", name(l), name(s.before), name(s.after)));
      return true;
    }
    return false;
  }

  bool place_dyad() {
    for (int j3 = 0; j3 < joint_count(); ++j3) {
      if (used_[static_cast<std::size_t>(j3)] || is_rod(j3)) continue;
      for (const int after : {joint(j3).first, joint(j3).second}) {
        const int link2 = other(j3, after);
        if (!is_placed(after) || is_placed(link2)) continue;
        for (int j2 = 0; j2 < joint_count(); ++j2) {
          if (j2 == j3 || !touches(j2, link2)) continue;
          if (is_rod(j2)) {
            if (is_placed(other(j2, link2)) && try_rod(j2, link2, j3, after)) return true;
            continue;
          }
          const int link1 = other(j2, link2);
          if (is_placed(link1)) continue;
          for (int j1 = 0; j1 < joint_count(); ++j1) {
            if (j1 == j2 || j1 == j3 || is_rod(j1) || !touches(j1, link1)) continue;
            if (is_placed(other(j1, link1)) && try_dyad(j1, link1, j2, link2, j3, after)) return true;
          }
        }
      }
    }
    return false;
  }

  bool try_rod(int rod, int link2, int j3, int after) {
    Step s;
    s.kind = joint(j3).slides ? Kind::rrp : Kind::rrr;
    s.before = other(rod, link2), s.link2 = link2, s.after = after;
    s.modes = 2;
    s.length1 = plan_.rods_[static_cast<std::size_t>(rod)];
    s.A_before = at(rod, s.before), s.C2 = at(rod, link2), s.B2 = at(j3, link2), s.B_after = at(j3, after);
    if (joint(j3).slides) s.e3 = along(j3, after), s.turn3 = turn(j3, link2);
    if (!joint(j3).slides && std::hypot(s.C2.x - s.B2.x, s.C2.y - s.B2.y) < 1e-9 * plan_.length_) return false;
    used_[static_cast<std::size_t>(rod)] = used_[static_cast<std::size_t>(j3)] = 1;
    add(s, fmt::format("{} and a rod from {}: dyad {} (Chace's case {})", name(link2), name(s.before),
                       joint(j3).slides ? "RRP" : "RRR", joint(j3).slides ? 4 : 5));
    return true;
  }

  // Ways from an unplaced link by a hinge and one more link, or by a rod, to placed ones.
  std::vector<Leg> legs_of(int middle) const {
    std::vector<Leg> legs;
    for (int j = 0; j < joint_count(); ++j) {
      if (!touches(j, middle) || joint(j).slides) continue;
      Leg leg;
      leg.hinge_middle = at(j, middle);
      if (is_rod(j)) {
        leg.placed = other(j, middle);
        if (!is_placed(leg.placed)) continue;
        leg.foot_placed = at(j, leg.placed);
        leg.length = plan_.rods_[static_cast<std::size_t>(j)];
        legs.push_back(leg);
        continue;
      }
      leg.link = other(j, middle);
      if (is_placed(leg.link)) continue;
      leg.hinge = at(j, leg.link);
      for (int k = 0; k < joint_count(); ++k) {
        if (k == j || is_rod(k) || !touches(k, leg.link) || !is_placed(other(k, leg.link))) continue;
        leg.placed = other(k, leg.link);
        leg.slides = joint(k).slides;
        leg.foot = at(k, leg.link), leg.foot_placed = at(k, leg.placed);
        leg.length = std::hypot(leg.hinge.x - leg.foot.x, leg.hinge.y - leg.foot.y);
        if (leg.slides) leg.e = along(k, leg.placed), leg.turn = turn(k, leg.link);
        if (leg.slides || leg.length > 1e-9 * plan_.length_) legs.push_back(leg);
      }
    }
    return legs;
  }

  bool place_triad() {
    for (int middle = 0; middle < mech_.link_count(); ++middle) {
      if (is_placed(middle)) continue;
      const std::vector<Leg> legs = legs_of(middle);
      for (const Leg& one : legs) {
        for (const Leg& two : legs) {
          if (!one.slides || !two.slides || one.link >= two.link) continue;
          for (const Leg& three : legs) {
            if (three.link >= 0 && (three.link == one.link || three.link == two.link)) continue;
            const auto parallel = [](const Leg& a, const Leg& b) { return std::abs(cross(a.e, b.e)) < 1e-6; };
            if (three.slides && parallel(one, two) && parallel(two, three)) continue;
            Step s;
            s.kind = Kind::triad;
            s.modes = three.slides ? 2 : 4;
            s.link1 = middle;
            s.legs = {one, two, three};
            add(s, fmt::format("{} on {}, {} and {}: triad, {}", name(middle), name(one.link), name(two.link),
                               three.link < 0 ? "a rod" : name(three.link),
                               three.slides ? "two dot products and an angle" : "a quartic"));
            return true;
          }
        }
      }
    }
    return false;
  }

  bool try_dyad(int j1, int link1, int j2, int link2, int j3, int after) {
    Step s;
    s.before = other(j1, link1), s.link1 = link1, s.link2 = link2, s.after = after;
    s.A_before = at(j1, s.before), s.A1 = at(j1, link1), s.C1 = at(j2, link1), s.C2 = at(j2, link2);
    s.B2 = at(j3, link2), s.B_after = at(j3, after);
    s.length1 = std::hypot(s.C1.x - s.A1.x, s.C1.y - s.A1.y);
    const bool p1 = joint(j1).slides, p2 = joint(j2).slides, p3 = joint(j3).slides;
    if (p1) s.e1 = along(j1, s.before), s.turn1 = turn(j1, link1);
    if (p2) s.e2 = along(j2, link1), s.turn2 = turn(j2, link2);
    if (p3) s.e3 = along(j3, after), s.turn3 = turn(j3, link2);
    const char* letters = "";
    const char* chace = "";
    if (!p1 && !p2 && !p3) {
      s.kind = Kind::rrr, s.modes = 2, letters = "RRR", chace = "Chace's case 5";
      if (std::hypot(s.C2.x - s.B2.x, s.C2.y - s.B2.y) < 1e-9 * plan_.length_) return false;
    } else if (!p1 && !p2 && p3) {
      s.kind = Kind::rrp, s.modes = 2, letters = "RRP", chace = "Chace's case 4";
    } else if (!p1 && p2 && !p3) {
      s.kind = Kind::rpr, s.modes = 2, letters = "RPR", chace = "Chace's case 1, with an offset";
    } else if (p1 && !p2 && p3) {
      s.kind = Kind::prp, letters = "PRP", chace = "Chace's case 6 in the plane";
    } else if (p1 && p2 && !p3) {
      s.kind = Kind::ppr, letters = "PPR", chace = "Chace's case 6 in the plane";
    } else {
      return false;  // PRR and RPP are found from their other end; three slides leave nothing to turn
    }
    if ((s.kind == Kind::rrr || s.kind == Kind::rrp) && s.length1 < 1e-9 * plan_.length_) return false;
    for (const int j : {j1, j2, j3}) used_[static_cast<std::size_t>(j)] = 1;
    add(s, fmt::format("{}, {} between {} and {}: dyad {} ({})", name(link1), name(link2), name(s.before), name(after),
                       letters, chace));
    return true;
  }
};

PlanarPlan::PlanarPlan(const Mechanism& mech, const std::vector<Driver>& drivers, const Vec3d& normal) {
  Planner(*this, mech, drivers, normal).run();
}

namespace {

constexpr double turn = 2 * std::numbers::pi;
double near(double angle, double before) { return angle + turn * std::round((before - angle) / turn); }

}  // namespace

std::optional<Pose2<double>> PlanarPlan::start_triad(const Step& s, int mode, const std::array<Vec2d, 3>& O,
                                                     const std::array<Vec2d, 3>& e) {
  // e_i × p = k_i − x_i cos θ − y_i sin θ
  std::array<double, 3> x{}, y{}, k{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec2d b = s.legs[i].hinge_middle;
    x[i] = cross(e[i], b), y[i] = dot(e[i], b), k[i] = cross(e[i], O[i]);
  }
  const auto along = [&](std::size_t i, double c, double n) { return k[i] - x[i] * c - y[i] * n; };
  const auto from_two = [&](std::size_t i, std::size_t j, double r_i, double r_j) {
    return (e[j] * r_i - e[i] * r_j) * (1 / cross(e[i], e[j]));
  };
  const auto pose = [](const OnCircle<double>& turned, const Vec2d& p) {
    return Pose2<double>{turned.c, turned.s, std::atan2(turned.s, turned.c), p};
  };

  if (s.legs[2].slides) {
    const std::array<double, 3> w{cross(e[1], e[2]), cross(e[2], e[0]), cross(e[0], e[1])};
    const auto sum = [&](const std::array<double, 3>& of) { return w[0] * of[0] + w[1] * of[1] + w[2] * of[2]; };
    const auto found = meet_first_order(sum(x), sum(y), sum(k), mode == 0 ? 1 : -1);
    if (!found) return std::nullopt;
    std::size_t best = 0;  // p from the two slides that are nearest to square
    for (const std::size_t i : {1u, 2u}) best = std::abs(w[i]) > std::abs(w[best]) ? i : best;
    const std::size_t i = (best + 1) % 3, j = (best + 2) % 3;
    return pose(*found, from_two(i, j, along(i, found->c, found->s), along(j, found->c, found->s)));
  }

  const Vec2d b3 = s.legs[2].hinge_middle;
  const double L = s.legs[2].length;
  if (std::abs(cross(e[0], e[1])) > 1e-5) {
    const Vec2d p0 = from_two(0, 1, k[0], k[1]), p1 = from_two(0, 1, -x[0], -x[1]), p2 = from_two(0, 1, -y[0], -y[1]);
    // The third hinge goes along p0 + c1 cos θ + c2 sin θ.
    const Vec2d c0 = p0 - O[2], c1 = p1 + b3, c2 = p2 + Vec2d{-b3.y, b3.x};
    const auto found = meet_second_order<double>({c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, L, mode);
    if (!found) return std::nullopt;
    return pose(*found, p0 + p1 * found->c + p2 * found->s);
  }
  const double same = dot(e[0], e[1]) > 0 ? 1 : -1;
  const auto found = meet_first_order(x[0] - same * x[1], y[0] - same * y[1], k[0] - same * k[1], mode < 2 ? 1 : -1);
  if (!found) return std::nullopt;
  Pose2<double> at = pose(*found, {});
  at.p = O[0] - at.turned(s.legs[0].hinge_middle);  // the first slide at its start
  const Vec2d from = at.at(b3) - O[2];
  const double f = dot(from, e[0]);
  const auto half = real_root(f * f - dot(from, from) + L * L, L * L);
  if (!half) return std::nullopt;
  at.p = at.p + e[0] * ((mode % 2 == 0 ? *half : -*half) - f);
  return at;
}

void PlanarPlan::read(const Poses<double>& poses, std::span<double> q) const {
  for (const int j : tree_joint_) {
    const Joint& joint = joints_[static_cast<std::size_t>(j)];
    const Pose2<double>&first = poses.of(joint.first), &second = poses.of(joint.second);
    double& x = q[static_cast<std::size_t>(joint.q)];
    x = joint.slides ? dot(second.at(joint.at_second) - first.at(joint.at_first), first.turned(joint.along))
                     : near(joint.sign * (second.theta - first.theta + joint.turn), x);
  }
}

void PlanarPlan::read(const Poses<Series<2>>& poses, std::span<double> q, std::span<double> v,
                      std::span<double> a) const {
  for (const int j : tree_joint_) {
    const Joint& joint = joints_[static_cast<std::size_t>(j)];
    const Pose2<Series<2>>&first = poses.of(joint.first), &second = poses.of(joint.second);
    const Series<2> x = joint.slides
                            ? dot(second.at(joint.at_second) - first.at(joint.at_first), first.turned(joint.along))
                            : (second.theta - first.theta + joint.turn) * joint.sign;
    const auto i = static_cast<std::size_t>(joint.q);  // one coordinate and one freedom a joint
    q[i] = joint.slides ? x.derivative(0) : near(x.derivative(0), q[i]);
    v[i] = x.derivative(1);
    a[i] = x.derivative(2);
  }
}

double PlanarPlan::distance(int step, const Poses<double>& one, const Poses<double>& other) const {
  double apart = 0;
  for (const int link : {steps_[static_cast<std::size_t>(step)].link1, steps_[static_cast<std::size_t>(step)].link2}) {
    if (link < 0) continue;
    const Pose2<double>&x = one.of(link), &y = other.of(link);
    const double dx = (x.p.x - y.p.x) / length_, dy = (x.p.y - y.p.y) / length_;
    apart += dx * dx + dy * dy + (x.c - y.c) * (x.c - y.c) + (x.s - y.s) * (x.s - y.s);
  }
  return std::sqrt(apart);
}

void PlanarPlan::poses_at(std::span<const double> q, Poses<double>& result) const {
  for (std::size_t l = 0; l < tree_joint_.size(); ++l) {
    const Joint& joint = joints_[static_cast<std::size_t>(tree_joint_[l])];
    const bool onwards = joint.second == static_cast<int>(l);
    const Pose2<double>& before = result.of(onwards ? joint.first : joint.second);
    Pose2<double>& pose = result.links[l];
    const double x = q[static_cast<std::size_t>(joint.q)], sense = onwards ? 1 : -1;
    if (joint.slides) {
      turn_like(pose, before, -sense * joint.turn);
      const Vec2d e = onwards ? before.turned(joint.along) : pose.turned(joint.along);
      put(pose, onwards ? joint.at_second : joint.at_first,
          before.at(onwards ? joint.at_first : joint.at_second) + e * (sense * x));
    } else {
      pose.theta = before.theta + sense * (joint.sign * x - joint.turn);
      pose.c = std::cos(pose.theta), pose.s = std::sin(pose.theta);
      put(pose, onwards ? joint.at_second : joint.at_first, before.at(onwards ? joint.at_first : joint.at_second));
    }
  }
}

}  // namespace trammel::closed_form
