// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "eval_state.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "located_json.hpp"

namespace trammel::tool {
namespace {

constexpr std::size_t max_state_bytes = 32u << 20;
constexpr int most_errors = 50;  // more nobody reads

std::optional<std::string> read_text(const std::string& path, Diagnostics& diagnostics) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  if (!in || in.peek() == std::istream::traits_type::eof()) {
    diagnostics.error({}, "file-unreadable",
                      in ? "the state file is empty" : "there is no such state file, or it cannot be read",
                      "give the path of a JSON file, or - for standard input");
    return std::nullopt;
  }
  std::string text;
  while (in && text.size() <= max_state_bytes) {
    char block[65536];
    in.read(block, sizeof block);
    text.append(block, static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > max_state_bytes) {
    diagnostics.error({}, "file-too-large", fmt::format("the state is larger than {} MB", max_state_bytes >> 20),
                      "a state needs a few numbers a joint");
    return std::nullopt;
  }
  return text;
}

class StateReader {
 public:
  StateReader(const Mechanism& mechanism, EvalState& out, Diagnostics& diagnostics)
      : mechanism_(mechanism), out_(out), diagnostics_(diagnostics) {}

  void read(const LocatedJson& root) {
    if (!root.is_object()) {
      error(root.where, "state-form", "the state is not an object", "write {\"q\": {\"joint\": [0.1]}, ...}");
      return;
    }
    for (const LocatedJson& part : root.items) {
      const std::string& key = part.key;
      if (key == "q") {
        read_joint_map(part, true, out_.state.q, &out_.q_named);
      } else if (key == "v") {
        read_joint_map(part, false, out_.state.v, &out_.v_named);
      } else if (key == "a") {
        read_joint_map(part, false, out_.a, &out_.a_named);
      } else if (key == "tau") {
        read_joint_map(part, false, out_.tau, nullptr);
      } else if (key == "prescribed") {
        read_prescribed(part);
      } else if (key == "actuated") {
        read_actuated(part);
      } else if (key == "wrenches") {
        read_wrenches(part);
      } else if (key == "t") {
        if (const auto t = numbers(part, "t", 1)) out_.state.t = t->front();
      } else {
        complain_unknown(part.key_where, key, "key", {"q", "v", "a", "tau", "t", "prescribed", "actuated", "wrenches"});
        continue;
      }
      const bool says_something = !(part.is_object() || part.is_list()) || !part.items.empty();
      if (says_something) out_.given.emplace(key, part.key_where);
    }
    if (errors_ > most_errors) {
      diagnostics_.note({}, "too-many-messages", fmt::format("{} more messages are not shown", errors_ - most_errors),
                        "mend these first; the others may follow from them");
    }
  }

 private:
  const Mechanism& mechanism_;
  EvalState& out_;
  Diagnostics& diagnostics_;
  int errors_ = 0;

  void error(SourceLocation where, std::string id, std::string what, std::string fix) {
    if (++errors_ <= most_errors) diagnostics_.error(where, std::move(id), std::move(what), std::move(fix));
  }

