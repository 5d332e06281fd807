// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `events`: what happens when an expression of time and state changes its sign.

#include <fmt/format.h>

#include "readers/yaml_actuation.hpp"

namespace trammel::readers {

namespace {

// Everything that may be opened and closed: joints, couplings, constraints.
Names switchable(const Model& model) {
  Names names;
  for (const Joint& joint : model.joints) names.add(joint.name);
  for (const Coupling& coupling : model.couplings) names.add(coupling.name);
  for (const Constraint& constraint : model.constraints) names.add(constraint.name);
  return names;
}

// What may be done to something: open, close, capture.
struct Switch {
  std::string_view word;
  Event::Action action;
};
constexpr Switch switches[] = {
    {"open", Event::Action::open}, {"close", Event::Action::close}, {"capture", Event::Action::capture}};

// note, stop, or a switch such as {open: name}
bool read_action(Reading& r, const Node& node, const Fields& event_fields, const Names& targets, Event& event) {
  const std::string what = event_fields.what("do");
  if (!node.is_map()) {
    if (node.is_scalar() && (node.text == "note" || node.text == "stop")) {
      event.action = node.text == "note" ? Event::Action::note : Event::Action::stop;
      return true;
    }
    r.messages.error(node.where, "word-unknown",
                     fmt::format("{} must be note, stop, {{open: name}}, {{close: name}} or {{capture: name}}, not {}",
                                 what, describe(node)),
                     "write one of them");
    return false;
  }
  const Fields fields(r, node, "switch", what);
  const Node* target = nullptr;
  std::string_view word;
  for (const Switch& one : switches) {
    const Node* given = fields.find(one.word);
    if (given == nullptr) continue;
    if (target != nullptr) {
      r.messages.error(given->where, "key-conflict", fmt::format("{} has both '{}' and '{}'", what, word, one.word),
                       "write two events");
      return false;
    }
    target = given, word = one.word, event.action = one.action;
  }
  if (target == nullptr) {
    fields.report_missing(r, "open", "write {open: name} or {close: name}, of a joint, coupling or constraint");
    return false;
  }
  const auto name = read_text(r, *target, fields.what(word));
  if (!name) return false;
  const bool captures = event.action == Event::Action::capture;
  if (!targets.find(*name) || (captures && !r.joints.find(*name))) {
    r.messages.error(target->where, "event-target",
                     fmt::format("{} {} {}, which is {}", event_fields.subject(), captures ? "captures by" : "switches",
                                 quote(*name), targets.find(*name) ? "no joint" : "not there"),
                     r.messages.guess_or(*name, captures ? r.joints.list() : targets.list(),
                                         captures ? "name a joint between what grasps and what is grasped"
                                                  : "name a joint that closes a loop, a coupling or a constraint"));
    return false;
  }
  event.target = *name;
  return true;
}

}  // namespace

void read_events(Reading& r, const Node& section, const StateNames& names) {
  if (!check_section(r, section, "events", "{name: {when: \"tip.y - 100\", direction: falling, do: stop}, …}")) return;
  const Names targets = switchable(r.model);
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "event")) continue;
    Event event;
    event.name = child.key->text;
    event.where = child.key->where;
    const Fields fields(r, *child.value, "event", "event " + quote(event.name));
    if (!fields.usable()) continue;
    bool complete = true;
    if (const Node* when = fields.find("when")) {
      auto function = read_state_function(r, *when, fields.what("when"), dimension::none, names);
      complete = function.has_value();
      if (function && function->is_of_time() && function->of_time.is_constant()) {
        r.messages.error(when->where, "event-never",
                         fmt::format("{} is a constant, which never changes its sign", fields.what("when")),
                         "write an expression that is zero when the event happens, such as \"tip.y - 100\"");
        complete = false;
      }
      if (function) event.when = std::move(*function);
    } else {
      fields.report_missing(r, "when", "add when: an expression that is zero when the event happens");
      complete = false;
    }
    if (const Node* direction = fields.find("direction")) {
      using Direction = Event::Direction;
      const auto word = read_word(r, *direction, fields.what("direction"), {"rising", "falling", "both"});
      complete = complete && word;
      if (word)
        event.direction = *word == "rising"    ? Direction::rising
                          : *word == "falling" ? Direction::falling
                                               : Direction::both;
    }
    if (const Node* action = fields.find("do")) complete = read_action(r, *action, fields, targets, event) && complete;
    if (complete) r.model.events.push_back(std::move(event));
  }
}

}  // namespace trammel::readers
