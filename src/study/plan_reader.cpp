// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reads the plan of a study (docs/formats/study.md) and tries it on the model as it is drawn.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <trammel/study.hpp>

#include "readers/load_file.hpp"
#include "readers/yaml_fields.hpp"
#include "study/keeping.hpp"
#include "study/observation.hpp"
#include "study/sobol.hpp"
#include "study/substitution.hpp"

namespace trammel {

namespace {

using namespace readers;  // NOLINT(google-build-using-namespace): this is a reader
using Kind = StudyParameter::Kind;
using What = StudyKeep::What;
using At = std::size_t;

constexpr std::uint64_t most_tasks = 100'000'000;
constexpr std::size_t max_bytes = 4u << 20;

// What the pieces below share.
struct PlanReading {
  Reading r;
  StudyPlan plan;
};

const Node* find(const Node& root, std::string_view key) { return root.is_map() ? root.find(key) : nullptr; }

// Names are those of expressions: letters, digits and _.
bool check_word(Reading& r, const Node& key, std::string_view kind, const std::vector<std::string>& taken) {
  const std::string& name = key.text;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), fits)) {
    r.messages.error(key.where, "study-name", fmt::format("{} is no name for a {}", quote(name), kind),
                     "use letters, digits and _, and begin with a letter: expressions use it");
    return false;
  }
  static const std::vector<std::string> reserved{"task", "seed", "status", "reason"};
  if (std::find(taken.begin(), taken.end(), name) != taken.end() ||
      std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
    r.messages.error(key.where, "study-name", fmt::format("{} is taken already", quote(name)), "choose another name");
    return false;
  }
  return true;
}

std::optional<std::vector<double>> read_list(Reading& r, const Node& node, const std::string& what) {
  if (!node.is_list() || node.children.empty()) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a list of numbers, not {}", what, describe(node)),
                     "write [number, number, …]");
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (At k = 0; k < node.children.size(); ++k) {
    const auto x = read_plain_number(r, *node.children[k].value, fmt::format("number {} in {}", k + 1, what));
    if (x) numbers.push_back(*x);
  }
  if (numbers.size() != node.children.size()) return std::nullopt;
  return numbers;
}

std::optional<std::uint64_t> read_count(Reading& r, const Node& node, const std::string& what, std::uint64_t least) {
  std::uint64_t count = 0;
  const char* const last = node.text.data() + node.text.size();
  const auto [end, error] = std::from_chars(node.text.data(), last, count);
  if (node.is_scalar() && !node.quoted && error == std::errc() && end == last && count >= least) return count;
  r.messages.error(node.where, "study-count",
                   fmt::format("{} must be a whole number from {} on, not {}", what, least, describe(node)),
                   "write digits only");
  return std::nullopt;
}

// --- parameters -------------------------------------------------------------------------------------------------------------------

struct KindWord {
  std::string_view word;
  Kind kind;
  std::size_t numbers;  // 0: any number of them
  std::string_view order;
};
constexpr std::array<KindWord, 8> kind_words{
    {{"values", Kind::values, 0, "the values"},
     {"grid", Kind::values, 3, "[from, to, count]"},
     {"uniform", Kind::uniform, 2, "[least, most]"},
     {"log-uniform", Kind::log_uniform, 2, "[least, most], both above 0"},
     {"normal", Kind::normal, 2, "[mean, standard deviation]"},
     {"lognormal", Kind::lognormal, 2, "[median, standard deviation of the logarithm], both above 0"},
     {"triangular", Kind::triangular, 3, "[least, most likely, most]"},
     {"choice", Kind::choice, 0, "the values"}}};

