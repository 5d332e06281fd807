// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What changes in a scene, before it is written: channels over an axis, poses over a coarser one, and what refers to them.

#include <string>
#include <vector>

#include <trammel/mechanism.hpp>

#include "scene/bundle.hpp"

namespace trammel::scene {

struct Column {
  std::string name, unit, group, frame = {};
  bool hidden = false;    // not offered for plots
  bool at_poses = false;  // over the axis of the poses, not that of the series
  std::vector<float> values = {};
};

struct Poses {
  std::vector<int> bodies;
  std::vector<double> axis;
  std::vector<float> values;  // [sample][body][7]
  bool has_own_axis = false;  // otherwise they are at the samples of the series

  std::size_t width() const { return 7 * bodies.size(); }
  std::size_t count() const { return axis.size(); }
};

struct Series {
  std::string axis_name = "t", axis_unit = "s";
  std::vector<double> axis;
  std::vector<Column> columns;
  Poses poses;
  Json arrows = Json::array(), instant_centres = Json::array(), ellipsoids = Json::array(), events = Json::array(),
       plots = Json::array();

  // The index of a new channel; the first of three hidden ones "NAME.x", "NAME.y", "NAME.z" over the poses.
  int add(Column column);
  int add_vector(const std::string& name, const std::string& unit, const std::string& group);
  void put(int first, const Vec3d& v);    // at the next sample of the three
  int find(std::string_view name) const;  // −1: there is none
};

// A pose as seven numbers.
void put_pose(const Transformd& X, std::vector<float>& out);
Json json_of(const Transformd& X);
Json json_of(const Vec3d& p);

// The bodies that move.
std::vector<int> moving_bodies(const Mechanism& mechanism);

// With at most so many rows and poses. Of every stretch of rows each channel keeps its least and largest value, in the order in which they
// came, at the beginning and at the middle of the stretch; the first and the last row stay as they are.
Series thinned(const Series& series, std::size_t rows, std::size_t poses);

Json write(const Series& series, Bundle& bundle);

}  // namespace trammel::scene
