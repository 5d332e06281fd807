// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures and films of a page: a headless Chromium shows it and is told, through its DevTools pipe, where the cursor stands; ffmpeg makes
// a film of what it shows.

#include <optional>
#include <string>

#include <trammel/diagnostics.hpp>

namespace trammel::tool {

struct PictureOptions {
  std::string png, mp4;  // files; empty: none
  int width = 1280, height = 720;
  std::optional<double> at;  // place of the cursor in the picture, in the axis' unit
  std::string look;          // further words for the page's address: "theme=dark&view=xy"
  int fps = 30;
  double speed = 1;       // of the film, to real time; of sweeps 1 is ten seconds for all of it
  bool has_time = false;  // the axis is one of time
};

// What is missing on this machine, with what to do about it; nothing: all that it takes is there.
Diagnostics missing_for(const PictureOptions& options);
// Errors where it cannot be done.
Diagnostics write_pictures(const std::string& html, const PictureOptions& options);

}  // namespace trammel::tool
