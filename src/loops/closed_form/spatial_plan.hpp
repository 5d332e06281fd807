// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A spatial linkage placed link by link, each step in closed form (KAM's table of algorithms). Three kinds of steps serve most loops of
// R, P, C, S, E and U pairs:
//
// meet    A point of link 2, which turns (R) or slides (P) on a placed link, lies on a surface that link 1 carries on another placed
//         link: a sphere about a ball (a rod S–S, S–U, or `distance`), a cylinder about the axis of a C pair, or the plane of an E pair.
//         With q the coordinate of R or P, in the frame of the surface,
//           C(q) = c0 + c1 cos q + c2 sin q,   or   c0 + c1 q                                                       (1)
//           sphere  |C|² = L²   circle: Chace's case 5, line: case 4
//           plane   C·z = h     circle: case 7, line: case 6
//           cylinder C_x² + C_y² = ρ²   circle: case 8, a quartic; line: case 2 in the plane
//         Two links in line may carry the point instead of link 1: one turns on an axis and the other slides on it, or the other way round,
//         or both slide. What the point then sweeps is a quadric, or a plane: with z along the axis of the first of them and forms x_i linear
//         in the point,
//           turn, then slide along e   x² + y² = |c + s e|², s = (z − c_z)/e_z: a hyperboloid; e square to the axis: the plane z = c_z
//           slide, then turn about a   the circle about a, moved along z: a cylinder with elliptic base; a square to z: a plane
//           two slides                 a plane
//         circle: a quartic (case 3 has the slide along the axis), or case 7; line: case 2, or case 6
//         Or the other way round (RSCR): link 2 carries the cylinder or plane, and link 1's ball sits on a placed link; seen from link 2
//         that point turns or slides backwards.
// strut   A telescope between a placed ball and a placed U or ball (case 1): its length from their distance, then its direction.
// hang    A rod between two placed balls.
// spin    A link that hangs between two placed balls turns about the line through them until a rod from a third point fits: a sphere again.
// axes    Two links between placed ones by three R or C pairs (RCCC; a U is two R): the direction x of the middle axis from its angles
//         with the outer ones (two dot products),
//           x·a = cos α,  x·b = cos β,  |x| = 1                                                                     (2)
//         then the three slides, case 6.
// chain   What none of these places: links in line between two placed ones, by pairs that together are three freedoms and a ball (an arm
//         that reaches a point), or three turns and three slides (an arm that reaches a pose): arm.hpp. A C pair is R and P, U two R, E two P
//         and R.
//
// A rod between two balls may spin: it is turned from where it was by the smallest angle. Steps run on double and, for velocities and
// accelerations at once, on Series<2>.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <trammel/core/series.hpp>
#include <trammel/loops.hpp>

#include "loops/closed_form/arm.hpp"
#include "loops/closed_form/circle_meets.hpp"

namespace trammel::closed_form {

// Products with constants, which have no derivatives: a third of the work that a product of two series is.
template <class T>
Vec3<T> turned(const Mat3<T>& R, const Vec3d& v) {
  return {R.ex.x * v.x + R.ey.x * v.y + R.ez.x * v.z, R.ex.y * v.x + R.ey.y * v.y + R.ez.y * v.z,
          R.ex.z * v.x + R.ey.z * v.y + R.ez.z * v.z};
}
template <class T>
Mat3<T> turned(const Mat3<T>& R, const Mat3d& S) {
  return {turned(R, S.ex), turned(R, S.ey), turned(R, S.ez)};
}
template <class T>
Transform<T> placed(const Transform<T>& X_AB, const Transformd& X_BC) {
  return {turned(X_AB.R, X_BC.R), X_AB.p + turned(X_AB.R, X_BC.p)};
}
template <class T>
Vec3<T> turned_by(const Mat3d& R, const Vec3<T>& v) {
  return {v.x * R.ex.x + v.y * R.ey.x + v.z * R.ez.x, v.x * R.ex.y + v.y * R.ey.y + v.z * R.ez.y,
          v.x * R.ex.z + v.y * R.ey.z + v.z * R.ez.z};
}

class SpatialPlan {
 public:
  SpatialPlan(const Mechanism& mechanism, const std::vector<Driver>& drivers);

