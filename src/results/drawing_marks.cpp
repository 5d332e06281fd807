// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_marks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace trammel::results {
namespace {

constexpr double hatch_spacing = 1.15, hatch_length = 0.95, foot_height = 3.1;  // in radii of a pin

class Seeing {
 public:
  Seeing(const Camera& camera, SeenThing& seen) : camera_(camera), seen_(seen) {}

  void operator()(const Line& line) { add_line(line.points, line.closed, line.ink, line.fill); }

  void operator()(const Circle& circle) { add_ring(circle.ring, circle.ink, circle.fill); }

  void operator()(const DrawnSolid& drawn) {
    if (!drawn.solid.convex) {
      add_faces(drawn);
      return;
    }
    const Outline outline = outline_of(drawn.solid);
    add(outline, drawn.ink, drawn.fill);
    const Ink edge = drawn.ink == Ink::link ? Ink::edge : drawn.ink;
    std::vector<Point2> whole;
    for (const Corner& corner : outline.corners) whole.push_back(corner.p);
    const double area =
        outline.is_circle() ? std::numbers::pi * outline.radius * outline.radius : std::abs(area_of(whole));
    const auto is_own = [&](const std::vector<Vec3d>& points) {  // neither the outline again, nor seen edge-on
      std::vector<Point2> flat(points.size());
      std::transform(points.begin(), points.end(), flat.begin(), [&](const Vec3d& p) { return flatten(p); });
      const double part = std::abs(area_of(flat));
      return part < 0.985 * area && part > 1e-6 * area;
    };
    for (const std::vector<Vec3d>& face : drawn.solid.faces) {
      const Vec3d normal = cross(face[1] - face[0], face[2] - face[1]);
      if (dot(normal, camera_.towards_viewer(face[0])) > 0 && is_own(face)) add_line(face, true, edge, Fill::none);
    }
    if (outline.is_circle()) return;
    for (const Ring& rim : drawn.solid.rims) {
      if (dot(rim.normal(), camera_.towards_viewer(rim.centre)) > 0 && is_own(points_of(rim)))
        add_ring(rim, edge, Fill::none);
    }
  }

  void operator()(const Foot& foot) {
    const double u = foot.size;
    const Vec3d v = camera_.towards_viewer(foot.p), down = -camera_.R.ey, right = camera_.R.ex;
    const bool has_axis = norm(foot.axis) > 0;
    const bool along = !has_axis || std::abs(dot(foot.axis, v)) > 0.7;
    Vec3d n, t;  // away from the joint, and along the ground
    if (along) {
      const Vec3d normal = has_axis && dot(foot.axis, v) < 0 ? -foot.axis : has_axis ? foot.axis : v;
      n = unit(square_to(down, normal));
      n = away_from_links(foot, n, v);
      t = cross(normal, n);
      if (is_leftward(t)) t = -t;
    } else {
      n = unit(cross(foot.axis, v));
      if (dot(n, down) < 0) n = -n;
      if (std::abs(dot(n, down)) < 0.35 && dot(n, right) > 0) n = -n;  // the axis is upright
      n = away_from_links(foot, n, v);
      t = is_leftward(foot.axis) ? -foot.axis : foot.axis;
    }
    const Vec3d base = foot.p + n * (foot_height * u);
    if (along) {
      add_line({foot.p, base - t * (1.9 * u), base + t * (1.9 * u)}, true, Ink::ground, Fill::paper);
    } else {
      add_line({foot.p - t * (0.9 * u), base - t * (0.9 * u), base + t * (0.9 * u), foot.p + t * (0.9 * u)}, true,
               Ink::ground, Fill::paper);
    }
    hatch(base, t, n, -3 * u, 3 * u, u);
  }

  void operator()(const Track& track) {
    const double u = track.size;
    const Vec3d v = camera_.towards_viewer(track.p), down = -camera_.R.ey, right = camera_.R.ex;
    const bool along = std::abs(dot(track.axis, v)) > 0.95;
    Vec3d n = along ? unit(square_to(down, track.axis)) : unit(cross(track.axis, v));
    if (dot(n, down) < 0) n = -n;
    if (std::abs(dot(n, down)) < 1e-6 && dot(n, right) > 0) n = -n;
    Vec3d t = along ? right : track.axis;
    double from = along ? -2.6 * u : track.from, to = along ? 2.6 * u : track.to;
    if (is_leftward(t)) t = -t, std::swap(from, to), from = -from, to = -to;
    for (const double side : {1.0, -1.0}) {
      if (side < 0 && !track.both_sides) continue;
      double offset = track.slide.empty() ? 1.3 * u : 0;
      for (const Solid& part : track.slide) offset = std::max(offset, reach(part, n * side) - dot(n * side, track.p));
      hatch(track.p + n * (side * offset), t, n * side, from, to, u);
    }
  }

  void operator()(const Socket& socket) {
    constexpr double half = 115 * std::numbers::pi / 180;
    const Vec3d c = socket.ball.centre, v = camera_.towards_viewer(c);
    Vec3d e = square_to(socket.carrier - c, v);
    const double radius = norm(socket.ball.axes.ex);
    if (norm(e) < 1e-3 * radius) e = square_to(-camera_.R.ey, v);
    const Ring arc{c, unit(e), cross(v, unit(e)), radius};
    if (camera_.is_parallel()) {
      const double bulge = std::tan(half / 4);
      Outline outline;
      outline.corners = {{flatten(arc.at(-half)), bulge}, {flatten(arc.at(0)), bulge}, {flatten(arc.at(half))}};
      add(outline, Ink::pair, Fill::none);
      return;
    }
    std::vector<Vec3d> points;
    for (int k = 0; k <= 32; ++k) points.push_back(arc.at(half * (k / 16.0 - 1)));
    add_line(points, false, Ink::pair, Fill::none);
  }

  void operator()(const PathTick& tick) {
    const Point2 p = flatten(tick.p), d = flatten(tick.after) - flatten(tick.before);
    const double length = length_of(d);
    if (!(length > 0)) return;
    const double size = tick.size * (camera_.is_parallel() ? 1 : camera_.distance / camera_.project(tick.p).depth);
    const Point2 across = Point2{-d.y, d.x} * (size / length);
    add(polygon_outline({p - across, p + across}, false), Ink::tick, Fill::none);
  }

 private:
  const Camera& camera_;
  SeenThing& seen_;

  Point2 flatten(const Vec3d& p) const {
    const Projected q = camera_.project(p);
    return {q.x, q.y};
  }

  void add(Outline outline, Ink ink, Fill fill) { seen_.marks.push_back({std::move(outline), ink, fill}); }

  void add_line(const std::vector<Vec3d>& points, bool closed, Ink ink, Fill fill) {
    std::vector<Point2> flat;
    Extent2 extent;
    for (const Vec3d& p : points) flat.push_back(flatten(p)), extent.take(flat.back());
    // A line seen along itself is nothing to be seen.
    double length = 0;
    for (const Vec3d& p : points) length = std::max(length, norm(p - points.front()));
    if (std::max(extent.width(), extent.height()) <= 1e-9 * length) return;
    add(polygon_outline(flat, closed), ink, fill);
  }

  void add_ring(const Ring& ring, Ink ink, Fill fill) {
    const double facing = std::abs(dot(ring.normal(), camera_.R.ez));
    if (camera_.is_parallel() && facing > 1 - 1e-12) {
      add(circle_outline(flatten(ring.centre), ring.radius), ink, fill);
    } else if (camera_.is_parallel() && facing < 1e-9) {
      const Vec3d across = unit(cross(ring.normal(), camera_.R.ez)) * ring.radius;
      add_line({ring.centre - across, ring.centre + across}, false, ink, Fill::none);
    } else {
      add_line(points_of(ring), true, ink, fill);
    }
  }

  void add_faces(const DrawnSolid& drawn) {
    std::vector<const std::vector<Vec3d>*> facing;
    for (const std::vector<Vec3d>& face : drawn.solid.faces) {
      const Vec3d normal = newell(face);
      if (dot(normal, camera_.towards_viewer(face[0])) > 1e-9 * norm(normal)) facing.push_back(&face);
    }
    const auto depth = [&](const std::vector<Vec3d>& face) {
      double sum = 0;
      for (const Vec3d& p : face) sum += camera_.project(p).depth;
      return sum / static_cast<double>(face.size());
    };
    std::stable_sort(facing.begin(), facing.end(), [&](const auto* a, const auto* b) { return depth(*a) > depth(*b); });
    for (const std::vector<Vec3d>* face : facing) add_line(*face, true, drawn.ink, drawn.fill);
  }

  // Twice the area of a flat polygon, along its normal.
  static Vec3d newell(const std::vector<Vec3d>& face) {
    Vec3d sum;
    for (std::size_t i = 0; i < face.size(); ++i)
      sum += cross(face[i] - face[0], face[(i + 1) % face.size()] - face[0]);
    return sum;
  }

  Outline outline_of(const Solid& solid) const {
    if (camera_.is_parallel() && solid.corners.empty()) {
      if (solid.rims.empty() && is_round(solid.balls)) {
        std::vector<Point2> centres;
        for (const Ball& ball : solid.balls) centres.push_back(flatten(ball.centre));
        return rounded_hull(centres, norm(solid.balls.front().axes.ex));
      }
      const bool is_cylinder = solid.balls.empty() && solid.rims.size() == 2;
      if (is_cylinder && std::abs(dot(solid.rims[0].normal(), camera_.R.ez)) > 1 - 1e-12)
        return circle_outline(flatten(solid.rims[0].centre), solid.rims[0].radius);
    }
    std::vector<Point2> points;
    const auto take = [&](const std::vector<Vec3d>& more) {
      for (const Vec3d& p : more) points.push_back(flatten(p));
    };
    take(solid.corners);
    for (const Ball& ball : solid.balls) take(contour_of(ball, camera_));
    for (const Ring& rim : solid.rims) take(points_of(rim));
    return polygon_outline(hull_of(std::move(points)), true);
  }

  // All of them spheres of one radius.
  static bool is_round(const std::vector<Ball>& balls) {
    const double radius = norm(balls.front().axes.ex);
    return radius > 0 && std::all_of(balls.begin(), balls.end(), [&](const Ball& ball) {
             const auto same = [&](const Vec3d& a) { return std::abs(norm(a) - radius) <= 1e-9 * radius; };
             return same(ball.axes.ex) && same(ball.axes.ey) && same(ball.axes.ez);
           });
  }

  // To the left in the picture, or straight down: so that hatching leans the same way whichever way an axis points.
  bool is_leftward(const Vec3d& t) const {
    const double x = dot(t, camera_.R.ex);
    return x < -1e-9 || (x < 1e-9 && dot(t, camera_.R.ey) < 0);
  }

  // The other way where all links go that way.
  static Vec3d away_from_links(const Foot& foot, const Vec3d& n, const Vec3d& v) {
    bool that_way = false, other_way = false;
    for (const Vec3d& p : foot.links) {
      const Vec3d link = square_to(p - foot.p, v);
      if (norm(link) <= foot.size) continue;
      that_way = that_way || dot(link, n) > 0.6 * norm(link);
      other_way = other_way || dot(link, n) < -0.3 * norm(link);
    }
    return that_way && !other_way ? -n : n;
  }

