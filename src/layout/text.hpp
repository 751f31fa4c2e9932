// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "layout/scene.hpp"

namespace pathline::layout {

/// Width of one line of UTF-8 in DejaVu Sans, from its advance widths for Latin-1 (exact up to
/// hinting) and an average for other letters; no font is opened. cost O(bytes).
double text_width_px(std::string_view text, double size_px, Weight weight = Weight::kRegular);

/// `text`, or its longest beginning that fits `max_width_px` together with "…"; "" when not even
/// one letter fits. Never cuts inside a UTF-8 sequence.
std::string fit_text(std::string_view text, double max_width_px, double size_px,
                     Weight weight = Weight::kRegular);

/// As fit_text, but keeps both ends ("void Foo::bar<…>::run"): for C++ names, whose last part
/// says most.
std::string fit_text_middle(std::string_view text, double max_width_px, double size_px,
                            Weight weight = Weight::kRegular);

/// Heights of DejaVu Sans as shares of the font size.
inline constexpr double kAscent = 0.76;   ///< of capitals and ascenders
inline constexpr double kDescent = 0.24;  ///< below the baseline
inline constexpr double kCapHeight = 0.73;

}  // namespace pathline::layout
