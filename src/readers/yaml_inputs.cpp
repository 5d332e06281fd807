// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `inputs`: coordinates that the user turns or pushes over a range, by position or by time.

#include <algorithm>

#include <fmt/format.h>

#include "readers/yaml_formulas.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {

namespace {

class InputReader {
 public:
  InputReader(Reading& r, const Fields& fields, Input& input) : r_(r), fields_(fields), input_(input) {}

  bool read(const Coordinate& coordinate) {
    if (!fields_.usable()) return false;
    const Dimension value = coordinate.freedom.dimension;
    bool complete = true;
    if (const Node* motion = fields_.find("motion")) {
      input_.motion = read_time_function(r_, *motion, fields_.what("motion"), value);
      complete = input_.motion.has_value();
      for (const char* other : {"speed", "acceleration"}) {
        const Node* node = fields_.find(other);
        if (node == nullptr) continue;
        r_.messages.error(node->where, "key-conflict",
                          fmt::format("{} has both 'motion' and '{}'", fields_.subject(), other),
                          "delete it: speed and acceleration follow from the motion");
      }
    } else {
      Dimension rate = rate_of(coordinate.freedom), change = rate;
      change.time -= 1;
      input_.speed = number("speed", rate, complete).value_or(0);
      input_.acceleration = number("acceleration", change, complete).value_or(0);
    }
    return read_range(input_.motion ? Dimension{.time = 1} : value) && complete;
  }

 private:
  std::optional<double> number(std::string_view key, const Dimension& dimension, bool& complete) {
    const Node* node = fields_.find(key);
    if (node == nullptr) return std::nullopt;
    const auto read = read_number(r_, *node, fields_.what(key), dimension);
    complete = complete && read;
    return read;
  }

  bool read_range(const Dimension& dimension) {
    bool complete = true;
    input_.from = number("from", dimension, complete).value_or(0);
    input_.to = number("to", dimension, complete).value_or(input_.from);
    const auto step = number("step", dimension, complete);
    if (!complete) return false;
    input_.step = step.value_or(0);
    const double range = input_.to - input_.from;
    if (range == 0) return true;
    if (!step) {
      fields_.report_missing(r_, "step", "add step: followed by a number");
      return false;
    }
    const Node& node = *fields_.find("step");
    if (*step == 0 || (*step > 0) != (range > 0)) {
      r_.messages.error(
          node.where, "step-wrong",
          *step == 0 ? fmt::format("{} is 0: it never gets from {} to {}", fields_.what("step"), written("from"),
                                   written("to"))
                     : fmt::format("{} leads away from {}", fields_.what("step"), written("to")),
          *step == 0 ? "give a step other than 0" : "give it the other sign, or exchange 'from' and 'to'");
      return false;
    }
    constexpr double most = 1e7;
    if (range / *step <= most) return true;
    r_.messages.error(node.where, "step-wrong",
                      fmt::format("{} divides the range into {} steps; at most {} are allowed", fields_.what("step"),
                                  rounded(range / *step), rounded(most)),
                      "give a larger step");
    return false;
  }

  std::string written(std::string_view key) const {
    const Node* node = fields_.find(key);
    return node == nullptr ? "0" : node->text;
  }

  Reading& r_;
  const Fields& fields_;
  Input& input_;
};

// Inputs by time share one time: those that say none take it from the one that does.
class SharedTime {
 public:
  explicit SharedTime(Reading& r) : r_(r) {}

  void add(std::size_t index, const Fields& fields) {
    if (!r_.model.inputs[index].motion) return;
    const bool given = fields.has("from") || fields.has("to") || fields.has("step");
    if (!given) {
      silent_.push_back(index);
    } else if (of_ == none) {
      of_ = index;
    } else {
      compare(r_.model.inputs[of_], r_.model.inputs[index], fields);
    }
  }
  void finish() {
    for (const std::size_t index : silent_) {
      if (of_ == none) break;
      const Input& given = r_.model.inputs[of_];
      Input& input = r_.model.inputs[index];
      input.from = given.from, input.to = given.to, input.step = given.step;
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Reading& r_;
  std::size_t of_ = none;  // the one that says it
  std::vector<std::size_t> silent_;

  void compare(const Input& first, const Input& other, const Fields& fields) {
    if (first.from == other.from && first.to == other.to && first.step == other.step) return;
    const char* key = first.from != other.from ? "from" : first.to != other.to ? "to" : "step";
    const Node* node = fields.find(key);
    r_.messages.error(node != nullptr ? node->where : other.where, "input-times",
                      fmt::format("{} has another '{}' than the input at joint {}, and both move by one time",
                                  fields.subject(), key, quote(first.joint)),
                      "give both the same from, to and step, or delete them here");
  }
};

}  // namespace

void read_inputs(Reading& r, const Node& section, const std::vector<JointDraft>& joints) {
  if (!check_section(r, section, "inputs", "{joint: {from: 0, to: 360, step: 5}, …}")) return;
  SharedTime time(r);
  for (const Node::Child& child : section.children) {
    const std::string subject = "input " + quote(child.key->text);
    const auto coordinate = find_coordinate(r, *child.key, child.key->text, subject, joints, "drive");
    const Fields fields(r, *child.value, "input", subject);
    if (!coordinate) continue;
    Input input;
    input.joint = r.model.joints[coordinate->joint].name;
    input.dof = coordinate->dof;
    input.where = child.key->where;
    if (!InputReader(r, fields, input).read(*coordinate)) continue;
    const auto same = [&](const Input& other) { return other.joint == input.joint && other.dof == input.dof; };
    if (std::any_of(r.model.inputs.begin(), r.model.inputs.end(), same)) {
      r.messages.error(child.key->where, "input-twice", subject + " drives a coordinate that an input drives already",
                       "delete one of them");
      continue;
    }
    r.model.inputs.push_back(std::move(input));
    time.add(r.model.inputs.size() - 1, fields);
  }
  time.finish();
}

}  // namespace trammel::readers
