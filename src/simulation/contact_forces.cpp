// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/contact_forces.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/link_view.hpp"

namespace trammel {
namespace {

using At = std::size_t;

Vec3d load(std::span<const double> u, At pair) { return {u[3 * pair], u[3 * pair + 1], u[3 * pair + 2]}; }
void store(const Vec3d& value, std::span<double> u, At pair) {
  u[3 * pair] = value.x, u[3 * pair + 1] = value.y, u[3 * pair + 2] = value.z;
}
double stored_at(const ContactLaw& law, double depth) { return normal_force(law, std::max(depth, 0.0), 0).energy; }
double thickness(const ContactShape& shape) {
  return shape.kind == ContactShape::Kind::box ? std::min({shape.size.x, shape.size.y, shape.size.z})
                                               : 2 * shape.radius;
}

}  // namespace

ContactForces::ContactForces(const Mechanism& mechanism) : mech_(mechanism) {
  const auto cached = [this](int body) {
    if (body == ground) return -1;
    for (At i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].body == body) return static_cast<int>(i);
    }
    BodyMotion& added = bodies_.emplace_back();
    added.body = body;
    added.link = mech_.bodies[static_cast<At>(body)].link;
    if (bodies_.back().link == ground) bodies_.back().X_WB = mech_.parameters.X_LB[static_cast<At>(body)];
    return static_cast<int>(bodies_.size()) - 1;
  };
  for (const ContactPair& pair : mech_.contacts.pairs) {
    Item item;
    item.first = cached(pair.first), item.second = cached(pair.second);
    const auto moves = [this](int i) { return i >= 0 && bodies_[static_cast<At>(i)].link != ground; };
    item.is_between = moves(item.first) && moves(item.second);
    item.is_hard = pair.impact >= 0;
    has_between_ = has_between_ || item.is_between;
    items_.push_back(item);
  }
}

const Mat3d& ContactForces::axes_of_first(const Item& item) const {
  static const Mat3d world = Mat3d::identity();
  return item.first < 0 ? world : bodies_[static_cast<At>(item.first)].X_WB.R;
}

void ContactForces::place(const Workspace& ws) {
  for (BodyMotion& b : bodies_) {
    if (b.link == ground) continue;
    const LinkView<double> L = link_view(mech_, ws, b.link);
    const Transformd X_OB = L.X_OL * ws.parameters().X_LB[static_cast<At>(b.body)];
    b.X_WB = {X_OB.R, L.p_WO + X_OB.p};
    b.p_WO = L.p_WO;
    b.V = L.V;
  }
  const auto velocity = [this](int i, const Vec3d& p_W) {
    if (i < 0) return Vec3d{};
    const BodyMotion& b = bodies_[static_cast<At>(i)];
    return b.V.v + cross(b.V.w, p_W - b.p_WO);
  };
  for (At k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    const ContactPair& pair = mech_.contacts.pairs[k];
    item.touch = find_touch(mech_.contacts, pair, pose(item.first), pose(item.second));
    const Touch& touch = item.touch;
    item.law = &mech_.contacts.laws[static_cast<At>(touch.law)];
    if (!touch.is_there) continue;
    item.v_W = velocity(item.second, touch.p_W);
    item.centre_v_W = pair.kind == ContactShape::Kind::points ? item.v_W : velocity(item.second, touch.centre_W);
    if (item.first >= 0) {
      item.v_W -= velocity(item.first, touch.p_W);
      item.centre_v_W -= velocity(item.first, touch.p_W);
    }
    item.rate = -dot(touch.n_W, item.v_W);
    item.slide_W = item.v_W + touch.n_W * item.rate;
  }
}

// --- explicit ---------------------------------------------------------------------------------------------------------------------

