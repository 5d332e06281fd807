// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Random numbers, the functions they are made with, and the ways to spread samples.

#include "study/random.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/study.hpp>

#include "study/sobol.hpp"

namespace trammel::study {
namespace {

TEST(StudyRandom, logarithm_and_exponential_are_those_of_the_library_to_a_few_ulp) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(plain_log(x), std::log(x), 4e-16 * (1 + std::abs(std::log(x)))) << x;
  }
  for (double x = 0.99; x < 1.01; x += 1e-4) EXPECT_NEAR(plain_log(x), std::log(x), 4e-16) << x;
  for (double x = -690; x < 690; x += 0.73) EXPECT_NEAR(plain_exp(x) / std::exp(x), 1, 1e-15) << x;
}

// Φ(x) = erfc(−x/√2)/2
TEST(StudyRandom, normal_quantile_inverts_the_normal_distribution) {
  for (double x = -8; x <= 6; x += 0.01) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    const double slope = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);  // dp/dx: how far round-off of p moves x
    EXPECT_NEAR(normal_quantile(p), x, 4e-15 * (1 + std::abs(x)) + 2e-16 * p / slope) << x;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

// The published test values of SplitMix64 for the seed 1234567 (Vigna's implementation).
TEST(StudyRandom, mixes_as_splitmix64) {
  EXPECT_EQ(mix(1234567), 6457827717110365317ULL);
  EXPECT_EQ(mix(1234567 + 0x9e3779b97f4a7c15ULL), 3203168211198807973ULL);
}

TEST(StudyRandom, is_uniform_and_uncorrelated_from_task_to_task) {
  constexpr int n = 200000;
  double sum = 0, squares = 0, products = 0, before = 0.5;
  for (int k = 0; k < n; ++k) {
    const double u = random_unit(random_bits(7, static_cast<std::uint64_t>(k), hash_of_name("mass"))) - 0.5;
    sum += u, squares += u * u, products += u * before, before = u;
  }
  EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / n));
  EXPECT_NEAR(products / n, 0, 4.0 / 12 / std::sqrt(n));
}

// Points of the unscrambled sequence as SciPy 1.10.1 gives them (scipy.stats.qmc.Sobol(21, scramble=False)), in 1/1024.
TEST(Sobol, gives_the_points_of_joe_and_kuo) {
  const std::vector<std::pair<int, std::vector<int>>> known{
      {1, std::vector<int>(21, 512)},
      {5, {896, 896, 128, 384, 896, 640, 896, 384, 384, 128, 384, 896, 896, 128, 896, 384, 896, 384, 384, 640, 640}},
      {100, {424, 264, 792, 744, 904, 760, 24, 488, 648, 712, 472, 696, 488, 872, 328, 504, 696, 760, 856, 344, 776}},
      {1000, {225, 99, 531, 693, 287, 929, 47, 921, 513, 71, 87, 261, 165, 393, 147, 379, 737, 353, 1015, 743, 535}},
      {1023, {1, 771, 627, 149, 191, 449, 143, 633, 353, 871, 695, 37, 133, 681, 371, 475, 321, 897, 599, 327, 887}}};
  for (const auto& [index, numbers] : known) {
    for (int d = 0; d < most_sobol_dimensions; ++d) {
      EXPECT_EQ(sobol(static_cast<std::uint32_t>(index), d),
                static_cast<std::uint32_t>(numbers[static_cast<std::size_t>(d)]) << 22)
          << "point " << index << " dimension " << d;
    }
  }
}

TEST(Sobol, has_one_of_the_first_2_to_the_m_points_in_each_of_so_many_intervals) {
  for (int m = 1; m <= 12; ++m) {
    for (int d = 0; d < most_sobol_dimensions; ++d) {
      std::set<std::uint32_t> cells;
      for (std::uint32_t k = 0; k < (1u << m); ++k) cells.insert(sobol(k, d) >> (32 - m));
      EXPECT_EQ(cells.size(), 1u << m) << m << " " << d;
    }
  }
}

// The first two coordinates are a (0, m, 2)-net: one point in every box of area 2^-m, whatever its sides.
TEST(Sobol, is_a_net_in_its_first_two_coordinates) {
  for (int m = 2; m <= 10; ++m) {
    for (int a = 0; a <= m; ++a) {
      std::set<std::uint64_t> boxes;
      for (std::uint32_t k = 0; k < (1u << m); ++k) {
        const std::uint64_t x = a == 0 ? 0 : sobol(k, 0) >> (32 - a), y = a == m ? 0 : sobol(k, 1) >> (32 - (m - a));
        boxes.insert(x << 32 | y);
      }
      EXPECT_EQ(boxes.size(), 1u << m) << m << " " << a;
    }
  }
}

