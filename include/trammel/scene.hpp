// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the viewer's page shows, as one bundle of JSON and blocks of numbers (docs/formats/scene.md): a mechanism at one position, the
// positions of a sweep, a recording, or the frame for what arrives live.
//
//   Scene scene(model, mechanism, {.file = "run.h5"});
//   scene.set_recording(recording);
//   write_file("run.html", page_with(page, scene.bundle(15'000'000)));
//
// Poses and channels are float32 there. A recording that is too long for the bytes allowed loses rows: of every stretch of rows each
// channel keeps its least and its largest value.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/drawing.hpp>
#include <trammel/recording.hpp>

namespace trammel {

struct SceneTexts {
  std::string file = {};                              // the model or recording that it comes from
  std::string mobility = {}, mobility_detail = {};    // "1 degree of freedom", and all there is to say
  std::vector<std::string> warnings = {};             // each with its remedy
  std::map<std::string, std::string> found_meshes{};  // address, as package://…, and path of the file
  std::size_t most_mesh_bytes = 20'000'000;           // meshes beyond that are left out, and the page says so
};

// What cannot be shown: what() says what and why, fix() what to do.
class SceneError : public std::runtime_error {
 public:
  SceneError(const std::string& what, std::string fix, std::string id)
      : std::runtime_error(what), fix_(std::move(fix)), id_(std::move(id)) {}
  const std::string& fix() const { return fix_; }
  const std::string& id() const { return id_; }  // "scene-too-large", …

 private:
  std::string fix_, id_;
};

// A slider of the page while a mechanism is live. Numbers in `unit`.
struct SceneControl {
  std::string name, kind, unit;  // kind: "servo", "drive", "input", "actuator"
  double from = 0, to = 1, value = 0;
  struct DeadPoint {
    double value = 0;
    std::string text;
    bool is_limit = true;
  };
  std::vector<DeadPoint> dead_points = {};                // marks on it
  std::vector<std::pair<double, double>> imaginary = {};  // stretches without a position
};
struct LiveSettings {
  bool is_linkage = false;  // moved by hand, without forces; otherwise simulated
  bool is_running = true;
  double speed = 1;                       // simulated over wall-clock time; 0: as fast as it can
  std::vector<RecordedChannel> channels;  // of every frame; without time
  std::vector<SceneControl> controls = {};
};

// How much of a series is in a bundle, and how much there was.
struct SceneReport {
  std::size_t bytes = 0;                       // of the bundle
  std::size_t rows = 0, rows_there_are = 0;    // of channels
  std::size_t poses = 0, poses_there_are = 0;  // moments with poses
  std::size_t channels = 0;
};

class Scene {
 public:
  // Bodies at `position`, or as the model is drawn. The model and the mechanism must outlive the scene.
  Scene(const Model& model, const Mechanism& mechanism, const SceneTexts& texts, const DrawnPosition& position);
  Scene(const Model& model, const Mechanism& mechanism, const SceneTexts& texts = {});
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  // One of these three. A recording without coordinates and without bodies throws SceneError.
  void set_sweep(const AnalysisOptions& options, const Analysis& analysis);
  void set_recording(const Recording& recording, std::optional<double> real_time_factor = {});
  void set_live(const LiveSettings& settings);

  // Another position, and a second recording, of the same bodies by name; both faint.
  void add_ghost(const std::string& name, const DrawnPosition& position);
  void add_comparison(const std::string& name, const Mechanism& its_mechanism, const Recording& recording);

  // Compressed by gzip. Throws SceneError where it cannot be made small enough.
  std::string bundle(std::size_t most_bytes, SceneReport* report = nullptr) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// The page with a bundle in it, as one file; what such a file has besides the bundle; and the page that asks a server for what it shows.
// `page` is the built one, with its mark; std::invalid_argument where there is none.
std::string page_with(std::string_view page, std::string_view bundle);
std::size_t bytes_of_page_with(std::string_view page, std::size_t bundle_bytes);
std::size_t bundle_bytes_of_page_with(std::string_view page, std::size_t bytes);  // 0: not even the page fits
std::string live_page(std::string_view page, std::string_view socket_path);

// A frame of a live scene: poses of all bodies of the mechanism at q, and the channels of LiveSettings.
std::string live_frame(const Mechanism& mechanism, Workspace& ws, std::span<const double> q, double t,
                       double real_time_factor, std::span<const double> channels);

}  // namespace trammel
