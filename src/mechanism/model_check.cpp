// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "mechanism/model_check.hpp"

#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "model/fluid_check.hpp"
#include "model/inertia_check.hpp"
#include "model/name_index.hpp"

namespace trammel {
namespace {

template <class Item>
void check_names(const std::vector<Item>& items, std::string_view kind, std::string_view plural,
                 Diagnostics& diagnostics) {
  std::unordered_set<std::string_view> seen;
  for (const Item& item : items) {
    if (item.name.empty()) {
      diagnostics.error(item.where, "name-empty", fmt::format("a {} has no name", kind), "give it a name");
    } else if (item.name == ground_name) {
      diagnostics.error(item.where, "name-reserved",
                        fmt::format("a {} is called 'ground', which means the world", kind), "choose another name");
    } else if (!seen.insert(item.name).second) {
      diagnostics.error(item.where, "name-duplicate", fmt::format("there are two {} called '{}'", plural, item.name),
                        "rename one of them");
    }
  }
}

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool is_finite(const Transformd& X) {
  return is_finite(X.p) && is_finite(X.R.ex) && is_finite(X.R.ey) && is_finite(X.R.ez);
}
bool is_rotation(const Mat3d& R) {
  const Mat3d error = transpose(R) * R - Mat3d::identity();
  const double size = dot(error.ex, error.ex) + dot(error.ey, error.ey) + dot(error.ez, error.ez);
  return size < 1e-16 && dot(cross(R.ex, R.ey), R.ez) > 0;
}

void check_pose(const Transformd& X, std::string_view whose, SourceLocation where, Diagnostics& diagnostics) {
  if (!is_finite(X)) {
    diagnostics.error(where, "number-not-finite", fmt::format("{} has a number that is not finite", whose),
                      "give finite numbers");
  } else if (!std::isfinite(dot(X.p, X.p))) {
    diagnostics.error(where, "number-not-finite",
                      fmt::format("{} is so far away that the square of it is beyond what a double holds", whose),
                      "place it nearer than 1e150 m");
  } else if (!is_rotation(X.R)) {
    diagnostics.error(where, "not-a-rotation", fmt::format("the matrix of {} is not a rotation", whose),
                      "give three perpendicular unit columns, right-handed");
  }
}

void check_body(const Body& body, Diagnostics& diagnostics) {
  check_pose(body.X_WB, fmt::format("the pose of body '{}'", body.name), body.where, diagnostics);
  if (const std::string_view overflow = find_overflow(body.mass, body.com, body.inertia); !overflow.empty()) {
    diagnostics.error(body.where, "number-not-finite",
                      fmt::format("{} of body '{}' is not finite, or too large to compute with", overflow, body.name),
                      "give finite numbers");
    return;
  }
  const InertiaJudgement judgement = judge_inertia(body.inertia);
  if (body.mass < 0) {
    diagnostics.error(body.where, "mass-negative",
                      fmt::format("body '{}' has a negative mass: {} kg", body.name, print_number(body.mass)),
                      "give a mass of 0 or more");
  }
  const std::string moments = fmt::format("{}, {}, {} kg m²", print_number(judgement.principal.x),
                                          print_number(judgement.principal.y), print_number(judgement.principal.z));
  if (judgement.negative) {
    diagnostics.error(body.where, "inertia-negative",
                      fmt::format("body '{}' has a negative principal moment of inertia: {}", body.name, moments),
                      "give the inertia at the centre of mass; check the signs of xy, xz, yz");
  } else if (judgement.triangle) {
    diagnostics.warning(body.where, "inertia-triangle",
                        fmt::format("body '{}' has principal moments {}: the largest exceeds the sum of the others, "
                                    "which no real body's does",
                                    body.name, moments),
                        "check the inertia; it is used as given");
  }
}

// Guesses are worth their time only while somebody reads them.
constexpr std::size_t most_guesses = 20;

void check_joint(const Model& model, const NameIndex<Body>& bodies, const Joint& joint, Diagnostics& diagnostics) {
  for (const std::string& name : {joint.first, joint.second}) {
    if (name != ground_name && bodies.find(name) == nullptr) {
      std::vector<std::string> names;
      if (diagnostics.all().size() < most_guesses) {
        names.emplace_back(ground_name);
        for (const Body& body : model.bodies) names.push_back(body.name);
      }
      const std::string near = did_you_mean(name, names);
      diagnostics.error(joint.where, "body-unknown",
                        fmt::format("joint '{}' names a body '{}' that is not there", joint.name, name),
                        near.empty() ? "name a body of the model, or ground" : fmt::format("did you mean '{}'?", near));
    }
  }
  if (joint.first == joint.second) {
    diagnostics.error(joint.where, "joint-to-itself",
                      fmt::format("joint '{}' joins body '{}' to itself", joint.name, joint.first),
                      "name two different bodies");
  }
  check_pose(joint.X_AF, fmt::format("the first frame of joint '{}'", joint.name), joint.where, diagnostics);
  check_pose(joint.X_BM, fmt::format("the second frame of joint '{}'", joint.name), joint.where, diagnostics);
  if (const auto* custom = std::get_if<Custom>(&joint.type); custom != nullptr && custom->joint == nullptr) {
    diagnostics.error(joint.where, "joint-custom-empty", fmt::format("custom joint '{}' holds no joint", joint.name),
                      "give Custom a CustomJoint");
    return;
  }
  if (nq(joint.type) > Custom::max_nq || nv(joint.type) > Custom::max_nv) {
    diagnostics.error(joint.where, "joint-custom-size",
                      fmt::format("custom joint '{}' has {} coordinates and {} freedoms; at most {} and {} are allowed",
                                  joint.name, nq(joint.type), nv(joint.type), Custom::max_nq, Custom::max_nv),
                      "split it into several joints");
    return;
  }
  if (const auto* helical = std::get_if<Helical>(&joint.type); helical != nullptr && !std::isfinite(helical->h)) {
    diagnostics.error(joint.where, "number-not-finite",
                      fmt::format("the advance of joint '{}' is not finite", joint.name), "give a finite number");
  }

  const int freedoms = nv(joint.type);
  const auto check_list = [&](const std::vector<double>& list, std::string_view what, bool may_be_infinite,
                              bool may_be_negative, int expected) {
    if (!list.empty() && static_cast<int>(list.size()) != expected) {
      diagnostics.error(
          joint.where, "list-length",
          fmt::format("joint '{}' has {} numbers for its {}, it needs {}", joint.name, list.size(), what, expected),
          "give one number per freedom, or none");
    }
    for (const double x : list) {
      if (std::isnan(x) || (!may_be_infinite && std::isinf(x)) || (!may_be_negative && x < 0)) {
        diagnostics.error(joint.where, "number-out-of-range",
                          fmt::format("joint '{}' has {} {}", joint.name, what, print_number(x)),
                          may_be_negative ? "give a finite number" : "give 0 or more");
        break;
      }
    }
  };
  const JointProperties& p = joint.properties;
  check_list(p.viscous, "viscous friction", false, false, freedoms);
  check_list(p.dry, "dry friction", false, false, freedoms);
  check_list(p.armature, "armature", false, false, freedoms);
  check_list(p.lower, "lower limits", true, true, freedoms);
  check_list(p.upper, "upper limits", true, true, freedoms);
  check_list(joint.q_initial, "initial coordinates", false, true, nq(joint.type));
  check_list(joint.v_initial, "initial velocities", false, true, freedoms);
  constexpr double least_speed = 1e-150;  // its square is a number still
  if (!(p.dry_speed >= least_speed)) {
    diagnostics.error(joint.where, "number-out-of-range",
                      fmt::format("joint '{}' has a dry friction speed of {}", joint.name, print_number(p.dry_speed)),
                      p.dry_speed > 0 ? fmt::format("give a speed of {} or more", print_number(least_speed))
                                      : std::string("give a speed above 0"));
  }
}

void check_cut_options(const Model& model, const CompileOptions& options, Diagnostics& diagnostics) {
  for (const std::string& name : options.cut) {
    if (model.find_joint(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const Joint& joint : model.joints) names.push_back(joint.name);
    const std::string near = did_you_mean(name, names);
    diagnostics.error({}, "joint-unknown", fmt::format("no joint '{}' to cut", name),
                      near.empty() ? "name a joint of the model" : fmt::format("did you mean '{}'?", near));
  }
}

}  // namespace

std::string print_number(double x) { return fmt::format("{:.6g}", x); }

void check_model(const Model& model, const CompileOptions& options, Diagnostics& diagnostics) {
  check_names(model.bodies, "body", "bodies", diagnostics);
  check_names(model.joints, "joint", "joints", diagnostics);
  for (const Body& body : model.bodies) check_body(body, diagnostics);
  const NameIndex<Body> bodies(model.bodies);
  for (const Joint& joint : model.joints) check_joint(model, bodies, joint, diagnostics);
  for (const Constraint& constraint : model.constraints) {
    check_pose(constraint.X_AP, fmt::format("the first frame of constraint '{}'", constraint.name), constraint.where,
               diagnostics);
    check_pose(constraint.X_BQ, fmt::format("the second frame of constraint '{}'", constraint.name), constraint.where,
               diagnostics);
  }
  check_cut_options(model, options, diagnostics);
  check_fluid(model, diagnostics);
  if (!is_finite(model.gravity)) {
    diagnostics.error({}, "number-not-finite", "gravity is not finite", "give three finite numbers");
  }
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  if (std::isinf(mass) && !diagnostics.has_errors()) {
    diagnostics.error({}, "number-not-finite", "the masses of all bodies add up to more than a double holds",
                      "check the masses and their unit");
  }
  if (model.bodies.empty()) {
    diagnostics.error({}, "no-bodies", "the model has no bodies", "add a body and a joint that carries it");
  }
}

}  // namespace trammel
