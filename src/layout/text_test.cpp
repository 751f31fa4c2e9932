// SPDX-License-Identifier: BSD-3-Clause
#include "layout/text.hpp"

#include <gtest/gtest.h>

namespace pathline::layout {
namespace {

TEST(TextWidth, IsTheSumOfTheFontsAdvances) {
  // DejaVu Sans: R 1423, a 1255, n 1298, k 1186 units of 1/2048 em.
  EXPECT_NEAR(text_width_px("Rank", 2048), 1423 + 1255 + 1298 + 1186, 1e-9);
  EXPECT_NEAR(text_width_px("\u00b5s", 2048), 1303 + 1067, 1e-9);
  EXPECT_EQ(text_width_px("", 12), 0);
  EXPECT_GT(text_width_px("Rank", 12, Weight::kBold), text_width_px("Rank", 12));
}

TEST(TextWidth, TakesAnyBytes) {
  EXPECT_GT(text_width_px("\xff\xfe\xc3", 12), 0);
  EXPECT_GT(text_width_px("\xf0\x9f", 12), 0);
}

TEST(FitText, LeavesShortTextAlone) { EXPECT_EQ(fit_text("Rank 1", 100, 12), "Rank 1"); }

TEST(FitText, KeepsTheBeginning) {
  const std::string cut = fit_text("MPI_Waitall", 60, 12);
  EXPECT_EQ(cut, "MPI_Wa\u2026");
  EXPECT_LE(text_width_px(cut, 12), 60);
  EXPECT_EQ(fit_text("MPI_Waitall", 5, 12), "");
}

TEST(FitText, NeverCutsInsideALetter) {
  const std::string text = "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc";
  for (int width = 0; width < 80; ++width) {
    std::string cut = fit_text(text, width, 12);
    if (cut.empty() || cut == text) continue;
    cut.resize(cut.size() - std::string_view("\u2026").size());
    EXPECT_EQ(cut.size() % 2, 0U) << width;
  }
}

TEST(FitTextMiddle, KeepsBothEnds) {
  const std::string cut = fit_text_middle("void Foam::LduMatrix<double>::solve()", 120, 11);
  EXPECT_TRUE(cut.starts_with("void F")) << cut;
  EXPECT_TRUE(cut.ends_with("solve()")) << cut;
  EXPECT_LE(text_width_px(cut, 11), 120);
}

}  // namespace
}  // namespace pathline::layout