ContactForces::Balance ContactForces::act(std::span<const double> u, std::span<Force<double>> wrench,
                                          std::span<double> udot) {
  Balance balance;
  for (At k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    store({}, udot, k);
    item.N = 0;
    item.friction_W = item.trial_W = {};
    item.normal = {};
    if (!item.touch.is_there) continue;
    const Touch& touch = item.touch;
    const ContactLaw& law = *item.law;
    item.normal = normal_force(law, touch.depth, item.rate);
    if (clipped_ && touch.depth <= 0) item.normal = {};
    item.N = std::max(0.0, item.normal.force);
    if (law.friction_static > 0) {
      const Mat3d& R_WA = axes_of_first(item);
      const Vec3d u_W = R_WA * load(u, k), stretch = in_surface(u_W, touch.n_W) * law.tangential_stiffness;
      item.trial_W = stretch + item.slide_W * law.tangential_damping;
      if (!item.mode.touches) continue;
      const double size = norm(item.trial_W), held = law.friction_kinetic * item.N;
      const bool slips = item.mode.slips || (clipped_ && size > law.friction_static * item.N);
      Vec3d g = item.trial_W, u_rate = item.slide_W;
      if (slips) {
        if (!clipped_ || size > held) g = size > 0 ? item.trial_W * (held / size) : Vec3d{};
        u_rate = (g - u_W * law.tangential_stiffness) * (1 / law.tangential_damping);
      }
      item.friction_W = -g;
      store(transpose_times(R_WA, u_rate), udot, k);
      balance.energy += dot(stretch, stretch) / (2 * law.tangential_stiffness);
      balance.dissipated += dot(g, item.slide_W) - dot(stretch, u_rate);
    }
    if (!item.mode.touches) continue;
    const double force = clipped_ ? item.N : item.normal.force;
    balance.energy += item.normal.energy;
    // What the depth really does differs from n·v where a terrain's normals are smoothed.
    const double deepens = item.rate - dot(touch.gradient_W - touch.n_W, item.centre_v_W);
    balance.dissipated += force * item.rate - item.normal.elastic * deepens;
    const Vec3d f = touch.n_W * force + item.friction_W;
    const auto exert = [&](int i, const Vec3d& on) {
      if (i < 0) return;
      const BodyMotion& b = bodies_[static_cast<At>(i)];
      wrench[static_cast<At>(b.body)] += Force<double>{cross(touch.p_W - b.p_WO, on), on};
    };
    exert(item.second, f);
    exert(item.first, -f);
  }
  return balance;
}

double ContactForces::push(std::size_t pair) const {
  const Item& item = items_[pair];
  if (!item.touch.is_there) return -1;
  const double depth = item.touch.depth;
  if (item.is_hard && !item.mode.touches) return depth - item.mode.slack;
  return depth > 0 ? normal_force(*item.law, depth, item.rate).force / item.law->stiffness : depth;
}

double ContactForces::grip(std::size_t pair) const {
  const Item& item = items_[pair];
  if (!item.mode.touches || !(item.law->friction_static > 0)) return 1;
  const double size = norm(item.trial_W);
  return item.mode.slips ? size - item.law->friction_kinetic * item.N : item.law->friction_static * item.N - size;
}

double ContactForces::settle(std::span<double> u) {
  double lost = 0;
  for (At k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    const double value = push(k);
    const bool touches = value > 0 || (value == 0 && (item.mode.touches || item.rate >= 0));
    const ContactLaw& law = *item.law;
    if (touches != item.mode.touches) {
      const double stored = item.touch.is_there ? normal_force(law, item.touch.depth, item.rate).energy : 0;
      const Vec3d stretch = load(u, k);
      if (item.mode.touches) {
        lost += stored + law.tangential_stiffness * dot(stretch, stretch) / 2;
      } else {
        lost -= stored;
      }
      store({}, u, k);
    }
    const Vec3d trial = in_surface(axes_of_first(item) * load(u, k), item.touch.n_W) * law.tangential_stiffness +
                        item.slide_W * law.tangential_damping;
    const double N = touches ? std::max(0.0, normal_force(law, item.touch.depth, item.rate).force) : 0,
                 size = norm(trial);
    bool slips = touches && item.mode.touches && item.mode.slips;
    if (touches && law.friction_static > 0) {
      if (!slips && size > law.friction_static * N)
        slips = true;
      else if (slips && size < law.friction_kinetic * N)
        slips = false;
    }
    // A hard pair that parts may still be deep, where damping holds it back: it meets again only beyond.
    const double slack = touches ? 0 : item.mode.touches ? std::max(0.0, item.touch.depth) : item.mode.slack;
    item.mode = {touches, slips, N, slack};
  }
  return lost;
}

