// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random instances of the nine cases of Chace's equation, each made from a solution, so that one is known; what is unknown in each
// case; and how far an answer is from meeting its conditions.

#include <array>
#include <string>
#include <vector>

#include <trammel/chace.hpp>

#include "support/random.hpp"

namespace trammel::test {

// What is known of one vector.
enum class Kind { none, free, cone, sphere, slide, arm };
struct Part {
  Kind kind = Kind::none;
  chace::Arm arm;  // a cone is an arm whose length does not count, a sphere has only that, a slide runs along w

  const Vec3d& w() const { return arm.cone.axes.w; }
};

struct Instance {
  int number = 1;  // the case
  Part r, s, t;
  Vec3d C{};
  chace::Solution made_from;
  double size = 0;  // the largest length
};

// An answer of any case.
struct Answer {
  chace::Status status = chace::Status::none;
  chace::Limit limit = chace::Limit::regular;
  double margin = 0;
  std::vector<chace::Solution> solutions;
};

Answer solve(const Instance& instance);

// A random instance; `number` from 1 to 9.
Instance random_instance(int number, Random& random);

// A random instance made from a dead point; `number` with solutions that can meet: not 1, not 6.
Instance random_dead_point(int number, Random& random);
// The same with C moved along the direction that the unknowns do not reach, by a part of the size: two solutions part, or vanish.
Instance beside_dead_point(const Instance& instance, double by);

// The worst of: gap of the loop, errors of lengths and of products with axes; as parts of the instance's size.
double error_of(const Instance& instance, const chace::Solution& solution);

// The largest difference of vectors and lengths, as part of the instance's size.
double difference(const Instance& instance, const chace::Solution& a, const chace::Solution& b);
// To the closest of several.
double distance_to_closest(const Instance& instance, const std::vector<chace::Solution>& all,
                           const chace::Solution& one);

// The directions in which the three unknowns move the loop, as unit vectors, and their determinant: zero at dead points.
std::array<Vec3d, 3> directions(const Instance& instance, const chace::Solution& solution);
double determinant(const Instance& instance, const chace::Solution& solution);

Instance turned(const Instance& instance, const Mat3d& R);
Instance scaled(const Instance& instance, double factor);
chace::Solution turned(const chace::Solution& solution, const Mat3d& R);
chace::Solution scaled(const chace::Solution& solution, double factor);

std::string text_of(const Instance& instance);

}  // namespace trammel::test
