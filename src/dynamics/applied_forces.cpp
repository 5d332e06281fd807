// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Springs: with e the direction from the first end to the second, l their distance and l̇ its rate,
//   F = stiffness (l − rest) + damping l̇ + preload      pulls the ends together: F e on the first, −F e on the second
// At a joint the coordinate takes the place of l, and −F acts on it.

#include <cmath>

#include <trammel/applied_forces.hpp>
#include <trammel/dynamics.hpp>

namespace trammel {
namespace {

double tension(const Spring& s, double length, double rate) {
  return s.stiffness * (length - s.rest) + s.damping * rate + s.preload;
}

void add_at(const Mechanism& mech, const Workspace& ws, int body, const Vec3d& p_B, const Force<double>& F,
            std::span<Force<double>> wrench) {
  if (body != ground) add_wrench(mech, ws, body, p_B, F, wrench);
}

}  // namespace

void add_spring_forces(const Mechanism& mech, const Workspace& ws, std::span<const double> q, std::span<const double> v,
                       std::span<Force<double>> wrench, std::span<double> tau) {
  for (const SpringInfo& spring : mech.springs) {
    const Spring& s = spring.settings;
    if (spring.joint >= 0) {
      const JointInfo& joint = mech.joints[spring.joint];
      if (joint.role == JointRole::tree) tau[joint.v + s.dof] -= tension(s, q[joint.q + s.dof], v[joint.v + s.dof]);
      continue;
    }
    const auto place = [&](int body, const Vec3d& p_B) { return body == ground ? p_B : pose_WB(mech, ws, body) * p_B; };
    const auto speed = [&](int body, const Vec3d& p_B) {
      return body == ground ? Vec3d{} : velocity_W(mech, ws, body, p_B).v;
    };
    const Vec3d d = place(spring.second, s.second.p_B) - place(spring.first, s.first.p_B);
    const double length = norm(d);
    if (length == 0) continue;  // its direction is not defined; a spring free of force at length zero pulls nowhere
    const Vec3d e = d * (1 / length);
    const double rate = dot(e, speed(spring.second, s.second.p_B) - speed(spring.first, s.first.p_B));
    const Vec3d F = e * tension(s, length, rate);
    add_at(mech, ws, spring.first, s.first.p_B, {{}, F}, wrench);
    add_at(mech, ws, spring.second, s.second.p_B, {{}, -F}, wrench);
  }
}

double joint_spring_force(const Mechanism& mech, int joint, int dof, double q, double v) {
  double force = 0;
  for (const SpringInfo& spring : mech.springs) {
    if (spring.joint == joint && spring.settings.dof == dof) force -= tension(spring.settings, q, v);
  }
  return force;
}

// F along the load's own axes: those of the world, or of the body.
static void add_load(const Mechanism& mech, const Workspace& ws, int load, Vec3d F, std::span<Force<double>> wrench) {
  const LoadInfo& info = mech.loads[load];
  const Load& l = info.settings;
  if (l.turns_along && info.body != ground) F = pose_WB(mech, ws, info.body).R * F;
  add_at(mech, ws, info.body, l.at.p_B, l.is_couple ? Force<double>{F, {}} : Force<double>{{}, F}, wrench);
}

void add_unit_load(const Mechanism& mech, const Workspace& ws, int load, double size, std::span<Force<double>> wrench) {
  add_load(mech, ws, load, mech.loads[load].settings.direction * size, wrench);
}

void add_known_loads(const Mechanism& mech, const Workspace& ws, double t, std::span<Force<double>> wrench,
                     std::span<double> sizes) {
  for (int k = 0; k < static_cast<int>(mech.loads.size()); ++k) {
    const Load& load = mech.loads[k].settings;
    if (load.components) {
      const auto& c = *load.components;
      const Vec3d F{c[0].at(t), c[1].at(t), c[2].at(t)};
      sizes[k] = norm(F);
      add_load(mech, ws, k, F, wrench);
    } else if (load.size) {
      sizes[k] = load.size->at(t);
      add_unit_load(mech, ws, k, sizes[k], wrench);
    }
  }
}

}  // namespace trammel