void ContactForces::fly_off(std::size_t pair, std::span<double> u) {
  Item& item = items_[pair];
  store({}, u, pair);
  item.mode = {.slack = std::max(0.0, item.touch.depth)};
}

ContactState ContactForces::state(std::size_t pair) const {
  const Item& item = items_[pair];
  ContactState out;
  out.depth = item.touch.is_there ? item.touch.depth : -infinity;
  out.normal_W = item.touch.n_W;
  out.p_W = item.touch.p_W;
  if (!item.mode.touches || !item.touch.is_there) return out;
  out.mode = item.mode.slips ? ContactState::Mode::slips : ContactState::Mode::sticks;
  out.normal = item.N;
  out.friction_W = item.friction_W;
  return out;
}

// --- implicit ---------------------------------------------------------------------------------------------------------------------

void ContactForces::begin_step(double h, std::span<const double> u) {
  h_ = h;
  const auto turning = [this](int i, const Vec3d& v) {
    return i < 0 ? Vec3d{} : cross(bodies_[static_cast<At>(i)].V.w, v);
  };
  const auto velocity = [this](int i, const Vec3d& p) {
    if (i < 0) return Vec3d{};
    const BodyMotion& b = bodies_[static_cast<At>(i)];
    return b.V.v + cross(b.V.w, p - b.p_WO);
  };
  for (At k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    const Touch& touch = item.touch;
    item.step.begin(*item.law, h, {touch.depth, item.rate, touch.n_W, item.slide_W, axes_of_first(item) * load(u, k)},
                    {item.mode.touches, item.mode.slips, item.mode.normal}, touch.is_there);
    if (!item.step.near) continue;
    // Of a sphere the point of contact keeps below the centre while the body turns: its velocity changes as that of the centre does.
    item.faster_W = turning(item.second, velocity(item.second, touch.centre_W)) -
                    turning(item.first, velocity(item.first, touch.p_W));
  }
}

void ContactForces::add(std::span<Force<double>> wrench, std::span<ArticulatedInertia<double>> inertia) const {
  for (const Item& item : items_) {
    if (!item.step.touches || item.is_between) continue;
    const ImplicitContact<double>::Linear l = item.step.linear(*item.law, h_);
    const bool on_second = item.second >= 0 && bodies_[static_cast<At>(item.second)].link != ground;
    const BodyMotion& b = bodies_[static_cast<At>(on_second ? item.second : item.first)];
    const At body = static_cast<At>(b.body);
    const ContactLoad<double> load = load_at<double>(l, item.step.n, item.touch.p_W - b.p_WO, item.faster_W);
    // Where the first body is the one that moves, a is the opposite of its own acceleration, and so is the force on it.
    wrench[body] += on_second ? load.wrench : -load.wrench;
    inertia[body] += load.inertia;
  }
}

ContactForces::Between ContactForces::between(const Item& item) const {
  const ImplicitContact<double>::Linear l = item.step.linear(*item.law, h_);
  Between out;
  out.first = bodies_[static_cast<At>(item.first)].body;
  out.second = bodies_[static_cast<At>(item.second)].body;
  out.p_W = item.touch.p_W;
  out.f0_W = l.f0;
  const Vec3d& n = item.touch.n_W;
  const bool slips = item.step.slips && item.law->friction_static > 0;
  // Two directions in the surface, one of them t where the pair slips.
  Vec3d t = l.t;
  if (!slips) {
    const Vec3d aside = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    t = in_surface(aside, n);
    t = t * (1 / norm(t));
  }
  out.along_W[0] = n, out.along_W[1] = t, out.along_W[2] = cross(n, t);
  out.c[0] = l.c_n, out.c[1] = slips ? 0 : l.c_t, out.c[2] = l.c_t;
  const BodyMotion& b = bodies_[static_cast<At>(item.second)];
  out.faster_W = cross(b.V.w, cross(b.V.w, item.touch.centre_W - item.touch.p_W));
  return out;
}

