// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "scene/recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <trammel/scene.hpp>
#include <trammel/simulation.hpp>

#include "contact/touch.hpp"
#include "scene/state_things.hpp"

namespace trammel::scene {
namespace {

using At = std::size_t;

constexpr double wanted_poses = 6000, most_rate = 240, least_rate = 30;  // of moments with poses, and of them a second
constexpr At most_events = 5000;
constexpr At lines_of_a_plot = 6;

// Columns of a recording by name; empty where one of them is missing.
std::vector<At> columns_of(const Recording& recording, const std::vector<std::string>& names) {
  std::vector<At> columns;
  for (const std::string& name : names) {
    const int found = recording.find_channel(name);
    if (found < 0) return {};
    columns.push_back(static_cast<At>(found));
  }
  return columns;
}

std::vector<std::string> pose_names(const std::string& body) {
  std::vector<std::string> names;
  for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"}) names.push_back(body + "." + part);
  return names;
}

// Rows that become poses: evenly spaced in time, the last one among them, and none twice at one time.
std::vector<At> rows_with_poses(const std::vector<double>& t) {
  std::vector<At> rows;
  if (t.empty()) return rows;
  const double span = t.back() - t.front();
  const double rate = std::clamp(wanted_poses / std::max(span, 1e-9), least_rate, most_rate);
  double next = -infinity;
  for (At r = 0; r < t.size(); ++r) {
    const bool last = r + 1 == t.size();
    if (!last && t[r] < next - 1e-9 / rate) continue;
    if (!rows.empty() && !(t[r] > t[rows.back()])) continue;
    rows.push_back(r);
    next = (rows.size() == 1 ? t[r] : std::max(next, t[r] - 1 / rate)) + 1 / rate;
  }
  return rows;
}

}  // namespace

Json arrows_along(const Mechanism& mech, const std::function<int(const std::string&)>& find) {
  Json arrows = Json::array();
  const auto vector_at = [&](const std::string& first) {
    const int x = find(first + "x"), y = find(first + "y"), z = find(first + "z");
    return x < 0 || y < 0 || z < 0 ? Json() : Json{x, y, z};
  };
  const auto add = [&](const std::string& name, const char* kind, const char* unit, Json at, const Json& vector) {
    if (vector.empty()) return;
    arrows.push_back({{"name", name}, {"kind", kind}, {"unit", unit}, {"at", std::move(at)}, {"vector", vector}});
  };
  for (int j = 0; j < mech.joint_count(); ++j) {
    const std::string& name = mech.joints[static_cast<At>(j)].name;
    add(name, "reaction", "N", {{"joint", j}}, vector_at(name + ".f"));
    add(name, "moment", "N m", {{"joint", j}}, vector_at(name + ".m"));
  }
  for (const ContactPair& pair : mech.contacts.pairs) {
    const Json place = vector_at(pair.name + " place.");
    if (!place.empty()) add(pair.name, "contact", "N", {{"channels", place}}, vector_at(pair.name + " contact."));
  }
  for (const ActuatorInfo& info : mech.actuators) {
    if (info.settings.kind != Actuator::Kind::thruster) continue;
    const int channel = find(info.settings.name + ".force");
    if (channel < 0) continue;
    const Actuator::Thruster& thruster = info.settings.thruster;
    add(info.settings.name, "thrust", "N", {{"body", info.body}, {"p", json_of(thruster.at.p_B)}},
        {{"channel", channel}, {"along", json_of(thruster.direction)}, {"body", info.body}});
  }
  return arrows;
}

namespace {

// Forces of contacts: size and friction were recorded, places and normals follow from the poses.
class ContactArrows {
 public:
  ContactArrows(const Mechanism& mech, const Recording& recording, Series& series) : mech_(mech), series_(series) {
    for (At i = 0; i < mech.contacts.pairs.size(); ++i) {
      const std::string& name = mech.contacts.pairs[i].name;
      const std::vector<At> columns =
          columns_of(recording, {name + ".normal", name + ".friction.x", name + ".friction.y", name + ".friction.z"});
      if (columns.empty()) continue;
      const int place = series.add_vector(name + " place", "m", "arrows"),
                force = series.add_vector(name + " contact", "N", "arrows");
      series.arrows.push_back({{"name", name},
                               {"kind", "contact"},
                               {"unit", "N"},
                               {"at", {{"channels", {place, place + 1, place + 2}}}},
                               {"vector", {force, force + 1, force + 2}}});
      pairs_.push_back({i, columns, place, force});
    }
  }
  void take(std::span<const double> row, const Workspace& ws) {
    for (const Pair& pair : pairs_) {
      const ContactPair& its = mech_.contacts.pairs[pair.index];
      const auto pose = [&](int body) { return body == ground ? Transformd{} : pose_WB(mech_, ws, body); };
      const Touch touch = find_touch(mech_.contacts, its, pose(its.first), pose(its.second));
      const Vec3d friction{row[pair.columns[1]], row[pair.columns[2]], row[pair.columns[3]]};
      series_.put(pair.place, touch.p_W);
      series_.put(pair.force, touch.n_W * row[pair.columns[0]] + friction);
    }
  }

