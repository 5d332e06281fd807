// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Impact of two bodies at one point, with Coulomb friction. In the contact's frame (t1, t2, n) let u be the velocity of the first body's
// point relative to the second's, p the impulse on the first body, and W the 3×3 matrix that answers to it:
//   du = W dp
// The impulse grows along its normal component p_n from 0 on. While the contact slips, u_t ≠ 0,
//   dp_t = −f u_t/|u_t| dp_n                                                                                       (1)
// At u_t = 0 it sticks where friction can hold it, dp_t = −W_tt⁻¹ W_tn dp_n with |W_tt⁻¹ W_tn| ≤ f, and otherwise slips on in the direction d
// that keeps itself: W_tn − f W_tt d = λ d, λ > 0.                                                                      (2)
// Compression ends at u_n = 0, where p_n = p_c. Restitution ends, after
//   Newton    at u_n = −e u_n(0)
//   Poisson   at p_n = (1 + e) p_c
//   Stronge   when the normal force has given back e² of the work that compression took, ∫ u_n dp_n
// Where slip presses the bodies together again meanwhile, u_n < 0, that too is compression, and adds to p_c and to its work.
// Without friction all three agree (at one point; of several at once: impact.hpp). With friction Newton's may create energy; Stronge's never does.
//                                                                         [Routh 1905; Keller 1986; Stronge 1990; Batlle 1993]

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace trammel {

enum class ImpactLaw { stronge, poisson, newton };
std::string_view keyword(ImpactLaw law);
std::optional<ImpactLaw> impact_law_by_keyword(std::string_view word);

struct FrictionImpactProblem {
  std::array<double, 9> W = {};  // row-major, order (t1, t2, n); symmetric, positive definite
  std::array<double, 3> u = {};  // before: (t1, t2, n), n negative
  double friction = 0, restitution = 0;
  ImpactLaw law = ImpactLaw::stronge;
  double speed =
      0;  // of the bodies, where u is a small difference of theirs: round-off of u is of this; else |u| will do
};

struct FrictionImpact {
  // A stretch of p_n along which the contact slips or sticks.
  struct Phase {
    enum class Kind { slip, stick };
    Kind kind = Kind::slip;
    bool compression = true;
    double p_n = 0;                        // at its end
    std::array<double, 2> direction = {};  // of slip, at its beginning
  };
  bool approaches = true;  // false: u_n ≥ 0, and nothing happens
  bool finished = true;  // false: the slip could not be followed to its end, and what stands here is where it was lost
  std::array<double, 3> p = {};                 // impulse on the first body
  std::array<double, 3> u = {};                 // after
  double p_compression = 0;                     // of p_n, what compressions took
  double work_normal = 0, work_tangential = 0;  // of the contact's forces on both bodies: negative is lost
  std::vector<Phase> phases;
};

// Planar problems (no coupling to t2, no slip along it) are solved exactly, piece by piece; others by integrating (1).
FrictionImpact solve_friction_impact(const FrictionImpactProblem& problem);

}  // namespace trammel