// Why the numbers cannot be those of such a distribution.
std::string trouble(const KindWord& word, const std::vector<double>& x) {
  if (word.numbers != 0 && x.size() != word.numbers) return fmt::format("it has {}", count_of(x.size(), "number"));
  if (word.word == "grid") {
    if (!(x[2] >= 1 && x[2] <= 1e6 && x[2] == std::floor(x[2]))) return "the count is not a whole number from 1 to 1e6";
    return "";
  }
  const bool is_too_wide = x.size() > 1 && !(x.back() - x.front() <= 1e150);  // products of widths must be numbers too
  switch (word.kind) {
    case Kind::uniform:
      return is_too_wide ? "it is wider than 1e150" : x[0] < x[1] ? "" : "the least is not below the most";
    case Kind::log_uniform:
      return x[0] > 0 && x[0] < x[1] ? "" : "the least is not above 0 and below the most";
    case Kind::normal:
      return x[1] > 0 ? "" : "the standard deviation is not above 0";
    case Kind::lognormal:
      return x[0] > 0 && x[1] > 0 ? "" : "a number is not above 0";
    case Kind::triangular:
      return is_too_wide                                   ? "it is wider than 1e150"
             : x[0] <= x[1] && x[1] <= x[2] && x[0] < x[2] ? ""
                                                           : "they do not rise";
    case Kind::values:
    case Kind::choice:
      break;
  }
  return "";
}

bool read_kind(Reading& r, const Fields& fields, StudyParameter& parameter) {
  const KindWord* chosen = nullptr;
  for (const KindWord& word : kind_words) {
    const Node* node = fields.find(word.word);
    if (node == nullptr) continue;
    if (chosen != nullptr) {
      r.messages.error(node->where, "key-conflict",
                       fmt::format("{} has both '{}' and '{}'", fields.subject(), chosen->word, word.word),
                       "keep one of them");
      return false;
    }
    chosen = &word;
    const auto numbers = read_list(r, *node, fields.what(word.word));
    if (!numbers) return false;
    parameter.kind = word.kind, parameter.numbers = *numbers;
    if (const std::string wrong = trouble(word, *numbers); !wrong.empty()) {
      r.messages.error(node->where, "study-distribution",
                       fmt::format("{} cannot be: {}", fields.what(word.word), wrong),
                       fmt::format("write {}: {}", word.word, word.order));
      return false;
    }
  }
  if (chosen == nullptr) {
    fields.report_missing(r, "uniform", "add uniform: [least, most], values: [..], grid: [from, to, count], normal, …");
    return false;
  }
  if (chosen->word == "grid") {
    const std::vector<double> g = parameter.numbers;
    const auto count = static_cast<At>(g[2]);
    parameter.numbers.clear();
    for (At k = 0; k < count; ++k) {
      const double share = count == 1 ? 0 : static_cast<double>(k) / static_cast<double>(count - 1);
      parameter.numbers.push_back(k + 1 == count && count > 1 ? g[1] : g[0] + (g[1] - g[0]) * share);
    }
  }
  return true;
}

void read_places(Reading& r, const Node& node, const std::string& what, std::vector<std::string>& places) {
  if (node.is_scalar()) {
    places.push_back(node.text);
  } else if (node.is_list()) {
    for (const Node::Child& child : node.children) {
      if (const auto text = read_text(r, *child.value, what)) places.push_back(*text);
    }
  } else {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a place, not {}", what, describe(node)),
                     "write bodies.crank.mass, or a list of places");
  }
}

