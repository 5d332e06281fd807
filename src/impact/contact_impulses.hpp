// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Impulses that contacts ask for, where all that is known of the mechanism is how the rates of the contacts' rows answer to them:
//   u' = u + W p
// Rows have units of their own, and bodies that joints hold together cannot move along all of them: W is then singular but for round-off.
// So every row is measured by how readily its bodies would give way if nothing else held them; what is small beside that is nothing.

#include <optional>
#include <vector>

#include <trammel/friction_impact.hpp>

#include "core/dense.hpp"

namespace trammel::impact {

struct RowProblem {
  dense::MatrixXd W;
  dense::VectorXd u;  // rates before
  dense::VectorXd
      mobility;  // what each row would answer to its own impulse with loops open and joints free: round-off of W is of this
  dense::VectorXd speed;  // of the bodies along each row, of which u is the difference: round-off of u is of this
};

constexpr double no_motion = 1e-10;    // of the mobility: W below this is round-off
constexpr double no_approach = 1e-12;  // of the speed

// Some of the rows, by their indices.
using Rows = std::vector<Eigen::Index>;
dense::MatrixXd part_of(const dense::MatrixXd& W, const Rows& which);
dense::VectorXd part_of(const dense::VectorXd& x, const Rows& which);
RowProblem part_of(const RowProblem& problem, const Rows& which);

// Rows that answer to each other's impulses, directly or by way of others: what happens in one such group is no concern of the next.
std::vector<Rows> coupled_rows(const RowProblem& problem);

// W with the directions taken out in which nothing moves but by round-off; rows of one unit, and of any.
dense::MatrixXd without_round_off(const RowProblem& problem);
dense::MatrixXd without_round_off(const dense::MatrixXd& W, const dense::VectorXd& mobility);

// u' = u + wanted; of all impulses that bring this about the smallest. None where other joints forbid it.
std::optional<dense::VectorXd> solve_blocking(const RowProblem& problem, const dense::VectorXd& wanted);

// Contacts that push and do not pull, without friction; `restitution` per row.
//   Newton    p ≥ 0, u' + e u ≥ 0, p (u' + e u) = 0 at each; e = 0 where the bodies part already                                 (1)
//   Poisson   compression: p_c ≥ 0, u_c = u + W p_c ≥ 0, p_c u_c = 0; restitution: p = p_c + p_r + p_p, p_r = e p_c,
//             where p_p ≥ 0, u' ≥ 0, p_p u' = 0                                                                                 (2)
//   Stronge   the same with p_r = k e p_c, k such that restitution gives back Σ e² of what compression took at each              (3)
// With one restitution for all, and all approached, the three agree. (1) may have no answer, as for a body between two that close in on it,
// and creates energy where it pushes contacts that part. (2) and (3) always have one where nothing is prescribed: compression
// is the projection of the velocities on those that do not approach. Compression takes ½ p_cᵀW p_c, −½ pᵢ uᵢ of it at each; restitution gives
// ½ p_rᵀW p_r − ½ p_pᵀW p_p, of which k makes Σ −½ e² pᵢ uᵢ, no less than 0 and no more than all that was taken: so (3) never creates energy, nor
// does (2) with one restitution for all. There is one k for all rows of a problem, which should be one group of coupled rows.
//                                                                                            [Glocker and Pfeiffer 1995; Stronge 1990]
std::optional<dense::VectorXd> solve_pushing(const RowProblem& problem, const dense::VectorXd& restitution,
                                             ImpactLaw law);

}  // namespace trammel::impact