  bool exists() const { return obstacle_.empty(); }
  const std::string& obstacle() const { return obstacle_; }
  const std::vector<std::string>& words() const { return words_; }
  int step_count() const { return static_cast<int>(steps_.size()); }
  bool has_idle_links() const;  // those are placed as near as may be to a reference
  int mode_count(int step) const { return steps_[static_cast<std::size_t>(step)].modes; }

  template <class T>
  struct Poses {
    std::vector<Transform<T>> links;  // X_WL
    Transform<T> of(int link) const { return link < 0 ? Transform<T>{} : links[static_cast<std::size_t>(link)]; }
    // Rods that may spin are turned as little as possible from where they are here.
    const std::vector<Transformd>* reference = nullptr;
  };
  template <class T>
  Poses<T> poses() const {
    return {std::vector<Transform<T>>(static_cast<std::size_t>(mech_->link_count())), &drawn_};
  }

  template <class T>
  bool place(int step, int mode, std::span<const T> inputs, Poses<T>& poses) const;

  void read(const Poses<double>& poses, std::span<double> q) const;
  void read(const Poses<Series<2>>& poses, std::span<double> q, std::span<double> v, std::span<double> a) const;
  double distance(int step, const Poses<double>& one, const Poses<double>& other) const;
  void poses_at(std::span<const double> q, Poses<double>& result) const;  // from the tree, whether closed or not

 private:
  enum class Kind { carried, meet, spin, hang, axes, strut, chain };
  enum class Surface { sphere, cylinder, plane, swept };
  enum class Attitude { none, spins_freely, held_by_cross };  // of link 1 as a rod
  // A frame or a point fixed on a link.
  struct Frame {
    int link = -1;
    Transformd X;  // in the link's frame
  };
  struct Step {
    Kind kind = Kind::carried;
    int modes = 1;
    int link1 = -1, link2 = -1;  // −1 for link 1: a rod without coordinates
    std::vector<int> inputs;     // carried: the drivers of its coordinates
    // meet: link 2 turns or slides on `base`, its own frame of that pair is `moving`; its point `point` meets the surface.
    bool slides = false;
    Frame base, moving, point;
    Surface surface = Surface::sphere;
    // swept: link 0 on `centre`, link 1 on link 0; each pair turns or slides along z of its frames.
    int link0 = -1;
    bool slides0 = false, slides1 = false;
    Frame centre0, between0, between1;  // on link 0 towards the placed link and towards link 1; on link 1
    bool surface_moves = false;         // the surface is on link 2 and the point on a placed link
    Frame centre;                       // the surface's frame on the placed link: a ball's place, a C's or an E's frame
    Frame centre1, point1;              // the same and the point where they are on link 1
    double radius = 0;                  // of sphere or cylinder; height of the plane
    Attitude attitude = Attitude::none;
    Frame cross_out,
        cross_in;  // of a U: x of one frame on the neighbour, y of the other on link 1, or the other way round
    bool cross_x_out = true;  // the neighbour has x
    // spin: link 1 between two placed balls.
    Frame ball_a, ball_b, ball_a1, ball_b1;
    // axes: on the placed links, on link 1 and on link 2; z is the axis.
    Frame axis1, axis1_on1, axis2_on1, axis2_on2, axis3_on2, axis3;
    bool has_link1 = true;  // false: the cross of a U
    int chain = -1;         // which of chains_
  };
  // Links in line on a placed link, as freedoms that turn or slide; all in the frame of that link, with all coordinates zero.
  struct Chain {
    int base = -1;
    std::vector<ArmAxis> axes;  // three, or six
    struct ChainLink {
      int link = -1;
      std::size_t axes = 0;  // that carry it
      Transformd home;
    };
    std::vector<ChainLink> links;
    Vec3d point;   // three: of the last link, the ball's place;
    Frame ball;    // where that is on the placed link
    int end = -1;  // six: the placed link
    Transformd end_home;

    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
    using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
    // How the ball's place, or turn and place of the last link, move with the coordinates; lengths over `length`.
    Matrix rates(std::span<const double> q, double length) const;
    bool moves_anyhow(double length) const;
  };