void read_parameters(PlanReading& p, const Node& section) {
  Reading& r = p.r;
  if (!check_section(r, section, "parameters", "{mass: {uniform: [1, 2], at: bodies.crank.mass}, …}")) return;
  std::vector<std::string> taken;
  for (const Node::Child& child : section.children) {
    if (!check_word(r, *child.key, "parameter", taken)) continue;
    StudyParameter parameter;
    parameter.name = child.key->text;
    parameter.where = child.key->where;
    const Fields fields(r, *child.value, "study parameter", "parameter " + quote(parameter.name));
    if (!fields.usable() || !read_kind(r, fields, parameter)) continue;
    if (const Node* at = fields.find("at")) {
      parameter.where = at->where;
      read_places(r, *at, fields.what("at"), parameter.at);
    }
    if (const Node* start = fields.find("start")) parameter.start = read_plain_number(r, *start, fields.what("start"));
    if (const Node* bounds = fields.find("bounds")) {
      const auto x = read_list(r, *bounds, fields.what("bounds"));
      if (x && x->size() == 2 && (*x)[0] < (*x)[1]) {
        parameter.least = (*x)[0], parameter.most = (*x)[1];
      } else if (x) {
        r.messages.error(bounds->where, "study-distribution",
                         fmt::format("{} are not two that rise", fields.what("bounds")), "write bounds: [least, most]");
      }
    }
    taken.push_back(parameter.name);
    p.plan.parameters.push_back(std::move(parameter));
  }
}

void read_settings(PlanReading& p, const Node& section) {
  if (!check_section(p.r, section, "set", "{\"points.A[0]\": \"2*x\", …}")) return;
  for (const Node::Child& child : section.children) {
    const auto text = read_text(p.r, *child.value, fmt::format("value of {}", quote(child.key->text)));
    if (text) p.plan.settings.push_back({child.key->text, *text, child.key->where});
  }
}

void read_samples(PlanReading& p, const Node& node) {
  const bool sampled =
      std::any_of(p.plan.parameters.begin(), p.plan.parameters.end(), [](const auto& x) { return x.is_sampled(); });
  if (node.is_null()) {
    return;
  }
  const Fields fields(p.r, node, "study samples", "samples");
  if (!fields.usable()) return;
  const std::array<std::pair<std::string_view, StudySampling>, 3> words{
      {{"random", StudySampling::random},
       {"latin-hypercube", StudySampling::latin_hypercube},
       {"sobol", StudySampling::sobol}}};
  int found = 0;
  for (const auto& [word, sampling] : words) {
    const Node* count = fields.find(word);
    if (count == nullptr) continue;
    ++found;
    p.plan.sampling = sampling;
    p.plan.samples = read_count(p.r, *count, fields.what(word), 1).value_or(1);
  }
  if (found != 1) {
    p.r.messages.error(node.where, "study-samples", "samples must name one way to choose them, with their number",
                       "write samples: {sobol: 1024}, {latin-hypercube: 500} or {random: 10000}");
  }
  if (!sampled && found == 1) {
    p.r.messages.warning(node.where, "study-samples", "samples are counted, but no parameter has a distribution",
                         "leave samples out, or give a parameter uniform: [least, most]");
  }
  const auto dimensions =
      std::count_if(p.plan.parameters.begin(), p.plan.parameters.end(), [](const auto& x) { return x.is_sampled(); });
  if (p.plan.sampling == StudySampling::sobol && dimensions > study::most_sobol_dimensions) {
    p.r.messages.error(
        node.where, "study-samples",
        fmt::format("Sobol's points have at most {} coordinates here, and {} parameters have a distribution",
                    study::most_sobol_dimensions, dimensions),
        "use latin-hypercube");
  }
}

// --- what is run and kept ---------------------------------------------------------------------------------------------------------

void read_run(PlanReading& p, const Node& node) {
  Reading& r = p.r;
  if (node.is_scalar()) {
    const auto word = read_word(r, node, "run", {"analyze", "simulate", "impact"});
    if (word && *word == "impact") {
      r.messages.error(node.where, "study-run", "an impact needs a scenario", "write run: {impact: FILE}");
    } else if (word) {
      p.plan.run = *word == "analyze" ? StudyRun::analyze : StudyRun::simulate;
    }
    return;
  }
  const Fields fields(r, node, "study run", "run");
  if (!fields.usable()) return;
  if (node.children.size() != 1) {
    r.messages.error(node.where, "study-run", "run must name one kind of run",
                     "write run: analyze, run: simulate, or run: {impact: FILE}");
    return;
  }
  if (const Node* impact = fields.find("impact")) {
    p.plan.run = StudyRun::impact;
    p.plan.scenario_file = read_text(r, *impact, "the scenario").value_or("");
  } else if (const Node* analyze = fields.find("analyze")) {
    p.plan.run = StudyRun::analyze;
    if (analyze->is_null()) return;
    const Fields of_analyze(r, *analyze, "study analyze", "analyze");
    if (const Node* forces = of_analyze.find("forces")) p.plan.forces = read_bool(r, *forces, "forces").value_or(false);
  } else if (fields.has("simulate")) {
    p.plan.run = StudyRun::simulate;
  }
}

