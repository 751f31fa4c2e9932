// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/plan.hpp"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ParameterSet list(std::string name, std::vector<std::string> values) {
  return {{{.name = std::move(name), .values = std::move(values), .place = {"s.toml", 3}}}};
}

Step step(std::string name, std::vector<std::string> after = {}) {
  return {.name = std::move(name), .after = std::move(after), .place = {"s.toml", 9}};
}

Plan planned(const Study& study) {
  auto result = plan(study);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(result).value() : Plan{};
}

std::string refused(const Study& study) {
  const auto result = plan(study);
  return result.ok() ? "planned" : result.error().message;
}

std::vector<std::string> keys(const Plan& plan) {
  std::vector<std::string> all;
  for (const Package& package : plan.packages) all.push_back(package.key);
  return all;
}

TEST(Plan, MultipliesListsAndDerivesTheRest) {
  const Plan plan = planned({.sets = {list("n", {"{p} * 32"}), list("p", {"1", "2"}),
                                      list("solver", {"cg", "mg"}), list("name", {"{solver}-{n}"})},
                             .steps = {step("run")}});
  EXPECT_THAT(
      plan.points,
      ElementsAre(ElementsAre("32", "1", "cg", "cg-32"), ElementsAre("32", "1", "mg", "mg-32"),
                  ElementsAre("64", "2", "cg", "cg-64"), ElementsAre("64", "2", "mg", "mg-64")));
  EXPECT_EQ(plan.packages[3].key, "run n=64 p=2 solver=mg name=mg-64");
}

TEST(Plan, VariesTogetherWhatBelongsTogether) {
  ParameterSet set;
  set.parameters = {{.name = "p", .values = {"1", "4"}}, {.name = "n", .values = {"64", "256"}}};
  const Plan plan = planned({.sets = {set, list("k", {"a", "b"})}, .steps = {step("run")}});
  EXPECT_THAT(plan.points, ElementsAre(ElementsAre("1", "64", "a"), ElementsAre("1", "64", "b"),
                                       ElementsAre("4", "256", "a"), ElementsAre("4", "256", "b")));
}

TEST(Plan, RunsOnceWhatMakesNoDifference) {
  Step build = step("build");
  build.uses = {{"solver"}};
  Study study{.repetitions = 3,
              .sets = {list("p", {"1", "2"}), list("solver", {"cg", "mg"})},
              .steps = {step("run", {"build"}), build},
              .columns = {{.name = "t", .step = "run"}}};
  const Plan plan = planned(study);
  EXPECT_THAT(plan.repeated, ElementsAre(true, false));
  ASSERT_EQ(plan.packages.size(), 2U + 4 * 3);
  EXPECT_EQ(plan.packages[0].key, "build solver=cg");
  EXPECT_EQ(plan.packages[1].key, "build solver=mg");
  EXPECT_EQ(plan.packages[2].key, "run p=1 solver=cg #1");
  EXPECT_EQ(plan.packages[7].key, "run p=1 solver=mg #3");
  EXPECT_THAT(plan.packages[2].after, ElementsAre(0));
  EXPECT_THAT(plan.packages[7].after, ElementsAre(1));
  EXPECT_EQ(plan.package_of(0, 3, 2), 13U);
  EXPECT_EQ(plan.package_of(1, 2, 2), 0U) << "its one run is that of every repetition";
}

TEST(Plan, RepeatsWhatComesBehindWhatIsRepeated) {
  const Study study{.repetitions = 2,
                    .steps = {step("prepare"), step("run", {"prepare"}), step("tidy", {"run"})},
                    .columns = {{.name = "t", .step = "run"}}};
  const Plan plan = planned(study);
  EXPECT_THAT(keys(plan), ElementsAre("prepare", "run #1", "run #2", "tidy #1", "tidy #2"));
  EXPECT_THAT(plan.packages[4].after, ElementsAre(2));
}

