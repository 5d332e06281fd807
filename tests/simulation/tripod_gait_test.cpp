// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The plan of the tripod gait: feet stand where they are put, three at least at any time, and legs reach them.

#include <stdexcept>

#include <trammel/tripod_gait.hpp>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

// Where the feet are in the world if the torso is where the plan has it and joints are at their targets.
class Planned {
 public:
  Planned() : mech_(shipped("aquarobot_walking")), gait_(mech_, {}), ws_(mech_) {}

  const Mechanism& mechanism() const { return mech_; }
  const TripodGait& gait() const { return gait_; }
  double ground(const Vec3d& p) const {
    const GroundPoint found = find_ground(*mech_.contacts.terrain, {p.x, p.y, 0});
    return -found.distance / found.normal_W.z;
  }
  // Ends of the shanks, less the sole, as the torso would carry them at height 0.
  std::vector<Vec3d> feet(double t) {
    State s = design_state(mech_);
    const TripodGait::Targets targets = gait_.targets(t);
    for (std::size_t leg = 0; leg < TripodGait::legs; ++leg) {
      const char* const names[] = {"hip", "knee1", "knee2"};
      for (std::size_t k = 0; k < 3; ++k) {
        const int joint = mech_.find_joint("leg" + std::to_string(leg + 1) + " " + names[k]);
        s.q[static_cast<std::size_t>(mech_.joints[static_cast<std::size_t>(joint)].q)] = targets[leg][k];
      }
    }
    compute_positions(mech_, ws_, s.q);
    std::vector<Vec3d> out;
    for (std::size_t leg = 0; leg < TripodGait::legs; ++leg) {
      const int foot = mech_.find_body("leg" + std::to_string(leg + 1) + " foot");
      const Vec3d drawn = pose_WB(mech_, ws_, foot).p;
      out.push_back({drawn.x + gait_.distance(t), drawn.y, drawn.z - 1 - 0.03});
    }
    return out;
  }

 private:
  Mechanism mech_;
  TripodGait gait_;
  Workspace ws_;
};

TEST(TripodGait, keeps_at_least_three_feet_where_they_stand) {
  Planned plan;
  constexpr double dt = 0.01;
  std::vector<Vec3d> before = plan.feet(8);
  int least = 6, most = 0;
  for (double t = 8 + dt; t < 14; t += dt) {
    const std::vector<Vec3d> now = plan.feet(t);
    int standing = 0;
    double torso_up = 0;  // the same for all that stand: what the torso does
    for (std::size_t leg = 0; leg < 6; ++leg) {
      const Vec3d moved = now[leg] - before[leg];
      if (std::hypot(moved.x, moved.y) > 1e-6) continue;
      const double up = moved.z;
      if (standing > 0) {
        EXPECT_NEAR(up, torso_up, 1e-4) << t;
      }
      torso_up = up;
      ++standing;
    }
    least = std::min(least, standing), most = std::max(most, standing);
    before = now;
  }
  EXPECT_GE(least, 3);
  EXPECT_EQ(most, 6);  // the swing is shorter than half of the period
}

TEST(TripodGait, puts_feet_on_the_ground_and_lifts_them_in_between) {
  Planned plan;
  double highest = 0, lowest = infinity;
  for (double t = 4; t < 30; t += 0.05) {
    const std::vector<Vec3d> feet = plan.feet(t);
    // Heights above the ground, but for that of the torso: the lowest foot stands.
    double floor = infinity;
    std::vector<double> above;
    for (const Vec3d& foot : feet) above.push_back(foot.z - plan.ground(foot));
    for (const double a : above) floor = std::min(floor, a);
    for (const double a : above) highest = std::max(highest, a - floor);
    lowest = std::min(lowest, floor);
    int standing = 0;
    for (const double a : above) standing += a - floor < 1e-5 ? 1 : 0;
    EXPECT_GE(standing, 3) << t;
  }
  EXPECT_NEAR(highest, 0.14, 1e-3);
}

TEST(TripodGait, stands_until_it_starts_and_then_keeps_its_speed) {
  const Planned plan;
  EXPECT_EQ(plan.gait().distance(1.9), 0);
  EXPECT_NEAR(plan.gait().distance(4), 0.2, 1e-12);
  EXPECT_NEAR(plan.gait().distance(14) - plan.gait().distance(4), 2, 1e-12);
  EXPECT_EQ(plan.gait().targets(0), plan.gait().targets(1.5));
}

TEST(TripodGait, says_what_it_cannot_walk_with) {
  const auto message = [](const Mechanism& mech, const TripodGait::Settings& settings) -> std::string {
    try {
      TripodGait gait(mech, settings);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const Mechanism walker = shipped("aquarobot_walking");
  EXPECT_EQ(message(shipped("aquarobot"), {}), "the gait needs a terrain to walk on: the model has none");
  TripodGait::Settings other;
  other.leg_name = "limb";
  EXPECT_EQ(message(walker, other),
            "the gait needs an actuator 'limb1 hip', which the model does not have: give its servos such names, or set "
            "leg_name and joint_names");
  EXPECT_EQ(message(walker, {.speed = 0.9}),
            "the stride of 2.7 m takes feet 1.61 m from the knee, but thigh and shank are 1.54 m long: walk slower, or "
            "with a shorter period");
  EXPECT_NE(message(walker, {.period = 0}), "");
}

}  // namespace
}  // namespace trammel::test
