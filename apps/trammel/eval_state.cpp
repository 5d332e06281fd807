// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "eval_state.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trammel::tool {
namespace {

using nlohmann::json;

constexpr std::size_t max_state_bytes = 64u << 20;

std::optional<std::string> read_text(const std::string& path, Diagnostics& diagnostics) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return text;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    diagnostics.error({}, "file-unreadable",
                      file ? "the state file is empty" : "there is no such state file, or it cannot be read",
                      "give the path of a JSON file, or - for standard input");
    return std::nullopt;
  }
  while (file && text.size() <= max_state_bytes) {
    char block[65536];
    file.read(block, sizeof block);
    text.append(block, static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > max_state_bytes) {
    diagnostics.error({}, "file-too-large", "the state file is larger than 64 MB",
                      "a state needs a few numbers a joint");
    return std::nullopt;
  }
  return text;
}

SourceLocation location_of(const std::string& text, std::size_t byte) {
  SourceLocation where{1, 1};
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    where.column = text[i] == '\n' ? 1 : where.column + 1;
    where.line += text[i] == '\n';
  }
  return where;
}

// Where the first number begins that no double holds, outside of texts in quotes; the length of its word.
std::pair<std::size_t, std::size_t> find_too_large(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    } else if (text[i] == '-' || std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      const std::size_t end = std::min(text.find_first_not_of("0123456789+-.eE", i), text.size());
      if (std::isinf(std::strtod(text.substr(i, end - i).c_str(), nullptr))) return {i, end - i};
      i = end - 1;
    }
  }
  return {text.size(), 0};
}

// JSON with every duplicate key found; nlohmann alone would keep the last one in silence.
json parse(const std::string& text, Diagnostics& diagnostics) {
  std::vector<std::set<std::string>> keys;
  int depth = 0;
  bool too_deep = false;
  const auto watch = [&](int level, json::parse_event_t event, json& value) {
    depth = level;
    too_deep = too_deep || level > 8;
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      diagnostics.error({}, "json-duplicate-key", fmt::format("'{}' is given twice", value.get<std::string>()),
                        "keep one of them");
    }
    return !too_deep;
  };
  try {
    json root = json::parse(text, watch);
    if (too_deep) {
      diagnostics.error({}, "json-depth", "the state is nested too deeply", "see trammel eval --help for its form");
      return json::object();
    }
    return root;
  } catch (const json::parse_error& error) {
    diagnostics.error(location_of(text, error.byte), "json-syntax", "this is not JSON here",
                      "see trammel eval --help for its form");
  } catch (const json::out_of_range&) {
    const auto [begin, length] = find_too_large(text);
    diagnostics.error(location_of(text, begin + 1), "json-syntax",
                      fmt::format("the number {} is beyond what a double holds",
                                  length <= 40 ? text.substr(begin, length) : text.substr(begin, 40) + "…"),
                      "give a number of size 1.79e308 at most");
  }
  return json::object();
}

class StateReader {
 public:
  StateReader(const Mechanism& mechanism, EvalState& out, Diagnostics& diagnostics)
      : mechanism_(mechanism), out_(out), diagnostics_(diagnostics) {}

  void read(const json& root) {
    if (!root.is_object()) {
      diagnostics_.error({}, "state-form", "the state is not an object", "write {\"q\": {\"joint\": [0.1]}, ...}");
      return;
    }
    for (const auto& [key, value] : root.items()) {
      if (key == "q") {
        read_joint_map(key, value, true, out_.state.q, &out_.q_named);
      } else if (key == "v") {
        read_joint_map(key, value, false, out_.state.v, &out_.v_named);
      } else if (key == "a") {
        read_joint_map(key, value, false, out_.a, &out_.a_named);
        out_.gives_a = !value.empty();
      } else if (key == "tau") {
        read_joint_map(key, value, false, out_.tau, nullptr);
        out_.gives_tau = !value.empty();
      } else if (key == "prescribed") {
        read_prescribed(value);
      } else if (key == "actuated") {
        read_actuated(value);
      } else if (key == "wrenches") {
        read_wrenches(value);
      } else if (key == "t") {
        if (const auto t = numbers(value, "t", 1)) out_.state.t = t->front();
      } else {
        complain_unknown(key, "key", {"q", "v", "a", "tau", "t", "prescribed", "actuated", "wrenches"});
      }
    }
  }

 private:
  const Mechanism& mechanism_;
  EvalState& out_;
  Diagnostics& diagnostics_;

