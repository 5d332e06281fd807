// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <trammel/scene.hpp>

#include "scene/mechanism.hpp"
#include "scene/recording.hpp"
#include "scene/state_things.hpp"

namespace trammel {

using scene::Json;
using At = std::size_t;

namespace {

constexpr int most_tries = 8;       // to fit
constexpr At fewest_rows = 200;     // a recording that does not fit with so few does not fit
constexpr double some_less = 0.95;  // than the share that should fit
constexpr double megabyte = 1e6;

int index_of(const LiveSettings& live, const std::string& channel) {
  const auto found = std::find_if(live.channels.begin(), live.channels.end(),
                                  [&](const RecordedChannel& c) { return c.name == channel; });
  return found == live.channels.end() ? -1 : static_cast<int>(found - live.channels.begin());
}

}  // namespace

class Scene::Implementation {
 public:
  Implementation(const Model& the_model, const Mechanism& the_mechanism, const SceneTexts& texts,
                 const DrawnPosition& the_position)
      : model(the_model), mech(the_mechanism), position(the_position) {
    head["trammel_scene"] = 1;
    head["kind"] = "mechanism";
    scene::add_texts(mech, position, texts, head);
    scene::add_mechanism(model, mech, position, texts, head, meshes);
  }

  struct Ghost {
    std::string name;
    std::vector<float> pose;  // seven of each body; or
    std::optional<scene::Series> series;
  };

  const Model& model;
  const Mechanism& mech;
  DrawnPosition position;
  Json head;
  scene::Meshes meshes;
  std::optional<scene::Series> series;
  bool may_be_thinned = false;
  std::vector<Ghost> ghosts;

