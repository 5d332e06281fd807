// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel view MODEL|RECORDING: the viewer, live or as one page.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/scene.hpp>
#include <trammel/simulation.hpp>

#include "analysis_verdict.hpp"
#include "child_process.hpp"
#include "embedded_page.hpp"
#include "input_options.hpp"
#include "interruption.hpp"
#include "live_engine.hpp"
#include "open_file.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "read_options.hpp"
#include "session.hpp"
#include "simulate_options.hpp"
#include "simulate_report.hpp"
#include "verbs.hpp"
#include "view_pictures.hpp"
#include "view_subject.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double megabyte = 1e6;

struct ViewOptions {
  std::string input, html, compare, as, size = "1280x720";
  std::optional<std::string> at;
  PictureOptions pictures;
  InputOptions inputs;
  std::vector<std::string> cut;
  ReadOptions read;
  double max_size = 15, simulate = 0, pace = 1;
  int port = 0;
  bool sweep = false, forces = false, no_open = false, stay = false, json = false;

  bool wants_files() const { return !html.empty() || !pictures.png.empty() || !pictures.mp4.empty(); }
  bool wants_sweep() const { return sweep || !inputs.inputs.empty(); }
};

bool moves(const AnalysisOptions& options) {
  return std::any_of(options.inputs.begin(), options.inputs.end(),
                     [](const SweepInput& i) { return i.from != i.to && i.step != 0; });
}

Diagnostics message_of(const SceneError& wrong) {
  Diagnostics one;
  one.error({}, wrong.id(), wrong.what(),
            wrong.id() == "scene-too-large" ? fmt::format("{}: --max-size MB", wrong.fix()) : wrong.fix());
  return one;
}

class ViewVerb {
 public:
  explicit ViewVerb(const ViewOptions& options) : options_(options) {}

  int run() {
    Diagnostics problems;
    check_usage(problems);
    if (problems.has_errors()) return refuse(problems);
    if (const Diagnostics missing = missing_for(options_.pictures); missing.has_errors()) return refuse(missing);
    const bool recorded = options_.input != "-" && is_recording(options_.input);
    const bool is_page = recorded || options_.wants_files() || options_.wants_sweep() || options_.simulate > 0;
    check_subject(problems, recorded, is_page);
    if (problems.has_errors()) return refuse(problems);
    if (recorded) {
      subject_ = read_recorded(options_.input, problems);
      if (!subject_) return refuse(problems);
    } else if (!load_model()) {
      return bad_input;
    }
    return is_page ? show_page() : show_live();
  }

 private:
  const Mechanism& mech() const { return subject_->loaded.mechanism; }

  int refuse(const Diagnostics& problems, int code = bad_input) const {
    print(problems);
    if (options_.json) print_json_errors(problems);
    return code;
  }

  void check_usage(Diagnostics& problems) {
    const auto complain = [&](const std::string& what, const std::string& fix) {
      problems.error({}, "option-value", what, fix);
    };
    const std::vector<std::pair<const char*, std::string>> outputs{
        {"--html", options_.html}, {"--png", options_.pictures.png}, {"--mp4", options_.pictures.mp4}};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto& [option, out] = outputs[i];
      if (is_same_file(out, options_.input)) {
        complain(fmt::format("{}: '{}' is what should be shown", option, out), "give it another name");
      }
      if (is_same_file(out, options_.compare)) {
        complain(fmt::format("{}: '{}' is the recording to compare with", option, out), "give it another name");
      }
      for (std::size_t k = 0; k < i; ++k) {
        if (is_same_file(out, outputs[k].second)) {
          complain(fmt::format("{}: '{}' is written by {} too", option, out, outputs[k].first), "give it another name");
        }
      }
    }
    if (options_.json && is_standard_output(options_.html)) {
      complain("only one of --json and --html - can have standard output", "give --html a file");
    }
    for (std::size_t i = 1; i < outputs.size(); ++i) {
      if (is_standard_output(outputs[i].second)) {
        complain(fmt::format("{} - : pictures go into files", outputs[i].first), "give it a file");
      }
    }
    if (options_.simulate > 0 && options_.wants_sweep()) {
      complain("--simulate and a sweep are two things", "give one of them");
    }
    if (options_.max_size * megabyte < 1.1 * static_cast<double>(embedded_page().size())) {
      complain(fmt::format("--max-size {}: the page alone takes {:.1f} MB", options_.max_size,
                           static_cast<double>(embedded_page().size()) / megabyte),
               "give 2 or more");
    }
    int width = 0, height = 0;
    char end = 0;
    if (std::sscanf(options_.size.c_str(), "%dx%d%c", &width, &height, &end) != 2 || width < 64 || height < 64 ||
        width > 8192 || height > 8192) {
      complain(fmt::format("--size: '{}' is no size in pixels from 64 to 8192", options_.size), "write it as 1280x720");
    }
    options_.pictures.width = width, options_.pictures.height = height;
    if (options_.at) {
      try {
        std::size_t used = 0;
        options_.pictures.at = std::stod(*options_.at, &used);
        if (used != options_.at->size() || !std::isfinite(*options_.pictures.at)) throw std::invalid_argument("");
      } catch (const std::exception&) {
        complain(fmt::format("--at: '{}' is not a number", *options_.at), "give a time in s, or a value of the input");
      }
    }
    check_picture_options(problems);
  }

  // Of a recording, of pages and of live views: what the others have.
  void check_subject(Diagnostics& problems, bool recorded, bool is_page) const {
    const auto complain = [&](bool wrong, const char* option, const char* why, const char* fix) {
      if (wrong) problems.error({}, "option-value", fmt::format("{}: {}", option, why), fix);
    };
    if (recorded) {
      const char *why = "a recording is shown as it went", *fix = "leave it out, or give the model";
      complain(options_.simulate > 0, "--simulate", why, fix);
      complain(options_.sweep, "--sweep", why, fix);
      complain(!options_.inputs.inputs.empty(), "--input", why, fix);
      complain(!options_.inputs.speeds.empty(), "--speed", why, fix);
      complain(!options_.inputs.accelerations.empty(), "--accel", why, fix);
      complain(options_.forces, "--forces", why, fix);
      complain(!options_.cut.empty(), "--cut", why, fix);
      complain(!options_.as.empty(), "--as", why, fix);
    }
    if (is_page) {
      const char *why = "it is one of live views, and this is a page", *fix = "leave it out";
      complain(options_.port != 0, "--port", why, fix);
      complain(options_.stay, "--stay", why, fix);
      complain(options_.pace != ViewOptions().pace, "--pace", why, fix);
    } else {
      complain(options_.forces, "--forces", "nothing is swept", "add --sweep or --input");
    }
  }

  // Those that nothing would come of.
  void check_picture_options(Diagnostics& problems) const {
    const PictureOptions &given = options_.pictures, usual;
    const bool png = !given.png.empty(), mp4 = !given.mp4.empty();
    const auto complain = [&](bool wrong, const char* option, const char* of, const char* fix) {
      if (wrong) problems.error({}, "option-value", fmt::format("{} is one of {}, and none is made", option, of), fix);
    };
    complain(options_.at && !png, "--at", "pictures", "add --png FILE");
    complain(options_.size != ViewOptions().size && !png && !mp4, "--size", "pictures and films",
             "add --png FILE or --mp4 FILE");
    complain(!given.look.empty() && !png && !mp4, "--look", "pictures and films", "add --png FILE or --mp4 FILE");
    complain(given.fps != usual.fps && !mp4, "--fps", "films", "add --mp4 FILE");
    complain(given.speed != usual.speed && !mp4, "--film-speed", "films", "add --mp4 FILE");
  }

  // A mechanism without masses is one that is moved by hand.
  bool load_model() {
    const bool by_hand = options_.as == "linkage" || (options_.as.empty() && options_.simulate == 0);
    LoadOptions load_options{
        .cut = options_.cut, .gravity = std::nullopt, .for_dynamics = !by_hand, .read = options_.read};
    for (const std::string& joint : options_.inputs.joints()) load_options.keep.push_back(joint);
    LoadResult result = load(options_.input, load_options);
    if (!result.loaded) {
      if (options_.json) print_json_errors(result.diagnostics);
      return false;
    }
    subject_.emplace(Subject{std::move(*result.loaded), std::nullopt});
    return true;
  }

  // --- as one page ---

  int show_page() {
    try {
      return write_page();
    } catch (const SceneError& wrong) {
      return refuse(message_of(wrong));
    }
  }

  int write_page() {
    Diagnostics problems;
    std::optional<Scene> scene;
    std::string kind = "mechanism";
    const SceneTexts texts = texts_of(*subject_, options_.input);
    if (subject_->recording || options_.simulate > 0) {
      if (!subject_->recording) {
        const int code = simulate_now();
        if (code != done) return code;
      }
      scene.emplace(subject_->loaded.model, mech(), texts, initial_position(mech()));
      scene->set_recording(*subject_->recording, real_time_factor_);
      kind = "recording";
      options_.pictures.has_time = true;
    } else {
      AnalysisOptions sweep;
      if (!collect_inputs(mech(), options_.inputs, options_.wants_sweep(), sweep, problems)) return refuse(problems);
      sweep.forces = options_.forces;
      scene.emplace(subject_->loaded.model, mech(), texts, initial_position(mech()));
      if (moves(sweep)) {
        const Analysis analysis = analyze_with_bar(sweep);
        const Diagnostics negative = verdict(mech(), sweep, analysis);
        if (negative.has_errors() && options_.wants_sweep()) return refuse(negative, negative_answer);
        if (!negative.has_errors()) {
          scene->set_sweep(sweep, analysis);
          kind = "sweep";
        }
      }
    }
    if (options_.forces && kind != "sweep") {
      return refuse(one_error("--forces: nothing is swept", "add --sweep or --input", "option-value"));
    }
    if (!options_.compare.empty()) {
      if (kind != "recording") {
        return refuse(
            one_error("--compare: only recordings can be compared", "give a recording, or --simulate", "option-value"));
      }
      const std::optional<Subject> other = read_recorded(options_.compare, problems);
      if (!other) return refuse(problems);
      scene->add_comparison(fs::path(options_.compare).filename().string(), other->loaded.mechanism, *other->recording);
    }
    return write(*scene, kind);
  }

  Analysis analyze_with_bar(AnalysisOptions sweep) const {
    ProgressBar bar("view");
    sweep.progress = [&bar](double share) { bar.show(share); };
    Analysis analysis = analyze(mech(), sweep);
    bar.finish();
    return analysis;
  }

  // Runs the model in memory.
  int simulate_now() {
    SimulationOptions options = options_of_model(mech());
    options.until = options_.simulate;
    if (!(options.record_every > 0)) options.record_every = std::max(1.0 / 120, options.until / 20000);
    std::vector<std::string> groups = usual_channel_groups();
    groups.insert(groups.end(), {"reactions", "contacts"});
    ProgressBar bar("simulate");
    options.go_on = [&](double t) {
      bar.show(t / options_.simulate);
      return true;
    };
    const auto begin = std::chrono::steady_clock::now();
    SimulatedRun run = simulate(mech(), options, groups);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds > 0) real_time_factor_ = run.report.t / seconds;
    bar.finish();
    if (!run.report.ok() && run.recording.row_count() < 2) {
      return refuse(verdict_on(run.report), negative_answer);
    }
    print(verdict_on(run.report));
    subject_->recording = std::move(run.recording);
    return done;
  }

  int write(const Scene& scene, const std::string& kind) {
    Interruption interruption({SIGINT, SIGTERM, SIGHUP});
    try {
      return write_files(scene, kind);
    } catch (const Interrupted&) {  // Chromium, ffmpeg and their folder are gone by now
      interruption.pass_on();
      return negative_answer;
    }
  }

  int write_files(const Scene& scene, const std::string& kind) {
    const std::string_view page = embedded_page();
    SceneReport report;
    const std::size_t allowed = bundle_bytes_of_page_with(page, static_cast<std::size_t>(options_.max_size * megabyte));
    const std::string html = page_with(page, scene.bundle(allowed, &report));
    const bool has_pictures = !options_.pictures.png.empty() || !options_.pictures.mp4.empty();
    const bool only_pictures = options_.html.empty() && options_.wants_files();
    const TemporaryFolder folder;
    if (has_pictures) {  // before the page goes where it is wanted: where no picture can be made, nothing is left
      const std::string shown = folder.path() + "/view.html";
      if (const std::string wrong = write_file(shown, html); !wrong.empty()) {
        return refuse(one_error(fmt::format("{} cannot be written: {}", shown, wrong), "check the space on the disk",
                                "file-unwritable"));
      }
      const Diagnostics failed = write_pictures(shown, options_.pictures);
      if (failed.has_errors()) return refuse(failed);
    }
    std::string path = options_.html;
    if (path.empty() && !only_pictures) path = page_to_open();
    if (only_pictures) {
      path.clear();
    } else if (is_standard_output(path)) {
      fmt::print("{}", html);
    } else if (const std::string wrong = write_file(path, html); !wrong.empty()) {
      return refuse(one_error(fmt::format("{} cannot be written: {}", path, wrong),
                              "check the path, the permissions and the space on the disk", "file-unwritable"));
    }
    const bool opens = !options_.wants_files() && !options_.no_open;
    if (opens && !start_viewer(path)) {
      print(one_error("no browser could be started", fmt::format("open {} in one", path), "no-browser"));
    }
    tell(kind, only_pictures ? std::string() : path, html.size(), report);
    return done;
  }

  // In the user's own folder for such things; the next view of the same name replaces it.
  std::string page_to_open() const {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const fs::path folder = cache != nullptr && *cache != '\0' ? fs::path(cache)
                            : home != nullptr                  ? fs::path(home) / ".cache"
                                                               : fs::current_path();
    std::error_code ignored;
    fs::create_directories(folder / "trammel", ignored);
    return (folder / "trammel" / fs::path(options_.input).stem().concat(".html")).string();
  }

  void tell(const std::string& kind, const std::string& path, std::size_t bytes, const SceneReport& report) const {
    const PictureOptions& pictures = options_.pictures;
    if (options_.json) {
      ordered_json out{{"status", "ok"}, {"kind", kind}};
      if (!path.empty()) out["html"] = path, out["bytes"] = bytes;
      if (!pictures.png.empty()) out["png"] = pictures.png;
      if (!pictures.mp4.empty()) out["mp4"] = pictures.mp4;
      if (report.rows_there_are > 0) {
        out["rows"] = report.rows, out["rows_there_are"] = report.rows_there_are;
        out["poses"] = report.poses, out["channels"] = report.channels;
      }
      fmt::print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
      return;
    }
    if (!path.empty() && !is_standard_output(path)) {
      fmt::print("wrote {}: {:.1f} MB; open it in any browser\n", path, static_cast<double>(bytes) / megabyte);
    }
    for (const std::string& file : {pictures.png, pictures.mp4}) {
      if (!file.empty()) fmt::print("wrote {}\n", file);
    }
    if (report.rows < report.rows_there_are && !is_standard_output(path)) {
      fmt::print("plots show {} of {} rows, peaks kept; --max-size MB for more\n", report.rows, report.rows_there_are);
    }
  }

  // --- live ---

  // Linkages, with loops or inputs, on which nothing acts over time are moved by hand; so are mechanisms without mass.
  bool is_linkage() const {
    if (!options_.as.empty()) return options_.as == "linkage";
    const Model& model = subject_->loaded.model;
    const bool has_mass =
        std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.mass > 0; });
    const SimulateSettings& s = mech().simulate;
    const bool acts = !mech().drives.empty() || !mech().actuators.empty() || !mech().contacts.pairs.empty() ||
                      s.until || s.step || s.integrator;
    return !has_mass || ((!mech().inputs.empty() || !mech().is_tree()) && !acts);
  }

  int show_live() {
    const bool linkage = is_linkage();
    if (!options_.compare.empty()) {
      return refuse(
          one_error("--compare: only recordings can be compared", "give a recording, or --simulate", "option-value"));
    }
    if (!linkage && options_.as.empty()) {  // masses are needed after all
      const CompileResult compiled = compile(subject_->loaded.model, {.cut = options_.cut, .for_dynamics = true});
      if (!compiled.ok()) return refuse(compiled.diagnostics);
    }
    std::unique_ptr<LiveEngine> engine =
        linkage ? make_live_linkage(mech())
                : make_live_simulation(mech(), options_of_model(mech()), initial_state(mech()), options_.pace);
    std::unique_ptr<LiveServer> server;
    try {
      server = std::make_unique<LiveServer>(
          LiveServer::Settings{.port = options_.port, .token = random_token(), .stays = options_.stay});
    } catch (const std::runtime_error& wrong) {
      return refuse(one_error(fmt::format("port {} of this machine cannot be had: {}", options_.port, wrong.what()),
                              "give another --port, or none", "port-taken"));
    }
    Scene scene(subject_->loaded.model, mech(), texts_of(*subject_, options_.input), initial_position(mech()));
    scene.set_live(engine->settings());
    try {
      server->set_scene(scene.bundle(static_cast<std::size_t>(options_.max_size * megabyte)));
    } catch (const SceneError& wrong) {
      return refuse(message_of(wrong));
    }
    server->set_page(live_page(embedded_page(), server->socket_path()));
    server->on_message([&](const std::string& text) { return engine->take(text); });
    announce(*server, linkage);
    std::thread mover([&] { move(*engine, *server); });
    server->run();
    engine->stop();
    mover.join();
    return done;
  }

  // In a thread of its own: what goes wrong there must not end the tool without a word.
  static void move(LiveEngine& engine, LiveServer& server) {
    try {
      engine.run(server);
    } catch (const std::exception& wrong) {
      print(one_error(fmt::format("internal error: {}", wrong.what()),
                      "please report this with the command that you ran", "internal-error"));
      server.stop(bye_message(fmt::format("trammel failed: {}", wrong.what())));
    }
  }

  void announce(const LiveServer& server, bool linkage) const {
    if (options_.json) {
      const ordered_json out{{"status", "serving"},
                             {"url", server.url()},
                             {"port", server.port()},
                             {"mode", linkage ? "linkage" : "simulation"}};
      fmt::print("{}\n", out.dump());
    } else {
      fmt::print("{} at {}\n", linkage ? "the linkage waits to be moved" : "the simulation waits to be seen",
                 server.url());
      fmt::print("{}\n", options_.stay ? "Ctrl-C ends it" : "Ctrl-C ends it, and so does closing the page");
    }
    std::fflush(stdout);
    if (!options_.no_open && !start_viewer(server.url())) {
      print(one_error("no browser could be started", "open the address above in one", "no-browser"));
    }
  }

  ViewOptions options_;
  std::optional<Subject> subject_;
  std::optional<double> real_time_factor_;  // of a run of our own
};

}  // namespace

