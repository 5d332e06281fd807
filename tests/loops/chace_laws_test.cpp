// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of Chace's nine cases on random instances, each made from a solution: it is found, every answer closes the loop, turning and
// scaling change nothing, and two other methods find nothing that is missing. Each law sees 4000 instances of each case.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chace_instances.hpp"
#include "chace_other_methods.hpp"

namespace trammel {
namespace {

using chace::Solution;
using chace::Status;
using test::Answer;
using test::Instance;
using test::Random;

constexpr int instances = 40;  // of each case, for each of RapidCheck's 100 seeds

template <class Law>
void for_all_cases(Law law, int first = 1, int count = instances) {
  const auto seed = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>());
  for (int number = first; number <= 9; ++number) {
    Random random(seed * std::uint64_t{10} + static_cast<std::uint64_t>(number));
    for (int i = 0; i < count; ++i) {
      const Instance instance = test::random_instance(number, random);
      law(instance, random);
    }
  }
}

std::string shown(const Instance& instance, const Answer& answer) {
  std::string text = text_of(instance) +
                     fmt::format("\n{}, {}, margin {}", name_of(answer.status), name_of(answer.limit), answer.margin);
  for (const Solution& s : answer.solutions) {
    text += fmt::format("\n  error {:.2e}, det {:.2e}{}", error_of(instance, s), determinant(instance, s),
                        s.double_root ? ", double" : "");
  }
  return text;
}

// As RC_ASSERT, and shows the instance.
void require(bool holds, const Instance& instance, const Answer& answer,
             int line = __builtin_LINE()) {  // std::source_location is not in clang 14
  if (!holds) RC_FAIL(fmt::format("line {}: this does not hold for\n{}", line, shown(instance, answer)));
}

// How far a solution moves with the last digit of the data: 1/det times that.
double tolerance(const Instance& instance, const Solution& s) {
  return 1e-13 / std::max(std::abs(determinant(instance, s)), 1e-9);
}

RC_GTEST_PROP(ChaceLaws, the_solution_it_was_made_from_is_found, ()) {
  for_all_cases([](const Instance& instance, Random&) {
    const Answer answer = solve(instance);
    require(answer.status == Status::solved, instance, answer);
    require(
        distance_to_closest(instance, answer.solutions, instance.made_from) <= tolerance(instance, instance.made_from),
        instance, answer);
  });
}

RC_GTEST_PROP(ChaceLaws, every_solution_closes_the_loop_and_keeps_its_conditions, ()) {
  for_all_cases([](const Instance& instance, Random&) {
    const Answer answer = solve(instance);
    for (const Solution& s : answer.solutions) require(error_of(instance, s) <= 2e-13, instance, answer);
  });
}

// Real roots come and go in pairs.
RC_GTEST_PROP(ChaceLaws, solutions_are_as_many_as_theory_says, ()) {
  constexpr std::array<int, 9> most = {1, 2, 4, 2, 2, 1, 2, 4, 8};
  for_all_cases([&](const Instance& instance, Random&) {
    const Answer answer = solve(instance);
    int count = 0;
    for (const Solution& s : answer.solutions) count += s.double_root ? 2 : 1;
    const int at_most = most.at(static_cast<std::size_t>(instance.number - 1));
    require(count <= at_most, instance, answer);
    require(at_most == 1 ? count == 1 : count % 2 == 0, instance, answer);
    require(answer.margin >= 0, instance, answer);
  });
}

RC_GTEST_PROP(ChaceLaws, solutions_differ_from_each_other_and_are_numbered, ()) {
  for_all_cases([](const Instance& instance, Random&) {
    const Answer answer = solve(instance);
    const std::vector<Solution>& all = answer.solutions;
    for (std::size_t a = 0; a < all.size(); ++a) {
      require(all[a].mode == static_cast<int>(a), instance, answer);
      for (std::size_t b = 0; b < a; ++b) require(difference(instance, all[a], all[b]) > 1e-9, instance, answer);
    }
  });
}

RC_GTEST_PROP(ChaceLaws, several_solutions_come_in_the_order_of_their_azimuths, ()) {
  for_all_cases([](const Instance& instance, Random&) {
    if (instance.number != 3 && instance.number != 8 && instance.number != 9) return;
    const bool by_r = instance.number == 9;
    const chace::Axes& axes = (by_r ? instance.r : instance.s).arm.cone.axes;
    const Answer answer = solve(instance);
    double last = -4;
    for (const Solution& s : answer.solutions) {
      const double angle = azimuth(axes, by_r ? s.r : s.s);
      require(angle >= last, instance, answer);
      last = angle;
    }
  });
}

// With its axes turned along, an instance keeps its angles, so the order of its solutions too.
RC_GTEST_PROP(ChaceLaws, turning_everything_turns_the_solutions, ()) {
  for_all_cases([](const Instance& instance, Random& random) {
    const Answer answer = solve(instance);
    if (answer.margin < 1e-9) return;  // closer to a dead point round-off may decide
    const Mat3d R = random.rotation();
    const Instance other = test::turned(instance, R);
    const Answer again = solve(other);
    require(again.solutions.size() == answer.solutions.size(), instance, answer);
    for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
      const Solution expected = test::turned(answer.solutions[k], R);
      const double found = instance.number == 2 ? distance_to_closest(other, again.solutions, expected)
                                                : difference(other, again.solutions[k], expected);
      require(
          found <= 10 * tolerance(instance, answer.solutions[k]) * std::max(1.0, norm(expected.r.v) / instance.size),
          instance, answer);
    }
  });
}

