// SPDX-License-Identifier: BSD-3-Clause
#include "layout/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

class EveryTheme : public testing::TestWithParam<ThemeName> {
 protected:
  const Theme& theme_ = theme(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Themes, EveryTheme, testing::Values(ThemeName::kLight, ThemeName::kDark),
                         [](const auto& test) {
                           return test.param == ThemeName::kDark ? "Dark" : "Light";
                         });

TEST_P(EveryTheme, HasReadableText) {
  for (const Color background : {theme_.background, theme_.plot_background}) {
    EXPECT_GE(contrast(theme_.text, background), 7);
    EXPECT_GE(contrast(theme_.muted_text, background), 4.5);
  }
}

TEST_P(EveryTheme, HasMarksThatStandOut) {
  for (const Color background : {theme_.background, theme_.plot_background}) {
    for (const Color color : theme_.series) EXPECT_GE(contrast(color, background), 3) << hex(color);
    for (const Color color : {theme_.axis, theme_.other, theme_.highlight}) {
      EXPECT_GE(contrast(color, background), 3) << hex(color);
    }
    for (const char* palette : {"blue-orange", "green-red", "violet-gold", "ink-pink"}) {
      const Gradient gradient = message_gradient(palette, GetParam()).value();
      EXPECT_GE(contrast(gradient.begin, background), 3) << palette;
      EXPECT_GE(contrast(gradient.end, background), 3) << palette;
    }
  }
}

/// A colour as a dichromat sees it: matrices for severity 1.0 of Machado, Oliveira & Fernandes,
/// IEEE TVCG 15(6), 2009, on linear sRGB.
Color seen_with(const std::array<double, 9>& matrix, Color color) {
  const auto linear = [](uint8_t value) {
    const double c = value / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const std::array<double, 3> in{linear(color.r), linear(color.g), linear(color.b)};
  std::array<uint8_t, 3> out{};
  for (size_t row = 0; row < 3; ++row) {
    double c = 0;
    for (size_t i = 0; i < 3; ++i) c += matrix[row * 3 + i] * in[i];
    c = std::clamp(c, 0.0, 1.0);
    c = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    out[row] = static_cast<uint8_t>(std::lround(c * 255));
  }
  return {out[0], out[1], out[2], 255};
}

struct Vision {
  const char* name;
  std::array<double, 9> matrix;
  double least_difference;  // 0.02 is just visible side by side
};
const Vision kVisions[] = {
    {"normal", {1, 0, 0, 0, 1, 0, 0, 0, 1}, 0.13},
    {"protanopia",
     {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
     0.085},
    {"deuteranopia",
     {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
     0.085},
    {"tritanopia",
     {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
     0.065}};

TEST_P(EveryTheme, HasSeriesToldApartWithAnyColourVision) {
  for (const Vision& vision : kVisions) {
    for (size_t i = 0; i < Theme::kSeriesCount; ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_GE(difference(seen_with(vision.matrix, theme_.series[i]),
                             seen_with(vision.matrix, theme_.series[j])),
                  vision.least_difference)
            << vision.name << ' ' << hex(theme_.series[i]) << ' ' << hex(theme_.series[j]);
      }
    }
  }
}

TEST_P(EveryTheme, HasRegionsToldApartWithAnyColourVision) {
  std::vector<Color> all = {theme_.other, theme_.plot_background};
  const RegionShades& shades = theme_.regions;
  all.insert(all.end(), shades.program.begin(), shades.program.end());
  all.insert(all.end(), shades.mpi.begin(), shades.mpi.end());
  all.insert(all.end(), shades.file_io.begin(), shades.file_io.end());
  for (const Vision& vision : kVisions) {
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_GE(difference(seen_with(vision.matrix, all[i]), seen_with(vision.matrix, all[j])),
                  0.04)
            << vision.name << ' ' << hex(all[i]) << ' ' << hex(all[j]);
      }
    }
  }
  const Gradient messages = message_gradient("ink-pink", GetParam()).value();
  for (const Color color : all) {
    EXPECT_GE(difference(color, messages.begin), 0.13) << hex(color);
    EXPECT_GE(difference(color, messages.end), 0.1) << hex(color);
  }
}

TEST_P(EveryTheme, HasWaitingAsTheDarkestOfMpi) {
  const auto& mpi = theme_.regions.mpi;
  for (size_t i = 0; i < RegionShades::kOtherMpi; ++i) {
    EXPECT_GE(to_oklab(mpi[i]).lightness, to_oklab(mpi[RegionShades::kWait]).lightness) << i;
  }
}

TEST_P(EveryTheme, HasARowOfColoursToldApartWithAnyColourVision) {
  // Of 16 things in a row neighbours may look alike, but not those four apart.
  constexpr int kCount = 16;
  const auto color = [&](int i) { return theme_.row.at(i / (kCount - 1.0)); };
  for (int i = 0; i < kCount; ++i) {
    EXPECT_GE(contrast(color(i), theme_.background), 3) << i;
    EXPECT_GE(contrast(color(i), theme_.plot_background), 2.8) << i;
    EXPECT_GE(difference(color(i), color(i == 0 ? 1 : i - 1)), 0.02) << i;
    for (const Vision& vision : kVisions) {
      for (int k = 0; k + 4 <= i; ++k) {
        EXPECT_GE(
            difference(seen_with(vision.matrix, color(i)), seen_with(vision.matrix, color(k))),
            0.03)
            << vision.name << ' ' << k << ' ' << i;
      }
    }
  }
}

TEST_P(EveryTheme, HasAHeatRampWithEvenStepsAndMonotoneLightness) {
  constexpr int kSteps = 32;
  double total = 0;
  double smallest = 1;
  double largest = 0;
  const double direction = theme_.is_dark ? 1 : -1;
  for (int i = 0; i < kSteps; ++i) {
    const Color one = theme_.heat.at(i / double{kSteps});
    const Color two = theme_.heat.at((i + 1) / double{kSteps});
    EXPECT_GT(direction * (to_oklab(two).lightness - to_oklab(one).lightness), 0) << i;
    const double step = difference(one, two);
    total += step;
    smallest = std::min(smallest, step);
    largest = std::max(largest, step);
  }
  EXPECT_GT(smallest, 0.6 * total / kSteps);
  EXPECT_LT(largest, 1.4 * total / kSteps);
  // The least value is still not "nothing".
  EXPECT_GT(difference(theme_.heat.at(0), theme_.plot_background), 0.06);
}

TEST_P(EveryTheme, RepeatsSeriesInOtherShades) {
  EXPECT_EQ(theme_.series_color(3), theme_.series[3]);
  EXPECT_GT(difference(theme_.series_color(3), theme_.series_color(15)), 0.04);
  EXPECT_GT(difference(theme_.series_color(15), theme_.series_color(27)), 0.04);
}

TEST(ParseTheme, KnowsLightAndDarkAndNamesThemOtherwise) {
  EXPECT_EQ(parse_theme("dark").value(), ThemeName::kDark);
  const auto unknown = parse_theme("blue");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "--theme is 'blue', expected light or dark");
}

TEST(MessageGradient, IsTheThemesOwnForBlueOrange) {
  EXPECT_EQ(message_gradient("blue-orange", ThemeName::kDark).value().begin,
            dark_theme().messages.begin);
  EXPECT_FALSE(message_gradient("rainbow", ThemeName::kDark).ok());
}

}  // namespace
}  // namespace pathline::layout