ContactForces::Outcome ContactForces::look(const Workspace& ws, bool may_switch) {
  for (BodyMotion& b : bodies_) {
    if (b.link != ground) b.A = link_view(mech_, ws, b.link).A;
  }
  Outcome outcome = Outcome::settled;
  for (Item& item : items_) {
    if (!item.step.near) continue;
    const auto acceleration = [&](int i) {
      if (i < 0) return Vec3d{};
      const BodyMotion& b = bodies_[static_cast<At>(i)];
      return b.link == ground ? Vec3d{} : b.A.v + cross(b.A.w, item.touch.p_W - b.p_WO);
    };
    const auto [switched, refined] =
        item.step.look(*item.law, h_, acceleration(item.second) - acceleration(item.first) + item.faster_W, may_switch);
    if (switched) outcome = Outcome::switched;
    if (refined && outcome == Outcome::settled) outcome = Outcome::refine;
  }
  return outcome;
}

double ContactForces::finish_step(std::span<const double> u, std::span<double> udot) const {
  double lost = 0;
  for (At k = 0; k < items_.size(); ++k) {
    const Item& item = items_[k];
    const ImplicitContact<double>& step = item.step;
    const Vec3d before = load(u, k);
    store(before * (-1 / h_), udot, k);  // parted: cleared
    const ContactLaw& law = *item.law;
    const double kt = law.tangential_stiffness;
    const bool stored = item.mode.touches && item.touch.is_there;
    double gained = stored ? -stored_at(law, item.touch.depth) : 0;
    gained -= kt * dot(before, before) / 2;
    if (step.touches) {
      const Vec3d& n = step.n;
      const double rate = item.rate - h_ * dot(n, step.a);
      const double deepens = rate - dot(item.touch.gradient_W - n, item.centre_v_W + step.a * h_);
      gained += stored_at(law, item.touch.depth + h_ * deepens);
      Vec3d f = n * std::max(step.N_found, 0.0);
      if (law.friction_static > 0) {
        const Vec3d after = step.deflection(law, h_);
        store((transpose_times(axes_of_first(item), after) - before) * (1 / h_), udot, k);
        gained += kt * dot(after, after) / 2;
        f -= step.g;
      }
      lost -= dot(f, item.v_W + step.a * (h_ / 2));
    }
    lost -= gained / h_;
  }
  return lost;
}

void ContactForces::keep_modes() {
  for (Item& item : items_) {
    const ImplicitContact<double>::Mode found = item.step.mode();
    item.mode = {.touches = found.touches, .slips = found.slips, .normal = found.normal};
  }
}

double passages_per_second(const Mechanism& mech, const Workspace& ws) {
  const auto pose = [&](int body) { return body == ground ? Transformd{} : pose_WB<double>(mech, ws, body); };
  const auto velocity = [&](int body, const Vec3d& p_W) {
    return body == ground ? Vec3d{} : velocity_W<double>(mech, ws, body, inverse(pose(body)) * p_W).v;
  };
  double most = 0;
  for (const ContactPair& pair : mech.contacts.pairs) {
    if (pair.target < 0) continue;  // the terrain has no other side
    const Vec3d p_W = pose(pair.second) * pair.p_B;
    const double thick = 2 * pair.radius + thickness(mech.contacts.shapes[static_cast<At>(pair.target)]);
    if (thick > 0) most = std::max(most, norm(velocity(pair.second, p_W) - velocity(pair.first, p_W)) / thick);
  }
  return most;
}

}  // namespace trammel