  void complain_unknown(SourceLocation where, const std::string& name, std::string_view kind,
                        const std::vector<std::string>& known) {
    if (errors_ >= most_errors) {
      ++errors_;
      return;
    }
    constexpr std::size_t most_names = 12;
    const std::string near = did_you_mean(name, known);
    const auto shown = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), most_names));
    const std::string choice =
        fmt::format("use one of: {}{}", fmt::join(known.begin(), shown, ", "),
                    known.size() > most_names ? fmt::format(" and {} more", known.size() - most_names) : std::string{});
    error(where, "state-unknown-name", fmt::format("the state has an unknown {} '{}'", kind, name),
          near.empty() ? choice : fmt::format("did you mean '{}'?", near));
  }

  const JointInfo* find_joint(SourceLocation where, const std::string& name) {
    const int j = mechanism_.find_joint(name);
    if (j < 0) {
      std::vector<std::string> names;
      for (const JointInfo& joint : mechanism_.joints) {
        if (errors_ < most_errors && joint.role == JointRole::tree) names.push_back(joint.name);
      }
      complain_unknown(where, name, "joint", names);
      return nullptr;
    }
    const JointInfo& joint = mechanism_.joints[j];
    if (joint.role == JointRole::closure) {
      error(where, "state-closure",
            fmt::format("joint '{}' closes a loop: its coordinates follow from the others, and forces are given in the "
                        "tree's joints",
                        name),
            "leave it out, or cut the loop at another joint (--cut)");
      return nullptr;
    }
    return &joint;
  }

  // A list of finite numbers, or one number standing for a list of one.
  std::optional<std::vector<double>> numbers(const LocatedJson& value, const std::string& what, std::size_t count) {
    const std::span<const LocatedJson> list = value.is_list() ? std::span(value.items) : std::span(&value, 1);
    std::vector<double> result;
    for (const LocatedJson& x : list) {
      if (!x.is_number() || !std::isfinite(x.number)) {
        error(x.where, "state-number", fmt::format("{} has an entry that is not a finite number", what),
              "give numbers");
        return std::nullopt;
      }
      result.push_back(x.number);
    }
    if (result.size() != count) {
      error(value.where, "state-length", fmt::format("{} has {} numbers, it needs {}", what, result.size(), count),
            "trammel check shows the coordinates of each joint");
      return std::nullopt;
    }
    return result;
  }

  void read_joint_map(const LocatedJson& map, bool coordinates, std::vector<double>& target, std::vector<char>* named) {
    if (!map.is_object()) {
      error(map.where, "state-form", fmt::format("'{}' is not an object", map.key),
            fmt::format("write \"{}\": {{\"joint\": [0.1]}}", map.key));
      return;
    }
    for (const LocatedJson& entry : map.items) {
      const JointInfo* joint = find_joint(entry.key_where, entry.key);
      if (joint == nullptr) continue;
      auto list = numbers(entry, fmt::format("{} of joint '{}'", map.key, entry.key),
                          static_cast<std::size_t>(coordinates ? joint->nq : joint->nv));
      if (!list) continue;
      if (coordinates && joint->nq != joint->nv) normalize_quaternion(entry, *list);
      std::copy(list->begin(), list->end(), target.begin() + (coordinates ? joint->q : joint->v));
      if (named != nullptr) std::fill_n(named->begin() + std::max(joint->v, 0), joint->nv, 1);
    }
  }

  void normalize_quaternion(const LocatedJson& entry, std::vector<double>& q) {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(length - 1) <= 1e-3)) {
      error(entry.where, "state-quaternion",
            fmt::format("the quaternion of joint '{}' has length {:.6g}, not 1", entry.key, length),
            "give (w, x, y, z) of unit length");
      return;
    }
    for (int i = 0; i < 4; ++i) q[i] /= length;
  }

  // Is it a list of names? What is none is complained of.
  bool lists_names(const LocatedJson& list) {
    if (!list.is_list()) {
      error(list.where, "state-form", fmt::format("'{}' is not a list", list.key),
            fmt::format("write \"{}\": [\"joint\"]", list.key));
      return false;
    }
    for (const LocatedJson& name : list.items) {
      if (name.is_text()) continue;
      error(name.where, "state-form", fmt::format("'{}' has an entry that is not a name", list.key), "name joints");
    }
    return true;
  }

  void read_prescribed(const LocatedJson& list) {
    if (!lists_names(list)) return;
    for (const LocatedJson& name : list.items) {
      const JointInfo* joint = name.is_text() ? find_joint(name.where, name.text) : nullptr;
      if (joint != nullptr) std::fill_n(out_.prescribed.begin() + std::max(joint->v, 0), joint->nv, 1);
    }
  }

  // Any joint that moves, closing ones too.
  void read_actuated(const LocatedJson& list) {
    if (!lists_names(list)) return;
    out_.actuated.emplace();
    for (const LocatedJson& name : list.items) {
      if (!name.is_text()) continue;
      const int j = mechanism_.find_joint(name.text);
      if (j >= 0) {
        out_.actuated->push_back(j);
        continue;
      }
      std::vector<std::string> names;
      for (const JointInfo& joint : mechanism_.joints) {
        if (errors_ < most_errors) names.push_back(joint.name);
      }
      complain_unknown(name.where, name.text, "joint", names);
    }
  }

  std::optional<Vec3d> vector(const LocatedJson& value, const std::string& what) {
    const auto list = numbers(value, what, 3);
    return list ? std::optional(Vec3d{(*list)[0], (*list)[1], (*list)[2]}) : std::nullopt;
  }

  void read_wrenches(const LocatedJson& map) {
    if (!map.is_object()) {
      error(map.where, "state-form", "'wrenches' is not an object",
            "write \"wrenches\": {\"body\": {\"force\": [0, 0, 1]}}");
      return;
    }
    for (const LocatedJson& entry : map.items) {
      const std::string& name = entry.key;
      BodyWrench wrench{.body = mechanism_.find_body(name), .at_B = {}, .F_W = {}};
      if (wrench.body < 0) {
        std::vector<std::string> names;
        for (const BodyInfo& body : mechanism_.bodies) {
          if (errors_ < most_errors) names.push_back(body.name);
        }
        complain_unknown(entry.key_where, name, "body", names);
        continue;
      }
      if (!entry.is_object()) {
        error(entry.where, "state-form", fmt::format("the wrench on '{}' is not an object", name),
              "write {\"force\": [..], \"moment\": [..], \"at\": [..]}");
        continue;
      }
      for (const LocatedJson& part : entry.items) {
        const std::string what = fmt::format("{} of the wrench on '{}'", part.key, name);
        Vec3d* target = part.key == "force"    ? &wrench.F_W.f
                        : part.key == "moment" ? &wrench.F_W.n
                        : part.key == "at"     ? &wrench.at_B
                                               : nullptr;
        if (target == nullptr) {
          complain_unknown(part.key_where, part.key, "key of a wrench", {"force", "moment", "at"});
        } else if (const auto v = vector(part, what)) {
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
            "check the state: eval lets limits be, simulate lets the stop push back");
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
                .actuated = {},
                .given = {}};
  if (from_initial) name_initial_joints(mechanism, out);
  if (path) {
    diagnostics.file = *path == "-" ? "standard input" : *path;
    if (const std::optional<std::string> text = read_text(*path, diagnostics)) {
      const JsonLimits limits{.form = "see trammel eval --help for its form"};
      const std::optional<LocatedJson> root = parse_located_json(*text, limits, diagnostics);
      if (root) StateReader(mechanism, out, diagnostics).read(*root);
    }
  }
  if (!diagnostics.has_errors()) warn_beyond_limits(mechanism, out.state, diagnostics);
  return out;
}

void warn_of_unused_parts(const EvalState& state, const std::vector<std::string>& unused, const std::string& fix,
                          Diagnostics& diagnostics) {
  for (const std::string& part : unused) {
    const auto found = state.given.find(part);
    if (found == state.given.end()) continue;
    diagnostics.warning(found->second, "state-unused", fmt::format("'{}' of the state is not used here", part), fix);
  }
}

}  // namespace trammel::tool