StudyPlan plan_of(StudySampling sampling, std::uint64_t samples, std::vector<StudyParameter> parameters) {
  StudyPlan plan;
  plan.sampling = sampling, plan.samples = samples, plan.parameters = std::move(parameters);
  return plan;
}
StudyParameter parameter(const std::string& name, StudyParameter::Kind kind, std::vector<double> numbers) {
  StudyParameter p;
  p.name = name, p.kind = kind, p.numbers = std::move(numbers);
  return p;
}
using Kind = StudyParameter::Kind;

TEST(StudySampling, combines_lists_the_last_fastest_and_samples_fastest_of_all) {
  const StudyPlan plan = plan_of(StudySampling::random, 2,
                                 {parameter("a", Kind::values, {1, 2}), parameter("u", Kind::uniform, {0, 1}),
                                  parameter("b", Kind::values, {10, 20, 30})});
  ASSERT_EQ(plan.task_count(), 12u);
  const StudySampler sampler(plan);
  for (std::uint64_t task = 0; task < 12; ++task) {
    EXPECT_EQ(sampler.values(task)[0], task < 6 ? 1 : 2) << task;
    EXPECT_EQ(sampler.values(task)[2], 10.0 * static_cast<double>(1 + task / 2 % 3)) << task;
  }
  EXPECT_EQ(sampler.values(0)[1], sampler.values(2)[1]) << "each combination has the same samples";
  EXPECT_NE(sampler.values(0)[1], sampler.values(1)[1]);
}

TEST(StudySampling, puts_one_sample_of_a_latin_hypercube_or_of_2_to_the_m_sobol_points_into_each_cell) {
  for (const StudySampling sampling : {StudySampling::latin_hypercube, StudySampling::sobol}) {
    constexpr std::uint64_t n = 256;
    const StudyPlan plan =
        plan_of(sampling, n, {parameter("a", Kind::uniform, {0, 1}), parameter("b", Kind::uniform, {0, 1})});
    const StudySampler sampler(plan);
    for (std::size_t p = 0; p < 2; ++p) {
      std::set<int> cells;
      for (std::uint64_t k = 0; k < n; ++k)
        cells.insert(static_cast<int>(sampler.values(k)[p] * static_cast<double>(n)));
      EXPECT_EQ(cells.size(), n);
    }
  }
}

TEST(StudySampling, leaves_the_numbers_of_a_parameter_alone_when_another_is_added) {
  const auto a = parameter("a", Kind::normal, {0, 1}), b = parameter("b", Kind::normal, {0, 1});
  for (const StudySampling sampling : {StudySampling::random, StudySampling::latin_hypercube}) {
    const StudyPlan one = plan_of(sampling, 10, {a}), two = plan_of(sampling, 10, {b, a});
    for (std::uint64_t k = 0; k < 10; ++k) EXPECT_EQ(StudySampler(one).values(k)[0], StudySampler(two).values(k)[1]);
  }
}

TEST(StudySampling, changes_with_the_seed) {
  StudyPlan plan = plan_of(StudySampling::sobol, 8, {parameter("a", Kind::uniform, {0, 1})});
  const double before = StudySampler(plan).values(3)[0];
  const std::uint32_t seed = StudySampler(plan).seed(3);
  plan.seed = 2;
  EXPECT_NE(StudySampler(plan).values(3)[0], before);
  EXPECT_NE(StudySampler(plan).seed(3), seed);
}

// The share of values below x is the distribution's, by its own formula.
TEST(StudySampling, has_the_distributions_that_it_names) {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const std::vector<std::pair<StudyParameter, std::function<double(double)>>> cases{
      {parameter("p", Kind::uniform, {2, 4}), [](double x) { return (x - 2) / 2; }},
      {parameter("p", Kind::log_uniform, {1, 100}), [](double x) { return std::log(x) / std::log(100); }},
      {parameter("p", Kind::normal, {3, 0.5}), [&](double x) { return phi((x - 3) / 0.5); }},
      {parameter("p", Kind::lognormal, {2, 0.3}), [&](double x) { return phi(std::log(x / 2) / 0.3); }},
      {parameter("p", Kind::triangular, {0, 1, 4}),
       [](double x) { return x < 1 ? x * x / 4 : 1 - (4 - x) * (4 - x) / 12; }}};
  for (const auto& [p, cdf] : cases) {
    for (double u = 0.001; u < 1; u += 0.013) EXPECT_NEAR(cdf(quantile(p, u)), u, 1e-13) << static_cast<int>(p.kind);
  }
  const auto choice = parameter("p", Kind::choice, {5, 6, 7});
  EXPECT_EQ(quantile(choice, 0.2), 5);
  EXPECT_EQ(quantile(choice, 0.5), 6);
  EXPECT_EQ(quantile(choice, 0.9999), 7);
}

}  // namespace
}  // namespace trammel::study
