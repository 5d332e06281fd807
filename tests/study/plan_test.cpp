// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Plans that are wrong: what is said, where, and what to do. And places in models.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "readers/yaml_tree.hpp"
#include "study/places.hpp"
#include "study/plans.hpp"

namespace trammel::test {
namespace {

// All messages of a plan for the four-bar, whose sections are given.
std::string said(const std::string& sections) {
  return read_plan("trammel-study: 1\nmodel: m.yaml\n" + sections, fourbar_model).diagnostics.to_string();
}
const std::string run_keep = "run: analyze\nkeep: {x: P.x}\n";

TEST(StudyPlan, says_what_is_missing) {
  const std::string text = read_plan("name: x\n", fourbar_model).diagnostics.to_string();
  EXPECT_NE(text.find("plan.yaml:1:1: error: the file does not say that it is the plan of a study\n"
                      "  fix: begin it with the line 'trammel-study: 1'      [format-missing]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("a study has no 'model'\n  fix: add model: FILE"), std::string::npos) << text;
  EXPECT_NE(text.find("a study has no 'run'"), std::string::npos) << text;
  EXPECT_NE(text.find("a study has no 'keep'"), std::string::npos) << text;
}

struct Mistake {
  std::string sections, message;
};

TEST(StudyPlan, says_where_and_how_to_mend_it) {
  const std::vector<Mistake> mistakes{
      {run_keep + "parameters: {m: {uniform: [1, 2], at: bodies.crnk.mass}}",
       "plan.yaml:5:39: error: 'bodies' of the model has no 'crnk'\n  fix: did you mean 'crank'?      [study-place]"},
      {run_keep + "parameters: {m: {uniform: [1, 2], at: 'points.A[3]'}}",
       "plan.yaml:5:39: error: 'points.A' of the model has 3 values, and [3] would be one more\n  fix: count from 0 to "
       "2      [study-place]"},
      {run_keep + "parameters: {m: {uniform: [1, 2], at: points.A}}",
       "plan.yaml:5:39: error: 'points.A' of the model is a list of 3 values, not a number\n  fix: take one of its "
       "numbers with [0]      [study-place]"},
      {run_keep + "parameters: {m: {uniform: [1, 2], at: joints.A.axis}}",
       "plan.yaml:5:39: error: 'joints.A.axis' of the model is the text 'z', not a number\n"
       "  fix: name a place where a number stands; expressions cannot be varied      [study-place]"},
      {run_keep + "parameters: {m: {uniform: [1, 2], at: 'points.A[x]'}}",
       "error: 'points.A[x]' is no place: a bracket of it does not hold a number from 0 on\n"
       "  fix: write places such as bodies.crank.mass, points.A[0] or joints.'pin A'.friction.viscous      "
       "[study-place]"},
      {run_keep + "parameters: {m: {uniform: [1, 2], at: scenario.x}}",
       "error: 'scenario.x' is a place of a scenario, and only impacts have one\n"
       "  fix: write run: {impact: FILE}, or name a place of the model      [study-place]"},
      {run_keep + "parameters: {a: {uniform: [1, 2], at: 'points.A[0]'}, b: {uniform: [1, 2], at: 'points.A[0]'}}",
       "error: 'points.A[0]' is set twice\n  fix: let one parameter or one expression set it      [study-place-twice]"},
      {run_keep + "parameters: {a: {uniform: [2, 1]}}",
       "plan.yaml:5:27: error: uniform of parameter 'a' cannot be: the least is not below the most\n  fix: write "
       "uniform: [least, most]      [study-distribution]"},
      {run_keep + "parameters: {a: {normal: [2]}}",
       "error: normal of parameter 'a' cannot be: it has 1 number\n  fix: write normal: [mean, standard deviation]     "
       " [study-distribution]"},
      {run_keep + "parameters: {a b: {uniform: [1, 2]}}",
       "error: 'a b' is no name for a parameter\n  fix: use letters, digits and _, and begin with a letter: "
       "expressions use it      [study-name]"},
      {run_keep + "parameters: {seed: {uniform: [1, 2]}}",
       "error: 'seed' is taken already\n  fix: choose another name      [study-name]"},
      {run_keep + "parameters: {a: {uniform: [1, 2]}}\nsamples: {sobol: none}",
       "plan.yaml:6:18: error: sobol of samples must be a whole number from 1 on, not the text 'none'\n  fix: write "
       "digits only      [study-count]"},
      {run_keep + "parameters: {a: {uniform: [1, 2]}}\nsamples: {sobol: 3, random: 4}",
       "error: samples must name one way to choose them, with their number\n"
       "  fix: write samples: {sobol: 1024}, {latin-hypercube: 500} or {random: 10000}      [study-samples]"},
      {run_keep + "samples: {random: 4}",
       "warning: samples are counted, but no parameter has a distribution\n"
       "  fix: leave samples out, or give a parameter uniform: [least, most]      [study-samples]"},
      {run_keep + "set: {'points.A[0]': 2*size}", "error: value of 'points.A[0]': "},
      {"run: impact\nkeep: {x: P.x}",
       "plan.yaml:3:6: error: an impact needs a scenario\n  fix: write run: {impact: FILE}      [study-run]"},
      {"run: analyse\nkeep: {x: P.x}",
       "error: run must be analyze, simulate or impact, not the text 'analyse'\n  fix: did you mean 'analyze'?"},
      {"run: analyze\nkeep: {x: {most: P.speeed}}",
       "plan.yaml:4:11: error: 'x' asks for 'P.speeed', which this run does not have\n  fix: did you mean 'P.speed'?   "
       "   [study-channel]"},
      {"run: analyze\nkeep: {x: {most: P.x, least: P.y}}",
       "error: 'x' has both 'least' and 'most'\n  fix: keep two numbers, each with its name      [key-conflict]"},
      {run_keep + "objective: {minimise: x}", "objective has no key 'minimise'"},
      {run_keep + "objective: {minimize: x, maximize: x}",
       "error: objective must say either minimize or maximize\n  fix: write objective: {minimize: EXPRESSION}      "
       "[study-objective]"},
      {run_keep + "parameters: {a: {grid: [0, 1, 1000]}, b: {grid: [0, 1, 1000]}, c: {grid: [0, 1, 1000]}}",
       "error: the plan has 1e+09 tasks; at most 100000000 are possible\n  fix: take fewer values or samples      "
       "[study-too-large]"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string text = said(mistake.sections);
    EXPECT_NE(text.find(mistake.message), std::string::npos) << mistake.sections << "\nsaid:\n"
                                                             << text << "\nnot:\n"
                                                             << mistake.message;
  }
}

TEST(StudyPlan, tells_all_mistakes_at_once) {
  const StudyPlanResult read = read_plan(
      "trammel-study: 1\nmodel: m\nrun: nothing\nparameters: {a: {uniform: [2, 1]}, b: {uniform: x}}\nkeep: {x: {}}\n",
      fourbar_model);
  EXPECT_GE(read.diagnostics.all().size(), 4u) << read.diagnostics.to_string();
}

TEST(StudyPlan, mistakes_of_the_model_are_told_with_its_places) {
  const StudyPlanResult read =
      read_plan("trammel-study: 1\nmodel: m\n" + run_keep, "trammel: 1\nbodies: {a: {mass: x}}\n");
  EXPECT_NE(read.diagnostics.to_string().find("model.yaml:2:20: error: "), std::string::npos)
      << read.diagnostics.to_string();
}

TEST(StudyPlaces, numbers_change_where_they_stand_and_nowhere_else) {
  const std::string text = "# ü 1\na: {'b c': [1, -2.5e3 , 3], d: 4} # 1\ne:\n  - 1\n  - x: 7\n";
  readers::Messages messages;
  const readers::Tree tree = readers::parse_yaml(text, 1000, messages);
  std::vector<study::Slot> slots;
  for (const char* path : {"a.'b c'[1]", "a.d", "e[1].x"}) {
    const study::SlotSearch found = study::find_slot(text, *tree.root, path, "the model");
    ASSERT_TRUE(found.slot) << found.what;
    slots.push_back(*found.slot);
  }
  EXPECT_EQ(study::with_numbers(text, slots, {0.1, 1e-20, -3}),
            "# ü 1\na: {'b c': [1, 0.1 , 3], d: 1e-20} # 1\ne:\n  - 1\n  - x: -3\n");
}

RC_GTEST_PROP(StudyPlaces, any_number_comes_back_exactly, (double x)) {
  const StudyPlan plan =
      plan_or_fail("trammel-study: 1\nmodel: m\n" + run_keep + "parameters: {m: {values: [1], at: bodies.crank.mass}}",
                   fourbar_model);
  const std::vector<double> values{std::abs(x)};
  const ReadResult read = read_yaml(TaskRunner(plan).model_text(values), "m");
  RC_ASSERT(read.ok());
  RC_ASSERT(read.model.bodies[0].mass == std::abs(x));
}

RC_GTEST_PROP(StudyPlaces, paths_of_any_bytes_do_no_harm, (const std::string& path)) {
  std::string wrong;
  const auto steps = study::parse_path(path, wrong);
  RC_ASSERT(steps.has_value() == wrong.empty());
}

}  // namespace
}  // namespace trammel::test