bool read_path(Reading& r, const Fields& fields, const Node& node, StudyKeep& keep) {
  keep.what = What::path;
  keep.text = read_text(r, node, fields.what("path")).value_or("");
  const Node* points = fields.find("points");
  if (points == nullptr || !points->is_list() || points->children.empty()) {
    fields.report_missing(r, "points", "add points: [[x, y], [x, y], …], in the units of the model");
    return false;
  }
  for (const Node::Child& child : points->children) {
    const auto x = read_list(r, *child.value, "a point of " + fields.subject());
    if (!x) return false;
    if (x->size() != 2 && x->size() != 3) {
      r.messages.error(child.value->where, "list-length",
                       fmt::format("a point of {} has {}", fields.subject(), count_of(x->size(), "number")),
                       "write [x, y] or [x, y, z]");
      return false;
    }
    keep.points.push_back({(*x)[0], (*x)[1], x->size() == 3 ? (*x)[2] : 0});
  }
  if (const Node* match = fields.find("match")) {
    const auto word = read_word(r, *match, fields.what("match"), {"nearest", "order"});
    if (!word) return false;
    keep.by_order = *word == "order";
  }
  return true;
}

bool read_keep(Reading& r, const Node& node, StudyKeep& keep) {
  if (node.is_scalar()) {
    keep.text = node.text;
    return true;
  }
  const Fields fields(r, node, "study keep", quote(keep.name));
  if (!fields.usable()) return false;
  if (const Node* path = fields.find("path")) return read_path(r, fields, *path, keep);
  for (const What what : {What::last, What::first, What::least, What::most, What::mean, What::rms, What::peak,
                          What::span, What::at_least, What::at_most, What::expression}) {
    const Node* text = fields.find(keyword(what));
    if (text == nullptr) continue;
    if (!keep.text.empty()) {
      r.messages.error(text->where, "key-conflict",
                       fmt::format("{} has both '{}' and '{}'", fields.subject(), keyword(keep.what), keyword(what)),
                       "keep two numbers, each with its name");
      return false;
    }
    keep.what = what;
    keep.text = read_text(r, *text, fields.what(keyword(what))).value_or("");
  }
  if (keep.text.empty()) fields.report_missing(r, "last", "add last: CHANNEL, or most, least, mean, rms, peak, …");
  return !keep.text.empty();
}

void read_keeps(PlanReading& p, const Node& section) {
  Reading& r = p.r;
  if (section.is_null()) {
    r.messages.error({1, 1}, "missing-key", "a study has no 'keep'", "add keep: {largest: {most: CHANNEL}}");
    return;
  }
  if (!check_section(r, section, "keep", "{force: {most: A.force}, …}")) return;
  std::vector<std::string> taken;
  for (const StudyParameter& parameter : p.plan.parameters) taken.push_back(parameter.name);
  for (const Node::Child& child : section.children) {
    if (!check_word(r, *child.key, "kept number", taken)) continue;
    StudyKeep keep;
    keep.name = child.key->text;
    keep.where = child.value->where;
    if (!read_keep(r, *child.value, keep)) continue;
    taken.push_back(keep.name);
    p.plan.keep.push_back(std::move(keep));
  }
}

