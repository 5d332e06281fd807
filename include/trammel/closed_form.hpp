// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Positions of linkages in closed form, where there is one (KAM's table of algorithms): links are placed in series, each step one of
// Chace's cases or two of them. Planar linkages that are built of dyads, and spatial loops of R, P, C, S, E and U pairs such as RSSR,
// RSCR, RCCC, Hooke's joint and suspensions with tie rods.
//
//   ClosedForm form(mechanism, {{.joint = crank}});
//   if (form.exists()) for (const auto& q : form.positions({0.3})) …        every assembly, none missed
//
// A mode is one of the solutions of a step; a branch has one for each.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trammel/loops.hpp>

namespace trammel {

class ClosedForm {
 public:
  ClosedForm(const Mechanism& mechanism, std::vector<Driver> drivers);
  ~ClosedForm();
  ClosedForm(ClosedForm&&) noexcept;
  ClosedForm& operator=(ClosedForm&&) noexcept;

  bool exists() const;
  const std::string& obstacle() const;            // where it does not: what stands in its way
  const std::vector<std::string>& steps() const;  // in words

  // All positions at these values of the drivers: coordinates of the tree, angles between −π and π but for driven ones. Many loops in
  // series have very many: where there are more than `most`, only so many are given and *all is false.
  std::vector<std::vector<double>> positions(std::span<const double> inputs, int most = 2000, bool* all = nullptr);
  // From a position nearby, in each step the nearest solution. False, and q as it was: there is none.
  bool follow(std::span<double> q, std::span<const double> inputs);

  using Branch = std::vector<int>;
  // The branch on which a closed position lies.
  std::optional<Branch> branch_of(std::span<const double> q, std::span<const double> inputs);
  // True where a branch is a list of signs, one per step (planar dyads), which change only where the linkage passes a dead or change
  // point. Roots of quartics are numbered by size, and may change places.
  bool branches_are_signs() const;
  // Position, velocity and acceleration on a branch. Angles of q are counted on from what they were. No allocation. False: no position.
  bool motion(const Branch& branch, std::span<const Target> targets, std::span<double> q, std::span<double> v,
              std::span<double> a);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel
