// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_scene.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::results {
namespace {

bool is_finite(const Vec3d& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

void add_path(const DrawnPath& path, int number, double u, Scene& scene) {
  Thing thing{.kind = Thing::Kind::path, .name = path.name, .body = number};
  std::vector<Vec3d> run;
  const auto finish = [&] {
    if (run.size() > 1) thing.parts.emplace_back(Line{run, false, Ink::path});
    run.clear();
  };
  for (const Vec3d& p : path.points) {
    if (!is_finite(p)) {
      finish();
    } else {
      run.push_back(p);
    }
  }
  finish();
  for (const std::size_t k : path.ticks) {
    if (k >= path.points.size() || !is_finite(path.points[k])) continue;
    const Vec3d& p = path.points[k];
    const Vec3d& before = k > 0 && is_finite(path.points[k - 1]) ? path.points[k - 1] : p;
    const Vec3d& after = k + 1 < path.points.size() && is_finite(path.points[k + 1]) ? path.points[k + 1] : p;
    thing.parts.emplace_back(PathTick{p, before, after, 0.75 * u});
  }
  if (!thing.parts.empty()) scene.things.push_back(std::move(thing));
}

}  // namespace

void add_points(const Subject& subject, Scene& scene) {
  for (std::size_t k = 0; k < subject.drawing.paths.size(); ++k) {
    add_path(subject.drawing.paths[k], static_cast<int>(k), subject.unit, scene);
  }
  for (const OutputInfo& output : subject.mechanism.outputs) {
    const Vec3d p = subject.X_WB(output.body) * output.p_B;
    Thing thing{.kind = Thing::Kind::point, .name = output.name, .on = {output.body}};
    const Mat3d R = subject.X_WB(output.body).R;
    thing.parts.emplace_back(DrawnSolid{rounded({p}, R, 0.5 * subject.unit), Ink::point, Fill::ink});
    scene.things.push_back(std::move(thing));
    const bool is_named = std::any_of(scene.names.begin(), scene.names.end(), [&](const Name& name) {
      return name.text == output.name && name.kind == Thing::Kind::joint &&
             norm(name.at.front() - p) < 1e-3 * subject.unit;
    });
    if (!is_named) scene.names.push_back({Thing::Kind::point, output.name, {p}, 0.9 * subject.unit, -1});
  }
}

Scene build_scene(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing, double unit_length) {
  Scene scene;
  scene.unit = unit_length;
  for (const DrawnPosition& position : drawing.others) {
    const Subject subject{model, mechanism, drawing, position, true, unit_length};
    add_bodies(subject, scene);
    add_pairs(subject, scene);
    add_constraints(subject, scene);
  }
  const Subject subject{model, mechanism, drawing, drawing.position, false, unit_length};
  add_bodies(subject, scene);
  add_pairs(subject, scene);
  add_couplings(subject, scene);
  add_constraints(subject, scene);
  add_points(subject, scene);
  return scene;
}

std::vector<Vec3d> extent_of(const Scene& scene) {
  std::vector<Vec3d> points;
  for (const Thing& thing : scene.things) {
    for (const Part& part : thing.parts) {
      if (const auto* line = std::get_if<Line>(&part)) {
        points.insert(points.end(), line->points.begin(), line->points.end());
      } else if (const auto* circle = std::get_if<Circle>(&part)) {
        Solid disc;
        disc.rims = {circle->ring};
        add_extent(disc, points);
      } else if (const auto* solid = std::get_if<DrawnSolid>(&part)) {
        add_extent(solid->solid, points);
      } else if (const auto* foot = std::get_if<Foot>(&part)) {
        for (const Vec3d& d : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
          points.push_back(foot->p + d * (4 * foot->size));
          points.push_back(foot->p - d * (4 * foot->size));
        }
      } else if (const auto* track = std::get_if<Track>(&part)) {
        points.push_back(track->p + track->axis * track->from);
        points.push_back(track->p + track->axis * track->to);
      }
    }
  }
  return points;
}

}  // namespace trammel::results
