// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one list of joint types. To add a joint: include its file, add it to AnyJoint (and its Reversed, unless turning
// its frames by π about x reverses it, as compile() does for joints along z: see along_z).

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <trammel/joints/custom.hpp>
#include <trammel/joints/cylindrical.hpp>
#include <trammel/joints/fixed.hpp>
#include <trammel/joints/free.hpp>
#include <trammel/joints/helical.hpp>
#include <trammel/joints/planar.hpp>
#include <trammel/joints/prismatic.hpp>
#include <trammel/joints/reversed.hpp>
#include <trammel/joints/revolute.hpp>
#include <trammel/joints/spherical.hpp>
#include <trammel/joints/universal.hpp>

namespace trammel {

using AnyJoint = std::variant<Revolute, Prismatic, Helical, Cylindrical, Universal, Spherical, Planar, Free, Fixed,
                              Reversed<Universal>, Reversed<Spherical>, Reversed<Planar>, Reversed<Free>, Custom>;

// Joints whose motion is a function of the z axis alone: reversing them is turning both frames by π about x.
template <class J>
inline constexpr bool along_z = false;
template <>
inline constexpr bool along_z<Fixed> = true;
template <>
inline constexpr bool along_z<Revolute> = true;
template <>
inline constexpr bool along_z<Prismatic> = true;
template <>
inline constexpr bool along_z<Helical> = true;
template <>
inline constexpr bool along_z<Cylindrical> = true;

std::string_view keyword(const AnyJoint& joint);
int nq(const AnyJoint& joint);
int nv(const AnyJoint& joint);
std::vector<Freedom> freedoms(const AnyJoint& joint);
// A joint by the word files use ("revolute", …, "free"), with its parameters at their defaults.
std::optional<AnyJoint> joint_by_keyword(std::string_view word);
// All words that files use, in the order of the list.
std::vector<std::string> joint_keywords();

// Run-time access for double, any joint, custom ones included.
Transform<double> X_FM(const AnyJoint& joint, const double* q);
void H_FM(const AnyJoint& joint, const double* q, std::span<Motion<double>> columns);
void Hdot_FM(const AnyJoint& joint, const double* q, const double* v, std::span<Motion<double>> columns);
void Hdot_along(const AnyJoint& joint, const double* q, const double* v, const double* u,
                std::span<Motion<double>> columns);
void q_zero(const AnyJoint& joint, double* q);
void q_step(const AnyJoint& joint, const double* q, const double* dq, double* out);
void q_fit(const AnyJoint& joint, const Transform<double>& X, double* q);

}  // namespace trammel
