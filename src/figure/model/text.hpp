// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layout/axis.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "scaling/model.hpp"
#include "scaling/search/search.hpp"

namespace pathline::figure {

/// A piece of text with raised and lowered letters.
struct Run {
  enum class Level : uint8_t { kBase, kRaised, kLowered };
  std::string text;
  Level level = Level::kBase;
};
using RichText = std::vector<Run>;

std::string plain(const RichText& text);
double rich_width_px(const RichText& text, double size_px);
/// left_middle  where the text begins; of its height the middle.
void add_rich(layout::Labels& labels, const RichText& text, layout::Point left_middle,
              double size_px, layout::Color color);

/// "0.31 + 0.0023 · p^(3/2) · log_2(p)" with exponents raised and the base lowered.
RichText rich_formula(const scaling::Model& model, std::span<const std::string> parameters,
                      int digits);
/// The same, in at most `width_px`: with fewer digits, and then without the last terms and "…".
RichText fitted_formula(const scaling::Model& model, std::span<const std::string> parameters,
                        double width_px, double size_px);
/// "O(p^(3/2))".
RichText rich_order(const scaling::Model& model, std::span<const std::string> parameters);

/// How a model grows when all parameters grow by the same factor.
enum class GrowthClass : uint8_t {
  kDecreasing,
  kConstant,
  kLogarithmic,
  kSublinear,
  kLinear,
  kSuperlinear
};
inline constexpr size_t kGrowthClassCount = 6;

GrowthClass growth_class(const scaling::Model& model);
const char* growth_name(GrowthClass growth);
layout::Color growth_color(const layout::Theme& theme, GrowthClass growth);

/// What a flag says to a reader, in few words.
std::vector<RichText> flag_texts(const scaling::Fit& fit, std::span<const std::string> names);

/// Whether one of the flags makes a model doubtful; that it is constant or falls does not.
bool is_doubtful(const scaling::Fit& fit);

/// "65,536", "0.25", "1.07·10⁹".
std::string number_text(double value);

/// Values of a metric in words and on an axis.
class ValueText {
 public:
  /// unit  "s", "sec", "seconds": with multiples; "B", "bytes": the same; others stand behind the
  /// number.
  explicit ValueText(const std::string& unit);
  [[nodiscard]] std::string operator()(double value) const;
  /// exponent  of ten that the labels leave out, for the title of the axis.
  [[nodiscard]] layout::Ticks linear_ticks(double begin, double end, size_t max_count,
                                           int& exponent) const;
  [[nodiscard]] layout::Ticks log_ticks(double begin, double end, size_t max_count) const;
  /// "flops (10⁶ flop)": with what labels of ticks leave out.
  [[nodiscard]] std::string axis_title(const std::string& metric, int exponent) const;

 private:
  [[nodiscard]] std::string tick_label(double value) const;

  enum class Kind : uint8_t { kNumber, kSeconds, kBytes };
  Kind kind_ = Kind::kNumber;
  std::string suffix_;  // " flop", of numbers.
};

}  // namespace pathline::figure