 private:
  struct Pair {
    At index = 0;
    std::vector<At> columns;
    int place = -1, force = -1;
  };
  const Mechanism& mech_;
  Series& series_;
  std::vector<Pair> pairs_;
};

// Accelerations of points of interest, where those of the freedoms were recorded.
class AccelerationArrows {
 public:
  AccelerationArrows(const Mechanism& mech, const Recording& recording, Series& series) : mech_(mech), series_(series) {
    std::vector<std::string> names = freedom_names(mech);
    for (std::string& name : names) name.back() = 'a';  // "elbow.v" → "elbow.a"
    columns_ = columns_of(recording, names);
    for (At i = 0; !columns_.empty() && i < mech.outputs.size(); ++i) {
      const OutputInfo& output = mech.outputs[i];
      if (output.body == ground) continue;
      const int channel = series.add_vector(output.name + " acceleration", "m/s^2", "arrows");
      series.arrows.push_back(arrow(output.name, "acceleration", "m/s^2", output.body, output.p_B, channel));
      points_.push_back({i, channel});
    }
    a_.resize(columns_.size());
  }
  void take(std::span<const double> row, Workspace& ws, std::span<const double> q, std::span<const double> v) {
    if (points_.empty()) return;
    for (At i = 0; i < columns_.size(); ++i) a_[i] = row[columns_[i]];
    compute_accelerations(mech_, ws, q, v, a_);
    for (const auto& [index, channel] : points_) {
      const OutputInfo& output = mech_.outputs[index];
      series_.put(channel, acceleration_W(mech_, ws, output.body, output.p_B).v);
    }
  }