void read_objective(PlanReading& p, const Node& node) {
  if (node.is_null()) return;
  const Fields fields(p.r, node, "study objective", "objective");
  if (!fields.usable()) return;
  const Node *least = fields.find("minimize"), *most = fields.find("maximize");
  if ((least == nullptr) == (most == nullptr)) {
    p.r.messages.error(node.where, "study-objective", "objective must say either minimize or maximize",
                       "write objective: {minimize: EXPRESSION}");
    return;
  }
  const Node& expression = least == nullptr ? *most : *least;
  p.plan.objective =
      StudyObjective{read_text(p.r, expression, "objective").value_or("0"), least == nullptr, expression.where};
}

void read_header(PlanReading& p, const Node& root) {
  Reading& r = p.r;
  const Node* version = find(root, "trammel-study");
  if (version == nullptr || !version->is_scalar() || version->text != "1") {
    r.messages.error(version == nullptr ? SourceLocation{1, 1} : version->where, "format-missing",
                     "the file does not say that it is the plan of a study",
                     "begin it with the line 'trammel-study: 1'");
  }
  if (const Node* name = find(root, "name")) p.plan.name = read_text(r, *name, "name").value_or("");
  if (const Node* model = find(root, "model")) p.plan.model_file = read_text(r, *model, "model").value_or("");
  if (const Node* seed = find(root, "seed")) p.plan.seed = read_count(r, *seed, "seed", 0).value_or(1);
  if (const Node* limit = find(root, "time-limit")) {
    const auto x = read_positive(r, *limit, "time-limit", dimension::none);
    p.plan.time_limit = x.value_or(0);
  }
}

void read_series(PlanReading& p, const Node& node) {
  if (node.is_null()) return;
  if (!node.is_list()) {
    p.r.messages.error(node.where, "wrong-type",
                       fmt::format("series must be a list of channels, not {}", describe(node)),
                       "write series: [P.x, P.y]");
    return;
  }
  for (const Node::Child& child : node.children) {
    if (const auto text = read_text(p.r, *child.value, "a channel of series")) p.plan.series.push_back(*text);
  }
}

void read_root(PlanReading& p, const Node& root) {
  static const Node nothing;
  const auto section = [&](std::string_view key) -> const Node& {
    const Node* node = find(root, key);
    return node == nullptr ? nothing : *node;
  };
  const Fields fields(p.r, root, "study", "a study");
  read_header(p, root);
  if (p.plan.model_file.empty()) fields.report_missing(p.r, "model", "add model: FILE");
  if (section("run").is_null()) {
    fields.report_missing(p.r, "run", "add run: analyze, run: simulate, or run: {impact: FILE}");
  } else {
    read_run(p, section("run"));
  }
  read_parameters(p, section("parameters"));
  read_settings(p, section("set"));
  read_samples(p, section("samples"));
  read_keeps(p, section("keep"));
  read_series(p, section("series"));
  read_objective(p, section("objective"));
}

bool parse_plan(PlanReading& p, std::string_view text) {
  const Tree tree = parse_yaml(text, max_bytes, p.r.messages);
  if (tree.root == nullptr || tree.root->is_null()) {
    if (!p.r.messages.has_errors())
      p.r.messages.error({1, 1}, "file-empty", "the file is empty", "begin it with the line 'trammel-study: 1'");
    return false;
  }
  read_root(p, *tree.root);
  return tree.root->is_map();
}

void check_count(PlanReading& p) {
  double count = p.plan.samples > 1 ? static_cast<double>(p.plan.samples) : 1;
  for (const StudyParameter& parameter : p.plan.parameters) {
    if (!parameter.is_sampled()) count *= static_cast<double>(parameter.numbers.size());
  }
  if (count <= static_cast<double>(most_tasks)) return;
  p.r.messages.error({1, 1}, "study-too-large",
                     fmt::format("the plan has {:.3g} tasks; at most {} are possible", count, most_tasks),
                     "take fewer values or samples");
}

