// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/text.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/model/test_model.hpp"

namespace pathline::figure {
namespace {

using testing::HasSubstr;

TEST(ModelText, TellsClassesOfGrowth) {
  EXPECT_EQ(growth_class({{3}}), GrowthClass::kConstant);
  EXPECT_EQ(growth_class(power_law(1, 1, {0, 1, 2})), GrowthClass::kLogarithmic);
  EXPECT_EQ(growth_class(power_law(1, 1, {2, 3, 1})), GrowthClass::kSublinear);
  EXPECT_EQ(growth_class(power_law(1, 1, {1, 1, 0})), GrowthClass::kLinear);
  EXPECT_EQ(growth_class(power_law(1, 1, {1, 1, 1})), GrowthClass::kSuperlinear);
  EXPECT_EQ(growth_class(power_law(1, 1, {3, 2, 0})), GrowthClass::kSuperlinear);
  EXPECT_EQ(growth_class(power_law(1, -1, {1, 1, 0})), GrowthClass::kDecreasing);
  EXPECT_EQ(growth_class(power_law(0, 1, {-1, 1, 0})), GrowthClass::kDecreasing);
  EXPECT_EQ(growth_class(power_law(2, 1, {-1, 2, 0})), GrowthClass::kDecreasing);
  EXPECT_EQ(growth_class(power_law(2, -1, {-1, 2, 0})), GrowthClass::kConstant);  // From below.
}

TEST(ModelText, HasWordsForEveryFlag) {
  for (unsigned bit = 0; bit <= static_cast<unsigned>(scaling::Flag::kNoLogarithms); ++bit) {
    Fit fit;
    fit.flags.set(static_cast<scaling::Flag>(bit));
    EXPECT_EQ(flag_texts(fit, {}).size(), 1U) << bit;
  }
}

TEST(ModelText, SaysFirstThatNoModelFits) {
  Fit fit;
  fit.flags.set(scaling::Flag::kFewPoints);
  fit.flags.set(scaling::Flag::kPoorFit);
  EXPECT_THAT(plain(flag_texts(fit, {})[0]), HasSubstr("no model fits"));
  EXPECT_TRUE(is_doubtful(fit));
}

TEST(ModelText, WritesFormulas) {
  const std::vector<std::string> names = {"p", "n"};
  const Model law{-1.5, {{-2e-5, {{0, {3, 2, 0}}, {1, {0, 1, 2}}}}, {0.25, {{1, {-1, 1, 0}}}}}};
  EXPECT_EQ(plain(rich_formula(law, names, 4)), "−1.5 − 2·10^−5 · p^3/2 · log2(n)^2 + 0.25 · n^−1");
  EXPECT_EQ(plain(rich_order(law, names)), "O(p^3/2 · log2(n)^2)");
  EXPECT_EQ(plain(rich_order({{3}}, names)), "O(1)");
  const RichText cut = fitted_formula(law, names, 170, 12);
  EXPECT_LE(rich_width_px(cut, 12), 170);
  EXPECT_THAT(plain(cut), HasSubstr("…"));
}

TEST(ModelText, WritesNumbers) {
  EXPECT_EQ(number_text(65536), "65,536");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(1e-6), "10⁻⁶");
  EXPECT_EQ(number_text(-1.2e12), "−1.2·10¹²");
  EXPECT_EQ(ValueText("sec")(0.0123), "12.3 ms");
  EXPECT_EQ(ValueText("sec")(4130), "4,130 s");
  EXPECT_EQ(ValueText("bytes")(2.5e6), "2.50 MB");
  EXPECT_EQ(ValueText("flop")(1234567), "1.23·10⁶ flop");
  for (const char* unit : {"", "sec", "bytes"}) {
    EXPECT_THAT(ValueText(unit)(INFINITY), testing::StartsWith("∞"));
    EXPECT_THAT(ValueText(unit)(-INFINITY), testing::StartsWith("−∞"));
    EXPECT_THAT(ValueText(unit)(NAN), testing::StartsWith("?"));
  }
}

TEST(ModelText, HasTicksForAnyRange) {
  for (const char* unit : {"", "sec", "bytes"}) {
    const ValueText text(unit);
    for (const double size : {1e-300, 1e-9, 1e-3, 1.0, 47.0, 1e5, 1e12, 1e300}) {
      int exponent = 0;
      const auto linear = text.linear_ticks(0, size, 5, exponent);
      EXPECT_GE(linear.major.size(), 2U) << unit << size;
      EXPECT_LE(linear.major.size(), 6U) << unit << size;
      const auto logarithmic = text.log_ticks(size, 20 * size, 6);
      EXPECT_GE(logarithmic.major.size(), 1U) << unit << size;
      for (const layout::Tick& tick : linear.major) EXPECT_LE(tick.label.size(), 20U);
    }
    EXPECT_LE(text.log_ticks(1e-300, 1e300, 6).major.size(), 7U);
  }
}

}  // namespace
}  // namespace pathline::figure