  // A line on the ground from base + from t to base + to t, with strokes on the side of n.
  void hatch(const Vec3d& base, const Vec3d& t, const Vec3d& n, double from, double to, double u) {
    add_line({base + t * from, base + t * to}, false, Ink::ground, Fill::none);
    const auto rises = [&](const Vec3d& d) { return dot(d, camera_.R.ex) * dot(d, camera_.R.ey) > 0; };
    const Vec3d lean = rises(n - t) ? n - t : n + t;  // like a slash
    const int count = std::clamp(static_cast<int>(std::round((to - from) / (hatch_spacing * u))), 3, 300);
    for (int k = 0; k < count; ++k) {
      const Vec3d p = base + t * (from + (to - from) * (k + 0.9) / count);
      add_line({p, p + lean * (hatch_length * u)}, false, Ink::hatch, Fill::none);
    }
  }
};

Vec3d middle_of(const Thing& thing) {
  for (const Part& part : thing.parts) {
    if (const auto* solid = std::get_if<DrawnSolid>(&part)) return centre_of(solid->solid);
  }
  Vec3d sum;
  double count = 0;
  for (const Part& part : thing.parts) {
    if (const auto* line = std::get_if<Line>(&part)) {
      for (const Vec3d& p : line->points) sum += p, ++count;
    } else if (const auto* circle = std::get_if<Circle>(&part)) {
      sum += circle->ring.centre, ++count;
    } else if (const auto* track = std::get_if<Track>(&part)) {
      sum += track->p, ++count;
    }
  }
  return sum * (1 / std::max(count, 1.0));
}

double size_of(const Thing& thing) {
  std::vector<Vec3d> points;
  for (const Part& part : thing.parts) {
    if (const auto* drawn = std::get_if<DrawnSolid>(&part)) add_extent(drawn->solid, points);
  }
  double size = 0;
  for (const Vec3d& p : points) size = std::max(size, norm(p - points.front()));
  return size;
}

// What is painted over what at the same depth, in radii of a pin.
double lead_of(Thing::Kind kind) {
  switch (kind) {
    case Thing::Kind::body:
      return 0;
    case Thing::Kind::path:
      return 1;
    case Thing::Kind::coupling:
      return 2;
    case Thing::Kind::constraint:
    case Thing::Kind::spring:
      return 2.5;
    case Thing::Kind::joint:
      return 3;
    case Thing::Kind::point:
      return 4;
  }
  return 0;
}

}  // namespace

std::vector<SeenThing> see(const Scene& scene, const Camera& camera) {
  std::vector<SeenThing> seen;
  for (const Thing& thing : scene.things) {
    SeenThing& one = seen.emplace_back(SeenThing{&thing, camera.project(middle_of(thing)).depth, {}});
    Seeing seeing(camera, one);
    for (const Part& part : thing.parts) std::visit(seeing, part);
  }
  const double u = scene.unit;
  std::unordered_map<int, double> nearest;  // of the parts of each body
  for (const SeenThing& one : seen) {
    if (one.thing->kind != Thing::Kind::body || one.thing->faint) continue;
    const auto [entry, is_first] = nearest.emplace(one.thing->body, one.depth);
    if (!is_first) entry->second = std::min(entry->second, one.depth);
  }
  double largest = 0;
  for (const SeenThing& one : seen) largest = std::max(largest, size_of(*one.thing));
  // Of two bodies as near as each other, the smaller one is before the larger.
  const auto lead_of_size = [&](const Thing& thing) {
    return thing.kind == Thing::Kind::body && largest > 0 ? 0.9 * (1 - size_of(thing) / largest) : 0.0;
  };
  std::vector<double> keys;
  for (const SeenThing& one : seen) {
    double depth = one.depth;
    for (const int body : one.thing->on) {
      const auto own = nearest.find(body);
      if (own != nearest.end()) depth = std::min(depth, own->second);
    }
    keys.push_back(depth - (lead_of(one.thing->kind) + lead_of_size(*one.thing)) * u);
  }
  std::vector<std::size_t> order(seen.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Depths that differ by round-off are the same.
  const auto step_of = [&](std::size_t i) { return std::llround(keys[i] / (0.01 * u)); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (seen[a].thing->faint != seen[b].thing->faint) return seen[a].thing->faint;
    return step_of(a) > step_of(b);
  });
  std::vector<SeenThing> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(seen[i]));
  return sorted;
}

Extent2 extent_of(const std::vector<SeenThing>& things) {
  Extent2 extent;
  for (const SeenThing& one : things) {
    for (const Mark& mark : one.marks) extent.take(mark.outline);
  }
  return extent;
}

}  // namespace trammel::results
