// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "scene/series.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::scene {
namespace {

using At = std::size_t;

// Where least and largest of some values stand, the one that comes first first; NaN are passed over.
struct Extremes {
  At first = 0, second = 0;
};
Extremes extremes_of(const std::vector<float>& values, At begin, At end) {
  At least = begin, largest = begin;
  for (At i = begin; i < end; ++i) {
    if (std::isnan(values[i])) continue;
    if (std::isnan(values[least]) || values[i] < values[least]) least = i;
    if (std::isnan(values[largest]) || values[i] > values[largest]) largest = i;
  }
  return {std::min(least, largest), std::max(least, largest)};
}

// Boundaries of `count` stretches of about equal length of rows 1 … n − 2.
std::vector<At> stretches(At n, At count) {
  std::vector<At> ends;
  for (At k = 0; k <= count; ++k) ends.push_back(1 + k * (n - 2) / count);
  return ends;
}

void thin_columns(Series& series, At rows) {
  const At n = series.axis.size();
  if (n <= std::max<At>(rows, 4)) return;
  const At count = std::max<At>(1, (std::max<At>(rows, 4) - 2) / 2);
  const std::vector<At> ends = stretches(n, count);
  std::vector<double> axis{series.axis.front()};
  for (At k = 0; k < count; ++k) {
    axis.push_back(series.axis[ends[k]]);
    axis.push_back(series.axis[std::max(ends[k] + 1, (ends[k] + ends[k + 1]) / 2)]);
  }
  axis.push_back(series.axis.back());
  for (Column& column : series.columns) {
    if (column.at_poses) continue;
    std::vector<float> values{column.values.front()};
    for (At k = 0; k < count; ++k) {
      const Extremes kept = extremes_of(column.values, ends[k], ends[k + 1]);
      values.push_back(column.values[kept.first]);
      values.push_back(column.values[kept.second]);
    }
    values.push_back(column.values.back());
    column.values = std::move(values);
  }
  series.axis = std::move(axis);
}

// Every so many, first and last among them.
void thin_poses(Series& series, At count) {
  const At n = series.poses.count();
  if (n <= std::max<At>(count, 2)) return;
  const At most = std::max<At>(count, 2), width = series.poses.width();
  std::vector<At> kept;
  for (At k = 0; k < most; ++k) kept.push_back(k * (n - 1) / (most - 1));
  Poses poses{series.poses.bodies, {}, {}, series.poses.has_own_axis};
  for (const At s : kept) {
    poses.axis.push_back(series.poses.axis[s]);
    const auto begin = series.poses.values.begin() + static_cast<std::ptrdiff_t>(s * width);
    poses.values.insert(poses.values.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  for (Column& column : series.columns) {
    if (!column.at_poses) continue;
    std::vector<float> values;
    for (const At s : kept) values.push_back(column.values[s]);
    column.values = std::move(values);
  }
  series.poses = std::move(poses);
}

Json write(const Column& column, bool poses_have_axis, Bundle& bundle) {
  Json out{{"name", column.name}, {"unit", column.unit}, {"group", column.group}};
  if (!column.frame.empty()) out["frame"] = column.frame;
  if (column.hidden) out["hidden"] = true;
  if (column.at_poses && poses_have_axis) out["axis"] = "poses";
  out["values"] = bundle.numbers(std::span<const float>(column.values));
  return out;
}

Json write(const Poses& poses, Bundle& bundle) {
  const At n = poses.count(), width = poses.width();
  std::vector<float> by_component(poses.values.size());
  for (At s = 0; s < n; ++s) {
    for (At c = 0; c < width; ++c) by_component[c * n + s] = poses.values[s * width + c];
  }
  Json out{{"bodies", poses.bodies}, {"values", bundle.numbers(std::span<const float>(by_component))}};
  if (poses.has_own_axis) out["axis"] = bundle.grid(poses.axis);
  return out;
}

}  // namespace

int Series::add(Column column) {
  columns.push_back(std::move(column));
  return static_cast<int>(columns.size()) - 1;
}
int Series::add_vector(const std::string& name, const std::string& unit, const std::string& group) {
  const int first = static_cast<int>(columns.size());
  for (const char* part : {".x", ".y", ".z"}) add({name + part, unit, group, "world", true, true});
  return first;
}
void Series::put(int first, const Vec3d& v) {
  auto column = columns.begin() + first;
  for (const double x : {v.x, v.y, v.z}) (column++)->values.push_back(static_cast<float>(x));
}
int Series::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return !c.hidden && c.name == name; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

void put_pose(const Transformd& X, std::vector<float>& out) {
  const Quaternion<double> q = quaternion_of(X.R);
  for (const double x : {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z}) out.push_back(static_cast<float>(x));
}
Json json_of(const Transformd& X) {
  const Quaternion<double> q = quaternion_of(X.R);
  return Json::array({X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z});
}
Json json_of(const Vec3d& p) { return Json::array({p.x, p.y, p.z}); }

std::vector<int> moving_bodies(const Mechanism& mech) {
  std::vector<int> moving;
  for (int b = 0; b < mech.body_count(); ++b) {
    if (mech.link_of_body[static_cast<At>(b)] != ground) moving.push_back(b);
  }
  return moving;
}

Series thinned(const Series& series, std::size_t rows, std::size_t poses) {
  Series out = series;
  thin_columns(out, rows);
  thin_poses(out, poses);
  return out;
}

Json write(const Series& series, Bundle& bundle) {
  Json out;
  out["axis"] = {{"name", series.axis_name}, {"unit", series.axis_unit}, {"values", bundle.grid(series.axis)}};
  if (series.poses.count() > 0) out["poses"] = write(series.poses, bundle);
  out["channels"] = Json::array();
  for (const Column& column : series.columns)
    out["channels"].push_back(write(column, series.poses.has_own_axis, bundle));
  const auto add = [&](const char* key, const Json& list) {
    if (!list.empty()) out[key] = list;
  };
  add("plots", series.plots);
  add("events", series.events);
  add("arrows", series.arrows);
  add("instant_centres", series.instant_centres);
  add("ellipsoids", series.ellipsoids);
  return out;
}

}  // namespace trammel::scene
