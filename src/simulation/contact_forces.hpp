// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What contacts do to bodies during a simulation. The law is that of contacts.hpp; its state, the deflection u of each pair's bristles, is
// three numbers of y, in the frame of the first body. Whether a pair touches and whether it slips are modes, which change between steps
// only: at events, which are located (explicit integrators), or within the implicit step, which finds them by passes.
//
// Explicit: act() is the law as the modes have it, smooth beyond the moments at which they change.
//
// Implicit: contact/implicit_contact.hpp, and passes over all pairs.

#include <span>
#include <vector>

#include <trammel/dynamics.hpp>
#include <trammel/simulation.hpp>

#include "contact/implicit_contact.hpp"
#include "contact/touch.hpp"

namespace trammel {

class ContactForces {
 public:
  static constexpr std::size_t numbers = 3;  // of y for each pair

  explicit ContactForces(const Mechanism& mechanism);

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

  // Where everything is and how it moves. Needs compute_velocities. All that follows is for that state.
  void place(const Workspace& ws);

  // --- explicit ----------------------------------------------------------------------------------------------------------------
  struct Balance {
    double energy = 0, dissipated = 0;  // J, W
  };
  // Adds to wrenches, sets the rates of the deflections u.
  Balance act(std::span<const double> u, std::span<Force<double>> wrench, std::span<double> udot);
  // Positive while the pair pushes: the depth, or beyond it the force over the stiffness.
  double push(std::size_t pair) const;
  // Positive while what sticks is held, or what slips goes on slipping. After act().
  double grip(std::size_t pair) const;
  // Sets modes by the state. Deflections of pairs that have parted or met are cleared. Returns the energy that is lost thereby.
  double settle(std::span<double> u);

  struct Mode {
    bool touches = false, slips = false;
    double normal = 0;  // of the last implicit step
    double slack =
        0;  // of a hard pair that is apart: how deep it was when it flew off. It meets again only beyond that
    friend bool operator==(const Mode&, const Mode&) = default;
  };
  // Of a hard pair, after place(): where it is, how fast it deepens, its law.
  const Touch& touch(std::size_t pair) const { return items_[pair].touch; }
  double rate(std::size_t pair) const { return items_[pair].rate; }
  const ContactLaw& law(std::size_t pair) const { return *items_[pair].law; }
  // It has bounced and is apart now.
  void fly_off(std::size_t pair, std::span<double> u);
  const Mode& mode(std::size_t pair) const { return items_[pair].mode; }
  void set_mode(std::size_t pair, const Mode& mode) { items_[pair].mode = mode; }
  // Of the last act().
  ContactState state(std::size_t pair) const;
  // For records of implicit runs: forces are those of the law, never pulling and within the cone, at whatever state.
  void set_clipped(bool clipped) { clipped_ = clipped; }

  // --- implicit ----------------------------------------------------------------------------------------------------------------
  void begin_step(double h, std::span<const double> u);
  // Adds what the pass needs for pairs with one moving body. Arrays per body, at its point O, in world axes.
  void add(std::span<Force<double>> wrench, std::span<ArticulatedInertia<double>> inertia) const;
  // Pairs with two moving bodies: force on the second at p is f₀ − Σ c_i g_i g_iᵀ a, on the first its opposite.
  struct Between {
    int first = 0, second = 0;  // bodies
    Vec3d p_W, f0_W;
    Vec3d along_W[3];
    double c[3] = {};
    Vec3d faster_W;  // what a has besides the accelerations of the two material points
  };
  bool has_between() const { return has_between_; }
  template <class F>
  void for_each_between(F&& f) const {
    for (const Item& item : items_) {
      if (item.is_between && item.step.touches) f(between(item));
    }
  }
  // Finds forces at the accelerations in the workspace. Modes may have changed by them, or the friction of slipping pairs not be that of
  // the normal force found: then another pass is needed.
  enum class Outcome { settled, refine, switched };
  Outcome look(const Workspace& ws, bool may_switch);
  // What the step does to u, and what it loses in all: W, over the step.
  double finish_step(std::span<const double> u, std::span<double> udot) const;
  void keep_modes();  // the step is accepted

 private:
  struct BodyMotion {
    int body = 0, link = -1;
    Transformd X_WB;
    Vec3d p_WO;
    Motion<double> V, A;  // at O
  };
  struct Item {
    int first = -1, second = -1;  // in bodies_; −1: fixed
    bool is_between = false, is_hard = false;
    Mode mode;
    // place()
    Touch touch;
    const ContactLaw* law = nullptr;
    Vec3d v_W, slide_W,
        centre_v_W;   // of the second body against the first: at p, its part in the surface; of the centre
    double rate = 0;  // of the depth
    // act()
    NormalForce normal;
    double N = 0;
    Vec3d trial_W, friction_W;
    // implicit
    ImplicitContact<double> step;
    Vec3d faster_W;  // a has it besides the acceleration at p
  };
  Between between(const Item& item) const;
  Transformd pose(int in_bodies) const {
    return in_bodies < 0 ? Transformd{} : bodies_[static_cast<std::size_t>(in_bodies)].X_WB;
  }
  const Mat3d& axes_of_first(const Item& item) const;

  const Mechanism& mech_;
  std::vector<BodyMotion> bodies_;
  std::vector<Item> items_;
  bool clipped_ = false, has_between_ = false;
  double h_ = 0;
};

// How often in a second the quickest contact between bodies could pass through the other side: what moves further than both are thick
// between two looks may never be seen to touch. 0 without such contacts. Needs compute_velocities.
double passages_per_second(const Mechanism& mechanism, const Workspace& ws);

}  // namespace trammel