  std::string write(double share, SceneReport& report) const;
};

Scene::Scene(const Model& model, const Mechanism& mechanism, const SceneTexts& texts, const DrawnPosition& position)
    : implementation_(std::make_unique<Implementation>(model, mechanism, texts, position)) {}
Scene::Scene(const Model& model, const Mechanism& mechanism, const SceneTexts& texts)
    : Scene(model, mechanism, texts, design_position(mechanism)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

void Scene::set_sweep(const AnalysisOptions& options, const Analysis& analysis) {
  Implementation& I = *implementation_;
  scene::Sweep sweep = scene::sweep_of(I.mech, I.position, options, analysis);
  I.head["kind"] = "sweep";
  I.head["inputs"] = std::move(sweep.inputs);
  I.series = std::move(sweep.series);
  if (Json status = scene::watched_loops(*I.series); !status.empty()) I.head["status"]["loop_drift"] = status;
  for (const std::string& note : analysis.notes) I.head["warnings"].push_back(note);
}

void Scene::set_recording(const Recording& recording, std::optional<double> real_time_factor) {
  Implementation& I = *implementation_;
  I.series = scene::series_of(I.mech, I.position, recording);
  I.may_be_thinned = true;
  I.head["kind"] = "recording";
  I.head["status"] = scene::status_of(*I.series, recording);
  if (real_time_factor && std::isfinite(*real_time_factor)) I.head["status"]["real_time_factor"] = *real_time_factor;
}

void Scene::set_live(const LiveSettings& live) {
  Implementation& I = *implementation_;
  I.head["kind"] = "live";
  Json channels = Json::array();
  Json status;
  for (At c = 0; c < live.channels.size(); ++c) {
    const RecordedChannel& channel = live.channels[c];
    channels.push_back(
        {{"name", channel.name}, {"unit", channel.unit}, {"group", channel.group}, {"frame", channel.frame}});
    if (channel.group == "arrows") channels.back()["hidden"] = true;
    if (channel.name == "energy.error") status["energy_error"] = {{"channel", c}, {"unit", "J"}};
    if (channel.name == "loops.position") status["loop_drift"]["position"] = {{"channel", c}};
    if (channel.name == "loops.orientation") status["loop_drift"]["orientation"] = {{"channel", c}};
  }
  const Json axis = live.is_linkage ? Json{{"name", "frame"}, {"unit", "1"}} : Json{{"name", "t"}, {"unit", "s"}};
  I.head["series"] = {{"axis", axis}, {"channels", channels}};
  Json arrows = scene::arrows_along(I.mech, [&](const std::string& name) { return index_of(live, name); });
  for (const OutputInfo& output : I.mech.outputs) {
    if (const int first = index_of(live, output.name + ".vx"); first >= 0 && output.body != ground) {
      arrows.push_back(scene::arrow(output.name, "velocity", "m/s", output.body, output.p_B, first));
    }
  }
  if (!arrows.empty()) I.head["series"]["arrows"] = arrows;
  if (Json plots = scene::plots_of(live.channels); !plots.empty()) I.head["series"]["plots"] = std::move(plots);
  if (!status.empty()) I.head["status"] = status;
  I.head["controls"] = Json::array();
  for (const SceneControl& control : live.controls) {
    I.head["controls"].push_back({{"name", control.name},
                                  {"kind", control.kind},
                                  {"unit", control.unit},
                                  {"from", control.from},
                                  {"to", control.to},
                                  {"value", control.value}});
    Json& entry = I.head["controls"].back();
    for (At c = 0; c < live.channels.size(); ++c) {
      if (live.channels[c].group == "inputs" && live.channels[c].name == control.name) entry["channel"] = c;
    }
    for (const SceneControl::DeadPoint& dead : control.dead_points) {
      entry["dead_points"].push_back({{"value", dead.value}, {"text", dead.text}, {"limit", dead.is_limit}});
    }
    for (const auto& [from, to] : control.imaginary) entry["imaginary"].push_back({{"from", from}, {"to", to}});
  }
  Json can = live.is_linkage ? Json{"restart", "drag"} : Json{"pause", "step", "restart", "speed", "nudge"};
  if (!live.controls.empty()) can.push_back("set");
  I.head["live"] = {{"mode", live.is_linkage ? "linkage" : "simulation"},
                    {"can", can},
                    {"running", live.is_running},
                    {"speed", live.speed}};
}

void Scene::add_ghost(const std::string& name, const DrawnPosition& position) {
  Implementation::Ghost ghost{name, {}, {}};
  for (const Transformd& X : position.X_WB) scene::put_pose(X, ghost.pose);
  implementation_->ghosts.push_back(std::move(ghost));
}

void Scene::add_comparison(const std::string& name, const Mechanism& its, const Recording& recording) {
  Implementation& I = *implementation_;
  scene::Series series = scene::series_of(its, design_position(its), recording);
  // Bodies of both by name; those of one of them alone are left out.
  scene::Series kept;
  kept.axis = series.axis;
  kept.poses.axis = series.poses.axis;
  kept.poses.has_own_axis = true;
  std::vector<At> from;
  for (At k = 0; k < series.poses.bodies.size(); ++k) {
    const int body = I.mech.find_body(its.bodies[static_cast<At>(series.poses.bodies[k])].name);
    if (body < 0) continue;
    kept.poses.bodies.push_back(body);
    from.push_back(k);
  }
  if (from.empty()) {
    throw SceneError(fmt::format("{} has no body in common with what it should be compared with", name),
                     "compare recordings of the same mechanism", "scene-other-mechanism");
  }
  for (At s = 0; s < series.poses.count(); ++s) {
    for (const At k : from) {
      const auto begin = series.poses.values.begin() + static_cast<std::ptrdiff_t>(s * series.poses.width() + 7 * k);
      kept.poses.values.insert(kept.poses.values.end(), begin, begin + 7);
    }
  }
  for (scene::Column& column : series.columns) {
    if (!column.hidden) kept.columns.push_back(std::move(column));
  }
  I.ghosts.push_back({name, {}, std::move(kept)});
}

// --- writing -----------------------------------------------------------------------------------------------------------------

namespace {

// What was left out to make it smaller, for the page.
std::string note_on(const SceneReport& report) {
  if (report.rows == report.rows_there_are) return {};
  return fmt::format(
      "{} rows were recorded; of every {:.3g} of them the plots show each channel's least and largest value, so that "
      "peaks "
      "are true and their times within {:.3g} rows.",
      report.rows_there_are, 2.0 * static_cast<double>(report.rows_there_are) / static_cast<double>(report.rows),
      2.0 * static_cast<double>(report.rows_there_are) / static_cast<double>(report.rows));
}

At share_of(At count, double share) { return static_cast<At>(std::ceil(static_cast<double>(count) * share)); }

}  // namespace

std::string Scene::Implementation::write(double share, SceneReport& report) const {
  scene::Bundle bundle;
  Json out = head;
  scene::add_surroundings(model, bundle, out);
  scene::add_meshes(meshes, bundle, out);
  if (series) {
    const bool whole = share >= 1;
    std::optional<scene::Series> thin;
    if (!whole) {
      thin = scene::thinned(*series, share_of(series->axis.size(), share), share_of(series->poses.count(), share));
    }
    const scene::Series& shown = whole ? *series : *thin;
    out["series"] = scene::write(shown, bundle);
    report.rows = shown.axis.size(), report.rows_there_are = series->axis.size();
    report.poses = shown.poses.count(), report.poses_there_are = series->poses.count();
    report.channels = shown.columns.size();
    if (const std::string note = note_on(report); !note.empty()) out["note"] = note;
  }
  for (const Ghost& ghost : ghosts) {
    Json entry{{"name", ghost.name}};
    if (ghost.series) {
      const scene::Series thin = scene::thinned(*ghost.series, share_of(ghost.series->axis.size(), share),
                                                share_of(ghost.series->poses.count(), share));
      const Json written = scene::write(thin, bundle);
      entry["axis"] = written["axis"]["values"];
      entry["poses"] = written["poses"];
      entry["channels"] = written["channels"];
    } else {
      entry["poses"] = ghost.pose;
    }
    out["ghosts"].push_back(entry);
  }
  return scene::gzip(bundle.finish(out));
}

std::string Scene::bundle(std::size_t most_bytes, SceneReport* report) const {
  const Implementation& I = *implementation_;
  SceneReport found;
  double share = 1;
  std::string bytes = I.write(share, found);
  for (int attempt = 0; attempt < most_tries && bytes.size() > most_bytes && I.may_be_thinned; ++attempt) {
    if (found.rows <= fewest_rows) break;
    share *= some_less * static_cast<double>(most_bytes) / static_cast<double>(bytes.size());
    bytes = I.write(share, found);
  }
  if (bytes.size() > most_bytes) {
    throw SceneError(
        fmt::format("the scene takes {:.1f} MB, compressed, and {:.1f} MB are allowed",
                    static_cast<double>(bytes.size()) / megabyte, static_cast<double>(most_bytes) / megabyte),
        I.may_be_thinned ? "allow more bytes, or record fewer channels"
                         : "allow more bytes, or take a larger step of the inputs, or smaller meshes",
        "scene-too-large");
  }
  found.bytes = bytes.size();
  if (report != nullptr) *report = found;
  return bytes;
}

// --- frames of live scenes -----------------------------------------------------------------------------------------------------

std::string live_frame(const Mechanism& mech, Workspace& ws, std::span<const double> q, double t,
                       double real_time_factor, std::span<const double> channels) {
  compute_positions(mech, ws, q);
  std::vector<float> numbers;
  for (int b = 0; b < mech.body_count(); ++b) scene::put_pose(pose_WB(mech, ws, b), numbers);
  for (const double x : channels) numbers.push_back(static_cast<float>(x));
  std::string out = "TRMLFRM1";
  const auto put = [&](const auto& number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); };
  put(static_cast<std::uint32_t>(mech.body_count()));
  put(static_cast<std::uint32_t>(channels.size()));
  put(t);
  put(real_time_factor);
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return out;
}

}  // namespace trammel
