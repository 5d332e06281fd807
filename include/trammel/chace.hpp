// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chace's tetrahedron equation in closed form: three vectors and a known one that close a loop,
//
//   r + s + t + C = 0
//
// Three of the nine numbers (length, azimuth θ and polar angle φ of each vector) are unknown, the others are known. There are nine cases;
// each has its function below, which gives all real solutions. Vectors that are known altogether are added up into C.
//
//   case  unknown      geometry                             solutions at most
//    1    r, θr, φr    any vector                           1
//    2    r, θr; s     a line meets a cone                  2
//    3    r, θr; θs    a circle meets a cone                4
//    4    θr, φr; s    a line meets a sphere                2
//    5    θr, φr; θs   a circle meets a sphere              2
//    6    r; s; t      three slides                         1
//    7    r; s; θt     a plane meets a circle               2
//    8    r; θs; θt    circles seen along a line            4
//    9    θr; θs; θt   three circles                        8
//
// A type says what is known of a vector:
//   Cone     azimuth and length unknown        Arm        azimuth unknown
//   a unit vector: length unknown              a length:  direction unknown
//
// Lengths that are found carry a sign: negative means against the given direction, or on the other half of the cone. Known lengths are
// not negative. Directions and axes have unit length. Nothing here allocates, prints or throws; the same input gives the same bytes.
//
//   const Solutions<2> found = case5(coupler, {cone_about(axes_about(z, x), pi / 2), rocker}, C);      // a planar four-bar
//   const int k = find_mode(found, 0);
//   const double angle = azimuth(rocker_axes, found[k].s);
//
// [M. A. Chace, Vector analysis of linkages, J. Eng. Industry 85 (1963), has the nine cases; the derivations are our own and stand above
// the code of each case in src/loops/chace/]

#include <array>
#include <span>

#include <trammel/spatial/vector.hpp>

namespace trammel::chace {

// --- what is known ------------------------------------------------------------------------------------------------------

// Unit vectors, square to each other, right-handed. θ turns about w, from l towards m; φ is counted from w.
struct Axes {
  Vec3d l{1, 0, 0}, m{0, 1, 0}, w{0, 0, 1};
};
Axes axes_about(const Vec3d& w);  // l is that world axis which is most square to w, made square
Axes axes_about(const Vec3d& w,
                const Vec3d& reference);  // l points along the part of the reference that is square to w

// All vectors at the polar angle φ from w.
struct Cone {
  Axes axes;
  double cos_polar = 0, sin_polar = 1;
};
Cone cone_about(const Axes& axes, double polar);  // 0 ≤ φ ≤ π; cos and sin below 1e-15 are taken for zero: π/2 is flat

// A cone whose length is known too: its tip runs on a circle.
struct Arm {
  Cone cone;
  double length = 0;