// Files that the model names: texts of its tree that are names of files beside it.
void find_data(const std::string& model_path, StudyPlan& plan, Messages& messages) {
  namespace fs = std::filesystem;
  Messages ignored;
  const Tree tree = parse_yaml(plan.model_text, max_bytes, ignored);
  const fs::path folder = fs::path(model_path).parent_path();
  for (const Node& node : tree.nodes) {
    if (!node.is_scalar() || node.text.size() > 200 || node.text.find('.') == std::string::npos) continue;
    if (begins_like_a_number(node.text)) continue;
    const fs::path name(node.text);
    std::error_code none;
    if (!fs::is_regular_file(folder / name, none)) continue;
    const bool beside = name.is_relative() && node.text.find("..") == std::string::npos;
    if (!beside) {
      messages.error({1, 1}, "study-data",
                     fmt::format("the model names {}, which is not below its own folder", quote(node.text)),
                     "move it beside the model: a study keeps a copy of all that it needs");
      continue;
    }
    load_file((folder / name).string(), 64u << 20, plan.data[node.text], messages);
  }
}

}  // namespace

std::string_view keyword(StudyKeep::What what) {
  constexpr std::array<std::string_view, 12> words{"last", "first", "least",    "most",    "mean",       "rms",
                                                   "peak", "span",  "at-least", "at-most", "expression", "path"};
  return words[static_cast<At>(what)];
}

StudyPlanResult read_study_plan(std::string_view text, const std::string& file, const StudyPlan& given) {
  PlanReading p;
  p.plan.file = file;
  p.plan.text = std::string(text);
  p.plan.model_text = given.model_text, p.plan.scenario_text = given.scenario_text, p.plan.data = given.data;
  p.plan.model_path = given.model_path;
  parse_plan(p, text);
  check_count(p);
  Diagnostics of_model;
  if (!p.r.messages.has_errors()) {
    const study::Wish wish{p.plan.run, p.plan.forces, {}};
    const std::vector<Channel> channels = study::list_channels(
        p.plan.model_text, p.plan.model_path, p.plan.scenario_text, p.plan.scenario_file, wish, of_model);
    const study::Substitution places(p.plan, p.r.messages);
    if (!of_model.has_errors()) const study::Keeping keeping(p.plan, channels, p.r.messages);
  }
  Diagnostics all = p.r.messages.finish(file);
  if (of_model.has_errors()) all.append(of_model);
  return {std::move(p.plan), std::move(all)};
}

StudyPlanResult load_study_plan(const std::string& path) {
  namespace fs = std::filesystem;
  PlanReading p;
  std::string text;
  if (!load_file(path, max_bytes, text, p.r.messages)) return {{}, p.r.messages.finish(path)};
  parse_plan(p, text);
  if (p.r.messages.has_errors()) return {p.plan, p.r.messages.finish(path)};
  StudyPlan given;
  const fs::path folder = fs::path(path).parent_path();
  given.model_path = (folder / p.plan.model_file).string();
  Messages of_model;
  if (!load_file(given.model_path, max_bytes, given.model_text, of_model))
    return {p.plan, of_model.finish(given.model_path)};
  const std::string extension = fs::path(given.model_path).extension().string();
  if (extension != ".yaml" && extension != ".yml") {
    p.r.messages.error({1, 1}, "study-model",
                       fmt::format("the model {} is not a native file", quote(p.plan.model_file)),
                       fmt::format("write one with: trammel convert {} -o model.yaml", p.plan.model_file));
    return {p.plan, p.r.messages.finish(path)};
  }
  if (p.plan.run == StudyRun::impact) {
    const std::string scenario = (folder / p.plan.scenario_file).string();
    if (!load_file(scenario, max_bytes, given.scenario_text, of_model)) return {p.plan, of_model.finish(scenario)};
  }
  find_data(given.model_path, given, p.r.messages);
  if (p.r.messages.has_errors()) return {p.plan, p.r.messages.finish(path)};
  return read_study_plan(text, path, given);
}

}  // namespace trammel