void add_view(CommandLine& line) {
  Verb verb(line, "view", "the viewer: live in the browser, or as one self-contained page");
  auto options = std::make_shared<ViewOptions>();
  verb.input("model_or_recording", options->input,
             "model file (.yaml, .urdf, .xml, .kam, .dm, .cfg), or a recording of trammel simulate (.h5)");
  const auto named = [](const std::string& text) { return text.empty() ? "needs the name of a file" : std::string(); };
  verb.option("--html", options->html, "write the page, with all its data, to this file; - for standard output")
      .check(named);
  verb.option("--png", options->pictures.png, "write a picture to this file, by a headless Chromium").check(named);
  verb.option("--mp4", options->pictures.mp4, "write a film to this file, by Chromium and ffmpeg").check(named);
  verb.flag("--sweep", options->sweep, "show the range of the file's inputs, with its dead points");
  verb.list("--input", options->inputs.inputs, "JOINT=from:to:step, instead of the file's inputs");
  verb.list("--speed", options->inputs.speeds, "JOINT=speed of the input");
  verb.list("--accel", options->inputs.accelerations, "JOINT=acceleration of the input");
  verb.flag("--forces", options->forces, "with a sweep: reactions too");
  verb.option("--simulate", options->simulate, "simulate the model for so many seconds and show that").not_negative();
  verb.option("--compare", options->compare, "a second recording, shown faint beside the first").check(named);
  verb.option("--as", options->as, "live: linkage (moved by hand, loops closed) or simulation (by forces)")
      .one_of({"linkage", "simulation"});
  verb.option("--pace", options->pace, "live: simulated time over wall-clock time; 0: as fast as it can")
      .not_negative()
      .show_default();
  verb.option("--port", options->port, "live: serve on this port of the loopback interface; 0: any that is free")
      .between(0, 65535);
  verb.flag("--stay", options->stay, "live: go on serving when the page is closed");
  verb.flag("--no-open", options->no_open, "start no browser");
  verb.option("--max-size", options->max_size, "MB of the page; longer recordings lose rows, not peaks")
      .not_negative()
      .show_default();
  verb.option("--at", options->at, "of the picture: time in s, or value of the input");
  verb.option("--size", options->size, "of picture and film, in pixels").show_default();
  verb.option("--fps", options->pictures.fps, "of the film, pictures a second").between(1, 120).show_default();
  verb.option("--film-speed", options->pictures.speed, "of the film: 2 is twice as fast as in reality")
      .positive()
      .show_default();
  verb.option("--look", options->pictures.look,
              "of picture and film: words of the page's address, such as theme=dark&view=xy&show=mass");
  verb.cut(options->cut);
  add_read_options(verb, options->read);
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "A model alone is shown live: simulated or, where it has inputs and nothing acts over time, as a linkage to be "
      "dragged.\n"
      "The server is on the loopback interface alone and knows the page by a random token.\n"
      "Examples:\n"
      "  trammel view models/humanoid.yaml\n"
      "  trammel view models/crank_rocker.yaml --sweep --html crank_rocker.html\n"
      "  trammel simulate models/double_pendulum.yaml --until 10 --record run.h5 && trammel view run.h5\n"
      "  trammel view run.h5 --png run.png --at 2.5");
  verb.run([options] { return ViewVerb(*options).run(); });
}

}  // namespace trammel::tool