  void complain_unknown(const std::string& name, std::string_view kind, const std::vector<std::string>& known) {
    const std::string near = did_you_mean(name, known);
    diagnostics_.error(
        {}, "state-unknown-name", fmt::format("the state has an unknown {} '{}'", kind, name),
        near.empty() ? fmt::format("use one of: {}", fmt::join(known, ", ")) : fmt::format("did you mean '{}'?", near));
  }

  const JointInfo* find_joint(const std::string& name) {
    const int j = mechanism_.find_joint(name);
    if (j < 0) {
      std::vector<std::string> names;
      for (const JointInfo& joint : mechanism_.joints) {
        if (joint.role == JointRole::tree) names.push_back(joint.name);
      }
      complain_unknown(name, "joint", names);
      return nullptr;
    }
    const JointInfo& joint = mechanism_.joints[j];
    if (joint.role == JointRole::closure) {
      diagnostics_.error({}, "state-closure",
                         fmt::format("joint '{}' closes a loop: its coordinates follow from the others", name),
                         "leave it out, or cut the loop at another joint (--cut)");
      return nullptr;
    }
    return &joint;
  }

  // A list of finite numbers, or one number standing for a list of one.
  std::optional<std::vector<double>> numbers(const json& value, const std::string& what, std::size_t count) {
    const json list = value.is_array() ? value : json::array({value});
    std::vector<double> result;
    for (const json& x : list) {
      if (!x.is_number() || !std::isfinite(x.get<double>())) {
        diagnostics_.error({}, "state-number", fmt::format("{} has an entry that is not a finite number", what),
                           "give numbers");
        return std::nullopt;
      }
      result.push_back(x.get<double>());
    }
    if (result.size() != count) {
      diagnostics_.error({}, "state-length", fmt::format("{} has {} numbers, it needs {}", what, result.size(), count),
                         "trammel check shows the coordinates of each joint");
      return std::nullopt;
    }
    return result;
  }

  void read_joint_map(const std::string& key, const json& map, bool coordinates, std::vector<double>& target,
                      std::vector<char>* named) {
    if (!map.is_object()) {
      diagnostics_.error({}, "state-form", fmt::format("'{}' is not an object", key),
                         fmt::format("write \"{}\": {{\"joint\": [0.1]}}", key));
      return;
    }
    for (const auto& [name, value] : map.items()) {
      const JointInfo* joint = find_joint(name);
      if (joint == nullptr) continue;
      auto list = numbers(value, fmt::format("{} of joint '{}'", key, name),
                          static_cast<std::size_t>(coordinates ? joint->nq : joint->nv));
      if (!list) continue;
      if (coordinates && joint->nq != joint->nv) normalize_quaternion(name, *list);
      std::copy(list->begin(), list->end(), target.begin() + (coordinates ? joint->q : joint->v));
      if (named != nullptr) std::fill_n(named->begin() + std::max(joint->v, 0), joint->nv, 1);
    }
  }

  void normalize_quaternion(const std::string& name, std::vector<double>& q) {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (std::abs(length - 1) > 1e-3) {
      diagnostics_.error({}, "state-quaternion",
                         fmt::format("the quaternion of joint '{}' has length {:.6g}, not 1", name, length),
                         "give (w, x, y, z) of unit length");
      return;
    }
    for (int i = 0; i < 4; ++i) q[i] /= length;
  }

  void read_prescribed(const json& list) {
    if (!list.is_array()) {
      diagnostics_.error({}, "state-form", "'prescribed' is not a list", "write \"prescribed\": [\"joint\"]");
      return;
    }
    for (const json& name : list) {
      const JointInfo* joint = name.is_string() ? find_joint(name.get<std::string>()) : nullptr;
      if (joint == nullptr) {
        if (!name.is_string())
          diagnostics_.error({}, "state-form", "'prescribed' has an entry that is not a name", "name joints");
        continue;
      }
      std::fill_n(out_.prescribed.begin() + std::max(joint->v, 0), joint->nv, 1);
    }
  }

  // Any joint that moves, closing ones too.
  void read_actuated(const json& list) {
    if (!list.is_array()) {
      diagnostics_.error({}, "state-form", "'actuated' is not a list", "write \"actuated\": [\"joint\"]");
      return;
    }
    out_.actuated.emplace();
    for (const json& name : list) {
      if (!name.is_string()) {
        diagnostics_.error({}, "state-form", "'actuated' has an entry that is not a name", "name joints");
        continue;
      }
      const int j = mechanism_.find_joint(name.get<std::string>());
      if (j >= 0) {
        out_.actuated->push_back(j);
        continue;
      }
      std::vector<std::string> names;
      for (const JointInfo& joint : mechanism_.joints) names.push_back(joint.name);
      complain_unknown(name.get<std::string>(), "joint", names);
    }
  }