TEST(Plan, KeepsKeysWhenValuesAreAdded) {
  const auto study = [](std::vector<std::string> values) {
    return Study{.sets = {list("p", std::move(values))}, .steps = {step("run")}};
  };
  const auto few = keys(planned(study({"1", "4"})));
  const auto many = keys(planned(study({"1", "2", "4", "8"})));
  for (const std::string& key : few) EXPECT_THAT(many, testing::Contains(key));
}

TEST(Plan, TellsCirclesAndWhatIsNotThere) {
  EXPECT_EQ(refused({.steps = {step("a", {"b"}), step("b", {"c"}), step("c", {"b"})}}),
            "s.toml, line 9: steps wait for one another: b after c after b");
  EXPECT_EQ(refused({.sets = {list("x", {"{y}"}), list("y", {"{x} + 1"})}, .steps = {step("a")}}),
            "s.toml, line 3: parameters depend on one another: x of y of x");
  EXPECT_THAT(refused({.steps = {step("run", {"biuld"}), step("build")}}),
              HasSubstr("step 'run' comes after 'biuld', and there is no such step"));
  EXPECT_THAT(refused({.sets = {list("n", {"{q} * 2"})}, .steps = {step("a")}}),
              HasSubstr("parameter 'n' names {q}, and there is no such parameter"));
  EXPECT_THAT(refused({.sets = {list("n", {"1 / {z}"}), list("z", {"0"})}, .steps = {step("a")}}),
              HasSubstr("parameter 'n': '1 / 0' has no value"));
  EXPECT_THAT(refused({.sets = {list("n", {"1"}), list("n", {"2"})}, .steps = {step("a")}}),
              HasSubstr("two parameters 'n'"));
  Step few = step("check", {"run"});
  few.uses = {std::vector<std::string>()};
  EXPECT_THAT(refused({.sets = {list("n", {"1", "2"})}, .steps = {step("run"), few}}),
              HasSubstr("step 'check' comes after 'run', which uses parameter 'n'"));
  few = step("say");
  few.uses = {std::vector<std::string>()};
  few.command = "echo {n}";
  EXPECT_THAT(refused({.sets = {list("n", {"1", "2"})}, .steps = {few}}),
              HasSubstr("step 'say' names {n}, which is not among what it uses"));
}

TEST(Plan, FillsInTheValuesOfAPoint) {
  const Plan plan = planned({.sets = {list("p", {"1", "2"})}, .steps = {step("run")}});
  EXPECT_EQ(filled_in("mpirun -n {p} ./a | awk '{print $2}' {q}", plan, 1),
            "mpirun -n 2 ./a | awk '{print $2}' {q}");
}

TEST(Plan, OfTenThousandRunsHasEachOnceBehindWhatItNeeds) {
  std::vector<std::string> numbers;
  for (int i = 0; i < 100; ++i) numbers.push_back(fmt::format("{}", i));
  Step build = step("build");
  build.uses = {{"a"}};
  const Plan plan = planned(
      {.sets = {list("a", numbers), list("b", numbers)}, .steps = {step("run", {"build"}), build}});
  ASSERT_EQ(plan.packages.size(), 10'100U);
  std::set<std::string> seen;
  for (uint32_t i = 0; i < plan.packages.size(); ++i) {
    EXPECT_TRUE(seen.insert(plan.packages[i].key).second);
    for (const uint32_t before : plan.packages[i].after) EXPECT_LT(before, i);
  }
  std::vector<std::string> many(1001, "1");
  EXPECT_THAT(refused({.sets = {list("a", many), list("b", many)}, .steps = {step("run")}}),
              HasSubstr("1,000,000 can be planned"));
}

TEST(Plan, OfAStudyWithoutParametersHasOneCombination) {
  const Plan plan = planned({.steps = {step("run")}});
  EXPECT_THAT(plan.points, ElementsAre(IsEmpty()));
  EXPECT_THAT(keys(plan), ElementsAre("run"));
}

}  // namespace
}  // namespace pathline::campaign