  const Mechanism* mech_ = nullptr;
  std::vector<Transformd> drawn_;  // links as drawn
  std::vector<Step> steps_;
  std::vector<Chain> chains_;
  std::vector<std::string> words_;
  std::string obstacle_;
  double length_ = 1;
  // Per link: its joint's frames, on the first body and on the second.
  std::vector<std::pair<Frame, Frame>> joint_frames_;

  class Planner;

  template <class T>
  Transform<T> frame(const Poses<T>& poses, const Frame& f) const {
    if (f.link < 0) return Transform<T>::from(f.X);
    return placed(poses.links[static_cast<std::size_t>(f.link)], f.X);
  }
  template <class T>
  Vec3<T> place_of(const Poses<T>& poses, const Frame& f) const {
    if (f.link < 0) return Vec3<T>::from(f.X.p);
    const Transform<T>& X = poses.links[static_cast<std::size_t>(f.link)];
    return X.p + turned(X.R, f.X.p);
  }
  template <class T>
  void put(Poses<T>& poses, int link, const Transform<T>& X_WF, const Transformd& X_LF) const {
    poses.links[static_cast<std::size_t>(link)] = placed(X_WF, inverse(X_LF));
  }
  template <class T>
  struct Course {
    Vec3<T> c0, c1, c2;
  };
  template <class T>
  Course<T> course(const Step& s, const Transform<T>& X_WF, const Poses<T>& poses) const;
  template <class T>
  bool meet(const Step& s, int mode, Poses<T>& poses) const;
  // How link 1 was turned: idle links stay as near as may be to that; modes of a cross are counted from the drawing.
  template <class T>
  const Mat3d& reference(const Step& s, const Poses<T>& poses) const {
    const std::vector<Transformd>& from = s.attitude == Attitude::held_by_cross ? drawn_ : *poses.reference;
    return from[static_cast<std::size_t>(s.link1)].R;
  }
  template <class T>
  std::optional<Mat3<T>> turned_to_cross(const Step& s, int mode, const Vec3<T>& e, const Mat3<T>& R,
                                         const Poses<T>& poses) const;
  // What links 0 and 1 sweep.
  struct Sweep {
    Vec3d c, e, a, x,
        y;  // in the frame of the first pair, at zero: the point; direction or axis of the second pair; axes square to it
    Vec3d g;            // the second pair's place
    bool flat = false;  // a plane, met by two positions of the links
  };
  static Sweep sweep_of(const Step& s);
  template <class T>
  bool meet_swept(const Step& s, int mode, const Course<T>& course, OnCircle<T>& at, T& travel) const;
  template <class T>
  bool put_swept(const Step& s, int mode, Poses<T>& poses) const;
  template <class T>
  bool lay_strut(const Step& s, int mode, Poses<T>& poses) const;
  template <class T>
  bool lay_rod(const Step& s, int mode, const Vec3<T>& from, const Vec3<T>& to, Poses<T>& poses) const;
  template <class T>
  bool turn_spin(const Step& s, int mode, Poses<T>& poses) const;
  template <class T>
  bool turn_axes(const Step& s, int mode, Poses<T>& poses) const;
  template <class T>
  bool reach(const Chain& chain, int mode, Poses<T>& poses) const;
};

extern template bool SpatialPlan::place(int, int, std::span<const double>, Poses<double>&) const;
extern template bool SpatialPlan::place(int, int, std::span<const Series<2>>, Poses<Series<2>>&) const;

}  // namespace trammel::closed_form