// By a power of two to the last bit, by others to round-off.
RC_GTEST_PROP(ChaceLaws, scaling_everything_scales_the_solutions, ()) {
  for_all_cases([](const Instance& instance, Random& random) {
    const Answer answer = solve(instance);
    const double power = std::ldexp(1.0, random.integer(-30, 30));
    const Answer same = solve(test::scaled(instance, power));
    require(same.solutions.size() == answer.solutions.size(), instance, answer);
    require(same.margin == answer.margin, instance, answer);
    for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
      const Solution &s = same.solutions[k], expected = test::scaled(answer.solutions[k], power);
      require((s.r.v == expected.r.v && s.s.v == expected.s.v && s.t.v == expected.t.v), instance, answer);
    }
    if (answer.margin < 1e-9) return;
    const double factor = std::pow(10, random.uniform(-6, 6));
    const Answer other = solve(test::scaled(instance, factor));
    require(other.solutions.size() == answer.solutions.size(), instance, answer);
    for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
      const Solution expected = test::scaled(answer.solutions[k], factor);
      require(test::difference(test::scaled(instance, factor), other.solutions[k], expected) <=
                  10 * tolerance(instance, answer.solutions[k]) *
                      std::max(1.0, norm(answer.solutions[k].r.v) / instance.size),
              instance, answer);
    }
  });
}

// Where the first azimuth is counted from does not matter.
RC_GTEST_PROP(ChaceLaws, another_reference_gives_the_same_vectors, ()) {
  for_all_cases([](const Instance& instance, Random& random) {
    const Answer answer = solve(instance);
    if (answer.margin < 1e-9) return;
    Instance other = instance;
    for (test::Part* part : {&other.r, &other.s, &other.t}) {
      part->arm.cone.axes = chace::axes_about(part->w(), random.direction());
    }
    const Answer again = solve(other);
    require(again.solutions.size() == answer.solutions.size(), instance, answer);
    require(std::abs(again.margin - answer.margin) <= 1e-12, instance, answer);
    for (const Solution& s : answer.solutions) {
      require(distance_to_closest(instance, again.solutions, s) <= tolerance(instance, s), instance, answer);
    }
  });
}

// --- two other methods ------------------------------------------------------------------------------------------------

RC_GTEST_PROP(ChaceLaws, newtons_method_from_anywhere_finds_nothing_else, ()) {
  for_all_cases(
      [](const Instance& instance, Random& random) {
        const Answer answer = solve(instance);
        for (int k = 0; k < 12; ++k) {
          const std::optional<Solution> found = test::newton_from_anywhere(instance, random);
          if (!found || norm(found->r.v) > 1e4 * instance.size) continue;
          require(distance_to_closest(instance, answer.solutions, *found) <=
                      10 * tolerance(instance, *found) * std::max(1.0, norm(found->r.v) / instance.size),
                  instance, answer);
        }
      },
      2, 10);
}

