// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scaling/read/from_profiles.hpp"

namespace pathline::scaling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

RunName run_of(std::string_view name) {
  const auto run = parse_run_name(name);
  EXPECT_TRUE(run.ok()) << name << ": " << run.error().message;
  return run ? run.value() : RunName();
}

std::string fault_of(std::string_view name) {
  const auto run = parse_run_name(name);
  EXPECT_FALSE(run.ok()) << name;
  if (run) return "";
  EXPECT_EQ(run.error().code, base::ErrorCode::kInvalidArgument);
  EXPECT_FALSE(run.error().advice.empty());
  return run.error().message;
}

auto xyz(double x, double y, double z) {
  return ElementsAre(Pair("x", x), Pair("y", y), Pair("z", z));
}

TEST(RunName, ReadsTheExamplesOfTheFormat) {
  EXPECT_THAT(run_of("mm.x1y1z1.r1").parameters, xyz(1, 1, 1));
  EXPECT_THAT(run_of("x10y1z1").parameters, xyz(10, 1, 1));
  EXPECT_THAT(run_of("mm.x1.1y1.1z1.1").parameters, xyz(1.1, 1.1, 1.1));
  EXPECT_THAT(run_of("mm.x20,5.y20,5.z1,5.r1").parameters, xyz(20.5, 20.5, 1.5));
  EXPECT_THAT(run_of("mm.x21.5,y21,5,z1.15.r1").parameters, xyz(21.5, 21.5, 1.15));
  EXPECT_THAT(run_of("mm.x22.5.y22.5.z1.25.r1").parameters, xyz(22.5, 22.5, 1.25));
  EXPECT_THAT(run_of("time.p4.n2000.x1.r0").parameters,
              ElementsAre(Pair("p", 4), Pair("n", 2000), Pair("x", 1)));
}

TEST(RunName, ReadsTheRepetitionAtTheVeryEnd) {
  EXPECT_EQ(run_of("mm.x1y1z1.r1").repetition, 1U);
  EXPECT_EQ(run_of("mg.p1024.r27").repetition, 27U);
  EXPECT_EQ(run_of("p1024.r0").repetition, 0U);
  EXPECT_EQ(run_of("mg.p1024").repetition, std::nullopt);
  EXPECT_THAT(run_of("p8,r2").parameters, ElementsAre(Pair("p", 8), Pair("r", 2)));
}

TEST(RunName, TakesTheNumberThatRecordAddsForAnotherRepetition) {
  EXPECT_THAT(run_of("heat.p16.n64.r1-2").parameters, ElementsAre(Pair("p", 16), Pair("n", 64)));
  EXPECT_THAT(run_of("heat.p16-3").parameters, ElementsAre(Pair("p", 16)));
  EXPECT_EQ(run_of("heat.p16.r4-2").repetition, 4U);
  EXPECT_THAT(run_of("amg-2.p16").parameters, ElementsAre(Pair("amg-", 2), Pair("p", 16)));
}

TEST(RunName, KeepsParametersThatBeginLikeARepetition) {
  EXPECT_THAT(run_of("mm.ranks4.rows16.r2").parameters,
              ElementsAre(Pair("ranks", 4), Pair("rows", 16)));
  EXPECT_THAT(run_of("mm.x1.rank4").parameters, ElementsAre(Pair("x", 1), Pair("rank", 4)));
  EXPECT_THAT(run_of("mm.x1.r2y3").parameters,
              ElementsAre(Pair("x", 1), Pair("r", 2), Pair("y", 3)));
  EXPECT_THAT(run_of("mm.r4.r1").parameters, ElementsAre(Pair("r", 4)));
  EXPECT_THAT(run_of("mm.x1.r1.5").parameters, ElementsAre(Pair("x", 1), Pair("r", 1.5)));
}

TEST(RunName, TakesARepetitionAsParameterWhenItIsAllThereIs) {
  const RunName run = run_of("mm.r5");
  EXPECT_THAT(run.parameters, ElementsAre(Pair("r", 5)));
  EXPECT_EQ(run.repetition, std::nullopt);
  EXPECT_THAT(run_of("r5").parameters, ElementsAre(Pair("r", 5)));
}

TEST(RunName, TakesNoParameterForThePrefix) {
  EXPECT_THAT(run_of("p4.n100").parameters, ElementsAre(Pair("p", 4), Pair("n", 100)));
  EXPECT_THAT(run_of("x20.5y3").parameters, ElementsAre(Pair("x", 20.5), Pair("y", 3)));
  EXPECT_THAT(run_of("2026-11.p4").parameters, ElementsAre(Pair("p", 4)));
  EXPECT_THAT(run_of("amg2013-big.p8").parameters, ElementsAre(Pair("p", 8)));
  // Of a prefix with a number: it is the same in all runs, as a parameter that is left out then.
  EXPECT_THAT(run_of("lulesh2.p8").parameters, ElementsAre(Pair("lulesh", 2), Pair("p", 8)));
}

TEST(RunName, LeavesOutSeparatorsBehindValues) {
  EXPECT_THAT(run_of("mm.x1.,y2,.").parameters, ElementsAre(Pair("x", 1), Pair("y", 2)));
  EXPECT_THAT(run_of("mm.x0016,").parameters, ElementsAre(Pair("x", 16)));
}

TEST(RunName, RefusesWhatHoldsNoParameter) {
  EXPECT_THAT(fault_of(""), HasSubstr("there is no parameter"));
  EXPECT_THAT(fault_of("results"), HasSubstr("'results' has no value"));
  EXPECT_THAT(fault_of(".hidden"), HasSubstr("'hidden' has no value"));
  EXPECT_THAT(fault_of("mm."), HasSubstr("there is no parameter"));
  EXPECT_THAT(fault_of("..."), HasSubstr("has no name"));
  EXPECT_THAT(fault_of("17"), HasSubstr("'17' has no name"));
  EXPECT_THAT(fault_of("mm.p4.old"), HasSubstr("'old' has no value"));
  EXPECT_THAT(fault_of("mm.x.r5"), HasSubstr("'x' has no value"));
  EXPECT_THAT(fault_of("mm.x1x2"), HasSubstr("'x' is there twice"));
  EXPECT_THAT(fault_of("mm.x1.2.3y1"), HasSubstr("'1.2.3' is no number"));
  EXPECT_THAT(fault_of("mm.p4.r99999999999"), HasSubstr("'99999999999' is no repetition"));
  EXPECT_THAT(fault_of("\x1b[31m"), HasSubstr("\xef\xbf\xbd[31m"));
}

}  // namespace
}  // namespace pathline::scaling
