// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Studies from the plan to the merged table.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "study/journal.hpp"
#include "study/plans.hpp"

namespace trammel::test {
namespace {

namespace fs = std::filesystem;

std::string run_and_merge(const StudyPlan& plan, const std::string& folder, int jobs, int shards) {
  freeze_study(plan, folder);
  const Study study = open_study(folder);
  for (int k = shards; k >= 1; --k) {
    const StudyRunReport report = run_study(study, {.jobs = jobs, .shard = k, .shards = shards});
    EXPECT_TRUE(report.complete());
  }
  return write_study_csv(merge_study(study));
}

TEST_F(StudyFolderTest, a_ball_that_hits_a_wall_comes_back_as_restitution_says) {
  const StudyPlan plan = plan_or_fail(ball_plan, ball_model, ball_scenario);
  ASSERT_EQ(plan.task_count(), 60u);
  freeze_study(plan, path());
  const Study study = open_study(path());
  run_study(study, {.jobs = 2});
  const StudyTable table = merge_study(study);
  int hits = 0, misses = 0;
  for (const StudyTable::Row& row : table.rows) {
    const double mass = row.parameters[0], speed = row.parameters[1], e = row.parameters[2];
    if (speed <= 0) {
      ++misses;
      EXPECT_EQ(row.result.status, "separating");
      EXPECT_TRUE(std::isnan(row.result.scalars[0]));
      continue;
    }
    ++hits;
    ASSERT_EQ(row.result.status, "done") << row.result.reason;
    EXPECT_NEAR(row.result.scalars[0], e * speed, 1e-12);
    EXPECT_NEAR(row.result.scalars[1], (1 - e * e) * mass * speed * speed / 2, 1e-12);
    EXPECT_NEAR(row.result.scalars[2], 1 - e * e, 1e-12);
  }
  EXPECT_GT(hits, 40);
  EXPECT_GT(misses, 5);
}

TEST_F(StudyFolderTest, the_table_is_the_same_for_any_number_of_jobs_and_shards) {
  const StudyPlan plan = plan_or_fail(ball_plan, ball_model, ball_scenario);
  const std::string serial = run_and_merge(plan, path("serial"), 1, 1);
  EXPECT_EQ(std::count(serial.begin(), serial.end(), '\n'), 61);
  for (const int shards : {1, 2, 3, 6}) {
    for (const int jobs : {1, 3})
      EXPECT_EQ(run_and_merge(plan, path(std::to_string(10 * shards + jobs)), jobs, shards), serial)
          << shards << " " << jobs;
  }
}

TEST_F(StudyFolderTest, goes_on_where_it_was_with_other_shards) {
  const StudyPlan plan = plan_or_fail(ball_plan, ball_model, ball_scenario);
  const std::string serial = run_and_merge(plan, path("serial"), 1, 1);
  freeze_study(plan, path());
  const Study study = open_study(path());
  std::uint64_t ran = 0;
  const StudyRunReport first =
      run_study(study, {.jobs = 2, .progress = [&](const StudyProgress&) { return ++ran < 23; }});
  EXPECT_FALSE(first.complete());
  EXPECT_EQ(first.ran, 23u);
  EXPECT_EQ(status_of(study).done, 23u);
  std::uint64_t skipped = 0;
  for (int k = 1; k <= 3; ++k) skipped += run_study(study, {.jobs = 1, .shard = k, .shards = 3}).skipped;
  EXPECT_EQ(skipped, 23u);
  EXPECT_EQ(write_study_csv(merge_study(study)), serial);
}

TEST_F(StudyFolderTest, refuses_to_merge_what_is_not_complete) {
  const StudyPlan plan = plan_or_fail(ball_plan, ball_model, ball_scenario);
  freeze_study(plan, path());
  const Study study = open_study(path());
  run_study(study, {.shard = 1, .shards = 2});
  try {
    merge_study(study);
    FAIL();
  } catch (const StudyError& wrong) {
    EXPECT_STREQ(wrong.what(), "30 of 60 tasks are not done yet");
    EXPECT_EQ(wrong.fix(), "go on with: trammel study run FOLDER; or merge what is there: --partial");
    EXPECT_EQ(wrong.id(), "study-incomplete");
  }
  EXPECT_EQ(merge_study(study, true).rows.size(), 30u);
}

TEST_F(StudyFolderTest, a_plan_never_changes) {
  const StudyPlan plan = plan_or_fail(ball_plan, ball_model, ball_scenario);
  freeze_study(plan, path());
  freeze_study(plan, path());  // the same one again
  StudyPlan other = plan_or_fail(ball_plan + "# a remark\n", ball_model, ball_scenario);
  try {
    freeze_study(other, path());
    FAIL();
  } catch (const StudyError& wrong) {
    EXPECT_EQ(wrong.what(), path() + " holds another study");
    EXPECT_EQ(wrong.fix(), "give it another folder: a plan never changes");
  }
  std::ofstream(fs::path(path()) / "model.yaml", std::ios::app) << "# a remark\n";
  try {
    open_study(path());
    FAIL();
  } catch (const StudyError& wrong) {
    EXPECT_EQ(wrong.what(), "the plan, the model or another file of " + path() + " was changed after the study began");
    EXPECT_EQ(wrong.id(), "study-changed");
  }
}

// Another level or version: as if the journal came from another machine.
TEST_F(StudyFolderTest, refuses_journals_of_another_level_version_or_plan) {
  const StudyPlan plan = plan_or_fail(ball_plan, ball_model, ball_scenario);
  freeze_study(plan, path());
  const Study study = open_study(path());
  run_study(study, {.shard = 1, .shards = 2});
  const auto write = [&](const study::JournalHeader& h) {
    fs::remove(fs::path(path()) / "journals" / "shard-2-of-2.journal");
    study::JournalWriter journal(path() + "/journals/shard-2-of-2.journal", h);
    journal.append(study::record_of(1, {"done", "", {}, {}}));  // without a record there is nothing to mix
  };
  const auto message = [&]() -> std::string {
    try {
      merge_study(study, true);
    } catch (const StudyError& wrong) {
      return wrong.what();
    }
    return "";
  };
  study::JournalHeader header = study::own_header(study.hash);
  write(header);
  EXPECT_EQ(message(), "");
  const std::string own = header.level;
  header.level = "z80";
  write(header);
  EXPECT_EQ(message(), "shard-1-of-2.journal was computed with kernels for " + own +
                           ", shard-2-of-2.journal with those for z80: their last digits differ");
  EXPECT_THROW(run_study(study, {.shard = 1, .shards = 3}), StudyError);
  header = study::own_header(study.hash);
  header.version = "9.9";
  write(header);
  EXPECT_TRUE(message().ends_with(", shard-2-of-2.journal by 9.9 (" + header.commit + ")")) << message();
  write(study::own_header("another"));
  EXPECT_EQ(message(), "shard-2-of-2.journal belongs to another plan");
}

TEST_F(StudyFolderTest, a_run_that_takes_too_long_is_a_status_and_runs_again_on_request) {
  const std::string model = R"(trammel: 1
gravity: [0, -9.81, 0]
bodies: {rod: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {pin: {revolute: [ground, rod], at: [0, 0, 0], axis: z}}
simulate: {until: 1, integrator: rk4, step: 0.001}
)";
  const StudyPlan plan = plan_or_fail(R"(trammel-study: 1
model: m.yaml
run: simulate
time-limit: 0.7
parameters: {until: {values: [0.01, 1e7, 0.02], at: simulate.until}}
keep: {q: pin.q, fast: {peak: pin.v}}
)",
                                      model);
  freeze_study(plan, path());
  const Study study = open_study(path());
  StudyRunReport report = run_study(study, {.jobs = 2});
  EXPECT_EQ(report.statuses, (std::map<std::string, std::uint64_t>{{"done", 2}, {"timeout", 1}}));
  EXPECT_EQ(run_study(study, {.jobs = 2}).ran, 0u);
  EXPECT_EQ(run_study(study, {.jobs = 1, .retry = true}).ran, 1u);
  const StudyTable table = merge_study(study);
  EXPECT_EQ(table.rows[1].result.status, "timeout");
  EXPECT_EQ(table.rows[1].result.reason, "took longer than 0.7 s");
  EXPECT_NEAR(table.rows[0].result.scalars[1], 9.81 * 1 / 1.1 * 0.01, 1e-6);  // v = m g c / I t
}

TEST_F(StudyFolderTest, models_that_cannot_be_are_a_status) {
  const StudyPlan plan = plan_or_fail(R"(trammel-study: 1
model: m.yaml
run: analyze
parameters: {mass: {values: [1, -1], at: bodies.crank.mass}, reach: {values: [80, 8000], at: "points.B[1]"}}
keep: {x: {most: P.x}, where: {at-most: P.x}, speed: {mean: P.speed}}
series: [P.x, P.y]
)",
                                      fourbar_model);
  freeze_study(plan, path());
  const Study study = open_study(path());
  run_study(study, {.jobs = 2});
  const StudyTable table = merge_study(study);
  EXPECT_EQ(table.rows[0].result.status, "done");
  EXPECT_EQ(table.rows[2].result.status, "error");
  EXPECT_EQ(table.rows[2].result.reason, "body 'crank' has a negative mass: -1 kg [mass-negative]");
  EXPECT_EQ(table.rows[0].result.series.size(), 3u);
  EXPECT_EQ(table.rows[0].result.series[0].size(), 37u);
  const auto& x = table.rows[0].result.series[1];
  EXPECT_EQ(table.rows[0].result.scalars[0], *std::max_element(x.begin(), x.end()));
  const std::string series = write_study_series_csv(table);
  EXPECT_TRUE(series.starts_with("task,O2 [deg],P.x [mm],P.y [mm]\n0,0,60")) << series.substr(0, 80);
}