RC_GTEST_PROP(ChaceLaws, a_dense_scan_finds_nothing_else, ()) {
  for_all_cases(
      [](const Instance& instance, Random&) {
        if (instance.number != 3 && instance.number != 8 && instance.number != 9) return;
        const Answer answer = solve(instance);
        const std::vector<Solution> scanned = test::scan(instance, 2000);
        for (const Solution& s : scanned) {
          require(distance_to_closest(instance, answer.solutions, s) <= 1e-9 / std::abs(determinant(instance, s)),
                  instance, answer);
        }
      },
      3, 4);
}

// Else the two laws above would be empty.
TEST(ChaceLaws, the_other_methods_find_most_solutions) {
  for (const int number : {3, 8, 9}) {
    Random random(static_cast<std::uint64_t>(number));
    std::size_t all = 0, by_scan = 0, by_newton = 0;
    for (int i = 0; i < 100; ++i) {
      const Instance instance = test::random_instance(number, random);
      all += solve(instance).solutions.size();
      by_scan += test::scan(instance, 2000).size();
      std::vector<Solution> found;
      for (int k = 0; k < 40; ++k) {
        const std::optional<Solution> s = test::newton_from_anywhere(instance, random);
        if (s && distance_to_closest(instance, found, *s) > 1e-6) found.push_back(*s);
      }
      by_newton += found.size();
    }
    // The scan misses those that lie within a step of the end of a branch, where it runs straight up.
    EXPECT_GT(by_scan, 0.9 * static_cast<double>(all)) << number;
    EXPECT_GT(by_newton, 0.9 * static_cast<double>(all)) << number;
    EXPECT_LE(by_scan, all) << number;
    EXPECT_LE(by_newton, all) << number;
  }
}

// --- what is reached --------------------------------------------------------------------------------------------------

std::map<std::size_t, int> counts_of(int number, int tries) {
  Random random(static_cast<std::uint64_t>(number));
  std::map<std::size_t, int> counts;
  for (int i = 0; i < tries; ++i) ++counts[solve(test::random_instance(number, random)).solutions.size()];
  return counts;
}

TEST(ChaceLaws, case_3_has_two_or_four_solutions) {
  const auto counts = counts_of(3, 2000);
  EXPECT_GT(counts.at(2), 0);
  EXPECT_GT(counts.at(4), 0);
}
TEST(ChaceLaws, case_8_has_two_or_four_solutions) {
  const auto counts = counts_of(8, 2000);
  EXPECT_GT(counts.at(2), 0);
  EXPECT_GT(counts.at(4), 0);
}
TEST(ChaceLaws, case_9_has_up_to_eight_solutions) {
  const auto counts = counts_of(9, 40000);
  for (const std::size_t n : {2, 4, 6, 8}) EXPECT_TRUE(counts.contains(n)) << n;
}

// The errors that docs/validation.md gives.
TEST(ChaceLaws, errors_found) {
  for (int number = 1; number <= 9; ++number) {
    Random random(static_cast<std::uint64_t>(1000 + number));
    double error = 0, missed = 0;
    for (int i = 0; i < 5000; ++i) {
      const Instance instance = test::random_instance(number, random);
      const Answer answer = solve(instance);
      for (const Solution& s : answer.solutions) error = std::max(error, error_of(instance, s));
      missed = std::max(missed, distance_to_closest(instance, answer.solutions, instance.made_from) *
                                    std::abs(determinant(instance, instance.made_from)));
    }
    RecordProperty(fmt::format("case_{}_error", number), fmt::format("{:.1e}", error));
    fmt::print("case {}: conditions and loop {:.1e}, made from (times det) {:.1e}\n", number, error, missed);
    EXPECT_LT(error, 2e-13);
    EXPECT_LT(missed, 2e-13);
  }
}

}  // namespace
}  // namespace trammel
