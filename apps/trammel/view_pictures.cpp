// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "view_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "child_process.hpp"
#include "open_file.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "session.hpp"

namespace trammel::tool {
namespace {

using Json = nlohmann::json;

constexpr double patience = 120;    // s that a slow machine may take for one answer
constexpr double whole_sweep = 10;  // s of a film, at speed 1
constexpr int most_frames = 20000;

std::string find_chromium() { return find_program({"chromium", "chromium-browser", "google-chrome"}); }

std::string decoded(const std::string& base64) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : base64) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 255U);
  }
  return out;
}

// Chromium without a window. Messages are JSON, each ended by a zero byte.
class Browser {
 public:
  Browser(const std::string& program, const std::string& folder, int width, int height)
      : process_(command(program, folder, width, height), {.reads = 3, .writes = 4, .scratch = folder}) {
    const Json target = ask("Target.createTarget", {{"url", "about:blank"}});
    const Json session = ask("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}});
    session_ = session.at("sessionId").get<std::string>();
    ask("Emulation.setDeviceMetricsOverride",
        {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    ask("Page.enable");
  }

  void open(const std::string& url) {
    ask("Page.navigate", {{"url", url}});
    // The page makes its handle when it has been read.
    evaluate("new Promise(done => { const look = () => window.trammel ? done(true) : setTimeout(look, 20); look(); })");
    evaluate("Promise.resolve(window.trammel.ready).then(() => true)");
    const Json wrong = evaluate("window.trammel.error ? String(window.trammel.error) : ''");
    if (wrong.is_string() && !wrong.get<std::string>().empty()) throw std::runtime_error(wrong.get<std::string>());
  }
  Json evaluate(const std::string& script) {
    const Json answer =
        ask("Runtime.evaluate", {{"expression", script}, {"awaitPromise", true}, {"returnByValue", true}});
    if (answer.contains("exceptionDetails")) {
      throw std::runtime_error("the page failed: " + answer["exceptionDetails"].value("text", std::string()));
    }
    return answer["result"].contains("value") ? answer["result"]["value"] : Json();
  }
  std::string picture() {
    const Json answer = ask("Page.captureScreenshot", {{"format", "png"}, {"fromSurface", true}});
    return decoded(answer.at("data").get<std::string>());
  }

 private:
  static std::vector<std::string> command(const std::string& program, const std::string& folder, int width,
                                          int height) {
    std::vector<std::string> words{program,
                                   "--headless=new",
                                   "--remote-debugging-pipe",
                                   "--user-data-dir=" + folder + "/profile",
                                   "--no-first-run",
                                   "--no-default-browser-check",
                                   "--hide-scrollbars",
                                   "--mute-audio",
                                   "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader",
                                   "--ignore-gpu-blocklist",
                                   "--disable-dev-shm-usage",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   fmt::format("--window-size={},{}", width, height)};
    if (::geteuid() == 0) words.emplace_back("--no-sandbox");  // it has none for root
    words.emplace_back("about:blank");
    return words;
  }

  Json ask(const std::string& method, const Json& parameters = Json::object()) {
    Json message{{"id", ++last_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump() + '\0';
    if (!process_.write(text, patience)) throw std::runtime_error("Chromium does not listen");
    while (true) {
      const Json answer = next();
      if (answer.value("id", 0) != last_) continue;  // an event, which nobody asked for
      if (answer.contains("error")) throw std::runtime_error(answer["error"].value("message", method));
      return answer["result"];
    }
  }
  Json next() {
    std::size_t end = 0;
    while ((end = heard_.find('\0')) == std::string::npos) {
      const std::string more = process_.read(patience);
      if (more.empty()) throw std::runtime_error("Chromium does not answer");
      heard_ += more;
    }
    const std::string text = heard_.substr(0, end);
    heard_.erase(0, end + 1);
    return Json::parse(text);
  }

  ChildProcess process_;
  std::string session_, heard_;
  int last_ = 0;
};

std::string address_of(const std::string& path, const std::string& look) {
  std::string out = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '_' || c == '-';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out + "#still" + (look.empty() ? "" : "&" + look);
}

void show(Browser& browser, double x) {
  browser.evaluate(
      fmt::format("Promise.resolve(trammel.setCursor({:.17g})).then(() => trammel.draw()).then(() => true)", x));
}

// First and last place of the cursor; nothing where nothing moves.
std::optional<std::pair<double, double>> range_of(Browser& browser) {
  const Json range = browser.evaluate("trammel.xRange()");
  const bool moves = range.is_array() && range.size() == 2 && range[0].is_number() && range[0] != range[1];
  if (!moves) return std::nullopt;
  return std::pair(range[0].get<double>(), range[1].get<double>());
}

// What was asked of the page and it does not have.
Diagnostics misunderstood(Browser& browser, const PictureOptions& options) {
  Diagnostics wrong;
  for (const Json& word : browser.evaluate("trammel.misunderstood")) {
    wrong.error({}, "option-value", fmt::format("--look: {}", word.get<std::string>()),
                "docs/formats/scene.md lists the words of the address");
  }
  if (!options.at) return wrong;
  const auto range = range_of(browser);
  if (!range) {
    wrong.error({}, "option-value", "--at: nothing moves in this scene", "leave it out");
    return wrong;
  }
  const auto [least, most] = std::minmax(range->first, range->second);
  const double rounding = 1e-6 * (most - least);
  if (*options.at < least - rounding || *options.at > most + rounding) {
    wrong.error({}, "option-value",
                fmt::format("--at: {} is not there, it goes from {:.6g} to {:.6g}", *options.at, least, most),
                "give a place between them");
  }
  return wrong;
}

Diagnostics unwritable(const std::string& file, const std::string& wrong) {
  return one_error(fmt::format("{} cannot be written: {}", file, wrong),
                   "check the path, the permissions and the space on the disk", "file-unwritable");
}

Diagnostics write_film(Browser& browser, const PictureOptions& options, const std::string& folder) {
  const auto range = range_of(browser);
  if (!range) {
    return one_error("--mp4: nothing moves in this scene", "give a recording, or --input, or --simulate",
                     "option-value");
  }
  const auto [from, to] = *range;
  const double seconds = (options.has_time ? std::abs(to - from) : whole_sweep) / options.speed;
  const double count = std::max(2.0, std::round(seconds * options.fps));
  if (count > most_frames) {
    return one_error(fmt::format("--mp4: {:.0f} pictures are too many", count), "give a larger --film-speed",
                     "option-value");
  }
  const std::string film = folder + "/film.mp4", complaints = folder + "/ffmpeg.txt";
  ChildProcess ffmpeg({find_program({"ffmpeg"}),
                       "-y",
                       "-loglevel",
                       "error",
                       "-f",
                       "image2pipe",
                       "-c:v",
                       "png",
                       "-framerate",
                       std::to_string(options.fps),
                       "-i",
                       "-",
                       "-vf",
                       "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                       "-c:v",
                       "libx264",
                       "-pix_fmt",
                       "yuv420p",
                       "-crf",
                       "20",
                       "-movflags",
                       "+faststart",
                       film},
                      {.reads = STDIN_FILENO, .complaints = complaints});
  ProgressBar bar("film");
  for (int k = 0; k < static_cast<int>(count); ++k) {
    show(browser, from + (to - from) * k / (count - 1));
    if (!ffmpeg.write(browser.picture(), patience)) break;
    bar.show((k + 1) / count);
  }
  bar.finish();
  if (ffmpeg.finish(patience) != 0) {
    std::ifstream said(complaints);
    std::string text((std::istreambuf_iterator<char>(said)), {});
    std::replace(text.begin(), text.end(), '\n', ' ');
    return one_error("--mp4: ffmpeg failed: " + text.substr(0, 300), "is its encoder libx264 installed?",
                     "film-failed");
  }
  std::ifstream file(film, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string wrong = write_file(options.mp4, bytes);
  return wrong.empty() ? Diagnostics{} : unwritable(options.mp4, wrong);
}

}  // namespace

Diagnostics missing_for(const PictureOptions& options) {
  Diagnostics missing;
  if (options.png.empty() && options.mp4.empty()) return missing;
  const char* option = options.png.empty() ? "--mp4" : "--png";
  if (find_chromium().empty()) {
    missing.error({}, "chromium-missing",
                  fmt::format("{}: pictures are made by Chromium, which is not installed", option),
                  "install it (Debian: apt install chromium), or write --html and open that in any browser");
  }
  if (!options.mp4.empty() && find_program({"ffmpeg"}).empty()) {
    missing.error({}, "ffmpeg-missing", "--mp4: films are made by ffmpeg, which is not installed",
                  "install it (Debian: apt install ffmpeg), or record a film in the page that --html writes");
  }
  return missing;
}

Diagnostics write_pictures(const std::string& html, const PictureOptions& options) {
  try {
    const TemporaryFolder folder;
    Browser browser(find_chromium(), folder.path(), options.width, options.height);
    browser.open(address_of(html, options.look));
    if (const Diagnostics wrong = misunderstood(browser, options); wrong.has_errors()) return wrong;
    if (!options.png.empty()) {
      if (options.at) show(browser, *options.at);
      if (!options.at) browser.evaluate("Promise.resolve(trammel.draw()).then(() => true)");
      const std::string wrong = write_file(options.png, browser.picture());
      if (!wrong.empty()) return unwritable(options.png, wrong);
    }
    if (!options.mp4.empty()) return write_film(browser, options, folder.path());
    return {};
  } catch (const std::exception& wrong) {
    return one_error(fmt::format("no picture could be made: {}", wrong.what()),
                     "write --html and open that in a browser", "picture-failed");
  }
}

}  // namespace trammel::tool