  double axial() const { return length * cone.cos_polar; }
  double radial() const { return length * cone.sin_polar; }
};

// --- what is found ------------------------------------------------------------------------------------------------------

// One vector of the loop and its length, which may be negative: v = length · direction.
struct Vector {
  Vec3d v{};
  double length = 0;
};
// Of the direction of a vector, in (−π, π] and [0, π]; 0 for a vector of length zero.
double azimuth(const Axes& axes, const Vector& vector);
double polar_angle(const Axes& axes, const Vector& vector);
Vector vector_at(const Cone& cone, double length, double azimuth);
Vector vector_at(const Arm& arm, double azimuth);

struct Solution {
  Vector r, s, t;  // zero where the case has none
  // Which branch it lies on (KAM's solution mode). With two solutions 0 belongs to the positive root, 1 to the negative. With more
  // it is the place in the order of azimuths, and changes when others appear: there follow a branch by find_nearest().
  int mode = 0;
  bool double_root = false;  // a dead point: two solutions have met here
};

enum class Status {
  solved,        // finitely many solutions, all given
  none,          // no real solution
  undetermined,  // a continuum of them; none is given
  invalid  // not finite, a direction that is no unit vector (to 1e-9), a negative length, axes not square to each other
};

// What is special about the data. `solved` may go with any of them.
enum class Limit {
  regular,
  zero_vector,            // a vector of length zero comes out: its direction is free
  flat_cone,              // cos φ = 0: the cone is a plane
  needle_cone,            // sin φ = 0, or an arm without length: no azimuth, one equation too many
  slide_along_generator,  // case 2: the line is parallel to a generator of the cone, one root is at infinity
  parallel_axes,          // of circles or cones, or an axis parallel to C
  parallel_slides,        // cases 6, 7
  coplanar_slides,        // case 6
  circle_in_slide_plane,  // case 7: the circle lies in a plane parallel to both slides
  slide_square_to_axes,   // case 8: r̂·w_s = r̂·w_t = 0
  movable                 // the loop moves: the polynomial of case 3, 8 or 9 vanishes identically
};
const char* name_of(Status status);
const char* name_of(Limit limit);

template <int capacity>
struct Solutions {
  Status status = Status::none;
  Limit limit = Limit::regular;
  // How far from a dead point: positive where there are solutions, zero where two of them meet, negative where there are none.
  // A pure number, at most 1 in size, which runs like the square of the distance between the two solutions: a discriminant. Of several
  // pairs of solutions it is the pair closest to meeting, real or not. Where no pair can meet (cases 1, 6, most limits)
  // it says how independent the directions are or, negative, by how much the data contradict each other.
  double margin = 0;
  int count = 0;
  std::array<Solution, capacity> solution;

  const Solution& operator[](int k) const { return solution[static_cast<std::size_t>(k)]; }
  const Solution* begin() const { return solution.data(); }
  const Solution* end() const { return solution.data() + count; }
  operator std::span<const Solution>() const { return {solution.data(), static_cast<std::size_t>(count)}; }
};

// Of a case with two solutions the one on a branch, by its index: −1 where there is none. A double root lies on both.
int find_mode(std::span<const Solution> solutions, int mode);
// The one whose vectors differ least from those of another solution, at a position before; −1 where there is none.
int find_nearest(std::span<const Solution> solutions, const Solution& previous);

// --- the nine cases -----------------------------------------------------------------------------------------------------

Solutions<1> case1(const Vec3d& C);
Solutions<2> case2(const Cone& r, const Vec3d& s_direction, const Vec3d& C);  // mode: see case2_cone_and_slide.cpp
Solutions<4> case3(const Cone& r, const Arm& s, const Vec3d& C);              // in the order of θs
Solutions<2> case4(double r, const Vec3d& s_direction, const Vec3d& C);       // mode 0: the larger s
Solutions<2> case5(double r, const Arm& s, const Vec3d& C);                   // mode 0: s·(w×C) > 0
Solutions<1> case6(const Vec3d& r_direction, const Vec3d& s_direction, const Vec3d& t_direction, const Vec3d& C);
Solutions<2> case7(const Vec3d& r_direction, const Vec3d& s_direction, const Arm& t,
                   const Vec3d& C);  // mode 0: t·(w×(r̂×ŝ)) > 0
Solutions<4> case8(const Vec3d& r_direction, const Arm& s, const Arm& t,
                   const Vec3d& C);                                            // in the order of θs, then θt
Solutions<8> case9(const Arm& r, const Arm& s, const Arm& t, const Vec3d& C);  // in the order of θr, then θs

// --- two dot products ---------------------------------------------------------------------------------------------------

// All x with x·a = A, x·b = B, |x|² = N: a line meets a sphere. It gives directions from two angles, for bent links, universal
// pairs, and spherical triangles. a and b have any length. First the x with x·(a×b) > 0.
struct TwoDots {
  Status status = Status::none;
  Limit limit = Limit::regular;
  double margin = 0;  // as in Solutions
  int count = 0;
  bool double_root = false;
  std::array<Vec3d, 2> x;
};
TwoDots solve_two_dots(const Vec3d& a, double A, const Vec3d& b, double B, double N);

}  // namespace trammel::chace
