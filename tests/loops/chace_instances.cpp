// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0

#include "chace_instances.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace trammel::test {
namespace {

using chace::Arm;
using chace::Solution;
using chace::Vector;

// Unknowns of each case, for r, s, t.
constexpr std::array<std::array<Kind, 3>, 9> kinds = {{{Kind::free, Kind::none, Kind::none},
                                                       {Kind::cone, Kind::slide, Kind::none},
                                                       {Kind::cone, Kind::arm, Kind::none},
                                                       {Kind::sphere, Kind::slide, Kind::none},
                                                       {Kind::sphere, Kind::arm, Kind::none},
                                                       {Kind::slide, Kind::slide, Kind::slide},
                                                       {Kind::slide, Kind::slide, Kind::arm},
                                                       {Kind::slide, Kind::arm, Kind::arm},
                                                       {Kind::arm, Kind::arm, Kind::arm}}};

Part random_part(Kind kind, Random& random, Vector& made_from) {
  if (kind == Kind::none) return {};
  Part part{kind, {}};
  part.arm.cone =
      chace::cone_about(chace::axes_about(random.direction(), random.direction()), random.uniform(0.05, 3.09));
  part.arm.length = random.uniform(0.1, 2);
  const double sign = random.chance(0.5) ? 1 : -1;
  switch (kind) {
    case Kind::slide:
      made_from = {part.w() * (sign * part.arm.length), sign * part.arm.length};
      break;
    case Kind::cone:
      made_from = vector_at(part.arm.cone, sign * part.arm.length, random.uniform(-Random::pi, Random::pi));
      break;
    case Kind::free:
    case Kind::sphere:
      made_from = {random.direction() * part.arm.length, part.arm.length};
      break;
    default:
      made_from = vector_at(part.arm, random.uniform(-Random::pi, Random::pi));
  }
  return part;
}

template <int capacity>
Answer answer_of(const chace::Solutions<capacity>& found) {
  return {found.status, found.limit, found.margin, {found.begin(), found.end()}};
}

double error_of(const Part& part, const Vector& v) {
  const double along = dot(v.v, part.w()), size = norm(v.v);
  switch (part.kind) {
    case Kind::none:
      return size + std::abs(v.length);
    case Kind::free:
      return std::abs(size - v.length);
    case Kind::cone:
      return std::max(std::abs(size - std::abs(v.length)), std::abs(along - v.length * part.arm.cone.cos_polar));
    case Kind::sphere:
      return std::max(std::abs(size - part.arm.length), std::abs(v.length - part.arm.length));
    case Kind::slide:
      return norm(v.v - part.w() * v.length);
    case Kind::arm:
      return std::max(
          {std::abs(size - part.arm.length), std::abs(along - part.arm.axial()), std::abs(v.length - part.arm.length)});
  }
  return 0;
}

void add_directions(const Part& part, const Vector& v, std::vector<Vec3d>& directions) {
  const auto unit = [](const Vec3d& a) { return norm(a) > 0 ? a * (1 / norm(a)) : a; };
  if (part.kind == Kind::slide) directions.push_back(part.w());
  if (part.kind == Kind::cone) directions.push_back(unit(v.v));
  if (part.kind == Kind::cone || part.kind == Kind::arm) directions.push_back(unit(cross(part.w(), v.v)));
  if (part.kind == Kind::sphere || part.kind == Kind::free) {
    const chace::Axes axes = chace::axes_about(unit(v.v));
    directions.push_back(axes.l);
    directions.push_back(axes.m);
    if (part.kind == Kind::free) directions.push_back(axes.w);
  }
}

Part turned(Part part, const Mat3d& R) {
  chace::Axes& axes = part.arm.cone.axes;
  axes = {R * axes.l, R * axes.m, R * axes.w};
  return part;
}
Part scaled(Part part, double factor) {
  part.arm.length *= factor;
  return part;
}

}  // namespace

Answer solve(const Instance& i) {
  switch (i.number) {
    case 1:
      return answer_of(chace::case1(i.C));
    case 2:
      return answer_of(chace::case2(i.r.arm.cone, i.s.w(), i.C));
    case 3:
      return answer_of(chace::case3(i.r.arm.cone, i.s.arm, i.C));
    case 4:
      return answer_of(chace::case4(i.r.arm.length, i.s.w(), i.C));
    case 5:
      return answer_of(chace::case5(i.r.arm.length, i.s.arm, i.C));
    case 6:
      return answer_of(chace::case6(i.r.w(), i.s.w(), i.t.w(), i.C));
    case 7:
      return answer_of(chace::case7(i.r.w(), i.s.w(), i.t.arm, i.C));
    case 8:
      return answer_of(chace::case8(i.r.w(), i.s.arm, i.t.arm, i.C));
    case 9:
      return answer_of(chace::case9(i.r.arm, i.s.arm, i.t.arm, i.C));
    default:
      throw std::out_of_range("cases are 1 to 9");
  }
}

