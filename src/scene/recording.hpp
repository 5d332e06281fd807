// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording and a sweep as series of a scene.

#include <functional>
#include <span>

#include <trammel/analysis.hpp>
#include <trammel/drawing.hpp>
#include <trammel/recording.hpp>

#include "scene/series.hpp"

namespace trammel::scene {

// Poses are found from the recorded coordinates, or taken from recorded bodies; SceneError where there are neither.
Series series_of(const Mechanism& mechanism, const DrawnPosition& position, const Recording& recording);
// Arrows along channels that are recorded or arrive: reactions, thrust, contact forces, velocities of points. `find` gives the index of a
// channel, or −1.
Json arrows_along(const Mechanism& mechanism, const std::function<int(const std::string&)>& find);
// What is plotted at first: coordinates that share the first one's unit, and energies.
Json plots_of(std::span<const RecordedChannel> channels);
// What stands always in the head of the page.
Json status_of(const Series& series, const Recording& recording);
// Its part about loops; nothing where there are none.
Json watched_loops(const Series& series);

struct Sweep {
  Series series;
  Json inputs = Json::array();
};
Sweep sweep_of(const Mechanism& mechanism, const DrawnPosition& position, const AnalysisOptions& options,
               const Analysis& analysis);

}  // namespace trammel::scene
