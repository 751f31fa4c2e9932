// SPDX-License-Identifier: BSD-3-Clause
#include "app/model_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// "send" takes no time, "solve" takes 2 p and "setup" 100, at p = 2, 4 ... 32; "solve" is
/// visited once for each p.
ModelInput measured() {
  scaling::ExperimentBuilder builder({"p"});
  const uint32_t visits = builder.metric("visits");
  const uint32_t time = builder.metric("time");
  for (const double p : {2., 4., 8., 16., 32.}) {
    const uint32_t point = builder.point(std::vector<double>{p});
    builder.add(builder.call_path("main->solve"), visits, point, p);
    builder.add(builder.call_path("main->setup"), time, point, 100);
    builder.add(builder.call_path("main->solve"), time, point, 2 * p);
    builder.add(builder.call_path("main->send"), time, point, 0);
  }
  ModelInput input;
  input.experiment = std::move(builder).finish();
  return input;
}

class ReportOfModels : public testing::Test {
 protected:
  ReportOfModels() { question_.search.targets = {usual_target(measured().experiment)}; }
  ModelReport report() {
    auto made = model_report("data", measured(), question_, pool_);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made ? std::move(made).value() : ModelReport();
  }
  static std::vector<std::string> names(const ModelReport& report) {
    std::vector<std::string> names;
    for (const scaling::Ranked& row : report.rows) {
      names.push_back(report.metric(row) + ' ' + report.call_path(row));
    }
    return names;
  }

  base::ThreadPool pool_;
  ModelQuestion question_;
};

TEST_F(ReportOfModels, TimeComesFirstUnlessMetricsKeepTheirOrder) {
  EXPECT_THAT(names(report()), ElementsAre("time main->solve", "time main->setup",
                                           "time main->send", "visits main->solve"));
  question_.time_first = false;
  EXPECT_EQ(names(report()).front(), "visits main->solve");
}

TEST_F(ReportOfModels, WhatIsWorseThanExpectedIsShownWhereverItRanks) {
  question_.search.targets = {{40}};  // setup takes 100, solve 80
  question_.expected = "log2(p)";
  question_.top = 1;
  const ModelReport both = report();
  EXPECT_THAT(names(both),
              ElementsAre("time main->setup", "time main->solve", "visits main->solve"));
  EXPECT_EQ(both.worse_count, 2U);
  EXPECT_THAT(both.flags(both.rows[1]), Contains("worse-than-expected"));

  question_.expected_share = 0.5;  // solve has 80 of 180, but all of the visits
  EXPECT_EQ(report().worse_count, 1U);
  question_.expected = "p";
  EXPECT_EQ(report().worse_count, 0U);
  question_.expected = "p +";
  EXPECT_EQ(model_report("data", measured(), question_, pool_).error().code,
            base::ErrorCode::kInvalidArgument);
}

TEST_F(ReportOfModels, RowsKnowWhatWasMeasured) {
  const ModelReport all = report();
  EXPECT_DOUBLE_EQ(all.measured(all.rows[0]), 64);
  EXPECT_EQ(all.repetitions(all.rows[0]), 1U);
  EXPECT_TRUE(all.is_zero(all.rows[2]));
  EXPECT_FALSE(all.is_zero(all.rows[0]));
  EXPECT_THAT(all.least, ElementsAre(2));
  EXPECT_THAT(all.largest, ElementsAre(32));
  EXPECT_EQ(all.point_text({32}), "p = 32");
}

TEST_F(ReportOfModels, SharesBelongToMetricsThatAddUp) {
  ModelInput input = measured();
  input.not_additive = {"visits"};
  const auto made = model_report("data", std::move(input), question_, pool_);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const ModelReport& all = made.value();
  EXPECT_TRUE(all.has_share(all.rows[0]));
  EXPECT_FALSE(all.has_share(all.rows[3]));
}

TEST_F(ReportOfModels, JsonNamesTheScalingOfProfilesOnly) {
  EXPECT_THAT(to_json(report()), HasSubstr(R"("aggregate": "mean")"));
  EXPECT_THAT(to_json(report()), Not(HasSubstr("\"scaling\"")));
  ModelInput input = measured();
  input.from_profiles = true;
  question_.locations = scaling::LocationRule::kStrong;
  const auto made = model_report("data", std::move(input), question_, pool_);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_THAT(to_json(made.value()), HasSubstr(R"("scaling": "strong")"));
}

TEST(TargetsOfModels, NamedParametersMoveTheOthersStay) {
  const scaling::Experiment experiment = measured().experiment;
  EXPECT_THAT(usual_target(experiment), ElementsAre(512));
  EXPECT_THAT(target_at({{"p", 100}}, experiment).value(), ElementsAre(100));
  EXPECT_THAT(target_at({}, experiment).value(), ElementsAre(32));
  const auto unknown = target_at({{"q", 1}}, experiment);
  EXPECT_EQ(unknown.error().message, "there is no parameter 'q', only p");
}

TEST(KernelsOfModels, MustBeThereAndIfStrictAllOfThem) {
  scaling::Experiment experiment = measured().experiment;
  EXPECT_TRUE(check_kernels(experiment, "data", true).ok());
  experiment.skipped.push_back({"main->io", "time", "only 3 of 5 points"});
  EXPECT_TRUE(check_kernels(experiment, "data", false).ok());
  EXPECT_EQ(check_kernels(experiment, "data", true).error().message,
            "data: 1 of 5 kernels cannot be modelled; main->io, time: only 3 of 5 points");
  EXPECT_EQ(check_kernels({}, "data", false).error().message, "data holds no measurements");
}

}  // namespace
}  // namespace pathline::app