  std::optional<Vec3d> vector(const json& value, const std::string& what) {
    const auto list = numbers(value, what, 3);
    return list ? std::optional(Vec3d{(*list)[0], (*list)[1], (*list)[2]}) : std::nullopt;
  }

  void read_wrenches(const json& map) {
    if (!map.is_object()) {
      diagnostics_.error({}, "state-form", "'wrenches' is not an object",
                         "write \"wrenches\": {\"body\": {\"force\": [0, 0, 1]}}");
      return;
    }
    for (const auto& [name, entry] : map.items()) {
      BodyWrench wrench{.body = mechanism_.find_body(name), .at_B = {}, .F_W = {}};
      if (wrench.body < 0) {
        std::vector<std::string> names;
        for (const BodyInfo& body : mechanism_.bodies) names.push_back(body.name);
        complain_unknown(name, "body", names);
        continue;
      }
      if (!entry.is_object()) {
        diagnostics_.error({}, "state-form", fmt::format("the wrench on '{}' is not an object", name),
                           "write {\"force\": [..], \"moment\": [..], \"at\": [..]}");
        continue;
      }
      for (const auto& [key, value] : entry.items()) {
        const std::string what = fmt::format("{} of the wrench on '{}'", key, name);
        Vec3d* target = key == "force"    ? &wrench.F_W.f
                        : key == "moment" ? &wrench.F_W.n
                        : key == "at"     ? &wrench.at_B
                                          : nullptr;
        if (target == nullptr) {
          complain_unknown(key, "key of a wrench", {"force", "moment", "at"});
        } else if (const auto v = vector(value, what)) {
          *target = *v;
        }
      }
      out_.wrenches.push_back(wrench);
    }
  }
};

void warn_beyond_limits(const Mechanism& mechanism, const State& state, Diagnostics& diagnostics) {
  for (const JointInfo& joint : mechanism.joints) {
    if (joint.role != JointRole::tree || joint.nq != joint.nv) continue;
    for (int i = 0; i < joint.nq; ++i) {
      const double q = state.q[joint.q + i];
      const JointProperties& p = joint.properties;
      const double lower = p.lower.empty() ? -infinity : p.lower[i], upper = p.upper.empty() ? infinity : p.upper[i];
      if (q < lower || q > upper) {
        diagnostics.warning(
            {}, "state-beyond-limit",
            fmt::format("joint '{}' is at {:.6g}, outside its limits {:.6g} to {:.6g}", joint.name, q, lower, upper),
            "limits do not act in eval");
      }
    }
  }
}

// What the model's initial section gives is given, as what a state file gives.
void name_initial_joints(const Mechanism& mechanism, EvalState& out) {
  for (const JointInfo& joint : mechanism.joints) {
    if (joint.role != JointRole::tree) continue;
    if (!joint.q_initial.empty()) std::fill_n(out.q_named.begin() + joint.v, joint.nv, 1);
    if (!joint.v_initial.empty()) std::fill_n(out.v_named.begin() + joint.v, joint.nv, 1);
  }
}

}  // namespace

bool EvalState::is_hybrid() const {
  return std::any_of(prescribed.begin(), prescribed.end(), [](char p) { return p != 0; });
}

EvalState read_state(const Mechanism& mechanism, const std::optional<std::string>& path, bool from_initial,
                     Diagnostics& diagnostics) {
  const auto nv = static_cast<std::size_t>(mechanism.nv);
  EvalState out{.state = from_initial ? initial_state(mechanism) : design_state(mechanism),
                .a = std::vector<double>(nv),
                .tau = std::vector<double>(nv),
                .prescribed = std::vector<char>(nv),
                .wrenches = {},
                .q_named = std::vector<char>(nv),
                .v_named = std::vector<char>(nv),
                .a_named = std::vector<char>(nv),
                .actuated = {}};
  if (from_initial) name_initial_joints(mechanism, out);
  if (path) {
    diagnostics.file = *path == "-" ? "standard input" : *path;
    if (const std::optional<std::string> text = read_text(*path, diagnostics)) {
      const json root = parse(*text, diagnostics);
      if (!diagnostics.has_errors()) StateReader(mechanism, out, diagnostics).read(root);
    }
  }
  if (!diagnostics.has_errors()) warn_beyond_limits(mechanism, out.state, diagnostics);
  return out;
}

}  // namespace trammel::tool
