// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// One library at work on a scene. `run` is what the clock sees; `answer` tells, for a comparison outside the timing,
// what came out, in our coordinates:
//   forward     accelerations, per freedom
//   inverse     joint forces, per freedom
//   mass        nv×nv, row-major
//   jacobian    6×nv of the tip's point, row-major, [ω; v] in world axes
//   kinematics  pose of the tip's frame C in the world: columns of R_WC, then p_WC
// All start from q (and v, a or τ) alone, so that sines, cosines and positions are part of every call.

#include <memory>
#include <string>

#include <Eigen/Dense>

#include "peers/scene.hpp"

namespace trammel::bench {

class Implementation {
 public:
  virtual ~Implementation() = default;

  virtual std::string name() const = 0;
  // Of the model; the answers are those of a model without the others.
  virtual Features features() const { return {}; }
  virtual bool has(Algorithm) const { return true; }
  // So many states at least are done in one go.
  virtual int block(Algorithm) const { return 1; }
  // For `count` states (a multiple of the block), starting with `first` and going round.
  virtual void run(Algorithm algorithm, int first, int count) = 0;
  virtual Eigen::VectorXd answer(Algorithm algorithm, int state) = 0;
  // Answers are there for the first so many states.
  virtual int states_held(const Scene& scene) const { return scene.state_count(); }
  // What a reader of the figures should know.
  virtual std::string remark(Algorithm) const { return {}; }
};

using ImplementationPtr = std::unique_ptr<Implementation>;

// The scene must outlive what is made for it.
ImplementationPtr make_one_state(const Scene& scene);
ImplementationPtr make_lanes(const Scene& scene);
// Each throws std::exception for a scene that the peer cannot hold.
ImplementationPtr make_mujoco(const Scene& scene);
ImplementationPtr make_mujoco_full(const Scene& scene);  // the mass matrix alone, with every entry
ImplementationPtr make_kdl(const Scene& scene);
ImplementationPtr make_dart(const Scene& scene);  // null where DART was not there when this was built

std::string mujoco_version();
std::string kdl_version();
std::string dart_version();

}  // namespace trammel::bench