Instance random_instance(int number, Random& random) {
  const auto& kind = kinds.at(static_cast<std::size_t>(number - 1));
  Instance instance;
  Solution& s = instance.made_from;
  instance.number = number;
  instance.r = random_part(kind[0], random, s.r);
  instance.s = random_part(kind[1], random, s.s);
  instance.t = random_part(kind[2], random, s.t);
  instance.C = -(s.r.v + s.s.v + s.t.v);
  instance.size = std::max({norm(instance.C), norm(s.r.v), norm(s.s.v), norm(s.t.v)});
  return instance;
}

double error_of(const Instance& i, const Solution& s) {
  // Found lengths may exceed the given ones by far where a solution is near infinity.
  const double size = std::max({i.size, norm(s.r.v), norm(s.s.v), norm(s.t.v)});
  return std::max({norm(s.r.v + s.s.v + s.t.v + i.C), error_of(i.r, s.r), error_of(i.s, s.s), error_of(i.t, s.t)}) /
         size;
}

double difference(const Instance& i, const Solution& a, const Solution& b) {
  const auto of = [](const Vector& x, const Vector& y) {
    return std::max(norm(x.v - y.v), std::abs(x.length - y.length));
  };
  return std::max({of(a.r, b.r), of(a.s, b.s), of(a.t, b.t)}) / i.size;
}

double distance_to_closest(const Instance& instance, const std::vector<Solution>& all, const Solution& one) {
  double least = 1e300;
  for (const Solution& solution : all) least = std::min(least, difference(instance, solution, one));
  return least;
}

std::array<Vec3d, 3> directions(const Instance& i, const Solution& s) {
  std::vector<Vec3d> all;
  add_directions(i.r, s.r, all);
  add_directions(i.s, s.s, all);
  add_directions(i.t, s.t, all);
  return {all.at(0), all.at(1), all.at(2)};
}
double determinant(const Instance& i, const Solution& s) {
  const auto [a, b, c] = directions(i, s);
  return dot(a, cross(b, c));
}

Instance random_dead_point(int number, Random& random) {
  while (true) {
    Instance i = random_instance(number, random);
    Part& turns = number == 2 ? i.r : number == 4 ? i.r : i.t.kind == Kind::arm ? i.t : i.s;
    Vector& v = number == 2 || number == 4 ? i.made_from.r : i.t.kind == Kind::arm ? i.made_from.t : i.made_from.s;
    if (number == 4) {  // the rod square to the slide
      v.v = cross(i.s.w(), random.direction());
      v.v = v.v * (v.length / norm(v.v));
    } else {  // an azimuth at which the determinant changes its sign
      const auto determinant_at = [&](double angle) {
        v = vector_at(turns.arm.cone, v.length, angle);
        return determinant(i, i.made_from);
      };
      double low = random.uniform(-Random::pi, Random::pi), high = low + 0.3;
      const bool rises = determinant_at(high) > 0;
      if ((determinant_at(low) > 0) == rises) continue;
      while (0.5 * (low + high) > low && 0.5 * (low + high) < high) {
        const double middle = 0.5 * (low + high);
        ((determinant_at(middle) > 0) == rises ? high : low) = middle;
      }
    }
    i.C = -(i.made_from.r.v + i.made_from.s.v + i.made_from.t.v);
    i.size = std::max({norm(i.C), norm(i.made_from.r.v), norm(i.made_from.s.v), norm(i.made_from.t.v)});
    return i;
  }
}

Instance beside_dead_point(const Instance& instance, double by) {
  const auto [a, b, c] = directions(instance, instance.made_from);
  Vec3d normal = cross(a, b);
  for (const Vec3d& other : {cross(b, c), cross(c, a)}) {
    if (norm(other) > norm(normal)) normal = other;
  }
  Instance moved = instance;
  moved.C += normal * (by * instance.size / norm(normal));
  return moved;
}

Instance turned(const Instance& i, const Mat3d& R) {
  return {i.number, turned(i.r, R), turned(i.s, R), turned(i.t, R), R * i.C, turned(i.made_from, R), i.size};
}
Instance scaled(const Instance& i, double f) {
  return {i.number, scaled(i.r, f), scaled(i.s, f), scaled(i.t, f), i.C * f, scaled(i.made_from, f), i.size * f};
}
Solution turned(const Solution& s, const Mat3d& R) {
  return {{R * s.r.v, s.r.length}, {R * s.s.v, s.s.length}, {R * s.t.v, s.t.length}, s.mode, s.double_root};
}
Solution scaled(const Solution& s, double f) {
  const auto times = [f](const Vector& v) { return Vector{v.v * f, v.length * f}; };
  return {times(s.r), times(s.s), times(s.t), s.mode, s.double_root};
}

std::string text_of(const Instance& i) {
  const auto vector = [](const Vec3d& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); };
  const auto part = [&](const Part& p) {
    return fmt::format("w {} cos φ {} sin φ {} length {}", vector(p.w()), p.arm.cone.cos_polar, p.arm.cone.sin_polar,
                       p.arm.length);
  };
  return fmt::format("case {}\nr {}\ns {}\nt {}\nC {}", i.number, part(i.r), part(i.s), part(i.t), vector(i.C));
}

}  // namespace trammel::test