TEST_F(StudyFolderTest, runs_of_random_plans_do_not_depend_on_shards) {
  rc::check("tables of any grid and sampling", [this] {
    const auto samples = *rc::gen::inRange(1, 5);
    const auto method = *rc::gen::element<std::string>("random", "sobol", "latin-hypercube");
    const auto shards = *rc::gen::inRange(1, 7), jobs = *rc::gen::inRange(1, 4), stop = *rc::gen::inRange(1, 20);
    std::string text = ball_plan;
    text.replace(text.find("{latin-hypercube: 20}"), 21, "{" + method + ": " + std::to_string(samples) + "}");
    const StudyPlan plan = plan_or_fail(text, ball_model, ball_scenario);
    fs::remove_all(folder);
    const std::string serial = run_and_merge(plan, path("one"), 1, 1);
    freeze_study(plan, path("two"));
    const Study study = open_study(path("two"));
    int ran = 0;
    run_study(study, {.jobs = jobs, .progress = [&](const StudyProgress&) { return ++ran < stop; }});
    for (int k = 1; k <= shards; ++k) run_study(study, {.jobs = jobs, .shard = k, .shards = shards});
    RC_ASSERT(write_study_csv(merge_study(study)) == serial);
  });
}

}  // namespace
}  // namespace trammel::test