 private:
  const Mechanism& mech_;
  Series& series_;
  std::vector<At> columns_;
  std::vector<std::pair<At, int>> points_;
  std::vector<double> a_;
};

void add_poses_of_coordinates(const Mechanism& mech, const DrawnPosition& position, const Recording& recording,
                              const std::vector<At>& rows, const std::vector<At>& q_columns, Series& series) {
  const std::vector<At> v_columns = columns_of(recording, freedom_names(mech));
  const bool has_v = v_columns.size() == static_cast<At>(mech.nv);
  StateThings things(mech, position, series, has_v ? "m/s" : "");
  ContactArrows contacts(mech, recording, series);
  AccelerationArrows accelerations(mech, recording, series);
  Workspace ws(mech);
  std::vector<double> q(q_columns.size()), v(has_v ? v_columns.size() : 0);
  for (const At r : rows) {
    const std::span<const double> row = recording.row(r);
    for (At i = 0; i < q.size(); ++i) q[i] = row[q_columns[i]];
    for (At i = 0; i < v.size(); ++i) v[i] = row[v_columns[i]];
    things.take(row[0], row[0], q, v);
    compute_positions(mech, ws, q);
    contacts.take(row, ws);
    if (has_v) accelerations.take(row, ws, q, v);
  }
}

bool add_recorded_poses(const Mechanism& mech, const Recording& recording, const std::vector<At>& rows,
                        Series& series) {
  std::vector<std::vector<At>> columns;
  for (const int b : moving_bodies(mech)) {
    const std::vector<At> found = columns_of(recording, pose_names(mech.bodies[static_cast<At>(b)].name));
    if (found.empty()) continue;
    series.poses.bodies.push_back(b);
    columns.push_back(found);
  }
  if (columns.empty()) return false;
  for (const At r : rows) {
    const std::span<const double> row = recording.row(r);
    series.poses.axis.push_back(row[0]);
    for (const std::vector<At>& body : columns) {
      for (const At c : body) series.poses.values.push_back(static_cast<float>(row[c]));
    }
  }
  return true;
}

}  // namespace

Json plots_of(std::span<const RecordedChannel> channels) {
  Json coordinates = Json::array(), energies = Json::array(), plots = Json::array();
  std::string unit;
  for (At c = 0; c < channels.size(); ++c) {
    const RecordedChannel& channel = channels[c];
    if (channel.group == "coordinates" && coordinates.size() < lines_of_a_plot && channel.unit != "1") {
      if (unit.empty()) unit = channel.unit;
      if (channel.unit == unit) coordinates.push_back(c);
    }
    const bool shown =
        channel.name == "energy.kinetic" || channel.name == "energy.potential" || channel.name == "energy.total";
    if (shown) energies.push_back(c);
  }
  if (!coordinates.empty()) plots.push_back(coordinates);
  if (!energies.empty()) plots.push_back(energies);
  return plots;
}

Series series_of(const Mechanism& mech, const DrawnPosition& position, const Recording& recording) {
  Series series;
  series.axis = recording.column(0);
  if (series.axis.empty()) {
    throw SceneError("the recording has no rows", "let the simulation run until something is recorded", "scene-empty");
  }
  // Events may be recorded at one moment twice, before and after; an axis must rise.
  std::vector<At> kept;
  for (At r = 0; r < series.axis.size(); ++r) {
    if (kept.empty() || series.axis[r] > series.axis[kept.back()]) kept.push_back(r);
  }
  const std::vector<double> all = series.axis;
  series.axis.clear();
  for (const At r : kept) series.axis.push_back(all[r]);
  for (At c = 1; c < recording.header.channels.size(); ++c) {
    const RecordedChannel& channel = recording.header.channels[c];
    Column column{channel.name, channel.unit, channel.group, channel.frame};
    column.values.reserve(kept.size());
    for (const At r : kept) column.values.push_back(static_cast<float>(recording.row(r)[c]));
    series.columns.push_back(std::move(column));
  }
  series.arrows = arrows_along(mech, [&](const std::string& name) { return series.find(name); });
  series.poses.has_own_axis = true;
  const std::vector<At> rows = rows_with_poses(all), q_columns = columns_of(recording, coordinate_names(mech));
  if (q_columns.size() == static_cast<At>(mech.nq) && mech.nq > 0) {
    add_poses_of_coordinates(mech, position, recording, rows, q_columns, series);
  } else if (!add_recorded_poses(mech, recording, rows, series) && mech.nq > 0) {
    throw SceneError("the recording has neither coordinates nor bodies: it does not say where the bodies were",
                     "record them: trammel simulate … --channels coordinates,velocities,…", "scene-no-poses");
  }
  for (const RecordedEvent& event : recording.events) {
    if (series.events.size() >= most_events) break;
    series.events.push_back({{"x", event.t}, {"name", event.name}, {"kind", event.kind}, {"text", event.text}});
  }
  series.plots = plots_of(std::span(recording.header.channels).subspan(1));
  return series;
}

Json status_of(const Series& series, const Recording& recording) {
  Json status;
  status["run"] = recording.status.empty() ? std::string("broken off") : recording.status;
  if (const int error = series.find("energy.error"); error >= 0) {
    status["energy_error"] = {{"channel", error}, {"unit", "J"}};
    double moved = 0;
    for (const char* name : {"energy.kinetic", "energy.input", "energy.dissipated"}) {
      if (const int c = series.find(name); c >= 0) {
        for (const float x : series.columns[static_cast<At>(c)].values) moved = std::max(moved, std::abs(1.0 * x));
      }
    }
    if (moved > 0) status["energy_error"]["relative_to"] = moved;
  }
  if (Json drift = watched_loops(series); !drift.empty()) status["loop_drift"] = std::move(drift);
  return status;
}

Json watched_loops(const Series& series) {
  Json drift;
  const int position = series.find("loops.position"), orientation = series.find("loops.orientation");
  if (position >= 0) drift["position"] = {{"channel", position}};
  if (orientation >= 0) drift["orientation"] = {{"channel", orientation}};
  return drift;
}

}  // namespace trammel::scene
