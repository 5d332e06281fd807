// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lilly and Orin's algorithm on several threads: the same bits whatever their number, errors and verdicts included.

#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tbb/global_control.h>

#include "core/crew.hpp"
#include "star_case.hpp"

namespace trammel {
namespace {

using test::ClosedCase;
using test::RandomStarOptions;

// TBB starts as many threads as there are cores unless it is told otherwise.
class ThreadsOfLillyOrin : public testing::Test {
 protected:
  static constexpr int most = 3;
  tbb::global_control allow_{tbb::global_control::max_allowed_parallelism, most};
};

struct Answer {
  StarReport report;
  std::vector<double> a, others;

  bool operator==(const Answer& b) const {
    const auto same_bits = [](const std::vector<double>& x, const std::vector<double>& y) {
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
    };
    return same_bits(a, b.a) && same_bits(others, b.others) && report.rank == b.report.rank &&
           report.singular_joint == b.report.singular_joint && report.determined == b.report.determined;
  }
};

Answer answer(LillyOrin& solver, const ClosedCase& c, const Loads& loads) {
  Answer found{{}, std::vector<double>(c.v.size()), std::vector<double>(36)};
  found.report = solver.forward_dynamics(c.q, c.v, c.tau, found.a, loads);
  if (!found.report.ok()) return found;
  solver.effective_inertia_W(std::span<double, 36>(found.others));
  for (std::size_t k = 0; k < solver.star().chains.size(); ++k) {
    const Force<double> F = solver.tip_force_W(static_cast<int>(k));
    found.others.insert(found.others.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  }
  return found;
}

RC_GTEST_FIXTURE_PROP(ThreadsOfLillyOrin, give_the_same_bits_whatever_their_number, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const RandomStarOptions options{.chains = static_cast<int>(2 + seed % 7),
                                  .links = static_cast<int>(1 + seed / 4 % 9),
                                  .anywhere = seed % 7 != 0,
                                  .rotors = seed % 3 == 1,
                                  .friction = seed % 5 == 1,
                                  .loops = seed % 4 == 3 ? 0.3 : 0};
  RC_PRE(find_star(test::compiled(test::random_star(seed, options))).found());
  const ClosedCase c(test::random_star(seed, options), seed);
  LillyOrin solver(c.mechanism, find_star(c.mechanism));
  test::Random random(seed);
  std::vector<Force<double>> forces(c.mechanism.bodies.size());
  for (Force<double>& F : forces) F = {random.vector(), random.vector()};
  Loads loads;
  if (seed % 2 == 0) loads.wrench = forces.data();
  solver.set_threads(1);
  const Answer alone = answer(solver, c, loads);
  for (int threads = 2; threads <= most; ++threads) {
    solver.set_threads(threads);
    RC_ASSERT(solver.threads() == std::min(threads, static_cast<int>(solver.star().chains.size())));
    for (int again = 0; again < 3; ++again) RC_ASSERT(answer(solver, c, loads) == alone);
  }
}

TEST_F(ThreadsOfLillyOrin, are_woken_for_large_stars_only) {
  const auto threads_of = [](int chains, int links) {
    const Mechanism mechanism =
        test::compiled(test::random_star(1, {.chains = chains, .links = links, .trees = false, .ample = true}));
    return LillyOrin(mechanism, find_star(mechanism)).threads();
  };
  EXPECT_EQ(threads_of(3, 6), 1);
  EXPECT_EQ(threads_of(8, 60), 1);
  EXPECT_EQ(threads_of(60, 60), Crew(0).threads());
}

TEST_F(ThreadsOfLillyOrin, report_a_joint_without_inertia_as_one_thread_does) {
  const ClosedCase c(test::random_star(5, {.chains = 4, .links = 3, .trees = false, .ample = true}), 5);
  LillyOrin solver(c.mechanism, find_star(c.mechanism));
  Parameters<double> weightless = c.mechanism.parameters;
  for (LinkInertia<double>& inertia : weightless.inertia) inertia = {};
  solver.set_parameters(weightless);
  solver.set_threads(1);
  const Answer alone = answer(solver, c, {});
  EXPECT_FALSE(alone.report.ok());
  solver.set_threads(3);
  EXPECT_TRUE(answer(solver, c, {}) == alone);
}

TEST_F(ThreadsOfLillyOrin, of_a_crew_do_every_pass_once_and_hand_on_what_is_thrown) {
  Crew crew(most);
  EXPECT_EQ(crew.threads(), most);
  std::vector<int> done(1000, 0);
  std::set<std::thread::id> who;
  std::mutex mutex;
  crew.each(1000, [&](int i) {
    ++done[static_cast<std::size_t>(i)];
    const std::lock_guard lock(mutex);
    who.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(done, std::vector<int>(1000, 1));
  EXPECT_LE(who.size(), static_cast<std::size_t>(most));
  EXPECT_THROW(crew.each(10,
                         [](int i) {
                           if (i == 7) throw std::runtime_error("seven");
                         }),
               std::runtime_error);
}

}  // namespace
}  // namespace trammel
